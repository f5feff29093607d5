"""Pictures, sliders and players: what is shown is what was drawn, nothing old survives, and errors are seen."""

import base64
import gc
import io
import itertools
import threading
import time
import warnings

import ipywidgets as widgets
import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from PIL import Image

from mlcore import distances as metrics
from mlcore.classroom import viz
from mlcore.classroom.viz import explore, log_slider, play
from mlcore.classroom.viz.draw import code, style
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.readings import dots_of
from mlcore.classroom.viz.draw.roles import light

rng = np.random.default_rng(0)
POINTS = rng.normal(size=(40, 2))
LABELS = (POINTS[:, 0] > 0).astype(int)
GRID = np.linspace(-3, 3, 50)


# ---------------------------------------------------------------------------------------------------------------
# Painting over the kept frame gives what a full drawing gives
# ---------------------------------------------------------------------------------------------------------------
def title_only(ax):
    ax.plot(GRID, GRID)
    ax.set_title("left", loc="left")
    ax.set_title("centre")


def lines(ax):
    ax.plot(GRID, np.sin(GRID), label="sine")
    ax.axvline(0.5, color="red", lw=0.7)
    ax.text(0, 0.5, "text inside")
    ax.set(xlim=(-3, 3), ylim=(-1.5, 1.5), xlabel="x", ylabel="sin x")
    ax.legend()


def points(ax):
    viz.scatter_classes(ax, POINTS, LABELS)
    ax.set(xlim=(-3, 3), ylim=(-3, 3), title="points of two classes")


def image_and_contours(ax):
    surface = np.add.outer(GRID**2, GRID)
    ax.imshow(surface, origin="lower", extent=(-3, 3, -3, 3), aspect="auto")
    ax.clabel(ax.contour(GRID, GRID, surface, levels=[0, 2, 4], colors="black"))


def other_limits(ax):
    ax.plot(GRID, 100 * GRID)
    ax.set(xlim=(0, 10), ylim=(-300, 300), title="other", xlabel="time (s)")


def logarithmic(ax):
    ax.plot(np.exp(GRID), np.exp(2 * GRID))
    ax.set(xscale="log", yscale="log")


def twin(ax):
    ax.plot(GRID, GRID)
    other = ax.twinx()
    other.plot(GRID, GRID**2, color="green")
    other.set(ylabel="squares", ylim=(0, 20))
    ax.set_ylim(-4, 4)


def no_axis(ax):
    ax.plot(GRID, GRID**2)
    ax.set_axis_off()


def equal_aspect(ax):
    ax.plot(np.cos(GRID), np.sin(GRID))
    ax.set(xlim=(-2, 2), ylim=(-1, 1))
    ax.set_aspect("equal")


def grid_over_image(ax):
    ax.imshow(np.add.outer(GRID, GRID), extent=(-3, 3, -3, 3), origin="lower", aspect="auto")
    ax.grid(True, color="white")


def grid_under_lines(ax):
    ax.plot(GRID, GRID)
    ax.grid(True)


def text_on_the_figure(ax):
    ax.plot(GRID, GRID)
    ax.figure.text(0.5, 0.5, "over everything", fontsize=20)
    ax.figure.suptitle("a title above all")


def named_ticks(ax):
    ax.bar([0, 1, 2], [3, 2, 4])
    ax.set_xticks([0, 1, 2], ["one", "two", "three"], rotation=30, color="blue")


def same_ticks_upright(ax):
    ax.bar([0, 1, 2], [3, 2, 4])
    ax.set_xticks([0, 1, 2], ["one", "two", "three"])


def unnamed_ticks(ax):
    ax.bar([0, 1, 2], [3, 2, 4])
    ax.set_xticks([0, 1, 2])


def yellow_inside(ax):
    ax.plot(GRID, GRID)
    ax.set_facecolor("lightyellow")


def grey_outside(ax):
    ax.plot(GRID, GRID)
    ax.figure.set_facecolor("lightgrey")


def ticks_at_the_top(ax):
    ax.matshow(np.arange(9).reshape(3, 3))
    ax.set_title("the title makes room for ticks")


def inset(ax):
    ax.plot(GRID, GRID)
    inner = ax.inset_axes((0.6, 0.1, 0.35, 0.35))
    inner.plot(GRID, GRID**3, color="black")


def axes_over_axes(ax):
    ax.plot(GRID, GRID)
    inner = ax.figure.add_axes((0.3, 0.3, 0.4, 0.4))
    inner.plot(GRID, -GRID, color="black")


def colour_bar(ax):
    mapped = ax.scatter(*POINTS.T, c=POINTS[:, 0])
    ax.figure.colorbar(mapped, ax=ax, label="first feature")


def filled_and_spineless(ax):
    ax.fill_between(GRID, GRID, alpha=0.3)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.annotate("here", (0, 0), (1, 2), arrowprops={"arrowstyle": "->"})


def hidden_axis(ax):
    ax.plot(GRID, GRID)
    ax.xaxis.set_visible(False)


def scientific(ax):
    ax.plot(GRID, 1e7 * GRID)


def in_front_of_the_frame(ax):
    ax.plot([-1, 1], [-1, -1], clip_on=False, lw=8, zorder=10)
    ax.set(xlim=(-1, 1), ylim=(-1, 1))


def in_three_dimensions(fig):
    fig.add_subplot(projection="3d").plot(GRID, np.sin(GRID), np.cos(GRID))


def bare_figure(fig):
    left, right = fig.subplots(1, 2)
    left.plot(GRID, GRID)
    right.plot(GRID, GRID**2)
    fig.suptitle("two by hand")


DRAWINGS = [
    title_only, lines, points, image_and_contours, other_limits, logarithmic, twin, no_axis, equal_aspect,
    grid_over_image, grid_under_lines, text_on_the_figure, named_ticks, same_ticks_upright, unnamed_ticks,
    yellow_inside, grey_outside, ticks_at_the_top, inset, axes_over_axes, colour_bar, filled_and_spineless,
    hidden_axis, scientific,
    in_front_of_the_frame,
]
SINGLE_FIGURES = [in_three_dimensions, bare_figure]


def name(drawing):
    return drawing.__name__


def full_drawing(canvas):
    """Draw a canvas's figure from nothing, as matplotlib does it, and return the pixels."""
    with matplotlib.rc_context(style.RC):
        canvas.figure.canvas.draw()
        return np.asarray(canvas.figure.canvas.buffer_rgba())[..., :3].copy()


def small(drawing):
    return Canvas(drawing, figsize=(3.5, 2.4))


def painted(canvas, **values):
    canvas.paint(**values)
    return canvas.pixels().copy()


@pytest.mark.slow
@pytest.mark.parametrize("drawing", DRAWINGS + SINGLE_FIGURES, ids=name)
def test_painting_equals_a_full_drawing(drawing):
    """The first time, when the frame is made, and the second, when it is taken from the store."""
    canvas = Canvas(drawing)
    pictures = []
    for _ in range(3):
        pictures.append(painted(canvas))
        np.testing.assert_array_equal(pictures[-1], full_drawing(canvas))
        np.testing.assert_array_equal(pictures[-1], pictures[0], err_msg="the second is not the first")
    assert pictures[0].std() > 1, "the picture is empty"


