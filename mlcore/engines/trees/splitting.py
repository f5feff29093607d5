"""The search for the best binary split of every node of a level, for all features, without a loop over nodes.

Numeric columns are sorted once, when the tree begins. Later each row knows its place in the sorted column, and sorting
the numbers (node, place) puts the rows of every node in order of value. Running sums of the deviations (see
``criteria``) then give the gain of every threshold in every node at once. Where columns have few distinct values,
rows are counted by value instead (see ``histograms``).

Ties go to the first feature and to its lowest threshold. Gains are computed in floating point, so two splits count as
equal when they differ by less than ``TIE`` of the node's scale.
"""

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlcore.core.decision_trees import TIE, Option, midpoints
from mlcore.core.ensembles import random_order
from mlcore.engines.trees.categorical import CategoricalBlock
from mlcore.engines.trees.criteria import NO_SPLIT, inside_unit, weight_shares
from mlcore.engines.trees.histograms import HistogramScan, first_of_the_best

__all__ = ["Columns", "NumericBlock", "NumericScan", "Search", "Splits", "find_splits"]


class NumericBlock:
    """Numeric columns that are known for the same rows, sorted once.

    Parameters
    ----------
    X : float array of shape (n_samples, n_features)
    features : int array of shape (c,)
        The columns of the block.
    known : bool array of shape (n_samples,)
        The rows in which these columns are known.
    """

    def __init__(self, X, features, known):
        self.features, self.known, self.n_samples = features, known, len(X)
        self.values = np.ascontiguousarray(X[:, features].T)
        rows = known.nonzero()[0]
        self.order = self.values[:, rows].argsort(axis=1)
        if len(rows) < len(X):
            self.order = rows[self.order]
        self.lines = np.arange(len(features))[:, None]
        ordered = self.values[self.lines, self.order]
        self.is_step = ordered[:, 1:] > ordered[:, :-1]
        n_steps = np.count_nonzero(self.is_step)
        self.has_ties = n_steps < self.is_step.size
        self.is_coarse = self.has_ties and 3 * n_steps < ordered.size

    @cached_property
    def place(self):
        """(c, n_samples) index of every row in the flattened ``order``."""
        size = self.order.size
        place = np.zeros(self.values.shape, dtype=np.int32 if size < 2**31 else np.int64)
        place[self.lines, self.order] = np.arange(size, dtype=place.dtype).reshape(self.order.shape)
        return place

    @cached_property
    def codes(self):
        """(c, n_samples) number of each value among the distinct values of its column: 0 for the lowest."""
        rank = np.zeros(self.order.shape, dtype=np.intp)
        self.is_step.cumsum(axis=1, out=rank[:, 1:])
        codes = np.zeros(self.values.shape, dtype=np.min_scalar_type(rank.max()))
        codes[self.lines, self.order] = rank
        return codes

    @cached_property
    def n_values(self):
        """The largest number of distinct values of a column."""
        return int(self.codes.max()) + 1

    @cached_property
    def distinct(self):
        """(c, n_values) the distinct values of every column in order; what is left over is 0."""
        distinct = np.zeros((len(self.features), self.n_values))
        distinct[self.lines, self.codes[self.lines, self.order]] = self.values[self.lines, self.order]
        return distinct

    def copies(self, n):
        """Return the block of n tables like this one, one above the other, without sorting again."""
        block = copy(self)
        vars(block).pop("place", None)
        block.known, block.values, block.n_samples = np.tile(self.known, n), np.tile(self.values, n), n * self.n_samples
        block.order = (self.order[:, :, None] + self.n_samples * np.arange(n)).reshape(len(self.order), -1)
        if self.is_coarse:
            block.codes, block.n_values, block.distinct = np.tile(self.codes, n), self.n_values, self.distinct
        return block

    def codes_of(self, level, columns=None):
        """Return the codes of the rows of a level, of all columns or of the ones picked for each node: (r, m)."""
        return self._cells(self.codes, level, columns)

    def _cells(self, table, level, columns):
        if columns is None:
            return table.take(level.rows, axis=1)
        return table.ravel()[(columns * self.n_samples).repeat(level.sizes, axis=1) + level.rows]

    def arranged(self, level, columns=None):
        """Return the rows of a level, in order of value within each node, once for every column: shape (c, m).

        ``columns`` of shape (r, q) picks r columns of the block for each node; the result then has shape (r, m).
        """
        if columns is None and level.n_nodes == 1 and len(level.rows) == self.order.shape[1]:
            return self.order
        width = np.int32 if level.n_nodes * self.order.size < 2**31 else np.int64
        begin = np.arange(0, level.n_nodes * self.order.size, self.order.size, dtype=width).repeat(level.sizes)
        keys = self._cells(self.place, level, columns) + begin
        keys.sort(axis=1)
        keys -= begin
        return self.order.take(keys)

    def scan(self, level, stats, criterion, min_leaf, columns=None):
        """Return the gains of all thresholds: a ``NumericScan`` or a ``HistogramScan``.

        ``columns`` is that of ``arranged``, ``min_leaf`` the least number of rows on each side.
        """
        if self.is_coarse:
            scan = HistogramScan(self, level, stats, criterion, min_leaf, columns)
        else:
            scan = NumericScan.of(self, level, stats, criterion, min_leaf, columns)
        scan.gain *= criterion.scale(stats)
        return scan


