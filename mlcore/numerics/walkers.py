"""Around a formula: Newton's method and the halving of its steps, written once for every chapter."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Place", "halve", "newton_walk"]


@dataclass
class Place:
    """Where a walk stands, and the step that it would take from there."""

    theta: np.ndarray
    value: float
    """J(θ)."""
    move: np.ndarray
    """Δ, the full step, of the shape of θ."""
    promised: float
    """-∇J·Δ: what J would lose along Δ if it were straight; half of it is lost if J is a parabola."""
    slope: np.ndarray
    """∇J(θ)."""


def newton_walk(theta, look, step, max_iter):
    """Walk downhill by θ ← θ + tΔ, where t is the first of 1, ½, ¼, ... that really lowers J.

    Yields a ``Place`` before each step, at most ``max_iter`` + 1 of them, so that the caller sees the step that comes
    and can stop. The walk ends by itself where no share of the step lowers J any more.

    Parameters
    ----------
    theta : ndarray
        Where to start.
    look : callable
        ``look(theta)`` returns J(θ), infinite or NaN where θ is not allowed, and whatever ``step`` needs to know there
        (probabilities, say), so that it is computed once. If J(θ) is None, every step is taken whole.
    step : callable
        ``step(theta, seen)`` returns Δ and ∇J(θ).
    max_iter : int
    """
    def quietly(function, *arguments):
        with np.errstate(all="ignore"):
            return function(*arguments)

    value, seen = quietly(look, theta)
    for _ in range(max_iter + 1):
        move, slope = quietly(step, theta, seen)
        place = Place(theta, value, move, -float(np.vdot(slope, move)), slope)
        yield place
        if value is None:
            share, found = 1.0, quietly(look, theta + move)
        else:
            share, found = halve(lambda t: quietly(look, theta + t * move), value, place.promised)  # noqa: B023
        if share == 0:
            return
        theta, (value, seen) = theta + share * move, found


def halve(look, value, promised):
    """Return the first share of 1, ½, ¼, ... whose J falls by at least 10⁻⁴ of what the slope promises, and its look.

    Parameters
    ----------
    look : callable
        ``look(share)`` returns J after that share of the step, and anything else that the caller wants back.
    value : float
        J before the step.
    promised : float
        -∇J·Δ.

    Returns
    -------
    share : float
        0 if none of fifty halvings lowers J.
    found : tuple or None
        What ``look`` returned there.
    """
    for share in 0.5 ** np.arange(50):
        found = look(share)
        if found[0] < value - 1e-4 * share * max(promised, 0.0):  # false for NaN
            return float(share), found
    return 0.0, None
