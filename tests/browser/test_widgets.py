"""What an explorer does in the browser when it is dragged fast, fails, or recovers: on notebooks made for it."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tests.browser.conftest import write_notebook
from tests.browser.lab import SMALL, into_view, violations
from tests.browser.test_notebooks import assert_steady

SLOW = """
import time
import numpy as np
from mlcore.viz import explore
drawn = 0
def curve(ax, frequency=1):
    global drawn
    drawn += 1
    time.sleep(0.05)
    x = np.linspace(0, 6, 300)
    ax.fill_between(x, np.sin(frequency * x / 10))
    ax.set(xlim=(0, 6), ylim=(-1, 1))
    return f"frequency {frequency}"
explorer = explore(curve, alt="a sine curve that gets faster with its slider", frequency=(1, 100, 1))
explorer
"""

FAILING = """
from mlcore.viz import explore
def root(ax, x=1):
    ax.plot([0, 1], [0, abs(x) ** 0.5])
    if x < 0:
        raise ValueError(f"there is no real root of {x} <here>")
    return "real"
explore(root, alt="a line whose slope is a square root", x=(-3, 3, 1))
"""

CONTROLS = """
import ipywidgets as widgets
from mlcore.viz import explore, log_slider
def many(ax, a=1.0, b=2, kind="one", tick=False, size=1.0, c="x", d=3):
    ax.bar(range(6), [a, b, len(kind) + 2 * (kind == "two"), 1 + tick, size, "xyz".index(c) + d])
    ax.set(ylim=(0, 12))
explore(many, alt="six bars, one for each control", a=(0.0, 5.0, 0.5), b=(0, 9), kind=["one", "two", "three"],
        tick=False, size=log_slider(-1, 1), c=widgets.RadioButtons(options=["x", "y", "z"]),
        d=widgets.BoundedIntText(value=3, min=0, max=8))
"""


ASKING = """
from mlcore.viz import explore, goal, guess
def rising(ax, k=1):
    ax.plot([0, 1], [0, k])
    ax.set(ylim=(0, 6))
    return f"up to {k}", {"total": k}
explore(rising, alt="a line that rises to the height k", k=(0, 5),
        guess=guess("Is the best line flatter or steeper?",
                    {"flatter": "No <b>: it pulls.", "steeper": "Right."}, "steeper"),
        goals=[goal("2.A", "let the line rise to five", lambda total: total == 5, by={"k": 5})])
"""

ASKING_A_NUMBER = """
explore(rising, alt="a line that rises to the height k", k=(0, 5),
        guess=guess("How high is the best line?", (0, 1, 0.1), 0.7, near=0.1,
                    feedback={"low": "It is higher.", "near": "Just so.", "high": "It is lower."}))
"""

TOGGLES = """
import ipywidgets
explore(lambda ax, k: None, alt="an empty pair of axes", k=ipywidgets.ToggleButtons(options=["one", "two"]))
"""

RUNNING = """
from mlcore.optimize import descend
from mlcore.viz import play
def show(ax, state):
    ax.plot([0, state])
    ax.set(ylim=(0, 6))
pieces = ["slope = gradient(x)", "if np.abs", "x = x - rate(step)", "slope = gradient(x)"]
play(range(4), show, alt="a line that rises to its step", figsize=(5.2, 4.4), interval=200,
     code=descend, line=lambda state: pieces[state], values=lambda state: {"state": state, "η": "<0.1>"})
"""


def opened(open_notebook, name, *cells, guess=False):
    notebook = open_notebook(name, cells)
    notebook.run_all(guess=guess)
    assert notebook.problems() == []
    return notebook, notebook.explorers()[0]


@pytest.fixture(scope="module")
def slow(open_notebook):
    return opened(open_notebook, "slow.ipynb", SLOW)


def test_a_fast_drag_leaves_no_stale_picture_and_no_queue(slow, chrome):
    """Sixty moves within the time of a few pictures: the last picture is the last value's, and few were drawn."""
    notebook, explorer = slow
    slider = explorer.controls()[0]
    frames = explorer.record(lambda: slider.drag(moves=60))
    assert_steady(frames, explorer)
    assert len({frame["source"] for frame in frames}) < 40, "every position on the way was drawn: positions pile up"
    dragged, value = explorer.picture(), slider.number()
    assert explorer.root.locator(".mlcore-caption").inner_text().strip() == f"frequency {value:.0f}"
    slider.move("Home")
    assert explorer.picture() != dragged
    slider.set_to_typed(f"{value:.0f}")
    assert slider.number() == value
    assert explorer.picture() == dragged


