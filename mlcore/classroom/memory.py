"""What the learner has done, and where they left off, in one small file beside their notebooks.

The file is ``progress.json``: exercises solved and goals reached, guesses made, and the places of sliders. Nothing of
it leaves the machine. There is such a memory only in a notebook, and only where the notebooks are the learner's own:

- in the folder of the copies that ``make lab`` makes (my/, which git ignores), or one inside it;
- on a hub, in the folder of the course's notebooks: a clone there is the learner's. It is known by the variables
  ``JUPYTERHUB_USER`` and ``JPY_SESSION_NAME``: a person's server has started this kernel for a notebook. A build or a
  test on the same machine has no such session; git ignores the file there.

Anywhere else what is done is known until Python ends, and places are not kept.

No trouble with the file ever stops a learner, and nothing of it is lost: it is written whole or not at all, by one
notebook at a time; what cannot be written now is tried again; what cannot be read is put aside.

``{"version": 2, "exercises": ["2.1"], "goals": ["2.A"], "guesses": {key: guess}, "places": {key: {control: value}}}``

The first version had neither a number nor the last two. A later version may add fields, which this one leaves as they
are, and must not change those here. The pages of the site keep the same in the browser, and save it as such a file
(tools/web/page/progress.js has the same rules).
"""

import atexit
import hashlib
import json
import os
import threading
import time
from pathlib import Path

from mlcore.base import say
from mlcore.classroom.calm import running_shell
from mlcore.classroom.files import locked, put_aside, write

__all__ = ["forget", "is_there", "key_of", "merge", "read", "recall", "remember", "remember_at_rest", "remembered",
           "start_afresh"]  # fmt: skip

COPIES = ".copies.json"
"""The file by which the folder of a learner's copies is known: tools/copies.py writes it."""
FIRST = "00_start_here.ipynb"
"""The notebook by which the course's own folder is known."""
FILE = "progress.json"
VERSION = 2
FIELDS = {"exercises": list, "goals": list, "guesses": dict, "places": dict}
REST = 1.0
"""Seconds without a change before a slider's place is written, or before the next try."""
LONGEST_WAIT, LONGEST_WAIT_AT_EXIT = 2.0, 60.0
"""Seconds to wait for another notebook that is writing."""

_SESSION = {field: {} for field in FIELDS}
_UNSAVED = {}
"""For each file {(field, name): value} of what is not in it yet; None stands for what is to be forgotten."""
_AT_REST = {"thread": None, "due": 0.0}
_TURN = threading.Lock()
"""For what is known here; held for a moment only, so that no slider waits for the disk."""
_SAVING = threading.Lock()
"""For the disk; whoever needs both takes this one first."""


def remember(field, name, value=True):
    """Keep that something is done, at once.

    Parameters
    ----------
    field : {"exercises", "goals", "guesses"}
    name : str
        Such as "7.3" or "17.A"; of a guess the key (see ``key_of``).
    value : bool, str or float
        The guess.
    """
    _note(field, name, value)
    _save()


def remember_at_rest(name, place):
    """Keep a place, once it has not changed for a second: a slider that moves waits for no disk.

    Parameters
    ----------
    name : str
        See ``key_of``.
    place : dict
        The value of each control, as JSON has it.
    """
    _note("places", name, place)
    _save_at_rest()


def forget(field, name):
    """Keep no longer what was guessed, or where the sliders stood."""
    _note(field, name, None)
    _save()


def remembered(field):
    """Return the names of all that is done: in this session, and in the learner's file if there is one."""
    return {name for name, value in _SESSION[field].items() if value is not None} | set(_in_file(field))


def recall(field, name):
    """Return what was kept under a name, in this session or in the learner's file; None if there is nothing."""
    return _SESSION[field][name] if name in _SESSION[field] else _in_file(field).get(name)


def key_of(text):
    """Return a short name for a text: the question of a guess, or what is to be seen in a picture.

    So a guess and a place are found again when the chapter around them has changed, and not when they themselves have.
    """
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def is_there():
    """Return whether there is a learner's file, or could be one."""
    return _path() is not None


def start_afresh():
    """Forget what is done. The file, if there is one, is kept under another name, with the date and time."""
    _save()
    path, said = _path(), "Nothing was remembered."
    with _SAVING:
        try:
            if path and path.exists():
                with locked(path, LONGEST_WAIT):
                    said = f"What you had done is kept in {put_aside(path).name}. Run the cells of the map again."
        except OSError as error:
            say(f"{FILE} could not be put aside ({error}): delete or rename it yourself.")
            return
        with _TURN:
            for known in (*_SESSION.values(), _UNSAVED):
                known.clear()
    say(said)


# ---------------------------------------------------------------------------------------------------------------
# From elsewhere
# ---------------------------------------------------------------------------------------------------------------
def read(content):
    """Return what a file holds that was kept elsewhere: by a page of the site, or on another machine.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    dict
        With one of the fields at least: what has none is somebody else's file.

    Raises
    ------
    ValueError
        If it is no such file.
    """
    held = _parsed(content)
    try:
        json.dumps(held, allow_nan=False)
    except (ValueError, RecursionError):  # what could be read here, and not be written, or not be read by a browser
        held = None
    if not held or not FIELDS.keys() & held.keys():
        raise ValueError("no file of the course's progress")
    return held


