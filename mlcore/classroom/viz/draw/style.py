"""One look for every picture: a typeface, sizes, quiet frames, and the colours of a theme."""

import functools
import logging
import re
import threading
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib import cycler, font_manager, rc_context
from matplotlib.patches import Patch
from matplotlib.text import Text

from mlcore.classroom.viz.draw.roles import COLORS, INK, MARKERS, QUIET, color, drawn_in, light, marker, palette

__all__ = [
    "COLORS", "INK", "MARKERS", "QUIET", "color", "course_style", "families", "letters_of", "light", "make_readable",
    "marker", "palette", "plain", "readable", "screen", "styled", "true_signs",
]  # fmt: skip

screen = {"theme": "light", "narrow": False}
"""The theme and the pixel ratio of the page, as it reported them last; without a page those of a saved notebook."""

RC = {
    "axes.axisbelow": True,
    "axes.edgecolor": "hair",
    "axes.facecolor": "paper",
    "axes.grid": False,
    "axes.labelcolor": "ink",
    "axes.labelsize": 12,
    "axes.linewidth": 1.0,
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": "ink",
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": 600,
    "figure.dpi": 100,
    "figure.edgecolor": "paper",
    "figure.facecolor": "paper",
    "figure.titlesize": 13,
    "figure.titleweight": 600,
    "font.size": 12,
    "grid.color": "hair",
    "hatch.color": "edge" if hasattr(Patch, "set_hatchcolor") else "ink",  # before 3.11 it is that of the edge anyway
    "legend.borderpad": 0.3,
    "legend.edgecolor": "none",
    "legend.facecolor": "paper",
    "legend.fancybox": False,
    "legend.fontsize": 11,
    "legend.framealpha": 0.8,
    "legend.handlelength": 1.6,
    "legend.handletextpad": 0.6,
    "lines.linewidth": 2.0,
    "lines.solid_capstyle": "round",
    "mathtext.default": "regular",
    "patch.edgecolor": "ink",
    "savefig.dpi": 100,
    "savefig.facecolor": "paper",
    "text.color": "ink",
    "xtick.color": "hair",
    "xtick.labelcolor": "quiet",
    "xtick.labelsize": 11,
    "ytick.color": "hair",
    "ytick.labelcolor": "quiet",
    "ytick.labelsize": 11,
}


for _path in sorted(Path(__file__).with_name("fonts").glob("*.ttf")):
    font_manager.fontManager.addfont(_path)
LATIN = ("Source Sans Pro", "DejaVu Sans")  # ours; and matplotlib's, which has more signs
CHINESE = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN",
    "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC", "STHeiti", "SimHei", "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS",
)  # fmt: skip


def families():
    """Return the fonts to look for a character in, one after the other: ours, the user's own, and Chinese ones.

    Only fonts that are installed are named, since matplotlib complains about others with every text.
    """
    wanted = [*matplotlib.rcParams["font.family"], *matplotlib.rcParams["font.sans-serif"], *CHINESE]
    return list(_installed(tuple(wanted)))


# A Chinese font often has one weight only; that it is used for bold words too needs no line for each word.
logging.getLogger("matplotlib.font_manager").addFilter(lambda record: "find font weight" not in str(record.msg))


@functools.lru_cache
def _installed(wanted):
    there = set(font_manager.get_font_names())
    return tuple(dict.fromkeys([*LATIN, *(name for name in wanted if name in there)]))


@functools.lru_cache
def _glyphs(fonts):
    """The characters that some of the fonts have."""
    found = [font_manager.get_font(font_manager.findfont(name)).get_charmap() for name in fonts]
    return frozenset().union(*found)


def plain(text):
    """Return a name so that it is drawn as it is: a $ is no mathematics, and every character can be read."""
    return readable(str(text)).replace("$", r"\$")


_MINUS = re.compile(r"(?<![\w)\].])-(?=[\d.])")
_OF_ZERO = re.compile("\N{MINUS SIGN}(?=0(?:\\.0+)?(?![\\d.]))")


