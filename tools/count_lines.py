"""Counts the lines of mlcore and of the tests, room by room: python tools/count_lines.py

Blank lines, comments and docstrings are counted apart from code. A line of code that does no more than check (an ``if``
whose body raises, an ``assert``, a call of ``check_...``) is counted as code, too.
"""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("code", "docstring", "comment", "blank")


def kinds_of(text: str) -> Counter:
    """How many lines of a module are of each kind."""
    lines = text.splitlines()
    kind = ["blank" if not line.strip() else "code" for line in lines]
    for node in ast.walk(ast.parse(text)):
        first = getattr(node, "body", None)
        first = first[0] if isinstance(first, list) and first else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            kind[first.lineno - 1 : first.end_lineno] = ["docstring"] * (first.end_lineno - first.lineno + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#"):
            kind[token.start[0] - 1] = "comment"
    return Counter(kind)


def rooms_of(folder: Path) -> dict[str, Counter]:
    """{room: kinds of lines}: each module and each folder of a package, folders of the classroom one by one."""
    rooms: dict[str, Counter] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        name = "/".join(parts[:2]) if parts[0] == "classroom" and len(parts) > 2 else parts[0]
        rooms.setdefault(name, Counter()).update(kinds_of(path.read_text(encoding="utf-8")))
    return rooms


def table(name: str) -> str:
    """The rooms of a folder of the project, largest first, with their sum."""
    rooms = rooms_of(ROOT / name)
    rooms = {room: rooms[room] for room in sorted(rooms, key=lambda room: -rooms[room].total())}
    rooms[f"{name} in all"] = sum(rooms.values(), Counter())
    rows = [f"{'':28}{'lines':>8}" + "".join(f"{kind:>11}" for kind in KINDS)]
    for room, kinds in rooms.items():
        rows.append(f"{room:28}{kinds.total():8,}" + "".join(f"{kinds[kind]:11,}" for kind in KINDS))
    return "\n".join(rows)


if __name__ == "__main__":
    print(table("mlcore"), table("tests"), sep="\n\n")
