"""Chapter 18. Kernel methods (核方法): what the kernel trick does for ridge regression, logistic regression and a tube.

    X, Z        points x and z, of shape (n, d) and (m, d)
    G, D        inner products xᵀz and squared distances of all pairs, of shape (n, m)
    K           the kernel matrix of the training points, of shape (n, n)
    β, b        f(x) = Σ_i β_i κ(x_i, x) + b, with β of shape (n,)
    y           targets, or labels +1 and -1, of shape (n,)
    α, C        the price of ‖w‖², and of errors
"""

import math

import numpy as np

from mlcore.core.arithmetic import CholeskyFactor, solve
from mlcore.core.logistic_regression import expit, softplus


# ---------------------------------------------------------------------------------------------------------------
# Kernels (核函数): inner products κ(x, z) = ⟨φ(x), φ(z)⟩ computed without the features φ
# ---------------------------------------------------------------------------------------------------------------
def polynomial(G, gamma, c, Q):
    """κ(x, z) = (γ xᵀz + c)^Q, from the inner products G of shape (n, m)  (18.1)."""
    return math.prod([gamma * G + c] * Q)  # Q factors: ** takes far longer


def gaussian(D, gamma):
    """κ(x, z) = e^(-γ ‖x - z‖²), from the squared distances D of shape (n, m)  (18.3)."""
    return np.exp(-gamma * D)


def laplacian(D, gamma):
    """κ(x, z) = e^(-γ ‖x - z‖), from the squared distances D of shape (n, m)."""
    return np.exp(-gamma * np.sqrt(D))


def sigmoid(G, gamma, c):
    """tanh(γ xᵀz + c), from the inner products G of shape (n, m): no kernel for c < 0  (18.7)."""
    return np.tanh(gamma * G + c)


def squared_distances(X, Z):
    """‖x - z‖² = ‖x‖² + ‖z‖² - 2 xᵀz for all pairs of rows, of shape (n, m)."""
    of_x, of_z = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", Z, Z)
    return np.add.outer(of_x, of_z) - 2 * X @ Z.T


# ---------------------------------------------------------------------------------------------------------------
# The features behind two kernels, written out: φ(x)ᵀφ(z) = κ(x, z)
#
# Row a of powers, of shape (m, d), stands for the product x₁^a₁ ⋯ x_d^a_d, and |a| = a₁ + ... + a_d
# ---------------------------------------------------------------------------------------------------------------
def polynomial_features(X, powers, gamma, c, Q):
    """φ_a(x) = √(Q! / ((Q - |a|)! a₁! ⋯ a_d!) c^(Q - |a|) γ^|a|) x₁^a₁ ⋯ x_d^a_d, of shape (n, m)  (18.1)."""
    total = powers.sum(axis=1)
    ln = np.append(0.0, np.cumsum(np.log(1 + np.arange(Q))))  # ln k! for k = 0, ..., Q
    ways = np.round(np.exp(ln[Q] - ln[Q - total] - ln[powers].sum(axis=1)))
    return np.sqrt(ways * c ** (Q - total) * gamma**total) * products(X, powers)


def products(X, powers):
    """x₁^a₁ ⋯ x_d^a_d for each row of X and each row a of powers, of shape (n, m)."""
    return math.prod(X[:, j, np.newaxis] ** powers[:, j] for j in range(X.shape[1]))


def gaussian_features(x, n_terms, gamma):
    """φ_k(x) = e^(-γx²) √((2γ)^k / k!) x^k for k = 0, 1, ..., of shape (n, n_terms): each is the one before times
    x √(2γ/k)  (18.3)."""
    ratios = x[:, np.newaxis] * np.sqrt(2 * gamma / np.arange(1, n_terms))
    return np.cumprod(np.column_stack([np.exp(-gamma * x**2), ratios]), axis=1)


# ---------------------------------------------------------------------------------------------------------------
# Squared loss: one system of linear equations, for numbers and for classes
# ---------------------------------------------------------------------------------------------------------------
def ridge_coefficients(K, y, alpha):
    """β = (K + αI)⁻¹ y, of shape (n,)  (18.12)."""
    return CholeskyFactor(K + alpha * np.eye(len(K))).solve(y)


