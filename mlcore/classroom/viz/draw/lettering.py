"""Writing many short words at once.

A matplotlib ``Text`` takes about a millisecond. A diagram with fifty of them would be too slow for a slider, so the
outlines of all words are put together and drawn as one path; the outline of each word is kept for the next picture.
"""

from functools import lru_cache

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from mlcore.classroom.viz.draw.style import INK, families, plain, true_signs

__all__ = ["put", "text_width", "word_box", "word_path", "write_words"]

MIDDLE = 0.32
"""Of a line of letters above its base, in font sizes."""


@lru_cache(maxsize=4096)
def _outline(text, bold=False):
    """Outline of a text set at size 1 from (0, 0): vertices and codes."""
    if not text.strip():
        return np.empty((0, 2)), np.empty(0, dtype=np.uint8)
    font = FontProperties(family=families(), weight="bold" if bold else "normal")
    path = TextPath((0, 0), plain(true_signs(text)), size=100, prop=font, usetex=False)
    return path.vertices / 100, path.codes


def text_width(text, bold=False):
    """Width of a text in font sizes."""
    return float(_outline(text, bold)[0][:, 0].max(initial=0.0))


def word_path(text, left, y, size):
    """Outline of a text that begins at ``left``, with its middle at the height y."""
    outline, code = _outline(text)
    return Path(outline * size + (left, y - MIDDLE * size), code)


def word_box(text, left, y, size, bold=False):
    """Left, bottom, right and top of a word that begins at ``left``, with its middle at the height y."""
    return left, y - MIDDLE * size, left + text_width(text, bold) * size, y + MIDDLE * size


def write_words(ax, words, *, color=INK, unit=1.0):
    """Write all (text, bold, x, y, size) in one go; (x, y) is the centre.

    The axes need one unit for both directions, which counts upwards; sizes are in that unit.

    Parameters
    ----------
    unit : float
        How many points it has.
    """
    vertices, codes = [np.empty((0, 2))], [np.empty(0, dtype=np.uint8)]
    for text, bold, x, y, size in words:
        outline, code = _outline(text, bold)
        vertices.append(outline * size + (x - text_width(text, bold) * size / 2, y - MIDDLE * size))
        codes.append(code)
    path = Path(np.concatenate(vertices), np.concatenate(codes))
    letters = PathPatch(path, facecolor=color, edgecolor="none", linewidth=0, zorder=4)
    letters.letters = unit * min((size for text, _, _, _, size in words if text.strip()), default=np.inf)
    letters.words = [(text, word_box(text, x - text_width(text, bold) * size / 2, y, size, bold), size)
                     for text, bold, x, y, size in words if text.strip()]  # fmt: skip
    put(ax, letters)


def put(ax, artist):
    """Add an artist without a search for its extremes: neither clipped nor part of the layout."""
    artist.set_clip_on(False)
    artist.set_in_layout(False)
    ax.add_artist(artist)


def checked_alt(alt):
    """Return the description of a picture; raise ValueError if it says nothing."""
    if not isinstance(alt, str) or len(alt.split()) < 4:
        raise ValueError(f"alt must say in a few words what is to be seen, got {alt!r}")
    return alt
