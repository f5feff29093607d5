"""One look for every picture: colours that colour-blind readers can tell apart, and a marker to go with each."""

import functools
import logging
import threading
from contextlib import contextmanager

import matplotlib
import numpy as np
from matplotlib import cycler, font_manager, rc_context
from matplotlib.colors import to_rgb
from matplotlib.text import Text

# Okabe and Ito's palette (2008), in an order whose first entries also differ in lightness
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK = "#222222"
QUIET = "#8a8a8a"

RC = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": False,
    "axes.labelsize": 10,
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "font.size": 10,
    "legend.fontsize": 9,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.8,
    "savefig.dpi": 100,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


LATIN = "DejaVu Sans"  # comes with matplotlib
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
    return tuple(dict.fromkeys([LATIN, *(name for name in wanted if name in there)]))


@functools.lru_cache
def _glyphs(fonts):
    """The characters that some of the fonts have."""
    found = [font_manager.get_font(font_manager.findfont(name)).get_charmap() for name in fonts]
    return frozenset().union(*found)


def plain(text):
    """Return a name so that it is drawn as it is: a $ is no mathematics, and every character can be read."""
    return readable(str(text)).replace("$", r"\$")


def readable(text):
    """Return a text in which a character that no font has is replaced by its number, such as U+597D."""
    if text.isascii():
        return text
    known = _glyphs(tuple(families()))
    return "".join(c if ord(c) in known or c.isspace() else f"U+{ord(c):04X} " for c in text).rstrip()


def make_readable(figure):
    """Replace the characters that no font has, wherever a figure shows a text."""
    for part in [figure, *figure.axes]:
        legend = part.get_legend() if part is not figure else None
        children = part.get_children() + ([] if part is figure else [part.xaxis.label, part.yaxis.label])
        for text in children + ([] if legend is None else legend.get_texts()):
            if isinstance(text, Text) and not text.get_text().isascii():
                text.set_text(readable(text.get_text()))


_ONE_AT_A_TIME = threading.RLock()
_inside = threading.local()


@contextmanager
def course_style():
    """Draw in the course's style inside this block, one thread at a time, whatever style the user has set.

    Matplotlib's settings are global, and JupyterLab moves sliders in a thread beside the one that runs cells.
    """
    if getattr(_inside, "block", False):
        yield
        return
    with _ONE_AT_A_TIME, rc_context(_changes()):
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


def color(k):
    """Return the colour of class or series number ``k``."""
    return COLORS[k % len(COLORS)]


def marker(k):
    """Return the marker of class or series number ``k``."""
    return MARKERS[k % len(MARKERS)]


def light(k, amount=0.72):
    """Return the colour of class ``k`` mixed with white: 0 is the colour itself, 1 is white."""
    rgb = np.array(to_rgb(color(k)))
    return tuple(rgb + (1 - rgb) * amount)
