"""The pages of the site: every control moves its picture, from frames and live, and nothing comes from elsewhere."""

import os

import pytest

from tests.browser.conftest import started
from tests.browser.engines import start
from tests.browser.lab import violations
from tests.browser.site import SitePage, chapters

CHAPTERS = [path.stem for path in chapters() if path.stem != "glossary"]
ELSEWHERE = os.environ.get("MLCORE_ELSEWHERE", "").split()
"""The numbers of the chapters whose pages are tested in Firefox and WebKit; all, where none is named."""
WHERE = [pytest.param("chromium", stem, id=stem) for stem in CHAPTERS] + [
    pytest.param(name, stem, id=f"{name}-{stem}")
    for name in ("firefox", "webkit")
    for stem in CHAPTERS
    if not ELSEWHERE or stem[:2] in ELSEWHERE
]


@pytest.fixture(scope="module")
def engines(pytestconfig):
    """The browsers, each started once."""
    running = {}

    def get(name):
        if name not in running:
            running[name] = started(pytestconfig, start, name)
        return running[name]

    yield get
    for engine in running.values():
        engine.close()


@pytest.mark.parametrize("name, stem", WHERE)
def test_a_page_works_from_frames_and_live(engines, site, name, stem):
    """Each explorer moves before Python runs; then every control is moved, a point is dragged, nothing goes wrong.

    Whether each control shows in its picture is a matter of the notebooks' tests: some do at certain settings alone.
    """
    engine = engines(name)
    asked = watch(engine)
    engine.open(f"{site}/index.html?frames")
    engine.ask("() => localStorage.clear()")
    page = SitePage(engine, site, stem)
    assert page.count == engine.ask("() => document.querySelectorAll('.mlcore-explorer').length")
    kept = [one for one in (guess(page), reach_a_goal(page)) if one]
    page.answer_questions()
    assert page.unsaid() == []
    assert page.dead() == [], "from frames"
    assert page.errors() == [], page.errors()
    if name == "chromium":
        assert (found := violations_in_both_themes(engine)) == {"light": [], "dark": []}, found
    if page.count:
        page.start_python()
        assert page.dead(every=True) == [], "live"
        assert page.errors() == [], page.errors()
        drag_a_point(page)
    assert engine.ask("() => document.documentElement.scrollWidth - innerWidth") <= 0
    page = SitePage(engine, site, stem)
    for there in kept:
        assert there(page), f"{there.__name__} is not there any more when the page is loaded again"
    assert page.errors() == [], page.errors()
    assert [url for url in asked if not url.startswith((site, "blob:", "data:"))] == [], "asked elsewhere"


def watch(engine):
    """The addresses that a page asks for from now on, where the browser tells them."""
    asked = []
    if hasattr(engine, "page"):
        engine.page.on("request", lambda request: asked.append(request.url))
    return asked


def violations_in_both_themes(engine):
    """What axe-core finds on the page, by theme."""
    found = {}
    for theme in ("light", "dark"):
        engine.ask("(name) => mlcoreTheme(name)", theme)
        found[theme] = violations(engine.page)
    engine.ask("() => mlcoreTheme('light')")
    return found


def guess(page):
    """Commit to a guess at the first question; return what tells whether it is there."""
    k = page.engine.ask("() => mlcore.cards.findIndex((card) => card.spec.question)")
    if k < 0:
        return None
    page.engine.ask("(k) => { mlcore.cards[k].stage.question.row.querySelector('button').click() }", k)
    page.quiet()

    def the_guess(page):
        return "Your guess: " in page.engine.ask("(k) => mlcore.cards[k].stage.question.told.textContent", k)

    assert the_guess(page), f"{page.stem}, explorer {k + 1}: nothing is told of a guess"
    return the_guess


def reach_a_goal(page):
    """Move the first explorer that has a frame with a goal to it; return what tells whether the goal is reached."""
    k = page.engine.ask(
        """async () => {
            for (const [k, card] of mlcore.cards.entries()) {
                if (!card.spec.goals.length) continue;
                const { base, changes } = await card.frames.pack(false);
                const frame = changes.map((one) => ({ ...base, ...one })).find(({ reaches }) => reaches.length);
                if (!frame) continue;
                if (card.root.matches('.mlcore-asking')) card.root.querySelector('.mlcore-skip').click();
                card.stage.ask({ kind: 'set', at: frame.at });
                return k;
            }
            return -1;
        }"""
    )
    if k < 0:
        return None
    page.quiet()

    def the_goal(page):
        return "☑ Reached:" in page.engine.ask("(k) => mlcore.cards[k].stage.goals.textContent", k)

    assert the_goal(page), f"{page.stem}, explorer {k + 1}: the goal is not told"
    return the_goal


def drag_a_point(page):
    """The first explorer that has points: one of them is dragged, and the picture follows."""
    engine = page.engine
    k = engine.ask("() => mlcore.cards.findIndex((card) => card.spec.points)")
    if k < 0:
        return
    before = page.picture(k)
    place = engine.ask(
        """(k) => {
            const { root } = mlcore.cards[k];
            root.scrollIntoView({ block: 'center' });
            const { left, top, width, height } = root.querySelector('.mlcore-point').getBoundingClientRect();
            const frame = root.querySelector('.mlcore-stage').getBoundingClientRect();
            const [x, y] = [left + width / 2, top + height / 2];
            return [x, y, x > frame.left + frame.width / 2 ? -30 : 30, y > frame.top + frame.height / 2 ? -30 : 30];
        }""",
        k,
    )
    engine.drag(place[:2], place[2:])
    assert page.picture(k) != before, f"{page.stem}, explorer {k + 1}: the picture does not follow a point"
