"""Writes the notebooks as pages to print or to read, handout/*.html: make handout.

    python tools/handout.py [--short] [name ...]

A page needs neither Python nor a network: its pictures are in it, with their descriptions, and its formulas are MathML,
which browsers set by themselves. Players become strips of pictures, guesses become questions with space to write, the
code of pictures is folded, solutions are left out. --short writes handout/short/*.html, with formulas, pictures,
questions and exercises alone. A name is a number ("07") or a stem. For its first page a chapter is run, which takes a
quarter of a minute.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.one_line import or_one_line  # noqa: E402
from tools.pages import page_of, write_pages  # noqa: E402


@or_one_line
def main():
    """Read the command line; write the pages."""
    parser = argparse.ArgumentParser(description="Write notebooks as pages that need neither Python nor a network.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    parser.add_argument("--short", action="store_true", help="formulas, pictures, questions and exercises alone")
    options = parser.parse_args()
    target = ROOT / "handout" / "short" if options.short else ROOT / "handout"
    return write_pages(options.names, target, lambda nb, title: page_of(nb, title, options.short))


if __name__ == "__main__":
    sys.exit(main())
