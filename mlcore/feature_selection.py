"""Which features are worth having? Filters, searches around a model, and shuffled columns (特征选择)."""

from collections.abc import Hashable

import numpy as np

from mlcore.base import (
    REQUIRED,
    Transformer,
    anything,
    check_array,
    check_callable,
    check_classification,
    check_consistent_length,
    check_fit_X,
    check_int,
    check_is_fitted,
    check_labels,
    check_numeric_target,
    check_regression,
    check_X,
    door,
    is_missing,
    labels,
    names_of_inputs,
    part,
    seed,
    shown,
    table,
    whole,
)
from mlcore.base.members import kind_of, tags_of_members, take
from mlcore.core import feature_selection as core
from mlcore.core.feature_selection import (
    best_addition,
    best_removal,
    covariances,
    joint_shares,
    largest,
    linear_weights,
    mutual_information,
)
from mlcore.features import indicator
from mlcore.model_selection import CV, SCORING, cross_val_score, splits_of
from mlcore.numerics import standardise

__all__ = [
    "BackwardElimination", "ForwardSelection", "SelectKBest", "covariance_score", "linear_weight_score",
    "mutual_information_score", "permutation_importance",
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Filters
# ---------------------------------------------------------------------------------------------------------------
def _columns_of_target(y):
    """Numbers as one column; text as a column of 0 and 1 for each class, divided by √2.

    The √2 makes two classes count once, not twice: their columns differ in sign only.
    """
    y = np.asarray(y)
    if y.dtype.kind in "US" or (y.dtype.kind == "O" and any(isinstance(label, str) for label in y.ravel())):
        classes, codes = np.unique(check_labels(y), return_inverse=True)
        return indicator(codes, len(classes)) / np.sqrt(2)
    return check_numeric_target(y)[:, np.newaxis]


def _lengths(W):
    """The length of each row, without squares that overflow or vanish."""
    return np.hypot.reduce(W, axis=1, initial=0.0)


_TARGET = anything(
    REQUIRED, "array-like of shape (n_samples,)",
    "Numbers, or classes as text; these count as a column of 0 and 1 for each class, divided by √2, and the score is\n"
    "the length of the vector of the columns' scores. So two classes score as the numbers 0 and 1 do.",
)


@door(X=table("The features."), y=_TARGET)
def covariance_score(X, y):
    """Return |cov(x_j, y)| for each feature j: how much it goes up and down with y (协方差), with 1/n.

    It depends on units: the same feature in millimetres scores a thousand times as much as in metres.

    Returns
    -------
    ndarray of shape (n_features,)

    Notes A 9.3.2.
    """
    Y = _columns_of_target(y)
    check_consistent_length(X, Y)
    return _lengths(covariances(X, Y))


@door(X=table("The features."), y=_TARGET)
def linear_weight_score(X, y):
    """Return |w_j| for each feature j: its weight in a linear model that is trained on all features.

    Like the covariance it depends on units, here the other way round. Of features that say the same, each gets a part.

    Returns
    -------
    ndarray of shape (n_features,)

    Notes C 5.6.
    """
    Y = _columns_of_target(y)
    check_consistent_length(X, Y)
    Z, _, unit = standardise(X, np.full(len(X), 1 / len(X)))
    return _lengths(linear_weights(Z, Y)) / unit


@door(
    X=anything(REQUIRED, "array-like of shape (n_samples, n_features)", "Text or numbers."),
    y=labels("Labels."),
    bins=whole(
        None,
        "Cut every column of numbers at its quantiles into at most so many parts of about equal size first. Equal\n"
        "numbers stay together, in the part that holds the middle of their ranks.",
        low=2, high=1_000_000,
    ),
)
def mutual_information_score(X, y, *, bins=None):
    """Return the mutual information (互信息) of each column with y, in nats, from shares of the sample.

    Columns and y are taken as categories: every different value is one. The result of a sample is at least 0; for
    independent columns it is not 0, but about (r - 1)(c - 1) / (2n) for r and c categories, so that it favours columns
    with many values. A column without any repeated value scores the entropy of y, whatever it holds.

    Returns
    -------
    ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        For missing data; or if bins is given for a column of text.

    Notes A 9.3.2.
    """
    X = np.asarray(check_array(X, dtype=None))
    check_consistent_length(X, y)
    if is_missing(X).any():
        raise ValueError("X holds missing values: fill them in, or make them a category of their own")
    y = np.unique(y, return_inverse=True)[1]
    columns = [_categories(column, bins) for column in X.T]
    for j, x in enumerate(columns):
        if (x.max() + 1) * (y.max() + 1) > MOST_CELLS:
            raise ValueError(
                f"column {j} has {x.max() + 1} different values and y has {y.max() + 1}: too many for a table of all "
                "pairs. Cut numbers into a few intervals with bins"
            )
    return np.array([mutual_information(joint_shares(x, y)) for x in columns]).clip(0)


MOST_CELLS = 30_000_000
"""Of a table of shares: 240 megabytes."""


def _categories(column, bins):
    """Numbers 0, 1, ... for the different values of a column, or for the parts between its quantiles."""
    if bins is not None:
        return np.unique(_parts(column, bins), return_inverse=True)[1]
    if column.dtype.kind != "O":
        return np.unique(column, return_inverse=True)[1]
    if not all(isinstance(value, Hashable) for value in column.tolist()):
        raise ValueError("X must hold single values, words or numbers, but holds lists")
    known = {}
    return np.array([known.setdefault(value, len(known)) for value in column.tolist()])


def _parts(column, bins):
    """The part 1, ..., bins of each number; the first and the last of different numbers never share one."""
    try:
        values = column.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"bins={bins} cuts numbers, but a column of X holds {shown(column[0])}") from None
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = counts.cumsum() - counts / 2  # of the ranks of equal numbers
    return np.ceil(bins * middle / len(values))[codes]


