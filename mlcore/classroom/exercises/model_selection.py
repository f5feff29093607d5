"""The exercises of chapter 8: evaluation and model selection."""

import math

import numpy as np

from mlcore.classroom.exercises import Wrong, array, call, close, exercise, expect, number


@exercise(
    "8.1",
    hint="How many rows does each model learn from? The rest is in the line above (8.3).",
    step="With three folds each model learns from two thirds of the 12 rows, t of them. Put that t into σ²(1 + 1/t).",
    wrong=[4 * (1 + 1 / 12), 4 * (1 - 1 / 12), 2 * (1 + 1 / 8), 4.0, 4 * (1 + 1 / 4), 4 * (1 + 3 / 12), 0.5],
    right=[4.5, 9 / 2, np.array([4.5])],
)
def pessimism_of_three_folds(answer):
    """σ²(1 + k/((k-1)m)) = 4 (1 + 3/24)."""
    value = number(answer)
    expect(not close(value, 4 * (1 + 1 / 12)), "that is the error after all 12 rows. A fold's model learns from fewer.")
    expect(not close(value, 4 * (1 - 1 / 12)), "that is the training error. The rows of a fold have not been seen.")
    expect(not close(value, 2.25), "σ is 2; the squared error goes with σ².")
    expect(not close(value, 4.0), "that is the noise alone. The mean that predicts is uncertain too.")
    expect(not close(value, 0.5), "that is the variance of the predicted mean; the new row has its own noise too.")
    expect(not close(value, 5.0), "that is 1 + 1/4: four rows are held out, and the others teach.")
    expect(close(value, 4.5))


def _by_dealing(y, k):
    f = np.empty(len(y), dtype=int)
    f[np.argsort(y, kind="stable")] = np.arange(len(y)) % k
    return f


def _without_classes(y, k):
    return np.arange(len(y)) % k


def _in_blocks(y, k):
    return np.sort(np.arange(len(y)) % k)


def _each_class_from_fold_0(y, k):
    """Balanced within each class, but every class begins with fold 0: the first folds grow too large."""
    f = np.empty(len(y), dtype=int)
    for label in np.unique(y):
        f[y == label] = np.arange(np.sum(y == label)) % k
    return f


def _from_one(y, k):
    return _by_dealing(y, k) + 1


def _sorted_order(y, k):
    """Forgets to put the numbers back to the rows they belong to."""
    return np.arange(len(y))[np.argsort(y, kind="stable")] % k


def _blocks_within_classes(y, k):
    f = _by_dealing(y, k)
    for label in np.unique(y):
        f[y == label] = np.sort(f[y == label])
    return f


def _as_a_list(y, k):
    return _by_dealing(y, k).tolist()


@exercise(
    "8.2",
    hint="If the rows were sorted by class, how would you deal them to the folds, one after the other?",
    step="Sort the rows by class (argsort), deal 0, 1, ..., k - 1, 0, 1, ... to them in that order, and put the "
    "numbers back to the rows they belong to.",
    wrong=[_without_classes, _in_blocks, _each_class_from_fold_0, _from_one, _sorted_order, 3],
    right=[_by_dealing, _blocks_within_classes, _as_a_list],
)
def stratified_folds(answer):
    """Class counts and sizes of the folds differ by at most one."""
    rng = np.random.default_rng(82)
    cases = [(np.repeat([0, 1], (5, 7)), 4), (np.repeat(["x", "y", "z"], (7, 7, 7)), 3), (np.repeat([3, 9], 10), 5)]
    cases += [(rng.choice(["b", "c", "a"], size=size, p=(0.2, 0.3, 0.5)), k) for size, k in ((31, 4), (23, 5), (40, 7))]
    for y, k in [(rng.permutation(y), k) for y, k in cases]:
        f = array(call(answer, y.copy(), k), (len(y),))
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


def _line(x, y):
    z = x - x.mean()
    slope = z @ y / (z @ z)
    return z, (y - y.mean() - slope * z), z**2 / (z @ z)


def _right_line(x, y):
    z, e, pull = _line(x, y)
    return e / (1 - 1 / len(x) - pull)


