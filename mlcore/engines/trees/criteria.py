"""What makes one split better than another: Gini value, entropy, squared error.

A node holds rows with weights w and targets t. Let ω = w / Σw be a row's share of its node, and let a split send the
share L to the left and R = 1 - L to the right. All that a criterion needs from a split is L and, for each target
column, the sum over the left rows of the deviation

    S = Σ_left ω (t - t̄),        t̄ the node's mean.

*Squared error.* With t = y, the means of the sides are t̄ + S/L and t̄ - S/R, so the variance falls by
L (S/L)² + R (S/R)² = S² / (L R).

*Gini.* Let t_k = 1 for the rows of class k and 0 for others. The variance of t_k is p_k (1 - p_k), so the Gini value
is the sum of these variances: Gini is squared error on class indicators, and it falls by Σ_k S_k² / (L R).

*Entropy.* The left side holds the share L p_k + S_k of class k, which gives both sides' entropies.

Deviations add up to zero within a node. So one running sum can pass through many nodes that stand side by side: it is
back at zero where the next node begins. That is what lets ``splitting`` search a whole level of the tree at once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlcore.core.decision_trees import (
    Part,
    class_part,
    entropy_of_counts,
    error_fall,
    gini_of_counts,
    impurity_fall,
    mean_and_error,
)
from mlcore.core.generalized_linear_models import indicator

__all__ = [
    "EntropyCriterion", "GiniCriterion", "Level", "NO_SPLIT", "NodeStats", "SquaredErrorCriterion", "inside_unit",
    "starts_of", "weight_shares",
]

TINY_SHARE = 1e-15
NO_SPLIT = -np.inf
"""The gain where no split is possible."""


@dataclass
class Level:
    """Rows of one depth of the tree, grouped by node: node j holds ``rows[starts[j]:starts[j+1]]``, at least one."""

    rows: np.ndarray
    starts: np.ndarray

    def __post_init__(self):
        self.sizes = self.starts[1:] - self.starts[:-1]
        self.n_nodes = len(self.sizes)
        self.node_of = np.arange(self.n_nodes).repeat(self.sizes)

    @cached_property
    def size_of(self):
        """(m,) size of the node that each position belongs to."""
        return self.sizes[self.node_of]

    @cached_property
    def position(self):
        """(m,) 0, 1, 2, ... within each node."""
        return np.arange(len(self.rows)) - self.starts[self.node_of]

    @classmethod
    def grouped(cls, rows, group, n_groups):
        """Group rows by number (given for each row, each number occurring), keeping their order otherwise."""
        group = group.astype(np.uint16) if n_groups <= 65536 else group  # short integers are sorted in linear time
        return cls(rows[group.argsort(kind="stable")], starts_of(np.bincount(group, minlength=n_groups)))

    def of(self, nodes, rows):
        """Return the level with the marked nodes, whose rows are marked too."""
        return Level(self.rows[rows], starts_of(self.sizes[nodes]))

    def only(self, keep):
        """Return the level with the marked rows, without nodes that lose all; and the numbers of the nodes left."""
        sizes = np.add.reduceat(keep, self.starts[:-1], dtype=np.intp)
        left = sizes.nonzero()[0]
        return Level(self.rows[keep], starts_of(sizes[left])), left


def starts_of(sizes):
    """Return where stretches of these sizes begin when they are laid end to end, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.intp)
    sizes.cumsum(out=starts[1:])
    return starts


@dataclass
class NodeStats:
    """What is known of the q nodes of a level before they are split."""

    value: np.ndarray
    """(q, n_classes) class shares, or (q,) means."""
    counts: np.ndarray | None
    """(q, n_classes) class weights; None for a regression."""
    weight: np.ndarray
    """(q,) sum of weights."""
    impurity: np.ndarray
    """(q,) exactly 0 where nothing is left to separate."""
    deviation: np.ndarray | None = None
    """(m,) what a regression knows already of the rows: ω (y - ȳ)."""

    def only(self, nodes, rows=None):
        """Return the entries of some nodes, and of their rows where these are given."""
        counts = None if self.counts is None else self.counts[nodes]
        deviation = None if self.deviation is None or rows is None else self.deviation[rows]
        return NodeStats(self.value[nodes], counts, self.weight[nodes], self.impurity[nodes], deviation)


