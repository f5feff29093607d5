"""Dendrograms: which groups were joined, and at what height."""

import numpy as np
from matplotlib.collections import LineCollection

from mlcore.classroom.viz.draw.style import COLORS, INK, QUIET, plain

__all__ = ["plot_dendrogram"]

MOST_NAMES = 60


def plot_dendrogram(ax, Z, leaves, *, cut=None, names=None, colors=None):
    """Draw a tree of merges: each joins two groups by a bracket at the height at which they met.

    Parameters
    ----------
    Z : array of shape (n - 1, 4)
        The merges in SciPy's format: two groups (0 to n - 1 are points, row t makes group n + t), height, size.
    leaves : array of int of shape (n,)
        The points from left to right.
    cut : float, optional
        A dashed line at this height; merges above it are drawn in grey.
    names : sequence of str, optional
        Of the points; by default their numbers, where there are at most 60.
    colors : array of int of shape (n,), optional
        The number of a colour for each point; a merge of points of one colour has it too.
    """
    Z, n = np.asarray(Z, dtype=float), len(leaves)
    x, top, shade = np.empty(2 * n - 1), np.zeros(2 * n - 1), np.zeros(2 * n - 1, dtype=int)
    x[leaves] = np.arange(n)
    shade[:n] = -1 if colors is None else colors
    brackets, looks = [], []
    for t, (a, b, height) in enumerate(zip(Z[:, 0].astype(int), Z[:, 1].astype(int), Z[:, 2])):
        g = n + t
        x[g], top[g] = (x[a] + x[b]) / 2, height
        shade[g] = shade[a] if shade[a] == shade[b] and (cut is None or height <= cut) else -1
        brackets.append([(x[a], top[a]), (x[a], height), (x[b], height), (x[b], top[b])])
        above = cut is not None and height > cut
        looks.append(COLORS[shade[g] % len(COLORS)] if shade[g] >= 0 else QUIET if above else INK)
    ax.add_collection(LineCollection(brackets, colors=looks, linewidths=1.6))
    if cut is not None:
        ax.axhline(cut, color=INK, ls="--", lw=1.2)
    ax.set_xlim(-0.6, n - 0.4)
    ax.set_ylim(0, 1.08 * max(Z[:, 2].max(initial=0), cut or 0) or 1)
    if names is None and n > MOST_NAMES:
        ax.set_xticks([])
    else:
        written = leaves if names is None else [plain(names[i]) for i in leaves]
        ax.set_xticks(range(n), written, fontsize=11 if n <= 25 else 8)
    ax.tick_params(axis="x", length=0)
