"""How the core functions of chapter 18 are run."""

import numpy as np

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
labels = (y > np.median(y)).astype(int)


def ridge(**options):
    """A function that fits kernel ridge regression."""
    return lambda: KernelRidge(**options).fit(X, y)


def logistic():
    """Kernel logistic regression."""
    KernelLogisticRegression().fit(X, labels)


def tube():
    """Regression with a tube."""
    SVR().fit(X, y)


def platt():
    """Platt scaling of a machine that is quick to train."""
    PlattScaling(LSSVC()).fit(X, labels)


RUNS = {
    "kernels.polynomial": ridge(kernel="poly", coef0=1.0),
    "kernels.gaussian": ridge(),
    "kernels.laplacian": ridge(kernel="laplacian"),
    "kernels.sigmoid": lambda: SVR(kernel="sigmoid", gamma=0.01).fit(X, y),
    "kernels.squared_distances": ridge(),
    "kernel_methods.feature_maps.polynomial_features": lambda: polynomial_features_map(X, 2),
    "kernel_methods.feature_maps.products": lambda: polynomial_features_map(X, 2),
    "kernel_methods.feature_maps.gaussian_features": lambda: rbf_features_map(X, 5),
    "kernel_methods.least_squares.ridge_coefficients": ridge(),
    "kernel_methods.least_squares.lssvm_coefficients": lambda: LSSVC().fit(X, labels),
    "kernel_methods.kernel_logistic.objective": logistic,
    "kernel_methods.kernel_logistic.residuals": logistic,
    "kernel_methods.kernel_logistic.newton_target": logistic,
    "kernel_methods.svr.tube_dual": tube,
    "kernel_methods.svr.coefficients": tube,
    "kernel_methods.svr.duality_gap": tube,
    "kernel_methods.calibration.soft_targets": platt,
    "kernel_methods.calibration.platt_objective": platt,
    "kernel_methods.calibration.platt_step": platt,
}
