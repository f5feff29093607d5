"""Finds every file that was handed in, also those in zips, and reads it on demand."""

import io
import os
import re
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

LARGEST = 200 * 2**20  # bytes of a file that is looked into
TOO_LARGE = f"larger than {LARGEST // 2**20} MB"
DEEPEST = 3  # zips in zips

# What operating systems, Jupyter and version control put beside files; nobody hands it in on purpose.
NOBODYS = re.compile(r"\..*|~\$.*|__MACOSX|__pycache__|node_modules|site-packages|Thumbs\.db|desktop\.ini", re.I)


def files_in(folder):
    """Yield (path below the folder, time of its last change, function that reads it) of every file, in zips too.

    In place of the function stands an exception where a file, a folder or a zip cannot be read.
    """
    if folder.is_file():
        yield from _unpacked("", folder)
        return
    troubles = []
    for here, folders, names in os.walk(folder, onerror=troubles.append):
        folders[:] = sorted(name for name in folders if not NOBODYS.fullmatch(name))
        for name in sorted(name for name in names if not NOBODYS.fullmatch(name)):
            path = Path(here, name)
            where = path.relative_to(folder).as_posix()
            try:
                is_file, about = path.is_file(), path.stat()
            except OSError as error:
                yield where, 0, error
                continue
            if not is_file:
                yield where, 0, ValueError("not a file")
            elif path.suffix.lower() == ".zip":
                yield from _unpacked(where, path)
            elif about.st_size > LARGEST:
                yield where, 0, ValueError(TOO_LARGE)
            else:
                yield where, about.st_mtime, path.read_bytes
    for error in troubles:
        yield Path(error.filename).relative_to(folder).as_posix(), 0, error


def _unpacked(where, file, depth=1):
    """The files of a zip (a path, or an open file), as if it were a folder. Nothing of it is written to the disk."""
    try:
        archive = _open_zip(file)
    except OSError as error:
        yield where or file.name, 0, error
        return
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        yield where or file.name, 0, ValueError(f"a zip that cannot be read: {error}")
        return
    with archive:
        for member in archive.infolist():
            parts = [part for part in re.split(r"[/\\]", member.filename) if part not in ("", ".", "..")]
            if member.is_dir() or not parts or any(NOBODYS.fullmatch(part) for part in parts):
                continue
            inside = "/".join([where, *parts] if where else parts)
            try:
                modified = time.mktime((*member.date_time, 0, 0, -1))
            except (ValueError, OverflowError):  # a zip may hold any date
                modified = 0
            if member.file_size > LARGEST:
                yield inside, modified, ValueError(TOO_LARGE)
            elif not inside.lower().endswith(".zip"):
                yield inside, modified, lambda member=member: _member(archive, member)
            elif depth == DEEPEST:
                yield inside, modified, ValueError("a zip in a zip in a zip: unpack it")
            else:
                try:
                    yield from _unpacked(inside, io.BytesIO(_member(archive, member)), depth + 1)
                except ValueError as error:
                    yield inside, modified, error


def _open_zip(file):
    """A zip whose names are read as what they were written as: UTF-8, or GBK by Chinese Windows."""
    for encoding in ("utf-8", "gbk"):
        with suppress(UnicodeDecodeError):
            return zipfile.ZipFile(file, metadata_encoding=encoding)
    return zipfile.ZipFile(file)


def _member(archive, member):
    """The content of one file of a zip; ValueError if it is broken, or needs a password."""
    try:
        return archive.read(member)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"cannot be unpacked: {error}") from None
