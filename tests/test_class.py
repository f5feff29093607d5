"""What a teacher hands out holds all that is needed and no solution; what comes back is run apart and reported."""

import csv
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import handout, make_class, report

ROOT = Path(__file__).resolve().parent.parent
GRADE = "from mlcore.exercises import grade\n"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    make_class.write(folder / "class.zip")
    with zipfile.ZipFile(folder / "class.zip") as archive:
        archive.extractall(folder)
    return folder / make_class.FOLDER


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
            "import copies, lab, packages, setup_env, mlcore.boosting, mlcore.viz\n"
            "assert mlcore.__file__.startswith(setup_env.ROOT), mlcore.__file__\n"
            "print(len(copies.update()[0]), setup_env.fingerprint('lab')[:2] != '')"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=unpacked, capture_output=True, text=True)
        assert done.stdout.split() == [str(len(list((ROOT / "notebooks").glob("*.ipynb")))), "True"], done.stderr

    def test_the_same_course_gives_the_same_file(self, tmp_path):
        for name in ("a.zip", "b.zip"):
            make_class.write(tmp_path / name)
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def hand_in(path, *cells):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), path)


class TestReport:
    def test_who_has_handed_in_what(self, tmp_path):
        hand_in(tmp_path / "li_wei_00_start_here.ipynb", "1")
        hand_in(tmp_path / "zhang" / "week 1" / "02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "zhang" / ".ipynb_checkpoints" / "03_logistic_regression.ipynb", "1")
        hand_in(tmp_path / "notes.ipynb", "1")
        assert sorted(report.submissions(tmp_path)) == [("li_wei", "00_start_here"), ("zhang", "02_linear_regression")]

    def test_right_wrong_untouched_and_missing(self, tmp_path):
        hand_in(
            tmp_path / "a" / "00_start_here.ipynb",
            GRADE + "grade('0.1', 0.8)", "raise ValueError('a cell that fails')", "grade('0.1', 99)", "%magic",
        )  # fmt: skip
        hand_in(tmp_path / "b" / "00_start_here.ipynb", GRADE + "grade('0.1', ...)")
        (tmp_path / "c").mkdir()
        (tmp_path / "c" / "00_start_here.ipynb").write_text("no notebook", encoding="utf-8")
        found = {(student, id): said for student, _, id, *said in report.rows(tmp_path, seconds=60)}
        assert found["a", "0.1"] == ["wrong", ""]
        assert found["b", "0.1"] == ["not attempted", ""]
        assert found["c", "0.1"] == ["no answer", "not a notebook that can be read"]

    def test_a_solution_cell_is_no_answer(self, tmp_path):
        path = tmp_path / "a" / "00_start_here.ipynb"
        solution = new_code_cell(GRADE + "grade('0.1', ...)", metadata={"tags": ["solution"]})
        path.parent.mkdir()
        nbformat.write(new_notebook(cells=[solution]), path)
        assert report.grade(path, 60) == ({}, "")

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits; the tool says what it protects from")
    def test_an_endless_loop_a_huge_file_and_the_environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SECRET_OF_THE_TEACHER", "x")
        mine = tmp_path / "precious.txt"
        mine.write_text("precious", encoding="utf-8")
        hand_in(
            tmp_path / "00_start_here.ipynb",
            GRADE + "import os\nassert 'SECRET_OF_THE_TEACHER' not in os.environ\ngrade('0.1', ...)",
            "open('big', 'wb').truncate(10**12)",
            "assert os.listdir() != [] and not os.path.exists('precious.txt')\ngrade('0.1', 'no number')",
            "while True: pass",
        )
        verdicts, note = report.grade(tmp_path / "00_start_here.ipynb", seconds=6)
        assert verdicts == {"0.1": "wrong"} and note == "did not run to its end in 6 s"
        assert mine.read_text(encoding="utf-8") == "precious"

    def test_no_network_where_the_system_can_take_it_away(self, tmp_path):
        code = (
            "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 2)\nexcept OSError:\n"
            "    grade('0.1', 'nobody there')"
        )
        import socket

        with socket.create_server(("127.0.0.1", 0)) as server:
            hand_in(tmp_path / "00_start_here.ipynb", GRADE, code.format(port=server.getsockname()[1]))
            cut_off = report.grade(tmp_path / "00_start_here.ipynb", seconds=60)[0] == {"0.1": "wrong"}
        assert cut_off == bool(report.without_network())

    def test_the_table(self, tmp_path, monkeypatch, capsys):
        hand_in(tmp_path / "in" / "李" / "00_start_here.ipynb", GRADE + "grade('0.1', ...)")
        monkeypatch.setattr(sys, "argv", ["report.py", str(tmp_path / "in"), "--to", str(tmp_path / "out.csv")])
        assert report.main() == 0
        with open(tmp_path / "out.csv", encoding="utf-8-sig", newline="") as file:
            table = list(csv.DictReader(file))
        assert table[0] == {
            "student": "李", "chapter": "00_start_here", "exercise": "0.1", "status": "not attempted", "note": "",
        }  # fmt: skip
        assert "0.1 ○" in capsys.readouterr().out

    @pytest.mark.parametrize("folder, why", [("", "which"), ("nowhere", "no folder"), ("empty", "no notebooks")])
    def test_a_folder_that_holds_nothing_is_one_line(self, folder, why, tmp_path, monkeypatch, capsys):
        (tmp_path / "empty").mkdir()
        (tmp_path / "00_start_here.ipynb").write_text("{}")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["report.py", folder])
        assert report.main() == 1 and not (tmp_path / "report.csv").exists()
        told = capsys.readouterr().err
        assert told.startswith("error: ") and why in told and told.count("\n") == 1


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
        assert page.select_one("img")["alt"] == 'a "line"' and page.select_one("details .input")
        assert page.select_one("a[href='02_linear_regression.html#a']")

    @pytest.mark.parametrize("path", CHOSEN)
    def test_every_notebook_becomes_a_page_that_needs_nothing_from_outside(self, path):
        nb = nbformat.read(path, as_version=4)
        page = BeautifulSoup(handout.page_of(nb, "Title"), "html.parser")
        assert not page.select("script[src], link[href], iframe, img:not([src^='data:'])")
        assert all(len(image["alt"].split()) >= 4 for image in page.select("img"))
        for code in page.select("pre, code, script, style"):
            code.decompose()
        assert not re.search(r"\$\$|\\[A-Za-z]{2,}", page.text), "a formula was not set"
