"""Where a prediction changes, found between the points of a grid: straight borders are straight, corners are corners.

Known is a label at each point of a grid. Where two neighbours differ, the place between them at which the label changes
is found by halving; a cell of the grid whose corners differ is cut along lines through these places. So a coarse grid
gives a fine border, for few more predictions.
"""

import numpy as np
from matplotlib.path import Path

__all__ = ["Borders"]

HALVINGS = 4
"""Each finds a border between two neighbours twice as sharply."""
FINE = 7
"""Where three labels meet, a cell is asked at so many points a side."""
SHARP = 2.0**-HALVINGS
"""In cells; less than this is no bend."""
REACH = 0.55
"""How far the middle of a border in a cell may lie beside the straight line, as a part of its length."""
_CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
"""Of a cell, counter-clockwise, as (column, row); side k leads from corner k to the next."""


class Borders:
    """The borders between the labels of a grid, and the areas beside them.

    Parameters
    ----------
    codes : int array of shape (rows, columns)
        The lowest row first.
    x, y : arrays of shape (columns,) and (rows,)
    ask : callable or None
        From points of shape (n, 2) to their codes. Without it, or where the codes change at every second point, borders
        go half-way between the points of the grid, along the axes.

    Attributes
    ----------
    lines : list of arrays of shape (n, 2)
    areas : dict of code -> Path
        Of the cells through which a border goes: the parts where this code is predicted.
    """

    def __init__(self, codes, x, y, ask):
        self.codes, self.x, self.y, self.ask = codes, x, y, ask
        self.step = np.array([x[1] - x[0], y[1] - y[0]])
        pieces = [codes[:-1, :-1], codes[:-1, 1:], codes[1:, 1:], codes[1:, :-1]]
        rows, columns = np.nonzero(np.maximum.reduce(pieces) != np.minimum.reduce(pieces))
        self.cells = np.column_stack([columns, rows])
        self.labels = np.column_stack([piece[rows, columns] for piece in pieces])
        self.crossed = self.labels != np.roll(self.labels, -1, axis=1)
        self.asks = ask is not None and 2 * len(rows) <= codes.size
        self._parts, self._links = {}, []
        if len(rows):
            self._find_places()
            self._cut_cells()
        self.areas = {code: _compound(parts) for code, parts in self._parts.items()}
        self.lines = _joined(self._links)

    # -- places on the sides of cells ------------------------------------------------------------------------
    def _find_places(self):
        """For each cell and side, where the label changes on it, in cells; where it does not, the side's middle."""
        across = self._changes(self.codes[:, :-1], self.codes[:, 1:], np.array([1, 0]))
        upwards = self._changes(self.codes[:-1], self.codes[1:], np.array([0, 1]))
        i, j = self.cells.T
        bottom, right, top, left = across[j, i], upwards[j, i + 1], across[j + 1, i], upwards[j, i]
        zero, one = np.zeros(len(i)), np.ones(len(i))
        sides = [(bottom, zero), (one, right), (top, one), (zero, left)]
        self.places = self.cells[:, np.newaxis] + np.stack([np.column_stack(side) for side in sides], axis=1)
        shape, size = self.codes.shape, self.codes.size
        number = np.ravel_multi_index((j, i), shape)
        self.sides = np.column_stack([number, size + number + 1, number + shape[1], size + number])

    def _changes(self, before, after, along):
        """How far between neighbours the label changes, from 0 to 1."""
        changes = np.full(before.shape, 0.5)
        rows, columns = np.nonzero(before != after)
        if not len(rows) or not self.asks:
            return changes
        changes[rows, columns] = self._reach(np.column_stack([columns, rows]), along, before[rows, columns], HALVINGS)
        return changes

    def _reach(self, start, ways, codes, halvings):
        """What part of the ways from some places their codes stay the same; at the end of each it is another one."""
        low, high = np.zeros(len(start)), np.ones(len(start))
        for _ in range(halvings):
            middle = (low + high) / 2
            same = self._at(start + middle[:, np.newaxis] * ways) == codes
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return (low + high) / 2

    def _at(self, places):
        """The codes at places that are given in cells."""
        return self.ask((self.x[0], self.y[0]) + places * self.step)

    # -- cells -----------------------------------------------------------------------------------------------
    def _cut_cells(self):
        crossings = self.crossed.sum(axis=1)
        for first in range(4):
            for second in range(first + 1, 4):
                own = (crossings == 2) & self.crossed[:, first] & self.crossed[:, second]
                if own.any():
                    self._cut_in_two(np.flatnonzero(own), first, second)
        meeting = np.flatnonzero(crossings > 2)
        for cell, middle in zip(meeting, self._meetings(meeting)):
            self._cut_around(cell, middle)

    def _cut_in_two(self, cells, first, second):
        start, end = self.places[cells, first], self.places[cells, second]
        bend = self._bent(cells, start, end, self.labels[cells, first + 1]) if self.asks else (start + end) / 2
        if (second - first) % 2:
            upright, level = (start, end) if first % 2 == 0 else (end, start)
            corner = np.column_stack([upright[:, 0], level[:, 1]])
            bend = np.where(self._are_corners(cells, corner, first, second)[:, np.newaxis], corner, bend)
        for way, begin, stop in ((range(first + 1, second + 1), start, end),
                                 (range(second + 1, first + 5), end, start)):  # fmt: skip
            corners = [self.cells[cells] + _CORNERS[k % 4] for k in way]
            self._add(self.labels[cells, way[0] % 4], np.stack([begin, *corners, stop, bend], axis=1))
        self._links += zip(self.sides[cells, first], self.sides[cells, second],
                           self._out(np.stack([start, bend, end], axis=1)))  # fmt: skip

    def _are_corners(self, cells, places, first, second):
        """Whether borders turn here at a right angle: of four places around one, only one has another label."""
        if not self.asks:
            return np.full(len(cells), True)
        around = self._at((places[:, np.newaxis] + (_CORNERS - 0.5) / 8).reshape(-1, 2)).reshape(-1, 4)
        alone = second if second == first + 1 else 0  # the corner between the two sides
        wanted = self.labels[cells, np.full(4, alone - 2)[:, np.newaxis]].T
        wanted[:, alone] = self.labels[cells, alone]
        return (around == wanted).all(axis=1)

    def _bent(self, cells, start, end, right):
        """Where borders lie half-way between two sides of their cells: beside the straight line, if they are bent."""
        middle, way = (start + end) / 2, end - start
        found = self._at(middle)
        aside = np.column_stack([way[:, 1], -way[:, 0]]) * np.where(found == right, -REACH, REACH)[:, np.newaxis]
        corner = self.cells[cells]
        with np.errstate(divide="ignore", invalid="ignore"):  # not out of the cell
            room = np.where(aside > 0, corner + 1 - middle, corner - middle) / aside
        aside *= np.fmin(1, np.nanmin(np.where(aside == 0, np.inf, room), axis=1))[:, np.newaxis]
        bent = self._at(middle + aside) != found
        aside *= self._reach(middle, aside, found, HALVINGS - 1)[:, np.newaxis]
        bent &= np.hypot(*aside.T) > SHARP
        return middle + np.where(bent[:, np.newaxis], aside, 0.0)

    def _cut_around(self, cell, middle):
        """A cell in which more than two parts meet."""
        places, corners = self.places[cell], self.cells[cell] + _CORNERS
        for k in range(4):
            self._add(self.labels[cell, [k]], np.array([[places[k - 1], corners[k], places[k], middle]]))
        for k in np.flatnonzero(self.crossed[cell]):
            self._links.append((self.sides[cell, k], -1 - cell, self._out(np.array([places[k], middle]))))

    def _meetings(self, cells):
        """Where three or four parts meet, in each of these cells."""
        if not self.asks or not len(cells):
            return self.cells[cells] + 0.5
        grid = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, FINE)]), axis=-1).reshape(-1, 2)
        codes = self._at((self.cells[cells, np.newaxis] + grid).reshape(-1, 2)).reshape(-1, FINE, FINE)
        near = np.stack([codes[:, :-1, :-1], codes[:, 1:, :-1], codes[:, :-1, 1:], codes[:, 1:, 1:]])
        labels = (np.diff(np.sort(near, axis=0), axis=0) != 0).sum(axis=0)
        return [self._meeting(cell, own) for cell, own in zip(cells, labels)]

    def _meeting(self, cell, labels):
        """Where two borders cross; or where most labels are close together, but on a border that runs along an axis."""
        bottom, right, top, left = self.places[cell]
        if self.crossed[cell].all():
            up, across = top - bottom, right - left
            return bottom + up * np.linalg.solve(np.column_stack([up, -across]), left - bottom)[0]
        rows, columns = np.nonzero(labels == labels.max())
        found = self.cells[cell] + (np.array([columns.mean(), rows.mean()]) + 0.5) / (FINE - 1)
        level = self.crossed[cell, [1, 3]].all() and abs(left[1] - right[1]) < 1e-9
        upright = self.crossed[cell, [0, 2]].all() and abs(bottom[0] - top[0]) < 1e-9
        if level or upright:
            edges = bottom[0] if self.crossed[cell, 0] else top[0], left[1] if self.crossed[cell, 3] else right[1]
            found = np.where(np.abs(edges - found) < 1 / (FINE - 1), edges, found)
        return found

    # -- what is drawn ---------------------------------------------------------------------------------------
    def _out(self, places):
        """From cells to coordinates."""
        return (self.x[0], self.y[0]) + places * self.step

    def _add(self, codes, polygons):
        polygons = self._out(polygons)
        for code in np.unique(codes):
            self._parts.setdefault(int(code), []).extend(polygons[np.asarray(codes) == code])


