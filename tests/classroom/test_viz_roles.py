"""Roles: each has one look in a theme; it can be seen, read, and told apart by those who see fewer colours."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import get_named_colors_mapping, to_hex, to_rgb

from mlcore.classroom import viz
from mlcore.classroom.viz.draw import roles, style
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.trees import _class_color

BOTH = pytest.mark.parametrize("theme", ["light", "dark"])
LINES = ("data", "fit", "truth", "new", "chosen", "prior", "likelihood", "posterior", *roles.COLORS)
REGIONS = [f"{name}-light" for name in roles.COLORS]


# ---------------------------------------------------------------------------------------------------------------
# Contrast (WCAG 2.2, 1.4.3 and 1.4.11), and what colour-blind readers see (Machado, Oliveira and Fernandes 2009)
# ---------------------------------------------------------------------------------------------------------------
def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


SIGHTS = {
    "full": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def oklab(color, sight):
    """Ottosson's coordinates (2020), in which equal distances look about equal."""
    cones = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
             [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
    axes = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip
    return np.array(axes) @ np.cbrt(np.array(cones) @ (sight @ linear(color)).clip(0, 1))


def distance(one, other):
    """For whom it is the least."""
    return min(np.linalg.norm(oklab(one, sight) - oklab(other, sight)) for sight in SIGHTS.values())


def test_the_measures_are_right():
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.01)  # the guideline's own example
    assert roles.contrast("#0072b2", "#eeeeee") == pytest.approx(contrast("#0072b2", "#eeeeee"))
    np.testing.assert_allclose(oklab("white", np.eye(3)), [1, 0, 0], atol=1e-6)
    assert distance("red", "green") < 0.5 * np.linalg.norm(oklab("red", np.eye(3)) - oklab("green", np.eye(3)))


@BOTH
def test_marks_can_be_seen_and_letters_can_be_read(theme):
    own = viz.palette(theme)
    for role in LINES:
        assert contrast(own[role], own["paper"]) >= 3, role
        assert contrast(own[f"{role}-text"], own["paper"]) >= 4.5, role
    for ground in ["paper", "faint", *REGIONS]:
        for role in ("ink", "quiet", *(f"{name}-edge" for name in roles.COLORS)):
            assert contrast(own[role], own[ground]) >= 4.5, (role, ground)


@BOTH
def test_letters_can_be_read_in_the_purest_node_of_a_tree(theme):
    with roles.drawn_in(theme):
        for k in range(8):
            shares = np.eye(8)[k]
            assert contrast("ink", _class_color(shares)) >= 4.5, k


TOGETHER = [
    (("data", "fit", "truth", "new", "chosen"), 0.1), (("prior", "likelihood", "posterior"), 0.1),
    (roles.COLORS[:3], 0.14), (roles.COLORS, 0.08), (("chosen", *roles.COLORS[:2]), 0.08), (REGIONS[:3], 0.03),
]  # fmt: skip
"""Roles of one picture, and how far apart they are at least (black and white are 1 apart)."""


@BOTH
@pytest.mark.parametrize("names, least", TOGETHER, ids=[" ".join(names) for names, _ in TOGETHER])
def test_colour_blind_readers_tell_roles_of_one_picture_apart(theme, names, least):
    own = viz.palette(theme)
    for one, other in itertools.combinations(names, 2):
        assert distance(own[one], own[other]) >= least, (one, other)


# ---------------------------------------------------------------------------------------------------------------
# Names that mean what the theme says
# ---------------------------------------------------------------------------------------------------------------
@BOTH
def test_a_role_is_drawn_as_its_theme_says(theme):
    def draw(ax):
        ax.axhspan(0, 1, color="fit")
        ax.axvspan(0, 1, color=viz.light(0, 0.35))
        ax.plot([2, 3], [0, 1], color="truth", lw=30, solid_capstyle="butt")
        ax.set(xlim=(0, 4), ylim=(0, 1))
        ax.set_axis_off()

    canvas = Canvas(draw)
    canvas.theme = theme
    canvas.paint()
    shown = {to_hex(np.array(pixel) / 255) for pixel in canvas.pixels()[::5, ::5].reshape(-1, 3)}
    own = viz.palette(theme)
    mixed = 0.65 * np.array(to_rgb(own["class0"])) + 0.35 * np.array(to_rgb(own["paper"]))
    assert {own["paper"], own["fit"], own["truth"], to_hex(mixed)} <= shown


def test_outside_a_drawing_the_roles_are_those_of_the_light_theme():
    with style.course_style("dark"):
        assert to_hex("ink") == viz.palette("dark")["ink"]
        with style.course_style():
            assert to_hex("ink") == viz.palette("dark")["ink"], "a block inside keeps the theme"
        with style.course_style("light"):
            assert to_hex("ink") == viz.palette("light")["ink"]
        assert to_hex("ink") == viz.palette("dark")["ink"]
    assert to_hex("ink") == viz.palette("light")["ink"]
    with pytest.raises(ZeroDivisionError), style.course_style("dark"):
        raise ZeroDivisionError
    assert to_hex("ink") == viz.palette("light")["ink"]
    with pytest.raises(KeyError), style.course_style("blue"):
        pass


def test_the_theme_of_the_page_holds_for_still_pictures(monkeypatch):
    monkeypatch.setitem(style.screen, "theme", "dark")
    fig, ax = viz.figure()
    ax.bar([0], [1], color="fit")
    assert to_hex(fig.get_facecolor()) == viz.palette("dark")["paper"]
    assert to_hex(ax.patches[0].get_facecolor()) == viz.palette("dark")["fit"]


def test_every_name_is_one_of_matplotlibs_and_none_of_its_own_is_taken():
    """A second theme must name the same roles, or the first one's would shine through."""
    assert set(viz.palette("light")) == set(viz.palette("dark"))
    assert not set(viz.palette()) & (set(plt.cm.datad) | {"white", "black", "grey", "red", "blue", "k", "w"})
    assert set(viz.palette()) <= set(get_named_colors_mapping())


def test_shades_of_a_role():
    assert viz.light(0) == "class0-light" and viz.light("fit") == "fit-light" and viz.light(8) == viz.light(0)
    assert to_hex(viz.light("fit", 1)) == to_hex("paper") and to_hex(viz.light("fit", 0)) == to_hex("fit")
    steps = [linear(viz.light(1, amount)).sum() for amount in np.linspace(0, 1, 6)]
    assert steps == sorted(steps)
    before = len(roles._mixed)
    for amount in np.linspace(0, 1, 1000):
        viz.light(3, amount)
    assert len(roles._mixed) - before <= 101, "names of shades pile up"
