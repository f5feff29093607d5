"""Newton's method through the inside of the constraints, and at its end the active constraints as equations."""

import numpy as np

from mlcore.constrained_optimization.active_set import polish
from mlcore.constrained_optimization.kkt import relative_error
from mlcore.constrained_optimization.problem import max_abs
from mlcore.core.constrained_optimization import kkt_matrix, solve_kkt
from mlcore.engines.interior_point import interior_point
from mlcore.numerics import weighted_gram

__all__ = ["factor", "minimise"]

GRAIN = 1e-10
"""On the diagonal of Newton's matrix, which is then regular; numbers near 1 do not notice."""


def factor(qp):
    """Return what ``engines.interior_point`` asks for: the solver of a step's equations, for given weights D."""
    def with_weights(weights):
        matrix = kkt_matrix(qp.Q + weighted_gram(qp.A, weights), qp.E, GRAIN)
        return lambda top, bottom: solve_kkt(matrix, top, bottom)

    return with_weights


def minimise(qp, tol, max_iter):
    """Solve a problem whose numbers are near 1, as well as possible.

    When two iterates in a row lean on the same constraints (α_i > s_i), these are probably the active ones, long before
    Newton's method arrives: one tries whether they are. One stops where no step came nearer, because of rounding, or
    where the multipliers show that every feasible x is very long: there is probably none.

    Returns
    -------
    tuple
        The best (x, α, β), its error, and the number of steps.
    """
    guess = np.zeros(len(qp.p)), np.zeros(len(qp.c)), np.zeros(len(qp.d))
    if not len(qp.c):
        return *polish(qp, *guess, active=guess[1] > 0), 0
    best, least, nearest, idle, leaning, tried = guess, np.inf, np.inf, 0, None, None
    for steps, (x, s, alpha, beta) in enumerate(interior_point(qp, factor(qp), max_iter)):  # noqa: B007
        found, error = (x, alpha, beta), relative_error(qp, x, alpha, beta)
        nearest, idle = min(error, nearest), 0 if error < nearest else idle + 1
        before, leaning = leaning, alpha > s
        settled = np.array_equal(before, leaning) and not np.array_equal(tried, leaning)
        if error < 0.1 and (settled or idle in (2, 4, 8)) or error <= tol:
            found, error = polish(qp, x, alpha, beta, leaning)
            tried = leaning
        if error < least:
            best, least = found, error
        if least <= 1e-3 * tol or idle >= (5 if least <= tol else 15) or (idle and _x_is_long(qp, alpha, beta)):
            break
    return best, least, steps


def _x_is_long(qp, alpha, beta):
    """Every feasible x has (Aᵀα + Eᵀβ)ᵀx >= cᵀα + dᵀβ, so Σ|x_j| is at least the ratio of the two."""
    pull = max_abs(qp.A.T @ alpha + qp.E.T @ beta) * max(1.0, max_abs(qp.c), max_abs(qp.d))
    return qp.c @ alpha + qp.d @ beta > 1e7 * pull
