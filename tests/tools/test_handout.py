"""Handouts and slides: formulas as browsers set them, players as strips, guesses as questions, nothing from outside."""

import re
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import build_notebooks, pages, slides, stills
from tools.formulas import mathml, with_formulas
from tools.web import kept

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHOSEN = [pytest.param(path, id=path.stem) for path in NOTEBOOKS]
PIXEL = (  # a PNG of one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def parsed(page):
    return BeautifulSoup(page, "html.parser")


def tags(formula, display="inline"):
    """The (tag, text) of all leaves of a formula."""
    return [(e.tag, e.text) for e in ElementTree.fromstring(mathml(formula, display)).iter() if len(e) == 0]


class TestFormulas:
    def test_signs_that_take_no_space_are_letters(self):
        assert tags(r"w^\top x") == [("mi", "w"), ("mi", "⊤"), ("mi", "x")]
        for norm in (r"\lVert\theta\rVert", r"\|\theta\|", r"\Vert\theta\Vert"):
            assert tags(norm) == [("mi", "‖"), ("mi", "θ"), ("mi", "‖")]
        assert tags(r"\lvert A\rvert") == tags("|A|") == [("mi", "|"), ("mi", "A"), ("mi", "|")]
        assert ("mo", "∣") in tags(r"P(a\mid b)")  # this one does take space

    def test_brackets_of_a_size_are_set_at_that_size(self):
        """Chromium stretches a bracket with an exponent never, and its partner always."""
        math = ElementTree.fromstring(mathml(r"\bigl(a\bigr)^2"))
        brackets = [e for e in math.iter("mo")]
        assert [e.text for e in brackets] == ["(", ")"]
        assert all(e.get("stretchy") == "false" and e.get("style") == "font-size:1.20em" for e in brackets)
        assert len(list(math.iter("mpadded"))) == 2
        tall = ElementTree.fromstring(mathml(r"\left(\frac12\right)"))
        assert [e.get("stretchy") for e in tall.iter("mo")] == ["true", "true"]

    def test_small_fractions_are_marked_for_browsers_that_do_not_shrink_them(self):
        found = [e.get("class") for e in ElementTree.fromstring(mathml(r"\tfrac12 + \frac12", "block")).iter("mfrac")]
        assert found == ["small", None]

    @pytest.mark.parametrize(
        "formula, spaced",
        [
            (r"\ln x", "ln_x"), (r"y\ln x", "y_ln_x"), (r"-\ln(x)", "−ln(x)"), (r"a + \ln x", "a+ln_x"),
            (r"\arg\min_w J", "arg_minw_J"), (r"\operatorname{tr} AB", "tr_AB"), (r"(a)\ln b", "(a)_ln_b"),
            ("ab", "ab"),
        ],
    )  # fmt: skip
    def test_names_of_functions_stand_a_thin_space_apart(self, formula, spaced):
        found = [("_" if e.tag == "mspace" else e.text or "") for e in ElementTree.fromstring(mathml(formula)).iter()]
        assert "".join(found) == spaced

    def test_limits_stand_below_where_a_formula_stands_alone(self):
        assert "<munder><mi>min</mi>" in mathml(r"\min_w J", "block") and "<msub><mi>min</mi>" in mathml(r"\min_w J")

    def test_alphabets_are_letters_of_their_own(self):
        assert [text for _, text in tags(r"\mathcal N\mathcal L\mathbb E\mathbb R\mathbf x")] == list("𝒩ℒ𝔼ℝ𝐱")

    def test_a_name_with_an_underline_is_upright(self):
        assert tags(r"\operatorname{Gain\_ratio}(D)")[0] == ("mtext", "Gain_ratio")

    def test_lines_that_are_aligned_become_rows(self):
        math = ElementTree.fromstring(mathml(r"\begin{aligned}a &= 0 && \text{b}\\ c &\le 1\end{aligned}", "block"))
        assert [len(row) for row in math.iter("mtr")] == [4, 2]
        assert "&" not in "".join(math.itertext())

    def test_markdown_sees_no_formula(self):
        text = "Set $a^* + b^*$ and $x_1 | x_2$, `a $code$ b`:\n\n$$\\Bigl\\lVert w \\Bigr\\rVert = 1 \\tag{2.7}$$\n"
        shown = parsed(pages.markdown(text + "\n| a | b |\n|---|---|\n| $|x|$ | 1 |\n\n## A $\\theta$\n"))
        assert len(shown.select("math")) == 5 and not shown.select("em")
        assert shown.select_one(".formula .tag").text == "(2.7)" and "a $code$ b" in shown.text
        assert [len(row.select("td")) for row in shown.select("tbody tr")] == [2]
        assert shown.select_one("h2")["id"] == "A-" and "∗" in shown.text

    def test_long_formulas_are_known(self):
        shown = with_formulas(str, "$$a + b$$\n\n$$" + "a + " * 40 + "b$$")
        assert re.findall('class="([^"]*)"', shown) == ["formula", "formula long"]


class TestStrips:
    def test_the_first_and_the_last_and_like_steps_between(self):
        walk = [np.full((4, 4, 3), value) for value in (0, 0, 0, 0, 10, 20, 30, 40, 50, 60)]
        assert stills.evenly(walk, 4) == [0, 4, 6, 9]
        assert stills.evenly(walk[:2], 4) == [0, 1] and stills.evenly(walk[:1], 4) == [0]
        assert stills.evenly([walk[0]] * 9, 3) == [0, 4, 8]

    @pytest.mark.parametrize("seed", range(5))
    def test_always_as_many_as_asked_for(self, seed):
        rng = np.random.default_rng(seed)
        pictures = [np.full(1, value) for value in rng.exponential(size=rng.integers(6, 30)).cumsum() ** 3]
        for count in range(2, 7):
            chosen = stills.evenly(pictures, count)
            assert len(set(chosen)) == count and sorted(chosen) == chosen
            assert chosen[0] == 0 and chosen[-1] == len(pictures) - 1

    def test_which_of_them_a_page_shows(self):
        assert pages.some_of("abcdef", 1) == "a" and pages.some_of("ab", 4) == "ab"
        assert pages.some_of("abcdef", 2) == ["c", "f"] and pages.some_of("abcdef", 4) == ["a", "c", "d", "f"]


CHAPTER = [
    new_markdown_cell("# 2. Lines · 直线\n\n**You will be able to** see $\\theta$."),
    new_markdown_cell(f"[← 1. Before](01_what_is_learning.ipynb) · {build_notebooks.MAP}"),
    new_code_cell("# Set-up: run me\nfrom mlcore.viz import draggable, explore, goal, guess, play\nimport numpy as np"),
    new_markdown_cell("## 1. Steps\n\nA sum,\n\n$$1 + 1 = 2 \\tag{2.1}$$\n\nand more."),
    new_code_cell(
        "def draw(ax, state):\n    ax.plot([0, state])\n    return f'at {state}'\n\n\n"
        "def walk(x):\n    x = x + 1\n    return x\n\n\nprint('ready')"
    ),
    new_code_cell("play(range(10), draw, alt='a line that rises with the steps')"),
    new_markdown_cell("<details><summary><b>What you saw</b></summary>\n\nIt *rises*.\n\n</details>"),
    new_code_cell(
        "play(range(20), draw, alt='a line that waits for a guess', guess=guess('Where will it end?', "
        "{'low': 'No.', 'high': 'Right: it rises.'}, 'high'))"
    ),
    new_code_cell(
        "def draw_slope(ax, X, slope=1.0):\n    ax.plot([0, slope])\n    return f'slope {slope}', {'slope': slope}\n"
        "explore(draw_slope, slope=(0.0, 2.0), points=draggable(np.eye(2), box=((0, 1), (0, 1))), "
        "alt='a line that follows a slider', labels={'slope': 'slope w'}, guess=guess('How steep?', (0, 2, 0.1), 1.5, "
        "near=0.1, feedback={'low': 'Steeper.', 'near': 'Right: so steep.', 'high': 'Flatter.'}), "
        "goals=[goal('2.A', 'a steep line', lambda slope: slope > 1, by={'slope': 2.0})])"
    ),
    new_markdown_cell("## Exercises\n\n### Exercise 2.1: find the bug\n\nMend it."),
    new_code_cell("def bug(x):\n    return x + 2\n\n\nfrom mlcore.exercises import grade\ngrade('2.1', ...)"),
    new_code_cell("# Solution\nsecret = 42", metadata={"tags": ["solution"]}),
    new_markdown_cell("## 2. More (*second reading*)\n\n$$2 + 2 = 4$$"),
    new_markdown_cell("## Further reading\n\n[there](02_linear_regression.ipynb#a)"),
]


@pytest.fixture(scope="module")
def chapter(tmp_path_factory):
    """A small chapter with its stills."""
    cells = [nbformat.from_dict(cell) for cell in CHAPTER]
    cells[2].metadata["jupyter"] = {"source_hidden": True}
    return run_with_stills(new_notebook(cells=cells), tmp_path_factory.mktemp("chapter"))


def run_with_stills(nb, folder):
    """A notebook that is run as the course is built, and then with its stills."""
    path = folder / "02_lines.ipynb"
    build_notebooks.run(nb, folder)
    nbformat.write(nb, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "FRAMES", folder / "frames")
        patch.setattr(kept, "STILLS", folder / "stills")
        return stills.stills(path)


@pytest.fixture(scope="module")
def page(chapter):
    return parsed(pages.page_of(chapter, "Lines"))


@pytest.fixture(scope="module")
def short(chapter):
    return parsed(pages.page_of(chapter, "Lines", short=True))


@pytest.fixture(scope="module")
def deck(chapter):
    return parsed(slides.deck_of(chapter, "Lines"))


def told(chapter):
    found = [output.data for cell in chapter.cells for output in cell.get("outputs", ()) if "data" in output]
    return [data[stills.STILLS] for data in found if stills.STILLS in data]


class TestStills:
    def test_a_player_is_a_strip(self, chapter):
        player = told(chapter)[0]
        assert [frame["step"] for frame in player["frames"]][::5] == ["step 0 of 9", "step 9 of 9"]
        assert [frame["caption"] for frame in player["frames"]][::5] == ["at 0", "at 9"]
        assert len({frame["png"] for frame in player["frames"]}) == 6
        assert player["alt"] == "a line that rises with the steps" and player["guess"] is None

    def test_guesses_goals_and_controls_come_along(self, chapter):
        _, player, explorer = told(chapter)
        assert player["guess"] == {
            "question": "Where will it end?", "choices": ["low", "high"], "range": [],
            "answer": "The answer: high. It rises.",
        }  # fmt: skip
        assert explorer["guess"]["range"] == [0, 2, 0.1]
        assert explorer["guess"]["answer"].startswith("The answer: 1.5. So")
        assert explorer["controls"] == ["slope w"] and explorer["points"] and explorer["goals"] == ["A steep line"]
        assert [frame["caption"] for frame in explorer["frames"]] == ["slope 1.0"]

    def test_the_notebook_is_left_as_it_was(self, chapter):
        assert [cell.source for cell in chapter.cells] == [cell.source for cell in CHAPTER]

    @pytest.fixture
    def path(self, tmp_path, monkeypatch):
        monkeypatch.setattr(kept, "FRAMES", tmp_path / "frames")
        monkeypatch.setattr(kept, "STILLS", tmp_path / "stills")
        return tmp_path / "a.ipynb"

    def test_a_cell_that_raises_is_named(self, path):
        nbformat.write(new_notebook(cells=[new_code_cell("1 / 0", id="x")]), path)
        with pytest.raises(build_notebooks.BuildError, match="a.ipynb: .*ZeroDivisionError[^$]*1 / 0"):
            stills.stills(path)
        assert {one.suffix for one in (path.parent / "stills").iterdir()} == {".part"}, "half a run is no run"

    def test_a_notebook_that_was_not_built_is_named(self, path):
        nbformat.write(new_notebook(cells=[cell for cell in CHAPTER[2:6]]), path)
        with pytest.raises(build_notebooks.BuildError, match="a.ipynb: explorer 1 of 1 has no place"):
            stills.stills(path)

    def test_it_is_run_again_only_if_its_code_has_changed(self, path, monkeypatch):
        runs = []

        def run(notebook, folder, options):
            runs.append(options)
            (folder / "stills.json").write_text("[]")

        monkeypatch.setattr(kept, "_run", run)
        for text, code in (("a", "1"), ("a", "1"), ("b", "1"), ("b", "2")):
            cells = [new_markdown_cell(text, id="x"), new_code_cell(code, id="y")]
            nbformat.write(new_notebook(cells=cells), path)
            assert stills.stills(path).cells[0].source == text
        assert runs == [["--stills"]] * 2 and len(list((path.parent / "stills").iterdir())) == 1
        kept.chapter(path)  # for the site
        stills.stills(path)
        assert runs == [["--stills"]] * 2 + [[]], "one run for the site and for what is printed"


class TestPage:
    def test_a_player_shows_its_first_and_its_last_state(self, page):
        strip = page.select_one("main > .strip")
        captions = [caption.text for caption in strip.select(".caption")]
        assert len(captions) == 4 and captions[0] == "at 0" and captions[-1] == "at 9"
        assert strip.select("img")[1]["alt"].startswith("The same picture, step ")

    def test_a_guess_is_a_question_with_space_and_its_answer_is_at_the_end(self, page):
        first, second = page.select(".question")
        assert [choice.text for choice in first.select("li")] == ["low", "high"]
        assert len(first.select(".room > div")) == 2
        assert "from 0 to 2" in second.text and not second.select("li")
        shown = first.find_next("figure")
        assert [caption.text for caption in shown.select(".caption")] == ["at 0"]  # what comes would answer it
        answers = page.select(".answers > li")
        assert ["it rises" in answers[0].text.lower(), "So steep." in answers[1].text] == [True, True]
        assert answers[0].select(".caption")[-1].text == "at 19" and not answers[1].select("img")
        for link in page.select(".question a, .answers a"):
            assert page.select_one(link["href"]), "a link between question and answer leads nowhere"

    def test_code_of_pictures_is_folded_and_other_code_is_open(self, page):
        folds = [fold.text for fold in page.select("details:not(.seen)")]
        assert [fold[:12] for fold in folds] == ["code: set-up", "codeplay(ran", "codeplay(ran", "codedef draw"]
        assert "walk" in page.select_one("main > pre").text and page.select_one(".output").text.strip() == "ready"
        assert page.select_one("details.seen em").text == "rises"

    def test_neither_solutions_nor_what_is_of_use_in_a_notebook_alone(self, page):
        assert "secret" not in page.text and "not attempted" not in page.text and "[saved]" not in page.text
        assert page.select_one("a[href='02_linear_regression.html#a']") and page.select_one("nav")
        assert "You can move: slope w, the points. Goal: A steep line." in page.select(".notebook")[-1].text

    def test_the_short_one_has_formulas_pictures_questions_and_exercises(self, short):
        headings = [heading.text[:8] for heading in short.select("h1, h2, h3")]
        assert headings == ["2. Lines", "1. Steps", "Exercise", "Exercise", "Answers "]
        assert len(short.select(".question")) == 2 and len(short.select("main > .strip .frame")) == 2
        assert "A sum," in short.text and "and more" not in short.text and not short.select("details, nav")
        assert short.select("pre")[0].text.startswith("def bug") and "grade(" not in short.text
        assert len(short.select("pre + .room > div")) == 6

    def test_each_id_is_there_once_and_chinese_is_marked(self, page):
        ids = [element["id"] for element in page.select("[id]")]
        assert len(set(ids)) == len(ids)
        assert page.html["lang"] == "en" and page.select_one("h1 [lang=zh]").text == "直线"
        assert page.title.text == "Lines" and len(page.select("main")) == len(page.select("h1")) == 1

    def test_a_picture_keeps_its_size_and_description(self):
        picture = new_output("display_data", {"image/png": PIXEL}, metadata={"image/png": {"alt": 'a "line"'}})
        page = parsed(pages.page_of(new_notebook(cells=[new_code_cell("show(fig)", outputs=[picture])]), "Title"))
        image = page.select_one("img")
        assert (image["alt"], image["width"], image["height"]) == ('a "line"', "1", "1")

    def test_paragraphs_of_the_short_one(self):
        text = "## A\n\none\n\ntwo\n\n$$x$$\n\nthree\n\n<details><summary>s</summary>\n\n$$y$$\n\n</details>"
        assert pages.formulas_alone(text) == "## A\n\ntwo\n\n$$x$$"

    @pytest.mark.parametrize("short", [False, True])
    @pytest.mark.parametrize("path", CHOSEN)
    def test_every_notebook_becomes_a_page_that_needs_nothing_from_outside(self, path, short):
        page = parsed(pages.page_of(nbformat.read(path, as_version=4), "Title", short))
        assert not page.select("script[src], link[href], iframe, img:not([src^='data:'])")
        assert all(len(image["alt"].split()) >= 4 for image in page.select("img"))
        ids = [element["id"] for element in page.select("[id]")]
        assert len(set(ids)) == len(ids)
        for code in page.select("pre, code, script, style"):
            code.decompose()
        assert not re.search(r"\$\$|\\[A-Za-z|]", page.text), "a formula was not set"


class TestSlides:
    def test_each_section_begins_a_slide(self, deck):
        begins = [slide.select_one("h1, h2").text for slide in deck.select(".slide.begins")]
        assert [title[:7] for title in begins] == ["2. Line", "1. Step", "Exercis", "2. More", "Further"]
        under = [slide.select_one(".section").text for slide in deck.select(".slide:not(.begins)")]
        assert set(under) == {"1. Steps"}

    def test_code_is_hidden_and_solutions_are_left_out(self, deck):
        assert "secret" not in deck.text and not deck.select("nav, details[open]")
        assert all(code.find_parent("details") or code.find_parent(class_="output") or "bug" in code.text
                   for code in deck.select("pre"))  # fmt: skip
        assert any("def draw" in fold.text for fold in deck.select("details"))

    def test_a_player_is_stepped_through_beside_its_texts(self, deck):
        first, waiting, steep = deck.select(".slide.with-picture")
        assert len(first.select(".strip .frame")) == 6 and first.select_one("details.seen em").text == "rises"
        assert waiting.select_one(".question") and len(waiting.select(".frame")) == 6
        assert "it rises" in waiting.select_one("details.seen").text.lower() and len(steep.select(".frame")) == 1

    def test_a_file_that_needs_nothing_from_outside(self, chapter):
        deck = slides.deck_of(chapter, "Lines")
        assert not parsed(deck).select("script[src], link[href], iframe, img:not([src^='data:'])")
        assert "http://" not in deck and "https://" not in deck

    def test_long_texts_are_cut_between_paragraphs(self):
        long = " ".join(["word"] * 60)
        text = f"## Title\n\n{long}\n\n{long}:\n\n$$x$$\n\n**Try.** (a)\n\n<details>\n\n{long}\n\n{long}\n\n</details>"
        pieces = slides.chunks(text)
        assert pieces[0] == f"## Title\n\n{long}" and pieces[1] == f"{long}:\n\n$$x$$" and pieces[2] == "**Try.** (a)"
        assert pieces[3].count("word") == 120 and len(pieces) == 4

    @pytest.mark.parametrize("path", CHOSEN)
    def test_every_notebook_becomes_slides(self, path):
        deck = parsed(slides.deck_of(nbformat.read(path, as_version=4), "Title"))
        is_chapter = path.stem[:2].isdigit()  # the glossary is one title and one table
        assert len(deck.select(".slide.begins")) > 3 * is_chapter and len(deck.select(".slide")) > 10 * is_chapter
        for code in deck.select("pre, code, script, style"):
            code.decompose()
        assert not re.search(r"\$\$|\\[A-Za-z|]", deck.text)


def test_names_of_pages(monkeypatch, capsys, tmp_path):
    def stills_of(paths):
        return ((path, nbformat.read(path, as_version=4)) for path in paths)

    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "all_stills", stills_of)
    (tmp_path / "notebooks").mkdir()
    for name in ("02_linear_regression", "glossary"):
        nb = new_notebook(cells=[new_markdown_cell("# A title", id="x")])
        nbformat.write(nb, tmp_path / "notebooks" / f"{name}.ipynb")

    assert pages.write_pages(["03", "02"], tmp_path / "out", lambda nb, title: title) == 1
    assert capsys.readouterr().err == "error: there is no notebook called 03\n" and not (tmp_path / "out").exists()
    assert pages.write_pages(["02"], tmp_path / "out", lambda nb, title: title) == 0
    assert capsys.readouterr().out.endswith("out/02_linear_regression.html\n")
    assert pages.write_pages([], tmp_path / "out", lambda nb, title: title) == 0
    assert (tmp_path / "out" / "glossary.html").read_text(encoding="utf-8") == "A title"