class NumericScan:
    """The gains of all thresholds of a block in all nodes of a level.

    Parameters
    ----------
    gain : array of shape (c, q)
        The best gain of each line in each node, ``NO_SPLIT`` where none is possible.
    gains : array of shape (c, m)
        The gain of the split after each position.
    rows : int array of shape (c, m)
        The rows in the order of their values within each node.
    level : Level
    values : array of shape (n_columns, n_samples)
    columns : int array of shape (c, q), optional
        Which column a line stands for in each node; by default line i is column i.
    """

    def __init__(self, gain, gains, rows, level, values, columns=None):
        self.gain, self.gains, self.rows = gain, gains, rows
        self.level, self.values, self.columns = level, values, columns

    @classmethod
    def of(cls, block, level, stats, criterion, min_leaf, columns=None):
        """Compute the gains; see ``NumericBlock.scan``."""
        rows = block.arranged(level, columns)
        sums, left = _left_sums(level, stats, criterion, rows, block.n_samples)
        gains = criterion.gain(sums, inside_unit(left), stats, level.node_of)
        if block.has_ties:
            x = block.values[block.lines if columns is None else columns.repeat(level.sizes, axis=1), rows]
            gains[:, :-1][x[:, :-1] == x[:, 1:]] = NO_SPLIT
        if min_leaf > 1:
            gains[:, (level.position + 1 < min_leaf) | (level.position + 1 > level.size_of - min_leaf)] = NO_SPLIT
        gains[:, level.starts[1:] - 1] = NO_SPLIT
        best = np.maximum.reduceat(gains, level.starts[:-1], axis=1)
        return cls(best, gains, rows, level, block.values, columns)

    def places(self, lines, nodes):
        """Return the position of the best split of line ``lines[i]`` in node ``nodes[i]``: the first one in a tie."""
        above = lines * self.gains.shape[1]
        begin = above + self.level.starts[nodes]
        return first_of_the_best(self.gains.ravel(), begin, self.level.sizes[nodes]) - above

    def thresholds(self, lines, nodes):
        """Return the best threshold of line ``lines[i]`` in node ``nodes[i]``: midway between two values."""
        place = self.places(lines, nodes)
        column = lines if self.columns is None else self.columns[lines, nodes]
        low = self.values[column, self.rows[lines, place]]
        return midpoints(low, self.values[column, self.rows[lines, place + 1]])


def _left_sums(level, stats, criterion, rows, n_samples):
    """Sums over the rows of a node up to and including each of the arranged rows.

    Returns
    -------
    sums : list of arrays of shape (c, m)
        Of the criterion's deviations.
    left : array of shape (m,) or (c, m)
        The share of the node's weight.
    """

    def running(quantity):
        by_row = np.empty(n_samples)
        by_row[level.rows] = quantity
        arranged = by_row.take(rows)
        return arranged.cumsum(axis=1, out=arranged)

    sums = [running(z) for z in criterion.deviations(level, stats)]
    left = (level.position + 1.0) / level.size_of
    if criterion.weight is not None:
        left = left + running(weight_shares(criterion.weight, level) - 1.0 / level.size_of)
    return sums, left


