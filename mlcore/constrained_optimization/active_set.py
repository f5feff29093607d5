"""After Newton's method: the active constraints as equations, which give the last digits."""

from dataclasses import replace

import numpy as np

from mlcore.constrained_optimization.interior_point import Iterate, kkt_matrix, solve_kkt
from mlcore.constrained_optimization.problem import EPS, max_abs

__all__ = ["on_active_set", "polish", "scaled_error"]


def scaled_error(qp, iterate):
    """The largest KKT residual of a scaled problem, each relative to its own number. (All iterates have α >= 0.)

    What large x and multipliers leave by rounding is forgiven. A negative xᵀQx shows that rounding in a Q that should
    be semidefinite was taken for curvature.
    """
    x, z, y = iterate.x, iterate.multipliers, iterate.equality_multipliers
    pull, slack, (columns, p, A, c, E, d) = qp.Q @ x, qp.A @ x - qp.c, qp.sizes
    longest, largest = max_abs(x), max_abs(np.concatenate([x, z, y]))
    if not largest <= 1e10:  # what is left after sums of such terms is rounding (or they are no numbers)
        return np.inf
    in_side, in_slope = min(100 * EPS * longest, 1e-6), min(100 * EPS * largest, 1e-6)
    bend, height = x @ pull, qp.p @ x
    terms = columns + z @ A + np.abs(y) @ E
    return max(
        _excess(np.abs(pull + qp.p - z @ qp.A - y @ qp.E), in_slope, p + np.minimum(terms, 1) + 1e-100),
        _excess(-slack, in_side, 1 + c),
        _excess(np.abs(qp.E @ x - qp.d), in_side, 1 + d),
        _excess(np.abs(z * slack), in_side * max_abs(z), 1 + abs(bend / 2 + height)),
        -bend / (1 + abs(height)),
    )


def _excess(values, forgiven, size):
    return float(((values - forgiven) / size).max(initial=0.0))


def polish(qp, iterate, error, rounds=5):
    """Take the active constraints as equations: then the KKT conditions are linear, and one solve meets them exactly.

    Where the guess (active if α_i > s_i) was wrong, an equation has α_i < 0 or a left-out constraint is violated; the
    guess is mended and tried again. Returns the best point, which may be the given one, and its error.
    """
    best, least = iterate, error
    active = iterate.multipliers > iterate.slack
    for _ in range(rounds):
        try:
            candidate = on_active_set(qp, iterate, active)
        except np.linalg.LinAlgError:
            break
        negative, violated = candidate.multipliers < 0, candidate.slack < 0
        clipped = replace(candidate, multipliers=np.maximum(candidate.multipliers, 0))
        error = scaled_error(qp, clipped)
        if error <= max(least, 1e-13):
            best, least = clipped, error
        if least <= 1e-13 or not (negative | violated).any():
            break
        active = (active & ~negative) | violated
    return best, least


def on_active_set(qp, iterate, active, delta=1e-9):
    """Solve Qx + p = Rᵀw, Rx = r for the rows R of the active constraints and of E, by the smallest change.

    R may have dependent rows, and many x or w may do. So the matrix is made regular by ±δ on its diagonal, and repeated
    solves remove the error that this makes, as long as they help.
    """
    R, r = np.concatenate([qp.A[active], qp.E]), np.concatenate([qp.c[active], qp.d])
    x, w = iterate.x, np.concatenate([iterate.multipliers[active], iterate.equality_multipliers])
    matrix, before = kkt_matrix(qp.Q, R, delta), np.inf
    for _ in range(6):
        slope, gap = qp.Q @ x + qp.p - w @ R, R @ x - r
        left = max(max_abs(slope), max_abs(gap))
        if not 1e-15 < left < before / 2:
            break
        dx, dw = solve_kkt(matrix, -slope, -gap)
        x, w, before = x + dx, w + dw, left
    slack, multipliers, count = qp.A @ x - qp.c, np.zeros(len(qp.c)), len(r) - len(qp.d)
    slack[np.abs(slack) <= 1e-14 * (1 + np.abs(qp.c))] = 0.0  # on the wall
    multipliers[active] = w[:count]
    return Iterate(x, slack, multipliers, w[count:])
