"""Writes the course as a folder of pages for any static server, site/: make site.

    python tools/web/build.py [name ...]

A page works at once, from frames that were made beforehand; then Python starts in a worker of the browser and makes it
live. A name is a number ("07") or a stem; all chapters if left out. PYODIDE=folder takes Pyodide's files from a folder.
What a page loads lies in folders named by their contents, so that a new release never breaks an open page; only what has
changed is made anew.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import nbformat  # noqa: E402

from tools import progress  # noqa: E402
from tools.one_line import or_one_line  # noqa: E402
from tools.web import editor, page, pyodide  # noqa: E402

HERE = Path(__file__).resolve().parent
SITE, KEPT = ROOT / "site", ROOT / "build" / "site"
STAGE = ROOT / "mlcore" / "classroom" / "viz" / "stage" / "page"
FONTS = ROOT / "mlcore" / "classroom" / "viz" / "draw" / "fonts"
RELEASES = 2
"""So many of each folder stay: pages of the last release that are still open ask for theirs."""


def digest(paths, added=None):
    """A name for the contents of files, and of others as {name: bytes}."""
    told = hashlib.sha256(b"".join(name.encode() + data for name, data in (added or {}).items()))
    for path in sorted(paths):
        told.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return told.hexdigest()[:12]


def files_of(*folders):
    """All files below some folders, but for compiled ones."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]


# ---------------------------------------------------------------------------------------------------------------
# What all pages share
# ---------------------------------------------------------------------------------------------------------------
def app():
    """The scripts, style sheets and fonts of all pages; the name of their folder."""
    added = editor.files()
    name = f"app-{digest(files_of(STAGE, HERE / 'page', FONTS) + [HERE / 'page.py'], added)}"
    folder = SITE / name
    if not folder.exists():
        (folder / "stage").mkdir(parents=True)
        (folder / "fonts").mkdir()
        for path in STAGE.glob("*.js"):
            shutil.copy(path, folder / "stage")
        for path in [*(HERE / "page").glob("*.js")]:
            shutil.copy(path, folder)
        for file, data in added.items():
            (folder / file).write_bytes(data)
        for path in FONTS.glob("*"):
            shutil.copy(path, folder / "fonts")
        sheets = [*sorted(STAGE.glob("*.css")), HERE / "page" / "site.css"]
        text = "\n".join(path.read_text(encoding="utf-8") for path in sheets)
        (folder / "site.css").write_text(f"{page.code_colours()}\n{text}", encoding="utf-8")
    return name


def python():
    """Pyodide and the library; the name of their folder."""
    name = f"py-{digest(files_of(ROOT / 'mlcore', HERE / 'python', HERE / 'node') + [HERE / 'pyodide.py'])}"
    if not (SITE / name).exists():
        part = SITE / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        pyodide.write(part)
        part.rename(SITE / name)
    return name


def forget_old(kind, now):
    """Remove folders of a kind, but for the present one and those of the last releases."""
    older = [path for path in SITE.glob(f"{kind}-*") if path.name != now]
    for path in sorted(older, key=lambda path: path.stat().st_mtime)[: -(RELEASES - 1) or None]:
        shutil.rmtree(path)


# ---------------------------------------------------------------------------------------------------------------
# Chapters
# ---------------------------------------------------------------------------------------------------------------
def frames_of(notebook):
    """The folder of a chapter's frames, made anew only if its code or the library has changed."""
    cells = [c for c in nbformat.read(notebook, as_version=4).cells if c.cell_type == "code"]
    code = "\n".join(cell.source for cell in cells)
    library = digest(files_of(ROOT / "mlcore", HERE / "python") + [HERE / "frames.py"])
    name = hashlib.sha256(f"{library}\n{code}".encode()).hexdigest()[:12]
    folder = KEPT / f"{notebook.stem}-{name}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        one_thread = {key: "1" for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        subprocess.run(
            [sys.executable, str(HERE / "frames.py"), str(notebook), str(part)], check=True, env={**os.environ, **one_thread}
        )
        for old in KEPT.glob(f"{notebook.stem}-*"):
            if old != part:
                shutil.rmtree(old)
        part.rename(folder)
    return folder


def write_page(notebook, kept, hashed):
    """Write a chapter's page, its stills, and a copy of its frames."""
    nb = nbformat.read(notebook, as_version=4)
    told = json.loads((kept / "chapter.json").read_text(encoding="utf-8"))
    frames = f"frames/{kept.name}"
    text, pictures = page.page(nb, notebook.stem, told, frames, hashed)
    target = SITE / frames
    if not target.exists():
        shutil.copytree(kept, target)
    for name, data in pictures.items():
        (target / name).write_bytes(data)
    (SITE / f"{notebook.stem}.html").write_text(text, encoding="utf-8")


def write_site(notebooks):
    """Write the pages of some notebooks, and all that they need."""
    SITE.mkdir(exist_ok=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    hashed = {"app": app(), "python": python()}
    for kind, name in (("app", hashed["app"]), ("py", hashed["python"])):
        forget_old(kind, name)
    line, whole = progress.Line(), len(notebooks)
    line.show("Making frames", 0, whole, "chapters")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done, (notebook, kept) in enumerate(zip(notebooks, pool.map(frames_of, notebooks)), 1):
            write_page(notebook, kept, hashed)
            line.show("Making frames", done, whole, "chapters")
    line.end(f"site/ holds {whole} pages, {sum(path.stat().st_size for path in files_of(SITE)) / 1e6:.0f} MB")


@or_one_line
def main():
    """Read the command line; write the site."""
    parser = argparse.ArgumentParser(description="Write the course as a folder of pages for any static server.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    names = parser.parse_args().names
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    chosen = [path for path in notebooks if not names or path.stem in names or path.stem.partition("_")[0] in names]
    if not chosen:
        print(f"error: there is no notebook called {', '.join(names)}", file=sys.stderr)
        return 1
    try:
        write_site(chosen)
    except pyodide.NoPyodide as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
