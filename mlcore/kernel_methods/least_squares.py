"""Squared loss in the feature space of a kernel: one system of linear equations, for numbers and for classes."""

import numpy as np

from mlcore.base import Classifier, Regressor, check_classification, check_real, check_regression
from mlcore.kernel_methods.training import (
    check_kernel,
    is_precomputed,
    kernel_sum,
    ridge_factor,
    signs_of,
    valid_training_matrix,
)

__all__ = ["LSSVC", "KernelRidge"]


class KernelRidge(Regressor):
    """Ridge regression in the feature space of a kernel (核岭回归).

    f(x) = Σ_i β_i κ(x_i, x)   with   β = (K + αI)⁻¹ y

    It minimises α‖w‖² + Σ (y_i - wᵀφ(x_i))² with w = Σ β_i φ(x_i); notes C 3.5 write λ for α. There is no intercept
    besides what the kernel provides: κ + c has a constant feature √c, whose weight is penalised like all others.

    Parameters
    ----------
    alpha : float > 0
        α, the price of ‖w‖².
    kernel : str or callable
        "linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed" (X is then the matrix of κ between the rows to
        learn from or to predict and the training rows), or a function of (X, Z); see ``mlcore.kernels``. K must be
        positive semidefinite.
    degree : int >= 1
        Of "poly".
    gamma : float > 0, "scale" or "auto"
        γ of the kernels that have one; 1 / (d · Var X) for "scale", 1 / d for "auto".
    coef0 : float
        c of "poly" and "sigmoid".

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n,)
        β, one for each training row; as a rule none is zero.
    X_fit_ : ndarray of shape (n, d)
        The training rows, all of which are needed to predict (the kernel matrix itself if it is precomputed).
    """

    intercept_ = 0.0

    def __init__(self, *, alpha=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0):
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def fit(self, X, y):
        """Solve for β.

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
            For bad parameters or data, or if K is not positive semidefinite, or K + αI nearly singular.
        """
        alpha = check_real("alpha", self.alpha, low=0, low_open=True)
        check_kernel(self)
        X, y = check_regression(self, X, y)
        K = valid_training_matrix(self, X)
        self.dual_coef_ = ridge_factor(K, alpha).solve(y)
        self.X_fit_ = X
        return self

    def predict(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return kernel_sum(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self)
        return tags


class LSSVC(Classifier):
    """The least-squares support vector machine (最小二乘支持向量机): ridge regression on labels ±1, with an intercept.

    f(x) = Σ_i β_i κ(x_i, x) + b,   class ``classes_[1]`` (y = +1) where f(x) > 0, else ``classes_[0]`` (y = -1)

    It minimises ½‖w‖² + (C/2) Σ (y_i - f(x_i))²: the support vector machine's problem with the hinge replaced by a
    square. The conditions for the minimum are linear, β_i = C (y_i - f(x_i)) and Σβ_i = 0:

        (K + I/C) β + b·1 = y,   1ᵀβ = 0

    With b = 0 this is kernel ridge regression with α = 1/C (notes C 3.6). A point has β_i = 0 only if f(x_i) = y_i
    to the last digit, so in practice every point is a support vector.

    Parameters
    ----------
    C : float > 0
        The price of the squared errors.
    kernel, degree, gamma, coef0
        As in ``KernelRidge``.

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

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def fit(self, X, y):
        """Solve for β and b: with A = K + I/C, β = A⁻¹y - b A⁻¹1, and 1ᵀβ = 0 tells b.

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
            For bad parameters or data, one class or more than two, or if K is not positive semidefinite, or
            K + I/C nearly singular.
        """
        C = check_real("C", self.C, low=0, low_open=True)
        if not 1.0 / C < np.inf:
            raise ValueError(f"C = {C:g} is too small: the ridge 1/C is no float")
        check_kernel(self)
        X, codes = check_classification(self, X, y, n_classes=2)
        K = valid_training_matrix(self, X)
        signs, ones = signs_of(codes), np.ones(len(codes))
        from_y, from_ones = ridge_factor(K, 1.0 / C).solve(np.column_stack([signs, ones])).T
        self.intercept_ = float(from_y.sum() / from_ones.sum())
        self.dual_coef_ = from_y - self.intercept_ * from_ones
        self.X_fit_ = X
        return self

    def decision_function(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return kernel_sum(self, X)

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); ``classes_[0]`` on the boundary itself."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.pairwise = is_precomputed(self)
        return tags
