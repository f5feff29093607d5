"""Points in the learner's hand: drag, add, delete, change the class, paste a table.

The handles live in the page (points.js) and move there at once. Here is what Python knows of them: ``Draggable`` holds
the points and refuses what may not be; ``Hand`` says what the page shows of them, and hears of every move.
"""

import numpy as np
from matplotlib.markers import MarkerStyle

from mlcore.base import check_choice, check_flag, check_int
from mlcore.classroom.viz.ask.pasted import fit_into, read_table
from mlcore.classroom.viz.draw.roles import MARKERS

__all__ = ["Draggable", "Hand", "draggable"]


class Draggable:
    """Points of a picture that the learner moves; see ``draggable``.

    Attributes
    ----------
    X, y : arrays
        The points as they lie now.
    n_classes : int
        How many classes a point may belong to, 0 where points have none.
    names : list of str
        What each class is called in the page.
    """

    def __init__(self, X, y, box, fixed, along, level, panel, fewest, most, names, every_class):
        self.box = _checked_box(box)
        self.fixed, self.along, self.level, self.panel = fixed, along, level, panel
        self.on_a_line = X.ndim == 1
        self.n_classes = 0 if y is None else int(y.max(initial=0)) + 1
        self.every_class = every_class
        self.fewest, self.most = max(fewest, self.n_classes) if every_class else fewest, most
        self.names = _checked_names(names, self.n_classes)
        self.X, self.y = X, y
        self.take(X, y)
        self.start = self.values

    @property
    def values(self):
        """What the drawing function gets: ``X``, and ``y`` where the points have classes; copies of their own."""
        return {"X": self.X.copy()} if self.y is None else {"X": self.X.copy(), "y": self.y.copy()}

    # -- other points ----------------------------------------------------------------------------------------
    def take(self, X=None, y=None):
        """Keep other points, or other classes; if they may not be, raise ValueError and change nothing."""
        X = self.X if X is None else self._checked_places(X)
        self.X, self.y = X, self._checked_classes(self.y if y is None else y, len(X))

    def _checked_places(self, X):
        X = _numbers(X, "points")
        if X.size == 0:
            X = X.reshape(0) if self.on_a_line else X.reshape(0, 2)
        if X.ndim != self.X.ndim or X.shape[1:] != self.X.shape[1:]:
            wanted = "(n,)" if self.on_a_line else "(n, 2)"
            raise ValueError(f"points must have the shape {wanted}, got {X.shape}")
        if self.fixed and len(X) != len(self.X):
            raise ValueError(f"these {len(self.X)} points can be moved only, got {len(X)}")
        if not self.fixed and not self.fewest <= len(X) <= self.most:
            raise ValueError(f"there may be {self.fewest} to {self.most} points, got {len(X)}")
        low, high = self._limits()
        slack = 1e-9 * (high - low)
        outside = ~((X >= low - slack) & (X <= high + slack))  # also what is not a number
        if outside.any():
            raise ValueError(f"points must lie within the box {self.box}, got {X[outside][0]:g}")
        return X.clip(low, high)

    def _checked_classes(self, y, n):
        if self.n_classes == 0:
            if y is not None:
                raise ValueError("these points have no classes")
            return None
        y = _numbers(y, "classes")
        if y.shape != (n,):
            raise ValueError(f"each of the {n} points needs a class, got {y.size} classes")
        if not np.isin(y, range(self.n_classes)).all():
            raise ValueError(f"classes are 0 to {self.n_classes - 1}, got {y.tolist()}")
        missing = [name for k, name in enumerate(self.names) if k not in y]
        if self.every_class and missing:
            raise ValueError(f"each class keeps a point; {missing[0]} would have none")
        return y.astype(int)

    def _limits(self):
        box = np.array(self.box)
        return box[0] if self.on_a_line else box.T

    def read(self, message):
        """Take what the page sends, moved points or a pasted table, and return what there is to say about it."""
        if isinstance(message.get("table"), str):
            return self._paste(message["table"])
        pairs = _numbers(message.get("X"), "points")
        if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise ValueError(f"points in the page are pairs of numbers, got the shape {pairs.shape}")
        pairs = pairs.reshape(-1, 2)
        self.take(pairs[:, 0] if self.on_a_line else pairs, message.get("y") if self.n_classes else None)
        return ""

    def _paste(self, text):
        if self.fixed:
            raise ValueError("these points can be moved only")
        n_columns = 1 if self.on_a_line else 2
        X, y, said = read_table(text, n_columns, self.names, self.fewest, self.most)
        X, scaled = fit_into(X, self.box)
        self.take(X[:, 0] if self.on_a_line else X, y)
        return " ".join(filter(None, [f"{len(X)} points.", said, scaled]))

    # -- where they are in the picture -----------------------------------------------------------------------
    def set_limits(self, figure):
        """Give the axes that hold the points the limits of the box, before anything is drawn there."""
        if figure.axes:
            if self.panel >= len(figure.axes):
                there = len(figure.axes)
                raise ValueError(f"the points lie in panel {self.panel}, but the picture has {there}, counted from 0")
            figure.axes[self.panel].set(xlim=self.box[0], ylim=self.box[1])

    def check_limits(self, figure):
        """Raise ValueError if a drawing function has changed the limits."""
        ax = figure.axes[self.panel]
        shown = ax.get_xlim(), ax.get_ylim()
        if not np.allclose(shown, self.box, rtol=1e-6):
            raise ValueError(f"draw must leave the limits of the axes at the points' box {self.box}, they are {shown}")

    def place(self, figure):
        """Return the left, bottom, right and top edge of the box in a drawn figure, in parts of its width and height.

        Counted from its left and from its top, as the page does.
        """
        corners = figure.axes[self.panel].transData.transform(np.transpose(self.box)) / figure.bbox.size
        return [float(part) for part in np.round(np.abs(corners - [0, 1]), 6).ravel()]

    def pairs(self):
        """Return the points as the page has them: two numbers each, of which the second is the height on a line."""
        if not self.on_a_line:
            return self.X.tolist()
        level = self.level if not callable(self.level) else self.level(**self.values)
        return np.column_stack([self.X, np.broadcast_to(np.asarray(level, dtype=float), self.X.shape)]).tolist()

    # -- for the tests and for those who cannot see ----------------------------------------------------------
    def describe(self):
        """Return in words how many points there are and what can be done with them."""
        classes = f" of {self.n_classes} classes" if self.n_classes > 1 else ""
        done = "move" if self.fixed else f"move, add and delete ({self.fewest} to {self.most})"
        return f"{len(self.start['X'])} points{classes} to {done}"

    def stops(self):
        """Return the odd sets of points that a sweep visits: whatever a learner may do, a picture has an answer."""
        places = [self._in_corners(), self._spread(1.0, 1.0), self._spread(0.0, 1.0), self._spread(0.0, 0.0)]
        start = self.start["X"]
        if len(start) > 1:
            places.append(np.concatenate([start[:1], start[:1], start[2:]]))
        stops = [self._with_classes(self._along(X)) for X in places]
        return stops if self.fixed else stops + self._other_sizes()

    def _other_sizes(self):
        start, n = self.start, len(self.start["X"])
        low, high = self._limits()
        more = min(self.most, n + 10) - n
        new = np.random.default_rng(0).uniform(low, high, size=(more, *start["X"].shape[1:]))
        first = np.arange(n)
        if self.every_class:  # one of each class before the others
            ones = np.unique(start["y"], return_index=True)[1]
            first = np.concatenate([ones, np.setdiff1d(first, ones)])
        fewest = {name: values[first[: self.fewest]] for name, values in start.items()}
        stops = [fewest, self._with_classes(np.concatenate([start["X"], new]))]
        if self.n_classes > 1 and not self.every_class:
            stops += [{**start, "y": np.full(n, k)} for k in (0, self.n_classes - 1)]
        return stops

    def _with_classes(self, X):
        if not self.n_classes:
            return {"X": X}
        new = np.arange(len(X) - len(self.start["y"])) % self.n_classes
        return {"X": X, "y": np.concatenate([self.start["y"], new])}

    def _in_corners(self):
        which = np.arange(len(self.start["X"]))
        low, high = self._limits()
        share = which % 2 if self.on_a_line else np.column_stack([which % 2, which // 2 % 2])
        return low + share * (high - low)

    def _spread(self, across, up):
        """The points on a line through the middle of the box, over these parts of its width and height."""
        low, high = self._limits()
        share = np.linspace(-0.4, 0.4, len(self.start["X"]))
        share = across * share if self.on_a_line else np.outer(share, (across, up))
        return low + (0.5 + share) * (high - low)

    def _along(self, X):
        """Undo what moved in a direction in which these points do not move."""
        if self.on_a_line or self.along == "both":
            return X
        stays = [self.along == "y", self.along == "x"]
        return np.where(stays, self.start["X"], X)


def _checked_box(box):
    try:
        box = tuple(tuple(float(edge) for edge in edges) for edges in box)
    except (TypeError, ValueError):
        raise ValueError(f"box must be ((x_low, x_high), (y_low, y_high)), got {box!r}") from None
    if len(box) != 2 or not all(len(edges) == 2 and edges[0] < edges[1] for edges in box) or not np.isfinite(box).all():
        raise ValueError(f"box must be ((x_low, x_high), (y_low, y_high)), got {box}")
    return box


def _checked_names(names, n_classes):
    if names is None:
        return [f"class {k}" for k in range(n_classes)]
    texts = list(names) if isinstance(names, list | tuple) else []
    if not all(isinstance(name, str) and name.strip() for name in texts) or len(texts) != n_classes:
        raise ValueError(f"each of the {n_classes} classes needs a name, got {names!r}")
    return texts


def _numbers(values, what):
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):  # a whole number may have a thousand digits
        raise ValueError(f"the {what} cannot be read as numbers") from None


def draggable(X, y=None, *, box, fixed=False, along="both", level=0.0, panel=0, fewest=1, most=300, names=None,
              every_class=False):  # fmt: skip
    """Put the points of a picture into the learner's hand: ``explore(draw, points=draggable(X, y, box=...), ...)``.

    ``draw`` then takes ``X`` (and ``y``) by name, as it takes the values of the controls.

    Parameters
    ----------
    X : array of shape (n, 2), or of shape (n,) for values on a line
    y : array of int of shape (n,), optional
        Classes 0, 1, ...: the learner may change them too, among as many as there are at the start.
    box : ((x_low, x_high), (y_low, y_high))
        Where points may lie: the limits of the axes, set before ``draw`` is called and not to be changed there.
    fixed : bool
        True: points are moved only; none is added, deleted or pasted (centres, starts, tips of arrows).
    along : {"both", "x", "y"}
        The directions in which points of shape (n, 2) move.
    level : float or callable
        For values on a line: the height at which their handles lie, or ``level(X, y)``, one height for each. In the
        page the handles of near values stand above one another.
    panel : int
        Which of the picture's axes holds the points.
    fewest, most : int
        How many points there may be.
    names : sequence of str, optional
        What the classes are called in the tool bar, as in the picture's legend: ``("y = -1", "y = +1")``. By default
        "class 0", "class 1", ...
    every_class : bool
        True: the last point of a class is neither deleted nor given another class, for models that need all classes.

    Raises
    ------
    ValueError
        If the points lie outside the box, or there are too few or too many of them.
    """
    X = _numbers(X, "points")
    if X.ndim != 1 and (X.ndim != 2 or X.shape[1] != 2):
        raise ValueError(f"points have the shape (n, 2) or (n,), got {X.shape}")
    if y is not None:
        y = _numbers(y, "classes")
        if not np.isin(y, range(len(MARKERS))).all():
            raise ValueError(f"classes are whole numbers from 0 to {len(MARKERS) - 1}, got {y.tolist()}")
        y = y.astype(int)
    check_choice("along", along, ("both", "x", "y"))
    check_flag("fixed", fixed)
    check_flag("every_class", every_class)
    check_int("panel", panel, low=0)
    check_int("fewest", fewest, low=0)
    check_int("most", most, low=fewest)
    return Draggable(X, y, box, fixed, along, level, panel, fewest, most, names, every_class)


# ---------------------------------------------------------------------------------------------------------------
# What the page shows of them
# ---------------------------------------------------------------------------------------------------------------
class Hand:
    """The points as the page has them: handles over a picture, and a tool bar above it.

    Each message of the page has a number. The page sends the next one when a frame has come back with that number:
    only the last of the positions on the way is ever drawn.
    """

    HEIGHT = 34
    """Of the tool bar, in pixels."""

    def __init__(self, points):
        self.points, self._place = points, [0, 1, 1, 0]
        self._answer = {"said": "", "refused": False}

    def spec(self):
        """What does not change."""
        points = self.points
        return {
            "box": [list(edges) for edges in points.box], "along": "x" if points.on_a_line else points.along,
            "line": points.on_a_line, "fixed": points.fixed, "fewest": points.fewest, "most": points.most,
            "classes": points.n_classes, "names": points.names, "shapes": [marker_outline(one) for one in MARKERS],
        }  # fmt: skip

    def state(self, figure):
        """The points, where their box lies in a drawn figure, and what there is to say about the last message."""
        points = self.points
        if len(figure.axes) > points.panel:  # a drawing that failed may have left none
            self._place = points.place(figure)
        y = [] if points.y is None else points.y.tolist()
        return {**self._answer, "X": points.pairs(), "y": y, "place": self._place}

    def hear(self, message):
        """Take what the page sends; what cannot be read changes nothing, and the page is told so."""
        try:
            said, refused = self.points.read(message), False
        except ValueError as error:
            said, refused = f"Nothing was changed: {error}.", True
        self._answer = {"said": said, "refused": refused}

    def forget_what_was_said(self):
        """What was said about the last message is no matter of a later frame."""
        self._answer = {"said": "", "refused": False}


SCALE = 15
"""The size of a point's shape in the page, in pixels."""


def marker_outline(marker):
    """Return the outline of one of matplotlib's markers as an SVG path about (0, 0)."""
    style = MarkerStyle(marker)
    path = style.get_path().transformed(style.get_transform().scale(SCALE, -SCALE))
    letters = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
    return "".join(
        letters[code] + ("" if code == 79 else " ".join(f"{number:.2f}" for number in numbers))
        for numbers, code in path.iter_segments(curves=True, simplify=False)
    )
