"""Linear discriminant analysis against scikit-learn's: fitting by both solvers, with shrinkage, and projecting."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA

from benchmarks.core import Face, Row
from mlcore.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    discriminant_axes,
    linear_rule,
    principal_axes,
)

N_CLASSES, N_FEATURES = 5, 20


def clouds(n_samples, n_features=N_FEATURES):
    """Gaussian clouds of one stretched shape, five classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(N_CLASSES, size=n_samples)
    stretch = rng.normal(size=(n_features, n_features)) / np.sqrt(n_features)
    means = 2.0 * rng.normal(size=(N_CLASSES, n_features))
    return rng.normal(size=(n_samples, n_features)) @ stretch + means[y], y


def wide(n_features):
    """A hundred samples, with more features than samples."""
    return clouds(100, n_features)


def fitter(model, **options):
    """A function that fits a model of this class to X and y and returns it."""
    return lambda X, y: model(**options).fit(X, y)


def same_probabilities(ours, theirs, X, y):
    """Both give each row the same probabilities, and the same class."""
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.999


def same_directions(ours, theirs, X, y):
    """Both project on the same directions, up to sign and scale, and predict the same classes."""
    a, b = (Z / np.linalg.norm(Z, axis=0) for Z in (ours.transform(X), theirs.transform(X)))
    assert_allclose(np.abs(np.sum(a * b, axis=0)), 1.0, rtol=1e-6)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.999


def fitted(n_samples):
    """Data, and a model of either library that was fitted to it."""
    X, y = clouds(n_samples)
    return X, LinearDiscriminantAnalysis().fit(X, y), SklearnLDA().fit(X, y)


ROWS = [
    Row(
        "LDA, svd", (1_000, 10_000, 100_000), clouds,
        ours=fitter(LinearDiscriminantAnalysis), theirs=fitter(SklearnLDA), same=same_directions,
    ),
    Row(
        "LDA, eigen", (1_000, 10_000, 100_000), clouds,
        ours=fitter(LinearDiscriminantAnalysis, solver="eigen"), theirs=fitter(SklearnLDA, solver="eigen"),
        same=same_probabilities,
    ),
    Row(
        "LDA, Ledoit-Wolf shrinkage", (1_000, 10_000, 100_000), clouds,
        ours=fitter(LinearDiscriminantAnalysis, solver="eigen", shrinkage="auto"),
        theirs=fitter(SklearnLDA, solver="eigen", shrinkage="auto"), same=same_probabilities,
    ),
    Row(
        "LDA, n < d, shrinkage 0.1 (size: features)", (125, 250, 500), wide,
        ours=fitter(LinearDiscriminantAnalysis, solver="eigen", shrinkage=0.1),
        theirs=fitter(SklearnLDA, solver="eigen", shrinkage=0.1), same=same_probabilities,
    ),
    Row(
        "LDA, predict_proba", (1_000, 10_000, 100_000), fitted,
        ours=lambda X, ours, theirs: ours.predict_proba(X), theirs=lambda X, ours, theirs: theirs.predict_proba(X),
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-6),
    ),
]


def bare(X, y):
    """The core alone: deviations from the class means, whitened, and the linear rule."""
    sizes = np.bincount(y)
    means = np.array([X[y == k].mean(axis=0) for k in range(len(sizes))])
    priors, (axes, spread) = sizes / len(X), principal_axes((X - means[y]) / np.sqrt(len(X)))
    center = priors @ means
    W, _ = discriminant_axes(axes, spread, np.sqrt(priors)[:, np.newaxis] * (means - center))
    W = W[:, : len(sizes) - 1]
    coef, intercept = linear_rule((means - center) @ W, W, priors)
    return coef, intercept - coef @ center


def same_rule(ours, bare, X, y):
    """The same scores."""
    assert_allclose(ours.coef_, bare[0], atol=1e-8)
    assert_allclose(ours.intercept_, bare[1], atol=1e-8)


FACES = [
    Face("LDA", (400,), lambda n: clouds(n, 5), ours=fitter(LinearDiscriminantAnalysis), theirs=bare, same=same_rule)
]