def merge(path, other):
    """Add what another file holds to the learner's own. Nothing is lost: where both hold a name, the own one stays.

    Parameters
    ----------
    path : path
        The learner's file, which need not be there yet.
    other : path
        A file that was kept elsewhere.

    Returns
    -------
    dict of str to int
        For each field how much was new.

    Raises
    ------
    ValueError
        If the other is no such file; or OSError if one of the two cannot be read or written. Nothing has changed then.
    """
    path, news = Path(path), read(Path(other).read_bytes())
    with locked(path):
        held = _mended(path)
        both = {**news, **held}  # a field that only a later version knows is taken whole
        for field in FIELDS.keys() & news.keys():
            both[field] = _united(field, held.get(field, FIELDS[field]()), news[field])
        if both != held:
            write(path, _text(both))
    return {field: len(both.get(field, ())) - len(held.get(field, ())) for field in FIELDS}


def _united(field, own, other):
    if FIELDS[field] is dict:
        return {**other, **own}
    known = {name for name in own if isinstance(name, str)}
    return sorted([*own, *{name for name in other if isinstance(name, str)} - known], key=str)


# ---------------------------------------------------------------------------------------------------------------
# The file
# ---------------------------------------------------------------------------------------------------------------
def _path():
    """The learner's file, whether it exists or not; None where there is no memory."""
    if not hasattr(running_shell(), "kernel"):
        return None
    marks = [COPIES, FIRST] if {"JUPYTERHUB_USER", "JPY_SESSION_NAME"} <= os.environ.keys() else [COPIES]
    try:
        here = Path.cwd()
        for folder in (here, *here.parents):
            if any((folder / mark).is_file() for mark in marks):
                return folder / FILE
    except OSError:
        pass
    return None


def _in_file(field):
    """What the learner's file holds of a field, as a dict; nothing where there is no file."""
    path = _path()
    try:
        held = _read(path) if path else {}
        if held is None:
            with locked(path, LONGEST_WAIT):
                held = _mended(path)
    except OSError:
        return {}
    own = held.get(field, ())
    return own if isinstance(own, dict) else dict.fromkeys(name for name in own if isinstance(name, str))


def _read(path):
    """What the file holds: {} if there is none, None if it is broken. One that cannot be read raises OSError."""
    try:
        return _parsed(path.read_bytes())
    except FileNotFoundError:
        return {}


def _parsed(content):
    """What the bytes of a file hold; None if it is broken."""
    try:
        held = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    good = isinstance(held, dict) and all(isinstance(held.get(field, kind()), kind) for field, kind in FIELDS.items())
    return held if good else None


def _mended(path):
    """What the file holds; a broken one is put aside, with a message. To be called with the lock."""
    held = _read(path)
    if held is None:
        say(f"{FILE} could not be read. It is now {put_aside(path).name}, and remembering starts afresh.")
    return held or {}


# ---------------------------------------------------------------------------------------------------------------
# What is to be written
# ---------------------------------------------------------------------------------------------------------------
def _note(field, name, value):
    with _TURN:
        _SESSION[field][name] = value
        if path := _path():
            _UNSAVED.setdefault(path, {})[field, name] = value


def _save(longest_wait=None):
    """Write what is not yet written. What the disk refuses stays with us."""
    longest_wait = LONGEST_WAIT if longest_wait is None else longest_wait
    if not _SAVING.acquire(timeout=longest_wait):
        _save_at_rest()
        return
    try:
        with _TURN:
            unsaved = dict(_UNSAVED)
            _UNSAVED.clear()
        for path, news in unsaved.items():
            try:
                with locked(path, longest_wait):
                    _write(path, news)
            except (OSError, RecursionError) as error:
                with _TURN:
                    _UNSAVED[path] = news | _UNSAVED.get(path, {})
                if isinstance(error, TimeoutError):
                    _save_at_rest()
    finally:
        _SAVING.release()


def _write(path, news):
    """Add what is new to what the file holds; not a byte is written where nothing changes."""
    held = _mended(path)
    before = json.dumps(held)
    for (field, name), value in news.items():
        _add(held, field, name, value)
    if json.dumps(held) != before:
        write(path, _text(held))


def _text(held):
    return json.dumps({"version": VERSION} | held, indent=1) + "\n"


def _add(held, field, name, value):
    if FIELDS[field] is dict:
        if value is not None:
            held.setdefault(field, {})[name] = value
        elif field in held:
            held[field].pop(name, None)
    elif name not in held.setdefault(field, []):
        held[field].append(name)
        held[field].sort(key=str)


def _save_at_rest():
    """Save once nothing has changed for a while, without anybody waiting for it."""
    with _TURN:
        _AT_REST["due"] = time.monotonic() + REST
        begins = _AT_REST["thread"] is None
        if begins:
            _AT_REST["thread"] = threading.Thread(target=_wait_and_save, name=FILE, daemon=True)
    try:
        if begins:
            _AT_REST["thread"].start()
    except RuntimeError:  # in a browser there are no threads, and the disk is memory
        _AT_REST["thread"] = None
        _save()


def _wait_and_save():
    while (wait := _AT_REST["due"] - time.monotonic()) > 0:
        time.sleep(wait)
    with _TURN:
        _AT_REST["thread"] = None
    _save()


atexit.register(_save, LONGEST_WAIT_AT_EXIT)
