"""The list of the class: who should have handed in, and which of them a name in a path is."""

import csv
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

FULL = {"name", "full name", "student", "student name", "姓名", "名字", "学生姓名", "学生"}
FIRST = {"first name", "given name", "名"}
LAST = {"last name", "surname", "family name", "姓"}
IDS = {"id", "student id", "id number", "number", "student number", "sis user id", "sis login id", "login", "username",
       "user name", "user", "email", "e-mail", "email address", "学号", "账号", "用户名", "邮箱"}  # fmt: skip
SHORTEST = 3  # letters or digits of an id that is looked for within a longer name


@dataclass(frozen=True)
class Entry:
    """A student of the class: the name to show, unlike any other's, and the numbers, logins and addresses."""

    label: str
    name: str
    ids: tuple

    @property
    def id(self):
        """The first of the ids, or ""."""
        return self.ids[0] if self.ids else ""


class Roster:
    """The students of a class, in the order of the list."""

    def __init__(self, people):
        """Take pairs (name, ids)."""
        people = list(dict.fromkeys((name or ids[0], ids) for name, ids in people))
        counts, seen, self.entries = Counter(name for name, _ in people), Counter(), []
        for name, ids in people:
            seen[name] += 1
            other = ids[0] if ids else f"({seen[name]})"
            self.entries.append(Entry(name if counts[name] == 1 else f"{name} {other}", name, ids))

    def find(self, names):
        """Return the entries that the first telling one of these names means: one, none, or several in doubt.

        An id counts for more than a name. A name is found with its parts in any order, joined or apart.
        """
        for name in names:
            by_id = [entry for entry in self.entries if any(_holds_id(name, id) for id in entry.ids)]
            found = by_id or self._by_name(name)
            if found:
                return found
        return []

    def _by_name(self, name):
        told = _words(name)
        for fits in (_is_all_of, _holds, _is_part_of):
            found = [entry for entry in self.entries if fits(told, _words(entry.name))]
            longest = max((len("".join(_words(entry.name))) for entry in found), default=0)
            if fits is _holds:  # 李雷雷 holds 李雷 too
                found = [entry for entry in found if len("".join(_words(entry.name))) == longest]
            if found:
                return found
        return []


def read_roster(path):
    """Return the Roster in a file: one name a line, or a table with a line of titles (name, id, first name, ...).

    Commas, semicolons or tabs; UTF-8, UTF-16, or what Excel writes in China and in Europe.

    Raises
    ------
    ValueError
        If there is no name in it. OSError if it cannot be read.
    """
    content = path.read_bytes()
    if content[:2] == b"PK":
        raise ValueError("it is no CSV file: save it from Excel as CSV")
    lines = [line for line in _decoded(content).splitlines() if line.strip() and not line.lower().startswith("sep=")]
    if not lines:
        raise ValueError("it is empty")
    comma = max("\t;,", key=lines[0].count)
    rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(lines, delimiter=comma)]
    people = [person for person in _people(rows) if any(person) and person[0] != "Points Possible"]  # Canvas's own line
    if not people:
        raise ValueError("there is no name in it")
    return Roster(people)


def _people(rows):
    """Yield (name, ids) of each line, by the titles in the first one, or by what is in the columns if it has none."""
    titles = [title.casefold() for title in rows[0]]
    kinds = {kind: [i for i, title in enumerate(titles) if title in words]
             for kind, words in {"full": FULL, "first": FIRST, "last": LAST, "ids": IDS}.items()}  # fmt: skip
    if any(kinds.values()):
        named = kinds["full"][:1] or [*kinds["first"][:1], *kinds["last"][:1]]
        rows = rows[1:]
    for row in rows:
        if any(kinds.values()):
            name, ids = [row[i] for i in named if i < len(row)], [row[i] for i in kinds["ids"] if i < len(row)]
        else:
            ids = [cell for cell in row if re.search(r"[\d@]", cell)]
            name = [cell for cell in row if cell not in ids]
        yield " ".join(filter(None, name)), tuple(filter(None, ids))


def _decoded(content):
    """The text of a file in whatever it was written."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8-sig" or not re.search(r"[a-z][一-鿿]|[一-鿿][a-z]", text):  # Müller is no M黮ler
            return text
    return content.decode("cp1252", "replace")


def _plain(text):
    """Without accents, in small letters."""
    parts = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _words(text):
    """The words of a name, also where a capital begins one: LiLei_2 has li and lei."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return re.findall(r"[^\W\d_]+|\d+", _plain(apart))


def _holds_id(name, id):
    """Whether a name holds an id as a word of its own, or the part of an address before the @."""
    for one in {id, id.partition("@")[0]}:
        if _plain(name) == _plain(one):
            return True
        if len(one) >= SHORTEST and re.search(rf"(?<![^\W_]){re.escape(_plain(one))}(?![^\W_])", _plain(name)):
            return True
    return False


def _orders(words):
    return {"".join(words), "".join(reversed(words)), "".join([*words[-1:], *words[:-1]])}


def _is_all_of(told, wanted):
    """The same words in any order, or joined."""
    return bool(wanted) and (sorted(told) == sorted(wanted) or bool(_orders(told) & _orders(wanted)))


def _holds(told, wanted):
    """All words of the name among others; Chinese names have no gaps around them."""
    if not wanted:
        return False
    if set(wanted) <= set(told) or _orders(wanted) & set(told):
        return True
    joined = "".join(wanted)
    return len(joined) > 1 and "一" <= joined[0] <= "鿿" and joined in "".join(told)


def _is_part_of(told, wanted):
    """Two words of a longer name."""
    return len(set(told)) > 1 and set(told) <= set(wanted)
