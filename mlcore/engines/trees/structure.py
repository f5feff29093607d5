"""The grown tree: flat arrays with one entry a node, and node objects as views of them.

Linked nodes would make ``copy.deepcopy``, ``pickle`` and every walk recursive, and a tree may be 10,000 nodes deep. So
the tree is a set of arrays. Nodes are numbered level by level: children have larger numbers than their parent, the
children of one node stand side by side, and each depth is one contiguous stretch. Walking down is a loop over depths,
walking up the same loop backwards.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from mlcore.base import check_int, check_is_fitted

__all__ = ["Node", "Tree", "tree_of"]

NO_FEATURE = -2


@dataclass(eq=False, repr=False)
class Tree:
    """A decision tree in flat arrays; entry ``i`` of each array belongs to node ``i``, and node 0 is the root.

    A node with children asks one question of one feature. The answer is a branch number b, and the row goes on to node
    ``first_child + b``: for a number, b = 1 if x > ``threshold`` else 0; for a category, ``branches[lookup, code]``.
    b = -1 means that the answer is not known; ``unknown`` says what happens then: ``"surrogate"`` asks the surrogate
    questions and in the end goes to branch ``default`` (CART), ``"stop"`` stays at the node (ID3), ``"share"`` goes to
    every child with the share of weight of each (C4.5).
    """

    parent: np.ndarray
    """(n_nodes,) -1 at the root."""
    depth: np.ndarray
    """(n_nodes,) 0 at the root."""
    first_child: np.ndarray
    """(n_nodes,) -1 at a leaf."""
    n_children: np.ndarray
    """(n_nodes,) 0 at a leaf, 2 in a CART tree."""
    feature: np.ndarray
    """(n_nodes,) column asked about; -2 at a leaf."""
    threshold: np.ndarray
    """(n_nodes,) NaN at a leaf or for a question about a category."""
    lookup: np.ndarray
    """(n_nodes,) row of ``branches``; -1 for a question about a number."""
    default: np.ndarray
    """(n_nodes,) branch that most of the known weight took."""
    value: np.ndarray
    """(n_nodes, n_classes) class shares, or (n_nodes,) means; those of the parent at a node without samples."""
    counts: np.ndarray | None
    """(n_nodes, n_classes) weight of each class; None in a regression tree."""
    impurity: np.ndarray
    """(n_nodes,) entropy in bits, Gini value or mean squared error."""
    n_samples: np.ndarray
    """(n_nodes,) number of training rows that came by."""
    weight: np.ndarray
    """(n_nodes,) sum of their weights."""
    share: np.ndarray
    """(n_nodes,) weight that this branch got of the weight whose answer was known; r̃_v of C4.5."""
    branches: np.ndarray
    """(n_tables, n_categories) branch number of each category, -1 where unknown."""
    unknown: str = "surrogate"
    categories: tuple = ()
    """One entry a feature: None for numbers, or the categories."""
    feature_names: tuple = ()
    class_names: tuple = ()
    surrogates: object = None
    """A ``Surrogates`` record (see ``surrogates.py``), or None."""

    # -- size ---------------------------------------------------------------------------------------------------
    @property
    def n_nodes(self):
        """Number of nodes, leaves included."""
        return len(self.parent)

    @property
    def is_leaf(self):
        """(n_nodes,) booleans."""
        return self.n_children == 0

    @property
    def n_leaves(self):
        """Number of leaves, |T| in the notes."""
        return int(np.sum(self.is_leaf))

    @property
    def max_depth(self):
        """Number of questions on the longest path."""
        return int(self.depth[-1])

    def __repr__(self):
        return f"<Tree: {self.n_nodes} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    @property
    def has_subset_questions(self):
        """Whether a question about a category has two answers (CART), not one for each category."""
        return self.unknown == "surrogate"

    # -- walking ------------------------------------------------------------------------------------------------
    @property
    def root(self):
        """The root as a ``Node``."""
        return Node(self, 0)

    def node(self, number):
        """Return node ``number`` as a ``Node``; a ValueError if there is none."""
        return Node(self, check_int("number", number, low=0, high=self.n_nodes - 1))

    def children(self, number):
        """Return the numbers of a node's children as a slice."""
        first = self.first_child[number]
        return slice(first, first + self.n_children[number])

    def levels(self):
        """Return one slice of node numbers for each depth, the root's first."""
        edges = np.searchsorted(self.depth, np.arange(self.max_depth + 2))
        return [slice(int(low), int(high)) for low, high in zip(edges[:-1], edges[1:], strict=True)]

    def sum_over_leaves(self, quantity):
        """Return Σ of a (n_nodes,) quantity over the leaves below each node (a leaf's own at a leaf)."""
        total = np.where(self.is_leaf, quantity, 0.0)
        for level in reversed(self.levels()[1:]):
            np.add.at(total, self.parent[level], total[level])
        return total

    def feature_importances(self):
        """Return each feature's share in the decrease of weight · impurity: shape (n_features,), sum 1 or all 0.

        Where rows with missing values were sent on by other features, a split can make the children as a whole less
        pure; such a split counts as 0.
        """
        mass = self.weight * self.impurity
        inner = np.flatnonzero(self.n_children)
        below = np.zeros(self.n_nodes)
        np.add.at(below, self.parent[1:], mass[1:])
        decrease = np.maximum(mass - below, 0.0)[inner]
        total = np.bincount(self.feature[inner], weights=decrease, minlength=len(self.feature_names))
        return total / total.sum() if total.sum() > 0 else np.zeros(len(self.feature_names))

    # -- cutting ------------------------------------------------------------------------------------------------
    def survives(self, nodes):
        """Mark the nodes that are left when the given nodes become leaves: boolean array of shape (n_nodes,)."""
        cut = np.zeros(self.n_nodes, dtype=bool)
        cut[nodes] = True
        left = np.ones(self.n_nodes, dtype=bool)
        for level in self.levels()[1:]:
            above = self.parent[level]
            left[level] = left[above] & ~cut[above]
        return left

    def collapsed(self, nodes):
        """Return a copy in which the given nodes are leaves.

        Parameters
        ----------
        nodes : bool array of shape (n_nodes,), or sequence of node numbers
        """
        cut = np.zeros(self.n_nodes, dtype=bool)
        cut[nodes] = True
        return self._kept(self.survives(cut), cut)

    def grown_to(self, n_nodes):
        """Return the tree as it was when it had this many nodes: growth adds them in the order of their numbers."""
        keep = np.arange(self.n_nodes) < n_nodes
        return self._kept(keep, self.first_child >= n_nodes)

    def _kept(self, keep, becomes_leaf):
        """Copy the nodes in ``keep``, renumber them, and make leaves of those in ``becomes_leaf``."""
        number = np.cumsum(keep) - 1
        leaf = (becomes_leaf | self.is_leaf)[keep]
        kept = {f.name: getattr(self, f.name)[keep] for f in fields(self) if f.name in PER_NODE and f.name != "counts"}
        kept["counts"] = None if self.counts is None else self.counts[keep]
        kept["parent"] = np.where(kept["parent"] >= 0, number[kept["parent"]], -1)
        kept["first_child"] = np.where(leaf, -1, number[kept["first_child"]])
        for name, blank in (("n_children", 0), ("feature", NO_FEATURE), ("threshold", np.nan), ("lookup", -1)):
            kept[name] = np.where(leaf, blank, kept[name])
        surrogates = None if self.surrogates is None else self.surrogates.kept(keep)
        return replace(self, **kept, surrogates=surrogates)

    def named(self, feature_names=None, class_names=None):
        """Return the same tree with other names for features and classes (None keeps the present ones).

        Raises
        ------
        ValueError
            If a list of names is none, or their number does not fit.
        """
        names = {}
        for field, given in (("feature_names", feature_names), ("class_names", class_names)):
            if given is not None:
                names[field] = _checked_names(field, given, len(getattr(self, field)))
        return replace(self, **names)

    # -- asking -------------------------------------------------------------------------------------------------
    def branch(self, X, rows, nodes):
        """Return the branch that each row takes at its node: 0, 1, ...; -1 where it cannot be known.

        Parameters
        ----------
        X : float array of shape (n_samples, n_features)
            Encoded: codes for categories, NaN for missing.
        rows, nodes : int arrays of shape (m,)
            Row ``rows[i]`` stands at inner node ``nodes[i]``.
        """
        taken = answers(X[rows, self.feature[nodes]], self.threshold[nodes], self.lookup[nodes], self.branches)
        if self.unknown == "surrogate":
            lost = np.flatnonzero(taken < 0)
            if len(lost):
                at = nodes[lost]
                found = -1 if self.surrogates is None else self.surrogates.branch(X, rows[lost], at, self.branches)
                taken[lost] = np.where(found < 0, self.default[at], found)
        return taken

    def visits(self, X):
        """Send rows down the tree; yield, depth by depth, who stands where and with what weight.

        Yields
        ------
        rows, nodes : int arrays of shape (m,)
        weights : float array of shape (m,)
            1, except below a node that shared a row out among its children.
        """
        rows = np.arange(len(X))
        nodes, weights = np.zeros(len(X), dtype=np.intp), np.ones(len(X))
        while len(rows):
            yield rows, nodes, weights
            inner = self.n_children[nodes] > 0
            rows, nodes, weights = rows[inner], nodes[inner], weights[inner]
            taken = self.branch(X, rows, nodes)
            known = taken >= 0
            parts = [(rows[known], self.first_child[nodes[known]] + taken[known], weights[known])]
            if self.unknown == "share" and not known.all():
                parts.append(self._shared_out(rows[~known], nodes[~known], weights[~known]))
            rows, nodes, weights = (np.concatenate(part) for part in zip(*parts, strict=True))

    def _shared_out(self, rows, nodes, weights):
        """Send each row to every child of its node, with weight r̃_v · w; branches of weight 0 get nothing."""
        repeats = self.n_children[nodes]
        child = np.repeat(self.first_child[nodes], repeats) + _counting(repeats)
        weight = np.repeat(weights, repeats) * self.share[child]
        some = weight > 0
        return np.repeat(rows, repeats)[some], child[some], weight[some]

    def apply(self, X):
        """Return the node where each row ends: a leaf, or the node that could not answer (ID3).

        Parameters
        ----------
        X : float array of shape (n_samples, n_features), encoded

        Returns
        -------
        int array of shape (n_samples,)
        """
        if len(self.branches) == 0 and not np.isnan(X).any():
            return self._apply_numbers(X)
        if self.unknown == "share":
            return replace(self, unknown="surrogate").apply(X)  # without surrogates: to the heaviest branch
        where = np.zeros(len(X), dtype=np.intp)
        for rows, nodes, _ in self.visits(X):
            where[rows] = nodes
        return where

    def _apply_numbers(self, X):
        """``apply`` where every question is about a number and every number is known.

        A leaf asks whether x > ∞ and sends everybody back to itself, so all rows take the same steps; those that have
        arrived are sorted out now and then.
        """
        leaf = self.is_leaf
        first = np.where(leaf, np.arange(self.n_nodes), self.first_child)
        feature, threshold = np.where(leaf, 0, self.feature), np.where(leaf, np.inf, self.threshold)
        cells, active, begin = np.ascontiguousarray(X).ravel(), np.arange(len(X)), np.arange(len(X)) * X.shape[1]
        at = where = np.zeros(len(X), dtype=np.intp)
        for step in range(1, self.max_depth + 1):
            at = first.take(at) + (cells.take(begin + feature.take(at)) > threshold.take(at))
            if step % 4 == 0 or step == self.max_depth:
                where[active] = at
                still = np.flatnonzero(~leaf.take(at))
                at, active, begin = at.take(still), active.take(still), begin.take(still)
        return where

    def expected_value(self, X):
        """Return the mean of the leaf values that each row reaches, weighted by the share that reaches them.

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for a regression tree
        """
        if self.unknown != "share":
            return self.value[self.apply(X)]
        total = np.zeros((len(X), *self.value.shape[1:]))
        for rows, nodes, weights in self.visits(X):
            ends = self.is_leaf[nodes]
            np.add.at(total, rows[ends], weights[ends, None] * self.value[nodes[ends]])
        return total


