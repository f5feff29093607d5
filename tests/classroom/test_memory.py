"""What the learner has done is remembered in one small file, and trouble with the file never stops them."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from mlcore.classroom import exercises, memory
from mlcore.course import CHAPTERS
from mlcore.memory import forget, merge, recall, remember, remember_at_rest, remembered, start_afresh

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch):
    monkeypatch.setattr(memory, "_SESSION", {field: {} for field in memory.FIELDS})
    monkeypatch.setattr(memory, "_UNSAVED", {})
    monkeypatch.delenv("JUPYTERHUB_USER", raising=False)


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
    for known in (*memory._SESSION.values(), memory._UNSAVED):
        known.clear()


LOCK = f".{memory.FILE}.lock"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def kept(folder):
    return json.loads((folder / memory.FILE).read_text(encoding="utf-8"))


def test_what_is_done_is_kept_and_found_again(learner):
    remember("exercises", "2.3")
    remember("goals", "2.A")
    remember("exercises", "2.1")
    assert kept(learner) == {"version": memory.VERSION, "exercises": ["2.1", "2.3"], "goals": ["2.A"]}
    forget_session()
    assert remembered("exercises") == {"2.1", "2.3"} and remembered("goals") == {"2.A"}
    assert names_in(learner) == [memory.COPIES, LOCK, memory.FILE], "something is left over"


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


DEEP = "[" * 200_000
BROKEN = [
    b"", b"{", b"[]", b"3", b"null", b'"x"', b"\x00\xff", b'{"exercises": ["2.', '{"exercises": []}'.encode("utf-16"),
    b'{"exercises": 3, "goals": []}', b'{"exercises": {}}', b'{"goals": "2.A"}', b'{"guesses": []}',
    b'{"places": null}', b'{"exercises": ' + b"9" * 5000 + b"}", b"{}{}",
    DEEP.encode(), ('{"exercises": ' + DEEP).encode(),
]  # fmt: skip


@pytest.mark.parametrize("content", BROKEN, ids=lambda content: repr(content)[:40])
def test_a_broken_file_is_put_aside_with_one_message(learner, capsys, content):
    (learner / memory.FILE).write_bytes(content)
    assert remembered("exercises") == set()
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"}
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "progress.json could not be read" in said
    (aside,) = learner.glob("progress (*.json")
    assert aside.read_bytes() == content and aside.name in said


@pytest.mark.parametrize("content", BROKEN[:3])
def test_a_file_that_was_mended_meanwhile_is_not_put_aside(learner, monkeypatch, content):
    """Two notebooks find it broken; the second one must not put aside what the first has written since."""
    (learner / memory.FILE).write_bytes(content)
    locked = memory.locked

    def first_the_other(path, longest_wait=None):
        monkeypatch.setattr(memory, "locked", locked)
        path.write_text('{"exercises": ["2.1"]}', encoding="utf-8")
        return locked(path, longest_wait)

    monkeypatch.setattr(memory, "locked", first_the_other)
    assert remembered("exercises") == {"2.1"} and list(learner.glob("progress (*.json")) == []


def test_what_is_no_name_is_no_exercise_and_stays(learner):
    (learner / memory.FILE).write_text('{"exercises": ["2.1", 3, null], "goals": []}')
    assert remembered("exercises") == {"2.1"}
    remember("exercises", "1.1")
    assert set(kept(learner)["exercises"]) == {"1.1", "2.1", 3, None}


def test_a_mark_at_the_head_is_no_harm(learner):
    """An editor of Windows puts it there."""
    (learner / memory.FILE).write_bytes(b"\xef\xbb\xbf" + b'{"exercises": ["2.1"]}')
    remember("exercises", "2.2")
    assert kept(learner)["exercises"] == ["2.1", "2.2"]


@pytest.mark.parametrize("old, new", [
    ({"exercises": ["2.1"], "goals": ["2.A"]}, {"version": memory.VERSION}),  # the first version
    ({"exercises": ["2.1"]}, {"version": memory.VERSION}),
    ({"version": 9, "exercises": ["2.1"], "goals": ["2.A"], "more": {"a": [1]}, "notes": "x"}, {}),
    ({"version": "9.1", "exercises": ["2.1"]}, {}),
])  # fmt: skip
def test_other_versions_are_read_and_what_is_unknown_stays(learner, old, new):
    (learner / memory.FILE).write_text(json.dumps(old), encoding="utf-8")
    assert remembered("exercises") == {"2.1"}
    remember("exercises", "2.2")
    memory.remember("guesses", "k", "flatter")
    assert kept(learner) == {**old, **new, "exercises": ["2.1", "2.2"], "guesses": {"k": "flatter"}}


@pytest.mark.parametrize("depth", [100, 900, 990, 2_000, 20_000])
def test_what_is_deeply_nested_stops_nobody(learner, depth):
    """At some depth it can be read and not be written; it then stays as it is, and else its content is kept."""
    content = '{"exercises": ["2.1"], "more": ' + "[" * depth + "]" * depth + "}"
    (learner / memory.FILE).write_text(content)
    remember("exercises", "2.2")
    assert "2.2" in remembered("exercises")
    assert any("[" * depth in path.read_text().replace(" ", "").replace("\n", "") for path in learner.glob("p*.json"))


def test_nothing_new_writes_nothing(learner, monkeypatch):
    remember("exercises", "2.1")
    monkeypatch.setattr(memory, "write", None)
    remember("exercises", "2.1")
    assert memory._UNSAVED == {}


def refuse(*_, **__):
    raise PermissionError("read-only")


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [refuse, no_space])
@pytest.mark.parametrize("fails", ["os.replace", "os.open", "os.fsync"])
def test_what_the_disk_refuses_is_no_error_and_written_with_the_next(learner, monkeypatch, capsys, fails, error):
    (learner / memory.FILE).write_text('{"exercises": ["1.1"], "goals": []}')
    with monkeypatch.context() as patched:
        patched.setattr(fails, error)
        remember("exercises", "2.1")
        memory.remember("guesses", "k", 0.5)
        assert remembered("exercises") == {"1.1", "2.1"} and capsys.readouterr().out == ""
        assert kept(learner) == {"exercises": ["1.1"], "goals": []}
    remember("goals", "2.A")
    assert kept(learner) == {
        "version": memory.VERSION, "exercises": ["1.1", "2.1"], "goals": ["2.A"], "guesses": {"k": 0.5}
    }  # fmt: skip


def test_what_another_process_holds_up_is_tried_again(learner, monkeypatch):
    """Without the learner waiting for it, and without a write that could undo the other's."""
    held_up = []

    def busy(path, longest_wait=None):
        if len(held_up) < 2:
            held_up.append(longest_wait)
            raise TimeoutError(errno.ETIMEDOUT, "another process is writing just now")
        return locked(path, longest_wait)

    locked = memory.locked
    monkeypatch.setattr(memory, "locked", busy)
    monkeypatch.setattr(memory, "REST", 0.01)
    remember("exercises", "2.1")
    assert held_up[0] == memory.LONGEST_WAIT
    end = time.monotonic() + 60
    while not (learner / memory.FILE).exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert kept(learner)["exercises"] == ["2.1"] and len(held_up) == 2


