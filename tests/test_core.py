"""The code you read is the code that runs: each chapter's core exists, is short and plain, is called, and is shown.

``mlcore/core/<chapter>.py`` holds the core functions of a chapter. ``tests/cores/<chapter>.py`` holds ``RUNS``: by the
names of the core functions that they are there for, functions without arguments that fit estimators (or call what a
user would call) and thereby run them.
"""

import ast
import functools
import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

import pytest

from mlcore.course import CHAPTERS, chapter, core

SOURCES = Path(__file__).resolve().parent.parent / "notebooks" / "source"
MOST_LINES = 20
PAGE = 92
CORE = {entry.number: core(entry.number) for entry in CHAPTERS}
NAMES = [(number, name) for number, functions in CORE.items() for name in functions]
HARDENING = ("check_", "warn", "errstate", "finite", "standardise")


def body_lines(function):
    """The lines of a function's code: neither its docstring nor blank lines nor comments."""
    source = textwrap.dedent(inspect.getsource(function))
    tree = ast.parse(source).body[0]
    docstring = tree.body[0]
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant), "it has no docstring"
    lines = source.split("\n")
    del lines[docstring.lineno - 1 : docstring.end_lineno]
    return [line for line in lines if line.strip() and not line.strip().startswith("#")]


def guards(function):
    """What belongs at the door, before, around or after, and not into a core: raises, checks, error states."""
    found = []
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Raise | ast.Try | ast.With | ast.Assert):
            found.append(type(node).__name__.lower())
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).split(".")[-1]
            found += [name for word in HARDENING if name.lstrip("_").startswith(word)]
    return found


def called(functions, runs):
    """Which of some functions, by name, a number of runs call."""
    names, found = {inspect.unwrap(function).__code__: name for name, function in functions.items()}, set()

    def profile(frame, event, _):
        if event == "call" and frame.f_code in names:
            found.add(names[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        for run in runs:
            run()
    finally:
        sys.setprofile(before)
    return found


@functools.cache
def called_in(number):
    """Which core functions of a chapter its runs call."""
    runs = importlib.import_module(f"tests.cores.{chapter(number).name}").RUNS
    return called(core(number), dict.fromkeys(runs.values()))


def shown(number):
    """The last words of what a notebook's show_source calls show, such as "ridge_weights"."""
    text = next(SOURCES.glob(f"{number:02d}_*.md")).read_text(encoding="utf-8")
    return {name.split(".")[-1] for name in re.findall(r"show_source\(([\w.]+)\)", text)}


@pytest.mark.parametrize("number, name", NAMES, ids=[name for _, name in NAMES])
class TestCore:
    def test_is_short(self, number, name):
        lines = body_lines(core(number)[name])
        assert len(lines) <= MOST_LINES, f"{name} has {len(lines)} lines of code"
        assert max(map(len, lines)) <= PAGE, "a line is too long for the page"

    def test_is_plain(self, number, name):
        assert guards(core(number)[name]) == []

    def test_its_formulas_stand_in_the_notebook(self, number, name):
        text = next(SOURCES.glob(f"{number:02d}_*.md")).read_text(encoding="utf-8")
        cited = re.findall(r"\((\d+\.\d+)\)", inspect.getdoc(core(number)[name]))
        assert [tag for tag in cited if tag.startswith(f"{number}.") and f"\\tag{{{tag}}}" not in text] == []

    def test_is_called(self, number, name):
        exceptions = getattr(importlib.import_module(f"tests.cores.{chapter(number).name}"), "EXCEPTIONS", {})
        assert (name in called_in(number)) != (name in exceptions), exceptions.get(name, "it is not called")

    def test_is_shown(self, number, name):
        assert name in shown(number)


@pytest.mark.parametrize("number", [number for number, names in CORE.items() if names])
def test_most_of_what_a_chapter_shows_is_core(number):
    """Seven tenths at least; a core function of another chapter counts."""
    every = {name.split(".")[-1] for names in CORE.values() for name in names}
    names = shown(number)
    assert len(names & every) >= 0.7 * len(names), f"no core: {sorted(names - every)}"


def test_what_is_no_core_is_caught():
    def long(x):
        """x."""
        a = [
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
        ]
        # no code
        return a, x

    def hardened(x):
        """x."""
        if x > 1:
            raise ValueError(x)
        return check_real("x", x)  # noqa: F821

    assert len(body_lines(long)) == 5
    assert guards(long) == [] and guards(hardened) == ["raise", "check_real"]
    assert called({"long": long, "hardened": hardened}, [lambda: long(1)]) == {"long"}