def test_painting_several_axes_equals_a_full_drawing():
    def both(axes, k=1):
        lines(axes[0])
        points(axes[1])
        axes[1].set_title(f"step {k}")

    canvas = Canvas(both, subplots=(1, 2), ratios=(2, 1))
    for k in (1, 2, 2, 3):
        np.testing.assert_array_equal(painted(canvas, k=k), full_drawing(canvas))
    widths = [ax.get_position().width for ax in canvas.axes.flat]
    assert 1.5 < widths[0] / widths[1] < 2.5


def test_axes_come_in_the_shape_that_was_asked_for():
    shapes = {}
    for subplots in [(1, 1), (1, 3), (2, 1), (2, 2)]:
        def look(axes, subplots=subplots):
            shapes[subplots] = axes.shape

        Canvas(look, subplots=subplots).paint()
    assert shapes == {(1, 1): (1,), (1, 3): (3,), (2, 1): (2,), (2, 2): (2, 2)}


# ---------------------------------------------------------------------------------------------------------------
# Nothing old survives
# ---------------------------------------------------------------------------------------------------------------
def chooser(ax, which):
    DRAWINGS[which](ax)


PAIRS = list(itertools.combinations_with_replacement(range(len(DRAWINGS)), 2))


@pytest.mark.parametrize("pairs", [PAIRS[::9], pytest.param(PAIRS, marks=pytest.mark.slow)], ids=["some", "all"])
def test_nothing_of_the_last_picture_survives(pairs):
    """Every drawing after every other, on one canvas, looks like the same drawing on a canvas of its own."""
    canvas, alone = small(chooser), {}
    for first, second in pairs:
        for which in (first, second):
            picture = painted(canvas, which=which)
            if which not in alone:
                fresh = small(chooser)
                fresh._layouts = canvas._layouts
                fresh.paint(which=which)  # on a figure that did not know the layout yet
                alone[which] = painted(fresh, which=which)
            np.testing.assert_array_equal(
                picture, alone[which], err_msg=f"{name(DRAWINGS[first])} and {name(DRAWINGS[second])}"
            )


def test_axes_do_not_move_when_labels_grow_or_colour_bars_come():
    def grows(ax, k):
        mapped = ax.scatter(*POINTS.T, c=POINTS[:, 0])
        if k >= 10:
            ax.figure.colorbar(mapped, ax=ax)
        ax.set_ylabel("y" * k)

    canvas = Canvas(grows)
    places = {}
    for k in (1, 2, 10, 1, 12, 3, 11):
        canvas.paint(k=k)
        place = tuple(np.round([ax.get_position().bounds for ax in canvas.figure.axes], 6).ravel())
        assert places.setdefault(len(canvas.figure.axes), place) == place, f"the axes moved at k = {k}"
    assert sorted(places) == [1, 2]


def test_the_frame_is_drawn_once_while_it_stays_the_same(monkeypatch):
    """The point of the store: count the frames that are drawn."""
    drawn = []
    original = Canvas._draw_frame
    monkeypatch.setattr(Canvas, "_draw_frame", lambda self: drawn.append(1) or original(self))

    def slope(ax, k, top=1):
        ax.plot([0, 1], [0, k])
        ax.set(xlim=(0, 1), ylim=(0, top), title=f"slope {k}")

    canvas = Canvas(slope)
    for k in range(5):
        canvas.paint(k=k)
    assert len(drawn) == 1
    canvas.paint(k=1, top=2)
    assert len(drawn) == 2


def test_settings_of_matplotlib_stay_as_they_were():
    before = dict(matplotlib.rcParams)
    Canvas(lines).paint()
    viz.figure()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
def test_two_threads_do_not_disturb_each_other():
    """JupyterLab moves sliders in one thread while cells run in another, and matplotlib's settings are global.

    The first drawing would end, and take the settings with it, in the middle of the second.
    """
    before = dict(matplotlib.rcParams)
    second_began, first_ended, seen = threading.Event(), threading.Event(), []

    def first(ax):
        second_began.wait(0.5)

    def second(ax):
        second_began.set()
        first_ended.wait(5)
        seen.append(matplotlib.rcParams["axes.spines.top"])

    canvases = Canvas(first), Canvas(second)
    other = threading.Thread(target=lambda: (time.sleep(0.1), canvases[1].paint()))
    other.start()
    canvases[0].paint()
    first_ended.set()
    other.join()
    assert set(seen) == {style.RC["axes.spines.top"]}
    assert dict(matplotlib.rcParams) == before


def test_encodings_show_what_was_painted():
    canvas = Canvas(points)
    picture = painted(canvas)
    assert picture.shape == (440, 700, 3)
    kept = Image.open(io.BytesIO(canvas.png())).convert("RGB")
    assert kept.size == (1400, 880)
    assert np.abs(np.asarray(kept.reduce(2)).astype(int) - picture).mean() < 1
    jpeg = np.asarray(Image.open(io.BytesIO(canvas.jpeg()))).astype(int)
    assert jpeg.shape == picture.shape
    assert np.abs(jpeg - picture).mean() < 1


def test_the_first_parameter_must_have_a_known_name():
    with pytest.raises(ValueError, match="first parameter must be called ax, axes or fig, got 'x'"):
        Canvas(lambda x: None)
    with pytest.raises(ValueError, match="got 'none'"):
        Canvas(lambda: None)


# ---------------------------------------------------------------------------------------------------------------
# Explorers
# ---------------------------------------------------------------------------------------------------------------
ALT = "a line that turns about the origin"


def turning(ax, slope=0.5, kind="line", dots=False):
    ax.plot(GRID, slope * GRID if kind == "line" else slope * GRID**2)
    if dots:
        ax.scatter(*POINTS.T)
    ax.set(xlim=(-3, 3), ylim=(-3, 3))
    return f"slope <{slope:g}>"


def explorer(**options):
    return explore(turning, alt=ALT, slope=(-2.0, 2.0, 0.5), kind=["line", "curve"], dots=False, **options)


def test_a_picture_follows_its_controls():
    one = explorer()
    first = one.frame["picture"]
    one.controls["slope"].value = 1.5
    assert one.frame["picture"] != first
    expected = Canvas(turning)
    expected.paint(slope=1.5, kind="line", dots=False)
    assert one.frame["picture"] == expected.jpeg()
    one.controls["slope"].value = 0.5
    assert one.frame["picture"] == first, "the same value gives another picture"


def test_controls_start_where_the_signature_says():
    one = explorer()
    assert one.values == {"slope": 0.5, "kind": "line", "dots": False}

    def later(ax, n=7, kind="curve", on=True, free=None):
        ax.plot([0, n])

    one = explore(later, alt=ALT, n=(0, 10), kind=["line", "curve"], on=False, free=widgets.IntSlider(value=3))
    assert one.values == {"n": 7, "kind": "curve", "on": False, "free": 3}


