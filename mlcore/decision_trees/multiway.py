"""What ID3 and C4.5 share: a branch for each category."""

from functools import partial

import numpy as np

from mlcore.core.decision_trees import branch_of, class_part, divide, share_out
from mlcore.decision_trees.estimator import _TreeClassifier
from mlcore.decision_trees.growing import Queue

__all__ = ["branch_of", "class_part", "divide", "share_out"]


class _MultiwayClassifier(_TreeClassifier):
    """ID3 and C4.5: ``_unknown`` says what becomes of rows that cannot answer."""

    def _queue(self, X, y, weight, ask):
        """The tree of the rows of an encoded table that weigh anything, ready to grow."""
        table = {
            "X": X, "y": y, "n_classes": len(self.classes_),
            "n_values": [0 if known is None else len(known) for known in self.categories_],
        }  # fmt: skip
        rows = weight.nonzero()[0]
        root = class_part(rows, weight[rows], y, len(self.classes_), attributes=np.arange(X.shape[1]))
        return Queue(root, partial(ask, **table), partial(divide, **table), self.categories_, self._unknown)
