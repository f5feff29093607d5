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
from mlcore.generalized_linear_models.descent import (
    descend,
    solve,
    standardised_penalty,
    warn_unless_converged,
    weighted_gram,
)
from mlcore.numerics import log_shares, shares, standardise

__all__ = ["SoftmaxRegression"]


class _SoftmaxProblem:
    """J(V) = -Σ ω_i ln p(y_i) + ½ Σ α_j V_kj², with scores Z = X Vᵀ Cᵀ and p the softmax of a row of Z.

    ∇J = Cᵀ(ω (P - Y))ᵀ X + α V, and ∇²J sums (Cᵀ [diag(p) - ppᵀ] C) ⊗ ω x xᵀ over the rows and adds α to the diagonal.
    C (K, K - 1) turns K - 1 free weight vectors, the rows of V, into K: see ``_free_directions``.
    """

    def __init__(self, X, codes, n_classes, weights, penalty, directions):
        self.X, self.weights, self.C = X, weights, directions
        self.codes = codes
        self.shape = n_classes - 1, X.shape[1]
        self.penalty = np.tile(penalty, n_classes - 1)
        self.penalised, self.noise = bool(penalty.any()), 1e-30
        self._last = None, None

    def _logs(self, theta):
        """The log-probabilities at θ, remembered: a step asks for those of the value before it."""
        if self._last[0] is None or not np.array_equal(self._last[0], theta):
            scores = self.X @ theta.reshape(self.shape).T @ self.C.T
            self._last = theta.copy(), log_shares(scores) if np.isfinite(scores).all() else None
        return self._last[1]

    def value(self, theta):
        """J, infinite where the scores overflow."""
        logs = self._logs(theta)
        if logs is None:
            return np.inf
        return float(-self.weights @ logs[np.arange(len(logs)), self.codes] + 0.5 * self.penalty @ np.square(theta))

    def step(self, theta):
        """Newton's step, and what it promises."""
        P = np.exp(self._logs(theta))
        miss = self.weights[:, np.newaxis] * _less_one(P, self.codes)  # ω (P - Y)
        downhill = -((miss @ self.C).T @ self.X).ravel() - self.penalty * theta
        move = solve(self._hessian(P), downhill)
        return move, float(downhill @ move)

    def _hessian(self, P):
        """∇²J: the sum of ω Cov(C_y) ⊗ x xᵀ, the covariance of the rows of C for a class y drawn from p, plus α.

        It is measured from C_b, b the most probable class: Cov(C_y) = E[(C_y - C_b)(C_y - C_b)ᵀ] - m mᵀ with
        m = E[C_y - C_b]. So nothing cancels where p is nearly 0 and 1.
        """
        best, (k, d) = np.argmax(P, axis=1), self.shape
        H = self._pairs(P, best)
        H[range(k + 1), range(k + 1)] = -H.sum(axis=1)  # Σ over pairs of (C_k - C_l)(C_k - C_l)ᵀ: rows sum to 0
        H = np.tensordot(np.tensordot(self.C, H, (0, 0)), self.C, (1, 0))  # (a, i, j, b): Σ C_ka H_klij C_lb
        H = H.swapaxes(2, 3).reshape(k * d, k * d)
        means = np.sqrt(self.weights)[:, np.newaxis] * (_less_one(P, best) @ self.C)
        for start in range(0, len(P), 2048):
            rows = slice(start, start + 2048)
            products = (means[rows, :, np.newaxis] * self.X[rows, np.newaxis, :]).reshape(-1, k * d)
            H -= products.T @ products
        return H + np.diag(self.penalty)

    def _pairs(self, P, best):
        """For classes k ≠ l minus the sum of ω p_l x xᵀ over the rows where k is best and of ω p_k x xᵀ where l is."""
        n_classes, d = len(self.C), self.shape[1]
        pairs = np.zeros((n_classes, n_classes, d, d))
        for k in range(n_classes):
            rows = best == k
            X, each = self.X[rows], self.weights[rows, np.newaxis] * P[rows]
            for other in np.flatnonzero(np.arange(n_classes) != k):
                pairs[k, other] = weighted_gram(X, each[:, other])
        return -pairs - pairs.swapaxes(0, 1)

    def reach(self, move):
        """The largest change of a difference of two scores."""
        change = self.X @ move.reshape(self.shape).T @ self.C.T
        return float(np.ptp(change, axis=1).max())


