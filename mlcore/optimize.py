"""Ways to walk down a function, written so that every step can be seen.

Each function here is a generator of iterates. The first array it yields is the starting point, as floats; every
array is a copy of its own, so it may be kept or changed:

>>> path = list(gradient_descent(lambda x: 2 * x, x0=[4.0], learning_rate=0.25, max_iter=3))
>>> [float(x[0]) for x in path]
[4.0, 2.0, 1.0, 0.5]

A generator ends when its stopping rule holds or after ``max_iter`` steps; ``last(steps)`` runs it and returns
the final iterate. No iterate is ever NaN or infinite: a walk that leaves the range of the numbers raises
``DivergenceError``, which names the learning rate. Up to that point a growing walk is shown as it is.

The functions that a caller passes in get copies of the iterate: they may use them up. Models that are trained by
gradient descent find at the end what they share: the walk, and whether it diverged, arrived, or made things worse.
"""

import itertools
import math
from collections import deque

import numpy as np

from mlcore.base import (
    FARTHEST,
    REQUIRED,
    ConvergenceWarning,
    anything,
    check_callable,
    check_consistent_length,
    check_real,
    door,
    real,
    seed,
    table,
    targets,
    warn_caller,
    whole,
)
from mlcore.core.ensembles import nonnegative_coordinate
from mlcore.core.linear_regression import descend, descend_by_batches
from mlcore.numerics import newton_walk

__all__ = [
    "DivergenceError", "coordinate_descent", "check_epoch", "descend", "descend_by_batches", "descend_by_coordinates",
    "excess_distance", "function", "gradient_descent", "last", "learning_rate", "newton", "nonnegative_least_squares",
    "row_descent", "schedule", "stochastic_gradient_descent", "warn_if_worse", "warn_not_arrived", "watched",
]


# ---------------------------------------------------------------------------------------------------------------
# What callers pass in
# ---------------------------------------------------------------------------------------------------------------
def schedule(rate, name="learning_rate"):
    """Return the learning rate as a function of the step number."""
    if not callable(rate):
        rate = check_real(name, rate, low=0, low_open=True)
        return lambda step: rate
    return lambda step: check_real(f"{name}({step})", rate(step), low=0, low_open=True)


def learning_rate(default, says):
    """Declare a step size, a number or a function of the step number; None as the default leaves it to the model."""
    form = "float > 0 or callable" + (", optional" if default is None else "")
    return anything(
        default, form, says, bad=(0.0, -1.0, np.nan, np.inf, "fast", True),
        check=lambda name, value: None if value is None and default is None else schedule(value, name),
    )


def function(says, default=REQUIRED):
    """Declare a function; None as the default makes it optional."""
    return anything(
        default, "callable" if default is REQUIRED else "callable, optional", says, bad=(3, "x", [1.0]),
        check=lambda name, value: value if value is default else check_callable(name, value),
    )


def start(says):
    """Declare where a walk starts."""
    bad = (None, [], [np.nan, 1.0], [np.inf], "no", ["1"], 1j, [[1.0, 2.0], [3.0]])
    return anything(REQUIRED, "array-like", says, bad=bad, check=lambda name, value: _start(value))


def _start(x0):
    """Return the starting point as a float copy; refuse what is empty or not finite."""
    x = _as_floats(x0, "x0").copy()
    if x.size == 0:
        raise ValueError("x0 is empty: there is nothing to minimise over")
    if not np.isfinite(x).all():
        raise ValueError(f"x0 must be finite, got {x}")
    return x


def _check_vector(x, method):
    if x.ndim != 1:
        raise ValueError(f"x0 must be a 1-D array for {method}, got shape {x.shape}")


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


# ---------------------------------------------------------------------------------------------------------------
# The walks
# ---------------------------------------------------------------------------------------------------------------
class DivergenceError(ValueError):
    """An iterative method left the range of the numbers instead of settling down."""


@door(
    gradient=function("``gradient(x)`` returns ∇f(x), an array of the shape of x."),
    x0=start("Where to start; any shape."),
    learning_rate=learning_rate(0.1, "The step size η, or a function that returns it for step 0, 1, 2, ..."),
    max_iter=whole(1000, "The largest number of steps.", low=0),
    tol=real(1e-6, "In the units of the gradient; 0 stops only where the gradient is exactly zero.", low=0),
)
def gradient_descent(gradient, x0, learning_rate=0.1, max_iter=1000, tol=1e-6):
    """Step against the gradient: x ← x - η ∇f(x).

    It stops when no entry of the gradient exceeds ``tol`` in size.

    Yields
    ------
    ndarray of the shape of x0

    Raises
    ------
    ValueError
        For bad arguments (at once, before the first step), or a gradient of the wrong shape or not of real numbers.
    DivergenceError
        If a step overflows, because the learning rate is too large.

    Notes A 1.3.
    """
    slope = _checked("gradient", gradient, x0.shape)
    return watched(descend(slope, x0, learning_rate, max_iter, tol), learning_rate)


