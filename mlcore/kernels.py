"""Kernels (核函数): inner products κ(x, z) = ⟨φ(x), φ(z)⟩ computed without the features φ.

Each ``..._kernel`` returns the whole matrix K with K_ij = κ(x_i, z_j); ``Z=None`` means X itself, and K is then exactly
symmetric. ``kernel_function`` turns an estimator's ``kernel``, ``gamma``, ``degree`` and ``coef0`` into one function of
(X, Z), with every parameter checked.

>>> rbf_kernel([[0.0], [1.0]], gamma=1.0).round(3)
array([[1.   , 0.368],
       [0.368, 1.   ]])
"""

import functools

import numpy as np

from mlcore.base import FARTHEST, check_array, check_choice, check_int, check_real
from mlcore.core.kernel_methods import gaussian, laplacian, polynomial, sigmoid, squared_distances, whole_power
from mlcore.numerics import finite

__all__ = [
    "KERNELS", "centred", "check_symmetric", "gaussian", "is_valid_kernel_matrix", "kernel_diagonal", "kernel_function",
    "laplacian", "laplacian_kernel", "linear_kernel", "polynomial", "polynomial_kernel", "rbf_kernel", "resolve_gamma",
    "sigmoid", "sigmoid_kernel", "squared_distances", "whole_power",
]

KERNELS = ("linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed")
"""The names that ``kernel_function`` knows."""


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
def linear_kernel(X, Z=None):
    """κ(x, z) = xᵀz, whose feature map is φ(x) = x.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
        X itself by default.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If the widths differ or the data are bad.

    References
    ----------
    Notes E, table of kernels; Notes C 2.3.
    """
    X, Z = _pair(X, Z)
    return X @ Z.T


def polynomial_kernel(X, Z=None, degree=3, gamma=None, coef0=1.0):
    """κ(x, z) = (γ xᵀz + c)^degree: with c > 0 all products of up to ``degree`` features.

    Notes C write ζ for c and Q for the degree; Notes E take γ = 1, c = 0.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    degree : int >= 1
    gamma : float > 0, optional
        By default 1 / d.
    coef0 : float
        The c of the formula. A negative one may give a matrix that is no kernel matrix.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        For bad parameters or data, or if a power overflows.

    References
    ----------
    Notes A 7.6; Notes C 2.1; Notes E, table of kernels.
    """
    X, Z = _pair(X, Z)
    gamma, Q, c = resolve_gamma(gamma, X), check_int("degree", degree, low=1), check_real("coef0", coef0)
    K = _filled(lambda i, j: polynomial(X[i] @ Z[j].T, gamma, c, Q), X, Z)
    return finite(
        K, "the kernel overflows: its entries leave the range of float64 (1.8e308). Scale the features, for instance "
        "to mean 0 and variance 1, or take a smaller gamma or degree"
    )


def sigmoid_kernel(X, Z=None, gamma=None, coef0=1.0):
    """κ(x, z) = tanh(γ xᵀz + c). It is *not* positive semidefinite in general: see ``is_valid_kernel_matrix``.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    gamma : float > 0, optional
        By default 1 / d; β in Notes E.
    coef0 : float
        θ in Notes E, which ask for θ < 0.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        For bad parameters or data.

    References
    ----------
    Notes E, table of kernels.
    """
    X, Z = _pair(X, Z)
    gamma, c = resolve_gamma(gamma, X), check_real("coef0", coef0)
    return _filled(lambda i, j: sigmoid(X[i] @ Z[j].T, gamma, c), X, Z)


def rbf_kernel(X, Z=None, gamma=None):
    """κ(x, z) = exp(-γ ‖x - z‖²), the Gaussian kernel (高斯核). Notes A and E write γ = 1 / (2σ²).

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    gamma : float > 0, optional
        By default 1 / d.

    Returns
    -------
    ndarray of shape (n, m)
        With entries in [0, 1]; 1 where x = z.

    Raises
    ------
    ValueError
        For bad parameters or data.

    References
    ----------
    Notes A 7.6.1; Notes C 2.2; Notes E, table of kernels.
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    return _of_distances(lambda D: gaussian(D, gamma), X, Z)


def laplacian_kernel(X, Z=None, gamma=None):
    """κ(x, z) = exp(-γ ‖x - z‖) with the Euclidean norm, as in Notes E, where γ = 1 / σ.

    scikit-learn's function of the same name takes the 1-norm Σ|x_j - z_j| instead; the two agree only for d = 1.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    gamma : float > 0, optional
        By default 1 / d.

    Returns
    -------
    ndarray of shape (n, m)
        With entries in [0, 1]; 1 where x = z.

    Raises
    ------
    ValueError
        For bad parameters or data.

    References
    ----------
    Notes E, table of kernels.
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    return _of_distances(lambda D: laplacian(D, gamma), X, Z)


