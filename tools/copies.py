"""The learner's own copies of the notebooks, in my/, which git ignores.

    python tools/copies.py [--reset CHAPTER]

make lab calls it: what is missing in my/ is copied from notebooks/; a copy that nobody has worked in is replaced when
the course's notebook has changed; one that somebody has worked in is kept, and named. To have run cells is no work:
what counts is whether the text of a cell differs. What cannot be read as a notebook is kept and named too, and so is
what is no plain file. --reset puts the old copy aside, under the date and time, and makes a fresh one.
"""
import argparse
import contextlib
import errno
import hashlib
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from mlcore.classroom import files  # noqa: E402

COURSE = os.path.join(ROOT, "notebooks")
MINE = os.path.join(ROOT, "my")
RECORD = ".copies.json"
SPARE = ".~"
"""The head of the name of the last whole version, while JupyterLab saves; killed then, it opens that one next time."""
CHANGED, BROKEN, HALF = "somebody has worked in it", "it cannot be read as a notebook", "it is only half saved"


def texts(path):
    """A digest of the text of a notebook's cells, which is what a learner may have changed; None if it is broken."""
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        told = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def read_record(mine):
    """Return {name: [digest of the course's file, digest of its texts]} of what was copied; empty if not known."""
    try:
        with open(os.path.join(mine, RECORD), encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    known = record.items() if isinstance(record, dict) else ()
    return {name: was for name, was in known if isinstance(was, list) and list(map(type, was)) == [str, str]}


def write_record(mine, record):
    """Write the record, where it is not as it was; its place in my/ also tells mlcore.memory where it is."""
    path = os.path.join(mine, RECORD)
    if os.path.isfile(path) and record == read_record(mine):
        return
    if os.path.isdir(path):
        files.put_aside(path)
    files.write(path, json.dumps(record, indent=1, sort_keys=True))


def of_course(course):
    """The names of the course's notebooks, in order."""
    entries = [entry.name for entry in os.scandir(course) if entry.is_file() and entry.name.endswith(".ipynb")]
    return sorted(name for name in entries if not name.startswith("."))


def update(course=COURSE, mine=MINE):
    """Bring my/ up to date. Return the names made, those replaced, and {name: why} of those kept."""
    os.makedirs(mine, exist_ok=True)
    with files.locked(os.path.join(mine, RECORD)):
        return _update(of_course(course), course, mine)


def _update(names, course, mine):
    record, made, replaced, kept = read_record(mine), [], [], {}
    for name in names:
        source, target = os.path.join(course, name), os.path.join(mine, name)
        with open(source, "rb") as file:
            fresh = file.read()
        was, now = record.get(name), hashlib.sha256(fresh).hexdigest()
        if not os.path.lexists(target):
            with contextlib.suppress(FileExistsError):  # somebody saves under this name just now
                files.write_new(target, fresh)
                made.append(name)
                record[name] = [now, texts(source)]
        elif (held := texts(target)) is None:
            kept[name] = HALF if texts(os.path.join(mine, SPARE + name)) else BROKEN
        elif was and was[0] == now:
            continue
        elif held not in (was and was[1], texts(source)) or not _replaced(target, held, fresh):
            kept[name] = CHANGED
        else:
            replaced.append(name)
            record[name] = [now, texts(source)]
    write_record(mine, record)
    return made, replaced, kept


def _replaced(target, held, fresh):
    """Put the fresh copy in place of one with these texts; False if it is a link, or somebody saves just now."""
    if os.path.islink(target):
        return False
    try:
        aside, done = files.put_aside(target), False  # from here on nothing that is saved under its name touches it
    except FileNotFoundError:
        return False
    try:
        if texts(aside) == held:
            files.write_new(target, fresh)
            done = True
    except FileExistsError:
        pass
    finally:
        if not done:
            files.put_back(aside, target)
    if done:
        with contextlib.suppress(OSError):
            os.unlink(aside)
    return done


def reset(chapter, course=COURSE, mine=MINE):
    """Put the copy of a chapter aside and make a fresh one. Return both names; the first is None if there was none."""
    number = f"{int(chapter):02d}_" if str(chapter).isdecimal() else str(chapter)
    names = [name for name in of_course(course) if name.startswith(number)]
    if len(names) != 1:
        which = f"there is no chapter {chapter}; name one" if chapter else "which chapter? Name it"
        raise ValueError(f"{which} by its number, such as make reset CHAPTER=2")
    target = os.path.join(mine, names[0])
    os.makedirs(mine, exist_ok=True)
    with files.locked(os.path.join(mine, RECORD)):
        aside = None
        with contextlib.suppress(FileNotFoundError):
            aside = files.put_aside(target)
            files.put_aside(os.path.join(mine, SPARE + names[0]), names[0])
        try:
            _update(names, course, mine)
        except OSError as error:
            if aside and not files.put_back(aside, target):
                error.add_note(f"; your copy is now my/{aside.name}")
            raise
    return aside and aside.name, names[0]


def say_what_was_kept(kept):
    """The lines for copies that were kept though the course has a newer one, or that cannot be read."""
    for name, why in kept.items():
        number = name.split("_")[0]
        how = f"make reset CHAPTER={int(number)}" if number.isdecimal() else "make reset CHAPTER=" + name[:-6]
        if why == HALF:
            line = f"my/{name} was kept, but {why}: open it, and JupyterLab brings back the version saved before"
        elif why == BROKEN:
            line = f"my/{name} was kept as it is, but {why}: {how} puts it aside and brings a fresh copy"
        else:
            line = (f"my/{name} was kept, for you have worked in it; the course has a newer one: {how} "
                    "brings it and puts yours aside")  # fmt: skip
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def trouble(error):
    """One line for an OSError: what could not be done, and what helps."""
    what_helps = "the folder of the course must be yours to write to"
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
        what_helps = "make room on the disk"
    elif isinstance(error, TimeoutError):
        what_helps = "run it again"
    notes = "".join(getattr(error, "__notes__", ()))
    return f"your copies of the notebooks cannot be written in {MINE}: {error.strerror or error}; {what_helps}{notes}"


def main():
    """Read the command line; bring my/ up to date, or make one chapter afresh."""
    parser = argparse.ArgumentParser(description="Bring your own copies of the notebooks, in my/, up to date.")
    parser.add_argument("--reset", metavar="CHAPTER", help="a fresh copy of this chapter; yours is put aside")
    options = parser.parse_args()
    try:
        if options.reset is not None:
            aside, fresh = reset(options.reset)
            if aside:
                sys.stdout.write(f"your copy is now my/{aside}\n")
            sys.stdout.write(f"my/{fresh} is fresh\n")
        else:
            say_what_was_kept(update()[2])
    except ValueError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"error: {trouble(error)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
