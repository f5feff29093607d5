"""The first page of the site in a browser; visited pages without a server; a release that comes meanwhile."""

import json
import subprocess
import sys

import pytest

from tests.browser.lab import ROOT, violations
from tests.browser.site import served
from tools.web import build, kept, pyodide, release

SIZES = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
MOST_BYTES = 300_000
"""Of all that is sent before the picture of the first page can be moved."""


@pytest.fixture(scope="module")
def first_pages(tmp_path_factory):
    """The folder of a site with chapter 0 and the glossary, and a Python that is none."""
    folder = tmp_path_factory.mktemp("front") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "SITE", folder)
        patch.setattr(kept, "FRAMES", folder.parent / "kept")
        patch.setattr(pyodide, "write", lambda path: (path / "pyodide.mjs").write_text("export const none = true;"))
        build.write_site([ROOT / "notebooks" / f"{stem}.ipynb" for stem in ("00_start_here", "glossary")])
    return folder


@pytest.fixture
def address(first_pages):
    """The address of that site."""
    with served(first_pages) as where:
        yield where


@pytest.fixture
def visit(chrome, address):
    """Open a page of that site in a browser of its own; nothing is asked of another host, and no error is raised."""
    opened, faults = [], []

    def open_one(name="index.html?frames", **options):
        context = chrome.browser.new_context(**options)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: faults.append(request.url) if elsewhere(request.url, address) else None)
        page.goto(f"{address}/{name}")
        return page

    yield open_one
    for context in opened:
        context.close()
    assert faults == []


def elsewhere(url, address):
    return not url.startswith((address, "blob:", "data:"))


def until_it_moves(page):
    page.wait_for_function("window.mlcore?.cards[0]")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["index.html", "glossary.html"])
def test_everyone_can_read_it(name, size, theme, visit):
    page = visit(f"{name}?frames", viewport=SIZES[size], color_scheme=theme)
    if name == "index.html":
        until_it_moves(page)
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
    if size == "phone":
        small = page.evaluate(
            "[...document.querySelectorAll('main :is(a.button, button, summary, .map a, select)')]"
            ".filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML)"
        )
        assert small == []


def test_the_picture_moves_before_much_was_sent(visit):
    page = visit("index.html?frames", viewport=SIZES["desk"])
    until_it_moves(page)
    sent = page.evaluate("performance.getEntriesByType('resource').map(e => [e.name, e.encodedBodySize])")
    own = page.evaluate("performance.getEntriesByType('navigation')[0].encodedBodySize")
    whole = own + sum(size for _, size in sent)
    assert 50_000 < whole <= MOST_BYTES, sent
    picture, caption = page.locator("img.mlcore-picture"), page.locator(".mlcore-caption")
    before, said = picture.get_attribute("src"), caption.inner_text()
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function("([image, before]) => image.src !== before", arg=[picture.element_handle(), before])
    assert caption.inner_text() != said


def test_points_are_taken_in_the_hand_in_chapter_0(visit, address):
    page = visit("index.html?frames", viewport=SIZES["desk"])
    until_it_moves(page)
    page.get_by_role("button", name="Take the points").click()
    page.wait_for_url(f"{address}/00_start_here.html?python")


def test_what_is_solved_stands_on_the_map(visit):
    page = visit("index.html?frames", viewport=SIZES["desk"])
    until_it_moves(page)
    assert page.locator(".map .done:not(:empty)").count() == 0
    page.evaluate(
        """() => { for (const id of ['2.1', '2.3', '15.1']) window.mlcore.progress.add('exercises', id);
                   window.mlcore.progress.add('goals', '2.A'); }"""
    )
    second = page.locator("[data-chapter='2']")
    assert second.locator(".done").inner_text() == f"2 of {second.get_attribute('data-exercises')} solved"
    assert "solved 3 of " in page.locator("#solved").inner_text()
    page.locator("[data-chapter='20']").hover()
    way = page.evaluate("[...document.querySelectorAll('.map li.on')].map(e => e.dataset.chapter)")
    assert way == ["1", "15", "20"]
    assert page.locator(".map path.on").count() == 2


