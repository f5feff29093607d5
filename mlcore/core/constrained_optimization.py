"""Chapter 16. Constrained optimisation (约束优化): quadratic programs, their multipliers and their duals.

    minimise ½ xᵀQx + pᵀx   subject to   Ax >= c,  Ex = d          (Q positive semidefinite)

    x           the variables, of shape (n,)
    s, α        slacks Ax - c and multipliers of the inequalities, of shape (m,)
    β           multipliers of the equations, of shape (l,)

Notes C (4), with equations added.
"""

from typing import NamedTuple

import numpy as np


class QP(NamedTuple):
    """minimise ½ xᵀQx + pᵀx subject to Ax >= c, Ex = d: n variables, m inequalities, l equations."""

    Q: np.ndarray
    p: np.ndarray
    A: np.ndarray
    c: np.ndarray
    E: np.ndarray
    d: np.ndarray


# ---------------------------------------------------------------------------------------------------------------
# The KKT conditions
# ---------------------------------------------------------------------------------------------------------------
def kkt_residual(Q, p, A, c, E, d, x, alpha, beta):
    """What (16.6) misses: Qx + p - Aᵀα - Eᵀβ = 0; Ax - c >= 0, Ex - d = 0; α >= 0; α_i (Ax - c)_i = 0.

    Returns arrays of shapes (n,), (m,), (l,), (m,) and (m,).
    """
    slope = Q @ x + p - A.T @ alpha - E.T @ beta
    slack = A @ x - c
    return slope, np.minimum(slack, 0), E @ x - d, np.minimum(alpha, 0), alpha * slack


# ---------------------------------------------------------------------------------------------------------------
# The dual
#
# R, sides     the rows of A and of E, of shape (m + l, n), and c and d;   w = (α, β) the multipliers of the two
# inverse      Q⁻¹; where Q is singular, its pseudo-inverse;   the rows of flat, of shape (k, n), are the f with Qf = 0
# ---------------------------------------------------------------------------------------------------------------
def dual_value(w, inverse, R, sides, p):
    """θ(α, β) = cᵀα + dᵀβ - ½ rᵀQ⁻¹r with r = Aᵀα + Eᵀβ - p, where L has a minimum  (16.10)."""
    r = R.T @ w - p
    return sides @ w - r @ inverse @ r / 2


def dual_program(inverse, flat, R, sides, p, m):
    """-θ as a quadratic program in w: Q = RQ⁻¹Rᵀ, p = -RQ⁻¹p - sides; α >= 0; and r has no flat part: fᵀ(Rᵀw - p) = 0.

    θ(w) is the constant -½ pᵀQ⁻¹p minus its objective; m is the length of α.
    """
    return {
        "Q": R @ inverse @ R.T, "p": -R @ inverse @ p - sides,
        "A": np.eye(len(R))[:m], "c": np.zeros(m),
        "E": flat @ R.T, "d": flat @ p,
    }


# ---------------------------------------------------------------------------------------------------------------
# Mehrotra's interior point method (内点法)
#
#     Qx + p - Aᵀα - Eᵀβ = 0,   Ax - s = c,   Ex = d,   s_i α_i = σμ       (μ = sᵀα / m,  0 <= σ <= 1)
#
# is what each step aims at; with σ = 0 these are the KKT conditions. r_x, r_s, r_β are what the first three still miss,
# r = s∘α - σμ. factor(D) returns the function solve(top, bottom) that solves
#
#     [Q + AᵀDA  Eᵀ; E  0] (u, -v) = (top, bottom)       for a diagonal matrix D
# ---------------------------------------------------------------------------------------------------------------
def missing(qp, x, s, alpha, beta):
    """r_x = Qx + p - Aᵀα - Eᵀβ,  r_s = Ax - s - c,  r_β = Ex - d, of shapes (n,), (m,) and (l,)."""
    r_x = qp.Q @ x + qp.p - qp.A.T @ alpha - qp.E.T @ beta
    return r_x, qp.A @ x - s - qp.c, qp.E @ x - qp.d


def newton_step(r, missed, s, alpha, A, solve):
    """Δx, Δs, Δα, Δβ that make up for all that is missed: r_x, r_s, r_β, and αΔs + sΔα = -r  (16.13)."""
    r_x, r_s, r_beta = missed
    dx, dbeta = solve(-r_x - A.T @ ((r + alpha * r_s) / s), -r_beta)
    ds = A @ dx + r_s
    return dx, ds, -(r + alpha * ds) / s, dbeta


def step_length(s, ds, alpha, dalpha, share):
    """The largest t <= 1 that takes at most this share of any s_i or α_i: tΔs >= -share s and tΔα >= -share α."""
    return share / max(share, (-ds / s).max(), (-dalpha / alpha).max())


def predictor_corrector(missed, s, alpha, A, solve):
    """Try σ = 0; let σ = (μ after the trial / μ)³; aim at σμ with the trial's error Δs∘Δα taken off  (16.14).

    Returns Δx, Δs, Δα, Δβ. Both Newton steps have the same matrix.
    """
    mu = s @ alpha / len(s)
    _, ds, dalpha, _ = newton_step(s * alpha, missed, s, alpha, A, solve)
    t = step_length(s, ds, alpha, dalpha, share=1.0)
    sigma = ((s + t * ds) @ (alpha + t * dalpha) / len(s) / mu) ** 3
    return newton_step(s * alpha + ds * dalpha - sigma * mu, missed, s, alpha, A, solve)


