"""Fits that run the core of chapter 2; read by tests/test_core.py."""

import numpy as np

from mlcore.linear_regression import (
    Lasso,
    LinearRegression,
    LocallyWeightedRegression,
    PolynomialFeatures,
    Ridge,
    simple_linear_regression,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=30)
twins = np.column_stack([X, X[:, 0]])  # XᵀX is singular


def lasso():
    """A fit by coordinate descent."""
    Lasso(alpha=0.1).fit(X, y)


def local():
    """A local line for each of three rows."""
    LocallyWeightedRegression().fit(X, y).predict(X[:3])


RUNS = {
    "slope_and_intercept": lambda: simple_linear_regression(X[:, 0], y),
    "mean_gradient": lambda: LinearRegression(solver="gd").fit(X, y),
    "descend": lambda: LinearRegression(solver="gd").fit(X, y),
    "descend_by_batches": lambda: LinearRegression(solver="sgd", random_state=0).fit(X, y),
    "normal_equation": lambda: LinearRegression().fit(X, y),
    "shortest_solution": lambda: LinearRegression().fit(twins, y),
    "ridge_weights": lambda: Ridge().fit(X, y),
    "filtered_weights": lambda: Ridge(alpha=1e-12).fit(twins, y),
    "soft_threshold": lasso,
    "lasso_sweep": lasso,
    "support_step": lasso,
    "nearness": local,
    "local_value": local,
    "products": lambda: PolynomialFeatures().fit_transform(X),
}