def test_films_play_where_they_are_seen_and_not_where_motion_is_unwanted(visit):
    page = visit("index.html?frames", viewport=SIZES["desk"])
    until_it_moves(page)
    films = page.locator("[data-film]")
    assert films.count() == 3
    shown = "[...document.querySelectorAll('[data-film]')].map(e => e.getAttribute('src') === e.dataset.film)"
    assert page.evaluate(shown) == [False, False, False], "none is sent before it is looked at"
    films.nth(1).scroll_into_view_if_needed()
    page.wait_for_function("document.querySelectorAll('[data-film]')[1].src.endsWith('15.webp')")
    page.get_by_role("button", name="Stop the film").nth(1).click()
    assert not page.evaluate(shown)[1]
    calm = visit("index.html?frames", viewport=SIZES["desk"], reduced_motion="reduce")
    until_it_moves(calm)
    calm.locator("[data-film]").nth(1).scroll_into_view_if_needed()
    calm.wait_for_timeout(300)
    assert calm.evaluate(shown) == [False, False, False]
    calm.get_by_role("button", name="Play the film").nth(1).click()
    calm.wait_for_function("document.querySelectorAll('[data-film]')[1].src.endsWith('15.webp')")


def test_the_map_of_chapter_0_leads_to_pages(visit):
    page = visit("00_start_here.html?frames", viewport=SIZES["desk"])
    last = page.locator("[data-explorer]").last
    last.scroll_into_view_if_needed()
    page.wait_for_function("window.mlcore.cards.filter(Boolean).length && document.querySelector('.mlcore-links a')")
    links = page.eval_on_selector_all(".mlcore-links a", "links => links.map(a => a.getAttribute('href'))")
    assert len(links) == 26 and all(link.endswith(".html") for link in links)


def test_a_page_says_how_to_open_it_in_jupyterlab(visit):
    page = visit("00_start_here.html?frames", viewport=SIZES["desk"])
    page.locator("main h2").last.scroll_into_view_if_needed()
    page.get_by_text("In JupyterLab", exact=True).click()
    assert page.locator("header pre").first.inner_text() == "python tools/lab.py 00_start_here.ipynb"
    where, _, section = page.get_by_role("link", name="this section").get_attribute("href").partition("#")
    assert where == "http://127.0.0.1:8888/lab/tree/00_start_here.ipynb"
    assert section in page.locator("main :is(h2, h3)").evaluate_all("all => all.map((h) => encodeURIComponent(h.id))")


# ---------------------------------------------------------------------------------------------------------------
# On a phone
# ---------------------------------------------------------------------------------------------------------------
PHONE = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LYING = {"width": 844, "height": 390}
UNCOVERED = """box => {
    box.scrollIntoView({ block: 'end' });
    const { left, right, bottom } = box.getBoundingClientRect();
    return [left + 9, (left + right) / 2, right - 9].every(x => box.contains(document.elementFromPoint(x, bottom - 9)));
}"""
IN_SIGHT = """k => {
    const { top } = document.querySelectorAll('main h2')[k].getBoundingClientRect();
    return top >= 0 && top < innerHeight;
}"""


@pytest.mark.parametrize("size", [SIZES["phone"], {"width": 640, "height": 900}, LYING], ids=lambda s: str(s["width"]))
@pytest.mark.parametrize("name", ["index.html", "00_start_here.html"])
def test_what_the_head_opens_is_seen_whole(name, size, visit):
    """It is in the window from side to side, nothing lies over it, and only one is open."""
    page = visit(f"{name}?frames", viewport=size, **PHONE)
    until_it_moves(page)
    lines = page.locator("header summary")
    for line in lines.all():
        line.tap()
        box = page.locator("header details[open] > div")
        assert box.count() == 1
        place = box.bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= size["width"], line.inner_text()
        assert box.evaluate(UNCOVERED), line.inner_text()


def test_a_turned_phone_shows_the_same_place(visit):
    page = visit("00_start_here.html?frames", viewport=LYING, **PHONE)
    until_it_moves(page)
    heading = page.locator("main h2").nth(4)
    heading.evaluate("heading => heading.scrollIntoView()")
    page.wait_for_timeout(500)
    page.set_viewport_size(SIZES["phone"])
    page.wait_for_timeout(500)
    assert -SIZES["phone"]["height"] < heading.bounding_box()["y"] < SIZES["phone"]["height"]


