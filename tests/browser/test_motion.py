"""What is held in the picture, what glides from step to step, and what can be read off: on notebooks made for it."""

import json

import pytest

from tests.browser.conftest import write_notebook
from tests.browser.lab import Notebook, into_view
from tests.browser.test_points import swipe
from tests.browser.test_widgets import ask_kernel, opened

HELD = """
from mlcore.viz import explore, hold
def cut(ax, threshold=0.5, level=2.0):
    ax.axvline(threshold)
    ax.axhline(level)
    ax.set(xlim=(0, 1), ylim=(0, 4))
    return f"cut at {threshold:.2f} and {level:.1f}"
explore(cut, alt="a threshold and a level in a box", threshold=(0.0, 1.0, 0.05), level=(0.0, 4.0, 0.5),
        holds={"threshold": hold("x"), "level": hold("y")})
"""


class Hold:
    """What can be held in the picture of one explorer."""

    def __init__(self, notebook, along):
        self.notebook, self.explorer = notebook, notebook.explorers()[0]
        self.node = self.explorer.root.locator(f".mlcore-hold-{along}")
        self.k = "xy".index(along)
        self.control = self.explorer.controls()[self.k]

    def place(self):
        """Its middle on the screen."""
        box = self.node.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def grip(self):
        """Where it is taken: lines cross each other, their grips do not."""
        box = self.node.locator(".mlcore-grip").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def panel(self):
        """Left, top, right and bottom edge of the axes on the screen: those that both lines reach."""
        across = self.explorer.root.locator(".mlcore-hold-y").bounding_box()
        up = self.explorer.root.locator(".mlcore-hold-x").bounding_box()
        return across["x"], up["y"], across["x"] + across["width"], up["y"] + up["height"]

    def part(self):
        """How far along the axis it is."""
        left, top, right, bottom = self.panel()
        x, y = self.place()
        return (bottom - y) / (bottom - top) if self.k else (x - left) / (right - left)

    def told(self):
        """The number in the caption and that of its slider."""
        self.notebook.settle()
        caption = self.explorer.root.locator(".mlcore-caption").inner_text()
        return float(caption.removeprefix("cut at ").split(" and ")[self.k]), self.control.number()


@pytest.fixture(scope="module")
def held(open_notebook):
    return opened(open_notebook, "held.ipynb", HELD)[0]


@pytest.mark.parametrize("along, steps, span", [("x", 0.05, 1), ("y", 0.5, 4)])
def test_what_is_held_moves_its_slider_and_the_picture(held, chrome, along, steps, span):
    hold = Hold(held, along)
    held.settle()
    assert hold.told() == (0.5 * span,) * 2
    for wanted in (0.2, 0.75):  # by the mouse, to a place between two values of the slider
        before, (x, y), (left, top, right, bottom) = hold.explorer.picture(), hold.grip(), hold.panel()
        held.page.mouse.move(x, y)
        held.page.mouse.down()
        target = (left + (wanted + 0.3 * steps / span) * (right - left), y)
        if along == "y":
            target = (x, bottom - (wanted + 0.3 * steps / span) * (bottom - top))
        for k in range(1, 21):
            held.page.mouse.move(x + (target[0] - x) * k / 20, y + (target[1] - y) * k / 20)
        held.page.mouse.up()
        nearest = round(wanted * span / steps + 0.3) * steps
        assert hold.told() == pytest.approx((nearest, nearest))
        assert hold.explorer.picture() != before
        assert hold.part() == pytest.approx(nearest / span, abs=0.004), "it lies beside its line"
    hold.node.focus()
    number, _ = hold.told()
    for key, by in [("ArrowRight", 1), ("ArrowLeft", -1), ("ArrowUp", 1), ("ArrowDown", -1), ("PageDown", -10)]:
        held.page.keyboard.press(key)
        number = max(number + by * steps, 0)
        assert hold.told() == pytest.approx((number, number)), key
    assert hold.node.evaluate("e => e === document.activeElement"), "the focus is lost"
    held.page.keyboard.press("Home")
    assert hold.told() == (0, 0)
    hold.control.move("End")  # and the other way round
    assert hold.told() == (span, span) and hold.part() == pytest.approx(1, abs=0.004)
    assert held.console == []


