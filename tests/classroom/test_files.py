"""Nothing of anybody's is ever lost: not by a full disk, a killed process, or two that write at once."""

import errno
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from mlcore.classroom import files

ROOT = Path(__file__).resolve().parents[2]


def everything(folder):
    """{name: text} of all files in a folder, hidden ones included."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def refused(*_, **__):
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture(params=["links", "no links", "Windows"])
def any_disk(request, monkeypatch):
    """A disk that has hard links; one that has none, as memory sticks; and Windows, whose rename does not overwrite."""
    rename = os.rename

    def no_link(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def rename_to_what_is_free(old, new):
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, "File exists")
        rename(old, new)

    if request.param != "links":
        monkeypatch.setattr("os.link", no_link)
    if request.param == "Windows":
        monkeypatch.setattr(files, "WINDOWS", True)
        monkeypatch.setattr("os.rename", rename_to_what_is_free)


@pytest.fixture
def at_noon(monkeypatch):
    monkeypatch.setattr("time.strftime", lambda _: "2026-01-31 12.00.00")


MEET = """
import sys, time
from pathlib import Path
from mlcore.classroom import files
me, folder = int(sys.argv[1]), Path(sys.argv[2])
(folder.parent / "meeting" / f"ready {me}").touch()
while not (folder.parent / "meeting" / "go").exists():
    time.sleep(0.001)
