"""my/: what nobody has worked in follows the course; what somebody has worked in, or nobody can read, stays."""

import errno
import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from mlcore.classroom import files
from tools import copies

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folders(tmp_path):
    course, mine = tmp_path / "notebooks", tmp_path / "my"
    course.mkdir()
    for name in ("01_one", "02_two"):
        write(course / f"{name}.ipynb", "1 + 1")
    return course, mine


def write(path, code, output=""):
    outputs = [new_output("stream", name="stdout", text=output)] if output else []
    nbformat.write(new_notebook(cells=[new_code_cell(code, outputs=outputs, id="a")]), path)


def everything(folder):
    """[bytes] of all that lies in a folder, hidden files of ours left out."""
    return sorted(path.read_bytes() for path in folder.glob("[!.]*") if path.is_file())


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


# ---------------------------------------------------------------------------------------------------------------
# The rule
# ---------------------------------------------------------------------------------------------------------------
def test_copies_are_made_once_and_follow_the_course(folders):
    course, mine = folders
    assert copies.update(course, mine) == (["01_one.ipynb", "02_two.ipynb"], [], {})
    assert copies.update(course, mine) == ([], [], {})
    write(course / "01_one.ipynb", "1 + 2")
    assert copies.update(course, mine) == ([], ["01_one.ipynb"], {})
    assert everything(mine) == everything(course), "something is left over, or is not the course's"


def test_a_copy_with_work_in_it_is_kept_and_one_that_only_ran_is_not(folders, capsys):
    course, mine = folders
    copies.update(course, mine)
    write(mine / "01_one.ipynb", "my = 'work'")
    write(mine / "02_two.ipynb", "1 + 1", "2")
    for name in ("01_one", "02_two"):
        write(course / f"{name}.ipynb", "1 + 3")
    made, replaced, kept = copies.update(course, mine)
    assert (made, replaced, list(kept)) == ([], ["02_two.ipynb"], ["01_one.ipynb"])
    assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8")
    copies.say_what_was_kept(kept)
    assert "my/01_one.ipynb was kept, for you" in (said := capsys.readouterr().out) and "make reset CHAPTER=1" in said


def test_a_fresh_copy_puts_the_old_one_aside(folders):
    course, mine = folders
    copies.update(course, mine)
    write(mine / "01_one.ipynb", "my = 'work'")
    aside, fresh = copies.reset("1", course, mine)
    assert "work" in (mine / aside).read_text(encoding="utf-8") and fresh == "01_one.ipynb"
    assert (mine / fresh).read_bytes() == (course / fresh).read_bytes()
    assert copies.update(course, mine) == ([], [], {})
    for odd in ("7", "two", "../x", "²"):
        with pytest.raises(ValueError, match="there is no chapter"):
            copies.reset(odd, course, mine)
    with pytest.raises(ValueError, match="which chapter"):
        copies.reset("", course, mine)


def test_a_chapter_that_has_no_copy_yet_is_made(folders):
    course, mine = folders
    assert copies.reset("2", course, mine) == (None, "02_two.ipynb")
    assert [path.name for path in mine.glob("[!.]*")] == ["02_two.ipynb"]
    assert (mine / "02_two.ipynb").read_bytes() == (course / "02_two.ipynb").read_bytes()


def test_hidden_files_of_the_course_are_no_chapters(folders):
    """A Macintosh leaves ._01_one.ipynb on a memory stick."""
    course, mine = folders
    (course / "._01_one.ipynb").write_bytes(b"\x00\x05\x16\x07")
    (course / "source.ipynb").mkdir()
    assert copies.update(course, mine)[0] == ["01_one.ipynb", "02_two.ipynb"]


