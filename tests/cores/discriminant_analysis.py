"""Runs that call the core of chapter 5."""

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
    "discriminant_analysis.within_scatter": shrink,
    "discriminant_analysis.between_scatter": lambda: scatter_matrices(X, y),
    "discriminant_analysis.criterion": lambda: fisher_criterion([1, 0, 0, 0], X, y),
    "discriminant_analysis.direction": lambda: fisher_direction(X[TWO], y[TWO]),
    "discriminant_analysis.principal_axes": fit,
    "discriminant_analysis.discriminant_axes": fit,
    "discriminant_analysis.linear_rule": fit,
    "discriminant_analysis.shrunk": shrink,
    "discriminant_analysis.shrinkage_ratio": shrink,
}
