"""Chapter 12. Estimating parameters: maximum likelihood, maximum a posteriori, and the whole posterior (参数估计).

A coin shows heads with probability p: h heads and t tails were seen, and Beta(a, b) is believed of p. A die shows face
k with probability p_k: counts and α have shape (K,). x of shape (n,) are values with an unknown mean μ and noise of
precision β (an inverse variance). X holds n rows of d features, y of shape (n,) is Xw plus noise of precision β. What
is believed of w is written as P, its precision, of shape (d, d), and r = P·mean, of shape (d,).
"""

import numpy as np


def frequencies(counts):
    """p̂_k = n_k / n: the p under which the counts, of shape (K,), are most probable  (12.1), (12.8)."""
    return counts / counts.sum()


def beta_update(a, b, heads, tails):
    """Beta(a, b) before h heads and t tails is Beta(a + h, b + t) after them  (12.3)."""
    return a + heads, b + tails


def beta_mean(a, b):
    """E[p] = a / (a + b): the probability that the next toss is heads  (12.4)."""
    return a / (a + b)


def beta_mode(a, b):
    """(a - 1) / (a + b - 2), the peak of the density if a > 1 and b > 1  (12.5)."""
    return (a - 1) / (a + b - 2)


def dirichlet_update(alpha, counts):
    """Dirichlet(α) before the counts n_k is Dirichlet(α + n) after them  (12.9)."""
    return alpha + counts


def dirichlet_mean(alpha):
    """E[p_k] = α_k / Σ_j α_j, of shape (K,)  (12.10)."""
    return alpha / alpha.sum()


def dirichlet_mode(alpha):
    """(α_k - 1) / Σ_j (α_j - 1), the peak of the density if every α_k > 1  (12.10)."""
    return (alpha - 1) / (alpha - 1).sum()


def inverse_root(A):
    """R = C⁻ᵀ, upper triangular, so that RRᵀ = A⁻¹; A = CCᵀ is symmetric and positive definite, of shape (d, d)."""
    C = np.linalg.cholesky(A)
    return np.linalg.solve(C.T, np.eye(len(A)))


def gaussian_log_density(X, mean, R):
    """ln N(x; μ, Σ) = -½ ‖Rᵀ(x - μ)‖² + Σ_j ln R_jj - ½ d ln 2π for each row x, with RRᵀ = Σ⁻¹  (12.11)."""
    Z = (X - mean) @ R
    constant = np.log(R.diagonal()).sum() - 0.5 * len(R) * np.log(2 * np.pi)
    return constant - 0.5 * np.sum(Z**2, axis=1)


def gaussian_mle(X):
    """μ̂ = Σ_i x_i / n, of shape (d,), and Σ̂ = DᵀD / n, of shape (d, d), where D holds the rows x_i - μ̂  (12.12)."""
    mean = X.sum(axis=0) / len(X)
    D = X - mean
    return mean, D.T @ D / len(X)


def mean_update(P, r, x, beta):
    """P + nβ and r + β Σ_i x_i: what each value says of the mean is added, weighted by its precision  (12.15)."""
    return P + len(x) * beta, r + beta * x.sum()


def weight_update(P, r, X, y, beta):
    """P + β XᵀX and r + β Xᵀy: the same for the weights of a line  (12.17)."""
    return P + beta * (X.T @ X), r + beta * (X.T @ y)


def weight_posterior(P, r):
    """m = P⁻¹r, the mean of the weights, and R with RRᵀ = P⁻¹ = S, their covariance  (12.17)."""
    R = inverse_root(P)
    return R @ (R.T @ r), R


def predictive_variance(X, R, beta):
    """1/β + xᵀSx = 1/β + ‖Rᵀx‖² for each row x: noise, and doubt about the line at x  (12.19)."""
    return 1 / beta + np.sum((X @ R) ** 2, axis=1)


def moderated(m, variance):
    """m / √(1 + πs²/8): the score whose sigmoid stands for the mean sigmoid of scores from N(m, s²)  (12.23)."""
    return m / np.sqrt(1 + np.pi / 8 * variance)