def _compound(polygons):
    """One path of polygons: where two of them touch nothing shines through."""
    closed = [np.concatenate([polygon, polygon[:1]]) for polygon in polygons]
    letters = [np.repeat([Path.MOVETO, Path.LINETO, Path.CLOSEPOLY], [1, len(one) - 2, 1]) for one in closed]
    return Path(np.concatenate(closed), np.concatenate(letters))


def _joined(links):
    """Pieces of lines, put together where two of them end at one place.

    Parameters
    ----------
    links : list of (end, end, points)
        Ends are numbers; points lead from the first to the second.
    """
    at = {}
    for number, (one, other, _) in enumerate(links):
        at.setdefault(one, []).append(number)
        at.setdefault(other, []).append(number)
    free, lines = set(range(len(links))), []
    ends = [number for numbers in at.values() if len(numbers) != 2 for number in numbers]
    for number in [*ends, *range(len(links))]:
        if number not in free:
            continue
        one, other, points = links[number]
        if len(at[one]) == 2 and len(at[other]) != 2:  # begin at the end that leads nowhere
            one, other, points = other, one, points[::-1]
        free.discard(number)
        line = [points]
        while len(at[other]) == 2 and (on := next((k for k in at[other] if k in free), None)) is not None:
            free.discard(on)
            start, end, points = links[on]
            line.append((points if start == other else points[::-1])[1:])
            other = end if start == other else start
        lines.append(np.concatenate(line))
    return lines
