"""The dual of a quadratic program."""

from dataclasses import dataclass

import numpy as np

from mlcore.base import check_numbers
from mlcore.constrained_optimization.problem import EPS, OUT_OF_RANGE, checked_qp, max_abs, rounded
from mlcore.constrained_optimization.solver import solve_qp

__all__ = ["LagrangianDual", "lagrangian_dual"]


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
    _curvature: np.ndarray
    _rows: np.ndarray
    _sides: np.ndarray
    _slope: np.ndarray

    def __call__(self, multipliers, equality_multipliers=None):
        """Return θ(α, β) = min_x L(x, α, β), or -inf where L has no minimum."""
        w = self._joined(multipliers, equality_multipliers)
        if not self._has_minimum(w):
            return -np.inf
        return self._value(w)

    def minimizer(self, multipliers, equality_multipliers=None):
        """Return the shortest x that minimises L(x, α, β), of shape (n,), or None where L has no minimum."""
        w = self._joined(multipliers, equality_multipliers)
        return self._curvature @ (self._rows.T @ w - self._slope) if self._has_minimum(w) else None

    @np.errstate(over="ignore", invalid="ignore")
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
        w, m = found.x, self.n_inequalities
        rounding = EPS * (np.abs(self._rows.T) @ np.abs(w) + np.abs(self._slope))  # of Aᵀα + Eᵀβ - p
        value, blur = self._value(w), rounding @ np.abs(self._curvature) @ rounding
        if not blur <= 1e-6 * (1 + np.abs(self._sides) @ np.abs(w)):
            raise ValueError(OUT_OF_RANGE)
        return value, w[:m], w[m:]

    def _value(self, w):
        """cᵀα + dᵀβ - ½ gᵀQ⁺g: in this form no large terms cancel."""
        with np.errstate(over="ignore", invalid="ignore"):
            pull = self._rows.T @ w - self._slope
            value = float(self._sides @ w - pull @ self._curvature @ pull / 2)
        if np.isnan(value):
            raise ValueError(OUT_OF_RANGE)
        return value

    def _has_minimum(self, w):
        """Q must curve in every direction in which the linear part Aᵀα + Eᵀβ - p pulls."""
        pull = max_abs(self._rows) * max_abs(w) + max_abs(self._slope)
        return max_abs(self.qp["E"] @ w - self.qp["d"]) <= 1e-9 * pull

    def _joined(self, multipliers, equality_multipliers):
        m, parts = self.n_inequalities, []
        for name, value, length in (
            ("multipliers", multipliers, m), ("equality_multipliers", equality_multipliers, len(self._rows) - m),
        ):
            part = np.zeros(0) if value is None else check_numbers(value, name)
            if part.shape != (length,):
                raise ValueError(f"{name} must be {length} numbers, got shape {part.shape}")
            parts.append(part)
        return np.concatenate(parts)


def lagrangian_dual(Q, p, A=None, c=None, *, E=None, d=None):
    """Return the dual function θ(α, β) of a convex quadratic program, ready to be evaluated and maximised.

    The Lagrangian is L(x, α, β) = ½ xᵀQx + pᵀx + αᵀ(c - Ax) + βᵀ(d - Ex). It is least where Qx = Aᵀα + Eᵀβ - p, so

        θ(α, β) = min_x L = cᵀα + dᵀβ - ½ gᵀQ⁺g,   g = Aᵀα + Eᵀβ - p   (Q⁺ is the pseudo-inverse),

    if g lies in the range of Q, and -inf otherwise. For α >= 0 it is a lower bound of every feasible objective (weak
    duality, 弱对偶), and its maximum d* equals the least feasible objective p* (strong duality, 强对偶).

    Parameters
    ----------
    Q, p, A, c, E, d
        As for ``solve_qp``; c must be finite.

    Returns
    -------
    LagrangianDual
        ``dual(alpha, beta)`` evaluates θ, ``dual.maximize()`` returns d*, ``dual.qp`` is the dual as a QP.

    Raises
    ------
    ValueError
        As ``solve_qp``.

    References
    ----------
    Notes A (173)-(176); Notes B, Lagrangian duality; Notes C 1.5.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    if np.isinf(qp.c).any():
        raise ValueError("c holds -inf: leave those rows out, they constrain nothing")
    m, rows, sides = len(qp.c), np.vstack([qp.A, qp.E]), np.concatenate([qp.c, qp.d])
    if len(rows) == 0:
        raise ValueError("without constraints there are no multipliers, so there is no dual problem: pass A, c or E, d")
    eigenvalues, vectors = np.linalg.eigh(qp.Q)
    curved = eigenvalues > 1e-12 * eigenvalues.max()
    curvature = (vectors[:, curved] / eigenvalues[curved]) @ vectors[:, curved].T
    flat = vectors[:, ~curved].T
    with np.errstate(over="ignore", invalid="ignore"):
        program = {
            "Q": rows @ curvature @ rows.T, "p": -(rows @ curvature @ qp.p) - sides,
            "A": np.eye(len(rows))[:m], "c": np.zeros(m),
            "E": rounded(flat @ rows.T, max_abs(rows)), "d": rounded(flat @ qp.p, max_abs(qp.p)),
        }
        constant = float(-qp.p @ curvature @ qp.p / 2)
    if not all(np.isfinite(number).all() for number in (constant, *program.values())):
        raise ValueError(OUT_OF_RANGE)
    program["Q"] = program["Q"] / 2 + program["Q"].T / 2
    return LagrangianDual(program, constant, m, curvature, rows, sides, qp.p)
