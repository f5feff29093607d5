"""Surrogate splits: questions about other features that imitate the chosen one, for rows that cannot answer it.

(Breiman et al. 1984, section 5.3; Notes C 5.3.) A surrogate is judged by how much of the weight it sends the same way
as the chosen split, among the rows that know both features. It is kept if that is more than the rule "everybody goes
where most go" achieves. A row with a missing value asks the surrogates in order of merit and then follows that rule.
"""

from dataclasses import dataclass

import numpy as np

from mlcore.core.decision_trees import TIE
from mlcore.engines.trees.categorical import CategoricalBlock, category_sums
from mlcore.engines.trees.criteria import NO_SPLIT
from mlcore.engines.trees.splitting import NumericScan
from mlcore.engines.trees.structure import answers

__all__ = ["Surrogates", "find_surrogates"]


@dataclass
class Surrogates:
    """The surrogate questions of every node, best first: arrays of shape (n_nodes, n_surrogates)."""

    feature: np.ndarray
    """-1 where a node has fewer."""
    threshold: np.ndarray
    lookup: np.ndarray
    flipped: np.ndarray
    """Whether values up to the threshold go right."""
    agreement: np.ndarray
    """Share of the weight, among rows that know both features, that goes the same way as under the chosen split."""

    @classmethod
    def none(cls, n_nodes, n_surrogates):
        """Return a record of nodes without surrogates."""
        shape = (n_nodes, n_surrogates)
        return cls(np.full(shape, -1), np.full(shape, np.nan), np.full(shape, -1), np.zeros(shape, dtype=bool),
                   np.full(shape, np.nan))

    def kept(self, nodes):
        """Return the record of some nodes."""
        return Surrogates(*(array[nodes] for array in vars(self).values()))

    def put(self, nodes, other):
        """Write another record into the places of some nodes."""
        for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True):
            mine[nodes] = theirs

    def branch(self, X, rows, nodes, branches):
        """Return the branch that the first surrogate with an answer gives to each row; -1 where none has one."""
        taken = np.full(len(rows), -1)
        for rank in range(self.feature.shape[1]):
            lost = np.flatnonzero((taken < 0) & (self.feature[nodes, rank] >= 0))
            if not len(lost):
                break
            at = nodes[lost]
            x = X[rows[lost], self.feature[at, rank]]
            found = answers(x, self.threshold[at, rank], self.lookup[at, rank], branches)
            taken[lost] = np.where((found >= 0) & self.flipped[at, rank], 1 - found, found)
        return taken


def find_surrogates(columns, level, feature, side, weight, n_surrogates):
    """Find the surrogates of the split nodes of a level.

    Parameters
    ----------
    columns : Columns
    level : Level
        Its nodes are all split.
    feature : int array of shape (q,)
        The chosen features.
    side : int array of shape (m,), aligned with ``level.rows``
        0 left, 1 right, -1 where the chosen feature is missing.
    weight : float array of shape (n_samples,)
    n_surrogates : int

    Returns
    -------
    Surrogates of q nodes, whose ``lookup`` points into the list of tables
    tables : list of int arrays
        Branches of categories.
    """
    scans, extra = [], np.full((columns.n_features, level.n_nodes), NO_SPLIT)
    direction = np.full(columns.n_samples, -1)
    direction[level.rows] = side
    answered = direction[level.rows] >= 0
    for block in columns.blocks:
        keep = answered & block.known[level.rows]
        if not keep.any():
            continue
        known, nodes = level.only(keep)
        scan = _Imitation.of(block, known, direction, weight)
        extra[block.features[:, None], nodes] = scan.extra
        scans.append((block, nodes, scan))
    extra[feature, np.arange(level.n_nodes)] = NO_SPLIT
    extra /= np.add.reduceat(weight[level.rows], level.starts[:-1])
    return _best_ones(np.round(extra, 10), scans, n_surrogates)  # equal up to rounding: the first feature


def _best_ones(extra, scans, n_surrogates):
    n_nodes = extra.shape[1]
    found, tables = Surrogates.none(n_nodes, n_surrogates), []
    ranked = np.argsort(-extra, axis=0, kind="stable")[:n_surrogates]
    for rank, features in enumerate(ranked):
        useful = np.flatnonzero(extra[features, np.arange(n_nodes)] > TIE)
        for block, nodes, scan in scans:
            j = useful[np.isin(features[useful], block.features)]
            if len(j):
                at, line = np.searchsorted(nodes, j), np.searchsorted(block.features, features[j])
                threshold, table, flipped, agreement = scan.questions(line, at)
                found.feature[j, rank], found.threshold[j, rank] = features[j], threshold
                found.flipped[j, rank], found.agreement[j, rank] = flipped, agreement
                if table is not None:
                    found.lookup[j, rank] = len(tables) + np.arange(len(j))
                    tables.extend(table)
    return found, tables


class _Imitation:
    """How well the questions of one block imitate the chosen split, in every node of a level.

    ``extra`` of shape (c, q): the weight sent the right way beyond what "everybody goes where most go" achieves.
    """

    @staticmethod
    def of(block, level, direction, weight):
        kind = _CategoricalImitation if isinstance(block, CategoricalBlock) else _NumericImitation
        own = weight[level.rows]
        total = np.add.reduceat(own, level.starts[:-1])
        to_right = np.where(direction[level.rows] == 1, own / total[level.node_of], 0.0)
        to_left = own / total[level.node_of] - to_right
        return kind(block, level, to_left, to_right, total)


class _NumericImitation:
    def __init__(self, block, level, to_left, to_right, total):
        first = level.starts[:-1]
        self.left, self.right = np.add.reduceat(to_left, first), np.add.reduceat(to_right, first)
        rows = block.arranged(level)
        lead = np.empty(block.n_samples)
        lead[level.rows] = to_right - to_left
        run = np.cumsum(lead[rows], axis=1)
        run -= (run[:, first] - lead[rows[:, first]])[:, level.node_of]
        self.straight, self.crossed = self.right[level.node_of] - run, self.left[level.node_of] + run
        agreement = np.maximum(self.straight, self.crossed)
        x = np.take_along_axis(block.values, rows, axis=1)
        agreement[:, :-1][x[:, :-1] == x[:, 1:]] = NO_SPLIT
        best = np.maximum.reduceat(agreement, first, axis=1)
        self.extra = (best - np.maximum(self.left, self.right)) * total
        self.scan = NumericScan(best, agreement, rows, level, block.values)

    def questions(self, lines, nodes):
        place = self.scan.places(lines, nodes)
        flipped = self.crossed[lines, place] > self.straight[lines, place]
        return self.scan.thresholds(lines, nodes), None, flipped, np.minimum(self.scan.gain[lines, nodes], 1.0)


class _CategoricalImitation:
    def __init__(self, block, level, to_left, to_right, total):
        codes = block.codes[level.rows]
        left, right = (category_sums(part, level, codes, block.n_categories) for part in (to_left, to_right))
        present = category_sums(None, level, codes, block.n_categories) > 0
        self.table = np.where(present, (right > left).astype(np.intp), -1)
        self.agreement = np.maximum(left, right).sum(axis=1)
        self.extra = ((self.agreement - np.maximum(left.sum(axis=1), right.sum(axis=1))) * total)[None]

    def questions(self, lines, nodes):
        return np.nan, list(self.table[nodes]), False, np.minimum(self.agreement[nodes], 1.0)