def test_no_blank_picture_on_the_screen_while_dragging(slow, chrome):
    """Look at every frame that the browser puts on the screen: the blue area is there each time."""
    notebook, explorer = slow
    into_view(explorer.image)
    shots = []
    session = chrome.context.new_cdp_session(notebook.page)

    def keep(event):
        shots.append(event["data"])
        session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    session.on("Page.screencastFrame", keep)
    session.send("Page.startScreencast", {"format": "png"})
    explorer.controls()[0].drag(start=0.1, stop=0.9, moves=60, between=lambda _: notebook.page.wait_for_timeout(15))
    notebook.settle()
    session.send("Page.stopScreencast")
    session.detach()
    shares = [_share_of_colour(shot, explorer.image.bounding_box()) for shot in shots]
    assert len(shares) >= 8, f"only {len(shares)} frames were seen"
    assert min(shares) > 0.1, f"share of coloured pixels in each frame: {np.round(shares, 3)}"


def _share_of_colour(shot, place):
    image = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    left, top, width, height = (round(place[key]) for key in ("x", "y", "width", "height"))
    pixels = np.asarray(image.crop((left, top, left + width, top + height))).astype(int)
    return (pixels.min(axis=2) < 200).mean()


def test_an_error_is_shown_in_place_of_the_picture_and_the_next_move_recovers(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "failing.ipynb", FAILING)
    slider = explorer.controls()[0]
    good, place = explorer.picture(), explorer.box()
    slider.move("Home")
    notebook.settle()
    (message,) = notebook.errors_shown()
    assert "ValueError: there is no real root of -3 <here>" in message
    assert not explorer.image.is_visible()
    assert explorer.box() == place
    shown = explorer.root.locator(".mlcore-error").bounding_box()
    picture = explorer.image.evaluate("e => { const b = e.getBoundingClientRect(); return [b.top, b.bottom] }")
    assert picture[0] <= shown["y"] and shown["y"] + shown["height"] <= picture[1], "the message is not in its place"
    assert explorer.root.locator("[role=alert]").count() == 1

    slider.move("End")
    notebook.settle()
    assert notebook.errors_shown() == []
    assert explorer.image.is_visible()
    assert explorer.picture() != good
    for _ in range(2):
        slider.move("ArrowLeft")
    assert explorer.picture() == good, "the same value gives another picture after an error"


def test_every_kind_of_control_works_from_the_keyboard(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "controls.ipynb", CONTROLS)
    controls = explorer.controls()
    assert [control.label for control in controls] == ["a", "b", "kind", "tick", "size", "c", "d"]
    for control in controls:
        before = explorer.picture()
        control.move(control.moves()[0])
        assert explorer.picture() != before, f"{control} does not move the picture"
    assert notebook.console == []


def test_an_explorer_moves_while_a_cell_is_running(open_notebook, chrome):
    """JupyterLab moves sliders beside the running cell; a picture drawn then looks the same as any other."""
    notebook, explorer = opened(open_notebook, "busy.ipynb", SLOW, "1")
    slider = explorer.controls()[0]
    slider.move("End")
    calm = explorer.picture()
    slider.move("Home")
    notebook.settle()
    notebook.page.evaluate("code => { mlcoreTest.kernel().requestExecute({code}) }", BUSY)
    for key in ("End", "Home", "PageUp", "End"):
        slider.move(key)
        notebook.page.wait_for_timeout(150)
    assert explorer.picture() == calm


BUSY = """
from mlcore.classroom.viz.draw.canvas import Canvas
def line(ax, k):
    ax.plot([0, k], [0, 1])
other = Canvas(line)
for k in range(60):
    other.paint(k=k)
"""


LONG_TEXT = "A paragraph that fills the page.\n\n" * 30


