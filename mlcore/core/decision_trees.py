"""Chapter 15. Decision trees (决策树): ID3, C4.5 and CART, how they are grown, pruned and read."""

from dataclasses import dataclass

import numpy as np


# ---------------------------------------------------------------------------------------------------------------
# How mixed is a set of labels, and how much does knowing an attribute unmix it?
#
# *counts* (..., K): the weight of each of K classes in a set. A *table* (V, K): such a line for each of the V values
# of an attribute. I is a measure of impurity, a function of counts. Logarithms have base 2.
# ---------------------------------------------------------------------------------------------------------------
def shares(counts):
    """p_k = counts_k / Σ counts, along the last axis; no counts give 0."""
    total = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(total > 0, total, 1.0)


def entropy_of_counts(counts):
    """Ent(D) = Σ_k p_k log₂ 1/p_k, along the last axis of counts (..., K); 0 log 1/0 is 0."""
    p = shares(counts)
    return (p * np.log2(1 / np.where(p > 0, p, 1.0))).sum(axis=-1)


def gini_of_counts(counts):
    """Gini(D) = Σ_k p_k (1 - p_k), along the last axis of counts (..., K)  (15.2)."""
    p = shares(counts)
    return (p * (1 - p)).sum(axis=-1)


def remaining(impurity, table):
    """Σ_v |Dᵛ|/|D| I(Dᵛ): the mean impurity of the parts, whose counts are the lines of the table (V, K)."""
    return shares(table.sum(axis=1)) @ impurity(table)


def gain_of_table(table):
    """Gain(D, a) = Ent(D) - Σ_v |Dᵛ|/|D| Ent(Dᵛ), from the table (V, K) of attribute a."""
    return entropy_of_counts(table.sum(axis=0)) - remaining(entropy_of_counts, table)


def gain_ratio_of_table(table):
    """Gain(D, a) / IV(a), where IV is the entropy of the attribute itself, from the table (V, K)."""
    return gain_of_table(table) / entropy_of_counts(table.sum(axis=1))


def impurity_fall(impurity, left, total):
    """I(D) - |D_L|/|D| I(D_L) - |D_R|/|D| I(D_R), for the counts left (..., K) and total (K,)."""
    sides = np.array([left, total - left])
    share = sides.sum(axis=-1) / total.sum()
    return impurity(total) - (share * impurity(sides)).sum(axis=0)


def prefix_gains(table):
    """The gain of each question "x <= t?": running sums of a table (V, K) in order of x give every left side."""
    left = table.cumsum(axis=0)[:-1]
    return impurity_fall(entropy_of_counts, left, table.sum(axis=0))


# ---------------------------------------------------------------------------------------------------------------
# Growing a tree: ask the best question, divide the rows by their answers, do the same with each part.
#
# X (n, d) holds numbers and the codes of words, NaN where a value is missing; y (n,) holds class numbers, or numbers
# to predict. A *part* D is a set of m rows with the weights w (m,). A *branch* is the number of an answer: -1 where a
# row does not know it.
# ---------------------------------------------------------------------------------------------------------------
@dataclass(eq=False)
class Part:
    """A node of a growing tree: its rows and their weights, its value, its questions and its children."""

    rows: np.ndarray
    """(m,) row numbers."""
    weight: np.ndarray
    """(m,) the rows' weights."""
    value: object
    """(K,) class shares, or a mean."""
    counts: object
    """(K,) class weights; None in a regression."""
    impurity: float
    total: float
    """Σ w."""
    share: float = 1.0
    """r̃_v, this branch's share of the weight whose answer was known."""
    depth: int = 0
    attributes: np.ndarray = None
    """Those that may still be asked."""
    options: list = ()
    """The questions that it could ask."""
    question: object = None
    """The one that it asks."""
    children: list = ()

    def __post_init__(self):
        self.n_samples = len(self.rows)


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


TIE = 1e-11
"""Merits that differ by less are equal: sums in another order differ by rounding."""


