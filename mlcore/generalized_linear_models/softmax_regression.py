"""Softmax regression: K classes at once. Notes A 5.2, B "多分类的逻辑回归"."""

import numpy as np

from mlcore.base import Classifier, check_classification, check_sample_weight, choice, linear_scores, real, run, whole
from mlcore.core.generalized_linear_models import (
    free_directions,
    softmax_gradient,
    softmax_hessian,
    softmax_newton_step,
)
from mlcore.features import indicator
from mlcore.generalized_linear_models.irls import warn_unless_converged
from mlcore.numerics import linear_problem, log_softmax, newton_fit, softmax

__all__ = ["softmax_hessian", "SoftmaxRegression"]


class SoftmaxRegression(Classifier):
    """K classes, whose probabilities are the softmax of K linear scores (softmax 回归, 多项逻辑回归).

    P(k | x) = e^(w_k·x + b_k) / Σ_j e^(w_j·x + b_j)

    The weights minimise -Σ ω ln P(y | x) + ½ α ‖W‖² by Newton's method with step halving. One vector can be added to
    all w_k without any effect, so there are only K - 1 free ones. Notes A 5.2 (95)-(97), B "多分类的逻辑回归".

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

    alpha: float = real(
        1.0,
        "Strength of the penalty: scikit-learn's 1/C. The intercepts are not penalised. With 0 there is no maximum\n"
        "where the classes can be separated.",
        low=0,
    )
    parametrization: str = choice(
        "full", ("full", "reference"),
        "K weight vectors that sum to 0, or K - 1 and a last one that is 0. For alpha=0 both give the same\n"
        "probabilities; for alpha>0 they do not: \"reference\" then treats the last class unlike the others.",
    )
    max_iter: int = whole(100, "The largest number of steps.", low=1)
    tol: float = real(
        1e-6, "Stop when a step promises to lower the objective by no more than tol² of its first value, and is short.",
        low=0, high=1,
    )

    def fit(self, X, y, sample_weight=None):
        run(self.iter_fit(X, y, sample_weight))
        warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        p = self.checked()
        X, codes, weights = self._check(X, y, sample_weight)
        frame, n_classes = linear_problem(X, weights, p.alpha), len(self.classes_)
        C = free_directions(n_classes) if p.parametrization == "full" else np.eye(n_classes)[:, :-1]
        walk = _walk(frame.X, indicator(codes, n_classes), C, frame.weights, frame.penalties, p.max_iter, p.tol)
        self.n_iter_ = 0
        for V, value, self.status_ in walk:
            self.coef_, self.intercept_ = frame.back(C @ V)
            self.loss_ = frame.total * float(value - 0.5 * np.sum(frame.penalties * V**2))
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
