"""What an explorer tells its page: specs and frames that are whole, what can be held, what glides, what can be read."""

import inspect
import io
import json
import math
import re

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.patches import Ellipse, Rectangle
from PIL import Image

from mlcore.classroom import memory, viz
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.finishing import smallest_letters
from mlcore.classroom.viz.draw.marks import marks_of
from mlcore.classroom.viz.draw.readings import MOST_DOTS, PHOTO, axes_of, dots_of
from mlcore.classroom.viz.draw.roles import palette
from mlcore.classroom.viz.draw.style import true_signs
from mlcore.classroom.viz.stage import explorer as explorers
from mlcore.classroom.viz.stage.widget import PAGE, PARTS, SHEETS, script, sheet
from mlcore.viz import draggable, explore, glide, goal, guess, hold, linked, log_slider, play

ALT = "a threshold on an axis of numbers"
CHOICES = {"flatter": "No: the last point pulls it up.", "steeper": "Right, by its distance."}
TOLD = {"low": "It is more.", "near": "Just so.", "high": "It is less."}
rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    """Each test begins without guesses made or goals reached, on a light page."""
    monkeypatch.setattr(memory, "_SESSION", {field: {} for field in memory.FIELDS})
    monkeypatch.setitem(explorers.screen, "theme", "light")


def threshold(ax, t=0.5):
    ax.plot([0, 2], [0, 10])
    glide(ax.axvline(t), "threshold")
    ax.set(xlim=(0, 2), ylim=(0, 10))
    if t == 0:
        raise ValueError("nothing is below")
    return f"t = {t:.2f}", {"share": t / 2}


def explorer(draw=threshold, **options):
    return explore(draw, **{"alt": ALT, "t": (0.0, 2.0, 0.1), **options})


def send(one, number=1, **message):
    """Let the page send a message, and return the frame that answers it."""
    one._heard(None, {"number": number, **message})
    assert one.frame["answers"] == number
    return one.frame


def rest(one, ratio=1.0, theme="light", **message):
    return send(one, kind="rest", ratio=ratio, theme=theme, **message)


def in_page(figure, points):
    """Places in pixels, as matplotlib counts them, in parts of the picture from its upper left corner."""
    return np.asarray(points) / figure.bbox.size * [1, -1] + [0, 1]


# ---------------------------------------------------------------------------------------------------------------
# Specs and frames
# ---------------------------------------------------------------------------------------------------------------
SPEC = {
    "kind", "alt", "size", "question", "points", "start", "goals", "lines", "palette", "holds",
    "shown", "rest", "heights", "labels", "ranges",
}  # fmt: skip
FRAME = {
    "turn", "answers", "picture", "type", "key", "theme", "rests", "caption", "error", "question", "guessed", "points",
    "reached", "line", "values", "holds", "held", "marks", "axes", "dots", "links", "size", "result",
}  # fmt: skip


def with_all(ax, X, y, t=0.5):
    linked(ax.scatter(*X.T), "rows")
    glide(ax.scatter(*X.T, s=y + 1), "points")
    glide(ax.text(t, 1, "here"), "text")
    return "all", {"share": t}


def odd(ax, t=0.5):
    """What is not there, not a number, not on the axis."""
    ax.scatter([], [])
    glide(ax.scatter([np.nan, 1, -1], [1, np.nan, 2]), "some")
    glide(ax.plot([-1, 0, 1, np.inf], [1, 2, np.nan, 3], "o-"), "line")
    glide(ax.text(np.nan, 1, "nowhere"), "text")
    ax.set(xscale="log", xlim=(0.01, 100))


def in_code(ax, state):
    ax.plot([0, state])


def every_kind():
    yield explorer(holds={"t": hold("x")})
    yield explorer(odd, holds={"t": hold("x")})
    points = draggable(rng.uniform(-1, 1, size=(4, 2)), [0, 1, 1, 0], box=((-2, 2), (-2, 2)))
    asked = guess("How much?", (0, 1, 0.1), 0.6, TOLD, near=0.1, seen=hold("x"))
    goals = [goal("2.A", "up", lambda share: share > 1, by={"t": 2})]
    yield explorer(with_all, points=points, guess=asked, goals=goals, holds={"t": hold("y")})
    yield play([1, 2], in_code, alt=ALT, code=in_code, line=lambda state: "ax.plot", values=lambda state: {"a": state})


def test_specs_and_frames_are_whole_and_plain():
    """The same fields in every state, of texts, numbers and lists as JSON has them; and the picture's bytes."""
    seen = 0
    for one in every_kind():
        assert set(one.stage.spec) == SPEC
        assert json.loads(json.dumps(one.stage.spec, allow_nan=False)) == one.stage.spec
        for message in [None, {"kind": "guess", "guess": 0.5}, {"kind": "rest", "ratio": 1.5}, {"kind": "hello"}]:
            one._heard(None, message)
            frame = dict(one.frame)
            assert set(frame) == FRAME
            assert type(frame.pop("picture")) is bytes
            assert json.loads(json.dumps(frame, allow_nan=False)) == frame
            seen += 1
    assert seen == 16


@pytest.mark.parametrize(
    ("caption", "result"),
    [("", ""), ("48% lie below 0.05. The rest above", "48\N{NO-BREAK SPACE}% lie below 0.05"), ("step 3", "step 3"),
     ("errors: naive 2, full 2 of 24; log-loss 0.23", "errors: naive 2"), ("all arrived. Nothing moves", "all arrived"),
     ("prior Beta(2.0, 2.0), no toss", "prior Beta(2.0, 2.0)"), ("area on [3, 6]: 1.00", "area on [3, 6]"),
     ("area 1.0 on [0, 6]; best", "area 1.0 on [0, 6]"), ("forward: from {none, 1} on", "forward: from {none, 1} on"),
     ("x" * 64, "x" * 64), ("x" * 65, ""), (f"so, {'x' * 70} 3", "so")],
)  # fmt: skip
def test_the_result_of_a_caption_is_its_first_part_with_a_number(caption, result):
    one = explore(lambda ax, t=0.5: caption, alt=ALT, t=(0.0, 1.0))
    assert one.frame["result"] == [result, true_signs(caption).removeprefix(result)]


