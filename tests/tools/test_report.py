"""The report: every file that is handed in is somebody's, or listed; what runs, runs apart and as in a notebook."""

import csv
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mlcore.course import CHAPTERS
from mlcore.exercises import exercises_of
from tests.classroom import test_memory as memory_files
from tools import report
from tools.grading import names, roster, running, submissions

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GRADE = "from mlcore.exercises import grade\n"


def notebook(*cells):
    """A notebook's text, of code cells."""
    return nbformat.writes(new_notebook(cells=[new_code_cell(cell) for cell in cells]))


def hand_in(path, *cells, age=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(notebook(*cells), encoding="utf-8")
    os.utime(path, (1_800_000_000 - age, 1_800_000_000 - age))


def refusing(function, word):
    """The function, which may not be called for a path that holds a word."""

    def called(path, *args):
        if word in Path(path).parts:
            raise PermissionError(errno.EACCES, "not yours", str(path))
        return function(path, *args)

    return called


def collected(folder, people=None):
    """{(student, chapter's number): path} of what is taken, {path: reason} of what is not."""
    taken, _, left = submissions.collect(folder, people)
    return {(one.student, one.chapter.number): one.where for one in taken}, {one.where: one.why for one in left}


# ---------------------------------------------------------------------------------------------------------------
# Names
# ---------------------------------------------------------------------------------------------------------------
# What platforms, browsers, systems and people make of 02_linear_regression.ipynb, and whose it is.
NAMES = {
    "Copy of 02_linear_regression (1).ipynb": "",
    "li/Copy of 02_linear_regression (1).ipynb": "li",
    "02_linear_regression-LiLei.ipynb": "LiLei",
    "zhao/linear_regression.ipynb": "zhao",
    "li_wei_02_linear_regression.ipynb": "li_wei",
    "class_01_li_02_linear_regression.ipynb": "class_01_li",
    "li_23_wei_02_linear_regression.ipynb": "li_23_wei",
    "2021001_02_linear_regression.ipynb": "2021001",
    "2021001/02_linear_regression.ipynb": "2021001",
    "Student 01/02_linear_regression.ipynb": "Student 01",
    "submission_12345/02_linear_regression.ipynb": "submission_12345",
    "li/02_linear_regression_old.ipynb": "li",
    "li_hw2_02_linear_regression_final_v2.ipynb": "li",
    "li_02_linear_regression_wei.ipynb": "li_wei",
    "li wei 02 linear regression.ipynb": "li wei",
    "02-linear-regression-li.ipynb": "li",
    "nguyen_my_02_linear_regression.ipynb": "nguyen_my",
    "boosting_fan_02_linear_regression.ipynb": "boosting_fan",
    # learning platforms
    "Li Lei_12345_assignsubmission_file_/02_linear_regression.ipynb": "Li Lei_12345",
    "Li Lei_12345_assignsubmission_file_02_linear_regression.ipynb": "Li Lei_12345",
    "lilei_LATE_12345_678910_02_linear_regression-1.ipynb": "lilei_12345",
    "lilei_12345_678910_homework.zip/02_linear_regression.ipynb": "lilei_12345",
    "Assignment_lilei_attempt_2026-11-01-10-11-12_02_linear_regression.ipynb": "lilei",
    "12345-678910 - Li Lei - Nov 1, 2026 1011 AM/02_linear_regression.ipynb": "Li Lei_12345-678910",
    "12345-678910 - Li Lei - Nov 1, 2026 1011 AM - 02_linear_regression.ipynb": "Li Lei_12345-678910",
    "Li Lei - 02_linear_regression.ipynb": "Li Lei",
    "submitted/li/homework 1/02_linear_regression.ipynb": "li",
    "li/02_linear_regression/02_linear_regression.ipynb": "li",
    "02_linear_regression/li_wei.ipynb": "li_wei",
    "week 1/li_wei_02_linear_regression.ipynb": "li_wei",
    "zhang/week 1/02_linear_regression.ipynb": "zhang",
    "li.zip/machine-learning/my/02_linear_regression.ipynb": "li",
    # browsers and systems
    "li/02_linear_regression - Copy (2).ipynb": "li",
    "li/02_linear_regression copy 2.ipynb": "li",
    "li/02_linear_regression-Copy1.ipynb": "li",
    "li/02_linear_regression.ipynb.txt": "li",
    "li/02_linear_regression.ipynb.json": "li",
    "li/02_LINEAR_REGRESSION.IPYNB": "li",
    "li/02_linear_regression (2026-11-01 10.11.12, 2).ipynb": "li",
    # Chinese, and names with accents in one character or in two
    "李雷/02_linear_regression - 副本.ipynb": "李雷",
    "李雷02_linear_regression.ipynb": "李雷",
    "2021001-李雷-02_linear_regression(1).ipynb": "2021001-李雷",
    "02_linear_regression(李雷).ipynb": "李雷",
    "“02_linear_regression.ipynb”的副本": "",
    unicodedata.normalize("NFD", "Müller_02_linear_regression.ipynb"): unicodedata.normalize("NFC", "Müller"),
}


class TestNames:
    @pytest.mark.parametrize("where, student", NAMES.items())
    def test_student_and_chapter(self, where, student):
        said = names.parse(where)
        assert said.chapter.number == 2
        assert "".join(str(name) for name in said.names[:1]) == student

    @pytest.mark.parametrize("where", ["27_my_notes.ipynb", "li_02_linear_regression_03_logistic_regression.ipynb",
                                       "collinear_regressions.ipynb"])  # fmt: skip
    def test_a_name_that_does_not_say_which_chapter(self, where):
        assert names.parse(where).chapter is None

    def test_every_chapter_is_found_by_its_name_with_and_without_its_number(self):
        for chapter in CHAPTERS:
            for name in (chapter.notebook, f"{chapter.name}.ipynb", f"{chapter.name} li.ipynb"):
                assert names.parse(f"zhao/{name}").chapter == chapter

    @pytest.mark.parametrize("where", [where for where in NAMES if NAMES[where]])
    def test_each_is_taken_as_somebody_s(self, where, tmp_path):
        if ".zip/" not in where:
            hand_in(tmp_path / where, "1")
            ((student, chapter),), left = collected(tmp_path)
            shown = unicodedata.normalize("NFC", student)
            assert chapter == 2 and left == {} and NAMES[where].startswith(shown) and shown


class TestCollect:
    def test_a_notebook_without_a_chapter_in_its_name_is_known_by_its_exercises_or_its_heading(self, tmp_path):
        hand_in(tmp_path / "lilei.ipynb", GRADE + "grade('2.1', ...)", "grade( \"2.3\", 1)")
        heading = new_markdown_cell("# 5. Linear discriminant analysis · 线性判别分析\n\n**You will** …")
        (tmp_path / "zhao.ipynb").write_text(nbformat.writes(new_notebook(cells=[heading])), encoding="utf-8")
        hand_in(tmp_path / "sheet_wang.ipynb", "grade('2.1', 1)", "grade('7.1', 1)")
        taken, left = collected(tmp_path)
        assert taken == {
            ("lilei", 2): "lilei.ipynb", ("zhao", 5): "zhao.ipynb",
            ("sheet_wang", 2): "sheet_wang.ipynb", ("sheet_wang", 7): "sheet_wang.ipynb",
        }  # fmt: skip
        assert left == {}

    def test_exercises_count_for_more_than_a_wrong_name(self, tmp_path):
        hand_in(tmp_path / "li" / "02_linear_regression.ipynb", "grade('3.1', 1)")
        (one,), *_ = submissions.collect(tmp_path)
        assert one.chapter.number == 3 and "its name says chapter 2" in one.note

    def test_what_is_not_taken_is_listed_and_what_nobody_handed_in_is_not(self, tmp_path):
        hand_in(tmp_path / "li" / "02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "li" / "27_my_notes.ipynb", "1")
        hand_in(tmp_path / "li" / ".ipynb_checkpoints" / "03_logistic_regression-checkpoint.ipynb", "1")
        hand_in(tmp_path / "__MACOSX" / "li" / "._02_linear_regression.ipynb", "1")
        others = {"a.pdf": "x", "b_02_linear_regression.ipynb": "no notebook", "03_logistic_regression.ipynb": "",
                  "table.json": "{}", "c.rar": "x", "d.zip": "x"}  # fmt: skip
        for name, content in others.items():
            (tmp_path / "li" / name).write_text(content, encoding="utf-8")
        taken, left = collected(tmp_path)
        assert taken == {("li", 2): "li/02_linear_regression.ipynb"}
        assert {where: why.split(":")[0] for where, why in left.items()} == {
            "li/27_my_notes.ipynb": "no chapter of the course", "li/a.pdf": "not a notebook",
            "li/b_02_linear_regression.ipynb": "not a notebook that can be read", "li/table.json": "not a notebook",
            "li/03_logistic_regression.ipynb": "empty", "li/c.rar": "packed in a way that is not read here",
            "li/d.zip": "a zip that cannot be read",
        }  # fmt: skip

    def test_of_two_the_exact_name_then_the_newest(self, tmp_path):
        hand_in(tmp_path / "li" / "02_linear_regression_old.ipynb", "1", age=0)
        hand_in(tmp_path / "li" / "02_linear_regression.ipynb", "1", age=100)
        hand_in(tmp_path / "li" / "02_linear_regression_tuesday.ipynb", "1", age=0)
        hand_in(tmp_path / "li" / "03_logistic_regression (1).ipynb", "1", age=0)
        hand_in(tmp_path / "li" / "03_logistic_regression (2).ipynb", "1", age=100)
        hand_in(tmp_path / "li" / "04_generalized_linear_models (2026-11-01 10.11.12).ipynb", "1", age=0)
        hand_in(tmp_path / "li" / "04_generalized_linear_models (2026-11-02 10.11.12).ipynb", "1", age=100)
        hand_in(tmp_path / "zhao" / "machine-learning" / "my" / "02_linear_regression.ipynb", "1", age=100)
        hand_in(tmp_path / "zhao" / "machine-learning" / "notebooks" / "02_linear_regression.ipynb", "1", age=0)
        taken, left = collected(tmp_path)
        assert taken == {
            ("li", 2): "li/02_linear_regression.ipynb", ("li", 3): "li/03_logistic_regression (1).ipynb",
            ("li", 4): "li/04_generalized_linear_models (2026-11-02 10.11.12).ipynb",
            ("zhao", 2): "zhao/machine-learning/my/02_linear_regression.ipynb",
        }  # fmt: skip
        assert left["li/02_linear_regression_old.ipynb"].startswith("li/02_linear_regression.ipynb is taken")
        assert len(left) == 5

    def test_one_student_in_several_spellings(self, tmp_path):
        hand_in(tmp_path / "Li_Wei_02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "li wei" / "03_logistic_regression.ipynb", "1")
        taken, *_ = submissions.collect(tmp_path)
        assert len({one.student for one in taken}) == 1

    def test_two_people_never_become_one(self, tmp_path):
        for number in (111, 222):  # of one name
            hand_in(tmp_path / f"Li Lei_{number}_assignsubmission_file_" / "02_linear_regression.ipynb", "1")
        for number in (20240012, 20240013):  # a number that looks like Canvas's
            hand_in(tmp_path / f"class_2024_{number}_02_linear_regression.ipynb", "1")
        for name in ("Copy of 02_linear_regression", "Copy of 02_linear_regression (1)", "group_02_linear_regression_7",
                     "group_02_linear_regression_8"):  # fmt: skip
            hand_in(tmp_path / f"{name}.ipynb", "1")
        taken, left = collected(tmp_path)
        assert {student for student, _ in taken} == {
            "Li Lei_111", "Li Lei_222", "class/20240012", "class/20240013",
            "Copy of 02_linear_regression.ipynb", "Copy of 02_linear_regression (1).ipynb", "group_7", "group_8",
        }  # fmt: skip
        assert left == {}

    def test_one_canvas_student_with_two_chapters(self, tmp_path):
        hand_in(tmp_path / "lilei_12345_678910_02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "lilei_12345_678911_03_logistic_regression.ipynb", "1")
        assert set(collected(tmp_path)[0]) == {("lilei", 2), ("lilei", 3)}

    def test_folders_around_the_students(self, tmp_path):
        for student in ("li", "zhao"):
            hand_in(tmp_path / "export" / "class A" / student / "02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "export" / "class B" / "wang_02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "export" / "class B" / "sun_02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "export" / "class B" / "sun_03_logistic_regression.ipynb", "1")
        assert set(collected(tmp_path)[0]) == {
            ("class A/li", 2), ("class A/zhao", 2), ("class B/wang", 2), ("class B/sun", 2), ("class B/sun", 3),
        }  # fmt: skip

    def test_zips_are_read_without_being_unpacked(self, tmp_path):
        inner, outer = tmp_path / "inner.zip", tmp_path / "class.zip"
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("my/02_linear_regression.ipynb", notebook("1"))
            archive.writestr("__MACOSX/my/._02_linear_regression.ipynb", "x")
        with zipfile.ZipFile(outer, "w") as archive:
            archive.write(inner, "li.zip")
            archive.writestr("../../zhao/02_linear_regression.ipynb", notebook("1"))
            old = zipfile.ZipInfo("wang/02_linear_regression.ipynb", (1980, 0, 0, 0, 0, 0))
            archive.writestr(old, notebook("1"))
        inner.unlink()
        expected = {("li", 2): "li.zip/my/02_linear_regression.ipynb", ("zhao", 2): "zhao/02_linear_regression.ipynb",
                    ("wang", 2): "wang/02_linear_regression.ipynb"}  # fmt: skip
        assert collected(outer) == (expected, {})
        inside = {key: f"class.zip/{where}" for key, where in expected.items()}
        assert collected(tmp_path) == (inside, {})
        assert os.listdir(tmp_path) == ["class.zip"]

    @pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
    def test_a_zip_with_names_as_windows_or_a_mac_writes_them(self, encoding, tmp_path):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr("XXXXXX/02_linear_regression.ipynb", notebook("1"))
        content = (tmp_path / "a.zip").read_bytes()
        name = "李雷明" if encoding == "gbk" else "李雷"
        (tmp_path / "a.zip").write_bytes(content.replace(b"XXXXXX", name.encode(encoding)))
        assert set(collected(tmp_path / "a.zip")[0]) == {(name, 2)}

    def test_broken_and_locked_zips_are_listed(self, tmp_path):
        path = tmp_path / "li.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("02_linear_regression.ipynb", notebook("1"))
        content = bytearray(path.read_bytes())
        spoilt, locked = bytearray(content), bytearray(content)
        spoilt[60] ^= 255
        for start in (b"PK\x03\x04", b"PK\x01\x02"):  # the flag that says: encrypted
            locked[content.index(start) + (6 if start[2] == 3 else 8)] |= 1
        for changed in (spoilt, locked):
            path.write_bytes(changed)
            taken, left = collected(tmp_path)
            assert taken == {} and "cannot be unpacked" in left["li.zip/02_linear_regression.ipynb"]

    def test_what_may_not_be_read_is_listed(self, tmp_path, monkeypatch):
        hand_in(tmp_path / "li" / "02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "zhao" / "02_linear_regression.ipynb", "1")
        monkeypatch.setattr(Path, "read_bytes", refusing(Path.read_bytes, "zhao"))
        monkeypatch.setattr(os, "scandir", refusing(os.scandir, "li"))
        assert collected(tmp_path) == ({}, {
            "li": "cannot be read: not yours", "zhao/02_linear_regression.ipynb": "cannot be read: not yours",
        })  # fmt: skip

    def test_a_solution_is_no_answer_even_if_its_tag_is_lost(self):
        tagged = new_code_cell("1", metadata={"tags": ["solution"]})
        cells = [tagged, new_code_cell("# Solution\n2"), new_code_cell("3")]
        assert submissions.read_notebook(nbformat.writes(new_notebook(cells=cells))).cells == (None, None, "3")

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    def test_a_notebook_as_notepad_saves_it(self, encoding):
        assert submissions.read_notebook(notebook("x = '李'").encode(encoding)).cells == ("x = '李'",)


# ---------------------------------------------------------------------------------------------------------------
# Files of progress
# ---------------------------------------------------------------------------------------------------------------
def say_solved(path, *solved, **more):
    """Hand in a file of progress, as a page of the site saves it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {"version": 2, "exercises": list(solved), "goals": [], "guesses": {}, "places": {}, **more}
    path.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")


# What browsers, platforms and people make of progress.json, and whose it is.
PROGRESS = {
    "li/progress.json": "li",
    "li/progress (1).json": "li",
    "li/progress (2026-11-01 10.11.12).json": "li",
    "li/progress.json.txt": "li",
    "li/Copy of progress.json": "li",
    "li/exercises.json": "li",
    "li/progress/progress.json": "li",
    "li.zip/machine-learning/my/progress.json": "li",
    "Wang_progress.json": "Wang",
    "Wang_progress (1).json": "Wang",
    "progress_Wang.json": "Wang",
    "Wang Fang - my progress.json": "Wang Fang",
    "Wang.json": "Wang",
    "Wang_02_linear_regression_progress.json": "Wang",
    "王芳progress.json": "王芳",
    "Li Lei_12345_assignsubmission_file_/progress.json": "Li Lei",
    "lilei_LATE_12345_678910_progress-1.json": "lilei",
    "Assignment_lilei_attempt_2026-11-01-10-11-12_progress.json": "lilei",
    "12345-678910 - Li Lei - Nov 1, 2026 1011 AM - progress.json": "Li Lei",
}


class TestProgress:
    @pytest.mark.parametrize("where, student", PROGRESS.items())
    def test_whose_it_is(self, where, student, tmp_path):
        """By its content, whatever it is called; and the same student's as a notebook handed in the same way."""
        say_solved(tmp_path / where, "2.1", "99.1", "2.77", 3, None, ["2.2"])
        hand_in(tmp_path / "zhao" / "02_linear_regression.ipynb", "1")
        taken, said, left = submissions.collect(tmp_path)
        assert [(one.student, one.where, set(one.exercises)) for one in said] == [(student, where, {"2.1"})]
        assert [one.student for one in taken] == ["zhao"] and left == []

    @pytest.mark.parametrize(
        "content", [one for one in memory_files.NO_PROGRESS if b"cells" not in one], ids=lambda one: repr(one)[:40]
    )
    def test_what_is_none_is_listed_with_the_reason(self, content, tmp_path):
        for name in ("Wang_progress (1).json", "table.json"):
            (tmp_path / name).write_bytes(content)
        taken, said, left = submissions.collect(tmp_path)
        assert taken == said == [] and {one.where: one.why for one in left} == {
            "Wang_progress (1).json": "no file of the course's progress" if content.strip() else "empty",
            "table.json": "not a notebook",
        }  # fmt: skip

    def test_of_nobody_and_without_a_solved_exercise(self, tmp_path):
        say_solved(tmp_path / "progress (1).json", "2.1")
        say_solved(tmp_path / "Wang_progress.json", "99.1", goals=["2.A"])
        for student in ("li", "zhao"):  # whose names do not change for the file of nobody
            hand_in(tmp_path / "class A" / student / "02_linear_regression.ipynb", "1")
        assert collected(tmp_path)[1] == {
            "progress (1).json": "progress of nobody: no student in its name",
            "Wang_progress.json": "progress without a solved exercise of the course",
        }
        assert set(collected(tmp_path)[0]) == {("li", 2), ("zhao", 2)}

    def test_a_notebook_of_the_name_is_a_notebook(self, tmp_path):
        hand_in(tmp_path / "li" / "progress.json", GRADE + "grade('2.1', ...)")
        assert set(collected(tmp_path)[0]) == {("li", 2)}

    def test_of_the_class_list(self, tmp_path):
        people = roster.Roster([("Li Lei", ("7001",)), ("Zhao Liu", ())])
        say_solved(tmp_path / "7001_progress.json", "2.1")
        say_solved(tmp_path / "progress Nobody.json", "2.1")
        _, said, _ = submissions.collect(tmp_path, people)
        assert [(one.student, one.id, one.note) for one in said] == [
            ("Li Lei", "7001", ""), ("Nobody", "", "not on the class list")
        ]  # fmt: skip

    def test_it_is_weaker_than_a_grader_and_counted_apart(self, folder, capsys):
        """0.1 was graded; 0.2 is without a verdict; whoever hands in no notebook has a line of their own."""
        (folder / "class.csv").write_text("=1+1\n李雷\n王芳\n韩梅梅\n", encoding="utf-8")
        say_solved(folder / "in" / "李雷" / "progress.json", "0.1", "0.2")
        say_solved(folder / "in" / "=1+1_progress.json", "0.1")
        say_solved(folder / "in" / "=1+1_progress (1).json", "0.2", "1.1")
        say_solved(folder / "in" / "王芳_progress.json", "0.2")
        assert report.main(["../in", "--roster", "../class.csv"]) == 0
        screen = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        for line in (
            "0.1 0.2 solved said", "李雷 ✓ ○ 1 0 *", "=1+1 ✗ ~ 0 1", "王芳 ~ 0 1", "solved by, of 2 1 0 1",
            "tried by, of 2 2 0 2", "said by 0 2 2", "not handed in (1): 韩梅梅",
            "not handed in (3): 李雷, 王芳, 韩梅梅", "=1+1 1 0 1 2 2", "李雷 1 1 1 0 2",
            "王芳 0 0 0 1 0", "韩梅梅 0 0 0 0 0",
            "2 notebooks: 1 of 4 exercises solved; 3 more by the students' own word",
        ):  # fmt: skip
            assert line in screen, line
        rows = {(row["student"], row["exercise"]): (row["status"], row["file"]) for row in table("report.csv")}
        assert rows["李雷", "0.2"] == ("not attempted", "李雷/00_start_here.ipynb")
        assert rows["'=1+1", "0.1"] == ("wrong", "'=1+1_00_start_here.ipynb")
        assert rows["'=1+1", "0.2"] == rows["'=1+1", "1.1"] == ("said", "'=1+1_progress (1).json")
        assert rows["王芳", "0.1"] == ("not handed in", "") and rows["王芳", "0.2"] == ("said", "王芳_progress.json")
        assert len(table("report.csv")) == 4 * (2 + len(exercises_of(1)))
        students = {row["student"]: (row["handed in"], row["solved"], row["said"], row["of"], row["solved in 00"])
                    for row in table("report_students.csv")}  # fmt: skip
        assert students == {"'=1+1": ("1", "0", "2", "2", "0"), "李雷": ("1", "1", "0", "2", "1"),
                            "王芳": ("0", "0", "1", "0", ""), "韩梅梅": ("0", "0", "0", "0", "")}  # fmt: skip
        assert "solved in 01" not in table("report_students.csv")[0]
        files = {row["file"]: (row["run"], row["student"]) for row in table("report_files.csv")}
        assert files["王芳_progress.json"] == ("read", "王芳") and files["李雷/progress.json"] == ("read", "李雷")
        assert len(files) == 7 == len(table("report_files.csv"))

    def test_nothing_but_files_of_progress(self, tmp_path, monkeypatch, capsys):
        say_solved(tmp_path / "in" / "li" / "progress.json", "2.1", "2.2", "3.1")
        (tmp_path / "in" / "zhao_progress.json").write_text('{"exercises": ["2.', encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        assert report.main(["in"]) == 0
        screen = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert "zhao_progress.json: no file of the course's progress" in screen
        assert "0 notebooks: 0 of 0 exercises solved; 3 more by the students' own word" in screen
        assert [row["exercise"] for row in table("report.csv") if row["status"] == "said"] == ["2.1", "2.2", "3.1"]
        why = {row["file"]: (row["run"], row["note"]) for row in table("report_files.csv")}
        assert why["zhao_progress.json"] == ("not run", "no file of the course's progress")


# ---------------------------------------------------------------------------------------------------------------
# The list of the class
# ---------------------------------------------------------------------------------------------------------------
ROSTERS = {
    "one a line": ("Li Lei\n\n李雷\n", ["Li Lei", "李雷"], ["", ""]),
    "titles": ("ID number;Surname;First name;Email address\n7001;Lei;Li;lilei@x.edu\n7002;Müller;Eva;\n",
               ["Li Lei", "Eva Müller"], ["7001", "7002"]),
    "Chinese": ("学号,姓名\n7001,李雷\n7002,韩梅梅\n", ["李雷", "韩梅梅"], ["7001", "7002"]),
    "no titles": ("7001\tLi Lei\n7002\tHan Meimei\n", ["Li Lei", "Han Meimei"], ["7001", "7002"]),
    "Canvas": ('Student,ID,SIS User ID\n    Points Possible,,\n"Lei, Li",12345,7001\n', ["Lei, Li"], ["12345"]),
    "numbers alone": ("student id\n7001\n7002\n", ["7001", "7002"], ["7001", "7002"]),
    "namesakes": ("name,id\nLi Lei,7001\nLi Lei,7002\n", ["Li Lei 7001", "Li Lei 7002"], ["7001", "7002"]),
}  # fmt: skip


class TestRoster:
    @pytest.mark.parametrize("text, labels, ids", ROSTERS.values(), ids=ROSTERS)
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
    def test_all_that_spreadsheets_write(self, text, labels, ids, encoding, tmp_path):
        (tmp_path / "class.csv").write_bytes(text.encode(encoding))
        entries = roster.read_roster(tmp_path / "class.csv").entries
        assert [entry.label for entry in entries] == labels
        assert [entry.id for entry in entries] == ids

    def test_as_excel_writes_it_in_europe(self, tmp_path):
        (tmp_path / "class.csv").write_bytes("name;id\nEva Müller;1\nJosé Peña;2\n".encode("cp1252"))
        people = roster.read_roster(tmp_path / "class.csv")
        assert [entry.name for entry in people.entries] == ["Eva Müller", "José Peña"]

    @pytest.mark.parametrize("content, why", [(b"\n \n", "empty"), (b"name,id\n", "no name"), (b"PK\3\4", "no CSV")])
    def test_a_list_without_anybody(self, content, why, tmp_path):
        (tmp_path / "class.csv").write_bytes(content)
        with pytest.raises(ValueError, match=why):
            roster.read_roster(tmp_path / "class.csv")

    @pytest.mark.parametrize(
        "name, found",
        [
            ("Li Lei", ["Li Lei"]), ("lilei", ["Li Lei"]), ("leili", ["Li Lei"]), ("LiLei_hw", ["Li Lei"]),
            ("Lei, Li", ["Li Lei"]), ("7001", ["Li Lei"]), ("hw2_7001", ["Li Lei"]), ("17001", []),
            ("lil", ["Zhao Liu"]), ("lileimin", []), ("李雷雷作业", ["李雷雷"]), ("2021-李雷", ["李雷"]),
            ("Anna Schmidt", ["Anna Maria Schmidt"]),
            ("jose garcia", ["José García"]), ("Sun", []), ("Wang Wei", ["Wang Wei 1", "Wang Wei 2"]),
            ("Student 01", ["Student 01"]), ("group 1", []),
        ],
    )  # fmt: skip
    def test_who_is_meant(self, name, found):
        people = roster.Roster([
            ("Li Lei", ("7001",)), ("Zhao Liu", ("lil@x.edu",)), ("李雷", ()), ("李雷雷", ()),
            ("Anna Maria Schmidt", ()),
            ("José García", ()), ("Wang Wei", ("1",)), ("Wang Wei", ("2",)), ("Student 01", ()), ("Student 02", ()),
        ])  # fmt: skip
        assert [entry.label for entry in people.find([name])] == found

    def test_names_in_paths(self, tmp_path):
        people = roster.Roster([("Li Lei", ("7001",)), ("Wang Wei", ("1",)), ("Wang Wei", ("2",)), ("Zhao Liu", ())])
        hand_in(tmp_path / "lilei_12345_678910_02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "group 3" / "7001" / "03_logistic_regression.ipynb", "1")
        hand_in(tmp_path / "Wang Wei" / "02_linear_regression.ipynb", "1")
        hand_in(tmp_path / "Nobody_02_linear_regression.ipynb", "1")
        taken, *_ = submissions.collect(tmp_path, people)
        assert {(one.student, one.chapter.number): (one.id, one.note) for one in taken} == {
            ("Li Lei", 2): ("7001", ""), ("Li Lei", 3): ("7001", ""),
            ("Wang Wei", 2): ("", "on the class list this could be Wang Wei 1 or Wang Wei 2"),
            ("Nobody", 2): ("", "not on the class list"),
        }  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Runs
# ---------------------------------------------------------------------------------------------------------------
def run(*cells, seconds=600, cell_seconds=None):
    """({exercise: status}, note) of a notebook with these cells."""
    outcome = running.run(submissions.Notebook(cells, ()), seconds, cell_seconds=cell_seconds)
    return {id: status for id, (status, _) in outcome.verdicts.items()}, outcome.note


AS_IN_A_NOTEBOOK = [
    "display(0.8)",
    "q = (7\n % 4)\nassert q == 3",
    "text = '''\n%b\n!c\n'''\nassert text.split() == ['%b', '!c']",
    "import numpy as np\nnp.dot?",
    "files = !echo a\nassert files == ['a']",
    "!echo a",
    "import asyncio\nawait asyncio.sleep(0)",
    "if True:\n    %matplotlib inline\n    import matplotlib.pyplot as plt\n    plt.plot([1, 2])\n    plt.show()",
    "assert get_ipython() is not None",
    "%%time\nx = 5",
    "assert x == 5\n7",
    "assert _ == 7",
    "%%writefile helper.py\ny = 1",
    "import helper\nassert helper.y == 1",
    "from ipywidgets import interact\ninteract(lambda a: a, a=(0, 3))",
    "%pip --version",
    "assert __name__ == '__main__'",
    "exit()",
]


class TestRun:
    def test_cells_run_as_in_a_notebook(self):
        verdicts, note = run(*AS_IN_A_NOTEBOOK, GRADE + "%time grade('0.1', 0.8)")
        assert verdicts == {"0.1": "correct"} and note == ""

    def test_the_last_answer_counts(self):
        cells = GRADE + "grade('0.1', 0.8)", None, "grade('0.1', 99)\ngrade('0.2', ...)"
        assert run(*cells) == ({"0.1": "wrong", "0.2": "not attempted"}, "")

    @pytest.mark.parametrize(
        "cell, told",
        [
            ("a = 1\ndef f(:\n    pass", "cell 2, line 2: SyntaxError: invalid syntax"),
            ("a = 1\n\nraise ValueError('two\\nlines')", "cell 2, line 3: ValueError: two lines"),
            ("%nosuch", "cell 2, line 1: UsageError: Line magic function `%nosuch` not found."),
            ("exec('def f(:')", "cell 2: SyntaxError: invalid syntax"),
            ("import sys\nsys.exit(3)", "cell 2, line 2: SystemExit: 3"),
            ("input('?')", "cell 2, line 1: EOFError: EOF when reading a line"),
            ("def grade(id, answer): ...", "cell 2 redefines grade: answers below it are not checked"),
            ("from operator import eq as grade", "cell 2 redefines grade: answers below it are not checked"),
        ],
    )
    def test_a_note_on_what_went_wrong(self, cell, told):
        verdicts, note = run(GRADE + "grade('0.1', 0.8)", cell, "grade('0.2', ...)")
        assert note == told
        assert verdicts == {"0.1": "correct"} | ({} if "redefines" in told else {"0.2": "not attempted"})

    def test_many_cells_that_fail_are_counted(self):
        note = run(*["1 / 0"] * 5)[1]
        assert note.count("ZeroDivisionError") == 3 and note.endswith("; 2 more cells failed")

    def test_python_that_dies(self):
        for cell, how in (("import os; os._exit(3)", "exit code 3"), ("import os; os.abort()", "SIGABRT")):
            verdicts, note = run(GRADE + "grade('0.1', 0.8)", cell, "grade('0.2', ...)")
            assert verdicts == {"0.1": "correct"}
            assert note.startswith("Python died in cell 2") and (how in note or os.name == "nt")

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits; the tool says what it protects from")
    def test_an_endless_loop_costs_its_own_cell_only(self):
        cells = GRADE + "def f(x):\n    while True: pass\ngrade('0.1', 0.8)", "f(1)", "grade('0.2', ...)"
        verdicts, note = run(*cells, cell_seconds=5)
        assert verdicts == {"0.1": "correct", "0.2": "not attempted"} and note == "cell 2: stopped after 5 s"

    def test_when_time_is_up_all_that_a_notebook_has_started_is_ended(self, tmp_path, monkeypatch):
        child = tmp_path / "child"
        loop = (
            "import os, subprocess, sys\nsleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
            f"open('new', 'w').write(str(subprocess.Popen(sleep).pid))\nos.replace('new', {str(child)!r})\n"
            "while True: pass"
        )
        monkeypatch.setattr(running.time, "monotonic", lambda: 1e9 if child.exists() else 0.0)  # then its time is up
        verdicts, note = run(GRADE + "grade('0.1', 0.8)", loop, "grade('0.2', ...)", seconds=500)
        assert verdicts == {"0.1": "correct"} and note == "not done after 500 s: stopped in cell 2"
        if os.name != "nt":
            with pytest.raises(ProcessLookupError):
                _wait_for_end(int(child.read_text()))

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits; the tool says what it protects from")
    def test_memory_a_huge_file_and_the_environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("SECRET_OF_THE_TEACHER", "x")
        mine = tmp_path / "precious.txt"
        mine.write_text("precious", encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        verdicts, note = run(
            GRADE + "import os\nassert 'SECRET_OF_THE_TEACHER' not in os.environ",
            "open('big', 'wb').truncate(10**12)",
            "big = bytearray(10**13)",
            "assert not os.path.exists('precious.txt')\ngrade('0.1', 'no number')",
        )
        assert verdicts == {"0.1": "wrong"}
        assert "cell 2, line 1: OSError" in note and "cell 3, line 1: MemoryError" in note and "cell 4" not in note
        assert mine.read_text(encoding="utf-8") == "precious"

    def test_no_network_where_the_system_can_take_it_away(self):
        code = (
            "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 2)\nexcept OSError:\n"
            "    grade('0.1', 'nobody there')"
        )
        with socket.create_server(("127.0.0.1", 0)) as server:
            cut_off = run(GRADE, code.format(port=server.getsockname()[1]))[0] == {"0.1": "wrong"}
        assert cut_off == bool(running.without_network())

    def test_side_by_side_in_order_and_none_waits_for_a_stuck_one(self, tmp_path):
        """The first waits until the second has run; it can only end if both run at once."""
        flag = str(tmp_path / "second was here")
        wait = f"import os, time\nwhile not os.path.exists({flag!r}): time.sleep(0.01)\n" + GRADE + "grade('0.1', 0.8)"
        cells = [(wait,), (f"open({flag!r}, 'w')",), (GRADE + "grade('0.2', ...)",)]
        outcomes = list(running.run_all([submissions.Notebook(each, ()) for each in cells], 600, at_once=2))
        assert [list(outcome.verdicts) for outcome in outcomes] == [["0.1"], [], ["0.2"]]
        assert [outcome.note for outcome in outcomes] == ["", "", ""]

    @pytest.mark.skipif(os.name == "nt", reason="Ctrl+C cannot be sent to one process there")
    def test_ctrl_c_ends_all(self, tmp_path):
        for name in "ab":
            pid = f"open({str(tmp_path / name)!r}, 'w').write(str(os.getpid()))"
            hand_in(tmp_path / "in" / name / "00_start_here.ipynb", f"import os, time\n{pid}\ntime.sleep(600)")
        listen = {} if os.name == "nt" else {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
        tool = subprocess.Popen(  # a shell starts what runs in the background without Ctrl+C
            [sys.executable, ROOT / "tools" / "report.py", "in", "--jobs", "2"], cwd=tmp_path, stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True, **listen,
        )  # fmt: skip
        end = time.monotonic() + 60
        while time.monotonic() < end and not all((tmp_path / n).exists() and (tmp_path / n).read_text() for n in "ab"):
            time.sleep(0.05)
        pids = [int((tmp_path / name).read_text()) for name in "ab"]
        tool.send_signal(signal.SIGINT)
        assert tool.communicate(timeout=60)[1].strip() == "stopped: no report was written" and tool.returncode == 130
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                _wait_for_end(pid)
        assert not (tmp_path / "report.csv").exists()


def _wait_for_end(pid):
    """Raise ProcessLookupError once a process has gone; it may take a moment until somebody has buried it."""
    for _ in range(500):
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            raise ProcessLookupError
        time.sleep(0.01)


# ---------------------------------------------------------------------------------------------------------------
# The report
# ---------------------------------------------------------------------------------------------------------------
def table(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A small class, and the folder in which the report is written."""
    hand_in(tmp_path / "in" / "李雷" / "00_start_here.ipynb", GRADE + "grade('0.1', 0.8)", "grade('0.2', ...)", "1 / 0")
    hand_in(tmp_path / "in" / "=1+1_00_start_here.ipynb", GRADE + "grade('0.1', 99)")
    hand_in(tmp_path / "in" / "27_my_notes.ipynb", "1")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path


class TestReport:
    def test_on_the_screen_and_in_files(self, folder, capsys):
        (folder / "class.csv").write_text("name,id\n韩梅梅,7\n李雷,8\n", encoding="utf-8")
        assert report.main(["../in", "--roster", "../class.csv"]) == 0
        screen = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        for line in (
            *report.LEGEND.replace("   ", " ").splitlines(), "0.1 0.2 solved", "李雷 ✓ ○ 1 *", "=1+1 ✗ - 0 *",
            "solved by, of 2 1 0 1", "tried by, of 2 2 0 2",
            "* 李雷: cell 3, line 1: ZeroDivisionError: division by zero",
            "* =1+1: not on the class list", "not handed in (1): 韩梅梅", "all chapters handed in solved tried said of",
            "韩梅梅 0 0 0 0 0", "李雷 1 1 1 0 2", "2 notebooks: 1 of 4 exercises solved",
            "27_my_notes.ipynb: no chapter of the course: none in its name, and no exercise in it",
        ):  # fmt: skip
            assert line in screen
        rows = {(row["student"], row["exercise"]): row for row in table("report.csv")}
        assert rows["李雷", "0.1"] == {
            "student": "李雷", "chapter": "00_start_here", "exercise": "0.1", "status": "correct", "hint": "",
            "note": "cell 3, line 1: ZeroDivisionError: division by zero", "id": "8",
            "file": "李雷/00_start_here.ipynb",
        }  # fmt: skip
        assert {key: row["status"] for key, row in rows.items()} == {
            ("李雷", "0.1"): "correct", ("李雷", "0.2"): "not attempted", ("'=1+1", "0.1"): "wrong",
            ("'=1+1", "0.2"): "no answer", ("韩梅梅", "0.1"): "not handed in", ("韩梅梅", "0.2"): "not handed in",
        }  # fmt: skip
        assert rows["'=1+1", "0.1"]["hint"] and not rows["'=1+1", "0.2"]["hint"]
        students = [(row["student"], row["id"], row["solved"], row["of"], row["solved in 00"])
                    for row in table("report_students.csv")]  # fmt: skip
        assert students == [("韩梅梅", "7", "0", "0", ""), ("李雷", "8", "1", "2", "1"), ("'=1+1", "", "0", "2", "0")]
        files = {row["file"]: (row["run"], row["student"]) for row in table("report_files.csv")}
        assert files == {"27_my_notes.ipynb": ("not run", ""), "李雷/00_start_here.ipynb": ("run", "李雷"),
                         "'=1+1_00_start_here.ipynb": ("run", "'=1+1")}  # fmt: skip

    def test_an_older_report_is_kept(self, folder, capsys):
        Path("report.csv").write_text("precious", encoding="utf-8")
        assert report.main(["../in", "--to", "report.csv"]) == 0
        (aside,) = Path().glob("report (*).csv")
        assert aside.read_text(encoding="utf-8") == "precious" and aside.name in capsys.readouterr().out
        assert len(table("report.csv")) == 4

    def test_a_report_that_cannot_be_replaced_is_written_beside(self, folder, monkeypatch, capsys):
        """As on Windows, while Excel shows it."""

        def refuse(path, content):
            raise PermissionError(13, "in use", str(path))

        monkeypatch.setattr(report, "write_keeping", refuse)
        assert report.main(["../in"]) == 0
        (beside,) = Path().glob("report (*).csv")
        assert len(table(beside)) == 4 and "is it open in Excel?" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "cell, written",
        [
            ("=1", "'=1"), ("+1", "'+1"), (" -1", "' -1"), ("@a", "'@a"), ("＝1", "'＝1"), ("\t=1", "'\t=1"),
            ("Li-Lei", "Li-Lei"), (-1, "-1"),
        ],
    )  # fmt: skip
    def test_no_cell_is_a_formula(self, cell, written):
        content = report.as_csv(["a"], [[cell]]).decode("utf-8-sig")
        assert list(csv.reader(content.splitlines(keepends=True)))[1] == [written]

    @pytest.mark.parametrize(
        "arguments, why",
        [
            ([""], "which folder"), (["nowhere"], "no folder nowhere"), (["../out"], "no notebooks of the course"),
            ([], "folder"), (["../in", "--seconds", "0"], "above zero"), (["../in", "--jobs", "two"], "above zero"),
            (["../in", "--x"], "--x"),
            (["../in", "--roster", "none.csv"], "cannot read none.csv"), (["../in", "--to", "no/where.csv"], "no"),
            (["../in", "--to", "."], "cannot write"), (["../in/27_my_notes.ipynb"], "no folder"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_done_is_one_line(self, arguments, why, folder, capsys):
        assert report.main(arguments) == 1
        told = capsys.readouterr().err
        assert told.startswith("error: ") and why in told and told.count("\n") == 1
        assert os.listdir() == []

    @pytest.mark.parametrize("what", ["TemporaryFile", "TemporaryDirectory"])
    def test_a_disk_that_cannot_be_written_to_is_one_line(self, what, folder, monkeypatch, capsys):
        def refuse(*_, **__):
            raise PermissionError(errno.EACCES, "not yours", "somewhere")

        monkeypatch.setattr(tempfile, what, refuse)
        assert report.main(["../in"]) == 1
        *_, told = capsys.readouterr().err.splitlines()
        assert told.startswith("error: cannot write") and told.endswith("not yours") and os.listdir() == []

    @pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
    def test_every_chapter_can_be_handed_in_as_it_is(self, chapter):
        """Nothing in a chapter without its solutions fails: what the report notes is the student's."""
        outcome = running.run(submissions.read_notebook((ROOT / "notebooks" / chapter.notebook).read_bytes()), 600)
        assert outcome.note == ""
        assert {id: status for id, (status, _) in outcome.verdicts.items()} == {
            exercise.id: "not attempted" for exercise in exercises_of(chapter.number)
        }
