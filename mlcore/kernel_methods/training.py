"""What the models of this chapter share: the kernel matrix of the training points, and equations with it."""

import numpy as np

from mlcore.base import check_X
from mlcore.kernels import check_symmetric, is_valid_kernel_matrix, kernel_function
from mlcore.numerics import CholeskyFactor

__all__ = [
    "check_kernel", "is_precomputed", "kernel_of", "kernel_sum", "ridge_factor", "signs_of",
    "training_matrix", "valid_training_matrix", "with_ridge",
]

def with_ridge(K, ridge):
    """K + ridge·I, a new matrix."""
    A = K.copy()
    A.flat[:: len(A) + 1] += ridge
    return A


def ridge_factor(K, ridge):
    """Return the factor of K + ridge·I, in which the ridge has not drowned in the rounding of K.

    No pivot L_ii² of a valid kernel's matrix is below the ridge. One as small as the rounding of the largest entry is
    noise, and so would be the solution. At the limit drawn here Kβ still had two correct digits, compared with exact
    fractions; a ridge ten times as large gives one more.

    Raises
    ------
    ValueError
        If K + ridge·I is not positive definite, or singular to working precision.
    """
    try:
        factor = CholeskyFactor(with_ridge(K, ridge))
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "the kernel matrix with its ridge is not positive definite: the ridge (alpha, 1/C) is lost in rounding; "
            "make it larger or the features smaller"
        ) from error
    least, largest = factor.L.diagonal().min() ** 2, K.diagonal().max() + ridge
    if least <= 10 * len(K) * np.finfo(float).eps * largest:
        raise ValueError(
            f"a ridge (alpha, 1/C) of {ridge:.3g} is lost in rounding beside kernel values of up to {largest:.3g}, and "
            "without it the kernel matrix is nearly singular: make the ridge larger or the features smaller"
        )
    return factor


def is_precomputed(model):
    """Whether X is the kernel matrix itself."""
    return isinstance(model.kernel, str) and model.kernel == "precomputed"


def check_kernel(model):
    """Refuse bad kernel parameters before the data are looked at."""
    kernel_of(model, np.eye(1))


def kernel_of(model, X):
    """The kernel that a model's parameters describe, as a function of (X, Z); X are the training rows."""
    return kernel_function(model.kernel, gamma=model.gamma, degree=model.degree, coef0=model.coef0, X=X)


def training_matrix(model, X):
    """Return the kernel matrix K of the training rows, and remember the kernel as ``model._kernel``.

    Raises
    ------
    ValueError
        For bad parameters; or if a K that came from outside is not square or not symmetric.
    """
    model._kernel = kernel_of(model, X)
    K = model._kernel(X)
    if is_precomputed(model) or callable(model.kernel):
        check_symmetric(K)
    return K


def valid_training_matrix(model, X):
    """The same, for a model whose penalty is βᵀKβ: refuse a K that is not positive semidefinite.

    Along an eigenvector whose eigenvalue λ is negative the penalty is negative, and the objective may fall for ever.
    For kernel ridge regression it does where -α < λ < 0, although the equations (K + αI) β = y have a solution. Only
    kernels that may be invalid are looked at, because finding eigenvalues takes longer than the fit.

    Raises
    ------
    ValueError
        As ``training_matrix``; or with the least eigenvalue.
    """
    K = training_matrix(model, X)
    doubtful = callable(model.kernel) or model.kernel in ("sigmoid", "precomputed")
    doubtful = doubtful or (model.kernel == "poly" and model.coef0 < 0)
    if doubtful and not is_valid_kernel_matrix(K):
        values = np.linalg.eigvalsh(K)
        raise ValueError(
            f"the kernel matrix is not positive semidefinite (its eigenvalues go from {values[0]:.3g} to "
            f"{values[-1]:.3g}), so the penalty can be negative and there need not be a minimum: take a valid kernel, "
            "such as rbf, or poly with coef0 >= 0"
        )
    return K


def kernel_sum(model, X):
    """f(x) = Σ β_i κ(x_i, x) + b over the training rows, for each row of X; shape (n_samples,)."""
    X = check_X(model, X)
    return model._kernel(X, model.X_fit_) @ model.dual_coef_ + model.intercept_


def signs_of(codes):
    """-1 and +1 for the first and the second class."""
    return 2.0 * codes - 1.0
