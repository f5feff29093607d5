"""Checks of formulas: each derived result of a chapter is compared with an independent computation.

Every check takes the tag of the formula first (the ``\\tag{7.12}`` it belongs to), then a few words, and prints one
line that is the same on every machine. A formula that does not hold raises ``FormulaError``.

>>> verify("1.1", "sum of the first n integers", 10 * 11 / 2, sum(range(11)))
✓ (1.1) sum of the first n integers: agrees to 1e-08
"""

import math
from statistics import NormalDist

import numpy as np

from mlcore.base import check_callable, check_random_state, check_real, say

__all__ = [
    "FormulaError",
    "check_gradient",
    "check_inequality",
    "check_minimum",
    "monte_carlo",
    "numerical_gradient",
    "numerical_hessian",
    "refused",
    "verify",
]


class FormulaError(AssertionError):
    """A formula does not hold: the two sides differ."""


def _passed(tag, what, how):
    say(f"✓ ({tag}) {what}: {how}")


def _failed(tag, what, how):
    raise FormulaError(f"✗ ({tag}) {what}: {how}")


def _finite(tag, what, value, side):
    array = np.asarray(value)
    if array.size == 0:
        _failed(tag, what, f"the {side} is empty, so nothing was compared")
    if array.dtype.kind not in "biufc":
        _failed(tag, what, f"the {side} is not numeric (dtype {array.dtype})")
    if not np.isfinite(array).all():
        _failed(tag, what, f"the {side} holds NaN or infinity")
    # small whole numbers and truth values as floats: differences of unsigned ones would wrap around
    return array.astype(float) if array.dtype.kind in "biu" and np.all(np.abs(array) < 2.0**53) else array


def _real(tag, what, value, side):
    array = _finite(tag, what, value, side)
    if array.dtype.kind == "c":
        _failed(tag, what, f"the {side} is complex: there is no order among complex numbers")
    return array


def _sides(tag, what, lhs, rhs):
    """Both sides as finite arrays of one shape; the same object twice proves nothing and is refused."""
    if lhs is rhs and isinstance(lhs, np.ndarray):
        _failed(tag, what, "both sides are the same object: compare two independent computations")
    left, right = _finite(tag, what, lhs, "left side"), _finite(tag, what, rhs, "right side")
    if left.shape != right.shape:
        _failed(tag, what, f"the shapes differ: {left.shape} and {right.shape}")
    if np.may_share_memory(np.asarray(lhs), np.asarray(rhs)):
        _failed(tag, what, "both sides share their memory: compare two independent computations")
    return left, right


def verify(tag, what, lhs, rhs, *, rtol=1e-8, atol=0.0):
    """Check that two independent computations of one quantity agree.

    The error is measured over the whole array: max|lhs - rhs| <= atol + rtol · max(max|lhs|, max|rhs|).

    Parameters
    ----------
    tag : str
        The formula's tag, such as "7.12".
    what : str
        A few words that name the result.
    lhs, rhs : scalars or arrays of one shape
    rtol : float in [0, 0.01]
        Relative tolerance. What is true only up to noise belongs into ``monte_carlo``.
    atol : float
        Absolute tolerance, needed where the true value is zero.

    Raises
    ------
    FormulaError
        If the sides differ, differ in shape, are not finite, or are one and the same object.
    """
    check_real("rtol", rtol, low=0, high=0.01)
    check_real("atol", atol, low=0)
    left, right = _sides(tag, what, lhs, rhs)
    scale = max(np.abs(left).max(), np.abs(right).max())
    error = np.abs(left - right).max()
    if not error <= atol + rtol * scale:
        worst = np.unravel_index(np.argmax(np.abs(left - right)), left.shape)
        at = f" at index {tuple(int(i) for i in worst)}" if left.ndim else ""
        _failed(
            tag,
            what,
            f"{left[worst]!s} and {right[worst]!s} differ{at} (relative error {error / (scale or 1):.1e}, "
            f"allowed {rtol:g})",
        )
    _passed(
        tag, what, f"agrees to {f'{atol:g}' if rtol == 0 else f'{rtol:.0e}'}" + (" (absolute)" if rtol == 0 else "")
    )


