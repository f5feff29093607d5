"""Sliders: a picture that follows its controls.

The controls are ipywidgets; the picture and all else is one widget, the stage (widget.py). Nothing flickers, and the
page does not jump. Old slider positions do not pile up: the browser sends the next when the last picture is done.
"""

import base64
import html
import itertools
import math
import time
import warnings
import weakref
from contextlib import contextmanager
from copy import copy

import ipywidgets as widgets
from IPython.display import display

from mlcore.classroom.calm import running_shell
from mlcore.classroom.viz.ask.goals import Goal
from mlcore.classroom.viz.ask.guesses import CHARACTER, LINE, Guess, height_of
from mlcore.classroom.viz.ask.holds import Hold
from mlcore.classroom.viz.ask.points import Draggable, Hand
from mlcore.classroom.viz.ask.scene import Scene
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.lettering import checked_alt
from mlcore.classroom.viz.draw.style import screen
from mlcore.classroom.viz.stage.controls import (
    check_names,
    control_of,
    move_to,
    range_of,
    step_by,
    stops_of,
    with_default,
)
from mlcore.classroom.viz.stage.places import Place
from mlcore.classroom.viz.stage.widget import StageWidget

__all__ = ["Explorer", "explore", "explorers"]

_ALL = weakref.WeakValueDictionary()
_BY_CELL = {}
"""For each cell of the notebook the run that made its explorers, and those explorers."""
_NUMBER = itertools.count()


def explorers():
    """Return every explorer and player made so far, oldest first: the tests sweep them all."""
    return [_ALL[key] for key in sorted(_ALL)]


MOST_HEIGHT = 560
"""Of an explorer with its controls, in pixels: what JupyterLab leaves of a screen of 1280 x 800."""
ROW, BETWEEN = 46, 2
"""The height of a row of controls, and what lies between two: see page/card.css."""
LEAST_WIDTH = 700
"""Of a card, however small its picture: see page/card.css."""
COLUMN, GAP, NUMBER = 214, 18, 72
"""The least width of a column of controls, the gap between two, the width of a slider's number: see page/card.css."""
BESIDE_CODE = 560
"""What the code of a player leaves to its picture and the texts below it, in pixels."""
EDGE = 20
"""What the card's frame takes of the height."""
MOST_SHARP = 4.0
"""More of the screen's pixels to one of the picture's nobody sees."""
TEXT, GOAL = 44, 22
"""The height of a caption of two lines, and of a goal's line."""
HOW_TO_WAKE = "▸ <em>A saved picture. Run this cell (Shift+Enter) and it follows its controls.</em>"