@door(
    gradient=function(
        "``gradient(x, rows)`` returns the gradient of the mean loss over the samples ``rows`` (an int array)."
    ),
    x0=start("Where to start; any shape."),
    n_samples=whole(REQUIRED, "How many samples there are.", low=1),
    batch_size=whole(
        1,
        "Samples a step: 1 is stochastic gradient descent (随机梯度下降), more is mini-batch (小批量), and\n"
        "``n_samples`` or more is gradient descent. The last batch of an epoch may be smaller.",
        low=1,
    ),
    learning_rate=learning_rate(
        0.01, "The step size η, or a function that returns it for step 0, 1, 2, ... (steps, not epochs)."
    ),
    max_iter=whole(100, "The largest number of epochs.", low=0),
    tol=real(1e-4, "The relative movement over an epoch; 0 stops only if x did not move at all.", low=0),
    random_state=seed("Draws the order of the samples."),
)
def stochastic_gradient_descent(
    gradient, x0, n_samples, batch_size=1, learning_rate=0.01, max_iter=100, tol=1e-4, random_state=None
):
    """Step against the gradient of a few samples at a time: x ← x - η ∇f_B(x), B a batch of rows.

    One epoch (轮) passes over all the samples once, in a new random order, in batches; each batch is one step
    and one iterate. It stops after an epoch that moved x by no more than ``tol`` times the length of x. With a
    constant learning rate the noise of the batches usually keeps it from standing still; a decreasing one, such as
    ``lambda step: 0.1 / (1 + 0.01 * step)``, lets it settle.

    Yields
    ------
    ndarray of the shape of x0

    Raises
    ------
    ValueError, DivergenceError
        As ``gradient_descent``.

    Notes A 1.4 and 1.5.
    """
    slope = _checked("gradient", gradient, x0.shape)
    steps = descend_by_batches(slope, x0, n_samples, batch_size, learning_rate, max_iter, tol, random_state)
    return watched(steps, learning_rate)


@door(
    gradient=function("``gradient(x)`` returns ∇f(x), of shape (d,)."),
    hessian=function("``hessian(x)`` returns the matrix of second derivatives, of shape (d, d)."),
    x0=start("Of shape (d,)."),
    max_iter=whole(100, "The largest number of steps.", low=0),
    tol=real(1e-8, "In the units of the gradient.", low=0),
    objective=function(
        "``objective(x)`` returns f(x), a number. Where f is not defined it may be infinity or NaN: no step ends\n"
        "there.", default=None,
    ),
)
def newton(gradient, hessian, x0, max_iter=100, tol=1e-8, objective=None):
    """Jump to the minimum of the parabola that fits at x: x ← x - H(x)⁻¹ ∇f(x).

    It stops when no entry of the gradient exceeds ``tol`` in size. Near a minimum with a positive definite
    Hessian the number of correct digits doubles with every step; far away a full step may overshoot. With
    ``objective`` each step is halved until f falls (by at least 10⁻⁴ of what its slope promises), and the walk
    ends where no step lowers f any more. Where the Hessian is singular, the shortest of the steps that
    solve H s = ∇f is taken.

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

    Notes A 2.2.
    """
    _check_vector(x0, "newton")
    slope_at = _checked("gradient", gradient, x0.shape)
    curvature_at = _checked("Hessian", hessian, x0.shape * 2)
    value_at = (lambda x: None) if objective is None else _checked("objective", objective, ())

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
        yield x0.copy()
        for number, place in enumerate(newton_walk(x0, look, step, max_iter)):
            if number > 0:
                yield place.theta.copy()
            if np.abs(place.slope).max() <= tol:
                return

    return steps()


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


@door(
    minimize_coordinate=function(
        "``minimize_coordinate(x, j)`` returns the value of coordinate j that minimises f, all others as in x."
    ),
    x0=start("Of shape (d,)."),
    max_iter=whole(1000, "The largest number of sweeps.", low=0),
    tol=real(1e-8, "In the units of x.", low=0),
)
def coordinate_descent(minimize_coordinate, x0, max_iter=1000, tol=1e-8):
    """Minimise over one coordinate at a time, the others held fixed, in turn.

    One sweep visits every coordinate once. An iterate is yielded after each coordinate. It stops after a sweep in
    which no coordinate moved by more than ``tol``. That point is a minimum if f is convex and its part without a
    derivative, if any, is a sum over coordinates, as in the lasso.

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
    _check_vector(x0, "coordinate_descent")
    best = _checked("new coordinate", minimize_coordinate, ())
    return watched(descend_by_coordinates(best, x0, max_iter, tol))


def descend_by_coordinates(minimize_coordinate, x, max_iter, tol):
    """x_j ← argmin of f over x_j alone, for j = 1, ..., d in turn, and again."""
    yield x
    for _ in range(max_iter):
        before = x
        for j in range(len(x)):
            x = x.copy()
            x[j] = minimize_coordinate(x, j)
            yield x
        if np.abs(x - before).max() <= tol:
            return


@door(
    A=table("A row for each equation.", form="array-like of shape (n, d)"),
    b=targets("Its right side.", form="array-like of shape (n,)"),
    max_iter=whole(5000, "Sweeps over all coordinates.", low=1),
    tol=real(
        1e-12,
        "Stop when no coordinate moves by more than this times the length of b, in columns of length 1.", low=0,
    ),
)
def nonnegative_least_squares(A, b, *, max_iter=5000, tol=1e-12):
    """Return the x >= 0 that minimises ‖A x - b‖², by coordinate descent (非负最小二乘).

    Returns
    -------
    ndarray of shape (d,)
        A column of zeros gets 0.
    """
    check_consistent_length(A, b, names=("A", "b"))
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
# Around a walk: did it diverge, did it arrive?
# ---------------------------------------------------------------------------------------------------------------
FARTHEST_LOSS = 1e20
"""A loss that has grown by more than this has run away, even where the weights stay small."""


def watched(steps, rate=None, advice=""):
    """Yield a copy of each iterate of a walk, with overflow silent; one that is NaN or infinite ends it with an error.

    Parameters
    ----------
    steps : iterator of arrays
    rate : callable or None
        Its learning rate, for the message; None for a walk by coordinates.
    advice : str
        What else to say where the walk ran away.

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
            raise _what_went_wrong(number, before, np.asarray(x), rate, advice)
        yield np.array(x)


