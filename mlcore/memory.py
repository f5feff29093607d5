"""What the learner has done: exercises solved and goals reached, in one small file beside their notebooks.

The file is ``progress.json`` in the folder of the learner's own copies (my/, which git ignores); nothing of it leaves
the machine. There is such a memory only where ``make lab`` has made these copies, and only in a notebook: anywhere else
(tests, builds, the course's own files) what is done is known until Python ends. No trouble with the file ever stops a
learner: one that cannot be written stays as it is, one that cannot be read is put aside.
"""

import json
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from mlcore.base import say

__all__ = ["remember", "remembered", "start_afresh"]

COPIES = ".copies.json"
"""The file by which the folder of a learner's copies is known: tools/copies.py writes it."""
FILE = "progress.json"
PATIENCE = 2.0
"""Seconds to wait for another notebook that is writing; a lock that is older was left behind."""

_SESSION = {"exercises": set(), "goals": set()}


def remember(kind, name):
    """Keep that something is done.

    Parameters
    ----------
    kind : {"exercises", "goals"}
    name : str
        Such as "7.3" or "17.A".
    """
    _SESSION[kind].add(name)
    if path := _path():
        try:
            with _locked(path):
                done = _read(path)
                done[kind].add(name)
                _write(path, done)
        except OSError:
            pass  # no memory then


def remembered(kind):
    """Return the names of all that is done: in this session, and in the learner's file if there is one."""
    path = _path()
    return _SESSION[kind] | (_read(path)[kind] if path else set())


def start_afresh():
    """Forget what is done. The file, if there is one, is kept under another name, with the date and time."""
    for done in _SESSION.values():
        done.clear()
    path = _path()
    if path and path.exists():
        say(f"What you had done is kept in {_put_aside(path).name}. Run the cells of the map again.")
    else:
        say("Nothing was remembered.")


# ---------------------------------------------------------------------------------------------------------------
# The file
# ---------------------------------------------------------------------------------------------------------------
def _path():
    """The learner's file, whether it exists or not; None where there is no memory."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not hasattr(shell, "kernel"):
        return None
    try:
        here = Path.cwd()
        folder = next((folder for folder in (here, *here.parents) if (folder / COPIES).is_file()), None)
    except OSError:
        return None
    return folder and folder / FILE


def _read(path):
    """What the file holds; a broken one is put aside, with a message."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {kind: {name for name in kept[kind] if isinstance(name, str)} for kind in _SESSION}
    except OSError:
        pass
    except (ValueError, KeyError, TypeError):
        try:
            say(f"{FILE} could not be read. It is now {_put_aside(path).name}, and remembering starts afresh.")
        except OSError:
            pass
    return {kind: set() for kind in _SESSION}


def _write(path, done):
    """Write the file whole or not at all."""
    new = path.with_name(f"{FILE}.{os.getpid()}.new")
    new.write_text(json.dumps({kind: sorted(names) for kind, names in done.items()}, indent=1), encoding="utf-8")
    os.replace(new, path)


def _put_aside(path):
    """Give the file another name, with the date and time; nothing is overwritten."""
    aside = path.with_name(f"{path.stem} ({time.strftime('%Y-%m-%d %H.%M.%S')}).json")
    while aside.exists():
        aside = aside.with_name(f"{aside.stem} again.json")
    os.replace(path, aside)
    return aside


@contextmanager
def _locked(path):
    """Let one notebook at a time read, add and write."""
    lock = path.with_name(f"{FILE}.lock")
    end = time.monotonic() + PATIENCE
    while not _made(lock) and time.monotonic() < end:
        time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _made(lock):
    """Whether the lock could be made, which is so if there was none."""
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