def numerical_gradient(f, x, h=None):
    """Return the gradient of a scalar function by Richardson-extrapolated central differences.

    g_j ≈ [8 (f(x + h e_j) - f(x - h e_j)) - (f(x + 2h e_j) - f(x - 2h e_j))] / (12 h), whose error is O(h⁴).

    Parameters
    ----------
    f : callable
        Takes an array like ``x`` and returns a scalar.
    x : scalar or array of any shape
    h : float, optional
        Step, greater than 0; by default 1e-3 · max(1, |x_j|).

    Returns
    -------
    float or ndarray with the shape of x

    Raises
    ------
    ValueError
        If f is no function or x not real, or if f returns anything but a finite real number near x.
    """
    check_callable("f", f)
    x = _point(x)
    if h is not None:
        h = check_real("h", h, low=0, low_open=True)
    gradient = np.empty(x.shape)
    for j in np.ndindex(x.shape):
        step = 1e-3 * max(1.0, abs(x[j])) if h is None else h

        def along(t, j=j, step=step):
            moved = x.copy()
            moved[j] += t * step
            value = _value(f, moved)
            if not math.isfinite(value):
                raise ValueError(f"f is {value} at {moved}, so it has no gradient by differences here: make h smaller")
            return value

        gradient[j] = (8 * (along(1) - along(-1)) - (along(2) - along(-2))) / (12 * step)
    return gradient if x.ndim else float(gradient)


def numerical_hessian(f, x, h=1e-3):
    """Return the symmetric Hessian of a scalar function of a vector, by central differences of its gradient.

    Parameters
    ----------
    f : callable
        Takes an array of shape (d,) and returns a scalar.
    x : array of shape (d,)
    h : float > 0
        Step.

    Returns
    -------
    ndarray of shape (d, d)

    Raises
    ------
    ValueError
        As ``numerical_gradient``; or if x is no vector.
    """
    check_callable("f", f)
    x, h = _point(x), check_real("h", h, low=0, low_open=True)
    if x.ndim != 1:
        raise ValueError(f"numerical_hessian needs a vector, got an array of shape {x.shape}")
    rows = [
        (
            8 * (numerical_gradient(f, x + e) - numerical_gradient(f, x - e))
            - (numerical_gradient(f, x + 2 * e) - numerical_gradient(f, x - 2 * e))
        )
        / (12 * h)
        for e in h * np.eye(len(x))
    ]
    hessian = np.array(rows)
    return (hessian + hessian.T) / 2


def _point(x):
    """Return a point as an array of finite floats."""
    array = np.asarray(x)
    if array.dtype.kind not in "biuf" or array.size == 0 or not np.isfinite(array).all():
        raise ValueError(f"x must be a number or an array of finite real numbers, got {x!r}")
    return array.astype(float)


def _scalar(value):
    """Return what a function has returned as a float; infinity and NaN are left to the caller."""
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"the function must return a scalar, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"the function must return a real number, got {value!r}")
    return float(array.reshape(()))


def _value(f, x):
    """Evaluate f at a copy of x (a float if x has no dimensions)."""
    return _scalar(f(x.copy() if x.ndim else float(x)))


def check_gradient(tag, what, f, gradient, x):
    """Check a gradient formula against finite differences of its function at the point ``x``.

    Parameters
    ----------
    f : callable
        x -> scalar.
    gradient : callable
        x -> array with the shape of x: the formula.
    """
    check_callable("gradient", gradient)
    x, numeric = _point(x), np.asarray(numerical_gradient(f, x))
    # where the true gradient is (nearly) zero, differences of f carry rounding noise of the size of f
    noise = 1e-10 * max(1.0, abs(_value(f, x)))
    verify(tag, what, gradient(x if x.ndim else float(x)), numeric, rtol=1e-6, atol=noise)


def check_inequality(tag, what, smaller, larger, *, slack=1e-10):
    """Check smaller <= larger for every entry, up to ``slack`` relative to the size of the values.

    Scalars are compared with every entry of the other side.

    Raises
    ------
    FormulaError
        With the entry that breaks the inequality most.
    """
    check_real("slack", slack, low=0, high=1e-3)
    left, right = _real(tag, what, smaller, "smaller side"), _real(tag, what, larger, "larger side")
    if left.ndim and right.ndim and left.shape != right.shape:
        _failed(tag, what, f"the shapes differ: {left.shape} and {right.shape}")
    if smaller is larger:
        _failed(tag, what, "both sides are the same object")
    excess = left - right
    scale = max(1.0, np.abs(left).max(), np.abs(right).max())
    if excess.max() > slack * scale:
        count = int((excess > slack * scale).sum())
        _failed(tag, what, f"violated in {count} of {excess.size} cases, by {excess.max():.3g} at worst")
    _passed(tag, what, f"holds in {excess.size} case{'s' if excess.size != 1 else ''}")


