"""What an explorer does in the browser when it is dragged fast, fails, or recovers: on notebooks made for it."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

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


def opened(open_notebook, name, *cells):
    notebook = open_notebook(name, cells)
    notebook.run_all()
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
    explorer.image.scroll_into_view_if_needed()
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
from mlcore.viz.canvas import Canvas
def line(ax, k):
    ax.plot([0, k], [0, 1])
other = Canvas(line)
for k in range(60):
    other.paint(k=k)
"""
