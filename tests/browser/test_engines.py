"""Four chapters in three browsers: two sliders, a drag, a guess, a player, and what stands there after a reload."""

import pytest

from tests.browser.conftest import started
from tests.browser.engines import start

CHAPTERS = ("00_start_here", "02_linear_regression", "15_decision_trees", "24_mixture_models")
EXPLORER = ".mlcore-explorer"


@pytest.fixture(scope="module", params=["chromium", "firefox", "webkit"])
def engine(request, pytestconfig):
    """One browser after the other."""
    with started(pytestconfig, start, request.param) as engine:
        yield engine


@pytest.fixture
def opened(engine, lab, request):
    """A chapter of which all cells have run, with its questions unanswered; and its address."""
    lab.end_kernels()
    address = f"{lab.address}/lab/tree/{request.param}.ipynb?reset&token={lab.token}"
    engine.open(address)
    engine.wait("() => mlcoreTest.ready()", seconds=180)
    engine.ask("() => { mlcoreTest.runAll() }")
    engine.wait("() => mlcoreTest.finished()", seconds=180)
    engine.ask("() => mlcoreTest.settle()")
    assert engine.ask("() => mlcoreTest.problems()") == []
    yield engine, address
    lab.end_kernels()


def picture(engine, index):
    return engine.ask("(index) => mlcoreTest.fingerprint(index)", index)


def indices(engine, inside):
    """Which explorers have this in them, and it can be seen."""
    return engine.ask(
        """(inside) => [...document.querySelectorAll('.mlcore-explorer')].flatMap((explorer, i) => {
            const node = explorer.querySelector(inside);
            return node && node.getClientRects().length && getComputedStyle(node).visibility === 'visible' ? [i] : [];
        })""",
        inside,
    )


def nth(engine, index, inside):
    """A selector of something inside an explorer."""
    engine.ask(
        """(index) => {
            for (const node of document.querySelectorAll('.mlcore-now')) node.classList.remove('mlcore-now');
            document.querySelectorAll('.mlcore-explorer')[index].classList.add('mlcore-now');
        }""",
        index,
    )
    return f".mlcore-now {inside}"


def answer_questions(engine):
    """The first by a guess, the others by "just show me"."""
    asking = indices(engine, ".mlcore-question fieldset:not([hidden])")
    for k, index in enumerate(asking):
        engine.click(nth(engine, index, ".mlcore-ways button" if k == 0 else ".mlcore-skip"))
        engine.ask("() => mlcoreTest.settle()")
    left = indices(engine, ".mlcore-question fieldset:not([hidden])")
    assert asking and not left
    told = nth(engine, asking[0], ".mlcore-question p")
    said = engine.ask("(told) => document.querySelector(told).textContent", told)
    assert "Your guess" in said


def move_a_slider(engine, index):
    """By keys, then by the mouse; the picture follows both."""
    before, handle = picture(engine, index), nth(engine, index, ".noUi-handle")
    low, high, now = engine.ask(
        """(handle) => ['min', 'max', 'now'].map(
            (what) => Number(document.querySelector(handle).getAttribute(`aria-value${what}`)))""",
        handle,
    )
    engine.ask("(handle) => document.querySelector(handle).focus()", handle)
    engine.press("Home" if now > (low + high) / 2 else "End")
    keyed = picture(engine, index)
    assert keyed != before, f"the slider of explorer {index} does not follow a key"
    place = engine.middle(handle)
    engine.drag(place, (-100 if now <= (low + high) / 2 else 100, 0))
    assert picture(engine, index) != keyed, f"the slider of explorer {index} does not follow the mouse"


def drag_a_point(engine, index):
    before, point = picture(engine, index), nth(engine, index, ".mlcore-point")
    middle = engine.middle(nth(engine, index, ".mlcore-stage"))
    place = engine.ask(
        """(point) => {
            const { left, top, width, height } = document.querySelector(point).getBoundingClientRect();
            return [left + width / 2, top + height / 2];
        }""",
        point,
    )
    engine.drag(place, [(wanted - has) * 0.6 for wanted, has in zip(middle, place)])
    assert picture(engine, index) != before, f"the points of explorer {index} do not follow the mouse"


def step_a_player(engine, index):
    before = picture(engine, index)
    engine.click(nth(engine, index, ".mlcore-player > button.widget-button:nth-of-type(2)"))
    assert picture(engine, index) != before, f"the player {index} does not step"


def save_and_load_again(engine, address):
    """Every explorer stands there as a picture that says how to wake it; its cell is run, and it moves again."""
    count = engine.ask("() => document.querySelectorAll('.mlcore-explorer').length")
    engine.ask("async () => { await jupyterapp.commands.execute('docmanager:save') }")
    engine.open(address)
    engine.wait("() => mlcoreTest.ready()", seconds=180)
    asleep = """() => [...document.querySelectorAll('.jp-OutputArea')].filter((area) => (
        area.innerText.includes('A saved picture. Run this cell (Shift+Enter)')
        && area.querySelector('img')?.naturalWidth)).length"""
    engine.wait(f"(count) => ({asleep})() === count", count)
    assert engine.ask("() => document.querySelectorAll('.mlcore-explorer').length") == 0
    engine.ask(
        """async () => {
            const { content } = jupyterapp.shell.currentWidget;
            const asleep = (cell) => cell.node.innerText.includes('A saved picture');
            content.activeCellIndex = content.widgets.findIndex(asleep);
            await jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    engine.wait("() => document.querySelector('.mlcore-explorer img.mlcore-picture')")
    engine.ask("() => mlcoreTest.settle()")
    assert engine.ask(asleep) == count - 1
    for index in indices(engine, ".mlcore-skip"):
        engine.click(nth(engine, index, ".mlcore-skip"))
    engine.ask("() => mlcoreTest.settle()")
    move_a_slider(engine, 0)


@pytest.mark.parametrize("opened", CHAPTERS, indirect=True)
def test_a_chapter_works_in_every_browser(opened):
    engine, address = opened
    answer_questions(engine)
    sliders = indices(engine, ".mlcore-controls .noUi-handle")[:2]
    points, players = indices(engine, ".mlcore-point"), indices(engine, ".mlcore-player")
    assert sliders and points and players
    for index in sliders:
        move_a_slider(engine, index)
    drag_a_point(engine, points[0])
    step_a_player(engine, players[0])
    assert engine.errors() == []
    save_and_load_again(engine, address)
    assert engine.errors() == []
