"""Writes copies of the notebooks to student/, without solutions and without outputs.

    python tools/make_student.py [--force]

A copy that differs from what would be written is left alone, for someone may have worked in it; --force writes a fresh
one and puts the old one aside.
"""

import argparse
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mlcore.classroom import files  # noqa: E402
from tools.one_line import or_one_line  # noqa: E402

NOTEBOOKS = ROOT / "notebooks"
STUDENT = ROOT / "student"


def student_copy(nb: NotebookNode) -> NotebookNode:
    """Return a copy of the notebook without the cells tagged ``solution``, and with no outputs."""
    copy = nbformat.from_dict({**nb, "cells": [c for c in nb.cells if "solution" not in c.metadata.get("tags", ())]})
    copy.metadata["mlcore"] = {}  # still a chapter, but not what the whole notebook was built from
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return copy


def write_copies(notebooks: Path, student: Path, force: bool = False) -> tuple[list[str], list[str]]:
    """Write a copy of each notebook. Return the names of those written, and of those kept because they differ."""
    student.mkdir(exist_ok=True)
    written, kept = [], []
    for path in sorted(notebooks.glob("*.ipynb")):
        content = (nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n").encode()
        target = student / path.name
        if target.exists() and target.read_bytes() != content and not force:
            kept.append(path.name)
        else:
            files.write_keeping(target, content)
            written.append(path.name)
    return written, kept


@or_one_line
def main() -> int:
    """Read the command line; write the copies; say what was done."""
    parser = argparse.ArgumentParser(description="Write copies of the notebooks without solutions to student/.")
    parser.add_argument("--force", action="store_true", help="write fresh copies; those that differ are put aside")
    written, kept = write_copies(NOTEBOOKS, STUDENT, parser.parse_args().force)
    print(f"{len(written)} notebooks without solutions are in {STUDENT.name}/")
    for name in kept:
        print(f"kept {STUDENT.name}/{name}: it differs from the course's copy (ARGS=--force puts it aside and writes a "
              "fresh one)")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
