"""After Newton's method: the active constraints as equations, which give the last digits."""

import numpy as np

from mlcore.constrained_optimization.kkt import relative_error
from mlcore.constrained_optimization.problem import max_abs
from mlcore.core.constrained_optimization import active_set_step

__all__ = ["polish"]


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
