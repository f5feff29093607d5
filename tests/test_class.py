"""What a teacher hands out holds all that is needed and no solution; what comes back is run apart and reported."""

import csv
import inspect
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import traceback
import urllib.request
import zipfile
from pathlib import Path

import nbformat
import pytest
from IPython.core.ultratb import VerboseTB
from nbformat.v4 import new_code_cell, new_notebook

from mlcore import exercises
from mlcore.course import CHAPTERS
from mlcore.exercises import sealed
from tools import handout, make_class, make_student, report, slides

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
            "import sys; sys.path[:0] = ['tools', '.']; import copies, lab, setup_env, mlcore.boosting, mlcore.viz\n"
            "assert mlcore.__file__.startswith(setup_env.ROOT), mlcore.__file__\n"
            "print(len(copies.update()[0]), setup_env.fingerprint('lab')[:2] != '')"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=unpacked, capture_output=True, text=True)
        assert done.stdout.split() == [str(len(list((ROOT / "notebooks").glob("*.ipynb")))), "True"], done.stderr

    def test_the_same_course_gives_the_same_file(self, tmp_path):
        for name in ("a.zip", "b.zip"):
            make_class.write(tmp_path / name)
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


    def test_make_help_lists_what_works_there(self, unpacked):
        text = (unpacked / "Makefile").read_text(encoding="utf-8")
        targets = re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE)
        assert targets == ["help", "lab", "reset"] == re.search(r"\.PHONY: (.*)", text)[1].split()
        assert all((unpacked / name).exists() for name in re.findall(r"tools/\w+\.\w+", text))
        if make := shutil.which("make"):
            shown = subprocess.run([make, "help"], cwd=unpacked, capture_output=True, text=True).stdout
            assert re.findall(r"^  ([a-z-]+) ", shown, re.MULTILINE) == targets
            assert "test" not in shown and "student" not in shown

    def test_the_makefile_keeps_what_the_archive_can_run(self):
        text = "# c\n.PHONY: help a b c\n\nhelp:  ## h\n\t@x\n\na:  ## A\n\t@tools/a.py && \\\n\ttools/b.sh\n\n"
        text += "b: ## B\n\t@tools/b.sh tools/other.py\n\nc:\n\t@rm x\n"
        kept = make_class.makefile(text, ["tools/a.py", "tools/b.sh"])
        assert re.findall(r"^(\w+):", kept, re.MULTILINE) == ["help", "a"] and ".PHONY: help a\n" in kept
        assert "#" not in kept.replace("## ", "")

    def test_speaks_to_students(self, unpacked):
        text = (unpacked / "README.md").read_text(encoding="utf-8")
        assert (unpacked / "START_HERE.txt").read_text(encoding="utf-8") == text
        assert "tools/lab.py" in text and "my/" in text and "make class" not in text
        assert not any((unpacked / name).exists() for name in ("tests", "TEACHING.md", "notebooks/source"))

    def test_the_lab_opens_from_it(self, unpacked, tmp_path):
        """python tools/lab.py serves the copies that it made, which hold no solution."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        folders = {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
        environment = {**os.environ, **folders, "PYTHONPATH": str(unpacked), "BROWSER": "true"}
        environment.pop("DISPLAY", None)
        with open(tmp_path / "said", "w+", encoding="utf-8") as said:
            command = [sys.executable, "tools/lab.py", "--here", "--port", str(port)]
            server = subprocess.Popen(command, cwd=unpacked, env=environment, stdout=said, stderr=subprocess.STDOUT)
            try:
                told = Path(said.name)
                token = _wait_for(lambda: re.search(r"token=(\w+)", told.read_text(encoding="utf-8")), server)[1]
                address = f"http://127.0.0.1:{port}/api/contents/02_linear_regression.ipynb?token={token}"
                with urllib.request.urlopen(address, timeout=20) as answer:
                    served = json.load(answer)["content"]
            finally:
                server.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
                server.wait(timeout=60)
        assert len(served["cells"]) > 50
        assert not any("# Solution" in "".join(cell["source"]) for cell in served["cells"])
        assert (unpacked / "my" / "02_linear_regression.ipynb").exists()


def _wait_for(found, server, seconds=120):
    """What ``found`` gives once it gives something, while the server runs."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert server.poll() is None and time.monotonic() < end, "the server did not come up"
        time.sleep(0.2)
    return value


