"""Graders of chapter 7, class imbalance."""

import numpy as np

from mlcore.class_imbalance import RandomOverSampler
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.exercises import Wrong, array, call, close, exercise, expect, number


@exercise("7.1", hint="Of 100 000 people, how many are sick and called, and how many are healthy and called?",
          wrong=[0.99, 0.98, 0.001, 0.02, 0.00099, 4.72, 0.9802])  # fmt: skip
def cancer_test(answer):
    """π recall / (π recall + (1 - π)(1 - specificity)) = 4.7 %."""
    value = number(answer)
    expect(not close(value, 4.7, rtol=0.02), "that is in per cent; give the probability, between 0 and 1.")
    expect(0 <= value <= 1, "a probability lies between 0 and 1.")
    expect(
        not close(value, 0.99), "that is the recall: how many of the sick are called. The question goes the other way."
    )
    expect(not close(value, 0.98), "that is the specificity: how many of the healthy are left alone.")
    expect(not close(value, 0.001), "that is what you knew before the test.")
    expect(not close(value, 0.02), "that is the share of the healthy who are called.")
    expect(not close(value, 0.00099), "that is the share of all people who are sick and called; divide by all called.")
    expect(close(value, 0.00099 / 0.02097, rtol=2e-3), "divide the share sick and called by the share of all called.")


@exercise("7.2", hint="After T - 1 = 2 removals 60 of the 6000 negatives must be left: 6000 f² = 60.",
          wrong=[0.01**2, 0.01, 0.01 ** (1 / 3), 10, 1e-4])  # fmt: skip
def cascade_rate(answer):
    """(60 / 6000)^(1/2) = 0.1."""
    value = number(answer)
    expect(not close(value, 1e-4), "that is the exponent T - 1 of the notes: no negative would be left.")
    expect(not close(value, 0.01), "that would do all in one removal; there are T - 1 = 2.")
    expect(not close(value, 0.01 ** (1 / 3)), "there are T - 1 removals between T stages, not T.")
    expect(0 < value < 1, "f is the share that stays, below 1.")
    expect(close(value, 0.1), "solve 6000 f^(T-1) = 60 for f.")


def _right_row(X, k, rng):
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return X[i] + rng.random() * (X[rng.choice(near)] - X[i])


def _any_pair(X, k, rng):
    a, b = X[rng.permutation(len(X))[:2]]
    return a + rng.random() * (b - a)


def _with_itself(X, k, rng):
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[:k]
    return X[i] + rng.random() * (X[rng.choice(near)] - X[i])


def _box(X, k, rng):
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return X[i] + rng.random(X.shape[1]) * (X[rng.choice(near)] - X[i])


def _repeat(X, k, rng):
    return X[rng.integers(len(X))]


def _middle(X, k, rng):
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return (X[i] + X[rng.choice(near)]) / 2


def _nearest_only(X, k, rng):
    return _right_row(X, 1, rng)


def _beyond(X, k, rng):
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return X[i] + 2 * rng.random() * (X[rng.choice(near)] - X[i])


def _first_row(X, k, rng):
    near = np.argsort(np.linalg.norm(X - X[0], axis=1), kind="stable")[1 : k + 1]
    return X[0] + rng.random() * (X[rng.choice(near)] - X[0])


def _places(row, X, k):
    """The pairs (x, one of its k neighbours) on whose segment a row lies, and how far along, as rows (i, j, u)."""
    found = []
    for i, x in enumerate(X):
        for j in np.argsort(np.linalg.norm(X - x, axis=1), kind="stable")[1 : k + 1]:
            step = X[j] - x
            u = (row - x) @ step / (step @ step)
            if -1e-9 <= u <= 1 + 1e-9 and np.allclose(x + u * step, row, atol=1e-9):
                found.append((i, j, u))
    return found


