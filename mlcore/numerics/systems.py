"""Linear equations whose matrix is symmetric and has no negative eigenvalue, singular ones included."""

import numpy as np

__all__ = ["CholeskyFactor", "solve", "solve_regular", "weighted_gram"]

BLOCK = 64
"""So many unknowns of a triangular system are eliminated at once."""


def weighted_gram(X, weights):
    """Return Xᵀ diag(weights) X, summed over blocks of rows that fit into the processor's cache."""
    n_samples, n_features = X.shape
    total, size = np.zeros((n_features, n_features)), 1 + 2**15 // n_features
    for start in range(0, n_samples, size):
        rows = X[start : start + size]
        total += (rows * weights[start : start + size, np.newaxis]).T @ rows
    return total


def _unit_diagonal(H):
    """Return H in units in which its diagonal is 1, and the units; a row whose diagonal is 0 becomes 0."""
    scale = np.sqrt(np.maximum(H.diagonal(), 0.0))
    scale[scale == 0] = np.inf
    return H / scale / scale[:, np.newaxis], scale


def solve_regular(H, g):
    """Return H⁻¹g for a symmetric, positive definite H, to half of the digits or better.

    H is brought to units in which its diagonal is 1. A Cholesky factor then shows whether it is safely invertible.

    Parameters
    ----------
    H : ndarray of shape (d, d)
    g : ndarray of shape (d,) or (d, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If over half of the digits would be lost.
    """
    scaled, scale = _unit_diagonal(H)
    if not np.linalg.cholesky(scaled).diagonal().min() > 1e-4:
        raise np.linalg.LinAlgError("singular to half of the digits")
    return (np.linalg.solve(scaled, (g.T / scale).T).T / scale).T


def solve(H, g):
    """Return H⁻¹g for a symmetric H without negative eigenvalues; where H is singular, the shortest solution.

    Where ``solve_regular`` gives up, eigenvalues below 1e-14 of the largest count as 0 (in units in which the diagonal
    of H is 1), and so does the part of g along their axes.

    Parameters
    ----------
    H : ndarray of shape (d, d)
    g : ndarray of shape (d,) or (d, k)
    """
    try:
        return solve_regular(H, g)
    except np.linalg.LinAlgError:
        scaled, scale = _unit_diagonal(H)
    spread, axes = np.linalg.eigh(scaled)
    axes, spread = axes[:, spread > 1e-14 * spread[-1]], spread[spread > 1e-14 * spread[-1]]
    return ((axes @ ((axes.T @ (g.T / scale).T).T / spread).T).T / scale).T


class CholeskyFactor:
    """A symmetric positive definite matrix A = LLᵀ, ready to solve equations with.

    LLᵀx = y falls into Lz = y and Lᵀx = z. A triangular system is solved from its tip, some unknowns at a time: each
    block needs only those before it. That takes n² multiplications, little beside the n³/3 for finding L.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric; only its lower half is read.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """

    def __init__(self, A):
        self.L = np.linalg.cholesky(A)

    def solve(self, Y):
        """Return A⁻¹Y for Y of shape (n,) or (n, k)."""
        L, X = self.L, np.array(Y, dtype=float)
        starts = range(0, len(L), BLOCK)
        for first in starts:
            rows = slice(first, first + BLOCK)
            X[rows] = np.linalg.solve(L[rows, rows], X[rows] - L[rows, :first] @ X[:first])
        for first in reversed(starts):
            rows, rest = slice(first, first + BLOCK), slice(first + BLOCK, None)
            X[rows] = np.linalg.solve(L[rows, rows].T, X[rows] - L[rest, rows].T @ X[rest])
        return X
