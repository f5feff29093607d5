"""Ways to walk down a function, written so that every step can be seen.

Each function here is a generator of iterates. The first array it yields is the starting point, as floats; every
array is a copy of its own, so it may be kept or changed:

>>> path = list(gradient_descent(lambda x: 2 * x, x0=[4.0], learning_rate=0.25, max_iter=3))
>>> [float(x[0]) for x in path]
[4.0, 2.0, 1.0, 0.5]

A generator ends when its stopping rule holds or after ``max_iter`` steps; ``last(steps)`` runs it and returns
the final iterate. No iterate is ever NaN or infinite: a walk that leaves the range of the numbers raises
``DivergenceError``, which names the learning rate. Up to that point a growing walk is shown as it is.

The walks themselves come first, bare; below them stand the public functions, which check what they are given and watch
each step. The functions that a caller passes in get copies of the iterate: they may use them up.
"""

import itertools
import math
from collections import deque

import numpy as np

from mlcore.base import (
    FARTHEST,
    ConvergenceWarning,
    check_array,
    check_callable,
    check_consistent_length,
    check_int,
    check_numeric_target,
    check_random_state,
    check_real,
    warn_caller,
)
from mlcore.core.ensembles import nonnegative_coordinate
from mlcore.core.linear_regression import descend, descend_by_batches
from mlcore.numerics import newton_walk

__all__ = [
    "DivergenceError", "coordinate_descent", "descend", "descend_by_batches", "descend_by_coordinates",
    "gradient_descent", "last", "newton", "nonnegative_least_squares", "schedule", "stochastic_gradient_descent",
    "watched",
]


# ---------------------------------------------------------------------------------------------------------------
# The walks. x is where the walk stands, an array; rate(step) is the learning rate η of step 0, 1, 2, ...
# ---------------------------------------------------------------------------------------------------------------
def descend_by_coordinates(minimize_coordinate, x, max_iter, tol):
    """Coordinate descent, x_j ← argmin of f over x_j alone, for j = 1, ..., d in turn, and again."""
    yield x
    for _ in range(max_iter):
        before = x
        for j in range(len(x)):
            x = x.copy()
            x[j] = minimize_coordinate(x, j)
            yield x
        if np.abs(x - before).max() <= tol:
            return


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
class DivergenceError(ValueError):
    """An iterative method left the range of the numbers instead of settling down."""


def gradient_descent(gradient, x0, learning_rate=0.1, max_iter=1000, tol=1e-6):
    """Step against the gradient: x ← x - η ∇f(x).

    It stops when no entry of the gradient exceeds ``tol`` in size.

    Parameters
    ----------
    gradient : callable
        ``gradient(x)`` returns ∇f(x), an array of the shape of x.
    x0 : array-like
        Where to start; any shape.
    learning_rate : float > 0 or callable
        The step size η, or a function that returns it for step 0, 1, 2, ...
    max_iter : int >= 0
        The largest number of steps.
    tol : float >= 0
        In the units of the gradient; 0 stops only where the gradient is exactly zero.

    Yields
    ------
    ndarray of the shape of x0

    Raises
    ------
    ValueError
        For bad arguments (at once, before the first step), or a gradient of the wrong shape or not of real numbers.
    DivergenceError
        If a step overflows, because the learning rate is too large.

    References
    ----------
    Notes A 1.3.
    """
    start, rate = _start(x0), schedule(learning_rate)
    slope = _checked("gradient", gradient, start.shape)
    max_iter, tol = check_int("max_iter", max_iter, low=0), check_real("tol", tol, low=0)
    return watched(descend(slope, start, rate, max_iter, tol), rate)


