"""Graders of chapter 7, class imbalance."""

from functools import partial

import numpy as np

from mlcore.class_imbalance import SMOTE, BorderlineSMOTE, RandomOverSampler
from mlcore.classroom.exercises import Unknown, answer, array, call, close, exercise, expect, number
from mlcore.decision_trees import DecisionTreeClassifier

answer(
    "7.1",
    hint="Of 100,000 people, how many are sick and called positive, and how many healthy and called positive?",
    step="All who are called positive are the sick that are found and the healthy that are alarmed. Divide the first "
    "by the sum of both.",
    right=99 / (99 + 1998),  # π recall / (π recall + (1 - π)(1 - specificity))
    digits=3,
    mistakes={
        "that is in per cent; give the probability, between 0 and 1.": 9900 / 2097,
        "a probability lies between 0 and 1.": lambda p: not 0 <= p <= 1,
        "that is the specificity: how many of the healthy are called negative.": 0.98,
        "that is the recall: how many of the sick are called positive. The question goes the other way.": 0.99,
        "that is what you knew before the test.": 0.001,
        "that is the share of the healthy who are called positive.": 0.02,
        "that is the share who are sick and called positive; divide by all called so.": 0.00099,
    },
    also_right=[0.047, 0.0472], also_wrong=[4.72, 0.9802, 0.05],
)  # fmt: skip

answer(
    "7.2",
    hint="How often does the cascade throw negatives away between its T stages, and how many are to be left at the "
    "last one?",
    step="Each removal leaves the share f; after T - 1 of them as many negatives as positives are left. Write that "
    "as an equation for f.",
    right=np.sqrt(60 / 6000),
    mistakes={
        "that is the exponent T - 1: no negative would be left.": 0.01**2,
        "that would do all in one removal; there are T - 1 = 2.": 0.01,
        "there are T - 1 removals between T stages, not T.": 0.01 ** (1 / 3),
        "f is the share that stays, below 1.": lambda f: not 0 < f < 1,
    },
    also_wrong=[10, -0.1],
)  # fmt: skip


def _new_row(X, k, rng, base=lambda rng, n: rng.integers(n), ranks=None, share=lambda rng: rng.random()):
    """A row between one of X and a neighbour; by default as it should be."""
    i = base(rng, len(X))
    near = np.argsort(np.linalg.norm(X - X[i], axis=1), kind="stable")[ranks or slice(1, k + 1)]
    return X[i] + share(rng) * (X[rng.choice(near)] - X[i])


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
    return np.where((np.abs(u - 0.5) <= 0.5 + 1e-6) & (off <= 1e-6 * np.abs(step).max()), u, np.nan)


@exercise(
    "7.3",
    hint="Three things are drawn: a row, one of its k nearest others, and how far to go.",
    step="argsort of the distances to X[i] begins with i itself; the next k are its neighbours. Then X[i] + u "
    "(neighbour - X[i]), with u = rng.random().",
    wrong=[
        *(partial(_new_row, ranks=ranks) for ranks in (
            slice(1, None), slice(0, 3), slice(1, 2), slice(3, 4), slice(1, 3), slice(1, 4),
        )),
        *(partial(_new_row, share=share) for share in (
            lambda rng: rng.random(2), lambda rng: 0.0, lambda rng: 0.5, lambda rng: 2 * rng.random(),
            lambda rng: rng.uniform(0.5, 1), lambda rng: rng.uniform(0, 0.5), lambda rng: rng.uniform(0, 0.85),
            lambda rng: rng.choice([0.1, 0.9]),
        )),
        partial(_new_row, base=lambda rng, n: 0), partial(_new_row, base=lambda rng, n: rng.integers(n - 2)),
        lambda X, k, rng: _new_row(X, k, np.random.default_rng()), 0.5,
    ],
    right=[_new_row, _from_the_other_end, lambda *given: np.float32(_new_row(*given))[:, np.newaxis]],
)  # fmt: skip
def smote_row(answer):
    """x + u (x̂ - x), with x, x̂ and u drawn at random."""
    n_rows, n_calls = 12, 1200
    for outwards, k in ((True, 3), (False, 2)):
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


answer(
    "7.4",
    hint="Odds are easier than probabilities. Which factor leads from the balanced sample back to the world?",
    step="Turn p' into odds, p'/(1 - p'). Multiply by the odds of the world, 1 to 49, and turn the result into a "
    "probability.",
    right=4 / (4 + 49), digits=3,
    mistakes={
        "that is the answer in the balanced world.": 0.8,
        "that is the share of positives, without looking at the row.": 0.02,
        "those are the odds; the probability is odds / (1 + odds).": 4 / 49,
        "one in 50 positive are the odds 1 to 49, and odds are no probability.": 4 / 50,
        "probabilities are not multiplied, odds are.": 0.8 * 0.02,
        "that is in per cent; give the probability, between 0 and 1.": 400 / 53,
        "a probability lies between 0 and 1.": lambda p: not 0 <= p <= 1,
        "positives are rarer in the world than in the sample, so p must be smaller than p'.": lambda p: p >= 0.9,
    },
    also_right=[0.075, 0.0755], also_wrong=[196 / 197, 0.995, 7.5],
)  # fmt: skip


