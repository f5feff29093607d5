"""Logistic regression by Newton's method against two of scikit-learn's solvers."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import linear_model

from benchmarks.core import Row
from mlcore.logistic_regression import LogisticRegression

N_FEATURES = 20


def two_clouds(n_samples, n_features=N_FEATURES):
    """Two overlapping classes whose log-odds are linear."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    w = rng.normal(size=n_features)
    return X, (rng.random(n_samples) < 1 / (1 + np.exp(-X @ w - 0.5))).astype(int)


def ours(X, y):
    """Newton's method, the library's default."""
    return LogisticRegression(alpha=1.0).fit(X, y)


def by(solver):
    """Scikit-learn's solver, run until both agree to six digits."""
    return lambda X, y: linear_model.LogisticRegression(C=1.0, solver=solver, tol=1e-8, max_iter=1000).fit(X, y)


def same(mine, theirs, X, y):
    """Both found the same minimum."""
    assert_allclose(mine.coef_, theirs.coef_[0], rtol=1e-4, atol=1e-5)
    assert_allclose(mine.intercept_, theirs.intercept_[0], rtol=1e-4, atol=1e-5)


SIZES = (1_000, 10_000, 100_000)
ROWS = [
    Row("logistic, against lbfgs", SIZES, two_clouds, ours=ours, theirs=by("lbfgs"), same=same),
    Row("logistic, against newton-cholesky", SIZES, two_clouds, ours=ours, theirs=by("newton-cholesky"), same=same),
]