@exercise(
    "7.3", hint="argsort of the distances to X[i] begins with i itself; the next k are its neighbours.",
    wrong=[_any_pair, _with_itself, _box, _repeat, _middle, _nearest_only, _beyond, _first_row, 0.5],
)  # fmt: skip
def smote_row(answer):
    """x + u (x̂ - x), with x, x̂ and u drawn at random."""
    k, n_calls = 3, 400
    X = np.random.default_rng(73).normal(size=(12, 2))
    draw = np.random.default_rng(7)
    rows = [array(call(answer, X, k, draw), (2,)) for _ in range(n_calls)]
    places = [_places(row, X, k) for row in rows]
    on_rows = [np.abs(X - row).sum(axis=1).min() < 1e-9 for row in rows]
    expect(not all(on_rows), "these are rows that were there already: go a part of the way to a neighbour.")
    expect(not any(on_rows), "some new rows are old ones: no row is its own neighbour.")
    expect(all(places), "some rows do not lie between a row and one of its k nearest others.")
    along = np.array([place[0][2] for place in places])
    expect(np.ptp(along) > 0.1, "every row lies halfway: draw how far to go.")
    expect(len({place[0][0] for place in places}) > 8, "draw the row x as well; yours begins at few of them.")
    ranks = [np.argsort(np.linalg.norm(X - X[i], axis=1)).tolist().index(j) for ((i, j, _), *_) in places]
    expect(max(ranks) > 1, "only the nearest neighbour is used: draw one of the k.")
    if max(along.max(), 1 - along.min()) < 0.8:
        raise Wrong("the rows do not go all the way: u is uniform between 0 and 1.")


@exercise(
    "7.4",
    hint="Odds of 0.8 are 4. Multiply by the odds of the world, 1 to 49.",
    wrong=[0.8, 0.02, 4 / 50, 0.016, 4 / 49, 196 / 197, 0.995],
)
def back_to_the_world(answer):
    """4 / 49 as odds, 4 / 53 as a probability."""
    value = number(answer)
    expect(not close(value, 0.8), "that is the answer in the balanced world.")
    expect(not close(value, 0.02), "that is the share of positives, without looking at the row.")
    expect(not close(value, 4 / 49), "those are the odds; the probability is odds / (1 + odds).")
    expect(not close(value, 4 / 50), "one in 50 positive are the odds 1 to 49, and odds are no probability.")
    expect(not close(value, 0.016), "probabilities are not multiplied, odds are.")
    expect(value < 0.9, "positives are rarer in the world than in the sample, so p must be smaller than p'.")
    expect(close(value, 4 / 53, rtol=2e-3), "p/(1-p) = p'/(1-p') · (1/49); then p = odds / (1 + odds).")


def _buggy(X, y, rng):
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X, y)
    order = rng.permutation(len(X_more))
    train, test = order[: len(X_more) // 2], order[len(X_more) // 2 :]
    model = DecisionTreeClassifier().fit(X_more[train], y_more[train])
    return np.mean(model.predict(X_more[test])[y_more[test] == 1])


def _halves(X, y, rng):
    order = rng.permutation(len(X))
    return order[: len(X) // 2], order[len(X) // 2 :]


def _honest(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


def _on_training_rows(X, y, rng):
    train, _ = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X_more)[y_more == 1])


def _accuracy(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test]) == y[test])


def _trained_on_all(X, y, rng):
    _, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X, y)
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


@exercise(
    "7.5", hint="Shuffle and split first; then oversample the training half only.",
    wrong=[_buggy, _on_training_rows, _accuracy, _trained_on_all, 0.1],
)  # fmt: skip
def split_before_resampling(answer):
    """No row may be on both sides, as a copy or otherwise."""
    for seed in range(4):
        data = np.random.default_rng(750 + seed)
        X, y = data.normal(size=(500, 4)), (np.arange(500) % 8 == 0).astype(int)
        y = np.where((X[:, 0] > 1) & (data.random(500) < 0.5), 1, y)
        value = number(call(answer, X, y, np.random.default_rng(seed)))
        right = _honest(X, y, np.random.default_rng(seed))
        if close(value, right):
            continue
        expect(value < 0.85, "still too good: some row, or a copy of it, is on both sides.")
        expect(
            not close(value, _accuracy(X, y, np.random.default_rng(seed))), "that is the accuracy; return the recall."
        )
        raise Wrong(
            f"it should be {right:.3f}, yours gives {value:.3f}. Call rng.permutation(len(X)) once, first half trains."
        )
