"""Softmax regression: K classes at once. Notes A 5.2, B "多分类的逻辑回归"."""

import numpy as np

from mlcore.base import (
    Classifier,
    check_choice,
    check_classification,
    check_int,
    check_real,
    check_sample_weight,
    linear_scores,
    run,
)
from mlcore.core.generalized_linear_models import (
    free_directions,
    softmax_gradient,
    softmax_hessian,
    softmax_newton_step,
)
from mlcore.features import indicator
from mlcore.generalized_linear_models.irls import warn_unless_converged
from mlcore.numerics import log_softmax, newton_fit, penalty_in_units, softmax, standardise

__all__ = ["softmax_hessian", "SoftmaxRegression"]


# ---------------------------------------------------------------------------------------------------------------
# The formulas
# ---------------------------------------------------------------------------------------------------------------
# X has a last column of ones, shape (n, d + 1). Y, the one-hot labels, and P, the softmax of the scores X Wᵀ,
# have shape (n, K), the weights ω of the rows (n,). The K rows of W = C V come from K - 1 free ones, the
# rows of V, shape (K - 1, d + 1), by a fixed matrix C of shape (K, K - 1). The penalties α, one for each
# column of V and 0 for the last, have shape (d + 1,).
# ---------------------------------------------------------------------------------------------------------------
# The estimator
# ---------------------------------------------------------------------------------------------------------------
class SoftmaxRegression(Classifier):
    """K classes, whose probabilities are the softmax of K linear scores (softmax 回归, 多项逻辑回归).

    P(k | x) = e^(w_k·x + b_k) / Σ_j e^(w_j·x + b_j)

    The weights minimise -Σ ω ln P(y | x) + ½ α ‖W‖² by Newton's method with step halving. One vector can be added to
    all w_k without any effect, so there are only K - 1 free ones. Notes A 5.2 (95)-(97), B "多分类的逻辑回归".

    Parameters
    ----------
    alpha : float
        Strength of the penalty, >= 0: scikit-learn's 1/C. The intercepts are not penalised. With 0 there is no maximum
        where the classes can be separated.
    parametrization : "full" or "reference"
        K weight vectors that sum to 0, or K - 1 and a last one that is 0. For alpha=0 both give the same probabilities;
        for alpha>0 they do not: "reference" then treats the last class unlike the others.
    max_iter : int
        The largest number of steps.
    tol : float
        In [0, 1]: stop when a step promises to lower the objective by no more than tol² of its first value, and is
        short.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        The w_k, also for two classes.
    intercept_ : ndarray of shape (n_classes,)
        The b_k.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    loss_ : float
        -Σ ω ln P(y | x) of the training data, without the penalty.
    n_iter_ : int
        Steps made.
    status_ : str
        "converged"; "no maximum" (the classes can be separated, ``fit`` warns); "stopped" (likewise); inside
        ``iter_fit`` "running".
    """

    def __init__(self, *, alpha=1.0, parametrization="full", max_iter=100, tol=1e-6):
        self.alpha = alpha
        self.parametrization = parametrization
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Learn the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; if there is only one class, or all rows of one have weight 0.
        """
        run(self.iter_fit(X, y, sample_weight))
        warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Yield the model itself, ready to predict, after each Newton step; see ``fit``."""
        check_choice("parametrization", self.parametrization, ("full", "reference"))
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0, high=1)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        X, codes, weights = self._check(X, y, sample_weight)
        total, n_classes = float(weights.sum()), len(self.classes_)
        weights = weights / total
        Z, center, scale = standardise(X, weights)
        Z, Y = np.column_stack([Z, np.ones(len(Z))]), indicator(codes, n_classes)
        alpha = np.append(penalty_in_units(alpha / total, scale), 0.0)
        C = free_directions(n_classes) if self.parametrization == "full" else np.eye(n_classes)[:, :-1]
        self.n_iter_ = 0
        for V, value, self.status_ in _walk(Z, Y, C, weights, alpha, max_iter, tol):
            W = C @ V
            self.coef_ = W[:, :-1] / scale
            self.intercept_ = W[:, -1] - self.coef_ @ center
            self.loss_ = total * float(value - 0.5 * np.sum(alpha * V**2))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _check(self, X, y, sample_weight):
        """Check the data, and leave out the rows of weight 0."""
        X, codes = check_classification(self, X, y, min_classes=2)
        weights = check_sample_weight(sample_weight, len(X))
        counted = weights > 0
        present = np.bincount(codes[counted], minlength=len(self.classes_)) > 0
        if not present.all():
            missing = self.classes_.tolist()[np.argmin(present)]
            raise ValueError(f"sample_weight is zero for every row of class {missing!r}")
        return (X, codes, weights) if counted.all() else (X[counted], codes[counted], weights[counted])

    def decision_function(self, X):
        """Return the scores, shape (n_samples, n_classes); for two classes their difference, shape (n_samples,)."""
        scores = linear_scores(self, X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, shape (n_samples, n_classes); each row sums to 1."""
        return softmax(linear_scores(self, X))

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, finite where they round to 0."""
        return log_softmax(linear_scores(self, X))

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,)."""
        best = np.argmax(linear_scores(self, X), axis=1)
        return self.classes_[best]


def _walk(X, Y, C, weights, alpha, max_iter, tol):
    """Newton's walk: yields (V, J(V), status). It starts at the best model without features, the classes' shares."""
    own = Y.astype(bool)

    def look(V):
        logs = log_softmax((C @ V @ X.T).T)  # each class in one piece of memory: quicker than row by row
        return -weights @ logs[own] + 0.5 * np.sum(alpha * V**2), np.exp(logs)

    def step(V, P):
        slope = softmax_gradient(V, P, Y, C, X, weights, alpha)
        return softmax_newton_step(slope, P, C, X, weights, alpha), slope

    def reach(move):
        return np.ptp(C @ move @ X.T, axis=0).max()

    start, logs = np.zeros((C.shape[1], X.shape[1])), np.log(weights @ Y)
    start[:, -1] = np.linalg.lstsq(C - C[-1], logs - logs[-1], rcond=None)[0]
    return newton_fit(start, look, step, reach, max_iter, tol, penalised=alpha.any())
