"""Chapter 14. Nearest neighbours: predict from the samples around a point, and estimate a density from their number.

N samples of d features lie around a point x; a ball of volume V around x holds K of them, K_c of class c. X has shape
(n, d), and D, of shape (n, N), holds the distances of its rows from all samples. codes (class numbers), values and
weights, of shape (n, K), are those of the K nearest samples of each row of X. h is the radius of the ball, or the width
of a bump.
"""

import math

import numpy as np


def block_of_distances(X, Z, p):
    """(Σ_j |x_j - z_j|^p)^(1/p) for all pairs of rows, of shape (n, m), feature by feature; p = ∞: the largest gap."""
    D, gap = np.zeros((len(X), len(Z))), np.empty((len(X), len(Z)))
    for x, z in zip(X.T, Z.T, strict=True):
        np.abs(np.subtract.outer(x, z, out=gap), out=gap)
        if p == np.inf:
            np.maximum(D, gap, out=D)
        else:
            gap **= p
            D += gap
    return D if p == np.inf else D ** (1 / p)


def log_ball_volume(r, d):
    """ln V of a ball of radius r: V = π^(d/2) r^d / Γ(d/2 + 1)  (14.3)."""
    return d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1) + d * np.log(r)


def log_count_density(D, h, d):
    """ln K / (N V) for each row of D: K samples lie in a ball of radius h around the point  (14.4)."""
    K = np.count_nonzero(D <= h, axis=1)
    return np.log(K) - math.log(D.shape[1]) - log_ball_volume(h, d)


def log_bump_density(D, h, d):
    """ln (1/N) Σ_i N(x; x_i, h²I) for each row of D, of shape (n,), the largest term taken out first  (14.5)."""
    E = -0.5 * (D / h) ** 2
    m = E.max(axis=1)
    total = np.exp(E - m[:, np.newaxis]).sum(axis=1)
    return m + np.log(total) - math.log(D.shape[1]) - d / 2 * math.log(2 * math.pi * h**2)


def log_knn_density(r, K, N, d):
    """ln K / (N V), where the ball around x just reaches its K-th nearest sample, at the distance r."""
    return math.log(K) - math.log(N) - log_ball_volume(r, d)


def k_smallest(D, k):
    """The columns of the k smallest entries in each row of D, of shape (n, k), the smallest first.

    Partition finds the k-th smallest without sorting the others; only what is not larger need be put in order.
    """
    kth = np.partition(D, k - 1, axis=1)[:, k - 1]
    rows, columns = np.nonzero(D <= kth[:, np.newaxis])
    return columns[first_in_each_row(rows, columns, D[rows, columns], len(D), k)]


def first_in_each_row(rows, columns, values, n, k):
    """values[p] stands in row rows[p], column columns[p]: the p of the k smallest in each of n rows, shape (n, k).

    Of equal values the first column comes first.
    """
    order = np.lexsort((columns, values, rows))
    start = np.searchsorted(rows[order], np.arange(n))
    return order[start[:, np.newaxis] + np.arange(k)]


def vote(codes, weights, n_classes):
    """Σ of the weights of class c over Σ of all, of shape (n, n_classes): K_c / K for equal weights  (14.8)."""
    votes = [np.sum(weights * (codes == c), axis=1) for c in range(n_classes)]
    return np.stack(votes, axis=1) / weights.sum(axis=1, keepdims=True)


def neighbor_weights(distances):
    """r₁ / r for each neighbour at the distance r; where some lie at x itself, these have weight 1 and the others 0.

    That is 1 / r with the distance r₁ of the nearest as unit: only the ratios of weights matter.
    """
    at_x = distances == 0
    weights = distances[:, :1] / np.where(at_x, 1.0, distances)
    return np.where(at_x.any(axis=1, keepdims=True), at_x, weights)


def mean_of_neighbors(values, weights):
    """Σ_j w_j y_j / Σ_j w_j over the k nearest, for each row  (14.9)."""
    return np.sum(weights * values, axis=1) / weights.sum(axis=1)


def whitened(X, L):
    """z = L⁻¹ x for each row x of X, where L Lᵀ = Σ: in these coordinates the covariance is I  (14.10).

    L is triangular: z_j = (x_j - Σ_{i<j} L_ji z_i) / L_jj, one feature after the other.
    """
    Z = np.array(X.T)
    for j, row in enumerate(L):
        for i in range(j):
            Z[j] -= row[i] * Z[i]
        Z[j] /= row[j]
    return Z.T
