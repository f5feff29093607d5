"""Distances of all pairs of rows of one table, each measured once: under the trees and silhouettes of chapter 23.

X has shape (n, d), with entries up to about 1. Pairs are taken by the block: rows start to end with rows from start on.
"""

import numpy as np

_SMALL = 2**14  # numbers in one block of differences: 128 kilobytes, which stay in the cache
_LARGE = 2**17  # numbers in one block of products
_NEAR = 1e-4
"""Below this share of the largest ‖x‖² a squared distance from a product has lost too many digits."""


def distances(X, squared=False):
    """Return ‖x_i - x_j‖ for all pairs, or its square; ∞ on the diagonal. Shape (n, n)."""
    columns, D = np.ascontiguousarray(X.T), np.empty((len(X), len(X)))
    for start, end in _blocks(len(X), _SMALL):
        block = _squares(columns, start, end)
        D[start:end, start:] = block if squared else np.sqrt(block)
        D[start:, start:end] = D[start:end, start:].T
    np.fill_diagonal(D, np.inf)
    return D


def distance_sums(X, members):
    """Return Σ_{j in group g} ‖x_i - x_j‖ for each row i and each group g, shape (n, k).

    One product of matrices has ‖x‖² - 2xᵀz + ‖z‖² for all pairs. It is wrong by rounding, and only among near points
    does it matter: these are measured again, by their differences.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    members : ndarray of shape (n, k)
        1 where row i is in group g, 0 elsewhere.
    """
    Z = X - X.mean(axis=0)
    norms, ones, columns = np.vecdot(Z, Z), np.ones(len(X)), np.ascontiguousarray(Z.T)
    left, right = np.column_stack([-2 * Z, norms, ones]), np.vstack([columns, ones, norms])
    sums, limit = np.zeros(members.shape), _NEAR * norms.max()
    for start, end in _blocks(len(X), _LARGE):
        D = left[start:end] @ right[:, start:]
        near = np.flatnonzero(D <= limit)
        if 8 * len(near) > D.size:
            D = _squares(columns, start, end)
        else:
            i, j = np.divmod(near, D.shape[1])
            differences = Z.take(start + i, axis=0) - Z.take(start + j, axis=0)
            D.put(near, np.vecdot(differences, differences))
        np.sqrt(D, out=D)
        sums[start:end] += D @ members[start:]
        sums[end:] += D[:, end - start :].T @ members[start:end]
    return sums


def _squares(columns, start, end):
    """‖x_i - x_j‖² for i from start to end, j from start on, feature by feature."""
    block, gap = np.zeros((end - start, columns.shape[1] - start)), np.empty((end - start, columns.shape[1] - start))
    for x in columns:
        np.subtract.outer(x[start:end], x[start:], out=gap)
        gap *= gap
        block += gap
    return block


def _blocks(n, size):
    """Rows start to end, so few that they make about ``size`` pairs with all from start on."""
    start = 0
    while start < n:
        end = min(n, start + max(1, size // (n - start)))
        yield start, end
        start = end