def test_captions_are_plain_text_and_follow():
    one = explorer()
    assert one.frame["caption"] == "slope <0.5>"
    one.set(slope=2.0)
    assert one.frame["caption"] == "slope <2>"

    def falling(ax, k=1):
        ax.plot([0, -k])
        return f"slope {-k}"

    assert explore(falling, alt=ALT, k=(0, 3)).frame["caption"] == "slope −1"

    def silent(ax, k=1):
        ax.plot([0, k])
        return ax  # not a text

    assert explore(silent, alt=ALT, k=(0, 3)).frame["caption"] == ""


def test_labels_stand_beside_the_controls():
    one = explorer(labels={"slope": "slope (m/s)"})
    assert [control.description for control in one.controls.values()] == ["slope (m/s)", "kind", "dots"]

    def underscores(ax, learning_rate=1):
        ax.plot([0, learning_rate])

    assert explore(underscores, alt=ALT, learning_rate=(0, 2)).controls["learning_rate"].description == "learning rate"


def failing(ax, x=1):
    ax.plot([0, 1], [0, x])
    if x < 0:
        raise ValueError(f"no root of <{x}>")
    return "fine"


def test_an_error_is_kept_and_shown_and_the_next_move_recovers():
    one = explore(failing, alt=ALT, x=(-3, 3))
    good = one.frame["picture"]
    one.controls["x"].value = -2
    assert isinstance(one.error, ValueError)
    where = f"in failing, line {failing.__code__.co_firstlineno + 3}"
    assert one.frame["error"] == {"name": "ValueError", "text": "no root of <-2>", "where": where}
    one.controls["x"].value = 1
    assert one.error is None and one.frame["error"] is None
    assert one.frame["picture"] == good
    assert one.frame["caption"] == "fine"


def test_an_error_in_the_first_picture_is_raised():
    with pytest.raises(ValueError, match="no root of <-1>"):
        explore(failing, alt=ALT, x=widgets.IntSlider(value=-1, min=-3, max=3))


@pytest.mark.parametrize(
    ("asked", "why"), [((-1, 1, None, 0), "per_decade"), ((-400, 2), "low"), ((0, 309), "high"), (("a", 1), "low")]
)
def test_a_logarithmic_slider_that_cannot_be(asked, why):
    with pytest.raises(ValueError, match=f"^{why} must be"):
        log_slider(*asked)


def test_set_draws_once_and_raises():
    calls = []

    def counting(ax, a=0, b=0):
        calls.append((a, b))
        if a == b == 3:
            raise ZeroDivisionError("both are three")

    one = explore(counting, alt=ALT, a=(0, 5), b=(0, 5))
    calls.clear()
    one.set(a=2, b=4)
    assert calls == [(2, 4)]
    with pytest.raises(ZeroDivisionError, match="both are three"):
        one.set(a=3, b=3)
    one.set(a=1)
    assert calls[-1] == (1, 3)
    with pytest.raises(ValueError, match="there is no control 'c'; there are: a, b"):
        one.set(c=1)
    one.controls["a"].value = 5
    assert calls[-1] == (5, 3), "after set() the controls no longer draw"


def test_a_sweep_visits_the_extremes_and_comes_back():
    one = explore(
        turning, alt=ALT, slope=(-2.0, 2.0, 0.5), kind=["line", "curve", "arc"], dots=widgets.Checkbox(value=True)
    )
    measured = one.sweep()
    seen = [values for values, _ in measured]
    assert {values["slope"] for values in seen} >= {-2.0, 0.0, 2.0}
    assert {values["kind"] for values in seen} == {"line", "curve", "arc"}
    assert {values["dots"] for values in seen} == {True, False}
    assert {"slope": -2.0, "kind": "arc", "dots": False} in seen
    assert {"slope": 2.0, "kind": "line", "dots": True} in seen
    assert all(seconds > 0 for _, seconds in measured)
    assert one.values == {"slope": 0.5, "kind": "line", "dots": True}


def test_a_sweep_visits_every_choice_of_a_few_and_three_of_many():
    def named(ax, few="a", many=0):
        ax.plot([0, many])

    one = explore(named, alt=ALT, few=list("abcd"), many=list(range(20)))
    for alone, most in ((True, 10), (False, 4)):
        seen = [values for values, _ in one.sweep(alone)]
        assert {values["few"] for values in seen} == set("abcd") and len(seen) <= most
        assert {values["many"] for values in seen} == {0, 10, 19}


def test_a_sweep_visits_the_ends_of_logarithmic_and_number_controls():
    def size(ax, sigma, n, choice):
        ax.plot([0, sigma, n])

    one = explore(
        size, alt=ALT, sigma=log_slider(-2, 3), n=widgets.BoundedIntText(value=2, min=1, max=9),
        choice=widgets.SelectionSlider(options=[1, 2, 3]),
    )
    seen = [values for values, _ in one.sweep()]
    sigmas = sorted({round(values["sigma"], 6) for values in seen})
    assert sigmas[0] == 0.01 and sigmas[-1] == 1000
    assert {values["n"] for values in seen} >= {1, 9, 5}
    assert {values["choice"] for values in seen} == {1, 2, 3}


@pytest.mark.parametrize("bad", [-3, 0, 3])
@pytest.mark.parametrize("alone", [True, False])
def test_a_sweep_raises_what_a_drawing_raises(bad, alone):
    """At the minimum, in the middle, at the maximum: an error and a warning are both found."""

    def breaks(ax, x=1):
        if x == bad:
            raise ArithmeticError(f"at {x}")

    with pytest.raises(ArithmeticError, match=f"at {bad}"):
        explore(breaks, alt=ALT, x=(-3, 3)).sweep(alone)

    def warns(ax, x=1):
        if x == bad:
            warnings.warn("not good", UserWarning, stacklevel=1)

    with pytest.raises(UserWarning, match="not good"):
        explore(warns, alt=ALT, x=(-3, 3)).sweep(alone)


def test_a_sweep_finds_what_only_goes_wrong_together():
    def together(ax, a=1, b=1):
        if a == 0 and b == 5:
            raise ArithmeticError("a low and b high")

    with pytest.raises(ArithmeticError, match="a low and b high"):
        explore(together, alt=ALT, a=(0, 5), b=(0, 5)).sweep()


@pytest.mark.parametrize("alt", [None, "", "too short", 7, "three words only"])
def test_a_picture_needs_a_description(alt):
    with pytest.raises(ValueError, match="alt must say in a few words what is to be seen"):
        explore(turning, alt=alt, slope=(-2.0, 2.0))
    with pytest.raises(ValueError, match="alt must say"):
        play([1], lambda ax, state: None, alt=alt)
    with pytest.raises(ValueError, match="alt must say"):
        viz.show(viz.figure()[0], alt)


def test_controls_and_parameters_must_match():
    with pytest.raises(ValueError, match=r"unknown to the function \['speed'\]"):
        explore(turning, alt=ALT, speed=(0, 1))
    with pytest.raises(ValueError, match=r"without a control \['n'\]"):
        explore(lambda ax, n, k=1: None, alt=ALT, k=(0, 1))
    with pytest.raises(ValueError, match=r"labels without a control \['sloep'\]"):
        explore(turning, alt=ALT, slope=(0, 1), labels={"sloep": "slope"})
    with pytest.raises(ValueError, match="at least one control"):
        explore(turning, alt=ALT)
    with pytest.raises(ValueError, match="slope: <object object at .*> is no control"):
        explore(turning, alt=ALT, slope=object())

    def takes_any(ax, **values):
        ax.plot([0, values["a"]])

    assert explore(takes_any, alt=ALT, a=(0, 4)).values == {"a": 2}