def test_a_frame_after_an_error_has_the_same_fields():
    one = explorer(holds={"t": hold("x")})
    one.controls["t"].value = 0
    frame = one.frame
    assert set(frame) == FRAME and frame["error"]["name"] == "ValueError"
    assert frame["marks"] == frame["axes"] == frame["dots"] == [] and frame["holds"] == {"t": None}
    json.dumps({name: value for name, value in frame.items() if name != "picture"}, allow_nan=False)
    one.controls["t"].value = 1
    assert one.frame["error"] is None and one.frame["marks"] and one.frame["holds"]["t"]


@pytest.mark.parametrize("height", [4.0, 4.2, 4.4, 4.6, 4.8, 5.0, 5.2])
def test_no_name_of_axes_with_a_fixed_aspect_sticks_out(height):
    """Whether they are limited by the height of the figure, by its width, or nearly by both."""

    def draw(axes):
        for ax in axes:
            ax.set(title="title", xlabel="x", ylabel="y", aspect="equal", xlim=(-1.8, 2.8), ylim=(-1.8, 2.4))

    canvas = Canvas(draw, (9.4, height), (1, 2))
    canvas.paint()
    for ax in canvas.axes.flat:
        left, low, right, high = ax.get_tightbbox().extents
        assert left >= 0 and right <= 940 and low >= 0 and high <= 100 * height


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "ratios", "size"),
    [((1, 1), None, [450, 300]), ((1, 2), None, [400, 600]), ((1, 2), [3, 1], [600, 600]), ((2, 2), None, [400, 600]),
     ((1, 3), None, [350, 900]), ((2, 1), None, [450, 300])],
)  # fmt: skip
def test_panels_stand_one_below_the_other_in_a_narrow_window(shape, ratios, size):
    """In the order in which they are read; letters are readable there; and the saved picture is the wide one."""

    def draw(axes, t=0.5):
        for i, ax in enumerate(np.atleast_1d(axes).flat):
            ax.set(title=f"panel {i}", xlim=(0, 1))

    one = explore(draw, alt=ALT, figsize=(8, 3), subplots=shape, ratios=ratios, t=(0.0, 1.0))
    wide = one.canvas.png()
    for narrow in (True, False):
        one._heard(None, {"kind": "rest", "ratio": 1.0, "narrow": narrow})
        assert one.frame["size"] == (size if narrow else [800, 300])
        if narrow and shape[1] > 1:
            tops = [ax.get_position().y1 for ax in one.canvas.axes.flat]
            assert tops == sorted(tops, reverse=True) and len(set(tops)) == len(tops)
        shown = (350 / size[0]) if narrow else one.canvas.shown
        assert smallest_letters(one.canvas.figure) * 100 / 72 * shown >= 11 - 1e-6
        assert [ax.get_title("left") for ax in one.canvas.axes.flat] == [f"panel {i}" for i in range(np.prod(shape))]
        assert one.canvas.png() == wide
    one._heard(None, {"kind": "rest", "narrow": "yes"})
    assert one.frame["size"] == [800, 300], "what is no answer is overlooked"


def test_every_frame_has_a_turn_of_its_own():
    """So two frames are never equal, and a page that waits is answered though nothing changes."""
    one, told = explorer(), []
    one.stage.observe(lambda change: told.append(change.new), "frame")
    for number in (1, 2):
        rest(one, number=number)
    assert [frame["answers"] for frame in told] == [1, 2]
    assert told[0]["picture"] == told[1]["picture"] and told[0]["turn"] < told[1]["turn"]
    asked = explorer(alt=ALT + " asked", guess=guess("Which one?", CHOICES, "steeper"))
    first, second = (send(asked, number, kind="guess", guess="flatter") for number in (0.25, 0.5))
    assert first["question"] == second["question"] and first["turn"] < second["turn"]


def test_equal_keys_are_equal_pictures():
    """By its key the page knows whether there is a new picture to swap in."""
    one = explorer()
    pictures = {tuple(one.frame["key"]): one.frame["picture"]}
    for t in (1.0, 1.5, 1.0):
        one.controls["t"].value = t
        assert tuple(one.frame["key"]) not in pictures
        for ratio in (1.0, 2.0, 1.0):
            frame = rest(one, ratio)
            assert pictures.setdefault(tuple(frame["key"]), frame["picture"]) == frame["picture"]
    assert len(pictures) == 7


def test_a_goal_that_is_reached_is_in_the_frame_that_answers():
    one = explorer(goals=[goal("2.A", "far", lambda share: share > 0.9, by={"t": 2})], holds={"t": hold("x")})
    assert send(one, kind="hold", name="t", steps=99)["reached"] == ["2.A"]


# ---------------------------------------------------------------------------------------------------------------
# At rest
# ---------------------------------------------------------------------------------------------------------------
def test_a_picture_at_rest_is_as_sharp_as_the_screen():
    one = explorer()
    for ratio in (1.0, 1.25, 2.0):
        frame = rest(one, ratio)
        assert frame["rests"] and frame["key"][1] == ratio and frame["theme"] == "light" == frame["key"][2]
        assert Image.open(io.BytesIO(frame["picture"])).size == (round(700 * ratio), round(440 * ratio))
        assert frame["type"] == "image/jpeg"
    one.controls["t"].value = 1.0
    assert not one.frame["rests"] and one.frame["key"][1] == 1 and one.frame["dots"] == []


@pytest.mark.parametrize("ratio, used", [
    (0.3, 1), (-2, 1), (9, 4), (3, 3), (None, 1), ("2", 1), ([2], 1), (float("nan"), 1), (10**400, 4),
])  # fmt: skip
@pytest.mark.slow
def test_odd_ratios(ratio, used):
    assert rest(explorer(), ratio)["key"][1] == used


