"""Runs that call the core of chapter 12; read by tests/test_core.py."""

import numpy as np

from mlcore.parameter_estimation import (
    BayesianLinearRegression,
    BetaBernoulli,
    DirichletCategorical,
    GaussianMean,
    GaussianMLE,
    bayesian_logistic_laplace,
    categorical_mle,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3))
y = X @ [1.0, 2.0, -1.0] + rng.normal(size=20)


def toss():
    """Update a belief about a coin and read it."""
    belief = BetaBernoulli(2, 3).update(4, 1)
    return belief.mean


def throw():
    """Update a belief about a die and read it."""
    belief = DirichletCategorical([2, 3, 4]).update([1, 0, 2])
    return belief.mean, belief.mode


def line():
    """Fit a line and its band."""
    BayesianLinearRegression().fit(X, y).predict(X, return_std=True)


RUNS = {
    "frequencies": lambda: categorical_mle([3, 4]),
    "beta_update": toss,
    "beta_mean": toss,
    "beta_mode": lambda: BetaBernoulli(2, 3).mode,
    "dirichlet_update": throw,
    "dirichlet_mean": throw,
    "dirichlet_mode": throw,
    "inverse_root": lambda: GaussianMLE().fit(X).score(X),
    "gaussian_log_density": lambda: GaussianMLE().fit(X).score(X),
    "gaussian_mle": lambda: GaussianMLE().fit(X),
    "mean_update": lambda: GaussianMean().update([1.0, 2.0]),
    "weight_update": line,
    "weight_posterior": line,
    "predictive_variance": line,
    "moderated": lambda: bayesian_logistic_laplace(X, y > 0).predict(X),
}