def test_a_cell_that_is_run_by_hand_shows_its_explorer_whole(open_notebook, chrome):
    """JupyterLab goes on to the next cell after Shift+Enter; controls and picture come into view all the same."""
    notebook = open_notebook("byhand.ipynb", [FAILING, "1", "2"], text=LONG_TEXT)
    with notebook.window(1280, 800):
        cell = notebook.page.locator(".jp-CodeCell").first
        cell.locator(".cm-content").click()
        notebook.page.keyboard.press("Shift+Enter")
        notebook.page.locator(".mlcore-explorer img.mlcore-picture").wait_for()
        notebook.settle()
        notebook.page.wait_for_timeout(500)
        box = notebook.explorers()[0].root.bounding_box()
        bars = notebook.page.locator(".jp-WindowedPanel-outer").bounding_box()
        assert box["y"] >= bars["y"] - 1 and box["y"] + box["height"] <= bars["y"] + bars["height"] + 1


def test_a_saved_notebook_shows_its_pictures_and_how_to_wake_them(open_notebook, chrome):
    """Saved with its outputs, its kernel ended, opened again: the pictures are there, no "model not found"."""
    notebook, explorer = opened(open_notebook, "saved.ipynb", FAILING)
    notebook.save()
    notebook.lab.end_kernels()
    notebook.load_again()
    output = notebook.page.locator(".jp-OutputArea").first
    output.locator("img").wait_for()
    shown = output.locator("img").evaluate("e => e.decode().then(() => e.naturalWidth)")
    assert shown == 1400, "saved twice as sharp as it is large"
    saved_height = output.bounding_box()["height"]
    assert "model not found" not in output.inner_text()
    assert "Shift+Enter" in output.inner_text()
    notebook.run_all()
    assert "Shift+Enter" not in output.inner_text(), "the line stays although the sliders are there"
    with notebook.window(*SMALL):  # in a larger one the picture grows when it wakes
        assert abs(output.bounding_box()["height"] - saved_height) <= 24, "the page jumps when the sliders come"


def test_whatever_is_moved_says_so_when_no_kernel_answers(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "silent.ipynb", FAILING, RUNNING, ASKING, TOGGLES, guess=True)
    notes = notebook.page.locator(".mlcore-note")
    slider, player = explorer.controls()[0], notebook.explorers()[1]
    slider.move("ArrowRight")
    player.button("Back").click()  # at the start already: nothing is drawn
    notebook.page.get_by_role("button", name="one").click()  # chosen already
    notebook.settle()
    notebook.page.wait_for_timeout(7000)
    assert notes.all_inner_texts() == ["", "", "", ""]
    notebook.lab.end_kernels()
    slider.move("ArrowLeft")
    player.button("Step").click()
    for name in ("flatter", "two"):
        notebook.page.get_by_role("button", name=name).click()
    said = "() => [...document.querySelectorAll('.mlcore-note')].every(e => e.textContent.includes('No answer'))"
    notebook.page.wait_for_function(said, timeout=15_000)


THEMES = ("JupyterLab Dark", "JupyterLab Light")


def assert_accessible(notebook):
    """In both themes axe finds nothing to blame on any explorer."""
    for theme in THEMES:
        notebook.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        notebook.page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg=str("Light" in theme).lower()
        )
        notebook.page.wait_for_timeout(300)  # colours fade from one theme to the other
        assert violations(notebook.page, ".mlcore-explorer") == [], theme


def assert_nothing_sticks_out(notebook, width, height):
    with notebook.window(width, height):
        for explorer in notebook.explorers():
            too_wide = explorer.root.evaluate(
                "e => [...e.querySelectorAll('*')].filter(c => c.checkVisibility() && "
                "c.getBoundingClientRect().right > e.getBoundingClientRect().right + 1).map(c => c.className)"
            )
            assert too_wide == [], f"{explorer} at {width} x {height}"


