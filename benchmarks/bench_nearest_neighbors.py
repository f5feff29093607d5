"""Nearest neighbours and densities against scikit-learn: brute force, and the density trees of scikit-learn."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.neighbors import KernelDensity as SklearnKDE
from sklearn.neighbors import KNeighborsClassifier as SklearnClassifier
from sklearn.neighbors import KNeighborsRegressor as SklearnRegressor
from sklearn.neighbors import NearestNeighbors

from benchmarks.core import Face, Row
from mlcore.core.nearest_neighbors import log_ball_volume
from mlcore.distances import block_of_distances, k_smallest
from mlcore.nearest_neighbors import (
    KernelDensity,
    KNeighborsClassifier,
    KNeighborsRegressor,
    knn_density,
    log_bump_density,
    mean_of_neighbors,
    vote,
)

N_CLASSES, N_FEATURES = 5, 10


def clouds(n_samples, n_features=N_FEATURES):
    """Gaussian clouds of five classes, and as many new rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(N_CLASSES, size=n_samples)
    means = rng.normal(size=(N_CLASSES, n_features))
    return rng.normal(size=(n_samples, n_features)) + means[y], y, rng.normal(size=(n_samples, n_features))


def wide(n_samples):
    """The same with 50 features."""
    return clouds(n_samples, 50)


def same_neighbors(a, b, *data):
    """The same distances, and nearly everywhere the same rows (scikit-learn's have lost some digits)."""
    assert_allclose(a[0], b[0], rtol=1e-6)
    assert np.mean(a[1] == b[1]) > 0.999


def same_answers(a, b, *data):
    """The same numbers, or the same classes but for ties."""
    assert np.mean(np.isclose(a, b, rtol=1e-6)) > 0.999


def asker(model, method, **options):
    """A function that fits a model to X and y and asks it about new rows."""
    return lambda X, y, new: getattr(model(**options).fit(X, y), method)(new)


ROWS = [
    Row(
        "k-NN search, 10 features", (1_000, 5_000, 20_000), clouds,
        ours=lambda X, y, new: KNeighborsClassifier().fit(X, y).kneighbors(new),
        theirs=lambda X, y, new: NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors(new),
        same=same_neighbors,
    ),
    Row(
        "k-NN search, 50 features", (1_000, 3_000, 9_000), wide,
        ours=lambda X, y, new: KNeighborsClassifier().fit(X, y).kneighbors(new),
        theirs=lambda X, y, new: NearestNeighbors(n_neighbors=5, algorithm="brute").fit(X).kneighbors(new),
        same=same_neighbors,
    ),
    Row(
        "k-NN search, largest gap", (500, 1_500, 4_500), clouds,
        ours=lambda X, y, new: KNeighborsClassifier(metric="chebyshev").fit(X, y).kneighbors(new),
        theirs=lambda X, y, new: NearestNeighbors(
            n_neighbors=5, algorithm="brute", metric="chebyshev"
        ).fit(X).kneighbors(new),
        same=same_neighbors,
    ),
    Row(
        "k-NN search, Mahalanobis", (250, 750, 2_250), clouds,
        ours=lambda X, y, new: KNeighborsClassifier(metric="mahalanobis").fit(X, y).kneighbors(new),
        theirs=lambda X, y, new: NearestNeighbors(
            n_neighbors=5, algorithm="brute", metric="mahalanobis", metric_params={"VI": np.linalg.inv(np.cov(X.T))}
        ).fit(X).kneighbors(new),
        same=same_neighbors,
    ),
    Row(
        "k-NN classifier", (500, 2_000, 8_000), clouds,
        ours=asker(KNeighborsClassifier, "predict"), theirs=asker(SklearnClassifier, "predict", algorithm="brute"),
        same=same_answers,
    ),
    Row(
        "k-NN regressor, weights 1/r", (500, 2_000, 8_000), clouds,
        ours=asker(KNeighborsRegressor, "predict", weights="distance"),
        theirs=asker(SklearnRegressor, "predict", weights="distance", algorithm="brute"), same=same_answers,
    ),
    Row(
        "kernel density, Gaussian", (250, 1_000, 4_000), clouds,
        ours=asker(KernelDensity, "score_samples", bandwidth=0.8),
        theirs=asker(SklearnKDE, "score_samples", bandwidth=0.8), same=same_answers,
    ),
    Row(
        "kernel density, uniform", (250, 1_000, 4_000), clouds,
        ours=asker(KernelDensity, "score_samples", bandwidth=4.0, kernel="uniform"),
        theirs=asker(SklearnKDE, "score_samples", bandwidth=4.0, kernel="tophat"), same=same_answers,
    ),
    Row(
        "k-NN density", (1_000, 3_000, 9_000), clouds,
        ours=lambda X, y, new: np.log(knn_density(X, new, 7)),
        theirs=lambda X, y, new: np.log(7 / len(X)) - log_ball_volume(
            NearestNeighbors(n_neighbors=7, algorithm="brute").fit(X).kneighbors(new)[0][:, -1], X.shape[1]
        ),
        same=same_answers,
    ),
]  # fmt: skip


def small(n_samples):
    """400 rows of 5 features."""
    return clouds(n_samples, 5)


def near(X, new):
    """The core of the search."""
    return k_smallest(block_of_distances(new, X, 2), 5)


FACES = [
    Face(
        "k-NN classifier over its core", (400,), small, ours=asker(KNeighborsClassifier, "predict_proba"),
        theirs=lambda X, y, new: vote(y[near(X, new)], np.ones((len(new), 5)), N_CLASSES), same=same_answers,
    ),
    Face(
        "k-NN regressor", (400,), small, ours=asker(KNeighborsRegressor, "predict"),
        theirs=lambda X, y, new: mean_of_neighbors(y[near(X, new)], np.ones((len(new), 5))), same=same_answers,
    ),
    Face(
        "kernel density", (400,), small, ours=asker(KernelDensity, "score_samples"),
        theirs=lambda X, y, new: log_bump_density(block_of_distances(new, X, 2), 1.0, 5), same=same_answers,
    ),
]
