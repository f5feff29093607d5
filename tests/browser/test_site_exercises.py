"""Exercises of a chapter's page without Jupyter: written in an editor, checked by Python in the browser, remembered."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser.lab import violations
from tests.browser.site import DRESSED

RUNS = "document.documentElement.dataset.python === 'runs'"
RIGHT = {"2.1": 'gradient_w = -2\ngrade("2.1", gradient_w)', "2.3": 'limit = 2 / 4\ngrade("2.3", limit)'}
WRONG = 'limit = 3.7\ngrade("2.3", limit)'
ENDLESS = 'while True:\n    pass\ngrade("2.3", 0.5)'
START = 60_000  # milliseconds that Python may take
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Chapter:
    """A chapter's page, with what a learner does there."""

    def __init__(self, page, address, editor=True):
        self.page, self.faults = page, []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" and editor else None)
        page.route("**", lambda route: self.ask(route, address))
        page.goto(f"{address}/02_linear_regression.html?frames")
        page.wait_for_function("window.mlcore")

    def ask(self, route, address):
        """Let the site's own files through, and nothing else."""
        if route.request.url.startswith((address, "data:", "blob:")):
            return route.fallback()
        self.faults.append(route.request.url)
        return route.abort()

    def exercise(self, number):
        """The place of an exercise, brought into view, with its editor."""
        place = self.page.locator(f"[data-exercise='{number}']")
        place.scroll_into_view_if_needed()
        expect(place.locator(".cm-content")).to_be_visible()
        return place

    def heading(self, number):
        """The heading of an exercise."""
        return self.page.locator("h3").filter(has_text=f"Exercise {number}:")

    def write(self, number, text):
        """Put a text in place of what is in the field, as one pastes it; return the exercise."""
        place = self.exercise(number)
        place.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)
        return place

    def text(self, number):
        """What is in the field."""
        return "\n".join(self.exercise(number).locator(".cm-line").all_text_contents())

    def answer(self, number, text):
        """Write an answer, have it checked, and return what comes of it."""
        place = self.write(number, text)
        place.get_by_role("button", name="Check").click()
        expect(place.get_by_role("button", name="Check")).not_to_have_attribute("aria-disabled", "true", timeout=START)
        return place.locator(".verdict")


@pytest.fixture
def chapter(site, chrome):
    """Open chapter 02 with a browser that remembers nothing; nothing goes wrong there, and nobody else is asked."""

    @contextmanager
    def open_one(editor=True, **options):
        # what is kept for times without a network would come in its place when the page is loaded again
        without = {} if editor else {"service_workers": "block"}
        with chrome.another(**without, **options) as other:
            page = other.context.new_page()
            if not editor:
                page.route("**/editor.js", lambda route: route.abort())
            one = Chapter(page, site, editor)
            yield one
            assert one.faults == []

    return open_one


def test_a_wrong_answer_is_helped_and_a_right_one_is_remembered(chapter):
    with chapter() as one:
        place = one.write("2.3", WRONG)
        one.page.keyboard.press("Control+Enter")
        expect(place.locator(".said")).to_contain_text("Python is being loaded")
        expect(place.locator(".verdict")).to_contain_text("2.3 is wrong. Hint:", timeout=START)
        expect(one.answer("2.3", WRONG)).to_contain_text("Next step:")
        expect(one.heading("2.3").get_by_role("img", name="solved")).to_have_count(0)
        expect(one.answer("2.3", RIGHT["2.3"])).to_contain_text("2.3 is correct.")
        expect(one.answer("2.1", RIGHT["2.1"])).to_contain_text("2.1 is correct.")
        one.write("2.2", "def ridge_weights(X, y, alpha):\n    return 1")
        one.page.reload()
        one.page.wait_for_function("window.mlcore")
        for number in ("2.1", "2.3"):
            expect(one.heading(number).get_by_role("img", name="solved")).to_be_visible()
        expect(one.heading("2.2").get_by_role("img", name="solved")).to_have_count(0)
        assert one.text("2.3") == RIGHT["2.3"]
        assert one.text("2.2") == "def ridge_weights(X, y, alpha):\n    return 1"


def test_what_does_not_end_is_stopped(chapter):
    with chapter() as one:
        one.page.clock.install()
        place = one.write("2.3", ENDLESS)
        place.get_by_role("button", name="Check").click()
        one.page.wait_for_function(RUNS, timeout=START)
        place.get_by_role("button", name="Stop").click()
        expect(place.locator(".said")).to_contain_text("Stopped: you stopped it. Python starts anew")
        expect(one.answer("2.1", RIGHT["2.1"])).to_contain_text("2.1 is correct.")

        place = one.exercise("2.3")
        place.get_by_role("button", name="Check").click()
        expect(place.get_by_role("button", name="Stop")).to_be_visible()
        one.page.clock.fast_forward(20_000)
        expect(place.locator(".said")).to_contain_text("it took longer than 20 seconds")
        assert one.text("2.3") == ENDLESS
        expect(one.answer("2.3", RIGHT["2.3"])).to_contain_text("2.3 is correct.")