def first_best(merits, slack=TIE):
    """The index of the largest number; among equal ones, up to rounding, the first."""
    merits = np.asarray(merits)
    return int(np.argmax(merits >= merits.max() - slack))


def grow(root, ask, divide):
    """Ask the best question about a part, divide its rows by their answers, and go on with each of the parts.

    ask(part) is a question or None, divide(part) the list of smaller parts. Yields (number, part) for each part
    that was divided: the root is 0, the others count as they join the queue.
    """
    waiting = [root]
    for number, part in enumerate(waiting):  # the list grows while it is read
        part.question = ask(part)
        if part.question is not None:
            part.children = divide(part)
            waiting.extend(part.children)
            yield number, part


def class_table(branch, y, weight, n_branches, n_classes):
    """The table (V, K): the weight of each class in each branch. Rows with branch -1 are left out."""
    known = branch >= 0
    cell = branch[known] * n_classes + y[known]
    counts = np.bincount(cell, weights=weight[known], minlength=n_branches * n_classes)
    return counts.reshape(n_branches, n_classes)


# ---------------------------------------------------------------------------------------------------------------
# ID3: ask the attribute of largest information gain, with a branch for each value.
#
# ``n_values`` holds V of each attribute.
# ---------------------------------------------------------------------------------------------------------------
def largest_gain(part, X, y, n_values, n_classes, min_gain):
    """The attribute with the largest Gain(D, a) of those not asked above; None where ID3 makes a leaf."""
    if np.count_nonzero(part.counts) < 2:  # one class (case 1), or no row at all (case 3)
        return None
    part.options, labels = [], y[part.rows]
    for a in part.attributes.tolist():
        branch = X[part.rows, a].astype(np.intp)
        table = class_table(branch, labels, part.weight, n_values[a], n_classes)
        if np.count_nonzero(table.sum(axis=1)) > 1:  # the rows do not agree in it
            part.options.append(Option(a, float(gain_of_table(table))))
    if not part.options:  # nothing left to ask (case 2)
        return None
    best = part.options[first_best([option.gain for option in part.options])]
    return best if best.gain >= min_gain else None


# ---------------------------------------------------------------------------------------------------------------
# What ID3 and C4.5 share: dividing the rows among many branches.
# ---------------------------------------------------------------------------------------------------------------
def branch_of(x, question, n_values):
    """The branch of each value x (m,) and how many there are: a category's code, or 0 and 1 for x <= t and x > t."""
    missing = np.isnan(x)
    if question.threshold is not None:
        return np.where(missing, -1, x > question.threshold), 2
    return np.where(missing, -1, x).astype(np.intp), n_values


def divide(part, X, y, n_values, n_classes):
    """A part for each answer; an attribute whose every value has a branch is not asked again below."""
    a, attributes = part.question.feature, part.attributes
    if part.question.threshold is None:
        attributes = attributes[attributes != a]
    branch, n_branches = branch_of(X[part.rows, a], part.question, n_values[a])
    share, parts = share_out(branch, part.rows, part.weight, n_branches)
    below = {"depth": part.depth + 1, "attributes": attributes}
    return [
        class_part(rows, w, y, n_classes, part, share=r, **below)
        for r, (rows, w) in zip(share, parts, strict=True)
    ]


def class_part(rows, weight, y, n_classes, above=None, impurity=entropy_of_counts, **place):
    """A part with its class shares; one without rows takes over those of the part above."""
    counts = np.bincount(y[rows], weights=weight, minlength=n_classes)
    value = shares(counts) if len(rows) else above.value
    return Part(rows, weight, value, counts, float(impurity(counts)), counts.sum(), **place)


