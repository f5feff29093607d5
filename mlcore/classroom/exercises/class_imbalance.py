"""Graders of chapter 7, class imbalance."""

import numpy as np

from mlcore.class_imbalance import SMOTE, BorderlineSMOTE, RandomOverSampler
from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number
from mlcore.decision_trees import DecisionTreeClassifier


@exercise(
    "7.1",
    hint="Of 100,000 people, how many are sick and called positive, and how many healthy and called positive?",
    step="All who are called positive are the sick that are found and the healthy that are alarmed. Divide the first "
    "by the sum of both.",
    wrong=[0.99, 0.98, 0.001, 0.02, 0.00099, 4.72, 0.9802, 0.05],
    right=[0.047, 0.0472, 99 / 2097, [0.04721]],
)  # fmt: skip
def cancer_test(answer):
    """π recall / (π recall + (1 - π)(1 - specificity)) = 4.7 %."""
    value = number(answer)
    expect(not close(value, 4.7, rtol=0.02), "that is in per cent; give the probability, between 0 and 1.")
    expect(0 <= value <= 1, "a probability lies between 0 and 1.")
    expect(
        not close(value, 0.99),
        "that is the recall: how many of the sick are called positive. The question goes the other way.",
    )
    expect(not close(value, 0.98), "that is the specificity: how many of the healthy are called negative.")
    expect(not close(value, 0.001), "that is what you knew before the test.")
    expect(not close(value, 0.02), "that is the share of the healthy who are called positive.")
    expect(not close(value, 0.00099), "that is the share who are sick and called positive; divide by all called so.")
    expect(close(value, 0.00099 / 0.02097, rtol=1e-2))


@exercise(
    "7.2",
    hint="How often does the cascade throw negatives away between its T stages, and how many are to be left at the "
    "last one?",
    step="Each removal leaves the share f; after T - 1 of them as many negatives as positives are left. Write that "
    "as an equation for f.",
    wrong=[0.01**2, 0.01, 0.01 ** (1 / 3), 10, 1e-4],
    right=[1 / 10, np.sqrt(0.01), np.array([0.1])],
)  # fmt: skip
def cascade_rate(answer):
    """(60 / 6000)^(1/2) = 0.1."""
    value = number(answer)
    expect(not close(value, 1e-4), "that is the exponent T - 1 of the notes: no negative would be left.")
    expect(not close(value, 0.01), "that would do all in one removal; there are T - 1 = 2.")
    expect(not close(value, 0.01 ** (1 / 3)), "there are T - 1 removals between T stages, not T.")
    expect(0 < value < 1, "f is the share that stays, below 1.")
    expect(close(value, 0.1))


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


