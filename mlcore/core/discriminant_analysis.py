"""Chapter 5. Linear discriminant analysis (线性判别分析): Fisher's direction, and the classifier for several classes.

n samples of d features; n_k of class k, with mean μ_k, a row of M of shape (K, d), and prior π_k. D, of shape (n, d),
holds the deviations x_i - μ_k of the samples from the mean of their class. δ = μ₁ - μ₀.
"""

import numpy as np

from mlcore.core.arithmetic import solve


def within_scatter(D):
    """S_w = Σ_i (x_i - μ_k)(x_i - μ_k)ᵀ = DᵀD, of shape (d, d); k is the class of x_i."""
    return D.T @ D


def between_scatter(M, sizes):
    """S_b = Σ_k n_k (μ_k - μ)(μ_k - μ)ᵀ, of shape (d, d); μ is the mean of all samples."""
    B = M - sizes @ M / sizes.sum()
    return (sizes * B.T) @ B


def criterion(w, S_w, S_b):
    """J(w) = wᵀ S_b w / wᵀ S_w w, for w of shape (d,), or for each row of a w of shape (n_directions, d)."""
    return np.sum(w @ S_b * w, axis=-1) / np.sum(w @ S_w * w, axis=-1)


def direction(S_w, delta):
    """w = S_w⁻¹ δ, of shape (d,): no other direction has a larger J  (5.3), (5.4)."""
    return solve(S_w, delta)


def principal_axes(Z):
    """e₁, e₂, ... as columns, and σ₁ >= σ₂ >= ..., with ZᵀZ = Σ_j σ_j² e_j e_jᵀ: the rows of Z spread most along e₁."""
    _, spread, axes = np.linalg.svd(Z, full_matrices=False)
    return axes.T, spread


def discriminant_axes(axes, spread, B):
    """w₁, w₂, ... as columns, and λ₁ >= λ₂ >= ..., with S_b w_j = λ_j S_w w_j  (5.14).

    Σ = S_w / n has variance σ_j² along its axis e_j. Whiten by Σ; then take the principal axes of the class means: the
    rows √π_k (μ_k - x̄) of B, of shape (K, d).
    """
    whiten = axes / spread
    turn, lengths = principal_axes(B @ whiten)
    return whiten @ turn, lengths**2


def linear_rule(C, W, priors):
    """a_k = W c_k as rows, and b_k = ln π_k - ½ ‖c_k‖²: ln P(k | x) is a_kᵀ(x - x̄) + b_k + a term without k  (5.15).

    c_k = Wᵀ(μ_k - x̄), a row of C, is the mean of class k in the new coordinates.
    """
    return C @ W.T, np.log(priors) - 0.5 * np.sum(C**2, axis=1)


def shrunk(S, s):
    """(1 - s) Σ + s (tr Σ / d) I: the same total variance, more evenly spread  (5.16)."""
    return (1 - s) * S + s * np.trace(S) / len(S) * np.eye(len(S))


def shrinkage_ratio(X):
    """β² = Σ_i ‖x_i x_iᵀ - Σ‖² / n² and δ² = ‖Σ - mI‖², m = tr Σ / d, for centred rows x_i; s = β² / δ²  (5.17).

    ‖x xᵀ‖ = ‖x‖², so the sum is Σ_i ‖x_i‖⁴ - n ‖Σ‖²; and ‖Σ - mI‖² = ‖Σ‖² - d m².
    """
    n, d = X.shape
    S = X.T @ X / n
    error = (np.mean(np.sum(X**2, axis=1) ** 2) - np.sum(S**2)) / n
    return error, np.sum(S**2) - np.trace(S) ** 2 / d
