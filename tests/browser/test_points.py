"""Points in the learner's hand, on a notebook made for it: mouse, keyboard, touch, tables, themes, a lost kernel."""

import json
import re

import pytest

from tests.browser.conftest import write_notebook
from tests.browser.lab import Notebook, into_view, violations
from tests.browser.test_widgets import ask_kernel, opened

HAND = """
import numpy as np
from mlcore.viz import draggable, explore
X = np.array([[-2.0, -1], [-1, 1], [0, 0.5], [1, -0.5], [2, 1]])
y = np.array([0, 0, 1, 1, 1])
def cloud(ax, X, y, size=8):
    for k in (0, 1):
        ax.plot(*X[y == k].T, ls="none", marker="os"[k], markersize=size)
    if len(X):
        ax.axvline(X[:, 0].mean())
    return " ".join(f"{a:.3f}|{b:.3f}|{k}" for (a, b), k in zip(X, y, strict=True))
explorer = explore(cloud, alt="points of two classes and their mean", size=(2, 20),
                   points=draggable(X, y, box=((-3, 3), (-2, 2)), fewest=2, most=60))
explorer
"""


@pytest.fixture(scope="module")
def hand(open_notebook):
    return opened(open_notebook, "points.ipynb", HAND)


@pytest.fixture
def points(hand):
    """The points as at the start."""
    _, explorer = hand
    points = explorer.points()
    points.reset()
    return points


def caption(points):
    """The points as the picture was drawn for them: (x, y, class) each."""
    points.notebook.settle()
    text = points.explorer.root.locator(".mlcore-caption").inner_text().replace("−", "-")
    return [tuple(float(part) for part in one.split("|")) for one in text.split()]


START = [(-2.0, -1.0, 0), (-1.0, 1.0, 0), (0.0, 0.5, 1), (1.0, -0.5, 1), (2.0, 1.0, 1)]


def test_a_point_is_dragged(points, chrome):
    before = points.explorer.picture()
    place = points.places()[0]
    points.drag(0, (60, -40))
    (x, y, _), *others = caption(points)
    after = points.places()[0]
    assert (after[0] - place[0], after[1] - place[1]) == pytest.approx((60, -40), abs=1)
    assert x > -2 and y > -1 and others == START[1:]
    assert points.explorer.picture() != before
    points.tool("Undo").click()
    assert caption(points) == START
    assert points.explorer.picture() == before


def test_points_are_added_deleted_and_relabelled_by_mouse(points, chrome):
    x, y, width, height = (points.layer.bounding_box()[key] for key in ("x", "y", "width", "height"))
    points.page.mouse.dblclick(x + width / 2, y + 0.75 * height)
    added = caption(points)
    assert added[:5] == START and len(added) == 6
    points.tool("Class").click()
    assert caption(points)[5][2] != added[5][2]
    points.tool("Delete").click()
    assert caption(points) == START
    for _ in range(3):
        points.tool("Undo").click()
    assert caption(points) == START
    for _ in range(2):
        points.tool("Redo").click()
    assert len(caption(points)) == 6


def test_two_drags_of_a_point_add_none(points, chrome):
    points.drag(0, (10, 0), moves=2)
    points.drag(0, (-8, 0), moves=2)
    assert len(caption(points)) == 5


def test_everything_works_from_the_keyboard(points, chrome):
    points.press(1, "ArrowRight", "Shift+ArrowUp", "ArrowUp", "c")
    moved = caption(points)
    assert moved[1] == pytest.approx((-1 + 0.06, 1 + 0.4 + 0.04, 1))
    assert points.labels()[1] == "point 2 of 5, class 1, x -0.94, y 1.44"
    assert "point 2 of 5, class 1" in points.said.text_content()
    points.page.keyboard.press("PageDown")
    points.page.keyboard.press("Delete")
    assert caption(points) == [*moved[:2], *START[3:]]
    points.page.keyboard.press("n")
    assert len(caption(points)) == 5
    points.page.keyboard.press("0")
    assert caption(points)[-1][2] == 0
    for _ in range(5):
        points.page.keyboard.press("Control+z")
    assert caption(points) == START
    points.page.keyboard.press("Control+y")
    assert caption(points) != START
    assert points.notebook.page.locator(".jp-Cell").count() == 1, "JupyterLab took a key for itself"


