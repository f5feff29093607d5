"""The exercises of chapter 11: feature selection."""

import itertools
import math

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number
from mlcore.feature_selection import covariance_score
from mlcore.model_selection import StratifiedKFold


@exercise(
    "11.1",
    hint="How many sets does each round try? Each of them is trained once for each fold.",
    step="The first round tries 12 sets, each later one a set less, until 4 features are chosen. Add the rounds up, "
    "times the number of folds.",
    wrong=[42, 480, 480 * 12, 210, 780, 4950, 2**12 * 10, 40],
    right=[420.0, np.array([420])],
)  # fmt: skip
def fits_of_forward_search(answer):
    """(12 + 11 + 10 + 9) · 10 = 420."""
    value = number(answer)
    expect(not close(value, 42), "that many sets are tried; each is trained once for every fold.")
    expect(not close(value, 480), "a feature that was chosen is not tried again: the rounds get shorter.")
    expect(not close(value, 780), "that is for all 12 features; the search ends with 4.")
    expect(not close(value, 4950), "forward search does not try all sets of 4; it adds one feature at a time.")
    expect(close(value, 420))


_NATS = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)


@exercise(
    "11.2",
    hint="In which cells is p(x, y) larger than the product of its margins, and by which factor?",
    step="Sum p(x, y) ln(p(x, y) / (p(x) p(y))) over the four cells; every product of margins is 1/4.",
    wrong=[_NATS / math.log(2), -_NATS, 0.0, 0.5623, 0.6931, 0.25],
    right=[0.131, 0.1308, np.array([_NATS])],
)
def information_of_a_table(answer):
    """¾ ln(3/2) + ¼ ln(1/2) = 0.131."""
    value = number(answer)
    expect(not close(value, _NATS / math.log(2), rtol=0.01), "that is in bits: the natural logarithm gives nats.")
    expect(not close(value, -_NATS, rtol=0.01), "the sign is turned round: p(x, y) stands above the line.")
    expect(not close(value, 0.5623, rtol=0.01), "that is what is still unknown, H(y | x). Subtract it from H(y).")
    expect(not close(value, math.log(2), rtol=0.01), "that is H(y), all there is to know.")
    expect(close(value, _NATS, rtol=0.005))


def _best_of_all(score, d, k):
    return list(max(itertools.combinations(range(d), k), key=lambda F: score(list(F))))


def _forward(score, d, k):
    F = []
    while len(F) < k:
        F.append(max((j for j in range(d) if j not in F), key=lambda j: score(sorted([*F, j]))))
    return sorted(F)


def _singles(score, d, k):
    return sorted(sorted(range(d), key=lambda j: -score([j]))[:k])


def _up_to_k(score, d, k):
    every = [list(F) for size in range(1, k + 1) for F in itertools.combinations(range(d), size)]
    return max(every, key=score)


def _worst(score, d, k):
    return list(min(itertools.combinations(range(d), k), key=lambda F: score(list(F))))


def _last_of_equal(score, d, k):
    return list(max(reversed(list(itertools.combinations(range(d), k))), key=lambda F: score(list(F))))


def _as_tuple(score, d, k):
    return tuple(_best_of_all(score, d, k))


def _by_a_loop(score, d, k):
    best, most = None, -math.inf
    for F in itertools.combinations(range(d), k):
        value = score(list(F))
        if value > most:
            best, most = F, value
    return np.array(best)


@exercise(
    "11.3",
    hint="Something in itertools lists all sets of k features. Which of them is the best by `score`?",
    step="itertools.combinations(range(d), k) lists the sets in order; max(..., key=...) takes the first of the "
    "best. `score` wants a list.",
    wrong=[_forward, _singles, _up_to_k, _worst, _last_of_equal, lambda score, d, k: list(range(k))],
    right=[_as_tuple, _by_a_loop],
)
def exhaustive_search(answer):
    """The best of all sets of size k."""
    rng = np.random.default_rng(11)
    for trial, (d, k) in enumerate([(4, 2), (5, 3), (6, 2), (5, 1), (4, 4), (6, 3)] * 3):
        worth = {F: rng.normal() for r in range(1, d + 1) for F in itertools.combinations(range(d), r)}
        if trial % 3 == 2:
            worth = {F: round(value) for F, value in worth.items()}  # many are equal
        asked = []

        def score(F, worth=worth, asked=asked):
            asked.append(tuple(F))
            return worth[tuple(sorted(F))]

        found = array(call(answer, score, d, k), None).astype(int)
        expect(found.shape == (k,), f"a set of exactly {k} features is asked for, yours has the shape {found.shape}.")
        found, right = found.tolist(), _best_of_all(lambda F, worth=worth: worth[tuple(F)], d, k)
        expect(found == sorted(found), "return the features in increasing order.")
        expect(worth[tuple(found)] >= worth[tuple(right)], f"{right} has a larger score than your {found}.")
        expect(found == right, f"{right} and {found} are equally good: return the one that comes first.")


