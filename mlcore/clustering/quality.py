"""How many clusters? J for each number of them, and how well each point lies in its own."""

import numpy as np

from mlcore.base import check_array, check_consistent_length, check_int, check_labels
from mlcore.clustering.kmeans import KMeans, unit_of
from mlcore.core.clustering import silhouette_widths
from mlcore.engines.pairs import distance_sums

__all__ = ["elbow", "silhouette"]


# ---------------------------------------------------------------------------------------------------------------
# Public functions
# ---------------------------------------------------------------------------------------------------------------
def silhouette(X, labels):
    """Return for each point how much better its own cluster fits than the next one: the silhouette (轮廓系数).

    s_i = (b_i - a_i) / max(a_i, b_i)

    a_i is the mean distance from the other points of its cluster, b_i the least mean distance from the points of
    another cluster; s_i = 0 for a point that is alone in its cluster. The mean of s over all points judges the
    clustering.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
        Of at least two clusters.

    Returns
    -------
    ndarray of shape (n_samples,), in [-1, 1]

    Raises
    ------
    ValueError
        For bad data, or if there is one cluster only.

    References
    ----------
    Rousseeuw (1987), "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis".
    """
    X, labels = check_array(X), check_labels(labels, name="labels")
    check_consistent_length(X, labels, names=("X", "labels"))
    names, groups = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError("a silhouette compares clusters, but all labels are equal: give labels of two or more")
    members = (groups[:, np.newaxis] == np.arange(len(names))).astype(float)
    return silhouette_widths(distance_sums(X / unit_of(X), members), members.sum(axis=0), groups)


def elbow(X, ks, *, n_init=10, random_state=None):
    """Return J, the least sum of squared distances that k-means found, for each number of clusters.

    The least possible J never rises with k, but what single starts find can: give ``n_init`` room.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    ks : iterable of int
        Numbers of clusters, each at most the number of distinct points.
    n_init : int >= 1
        Starts for each.
    random_state : None, int or numpy.random.Generator
        An int starts each k alike.

    Returns
    -------
    ndarray of shape (len(ks),)

    Raises
    ------
    ValueError
        For bad data or numbers; see ``KMeans``.
    """
    ks = [check_int("k", k, low=1) for k in ks]
    return np.array([KMeans(n_clusters=k, n_init=n_init, random_state=random_state).fit(X).inertia_ for k in ks])
