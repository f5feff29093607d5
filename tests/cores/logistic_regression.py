"""Fits that run each core function of chapter 3."""

import numpy as np

from mlcore.logistic_regression import LogisticRegression, Perceptron, kl_divergence, newton_root

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + RNG.logistic(size=60) > 0).astype(int)


def logistic():
    """Newton's method."""
    LogisticRegression().fit(X, Y)


RUNS = {
    "expit": logistic,
    "softplus": logistic,
    "row_losses": logistic,
    "gradient": logistic,
    "hessian": logistic,
    "newton_step": logistic,
    "surprise": lambda: kl_divergence([0.5, 0.5], [0.9, 0.1]),
    "tangent_step": lambda: list(newton_root(lambda x: x**2 - 2, lambda x: 2 * x, 1.0)),
    "perceptron_update": lambda: Perceptron(pocket=True, max_iter=3).fit(X, Y),
}
