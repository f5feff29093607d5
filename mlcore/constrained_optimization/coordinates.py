"""Coordinate ascent: one variable at a time."""

import numpy as np

from mlcore.base import check_numbers
from mlcore.constrained_optimization.problem import checked_qp
from mlcore.core.constrained_optimization import best_coordinate
from mlcore.optimize import coordinate_descent

__all__ = ["coordinate_ascent", "maximize_in_box"]


def coordinate_ascent(maximize_coordinate, x0, max_iter=1000, tol=1e-8):
    """Maximise W over one coordinate at a time, the others held fixed, in turn (坐标上升).

    To climb W is to descend -W, so the loop is ``mlcore.optimize.coordinate_descent``.

    Parameters
    ----------
    maximize_coordinate : callable
        ``maximize_coordinate(x, j)`` returns the value of coordinate j that maximises W, all others as in x.
    x0 : array-like of shape (d,)
    max_iter : int >= 0
        The largest number of sweeps over all coordinates.
    tol : float >= 0
        It stops after a sweep in which no coordinate moved by more.

    Yields
    ------
    ndarray of shape (d,)
        The starting point, then one iterate for each coordinate.

    Raises
    ------
    ValueError
        For bad arguments, or (as ``DivergenceError``) if W has no maximum along a coordinate.

    References
    ----------
    Notes A 7.8.1.
    """
    return coordinate_descent(maximize_coordinate, x0, max_iter=max_iter, tol=tol)


def maximize_in_box(Q, p, lower=-np.inf, upper=np.inf):
    """Return the coordinate maximiser of W(x) = pᵀx - ½ xᵀQx in a box, for ``coordinate_ascent``.

    Parameters
    ----------
    Q : array-like of shape (d, d)
        Symmetric, positive semidefinite.
    p : array-like of shape (d,)
    lower, upper : float or array-like of shape (d,)

    Returns
    -------
    callable
        (x, j) -> float.

    Raises
    ------
    ValueError
        If Q is not positive semidefinite, shapes differ or a lower bound is above its upper bound.
    """
    Q, p, *_ = checked_qp(Q, p, None, None, None, None)
    lower, upper = _bound(lower, "lower", len(p)), _bound(upper, "upper", len(p))
    if not (lower <= upper).all():
        raise ValueError("every lower bound must be at most its upper bound")

    def maximize_coordinate(x, j):
        if np.shape(x) != p.shape:
            raise ValueError(f"x must have one coordinate for each of the {len(p)} of p, got shape {np.shape(x)}")
        return best_coordinate(Q, p, lower, upper, x, j)

    return maximize_coordinate


def _bound(bound, name, d):
    bound = check_numbers(bound, name, allow_infinity=True)
    if bound.shape not in ((), (d,)):
        raise ValueError(f"{name} must be one number or {d}, got shape {bound.shape}")
    return np.broadcast_to(bound, (d,))