def test_a_picture_at_rest_has_its_points():
    def draw(ax, t=0.5):
        ax.scatter([0, 1], [2, 3], label="some")

    one = explorer(draw)
    assert one.frame["dots"] == []
    assert [dot["name"] for dot in rest(one)["dots"]] == ["some"]


def test_what_is_sharp_is_the_same_picture():
    """And without what glides, which the page draws."""
    one = explorer()
    shape = np.asarray(Image.open(io.BytesIO(one.frame["picture"]))).astype(float)
    sharp = Image.open(io.BytesIO(rest(one, 2.0)["picture"])).resize((700, 440), Image.Resampling.BOX)
    assert np.abs(np.asarray(sharp) - shape).mean() < 4


def test_a_picture_can_be_held_and_rest_again_after_a_rest():
    """The figure for the next picture is made while nothing moves; the last one stays what it was."""
    one = explorer(holds={"t": hold("x")}, guess=guess("Which one?", CHOICES, "steeper"))
    before = one.frame
    first = rest(one, 2.0)
    assert rest(one, 2.0)["picture"] == first["picture"]
    after = send(one, kind="guess", guess="flatter")
    for name in ("picture", "key", "holds", "marks", "axes"):
        assert after[name] == before[name], name
    across, down, *_ = after["holds"]["t"]
    assert send(one, kind="hold", name="t", at=[across, down])["holds"] == before["holds"]
    one.controls["t"].value = 1.5
    fresh = explorer(t=widgets.FloatSlider(1.5, min=0, max=2))
    assert one.frame["picture"] == fresh.frame["picture"] and one.frame["marks"] == fresh.frame["marks"]


def test_a_picture_follows_the_theme_and_is_saved_in_the_light_one():
    light = explorer()
    assert send(light, kind="hello", theme="dark")["theme"] == "dark"
    assert rest(light, theme="dark")["theme"] == "dark" and rest(light, theme=["odd"])["theme"] == "dark"
    again = explorer(alt=ALT + " again")
    assert again.frame["theme"] == "dark" and again._png == light._png
    assert rest(light, theme="light")["theme"] == "light" == light.frame["key"][2]


def test_a_drawing_that_cannot_be_drawn_can_rest():
    """Some errors come only when matplotlib draws; nothing is drawn again that failed."""
    def draw(ax, t=0.5):
        ax.set_title("$\\nothing$" if t > 1 else "fine")

    one = explorer(draw)
    one.controls["t"].value = 2
    assert one.frame["error"]
    for theme in ("light", "dark"):
        frame = rest(one, 2.0, theme)
        assert frame["error"] and frame["rests"]
    one.controls["t"].value = 1
    assert one.frame["error"] is None and rest(one, 2.0)["error"] is None


def test_a_page_that_starts_late_gets_the_state():
    one, sent = explorer(), []
    one.stage.send_state = lambda key=None: sent.append(one.frame) if key is None else None
    one._heard(None, {"kind": "hello", "theme": "light"})
    assert sent == [one.frame] and sent[0]["theme"] == "light"
    one._heard(None, {"kind": "hello", "theme": "dark"})
    assert sent[1:] == [one.frame] and sent[1]["theme"] == "dark", "told before it was drawn"
    one._heard(None, {"kind": "hello"})
    assert len(sent) == 3


# ---------------------------------------------------------------------------------------------------------------
# What can be held
# ---------------------------------------------------------------------------------------------------------------
def at(one, x, y, panel=0):
    """Where the page points to a place of the axes."""
    figure = one.canvas.figure
    return in_page(figure, figure.axes[panel].transData.transform((x, y))).tolist()


def test_a_threshold_is_held_on_its_line():
    one = explorer(holds={"t": hold("x")})
    assert one.stage.spec["holds"] == {"t": {"along": "x", "panel": 0, "anywhere": False}}
    ax = one.canvas.figure.axes[0]
    (left, bottom), (right, top) = in_page(one.canvas.figure, ax.bbox.get_points())
    across, _ = at(one, 0.5, 5)
    expected = [across, (top + bottom) / 2, left, top, right, bottom]
    np.testing.assert_allclose(one.frame["holds"]["t"], expected, atol=1e-4)
    frame = send(one, kind="hold", name="t", at=at(one, 1.234, 7))
    assert one.controls["t"].value == 1.2 and frame["caption"] == "t = 1.20"
    np.testing.assert_allclose(frame["holds"]["t"][0], at(one, 1.2, 0)[0], atol=1e-4)


def test_a_pointer_beyond_the_axes_moves_to_the_end():
    one = explorer(holds={"t": hold("x")})
    assert send(one, kind="hold", name="t", at=[5.0, 0.5])["caption"] == "t = 2.00"
    assert send(one, kind="hold", name="t", at=[-5.0, 0.5])["error"]["text"] == "nothing is below"


def test_a_height_is_held_in_its_panel():
    def draw(axes, level=3):
        axes[1].axhline(level)
        axes[1].set(ylim=(0, 10))

    one = explore(draw, alt=ALT, level=(0, 10), subplots=(1, 2), holds={"level": hold("y", panel=1)})
    edges = one.canvas.figure.axes[1].bbox.get_points()
    across, down, *_ = one.frame["holds"]["level"]
    expected = in_page(one.canvas.figure, edges.mean(axis=0))[0], at(one, 0, 3, panel=1)[1]
    np.testing.assert_allclose((across, down), expected, atol=1e-4)
    send(one, kind="hold", name="level", at=at(one, 0, 7.4, panel=1))
    assert one.values == {"level": 7}


