"""The kernel matrix K, computed as far as it is needed."""

import numpy as np

from mlcore.kernels import kernel_diagonal

__all__ = ["Gram"]

SMALL = 400
"""Of so many points, at most, all of K is computed at once."""

MATRIX_BYTES = 200_000_000
"""The whole kernel matrix may take so much memory (5,000 points); of a larger one, so many bytes of rows are kept."""


class Gram:
    """The kernel matrix K of the training points, of shape (n, n); ``gram[i]`` is its row K_it, shape (n,).

    Up to 400 points K is computed at once. With more, its rows are computed when they are asked for, and after 60
    of them at most all the rest, because whole blocks are quicker; K takes 8 n² bytes (72 MB for 3,000 points). Beyond
    5,000 points K stays in rows, of which the latest 200 MB are kept.

    Parameters
    ----------
    kernel : callable
        From (X, Z) to the matrix of shape (len(X), len(Z)).
    X : ndarray of shape (n, d)
    matrix : ndarray of shape (n, n), optional
        K, where it is known.
    copies : int
        So many variables belong to each point: variable number i belongs to point i mod n, and below n stands for
        n · copies. Support vector regression has two.

    Attributes
    ----------
    n_points : int
        How many points there are; n is ``copies`` times that.
    fits : bool
        Whether all of K may be kept in memory.
    """

    def __init__(self, kernel, X, matrix=None, copies=1):
        self._kernel, self._X, self._copies, self.n_points = kernel, X, copies, len(X)
        self._kept = max(2, MATRIX_BYTES // (8 * copies * len(X)))
        self.fits = copies * len(X) <= self._kept
        self._whole = None if matrix is None else np.tile(matrix, copies)  # a row for each point
        self._latest = {}  # rows, while K is not whole
        self._diagonal = np.tile(kernel_diagonal(kernel, X) if matrix is None else matrix.diagonal(), copies)
        if len(X) <= SMALL and self.fits:
            self._fill()

    def __getitem__(self, i):
        point = i % self.n_points
        if self._whole is not None:
            return self._whole[point]
        if point not in self._latest:
            if self.fits and len(self._latest) >= min(self.n_points**2 // 60_000, 60):
                return self._fill()[point]
            if len(self._latest) >= self._kept:
                del self._latest[next(iter(self._latest))]
            self._latest[point] = self.rows([point])[0]
        return self._latest[point]

    def diagonal(self):
        """K_ii, shape (n,)."""
        return self._diagonal

    def matrix(self):
        """All of K, shape (n, n)."""
        return np.tile(self._fill(), (self._copies, 1))

    def fastest(self):
        """What gives out rows quickest: all of K where there are few points, else this object."""
        return self.matrix() if self._whole is not None and self.n_points <= SMALL else self

    def rows(self, variables):
        """K_it for these i and all t, shape (len(variables), n)."""
        points = np.asarray(variables, dtype=int) % self.n_points
        if self._whole is not None:
            return self._whole[points]
        return np.tile(self._kernel(self._X[points], self._X), self._copies)

    def block(self, points):
        """κ between these points alone, shape (len(points), len(points))."""
        if self._whole is not None:
            return self._whole[np.ix_(points, points)]
        return self._kernel(self._X[points], self._X[points])

    def times(self, beta):
        """K β, from the rows with β ≠ 0 alone; shape (n,)."""
        by_point = beta.reshape(self._copies, -1).sum(axis=0)
        product, support = np.zeros(len(beta)), np.flatnonzero(by_point)
        height = max(1, 200_000 // len(beta))  # so many rows stay in the cache
        for first in range(0, len(support), height):
            chosen = support[first : first + height]
            product += by_point[chosen] @ self.rows(chosen)
        return product

    def _fill(self):
        """Compute all rows, one for each point."""
        if self._whole is None:
            self._whole, self._latest = np.tile(self._kernel(self._X, self._X), self._copies), {}
        return self._whole