PER_NODE = (
    "parent", "depth", "first_child", "n_children", "feature", "threshold", "lookup", "default", "value", "counts",
    "impurity", "n_samples", "weight", "share",
)  # fmt: skip


def answers(x, threshold, lookup, branches):
    """Return the branch number for values of the asked features, all arrays of shape (m,); -1 where unknown."""
    taken = (x > threshold).astype(np.intp)
    missing = np.isnan(x)
    by_table = np.flatnonzero((lookup >= 0) & ~missing)
    if len(by_table):
        taken[by_table] = branches[lookup[by_table], x[by_table].astype(np.intp)]
    taken[missing] = -1
    return taken


def _counting(repeats):
    """0, 1, ..., r₀-1, 0, 1, ..., r₁-1, ... for the given numbers of repeats."""
    ends = np.cumsum(repeats)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - repeats, repeats)


def _checked_names(field, given, expected):
    if isinstance(given, str) or not np.iterable(given):
        raise ValueError(f"{field} must be a list of {expected} names, got {given!r}")
    names = tuple(str(name) for name in given)
    if len(names) != expected:
        raise ValueError(f"{field}: {expected} names are needed, got {len(names)}")
    return names


def tree_of(model):
    """Return the ``Tree`` of a fitted tree estimator, or the tree itself.

    Raises
    ------
    NotFittedError
        If the model is not fitted yet.
    ValueError
        If it is anything else.
    """
    if isinstance(model, Tree):
        return model
    if not hasattr(model, "get_params") or isinstance(model, type):
        raise ValueError(f"a fitted decision tree (or its tree_) is needed, got {model!r}")
    check_is_fitted(model)
    if not isinstance(getattr(model, "tree_", None), Tree):
        raise ValueError(f"a fitted decision tree of this course (or its tree_) is needed, got {model!r}")
    return model.tree_