class Columns:
    """A table prepared for growing trees: every column sorted once. Trees on rows of the same table can share it.

    Parameters
    ----------
    X : float array of shape (n_samples, n_features)
        Encoded (see ``mlcore.features.encode``); NaN is missing.
    categories : sequence of length n_features, optional
        None for a numeric column, the categories of another. By default all are numeric.

    Attributes
    ----------
    complete : bool
        Whether no value is missing.
    is_plain : bool
        Whether all columns are numeric and complete: one block holds everything.
    """

    def __init__(self, X, categories=None):
        self.X = X
        self.n_samples, self.n_features = X.shape
        self.categories = [None] * X.shape[1] if categories is None else list(categories)
        self.complete = not np.isnan(X).any()
        self.is_plain = self.complete and all(names is None for names in self.categories)

    @cached_property
    def blocks(self):
        """All complete numeric columns together, every other column by itself; a column without values is in none."""
        missing = np.isnan(self.X)
        numeric = np.array([names is None for names in self.categories])
        together = numeric & ~missing.any(axis=0)
        blocks = []
        if together.any():
            blocks.append(NumericBlock(self.X, together.nonzero()[0], np.ones(self.n_samples, dtype=bool)))
        for j in (~together & ~missing.all(axis=0)).nonzero()[0]:
            if numeric[j]:
                blocks.append(NumericBlock(self.X, np.array([j]), ~missing[:, j]))
            else:
                blocks.append(CategoricalBlock(self.X, j, len(self.categories[j])))
        return blocks

    @cached_property
    def places(self):
        """(2, n_features) the block of each feature and its line there; -1 for a column without values."""
        places = np.full((2, self.n_features), -1)
        for b, block in enumerate(self.blocks):
            places[0, block.features], places[1, block.features] = b, np.arange(len(block.features))
        return places

    def copies(self, n):
        """Return n tables like this one, one above the other; only where ``is_plain``."""
        columns = copy(self)
        columns.X, columns.n_samples = np.tile(self.X, (n, 1)), n * self.n_samples
        columns.blocks = [self.blocks[0].copies(n)]
        return columns

    def restricted(self, block, level):
        """Return the rows of a level that the block knows, as a level, and the numbers of the nodes that keep some."""
        if self.complete:
            return level, np.arange(level.n_nodes)
        keep = block.known[level.rows]
        return level.only(keep) if keep.any() else (None, None)


class Search:
    """The best split of every feature in every node of a level.

    ``gain`` of shape (n_features, q) holds decreases of impurity, ``NO_SPLIT`` where there is none. A feature with
    missing values is judged by the rows that know it, and its gain multiplied by their share ρ of the weight.

    Parameters
    ----------
    columns : Columns
    level : Level
    stats : NodeStats
    criterion : object
        See ``criteria``.
    min_leaf : int
        Least number of rows on each side.
    drawn : int array of shape (r, q), optional
        The features to look at in each node (only where all columns are numeric and complete).
    """

    def __init__(self, columns, level, stats, criterion, min_leaf, drawn=None):
        self.columns, self.drawn, self.scale = columns, drawn, criterion.scale(stats)
        self.scans = []
        if columns.is_plain and drawn is None:
            scan = columns.blocks[0].scan(level, stats, criterion, min_leaf)
            self.gain = scan.gain
            self.scans.append((None, scan))
            return
        self.gain = np.full((columns.n_features, level.n_nodes), NO_SPLIT)
        for block in columns.blocks:
            known, nodes = columns.restricted(block, level)
            if known is None:
                self.scans.append((nodes, None))
                continue
            own = stats if known is level else criterion.describe(known)
            options = {} if drawn is None else {"columns": drawn}
            scan = block.scan(known, own, criterion, min_leaf, **options)
            gain = scan.gain if known is level else scan.gain * (own.weight / stats.weight[nodes])
            self.gain[block.features[:, None] if drawn is None else drawn, nodes] = gain
            self.scans.append((nodes, scan))

    def questions(self, features, nodes):
        """Return the best question about feature ``features[i]`` in node ``nodes[i]``, for i = 1..m.

        Returns
        -------
        thresholds : float array of shape (m,)
            NaN for a categorical feature.
        tables : dict
            From i to the branch of each category, for the categorical features.
        """
        if self.columns.is_plain:
            return self._thresholds(features, nodes), {}
        thresholds, tables = np.full(len(nodes), np.nan), {}
        block_of, line_of = self.columns.places[:, features]
        for b in np.unique(block_of):
            mine = np.flatnonzero(block_of == b)
            kept, scan = self.scans[b]
            at = kept.searchsorted(nodes[mine])
            if isinstance(scan, (NumericScan, HistogramScan)):
                thresholds[mine] = scan.thresholds(line_of[mine], at)
            else:
                tables.update(zip(mine.tolist(), scan.tables(at), strict=True))
        return thresholds, tables

    def _thresholds(self, features, nodes):
        lines = features if self.drawn is None else (self.drawn[:, nodes] == features).argmax(axis=0)
        return self.scans[0][1].thresholds(lines, nodes) if len(nodes) else np.empty(0)


