"""A cell that is run in a fresh kernel: one calm line, the saved picture, and a button that runs what stands above."""

import base64
import io

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

IMPORTS, DATA, LIVE, STUB, SOLUTION, OWN, SLIP = range(7)
SOURCES = [
    "from mlcore.exercises import grade\nfrom mlcore.viz import explore",
    "heights = [1, 2, 3]",
    """def bars(ax, k=1):
    ax.bar(range(3), [k * height for height in heights])
    ax.set(ylim=(0, 20))
explore(bars, alt="three bars that grow with k", k=(0, 5))""",
    'answer_2_1 = ...\ngrade("2.1", answer_2_1)',
    '# Solution\nsolution_2_1 = 2\ngrade("2.1", solution_2_1)',
    "mine = solution_2_1 + 1",
    "heigts",
]
RED = "[data-mime-type*=stderr]"  # so JupyterLab marks a traceback, too
LOST = ".mlcore-explorer .mlcore-lost"


def write_chapter(path):
    """A small chapter as the course saves it: with a picture where its explorer will be."""
    buffer = io.BytesIO()
    Image.new("RGB", (700, 440), "white").save(buffer, "png")
    data = {"image/png": base64.b64encode(buffer.getvalue()).decode(), "text/plain": "[explorer] three bars"}
    notebook = new_notebook(metadata={"mlcore": {}, "kernelspec": {"name": "python3", "display_name": "Python 3"}})
    notebook.cells = [new_code_cell(source) for source in SOURCES]
    notebook.cells[LIVE].outputs = [
        new_output("display_data", data, metadata={"image/png": {"alt": "three bars that grow with k"}}),
        new_output("display_data", {"text/html": "<p>Run this cell.</p>", "text/plain": "[saved]"}),
    ]
    notebook.cells[SOLUTION].metadata.tags = ["solution"]
    nbformat.write(notebook, path)


@pytest.fixture
def chapter(lab, chrome, open_notebook, request):
    """A small chapter in a fresh kernel."""
    name = f"{request.node.name}.ipynb"
    write_chapter(lab.root / name)
    return open_notebook(name)


def line_of(cell):
    """The calm line of a cell, which has no traceback."""
    assert cell.locator(RED).count() == 0
    (said,) = cell.locator(".mlcore-calm").all_inner_texts()
    return said


def assert_picture(cell):
    assert cell.locator(".jp-OutputArea img").bounding_box()["height"] > 300


def assert_live(chapter):
    chapter.page.locator(".mlcore-explorer .noUi-handle").wait_for()
    chapter.settle()
    (explorer,) = chapter.explorers()
    before = explorer.picture()
    explorer.controls()[0].move("End")
    assert explorer.picture() != before
    assert chapter.page.locator(".mlcore-calm, .mlcore-lost").count() == 0


def test_the_cell_of_a_saved_picture(chapter, chrome):
    path = chapter.lab.root / chapter.name
    saved = nbformat.read(path, as_version=4).cells[LIVE].outputs
    for _ in range(2):
        cell = chapter.run_cell(LIVE)
        assert "needs what stands above it (explore, heights), and nothing has run since" in line_of(cell)
        assert_picture(cell)
        assert cell.get_by_text("Run this cell.").is_visible()
        chapter.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
        assert nbformat.read(path, as_version=4).cells[LIVE].outputs == saved, "the picture is saved, not the line"
    cell.locator(".mlcore-calm").get_by_role("button", name="Run everything above").click()
    assert_live(chapter)
    assert chapter.page.locator(".jp-Dialog").count() == 0
    assert chapter.console == []


def test_the_button_runs_its_own_cell_by_keyboard_too(chapter, chrome):
    cell = chapter.run_cell(LIVE)
    chapter.page.locator(".jp-Notebook .jp-Cell").nth(SLIP).locator(".jp-InputPrompt").click()
    cell.locator(".mlcore-calm button").focus()
    chapter.page.keyboard.press("Enter")
    assert_live(chapter)


def test_exercises_solutions_and_slips(chapter, chrome):
    assert "(grade)" in line_of(chapter.run_cell(STUB))
    said = line_of(own := chapter.run_cell(OWN))
    assert said.startswith("solution_2_1 belongs to the solution of exercise 2.1")
    assert own.locator("button").count() == 0
    assert "NameError" in chapter.run_cell(SLIP).locator(RED).inner_text()
    button = chapter.page.locator(".jp-Cell").nth(STUB).locator(".mlcore-calm button")
    button.click()
    chapter.page.get_by_text("2.1 is not attempted yet").wait_for()
    assert chapter.console == []


def test_a_restart_moves_nothing_and_the_picture_stays(chapter, chrome):
    chapter.run_all()
    (explorer,) = chapter.explorers()
    explorer.controls()[0].move("End")
    place, picture = explorer.box(), explorer.picture()
    top = explorer.root.locator(".noUi-base").first.bounding_box()
    chapter.restart()
    chapter.page.locator(LOST).wait_for()
    assert "Python was restarted" in chapter.page.locator(LOST).inner_text()
    assert (explorer.box(), explorer.picture()) == (place, picture)
    assert explorer.image.is_visible() and not explorer.root.locator(".noUi-handle").is_visible()
    assert explorer.root.locator(".noUi-base").first.bounding_box() == top
    icons = "e => [e, ...e.querySelectorAll('*')].filter(part => getComputedStyle(part, '::before').content.length > 6)"
    assert explorer.root.evaluate(f"e => ({icons})(e).map(part => part.className)") == []
    above, line = explorer.image.bounding_box(), chapter.page.locator(LOST).bounding_box()
    assert line["y"] + line["height"] <= above["y"]

    cell = chapter.run_cell(LIVE)
    line_of(cell)
    assert_picture(cell)
    cell.locator(".mlcore-calm button").click()
    assert_live(chapter)
    assert chapter.console == []
