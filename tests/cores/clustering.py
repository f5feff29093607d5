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
    "assign": means,
    "update": means,
    "squares": means,
    "reseed": one_start_without_points,
    "draw": means,
    "plus_plus": means,
    "silhouette_widths": lambda: silhouette(X, y),
    "nearest_pair": partial(tree, "average"),
    "merge": partial(tree, "average"),
    **{
        f"clustering.hierarchical.{linkage}": partial(tree, linkage)
        for linkage in ("single", "complete", "average", "centroid", "ward")
    },
    "groups_after": partial(tree, "average"),
    "leaf_order": partial(tree, "average"),
    "farthest_pair": divided,
    "divide": divided,
}
