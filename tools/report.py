"""Says who solved what: runs the graders on the notebooks that students handed in.

    python tools/report.py FOLDER [--roster class.csv] [--to report.csv] [--seconds 120] [--jobs 2]

FOLDER (or a zip) holds what was handed in, as it comes from a learning platform: a folder for each student, nbgrader's
submitted/<student>/<assignment>/, or files with the student's name beside the chapter's. grading/submissions.py says
how names are read. A file of progress, which students save in a page of the site or find beside their notebooks, says
what they have solved by their own word: that is shown, and counted apart. Every other file is either run or listed with
the reason why not.

The tables go to the screen and, as CSV, to three files: report.csv has a row for each student and exercise,
report_students.csv one for each student, report_files.csv one for each file. Reports that are there already are kept
under another name. With a list of the class (one name a line, or a table with names and numbers) those who are absent
are listed too.

A submission is code of somebody else, and it is run, in a process of its own with limits (grading/running.py). This
protects from accidents: an endless loop, a full disk, a file that is overwritten by mistake. It is no prison for
malice: such code runs under your account, can read your files, and could even say "correct" for itself. Run it under an
account of its own, or in a container, if you do not trust your class.
"""

import argparse
import csv
import errno
import io
import os
import sys
import tempfile
import time
import unicodedata
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mlcore.base import say  # noqa: E402
from mlcore.classroom.files import write_keeping, write_new  # noqa: E402
from mlcore.course import CHAPTERS, Chapter  # noqa: E402
from mlcore.exercises import exercises_of  # noqa: E402
from tools.grading import roster as rosters  # noqa: E402
from tools.grading import running, submissions  # noqa: E402
from tools.grading.names import same_name  # noqa: E402

