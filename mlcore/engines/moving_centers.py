"""k-means on many points: only those whose nearest centre may have changed are looked at, by the triangle inequality.

After Hamerly (2010), "Making k-means even faster". Chapter 23 runs it from a few thousand points on; chapters 22 and 24
run it under their starts.
"""

import numpy as np

_GRAIN = 1e-6
"""What rounding may add to a distance between points that are at most about 1 from the origin, and more."""
_BLOCK = 8192
"""Points looked at together: their products stay in the cache."""


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
        self.X, self.norms = X, np.vecdot(X, X)
        self.labels, self.slack = np.zeros(len(X), dtype=np.intp), np.zeros(len(X))
        self.centers = self.summed = None

    def assign(self, centers):
        """Return the nearest of the centres for each point, shape (n_samples,)."""
        if self.centers is None:
            self._look(np.arange(len(self.X)), centers)
        else:
            moves = np.sqrt(np.vecdot(centers - self.centers, centers - self.centers))
            self.slack -= moves.take(self.labels)
            self.slack -= moves.max()
            self._look(np.flatnonzero(self.slack <= _GRAIN), centers)
        self.centers = centers
        return self.labels.copy()

    def _look(self, rows, centers):
        """Find the two nearest centres of some points, a block of them at a time."""
        halves = 0.5 * np.vecdot(centers, centers)[:, np.newaxis]
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            closeness = centers @ self.X.take(block, axis=0).T
            closeness -= halves
            nearest, norms = closeness.max(axis=0), self.norms.take(block)
            labels = (closeness == nearest).argmax(axis=0)  # twice as fast as closeness.argmax
            closeness[labels, np.arange(len(block))] = -np.inf
            self.labels[block] = labels
            self.slack[block] = _distance(norms, closeness.max(axis=0)) - _distance(norms, nearest)

    def update(self, labels, k):
        """Return the means of the groups, shape (k, n_features); only points with another label are added anew."""
        if self.summed is None:
            self.sums, rows = np.zeros((k, self.X.shape[1])), np.arange(len(labels))
        else:
            rows = np.flatnonzero(labels != self.summed)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            columns, change = np.arange(len(block)), np.zeros((k, len(block)))
            change[labels[block], columns] = 1.0
            if self.summed is not None:
                change[self.summed[block], columns] = -1.0
            self.sums += change @ self.X.take(block, axis=0)
        self.summed = labels
        return self.sums / np.bincount(labels, minlength=k)[:, np.newaxis]


def _distance(norms, closeness):
    """‖x - μ‖ from ‖x‖² and xᵀμ - ½‖μ‖²."""
    return np.sqrt(np.maximum(norms - 2 * closeness, 0.0))


def nearest_center(X, centers):
    """Return the number of the nearest centre for each row, as the core of chapter 23 does, for many rows."""
    closeness = centers @ X.T
    closeness -= 0.5 * np.vecdot(centers, centers)[:, np.newaxis]
    return (closeness == closeness.max(axis=0)).argmax(axis=0)
