"""Constrained optimisation (约束优化): quadratic programs, their multipliers and their duals.

The quadratic program (二次规划) of this chapter has the form of Notes C (4), with equalities added:

    minimise ½ xᵀQx + pᵀx   subject to   Ax >= c,  Ex = d          (Q positive semidefinite)

``solve_qp`` finds x together with a multiplier (乘子) for each constraint. Its method is Newton's, applied to the KKT
conditions (``central_path`` shows the steps). Where no solution exists it says why and hands over the proof.
"""

from dataclasses import astuple, dataclass, replace
from functools import cached_property

import numpy as np

from mlcore.base import check_array, check_int, check_numbers, check_real
from mlcore.optimize import coordinate_descent

__all__ = [
    "Iterate", "KKTResiduals", "LagrangianDual", "QPSolution", "central_path", "coordinate_ascent", "kkt_residuals",
    "lagrangian_dual", "maximize_in_box", "solve_qp",
]

_EPS = np.finfo(float).eps
_OUT_OF_RANGE = (
    "the numbers of this problem, or of its solution, leave the range of float64 (1e-308 to 1e308): give variables, "
    "constraints and objective other units"
)


# ---------------------------------------------------------------------------------------------------------------
# What goes in, what comes out
# ---------------------------------------------------------------------------------------------------------------
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


@dataclass(frozen=True)
class _QP:
    """minimise ½ xᵀQx + pᵀx subject to Ax >= c, Ex = d: n variables, m inequalities, l equalities."""

    Q: np.ndarray
    p: np.ndarray
    A: np.ndarray
    c: np.ndarray
    E: np.ndarray
    d: np.ndarray

    def objective(self, x):
        return float(x @ self.Q @ x / 2 + self.p @ x)

    @cached_property
    def sizes(self):
        """How large the terms of the residuals are: the columns of Q, and all numbers of p, A, c, E and d."""
        return np.abs(self.Q).max(axis=0), *(np.abs(getattr(self, name)) for name in "pAcEd")


def _checked(Q, p, A, c, E, d):
    """Return the problem as float arrays; refuse wrong shapes, NaN and a Q that is not convex."""
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
    return _QP(_convex(Q), p, A, c, E, d)


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
    """Return Q, exactly symmetric, or say which eigenvalue makes ½ xᵀQx non-convex."""
    size = np.abs(Q).max()
    if np.abs(Q - Q.T).max() > 1e-10 * size:
        raise ValueError("Q must be symmetric; only (Q + Q.T) / 2 enters xᵀQx, so pass that")
    Q = Q / 2 + Q.T / 2
    if size == 0 or _is_positive_definite(Q / size + 1e-9 * np.eye(len(Q))):
        return Q
    raise ValueError(
        f"Q has the negative eigenvalue {np.linalg.eigvalsh(Q)[0]:.3g}: the objective is not convex, so a point that "
        "satisfies the KKT conditions need not be a minimum. Only convex problems (Q positive semidefinite) are solved."
    )


def _is_positive_definite(matrix):
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------
# The KKT conditions
# ---------------------------------------------------------------------------------------------------------------
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
    qp = _checked(Q, p, A, c, E, d)
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
        stationarity=_largest(qp.Q @ x + qp.p - qp.A.T @ z - qp.E.T @ y),
        primal=max(_largest(np.minimum(slack, 0)), _largest(qp.E @ x - qp.d)),
        dual=_largest(np.minimum(z, 0)),
        complementarity=_largest(z[pulls] * slack[pulls]),
    )


def _largest(values):
    return float(np.abs(values).max(initial=0.0))


