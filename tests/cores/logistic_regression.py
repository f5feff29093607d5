"""Fits that run each core function of chapter 3, on the data of its notebook."""

import numpy as np

from mlcore.datasets import make_blobs
from mlcore.logistic_regression import LogisticRegression, Perceptron, kl_divergence, newton_root

BLOBS = make_blobs(120, centers=[[-1.0, -0.6], [1.2, 0.8]], cluster_std=1.0, random_state=3)
TRUTH, BELIEF = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 200))


def logistic():
    """Newton's method."""
    LogisticRegression().fit(*BLOBS)


RUNS = {
    "expit": logistic,
    "softplus": logistic,
    "row_losses": logistic,
    "gradient": logistic,
    "hessian": logistic,
    "newton_step": logistic,
    "surprise": lambda: kl_divergence(TRUTH, BELIEF),
    "tangent_step": lambda: list(newton_root(lambda t: t**3 - 2 * t - 5, lambda t: 3 * t**2 - 2, 3.5)),
    "perceptron_update": lambda: Perceptron(pocket=True).fit(*BLOBS),
}
