"""Runs that call the core of chapter 14."""

import numpy as np

from mlcore.nearest_neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, knn_density

rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)


def classify():
    """Let the neighbours vote."""
    KNeighborsClassifier().fit(X, y).predict(X)


def regress():
    """Average the neighbours, the nearer ones more."""
    KNeighborsRegressor(weights="distance").fit(X, y).predict(X)


RUNS = {
    "distances.block_of_distances": classify,
    "nearest_neighbors.log_ball_volume": lambda: knn_density(X, X, 3),
    "nearest_neighbors.log_count_density": lambda: KernelDensity(kernel="uniform").fit(X).score_samples(X),
    "nearest_neighbors.log_bump_density": lambda: KernelDensity().fit(X).score_samples(X),
    "nearest_neighbors.log_knn_density": lambda: knn_density(X, X, 3),
    "distances.k_smallest": classify,
    "distances.first_in_each_row": classify,
    "nearest_neighbors.vote": classify,
    "nearest_neighbors.neighbor_weights": regress,
    "nearest_neighbors.mean_of_neighbors": regress,
    "distances.whitened": lambda: KNeighborsClassifier(metric="mahalanobis").fit(X, y),
}
