"""``solve_qp``: from the problem through units, Newton's method and the active set to a solution or a proof."""

from dataclasses import replace

import numpy as np

from mlcore.base import check_int, check_real
from mlcore.constrained_optimization.active_set import polish, scaled_error
from mlcore.constrained_optimization.interior_point import newton_steps
from mlcore.constrained_optimization.problem import OUT_OF_RANGE, QPSolution, checked_qp, max_abs, spread
from mlcore.constrained_optimization.proofs import empty_contradiction, prove
from mlcore.constrained_optimization.units import equilibrate, regular

__all__ = ["central_path", "solve_qp"]


def solve_qp(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Minimise ½ xᵀQx + pᵀx subject to Ax >= c and Ex = d.

    Newton's method on the KKT conditions (``central_path``) comes closer to the solution step by step. On the way one
    sees which constraints are active, and with those as equations the KKT conditions are linear: if the guess is right,
    one more solve gives x and the multipliers to the last digits. If neither arrives, one linear program tells whether
    any point is feasible, another whether the objective falls for ever; the answers come with a proof.

    Parameters
    ----------
    Q : array-like of shape (n, n)
        Symmetric, positive semidefinite; zeros give a linear program.
    p : array-like of shape (n,)
    A : array-like of shape (m, n), optional
    c : array-like of shape (m,), optional
        An entry may be -inf: no constraint.
    E : array-like of shape (l, n), optional
    d : array-like of shape (l,), optional
    tol : float > 0
        The largest residual of the KKT conditions that counts as solved. It is measured in units of the variables, the
        constraints and the objective in which the numbers of the problem are near 1, relative to 1 + |c_i|, 1 + |d_i|,
        1 + |p_j| and 1 + |objective|; the rounding of large x and multipliers (1e-14 of them) is not counted.
    max_iter : int >= 1
        The largest number of Newton steps.

    Returns
    -------
    QPSolution
        Look at its ``status`` first.

    Raises
    ------
    ValueError
        If shapes do not match, a number is not finite, Q is not symmetric or not positive semidefinite, or if numbers
        or the solution leave the range of float64.

    References
    ----------
    Notes C 1.2; S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2 (1992).
    """
    qp = checked_qp(Q, p, A, c, E, d)
    tol, max_iter = check_real("tol", tol, low=0, low_open=True), check_int("max_iter", max_iter, low=1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = empty_contradiction(qp) or _solve(qp, tol, max_iter)
    proof = found.certificate if isinstance(found.certificate, tuple) else (found.certificate,)
    numbers = [v for v in (found.x, found.multipliers, found.equality_multipliers, *proof) if v is not None]
    if found.status in ("optimal", "max_iter"):
        numbers.append(found.objective)
    if not all(np.isfinite(v).all() for v in numbers):
        raise ValueError(OUT_OF_RANGE)
    return found


def _solve(qp, tol, max_iter, explain=True):
    """Solve a checked problem; with ``explain``, prove it where there is no solution."""
    kept = ~np.isneginf(qp.c) & qp.A.any(axis=1)  # the other rows are satisfied by every x
    qp = replace(qp, A=qp.A[kept], c=qp.c[kept])
    scaled, scale = equilibrate(qp)
    far = scaled.c < -1e6  # a huge number in place of -inf: first see whether the solution minds
    if far.any():
        found = _solve(replace(qp, c=np.where(far, -np.inf, qp.c)), tol, max_iter, explain=False)
        if found.status == "optimal" and (qp.A[far] @ found.x >= qp.c[far]).all():
            return replace(found, multipliers=spread(found.multipliers, kept))
    solution, error, steps = _search(scaled, tol, max_iter)
    if error > tol and explain:
        proof = prove(scaled, scale, kept, tol, lambda program: _solve(program, tol, 200, explain=False))
        if proof is not None:
            return replace(proof, n_iter=steps)
    found = scale.back(solution)
    x = _onto_bounds(qp, found)
    status, message = "optimal", f"solved in {steps} Newton steps"
    if error > tol:
        status, message = "max_iter", (
            f"stopped after {steps} Newton steps with a relative KKT residual of {error:.1e} (tol={tol:g}); that the "
            "problem is infeasible or unbounded could not be proved: raise max_iter or tol, or scale the problem"
        )
    return QPSolution(
        status, x, spread(found.multipliers, kept), found.equality_multipliers, qp.objective(x), message, None, steps
    )


def _search(qp, tol, max_iter):
    """Return the best point found for a scaled problem, its error and its Newton step.

    When two iterates in a row lean on the same constraints (α_i > s_i), these are probably the active ones, long before
    Newton's method arrives: one tries whether they are. One also tries once the iterates come no nearer, because of
    rounding. Where the multipliers show that every feasible x is very long, there is probably none: then one stops.
    """
    best, least, number = None, np.inf, 0
    nearest, idle, leaning, tried = np.inf, 0, None, None
    for steps, iterate in enumerate(newton_steps(*regular(qp), max_iter)):
        found, error = iterate, scaled_error(qp, iterate)
        idle = 0 if error < nearest else idle + 1  # so many steps came no nearer
        nearest = min(error, nearest)
        before, leaning = leaning, iterate.multipliers > iterate.slack
        settled = np.array_equal(before, leaning) and not np.array_equal(tried, leaning)
        if settled or idle in (2, 4, 8) or error <= tol:
            tried = leaning
            found, error = polish(qp, iterate, error)
        if best is None or error < least:
            best, number, least = found, steps, error
        if least <= 1e-3 * tol or idle >= (5 if least <= tol else 15) or (idle and _least_length(qp, iterate) > 1e7):
            return best, least, number
    return *polish(qp, best, least), number


def _least_length(qp, iterate):
    """How long each feasible x must be: (Aᵀα + Eᵀβ)ᵀx >= cᵀα + dᵀβ holds for it, so Σ|x_j| >= their ratio."""
    z, y = iterate.multipliers, iterate.equality_multipliers
    return (qp.c @ z + qp.d @ y) / (max_abs(z @ qp.A + y @ qp.E) or np.inf)


def _onto_bounds(qp, found):
    """Return x with every variable that sits on an active bound exactly there: a multiplier 0 or C is 0 or C."""
    x = found.x.copy()
    bounds = (found.slack == 0) & (np.count_nonzero(qp.A, axis=1) == 1)
    columns = np.abs(qp.A[bounds]).argmax(axis=1)
    x[columns] = qp.c[bounds] / qp.A[bounds, columns]
    return x + 0.0  # no -0.0


def central_path(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Yield the steps of Newton's method that ``solve_qp`` takes, from its starting point to within ``tol``.

    They approach the solution through the inside of the constraints, near the central path (中心路径): the curve of
    the points at which all products s_i α_i are equal.

    Parameters
    ----------
    Q, p, A, c, E, d, tol, max_iter
        As for ``solve_qp``. The problem must have a solution; else the iterates grow without end or stand still.

    Yields
    ------
    Iterate

    Raises
    ------
    ValueError
        As ``solve_qp``.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    if np.isneginf(qp.c).any():
        raise ValueError("c holds -inf: leave those rows out, they constrain nothing")
    tol, max_iter = check_real("tol", tol, low=0, low_open=True), check_int("max_iter", max_iter, low=1)

    def steps():
        scaled, scale = equilibrate(qp)
        path, error = newton_steps(*regular(scaled), max_iter), np.inf
        while not error <= tol:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                iterate = next(path, None)
                if iterate is None:
                    return
                error, found = scaled_error(scaled, iterate), scale.back(iterate)
            if not all(np.isfinite(part).all() for part in vars(found).values()):
                return
            yield found

    return steps()