def test_logarithmic_sliders():
    slider = log_slider(-3, 3)
    assert slider.value == 1 and (slider.min, slider.max) == (-3, 3)
    assert log_slider(-3, 3, 0.01).value == 0.01
    assert log_slider(0, 2, per_decade=4).step == 0.25
    assert [format(10.0**high, log_slider(-1, high).readout_format) for high in (1, 3, 4)] == ["10", "1000", "10000"]
    assert format(12.59, log_slider(0, 3, whole=True).readout_format) == "13"
    with pytest.raises(ValueError, match="high"):
        log_slider(3, -3)


def test_neighbours_on_a_slider_read_differently():
    fine = explore(lambda ax, q=0.3, p=0.3: None, alt=ALT, q=(0.005, 0.995, 0.005), p=(0.0, 1.0, 0.05)).controls
    assert [fine[name].readout_format for name in "qp"] == [".3f", ".2f"]


def test_what_a_notebook_stores():
    """The picture, its description and a text; the same bytes every time; the widget's view for live pages."""
    data, metadata = explorer()._repr_mimebundle_()
    again, _ = explorer()._repr_mimebundle_()
    assert metadata == {"image/png": {"alt": ALT, "width": 700, "height": 440}}
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/png"] == again["image/png"]
    same = Canvas(turning)
    same.paint(slope=0.5, kind="line", dots=False)
    assert base64.b64decode(data["image/png"]) == same.png()
    assert data["text/plain"] == again["text/plain"] == (
        f"[explorer] {ALT}\n  slope: 0.5 (-2 to 2)\n  kind: line (of line, curve)\n  dots: False"
    )


def test_the_stored_picture_is_the_first_one():
    """Sweeping or moving before the cell's output is stored does not change it."""
    one = explorer()
    before = one._repr_mimebundle_()[0]["image/png"]
    one.set(slope=2.0)
    assert one._repr_mimebundle_()[0]["image/png"] == before


def test_the_page_can_read_the_description():
    one = explorer()
    spec = one.stage.spec
    assert (spec["alt"], spec["kind"], spec["size"]) == (ALT, "explorer", [700, 440])


def test_explorers_lists_all_that_were_made():
    one, two = explorer(), play([1, 2], lambda ax, state: ax.plot([0, state]), alt=ALT)
    assert viz.explorers()[-2:] == [one, two]


# ---------------------------------------------------------------------------------------------------------------
# Players
# ---------------------------------------------------------------------------------------------------------------
def show_state(ax, state):
    ax.plot(range(state + 1))
    ax.set(xlim=(0, 10), ylim=(0, 10))
    return f"state {state}"


def press(player, label):
    next(child for child in player.panel.children if getattr(child, "description", "") == label).click()


def test_a_player_steps_and_stays_within_its_states():
    player = play(range(3), show_state, alt=ALT)
    assert player.states == [0, 1, 2]
    captions = []
    for label in ["Back", "Step", "Step", "Step", "Step", "Back"]:
        press(player, label)
        captions.append(player.frame["caption"])
    assert captions == ["state 0", "state 1", "state 2", "state 2", "state 2", "state 1"]
    assert (player.player.min, player.player.max) == (0, 2)


def test_a_player_shows_every_state_in_a_sweep():
    player = play(iter(range(8)), show_state, alt=ALT)
    seen = {values["step"] for values, _ in player.sweep()}
    assert seen >= {0, 3, 7}
    assert player.describe().startswith(f"[player] {ALT}")


def test_a_player_of_one_state_does_not_move():
    player = play([4], show_state, alt=ALT)
    assert player.controls["step"].disabled
    press(player, "Step")
    assert player.frame["caption"] == "state 4"
    player.sweep()


def test_a_player_starts_where_it_is_told():
    player = play(range(5), show_state, alt=ALT, start=3)
    assert player.frame["caption"] == "state 3" and player.player.value == 3
    for start in (-1, 5):
        with pytest.raises(ValueError, match="start"):
            play(range(5), show_state, alt=ALT, start=start)


def test_a_player_may_count_from_1():
    player = play([1, 2, 3], show_state, alt=ALT, first=1, start=1)
    assert player.frame["caption"] == "state 2" and player.controls["step"].value == 2
    captions = []
    for label in ["Step", "Step", "Back", "Back", "Back"]:
        press(player, label)
        captions.append(player.frame["caption"])
    assert captions == ["state 3", "state 3", "state 2", "state 1", "state 1"]
    assert (player.player.min, player.player.max) == (1, 3)
    assert {values["step"] for values, _ in player.sweep()} >= {1, 2, 3}
    with pytest.raises(ValueError, match="first"):
        play([1], show_state, alt=ALT, first=-1)


def test_a_player_needs_states_and_a_pace():
    with pytest.raises(ValueError, match="no state to play"):
        play([], show_state, alt=ALT)
    with pytest.raises(ValueError, match="interval"):
        play([1], show_state, alt=ALT, interval=0)
    with pytest.raises(ValueError, match="first parameter"):
        play([1], lambda state: None, alt=ALT)


@pytest.mark.parametrize("subplots", [(1, 2), (2, 2)])
def test_players_with_several_axes_or_a_bare_figure(subplots):
    def both(axes, state):
        assert axes.shape == ((2,) if 1 in subplots else subplots)
        axes.flat[0].plot([0, state])

    first = play([1, 2], both, alt=ALT, subplots=subplots)
    before = first.frame["picture"]
    press(first, "Step")
    assert first.frame["picture"] != before

    def whole(fig, state):
        fig.subplots().plot([0, state])

    second = play([1, 2], whole, alt=ALT)
    before = second.frame["picture"]
    press(second, "Step")
    assert second.frame["picture"] != before


# ---------------------------------------------------------------------------------------------------------------
# Still pictures and code
# ---------------------------------------------------------------------------------------------------------------
@pytest.fixture
def displayed(monkeypatch):
    """What a cell would show: (data, metadata) of each display."""
    shown = []

    def keep(data, metadata=None, raw=False):
        shown.append((data, metadata))

    monkeypatch.setattr("mlcore.classroom.viz.draw.still.display", keep)
    monkeypatch.setattr("mlcore.classroom.viz.draw.code.display", keep)
    return shown


def test_a_still_picture_is_the_same_every_time(displayed):
    for _ in range(2):
        fig, ax = viz.figure()
        lines(ax)
        viz.show(fig, "a sine curve with its axis")
    (first, metadata), (second, _) = displayed
    assert first == second
    assert metadata == {"image/png": {"alt": "a sine curve with its axis", "width": 700, "height": 400}}
    assert first["text/plain"] == "[figure] a sine curve with its axis"
    assert Image.open(io.BytesIO(base64.b64decode(first["image/png"]))).size == (1400, 800)


def test_figure_gives_axes_in_the_shape_asked_for():
    _, ax = viz.figure()
    assert ax.get_title() == "" and not ax.spines["top"].get_visible()
    _, axes = viz.figure(2, 3, sharex=True)
    assert axes.shape == (2, 3)


