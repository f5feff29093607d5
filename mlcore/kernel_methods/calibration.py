"""Platt scaling: from the scores of any classifier to probabilities."""

import numpy as np

from mlcore.base import BinaryClassifier, check_numbers, check_two_classes, check_X, clone, flag, part, whole
from mlcore.base.members import fold_numbers, tags_of_members, take
from mlcore.core.kernel_methods import platt_objective, platt_step, soft_targets
from mlcore.numerics import expit, finite, newton_walk
from mlcore.support_vector_machines import SVC

__all__ = ["PlattScaling"]


class PlattScaling(BinaryClassifier):
    """A probability from a score (Platt缩放): P(y = +1 | x) = 1 / (1 + e^(-(A s(x) + B))).

    s is the ``decision_function`` of another classifier. A and B minimise the log-loss
    -Σ [t_i ln p_i + (1 - t_i) ln(1 - p_i)], a logistic regression with one feature (notes C 3.3).

    Two refinements of the notes. The classifier has seen its training points, so its scores there are too sure; with
    ``cv`` each score comes from a model that was trained without the point. And Platt's targets are not 1 and 0 but

        t = (N₊ + 1) / (N₊ + 2) for y = +1   and   t = 1 / (N₋ + 2) for y = -1,

    so that A stays finite even where the scores separate the classes. Notes C 3.3 have ``cv=None`` and
    ``smooth_targets=False``.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all points.
    A_, B_ : float
        Slope and shift.
    scores_ : ndarray of shape (n,)
        The scores that A and B were fitted to.
    classes_ : ndarray of shape (2,)

    References
    ----------
    Notes C 3.3; Platt, "Probabilistic outputs for support vector machines" (1999).
    """

    estimator: object = part(
        "It is cloned, not changed. None is ``SVC()``.", default=None,
        form="classifier of two classes with ``decision_function``, or None",
    )
    cv: int = whole(
        None,
        "The number of folds for the scores; each holds every class in about its share, the points taken in turn.\n"
        "None uses the scores on the training points themselves.",
        low=2,
    )
    smooth_targets: bool = flag(True, "Whether to take Platt's targets.")

    def fit(self, X, y):
        """Fit the classifier, then A and B. X may hold missing values or words, where the classifier takes them.

        Raises
        ------
        ValueError
            For bad parameters or data; a class with fewer than ``cv`` points; an estimator without scores, or with
            scores beyond 1e100; or where A would be infinite, because the scores separate the classes and the targets
            are 1 and 0.
        """
        p = self.checked()
        estimator = self._estimator()
        if not hasattr(estimator, "decision_function"):
            raise ValueError(f"estimator must have a decision_function, whose values are scaled; got {estimator!r}")
        X, codes = check_two_classes(self, X, y, dtype=None)
        labels = self.classes_[codes]
        self.estimator_ = clone(estimator).fit(X, labels)
        if p.cv is None:
            self.scores_ = _scores(self.estimator_, X)
        else:
            self.scores_ = _held_out_scores(estimator, X, labels, codes, p.cv)
        if not p.smooth_targets:
            _refuse_separated(self.scores_[codes == 0], self.scores_[codes == 1])
        self.A_, self.B_ = _slope_and_shift(self.scores_, soft_targets(codes == 1) if p.smooth_targets else codes)
        return self

    def decision_function(self, X):
        """Return A s(x) + B, the log-odds of ``classes_[1]``, for each row, shape (n_samples,)."""
        X = check_X(self, X, dtype=None)
        return self.A_ * _scores(self.estimator_, X) + self.B_

    def predict_proba(self, X):
        """Return the probabilities of both classes, shape (n_samples, 2); B may move the boundary of the classifier."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def _estimator(self):
        return SVC() if self.estimator is None else self.estimator

    def __sklearn_tags__(self):
        tags = tags_of_members(super().__sklearn_tags__(), self._estimator())
        tags.input_tags.pairwise = _is_pairwise(self.estimator)
        return tags


def _is_pairwise(estimator):
    """Whether X is a matrix with a column for each training row."""
    kernel = getattr(estimator, "kernel", None)
    return isinstance(kernel, str) and kernel == "precomputed"


def _scores(model, X):
    scores = check_numbers(model.decision_function(X), "the estimator's decision_function")
    if scores.shape != (len(X),):
        raise ValueError(f"the estimator must give one score a row, got shape {scores.shape} for {len(X)} rows")
    return scores


def _held_out_scores(estimator, X, labels, codes, cv):
    """Score each point by a model that was trained on the other folds."""
    rarest = np.bincount(codes).min()
    if rarest < cv:
        raise ValueError(
            f"cv={cv} needs at least {cv} points of each class, but one class has {rarest}: take fewer folds"
        )
    scores, fold = np.empty(len(X)), fold_numbers(codes, cv, is_classification=True)
    for k in range(cv):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        columns = train if _is_pairwise(estimator) else slice(None)
        model = clone(estimator).fit(take(X, train, columns), labels[train])
        scores[test] = _scores(model, take(X, test, columns))
    return scores


def _slope_and_shift(scores, t):
    """Return A and B, found in units in which the scores have mean 0 and reach as far as 1."""
    middle = scores.mean()
    reach = np.abs(scores - middle).max()
    if reach <= 1e-14 * np.abs(scores).max():  # scores that say nothing
        return 0.0, float(np.log(t.mean() / (1 - t.mean())))
    S = np.column_stack([(scores - middle) / reach, np.ones(len(t))])
    walk = newton_walk(
        np.zeros(2), lambda theta: (platt_objective(theta, S, t), None), lambda theta, _: platt_step(theta, S, t), 100
    )
    for place in walk:
        slope, shift = place.theta + place.move
        if place.promised <= 1e-12 * len(t):
            break
    A = finite(slope / reach, "A overflows: the scores differ too little; rescale them")
    return float(A), float(shift - slope * (middle / reach))


def _refuse_separated(low, high):
    """Refuse scores that separate the classes, in either direction: the log-loss then falls for ever as A grows."""
    if low.max() <= high.min() or high.max() <= low.min():
        raise ValueError(
            "the scores separate the classes, so with targets 1 and 0 the best A is infinite: keep "
            "smooth_targets=True, or take the scores from other points (cv)"
        )