# ---------------------------------------------------------------------------------------------------------------
# What is broken
# ---------------------------------------------------------------------------------------------------------------
DEEP = "[" * 200_000
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": "work"}]}'
BROKEN = {
    "empty": b"",
    "no JSON": b"my work",
    "cut off": NOTEBOOK[:30].encode(),
    "binary": bytes(range(256)),
    "a list": b"[1]",
    "a number": b"3",
    "null": b"null",
    "no cells": b'{"nbformat": 4}',
    "cells of a number": b'{"cells": 3}',
    "cells that are none": b'{"cells": [1, "x", null]}',
    "a cell without source": b'{"cells": [{"cell_type": "code"}]}',
    "a source of a number": b'{"cells": [{"cell_type": "code", "source": 3}]}',
    "a source of numbers": b'{"cells": [{"cell_type": "code", "source": [3]}]}',
    "deep": DEEP.encode(),
    "deep cells": ('{"cells": ' + DEEP).encode(),
    "a mark at its head": b"\xef\xbb\xbf" + NOTEBOOK.encode(),
    "UTF-16": NOTEBOOK.encode("utf-16"),
    "Latin-1": NOTEBOOK.replace("work", "Übung").encode("latin-1"),
    "a number of 5000 digits": b'{"cells": ' + b"9" * 5000 + b"}",
    "two that were joined": NOTEBOOK.encode() * 2,
    "marks of a conflict": b"<<<<<<< HEAD\n" + NOTEBOOK.encode() + b"\n=======\n{}\n>>>>>>> theirs\n",
}


@pytest.mark.parametrize("course_is_newer", [True, False])
@pytest.mark.parametrize("record", ["kept", "lost"])
@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_copy_that_cannot_be_read_is_kept_and_named(folders, capsys, content, record, course_is_newer):
    course, mine = folders
    copies.update(course, mine)
    (mine / "01_one.ipynb").write_bytes(content)
    if record == "lost":
        (mine / copies.RECORD).unlink()
    if course_is_newer:
        write(course / "01_one.ipynb", "1 + 3")
    for _ in range(2):
        _, _, kept = copies.update(course, mine)
        assert kept == {"01_one.ipynb": copies.BROKEN}
        assert (mine / "01_one.ipynb").read_bytes() == content
    copies.say_what_was_kept(kept)
    said = capsys.readouterr().out
    assert said.startswith("my/01_one.ipynb was kept as it is, but") and said.count("\n") == 1
    aside, _ = copies.reset("1", course, mine)
    assert (mine / aside).read_bytes() == content and copies.update(course, mine) == ([], [], {})


def test_a_copy_that_jupyterlab_was_saving_when_it_was_killed(folders, capsys):
    """Its last whole version lies beside it under a hidden name: JupyterLab brings it back, and a reset keeps both."""
    course, mine = folders
    copies.update(course, mine)
    (mine / "01_one.ipynb").write_text('{"cells": [{"cell')
    write(mine / ".~01_one.ipynb", "my = 'work'")
    kept = copies.update(course, mine)[2]
    assert kept == {"01_one.ipynb": copies.HALF}
    copies.say_what_was_kept(kept)
    assert "only half saved: open it" in capsys.readouterr().out
    copies.reset("1", course, mine)
    assert copies.update(course, mine) == ([], [], {})
    held = b"".join(path.read_bytes() for path in mine.glob("01_one (*.ipynb"))
    assert b"my = 'work'" in held and b'{"cells": [{"cell' in held and not (mine / ".~01_one.ipynb").exists()


def test_a_folder_in_place_of_a_copy(folders):
    course, mine = folders
    (mine / "01_one.ipynb").mkdir(parents=True)
    (mine / "01_one.ipynb" / "inside").write_text("work")
    assert copies.update(course, mine) == (["02_two.ipynb"], [], {"01_one.ipynb": copies.BROKEN})
    aside, _ = copies.reset("1", course, mine)
    assert (mine / aside / "inside").read_text() == "work"


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own on Windows")
@pytest.mark.parametrize("target, why", [("elsewhere.ipynb", copies.CHANGED), ("nowhere.ipynb", copies.BROKEN)])
def test_a_link_in_place_of_a_copy(folders, target, why):
    """To a notebook that nobody has worked in, or to nothing: neither it nor its target is touched."""
    course, mine = folders
    mine.mkdir()
    write(mine.parent / "elsewhere.ipynb", "1 + 1", "2")
    before = (mine.parent / "elsewhere.ipynb").read_bytes()
    (mine / "01_one.ipynb").symlink_to(mine.parent / target)
    assert copies.update(course, mine) == (["02_two.ipynb"], [], {"01_one.ipynb": why})
    aside, _ = copies.reset("1", course, mine)
    assert os.readlink(mine / aside) == str(mine.parent / target) and not (mine / "01_one.ipynb").is_symlink()
    assert (mine.parent / "elsewhere.ipynb").read_bytes() == before
    assert not (mine.parent / "nowhere.ipynb").exists()


