"""Points in the learner's hand: drag, add, delete, change the class."""

import numpy as np

from mlcore.base import check_int

__all__ = ["Draggable", "draggable"]


class Draggable:
    """Points of a picture that the learner moves; see ``draggable``."""

    def __init__(self, X, y, box, fixed, along, level, panel, fewest, most):
        self.X, self.y, self.box = X, y, box
        self.fixed, self.along, self.level, self.panel = fixed, along, level, panel
        self.fewest, self.most = fewest, most

    @property
    def values(self):
        """What the drawing function gets: ``X``, and ``y`` where the points have classes; copies of their own."""
        return {"X": self.X.copy()} if self.y is None else {"X": self.X.copy(), "y": self.y.copy()}


def draggable(X, y=None, *, box, fixed=False, along="both", level=0.0, panel=0, fewest=1, most=300):
    """Put the points of a picture into the learner's hand: ``explore(draw, points=draggable(X, y, box=...), ...)``.

    ``draw`` then takes ``X`` (and ``y``) by name, as it takes the values of the controls.

    Parameters
    ----------
    X : array of shape (n, 2), or of shape (n,) for values on a line
    y : array of int of shape (n,), optional
        Classes 0, 1, ...: the learner may change them too.
    box : ((x_low, x_high), (y_low, y_high))
        Where points may lie: the limits of the axes, set before ``draw`` is called and not to be changed there.
    fixed : bool
        True: points are moved only; none is added, deleted or pasted (centres, starts, tips of arrows).
    along : {"both", "x", "y"}
        The directions in which points of shape (n, 2) move.
    level : float or callable
        For values on a line: the height at which their handles lie, or ``level(X, y)``, one height for each.
    panel : int
        Which of the picture's axes holds the points.
    fewest, most : int
        How many points there may be.
    """
    X = np.array(X, dtype=float)
    y = None if y is None else np.array(y, dtype=int)
    check_int("fewest", fewest, low=0)
    check_int("most", most, low=fewest)
    return Draggable(X, y, box, fixed, along, level, panel, fewest, most)
