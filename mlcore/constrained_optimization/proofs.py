"""Where there is no solution: proofs that no point is feasible, or that the objective falls for ever."""

import numpy as np

from mlcore.constrained_optimization.problem import QP, QPSolution, max_abs, rounded, spread

__all__ = ["empty_contradiction", "infeasible", "prove"]


def empty_contradiction(qp):
    """A row of zeros asks for 0 >= c_i or 0 = d_j. Where that is false, it is a proof of its own, in any units."""
    y, v = (~qp.A.any(axis=1) & (qp.c > 0)).astype(float), (~qp.E.any(axis=1) & (qp.d != 0)).astype(float)
    if not y.any() and not v.any():
        return None
    row = int(np.argmax(np.concatenate([y, v])))
    name, side = (f"row {row} of A", qp.c[row]) if y.any() else (f"row {row - len(y)} of E", qp.d[row - len(y)])
    message = f"{name} is zero, and no x makes that {'>=' if y.any() else '='} {side:.3g}: it contradicts itself"
    weights = (np.arange(len(y) + len(v)) == row) / side
    return QPSolution("infeasible", None, None, None, np.inf, message, (weights[: len(y)], weights[len(y) :]))


def prove(qp, scale, kept, tol, minimise):
    """Return a solution object that proves a scaled problem infeasible or unbounded; None if neither can be proved.

    First, minimise the largest violation t of a constraint: a linear program that always has a solution. ``minimise``
    solves such programs; see ``solver``.
    """
    nearest = minimise(_least_violation(qp))
    if nearest.status != "optimal":
        return None
    if nearest.objective > 10 * tol * (1 + max(max_abs(qp.c), max_abs(qp.d))):
        return infeasible(qp, scale, kept, nearest)
    return _unbounded(qp, scale, nearest.x[:-1], minimise)


def _least_violation(qp):
    """The program: minimise t over (x, t) subject to Ax + t >= c, Ex + t >= d, -Ex + t >= -d, t >= 0."""
    n = len(qp.p)
    rows = np.vstack([qp.A, qp.E, -qp.E, np.zeros((1, n))])
    return QP(
        np.zeros((n + 1, n + 1)), np.eye(n + 1)[n], np.column_stack([rows, np.ones(len(rows))]),
        np.concatenate([qp.c, qp.d, -qp.d, [0.0]]), np.zeros((0, n + 1)), np.zeros(0),
    )


def infeasible(qp, scale, kept, nearest):
    """Turn the multipliers of the least violation t > 0 into Farkas' certificate.

    The linear program's own duality gives Aᵀy + Eᵀv = 0 and cᵀy + dᵀv = t.
    """
    m, l = len(qp.c), len(qp.d)
    y, v = nearest.multipliers[:m], nearest.multipliers[m : m + l] - nearest.multipliers[m + l : m + 2 * l]
    y, v = _balanced(qp, y, v)
    gain = qp.c @ y + qp.d @ v
    if not max_abs(y @ qp.A + v @ qp.E) < 1e-9 * gain:
        return None
    certificate = spread(scale.row * y / gain, kept), scale.equality * v / gain
    message = (
        f"no x satisfies all constraints: {np.count_nonzero(y) + np.count_nonzero(v)} of them contradict one another. "
        "With (y, v) from the certificate, Aᵀy + Eᵀv = 0 although cᵀy + dᵀv = 1"
    )
    return QPSolution("infeasible", None, None, None, np.inf, message, certificate)


def _balanced(qp, y, v):
    """Return weights with Aᵀy + Eᵀv = 0 to the last digits: the nearest ones with the same zeros."""
    rows, weights = np.vstack([qp.A, qp.E]), np.concatenate([y, v])
    pulling = weights != 0
    weights[pulling] -= np.linalg.lstsq(rows[pulling].T, weights[pulling] @ rows[pulling], rcond=1e-10)[0]
    return np.maximum(weights[: len(y)], 0.0), weights[len(y) :]


def _unbounded(qp, scale, point, minimise):
    """Look for a ray from a feasible point: a direction r that the constraints allow, Q does not feel, and pᵀr < 0.

    The r with Qr = 0 and Er = 0 are Nt for an orthonormal N. The linear program "minimise pᵀNt over those with ANt >= 0
    and |r_j| <= 1" always has a solution, because r = 0 is allowed.
    """
    _, singular, directions = np.linalg.svd(np.vstack([qp.Q, qp.E]))
    N = directions[np.count_nonzero(singular > 1e-9 * singular[0]) :].T
    n, k = N.shape
    along, box = rounded(qp.A @ N, 1e3), rounded(N, 1e3)
    program = QP(
        np.zeros((k, k)), qp.p @ N, np.vstack([along, box, -box]),
        np.concatenate([np.zeros(len(along)), -np.ones(2 * n)]), np.zeros((0, k)), np.zeros(0),
    )
    found = minimise(program) if k else None
    if found is None or found.status != "optimal" or found.objective >= -1e-7 * max_abs(qp.p):
        return None
    ray = N @ found.x / max_abs(N @ found.x)
    if max(max_abs(qp.Q @ ray), max_abs(qp.E @ ray), max_abs(np.minimum(qp.A @ ray, 0))) > 1e-9:
        return None
    slope, ray = scale.height * (qp.p @ ray), scale.column * ray
    slope, ray = slope / max_abs(ray), ray / max_abs(ray)
    message = (
        "the objective falls for ever: from the feasible point x, each step along the direction in the certificate "
        f"lowers it by {-slope:.3g}, and no constraint is ever in the way"
    )
    return QPSolution("unbounded", scale.column * point, None, None, -np.inf, message, ray)