def test_the_contents_lead_to_each_section(visit):
    page = visit("00_start_here.html?frames", viewport=SIZES["phone"], **PHONE)
    until_it_moves(page)
    page.get_by_text("Contents", exact=True).tap()
    links = page.locator(".contents a")
    assert links.all_inner_texts() == page.locator("main h2").all_inner_texts()
    assert all(link.bounding_box()["height"] >= 43.5 for link in links.all())
    for k in (1, links.count() - 1):
        links.nth(k).tap()
        page.wait_for_function(IN_SIGHT, arg=k)


def test_all_columns_of_the_glossary_fit_a_phone(visit):
    page = visit("glossary.html", viewport=SIZES["phone"], **PHONE)
    assert page.locator("main .wide").first.evaluate("node => node.scrollWidth <= node.clientWidth")


# ---------------------------------------------------------------------------------------------------------------
# Without a server
# ---------------------------------------------------------------------------------------------------------------
KEPT = """async () => (await (await caches.open('mlcore/1')).keys()).map(({ url }) => new URL(url).pathname.slice(1))"""


def until_kept(page, *names):
    """Wait until the worker has kept these files."""
    has_all = "names.every(name => kept.some(one => one.endsWith(name)))"
    page.wait_for_function(
        f"async names => {{ const kept = await ({KEPT})(); return {has_all}; }}", arg=list(names), timeout=15_000
    )


def move_to_its_end(page):
    """Move the slider, and wait until the picture has followed: then all that it needs has come."""
    caption = page.locator(".mlcore-caption").inner_text()
    page.locator("input[type=range]").focus()
    page.keyboard.press("End")
    page.wait_for_function("said => document.querySelector('.mlcore-caption').innerText !== said", arg=caption)


def test_a_visited_page_works_without_a_server(chrome, first_pages):
    """Its process is ended: in this one, connections that are open would go on."""
    order = "import sys; from tools.web import serve; server = serve.server(0, sys.argv[1])"
    order += "; print(server.server_port, flush=True); server.serve_forever()"
    command = [sys.executable, "-c", order, str(first_pages)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{int(server.stdout.readline())}"
    with chrome.another(height=800) as other, server:
        page = other.context.new_page()
        page.goto(f"{address}/?frames")
        until_it_moves(page)
        until_kept(page, "index.html", "site.css", "front.js", "0-wide.webp", "chapter.json", "letters-regular.woff")
        move_to_its_end(page)
        until_kept(page, "0-wide.pack")
        page.evaluate(
            "at => { document.body.dataset.python = at; document.documentElement.dataset.python = 'runs'; }",
            next(first_pages.glob("py-*")).name + "/",
        )
        until_kept(page, "pyodide.mjs")
        assert not any(name.endswith(".zip") for name in page.evaluate(f"({KEPT})()")), "archives are not kept"
        server.kill()
        server.wait()

        page.goto(f"{address}/index.html?frames")
        until_it_moves(page)
        move_to_its_end(page)
        page.goto(f"{address}/glossary.html")
        assert "There is no network" in page.locator("h1").inner_text()
        page.get_by_role("link", name="Classical machine learning").click()
        until_it_moves(page)


def test_an_update_is_seen_at_once_and_what_is_gone_is_forgotten(chrome, first_pages):
    """What neither the site nor a kept page names any more is forgotten; what a kept page needs is not."""
    page_file, listed = first_pages / "glossary.html", first_pages / release.LIST
    text, told = page_file.read_text(encoding="utf-8"), json.loads(listed.read_text(encoding="utf-8"))
    [app] = first_pages.glob("app-*")
    moved = f"app-{'0' * 12}"
    try:
        with served(first_pages) as address, chrome.another(height=800) as other:
            page = other.context.new_page()
            page.goto(f"{address}/glossary.html")
            until_kept(page, "glossary.html", f"{app.name}/site.css")
            app.rename(first_pages / moved)
            page_file.write_text(text.replace(app.name, moved).replace("<h1", "<h1 data-new"), encoding="utf-8")
            told["folders"] = [moved if name == app.name else name for name in told["folders"]]
            listed.write_text(json.dumps(told), encoding="utf-8")
            page.goto(f"{address}/glossary.html")
            assert page.locator("h1[data-new]").count() == 1
            until_kept(page, f"{moved}/site.css")
            gone = f"async name => !(await ({KEPT})()).some(one => one.startsWith(name))"
            page.wait_for_function(gone, arg=app.name, timeout=15_000)
    finally:
        (first_pages / moved).rename(app)
        page_file.write_text(text, encoding="utf-8")
        release.write_list(first_pages)
