"""Chapter 13. Bayes classifiers (贝叶斯分类器): from probabilities to decisions, and from counts to probabilities."""

import math

import numpy as np

from mlcore.core.generalized_linear_models import indicator
from mlcore.core.parameter_estimation import gaussian_log_density


# ---------------------------------------------------------------------------------------------------------------
# Bayes decision theory
# ---------------------------------------------------------------------------------------------------------------
def conditional_risk(P, loss):
    """R(i | x) = Σ_j λ_ij P(c_j | x), of shape (n, n_decisions)  (13.1).

    P, of shape (n, K), holds the posteriors of n rows; loss[i, j] = λ_ij is the cost of decision i if the truth is j.
    """
    return P @ loss.T


# ---------------------------------------------------------------------------------------------------------------
# Gaussian classes. X has shape (n, d), the class means μ_c are the rows of ``mean``, of shape (K, d).
# ---------------------------------------------------------------------------------------------------------------
def gaussian_log_joint(log_prior, mean, root, X):
    """ln p(c) + ln N(x; μ_c, Σ_c), of shape (n, K); R_c in ``root`` has R_c R_cᵀ = Σ_c⁻¹  (13.5)."""
    columns = [gaussian_log_density(X, mu, R) for mu, R in zip(mean, root)]
    return log_prior + np.column_stack(columns)


# ---------------------------------------------------------------------------------------------------------------
# Naive Bayes. X holds codes: column i has whole numbers from 0 to N_i - 1, and -1 for a value never seen in training.
# A table of ln p(x_i | c) has shape (N_i + 1, K): its last line, of index -1, is 0; the rest is ln of a
# ``value_table``. ``log_prior`` holds ln p(c), of shape (K,), or of shape (n, K) if other terms have been added for
# each row.
# ---------------------------------------------------------------------------------------------------------------
def contingency(columns, sizes):
    """|D_{u, v, ...}|: how many rows hold the codes u, v, ...; of shape ``sizes``, an axis for each column."""
    cells = np.ravel_multi_index(columns, sizes)
    return np.bincount(cells, minlength=math.prod(sizes)).reshape(sizes).astype(float)


def value_table(x, y, n_values, n_classes, alpha):
    """p(x_i | c) = (|D_{c,x_i}| + α) / (|D_c| + α N_i), of shape (N_i, K), from column x of X and the classes y."""
    return smoothed(contingency((x, y), (n_values, n_classes)), alpha, axis=0)


def categorical_log_joint(log_prior, tables, X):
    """ln p(c) + Σ_i ln p(x_i | c), of shape (n, K)  (13.8)."""
    joint = np.tile(log_prior, (len(X), 1))
    for x, table in zip(X.T, tables):
        joint += np.take(table, x, axis=0)
    return joint


def independent_log_joint(log_prior, mean, variance, X):
    """ln p(c) + Σ_i ln N(x_i; μ_ci, σ²_ci), of shape (n, K)  (13.9)."""
    roots = 1 / np.sqrt(variance)
    columns = [independent_log_density(X, mu, r) for mu, r in zip(mean, roots)]
    return log_prior + np.column_stack(columns)


def independent_log_density(X, mean, r):
    """ln N(x; μ, Σ) = -½ Σ_j (r_j (x_j - μ_j))² + Σ_j ln r_j - ½ d ln 2π for a diagonal Σ, Σ_jj = 1 / r_j²."""
    Z = X - mean
    Z *= r
    constant = np.log(r).sum() - 0.5 * len(r) * np.log(2 * np.pi)
    return constant - 0.5 * np.einsum("ij,ij->i", Z, Z)


