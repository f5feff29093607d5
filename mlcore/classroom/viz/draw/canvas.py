"""A picture that is painted again and again: how it follows a slider without flicker.

Every picture is drawn on a figure of its own, so nothing of the last one can be left over. Two things are kept. The
layout is worked out once and applied to every later picture, so that the axes do not jump. And since most of the time
of a small matplotlib picture goes into ticks and their labels, which rarely change while a slider moves, the frame
(background, ticks, labels) is kept as a bitmap for as long as it would look the same; only what lies inside is drawn.
A figure that is thrown away is a tangle of thousands of objects, which Python's collector must sort out: it may do so
between two pictures, not during one.
"""

import copy
import gc
import inspect
import itertools
from contextlib import contextmanager

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from mlcore.classroom.viz.draw import pixels
from mlcore.classroom.viz.draw.finishing import finish
from mlcore.classroom.viz.draw.marks import without_marks
from mlcore.classroom.viz.draw.style import course_style

__all__ = ["DPI", "KEPT", "NARROW", "Canvas", "rgba_of"]

DPI = 100
"""Pixels an inch, where a screen has one dot a pixel."""
KEPT = 2.0
"""Dots a pixel of the pictures that notebooks keep."""
EDGE = 3
"""Pixels between the edge of a picture and the letters in it."""
NARROW = 3.5
"""The width of a narrow window, in inches of 100 pixels: a phone's, less the card's edges."""
WIDEST = 4.5
"""Of a picture there: what is wider is drawn less wide, not only shown smaller."""
QUICK, SHARP = 93, 92
"""Quality of a JPEG; a sharp one has smaller faults, since its pixels are smaller."""


