"""Agglomerative clustering: each point begins as a group of its own, and the two nearest groups become one.

D, of shape (n, n), holds the distances between the groups that are left (squared ones for centroid and Ward), ∞ on its
diagonal and in the rows and columns of groups that are gone. sizes, of shape (n,), counts their points. The last row of
Z, of shape (n - 1, 4), is the last merge: two numbers of groups, the height at which they met, and the points in both;
points are groups 0 to n - 1, and row t makes group n + t.
"""

import math

import numpy as np

from mlcore.base import Clusterer, check_array, check_choice, check_fit_X, check_int, check_real, run
from mlcore.clustering.kmeans import check_distinct, unit_of
from mlcore.core.clustering import (
    average,
    centroid,
    complete,
    groups_after,
    leaf_order,
    merge,
    nearest_pair,
    single,
    ward,
)
from mlcore.engines.linkage import single_merges
from mlcore.engines.pairs import distances

__all__ = ["AgglomerativeClustering", "cut"]

MANY = 500
"""From so many points on single linkage grows a spanning tree instead of merging rows of a table."""


# ---------------------------------------------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------------------------------------------
LINKAGES = {"single": single, "complete": complete, "average": average, "centroid": centroid, "ward": ward}
SQUARED = ("centroid", "ward")


def merges(D, rule):
    """Merge the two nearest groups, again and again. D is symmetric with ∞ on its diagonal; it is written over.

    Takes O(n²) memory. Each merge costs O(n), and O(n) more for each row that has to be searched again: few of them
    in practice, so O(n²) in all. When a third of the groups is gone, D shrinks to what is left.

    Yields
    ------
    i, j, distance : ints and float
        Group i joined group j, which then stands for both.
    """
    n = len(D)
    numbers, sizes, partner = np.arange(n), np.ones(n), D.argmin(axis=1)
    gaps = D[np.arange(n), partner]
    for n_left in range(n, 1, -1):
        if 3 * n_left <= 2 * len(D):
            left = np.flatnonzero(gaps < np.inf)
            D, numbers, sizes, partner, gaps = _shrunk(left, D, numbers, sizes, partner, gaps)
        i, j = nearest_pair(D, partner, gaps)
        height = D[i, j]
        distances = merge(D, sizes, i, j, rule)
        gaps[i] = np.inf
        np.putmask(partner, distances < gaps, j)
        np.minimum(gaps, distances, out=gaps)
        partner[j] = distances.argmin()
        gaps[j] = distances[partner[j]]
        yield numbers[i], numbers[j], height


def _shrunk(left, D, numbers, sizes, partner, gaps):
    """The same without the groups that are gone; who had one of these as partner is its own, and so searched again."""
    places = np.full(len(D), -1)
    places[left] = np.arange(len(left))
    found = places[partner[left]]
    partner = np.where(found < 0, np.arange(len(left)), found)
    return D.take(left, axis=0).take(left, axis=1), numbers[left], sizes[left], partner, gaps[left]


class AgglomerativeClustering(Clusterer):
    """Groups that grow together from single points, the two nearest groups first (层次聚类).

    What "near" means is the linkage: for groups a and b, over Euclidean distances d of points,

    single: min d       complete: max d       average: mean d, over all pairs of a point of a and one of b
    centroid: ‖m_a - m_b‖, the distance of the means
    ward: √(2 ΔJ), ΔJ = n_a n_b / (n_a + n_b) ‖m_a - m_b‖² what the sum of squares about the means rises by

    Only ``centroid`` can merge at a smaller distance than before (an inversion).

    Parameters
    ----------
    n_clusters : int >= 1
        How many groups ``labels_`` has: those left after n - n_clusters merges; at most the number of distinct points.
    linkage : "single", "complete", "average", "centroid" or "ward"

    Attributes
    ----------
    labels_ : int ndarray of shape (n_samples,)
        Groups 0, 1, ... in the order of their first points.
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The merges in SciPy's format: two groups (points are 0 to n - 1, row t makes group n + t), the distance, and
        the number of points. Among equal distances the order may differ from SciPy's.
    leaves_ : int ndarray of shape (n_samples,)
        The points in the order of a dendrogram, from left to right.

    References
    ----------
    Notes B (层次聚类). Lance and Williams (1967), "A general theory of classificatory sorting strategies"; Ward (1963),
    "Hierarchical grouping to optimize an objective function"; Müllner (2011), "Modern hierarchical, agglomerative
    clustering algorithms".
    """

    def __init__(self, *, n_clusters=2, linkage="average"):
        self.n_clusters = n_clusters
        self.linkage = linkage

    def fit(self, X, y=None):
        """Merge until one group is left.

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
        """As ``fit``, yielding self before the first merge and after each one.

        Yields
        ------
        self
            With ``linkage_matrix_`` so far. ``labels_`` and ``leaves_`` come with the last merge.
        """
        k = check_int("n_clusters", self.n_clusters, low=1)
        rule = LINKAGES[check_choice("linkage", self.linkage, LINKAGES)]
        X = check_fit_X(self, X)
        check_distinct(X, k)
        n, squared, unit = len(X), self.linkage in SQUARED, unit_of(X)
        by_tree = self.linkage == "single" and n >= MANY
        joins = single_merges(X / unit) if by_tree else merges(distances(X / unit, squared), rule)
        Z, names, counts = np.empty((n - 1, 4)), list(range(n)), [1] * n
        self.linkage_matrix_ = Z[:0]
        for t, (i, j, height) in enumerate(joins):
            yield self
            a, b = sorted((names[i], names[j]))
            names[j] = n + t
            counts.append(counts[a] + counts[b])
            Z[t] = a, b, unit * (math.sqrt(max(height, 0.0)) if squared else height), counts[n + t]
            self.linkage_matrix_ = Z[: t + 1]
        self.labels_, self.leaves_ = groups_after(Z, n - k), leaf_order(Z)
        yield self


def cut(linkage_matrix, height):
    """Return the groups, 0, 1, ..., that merges up to a height make, shape (n_samples,).

    Merges after the first one above the height do not count, so inversions are cut off with what they stand on.

    Parameters
    ----------
    linkage_matrix : array-like of shape (n_samples - 1, 4)
        As ``AgglomerativeClustering.linkage_matrix_``.
    height : float

    Returns
    -------
    int ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If it is no linkage matrix, or the height is no number.
    """
    Z = check_array(linkage_matrix, name="linkage_matrix", min_samples=0)
    n, made = len(Z) + 1, np.arange(len(Z))
    if Z.shape[1] != 4:
        raise ValueError(f"linkage_matrix must have the merges of n points in n - 1 rows of 4, got shape {Z.shape}")
    once = np.array_equal(np.sort(Z[:, :2], axis=None), np.arange(2 * n - 2))
    if not once or (Z[:, :2] >= n + made[:, np.newaxis]).any():
        raise ValueError(
            f"linkage_matrix must merge each of the groups 0 to {2 * n - 3} once, and none before it is made: in row t "
            f"the first two numbers are below {n} + t"
        )
    height = check_real("height", height)
    return groups_after(Z, int(np.sum(np.maximum.accumulate(Z[:, 2]) <= height)))
