"""Gaussians of several dimensions, by a root of the inverse matrix: no determinant and no inverse is formed."""

import numpy as np

from mlcore.numerics.systems import _unit_diagonal

__all__ = ["gaussian_log_density", "gaussian_mle", "inverse_root", "regular_inverse_root"]


def gaussian_mle(X):
    """μ̂ = Σ_i x_i / n, of shape (d,), and Σ̂ = DᵀD / n, of shape (d, d), where D holds the rows x_i - μ̂  (12.12)."""
    mean = X.sum(axis=0) / len(X)
    D = X - mean
    return mean, D.T @ D / len(X)


def inverse_root(A):
    """R = L⁻ᵀ, upper triangular, so that RRᵀ = A⁻¹; A = LLᵀ is symmetric and positive definite, of shape (d, d)."""
    L = np.linalg.cholesky(A)
    return np.linalg.solve(L.T, np.eye(len(A)))


def gaussian_log_density(X, mean, R):
    """ln N(x; μ, Σ) = -½ ‖Rᵀ(x - μ)‖² + Σ_j ln R_jj - ½ d ln 2π for each row x, with RRᵀ = Σ⁻¹  (12.11)."""
    Z = (X - mean) @ R
    constant = np.log(R.diagonal()).sum() - 0.5 * len(R) * np.log(2 * np.pi)
    return constant - 0.5 * np.sum(Z**2, axis=1)


def regular_inverse_root(A, least=1e-6):
    """Return ``inverse_root(A)``, found in units in which the diagonal of A is 1.

    Parameters
    ----------
    A : ndarray of shape (d, d)
        Symmetric, without negative eigenvalues.
    least : float
        A is refused where less than this of an entry of its unit diagonal (as a deviation) is left when the entries
        before it are known: 1e-6 is a correlation of 1 - 5e-13.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is singular, or nearly.
    """
    scaled, scale = _unit_diagonal(A)
    if np.isinf(scale).any():
        raise np.linalg.LinAlgError("a variance is 0")
    R = inverse_root(scaled)
    if not R.diagonal().max() * least < 1:
        raise np.linalg.LinAlgError("singular")
    return R / scale[:, np.newaxis]
