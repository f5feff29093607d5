"""Many models in place of one: combining, blending, bagging, random forests (集成学习).

- ``combining``: three rules that make one prediction out of many, and how often a majority is right.
- ``blending``: models that are there already, mixed evenly, with weights, or by another model.
- ``bagging``: one model trained on many bootstrap samples; the rows left out give its error.
- ``forest``: bagging of trees that also draw their features.
- ``importance``: how much worse an ensemble does when one feature is shuffled.

Notes E (结合策略, Bagging), C 4.1-4.5 and 5.4-5.7.
"""

from mlcore.ensembles.bagging import BaggingClassifier, BaggingRegressor
from mlcore.ensembles.blending import LinearBlending, StackingBlending, UniformBlending
from mlcore.ensembles.combining import combine, majority_accuracy
from mlcore.ensembles.forest import RandomForestClassifier, RandomForestRegressor
from mlcore.ensembles.importance import oob_permutation_importance

__all__ = [
    "BaggingClassifier", "BaggingRegressor", "LinearBlending", "RandomForestClassifier", "RandomForestRegressor",
    "StackingBlending", "UniformBlending", "combine", "majority_accuracy", "oob_permutation_importance",
]