def test_a_guess_is_made_by_keyboard_and_the_answer_brings_the_controls(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "asking.ipynb", ASKING, ASKING_A_NUMBER, guess=True)
    page, question = notebook.page, explorer.root.locator(".mlcore-question")
    assert_accessible(notebook)
    assert not explorer.root.locator(".noUi-handle").is_visible()
    assert not explorer.root.locator(".mlcore-caption").is_visible(), "the caption could give the answer away"
    assert "flatter or steeper?" in question.locator("legend").inner_text()
    top = explorer.box()
    question.locator("button").first.focus()
    page.keyboard.press("Enter")
    notebook.settle()
    answer = question.locator("p[role=status]")
    assert answer.inner_text() == "Your guess: flatter. No <b>: it pulls."
    assert answer.evaluate("e => e === document.activeElement"), "the focus is lost"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "k"
    before = explorer.picture()
    page.keyboard.press("ArrowRight")
    assert explorer.picture() != before
    assert explorer.box() == top, "the picture jumps when the controls come"

    number = notebook.explorers()[1].root.locator(".mlcore-question")
    number.locator("input").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert number.locator("output").inner_text() == "0.7"
    number.get_by_text("This is my guess").click()
    notebook.settle()
    assert number.locator("p").inner_text() == "✓ Your guess: 0.7; it is 0.7. Just so."
    assert notebook.explorers()[1].root.locator(".noUi-handle").is_visible()
    assert_accessible(notebook)
    for width, height in [(1024, 768), (640, 400)]:  # the second is 1280 x 800 at 200 %
        assert_nothing_sticks_out(notebook, width, height)

    notebook.run_all(guess=True)  # the same cells again
    assert notebook.explorers()[0].root.locator(".noUi-handle").is_visible()
    assert answer.inner_text().startswith("Your guess: flatter.")
    assert notebook.console == []


def test_a_goal_ticks_itself_off_and_is_remembered(open_notebook, chrome):
    notebook, explorer = opened(open_notebook, "reaching.ipynb", ASKING)
    goals = explorer.root.locator(".mlcore-goals")
    assert goals.get_attribute("role") == "status"
    assert goals.inner_text().strip() == "☐ Goal: Let the line rise to five"
    place = explorer.box()
    explorer.controls()[0].move("End")
    notebook.settle()
    assert goals.inner_text().strip() == "☑ Reached: Let the line rise to five"
    assert explorer.box() == place
    explorer.controls()[0].move("Home")
    notebook.run_all()
    assert goals.inner_text().strip() == "☑ Reached: Let the line rise to five"
    assert_accessible(notebook)


def test_the_line_that_runs_follows_step_scrub_and_play(open_notebook, chrome):
    notebook, player = opened(open_notebook, "running.ipynb", RUNNING)
    line = player.root.locator(".mlcore-line[aria-current=step]")
    player.root.locator(".mlcore-line").first.evaluate("e => { e.dataset.same = 'yes' }")

    def at(step, text):
        notebook.settle()
        return line.inner_text().strip().startswith(text) and player.root.locator("td").first.inner_text() == str(step)

    assert at(0, "slope = gradient")
    assert player.root.locator("td").nth(1).inner_text() == "<0.1>"
    player.button("Step").click()
    assert at(1, "if np.abs")
    player.controls()[0].move("End")
    assert at(3, "slope = gradient")
    player.controls()[0].move("Home")
    player.button("Play").click()
    notebook.page.wait_for_timeout(1500)
    assert at(3, "slope = gradient")
    assert player.root.locator("[data-same]").count() == 1, "the code was written anew, which flickers"
    assert_accessible(notebook)
    with notebook.window(1280, 800):
        code, picture = player.root.locator(".mlcore-running").bounding_box(), player.image.bounding_box()
        assert code["x"] > picture["x"] + picture["width"] and player.measures()[0] <= 562
    for width, height in [(1024, 768), (640, 400)]:
        assert_nothing_sticks_out(notebook, width, height)


LONG = """
from mlcore.optimize import descend, descend_by_coordinates, newton
from mlcore.viz import play
def show(ax, state):
    ax.plot([0, state])
    ax.set(ylim=(0, 6))
pieces = [("descend", "slope = gradient(x)"), ("newton", "slope = slope_at(x)"), ("newton", "return steps()")]
play(range(3), show, alt="a line that rises to its step", figsize=(5.2, 3.0),
     code=[descend, newton, descend_by_coordinates], line=lambda state: pieces[state])
"""


