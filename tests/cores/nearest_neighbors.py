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
    "block_of_distances": classify,
    "log_ball_volume": lambda: knn_density(X, X, 3),
    "log_count_density": lambda: KernelDensity(kernel="uniform").fit(X).score_samples(X),
    "log_bump_density": lambda: KernelDensity().fit(X).score_samples(X),
    "log_knn_density": lambda: knn_density(X, X, 3),
    "k_smallest": classify,
    "first_in_each_row": classify,
    "vote": classify,
    "neighbor_weights": regress,
    "mean_of_neighbors": regress,
    "whitened": lambda: KNeighborsClassifier(metric="mahalanobis").fit(X, y),
}
