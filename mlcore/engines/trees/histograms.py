"""Numeric columns with few distinct values: rows are counted by value, not sorted.

Think of a table with a cell for every column, node and value. Each row of a node falls into one cell a column; the
cells that are occupied, in order, are the *groups*. Sums over the groups and running sums over those give the gain of
every threshold, and no row is looked at twice.
"""

import numpy as np

from mlcore.core.decision_trees import TIE, midpoints
from mlcore.engines.trees.criteria import NO_SPLIT, inside_unit, starts_of

__all__ = ["HistogramScan", "first_of_the_best"]

SPARSE = 16


class HistogramScan:
    """The gains of all thresholds of a block with few distinct values, in all nodes of a level.

    Parameters
    ----------
    block : NumericBlock
    level, stats, criterion, min_leaf
        See ``splitting.Search``.
    columns : int array of shape (c, q), optional
        Which column a line stands for in each node; by default line i is column i.

    Attributes
    ----------
    gain : array of shape (c, q)
        The best gain of each line in each node, ``NO_SPLIT`` where none is possible.
    gains : array of shape (n_groups,)
        The gain of the split behind each group; line by line, node by node, in order of value.
    code : int array of shape (n_groups,)
        Number of the value.
    starts : int array of shape (c q + 1,)
        Line i of node j has the groups ``starts[i q + j]`` up to ``starts[i q + j + 1]``.
    """

    def __init__(self, block, level, stats, criterion, min_leaf, columns=None):
        self.block, self.columns, self.n_nodes = block, columns, level.n_nodes
        codes = block.codes_of(level, columns)
        n_owners = len(codes) * level.n_nodes
        first_cell = np.arange(0, n_owners * block.n_values, block.n_values).reshape(-1, level.n_nodes)
        cells = first_cell.repeat(level.sizes, axis=1)
        cells += codes
        cell, group, count = _occupied(cells.ravel(), n_owners * block.n_values)
        owner, self.code = np.divmod(cell, block.n_values)
        self.starts = starts_of(np.bincount(owner))

        node = owner % level.n_nodes
        size = level.sizes[node]
        begin = self.starts[:-1]
        seen = count.cumsum()
        below = seen - (seen[begin] - count[begin])[owner]
        sums, weight = criterion.group_deviations(level, stats, group.reshape(codes.shape), node)
        left = below / size
        if weight is not None:
            left += (weight - count / size).cumsum()
        self.gains = criterion.gain(sums.cumsum(axis=1), inside_unit(left), stats, node)
        self.gains[(below < min_leaf) | (below > size - min_leaf)] = NO_SPLIT
        self.gain = np.maximum.reduceat(self.gains, begin).reshape(-1, level.n_nodes)

    def thresholds(self, lines, nodes):
        """Return the best threshold of line ``lines[i]`` in node ``nodes[i]``: midway between two values."""
        owner = lines * self.n_nodes + nodes
        begin = self.starts[owner]
        place = first_of_the_best(self.gains, begin, self.starts[owner + 1] - begin)
        column = lines if self.columns is None else self.columns[lines, nodes]
        values = self.block.distinct
        return midpoints(values[column, self.code[place]], values[column, self.code[place + 1]])


def _occupied(cells, n_cells):
    """Return the numbers that occur, in order; the place of every number among them; and how often each occurs."""
    if n_cells > SPARSE * len(cells):
        return np.unique(cells, return_inverse=True, return_counts=True)
    count = np.bincount(cells, minlength=n_cells)
    numbers = count.nonzero()[0]
    place = np.empty(n_cells, dtype=np.intp)
    place[numbers] = np.arange(len(numbers))
    return numbers, place[cells], count[numbers]


def first_of_the_best(gains, begin, sizes):
    """Return the first place whose gain is within ``TIE`` of the best, in each of several stretches of ``gains``.

    Parameters
    ----------
    gains : array of shape (n,)
    begin, sizes : int arrays of shape (k,)
        Stretch i is ``gains[begin[i]:begin[i] + sizes[i]]``.

    Returns
    -------
    int array of shape (k,)
    """
    ends = sizes.cumsum()
    first = ends - sizes
    place = np.arange(ends[-1]) + (begin - first).repeat(sizes)
    mine = gains[place]
    hits = (mine >= (np.maximum.reduceat(mine, first) - TIE).repeat(sizes)).nonzero()[0]
    return place[hits[hits.searchsorted(first)]]
