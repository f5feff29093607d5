"""Where there is no solution: proofs that no point is feasible, or that the objective falls for ever."""

import numpy as np

from mlcore.constrained_optimization.interior_point import minimise
from mlcore.constrained_optimization.problem import max_abs
from mlcore.core.constrained_optimization import falling_ray, least_violation
from mlcore.numerics import solve

__all__ = ["empty_contradiction", "farkas", "prove"]


def empty_contradiction(A, c, E, d):
    """A row of zeros asks for 0 >= c_i or 0 = d_j. Where that is false, the weight 1 / c_i or 1 / d_j is a proof."""
    wrong = np.concatenate([~A.any(axis=1) & (c > 0), ~E.any(axis=1) & (d != 0)])
    if not wrong.any():
        return None
    weights, row = np.zeros(len(wrong)), np.argmax(wrong)
    weights[row] = 1 / np.concatenate([c, d])[row]
    return weights[: len(c)], weights[len(c) :]


def prove(qp, alpha, beta, tol):
    """Return a proof that a problem whose numbers are near 1 has no solution.

    The multipliers of a walk that found no feasible point often are the weights already; else two linear programs tell.

    Returns
    -------
    ("infeasible", y, v), ("unbounded", a feasible x, the ray r) or None
    """
    m, l = len(qp.c), len(qp.d)
    weights = farkas(qp, np.where(alpha > 1e-4 * max_abs(alpha), alpha, 0.0), beta)
    if weights is not None:
        return "infeasible", *weights
    ((*x, least), push, _), error, _ = minimise(least_violation(*qp[2:]), tol, max_iter=200)
    if error > tol:
        return None
    if least > 10 * tol * (1 + max(max_abs(qp.c), max_abs(qp.d))):
        weights = farkas(qp, push[:m], push[m : m + l] - push[m + l : -1])
        return ("infeasible", *weights) if weights is not None else None
    ray = _ray(qp, tol)
    return ("unbounded", np.array(x), ray) if ray is not None else None


def farkas(qp, y, v):
    """The weights nearest to y, v with Aᵀy + Eᵀv = 0 to the last digits, made to cᵀy + dᵀv = 1; None if impossible.

    Weights of 0 stay 0, so that few constraints are named.
    """
    weights = np.concatenate([y, v])
    used = weights != 0
    R = np.concatenate([qp.A, qp.E])[used]
    for _ in range(3):
        weights[used] -= R @ solve(R.T @ R, R.T @ weights[used])
    y, v = np.maximum(weights[: len(y)], 0.0), weights[len(y) :]
    gain = qp.c @ y + qp.d @ v
    if not max_abs(qp.A.T @ y + qp.E.T @ v) < 1e-9 * gain:
        return None
    return y / gain, v / gain


def _ray(qp, tol):
    _, singular, directions = np.linalg.svd(np.vstack([qp.Q, qp.E]))
    N = directions[np.count_nonzero(singular > 1e-9 * singular[0]) :].T
    if N.shape[1] == 0:
        return None
    program = falling_ray(qp.p, qp.A, N)
    program.A[np.abs(program.A) < 1e-12] = 0.0  # rounding in place of 0 would count as a wall
    (t, *_), error, _ = minimise(program, tol, max_iter=200)
    ray = N @ t
    missed = max(max_abs(qp.Q @ ray), max_abs(qp.E @ ray), max_abs(np.minimum(qp.A @ ray, 0)))
    return None if error > tol or qp.p @ ray >= -1e-7 * max_abs(qp.p) or missed > 1e-9 else ray / max_abs(ray)