_POWER = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e([+-]\d\d+)\b")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def true_signs(text):
    """Return a text in which numbers are written as in print: −3, no sign before 0, 2·10⁻⁷, 5 %; ≤ as one sign."""
    text = _OF_ZERO.sub("", _MINUS.sub("\N{MINUS SIGN}", _POWER.sub(_written_out, text)))
    return re.sub(r"(?<=\d) ?%", "\N{NO-BREAK SPACE}%", text).replace("<=", "≤").replace(">=", "≥")


def _written_out(number):
    """2e-07 as 2·10⁻⁷; 1e-07 as 10⁻⁷, and 0e+00 as 0."""
    digits, power = float(number[1]), "10" + str(int(number[2])).translate(_RAISED)
    return power if digits == 1 else f"{number[1]}·{power}" if digits else "0"


def readable(text):
    """Return a text in which a character that no font has is replaced by its number, such as U+597D."""
    if text.isascii():
        return text
    known = _glyphs(tuple(families()))
    return "".join(c if ord(c) in known or c.isspace() else f"U+{ord(c):04X} " for c in text).rstrip()


def letters_of(figure):
    """Yield every text of a figure, without the labels of ticks: titles, names of axes, legends, and words inside."""
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes)]
    for part in [figure, *figure.axes]:
        yield from (child for child in part.get_children() if isinstance(child, Text))
    for ax in figure.axes:
        yield from (ax.xaxis.label, ax.yaxis.label)
    for legend in filter(None, legends):
        yield from (legend.get_title(), *legend.get_texts())


def make_readable(figure):
    """Replace the characters that no font has, wherever a figure shows a text."""
    for text in letters_of(figure):
        if not text.get_text().isascii():
            text.set_text(readable(text.get_text()))


_ONE_AT_A_TIME = threading.RLock()
_inside = threading.local()


@contextmanager
def course_style(theme=None):
    """Draw in the course's style inside this block, one thread at a time, whatever style the user has set.

    Matplotlib's settings are global, and JupyterLab moves sliders in a thread beside the one that runs cells.

    Parameters
    ----------
    theme : {"light", "dark"}, optional
        By default that of the block around this one, or else that of the page: see ``screen``.
    """
    if getattr(_inside, "block", False):
        with drawn_in(theme):
            yield
        return
    with _ONE_AT_A_TIME, rc_context(_changes()), drawn_in(theme or screen["theme"]):
        _inside.block = True
        try:
            yield
        finally:
            _inside.block = False


def _changes():
    """What has to be set to have the course's style: mostly few of matplotlib's three hundred settings."""
    now = matplotlib.rcParams
    wanted = {**_defaults(), **RC, "font.family": families()}
    return {key: value for key, value in wanted.items() if dict.__getitem__(now, key) != value}


@functools.cache
def _defaults():
    """Matplotlib's own settings, without those that are no matter of looks."""
    others = ("backend", "interactive", "toolbar", "timezone", "webagg", "tk", "date", "docstring", "keymap", "macosx",
              "figure.max_open_warning", "figure.raise_window", "savefig.directory", "_internal", "svg", "pdf", "ps",
              "pgf", "animation")  # fmt: skip
    kept = [key for key in matplotlib.rcParamsDefault if not key.startswith(others)]
    return {key: dict.__getitem__(matplotlib.rcParamsDefault, key) for key in kept}


def styled(cls):
    """A class of figures or axes all of whose methods draw in the course's style, wherever they are called."""
    def inside(method):
        @functools.wraps(method)
        def call(*args, **kwargs):
            with course_style():
                return method(*args, **kwargs)

        return call

    public = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_") and name != "cla"}
    return type(cls.__name__, (cls,), {name: inside(value) for name, value in public.items() if _is_method(value)})


def _is_method(value):
    return callable(value) and hasattr(value, "__code__") and hasattr(value, "__get__")