def test_a_file_that_may_not_be_read_is_not_overwritten(learner, monkeypatch):
    (learner / memory.FILE).write_text('{"exercises": ["1.1"], "goals": []}')
    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.read_bytes", refuse)
        remember("exercises", "2.1")
        assert remembered("exercises") == {"2.1"}
    assert kept(learner)["exercises"] == ["1.1"]
    remember("exercises", "2.2")
    assert kept(learner)["exercises"] == ["1.1", "2.1", "2.2"]


def test_a_folder_in_place_of_the_file_is_no_error(learner):
    (learner / memory.FILE).mkdir()
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"}


def test_a_broken_file_that_cannot_be_moved_is_no_error(learner, monkeypatch):
    (learner / memory.FILE).write_text("{")
    monkeypatch.setattr("os.replace", refuse)
    monkeypatch.setattr("os.rename", refuse)
    remember("exercises", "2.1")
    assert remembered("exercises") == {"2.1"} and (learner / memory.FILE).read_text() == "{"


def test_notebooks_that_write_at_once_lose_nothing(learner):
    threads = [threading.Thread(target=remember, args=("exercises", f"{k}.1")) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept(learner)["exercises"]) == 20


WRITER = """
import itertools, sys, time, types
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: type("Shell", (), {"kernel": None}))
from mlcore.memory import remember
for k in range(15) if sys.argv[2:] == [] else itertools.count():
    remember("exercises", f"{sys.argv[1]}.{k}")
    print(f"{sys.argv[1]}.{k}", flush=True)
    time.sleep(0.005)
"""


def start(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WRITER, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True)


def check_at_once(folder, count):
    running = [start(folder, k) for k in range(count)]
    for process in running:
        process.communicate(timeout=600)
    assert [process.returncode for process in running] == [0] * count
    assert set(kept(folder)["exercises"]) == {f"{me}.{k}" for me in range(count) for k in range(15)}


