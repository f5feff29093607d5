"""Runs that call the core of chapter 8."""

from mlcore.datasets import load_diabetes, load_iris
from mlcore.linear_regression import Ridge
from mlcore.model_selection import (
    Bootstrap,
    GridSearch,
    KFold,
    StratifiedKFold,
    cross_val_score,
    leave_one_out_residuals,
    train_test_split,
)

iris, diabetes = load_iris(), load_diabetes()


def left_out():
    """All leave-one-out residuals of a ridge regression."""
    leave_one_out_residuals(diabetes.data, diabetes.target, alpha=1.0)


RUNS = {
    "portions": lambda: train_test_split(iris.data, stratify=iris.target),
    "split_scores": lambda: cross_val_score(Ridge(), diabetes.data, diabetes.target),
    "blocks": lambda: list(KFold(5).split(iris.data)),
    "stratified_folds": lambda: list(StratifiedKFold(5).split(iris.data, iris.target)),
    "leverages": left_out,
    "left_out_residuals": left_out,
    "bootstrap_sample": lambda: list(Bootstrap().split(iris.data)),
    "settings": lambda: GridSearch(Ridge(), grid={"alpha": [1, 2]}).fit(diabetes.data, diabetes.target),
}
