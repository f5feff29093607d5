"""Fits that run the core functions of chapter 19, on the notebook's data; see tests/test_core.py."""

from mlcore.datasets import load_breast_cancer, load_diabetes, make_moons
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.ensembles import (
    BaggingClassifier,
    LinearBlending,
    RandomForestClassifier,
    UniformBlending,
    majority_accuracy,
)
from mlcore.linear_regression import LinearRegression

X, y = make_moons(200, noise=0.3, random_state=0)
cancer, diabetes = load_breast_cancer(), load_diabetes()


def vote(rule):
    """Fit an even blend and predict with this rule."""
    UniformBlending([DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier()], rule=rule).fit(X, y).predict(X)


def blend():
    """A linear blend of two regressors."""
    LinearBlending([LinearRegression(), DecisionTreeRegressor()]).fit(diabetes.data[::2], diabetes.target[::2])


def bag():
    """Bag trees, and read their predictions out of bag."""
    return BaggingClassifier(n_estimators=40, oob_score=True).fit(X, y).oob_decision_function_


def forest(**options):
    """Grow a forest."""
    RandomForestClassifier(**options).fit(cancer.data[::2], cancer.target[::2])


RUNS = {
    "majority_accuracy": lambda: majority_accuracy(11, 0.6),
    "geometric_rule": lambda: vote("geometric"),
    "arithmetic_rule": lambda: vote("arithmetic"),
    "majority_rule": lambda: vote("majority"),
    "class_votes": lambda: vote("majority"),
    "held_out_predictions": blend,
    "blending_weights": blend,
    "nonnegative_coordinate": blend,
    "left_out": bag,
    "add_oob_prediction": bag,
    "mean_oob_prediction": bag,
    "random_order": forest,
    "random_mixtures": lambda: forest(random_combination=True),
}