class Node:
    """One node of a tree, as a view: nothing is stored but the tree and the number.

    This is all that a drawing needs: ``children``, ``label``, ``edge``, ``value``, ``counts``, ``n_samples``,
    ``impurity``.
    """

    __slots__ = ("number", "tree")

    def __init__(self, tree, number):
        self.tree, self.number = tree, number

    def __repr__(self):
        return f"<Node {self.number}: {self.label}>"

    @property
    def children(self):
        """List of the child nodes, empty at a leaf."""
        first, count = int(self.tree.first_child[self.number]), int(self.tree.n_children[self.number])
        return [Node(self.tree, first + b) for b in range(count)]

    @property
    def parent(self):
        """The parent node, or None at the root."""
        above = int(self.tree.parent[self.number])
        return None if above < 0 else Node(self.tree, above)

    @property
    def is_leaf(self):
        """Whether the node asks nothing."""
        return not self.tree.n_children[self.number]

    @property
    def depth(self):
        """Number of questions above the node."""
        return int(self.tree.depth[self.number])

    @property
    def value(self):
        """Class shares (an array), or the mean of a regression."""
        return self.tree.value[self.number]

    @property
    def counts(self):
        """Weight of each class, or None in a regression tree."""
        return None if self.tree.counts is None else self.tree.counts[self.number]

    @property
    def n_samples(self):
        """Number of training rows that came by."""
        return int(self.tree.n_samples[self.number])

    @property
    def weight(self):
        """Sum of their weights."""
        return float(self.tree.weight[self.number])

    @property
    def impurity(self):
        """Entropy, Gini value or mean squared error."""
        return float(self.tree.impurity[self.number])

    @property
    def prediction(self):
        """Text of what the node predicts: the majority class (the first one in a tie) or the mean."""
        if self.tree.counts is None:
            return f"{float(self.value):.4g}"
        return self.tree.class_names[int(np.argmax(self.value))]

    @property
    def class_names(self):
        """Names of the classes, in the order of ``value``; empty in a regression tree."""
        return self.tree.class_names

    @property
    def label(self):
        """The question an inner node asks; the prediction of a leaf."""
        if self.is_leaf:
            return self.prediction
        tree, i = self.tree, self.number
        table = tree.branches[tree.lookup[i]] if tree.lookup[i] >= 0 else None
        return question_text(tree, int(tree.feature[i]), float(tree.threshold[i]), table)

    @property
    def surrogates(self):
        """The surrogate questions, best first, and their agreement: a list of pairs such as ("density <= 0.3", 0.85).

        Whoever answers yes goes to the first child.
        """
        kept, i = self.tree.surrogates, self.number
        if kept is None:
            return []
        return [
            (_surrogate_text(self.tree, kept, i, rank), float(kept.agreement[i, rank]))
            for rank in np.flatnonzero(kept.feature[i] >= 0)
        ]

    @property
    def edge(self):
        """The answer that leads here from the parent; empty at the root."""
        above = self.parent
        if above is None:
            return ""
        branch = self.number - int(self.tree.first_child[above.number])
        if self.tree.lookup[above.number] < 0 or above._is_subset_question:
            return ("yes", "no")[branch]
        return _category_text(self.tree.categories[self.tree.feature[above.number]][branch])

    @property
    def condition(self):
        """The parent's question and its answer in one line, such as "density > 0.3815" or "texture = clear"."""
        above = self.parent
        if above is None:
            return ""
        tree, i = self.tree, above.number
        name, branch = tree.feature_names[tree.feature[i]], self.number - int(tree.first_child[i])
        if tree.lookup[i] < 0:
            return f"{name} {('<=', '>')[branch]} {tree.threshold[i]:.4g}"
        if above._is_subset_question:
            return f"{name} in {above._categories_of_branch(branch)}"
        return f"{name} = {self.edge}"

    @property
    def _is_subset_question(self):
        return self.tree.has_subset_questions

    def _categories_of_branch(self, branch):
        tree, i = self.tree, self.number
        return _subset_text(tree.categories[tree.feature[i]], tree.branches[tree.lookup[i]], branch)


def question_text(tree, feature, threshold=None, table=None):
    """Text of a question: "density <= 0.3815", "color in {green, black}", or the feature's name where each category is
    a branch of its own (no threshold).
    """
    name = tree.feature_names[feature]
    if table is not None and tree.has_subset_questions:
        return f"{name} in {_subset_text(tree.categories[feature], table, 0)}"
    return name if threshold is None or np.isnan(threshold) else f"{name} <= {threshold:.4g}"


def _surrogate_text(tree, surrogates, node, rank):
    lookup = surrogates.lookup[node, rank]
    table = tree.branches[lookup] if lookup >= 0 else None
    text = question_text(tree, int(surrogates.feature[node, rank]), float(surrogates.threshold[node, rank]), table)
    return " > ".join(text.rsplit(" <= ", 1)) if surrogates.flipped[node, rank] else text


def _subset_text(categories, table, branch):
    inside = [_category_text(name) for name, b in zip(categories, table, strict=False) if b == branch]
    return "{" + ", ".join(inside) + "}"


def _category_text(category):
    return f"{category:.6g}" if isinstance(category, float) else str(category)
