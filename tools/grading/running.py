"""Runs submissions, several side by side, each apart from everything else.

A submission is code of somebody else. Each runs in a process of its own: in an empty folder that is removed, without
the teacher's environment variables, with limits on time, memory and the size of files, and without a network where the
system can take it away (Linux). Nothing of one student's run reaches another's.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STATUSES = ("correct", "wrong", "not attempted")
MOST_TOLD = 3  # cells that failed, in one note


@dataclass(frozen=True)
class Outcome:
    """What came of a run: {exercise: (status, message)}, and a note on what went wrong, or ""."""

    verdicts: dict
    note: str


def run_all(notebooks, seconds, at_once=None):
    """Yield the Outcome of each notebook, in their order; several run side by side.

    Parameters
    ----------
    notebooks : sequence of submissions.Notebook
    seconds : int
        The longest that one may take; a single cell is stopped after a quarter of it.
    at_once : int, optional
        How many run side by side; by default as many as there are processors.

    When the caller is interrupted, or stops asking, whatever runs is ended.
    """
    without_network()  # asked once, before there are threads
    stopping = threading.Event()
    pool = ThreadPoolExecutor(at_once or processors())
    try:
        yield from pool.map(lambda notebook: run(notebook, seconds, stopping), notebooks)
    finally:
        stopping.set()
        pool.shutdown(cancel_futures=True)


def processors():
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def without_network():
    """The words before a command that take its network away; none where the system cannot."""
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0:
        return (unshare, "-rn")
    return ()


def run(notebook, seconds, stopping=None, cell_seconds=None):
    """Run one notebook; return its Outcome. An event ends it early; a cell gets a quarter of its time, if not told."""
    # a process that has just been killed may still hold a file on Windows
    with tempfile.TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as scratch:
        cells = [(number, source) for number, source in enumerate(notebook.cells, 1) if source is not None]
        Path(scratch, "cells.json").write_text(json.dumps(cells), encoding="utf-8")
        code = _run_in(scratch, seconds, cell_seconds or max(1, seconds // 4), stopping)
        try:
            state = json.loads(Path(scratch, "state.json").read_text(encoding="utf-8"))
            return Outcome(_verdicts(state), _note(state, code, seconds))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return Outcome({}, "Python did not start" if code not in (0, None) else "its verdicts cannot be read")


def _run_in(scratch, seconds, cell_seconds, stopping):
    """Run the cells in a folder; return the exit code, None if time was up."""
    command = [*without_network(), sys.executable, "-m", "tools.grading.cells", str(cell_seconds), str(seconds)]
    process = subprocess.Popen(
        command, cwd=scratch, env=_environment(scratch), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and not (stopping and stopping.is_set()):
            with suppress(subprocess.TimeoutExpired):
                return process.wait(0.1)
        return None
    finally:
        _end(process)


def _environment(scratch):
    """All that a submission sees of the teacher's environment."""
    environment = {
        "PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "MPLBACKEND": "agg",
        "HOME": scratch, "USERPROFILE": scratch, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch,
        "IPYTHONDIR": scratch, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PIP_NO_INDEX": "1",
    }  # fmt: skip
    if os.name == "nt":
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    return environment


def _end(process):
    """End a process, and whatever it has started and left running."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _verdicts(state):
    """The verdicts of a state that a submission could have tampered with."""
    return {
        str(id): (status, str(message)) for id, (status, message) in state["verdicts"].items() if status in STATUSES
    }


def _note(state, code, seconds):
    """What went wrong, in words; "" if nothing did."""
    notes = []
    if state["redefined"] is not None:
        notes.append(f"cell {state['redefined']} redefines grade: answers below it are not checked")
    for cell, line, what in state["failed"][:MOST_TOLD]:
        notes.append(f"cell {cell}{f', line {line}' if line else ''}: {what}")
    if len(state["failed"]) > MOST_TOLD:
        notes.append(f"{len(state['failed']) - MOST_TOLD} more cells failed")
    if state["cell"] is not None:
        notes.append(_end_of_run(state["cell"], code, seconds))
    return "; ".join(notes)


def _end_of_run(cell, code, seconds):
    """Why a run ended in a cell."""
    if code is None:
        return f"not done after {seconds} s: stopped in cell {cell}"
    if code == -getattr(signal, "SIGKILL", 9):
        return f"Python was killed in cell {cell}: it used too much time or memory"
    named = {-one.value: one.name for one in signal.Signals}.get(code, f"exit code {code}")
    return f"Python died in cell {cell} ({named})"
