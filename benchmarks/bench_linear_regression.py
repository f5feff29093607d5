"""Least squares, ridge, lasso and polynomial features against scikit-learn's; fits against the bare formulas."""

import warnings

import numpy as np
from numpy.testing import assert_allclose
from sklearn import linear_model, preprocessing

from benchmarks.core import Face, Row
from mlcore import linear_regression as core
from mlcore.base import ConvergenceWarning
from mlcore.linear_regression import Lasso, LinearRegression, LocallyWeightedRegression, PolynomialFeatures, Ridge
from mlcore.optimize import descend, descend_by_batches

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


# ---------------------------------------------------------------------------------------------------------------
# Fits against their bare loop
# ---------------------------------------------------------------------------------------------------------------
def five_features(n_samples):
    """Five correlated features."""
    return noisy_plane(n_samples, 5)


def centred(X, y):
    """Both without their means."""
    return X - X.mean(axis=0), y - y.mean()


def bare_ridge(X, y):
    """The formula, solved by NumPy."""
    X, y = centred(X, y)
    return np.linalg.solve(X.T @ X + 1.0 * np.eye(5), X.T @ y)


def bare_least_squares(X, y):
    """The normal equation, solved by NumPy."""
    X, y = centred(X, y)
    return np.linalg.solve(X.T @ X, X.T @ y)


def bare_descent(X, y, epochs=100):
    """A hundred steps of gradient descent."""
    X, y = centred(X, y)
    steepest = np.linalg.eigvalsh(X.T @ X / len(y))[-1]
    *_, w = descend(lambda w: core.mean_gradient(w, X, y), np.zeros(5), lambda step: 1 / steepest, epochs, 0.0)
    return w


def bare_batches(X, y, size=10, epochs=5):
    """Five passes over the rows, ten at a time."""
    X, y = centred(X, y)
    steps = descend_by_batches(
        lambda w, B: core.mean_gradient(w, X[B], y[B]), np.zeros(5), len(y), size, lambda step: 0.01, epochs, 0.0,
        np.random.default_rng(0),
    )
    *_, w = steps
    return w


def bare_lasso(X, y, sweeps=3):
    """Three sweeps, each with two steps over all weights that are not 0."""
    X, y = centred(X, y)
    G, c, w = X.T @ X / len(y), X.T @ y / len(y), np.zeros(5)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(sweeps):
            w = core.lasso_sweep(w, G, c, 0.05)
            for _ in range(2):
                w = core.support_step(w, G, c, 0.05)
    return w


def bare_local_lines(X, y, tau=2.0):
    """The local line at a hundred points."""
    return np.array([core.local_value(q, X, y, core.nearness(q, X, tau)) for q in X[:100]])


def without_warnings(fit):
    """The same without the warning of a walk that is cut short on purpose."""

    def run(X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return fit(X, y)

    return run


def same_as(tolerance):
    """The model has the weights of the bare loop."""
    return lambda model, w, X, y: assert_allclose(model.coef_, w, rtol=tolerance, atol=tolerance)


def face(name, fit, bare, same):
    """A fit at 400 x 5 against its bare loop."""
    return Face(name, (400,), five_features, ours=fit, theirs=bare, same=same)


FACES = [
    face("least squares, face", fitter(LinearRegression), bare_least_squares, same_as(1e-8)),
    face("ridge, face", fitter(Ridge, alpha=1.0), bare_ridge, same_as(1e-8)),
    face(
        "gradient descent, face", without_warnings(fitter(LinearRegression, solver="gd", max_iter=100, tol=0.0)),
        bare_descent, same_as(1e-8),
    ),
    face(
        "mini-batches, face",
        without_warnings(
            fitter(
                LinearRegression, solver="minibatch", batch_size=10, learning_rate=0.01, max_iter=5, tol=0.0,
                random_state=0,
            )
        ),
        bare_batches, same_as(1e-8),
    ),
    face("lasso, face", fitter(Lasso, alpha=0.05, tol=0.0), bare_lasso, same_as(1e-6)),
    face(
        "local lines, face", lambda X, y: LocallyWeightedRegression(tau=2.0).fit(X, y).predict(X[:100]),
        bare_local_lines, lambda ours, bare, X, y: assert_allclose(ours, bare, rtol=1e-8, atol=1e-8),
    ),
]  # fmt: skip
