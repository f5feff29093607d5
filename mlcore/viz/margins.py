"""The picture of a classifier with a margin: the boundary, the street beside it, and the points that hold it."""

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.path import Path

from mlcore.viz.plots import grid_over, scatter_classes
from mlcore.viz.style import INK, color, light

__all__ = ["margin_map"]

_LEVELS = (-np.inf, -1.0, 0.0, 1.0, np.inf)
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
        A legend above the axes; entries do not come and go with the points.
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
    scatter_classes(ax, X, y, names=("y = -1", "y = +1"), sizes=34, legend=False)
    for rows, shape, size, name in ((free, "o", 12, "free: 0 < α < C"), (bound, "s", 11, "bound: α = C")):
        own = np.asarray(X)[np.asarray(rows, dtype=int)]
        edge = INK if shape == "o" else color(5)
        look = {"marker": shape, "ms": size, "mec": edge, "mew": 1.5, "mfc": "none", "zorder": 4}
        ax.plot(*own.T, ls="none", label=name, **look)
    ax.set(xlim=xlim, ylim=ylim)
    if legend:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, handletextpad=0.2)


def _fill_band(ax, generator, low, high, shade):
    """Colour where the surface is between two levels; the edges are as smooth as the lines."""
    if low < high:
        outlines, codes = generator.filled(low, high)
        paths = [Path(points, code) for points, code in zip(outlines, codes, strict=True)]
        band = PathCollection(paths, facecolors=[shade], edgecolors=[shade], linewidths=0.5, zorder=0)
        ax.add_collection(band, autolim=False)
