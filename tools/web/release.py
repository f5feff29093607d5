"""Releases of the site side by side, and the whole of it as one archive.

What pages load lies in folders named by their contents (``app-0123456789ab``). A page that is open while the site is
brought up to date goes on asking for those of its own release: of each kind the last one that no page names any more
stays. ``release.json`` lists what there is, for the worker that keeps visited pages (page/sw.js).
"""

import json
import os
import re
import shutil
import zipfile

HASHED = re.compile(r"(?:frames/)?([a-z\d_]+)-[\da-f]{12}$")
NAMED = re.compile(r"(?:frames/)?[a-z\d_]+-[\da-f]{12}(?=/)")
LIST, ARCHIVE = "release.json", "site.zip"
APART = (ARCHIVE, "class.zip")
"""Archives, which are no part of the pages."""
PACKED = (".webp", ".pack", ".whl", ".zip", ".png")
"""Files that would not become smaller."""
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same contents give the same file
HOW = """The course, with only a browser.

A page that is opened from the disk cannot start Python: a server is needed, any one that hands out files. With Python,
in this folder:

    python serve.py

and open the address that it prints. No other computer is asked for anything.
"""


def folders(site):
    """The folders named by their contents, as {name from the site's own folder: kind}."""
    inside = [path for base in (site, site / "frames") if base.is_dir() for path in base.iterdir() if path.is_dir()]
    names = [path.relative_to(site).as_posix() for path in inside]
    return {name: match[1] for name in sorted(names) if (match := HASHED.fullmatch(name))}


def in_use(site):
    """The folders that some page names."""
    return {name for page in site.glob("*.html") for name in NAMED.findall(page.read_text(encoding="utf-8"))}


def forget_old(site):
    """Remove the folders that no page names, but for the last one of each kind."""
    used, unused = in_use(site), {}
    for name, kind in folders(site).items():
        if name in used:
            os.utime(site / name)  # so that of those which are not the last one is known
        else:
            unused.setdefault(kind, []).append(site / name)
    for kind in unused.values():
        for path in sorted(kind, key=lambda path: path.stat().st_mtime_ns)[:-1]:
            shutil.rmtree(path)


def put(folder, fill):
    """Have a folder filled, if it is not there: whole, or not at all."""
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        fill(part)
        part.rename(folder)


def write_text(path, text):
    """Write a file whole, or not at all: it may be asked for at any moment."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def write_list(site):
    """Write which folders there are, and the files of those with Python."""
    there = folders(site)
    python = {name: sorted(path.name for path in (site / name).iterdir()) for name in there if there[name] == "py"}
    write_text(site / LIST, json.dumps({"folders": list(there), "python": python}) + "\n")


def write_archive(site, server):
    """Write all that the present pages need, and a server, into one archive."""
    used, there = in_use(site), folders(site)
    part = site / f"{ARCHIVE}.part"
    with zipfile.ZipFile(part, "w") as archive:
        for path in sorted(path for path in site.rglob("*") if path.is_file() and path != part):
            name = path.relative_to(site).as_posix()
            folder = name.rpartition("/")[0]
            of_old = any(one not in used and f"{folder}/".startswith(f"{one}/") for one in there)
            if not of_old and name not in APART and ".part" not in name:
                put_in(archive, name, path.read_bytes())
        put_in(archive, "serve.py", server.read_bytes())
        put_in(archive, "README.txt", HOW.encode())
    os.replace(part, site / ARCHIVE)


def put_in(archive, name, data):
    """Put a file into the archive, smaller where it can be."""
    how = zipfile.ZIP_STORED if name.endswith(PACKED) else zipfile.ZIP_DEFLATED
    archive.writestr(zipfile.ZipInfo(f"course/{name}", EPOCH), data, how)
