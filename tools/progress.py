"""A line that says what is being done and moves while it lasts.

On a terminal it is one line that is written over; elsewhere each new step is a plain line. ASCII alone, since a console
on Windows may show nothing else. Readable to an old Python, as setup_env.py is.
"""
import os
import shutil
import sys
import time

BAR = 24  # characters


class Line(object):
    """The line. ``show`` it again and again, also when nothing is new: on a terminal its seconds go on."""

    def __init__(self):
        self.moves = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.start = time.time()
        self.words = self.shown = ""

    def seconds(self):
        """Whole seconds since the line was made."""
        return int(time.time() - self.start)

    def show(self, words, done=0, whole=0, unit=""):
        """Say what is being done now, and if it is known how much of it is done."""
        if self.moves:
            share = "{} {} of {} {}".format(bar(done / float(whole)), done, whole, unit) if whole else ""
            self.write("{} ... {:>2} s  {}".format(words, self.seconds(), share))
        elif words != self.words:
            sys.stdout.write(words + " ...\n")
        self.words = words
        sys.stdout.flush()

    def write(self, text):
        """Write over what stands in the line."""
        text = text.rstrip()[:shutil.get_terminal_size().columns - 1]
        sys.stdout.write("\r" + text.ljust(len(self.shown)))
        self.shown = text

    def end(self, message=None):
        """Take the moving line away, and leave a message in its place."""
        if self.moves and self.shown:
            self.write("")
            sys.stdout.write("\r")
        if message:
            sys.stdout.write(message + "\n")
        sys.stdout.flush()


def bar(share):
    """A bar of which this share is full."""
    full = int(BAR * min(max(share, 0), 1))
    return "[" + "#" * full + "." * (BAR - full) + "]"
