"""Fits that run the core functions of chapter 20; see tests/test_core.py."""

from mlcore.boosting import AdaBoostClassifier, DecisionStump, GradientBoostingClassifier, GradientBoostingRegressor
from mlcore.datasets import load_adaboost10

ten = load_adaboost10()
X, y = ten.data, ten.target


def ada():
    """Three rounds of AdaBoost."""
    AdaBoostClassifier(n_estimators=3).fit(X, y)


def regression():
    """Three rounds of gradient boosting for the squared loss."""
    GradientBoostingRegressor(n_estimators=3).fit(X, y)


def classification():
    """Three rounds of gradient boosting for the logistic loss."""
    GradientBoostingClassifier(n_estimators=3).fit(X, y)


RUNS = {
    "boosting.adaboost.reweighted": ada,
    "boosting.adaboost.vote_weight": ada,
    "boosting.adaboost.rounds": ada,
    "boosting.stumps.left_weights": ada,
    "boosting.stumps.weight_right": ada,
    "boosting.stumps.best_question": lambda: DecisionStump().fit(X, y),
    "boosting.gradient_boosting.descent_squared": regression,
    "boosting.gradient_boosting.descent_logistic": classification,
    "boosting.gradient_boosting.leaf_steps": regression,
    "boosting.gradient_boosting.boosting_round": classification,
}