def test_the_line_at_work_is_in_view_beside_and_below_the_picture(open_notebook, chrome):
    """Code longer than its room can be scrolled, visibly; it scrolls by itself, and the page does not."""
    notebook, player = opened(open_notebook, "long.ipynb", LONG)
    code, line = player.root.locator(".mlcore-code"), player.root.locator(".mlcore-line[aria-current=step]")
    scrolled = "document.querySelector('.jp-WindowedPanel-outer').scrollTop"

    def assert_in_view():
        assert code.evaluate("e => e.scrollHeight > e.clientHeight"), "the code is too short for this test"
        room, place = code.bounding_box(), line.bounding_box()
        assert room["y"] <= place["y"] and place["y"] + place["height"] <= room["y"] + room["height"]

    def assert_followed(width):
        with notebook.window(width, 800):
            picture, page = player.image.bounding_box(), notebook.page.evaluate(scrolled)
            assert (code.bounding_box()["y"] > picture["y"] + picture["height"]) == (width == 900)
            for key in ("Home", "ArrowRight", "ArrowRight", "Home", "End"):
                player.controls()[0].move(key)
                notebook.settle()
                assert_in_view()
            assert notebook.page.evaluate(scrolled) == page

    assert_followed(1280)
    assert_followed(900)
    assert_in_view()  # the window is wide again, the lines break elsewhere
    player.root.locator(".mlcore-running").evaluate("e => { e.style.position = 'static' }")  # as another front end may
    assert_followed(900)


MAP = """
from mlcore.viz import draw_map, explore
needs = {1: (), 2: (1,), 3: (1,)}
def chosen(ax, chapter=1):
    draw_map(ax, {1: "one", 2: "two\\nwords", 3: "three"}, needs, highlight={chapter},
             links={1: "one.ipynb", 2: "sub folder/two.ipynb"})
explore(chosen, alt="three boxes with arrows between them", chapter=[1, 2, 3], figsize=(6, 3))
"""


