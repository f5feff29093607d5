"""How good is a model, and which one to take: parts held out, folds, resamples, and searches (评估方法与模型选择)."""

import functools
from collections.abc import Mapping, Set

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    Estimator,
    Regressor,
    anything,
    check_array,
    check_classification,
    check_flag,
    check_int,
    check_is_fitted,
    check_labels,
    check_numeric_target,
    check_random_state,
    check_real,
    check_regression,
    check_X,
    clone,
    door,
    flag,
    part,
    shown,
    table,
    targets,
    warn_caller,
)
from mlcore.base.members import kind_of, tags_of_members
from mlcore.core.model_selection import (
    blocks,
    bootstrap_sample,
    left_out_residuals,
    leverages,
    portions,
    settings,
    split_scores,
    stratified_folds,
)

__all__ = [
    "Bootstrap", "GridSearch", "KFold", "LeaveOneOut", "RepeatedKFold", "StratifiedKFold", "cross_val_score",
    "learning_curve", "leave_one_out_residuals", "train_test_split", "validation_curve",
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------------------------------------------
def rows(table, numbers):
    """Return some rows of an array, list, DataFrame or Series, which stays what it is; None stays None."""
    if table is None:
        return None
    if hasattr(table, "iloc"):
        return table.iloc[numbers]
    if hasattr(table, "shape"):
        return table[numbers]
    return [table[i] for i in numbers]


def _length(table, name="X"):
    """How many rows a table of whatever kind has."""
    shape = getattr(table, "shape", None)
    if shape == () or (shape is None and (isinstance(table, Mapping | Set) or not hasattr(table, "__len__"))):
        raise ValueError(f"{name} must be an array, a list or a DataFrame with rows, got {shown(table)}")
    return shape[0] if shape is not None else len(table)


def _in_order_of_appearance(y):
    """Number the classes 0, 1, ... as they appear; return the labels and each row's number."""
    labels, first, codes = np.unique(check_labels(y), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return labels[order], np.argsort(order)[codes]


def train_test_split(*arrays, test_size=0.25, stratify=None, random_state=None):
    """Split arrays at random into a part to learn from and a part held out for testing (hold-out, 留出法).

    Parameters
    ----------
    *arrays : arrays, lists, DataFrames or Series of the same length m
        All are split alike, so that X and y stay together.
    test_size : float or int
        A share in (0, 1), of which m is multiplied and rounded up; or a number of rows.
    stratify : array-like of shape (m,), optional
        Labels: each class then has its share in both parts, to within one row (stratified sampling, 分层采样).
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    list
        For each array two parts: ``X_train, X_test, y_train, y_test``.

    Raises
    ------
    ValueError
        Without arrays, for different lengths, if a part would be empty, or if a class is too small to be in both.

    Notes A 9.1.1, D 2.2.1.
    """
    if not arrays:
        raise ValueError("train_test_split needs at least one array")
    lengths = [_length(array, f"array {number}") for number, array in enumerate(arrays)]
    if len(set(lengths)) > 1:
        raise ValueError(f"the arrays have different numbers of rows: {lengths}")
    m, rng = lengths[0], check_random_state(random_state)
    n_test = _test_rows(test_size, m)
    order = rng.permutation(m)
    if stratify is None:
        test, train = order[:n_test], order[n_test:]
    else:
        test, train = _stratified_parts(stratify, order, n_test)
    return [rows(array, part) for array in arrays for part in (train, test)]


def _test_rows(test_size, m):
    """How many of m rows are held out."""
    if isinstance(test_size, float | np.floating):
        share = check_real("test_size as a share", test_size, low=0, high=1, low_open=True, high_open=True)
        n_test = int(np.ceil(share * m - 1e-9))
    else:
        n_test = check_int("test_size, a share in (0, 1) or a number of rows,", test_size, low=1)
    if not 0 < n_test < m:
        raise ValueError(
            f"test_size={shown(test_size)} of {m} rows leaves {max(m - n_test, 0)} to learn from and {n_test} to test "
            "on; both parts need at least one"
        )
    return n_test


def _stratified_parts(stratify, order, n_test):
    """Test and training rows, in random order, with each class in proportion."""
    if _length(stratify, "stratify") != len(order):
        raise ValueError(f"stratify has {len(stratify)} labels, but there are {len(order)} rows")
    labels, codes = _in_order_of_appearance(stratify)
    sizes = np.bincount(codes)
    if sizes.min() < 2:
        lone = labels.tolist()[sizes.argmin()]
        raise ValueError(f"class {lone!r} has 1 member; it cannot be in both parts. Leave it out, or do not stratify")
    for name, count in (("test", n_test), ("training", len(order) - n_test)):
        if count < len(labels):
            raise ValueError(
                f"the {name} part has {count} rows, fewer than the {len(labels)} classes: change test_size"
            )
    by_class = order[np.argsort(codes[order], kind="stable")]  # random within each class
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    held = place < np.repeat(portions(sizes, n_test), sizes)
    test = np.zeros(len(order), dtype=bool)
    test[by_class[held]] = True
    return order[test[order]], order[~test[order]]


# ---------------------------------------------------------------------------------------------------------------
# Splitters
# ---------------------------------------------------------------------------------------------------------------
class _Splitter:
    """What cuts m rows into splits. scikit-learn takes it as ``cv``, and ours take scikit-learn's."""

    def __repr__(self):
        given = ", ".join(f"{name}={shown(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({given})"

    def split(self, X, y=None, groups=None):
        """Yield (row numbers to learn from, row numbers held out), in increasing order.

        Parameters
        ----------
        X : array-like with m rows
            Only their number matters.
        y : array-like of shape (m,), optional
            Labels, for splitters that look at them.
        groups : None
            Not used; there so that scikit-learn can call it.

        Raises
        ------
        ValueError
            If there are too few rows.
        """
        if groups is not None:
            warn_caller(f"groups are ignored by {type(self).__name__}; rows of a group may land in both parts")
        m = _length(y if X is None else X, "y" if X is None else "X")
        if y is not None and _length(y, "y") != m:
            raise ValueError(f"X has {m} rows, but y has {_length(y, 'y')}")
        yield from self._splits(m, y)

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return how many splits there will be."""
        return self.n_splits


def _pairs(f, k):
    """The splits of numbered folds: each in turn is held out."""
    for j in range(k):
        out = f == j
        yield np.flatnonzero(~out), np.flatnonzero(out)


class KFold(_Splitter):
    """k folds (k 折交叉验证): each row is held out once; fold sizes differ by at most one.

    Parameters
    ----------
    n_splits : int >= 2
        k.
    shuffle : bool
        False: the folds are blocks of rows that follow one another, as in scikit-learn. Shuffle rows that are sorted.
    random_state : None, int or numpy.random.Generator
        For shuffling.

    Raises
    ------
    ValueError
        For a random_state that nothing uses; in ``split`` for more folds than rows.

    Notes A 9.1.2, D 2.2.2.
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        check_int("n_splits", n_splits, low=2)
        check_random_state(random_state)
        if not check_flag("shuffle", shuffle) and random_state is not None:
            raise ValueError("random_state has no effect while shuffle is False: leave it out, or set shuffle=True")
        self.n_splits, self.shuffle, self.random_state = n_splits, shuffle, random_state

    def _splits(self, m, y):
        if self.n_splits > m:
            raise ValueError(f"n_splits={self.n_splits} folds are more than the {m} sample(s) there are")
        codes = self._codes(m, y)
        if not self.shuffle:
            return _pairs(self._folds(codes), self.n_splits)
        order = check_random_state(self.random_state).permutation(m)
        f = np.empty(m, dtype=int)
        f[order] = self._folds(codes[order])
        return _pairs(f, self.n_splits)

    def _codes(self, m, y):
        return np.zeros(m, dtype=int)

    def _folds(self, codes):
        return blocks(len(codes), self.n_splits)


class StratifiedKFold(KFold):
    """k folds in each of which every class has its share, to within one row (分层 k 折交叉验证).

    Parameters
    ----------
    n_splits, shuffle, random_state
        See ``KFold``. Shuffling is done within the classes.

    Raises
    ------
    ValueError
        As ``KFold``; if y is missing or no labels; if every class has fewer rows than there are folds. If only some
        have, there is a warning.

    Notes D 2.2.2.
    """

    def _codes(self, m, y):
        if y is None:
            raise ValueError("StratifiedKFold needs the labels: split(X, y)")
        labels, codes = _in_order_of_appearance(y)
        sizes = np.bincount(codes)
        least = f"class {labels.tolist()[sizes.argmin()]!r} has only {sizes.min()} member(s), fewer than "
        if sizes.max() < self.n_splits:
            raise ValueError(f"{least}n_splits={self.n_splits}, and so has every class: take fewer folds")
        if sizes.min() < self.n_splits:
            warn_caller(f"{least}n_splits={self.n_splits}: some folds are without it")
        return codes

    def _folds(self, codes):
        return stratified_folds(codes, self.n_splits)


class RepeatedKFold(_Splitter):
    """k folds, cut anew several times (p 次 k 折交叉验证).

    Parameters
    ----------
    n_splits : int >= 2
        k.
    n_repeats : int >= 1
    random_state : None, int or numpy.random.Generator

    Notes D 2.2.2.
    """

    def __init__(self, n_splits=5, *, n_repeats=10, random_state=None):
        check_int("n_splits", n_splits, low=2)
        check_int("n_repeats", n_repeats, low=1)
        check_random_state(random_state)
        self.n_splits, self.n_repeats, self.random_state = n_splits, n_repeats, random_state

    def _splits(self, m, y):
        rng = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            yield from KFold(self.n_splits, shuffle=True, random_state=rng)._splits(m, y)

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return n_splits · n_repeats."""
        return self.n_splits * self.n_repeats


class LeaveOneOut(_Splitter):
    """Each row alone is held out once (leave-one-out, 留一法): m splits of m rows, KFold with k = m.

    R² of a single row is not defined: score with squared errors instead.

    Notes A 9.1.3, D 2.2.2.
    """

    def _splits(self, m, y):
        if m < 2:
            raise ValueError(f"leave-one-out needs at least 2 rows, got {m} sample(s)")
        return _pairs(blocks(m, m), m)

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of rows of X (or of y)."""
        if X is None and y is None:
            raise ValueError("leave-one-out has as many splits as there are rows: get_n_splits(X)")
        return _length(y if X is None else X)


class Bootstrap(_Splitter):
    """Resamples of m rows, drawn with replacement (自助法): learn from those drawn, test on those never drawn.

    A row is left out of a resample with the chance (1 - 1/m)ᵐ, a little below 1/e = 0.368. That none is left out has
    the chance m!/mᵐ: 0.22 for 3 rows, 0.04 for 5, 4e-4 for 10. Such a resample cannot be tested, and is drawn again.

    Parameters
    ----------
    n_resamples : int >= 1
    random_state : None, int or numpy.random.Generator

    Notes A 9.1.4, D 2.2.3.
    """

    def __init__(self, n_resamples=100, *, random_state=None):
        check_int("n_resamples", n_resamples, low=1)
        check_random_state(random_state)
        self.n_resamples, self.random_state = n_resamples, random_state

    def _splits(self, m, y):
        if m < 2:
            raise ValueError(f"a bootstrap needs at least 2 rows, got {m} sample(s): a single one is always drawn")
        rng, weight = check_random_state(self.random_state), np.ones(m)
        for _ in range(self.n_resamples):
            out = np.zeros(0, dtype=int)
            while len(out) == 0:
                drawn = np.sort(bootstrap_sample(weight, m, rng))
                out = np.flatnonzero(np.bincount(drawn, minlength=m) == 0)
            yield drawn, out

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return n_resamples."""
        return self.n_resamples


# ---------------------------------------------------------------------------------------------------------------
# Scores
# ---------------------------------------------------------------------------------------------------------------
def _by_itself(model, X, y):
    return model.score(X, y)


def _minus(error):
    """A score, of which more is better, from the mean of an error."""
    return lambda model, X, y: -float(np.mean(error(np.asarray(model.predict(X), dtype=float) - np.asarray(y))))


SCORINGS = {
    "accuracy": Classifier.score,
    "r2": Regressor.score,
    "neg_mean_squared_error": _minus(np.square),
    "neg_root_mean_squared_error": lambda *given: -float(np.sqrt(-SCORINGS["neg_mean_squared_error"](*given))),
    "neg_mean_absolute_error": _minus(np.abs),
}
"""What ``scoring`` may be called, as in scikit-learn: more is better, so errors carry a minus."""


def _scorer(scoring):
    """Return ``score(model, X, y)`` for None (the model's own), a name or a function."""
    if scoring is None:
        return _by_itself
    if callable(scoring):
        return scoring
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        raise ValueError(
            f"scoring must be None, one of {', '.join(map(repr, SCORINGS))}, or a function scoring(model, X, y), "
            f"got {shown(scoring)}"
        )
    return SCORINGS[scoring]


def _kind(estimator):
    """"classifier", "regressor" or None; what is no estimator at all is refused."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise ValueError(f"estimator must be an object with fit, got {estimator!r}")
    try:
        return kind_of(estimator)
    except ValueError:
        return None


def splits_of(cv, X, y, kind):
    """Return the splits as a list: of a number of folds, a splitter, or splits given one by one."""
    if cv is None or (isinstance(cv, int | np.integer) and not isinstance(cv, bool)):
        folds = 5 if cv is None else check_int("cv", cv, low=2)
        cv = StratifiedKFold(folds) if kind == "classifier" and y is not None else KFold(folds)
    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs = list(cv.split(X, y))
    elif hasattr(cv, "__iter__") and not isinstance(cv, str):
        pairs = [_checked_pair(number, pair, len(X)) for number, pair in enumerate(cv)]
    else:
        raise ValueError(f"cv must be a number of folds, a splitter or a list of (train, test), got {shown(cv)}")
    if not pairs:
        raise ValueError("cv holds no split")
    for number, parts in enumerate(pairs):
        if min(map(len, parts)) == 0:
            raise ValueError(f"split {number} has {len(parts[0])} rows to learn from and {len(parts[1])} to test on")
    return pairs


def _checked_pair(number, pair, m):
    """A split that is given, as two arrays of row numbers; masks become numbers."""
    parts = [np.asarray(part) for part in pair] if isinstance(pair, tuple | list) and len(pair) == 2 else []
    parts = [np.flatnonzero(part) if part.dtype == bool and part.shape == (m,) else part for part in parts]
    if not parts or any(part.ndim != 1 or (part.size and part.dtype.kind not in "iu") for part in parts):
        raise ValueError(f"split {number} must be two lists of row numbers or masks of {m} rows, got {shown(pair)}")
    for i in parts:
        if i.size and not -m <= i.min() <= i.max() < m:
            raise ValueError(f"split {number} has row numbers from {i.min()} to {i.max()}, but X has {m} rows")
    return tuple(parts)


def _checked(estimator, X, y, scoring, cv):
    """The door of everything that scores: return X, y, the splits and the score."""
    kind, score = _kind(estimator), _scorer(scoring)
    X = check_array(X, dtype=None)
    if y is not None:
        y = check_labels(y) if kind == "classifier" else check_numeric_target(y) if kind == "regressor" else y
        if _length(y, "y") != len(X):
            raise ValueError(f"X has {len(X)} rows, but y has {_length(y, 'y')}")
    return X, y, splits_of(cv, X, y, kind), score


def _all_scores(estimator, X, y, splits, score, parts=(1,)):
    """One row of scores for each split, one column for each part asked for."""
    def learn(train):
        return clone(estimator).fit(rows(X, train), rows(y, train))

    def judge(model, part):
        return score(model, rows(X, part), rows(y, part))

    scores = [split_scores(learn, judge, split, parts) for split in splits]
    try:
        table = np.array(scores, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(())
    if table.ndim != 2:
        raise ValueError(f"scoring must return a number, got {shown(scores[0][0])}")
    if not np.isfinite(table).all():
        number = int(np.argwhere(~np.isfinite(table))[0, 0])
        raise ValueError(f"the score of split {number} is {table[number].tolist()}: is it defined on those rows?")
    return table


CV = anything(
    None, "int, splitter or list of (train, test), optional",
    "A number of folds (None: 5): stratified for a classifier, blocks otherwise.",
)
SCORING = anything(
    None, "str or callable, optional",
    "None: the estimator's own ``score`` (accuracy or R²). A name: \"accuracy\", \"r2\", \"neg_mean_squared_error\",\n"
    "\"neg_root_mean_squared_error\", \"neg_mean_absolute_error\". Or ``scoring(model, X, y)``. More is better.",
)
_SCORED = {
    "estimator": anything(
        REQUIRED, "estimator of mlcore or scikit-learn",
        "It is copied for each split, and itself left as it is. Scalers and the like belong inside, in a pipeline.",
    ),
    "X": anything(
        REQUIRED, "array-like or DataFrame of shape (n_samples, n_features)",
        "What it may hold is for the estimator to judge.",
    ),
    "y": anything(None, "array-like of shape (n_samples,), optional", "Labels, or the numbers to predict."),
    "scoring": SCORING,
    "cv": CV,
}


@door(**_SCORED)
def cross_val_score(estimator, X, y=None, *, scoring=None, cv=None):
    """Return the score on the part held out, for each split (cross-validation, 交叉验证).

    Returns
    -------
    ndarray of shape (n_splits,)
        Their mean is not the score of all rows together where the parts differ in size.

    Raises
    ------
    ValueError, TypeError
        For bad data or parameters, an empty part, R² of a single row, or a score that is no number.

    Notes A 9.1.2, D 2.2.2.
    """
    return _all_scores(estimator, *_checked(estimator, X, y, scoring, cv))[:, 0]


@door(
    **_SCORED,
    param_name=anything(REQUIRED, "str", '``"alpha"``, say; ``"ridge__alpha"`` inside a pipeline.'),
    param_range=anything(REQUIRED, "sequence", "The values of the parameter."),
)
def validation_curve(estimator, X, y=None, *, param_name, param_range, scoring=None, cv=None):
    """Return the scores on both parts of each split as one parameter takes several values (验证曲线).

    Returns
    -------
    train_scores, test_scores : ndarrays of shape (n_values, n_splits)

    Raises
    ------
    ValueError, TypeError
        See ``cross_val_score``; or there are no values, or no such parameter.
    """
    X, y, splits, score = _checked(estimator, X, y, scoring, cv)
    if not hasattr(param_range, "__iter__") or isinstance(param_range, str):
        raise ValueError(f"param_range must be a list of values, got {shown(param_range)}")
    param_range = list(param_range)
    if not param_range:
        raise ValueError("param_range holds no value")
    candidates = [clone(estimator).set_params(**{param_name: value}) for value in param_range]
    table = np.array([_all_scores(candidate, X, y, splits, score, (0, 1)) for candidate in candidates])
    return table[:, :, 0], table[:, :, 1]


@door(
    **_SCORED,
    train_sizes=anything(
        (0.1, 0.325, 0.55, 0.775, 1.0), "sequence of float or of int",
        "Shares in (0, 1] of the smallest training part, rounded down; or numbers of rows.",
    ),
    shuffle=flag(
        False,
        "Whether the training rows are put in random order before the first ones are taken: needed where they are\n"
        "sorted.",
    ),
    random_state=anything(None, "None, int or numpy.random.Generator", "For shuffling."),
)
def learning_curve(
    estimator, X, y=None, *, train_sizes=(0.1, 0.325, 0.55, 0.775, 1.0), scoring=None, cv=None, shuffle=False,
    random_state=None,
):
    """Return the scores on both parts as ever more of the training rows are used (学习曲线).

    The parts held out stay the same.

    Returns
    -------
    sizes : int ndarray of shape (n_sizes,)
        Increasing, each once.
    train_scores, test_scores : ndarrays of shape (n_sizes, n_splits)

    Raises
    ------
    ValueError, TypeError
        See ``cross_val_score``; or a size is out of range.
    """
    X, y, splits, score = _checked(estimator, X, y, scoring, cv)
    sizes = _training_sizes(train_sizes, min(len(train) for train, _ in splits))
    if shuffle:
        rng = check_random_state(random_state)
        splits = [(rng.permutation(train), test) for train, test in splits]
    table = np.array(
        [_all_scores(estimator, X, y, [(a[:n], b) for a, b in splits], score, (0, 1)) for n in sizes.tolist()]
    )
    return sizes, table[:, :, 0], table[:, :, 1]


def _training_sizes(train_sizes, most):
    sizes = np.asarray(train_sizes)
    if sizes.ndim != 1 or sizes.size == 0 or sizes.dtype.kind not in "iuf" or not np.isfinite(sizes).all():
        raise ValueError(
            f"train_sizes must be a list of shares in (0, 1] or of numbers of rows, got {shown(train_sizes)}"
        )
    if sizes.dtype.kind == "f":
        if sizes.min() <= 0 or sizes.max() > 1:
            raise ValueError(f"train_sizes as shares must lie in (0, 1], got {sizes.min():g} to {sizes.max():g}")
        sizes = np.maximum((sizes * most + 1e-9).astype(int), 1)
    if sizes.min() < 1 or sizes.max() > most:
        raise ValueError(f"train_sizes must lie in 1 to {most}, got {sizes.min()} to {sizes.max()}")
    return np.unique(sizes)


@door(
    X=table("At least two rows."),
    y=targets("The numbers to predict."),
    alpha=anything(0.0, "float >= 0, or a sequence of them", "0: least squares."),
)
def leave_one_out_residuals(X, y, *, alpha=0.0):
    """Return yᵢ - ŷ₋ᵢ, where ŷ₋ᵢ is ridge regression's prediction for row i when it has not seen that row.

    All m of them from one fit: the residual of the fit to all rows, over 1 - hᵢ (leverage, 杠杆值). Exact for an α that
    stays the same, in the penalised *sum* of squares ‖y - Xw - b‖² + α‖w‖² (as ``Ridge``) with the intercept b free.

    Returns
    -------
    ndarray of shape (n_samples,), or (n_alphas, n_samples) for a sequence

    Raises
    ------
    ValueError
        For a single row; or if, with alpha = 0, the other rows leave the prediction for a row open (hᵢ = 1).
    """
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} rows, but y has {len(y)}")
    check_array(X, min_samples=2)
    alphas = [check_real("alpha", value, low=0) for value in np.atleast_1d(np.asarray(alpha, dtype=object)).tolist()]
    if not alphas:
        raise ValueError("alpha is an empty list: give at least one number >= 0")
    constant = np.ptp(X, axis=0) == 0
    X, y = X - X.mean(axis=0), y - y.mean()
    X[:, constant] = 0.0  # what rounding left of a mean is no variance
    spans = {bare: _directions(X, bare) for bare in {value == 0 for value in alphas}}
    found = np.array([_left_out(*spans[value == 0], y, value) for value in alphas])
    return found[0] if np.ndim(alpha) == 0 else found


def _directions(X, bare):
    """U and s of centred X; without a penalty (bare) the units of the columns do not matter, so they are made equal."""
    if bare:
        lengths = np.linalg.norm(X, axis=0)
        X = X[:, lengths > 0] / lengths[lengths > 0]
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    kept = s > s.max(initial=0) * max(X.shape) * np.finfo(float).eps
    return U[:, kept], s[kept]


def _left_out(U, s, y, alpha):
    phi = s**2 / (s**2 + alpha)
    h = leverages(U, phi)
    if h.max() > 1 - 1e-10:
        raise ValueError(
            f"row {h.argmax()} has leverage 1: the other rows leave the prediction for it open. Use fewer features, "
            f"more rows or a larger alpha (now {alpha:g})"
        )
    return left_out_residuals(U, phi, h, y)


# ---------------------------------------------------------------------------------------------------------------
# Searching
# ---------------------------------------------------------------------------------------------------------------
def _passed_on(name):
    """A method of the best estimator, where it has one."""

    def method(self, X):
        check_is_fitted(self)
        return getattr(self.best_estimator_, name)(check_X(self, X, dtype=None))

    def get(self):
        getattr(self.estimator, name)
        return functools.partial(method, self)

    return property(get, doc=f"``{name}(X)`` of the best estimator; there only if the estimator has it.")


class GridSearch(Estimator):
    """Try every setting on a grid by cross-validation, and fit the best one to all rows (网格搜索, 调参).

    best = the first setting with the largest mean over the splits of the score on the part held out

    The winner's score is the largest of many, and flatters it. For an honest number search inside a cross-validation:
    ``cross_val_score(GridSearch(...), X, y)``.

    Attributes
    ----------
    best_params_ : dict
    best_score_ : float
    best_index_ : int
    best_estimator_ : estimator
        With the best setting, fitted to all rows.
    cv_results_ : dict
        ``params``, a list of dicts; ``split_scores`` of shape (n_settings, n_splits); ``mean_test_score``,
        ``std_test_score`` and ``rank_test_score`` (1 is best) of shape (n_settings,).
    classes_ : ndarray
        For classifiers.

    Notes A 9.1, D 2.2.4.
    """

    estimator: object = part("Of mlcore or scikit-learn; a pipeline too.", form="classifier or regressor")
    grid: object = anything(
        REQUIRED, "dict of str to sequence",
        "The values to try for each parameter; ``ridge__alpha`` reaches into a pipeline.",
    )
    cv: object = CV
    scoring: object = SCORING

    predict = _passed_on("predict")
    predict_proba = _passed_on("predict_proba")
    decision_function = _passed_on("decision_function")

    @property
    def _estimator_type(self):
        return _kind(self.estimator)

    def __sklearn_tags__(self):
        tags = tags_of_members(super().__sklearn_tags__(), self.estimator)
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.classifier_tags = self.estimator.__sklearn_tags__().classifier_tags
        return tags

    def fit(self, X, y):
        """Search, then fit the best setting to all rows; return self."""
        tried = settings(_checked_grid(self.grid))
        candidates = [clone(self.estimator).set_params(**setting) for setting in tried]
        is_classifier = kind_of(self.estimator) == "classifier"
        X, y = (check_classification if is_classifier else check_regression)(self, X, y, dtype=None)
        y = self.classes_[y] if is_classifier else y
        X, y, splits, score = _checked(self.estimator, X, y, self.scoring, self.cv)
        table = np.array([_all_scores(candidate, X, y, splits, score)[:, 0] for candidate in candidates])
        mean = table.mean(axis=1)
        self.best_index_ = int(mean.argmax())
        self.best_score_ = float(mean[self.best_index_])
        self.best_params_ = tried[self.best_index_]
        self.cv_results_ = {
            "params": tried,
            "split_scores": table,
            "mean_test_score": mean,
            "std_test_score": table.std(axis=1),
            "rank_test_score": 1 + np.sum(mean[:, np.newaxis] < mean, axis=1),
        }
        self.best_estimator_ = candidates[self.best_index_].fit(X, y)
        return self

    def score(self, X, y, sample_weight=None):
        """Return the best estimator's score by ``scoring``; by its own, which may be weighted, where that is None."""
        check_is_fitted(self)
        X = check_X(self, X, dtype=None)
        if self.scoring is None:
            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            return self.best_estimator_.score(X, y, **weights)
        if sample_weight is not None:
            raise ValueError("sample_weight goes with the estimator's own score: leave scoring at None")
        return float(_scorer(self.scoring)(self.best_estimator_, X, y))


def _checked_grid(grid):
    if not isinstance(grid, Mapping) or not grid:
        raise ValueError(f"grid must be a dict of parameter names and lists of values, got {shown(grid)}")
    for name, values in grid.items():
        if not isinstance(name, str):
            raise ValueError(f"grid must be a dict of parameter names and lists of values, but has the name {name!r}")
        single = isinstance(values, str) or getattr(values, "shape", None) == () or not hasattr(values, "__len__")
        if single or len(values) == 0:
            raise ValueError(f"grid[{name!r}] must be a list of at least one value, got {shown(values)}")
    return grid
