"""Fits that run the core functions of chapter 19; see tests/test_core.py."""

from mlcore.datasets import load_iris
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.ensembles import (
    BaggingClassifier,
    LinearBlending,
    RandomForestClassifier,
    UniformBlending,
    majority_accuracy,
    oob_permutation_importance,
)

iris = load_iris()
X, y = iris.data, iris.target
MEMBERS = [DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier(max_depth=2)]


def blend(rule):
    """Fit an even blend and predict with this rule."""
    UniformBlending(MEMBERS, rule=rule).fit(X, y).predict(X)


def bag():
    """Bag trees, judge them out of bag, and read the opinions."""
    model = BaggingClassifier(n_estimators=20, oob_score=True, random_state=0).fit(X, y)
    return model.oob_decision_function_


def forest(**options):
    """Grow a small forest."""
    return RandomForestClassifier(n_estimators=5, random_state=0, **options).fit(X, y)


RUNS = {
    "majority_probability": lambda: majority_accuracy(11, 0.6),
    "geometric_rule": lambda: blend("geometric"),
    "arithmetic_rule": lambda: blend("arithmetic"),
    "majority_rule": lambda: blend("majority"),
    "class_votes": lambda: forest(rule="majority").predict(X),
    "held_out_opinions": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "blending_weights": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "nonnegative_coordinate": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "bootstrap_sample": bag,
    "left_out": bag,
    "add_opinion": bag,
    "mean_opinion": bag,
    "random_order": forest,
    "random_mixtures": lambda: forest(random_combination=True),
    "permutation_importance": lambda: oob_permutation_importance(forest(), X, y, random_state=0),
    "shuffled": lambda: oob_permutation_importance(forest(), X, y, random_state=0),
}
