"""The exercises of chapter 8: evaluation and model selection."""

import math
from functools import partial

import numpy as np

from mlcore.classroom.exercises import Wrong, answer, array, call, close, exercise, expect, implement, number

answer(
    "8.1",
    hint="How many rows does each model learn from? The rest is in the line above (8.3).",
    step="With three folds each model learns from two thirds of the 12 rows, t of them. Put that t into σ²(1 + 1/t).",
    right=4 * (1 + 3 / 24),  # σ²(1 + k/((k-1)m))
    mistakes={
        "that is the error after all 12 rows. A fold's model learns from fewer.": 4 * (1 + 1 / 12),
        "that is the training error. The rows of a fold have not been seen.": 4 * (1 - 1 / 12),
        "σ is 2; the squared error goes with σ².": 2 * (1 + 1 / 8),
        "that is the noise alone. The mean that predicts is uncertain too.": 4.0,
        "that is the variance of the predicted mean; the new row has its own noise too.": 0.5,
        "that is 1 + 1/4: four rows are held out, and the others teach.": 4 * (1 + 1 / 4),
    },
    also_wrong=[4 * (1 + 3 / 12)],
)  # fmt: skip


def _by_dealing(y, k):
    f = np.empty(len(y), dtype=int)
    f[np.argsort(y, kind="stable")] = np.arange(len(y)) % k
    return f


def _within_classes(y, f):
    for label in np.unique(y):
        f[y == label] = np.sort(f[y == label])
    return f


def _each_class_from_fold_0(y, k):
    """Balanced within each class, but every class begins with fold 0: the first folds grow too large."""
    return np.array([np.sum(y[:i] == label) % k for i, label in enumerate(y)])


@exercise(
    "8.2",
    hint="If the rows were sorted by class, how would you deal them to the folds, one after the other?",
    step="Sort the rows by class (argsort), deal 0, 1, ..., k - 1, 0, 1, ... to them in that order, and put the "
    "numbers back to the rows they belong to.",
    wrong=[
        lambda y, k: np.arange(len(y)) % k,
        lambda y, k: np.sort(np.arange(len(y)) % k),
        _each_class_from_fold_0,
        lambda y, k: _by_dealing(y, k) + 1,
        lambda y, k: np.argsort(y, kind="stable") % k,  # not put back
        3,
    ],
    right=[
        _by_dealing, lambda y, k: _within_classes(y, _by_dealing(y, k)), lambda y, k: _by_dealing(y, k).tolist(),
        lambda y, k: _by_dealing(y, k)[:, np.newaxis],
    ],
)  # fmt: skip
def stratified_folds(answer):
    """Class counts and sizes of the folds differ by at most one."""
    rng = np.random.default_rng(82)
    cases = [(np.repeat([0, 1], (5, 7)), 4), (np.repeat(["x", "y", "z"], (7, 7, 7)), 3), (np.repeat([3, 9], 10), 5)]
    cases += [(rng.choice(["b", "c", "a"], size=size, p=(0.2, 0.3, 0.5)), k) for size, k in ((31, 4), (23, 5), (40, 7))]
    for y, k in [(rng.permutation(y), k) for y, k in cases]:
        f = array(call(answer, y, k), (len(y),))
        named = f"the folds are numbered 0 to {k - 1}; yours go from {f.min():g} to {f.max():g}."
        expect(set(f.tolist()) <= set(range(k)), named)
        f = f.astype(int)
        for label in np.unique(y).tolist():
            counts = np.bincount(f[y == label], minlength=k)
            if np.ptp(counts) > 1:
                raise Wrong(f"for k = {k} class {label!r} has {counts.tolist()} rows in the folds; one apart at most.")
        sizes = np.bincount(f, minlength=k)
        expect(
            np.ptp(sizes) <= 1,
            f"each class is dealt evenly, but the folds have {sizes.tolist()} rows: let the next class go on where the "
            "last one stopped.",
        )


def _left_out(x, y, read=lambda e, h, m: e / (1 - h)):
    z = x - x.mean()
    return read(y - y.mean() - z * (z @ y) / (z @ z), 1 / len(x) + z**2 / (z @ z), len(x))


def _by_brute_force(x, y):
    rest = [np.arange(len(x)) != i for i in range(len(x))]
    return np.array([y[i] - np.polyval(np.polyfit(x[r], y[r], 1), x[i]) for i, r in enumerate(rest)])