def test_no_fewer_points_than_there_have_to_be(points, chrome):
    points.press(0, *["Delete"] * 6)
    assert len(caption(points)) == 2
    assert "at least 2" in points.said.inner_text() and not points.can("Delete")


def test_a_fast_drag_leaves_no_stale_picture(points, chrome):
    x, y = points.places()[4]
    points.drag(4, (-150, 100), moves=80)
    drawn = caption(points)
    assert points.places()[4] == pytest.approx([x - 150, y + 100], abs=1), "the last position was lost"
    dragged = points.explorer.picture()
    slider = points.explorer.controls()[0]
    for key in ("ArrowRight", "ArrowLeft"):
        slider.move(key)
    assert points.explorer.picture() == dragged and caption(points) == drawn
    label = f"x {drawn[4][0]:.2f}, y {drawn[4][1]:.2f}"
    assert points.labels()[4].endswith(label)


def test_a_table_is_pasted(points, chrome):
    points.tool("Your data").click()
    assert points.page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    points.page.keyboard.type("1 1 no\nx 2 no")
    points.explorer.root.get_by_text("Use these points").click()
    assert caption(points) == START
    complaint = points.explorer.root.locator(".mlcore-complaint")
    assert "row 2 has “x” where a number should be" in complaint.inner_text()
    points.page.keyboard.press("Escape")
    points.paste("1,5\t-1\tno\n-2\t0,5\tyes\n0\t0\tno")
    assert caption(points) == [(1.5, -1.0, 0), (-2.0, 0.5, 1), (0.0, 0.0, 0)]
    assert not complaint.is_visible() and "no is class 0, yes is class 1" in points.said.inner_text()
    points.tool("Undo").click()
    assert caption(points) == START


def test_a_cloud_is_drawn(points, chrome):
    points.tool("Draw").click()
    box = points.layer.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    points.page.mouse.move(x, y)
    points.page.mouse.down()
    for k in range(20):
        points.page.mouse.move(x + 8 * k, y)
    points.page.mouse.up()
    drawn = caption(points)
    assert drawn[:5] == START and 10 <= len(drawn) <= 18
    assert all(-0.5 < a < 1.7 and abs(b) < 0.5 for a, b, _ in drawn[5:])
    points.tool("Draw").click()
    points.tool("Undo").click()
    assert caption(points) == START


LETTERS = "abcdefghijklmnopqrstuvwxyz"
NAMES = {letter: letter.upper() for letter in LETTERS}
NAMES |= {f"Ctrl+{key}": f"Ctrl+{name}" for key, name in NAMES.items()}
NAMES |= {key: key for key in ("Home", "End", "Insert", "Escape", "F2", "Delete", "Backspace")}
NAMES |= {"PageUp": "Page Up", "PageDown": "Page Down", **{digit: "0, 1, …" for digit in "0123456789"}}
NAMES |= {f"Arrow{way}": "Arrows" for way in ("Left", "Right", "Up", "Down")}
"""Every key that a point might take for itself, and what the help would call it."""


def keys_that_do_something(points):
    """The names of all keys that a point takes for itself."""
    keys = points.handles.first.evaluate(
        """(point, keys) => {
            point.closest('.mlcore-points').addEventListener('keydown', (event) => event.stopPropagation());
            return keys.filter((name) => {
                const press = { key: name.replace('Ctrl+', ''), ctrlKey: name.startsWith('Ctrl+'), bubbles: true };
                return !point.dispatchEvent(new KeyboardEvent('keydown', { ...press, cancelable: true }));
            });
        }""",
        list(NAMES),
    )
    return {NAMES[key] for key in keys}