def test_an_angle_is_held_at_its_knob():
    def draw(ax, angle=0.0):
        ax.plot([0, math.cos(angle)], [0, math.sin(angle)])
        ax.set(xlim=(-2, 2), ylim=(-2, 2))

    knob = hold("both", at=lambda a: (math.cos(a), math.sin(a)), read=lambda x, y: math.atan2(y, x))
    one = explore(draw, alt=ALT, angle=(-3.0, 3.0, 0.25), holds={"angle": knob})
    np.testing.assert_allclose(one.frame["holds"]["angle"][:2], at(one, 1, 0), atol=1e-4)
    send(one, kind="hold", name="angle", at=at(one, 0, 0.5))
    assert one.values == {"angle": 1.5}
    np.testing.assert_allclose(one.frame["holds"]["angle"][:2], at(one, math.cos(1.5), math.sin(1.5)), atol=1e-4)


def test_a_coordinate_may_be_read_in_another_way():
    half = hold("x", at=lambda t: t / 2, read=lambda x: 2 * x)
    one = explorer(holds={"t": half})
    np.testing.assert_allclose(one.frame["holds"]["t"][0], at(one, 0.25, 0)[0], atol=1e-4)
    send(one, kind="hold", name="t", at=at(one, 0.7, 0))
    assert one.values == {"t": 1.4}


@pytest.mark.parametrize("control", [log_slider(-2, 2, 0.1), widgets.FloatSlider(0.1, min=0.01, max=100, step=0.01)])
def test_a_place_on_a_logarithmic_axis(control):
    def draw(ax, C=0.1):
        ax.set(xscale="log", xlim=(0.01, 100))

    one = explore(draw, alt=ALT, C=control, holds={"C": hold("x")})
    left, right = (one.frame["holds"]["C"][k] for k in (2, 4))
    assert one.frame["holds"]["C"][0] == pytest.approx(left + (right - left) / 4, abs=2e-4)
    send(one, kind="hold", name="C", at=[left + 3 / 4 * (right - left), 0.5])
    assert one.values["C"] == pytest.approx(10, rel=2e-3)
    before = one.values
    assert send(one, kind="hold", name="C", at=[1e6, 0.5])["caption"] == "" and one.values == before, "off every scale"


def test_what_is_outside_the_axes_cannot_be_held():
    def draw(ax, t=0.5):
        ax.set(xlim=(0, 1), ylim=(0, 1))

    one = explorer(draw, holds={"t": hold("x")})
    seen = []
    for t in (0.0, 1.0, 1.1, 2.0):
        one.controls["t"].value = t
        seen.append(one.frame["holds"]["t"] is not None)
    assert seen == [True, True, False, False]

    one = explorer(draw, holds={"t": hold("y", at=lambda t: math.inf if t > 1 else t, read=float)})
    assert one.frame["holds"]["t"]
    one.controls["t"].value = 1.5
    assert one.frame["holds"]["t"] is None


@pytest.mark.parametrize("control, stops", [
    (widgets.FloatSlider(0.5, min=0, max=2, step=0.1), [0.6, 1.6, 2.0, 1.9, 0.0]),
    (widgets.IntSlider(-8, min=-20, max=20, step=2), [-6, 14, 20, 18, -20]),
    (widgets.SelectionSlider(options=[1, 2, 4, 8], value=1), [2, 8, 8, 4, 1]),
    (log_slider(-1, 1, 1.0, per_decade=2), [10**0.5, 10.0, 10.0, 10**0.5, 0.1]),
])  # fmt: skip
def test_keys_step_what_is_held(control, stops):
    def draw(ax, t=None):
        ax.set(xlim=(-100, 100))

    one = explore(draw, alt=ALT, t=control, holds={"t": hold("x")})
    seen = []
    for steps in (1, 10, 1e6, -1, -1e6):
        send(one, kind="hold", name="t", steps=steps)
        seen.append(one.values["t"])
    np.testing.assert_allclose(seen, stops)


def test_a_move_that_changes_nothing_is_answered_and_not_drawn():
    one = explorer(holds={"t": hold("x")})
    before, drawn = one.frame, []
    one.canvas.paint = lambda **values: drawn.append(values)
    frame = send(one, 7, kind="hold", name="t", at=at(one, 0.52, 3))
    assert drawn == [] and frame["key"] == before["key"] and frame["turn"] > before["turn"]


def test_a_move_draws_once():
    one, drawn = explorer(holds={"t": hold("x")}), []
    paint = one.canvas.paint
    one.canvas.paint = lambda **values: drawn.append(values["t"]) or paint(**values)
    send(one, kind="hold", name="t", at=at(one, 1, 3))
    send(one, kind="hold", name="t", steps=1)
    assert drawn == [1.0, 1.1]
    one.controls["t"].value = 1.5
    assert drawn[2:] == [1.5], "after a move the control no longer draws"


@pytest.mark.parametrize("message", [
    {}, {"name": "other", "at": [0.5, 0.5]}, {"name": None, "steps": 1}, {"name": ["t"], "steps": 1}, {"name": "t"},
    {"name": "t", "at": None}, {"name": "t", "at": 3}, {"name": "t", "at": [0.9]}, {"name": "t", "at": [0.9, 0.5, 1]},
    {"name": "t", "at": ["a", "b"]}, {"name": "t", "at": [None, 0.5]}, {"name": "t", "at": {"x": 1, "y": 2}},
    {"name": "t", "at": [float("nan"), float("nan")]}, {"name": "t", "at": [float("inf"), 0.5]},
    {"name": "t", "at": [10**400, 0.5]},
    {"name": "t", "steps": "far"}, {"name": "t", "steps": [1]}, {"name": "t", "steps": float("nan")},
    {"name": "t", "steps": float("inf")}, {"name": "other", "steps": 1},
])  # fmt: skip
@pytest.mark.slow
def test_odd_messages_hold_nothing(message):
    one = explorer(holds={"t": hold("x")})
    before = one.frame
    frame = send(one, 3, kind="hold", **message)
    assert one.values == {"t": 0.5} and frame["key"] == before["key"] and frame["holds"] == before["holds"]