def _less_one(P, classes):
    """P less 1 in the column of a class for each row; there, minus the sum of the others keeps the digits of p - 1."""
    rows, P = np.arange(len(P)), P.copy()
    P[rows, classes] = 0.0
    P[rows, classes] = -P.sum(axis=1)
    return P


def _free_directions(n_classes, parametrization):
    """C of shape (K, K - 1): how K weight vectors come from K - 1 free ones.

    "reference": the last one is 0. "full": orthonormal columns that are orthogonal to (1, ..., 1), so the K weight
    vectors sum to 0 and their squares have the sum of the free ones' squares. Of all K weight vectors that give the
    same probabilities for every x these are the shortest, so a penalty on all K picks them.
    """
    if parametrization == "reference":
        return np.eye(n_classes)[:, :-1]
    helmert = np.zeros((n_classes, n_classes - 1))
    for j in range(n_classes - 1):
        helmert[: j + 1, j] = 1.0
        helmert[j + 1, j] = -(j + 1.0)
    return helmert / np.linalg.norm(helmert, axis=0)


def _start(problem):
    """θ with the logarithms of the classes' shares as scores, up to a constant: the best model without features."""
    C, V = problem.C, np.zeros(problem.shape)
    logs = np.log(np.bincount(problem.codes, problem.weights, minlength=len(C)))
    V[:, -1] = np.linalg.lstsq(C - C[-1], logs - logs[-1], rcond=None)[0]
    return V.ravel()


class SoftmaxRegression(Classifier):
    """K classes, whose probabilities are the softmax of K linear scores (softmax 回归, 多项逻辑回归).

    P(k | x) = e^(w_k·x + b_k) / Σ_j e^(w_j·x + b_j)

    The weights minimise -Σ ω ln P(y | x) + ½ α ‖W‖² by Newton's method with step halving. One vector can be added to
    all w_k without any effect, so there are only K - 1 free ones. Notes A 5.2 (95)-(97), B "多分类的逻辑回归".

    Parameters
    ----------
    alpha : float
        Strength of the penalty, >= 0: scikit-learn's 1/C. The intercepts are not penalised.
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

    def __init__(self, *, alpha=0.0, parametrization="full", max_iter=100, tol=1e-6):
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
        Z = np.column_stack([Z, np.ones(len(Z))])
        C = _free_directions(n_classes, self.parametrization)
        problem = _SoftmaxProblem(Z, codes, n_classes, weights, standardised_penalty(alpha, total, scale), C)
        self.n_iter_ = 0
        for theta, value, self.status_ in descend(problem, _start(problem), max_iter, tol):
            W = C @ theta.reshape(problem.shape)
            self.coef_ = W[:, :-1] / scale
            self.intercept_ = W[:, -1] - self.coef_ @ center
            self.loss_ = total * (value - 0.5 * float(problem.penalty @ np.square(theta)))
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
            raise ValueError(f"sample_weight is zero for every row of class {self.classes_[np.argmin(present)]!r}")
        return (X, codes, weights) if counted.all() else (X[counted], codes[counted], weights[counted])

    def decision_function(self, X):
        """Return the scores, shape (n_samples, n_classes); for two classes their difference, shape (n_samples,)."""
        scores = linear_scores(self, X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, shape (n_samples, n_classes); each row sums to 1."""
        return shares(linear_scores(self, X))

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, finite where they round to 0."""
        return log_shares(linear_scores(self, X))

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,)."""
        best = np.argmax(linear_scores(self, X), axis=1)
        return self.classes_[best]