def test_the_help_lists_every_tool_and_every_key_and_no_other(open_notebook, chrome):
    fixed, unlabelled = "fixed=True, fewest=2", "np.array([0, 0, 0, 0, 0])"
    cells = [HAND, HAND.replace("fewest=2", fixed), HAND.replace("np.array([0, 0, 1, 1, 1])", unlabelled), LINE]
    notebook = open_notebook("help.ipynb", cells)
    notebook.run_all()
    assert notebook.problems() == []
    for explorer in notebook.explorers():
        points, panel = explorer.points(), explorer.root.locator(".mlcore-panel").first
        points.tool("?").click()
        tools = [name.split()[0].strip(":") for name in explorer.root.locator(".mlcore-tools button").all_inner_texts()]
        heads, text = [head.split()[0] for head in panel.locator("dt").all_inner_texts()], panel.inner_text()
        assert len(tools) >= 4 and set(tools) - set(heads) == {"?"}, "a tool is missing"
        named = {name for name in NAMES.values() if re.search(rf"(?<![\w+]){re.escape(name)}(?!\w)", text)}
        points.page.keyboard.press("Escape")
        assert keys_that_do_something(points) == named


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing_in_any_state(points, chrome, theme):
    """With a message shown, with the panel for data and its complaint, with the help open."""
    with points.notebook.theme(theme):
        points.paste("100 1\n200 2\n300 1")
        points.settled()
        assert violations(points.page, ".mlcore-explorer") == []
        points.paste("x")
        points.settled()
        assert violations(points.page, ".mlcore-explorer") == []
        points.page.keyboard.press("Escape")
        points.tool("?").click()
        assert violations(points.page, ".mlcore-explorer") == []
        points.page.keyboard.press("Escape")


@pytest.mark.parametrize("width, height, zoom", [(1024, 768, 1), (1280, 800, 2), (640, 400, 1)])
def test_handles_stay_on_their_points(points, chrome, width, height, zoom):
    """On a small screen, and at 200 %: each handle lies where the picture has its point, and can be dragged."""
    with points.notebook.window(width, height):
        points.page.evaluate("zoom => { document.body.style.zoom = zoom }", zoom)
        points.notebook.settle()
        points.handles.nth(1).scroll_into_view_if_needed()
        left, top, right, bottom = points.explorer.image.evaluate(
            "e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom] }"
        )
        low_x, low_y, high_x, high_y = json.loads(ask_kernel(points.notebook, PLACE))
        for handle, (a, b, _) in zip(points.places(), START, strict=True):
            across, up = low_x + (a + 3) / 6 * (high_x - low_x), low_y + (b + 2) / 4 * (high_y - low_y)
            x, y = left + across * (right - left), bottom - up * (bottom - top)
            assert handle == pytest.approx([x, y], abs=1.5 * zoom)
        points.drag(1, (20, 20))
        assert caption(points)[1] != START[1]
        points.page.evaluate("document.body.style.zoom = 1")


PLACE = """
import json
print(json.dumps(explorer.canvas.axes[0, 0].get_position().extents.tolist()))
"""


def test_after_a_reload_no_dead_handles_are_left(hand, chrome):
    """The saved picture stands there and says how to wake it; run again, its points move as before."""
    notebook, explorer = hand
    notebook.save()
    notebook.load_again()
    output = notebook.page.locator(".jp-OutputArea").first
    output.locator("img").wait_for()
    assert explorer.points() is None and "Shift+Enter" in output.inner_text()
    notebook.run_all()
    points = explorer.points()
    assert caption(points) == START
    points.press(0, "ArrowRight")
    assert caption(points) != START


def test_after_a_restart_of_the_kernel_no_handle_moves_in_silence(hand, chrome):
    notebook, explorer = hand
    notebook.restart()
    note = explorer.root.locator(".mlcore-lost")
    note.wait_for()
    assert "Python was restarted" in note.inner_text()
    assert not explorer.points().handles.first.is_visible()
    assert not explorer.points().tool("Add").is_visible()
    assert explorer.image.is_visible()


def test_touch(lab, chrome):
    """A finger drags a point, a double tap adds one; beside the points the page scrolls."""
    write_notebook(lab.root / "touch.ipynb", [HAND])
    with chrome.another(has_touch=True) as screen:
        with Notebook(lab, screen, "touch.ipynb") as notebook:
            notebook.run_all()
            points = notebook.explorers()[0].points()
            into_view(points.layer)
            finger = screen.context.new_cdp_session(notebook.page)
            (x, y), *_ = points.places()
            swipe(finger, (x, y), (x + 60, y - 40))
            moved = caption(points)
            assert moved[0][0] > -2 and moved[0][1] > -1 and moved[1:] == START[1:]
            box = points.layer.bounding_box()
            for _ in range(2):
                notebook.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 0.8 * box["height"])
            assert len(caption(points)) == 6
            touch = "e => getComputedStyle(e).touchAction"
            assert points.handles.first.evaluate(touch) == "none" and points.layer.evaluate(touch) == "manipulation"
            assert all(min(b["width"], b["height"]) >= 24 for b in map(_box, points.handles.all()))


