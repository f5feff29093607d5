"""Notebooks are built the same every time: a source's cells, their ids, outputs, links and copies."""

import os
import re
import textwrap
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools import build_notebooks, make_student

pytestmark = pytest.mark.slow

HEADER = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n\n"


def write_source(folder: Path, *code: str, text: str = "# Title · 标题", name: str = "01_tiny.md") -> Path:
    """Write a MyST source with one text cell and the given code cells; return its path."""
    source = folder / "notebooks" / "source" / name
    source.parent.mkdir(parents=True, exist_ok=True)
    cells = "".join(f"\n```{{code-cell}}\n{cell}\n```\n" for cell in code)
    source.write_text(HEADER + text + "\n" + cells, encoding="utf-8", newline="\n")
    return source


EXPLORER = textwrap.dedent(
    """
    class Explorer:
        def _repr_mimebundle_(self, **_):
            view = {"model_id": str(id(self)), "version_major": 2, "version_minor": 0}
            return {"application/vnd.jupyter.widget-view+json": view, "text/plain": "explorer", "image/png": "aGk="}
    Explorer()
    """
)


class TestBuild:
    def test_same_bytes_and_normal_form(self, tmp_path):
        source = write_source(
            tmp_path,
            "import os\nprint('é', {'a', 'b', 'c', 'd'})\nprint(os.path.basename(os.getcwd()))\n1 + 1",
            ":tags: [solution]\n\nx = 3",
            EXPLORER,
        )
        _, good = build_notebooks.build_file(source)
        assert good
        target = build_notebooks.notebook_path(source)
        first = target.read_bytes()
        assert build_notebooks.to_bytes(build_notebooks.build(source)) == first
        assert first.endswith(b"}\n") and b"\r" not in first and "é".encode() in first

        nb = nbformat.read(target, as_version=4)
        nbformat.validate(nb)
        assert set(nb.metadata) == {"kernelspec", "language_info", "mlcore"}
        assert nb.metadata.language_info == {"name": "python"}
        assert nb.metadata.mlcore.source_sha256 == build_notebooks.source_digest(source)
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in code] == [1, 2, 3]
        assert code[0].outputs[0].text.endswith("notebooks\n")
        assert code[1].metadata.jupyter.source_hidden is True
        assert code[2].outputs[0].data == {"text/plain": "explorer", "image/png": "aGk="}
        assert build_notebooks.disagreement(source) is None

    @pytest.mark.parametrize(
        "tag, code, name",
        [
            ("setup", "import numpy as np", "# Set-up: run me"),
            ("setup", "from mlcore.viz import explore\nexplore(draw)", "# The picture: run me"),
            ("drawing", "fig, ax = figure()\nshow(fig, 'a line')", "# The picture: run me"),
            ("drawing", "show_table(['a'], [(1,)])", "# The table: run me"),
            ("drawing", "assert 1 + 1 == 2", "# The checks: run me"),
        ],
    )
    def test_a_fold_says_what_it_holds(self, tag, code, name, tmp_path):
        source = write_source(tmp_path, f":tags: [{tag}]\n{code}", f":tags: [other]\n{code}", code)
        folded, *others = build_notebooks.read_source(source).cells[1:]
        assert folded.source == f"{name}\n{code}" and folded.metadata.jupyter.source_hidden is True
        assert [(cell.source, "jupyter" in cell.metadata) for cell in others] == [(code, False)] * 2

    @pytest.mark.parametrize(
        "code, message",
        [
            ("import sys\nprint('oops', file=sys.stderr)", "writes to stderr"),
            ("import warnings\nwarnings.warn('careful')", "careful"),
            ("a = 1\nb = a / 0", "ZeroDivisionError"),
            ("object()", "memory address"),
            ("print(object())", "memory address"),
            ("print('RuntimeWarning: overflow')", "shows a warning"),
            ("from IPython.display import JSON\nJSON({})", "application/json"),
        ],
    )
    def test_what_must_not_be_committed_fails_with_the_cell_named(self, code, message, tmp_path):
        source = write_source(tmp_path, "x = 1", code)
        line, good = build_notebooks.build_file(source)
        assert not good
        assert message in line and "cell 2" in line and code.split("\n")[0] in line
        assert not build_notebooks.notebook_path(source).exists()

    def test_too_large_is_not_written(self, tmp_path, monkeypatch):
        monkeypatch.setattr(build_notebooks, "MAX_BYTES", 300)
        source = write_source(tmp_path, "print('x' * 500)")
        line, good = build_notebooks.build_file(source)
        assert not good and "TOO LARGE" in line
        assert not build_notebooks.notebook_path(source).exists()

    def test_without_execution(self, tmp_path):
        nb = build_notebooks.build(write_source(tmp_path, "1 / 0"), execute=False)
        assert nb.cells[1].outputs == [] and nb.cells[1].execution_count is None


