"""Groups of points, and the tree that they grow into: hulls, dendrograms, and colours that stay while groups merge."""

import numpy as np
from matplotlib.collections import LineCollection

from mlcore.classroom.viz.draw.marks import glide
from mlcore.classroom.viz.draw.roles import light
from mlcore.classroom.viz.draw.style import COLORS, INK, plain

__all__ = ["draw_hull", "group_colors", "merges_below", "plot_dendrogram"]

MOST_NAMES = 60
_DIRECTIONS = np.linspace(0, 2 * np.pi, 48, endpoint=False)
_UNITS = np.column_stack([np.cos(_DIRECTIONS), np.sin(_DIRECTIONS)])
"""Every hull has as many corners: each can glide into any other."""
_INVISIBLE = (0.0, 0.0, 0.0, 0.0)


def draw_hull(ax, points, *, k=0, margin=13, **style):
    """Draw the rounded convex hull of points, in the light colour of a class.

    The limits of the axes must be set before.

    Parameters
    ----------
    points : array of shape (n, 2)
    k : int
        The number of the colour; below 0 it is nobody's, and pale.
    margin : float
        Between the points and the outline, in pixels.
    **style
        Passed on to ``ax.fill``.

    Returns
    -------
    Polygon
        It may glide.
    """
    seen = ax.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2))
    outline = seen[(seen @ _UNITS.T).argmax(axis=0)] + margin * ax.figure.dpi / 100 * _UNITS
    name = COLORS[k % len(COLORS)] if k >= 0 else "pale"
    look = {"fc": (light(name) if k >= 0 else "none"), "ec": name, "lw": 1.2, "zorder": 1, **style}
    return ax.fill(*ax.transData.inverted().transform(outline).T, **look)[0]


def merges_below(Z, height):
    """Return how many merges are made up to a height: those before the first that is higher."""
    return int(np.logical_and.accumulate(np.asarray(Z, dtype=float)[:, 2] <= height).sum())


def group_colors(Z, made):
    """Return the number of a colour for each point after some merges; -1 for a point that is still alone.

    A group that grows keeps its colour, of two groups that merge the larger one does, and a new one takes the first
    colour that nobody has.

    Parameters
    ----------
    Z : array of shape (n - 1, 4)
        The merges in SciPy's format.
    made : int
        How many of them are made.

    Returns
    -------
    ndarray of int of shape (n,)
    """
    Z, n = np.asarray(Z, dtype=float), len(Z) + 1
    members, looks = {i: [i] for i in range(n)}, {}
    for t, pair in enumerate(Z[:made, :2].astype(int).tolist()):
        pair.sort(key=lambda g: len(members[g]))
        kept = [looks.pop(g) for g in pair if g in looks]
        free = next(k for k in range(n) if k not in looks.values())
        looks[n + t] = kept[-1] if kept else free
        members[n + t] = [i for g in pair for i in members.pop(g)]
    colors = np.full(n, -1)
    for g, k in looks.items():
        colors[members[g]] = k
    return colors


def plot_dendrogram(ax, Z, leaves, *, cut=None, names=None, colors=None):
    """Draw a tree of merges: each joins two groups by a bracket at the height at which they met.

    Parameters
    ----------
    Z : array of shape (n - 1, 4)
        The merges in SciPy's format: two groups (0 to n - 1 are points, row t makes group n + t), height, size.
    leaves : array of int of shape (n,)
        The points from left to right.
    cut : float, optional
        A dashed line at this height, up to which the tree has grown: what lies above it is pale. Line and branches
        glide.
    names : sequence of str, optional
        Of the points; by default their numbers, where there are at most 60.
    colors : array of int of shape (n,), optional
        The number of a colour for each point, or -1; a branch of points of one colour has it too.

    Returns
    -------
    ndarray of shape (2 n - 1, 2)
        Where the branch of each group begins: the place and the height of its bracket.
    """
    Z, n = np.asarray(Z, dtype=float), len(leaves)
    x, top, shade = np.empty(2 * n - 1), np.zeros(2 * n - 1), np.full(2 * n - 1, -1)
    x[leaves] = np.arange(n)
    shade[:n] = -1 if colors is None else colors
    end, parent = np.zeros(2 * n - 1), np.full(2 * n - 1, 2 * n - 1)
    for t, (a, b, height) in enumerate(zip(Z[:, 0].astype(int), Z[:, 1].astype(int), Z[:, 2])):
        x[n + t], top[n + t] = (x[a] + x[b]) / 2, height
        end[[a, b]], parent[[a, b]] = height, n + t
        shade[n + t] = shade[a] if shade[a] == shade[b] else -1
    a, b = Z[:, :2].astype(int).T
    brackets = np.stack([
        np.column_stack([x[a], x[a], x[b], x[b]]), np.column_stack([top[a], Z[:, 2], Z[:, 2], top[b]])
    ], axis=-1)  # fmt: skip
    looks = [COLORS[k % len(COLORS)] if k >= 0 else INK for k in shade]
    if cut is None:
        ax.add_collection(LineCollection(brackets, colors=looks[n:], linewidths=1.6))
    else:
        ax.add_collection(LineCollection(brackets, colors="pale", linewidths=1.0))
        made = n + merges_below(Z, cut)
        there = np.arange(2 * n - 1) < made
        stop = np.where(there, np.where(parent < made, end, cut), top)
        stems = np.stack([np.column_stack([x, top]), np.column_stack([x, stop])], axis=1)
        bars = brackets[:, 1:3].copy()
        bars[~there[n:], :, 0] = x[n:][~there[n:], np.newaxis]  # they open from the middle
        seen = [look if one else _INVISIBLE for look, one in zip(looks, there)]
        for lines, own, key in ((stems, seen, "branches"), (bars, seen[n:], "brackets")):
            glide(ax.add_collection(LineCollection(lines, colors=own, linewidths=2.2, zorder=3)), key)
        glide(ax.axhline(cut, color=INK, ls="--", lw=1.2, zorder=4), "cut")
    ax.set_xlim(-0.6, n - 0.4)
    ax.set_ylim(0, 1.08 * max(Z[:, 2].max(initial=0), cut or 0) or 1)
    if names is None and n > MOST_NAMES:
        ax.set_xticks([])
    else:
        written = leaves if names is None else [plain(names[i]) for i in leaves]
        ax.set_xticks(range(n), written, fontsize=11 if n <= 25 else 8)
    ax.tick_params(axis="x", length=0)
    return np.column_stack([x, top])