def _scattered(rng):
    for m, shift in ((6, 0.0), (15, 3.0), (40, -20.0)):
        x = rng.normal(size=m) * 2 + shift
        yield x, 0.7 * x + rng.normal(size=m) + 5


implement(
    "8.3",
    hint="(8.5) needs the residual and the leverage of each row, both from one fit.",
    step="Fit the line once; its residuals e; then h from (8.4), with the 1/m of the intercept; then (8.5).",
    right=_left_out, cases=_scattered,
    mistakes={
        "these are the residuals of the fit to all rows.": {"read": lambda e, h, m: e},
        "the leverage lacks the 1/m that belongs to the intercept.": {"read": lambda e, h, m: e / (1 - h + 1 / m)},
        "left out, a row is predicted worse: divide by 1 - h.": {"read": lambda e, h, m: e * (1 - h)},
        "these are the squares; the residuals themselves are asked for.": {"read": lambda e, h, m: (e / (1 - h)) ** 2},
        "the sign is turned: target minus prediction.": {"read": lambda e, h, m: e / (h - 1)},
        "divide by 1 - h, not by h.": {"read": lambda e, h, m: e / h},
    },
    also_right=[_by_brute_force],
    also_wrong=[lambda x, y: _left_out(x, y, lambda e, h, m: e / (1 - 1 / m - x**2 / (x @ x))), np.ones(3)],
)  # fmt: skip


def _winner(M, n):
    logs = [math.lgamma(n + 1) - math.lgamma(t + 1) - math.lgamma(n - t + 1) - n * math.log(2) for t in range(n)]
    return float(np.mean(1 - np.minimum(np.cumsum(np.exp(logs)), 1.0) ** M))


@exercise(
    "8.4",
    hint="The more rows, the less the best of the coins stands out. Search with winner(200, n).",
    step="Print winner(200, n) for n = 100, 200, 400, 800. Between which two does it fall below 0.55? Go on there "
    "in tens.",
    wrong=[100, 385, 400, 1000, 3000, 50, 200, 740, 765, 752.5], right=[760, 750, 753, 745],
)  # fmt: skip
def rows_against_200_coins(answer):
    """The least n with an expected winner below 0.55, to within ten."""
    value = number(answer)
    expect(value >= 1 and value == int(value), "a number of rows is asked for, a whole number.")
    expect(value <= 20000, "far fewer are enough.")
    expect(not 380 <= value <= 400, "that keeps one coin within 0.05, 95 times of 100. The best of 200 goes farther.")
    said = f"with {value:g} rows the winner is expected at {_winner(200, int(value)):.4f}"
    expect(_winner(200, int(value) + 10) < 0.55, f"{said}: that is too high, with ten rows more, too.")
    expect(_winner(200, max(int(value) - 10, 1)) >= 0.55, f"{said}, but ten fewer will do: the least n is asked for.")


def _shuffled(n, k, rng):
    return np.array_split(rng.permutation(n), k)


def _all_in_folds(fit, X, y, k, rng, cut=_shuffled, all_seen=False, of_folds=False):
    """The share right of all rows; or, wrongly, by models that have seen them, or the mean over the folds."""
    rows, folds = np.arange(len(X)), cut(len(X), k, rng)
    teach = [rows if all_seen else np.setdiff1d(rows, test) for test in folds]
    shares = [np.mean(fit(X[train], y[train])(X[test]) == y[test]) for train, test in zip(teach, folds)]
    return np.average(shares, weights=None if of_folds else [len(test) for test in folds])


def _learns_once_from_all(fit, X, y, k, rng):
    predict = fit(X, y)
    return np.mean(np.concatenate([predict(X[test]) == y[test] for test in _shuffled(len(X), k, rng)]))


def _by_fold_numbers(fit, X, y, k, rng):
    """Right, with fold numbers that are shuffled."""
    f, correct = rng.permutation(np.arange(len(X)) % k), np.zeros(len(X), dtype=bool)
    for out in (f == j for j in range(k)):
        correct[out] = fit(X[~out], y[~out])(X[out]) == y[out]
    return float(correct.mean())


def _row_by_row(fit, X, y, k, rng):
    """Right: each row is a question of its own, asked after all models have been taught."""
    folds = _shuffled(len(X), k, rng)
    models = [fit(np.delete(X, test, axis=0), np.delete(y, test)) for test in folds]
    return np.mean([model(X[[i]])[0] == y[i] for model, test in zip(models, folds) for i in test])


