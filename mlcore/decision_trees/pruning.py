"""Pruning: before a split is made, or after the tree is grown (Notes A 6.3, B, C 5.2).

All functions take a fitted model, leave it as it is, and return a pruned copy. Three of the four prices below work
bottom up by one rule, ``_bottom_up``: a node becomes a leaf if, as a leaf, it costs no more than what its subtree costs
after its own pruning. That finds the cheapest of all pruned trees, because the costs of disjoint subtrees add up; among
equally cheap ones it finds the smallest.
"""

import copy
import heapq
from dataclasses import dataclass, field

import numpy as np

from mlcore.base import (
    check_choice,
    check_consistent_length,
    check_labels,
    check_numeric_target,
    check_real,
)
from mlcore.decision_trees.measures import entropy_of_counts, gini_of_counts
from mlcore.engines.trees.structure import Tree, tree_of

__all__ = [
    "CostComplexityPath", "PruningStep", "cost_complexity_path", "cost_complexity_prune", "cut_weakest_links",
    "iter_cost_complexity_path", "iter_cost_complexity_prune", "iter_prepruned", "iter_reduced_error_prune",
    "prepruned", "reduced_error_prune",
]

ROUNDING = 1e-12


@dataclass(frozen=True)
class PruningStep:
    """One decision: does a node keep its subtree?"""

    node: int
    """Number of the node in ``model.tree_``."""
    cost_as_leaf: float
    cost_of_subtree: float
    pruned: bool
    model: object = field(repr=False)
    """A copy of the model after the decision."""


def _with_tree(model, tree):
    if isinstance(model, Tree):
        return tree
    pruned = copy.copy(model)
    pruned.tree_ = tree
    return pruned


# ---------------------------------------------------------------------------------------------------------------
# The common rule
# ---------------------------------------------------------------------------------------------------------------
def _bottom_up(tree, cost, price):
    """Decide about every inner node, the deepest first; yield (node, cost as leaf, cost of subtree, becomes leaf).

    Parameters
    ----------
    cost : array of shape (n_nodes,)
        What each node costs as a leaf.
    price : float
        Added for every leaf (α).
    """
    best = cost + price
    rounding = ROUNDING * abs(cost[0])
    for t in range(tree.n_nodes - 1, -1, -1):
        first, count = tree.first_child[t], tree.n_children[t]
        if count:
            as_leaf, subtree = best[t], best[first : first + count].sum()
            pruned = bool(as_leaf <= subtree + rounding)
            best[t] = min(as_leaf, subtree)
            yield t, float(as_leaf), float(subtree), pruned


def _pruned(model, decisions):
    return _with_tree(model, tree_of(model).collapsed([t for t, _, _, pruned in decisions if pruned]))


def _steps(model, decisions):
    """Yield a ``PruningStep`` for every decision; decisions about nodes that are gone already are left out."""
    tree, cut = tree_of(model), []
    for t, as_leaf, subtree, pruned in decisions:
        marked = np.append(cut, t).astype(np.intp) if pruned else np.array(cut, dtype=np.intp)
        alive = tree.survives(marked)
        if not alive[t]:
            continue
        cut = marked
        yield PruningStep(int(alive[:t].sum()), as_leaf, subtree, pruned, _with_tree(model, tree.collapsed(cut)))


# ---------------------------------------------------------------------------------------------------------------
# Cost-complexity pruning
# ---------------------------------------------------------------------------------------------------------------
def _leaf_costs(tree, criterion):
    """N_t H_t, or another price, of each node as a leaf, with weights for counts."""
    if tree.counts is None:
        check_choice("criterion", "squared_error" if criterion is None else criterion, ("squared_error",))
        return tree.weight * tree.impurity
    check_choice("criterion", "entropy" if criterion is None else criterion, ("entropy", "error", "gini"))
    if criterion == "error":
        return tree.weight - tree.counts.max(axis=1)
    if criterion == "gini":
        return tree.weight * gini_of_counts(tree.counts)
    return tree.weight * entropy_of_counts(tree.counts)


def iter_cost_complexity_prune(tree, alpha, criterion=None):
    """Prune as ``cost_complexity_prune`` does; yield a ``PruningStep`` for every inner node, bottom up."""
    alpha = check_real("alpha", alpha, low=0)
    structure = tree_of(tree)
    yield from _steps(tree, _bottom_up(structure, _leaf_costs(structure, criterion), alpha))