class Canvas:
    """A place of fixed size and layout, painted by plain drawing functions.

    Parameters
    ----------
    draw : callable
        ``draw(ax, **values)``, ``draw(axes, **values)`` or ``draw(fig, **values)``; the name of its first parameter
        says what it wants: the one axes, the array of axes, or the bare figure.
    figsize : (width, height) in inches, at 100 pixels each.
    subplots : (rows, columns), or list of (left, bottom, width, height)
        For a function that takes ``axes``; places are in parts of the figure.
    ratios : sequence of float, optional
        Relative widths of the columns.
    prepare : callable, optional
        ``prepare(figure)`` is called on each empty figure before it is drawn on.

    Attributes
    ----------
    figure : matplotlib Figure
        The last picture.
    axes : array of Axes of shape (rows, columns)
    figsize : (float, float)
        In inches, but for a narrow window.
    theme : {"light", "dark"}
        In which the next picture is drawn.
    narrow : bool
        Whether the next picture is drawn for a narrow window: panels stand one below the other.
    shown : float
        How large the picture is shown, as a part of 100 pixels an inch: letters are made no smaller than is readable.
    """

    def __init__(self, draw, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None, prepare=None):
        self.draw, self.prepare = draw, prepare
        self.wants = _first_parameter(draw)
        self.figsize, self._shape, self._ratios = figsize, subplots, ratios
        self.theme, self.narrow, self.shown = "light", False, 1.0
        self._layouts, self._values = {}, {}
        self._frame_look = self._frame = self._next = None
        with course_style(self.theme):
            self._take_figure()

    def paint(self, **values):
        """Call the drawing function on an empty figure, and return what it returned (a caption or None)."""
        self._values = values
        with course_style(self.theme), _no_collection():
            caption = self._draw(values)
            if self._structure() not in self._layouts:
                self._find_layout()
                caption = self._draw(values)  # again, with the axes in their places from the start
            self._keep_layout()
            with without_marks(self.figure):
                if _has_frame(self.figure):
                    self._draw_over_frame()
                else:
                    self._agg.draw()
        return caption

    def get_ready(self):
        """Make the figure for the next picture now, while nobody waits for it; the last one stays."""
        with course_style(self.theme):
            self._next = self._next or self._new_figure()

    def picture(self, ratio=1.0):
        """Return the painted picture for a screen with so many dots a pixel, without drawing it again.

        What glides is left to the page: see ``marks.py``.

        Returns
        -------
        (bytes, str)
            And their MIME type.
        """
        if ratio == 1:
            return self.jpeg(), "image/jpeg"
        with without_marks(self.figure):
            return pixels.jpeg(self.rgba(ratio), SHARP), "image/jpeg"

    def jpeg(self):
        """Return the painted picture as a JPEG: quick to write, for a slider on the move."""
        return pixels.jpeg(np.asarray(self._agg.buffer_rgba()), QUICK)

    def png(self):
        """Return the painted picture as a PNG for keeping: sharp, in the light theme, of few colours."""
        if self.theme != "light" or self.narrow:
            light = copy.copy(self)
            light.theme, light.narrow, light._next, light._frame_look = "light", False, None, None
            light.paint(**self._values)
            return light.png()
        return pixels.png(self.rgba(KEPT)[..., :3])

    def pixels(self):
        """Return the painted picture as an array of shape (height, width, 3), uint8."""
        return np.asarray(self._agg.buffer_rgba())[..., :3]

    def rgba(self, ratio):
        """Return the painted picture at so many dots a pixel, in the same layout: see ``rgba_of``."""
        with course_style(self.theme), _no_collection():
            return rgba_of(self.figure, ratio)

    def links(self):
        """Return what leads somewhere in the painted picture: each patch with a URL, invisible ones too.

        As lists of the URL, the patch's label, and its left and top edge, width and height, in parts of the picture.
        """
        found = []
        for patch in (patch for ax in self.figure.axes for patch in ax.patches if patch.get_url()):
            (left, bottom), (right, top) = patch.get_window_extent().get_points() / self.figure.bbox.size
            edges = left, 1 - top, right - left, top - bottom
            found.append([patch.get_url(), patch.get_label(), *(round(float(edge), 4) for edge in edges)])
        return found

    def _draw(self, values):
        self._take_figure()
        shown = NARROW / self.figure.get_figwidth() if self.narrow else self.shown
        self.figure.shown, self.figure.narrow = shown, self.narrow  # drawing functions may ask
        if self.prepare:
            self.prepare(self.figure)
        caption = self.draw(self._target(), **values)
        finish(self.figure, shown, self.narrow)
        return caption

    # -- the figure ------------------------------------------------------------------------------------------
    def _take_figure(self):
        """Go on to an empty figure: the one that is ready, if it is for the theme and the window as they are."""
        ready, self._next = self._next, None
        if not ready or ready[0] != (self.theme, self.narrow):
            ready = self._new_figure()
        _, self.figure, self._agg, self.axes = ready
        self._place(self._structure())  # so that the drawing function may measure the axes

    def _new_figure(self):
        placed = isinstance(self._shape, list)
        figsize, stacked = self._stacked() if self.narrow else (self.figsize, self._shape)
        figure = Figure(figsize=figsize, layout="none" if placed else "constrained")
        agg, axes = FigureCanvasAgg(figure), np.empty((0, 0), dtype=object)
        if placed:
            axes = np.array([[figure.add_axes(place) for place in stacked]], dtype=object)
        elif stacked and self.narrow:
            axes = figure.subplots(*stacked, squeeze=False).reshape(self._shape)
        elif self.wants != "fig":
            axes = figure.subplots(*self._shape, squeeze=False, width_ratios=self._ratios)
        return (self.theme, self.narrow), figure, agg, axes

    def _stacked(self):
        """The size of a picture whose panels stand one below the other, and the shape; None where it is one panel.

        Of panels at given places the places are returned.
        """
        width, height = self.figsize
        if isinstance(self._shape, list):
            return stacked_places(self._shape, self.figsize)
        if self.wants == "fig":
            return self.figsize, None
        if self._shape[1] == 1:
            return (min(width, WIDEST), height), None
        rows, columns = self._shape
        widest = max(self._ratios or [1]) / sum(self._ratios or [1] * columns)
        return (max(width * widest, NARROW), height * columns), (rows * columns, 1)

    def _target(self):
        if self.wants == "fig":
            return self.figure
        return self.axes[0, 0] if self.wants == "ax" else _squeezed(self.axes)

    # -- the layout ------------------------------------------------------------------------------------------
    def _find_layout(self):
        """Let matplotlib find the places of the axes, and keep them for every picture with the same axes."""
        for ax in self.axes.flat:
            ax.set_in_layout(True)
        self._agg.draw()
        self._layouts[self._structure()] = [self._within(ax) for ax in self.figure.axes]

    def _within(self, ax):
        """The place of an axes; where it has a fixed aspect, matplotlib may let its names stick out of the figure.

        So they may where panels at given places are stacked: what stood between two of them is at the edge now.
        """
        place, box = ax.get_position(original=True), ax.get_tightbbox(self._agg.get_renderer())
        if self.narrow and isinstance(self._shape, list) and box is not None:
            (left, bottom), (right, top) = box.get_points() / self.figure.bbox.size
            edge = EDGE / self.figure.bbox.width
            return Bbox.from_extents(
                place.x0 + max(edge - left, 0), place.y0 + max(-bottom, 0),
                place.x1 - max(right - 1 + edge, 0), place.y1 - max(top - 1, 0),
            ) if min(left, bottom, 1 - right, 1 - top) < 0 else place  # fmt: skip
        if ax.get_aspect() == "auto" or box is None or not self.figure.get_layout_engine():
            return place
        height = self.figure.bbox.height
        below, above = max(EDGE - box.y0, 0) / height, max(box.y1 - height + EDGE, 0) / height
        shown = ax.get_position()
        return Bbox.from_extents(place.x0, shown.y0 + below, place.x1, shown.y1 - above) if below or above else place

    def _keep_layout(self):
        self.figure.set_layout_engine("none")
        self._place(self._structure())

    def _structure(self):
        """Say which axes the figure has: equal structures can have the same layout."""
        specs = [ax.get_subplotspec() for ax in self.figure.axes]
        return self.narrow, *(None if spec is None else spec.get_geometry() for spec in specs)

    def _place(self, structure):
        for ax, place in zip(self.figure.axes, self._layouts.get(structure, ())):
            ax.set_position(place)

    # -- the frame -------------------------------------------------------------------------------------------
    def _draw_over_frame(self):
        """Put the kept frame on the canvas and draw what lies inside it, in the order of a full drawing."""
        for ax in self.figure.axes:
            ax.apply_aspect()
        look = _look_of_frame(self.figure)
        if look != self._frame_look:
            self._frame, self._frame_look = self._draw_frame(), look
        self._agg.restore_region(self._frame)
        renderer = self._agg.get_renderer()
        for artist in _contents(self.figure):
            artist.draw(renderer)

    def _draw_frame(self):
        """Draw the figure with the contents hidden and return the bitmap."""
        hidden = [artist for artist in _contents(self.figure) if artist.get_visible()]
        places = [(artist, artist.get_position()) for artist in hidden if isinstance(artist, Text)]
        for artist in hidden:
            artist.set_visible(False)
        self._agg.draw()
        for artist in hidden:
            artist.set_visible(True)
        for text, place in places:  # matplotlib moves a title that it does not see
            text.set_position(place)
        return self._agg.copy_from_bbox(self.figure.bbox)


