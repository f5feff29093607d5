"""Runs that call the core of chapter 5; read by tests/test_core.py."""

from mlcore.datasets import load_iris
from mlcore.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    fisher_criterion,
    fisher_direction,
    scatter_matrices,
)

iris = load_iris()
X, y = iris.data, iris.target
TWO = y > 0


def fit():
    """Learn three classes."""
    LinearDiscriminantAnalysis().fit(X, y)


def shrink():
    """Learn three classes from shrunk covariances."""
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)


RUNS = {
    "within_scatter": shrink,
    "between_scatter": lambda: scatter_matrices(X, y),
    "criterion": lambda: fisher_criterion([1, 0, 0, 0], X, y),
    "direction": lambda: fisher_direction(X[TWO], y[TWO]),
    "principal_axes": fit,
    "discriminant_axes": fit,
    "linear_rule": fit,
    "shrunk": shrink,
    "shrinkage_ratio": shrink,
}