def cost_complexity_prune(tree, alpha, criterion=None):
    """Return the pruned copy that minimises C_α(T) = Σ_t N_t H_t + α |T|, t the leaves (A 128).

    Among equally good ones, the smallest.

    Parameters
    ----------
    tree : fitted model, or Tree
    alpha : float >= 0
        Price of a leaf, on the notes' scale: impurities are multiplied by *counts*. scikit-learn's ``ccp_alpha``, which
        the estimators take, multiplies them by shares N_t / N; so ``alpha`` = N · ``ccp_alpha``, with N the weight of
        the training data, for the same criterion.
    criterion : {"entropy", "error", "gini"} or {"squared_error"}, optional
        H_t: the entropy in bits (the default), the share of training rows that are not of the majority class, or the
        Gini value. A regression tree knows only "squared_error".

    Returns
    -------
    A copy of the model (or of the Tree).

    Raises
    ------
    ValueError
        If alpha is negative, or the criterion does not fit the tree.
    """
    alpha = check_real("alpha", alpha, low=0)
    structure = tree_of(tree)
    return _pruned(tree, _bottom_up(structure, _leaf_costs(structure, criterion), alpha))


def _weakest_links(tree, cost):
    """At which price per leaf does each node become a leaf?

    Let R(t) be the cost of node t as a leaf, and let S be the subtree below it. t becomes a leaf at the α at which both
    cost the same, R(t) + α = R(S) + α |S|:

        α_t = (R(t) - R(S)) / (|S| - 1).

    S is what is left of the subtree at that price. So take S with all its links cut, down to the children of t, and put
    back the links that are cut at a higher price than t itself would be: those never come to be cut, for t goes first.
    Each link is put back once at most, so all nodes together take O(n log² n).

    Parameters
    ----------
    cost : array of shape (n_nodes,)
        R(t).

    Returns
    -------
    alphas : array of shape (n_nodes,)
        ∞ at leaves.
    links : list of (α, rise of the cost, fall of the number of leaves)
        The links that are really cut on the way from the full tree to the root, in ascending order.
    """
    alphas = np.full(tree.n_nodes, np.inf)
    heaps = [[] for _ in range(tree.n_nodes)]
    rounding = ROUNDING * abs(float(cost[0]))
    for t in range(tree.n_nodes - 1, -1, -1):
        if not tree.n_children[t]:
            continue
        children = range(tree.first_child[t], tree.first_child[t] + tree.n_children[t])
        heap = _merged([heaps[child] for child in children])
        rise, fewer = float(cost[t] - cost[children.start : children.stop].sum()), len(children) - 1
        rise = rise if abs(rise) > rounding else 0.0
        while heap and -heap[0][0] * max(fewer, 1) >= rise:
            _, more, leaves = heapq.heappop(heap)
            rise, fewer = rise + more, fewer + leaves
        alphas[t] = max(rise, 0.0) / max(fewer, 1)
        heapq.heappush(heap, (-alphas[t], rise, fewer))
        heaps[t] = heap
    return alphas, sorted((-negative, rise, fewer) for negative, rise, fewer in heaps[0])


def _merged(heaps):
    """One heap of several: the small ones are poured into the largest."""
    heaps = sorted(heaps, key=len)
    largest = heaps.pop()
    for heap in heaps:
        for link in heap:
            heapq.heappush(largest, link)
        heap.clear()
    return largest


def _shares_of_cost(tree):
    return tree.weight / tree.weight[0] * tree.impurity


def cut_weakest_links(tree, ccp_alpha):
    """Return a ``Tree`` pruned at a price on scikit-learn's scale: Σ_t N_t/N I_t + ccp_alpha |T| is least."""
    alphas, _ = _weakest_links(tree, _shares_of_cost(tree))
    return tree.collapsed(alphas <= ccp_alpha)


@dataclass(frozen=True)
class CostComplexityPath:
    """The sequence of trees that are optimal for some price of a leaf; each holds the next.

    For prices from ``ccp_alphas[k]`` up to the next one, the k-th tree is the best.
    """

    ccp_alphas: np.ndarray
    """Ascending, on scikit-learn's scale; the first is 0. Times N they are the notes' α."""
    impurities: np.ndarray
    """Σ_t N_t/N I_t over the leaves of each tree."""
    n_leaves: np.ndarray
    """|T| of each tree."""


def cost_complexity_path(tree):
    """Return the prices at which the best pruned tree changes (weakest-link pruning).

    Parameters
    ----------
    tree : fitted model, or Tree
        Its own impurity (Gini value, entropy or squared error) is the cost.

    Returns
    -------
    CostComplexityPath
    """
    structure = tree_of(tree)
    cost = _shares_of_cost(structure)
    _, links = _weakest_links(structure, cost)
    alphas, impurities, n_leaves = [0.0], [float(cost[structure.is_leaf].sum())], [structure.n_leaves]
    for alpha, rise, fewer in links:
        if alpha > alphas[-1]:
            alphas.append(alpha)
            impurities.append(impurities[-1])
            n_leaves.append(n_leaves[-1])
        impurities[-1] += rise
        n_leaves[-1] -= fewer
    return CostComplexityPath(np.array(alphas), np.array(impurities), np.array(n_leaves))


