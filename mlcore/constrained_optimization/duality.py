"""The dual of a quadratic program."""

from dataclasses import dataclass

import numpy as np

from mlcore.base import door
from mlcore.constrained_optimization.problem import PROGRAM, checked_qp, checked_vector, max_abs
from mlcore.constrained_optimization.solver import solve_qp
from mlcore.core.constrained_optimization import dual_program, dual_value

__all__ = ["LagrangianDual", "lagrangian_dual"]


def inverse_and_flat(Q):
    """Q⁻¹ (the pseudo-inverse) and the directions in which Q is flat, from its eigenvectors."""
    eigenvalues, vectors = np.linalg.eigh(Q)
    curved = eigenvalues > 1e-12 * eigenvalues.max()
    return (vectors[:, curved] / eigenvalues[curved]) @ vectors[:, curved].T, vectors[:, ~curved].T


@dataclass(frozen=True)
class LagrangianDual:
    """The dual function of a convex quadratic program; see ``lagrangian_dual``.

    Attributes
    ----------
    qp : dict
        The dual as a quadratic program in w = (α, β), with keys Q, p, A, c, E, d for ``solve_qp(**dual.qp)``:
        θ(w) = constant - (½ wᵀQw + pᵀw) on the w with Ew = d, and θ(w) = -inf elsewhere; Aw >= c says α >= 0.
    constant : float
    n_inequalities : int
        The length of α; the rest of w is β.
    """

    qp: dict
    constant: float
    n_inequalities: int
    _parts: tuple

    def __call__(self, multipliers, equality_multipliers=None):
        """Return θ(α, β) = min_x L(x, α, β), or -inf where L has no minimum."""
        w = self._joined(multipliers, equality_multipliers)
        return float(dual_value(w, *self._parts)) if self._has_minimum(w) else -np.inf

    def minimizer(self, multipliers, equality_multipliers=None):
        """Return the shortest x that minimises L(x, α, β), of shape (n,), or None where L has no minimum."""
        w, (inverse, R, _, p) = self._joined(multipliers, equality_multipliers), self._parts
        return inverse @ (R.T @ w - p) if self._has_minimum(w) else None

    def maximize(self):
        """Return the largest value d* of θ over α >= 0 and the α and β that reach it.

        Returns
        -------
        value : float
            -inf if θ is -inf for all α >= 0; inf if it grows without end (then the primal is infeasible).
        multipliers, equality_multipliers : ndarray or None
            None unless the value is finite.
        """
        found = solve_qp(**self.qp)
        if found.status == "max_iter":
            raise ArithmeticError(f"the dual problem was not solved: {found.message}")
        if found.status != "optimal":
            return -found.objective, None, None
        return float(dual_value(found.x, *self._parts)), *np.split(found.x, [self.n_inequalities])

    def _has_minimum(self, w):
        """Q must curve in every direction in which the linear part Aᵀα + Eᵀβ - p pulls."""
        _, R, _, p = self._parts
        return max_abs(self.qp["E"] @ w - self.qp["d"]) <= 1e-9 * (max_abs(R) * max_abs(w) + max_abs(p))

    def _joined(self, multipliers, equality_multipliers):
        m, l = self.n_inequalities, len(self.qp["p"]) - self.n_inequalities
        beta = checked_vector(equality_multipliers, "equality_multipliers", l)
        return np.concatenate([checked_vector(multipliers, "multipliers", m), beta])


@door(**PROGRAM)
def lagrangian_dual(Q, p, A=None, c=None, *, E=None, d=None):
    """Return the dual function θ(α, β) of a convex quadratic program, ready to be evaluated and maximised.

    The Lagrangian is L(x, α, β) = ½ xᵀQx + pᵀx + αᵀ(c - Ax) + βᵀ(d - Ex), and θ(α, β) = min_x L, -inf where L has no
    minimum. For α >= 0 it is a lower bound of every feasible objective (weak duality, 弱对偶), and its maximum d*
    equals the least feasible objective p* (strong duality, 强对偶). Notes A (173)-(176); Notes B, Lagrangian duality;
    Notes C 1.5.

    Returns
    -------
    LagrangianDual
        ``dual(alpha, beta)`` evaluates θ, ``dual.maximize()`` returns d*, ``dual.qp`` is the dual as a QP.

    Raises
    ------
    ValueError
        As ``solve_qp``; or if c is not finite.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    if np.isinf(qp.c).any():
        raise ValueError("c holds -inf: leave those rows out, they constrain nothing")
    R, sides = np.vstack([qp.A, qp.E]), np.concatenate([qp.c, qp.d])
    if len(R) == 0:
        raise ValueError("without constraints there are no multipliers, so there is no dual problem: pass A, c or E, d")
    inverse, flat = inverse_and_flat(qp.Q)
    program = dual_program(inverse, flat, R, sides, qp.p, len(qp.c))
    for name, size in (("E", max_abs(R)), ("d", max_abs(qp.p))):
        program[name][np.abs(program[name]) <= 1e-13 * size] = 0.0  # rounding would count as an equation of its own
    return LagrangianDual(program, float(-qp.p @ inverse @ qp.p / 2), len(qp.c), (inverse, R, sides, qp.p))
