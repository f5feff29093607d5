"""Runs that call the core of chapter 23, on the data that the chapter shows."""

from functools import partial

import numpy as np

from mlcore.clustering import AgglomerativeClustering, DivisiveClustering, KMeans, compress_image, silhouette
from mlcore.datasets import draw_landscape, load_iris, make_moons

X, y = load_iris().data, load_iris().target
moons, _ = make_moons(200, noise=0.05, random_state=1)


def means():
    """Find three centres among the irises."""
    KMeans(n_clusters=3).fit(X)


def colours():
    """Paint the landscape in eight colours."""
    compress_image(draw_landscape(), 8)


def one_start_without_points():
    """Begin with a centre that is the nearest to nobody."""
    KMeans(n_clusters=3, init=np.array([X[0], X[100], 99 + X[0]])).fit(X)


def tree(linkage, X=X):
    """Merge the irises."""
    AgglomerativeClustering(linkage=linkage).fit(X)


RUNS = {
    "assign": means,
    "update": colours,
    "squares": means,
    "reseed": one_start_without_points,
    "lloyd": colours,
    "draw": means,
    "plus_plus": means,
    "silhouette_widths": lambda: silhouette(X, y),
    "nearest_pair": lambda: tree("single", moons),
    "merge": lambda: tree("single", moons),
    **{linkage: partial(tree, linkage) for linkage in ("single", "complete", "average", "centroid", "ward")},
    "groups_after": partial(tree, "average"),
    "leaf_order": partial(tree, "average"),
    "farthest_pair": lambda: DivisiveClustering().fit(X),
    "divide": lambda: DivisiveClustering().fit(X),
}
