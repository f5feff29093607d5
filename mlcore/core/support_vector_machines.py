"""Chapter 17. Support vector machines (支持向量机): the widest margin, its dual, and how to climb it two variables at
a time.

    X, y        the points, of shape (n, d), and their labels +1 and -1, of shape (n,)
    w, b        the plane wᵀx + b = 0
    α, C        the multipliers, of shape (n,), and their upper bound
    K, β        the kernel matrix, of shape (n, n), and β_i = y_i α_i
    m           the functional margins y_i f(x_i)
"""

import numpy as np


# ---------------------------------------------------------------------------------------------------------------
# Margins (间隔), and the two quadratic programs  min ½ uᵀQu + pᵀu,  Au >= c  that make the smallest one large
# ---------------------------------------------------------------------------------------------------------------
def functional_margin(w, b, X, y):
    """γ̂_i = y_i (wᵀx_i + b) for each point (函数间隔): positive where it is on its side.

    It grows with the length of w, so it compares points, but not planes. Notes A (143), (145).
    """
    return y * (X @ w + b)


def geometric_margin(w, b, X, y):
    """γ_i = y_i (wᵀx_i + b) / ‖w‖ for each point (几何间隔): its distance from the plane, with that sign  (17.1).

    Notes A (150), B, C 1.1, E.
    """
    return functional_margin(w, b, X, y) / np.linalg.norm(w)


def primal_qp(X, y):
    """(17.2) in u = (b, w): Q = diag(0, 1, ..., 1) for ½‖w‖², p = 0, rows y_i (1, x_iᵀ) of A, c = 1.

    Q is only positive semidefinite, because b costs nothing. Notes C (6).
    """
    n, d = X.shape
    Q = np.diag(np.append(0.0, np.ones(d)))
    A = y[:, np.newaxis] * np.column_stack([np.ones(n), X])
    return Q, np.zeros(d + 1), A, np.ones(n)


def dual_qp(X, y):
    """-θ(α) = ½ αᵀQα - Σα_i with Q_ij = y_i y_j x_iᵀx_j; yᵀα >= 0, -yᵀα >= 0 and α >= 0  (17.4).

    Notes C (17).
    """
    signed = y[:, np.newaxis] * X
    A = np.vstack([y, -y, np.eye(len(y))])
    return signed @ signed.T, -np.ones(len(y)), A, np.zeros(len(A))


def support_share(alpha):
    """#{i : α_i > 0} / n, which the leave-one-out error does not exceed  (17.18)."""
    return np.count_nonzero(alpha > 0) / len(alpha)


# ---------------------------------------------------------------------------------------------------------------
# The soft margin, with any kernel
# ---------------------------------------------------------------------------------------------------------------
def decision_values(K, beta, b):
    """f(x) = Σ_i β_i κ(x_i, x) + b, from K_xi = κ(x, x_i) for the support vectors; shape (len(K),)  (17.11)."""
    return K @ beta + b


def kinds_of_points(alpha, C):
    """The rows of the support vectors, α > 0; of the free ones, 0 < α < C; of the bound ones, α = C  (17.9)."""
    support, below = alpha > 0, alpha < C
    return np.flatnonzero(support), np.flatnonzero(support & below), np.flatnonzero(~below)


def duality_gap(alpha, m, C):
    """Primal - dual = Σ_i C max(0, 1 - m_i) - α_i (1 - m_i): no term is negative, each 0 if (17.9) holds  (17.16)."""
    return (C * np.maximum(0.0, 1.0 - m) - alpha * (1.0 - m)).sum()


# ---------------------------------------------------------------------------------------------------------------
# Sequential minimal optimisation (序列最小优化, SMO)
#
#     maximise W(β) = qᵀβ - ½ βᵀKβ   subject to   Σβ_i = 0,   lower_i <= β_i <= upper_i
#
# For classification q = y, and a point of class +1 has 0 <= β <= C, one of class -1 has -C <= β <= 0. v = q - Kβ is the
# gradient of W. Notes A 7.8.2; Fan, Chen and Lin, "Working set selection using second order information" (2005).
# ---------------------------------------------------------------------------------------------------------------
TINY = 1e-12
"""Stands in for ‖φ(x_i) - φ(x_j)‖² where two points are equal: W has no top there, and the step ends at the box."""


