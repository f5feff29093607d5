"""A network drawn as maps and wires: each unit shows what it says all over the plane.

All maps of a picture are two images and all wires one collection: forty-eight units follow a slider.
"""

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.patches import Rectangle

from mlcore.classroom.viz.draw.finishing import readable_size
from mlcore.classroom.viz.draw.lettering import put, text_width, write_words
from mlcore.classroom.viz.draw.roles import QUIET, color, light, rgb

__all__ = ["nearest_unit", "plot_borders", "plot_network", "unit_places"]

_HEAD, _FOOT, _NAMES = 22, 3, 20
"""Points kept free above the maps, for the names of the columns; below them, for the frame of the marked one; and left
of them, for the names of the features."""
_WIDEST, _GAP = 66, 0.14
"""The widest map, in points; what lies between two maps, as a part of a map's height."""
_LETTERS = 11
"""The size of letters, in points."""
_BENDS, _COARSE, _MANY = 25, 9, 150
"""Points of a wire, and of each of many."""


def unit_places(sizes, panel, shape=1.4):
    """Return where the maps of a network lie in a panel: the middles of each column's maps, and the maps' size.

    Parameters
    ----------
    sizes : sequence of int
        How many maps each column has: first the features, then each hidden layer.
    panel : (width, height)
        Of the panel, in points; the places are in points too, from its lower left corner.
    shape : float
        Of a map, its width for a height of 1.

    Returns
    -------
    (list of arrays of shape (n, 2), (width, height))
    """
    room, most = panel[1] - _HEAD - _FOOT, max(max(sizes), 4)
    height = min(room / (most + (most - 1) * _GAP), _WIDEST / shape)
    width, pitch = height * shape, height * (1 + _GAP)
    left, right = _NAMES + _WIDEST / 2, panel[0]
    across = left + (right - left) * np.arange(len(sizes)) / len(sizes)
    columns = [np.column_stack([np.full(n, x), _FOOT + room / 2 + pitch * ((n - 1) / 2 - np.arange(n))])
               for x, n in zip(across, sizes)]  # fmt: skip
    return columns, (width, height)


def nearest_unit(places, x, y):
    """Return the number of the hidden unit nearest to (x, y), counted from 1 through all layers; None without any."""
    hidden = np.concatenate([np.empty((0, 2)), *places[1:]])
    return int(np.argmin(((hidden - (x, y)) ** 2).sum(axis=1))) + 1 if len(hidden) else None


def plot_network(ax, maps, weights, *, marked=None, names=(), heads=(), legend=None):
    """Draw a network: a small map for each unit, and wires as thick as their weights, coloured by their signs.

    Parameters
    ----------
    ax : matplotlib Axes
        Its coordinates become points, its frame is switched off. The last wires lead to the middle of its right edge.
    maps : list of arrays of shape (n_units, rows, columns)
        For each column, the features first, what its units say on a grid, from -1 (class 0) to 1; the lowest row first.
    weights : list of arrays of shape (units before, units after)
    marked : (column, unit), optional
        It has a frame; the wires that do not touch it step back.
    names, heads : sequences of str
        Of the features and of the columns.
    legend : (x, y), optional
        The lower left corner, in points, of four sample wires that say what colour and width mean; it takes 78 x 45.

    Returns
    -------
    Rectangle or None
        The frame of the marked unit, which may glide.
    """
    frame = ax.get_window_extent()
    panel = np.array([frame.width, frame.height]) * 72 / ax.figure.dpi
    ax.set(xlim=(0, panel[0]), ylim=(0, panel[1]))
    ax.set_axis_off()
    places, size = unit_places([len(column) for column in maps], panel, maps[0].shape[2] / maps[0].shape[1])
    _draw_wires(ax, places, size, weights, marked, panel)
    palette = np.vstack([rgb(light(0, 0.05)), rgb("paper"), rgb(light(1, 0.05))])
    _draw_maps(ax, places[:1], size, maps[:1], palette)
    _draw_maps(ax, places[1:], size, maps[1:], palette)
    if legend is not None:
        _draw_legend(ax, *legend, readable_size(ax, _LETTERS))
    return _letter(ax, places, size, marked, names, heads, panel)


def plot_borders(ax, scores, xlim, ylim, **look):
    """Draw, as one collection, the lines on which scores are 0.

    Parameters
    ----------
    scores : array of shape (n_scores, rows, columns)
        On a grid over the limits; the lowest row first.
    **look
        ``colors``, ``linewidths``, ``linestyles``, ``zorder``, as a LineCollection takes them.
    """
    x, y = np.linspace(*xlim, scores.shape[2]), np.linspace(*ylim, scores.shape[1])
    crossing = [score for score in scores if score.min() < 0 < score.max()]
    lines = [line for score in crossing for line in contour_generator(x, y, score).lines(0.0)]
    ax.add_collection(LineCollection(lines, **look), autolim=False)