class _Recorder:
    """A rule for rows whose first entry is their own number: it notes what it learned from and what it was asked."""

    def __init__(self, y):
        self.y, self.taught, self.asked = y, [], []

    def __call__(self, X, y):
        mine = X[:, 0].astype(int)
        expect(len(X) == len(y), f"fit was given {len(X)} rows of X and {len(y)} labels.")
        belong = np.array_equal(self.y[mine], y)
        expect(belong, "the labels given to fit do not belong to its rows: shuffle X and y alike.")
        taught, asked = set(mine.tolist()), []
        self.taught.append(taught)
        self.asked.append(asked)

        def predict(Z):
            rows = Z[:, 0].astype(int)
            asked.extend(rows.tolist())
            expect(not taught & set(rows.tolist()), "a model is asked about rows that it has learned from.")
            # right where the row's number is no multiple of 3: known, and the same in every fold
            return np.where(rows % 3 == 0, 1 - self.y[rows], self.y[rows])

        return predict


@exercise(
    "8.5",
    hint="What becomes of the rows that are left over when 17 is divided by 10? And which rows does a fold of a "
    "sorted file hold?",
    step="np.array_split cuts any number of shuffled rows into k parts; count the right answers, and divide once, "
    "by the number of all rows.",
    wrong=[
        partial(_all_in_folds, cut=lambda n, k, rng: rng.permutation(n)[: n // k * k].reshape(k, -1)),
        partial(_all_in_folds, cut=lambda n, k, rng: np.split(rng.permutation(n), n // k * np.arange(1, k))),
        partial(_all_in_folds, cut=lambda n, k, rng: np.array_split(np.arange(n), k)),
        partial(_all_in_folds, cut=lambda n, k, rng: _shuffled(n, k, np.random.default_rng(0))),
        partial(_all_in_folds, cut=lambda n, k, rng: _shuffled(n, k, np.random.default_rng())),
        partial(_all_in_folds, of_folds=True), partial(_all_in_folds, all_seen=True), _learns_once_from_all,
        lambda *case: 1 - _all_in_folds(*case), lambda fit, X, *rest: _all_in_folds(fit, X[::-1], *rest), 0.5,
    ],
    right=[_all_in_folds, _by_fold_numbers, _row_by_row],
)  # fmt: skip
def every_row_once(answer):
    """Every row is asked about once, by a model that has not seen it; the share right of all rows; rng decides."""
    folds = []
    for m, k, seed in ((17, 10, 1), (17, 10, 1), (17, 10, 2), (23, 5, 2), (12, 4, 3), (14, 4, 4)):
        y = (np.arange(m) * 7 % 5 > 1).astype(int)
        X = np.column_stack([np.arange(m, dtype=float), np.ones(m)])
        rule = _Recorder(y)
        value = number(call(answer, rule, X.copy(), y.copy(), k, np.random.default_rng(seed)))
        asked = sum(rule.asked, [])
        expect(len(rule.taught) == k, f"for k = {k} there should be {k} fits; yours made {len(rule.taught)}.")
        missing = m - len(set(asked))
        expect(missing == 0, f"of {m} rows in {k} folds {missing} are never asked about.")
        expect(len(asked) == m, f"{len(asked)} questions for {m} rows: ask about each row once.")
        sizes = sorted(map(len, rule.asked))
        expect(sizes[-1] - sizes[0] <= 1, f"the folds have {sizes} rows; one apart at most.")
        expect(min(map(len, rule.taught)) >= m - sizes[-1], "each model learns from all rows outside its fold.")
        in_order = all(np.ptp(rows) == len(rows) - 1 for rows in rule.asked)
        expect(not in_order, "the folds are blocks of the sorted file: shuffle the rows with rng.")
        share = np.mean(np.arange(m) % 3 != 0)
        expect(not close(value, 1 - share), "that is the share wrong; the share right is asked for.")
        expect(close(value, share), "the mean over folds is not the share of all rows: count, then divide by m.")
        folds.append({frozenset(rows) for rows in rule.asked})
    expect(folds[0] == folds[1], "with the same rng the folds must be the same: shuffle with rng and nothing else.")
    expect(folds[0] != folds[2], "with another rng the folds are the same: shuffle with the rng that is given.")
