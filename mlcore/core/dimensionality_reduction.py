"""Chapter 25. Principal component analysis, the singular value decomposition, and norms.

X holds n samples of d features as rows; z_i = x_i - x̄ are the rows of the centred Z. S is the covariance, λ₁ >= λ₂ >=
... its eigenvalues and u₁, u₂, ... its eigenvectors, the axes: the columns of an array of shape (d, k). A is any matrix
of shape (m, n), σ₁ >= σ₂ >= ... its singular values.
"""

import numpy as np


def covariance(Z):
    """S = ZᵀZ / n, of shape (d, d), for centred rows: uᵀSu is the variance along a unit vector u  (25.1)."""
    return Z.T @ Z / len(Z)


def most_variance(S):
    """u₁, u₂, ... as columns, and λ₁ >= λ₂ >= ..., with S u_i = λ_i u_i  (25.2), (25.3)."""
    variances, axes = np.linalg.eigh(S)  # smallest first
    return axes[:, ::-1], variances[::-1]


def encode(X, mean, axes):
    """t_ij = u_jᵀ(x_i - x̄): k coordinates for each row, of shape (n, k)."""
    return (X - mean) @ axes


def decode(T, mean, axes):
    """x̃_i = x̄ + Σ_j t_ij u_j: the rows rebuilt from k coordinates, of shape (n, d)  (25.5)."""
    return mean + T @ axes.T


def whitened(T, variances):
    """t_ij / √λ_j: uncorrelated coordinates of variance 1  (25.6)."""
    return T / np.sqrt(variances)


def svd_by_eigenvectors(A):
    """A = U Σ Vᵀ: AᵀA v_i = λ_i v_i, σ_i = ‖A v_i‖, u_i = A v_i / σ_i; for m >= n  (25.7).

    The A v_i are orthogonal. QR gives them length 1, and puts some orthogonal vector where A v_i = 0.
    """
    V, _ = most_variance(A.T @ A)
    U, R = np.linalg.qr(A @ V)
    sigma = np.diag(R)
    order = np.argsort(-np.abs(sigma), kind="stable")
    U = U * np.where(sigma < 0, -1.0, 1.0)
    return U[:, order], np.abs(sigma)[order], V.T[order]


def pointing(axes):
    """Each axis as it is or turned round, so that its entry of largest size is positive."""
    largest = np.abs(axes).argmax(axis=0)
    return axes * np.where(axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0)


def rank_k(U, sigma, Vt, k):
    """A_k = Σ_{i <= k} σ_i u_i v_iᵀ: no matrix of rank k is nearer to A  (25.8), (25.9)."""
    return (U[:, :k] * sigma[:k]) @ Vt[:k]


def least_error(Z):
    """u₁, u₂, ... as columns, and λ_i = σ_i² / n, from Z = Σ_i σ_i t_i u_iᵀ, without S  (25.8)."""
    _, sigma, Vt = np.linalg.svd(Z, full_matrices=False)
    return Vt.T, sigma**2 / len(Z)


def p_norm(x, p):
    """‖x‖_p = (Σ_i |x_i|^p)^(1/p), and max_i |x_i| for p = ∞  (25.10)."""
    if p == np.inf:
        return np.abs(x).max()
    return np.sum(np.abs(x) ** p) ** (1 / p)


def column_sum_norm(A):
    """‖A‖₁ = max_j Σ_i |a_ij|: the largest column  (25.11)."""
    return np.abs(A).sum(axis=0).max()


def row_sum_norm(A):
    """‖A‖_∞ = max_i Σ_j |a_ij|: the largest row  (25.11)."""
    return np.abs(A).sum(axis=1).max()


def spectral_norm(A):
    """‖A‖₂ = σ₁: the most that A lengthens a vector  (25.12)."""
    return np.linalg.svd(A, compute_uv=False)[0]


def frobenius_norm(A):
    """‖A‖_F = √(Σ_ij a_ij²) = √(Σ_i σ_i²)  (25.12)."""
    return np.sqrt(np.sum(A**2))


def nuclear_norm(A):
    """‖A‖_* = Σ_i σ_i  (25.14)."""
    return np.linalg.svd(A, compute_uv=False).sum()


def power_step(S, u):
    """u ← S u / ‖S u‖: nearer to u₁ by the factor λ₂ / λ₁  (25.15)."""
    v = S @ u
    return v / np.linalg.norm(v)


def deflated(S, u):
    """S - λ u uᵀ, with λ = uᵀSu: what is left when the axis u is taken out  (25.16)."""
    return S - (u @ S @ u) * np.outer(u, u)
