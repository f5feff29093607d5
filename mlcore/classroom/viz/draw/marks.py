"""Marks: what moves from one picture to the next is drawn by the page itself, which lets it glide.

A drawing function names an artist with ``glide(artist, "centre 1")``. In a saved picture it is drawn like any other; in
a live one the page gets its outline, and moves it from where it was.
"""

from contextlib import contextmanager

import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Affine2D

__all__ = ["glide", "gliding", "marks_of", "without_marks"]

GLIDES = "glide "
_LINE = 1.2
"""From one line of a text to the next, in font sizes."""
LETTERS = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}


def glide(artist, key):
    """Let the page draw and move an artist: a line, a patch, a scatter, a text. Returns the artist.

    Parameters
    ----------
    artist : matplotlib Artist, or a list with one (as ``ax.plot`` returns it)
    key : str
        The same from picture to picture, and of this artist alone.
    """
    if isinstance(artist, list):
        (artist,) = artist
    if not isinstance(artist, Line2D | Patch | Collection | Text):
        raise ValueError(f"lines, patches, scatters and texts can glide, got {type(artist).__name__}")
    artist.set_gid(GLIDES + key)
    return artist


def gliding(figure):
    """The artists of a figure that glide, those in front last."""
    artists = (artist for ax in figure.axes for artist in ax.get_children() if artist.get_visible())
    found = [artist for artist in artists if (artist.get_gid() or "").startswith(GLIDES)]
    return sorted(found, key=lambda artist: artist.get_zorder())


@contextmanager
def without_marks(figure):
    """Draw a figure, inside this block, as the page needs it: what glides is left out."""
    hidden = gliding(figure)
    for artist in hidden:
        artist.set_visible(False)
    try:
        yield
    finally:
        for artist in hidden:
            artist.set_visible(True)


def marks_of(figure):
    """What the page draws of a figure: for each artist that glides its key and its shapes, in pixels from the top."""
    height = figure.bbox.height
    scale = 100 / figure.dpi
    marks = []
    for artist in gliding(figure):
        shapes = _shapes(artist, lambda xy: np.column_stack([xy[:, 0], height - xy[:, 1]]) * scale)
        edges = artist.get_clip_path() or artist.get_clip_box()  # an annotation has none
        box = artist.axes.bbox.extents if artist.get_clip_on() and edges and artist.axes else None
        clip = None if box is None else [box[0], height - box[3], box[2] - box[0], box[3] - box[1]]
        clip = clip and [round(float(number) * scale, 1) for number in clip]
        marks.append({"key": artist.get_gid().removeprefix(GLIDES), "clip": clip, "shapes": shapes})
    return marks


def _shapes(artist, place):
    if isinstance(artist, Line2D):
        return _of_line(artist, place)
    if isinstance(artist, Patch):
        path = artist.get_path().transformed(artist.get_transform())
        look = _look(artist.get_facecolor(), artist.get_edgecolor(), artist.get_linewidth(), artist.get_linestyle())
        return [{**_outline(path, place), **look}]
    if isinstance(artist, Text):
        return _of_text(artist, place)
    return _of_collection(artist, place)


def _of_line(line, place):
    path, alpha = line.get_path().transformed(line.get_transform()), line.get_alpha()
    shapes = []
    if line.get_linestyle() not in ("None", "none", " ", "") and len(path.vertices) > 1:
        look = _look(None, line.get_color(), line.get_linewidth(), line.get_linestyle(), alpha)
        shapes.append({**_outline(path, place), **look})
    if line.get_marker() not in ("None", "none", None, " ", ""):
        size = line.get_markersize() * line.figure.dpi / 72
        style = MarkerStyle(line.get_marker())
        form = style.get_path().transformed(style.get_transform().scale(size))
        look = _look(line.get_markerfacecolor(), line.get_markeredgecolor(), line.get_markeredgewidth(), "-", alpha)
        points = path.vertices[np.isfinite(path.vertices).all(axis=1)]
        if line.get_marker() == "o" and look["stroke"] == "none":
            return [*shapes, _of_dots(place(points), line.get_markersize(), look["fill"])]
        for x, y in points:
            shapes.append({**_outline(form.transformed(Affine2D().translate(x, y)), place), **look})
    return shapes