def test_processes_that_write_at_once_lose_nothing(learner):
    check_at_once(learner, 3)


@pytest.mark.slow
def test_fifty_processes_that_write_at_once_lose_nothing(learner):
    check_at_once(learner, 50)


def check_killed(folder, rounds):
    """Two notebooks write, and are killed: all that they had said to be kept is there."""
    said = set()
    for k in rounds:
        running = [start(folder, 10 * k + me, "for ever") for me in range(2)]
        firsts = [process.stdout.readline().strip() for process in running]
        time.sleep(0.003 * k)
        for process in running:
            process.kill()
        for first, process in zip(firsts, running):
            lines = process.communicate()[0].split("\n")
            said |= {first, *lines[:-1]}  # the last line may be cut off
    assert said <= set(kept(folder)["exercises"])


def test_killed_while_it_writes(learner):
    check_killed(learner, range(3))


@pytest.mark.slow
def test_killed_many_times_while_it_writes(learner):
    check_killed(learner, range(3, 25))


# ---------------------------------------------------------------------------------------------------------------
# From elsewhere
# ---------------------------------------------------------------------------------------------------------------
NO_PROGRESS = [
    *BROKEN, b" ", b"{}", b'{"version": 2}', b'{"cells": [], "metadata": {}, "nbformat": 4}', b'{"exercises": null}',
    b'{"exercises": ["2.1"], "guesses": 3}', b'{"exercises": ["2.1"], "guesses": null}', b'[{"exercises": ["2.1"]}]',
    b'{"exercises": ["2.1"], "places": {"p": {"a": NaN}}}', b'{"exercises": ["2.1"], "places": {"p": {"a": 1e999}}}',
    b'{"exercises": ["2.1"], "guesses": {"k": -Infinity}}', b'{"exercises": ["2.1", -1e999]}',
    b'{"exercises": ["2.1\xff"]}', '{"exercises": ["2.1"]}'.encode("utf-16-le"), b'{"exercises": ["2.1"],}',
]  # fmt: skip
"""What neither Python nor a page of the site takes (tests/tools/test_site_progress.py)."""
PAGE = {"version": 2, "exercises": ["2.2", "10.1"], "goals": [], "guesses": {"k": 0.5, "l": ""}, "places": {}}
"""As a page saves it."""
PROGRESS = [
    PAGE,
    {"exercises": ["2.1"], "goals": ["2.A"]},  # the first version
    {"exercises": []},
    {"goals": ["2.B", "2.A", "2.B"], "guesses": {"k": True, "constructor": 1, "__proto__": "x"}},
    {"version": 2, "guesses": {"k": "flatter"}, "places": {"p": {"a": 1.5, "b": "steep"}, "q": {"a": False}}},
    {"exercises": ["2.1", 3, None, ["2.2"], "Infinity"], "goals": [{}], "places": {"p": 3}},
    {"version": 9, "exercises": ["2.1"], "more": {"a": [1]}, "notes": "李 é 😀"},
    {"version": "9.1", "exercises": ["2.1"], "notes": None, "more": {"a": [2]}},
]


def saved(folder, held, name="progress (1).json"):
    """The path of a file from elsewhere."""
    path = folder / name
    path.write_bytes(held if isinstance(held, bytes) else json.dumps(held).encode())
    return path


def test_two_files_become_one_and_the_own_one_comes_first(tmp_path):
    own = {"version": 2, "exercises": ["2.1", 3], "guesses": {"k": 1}, "places": {"p": {"a": 1}}, "mine": 1}
    path = saved(tmp_path, own, memory.FILE)
    other = {"version": 9, "exercises": ["10.1", "2.1", None, 4], "goals": ["2.A"], "guesses": {"k": 2, "l": ""},
             "places": {"p": {"a": 2}, "q": {"b": "x"}}, "mine": 2, "more": [1]}  # fmt: skip
    new = merge(path, saved(tmp_path, other))
    assert new == {"exercises": 1, "goals": 1, "guesses": 1, "places": 1}
    assert kept(tmp_path) == {
        "version": 2, "exercises": ["10.1", "2.1", 3], "goals": ["2.A"], "guesses": {"k": 1, "l": ""},
        "places": {"p": {"a": 1}, "q": {"b": "x"}}, "mine": 1, "more": [1],
    }  # fmt: skip


