"""Writes class.zip: what a student needs, and no solutions.

    python tools/make_class.py [--to class.zip]

It holds the notebooks without solutions, mlcore with sealed graders (mlcore/classroom/exercises/sealed.py), the pinned
versions, the tools that open the course, and a Makefile with their targets. With Python 3.11 or newer a student unpacks
it and runs  python tools/lab.py  in the folder; nothing else has to be there.
"""

import argparse
import os
import re
import sys
import zipfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mlcore.classroom.exercises.sealed import seal  # noqa: E402
from tools.make_student import student_copy  # noqa: E402
from tools.one_line import or_one_line  # noqa: E402

FOLDER = "machine-learning"
SINGLE = ("LICENSE", "pyproject.toml", "setup.py", "constraints.txt", "tools/setup_env.py", "tools/packages.py",
          "tools/progress.py", "tools/lab.py", "tools/copies.py", "tools/find_python.sh")  # fmt: skip
OPEN = ("__init__.py", "grading.py", "sealed.py", "tables.py")  # of the exercises: what graders are made of
TARGET = re.compile(r"^([a-z][a-z-]*):.*\n(?:\t.*\n)+\n?", re.MULTILINE)
SCRIPT = re.compile(r"tools/\w+\.(?:py|sh)")
README = """# Classical machine learning, step by step

You need Python 3.11 or newer (python.org). In this folder run

    python tools/lab.py        (Windows; elsewhere perhaps  python3 tools/lab.py  or  make lab)

The first time it takes half a minute or so and needs the network; then the course opens in your browser, at chapter 0,
which shows you round. Later it starts at once, and needs no network.

- Your own copies of the notebooks are in my/. Write into them as you like, and save with Ctrl+S.
- Exercises answer back: replace the three dots and run the cell. Their solutions are with your teacher.
- What you have solved is kept in my/progress.json, on your computer alone. The map in chapter 0 shows it.
- To hand in: the files of my/ that your teacher asks for, such as my/02_linear_regression.ipynb, under their own names.
- A fresh copy of a chapter:  python tools/copies.py --reset 2  . It puts yours aside and loses nothing.
- A newer archive: unpack it over this folder. Copies that you have worked in stay as they are.

Something does not work? The last line in the terminal says what to do.
"""
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same contents give the same file


def members():
    """Yield (name in the archive, bytes) of everything in it but the Makefile, in order."""
    yield "START_HERE.txt", README.encode()  # the same text: a double click opens it everywhere
    yield "README.md", README.encode()
    for name in SINGLE:
        yield name, (ROOT / name).read_bytes()
    for folder in ("mlcore", "tools/jupyter"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), content_of(path)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        copy = nbformat.writes(student_copy(nbformat.read(path, as_version=4))) + "\n"
        yield f"notebooks/{path.name}", copy.encode()


def content_of(path):
    """The bytes of a file of the course as students get it: graders are sealed."""
    if path.parent == ROOT / "mlcore" / "classroom" / "exercises" and path.name not in OPEN:
        return seal(path.read_text(encoding="utf-8")).encode()
    return path.read_bytes()


def makefile(text, names):
    """The Makefile without comments, and of its targets those alone whose scripts are all among the names; and help."""

    def kept(target):
        scripts = set(SCRIPT.findall(target[0]))
        return target[1] == "help" or (scripts and scripts <= set(names))

    targets = [target[1] for target in TARGET.finditer(text) if kept(target)]
    text = TARGET.sub(lambda target: target[0] if kept(target) else "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return re.sub(r"^\.PHONY:.*", f".PHONY: {' '.join(targets)}", text, flags=re.MULTILINE)


def write(target):
    """Write the archive, whole or not at all; return how many files it holds."""
    files = dict(members())
    files["Makefile"] = makefile((ROOT / "Makefile").read_text(encoding="utf-8"), files).encode()
    unfinished = Path(f"{target}.new")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{FOLDER}/{name}", EPOCH), content, zipfile.ZIP_DEFLATED)
    os.replace(unfinished, target)
    return len(files)


@or_one_line
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