def test_show_source_shows_the_real_code(displayed):
    viz.show_source(viz.grid_over)
    viz.show_source(Canvas.jpeg)
    viz.show_source(viz.Explorer.values)
    shown = [data["text/plain"] for data, _ in displayed]
    assert shown[0].startswith("mlcore/classroom/viz/draw/plots.py\n\ndef grid_over(xlim, ylim, n=120):")
    place = "mlcore/classroom/viz/draw/canvas.py"
    assert shown[1].startswith(f"{place}\n\ndef jpeg(self):"), "a method stands at the margin"
    assert "def values(self):" in shown[2]
    assert all("0x" not in text and "/work" not in text for text in shown)
    markdown = displayed[0][0]["text/markdown"]
    assert markdown.startswith("`mlcore/classroom/viz/draw/plots.py`\n\n```python\ndef grid_over")


def test_show_source_shows_first_paragraphs_in_lines_that_fit(displayed):
    viz.show_source(viz.probability_map)
    shown = displayed[0][0]["text/plain"]
    assert "labelled contours." in " ".join(shown.split())
    assert "Parameters" not in shown and "return model.predict_proba" in shown
    long = 'def f(x):\n    """' + "word " * 40 + '\n\n    Second paragraph.\n    """\n    return x\n'
    lines = code.as_shown(long).split("\n")
    assert max(map(len, lines)) <= code.PAGE and lines[-1] == "    return x" and "Second" not in "".join(lines)


def test_the_place_of_code_is_named_from_the_package_on(displayed, monkeypatch):
    """A checkout may be called mlcore too."""
    monkeypatch.setattr(code.inspect, "getsourcefile", lambda obj: "/x/mlcore/mlcore/classroom/viz/draw/plots.py")
    viz.show_source(viz.grid_over)
    assert displayed[0][0]["text/plain"].startswith("mlcore/classroom/viz/draw/plots.py\n")


def test_show_source_of_something_without_source():
    with pytest.raises(TypeError):
        viz.show_source(3)


# ---------------------------------------------------------------------------------------------------------------
# Plots
# ---------------------------------------------------------------------------------------------------------------
def pixel_at(canvas, ax, x, y):
    """The colour that a canvas shows at a place in data coordinates."""
    column, row = ax.transData.transform((x, y))
    picture = canvas.pixels()
    return picture[int(picture.shape[0] - 1 - np.floor(row)), int(np.floor(column))] / 255


def test_regions_have_the_colour_of_the_predicted_class():
    def predict(points):
        return np.where(points[:, 0] ** 2 + points[:, 1] ** 2 < 2, "in", np.where(points[:, 1] > 0, "up", "down"))

    classes = ["up", "in", "down"]
    canvas = Canvas(lambda ax: viz.decision_regions(ax, predict, xlim=(-3, 3), ylim=(-2, 2), classes=classes))
    canvas.paint()
    ax = canvas.axes[0, 0]
    probes = rng.uniform((-2.9, -1.9), (2.9, 1.9), size=(300, 2))
    clear = probes[(np.abs(np.hypot(*probes.T) - 2**0.5) > 0.12) & (np.abs(probes[:, 1]) > 0.1)]
    assert len(clear) > 200
    for probe in clear:
        expected = to_rgb(style.light(classes.index(predict(probe[None])[0])))
        np.testing.assert_allclose(pixel_at(canvas, ax, *probe), expected, atol=0.01)


def test_regions_meet_where_the_prediction_changes():
    """The grid's colours are not shifted by half a cell: along each row the change lies within one cell of it."""
    canvas = Canvas(lambda ax: viz.decision_regions(ax, lambda p: p[:, 0] > 0.5, xlim=(0, 1), ylim=(0, 1), n=12))
    canvas.paint()
    ax = canvas.axes[0, 0]
    step = 1 / 11
    grid = np.linspace(0, 1, 12)
    change = grid[grid > 0.5][0] - step / 2
    for x, k in [(change - 0.02, 0), (change + 0.02, 1)]:
        np.testing.assert_allclose(pixel_at(canvas, ax, x, 0.3), to_rgb(style.light(k)), atol=0.01)


def test_borders_of_labels_are_straight_for_few_more_predictions():
    """On a grid of 40 the border lies within a thirtieth of a cell of where it is, and the colours change there too."""
    asked = []

    def predict(points):
        asked.append(len(points))
        return (points @ [0.31, 1.0] > 0.123).astype(int)

    canvas = Canvas(lambda ax: viz.decision_regions(ax, predict, xlim=(-1, 1), ylim=(-1, 1), n=40))
    canvas.paint()
    asked.clear()
    canvas.paint()
    assert asked[0] == 1600 and sum(asked) < 2 * asked[0]
    ax = canvas.axes[0, 0]
    line = border_of(ax)
    way = line @ [0.31, 1.0] - 0.123
    cell = 2 / 39
    assert np.abs(way).max() / np.hypot(0.31, 1) <= cell / 30
    assert {-1, 1} <= set(line[:, 0].round(9))  # from one edge to the other
    for x in np.linspace(-0.9, 0.9, 30):
        border = 0.123 - 0.31 * x
        for y, k in ((border - 0.25 * cell, 0), (border + 0.25 * cell, 1)):  # beside the line
            np.testing.assert_allclose(pixel_at(canvas, ax, x, y), to_rgb(style.light(k)), atol=0.01)


