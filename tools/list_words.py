"""Lists every string that a learner meets beside the texts: captions, labels, guesses, goals, hints, messages.

    python tools/list_words.py [chapter ...]

So that somebody who has not written them can read them in one go: riddles out, one word for one thing. Strings of code
that nobody sees (file names, colours, keywords of a library) are left out as far as a script can tell.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "notebooks" / "source"
CELL = re.compile(r"```\{code-cell\}[^\n]*\n(.*?)```", re.DOTALL)
QUIET = re.compile(r"[#\w.\-+=|:/*<>^, ]{0,12}|[a-z_]+")  # "o-", "upper left", "linewidth"


def strings(code):
    """Yield (line, where, text) of the strings in a piece of code; ``where`` is the call or name that takes it."""
    tree = ast.parse(code)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and node.body
        and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(parents.get(node), ast.JoinedStr):
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
                           for part in node.values)  # fmt: skip
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            text = node.value
        else:
            continue
        place = node
        while place in parents and not isinstance(parents[place], ast.Call | ast.Assign | ast.Return | ast.keyword):
            place = parents[place]
        taker = parents.get(place)
        where = (
            taker.arg if isinstance(taker, ast.keyword)
            else ast.unparse(taker.func).split(".")[-1] if isinstance(taker, ast.Call)
            else "caption" if isinstance(taker, ast.Return) else ""
        )  # fmt: skip
        if not QUIET.fullmatch(text):
            yield node.lineno, where, text


def words_of(number):
    """Yield (place, where, text) for a chapter: its notebook's code cells, then its graders."""
    path = next(SOURCES.glob(f"{number:02d}_*.md"))
    text = path.read_text(encoding="utf-8")
    for match in CELL.finditer(text):
        start = text.count("\n", 0, match.start(1)) + 1
        code = "\n".join("" if line.startswith(":") else line for line in match[1].split("\n"))
        for line, where, said in strings(code):
            yield f"{path.name}:{start + line - 1}", where, said
    graders = ROOT / "mlcore" / "classroom" / "exercises" / f"{path.stem[3:]}.py"
    if graders.exists():
        for line, where, said in strings(graders.read_text(encoding="utf-8")):
            yield f"{graders.name}:{line}", where, said


def main():
    """Read the command line; print the strings of the chapters."""
    parser = argparse.ArgumentParser(description="List every string that a learner meets beside the texts.")
    parser.add_argument("chapters", nargs="*", type=int, help="numbers; all if left out")
    chapters = parser.parse_args().chapters or range(27)
    for number in chapters:
        for place, where, said in words_of(number):
            print(f"{place}\t{where}\t{' '.join(said.split())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
