"""k-means on many points: only those whose nearest centre may have changed are looked at, by the triangle inequality.

After Hamerly (2010), "Making k-means even faster". Chapter 23 runs it from 20,000 points on.
"""

import numpy as np

_GRAIN = 1e-6
"""What rounding may add to a distance between points that are at most about 1 from the origin, and more."""
_BLOCK = 8192
"""Points looked at together, fewer with many centres: their products stay in the cache."""


class MovingCenters:
    """The half-steps of chapter 23 over the same points again and again, whose centres move little from step to step.

    A point at the distances d₁ from its nearest centre and d₂ from the next has the slack d₂ - d₁. If its own centre
    moves by p and no centre by more than q, then d₁ grows by at most p and no other distance shrinks by more than q.
    As long as what is left of its slack is positive, its label stays.
    """

    def __init__(self):
        self.centers = self.summed = None

    def assign(self, X, centers):
        """Return the nearest of the centres for each point, shape (n_samples,)."""
        rows = None
        if self.centers is None:
            self.norms = np.vecdot(X, X)
            self.labels, self.slack = np.zeros(len(X), dtype=np.intp), np.zeros(len(X))
        else:
            moves = np.linalg.norm(centers - self.centers, axis=1)
            self.slack -= (moves + moves.max()).take(self.labels)
            rows = np.flatnonzero(self.slack <= _GRAIN)
            if 2 * len(rows) > len(X):  # to pick the rows costs more than to look at all
                rows = None
        for block in _blocks(len(X), rows, len(centers)):
            self._look(X, block, centers)
        self.centers = centers
        return self.labels.copy()

    def _look(self, X, block, centers):
        """Find the two nearest centres of some points."""
        closeness = centers @ _rows(X, block).T  # the larger, the nearer
        closeness -= 0.5 * np.vecdot(centers, centers)[:, np.newaxis]
        best = closeness.max(axis=0)
        labels, norms = _first_true(closeness == best), self.norms[block]
        closeness[labels, np.arange(len(labels))] = -np.inf
        self.labels[block] = labels
        self.slack[block] = _distance(norms, closeness.max(axis=0)) - _distance(norms, best)

    def update(self, X, labels, k):
        """Return the means of the groups, shape (k, n_features); only points with another label are added anew."""
        rows = None
        if self.summed is None:
            self.sums, self.sizes = np.zeros((k, X.shape[1])), np.zeros((k, 1))
        else:
            rows = np.flatnonzero(labels != self.summed)
        numbers = np.arange(k)[:, np.newaxis]
        for block in _blocks(len(X), rows, k):
            change = (labels[block] == numbers).astype(float)
            if rows is not None:
                change -= self.summed[block] == numbers
            self.sums += change @ _rows(X, block)
            self.sizes += change.sum(axis=1, keepdims=True)
        self.summed = labels
        return self.sums / self.sizes


def _first_true(flags):
    """Return for each column the first row that holds True, as ``flags.argmax(axis=0)`` does, in an eighth of its time.

    The rows are numbered backwards in the smallest integers, so that the largest number is that of the first.
    """
    k = len(flags)
    backwards = np.arange(k, 0, -1, dtype=np.min_scalar_type(k))[:, np.newaxis]
    return k - (flags * backwards).max(axis=0).astype(np.intp)


def _blocks(n, rows, k):
    """All of n rows, or some of them, by the block."""
    size = min(_BLOCK, max(256, 32 * _BLOCK // k))
    for start in range(0, n if rows is None else len(rows), size):
        yield slice(start, start + size) if rows is None else rows[start : start + size]


def _rows(X, block):
    return X[block] if isinstance(block, slice) else X.take(block, axis=0)  # a quarter of the time of X[block]


def _distance(norms, closeness):
    """‖x - μ‖ from ‖x‖² and xᵀμ - ½‖μ‖²."""
    return np.sqrt(np.maximum(norms - 2 * closeness, 0.0))
