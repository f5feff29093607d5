"""Parameter estimation against scikit-learn and SciPy: a Gaussian, its density, a line, two classes."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.covariance import EmpiricalCovariance
from sklearn.linear_model import BayesianRidge, LogisticRegression

from benchmarks.core import Face, Row
from mlcore.numerics import gaussian_mle
from mlcore.parameter_estimation import (
    BayesianLinearRegression,
    GaussianMLE,
    bayesian_logistic_laplace,
    weight_posterior,
    weight_update,
)

ALPHA, BETA, SURE = 0.7, 2.5, 1e12


def cloud(n_samples, n_features=20):
    """Rows of a stretched Gaussian."""
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n_samples, n_features)) @ rng.normal(size=(n_features, n_features)),)


def line(n_samples, n_features=20):
    """Rows, and a linear function of them with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    return X, X @ rng.normal(size=n_features) + rng.normal(size=n_samples)


def wide(n_features):
    """A hundred rows with more features than rows."""
    return line(100, n_features)


def classes(n_samples):
    """Two classes of ten features."""
    X, score = line(n_samples, 10)
    return X, (score > 0).astype(int)


def bayesian_ridge():
    """Scikit-learn's model, held at our precisions: one step, and hyper-priors that know them."""
    return BayesianRidge(
        alpha_init=BETA, lambda_init=ALPHA, alpha_1=SURE * BETA, alpha_2=SURE, lambda_1=SURE * ALPHA, lambda_2=SURE,
        max_iter=1,
    )


def same_line(ours, theirs, X, y):
    """The same weights and the same covariance."""
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-7)
    assert_allclose(ours.covariance_, theirs.sigma_, rtol=1e-5, atol=1e-8)


def fitted_line(n_samples):
    """Rows and both models, fitted."""
    X, y = line(n_samples)
    ours, theirs = BayesianLinearRegression(alpha=ALPHA, beta=BETA).fit(X, y), bayesian_ridge().fit(X, y)
    return X, ours, theirs


def same_band(a, b, X, ours, theirs):
    """The same mean; the same variance, but for the doubt about the intercept, which theirs leaves out."""
    assert_allclose(a[0], b[0], rtol=1e-5, atol=1e-6)
    assert_allclose(a[1] ** 2 - 1 / BETA / len(X), b[1] ** 2, rtol=1e-6)


def fitted_cloud(n_samples):
    """Rows, our Gaussian and SciPy's with the same mean and covariance."""
    (X,) = cloud(n_samples)
    ours = GaussianMLE().fit(X)
    return X, ours, multivariate_normal(ours.mean_, ours.covariance_)


def theirs_laplace(X, y):
    """Scikit-learn's weights at the peak, and the inverse Hessian there."""
    model = LogisticRegression(C=1 / ALPHA, tol=1e-8, max_iter=1000).fit(X, y)
    g = model.predict_proba(X)[:, 1]
    rows = np.column_stack([X, np.ones(len(X))])
    H = (rows * (g * (1 - g))[:, np.newaxis]).T @ rows + np.diag([ALPHA] * X.shape[1] + [0.0])
    return np.append(model.coef_, model.intercept_), np.linalg.inv(H)


def same_laplace(ours, theirs, X, y):
    """The same bell."""
    assert_allclose(ours.mean, theirs[0], rtol=1e-3, atol=1e-3)
    assert_allclose(ours.covariance, theirs[1], rtol=1e-2, atol=1e-4)


ROWS = [
    Row(
        "Gaussian, fit", (1_000, 10_000, 100_000), cloud,
        ours=lambda X: GaussianMLE().fit(X), theirs=lambda X: EmpiricalCovariance().fit(X),
        same=lambda a, b, X: assert_allclose(a.covariance_, b.covariance_, rtol=1e-8, atol=1e-10),
    ),
    Row(
        "Gaussian, log-density", (1_000, 10_000, 100_000), fitted_cloud,
        ours=lambda X, ours, theirs: ours.score_samples(X), theirs=lambda X, ours, theirs: theirs.logpdf(X),
        same=lambda a, b, *data: assert_allclose(a, b, rtol=1e-7),
    ),
    Row(
        "Bayesian line, fit", (1_000, 10_000, 100_000), line,
        ours=lambda X, y: BayesianLinearRegression(alpha=ALPHA, beta=BETA).fit(X, y),
        theirs=lambda X, y: bayesian_ridge().fit(X, y), same=same_line,
    ),
    Row(
        "Bayesian line, n < d (size: features)", (125, 250, 500), wide,
        ours=lambda X, y: BayesianLinearRegression(alpha=ALPHA, beta=BETA).fit(X, y),
        theirs=lambda X, y: bayesian_ridge().fit(X, y), same=same_line,
    ),
    Row(
        "Bayesian line, predict with band", (1_000, 10_000, 100_000), fitted_line,
        ours=lambda X, ours, theirs: ours.predict(X, return_std=True),
        theirs=lambda X, ours, theirs: theirs.predict(X, return_std=True), same=same_band,
    ),
    Row(
        "Laplace approximation", (1_000, 10_000, 100_000), classes,
        ours=lambda X, y: bayesian_logistic_laplace(X, y, alpha=ALPHA), theirs=theirs_laplace, same=same_laplace,
    ),
]


def bare(X, y):
    """The core alone, on centred rows."""
    X, y = X - X.mean(axis=0), y - y.mean()
    m, R = weight_posterior(*weight_update(ALPHA * np.eye(X.shape[1]), 0.0, X, y, BETA))
    return m, R @ R.T


def same_bare(ours, bare, X, y):
    """The same weights and covariance."""
    assert_allclose(ours.coef_, bare[0], atol=1e-9)
    assert_allclose(ours.covariance_, bare[1], atol=1e-9)


FACES = [
    Face(
        "Bayesian line", (400,), lambda n: line(n, 5),
        ours=lambda X, y: BayesianLinearRegression(alpha=ALPHA, beta=BETA).fit(X, y), theirs=bare, same=same_bare,
    ),
    Face(
        "Gaussian", (400,), lambda n: cloud(n, 5), ours=lambda X: GaussianMLE().fit(X), theirs=gaussian_mle,
        same=lambda a, b, X: assert_allclose(a.covariance_, b[1], atol=1e-12),
    ),
]
