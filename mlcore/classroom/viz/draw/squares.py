"""Squared errors as what they are: a square on each gap between data and fit, and all of them stacked in a column."""

import numpy as np
from matplotlib.collections import PolyCollection

from mlcore.classroom.viz.draw.finishing import off_scale
from mlcore.classroom.viz.draw.marks import glide
from mlcore.classroom.viz.draw.roles import INK

__all__ = ["draw_squares", "largest_gap", "stack_squares"]

_FACE, _STRONG = ("gap", 0.25), ("gap", 0.6)
_BAR = 0.66
"""How much of its place a column takes."""
_CUT = 0.85
"""A column that would be higher than this part of the axes is cut, so that sign and number have room above it."""


def largest_gap(gaps):
    """Return the number of the largest gap; None where all are 0."""
    sizes = np.abs(gaps)
    return int(sizes.argmax()) if sizes.size and sizes.max() > 0 else None


def draw_squares(ax, x, y, fitted, *, strong=None):
    """Draw on each vertical gap between a point and a line its square, with equal sides on the screen.

    A square leans away from the line, or to the other side where the axes have more room. The limits of the axes must
    be set before. It glides.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        The points.
    fitted : array of shape (n,)
        The heights of the line there.
    strong : int, optional
        The point whose square stands out.

    Returns
    -------
    PolyCollection
    """
    x, y, fitted = (np.asarray(each, dtype=float) for each in (x, y, fitted))
    across, up = _pixels_of_one(ax)
    sides = np.abs(y - fitted) * up / across
    rising = (x - x.mean()) @ (fitted - fitted.mean()) >= 0
    leaning = np.where((y >= fitted) == rising, -1, 1)
    leaning = np.where(_beyond(ax, x + leaning * sides) > _beyond(ax, x - leaning * sides), -leaning, leaning)
    far = x + leaning * sides
    corners = np.array([[x, fitted], [x, y], [far, y], [far, fitted]]).transpose(2, 0, 1)
    return _painted(ax, corners, np.arange(len(x)) == strong, "squares")


def stack_squares(ax, stacks, *, like, strong=None, looks=()):
    """Stack squared gaps in columns, one for each line: as much paint as in the squares of ``draw_squares``.

    The total stands on each column. One that is too high for the axes is cut and marked with ▲. It glides.

    Parameters
    ----------
    stacks : dict of str to array of shape (n,)
        The gaps of all points, by the name of the line; where there is no line, none.
    like : Axes
        Those with the squares, whose limits must be set before.
    strong : int, optional
        The point whose block stands out. It lies lowest.
    looks : sequence of dict
        How each line looks, as ``ax.plot`` takes it: each column stands on a piece of its line.

    Returns
    -------
    ndarray of shape (len(stacks),)
        The totals.
    """
    unit = _pixels_of_one(like)[1]
    # in the axes' own numbers one pixel is as much area as in the picture beside it
    top = ax.bbox.height * _BAR * ax.bbox.width / len(stacks) / unit**2
    ax.set(xlim=(0, len(stacks)), ylim=(0, top), xticks=np.arange(len(stacks)) + 0.5, xticklabels=list(stacks))
    ax.tick_params(axis="x", length=0)
    totals = np.array([np.sum(np.square(gaps)) for gaps in stacks.values()])
    for k, (gaps, total) in enumerate(zip(stacks.values(), totals)):
        if not len(gaps):
            continue
        areas, numbers = np.square(np.asarray(gaps, dtype=float)), np.arange(len(gaps))
        order = np.argsort(numbers != strong, kind="stable")
        tops = np.empty(len(areas))
        tops[order] = np.cumsum(areas[order])
        low, high = np.minimum([tops - areas, tops], _CUT * top)
        left, right = (np.full(len(areas), k + 0.5 + side * _BAR / 2) for side in (-1, 1))
        corners = np.array([[left, low], [left, high], [right, high], [right, low]]).transpose(2, 0, 1)
        _painted(ax, corners, numbers == strong, f"stack {k}")
        seen = f"{total:.{2 if total < 10 else 1 if total < 100 else 0}f}"
        if total > _CUT * top:
            off_scale(ax, k + 0.5, 2 * top, size=9)
        text = ax.annotate(
            seen, (k + 0.5, min(total, _CUT * top)), (0, 4), textcoords="offset points", ha="center", va="bottom",
            fontsize=13, weight="semibold", color=INK, zorder=6,
        )  # fmt: skip
        glide(text, f"total {k}")
        if strong is not None and total > 0:
            share, height = areas[strong] / total, high[strong] - low[strong]
            if height * ax.bbox.height / top > 20 * ax.figure.dpi / 100:
                inside = ax.text(k + 0.5, low[strong] + height / 2, f"{share:.0%}".replace("%", " %"), ha="center",
                                 va="center", fontsize=12, color=INK, zorder=6)  # fmt: skip
                glide(inside, f"share {k}")
    for k, look in enumerate(looks):
        ends = k + 0.5 - _BAR / 2, k + 0.5 + _BAR / 2
        glide(ax.plot(ends, (0, 0), clip_on=False, zorder=5, **{"lw": 3, **look}), f"line of stack {k}")
    return totals


def _painted(ax, corners, strong, key):
    faces = [_STRONG if one else _FACE for one in strong]
    width = 1.0 if len(corners) <= 20 else 0.4
    return glide(ax.add_collection(
        PolyCollection(corners, facecolors=faces, edgecolors="gap", linewidths=width, zorder=2), autolim=False
    ), key)  # fmt: skip


def _pixels_of_one(ax):
    """How many pixels the unit of each axis takes."""
    (left, bottom), (right, top) = ax.transData.transform([(0, 0), (1, 1)])
    return right - left, top - bottom


def _beyond(ax, x):
    low, high = sorted(ax.get_xlim())
    return np.maximum(low - x, 0) + np.maximum(x - high, 0)
