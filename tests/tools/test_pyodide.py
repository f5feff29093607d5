"""The whole course where integers have 32 bits: under Pyodide, in node, as in a learner's browser."""

import json
import os
import subprocess

import pytest

from tools.web import pyodide

NOTEBOOKS = sorted((pyodide.ROOT / "notebooks").glob("*.ipynb"))
pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Python for the browser; without Pyodide's files nothing here can run, which is said loudly."""
    if not os.environ.get("PYODIDE") and not (pyodide.KEPT / pyodide.VERSION).is_dir():
        missing = "THE TESTS OF 32 BITS DID NOT RUN: PYODIDE=folder is to name a folder with Pyodide's files"
        (pytest.fail if os.environ.get("MLCORE_REQUIRE_PYODIDE") else pytest.skip)(missing)
    made = tmp_path_factory.mktemp("python")
    pyodide.write(made)
    return made


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_chapter_runs(folder, notebook, tmp_path):
    """All its cells, its solutions, which are graded, and one extreme of each explorer, painted sharp."""
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    told = [["".join(cell["source"]), "solution" not in cell["metadata"].get("tags", ())] for cell in cells]
    assert wrong_in(told, folder, tmp_path) == []


def test_integers_have_32_bits(folder, tmp_path):
    """Else the tests above would not test what they say; and what goes wrong is told."""
    cells = [["import numpy as np\nassert np.intp(0).itemsize == 4", True], ["\n1 / 0", True]]
    (wrong,) = wrong_in(cells, folder, tmp_path)
    assert wrong.startswith("cell 2: line 2: ZeroDivisionError")


def wrong_in(cells, folder, tmp_path):
    """Run cells, each a source and whether the page runs it of itself; return what went wrong."""
    path = tmp_path / "cells.json"
    path.write_text(json.dumps(cells), encoding="utf-8")
    command = [pyodide.node(), str(pyodide.HERE / "node" / "chapters.mjs"), str(folder), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])["wrong"]