def check_minimum(tag, what, f, x, *, radius=1e-2, seed=0, inside=None):
    """Check that no point near ``x`` has a smaller value of ``f``, by probing random directions at several distances.

    Parameters
    ----------
    f : callable
        array with the shape of x -> scalar.
    x : scalar or array
        The claimed minimiser.
    radius : float > 0
        Largest distance of a probe, relative to max(1, ‖x‖); probes lie at radius, radius/10 and radius/100.
    inside : callable, optional
        probe -> bool: leaves out probes that break the constraints of a constrained problem.

    Raises
    ------
    FormulaError
        If a probe has a smaller value, if f is not finite at x or NaN at a probe, or no probe is inside.
    """
    check_callable("f", f)
    if inside is not None:
        check_callable("inside", inside)
    radius, rng = check_real("radius", radius, low=0, low_open=True), check_random_state(seed)
    x = _real(tag, what, x, "point").astype(float)
    best = _value(f, x)
    if not math.isfinite(best):
        _failed(tag, what, "the value at the claimed minimum is not finite")
    size = max(1.0, float(np.linalg.norm(x)))
    lowest, probed = math.inf, 0
    for distance in (radius, radius / 10, radius / 100):
        for _ in range(200):
            direction = rng.normal(size=x.shape)
            probe = x + distance * size * direction / np.linalg.norm(direction)
            if inside is None or np.all(inside(probe.copy())):
                value = _value(f, probe)
                if math.isnan(value):
                    _failed(tag, what, f"f is NaN at the probe {probe}: leave out such points with inside")
                lowest, probed = min(lowest, value), probed + 1
    if probed == 0:
        _failed(tag, what, "no probe satisfied the constraints, so nothing was compared")
    if lowest < best - 1e-12 * max(1.0, abs(best)):
        _failed(tag, what, f"a point nearby has the smaller value {lowest:.6g} (claimed minimum {best:.6g})")
    _passed(tag, what, f"no smaller value at {probed} points nearby")


def monte_carlo(tag, what, samples, expected, *, level=1e-4):
    """Check a claim about a mean against independent samples, by a two-sided z-test.

    The claim fails if the sample mean lies further from ``expected`` than it would, were the claim true, with
    probability ``level``.

    Parameters
    ----------
    samples : array of shape (n,) or (n, k)
        Independent draws, at least 100; with k columns each mean is tested at level / k.
    expected : float or array of shape (k,)
    level : float in (0, 0.05]
        Chance of refusing a true claim.
    """
    check_real("level", level, low=0, high=0.05, low_open=True)
    draws = _real(tag, what, samples, "sample").astype(float)
    if draws.ndim not in (1, 2) or len(draws) < 100:
        _failed(tag, what, f"at least 100 samples in rows are needed, got shape {draws.shape}")
    columns = draws.reshape(len(draws), -1)
    claim = np.atleast_1d(_real(tag, what, expected, "expected value").astype(float))
    if claim.shape != (columns.shape[1],):
        _failed(tag, what, f"{columns.shape[1]} means but {claim.size} expected values")
    gap = np.abs(columns.mean(axis=0) - claim)
    error = columns.std(axis=0, ddof=1) / math.sqrt(len(columns))
    limit = NormalDist().inv_cdf(1 - level / columns.shape[1] / 2)
    # samples without any spread are compared up to rounding
    beyond = gap > limit * error + 1e-12 * np.maximum(1.0, np.abs(claim))
    if beyond.any():
        j = int(np.argmax(gap - limit * error))
        _failed(
            tag,
            what,
            f"the sample mean is {columns[:, j].mean():.6g}, claimed {claim[j]:.6g}, standard error {error[j]:.2g}",
        )
    _passed(tag, what, f"within sampling noise of {len(columns)} draws (z-test at level {level:g})")


def refused(*actions, error=ValueError):
    """Call functions that must be refused, and print what each is told: its first line.

    >>> refused(lambda: math.sqrt(-1))
    math domain error

    Parameters
    ----------
    *actions : callables
        Without arguments, such as ``lambda: model.fit(X, y)``.
    error : type or tuple of types
        What they must raise.

    Raises
    ------
    AssertionError
        If one is not refused.
    """
    for action in actions:
        check_callable("action", action)
        try:
            action()
        except error as told:
            say("- " * (len(actions) > 1) + str(told).split("\n")[0])
        else:
            raise AssertionError("this should have been refused, and was not")
