"""The picture of a classifier with a margin: the boundary, the street beside it, and the points that hold it."""

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, ScaledTranslation

from mlcore.classroom.viz.draw.finishing import readable_size, room_of
from mlcore.classroom.viz.draw.lettering import put, text_width, word_box, word_path
from mlcore.classroom.viz.draw.plots import grid_over, scatter_classes
from mlcore.classroom.viz.draw.style import INK, color, light, marker

__all__ = ["margin_map", "signs_above"]

_LEVELS = (-np.inf, -1.0, 0.0, 1.0, np.inf)
_FREE = {"marker": "o", "ms": 12, "mec": INK, "mew": 1.5, "mfc": "none"}
_BOUND = {"marker": "s", "ms": 11, "mec": "chosen", "mew": 1.5, "mfc": "none"}
_SHADES = (light(0, 0.62), light(0, 0.86), light(1, 0.86), light(1, 0.62))


def margin_map(ax, score, X, y, *, xlim, ylim, free=(), bound=(), n=80, legend=True):
    """Shade the plane by the sign of a score, paler where it is between -1 and +1: the street.

    A solid line is drawn where the score is 0 and dashed ones where it is -1 and +1.

    Parameters
    ----------
    score : a model with ``decision_function``, or a function from (n, 2) points to n numbers
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
        Two labels; the greater one belongs to positive scores.
    xlim, ylim : (low, high)
    free, bound : int arrays
        Rows to mark: with a circle those on the margin, with a square those at the upper bound.
    n : int
        The grid has n-by-n points.
    legend : bool
        Explain the signs above the axes; entries do not come and go with the points.
    """
    points, _ = grid_over(xlim, ylim, n)
    surface = np.asarray(getattr(score, "decision_function", score)(points), dtype=float).reshape(n, n)
    mesh = points[:, 0].reshape(n, n), points[:, 1].reshape(n, n)
    generator = contour_generator(*mesh, surface, fill_type="OuterCode")
    for low, high, shade in zip(_LEVELS, _LEVELS[1:], _SHADES, strict=False):
        _fill_band(ax, generator, max(low, surface.min() - 1), min(high, surface.max() + 1), shade)
    for level, style, width in ((-1, "--", 1.1), (0, "-", 2.0), (1, "--", 1.1)):
        lines = LineCollection(generator.lines(level), colors=INK, linewidths=width, linestyles=style)
        ax.add_collection(lines, autolim=False)
    scatter_classes(ax, X, y, sizes=34, legend=False)
    for rows, look in ((free, _FREE), (bound, _BOUND)):
        ax.plot(*np.asarray(X)[np.asarray(rows, dtype=int)].T, ls="none", zorder=4, **look)
    ax.set(xlim=xlim, ylim=ylim)
    if legend:
        points = [({"marker": marker(k), "color": color(k), "ms": 6}, f"y = {'-+'[k]}1") for k in (0, 1)]
        signs_above(ax, [*points, (_FREE, "free: 0 < α < C"), (_BOUND, "bound: α = C")])


def signs_above(ax, signs, size=11):
    """Explain signs in one row above the axes: a legend that is drawn in a tenth of the time.

    In a narrow window they take as many rows as they need.

    Parameters
    ----------
    signs : sequence of (dict, str)
        How a point or a short line looks, as ``ax.plot`` takes it, and what it means.
    size : float
        Of the letters, in points.
    """
    narrow = getattr(ax.figure, "narrow", False)
    size = readable_size(ax, size)
    room = room_of(ax) * (0.95 if narrow else 1)  # no more than there is: a narrow panel's ticks take more of it
    rows = _in_rows(list(signs), room, size) if narrow else [list(signs)]
    ax.set_title("\n".join([" "] * len(rows)), fontsize=size + 3)  # keeps the room
    lift = Affine2D()  # see finishing.py
    in_points = lift + Affine2D().scale(1 / 72) + ax.figure.dpi_scale_trans + ScaledTranslation(0, 1, ax.transAxes)
    paths, boxes = [], []
    for row, height in zip(rows, size * (0.9 + 1.4 * np.arange(len(rows))[::-1])):
        left = 6.0
        gap = np.clip((room - _width_of(row, size)) / max(len(row) - 1, 1), 0.9 * size, 2.2 * size)
        for look, text in row:
            reach = [0] if look.get("ls", "none") == "none" else [-6, 6]  # a point, or a short line
            [sign] = ax.plot([left + x for x in reach], [height] * len(reach), **{"ls": "none", **look})
            sign.set(transform=in_points, clip_on=False)
            sign.set_in_layout(False)
            paths.append(word_path(text, left + 10, height, size))
            boxes.append((text, word_box(text, left + 10, height, size), size))
            left += 10 + text_width(text) * size + gap
    words = PathPatch(Path.make_compound_path(*paths), fc=INK, ec="none", lw=0, transform=in_points)
    words.letters, words.words = size, boxes
    ax.signs = lift, words
    put(ax, words)


def _width_of(signs, size):
    """The least width of a row of signs, without the gaps between them."""
    return 6.0 + sum(10 + text_width(text) * size for _, text in signs)


def _in_rows(signs, room, size):
    """Part signs into rows that are not wider than there is room."""
    rows = [[]]
    for sign in signs:
        gaps = 0.9 * size * len(rows[-1])
        if rows[-1] and _width_of([*rows[-1], sign], size) + gaps > room:
            rows.append([])
        rows[-1].append(sign)
    return rows


def _fill_band(ax, generator, low, high, shade):
    """Colour where the surface is between two levels; the edges are as smooth as the lines."""
    if low < high:
        outlines, codes = generator.filled(low, high)
        paths = [Path(points, code) for points, code in zip(outlines, codes, strict=True)]
        band = PathCollection(paths, facecolors=[shade], edgecolors=[shade], linewidths=0.5, zorder=0)
        ax.add_collection(band, autolim=False)
