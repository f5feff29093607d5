"""Runs that call the core of chapter 14, on data that the chapter shows."""

from mlcore.datasets import load_wine, make_moons
from mlcore.nearest_neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, knn_density

wine = load_wine()
X, y = make_moons(60, noise=0.25, random_state=0)


def classify():
    """Let the neighbours vote."""
    KNeighborsClassifier().fit(wine.data, wine.target).predict(wine.data)


def regress():
    """Average the neighbours, the nearer ones more."""
    KNeighborsRegressor(weights="distance").fit(X, X[:, 0] ** 2).predict(X)


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
