"""Graphs of a few nodes: boxes with names, lines or arrows between them, and a word on each line."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from mlcore.viz.style import INK, QUIET, color, plain

__all__ = ["plot_graph", "ring"]


def ring(n, radius=1.0):
    """Return n places around a circle, the first at the top, clockwise; shape (n, 2)."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def plot_graph(ax, names, edges, *, places=None, words=None, looks=None, arrows=False, fills=None, fontsize=9):
    """Draw a small graph.

    Parameters
    ----------
    ax : matplotlib Axes
        Its frame is switched off.
    names : sequence of str
        What is written in the boxes.
    edges : sequence of pairs (i, j)
        With ``arrows`` from i to j.
    places : array of shape (n, 2), optional
        By default around a circle.
    words : sequence of str, optional
        One for each edge, written on its middle; "" for none.
    looks : sequence of {"strong", "now", "plain", "faint"}, optional
        One for each edge: a thick dark line, a thick coloured one, a thin one, a dotted one.
    fills : sequence of colours, optional
        Of the boxes.
    """
    places = ring(len(names)) if places is None else np.asarray(places, dtype=float)
    looks = ["plain"] * len(edges) if looks is None else looks
    for number, (i, j) in enumerate(edges):
        width, line, ink, order = _LOOKS[looks[number]]
        ax.add_patch(FancyArrowPatch(
            places[i], places[j], arrowstyle="-|>" if arrows else "-", mutation_scale=13, shrinkA=16, shrinkB=20,
            lw=width, ls=line, color=ink, zorder=order,
        ))  # fmt: skip
        if words and words[number]:
            middle = 0.5 * (places[i] + places[j])
            ax.text(
                *middle, plain(words[number]), ha="center", va="center", fontsize=fontsize - 0.5, color=ink, zorder=4,
                bbox={"boxstyle": "square,pad=0.12", "fc": "white", "ec": "none"},
            )  # fmt: skip
    for k, (name, place) in enumerate(zip(names, places, strict=True)):
        fill = "white" if fills is None else fills[k]
        ax.text(
            *place, plain(name), ha="center", va="center", fontsize=fontsize, color=INK, zorder=5,
            bbox={"boxstyle": "round,pad=0.35", "fc": fill, "ec": "#555555", "lw": 1.0},
        )  # fmt: skip
    low, high = places.min(axis=0), places.max(axis=0)
    pad = 0.18 * np.maximum(high - low, 1e-9 + (high - low).max() * 0.3)
    ax.set(xlim=(low[0] - pad[0], high[0] + pad[0]), ylim=(low[1] - pad[1], high[1] + pad[1]))
    ax.set_axis_off()


_LOOKS = {
    "strong": (2.6, "-", INK, 2), "now": (3.2, "-", color(5), 3), "plain": (1.2, "-", "#666666", 2),
    "faint": (0.9, ":", QUIET, 1),
}  # fmt: skip
