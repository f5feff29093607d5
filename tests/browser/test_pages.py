"""Handouts and slides in a browser: readable by all, printed on few pages, and nothing beyond the edge of a slide."""

import re

import nbformat
import pytest

from tests.browser.lab import ROOT, violations
from tools import pages, slides, stills

KINDS = {
    "handout": pages.page_of,
    "short": lambda nb, title: pages.page_of(nb, title, short=True),
    "slides": slides.deck_of,
}
CHAPTERS = ("02_linear_regression", "15_decision_trees")  # two of the longest
MOST_PAGES = 15
SMALLEST = 0.65  # the last sizes at which a slide still becomes smaller: see slides.js


@pytest.fixture(scope="module")
def chapters():
    """Two chapters of the course with their stills."""
    paths = [ROOT / "notebooks" / f"{name}.ipynb" for name in CHAPTERS]
    return {path.stem: stills.stills(path) for path in paths}


@pytest.fixture
def show(chapters, chrome, tmp_path):
    """Open a page of a chapter, which asks for no other file and raises no error."""
    opened, faults = [], []

    def show_one(kind, chapter=CHAPTERS[0]):
        file = tmp_path / f"{kind}.html"
        file.write_text(KINDS[kind](chapters[chapter], "Title"), encoding="utf-8")
        opened.append(page := chrome.context.new_page())
        page.set_viewport_size({"width": 1280, "height": 720})
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: faults.append(request.url) if request.url.startswith("http") else None)
        page.goto(file.as_uri())
        return page

    yield show_one
    assert faults == []
    for page in opened:
        page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_everyone_can_read_it(kind, show):
    page = show(kind)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    assert violations(page) == []
    if kind != "slides":
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "the page is wider than a phone"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_short_one_is_printed_black_on_white_on_few_pages(chapter, show):
    page = show("short", chapter)
    printed = page.pdf(prefer_css_page_size=True)
    assert b"MediaBox [0 0 594.95996 841.91998]" in printed or b"MediaBox [0 0 595" in printed
    assert 3 < len(re.findall(rb"/Type\s*/Page\b", printed)) <= MOST_PAGES
    page.emulate_media(media="print")
    everything = "[...document.querySelectorAll('body, main *')].map(e => getComputedStyle(e).{})"
    assert set(page.evaluate(everything.format("color"))) == {"rgb(0, 0, 0)"}
    assert set(page.evaluate(everything.format("backgroundColor"))) <= {"rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"}


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_formula_is_cut_in_print(path, chrome, tmp_path):
    """On a sheet of A4 there are 680 pixels between the margins; browsers do not break formulas."""
    file = tmp_path / "page.html"
    file.write_text(pages.page_of(nbformat.read(path, as_version=4), "Title"), encoding="utf-8")
    page = chrome.context.new_page()
    try:
        page.set_viewport_size({"width": 680, "height": 1000})
        page.emulate_media(media="print")
        page.goto(file.as_uri())
        wide = page.evaluate(
            "[...document.querySelectorAll('main :is(.formula, pre, table, img, p, li)')]"
            ".filter(e => e.checkVisibility() && e.scrollWidth > 681).map(e => e.textContent.slice(0, 60))"
        )
        assert wide == []
    finally:
        page.close()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_figure_is_cut_in_print(chapter, show):
    """On a sheet of A4 there are 680 by 1016 pixels between the margins; folds of what there was to see are open."""
    page = show("handout", chapter)
    page.set_viewport_size({"width": 680, "height": 1000})
    page.emulate_media(media="print")
    figures = page.evaluate(
        "[...document.querySelectorAll('figure')].map(e => [getComputedStyle(e).breakInside, e.offsetHeight])"
    )
    assert len(figures) > 8 and all(inside == "avoid" and height < 1016 for inside, height in figures)
    hidden = page.evaluate(
        "[...document.querySelectorAll('.seen > :not(summary), nav, details:not(.seen), .notebook')]"
        ".map(e => [e.closest('.seen') !== null, e.checkVisibility()])"
    )
    assert all(is_seen == visible for is_seen, visible in hidden) and len(hidden) > 20


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_slide_overflows(chapter, show):
    page = show("slides", chapter)
    count, visited = page.locator(".slide").count(), set()
    for _ in range(4 * count):
        visited.add(page.evaluate("location.hash"))
        size, down, right, beyond = page.evaluate(
            """() => {
              const slide = document.querySelector('.slide.now');
              const inside = [...slide.querySelectorAll('*')].filter(e => e.checkVisibility() && !e.closest('.wide'));
              return [Number(slide.style.getPropertyValue('--fit')) || 1, slide.scrollHeight - slide.clientHeight,
                slide.scrollWidth - slide.clientWidth,
                inside.filter(e => e.getBoundingClientRect().right > innerWidth + 1).length];
            }"""
        )
        where = f"slide {page.evaluate('location.hash')} at size {size}"
        assert right <= 0 and beyond == 0, where
        assert down <= 0 or size < SMALLEST, where  # then it scrolls
        if len(visited) == count:
            break
        page.keyboard.press("ArrowRight")
    assert len(visited) == count > 50


def test_the_keys_of_slides(show):
    page = show("slides")

    def at():
        return int(page.evaluate("location.hash.slice(1)"))

    def steps():
        return page.locator(".slide.now .frame.now .step").all_inner_texts()

    page.keyboard.press("ArrowDown")
    assert page.locator(".slide.now h2").inner_text().startswith("1. ")
    while not steps():
        page.keyboard.press("ArrowRight")
    player, first = at(), steps()
    page.keyboard.press("ArrowRight")
    assert at() == player and steps() != first, "a player goes on before the slide does"
    page.keyboard.press("ArrowLeft")
    assert at() == player and steps() == first
    while at() == player:
        page.keyboard.press(" ")
    assert page.locator(".slide").nth(player - 1).locator(".seen:not([open])").count() == 0  # and its answer came
    page.keyboard.press("Home")
    while not page.locator(".slide.now details:not(.seen)").count():
        page.keyboard.press("ArrowRight")
    code = page.locator(".slide.now details:not(.seen) pre").first
    assert not code.is_visible()
    page.keyboard.press("c")
    assert code.is_visible()
    page.keyboard.press("c")
    assert not code.is_visible()
    page.keyboard.press("End")
    assert at() == page.locator(".slide").count()
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()


def test_slides_are_printed_one_a_page(show):
    page = show("slides")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == page.locator(".slide").count()