def test_what_cannot_be_read_moves_nothing():
    def fails(x):
        raise ZeroDivisionError("no value there")

    one = explorer(holds={"t": hold("x", at=float, read=fails)})
    send(one, kind="hold", name="t", at=[0.5, 0.5])
    assert one.values == {"t": 0.5} and one.error is None


def test_a_picture_that_failed_is_moved_by_its_controls_alone():
    one = explorer(holds={"t": hold("x")})
    one.controls["t"].value = 0
    assert send(one, kind="hold", name="t", at=[0.5, 0.5])["error"] and one.values == {"t": 0}
    assert send(one, kind="hold", name="t", steps=1)["error"] and one.values == {"t": 0}


@pytest.mark.parametrize("arguments, why", [
    ({"along": "z"}, "along"), ({"panel": -1}, "panel"), ({"panel": 0.5}, "panel"),
    ({"along": "both"}, "a knob needs both"), ({"at": float}, "belong together"), ({"read": float}, "belong together"),
    ({"at": 3, "read": float}, "at"), ({"at": float, "read": 3}, "read"),
])  # fmt: skip
def test_a_malformed_hold_is_refused(arguments, why):
    with pytest.raises(ValueError, match=why):
        hold(**arguments)


@pytest.mark.parametrize("holds", [{"s": hold("x")}, {"t": "x"}, {"t": hold}])
def test_only_controls_are_held(holds):
    with pytest.raises(ValueError, match="holds must name controls"):
        explorer(holds=holds)


def test_the_guess_and_the_truth_are_seen_where_they_lie():
    asked = guess("How far?", (0, 2, 0.1), 0.6, TOLD, near=0.1, seen=hold("x"))
    one = explorer(guess=asked)
    assert one.frame["guessed"] == []
    signs = send(one, kind="guess", guess=1.5)["guessed"]
    assert [(sign["role"], sign["text"], sign["along"]) for sign in signs] == [
        ("truth", "it is 0.6", "x"), ("chosen", "your guess 1.5", "x"),
    ]  # fmt: skip
    np.testing.assert_allclose([sign["at"][0] for sign in signs], [at(one, x, 0)[0] for x in (0.6, 1.5)], atol=1e-4)
    assert send(one, kind="guess", guess=None)["guessed"] == []
    assert [sign["role"] for sign in send(one, kind="guess", guess="")["guessed"]] == ["truth"]
    for options in ({"answers": CHOICES, "right": "steeper"}, {"feedback": TOLD, "near": 0.1, "seen": "x"}):
        with pytest.raises(ValueError, match="seen must be hold"):
            guess(**{"question": "Which?", "answers": (0, 1, 0.1), "right": 0.5, "seen": hold("x"), **options})


def test_a_truth_of_one_setting_is_seen_there_alone():
    def asked(**options):
        return guess("How far?", (0, 2, 0.1), 0.6, TOLD, near=0.1, **options)

    one = explorer(guess=asked(seen=hold("x"), when={"t": 1.0}))
    one.set(t=0.2)
    assert send(one, kind="guess", guess=1.5)["guessed"] == []
    one.set(t=1.0)
    assert [sign["role"] for sign in one.frame["guessed"]] == ["truth", "chosen"]
    one.set(t=0.2)
    assert one.frame["guessed"] == []
    with pytest.raises(ValueError, match="when names 'u', but the picture has: t"):
        explorer(guess=asked(seen=hold("x"), when={"u": 1.0}))
    for options in ({"when": {"t": 1.0}}, {"when": "t", "seen": hold("x")}):
        with pytest.raises(ValueError, match="when must be settings by name"):
            asked(**options)


# ---------------------------------------------------------------------------------------------------------------
# What glides
# ---------------------------------------------------------------------------------------------------------------
def behind(ax):
    ax.plot([0, 2], [0, 10], label="behind")
    ax.set(xlim=(0, 2), ylim=(0, 10))
    ax.legend()


def moving(ax, t=0.5):
    behind(ax)
    return [ax.axvline(t), ax.scatter([t], [3], s=300), ax.text(t, 5, "here", fontsize=20), ax.axvspan(t, 2, alpha=0.3)]


def gliding(ax, t=0.5):
    for number, artist in enumerate(moving(ax, t)):
        glide(artist, f"part {number}")


def bytes_of(draw, write, **values):
    canvas = Canvas(draw)
    canvas.paint(**values)
    return getattr(canvas, write)()


def test_what_glides_is_left_to_the_page_and_saved_with_the_picture():
    one = explorer(gliding)
    assert one._png == bytes_of(lambda ax: moving(ax) and None, "png")
    assert one._png != bytes_of(behind, "png")
    bare = bytes_of(behind, "jpeg")
    assert one.frame["picture"] == bare, "drawn twice: by the page, and in the first picture"
    one.controls["t"].value = 1.5
    assert one.frame["picture"] == bare
    assert rest(one)["picture"] == bare
    canvas = Canvas(behind)
    canvas.paint()
    assert rest(one, 2.0)["picture"] == canvas.picture(2.0)[0]
    assert [mark["key"] for mark in one.frame["marks"]] == ["part 1", "part 3", "part 0", "part 2"], "front ones last"


def test_a_picture_can_be_saved_and_moved_in_any_order():
    canvas = Canvas(gliding)
    for _ in range(2):
        canvas.paint()
        live, saved = canvas.jpeg(), canvas.png()
        assert canvas.jpeg() == live == bytes_of(behind, "jpeg")
        assert saved == bytes_of(lambda ax: moving(ax) and None, "png")


def drawn(make, figsize=(5.0, 4.0), **limits):
    """A drawn figure of one axes with an artist that glides, the artist, and its mark."""
    fig, ax = viz.figure(figsize=figsize)
    ax.set(**{"xlim": (-2, 3), "ylim": (-1, 4), **limits})
    artist = glide(make(ax), "it")
    fig.canvas.draw()
    [mark] = marks_of(fig)
    assert mark["key"] == "it"
    return ax, artist, mark