def test_head_and_foot_lead_to_the_neighbours_that_there_are(tmp_path):
    write_source(tmp_path, "1", name="02_linear_regression.md")
    write_source(tmp_path, "1", name="05_discriminant_analysis.md")
    source = write_source(tmp_path, "1", name="03_logistic_regression.md")
    cells = build_notebooks.read_source(source).cells
    assert cells[1].source == cells[-1].source == (
        "[← 2. Linear regression and gradient descent](02_linear_regression.ipynb) · "
        "needs [2](02_linear_regression.ipynb) · [map and notation](00_start_here.ipynb) · "
        "[what Notes A to E are](00_start_here.ipynb#The-five-sets-of-notes) · [glossary](glossary.ipynb) · "
        "[5. Linear discriminant analysis →](05_discriminant_analysis.ipynb)"
    )
    assert len(build_notebooks.read_source(write_source(tmp_path, "1", name="00_start_here.md")).cells) == 2


def test_citations_lead_to_what_is_cited():
    key = "(00_start_here.ipynb#The-five-sets-of-notes)"
    text = "See Notes A 2.2, `Notes B`, the notes C and $Notes D$; [Notes E](x.html), notes."
    assert build_notebooks.cited(text) == (
        f"See [Notes A]{key} 2.2, `Notes B`, the [notes C]{key} and $Notes D$; [Notes E](x.html), notes."
    )


def test_chapters_that_are_named_are_linked():
    others = {2: "02_a.ipynb", 3: "03_b.ipynb", 17: "17_c.ipynb"}
    untouched = "## As in chapter 2\n\n`chapter 2` $x$ [chapter 2](x.html)"
    for text, expected in (
        ("Chapter 3's score, chapter 4.", "[Chapter 3](03_b.ipynb)'s score, chapter 4."),
        (
            "chapters 2 (3 steps), 3 and 17 help",
            "chapters [2](02_a.ipynb) (3 steps), [3](03_b.ipynb) and [17](17_c.ipynb) help",
        ),
        ("chapter 17, section 2; chapters 2 to 3", "[chapter 17](17_c.ipynb), section 2; chapters 2 to 3"),
        (untouched, untouched),
        (
            "See chapter 2.\n\n## Further reading\n\n- A book, chapter 3.\n- In this course: trees (chapter 3).",
            "See [chapter 2](02_a.ipynb).\n\n## Further reading\n\n- A book, chapter 3.\n"
            "- In this course: trees ([chapter 3](03_b.ipynb)).",
        ),
    ):
        assert build_notebooks.linked(text, others) == expected
        assert build_notebooks.linked(expected, others) == expected


def test_what_there_was_to_see_is_folded():
    text = "Guess.\n\n**What you saw.** It grows,\nand $x^2$ too.\n\n**Why.** Because."
    fold = "<details><summary><b>What you saw</b></summary>\n\nIt grows,\nand $x^2$ too.\n\n</details>"
    assert build_notebooks.folded(text) == f"Guess.\n\n{fold}\n\n**Why.** Because."
    assert build_notebooks.folded("**What to see.** End").endswith("End\n\n</details>")
    assert build_notebooks.folded(fold) == fold


def test_slides_have_one_idea_each(tmp_path):
    text = "# Title · 标题\n\n+++\n\nAn idea.\n\n+++\n\n## Section"
    nb = build_notebooks.read_source(write_source(tmp_path, "1", ":tags: [solution]\n\n2", text=text))
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in nb.cells]
    assert kinds == ["slide", "subslide", "slide", None, "skip"]  # "-" is not shown by decks in JupyterLab


class TestCellIds:
    def ids(self, folder, *code):
        return [cell.id for cell in build_notebooks.read_source(write_source(folder, *code)).cells]

    def test_stay_when_a_cell_is_put_in(self, tmp_path):
        title, one, two = self.ids(tmp_path, "x = 1", "x = 2")
        assert self.ids(tmp_path, "y = 0", "x = 1", "x = 2") == [title, *self.ids(tmp_path, "y = 0")[1:], one, two]

    def test_differ_for_cells_of_the_same_text(self, tmp_path):
        ids = self.ids(tmp_path, "x = 1", "x = 1", "x = 1")
        assert len(set(ids)) == 4
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", identity) for identity in ids)


