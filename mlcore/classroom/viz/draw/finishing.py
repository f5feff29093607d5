"""The last touch of every picture, after its drawing function; and words and signs that drawings put at its edges.

``finish`` gives each picture what would else be said in every drawing: level names above the vertical axes, few ticks,
true minus signs, letters that can be read on whatever lies under them, and none too small.
"""

import re

import numpy as np
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import AutoLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from mlcore.classroom.viz.draw.legends import fit_legend
from mlcore.classroom.viz.draw.lettering import text_width
from mlcore.classroom.viz.draw.style import INK, letters_of, make_readable, true_signs

__all__ = [
    "LEAST", "OUTSIDE", "at_the_end", "finish", "least_letters", "off_scale", "readable_size", "room_of",
    "smallest_letters",
]  # fmt: skip

LEAST = 11
"""The size of the smallest letters where they are shown, in pixels."""
TICKS = 5
"""The most steps of an axis."""
COLOURED = re.compile(r"(fit|truth|new|chosen|guide|gap|prior|likelihood|posterior|class\d)$")
_HALO = (Stroke(linewidth=2.5, foreground="paper", joinstyle="round"), Normal())
OUTSIDE = "outside"
"""What the signs of ``off_scale`` are called, as their ``gid``."""
_GAP = 1.15
"""Between two names at the ends of lines, in font sizes."""


def finish(figure, shown=1.0, narrow=False):
    """Give a figure the last touch.

    Parameters
    ----------
    figure : matplotlib Figure
    shown : float
        How large it is shown, as a part of 100 pixels an inch.
    narrow : bool
        Whether it is for a narrow window, where a legend above a panel may be too wide.
    """
    make_readable(figure)
    least = least_letters(shown)
    inside = {text for ax in figure.axes for text in ax.texts}
    for text in letters_of(figure):
        if written := text.get_text():
            _finish_text(text, written, least, text in inside)
    for ax in figure.axes:
        if ax.axison:
            for axis in (ax.xaxis, ax.yaxis):
                _finish_axis(axis, least)
        _show_whole(ax)
        _push_apart(ax)
    named = [ax for ax in figure.axes if ax.axison and _level_name(ax)]
    rows = {_row(ax) for ax in named}
    for ax in figure.axes:
        lift = 1.35 * named[0].yaxis.label.get_fontsize() if _row(ax) in rows else 0.0
        if narrow:
            name = ax.yaxis.label if ax in named else None
            lift += max(fit_legend(ax, room_of(ax), name), _raise_texts(ax, name))
        if lift:
            _lift_titles(ax, lift, ax in named)
        if hasattr(ax, "signs"):
            _place_signs(ax, lift if ax in named else 0.0, least)


def least_letters(shown):
    """Return the size of the smallest letters that can be read, in points, for a picture shown so large."""
    return LEAST * 72 / 100 / min(shown, 1.0)


def readable_size(ax, size):
    """Return a size of letters, in points: in a narrow window at least so large that they can be read."""
    figure = ax.figure
    return max(size, least_letters(figure.shown)) if getattr(figure, "narrow", False) else size


def smallest_letters(figure):
    """Return the size of the smallest letters of a figure, in points: texts, labels of ticks, and outlines of words."""
    sizes = [text.get_fontsize() for text in letters_of(figure) if text.get_text().strip()]
    for ax in figure.axes:
        sizes += [patch.letters for patch in ax.patches if hasattr(patch, "letters")]
        if ax.axison:
            labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
            sizes += [label.get_fontsize() for label in labels if label.get_visible() and label.get_text().strip()]
    return min(sizes, default=np.inf)


def _finish_text(text, written, least, inside):
    if "$" not in written and (signed := true_signs(written)) != written:
        text.set_text(signed)
    if text.get_fontsize() < least - 1e-6:
        text.set_fontsize(least)
    look = text.get_color()
    if isinstance(look, str) and COLOURED.match(look):
        text.set_color(f"{look}-text")
    if inside and look != "paper" and text.get_bbox_patch() is None and not text.get_path_effects():
        text.set_path_effects(_HALO)


