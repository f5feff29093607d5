"""Players: a picture that steps through the states of an algorithm."""

import inspect

import ipywidgets as widgets

from mlcore.base import check_int
from mlcore.classroom.viz.ask.running import RunningLine
from mlcore.classroom.viz.stage.explorer import Explorer

__all__ = ["Player", "play"]


class Player(Explorer):
    """A picture of one state out of many, with buttons to step, play and scrub; see ``play``."""

    kind = "player"
    _remembers_its_place = False

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
        options |= {"points": points, "running": self.running}
        super().__init__(wrappers.get(wants, draw), alt, {"step": slider}, **options)

    def _state(self, step):
        return self.states[min(step - self.first, len(self.states) - 1)]

    def _draw(self):
        if self.points and self._played is not self.points.X:
            self._play_anew()
        super()._draw()
        if self.running:
            self.running.follow(self._state(self.controls["step"].value))

    def _play_anew(self):
        """Compute the states for the points as they lie now; the step stays where it is, as far as there are steps."""
        self.states, self._played = list(self._states_for(**self.points.values)), self.points.X
        last, slider = max(len(self.states) - 1, 1), self.controls["step"]
        with self.paused():
            slider.max = self.player.max = self.first + last

    def _told(self):
        return super()._told() + (self._running_at_first if self.running else [])

    def _first_picture(self):
        super()._first_picture()
        self._running_at_first = self.running.describe() if self.running else []

    def sweep(self, alone=True):
        """As of any explorer; and the line at work is found for each of the states."""
        if self.running:
            for state in self.states:
                self.running.follow(state)
        return super().sweep(alone)

    def _build(self):
        super()._build()
        slider = self.controls["step"]
        slider.layout = widgets.Layout(width="300px")
        self.player = widgets.Play(
            min=slider.min, max=slider.max, step=1, value=slider.value, interval=self.interval, show_repeat=False
        )
        widgets.jslink((self.player, "value"), (slider, "value"))
        back = self._button("Back", "step-backward", -1)
        forward = self._button("Step", "step-forward", +1)
        self.panel.children = (self.player, back, forward, slider)
        self.panel.add_class("mlcore-player")

    def _button(self, label, icon, move):
        button = widgets.Button(
            description=label, icon=icon, tooltip=f"{label} one step", layout=widgets.Layout(width="84px")
        )
        slider = self.controls["step"]

        def clicked(_):
            self.player.playing = False
            before = slider.value
            slider.value = min(max(slider.value + move, slider.min), self.first + len(self.states) - 1)
            if slider.value == before:
                self._tell()  # at either end no picture comes, and the page waits for an answer

        button.on_click(clicked)
        return button

    def _heard(self, _, message, buffers=()):
        if isinstance(message, dict) and message.get("kind") == "speed":
            self._keep_pace(message.get("speed"))
        else:
            super()._heard(_, message, buffers)

    def _keep_pace(self, speed):
        """Play so many times as fast as it was made: the learner's choice in the page."""
        if isinstance(speed, int | float) and 0.1 <= speed <= 10:
            self.player.interval = round(self.interval / speed)


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
