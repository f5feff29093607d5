"""Fits that run each core function of chapter 4, on data such as its notebook shows."""

import numpy as np

from mlcore.datasets import load_wine
from mlcore.generalized_linear_models import (
    Categorical,
    GeneralizedLinearModel,
    LogLinearRegression,
    SoftmaxRegression,
    log_softmax,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 2))
COUNTS = RNG.poisson(np.exp(0.5 + 0.3 * X[:, 0])).astype(float)
WINE = load_wine()


def poisson():
    """A fit by IRLS."""
    GeneralizedLinearModel(family="poisson").fit(X, COUNTS)


def softmax():
    """A fit by Newton's method, and its probabilities."""
    SoftmaxRegression().fit(WINE.data, WINE.target).predict_proba(WINE.data)


RUNS = {
    "gaussian": lambda: GeneralizedLinearModel().fit(X, COUNTS),
    "bernoulli": lambda: GeneralizedLinearModel(family="bernoulli").fit(X, COUNTS > 1),
    "poisson": poisson,
    "gradient": poisson,
    "information": poisson,
    "irls_step": poisson,
    "log_fit": lambda: LogLinearRegression().fit(X, COUNTS + 1),
    "categorical": lambda: Categorical(4).mean([0.2, -0.3, 1.0]),
    "softmax": softmax,
    "log_softmax": lambda: log_softmax([10_000.0, 9_999.0, 0.0]),
    "indicator": softmax,
    "softmax_gradient": softmax,
    "softmax_hessian": softmax,
    "free_directions": softmax,
    "softmax_newton_step": softmax,
}