def _halves(X, rng):
    order = rng.permutation(len(X))
    return order[: len(X) // 2], order[len(X) // 2 :]


def _recall(y, said):
    return np.mean(said[y == 1])


def _study(X, y, rng, sampler=None, learn_from_all=False, ask_training_rows=False, read=_recall):
    """Split, then oversample; by default the honest recall."""
    train, test = _halves(X, rng)
    seen = slice(None) if learn_from_all else train
    X_more, y_more = (sampler or RandomOverSampler(random_state=0)).fit_resample(X[seen], y[seen])
    X_test, y_test = (X_more, y_more) if ask_training_rows else (X[test], y[test])
    return read(y_test, DecisionTreeClassifier().fit(X_more, y_more).predict(X_test))


def _split_late(X, y, rng, sampler):
    X, y = sampler.fit_resample(X, y)
    train, test = _halves(X, rng)
    return _recall(y[test], DecisionTreeClassifier().fit(X[train], y[train]).predict(X[test]))


def _by_hand(X, y, rng):
    train, test = _halves(X, rng)
    few, many = train[y[train] == 1], train[y[train] == 0]
    rows = np.concatenate([many, rng.choice(few, len(many))])
    return _recall(y[test], DecisionTreeClassifier().fit(X[rows], y[rows]).predict(X[test]))


_accuracy = partial(_study, read=lambda y, said: np.mean(said == y))
_called_positive = partial(_study, read=lambda y, said: np.mean(said))
_precision = partial(_study, read=lambda y, said: np.mean(y[said == 1]))


@exercise(
    "7.5",
    hint="Where can the copies of one row end up, when the table is oversampled before it is split?",
    step="Shuffle and split first; then oversample the training half only.",
    wrong=[
        partial(_split_late, sampler=RandomOverSampler(random_state=0)),
        partial(_split_late, sampler=SMOTE(random_state=0)),
        partial(_study, ask_training_rows=True), partial(_study, learn_from_all=True),
        _accuracy, _called_positive, _precision, lambda X, y, rng: _study(X, y, np.random.default_rng(0)),
        partial(_study, read=lambda y, said: np.sum(said[y == 1])), 0.1,
    ],
    right=[
        _study, _by_hand, partial(_study, sampler=RandomOverSampler(random_state=1)),
        lambda X, y, rng: _study(X, y, rng, RandomOverSampler(random_state=rng)),
        partial(_study, sampler=SMOTE(random_state=0)),
        partial(_study, sampler=BorderlineSMOTE(kind=2, random_state=0)),
    ],
)  # fmt: skip
def split_before_resampling(answer):
    """No row may be on both sides, as a copy or otherwise; how the training half is oversampled is free."""
    studies = [_study, _accuracy, _called_positive, _precision]
    results = []
    numbers = np.arange(1, 301)
    for seed in range(12):
        data = np.random.default_rng(750 + seed)
        X = data.normal(size=(600, 4))
        y = (X[:, 0] + 0.7 * data.normal(size=600) > np.where(np.arange(600) % 2, 1.2, 3.0)).astype(int)
        found = number(call(answer, X, y, np.random.default_rng(seed)))
        counted = np.abs(found * numbers - np.rint(found * numbers)).min() < 1e-4 and 0 <= found <= 1
        expect(counted, f"a recall is so many of so many, no {found:.4f}: count positives of the test half.")
        results.append([found, *(study(X, y, np.random.default_rng(seed)) for study in studies)])
    mean, right, accuracy, called, _ = np.mean(results, axis=0)
    found, *_, precision = np.transpose(results)
    expect(not close(mean, accuracy, rtol=0.02), "that is the accuracy; return the recall of the positives.")
    expect(mean < right + 0.25, "still too good: some row, or a copy of it, is on both sides.")
    expect(not close(mean, called, rtol=0.1), "that is the share of all test rows called positive.")
    expect(not close(found, precision), "that is the precision, of all called positive; recall is of all positives.")
    if mean < right - 0.08:  # SMOTE finds more than repeated rows do: up to 0.15 above
        raise Unknown(f"over twelve data sets the recall is about {right:.2f} on average, yours gives {mean:.2f}.")
    again = {number(call(answer, X, y, np.random.default_rng(seed))) for seed in range(4)}
    expect(len(again) > 1, "with another rng the same rows are trained on: shuffle them with the rng that is given.")