def share_out(branch, rows, weight, n_branches):
    """r̃_v = Σ_D̃ᵛ w / Σ_D̃ w; a row that does not know goes into every branch, with the weight r̃_v w  (15.7).

    branch, rows and weight have shape (m,). Returns r̃ (V,), and the rows and the weights of each branch.
    """
    lost = branch == -1
    share = shares(np.bincount(branch[~lost], weight[~lost], n_branches))
    parts = []
    for v, r in enumerate(share):
        mine = (branch == v) | lost if r > 0 else branch == v
        parts.append((rows[mine], np.where(lost, r * weight, weight)[mine]))
    return share, parts


# ---------------------------------------------------------------------------------------------------------------
# C4.5: gain ratio, continuous attributes, and missing values in fractions.
# ---------------------------------------------------------------------------------------------------------------
def midpoints(low, high):
    """(low + high) / 2, and never ``high`` itself: ``x <= midpoint`` must tell the two apart."""
    middle = (low + high) / 2
    return np.where(middle < high, middle, low)


def best_threshold(x, y, weight, n_classes, least):
    """The midpoint t for which "x <= t?" gains most, and the table (2, K) of both sides.

    Each side must weigh ``least``; where no t does so, None and an empty table. x, y and weight have shape (m,).
    """
    values, place = np.unique(x, return_inverse=True)
    table = class_table(place, y, weight, len(values), n_classes)
    left = table.cumsum(axis=0)[:-1]
    right = table.sum(axis=0) - left
    heavy = (left.sum(axis=1) >= least) & (right.sum(axis=1) >= least)
    if not heavy.any():
        return None, table[:0]
    best = first_best(np.where(heavy, prefix_gains(table), -np.inf))
    t = float(midpoints(values[best], values[best + 1]))
    return t, np.array([left[best], right[best]])


def known_gain(table, total):
    """ρ (Ent(D̃) - Σ_v r̃_v Ent(D̃ᵛ)), where ρ is the share of D̃, the rows that know the answer, in the weight.

    table (V, K) holds the weights of those rows, total is the weight of all.
    """
    return table.sum() / total * gain_of_table(table)


def largest_ratio(gains, ratios, above_average):
    """Strike out the questions of less than average gain; of the others, take the one of largest gain ratio.

    Returns which were eligible, and the index of the one to ask.
    """
    eligible = gains >= (gains.mean() - TIE if above_average else -np.inf)
    return eligible, first_best(np.where(eligible, ratios, -np.inf))


# ---------------------------------------------------------------------------------------------------------------
# CART: binary trees for classification and regression.
#
# A line of the *terms* T (m, K) holds what a row adds to the sums of its side: its weight in the column of its class;
# or w and w (y - ȳ), for a number.
# ---------------------------------------------------------------------------------------------------------------
def best_split(part, X, T, fall, least):
    """The question x_j <= t after which the impurity falls most; None where no threshold leaves two sides.

    X (m, d) and T (m, K) belong to the part. Each column is sorted, and running sums of T are the left sums of every
    threshold; fall(left, total) is the fall of the impurity. Each side must hold ``least`` rows.
    """
    part.options, total, slack = [], T.sum(axis=0), TIE * part.impurity
    for j, x in enumerate(X.T):
        order = x.argsort()
        x, left = x[order], T[order].cumsum(axis=0)
        cuts = np.flatnonzero(x[:-1] < x[1:])  # no threshold between equal values
        cuts = cuts[(cuts + 1 >= least) & (cuts + 1 <= len(x) - least)]
        if len(cuts):
            gains = fall(left[cuts], total)
            best = first_best(gains, slack)
            t = midpoints(x[cuts[best]], x[cuts[best] + 1])
            part.options.append(Option(j, float(gains[best]), float(t)))
    if not part.options:
        return None
    return part.options[first_best([option.gain for option in part.options], slack)]


def mean_and_error(y, w):
    """ȳ = Σ w y / Σ w, and the mean squared error around it, Σ w (y - ȳ)² / Σ w  (15.8)."""
    share = w / w.sum()
    mean = y[0] + share @ (y - y[0])  # equal values leave an error of exactly 0
    return mean, share @ (y - mean) ** 2


