"""Where there is no solution: proofs that no point is feasible, or that the objective falls for ever."""

import numpy as np

from mlcore.constrained_optimization.interior_point import minimise
from mlcore.constrained_optimization.problem import max_abs
from mlcore.engines.interior_point import QP
from mlcore.numerics import solve

__all__ = ["empty_contradiction", "farkas", "least_violation", "steepest_ray"]


def empty_contradiction(A, c, E, d):
    """A row of zeros asks for 0 >= c_i or 0 = d_j. Where that is false, the weight 1 / c_i or 1 / d_j is a proof."""
    wrong = np.concatenate([~A.any(axis=1) & (c > 0), ~E.any(axis=1) & (d != 0)])
    weights = np.zeros(len(wrong))
    if wrong.any():
        row = np.argmax(wrong)
        weights[row] = 1 / np.concatenate([c, d])[row]
    return (weights[: len(c)], weights[len(c) :]) if wrong.any() else None


def farkas(qp, y, v):
    """The weights nearest to y, v with Aᵀy + Eᵀv = 0 to the last digits, made to cᵀy + dᵀv = 1; None if impossible.

    Weights of 0 stay 0, so that few constraints are named.
    """
    rows, weights = np.concatenate([qp.A, qp.E]), np.concatenate([y, v])
    used = weights != 0
    R = rows[used]
    for _ in range(3):
        weights[used] -= R @ solve(R.T @ R, R.T @ weights[used])
    y, v = np.maximum(weights[: len(y)], 0.0), weights[len(y) :]
    gain = qp.c @ y + qp.d @ v
    if not max_abs(qp.A.T @ y + qp.E.T @ v) < 1e-9 * gain:
        return None
    return y / gain, v / gain


def least_violation(qp):
    """The linear program that always has a solution: minimise t, subject to Ax + t >= c, Ex ± t on both sides of d.

    Its multipliers are the weights of Farkas' lemma where t > 0.
    """
    n = len(qp.p)
    rows = np.vstack([qp.A, qp.E, -qp.E, np.zeros((1, n))])
    return QP(
        np.zeros((n + 1, n + 1)), np.eye(n + 1)[n], np.column_stack([rows, np.ones(len(rows))]),
        np.concatenate([qp.c, qp.d, -qp.d, [0.0]]), np.zeros((0, n + 1)), np.zeros(0),
    )


def prove(qp, x, alpha, beta, tol):
    """Return a proof that a problem whose numbers are near 1 has no solution.

    The multipliers of a walk that found no feasible point often are the weights already; else two linear programs tell.

    Returns
    -------
    ("infeasible", (y, v)), ("unbounded", (a feasible x, the ray r)) or None
    """
    m, l = len(qp.c), len(qp.d)
    weights = farkas(qp, np.where(alpha > 1e-4 * max_abs(alpha), alpha, 0.0), beta)
    if weights is not None:
        return "infeasible", weights
    (nearest, push, _), error, _ = minimise(least_violation(qp), tol, 200)
    if error > tol:
        return None
    if nearest[-1] > 10 * tol * (1 + max(max_abs(qp.c), max_abs(qp.d))):
        weights = farkas(qp, push[:m], push[m : m + l] - push[m + l : m + 2 * l])
        return ("infeasible", weights) if weights is not None else None
    ray = steepest_ray(qp, tol)
    return ("unbounded", (nearest[:-1], ray)) if ray is not None else None


def steepest_ray(qp, tol):
    """The direction r with Qr = 0, Er = 0, Ar >= 0 and |r_j| <= 1 along which pᵀr is least; None if it is 0.

    The r with Qr = 0 and Er = 0 are Nt for an orthonormal N; what is left is a linear program in t.
    """
    _, singular, directions = np.linalg.svd(np.vstack([qp.Q, qp.E]))
    N = directions[np.count_nonzero(singular > 1e-9 * singular[0]) :].T
    n, k = N.shape
    if k == 0:
        return None
    rows = np.vstack([qp.A @ N, N, -N])
    rows[np.abs(rows) < 1e-12] = 0.0  # rounding in place of 0 would count as a wall
    program = QP(
        np.zeros((k, k)), qp.p @ N, rows, np.append(np.zeros(len(qp.c)), -np.ones(2 * n)), np.zeros((0, k)), np.zeros(0)
    )
    (t, *_), error, _ = minimise(program, tol, 200)
    ray = N @ t
    missed = max(max_abs(qp.Q @ ray), max_abs(qp.E @ ray), max_abs(np.minimum(qp.A @ ray, 0)))
    return None if error > tol or qp.p @ ray >= -1e-7 * max_abs(qp.p) or missed > 1e-9 else ray / max_abs(ray)
