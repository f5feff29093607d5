"""Mixtures of Gaussians against scikit-learn's, from the same start and for the same number of steps."""

import warnings
from functools import partial

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.mixture import GaussianMixture as SklearnMixture

from benchmarks.core import Face, Row
from mlcore import mixture_models as mm
from mlcore.mixture_models import GaussianMixture
from mlcore.numerics import inverse_root

STEPS = 20


def clouds(n_samples, n_features=10):
    """Eight overlapping Gaussian clouds, and eight of the points as means to start from."""
    rng = np.random.default_rng(0)
    centers = 2.0 * rng.normal(size=(8, n_features))
    X = centers[rng.integers(8, size=n_samples)] + rng.normal(size=(n_samples, n_features))
    return X, X[:8].copy()


def started(covariance_type, n_samples):
    """Clouds, means to start from, and the inverse of the covariance of all points, eight times."""
    X, means = clouds(n_samples)
    sigma = np.cov(X.T, bias=True)
    start = {"full": sigma, "diag": sigma.diagonal(), "spherical": np.trace(sigma) / 10}[covariance_type] + 0.0
    precision = np.linalg.inv(start + 1e-6 * np.eye(10)) if covariance_type == "full" else 1 / (start + 1e-6)
    return X, means, np.array([precision] * 8)


def ours(X, means, precisions, covariance_type):
    """Twenty steps."""
    options = {"n_components": 8, "covariance_type": covariance_type, "tol": 0, "max_iter": STEPS}
    return GaussianMixture(init=means, **options).fit(X)


def theirs(X, means, precisions, covariance_type):
    """Twenty steps; a warning that they were not enough is nothing new."""
    model = SklearnMixture(
        8, covariance_type=covariance_type, tol=0, max_iter=STEPS, weights_init=np.full(8, 1 / 8), means_init=means,
        precisions_init=precisions, init_params="random_from_data", random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


def same_mixture(a, b, *data):
    """The same steps, weights, means and covariances."""
    assert a.n_iter_ == b.n_iter_ == STEPS
    assert_allclose(a.weights_, b.weights_, rtol=1e-5)
    assert_allclose(a.means_, b.means_, rtol=1e-5, atol=1e-6)
    assert_allclose(a.covariances_, b.covariances_, rtol=1e-5, atol=1e-6)


def fitted(n_samples):
    """New points, and a model of either library."""
    data = started("full", n_samples)
    return data[0], ours(*data, "full"), theirs(*data, "full")


def from_scratch(model, X):
    """Fit with k-means under the start."""
    return model(n_components=8, tol=1e-3, max_iter=200, random_state=0).fit(X)


def nearly_as_likely(a, b, X):
    """Different k-means starts: the ends differ little."""
    assert a.score(X) > b.score(X) - 0.05


ROWS = [
    *(
        Row(
            f"mixture, {kind}", (1_000, 10_000, 50_000), partial(started, kind),
            ours=partial(ours, covariance_type=kind), theirs=partial(theirs, covariance_type=kind), same=same_mixture,
        )
        for kind in mm.TYPES
    ),
    Row(
        "mixture from k-means", (1_000, 10_000, 50_000), lambda n: clouds(n)[:1],
        ours=partial(from_scratch, GaussianMixture), theirs=partial(from_scratch, SklearnMixture),
        same=nearly_as_likely,
    ),
    Row(
        "mixture, responsibilities", (1_000, 10_000, 50_000), fitted,
        ours=lambda X, ours, theirs: ours.predict_proba(X), theirs=lambda X, ours, theirs: theirs.predict_proba(X),
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-5),
    ),
    Row(
        "mixture, labels", (1_000, 10_000, 50_000), fitted,
        ours=lambda X, ours, theirs: ours.predict(X), theirs=lambda X, ours, theirs: theirs.predict(X),
        same=lambda a, b, *data: assert_array_equal(a, b),
    ),
]  # fmt: skip


def bare(X, means, kind):
    """The core alone: E and M, twenty times."""
    d, (spread, density) = X.shape[1], mm.TYPES[kind]
    even = np.full(len(X), 1 / len(X))
    theta = np.full(8, 1 / 8), means, np.array([spread(X - X.mean(axis=0), even)] * 8)
    for _ in range(STEPS):
        theta = mm.m_step(X, mm.e_step(mm.log_joint(X, *theta[:2], roots(theta[2], d), density))[0], spread)
    return theta[1], mm.e_step(mm.log_joint(X, *theta[:2], roots(theta[2], d), density))[1].mean()


def roots(covariances, d):
    """R_k with R_k R_kᵀ = Σ_k⁻¹."""
    if covariances.ndim == 3:
        return np.array([inverse_root(sigma) for sigma in covariances])
    return np.broadcast_to(covariances.reshape(8, -1), (8, d)) ** -0.5


def same_end(a, b, *data):
    """The same means and likelihood."""
    assert_allclose(a.means_, b[0], rtol=1e-6, atol=1e-8)
    assert_allclose(a.lower_bound_, b[1])


FACES = [
    Face(
        f"{kind} mixture", (400,), partial(clouds, n_features=5),
        ours=lambda X, means, kind=kind: GaussianMixture(
            n_components=8, covariance_type=kind, reg_covar=0, init=means, tol=0, max_iter=STEPS
        ).fit(X),
        theirs=partial(bare, kind=kind), same=same_end,
    )
    for kind in mm.TYPES
]  # fmt: skip