def up_low_gradients(beta, v, lower, upper):
    """v where β_i may rise, else -∞; and v where β_i may fall, else ∞; each of shape (n,)."""
    return np.where(beta < upper, v, -np.inf), np.where(beta > lower, v, np.inf)


def select_pair(beta, v, K, lower, upper):
    """Of the β that may rise, i has the largest v; of those that may fall, j the largest promise  (17.12).

    The promise is (v_i - v_j)² / ‖φ(x_i) - φ(x_j)‖², twice the rise of W at the top of the parabola.

    Returns i, j and by how much (17.14) is violated.
    """
    may_rise, may_fall = up_low_gradients(beta, v, lower, upper)
    i = may_rise.argmax()
    K_i = K[i]
    squared = np.maximum(K_i[i] + K.diagonal() - 2 * K_i, TINY)
    j = (np.maximum(may_rise[i] - may_fall, 0) ** 2 / squared).argmax()
    return i, j, may_rise[i] - may_fall.min()


def move_pair(i, j, beta, v, K, lower, upper):
    """β_i + t and β_j - t, where t is the top of the parabola W(t) or the nearer end of the box  (17.12), (17.13).

    Changes β and the gradient v in place; returns the top and t.
    """
    K_i, K_j = K[i], K[j]
    top = (v[i] - v[j]) / max(K_i[i] + K_j[j] - 2 * K_i[j], TINY)
    t = min(
        top,  # the top of W
        upper[i] - beta[i],  # the bound of i
        beta[j] - lower[j],  # the bound of j
    )
    beta[i], beta[j] = beta[i] + t, beta[j] - t
    v -= t * (K_i - K_j)
    return top, t


def smo(beta, v, K, lower, upper, tol):
    """Move one pair after another until none violates (17.14) by more than tol; yield i, j, the top and t of each."""
    while True:
        i, j, violation = select_pair(beta, v, K, lower, upper)
        if violation <= tol:
            return
        yield i, j, *move_pair(i, j, beta, v, K, lower, upper)


def intercept(beta, v, lower, upper):
    """b: the mean v of the free points; with none, the middle of the interval that (17.14) leaves  (17.6)."""
    free = (beta > lower) & (beta < upper)
    if free.any():
        return v[free].mean()
    may_rise, may_fall = up_low_gradients(beta, v, lower, upper)
    return (may_rise.max() + may_fall.min()) / 2


# ---------------------------------------------------------------------------------------------------------------
# The linear machine from its primal: subgradient steps on the hinge loss
#
# X has a last column of ones, shape (n, d + 1); θ = (w, b), shape (d + 1,); lam = (λ, ..., λ, 0) spares b
# ---------------------------------------------------------------------------------------------------------------
def hinge_objective(theta, X, y, lam):
    """J(θ) = ½ λ ‖w‖² + the mean of max(0, 1 - y_i θᵀx_i)  (17.7)."""
    return 0.5 * lam @ theta**2 + np.maximum(0.0, 1.0 - y * (X @ theta)).mean()


def hinge_subgradient(theta, X, y, lam):
    """g = λ (w, 0) - the mean of y_i x_i 1{y_i θᵀx_i < 1}: no tangent of J lies above J  (17.19)."""
    violated = y * (X @ theta) < 1.0
    return lam * theta - (y * violated) @ X / len(X)


def pegasos_step(theta, t, X, y, lam, R2):
    """θ - η g with η = 1 / (λt + R²), on the rows X of a batch; R² is the mean ‖x_i‖² of all  (17.20)."""
    return theta - hinge_subgradient(theta, X, y, lam) / (lam[0] * t + R2)


def best_intercept(score, y):
    """The b that minimises Σ max(0, 1 - y_i (s_i + b)) for the scores s_i = wᵀx_i, of shape (n,).

    The sum is convex and made of straight pieces. Far on the left its slope is -P, where P points are of class +1; at
    each corner, b = y_i - s_i, it grows by 1. So it is zero from corner number P to the next one in order: b is the
    middle between the two. Both classes must be there.
    """
    corners, positive = np.sort(y - score), np.count_nonzero(y > 0)
    return float((corners[positive - 1] + corners[positive]) / 2)
