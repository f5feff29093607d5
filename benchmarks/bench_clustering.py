"""Clustering against scikit-learn's k-means and silhouettes, and SciPy's linkages."""

from functools import partial

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.metrics import silhouette_samples

from benchmarks.core import Face, Row
from mlcore.clustering import AgglomerativeClustering, KMeans, silhouette
from mlcore.clustering.kmeans import assign, squares, update


def clouds(n_samples, n_features=10):
    """Eight overlapping Gaussian clouds, and eight of the points to start from."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.normal(size=(8, n_features))
    X = centers[rng.integers(8, size=n_samples)] + rng.normal(size=(n_samples, n_features))
    return X, X[:8].copy()


def labelled(n_samples):
    """Clouds, and the labels of k-means."""
    X, start = clouds(n_samples)
    return X, KMeans(n_clusters=8, init=start).fit(X).labels_


def fitted(n_samples):
    """New points, and a model of either library."""
    X, start = clouds(n_samples)
    theirs = SklearnKMeans(n_clusters=8, init=start, n_init=1).fit(X)
    return X, KMeans(n_clusters=8, init=start).fit(X), theirs


def same_centers(ours, theirs, *data):
    """The same centres, labels and J."""
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-8)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.inertia_, theirs.inertia_)


def as_low(ours, theirs, *data):
    """Both found the same lowest J."""
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-3)


def merging(kind):
    """A row: the whole tree."""
    return Row(
        f"{kind} linkage (SciPy)", (2_000, 3_000, 4_000), lambda n: (clouds(n, 5)[0],),
        ours=lambda X: AgglomerativeClustering(n_clusters=2, linkage=kind).fit(X).linkage_matrix_,
        theirs=lambda X: linkage(X, kind), same=lambda a, b, X: assert_allclose(a, b, rtol=1e-9),
    )


ROWS = [
    Row(
        "k-means from given centres", (1_000, 10_000, 100_000), clouds,
        ours=lambda X, start: KMeans(n_clusters=8, init=start, tol=0).fit(X),
        theirs=lambda X, start: SklearnKMeans(n_clusters=8, init=start, n_init=1, tol=0).fit(X), same=same_centers,
    ),
    Row(
        "k-means, 10 starts", (1_000, 10_000, 30_000), clouds,
        ours=lambda X, start: KMeans(n_clusters=8, n_init=10, random_state=0).fit(X),
        theirs=lambda X, start: SklearnKMeans(n_clusters=8, n_init=10, random_state=0).fit(X), same=as_low,
    ),
    Row(
        "k-means, predict", (1_000, 10_000, 100_000), fitted,
        ours=lambda X, ours, theirs: ours.predict(X), theirs=lambda X, ours, theirs: theirs.predict(X),
        same=lambda a, b, *data: assert_array_equal(a, b),
    ),
    Row(
        "silhouettes", (500, 2_000, 5_000), labelled, ours=silhouette, theirs=silhouette_samples,
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-8),
    ),
    *map(merging, ("single", "complete", "average", "centroid", "ward")),
]


def bare(X, start):
    """The core alone: assign and update until nothing changes."""
    centers, labels, before = start, assign(X, start), None
    while not np.array_equal(labels, before):
        centers, before = update(X, labels, 8), labels
        labels = assign(X, centers)
    return centers, labels, squares(X, centers, labels).sum()


def same_end(ours, bare, *data):
    """The same centres and J."""
    assert_allclose(ours.cluster_centers_, bare[0], atol=1e-8)
    assert_allclose(ours.inertia_, bare[2])


FACES = [
    Face("k-means", (400,), partial(clouds, n_features=5),
         ours=lambda X, start: KMeans(n_clusters=8, init=start, tol=0).fit(X), theirs=bare, same=same_end)
]
