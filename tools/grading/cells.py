"""Runs the cells of one submission as a notebook does, and writes down what the graders say.

    python -m tools.grading.cells CELL_SECONDS ALL_SECONDS

This is the process in which a submission runs. In its folder it finds cells.json, a list of [number, source], and
leaves state.json there, written anew before each cell, for it may not live to see the next one:

    {"cell": number of the cell that runs, null at the end,
     "verdicts": {exercise: [status, message]},
     "failed": [[cell, line or null, what happened], ...],
     "redefined": the cell after which grade was no longer the course's, or null}
"""

import json
import os
import signal
import sys

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from mlcore.classroom import exercises

MEMORY = 4 * 2**30
LARGEST_FILE = 100 * 2**20


class Shell(InteractiveShell):
    """IPython without a front end: nothing is drawn, no error is printed, and exit ends nothing."""

    def enable_gui(self, gui=None):
        """A window system has nothing to do here."""

    def ask_exit(self):
        """The cells after an exit() run all the same."""

    def showtraceback(self, *args, **kwargs):
        """What went wrong is in the result of the cell."""

    showsyntaxerror = showindentationerror = showtraceback


class TooLong(KeyboardInterrupt):
    """What a cell that does not end is stopped with, as by the stop button."""


def limit(seconds):
    """Bound what this process may use, where the system can (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (("RLIMIT_CPU", seconds), ("RLIMIT_AS", MEMORY), ("RLIMIT_FSIZE", LARGEST_FILE)):
        try:
            resource.setrlimit(getattr(resource, what), (most, most))
        except (ValueError, OSError):
            pass  # this system does not let it be set


def run_cell(shell, source, seconds):
    """Run one cell, stopped after some seconds where the system can; return the exception that ended it, or None."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds, 1)  # and each second from then on: a cell may catch one
    try:
        result = shell.run_cell(source, store_history=True)
        return result.error_before_exec or result.error_in_exec
    except BaseException as error:  # stopped just outside the cell's own code
        return error
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def stop(*_):
    """End the cell that runs."""
    raise TooLong


def told(shell, source, error, seconds):
    """Return (line of the cell or None, what happened) of an exception."""
    if isinstance(error, TooLong):
        return None, f"stopped after {seconds} s"
    line, trace = None, error.__traceback__
    if isinstance(error, SyntaxError):
        line = error.lineno if str(error.filename).startswith("<ipython") else None
        what = error.msg
    else:
        while trace and trace.tb_frame.f_globals is not shell.user_ns:
            trace = trace.tb_next
        line = trace.tb_lineno if trace else None
        what = str(error)
    if source.lstrip().startswith("%%"):
        line = None  # the magic's first line counts for some of them and not for others
    name = "MemoryError" if isinstance(error, MemoryError) else type(error).__name__
    return line, f"{name}: {' '.join(what.split())[:200]}".rstrip(": ")


def write(state):
    """Write the state whole or not at all."""
    with open("state.new", "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.replace("state.new", "state.json")


def main(cell_seconds, all_seconds):
    """Run all cells."""
    limit(all_seconds + 5)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop)
    with open("cells.json", encoding="utf-8") as file:
        cells = json.load(file)
    config = Config()
    config.HistoryManager.enabled = False
    shell, here = Shell.instance(config=config), os.getcwd()
    state = {"cell": None, "verdicts": {}, "failed": [], "redefined": None}
    for number, source in cells:
        write({**state, "cell": number})
        if (error := run_cell(shell, source, cell_seconds)) is not None:
            state["failed"].append([number, *told(shell, source, error, cell_seconds)])
        os.chdir(here)
        said = exercises.last_verdicts()
        state["verdicts"] = {id: [verdict.status, verdict.message] for id, verdict in said.items()}
        if state["redefined"] is None and shell.user_ns.get("grade", exercises.grade) is not exercises.grade:
            state["redefined"] = number
    write(state)
    os._exit(0)  # without waiting for what a cell has left running


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