def _show_whole(ax):
    """A single dot that stands on the edge of its panel, as at the end of a slider, is not cut in half."""
    edges = ax.bbox.padded(0.5)
    for line in ax.lines:
        if line.get_marker() not in ("None", "none", " ", "", None) and len(line.get_xdata()) == 1:
            if edges.contains(*line.get_transform().transform(line.get_xydata())[0]):
                line.set_clip_on(False)


def _finish_axis(axis, least):
    if isinstance(locator := axis.get_major_locator(), AutoLocator) and axis.get_scale() == "linear":
        if isinstance(axis.get_major_formatter(), ScalarFormatter):
            locator.set_params(nbins=TICKS)
    if axis.get_tick_params().get("labelsize", least) < least:
        axis.set_tick_params(labelsize=least)
    for tick in vars(axis).get("majorTicks", ()):
        for label in (tick.label1, tick.label2):
            if label.get_fontsize() < least - 1e-6:
                label.set_fontsize(least)


def _level_name(ax):
    """Write the name of the vertical axis level, above it, where it has room there; tell whether it was."""
    axis, label = ax.yaxis, ax.yaxis.label
    name, size = label.get_text(), label.get_fontsize()
    if not name or label.get_rotation() != 90 or text_width(name) * size > room_of(ax) or _has_ticks_on_top(ax):
        return False
    on_left = axis.get_label_position() == "left"
    lift = ScaledTranslation(0, 6 / 72, ax.figure.dpi_scale_trans)
    axis.set_label_coords(0 if on_left else 1, 1, transform=ax.transAxes + lift)
    label.set(rotation=0, ha="left" if on_left else "right", va="baseline")
    return True


def _raise_texts(ax, name):
    """What is written above an axes, and has no room beside the name of its axis, stands above it; tell how high."""
    if name is None:
        return 0.0
    raised, room = 0.0, room_of(ax) - text_width(name.get_text()) * name.get_fontsize()
    for text in ax.texts:
        size = text.get_fontsize()
        above = text.get_transform() == ax.transAxes and text.get_position()[1] >= 1 and text.get_va() == "bottom"
        if above and text_width(text.get_text()) * size > room - size:
            raised = 1.35 * name.get_fontsize()
            text.set_transform(ax.transAxes + ScaledTranslation(0, raised / 72, ax.figure.dpi_scale_trans))
    return raised


def _lift_titles(ax, lift, named):
    """Titles of a row of axes stand above the names, all at one height; a layout must know that there is a name."""
    titles = {"center": ax.title, "left": ax._left_title, "right": ax._right_title}
    titles = {place: title for place, title in titles.items() if title.get_text()}
    if named and not titles:
        ax.set_title(" ", fontsize=ax.yaxis.label.get_fontsize(), pad=6)
    for place, title in titles.items():
        kept = {"fontproperties": title.get_fontproperties().copy(), "color": title.get_color()}
        ax.set_title(title.get_text(), loc=place, pad=6 + lift, **kept)


def _place_signs(ax, lift, least):
    """The row of signs (see ``signs_above``) stands above the name, with letters that can be read."""
    where, words = ax.signs
    larger = max(1.0, least / words.letters)
    where.clear().scale(larger).translate(0, lift)
    words.letters *= larger


def _row(ax):
    spec = ax.get_subplotspec()
    return None if spec is None else (id(spec.get_gridspec()), spec.rowspan.start)


def _has_ticks_on_top(ax):
    ticks = ax.xaxis.get_tick_params()
    return ticks.get("labeltop") or ticks.get("labelright") or ax.xaxis.get_label_position() == "top"


def room_of(ax):
    """Return the width of an axes, in points; before the layout is known, its share of the figure."""
    width, spec = ax.figure.get_size_inches()[0] * 72, ax.get_subplotspec()
    if spec is None:
        return ax.get_position().width * width
    grid = spec.get_gridspec()
    shares = np.asarray(grid.get_width_ratios(), dtype=float)
    return 0.92 * width * shares[spec.colspan.start : spec.colspan.stop].sum() / shares.sum()