def _line_by_brute_force(x, y):
    rest = [np.arange(len(x)) != i for i in range(len(x))]
    return np.array([y[i] - np.polyval(np.polyfit(x[r], y[r], 1), x[i]) for i, r in enumerate(rest)])


def _training_residuals(x, y):
    return _line(x, y)[1]


def _without_intercept(x, y):
    _, e, pull = _line(x, y)
    return e / (1 - pull)


def _multiplied(x, y):
    _, e, pull = _line(x, y)
    return e * (1 - 1 / len(x) - pull)


def _uncentred(x, y):
    _, e, _ = _line(x, y)
    return e / (1 - 1 / len(x) - x**2 / (x @ x))


def _squared(x, y):
    return _right_line(x, y) ** 2


def _turned(x, y):
    return -_right_line(x, y)


def _by_leverage(x, y):
    _, e, pull = _line(x, y)
    return e / (1 / len(x) + pull)


def _line_as_a_column(x, y):
    return _right_line(x, y)[:, np.newaxis]


@exercise(
    "8.3",
    hint="(8.5) needs the residual and the leverage of each row, both from one fit.",
    step="Fit the line once; its residuals e; then h from (8.4), with the 1/m of the intercept; then (8.5).",
    wrong=[
        _training_residuals, _without_intercept, _multiplied, _uncentred, _squared, _turned, _by_leverage, np.ones(3),
    ],
    right=[_right_line, _line_by_brute_force, _line_as_a_column],
)
def leave_one_out_of_a_line(answer):
    """e_i / (1 - h_i)."""
    rng = np.random.default_rng(83)
    for m, shift in ((6, 0.0), (15, 3.0), (40, -20.0)):
        x = rng.normal(size=m) * 2 + shift
        y = 0.7 * x + rng.normal(size=m) + 5
        mine = array(call(answer, x.copy(), y.copy()))
        expect(mine.size == m, f"{m} residuals are asked for; yours have the shape {mine.shape}.")
        mine = mine.ravel()
        expect(not close(mine, _training_residuals(x, y)), "these are the residuals of the fit to all rows.")
        expect(not close(mine, _without_intercept(x, y)), "the leverage lacks the 1/m that belongs to the intercept.")
        expect(not close(mine, _multiplied(x, y)), "left out, a row is predicted worse: divide by 1 - h.")
        expect(not close(mine, _squared(x, y)), "these are the squares; the residuals themselves are asked for.")
        expect(not close(mine, _turned(x, y)), "the sign is turned: target minus prediction.")
        expect(not close(mine, _by_leverage(x, y)), "divide by 1 - h, not by h.")
        expect(close(mine, _right_line(x, y), rtol=1e-6))


def _winner(M, n):
    logs = [math.lgamma(n + 1) - math.lgamma(t + 1) - math.lgamma(n - t + 1) - n * math.log(2) for t in range(n)]
    return float(np.mean(1 - np.minimum(np.cumsum(np.exp(logs)), 1.0) ** M))


@exercise(
    "8.4",
    hint="The more rows, the less the best of the coins stands out. Search with winner(200, n).",
    step="Print winner(200, n) for n = 100, 200, 400, 800. Between which two does it fall below 0.55? Go on there "
    "in tens.",
    wrong=[100, 385, 400, 1000, 3000, 50, 200],
    right=[760, 750, 765],
)
def rows_against_200_coins(answer):
    """The least n with an expected winner below 0.55, to the nearest ten or so."""
    value = number(answer)
    expect(value >= 1 and value == int(value), "a number of rows is asked for, a whole number.")
    expect(value <= 20000, "far fewer are enough.")
    expect(not 380 <= value <= 400, "that keeps one coin within 0.05, 95 times of 100. The best of 200 goes farther.")
    said = _winner(200, int(value))
    expect(said < 0.5505, f"with {int(value)} rows the winner is expected at {said:.3f}.")
    expect(said > 0.5492, f"with {int(value)} rows it is {said:.3f} already; fewer will do.")