"""


def run_together(code, folder, count):
    """Run a program in several processes that begin at the same moment; ``me`` is its number."""
    meeting = folder.parent / "meeting"
    meeting.mkdir(exist_ok=True)
    source = MEET + textwrap.dedent(code)
    command = [sys.executable, "-c", source]
    running = [
        subprocess.Popen([*command, str(me), str(folder)], env={**os.environ, "PYTHONPATH": str(ROOT)})
        for me in range(count)
    ]
    end = time.monotonic() + 60
    while len(list(meeting.iterdir())) < count and time.monotonic() < end:
        time.sleep(0.01)
    (meeting / "go").touch()
    assert [process.wait(120) for process in running] == [0] * count


# ---------------------------------------------------------------------------------------------------------------
# Aside
# ---------------------------------------------------------------------------------------------------------------
class TestPutAside:
    def test_what_is_put_aside_in_one_second_is_all_kept(self, tmp_path, at_noon, any_disk):
        for text in "abc":
            (tmp_path / "report.csv").write_text(text)
            files.put_aside(tmp_path / "report.csv")
        assert everything(tmp_path) == {
            "report (2026-01-31 12.00.00).csv": "a",
            "report (2026-01-31 12.00.00, 2).csv": "b",
            "report (2026-01-31 12.00.00, 3).csv": "c",
        }

    def test_the_new_name_is_returned_and_what_is_missing_is_an_error(self, tmp_path):
        (tmp_path / "a b.txt").write_text("x")
        assert files.put_aside(tmp_path / "a b.txt").read_text() == "x"
        with pytest.raises(FileNotFoundError):
            files.put_aside(tmp_path / "a b.txt")
        assert len(everything(tmp_path)) == 1, "a reserved name is left over"

    def test_a_folder_with_all_that_is_in_it(self, tmp_path, at_noon, any_disk):
        for text in "ab":
            (tmp_path / "x.ipynb").mkdir()
            (tmp_path / "x.ipynb" / "inside").write_text(text)
            files.put_aside(tmp_path / "x.ipynb")
        found = sorted((path.parent.name, path.read_text()) for path in tmp_path.rglob("inside"))
        assert found == [("x (2026-01-31 12.00.00).ipynb", "a"), ("x (2026-01-31 12.00.00, 2).ipynb", "b")]

    @pytest.mark.skipif(os.name == "nt", reason="links need a right of their own on Windows")
    @pytest.mark.parametrize("target", ["there", "nowhere"])
    def test_a_link_is_moved_and_not_what_it_points_to(self, tmp_path, target):
        (tmp_path / "there").write_text("x")
        (tmp_path / "link.txt").symlink_to(target)
        aside = files.put_aside(tmp_path / "link.txt")
        assert os.readlink(aside) == target and (tmp_path / "there").read_text() == "x"

    def test_a_name_that_is_as_long_as_names_may_be(self, tmp_path):
        name = "学" * 80 + ".ipynb"  # 246 bytes
        (tmp_path / name).write_text("x")
        aside = files.put_aside(tmp_path / name)
        assert aside.read_text() == "x" and aside.suffix == ".ipynb" and name.startswith(aside.name.split(" (")[0])
        files.write(tmp_path / name, "y")
        assert (tmp_path / name).read_text() == "y"

    @pytest.mark.parametrize("refuses", ["os.replace", "os.rename", "os.open"])
    def test_a_folder_that_cannot_be_written_to(self, tmp_path, monkeypatch, refuses):
        (tmp_path / "a.txt").write_text("x")
        monkeypatch.setattr("os.replace" if os.name != "nt" else "os.rename", refused)
        monkeypatch.setattr(refuses, refused)
        with pytest.raises(PermissionError):
            files.put_aside(tmp_path / "a.txt")
        assert everything(tmp_path) == {"a.txt": "x"}

    @pytest.mark.skipif(os.name == "nt", reason="Windows renames without a reservation")
    def test_an_error_of_a_disk_that_has_moved_it_after_all(self, tmp_path, monkeypatch):
        """As network disks do: the answer got lost, the second try finds nothing."""
        (tmp_path / "a.txt").write_text("work")
        replace = os.replace

        def moves_and_complains(*paths):
            replace(*paths)
            raise FileNotFoundError(errno.ENOENT, "gone")

        monkeypatch.setattr("os.replace", moves_and_complains)
        assert files.put_aside(tmp_path / "a.txt").read_text() == "work"

    def test_and_back(self, tmp_path, any_disk):
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "inside").write_text("x")
        (tmp_path / "a").write_text("x")
        for name in ("folder", "a"):
            assert files.put_back(files.put_aside(tmp_path / name), tmp_path / name)
        assert everything(tmp_path) == {"a": "x"} and everything(tmp_path / "folder") == {"inside": "x"}
        aside = files.put_aside(tmp_path / "a")
        (tmp_path / "a").write_text("y")
        assert not files.put_back(aside, tmp_path / "a")
        assert aside.read_text() == "x" and (tmp_path / "a").read_text() == "y"

    def test_at_once(self, tmp_path):
        """Five processes, each puts aside what it has saved under one name: all is there afterwards."""
        mine = tmp_path / "mine"
        mine.mkdir()
        run_together(
            """
            for k in range(20):
                while True:
                    try:
                        files.write_new(folder / "a.txt", f"{me} {k}")
                        break
                    except FileExistsError:
                        try:
                            files.put_aside(folder / "a.txt")
                        except FileNotFoundError:
                            pass
            """,
            mine, 5,
        )  # fmt: skip
        assert sorted(everything(mine).values()) == sorted(f"{me} {k}" for me in range(5) for k in range(20))


# ---------------------------------------------------------------------------------------------------------------
# Whole or not at all
# ---------------------------------------------------------------------------------------------------------------
class TestWrite:
    @pytest.mark.parametrize("content, held", [("é\r\n\n", "é\r\n\n".encode()), (b"\x00\xff", b"\x00\xff"), ("", b"")])
    def test_what_is_written_is_what_is_read(self, tmp_path, content, held):
        for write in (files.write, files.write, files.write_keeping):
            write(tmp_path / "a", content)
            assert (tmp_path / "a").read_bytes() == held
        assert [path.name for path in tmp_path.iterdir()] == ["a"]

    @pytest.mark.parametrize("at", ["os.open", "os.fsync", "os.replace"])
    def test_a_full_disk(self, tmp_path, monkeypatch, at):
        (tmp_path / "a").write_text("old")
        monkeypatch.setattr(at, no_space)
        with pytest.raises(OSError, match="No space"):
            files.write(tmp_path / "a", "new")
        assert everything(tmp_path) == {"a": "old"}

    def test_a_disk_that_cannot_sync_is_written_to(self, tmp_path, monkeypatch):
        def unknown(_):
            raise OSError(errno.EINVAL, "Invalid argument")

        monkeypatch.setattr("os.fsync", unknown)
        files.write(tmp_path / "a", "new")
        assert everything(tmp_path) == {"a": "new"}

    def test_a_file_marked_read_only_stays(self, tmp_path, monkeypatch):
        (tmp_path / "a").write_text("old")
        monkeypatch.setattr("os.access", lambda path, mode: False)  # to root everything is open
        with pytest.raises(PermissionError):
            files.write(tmp_path / "a", "new")
        assert everything(tmp_path) == {"a": "old"}

    @pytest.mark.skipif(os.name == "nt", reason="modes and links are another matter on Windows")
    def test_modes_and_links_stay(self, tmp_path):
        (tmp_path / "a").write_text("old")
        (tmp_path / "a").chmod(0o640)
        (tmp_path / "link").symlink_to("a")
        files.write(tmp_path / "link", "new")
        assert (tmp_path / "a").read_text() == "new" and (tmp_path / "link").is_symlink()
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
        files.write(tmp_path / "b", "new")
        (tmp_path / "c").write_text("as Python makes it")
        assert (tmp_path / "b").stat().st_mode == (tmp_path / "c").stat().st_mode

    def test_a_folder_of_that_name_stays(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "inside").write_text("x")
        for write in (files.write, files.write_new, files.write_keeping):
            with pytest.raises(OSError):
                write(tmp_path / "a", "new")
        assert everything(tmp_path / "a") == {"inside": "x"} and [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_file_that_somebody_reads_on_windows_is_moved_a_moment_later(tmp_path, monkeypatch):
    tries, waits, replace = [], [], os.replace

    def busy(old, new):
        tries.append(old)
        if len(tries) < 3:
            raise PermissionError(errno.EACCES, "The process cannot access the file")
        replace(old, new)

    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setattr("os.replace", busy)
    monkeypatch.setattr("time.sleep", waits.append)
    files.write(tmp_path / "a", "new")
    assert everything(tmp_path) == {"a": "new"} and len(waits) == 2
    monkeypatch.setattr("os.replace", refused)
    with pytest.raises(PermissionError):
        files.write(tmp_path / "a", "newer")
    assert everything(tmp_path) == {"a": "new"}


class TestWriteNew:
    def test_what_is_there_stays(self, tmp_path, any_disk):
        files.write_new(tmp_path / "a", "first")
        with pytest.raises(FileExistsError):
            files.write_new(tmp_path / "a", "second")
        assert everything(tmp_path) == {"a": "first"}

    def test_a_full_disk(self, tmp_path, any_disk, monkeypatch):
        monkeypatch.setattr("os.fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            files.write_new(tmp_path / "a", "new")
        assert everything(tmp_path) == {}

    @pytest.mark.skipif(os.name == "nt", reason="Windows renames")
    def test_a_disk_that_is_full_at_the_copy(self, tmp_path, monkeypatch):
        """Without hard links the file is written once more, and there is no room for that."""
        calls = []
        monkeypatch.setattr("os.link", refused)
        monkeypatch.setattr("os.fsync", lambda handle: calls.append(handle) or (no_space() if calls[1:] else None))
        with pytest.raises(OSError, match="No space"):
            files.write_new(tmp_path / "a", "new")
        assert everything(tmp_path) == {} and len(calls) == 2


class TestWriteKeeping:
    def test_the_older_is_put_aside_unless_it_is_the_same(self, tmp_path, at_noon, any_disk):
        path = tmp_path / "report.csv"
        assert files.write_keeping(path, "1") is None
        assert files.write_keeping(path, "1") is None
        assert files.write_keeping(path, "2").name == "report (2026-01-31 12.00.00).csv"
        assert files.write_keeping(path, "3").name == "report (2026-01-31 12.00.00, 2).csv"
        assert everything(tmp_path) == {
            "report.csv": "3", "report (2026-01-31 12.00.00).csv": "1", "report (2026-01-31 12.00.00, 2).csv": "2",
        }  # fmt: skip

    def test_a_full_disk(self, tmp_path, monkeypatch):
        (tmp_path / "a").write_text("old")
        monkeypatch.setattr("os.fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            files.write_keeping(tmp_path / "a", "new")
        assert everything(tmp_path) == {"a": "old"}

    def test_at_once(self, tmp_path):
        mine = tmp_path / "mine"
        mine.mkdir()
        run_together("for k in range(20): files.write_keeping(folder / 'a.csv', f'{me} {k}')", mine, 5)
        assert sorted(everything(mine).values()) == sorted(f"{me} {k}" for me in range(5) for k in range(20))


# ---------------------------------------------------------------------------------------------------------------
# One at a time
# ---------------------------------------------------------------------------------------------------------------
class TestLocked:
    COUNT_ON = """
        for k in range(20):
            with files.locked(folder / "count"):
                files.write(folder / "count", str(int((folder / "count").read_text()) + 1))
    """

    def test_processes_count_together(self, tmp_path):
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "count").write_text("0")
        run_together(self.COUNT_ON, mine, 5)
        assert (mine / "count").read_text() == "100"

    def test_threads_count_together(self, tmp_path, monkeypatch):
        """Also where the system's lock does not tell them apart."""
        monkeypatch.setattr(files, "fcntl", None)
        monkeypatch.setattr(files, "msvcrt", None)
        (tmp_path / "count").write_text("0")

        def count_on():
            for _ in range(10):
                with files.locked(tmp_path / "count"):
                    files.write(tmp_path / "count", str(int((tmp_path / "count").read_text()) + 1))

        threads = [threading.Thread(target=count_on) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (tmp_path / "count").read_text() == "50"

    def test_who_has_a_lock_takes_another(self, tmp_path):
        with files.locked(tmp_path / "a"), files.locked(tmp_path / "b", longest_wait=0.02):
            waiting = []

            def wait_for(name):
                try:
                    with files.locked(tmp_path / name, longest_wait=0.02):
                        raise AssertionError("two threads had a lock at once")
                except TimeoutError:
                    waiting.append(name)

            for name in "ab":
                thread = threading.Thread(target=wait_for, args=(name,))
                thread.start()
                thread.join()
        assert waiting == ["a", "b"]

    def test_the_lock_of_a_process_that_was_killed_is_free(self, tmp_path, monkeypatch):
        code = (
            "import os, sys; from mlcore.classroom import files\n"
            "with files.locked(sys.argv[1]):\n    print('mine', flush=True); sys.stdin.read()"
        )
        holder = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "a")], env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        with holder:
            assert holder.stdout.readline().strip() == b"mine"
            with pytest.raises(TimeoutError, match="another process is writing"):
                with files.locked(tmp_path / "a", longest_wait=0.02):
                    raise AssertionError("two had the lock at once")
            holder.kill()
            holder.wait()
            waits = []
            monkeypatch.setattr("time.sleep", waits.append)
            with files.locked(tmp_path / "a", longest_wait=60):
                assert waits == []

    def test_where_there_are_no_locks_the_work_is_done(self, tmp_path, monkeypatch):
        def none_left(*_):
            raise OSError(errno.ENOLCK, "No locks available")

        if files.fcntl:
            monkeypatch.setattr(files.fcntl, "flock", none_left)
        done = []
        with files.locked(tmp_path / "a"):
            done.append(1)
        with files.locked(tmp_path / "no such folder" / "a"):
            done.append(2)
        monkeypatch.setattr(files, "fcntl", None)
        monkeypatch.setattr(files, "msvcrt", None)
        with files.locked(tmp_path / "a"):
            done.append(3)
        assert done == [1, 2, 3]