def smoothed(counts, alpha, axis=-1):
    """(count + α) / (Σ count + α N), with the sum over the N counts along ``axis``, or over all if it is None  (13.10).

    If nothing was counted and α = 0, the shares are 0.
    """
    counts = counts + alpha
    total = counts.sum(axis=axis, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


# ---------------------------------------------------------------------------------------------------------------
# Naive Bayes on texts. X, of shape (n, V), counts how often each of V words occurs in each of n documents.
# ---------------------------------------------------------------------------------------------------------------
def word_shares(X, y, n_classes, alpha):
    """p(w | c) = (T_cw + α) / (Σ_v T_cv + α V), of shape (K, V); T_cw counts w in all documents of class c  (13.13)."""
    return smoothed(indicator(y, n_classes).T @ X, alpha)


def multinomial_log_joint(log_prior, log_share, X):
    """ln p(c) + Σ_w x_w ln p(w | c), of shape (n, K)  (13.12)."""
    return log_prior + X @ log_share.T


# ---------------------------------------------------------------------------------------------------------------
# Semi-naive Bayes: attribute i depends on the class and on one other attribute, its parent j. ``child[j][i]`` holds
# ln p(x_i | c, x_j), of shape (N_j + 1, N_i + 1, K), ``parent[j]`` ln p(c, x_j), of shape (N_j + 1, K). Their last
# lines, of index -1, are for values never seen: ``parent[j][-1]`` is ln p(c), ``child[j][i][-1]`` is ln p(x_i | c),
# and ``child[j][i][:, -1]`` is 0.
# ---------------------------------------------------------------------------------------------------------------
def parent_table(x_j, y, n_values, n_classes, alpha):
    """p(c, x_j) = (|D_{c,x_j}| + α) / (|D| + α K N_j), of shape (N_j, K): its cells add up to 1  (13.15)."""
    return smoothed(contingency((x_j, y), (n_values, n_classes)), alpha, axis=None)


def child_table(x_j, x_i, y, sizes, n_classes, alpha):
    """p(x_i | c, x_j) = (|D_{c,x_j,x_i}| + α) / (|D_{c,x_j}| + α N_i), of shape (N_j, N_i, K)  (13.16)."""
    return smoothed(contingency((x_j, x_i, y), (*sizes, n_classes)), alpha, axis=1)


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


def tree_log_joint(log_prior, pa, root_table, child, X):
    """ln p(c) + ln p(x_r | c) + Σ_{i≠r} ln p(x_i | c, x_pa(i)), of shape (n, K), for the root r  (13.17).

    pa[i] is the parent of i, -1 for the root; child[i] is the table ``child[pa[i]][i]`` of above.
    """
    joint = log_prior
    for i, j in enumerate(pa):
        joint = joint + (root_table[X[:, i]] if j < 0 else child[i][X[:, j], X[:, i]])
    return joint


def heaviest_first(W):
    """The pairs i < j by falling weight W_ij; equal ones (to 12 decimals) in the order of the table."""
    i, j = np.triu_indices(len(W), 1)
    order = np.argsort(-W[i, j].round(12), kind="stable")
    return zip(i[order].tolist(), j[order].tolist())


def parents(edges, root, d):
    """pa(i) of each of d attributes, where the edges lead away from the root; pa(root) = -1."""
    parent, reached = np.full(d, -1), [root]
    both_ways = [*edges, *((j, i) for i, j in edges)]
    for a in reached:  # the list grows while it is read
        for i, j in both_ways:
            if i == a and j not in reached:
                parent[j] = a
                reached.append(j)
    return parent


def kruskal(W):
    """Go through the edges, the heaviest first: take one if it joins two pieces, leave it out if it closes a circle."""
    piece = np.arange(len(W))
    for i, j in heaviest_first(W):
        joins = bool(piece[i] != piece[j])
        if joins:
            piece[piece == piece[j]] = piece[i]
        yield i, j, joins


def average(joints, counted):
    """ln of the mean of p_j(c, x) over the j in 𝒥  (13.21).

    joints, of shape (d, n, K), holds ln p_j; counted, of shape (d, n), whether j is in 𝒥 for a row. ``logaddexp`` is
    ln(eᵃ + eᵇ), computed so that nothing underflows.
    """
    joints = np.where(counted[:, :, np.newaxis], joints, -np.inf)
    return np.logaddexp.reduce(joints, axis=0) - np.log(counted.sum(axis=0))[:, np.newaxis]
