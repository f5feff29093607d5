"""Reads the names of files that were handed in: which chapter, whose, and what copying has added.

Platforms and browsers rename what students hand in, so nothing is asked of a name but that the course's own word for
the chapter is somewhere in it or in a folder's, such as ``02_linear_regression`` or ``linear_regression``. What else
stands in the path are names, of the student, perhaps of a class or an assignment around it.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from mlcore.course import CHAPTERS

NOTEBOOK = re.compile(r"\.ipynb|\.(?:json|txt|download)$", re.IGNORECASE)  # browsers and mail add .txt or .json

# How learning platforms name what they hand to a teacher. `number` tells people of one name apart, and is shown only
# where it has to; `file` is the name that the student gave.
PLATFORMS = (
    # Moodle: Li Lei_12345_assignsubmission_file_/02_linear_regression.ipynb
    re.compile(r"(?P<who>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)"),
    # Canvas: lilei_LATE_12345_678910_02_linear_regression-1.ipynb
    re.compile(r"(?P<who>.+?)(?:_LATE)?_(?P<number>[1-9]\d{2,})_(?P<part>[1-9]\d{4,})(?:_(?P<file>.*))?"),
    # Blackboard: Assignment_lilei_attempt_2026-11-01-10-11-12_02_linear_regression.ipynb
    re.compile(r"(?:.*_)?(?P<who>[^_]+)_attempt_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<file>.*))?"),
    # Brightspace: 12345-678910 - Li Lei - Nov 1, 2026 1011 AM - 02_linear_regression.ipynb
    re.compile(r"(?P<number>\d+-\d+) - (?P<who>.+?) - \w{3} \d+, \d{4} \d+ [AP]M(?: - (?P<file>.*))?"),
)
DATE = re.compile(r"\(?(\d{4})-(\d\d)-(\d\d)[ _-](\d\d)[.:-](\d\d)[.:-](\d\d)(?:, \d+)?\)?(?: again)*")

# What people and programs write around a chapter's name, and what is no student's name.
TASK = (
    r"(?:hw|homework|assignment|exercises?|week|chapter|lesson|lecture|作业)[ _-]?\d{0,2}|ch[ _-]?\d{1,2}"
    r"|第.{1,3}[章周课次]"
)
COPY = r"copy of|copie de|kopie von|的?副本"
EDITED = (
    r"copy ?\d*|old|new|final|draft|done|finished|submission|submitted|answers?|solved|backup|bak|v\d{1,2}"
    r"|最终版?|修改版?|提交|答案|(?:my[ _-]?)?progress"
)
PROGRESS = re.compile(r"(?<![a-z])(?:my[ _-]?)?progress(?![a-z])", re.IGNORECASE)
NO_NAME = re.compile(
    rf"|{TASK}|(?:lab|unit|ps|v|attempt|version)[ _-]?\d{{1,2}}|submissions?|submitted|autograded|downloads?|notebooks?"
    r"|my|progress|student|machine-learning(?: \(\d+\))?|old|new|final|backup",
    re.IGNORECASE,
)
EDGE = " _-–—.,;~'\"“”"
BRACKETS = ("()", "（）", "[]", "【】", "{}")


def _pattern(chapter):
    """The chapter's name in any spelling: 02_linear_regression, linear-regression, 2 Linear Regression."""
    words = r"[\s_\-.]*".join(chapter.name.split("_"))
    return re.compile(rf"(?:(?<!\d)0?(?P<number>{chapter.number})[\s_\-.]*|(?<![a-z])){words}(?![a-z])", re.IGNORECASE)


PATTERNS = {chapter: _pattern(chapter) for chapter in CHAPTERS}


def find_chapter(text):
    """Return (chapter, start, end) of the one chapter that a name speaks of, or None.

    A name with its number counts for more than one without; if it speaks of several, it does not say which.
    """
    found = [(chapter, match) for chapter, pattern in PATTERNS.items() if (match := pattern.search(text))]
    numbered = [pair for pair in found if pair[1]["number"]]
    found = numbered or found
    return (found[0][0], *found[0][1].span()) if len(found) == 1 else None


def _cut(text, *words):
    """Take words, separators, brackets and a copy's number, (1), off the ends of a text, again and again."""
    ends = re.compile(rf"^(?:{'|'.join(words)})(?![^\W_])|(?<![^\W_])(?:{'|'.join(words)})$", re.IGNORECASE)
    text, before = re.sub(r"[(（]\d{1,2}[)）]", " ", text), None
    while before != text:
        before, text = text, text.strip(EDGE)
        if text[:1] + text[-1:] in BRACKETS:
            text = text[1:-1]
        text = ends.sub("", text)
    return text


def who_remains(text, start, end):
    """What a name says beside the chapter at [start:end], without what copying and editing have added."""
    return "_".join(filter(None, [_cut(text[:start], TASK, COPY), _cut(text[end:], TASK, COPY, EDITED)]))


class Name(NamedTuple):
    """A student's name, with the number that a platform gave."""

    who: str
    number: str = ""

    def __str__(self):
        return "_".join(filter(None, self))


@dataclass(frozen=True)
class Names:
    """What a path says: its chapter or None, names from the outside in, a date, and whether it says nothing else."""

    chapter: object
    names: tuple
    date: str
    exact: bool


def parse(where):
    """Return the Names in a path such as "li/02_linear_regression (1).ipynb"."""
    *folders, file = unicodedata.normalize("NFC", where).split("/")
    names, date, chapter = [], "", None
    for folder in folders:
        found, rest, dated = _platform(re.sub(r"\.zip$", "", folder, flags=re.IGNORECASE))
        if place := find_chapter(rest):
            chapter, rest = place[0], who_remains(rest, *place[1:])
        names += found + _name(rest)
        date = dated or date
    found, rest, dated = _platform(NOTEBOOK.sub("", NOTEBOOK.sub("", file)).strip())
    names += found
    if aside := DATE.search(rest):
        dated, rest = "-".join(aside.groups()), rest[: aside.start()] + rest[aside.end() :]
    if place := find_chapter(rest):
        beside = rest[: place[1]] + rest[place[2] :]
        chapter, rest = place[0], who_remains(rest, *place[1:])
        exact = not aside and _letters(beside) == ("" if names else _letters(rest))
    else:
        place = PROGRESS.search(rest)
        rest, exact = who_remains(rest, *place.span()) if place else _cut(rest, TASK, COPY), False
    return Names(chapter, tuple(dict.fromkeys(names + _name(rest))), dated or date, exact)


def _platform(text):
    """([Name], the rest, the date) in a name that a learning platform made; ([], text, "") in any other."""
    for pattern in PLATFORMS:
        if match := pattern.fullmatch(text):
            parts = {key: value or "" for key, value in match.groupdict().items()}
            found = [Name(parts["who"], parts.get("number", "")), *_name(parts.get("part", ""))]
            return found, parts["file"], parts.get("date", "")
    return [], text, ""


def _name(text):
    return [] if NO_NAME.fullmatch(text) else [Name(text)]


def _letters(text):
    return re.sub(r"[\W_]", "", text).casefold()


def same_name(text):
    """What two spellings of one name have in common: capitals and the kind of separator do not matter."""
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKC", str(text)).casefold()).strip("_") or str(text)
