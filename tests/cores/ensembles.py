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
    "ensembles.combining.majority_probability": lambda: majority_accuracy(11, 0.6),
    "ensembles.combining.geometric_rule": lambda: blend("geometric"),
    "ensembles.combining.arithmetic_rule": lambda: blend("arithmetic"),
    "ensembles.combining.majority_rule": lambda: blend("majority"),
    "ensembles.combining.class_votes": lambda: forest(rule="majority").predict(X),
    "ensembles.blending.held_out_opinions": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "ensembles.blending.blending_weights": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "optimize.nonnegative_coordinate": lambda: LinearBlending(MEMBERS, cv=2).fit(X, y),
    "members.bootstrap_sample": bag,
    "ensembles.bagging.left_out": bag,
    "ensembles.bagging.add_opinion": bag,
    "ensembles.bagging.mean_opinion": bag,
    "engines.trees.splitting.random_order": forest,
    "ensembles.forest.random_mixtures": lambda: forest(random_combination=True),
    "features.falls_of_score": lambda: oob_permutation_importance(forest(), X, y, random_state=0),
    "features.shuffled": lambda: oob_permutation_importance(forest(), X, y, random_state=0),
}
