"""What a cell says in a fresh kernel: which names are missing, and what a real kernel answers."""

import builtins
import json
import os
import sys
from pathlib import Path

import nbformat
import pytest
from ipykernel.kernelspec import write_kernel_spec
from IPython.core.inputtransformer2 import TransformerManager
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from mlcore.classroom.calm import names_of, what_is_missing
from mlcore.classroom.exercises import Wrong, call, check_answer, exercise, grading
from tools import build_notebooks

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


# ---------------------------------------------------------------------------------------------------------------
# The names of a cell
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "source, given",
    [
        ("a = 1\nb, (c, *d) = 1, (2, 3)\ne: int = 4", {}),
        ("import os.path, sys as s\nfrom math import pi as p, tau", {}),
        ("def f(x, y=z):\n    inner = x + w\n    return inner\nf(1)", {"z": 1, "w": 2}),
        ("class K(base):\n    field = 1\n    def m(self): return late\nK().m()", {"base": object, "late": 1}),
        ("squares = [i * k for i in items if i]\nlast = {j: j for j in items}", {"items": [1], "k": 2}),
        ("total = sum((seen := i) for i in items)", {"items": [1]}),
        ("for i, v in enumerate(items): pass\nwith opened as file: pass", {"items": [1], "opened": open(os.devnull)}),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    said = str(error)", {}),
        ("a = b = 1\ndel b", {}),
        ("def f():\n    global made\n    made = taken\nf()", {"taken": 1}),
        ("def f(): return g()\ndef g(): return 1\nf()", {}),
        ("x = x + 1\ny = x", {"x": 1}),
        ("match {'a': 1}:\n    case {'a': n, **rest}: pass", {}),
        ("thing.field = 1\nthing2[0] = (lambda q: q + z)(1)", {"thing": Wrong(), "thing2": [0], "z": 1}),
    ],
)  # fmt: skip
def test_names_are_those_that_python_leaves_and_takes(source, given):
    left, taken = names_of(source)
    namespace = dict(given)
    exec(source, namespace)
    ignored = {"__builtins__", "__annotations__", "__conditional_annotations__", "__name__", *dir(builtins)}
    assert set(left) - ignored == {name for name, value in namespace.items() if given.get(name) is not value} - ignored
    assert set(taken) - ignored == set(given)
    for name in given:
        with pytest.raises(NameError, match=f"'{name}'"):
            exec(source, {key: value for key, value in given.items() if key != name})


def test_a_cell_that_is_no_python_has_no_names():
    assert names_of("%timeit x") == names_of("a = ") == ([], [])
    assert names_of("await asked") == ([], ["asked"])


# ---------------------------------------------------------------------------------------------------------------
# What is missing
# ---------------------------------------------------------------------------------------------------------------
def cell(source, id, *tags):
    return {"source": source, "id": id, "metadata": {"tags": list(tags)}}


IMPORTS = cell("%matplotlib inline\nimport numpy as np\nfrom mlcore.viz import explore", "imports")
DATA = cell("X = np.zeros(3)\nrows = [i for i in X]\nlost = 1\ndel lost", "data")
SOLUTION = cell('# Solution\nsolution_5_1 = 2\ngrade("5.1", solution_5_1)', "solution", "solution")
ABOVE, BELOW = [IMPORTS, DATA, SOLUTION], [cell("later = 1", "later")]
as_python = TransformerManager().transform_cell


def missing(name, code="explore(draw, X, rows, np)", ended=None, known=(), above=ABOVE):
    return what_is_missing(name, code, above, BELOW, ended or {}, known, as_python)


def test_in_a_fresh_kernel_everything_above_is_missing():
    found = missing("explore")
    assert (found.names, found.nothing_ran) == (["explore", "X", "rows", "np"], True)
    assert found.solution is found.stopped is None


