"""Runs that call the core of chapter 8."""

import numpy as np

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
    "model_selection.portions": lambda: train_test_split(iris.data, stratify=iris.target),
    "model_selection.split_scores": lambda: cross_val_score(Ridge(), diabetes.data, diabetes.target),
    "model_selection.blocks": lambda: list(KFold(5).split(iris.data)),
    "model_selection.dealt": lambda: list(StratifiedKFold(5).split(iris.data, iris.target)),
    "model_selection.leverages": left_out,
    "model_selection.left_out_residuals": left_out,
    "members.bootstrap_sample": lambda: list(Bootstrap(3).split(np.zeros(5))),
    "model_selection.settings": lambda: GridSearch(Ridge(), grid={"alpha": [1, 2]}).fit(diabetes.data, diabetes.target),
}
