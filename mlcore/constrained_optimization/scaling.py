"""Before Newton's method: variables, constraints and objective in units in which the numbers are near 1."""

from dataclasses import dataclass

import numpy as np

from mlcore.constrained_optimization.problem import max_abs
from mlcore.core.constrained_optimization import QP

__all__ = ["Scale", "equilibrate"]


@dataclass(frozen=True)
class Scale:
    """Back to the given problem: x = column · x̂, α = height · row · α̂, β = height · equality · β̂."""

    column: np.ndarray
    row: np.ndarray
    equality: np.ndarray
    height: float

    def back(self, x, s, alpha, beta):
        """The same point of the given problem."""
        return self.column * x, s / self.row, self.height * self.row * alpha, self.height * self.equality * beta


def equilibrate(qp):
    """Choose units, powers of two, so that changing to them and back rounds nothing.

    x gets the length of a typical c or d, or of the minimiser without constraints, |p| / |Q|, if that is nearer (but no
    unit in which it would have to be longer than 1e6), and the objective the size of its largest term.

    Returns
    -------
    QP, Scale
    """
    column, row, equality = _shapes(qp)
    curvature, pull = max_abs(column[:, np.newaxis] * qp.Q * column), max_abs(column * qp.p)
    free = pull / curvature if curvature > 0 else 0.0
    walls = np.abs(np.concatenate([row * qp.c, equality * qp.d]))
    near = np.median(walls[walls > 0]) if walls.any() else free or 1.0
    demanded = max((row * qp.c).max(initial=0.0), max_abs(equality * qp.d))
    length = _power_of_two(max(min(near, free or near), 1e-6 * demanded, 1e-6 * free))
    column, row, equality = length * column, row / length, equality / length
    height = _power_of_two(max(length**2 * curvature, length * pull) or 1.0)
    return QP(
        column[:, np.newaxis] * qp.Q * column / height, column * qp.p / height,
        row[:, np.newaxis] * qp.A * column, row * qp.c, equality[:, np.newaxis] * qp.E * column, equality * qp.d,
    ), Scale(column, row, equality, height)


def _shapes(qp):
    """Units of the variables, inequalities and equations, but for a common length.

    Variables that Q bends get units in which they bend alike, each constraint one in which its largest number is 1, and
    variables that Q does not bend one in which the largest number of their column is 1 (Ruiz 2001: divide by the root
    of the largest, again and again, until rows and columns both have that).
    """
    bend, rows = np.diag(qp.Q), np.abs(np.vstack([qp.A, qp.E]))
    flat = bend <= 0
    logs = np.log(np.where(flat, 1.0, bend))
    column = np.where(flat, 1.0, np.exp((logs.sum() / max((~flat).sum(), 1) - logs) / 2))
    unit = np.ones(len(rows))
    for _ in range(10 if flat.any() and len(rows) else 0):
        scaled = unit[:, np.newaxis] * rows * column
        unit /= np.sqrt(_positive(scaled.max(axis=1)))
        column[flat] /= np.sqrt(_positive(scaled.max(axis=0)))[flat]
    unit = 1 / _positive((rows * column).max(axis=1))
    return _power_of_two(column), *np.split(_power_of_two(unit), [len(qp.c)])


def _positive(sizes):
    return np.where(sizes > 0, sizes, 1.0)


def _power_of_two(values):
    return np.exp2(np.round(np.log2(values)))