@pytest.mark.parametrize("other", PROGRESS)
def test_what_is_taken_is_remembered_and_the_second_time_nothing_changes(learner, monkeypatch, other):
    memory.merge(learner / memory.FILE, saved(learner, b"\xef\xbb\xbf" + json.dumps(other).encode(), "saved"))
    for field, kind in memory.FIELDS.items():
        names = [name for name in other.get(field, ()) if isinstance(name, str)]
        assert remembered(field) == set(names)
        assert kind is list or all(recall(field, name) == other[field][name] for name in names)
    monkeypatch.setattr(memory, "write", None)
    assert set(memory.merge(learner / memory.FILE, learner / "saved").values()) == {0}
    assert memory.merge(learner / memory.FILE, learner / memory.FILE)["exercises"] == 0


@pytest.mark.parametrize("content", NO_PROGRESS, ids=lambda content: repr(content)[:40])
@pytest.mark.parametrize("own", [None, b'{"exercises": ["1.1"], "more": 1}', b"{"])
def test_a_file_that_is_none_changes_nothing(tmp_path, own, content):
    path = saved(tmp_path, own, memory.FILE) if own else tmp_path / memory.FILE
    other = saved(tmp_path, content)
    before = names_in(tmp_path)
    with pytest.raises(ValueError, match="^no file of the course's progress$"):
        merge(path, other)
    assert names_in(tmp_path) == before and (own is None or path.read_bytes() == own)


def test_a_broken_file_of_the_learner_s_is_put_aside_before(tmp_path, capsys):
    path = saved(tmp_path, b"{", memory.FILE)
    merge(path, saved(tmp_path, PAGE, "other.json"))
    (aside,) = tmp_path.glob("progress (*.json")
    assert aside.read_bytes() == b"{" and kept(tmp_path) == {**PAGE, "exercises": ["10.1", "2.2"]}
    assert "could not be read" in capsys.readouterr().out


