"""Boosting: weak models trained one after the other, each on what the others have left wrong (提升).

- ``stumps``: trees with one question, the weak learners of the notes.
- ``adaboost``: rows that were got wrong weigh more in the next round.
- ``gradient_boosting``: each tree fits the residuals of the sum so far, for the squared and the logistic loss.

Notes E (AdaBoost), C 4.6 and 6.1-6.4.
"""

from mlcore.boosting.adaboost import AdaBoostClassifier, AdaBoostedTree
from mlcore.boosting.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from mlcore.boosting.stumps import DecisionStump

__all__ = [
    "AdaBoostClassifier", "AdaBoostedTree", "DecisionStump", "GradientBoostingClassifier", "GradientBoostingRegressor",
]  # fmt: skip
