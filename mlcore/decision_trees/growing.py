"""Growing a tree part by part, with the core of the chapter.

``mlcore.engines.trees.Growth``, the engine, grows the same trees of CART level by level; it, too, has ``steps``,
``options`` and ``tree``.
"""

import numpy as np

from mlcore.core.decision_trees import best_split, class_table, first_best, grow, two_sides
from mlcore.engines.trees.structure import NO_FEATURE, Tree

__all__ = ["LARGEST", "BinaryQueue", "Queue", "class_table", "first_best", "grow"]

LARGEST = 800
"""So many numbers a table may hold, 400 rows of two columns, for CART to be grown by the core."""


class Queue:
    """A tree whose parts wait in a queue for what ``ask`` and ``divide`` do with them (see ``grow``)."""

    options = ()
    """What the node that was split last could have asked: a list of ``Option``."""

    def __init__(self, root, ask, divide, categories, unknown="surrogate"):
        self.root, self.ask, self.divide = root, ask, divide
        self.categories, self.unknown = categories, unknown

    def steps(self):
        """Grow; yield the number of each node that was split."""
        for number, part in grow(self.root, self.ask, self.divide):
            part.rows = part.weight = None  # not needed any more
            self.options = part.options
            yield number

    def tree(self, feature_names=(), class_names=()):
        """Return the tree as it stands."""
        parts = [self.root]
        for part in parts:  # the list grows while it is read
            parts.extend(part.children)
        n = len(parts)
        n_children = np.array([len(part.children) for part in parts])
        first_child = np.where(n_children > 0, 1 + n_children.cumsum() - n_children, -1)
        parent, default = np.append(-1, np.arange(n).repeat(n_children)), np.zeros(n, dtype=np.intp)
        feature, threshold, lookup = np.full(n, NO_FEATURE), np.full(n, np.nan), np.full(n, -1)
        for i in n_children.nonzero()[0]:
            feature[i] = parts[i].question.feature
            default[i] = np.argmax([child.share for child in parts[i].children])
            if parts[i].question.threshold is None:
                lookup[i] = 0  # the branch of a category is its code
            else:
                threshold[i] = parts[i].question.threshold
        width = n_children[lookup == 0].max(initial=0)
        per_part = {
            name: np.array([getattr(part, name) for part in parts])
            for name in ("depth", "value", "impurity", "n_samples", "share")
        }
        return Tree(
            **per_part, parent=parent, first_child=first_child, n_children=n_children, feature=feature,
            threshold=threshold, lookup=lookup, default=default, weight=np.array([part.total for part in parts]),
            counts=None if self.root.counts is None else np.array([part.counts for part in parts]),
            branches=np.arange(width)[None] if width else np.zeros((0, 0), dtype=np.intp), unknown=self.unknown,
            categories=tuple(self.categories), feature_names=tuple(feature_names), class_names=tuple(class_names),
        )  # fmt: skip


class BinaryQueue(Queue):
    """A tree of CART on complete numbers, from what the engine takes."""

    def __init__(self, columns, criterion, limits, rows):
        self.X, self.criterion, self.limits = columns.X, criterion, limits
        super().__init__(criterion.part(rows), self._ask, self._divide, columns.categories)

    def _ask(self, part):
        if not self.limits.may_split(part.n_samples, part.impurity, part.depth):
            return None
        terms, fall = self.criterion.terms(part), self.criterion.fall
        return best_split(part, self.X[part.rows], terms, fall, self.limits.min_samples_leaf)

    def _divide(self, part):
        return two_sides(part, self.X, self.criterion.part)