def from_top(ax, points):
    """Data coordinates as pixels from the upper left corner of the picture."""
    return ax.transData.transform(points) * [1, -1] + [0, ax.figure.bbox.height]


def pairs(shape):
    return np.reshape(shape["p"], (-1, 2))


def test_the_outline_of_a_line():
    points = np.array([[-1, 0], [0.5, 3], [2, 1]])
    ax, line, mark = drawn(lambda ax: ax.plot(*points.T, color="#123456", lw=3, ls="--", alpha=0.5))
    [shape] = mark["shapes"]
    assert line.get_color() == "#123456", "glide returns the artist"
    assert shape["d"] == "MLL"
    np.testing.assert_allclose(pairs(shape), from_top(ax, points), atol=0.051)
    assert shape["fill"] == "none" and shape["stroke"] == "#12345680"
    assert shape["width"] == round(3 * 100 / 72, 2) and shape["dash"]
    (left, bottom), (right, top) = ax.bbox.get_points()
    np.testing.assert_allclose(mark["clip"], [left, 400 - top, right - left, top - bottom], atol=0.051)


def test_the_outline_of_a_line_with_a_gap():
    points = np.array([[-1, 0], [0, 1], [np.nan, 1], [1, 1], [2, 1]])
    ax, _, mark = drawn(lambda ax: ax.plot(*points.T))
    assert mark["shapes"][0]["d"] == "MLML"
    np.testing.assert_allclose(pairs(mark["shapes"][0]), from_top(ax, points[[0, 1, 3, 4]]), atol=0.051)


def test_the_outline_of_a_line_across_the_axes():
    ax, _, mark = drawn(lambda ax: ax.axvline(1))
    x = from_top(ax, (1, 0))[0]
    top, bottom = from_top(ax, (0, 4))[1], from_top(ax, (0, -1))[1]
    np.testing.assert_allclose(pairs(mark["shapes"][0]), [[x, bottom], [x, top]], atol=0.051)


def test_the_outlines_of_markers():
    points = np.array([[-1, 0], [0.5, 3], [np.nan, 1]])
    ax, _, mark = drawn(lambda ax: ax.plot(*points.T, "s-", ms=18))
    line, *squares = mark["shapes"]
    assert line["d"] == "ML" and len(squares) == 2 and squares[0]["d"].endswith("Z")
    for square, centre in zip(squares, from_top(ax, points)):
        corners = pairs(square)
        np.testing.assert_allclose((corners.min(axis=0) + corners.max(axis=0)) / 2, centre, atol=0.051)
        np.testing.assert_allclose(np.ptp(corners, axis=0), 18 * 100 / 72, atol=0.11)


def test_round_dots_without_an_edge_are_one_shape():
    points = np.array([[-1, 0], [0.5, 3], [np.nan, 1], [2, 1]])
    ax, _, mark = drawn(lambda ax: ax.plot(*points.T, "o", ms=9, color="#123456", mec="none"))
    [shape] = mark["shapes"]
    assert shape["d"] == "MLMLML" and shape["width"] == round(9 * 100 / 72, 2)
    assert shape["fill"] == "none" and shape["stroke"] == "#123456ff"
    begin, end = pairs(shape)[::2], pairs(shape)[1::2]
    np.testing.assert_array_equal(begin, end)  # a stroke of no length
    np.testing.assert_allclose(begin, from_top(ax, points[[0, 1, 3]]), atol=0.051)


def test_the_outlines_of_a_scatter():
    points, sizes = np.array([[-1, 0], [0.5, 3], [2, 1]]), np.array([36.0, 100, 400])
    ax, _, mark = drawn(lambda ax: ax.scatter(*points.T, s=sizes, c=["#ff0000", "#00ff00", "#0000ff"], marker="o"))
    assert [shape["fill"] for shape in mark["shapes"]] == ["#ff0000ff", "#00ff00ff", "#0000ffff"]
    for shape, centre, size in zip(mark["shapes"], from_top(ax, points), sizes, strict=True):
        outline = pairs(shape)
        np.testing.assert_allclose((outline.min(axis=0) + outline.max(axis=0)) / 2, centre, atol=0.051)
        np.testing.assert_allclose(np.ptp(outline, axis=0), np.sqrt(size) * 100 / 72, atol=0.11)


def test_the_outline_of_a_scatter_of_one_size_and_of_one_point():
    for n in (1, 3):
        points = np.array([[-1, 0], [0.5, 3], [2, 1]])[:n]
        ax, _, mark = drawn(lambda ax, points=points: ax.scatter(*points.T, s=49))
        centres = [(pairs(shape).min(axis=0) + pairs(shape).max(axis=0)) / 2 for shape in mark["shapes"]]
        np.testing.assert_allclose(centres, from_top(ax, points), atol=0.051)
    assert drawn(lambda ax: ax.scatter([], []))[2]["shapes"] == []


def test_the_outline_of_an_ellipse():
    centre, width, height, angle = np.array([0.5, 1.5]), 3.0, 1.5, 30.0
    ax, _, mark = drawn(lambda ax: ax.add_patch(Ellipse(centre, width, height, angle=angle, fc="none", ec="k", lw=2)))
    [shape] = mark["shapes"]
    assert shape["fill"] == "none" and shape["stroke"] == "#000000ff"
    assert re.fullmatch("MC+Z", shape["d"])
    on_curve = pairs(shape)[::3]  # those between are control points of Bézier curves
    data = ax.transData.inverted().transform(on_curve * [1, -1] + [0, 400])
    turn = np.deg2rad(angle)
    along, across = ((data - centre) @ [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]).T
    np.testing.assert_allclose((2 * along / width) ** 2 + (2 * across / height) ** 2, 1, atol=5e-3)


