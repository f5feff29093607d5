"""Gradient boosting (梯度提升): descent with a loss of your choice, each step a small regression tree.

Notes C 6.3-6.4; Friedman 2001.
"""

import math

import numpy as np

from mlcore.base import (
    BinaryClassifier,
    Estimator,
    Regressor,
    check_is_fitted,
    check_regression,
    check_sample_weight,
    check_two_classes,
    check_X,
    choice,
    real,
    run,
    seed,
    whole,
)
from mlcore.core.boosting import boosting_round, descent_logistic, descent_squared, leaf_steps
from mlcore.engines.trees import Columns, Growth, Limits, SquaredErrorCriterion
from mlcore.numerics import expit, softplus
from mlcore.optimize import last

__all__ = [
    "GradientBoostingClassifier", "GradientBoostingRegressor", "boosting_round", "descent_logistic", "descent_squared",
    "leaf_steps",
]  # fmt: skip


class _GradientBoosting(Estimator):
    """A sum of small regression trees, each fitted to the residuals: minus the gradient of the loss in the scores."""

    n_estimators: int = whole(100, "Number of trees.", low=1)
    learning_rate: float = real(
        0.1,
        "ν. With the squared error and all rows the residuals of a leaf shrink by the factor 1 - ν; from 2 on they\n"
        "would not shrink at all.",
        low=0, high=2, low_open=True, high_open=True,
    )  # fmt: skip
    max_depth: int = whole(3, "Depth of the trees: how many features can act together.", low=1)
    min_samples_leaf: int = whole(1, "A split of a tree must leave at least this many rows on both sides.", low=1)
    subsample: float = real(
        1.0,
        "Share of the rows that each tree is fitted to, drawn without replacement (stochastic gradient boosting).",
        low=0, high=1, low_open=True,
    )  # fmt: skip
    init: str = choice(
        "constant", ("constant", "zero"),
        "Start from the best constant (the mean of y, the log-odds of the classes), or from 0 as the notes do.",
    )  # fmt: skip
    random_state: object = seed("For ``subsample``.")

    def _boost(self, X, y, weight, descent, loss):
        """Run round after round; yield after each."""
        p = self.checked()
        limits = Limits(max_depth=p.max_depth, min_samples_leaf=p.min_samples_leaf)
        there = weight > 0
        X, y, weight = X[there], y[there], weight[there]
        columns, equal = Columns(X), (weight == 1).all()

        def grow(r, w):
            rows = w.nonzero()[0]
            growth = Growth(columns, SquaredErrorCriterion(r, None if equal else w), limits, rows=rows)
            run(growth.steps())
            tree = growth.tree([f"x{j}" for j in range(X.shape[1])])
            return tree, growth.leaf if len(rows) == len(X) else tree.apply(X)

        self.initial_score_ = self._constant(y, weight) if p.init == "constant" else 0.0
        scores, w = np.full(len(X), self.initial_score_), weight
        self.estimators_, self.leaf_values_, self.train_loss_ = [], [], []
        for _ in range(p.n_estimators):
            if p.subsample < 1:  # rows that are not drawn do not count in this round
                w = np.zeros(len(X))
                rows = p.random_state.permutation(len(X))[: max(1, int(p.subsample * len(X)))]
                w[rows] = weight[rows]
            tree, values, scores = boosting_round(y, scores, w, descent, grow, p.learning_rate)
            self.estimators_.append(tree)
            self.leaf_values_.append(values)
            self.train_loss_.append(float(np.average(loss(y, scores), weights=weight)))
            yield self

    def _staged_scores(self, X):
        X = check_X(self, X)
        scores = np.full(len(X), self.initial_score_)
        for tree, values in zip(self.estimators_, self.leaf_values_, strict=True):
            scores = scores + values[tree.apply(X)]
            yield scores

    def _scores(self, X):
        return last(self._staged_scores(X))

    @property
    def feature_importances_(self):
        """(n_features,) mean over the trees of each feature's share in the decrease of squared error."""
        check_is_fitted(self)
        return np.mean([tree.feature_importances() for tree in self.estimators_], axis=0)


class GradientBoostingRegressor(_GradientBoosting, Regressor):
    """Gradient boosted regression trees (GBDT) for the squared error.

    s_0 = mean of y;   s_t(x) = s_{t-1}(x) + ν g_t(x),   g_t a regression tree fitted to the residuals y - s_{t-1}(x)

    The residual is minus the gradient of ½ (y - s)² in s. The notes then fit η_t = Σ g r / Σ g², a regression of the
    residuals r on g; as the leaves of g are means of r, that gives η_t = 1 for every tree fitted to all rows. The
    learning rate ν < 1 takes a part of it: more trees, and a better sum.

    Attributes
    ----------
    estimators_ : list of Tree
    leaf_values_ : list of ndarrays of shape (n_nodes,)
        What each tree adds to the score in each of its leaves, ν included.
    initial_score_ : float
    train_loss_ : list of float
        Mean of ½ (y - s)² after each tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes C 6.3-6.4.
    """

    def iter_fit(self, X, y, sample_weight=None):
        X, y = check_regression(self, X, y)
        yield from self._boost(
            X, y, check_sample_weight(sample_weight, len(X)), descent_squared, lambda y, s: (y - s) ** 2 / 2
        )

    def _constant(self, y, weight):
        return float(np.average(y, weights=weight))

    def staged_predict(self, X):
        """Yield ``predict(X)`` after 1, 2, ... trees."""
        yield from self._staged_scores(X)

    def predict(self, X):
        """Return the sum of the trees: shape (n_samples,)."""
        return self._scores(X)


class GradientBoostingClassifier(_GradientBoosting, BinaryClassifier):
    """Gradient boosted trees (GBDT) for two classes and the logistic loss.

    P(1 | x) = 1 / (1 + exp(-s(x)));   s_t = s_{t-1} + ν g_t

    The residuals are y - p, minus the gradient of the loss ln(1 + exp(s)) - y s. A tree fitted to them says which rows
    belong together. The step in each leaf is one step of Newton's method, Σ (y - p) / Σ p (1 - p): the exact minimum
    has no closed form.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    estimators_ : list of Tree
    leaf_values_ : list of ndarrays of shape (n_nodes,)
        What each tree adds to the score in each of its leaves, ν included.
    initial_score_ : float
    train_loss_ : list of float
        Mean logistic loss after each tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes C 6.3-6.4, with the logistic in place of the squared error.
    """

    def iter_fit(self, X, y, sample_weight=None):
        X, y = check_two_classes(self, X, y)
        weight = check_sample_weight(sample_weight, len(X))
        if len(np.unique(y[weight > 0])) < 2:
            raise ValueError("all rows with a positive weight are of one class: there is nothing to tell apart")
        yield from self._boost(X, y.astype(float), weight, descent_logistic, lambda y, s: softplus(s) - y * s)

    def _constant(self, y, weight):
        return math.log(weight[y == 1].sum()) - math.log(weight[y == 0].sum())

    def staged_decision_function(self, X):
        """Yield ``decision_function(X)`` after 1, 2, ... trees."""
        yield from self._staged_scores(X)

    def decision_function(self, X):
        """Return s(x), the log-odds of ``classes_[1]``: shape (n_samples,)."""
        return self._scores(X)

    def predict_proba(self, X):
        """Return P(k | x), of shape (n_samples, 2)."""
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])