def _is_complete(X):
    """Whether no value is missing or infinite."""
    table = np.asarray(X)
    return bool(np.isfinite(table).all()) if table.dtype.kind == "f" else not is_missing(table).any()


class _Selector(Transformer):
    """What every selection of columns shares."""

    def transform(self, X):
        """Return the chosen columns of X, in their order.

        Raises
        ------
        ValueError
            If X does not fit the one in ``fit``, or holds NaN or infinity and that one did not.
        """
        check_is_fitted(self)
        X = check_X(self, X, dtype=None)
        if self._complete and not _is_complete(X):
            raise ValueError("Input X contains NaN or infinity, which the X of fit did not: fill them in")
        return take(X, slice(None), np.flatnonzero(self.support_))

    def get_feature_names_out(self, input_features=None):
        """Return the names of the chosen features."""
        check_is_fitted(self)
        return names_of_inputs(self, input_features)[self.support_]

    def _choose(self, F):
        self.support_ = np.isin(np.arange(self.n_features_in_), F)


class SelectKBest(_Selector):
    """Keep the k features with the largest scores: a filter (过滤式选择), which asks no model.

    F = the k features j with the largest s_j = score_func(X, y)_j

    Each feature is judged alone, so two that are useless apart and decide together are both thrown away.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
    support_ : bool ndarray of shape (n_features,)
        Which features are kept.

    Notes A 9.3.2.
    """

    score_func: object = anything(
        covariance_score, "callable",
        "``score_func(X, y)`` returns a number for each feature: ``covariance_score``, ``mutual_information_score``,\n"
        "``linear_weight_score``, or one of scikit-learn's, which return (scores, p-values).",
        check=check_callable, bad=("cov", None),
    )
    k: int = whole(1, "How many features to keep.", low=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        """Score the features; return self.

        Raises
        ------
        ValueError
            If k is more than there are features, score_func returns anything but a number for each, or for bad data.
        """
        k = self.checked().k
        X = check_fit_X(self, X, dtype=None)
        self._complete = _is_complete(X)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_int("k", k, low=1, high=X.shape[1])
        scores = self.score_func(X, y)
        scores = np.asarray(scores[0] if isinstance(scores, tuple) else scores, dtype=float)
        if scores.shape != (X.shape[1],) or np.isnan(scores).any():
            raise ValueError(
                f"score_func must return a number for each of the {X.shape[1]} features, got {scores.tolist()}"
            )
        self.scores_ = scores
        self._choose(largest(scores, self.k))
        return self


# ---------------------------------------------------------------------------------------------------------------
# Wrappers
# ---------------------------------------------------------------------------------------------------------------
class _Search(_Selector):
    """What the two searches share: the score of a list of features, and the rounds."""

    estimator: object = part("Of mlcore or scikit-learn; it is copied for each fit.", form="classifier or regressor")
    n_features: int = whole(None, "How many features are left.", low=1)
    cv: object = CV
    scoring: object = SCORING

    def __sklearn_tags__(self):
        tags = tags_of_members(super().__sklearn_tags__(), self.estimator)
        tags.target_tags.required = True
        return tags

    def _score_of(self, X, y):
        """The function score(F), on the same splits for every F."""
        self.checked()
        kind = kind_of(self.estimator)
        X, y = (check_classification if kind == "classifier" else check_regression)(self, X, y, dtype=None)
        y = self.classes_[y] if kind == "classifier" else y
        self._complete = _is_complete(X)
        if self.n_features is not None:
            check_int("n_features", self.n_features, low=1, high=X.shape[1])
        splits = splits_of(self.cv, X, y, kind)
        self.n_evaluations_, self.path_, self.rounds_ = 0, [], []

        def score(F):
            self.n_evaluations_ += 1
            F = sorted(F)
            scores = cross_val_score(self.estimator, take(X, slice(None), F), y, scoring=self.scoring, cv=splits)
            return float(scores.mean())

        return score

    def _record(self, F, j, scores):
        self._choose(F)
        self.score_ = scores[j]
        self.path_.append((j, scores[j]))
        self.rounds_.append(scores)
        return self


class ForwardSelection(_Search):
    """Begin with no feature; in each round add the one with which the model does best (前向搜索).

    F ← F ∪ {j},   j = argmax over i not in F of score(F ∪ {i})

    ``score`` is the mean over the splits of cross-validation. To reach k of d features takes exactly kd - k(k-1)/2
    scores, each of one fit a split. A pair that is useless apart may be missed: neither is ever added alone.

    Attributes
    ----------
    support_ : bool ndarray of shape (n_features,)
        Which features are chosen.
    path_ : list of (int, float)
        For each round the feature that was added, and the score with it.
    rounds_ : list of dicts
        For each round the score of every candidate.
    score_ : float
        Of the chosen features. It was chosen for being large, so it flatters them.
    n_evaluations_ : int

    Notes A 9.3.1.
    """

    n_features: int = whole(None, "How many features to choose. None: as long as the score rises.", low=1)

    def iter_fit(self, X, y):
        """Yield self after each feature that is added."""
        score = self._score_of(X, y)
        F, d = [], self.n_features_in_
        while len(F) < (self.n_features or d):
            j, scores = best_addition(F, d, score)
            if self.n_features is None and F and scores[j] <= self.score_:
                return
            F.append(j)
            yield self._record(F, j, scores)


class BackwardElimination(_Search):
    """Begin with all features; in each round leave out the one that is missed least (后向搜索).

    F ← F without j,   j = argmax over i in F of score(F without i)

    It sees features in company from the start, so it keeps a pair that decides only together; but its first rounds
    fit the model to all features, which is dear, and with more features than samples may be hopeless.

    Attributes
    ----------
    support_ : bool ndarray of shape (n_features,)
        Which features are kept.
    path_ : list of (int, float)
        For each round the feature that was left out, and the score without it.
    rounds_ : list of dicts
        For each round the score without each of the features.
    score_ : float
        Of the features that are kept.
    n_evaluations_ : int

    Notes A 9.3.1.
    """

    n_features: int = whole(
        None, "How many features to keep. None: leave out as long as the score does not fall, down to one.", low=1
    )

    def iter_fit(self, X, y):
        """Yield self, first with all features, then after each that is left out."""
        score = self._score_of(X, y)
        F = list(range(self.n_features_in_))
        self._choose(F)
        self.score_ = score(F)
        yield self
        while len(F) > (self.n_features or 1):
            j, scores = best_removal(F, score)
            if self.n_features is None and scores[j] < self.score_:
                return
            F.remove(j)
            yield self._record(F, j, scores)


# ---------------------------------------------------------------------------------------------------------------
# Permutation
# ---------------------------------------------------------------------------------------------------------------
@door(
    model=anything(REQUIRED, "fitted estimator with ``score``", "It is asked, and not trained again."),
    X=anything(REQUIRED, "array-like or DataFrame of shape (n_samples, n_features)", "Rows that it has not seen."),
    y=anything(REQUIRED, "array-like of shape (n_samples,)", "What is right."),
    n_repeats=whole(5, "How often each feature is shuffled.", low=1),
    random_state=seed("Shuffles."),
)
def permutation_importance(model, X, y, *, n_repeats=5, random_state=None):
    """Return how much a fitted model's score falls when the values of one feature are shuffled (置换重要性).

    importance(j) = score(X) - score(X with column j shuffled),   the mean over repetitions

    So it tells what *this model* leans on, not what could be learned without the feature. Shuffled rows may be such as
    never occur.

    Returns
    -------
    ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        If the model has no score, or for bad data.

    Notes C 5.6, which trains again after the shuffle: another question, with another answer.
    """
    if not callable(getattr(model, "score", None)):
        raise ValueError(f"a fitted model with score(X, y) is needed, got {model!r}")
    X = check_array(X, dtype=None)
    if np.ndim(y) == 0:
        raise ValueError(f"y must hold the target of each row, got {shown(y)}")
    check_consistent_length(X, np.asarray(y))
    return core.permutation_importance(lambda table: model.score(table, y), X, n_repeats, random_state)
