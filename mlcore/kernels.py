"""Kernels (核函数): inner products κ(x, z) = ⟨φ(x), φ(z)⟩ computed without the features φ.

Each ``..._kernel`` returns the whole matrix K with K_ij = κ(x_i, z_j); ``Z=None`` means X itself, and K is then exactly
symmetric. ``KernelModel`` is what a model with a kernel needs: its four parameters, and one function of (X, Z).

>>> rbf_kernel([[0.0], [1.0]], gamma=1.0).round(3)
array([[1.   , 0.368],
       [0.368, 1.   ]])
"""

import functools
from dataclasses import replace

import numpy as np

from mlcore.base import (
    FARTHEST,
    REQUIRED,
    Estimator,
    anything,
    check_array,
    check_choice,
    check_real,
    door,
    real,
    whole,
)
from mlcore.core.kernel_methods import gaussian, laplacian, polynomial, sigmoid, squared_distances
from mlcore.numerics import finite

__all__ = [
    "COEF0", "DEGREE", "GAMMA", "KERNEL", "KERNELS", "OPTIONAL_GAMMA", "KernelModel", "centred", "check_symmetric",
    "gaussian", "is_valid_kernel_matrix", "kernel_diagonal", "kernel_function", "laplacian", "laplacian_kernel",
    "linear_kernel", "polynomial", "polynomial_kernel", "rbf_kernel", "resolve_gamma", "sigmoid", "sigmoid_kernel",
    "squared_distances",
]

KERNELS = ("linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed")
"""The names that ``kernel_function`` knows."""


# ---------------------------------------------------------------------------------------------------------------
# Parameters
# ---------------------------------------------------------------------------------------------------------------
def _check_kernel(name, value):
    return value if callable(value) else check_choice(name, value, KERNELS)


def _check_gamma(name, value):
    if value is None or isinstance(value, str):
        return value if value is None else check_choice(name, value, ("scale", "auto"))
    return check_real(name, value, low=0, low_open=True, high=FARTHEST)


KERNEL = anything(
    "rbf", "str or callable",
    '"linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed" (X is then the matrix of κ between the rows to\n'
    "learn from or to predict and the training rows), or a function of (X, Z); see ``mlcore.kernels``.",
    check=_check_kernel, bad=("gauss", 3, None, True),
)
DEGREE = whole(3, 'Of "poly".', low=1, high=1000)
GAMMA = anything(
    "scale", 'float > 0, "scale" or "auto"',
    'γ of the kernels that have one; 1 / (d · Var X) for "scale", 1 / d for "auto".',
    check=_check_gamma, bad=(0.0, -2, "wide", np.nan, np.inf, True),
)
COEF0 = real(0.0, 'c of "poly" and "sigmoid".')

_POINTS = {
    "X": anything(REQUIRED, "array-like of shape (n, d)", "The points x."),
    "Z": anything(None, "array-like of shape (m, d), optional", "The points z; X itself by default."),
}
OPTIONAL_GAMMA = anything(None, "float > 0, optional", "γ; by default 1 / d.", check=_check_gamma, bad=GAMMA.bad)


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
@door(**_POINTS)
def linear_kernel(X, Z=None):
    """κ(x, z) = xᵀz, whose feature map is φ(x) = x. Notes E, table of kernels; Notes C 2.3.

    Returns
    -------
    ndarray of shape (n, m)
    """
    X, Z = _pair(X, Z)
    return X @ Z.T


@door(
    **_POINTS, degree=whole(3, "Q, the power.", low=1), gamma=OPTIONAL_GAMMA,
    coef0=real(1.0, "c. A negative one may give a matrix that is no kernel matrix."),
)
def polynomial_kernel(X, Z=None, degree=3, gamma=None, coef0=1.0):
    """κ(x, z) = (γ xᵀz + c)^degree: with c > 0 all products of up to ``degree`` features.

    Notes A 7.6; Notes C 2.1, which write ζ for c and Q for the degree; Notes E, which take γ = 1, c = 0.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If a power overflows.
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    K = _filled(lambda i, j: polynomial(X[i] @ Z[j].T, gamma, coef0, degree), X, Z)
    return finite(
        K, "the kernel overflows: its entries leave the range of float64 (1.8e308). Scale the features, for instance "
        "to mean 0 and variance 1, or take a smaller gamma or degree"
    )


@door(**_POINTS, gamma=OPTIONAL_GAMMA, coef0=real(1.0, "c; θ in Notes E, which ask for θ < 0."))
def sigmoid_kernel(X, Z=None, gamma=None, coef0=1.0):
    """κ(x, z) = tanh(γ xᵀz + c). It is *not* positive semidefinite in general: see ``is_valid_kernel_matrix``.

    Notes E, table of kernels (with β for γ).

    Returns
    -------
    ndarray of shape (n, m)
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    return _filled(lambda i, j: sigmoid(X[i] @ Z[j].T, gamma, coef0), X, Z)


