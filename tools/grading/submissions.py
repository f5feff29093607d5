"""Finds out which of the files that were handed in is whose, and of which chapter.

The chapter is what the name says (names.py), and where it does not, what the notebook's exercises say. The student is
the first folder, or, without one, the rest of the file's name; with a list of the class, the one whose name or number
the path holds. A file of progress, as a page of the site or ``mlcore.memory`` writes it, is known by what it holds.
Every file ends in one of three lists: taken to be run, said, or left, the last with the reason.
"""

import json
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from mlcore import memory
from mlcore.course import CHAPTERS, Chapter
from mlcore.exercises import exercises_of
from tools.grading.files import files_in
from tools.grading.names import NOTEBOOK, PROGRESS, parse, same_name

PACKED = re.compile(r"\.(?:rar|7z|gz|tgz|bz2|xz|tar)$", re.IGNORECASE)
GRADED = re.compile(r"""\bgrade\(\s*["'](\d+)\.\d+["']""")
HEADING = re.compile(r"^# (\d+)\. ", re.MULTILINE)


@dataclass(frozen=True)
class Notebook:
    """What the report needs of a notebook: its code cells, with None for the course's solutions, and its chapters."""

    cells: tuple
    chapters: tuple
    """The numbers of the chapters whose exercises it holds; without any, that of its heading."""


@dataclass(frozen=True)
class Submission:
    """A notebook that is taken: whose it is, which chapter, and where it was found."""

    student: str
    chapter: Chapter
    where: str
    """The path below the folder of the submissions, with / between its parts."""
    notebook: Notebook = field(repr=False)
    note: str = ""
    names: tuple = ()
    """All Names in the path, from the outside in: one of them is the student's."""
    rank: tuple = ()
    """Of two of one student and chapter the one with the larger rank is taken."""
    id: str = ""
    """The student's number on the class list, if there is one."""


@dataclass(frozen=True)
class Said:
    """A file of progress: what a student says to have solved."""

    student: str
    where: str
    exercises: frozenset
    """Those of the course alone."""
    note: str = ""
    names: tuple = ()
    id: str = ""
    chapter = None


@dataclass(frozen=True)
class Left:
    """A file that is not taken, and why."""

    where: str
    why: str


def read_notebook(content):
    """Return the Notebook in a file's bytes; ValueError, with the reason, if there is none."""
    if not content.strip():
        raise ValueError("empty")
    try:
        cells = json.loads(content)["cells"]
        kept, text = [], []
        for cell in cells:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                tagged = "solution" in ((cell.get("metadata") or {}).get("tags") or ())
                # as grade itself sees it: a platform may have lost the tag, and nobody has solved anything by this cell
                kept.append(None if tagged or source.startswith("# Solution") else source)
            text.append((cell["cell_type"], source))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("not a notebook that can be read") from None
    counts = Counter(int(number) for kind, source in text if kind == "code" for number in GRADED.findall(source))
    heading = next((int(m[1]) for kind, source in text if kind == "markdown" and (m := HEADING.search(source))), None)
    known = [number for number in sorted(counts) if number < len(CHAPTERS)]
    if heading in known or (not known and heading is not None and heading < len(CHAPTERS)):
        known = [heading]
    return Notebook(tuple(kept), tuple(known))


def read_progress(content):
    """Return the exercises solved in the bytes of a file of progress; ValueError, with the reason, if there is none."""
    if not content.strip():
        raise ValueError("empty")
    told = memory.read(content).get("exercises", ())
    known = {exercise.id for chapter in CHAPTERS for exercise in exercises_of(chapter.number)}
    solved = known & {name for name in told if isinstance(name, str)}
    if not solved:
        raise ValueError("progress without a solved exercise of the course")
    return frozenset(solved)


def collect(folder, roster=None):
    """Sort out a folder, or a zip, of submissions.

    Parameters
    ----------
    folder : Path
    roster : grading.roster.Roster, optional
        The list of the class; a path that holds one of its names or numbers is that student's.

    Returns
    -------
    taken : list of Submission
        In the order of chapters and students.
    said : list of Said
    left : list of Left
    """
    taken, left = [], []
    for where, modified, read in files_in(folder):
        try:
            taken += _read_one(where, modified, read)
        except OSError as error:
            left.append(Left(where, f"cannot be read: {error.strerror or error}"))
        except ValueError as error:
            left.append(Left(where, str(error)))
    taken, best = _with_students(taken, roster), {}
    said = sorted((one for one in taken if isinstance(one, Said)), key=lambda one: one.where)
    taken = [one for one in taken if isinstance(one, Submission)]
    for one in sorted(taken, key=lambda one: one.rank, reverse=True):
        key = (same_name(one.student), one.chapter.number)
        first = best.setdefault(key, one)
        if first is not one:
            left.append(Left(one.where, f"{first.where} is taken, of the same student and chapter"))
    order = sorted(best.values(), key=lambda one: (one.chapter.number, same_name(one.student), one.student))
    return order, said, sorted(left, key=lambda one: one.where)


