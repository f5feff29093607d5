"""What the tools that write files share: where they cannot, they say so in one line."""

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