def test_a_copy_that_may_not_be_read(folders, monkeypatch):
    course, mine = folders
    copies.update(course, mine)
    write(course / "01_one.ipynb", "1 + 3")
    plain_open = open

    def closed(path, *rest, **options):
        if Path(path) == mine / "01_one.ipynb":
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain_open(path, *rest, **options)

    monkeypatch.setattr("builtins.open", closed)
    assert copies.update(course, mine)[2] == {"01_one.ipynb": copies.BROKEN}


RECORDS = [
    b"", b"{", b"[1]", b'"x"', b"3", b"null", b"\xff\x00", b"\xef\xbb\xbf{}", DEEP.encode(), None,
    *(json.dumps({"01_one.ipynb": was}).encode() for was in (["x"], "x", [], {"name": 3}, [1, 2], ["a", None],
                                                             ["a", ["b"]], ["a", "b", "c"], None, True)),
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: repr(record)[:40])
@pytest.mark.parametrize("course_is_newer", [True, False])
def test_a_broken_record_loses_no_work(folders, record, course_is_newer):
    course, mine = folders
    copies.update(course, mine)
    write(mine / "01_one.ipynb", "my = 'work'")
    if course_is_newer:
        write(course / "01_one.ipynb", "1 + 3")
    kept_record = mine / copies.RECORD
    kept_record.unlink() if record is None else kept_record.write_bytes(record)
    assert copies.update(course, mine)[2] == {"01_one.ipynb": copies.CHANGED}
    assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8")
    assert "02_two.ipynb" in json.loads(kept_record.read_text(encoding="utf-8"))


def test_a_folder_in_place_of_the_record(folders):
    course, mine = folders
    copies.update(course, mine)
    (mine / copies.RECORD).unlink()
    (mine / copies.RECORD).mkdir()
    (mine / copies.RECORD / "inside").write_text("x")
    write(mine / "01_one.ipynb", "my = 'work'")
    assert copies.update(course, mine)[2] == {"01_one.ipynb": copies.CHANGED}
    assert (mine / copies.RECORD).is_file() and [path.read_text() for path in mine.rglob("inside")] == ["x"]


# ---------------------------------------------------------------------------------------------------------------
# Whole or not at all
# ---------------------------------------------------------------------------------------------------------------
def test_two_resets_in_one_second_keep_both(folders, monkeypatch):
    course, mine = folders
    monkeypatch.setattr("time.strftime", lambda _: "2026-01-31 12.00.00")
    copies.update(course, mine)
    for code in ("first = 1", "second = 2"):
        write(mine / "02_two.ipynb", code)
        copies.reset("2", course, mine)
    held = b"".join(everything(mine))
    assert b"first = 1" in held and b"second = 2" in held


@pytest.mark.parametrize("at", ["os.open", "os.fsync"])
@pytest.mark.parametrize("act", ["update", "reset"])
def test_a_full_disk(folders, monkeypatch, capsys, at, act):
    """All stands where it stood, and what is said names the disk."""
    course, mine = folders
    copies.update(course, mine)
    write(mine / "01_one.ipynb", "my = 'work'")
    for name in ("01_one", "02_two"):
        write(course / f"{name}.ipynb", "1 + 3")
    before = {path.name: path.read_bytes() for path in mine.glob("[!.]*")}
    with monkeypatch.context() as patched:
        patched.setattr(at, no_space)
        patched.setattr(copies, "COURSE", course)
        patched.setattr(copies, "MINE", mine)
        patched.setattr(copies.update, "__defaults__", (course, mine))
        patched.setattr(copies.reset, "__defaults__", (course, mine))
        patched.setattr(sys, "argv", ["copies.py", *(["--reset", "1"] if act == "reset" else [])])
        assert copies.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1 and "make room on the disk" in said
    assert {path.name: path.read_bytes() for path in mine.glob("[!.]*")} == before


def test_a_record_that_cannot_be_written_after_a_reset(folders, monkeypatch):
    """The fresh copy is there already: so it is said where the learner's is."""
    course, mine = folders
    copies.update(course, mine)
    write(mine / "01_one.ipynb", "my = 'work'")
    monkeypatch.setattr(copies, "write_record", no_space)
    with pytest.raises(OSError) as caught:
        copies.reset("1", course, mine)
    (aside,) = mine.glob("01_one (*.ipynb")
    assert "work" in aside.read_text(encoding="utf-8") and aside.name in copies.trouble(caught.value)