FAR = 1e6
"""In a problem whose numbers are near 1, where to start does not depend on how far beyond this a wall is."""


def start(qp, solve):
    """x, s, α, β where ½ xᵀQx + pᵀx + ½‖Ax - c‖² is least on Ex = d: there α = -(Ax - c) are the multipliers.

    So Ax - c = s - α; of the s, α > 0 with that difference take those with all products equal to the square of the mean
    of |Ax - c|. ``solve`` is ``factor`` of weights 1.
    """
    x, beta = solve(qp.A.T @ np.maximum(qp.c, -FAR) - qp.p, qp.d)
    room = qp.A @ x - qp.c
    middle = np.sqrt(room**2 / 4 + max(0.1, np.minimum(np.abs(room), FAR).mean()) ** 2)
    return x, middle + room / 2, middle - room / 2, beta


def mehrotra(qp, factor, max_iter):
    """Walk towards the KKT point (16.6) through the inside, s > 0 and α > 0; yields (x, s, α, β)."""
    x, s, alpha, beta = start(qp, factor(np.ones(len(qp.c))))
    yield x, s, alpha, beta
    for _ in range(max_iter):
        missed, solve = missing(qp, x, s, alpha, beta), factor(alpha / s)
        dx, ds, dalpha, dbeta = predictor_corrector(missed, s, alpha, qp.A, solve)
        t = step_length(s, ds, alpha, dalpha, share=0.99)
        x, s, alpha, beta = x + t * dx, s + t * ds, alpha + t * dalpha, beta + t * dbeta
        yield x, s, alpha, beta


def kkt_matrix(H, R, delta):
    """[H + δI  Rᵀ; R  -δI], of shape (n + r, n + r) for H of shape (n, n) and R of shape (r, n)  (16.13)."""
    return np.block([[H + delta * np.eye(len(H)), R.T], [R, -delta * np.eye(len(R))]])


def solve_kkt(matrix, top, bottom):
    """Solve [H Rᵀ; R 0] (u, -v) = (top, bottom) for u and v."""
    solution = np.linalg.solve(matrix, np.concatenate([top, bottom]))
    return solution[: len(top)], -solution[len(top) :]


# ---------------------------------------------------------------------------------------------------------------
# The active constraints as equations: R, r are the active rows of A, c and all rows of E, d; w their multipliers
# ---------------------------------------------------------------------------------------------------------------
def active_set_step(Q, p, R, r, x, w, delta=1e-9):
    """Δx, Δw to where Qx + p = Rᵀw and Rx = r: all of (16.6) that is left once the active rows R are known.

    The ±δ makes the matrix regular where rows of R depend on one another or Q is flat. It makes the step a little
    wrong; another step mends that.
    """
    return solve_kkt(kkt_matrix(Q, R, delta), R.T @ w - Q @ x - p, r - R @ x)


# ---------------------------------------------------------------------------------------------------------------
# Where there is no solution: proofs, from linear programs that always have one
#
# The columns of N, of shape (n, k), span the directions r with Qr = 0 and Er = 0
# ---------------------------------------------------------------------------------------------------------------
def least_violation(A, c, E, d):
    """minimise t over (x, t), subject to Ax + t >= c, Ex + t >= d, -Ex + t >= -d, t >= 0.

    Where the least t is above 0, the multipliers (y, v₊, v₋) of the first three are Farkas' weights y and v = v₊ - v₋.
    """
    n = A.shape[1]
    rows = np.vstack([A, E, -E, np.zeros((1, n))])
    with_t = np.column_stack([rows, np.ones(len(rows))])
    sides, t = np.concatenate([c, d, -d, [0.0]]), np.eye(n + 1)[n]
    return QP(0 * np.eye(n + 1), t, with_t, sides, E=np.zeros((0, n + 1)), d=np.zeros(0))


def falling_ray(p, A, N):
    """minimise pᵀr over all directions r = Nt with Ar >= 0 and |r_j| <= 1: below 0, the objective falls for ever."""
    n, k = N.shape
    rows = np.vstack([A @ N, N, -N])
    sides = np.concatenate([np.zeros(len(A)), -np.ones(2 * n)])
    return QP(0 * np.eye(k), p @ N, rows, sides, E=np.zeros((0, k)), d=np.zeros(0))


# ---------------------------------------------------------------------------------------------------------------
# One variable at a time
# ---------------------------------------------------------------------------------------------------------------
def best_coordinate(Q, p, lower, upper, x, j):
    """x_j + (p_j - (Qx)_j) / Q_jj, the top of W(x) = pᵀx - ½ xᵀQx along axis j, put into its interval  (16.16)."""
    slope = p[j] - Q[j] @ x
    if Q[j, j] > 0:
        top = x[j] + slope / Q[j, j]
    else:  # W is straight along j: to the end, or stay
        top = np.sign(slope) * np.inf if slope else x[j]
    return min(max(top, lower[j]), upper[j])