@door(**_POINTS, gamma=OPTIONAL_GAMMA)
def rbf_kernel(X, Z=None, gamma=None):
    """κ(x, z) = exp(-γ ‖x - z‖²), the Gaussian kernel (高斯核). Notes A 7.6.1 and E write γ = 1 / (2σ²); Notes C 2.2.

    Returns
    -------
    ndarray of shape (n, m)
        With entries in [0, 1]; 1 where x = z.
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    return _of_distances(lambda D: gaussian(D, gamma), X, Z)


@door(**_POINTS, gamma=OPTIONAL_GAMMA)
def laplacian_kernel(X, Z=None, gamma=None):
    """κ(x, z) = exp(-γ ‖x - z‖) with the Euclidean norm, as in Notes E, where γ = 1 / σ.

    scikit-learn's function of the same name takes the 1-norm Σ|x_j - z_j| instead; the two agree only for d = 1.

    Returns
    -------
    ndarray of shape (n, m)
        With entries in [0, 1]; 1 where x = z.
    """
    X, Z = _pair(X, Z)
    gamma = resolve_gamma(gamma, X)
    return _of_distances(lambda D: laplacian(D, gamma), X, Z)


# ---------------------------------------------------------------------------------------------------------------
# For estimators
# ---------------------------------------------------------------------------------------------------------------
@door(
    kernel=replace(KERNEL, default=REQUIRED), degree=DEGREE, coef0=real(1.0, COEF0.says),
    gamma=anything(None, GAMMA.form + " or None", GAMMA.says + " None is 1 / d.", check=_check_gamma, bad=GAMMA.bad),
    X=anything(None, "array of shape (n, d), optional", "The training rows, which fix γ once and for all."),
)
def kernel_function(kernel, *, gamma=None, degree=3, coef0=1.0, X=None):
    """Return the function (X, Z=None) -> K that an estimator's parameters describe. It can be pickled and copied.

    Raises
    ------
    ValueError
        If gamma is a word and X is missing.
    """
    if X is not None:  # where the kernel has no γ, X may have any scale
        gamma = resolve_gamma(gamma, X if isinstance(kernel, str) and kernel in KERNELS[1:5] else np.eye(1))
    elif isinstance(gamma, str):
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
    }[kernel]


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
    gamma = _check_gamma("gamma", gamma)
    if not _is_word(gamma):
        return gamma
    if gamma != "scale":
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


@door(K=anything(REQUIRED, "array-like of shape (n, n)", "The matrix."), tol=real(1e-8, "How much is rounding.", low=0))
def is_valid_kernel_matrix(K, tol=1e-8):
    """Say whether K is symmetric and positive semidefinite (半正定), as Mercer's theorem asks of every kernel matrix.

    Rounding makes tiny negative eigenvalues: the least may be -tol · the largest in size, and K_ij may differ from
    K_ji by tol · max|K|. Notes A 7.6.2; Notes E, theorem on kernels.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If K is not square.
    """
    K = _precomputed(K)
    if np.abs(K - K.T).max() > tol * np.abs(K).max():
        return False
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    return bool(eigenvalues[0] >= -tol * np.abs(eigenvalues).max())


class KernelModel(Estimator):
    """A model f(x) = Σ_i β_i κ(x_i, x) + b, with the parameters ``kernel``, ``degree``, ``gamma`` and ``coef0``."""

    def _learn_kernel(self, X):
        """Remember κ, as the parameters and the training rows describe it."""
        self._kernel = kernel_function(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X)

    def _training_matrix(self, X):
        """Return K of the training rows; refuse one that came from outside and is not square or not symmetric."""
        K = self._kernel(X)
        return check_symmetric(K) if callable(self.kernel) or self._is("precomputed") else K

    def _is(self, *kernels):
        return isinstance(self.kernel, str) and self.kernel in kernels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is("precomputed")
        return tags


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
