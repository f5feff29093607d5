"""``solve_qp``: from the problem through units, Newton's method and the active set to a solution or a proof."""

from typing import NamedTuple

import numpy as np

from mlcore.base import door
from mlcore.constrained_optimization.certificates import empty_contradiction, prove
from mlcore.constrained_optimization.interior_point import factor, minimise
from mlcore.constrained_optimization.kkt import relative_error
from mlcore.constrained_optimization.problem import PROGRAM, STOP, QPSolution, checked_qp, max_abs, spread
from mlcore.constrained_optimization.scaling import equilibrate
from mlcore.engines.interior_point import interior_point
from mlcore.numerics import finite

__all__ = ["Iterate", "central_path", "solve_qp"]


@door(**PROGRAM, **STOP)
def solve_qp(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Minimise ½ xᵀQx + pᵀx subject to Ax >= c and Ex = d.

    Newton's method on the KKT conditions (``central_path``) comes closer to the solution step by step. On the way one
    sees which constraints are active, and with those as equations the KKT conditions are linear: if the guess is right,
    one more solve gives x and the multipliers to the last digits. If neither arrives, one linear program tells whether
    any point is feasible, another whether the objective falls for ever; the answers come with a proof.

    Notes C 1.2; S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2 (1992).

    Returns
    -------
    QPSolution
        Look at its ``status`` first.

    Raises
    ------
    ValueError
        If shapes do not match, a number is not finite, or Q is not symmetric or not positive semidefinite.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    weights = empty_contradiction(*qp[2:])
    if weights is not None:
        return _infeasible(*weights, 0)
    kept = np.isfinite(qp.c) & qp.A.any(axis=1)  # the other rows are satisfied by every x
    qp = qp._replace(A=qp.A[kept], c=qp.c[kept])
    scaled, scale = equilibrate(qp)
    found, error, steps = minimise(scaled, tol, max_iter)
    proof = prove(scaled, *found[1:], tol) if error > tol else None
    if proof is None:
        return _found(qp, kept, scaled, scale, found, error, steps, tol)
    status, first, second = proof
    if status == "infeasible":
        return _infeasible(spread(scale.row * first, kept), scale.equality * second, steps)
    return _unbounded(scale.column * first, scale.column * second, qp.p, steps)


def _found(qp, kept, scaled, scale, found, error, steps, tol):
    status, message = "optimal", f"solved in {steps} Newton steps"
    if error > tol:
        status, message = "max_iter", (
            f"stopped after {steps} Newton steps with a relative KKT residual of {error:.1e} (tol={tol:g}); that the "
            "problem is infeasible or unbounded could not be proved: raise max_iter or tol, or scale the problem"
        )
    room = scaled.A @ found[0] - scaled.c
    x, _, alpha, beta = scale.back(found[0], room, *found[1:])
    x = _onto_bounds(qp, x, np.abs(room) <= 1e-12 * (1 + np.abs(scaled.c)))
    objective = finite(float(x @ qp.Q @ x / 2 + qp.p @ x), "the objective overflows: rescale the problem")
    return QPSolution(status, x, spread(alpha, kept), beta, objective, message, None, steps)


def _infeasible(y, v, steps):
    named = [f"{_rows(weights)} of {name}" for weights, name in ((y, "A"), (v, "E")) if weights.any()]
    message = (
        f"no x satisfies {' and '.join(named)}: they contradict one another, since with (y, v) from the certificate "
        "Aᵀy + Eᵀv = 0 although cᵀy + dᵀv = 1"
    )
    return QPSolution("infeasible", None, None, None, np.inf, message, (y, v), steps)


def _rows(weights):
    """The numbers of the rows that have a weight, as a text; of many, the first few."""
    rows = [str(row) for row in np.flatnonzero(weights)]
    return f"row{'s' * (len(rows) > 1)} " + ", ".join(rows[:5] + ["..."] * (len(rows) > 5))


def _unbounded(x, ray, p, steps):
    ray = ray / max_abs(ray)
    message = (
        "the objective falls for ever: from the feasible point x, each step along the direction in the certificate "
        f"lowers it by {-p @ ray:.3g}, and no constraint is ever in the way"
    )
    return QPSolution("unbounded", x, None, None, -np.inf, message, ray, steps)


def _onto_bounds(qp, x, active):
    """Return x with every variable that an active bound holds exactly there: a multiplier 0 or C is 0 or C."""
    bounds = active & (np.count_nonzero(qp.A, axis=1) == 1)
    columns = np.abs(qp.A[bounds]).argmax(axis=1)
    x[columns] = qp.c[bounds] / qp.A[bounds, columns]
    return x + 0.0  # no -0.0


class Iterate(NamedTuple):
    """A point on the way to the solution, strictly inside in s and α."""

    x: np.ndarray
    """Of shape (n,)."""
    slack: np.ndarray
    """s > 0, which becomes Ax - c, of shape (m,)."""
    multipliers: np.ndarray
    """α > 0, of shape (m,)."""
    equality_multipliers: np.ndarray
    """β, of shape (l,)."""


@door(**PROGRAM, **STOP)
def central_path(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Yield the steps of Newton's method that ``solve_qp`` takes, from its starting point to within ``tol``.

    They approach the solution through the inside of the constraints, near the central path (中心路径): the curve of
    the points at which all products s_i α_i are equal. There must be an inequality, and the problem must have a
    solution; else the iterates grow without end or stand still.

    Yields
    ------
    Iterate

    Raises
    ------
    ValueError
        As ``solve_qp``.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    if not len(qp.c):
        raise ValueError("without inequalities there is no inside: pass A and c")
    if np.isinf(qp.c).any():
        raise ValueError("c holds -inf: leave those rows out, they constrain nothing")

    def steps():
        scaled, scale = equilibrate(qp)
        for x, s, alpha, beta in interior_point(scaled, factor(scaled), max_iter):
            yield Iterate(*scale.back(x, s, alpha, beta))
            if relative_error(scaled, x, alpha, beta) <= tol:
                return

    return steps()
