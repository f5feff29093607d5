"""In a learner's own copies a guess is not asked twice, and sliders stand where they were."""

import json

from mlcore.classroom import memory
from tests.browser.lab import SMALL
from tests.browser.test_widgets import assert_accessible, assert_nothing_sticks_out

ASKING = """
from mlcore.viz import explore, guess, log_slider
def rising(ax, k=1, kind="one", C=1.0):
    ax.plot([0, 1], [0, k])
    ax.set(ylim=(0, 6))
    return f"up to {k}"
explore(rising, alt="a line that rises to the height k", k=(0, 5), kind=["one", "two"], C=log_slider(-3, 3),
        guess=guess("Which line is best?", {"flatter": "No: it pulls.", "steeper": "Right."}, "steeper"))
"""


def test_what_was_guessed_and_moved_is_there_again(lab, open_notebook, chrome):
    mine = lab.root / "my"
    mine.mkdir()
    (mine / memory.COPIES).write_text("{}")
    notebook = open_notebook("my/asking.ipynb", [ASKING])
    notebook.run_all(guess=True)
    explorer = notebook.explorers()[0]
    question, reset = explorer.root.locator(".mlcore-question"), explorer.button("Reset controls")
    question.get_by_text("flatter").click()
    notebook.settle()
    first = explorer.picture()
    assert reset.count() == 0 and question.get_by_text("ask me again").count() == 0
    explorer.controls()[0].move("End")
    notebook.settle()
    moved = explorer.picture()
    assert moved != first
    end = 40
    while not (mine / memory.FILE).exists() or "places" not in json.loads((mine / memory.FILE).read_text()):
        notebook.page.wait_for_timeout(250)
        end -= 1
        assert end, "the place was not written"
    lab.end_kernels()
    notebook.close()

    notebook = open_notebook("my/asking.ipynb")
    notebook.run_all(guess=True)
    explorer = notebook.explorers()[0]
    question, reset = explorer.root.locator(".mlcore-question"), explorer.button("Reset controls")
    assert question.locator("p").inner_text() == "Your guess: flatter. No: it pulls. ask me again"
    assert explorer.picture() == moved and explorer.controls()[0].readout() == "5"
    with notebook.window(*SMALL):
        assert explorer.measures()[0] <= 562
    place = explorer.box()
    assert_accessible(notebook)
    for width, height in [(1024, 768), (640, 400)]:  # the second is 1280 x 800 at 200 %
        assert_nothing_sticks_out(notebook, width, height)
    reset.focus()
    notebook.page.keyboard.press("Enter")
    notebook.settle()
    assert explorer.picture() == first and explorer.controls()[0].readout() == "1" and explorer.box() == place

    question.get_by_text("ask me again").focus()
    notebook.page.keyboard.press("Enter")
    notebook.settle()
    assert question.locator("legend").is_visible() and not explorer.root.locator(".noUi-handle").first.is_visible()
    assert notebook.page.evaluate("document.activeElement.textContent") == "flatter", "the focus is lost"
    assert explorer.box() == place
    question.get_by_text("steeper").click()
    notebook.settle()
    assert question.locator("p").inner_text().startswith("✓ Your guess: steeper. Right.")
    assert notebook.console == []