def test_what_python_does_not_know_of_is_kept(chapter):
    """A question answered and a goal reached while Python is loaded, and what another page has kept since."""
    with chapter() as one:
        page = one.page
        page.evaluate(DRESSED)
        page.evaluate("() => { mlcore.start() }")
        page.evaluate("document.querySelector('.mlcore-asking .mlcore-skip').click()")
        page.wait_for_function("Object.keys(mlcore.progress.held.guesses).length")
        page.evaluate("mlcore.progress.add('goals', '2.A')")
        page.wait_for_function(RUNS, timeout=START)
        other = page.context.new_page()
        other.goto(page.url)
        other.wait_for_function("window.mlcore")
        other.evaluate("mlcore.progress.add('exercises', '3.1')")
        page.wait_for_function("mlcore.progress.has('exercises', '3.1')")
        expect(one.answer("2.3", RIGHT["2.3"])).to_contain_text("2.3 is correct.")
        for view in (page, other):
            view.wait_for_function("mlcore.progress.has('exercises', '2.3')")
            held = view.evaluate("mlcore.progress.held")
            assert (held["exercises"], held["goals"], len(held["guesses"])) == (["2.3", "3.1"], ["2.A"], 1)
        assert page.evaluate("mlcore.cards.some(({ stage: { frame } }) => frame.question?.made === '')")
        assert page.evaluate("mlcore.cards.some(({ stage: { frame } }) => frame.reached.includes('2.A'))")

        # a cell that spoils the file is told what it did, and nothing else is lost
        expect(one.answer("2.1", "open('progress.json', 'w').write('{')")).to_contain_text("1")
        expect(one.answer("2.1", RIGHT["2.1"])).to_contain_text("2.1 is correct.")
        assert page.evaluate("mlcore.progress.held.exercises") == ["2.1", "2.3", "3.1"]


def test_a_guess_that_is_no_choice_any_more_is_asked_again(chapter):
    """And a number that lies between two steps, as another page may have kept it, is told as the nearest one."""
    with chapter() as one:
        page = one.page
        page.evaluate(DRESSED)
        page.evaluate(
            """() => {
                const guesses = {};
                for (const { spec: { question } } of mlcore.cards) {
                    if (question) guesses[question.key] = question.range ? question.range[0] + 1e-9 : 'no choice';
                }
                localStorage.setItem('mlcore/2/progress', JSON.stringify({ guesses }));
            }"""
        )
        page.reload()
        page.wait_for_function("window.mlcore")
        page.evaluate(DRESSED)
        told = page.evaluate(
            """() => mlcore.cards.filter(({ spec }) => spec.question).map(({ spec, stage }) => (
                [spec.question.range?.[0] ?? null, stage.frame.question.made]))"""
        )
        assert told and all(made == low for low, made in told)


def test_pictures_come_when_the_network_is_there_again(chapter):
    with chapter(service_workers="block") as one:
        page = one.page
        last = page.locator("[data-explorer]").count() - 1
        page.context.set_offline(True)
        page.evaluate("[...document.querySelectorAll('[data-explorer]')].at(-1).scrollIntoView()")
        page.wait_for_timeout(500)
        assert not page.evaluate(f"Boolean(mlcore.cards[{last}])")
        page.context.set_offline(False)
        page.wait_for_function(f"mlcore.cards[{last}]")
        one.faults = [fault for fault in one.faults if "ERR_INTERNET_DISCONNECTED" not in fault]


def test_the_field_is_an_editor(chapter):
    with chapter() as one:
        keyboard = one.page.keyboard
        place = one.write("2.4", "def f(x):")
        keyboard.press("Enter")
        keyboard.type("return (x")
        assert one.text("2.4") == "def f(x):\n    return (x"
        keyboard.press("Home")
        keyboard.press("Tab")
        assert one.text("2.4") == "def f(x):\n        return (x"
        keyboard.press("Shift+Tab")
        assert one.text("2.4") == "def f(x):\n    return (x"
        assert place.locator(".cm-content .k").all_inner_texts() == ["def", "return"]
        for _ in range(8):
            keyboard.press("Control+z")
        given = one.text("2.4")
        assert given.startswith("def step_buggy(") and 'grade("2.4", step)' in given
        keyboard.press("Escape")
        keyboard.press("Tab")
        assert one.page.evaluate("document.activeElement.textContent") == "Check"


def test_starting_over_is_asked_and_can_be_undone(chapter):
    with chapter() as one:
        given = one.text("2.3")
        place = one.exercise("2.3")
        expect(place.get_by_role("button", name="Start over")).to_be_hidden()
        one.write("2.3", WRONG)
        place.get_by_role("button", name="Start over").click()
        place.get_by_role("button", name="No").click()
        assert one.text("2.3") == WRONG
        place.get_by_role("button", name="Start over").click()
        place.get_by_role("button", name="Yes, start over").click()
        assert one.text("2.3") == given
        place.get_by_role("button", name="Undo it").click()
        assert one.text("2.3") == WRONG


