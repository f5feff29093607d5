"""A threshold and what it does to people: one dot for each, piled up along a score, and swept into the four cells."""

import numpy as np

from mlcore.classroom.viz.draw.lettering import text_width
from mlcore.classroom.viz.draw.marks import glide
from mlcore.classroom.viz.draw.roles import INK, QUIET, color

__all__ = ["draw_cells", "draw_crowd", "sort_by_call"]

_DOT = 0.86
"""The width of a dot, as a part of its place."""
_PALE = 0.45
"""How much is left of the colour of those who are not called."""
_LETTERS = 12
_WORDS = {"TP": "found", "FP": "false alarms", "FN": "missed", "TN": "left alone"}


def sort_by_call(scores, positive, threshold):
    """Count the four cells: who is called positive (a score of at least the threshold), and who is.

    Returns
    -------
    tuple of int
        TP, FP, FN, TN.
    """
    called, positive = np.asarray(scores) >= threshold, np.asarray(positive, dtype=bool)
    cells = called & positive, called & ~positive, ~called & positive, ~called & ~positive
    return tuple(int(cell.sum()) for cell in cells)


def draw_crowd(ax, scores, positive, threshold, *, names=("negative", "positive"), across=105, below=0.66,
               counts=False):
    """Pile up one dot a person along the score: the positive ones above its axis, the negative ones below.

    Who is called positive has the full colour: the threshold and the axis cut out the four cells. The limits of the x
    axis must be set before; those of the y axis become such that the dots lie close. The threshold glides.

    Parameters
    ----------
    scores : array of shape (n,)
    positive : array of shape (n,)
        True or 1 for each positive one.
    threshold : float
        Who has at least this score is called positive.
    names : (str, str)
        Of the two classes.
    across : int
        So many dots stand side by side on the whole axis.
    below : float
        The part of the height below the score's axis.
    counts : bool
        Whether the four counts are written beside the threshold.

    Returns
    -------
    tuple of int
        TP, FP, FN, TN.
    """
    scores, positive = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    left, right = ax.get_xlim()
    rows = ax.bbox.height / (ax.bbox.width / across)
    ax.set(ylim=(-below * rows, (1 - below) * rows), yticks=())
    ax.spines["left"].set_visible(False)
    size = _size_of_dots(ax)
    places = np.floor((scores - left) / (right - left) * across)
    at_left = threshold >= (left + right) / 2  # where the other words leave room
    for k, side in ((0, -1), (1, 1)):
        own = positive == bool(k)
        x, y = left + (places[own] + 0.5) * (right - left) / across, side * (_levels(places[own]) + 0.9)
        called = scores[own] >= threshold
        for shown, look in ((~called, (color(k), _PALE)), (called, color(k))):
            ax.plot(x[shown], y[shown], "o", ms=size, color=look, mec="none", zorder=2)
        ax.annotate(
            f"{names[k]}: {own.sum()}", (0 if at_left else 1, 0.98 if k else 0.02), xycoords="axes fraction",
            ha="left" if at_left else "right", va="top" if k else "bottom", color=color(k), fontsize=_LETTERS,
            weight="semibold", zorder=6,
        )  # fmt: skip
    ax.axhline(0, color=QUIET, lw=1)
    glide(ax.plot([threshold] * 2, ax.get_ylim(), color="chosen", lw=2.2, zorder=5), "threshold")
    ax.set_title(" ")  # makes room
    _name_sides(ax, threshold, (f"← called {names[0]}", f"called {names[1]} →"), 1, 4, INK)
    TP, FP, FN, TN = sort_by_call(scores, positive, threshold)
    if counts:
        _name_sides(ax, threshold, (f"{FN} {_WORDS['FN']}", f"{TP} {_WORDS['TP']}"), 1, -18, color(1))
        _name_sides(ax, threshold, (f"{TN} {_WORDS['TN']}", f"{FP} {_WORDS['FP']}"), 0, 4, color(0))
    return TP, FP, FN, TN


