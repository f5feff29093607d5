"""A map of things that depend on each other: boxes in columns, an arrow from each to what builds on it."""

import numpy as np
from matplotlib.patches import FancyBboxPatch

from mlcore.viz.style import INK, QUIET, color, light

__all__ = ["draw_map"]


def draw_map(ax, labels, needs, *, highlight=(), width=2.2, height=0.6):
    """Draw boxes in columns by depth, with arrows from what is needed to what needs it.

    Parameters
    ----------
    labels : dict of id -> str
        Text of each box.
    needs : dict of id -> sequence of ids
        What each one needs; must have no cycle.
    highlight : collection of ids
        Boxes to fill strongly and outline.

    Raises
    ------
    ValueError
        If the needs run in a circle.
    """
    depth = _depths(needs)
    places = _places(needs, depth)
    for target, sources in needs.items():
        for source in sources:
            chosen = target in highlight and source in highlight
            _arrow(ax, places[source], places[target], width, chosen)
    for key, (x, y) in places.items():
        on = key in highlight
        ax.add_patch(
            FancyBboxPatch(
                (x - width / 2, y - height / 2),
                width,
                height,
                boxstyle="round,pad=0,rounding_size=0.12",
                zorder=3,
                facecolor=light(1, 0.45) if on else light(0, 0.8),
                edgecolor=color(5) if on else QUIET,
                lw=1.8 if on else 0.8,
            )
        )
        ax.text(
            x,
            y,
            labels[key],
            ha="center",
            va="center",
            fontsize=8,
            linespacing=0.95,
            zorder=4,
            color=INK,
            fontweight="bold" if on else "normal",
        )
    xs, ys = np.array(list(places.values())).T
    ax.set(xlim=(xs.min() - width * 0.62, xs.max() + width * 0.62), ylim=(ys.min() - height, ys.max() + height))
    ax.set_axis_off()


def _depths(needs):
    depth = {}
    while len(depth) < len(needs):
        ready = [k for k in needs if k not in depth and all(source in depth for source in needs[k])]
        if not ready:
            raise ValueError("the needs run in a circle: " + ", ".join(map(str, set(needs) - set(depth))))
        for k in ready:
            depth[k] = 1 + max((depth[source] for source in needs[k]), default=-1)
    return depth


def _places(needs, depth, spacing=(3.2, 0.85)):
    """Columns by depth; within a column, boxes are ordered by the mean height of what they need."""
    places = {}
    for column in range(max(depth.values()) + 1):
        own = [k for k in needs if depth[k] == column]
        own.sort(key=lambda k: -np.mean([places[source][1] for source in needs[k]] or [0.0]))
        top = (len(own) - 1) / 2
        for row, k in enumerate(own):
            places[k] = (column * spacing[0], (top - row) * spacing[1])
    return places


def _arrow(ax, start, end, width, chosen):
    ax.annotate(
        "",
        (end[0] - width / 2, end[1]),
        (start[0] + width / 2, start[1]),
        zorder=2 if chosen else 1,
        arrowprops={
            "arrowstyle": "-|>",
            "color": color(5) if chosen else QUIET,
            "lw": 1.8 if chosen else 0.7,
            "shrinkA": 0,
            "shrinkB": 0,
            "connectionstyle": "arc3,rad=0.0",
            "alpha": 1 if chosen else 0.7,
        },
    )
