"""The line that runs: an algorithm's code beside its picture, with the line that is at work marked."""

import ast
import html

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from mlcore.classroom.viz.draw.code import place_of, source_of
from mlcore.classroom.viz.draw.style import true_signs

__all__ = ["RunningLine"]

PAGE = 42
"""So many characters of a docstring fit into a line beside a picture."""


class RunningLine:
    """The code of an algorithm on the page, the line at work, and the values of the step: see running.js.

    Parameters
    ----------
    code : function or list of functions
    line : callable
        ``line(state)``: a piece of the one line at work, or (name of the function, piece); None where none is.
    values : callable, optional
        ``values(state)``: a dict of the step's quantities.

    Attributes
    ----------
    lines : list of str
        Each line of all functions as HTML; a line of its own says where a function comes from.
    at : int
        Which line is at work; -1 where none is.
    shown : list of [name, value]
        The values of the step, as text.
    """

    def __init__(self, code, line, values):
        self.line, self.quantities = line, values or (lambda state: {})
        self.texts, self.owners, shown = [], [], []
        for function in code if isinstance(code, list | tuple) else [code]:
            source, place = source_of(function, PAGE), html.escape(place_of(function))
            shown += [f'<span class="mlcore-place">{place}</span>', *_highlighted(source)]
            self.texts += ["", *_without_docstring(source)]
            self.owners += [function.__name__] * (len(self.texts) - len(self.owners))
        self.lines, self.at, self.shown = shown, -1, []

    def follow(self, state):
        """Mark the line that is at work in a state, and show its values."""
        self.at = self._find(self.line(state))
        self.shown = [[str(name), true_signs(str(value))] for name, value in self.quantities(state).items()]

    def _find(self, piece):
        if piece is None:
            return -1
        owner, piece = piece if isinstance(piece, tuple) else (None, piece)
        found = [
            number for number, text in enumerate(self.texts)
            if piece in text and owner in (None, self.owners[number])
        ]  # fmt: skip
        if len(found) != 1:
            where = owner or " and ".join(dict.fromkeys(self.owners))
            lines = ": " + " | ".join(self.texts[number].strip() for number in found) if found else ""
            raise ValueError(f"{piece!r} must be found in one line of {where}, it is in {len(found)}{lines}")
        return found[0]

    def describe(self):
        """Return the functions, the line at work and the values as text."""
        said = ["code: " + ", ".join(dict.fromkeys(self.owners))]
        if self.at >= 0:
            said.append(f"▸ {self.texts[self.at].strip()}")
        return said + [f"{name}: {value}" for name, value in self.shown]


def _without_docstring(source):
    """The lines of a function, those of its docstring empty: they never run."""
    lines, function = source.split("\n"), ast.parse(source).body[0]
    if ast.get_docstring(function):
        first, last = function.body[0].lineno - 1, function.body[0].end_lineno
        lines[first:last] = [""] * (last - first)
    return lines


def _highlighted(source):
    """The lines of a piece of code as HTML, as show_source colours them."""
    shown = highlight(source, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return shown.rstrip("\n").split("\n")
