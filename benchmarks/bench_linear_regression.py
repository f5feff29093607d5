"""Least squares, ridge, lasso and polynomial features against scikit-learn's."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import linear_model, preprocessing

from benchmarks.core import Row
from mlcore.linear_regression import Lasso, LinearRegression, PolynomialFeatures, Ridge

N_FEATURES = 20


def noisy_plane(n_samples, n_features=N_FEATURES):
    """Correlated features, a sparse vector of weights, noise."""
    rng = np.random.default_rng(0)
    mixing = np.eye(n_features) + 0.3 * rng.normal(size=(n_features, n_features))
    X = rng.normal(size=(n_samples, n_features)) @ mixing
    w = np.where(rng.random(n_features) < 0.3, rng.normal(size=n_features), 0.0)
    return X, X @ w + 2.0 + 0.5 * rng.normal(size=n_samples)


def wide(n_features):
    """A hundred samples, with more features than samples."""
    return noisy_plane(100, n_features)


def ten_features(n_samples):
    """Independent features."""
    return (np.random.default_rng(0).normal(size=(n_samples, 10)),)


def fitter(model, **options):
    """A function that fits a model of this class to X and y and returns it."""
    return lambda X, y: model(**options).fit(X, y)


def same_weights(tolerance):
    """Both models have the same weights and intercept."""

    def same(ours, theirs, X, y):
        assert_allclose(ours.coef_, theirs.coef_, rtol=tolerance, atol=tolerance)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=tolerance, atol=tolerance)

    return same


ROWS = [
    Row(
        "least squares", (1_000, 10_000, 100_000), noisy_plane,
        ours=fitter(LinearRegression), theirs=fitter(linear_model.LinearRegression), same=same_weights(1e-8),
    ),
    Row(
        "ridge", (1_000, 10_000, 100_000), noisy_plane,
        ours=fitter(Ridge, alpha=1.0), theirs=fitter(linear_model.Ridge, alpha=1.0), same=same_weights(1e-8),
    ),
    Row(
        "ridge, n < d", (200, 400, 800), wide,
        ours=fitter(Ridge, alpha=1.0), theirs=fitter(linear_model.Ridge, alpha=1.0), same=same_weights(1e-8),
    ),
    Row(
        "lasso", (1_000, 10_000, 100_000), noisy_plane,
        ours=fitter(Lasso, alpha=0.05, tol=1e-8), theirs=fitter(linear_model.Lasso, alpha=0.05, tol=1e-8),
        same=same_weights(1e-5),
    ),
    Row(
        "polynomial features, degree 3 of 10", (1_000, 10_000, 100_000), ten_features,
        ours=lambda X: PolynomialFeatures(degree=3).fit_transform(X),
        theirs=lambda X: preprocessing.PolynomialFeatures(3).fit_transform(X),
        same=lambda a, b, X: assert_allclose(a, b, rtol=1e-10),
    ),
]  # fmt: skip
