"""Fits that run each core function of chapter 4."""

import numpy as np

from mlcore.generalized_linear_models import (
    Categorical,
    GeneralizedLinearModel,
    LogLinearRegression,
    SoftmaxRegression,
    log_softmax,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
COUNTS = RNG.poisson(np.exp(0.5 + 0.3 * X[:, 0])).astype(float)
CLASSES = np.argmax(X @ RNG.normal(size=(2, 3)) + RNG.gumbel(size=(60, 3)), axis=1)


def poisson():
    """A fit by IRLS."""
    GeneralizedLinearModel(family="poisson").fit(X, COUNTS)


def softmax():
    """A fit by Newton's method, and its probabilities."""
    SoftmaxRegression(alpha=1.0).fit(X, CLASSES).predict_proba(X)


RUNS = {
    "generalized_linear_models.families.gaussian": lambda: GeneralizedLinearModel().fit(X, COUNTS),
    "generalized_linear_models.families.bernoulli": lambda: GeneralizedLinearModel(family="bernoulli").fit(
        X, COUNTS > 1
    ),
    "generalized_linear_models.families.poisson": poisson,
    "generalized_linear_models.families.Poisson.half_deviance": poisson,
    "generalized_linear_models.irls.gradient": poisson,
    "generalized_linear_models.irls.information": poisson,
    "generalized_linear_models.irls.irls_step": poisson,
    "generalized_linear_models.log_linear.log_fit": lambda: LogLinearRegression().fit(X, COUNTS + 1),
    "generalized_linear_models.families.categorical": lambda: Categorical(3).mean([0.2, -0.3]),
    "numerics.special.shares": softmax,
    "numerics.special.log_shares": lambda: log_softmax([0.0, 1.0]),
    "generalized_linear_models.softmax_regression.gradient": softmax,
    "generalized_linear_models.softmax_regression.hessian": softmax,
    "generalized_linear_models.softmax_regression.free_directions": softmax,
    "generalized_linear_models.softmax_regression.newton_step": softmax,
}
