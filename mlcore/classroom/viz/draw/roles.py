"""Roles instead of colours: a drawing says "fit" or "class1-light", and the theme that is on says what that looks like.

The names are among matplotlib's named colours, and work wherever a colour does. While a picture is drawn they mean the
colours of its theme; at any other time those of the light one. Colour-blind readers can tell roles apart that stand
in one picture, text can be read, and marks can be seen: the tests compute it, for both themes.
"""

from contextlib import contextmanager

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, get_named_colors_mapping, to_hex, to_rgb

__all__ = [
    "COLORS", "INK", "MARKERS", "QUIET", "THEMES", "color", "drawn_in", "light", "marker", "palette", "rgb", "shades",
]  # fmt: skip

THEMES = {
    "light": {
        "paper": "#ffffff", "ink": "#1b2126", "quiet": "#4c5660", "hair": "#d3d9de", "faint": "#eceff2",
        "pale": "#b3bbc3", "data": "#1b2126", "fit": "#0072b2", "truth": "#757575", "new": "#c98200",
        "chosen": "#b93208", "guide": "#838d97", "gap": "#c98200",
        "prior": "#c98200", "likelihood": "#007256", "posterior": "#0072b2",
        "class0": "#0072b2", "class1": "#b87c00", "class2": "#14654f", "class3": "#740b58",
        "class4": "#5d2ba3", "class5": "#6c1012", "class6": "#6b6900", "class7": "#7c8695",
    },
    "dark": {
        "paper": "#111418", "ink": "#e8ebee", "quiet": "#abb4be", "hair": "#3a424b", "faint": "#20262c",
        "pale": "#56606a", "data": "#e8ebee", "fit": "#4aa8ee", "truth": "#86919d", "new": "#f5b93a",
        "chosen": "#f0612c", "guide": "#86919d", "gap": "#f5b93a",
        "prior": "#f5b93a", "likelihood": "#2fae84", "posterior": "#4aa8ee",
        "class0": "#4aa8ee", "class1": "#e6a01e", "class2": "#a8f2c4", "class3": "#c2588f",
        "class4": "#8768e6", "class5": "#dc5238", "class6": "#e9e52a", "class7": "#bec3c8",
    },
}  # fmt: skip
"""What each role looks like: data, the fit to them, the truth behind them, new data (validation, test, what is hidden),
what the learner has chosen or holds; the gap between data and fit; guides such as a line at zero; and so on. Every role
can be seen, but for grounds and hairlines: paper, faint, hair, and pale, for what stands in the background.

Besides these there are: "fit-text" and the like, the same hue, for letters, which have a halo of paper where they need
one; "fit-light" and "class0-light", for areas; "class0-edge", for the outlines of points on such areas; and what
``light`` makes.
"""
GROUNDS = ("paper", "hair", "faint", "pale")
INK, QUIET = "ink", "quiet"
COLORS = tuple(f"class{k}" for k in range(8))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LIGHT = 0.76
"""How much paper is mixed into the colour of an area."""

_AREAS = {"light": {"class1": "#ee9f00", "new": "#ee9f00", "prior": "#ee9f00", "gap": "#ee9f00"}, "dark": {}}
"""Hues that would be muddy as areas are brighter there."""
_mixed = {}
"""Names made by ``light``: a role, and how much paper is mixed into it."""
_on = "light"


def color(k):
    """Return the colour of class or series number ``k``."""
    return COLORS[k % len(COLORS)]


def marker(k):
    """Return the marker of class or series number ``k``."""
    return MARKERS[k % len(MARKERS)]


def light(k, amount=LIGHT):
    """Return the colour of class ``k``, or of a role, mixed with the paper: 0 is the colour itself, 1 the paper."""
    role, amount = k if isinstance(k, str) else color(k), round(float(amount), 2)
    if amount == LIGHT:
        return f"{role}-light"
    name = f"{role}-{amount:g}"
    if name not in _mixed:
        _mixed[name] = role, amount
        get_named_colors_mapping()[name] = _area(_on, role, amount)
    return name


def rgb(*roles):
    """Return what roles look like now as numbers from 0 to 1, of shape (n, 3): to mix them, to paint pixels."""
    return np.array([to_rgb(role) for role in roles])


def shades(*roles):
    """Return a map of colours that goes from role to role, for ``cmap``; a drawing calls it each time anew."""
    return LinearSegmentedColormap.from_list(" ".join(roles), roles)


def palette(theme="light"):
    """Return what every role looks like in a theme, as a dict of names and "#rrggbb"."""
    own = THEMES[theme]
    seen = [role for role in own if role not in GROUNDS]
    areas = {f"{role}-light": _area(theme, role, LIGHT) for role in seen}
    grounds = [own["paper"], *(areas[f"{name}-light"] for name in COLORS)]
    letters = {f"{role}-text": _readable(own[role], own["ink"], grounds[:1]) for role in seen}
    edges = {f"{name}-edge": _readable(own[name], own["ink"], grounds) for name in COLORS}
    return {**own, **areas, **letters, **edges}


def _area(theme, role, amount):
    own = THEMES[theme]
    base = own[role] if amount == 0 else _AREAS[theme].get(role, own[role])
    return _mix(base, own["paper"], amount)


def _mix(one, other, amount):
    return to_hex([(1 - amount) * a + amount * b for a, b in zip(to_rgb(one), to_rgb(other))])


def contrast(one, other):
    """Return the contrast of two colours as the web's guidelines (WCAG 2) define it: from 1 to 21."""
    low, high = sorted(_luminance(each) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def _readable(color, ink, grounds):
    """The colour, with so much ink that its letters can be read on each of the grounds."""
    for amount in range(0, 100, 4):
        mixed = _mix(color, ink, amount / 100)
        if min(contrast(mixed, ground) for ground in grounds) >= 4.5:
            return mixed
    return ink


_PALETTES = {theme: palette(theme) for theme in THEMES}


@contextmanager
def drawn_in(theme):
    """Inside this block the roles have the colours of a theme; None leaves them as they are."""
    global _on
    before, wanted = _on, theme or _on
    _put_on(wanted)
    try:
        yield
    finally:
        _put_on(before)


def _put_on(theme):
    global _on
    if theme != _on:
        looks, mapping = _PALETTES[theme], get_named_colors_mapping()
        _on = theme
        for name, look in looks.items():
            mapping[name] = look
        for name, (role, amount) in _mixed.items():
            mapping[name] = _area(theme, role, amount)


for _name, _look in _PALETTES[_on].items():
    get_named_colors_mapping()[_name] = _look