def _what_went_wrong(number, before, x, rate, advice):
    if rate is None:
        sweep, j = divmod(number - 1, len(x))
        return DivergenceError(
            f"coordinate {j} became {x[j]} in sweep {sweep + 1}: the function has no minimum along it"
        )
    if np.abs(before).max() < FARTHEST:
        return ValueError(f"the gradient is NaN or infinite in step {number}, at the point {before}")
    return DivergenceError(
        f"the iterates diverge: step {number} overflows (learning_rate={rate(number - 1):g} is too large for this "
        f"function; make it smaller){advice}"
    )


def row_descent(gradient, theta, n_samples, batch_size, rate, max_iter, tol, rng, advice=""):
    """Gradient descent over the rows of a model's data: yield (steps or epochs begun, θ), the start first.

    Parameters
    ----------
    gradient : callable
        ``gradient(theta, rows)`` returns the gradient of the mean loss over some rows.
    batch_size : int or None
        None takes all rows at each step; then ``tol`` is a share of the gradient at the start.
    rate : callable
    theta, n_samples, max_iter, tol, rng, advice
        As in ``stochastic_gradient_descent`` and ``watched``.
    """
    if batch_size is None:
        every, per_epoch = slice(None), 1
        tol = tol * np.abs(gradient(theta, every)).max()
        steps = descend(lambda x: gradient(x, every), theta, rate, max_iter, tol)
    else:
        per_epoch = -(-n_samples // batch_size)
        steps = descend_by_batches(gradient, theta, n_samples, batch_size, rate, max_iter, tol, rng)
    for step, x in enumerate(watched(steps, rate, advice)):
        yield -(-step // per_epoch), x


def excess_distance(answer, move, errors, least=0.0):
    """Return by how much each weight is farther from the answer than is near enough; above 0 it has not arrived.

    Near enough is: within 1 % of the largest weight, and also within 1 % of the weight itself or a tenth of its
    standard error. All are in units of 1 / the spread of the weight's feature.

    Parameters
    ----------
    answer, move, errors : ndarrays of shape (d,)
        The weights at the minimum, the way that is left to them, and their standard errors.
    least : float
        The largest weight counts as at least this.
    """
    sizes = np.abs(answer)
    largest = max(least, sizes.max())
    return np.abs(move) - np.minimum(0.01 * largest, 0.01 * sizes + 0.1 * errors + 1e-8 * largest)


def warn_not_arrived(what, exact):
    """Warn of a walk that ended before it reached the minimum; ``exact`` is the solver that finds it for certain."""
    warn_caller(
        f"{what}: standardise the features, raise max_iter and lower tol, change the learning_rate (smaller, or "
        f"falling for sgd), or use solver={exact!r}",
        ConvergenceWarning,
    )


def check_epoch(epoch, theta, loss, before, rate):
    """Refuse to go on where an epoch has led the weights, or the loss from its value ``before``, out of all range.

    Raises
    ------
    DivergenceError
        With the learning rate.
    """
    if not (np.abs(theta).max() <= FARTHEST and loss <= FARTHEST_LOSS * (1 + before)):  # false for NaN
        raise DivergenceError(
            f"the weights run away in epoch {epoch}: learning_rate={rate:g} is too large for these data or penalties; "
            "make it smaller, and give X (and the y of a regression) deviations near 1"
        )


def warn_if_worse(before, after, rate):
    """Warn of a training that ended above where it began."""
    if after > 1.01 * before:
        warn_caller(
            f"the training loss rose from {before:.3g} to {after:.3g}: learning_rate={rate:g} is too large for these "
            "data or penalties; make it smaller, or bring X (and the y of a regression) to deviations near 1",
            ConvergenceWarning,
        )