def stochastic_gradient_descent(
    gradient, x0, n_samples, batch_size=1, learning_rate=0.01, max_iter=100, tol=1e-4, random_state=None
):
    """Step against the gradient of a few samples at a time: x ← x - η ∇f_B(x), B a batch of rows.

    One epoch (轮) passes over all the samples once, in a new random order, in batches; each batch is one step
    and one iterate. ``max_iter`` counts epochs. It stops after an epoch that moved x by no more than ``tol``
    times the length of x. With a constant learning rate the noise of the batches usually keeps it from
    standing still; a decreasing one, such as ``lambda step: 0.1 / (1 + 0.01 * step)``, lets it settle.

    Parameters
    ----------
    gradient : callable
        ``gradient(x, rows)`` returns the gradient of the mean loss over the samples ``rows`` (an int array).
    x0 : array-like
        Where to start; any shape.
    n_samples : int >= 1
        How many samples there are.
    batch_size : int >= 1
        Samples a step: 1 is stochastic gradient descent (随机梯度下降), more is mini-batch (小批量), and
        ``n_samples`` or more is gradient descent. The last batch of an epoch may be smaller.
    learning_rate : float > 0 or callable
        The step size η, or a function that returns it for step 0, 1, 2, ... (steps, not epochs).
    max_iter : int >= 0
        The largest number of epochs.
    tol : float >= 0
        The relative movement over an epoch; 0 stops only if x did not move at all.
    random_state : int, Generator or None

    Yields
    ------
    ndarray of the shape of x0

    Raises
    ------
    ValueError, DivergenceError
        As ``gradient_descent``.

    References
    ----------
    Notes A 1.4 and 1.5.
    """
    start, rate = _start(x0), schedule(learning_rate)
    slope = _checked("gradient", gradient, start.shape)
    n_samples, batch_size = check_int("n_samples", n_samples, low=1), check_int("batch_size", batch_size, low=1)
    max_iter, tol = check_int("max_iter", max_iter, low=0), check_real("tol", tol, low=0)
    rng = check_random_state(random_state)
    return watched(descend_by_batches(slope, start, n_samples, batch_size, rate, max_iter, tol, rng), rate)


def newton(gradient, hessian, x0, max_iter=100, tol=1e-8, objective=None):
    """Jump to the minimum of the parabola that fits at x: x ← x - H(x)⁻¹ ∇f(x).

    It stops when no entry of the gradient exceeds ``tol`` in size. Near a minimum with a positive definite
    Hessian the number of correct digits doubles with every step; far away a full step may overshoot. With
    ``objective`` each step is halved until f falls (by at least 10⁻⁴ of what its slope promises), and the walk
    ends where no step lowers f any more. Where the Hessian is singular, the shortest of the steps that
    solve H s = ∇f is taken.

    Parameters
    ----------
    gradient : callable
        ``gradient(x)`` returns ∇f(x), of shape (d,).
    hessian : callable
        ``hessian(x)`` returns the matrix of second derivatives, of shape (d, d).
    x0 : array-like of shape (d,)
    max_iter : int >= 0
        The largest number of steps.
    tol : float >= 0
        In the units of the gradient.
    objective : callable or None
        ``objective(x)`` returns f(x), a number. Where f is not defined it may be infinity or NaN: no step ends there.

    Yields
    ------
    ndarray of shape (d,)

    Raises
    ------
    ValueError
        For bad arguments, a gradient or Hessian of the wrong shape or not finite, an objective that is no number at an
        iterate, or where H s = ∇f has no solution.
    DivergenceError
        If a step overflows.

    References
    ----------
    Notes A 2.2.
    """
    start = _start(x0, "newton")
    slope_at = _checked("gradient", gradient, start.shape)
    curvature_at = _checked("Hessian", hessian, start.shape * 2)
    value_at = (lambda x: None) if objective is None else _checked("objective", objective, ())
    max_iter, tol = check_int("max_iter", max_iter, low=0), check_real("tol", tol, low=0)

    def look(x):
        return (value_at(x),) * 2

    def step(x, value):
        if not np.isfinite(x).all():
            raise DivergenceError("the iterates diverge: a full Newton step overshoots: start nearer or pass objective")
        if value is not None and not value > -np.inf:
            raise ValueError(f"the objective is {value} at the point {x}: start where it is a number")
        slope = slope_at(x)
        arrived = np.abs(slope).max() <= tol
        return (np.zeros_like(x) if arrived else -_solve(curvature_at(x), slope)), slope

    def steps():
        yield start.copy()
        for number, place in enumerate(newton_walk(start, look, step, max_iter)):
            if number > 0:
                yield place.theta.copy()
            if np.abs(place.slope).max() <= tol:
                return

    return steps()