# ---------------------------------------------------------------------------------------------------------------
# Killed
# ---------------------------------------------------------------------------------------------------------------
KILLED = """
import itertools, sys
from pathlib import Path
from mlcore.classroom import files
folder = Path(sys.argv[1])
for k in itertools.count(int(sys.argv[2])):
    text = f"{k} " * 20_000
    files.write(folder / "progress.json", text)
    files.write_keeping(folder / "report.csv", text)
    print("begun", flush=True)
"""


def check_killed(folder, first):
    """Kill a program that writes and puts aside, three times; each file is whole, and no report is missing."""
    expected = set()
    for k in range(first, first + 3):
        command = [sys.executable, "-c", KILLED, str(folder), str(1000 * k)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"begun" + os.linesep.encode()
            time.sleep(0.0037 * k)
            process.kill()
        held = {}
        for path in folder.glob("[!.]*"):
            parts = path.read_text().split(" ")
            assert len(set(parts[:-1])) <= 1 and len(parts) in (1, 20_001), f"half of a file: {path.name}"
            held[path.name] = parts[0]
        reports = {int(number) for name, number in held.items() if name.startswith("report") and number}
        expected |= set(range(1000 * k, int(held["progress.json"])))  # each is written after the progress of its number
        assert expected <= reports, "a report was lost"


def test_killed_while_it_writes(tmp_path):
    check_killed(tmp_path, 0)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 60, 3))
def test_killed_many_times_while_it_writes(tmp_path, first):
    check_killed(tmp_path, first)


def test_the_standard_library_alone():
    """tools/copies.py needs it before anything is installed."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from mlcore.classroom import files; assert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
