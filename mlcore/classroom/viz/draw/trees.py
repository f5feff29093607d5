"""Tree diagrams: boxes as wide as their text, no two of them touching, each parent in the middle above its children.

A diagram holds a hundred short texts, and matplotlib takes about a millisecond for each. So all texts together are
drawn as one path of glyph outlines, and all boxes as one collection: a slider can redraw forty nodes at once.
"""

import re

import numpy as np
from matplotlib.collections import LineCollection, PatchCollection, PathCollection
from matplotlib.patches import BoxStyle, PathPatch
from matplotlib.path import Path

from mlcore.classroom.viz.draw.finishing import LEAST
from mlcore.classroom.viz.draw.lettering import put, text_width, write_words
from mlcore.classroom.viz.draw.style import INK, QUIET, light, plain, true_signs

__all__ = ["plot_tree", "tidy_layout"]

MOST_NODES = 300
PADDING = 0.45
"""Between text and box, in font sizes."""
LINE = 1.3
"""Line height, in font sizes."""
_LONG = re.compile(r"\d+\.\d{3,}")


def tidy_layout(children, widths, gap):
    """Return a horizontal place for every node of a tree (after Reingold and Tilford 1981).

    Subtrees are drawn the same wherever they stand; neighbours stand as close as their outlines allow; a parent is in
    the middle above its first and last child. Outlines are compared depth by depth, so a narrow subtree may reach under
    its neighbour. Nothing recurses.

    Parameters
    ----------
    children : list of lists of int
        Numbers of the children of each node; a node's number is smaller than those of its children; node 0 is the root.
    widths : sequence of float
    gap : float
        Least distance between two boxes of the same depth.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Centres, the leftmost box beginning at 0.
    """
    n = len(children)
    shift = np.zeros(n)
    outline = [None] * n
    for i in range(n - 1, -1, -1):
        left, right, places = [], [], []
        for child in children[i]:
            child_left, child_right = outline[child]
            outline[child] = None
            push = max((r - c for r, c in zip(right, child_left, strict=False)), default=-gap) + gap
            places.append(push)
            for depth, (low, high) in enumerate(zip(child_left, child_right, strict=True)):
                if depth == len(right):
                    left.append(low + push)
                    right.append(high + push)
                else:
                    right[depth] = high + push
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        shift[children[i]] = np.array(places) - middle
        half = widths[i] / 2
        outline[i] = [-half, *(x - middle for x in left)], [half, *(x - middle for x in right)]
    x = np.zeros(n)
    for i in range(n):
        x[children[i]] = x[i] + shift[children[i]]
    return x - min(outline[0][0])


def plot_tree(
    ax, tree, *, highlight=(), show_counts=True, title=None, feature_names=None, class_names=None, max_depth=None,
    fontsize=10.5, within=None,
):  # fmt: skip
    """Draw a decision tree.

    Inner nodes have square corners and show their question and what is mixed in them; leaves are round and show their
    prediction in bold. The answers stand on the edges. The colour is that of the majority class, the stronger the purer
    the node; in a regression tree it is the darker, the larger the mean.

    Parameters
    ----------
    ax : matplotlib Axes
        Its frame is switched off. Where the tree would not fit the text shrinks, then within shorter, and at last the
        deepest nodes are left out; the letters are never smaller than 11 pixels.
    tree : a node, or anything with ``root_``, ``root`` or ``tree_``
        A node has ``children`` (list), ``label``, ``edge``, ``value`` (class shares, or a number), ``n_samples``; and
        where it has them, ``counts``, ``class_names``, ``weight`` and ``number`` are used.
    highlight : int or collection of int
        Numbers of nodes to outline, such as the one just split, or a path; edges between two of them are drawn thick.
    show_counts : bool
        Whether to write how many training rows a node holds, and of what kind.
    title : str, optional
    feature_names, class_names : sequence of str, optional
        Other names, for trees that have a method ``named``.
    max_depth : int, optional
        Draw nothing deeper; "..." stands for it.
    fontsize : float
        In points; the largest to use.
    within : a tree, optional
        A larger one, which this one grows into or was cut from: each node stands where it stands there.

    Returns
    -------
    dict of node number -> (x, y)
        The centre of each box in data coordinates. Nodes without ``number`` are numbered breadth first.

    Raises
    ------
    ValueError
        If there are more than 300 nodes to draw.
    """
    root = _root_of(tree, feature_names, class_names)
    last = root if within is None else _root_of(within, feature_names, class_names)
    least = LEAST * 72 / 100 / min(getattr(ax.figure, "shown", 1.0), 1.0)
    for brief, deepest in _ever_simpler(last, max_depth):
        size, places = _layout(ax, *_written(last, deepest, show_counts, brief)[1:], max(fontsize, least), brief)
        if size >= least - 1e-6:
            break
    (nodes, texts, edges), children, _, boxes, labels = _written(root, deepest, show_counts, brief)
    if within is not None:
        places = places[_same_places(children, _written(last, deepest, show_counts, brief)[1])]
    boxes, labels, wanted = boxes * size, labels * size, _numbers(highlight)
    numbers = [getattr(node, "number", i) for i, node in enumerate(nodes)]
    chosen = [number in wanted for number in numbers]
    above = places[:, 1] + boxes[:, 1] / 2 + 0.75 * size  # the middle of the edge label
    tops = np.where([edge != "" for edge in edges], above, places[:, 1] + boxes[:, 1] / 2)
    _draw_edges(ax, places[:, 0], places[:, 1] - boxes[:, 1] / 2, tops, children, chosen)
    _draw_labels(ax, [i for i, edge in enumerate(edges) if edge], places[:, 0], above, labels, size)
    _draw_boxes(ax, places, boxes, [not node.children for node in nodes], _fills(nodes), chosen, size)
    words = [word for i, lines in enumerate(texts) for word in _placed(lines, places[i], size)]
    written = max(0.92 * size, min(least, size))
    words += [(edge, False, places[i, 0], above[i], written) for i, edge in enumerate(edges) if edge]
    write_words(ax, words)
    if title:
        ax.set_title(plain(title))
    return {number: tuple(place) for number, place in zip(numbers, places.tolist(), strict=True)}


