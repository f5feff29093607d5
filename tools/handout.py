"""Writes the notebooks as pages to print or to hand out, handout/*.html: make handout.

    python tools/handout.py [--short] [name ...]

A page needs neither Python nor a network: its pictures are in it, with their descriptions, and its formulas are MathML,
which browsers set by themselves. Players become strips of pictures, guesses become questions with space to write, the
code of pictures is folded, solutions are left out. --short leaves formulas, pictures, questions and exercises. A name
is a number ("07") or a stem. For the first page a chapter is run, which takes a quarter of a minute.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.build_notebooks import BuildError  # noqa: E402
from tools.pages import page_of, title_of  # noqa: E402
from tools.stills import all_stills  # noqa: E402
from tools.terminal import bar, or_one_line  # noqa: E402


def chosen(names, folder=ROOT / "notebooks"):
    """The notebooks that the names mean (a number or a stem), or all of them."""
    paths = sorted(folder.glob("*.ipynb"))
    return [path for path in paths if not names or {path.stem, path.stem.partition("_")[0]} & set(names)]


def write(paths, target, make):
    """Write make(notebook with its stills, its title) for each of the paths into a folder; say how far it is."""
    target.mkdir(exist_ok=True)
    bar(0, len(paths), "running the chapters")
    for done, (path, nb) in enumerate(all_stills(paths), 1):
        text = make(nb, title_of(nb))
        (target / f"{path.stem}.html").write_text(text, encoding="utf-8")
        bar(done, len(paths), path.stem)
    size = sum(path.stat().st_size for path in target.glob("*.html"))
    print(f"{len(paths)} pages are in {target.name}/ ({size / 1e6:.0f} MB); open them in a browser")


@or_one_line
def main():
    """Read the command line; write the pages."""
    parser = argparse.ArgumentParser(description="Write notebooks as pages that need neither Python nor a network.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    parser.add_argument("--short", action="store_true", help="formulas, pictures, questions and exercises alone")
    options = parser.parse_args()
    paths = chosen(options.names)
    if not paths:
        print(f"error: there is no notebook called {', '.join(options.names)}", file=sys.stderr)
        return 1
    try:
        write(paths, ROOT / "handout", lambda nb, title: page_of(nb, title, options.short))
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
