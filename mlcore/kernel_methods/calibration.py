"""Platt scaling: from the scores of any classifier to probabilities."""

import numpy as np

from mlcore.base import Classifier, check_classification, check_flag, check_int, check_X, clone
from mlcore.members import fold_numbers
from mlcore.numerics import expit, softplus
from mlcore.optimize import last, newton
from mlcore.support_vector_machines import SVC

__all__ = ["PlattScaling"]


class PlattScaling(Classifier):
    """A probability from a score (Platt缩放): P(y = +1 | x) = 1 / (1 + e^(-(A s(x) + B))).

    s is the ``decision_function`` of another classifier. A and B minimise the log-loss
    -Σ [t_i ln p_i + (1 - t_i) ln(1 - p_i)], a logistic regression with one feature (notes C 3.3).

    Two refinements of the notes. The classifier has seen its training points, so its scores there are too sure; with
    ``cv`` each score comes from a model that was trained without the point. And Platt's targets are not 1 and 0 but

        t = (N₊ + 1) / (N₊ + 2) for y = +1   and   t = 1 / (N₋ + 2) for y = -1,

    so that A stays finite even where the scores separate the classes. Notes C 3.3 have ``cv=None`` and
    ``smooth_targets=False``.

    Parameters
    ----------
    estimator : classifier of two classes with ``decision_function``, or None
        It is cloned, not changed. None is ``SVC()``.
    cv : int >= 2 or None
        The number of folds for the scores; each holds every class in about its share, the points taken in turn. None
        uses the scores on the training points themselves.
    smooth_targets : bool
        Whether to take Platt's targets.

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

    def __init__(self, estimator=None, *, cv=None, smooth_targets=True):
        self.estimator = estimator
        self.cv = cv
        self.smooth_targets = smooth_targets

    def fit(self, X, y):
        """Fit the classifier, then A and B.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; a class with fewer than ``cv`` points; an estimator without scores; or where A
            would be infinite, because the scores separate the classes and the targets are 1 and 0.
        """
        smooth = check_flag("smooth_targets", self.smooth_targets)
        cv = None if self.cv is None else check_int("cv", self.cv, low=2)
        estimator = SVC() if self.estimator is None else self.estimator
        if not hasattr(estimator, "decision_function"):
            raise ValueError(f"estimator must have a decision_function, whose values are scaled; got {estimator!r}")
        X, codes = check_classification(self, X, y, n_classes=2)
        labels = self.classes_[codes]
        self.estimator_ = clone(estimator).fit(X, labels)
        if cv is None:
            self.scores_ = _scores(self.estimator_, X)
        else:
            self.scores_ = _out_of_fold_scores(estimator, X, labels, _folds(codes, cv))
        self.A_, self.B_ = _fit_expit(self.scores_, codes, smooth)
        return self

    def decision_function(self, X):
        """Return A s(x) + B, the log-odds of ``classes_[1]``, for each row, shape (n_samples,)."""
        X = check_X(self, X)
        return self.A_ * _scores(self.estimator_, X) + self.B_

    def predict_proba(self, X):
        """Return the probabilities of both classes, shape (n_samples, 2)."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def predict(self, X):
        """Return the more probable class of each row, shape (n_samples,); B may move the boundary of the classifier."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.pairwise = _is_pairwise(self.estimator)
        return tags


def _is_pairwise(estimator):
    """Whether X is a matrix with a column for each training row."""
    kernel = getattr(estimator, "kernel", None)
    return isinstance(kernel, str) and kernel == "precomputed"


def _scores(model, X):
    scores = np.asarray(model.decision_function(X), dtype=float)
    if scores.shape != (len(X),):
        raise ValueError(f"the estimator must give one score a row, got shape {scores.shape} for {len(X)} rows")
    return scores


def _folds(codes, k):
    """The fold of each point, 0 to k - 1: the points of each class are dealt out in turn."""
    rarest = np.bincount(codes, minlength=2).min()
    if rarest < k:
        raise ValueError(
            f"cv={k} needs at least {k} points of each class, but one class has {rarest}: take fewer folds"
        )
    return fold_numbers(codes, k, is_classification=True)


def _out_of_fold_scores(estimator, X, labels, fold):
    """Score each point by a model that was trained on the other folds."""
    scores = np.empty(len(X))
    for k in range(fold.max() + 1):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        columns = train if _is_pairwise(estimator) else np.arange(X.shape[1])
        model = clone(estimator).fit(X[np.ix_(train, columns)], labels[train])
        scores[test] = _scores(model, X[np.ix_(test, columns)])
    return scores


def _fit_expit(scores, codes, smooth):
    """Return A and B by Newton's method, in standardised scores."""
    positive = np.count_nonzero(codes)
    negative = len(codes) - positive
    if smooth:
        target = np.where(codes == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    else:
        _refuse_separated(scores[codes == 0], scores[codes == 1])
        target = codes.astype(float)
    middle, spread = scores.mean(), scores.std()
    if spread <= 1e-12 * np.abs(scores).max():  # scores that say nothing
        return 0.0, float(np.log(target.mean() / (1 - target.mean())))
    design = np.column_stack([(scores - middle) / spread, np.ones(len(scores))])

    def gradient(theta):
        return design.T @ (expit(design @ theta) - target)

    def hessian(theta):
        z = design @ theta
        return (design * (expit(z) * expit(-z))[:, np.newaxis]).T @ design

    def log_loss(theta):
        z = design @ theta
        return softplus(z).sum() - target @ z

    slope, shift = last(newton(gradient, hessian, np.zeros(2), tol=1e-9 * len(scores), objective=log_loss))
    return float(slope / spread), float(shift - slope * middle / spread)


def _refuse_separated(low, high):
    """Refuse scores that separate the classes, in either direction: the log-loss then falls for ever as A grows."""
    if low.max() <= high.min() or high.max() <= low.min():
        raise ValueError(
            "the scores separate the classes, so with targets 1 and 0 the best A is infinite: keep "
            "smooth_targets=True, or take the scores from other points (cv)"
        )
