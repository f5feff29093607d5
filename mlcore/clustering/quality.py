"""How many clusters? J for each number of them, and how well each point lies in its own."""

import numpy as np

from mlcore.base import REQUIRED, anything, check_consistent_length, check_int, door, labels, table, whole
from mlcore.clustering.kmeans import KMeans
from mlcore.core.clustering import silhouette_widths
from mlcore.engines.pairs import distance_sums
from mlcore.numerics import Frame

__all__ = ["elbow", "silhouette", "silhouette_widths"]


@door(X=table("The points."), labels=labels("Of at least two clusters."))
def silhouette(X, labels):
    """Return for each point how much better its own cluster fits than the next one: the silhouette (轮廓系数).

    s_i = (b_i - a_i) / max(a_i, b_i)

    a_i is the mean distance from the other points of its cluster, b_i the least mean distance from the points of
    another cluster; s_i = 0 for a point that is alone in its cluster. The mean of s over all points judges the
    clustering.

    Returns
    -------
    ndarray of shape (n_samples,), in [-1, 1]

    Raises
    ------
    ValueError
        If there is one cluster only.

    References
    ----------
    Rousseeuw (1987), "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis".
    """
    check_consistent_length(X, labels, names=("X", "labels"))
    names, groups = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError("a silhouette compares clusters, but all labels are equal: give labels of two or more")
    members = (groups[:, np.newaxis] == np.arange(len(names))).astype(float)
    return silhouette_widths(distance_sums(X / Frame(X).unit, members), members.sum(axis=0), groups)


@door(
    X=table("The points."),
    ks=anything(REQUIRED, "iterable of int", "Numbers of clusters, each at most the number of distinct points."),
    n_init=whole(10, "Starts for each.", low=1),
    random_state=anything(None, "None, int or numpy.random.Generator", "An int starts each k alike."),
)
def elbow(X, ks, *, n_init=10, random_state=None):
    """Return J, the least sum of squared distances that k-means found, for each number of clusters.

    The least possible J never rises with k, but what single starts find can: give ``n_init`` room.

    Returns
    -------
    ndarray of shape (len(ks),)
    """
    ks = [check_int("k", k, low=1) for k in ks]
    return np.array([KMeans(n_clusters=k, n_init=n_init, random_state=random_state).fit(X).inertia_ for k in ks])