# ---------------------------------------------------------------------------------------------------------------
# For estimators
# ---------------------------------------------------------------------------------------------------------------
def kernel_function(kernel, *, gamma=None, degree=3, coef0=1.0, X=None):
    """Return the function (X, Z=None) -> K that an estimator's parameters describe.

    In ``fit``: ``self._kernel = kernel_function(self.kernel, gamma=self.gamma, X=X)``, then ``K = self._kernel(X)``;
    in ``predict``: ``self._kernel(X, self.X_fit_)``. The result can be pickled and copied.

    Parameters
    ----------
    kernel : str or callable
        One of "linear", "poly", "rbf", "laplacian", "sigmoid"; or "precomputed", where X is the kernel matrix itself
        (square in ``fit``; one column for each training row in ``predict``); or a function of (X, Z).
    gamma : float > 0, "scale", "auto" or None
        See ``resolve_gamma``. It must be sound even where the kernel has no γ.
    degree : int >= 1
        Of "poly".
    coef0 : float
        Of "poly" and "sigmoid".
    X : array of shape (n, d), optional
        The training rows, which "scale", "auto" and None need; they fix γ once and for all.

    Raises
    ------
    ValueError
        For an unknown kernel, gamma <= 0, degree < 1, or a kernel matrix of the wrong shape.
    """
    degree, coef0 = check_int("degree", degree, low=1), check_real("coef0", coef0)
    has_gamma = isinstance(kernel, str) and kernel in KERNELS[1:5]
    if X is not None and not has_gamma:
        X = np.eye(1)  # gamma is checked, but X may have any scale
    if X is not None or not _is_word(gamma):
        gamma = resolve_gamma(gamma, X)
    elif gamma is not None:
        raise ValueError(f"gamma={gamma!r} depends on the training rows: pass them as X")
    if callable(kernel):
        return functools.partial(_call, kernel)
    return {
        "linear": linear_kernel,
        "poly": functools.partial(polynomial_kernel, degree=degree, gamma=gamma, coef0=coef0),
        "rbf": functools.partial(rbf_kernel, gamma=gamma),
        "laplacian": functools.partial(laplacian_kernel, gamma=gamma),
        "sigmoid": functools.partial(sigmoid_kernel, gamma=gamma, coef0=coef0),
        "precomputed": _precomputed,
    }[check_choice("kernel", kernel, KERNELS)]


def resolve_gamma(gamma, X):
    """Return γ as a number.

    Parameters
    ----------
    gamma : float in (0, 1e100], "scale", "auto" or None
        "scale" is 1 / (d · Var X) over all entries of X (1 if X is constant); "auto" and None are 1 / d.
    X : array of shape (n, d)
        Only looked at for the words.

    Raises
    ------
    ValueError
        For gamma <= 0, NaN, infinity or another word; or where "scale" is beyond 1e100.
    """
    if not _is_word(gamma):
        return check_real("gamma", gamma, low=0, low_open=True, high=FARTHEST)
    if gamma is None or check_choice("gamma", gamma, ("scale", "auto")) == "auto":
        return 1.0 / np.shape(X)[1]
    if np.max(X) == np.min(X):
        return 1.0
    spread = np.shape(X)[1] * float(np.var(X))
    if not spread >= 1 / FARTHEST:
        raise ValueError(
            f"gamma='scale' is 1 / (d · Var X), which is beyond {FARTHEST:g}: the largest entry of X is "
            f"{np.abs(X).max():.3g} in size. Scale the features, for instance to variance 1, or give gamma as a number."
        )
    return 1.0 / spread


def centred(X):
    """Return X - x̄ and the mean row x̄.

    Where Σβ_i = 0, moving the origin changes Σ β_i x_iᵀx by a constant, so a model with an intercept loses nothing; and
    features far from 0, whose products differ only in their last digits, keep their digits.
    """
    center = X.mean(axis=0)
    return X - center, center


def kernel_diagonal(kernel, X):
    """Return κ(x, x) for each row of X, shape (n,), without the whole kernel matrix.

    Parameters
    ----------
    kernel : callable
        A function of (X, Z), such as ``kernel_function`` returns. For those of the distance it is 1.
    X : ndarray of shape (n, d)
    """
    if getattr(kernel, "func", kernel) in (rbf_kernel, laplacian_kernel):
        return np.ones(len(X))
    blocks = (X[top : top + 64] for top in range(0, len(X), 64))
    return np.concatenate([kernel(block, block).diagonal() for block in blocks])


