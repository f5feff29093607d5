"""The course's look whatever style a user has set, names of any script and with any sign, old explorers closed."""

import base64
import io
import logging
import re
import sys
from pathlib import Path

import jupyterlab.commands
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from mlcore.classroom import viz
from mlcore.classroom.viz import explore, explorers
from mlcore.classroom.viz.draw import style
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.stage import explorer
from mlcore.classroom.viz.stage.widget import sheet
from mlcore.decision_trees import DecisionTreeClassifier

rng = np.random.default_rng(0)
POINTS = rng.normal(size=(60, 2))
LABELS = (POINTS.sum(axis=1) > 0).astype(int)
ALT = "a line that turns about the origin"


def drawing(ax):
    viz.scatter_classes(ax, POINTS, LABELS)
    ax.plot([0, 1], [0, 1], label="line")
    ax.set(title="title", xlabel="x")
    ax.legend()


def still(displayed):
    """The bytes of a still picture that is drawn outside any block, as in a cell."""
    fig, (left, right) = viz.figure(1, 2)
    drawing(left)
    right.imshow(np.eye(3))
    right.text(0, 0, "text")
    fig.suptitle("above")
    viz.show(fig, "points of two classes and a line")
    return displayed[-1]["image/png"]


@pytest.fixture
def displayed(monkeypatch):
    shown = []
    monkeypatch.setattr("mlcore.classroom.viz.draw.still.display", lambda data, **_: shown.append(data))
    return shown