def inside_unit(left):
    """Keep shares of weight, which rounding may have pushed to 0 or 1, strictly between them."""
    return np.minimum(np.maximum(left, TINY_SHARE), 1 - TINY_SHARE)


def weight_shares(weight, level):
    """Return each row's share of the weight of its node: shape (m,)."""
    if weight is None:
        return 1.0 / level.size_of
    own = weight[level.rows]
    return own / np.add.reduceat(own, level.starts[:-1])[level.node_of]


class _Criterion:
    """Shared by all: the weights."""

    def own(self, rows):
        """(m,) the weights of some rows."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]

    def is_steady(self, rows):
        """Whether the weights of some rows are near enough to each other for sums to keep the digits of all."""
        return self.weight is None or self.weight[rows].max() < 1e8 * self.weight[rows].min()


class _ClassCriterion(_Criterion):
    """Shared by the criteria of classification: the targets are class indicators.

    Parameters
    ----------
    codes : int array of shape (n_samples,)
        Class numbers.
    n_classes : int
    weight : None or float array of shape (n_samples,)
        None means that all weights are equal to 1.
    """

    def __init__(self, codes, n_classes, weight=None):
        self.codes, self.n_classes, self.weight = codes, n_classes, weight

    def part(self, rows):
        """Return some rows as a part, for the core."""
        return class_part(rows, self.own(rows), self.codes, self.n_classes, impurity=self.impurity)

    def terms(self, part):
        """(m, K) the weight of each row of a part in the column of its class, for the core."""
        return part.weight[:, None] * indicator(self.codes[part.rows], self.n_classes)

    def fall(self, left, total):
        """The fall of the impurity, for the core."""
        return impurity_fall(self.impurity, left, total)

    def describe(self, level):
        """Return the ``NodeStats`` of every node of a level."""
        cell = level.node_of * self.n_classes + self.codes[level.rows]
        own = None if self.weight is None else self.weight[level.rows]
        counts = np.bincount(cell, weights=own, minlength=level.n_nodes * self.n_classes)
        counts = counts.reshape(level.n_nodes, self.n_classes).astype(float, copy=False)
        weight = counts.sum(axis=1)
        return NodeStats(counts / weight[:, None], counts, weight, self.impurity(counts))

    def deviations(self, level, stats):
        """Return ω (t_k - p_k) for each class but the last (which is minus the sum of the others).

        Returns
        -------
        list of n_classes - 1 arrays of shape (m,), aligned with ``level.rows``
        """
        share, codes = weight_shares(self.weight, level), self.codes[level.rows]
        return [share * ((codes == k) - stats.value[level.node_of, k]) for k in range(self.n_classes - 1)]

    def group_deviations(self, level, stats, group, node):
        """Sum the deviations over groups of rows.

        Parameters
        ----------
        group : int array of shape (c, m), aligned with ``level.rows``
            The group of every row; each row may belong to c of them.
        node : int array of shape (n_groups,)
            The node that a group lies in.

        Returns
        -------
        sums : array of shape (n_classes - 1, n_groups)
        weight : array of shape (n_groups,), or None
            The groups' shares of the weight of their node; None if all weights are 1.
        """
        shape = self.n_classes, len(node)
        cells = (group + self.codes[level.rows] * len(node)).ravel()
        shares = None if self.weight is None else np.tile(weight_shares(self.weight, level), len(group))
        own = np.bincount(cells, weights=shares, minlength=self.n_classes * len(node)).reshape(shape)
        if self.weight is None:
            own = own / level.sizes[node]
        total = own.sum(axis=0)
        return own[:-1] - total * stats.value.T[:-1].take(node, axis=1), None if self.weight is None else total

    def scale(self, stats):
        """Return the factor, here 1, that turns ``gain`` into a decrease of impurity."""
        return 1.0


class GiniCriterion(_ClassCriterion):
    """Gini value: decreases by Σ_k S_k² / (L R)."""

    name = "gini"
    impurity = staticmethod(gini_of_counts)

    def gain(self, sums, left, stats, node):
        """Return the decrease of impurity from the left sums.

        Parameters
        ----------
        sums : list of n_classes - 1 arrays
            S_k of the classes but the last.
        left : array
            L, in (0, 1).
        stats : NodeStats
        node : int array
            The node in which each split is made. Shapes broadcast against each other.
        """
        if len(sums) == 1:
            total = 2.0 * sums[0] ** 2
        else:
            total = sum(S * S for S in sums) + sum(sums[1:], start=sums[0]) ** 2
        return total / (left * (1.0 - left))


class EntropyCriterion(_ClassCriterion):
    """Entropy in bits: decreases by H - L H(left) - R H(right)."""

    name = "entropy"
    impurity = staticmethod(entropy_of_counts)

    def gain(self, sums, left, stats, node):
        """Return the decrease of impurity; parameters as in ``GiniCriterion.gain``.

        With f(x) = x log₂ x, L H(left) = f(L) - Σ_k f(L p_k + S_k), and alike on the right.
        """
        total = _x_log_x(left) + _x_log_x(1.0 - left)
        for S, share in zip([*sums, -sum(sums[1:], start=sums[0])], stats.value.T, strict=True):
            p = share[node]
            inside = p * left + S
            total = total - _x_log_x(inside) - _x_log_x(p - inside)
        return stats.impurity[node] - total


def _x_log_x(x):
    """x log₂ x, 0 at 0 (and where rounding has left less than 0)."""
    x = np.maximum(x, 0.0)
    return x * np.log2(np.maximum(x, np.finfo(float).tiny))


class SquaredErrorCriterion(_Criterion):
    """Mean squared error: decreases by S² / (L R).

    The deviations are divided by the node's standard deviation, so that nodes whose targets differ by many orders of
    magnitude can share one running sum.

    Parameters
    ----------
    targets : float array of shape (n_samples,)
    weight : None or float array of shape (n_samples,)
    """

    name = "squared_error"

    def __init__(self, targets, weight=None):
        self.targets, self.weight = targets, weight

    fall = staticmethod(error_fall)

    def part(self, rows):
        """Return some rows as a part, for the core."""
        weight = self.own(rows)
        mean, error = mean_and_error(self.targets[rows], weight)
        return Part(rows, weight, mean, None, error, weight.sum())

    def terms(self, part):
        """(m, 2) w and w (y - ȳ) of each row of a part, for the core."""
        return np.column_stack([part.weight, part.weight * (self.targets[part.rows] - part.value)])

    def describe(self, level):
        """Return the ``NodeStats`` of every node of a level.

        Means are taken from one value of the node, which keeps the digits that a large common part would cost.
        """
        first, share, y = level.starts[:-1], weight_shares(self.weight, level), self.targets[level.rows]
        some = y[first]
        distance = y - some[level.node_of]
        mean = np.add.reduceat(share * distance, first)
        distance -= mean[level.node_of]
        deviation = share * distance
        total = level.sizes.astype(float) if self.weight is None else np.add.reduceat(self.weight[level.rows], first)
        return NodeStats(some + mean, None, total, np.add.reduceat(deviation * distance, first), deviation)

    def deviations(self, level, stats):
        """Return a list of the one array ω (y - ȳ) / σ of shape (m,)."""
        deviation = self.describe(level).deviation if stats.deviation is None else stats.deviation
        return [deviation / np.sqrt(self.scale(stats))[level.node_of]]

    def group_deviations(self, level, stats, group, node):
        """Sum the deviations over groups of rows; parameters as in ``GiniCriterion.group_deviations``."""

        def sums(quantity):
            return np.bincount(group.ravel(), weights=np.tile(quantity, len(group)), minlength=len(node))

        weight = None if self.weight is None else sums(weight_shares(self.weight, level))
        return sums(self.deviations(level, stats)[0])[None], weight

    def scale(self, stats):
        """Return σ² of every node (never 0): ``gain`` is the share of the variance that a split explains."""
        return np.maximum(stats.impurity, np.finfo(float).tiny)

    def gain(self, sums, left, stats, node):
        """Return S² / (L R); parameters as in ``GiniCriterion.gain``."""
        return sums[0] ** 2 / (left * (1.0 - left))