def border_of(ax):
    """All corners of the lines between regions."""
    (lines,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    return np.concatenate(lines.get_segments())


def test_borders_have_corners_where_there_are_corners():
    """A box, as a tree has it, and the place where three regions of the nearest centre meet."""
    low, high = np.array([-0.437, -0.611]), np.array([0.271, 0.583])
    _, ax = viz.figure()
    viz.decision_regions(ax, lambda p: ((p > low) & (p < high)).all(axis=1), xlim=(-1, 1), ylim=(-1, 1), n=40)
    line = border_of(ax)
    for corner in ((x, y) for x in (low[0], high[0]) for y in (low[1], high[1])):
        assert np.abs(line - corner).max(axis=1).min() < 0.002
    steps = np.abs(np.diff(line, axis=0))
    assert steps.min(axis=1).max() < 1e-9  # along the axes, and nowhere aslant

    centres = np.array([[-0.6, -0.3], [0.7, -0.4], [0.1, 0.8]])
    _, ax = viz.figure()
    viz.decision_regions(ax, lambda p: metrics.euclidean(p, centres).argmin(axis=1), xlim=(-1, 1), ylim=(-1, 1), n=40)
    gaps = metrics.euclidean(border_of(ax), centres)
    two = np.sort(gaps, axis=1)
    assert np.abs(two[:, 0] - two[:, 1]).max() < 0.02
    assert (two[:, 2] - two[:, 0]).min() < 0.02


def test_borders_that_are_bent_or_cross_are_where_they_are():
    def circle(points):
        return (np.hypot(*(points - 0.013).T) < 0.7).astype(int)

    def cross(points):
        return ((points[:, 0] - 0.317) * (points[:, 1] + 0.211 * points[:, 0] + 0.03) > 0).astype(int)

    for predict, off in (
        (circle, lambda p: np.hypot(*(p - 0.013).T) - 0.7),
        (cross, lambda p: np.minimum(np.abs(p[:, 0] - 0.317), np.abs(p[:, 1] + 0.211 * p[:, 0] + 0.03))),
    ):
        _, ax = viz.figure()
        viz.decision_regions(ax, predict, xlim=(-1, 1), ylim=(-1, 1), n=30)
        assert np.abs(off(border_of(ax))).max() < 0.005  # a cell is 0.07 wide


def test_a_border_more_ragged_than_the_grid_is_asked_no_further():
    asked = []

    def predict(points):
        asked.append(len(points))
        return np.random.default_rng(0).integers(0, 3, size=len(points))

    _, ax = viz.figure()
    viz.decision_regions(ax, predict, xlim=(-1, 1), ylim=(-1, 1), n=20)
    assert asked == [400] and len(border_of(ax)) > 100


def test_scores_that_change_in_steps_have_corners_too():
    class Steps:
        def decision_function(self, points):
            return np.where(points[:, 0] > 0.103, 1.0, -0.4) + np.where(points[:, 1] > -0.307, 0.3, -0.7)

        def predict(self, points):
            return (self.decision_function(points) > 0).astype(int)

    _, ax = viz.figure()
    viz.decision_regions(ax, Steps(), xlim=(-1, 1), ylim=(-1, 1), n=40)
    line = border_of(ax)
    assert np.abs(np.diff(line, axis=0)).min(axis=1).max() < 1e-9 and np.ptp(line, axis=0).max() < 2.01
    np.testing.assert_allclose(np.unique(line[:, 0].round(3))[0], 0.103, atol=0.004)


def test_regions_of_a_label_that_is_no_class():
    _, ax = viz.figure()
    with pytest.raises(ValueError, match="the label 2 is predicted, but the classes are 0, 1"):
        viz.decision_regions(ax, lambda p: np.full(len(p), 2), xlim=(0, 1), ylim=(0, 1), classes=[0, 1])


def test_regions_take_a_model_or_a_function_and_the_limits_of_the_points():
    class Model:
        def predict(self, points):
            return (points[:, 0] > 0).astype(int)

    pictures = []
    for predict in (Model(), Model().predict):
        canvas = Canvas(lambda ax, predict=predict: viz.decision_regions(ax, predict, POINTS, LABELS))
        pictures.append(painted(canvas))
        ax = canvas.axes[0, 0]
        assert ax.get_xlim()[0] < POINTS[:, 0].min() and ax.get_xlim()[1] > POINTS[:, 0].max()
    np.testing.assert_array_equal(*pictures)
    with pytest.raises(ValueError, match="without points, both xlim and ylim are needed"):
        viz.decision_regions(viz.figure()[1], Model())


def test_regions_of_one_class_only():
    canvas = Canvas(lambda ax: viz.decision_regions(ax, lambda p: np.zeros(len(p), int), xlim=(0, 1), ylim=(0, 1)))
    canvas.paint()
    np.testing.assert_allclose(pixel_at(canvas, canvas.axes[0, 0], 0.5, 0.5), to_rgb(style.light(0)), atol=0.01)


def test_a_probability_map_is_darker_where_it_is_surer():
    canvas = Canvas(
        lambda ax: viz.probability_map(ax, lambda p: 1 / (1 + np.exp(-3 * p[:, 0])), xlim=(-3, 3), ylim=(-1, 1))
    )
    canvas.paint()
    ax = canvas.axes[0, 0]
    blue, white, orange = (pixel_at(canvas, ax, x, 0.6) for x in (-2.9, 0.08, 2.9))
    np.testing.assert_allclose(blue, to_rgb(style.light(0, 0.68)), atol=0.03)
    np.testing.assert_allclose(orange, to_rgb(style.light(1, 0.68)), atol=0.03)
    assert white.min() > 0.85
    labels = [text.get_text() for text in ax.texts]
    assert sorted(labels) == ["0.1", "0.5", "0.9"]


def test_the_levels_of_a_probability_map_stand_where_no_points_are():
    """On the lines, level, inside, and away from a crowd of points along half of them."""
    X = np.column_stack([np.repeat([-0.73, 0.0, 0.73], 30), np.tile(np.linspace(-1, 0.2, 30), 3)])
    y = (X[:, 0] > 0).astype(int)
    canvas = Canvas(lambda ax: viz.probability_map(ax, lambda p: 1 / (1 + np.exp(-3 * p[:, 0])), X, y,
                                                   xlim=(-3, 3), ylim=(-1, 1)))  # fmt: skip
    canvas.paint()
    texts = canvas.axes[0, 0].texts
    assert [text.get_text() for text in texts] == ["0.1", "0.5", "0.9"]
    for text, x in zip(texts, (-0.7324, 0.0, 0.7324)):
        assert abs(text.get_position()[0] - x) < 0.02 and 0.3 < text.get_position()[1] < 1


def test_a_probability_map_of_steps_has_right_angles():
    def steps(points):
        return 0.1 + 0.2 * (points[:, 0] > 0.313) + 0.3 * (points[:, 1] > -0.271)

    canvas = Canvas(lambda ax: viz.probability_map(ax, steps, xlim=(-1, 1), ylim=(-1, 1), n=40, levels=(0.35,)))
    canvas.paint()
    ax = canvas.axes[0, 0]
    line = border_of(ax)
    assert np.abs(np.diff(line, axis=0)).min(axis=1).max() < 1e-9
    assert np.abs(line[:, 1] + 0.271).max() < 2 / 39
    blue, orange = light(0, 0.68), light(1, 0.68)
    for (x, z), value in (((-0.5, -0.6), 0.1), ((0.6, -0.6), 0.3), ((-0.5, 0.4), 0.4), ((0.6, 0.4), 0.6)):
        wanted = style_mix(blue, "paper", 2 * value) if value < 0.5 else style_mix("paper", orange, 2 * value - 1)
        np.testing.assert_allclose(pixel_at(canvas, ax, x, z), wanted, atol=0.02)


def style_mix(one, other, share):
    return (1 - share) * np.array(to_rgb(one)) + share * np.array(to_rgb(other))


def test_the_contours_of_a_probability_map_may_go_without_labels():
    def probability(points):
        return 1 / (1 + np.exp(-points[:, 0]))

    texts = []
    for label_levels in (True, False):
        _, ax = viz.figure()
        viz.probability_map(ax, probability, xlim=(-3, 3), ylim=(-1, 1), n=30, label_levels=label_levels)
        texts.append([text.get_text() for text in ax.texts])
    assert texts == [["0.1", "0.5", "0.9"], []]


def test_a_probability_map_takes_a_model():
    class Model:
        def predict_proba(self, points):
            second = 1 / (1 + np.exp(-points[:, 0]))
            return np.column_stack([1 - second, second])

    one = painted(Canvas(lambda ax: viz.probability_map(ax, Model(), POINTS, LABELS)))
    two = painted(Canvas(lambda ax: viz.probability_map(ax, lambda p: Model().predict_proba(p)[:, 1], POINTS, LABELS)))
    np.testing.assert_array_equal(one, two)


def test_points_have_their_classes_colours_and_sizes():
    _, ax = viz.figure()
    X = np.array([[0.0, 0], [1, 1], [2, 2], [3, 3]])
    viz.scatter_classes(ax, X, np.array(["b", "a", "b", "a"]), sizes=[10, 20, 30, 40], names=["A", "B"])
    first, second = ax.collections
    np.testing.assert_array_equal(first.get_offsets(), X[[1, 3]])
    np.testing.assert_array_equal(first.get_sizes(), [20, 40])
    np.testing.assert_array_equal(second.get_sizes(), [10, 30])
    np.testing.assert_allclose(first.get_facecolors()[0, :3], to_rgb(style.color(0)))
    np.testing.assert_allclose(second.get_facecolors()[0, :3], to_rgb(style.color(1)))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["A", "B"]
    viz.scatter_classes(viz.figure()[1], X, np.ones(4), classes=[0, 1], legend=False)  # a class without points


def test_points_of_one_size_are_as_large_as_those_with_sizes():
    """Matplotlib gives a scatter's sizes as areas, a line's marker as a width: the pictures must agree."""
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 3

    def draw(ax, sizes):
        viz.scatter_classes(ax, X, y, sizes=sizes, legend=False)
        ax.set_axis_off()

    canvas = Canvas(draw)
    ink = [painted(canvas, sizes=sizes).min(axis=2) < 250 for sizes in (400, np.full(12, 400))]
    for across in (0, 1):
        first, second = (np.flatnonzero(one.any(axis=across))[[0, -1]] for one in ink)
        np.testing.assert_allclose(first, second, atol=1)
    assert ink[0].sum() == pytest.approx(ink[1].sum(), rel=0.03)
    _, ax = viz.figure()
    viz.scatter_classes(ax, X, y, names=["A", "B", "C"], edge="black", alpha=0.5)
    assert [line.get_marker() for line in ax.lines] == list(style.MARKERS[:3])
    assert {line.get_markeredgecolor() for line in ax.lines} == {"black"}
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), X[y == 1])