def lssvm_coefficients(K, y, C):
    """β and b with (K + I/C) β + b1 = y and 1ᵀβ = 0: for A = K + I/C, β = A⁻¹y - b A⁻¹1  (18.14)."""
    A = CholeskyFactor(K + np.eye(len(K)) / C)
    from_y, from_ones = A.solve(np.column_stack([y, np.ones(len(y))])).T
    b = from_y.sum() / from_ones.sum()
    return from_y - b * from_ones, b


# ---------------------------------------------------------------------------------------------------------------
# Logistic loss: Newton's method in the coefficients; t = 1 or 0 is the label as a probability, p = 1 / (1 + e⁻ᶠ)
# ---------------------------------------------------------------------------------------------------------------
def objective(beta, f, y, alpha):
    """E = ½α βᵀKβ + Σ ln(1 + e^(-y f)), where βᵀKβ = βᵀ(f - b) = βᵀf: b or Σβ is 0  (18.15)."""
    return 0.5 * alpha * beta @ f + softplus(-y * f).sum()


def residuals(f, y):
    """t - p = y / (1 + e^(y f)): what the probabilities miss, of shape (n,)  (18.16)."""
    return y * expit(-y * f)


def newton_target(f, residual, K, alpha, with_intercept):
    """β⁺ and b⁺ of (WK + αI) β⁺ + b⁺W1 = Wf + t - p and Σβ⁺ = 0, or b⁺ = 0  (18.17), through u = √W Kβ⁺  (18.18)."""
    w = expit(f) * expit(-f)
    root, right = np.sqrt(w)[:, np.newaxis], np.column_stack([w * f + residual, w])
    u = CholeskyFactor(root * K * root.T + alpha * np.eye(len(K))).solve(root * (K @ right))
    from_target, from_ones = ((right - root * u) / alpha).T
    b = from_target.sum() / from_ones.sum() if with_intercept else 0.0
    return from_target - b * from_ones, b


# ---------------------------------------------------------------------------------------------------------------
# Support vector regression: errors up to ε cost nothing
#
# With β∧ = α∧ >= 0 for the points above the tube and β∨ = -α∨ <= 0 for those below, its dual has the form of chapter 17
# ---------------------------------------------------------------------------------------------------------------
def tube_dual(y, epsilon, C):
    """q and its box, all of shape (2n,): y - ε in [0, C] for β∧, y + ε in [-C, 0] for β∨  (18.20)."""
    zero, box = np.zeros(len(y)), np.full(len(y), C)
    return np.append(y - epsilon, y + epsilon), np.append(zero, -box), np.append(box, zero)


def coefficients(both):
    """β = β∧ + β∨ = α∧ - α∨, of shape (n,), from (β∧, β∨) of shape (2n,)."""
    above, below = np.split(both, 2)
    return above + below


def duality_gap(both, error, epsilon, C):
    """Σ [C max(0, |e| - ε) - βe + ε (α∧ + α∨)] with e = y - f: by so much the primal exceeds the dual  (18.22)."""
    above, below = np.split(both, 2)
    excess = np.maximum(0.0, np.abs(error) - epsilon)
    return np.sum(C * excess - (above + below) * error + epsilon * (above - below))


# ---------------------------------------------------------------------------------------------------------------
# Platt scaling: from scores to probabilities p = 1 / (1 + e^-Sθ), for S = (scores, 1) of shape (n, 2) and θ = (A, B)
# ---------------------------------------------------------------------------------------------------------------
def soft_targets(positive):
    """(N₊ + 1) / (N₊ + 2) for the rows of class +, 1 / (N₋ + 2) for the others  (18.25)."""
    n_positive, n_negative = positive.sum(), (~positive).sum()
    return np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))


def platt_objective(theta, S, t):
    """-Σ [t ln p + (1 - t) ln(1 - p)] = Σ [ln(1 + eᶻ) - t z], z = Sθ  (18.23)."""
    z = S @ theta
    return np.sum(softplus(z) - t * z)


def platt_step(theta, S, t):
    """Δ = -H⁻¹g and g, where g = Sᵀ(p - t) and H = Sᵀ diag(p(1 - p)) S  (18.24)."""
    p = expit(S @ theta)
    g, H = S.T @ (p - t), S.T @ ((p * (1 - p))[:, np.newaxis] * S)
    return -solve(H, g), g
