"""What ID3 and C4.5 share: dividing the rows among many branches, and the estimator's face.

In a part D the rows have the weights w and the classes y; v = 0, ..., V-1 are the answers to the question asked.
"""

from functools import partial

import numpy as np

from mlcore.base import run
from mlcore.core.decision_trees import branch_of, class_part, divide, share_out
from mlcore.decision_trees.estimator import Candidate, _TreeClassifier, feature_names_of
from mlcore.decision_trees.growing import LARGEST, build_tree, grow, grow_in_turns
from mlcore.engines.trees.structure import question_text

__all__ = ["branch_of", "divide", "share_out"]


class _MultiwayClassifier(_TreeClassifier):
    """``fit`` and ``iter_fit`` of ID3 and C4.5; they provide ``_prepared(X, y, sample_weight)`` and ``_unknown``."""

    def _root(self, X, y, weight, ask):
        """The whole data as a part; what to ask about parts, and how to divide them."""
        n_classes = len(self.classes_)
        n_values = [0 if known is None else len(known) for known in self.categories_]
        rows = weight.nonzero()[0]
        root = class_part(rows, weight[rows], y, n_classes, attributes=np.arange(X.shape[1]))
        split = partial(divide, X=X, y=y, n_values=n_values, n_classes=n_classes)
        return root, partial(ask, X=X, y=y, n_values=n_values, n_classes=n_classes), split

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Strings (categories) and numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            A whole-number weight means the same as repeating the row.

        Raises
        ------
        ValueError, TypeError
            If a parameter, X, y or the weights are not valid.
        """
        root, ask, split = self._prepared(X, y, sample_weight)
        if root.n_samples <= LARGEST:
            grow(root, ask, split)
        else:
            run(grow_in_turns(root, ask, split))
        self._show(root)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Grow the tree split by split, breadth first; yield the model, ready to predict, after each.

        The first yield is the root alone. After each split ``candidates_`` holds the table of candidates of the node
        that was just split, and ``split_node_`` its number.
        """
        root, ask, split = self._prepared(X, y, sample_weight)
        self._show(root)
        yield self
        number = {id(root): 0}
        for part in grow_in_turns(root, ask, split):
            number |= {id(child): len(number) + v for v, child in enumerate(part.children)}
            self._show(root, part, number[id(part)])
            yield self

    def _show(self, root, part=None, node=None):
        names = feature_names_of(self)
        self.tree_ = build_tree(
            root, unknown=self._unknown, categories=self.categories_, feature_names=names,
            class_names=self._class_names(),
        )  # fmt: skip
        self.candidates_ = [
            Candidate(
                option.feature, names[option.feature], question_text(self.tree_, option.feature, option.threshold),
                option.gain, option.threshold, option.intrinsic_value, option.gain_ratio, option.eligible,
                option is part.question,
            )
            for option in (part.options if part else [])
        ]  # fmt: skip
        self.split_node_ = node