def test_points_of_hardly_any_weight_keep_a_ring():
    X, y, sizes = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]]), np.array([0, 0, 1, 1]), np.array([0.1, 40, 200, 2])
    _, ax = viz.figure()
    drawn = viz.scatter_classes(ax, X, y, sizes=sizes)
    assert [list(artist.get_sizes()) for artist in drawn] == [[0.1, 40], [200, 2]]
    rings = [line for line in ax.lines if len(line.get_xdata())]
    assert [line.get_xydata().tolist() for line in rings] == [[[0, 0]], [[1, 1]]]
    assert {line.get_markerfacecolor() for line in rings} == {"none"} and rings[0].get_markersize() > 4


def test_the_border_is_the_contour_that_matplotlib_draws():
    class Model:
        def predict(self, points):
            return (self.decision_function(points) > 0).astype(int)

        def decision_function(self, points):
            return np.sin(points[:, 0]) + points[:, 1] ** 2 - 1

    _, ax = viz.figure()
    viz.decision_regions(ax, Model(), xlim=(-3, 3), ylim=(-2, 2), n=50)
    (ours,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    points, _ = viz.grid_over((-3, 3), (-2, 2), 50)
    theirs = viz.figure()[1].contour(
        *points.T.reshape(2, 50, 50), Model().decision_function(points).reshape(50, 50), levels=[0]
    )
    segments = theirs.allsegs[0]
    assert len(ours.get_segments()) == len(segments) > 1
    for one, other in zip(ours.get_segments(), segments, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_the_collector_waits_while_a_picture_is_painted():
    """Also when the drawing raises; and it stays off where it was off."""
    seen = []

    def draw(ax, fail):
        seen.append(gc.isenabled())
        if fail:
            raise RuntimeError("no")

    canvas = small(draw)
    canvas.paint(fail=False)
    with pytest.raises(RuntimeError):
        canvas.paint(fail=True)
    assert not any(seen) and gc.isenabled()
    gc.disable()
    try:
        canvas.paint(fail=False)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_innermost_contours_are_as_smooth_as_the_others():
    """Of a valley that is no bowl: no ring of so few corners that one sees them."""
    def valley(points):
        return np.log(np.cosh(3 * (points[:, 0] - 0.3))) + np.log(np.cosh(2 * points[:, 1] + points[:, 0]))

    _, ax = viz.figure()
    viz.loss_contours(ax, valley, (-3, 3), (-3, 3), n=60)
    rings = [line for c in ax.collections for line in c.get_segments() if (line[0] == line[-1]).all()]
    assert len(rings) >= 8 and min(map(len, rings)) >= 25
    for ring in rings:
        assert np.ptp(valley(ring)) < 0.03 * valley(ring).mean()


def test_loss_contours_enclose_the_minimum():
    _, ax = viz.figure()
    viz.loss_contours(ax, lambda p: (p[:, 0] - 1) ** 2 + 10 * (p[:, 1] + 0.5) ** 2, (-2, 3), (-2, 2))
    (lines_,) = ax.collections
    paths = [path for path in lines_.get_paths() if len(path.vertices)]
    assert len(paths) >= 8
    assert paths[0].contains_point((1, -0.5))
    viz.loss_contours(ax, lambda p: p[:, 0], (-1, 1), (-1, 1))
    assert ax.get_xlim() == (-1, 1)


def test_the_contours_of_a_quadratic_are_exact():
    """Also where it is narrow, steep and far from the middle; what is nearly quadratic is drawn as it is."""
    A, low = np.array([[40.0, 39.6], [39.6, 40.0]]), np.array([2.2, -1.4])

    def bowl(points):
        return 7 + 1e-3 * np.einsum("ij,jk,ik->i", points - low, A, points - low)

    _, ax = viz.figure()
    viz.loss_contours(ax, bowl, (-2, 3), (-2, 20))
    (rings,) = ax.collections
    heights = [bowl(ring) for ring in rings.get_segments()]
    assert len(heights) == 12 and all(np.ptp(ring) < 1e-9 * ring.mean() for ring in heights)
    tops = np.array([ring.mean() for ring in heights])
    on_grid = bowl(viz.grid_over((-2, 3), (-2, 20), 80)[0])
    assert tops[-1] == pytest.approx(on_grid.max()) and (np.diff(tops) > 0).all() and tops[0] > on_grid.min()
    for other in (lambda p: bowl(p) + 0.01 * np.sin(p[:, 0]), lambda p: -bowl(p), lambda p: p[:, 0] ** 2):
        _, ax = viz.figure()
        viz.loss_contours(ax, other, (-2, 3), (-2, 2))
        lines = ax.collections[0].get_segments()
        assert any(len(line) < len(heights[0]) / 2 or np.ptp(other(line)) > 1e-6 for line in lines), "an ellipse"


def test_a_path_ends_in_a_ring():
    _, ax = viz.figure()
    path = np.array([[0.0, 0], [1, 1], [1.5, 1.2]])
    viz.draw_path(ax, path, k=2, label="descent")
    line, ring = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), path)
    np.testing.assert_array_equal(ring.get_xydata(), path[-1:])
    assert line.get_label() == "descent"


