"""RBF networks against what SciPy and scikit-learn offer for the same task.

Full networks: ridge regression on the kernel matrix, and SciPy's interpolation. Few centres: k-means, kernel, ridge.
"""

import numpy as np
from numpy.testing import assert_allclose
from scipy.interpolate import RBFInterpolator
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf

from benchmarks.core import Face, Row
from mlcore.clustering import KMeans
from mlcore.numerics import CholeskyFactor
from mlcore.rbf_networks import (
    RBFNetwork,
    RBFNetworkClassifier,
    design,
    free_bias,
    interpolating_weights,
    normalized_vote,
    output_weights,
)

GAMMA, NARROW, ALPHA = 0.1, 3.0, 0.1


def waves(n_samples, n_features=5):
    """A smooth function of five features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=n_samples)


def groups(n_samples):
    """Three classes of it."""
    X, y = waves(n_samples)
    return X, np.digitize(y, (-0.7, 0.7))


def full(X, y):
    """A bump on each row."""
    return RBFNetwork(gamma=GAMMA, alpha=ALPHA).fit(X, y)


def their_full(X, y):
    """Ridge regression on the kernel matrix."""
    Z = sklearn_rbf(X, X, gamma=GAMMA)
    return SklearnRidge(alpha=ALPHA).fit(Z, y)


def same_weights(ours, theirs, X, y):
    """Both have the same weights and the same bias."""
    assert_allclose(ours.weights_, theirs.coef_.ravel(), rtol=1e-5, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-6)


def few(X, y, n_centers=50):
    """Fifty centres."""
    return RBFNetwork(n_centers=n_centers, gamma=GAMMA, alpha=ALPHA, random_state=0).fit(X, y)


def their_few(X, y, n_centers=50):
    """The pipeline of three."""
    means = SklearnKMeans(n_clusters=n_centers, n_init=3, random_state=0).fit(X)
    Z = sklearn_rbf(X, means.cluster_centers_, gamma=GAMMA)
    return SklearnRidge(alpha=ALPHA).fit(Z, y), means


def same_quality(ours, theirs, X, y):
    """k-means has its own luck on either side: both explain the same share of y, to three hundredths."""
    ridge, means = theirs
    Z = sklearn_rbf(X, means.cluster_centers_, gamma=GAMMA)
    assert_allclose(ours.score(X, y), ridge.score(Z, y), atol=0.03)
    weights = output_weights(Z - Z.mean(axis=0), y - y.mean(), ALPHA)
    assert_allclose(weights, ridge.coef_, rtol=1e-5, atol=1e-6)  # and from the same centres the same weights


def interpolate(X, y):
    """Through all points, without a bias."""
    return RBFNetwork(gamma=NARROW, alpha=0.0, fit_intercept=False).fit(X, y)


def their_interpolation(X, y):
    """SciPy's."""
    return RBFInterpolator(X, y, kernel="gaussian", epsilon=NARROW**0.5, degree=-1)


def same_surface(ours, theirs, X, y):
    """The same values between the points."""
    between = (X[1:101] + X[:100]) / 2
    assert_allclose(ours.predict(between), theirs(between), rtol=1e-6, atol=1e-8)


def classify(X, y):
    """A full network for three classes."""
    return RBFNetworkClassifier(gamma=GAMMA, alpha=ALPHA).fit(X, y)


def their_classifier(X, y):
    """Ridge classification on the kernel matrix."""
    return RidgeClassifier(alpha=ALPHA).fit(sklearn_rbf(X, X, gamma=GAMMA), y)


def same_classes(ours, theirs, X, y):
    """Their targets -1 and 1 have twice the spread of ours, 0 and 1."""
    assert_allclose(2 * ours.weights_, theirs.coef_.T, rtol=1e-5, atol=1e-6)


def fitted(n_samples):
    """Rows to predict, and the same full fit of both."""
    X, y = waves(1000)
    ours = RBFNetwork(gamma=NARROW, alpha=0.0, fit_intercept=False).fit(X, y)
    return waves(n_samples + 1)[0][1:], ours, their_interpolation(X, y)


def votes(n_samples):
    """Rows to predict, samples and values."""
    X, y = waves(2 * n_samples)
    return X[:n_samples], X[n_samples:], y[n_samples:]


def their_vote(X, samples, values):
    """The same formula by scikit-learn's kernel; near the data it needs no care."""
    heights = sklearn_rbf(X, samples, gamma=GAMMA)
    return heights @ values / heights.sum(axis=1)


ROWS = [
    Row("RBF network, full", (300, 800, 1_600), waves, ours=full, theirs=their_full, same=same_weights),
    Row("RBF network, 50 centres", (500, 2_000, 10_000), waves, ours=few, theirs=their_few, same=same_quality),
    Row(
        "RBF interpolation (SciPy)", (300, 800, 1_600), waves,
        ours=interpolate, theirs=their_interpolation, same=same_surface,
    ),
    Row(
        "RBF interpolation, predict (SciPy)", (500, 1_000, 2_000), fitted,
        ours=lambda X, ours, theirs: ours.predict(X), theirs=lambda X, ours, theirs: theirs(X),
        same=lambda a, b, *data: assert_allclose(a, b, rtol=1e-6, atol=1e-8),
    ),
    Row(
        "RBF network, three classes", (300, 800, 1_600), groups,
        ours=classify, theirs=their_classifier, same=same_classes,
    ),
    Row(
        "normalised vote of bumps", (500, 1_000, 2_000), votes,
        ours=lambda X, samples, values: normalized_vote(X, samples, values, gamma=GAMMA), theirs=their_vote,
        same=lambda a, b, *data: assert_allclose(a, b, rtol=1e-8),
    ),
]


def bare_full(X, y):
    """Heights, weights, bias."""
    Z = design(X, X, GAMMA)
    beta = output_weights(Z - Z.mean(axis=0), y - y.mean(), ALPHA)
    return beta, free_bias(Z, y, beta)


def bare_few(X, y):
    """k-means, then the same with its centres."""
    centers = KMeans(n_clusters=50, n_init=3, random_state=0).fit(X).cluster_centers_
    Z = design(X, centers, GAMMA)
    beta = output_weights(Z - Z.mean(axis=0), y - y.mean(), ALPHA)
    return beta, free_bias(Z, y, beta)


def bare_interpolation(X, y):
    """One Cholesky factor."""
    return interpolating_weights(CholeskyFactor(design(X, X, NARROW)), y)


def same_as_bare(ours, theirs, X, y):
    """The estimator found what the bare core found."""
    assert_allclose(ours.weights_, theirs[0], rtol=1e-8, atol=1e-10)
    assert_allclose(ours.intercept_, theirs[1], rtol=1e-8, atol=1e-10)


FACES = [
    Face("face: RBF network, all points", (400,), waves, full, bare_full, same_as_bare),
    Face("face: RBF network by k-means", (400,), waves, few, bare_few, same_as_bare),
    Face(
        "face: RBF network through all points", (400,), waves,
        lambda X, y: RBFNetwork(gamma=NARROW, alpha=0.0).fit(X, y), bare_interpolation, same_as_bare,
    ),
]
