"""Margins (间隔), and the two quadratic programs that make the smallest one as large as possible.

Here labels are the numbers +1 and -1, because the formulas multiply by them. Notes A 7.2-7.5, C 1, E.
"""

from dataclasses import dataclass, replace

import numpy as np

from mlcore.base import check_array, check_consistent_length, check_is_fitted, check_numeric_target, check_real
from mlcore.constrained_optimization import QPSolution, solve_qp
from mlcore.core.support_vector_machines import (
    dual_matrices,
    functional_margins,
    geometric_margins,
    primal_matrices,
    support_share,
)
from mlcore.kernels import centred
from mlcore.numerics import finite

__all__ = [
    "Hyperplane", "dual_matrices", "dual_qp", "functional_margin", "functional_margins", "geometric_margin",
    "geometric_margins", "hard_margin_dual", "hard_margin_primal", "loo_bound", "primal_matrices", "primal_qp",
    "soft_margin_primal", "support_share",
]

_LARGE = 1e6
"""A price of slack, for features in [-1, 1], from which on the hard margin is tried first."""

_RESCALE = "a margin or multiplier leaves the range of float64: scale the features, for instance to variance 1"


# X has shape (n, d), y of +1 and -1 and α have shape (n,), w has shape (d,). A program is min ½ uᵀQu + pᵀu, Au >= c.
# ---------------------------------------------------------------------------------------------------------------
# The same with their doors
# ---------------------------------------------------------------------------------------------------------------
def functional_margin(w, b, X, y):
    """Return γ̂_i = y_i (wᵀx_i + b) for each point (函数间隔): positive where it is on the right side.

    It grows with the length of w, so it compares points but not hyperplanes. Notes A (143); the margin of a set is
    the minimum, A (145).

    Parameters
    ----------
    w : array-like of shape (d,)
    b : float
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        +1 and -1.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        If the shapes do not match, a number is not finite or beyond 1e100, or a label is neither +1 nor -1.
    """
    return functional_margins(*_plane_and_points(w, b, X, y))


def geometric_margin(w, b, X, y):
    """Return γ_i = y_i (wᵀx_i + b) / ‖w‖ for each point (几何间隔): its distance from the plane, with a sign.

    The sign is + on the right side. Notes A (150), B, C 1.1, E; parameters as in ``functional_margin``.

    Returns
    -------
    ndarray of shape (n,)
        In the units of X.

    Raises
    ------
    ValueError
        As in ``functional_margin``, or if w is zero: then there is no plane.
    """
    w, b, X, y = _plane_and_points(w, b, X, y)
    if not w.any():
        raise ValueError("w is zero, so wᵀx + b = 0 is no hyperplane and nothing has a distance from it")
    length = np.abs(w).max()  # a plane is the same for w, b in other units
    return geometric_margins(w / length, b / length, X, y)


def primal_qp(X, y):
    """Return Q, p, A, c of the hard-margin primal in u = (b, w): minimise ½ uᵀQu + pᵀu subject to Au >= c.

    Q = diag(0, 1, ..., 1),  p = 0,  row i of A is y_i (1, x_iᵀ),  c = 1. Notes C (6). Q is only positive semidefinite,
    because b costs nothing.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        +1 and -1.

    Returns
    -------
    Q (d + 1, d + 1), p (d + 1,), A (n, d + 1), c (n,) : ndarrays

    Raises
    ------
    ValueError
        For bad data, or if a class is missing.
    """
    return primal_matrices(*_two_classes(X, y))


def dual_qp(X, y):
    """Return Q, p, A, c of the hard-margin dual in α: minimise ½ αᵀQα + pᵀα subject to Aα >= c.

    Q_ij = y_i y_j x_iᵀx_j,  p = -1,  A stacks yᵀ, -yᵀ and I,  c = 0. Notes C (17): the first two rows say yᵀα = 0.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        +1 and -1.

    Returns
    -------
    Q (n, n), p (n,), A (n + 2, n), c (n + 2,) : ndarrays

    Raises
    ------
    ValueError
        For bad data, or if a class is missing.
    """
    return dual_matrices(*_two_classes(X, y))


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
    return support_share(alpha)


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


