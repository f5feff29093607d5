"""After Newton's method: the active constraints as equations, which give the last digits.

R and r hold the active rows of A, c and all rows of E, d; w their multipliers.
"""

import numpy as np

from mlcore.constrained_optimization.kkt import kkt_matrix, relative_error, solve_kkt
from mlcore.constrained_optimization.problem import max_abs

__all__ = ["active_set_step", "polish"]


def active_set_step(Q, p, R, r, x, w, delta=1e-9):
    """Δx, Δw to where Qx + p = Rᵀw and Rx = r: all of (16.5) that is left once the active rows R are known.

    The ±δ makes the matrix regular where rows of R depend on one another or Q is flat. It makes the step a little
    wrong; another step mends that.
    """
    return solve_kkt(kkt_matrix(Q, R, delta), R.T @ w - Q @ x - p, r - R @ x)


def polish(qp, x, alpha, beta, active, rounds=5):
    """Try a guess of the active constraints, and mend it where it was wrong.

    It was wrong where an equation has α_i < 0 (no wall pulls) or a constraint that was left out is violated.

    Returns
    -------
    tuple
        The best (x, α, β), and its error.
    """
    best, least = (x, alpha, beta), relative_error(qp, x, alpha, beta)
    for _ in range(rounds):
        try:
            x, alpha, beta = _on_active_set(qp, *best, active)
        except np.linalg.LinAlgError:
            break
        negative, violated = alpha < 0, qp.A @ x < qp.c - 1e-14 * (1 + np.abs(qp.c))
        alpha = np.maximum(alpha, 0)
        error = relative_error(qp, x, alpha, beta)
        if error <= max(least, 1e-13):
            best, least = (x, alpha, beta), error
        if least <= 1e-13 or not (negative | violated).any():
            break
        active = (active & ~negative) | violated
    return best, least


def _on_active_set(qp, x, alpha, beta, active):
    """Step as long as it helps; return (x, α, β) with α = 0 for the constraints that are not active."""
    R, r = np.concatenate([qp.A[active], qp.E]), np.concatenate([qp.c[active], qp.d])
    w, before = np.concatenate([alpha[active], beta]), np.inf
    for _ in range(6):
        left = max(max_abs(qp.Q @ x + qp.p - R.T @ w), max_abs(R @ x - r))
        if not 1e-15 < left < before / 2:
            break
        dx, dw = active_set_step(qp.Q, qp.p, R, r, x, w)
        x, w, before = x + dx, w + dw, left
    alpha, count = np.zeros(len(qp.c)), np.count_nonzero(active)
    alpha[active] = w[:count]
    return x, alpha, w[count:]