def test_a_learner_who_saves_while_the_course_is_updated_keeps_it(folders, monkeypatch):
    """Between the look at a copy and its replacement: the copy that was looked at is not the one that is there."""
    course, mine = folders
    copies.update(course, mine)
    write(course / "01_one.ipynb", "1 + 3")
    put_aside = files.put_aside

    def saves_first(path):
        write(path, "my = 'work'")
        return put_aside(path)

    monkeypatch.setattr(files, "put_aside", saves_first)
    assert copies.update(course, mine) == ([], [], {"01_one.ipynb": copies.CHANGED})
    assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8") and len(everything(mine)) == 2


def test_a_learner_who_saves_while_a_fresh_copy_is_brought_keeps_it(folders, monkeypatch):
    course, mine = folders
    copies.update(course, mine)
    write(course / "01_one.ipynb", "1 + 3")
    put_aside = files.put_aside

    def saves_then(path):
        aside = put_aside(path)
        write(path, "my = 'work'")
        return aside

    monkeypatch.setattr(files, "put_aside", saves_then)
    assert copies.update(course, mine) == ([], [], {"01_one.ipynb": copies.CHANGED})
    assert "work" in (mine / "01_one.ipynb").read_text(encoding="utf-8")


# ---------------------------------------------------------------------------------------------------------------
# Other processes
# ---------------------------------------------------------------------------------------------------------------
def start(code, *arguments):
    command = [sys.executable, "-c", "from tools import copies\n" + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)


def test_resets_at_once_lose_nothing(folders):
    course, mine = folders
    write(course / "02_two.ipynb", "1 + 1")
    code = """
        import sys
        course, mine, me = sys.argv[1:]
        for k in range(10):
            copies.files.write_keeping(mine + "/02_two.ipynb", f"work {me}-{k}")
            copies.reset("2", course, mine)
            copies.update(course, mine)
    """
    copies.update(course, mine)
    running = [start(code, course, mine, me) for me in range(5)]
    for process in running:
        process.communicate(timeout=120)
    assert [process.returncode for process in running] == [0] * 5
    held = everything(mine)
    assert [f"work {me}-{k}".encode() for me in range(5) for k in range(10)] == [
        content for content in held if content.startswith(b"work")
    ]
    assert (mine / "02_two.ipynb").read_bytes() == (course / "02_two.ipynb").read_bytes()


UPDATES = """
import itertools, sys
course, mine = sys.argv[1:]
for k in itertools.count():
    copies.reset("2", course, mine) if k % 3 else copies.update(course, mine)
    print("begun", flush=True)
"""


def check_killed(folders, first):
    """Kill what updates and resets; whatever is there is whole, and the learner's work is there."""
    course, mine = folders
    long = "# " + "long " * 40_000
    for name in ("01_one", "02_two"):
        write(course / f"{name}.ipynb", long)
    whole = {copies.texts(course / "01_one.ipynb")}
    copies.update(course, mine)
    for k in range(first, first + 3):
        write(mine / "02_two.ipynb", f"work = {k}")
        whole.add(copies.texts(mine / "02_two.ipynb"))
        write(course / "01_one.ipynb", f"# {k}\n{long}")
        whole.add(copies.texts(course / "01_one.ipynb"))
        with start(UPDATES, course, mine) as process:
            assert process.stdout.readline().strip() == b"begun"
            time.sleep(0.0037 * k)
            process.kill()
        held = {path.name: copies.texts(path) for path in mine.glob("[!.]*") if path.stat().st_size}
        assert set(held.values()) <= whole, "half of a notebook"
        works = [path for path in mine.glob("02_two*") if f"work = {k}" in path.read_text(encoding="utf-8")]
        assert works, "the learner's work is gone"
        assert copies.update(course, mine)[2] in ({}, {"02_two.ipynb": copies.CHANGED})


def test_killed_while_it_updates(folders):
    check_killed(folders, 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 60, 3))
def test_killed_many_times_while_it_updates(folders, first):
    check_killed(folders, first)