def test_a_large_file_is_taken_at_once(tmp_path):
    """And what another notebook writes meanwhile is not lost."""
    count = 200_000
    path, threads = tmp_path / memory.FILE, []
    for half in range(2):
        other = saved(tmp_path, {"exercises": [f"{half}.{k}" for k in range(count)]}, f"{half}.json")
        threads.append(threading.Thread(target=merge, args=(path, other)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept(tmp_path)["exercises"]) == 2 * count


@pytest.mark.parametrize("depth", [900, 100_000])
def test_what_is_deeply_nested_and_cannot_be_written_changes_nothing(tmp_path, depth):
    other = saved(tmp_path, ('{"exercises": ["2.1"], "more": ' + "[" * depth + "]" * depth + "}").encode())
    try:
        merge(tmp_path / memory.FILE, other)
    except (ValueError, RecursionError):
        assert not (tmp_path / memory.FILE).exists()
    else:
        assert kept(tmp_path)["exercises"] == ["2.1"]


# ---------------------------------------------------------------------------------------------------------------
# Guesses and places
# ---------------------------------------------------------------------------------------------------------------
def test_a_guess_is_kept_and_forgotten(learner):
    remember("guesses", "k", 0.5)
    forget_session()
    assert recall("guesses", "k") == 0.5 and recall("guesses", "other") is None
    forget("guesses", "k")
    assert recall("guesses", "k") is None
    forget_session()
    assert recall("guesses", "k") is None and kept(learner)["guesses"] == {}


def test_a_place_is_written_when_it_rests(learner, monkeypatch):
    """Not at each step of a slider; and what is not written yet is known."""
    written = []
    rest = threading.Event()
    monkeypatch.setattr(memory, "write", lambda path, content: written.append(json.loads(content)["places"]))
    monkeypatch.setattr("time.sleep", lambda seconds: rest.wait(60) and memory._AT_REST.update(due=0.0))
    monkeypatch.setattr(memory, "REST", 1e9)
    for k in range(100):
        remember_at_rest("p", {"a": k})
    thread = memory._AT_REST["thread"]
    assert written == [] and recall("places", "p") == {"a": 99}
    rest.set()
    thread.join(60)
    assert written == [{"p": {"a": 99}}] and memory._AT_REST["thread"] is None


def test_a_place_waits_for_no_disk(learner, monkeypatch):
    """While another place is being written, slowly."""
    writing, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(memory, "REST", 0.0)
    monkeypatch.setattr(memory, "write", lambda *_: writing.set() or go_on.wait(60))
    remember_at_rest("p", {"a": 1})
    assert writing.wait(60)
    remember_at_rest("p", {"a": 2})
    assert recall("places", "p") == {"a": 2} and not go_on.is_set()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == memory.FILE:
            thread.join(60)


def test_a_place_is_forgotten_with_all_the_rest(learner, monkeypatch, capsys):
    remember("guesses", "k", "")
    monkeypatch.setattr(memory, "REST", 60)
    monkeypatch.setattr(memory, "_AT_REST", {"thread": "sleeps", "due": 0.0})
    remember_at_rest("p", {"a": 1})
    start_afresh()
    (aside,) = learner.glob("progress (*.json")
    assert json.loads(aside.read_text())["places"] == {"p": {"a": 1}}, "what was not written yet is lost"
    assert recall("places", "p") is None and recall("guesses", "k") is None and memory._UNSAVED == {}


# ---------------------------------------------------------------------------------------------------------------
# On a hub
# ---------------------------------------------------------------------------------------------------------------
@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone of the course, in whose notebooks/ a notebook runs."""
    folder = tmp_path / "machine-learning.git" / "notebooks"
    folder.mkdir(parents=True)
    (folder / memory.FIRST).write_text("{}")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": None}))
    monkeypatch.setenv("JUPYTERHUB_USER", "li")
    monkeypatch.setenv("JPY_SESSION_NAME", "machine-learning.git/notebooks/02_linear_regression.ipynb")
    return folder


def test_a_clone_on_a_hub_is_the_learners_own(clone):
    remember("exercises", "2.1")
    assert kept(clone)["exercises"] == ["2.1"]
    assert (clone.parent.parent / "progress.json").exists() is False


@pytest.mark.parametrize("missing", ["JUPYTERHUB_USER", "JPY_SESSION_NAME"])
def test_a_clone_elsewhere_and_a_build_on_a_hub_are_not(clone, monkeypatch, missing):
    monkeypatch.delenv(missing)
    remember("exercises", "2.1")
    assert not memory.is_there() and names_in(clone) == [memory.FIRST]


def test_another_folder_on_a_hub_is_not(clone, monkeypatch):
    monkeypatch.chdir(clone.parent)
    remember("exercises", "2.1")
    assert not memory.is_there() and names_in(clone) == [memory.FIRST]


def test_git_does_not_see_the_file_on_a_hub(tmp_path):
    """Else a link of nbgitpuller, which commits and merges, would meet it."""
    names = [memory.FILE, LOCK, "progress (2026-01-31 12.00.00).json", f".{memory.FILE}.0123abcd.new"]
    paths = [f"notebooks/{name}" for name in names]
    (tmp_path / ".gitignore").write_bytes((ROOT / ".gitignore").read_bytes())
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = subprocess.run(["git", "check-ignore", *paths], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == paths
    shown = ["notebooks/00_start_here.ipynb", "notebooks/source/00_start_here.md"]
    assert subprocess.run(["git", "check-ignore", *shown], cwd=tmp_path, capture_output=True).stdout == b""


def test_the_lab_of_an_author_on_a_hub_has_no_memory(monkeypatch):
    code = "import sys; sys.path.insert(0, 'tools'); import lab; print('JUPYTERHUB_USER' in lab.lab_environment(''))"
    environment = {**os.environ, "JUPYTERHUB_USER": "li"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_starting_afresh_keeps_the_old_file_under_another_name(learner, capsys):
    remember("exercises", "2.1")
    start_afresh()
    assert remembered("exercises") == set() and not (learner / memory.FILE).exists()
    (aside,) = learner.glob("progress (*.json")
    assert json.loads(aside.read_text())["exercises"] == ["2.1"] and aside.name in capsys.readouterr().out
    start_afresh()
    assert "Nothing was remembered" in capsys.readouterr().out


def test_what_is_put_aside_twice_in_a_second_is_kept_twice(learner, monkeypatch):
    monkeypatch.setattr("time.strftime", lambda _: "now")
    for name in ("2.1", "2.2", "2.3"):
        remember("exercises", name)
        start_afresh()
    kept = [json.loads(path.read_text())["exercises"] for path in learner.glob("progress (now*.json")]
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


def test_a_file_that_cannot_be_moved_stops_nobody(learner, monkeypatch, capsys):
    remember("goals", "2.A")

    monkeypatch.setattr("os.replace", refuse)
    monkeypatch.setattr("os.rename", refuse)
    remember("goals", "2.B")
    start_afresh()
    assert "could not be put aside" in capsys.readouterr().out
    assert names_in(learner) == [memory.COPIES, LOCK, memory.FILE], "something is left over"
