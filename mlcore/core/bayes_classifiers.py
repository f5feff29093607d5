"""Chapter 13. Bayes classifiers (贝叶斯分类器): from probabilities to decisions, and from counts to probabilities."""

import math

import numpy as np

from mlcore.core.generalized_linear_models import indicator
from mlcore.core.parameter_estimation import gaussian_log_density


# ---------------------------------------------------------------------------------------------------------------
# Bayes decision theory: the choice of least expected loss.
#
# P, of shape (n, K), holds the posteriors P(c_j | x) of n rows; loss[i, j] = λ_ij is what it costs to decide i where
# the truth is j.
# ---------------------------------------------------------------------------------------------------------------
def conditional_risk(P, loss):
    """R(i | x) = Σ_j λ_ij P(c_j | x) for each row x and each decision i, of shape (n, n_decisions)  (13.1)."""
    return P @ loss.T


# ---------------------------------------------------------------------------------------------------------------
# Gaussian classes: each its own covariance, or, naively, no covariance at all.
#
# X holds n rows of d numbers; class c has the mean μ_c, a row of ``mean`` of shape (K, d). ``log_prior`` holds ln
# p(c), of shape (K,), or that and what else is to be added, of shape (n, K).
# ---------------------------------------------------------------------------------------------------------------
def gaussian_log_joint(log_prior, mean, root, X):
    """ln p(c) + ln N(x; μ_c, Σ_c), of shape (n, K); R_c in ``root`` has R_c R_cᵀ = Σ_c⁻¹  (13.5)."""
    joint = np.empty((len(X), len(mean)))
    for c, (mu, R) in enumerate(zip(mean, root)):
        joint[:, c] = gaussian_log_density(X, mu, R)
    return log_prior + joint


# ---------------------------------------------------------------------------------------------------------------
# Counting, and shares of counts: all that a Bayes classifier on categories learns.
#
# A column of codes holds for each of n rows a whole number from 0 to N - 1; -1 stands for a value never seen in
# training.
# ---------------------------------------------------------------------------------------------------------------
def contingency(columns, sizes):
    """|D_{u, v, ...}|: how many rows hold the codes u, v, ...; of shape ``sizes``, an axis for each column."""
    cells = np.ravel_multi_index(columns, sizes)
    return np.bincount(cells, minlength=math.prod(sizes)).reshape(sizes).astype(float)


# ---------------------------------------------------------------------------------------------------------------
# Naive Bayes on categories, and on tables that mix words and numbers.
#
# X holds the code of each value, n rows of d attributes with N_i values each. The table ln p(x_i | c) of attribute i
# has shape (N_i + 1, K): its last line, to which the code -1 leads, is 0: a value never seen says nothing about the
# class. ``log_prior`` holds ln p(c), of shape (K,), or that and what else is to be added, of shape (n, K).
# ---------------------------------------------------------------------------------------------------------------
def value_table(x, y, n_values, n_classes, alpha):
    """p(x_i | c) from the codes x of one attribute and the classes y: (|D_{c,x_i}| + α) / (|D_c| + α N_i); (N_i, K)."""
    return smoothed(contingency((y, x), (n_classes, n_values)), alpha).T


def categorical_log_joint(log_prior, tables, X):
    """ln p(c) + Σ_i ln p(x_i | c), of shape (n, K)  (13.8)."""
    joint = np.tile(log_prior, (len(X), 1))
    for x, table in zip(X.T, tables):
        joint += np.take(table, x, axis=0)
    return joint


def independent_log_joint(log_prior, mean, variance, X):
    """ln p(c) + Σ_i ln N(x_i; μ_ci, σ²_ci), of shape (n, K)  (13.9)."""
    joint = np.empty((len(X), len(mean)))
    for c, (mu, var) in enumerate(zip(mean, variance)):
        Z = X - mu
        Z /= np.sqrt(var)
        joint[:, c] = -0.5 * (np.log(2 * np.pi * var).sum() + np.einsum("ij,ij->i", Z, Z))
    return log_prior + joint


def smoothed(counts, alpha):
    """(count + α) / (Σ count + α N): shares along the last axis, which has N entries  (13.10).

    Where nothing was counted and α = 0, there is nothing to share: 0.
    """
    counts = counts + alpha
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


# ---------------------------------------------------------------------------------------------------------------
# Naive Bayes on texts: bags of words and the multinomial model.
#
# X, of shape (n, V), counts how often each of V words occurs in each of n documents.
# ---------------------------------------------------------------------------------------------------------------
def word_shares(X, y, n_classes, alpha):
    """p(w | c) = (T_cw + α) / (Σ_v T_cv + α V), of shape (K, V); T_cw counts w in all documents of class c  (13.13)."""
    return smoothed(indicator(y, n_classes).T @ X, alpha)