class Explorer:
    """A picture and the controls it follows; see ``explore``.

    Attributes
    ----------
    controls : dict of ipywidgets
        By parameter name.
    scene : Scene
        The picture, and what belongs to it.
    stage : StageWidget
        What the page shows of it.
    widget : ipywidgets.VBox
    """

    kind = "explorer"

    def __init__(
        self, draw, alt, controls, *, labels=None, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None,
        points=None, guess=None, goals=(), holds=None, running=None,
    ):
        self.alt = checked_alt(alt)
        _check_parts(points, guess, goals, holds, controls)
        self.points = points and copy(points)  # the author's own stay as they are
        canvas = Canvas(draw, figsize, subplots, ratios, prepare=points and self.points.set_limits)
        self.controls = {
            name: control_of(name, abbreviation, (labels or {}).get(name)) for name, abbreviation in controls.items()
        }
        check_names(draw, {**self.controls, **(points.values if points else {})}, labels or {})
        self.scene = Scene(
            canvas, alt, self.kind, points=self.points, guess=guess, goals=goals, holds=holds, running=running
        )
        self._paused = False
        self.place = Place(self.alt if self._remembers_its_place else None, self.controls)
        if not guess or self.scene.question.is_answered:  # else the picture could answer it
            self.place.take_up()
        self._measure()
        self._first_picture()
        self._build()
        for control in self.controls.values():
            control.observe(self._changed, names="value")
        _ALL[next(_NUMBER)] = self
        self._replace_older()

    _remembers_its_place = True

    @property
    def canvas(self):
        """What paints the picture."""
        return self.scene.canvas

    @property
    def error(self):
        """What the last drawing raised, or None."""
        return self.scene.error

    @property
    def guess(self):
        """The question that is asked first, or None."""
        return self.scene.question and self.scene.question.asked

    @property
    def goals(self):
        """What is to be reached."""
        return self.scene.goals.goals

    @property
    def numbers(self):
        """The values of the last picture, and what its drawing function returned beside the caption."""
        return self.scene.numbers

    @property
    def frame(self):
        """What the page shows: see ``Scene.frame``."""
        return self.stage.frame

    def _replace_older(self):
        """Close what an earlier run of the same cell made: its widgets would stay in memory and in the browser."""
        cell, run = _running_cell()
        if cell is None:
            return
        known_run, made = _BY_CELL.get(cell, (run, []))
        if known_run != run:
            for older in made:
                older.close()
            made = []
        _BY_CELL[cell] = run, [*made, self]

    def close(self):
        """Close the widgets, here and in the browser; the explorer is of no use afterwards."""
        for widget in [*_all_inside(self.widget), *_all_inside(self._nothing)]:
            widget.close()
        for key in [key for key, explorer in _ALL.items() if explorer is self]:
            del _ALL[key]

    # -- layout ----------------------------------------------------------------------------------------------
    def _measure(self):
        """How large the picture is shown, so that with all that belongs to it it fits into the window."""
        width, height = (round(100 * inches) for inches in self.canvas.figsize)
        shown = 1.0
        for _ in range(3):  # in a narrower card texts take more lines, and leave less room to the picture
            self._measure_rest(max(round(width * shown), LEAST_WIDTH))
            shown = min(1.0, (MOST_HEIGHT - self._height_of_rest) / height)
        self.canvas.shown = shown
        self._size_shown = {"width": round(width * shown), "height": round(height * shown)}

    def _measure_rest(self, width):
        """The heights of all that stands above and below the picture in a card of some width."""
        controls = self._height_of_controls(width)
        asking, answered = self.scene.question.heights(width) if self.scene.question else (0, 0)
        above = max(controls + answered, asking)
        # the question is as high as it and the controls will be: the picture below does not move
        self._heights = {"asking": above, "answered": above - controls}
        column = min(width, BESIDE_CODE) if self.scene.running else width
        below = TEXT + sum(height_of(f"☐ Goal: {goal.text}", column, GOAL) + 4 for goal in self.goals)
        self._height_of_rest = EDGE + above + below + (Hand.HEIGHT if self.points else 0)

    def _build(self):
        spec = self.scene.spec() | {
            "shown": self._size_shown["width"],
            "rest": self._height_of_rest,
            "heights": self._heights,
            "labels": {name: control.description for name, control in self.controls.items()},
            "ranges": {name: stops_of(self.controls[name])[:2] for name in self.scene.holds},
        }
        self.panel = widgets.Box(list(self.controls.values()))
        self.panel.add_class("mlcore-controls")
        if self.place.button:
            self.panel.children += (self.place.button,)
            self.place.button.on_click(self._go_back)
        self.stage = StageWidget(spec, self.scene.frame())
        if self.error is not None:  # of what belongs to the picture: it too surfaces at once
            raise self.error
        self.stage.on_msg(self._heard)
        self.widget = widgets.VBox([self.panel, self.stage])
        for name in ("mlcore-explorer", *(["mlcore-with-code"] if spec["lines"] else [])):
            self.widget.add_class(name)
        self._show_controls()
        self._nothing = widgets.Box(layout=widgets.Layout(display="none"))

    def _height_of_controls(self, width):
        """Pixels of the rows of controls; a label that does not fit beside its number takes a second line."""
        labels = [control.description for control in self.controls.values()] + [""] * bool(self.place.button)
        columns = max(min(len(labels), (width + GAP) // (COLUMN + GAP)), 1)
        room = (width + GAP) / columns - GAP - NUMBER
        rows = [labels[start : start + columns] for start in range(0, len(labels), columns)]
        return sum(ROW + BETWEEN + LINE * (max(map(len, row)) * CHARACTER > room) for row in rows) - BETWEEN

    def _show_controls(self):
        """The question stands where the controls come once it is answered."""
        asking = self.scene.question and not self.scene.question.is_answered
        (self.widget.add_class if asking else self.widget.remove_class)("mlcore-asking")

    # -- drawing ---------------------------------------------------------------------------------------------
    @property
    def values(self):
        """The points and the current value of every control, by name."""
        points = self.points.values if self.points else {}
        return {**points, **{name: control.value for name, control in self.controls.items()}}

    def _draw(self):
        """Draw the picture for the points and controls as they are; an error is kept and raised."""
        self.scene.draw(self.values)

    def _first_picture(self):
        """Draw once, and let an error surface at once: the cell that made the explorer is where it belongs."""
        self._follows_screen()
        try:
            self._draw()
        except Exception:
            if not self.place.button:
                raise
            self.place.go_back()  # the drawing is another one than that whose controls were left there
            self._draw()
            self.place.note()
        if self.points:
            self.points.check_limits(self.canvas.figure)
        self.scene.check_names()
        self._png = self.canvas.png()

    def _changed(self, _=None, number=None):
        """Controls have moved; ``number`` is that of the page's message, if one has moved them."""
        if not self._paused:
            if self.scene.hand:
                self.scene.hand.forget_what_was_said()
            self._answer(number)

    def _answer(self, number=None):
        """Draw, tick goals, tell the page: all that belongs to a move of the learner."""
        self._draw_or_keep_error()
        self.scene.tick()
        self._tell(number)
        self.place.note()
        time.sleep(0.002)  # the thread that sends the picture goes first
        self.canvas.get_ready()

    @contextmanager
    def paused(self):
        """While this lasts nothing is drawn, whatever the controls are set to."""
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before

    def redraw(self, number=None):
        """Draw the picture for the current values; an error is kept and shown in the picture's place."""
        self._draw_or_keep_error()
        self._tell(number)

    def _draw_or_keep_error(self):
        try:
            self._draw()
        except Exception as error:  # noqa: BLE001  the page tells of it
            self.scene.error = error

    def _tell(self, number=None, ratio=1.0, rests=False):
        self.stage.frame = self.scene.frame(number, ratio, rests)

    def _go_back(self, _=None):
        """Set the controls as they were at the start, and draw once."""
        with self.paused():
            self.place.go_back()
        self._changed()

    # -- what the page asks ----------------------------------------------------------------------------------
    def _heard(self, _, message, buffers=()):
        """Answer a message of the page; what is no message of ours is overlooked."""
        kind = message.get("kind") if isinstance(message, dict) else None
        answer = {
            "hello": self._hear_hello, "rest": self._hear_rest, "points": self._hear_points, "guess": self._hear_guess,
            "hold": self._hear_hold,
        }.get(kind if isinstance(kind, str) else None)  # fmt: skip
        if answer:
            answer(message, message.get("number"))

    def _hear_hello(self, message, number):
        """A page that starts late asks for all that it may have missed."""
        self._keep_screen(message)
        if self._follows_screen():
            self.redraw(number)
        self.stage.send_state()

    def _hear_rest(self, message, number):
        """Nothing moves: the same picture, as sharp as the screen, in the colours of its theme."""
        ratio = self._keep_screen(message)
        if self._follows_screen():
            self._draw_or_keep_error()
        self._tell(number, ratio, rests=True)

    def _follows_screen(self):
        """Take up the page's theme and width; tell whether they are others than those of the picture."""
        before = self.canvas.theme, self.canvas.narrow
        self.canvas.theme, self.canvas.narrow = screen["theme"], screen["narrow"]
        return before != (self.canvas.theme, self.canvas.narrow)

    def _keep_screen(self, message):
        theme, ratio, narrow = (message.get(name) for name in ("theme", "ratio", "narrow"))
        screen["theme"] = theme if theme in ("light", "dark") else screen["theme"]
        screen["narrow"] = narrow if isinstance(narrow, bool) else screen["narrow"]
        return float(min(max(1.0, ratio), MOST_SHARP)) if isinstance(ratio, int | float) else 1.0

    def _hear_points(self, message, number):
        if self.scene.hand:
            self.scene.hand.hear(message)
            self._answer(number)

    def _hear_guess(self, message, number):
        question = self.scene.question
        if question:
            question.commit(message.get("guess"))
            self._show_controls()
            if not question.is_answered:  # the controls too stand as they did when it was asked first
                self._go_back()
            self._tell(number)

    def _hear_hold(self, message, number):
        """Move a control to where the learner points in the picture, or by steps."""
        name = message.get("name") if isinstance(message.get("name"), str) else None
        if name not in self.scene.holds or self.error is not None:
            return self._tell(number)
        control, before = self.controls[name], self.controls[name].value
        with self.paused():
            try:
                self._move_held(control, self.scene.holds[name], message)
            except (ArithmeticError, TypeError, ValueError):  # no place, or one at which there is no value
                control.value = before
        return self._tell(number) if control.value == before else self._answer(number)

    def _move_held(self, control, held, message):
        at, steps = message.get("at"), message.get("steps")
        if steps is not None:
            return step_by(control, int(steps))
        across, down = map(float, at)
        value = held.value(self.canvas.figure, across, down, self.numbers)
        if math.isfinite(value):  # a pointer outside a logarithmic axis says nothing
            move_to(control, value)

    def set(self, **values):
        """Set several controls, or the points ``X`` and ``y``, and draw once; errors are raised."""
        unknown = sorted(set(values) - set(self.values))
        if unknown:
            raise ValueError(f"there is no control {unknown[0]!r}; there are: {', '.join(self.values)}")
        if self.points and set(values) & set(self.points.values):
            self.points.take(values.pop("X", None), values.pop("y", None))
        with self.paused():
            for name, value in values.items():
                self.controls[name].value = value
        self.redraw()
        if self.error is not None:
            raise self.error

    def sweep(self, alone=True):
        """Move every control to its minimum, maximum and middle, and all of them to two odd combinations.

        Points are moved to places where a drawing may fail: see ``Draggable.stops``.

        Parameters
        ----------
        alone : bool
            False moves the controls together: all have been at all their stops after a third of the pictures.

        Returns
        -------
        list of (dict, float)
            The values and the seconds each picture took.

        Raises
        ------
        Exception
            Whatever a drawing raised; warnings count as errors. The controls then stay where it happened.
        """
        start, measured = self.values, []
        stops = {name: stops_of(control) for name, control in self.controls.items()}
        if alone:
            plans = [{name: stop} for name, own in stops.items() for stop in own]
        else:  # the first two are those of the odd combinations
            most = max(map(len, stops.values()), default=0)
            plans = [{name: own[k] for name, own in stops.items() if k < len(own)} for k in range(2, most)]
        plans += self.points.stops() if self.points else []
        plans.append({name: own[i % 2] for i, (name, own) in enumerate(stops.items())})
        plans.append({name: own[(i + 1) % 2] for i, (name, own) in enumerate(stops.items())})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # what an old matplotlib calls in a new package is no matter of the drawing
            warnings.filterwarnings("ignore", category=DeprecationWarning, module="matplotlib|pyparsing")
            for plan in plans:
                self.canvas.get_ready()  # as it is when a slider moves
                begun = time.perf_counter()
                self.set(**{**start, **plan})
                measured.append((self.values, time.perf_counter() - begun))
            self.set(**start)
        return measured

    # -- display ---------------------------------------------------------------------------------------------
    def describe(self):
        """Return the description and the controls as text, the same on every machine."""
        lines = [f"[{type(self).__name__.lower()}] {self.alt}"]
        lines += [f"  {control.description}: {range_of(control)}" for control in self.controls.values()]
        lines += [f"  points: {self.points.describe()}"] if self.points else []
        return "\n".join(lines + [f"  {line}" for line in self._told()])

    def _told(self):
        """What is asked of the learner, as lines of text, without the answers."""
        asked = [self.guess.describe()] if self.guess else []
        return asked + [f"Goal: {goal.text}" for goal in self.goals]

    def _ipython_display_(self):
        """Show the explorer; below it, where a saved notebook shows only the picture, lines say how to wake it.

        They are as high as the controls and the caption will be: the page does not jump when the cell is run.
        """
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)
        lines = "<br>".join([*map(html.escape, self._told()), HOW_TO_WAKE])
        saved = f'<div style="min-height: {self._height_of_rest}px">{lines}</div>'
        display({**self._nothing._repr_mimebundle_(), "text/html": saved, "text/plain": "[saved]"}, raw=True)

    def _repr_mimebundle_(self, include=None, exclude=None):
        view = self.widget._repr_mimebundle_()
        data = {
            "image/png": base64.b64encode(self._png).decode(),
            "text/plain": self.describe(),
            **{key: value for key, value in view.items() if key != "text/plain"},
        }
        return data, {"image/png": {"alt": self.alt, **self._size_shown}}

    def __repr__(self):
        return self.describe()


def explore(
    draw, *, alt, labels=None, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None, points=None, guess=None, goals=(),
    holds=None, **controls,
):
    """Show a picture that follows its controls.

    Parameters
    ----------
    draw : callable
        ``draw(ax, **values)`` draws on an empty axes (``axes`` or ``fig`` as first parameter: see ``Canvas``). A
        string it returns is shown under the picture.
    alt : str
        What is to be seen, for those who cannot see it.
    labels : dict, optional
        Text beside a control, with its unit, where the parameter's name will not do.
    figsize, subplots, ratios
        See ``Canvas``.
    points : Draggable, optional
        Points for the learner's hand: ``draggable(X, y, box=...)``; ``draw`` takes ``X`` (and ``y``) by name.
    guess : Guess, optional
        A question to commit to first: ``guess(question, answers, right)``.
    goals : sequence of Goal
        ``goal(name, text, reached, by=...)``. ``draw`` then returns ``caption, numbers``, a string and a dict.
    holds : dict, optional
        Controls that can be moved in the picture itself: ``{"threshold": hold("x")}``.
    **controls
        One for each parameter of ``draw``, in ipywidgets' abbreviations: ``(min, max, step)`` a slider, a list a
        choice, a bool a tick box that starts so, or any widget with a value, such as ``log_slider(-3, 3)``. Sliders
        and choices start at the default in draw's signature.

    Returns
    -------
    Explorer

    Raises
    ------
    ValueError
        If the description is missing, or controls and parameters do not match.
    """
    if not controls and points is None:
        raise ValueError("explore needs at least one control; use show(fig, alt) for a still picture")
    abbreviations = {name: with_default(draw, name, value) for name, value in controls.items()}
    return Explorer(
        draw, alt, abbreviations, labels=labels, figsize=figsize, subplots=subplots, ratios=ratios, points=points,
        guess=guess, goals=goals, holds=holds,
    )


def _running_cell():
    """The id of the notebook's cell that runs now, and of this run; (None, None) where there is none."""
    parent = getattr(running_shell(), "get_parent", dict)() or {}
    cell = parent.get("metadata", {}).get("cellId")
    return (cell, parent["header"]["msg_id"]) if cell else (None, None)


def _all_inside(widget):
    """A widget and all that belongs to it: children, layouts, styles."""
    for part in getattr(widget, "children", ()):
        yield from _all_inside(part)
    yield from (part for part in (getattr(widget, "layout", None), getattr(widget, "style", None)) if part is not None)
    yield widget


def _check_parts(points, guess, goals, holds, controls):
    if not isinstance(points, Draggable | None):
        raise ValueError(f"points must be draggable(X, y, box=...), got {type(points).__name__}")
    if not isinstance(guess, Guess | None):
        raise ValueError(f"guess must be guess(question, answers, right), got {guess!r}")
    if not isinstance(goals, list | tuple) or not all(isinstance(goal, Goal) for goal in goals):
        raise ValueError(f"goals must be a list of goal(name, text, reached, by=...), got {goals!r}")
    for name, one in (holds or {}).items():
        if name not in controls or not isinstance(one, Hold):
            raise ValueError(f"holds must name controls, each with hold(...), got {name!r}: {one!r}")