def coordinate_descent(minimize_coordinate, x0, max_iter=1000, tol=1e-8):
    """Minimise over one coordinate at a time, the others held fixed, in turn.

    One sweep visits every coordinate once; ``max_iter`` counts sweeps. An iterate is yielded after each
    coordinate. It stops after a sweep in which no coordinate moved by more than ``tol``. That point is a
    minimum if f is convex and its part without a derivative, if any, is a sum over coordinates, as in the lasso.

    Parameters
    ----------
    minimize_coordinate : callable
        ``minimize_coordinate(x, j)`` returns the value of coordinate j that minimises f, all others as in x.
    x0 : array-like of shape (d,)
    max_iter : int >= 0
        The largest number of sweeps.
    tol : float >= 0
        In the units of x.

    Yields
    ------
    ndarray of shape (d,)

    Raises
    ------
    ValueError
        For bad arguments, or a coordinate that is not a real number.
    DivergenceError
        If a coordinate becomes NaN or infinite: then f has no minimum along it.
    """
    start = _start(x0, "coordinate_descent")
    best = _checked("new coordinate", minimize_coordinate, ())
    max_iter, tol = check_int("max_iter", max_iter, low=0), check_real("tol", tol, low=0)
    return watched(descend_by_coordinates(best, start, max_iter, tol))


def last(steps):
    """Run a generator to its end and return the last thing it yields.

    Raises
    ------
    ValueError
        If it yields nothing, or is no generator.
    """
    if not np.iterable(steps):
        raise ValueError(f"a generator of iterates is needed, such as gradient_descent(...), got {steps!r}")
    final = deque(steps, maxlen=1)
    if not final:
        raise ValueError("the generator yielded nothing, so there is no last iterate")
    return final[0]


# ---------------------------------------------------------------------------------------------------------------
# Around a walk
# ---------------------------------------------------------------------------------------------------------------
def watched(steps, rate=None):
    """Yield a copy of each iterate of a walk, quietly; one that is NaN or infinite ends it with an error.

    Parameters
    ----------
    steps : iterator of arrays
        One of the bare walks above, say.
    rate : callable or None
        Its learning rate, for the message; None for a walk by coordinates.

    Raises
    ------
    ValueError
        If the gradient was NaN or infinite at an ordinary point.
    DivergenceError
        If the walk ran away.
    """
    x = None
    for number in itertools.count():
        before = x
        with np.errstate(all="ignore"):
            x = next(steps, None)
        if x is None:
            return
        if not math.isfinite(np.vdot(x, x)) and not np.isfinite(x).all():  # the quick test first
            raise _what_went_wrong(number, before, np.asarray(x), rate)
        yield np.array(x)


def _what_went_wrong(number, before, x, rate):
    if rate is None:
        sweep, j = divmod(number - 1, len(x))
        return DivergenceError(
            f"coordinate {j} became {x[j]} in sweep {sweep + 1}: the function has no minimum along it"
        )
    if np.abs(before).max() < FARTHEST:
        return ValueError(f"the gradient is NaN or infinite in step {number}, at the point {before}")
    return DivergenceError(
        f"the iterates diverge: step {number} overflows (learning_rate={rate(number - 1):g} is too large for this "
        "function; make it smaller)"
    )


# ---------------------------------------------------------------------------------------------------------------
# What callers pass in
# ---------------------------------------------------------------------------------------------------------------
def _start(x0, one_dimensional=None):
    """Return the starting point as a float copy; refuse what is empty or not finite, or no vector where one is due."""
    x = _as_floats(x0, "x0").copy()
    if x.size == 0:
        raise ValueError("x0 is empty: there is nothing to minimise over")
    if not np.isfinite(x).all():
        raise ValueError(f"x0 must be finite, got {x}")
    if one_dimensional and x.ndim != 1:
        raise ValueError(f"x0 must be a 1-D array for {one_dimensional}, got shape {x.shape}")
    return x