def test_an_answer_to_an_earlier_text_is_offered(chapter):
    with chapter() as one:
        one.write("2.3", WRONG)
        one.page.evaluate(
            """() => {
                const key = Object.keys(localStorage).find((name) => name.includes('answer 2.3 '));
                localStorage.setItem('mlcore/1/answer 2.3 0123456789', localStorage.getItem(key));
                localStorage.removeItem(key);
            }"""
        )
        one.page.reload()
        one.page.wait_for_function("window.mlcore")
        place = one.exercise("2.3")
        assert one.text("2.3") != WRONG
        place.get_by_role("button", name="Take your earlier answer").click()
        assert one.text("2.3") == WRONG
        expect(one.exercise("2.1").get_by_role("button", name="Take your earlier answer")).to_have_count(0)


def test_what_a_cell_shows(chapter):
    with chapter() as one:
        verdict = one.answer("2.3", "print('so far')\nlimit = 1 / 0")
        expect(verdict).to_contain_text("so far")
        expect(verdict.locator(".error")).to_contain_text("Line 2: limit = 1 / 0")
        expect(verdict.locator(".error")).to_contain_text("ZeroDivisionError")
        wrong = one.exercise("2.3").locator(".cm-line.wrong")
        expect(wrong).to_have_text("limit = 1 / 0")
        one.page.keyboard.press("Control+End")
        expect(one.answer("2.3", "limit = (1").locator(".error")).to_contain_text("Line 1: limit = (1")
        expect(wrong).to_have_text("limit = (1")
        expect(one.answer("2.3", "np.arange(3)")).to_have_text("array([0, 1, 2])")

        verdict = one.answer(
            "2.3",
            "fig, ax = figure()\nax.plot([0, 1], [0, 1])\nshow(fig, 'a line that rises')\n"
            "show_table(['a', 'b'], [['one', '`two`'], ['x | y', '4']])\nshow_source(lr.slope_and_intercept)",
        )
        picture = verdict.get_by_role("img", name="a line that rises")
        expect(picture).to_be_visible()
        assert 600 < picture.bounding_box()["width"] <= 700
        assert verdict.locator("th").all_inner_texts() == ["a", "b"]
        assert verdict.locator("td").all_inner_texts() == ["one", "two", "x | y", "4"]
        expect(verdict.locator("pre .k").first).to_have_text("def")
        expect(one.exercise("2.3").locator(".said")).to_contain_text("a line grade(\"2.3\", …) is missing")


def test_a_solution_is_folded_below(chapter):
    with chapter() as one:
        solution = one.page.locator("[data-exercise='2.3'] + details.solution")
        expect(solution.locator("pre")).to_be_hidden()
        solution.locator("summary").click()
        expect(solution.locator("pre")).to_have_text('solution_2_3 = 2 / 4\ngrade("2.3", solution_2_3)')
        assert one.page.locator("[data-exercise]").count() == one.page.locator(".solution").count() == 6


def test_without_the_editor_there_is_a_plain_field(chapter):
    with chapter(editor=False) as one:
        place = one.page.locator("[data-exercise='2.3']")
        place.scroll_into_view_if_needed()
        field = place.get_by_role("textbox", name="your answer to exercise 2.3")
        field.fill(RIGHT["2.3"])
        field.press("Control+Enter")
        expect(place.locator(".verdict")).to_contain_text("2.3 is correct.", timeout=START)
        one.page.reload()
        expect(field).to_have_value(RIGHT["2.3"])


def test_the_editor_comes_with_the_first_exercise(chapter):
    with chapter() as one:
        asked = "() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/editor.js'))"
        one.page.wait_for_load_state("networkidle")
        assert one.page.evaluate(asked) == []
        one.exercise("2.1")
        (loaded,) = one.page.evaluate(asked)
        assert loaded["transferSize"] < 150_000


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing(chapter, theme, screen):
    with chapter(color_scheme=theme, **screen) as one:
        one.answer("2.3", WRONG)
        one.answer("2.2", "x = [1,\n  2]\nshow_source(lr.slope_and_intercept)\nx / 'a'  # no number")
        one.page.locator(".solution summary").first.click()
        one.page.wait_for_timeout(200)
        assert violations(one.page) == []


def test_on_a_phone(chapter):
    with chapter(**PHONE) as one:
        one.answer("2.3", f"print('x' * 500)\n{WRONG}")
        place = one.exercise("2.3")
        size = place.locator(".cm-content").evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
        assert size >= 16
        for button in place.get_by_role("button").all():
            if button.is_visible():
                assert button.bounding_box()["height"] >= 44
        assert one.page.locator("[data-exercise='2.3'] + .solution summary").bounding_box()["height"] >= 44
        edges = "nodes => nodes.map((node) => node.getBoundingClientRect().right)"
        assert max(one.page.locator(":is(.field, .ways, .said, .verdict, .verdict > *)").evaluate_all(edges)) <= 390