def _ever_simpler(root, max_depth):
    """How brief the texts are, from 0 to 2, and the depth down to which there are any, until the letters are large."""
    for brief in range(3):
        yield brief, max_depth
    deepest = _walk(root, max_depth)[2][-1]
    for depth in range(deepest - 1, 0, -1):
        yield 2, depth


def _same_places(children, others):
    """For each node of a tree its number in a larger one: the first child of the root in one is that in the other."""
    numbers = {0: 0}
    for i, below in enumerate(children):
        numbers.update(zip(below, others[numbers[i]]))
    return [numbers[i] for i in range(len(children))]


def _written(root, max_depth, show_counts, brief):
    """Nodes with their lines and the answers above them; children, depths; sizes of boxes and answers in font sizes."""
    nodes, children, depth = _walk(root, max_depth)
    texts = [_texts(node, show_counts, not below, brief) for node, below in zip(nodes, children, strict=True)]
    edges = [str(node.edge) if brief < 2 or level == 1 else "" for node, level in zip(nodes, depth, strict=True)]
    labels = np.array([text_width(edge) + 2 * PADDING if edge else 0.0 for edge in edges])
    return (nodes, texts, edges), children, depth, np.array([_box(lines) for lines in texts]), labels


def _layout(ax, children, depth, boxes, labels, fontsize, brief):
    """The font size at which the tree fits, and the centres of its boxes."""
    x = tidy_layout(children, np.maximum(boxes[:, 0], labels), 0.4 if brief == 2 else 0.9)
    return _fit(ax, x, boxes, np.array(depth), max(float(fontsize), 1.0), (LINE if brief < 2 else 0.0) + 0.8)


def _root_of(tree, feature_names, class_names):
    tree = getattr(tree, "tree_", tree)
    if feature_names is not None or class_names is not None:
        tree = getattr(tree, "tree", tree).named(feature_names, class_names)
    return getattr(tree, "root", tree)


def _numbers(highlight):
    return {highlight} if np.ndim(highlight) == 0 else set(highlight)


def _walk(root, max_depth):
    """Nodes breadth first, the numbers of their children in this order, and their depths."""
    nodes, children, depth = [root], [], [0]
    for i, node in enumerate(nodes):  # the list grows while it is read
        below = list(node.children) if max_depth is None or depth[i] < max_depth else []
        children.append(list(range(len(nodes), len(nodes) + len(below))))
        nodes.extend(below)
        depth.extend([depth[i] + 1] * len(below))
        if len(nodes) > MOST_NODES:
            raise ValueError(f"more than {MOST_NODES} nodes cannot be read in one picture: give a max_depth")
    return nodes, children, depth


# ---------------------------------------------------------------------------------------------------------------
# Text
# ---------------------------------------------------------------------------------------------------------------
def _texts(node, show_counts, is_end, brief):
    """Lines of a box as (text, bold)."""
    label = str(node.label)
    if brief:
        label = _LONG.sub(lambda number: f"{float(number[0]):.2f}", label)
    if brief == 2:
        label = true_signs(label).replace(" ≤ ", "≤").removeprefix("class ")
    elif not node.children and np.ndim(node.value) > 0 and _is_number(label):
        label = f"class {label}"
    lines = [(f"{label}?" if node.children and brief < 2 else label, not node.children)]
    if show_counts and not brief:
        lines.append((_sample_text(node), False))
    if is_end and node.children:
        lines.append(("...", False))
    return lines


def _is_number(name):
    return name.lstrip("-").isdecimal()


