"""A chapter is run once for all that shows it without Jupyter: the site's pages, handouts and slides.

frames.py runs it. What comes of it is kept until the chapter's code, the library, or what makes it changes.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat

from tools.build_notebooks import BuildError
from tools.web import release

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
FRAMES, STILLS = ROOT / "build" / "site", ROOT / "build" / "stills"


def digest(paths, added=None):
    """A name for the contents of files, and of others as {name: bytes}."""
    told = hashlib.sha256(b"".join(name.encode() + data for name, data in (added or {}).items()))
    for path in sorted(paths):
        told.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return told.hexdigest()[:12]


def files_of(*folders):
    """All files below some folders, but for compiled ones."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]


@cache
def library():
    """A name for the library, and for what runs a chapter."""
    runs_it = [HERE / "frames.py", HERE / "names.py", ROOT / "tools" / "stills.py"]
    return digest(files_of(ROOT / "mlcore", HERE / "python") + runs_it)


def chapter(notebook, stills_alone=False):
    """The folder of what a chapter shows: frames and stills, or stills alone, which takes some seconds.

    Raises
    ------
    BuildError
        If a cell raises.
    """
    cells = [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
    code = "\n".join([f"{library()} {os.environ.get('FRAMES')}", *cells])
    name = f"{notebook.stem}-{hashlib.sha256(code.encode()).hexdigest()[:12]}"
    alone = stills_alone and not (FRAMES / name).exists()
    base = STILLS if alone else FRAMES
    release.put(base / name, lambda folder: _run(notebook, folder, ["--stills"] if alone else []))
    for old in base.glob(f"{notebook.stem}-*"):
        if old.name != name:
            shutil.rmtree(old)
    return base / name


def _run(notebook, folder, options):
    command = [sys.executable, str(HERE / "frames.py"), str(notebook), str(folder), *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    if ran.returncode:
        raise BuildError(ran.stderr.strip().removeprefix("error: "))
