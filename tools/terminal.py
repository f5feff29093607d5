"""What the tools that write files say in the terminal: an error in one line, and how far they are."""

import functools
import sys


def or_one_line(main):
    """Make the main function of a tool end with one line on stderr, and 1, where a file cannot be read or written."""

    @functools.wraps(main)
    def guarded(*args):
        try:
            return main(*args)
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            print(f"error: cannot write {what}; the folder must be yours to write to", file=sys.stderr)
            return 1

    return guarded


def bar(done, total, what, file=sys.stderr, width=28):
    """Draw how far a long task is, in one line that is drawn over; nothing where nobody watches."""
    if file.isatty():
        full = width * done // total
        line = f"[{'█' * full}{'·' * (width - full)}] {done} of {total}  {what}"
        file.write("\r" + line[:78].ljust(78) + ("\r" + " " * 78 + "\r" if done == total else ""))
        file.flush()