def iter_cost_complexity_path(tree):
    """Cut the weakest link, again and again; yield (ccp_alpha, pruned copy) for each tree of the path."""
    structure = tree_of(tree)
    alphas, _ = _weakest_links(structure, _shares_of_cost(structure))
    for alpha in cost_complexity_path(tree).ccp_alphas.tolist():
        yield alpha, _with_tree(tree, structure.collapsed(alphas <= alpha))


# ---------------------------------------------------------------------------------------------------------------
# Pruning by a validation set
# ---------------------------------------------------------------------------------------------------------------
def _validation_errors(model, X, y):
    """What each node gets wrong of the validation rows that come by, if it is a leaf: shape (n_nodes,).

    For a classifier the number of errors; a row that is shared out (C4.5) counts with its share at each node. For a
    regressor the sum of squared errors. A node's prediction is that of the *training* data (A 6.3.1 takes the majority
    of the validation rows, with which no split could ever look worse).
    """
    tree = tree_of(model)
    if model is tree:
        raise ValueError("a Tree alone cannot read X_val: pass the fitted model that it belongs to")
    is_classifier = tree.counts is not None
    y = check_labels(y, name="y_val") if is_classifier else check_numeric_target(y, name="y_val")
    X = model._encoded(X)
    check_consistent_length(X, y, names=("X_val", "y_val"))
    errors = np.zeros(tree.n_nodes)
    predicted = model.classes_[tree.value.argmax(axis=1)] if is_classifier else tree.value
    with np.errstate(over="ignore"):
        for rows, nodes, weights in tree.visits(X):
            wrong = predicted[nodes] != y[rows] if is_classifier else (predicted[nodes] - y[rows]) ** 2
            np.add.at(errors, nodes, weights * wrong)
    if not np.isfinite(errors).all():
        raise ValueError(f"y_val reaches {np.abs(y).max():.3g}, whose square is no float64: rescale y to about 1")
    return errors


def iter_reduced_error_prune(tree, X_val, y_val):
    """Prune as ``reduced_error_prune`` does; yield a ``PruningStep`` for every inner node, bottom up."""
    yield from _steps(tree, _bottom_up(tree_of(tree), _validation_errors(tree, X_val, y_val), 0.0))


def reduced_error_prune(tree, X_val, y_val):
    """Return a copy pruned from the leaves upward wherever that does not raise the validation error (A 133).

    A node becomes a leaf if it is then wrong about no more validation rows than its (already pruned) subtree; so nodes
    that no validation row reaches become leaves too.

    Parameters
    ----------
    tree : fitted model
    X_val : array-like of shape (n_validation, n_features)
    y_val : array-like of shape (n_validation,)
        Rows that the tree was not grown on. (The notes name no validation set; by the training rows hardly anything
        would ever be pruned.)

    Returns
    -------
    A copy of the model.
    """
    return _pruned(tree, _bottom_up(tree_of(tree), _validation_errors(tree, X_val, y_val), 0.0))


def _top_down(tree, errors):
    """Decide about every inner node that is reached, the root first: it is split only if that lowers the error."""
    open_ = np.ones(tree.n_nodes, dtype=bool)
    rounding = ROUNDING * abs(errors[0])
    for t in range(tree.n_nodes):
        children = slice(tree.first_child[t], tree.first_child[t] + tree.n_children[t])
        if tree.n_children[t]:
            if open_[t]:
                after = float(errors[children].sum())
                open_[t] = after < errors[t] - rounding
                yield t, float(errors[t]), after, not open_[t]
            open_[children] = open_[t]


def iter_prepruned(tree, X_val, y_val):
    """Pre-prune as ``prepruned`` does; yield a ``PruningStep`` for every node that is considered, from the root down.

    The models of the steps show the tree as it grows: nodes not yet considered are leaves.
    """
    structure = tree_of(tree)
    split = np.zeros(structure.n_nodes, dtype=bool)
    for t, as_leaf, after, pruned in _top_down(structure, _validation_errors(tree, X_val, y_val)):
        split[t] = not pruned
        number = int(structure.survives(~split)[:t].sum())
        yield PruningStep(number, as_leaf, after, pruned, _with_tree(tree, structure.collapsed(~split)))


def prepruned(tree, X_val, y_val):
    """Return a copy as pre-pruning (预剪枝) would have grown it: nodes are split only where that gains accuracy.

    Before and after are compared with the nodes' *training* majorities; equal accuracy means no split (A 6.3.1). How a
    node is split does not depend on what was done elsewhere, so the tree that stops early is the top of the full tree:
    it is found by walking down from the root.

    Parameters
    ----------
    tree : fitted model
        Grown to its full size.
    X_val : array-like of shape (n_validation, n_features)
    y_val : array-like of shape (n_validation,)

    Returns
    -------
    A copy of the model.
    """
    return _pruned(tree, _top_down(tree_of(tree), _validation_errors(tree, X_val, y_val)))
