"""Decision trees (决策树): ID3, C4.5 and CART, how they are grown, pruned and read.

- ``measures``: entropy, information gain, gain ratio, Gini value.
- ``growing``: the queue of parts that all trees share; ``id3``, ``c45`` (both on ``multiway``) and ``cart`` say what to
  ask and how to divide. Large CART trees are grown by ``mlcore.engines.trees``, which also holds the tree itself.
- ``pruning``: before and after growing.
- ``estimator``: the face (the door is in ``mlcore.features``); ``text``: the tree as text.

Notes A 6, B, D 4, C 5.1-5.3.
"""

from mlcore.decision_trees.c45 import C45Classifier
from mlcore.decision_trees.cart import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.decision_trees.estimator import Candidate
from mlcore.decision_trees.id3 import ID3Classifier
from mlcore.decision_trees.measures import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    gini_index,
    information_gain,
    intrinsic_value,
    threshold_gains,
)
from mlcore.decision_trees.pruning import (
    CostComplexityPath,
    PruningStep,
    cost_complexity_path,
    cost_complexity_prune,
    iter_cost_complexity_path,
    iter_cost_complexity_prune,
    iter_prepruned,
    iter_reduced_error_prune,
    prepruned,
    reduced_error_prune,
)
from mlcore.decision_trees.text import candidates_text, export_text
from mlcore.engines.trees import Node, Tree

__all__ = [
    "C45Classifier", "Candidate", "CostComplexityPath", "DecisionTreeClassifier", "DecisionTreeRegressor",
    "ID3Classifier", "Node", "PruningStep", "Tree", "candidates_text", "conditional_entropy", "cost_complexity_path",
    "cost_complexity_prune", "entropy", "export_text", "gain_ratio", "gini", "gini_index", "information_gain",
    "intrinsic_value", "iter_cost_complexity_path", "iter_cost_complexity_prune", "iter_prepruned",
    "iter_reduced_error_prune", "prepruned", "reduced_error_prune", "threshold_gains",
]