def _rest_of_the_box(X, k, rng, low, high):
    """As right as can be, but for the range of u."""
    i = rng.integers(len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return X[i] + rng.uniform(low, high) * (X[rng.choice(near)] - X[i])


def _outer_half(X, k, rng):
    return _rest_of_the_box(X, k, rng, 0.5, 1.0)


def _inner_half(X, k, rng):
    return _rest_of_the_box(X, k, rng, 0.0, 0.5)


def _not_to_the_end(X, k, rng):
    return _rest_of_the_box(X, k, rng, 0.0, 0.85)


def _two_places(X, k, rng):
    share = rng.choice([0.1, 0.9])
    return _rest_of_the_box(X, k, rng, share, share)


def _last_neighbour_only(X, k, rng):
    i = rng.integers(len(X))
    return X[i] + rng.random() * (X[np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[k]] - X[i])


def _one_neighbour_short(X, k, rng):
    return _right_row(X, k - 1, rng)


def _two_rows_never(X, k, rng):
    i = rng.integers(len(X) - 2)
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[1 : k + 1]
    return X[i] + rng.random() * (X[rng.choice(near)] - X[i])


def _other_dice(X, k, rng):
    return _right_row(X, k, np.random.default_rng())


def _from_the_other_end(X, k, rng):
    """Right: (1 - u) x + u x̂ with u and 1 - u in each other's place, and the row by a permutation."""
    i, u = rng.permutation(len(X))[0], rng.uniform()
    distances = np.sum((X - X[i]) ** 2, axis=1)
    distances[i] = np.inf
    j = rng.permutation(np.argsort(distances)[:k])[0]
    return (u * X[i] + (1 - u) * X[j]).reshape(1, -1)


def _spiral(n, outwards):
    """Rows on a spiral, each three times as far from the middle as the one before: its neighbours are those before it.

    From the fifth on no row is a neighbour of its own neighbours, so that a point between two tells which was x.
    """
    turns = np.arange(n)
    X = 3.0 ** turns[:, np.newaxis] * np.column_stack([np.cos(2.0 * turns), np.sin(2.0 * turns)])
    return X if outwards else X[::-1]


def _ways(X, k):
    """The pairs (i, j) of a row and one of its k neighbours, with the rank of j, 1 to k; mutual neighbours left out."""
    near = [np.argsort(np.linalg.norm(X - x, axis=1), kind="stable")[: k + 1].tolist() for x in X]
    return [(i, j, near[i].index(j)) for i in range(len(X)) for j in near[i][1:] if i not in near[j]], near


def _places(rows, X, i, j):
    """How far along the way from i to j each row lies; NaN where it does not lie on it."""
    step = X[j] - X[i]
    u = (rows - X[i]) @ step / (step @ step)
    off = np.abs(X[i] + u[:, np.newaxis] * step - rows).max(axis=1)
    return np.where((np.abs(u - 0.5) <= 0.5 + 1e-9) & (off <= 1e-9 * np.abs(step).max()), u, np.nan)


@exercise(
    "7.3",
    hint="Three things are drawn: a row, one of its k nearest others, and how far to go.",
    step="argsort of the distances to X[i] begins with i itself; the next k are its neighbours. Then X[i] + u "
    "(neighbour - X[i]), with u = rng.random().",
    wrong=[_any_pair, _with_itself, _box, _repeat, _middle, _nearest_only, _beyond, _first_row, 0.5, _outer_half,
           _inner_half, _not_to_the_end, _two_places, _last_neighbour_only, _one_neighbour_short, _two_rows_never,
           _other_dice],
    right=[_right_row, _from_the_other_end],
)  # fmt: skip
def smote_row(answer):
    """x + u (x̂ - x), with x, x̂ and u drawn at random."""
    k, n_rows, n_calls = 3, 12, 1200
    for outwards in (True, False):
        X, rng = _spiral(n_rows, outwards), np.random.default_rng(7)
        rows = np.array([_one_row(call(answer, X, k, rng), 2) for _ in range(n_calls)])
        again = _one_row(call(answer, X, k, np.random.default_rng(7)), 2)
        ways, near = _ways(X, k)
        old = np.array([(np.abs(rows - x).sum(axis=1) < 1e-9) for x in X]).any(axis=0)
        expect(not old.all(), "these are rows that were there already: go a part of the way to a neighbour.")
        expect(not old.any(), "some new rows are old ones: a row is not its own neighbour, argsort begins with it.")
        anywhere = [_places(rows, X, i, j) for i in range(n_rows) for j in near[i][1:]]
        lost = np.isnan(anywhere).all(axis=0)
        expect(not lost.any(), "some rows do not lie between a row and one of its k nearest others.")
        places = [_places(rows, X, i, j) for i, j, _ in ways]
        way, row = np.nonzero(~np.isnan(places))
        bases, ranks = np.array(ways)[way, 0], np.array(ways)[way, 2]
        shares = np.array(places)[way, row]
        _expect_even_draws(bases, ranks, shares, sorted({i for i, _, _ in ways}), k, n_calls // n_rows)
        expect(np.array_equal(again, rows[0]), "draw from rng: with the same rng the same row must come.")


def _one_row(answer, width):
    """A row, also as a table of one row."""
    value = array(answer)
    expect(value.size == width, f"one row of {width} numbers is asked for, yours has the shape {value.shape}.")
    return value.ravel()


def _expect_even_draws(bases, ranks, shares, rows, k, expected):
    """Each row serves about equally often, each neighbour too, and u is uniform."""
    rare = [i for i in rows if np.sum(bases == i) < expected / 2]
    expect(len(rare) < len(rows), "draw the row x as well; yours begins at few of them.")
    expect(not rare, f"some rows hardly ever serve as x (row {rare[0] if rare else 0} of 12): draw from all of them.")
    often = np.array([np.mean(ranks == rank) for rank in range(1, k + 1)])
    expect(not often[0] > 0.9, "only the nearest neighbour is used: draw one of the k.")
    expect(not often[-1] > 0.9, "only the k-th neighbour is used: draw one of the k.")
    expect(often[-1] > 0.02, "the k-th neighbour is never used: a slice [a:b] ends before b.")
    expect(often.min() > 0.25, "some of the k neighbours are drawn far less often than the others.")
    expect(np.ptp(shares) > 0.1, "every row lies halfway: draw how far to go.")
    tenths = np.histogram(shares, bins=10, range=(0, 1))[0] / len(shares)
    expect(tenths[:5].sum() > 0.02 and tenths[5:].sum() > 0.02, "u covers half of the way only: draw it from 0 to 1.")
    expect(tenths.min() > 0.04, "u should be uniform between 0 and 1; yours leaves out a part of the way.")


@exercise(
    "7.4",
    hint="Odds are easier than probabilities. Which factor leads from the balanced sample back to the world?",
    step="Turn p' into odds, p'/(1 - p'). Multiply by the odds of the world, 1 to 49, and turn the result into a "
    "probability.",
    wrong=[0.8, 0.02, 4 / 50, 0.016, 4 / 49, 196 / 197, 0.995, 7.5],
    right=[0.075, 0.0755, 4 / 53],
)
def back_to_the_world(answer):
    """4 / 49 as odds, 4 / 53 as a probability."""
    value = number(answer)
    expect(not close(value, 0.8), "that is the answer in the balanced world.")
    expect(not close(value, 0.02), "that is the share of positives, without looking at the row.")
    expect(not close(value, 4 / 49), "those are the odds; the probability is odds / (1 + odds).")
    expect(not close(value, 4 / 50), "one in 50 positive are the odds 1 to 49, and odds are no probability.")
    expect(not close(value, 0.016), "probabilities are not multiplied, odds are.")
    expect(not close(value, 400 / 53, rtol=0.02), "that is in per cent; give the probability, between 0 and 1.")
    expect(value < 0.9, "positives are rarer in the world than in the sample, so p must be smaller than p'.")
    expect(close(value, 4 / 53, rtol=1e-2))


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


def _by_hand(X, y, rng):
    train, test = _halves(X, y, rng)
    few, many = train[y[train] == 1], train[y[train] == 0]
    rows = np.concatenate([many, rng.choice(few, len(many))])
    return np.mean(DecisionTreeClassifier().fit(X[rows], y[rows]).predict(X[test])[y[test] == 1])


def _other_seed(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=1).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


def _same_generator(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=rng).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


def _with_smote(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = SMOTE(random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


def _at_the_border(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = BorderlineSMOTE(kind=2, random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])[y[test] == 1])


def _smote_before_the_split(X, y, rng):
    X_more, y_more = SMOTE(random_state=0).fit_resample(X, y)
    train, test = _halves(X_more, y_more, rng)
    model = DecisionTreeClassifier().fit(X_more[train], y_more[train])
    return np.mean(model.predict(X_more[test])[y_more[test] == 1])


def _of_all_test_rows(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X[train], y[train])
    return np.mean(DecisionTreeClassifier().fit(X_more, y_more).predict(X[test]))


def _precision(X, y, rng):
    train, test = _halves(X, y, rng)
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X[train], y[train])
    called = DecisionTreeClassifier().fit(X_more, y_more).predict(X[test])
    return np.mean(y[test][called == 1])


@exercise(
    "7.5",
    hint="Where can the copies of one row end up, when the table is oversampled before it is split?",
    step="Shuffle and split first; then oversample the training half only.",
    wrong=[_buggy, _on_training_rows, _accuracy, _trained_on_all, _of_all_test_rows, _precision,
           _smote_before_the_split, 0.1],
    right=[_honest, _by_hand, _other_seed, _same_generator, _with_smote, _at_the_border],
)  # fmt: skip
def split_before_resampling(answer):
    """No row may be on both sides, as a copy or otherwise; how the training half is oversampled is free."""
    found, wanted, accuracies, precisions, called = [], [], [], [], []
    for seed in range(12):
        data = np.random.default_rng(750 + seed)
        X = data.normal(size=(600, 4))
        y = (X[:, 0] + 0.7 * data.normal(size=600) > np.where(np.arange(600) % 2, 1.2, 3.0)).astype(int)
        found.append(number(call(answer, X, y, np.random.default_rng(seed))))
        for values, study in ((wanted, _honest), (accuracies, _accuracy), (precisions, _precision),
                              (called, _of_all_test_rows)):  # fmt: skip
            values.append(study(X, y, np.random.default_rng(seed)))
    mean, right = np.mean(found), np.mean(wanted)
    expect(not close(mean, np.mean(accuracies), rtol=0.02), "that is the accuracy; return the recall of the positives.")
    expect(mean < right + 0.25, "still too good: some row, or a copy of it, is on both sides.")
    expect(not close(mean, np.mean(called), rtol=0.1), "that is the share of all test rows called positive.")
    expect(not close(found, precisions), "that is the precision, of all called positive; recall is of all positives.")
    if mean < right - 0.08:  # SMOTE finds more than repeated rows do: up to 0.15 above
        raise Unknown(f"over twelve data sets the recall is about {right:.2f} on average, yours gives {mean:.2f}.")
