"""All subsets of a few features as a landscape: to the right the larger ones, higher up the worse ones."""

import itertools

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import Normal, Stroke

from mlcore.classroom.viz.draw.finishing import readable_size
from mlcore.classroom.viz.draw.lettering import put, text_width, word_box, word_path
from mlcore.classroom.viz.draw.roles import INK, QUIET

__all__ = ["plot_subsets", "subset_places"]

_BETWEEN = 0.4
"""From the letters of one size to the sets of the next; a lane is as wide as its letters need."""
_NONE = "none"
_CLEAR = 6
"""Points of paper around letters, half on each side: lines stop before them."""


def subset_places(errors, row=0.024):
    """Give each set its place: by size, and at its error; sets of one size with nearly equal errors stand side by side.

    Parameters
    ----------
    errors : dict of tuple of int to float
        Of all subsets.
    row : float
        Sets of one size whose errors are closer stand in different lanes.

    Returns
    -------
    places : dict of tuple of int to (float, float)
    middles : list of float
        Of the sets of each size, on the x axis.
    """
    places, middles, left = {}, [], 0.0
    for size, group in itertools.groupby(sorted(errors, key=len), key=len):
        lanes, wide = [], 0.5 + 0.24 * size
        for F in sorted(group, key=lambda F: (errors[F], F)):
            lane = next((k for k, last in enumerate(lanes) if errors[F] - last >= row), len(lanes))
            lanes[lane : lane + 1] = [errors[F]]
            places[F] = left + lane * wide, errors[F]
        middles.append(left + (len(lanes) - 1) * wide / 2)
        left += len(lanes) * wide + _BETWEEN
    return places, middles


def plot_subsets(ax, errors, letters, *, shown=None, strong=(), fontsize=9.5):
    """Draw sets at their places (see ``subset_places``) with their letters; lines lead to those with one more.

    Parameters
    ----------
    errors : dict of tuple of int to float
        Of all subsets.
    letters : sequence of str
        Of the features.
    shown : set of tuple of int, optional
        Those that are drawn; by default all.
    strong : collection of tuple of int
        Those that stand out.
    fontsize : float

    Returns
    -------
    dict of tuple of int to (float, float)
        All places.
    """
    places, middles = subset_places(errors)
    fontsize = readable_size(ax, fontsize)
    shown = [F for F in errors if shown is None or F in shown]
    ax.set(xlim=(-1.25, max(x for x, _ in places.values()) + 1.7), ylim=(0.0, 0.6), xlabel="features in the set")
    ax.set_xticks(middles, range(len(middles)))
    ax.tick_params(axis="x", length=0)
    for size in range(1, len(middles)):
        ax.axvline(min(x for F, (x, _) in places.items() if len(F) == size) - 0.4, color="hair", lw=0.7, zorder=0)
    there = set(shown)
    steps = [(places[F], places[G]) for F in shown for G in _with_one_more(F, len(letters)) if G in there]
    put(ax, LineCollection(steps, colors="hair", linewidths=0.7, zorder=0))
    inches = ax.transData.transform([places[F] for F in shown]) / ax.figure.dpi
    for marked, size, look in ((False, 5, QUIET), (True, 8, INK)):
        own = np.array([places[F] for F in shown if (F in strong) == marked]).reshape(-1, 2)
        ax.plot(*own.T, "o", ms=size, color=look, mec="paper", mew=0.6, zorder=5)
        words = [_word(F, letters, x, y, fontsize / 72, 0.115 if marked else 0.09)
                 for F, (x, y) in zip(shown, inches) if (F in strong) == marked]  # fmt: skip
        if words:
            _write(ax, words, look, fontsize)
    return places


def _word(F, letters, x, y, size, off):
    """The letters of a set, so far to its right; "none" stands left of its place, since lines start to the right."""
    if F:
        return "".join(letters[j] for j in F), x + off, y, size
    return _NONE, x - 0.12 - text_width(_NONE) * size, y, size


def _with_one_more(F, n_features):
    return [tuple(sorted((*F, j))) for j in range(n_features) if j not in F]


def _write(ax, words, look, fontsize):
    """Words in inches of the figure, as one path, with a halo."""
    path = Path.make_compound_path(*(word_path(*word) for word in words))
    patch = PathPatch(path, facecolor=look, edgecolor="paper", linewidth=0, zorder=4)
    patch.set_path_effects([Stroke(linewidth=_CLEAR, foreground="paper", joinstyle="round"), Normal()])
    put(ax, patch)
    patch.set_transform(ax.figure.dpi_scale_trans)
    patch.letters = fontsize
    patch.words = [(word[0], word_box(*word), fontsize) for word in words]
