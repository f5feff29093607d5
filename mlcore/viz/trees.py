"""A tree diagram. It draws any nodes that have ``children``, ``label``, ``edge`` and ``value``; it knows no chapter."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from mlcore.viz.style import INK, QUIET, color, light

__all__ = ["plot_tree"]

LARGEST, SMALLEST = 9.0, 3.5  # font sizes in points
LINE = 1.25  # height of a line, in font sizes


def plot_tree(ax, tree, *, highlight=(), show_counts=True, title=None):
    """Draw a tree with its root on top.

    A box holds the question of an inner node or the prediction of a leaf; below it stand the counts of the classes (or
    the number of rows). The answer that leads to a node is written above its box. Colour: the majority class, the
    stronger the purer; for a regression the height of the value. The writing shrinks until the tree fits.

    Parameters
    ----------
    tree : model with ``root_``, or root node
        Nodes have ``children`` (a list, empty at a leaf), ``label``, ``edge``, ``value`` (class shares or a number);
        ``counts``, ``n_samples`` and ``number`` are used where they exist.
    highlight : collection of node numbers
        Boxes to outline strongly, such as the node that was just split.
    show_counts : bool
    title : str, optional

    Returns
    -------
    dict of node number -> (x, y)
        Where the boxes are.
    """
    nodes, parents = _walk(getattr(tree, "root_", tree))
    texts = [_text(node, show_counts) for node in nodes]
    width, height = _size_in_points(ax)
    depth = _depths(parents)
    font = _font_size(nodes, texts, parents, depth, width, height)
    boxes = np.array([_box(text, font) for text in texts])
    places = _places(nodes, parents, depth, _slots(nodes, parents, boxes, font), width, height, boxes, font)
    _draw_edges(ax, nodes, parents, places, boxes, font)
    _draw_boxes(ax, nodes, texts, places, boxes, font, set(highlight))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.set_axis_off()
    if title:
        ax.set_title(title)
    return {getattr(node, "number", i): tuple(place) for i, (node, place) in enumerate(zip(nodes, places, strict=True))}


def _walk(root):
    """All nodes, parents before children, and for each the index of its parent."""
    nodes, parents, at = [root], [-1], 0
    while at < len(nodes):
        for child in nodes[at].children:
            nodes.append(child)
            parents.append(at)
        at += 1
    return nodes, parents


def _depths(parents):
    depth = np.zeros(len(parents), dtype=int)
    for i, parent in enumerate(parents[1:], start=1):
        depth[i] = depth[parent] + 1
    return depth


def _text(node, show_counts):
    if not show_counts:
        return str(node.label)
    counts = getattr(node, "counts", None)
    below = f"n = {node.n_samples}" if counts is None else " : ".join(f"{count:.3g}" for count in counts)
    return f"{node.label}\n{below}"


def _size_in_points(ax):
    place = ax.get_position()
    width, height = ax.figure.get_size_inches()
    return place.width * width * 72, place.height * height * 72


def _box(text, font):
    lines = text.split("\n")
    return (max(map(_width, lines)) + 1.2) * font, (len(lines) * LINE + 0.5) * font


def _slots(nodes, parents, boxes, font):
    """The width that each subtree needs."""
    answers = np.array([_width(str(node.edge)) for node in nodes])
    own = np.maximum(boxes[:, 0], answers * font) + 0.7 * font
    below = np.zeros(len(nodes))
    for i in range(len(nodes) - 1, -1, -1):
        own[i] = max(own[i], below[i])
        if i:
            below[parents[i]] += own[i]
    return own


def _font_size(nodes, texts, parents, depth, width, height):
    """The largest font with which the tree fits in; the needs grow in proportion to it."""
    boxes = np.array([_box(text, 1.0) for text in texts])
    wide = _slots(nodes, parents, boxes, 1.0)[0]
    tall = (depth.max() + 1) * (boxes[:, 1].max() + LINE) + depth.max() * 1.0
    return float(np.clip(min(width / wide, height / tall), SMALLEST, LARGEST))


def _places(nodes, parents, depth, slots, width, height, boxes, font):
    """Centres of the boxes: each subtree in a slot of its own, a parent in the middle of its slot."""
    slots = slots * np.clip(width / slots[0], 1.0, 1.6)
    below = np.bincount(np.array(parents[1:], dtype=int), weights=slots[1:], minlength=len(nodes))
    x, free = np.zeros(len(nodes)), np.zeros(len(nodes))  # free: where the next child of a node begins
    for i, parent in enumerate(parents):
        begin = free[parent] if i else (width - slots[0]) / 2
        x[i] = begin + slots[i] / 2
        free[i] = begin + (slots[i] - below[i]) / 2
        if i:
            free[parent] += slots[i]
    edge = LINE * font
    tall = boxes[:, 1].max()
    step = min((height - tall - 3) / max(depth.max(), 1), 3.2 * (tall + edge))
    top = height - tall / 2 - 1.5
    return np.column_stack([x, top - depth * step])


def _draw_edges(ax, nodes, parents, places, boxes, font):
    lines, answers = [], []
    for i in range(1, len(nodes)):
        (x0, y0), (x, y) = places[parents[i]], places[i]
        top = y + boxes[i, 1] / 2
        lines.append([(x0, y0 - boxes[parents[i], 1] / 2), (x, top + (LINE * font if nodes[i].edge else 0))])
        answers.append((x, top + 0.62 * font, str(nodes[i].edge)))
    ax.add_collection(LineCollection(lines, colors=QUIET, linewidths=0.9, zorder=1), autolim=False)
    _write(ax, answers, 0.92 * font, "#555555")


def _draw_boxes(ax, nodes, texts, places, boxes, font, highlight):
    values = [np.asarray(node.value) for node in nodes]
    scale = _scale([float(value) for value in values]) if values[0].ndim == 0 else None
    on = np.array([getattr(node, "number", i) in highlight for i, node in enumerate(nodes)])
    patches, writing = [], []
    for node, text, (x, y), (w, h) in zip(nodes, texts, places, boxes, strict=True):
        rounding = (0.5 if node.children else 0.05) * font
        patches.append(
            FancyBboxPatch((x - w / 2, y - h / 2), w, h, boxstyle=f"round,pad=0,rounding_size={rounding}")
        )
        lines = text.split("\n")
        writing += [(x, y + ((len(lines) - 1) / 2 - k) * LINE * font, line) for k, line in enumerate(lines)]
    collection = PatchCollection(
        patches, zorder=2, linewidths=np.where(on, 2.4, 0.8), edgecolors=[color(5) if mark else QUIET for mark in on],
        facecolors=[_class_color(v) if scale is None else light(0, 1 - 0.8 * scale(float(v))) for v in values],
    )  # fmt: skip
    ax.add_collection(collection, autolim=False)
    _write(ax, writing, font, INK)


@lru_cache(maxsize=4096)
def _letters(text):
    """The outline of a line of text at font size 1, and its width. Outlines of many lines can be drawn as one path."""
    if not text.strip():
        return np.empty((0, 2)), np.empty(0, dtype=np.uint8), 0.0
    path = TextPath((0, 0), text, size=100, prop=FontProperties(family="DejaVu Sans"))
    vertices = path.vertices / 100
    return vertices, path.codes, float(vertices[:, 0].max())


def _width(text):
    return _letters(text)[2]


def _write(ax, lines, font, ink):
    """Write many short lines, given as (centre x, centre y, text), in one go: much quicker than a ``Text`` for each."""
    outlines = [(x, y, *_letters(text)) for x, y, text in lines if text]
    if not outlines:
        return
    vertices = np.concatenate([v * font + (x - w * font / 2, y - 0.36 * font) for x, y, v, _, w in outlines])
    codes = np.concatenate([codes for _, _, _, codes, _ in outlines])
    # add_artist, not add_patch: the latter would search all the curves of all letters for their extremes
    ax.add_artist(PathPatch(Path(vertices, codes), facecolor=ink, edgecolor="none", lw=0, zorder=3))


def _scale(values):
    low, span = min(values), max(values) - min(values)
    return lambda value: (value - low) / span if span else 0.5


def _class_color(shares):
    """The majority's colour, from nearly white for an even mix to full strength for a pure node."""
    k, even = int(np.argmax(shares)), 1 / len(shares)
    purity = (shares[k] - even) / (1 - even) if len(shares) > 1 else 1.0
    return light(k, 0.95 - 0.55 * purity)
