"""The keys that an explorer shares with JupyterLab: Shift+Enter runs the cell from anywhere, others stay inside."""

import pytest

from tests.browser.test_points import HAND
from tests.browser.test_widgets import ASKING, ASKING_A_NUMBER, CONTROLS, RUNNING

CELLS = (HAND, ASKING, ASKING_A_NUMBER, CONTROLS, RUNNING, "1")
PLACES = [
    (0, ".mlcore-point >> nth=1"), (0, ".mlcore-tool >> text=Undo"), (0, ".mlcore-tool >> text=Add"),
    (0, ".mlcore-tool >> text=?"), (0, ".noUi-handle"),
    (1, ".mlcore-ways button >> nth=0"), (1, ".mlcore-ways .mlcore-skip"), (2, ".mlcore-ways input"),
    (3, ".noUi-handle >> nth=0"), (3, ".widget-readout >> nth=0"), (3, "select"), (3, "input[type=checkbox]"),
    (3, "input[type=radio] >> nth=0"), (3, "input[type=number]"),
    (4, ".widget-play button >> nth=0"), (4, ".widget-play button >> nth=1"), (4, "button >> text=Step"),
    (4, ".noUi-handle"), (4, ".mlcore-speed select"), (4, ".mlcore-code"),
]  # fmt: skip


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook("keys.ipynb", CELLS)
    notebook.run_all(guess=True)
    assert notebook.problems() == []
    return notebook


def counts(notebook):
    """How often the kernel has run when each cell last ran."""
    return notebook.page.evaluate(
        "jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.executionCount)"
    )


def active(notebook):
    return notebook.page.evaluate("jupyterapp.shell.currentWidget.content.activeCellIndex")


def press(notebook, cell, key):
    """Press a key that runs this cell, and wait until it has run; return how many clicks the page heard meanwhile."""
    before = counts(notebook)
    notebook.page.evaluate(
        "() => { window.clicks = 0; window.onclick ??= () => { window.clicks += 1 } }"
    )
    notebook.page.keyboard.press(key)
    notebook.page.wait_for_function(
        "([cell, before]) => jupyterapp.shell.currentWidget.content.widgets[cell].model.executionCount > before",
        arg=[cell, max(before)], timeout=15_000,
    )
    notebook.settle()
    after = counts(notebook)
    assert [k for k in range(len(CELLS)) if after[k] != before[k]] == [cell], "another cell ran"
    return notebook.page.evaluate("window.clicks")


@pytest.mark.parametrize("cell, place", PLACES)
def test_shift_enter_and_ctrl_enter_run_the_cell_from_wherever_the_focus_is(notebook, chrome, cell, place):
    spot = notebook.page.locator(".jp-Cell").nth(cell).locator(place)
    for key, goes_on in [("Control+Enter", 0), ("Shift+Enter", 1)]:
        spot.focus()
        assert press(notebook, cell, key) == 0, "a button was pressed on the way"
        assert active(notebook) == cell + goes_on
    assert notebook.page.locator(".jp-Cell").count() == len(CELLS)
    assert notebook.problems() == []


def test_shift_enter_after_a_drag_and_after_undo(notebook, chrome):
    """As a learner does it: with the mouse on a point and on a tool, then Shift+Enter, again and again."""
    points = notebook.explorers()[0].points()
    start = points.labels()
    points.drag(1, (40, 20))
    assert points.settled() != start
    points.tool("Undo").click()
    assert points.settled() == start
    assert press(notebook, 0, "Shift+Enter") == 0
    points.drag(1, (40, 20))
    assert points.settled() != start
    assert press(notebook, 0, "Shift+Enter") == 0
    assert press(notebook, 1, "Shift+Enter") == 0, "the next cell is ready for the next Shift+Enter"
    assert points.settled() == start


def test_no_other_key_of_an_explorer_is_one_of_jupyterlab(notebook, chrome):
    """X would cut the cell, M make it text, arrows leave it: from a slider, a choice, a button, a question."""
    keys = ("x", "m", "a", "b", "ArrowDown", "ArrowUp")
    for cell, place in [(3, ".noUi-handle >> nth=0"), (3, "select"), (4, "button >> text=Step"), (1, ".mlcore-skip")]:
        spot = notebook.page.locator(".jp-Cell").nth(cell).locator(place)
        spot.focus()
        for key in keys:
            notebook.page.keyboard.press(key)
            assert (active(notebook), spot.evaluate("e => e === document.activeElement")) == (cell, True), (place, key)
        assert notebook.page.locator(".jp-CodeCell").count() == len(CELLS)


def test_a_table_takes_a_new_line(notebook, chrome):
    """Shift+Enter begins a new line in the field for one's own data: what was typed must not get lost."""
    points, before = notebook.explorers()[0].points(), counts(notebook)
    points.tool("Your data").click()
    area = points.explorer.root.locator(".mlcore-panel textarea")
    area.fill("1 2")
    notebook.page.keyboard.press("Shift+Enter")
    notebook.page.keyboard.type("2 1")
    assert area.input_value() == "1 2\n2 1" and counts(notebook) == before


def test_after_a_click_a_key_shows_where_the_focus_is(notebook, chrome):
    handle = notebook.explorers()[4].controls()[0].element
    outline = "e => getComputedStyle(e).outlineStyle"
    handle.click()
    assert handle.evaluate(outline) == "none"
    notebook.page.keyboard.press("ArrowRight")
    # Chromium would draw the ring by itself, other browsers do not: what counts is our own rule for it
    assert handle.evaluate("e => e.matches('.mlcore-keys :focus')") and handle.evaluate(outline) == "solid"
    handle.click()
    assert not handle.evaluate("e => e.matches('.mlcore-keys :focus')")