def multinomial_log_joint(log_prior, log_share, X):
    """ln p(c) + Σ_w x_w ln p(w | c), of shape (n, K); how often the words occur, not where  (13.12)."""
    return log_prior + X @ log_share.T


# ---------------------------------------------------------------------------------------------------------------
# Semi-naive Bayes: each attribute may depend on the class and on one other attribute, its parent.
#
# X holds the code of each value, n rows of d attributes with N_i values each; K classes. Tables have an axis for the
# value of the parent, one for the value of the child, and the classes last: ln p(x_i | c, x_j) is ``child[j][i][x_j,
# x_i]``. As in ``naive``, the code -1 of a value never seen leads to their last lines, which leave out what is not
# known: a child that was never seen says nothing; one whose parent was never seen falls back to p(x_i | c).
# ---------------------------------------------------------------------------------------------------------------
def parent_table(x_j, y, n_values, n_classes, alpha):
    """p(c, x_j) = (|D_{c,x_j}| + α) / (|D| + α K N_j), of shape (N_j, K): its cells add up to 1  (13.15)."""
    counts = contingency((x_j, y), (n_values, n_classes))
    return smoothed(counts.ravel(), alpha).reshape(counts.shape)


def child_table(x_j, x_i, y, sizes, n_classes, alpha):
    """p(x_i | c, x_j) = (|D_{c,x_j,x_i}| + α) / (|D_{c,x_j}| + α N_i), of shape (N_j, N_i, K)  (13.16)."""
    counts = contingency((y, x_j, x_i), (n_classes, *sizes))
    return np.moveaxis(smoothed(counts, alpha), 0, -1)


def spode_log_joint(j, parent, child, X):
    """ln p(c, x_j) + Σ_{i≠j} ln p(x_i | c, x_j), of shape (n, K): j is the parent of all the others  (13.14)."""
    joint = parent[j][X[:, j]]
    for i in range(X.shape[1]):
        if i != j:
            joint = joint + child[j][i][X[:, j], X[:, i]]
    return joint


def information_of_counts(counts):
    """I(x_i; x_j | y) = Σ p(c,u,v) ln [p(u,v | c) / (p(u | c) p(v | c))], from counts of shape (K, N_i, N_j)  (13.18).

    The quotient compares how often u and v meet in class c with how often they would if they were independent there.
    """
    n_c, n_cu, n_cv = (counts.sum(axis=axes, keepdims=True) for axes in ((1, 2), 2, 1))
    seen = counts > 0
    quotient = np.divide(counts * n_c, n_cu * n_cv, out=np.ones_like(counts), where=seen)
    return np.sum(counts * np.log(quotient)) / counts.sum()


def tree_log_joint(log_prior, parent, root_table, child, X):
    """ln p(c) + ln p(x_r | c) + Σ_{i≠r} ln p(x_i | c, x_pa(i)), of shape (n, K), for the root r  (13.17)."""
    r = int(np.flatnonzero(parent < 0)[0])
    joint = log_prior + root_table[X[:, r]]
    for i, j in enumerate(parent):
        if i != r:
            joint = joint + child[i][X[:, j], X[:, i]]
    return joint


def heaviest_first(W):
    """The pairs i < j from the heaviest edge down; of equal ones (to 12 decimals) the first in the table."""
    i, j = np.triu_indices(len(W), 1)
    order = np.argsort(-W[i, j].round(12), kind="stable")
    return zip(i[order].tolist(), j[order].tolist())


def parents(edges, root, d):
    """pa(i) of each attribute, an int array: walk from the root outwards along the edges; the root has -1."""
    parent, reached = np.full(d, -1), [root]
    for a in reached:  # the list grows while it is read
        for b in [j for edge in edges if a in edge for j in edge if j not in reached]:
            parent[b] = a
            reached.append(b)
    return parent


def kruskal(W):
    """Go through the edges from the heaviest down; take each that joins two pieces, skip each that closes a circle."""
    piece = np.arange(len(W))
    for i, j in heaviest_first(W):
        joins = bool(piece[i] != piece[j])
        if joins:
            piece[piece == piece[j]] = piece[i]
        yield i, j, joins


def average(joints, counted):
    """ln of the mean of p_j(c, x) over the j that count, from ln p_j, (d, n, K), and truth values, (d, n)  (13.21).

    ``logaddexp`` is ln(eᵃ + eᵇ), without a number that underflows.
    """
    joints = np.where(counted[:, :, np.newaxis], joints, -np.inf)
    return np.logaddexp.reduce(joints, axis=0) - np.log(counted.sum(axis=0))[:, np.newaxis]