SIGNS = {"correct": "✓", "wrong": "✗", "not attempted": "○", "no answer": "-", "said": "~", "not handed in": ""}
LEGEND = (
    "✓ correct   ✗ wrong   ○ not attempted   - no answer: its grade(...) is missing or was not reached\n"
    "~ said to be solved: in a file of progress, by the student's own word"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # Excel takes what begins so for a formula
COUNTED = {"solved": ("correct",), "tried": ("correct", "wrong")}
MANY = 8


# ---------------------------------------------------------------------------------------------------------------
# What was found
# ---------------------------------------------------------------------------------------------------------------
class Refused(Exception):
    """The report cannot be made, for a reason that one line says."""


@dataclass(frozen=True)
class Result:
    """What came of one student's notebook of a chapter, and of what the student says to have solved."""

    student: str
    id: str
    chapter: Chapter
    where: str
    """The notebook; "" if there is none."""
    note: str
    """What a teacher should know of it, or ""."""
    rows: tuple
    """(exercise, status, the grader's hint to a wrong answer), for every exercise of the chapter."""
    said_in: str = ""
    """The files of progress, if they count."""

    def count(self, *statuses):
        """How many of its exercises are in one of these states."""
        return sum(status in statuses for _, status, _ in self.rows)


def result_of(submission, outcome):
    """Put what is known of a submission and what came of its run together."""
    rows = []
    for exercise in exercises_of(submission.chapter.number):
        status, message = outcome.verdicts.get(exercise.id, ("no answer", ""))
        rows.append((exercise.id, status, message if status == "wrong" else ""))
    note = "; ".join(filter(None, [submission.note, outcome.note]))
    return Result(submission.student, submission.id, submission.chapter, submission.where, note, tuple(rows))


def with_said(results, chapter, said):
    """Return the results of a chapter with what students say: it counts where no grader has said anything."""
    heard = {}
    for one in said:
        heard.setdefault(one.student, []).append(one)
    ids = [exercise.id for exercise in exercises_of(chapter.number)]
    results, there = list(results), {one.student for one in results}
    for student, own in heard.items():
        if student not in there and any(one.exercises.intersection(ids) for one in own):
            rows = tuple((id, "not handed in", "") for id in ids)
            results.append(Result(student, own[0].id, chapter, "", own[0].note, rows))
    results.sort(key=lambda one: (same_name(one.student), one.student))
    return [_with_said(one, heard.get(one.student, ())) for one in results]


def _with_said(result, said):
    exercises = frozenset().union(*(one.exercises for one in said))
    rows = [(id, "said" if status in ("no answer", "not handed in") and id in exercises else status, hint)
            for id, status, hint in result.rows]  # fmt: skip
    counted = {id for id, status, _ in rows if status == "said"}
    files = "; ".join(one.where for one in said if one.exercises & counted)
    return replace(result, rows=tuple(rows), said_in=files)


def absent(results, roster):
    """Return the entries of the class list, if there is one, from whom there is no result."""
    there = {one.student for one in results}
    return [entry for entry in roster.entries if entry.label not in there] if roster else []


def by_student(results, roster):
    """Return {student: [results]}; those of the class list come first, in its order, also without any."""
    students = {entry.label: [] for entry in (roster.entries if roster else ())}
    for one in sorted(results, key=lambda one: same_name(one.student)):
        students.setdefault(one.student, []).append(one)
    return students


def sums(results):
    """Return how many exercises were solved and tried, are said to be solved, and are in the notebooks."""
    counts = [sum(one.count(*kind) for one in results) for kind in (*COUNTED.values(), ("said",))]
    return [*counts, sum(len(one.rows) for one in handed_in(results))]


def handed_in(results):
    """Those of the results that have a notebook."""
    return [one for one in results if one.where]


def chapters_of(results):
    """The chapters of the notebooks, in order."""
    return list(dict.fromkeys(one.chapter for one in handed_in(results)))


def stem(chapter):
    """A chapter as files are called, such as 02_linear_regression."""
    return chapter.notebook.removesuffix(".ipynb")


# ---------------------------------------------------------------------------------------------------------------
# On the screen
# ---------------------------------------------------------------------------------------------------------------
def width(text):
    """How many columns a text takes in a terminal: Chinese characters take two, combining accents none."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def pad(text, columns):
    """A text filled up with spaces."""
    return text + " " * (columns - width(text))


def print_chapter(results, roster):
    """Print the table of one chapter: students down, exercises across, totals below; then notes and absentees."""
    ids = [id for id, _, _ in results[0].rows]
    kinds = {f"{word} by, of {len(handed_in(results))}": statuses for word, statuses in COUNTED.items()}
    if heard := any(one.count("said") for one in results):
        kinds["said by"] = ("said",)
    first = max(width(text) + 2 for text in [*kinds, *(one.student for one in results)])
    say(f"\n{stem(results[0].chapter)}")
    say(pad("", first) + "".join(f"{id:>6}" for id in ids) + "   solved" + ("   said" if heard else ""))
    for one in results:
        signs = "".join(f"{SIGNS[status]:>6}" for _, status, _ in one.rows)
        counts = f"{one.count('correct'):>9}" + (f"{one.count('said'):>7}" if heard else "")
        say(f"{pad(one.student, first)}{signs}{counts}{' *' if one.note else ''}")
    for word, statuses in kinds.items():
        counts = [sum(one.rows[i][1] in statuses for one in results) for i in range(len(ids))]
        total = f"{'':9}{sum(counts):>7}" if statuses == ("said",) else f"{sum(counts):>9}"
        say(pad(word, first) + "".join(f"{count:>6}" for count in counts) + total)
    for one in results:
        if one.note:
            say(f"  * {one.student}: {one.note}")
    if missing := absent(results, roster):
        say(f"  not handed in ({len(missing)}): {', '.join(entry.label for entry in missing)}")


def print_students(students):
    """Print what each student has done, over all chapters."""
    first = max(width(student) + 2 for student in ["all chapters", *students])
    say("\n" + pad("all chapters", first) + "   handed in   solved   tried   said   of")
    for student, results in students.items():
        solved, tried, said, there = sums(results)
        say(f"{pad(student, first)}{len(handed_in(results)):>12}{solved:>9}{tried:>8}{said:>7}{there:>5}")


def print_left(left, files):
    """List the files that were not run, with the reason; those that are no notebooks in short."""
    notebooks = [one for one in left if one.why != "not a notebook"]
    others = [one.where for one in left if one.why == "not a notebook"]
    if left:
        say("\nnot run")
    for one in notebooks:
        say(f"  {one.where}: {one.why}")
    if others:
        more = f" and {len(others) - MANY} more, see {files}" if len(others) > MANY else ""
        say(f"  not a notebook: {', '.join(others[:MANY])}{more}")


def progress(done, count):
    """Show how far the work is, where somebody watches."""
    if sys.stderr.isatty():
        text = "" if done == count else f"{done} of {count} notebooks have run"
        print(f"\r{text:40}\r", end="", file=sys.stderr, flush=True)


# ---------------------------------------------------------------------------------------------------------------
# In files
# ---------------------------------------------------------------------------------------------------------------
def as_csv(titles, rows):
    """Return a CSV file's bytes, for Excel: with a mark, so that it reads names, and without formulas."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(titles)
    table.writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def _harmless(cell):
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(FORMULA) else cell


def exercise_rows(results, roster):
    """The rows of report.csv: one for each student and exercise, also for those who are absent."""
    for one in results:
        for id, status, hint in one.rows:
            where = one.said_in if status == "said" else one.where
            yield one.student, stem(one.chapter), id, status, one.note, hint, one.id, where
    for chapter, own in groupby(results, key=lambda one: one.chapter):
        for entry in absent(list(own), roster):
            for exercise in exercises_of(chapter.number):
                yield entry.label, stem(chapter), exercise.id, "not handed in", "", "", entry.id, ""


def student_rows(results, roster):
    """The rows of report_students.csv: one for each student, with the exercises solved in each chapter."""
    ids = {entry.label: entry.id for entry in (roster.entries if roster else ())}
    chapters = chapters_of(results)
    for student, own in by_student(results, roster).items():
        solved = {one.chapter: one.count("correct") for one in handed_in(own)}
        notes = "; ".join(f"{one.chapter.number}: {one.note}" for one in own if one.note)
        each = [solved.get(chapter, "") for chapter in chapters]
        yield student, ids.get(student, ""), len(handed_in(own)), *sums(own), *each, notes


def file_rows(results, said, left):
    """The rows of report_files.csv: one for each file, whether it was run or read, as whose, or why not."""
    rows = [(one.where, "run", one.student, stem(one.chapter), one.note) for one in handed_in(results)]
    rows += [(one.where, "read", one.student, "", one.note) for one in said]
    return sorted(rows + [(one.where, "not run", "", "", one.why) for one in left])


def write_files(names, results, said, left, roster):
    """Write the three files; say where older ones are now."""
    chapters = [f"solved in {chapter.number:02d}" for chapter in chapters_of(results)]
    contents = (
        as_csv(["student", "chapter", "exercise", "status", "note", "hint", "id", "file"],
               exercise_rows(results, roster)),
        as_csv(["student", "id", "handed in", "solved", "tried", "said", "of", *chapters, "notes"],
               student_rows(results, roster)),
        as_csv(["file", "run", "student", "chapter", "note"], file_rows(results, said, left)),
    )  # fmt: skip
    for name, content in zip(names, contents, strict=True):
        try:
            if aside := write_keeping(name, content):
                say(f"the older {name} is now {aside.name}")
        except OSError:  # Windows locks a file that Excel shows; an hour's work must not be lost for it
            other = name.with_stem(f"{name.stem} ({time.strftime('%Y-%m-%d %H.%M.%S')})")
            write_new(other, content)
            say(f"{name} cannot be written (is it open in Excel?): see {other}")


def check_writable(target):
    """Refuse now, and not after an hour, if files cannot be written beside the target."""
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=target.absolute().parent):
            pass
    except OSError as error:
        raise Refused(f"cannot write {target}: {error.strerror}") from None


