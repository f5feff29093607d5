"""Support vector regression: errors inside a tube cost nothing, and the points inside do not matter."""

import numpy as np

from mlcore.base import Regressor, check_int, check_real, check_regression, check_X, linear_scores
from mlcore.core.kernel_methods import coefficients, duality_gap, tube_dual
from mlcore.kernel_methods.training import KernelModel
from mlcore.kernels import centred
from mlcore.support_vector_machines import DualProblem, Gram, solve_dual, warn_if_unsolved

__all__ = ["SVR", "coefficients", "duality_gap", "tube_dual"]


# y are the targets, of shape (n,). The dual has 2n variables (β∧, β∨): β∧ = α∧ >= 0 for the points above the tube and
# β∨ = -α∨ <= 0 for those below, so that it has the form of chapter 17, max qᵀβ - ½ βᵀKβ with Σβ = 0 in a box.
class SVR(KernelModel, Regressor):
    """Regression with a tube (支持向量回归): errors up to ε are free, beyond they cost C each unit.

    f(x) = Σ_i β_i κ(x_i, x) + b,   β_i = α∧_i - α∨_i

    It minimises ½‖w‖² + C Σ max(0, |y_i - f(x_i)| - ε). The dual (notes C (24), minimised over α, not ξ) is

        min ½ βᵀKβ + Σ ((ε - y_i) α∧_i + (ε + y_i) α∨_i)   subject to  Σβ_i = 0,  0 <= α∧_i, α∨_i <= C

    and is solved by the SMO of chapter 17 in the 2n variables (α∧, -α∨). A point inside the tube has β_i = 0; one on
    its edge 0 <= |β_i| <= C; one outside |β_i| = C.

    Parameters
    ----------
    C : float in (0, 1e100]
        The price of errors beyond the tube.
    epsilon : float >= 0
        ε, the half-width of the tube, in the units of y.
    kernel, degree, gamma, coef0
        As in ``KernelRidge``. For a kernel that is not positive semidefinite training ends at a point that
        satisfies the KKT conditions, which need not be the best one.
    tol : float > 0
        Training ends when no two points disagree about b by more than this, in the units of y.
    max_iter : int >= 1
        The largest number of steps; ``fit`` warns where it was reached.

    Attributes
    ----------
    support_ : int ndarray of shape (n_support,)
        Rows with β ≠ 0.
    support_vectors_ : ndarray of shape (n_support, d)
        Those rows; of shape (0, 0) for a precomputed kernel.
    free_, bound_ : int ndarrays
        Rows with 0 < |β| < C, which lie on the edge of the tube; and with |β| = C, on it or outside. (C here is the
        smaller one of the warning where C times the kernel's values is so large that rounding would hide b.)
    dual_coef_ : ndarray of shape (n_support,)
        β of the support vectors.
    intercept_ : float
        b.
    coef_ : ndarray of shape (d,)
        w = Σ β_i x_i; for the linear kernel alone.
    dual_objective_, primal_objective_, duality_gap_ : float
        Minus the dual's minimum, the primal's value, and their difference; the optimum lies between the two (if the
        kernel is valid).
    violation_ : float
        By how much the points still disagree about b.
    n_iter_ : int
        Steps made.
    shape_fit_ : (int, int)
        The shape of the training X.

    References
    ----------
    Notes C 3.7.
    """

    def __init__(
        self,
        *,
        C=1.0,
        epsilon=0.1,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        max_iter=1_000_000,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Find the support vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            For a precomputed kernel, the symmetric matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data.
        """
        X, y, problem = self._start(X, y)
        steps = sum(1 for _ in solve_dual(problem, self.tol, self.max_iter))
        self._read(X, y, problem, steps)
        warn_if_unsolved("SVR", problem, self.C, self.tol, steps)
        return self

    def iter_fit(self, X, y):
        """Yield the model itself, ready to predict, after each pair of variables; see ``fit``."""
        X, y, problem = self._start(X, y)
        self._read(X, y, problem, 0)
        for steps, _ in enumerate(solve_dual(problem, self.tol, self.max_iter), start=1):
            self._read(X, y, problem, steps)
            yield self

    def _start(self, X, y):
        """Check everything and set up the dual with α∧ = α∨ = 0."""
        C = check_real("C", self.C, low=0, low_open=True, high=1e100)
        epsilon = check_real("epsilon", self.epsilon, low=0)
        check_real("tol", self.tol, low=0, low_open=True)
        check_int("max_iter", self.max_iter, low=1)
        X, y = check_regression(self, X, y)
        self._learn_kernel(X)
        if callable(self.kernel):
            self._training_matrix(X[:1000])
        rows, self._center = centred(X) if self._is("linear") else (X, None)
        gram = Gram(self._kernel, rows, matrix=self._training_matrix(X) if self._is("precomputed") else None, copies=2)
        return X, y, DualProblem(gram, *tube_dual(y, epsilon, C))

    def _read(self, X, y, problem, steps):
        """Write what the dual's point means for the regression into the attributes."""
        vars(self).pop("coef_", None)  # of an earlier fit with another kernel
        beta, b = coefficients(problem.beta), problem.intercept()
        error = problem.votes[: len(y)] + self.epsilon - b  # the votes are q - Kβ, with q = y - ε for the first n
        self.support_ = np.flatnonzero(beta)
        at_bound = np.abs(beta) >= problem.upper.max()
        self.bound_, self.free_ = np.flatnonzero(at_bound), np.flatnonzero((beta != 0) & ~at_bound)
        self.dual_coef_, self.intercept_ = beta[self.support_], b
        self.support_vectors_ = np.empty((0, 0)) if self._is("precomputed") else X[self.support_]
        if self._is("linear"):  # learnt with the origin in the middle of the data
            self.coef_ = self.dual_coef_ @ (self.support_vectors_ - self._center)
            self.intercept_ = b - float(self.coef_ @ self._center)
        self.dual_objective_ = problem.objective
        self.duality_gap_ = float(duality_gap(problem.beta, error, self.epsilon, self.C))
        self.primal_objective_ = self.dual_objective_ + self.duality_gap_
        self.violation_, self.n_iter_, self.shape_fit_ = problem.violation, steps, X.shape

    def predict(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        X = check_X(self, X)
        if len(self.support_) == 0:  # all training points lie in the tube around a constant
            return np.full(len(X), self.intercept_)
        if self._is("linear"):
            return linear_scores(self, X)
        K = X[:, self.support_] if self._is("precomputed") else self._kernel(X, self.support_vectors_)
        return K @ self.dual_coef_ + self.intercept_
