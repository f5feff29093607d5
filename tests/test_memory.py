"""What the learner has done is remembered in one small file, and trouble with the file never stops them."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from mlcore import exercises, memory
from mlcore.course import CHAPTERS
from mlcore.memory import remember, remembered, start_afresh

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch):
    monkeypatch.setattr(memory, "_SESSION", {"exercises": set(), "goals": set()})


@pytest.fixture(params=["my", "mein Kurs 学习 é"])
def learner(tmp_path, monkeypatch, request):
    """A learner's folder, in which a notebook runs."""
    folder = tmp_path / request.param
    folder.mkdir()
    (folder / memory.COPIES).write_text("{}")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": None}))
    return folder


def forget_session():
    for done in memory._SESSION.values():
        done.clear()


def kept(folder):
    return json.loads((folder / memory.FILE).read_text(encoding="utf-8"))


def test_what_is_done_is_kept_and_found_again(learner):
    remember("exercises", "2.3")
    remember("goals", "2.A")
    remember("exercises", "2.1")
    assert kept(learner) == {"exercises": ["2.1", "2.3"], "goals": ["2.A"]}
    forget_session()
    assert remembered("exercises") == {"2.1", "2.3"} and remembered("goals") == {"2.A"}
    assert sorted(path.name for path in learner.iterdir()) == [memory.COPIES, memory.FILE], "something is left over"


def test_a_folder_inside_the_copies_has_the_same_memory(learner, monkeypatch):
    (learner / "week 2").mkdir()
    monkeypatch.chdir(learner / "week 2")
    remember("exercises", "2.1")
    assert kept(learner)["exercises"] == ["2.1"]


def test_elsewhere_nothing_is_written(tmp_path, monkeypatch, learner):
    monkeypatch.chdir(tmp_path)  # the folder above: no copies of a learner
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"}, "not even known in this session"
    monkeypatch.chdir(learner)
    monkeypatch.setattr("IPython.get_ipython", lambda: None)  # a script, no notebook
    remember("exercises", "2.1")
    assert not (learner / memory.FILE).exists() and not (tmp_path / memory.FILE).exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"exercises": 3, "goals": []}', '{"goals": []}', "\x00\xff"])
def test_a_broken_file_is_put_aside_with_one_message(learner, capsys, content):
    (learner / memory.FILE).write_bytes(content.encode("latin-1"))
    assert remembered("exercises") == set()
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"}
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "progress.json could not be read" in said
    (aside,) = learner.glob("progress (*).json")
    assert aside.read_bytes() == content.encode("latin-1") and aside.name in said


def test_names_that_are_no_names_are_left_out(learner):
    (learner / memory.FILE).write_text('{"exercises": ["2.1", 3, null], "goals": [], "more": 1}')
    assert remembered("exercises") == {"2.1"}


@pytest.mark.parametrize("fails", ["os.replace", "os.open", "pathlib.Path.write_text"])
def test_whatever_the_disk_refuses_is_no_error(learner, monkeypatch, capsys, fails):
    def refuse(*_, **__):
        raise PermissionError("read-only")

    monkeypatch.setattr(fails, refuse)
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"} and capsys.readouterr().out == ""
    assert not (learner / memory.FILE).exists()


def test_a_broken_file_that_cannot_be_moved_is_no_error(learner, monkeypatch):
    (learner / memory.FILE).write_text("{")

    def refuse(*_):
        raise PermissionError("read-only")

    monkeypatch.setattr("os.replace", refuse)
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"}


def test_a_lock_that_was_left_behind_does_not_stop_anything(learner, monkeypatch):
    monkeypatch.setattr(memory, "PATIENCE", 0.05)
    (learner / f"{memory.FILE}.lock").touch()
    remember("exercises", "2.1")
    assert kept(learner)["exercises"] == ["2.1"] and not (learner / f"{memory.FILE}.lock").exists()


def test_notebooks_that_write_at_once_lose_nothing(learner):
    threads = [threading.Thread(target=remember, args=("exercises", f"{k}.1")) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept(learner)["exercises"]) == 20


WRITER = """
import sys
import IPython
IPython.get_ipython = lambda: type("Shell", (), {"kernel": None})
from mlcore.memory import remember
for k in range(15):
    remember("exercises", f"{sys.argv[1]}.{k}")
"""


def test_processes_that_write_at_once_lose_nothing(learner):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WRITER]
    running = [subprocess.Popen([*command, str(k)], env=environment, cwd=learner) for k in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(kept(learner)["exercises"]) == 45


def test_starting_afresh_keeps_the_old_file_under_another_name(learner, capsys):
    remember("exercises", "2.1")
    start_afresh()
    assert remembered("exercises") == set() and not (learner / memory.FILE).exists()
    (aside,) = learner.glob("progress (*).json")
    assert json.loads(aside.read_text())["exercises"] == ["2.1"] and aside.name in capsys.readouterr().out
    start_afresh()
    assert "Nothing was remembered" in capsys.readouterr().out


def test_what_is_put_aside_twice_in_a_second_is_kept_twice(learner, monkeypatch):
    monkeypatch.setattr("time.strftime", lambda _: "now")
    for name in ("2.1", "2.2", "2.3"):
        remember("exercises", name)
        start_afresh()
    kept = [json.loads(path.read_text())["exercises"] for path in learner.glob("progress (now)*.json")]
    assert sorted(kept) == [["2.1"], ["2.2"], ["2.3"]]


def test_progress_and_the_next_exercise():
    """In a chapter that is begun, in the first of them, else in the first that is not."""
    assert exercises.progress()[0] == (0, 2) and exercises.next_exercise() == "0.1"
    remember("exercises", "3.1")
    assert exercises.progress()[3][0] == 1 and exercises.next_exercise() == "3.2"
    remember("exercises", "0.2")
    assert exercises.next_exercise() == "0.1"
    remember("exercises", "0.1")
    assert exercises.progress()[0] == (2, 2) and exercises.next_exercise() == "3.2"
    for chapter in CHAPTERS:
        for entry in exercises.exercises_of(chapter.number):
            remember("exercises", entry.id)
    assert exercises.next_exercise() is None


# ---------------------------------------------------------------------------------------------------------------
# In a real kernel
# ---------------------------------------------------------------------------------------------------------------
GRADE = "from mlcore.exercises import grade\n"


def run_in(folder, *cells):
    nb = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    nbclient.NotebookClient(nb, timeout=60, resources={"metadata": {"path": str(folder)}}).execute(env=environment)


def test_the_learners_own_answer_counts_and_the_solution_does_not(tmp_path):
    """The solution is run by whoever runs all cells."""
    (tmp_path / memory.COPIES).write_text("{}")
    run_in(tmp_path, GRADE + "grade('0.1', 0.8)", "# Solution\nanswer = 0.3\n" + GRADE + "grade('0.1', 0.8)")
    assert kept(tmp_path)["exercises"] == ["0.1"]
    (tmp_path / memory.FILE).unlink()
    run_in(tmp_path, GRADE + "grade('0.1', 0.3)", "# Solution\n" + GRADE + "grade('0.1', 0.8)")
    assert not (tmp_path / memory.FILE).exists(), "a wrong answer, or the solution, is remembered"


def test_the_courses_own_notebooks_leave_no_memory(tmp_path):
    """As nbval and the build run them: in a folder without a learner's copies."""
    run_in(tmp_path, GRADE + "grade('0.1', 0.8)")
    assert list(tmp_path.iterdir()) == []
    assert not (ROOT / "notebooks" / memory.COPIES).exists()