# ---------------------------------------------------------------------------------------------------------------
# All together
# ---------------------------------------------------------------------------------------------------------------
class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message):
        """End, with that line."""
        raise Refused(f"{message} (--help lists what there is)")


def positive(text):
    """A whole number above zero, of the command line."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a whole number above zero is asked for, got {text!r}")
    return int(text)


def read_options(arguments):
    """Return the options; Refused if there is something wrong with them."""
    parser = Parser(prog="report.py", description="Run the graders on notebooks that students handed in.")
    parser.add_argument("folder", help="what was handed in: a folder or a zip")
    parser.add_argument("--roster", type=Path, help="the list of the class, CSV: one name a line, or names and numbers")
    parser.add_argument("--to", type=Path, default=Path("report.csv"), help="the CSV file to write")
    parser.add_argument("--seconds", type=positive, default=120, help="the most for one notebook (default 120)")
    parser.add_argument("--jobs", type=positive, help="how many run side by side (default: one for each processor)")
    options = parser.parse_args(arguments)
    example = "name what was handed in, such as make report FOLDER=submissions"
    if not options.folder:  # make without FOLDER gives an empty name
        raise Refused(f"which folder? {example}")
    options.folder = Path(options.folder)
    if not options.folder.is_dir() and not (options.folder.is_file() and options.folder.suffix.lower() == ".zip"):
        raise Refused(f"there is no folder {options.folder}: {example}")
    return options


def read_roster(path):
    """Return the list of the class, None if none was named; Refused if it cannot be read."""
    if path is None:
        return None
    try:
        return rosters.read_roster(path)
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"{path}: {error}") from None


def run(found, said, options, roster):
    """Run all submissions and print each chapter's table; return the results."""
    results, done = [], 0
    with closing(running.run_all([one.notebook for one in found], options.seconds, options.jobs)) as outcomes:
        progress(0, len(found))
        for chapter in CHAPTERS:
            own = []
            for one in found:
                if one.chapter == chapter:
                    own.append(result_of(one, next(outcomes)))
                    done += 1
                    progress(done, len(found))
            if own := with_said(own, chapter, said):
                print_chapter(own, roster)
                results += own
    return results


def report(options):
    """Find, run, print and write."""
    roster = read_roster(options.roster)
    check_writable(options.to)
    found, said, left = submissions.collect(options.folder, roster)
    names = [options.to.with_stem(options.to.stem + ending) for ending in ("", "_students", "_files")]
    if not found and not said:
        print_left(left, names[2])
        raise Refused(f"no notebooks of the course in {options.folder}: it holds a folder for each student, or files "
                      "such as li_wei_02_linear_regression.ipynb")  # fmt: skip
    if found and not running.without_network():
        print("note: this system cannot take the network away from a submission", file=sys.stderr)
    say(LEGEND)
    results = run(found, said, options, roster)
    print_students(by_student(results, roster))
    print_left(left, names[2])
    solved, _, more, there = sums(results)
    ending = f"; {more} more by the students' own word" if said else ""
    say(f"\n{len(found)} notebook{'' if len(found) == 1 else 's'}: {solved} of {there} exercises solved{ending}")
    write_files(names, results, said, left, roster)
    say(f"the tables are in {', '.join(map(str, names))}")


def main(arguments=None):
    """Read the command line and report; return the exit code. Whatever goes wrong is one line."""
    try:
        report(read_options(arguments))
        return 0
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: cannot write {error.filename or 'the report'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped: no report was written", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
