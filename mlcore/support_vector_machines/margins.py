"""Margins (间隔), and the two quadratic programs that make the smallest one as large as possible.

Here labels are the numbers +1 and -1, because the formulas multiply by them. Notes A 7.2-7.5, C 1, E.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_consistent_length,
    check_is_fitted,
    check_numeric_target,
    door,
    real,
    table,
)
from mlcore.constrained_optimization import QPSolution, solve_qp
from mlcore.core import support_vector_machines as core
from mlcore.kernels import centred
from mlcore.numerics import finite

__all__ = [
    "Hyperplane", "dual_qp", "functional_margin", "geometric_margin", "hard_margin_dual", "hard_margin_primal",
    "loo_bound", "primal_qp", "soft_margin_primal",
]

_LARGE = 1e6
"""A price of slack, for features in [-1, 1], from which on the hard margin is tried first."""

_RESCALE = "a margin or multiplier leaves the range of float64: scale the features, for instance to variance 1"


# ---------------------------------------------------------------------------------------------------------------
# Doors
# ---------------------------------------------------------------------------------------------------------------
def _check_signs(name, y):
    y = check_numeric_target(y, name)
    odd = y[np.abs(y) != 1]
    if len(odd):
        raise ValueError(f"{name} must hold +1 and -1 only, got {float(odd[0])!r}; code the classes first")
    return y


def _check_normal(name, w):
    w = check_numeric_target(w, name)
    if not w.any():
        raise ValueError(f"{name} is zero, so wᵀx + b = 0 is no hyperplane and nothing has a distance from it")
    return w


def _check_two_classes(X, y):
    check_consistent_length(X, y)
    if np.all(y == y[0]):
        raise ValueError(f"two classes are needed, but y holds only one class: {float(y[0])!r}")


def _with_two_classes(function):
    @functools.wraps(function)
    def checked(X, y, *others):
        _check_two_classes(X, y)
        return function(X, y, *others)

    return checked


def _with_a_plane(function):
    @functools.wraps(function)
    def checked(w, b, X, y):
        check_consistent_length(X, y)
        if len(w) != X.shape[1]:
            raise ValueError(f"w must have one entry for each of the {X.shape[1]} features, got {len(w)}")
        return function(w, b, X, y)

    return checked


_POINTS = {
    "X": table("The points.", form="array-like of shape (n, d)"),
    "y": anything(REQUIRED, "array-like of shape (n,)", "+1 and -1.", check=_check_signs, bad=(None, [0.0, 1.0], [2])),
}
_PLANE = {
    "w": anything(REQUIRED, "array-like of shape (d,)", "The normal.", check=_check_normal,
                  bad=(None, [], [0.0, 0.0])),
    "b": real(REQUIRED, "The intercept."),
}
functional_margin = door(**_PLANE, **_POINTS)(_with_a_plane(core.functional_margin))
geometric_margin = door(**_PLANE, **_POINTS)(_with_a_plane(core.geometric_margin))
primal_qp = door(**_POINTS)(_with_two_classes(core.primal_qp))
dual_qp = door(**_POINTS)(_with_two_classes(core.dual_qp))


def loo_bound(model):
    """Return #SV / n, above the leave-one-out error of a fitted ``SVC``, whatever the dimension of its features.

    A point with α = 0 can be left out without a change, and is then classified correctly, because its margin is at
    least 1; only the support vectors can be mistaken. Notes C 1.3 (its last remark in 1.6: α > 0 is what counts).

    Parameters
    ----------
    model : SVC
        Fitted; anything with ``support_`` and ``shape_fit_``.

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    NotFittedError
        Before ``fit``.
    ValueError
        For anything that keeps no support vectors.
    """
    if not hasattr(model, "fit"):
        raise ValueError(f"a fitted SVC is needed, got {model!r}")
    check_is_fitted(model)
    if not (hasattr(model, "support_") and hasattr(model, "shape_fit_")):
        raise ValueError(f"a model that keeps its support vectors is needed, such as SVC; got {model!r}")
    alpha = np.zeros(model.shape_fit_[0])
    alpha[model.support_] = np.abs(model.dual_coef_)
    return core.support_share(alpha)


# ---------------------------------------------------------------------------------------------------------------
# The widest street by quadratic programming
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Hyperplane:
    """A separating hyperplane wᵀx + b = 0 found by quadratic programming.

    Attributes
    ----------
    w : ndarray of shape (d,)
    b : float
    alpha : ndarray of shape (n,)
        The multipliers α >= 0 of the points.
    margin : float
        1 / ‖w‖, the distance of the nearest points.
    solution : QPSolution
        What ``solve_qp`` returned, in the units of X. (It was asked for X - x̄ divided by the largest entry.)
    """

    w: np.ndarray
    b: float
    alpha: np.ndarray
    margin: float
    solution: QPSolution


@door(**_POINTS)
@_with_two_classes
def hard_margin_primal(X, y):
    """Return the hyperplane with the largest margin, from min ½‖w‖² subject to y_i (wᵀx_i + b) >= 1.

    Notes A (155), C (3), solved by ``solve_qp`` with the matrices of ``primal_qp``; α are its multipliers.

    Returns
    -------
    Hyperplane

    Raises
    ------
    ValueError
        If a class is missing, or no hyperplane separates the classes.
    """
    units = _Units(X)
    found = _solved(solve_qp(*core.primal_qp(units.rows, y)), infeasible="infeasible")
    return units.hyperplane(found.x[1:], found.x[0], found.multipliers, found)


@door(**_POINTS)
@_with_two_classes
def hard_margin_dual(X, y):
    """Return the hyperplane with the largest margin, from max Σα_i - ½ Σ_ij α_i α_j y_i y_j x_iᵀx_j.

    Subject to α >= 0 and yᵀα = 0: Notes A (191), C (16), solved by ``solve_qp``. Then w = Σ α_i y_i x_i, and
    b = -(max of wᵀx over class -1 + min over class +1) / 2, Notes A (192). Errors and result are those of
    ``hard_margin_primal``.
    """
    units = _Units(X)
    Q, p, A, c = core.dual_qp(units.rows, y)
    found = _solved(solve_qp(Q, p, A[2:], c[2:], E=A[:1], d=np.zeros(1)), infeasible="unbounded")
    w = (found.x * y) @ units.rows
    scores = units.rows @ w
    b = -(scores[y < 0].max() + scores[y > 0].min()) / 2
    return units.hyperplane(w, b, found.x, found)


@door(**_POINTS, C=real(REQUIRED, "The price of slack.", low=0, low_open=True))
@_with_two_classes
def soft_margin_primal(X, y, C):
    """Return the soft-margin hyperplane from min ½‖w‖² + C Σξ_i subject to y_i (wᵀx_i + b) >= 1 - ξ_i, ξ >= 0.

    Notes A (203), C (19), in u = (b, w, ξ) with d + 1 + n variables and 2n constraints: to check ``SVC`` against on
    small sets. The slacks ξ are ``solution.x[d + 1 :]``.

    Returns
    -------
    Hyperplane

    Raises
    ------
    ValueError
        If a class is missing.
    """
    units = _Units(X, least=1.0 / np.sqrt(C))
    price = finite(C * units.scale**2, _RESCALE)
    plane = _without_slack(X, y, C) if price > _LARGE else None
    if plane is not None:
        return plane
    Q, p, A, c = core.primal_qp(units.rows, y)
    n, size = A.shape
    Q = np.pad(Q, (0, n))
    A = np.block([[A, np.eye(n)], [np.zeros((n, size)), np.eye(n)]])
    found = _solved(solve_qp(Q, np.append(p, np.full(n, price)), A, np.append(c, np.zeros(n))), infeasible="")
    return units.hyperplane(found.x[1:size], found.x[0], found.multipliers[:n], found)


def _without_slack(X, y, C):
    """The soft margin where it is the hard one, that is, where α <= C; otherwise None.

    A price so large that slack is not worth it makes numbers of very different size, and loses digits of the margin.
    """
    try:
        plane = hard_margin_primal(X, y)
    except ValueError:  # no plane separates
        return None
    if plane.alpha.max() > C:
        return None
    x = np.append(plane.solution.x, np.zeros(len(plane.alpha)))
    found = replace(plane.solution, x=x, multipliers=np.append(plane.alpha, C - plane.alpha))
    return replace(plane, solution=found)


def _solved(found, infeasible):
    """Refuse what is no optimum; say which kind of data leads there."""
    if found.status == infeasible:
        raise ValueError(
            "no hyperplane separates the two classes, so there is no hard margin; use SVC, whose C lets points "
            f"violate it (the quadratic program is {infeasible})"
        )
    if found.status != "optimal":
        raise ValueError(f"the quadratic program was not solved: {found.message}")
    return found


class _Units:
    """Features with their mean at 0, divided by their largest entry s (or by ``least``, if s is less); the way back.

    A plane vᵀz + a for z = (x - x̄) / s is wᵀx + b with w = v / s and b = a - vᵀx̄ / s. The objective ½‖w‖² is
    ½‖v‖² / s², so that the multipliers and the least value are divided by s², and C is multiplied by it.
    """

    def __init__(self, X, least=0.0):
        rows, self.center = centred(X)
        self.scale = max(float(np.abs(rows).max()), least) or 1.0
        self.rows = rows / self.scale

    def hyperplane(self, v, a, alpha, found):
        """The plane in the units of X, and with it the solution of the quadratic program."""
        s = self.scale
        with np.errstate(over="ignore"):
            alpha = finite(alpha / s / s, _RESCALE)
        w, b = v / s, a - float(v @ self.center) / s
        if found.equality_multipliers is None or not len(found.equality_multipliers):
            x = np.concatenate([[b], w, found.x[1 + len(w) :]])  # the unknowns of a primal: b, w and the slacks
        else:
            x = found.x / s / s
        found = replace(found, x=x, multipliers=found.multipliers / s / s, objective=found.objective / s / s)
        return Hyperplane(w, b, alpha, float(s / np.linalg.norm(v)), found)
