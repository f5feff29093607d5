"""Chapter 17. Support vector machines (支持向量机): the widest margin, its dual, and how to find it two variables at a
time.

For other chapters: the models ``SVC`` and ``LinearSVC`` (``decision_function`` gives the scores that Platt scaling
needs), ``hinge_loss``, and the solver of the dual. Any problem  min ½ αᵀQα + pᵀα  subject to  yᵀα = 0 and 0 <= α <= C,
with  Q_ij = y_i y_j κ(x_i, x_j),  is set up by ``DualProblem.from_signs(Gram(kernel, X), p, y, C)`` and solved by
``run(solve_dual(problem, tol, max_iter))``; support vector regression is one, with ``Gram(kernel, X, copies=2)``.
"""

import numpy as np


# ---------------------------------------------------------------------------------------------------------------
# Margins (间隔), and the two quadratic programs that make the smallest one as large as possible.
#
# Here labels are the numbers +1 and -1, because the formulas multiply by them. Notes A 7.2-7.5, C 1, E.
# ---------------------------------------------------------------------------------------------------------------
def functional_margins(w, b, X, y):
    """γ̂_i = y_i (wᵀx_i + b), of shape (n,): positive where the point is on its side."""
    return y * (X @ w + b)


def geometric_margins(w, b, X, y):
    """γ_i = y_i (wᵀx_i + b) / ‖w‖, of shape (n,): the distance from the plane, with that sign  (17.1)."""
    return functional_margins(w, b, X, y) / np.linalg.norm(w)


def primal_matrices(X, y):
    """(17.2) in u = (b, w): Q = diag(0, 1, ..., 1) for ½‖w‖², p = 0, rows y_i (1, x_iᵀ) of A, c = 1."""
    n, d = X.shape
    Q = np.diag(np.append(0.0, np.ones(d)))
    A = y[:, np.newaxis] * np.column_stack([np.ones(n), X])
    return Q, np.zeros(d + 1), A, np.ones(n)


def dual_matrices(X, y):
    """-θ(α) = ½ αᵀQα - Σα_i with Q_ij = y_i y_j x_iᵀx_j; yᵀα >= 0, -yᵀα >= 0 and α >= 0  (17.4)."""
    signed = y[:, np.newaxis] * X
    A = np.vstack([y, -y, np.eye(len(y))])
    return signed @ signed.T, -np.ones(len(y)), A, np.zeros(len(A))


def support_share(alpha):
    """#{i : α_i > 0} / n, which the leave-one-out error does not exceed  (17.18)."""
    return np.count_nonzero(alpha > 0) / len(alpha)


# ---------------------------------------------------------------------------------------------------------------
# The support vector classifier: a soft margin, any kernel, trained by SMO.
# ---------------------------------------------------------------------------------------------------------------
def decision_values(K, beta, b):
    """f(x) = Σ_i α_i y_i κ(x_i, x) + b, from K_xi = κ(x, x_i) for the support vectors; shape (len(K),)  (17.11)."""
    return K @ beta + b


def kinds_of_points(alpha, C):
    """The rows of the support vectors, α > 0; of the free ones, 0 < α < C; of the bound ones, α = C  (17.9)."""
    support, below = alpha > 0, alpha < C
    return np.flatnonzero(support), np.flatnonzero(support & below), np.flatnonzero(~below)


def duality_gap(alpha, m, C):
    """Primal - dual = Σ_i C max(0, 1 - m_i) - α_i (1 - m_i): no term is negative, each 0 if (17.9) holds  (17.16)."""
    return (C * np.maximum(0.0, 1.0 - m) - alpha * (1.0 - m)).sum()


# ---------------------------------------------------------------------------------------------------------------
# Sequential minimal optimisation (序列最小优化, SMO): the dual of the support vector machine, two variables at a time.
#
#
# The dual is written in β_i = y_i α_i, which makes every formula shorter:
#
#     maximise W(β) = qᵀβ - ½ βᵀKβ   subject to   Σβ_i = 0,   lower_i <= β_i <= upper_i
#
# For classification q = y, and a point of class +1 has 0 <= β <= C, one of class -1 has -C <= β <= 0. Notes A 7.8.2;
# Fan, Chen and Lin, "Working set selection using second order information for training support vector machines"
# (2005).
# ---------------------------------------------------------------------------------------------------------------
def ballots(beta, v, lower, upper):
    """The votes v of those that may rise, and of those that may fall, each of shape (n,)."""
    return np.where(beta < upper, v, -np.inf), np.where(beta > lower, v, np.inf)


def select_pair(rising, falling, distances):
    """i has the highest vote that may rise; j makes (v_i - v_j)² / ‖φ(x_i) - φ(x_j)‖² the largest  (17.12), (17.14)."""
    i = int(rising.argmax())
    j = int(((rising[i] - falling) / distances[i]).argmax())
    return i, j


def move_pair(i, j, beta, rising, falling, K, distances, lower, upper):
    """β_i + t and β_j - t, where t is the top of the parabola W(t) or the nearer end of the box  (17.12), (17.13).

    Changes β and the votes v - t (K_i - K_j) in place; returns the top and t.
    """
    v_i, v_j = rising[i], falling[j]
    room_i, room_j = upper[i] - beta[i], beta[j] - lower[j]
    top = (v_i - v_j) / distances[i][j] ** 2
    t = min(top, room_i, room_j)
    beta[i] = upper[i] if t == room_i else beta[i] + t
    beta[j] = lower[j] if t == room_j else beta[j] - t
    falling[i], rising[j] = v_i, v_j  # who has risen may fall, and the other way round
    change = t * (K[i] - K[j])
    rising -= change
    falling -= change
    if t == room_i:
        rising[i] = -np.inf
    if t == room_j:
        falling[j] = np.inf
    return top, t


def smo(beta, rising, falling, K, distances, lower, upper, tol):
    """Move one pair after another until the voters agree: max of rising - min of falling <= tol  (17.14).

    Yields i, j, the top and the step t after each; β and the votes are changed in place.
    """
    while True:
        i, j = select_pair(rising, falling, distances)
        if rising[i] - falling[j] <= tol and rising[i] - falling.min() <= tol:
            return
        yield i, j, *move_pair(i, j, beta, rising, falling, K, distances, lower, upper)


def intercept(beta, v, lower, upper):
    """b: the mean vote of the free points; with none, the middle of the interval that (17.14) leaves  (17.6)."""
    free = (beta > lower) & (beta < upper)
    if free.any():
        return v[free].mean()
    rising, falling = ballots(beta, v, lower, upper)
    return (rising.max() + falling.min()) / 2


# ---------------------------------------------------------------------------------------------------------------
# The linear support vector classifier from its primal: subgradient steps on the hinge loss.
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
