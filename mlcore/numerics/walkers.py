"""Around a formula: Newton's method and the halving of its steps, written once for every chapter."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Place", "halve", "newton_fit", "newton_walk"]

HALVINGS = 0.5 ** np.arange(50)
SHORT, LONG = 0.01, 0.1
"""Steps that change every score by less, and some score by more."""
FLAT = 1e-10
"""A share of the first J that is next to nothing."""


@dataclass(slots=True)
class Place:
    """Where a walk stands, and the step that it would take from there."""

    theta: np.ndarray
    value: float
    """J(θ)."""
    seen: object
    """What else ``look`` saw there."""
    move: np.ndarray
    """Δ, the full step, of the shape of θ."""
    slope: np.ndarray
    """∇J(θ), of the shape of θ."""
    promised: float
    """-∇J·Δ: what J would lose along Δ if it were straight; half of it is lost if J is a parabola."""


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
    value, seen = _evaluated(look, theta)
    for _ in range(max_iter + 1):
        move, slope = _evaluated(step, theta, seen)
        promised = -float(np.vdot(slope, move))
        yield Place(theta, value, seen, move, slope, promised)
        if value is None:
            share, found = 1.0, _evaluated(look, theta + move)
        else:
            share, found = halve(lambda t: _evaluated(look, theta + t * move), value, promised)  # noqa: B023
        if share == 0:
            return
        theta, (value, seen) = theta + share * move, found


def _evaluated(function, *arguments):
    """A formula far out, where a number may overflow: the walk sees that J is infinite there, and halves its step."""
    with np.errstate(all="ignore"):
        return function(*arguments)


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
    for share in HALVINGS:
        found = look(share)
        if found[0] < value - 1e-4 * share * max(promised, 0.0):  # false for NaN
            return float(share), found
    return 0.0, None


def newton_fit(theta, look, step, reach, max_iter, tol, *, penalised, noise=1e-30):
    """Walk as ``newton_walk`` does, and know how it ended. Yields (θ, J(θ), status).

    The status is "running" after each step; the last triple has another one. "converged": the step that comes is short
    and promises no more than tol² of the first J; it is taken too. "no maximum" (of the likelihood): it promises next
    to nothing although it is long, so J falls for ever along it; with a penalty it does not. "stopped" after
    ``max_iter`` steps, or at a border of what is allowed, where no share of a step lowers J.

    Parameters
    ----------
    theta, look, step, max_iter
        See ``newton_walk``.
    reach : callable
        ``reach(move)`` is the largest change of a score that a step makes; 0 where no likelihood can rise for ever.
    tol : float
    penalised : bool
        Whether J has a penalty: then a long step only means that the walk is not yet at its end.
    noise : float
        A promise that is rounding, whatever ``tol`` is.
    """
    first, far = None, 0.0
    for steps, place in enumerate(newton_walk(theta, look, step, max_iter)):
        if steps > 0:
            yield place.theta, place.value, "running"
        first = place.value if first is None else first
        little, nothing = place.promised <= tol * tol * first + noise, place.promised <= FLAT * first
        if little or nothing:
            far = reach(place.move)
            if little and far <= SHORT or nothing and far > LONG and not penalised or place.promised <= noise:
                break
    else:
        if steps == max_iter or place.promised > 1e-9 * first:  # or else the gain is too small to be seen in J
            yield place.theta, place.value, "stopped"
            return
        far = reach(place.move)
    theta, value = place.theta, place.value
    if far > LONG:
        yield theta, value, "no maximum"
        return
    end, _ = _evaluated(look, theta + place.move)
    yield (theta + place.move, end, "converged") if end <= value * (1 + 1e-9) else (theta, value, "converged")
