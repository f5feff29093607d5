"""Distributions of y that stand upright along a curve: a bell, or bars, for each x; impossible values are orange."""

import numpy as np
from matplotlib.collections import PolyCollection

from mlcore.classroom.viz.draw.roles import light

__all__ = ["stand_up"]

_LEAST = 0.004
"""Of the highest density or probability: lower ones are not drawn."""
_PALE = 0.66
"""A curve in full colour can be seen on it."""


def stand_up(ax, laws, bases, *, width, bars=None):
    """Draw distributions upright, to the right of their bases, all equally wide: the eye compares shapes.

    Parameters
    ----------
    laws : sequence of (values, heights, impossible)
        Arrays of shape (n,): values of y in their order, their densities or probabilities, and whether y can never have
        them. Impossible ones are orange.
    bases : sequence of float
        Where they stand on the x axis.
    width : float
        Of the highest density or probability, in the units of the x axis.
    bars : float, optional
        The thickness of a bar for each value, in the units of the y axis; left out, densities are drawn as areas.
    """
    for out, role in ((False, "fit"), (True, "gap")):
        shapes = []
        for (values, heights, impossible), base in zip(laws, bases):
            parts = heights / heights.max()
            drawn = np.flatnonzero(parts > _LEAST)
            values, ends, own = values[drawn], base + width * parts[drawn], impossible[drawn] == out
            shapes += _bars(values[own], ends[own], base, bars / 2) if bars else _areas(values, ends, own, base, out)
        ax.add_collection(PolyCollection(
            shapes, facecolor=light(role, _PALE), edgecolor=role, lw=0.4 if bars else 0.8, zorder=2
        ), autolim=False)  # fmt: skip


def _bars(values, ends, base, half):
    """A lying box for each value, from the base to its end."""
    return [[(base, y - half), (end, y - half), (end, y + half), (base, y + half)] for y, end in zip(values, ends)]


def _areas(values, ends, own, base, impossible):
    """The own parts of the area under a density; a possible one reaches to the impossible values beside it."""
    shapes = []
    for part in np.split(np.arange(len(own)), np.flatnonzero(np.diff(own)) + 1):
        if len(part) and own[part[0]]:
            first, last = (part[0], part[-1]) if impossible else (max(part[0] - 1, 0), min(part[-1] + 1, len(own) - 1))
            part = np.arange(first, last + 1)
            feet = [[base, values[last]], [base, values[first]]]
            shapes.append(np.concatenate([np.column_stack([ends[part], values[part]]), feet]))
    return shapes
