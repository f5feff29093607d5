"""Says who solved what: runs the graders on the notebooks that students handed in.

    python tools/report.py FOLDER [--to report.csv] [--seconds 120]

FOLDER holds a folder for each student, with notebooks in it at any depth (nbgrader's submitted/<student>/<assignment>/
is such a folder), or notebooks called <student>_<chapter>.ipynb, such as li_wei_02_linear_regression.ipynb. The table
goes to the screen and, as CSV, to a file: a row for each student and exercise, "correct", "wrong", "not attempted" or
"no answer", and a note where a notebook could not be read or did not run to its end.

A submission is code of somebody else, and it is run. Each notebook runs in a process of its own: in an empty folder
that is removed, without the teacher's environment variables, with limits on time, memory and the size of files, and
without a network where the system can take it away (Linux). Nothing of one student's run reaches another's. This
protects from accidents: an endless loop, a full disk, a file that is overwritten by mistake. It is no prison for
malice: such code runs under your account, can read your files, and could even say "correct" for itself. Run it under an
account of its own, or in a container, if you do not trust your class.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = re.compile(r"^(?:(?P<student>.+?)[_-])?(?P<chapter>\d\d_[a-z_]+)")
MEMORY = 4 * 2**30
LARGEST_FILE = 100 * 2**20


def submissions(folder):
    """Return {(student, chapter file's stem): path} of all notebooks handed in; of two the one changed last."""
    found = {}
    for path in sorted(folder.rglob("*.ipynb"), key=lambda path: path.stat().st_mtime):
        if ".ipynb_checkpoints" in path.parts or not (match := CHAPTER.match(path.stem)):
            continue
        inside = path.relative_to(folder).parts
        student = inside[0] if len(inside) > 1 else match["student"]
        if student:
            found[student, match["chapter"]] = path
    return found


def answers_of(path):
    """The code cells of a notebook without those tagged solution, as text; None of a file that cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [
            "".join(cell["source"]) for cell in cells
            if cell["cell_type"] == "code" and "solution" not in cell.get("metadata", {}).get("tags", ())
        ]  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return None


RUNNER = """
import builtins, json, sys
cells, verdicts = json.load(open("cells.json", encoding="utf-8")), "verdicts.json"
open(verdicts, "w").write("{}")
import matplotlib
matplotlib.use("agg")
from mlcore import exercises
namespace = {"__name__": "__main__"}
for source in cells:
    kept = "\\n".join(line for line in source.split("\\n") if not line.lstrip().startswith(("%", "!")))
    try:
        exec(compile(kept, "<cell>", "exec"), namespace)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    with open(verdicts, "w", encoding="utf-8") as file:
        json.dump({id: verdict.status for id, verdict in exercises.last_verdicts().items()}, file)
"""


def limits(seconds):
    """Set this process's limits, just before the submission runs in it (not on Windows)."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def without_network():
    """The words before a command that take its network away; none where the system cannot."""
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0:
        return [unshare, "-rn"]
    return []


def grade(path, seconds):
    """Run one submission; return {exercise: status} of what it graded, and a note on what went wrong or ""."""
    cells = answers_of(path)
    if cells is None:
        return {}, "not a notebook that can be read"
    with tempfile.TemporaryDirectory(prefix="submission-") as scratch:
        here = Path(scratch)
        (here / "cells.json").write_text(json.dumps(cells), encoding="utf-8")
        (here / "run.py").write_text(RUNNER, encoding="utf-8")
        environment = {"PYTHONPATH": str(ROOT), "HOME": scratch, "TMPDIR": scratch, "PATH": os.environ.get("PATH", ""),
                       "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"}  # fmt: skip
        if os.name == "nt":
            environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
        command = [*without_network(), sys.executable, "run.py"]
        options = {} if os.name == "nt" else {"preexec_fn": lambda: limits(seconds), "start_new_session": True}
        process = subprocess.Popen(
            command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, **options,
        )  # fmt: skip
        note = f"did not run to its end in {seconds} s"
        try:
            if process.wait(seconds) == 0:
                note = ""
        except subprocess.TimeoutExpired:
            pass
        finally:
            if os.name != "nt":
                _end_group(process.pid)
            process.kill()
            process.wait()
        try:
            said = json.loads((here / "verdicts.json").read_text(encoding="utf-8"))
            return {str(id): str(status) for id, status in said.items()}, note
        except (OSError, ValueError, AttributeError):
            return {}, note or "its verdicts cannot be read"


def _end_group(pid):
    """End whatever a submission has started and left running."""
    import signal

    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def rows(folder, seconds):
    """Yield (student, chapter, exercise, status, note) for every exercise of every notebook handed in."""
    sys.path.insert(0, str(ROOT))
    from mlcore.exercises import exercises_of

    for (student, chapter), path in sorted(submissions(folder).items()):
        known = [entry.id for entry in exercises_of(int(chapter[:2]))]
        verdicts, note = grade(path, seconds)
        for id in known:
            status = verdicts.get(id, "no answer")
            yield student, chapter, id, status if status in STATUSES else "no answer", note


STATUSES = {"correct": "✓", "wrong": "✗", "not attempted": "○", "no answer": "-"}


def main():
    """Read the command line; run the graders; print the table and write it."""
    parser = argparse.ArgumentParser(description="Run the graders on notebooks that students handed in.")
    parser.add_argument("folder", help="a folder for each student, or <student>_<chapter>.ipynb")
    parser.add_argument("--to", type=Path, default=Path("report.csv"), help="the CSV file to write")
    parser.add_argument("--seconds", type=int, default=120, help="for one notebook (default 120)")
    options = parser.parse_args()
    folder = Path(options.folder)
    if not options.folder or not folder.is_dir():  # make without FOLDER gives an empty name
        which = f"there is no folder {options.folder}:" if options.folder else "which folder?"
        print(f"error: {which} name the one with the notebooks, such as make report FOLDER=submissions",
              file=sys.stderr)  # fmt: skip
        return 1
    if not submissions(folder):
        print(f"error: no notebooks in {folder}: it holds a folder for each student, or files called "
              "<student>_<chapter>.ipynb, such as li_wei_02_linear_regression.ipynb", file=sys.stderr)  # fmt: skip
        return 1
    if not without_network():
        print("note: this system cannot take the network away from a submission", file=sys.stderr)
    with open(options.to, "w", encoding="utf-8-sig", newline="") as file:  # with a mark, so that Excel reads names
        table = csv.writer(file)
        table.writerow(["student", "chapter", "exercise", "status", "note"])
        count, last, solved = 0, None, 0
        for student, chapter, id, status, note in rows(folder, options.seconds):
            if (student, chapter) != last:
                print(f"{'' if last is None else chr(10)}{student:24} {chapter:32}", end="", flush=True)
                print(f" ({note})" if note else "", end="", flush=True)
                last = student, chapter
            print(f" {id} {STATUSES[status]}", end="", flush=True)
            table.writerow([student, chapter, id, status, note])
            count, solved = count + 1, solved + (status == "correct")
    print(f"\n{solved} of {count} exercises solved; the table is in {options.to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
