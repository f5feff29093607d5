"""Growing a binary tree, one level at a time.

Depth by depth: describe the nodes, find the best split of each (``splitting``), send the rows to the children, go on
with them. A node is split without regard to any other, so this gives the very tree that a depth-first recursion gives;
but the number of passes is the depth of the tree, not the number of its nodes, and nothing recurses.
"""

from dataclasses import dataclass

import numpy as np

from mlcore.engines.trees.criteria import Level
from mlcore.engines.trees.splitting import find_splits
from mlcore.engines.trees.structure import NO_FEATURE, Tree, answers
from mlcore.engines.trees.surrogates import Surrogates, find_surrogates

__all__ = ["Growth", "Limits"]


@dataclass(frozen=True)
class Limits:
    """When to stop: a node that reaches one of these is a leaf."""

    max_depth: float = np.inf
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity: float = 0.0

    def may_split(self, n_samples, impurity, depth):
        """Whether a node, or each of several, may be split."""
        enough = n_samples >= max(self.min_samples_split, 2 * self.min_samples_leaf)
        return enough & (impurity > self.min_impurity) & (depth < self.max_depth)


class Growth:
    """A binary tree that grows.

    Parameters
    ----------
    columns : Columns
    criterion : object
        Which also holds the targets and the weights (see ``criteria``).
    limits : Limits
    rows : int array, optional
        The rows to grow on (each once; weights stand for repetition); by default all.
    starts : int array of shape (n_trees + 1,), optional
        Several trees side by side (see ``side_by_side``): tree t grows on ``rows[starts[t]:starts[t + 1]]``.
    n_drawn : int, optional
        Number of features to draw for each node.
    rng : numpy.random.Generator, optional
    n_surrogates : int
        How many surrogate splits to keep in each node.

    Attributes
    ----------
    leaf : int array of shape (n_samples,)
        The node where each training row stands; -1 for rows that were not given.
    """

    def __init__(self, columns, criterion, limits, *, rows=None, starts=None, n_drawn=None, rng=None, n_surrogates=0):
        self.columns, self.criterion, self.limits = columns, criterion, limits
        self.n_drawn, self.rng, self.n_surrogates = n_drawn, rng, n_surrogates
        self.rows = np.arange(columns.n_samples) if rows is None else rows
        self.level = Level(self.rows, np.array([0, len(self.rows)]) if starts is None else starts)
        self.leaf = np.full(columns.n_samples, -1)
        self.leaf[self.rows] = self.level.node_of
        self.levels, self.questions, self.tables, self.n_nodes = [], [], [], 0

        n_roots = self.level.n_nodes
        self.numbers, self.stats = np.arange(n_roots), criterion.describe(self.level)
        self._add(self.level, self.stats, parent=np.full(n_roots, -1), depth=0, share=np.ones(n_roots))

    def steps(self):
        """Grow; yield the number of each node that was split (the whole of its level is split by then)."""
        level, numbers, stats, depth = self.level, self.numbers, self.stats, 0
        while True:
            may = self.limits.may_split(level.sizes, stats.impurity, depth)
            n_open = np.count_nonzero(may)
            if n_open == 0:
                return
            if n_open < len(may):
                keep = may[level.node_of]
                level, stats, numbers = level.of(may, keep), stats.only(may, keep), numbers[may]
            splits = find_splits(
                self.columns, level, stats, self.criterion, self.limits.min_samples_leaf, self.n_drawn, self.rng
            )
            can = splits.feature >= 0
            if not np.count_nonzero(can):
                return
            depth, split = depth + 1, numbers[can].tolist()
            level, numbers, stats = self._divide(level, numbers, splits, can, depth)
            for j, number in zip(can.nonzero()[0].tolist(), split, strict=True):
                self._latest = splits, j
                yield number

    @property
    def options(self):
        """The questions that the node that was split last could have asked, a list of ``Option``."""
        splits, j = self._latest
        return splits.options(j)

    def _divide(self, level, numbers, splits, can, depth):
        """Write the questions into the tree, send the rows down, and return the children as a level."""
        feature, threshold, lookup = splits.feature, splits.threshold, self._store(splits.tables, len(can))
        if np.count_nonzero(can) < len(can):
            level = level.of(can, can[level.node_of])
            numbers, feature, threshold, lookup = (a[can] for a in (numbers, feature, threshold, lookup))
        side, default, share, surrogates = self._sides(level, feature, threshold, lookup)
        new = np.arange(self.n_nodes, self.n_nodes + 2 * level.n_nodes)
        asked = {"nodes": numbers, "first_child": new[::2], "feature": feature, "threshold": threshold,
                 "lookup": lookup, "default": default, "surrogates": surrogates}  # fmt: skip
        self.questions.append(asked)
        children = Level.grouped(level.rows, 2 * level.node_of + side, 2 * level.n_nodes)
        self.leaf[children.rows] = children.node_of + self.n_nodes
        stats = self.criterion.describe(children)
        self._add(children, stats, parent=numbers.repeat(2), depth=depth, share=share.ravel())
        return children, new, stats

    def _sides(self, level, feature, threshold, lookup):
        """Send every row left (0) or right (1).

        Returns
        -------
        side : int array of shape (m,)
        default : int array of shape (q,)
            Where most of the weight goes that knows the answer.
        share : array of shape (q, 2)
            The two sides' shares of that weight.
        surrogates : Surrogates or None
        """
        X, at, complete = self.columns.X, level.node_of, self.columns.complete and not self.tables
        x = X[level.rows, feature[at]]
        if complete:
            side = (x > threshold[at]).astype(np.intp)
        else:
            side = answers(x, threshold[at], lookup[at], self._branches())
        known = slice(None) if complete else side >= 0
        own = None if self.criterion.weight is None else self.criterion.weight[level.rows][known]
        weight = np.bincount((2 * at + side)[known], weights=own, minlength=2 * level.n_nodes).reshape(-1, 2)
        default = (weight[:, 1] > weight[:, 0]).astype(np.intp)
        surrogates = self._surrogates(level, feature, side) if self.n_surrogates else None
        if not complete and not known.all():
            lost = np.flatnonzero(~known)
            found = -1
            if surrogates is not None:
                found = surrogates.branch(X, level.rows[lost], at[lost], self._branches())
            side[lost] = np.where(found < 0, default[at[lost]], found)
        return side, default, weight / weight.sum(axis=1, keepdims=True), surrogates

    def _surrogates(self, level, feature, side):
        weight = np.ones(self.columns.n_samples) if self.criterion.weight is None else self.criterion.weight
        surrogates, tables = find_surrogates(self.columns, level, feature, side, weight, self.n_surrogates)
        stored = np.append(self._store(dict(enumerate(tables)), len(tables)), -1)
        surrogates.lookup = stored[surrogates.lookup]  # -1 picks the last entry, which is -1
        return surrogates

    def _store(self, tables, n):
        """Keep tables of branches, given by their place among n; return their numbers, -1 where there is none."""
        numbers = np.full(n, -1)
        for place, table in tables.items():
            numbers[place] = len(self.tables)
            self.tables.append(table)
        return numbers

    def _branches(self):
        width = max((len(table) for table in self.tables), default=0)
        padded = np.full((len(self.tables), width), -1)
        for line, table in zip(padded, self.tables, strict=True):
            line[: len(table)] = table
        return padded

    def _add(self, level, stats, *, parent, depth, share):
        self.n_nodes += level.n_nodes
        self.levels.append({
            "parent": parent, "depth": np.full(level.n_nodes, depth), "value": stats.value, "counts": stats.counts,
            "impurity": stats.impurity, "n_samples": level.sizes, "weight": stats.weight, "share": share,
        })  # fmt: skip

    def tree(self, feature_names=(), class_names=()):
        """Return the tree as it stands."""
        nodes = {
            name: None if first is None else np.concatenate([level[name] for level in self.levels])
            for name, first in self.levels[0].items()
        }
        n = self.n_nodes
        nodes |= {"first_child": np.full(n, -1), "feature": np.full(n, NO_FEATURE), "threshold": np.full(n, np.nan),
                  "lookup": np.full(n, -1), "default": np.zeros(n, dtype=np.intp)}  # fmt: skip
        surrogates = Surrogates.none(n, self.n_surrogates) if self.n_surrogates else None
        for asked in self.questions:
            for name in ("first_child", "feature", "threshold", "lookup", "default"):
                nodes[name][asked["nodes"]] = asked[name]
            if surrogates is not None:
                surrogates.put(asked["nodes"], asked["surrogates"])
        return Tree(
            **nodes, n_children=np.where(nodes["first_child"] >= 0, 2, 0), branches=self._branches(),
            unknown="surrogate", categories=tuple(self.columns.categories), feature_names=tuple(feature_names),
            class_names=tuple(class_names), surrogates=surrogates,
        )  # fmt: skip
