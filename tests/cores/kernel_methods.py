"""How the core functions of chapter 18 are run."""

import numpy as np

from mlcore.datasets import make_moons
from mlcore.kernel_methods import (
    LSSVC,
    SVR,
    KernelLogisticRegression,
    KernelRidge,
    PlattScaling,
    polynomial_features_map,
    rbf_features_map,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
y = X[:, 0] ** 2 - X[:, 1] + 0.3 * rng.normal(size=30)
moons = make_moons(120, noise=0.25, random_state=2)


def ridge(**options):
    """A function that fits kernel ridge regression."""
    return lambda: KernelRidge(**options).fit(X, y)


def logistic():
    """Kernel logistic regression."""
    KernelLogisticRegression().fit(*moons)


def tube():
    """Regression with a tube."""
    SVR().fit(X, y)


def platt():
    """Platt scaling of an SVC."""
    PlattScaling().fit(*moons)


RUNS = {
    "polynomial": ridge(kernel="poly", coef0=1.0),
    "gaussian": ridge(),
    "laplacian": ridge(kernel="laplacian"),
    "sigmoid": lambda: SVR(kernel="sigmoid", gamma=0.01).fit(X, y),
    "squared_distances": ridge(),
    "polynomial_features": lambda: polynomial_features_map(X, 2),
    "products": lambda: polynomial_features_map(X, 2),
    "gaussian_features": lambda: rbf_features_map(X, 5),
    "ridge_coefficients": ridge(),
    "lssvm_coefficients": lambda: LSSVC().fit(*moons),
    "objective": logistic,
    "residuals": logistic,
    "newton_target": logistic,
    "tube_dual": tube,
    "coefficients": tube,
    "duality_gap": tube,
    "soft_targets": platt,
    "platt_objective": platt,
    "platt_step": platt,
}
