"""Files of a learner's or a teacher's: nothing of theirs is ever lost.

What writes to a file that may hold somebody's work writes it here, and in one of these ways:

- ``write``: the file is replaced whole or not at all;
- ``write_new``: the file is made, unless there is one;
- ``write_keeping``: the file is made, and one that was there is put aside;
- ``put_aside``: a file gets a free name with the date and time; ``put_back`` undoes it.

Each is safe when a process is killed, a disk is full, or two processes do it at once: whoever comes second finds
another name, and a reader sees the old file or the new, never half of one. To read, add and write without another
process in between: ``with locked(path):``. What cannot be done raises OSError, and all that was there is there still.

The standard library alone: ``tools/copies.py`` needs it before anything is installed.
"""

import errno
import itertools
import os
import secrets
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:  # elsewhere
    msvcrt = None

__all__ = ["locked", "put_aside", "put_back", "write", "write_keeping", "write_new"]

WINDOWS = os.name == "nt"
LONGEST = 150
"""Bytes of a name that are kept in the names made from it: a file system takes some 255."""
LONGEST_WAIT = 30.0
"""Seconds to wait for another process that has the lock."""
_ONE_THREAD = threading.RLock()


def put_aside(path, name=None):
    """Give a file or folder a free name beside it, with the date and time: "report (2026-01-31 09.30.00).csv".

    Parameters
    ----------
    path : path
    name : str, optional
        What the new name is made from; by default its own.

    Returns
    -------
    Path
        Where it is now. Nothing is overwritten; a link is moved as a link.

    Raises
    ------
    OSError
        If it is not there, or cannot be moved; it then is where it was.
    """
    path = Path(path)
    for free in _names_aside(path.with_name(name or path.name)):
        with suppress(FileExistsError):
            _move(path, free)
            return free


def put_back(aside, path):
    """Give a file that was put aside its old name again, if that is still free; else it stays aside.

    Parameters
    ----------
    aside, path : path

    Returns
    -------
    bool
        Whether it is back.
    """
    try:
        if stat.S_ISREG(os.lstat(aside).st_mode):
            _place(aside, path)
            if not WINDOWS:
                os.unlink(aside)
        else:
            _move(aside, path)
    except OSError:
        return False
    return True


def write(path, content):
    """Write a file whole or not at all, in place of an older one.

    Parameters
    ----------
    path : path
        Where it is a link, what it points to is written.
    content : bytes or str
        A str is written as UTF-8, its line ends as they are.

    Raises
    ------
    OSError
        If it cannot be written, or is marked read-only; it then is as it was.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with _beside(path, content) as new:
        _patiently(os.replace, new, path)


def write_new(path, content):
    """Make a file, whole or not at all, where there is none.

    Parameters
    ----------
    path : path
    content : bytes or str

    Raises
    ------
    FileExistsError
        If there is something of that name, which stays as it is.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    with _beside(path, content) as new:
        _place(new, path)


def write_keeping(path, content):
    """Write a file under the name asked for; one of that name with another content is put aside first.

    Parameters
    ----------
    path : path
        Where it is a link, what it points to is meant.
    content : bytes or str

    Returns
    -------
    Path or None
        Where the older file is now; None if there was none, or it had the same content.

    Raises
    ------
    OSError
        If it cannot be written, or the name is a folder's. What was there is there still, or at the worst aside.
    """
    path, aside = Path(os.path.realpath(path)), None
    with _beside(path, content) as new:
        while True:
            with suppress(FileExistsError):
                _place(new, path)
                return aside
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
            with suppress(FileNotFoundError):
                if path.read_bytes() == _bytes(content):
                    return aside
                aside = put_aside(path)