def test_what_is_there_is_not_missing():
    found = missing("X", ended={"imports": True}, known={"np", "explore"})
    assert (found.names, found.nothing_ran) == (["X", "rows"], False)
    assert missing("X", known={"rows", "explore"}).names == ["X", "np"]


def test_a_cell_is_known_by_its_text_where_the_front_end_has_other_ids():
    assert missing("np", ended={IMPORTS["source"]: True}) is None
    assert missing("np", ended={DATA["source"]: True}) is not None


@pytest.mark.parametrize("name", ["explor", "i", "lost", "later", "draw", "print"])
def test_a_slip_stays_pythons_to_tell(name):
    assert missing(name) is None


def test_a_name_that_its_cell_did_not_leave_behind_is_a_slip():
    """It was deleted, or renamed in a cell whose new text is not saved yet: to run the cells again would not help."""
    assert missing("X", ended={"imports": True, "data": True}) is None


def test_a_cell_above_that_raises_is_named():
    found = missing("X", ended={"imports": True, "data": False})
    assert (found.names[0], found.stopped) == ("X", "X = np.zeros(3)")


def test_a_solutions_name_says_whose_it_is():
    assert missing("solution_5_1").solution == "exercise 5.1"
    assert missing("solution_5_1", above=[]) is None
    assert what_is_missing("solution_5_1", "", [], [SOLUTION], {}).solution == "exercise 5.1"
    assert missing("solution_5_1", ended={"solution": True}) is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_whatever_a_cell_of_the_course_needs_is_found_above_it(path):
    cells = [one for one in nbformat.read(path, as_version=4).cells if one.cell_type == "code"]
    made = set(dir(builtins)) | {"get_ipython", "__name__", "__annotations__"}
    for one in cells:
        left, taken = names_of(as_python(one.source))
        assert left or taken, f"cannot be read: {one.source[:80]}"
        assert set(taken) <= made | set(left), one.source[:80]
        if "solution" not in one.metadata.get("tags", ()):
            made |= set(left)


# ---------------------------------------------------------------------------------------------------------------
# A kernel
# ---------------------------------------------------------------------------------------------------------------
ALT = {"image/png": {"alt": "a line that rises"}}
SAVED = [
    {"output_type": "stream", "name": "stdout", "text": "✓ (9.1) agrees"},
    {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b>code</b>", "text/plain": "code"}},
    {"output_type": "display_data", "metadata": ALT,
     "data": {"image/png": "aGk=", "text/html": "<i></i>", "text/plain": ["[explorer] ", "a line that rises"]}},
    {"output_type": "display_data", "metadata": {},
     "data": {"text/html": ["<p>Run ", "this.</p>"], "text/plain": "[saved]"}},
]  # fmt: skip
CELLS = [
    cell("import math\nfrom mlcore.course import CHAPTERS", "one"),
    cell("x = math.tau", "two"),
    {**cell("y = x * math.pi", "three"), "outputs": SAVED},
    cell('# Solution\nsolution_9_1 = 1\nmath.grade("9.1", 1)', "four", "solution"),
]


def write_chapter(path, metadata):
    cells = [{"cell_type": "code", **one} for one in CELLS]
    path.write_text(json.dumps({"cells": cells, "metadata": metadata}), encoding="utf-8")


class Kernel:
    """A kernel of this environment, as JupyterLab starts one for a notebook, of a user with settings of their own."""

    def __init__(self, folder):
        self.notebook = folder / "01_chapter.ipynb"
        write_chapter(self.notebook, {"mlcore": {}})
        write_kernel_spec(folder / "kernels" / "python3", extra_arguments=["--log-level=ERROR"])
        profile = folder / "ipython" / "profile_default"
        (profile / "startup").mkdir(parents=True)
        (profile / "startup" / "00.py").write_text("own_name = 'mine'")
        settings = "c.InteractiveShellApp.extensions = ['autoreload']"
        (profile / "ipython_kernel_config.py").write_text(settings)
        self.manager = KernelManager(
            kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(folder / "kernels")])
        )
        environment = {**os.environ, "IPYTHONDIR": str(folder / "ipython"), "JPY_SESSION_NAME": str(self.notebook)}
        self.manager.start_kernel(env=environment)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def send(self, code, id):
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": id})
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def answer(self, sent):
        """The status of the reply, and the outputs."""
        outputs = []
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != sent:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
            if message["msg_type"] in ("display_data", "error", "stream", "execute_result"):
                outputs.append((message["msg_type"], message["content"]))
        while (reply := self.client.get_shell_msg(timeout=60))["parent_header"]["msg_id"] != sent:
            pass
        return reply["content"]["status"], outputs

    def run(self, code, id="new"):
        return self.answer(self.send(code, id))

    def line(self, code, id="new"):
        """The calm line that a cell shows, and all that it shows; the reply says that there was an error."""
        status, outputs = self.run(code, id)
        assert (status, {kind for kind, _ in outputs}) == ("error", {"display_data"})
        shown = [content for _, content in outputs]
        (line,) = [one["data"] for one in shown if "mlcore-calm" in one["data"].get("text/html", "")]
        return line, shown

    def error(self, code, id="new"):
        """The exception of a cell that ends with Python's own traceback."""
        status, [(kind, error)] = self.run(code, id)
        assert (status, kind) == ("error", "error")
        return "\n".join(error["traceback"])