@dataclass(frozen=True)
class Subset(Option):
    """A question about a set of categories."""

    branches: np.ndarray = None
    """The branch of each category."""


@dataclass
class Splits:
    """The chosen split of each of the q nodes of a level."""

    feature: np.ndarray
    """(q,) -1 where a node cannot be split."""
    threshold: np.ndarray
    """(q,) NaN for a categorical feature."""
    tables: dict
    """From a node with a question about a category to the branch of each category."""
    searches: list
    """Pairs of a ``Search``, masked to the features that were up for choice, and its nodes' numbers in this level."""

    def options(self, j):
        """Return the best question about every feature that was up for choice in node j."""
        search, at = [(search, np.searchsorted(nodes, j)) for search, nodes in self.searches if j in nodes][-1]
        features = np.flatnonzero(search.gain[:, at] > NO_SPLIT)
        thresholds, tables = search.questions(features, np.full(len(features), at))
        found = zip(features.tolist(), search.gain[features, at].tolist(), thresholds.tolist(), strict=True)
        return [
            Subset(feature, gain, branches=tables[i]) if i in tables else Option(feature, gain, threshold)
            for i, (feature, gain, threshold) in enumerate(found)
        ]

    def replaced(self, other, nodes):
        """Return these splits with those of some nodes taken from another search."""
        feature, threshold = self.feature.copy(), self.threshold.copy()
        feature[nodes], threshold[nodes] = other.feature, other.threshold
        tables = self.tables | {int(nodes[j]): table for j, table in other.tables.items()}
        return Splits(feature, threshold, tables, [*self.searches, (other.searches[0][0], nodes)])


def find_splits(columns, level, stats, criterion, min_leaf, n_drawn=None, rng=None):
    """Find the best split of every node of a level.

    Parameters
    ----------
    columns, level, stats, criterion, min_leaf
        See ``Search``.
    n_drawn : int, optional
        Look at this many features only, drawn anew for every node; if none of them can split it, at the next ones.
    rng : numpy.random.Generator
        Needed with ``n_drawn``.

    Returns
    -------
    Splits
    """
    if n_drawn is None or n_drawn >= columns.n_features:
        return _choose(Search(columns, level, stats, criterion, min_leaf))
    order = random_order(columns.n_features, level.n_nodes, rng)
    if not columns.is_plain:
        return _choose_in_turns(Search(columns, level, stats, criterion, min_leaf), order, n_drawn)
    splits = _choose(Search(columns, level, stats, criterion, min_leaf, drawn=order[:n_drawn]), order)
    stuck = (splits.feature < 0).nonzero()[0]
    if not len(stuck):
        return splits
    again = level.of(stuck, (splits.feature < 0)[level.node_of])
    search = Search(columns, again, stats.only(stuck), criterion, min_leaf)
    return splits.replaced(_choose_in_turns(search, order[:, stuck], n_drawn), stuck)


def _choose_in_turns(search, order, n_drawn):
    """Choose among the first ``n_drawn`` features of each node's order, or the next ones if none of them splits it."""
    turn = order.argsort(axis=0) // n_drawn
    first = np.where(search.gain > NO_SPLIT, turn, len(turn)).min(axis=0)
    search.gain[turn != first] = NO_SPLIT
    return _choose(search, order)


def _choose(search, order=None):
    """Choose the first feature whose gain is within ``TIE`` of the best.

    Where features were drawn, the one that was drawn first (``order`` of shape (n_features, q)): in nodes of two or
    three rows many split equally well, and a forest would ask about the first columns too often.
    """
    best = search.gain.max(axis=0)
    equal, nodes = search.gain >= best - TIE * search.scale, np.arange(len(best))
    if order is None:
        feature = equal.argmax(axis=0)
    else:
        feature = order[np.take_along_axis(equal, order, axis=0).argmax(axis=0), nodes]
    can = best > NO_SPLIT
    if can.all():
        threshold, tables = search.questions(feature, nodes)
    else:
        threshold, can = np.full(len(best), np.nan), can.nonzero()[0]
        threshold[can], tables = search.questions(feature[can], can)
        tables = {int(can[i]): table for i, table in tables.items()}
        feature = np.where(best > NO_SPLIT, feature, -1)
    return Splits(feature, threshold, tables, [(search, nodes)])
