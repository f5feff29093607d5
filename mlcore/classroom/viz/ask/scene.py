"""A picture that answers: what it is (``spec``), and a ``frame`` for each setting of its controls.

A frame is all that a page shows: picture, caption, what was guessed, goals reached, the line at work, the points. It is
always whole, so that a page which comes late, or missed one, needs only the last. Nothing here knows a widget.
"""

import itertools
import re
import traceback

from mlcore.classroom.viz.ask.goals import Goals
from mlcore.classroom.viz.ask.guesses import Question
from mlcore.classroom.viz.ask.points import Hand
from mlcore.classroom.viz.draw.marks import marks_of
from mlcore.classroom.viz.draw.readings import axes_of, dots_of
from mlcore.classroom.viz.draw.roles import palette
from mlcore.classroom.viz.draw.style import course_style, true_signs

__all__ = ["Scene", "result_and_rest"]

SHORT = 64
"""Most letters of a result, which is set larger than the rest of its caption."""
_TURN = itertools.count(1)


class Scene:
    """A canvas with what belongs to it.

    Attributes
    ----------
    caption : str
    numbers : dict
        The values of the last picture, and what its drawing function returned beside the caption.
    error : Exception or None
        What the last drawing raised.
    """

    def __init__(self, canvas, alt, kind, *, points=None, guess=None, goals=(), holds=None, running=None):
        self.canvas, self.alt, self.kind, self.running = canvas, alt, kind, running
        self.points, self.hand = points, Hand(points) if points else None
        self.question = Question(guess) if guess else None
        self.goals, self.holds = Goals(goals), holds or {}
        self.caption, self.numbers, self.error = "", {}, None
        self.reached, self._painted = [], 0

    # -- drawing ---------------------------------------------------------------------------------------------
    def draw(self, values):
        """Paint the picture for the values of the controls; an error is kept, and raised."""
        try:
            returned = self.canvas.paint(**values)
            caption, numbers = returned if isinstance(returned, tuple) else (returned, {})
            self.numbers = {**values, **numbers}
            self.reached = self.goals.reached(self.numbers)
        except Exception as error:
            self.error = error
            raise
        self.error = None
        self._painted += 1
        self.caption = true_signs(caption) if isinstance(caption, str) else ""

    def check_names(self):
        """Raise ValueError if a goal, or the question, asks for a number that is not there, or a hold for a panel."""
        there = len(self.canvas.figure.axes)
        for name, one in self.holds.items():
            if one.panel >= there:
                raise ValueError(f"{name} is held in panel {one.panel}, but the picture has {there}, counted from 0")
        self.goals.check_names(self.numbers)
        for name in self.question.asked.when if self.question else ():
            if name not in self.numbers:
                raise ValueError(f"when names {name!r}, but the picture has: {', '.join(self.numbers)}")

    def tick(self):
        """Tick off the goals that the picture reaches."""
        if self.error is None:
            self.goals.tick(self.reached)

    # -- what the page gets ----------------------------------------------------------------------------------
    def spec(self):
        """What does not change: plain numbers, texts and lists."""
        return {
            "kind": self.kind,
            "alt": self.alt,
            "size": [round(100 * inches) for inches in self.canvas.figsize],
            "question": self.question and self.question.spec(),
            "points": self.hand and self.hand.spec(),
            "start": self.hand and {name: self.hand.state(self.canvas.figure)[name] for name in ("X", "y")},
            "goals": self.goals.spec(),
            "lines": self.running and self.running.lines,
            "palette": {theme: palette(theme) for theme in ("light", "dark")},
            "holds": {
                name: {"along": one.along, "panel": one.panel, "anywhere": one.anywhere}
                for name, one in self.holds.items()
            },
        }

    def frame(self, answers=None, ratio=1.0, rests=False):
        """What is to be seen now.

        Parameters
        ----------
        answers : number or None
            Which of the page's messages this answers.
        ratio : float
            Of the screen's pixels to the picture's own.
        rests : bool
            Whether nothing moves: then the points can be read off too.
        """
        try:
            return self._frame(answers, ratio, rests)
        except Exception as error:
            if self.error:
                raise
            self.error = error  # of what belongs to the picture, say the place of what can be held in it
            return self._frame(answers, ratio, rests)

    def _frame(self, answers, ratio, rests):
        figure = self.canvas.figure
        picture, kind = (b"", "") if self.error else self.canvas.picture(ratio)  # what failed may not be painted at all
        with course_style(self.canvas.theme):
            marks = [] if self.error else marks_of(figure)
        return {
            "turn": next(_TURN),
            "answers": answers,
            "picture": picture,
            "type": kind,
            "key": [self._painted, ratio, self.canvas.theme],
            "theme": self.canvas.theme,
            "size": self.size(),
            "rests": rests,
            "caption": self.caption,
            "result": result_and_rest(self.caption),
            "error": self.error and _described(self.error),
            "question": self.question and self.question.state(),
            "guessed": self._guessed(figure),
            "points": self.hand and self.hand.state(figure),
            "reached": self.goals.state(),
            "line": self.running.at if self.running else -1,
            "values": self.running.shown if self.running else [],
            "holds": {name: self._place_of(name, one) for name, one in self.holds.items()},
            "marks": marks,
            "held": {name: self.numbers.get(name) for name in self.holds},
            "axes": [] if self.error else axes_of(figure),
            "dots": dots_of(figure) if rests and not self.error else [],
            "links": [] if self.error else self.canvas.links(),
        }

    def _guessed(self, figure):
        if not self.question or self.error or not self.question.stands(self.numbers):
            return []
        return self.question.signs(figure)

    def size(self):
        """Width and height of the picture, in pixels of 100 an inch: other ones in a narrow window."""
        return [round(float(inches) * 100) for inches in self.canvas.figure.get_size_inches()]

    def _place_of(self, name, one):
        if self.error or name not in self.numbers:
            return None
        return one.place(self.canvas.figure, self.numbers[name], self.numbers)


def result_and_rest(caption):
    """Cut a caption behind its first part with a number in it, or else behind its first part; none if that is long.

    Not inside brackets: "prior Beta(2.00, 2.00), no toss yet" is cut behind the second comma.
    """
    ends = [*(mark.start() for mark in re.finditer(r"[.:;,](?=\s|$)", caption)), len(caption)]
    inside = [any(caption.count(a, 0, end) > caption.count(b, 0, end) for a, b in ("()", "[]", "{}")) for end in ends]
    short = [end for end, is_inside in zip(ends, inside) if end <= SHORT and not is_inside]
    end = next((end for end in short if re.search("[0-9]", caption[:end])), min(short, default=0))
    return [caption[:end], caption[end:]]


def _described(error):
    where = traceback.extract_tb(error.__traceback__)[-1]
    return {"name": type(error).__name__, "text": str(error), "where": f"in {where.name}, line {where.lineno}"}