@pytest.fixture
def kernel(tmp_path):
    kernel = Kernel(tmp_path)
    yield kernel
    kernel.close()


def test_an_install_editable_or_not_brings_the_file_that_every_kernel_runs():
    installed = Path(sys.prefix) / "etc" / "ipython" / "startup" / "mlcore_startup.py"
    assert installed.exists(), "install the course again: pip install -e ."
    assert installed.read_text() == (ROOT / "tools" / "jupyter" / "mlcore_startup.py").read_text()


@pytest.mark.slow
def test_a_cell_in_a_fresh_kernel(kernel):
    assert kernel.run("own_name")[1][0][1]["data"]["text/plain"] == "'mine'"
    line, shown = kernel.line(CELLS[2]["source"], "three")
    assert "needs what stands above it (`x`, `math`), and nothing has run since" in line["text/plain"]
    assert 'data-commandlinker-command="apputils:run-all-enabled"' in line["text/html"]
    assert [one["data"] for one in shown] == [
        {"image/png": "aGk=", "text/plain": "[explorer] a line that rises"},
        line,
        {"text/html": "<p>Run this.</p>", "text/plain": "[saved]"},
    ]
    assert [one["metadata"] for one in shown] == [ALT, {}, {}]

    first, second = kernel.send(CELLS[1]["source"], "two"), kernel.send(CELLS[2]["source"], "three")
    assert kernel.answer(first)[0] == "error"
    assert kernel.answer(second) == ("aborted", []), "a run of several cells must stop"

    assert kernel.run(CELLS[0]["source"], "one") == ("ok", [])
    line, _ = kernel.line(CELLS[2]["source"], "three")
    assert "(`x`), and not all of that has run since" in line["text/plain"]
    kernel.error("raise KeyboardInterrupt", "two")
    assert "not all of that has run since" in kernel.line(CELLS[2]["source"], "three")[0]["text/plain"]
    kernel.error("1 / 0", "two")
    assert "begins with `x = math.tau` raises an error" in kernel.line(CELLS[2]["source"], "three")[0]["text/plain"]
    assert kernel.run(CELLS[1]["source"], "two") == ("ok", [])
    assert kernel.run(CELLS[2]["source"], "three") == ("ok", [])
    assert "NameError" in kernel.error("del x\nx", "three")
    assert "NameError" in kernel.error("y + yy")


