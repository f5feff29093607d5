"""The KKT conditions, and by how much they are missed."""

from dataclasses import astuple, dataclass

import numpy as np

from mlcore.base import check_numbers
from mlcore.constrained_optimization.problem import checked_qp, max_abs

__all__ = ["KKTResiduals", "kkt_residuals"]


@dataclass(frozen=True)
class KKTResiduals:
    """By how much each of the KKT conditions is missed: the largest violation, in absolute value.

    Attributes
    ----------
    stationarity : float
        Qx + p - Aᵀα - Eᵀβ = 0.
    primal : float
        Ax >= c and Ex = d.
    dual : float
        α >= 0.
    complementarity : float
        α_i (Ax - c)_i = 0.
    """

    stationarity: float
    primal: float
    dual: float
    complementarity: float

    @property
    def worst(self):
        """The largest of the four."""
        return max(self.stationarity, self.primal, self.dual, self.complementarity)


def kkt_residuals(Q, p, A, c, x, multipliers, *, E=None, d=None, equality_multipliers=None):
    """Measure how well a point and its multipliers satisfy the KKT conditions of a quadratic program.

    For a convex problem they are sufficient: all four zero means that x is a minimiser.

    Parameters
    ----------
    Q, p, A, c, E, d
        The problem, as for ``solve_qp``.
    x : array-like of shape (n,)
    multipliers : array-like of shape (m,)
        α of Ax >= c; None without such constraints.
    equality_multipliers : array-like of shape (l,)
        β of Ex = d; None without such constraints.

    Returns
    -------
    KKTResiduals

    Raises
    ------
    ValueError
        If shapes do not match or Q is not convex.

    References
    ----------
    Notes A (177)-(181), with h(w) = 0 (which (178) says) and g(w) <= 0 written out; Notes C 1.5.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    values = []
    for name, value, length in (
        ("x", x, len(qp.p)), ("multipliers", multipliers, len(qp.c)),
        ("equality_multipliers", equality_multipliers, len(qp.d)),
    ):
        array = np.zeros(0) if value is None else check_numbers(value, name)
        if array.shape != (length,):
            raise ValueError(f"{name} must have shape ({length},), got {array.shape}")
        values.append(array)
    with np.errstate(over="ignore", invalid="ignore"):
        found = _residuals(qp, *values)
    return KKTResiduals(*(np.inf if np.isnan(value) else value for value in astuple(found)))  # inf - inf is no zero


def _residuals(qp, x, z, y):
    slack = qp.A @ x - qp.c
    pulls = z != 0  # rows with c = -inf have infinite slack and must not
    return KKTResiduals(
        stationarity=max_abs(qp.Q @ x + qp.p - qp.A.T @ z - qp.E.T @ y),
        primal=max(max_abs(np.minimum(slack, 0)), max_abs(qp.E @ x - qp.d)),
        dual=max_abs(np.minimum(z, 0)),
        complementarity=max_abs(z[pulls] * slack[pulls]),
    )