USER_STYLES = [
    plt.style.library["dark_background"], plt.style.library["ggplot"], plt.style.library["seaborn-v0_8-poster"],
    {"text.usetex": True}, {"font.size": 30, "lines.linewidth": 9, "axes.grid": True},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("user", USER_STYLES, ids=["dark", "ggplot", "poster", "usetex", "odd"])
def test_a_users_style_neither_leaks_in_nor_is_touched(user, displayed):
    canvas = Canvas(drawing)
    canvas.paint()
    plain, plain_still = canvas.pixels().copy(), still(displayed)
    with matplotlib.rc_context(user):
        before = dict(matplotlib.rcParams)
        styled = Canvas(drawing)
        styled.paint()
        np.testing.assert_array_equal(styled.pixels(), plain)
        assert still(displayed) == plain_still
        assert dict(matplotlib.rcParams) == before


def letters(pixels):
    """How many dark pixels a picture has."""
    return int((np.asarray(pixels).sum(axis=-1) < 200).sum())


NAMES = ["cost $5 to $9", "$no", "$x_$", "50 % $", "色泽", "青绿 $x_$"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_drawn_as_they_are(name, recwarn, caplog):
    y = np.where(LABELS, name, "other")
    model = DecisionTreeClassifier(max_depth=2).fit(POINTS, y)

    def draw(axes):
        viz.scatter_classes(axes[0], POINTS, y)
        viz.plot_tree(axes[1], model, feature_names=[name, "y"], title=name)

    canvas = Canvas(draw, subplots=(1, 2))
    with caplog.at_level(logging.WARNING):
        canvas.paint()
    told = [str(w.message) for w in recwarn if not issubclass(w.category, DeprecationWarning)]  # theirs, of pyparsing
    assert told == [] and caplog.records == []
    legend = canvas.axes[0, 0].get_legend().get_texts()
    assert any(text.get_text() == style.plain(f"class {name}") for text in legend)


def test_a_dollar_is_a_sign_like_others():
    """Two of them would make mathematics of what is between, in italics and without blanks."""
    def painted(name):
        canvas = Canvas(lambda ax: viz.scatter_classes(ax, POINTS, LABELS, names=[name, "b"]))
        canvas.paint()
        return canvas.pixels().copy()

    text = style.plain("$a b$")
    fig, ax = viz.figure()
    assert ax.text(0, 0, text)._preprocess_math(text) == ("$a b$", False)
    assert not np.array_equal(painted("$a b$"), painted("a b"))


def test_a_character_without_a_glyph_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(style, "families", lambda: list(style.LATIN))
    assert style.readable("色泽 = 3") == "U+8272 U+6CFD  = 3"
    assert style.readable("épée α ≤ ½") == "épée α ≤ ½"
    fig, ax = viz.figure()
    ax.set(title="色", xlabel="泽")
    ax.plot([0, 1], label="好")
    ax.legend()
    style.make_readable(fig)
    assert (ax.get_title("left"), ax.get_xlabel()) == ("U+8272", "U+6CFD")
    assert ax.get_legend().get_texts()[0].get_text() == "U+597D"


def test_a_font_that_has_the_character_is_used_where_one_is_installed(monkeypatch):
    there = ["DejaVu Sans", "DejaVu Serif", "Source Sans Pro", "SimHei"]
    monkeypatch.setattr(style.font_manager, "get_font_names", lambda: there)
    style._installed.cache_clear()
    try:
        with matplotlib.rc_context({"font.family": ["DejaVu Serif"], "font.sans-serif": ["No Such Font"]}):
            assert style.families() == ["Source Sans Pro", "DejaVu Sans", "DejaVu Serif", "SimHei"]
    finally:
        style._installed.cache_clear()


def test_the_typeface_comes_along_with_its_licence():
    """Two weights, as their makers made them: their licence reserves the name for such."""
    folder = Path(style.__file__).with_name("fonts")
    assert sorted(path.name for path in folder.iterdir()) == [
        "OFL.txt", "SourceSansPro-Regular.ttf", "SourceSansPro-Semibold.ttf",
    ]  # fmt: skip
    assert "SIL OPEN FONT LICENSE Version 1.1" in (folder / "OFL.txt").read_text(encoding="utf-8")
    with style.course_style():
        found = [Path(style.font_manager.findfont(style.font_manager.FontProperties(weight=weight)))
                 for weight in ("normal", 600, "bold")]  # fmt: skip
    regular, semibold = folder / "SourceSansPro-Regular.ttf", folder / "SourceSansPro-Semibold.ttf"
    assert found == [regular, semibold, semibold]


# ---------------------------------------------------------------------------------------------------------------
# Cells that run again, and errors that can be read
# ---------------------------------------------------------------------------------------------------------------
def turning(ax, slope=0.5):
    if slope == 2:
        raise ValueError("two")
    ax.plot([-1, 1], [-slope, slope])


def test_a_cell_that_runs_again_closes_what_it_made_before(monkeypatch):
    runs = iter([("a", 1), ("a", 1), ("b", 2), ("a", 3), (None, None), (None, None)])
    monkeypatch.setattr(explorer, "_running_cell", lambda: next(runs))
    made = [explore(turning, alt=ALT, slope=(-2.0, 2.0)) for _ in range(6)]
    closed = [one.widget.comm is None for one in made]
    assert closed == [True, True, False, False, False, False]
    assert [one in explorers() for one in made] == [False, False, True, True, True, True]
    assert all(part.comm is None for part in explorer._all_inside(made[0].widget))
    assert {type(part).__name__ for part in explorer._all_inside(made[0].widget)} >= {
        "VBox", "Box", "FloatSlider", "StageWidget", "Layout", "SliderStyle",
    }  # fmt: skip


def test_the_running_cell_is_what_the_front_end_says(monkeypatch):
    class Shell:
        @staticmethod
        def get_parent():
            return {"header": {"msg_id": "7"}, "metadata": {"cellId": "c"}}

    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", Shell)
    assert explorer._running_cell() == ("c", "7")
    monkeypatch.setattr(Shell, "get_parent", staticmethod(lambda: {"header": {"msg_id": "7"}}))
    assert explorer._running_cell() == (None, None)
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    assert explorer._running_cell() == (None, None)


def luminance(color):
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


THEMES = Path(jupyterlab.commands.get_app_dir()) / "themes" / "@jupyterlab"


def value_in(theme, text):
    """What a colour of the page's style sheet is in a theme of JupyterLab, as #rrggbb."""
    name, own = re.fullmatch(r"var\(([-\w]+), (#\w+)\)|(#\w+)", text).group(1, 2)
    if name:
        css = (THEMES / f"theme-{theme}-extension" / "index.css").read_text(encoding="utf-8")
        own = re.search(rf"{name}: *(?:var\([-\w]+, *)?(#\w+|white|rgba\([^)]*\))", css).group(1)
    if own and own.startswith("rgba"):  # black or white, thinned: on its ground
        *_, shade, alpha = map(float, re.findall(r"[\d.]+", own))
        return "#" + 3 * f"{round(shade * alpha + (255 - shade) * (1 - alpha)):02x}"
    own = {"white": "#fff"}.get(own or text, own or text)
    return own if len(own) == 7 else "#" + "".join(2 * digit for digit in own[1:])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_error_can_be_read_in_any_theme(theme):
    rules = {name.strip(): body for name, body in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet())}
    [error] = [body for name, body in rules.items() if name.endswith(".mlcore-error") and "color:" in body]
    grounds = [error, *(body for name, body in rules.items() if name.endswith("*/\n.mlcore-explorer"))]
    ground = next(match for body in grounds if (match := re.search(r"background: ([^;]+);", body))).group(1)
    text = re.search(r"(?<!-)color: ([^;]+);", error).group(1)
    dark, light = sorted(luminance(value_in(theme, color)) for color in (text, ground))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_an_error_does_not_change_what_is_saved():
    one = explore(turning, alt=ALT, slope=(-2.0, 2.0))
    before = one._repr_mimebundle_()[0]["image/png"]
    one.controls["slope"].value = 2
    assert one.frame["error"]["text"] == "two"
    assert one._repr_mimebundle_()[0]["image/png"] == before
    stored = base64.b64decode(one._repr_mimebundle_()[0]["image/png"])
    assert Image.open(io.BytesIO(stored)).size == (1400, 880)


def test_a_hatch_has_the_colour_of_its_edge():
    """As it had in every matplotlib before 3.11, so in the browser's: a picture must not change when Python starts."""
    fig, ax = viz.figure()
    ax.axis("off")
    ax.add_patch(plt.Rectangle((0, 0), 1, 1, transform=ax.transAxes, fc="paper", ec="class1", hatch="//", lw=0))
    fig.canvas.draw()
    shown = np.asarray(fig.canvas.buffer_rgba())[..., :3].reshape(-1, 3) / 255
    wanted = np.array(matplotlib.colors.to_rgb("class1"))
    assert np.abs(shown - wanted).max(axis=1).min() < 0.1
    assert np.abs(shown).max(axis=1).min() > 0.3  # and nothing is as dark as ink
