"""A map of things that depend on each other: boxes in columns, an arrow from each to what builds on it."""

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.patches import BoxStyle, PathPatch, Rectangle

from mlcore.classroom.viz.draw.finishing import readable_size
from mlcore.classroom.viz.draw.lettering import put, text_width, write_words
from mlcore.classroom.viz.draw.style import QUIET, color, light

__all__ = ["COLUMN", "ROW", "draw_map", "map_places"]

COLUMN, ROW = 3.2, 0.85
"""How far apart boxes stand, from the middle of one to that of the next: columns, and the boxes of one."""
WIDTH, HEIGHT = 2.2, 0.6
"""Of a box."""


def draw_map(ax, labels, needs, *, highlight=(), done=None, links=None):
    """Draw boxes in columns by depth, with arrows from what is needed to what needs it.

    Parameters
    ----------
    labels : dict of id -> str
        Text of each box.
    needs : dict of id -> sequence of ids
        What each one needs; must have no cycle.
    highlight : collection of ids
        Boxes to fill strongly and outline.
    done : dict of id -> (int, int), optional
        How much of each is done, and of how much: 3/5 stands in the corner of its box, ✓ 5/5 on green.
    links : dict of id -> str, optional
        Where each box leads: in the page of an explorer it can be clicked.

    Raises
    ------
    ValueError
        If the needs run in a circle.
    """
    places = _in_points(ax, map_places(needs))
    box = np.array(places.pop("box"))
    arrows = [(source, target) for target, sources in needs.items() for source in sources]
    chosen = [a in highlight and b in highlight for a, b in arrows]
    _draw_arrows(ax, [(places[a], places[b]) for a, b in arrows], chosen, box)
    _draw_boxes(ax, places, labels, highlight, box)
    for key, link in (links or {}).items():
        corner, label = places[key] - box / 2, labels[key].replace("\n", " ")
        put(ax, Rectangle(corner, *box, url=link, label=label, visible=False))
    _draw_done(ax, {key: places[key] for key in places if (done or {}).get(key, (0, 0))[0]}, done, box)
    ax.set_axis_off()


def _in_points(ax, places):
    """Give the axes coordinates in points, so that writing keeps its shape; return the places and the size of a box."""
    xs, ys = np.array(list(places.values())).T
    room = np.array(ax.get_position().size) * ax.figure.get_size_inches() * 72
    low = np.array([xs.min() - WIDTH * 0.55, ys.min() - HEIGHT * 0.7])
    scale = room / (np.array([xs.max() + WIDTH * 0.55, ys.max() + HEIGHT * 0.7]) - low)
    ax.set(xlim=(0, room[0]), ylim=(0, room[1]))
    return {key: (np.array(place) - low) * scale for key, place in places.items()} | {"box": scale * (WIDTH, HEIGHT)}


def _draw_arrows(ax, ends, chosen, box):
    """Lines from the right side of one box to the left side of the next, each with a head."""
    lines = np.array([[a + (box[0] / 2, 0), b - (box[0] / 2, 0)] for a, b in ends])
    way = (lines[:, 1] - lines[:, 0]) / np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1, keepdims=True)
    across = np.column_stack([-way[:, 1], way[:, 0]])
    heads = np.stack([lines[:, 1], lines[:, 1] - 6 * way + 2.4 * across, lines[:, 1] - 6 * way - 2.4 * across], axis=1)
    colors = ["chosen" if on else QUIET for on in chosen]
    widths = [1.8 if on else 0.7 for on in chosen]
    put(ax, LineCollection(lines, colors=colors, linewidths=widths, zorder=1))
    put(ax, PolyCollection(heads, facecolors=colors, edgecolors="none", zorder=2))


def _draw_boxes(ax, places, labels, highlight, box):
    rounded = BoxStyle.Round(pad=0, rounding_size=4)
    on = [key in highlight for key in places]
    put(ax, PatchCollection(
        [PathPatch(rounded(*(place - box / 2), *box, 1.0)) for place in places.values()],
        facecolors=[light(1, 0.45) if mark else light(0, 0.8) for mark in on],
        edgecolors=["chosen" if mark else QUIET for mark in on],
        linewidths=[1.8 if mark else 0.8 for mark in on], zorder=3,
    ))  # fmt: skip
    words, size = [], readable_size(ax, 9)
    step = 9.6 * (size / 9)
    texts = {key: labels[key].split("\n") for key in places}
    if size > 9 and not all(_fit(lines, key in highlight, box, size, step) for key, lines in texts.items()):
        texts = {key: lines[0].split()[:1] for key, lines in texts.items()}  # the number of the chapter
        size = 1.2 * size
    for key, (x, y) in places.items():
        top = y + (len(texts[key]) - 1) / 2 * step
        words += [(line, key in highlight, x, top - step * i, size) for i, line in enumerate(texts[key])]
    write_words(ax, words)


def _fit(lines, bold, box, size, step):
    return step * len(lines) <= box[1] and max(text_width(line, bold) for line in lines) * size <= box[0]


def _draw_done(ax, places, done, box):
    """A little plate on the upper right corner of each box in which something is done."""
    if not places:
        return
    whole = [done[key][0] == done[key][1] for key in places]
    centres = np.array(list(places.values())) + (box[0] / 2 - 6, box[1] / 2 + 2)
    plate, rounded = np.array([30.0, 11.0]), BoxStyle.Round(pad=0, rounding_size=3)
    put(ax, PatchCollection(
        [PathPatch(rounded(*(centre - plate / 2), *plate, 1.0)) for centre in centres],
        facecolors=[light(2, 0.55) if all_of_it else "paper" for all_of_it in whole], edgecolors=color(2),
        linewidths=0.8, zorder=4,
    ))  # fmt: skip
    texts = [f"{'✓ ' * all_of_it}{done[key][0]}/{done[key][1]}" for key, all_of_it in zip(places, whole)]
    write_words(ax, [(text, False, *centre, readable_size(ax, 8)) for text, centre in zip(texts, centres)])


def map_places(needs):
    """Return the middle of each box: columns by depth; within a column, ordered by the mean height of what they need.

    Raises
    ------
    ValueError
        If the needs run in a circle.
    """
    depth, places = _depths(needs), {}
    for column in range(max(depth.values()) + 1):
        own = [k for k in needs if depth[k] == column]
        own.sort(key=lambda k: -np.mean([places[source][1] for source in needs[k]] or [0.0]))
        top = (len(own) - 1) / 2
        for row, k in enumerate(own):
            places[k] = (column * COLUMN, (top - row) * ROW)
    return places


def _depths(needs):
    depth = {}
    while len(depth) < len(needs):
        ready = [k for k in needs if k not in depth and all(source in depth for source in needs[k])]
        if not ready:
            raise ValueError("the needs run in a circle: " + ", ".join(map(str, set(needs) - set(depth))))
        for k in ready:
            depth[k] = 1 + max((depth[source] for source in needs[k]), default=-1)
    return depth