def _right_folds(fit, X, y, k, rng):
    right = 0
    for test in np.array_split(rng.permutation(len(X)), k):
        train = np.setdiff1d(np.arange(len(X)), test)
        right += np.sum(fit(X[train], y[train])(X[test]) == y[test])
    return right / len(X)


def _rows_dropped(fit, X, y, k, rng):
    size, shares, order = len(X) // k, [], rng.permutation(len(X))
    for j in range(k):
        test = order[j * size : (j + 1) * size]
        train = np.setdiff1d(order, test)
        shares.append(np.mean(fit(X[train], y[train])(X[test]) == y[test]))
    return np.mean(shares)


def _last_fold_takes_the_rest(fit, X, y, k, rng):
    size, right, order = len(X) // k, 0, rng.permutation(len(X))
    for j in range(k):
        test = order[j * size : (j + 1) * size if j < k - 1 else len(X)]
        train = np.setdiff1d(order, test)
        right += np.sum(fit(X[train], y[train])(X[test]) == y[test])
    return right / len(X)


def _mean_of_folds(fit, X, y, k, rng):
    shares = []
    for test in np.array_split(rng.permutation(len(X)), k):
        train = np.setdiff1d(np.arange(len(X)), test)
        shares.append(np.mean(fit(X[train], y[train])(X[test]) == y[test]))
    return np.mean(shares)


def _unshuffled(fit, X, y, k, rng):
    right = 0
    for test in np.array_split(np.arange(len(X)), k):
        train = np.setdiff1d(np.arange(len(X)), test)
        right += np.sum(fit(X[train], y[train])(X[test]) == y[test])
    return right / len(X)


def _learns_from_all(fit, X, y, k, rng):
    predict, right = fit(X, y), 0
    for test in np.array_split(rng.permutation(len(X)), k):
        right += np.sum(predict(X[test]) == y[test])
    return right / len(X)


def _sees_the_test(fit, X, y, k, rng):
    right = 0
    for test in np.array_split(rng.permutation(len(X)), k):
        right += np.sum(fit(X, y)(X[test]) == y[test])
    return right / len(X)


def _error_instead(fit, X, y, k, rng):
    return 1 - _right_folds(fit, X, y, k, rng)


def _labels_left_behind(fit, X, y, k, rng):
    """Shuffles X but not y."""
    order, right = rng.permutation(len(X)), 0
    X = X[order]
    for test in np.array_split(np.arange(len(X)), k):
        train = np.setdiff1d(np.arange(len(X)), test)
        right += np.sum(fit(X[train], y[train])(X[test]) == y[test])
    return right / len(X)


def _by_fold_numbers(fit, X, y, k, rng):
    """Right, with fold numbers that are shuffled."""
    f, correct = rng.permutation(np.arange(len(X)) % k), np.zeros(len(X), dtype=bool)
    for j in range(k):
        out = f == j
        correct[out] = fit(X[~out], y[~out])(X[out]) == y[out]
    return float(correct.mean())


class _Recorder:
    """A rule for rows whose first entry is their own number: it notes what it learned from and what it was asked."""

    def __init__(self, y):
        self.y, self.taught, self.asked = y, [], []

    def __call__(self, X, y):
        mine = X[:, 0].astype(int)
        expect(len(X) == len(y), f"fit was given {len(X)} rows of X and {len(y)} labels.")
        belong = np.array_equal(self.y[mine], y)
        expect(belong, "the labels given to fit do not belong to its rows: shuffle X and y alike.")
        self.taught.append(set(mine.tolist()))

        def predict(Z):
            rows = Z[:, 0].astype(int)
            self.asked.append(rows.tolist())
            expect(not self.taught[-1] & set(rows.tolist()), "a model is asked about rows that it has learned from.")
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
        _rows_dropped, _last_fold_takes_the_rest, _mean_of_folds, _unshuffled, _learns_from_all, _sees_the_test,
        _error_instead, _labels_left_behind, 0.5,
    ],
    right=[_right_folds, _by_fold_numbers],
)
def every_row_once(answer):
    """Every row is asked about once, by a model that has not seen it; the share right of all rows."""
    for m, k, seed in ((17, 10, 1), (23, 5, 2), (12, 4, 3), (14, 4, 4)):
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