def error_fall(left, total):
    """W_L W_R / W² (ȳ_L - ȳ_R)²: the fall of the mean squared error, from sums of w and of w (y - ȳ)  (15.9)."""
    W_L, S_L = left[..., 0], left[..., 1]
    W_R, S_R = total[0] - W_L, total[1] - S_L
    return W_L * W_R / total[0] ** 2 * (S_L / W_L - S_R / W_R) ** 2


def two_sides(part, X, describe):
    """The rows with x_j <= t and the others, each as a part; describe(rows) makes the part."""
    goes_left = X[part.rows, part.question.feature] <= part.question.threshold
    children = [describe(part.rows[goes_left]), describe(part.rows[~goes_left])]
    for child in children:
        child.depth, child.share = part.depth + 1, child.total / part.total
    return children


# ---------------------------------------------------------------------------------------------------------------
# Pruning: before a split is made, or after the tree is grown.
#
# A *tree* is a ``Tree`` of mlcore.engines.trees; a child has a larger number than its parent. T_t is the subtree at
# node t, |T_t| the number of its leaves. C(t) is what t costs as a leaf: impurity times weight, or validation errors.
# α is the price of a leaf, ``slack`` what rounding may make of two equal costs.
# ---------------------------------------------------------------------------------------------------------------
def bottom_up(tree, cost, alpha, slack):
    """C*(t) = min(C(t) + α, Σ_c C*(c)), c the children of t, from the leaves upward; a tie makes t a leaf  (15.11).

    cost holds C(t), shape (n_nodes,). Yields t, both sides of the comparison, and whether t becomes a leaf.
    """
    best = cost + alpha
    for t in range(tree.n_nodes - 1, -1, -1):
        if tree.n_children[t]:
            as_leaf, subtree = best[t], best[tree.children(t)].sum()
            best[t] = min(as_leaf, subtree)
            yield t, float(as_leaf), float(subtree), bool(as_leaf <= subtree + slack)


def top_down(tree, errors, slack):
    """Pre-pruning, from the root downward: a node is split only if its children get less wrong than itself.

    errors has shape (n_nodes,). Yields as ``bottom_up`` does, for the nodes that are reached.
    """
    is_open = np.ones(tree.n_nodes, dtype=bool)
    for t in range(tree.n_nodes):
        if tree.n_children[t]:
            if is_open[t]:
                after = errors[tree.children(t)].sum()
                is_open[t] = after < errors[t] - slack
                yield t, float(errors[t]), float(after), not is_open[t]
            is_open[tree.children(t)] = is_open[t]


def node_errors(tree, X, wrong):
    """The errors of each node, as a leaf, on the validation rows that reach it: shape (n_nodes,).

    wrong(rows, nodes) is the error of each row at a node. A row that C4.5 shares out counts in fractions.
    """
    errors = np.zeros(tree.n_nodes)
    for rows, nodes, weights in tree.visits(X):
        np.add.at(errors, nodes, weights * wrong(rows, nodes))
    return errors


def link_prices(tree, cost):
    """α_t = (C(t) - C(T_t)) / (|T_t| - 1), the price at which t becomes a leaf; ∞ at leaves  (15.10)."""
    saved = cost - tree.sum_over_leaves(cost)
    fewer = tree.sum_over_leaves(np.ones(tree.n_nodes)) - 1
    return np.where(tree.is_leaf, np.inf, saved / np.maximum(fewer, 1))


def cut_weakest_links(tree, cost_of, slack):
    """Cut the link with the least price, compute the prices anew, and so on down to the root.

    Yields (α, tree) where the price rises: that tree is the best for all prices from α up to the next one  (15.13).
    """
    alpha = 0.0
    while tree.n_nodes > 1:
        price = link_prices(tree, cost_of(tree))
        if price.min() > alpha + slack:
            yield alpha, tree
            alpha = float(price.min())
        tree = tree.collapsed(price <= alpha + slack)
    yield alpha, tree