@pytest.mark.slow
def test_other_names(kernel):
    said, _ = kernel.line("solution_9_1 + 1")
    assert said["text/plain"].startswith("`solution_9_1` belongs to the solution of exercise 9.1")
    assert "<button" not in said["text/html"]
    for code, part in [
        ("from mlcore.course import CHAPTERZ", "`mlcore.course` has no `CHAPTERZ`"),
        ("import mlcore.no_such_chapter", "there is no `mlcore.no_such_chapter`"),
        ("import sys; sys.modules['anywidget'] = None\nimport anywidget", "has no `anywidget`"),
    ]:
        assert part in kernel.line(code)[0]["text/plain"]
    assert "ModuleNotFoundError" in kernel.error("import no_such_package")
    assert "UnboundLocalError" in kernel.error("def f():\n    x += 1\nf()")
    assert "ZeroDivisionError" in kernel.error("1 / 0")
    assert "this is mine" in kernel.error("raise NameError('this is mine')")
    assert "(`x`)" in kernel.line("def f(): return x\nf()")[0]["text/plain"]
    assert "NameError" in kernel.error("exec('def f(): return x', {}, elsewhere := {})\nelsewhere['f']()")


def test_it_is_silent_elsewhere(kernel):
    """In a notebook that is not of the course, in one that cannot be read, and where no front end shows one."""
    write_chapter(kernel.notebook, {})
    assert "NameError" in kernel.error(CELLS[2]["source"], "three")
    kernel.notebook.write_text("{", encoding="utf-8")
    assert "NameError" in kernel.error(CELLS[2]["source"], "three")
    renamed = kernel.notebook.with_name("other.ipynb")
    kernel.notebook.unlink()
    assert "NameError" in kernel.error(CELLS[2]["source"], "three")
    write_chapter(renamed, {"mlcore": {}})
    kernel.line(CELLS[2]["source"], "three")  # the notebook has got a new name
    kernel.run("import os; del os.environ['JPY_SESSION_NAME']")
    assert "NameError" in kernel.error(CELLS[2]["source"], "three")


def test_in_vs_code_there_are_words_in_place_of_a_button(kernel):
    kernel.run(f"import os; del os.environ['JPY_SESSION_NAME']; __vsc_ipynb_file__ = {str(kernel.notebook)!r}")
    line, _ = kernel.line(CELLS[2]["source"], "vscode-notebook-cell:3")
    assert "<button" not in line["text/html"] and line["text/plain"].endswith("Run all cells above it, then this one.")


def test_a_build_fails_as_ever_even_if_a_notebook_of_the_course_starts_it(tmp_path, monkeypatch):
    chapter, source = tmp_path / "01_chapter.ipynb", tmp_path / "source" / "02_other.md"
    write_chapter(chapter, {"mlcore": {}})
    source.parent.mkdir()
    head = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n\n# Title\n\n"
    source.write_text(head + "```{code-cell}\nx + 1\n```\n", encoding="utf-8")
    monkeypatch.setenv("JPY_SESSION_NAME", str(chapter))
    line, good = build_notebooks.build_file(source)
    assert not good and "cell 1 ('x + 1') raises" in line and "NameError" in line


# ---------------------------------------------------------------------------------------------------------------
# Exercises
# ---------------------------------------------------------------------------------------------------------------
def test_an_answer_that_waits_for_cells_above_is_not_wrong(monkeypatch):
    @exercise("0.99", hint="nothing", step="nothing")
    def doubled(answer):
        call(answer, 1)

    def answer(x):
        return not_run_yet + x  # noqa: F821

    monkeypatch.setattr(grading, "exercises_of", lambda number: [grading._REGISTRY["0.99"]])
    try:
        assert "raised NameError" in check_answer("0.99", answer).message
        monkeypatch.setattr(grading, "is_waiting", lambda error: isinstance(error, NameError))
        with pytest.raises(NameError, match="not_run_yet"):
            check_answer("0.99", answer)
    finally:
        del grading._REGISTRY["0.99"]