def check_symmetric(K):
    """Return a kernel matrix that came from outside, or say where it is not symmetric.

    Parameters
    ----------
    K : ndarray of shape (n, n)

    Raises
    ------
    ValueError
        With the two entries that differ most.
    """
    i, j = np.unravel_index(np.abs(K - K.T).argmax(), K.shape)
    if abs(K[i, j] - K[j, i]) > 1e-8 * np.abs(K).max():
        raise ValueError(
            f"a kernel matrix must be symmetric, but K[{i}, {j}] = {K[i, j]:g} and K[{j}, {i}] = {K[j, i]:g}; "
            "is it the matrix between the training rows and themselves?"
        )
    return K


def is_valid_kernel_matrix(K, tol=1e-8):
    """Say whether K is symmetric and positive semidefinite (半正定), as Mercer's theorem asks of every kernel matrix.

    Rounding makes tiny negative eigenvalues: the least may be -tol · the largest in size, and K_ij may differ from
    K_ji by tol · max|K|.

    Parameters
    ----------
    K : array-like of shape (n, n)
    tol : float >= 0

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If K is not square or not finite.

    References
    ----------
    Notes A 7.6.2; Notes E, theorem on kernels.
    """
    K, tol = _precomputed(K), check_real("tol", tol, low=0)
    if np.abs(K - K.T).max() > tol * np.abs(K).max():
        return False
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    return bool(eigenvalues[0] >= -tol * np.abs(eigenvalues).max())


# ---------------------------------------------------------------------------------------------------------------
# Parts
# ---------------------------------------------------------------------------------------------------------------
def _is_word(gamma):
    return gamma is None or isinstance(gamma, str)


def _pair(X, Z):
    """Check X and Z; where Z is X, return the very same array twice."""
    A = check_array(X)
    if Z is None or Z is X:
        return A, A
    B = check_array(Z, name="Z")
    if A.shape[1] != B.shape[1]:
        raise ValueError(f"X has {A.shape[1]} features and Z has {B.shape[1]}: a kernel compares rows of one width")
    return A, B


def _filled(entries, X, Z):
    """The matrix whose block of rows i and columns j is ``entries(i, j)``, some rows at a time: they stay in the cache.

    Where Z is X, only the upper half is computed.
    """
    K, height = np.empty((len(X), len(Z))), max(1, 30_000 // len(Z))
    with np.errstate(all="ignore"):
        for top in range(0, len(X), height):
            rows, rest = slice(top, top + height), slice(top if Z is X else 0, None)
            K[rows, rest] = entries(rows, rest)
            if Z is X:
                K[rest, rows] = K[rows, rest].T
                K[rows, rows] = (K[rows, rows] + K[rows, rows].T) / 2
    return K


def _of_distances(kernel, X, Z):
    """``kernel(D)`` for the squared distances of all pairs, of shape (n, m).

    ‖x‖² + ‖z‖² - 2 xᵀz is a difference of large numbers where x and z are close, and loses digits. So the origin is
    moved into the middle of the data first, and the few very close pairs are computed from x - z itself.
    """
    middle = X.mean(axis=0)
    A = X - middle
    B = A if Z is X else Z - middle
    if len(X) == 1:  # the middle is x itself
        with np.errstate(all="ignore"):
            return kernel(np.einsum("ij,ij->i", B, B)[np.newaxis])
    close = 1e-6 * (np.einsum("ij,ij->i", A, A).max() + np.einsum("ij,ij->i", B, B).max())

    def entries(i, j):
        D = squared_distances(A[i], B[j])
        _recompute(D, D <= close, X[i], Z[j])
        return kernel(D)

    return _filled(entries, X, Z)


def _recompute(D, close, X, Z):
    """Write ‖x - z‖² from the differences over the marked entries, so many at a time that memory stays small."""
    close = np.flatnonzero(close)
    for first in range(0, len(close), 10_000):
        i, j = np.divmod(close[first : first + 10_000], len(Z))
        difference = X[i] - Z[j]
        D[i, j] = np.einsum("ij,ij->i", difference, difference)


def _precomputed(K, K_fit=None):
    """Check a kernel matrix: square, or with one column for each row of the training matrix."""
    K = check_array(K, name="K")
    columns = len(K) if K_fit is None else len(K_fit)
    if K.shape[1] != columns:
        raise ValueError(
            f"a precomputed kernel matrix needs one column for each of the {columns} training rows, "
            f"got shape {K.shape}"
        )
    return K


def _call(kernel, X, Z=None):
    """Evaluate a user's kernel and check what it returns."""
    Z = X if Z is None else Z
    K = check_array(kernel(X, Z), name="the kernel's value")
    if K.shape != (len(X), len(Z)):
        raise ValueError(f"the kernel must return a matrix of shape {(len(X), len(Z))}, got {K.shape}")
    return K
