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
    "reweighted": ada,
    "vote_weight": ada,
    "rounds": ada,
    "left_weights": ada,
    "weight_right": ada,
    "best_question": lambda: DecisionStump().fit(X, y),
    "descent_squared": regression,
    "descent_logistic": classification,
    "leaf_steps": regression,
    "boosting_round": classification,
}
