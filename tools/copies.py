"""The learner's own copies of the notebooks, in my/, which git ignores.

    python tools/copies.py [--reset CHAPTER]

make lab calls it: what is missing in my/ is copied from notebooks/; a copy that nobody has worked in is replaced when
the course's notebook has changed; one that somebody has worked in is kept, and named. To have run cells is no work:
what counts is whether the text of a cell differs. --reset puts the old copy aside, under the date and time, and makes a
fresh one.
"""
import argparse
import hashlib
import json
import os
import shutil
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COURSE = os.path.join(ROOT, "notebooks")
MINE = os.path.join(ROOT, "my")
RECORD = ".copies.json"


def texts(path):
    """A digest of the text of a notebook's cells, which is what a learner may have changed; None if it is broken."""
    try:
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        told = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (ValueError, KeyError, TypeError):
        return None
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def contents(path):
    """A digest of a file."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_record(mine):
    """Return {name: [digest of the course's file, digest of its texts]} of what was copied; empty if not known."""
    try:
        with open(os.path.join(mine, RECORD), encoding="utf-8") as file:
            record = json.load(file)
        return record if isinstance(record, dict) else {}
    except (OSError, ValueError):
        return {}


def write_record(mine, record):
    """Write the record whole or not at all."""
    path = os.path.join(mine, RECORD)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(json.dumps(record, indent=1, sort_keys=True))
    os.replace(path + ".new", path)


def update(course=COURSE, mine=MINE):
    """Bring my/ up to date. Return the names made, replaced, and kept in spite of a change."""
    if not os.path.isdir(mine):
        os.mkdir(mine)
    record, made, replaced, kept = read_record(mine), [], [], []
    for name in sorted(entry for entry in os.listdir(course) if entry.endswith(".ipynb")):
        source, target = os.path.join(course, name), os.path.join(mine, name)
        was, now = record.get(name), contents(source)
        if not os.path.exists(target):
            made.append(name)
        elif was and was[0] == now:
            continue
        elif texts(target) in (was[1] if was else None, texts(source)):
            replaced.append(name)
        else:
            kept.append(name)
            continue
        shutil.copyfile(source, target)
        record[name] = [now, texts(source)]
    write_record(mine, record)
    return made, replaced, kept


def reset(chapter, course=COURSE, mine=MINE):
    """Put the copy of a chapter aside and make a fresh one. Return both names; the first is None if there was none."""
    number = f"{int(chapter):02d}_" if str(chapter).isdigit() else str(chapter)
    names = [name for name in sorted(os.listdir(course)) if name.endswith(".ipynb") and name.startswith(number)]
    if len(names) != 1:
        which = f"there is no chapter {chapter}; name one" if chapter else "which chapter? Name it"
        raise ValueError(f"{which} by its number, such as make reset CHAPTER=2")
    aside, target = None, os.path.join(mine, names[0])
    if os.path.exists(target):
        aside = "{} ({}).ipynb".format(names[0][:-len(".ipynb")], time.strftime("%Y-%m-%d %H.%M.%S"))
        os.rename(target, os.path.join(mine, aside))
    update(course, mine)
    return aside, names[0]


def say_what_was_kept(kept):
    """The lines for copies in which somebody has worked, and whose chapter has changed."""
    for name in kept:
        number = name.split("_")[0]
        how = f"make reset CHAPTER={int(number)}" if number.isdigit() else "make reset CHAPTER=" + name[:-6]
        sys.stdout.write(f"my/{name} was kept, for you have worked in it; the course has a newer one: {how} "
                         "brings it and puts yours aside\n")
    sys.stdout.flush()


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
        what = f"cannot write {error.filename or MINE}: {error.strerror}"
        sys.stderr.write(f"error: {what}; the folder of the course must be yours to write to\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
