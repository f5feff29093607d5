"""make finds a Python, and the stages of the tests say how they went."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_house import ROOT, read
from tools import run_tests

posix_only = pytest.mark.skipif(os.name == "nt", reason="make and sh are not Windows' own; it has tools/setup_env.py")


@posix_only
def test_make_help_lists_every_target():
    phony = re.search(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE).group(1).split()
    command = ["make", "--no-print-directory"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE) == phony
    assert set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE)) == set(phony)


def fake_python(folder: Path, name: str, version: str | None) -> Path:
    """A program that answers like the Python of that version, as the finder asks; None: one that cannot run."""
    answer = "exit 127" if version is None else f"echo {version.replace('.', ' ')}"
    path = folder / name
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def find_python(folder: Path, **variables) -> subprocess.CompletedProcess:
    """Run the finder where nothing is on the PATH but what is in the folder."""
    environment = {"PATH": str(folder), **variables}
    return subprocess.run(
        ["/bin/sh", str(ROOT / "tools" / "find_python.sh")], cwd=folder, env=environment, capture_output=True, text=True
    )


def one_error_line(done: subprocess.CompletedProcess) -> str:
    """The one line that a failed command must have printed, and nothing else."""
    assert done.returncode != 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("error: "), done.stderr
    return lines[0]


@posix_only
class TestFindPython:
    def test_takes_the_first_that_is_new_enough(self, tmp_path):
        fake_python(tmp_path, "python3", "3.9")
        right = fake_python(tmp_path, "python", "3.11")
        fake_python(tmp_path, "python3.14", "3.14")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_skips_a_python_that_does_not_run(self, tmp_path):
        fake_python(tmp_path, "python3", None)
        right = fake_python(tmp_path, "python3.13", "3.13")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_python_4_is_not_older_than_3(self, tmp_path):
        right = fake_python(tmp_path, "python3", "4.0")
        assert find_python(tmp_path).stdout.strip() == str(right)

    def test_takes_the_one_that_is_named(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        right = fake_python(tmp_path, "my python", "3.13")
        assert find_python(tmp_path, PYTHON=str(right)).stdout.strip() == str(right)

    def test_takes_the_one_in_venv_first(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        (tmp_path / ".venv" / "bin").mkdir(parents=True)
        fake_python(tmp_path / ".venv" / "bin", "python", "3.11")
        assert find_python(tmp_path).stdout.strip() == ".venv/bin/python"

    def test_none_at_all(self, tmp_path):
        line = one_error_line(find_python(tmp_path))
        assert "no Python found" in line and "install Python 3.11 or newer" in line

    def test_all_too_old_names_the_newest(self, tmp_path):
        fake_python(tmp_path, "python3", "3.8")
        fake_python(tmp_path, "python", "2.7")
        line = one_error_line(find_python(tmp_path))
        assert f"Python 3.8 ({tmp_path}/python3) is too old" in line and "install Python 3.11 or newer" in line

    def test_named_one_too_old(self, tmp_path):
        fake_python(tmp_path, "python3", "3.12")
        old = fake_python(tmp_path, "old", "3.10")
        assert "Python 3.10" in one_error_line(find_python(tmp_path, PYTHON=str(old)))

    def test_named_one_missing(self, tmp_path):
        assert "PYTHON=nowhere cannot be run" in one_error_line(find_python(tmp_path, PYTHON="nowhere"))


# ---------------------------------------------------------------------------------------------------------------
# Stages of the tests
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "code, executed, chosen, word",
    [
        (0, 3, False, "passed"),
        (0, 0, False, "FAILED: no test was executed"),
        (5, 0, False, "FAILED"),
        (5, 0, True, "nothing chosen"),
        (1, 3, True, "FAILED"),
    ],
)
def test_a_stage_that_ran_nothing_has_failed(code, executed, chosen, word):
    assert run_tests.verdict(code, executed, chosen).startswith(word)


@pytest.mark.parametrize("stage, required, good", [("smoke", "", True), ("smoke", "1", False), ("browser", "", False)])
def test_without_a_browser_the_stage_says_so_loudly(stage, required, good, monkeypatch, capsys):
    monkeypatch.setattr(run_tests, "has_browser", lambda: False)
    monkeypatch.setenv("MLCORE_REQUIRE_BROWSER", required)
    line, is_good = run_tests.run_stage(stage, [])
    assert is_good is good
    assert "DID NOT RUN" in line and "!!!!!" in capsys.readouterr().out


def test_skipped_tests_do_not_count_as_executed(tmp_path):
    report = tmp_path / "report.xml"
    report.write_text('<testsuites><testsuite tests="5" skipped="2"/></testsuites>')
    assert run_tests.count_tests(report) == 3
    assert run_tests.count_tests(tmp_path / "missing.xml") == 0


@pytest.mark.slow
def test_the_stage_of_the_old_processor_runs_numbers_and_notebooks():
    """Collected, not run: what names or marks leave out by mistake would never be missed."""
    command = [sys.executable, "-m", "pytest", *run_tests.stage_arguments("oldest"), "--collect-only", "-q", "-n", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = {line.split("::")[0].partition(": ")[0] for line in done.stdout.splitlines() if "::" in line}
    assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} == {Path(f).name for f in found if "ipynb" in f}
    assert "tests/test_optimize.py" in found and not any(f.startswith("tests/tools") for f in found)


@pytest.mark.slow
def test_no_test_in_the_browser_is_lost_between_stages():
    def collected(arguments):
        command = [sys.executable, "-m", "pytest", *arguments, "--collect-only", "-q", "-p", "no:cacheprovider"]
        all_of_them = dict.fromkeys(["MLCORE_PAGES", "MLCORE_WALKED", "MLCORE_ELSEWHERE"], "")
        environment = {**run_tests.environment(), **all_of_them}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
        return [line for line in done.stdout.splitlines() if "::" in line]

    parts = [collected(run_tests.stage_arguments(stage)) for stage in ("chapters", "site", "browser")]
    assert all(len(part) > 20 for part in parts)
    assert sorted(sum(parts, [])) == sorted(collected(["tests/browser"]))


@pytest.mark.slow
def test_processes_share_the_tests_by_what_is_opened(tmp_path, monkeypatch, capfd):
    """Each test runs in one process; the tests of one notebook all in the same one."""
    (tmp_path / "conftest.py").write_text(
        "from tests.browser.conftest import *\nfrom tests.browser import conftest\nconftest.__file__ = __file__\n"
    )
    for name in ("one", "two"):  # one file may end in one process, and the next begin there
        (tmp_path / f"test_{name}.py").write_text(shared_tests(tmp_path))
    monkeypatch.setattr(run_tests, "stage_arguments", lambda stage: [str(tmp_path), "-p", "no:cacheprovider"])
    code, executed = run_tests.run_pytest("chapters", [])
    ran = [line.split() for line in (tmp_path / "ran.txt").read_text().splitlines()]
    assert (code, executed) == (0, 40), capfd.readouterr().out
    assert len({(file, notebook, n) for file, notebook, n, _ in ran}) == len(ran) == 40
    assert len({(file, notebook, process) for file, notebook, _, process in ran}) == 20
    assert len({process for *_, process in ran}) > 1


def shared_tests(folder):
    """A file of tests of ten notebooks, which note what ran and in which process."""
    return (
        "import os, time, pathlib, pytest\n"
        "@pytest.fixture(scope='module', params='abcdefghij')\n"
        "def notebook(request):\n    return request.param\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_one(notebook, n):\n"
        "    time.sleep(0.05)\n"
        f"    with open(pathlib.Path({str(folder)!r}) / 'ran.txt', 'a') as file:\n"
        "        file.write(f'{pathlib.Path(__file__).stem} {notebook} {n} {os.getpid()}\\n')\n"
    )
