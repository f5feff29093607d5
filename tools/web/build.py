"""Writes the course as a folder of pages for any static server, site/: make site.

    python tools/web/build.py [name ...]

A page works at once, from frames that were made beforehand; then Python starts in a worker of the browser and makes it
live. A name is a number ("07") or a stem; all chapters if left out. PYODIDE=folder takes Pyodide's files from a folder.
What a page loads lies in folders named by their contents, so that a new release never breaks an open page; only what
has changed is made anew.
"""

import argparse
import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

import nbformat  # noqa: E402

from tools import make_class, pages, progress  # noqa: E402
from tools.build_notebooks import BuildError  # noqa: E402
from tools.one_line import or_one_line  # noqa: E402
from tools.web import editor, front, kept, letters, page, pyodide, release  # noqa: E402
from tools.web.kept import digest, files_of  # noqa: E402

HERE = Path(__file__).resolve().parent
SITE = ROOT / "site"
STAGE = ROOT / "mlcore" / "classroom" / "viz" / "stage" / "page"
FONTS = ROOT / "mlcore" / "classroom" / "viz" / "draw" / "fonts"
FIRST = "00_start_here"
"""The first page shows a picture of this chapter."""


# ---------------------------------------------------------------------------------------------------------------
# What all pages share
# ---------------------------------------------------------------------------------------------------------------
def app():
    """The scripts, style sheets and fonts of all pages; the name of their folder."""
    added = editor.files()
    name = f"app-{digest(files_of(STAGE, HERE / 'page', FONTS, pages.STYLES) + [HERE / 'letters.py'], added)}"

    def fill(folder):
        (folder / "stage").mkdir()
        (folder / "fonts").mkdir()
        for path in STAGE.glob("*.js"):
            shutil.copy(path, folder / "stage")
        for path in [*(HERE / "page").glob("*.js"), *(HERE / "page").glob("*.svg"), pages.STYLES / "page.js"]:
            shutil.copy(path, folder)
        for file, data in added.items():
            (folder / file).write_bytes(data)
        for path in FONTS.glob("*.ttf"):
            weight = path.stem.partition("-")[2].lower()
            (folder / "fonts" / f"letters-{weight}.woff").write_bytes(letters.packed(path))
        shutil.copy(FONTS / "OFL.txt", folder / "fonts")
        own = [pages.STYLES / "formulas.css", HERE / "page" / "site.css", HERE / "page" / "front.css"]
        text = "\n".join(path.read_text(encoding="utf-8") for path in [*sorted(STAGE.glob("*.css")), *own])
        (folder / "site.css").write_text(text, encoding="utf-8")

    release.put(SITE / name, fill)
    return name


def python():
    """Pyodide and the library; the name of their folder."""
    name = f"py-{digest(files_of(ROOT / 'mlcore', HERE / 'python', HERE / 'node') + [HERE / 'pyodide.py'])}"
    release.put(SITE / name, pyodide.write)
    return name


# ---------------------------------------------------------------------------------------------------------------
# Chapters
# ---------------------------------------------------------------------------------------------------------------
def write_page(notebook, made, hashed):
    """Write a chapter's page, its stills, and a copy of its frames."""
    nb = nbformat.read(notebook, as_version=4)
    told = json.loads((made / "chapter.json").read_text(encoding="utf-8"))
    frames = f"frames/{made.name}"
    text, pictures = page.page(nb, notebook.stem, told, frames, hashed)
    target = SITE / frames
    without_stills = {"ignore": shutil.ignore_patterns("stills.json"), "dirs_exist_ok": True}
    release.put(target, lambda folder: shutil.copytree(made, folder, **without_stills))
    for name, data in pictures.items():
        (target / name).write_bytes(data)
    release.write_text(SITE / f"{notebook.stem}.html", text)


def write_first_page(app):
    """Write the first page; with a picture to move, if the page of chapter 0 is there."""
    start = SITE / f"{FIRST}.html"
    frames = re.search('data-frames="([^"]+)/"', start.read_text(encoding="utf-8")) if start.exists() else None
    told = json.loads((SITE / frames[1] / "chapter.json").read_text(encoding="utf-8")) if frames else None
    text = front.front(SITE, app, told, frames[1] if frames else "", front.write_films(SITE))
    release.write_text(SITE / "index.html", text)


def write_site(notebooks):
    """Write the pages of some notebooks, and all that they need."""
    SITE.mkdir(exist_ok=True)
    hashed = {"app": app(), "python": python()}
    line, whole = progress.Line(), len(notebooks)
    line.show("Making frames", 0, whole, "chapters")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done, (notebook, made) in enumerate(zip(notebooks, pool.map(kept.chapter, notebooks)), 1):
            write_page(notebook, made, hashed)
            line.show("Making frames", done, whole, "chapters")
    line.end()
    write_first_page(hashed["app"])
    shutil.copy(HERE / "page" / "sw.js", SITE)
    make_class.write(SITE / "class.zip")
    release.forget_old(SITE)
    release.write_list(SITE)
    release.write_archive(SITE, HERE / "serve.py")
    size = sum(path.stat().st_size for path in files_of(SITE) if path.name not in release.APART)
    print(f"site/ holds {len(list(SITE.glob('*.html')))} pages, {size / 1e6:.0f} MB; make site-serve shows it")


@or_one_line
def main():
    """Read the command line; write the site."""
    parser = argparse.ArgumentParser(description="Write the course as a folder of pages for any static server.")
    parser.add_argument("names", nargs="*", metavar="name", help="a number or stem; all if left out")
    names = parser.parse_args().names
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    called = {name: [path for path in notebooks if name in (path.stem, path.stem[:2])] for name in names}
    if unknown := [name for name, paths in called.items() if not paths]:
        print(f"error: there is no notebook called {', '.join(unknown)}", file=sys.stderr)
        return 1
    try:
        write_site(sorted({path for paths in called.values() for path in paths}) or notebooks)
    except (pyodide.NoPyodide, BuildError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
