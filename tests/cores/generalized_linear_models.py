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
    "gaussian": lambda: GeneralizedLinearModel().fit(X, COUNTS),
    "bernoulli": lambda: GeneralizedLinearModel(family="bernoulli").fit(
        X, COUNTS > 1
    ),
    "poisson": poisson,
    "half_deviance": poisson,
    "gradient": poisson,
    "information": poisson,
    "irls_step": poisson,
    "log_fit": lambda: LogLinearRegression().fit(X, COUNTS + 1),
    "categorical": lambda: Categorical(3).mean([0.2, -0.3]),
    "softmax": softmax,
    "log_softmax": lambda: log_softmax([0.0, 1.0]),
    "softmax_gradient": softmax,
    "softmax_hessian": softmax,
    "free_directions": softmax,
    "softmax_newton_step": softmax,
}
