"""Chapter 22. RBF networks (径向基函数网络): a weighted sum of basis functions κ, each of which looks only at the
distance from its centre.

X has a point x_i in each of n rows, with d columns; the centres μ_1, ..., μ_M are the rows of an array of shape (M, d).
Z, of shape (n, M), holds the value of each basis function at each point. Y holds the targets, of shape (n,), or (n, k)
for k outputs; the weights β then have shape (M,) or (M, k), and the bias b is a number or has shape (k,). α is the
price of the squared weights, γ is 1 / width².
"""

import numpy as np

from mlcore.core.arithmetic import CholeskyFactor
from mlcore.core.kernel_methods import gaussian
from mlcore.core.nearest_neighbors import block_of_distances


def design(X, centers, gamma):
    """Z_im = κ(x_i, μ_m) = e^(-γ ‖x_i - μ_m‖²), of shape (n, M): a column for each basis function."""
    return gaussian(block_of_distances(X, centers, 2) ** 2, gamma)


def output_weights(Z, Y, alpha):
    """β = (ZᵀZ + αI)⁻¹ ZᵀY; with a free bias Z and Y are centred first, column by column  (22.1)."""
    return CholeskyFactor(Z.T @ Z + alpha * np.eye(Z.shape[1])).solve(Z.T @ Y)


def free_bias(Z, Y, beta):
    """b = (1/n) Σ_i (Y - Zβ)_i: the mean of what the weighted basis functions leave over  (22.1)."""
    return np.mean(Y - Z @ beta, axis=0)


def filtered_weights(Z, Y, alpha):
    """β = Σ_j v_j s_j / (s_j² + α) u_jᵀY with Z = U S Vᵀ: for α = 0 the limit α → 0, the shortest β  (22.2).

    A singular value counts as 0 where it is rounding beside the largest.
    """
    U, s, Vt = np.linalg.svd(Z, full_matrices=False)
    known = s > max(Z.shape) * np.finfo(float).eps * s[0]
    U, s, Vt = U[:, known], s[known], Vt[known]
    return Vt.T @ ((U * (s / (s**2 + alpha))).T @ Y)


def interpolating_weights(factor, Y):
    """b = 1ᵀZ⁻²Y / 1ᵀZ⁻²1 and β = Z⁻¹(Y - 1b), with a centre on each point; factor solves Z a = Y  (22.6)."""
    from_y, from_ones = factor.solve(Y), factor.solve(np.ones(len(Y)))
    b = from_ones @ from_y / (from_ones @ from_ones)
    return from_y - np.multiply.outer(from_ones, b), b


def vote(D, Y, gamma):
    """Σ_m κ_m Y_m / Σ_m κ_m, κ_m = e^(-γ (D_m - min D)), for each row of squared distances D  (22.13).

    The factor e^(γ min D) cancels. With it the largest κ is 1; without it all would round to 0 far from the points.
    """
    heights = np.exp(-gamma * (D - D.min(axis=1, keepdims=True)))
    return heights @ Y / heights.sum(axis=1, keepdims=True)
