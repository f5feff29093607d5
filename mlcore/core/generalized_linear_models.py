"""Chapter 4. Exponential families and generalised linear models: one recipe for measurements, yes-or-no, counts and
classes.

X has a last column of ones, shape (n, d + 1), so that θ = (w, b), and η = Xθ is the linear predictor. The targets y,
their means μ and variances V, and the weights ω of the rows have shape (n,), and so has rate = ϑ'(η) = μ'/V, how fast
the natural parameter ϑ moves with η: the number 1 for the canonical link. The penalties α, one for each entry of θ and
0 for b, have shape (d + 1,).
"""

import numpy as np

from mlcore.core.arithmetic import solve, weighted_gram
from mlcore.core.logistic_regression import expit, softplus


# ---------------------------------------------------------------------------------------------------------------
# Exponential families, P(y | η) = h(y) exp(η·y - A(η)): A with its first two derivatives, which are the mean and the
# variance of y  (4.4), (4.5).
# ---------------------------------------------------------------------------------------------------------------
def gaussian(eta):
    """A(η) = η²/2, A' = η, A'' = 1, each of the shape of η  (4.1)."""
    return eta**2 / 2, eta, np.ones_like(eta)


def bernoulli(eta):
    """A(η) = ln(1 + e^η), A' = 1 / (1 + e^-η) = μ, A'' = μ(1 - μ), each of the shape of η  (4.2), (4.7)."""
    mean = expit(eta)
    return softplus(eta), mean, mean * (1 - mean)


def poisson(eta):
    """A(η) = A' = A'' = e^η, each of the shape of η: the variance is the mean  (4.3)."""
    mean = np.exp(eta)
    return mean, mean, mean


# ---------------------------------------------------------------------------------------------------------------
# Generalised linear models
# ---------------------------------------------------------------------------------------------------------------
def gradient(theta, mean, rate, X, y, weights, alpha):
    """∇J(θ) = Xᵀ ω(μ - y)ϑ' + αθ, of shape (d + 1,), with ϑ' = μ'/V  (4.9), (4.10)."""
    return X.T @ (weights * (mean - y) * rate) + alpha * theta


def information(variance, rate, X, weights, alpha):
    """E[∇²J] = XᵀWX + diag(α), W = diag(ω V ϑ'²) = diag(ω μ'²/V), of shape (d + 1, d + 1)  (4.12)."""
    return weighted_gram(X, weights * variance * rate * rate) + np.diag(alpha)


def irls_step(slope, variance, rate, X, weights, alpha):
    """s = -(XᵀWX + diag(α))⁻¹ ∇J: θ + s is the weighted least-squares fit to z  (4.13)."""
    return -solve(information(variance, rate, X, weights, alpha), slope)


def log_fit(X, y):
    """w, b of ln y = w·x + b by least squares, from X of shape (n, d) and y > 0: the mean of ln y is linear."""
    center = X.mean(axis=0)
    w = np.linalg.lstsq(X - center, np.log(y), rcond=None)[0]
    return w, np.log(y).mean() - w @ center


# ---------------------------------------------------------------------------------------------------------------
# K classes. Y, the one-hot labels, and P, the softmax of the scores X Wᵀ, have shape (n, K). The K rows of W = C V come
# from K - 1 free ones, the rows of V, shape (K - 1, d + 1), by a fixed matrix C of shape (K, K - 1).
# ---------------------------------------------------------------------------------------------------------------
def categorical(eta):
    """A(η) = ln(1 + Σ e^η_j), ∇A = μ, ∇²A = diag(μ) - μμᵀ, for η of shape (..., K - 1)  (4.21)-(4.23)."""
    z = np.concatenate([eta, np.zeros_like(eta[..., :1])], axis=-1)  # of the last class: 0
    mean = softmax(z)[..., :-1]
    column, row = mean[..., :, np.newaxis], mean[..., np.newaxis, :]
    return -log_softmax(z)[..., -1], mean, column * (np.eye(eta.shape[-1]) - row)


def softmax(z, axis=-1):
    """e^(z_k) / Σ_j e^(z_j), the softmax: the largest score is subtracted from all, which cancels  (4.24)."""
    odds = np.exp(z - z.max(axis=axis, keepdims=True))
    return odds / odds.sum(axis=axis, keepdims=True)


def log_softmax(z, axis=-1):
    """z_k - ln Σ_j e^(z_j), the logarithm of the softmax, finite where a share rounds to 0  (4.24).

    Once the largest score is subtracted, its own term in the sum is 1. It is left out and brought back by log1p, so
    that the logarithm of a share near 1 keeps its digits too.
    """
    z = z - z.max(axis=axis, keepdims=True)
    others = np.exp(z)
    np.put_along_axis(others, np.argmax(z, axis=axis, keepdims=True), 0.0, axis=axis)
    return z - np.log1p(others.sum(axis=axis, keepdims=True))


def indicator(codes, n_values):
    """1{c_i = k}: a row for each whole number c_i, with a 1 in column c_i and 0 elsewhere; shape (n, n_values)."""
    return (codes[:, np.newaxis] == np.arange(n_values)).astype(float)


def softmax_gradient(V, P, Y, C, X, weights, alpha):
    """∇_V J = Cᵀ (ω(P - Y))ᵀ X + Vα, of shape (K - 1, d + 1)  (4.27)."""
    miss = weights[:, np.newaxis] * (P - Y)
    return C.T @ (miss.T @ X) + V * alpha


def softmax_hessian(P, C, X, weights, alpha):
    """∇²J, in blocks Σ ω [C_aᵀ (diag(p) - ppᵀ) C_b] x xᵀ + diag(α) for two rows a, b of V  (4.23)."""
    free, d = C.shape[1], X.shape[1]
    means, blocks = P @ C, np.zeros((free, d, free, d))
    for a in range(free):
        for b in range(a + 1):
            covariance = P @ (C[:, a] * C[:, b]) - means[:, a] * means[:, b]
            blocks[a, :, b] = blocks[b, :, a] = weighted_gram(X, weights * covariance)
    return blocks.reshape(free * d, free * d) + np.diag(np.tile(alpha, free))


def free_directions(n_classes):
    """C: orthonormal columns with sum 0, so that the rows of W = CV sum to 0 and Σ‖w_k‖² = Σ‖v_k‖²  (4.28)."""
    C = np.zeros((n_classes, n_classes - 1))
    for k in range(1, n_classes):  # class k against the k classes before it
        C[:k, k - 1], C[k, k - 1] = 1.0, -k
    return C / np.linalg.norm(C, axis=0)


def softmax_newton_step(slope, P, C, X, weights, alpha):
    """Δ = -(∇²J)⁻¹ ∇J, of the shape of V."""
    H = softmax_hessian(P, C, X, weights, alpha)
    return -solve(H, slope.ravel()).reshape(slope.shape)