def test_the_outline_of_a_rectangle_and_of_rules():
    ax, _, mark = drawn(lambda ax: ax.add_patch(Rectangle((0, 1), 2, 1.5, fc="#abcdef")))
    corners = from_top(ax, [(0, 1), (2, 1), (2, 2.5), (0, 2.5)])
    np.testing.assert_allclose(pairs(mark["shapes"][0])[:4], corners, atol=0.051)
    ax, _, mark = drawn(lambda ax: ax.vlines([0, 1], [0, 1], [2, 3]))
    ends = [[(0, 0), (0, 2)], [(1, 1), (1, 3)]]
    assert len(mark["shapes"]) == 2
    for shape, places in zip(mark["shapes"], ends):
        np.testing.assert_allclose(pairs(shape), from_top(ax, places), atol=0.051)


@pytest.mark.parametrize("ha, anchor", [("left", "start"), ("center", "middle"), ("right", "end")])
def test_the_place_of_a_text(ha, anchor):
    ax, _, mark = drawn(lambda ax: ax.text(1, 2, "here", ha=ha, va="top", fontsize=18, weight="bold"))
    [shape] = mark["shapes"]
    np.testing.assert_allclose(shape["p"], from_top(ax, (1, 2)), atol=0.051)
    assert (shape["text"], shape["anchor"], shape["size"], shape["bold"]) == ("here", anchor, 25, True)
    assert shape["base"] == "hanging" and shape["halo"] == "none"


def test_letters_that_glide_have_the_halo_of_all_letters_in_a_picture():
    """In the colour of the paper: they can be read on whatever lies under them. What is written on dark has none."""

    def draw(ax, t=0.5):
        glide(ax.text(t, 1, "here"), "plain")
        glide(ax.text(t, 2, "there", color="paper"), "on dark")

    one = explore(draw, alt=ALT, t=(0.0, 1.0))
    assert [mark["shapes"][0]["halo"] for mark in one.frame["marks"]] == ["#ffffff", "none"]
    one._heard(None, {"kind": "rest", "theme": "dark"})
    try:
        assert [mark["shapes"][0]["halo"] for mark in one.frame["marks"]] == [palette("dark")["paper"], "none"]
    finally:
        one._heard(None, {"kind": "rest", "theme": "light"})


def test_the_place_of_a_text_beside_a_point():
    ax, _, mark = drawn(lambda ax: ax.annotate("here", (1, 2), (9, 18), textcoords="offset points"))
    expected = from_top(ax, (1, 2)) + np.array([9, -18]) * 100 / 72
    np.testing.assert_allclose(mark["shapes"][0]["p"], expected, atol=0.051)


def test_on_a_logarithmic_axis():
    points = np.array([[0.1, 1], [1, 2], [10, 3]])
    ax, _, mark = drawn(lambda ax: ax.plot(*points.T), xscale="log", xlim=(0.01, 100))
    np.testing.assert_allclose(pairs(mark["shapes"][0]), from_top(ax, points), atol=0.051)


@pytest.mark.parametrize(
    "make", [lambda ax: ax.plot([0, 1], [1, 3], "o", ms=9), lambda ax: ax.scatter([0, 1], [1, 3], s=81)]
)
def test_marks_do_not_depend_on_the_pixels_of_the_screen(make):
    ax, _, mark = drawn(make)
    ax.figure.set_layout_engine("none")
    ax.figure.set_dpi(200)
    ax.figure.canvas.draw()
    [sharp] = marks_of(ax.figure)
    np.testing.assert_allclose(sharp["clip"], mark["clip"], atol=0.11)
    for one, other in zip(mark["shapes"], sharp["shapes"], strict=True):
        np.testing.assert_allclose(one.pop("p"), other.pop("p"), atol=0.11)
        assert one == other


def test_what_glides_is_as_large_in_the_first_frame_as_in_any_other():
    """The picture that is saved is drawn with more pixels, and what glides is not drawn at all in a live one."""
    def draw(ax, k=1):
        ax.set(xlim=(0, 3), ylim=(0, 3))
        glide(ax.scatter([k], [1], s=400, marker="s", lw=0), "it")

    explorer = viz.explore(draw, k=(1, 2), alt="a square that moves to the right")
    frames = [explorer.frame]
    explorer.set(k=2)
    for frame in [*frames, explorer.frame]:
        [mark] = frame["marks"]
        assert np.ptp(pairs(mark["shapes"][0]), axis=0) == pytest.approx([20 * 100 / 72] * 2, abs=0.11)


def test_what_is_not_clipped_or_not_seen():
    fig, ax = viz.figure()
    glide(ax.plot([0, 1], clip_on=False), "over the edge")
    glide(ax.annotate("above", (0, 1), (0, 9), textcoords="offset points"), "a name above the axes")
    glide(ax.text(0, 1.2, "above"), "another")
    glide(ax.plot([0, 1], visible=False), "hidden")
    fig.canvas.draw()
    assert {mark["key"]: mark["clip"] for mark in marks_of(fig)} == dict.fromkeys(
        ["over the edge", "a name above the axes", "another"]
    )


def test_what_cannot_glide():
    fig, ax = viz.figure()
    with pytest.raises(ValueError, match="lines, patches, scatters and texts can glide, got AxesImage"):
        glide(ax.imshow(np.eye(3)), "image")
    with pytest.raises(ValueError):
        glide(ax.plot([0, 1], [0, 1], [1, 0], [0, 1]), "two lines")


# ---------------------------------------------------------------------------------------------------------------
# What can be read off
# ---------------------------------------------------------------------------------------------------------------
def test_axes_lie_where_they_are_drawn():
    fig, axes = viz.figure(1, 4)
    axes[0].set(xlim=(-1, 3), ylim=(2, 0), xlabel="$x_1$", ylabel="cost")
    axes[1].set(xscale="log", xlim=(0.1, 100))
    axes[1].set_title("left", loc="left")
    axes[2].set_axis_off()
    axes[3].set_xscale("symlog")
    fig.canvas.draw()
    first, second = axes_of(fig)
    assert (first["panel"], first["x"], first["y"]) == (0, [-1, 3, "linear"], [2, 0, "linear"])
    assert first["names"] == ["x_1", "cost"] and second["names"] == ["", "left"]
    assert (second["panel"], second["x"]) == (1, [0.1, 100, "log"])
    for panel, ax in ((first, axes[0]), (second, axes[1])):
        (left, bottom), (right, top) = in_page(fig, ax.bbox.get_points())
        np.testing.assert_allclose(panel["edges"], [left, top, right, bottom], atol=1e-4)
    axes[1].set_visible(False)
    assert len(axes_of(fig)) == 1


