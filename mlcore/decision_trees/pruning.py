"""Pruning: before a split is made, or after the tree is grown (Notes A 6.3, B, C 5.2).

The public functions take a fitted model, leave it as it is, and return a pruned copy. Those named ``iter_…`` yield a
``PruningStep`` for every inner node that is looked at, or a copy for each tree of the path.
"""

import copy
from dataclasses import dataclass, field

import numpy as np

from mlcore.base import (
    check_choice,
    check_consistent_length,
    check_labels,
    check_numeric_target,
    check_real,
)
from mlcore.core.decision_trees import (
    bottom_up,
    cut_weakest_links,
    entropy_of_counts,
    gini_of_counts,
    link_prices,
    node_errors,
    top_down,
)
from mlcore.engines.trees.structure import Tree, tree_of
from mlcore.engines.trees.weakest_links import weakest_links

__all__ = [
    "CostComplexityPath", "PruningStep", "cost_complexity_path", "cost_complexity_prune", "cut_at_price",
    "iter_cost_complexity_path", "iter_cost_complexity_prune", "iter_prepruned", "iter_reduced_error_prune",
    "prepruned", "reduced_error_prune", "link_prices",
]

ROUNDING = 1e-12
MOST_LEAVES = 32
"""Trees with more leaves have the prices of their links from ``engines.trees.weakest_links``."""


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


def _bottom_up_by_cost(tree, alpha, criterion):
    alpha, tree = check_real("alpha", alpha, low=0), tree_of(tree)
    cost = _leaf_costs(tree, criterion)
    return bottom_up(tree, cost, alpha, _slack(cost))


def iter_cost_complexity_prune(tree, alpha, criterion=None):
    """Prune as ``cost_complexity_prune`` does, step by step, bottom up."""
    yield from _steps(tree, _bottom_up_by_cost(tree, alpha, criterion))


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

    Raises
    ------
    ValueError
        If alpha is negative, or the criterion does not fit the tree.
    """
    return _pruned(tree, _bottom_up_by_cost(tree, alpha, criterion))


def _shares_of_cost(tree):
    return tree.weight / tree.weight[0] * tree.impurity


def _slack(cost):
    return ROUNDING * abs(float(cost[0]))


def cut_at_price(tree, ccp_alpha):
    """Return a ``Tree`` pruned at a price on scikit-learn's scale: Σ_t N_t/N I_t + ccp_alpha |T| is least."""
    cost = _shares_of_cost(tree)
    return _pruned(tree, bottom_up(tree, cost, ccp_alpha, _slack(cost)))


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
    """Return the prices at which the best pruned tree changes (weakest-link pruning), a ``CostComplexityPath``.

    The cost is the tree's own impurity: Gini value, entropy or squared error.
    """
    tree = tree_of(tree)
    cost = _shares_of_cost(tree)
    if tree.n_leaves > MOST_LEAVES:
        alphas, impurities, n_leaves = _path_of_links(tree, cost, weakest_links(tree, cost, _slack(cost))[1])
    else:
        steps = list(cut_weakest_links(tree, _shares_of_cost, _slack(cost)))
        alphas = np.array([alpha for alpha, _ in steps])
        impurities = np.array([_shares_of_cost(pruned)[pruned.is_leaf].sum() for _, pruned in steps])
        n_leaves = np.array([pruned.n_leaves for _, pruned in steps])
    return CostComplexityPath(alphas, impurities, n_leaves)


def _path_of_links(tree, cost, links):
    """Prices, costs and sizes of the trees of the path; links of equal price go together."""
    alphas, rises, fewer = np.array([(0.0, 0.0, 0), *links]).T
    is_new = np.diff(alphas, prepend=-1.0) > _slack(cost)
    step = is_new.cumsum() - 1
    n_leaves = tree.n_leaves - np.bincount(step, weights=fewer).cumsum().astype(int)
    return alphas[is_new], cost[tree.is_leaf].sum() + np.bincount(step, weights=rises).cumsum(), n_leaves


def iter_cost_complexity_path(tree):
    """Cut the weakest link, again and again; yield (ccp_alpha, pruned copy) for each tree of the path."""
    full = tree_of(tree)
    cost = _shares_of_cost(full)
    slack = _slack(cost)
    if full.n_leaves > MOST_LEAVES:
        prices, links = weakest_links(full, cost, slack)
        path = ((alpha, full.collapsed(prices <= alpha + slack)) for alpha in _path_of_links(full, cost, links)[0])
    else:
        path = cut_weakest_links(full, _shares_of_cost, slack)
    for alpha, pruned in path:
        yield float(alpha), _with_tree(tree, pruned)


def _validation_errors(model, X, y):
    """The errors of all nodes: a number of rows for a classifier, a sum of squared errors for a regressor.

    A node's prediction is that of the *training* data (A 6.3.1 takes the majority of the validation rows, with which no
    split could ever look worse).
    """
    tree = tree_of(model)
    if model is tree:
        raise ValueError("a Tree alone cannot read X_val: pass the fitted model that it belongs to")
    is_classifier = tree.counts is not None
    y = check_labels(y, name="y_val") if is_classifier else check_numeric_target(y, name="y_val")
    X = model._encoded(X)
    check_consistent_length(X, y, names=("X_val", "y_val"))
    if is_classifier:
        predicted = model.classes_[tree.value.argmax(axis=1)]
        return node_errors(tree, X, lambda rows, nodes: predicted[nodes] != y[rows])
    return node_errors(tree, X, lambda rows, nodes: (tree.value[nodes] - y[rows]) ** 2)


def _bottom_up_by_errors(model, X, y):
    errors = _validation_errors(model, X, y)
    return bottom_up(tree_of(model), errors, 0.0, _slack(errors))


def iter_reduced_error_prune(tree, X_val, y_val):
    """Prune as ``reduced_error_prune`` does, step by step, bottom up."""
    yield from _steps(tree, _bottom_up_by_errors(tree, X_val, y_val))


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
    """
    return _pruned(tree, _bottom_up_by_errors(tree, X_val, y_val))


def _top_down(model, X, y):
    errors = _validation_errors(model, X, y)
    return top_down(tree_of(model), errors, _slack(errors))


def iter_prepruned(tree, X_val, y_val):
    """Pre-prune as ``prepruned`` does, step by step, from the root down.

    The models of the steps show the tree as it grows: nodes not yet considered are leaves.
    """
    structure = tree_of(tree)
    split = np.zeros(structure.n_nodes, dtype=bool)
    for t, as_leaf, after, pruned in _top_down(tree, X_val, y_val):
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
    """
    return _pruned(tree, _top_down(tree, X_val, y_val))