def test_an_ellipse_lies_at_its_mahalanobis_distance():
    _, ax = viz.figure()
    mean, covariance = np.array([1.0, -2]), np.array([[2.0, 0.9], [0.9, 1]])
    viz.covariance_ellipse(ax, mean, covariance, n_std=1.5)
    (ellipse,) = ax.patches
    outline = ellipse.get_patch_transform().transform(ellipse.get_path().vertices)[:-1] - mean
    on_curve = outline[::3]  # the points between are control points of Bézier curves
    distances = np.sqrt(np.einsum("ij,jk,ik->i", on_curve, np.linalg.inv(covariance), on_curve))
    np.testing.assert_allclose(distances, 1.5, rtol=1e-3)


def test_a_map_shows_how_much_is_done_only_where_something_is():
    labels, needs = {1: "one", 2: "two", 3: "three"}, {1: (), 2: (1,), 3: (1,)}
    plates = []
    for done in (None, {1: (0, 5)}, {1: (2, 5), 2: (5, 5), 3: (0, 4)}):
        _, ax = viz.figure()
        viz.draw_map(ax, labels, needs, done=done)
        plates.append([c for c in ax.collections if len(c.get_edgecolor()) == 1])
    assert plates[0] == plates[1] == []
    (last,) = plates[2]
    white, green = last.get_facecolor()
    assert white.tolist() == [1, 1, 1, 1] and green[1] > green[0]


def test_the_boxes_of_a_map_lead_where_they_say():
    """The links lie on the boxes, and change neither the picture nor what a notebook stores as text."""
    labels, needs = {1: "one", 2: "two\nwords", 3: "three"}, {1: (), 2: (1,), 3: (1,)}
    places = {1: "one.ipynb", 3: "three.ipynb"}

    def draw(links):
        return lambda ax, k=1: viz.draw_map(ax, labels, needs, highlight={k}, links=links)

    plain, linked = (explore(draw(links), alt=ALT, k=(1, 3)) for links in (None, places))
    assert plain.frame["links"] == [] and linked.frame["picture"] == plain.frame["picture"]
    assert linked.describe() == plain.describe()
    assert [link[:2] for link in linked.frame["links"]] == [["one.ipynb", "one"], ["three.ipynb", "three"]]
    marked = painted(Canvas(draw(None)), k=1) != painted(Canvas(draw(None)), k=3)
    height, width = marked.shape[:2]
    for _, _, left, top, across, down in linked.frame["links"]:
        inside = np.zeros((height, width), dtype=bool)
        rows = slice(round(top * height) - 2, round((top + down) * height) + 2)
        inside[rows, round(left * width) - 2 : round((left + across) * width) + 2] = True
        assert marked.any(axis=2)[inside].mean() > 0.9, "the box that is marked lies elsewhere"
        marked[inside] = False
    assert not marked.any(), "a box is larger than its link"


def test_a_grid_covers_its_rectangle():
    points_, extent = viz.grid_over((0, 2), (-1, 1), n=3)
    assert extent == (0, 2, -1, 1)
    np.testing.assert_array_equal(points_[[0, 1, 3, -1]], [[0, -1], [1, -1], [0, 0], [2, 1]])


def test_colours_repeat_and_can_be_told_apart():
    assert style.color(0) == style.color(len(style.COLORS))
    assert len(set(style.COLORS)) == len(set(style.MARKERS)) == 8
    assert to_rgb(style.light(0, 0)) == to_rgb(style.color(0))
    assert to_rgb(style.light(0, 1)) == (1, 1, 1)


# ---------------------------------------------------------------------------------------------------------------
# What the page is told
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("height, n_controls", [(3.0, 1), (4.4, 2), (7.0, 1), (5.4, 6)])
def test_an_explorer_fits_the_window_with_its_controls(height, n_controls):
    def draw(ax, **values):
        ax.plot(list(values.values()))

    names = [f"control number {i} of some length" for i in range(n_controls)]
    labels = {f"c{i}": name for i, name in enumerate(names)}
    one = explore(draw, alt=ALT, figsize=(7.0, height), labels=labels, **{key: (0.0, 1.0) for key in labels})
    width = one.stage.spec["shown"]
    rows, row = -(-n_controls // 3), 50 if n_controls < 3 else 70  # of three columns each label takes two lines
    assert width * height / 7.0 + row * rows + 44 <= 560 and width <= 700
    assert width == 700 or height > 4.0, "smaller than need be"


def test_the_page_hears_of_every_answer():
    one = explorer()
    turns = []
    one.stage.observe(lambda change: turns.append(change.new["turn"]), "frame")
    first = one.frame["turn"]
    one.controls["slope"].value = 1.0
    one.controls["slope"].value = -1.0
    assert len(turns) == 2 and first < turns[0] < turns[1]


def test_a_player_at_its_end_answers_too():
    """No picture comes there, and the page would wait for one."""
    one = play([1, 2], lambda ax, state: ax.plot([0, state]), alt=ALT)
    step = next(button for button in one.panel.children if getattr(button, "description", "") == "Step")
    step.click()
    before = one.frame["turn"]
    step.click()
    assert one.frame["turn"] > before and one.controls["step"].value == 1


def test_step_and_back_pause_a_player():
    one = play([1, 2, 3], lambda ax, state: ax.plot([0, state]), alt=ALT)
    step = next(button for button in one.panel.children if getattr(button, "description", "") == "Step")
    one.player.playing = True
    step.click()
    assert not one.player.playing and one.controls["step"].value == 1


def test_the_page_sets_the_pace_of_a_player():
    one = play([1, 2, 3], lambda ax, state: ax.plot([0, state]), alt=ALT, interval=500)
    for speed, interval in [(2, 250), (0.5, 1000), (1, 500), (0, 500), ("2", 500), (None, 500), (1e9, 500)]:
        one._heard(None, {"kind": "speed", "speed": speed})
        assert one.player.interval == interval
    assert "speed" not in one.describe()


def test_below_a_saved_picture_stands_how_to_wake_it(monkeypatch):
    shown = []
    monkeypatch.setattr("mlcore.classroom.viz.stage.explorer.display", lambda data, **_: shown.append(data))
    explorer()._ipython_display_()
    assert "image/png" in shown[0] and "Shift+Enter" in shown[1]["text/html"]
    view = "application/vnd.jupyter.widget-view+json"
    assert view in shown[0] and view in shown[1], "on a live page the line must give way to an empty view"


@pytest.mark.parametrize("sizes", [20, [10, 20, 30]])  # the first is so small that it has a ring
def test_classes_of_the_same_rows_are_linked(sizes):
    fig, axes = viz.figure(1, 2)
    X, y = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]), np.array([1, 0, 1])
    for ax in axes:
        drawn = viz.scatter_classes(ax, X, y, sizes=sizes, legend=False, rows="rows")
        assert len(drawn) == 2
    viz.scatter_classes(axes[0], X, y, sizes=sizes, legend=False)
    groups = dots_of(fig)
    assert [group["link"] for group in groups] == ["rows 0", "rows 1", "", "", "rows 0", "rows 1"]
    assert [len(group["xy"]) for group in groups] == [1, 2, 1, 2, 1, 2]