def _draw_wires(ax, places, size, weights, marked, panel):
    ends, strengths, quiet = [], [], []
    goals = [*places[1:], np.array([[panel[0] + size[0] / 2, (panel[1] - _HEAD + _FOOT) / 2]])]
    for k, (before, after, W) in enumerate(zip(places, goals, weights, strict=True)):
        i, j = (index.ravel() for index in np.indices(W.shape))
        ends.append(np.hstack([before[i] + (size[0] / 2, 0), after[j] - (size[0] / 2, 0)]))
        strengths.append(W.ravel())
        column, unit = marked or (None, None)
        quiet.append((i != unit) if column == k else (j != unit) if column == k + 1 else np.full(len(i), bool(marked)))
    ends, strengths, quiet = np.concatenate(ends), np.concatenate(strengths), np.concatenate(quiet)
    widths = _width(strengths)
    order = np.lexsort((widths, ~quiet))  # what matters lies in front
    order = order[widths[order] > 0.3]
    s = np.linspace(0, 1, _BENDS if len(order) < _MANY else _COARSE)
    bend = s * s * (3 - 2 * s)
    x0, y0, x1, y1 = ends[order].T[..., np.newaxis]
    lines = np.stack([x0 + s * (x1 - x0), y0 + bend * (y1 - y0)], axis=-1)
    looks = to_rgba_array([color(int(weight > 0)) for weight in strengths[order]])
    looks[:, 3] = np.where(quiet[order], 0.28, 0.85)
    put(ax, LineCollection(lines, linewidths=widths[order], colors=looks, capstyle="butt", zorder=1))


def _width(weight):
    return 0.25 + 6 * np.tanh(np.abs(weight) / 5)


def _draw_legend(ax, left, bottom, letters):
    """Four short wires with their weights, under a head."""
    larger, step = letters / _LETTERS, max(15, 1.2 * letters)
    samples = [(weight, left + 42 * larger * column, bottom + 6 + step * (1 - row))
               for column, sign in enumerate((1, -1)) for row, weight in enumerate((3 * sign, sign))]  # fmt: skip
    put(ax, LineCollection([[(x, y), (x + 18 * larger, y)] for _, x, y in samples], capstyle="butt", zorder=1,
                           linewidths=[_width(weight) for weight, _, _ in samples],
                           colors=[color(int(weight > 0)) for weight, _, _ in samples]))  # fmt: skip
    words = [(f"{weight:+d}".replace("-", "\N{MINUS SIGN}"), x + 28 * larger, y) for weight, x, y in samples]
    head = "weight of a wire"
    words.append((head, left + letters * text_width(head) / 2, bottom + 8 + 2 * step))
    write_words(ax, [(word, False, x, y, letters) for word, x, y in words])


def _draw_maps(ax, places, size, maps, palette):
    """All maps of columns that are equally high, as one image: its uneven edges leave the gaps."""
    if not maps:
        return
    n, rows, columns = maps[0].shape
    (width, height), middles = size, places[0][:, 1]
    x = np.concatenate([place[0, 0] + width * np.linspace(-0.5, 0.5, columns + 1) for place in places])
    y = np.concatenate([middle + height * np.linspace(-0.5, 0.5, rows + 1) for middle in middles[::-1]])
    dots = np.zeros((n, rows + 1, len(maps), columns + 1, 4), dtype=np.uint8)  # the last row and column are the gaps
    said = np.stack(maps, axis=1)[::-1]
    dots[:, :-1, :, :-1] = _painted(np.moveaxis(said, 1, 2), palette)
    image = dots.reshape(n * (rows + 1), len(maps) * (columns + 1), 4)[:-1, :-1]
    ax.pcolorfast(x, y, image, zorder=2)


def _painted(values, palette):
    """Colours from 0 to 255 for values from -1 to 1, with alpha."""
    steps = np.linspace(-1, 1, 256)
    table = np.column_stack([*(np.interp(steps, (-1, 0, 1), channel) for channel in palette.T), np.ones(256)])
    return (255 * table + 0.5).astype(np.uint8)[(127.5 * np.clip(values, -1, 1) + 128).astype(np.uint8)]


def _letter(ax, places, size, marked, names, heads, panel):
    width, height = size
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * (width / 2, height / 2)
    frames = [middle + corners for column in places for middle in column]
    put(ax, LineCollection(frames, colors=QUIET, linewidths=0.7, zorder=3))
    letters = readable_size(ax, _LETTERS)
    words = [(head, False, column[0, 0], panel[1] - 8, letters) for head, column in zip(heads, places)]
    words += [(name, False, x - width / 2 - 11, y, letters + 1) for name, (x, y) in zip(names, places[0])]
    if words:
        write_words(ax, words)
    if marked is None:
        return None
    x, y = places[marked[0]][marked[1]] - np.array(size) / 2
    return ax.add_patch(Rectangle((x, y), width, height, fc="none", ec="chosen", lw=3, zorder=5))
