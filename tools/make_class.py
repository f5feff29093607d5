"""Writes class.zip: what a student needs, and no solutions.

    python tools/make_class.py [--to class.zip]

It holds the notebooks without solutions, mlcore, the pinned versions and the tools that open the course. With Python
3.11 or newer a student unpacks it and runs  python tools/lab.py  in the folder; nothing else has to be there.
"""

import argparse
import sys
import zipfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.make_student import student_copy  # noqa: E402

FOLDER = "machine-learning"
SINGLE = ("LICENSE", "Makefile", "pyproject.toml", "constraints.txt", "tools/setup_env.py", "tools/packages.py",
          "tools/progress.py", "tools/lab.py", "tools/copies.py", "tools/find_python.sh")  # fmt: skip
START = """Classical machine learning, step by step

You need Python 3.11 or newer (python.org). In this folder run

    python tools/lab.py        (Windows; elsewhere perhaps  python3 tools/lab.py)

The first time it takes half a minute or so and needs the network; then the course opens in your browser. Your own
copies of the notebooks are in my/. Write your answers there, save (Ctrl+S), and hand in the files that your teacher
asks for.
"""
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same contents give the same file


def members():
    """Yield (name in the archive, bytes) of everything in it, in order."""
    yield "START_HERE.txt", START.encode()
    yield "README.md", START.encode()  # pyproject.toml names it
    for name in SINGLE:
        yield name, (ROOT / name).read_bytes()
    for folder in ("mlcore", "tools/jupyter"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_bytes()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        copy = nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n"
        yield f"notebooks/{path.name}", copy.encode()


def write(target):
    """Write the archive; return how many files it holds."""
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members():
            archive.writestr(zipfile.ZipInfo(f"{FOLDER}/{name}", EPOCH), content, zipfile.ZIP_DEFLATED)
            count += 1
    return count


def main():
    """Read the command line; write; say so."""
    parser = argparse.ArgumentParser(description="Write class.zip: the course for students, without solutions.")
    parser.add_argument("--to", type=Path, default=ROOT / "class.zip", help="the file to write")
    target = parser.parse_args().to
    count = write(target)
    print(f"{target.name}: {count} files, {target.stat().st_size / 1e6:.1f} MB; unpack it and run python tools/lab.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