def test_a_screen_reader_hears_what_is_held(held, chrome):
    """A slider says its name, its limits and its value."""
    hold = Hold(held, "x")
    hold.control.move("Home")
    held.settle()

    def said(*names):
        held.settle()
        return [hold.node.get_attribute(f"aria-{name}") for name in names]

    assert said("label", "valuemin", "valuemax", "valuenow") == ["threshold, in the picture", "0", "1", "0"]
    hold.control.move("ArrowRight")
    assert said("valuenow", "valuetext") == ["0.05", "0.05"]


def test_a_finger_holds_it_too(lab, chrome):
    write_notebook(lab.root / "finger.ipynb", [HELD])
    with chrome.another(has_touch=True) as screen:
        with Notebook(lab, screen, "finger.ipynb") as notebook:
            notebook.run_all()
            hold = Hold(notebook, "x")
            finger = screen.context.new_cdp_session(notebook.page)
            (x, y), (left, _, right, _) = hold.grip(), hold.panel()
            swipe(finger, (x, y), (left + 0.8 * (right - left), y))
            assert hold.told() == pytest.approx((0.8, 0.8))


CHOSEN = """
from mlcore.viz import explore, hold
def choose(ax, one=2):
    ax.plot(range(1, 6), [1] * 5, "s")
    ax.plot(one, 1, "o", ms=20, mfc="none")
    ax.set(xlim=(0, 6), ylim=(0, 2))
    return f"number {one}"
explore(choose, alt="five squares, one of them ringed", one=(1, 5),
        holds={"one": hold("both", at=lambda one: (one, 1), read=lambda x, y: x, anywhere=True)})
"""


def test_a_press_anywhere_in_the_panel_chooses_what_is_nearest(open_notebook):
    notebook, explorer = opened(open_notebook, "chosen.ipynb", CHOSEN)
    into_view(explorer.root)
    area, control = explorer.root.locator(".mlcore-hold-area"), explorer.controls()[0]

    def told():
        notebook.settle()
        return explorer.root.locator(".mlcore-caption").inner_text(), control.number()

    box = area.bounding_box()
    for one, up in ((5, 0.5), (3, 0.9), (3, 0.1), (1, 0.5)):
        notebook.page.mouse.click(box["x"] + (one / 6 + 0.03) * box["width"], box["y"] + up * box["height"])
        assert told() == (f"number {one}", one)
    notebook.page.keyboard.press("ArrowRight")
    assert told() == ("number 2", 2)
    assert not explorer.root.locator(".mlcore-grip").is_visible()
    assert notebook.problems() == [] and notebook.console == []


