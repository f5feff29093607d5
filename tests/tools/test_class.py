"""What a teacher hands out holds all that is needed and no solution."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import handout, make_class, slides

ROOT = Path(__file__).resolve().parents[2]


class TestClass:
    def test_holds_no_solution_and_every_notebook(self, unpacked):
        names = sorted(path.name for path in (unpacked / "notebooks").iterdir())
        assert names == sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
        for name in names:
            nb = nbformat.read(unpacked / "notebooks" / name, as_version=4)
            assert not any("solution" in cell.metadata.get("tags", ()) for cell in nb.cells)
            assert not any(cell.get("outputs") for cell in nb.cells)

    def test_is_all_that_the_set_up_needs(self, unpacked):
        """From the unpacked folder alone: mlcore is imported, copies are made, the lab finds its first notebook."""
        code = (
            "import sys; sys.path[:0] = ['tools', '.']\n"
            "import copies, lab, packages, setup_env, mlcore.boosting, mlcore.classroom.viz\n"
            "assert mlcore.__file__.startswith(setup_env.ROOT), mlcore.__file__\n"
            "print(len(copies.update()[0]), setup_env.fingerprint('lab')[:2] != '')"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=unpacked, capture_output=True, text=True)
        assert done.stdout.split() == [str(len(list((ROOT / "notebooks").glob("*.ipynb")))), "True"], done.stderr

    @pytest.mark.slow
    def test_the_same_course_gives_the_same_file(self, tmp_path):
        for name in ("a.zip", "b.zip"):
            make_class.write(tmp_path / name)
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHOSEN = [pytest.param(path, id=path.stem, marks=pytest.mark.slow if i else ()) for i, path in enumerate(NOTEBOOKS)]


class TestHandout:
    def page(self, *cells):
        return BeautifulSoup(handout.page_of(new_notebook(cells=list(cells)), "Title"), "html.parser")

    def test_formulas_pictures_and_folds(self):
        text = "Set $x^2$ beside `a $code$ b`:\n\n$$\\Bigl\\lVert w \\Bigr\\rVert = 1 \\tag{2.7}$$\n"
        text += "\nsee [there](02_linear_regression.ipynb#a)"
        picture = new_output("display_data", {"image/png": "AAAA"}, metadata={"image/png": {"alt": 'a "line"'}})
        drawing = new_code_cell("draw()", outputs=[picture], metadata={"tags": ["drawing"]})
        solution = new_code_cell("# Solution\n42", metadata={"tags": ["solution"]})
        saved = new_output("display_data", {"text/html": "Run this cell", "text/plain": "[saved]"})
        page = self.page(new_markdown_cell(text), drawing, solution, new_code_cell("1", outputs=[saved]))
        assert len(page.select("math")) == 2 and page.select_one(".formula span").text == "(2.7)"
        assert "a $code$ b" in page.text and "42" not in page.text and "Run this cell" not in page.text
        assert page.select_one("img")["alt"] == 'a "line"' and "draw()" in page.select_one("details").text
        assert page.select_one("a[href='02_linear_regression.html#a']")

    def test_slides_begin_with_sections_and_hide_code_and_solutions(self):
        told = {"image/png": {"alt": "a line that rises"}}
        picture = new_output("display_data", {"image/png": "AAAA"}, metadata=told)
        cells = [
            new_markdown_cell("# 7. Title · 标题\n\nWhat it is about."),
            new_markdown_cell("## 1. First\n\nA text, $x^2$."),
            new_code_cell("draw()", outputs=[picture], metadata={"tags": ["drawing"]}),
            new_code_cell("# Solution\n42", metadata={"tags": ["solution"]}),
            new_markdown_cell("## 2. Second\n\n" + "\n\n".join(f"Paragraph {i}. " + "word " * 50 for i in range(4))),
        ]  # fmt: skip
        page = BeautifulSoup(slides.deck_of(new_notebook(cells=cells), "Title"), "html.parser")
        shown = page.select("main > section")
        assert [s.select_one("h1, h2").text for s in shown if s.select_one("h1, h2")][:3] == [
            "7. Title · 标题", "1. First", "2. Second",
        ]  # fmt: skip
        assert len(shown) >= 6, "a long text is not one slide"
        assert "42" not in page.text and page.select_one("details").text.endswith("draw()")
        assert page.select_one("img")["alt"] == "a line that rises"
        assert not page.select("script[src], link[href], iframe, img:not([src^='data:'])")

    @pytest.mark.parametrize("path", CHOSEN)
    def test_every_notebook_becomes_a_page_that_needs_nothing_from_outside(self, path):
        nb = nbformat.read(path, as_version=4)
        page = BeautifulSoup(handout.page_of(nb, "Title"), "html.parser")
        assert not page.select("script[src], link[href], iframe, img:not([src^='data:'])")
        assert all(len(image["alt"].split()) >= 4 for image in page.select("img"))
        for code in page.select("pre, code, script, style"):
            code.decompose()
        assert not re.search(r"\$\$|\\[A-Za-z]{2,}", page.text), "a formula was not set"
