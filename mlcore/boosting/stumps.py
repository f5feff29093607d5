"""Decision stumps (决策树桩): the best single question, by running sums along columns that are sorted once.

Notes C 6.1, E (AdaBoost).
"""

import numpy as np

from mlcore.base import Classifier, check_classification, check_sample_weight, check_X
from mlcore.core.boosting import best_question, left_weights, weight_correct
from mlcore.core.decision_trees import midpoints

__all__ = ["TIE", "DecisionStump", "best_question", "left_weights", "sort_columns", "weight_correct"]

TIE = 1e-12
"""Shares of the whole weight that differ by less are equal: sums in another order differ by rounding."""


def sort_columns(X):
    """Return the ``order`` and the ``cuts`` of a table X of shape (n, d)."""
    order = np.ascontiguousarray(X.argsort(axis=0, kind="stable").T)
    ordered, cuts = np.take_along_axis(X.T, order, axis=1), np.zeros(order.shape, dtype=bool)
    cuts[:, :-1] = ordered[:, 1:] > ordered[:, :-1]
    return order, cuts


class DecisionStump(Classifier):
    """A tree with a single question (决策树桩): "x_j <= t?", and the heavier class on either side.

    Of all questions the one with the least weighted error Σ_i w_i 1{y_i ≠ φ(x_i)}; equal ones: the first feature, then
    the lowest threshold. Thresholds lie midway between neighbouring values. A side with two classes of equal weight
    takes the first.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_ : int
        j; -1 if all columns are constant. Then the heaviest class is predicted everywhere.
    threshold_ : float
        t.
    side_weights_ : ndarray of shape (2, n_classes)
        Shares of the classes in the weight on the left (x_j <= t) and on the right.

    Notes C 6.1, E (AdaBoost).
    """

    _poor_score = True  # one question cannot part three clouds

    def __init__(self):
        """Take no parameters: the data say it all."""

    def fit(self, X, y, sample_weight=None):
        """Find the best question."""
        X, y = check_classification(self, X, y)
        weight = check_sample_weight(sample_weight, len(X))
        there = weight > 0
        X, y, weight = X[there], y[there], weight[there]
        return self.learn(X, y, weight / weight.sum(), *sort_columns(X))

    def learn(self, X, y, w, order, cuts):
        """Find the best question on checked data with sorted columns; return self."""
        self.feature_, self.threshold_, K = -1, np.inf, len(self.classes_)
        if cuts.any():
            j, p = best_question(w, y, order, cuts, K)
            self.feature_, self.threshold_ = int(j), float(midpoints(*X[order[j, p : p + 2], j]))
        side = self.side(X)
        weights = np.bincount(K * side + y, weights=w, minlength=2 * K).reshape(2, K)
        self._winners = (weights >= weights.max(axis=1, keepdims=True) - TIE).argmax(axis=1)  # the first of equal ones
        self.side_weights_ = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        return self

    def side(self, X):
        """Return 0 for rows on the left of the threshold and 1 for those on its right: shape (n_samples,)."""
        return (X[:, self.feature_] > self.threshold_).astype(np.intp)

    def codes(self, X):
        """Return the number of the class that is predicted for each row of a checked X: shape (n_samples,)."""
        return self._winners[self.side(X)]

    def predict(self, X):
        """Return the heavier class of the side of each row: shape (n_samples,)."""
        X = check_X(self, X)
        return self.classes_[self.codes(X)]

    def predict_proba(self, X):
        """Return the shares of the classes on the side of each row: shape (n_samples, n_classes)."""
        X = check_X(self, X)
        return self.side_weights_[self.side(X)]
