"""Graphs of a few nodes: boxes with names, lines or arrows between them, and a word on each line.

Like a tree diagram, all of it is a few collections and one path of letters, so that a slider redraws it at once.
"""

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.patches import BoxStyle, PathPatch

from mlcore.classroom.viz.draw.finishing import readable_size
from mlcore.classroom.viz.draw.lettering import put, text_width, write_words
from mlcore.classroom.viz.draw.style import INK, QUIET

__all__ = ["plot_graph", "ring"]

LOOKS = {"strong": (2.6, "-", INK), "now": (3.4, "-", "chosen"), "plain": (1.2, "-", QUIET),
         "faint": (0.9, ":", QUIET)}  # fmt: skip
"""Width, line and colour of an edge."""
_WORDS = 0.95
"""The size of the words on lines, for names of size 1."""
SHARES = (0.55, 0.45, 0.62, 0.38, 0.7, 0.3, 0.78, 0.22)
"""Where on its edge a word may stand."""
NEAR = np.array([2.0, 0.85])
"""So far from the middle of a word, in font sizes, no other edge should come: about its own size, whatever it says."""


def ring(n):
    """Return n places around a circle of radius 1, the first at the top, clockwise; shape (n, 2)."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def plot_graph(ax, names, edges, *, places=None, words=None, looks=None, arrows=False, fontsize=10.5):
    """Draw a small graph.

    Parameters
    ----------
    ax : matplotlib Axes
        Its frame is switched off; its coordinates become points.
    names : sequence of str
        What is written in the boxes.
    edges : sequence of pairs (i, j)
        Where there are ``arrows`` from i to j.
    places : array of shape (n, 2), optional
        By default around a circle. They are stretched to fill the axes.
    words : sequence of str, optional
        One for each edge, written on it; "" for none.
    looks : sequence of {"strong", "now", "plain", "faint"}, optional
        One for each edge: a thick dark line, a thick coloured one, a thin one, a dotted one.
    arrows : bool or sequence of bool
        Whether all edges, or which of them, are arrows.
    """
    fontsize = max(fontsize, readable_size(ax, 0) / _WORDS)
    boxes = np.array([[text_width(name) + 1.2, 2.0] for name in names]) * fontsize
    centers = _in_points(ax, ring(len(names)) if places is None else np.asarray(places, dtype=float), boxes)
    looks = ["plain"] * len(edges) if looks is None else looks
    arrows = np.broadcast_to(arrows, len(edges))
    ends = np.array([_between(centers[i], centers[j], boxes[j] / 2, arrow) for (i, j), arrow in zip(edges, arrows)])
    ends = ends.reshape(-1, 2, 2)
    put(ax, LineCollection(
        ends, linewidths=[LOOKS[look][0] for look in looks], linestyles=[LOOKS[look][1] for look in looks],
        colors=[LOOKS[look][2] for look in looks], zorder=1,
    ))  # fmt: skip
    tips = ends[arrows, 1]
    way = tips - ends[arrows, 0]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    across = way[:, ::-1] * (-1, 1)
    heads = np.stack([tips, tips - 10 * way + 4 * across, tips - 10 * way - 4 * across], axis=1)
    if len(heads):
        fills = [LOOKS[look][2] for look, arrow in zip(looks, arrows) if arrow]
        put(ax, PolyCollection(heads, facecolors=fills, edgecolors="none", zorder=2))
    taken = [(center, box / 2) for center, box in zip(centers, boxes)] + [(head.mean(axis=0), 5) for head in heads]
    said = [] if words is None else _beside(edges, words, looks, centers, taken, _WORDS * fontsize)
    plates = [BoxStyle.Square(pad=0)(x - w / 2, y - size * 0.6, w, 1.2 * size, 1.0)
              for word, bold, x, y, size in said for w in [(text_width(word, bold) + 0.4) * size]]  # fmt: skip
    put(ax, PatchCollection([PathPatch(plate) for plate in plates], facecolors="paper", edgecolors="none", zorder=2.5))
    rounded = BoxStyle.Round(pad=0, rounding_size=0.5 * fontsize)
    shapes = [PathPatch(rounded(*(center - box / 2), *box, 1.0)) for center, box in zip(centers, boxes, strict=True)]
    put(ax, PatchCollection(shapes, facecolors="paper", edgecolors=QUIET, linewidths=1.0, zorder=3))
    said += [(name, False, *center, fontsize) for name, center in zip(names, centers, strict=True)]
    write_words(ax, said)


def _beside(edges, words, looks, centers, taken, size):
    """Place each word on its edge, if it can be a little before the middle: on nothing that is taken, on no other word,
    and on no crossing.
    """
    lines = centers[np.array(edges, dtype=int).reshape(-1, 2)]
    said = []
    for (i, j), word, look in zip(edges, words, looks, strict=True):
        if not word:
            continue
        half = np.array([(text_width(word, look == "now") + 0.4) / 2, 0.6]) * size
        places = [share * centers[j] + (1 - share) * centers[i] for share in SHARES]
        free = [place for place in places
                if not any((np.abs(place - other) < half + room).all() for other, room in taken)]  # fmt: skip
        place = min(free or places[:1], key=lambda place: _crossing(lines, place, NEAR * size))
        taken.append((place, half))
        said.append((word, look == "now", *place, size))
    return said


def _crossing(lines, middle, half):
    """How many lines come near a place."""
    start, way = lines[:, 0] - middle, lines[:, 1] - lines[:, 0]
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    enter, leave = np.sort([(-half - start) / way, (half - start) / way], axis=0)
    return np.sum(np.maximum(enter.max(axis=1), 0) < np.minimum(leave.min(axis=1), 1))


def _in_points(ax, places, boxes):
    """Give the axes coordinates in points, and stretch the places so that their boxes fill it."""
    frame = ax.get_window_extent()
    room = np.array([frame.width, frame.height]) * 72 / ax.figure.dpi
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    margin = boxes.max(axis=0) / 2 + 4
    ax.set(xlim=(0, room[0]), ylim=(0, room[1]))
    ax.set_axis_off()
    return margin + (places - low) / np.where(span > 0, span, 1.0) * (room - 2 * margin)


def _between(start, end, half, arrow):
    """A line from one centre to the other; an arrow ends at the border of the box it leads to."""
    way = start - end
    share = 0.0 if not arrow else min(1.0, np.min((half + 2) / np.maximum(np.abs(way), 1e-9)))
    return start, end + share * way
