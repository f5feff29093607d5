"""Binary questions about a categorical column: which subset of the categories goes left?

c categories can be divided in 2^(c-1) - 1 ways. For two classes, or a regression, only c - 1 of them need to be looked
at: put the categories in order of their mean target, and the best subset is one of the prefixes (Breiman et al. 1984,
theorem 4.5). For more classes no such order exists, and if leaves must hold several rows the best prefix may not be
allowed: then up to ``EXHAUSTIVE`` categories all subsets are tried, beyond that the prefixes of an order for each
class, by its share.
"""

import numpy as np

from mlcore.core.decision_trees import TIE
from mlcore.engines.trees.criteria import NO_SPLIT, inside_unit, weight_shares

__all__ = ["CategoricalBlock", "CategoricalScan", "category_sums"]

EXHAUSTIVE = 9


def category_sums(quantity, level, codes, n_categories):
    """Sum a quantity (aligned with ``level.rows``; None counts rows) per node and category: shape (q, n_categories)."""
    cell = level.node_of * n_categories + codes
    sums = np.bincount(cell, weights=quantity, minlength=level.n_nodes * n_categories)
    return sums.reshape(level.n_nodes, n_categories)


class CategoricalBlock:
    """One categorical column.

    Parameters
    ----------
    X : float array of shape (n_samples, n_features)
        Encoded.
    feature : int
    n_categories : int
    """

    def __init__(self, X, feature, n_categories):
        self.features = np.array([feature])
        self.known = ~np.isnan(X[:, feature])
        self.codes = np.where(self.known, X[:, feature], 0).astype(np.intp)
        self.n_categories = n_categories

    def scan(self, level, stats, criterion, min_leaf):
        """Return a ``CategoricalScan`` of the best subset in every node of a level."""
        codes = self.codes[level.rows]
        number = category_sums(None, level, codes, self.n_categories)
        parts = [category_sums(z, level, codes, self.n_categories) for z in criterion.deviations(level, stats)]
        part = category_sums(weight_shares(criterion.weight, level), level, codes, self.n_categories)
        scan = CategoricalScan(number)
        for subsets in _families(number, part, parts, min_leaf):
            sums = [subsets.sum(S) for S in parts]
            gains = criterion.gain(sums, inside_unit(subsets.sum(part)), stats, np.arange(level.n_nodes)[:, None])
            inside = subsets.sum(number)
            gains[(inside < min_leaf) | (inside > level.sizes[:, None] - min_leaf)] = NO_SPLIT
            scan.improve(gains, subsets)
        scan.gain *= criterion.scale(stats)
        return scan


def _families(number, part, parts, min_leaf):
    """The subsets worth looking at, given the tables of row counts, weight shares and deviations by category."""
    n_categories = number.shape[1]
    if (len(parts) > 1 or min_leaf > 1) and n_categories <= EXHAUSTIVE:
        yield AllSubsets(n_categories)
        return
    columns = parts if len(parts) == 1 else [*parts, -sum(parts)]
    for S in columns:
        mean = np.divide(S, part, out=np.full(S.shape, np.inf), where=number > 0)  # absent categories come last
        yield Prefixes(np.argsort(np.round(mean, 12), axis=1, kind="stable"))


class Prefixes:
    """The subsets that hold the first 1, 2, ... categories of an order: shape (q, n_categories)."""

    def __init__(self, order):
        self.order = order

    def sum(self, table):
        """Sum a (q, n_categories) table over each subset: shape (q, n_subsets)."""
        return np.cumsum(np.take_along_axis(table, self.order, axis=1), axis=1)

    def members(self, which):
        """Return the categories of subset ``which[j]`` in node j as booleans of shape (q, n_categories)."""
        inside = np.arange(self.order.shape[1]) <= which[:, None]
        members = np.zeros(self.order.shape, dtype=bool)
        np.put_along_axis(members, self.order, inside, axis=1)
        return members


class AllSubsets:
    """All subsets that hold the first category, except the full set: every division into two occurs once."""

    def __init__(self, n_categories):
        number = np.arange(2 ** (n_categories - 1) - 1) if n_categories > 1 else np.zeros(1, dtype=int)
        bits = (number[:, None] >> np.arange(n_categories - 1)) & 1
        self.masks = np.column_stack([np.ones(len(number), dtype=bool), bits.astype(bool)])

    def sum(self, table):
        """Sum a (q, n_categories) table over each subset: shape (q, n_subsets)."""
        return table @ self.masks.T

    def members(self, which):
        """Return the categories of subset ``which[j]`` in node j as booleans of shape (q, n_categories)."""
        return self.masks[which]


class CategoricalScan:
    """The best subset of one column in every node of a level.

    ``gain`` of shape (1, q) is its gain, ``NO_SPLIT`` where none is possible; ``members`` of shape (q, n_categories)
    its categories.

    Parameters
    ----------
    number : int array of shape (q, n_categories)
        Rows of each category in each node.
    """

    def __init__(self, number):
        self.present = number > 0
        self.gain = np.full((1, len(number)), NO_SPLIT)
        self.members = np.zeros(number.shape, dtype=bool)

    def improve(self, gains, subsets):
        """Take over the subsets of a family where they are better; among equals the first one."""
        best = gains.max(axis=1)
        better = (best > NO_SPLIT) & (best > self.gain[0] + TIE)
        which = np.argmax(gains >= best[:, None] - TIE, axis=1)
        self.members[better] = subsets.members(which)[better]
        self.gain[0, better] = best[better]

    def tables(self, nodes):
        """Return the branch of each category: 0 with the first category present, 1 the others, -1 if absent."""
        members, present = self.members[nodes], self.present[nodes]
        first = np.argmax(present, axis=1)
        together = members == members[np.arange(len(nodes)), first][:, None]
        return np.where(present, np.where(together, 0, 1), -1)