def stacked_places(places, figsize):
    """Columns of panels at given places stand one below the other, all as wide as the widest; what is in them stays.

    A column is what the upright line at the right edge of the panels before it parts from them, with all the room
    around its panels. One that is widened keeps its proportions.

    Returns
    -------
    ((width, height), list of places)
        The size of the picture, in inches, and where the panels lie in it, in the order in which they were given.
    """
    columns, right = [], -np.inf
    for k in sorted(range(len(places)), key=lambda k: places[k][0]):
        if places[k][0] >= right - 1e-9:
            columns.append([])
        columns[-1].append(k)
        right = max(right, places[k][0] + places[k][2])
    edges = [0.0, *(max(places[k][0] + places[k][2] for k in column) for column in columns[:-1]), 1.0]
    widths, heights = np.diff(edges), max(np.diff(edges)) / np.diff(edges)  # in parts of the picture as it was
    bottoms, found = heights.sum() - np.cumsum(heights), [None] * len(places)
    for column, edge, width, height, bottom in zip(columns, edges, widths, heights, bottoms):
        for k in column:
            left, low, wide, high = places[k]
            across = (left - edge) / width, wide / width
            up = (bottom + low * height) / heights.sum(), high * height / heights.sum()
            found[k] = across[0], up[0], across[1], up[1]
    return (figsize[0] * max(widths), figsize[1] * heights.sum()), found


def rgba_of(figure, ratio):
    """Draw a figure at so many dots a pixel; return an array of shape (height, width, 4). It stays as it was."""
    before = figure.get_dpi()
    figure.set_dpi(DPI * ratio)
    try:
        width, height = (int(round(side)) for side in figure.bbox.size)
        renderer = RendererAgg(width, height, figure.get_dpi())
        figure.draw(renderer)
    finally:
        figure.set_dpi(before)
    return np.asarray(renderer.buffer_rgba())


