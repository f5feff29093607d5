"""Iteratively reweighted least squares and softmax regression against scikit-learn's solvers of the same problems."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import linear_model

from benchmarks.core import Face, Row
from mlcore.features import indicator
from mlcore.generalized_linear_models import GeneralizedLinearModel, SoftmaxRegression, families, irls
from mlcore.generalized_linear_models import softmax_regression as core

N_FEATURES, N_CLASSES = 20, 5


def features(n_samples):
    """Features that depend on each other, as measured ones do, brought to one scale."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES)) @ rng.normal(size=(N_FEATURES, N_FEATURES))
    return X / X.std(axis=0), rng


def counts(n_samples):
    """Poisson counts with a mean of about 3."""
    X, rng = features(n_samples)
    eta = X @ rng.normal(size=N_FEATURES)
    return X, rng.poisson(np.exp(1.0 + 0.5 * eta / eta.std())).astype(float)


def yes_or_no(n_samples):
    """Two classes that overlap, as 0 and 1."""
    X, rng = features(n_samples)
    eta = X @ rng.normal(size=N_FEATURES)
    return X, (2 * eta / eta.std() + rng.logistic(size=n_samples) > 0).astype(float)


def classes(n_samples):
    """Five classes that overlap."""
    X, rng = features(n_samples)
    scores = X @ rng.normal(size=(N_FEATURES, N_CLASSES))
    return X, np.argmax(2 * scores / scores.std() + rng.gumbel(size=scores.shape), axis=1)


def glm(family):
    """A fit with penalty 1, scikit-learn's is the mean over the rows."""
    return lambda X, y: GeneralizedLinearModel(family=family, alpha=1.0).fit(X, y)


def poisson_regressor(X, y):
    """The same objective divided by the number of rows."""
    return linear_model.PoissonRegressor(alpha=1.0 / len(y), solver="newton-cholesky", tol=1e-8).fit(X, y)


def logistic_newton(X, y):
    """Scikit-learn's Newton solver."""
    return linear_model.LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8).fit(X, y)


def softmax(X, y):
    """Newton's method on K - 1 free weight vectors."""
    return SoftmaxRegression(alpha=1.0).fit(X, y)


def by(solver):
    """Scikit-learn's softmax regression, with steps enough and a tolerance that reaches the same weights."""
    return lambda X, y: linear_model.LogisticRegression(C=1.0, solver=solver, tol=1e-7, max_iter=10_000).fit(X, y)


def same_weights(a, b, X, y):
    """Both found the same minimum, to four digits of the weights."""
    assert_allclose(a.coef_, np.reshape(b.coef_, a.coef_.shape), rtol=1e-4, atol=1e-4)


SIZES = (1_000, 10_000, 100_000)
ROWS = [
    Row("GLM, Poisson, against Newton", SIZES, counts, glm("poisson"), poisson_regressor, same_weights),
    Row("GLM, Bernoulli, against Newton", SIZES, yes_or_no, glm("bernoulli"), logistic_newton, same_weights),
    Row("softmax, against L-BFGS", (500, 2_000, 8_000), classes, softmax, by("lbfgs"), same_weights),
    Row("softmax, against Newton", (500, 2_000, 8_000), classes, softmax, by("newton-cholesky"), same_weights),
]


def five_features(n_samples):
    """Counts that depend on five features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 5))
    return X, rng.poisson(np.exp(0.5 + 0.3 * X @ rng.normal(size=5))).astype(float)


def three_classes(n_samples):
    """Five features and three classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 5))
    return X, np.argmax(X @ rng.normal(size=(5, 3)) + rng.gumbel(size=(n_samples, 3)), axis=1)


ALPHA = np.array([1.0, 1, 1, 1, 1, 0])


def bare_irls(X, y):
    """The core's formulas in a bare loop from the mean of y on, until the slope is small."""
    X, weights = np.column_stack([X, np.ones(len(X))]), np.ones(len(X))
    theta = np.array([0, 0, 0, 0, 0, np.log(y.mean())])
    while True:
        _, mean, variance = families.poisson(X @ theta)
        slope = irls.gradient(theta, mean, 1.0, X, y, weights, ALPHA)
        if np.abs(slope).max() <= 1e-8:
            return theta
        theta = theta + irls.irls_step(slope, variance, 1.0, X, weights, ALPHA)


def bare_softmax(X, y):
    """The core's formulas in a bare loop, until the slope is small."""
    X, Y, weights = np.column_stack([X, np.ones(len(X))]), indicator(y, 3), np.ones(len(X))
    C, V = core.free_directions(3), np.zeros((2, 6))
    while True:
        P = core.softmax(X @ (C @ V).T)
        slope = core.softmax_gradient(V, P, Y, C, X, weights, ALPHA)
        if np.abs(slope).max() <= 1e-8:
            return C @ V
        V = V + core.softmax_newton_step(slope, P, C, X, weights, ALPHA)


def same_theta(a, b, X, y):
    """The fit ends where the bare loop does."""
    assert_allclose(np.column_stack([np.atleast_2d(a.coef_), a.intercept_]), np.atleast_2d(b), rtol=1e-6, atol=1e-8)


FACES = [
    Face("GLM, Poisson", (400,), five_features, glm("poisson"), bare_irls, same_theta),
    Face("softmax regression", (400,), three_classes, softmax, bare_softmax, same_theta),
]
