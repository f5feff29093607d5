"""Runs that call the core of chapter 23."""

from functools import partial

import numpy as np

from mlcore.clustering import AgglomerativeClustering, DivisiveClustering, KMeans, silhouette
from mlcore.datasets import load_iris

X, y = load_iris().data, load_iris().target


def means():
    """Find three centres."""
    KMeans(n_clusters=3, n_init=1, random_state=0).fit(X)


def one_start_without_points():
    """Begin with a centre that is the nearest to nobody."""
    KMeans(n_clusters=3, init=np.array([X[0], X[100], 99 + X[0]])).fit(X)


def tree(linkage):
    """Merge the irises."""
    AgglomerativeClustering(n_clusters=3, linkage=linkage).fit(X)


def divided():
    """Divide the irises."""
    DivisiveClustering(n_clusters=3).fit(X)


RUNS = {
    "clustering.kmeans.assign": means,
    "clustering.kmeans.update": means,
    "clustering.kmeans.squares": means,
    "clustering.kmeans.reseed": one_start_without_points,
    "clustering.kmeans.draw": means,
    "clustering.kmeans.plus_plus": means,
    "clustering.quality.widths": lambda: silhouette(X, y),
    "clustering.hierarchical.nearest_pair": partial(tree, "average"),
    "clustering.hierarchical.merge": partial(tree, "average"),
    **{
        f"clustering.hierarchical.{linkage}": partial(tree, linkage)
        for linkage in ("single", "complete", "average", "centroid", "ward")
    },
    "clustering.hierarchical.groups_after": partial(tree, "average"),
    "clustering.hierarchical.leaf_order": partial(tree, "average"),
    "clustering.divisive.farthest_pair": divided,
    "clustering.divisive.divide": divided,
}
