"""What a slider sets and the eye can see can be taken hold of in the picture: a threshold, a level, an angle."""

import inspect

import numpy as np

from mlcore.base import check_callable, check_choice, check_int

__all__ = ["Hold", "hold"]


class Hold:
    """A place in the picture at which a control can be moved; see ``hold``."""

    def __init__(self, along, panel, at, read, anywhere=False, between=None):
        self.along, self.panel, self.anywhere, self.between = along, panel, anywhere, between
        self.at, self.read = _with_others(at, 1), _with_others(read, 2 if along == "both" else 1)

    def place(self, figure, value, numbers=None):
        """Where it is in a drawn figure, in parts of its width and from its top; None where it cannot be seen."""
        ax, size = figure.axes[self.panel], figure.bbox.size
        low, high = self._ends(ax) / size
        x, y = self._seen(value, ax, numbers or {})
        across, up = ax.transData.transform((x, y)) / size
        if not (np.isfinite([across, up]).all() and low[0] - 1e-6 <= across <= high[0] + 1e-6):
            return None
        if not low[1] - 1e-6 <= up <= high[1] + 1e-6:
            return None
        edges = [low[0], 1 - high[1], high[0], 1 - low[1]]
        return [round(float(part), 4) for part in (across, 1 - up, *edges)]

    def _ends(self, ax):
        """The corners, in pixels, between which its line goes: the panel's, or a part of it."""
        corners = ax.bbox.get_points()
        if self.between is not None:
            across = int(self.along == "x")  # the line goes along the other axis
            ends = ax.transData.transform(np.transpose([self.between] * 2))[:, across]
            corners[:, across] = np.clip(ends, *corners[:, across])
        return corners

    def _seen(self, value, ax, numbers):
        middle, seen = ax.transData.inverted().transform(self._ends(ax).mean(axis=0)), self.at(numbers, value)
        if self.along == "x":
            return seen, middle[1]
        return (middle[0], seen) if self.along == "y" else seen

    def value(self, figure, across, down, numbers=None):
        """The control's value where the learner points, given in parts of the picture."""
        ax = figure.axes[self.panel]
        with np.errstate(all="ignore"):  # far outside a logarithmic axis there is no number
            x, y = ax.transData.inverted().transform(np.array([across, 1 - down]) * figure.bbox.size)
        where = {"x": [x], "y": [y], "both": [x, y]}[self.along]
        return float(self.read(numbers or {}, *map(float, where)))


def _with_others(function, own):
    """A function of the picture's numbers and its own arguments; what else it names is taken from the numbers."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[own:]
    except ValueError:  # of float and of NumPy's functions nothing is known
        parameters = []
    names = [one.name for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
    return lambda numbers, *arguments: function(*arguments, **{name: numbers[name] for name in names})


def hold(along="x", *, panel=0, at=None, read=None, anywhere=False, between=None):
    """Let a control be moved in the picture: ``explore(draw, holds={"threshold": hold("x")}, threshold=(0, 1), ...)``.

    Parameters
    ----------
    along : {"x", "y", "both"}
        "x": the control is a place on the x axis, held anywhere on its upright line; "y": a height; "both": a knob.
    panel : int
        Which of the picture's axes.
    at : callable, optional
        ``at(value)``: the coordinate where the value is seen, by default the value itself; for "both" the pair (x, y).
    read : callable, optional
        The way back: ``read(coordinate)``, or ``read(x, y)``. An angle about the origin, say:
        ``hold("both", at=lambda a: (cos(a), sin(a)), read=lambda x, y: atan2(y, x))``. Both may name other controls:
        ``hold("both", at=lambda slope, b: (1, slope + b), read=lambda x, y, b: (y - b) / x)``.
    anywhere : bool
        A press anywhere in the panel moves it there: to choose among things that the drawing shows and marks itself.
    between : (float, float), optional
        The two heights between which the line of an "x" stands, or the two places between which that of a "y" lies: in
        a panel in which it concerns one thing of several. By default it goes through the whole panel.

    Raises
    ------
    ValueError
        If a knob lacks ``at`` or ``read``, or only one of them is given; if a knob has ``between``.
    """
    check_choice("along", along, ("x", "y", "both"))
    check_int("panel", panel, low=0)
    if (at is None) != (read is None) or (along == "both" and at is None):
        raise ValueError("at and read belong together, and a knob needs both")
    if between is not None and (along == "both" or len(between) != 2):
        raise ValueError("between are the two ends of a line, and a knob has none")
    ways = (float, float) if at is None else (check_callable("at", at), check_callable("read", read))
    return Hold(along, panel, *ways, bool(anywhere), between)