# ---------------------------------------------------------------------------------------------------------------
# Names and signs at the edges
# ---------------------------------------------------------------------------------------------------------------
def at_the_end(ax, line, text, *, x=None, dx=6, dy=0, **style):
    """Write the name of a line where it ends, in its colour: a picture needs no legend then.

    Names of several lines that end close together are pushed apart.

    Parameters
    ----------
    line : matplotlib Line2D
        What ``ax.plot`` returns, unpacked: ``[line] = ax.plot(x, y)``.
    text : str
    x : float, optional
        Beside the point of the line that is nearest to this place instead.
    dx, dy : float
        How far from there, in points.
    **style
        Passed on to ``ax.annotate``.

    Returns
    -------
    matplotlib Annotation
    """
    xs, ys = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
    drawn = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
    if not len(drawn):
        return ax.annotate("", (0, 0))
    k = drawn[-1] if x is None else drawn[np.abs(xs[drawn] - x).argmin()]
    side = "left" if dx >= 0 else "right"
    style = {"color": line.get_color(), "ha": side, "va": "center", "zorder": 6, "annotation_clip": False, **style}
    name = ax.annotate(text, (xs[k], ys[k]), (dx, dy), textcoords="offset points", **style)
    if x is None:
        name.set_gid("end")
    return name


def _push_apart(ax):
    """Move names at the ends of lines up and down until none of them touches another, and all are within the axes."""
    names = [text for text in ax.texts if text.get_gid() == "end"]
    if len(names) < 2:
        return
    names.sort(key=lambda name: name.xy[1], reverse=bool(ax.yaxis.get_inverted()))
    low, high = sorted(ax.get_ylim())
    scale = 72 / ax.figure.dpi
    places = np.array([ax.transData.transform((name.xy[0], min(max(name.xy[1], low), high)))[1] for name in names])
    places = places * scale + [name.xyann[1] for name in names]
    sizes = np.array([name.get_fontsize() for name in names]) * _GAP
    wanted = places.copy()
    for _ in range(len(names)):
        for i in range(len(names) - 1):
            if (short := sizes[i] - (wanted[i + 1] - wanted[i])) > 0:
                wanted[i] -= short / 2
                wanted[i + 1] += short / 2
    for name, before, after in zip(names, places, wanted):
        name.xyann = (name.xyann[0], name.xyann[1] + after - before)


def off_scale(ax, x, y, text=None, *, color=INK, size=7):
    """Mark what lies outside the axes: a ▲ at the edge for each such point, pointing to where it is.

    The limits of the axes must be set before.

    Parameters
    ----------
    x, y : float or array of shape (n,)
        Points; those that lie inside, or are no numbers, are left alone. What is infinite lies outside.
    text : str or sequence of str, optional
        Written beside the signs, such as "≥ 12".
    color : color
    size : float
        Of the sign, in points.

    Returns
    -------
    ndarray of bool
        Which of the points lie outside.
    """
    points = np.column_stack(np.broadcast_arrays(np.atleast_1d(x), np.atleast_1d(y))).astype(float)
    (left, right), (bottom, top) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    inside, outside = points.clip((left, bottom), (right, top)), np.zeros(len(points), dtype=bool)
    words = [text] * len(points) if text is None or isinstance(text, str) else text
    for side, sign, inwards in (
        (points[:, 1] > top, "^", (0, -1)), (points[:, 1] < bottom, "v", (0, 1)),
        (points[:, 0] < left, "<", (1, 0)), (points[:, 0] > right, ">", (-1, 0)),
    ):  # fmt: skip
        new, outside = np.flatnonzero(side & ~outside), outside | side
        # half a sign inwards, so that all of it lies within the axes
        shift = ScaledTranslation(*(np.array(inwards) * size / 144), ax.figure.dpi_scale_trans)
        if len(new):
            [signs] = ax.plot(*inside[new].T, ls="none", marker=sign, ms=size, color=color, mec="paper", mew=0.6,
                              zorder=7, scalex=False, scaley=False)  # fmt: skip
            signs.set(transform=ax.transData + shift, clip_on=False, gid=OUTSIDE)
            signs.set_in_layout(False)
        for k in new if text is not None else ():
            away = -1 if inside[k, 0] > (left + right) / 2 else 1  # from the nearer side
            place = (size * (away + inwards[0] * 0.5), 0.6 * size * inwards[1])
            ax.annotate(words[k], inside[k], place, textcoords="offset points", ha="left" if away > 0 else "right",
                        va="center", color=color, zorder=7, in_layout=False)  # fmt: skip
    return outside
