"""Chapter 24. Mixtures of Gaussians, and the EM algorithm that fits them (混合模型, EM算法).

X has n points x_i in its rows, of d numbers. Component k of K has the weight π_k, the mean μ_k, a row of an array of
shape (K, d), and the covariance Σ_k: a matrix, or if its axes lie along the features the d variances, or one variance
for all. l_ik = ln π_k N(x_i; μ_k, Σ_k), the responsibilities γ_ik and other shares q_ik have shape (n, K).
"""

import numpy as np

from mlcore.core.parameter_estimation import gaussian_log_density


def draw(n, weights, means, factors, rng):
    """x = μ_z + A_z e with P(z = k) = π_k, e ~ N(0, I) and A_k A_kᵀ = Σ_k; and z. Of shapes (n, d) and (n,)  (24.1)."""
    z = rng.choice(len(weights), size=n, p=weights)
    e = rng.normal(size=(n, means.shape[1]))
    return means[z] + np.einsum("ijl,il->ij", factors[z], e), z


def log_joint(X, weights, means, roots, log_density=gaussian_log_density):
    """l_ik = ln π_k + ln N(x_i; μ_k, Σ_k), of shape (n, K), where R_k in ``roots`` has R_k R_kᵀ = Σ_k⁻¹  (24.2).

    If Σ_k is diagonal, R_k may be its diagonal alone, with ``independent_log_density``.
    """
    columns = [log_density(X, mean, root) for mean, root in zip(means, roots)]
    return np.log(weights) + np.array(columns).T


def e_step(joint):
    """γ_ik = e^(l_ik) / Σ_j e^(l_ij)  (24.2), and ln p(x_i) = m_i + ln Σ_k e^(l_ik - m_i), m_i = max_k l_ik  (24.3)."""
    m = joint.max(axis=1, keepdims=True)
    parts = np.exp(joint - m)
    total = parts.sum(axis=1, keepdims=True)
    return parts / total, (m + np.log(total))[:, 0]


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
