"""News of the course, told in the learner's own copies: which chapters have a newer version than the copy here.

``make lab`` replaces the copies that nobody has worked in, and keeps the others. What it says of them stands in a
terminal; here it stands on the page, in the first output of the chapter, and of chapter 0 for all. Told once a kernel,
and only in the folder of the copies (my/).
"""

import hashlib
import json
import os
from pathlib import Path

from mlcore.base import say
from mlcore.classroom.calm import running_shell
from mlcore.classroom.memory import COPIES

__all__ = ["tell_news"]

START = "00_start_here.ipynb"


def tell_news():
    """Say that the course has a newer version of this notebook; in chapter 0, of which it has."""
    if not hasattr(running_shell(), "kernel"):
        return
    here = Path.cwd()
    record = _record(here / COPIES)
    name = os.path.basename(os.environ.get("JPY_SESSION_NAME", ""))  # the server tells a kernel whose it is
    names = sorted(record) if name == START else [name] if name in record else []
    newer = [name for name in names if _is_newer(here.parent / "notebooks" / name, record[name])]
    if newer:
        which = "this notebook" if newer == [name] else _listed(newer)
        reset = "python tools/copies.py --reset {}" if os.name == "nt" else "make reset CHAPTER={}"
        say(f"The course has a newer version of {which} than your copy.\n"
            f"In a terminal, {reset.format(_short(newer[0]))} brings it and puts yours aside.")  # fmt: skip


def _record(path):
    """{name: digest of the course's notebook that was copied}, as tools/copies.py wrote it."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {name: was[0] for name, was in record.items()}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}


def _is_newer(path, was):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() != was
    except OSError:
        return False


def _short(name):
    """What ``reset`` calls a notebook: the number of a chapter, or another one's name."""
    number = name.split("_")[0]
    return str(int(number)) if number.isdecimal() else name.removesuffix(".ipynb")


def _listed(names):
    """Such as "chapter 2, chapter 7 and the glossary"."""
    words = [f"chapter {name}" if name.isdecimal() else f"the {name}" for name in map(_short, names)]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