GLIDING = """
from mlcore.viz import glide, play
def ball(ax, state):
    glide(ax.plot([state], [0.5], "o", markersize=12), "ball")
    ax.set(xlim=(0, 10), ylim=(0, 1))
    return f"at {state}"
play(range(0, 11), ball, alt="a ball that goes to the right", interval=600)
"""
# In every frame that the browser paints: the time, what the caption says and where the ball is, in parts of the axes.
WATCH = """() => {
    const root = document.querySelector('.mlcore-explorer');
    window.watched = [];
    const look = () => {
        const ball = root.querySelector('.mlcore-marks path').getBoundingClientRect();
        const box = root.querySelector('.mlcore-stage').getBoundingClientRect();
        window.watched?.push([performance.now(), root.querySelector('.mlcore-caption').textContent,
            (ball.left + ball.width / 2 - box.left) / box.width]);
        if (window.watched) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
WATCHED = "() => { const seen = window.watched; window.watched = null; return seen; }"
GLIDE = 250


@pytest.fixture(scope="module")
def gliding(open_notebook):
    return opened(open_notebook, "gliding.ipynb", GLIDING)[0]


def watched(notebook, act):
    """What was to be seen during an action, and half a second longer."""
    notebook.settle()
    notebook.page.wait_for_timeout(500)
    notebook.page.evaluate(WATCH)
    act()
    notebook.settle()
    notebook.page.wait_for_timeout(500)
    return notebook.page.evaluate(WATCHED)


def places(notebook):
    """Where the ball lies at the first step, and how far it goes with each."""
    slider, found = notebook.explorers()[0].controls()[0], []
    for key in ("Home", "End"):
        slider.move(key)
        found.append(watched(notebook, lambda: None)[-1][2])
    return found[0], (found[1] - found[0]) / 10


def test_a_mark_glides_from_step_to_step(gliding, chrome):
    player = gliding.explorers()[0]
    start, by = places(gliding)
    player.controls()[0].move("Home")
    seen = watched(gliding, player.button("Step").click)
    assert seen[0][2] == pytest.approx(start, abs=1e-3) and seen[-1][2] == pytest.approx(start + by, abs=1e-3)
    on_the_way = [x for _, _, x in seen if start + 0.02 * by < x < start + 0.98 * by]
    assert len(on_the_way) >= 3 and on_the_way == sorted(on_the_way), "it does not glide"
    begun = next(when for when, _, x in seen if x > start + 0.02 * by)
    late = [x for (before, _, _), (_, _, x) in zip(seen, seen[1:]) if before > begun + GLIDE]
    assert late and late == pytest.approx([start + by] * len(late), abs=1e-3), "it takes longer"


def test_nothing_glides_where_motion_is_not_wanted(gliding, chrome):
    player = gliding.explorers()[0]
    start, by = places(gliding)
    player.controls()[0].move("Home")
    gliding.page.emulate_media(reduced_motion="reduce")
    try:
        seen = watched(gliding, player.button("Step").click)
    finally:
        gliding.page.emulate_media(reduced_motion="no-preference")
    assert {round((x - start) / by, 2) for _, _, x in seen} == {0.0, 1.0}


def test_scrubbing_never_lags_behind(gliding, chrome):
    """Frames that follow each other fast are shown as they are: caption and mark are of the same step."""
    slider = gliding.explorers()[0].controls()[0]
    start, by = places(gliding)
    quick = []
    for _ in range(8):  # until two pictures come within 150 ms, which takes its time on a busy machine
        slider.move("Home")
        seen = watched(gliding, lambda: slider.drag(moves=60))
        changes = [i for i in range(1, len(seen)) if seen[i][1] != seen[i - 1][1]]
        quick += [seen[i] for before, i in zip(changes, changes[1:]) if seen[i][0] - seen[before][0] < 150]
        if quick:
            break
    assert quick, "no two pictures came within 150 ms"
    for _, caption, x in quick:
        assert (x - start) / by == pytest.approx(float(caption.removeprefix("at ")), abs=0.02)


READ = """
from mlcore.viz import explore, linked
def clouds(axes, k=1):
    for ax, (x, y) in zip(axes, [([1, 2, 3], [1, 2, 3]), ([3, 2, 1], [1, 3, 2])]):
        linked(ax.scatter(x, y, label="row"), "rows")
        ax.set(xlim=(0, 4), ylim=(0, 4))
    return f"{k}"
explore(clouds, alt="three rows in two panels", subplots=(1, 2), k=(1, 3))
"""
PANELS = """
import json
from mlcore.viz import explorers
print(json.dumps([ax.get_position().bounds for ax in explorers()[-1].canvas.figure.axes]))
"""


def test_coordinates_and_rows_are_read_off(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "read.ipynb", READ)
    page = notebook.page
    label, rings = explorer.root.locator(".mlcore-reading"), explorer.root.locator(".mlcore-rings circle")
    into_view(explorer.image)
    notebook.settle()
    panels, box = json.loads(ask_kernel(notebook, PANELS)), explorer.image.bounding_box()

    def at(panel, x, y):
        left, bottom, width, height = panels[panel]
        across, up = left + x / 4 * width, bottom + y / 4 * height
        return box["x"] + across * box["width"], box["y"] + (1 - up) * box["height"]

    page.mouse.move(*at(0, 2, 1))
    assert [float(part) for part in label.inner_text().split(", ")] == pytest.approx([2, 1], abs=0.02)
    assert rings.count() == 0
    page.mouse.move(*at(1, 2, 3))
    assert label.inner_text() == "row: 2, 3"
    places = rings.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(r => [r.x + r.width / 2, r.y + r.height / 2])"
    )
    for place, wanted in zip(places, [at(0, 2, 2), at(1, 2, 3)], strict=True):
        assert place == pytest.approx(wanted, abs=1.5)
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    assert label.inner_text() == "" and rings.count() == 0

    explorer.image.focus()
    for text in ("row: 2, 2", "row: 3, 3", "row: 3, 1"):
        page.keyboard.press("ArrowRight")
        assert label.inner_text() == text and rings.count() == 2
    page.keyboard.press("Escape")
    assert label.inner_text() == ""
    assert notebook.console == []

