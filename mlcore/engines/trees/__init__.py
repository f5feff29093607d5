"""Binary trees grown one level at a time, for chapters 15 (decision trees), 19 (forests) and 20 (boosting).

- ``structure``: the grown tree, in flat arrays.
- ``growth``: depth by depth; ``criteria`` says what makes a split good, ``splitting`` finds the best one of every node
  of a level at once (``histograms`` where a column has few values, ``categorical`` where it has words), and
  ``surrogates`` the questions for rows with missing values.
- ``side_by_side``: many trees at once; ``weakest_links``: the prices of all links of a large tree at once.
"""

from mlcore.core.decision_trees import midpoints
from mlcore.core.ensembles import random_order
from mlcore.engines.trees.criteria import EntropyCriterion, GiniCriterion, SquaredErrorCriterion
from mlcore.engines.trees.growth import Growth, Limits
from mlcore.engines.trees.side_by_side import grow_side_by_side
from mlcore.engines.trees.splitting import Columns
from mlcore.engines.trees.structure import Node, Tree

__all__ = [
    "Columns", "EntropyCriterion", "GiniCriterion", "Growth", "Limits", "Node", "SquaredErrorCriterion", "Tree",
    "grow_side_by_side", "midpoints", "random_order",
]  # fmt: skip