def _of_dots(points, size, color):
    """Round dots without an edge, hundreds perhaps, are one shape: strokes of no length with round ends."""
    width = round(float(size) * 100 / 72, 2)
    numbers = np.round(np.repeat(points, 2, axis=0).ravel(), 1).tolist()
    return {"d": "ML" * len(points), "p": numbers, "fill": "none", "stroke": color, "width": width, "dash": ""}


def _of_collection(collection, place):
    if hasattr(collection, "set_sizes"):  # they are of the last drawing, which may have been a finer one, or none
        collection.set_sizes(collection.get_sizes(), collection.figure.dpi)
    paths, offsets = collection.get_paths(), collection.get_offset_transform().transform(collection.get_offsets())
    scales, transform = collection.get_transforms(), collection.get_transform()
    moves = len(offsets) > 1 or len(paths) == 1 and len(scales) > 0
    faces, edges, widths = collection.get_facecolors(), collection.get_edgecolors(), collection.get_linewidths()
    shapes = []
    for i in range(len(offsets) if moves else len(paths)):
        path = paths[i % len(paths)]
        if len(scales):
            path = path.transformed(Affine2D(scales[i % len(scales)]))
        path = path.transformed(Affine2D().translate(*offsets[i])) if moves else path.transformed(transform)
        face, edge = (colors[i % len(colors)] if len(colors) else None for colors in (faces, edges))
        shapes.append({**_outline(path, place), **_look(face, edge, widths[i % len(widths)], "-")})
    return shapes


def _of_text(text, place):
    xy = text.get_transform().transform((text.get_position(),))
    if isinstance(text, Annotation):
        text.update_positions(text.figure.canvas.get_renderer())
        xy = np.array([text.get_transform().transform(text.get_unitless_position())])
    x, y = place(xy)[0]
    if not np.isfinite([x, y]).all():
        return []
    anchor = {"left": "start", "center": "middle", "right": "end"}[text.get_ha()]
    base = {"top": "hanging", "center": "central", "bottom": "text-after-edge"}.get(text.get_va(), "alphabetic")
    size = text.get_fontsize() * 100 / 72
    lines, step = text.get_text().split("\n"), _LINE * size
    above = {"central": (len(lines) - 1) / 2, "text-after-edge": len(lines) - 1}.get(base, 0)
    look = {
        "fill": to_hex(text.get_color()), "size": round(size, 1), "anchor": anchor, "base": base,
        "bold": text.get_weight() in ("bold", "semibold", 600, 700),
        "halo": to_hex("paper") if text.get_path_effects() else "none",
    }  # fmt: skip
    return [{"text": line, "p": _rounded([x, y + (i - above) * step]), **look} for i, line in enumerate(lines)]


def _outline(path, place):
    """The letters of an SVG path, and all its numbers in one list: they can be mixed with those of another picture."""
    letters, numbers = [], []
    for points, code in path.iter_segments(curves=True, simplify=False, remove_nans=True):
        letters.append(LETTERS[int(code)])
        if code != 79:
            numbers.extend(place(points.reshape(-1, 2)).ravel())
    return {"d": "".join(letters), "p": _rounded(numbers)}


def _rounded(numbers):
    return [round(float(number), 1) for number in numbers]


def _look(face, edge, width, style, alpha=None):
    """Colours as the page writes them, the width of the line in pixels, and its dashes."""
    dashes = {"--": "6 4", "dashed": "6 4", ":": "2 3", "dotted": "2 3", "-.": "7 3 2 3", "dashdot": "7 3 2 3"}
    return {
        "fill": _css(face, alpha), "stroke": _css(edge, alpha) if width else "none",
        "width": round(float(width) * 100 / 72, 2), "dash": dashes.get(style, "") if isinstance(style, str) else "",
    }  # fmt: skip


def _css(color, alpha):
    if color is None or isinstance(color, str) and color.lower() == "none" or len(color) == 0:
        return "none"
    rgba = to_rgba(color, alpha)
    return "none" if rgba[3] == 0 else to_hex(rgba, keep_alpha=True)
