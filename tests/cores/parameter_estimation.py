"""Runs that call the core of chapter 12."""

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
    "parameter_estimation.frequencies": lambda: categorical_mle([3, 4]),
    "parameter_estimation.beta_update": toss,
    "parameter_estimation.beta_mean": toss,
    "parameter_estimation.beta_mode": lambda: BetaBernoulli(2, 3).mode,
    "parameter_estimation.dirichlet_update": throw,
    "parameter_estimation.dirichlet_mean": throw,
    "parameter_estimation.dirichlet_mode": throw,
    "numerics.gaussian.inverse_root": lambda: GaussianMLE().fit(X).score(X),
    "numerics.gaussian.gaussian_log_density": lambda: GaussianMLE().fit(X).score(X),
    "numerics.gaussian.gaussian_mle": lambda: GaussianMLE().fit(X),
    "parameter_estimation.mean_update": lambda: GaussianMean().update([1.0, 2.0]),
    "parameter_estimation.weight_update": line,
    "parameter_estimation.weight_posterior": line,
    "parameter_estimation.predictive_variance": line,
    "parameter_estimation.moderated": lambda: bayesian_logistic_laplace(X, y > 0).predict(X),
}
