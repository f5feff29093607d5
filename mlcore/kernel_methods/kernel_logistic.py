"""Logistic regression in the feature space of a kernel, by Newton's method in the coefficients of the kernels."""

import numpy as np

from mlcore.base import (
    BinaryClassifier,
    ConvergenceWarning,
    check_two_classes,
    flag,
    real,
    run,
    warn_caller,
    whole,
)
from mlcore.core.kernel_methods import newton_target, objective, residuals
from mlcore.kernel_methods.training import SumOfKernels, check_ridge
from mlcore.kernels import COEF0, DEGREE, GAMMA, KERNEL
from mlcore.numerics import expit, newton_walk

__all__ = ["KernelLogisticRegression"]


class KernelLogisticRegression(SumOfKernels, BinaryClassifier):
    """Logistic regression in the feature space of a kernel (核对数几率回归).

    P(y = +1 | x) = 1 / (1 + e^(-f(x))),   f(x) = Σ_i β_i κ(x_i, x) + b

    It minimises ½α‖w‖² + Σ ln(1 + e^(-y_i f(x_i))) with w = Σ β_i φ(x_i). Notes C 3.4 write λ‖w‖² + Σ log₂(1 + ...),
    which has the same minimiser for α = 2λ ln 2. At the minimum

        α β_i = t_i - p_i   with t_i = 1 or 0 for y_i = ±1 and p_i the predicted probability:

    no β_i is zero, because no probability is exactly 0 or 1.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,)
        β.
    intercept_ : float
        b.
    objective_ : float
        What is minimised.
    violation_ : float
        The greatest difference between α β_i and t_i - p_i.
    n_iter_ : int
        Newton steps made.
    X_fit_ : ndarray of shape (n, d)
    classes_ : ndarray of shape (2,)

    References
    ----------
    Notes C 3.4; the form of the step: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), 3.4.
    """

    alpha: float = real(1.0, "α, the price of ‖w‖².", low=1e-100)
    kernel: object = KERNEL
    degree: int = DEGREE
    gamma: object = GAMMA
    coef0: float = COEF0
    fit_intercept: bool = flag(False, "Whether there is a b, which is not penalised; else b = 0, as in the notes.")
    tol: float = real(
        1e-6, "Training ends when α β_i and t_i - p_i differ by no more than this anywhere.", low=0, low_open=True
    )
    max_iter: int = whole(100, "The largest number of Newton steps; ``fit`` warns where it was reached.", low=1)

    def fit(self, X, y):
        """Find β (and b). For a precomputed kernel X is the symmetric matrix of shape (n, n).

        Raises
        ------
        ValueError
            For bad parameters or data, or if the kernel matrix is not positive semidefinite (to the precision that
            ``alpha`` asks for).
        """
        run(self.iter_fit(X, y))
        if self.violation_ > self.tol:
            warn_caller(
                f"KernelLogisticRegression stopped after {self.n_iter_} steps, where its equations still fail by "
                f"{self.violation_:.3g} (tol = {self.tol:g}); make alpha larger, or raise max_iter or tol",
                ConvergenceWarning,
            )
        return self

    def iter_fit(self, X, y):
        p = self.checked()
        alpha = p.alpha
        X, codes = check_two_classes(self, X, y)
        K, y = self._valid_matrix(X), 2.0 * codes - 1
        check_ridge(K, alpha)
        self.X_fit_ = X

        def look(theta):
            f = K @ theta[:-1] + theta[-1]
            return objective(theta[:-1], f, y, alpha), f

        def step(theta, f):
            residual = residuals(f, y)
            move = np.append(*newton_target(f, residual, K, alpha, p.fit_intercept)) - theta
            return move, np.append(K @ (alpha * theta[:-1] - residual), -residual.sum())

        def violation(theta, f):
            return float(np.abs(alpha * theta[:-1] - residuals(f, y)).max())

        def stand(theta, value, f, steps):
            self.dual_coef_, self.intercept_, self.n_iter_ = theta[:-1], float(theta[-1]), steps
            self.objective_, self.violation_ = float(value), violation(theta, f)
            return self

        for steps, place in enumerate(newton_walk(np.zeros(len(y) + 1), look, step, p.max_iter)):
            if steps > 0:
                yield stand(place.theta, place.value, place.seen, steps)
            # near the end E no longer shows whether a step is good, but the equations do
            theta = place.theta + place.move
            value, f = look(theta)
            if steps < p.max_iter and violation(theta, f) <= p.tol:
                yield stand(theta, value, f, steps + 1)
                return

    def decision_function(self, X):
        """Return f(x), the log-odds of ``classes_[1]``, for each row, shape (n_samples,)."""
        return self._values(X)

    def predict_proba(self, X):
        """Return the probabilities of both classes, shape (n_samples, 2)."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])
