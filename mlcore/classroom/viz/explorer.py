"""Sliders and players.

``explore`` ties a drawing function to controls, ``play`` to the states of an algorithm. The picture is an ipywidgets
``Image`` of fixed size: it is replaced in place, so nothing flickers and the page does not jump. Old slider positions
do not pile up: the browser sends the next one only when the last picture is done.
"""

import base64
import html
import inspect
import itertools
import sys
import time
import traceback
import warnings
import weakref
from copy import copy
from pathlib import Path

import anywidget
import ipywidgets as widgets
from IPython.display import display
from ipywidgets.widgets.interaction import interactive
from traitlets import Float, Int, List, Unicode

from mlcore.base import check_int, check_real
from mlcore.classroom.viz.canvas import Canvas
from mlcore.classroom.viz.guesses import CHARACTER, LINE, Goal, Goals, Guess, Question
from mlcore.classroom.viz.places import Place
from mlcore.classroom.viz.points import Draggable, Hand
from mlcore.classroom.viz.running import RunningLine

__all__ = ["Explorer", "Player", "explore", "explorers", "log_slider", "play"]

_ALL = weakref.WeakValueDictionary()
_BY_CELL = {}
"""For each cell of the notebook the run that made its explorers, and those explorers."""
_NUMBER = itertools.count()


def explorers():
    """Return every explorer and player made so far, oldest first: the tests sweep them all."""
    return [_ALL[key] for key in sorted(_ALL)]


def log_slider(low, high, value=None, per_decade=10):
    """Return a slider on a logarithmic scale.

    Parameters
    ----------
    low, high : int
        Exponents: from 10**low to 10**high.
    value : float, optional
        Where to start; by default the middle.
    per_decade : int
        Steps a decade.
    """
    check_real("high", high, low=low, low_open=True)
    value = 10 ** ((low + high) / 2) if value is None else value
    return widgets.FloatLogSlider(value=value, base=10, min=low, max=high, step=1 / per_decade, readout_format=".3g")


MOST_HEIGHT = 560
"""Of an explorer with its controls, in pixels: what JupyterLab leaves of a screen of 1280 x 800."""
ROW = 50
"""The height of a row of controls."""
COLUMN, GAP, NUMBER = 214, 18, 72
"""The least width of a column of controls, the gap between two, the width of a slider's number: see page.css."""
HOW_TO_WAKE = "▸ <em>A saved picture. Run this cell (Shift+Enter) and it follows its controls.</em>"
TEXT = 38
"""The height of a caption of two lines."""


class Page(anywidget.AnyWidget):
    """What runs in the page beside an explorer: see page.js."""

    _esm = Path(__file__).with_name("page.js")
    _css = Path(__file__).with_name("page.css")
    alt = Unicode().tag(sync=True)
    kind = Unicode().tag(sync=True)
    answers = Int().tag(sync=True)
    """How often a control has been answered: the page waits for the next one."""
    links = List().tag(sync=True)
    """What leads somewhere in the first picture: see ``Canvas.links``."""
    speed = Float(1.0).tag(sync=True)
    """How many times as fast as it was made a player plays: the learner's choice in the page."""