@contextmanager
def locked(path, longest_wait=None):
    """Let one process at a time read, add and write; the lock is a hidden file beside the path, and stays there.

    The system frees the lock of a process that dies. Where it knows no locks, the work is done without one. Who has a
    lock may take another one, of another path.

    Parameters
    ----------
    path : path
    longest_wait : float, optional
        Seconds to wait; by default ``LONGEST_WAIT``.

    Raises
    ------
    TimeoutError
        If another process has the lock all that time. It is an OSError, as all that may go wrong here.
    """
    path, longest_wait = Path(path), LONGEST_WAIT if longest_wait is None else longest_wait
    end, handle = time.monotonic() + longest_wait, None
    if not _ONE_THREAD.acquire(timeout=longest_wait):
        raise _late(path)
    try:
        with suppress(OSError):  # a folder that cannot be written to: what follows will say so
            handle = os.open(path.with_name(_hidden(path, "lock")), os.O_RDWR | os.O_CREAT, 0o666)
        while handle is not None and not _lock(handle):
            if time.monotonic() > end:
                raise _late(path)
            time.sleep(0.002)
        yield
    finally:
        if handle is not None:
            _unlock(handle)
        _ONE_THREAD.release()


# ---------------------------------------------------------------------------------------------------------------
# How it is done
# ---------------------------------------------------------------------------------------------------------------
def _bytes(content):
    return content.encode("utf-8") if isinstance(content, str) else bytes(content)


def _short(name):
    """As much of the beginning of a name as may stand in another."""
    while len(os.fsencode(name)) > LONGEST:
        name = name[:-1]
    return name


def _hidden(path, end):
    return f".{_short(path.name).lstrip('.')}.{end}"


def _names_aside(path):
    stem, now = _short(path.stem), time.strftime("%Y-%m-%d %H.%M.%S")
    for count in itertools.count(1):
        yield path.with_name(f"{stem} ({now}{f', {count}' if count > 1 else ''}){path.suffix}")


@contextmanager
def _beside(path, content):
    """A new file with the content, beside the path and complete on the disk; if it still is there, it is removed."""
    new = path.with_name(_hidden(path, f"{secrets.token_hex(4)}.new"))
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_bytes(content))
            file.flush()
            _sync(file)
        with suppress(OSError):
            os.chmod(new, stat.S_IMODE(os.stat(path).st_mode))
        yield new
    finally:
        with suppress(OSError):
            os.unlink(new)


def _sync(file):
    """Have it on the disk before it gets its name: else a power cut leaves an empty file under that name."""
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):  # this disk does not know how
            raise


def _move(path, free):
    """Rename, if the new name is free; else FileExistsError.

    Windows' own rename is so. Elsewhere the name is reserved first: "link, then unlink" could remove what another
    program has saved under the old name in between; a rename moves whatever is there, in one step.
    """
    if WINDOWS:
        _patiently(os.rename, path, free)
        return
    is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
    if is_folder:
        os.mkdir(free)
    else:
        os.close(os.open(free, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    reserved = os.lstat(free)
    try:
        os.replace(path, free)
    except OSError:
        if not os.path.samestat(reserved, os.lstat(free)):
            return  # it has been moved after all: a network disk may do it and report an error
        os.rmdir(free) if is_folder else os.unlink(free)
        raise


def _place(new, path):
    """Give a complete file its name, if that is free; else FileExistsError."""
    if WINDOWS:
        _patiently(os.rename, new, path)
        return
    try:
        os.link(new, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError):  # a disk or a system without hard links
        _copy(new, path)


def _copy(new, path):
    """Write a file under a name that must be free. Killed in between it leaves half, but of nobody's work."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "wb") as file:
        try:
            file.write(new.read_bytes())
            file.flush()
            _sync(file)
        except OSError:
            if os.path.samestat(os.fstat(file.fileno()), os.lstat(path)):  # nobody has put it aside meanwhile
                os.unlink(path)
            raise


def _patiently(action, *paths):
    """On Windows a file cannot be moved while somebody reads it: wait a little."""
    for wait in (0.01, 0.05, 0.2, 0.5) if WINDOWS else ():
        with suppress(PermissionError):
            return action(*paths)
        time.sleep(wait)
    return action(*paths)


def _late(path):
    return TimeoutError(errno.ETIMEDOUT, "another process is writing just now", str(path))


def _lock(handle):
    """Try to lock an open file; also true where there is nothing to lock with."""
    try:
        if fcntl:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


def _unlock(handle):
    """Free the lock, if it was ours; the file stays, for another process may be waiting at it."""
    if msvcrt:
        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    os.close(handle)
