"""The exercises of chapter 11: feature selection."""

import itertools
import math

import numpy as np

from mlcore.classroom.exercises import Wrong, answer, expect, implement
from mlcore.feature_selection import covariance_score
from mlcore.model_selection import StratifiedKFold

answer(
    "11.1",
    hint="How many sets does each round try? Each of them is trained once for each fold.",
    step="The first round tries 12 sets, each later one a set less, until 4 features are chosen. Add the rounds up, "
    "times the number of folds.",
    right=(12 + 11 + 10 + 9) * 10,
    mistakes={
        "that many sets are tried; each is trained once for every fold.": 12 + 11 + 10 + 9,
        "a feature that was chosen is not tried again: the rounds get shorter.": 4 * 12 * 10,
        "that is for all 12 features; the search ends with 4.": 78 * 10,
        "forward search does not try all sets of 4; it adds one feature at a time.": math.comb(12, 4) * 10,
    },
    also_wrong=[480 * 12, 210, 2**12 * 10, 40],
)  # fmt: skip

_NATS = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)

answer(
    "11.2",
    hint="In which cells is p(x, y) larger than the product of its margins, and by which factor?",
    step="Sum p(x, y) ln(p(x, y) / (p(x) p(y))) over the four cells; every product of margins is 1/4.",
    right=_NATS, digits=3,
    mistakes={
        "that is in bits: the natural logarithm gives nats.": _NATS / math.log(2),
        "the sign is turned round: p(x, y) stands above the line.": -_NATS,
        "that is what is still unknown, H(y | x). Subtract it from H(y).": math.log(2) - _NATS,
        "that is H(y), all there is to know.": math.log(2),
    },
    also_right=[0.131, 0.1308], also_wrong=[0.0, 0.25],
)  # fmt: skip


def _best(score, d, k):
    return list(max(itertools.combinations(range(d), k), key=lambda F: score(list(F))))


def _forward(score, d, k):
    F = []
    while len(F) < k:
        F.append(max((j for j in range(d) if j not in F), key=lambda j: score(sorted([*F, j]))))
    return sorted(F)


def _up_to_k(score, d, k):
    every = [list(F) for size in range(1, k + 1) for F in itertools.combinations(range(d), size)]
    return max(every, key=score)


def _by_a_loop(score, d, k):
    best, most = None, -math.inf
    for F in itertools.combinations(range(d), k):
        value = score(list(F))
        if value > most:
            best, most = F, value
    return np.array(best)


def _scores(_):
    rng = np.random.default_rng(11)
    for trial, (d, k) in enumerate([(4, 2), (5, 3), (6, 2), (5, 1), (4, 4), (6, 3)] * 3):
        worth = {F: rng.normal() for r in range(1, d + 1) for F in itertools.combinations(range(d), r)}
        if trial >= 12:
            worth = {F: round(value) for F, value in worth.items()}  # many are equal
        yield lambda F, worth=worth: worth[tuple(sorted(F))], d, k


def _what_the_set_misses(found, wanted, score, d, k):
    expect(found.shape == (k,), f"a set of exactly {k} features is asked for, yours has the shape {found.shape}.")
    named = set(found.tolist()) <= set(range(d))
    expect(named, f"features are numbered from 0 to {d - 1}, yours are {found.tolist()}.")
    found = found.astype(int).tolist()
    expect(len(set(found)) == k, f"a set has each feature once, yours is {found}.")
    expect(found == sorted(found), "return the features in increasing order.")
    expect(score(found) >= score(wanted), f"{wanted} has a larger score than your {found}.")
    raise Wrong(f"{wanted} and {found} are equally good: return the one that comes first.")