class Explorer:
    """A picture and the controls it follows; see ``explore``.

    Attributes
    ----------
    controls : dict of ipywidgets
        By parameter name.
    error : Exception or None
        What the last drawing raised.
    widget : ipywidgets.VBox
    """

    def __init__(
        self, draw, alt, controls, *, labels=None, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None, points=None,
        guess=None, goals=(),
    ):
        self.alt = _checked_alt(alt)
        _check_parts(points, guess, goals)
        self.points = points and copy(points)  # the author's own stay as they are
        self.guess, self.goals = guess, tuple(goals)
        self.numbers = {}
        self.canvas = Canvas(draw, figsize, subplots, ratios, prepare=points and self.points.set_limits)
        self.controls = {
            name: _control(name, abbreviation, (labels or {}).get(name)) for name, abbreviation in controls.items()
        }
        _check_names(draw, {**self.controls, **(points.values if points else {})}, labels or {})
        self.error = None
        self._paused = False
        self._build()
        for control in self.controls.values():
            control.observe(self._changed, names="value")
        _ALL[next(_NUMBER)] = self
        self._replace_older()
        self._first_frame()

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
    def _build(self):
        width, height = (int(round(inches * 100)) for inches in self.canvas.figure.get_size_inches())
        self.question = Question(self.guess, width) if self.guess else None
        self.place = Place(None if isinstance(self, Player) else self.alt, self.controls)
        if not self.question or self.question.is_answered:  # else the picture could answer it
            self.place.take_up()
        self.goal_lines = Goals(self.goals, width) if self.goals else None
        above = self._height_above(width)
        below = TEXT + (self.goal_lines.height if self.goal_lines else 0)
        self._height_of_rest = above + below + 8 + (Hand.HEIGHT if self.points else 0)
        shown = min(1.0, (MOST_HEIGHT - self._height_of_rest) / height)  # so that all of it fits into the window
        self._size_shown = {"width": round(width * shown), "height": round(height * shown)}
        self.image = widgets.Image(format="jpeg", width=width, height=height)
        # in a narrow window the picture shrinks as a whole; its width and height are known, so nothing jumps
        self.image.layout = widgets.Layout(
            width=f"{self._size_shown['width']}px", max_width="100%", height="auto", margin="4px 0"
        )
        self.image.add_class("mlcore-picture")
        self.hand = Hand(self.points, (width, height), self._changed) if self.points else None
        self.stage = self._under_hand() if self.points else self.image
        # the height of two lines is kept, so that the page does not move when a caption comes, goes or grows
        size = {"width": f"{width}px", "max_width": "100%", "margin": "0"}
        self.caption = widgets.HTML(layout=widgets.Layout(min_height=f"{TEXT}px", **size))
        self.caption.add_class("mlcore-caption")
        self.panel = widgets.Box(list(self.controls.values()), layout=widgets.Layout(**size))
        self.panel.add_class("mlcore-controls")
        if self.place.button:
            self.panel.children += (self.place.button,)
            self.place.button.on_click(self._go_back)
        self.page = Page(alt=self.alt, kind=type(self).__name__.lower())
        head = self._under_question(above) if self.question else self.panel
        parts = [head, self.stage, self.caption, self.goal_lines, self.page]
        self.widget = widgets.VBox([part for part in parts if part])
        self.widget.add_class("mlcore-explorer")
        if self.question:
            self.question.observe(self._show_controls, "answer")
            self._show_controls()
        self._nothing = widgets.Box(layout=widgets.Layout(display="none"))

    def _under_question(self, above):
        """The question and the controls in a box as high as either needs: the picture below does not move."""
        head = widgets.VBox([self.question, self.panel], layout=widgets.Layout(min_height=f"{above}px"))
        head.add_class("mlcore-head")
        return head

    def _under_hand(self):
        """The picture in a box of its size, with the handles of its points over it."""
        stage = widgets.Box([self.hand, self.image], layout=self.image.layout)
        stage.add_class("mlcore-stage")
        self.image.layout = widgets.Layout(width="100%", height="auto", margin="0")
        return stage

    def _height_above(self, width):
        """Pixels of the controls and, where there is one, the answer; or of the question, if that takes more."""
        controls = self._height_of_controls(width)
        if not self.question:
            return controls
        return max(controls + self.question.height_answered, self.question.height_asking)

    def _height_of_controls(self, width):
        """Pixels of the rows of controls; a label that does not fit beside its number takes a second line."""
        labels = [control.description for control in self.controls.values()] + [""] * bool(self.place.button)
        columns = max(min(len(labels), (width + GAP) // (COLUMN + GAP)), 1)
        room = (width + GAP) / columns - GAP - NUMBER
        rows = [labels[start : start + columns] for start in range(0, len(labels), columns)]
        return sum(ROW + LINE * (max(map(len, row)) * CHARACTER > room) for row in rows)

    def _show_controls(self, change=None):
        """The question stands where the controls come once it is answered; until then the points keep still too."""
        if change and not self.question.is_answered:
            self._go_back()
        change = self.widget.remove_class if self.question.is_answered else self.widget.add_class
        change("mlcore-asking")
        self.page.answers += 1

    # -- drawing ---------------------------------------------------------------------------------------------
    @property
    def values(self):
        """The points and the current value of every control, by name."""
        points = self.points.values if self.points else {}
        return {**points, **{name: control.value for name, control in self.controls.items()}}

    def _drawn(self):
        """Paint the picture for the points and controls as they are; return its caption and keep its numbers."""
        values = self.values
        returned = self.canvas.paint(**values)
        caption, numbers = returned if isinstance(returned, tuple) else (returned, {})
        self.numbers = {**values, **numbers}
        return caption

    def _first_frame(self):
        """Draw once, and let an error surface at once: the cell that made the explorer is where it belongs."""
        try:
            self._show(self._drawn())
        except Exception:
            if not self.place.button:
                raise
            self._go_back()  # the drawing is another one than that whose controls were left there
            self._show(self._drawn())
        if self.points:
            self.points.check_limits(self.canvas.figure)
        self._png = self.canvas.png()
        self.page.links = self.canvas.links()
        if self.goal_lines:
            self.goal_lines.check_names(self.numbers)

    def _show(self, caption):
        self.error = None
        self.image.value = self.canvas.jpeg()
        self.image.layout.visibility = "visible"
        text = html.escape(caption) if isinstance(caption, str) else ""
        self.caption.value = f'<div style="line-height:18px">{text}</div>' if text else ""
        self._tell_hand()

    def _tell_hand(self):
        if self.hand:
            self.hand.tell(self.canvas.figure)

    def _changed(self, _=None):
        if not self._paused:
            self.redraw()
            self.place.note()
            if self.goal_lines and self.error is None:
                self.goal_lines.tick(self.numbers)
            self.page.answers += 1
            time.sleep(0.002)  # the thread that sends the picture goes first
            self.canvas.get_ready()

    def _go_back(self, _=None):
        """Set the controls as they were at the start, and draw once."""
        self._paused = True
        try:
            self.place.go_back()
        finally:
            self._paused = False
        self._changed()

    def redraw(self):
        """Draw the picture for the current values; an error is kept and shown in the picture's place."""
        try:
            self._show(self._drawn())
        except Exception as error:
            self._show_error(error)

    def _show_error(self, error):
        """Hide the picture and write the message where it was: a box of its shape above the caption, moving nothing."""
        self.error = error
        self.image.layout.visibility = "hidden"
        where = traceback.extract_tb(error.__traceback__)[-1]
        shape = f"width:100%;aspect-ratio:{self.image.width}/{self.image.height}"
        self.caption.value = (
            '<div style="position:relative;height:0"><div class="mlcore-error" role="alert" '
            f'style="position:absolute;left:0;bottom:4px;{shape};color:#a00;background:#fff;line-height:1.3">'
            f"<b>This picture could not be drawn.</b> {html.escape(type(error).__name__)}: {html.escape(str(error))} "
            f"(in {html.escape(where.name)}, line {where.lineno}). Move a control to try again.</div></div>"
        )
        self._tell_hand()

    def set(self, **values):
        """Set several controls, or the points ``X`` and ``y``, and draw once; errors are raised."""
        unknown = sorted(set(values) - set(self.values))
        if unknown:
            raise ValueError(f"there is no control {unknown[0]!r}; there are: {', '.join(self.values)}")
        if self.points and set(values) & set(self.points.values):
            self.points.take(values.pop("X", None), values.pop("y", None))
        self._paused = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._paused = False
        self.redraw()
        if self.error is not None:
            raise self.error

    def sweep(self):
        """Move every control to its minimum, maximum and middle, and all of them to two odd combinations.

        Points are moved to places where a drawing may fail: see ``Draggable.stops``.

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
        stops = {name: _stops(control) for name, control in self.controls.items()}
        plans = [{name: stop} for name, own in stops.items() for stop in own]
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
        lines += [f"  {control.description}: {_range(control)}" for control in self.controls.values()]
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


class Player(Explorer):
    """A picture of one state out of many, with buttons to step, play and scrub; see ``play``."""

    def __init__(
        self, states, draw, alt, *, interval=600, start=0, first=0, code=None, line=None, values=None, points=None,
        **options,
    ):
        if callable(states) != bool(points):
            raise ValueError("states must be a function of the points if, and only if, there are points to move")
        self._states_for, self._played = states, points and points.X
        self.states = list(states(**points.values) if points else states)
        if not self.states:
            raise ValueError("there is no state to play: the list is empty")
        if (code is None) != (line is None) or (values is not None and code is None):
            raise ValueError("code, line and values belong together: the code, the line at work, the step's values")
        self.running = RunningLine(code, line, values) if code else None
        check_int("start", start, low=0, high=len(self.states) - 1)
        self.interval = check_int("interval", interval, low=50)
        self.first = check_int("first", first, low=0)
        wants, *others = inspect.signature(draw).parameters or ["none"]

        def draw_step(target, step, **values):
            return draw(target, self._state(step), **{name: values[name] for name in others if name in values})

        # the canvas reads the name of the first parameter, so the wrapper has to carry the same one
        wrappers = {
            "ax": lambda ax, step, **values: draw_step(ax, step, **values),
            "axes": lambda axes, step, **values: draw_step(axes, step, **values),
            "fig": lambda fig, step, **values: draw_step(fig, step, **values),
        }
        last = max(len(self.states) - 1, 1)  # the browser's slider needs two places
        slider = widgets.IntSlider(
            value=first + start, min=first, max=first + last, step=1, disabled=len(self.states) == 1
        )
        super().__init__(wrappers.get(wants, draw), alt, {"step": slider}, points=points, **options)

    def _state(self, step):
        return self.states[min(step - self.first, len(self.states) - 1)]

    def _drawn(self):
        if self.points and self._played is not self.points.X:
            self._play_anew()
        caption = super()._drawn()
        if self.running:
            self.running.follow(self._state(self.controls["step"].value))
        return caption

    def _play_anew(self):
        """Compute the states for the points as they lie now; the step stays where it is, as far as there are steps."""
        self.states, self._played = list(self._states_for(**self.points.values)), self.points.X
        last, slider = max(len(self.states) - 1, 1), self.controls["step"]
        paused, self._paused = self._paused, True
        slider.max = self.player.max = self.first + last
        self._paused = paused

    def _told(self):
        return super()._told() + (self._running_at_first if self.running else [])

    def _first_frame(self):
        super()._first_frame()
        self._running_at_first = self.running.describe() if self.running else []

    def sweep(self):
        """As of any explorer; and the line at work is found for each of the states."""
        if self.running:
            for state in self.states:
                self.running.follow(state)
        return super().sweep()

    def _put_code_beside(self):
        """The picture with its texts on the left, the code on the right; below it where the window is narrow."""
        left = widgets.VBox([self.stage, self.caption, *([self.goal_lines] if self.goal_lines else [])])
        left.layout.width, left.layout.max_width = self.stage.layout.width, "100%"
        shown = float(self.stage.layout.width.removesuffix("px")) / float(self.image.width)
        height = shown * float(self.image.height) + TEXT
        self.panel.layout.width = "700px"  # there is room for a long slider above the two
        self.running.layout = widgets.Layout(flex="1 1 300px", height=f"{height:.0f}px", min_width="0")
        beside = widgets.Box([left, self.running])
        beside.add_class("mlcore-beside")
        kept = [part for part in self.widget.children if part not in left.children]
        place = kept.index(self.page)
        self.widget.children = [*kept[:place], beside, *kept[place:]]

    def _build(self):
        super()._build()
        if self.running:
            self._put_code_beside()
        slider = self.controls["step"]
        slider.layout = widgets.Layout(width="300px")
        self.player = widgets.Play(
            min=slider.min, max=slider.max, step=1, value=slider.value, interval=self.interval, show_repeat=False
        )
        widgets.jslink((self.player, "value"), (slider, "value"))
        self.page.observe(self._keep_pace, "speed")
        back = self._button("Back", "step-backward", -1)
        forward = self._button("Step", "step-forward", +1)
        self.panel.children = (self.player, back, forward, slider)
        self.panel.remove_class("mlcore-controls")
        self.panel.add_class("mlcore-player")

    def _keep_pace(self, change):
        self.player.interval = round(self.interval / change.new)
        self.page.answers += 1

    def _button(self, label, icon, move):
        button = widgets.Button(
            description=label, icon=icon, tooltip=f"{label} one step", layout=widgets.Layout(width="84px")
        )
        slider = self.controls["step"]

        def clicked(_):
            self.player.playing = False
            slider.value = min(max(slider.value + move, slider.min), self.first + len(self.states) - 1)
            self.page.answers += 1  # at either end too, where no picture comes

        button.on_click(clicked)
        return button


def explore(
    draw, *, alt, labels=None, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None, points=None, guess=None, goals=(),
    **controls,
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
    abbreviations = {name: _with_default(draw, name, value) for name, value in controls.items()}
    return Explorer(
        draw, alt, abbreviations, labels=labels, figsize=figsize, subplots=subplots, ratios=ratios, points=points,
        guess=guess, goals=goals,
    )


def play(
    states, draw, *, alt, interval=600, start=0, first=0, figsize=(7.0, 4.4), subplots=(1, 1), ratios=None, code=None,
    line=None, values=None, points=None, guess=None, goals=(),
):
    """Show the states of an algorithm one by one, with buttons to step, play and scrub.

    Parameters
    ----------
    states : iterable
        For instance ``snapshots(model.iter_fit(X, y))``, or any list. With ``points``, a function that gives the
        states for points: ``lambda X, y: snapshots(model.iter_fit(X, y))``.
    draw : callable
        ``draw(ax, state)`` (``axes`` or ``fig`` as first parameter: see ``Canvas``). A string it returns is shown
        under the picture. With ``points`` it may also take ``X`` and ``y`` by name.
    alt : str
        What is to be seen, for those who cannot see it.
    interval : int
        Milliseconds from one state to the next while playing.
    start : int
        The state to begin with, counted from 0.
    first : int
        The number of the first state on the slider: 1 where it is what the first step leaves behind.
    code : function or list of functions, optional
        The core of the algorithm, shown beside the picture.
    line : callable, optional
        ``line(state)``: a piece of the one line of that code which is at work in this state.
    values : callable, optional
        ``values(state)``: a dict of the step's quantities, such as ``{"η": "0.31", "clipped": "yes"}``.
    points, guess, goals
        As in ``explore``.

    Returns
    -------
    Player

    Raises
    ------
    ValueError
        If the description is missing or there is no state.
    """
    return Player(
        states, draw, alt, interval=interval, start=start, first=first, figsize=figsize, subplots=subplots,
        ratios=ratios, code=code, line=line, values=values, points=points, guess=guess, goals=goals,
    )


def _running_cell():
    """The id of the notebook's cell that runs now, and of this run; (None, None) where there is none."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    parent = getattr(shell, "get_parent", dict)() or {}
    cell = parent.get("metadata", {}).get("cellId")
    return (cell, parent["header"]["msg_id"]) if cell else (None, None)


def _all_inside(widget):
    """A widget and all that belongs to it: children, layouts, styles."""
    for part in getattr(widget, "children", ()):
        yield from _all_inside(part)
    yield from (part for part in (getattr(widget, "layout", None), getattr(widget, "style", None)) if part is not None)
    yield widget


# ---------------------------------------------------------------------------------------------------------------
# Controls
# ---------------------------------------------------------------------------------------------------------------
def _check_parts(points, guess, goals):
    if not isinstance(points, Draggable | None):
        raise ValueError(f"points must be draggable(X, y, box=...), got {type(points).__name__}")
    if not isinstance(guess, Guess | None):
        raise ValueError(f"guess must be guess(question, answers, right), got {guess!r}")
    if not isinstance(goals, list | tuple) or not all(isinstance(goal, Goal) for goal in goals):
        raise ValueError(f"goals must be a list of goal(name, text, reached, by=...), got {goals!r}")


def _checked_alt(alt):
    if not isinstance(alt, str) or len(alt.split()) < 4:
        raise ValueError(f"alt must say in a few words what is to be seen, got {alt!r}")
    return alt


def _with_default(draw, name, abbreviation):
    """Start a slider at the default of the drawing function's parameter, where there is one."""
    parameter = inspect.signature(draw).parameters.get(name)
    if parameter is None or parameter.default is inspect.Parameter.empty or isinstance(abbreviation, widgets.Widget):
        return abbreviation
    control = interactive.widget_from_abbrev(abbreviation, parameter.default)
    return abbreviation if control is None else control


def _control(name, abbreviation, label):
    is_widget = isinstance(abbreviation, widgets.Widget)
    control = abbreviation if is_widget else interactive.widget_from_abbrev(abbreviation)
    if control is None:
        raise ValueError(f"{name}: {abbreviation!r} is no control; use (min, max, step), a list, a bool or a widget")
    control.description = label or name.replace("_", " ")
    control.style.description_width = "initial"
    if isinstance(control, widgets.Checkbox):
        control.indent = False
    return control


def _check_names(draw, controls, labels):
    parameters = inspect.signature(draw).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    own = [parameter for parameter in list(parameters)[1:] if parameter.kind is not parameter.VAR_KEYWORD]
    missing = [p.name for p in own if p.default is p.empty and p.name not in controls]
    extra = [name for name in controls if not takes_any and name not in {p.name for p in own}]
    stray = [name for name in labels if name not in controls]
    if missing or extra or stray:
        raise ValueError(
            f"controls and drawing function do not match: without a control {missing}, "
            f"unknown to the function {extra}, labels without a control {stray}"
        )


def _stops(control):
    """The values a sweep visits: minimum, maximum, middle; or up to eight choices, of more the first, last and middle
    one; or both ticks."""
    if isinstance(control, widgets.Checkbox | widgets.ToggleButton):
        return [False, True]
    if hasattr(control, "options"):
        values = [value for _, value in control._options_full]
        between = values[1:-1] if len(values) <= 8 else [values[len(values) // 2]]
        return [values[0], values[-1], *between]
    if isinstance(control, widgets.FloatLogSlider):
        return [control.base**exponent for exponent in (control.min, control.max, (control.min + control.max) / 2)]
    if hasattr(control, "min") and hasattr(control, "max"):
        middle = (control.min + control.max) / 2
        return [control.min, control.max, int(middle) if isinstance(control.min, int) else middle]
    return [control.value, control.value]


def _range(control):
    if hasattr(control, "options"):
        return f"{control.label} (of {', '.join(label for label, _ in control._options_full)})"
    if isinstance(control, widgets.FloatLogSlider):
        return f"{control.value:.4g} ({control.base:g}^{control.min:g} to {control.base:g}^{control.max:g})"
    if hasattr(control, "min") and hasattr(control, "max"):
        return f"{control.value:.6g} ({control.min:.6g} to {control.max:.6g})"
    return f"{control.value}"