# ---------------------------------------------------------------------------------------------------------------
# The solver
# ---------------------------------------------------------------------------------------------------------------
def solve_qp(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Minimise ½ xᵀQx + pᵀx subject to Ax >= c and Ex = d.

    Newton's method on the KKT conditions (``central_path``) comes closer to the solution step by step. On the way one
    sees which constraints are active, and with those as equations the KKT conditions are linear: if the guess is right,
    one more solve gives x and the multipliers to the last digits. If neither arrives, one linear program tells whether
    any point is feasible, another whether the objective falls for ever; the answers come with a proof.

    Parameters
    ----------
    Q : array-like of shape (n, n)
        Symmetric, positive semidefinite; zeros give a linear program.
    p : array-like of shape (n,)
    A : array-like of shape (m, n), optional
    c : array-like of shape (m,), optional
        An entry may be -inf: no constraint.
    E : array-like of shape (l, n), optional
    d : array-like of shape (l,), optional
    tol : float > 0
        The largest residual of the KKT conditions that counts as solved. It is measured in units of the variables, the
        constraints and the objective in which the numbers of the problem are near 1, relative to 1 + |c_i|, 1 + |d_i|,
        1 + |p_j| and 1 + |objective|; the rounding of large x and multipliers (1e-14 of them) is not counted.
    max_iter : int >= 1
        The largest number of Newton steps.

    Returns
    -------
    QPSolution
        Look at its ``status`` first.

    Raises
    ------
    ValueError
        If shapes do not match, a number is not finite, Q is not symmetric or not positive semidefinite, or if numbers
        or the solution leave the range of float64.

    References
    ----------
    Notes C 1.2; S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2 (1992).
    """
    qp = _checked(Q, p, A, c, E, d)
    tol, max_iter = check_real("tol", tol, low=0, low_open=True), check_int("max_iter", max_iter, low=1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = _empty_contradiction(qp) or _solve(qp, tol, max_iter)
    proof = found.certificate if isinstance(found.certificate, tuple) else (found.certificate,)
    numbers = [v for v in (found.x, found.multipliers, found.equality_multipliers, *proof) if v is not None]
    if found.status in ("optimal", "max_iter"):
        numbers.append(found.objective)
    if not all(np.isfinite(v).all() for v in numbers):
        raise ValueError(_OUT_OF_RANGE)
    return found


def _empty_contradiction(qp):
    """A row of zeros asks for 0 >= c_i or 0 = d_j. Where that is false, it is a proof of its own, in any units."""
    y, v = (~qp.A.any(axis=1) & (qp.c > 0)).astype(float), (~qp.E.any(axis=1) & (qp.d != 0)).astype(float)
    if not y.any() and not v.any():
        return None
    row = int(np.argmax(np.concatenate([y, v])))
    name, side = (f"row {row} of A", qp.c[row]) if y.any() else (f"row {row - len(y)} of E", qp.d[row - len(y)])
    message = f"{name} is zero, and no x makes that {'>=' if y.any() else '='} {side:.3g}: it contradicts itself"
    weights = (np.arange(len(y) + len(v)) == row) / side
    return QPSolution("infeasible", None, None, None, np.inf, message, (weights[: len(y)], weights[len(y) :]))


def _solve(qp, tol, max_iter, explain=True):
    """Solve a checked problem; with ``explain``, prove it where there is no solution."""
    kept = ~np.isneginf(qp.c) & qp.A.any(axis=1)  # the other rows are satisfied by every x
    qp = replace(qp, A=qp.A[kept], c=qp.c[kept])
    scaled, scale = _equilibrate(qp)
    far = scaled.c < -1e6  # a huge number in place of -inf: first see whether the solution minds
    if far.any():
        found = _solve(replace(qp, c=np.where(far, -np.inf, qp.c)), tol, max_iter, explain=False)
        if found.status == "optimal" and (qp.A[far] @ found.x >= qp.c[far]).all():
            return replace(found, multipliers=_spread(found.multipliers, kept))
    solution, error, steps = _search(scaled, tol, max_iter)
    if error > tol and explain:
        proof = _proof(scaled, scale, kept, tol)
        if proof is not None:
            return replace(proof, n_iter=steps)
    found = scale.back(solution)
    x = _onto_bounds(qp, found)
    status, message = "optimal", f"solved in {steps} Newton steps"
    if error > tol:
        status, message = "max_iter", (
            f"stopped after {steps} Newton steps with a relative KKT residual of {error:.1e} (tol={tol:g}); that the "
            "problem is infeasible or unbounded could not be proved: raise max_iter or tol, or scale the problem"
        )
    return QPSolution(
        status, x, _spread(found.multipliers, kept), found.equality_multipliers, qp.objective(x), message, None, steps
    )


def _search(qp, tol, max_iter):
    """Return the best point found for a scaled problem, its error and its Newton step.

    When two iterates in a row lean on the same constraints (α_i > s_i), these are probably the active ones, long before
    Newton's method arrives: one tries whether they are. One also tries once the iterates come no nearer, because of
    rounding. Where the multipliers show that every feasible x is very long, there is probably none: then one stops.
    """
    best, least, number = None, np.inf, 0
    nearest, idle, leaning, tried = np.inf, 0, None, None
    for steps, iterate in enumerate(_newton_steps(*_regular(qp), max_iter)):
        found, error = iterate, _error(qp, iterate)
        idle = 0 if error < nearest else idle + 1  # so many steps came no nearer
        nearest = min(error, nearest)
        before, leaning = leaning, iterate.multipliers > iterate.slack
        settled = np.array_equal(before, leaning) and not np.array_equal(tried, leaning)
        if settled or idle in (2, 4, 8) or error <= tol:
            tried = leaning
            found, error = _polish(qp, iterate, error)
        if best is None or error < least:
            best, number, least = found, steps, error
        if least <= 1e-3 * tol or idle >= (5 if least <= tol else 15) or (idle and _least_length(qp, iterate) > 1e7):
            return best, least, number
    return *_polish(qp, best, least), number


def _least_length(qp, iterate):
    """How long each feasible x must be: (Aᵀα + Eᵀβ)ᵀx >= cᵀα + dᵀβ holds for it, so Σ|x_j| >= their ratio."""
    z, y = iterate.multipliers, iterate.equality_multipliers
    return (qp.c @ z + qp.d @ y) / (_largest(z @ qp.A + y @ qp.E) or np.inf)


def _onto_bounds(qp, found):
    """Return x with every variable that sits on an active bound exactly there: a multiplier 0 or C is 0 or C."""
    x = found.x.copy()
    bounds = (found.slack == 0) & (np.count_nonzero(qp.A, axis=1) == 1)
    columns = np.abs(qp.A[bounds]).argmax(axis=1)
    x[columns] = qp.c[bounds] / qp.A[bounds, columns]
    return x + 0.0  # no -0.0


def _spread(values, kept):
    """Put values back into their places among all rows; the rows left out get 0."""
    full = np.zeros(len(kept))
    full[kept] = values
    return full


def central_path(Q, p, A=None, c=None, *, E=None, d=None, tol=1e-9, max_iter=100):
    """Yield the steps of Newton's method that ``solve_qp`` takes, from its starting point to within ``tol``.

    They approach the solution through the inside of the constraints, near the central path (中心路径): the curve of
    the points at which all products s_i α_i are equal.

    Parameters
    ----------
    Q, p, A, c, E, d, tol, max_iter
        As for ``solve_qp``. The problem must have a solution; else the iterates grow without end or stand still.

    Yields
    ------
    Iterate

    Raises
    ------
    ValueError
        As ``solve_qp``.
    """
    qp = _checked(Q, p, A, c, E, d)
    if np.isneginf(qp.c).any():
        raise ValueError("c holds -inf: leave those rows out, they constrain nothing")
    tol, max_iter = check_real("tol", tol, low=0, low_open=True), check_int("max_iter", max_iter, low=1)

    def steps():
        scaled, scale = _equilibrate(qp)
        path, error = _newton_steps(*_regular(scaled), max_iter), np.inf
        while not error <= tol:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                iterate = next(path, None)
                if iterate is None:
                    return
                error, found = _error(scaled, iterate), scale.back(iterate)
            if not all(np.isfinite(part).all() for part in vars(found).values()):
                return
            yield found

    return steps()


# ---------------------------------------------------------------------------------------------------------------
# Newton's method on the KKT conditions
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Iterate:
    """A point on the way to the solution, strictly inside in s and α.

    Attributes
    ----------
    x : ndarray of shape (n,)
    slack : ndarray of shape (m,)
        s > 0, which becomes Ax - c.
    multipliers : ndarray of shape (m,)
        α > 0.
    equality_multipliers : ndarray of shape (l,)
    """

    x: np.ndarray
    slack: np.ndarray
    multipliers: np.ndarray
    equality_multipliers: np.ndarray


def _newton_steps(qp, back, max_iter):
    """Mehrotra's predictor-corrector method: Newton's method, with s, α > 0 kept positive, on the equations

        Qx + p - Aᵀα - Eᵀβ = 0,   Ax - s = c,   Ex = d,   s_i α_i = σμ      (μ = sᵀα / m,  0 <= σ <= 1).

    With σ = 0 they are the KKT conditions, but a Newton step towards those soon runs into s_i = 0 or α_i = 0. So a
    trial step with σ = 0 is measured first. If it could go far, σ is chosen small; if not, σ is near 1, which leads
    back to the middle, where all the products s_i α_i are equal. The trial also shows the error Δs_i Δα_i that
    linearising makes, and the second step corrects it. Both steps are solved with the same matrix.
    """
    weighted_gram = _WeightedGram(qp.A)
    x, s, z, y = _start(qp, weighted_gram)
    for _ in range(max_iter):
        yield Iterate(x, s, z, back @ y)
        if len(s) == 0 or not 1e-100 < min(s.min(), z.min()) or max(s.max(), z.max()) > 1e14:
            return
        mu = s @ z / len(s)
        try:
            newton = _linearised(qp, weighted_gram, x, s, z, y)
            dx, ds, dz, dy = newton(s * z)
            trial = min(1.0, _reach(s, ds, z, dz))
            sigma = ((s + trial * ds) @ (z + trial * dz) / len(s) / mu) ** 3
            dx, ds, dz, dy = newton(s * z + ds * dz - sigma * mu)
        except np.linalg.LinAlgError:
            return
        share = min(1.0, 0.99 * _reach(s, ds, z, dz))
        x, s, z, y = x + share * dx, s + share * ds, z + share * dz, y + share * dy
    yield Iterate(x, s, z, back @ y)


def _start(qp, weighted_gram):
    """Start where ½ xᵀQx + pᵀx + ½ ‖Ax - c‖² is least on Ex = d: there α = -(Ax - c) would be the multipliers.

    Of Ax - c = s - α, s > 0 and α > 0 take those whose products s_i α_i are all equal, t² for t the mean of |Ax - c|.
    """
    ones = np.ones(len(qp.c))
    x, y = _solve_kkt(_kkt_matrix(qp.Q + weighted_gram(ones), qp.E), qp.A.T @ qp.c - qp.p, qp.d)
    difference = qp.A @ x - qp.c
    t = max(0.1, np.abs(difference).sum() / max(len(ones), 1))
    middle = np.sqrt(difference**2 / 4 + t**2)
    return x, middle + difference / 2, middle - difference / 2, y


def _linearised(qp, weighted_gram, x, s, z, y):
    """Return the function that solves the linearised equations for (Δx, Δs, Δα, Δβ) with αΔs + sΔα = -products.

    Δs = AΔx + (Ax - s - c) and Δα = -(products + αΔs) / s go into the first equation, which leaves
    [Q + AᵀDA  Eᵀ; E  0] (Δx, -Δβ) on the left, with D = diag(α / s).
    """
    slope = qp.Q @ x + qp.p - qp.A.T @ z - qp.E.T @ y
    slack, equality = qp.A @ x - s - qp.c, qp.E @ x - qp.d
    matrix = _kkt_matrix(qp.Q + weighted_gram(z / s), qp.E)

    def newton(products):
        dx, dy = _solve_kkt(matrix, -slope - qp.A.T @ ((products + z * slack) / s), -equality)
        ds = qp.A @ dx + slack
        return dx, ds, -(products + z * ds) / s, dy

    return newton


def _kkt_matrix(H, R, delta=0.0):
    """[H + δI  Rᵀ; R  -δI]."""
    n, size = len(H), len(H) + len(R)
    matrix = np.zeros((size, size))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = H, R.T, R
    matrix.flat[: n * size : size + 1] += delta
    matrix.flat[n * size + n :: size + 1] -= delta
    return matrix


def _solve_kkt(matrix, top, bottom):
    """Solve [H Eᵀ; E 0] (x, -y) = (top, bottom)."""
    right = np.concatenate([top, bottom])
    try:
        solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # singular to the last digit
        solution = np.linalg.lstsq(matrix, right)[0]
    return solution[: len(top)], -solution[len(top) :]


def _reach(s, ds, z, dz):
    """The largest t with s + t Δs >= 0 and z + t Δz >= 0."""
    fall = max(np.max(-ds / s), np.max(-dz / z))
    return 1.0 / fall if fall > 0 else np.inf


class _WeightedGram:
    """AᵀDA for a diagonal D. Rows with a single entry (bounds on one variable) add to the diagonal only."""

    def __init__(self, A):
        self.single = np.count_nonzero(A, axis=1) == 1
        self.rows = A[~self.single]
        self.columns = np.abs(A[self.single]).argmax(axis=1)
        self.squares = A[self.single].sum(axis=1) ** 2

    def __call__(self, weights):
        gram = (self.rows.T * weights[~self.single]) @ self.rows
        n = len(gram)
        gram.flat[:: n + 1] += np.bincount(self.columns, self.squares * weights[self.single], minlength=n)
        return gram


# ---------------------------------------------------------------------------------------------------------------
# Before: a well-scaled problem whose Newton matrix is regular
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Scale:
    """Back to the given problem: x = column · x̂, α = height · row · α̂, β = height · equality · β̂."""

    column: np.ndarray
    row: np.ndarray
    equality: np.ndarray
    height: float

    def back(self, iterate):
        return Iterate(
            self.column * iterate.x, iterate.slack / self.row, self.height * self.row * iterate.multipliers,
            self.height * self.equality * iterate.equality_multipliers,
        )


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _equilibrate(qp):
    """Choose units for variables, constraints and objective, such that the numbers of the problem are near 1.

    All units are powers of two: changing to them and back rounds nothing.
    """
    column = _column_units(qp)
    row, equality = (_inverse(np.abs(rows * column).max(axis=1)) for rows in (qp.A, qp.E))
    curvature = _largest(column[:, None] * qp.Q * column)
    length, height = _units(curvature, column * qp.p, row * qp.c, equality * qp.d)
    column, row, equality = length * column, row / length, equality / length
    scaled = _QP(
        column[:, None] * qp.Q * column / height, column * qp.p / height,
        row[:, None] * qp.A * column, row * qp.c, equality[:, None] * qp.E * column, equality * qp.d,
    )
    if not all(np.isfinite(getattr(scaled, name)).all() for name in "QpAcEd") or not 0 < height < np.inf:
        raise ValueError(_OUT_OF_RANGE)
    return scaled, _Scale(column, row, equality, height)


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
    free, demanded = _largest(p) / (curvature or np.inf), max(c.max(initial=0.0), _largest(d))
    walls = np.sort(np.abs(np.concatenate([c, d])))
    walls = walls[walls > 0]
    near = min([*walls[len(walls) // 2 :][:1], *([free] if free > 0 else [])], default=1.0)
    length = _power_of_two(max(near, 1e-6 * demanded, 1e-6 * free))
    return length, _power_of_two(length * max(length * curvature, _largest(p)) or 1.0)


def _power_of_two(values):
    return np.exp2(np.round(np.log2(values)))


def _inverse(values):
    return _power_of_two(1 / np.where(values > 0, values, 1.0))


def _regular(qp):
    """Return a problem with the same solutions whose Newton matrix is regular, and the matrix that takes its β back.

    Rows of E that depend on others are left out. Directions that neither Q nor any constraint notices are held at zero
    by a square of their own. If that changed the problem (contradicting equalities, or p falls along such a
    direction), the KKT conditions of the given problem cannot be met, and ``_error`` will say so.
    """
    U, singular, W = np.linalg.svd(qp.E, full_matrices=False)
    rank = np.count_nonzero(singular > 1e-12 * singular.max(initial=0.0))
    take = U[:, :rank].T / singular[:rank, None]
    Q, n = qp.Q, len(qp.p)
    if not _is_positive_definite(Q + qp.A.T @ qp.A + qp.E.T @ qp.E - 1e-8 * np.eye(n)):
        _, singular, directions = np.linalg.svd(np.vstack([Q, qp.A, qp.E]))
        unnoticed = directions[np.count_nonzero(singular > 10 * n * _EPS * singular[0]):]
        Q = Q + unnoticed.T @ unnoticed
    return replace(qp, Q=Q, E=W[:rank], d=take @ qp.d), take.T


# ---------------------------------------------------------------------------------------------------------------
# After: the last digits, or a proof
# ---------------------------------------------------------------------------------------------------------------
def _error(qp, iterate):
    """The largest KKT residual of a scaled problem, each relative to its own number. (All iterates have α >= 0.)

    What large x and multipliers leave by rounding is forgiven. A negative xᵀQx shows that rounding in a Q that should
    be semidefinite was taken for curvature.
    """
    x, z, y = iterate.x, iterate.multipliers, iterate.equality_multipliers
    pull, slack, (columns, p, A, c, E, d) = qp.Q @ x, qp.A @ x - qp.c, qp.sizes
    longest, largest = _largest(x), _largest(np.concatenate([x, z, y]))
    if not largest <= 1e10:  # what is left after sums of such terms is rounding (or they are no numbers)
        return np.inf
    in_side, in_slope = min(100 * _EPS * longest, 1e-6), min(100 * _EPS * largest, 1e-6)
    bend, height = x @ pull, qp.p @ x
    terms = columns + z @ A + np.abs(y) @ E
    return max(
        _excess(np.abs(pull + qp.p - z @ qp.A - y @ qp.E), in_slope, p + np.minimum(terms, 1) + 1e-100),
        _excess(-slack, in_side, 1 + c),
        _excess(np.abs(qp.E @ x - qp.d), in_side, 1 + d),
        _excess(np.abs(z * slack), in_side * _largest(z), 1 + abs(bend / 2 + height)),
        -bend / (1 + abs(height)),
    )


def _excess(values, forgiven, size):
    return float(((values - forgiven) / size).max(initial=0.0))


def _polish(qp, iterate, error, rounds=5):
    """Take the active constraints as equations: then the KKT conditions are linear, and one solve meets them exactly.

    Where the guess (active if α_i > s_i) was wrong, an equation has α_i < 0 or a left-out constraint is violated; the
    guess is mended and tried again. Returns the best point, which may be the given one, and its error.
    """
    best, least = iterate, error
    active = iterate.multipliers > iterate.slack
    for _ in range(rounds):
        try:
            candidate = _on_active_set(qp, iterate, active)
        except np.linalg.LinAlgError:
            break
        negative, violated = candidate.multipliers < 0, candidate.slack < 0
        clipped = replace(candidate, multipliers=np.maximum(candidate.multipliers, 0))
        error = _error(qp, clipped)
        if error <= max(least, 1e-13):
            best, least = clipped, error
        if least <= 1e-13 or not (negative | violated).any():
            break
        active = (active & ~negative) | violated
    return best, least


def _on_active_set(qp, iterate, active, delta=1e-9):
    """Solve Qx + p = Rᵀw, Rx = r for the rows R of the active constraints and of E, by the smallest change.

    R may have dependent rows, and many x or w may do. So the matrix is made regular by ±δ on its diagonal, and repeated
    solves remove the error that this makes, as long as they help.
    """
    R, r = np.concatenate([qp.A[active], qp.E]), np.concatenate([qp.c[active], qp.d])
    x, w = iterate.x, np.concatenate([iterate.multipliers[active], iterate.equality_multipliers])
    matrix, before = _kkt_matrix(qp.Q, R, delta), np.inf
    for _ in range(6):
        slope, gap = qp.Q @ x + qp.p - w @ R, R @ x - r
        left = max(_largest(slope), _largest(gap))
        if not 1e-15 < left < before / 2:
            break
        dx, dw = _solve_kkt(matrix, -slope, -gap)
        x, w, before = x + dx, w + dw, left
    slack, multipliers, count = qp.A @ x - qp.c, np.zeros(len(qp.c)), len(r) - len(qp.d)
    slack[np.abs(slack) <= 1e-14 * (1 + np.abs(qp.c))] = 0.0  # on the wall
    multipliers[active] = w[:count]
    return Iterate(x, slack, multipliers, w[count:])


# ---------------------------------------------------------------------------------------------------------------
# Proofs that there is no solution
# ---------------------------------------------------------------------------------------------------------------
def _proof(qp, scale, kept, tol):
    """Return a solution object that proves a scaled problem infeasible or unbounded; None if neither can be proved.

    First, minimise the largest violation t of a constraint: a linear program that always has a solution.
    """
    nearest = _least_violation(qp, tol)
    if nearest.status != "optimal":
        return None
    if nearest.objective > 10 * tol * (1 + max(_largest(qp.c), _largest(qp.d))):
        return _infeasible(qp, scale, kept, nearest)
    return _unbounded(qp, scale, nearest.x[:-1], tol)


def _least_violation(qp, tol):
    """Minimise t over (x, t) subject to Ax + t >= c, Ex + t >= d, -Ex + t >= -d, t >= 0."""
    n = len(qp.p)
    rows = np.vstack([qp.A, qp.E, -qp.E, np.zeros((1, n))])
    program = _QP(
        np.zeros((n + 1, n + 1)), np.eye(n + 1)[n], np.column_stack([rows, np.ones(len(rows))]),
        np.concatenate([qp.c, qp.d, -qp.d, [0.0]]), np.zeros((0, n + 1)), np.zeros(0),
    )
    return _solve(program, tol, 200, explain=False)


def _infeasible(qp, scale, kept, nearest):
    """Turn the multipliers of the least violation t > 0 into Farkas' certificate.

    The linear program's own duality gives Aᵀy + Eᵀv = 0 and cᵀy + dᵀv = t.
    """
    m, l = len(qp.c), len(qp.d)
    y, v = nearest.multipliers[:m], nearest.multipliers[m : m + l] - nearest.multipliers[m + l : m + 2 * l]
    y, v = _balanced(qp, y, v)
    gain = qp.c @ y + qp.d @ v
    if not _largest(y @ qp.A + v @ qp.E) < 1e-9 * gain:
        return None
    certificate = _spread(scale.row * y / gain, kept), scale.equality * v / gain
    message = (
        f"no x satisfies all constraints: {np.count_nonzero(y) + np.count_nonzero(v)} of them contradict one another. "
        "With (y, v) from the certificate, Aᵀy + Eᵀv = 0 although cᵀy + dᵀv = 1"
    )
    return QPSolution("infeasible", None, None, None, np.inf, message, certificate)


def _balanced(qp, y, v):
    """Return weights with Aᵀy + Eᵀv = 0 to the last digits: the nearest ones with the same zeros."""
    rows, weights = np.vstack([qp.A, qp.E]), np.concatenate([y, v])
    pulling = weights != 0
    weights[pulling] -= np.linalg.lstsq(rows[pulling].T, weights[pulling] @ rows[pulling], rcond=1e-10)[0]
    return np.maximum(weights[: len(y)], 0.0), weights[len(y) :]


def _unbounded(qp, scale, point, tol):
    """Look for a ray from a feasible point: a direction r that the constraints allow, Q does not feel, and pᵀr < 0.

    The r with Qr = 0 and Er = 0 are Nt for an orthonormal N. The linear program "minimise pᵀNt over those with ANt >= 0
    and |r_j| <= 1" always has a solution, because r = 0 is allowed.
    """
    _, singular, directions = np.linalg.svd(np.vstack([qp.Q, qp.E]))
    N = directions[np.count_nonzero(singular > 1e-9 * singular[0]) :].T
    n, k = N.shape
    along, box = _rounded(qp.A @ N, 1e3), _rounded(N, 1e3)
    program = _QP(
        np.zeros((k, k)), qp.p @ N, np.vstack([along, box, -box]),
        np.concatenate([np.zeros(len(along)), -np.ones(2 * n)]), np.zeros((0, k)), np.zeros(0),
    )
    found = _solve(program, tol, 200, explain=False) if k else None
    if found is None or found.status != "optimal" or found.objective >= -1e-7 * _largest(qp.p):
        return None
    ray = N @ found.x / _largest(N @ found.x)
    if max(_largest(qp.Q @ ray), _largest(qp.E @ ray), _largest(np.minimum(qp.A @ ray, 0))) > 1e-9:
        return None
    slope, ray = scale.height * (qp.p @ ray), scale.column * ray
    slope, ray = slope / _largest(ray), ray / _largest(ray)
    message = (
        "the objective falls for ever: from the feasible point x, each step along the direction in the certificate "
        f"lowers it by {-slope:.3g}, and no constraint is ever in the way"
    )
    return QPSolution("unbounded", scale.column * point, None, None, -np.inf, message, ray)


# ---------------------------------------------------------------------------------------------------------------
# The dual problem
# ---------------------------------------------------------------------------------------------------------------
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
        rounding = _EPS * (np.abs(self._rows.T) @ np.abs(w) + np.abs(self._slope))  # of Aᵀα + Eᵀβ - p
        value, blur = self._value(w), rounding @ np.abs(self._curvature) @ rounding
        if not blur <= 1e-6 * (1 + np.abs(self._sides) @ np.abs(w)):
            raise ValueError(_OUT_OF_RANGE)
        return value, w[:m], w[m:]

    def _value(self, w):
        """cᵀα + dᵀβ - ½ gᵀQ⁺g: in this form no large terms cancel."""
        with np.errstate(over="ignore", invalid="ignore"):
            pull = self._rows.T @ w - self._slope
            value = float(self._sides @ w - pull @ self._curvature @ pull / 2)
        if np.isnan(value):
            raise ValueError(_OUT_OF_RANGE)
        return value

    def _has_minimum(self, w):
        """Q must curve in every direction in which the linear part Aᵀα + Eᵀβ - p pulls."""
        pull = _largest(self._rows) * _largest(w) + _largest(self._slope)
        return _largest(self.qp["E"] @ w - self.qp["d"]) <= 1e-9 * pull

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
    qp = _checked(Q, p, A, c, E, d)
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
            "E": _rounded(flat @ rows.T, _largest(rows)), "d": _rounded(flat @ qp.p, _largest(qp.p)),
        }
        constant = float(-qp.p @ curvature @ qp.p / 2)
    if not all(np.isfinite(number).all() for number in (constant, *program.values())):
        raise ValueError(_OUT_OF_RANGE)
    program["Q"] = program["Q"] / 2 + program["Q"].T / 2
    return LagrangianDual(program, constant, m, curvature, rows, sides, qp.p)


def _rounded(products, size):
    """Put 0 where a product is only the rounding of factors of this size: it would count as a side of its own."""
    return np.where(np.abs(products) <= 1e-13 * size, 0.0, products)


# ---------------------------------------------------------------------------------------------------------------
# Coordinate ascent
# ---------------------------------------------------------------------------------------------------------------
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


def _box(lower, upper, d):
    """Return the checked bounds of a box as arrays of length d."""
    bounds = []
    for name, bound in (("lower", lower), ("upper", upper)):
        bound = check_numbers(bound, name, allow_infinity=True)
        if bound.shape not in ((), (d,)):
            raise ValueError(f"{name} must be one number or {d}, got shape {bound.shape}")
        bounds.append(np.broadcast_to(bound, (d,)))
    if not (bounds[0] <= bounds[1]).all():
        raise ValueError("every lower bound must be at most its upper bound")
    return bounds


def maximize_in_box(Q, p, lower=-np.inf, upper=np.inf):
    """Return the coordinate maximiser of W(x) = pᵀx - ½ xᵀQx in a box, for ``coordinate_ascent``.

    Along coordinate j, W is a parabola with slope g_j = p_j - (Qx)_j and curvature -Q_jj. Its top is at
    x_j + g_j / Q_jj; if that lies outside, the nearest end of [lower_j, upper_j] is best.

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
    qp = _checked(Q, p, None, None, None, None)
    lower, upper = _box(lower, upper, len(qp.p))

    def maximize_coordinate(x, j):
        if np.shape(x) != qp.p.shape:
            raise ValueError(f"x must have one coordinate for each of the {len(qp.p)} of p, got shape {np.shape(x)}")
        slope = qp.p[j] - qp.Q[j] @ x
        with np.errstate(over="ignore"):
            if qp.Q[j, j] > 0:
                best = x[j] + slope / qp.Q[j, j]
            else:
                best = x[j] if slope == 0 else np.copysign(np.inf, slope)
        return min(max(best, lower[j]), upper[j])

    return maximize_coordinate
