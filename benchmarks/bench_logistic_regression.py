"""Logistic regression by Newton's method against scikit-learn's default, L-BFGS, and against its Newton solver."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import linear_model

from benchmarks.core import Face, Row
from mlcore.logistic_regression import LogisticRegression, gradient, logistic_loss, newton_step
from mlcore.numerics import expit

N_FEATURES = 20


def independent(n_samples):
    """Independent features of one scale, where the loss is as round as it gets; two overlapping classes."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n_samples, N_FEATURES)), rng.normal(size=N_FEATURES)
    return X, (rng.random(n_samples) < 1 / (1 + np.exp(-X @ w - 0.5))).astype(int)


def correlated(n_samples):
    """Features that depend on each other, as measured ones do, brought to one scale; two overlapping classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES)) @ rng.normal(size=(N_FEATURES, N_FEATURES))
    X /= X.std(axis=0)
    score = X @ rng.normal(size=N_FEATURES)
    return X, (2 * score / score.std() + rng.logistic(size=n_samples) > 0).astype(int)


def in_their_units(n_samples):
    """The correlated features, each in a unit of its own."""
    X, y = correlated(n_samples)
    rng = np.random.default_rng(1)
    return X * 10 ** rng.uniform(-1, 1, size=N_FEATURES) + rng.uniform(0, 3, size=N_FEATURES), y


def ours(X, y):
    """Newton's method, the library's default."""
    return LogisticRegression(alpha=1.0).fit(X, y)


def by(solver, **options):
    """Scikit-learn's solver, with steps enough to reach its tolerance."""
    return lambda X, y: linear_model.LogisticRegression(C=1.0, solver=solver, max_iter=10_000, **options).fit(X, y)


def same_weights(a, b, X, y):
    """Both found the same minimum, to four digits of the weights."""
    assert_allclose(a.coef_, b.coef_[0], rtol=1e-4, atol=1e-5)
    assert_allclose(a.intercept_, b.intercept_[0], rtol=1e-4, atol=1e-5)


def same_loss(a, b, X, y):
    """Our loss is no higher, and theirs is as near to it as its default tolerance brings it."""
    loss_a, loss_b = (
        np.sum(logistic_loss(y, X @ np.ravel(m.coef_) + m.intercept_)) + 0.5 * np.sum(m.coef_**2) for m in (a, b)
    )
    assert loss_a <= loss_b * (1 + 1e-9)
    assert_allclose(loss_a, loss_b, rtol=1e-3)
    assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=0.02)


SIZES = (1_000, 10_000, 100_000)
ROWS = [
    Row("logistic, Newton against L-BFGS", SIZES, correlated, ours, by("lbfgs"), same_loss),
    Row("logistic, the same, own units", (500, 2_000, 8_000), in_their_units, ours, by("lbfgs"), same_loss),
    Row(
        "logistic, Newton against Newton", SIZES, independent, ours, by("newton-cholesky", tol=1e-8), same_weights,
    ),
]


def overlapping(n_samples):
    """Five features, two classes that overlap, as 0 and 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 5))
    return X, (X @ rng.normal(size=5) + rng.logistic(size=n_samples) > 0).astype(int)


def bare_newton(X, y):
    """The core's formulas in a bare loop, until the slope is small."""
    X, y = np.column_stack([X, np.ones(len(X))]), y.astype(float)
    theta, weights, alpha = np.zeros(6), np.ones(len(X)), np.array([1.0, 1, 1, 1, 1, 0])
    while True:
        g = expit(X @ theta)
        slope = gradient(theta, g, X, y, weights, alpha)
        if np.abs(slope).max() <= 1e-8:
            return theta
        theta = theta + newton_step(slope, g, X, weights, alpha)


def same_theta(a, b, X, y):
    """The fit ends where the bare loop does."""
    assert_allclose(np.append(a.coef_, a.intercept_), b, rtol=1e-6, atol=1e-9)


FACES = [Face("logistic regression", (400,), overlapping, ours, bare_newton, same_theta)]
