"""Agglomerative clustering: each point begins as a group of its own, and the two nearest groups become one."""

import math

import numpy as np

from mlcore.base import REQUIRED, Clusterer, anything, check_array, check_fit_X, choice, door, real, whole
from mlcore.clustering.kmeans import check_distinct
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
from mlcore.engines.linkage import quick_merges, single_merges
from mlcore.engines.pairs import distances
from mlcore.numerics import Frame

__all__ = ["AgglomerativeClustering", "cut"]

MANY = 300
"""From so many points on the engine pays."""
LINKAGES = {"single": single, "complete": complete, "average": average, "centroid": centroid, "ward": ward}
SQUARED = ("centroid", "ward")


def merges(D, rule):
    """Merge the two nearest groups, again and again. D is symmetric with ∞ on its diagonal; it is written over.

    Yields
    ------
    i, j, distance : ints and float
        Group i joined group j, which then stands for both.
    """
    sizes = np.ones(len(D))
    for _ in range(len(D) - 1):
        i, j = nearest_pair(D)
        height = D[i, j]
        merge(D, sizes, i, j, rule)
        yield i, j, height


class AgglomerativeClustering(Clusterer):
    """Groups that grow together from single points, the two nearest groups first (层次聚类).

    What "near" means is the linkage: for groups a and b, over Euclidean distances d of points,

    single: min d       complete: max d       average: mean d, over all pairs of a point of a and one of b
    centroid: ‖m_a - m_b‖, the distance of the means
    ward: √(2 ΔJ), ΔJ = n_a n_b / (n_a + n_b) ‖m_a - m_b‖² what the sum of squares about the means rises by

    Only ``centroid`` can merge at a smaller distance than before (an inversion).

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

    n_clusters: int = whole(
        2,
        "How many groups ``labels_`` has: those left after n - n_clusters merges; at most the number of distinct\n"
        "points.",
        low=1,
    )
    linkage: str = choice("average", LINKAGES, "How far two groups are apart.")

    def iter_fit(self, X, y=None):
        """Yield self before the first merge and after each one, with ``linkage_matrix_`` so far.

        ``labels_`` and ``leaves_`` come with the last merge.
        """
        p = self.checked()
        X = check_fit_X(self, X)
        check_distinct(X, p.n_clusters)
        n, squared, unit = len(X), p.linkage in SQUARED, Frame(X).unit
        if p.linkage == "single" and n >= MANY:
            joins = single_merges(X / unit)
        else:
            joins = (quick_merges if n >= MANY else merges)(distances(X / unit, squared), LINKAGES[p.linkage])
        Z, names, counts = np.empty((n - 1, 4)), list(range(n)), [1] * n
        self.linkage_matrix_ = Z[:0]
        for t, (i, j, height) in enumerate(joins):
            yield self
            a, b = sorted((names[i], names[j]))
            names[j] = n + t
            counts.append(counts[a] + counts[b])
            Z[t] = a, b, unit * (math.sqrt(max(height, 0.0)) if squared else height), counts[n + t]
            self.linkage_matrix_ = Z[: t + 1]
        self.labels_, self.leaves_ = groups_after(Z, n - p.n_clusters), leaf_order(Z)
        yield self


@door(
    linkage_matrix=anything(
        REQUIRED, "array-like of shape (n_samples - 1, 4)", "As ``AgglomerativeClustering.linkage_matrix_``."
    ),
    height=real(REQUIRED, "In the units of the distances."),
)
def cut(linkage_matrix, height):
    """Return the groups, 0, 1, ..., that merges up to a height make, shape (n_samples,).

    Merges after the first one above the height do not count, so inversions are cut off with what they stand on.

    Raises
    ------
    ValueError
        If it is no linkage matrix.
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
    return groups_after(Z, int(np.sum(np.maximum.accumulate(Z[:, 2]) <= height)))