def draw_cells(ax, scores, positive, threshold, *, like, names=("negative", "positive")):
    """Sweep the people of ``draw_crowd`` together: one column for each call, cut by the axis into the four cells.

    The dots are as large as there. From one threshold to the next each glides to its cell.

    Parameters
    ----------
    scores, positive, threshold, names
        As for the crowd.
    like : Axes
        Those of the crowd, drawn before.

    Returns
    -------
    tuple of int
        TP, FP, FN, TN.
    """
    scores, positive = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    low, high = like.get_ylim()
    width = ax.bbox.width / like.bbox.height * (high - low)
    wide = int((width - 3) // 2)
    starts = width / 2 - 1 - wide, width / 2 + 1
    ax.set(xlim=(0, width), ylim=(low, high), yticks=(), xticks=[start + wide / 2 for start in starts])
    ax.set_title(" ")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="x", length=0)
    size = _size_of_dots(like)
    called = scores >= threshold
    counts = TP, FP, FN, TN = sort_by_call(scores, positive, threshold)
    ax.set_xticklabels([f"called {names[0]}: {FN + TN}", f"called {names[1]}: {TP + FP}"])
    ax.axhline(0, color=QUIET, lw=1)
    for k, side in ((0, -1), (1, 1)):
        own, says = scores[positive == bool(k)], called[positive == bool(k)]
        order = np.empty(len(own), dtype=int)
        for one in (False, True):  # those next to the threshold lie outermost
            who = np.flatnonzero(says == one)
            order[who[np.argsort(own[who] * (-1 if one else 1), kind="stable")]] = np.arange(len(who))
        x = np.where(says, *starts[::-1]) + order % wide + 0.5
        y = side * (order // wide + 0.9)
        glide(ax.plot(x, y, "o", ms=size, color=(color(k), _PALE), mec="none", zorder=2), f"all {k}")
        # what is not called has its full colour out of sight
        full = np.where(says, x, -9.0), np.where(says, y, 0.0)
        glide(ax.plot(*full, "o", ms=size, color=color(k), mec="none", zorder=3, scalex=False), f"called {k}")
    for word, count, k, column in (("TP", TP, 1, 1), ("FP", FP, 0, 1), ("FN", FN, 1, 0), ("TN", TN, 0, 0)):
        side = 1 if k else -1
        top = side * (-(-count // wide) + 0.6)
        name = ax.annotate(
            f"{word} {count}  {_WORDS[word]}", (starts[column] + wide / 2, top), (0, 2 * side), ha="center",
            textcoords="offset points", va="bottom" if k else "top", color=color(k), fontsize=13, weight="semibold",
            zorder=6,
        )  # fmt: skip
        glide(name, word)
    return counts


def _name_sides(ax, threshold, texts, at, lift, look):
    """Write a text on each side of the threshold, at the top or the bottom; none where there is no room for it."""
    left, right = ax.get_xlim()
    part = (threshold - left) / (right - left)
    weight = "normal" if look == INK else "semibold"
    for text, room, shift, side in zip(texts, (part, 1 - part), (-11, 11), ("right", "left")):
        fits = text_width(text) * _LETTERS + 11 < room * ax.bbox.width * 72 / ax.figure.dpi
        name = ax.annotate(
            text if fits else "", (threshold, ax.get_ylim()[at]), (shift, lift), textcoords="offset points", ha=side,
            va="bottom", color=look, fontsize=_LETTERS, weight=weight, zorder=6, in_layout=False,
        )  # fmt: skip
        glide(name, f"{side} {at} {lift}")


def _size_of_dots(ax):
    """The width of a dot in points, where the unit of the y axis is one dot."""
    low, high = ax.get_ylim()
    return _DOT * ax.bbox.height / (high - low) * 72 / ax.figure.dpi


def _levels(places):
    """How many stand below each one in its place: in their order, from 0 on."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    levels = np.empty(len(places), dtype=int)
    levels[order] = np.arange(len(places)) - np.searchsorted(ordered, ordered)
    return levels
