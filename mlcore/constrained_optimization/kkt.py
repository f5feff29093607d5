"""By how much the KKT conditions are missed."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mlcore.base import REQUIRED, anything, door
from mlcore.constrained_optimization.problem import PROGRAM, checked_qp, checked_vector, max_abs
from mlcore.core.constrained_optimization import kkt_residual

__all__ = ["KKTResiduals", "kkt_residuals", "relative_error"]


def relative_error(qp, x, alpha, beta):
    """The largest residual of a problem whose numbers are near 1; what large x and multipliers leave is forgiven.

    It is infinite where their rounding would hide everything: sums of terms of 1e29 prove nothing.
    """
    longest, largest = max_abs(x), max_abs(np.concatenate([x, alpha, beta]))
    if not largest <= 1e9:
        return np.inf
    slope, inside, on, push, touch = map(max_abs, kkt_residual(*qp, x, alpha, beta))
    return max(slope / (1 + 1e-5 * largest), max(inside, on) / (1 + 1e-5 * longest), push, touch / (1 + largest))


class KKTResiduals(NamedTuple):
    """By how much each of the KKT conditions is missed: the largest violation, in absolute value."""

    stationarity: float
    """Qx + p - Aᵀα - Eᵀβ = 0."""
    primal: float
    """Ax >= c and Ex = d."""
    dual: float
    """α >= 0."""
    complementarity: float
    """α_i (Ax - c)_i = 0."""

    @property
    def worst(self):
        """The largest of the four."""
        return max(self)


@door(
    **{name: replace(entry, default=REQUIRED) if name in ("A", "c") else entry for name, entry in PROGRAM.items()},
    x=anything(REQUIRED, "array-like of shape (n,)", "The point."),
    multipliers=anything(REQUIRED, "array-like of shape (m,)", "α of Ax >= c; None without such constraints."),
    equality_multipliers=anything(
        None, "array-like of shape (l,), optional", "β of Ex = d; None without such constraints."
    ),
)
def kkt_residuals(Q, p, A, c, x, multipliers, *, E=None, d=None, equality_multipliers=None):
    """Measure how well a point and its multipliers satisfy the KKT conditions of a quadratic program.

    For a convex problem they are sufficient: all four zero means that x is a minimiser. Notes A (177)-(181), with
    h(w) = 0 (which (178) says) and g(w) <= 0 written out; Notes C 1.5.

    Returns
    -------
    KKTResiduals

    Raises
    ------
    ValueError
        If shapes do not match or Q is not convex.
    """
    qp = checked_qp(Q, p, A, c, E, d)
    x = checked_vector(x, "x", len(qp.p))
    alpha = checked_vector(multipliers, "multipliers", len(qp.c))
    beta = checked_vector(equality_multipliers, "equality_multipliers", len(qp.d))
    pulls = np.isfinite(qp.c) | (alpha != 0)  # rows with c = -inf have infinite slack and must not
    qp, alpha = qp._replace(A=qp.A[pulls], c=qp.c[pulls]), alpha[pulls]
    slope, inside, on, push, touch = map(max_abs, kkt_residual(*qp, x, alpha, beta))
    return KKTResiduals(slope, max(inside, on), push, touch)
