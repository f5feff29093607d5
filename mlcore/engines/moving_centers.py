"""k-means on many points: only those whose nearest centre may have changed are looked at, by the triangle inequality.

After Hamerly (2010), "Making k-means even faster". Chapter 23 runs it from a few thousand points on; chapters 22 and 24
run it under their starts.
"""

import numpy as np

_GRAIN = 1e-6
"""What rounding may add to a distance between points that are at most about 1 from the origin, and more."""


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
        """Find the two nearest centres of some points."""
        closeness = centers @ self.X.take(rows, axis=0).T
        closeness -= 0.5 * np.vecdot(centers, centers)[:, np.newaxis]
        labels, columns, norms = closeness.argmax(axis=0), np.arange(len(rows)), self.norms[rows]
        nearest = closeness[labels, columns]
        closeness[labels, columns] = -np.inf
        self.labels[rows] = labels
        self.slack[rows] = _distance(norms, closeness.max(axis=0)) - _distance(norms, nearest)

    def update(self, labels, k):
        """Return the means of the groups, shape (k, n_features); only points with another label are added anew."""
        if self.summed is None:
            self.sums = np.array([np.bincount(labels, column, k) for column in self.X.T]).T
        else:
            rows = np.flatnonzero(labels != self.summed)
            columns, change = np.arange(len(rows)), np.zeros((k, len(rows)))
            change[labels[rows], columns] = 1.0
            change[self.summed[rows], columns] = -1.0
            self.sums += change @ self.X.take(rows, axis=0)
        self.summed = labels
        return self.sums / np.bincount(labels, minlength=k)[:, np.newaxis]


def _distance(norms, closeness):
    """‖x - μ‖ from ‖x‖² and xᵀμ - ½‖μ‖²."""
    return np.sqrt(np.maximum(norms - 2 * closeness, 0.0))
