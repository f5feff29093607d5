"""Divisive clustering: all points begin in one group, and the widest group is divided in two.

D, of shape (n, n), holds the distances of all points; members are the numbers of the points of one group.
"""

import numpy as np

from mlcore.base import Clusterer, check_fit_X, check_int, run
from mlcore.clustering.kmeans import check_distinct, unit_of
from mlcore.core.clustering import divide, farthest_pair
from mlcore.distances import euclidean

__all__ = ["DivisiveClustering"]


# ---------------------------------------------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------------------------------------------
class DivisiveClustering(Clusterer):
    """Groups that come from dividing: the widest one in two, again and again (分裂式层次聚类).

    The group with the largest diameter max d(x, x') is divided: its two farthest points part, and each other point goes
    with the nearer of the two, with the first where both are as near. d is Euclidean.

    Parameters
    ----------
    n_clusters : int >= 1
        At most the number of distinct points.

    Attributes
    ----------
    labels_ : int ndarray of shape (n_samples,)
        Groups 0, 1, ... in the order of their first points.
    diameters_ : ndarray of shape (n_clusters - 1,)
        Of the groups that were divided, in that order: never rising.

    References
    ----------
    Notes B (层次聚类) name the two farthest points, but neither which group is divided nor where its other points go.
    """

    def __init__(self, *, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        """Divide until there are n_clusters groups.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data, or if there are more clusters than distinct points.
        """
        run(self.iter_fit(X, y))
        return self

    def iter_fit(self, X, y=None):
        """As ``fit``, yielding self with all points in one group and after each division.

        Yields
        ------
        self
        """
        k = check_int("n_clusters", self.n_clusters, low=1)
        X = check_fit_X(self, X)
        unit = unit_of(X)
        points = X / unit
        points[np.abs(points) < 1e-100] = 0.0  # so that the squares of what is left do not underflow
        check_distinct(points, k)
        D = euclidean(points)
        groups = [np.arange(len(X))]
        pairs = [farthest_pair(D, groups[0])]
        self.diameters_ = np.empty(0)
        self.labels_ = _numbered(groups, len(X))
        yield self
        while len(groups) < k:
            widest = max(range(len(groups)), key=lambda g: pairs[g][2])
            i, j, diameter = pairs.pop(widest)
            halves = divide(D, groups.pop(widest), i, j)
            groups += halves
            pairs += [farthest_pair(D, half) for half in halves]
            self.diameters_ = np.append(self.diameters_, unit * diameter)
            self.labels_ = _numbered(groups, len(X))
            yield self


def _numbered(groups, n):
    labels = np.empty(n, dtype=int)
    for number, members in enumerate(sorted(groups, key=lambda members: members[0])):
        labels[members] = number
    return labels