implement(
    "11.3",
    hint="Something in itertools lists all sets of k features. Which of them is the best by `score`?",
    step="itertools.combinations(range(d), k) lists the sets in order; max(..., key=...) takes the first of the "
    "best. `score` wants a list.",
    right=_best, any_length=True, cases=_scores, otherwise=_what_the_set_misses, also_right=[_by_a_loop],
    also_wrong=[
        _forward, _up_to_k, lambda score, d, k: sorted(sorted(range(d), key=lambda j: -score([j]))[:k]),
        lambda score, d, k: _best(lambda F: -score(F), d, k),
        lambda score, d, k: list(max(reversed(list(itertools.combinations(range(d), k))), key=score)),
        lambda score, d, k: list(range(k)), lambda score, d, k: [0] * k,
        *(lambda score, d, k, more=more: [j + more for j in _best(score, d, k)] for more in (1, 0.5, -9)),
    ],
)  # fmt: skip

answer(
    "11.4",
    hint="(11.3) says how much information chance shows. Which of its letters is asked for?",
    step="Set (r - 1)(c - 1) / (2n) equal to 0.01, with r = 20 and c = 2, and solve for n.",
    right=19 * 1 / (2 * 0.01),
    mistakes={
        "each of r and c counts one less: (r - 1)(c - 1).": 20 * 2 / (2 * 0.01),
        "(r - 1)(c - 1) = 19, not 20.": 20 / (2 * 0.01),
        "the 2 in 2n is missing.": 19 / 0.01,
    },
    also_wrong=[475, 19, 9.5],
)  # fmt: skip


def _nearer(X_train, y_train, X_test):
    means = np.array([X_train[y_train == c].mean(axis=0) for c in (0, 1)])
    return ((X_test[:, np.newaxis] - means) ** 2).sum(axis=2).argmin(axis=1)


def _accuracy(X, y, k, folds, scores=lambda X, y, train, test: covariance_score(X[train], y[train])):
    right = 0
    for train, test in folds:
        F = np.argsort(-scores(X, y, train, test), kind="stable")[:k]
        right += np.sum(_nearer(X[train][:, F], y[train], X[test][:, F]) == y[test])
    return right / len(y)


def _noise(_):
    rng = np.random.default_rng(5)
    for signal, k in ((0.0, 6), (1.5, 3), (0.6, 10)):
        y = rng.permutation(np.arange(30) % 2)
        X = rng.normal(size=(30, 200))
        X[:, 7] += signal * y
        yield X * rng.uniform(0.5, 2, size=200), y, k, list(StratifiedKFold(5).split(X, y))


def _what_the_accuracy_misses(value, wanted, *case):
    expect(0 <= value <= 1, f"an accuracy lies between 0 and 1, yours is {value:g}: divide by the number of rows.")
    return f"choosing on each fold's training part gives {wanted:.3f}, yours {value:.3f}."


implement(
    "11.5",
    hint="Which rows may decide about the columns that the rows of test are then judged by?",
    step="Move one line into the loop, and give it the rows of `train` only.",
    right=_accuracy, cases=_noise,
    mistakes={
        "the columns are still chosen with the labels of the test rows.":
            {"scores": lambda X, y, train, test: covariance_score(X, y)},
        "you choose on the test part; choose on the part that is trained on.":
            {"scores": lambda X, y, train, test: covariance_score(X[test], y[test])},
        "you choose by correlation, which is no bug; but keep `covariance_score`, as above.":
            {"scores": lambda X, y, train, test: covariance_score(X[train], y[train]) / X[train].std(axis=0)},
    },
    otherwise=_what_the_accuracy_misses,
    also_right=[lambda X, y, k, folds: np.mean([_accuracy(X, y, k, [fold]) * len(y) / len(fold[1]) for fold in folds])],
    also_wrong=[
        {"scores": lambda X, y, train, test: -np.arange(X.shape[1], dtype=float)},
        {"scores": lambda X, y, train, test: -covariance_score(X[train], y[train])},
        lambda *case: 0.5, lambda X, y, k, folds: _accuracy(X, y, k, folds) * len(y),
    ],
)  # fmt: skip
