"""Chapter 24. Mixtures of Gaussians, and the EM algorithm that fits them.

X has a point x_i in each of n rows, with d columns. Component k of K has the weight π_k, the mean μ_k, a row of an
array of shape (K, d), and the covariance Σ_k, which is stored as its type needs it: "full" as a matrix, "diag" as the
d variances on its diagonal, "spherical" as one variance. A root R_k has R_k R_kᵀ = Σ_k⁻¹; of a diagonal Σ_k only the
diagonal of R_k is kept, 1 / deviation. The log-joints l_ik = ln π_k N(x_i; μ_k, Σ_k), the responsibilities γ_ik and
any other shares q_ik have shape (n, K).
"""

import numpy as np

from mlcore.core.parameter_estimation import gaussian_log_density


def draw(n, weights, means, factors, rng):
    """x = μ_z + A_z e with P(z = k) = π_k, e ~ N(0, I) and A_k A_kᵀ = Σ_k; and z. Of shapes (n, d) and (n,)  (24.1)."""
    z = rng.choice(len(weights), size=n, p=weights)
    e = rng.normal(size=(n, means.shape[1]))
    return means[z] + np.einsum("ijl,il->ij", factors[z], e), z


def log_joint(X, weights, means, roots):
    """l_ik = ln π_k + ln N(x_i; μ_k, Σ_k), of shape (n, K)  (24.2)."""
    log_density = gaussian_log_density if roots.ndim == 3 else independent_log_density
    columns = [log_density(X, mean, root) for mean, root in zip(means, roots)]
    return np.log(weights) + np.array(columns).T


def independent_log_density(X, mean, r):
    """ln N(x; μ, Σ) = -½ Σ_j (r_j (x_j - μ_j))² + Σ_j ln r_j - ½ d ln 2π for a diagonal Σ, Σ_jj = 1 / r_j²."""
    Z = (X - mean) * r
    return np.log(r).sum() - 0.5 * len(r) * np.log(2 * np.pi) - 0.5 * np.sum(Z**2, axis=1)


def e_step(joint):
    """γ_ik = p_ik / Σ_j p_ij and ln p(x_i) = ln Σ_j p_ij, where p_ij = e^(l_ij), m_i = max_j l_ij  (24.2), (24.3)."""
    peak = joint.max(axis=1, keepdims=True)
    parts = np.exp(joint - peak)
    whole = parts.sum(axis=1, keepdims=True)
    return parts / whole, (peak + np.log(whole))[:, 0]


def m_step(X, gamma, spread):
    """N_k = Σ_i γ_ik; π_k = N_k / n, μ_k = Σ_i γ_ik x_i / N_k, and Σ_k from the deviations x_i - μ_k  (24.4)-(24.6)."""
    N = gamma.sum(axis=0)
    means = (gamma.T @ X) / N[:, np.newaxis]
    shares = (gamma / N).T
    covariances = np.array([spread(X - mean, s) for mean, s in zip(means, shares)])
    return N / len(X), means, covariances


def full(D, s):
    """Σ = Σ_i s_i D_i D_iᵀ, with the deviations D_i in rows and shares s_i that add up to 1  (24.5)."""
    return (D.T * s) @ D


def diagonal(D, s):
    """The diagonal of Σ: σ²_j = Σ_i s_i D²_ij  (24.7)."""
    return s @ D**2


def spherical(D, s):
    """σ² = Σ_i s_i ‖D_i‖² / d, the mean of the diagonal of Σ  (24.7)."""
    return diagonal(D, s).mean()


def bound(q, joint):
    """L(q, θ) = Σ_i Σ_k q_ik (l_ik - ln q_ik), where 0 ln 0 = 0  (24.8)."""
    return np.sum(q * (joint - np.log(np.where(q > 0, q, 1.0))))