@exercise(
    "11.4",
    hint="(11.3) says how much information chance shows. Which of its letters is asked for?",
    step="Set (r - 1)(c - 1) / (2n) equal to 0.01, with r = 20 and c = 2, and solve for n.",
    wrong=[2000, 1000, 1900, 475, 19, 9.5],
    right=[950.0, np.array([950])],
)  # fmt: skip
def rows_for_a_small_chance_information(answer):
    """19 · 1 / 0.02 = 950."""
    value = number(answer)
    expect(not close(value, 2000), "each of r and c counts one less: (r - 1)(c - 1).")
    expect(not close(value, 1000), "(r - 1)(c - 1) = 19, not 20.")
    expect(not close(value, 1900), "the 2 in 2n is missing.")
    expect(close(value, 950))


def _nearer(X_train, y_train, X_test):
    means = np.array([X_train[y_train == c].mean(axis=0) for c in (0, 1)])
    return ((X_test[:, np.newaxis] - means) ** 2).sum(axis=2).argmin(axis=1)


def _accuracy(X, y, k, folds, select):
    right = 0
    for train, test in folds:
        F = np.argsort(-select(X, y, train, test), kind="stable")[:k]
        right += np.sum(_nearer(X[train][:, F], y[train], X[test][:, F]) == y[test])
    return right / len(y)


def _honest(X, y, k, folds):
    return _accuracy(X, y, k, folds, lambda X, y, train, test: covariance_score(X[train], y[train]))


def _leaking(X, y, k, folds):
    return _accuracy(X, y, k, folds, lambda X, y, train, test: covariance_score(X, y))


def _on_the_test_part(X, y, k, folds):
    return _accuracy(X, y, k, folds, lambda X, y, train, test: covariance_score(X[test], y[test]))


def _first_columns(X, y, k, folds):
    return _accuracy(X, y, k, folds, lambda X, y, train, test: -np.arange(X.shape[1], dtype=float))


def _least(X, y, k, folds):
    return _accuracy(X, y, k, folds, lambda X, y, train, test: -covariance_score(X[train], y[train]))


def _chance(X, y, k, folds):
    return 0.5


def _mean_of_folds(X, y, k, folds):
    return float(np.mean([_honest_fold(X, y, k, fold) for fold in folds]))


def _honest_fold(X, y, k, fold):
    train, test = fold
    F = np.argsort(-covariance_score(X[train], y[train]), kind="stable")[:k]
    return np.mean(_nearer(X[train][:, F], y[train], X[test][:, F]) == y[test])


def _count_right(X, y, k, folds):
    return _honest(X, y, k, folds) * len(y)


@exercise(
    "11.5",
    hint="Which rows may decide about the columns that the rows of test are then judged by?",
    step="Move one line into the loop, and give it the rows of `train` only.",
    wrong=[_leaking, _on_the_test_part, _first_columns, _least, _chance, _count_right],
    right=[_honest, _mean_of_folds, lambda *given: np.float64(_honest(*given))],
)  # fmt: skip
def honest_accuracy(answer):
    """The columns are chosen on the training part of each fold."""
    rng = np.random.default_rng(5)
    for signal in (0.0, 1.5, 0.6):
        y = rng.permutation(np.arange(30) % 2)
        X = rng.normal(size=(30, 200))
        X[:, 7] += signal * y
        folds = list(StratifiedKFold(5).split(X, y))
        value, right = number(call(answer, X.copy(), y.copy(), 6, folds)), _honest(X, y, 6, folds)
        expect(0 <= value <= 1, f"an accuracy lies between 0 and 1, yours is {value:g}: divide by the number of rows.")
        expect(close(value, right) or not close(value, _leaking(X, y, 6, folds)),
               "the columns are still chosen with the labels of the test rows.")  # fmt: skip
        expect(close(value, right) or not close(value, _on_the_test_part(X, y, 6, folds)),
               "you choose on the test part; choose on the part that is trained on.")  # fmt: skip
        if not close(value, right):
            raise Unknown(f"choosing on each fold's training part gives {right:.3f}, yours {value:.3f}.")
