"""Growing a tree whose questions may have many answers: the loop that ID3 and C4.5 share.

Nodes wait in a queue, so they are numbered level by level. How a question is chosen is the business of ``choose``.
"""

from dataclasses import dataclass

import numpy as np

from mlcore.base import run
from mlcore.decision_trees.estimator import Candidate, _TreeClassifier, feature_names_of
from mlcore.decision_trees.measures import entropy_of_counts
from mlcore.engines.trees.structure import NO_FEATURE, Tree, question_text

__all__ = ["MultiwayGrowth", "Option", "branch_counts", "first_best"]

TIE = 1e-11


@dataclass(frozen=True)
class Option:
    """A question that a node could ask, and what it would bring."""

    feature: int
    gain: float
    threshold: float | None = None
    """None where each category is a branch."""
    intrinsic_value: float | None = None
    gain_ratio: float | None = None
    eligible: bool = True


def first_best(merits):
    """Return the index of the largest number: the first of those that are equal up to rounding."""
    merits = np.asarray(merits)
    return int(np.argmax(merits >= merits.max() - TIE))


def branch_counts(branch, codes, weight, n_branches, n_classes):
    """Weigh the classes in each branch: shape (n_branches, n_classes); rows with branch -1 are left out.

    The table is laid out class by class, in which sums over few classes are fast.
    """
    known = branch >= 0
    cell = codes[known] * n_branches + branch[known]
    return np.bincount(cell, weights=weight[known], minlength=n_branches * n_classes).reshape(n_classes, n_branches).T


class MultiwayGrowth:
    """A tree that grows node by node.

    Parameters
    ----------
    X : float array of shape (n_samples, n_features)
        Encoded; NaN is missing.
    codes : int array of shape (n_samples,)
        Class numbers.
    weight : float array of shape (n_samples,)
    n_classes : int
    categories : list of length n_features
        None for numbers.
    choose : function
        (rows, weight of each row, features still available) -> list of ``Option``, index of the chosen one or None.
    max_depth : float
    """

    def __init__(self, X, codes, weight, n_classes, categories, choose, max_depth=np.inf):
        self.X, self.codes, self.n_classes, self.categories, self.choose = X, codes, n_classes, categories, choose
        self.nodes, self.questions, self.queue, self.max_depth = [], {}, [], max_depth
        rows = weight.nonzero()[0]
        self._add(-1, 0, 1.0, rows, weight[rows], np.arange(X.shape[1]), None)

    def _add(self, parent, depth, share, rows, weight, available, inherited):
        """Add a node; one without rows takes over its parent's class shares."""
        counts = np.bincount(self.codes[rows], weights=weight, minlength=self.n_classes)
        total = counts.sum()
        value = counts / total if len(rows) else inherited
        self.nodes.append((parent, depth, share, value, counts, float(entropy_of_counts(counts)), len(rows), total))
        self.queue.append((len(self.nodes) - 1, rows, weight, available))

    def run(self):
        """Grow; after each split yield the options of the node, which of them was chosen, and the node's number."""
        done = 0
        while done < len(self.queue):
            node, rows, weight, available = self.queue[done]
            self.queue[done] = None  # the rows are not needed any more
            done += 1
            _, depth, _, _, counts, *_ = self.nodes[node]
            if np.count_nonzero(counts) < 2 or depth >= self.max_depth:
                continue
            options, chosen = self.choose(rows, weight, available)
            if chosen is None:
                continue
            self._divide(node, rows, weight, available, options[chosen])
            yield options, chosen, node

    def _divide(self, node, rows, weight, available, option):
        """Add a child for each answer; a row without an answer goes to all children, with weight r̃_v · w."""
        x = self.X[rows, option.feature]
        if option.threshold is None:
            n_branches = len(self.categories[option.feature])
            branch = np.where(np.isnan(x), -1, x).astype(np.intp)
            available = available[available != option.feature]
        else:
            n_branches, branch = 2, np.where(np.isnan(x), -1, x > option.threshold).astype(np.intp)
        lost = np.flatnonzero(branch < 0)
        known = np.bincount(branch[branch >= 0], weights=weight[branch >= 0], minlength=n_branches)
        shares = known / known.sum()
        self.questions[node] = (len(self.nodes), n_branches, option, int(shares.argmax()))
        order = np.argsort(branch, kind="stable")
        edges = np.searchsorted(branch[order], np.arange(n_branches + 1))
        _, depth, _, value, *_ = self.nodes[node]
        for b, share in enumerate(shares):
            own = order[edges[b] : edges[b + 1]]
            mine = np.concatenate([own, lost]) if share > 0 else own
            scaled = np.concatenate([weight[own], weight[lost] * share]) if share > 0 else weight[own]
            self._add(node, depth + 1, share, rows[mine], scaled, available, value)

    def tree(self, unknown, feature_names, class_names):
        """Return the tree as it stands."""
        parent, depth, share, value, counts, impurity, n_samples, weight = (
            np.array(column) for column in zip(*self.nodes, strict=True)
        )
        n = len(parent)
        first_child, n_children, default = np.full(n, -1), np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
        feature, threshold, lookup = np.full(n, NO_FEATURE), np.full(n, np.nan), np.full(n, -1)
        width = 0
        for node, (first, n_branches, option, most) in self.questions.items():
            first_child[node], n_children[node], default[node], feature[node] = first, n_branches, most, option.feature
            if option.threshold is None:
                lookup[node], width = 0, max(width, n_branches)  # the branch of a category is its code
            else:
                threshold[node] = option.threshold
        return Tree(
            parent=parent, depth=depth, first_child=first_child, n_children=n_children, feature=feature,
            threshold=threshold, lookup=lookup, default=default, value=value, counts=counts, impurity=impurity,
            n_samples=n_samples, weight=weight, share=share,
            branches=np.arange(width)[None] if width else np.zeros((0, 0), dtype=np.intp), unknown=unknown,
            categories=tuple(self.categories), feature_names=tuple(feature_names), class_names=tuple(class_names),
        )  # fmt: skip


class _MultiwayClassifier(_TreeClassifier):
    """``fit`` and ``iter_fit`` of ID3 and C4.5; they provide ``_grow(X, y, sample_weight)`` and ``_unknown``."""

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
        growth = self._grow(X, y, sample_weight)
        run(growth.run())
        self._show(growth, [], None, None)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Grow the tree split by split, breadth first; yield the model, ready to predict, after each.

        The first yield is the root alone. After each split ``candidates_`` holds the table of candidates of the node
        that was just split, and ``split_node_`` its number.
        """
        growth = self._grow(X, y, sample_weight)
        self._show(growth, [], None, None)
        yield self
        for options, chosen, node in growth.run():
            self._show(growth, options, chosen, node)
            yield self

    def _show(self, growth, options, chosen, node):
        names = feature_names_of(self)
        self.tree_ = growth.tree(self._unknown, names, self._class_names())
        self.candidates_ = [
            Candidate(
                option.feature, names[option.feature], question_text(self.tree_, option.feature, option.threshold),
                option.gain, option.threshold, option.intrinsic_value, option.gain_ratio, option.eligible, i == chosen,
            )
            for i, option in enumerate(options)
        ]  # fmt: skip
        self.split_node_ = node
