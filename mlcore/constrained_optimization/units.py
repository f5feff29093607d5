"""Before Newton's method: a well-scaled problem whose Newton matrix is regular."""

from dataclasses import dataclass, replace

import numpy as np

from mlcore.constrained_optimization.interior_point import Iterate
from mlcore.constrained_optimization.problem import EPS, OUT_OF_RANGE, QP, is_positive_definite, max_abs

__all__ = ["Scale", "equilibrate", "regular"]


@dataclass(frozen=True)
class Scale:
    """Back to the given problem: x = column · x̂, α = height · row · α̂, β = height · equality · β̂."""

    column: np.ndarray
    row: np.ndarray
    equality: np.ndarray
    height: float

    def back(self, iterate):
        """The same point of the given problem."""
        return Iterate(
            self.column * iterate.x, iterate.slack / self.row, self.height * self.row * iterate.multipliers,
            self.height * self.equality * iterate.equality_multipliers,
        )


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def equilibrate(qp):
    """Choose units for variables, constraints and objective, such that the numbers of the problem are near 1.

    All units are powers of two: changing to them and back rounds nothing.
    """
    column = _column_units(qp)
    row, equality = (_inverse(np.abs(rows * column).max(axis=1)) for rows in (qp.A, qp.E))
    curvature = max_abs(column[:, None] * qp.Q * column)
    length, height = _units(curvature, column * qp.p, row * qp.c, equality * qp.d)
    column, row, equality = length * column, row / length, equality / length
    scaled = QP(
        column[:, None] * qp.Q * column / height, column * qp.p / height,
        row[:, None] * qp.A * column, row * qp.c, equality[:, None] * qp.E * column, equality * qp.d,
    )
    if not all(np.isfinite(getattr(scaled, name)).all() for name in "QpAcEd") or not 0 < height < np.inf:
        raise ValueError(OUT_OF_RANGE)
    return scaled, Scale(column, row, equality, height)


def _column_units(qp):
    """Return units u_j of the variables that fit the rows of all constraints and the diagonal of Q.

    Numbers are near 1 if their logarithms are near 0. So minimise, over log u, over log v of units of the rows and over
    log h of one of the objective,

        Σ w_ij (log |a_ij| + log v_i + log u_j)² + Σ (log Q_jj + 2 log u_j + log h)².

    The rows a_i are those of [A c; E d; pᵀ 0], with a small weight w for c, d and p, which decide only where nothing
    else does. Entries that are 0, or tiny in their row and in their column (rounding in place of 0), have weight 0;
    where Q_jj speaks for the column, tiny in the row is enough. The best log v_i and log h are means, which leaves a
    linear system in log u.
    """
    sizes = np.abs(np.block([[qp.A, qp.c[:, None]], [qp.E, qp.d[:, None]], [qp.p, 0.0]]))
    curved = np.diag(qp.Q) > 0
    in_column = np.where(np.append(curved, False), np.inf, sizes.max(axis=0))
    weights = (sizes > 1e-13 * np.minimum(sizes.max(axis=1, keepdims=True), in_column)).astype(float)
    logs = np.log(np.where(weights, sizes, 1.0))
    weights[:, -1] *= 1e-2
    weights[-1] *= 1e-2
    in_row = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    pull = weights * (logs - (in_row * logs).sum(axis=1, keepdims=True))
    matrix = (np.diag(weights.sum(axis=0) + 1e-9) - weights.T @ in_row)[:-1, :-1]
    logs = np.log(np.where(curved, np.diag(qp.Q), 1.0))
    pull_of_curves = 2 * curved * (logs - logs.sum() / max(curved.sum(), 1))
    matrix += 4 * np.diag(curved) - 4 * np.outer(curved, curved) / max(curved.sum(), 1)
    log_u = np.linalg.solve(matrix, -pull[:, :-1].sum(axis=0) - pull_of_curves)
    return _power_of_two(np.exp(log_u - log_u.mean()))  # what all have in common is left to ``_units``


def _units(curvature, p, c, d):
    """Return a unit for x and one for the objective.

    A good length is the median distance of a wall, or |p| / |Q| (how far away the bottom is without walls) if that is
    less. But x must be as long as d and the positive c demand, and may be as long as |p| / |Q|: a length far below
    would drown the rest in rounding.
    """
    free, demanded = max_abs(p) / (curvature or np.inf), max(c.max(initial=0.0), max_abs(d))
    walls = np.sort(np.abs(np.concatenate([c, d])))
    walls = walls[walls > 0]
    near = min([*walls[len(walls) // 2 :][:1], *([free] if free > 0 else [])], default=1.0)
    length = _power_of_two(max(near, 1e-6 * demanded, 1e-6 * free))
    return length, _power_of_two(length * max(length * curvature, max_abs(p)) or 1.0)


def _power_of_two(values):
    return np.exp2(np.round(np.log2(values)))


def _inverse(values):
    return _power_of_two(1 / np.where(values > 0, values, 1.0))


def regular(qp):
    """Return a problem with the same solutions whose Newton matrix is regular, and the matrix that takes its β back.

    Rows of E that depend on others are left out. Directions that neither Q nor any constraint notices are held at zero
    by a square of their own. If that changed the problem (contradicting equalities, or p falls along such a
    direction), the KKT conditions of the given problem cannot be met, and ``scaled_error`` will say so.
    """
    U, singular, W = np.linalg.svd(qp.E, full_matrices=False)
    rank = np.count_nonzero(singular > 1e-12 * singular.max(initial=0.0))
    take = U[:, :rank].T / singular[:rank, None]
    Q, n = qp.Q, len(qp.p)
    if not is_positive_definite(Q + qp.A.T @ qp.A + qp.E.T @ qp.E - 1e-8 * np.eye(n)):
        _, singular, directions = np.linalg.svd(np.vstack([Q, qp.A, qp.E]))
        unnoticed = directions[np.count_nonzero(singular > 10 * n * EPS * singular[0]):]
        Q = Q + unnoticed.T @ unnoticed
    return replace(qp, Q=Q, E=W[:rank], d=take @ qp.d), take.T
