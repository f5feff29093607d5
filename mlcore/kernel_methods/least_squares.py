"""Squared loss in the feature space of a kernel: one system of linear equations, for numbers and for classes."""

from mlcore.base import BinaryClassifier, Regressor, check_regression, check_two_classes, real
from mlcore.core.kernel_methods import lssvm_coefficients, ridge_coefficients
from mlcore.kernel_methods.training import SumOfKernels, check_ridge
from mlcore.kernels import COEF0, DEGREE, GAMMA, KERNEL

__all__ = ["LSSVC", "KernelRidge"]


class KernelRidge(SumOfKernels, Regressor):
    """Ridge regression in the feature space of a kernel (核岭回归).

    f(x) = Σ_i β_i κ(x_i, x)   with   β = (K + αI)⁻¹ y

    It minimises α‖w‖² + Σ (y_i - wᵀφ(x_i))² with w = Σ β_i φ(x_i); notes C 3.5 write λ for α. There is no intercept
    besides what the kernel provides: κ + c has a constant feature √c, whose weight is penalised like all others.
    K must be positive semidefinite.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,)
        β, one for each training row; as a rule none is zero.
    X_fit_ : ndarray of shape (n, d)
        The training rows, all of which are needed to predict (the kernel matrix itself if it is precomputed).
    """

    intercept_ = 0.0

    alpha: float = real(1.0, "α, the price of ‖w‖².", low=0, low_open=True)
    kernel: object = KERNEL
    degree: int = DEGREE
    gamma: object = GAMMA
    coef0: float = COEF0

    def fit(self, X, y):
        """Solve for β. For a precomputed kernel X is the symmetric matrix of shape (n, n).

        Raises
        ------
        ValueError
            For bad parameters or data, or if K is not positive semidefinite, or K + αI nearly singular.
        """
        alpha = self.checked().alpha
        X, y = check_regression(self, X, y)
        K = self._valid_matrix(X)
        check_ridge(K, alpha)
        self.dual_coef_ = ridge_coefficients(K, y, alpha)
        self.X_fit_ = X
        return self

    def predict(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return self._values(X)


class LSSVC(SumOfKernels, BinaryClassifier):
    """The least-squares support vector machine (最小二乘支持向量机): ridge regression on labels ±1, with an intercept.

    f(x) = Σ_i β_i κ(x_i, x) + b,   class ``classes_[1]`` (y = +1) where f(x) > 0, else ``classes_[0]`` (y = -1)

    It minimises ½‖w‖² + (C/2) Σ (y_i - f(x_i))²: the support vector machine's problem with the hinge replaced by a
    square. The conditions for the minimum are linear, β_i = C (y_i - f(x_i)) and Σβ_i = 0:

        (K + I/C) β + b·1 = y,   1ᵀβ = 0

    With b = 0 this is kernel ridge regression with α = 1/C (notes C 3.6). A point has β_i = 0 only if f(x_i) = y_i
    to the last digit, so in practice every point is a support vector.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,)
        β.
    intercept_ : float
        b.
    X_fit_ : ndarray of shape (n, d)
    classes_ : ndarray of shape (2,)

    References
    ----------
    Notes C 3.6; Suykens and Vandewalle, "Least squares support vector machine classifiers" (1999).
    """

    C: float = real(1.0, "The price of the squared errors.", low=1e-100)
    kernel: object = KERNEL
    degree: int = DEGREE
    gamma: object = GAMMA
    coef0: float = COEF0

    def fit(self, X, y):
        """Solve for β and b. For a precomputed kernel X is the symmetric matrix of shape (n, n).

        Raises
        ------
        ValueError
            For bad parameters or data, or if K is not positive semidefinite, or K + I/C nearly singular.
        """
        C = self.checked().C
        X, codes = check_two_classes(self, X, y)
        K = self._valid_matrix(X)
        check_ridge(K, 1 / C)
        self.dual_coef_, self.intercept_ = lssvm_coefficients(K, 2.0 * codes - 1, C)
        self.X_fit_ = X
        return self

    def decision_function(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return self._values(X)
