"""Logistic regression in the feature space of a kernel, by Newton's method in the coefficients of the kernels."""

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    check_classification,
    check_flag,
    check_int,
    check_real,
    run,
    warn_caller,
)
from mlcore.kernel_methods.training import (
    check_kernel,
    is_precomputed,
    kernel_sum,
    signs_of,
    valid_training_matrix,
    with_ridge,
)
from mlcore.numerics import CholeskyFactor, expit, softplus

__all__ = ["KernelLogisticRegression"]


class KernelLogisticRegression(Classifier):
    """Logistic regression in the feature space of a kernel (核对数几率回归).

    P(y = +1 | x) = 1 / (1 + e^(-f(x))),   f(x) = Σ_i β_i κ(x_i, x) + b

    It minimises ½α‖w‖² + Σ ln(1 + e^(-y_i f(x_i))) with w = Σ β_i φ(x_i). Notes C 3.4 write λ‖w‖² + Σ log₂(1 + ...),
    which has the same minimiser for α = 2λ ln 2. At the minimum

        α β_i = t_i - p_i   with t_i = 1 or 0 for y_i = ±1 and p_i the predicted probability:

    no β_i is zero, because no probability is exactly 0 or 1.

    Parameters
    ----------
    alpha : float > 0
        α, the price of ‖w‖².
    kernel, degree, gamma, coef0
        As in ``KernelRidge``.
    fit_intercept : bool
        Whether there is a b, which is not penalised; without it b = 0, as in the notes.
    tol : float > 0
        Training ends when α β_i and t_i - p_i differ by no more than this anywhere.
    max_iter : int >= 1
        The largest number of Newton steps; ``fit`` warns where it was reached.

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

    def __init__(
        self,
        *,
        alpha=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        fit_intercept=False,
        tol=1e-6,
        max_iter=100,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Find β (and b).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            For a precomputed kernel, the symmetric matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data, one class or more than two, or if the kernel matrix is not positive
            semidefinite (to the precision that ``alpha`` asks for).
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
        """Yield the model itself, ready to predict, after each Newton step; see ``fit``."""
        alpha = check_real("alpha", self.alpha, low=0, low_open=True)
        tol = check_real("tol", self.tol, low=0, low_open=True)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        with_intercept = check_flag("fit_intercept", self.fit_intercept)
        check_kernel(self)
        X, codes = check_classification(self, X, y, n_classes=2)
        K = valid_training_matrix(self, X)
        if np.abs(K).max() > 1e300 * alpha:
            raise ValueError(f"alpha = {alpha:g} is lost beside a kernel matrix of up to {np.abs(K).max():.3g}")
        self.X_fit_ = X
        state = _State(K, signs_of(codes), alpha, with_intercept)
        for step in range(max_iter):
            moved = state.newton_step()
            self.dual_coef_, self.intercept_ = state.beta, state.b
            self.objective_, self.violation_, self.n_iter_ = state.objective(), state.violation(), step + 1
            yield self
            if self.violation_ <= tol or not moved:
                return

    def decision_function(self, X):
        """Return f(x), the log-odds of ``classes_[1]``, for each row, shape (n_samples,)."""
        return kernel_sum(self, X)

    def predict_proba(self, X):
        """Return the probabilities of both classes, shape (n_samples, 2)."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def predict(self, X):
        """Return the more probable class of each row, shape (n_samples,); ``classes_[0]`` where both are equal."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.pairwise = is_precomputed(self)
        return tags


class _State:
    """β, b and the log-odds f = Kβ + b on the training rows; starts at zero."""

    def __init__(self, K, signs, alpha, with_intercept):
        self.K, self.signs, self.alpha, self.with_intercept = K, signs, alpha, with_intercept
        self.beta, self.b, self.f = np.zeros(len(K)), 0.0, np.zeros(len(K))

    def slope(self):
        """t - p = y / (1 + e^(yf)): minus the derivative of the loss by f, with all its digits."""
        return self.signs * expit(-self.signs * self.f)

    def violation(self):
        """max |αβ - (t - p)|, zero at the minimum."""
        return float(np.abs(self.alpha * self.beta - self.slope()).max())

    def objective(self, share=0.0, move=(0.0, 0.0, 0.0)):
        """½α βᵀKβ + Σ ln(1 + e^(-yf)), after a share of a move of (β, b, f)."""
        beta, b, f = self.beta + share * move[0], self.b + share * move[1], self.f + share * move[2]
        return float(0.5 * self.alpha * beta @ (f - b) + softplus(-self.signs * f).sum())

    def newton_step(self):
        """Go to the minimum of the parabola that fits here, or part of the way; return whether it moved.

        With weights W = p(1 - p) that minimum has (WK + αI) β + bW1 = Wf + t - p, and Σβ = 0 if there is a b.
        """
        weights = expit(self.f) * expit(-self.f)
        target = weights * self.f + self.slope()
        beta, b = self._solve(weights, np.column_stack([target, weights])).T, 0.0
        if self.with_intercept:
            b = beta[0].sum() / beta[1].sum() if beta[1].sum() > 0 else self.b
        beta = beta[0] - b * beta[1]
        f = self.K @ beta + b
        move = beta - self.beta, b - self.b, f - self.f
        share = self._share(move)
        self.beta, self.b, self.f = self.beta + share * move[0], self.b + share * move[1], self.f + share * move[2]
        return share > 0

    def _solve(self, weights, right):
        """(WK + αI)⁻¹ R, through the symmetric B = I + √W K √W / α, whose eigenvalues are 1 or more if K is valid."""
        root = np.sqrt(weights)
        B = with_ridge(root[:, np.newaxis] * self.K * (root / self.alpha), 1.0)
        inner = CholeskyFactor(B).solve(root[:, np.newaxis] * (self.K @ right) / self.alpha)
        return (right - root[:, np.newaxis] * inner) / self.alpha

    def _share(self, move):
        """The first of 1, ½, ¼, ... that lowers the objective by 10⁻⁴ of what its slope promises (up to rounding)."""
        here = self.objective()
        promised = self.slope() @ move[2] - self.alpha * self.beta @ (move[2] - move[1])
        for share in 0.5 ** np.arange(60):
            if self.objective(share, move) <= here - 1e-4 * share * promised + 1e-14 * abs(here):
                return share
        return 0.0
