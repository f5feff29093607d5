"""A figure that is kept and redrawn: how a picture follows a slider without flicker.

Most of the time of a small matplotlib picture goes into ticks and their labels, which rarely change while a slider
moves. So the frame (axes, ticks, labels) is drawn once into a bitmap and reused as long as it stays the same; only
what lies inside is drawn anew.
"""

import inspect
import io

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from mlcore.viz.style import RC

__all__ = ["Canvas"]


class Canvas:
    """A figure with a fixed layout, painted again and again by plain drawing functions.

    Parameters
    ----------
    draw : callable
        ``draw(ax, **values)``, ``draw(axes, **values)`` or ``draw(fig, **values)``; the name of its first parameter
        says what it wants: the one axes, the array of axes, or the bare figure.
    figsize : (width, height) in inches, at 100 pixels each.
    subplots : (rows, columns)
        For a function that takes ``axes``.
    ratios : sequence of float, optional
        Relative widths of the columns.
    """

    def __init__(self, draw, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None):
        self.draw = draw
        self.wants = _first_parameter(draw)
        self._shape, self._ratios = subplots, ratios
        with matplotlib.rc_context(RC):
            self.figure = Figure(figsize=figsize, layout="constrained")
            self._agg = FigureCanvasAgg(self.figure)
            if self.wants != "fig":
                self.axes = self.figure.subplots(*subplots, squeeze=False, width_ratios=ratios)
        self._frame_key = self._frame = None
        self._frozen = False

    def paint(self, **values):
        """Clear, call the drawing function, and return what it returned (a caption or None)."""
        with matplotlib.rc_context(RC):
            self._clear()
            caption = self.draw(self._target(), **values)
            self._render()
        return caption

    def jpeg(self):
        """Return the painted picture as a JPEG: quick to write, for a slider on the move."""
        return self._encode("JPEG", quality=93, subsampling=0)

    def png(self):
        """Return the painted picture as a PNG: exact, for keeping. The same picture gives the same bytes."""
        return self._encode("PNG", optimize=True)

    def pixels(self):
        """Return the painted picture as an array of shape (height, width, 3), uint8."""
        return np.asarray(self._agg.buffer_rgba())[..., :3]

    def _encode(self, kind, **options):
        buffer = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(self.pixels())).save(buffer, kind, **options)
        return buffer.getvalue()

    def _target(self):
        if self.wants == "fig":
            return self.figure
        return self.axes[0, 0] if self.wants == "ax" else _squeezed(self.axes)

    def _clear(self):
        if self.wants == "fig":
            self.figure.clear()
            return
        for ax in self.figure.axes:
            if ax in self.axes.flat:
                ax.clear()
            else:  # twins and colour bars that the last drawing added
                ax.remove()

    def _render(self):
        if not self._frozen and self.wants != "fig":
            # the layout is worked out once, for the first picture, so that later ones do not jump
            self._agg.draw()
            self.figure.set_layout_engine("none")
            self._frozen = True
        if all(type(ax) is Axes and not ax.child_axes for ax in self.figure.axes) and self.wants != "fig":
            self._render_over_frame()
        else:
            self._agg.draw()

    def _render_over_frame(self):
        """Put the cached frame back and draw only what lies inside it."""
        for ax in self.figure.axes:
            ax.apply_aspect()
        key = [_frame_of(ax) for ax in self.figure.axes]
        if key != self._frame_key:
            self._frame = self._draw_frame()
            self._frame_key = key
        self._agg.restore_region(self._frame)
        renderer = self._agg.get_renderer()
        for ax in sorted(self.figure.axes, key=lambda ax: ax.zorder):
            for artist in sorted(_content(ax), key=lambda artist: artist.zorder):
                artist.draw(renderer)
        for artist in (*self.figure.texts, *self.figure.legends, *self.figure.lines, *self.figure.patches):
            artist.draw(renderer)

    def _draw_frame(self):
        """Draw the figure with the content hidden and return the bitmap."""
        hidden = [artist for ax in self.figure.axes for artist in _content(ax) if artist.get_visible()]
        hidden += [artist for artist in (*self.figure.texts, *self.figure.legends) if artist.get_visible()]
        for artist in hidden:
            artist.set_visible(False)
        self._agg.draw()
        bitmap = self._agg.copy_from_bbox(self.figure.bbox)
        for artist in hidden:
            artist.set_visible(True)
        return bitmap


def _first_parameter(draw):
    names = list(inspect.signature(draw).parameters)
    if not names or names[0] not in ("ax", "axes", "fig"):
        raise ValueError(
            f"the drawing function's first parameter must be called ax, axes or fig, got {names[0] if names else 'none'!r}"
        )
    return names[0]


def _squeezed(axes):
    return axes.ravel() if 1 in axes.shape else axes


def _content(ax):
    """Everything inside an axes that is not part of its frame."""
    if not ax.axison:
        return [child for child in ax.get_children() if child is not ax.patch and child not in (ax.xaxis, ax.yaxis)
                and child not in ax.spines.values()]
    frame = {ax.patch, ax.xaxis, ax.yaxis}
    return [child for child in ax.get_children() if child not in frame]


def _frame_of(ax):
    """Describe all that shows in the frame of an axes; equal descriptions look the same."""
    sides = [
        (
            axis.get_scale(), tuple(axis.get_view_interval()), axis.get_visible(), axis.label.get_text(),
            axis.label.get_fontsize(), axis.label.get_color(), axis.label.get_rotation(),
            repr(axis.get_tick_params("major")), repr(axis.get_tick_params("minor")), axis.get_label_position(),
            tuple(ticks := axis.get_majorticklocs()), tuple(axis.get_major_formatter().format_ticks(ticks)),
            axis.get_major_formatter().get_offset(), tuple(axis.get_minorticklocs()),
        )
        for axis in (ax.xaxis, ax.yaxis)
    ]
    return (tuple(ax.get_position().bounds), ax.axison, ax.get_visible(), ax.get_facecolor(), ax.patch.get_visible(), sides)
