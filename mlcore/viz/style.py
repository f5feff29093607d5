"""One look for every picture: colours that colour-blind readers can tell apart, and a marker to go with each."""

import threading
from contextlib import contextmanager

import numpy as np
from matplotlib import cycler, rc_context
from matplotlib.colors import to_rgb

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
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "legend.fontsize": 9,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.8,
    "savefig.dpi": 100,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def course_style():
    """Draw in the course's style inside this block, one thread at a time.

    Matplotlib's settings are global, and JupyterLab moves sliders in a thread beside the one that runs cells.
    """
    with _ONE_AT_A_TIME, rc_context(RC):
        yield


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