@contextmanager
def _no_collection():
    """Keep Python's collector from running inside this block."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _first_parameter(draw):
    name = next(iter(inspect.signature(draw).parameters), "none")
    if name not in ("ax", "axes", "fig"):
        raise ValueError(f"the drawing function's first parameter must be called ax, axes or fig, got {name!r}")
    return name


def _squeezed(axes):
    return axes.ravel() if 1 in axes.shape else axes


# ---------------------------------------------------------------------------------------------------------------
# What belongs to the frame, and when there is one
# ---------------------------------------------------------------------------------------------------------------
def _by_height(artists):
    return sorted(artists, key=lambda artist: artist.get_zorder())


def _inside(ax):
    """Return what an axes draws besides its background and its two axis lines with their ticks and labels."""
    out = {ax.patch, ax.xaxis, ax.yaxis}
    if not (ax.axison and ax.get_frame_on()):
        out.update(ax.spines.values())
    return [child for child in ax.get_children() if child not in out]


def _on_top(figure):
    """Return what a figure draws besides its background and its axes: titles, legends, lines."""
    return [child for child in figure.get_children() if child is not figure.patch and not isinstance(child, Axes)]


def _contents(figure):
    """Return everything outside the frame, in the order in which it is drawn."""
    inside = [artist for ax in _by_height(figure.axes) if ax.get_visible() for artist in _by_height(_inside(ax))]
    return inside + _by_height(_on_top(figure))


def _has_frame(figure):
    """Can the frames be drawn before everything else, with the same result? Not where axes lie over each other."""
    return (
        all(_is_plain(ax) for ax in figure.axes)
        and all(artist.get_zorder() > ax.get_zorder() for artist in _on_top(figure) for ax in figure.axes)
        and not any(a.get_position().overlaps(b.get_position()) for a, b in itertools.combinations(figure.axes, 2))
        and not figure.subfigs
    )


def _is_plain(ax):
    """No insets, no grid lines above what is inside, no title that has to make room for ticks."""
    if type(ax) is not Axes or ax.child_axes:
        return False
    x, y = ax.xaxis.get_tick_params(), ax.yaxis.get_tick_params()
    titled = any(ax.get_title(side) for side in ("left", "center", "right"))
    on_top = x.get("labeltop") or x.get("labelright")  # matplotlib before 3.10 calls the top of an x axis its right
    if titled and (on_top or ax.xaxis.get_label_position() == "top"):
        return False
    gridded = x.get("gridOn") or y.get("gridOn")
    lowest = min(artist.get_zorder() for artist in _inside(ax))
    return not gridded or lowest >= max(ax.xaxis.get_zorder(), ax.yaxis.get_zorder())


def _look_of_frame(figure):
    """Describe all that shows in the frames; equal descriptions look the same."""
    return figure.bbox.bounds, figure.get_facecolor(), [_look_of_axes(ax) for ax in figure.axes]


def _look_of_axes(ax):
    patch = ax.patch
    background = patch.get_facecolor(), patch.get_edgecolor(), patch.get_hatch(), patch.get_visible()
    shown = ax.get_position().bounds, ax.axison, ax.get_frame_on(), ax.get_visible(), ax.get_zorder()
    return background, shown, _look_of_axis(ax.xaxis), _look_of_axis(ax.yaxis)


def _look_of_axis(axis):
    places, formatter = axis.get_majorticklocs(), axis.get_major_formatter()
    small = axis.get_minorticklocs()
    return (
        axis.get_scale(), tuple(axis.get_view_interval()), axis.get_visible(), axis.get_zorder(),
        tuple(places), tuple(formatter.format_ticks(places)), formatter.get_offset(),
        tuple(small), tuple(axis.get_minor_formatter().format_ticks(small)),
        axis.get_label_text(), axis.get_label_position(), axis.labelpad, _look_of_text(axis.label),
        axis.label.get_position(), _look_of_ticks(axis, "major"), _look_of_ticks(axis, "minor"),
    )


def _look_of_ticks(axis, which):
    """Describe how ticks look: what goes for all of them, and what was set on single ones that exist already."""
    single = [
        (_look_of_text(tick.label1), _look_of_text(tick.label2), tick.get_visible(), tick.gridline.get_visible())
        for tick in vars(axis).get(f"{which}Ticks", ())
    ]
    return repr(axis.get_tick_params(which)), single


def _look_of_text(text):
    return (
        text.get_color(), text.get_fontproperties(), text.get_rotation(), text.get_alpha(), text.get_visible(),
        text.get_ha(), text.get_va(),
    )
