"""Divisive clustering: all points begin in one group, and the widest group is divided in two."""

import numpy as np

from mlcore.base import Clusterer, check_fit_X, whole
from mlcore.clustering.kmeans import check_distinct
from mlcore.core.clustering import divide, farthest_pair
from mlcore.distances import euclidean
from mlcore.numerics import Frame

__all__ = ["DivisiveClustering", "divide", "farthest_pair"]


class DivisiveClustering(Clusterer):
    """Groups that come from dividing: the widest one in two, again and again (分裂式层次聚类).

    The group with the largest diameter max d(x, x') is divided: its two farthest points part, and each other point goes
    with the nearer of the two, with the first where both are as near. d is Euclidean.

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

    n_clusters: int = whole(2, "How many groups there are in the end; at most the number of distinct points.", low=1)

    def iter_fit(self, X, y=None):
        """Yield self with all points in one group and after each division."""
        k = self.checked().n_clusters
        X = check_fit_X(self, X)
        frame = Frame(X)
        points = frame.into(X)
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
            self.diameters_ = np.append(self.diameters_, frame.unit * diameter)
            self.labels_ = _numbered(groups, len(X))
            yield self


def _numbered(groups, n):
    labels = np.empty(n, dtype=int)
    for number, members in enumerate(sorted(groups, key=lambda members: members[0])):
        labels[members] = number
    return labels
