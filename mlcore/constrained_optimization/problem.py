"""A quadratic program, checked, and what comes out when it is solved."""

from dataclasses import dataclass

import numpy as np

from mlcore.base import REQUIRED, anything, check_array, check_numbers, real, whole
from mlcore.core.constrained_optimization import QP

__all__ = ["PROGRAM", "STOP", "QPSolution", "checked_qp", "checked_vector", "max_abs", "spread"]


NO_BOUND = -1e20
"""A c_i at or below this is no constraint, as in other solvers."""


PROGRAM = {
    "Q": anything(REQUIRED, "array-like of shape (n, n)", "Symmetric, positive semidefinite (0: a linear program)."),
    "p": anything(REQUIRED, "array-like of shape (n,)", "The linear part."),
    "A": anything(None, "array-like of shape (m, n), optional", "The rows of the inequalities Ax >= c."),
    "c": anything(None, "array-like of shape (m,), optional", "An entry may be -inf, or at most -1e20: no constraint."),
    "E": anything(None, "array-like of shape (l, n), optional", "The rows of the equations Ex = d."),
    "d": anything(None, "array-like of shape (l,), optional", "Their right sides."),
}
"""The arguments that describe a quadratic program; ``checked_qp`` looks at them together."""
STOP = {
    "tol": real(
        1e-9,
        "The largest residual of the KKT conditions that counts as solved, in units of the variables, the constraints\n"
        "and the objective in which the numbers of the problem are near 1; the rounding of large x and multipliers\n"
        "(1e-14 of them) is not counted.",
        low=0, low_open=True,
    ),
    "max_iter": whole(100, "The largest number of Newton steps.", low=1),
}


@dataclass(frozen=True)
class QPSolution:
    """What ``solve_qp`` found.

    Attributes
    ----------
    status : str
        "optimal", "infeasible" (no point satisfies the constraints), "unbounded" (the objective falls for ever along a
        feasible ray) or "max_iter" (stopped before reaching its tolerance, and neither of the two could be proved).
    x : ndarray of shape (n,) or None
        The minimiser; a feasible point if unbounded; the last iterate for "max_iter"; None if infeasible.
    multipliers : ndarray of shape (m,) or None
        α >= 0 of Ax >= c: by how much the least value rises per unit of c. None unless optimal or "max_iter".
    equality_multipliers : ndarray of shape (l,) or None
        β of Ex = d: by how much the least value changes per unit of d.
    objective : float
        The least value; inf if infeasible, -inf if unbounded.
    message : str
        The status in a sentence, with numbers.
    certificate : None, (ndarray, ndarray) or ndarray
        If infeasible, (y, v) with y >= 0, Aᵀy + Eᵀv = 0 and cᵀy + dᵀv = 1: any feasible x would give
        0 = (Aᵀy + Eᵀv)ᵀx >= cᵀy + dᵀv = 1 (Farkas). If unbounded, the direction r with Qr = 0, Ar >= 0, Er = 0,
        pᵀr < 0.
    n_iter : int
        Steps of Newton's method.
    """

    status: str
    x: np.ndarray | None
    multipliers: np.ndarray | None
    equality_multipliers: np.ndarray | None
    objective: float
    message: str
    certificate: object = None
    n_iter: int = 0


def checked_qp(Q, p, A, c, E, d):
    """Return the problem as a ``QP`` of float arrays; refuse wrong shapes, NaN and a Q that is not convex."""
    Q, p = check_array(Q, name="Q"), check_numbers(p, "p")
    if p.ndim != 1:
        raise ValueError(f"p must be 1-D, with one number for each variable, got shape {p.shape}")
    n = len(p)
    if Q.shape != (n, n):
        raise ValueError(f"Q must have shape ({n}, {n}) to go with a p of length {n}, got {Q.shape}")
    A, c = _block(A, c, ("A", "c"), n)
    E, d = _block(E, d, ("E", "d"), n)
    if np.isinf(d).any() or np.isposinf(c).any():
        raise ValueError("c must be below inf and d finite: nothing is >= inf or = inf (c = -inf means no constraint)")
    c = np.where(c <= NO_BOUND, -np.inf, c)
    check_numbers(np.concatenate([c[np.isfinite(c)], d]), "c, d")
    return QP(_convex(Q), p, A, c, E, d)


def _block(A, c, names, n):
    """Return constraints as arrays of shape (rows, n) and (rows,); None means no rows."""
    if (A is None) != (c is None):
        raise ValueError(f"{names[0]} and {names[1]} belong together: pass both or neither")
    if A is None or (np.size(A) == 0 and np.size(c) == 0 and np.shape(A)[1:] in ((), (0,), (n,))):
        return np.zeros((0, n)), np.zeros(0)
    A, c = check_array(A, name=names[0]), np.atleast_1d(check_numbers(c, names[1], allow_infinity=True))
    if c.ndim != 1 or A.shape != (len(c), n):
        raise ValueError(
            f"{names[0]} must have one row for each entry of {names[1]} and {n} columns, one for each variable; "
            f"got shapes {A.shape} and {c.shape}"
        )
    return A, c


def _convex(Q):
    """Return Q, exactly symmetric and without negative eigenvalues, or say which one makes ½ xᵀQx non-convex."""
    size = np.abs(Q).max()
    if np.abs(Q - Q.T).max() > 1e-10 * size:
        raise ValueError("Q must be symmetric; only (Q + Q.T) / 2 enters xᵀQx, so pass that")
    Q = (Q + Q.T) / 2
    flat = np.diag(Q) <= 0
    unit = np.sqrt(np.where(flat, size or 1.0, np.diag(Q)))
    try:
        np.linalg.cholesky(Q / unit / unit[:, np.newaxis] + 1e-14 * len(Q) * np.eye(len(Q)))
    except np.linalg.LinAlgError:
        eigenvalues, vectors = np.linalg.eigh(Q)
        if eigenvalues[0] < -1e-9 * size:
            raise ValueError(
                f"Q has the negative eigenvalue {eigenvalues[0]:.3g}: the objective is not convex, so a point that "
                "satisfies the KKT conditions need not be a minimum. Only convex problems (Q positive semidefinite) "
                "are solved."
            ) from None
        Q = vectors * np.maximum(eigenvalues, 0) @ vectors.T
    Q[flat], Q[:, flat] = 0.0, 0.0  # what stands there is rounding
    return Q


def checked_vector(value, name, length):
    """Return a vector of this length; None means an empty one."""
    array = np.zeros(0) if value is None else check_numbers(value, name)
    if array.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {array.shape}")
    return array


def max_abs(values):
    """The largest size of an entry; 0 without entries."""
    return float(np.abs(values).max(initial=0.0))


def spread(values, kept):
    """Put values back into their places among all rows; the rows left out get 0."""
    full = np.zeros(len(kept))
    full[kept] = values
    return full
