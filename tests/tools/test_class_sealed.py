"""class.zip holds no answer in clear text: its graders are sealed, and say what the open ones say."""

import inspect
import json
import re
import sys
import traceback
from pathlib import Path

import nbformat
import numpy as np
import pytest
from IPython.core.ultratb import VerboseTB

from mlcore.classroom import exercises
from mlcore.classroom.exercises import grading, sealed
from mlcore.course import CHAPTERS
from tools import make_class

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

EXERCISES = ROOT / "mlcore" / "classroom" / "exercises"
GRADERS = sorted(path for path in EXERCISES.glob("*.py") if path.name not in make_class.OPEN)
WITH_GRADERS = [chapter for chapter in CHAPTERS if EXERCISES / f"{chapter.name}.py" in GRADERS]


@pytest.fixture
def sealed_graders(monkeypatch):
    """Run the sealed graders of a chapter, in place of its open ones; give (open exercise, sealed exercise)."""

    def run_sealed(chapter):
        known = {entry.id: entry for entry in exercises.exercises_of(chapter.number)}
        monkeypatch.setattr(grading, "_REGISTRY", {})
        text = make_class.content_of(EXERCISES / f"{chapter.name}.py").decode()
        exec(compile(text, "sealed", "exec"), {"__name__": f"mlcore.classroom.exercises.{chapter.name}"})
        assert list(grading._REGISTRY) == list(known)
        return [(known[id], entry) for id, entry in grading._REGISTRY.items()]

    return run_sealed


class TestSealedGraders:
    def test_no_line_of_a_grader_or_a_solution_is_in_the_archive(self, unpacked):
        """Neither code, nor hint, nor number: but for lines that the library itself has."""
        everything = "\n".join(
            path.read_text(encoding="utf-8") for path in sorted(unpacked.rglob("*"))
            if path.suffix in (".py", ".ipynb", ".md", ".txt", ".toml", ".csv", ".json")
        )  # fmt: skip
        cells = [
            (cell.source, "solution" in cell.metadata.get("tags", ()))
            for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
            for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code"
        ]
        library = [path for path in (ROOT / "mlcore").rglob("*.py") if path not in GRADERS]
        openly = [path.read_text(encoding="utf-8") for path in library] + [text for text, secret in cells if not secret]
        secrets = [path.read_text(encoding="utf-8") for path in GRADERS] + [text for text, secret in cells if secret]
        known = "\n".join(openly)
        lines = {line.strip() for text in secrets for line in text.splitlines() if len(line.strip()) >= 12}
        lines = {line for line in lines if line not in known}
        assert len(lines) > 3000
        assert sorted(line for line in lines if line in everything or json.dumps(line)[1:-1] in everything) == []
        assert not re.search(r"solution_\d", everything)

    @pytest.mark.parametrize("chapter", WITH_GRADERS, ids=lambda chapter: chapter.name)
    def test_they_say_what_the_open_ones_say(self, chapter, sealed_graders):
        for opened, closed in sealed_graders(chapter):
            assert closed.hint == opened.hint and closed.wrong == closed.right == ()
            for answer in (*opened.wrong[:2], *opened.right[:1], "a word", lambda *_: None):
                assert _outcome(closed, answer) == _outcome(opened, answer)

    @pytest.mark.parametrize(("number", "place", "shown_by"), [(1, 4, "mended_update"), (2, 1, "tables.py")])
    def test_nothing_shows_them_by_accident(self, sealed_graders, number, place, shown_by):
        """Neither of a grader that is a function, nor of one that is a table, which runs where everybody may read."""

        given = []

        def stopped(*case):
            given.extend(case)
            raise KeyboardInterrupt  # which no grader catches

        opened, entry = sealed_graders(CHAPTERS[number])[place]
        assert entry.id == f"{number}.{place + 1}" and entry.check.__doc__ is None
        if shown_by == "tables.py":
            assert inspect.getsource(entry.check) in (EXERCISES / "tables.py").read_text(encoding="utf-8")
        else:
            with pytest.raises(OSError):
                inspect.getsource(entry.check)
        try:
            entry.check(stopped)
        except KeyboardInterrupt:
            shown = traceback.format_exc() + re.sub(r"\x1b\[[0-9;]*m", "", VerboseTB().text(*sys.exc_info()))
        source = (EXERCISES / f"{CHAPTERS[number].name}.py").read_text(encoding="utf-8")
        lines = {line.strip() for line in source.splitlines() if len(line.strip()) >= 12}
        assert shown_by in shown and not [line for line in lines if line in shown]
        if shown_by == "tables.py":
            right = opened.right[0](*given)
            assert not [number for number in np.ravel(right).tolist() if f"{number:.5f}"[:-1] in shown]
            assert not [said for said in opened.said if said and said[:20] in shown]

    def test_sealing_keeps_any_text(self):
        source = '"""1.5 is it."""\nX = "é\'\\"\\\\\\n"\n\n\ndef f():\n    """Only words."""\n\n\nassert f() is None\n'
        names = {"__name__": "a"}
        text = sealed.seal(source)
        assert "1.5" not in text and "words" not in text and max(map(len, text.splitlines())) <= 120
        exec(text.replace("globals()", "names"), {"names": names})
        assert names["X"] == "é'\"\\\n" and names["f"].__doc__ is None


def _outcome(entry, answer):
    """What a grader says of an answer: the kind and the text of what it raises, or None."""
    try:
        entry.check(answer)
    except Exception as error:
        return type(error).__name__, str(error)
    return None
