"""k-means on many points: only those whose nearest centre may have changed are looked at, by the triangle inequality.

After Hamerly (2010), "Making k-means even faster". Chapter 23 runs it from a few thousand points on; chapters 22 and 24
run it under their starts.
"""

import numpy as np

_GRAIN = 1e-6
"""What rounding may add to a distance between points that are at most about 1 from the origin, and more."""
BLOCK = 8192
"""Points looked at together, fewer with many centres: their products stay in the cache."""


class MovingCenters:
    """The labels and the means of points whose centres move little from step to step.

    A point at the distances d₁ from its nearest centre and d₂ from the next has the slack d₂ - d₁. If its own centre
    moves by p and no centre by more than q, then d₁ grows by at most p and no other distance shrinks by more than q.
    As long as what is left of its slack is positive, its label stays.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        With entries up to about 1.
    """

    def __init__(self, X):
        self.X, self.norms = X, squared_distances(X, np.zeros(X.shape[1]))
        self.labels, self.slack = np.zeros(len(X), dtype=np.intp), np.zeros(len(X))
        self.centers = self.summed = None

    def assign(self, centers):
        """Return the nearest of the centres for each point, shape (n_samples,)."""
        rows = None
        if self.centers is not None:
            moves = np.sqrt(np.vecdot(centers - self.centers, centers - self.centers))
            self.slack -= (moves + moves.max()).take(self.labels)
            rows = np.flatnonzero(self.slack <= _GRAIN)
            if 2 * len(rows) > len(self.X):  # to pick the rows costs more than to look at all
                rows = None
        for block in blocks(len(self.X), rows, _size(len(centers))):
            self._look(block, centers)
        self.centers = centers
        return self.labels.copy()

    def _look(self, block, centers):
        """Find the two nearest centres of some points."""
        closeness = _closeness(_rows(self.X, block), centers)
        best = closeness.max(axis=0)
        labels, norms = first_true(closeness == best), self.norms[block]
        closeness[labels, np.arange(len(labels))] = -np.inf
        self.labels[block] = labels
        self.slack[block] = _distance(norms, closeness.max(axis=0)) - _distance(norms, best)

    def update(self, labels, k):
        """Return the means of the groups, shape (k, n_features); only points with another label are added anew."""
        if self.summed is None:
            self.sums, self.sizes, rows = np.zeros((k, self.X.shape[1])), np.zeros((k, 1)), None
        else:
            rows = np.flatnonzero(labels != self.summed)
        numbers = np.arange(k)[:, np.newaxis]
        for block in blocks(len(labels), rows, _size(k)):
            change = (labels[block] == numbers).astype(float)
            if rows is not None:
                change -= self.summed[block] == numbers
            self.sums += change @ _rows(self.X, block)
            self.sizes += change.sum(axis=1, keepdims=True)
        self.summed = labels
        return self.sums / self.sizes


def nearest_center(X, centers, origin, unit):
    """Return the number of the nearest centre for each row, as the core of chapter 23 does for (X - origin) / unit.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    centers : ndarray of shape (k, n_features)
        As they lie from the origin, in these units.
    origin : ndarray of shape (n_features,)
    unit : float
        A power of two: what is left out is a product with it, which changes no digit.
    """
    labels = np.empty(len(X), dtype=np.intp)
    halves = 0.5 * unit * np.vecdot(centers, centers)[:, np.newaxis]
    for block in blocks(len(X), size=_size(len(centers))):
        closeness = centers @ shifted(X[block], origin).T
        closeness -= halves
        labels[block] = first_true(closeness == closeness.max(axis=0))
    return labels


def shifted(X, origin):
    """Return X - origin. A table of copies of the origin makes it twice as fast as one row of a few numbers."""
    n_copies = max(1, min(len(X), BLOCK // len(origin)))
    Z, copies = np.empty(X.shape), np.tile(origin, (n_copies, 1))
    for start in range(0, len(X), n_copies):
        rows = X[start : start + n_copies]
        np.subtract(rows, copies[: len(rows)], out=Z[start : start + n_copies])
    return Z


def squared_distances(X, x):
    """Return ‖x_i - x‖² for each row x_i of X, shape (n_samples,)."""
    gaps, ones = np.empty(len(X)), np.ones(len(x))
    for block in blocks(len(X)):
        differences = shifted(X[block], x)
        differences *= differences
        gaps[block] = differences @ ones
    return gaps


def first_true(flags):
    """Return for each column the first row that holds True, as ``flags.argmax(axis=0)`` does, in an eighth of its time.

    The rows are numbered backwards in the smallest integers, so that the largest number is that of the first.
    """
    k = len(flags)
    backwards = np.arange(k, 0, -1, dtype=np.min_scalar_type(k))[:, np.newaxis]
    return k - (flags * backwards).max(axis=0).astype(np.intp)


def blocks(n, rows=None, size=BLOCK):
    """All of n rows, or some of them, by the block."""
    for start in range(0, n if rows is None else len(rows), size):
        yield slice(start, start + size) if rows is None else rows[start : start + size]


def _size(k):
    """How many rows with k numbers each make a block."""
    return min(BLOCK, max(256, 32 * BLOCK // k))


def _rows(X, block):
    return X[block] if isinstance(block, slice) else X.take(block, axis=0)  # a quarter of the time of X[block]


def _closeness(X, centers):
    """xᵀμ - ½‖μ‖², of shape (k, n): the larger, the nearer."""
    closeness = centers @ X.T
    closeness -= 0.5 * np.vecdot(centers, centers)[:, np.newaxis]
    return closeness


def _distance(norms, closeness):
    """‖x - μ‖ from ‖x‖² and xᵀμ - ½‖μ‖²."""
    return np.sqrt(np.maximum(norms - 2 * closeness, 0.0))