def swipe(finger, start, stop, moves=8):
    def touch(kind, x, y):
        spots = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    touch("touchStart", *start)
    for k in range(1, moves + 1):
        touch("touchMove", *(a + (b - a) * k / moves for a, b in zip(start, stop, strict=True)))
    touch("touchEnd", *stop)


def _box(handle):
    return handle.bounding_box()


def test_classes_are_called_as_in_the_legend(open_notebook, chrome):
    notebook = open_notebook("named.ipynb", [HAND.replace("fewest=2", 'names=("y = -1", "y = +1"), fewest=2')])
    notebook.run_all()
    assert notebook.problems() == []
    points = notebook.explorers()[0].points()
    assert points.tool("Class").inner_text().strip() == "Class: y = -1"
    points.press(1, "c")
    assert points.tool("Class").inner_text().strip() == "Class: y = +1"
    assert points.labels()[1].startswith("point 2 of 5, y = +1")
    points.paste("0 0 +1\n1 1 -1")
    assert [klass for _, _, klass in caption(points)] == [1, 0]


LINE = """
from mlcore.viz import draggable, play
def sums(X):
    return [sum(X[:k]) for k in range(1, len(X) + 1)]
def total(ax, state, X):
    ax.plot(X, 0 * X, "o")
    ax.axvline(state)
    return f"{state:.2f}"
play(sums, total, alt="values on a line and their sums, one after the other", start=2,
     points=draggable([-1.0, 0, 1], box=((-3, 3), (-1, 1))))
"""


def test_a_player_of_values_on_a_line(open_notebook, chrome):
    """Handles stay on their line; with another number of values there are other steps."""
    notebook = open_notebook("line.ipynb", [LINE])
    notebook.run_all()
    assert notebook.problems() == []
    player = notebook.explorers()[0]
    points, slider = player.points(), player.controls()[0]
    points.press(0, "c")
    idle = [points.can(name) for name in ("Undo", "Redo", "Reset")]
    assert idle == [False] * 3, "nothing has changed: there are no classes, and all is as at the start"
    heights = [y for _, y in points.places()]
    points.drag(2, (60, 50))
    points.notebook.settle()
    assert [y for _, y in points.places()] == pytest.approx(heights, abs=0.5)
    assert float(player.root.locator(".mlcore-caption").inner_text()) > 0
    points.press(2, "Delete")
    points.notebook.settle()
    assert (slider.number(), slider.element.get_attribute("aria-valuemax")) == (1, "1.0")
    points.tool("Your data").click()
    assert player.root.get_by_text("one number in a row").is_visible()


CROWDED = LINE.replace("[-1.0, 0, 1]", "[-2.0, 0.1, 0.2, 0.3, 0.3, 0.5, 0.6, 0.65, 0.8, 2]")


def test_handles_of_near_values_are_told_apart(open_notebook, chrome):
    """In rows above their line, each over its own value: no outline on another, and each is taken where it shows."""
    notebook = open_notebook("crowded.ipynb", [CROWDED])
    notebook.run_all()
    assert notebook.problems() == []
    points = notebook.explorers()[0].points()
    line, (left, *_, right) = max(y for _, y in points.places()), [x for x, _ in points.places()]
    values = [-2.0, 0.1, 0.2, 0.3, 0.3, 0.5, 0.6, 0.65, 0.8, 2]
    for value, (x, y) in zip(values, points.places(), strict=True):
        assert x == pytest.approx(left + (value + 2) / 4 * (right - left), abs=1)
        assert line - y == pytest.approx(round((line - y) / 17) * 17, abs=0.5) and line - y < 40
    outlines = [[x, y, x + 15, y + 15] for x, y in points.places()]
    for i, one in enumerate(outlines):
        for other in outlines[:i]:
            assert any(one[k] >= other[k + 2] or other[k] >= one[k + 2] for k in (0, 1)), (one, other)
    assert points.places()[0][1] == points.places()[-1][1] == line, "who has room stays on the line"
    for i, (x, y) in enumerate(points.places()):
        points.page.mouse.click(x, y)
        assert points.handles.nth(i).evaluate("e => e === document.activeElement"), f"value {i} cannot be taken"
        assert points.handles.nth(i).evaluate("e => e.getBoundingClientRect().width") >= 24
    assert violations(notebook.page, ".mlcore-explorer") == []