WITH_GRADERS = [chapter for chapter in CHAPTERS if (ROOT / f"mlcore/exercises/{chapter.name}.py").exists()]
GRADERS = [ROOT / f"mlcore/exercises/{chapter.name}.py" for chapter in WITH_GRADERS]


@pytest.fixture
def sealed_graders(monkeypatch):
    """Run the sealed graders of a chapter, in place of its open ones; give (open exercise, sealed exercise)."""

    def run_sealed(chapter):
        known = {entry.id: entry for entry in exercises.exercises_of(chapter.number)}
        monkeypatch.setattr(exercises, "_REGISTRY", {})
        text = make_class.content_of(ROOT / "mlcore" / "exercises" / f"{chapter.name}.py").decode()
        exec(compile(text, "sealed", "exec"), {"__name__": f"mlcore.exercises.{chapter.name}"})
        assert list(exercises._REGISTRY) == list(known)
        return [(known[id], entry) for id, entry in exercises._REGISTRY.items()]

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

    def test_nothing_shows_them_by_accident(self, sealed_graders):
        def stopped(*_):
            raise KeyboardInterrupt  # which no grader catches

        _, entry = sealed_graders(WITH_GRADERS[2])[1]
        assert entry.id == "2.2" and entry.check.__doc__ is None
        with pytest.raises(OSError):
            inspect.getsource(entry.check)
        try:
            entry.check(stopped)
        except KeyboardInterrupt:
            shown = traceback.format_exc() + re.sub(r"\x1b\[[0-9;]*m", "", VerboseTB().text(*sys.exc_info()))
        source = (ROOT / "mlcore" / "exercises" / "linear_regression.py").read_text(encoding="utf-8")
        lines = {line.strip() for line in source.splitlines() if len(line.strip()) >= 12}
        assert "ridge_weights" in shown and not [line for line in lines if line in shown]

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


class TestWhereNothingCanBeWritten:
    """A folder that cannot be written to is one line, not a traceback."""

    @pytest.fixture
    def nowhere(self, tmp_path):
        (tmp_path / "file").write_text("no folder", encoding="utf-8")
        return tmp_path / "file" / "inside"

    def said(self, tool, monkeypatch, capsys, *arguments):
        monkeypatch.setattr(sys, "argv", ["tool.py", *arguments])
        assert tool.main() == 1
        told = capsys.readouterr().err
        assert told.startswith("error: cannot write ") and told.count("\n") == 1 and "inside" in told

    def test_class(self, nowhere, monkeypatch, capsys):
        monkeypatch.setattr(make_class, "members", lambda: iter([("a", b"")]))
        self.said(make_class, monkeypatch, capsys, "--to", str(nowhere / "class.zip"))

    def test_student(self, nowhere, monkeypatch, capsys):
        monkeypatch.setattr(make_student, "STUDENT", nowhere)
        self.said(make_student, monkeypatch, capsys)

    @pytest.mark.parametrize("tool", [handout, slides], ids=["handout", "slides"])
    def test_pages(self, tool, nowhere, monkeypatch, capsys):
        monkeypatch.setattr(tool, "ROOT", nowhere)
        self.said(tool, monkeypatch, capsys, "00")

    def test_a_failed_archive_leaves_the_old_one(self, tmp_path, monkeypatch):
        def breaks(*_):
            raise OSError(28, "No space left on device")

        (tmp_path / "class.zip").write_bytes(b"the old one")
        monkeypatch.setattr(make_class, "members", lambda: iter([("a", b"a")]))
        monkeypatch.setattr(zipfile.ZipFile, "writestr", breaks)
        with pytest.raises(OSError, match="No space left"):
            make_class.write(tmp_path / "class.zip")
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"the old one"]


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
