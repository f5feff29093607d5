"""Legends above a panel, in a narrow window: in as many columns as it has room for, and above the name of the axis."""

import math

import numpy as np
from matplotlib.offsetbox import HPacker, VPacker
from matplotlib.transforms import ScaledTranslation

from mlcore.classroom.viz.draw.lettering import text_width

__all__ = ["fit_legend"]

_LOWER = ("lower left", "lower right", "lower center")
_GAP = 14
"""At least so much lies between the name of an axis and a legend beside it, in points."""

_SPANS = 0.85
"""Of the width: a legend inside that takes more goes above."""


def fit_legend(ax, room, name=None):
    """Let a legend above an axes, or beside it, stand above it in columns that fit; return the height it needs.

    So does one inside whose columns take nearly the whole width, and would lie on the data.

    Parameters
    ----------
    room : float
        The width it may take, in points.
    name : matplotlib Text, optional
        What stands at the left above the axes: the legend stands beside it, or above where it has no room there.

    Returns
    -------
    float
        In points, of all that stands above the name; 0 where there is no such legend, or it has room beside the name.
    """
    legend = ax.get_legend()
    if legend is None or not legend.get_visible():
        return 0.0
    items = [item for column in legend._legend_handle_box.get_children() for item in column.get_children()]
    columns = len(legend._legend_handle_box.get_children())
    widths = _widths(legend)
    spans = columns > 1 and _width(legend, widths, columns) > _SPANS * room
    if not spans and not _is_outside(ax, legend):
        return 0.0
    beside = 0.0 if name is None else text_width(name.get_text()) * name.get_fontsize() + _GAP
    lift = 0.0
    if columns < len(items) or beside + _width(legend, widths, columns) > room:
        fitting = [n for n in range(len(items), 0, -1) if _width(legend, widths, n) <= room]
        rows = math.ceil(len(items) / (fitting[0] if fitting else 1))
        columns = math.ceil(len(items) / rows)  # no more than so many rows need: they are equally long
        _arrange(legend, items, columns)
        lift = 0.0 if name is None else 0.9 * name.get_fontsize()
    legend.set_loc("lower right")
    legend.set_bbox_to_anchor((1, 1), ax.transAxes + ScaledTranslation(0, lift / 72, ax.figure.dpi_scale_trans))
    return _height(legend, math.ceil(len(items) / columns)) if lift or name is None else 0.0


def _is_outside(ax, legend):
    """Whether a legend was put above the axes, or at their right."""
    left, bottom = ax.transAxes.inverted().transform(legend.get_bbox_to_anchor().get_points()[0])
    lower = legend._loc in [legend.codes[name] for name in _LOWER]
    return bool(lower and bottom > 0.98 or left > 0.99 and legend._loc == legend.codes["upper left"])


def _widths(legend):
    """Of each entry, with its sign."""
    sign = (legend.handlelength + legend.handletextpad) * legend._fontsize
    return [sign + text_width(text.get_text()) * text.get_fontsize() for text in legend.get_texts()]


def _width(legend, widths, columns):
    inside = sum(max(part) for part in _parts(widths, columns))
    return inside + legend._fontsize * (2 * legend.borderpad + (columns - 1) * legend.columnspacing)


def _height(legend, rows):
    letters = max(text.get_fontsize() for text in legend.get_texts())
    between = legend.labelspacing * legend._fontsize
    outside = (2 * legend.borderpad + legend.borderaxespad) * legend._fontsize
    return rows * 1.2 * letters + (rows - 1) * between + outside


def _parts(things, columns):
    """As matplotlib parts the entries: columns that are one entry longer come first."""
    return [[things[i] for i in part] for part in np.array_split(np.arange(len(things)), columns) if len(part)]


def _arrange(legend, items, columns):
    """Put the entries, which are made already, into so many columns."""
    packed = [
        VPacker(pad=0, sep=legend.labelspacing * legend._fontsize, align="baseline", children=part)
        for part in _parts(items, columns)
    ]
    box = legend._legend_handle_box
    box._children = HPacker(pad=0, sep=box.sep, align="baseline", children=packed).get_children()
    box.set_figure(legend.figure)