def _sample_text(node):
    """What a node holds: "5 good, 2 bad"; "[26, 11]" for classes that are numbers; "62 % class 7, n = 150" for more
    than three classes; "mean 3.2, n = 17" for a regression.
    """
    if np.ndim(node.value) == 0:
        return f"mean {float(node.value):.3g}, n = {node.n_samples}" if node.children else f"n = {node.n_samples}"
    if not node.n_samples:
        return "no samples"
    weight = getattr(node, "weight", node.n_samples)
    counts = getattr(node, "counts", None)
    counts = [f"{count:.4g}" for count in (np.asarray(node.value) * weight if counts is None else counts)]
    names = [str(name) for name in getattr(node, "class_names", ())] or [str(k) for k in range(len(counts))]
    numbered = all(_is_number(name) for name in names)
    if len(counts) > 3:
        name = f"{'class ' if numbered else ''}{names[int(np.argmax(node.value))]}" if node.children else ""
        return f"{100 * np.max(node.value):.0f} % {name}, n = {weight:.4g}".replace(" ,", ",")
    if numbered:
        return f"[{', '.join(counts)}]"
    return ", ".join(f"{count} {name}" for count, name in zip(counts, names, strict=True) if float(count) > 0)


def _box(lines):
    """Width and height of a box in font sizes."""
    return max(text_width(*line) for line in lines) + 2 * PADDING, LINE * len(lines) + 2 * PADDING - 0.3


# ---------------------------------------------------------------------------------------------------------------
# Places
# ---------------------------------------------------------------------------------------------------------------
def _fit(ax, x, boxes, depth, fontsize, room):
    """Choose a font size at which the tree fits into the axes; return it and the centres, in points.

    Between two rows there is at least so much room: for an edge label and some slope.
    """
    rows = np.array([boxes[depth == d, 1].max() for d in range(depth.max() + 1)])
    width = (x + boxes[:, 0] / 2).max()
    height = rows.sum() + room * (len(rows) - 1)
    frame = ax.get_window_extent()
    wide, high = frame.width * 72 / ax.figure.dpi, frame.height * 72 / ax.figure.dpi
    size = min(fontsize, 0.98 * wide / width, 0.98 * high / height)
    spread = min(0.98 * wide / (width * size), 1.6)
    slack = (0.98 * high / size - height) / max(len(rows) - 1, 1)
    room += min(max(slack, 0.0), 3.3)
    y = -np.cumsum(rows) + rows / 2 - room * np.arange(len(rows))
    places = np.column_stack([(x - x.min()) * spread, y[depth]]) * size
    half = boxes * size / 2
    low, top = (places - half).min(axis=0), (places + half).max(axis=0)
    places += (np.array([wide, high]) - low - top) / 2
    ax.set(xlim=(0, wide), ylim=(0, high))
    ax.set_axis_off()
    return size, places


# ---------------------------------------------------------------------------------------------------------------
# Ink
# ---------------------------------------------------------------------------------------------------------------
def _fills(nodes):
    """Fill colours: class and purity, or the height of the mean."""
    values = [np.asarray(node.value) for node in nodes]
    if values[0].ndim == 0:
        means = np.array(values)
        span = np.ptp(means) or 1.0
        return [light(0, 0.94 - 0.32 * (mean - means.min()) / span) for mean in means]
    return [_class_color(shares) for shares in values]


def _class_color(shares):
    """The majority's colour: nearly white for an even mix, strong for a pure node."""
    even = 1 / max(len(shares), 2)
    return light(int(shares.argmax()), 0.94 - 0.32 * max(0.0, (shares.max() - even) / (1 - even)))


def _draw_edges(ax, x, bottoms, tops, children, chosen):
    pairs = [(i, child) for i, below in enumerate(children) for child in below]
    strong = [chosen[i] and chosen[child] for i, child in pairs]
    lines = LineCollection(
        [((x[i], bottoms[i]), (x[child], tops[child])) for i, child in pairs],
        linewidths=[2.4 if on else 0.9 for on in strong], colors=[INK if on else QUIET for on in strong], zorder=1,
    )  # fmt: skip
    put(ax, lines)


def _draw_labels(ax, which, x, y, widths, size):
    """White plates for the answers, over the edges."""
    plates = [_rectangle(x[i], y[i], widths[i] - 0.5 * size, 1.1 * size) for i in which]
    put(ax, PathCollection(plates, facecolors="paper", edgecolors="none", zorder=2))


def _draw_boxes(ax, places, boxes, is_leaf, fills, chosen, size):
    rounded = BoxStyle.Round(pad=0, rounding_size=0.6 * size)
    paths = [
        rounded(*(place - box / 2), *box, 1.0) if leaf else _rectangle(*place, *box)
        for place, box, leaf in zip(places, boxes, is_leaf, strict=True)
    ]
    put(ax, PatchCollection(
        [PathPatch(path) for path in paths], facecolors=fills, edgecolors=["chosen" if on else INK for on in chosen],
        linewidths=[2.4 if on else 0.8 for on in chosen], zorder=3,
    ))  # fmt: skip


def _rectangle(x, y, width, height):
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) / 2
    return Path((x, y) + corners * (width, height), closed=True)


def _placed(lines, place, size):
    """Give each line of a box its centre: (text, bold, x, y, size)."""
    middle = (len(lines) - 1) / 2
    return [(text, bold, place[0], place[1] + (middle - i) * LINE * size, size) for i, (text, bold) in enumerate(lines)]
