"""Growing a tree: ask the best question, divide the rows by their answers, do the same with each part.

ID3, C4.5 and CART differ in what they ask and in how they divide. A *part* D holds the numbers of its rows and their
weights w; a *branch* v is an answer, and -1 stands for a row that does not know it.
"""

from collections import deque

import numpy as np

from mlcore.core.decision_trees import Option, Part, class_table, first_best, grow
from mlcore.engines.trees.structure import NO_FEATURE, Tree

__all__ = ["LARGEST", "Option", "Part", "build_tree", "class_table", "first_best", "grow", "grow_in_turns"]

LARGEST = 24
"""``grow`` recurses on up to so many rows. Each part is smaller than the whole, so its calls are at most so deep."""


def grow_in_turns(root, ask, divide):
    """The same, level by level and without recursion: parts wait in a queue. Yields each part that was divided."""
    waiting = deque([root])
    while waiting:
        part = waiting.popleft()
        part.question = ask(part)
        if part.question is not None:
            part.children = divide(part)
            waiting.extend(part.children)
            yield part
        part.rows = part.weight = None  # not needed any more


def build_tree(root, *, unknown, categories, feature_names, class_names):
    """Put a grown part and all that came of it into the flat arrays of a ``Tree``, level by level."""
    parts = [root]
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
    return Tree(
        parent=parent, depth=np.array([part.depth for part in parts]), first_child=first_child, n_children=n_children,
        feature=feature, threshold=threshold, lookup=lookup, default=default,
        value=np.array([part.value for part in parts]),
        counts=None if root.counts is None else np.array([part.counts for part in parts]),
        impurity=np.array([part.impurity for part in parts]),
        n_samples=np.array([part.n_samples for part in parts]), weight=np.array([part.total for part in parts]),
        share=np.array([part.share for part in parts]),
        branches=np.arange(width)[None] if width else np.zeros((0, 0), dtype=np.intp), unknown=unknown,
        categories=tuple(categories), feature_names=tuple(feature_names), class_names=tuple(class_names),
    )  # fmt: skip
