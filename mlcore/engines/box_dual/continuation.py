"""Continuation (延拓法): the dual for a small box, then for larger and larger ones, each from the one before.

With a large box and classes that overlap, SMO needs millions of tiny steps: the bounds lie far away, and the free
variables depend on each other. Both difficulties vanish once one knows which variables are at which bound, because the
rest is one system of linear equations. For a small box the guess is easy, and for one four times as large it changes
little. A small ridge ρ on the diagonal of K makes every system solvable; in the primal it rounds the corner of the
hinge, so that Newton's method with a line search finds the way.

Chapelle, "Training a support vector machine in the primal" (2007).
"""

import numpy as np

from mlcore.engines.box_dual.active_set import bordered

__all__ = ["continuation"]

GROWTH = 4.0
"""The box grows by about this factor from one stage to the next."""

START = 2.0
"""The first box, in steps of SMO from one bound to the other, about."""

WIDTH = 0.1
"""How far, in margins, the hinge is rounded on the way."""


def continuation(K, q, lower, upper, tol):
    """Maximise qᵀβ - ½ βᵀKβ subject to Σβ_i = 0 and lower <= β <= upper, nearly.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    q, lower, upper : ndarrays of shape (n,)
    tol : float
        The violation to aim at.

    Returns
    -------
    ndarray of shape (n,)
        β; the sum is only nearly 0.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the equations of a stage have no solution.
    """
    box = (upper - lower).max()
    spread = 2.0 * (K.diagonal().mean() - K.mean())  # the mean squared distance in feature space
    lowest = min(START / (spread * box), 1.0 / GROWTH) if spread > 0 else 1.0 / GROWTH
    beta, b, f = np.zeros(len(q)), 0.0, np.zeros(len(q))  # f = Kβ + b
    for scale, ridge in _stages(lowest, box, tol):
        beta, b, f = _newton(K, q, scale * lower, scale * upper, ridge, beta, b, f)
    return beta


def _stages(lowest, box, tol):
    """Pairs (scale of the box, ridge): larger boxes with a wide corner, then the whole one with ever sharper ones."""
    count = int(np.ceil(np.log(1.0 / lowest) / np.log(GROWTH)))
    scales = np.append(np.geomspace(lowest, 1.0, count + 1), np.ones(5))
    widths = np.append(np.full(count, WIDTH), np.geomspace(WIDTH, min(tol, WIDTH) / 50, 6))
    return list(zip(scales, 2.0 * widths / (scales * box)))


def _newton(K, q, lower, upper, ridge, beta, b, f, max_iter=60):
    """Maximise qᵀβ - ½ βᵀ(K + ρI)β in the box, from β, b and f on: each step of Newton's method lowers the primal.

    A free variable has β_i = z_i = (q_i - f_i) / ρ; the guess is right where z lies beyond the bound for all others.
    """
    slack = 1e-9 * (upper - lower)
    for _ in range(max_iter):
        z = (q - f) / ridge
        if ((z <= lower) | (z >= upper)).all():
            shift = _shift(q - f, lower, upper, ridge)
            b, f = b + shift, f + shift
            z = (q - f) / ridge
        free = (z > lower) & (z < upper)
        new, new_b, new_f = _equations(K, q, np.where(free, 0.0, np.clip(z, lower, upper)), free, ridge, b)
        z = (q - new_f) / ridge
        inside = (z > lower - slack) & (z < upper + slack)
        if inside[free].all() and (np.clip(z, lower, upper) == new)[~free].all():
            return new, new_b, new_f
        move, move_b, move_f = new - beta, new_b - b, new_f - f
        start, curvature = beta @ (move_f - move_b), move @ (move_f - move_b)
        t = _share(start, curvature, q - f, move_f, lower, upper, ridge)
        beta, b, f = beta + t * move, b + t * move_b, f + t * move_f
    return beta, b, f


def _shift(residual, lower, upper, ridge):
    """By how much to move b alone, to where the primal is lowest, where no free point determines it."""
    ends = residual.min() - ridge * upper.max(), residual.max() - ridge * lower.min()
    return _root(lambda shift: -np.clip((residual - shift) / ridge, lower, upper).sum(), *ends)


def _share(start, curvature, residual, move_f, lower, upper, ridge):
    """The share of the step at which the primal is lowest: where its slope, which only grows, is zero."""
    def slope(t):
        return start + t * curvature - np.clip((residual - t * move_f) / ridge, lower, upper) @ move_f

    return 1.0 if slope(1.0) <= 0 else _root(slope, 0.0, 1.0)


def _equations(K, q, beta, free, ridge, b):
    """β with K_FF β_F + ρ β_F + b = q_F - K_FB β_B and Σβ_F = -Σβ_B for the free F, and b and f = Kβ + b."""
    free, bound = np.flatnonzero(free), np.flatnonzero(beta)
    f = beta[bound] @ K[bound]
    if len(free):
        rows, right = K[free], np.append(q[free] - f[free], -beta.sum())
        *own, b = np.linalg.solve(bordered(rows[:, free], ridge), right)
        beta[free] = own
        f = f + np.asarray(own) @ rows
    return beta, b, f + b


def _root(function, left, right):
    """Where an increasing function is zero, by bisection."""
    for _ in range(40):
        middle = (left + right) / 2
        left, right = (left, middle) if function(middle) > 0 else (middle, right)
    return right