def hard_margin_primal(X, y):
    """Return the hyperplane with the largest margin, from min ½‖w‖² subject to y_i (wᵀx_i + b) >= 1.

    Notes A (155), C (3), solved by ``solve_qp`` with the matrices of ``primal_qp``; α are its multipliers.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        +1 and -1.

    Returns
    -------
    Hyperplane

    Raises
    ------
    ValueError
        For bad data, if a class is missing, or if no hyperplane separates the classes.
    """
    units = _Units(X, y)
    found = _solved(solve_qp(*primal_matrices(units.rows, units.y)), infeasible="infeasible")
    return units.hyperplane(found.x[1:], found.x[0], found.multipliers, found)


def hard_margin_dual(X, y):
    """Return the hyperplane with the largest margin, from max Σα_i - ½ Σ_ij α_i α_j y_i y_j x_iᵀx_j.

    Subject to α >= 0 and yᵀα = 0: Notes A (191), C (16), solved by ``solve_qp``. Then w = Σ α_i y_i x_i, and
    b = -(max of wᵀx over class -1 + min over class +1) / 2, Notes A (192).

    Parameters, errors and result are those of ``hard_margin_primal``.
    """
    units = _Units(X, y)
    Q, p, A, c = dual_matrices(units.rows, units.y)
    found = _solved(solve_qp(Q, p, A[2:], c[2:], E=A[:1], d=np.zeros(1)), infeasible="unbounded")
    y = units.y
    w = (found.x * y) @ units.rows
    scores = units.rows @ w
    b = -(scores[y < 0].max() + scores[y > 0].min()) / 2
    return units.hyperplane(w, b, found.x, found)


def soft_margin_primal(X, y, C):
    """Return the soft-margin hyperplane from min ½‖w‖² + C Σξ_i subject to y_i (wᵀx_i + b) >= 1 - ξ_i, ξ >= 0.

    Notes A (203), C (19), in u = (b, w, ξ) with d + 1 + n variables and 2n constraints: to check ``SVC`` against on
    small sets. The slacks ξ are ``solution.x[d + 1 :]``.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        +1 and -1.
    C : float > 0

    Returns
    -------
    Hyperplane

    Raises
    ------
    ValueError
        For bad data or C <= 0, or if a class is missing.
    """
    C = check_real("C", C, low=0, low_open=True)
    units = _Units(X, y, least=1.0 / np.sqrt(C))
    price = finite(C * units.scale**2, _RESCALE)
    plane = _without_slack(X, y, C) if price > _LARGE else None
    if plane is not None:
        return plane
    Q, p, A, c = primal_matrices(units.rows, units.y)
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

    def __init__(self, X, y, least=0.0):
        X, self.y = _two_classes(X, y)
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


def _signs(y):
    """Return labels that must be +1 and -1, as floats."""
    y = check_numeric_target(y)
    odd = y[np.abs(y) != 1]
    if len(odd):
        raise ValueError(f"y must hold +1 and -1 only, got {float(odd[0])!r}; code the classes first")
    return y


def _plane_and_points(w, b, X, y):
    X, y = check_array(X), _signs(y)
    check_consistent_length(X, y)
    w, b = check_numeric_target(w, "w"), check_real("b", b)
    if len(w) != X.shape[1]:
        raise ValueError(f"w must have one entry for each of the {X.shape[1]} features, got {len(w)}")
    return w, b, X, y


def _two_classes(X, y):
    X, y = check_array(X), _signs(y)
    check_consistent_length(X, y)
    if np.all(y == y[0]):
        raise ValueError(f"two classes are needed, but y holds only one class: {float(y[0])!r}")
    return X, y