class TestCheck:
    @pytest.fixture
    def source(self, tmp_path):
        source = write_source(tmp_path, "1 + 1")
        content = build_notebooks.to_bytes(build_notebooks.build(source, execute=False)).replace(b"null", b"1")
        build_notebooks.notebook_path(source).write_bytes(content)
        return source

    def test_agrees(self, source, capsys):
        assert build_notebooks.disagreement(source) is None
        assert build_notebooks.check_all([source]) == 0

    def test_dates_do_not_matter_and_line_ends_neither(self, source):
        os.utime(build_notebooks.notebook_path(source), (0, 0))
        source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
        assert build_notebooks.disagreement(source) is None

    def test_source_changed(self, source, capsys):
        source.write_text(source.read_text(encoding="utf-8").replace("1 + 1", "1 + 2"), encoding="utf-8")
        assert not build_notebooks.is_current(source)
        assert build_notebooks.check_all([source]) == 1
        assert "01_tiny.ipynb was built from another version of its source" in capsys.readouterr().out

    def test_shown_code_changed(self, tmp_path):
        shown = "mlcore/room.py\n\ndef double(x):\n    \"\"\"2x.\"\"\"\n    return 2 * x"
        nb = new_notebook(cells=[new_code_cell(outputs=[new_output("display_data", {"text/plain": shown})])])
        (tmp_path / "mlcore").mkdir()
        room = tmp_path / "mlcore" / "room.py"
        assert build_notebooks.outdated_code(nb, tmp_path) == ["double"]
        code = 'class A:\n    def double(x):\n        """2x.\n\n        More.\n        """\n        return 2 * x\n'
        room.write_text(code, encoding="utf-8")
        assert build_notebooks.outdated_code(nb, tmp_path) == []
        room.write_text(code.replace("2 * x", "x + x"), encoding="utf-8")
        assert build_notebooks.outdated_code(nb, tmp_path) == ["double"]

    def test_never_built(self, source):
        build_notebooks.notebook_path(source).unlink()
        assert build_notebooks.disagreement(source) == "has not been built"

    @pytest.mark.parametrize(
        "old, new, message",
        [
            (b"1 + 1", b"1 + 3", "cells that differ"),
            (b'"execution_count": 1', b'"execution_count": null', "not run"),
            (b'"execution_count": 1', b'"execution_count": 7', "normal form"),
            (b'"name": "python"', b'"name": "python", "version": "3.11.0"', "normal form"),
        ],
    )
    def test_notebook_changed_by_hand(self, source, old, new, message):
        target = build_notebooks.notebook_path(source)
        assert old in target.read_bytes()
        target.write_bytes(target.read_bytes().replace(old, new))
        assert message in build_notebooks.disagreement(source)


def test_normalise_joins_streams_and_takes_out_what_is_volatile():
    cell = new_code_cell("print(1)", execution_count=9, metadata={"execution": {"iopub": "now"}, "tags": ["a"]})
    cell.outputs = [
        new_output("stream", name="stdout", text="1\n"),
        new_output("stream", name="stdout", text="2\n"),
        new_output("display_data", data={"image/png": "aG\nk=\n", "text/plain": "x", build_notebooks.WIDGET_VIEW: {}}),
        new_output("display_data", data={build_notebooks.WIDGET_VIEW: {}}),
    ]
    nb = new_notebook(cells=[cell], metadata={"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}})
    before = nbformat.writes(nb)
    clean = build_notebooks.normalise(nb)
    assert nbformat.writes(nb) == before
    assert "widgets" not in clean.metadata and clean.metadata.language_info == {"name": "python"}
    assert clean.cells[0].metadata == {"tags": ["a"]} and clean.cells[0].execution_count == 1
    stream, picture = clean.cells[0].outputs
    assert stream.text == "1\n2\n"
    assert picture.data == {"image/png": "aGk=", "text/plain": "x"}
    assert build_notebooks.to_bytes(build_notebooks.normalise(clean)) == build_notebooks.to_bytes(clean)


def test_names_of_notebooks_to_build(tmp_path):
    for name in ("01_one.md", "02_two.md", "glossary.md"):
        write_source(tmp_path, name=name)
    folder = tmp_path / "notebooks" / "source"

    def chosen(*names):
        return [path.name for path in build_notebooks.select(list(names), folder)]

    assert chosen() == ["01_one.md", "02_two.md", "glossary.md"]
    assert chosen("02") == chosen("02_two") == chosen("notebooks/02_two.ipynb") == ["02_two.md"]
    assert chosen("glossary") == ["glossary.md"]
    with pytest.raises(SystemExit, match="'03'"):
        chosen("03")


def test_student_copies_have_no_solutions_and_no_outputs(tmp_path):
    notebooks, student = tmp_path / "notebooks", tmp_path / "student"
    source = write_source(tmp_path, "stub = None", ":tags: [solution]\n\nanswer = 42", "print(1)")
    build_notebooks.build_file(source)
    assert make_student.write_copies(notebooks, student) == (["01_tiny.ipynb"], [])
    copy = student / "01_tiny.ipynb"
    nb = nbformat.read(copy, as_version=4)
    nbformat.validate(nb)
    assert [cell.source for cell in nb.cells] == ["# Title · 标题", "stub = None", "print(1)"]
    assert all(not cell.outputs and cell.execution_count is None for cell in nb.cells[1:])

    assert make_student.write_copies(notebooks, student) == (["01_tiny.ipynb"], [])
    copy.write_text(copy.read_text(encoding="utf-8").replace("None", "'my own work'"), encoding="utf-8")
    assert make_student.write_copies(notebooks, student) == ([], ["01_tiny.ipynb"])
    assert "my own work" in copy.read_text(encoding="utf-8")
    assert make_student.write_copies(notebooks, student, force=True) == (["01_tiny.ipynb"], [])
    aside = [path for path in student.glob("*.ipynb") if path != copy]
    assert "my own work" in aside[0].read_text(encoding="utf-8") and "my own work" not in copy.read_text("utf-8")