def _read_one(where, modified, read):
    """What is in one file: a submission, or one for each chapter whose exercises it holds; or what is said."""
    name = where.rsplit("/", 1)[-1].lower()
    if isinstance(read, Exception):
        raise read
    if PACKED.search(name):
        raise ValueError("packed in a way that is not read here: unpack it")
    if not NOTEBOOK.search(name):
        raise ValueError("not a notebook")
    content = read()
    try:
        notebook = read_notebook(content)
    except ValueError:
        if ".ipynb" in name:
            raise
        return _read_said(where, content)
    said, numbers, note = parse(where), notebook.chapters, ""
    if said.chapter and (said.chapter.number in numbers or not numbers):
        numbers = (said.chapter.number,)
    elif said.chapter:
        note = f"its name says chapter {said.chapter.number}, its exercises are of another"
    if not numbers:
        raise ValueError("no chapter of the course: none in its name, and no exercise in it")
    when = said.date or time.strftime("%Y-%m-%d-%H-%M-%S", time.localtime(modified))
    untouched = "notebooks" in where.split("/")[:-1]  # the course's own, where a student hands in the whole folder
    return [
        Submission("", CHAPTERS[number], where, notebook, note, said.names, (not untouched, said.exact, when, where))
        for number in numbers
    ]


def _read_said(where, content):
    names = parse(where).names
    try:
        exercises = read_progress(content)
    except ValueError as error:
        raise ValueError(str(error) if PROGRESS.search(where.rsplit("/", 1)[-1]) else "not a notebook") from None
    if not names:
        raise ValueError("progress of nobody: no student in its name")
    return [Said("", where, exercises, names=names)]


def _with_students(taken, roster):
    """Give each submission its student: from the class list, else by the part of its path that is a name."""
    spellings, students = {}, []
    for one, label in zip(taken, _labels(taken), strict=True):
        student, id, notes = spellings.setdefault(same_name(label), label) or one.where, "", [one.note]
        found = roster.find([str(name) for name in one.names] or [one.where]) if roster else []
        if len(found) == 1:
            student, id = found[0].label, found[0].id
        elif found:
            notes.append("on the class list this could be " + " or ".join(entry.label for entry in found))
        elif roster:
            notes.append("not on the class list")
        elif not label:
            notes.append("no student in its name")
        students.append(replace(one, student=student, id=id, note="; ".join(filter(None, notes))))
    return students


def _labels(taken):
    """The student of each, as its path says it; without the folder that all are in, and the numbers that none needs."""
    own = [one.names[:depth] for one, depth in zip(taken, _depths(taken), strict=True)]
    while own and all(len(names) > 1 for names in own) and len({names[0] for names in own}) == 1:
        own = [names[1:] for names in own]
    people = defaultdict(set)
    for names in own:
        people[same_name(_short(names))].add(tuple(map(same_name, names)))
    return [
        _short(names) if len(people[same_name(_short(names))]) == 1 else "/".join(map(str, names)) for names in own
    ]


def _short(names):
    return "/".join(name.who for name in names)


def _depths(taken):
    """How many of a path's names make the student: one, and more where a folder holds several people's work.

    A folder does where it has one chapter more than once, each under a name of its own.
    """
    depth = [1] * len(taken)
    while True:
        groups = defaultdict(list)
        for i, one in enumerate(taken):
            groups[tuple(map(same_name, one.names[: depth[i]]))].append(i)
        deeper = set()
        for outer, members in groups.items():
            inner = defaultdict(set)
            for i in members:
                below = taken[i].names[len(outer) :]
                inner[taken[i].chapter].add(same_name(below[0]) if below else "")
            if outer and any(len(names) > 1 and "" not in names for names in inner.values()):
                deeper |= {i for i in members if len(taken[i].names) > len(outer)}
        if not deeper:
            return depth
        for i in deeper:
            depth[i] += 1