def test_a_photograph_is_told_from_a_picture_in_the_colours_of_the_theme():
    fig, axes = viz.figure(1, 2)
    axes[0].imshow(np.eye(3), gid=PHOTO)
    axes[1].imshow(np.eye(3))
    assert ["photo" in panel for panel in axes_of(fig)] == [True, False]


def test_points_lie_where_they_are_drawn_and_say_what_they_are():
    X = rng.uniform(0.5, 9, size=(5, 2))
    fig, axes = viz.figure(1, 2)
    kept = axes[0].scatter(*X.T, label="class $a$")
    assert linked(kept, "rows") is kept
    linked(axes[1].scatter(*X.T[::-1]), "rows")
    axes[1].plot(*X.T, "s", label="squares")
    axes[1].plot(*X.T, label="no points")
    axes[1].scatter([], [])
    axes[1].scatter(*X.T, visible=False)
    axes[1].set(xscale="log")
    fig.canvas.draw()
    first, second, third = dots_of(fig)
    assert [dots["panel"] for dots in (first, second, third)] == [0, 1, 1]
    assert [dots["link"] for dots in (first, second, third)] == ["rows", "rows", ""]
    assert [dots["name"] for dots in (first, second, third)] == ["class a", "", "squares"]
    assert first["at"] == [[f"{x:.4g}", f"{y:.4g}"] for x, y in X]
    for dots, ax, points in ((first, axes[0], X), (second, axes[1], X[:, ::-1]), (third, axes[1], X)):
        np.testing.assert_allclose(dots["xy"], in_page(fig, ax.transData.transform(points)), atol=1e-4)


def test_points_that_are_nowhere_and_too_many_points():
    fig, ax = viz.figure()
    ax.scatter([1, np.nan, 2], [1, 1, np.nan])
    ax.scatter(*rng.normal(size=(2, MOST_DOTS + 1)))
    fig.canvas.draw()
    [dots] = dots_of(fig)
    assert dots["xy"][1] == dots["xy"][2] == [-1, -1] and min(dots["xy"][0]) > 0


def test_a_scatter_that_glides_can_be_read_off():
    def draw(ax, t=0.5):
        glide(ax.scatter([t], [1], label="centre"), "centre")

    [dots] = rest(explorer(draw))["dots"]
    assert (dots["name"], dots["at"]) == ("centre", [["0.5", "1"]])


# ---------------------------------------------------------------------------------------------------------------
# The page's own code
# ---------------------------------------------------------------------------------------------------------------
MODULES = {path.stem: path.read_text(encoding="utf-8") for path in PAGE.glob("*.js")}
IMPORT = re.compile(r"^import \{([^}]*)\} from '\./(\w+)\.js';$", re.MULTILINE)
EXPORT = re.compile(r"^export (.*)$", re.MULTILINE)


def exports(name):
    """What a module of the page hands out, by the names in its export statements."""
    heads = [head for head in EXPORT.findall(MODULES[name]) if not head.startswith("default ")]
    return [re.match(r"(?:async )?(?:function|class|const|let) (\w+)", head).group(1) for head in heads]


def test_every_file_of_the_page_is_used():
    assert sorted(PARTS) == sorted(MODULES)
    assert sorted(SHEETS) == sorted(path.stem for path in PAGE.glob("*.css"))
    for path in PAGE.iterdir():
        text = path.read_text(encoding="utf-8")
        assert path.suffix == ".js" or text in sheet()


def test_what_a_module_imports_stands_above_it():
    for number, name in enumerate(PARTS):
        found = IMPORT.findall(MODULES[name])
        n_imports = len(re.findall(r"^import\b", MODULES[name], re.MULTILINE))
        assert len(found) == n_imports, f"{name} imports in another way"
        for names, source in found:
            assert source in PARTS[:number], f"{name} stands before {source}"
            assert {part.strip() for part in names.split(",")} - {""} <= set(exports(source)), (name, source)


def test_the_script_hands_each_export_to_what_stands_below():
    text = script()
    assert not re.search(r"^import\b", text, re.MULTILINE)
    assert re.findall(r"^export\b.*", text, re.MULTILINE) == ["export default { initialize, render };"]
    at_the_top = [name for part in PARTS for name in exports(part)]
    assert len(at_the_top) == len(set(at_the_top)), "two modules hand out the same name"
    places = []
    for part in PARTS[:-1]:
        names = re.escape(", ".join(exports(part)))
        [head] = re.finditer(rf"^const \{{ {names} \}} = \(\(\) => \{{$", text, re.MULTILINE)
        [tail] = re.finditer(rf"^return \{{ {names} \}};\n\}}\)\(\);$", text, re.MULTILINE)
        places += [head.start(), tail.start()]
    assert places == sorted(places)
    last = text[text.index("\n", places[-1]) :]
    below = set(re.findall(r"^(?:async )?(?:function|const|class) (\w+)", last, re.MULTILINE))
    assert not below & set(at_the_top), "the last module says a name anew"
    for name in MODULES:
        for line in MODULES[name].splitlines():
            assert line.startswith(("import ", "export ", "//")) or line in text


def test_every_message_that_the_page_sends_is_heard():
    sent = set(re.findall(r"kind: '(\w+)'", "".join(MODULES.values())))
    heard = inspect.getsource(explorers.Explorer._heard) + inspect.getsource(viz.Player._heard)
    assert sent == set(re.findall(r"\"(\w+)\"", heard)) - {"kind", "number"}