def schedule(learning_rate):
    """Return the learning rate as a function of the step number."""
    if not callable(learning_rate):
        rate = check_real("learning_rate", learning_rate, low=0, low_open=True)
        return lambda step: rate
    return lambda step: check_real(f"learning_rate({step})", learning_rate(step), low=0, low_open=True)


def _as_floats(value, name):
    """Return real numbers as a float array; refuse None, text, complex numbers and rows of different lengths."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biufO" and value is not None:
            return array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array of real numbers ({error})") from error
    found = "None (does a function lack its return?)" if value is None else f"dtype {array.dtype}"
    raise ValueError(f"{name} must be an array of real numbers, got {found}")


def _checked(name, function, shape):
    """Return the function with its answer checked: an array of this shape, or for () a float; NaN may pass."""
    check_callable({"Hessian": "hessian", "new coordinate": "minimize_coordinate"}.get(name, name), function)

    def checked(x, *others):
        value = function(np.array(x), *others)
        if shape == ():
            return _number(value, name)
        value = _as_floats(value, f"the {name}")
        if value.shape != shape:
            raise ValueError(f"the {name} must have shape {shape} at an x of shape {x.shape}, got {value.shape}")
        return value

    return checked


def _number(value, name):
    """Return a real number as a float; NaN and infinity may pass."""
    if isinstance(value, float):
        return value
    array = _as_floats(value, f"the {name}")
    if array.size != 1:
        raise ValueError(f"the {name} must be a number, got an array of shape {array.shape}")
    return float(array.reshape(()))


def _solve(matrix, vector):
    """Solve H s = g for any square H, a saddle's too; where it is singular, the shortest solution, if there is one."""
    if not (np.isfinite(matrix).all() and np.isfinite(vector).all()):
        raise ValueError("the gradient or the Hessian holds NaN or infinity: Newton's step is not defined there")

    def error(solution):
        return np.linalg.norm(matrix @ solution - vector) / np.linalg.norm(vector)

    try:
        solution = np.linalg.solve(matrix, vector)
        if not np.isfinite(solution).all() or error(solution) <= 1e-8:
            return solution
    except np.linalg.LinAlgError:
        pass
    solution = np.linalg.lstsq(matrix, vector, rcond=None)[0]
    if error(solution) > 0.5:
        raise ValueError(
            "the Hessian is singular and has no curvature along the gradient, so Newton's step does not exist here: "
            f"start nearer to the minimum, add a penalty, or raise tol (the gradient is {np.abs(vector).max():.3g})"
        )
    return solution


# ---------------------------------------------------------------------------------------------------------------
# Non-negative least squares
# ---------------------------------------------------------------------------------------------------------------
def nonnegative_least_squares(A, b, *, max_iter=5000, tol=1e-12):
    """Return the x >= 0 that minimises ‖A x - b‖², by coordinate descent (非负最小二乘).

    Parameters
    ----------
    A : array-like of shape (n, d)
    b : array-like of shape (n,)
    max_iter : int >= 1
        Sweeps over all coordinates.
    tol : float >= 0
        Stop when no coordinate moves by more than this times the length of b, in columns of length 1.

    Returns
    -------
    ndarray of shape (d,)
        A column of zeros gets 0.

    Raises
    ------
    ValueError
        For bad data or parameters.
    """
    A, b = check_array(A, name="A"), check_numeric_target(b, name="b")
    check_consistent_length(A, b, names=("A", "b"))
    max_iter, tol = check_int("max_iter", max_iter, low=1), check_real("tol", tol, low=0)
    length = np.linalg.norm(A, axis=0)
    unit = A / np.where(length > 0, length, 1.0)
    H, g, x = unit.T @ unit, unit.T @ b, np.zeros(A.shape[1])
    for _ in range(max_iter):
        before = x.copy()
        for j in range(len(x)):
            x[j] = nonnegative_coordinate(H, g, x, j)
        if np.abs(x - before).max() <= tol * np.linalg.norm(b):
            break
    else:
        warn_caller(
            f"the weights still moved after max_iter={max_iter} sweeps: columns that say nearly the same have no "
            "weights of their own; leave one of them out",
            ConvergenceWarning,
        )
    return x / np.where(length > 0, length, 1.0)
