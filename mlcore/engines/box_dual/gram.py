"""The kernel matrix K, computed as far as it is needed."""

import numpy as np

from mlcore.kernels import kernel_diagonal

__all__ = ["Gram"]

TINY = 1e-12
"""Stands in for a squared distance that is zero (equal points) or negative (a matrix that is no kernel matrix)."""

SMALL = 400
"""Of so many points, at most, all of K and all distances are computed at once."""

MATRIX_BYTES = 200_000_000
"""The whole kernel matrix may take so much memory (5,000 points); of a larger one, so many bytes of rows are kept."""


class Gram:
    """The kernel matrix K of the training points; ``gram[i]`` is its row K_it, shape (n,).

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
    diagonal : ndarray of shape (n,)
        K_ii.
    n_points : int
        How many points there are; n is ``copies`` times that.
    fits : bool
        Whether all of K may be kept in memory.
    """

    def __init__(self, kernel, X, matrix=None, copies=1):
        self._kernel, self._X, self._copies = kernel, X, copies
        self.n_points = len(X)
        self._whole = matrix  # a row and a column for each point, not each variable
        kept = max(2, MATRIX_BYTES // (8 * copies * len(X)))
        self.fits = copies * len(X) <= kept
        self._singly = min(len(X) ** 2 // 60_000, 60)  # so many rows are computed one by one
        self._rows, self._near = _Latest(kept), _Latest(kept)  # of K, and of the distances
        small = len(X) <= SMALL and self.fits
        if small:
            self._filled()
        own = kernel_diagonal(kernel, X) if self._whole is None else self._whole.diagonal()
        self.diagonal, self._all_near = np.tile(own, copies), None
        if small and copies == 1:
            self._all_near = self._lengths(self._filled(), self.diagonal[:, np.newaxis])

    def __getitem__(self, i):
        point = i % self.n_points
        if self._whole is not None:
            return self._whole[point] if self._copies == 1 else np.concatenate([self._whole[point]] * self._copies)
        row = self._rows.get(point)
        return self._compute_row(point) if row is None else row

    @property
    def distances(self):
        """``distances[i]`` is ‖φ(x_i) - φ(x_t)‖ for all t, shape (n,)."""
        return _Distances(self) if self._all_near is None else self._all_near

    def distances_from(self, i):
        """‖φ(x_i) - φ(x_t)‖ for all t, shape (n,); the latest are kept."""
        point = i % self.n_points
        row = self._near.get(point)
        return self._near.keep(point, self._lengths(self[point], self.diagonal[point])) if row is None else row

    def matrix(self):
        """All of K, shape (n, n); only where it ``fits``."""
        return self._filled() if self._copies == 1 else np.tile(self._filled(), (self._copies, self._copies))

    def rows(self, variables):
        """K_it for these i and all t, shape (len(variables), n)."""
        points = np.asarray(variables, dtype=int) % self.n_points
        rows = self._kernel(self._X[points], self._X) if self._whole is None else self._whole[points]
        return rows if self._copies == 1 else np.tile(rows, (1, self._copies))

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

    def _filled(self):
        """κ between all points."""
        if self._whole is None:
            self._whole = self._kernel(self._X, self._X)
            self._rows.clear()
        return self._whole

    def _compute_row(self, point):
        if self.fits and len(self._rows) >= self._singly:
            self._filled()
            return self[point]
        return self._rows.keep(point, np.tile(self._kernel(self._X[point : point + 1], self._X)[0], self._copies))

    def _lengths(self, K, own):
        """‖φ(x_i) - φ(x_t)‖ for rows K_it with own = K_ii, from ‖φ(x_i) - φ(x_t)‖² = K_ii + K_tt - 2 K_it."""
        return np.sqrt(np.maximum(own + self.diagonal - 2.0 * K, TINY))


class _Distances:
    """The distances as rows of a matrix. The matrix knows of no such object, so both are freed at once."""

    def __init__(self, gram):
        self._gram = gram

    def __getitem__(self, i):
        return self._gram.distances_from(i)


class _Latest(dict):
    """The latest rows, no more than ``most``."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def keep(self, point, row):
        """Remember a row, forget the oldest if there are too many, and return the row."""
        if len(self) >= self.most:
            del self[next(iter(self))]
        self[point] = row
        return row
