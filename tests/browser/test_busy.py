"""On a busy machine, its processor ten times slower, two of the chapters with most in them are whole all the same."""

import json

import pytest

from tests.browser.lab import Notebook
from tests.browser.test_widgets import ask_kernel

# What the kernel has of each explorer, against what the page shows.
EXPECTED = """
import json
from mlcore.viz import explorers
print(json.dumps([{
    "kind": one.kind, "controls": 1 if one.kind == "player" else len(one.controls),
    "points": len(one.points.X) if one.points else 0, "holds": len(one.scene.holds), "asks": one.guess is not None,
    "goals": len(one.goals), "lines": len(one.scene.running.lines) if one.scene.running else 0,
} for one in explorers()]))
"""
SHOWN = """() => [...document.querySelectorAll('.mlcore-explorer')].map((root) => {
    const count = (selector) => root.querySelectorAll(selector).length;
    return {
        kind: root.getAttribute('aria-label'),
        controls: ['.noUi-handle', 'select', 'input[type=checkbox]', '.widget-toggle-buttons', '.widget-radio'].reduce(
            (sum, one) => sum + count(`:is(.mlcore-controls, .mlcore-player) > .lm-Widget:is(${one}, :has(${one}))`), 0,
        ),
        points: count('.mlcore-point'), holds: count('.mlcore-hold'), asks: count('.mlcore-question') > 0,
        goals: count('.mlcore-goal'), lines: count('.mlcore-line'),
    };
})"""


@pytest.mark.walk
@pytest.mark.parametrize("chapter", ["15_decision_trees", "24_mixture_models"])
def test_nothing_is_missing_and_nobody_is_deaf(lab, chrome, chapter):
    with Notebook(lab, chrome, f"{chapter}.ipynb") as notebook:
        session = chrome.context.new_cdp_session(notebook.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 10})
        notebook.run_all(seconds=400)
        assert notebook.problems() == []
        assert notebook.page.evaluate(SHOWN) == json.loads(ask_kernel(notebook, EXPECTED))
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        for explorer in notebook.explorers():
            assert_whole(explorer)
            assert_answers(explorer)
        assert notebook.errors_shown() == []
        assert notebook.console == []


def assert_whole(explorer):
    """Nothing is without its layout: the tool bar is one or two rows, the code as high as what stands beside it."""
    heights = {
        part: sum(node.bounding_box()["height"] for node in explorer.root.locator(f".mlcore-{part}").all())
        for part in ("tools", "running", "stage", "caption", "goals")
    }
    assert heights["stage"] > 150 and heights["caption"] >= 44, f"{explorer}: {heights}"
    assert not heights["tools"] or 26 <= heights["tools"] <= 70, f"{explorer}: {heights}"
    beside = heights["stage"] + heights["caption"] + heights["goals"]
    assert not heights["running"] or abs(heights["running"] - beside) < 2, f"{explorer}: {heights}"


def assert_answers(explorer):
    """A slider, another control or a point still gets new pictures."""
    before = explorer.picture()
    for control in explorer.controls():
        for key in control.moves()[-3:]:
            control.move(key)
            if explorer.picture() != before:
                return
    points = explorer.points()
    assert points, f"{explorer} is deaf"
    points.press(0, "Shift+ArrowRight", "Shift+ArrowUp")
    assert explorer.picture() != before, f"{explorer} is deaf"