def test_the_boxes_of_a_map_lead_to_their_notebooks(open_notebook, chrome):
    """By mouse and keyboard, in this JupyterLab, which is not loaded anew; the links lie on the boxes."""
    notebook = open_notebook("map.ipynb", [MAP])
    (notebook.lab.root / "sub folder").mkdir()
    for name in ("one", "sub folder/two"):
        write_notebook(notebook.lab.root / f"{name}.ipynb", ["1"])
    notebook.run_all()
    assert notebook.problems() == []
    explorer, page = notebook.explorers()[0], notebook.page
    links = explorer.root.locator("a[href]")
    assert [link.get_attribute("aria-label") for link in links.all()] == ["one", "two words"]
    assert_accessible(notebook)
    for width in (1280, 700):
        with notebook.window(width, 800):
            picture = explorer.image.bounding_box()
            for link in map(lambda link: link.bounding_box(), links.all()):
                assert picture["x"] < link["x"] < link["x"] + link["width"] < picture["x"] + picture["width"]
                assert picture["y"] < link["y"] < link["y"] + link["height"] < picture["y"] + picture["height"]
    before = explorer.picture()
    explorer.controls()[0].move("ArrowDown")
    assert explorer.picture() != before and links.count() == 2

    pages = len(chrome.context.pages)
    page.evaluate("window.same = true")
    opened_now = "path => jupyterapp.shell.currentWidget?.context?.path === path"
    links.nth(0).click()
    page.wait_for_function(opened_now, arg="one.ipynb")
    page.evaluate("jupyterapp.commands.execute('docmanager:open', {path: 'map.ipynb'})")
    page.wait_for_function(opened_now, arg="map.ipynb")
    explorer.controls()[0].element.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert links.nth(1).evaluate("e => e === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function(opened_now, arg="sub folder/two.ipynb")
    assert page.evaluate("window.same") and len(chrome.context.pages) == pages


def ask_kernel(notebook, code):
    """What the kernel prints when it runs this code."""
    return notebook.page.evaluate(
        """code => new Promise((resolve) => {
            const future = mlcoreTest.kernel().requestExecute({ code });
            let text = '';
            future.onIOPub = ({ header, content }) => { if (header.msg_type === 'stream') text += content.text; };
            future.done.then(() => resolve(text.trim()));
        })""",
        code,
    )


def test_a_player_goes_faster_and_so_do_the_others(open_notebook, chrome):
    notebook, _ = opened(open_notebook, "speed.ipynb", RUNNING, RUNNING)
    intervals = "from mlcore.viz import explorers\nprint([one.player.interval for one in explorers()])"
    speeds = notebook.page.get_by_role("combobox", name="speed")
    assert speeds.evaluate_all("all => all.map(e => e.value)") == ["1", "1"]
    assert ask_kernel(notebook, intervals) == "[200, 200]"
    place = notebook.explorers()[1].box()
    speeds.nth(0).focus()
    notebook.page.keyboard.press("ArrowDown")
    notebook.settle()
    assert speeds.evaluate_all("all => all.map(e => e.value)") == ["2", "2"]
    assert ask_kernel(notebook, intervals) == "[100, 100]"
    notebook.run_all()  # remembered, as it is after the page is loaded again
    assert speeds.evaluate_all("all => all.map(e => e.value)") == ["2", "2"]
    assert ask_kernel(notebook, intervals) == "[100, 100]"
    speeds.nth(1).select_option("0.5")
    notebook.settle()
    assert ask_kernel(notebook, intervals) == "[400, 400]"
    assert notebook.explorers()[1].box() == place
    assert_accessible(notebook)
    assert_nothing_sticks_out(notebook, 640, 400)
    notebook.page.evaluate("localStorage.clear()")


EVERY_PART = """
import numpy as np
from mlcore.optimize import descend
from mlcore.viz import draggable, explore, glide, goal, guess, hold, linked, play
X, y = np.array([[0.2, 1.0], [0.5, 3.0], [0.8, 2.0]]), np.array([0, 1, 1])
def cut(axes, X, y, threshold=0.5):
    for ax in axes:
        ax.axvline(threshold)
        linked(ax.scatter(*X.T, label="a row"), "rows")
        ax.set(xlim=(0, 1), ylim=(0, 4))
    return f"{(X[:, 0] > threshold).sum()} above the threshold, the others below", {"threshold": threshold}
explore(cut, alt="three points in two panels and a threshold", subplots=(1, 2), threshold=(0.0, 1.0, 0.05),
        points=draggable(X, y, box=((0, 1), (0, 4))), holds={"threshold": hold("x")},
        goals=[goal("2.A", "none is above", lambda threshold: threshold == 1, by={"threshold": 1.0})],
        guess=guess("Where is the best threshold?", (0, 1, 0.05), 0.7, near=0.1, seen=hold("x"),
                    feedback={"low": "It is higher.", "near": "Just so.", "high": "It is lower."}))
"""
EVERY_PART_OF_A_PLAYER = """
def show(ax, state):
    glide(ax.plot([state], [1], "o"), "ball")
    ax.set(xlim=(0, 6), ylim=(0, 2))
    return f"step {state}, of four"
play(range(4), show, alt="a ball that goes to the right", figsize=(5.2, 4.4), code=descend,
     line=lambda state: "slope = gradient(x)", values=lambda state: {"state": state})
"""


def test_axe_finds_nothing_whatever_belongs_to_a_card(open_notebook, chrome):
    """Asked and answered, read off, held and failed; and the parts are read in the order in which they stand."""
    notebook, explorer = opened(open_notebook, "every.ipynb", EVERY_PART, EVERY_PART_OF_A_PLAYER, guess=True)
    assert_accessible(notebook)
    assert_in_order(explorer)
    explorer.root.get_by_text("This is my guess").click()
    notebook.settle()
    assert_accessible(notebook)
    assert_in_order(explorer)
    into_view(explorer.image)
    x, y = explorer.points().places()[2]
    notebook.page.mouse.move(x, y)
    assert explorer.root.locator(".mlcore-reading").inner_text() == "a row: 0.8, 2"
    assert explorer.root.locator(".mlcore-rings circle").count() == 2
    assert_accessible(notebook)
    explorer.root.locator(".mlcore-hold").focus()
    notebook.page.keyboard.press("End")
    notebook.settle()
    assert explorer.root.locator(".mlcore-reached").count() == 1
    notebook.explorers()[1].button("Step").click()
    assert_accessible(notebook)
    assert_in_order(notebook.explorers()[1])
    for width, height in [(1024, 768), (640, 400)]:
        assert_nothing_sticks_out(notebook, width, height)
    notebook.page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    assert_nothing_sticks_out(notebook, 390, 800)
    assert notebook.console == []


def assert_in_order(explorer):
    tops = explorer.root.evaluate(
        """(root) => [...root.querySelectorAll(
            '.mlcore-question, .mlcore-controls, .mlcore-tools, .mlcore-stage, .mlcore-caption, .mlcore-goals'
        )].filter((part) => part.offsetHeight).map((part) => part.getBoundingClientRect().top)"""
    )
    assert len(tops) >= 3 and tops == sorted(tops)
