"""A table that somebody pastes, from a spreadsheet or a CSV file, becomes points; or a sentence says why not."""

import csv
import re

import numpy as np

__all__ = ["fit_into", "read_table"]

MOST_CHARACTERS = 200_000
PLAIN = str.maketrans("\u00a0\u2007\u2009\u202f\u3000，；", "     ,;")
"""Odd spaces, and the comma and semicolon of a Chinese keyboard."""
SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", None: "spaces"}


def read_table(text, n_columns, names, fewest, most):
    """Read a pasted table.

    Columns are separated by tabs, semicolons, commas or spaces, numbers may have a decimal comma, and the first row may
    be a header.

    Parameters
    ----------
    text : str
    n_columns : int
        How many columns of numbers are wanted.
    names : list of str
        What the classes are called that a further last column may name, by any text; none: there is no such column.
    fewest, most : int
        How many rows there may be.

    Returns
    -------
    X : ndarray of shape (n, n_columns)
    y : ndarray of int of shape (n,), or None
    said : str
        Which class got which number.

    Raises
    ------
    ValueError
        A sentence for the learner, with the row and what stands there.
    """
    lines = _lines(text)
    separators = [separator for separator in SEPARATORS if _may_separate(separator, lines)]
    tables = [_Table(lines, separator, n_columns, bool(names)) for separator in separators]
    table = max(tables, key=lambda table: (table.faults == 0, len(table.numbers)))
    if table.faults:
        raise ValueError(table.complaint)
    if not fewest <= len(table.numbers) <= most:
        rows = "1 row" if len(table.numbers) == 1 else f"{len(table.numbers)} rows"
        raise ValueError(f"the table has {rows} of numbers, {fewest} to {most} are possible here")
    y, said = _numbered(table.names, names) if names else (None, "")
    return np.array(table.numbers, dtype=float).reshape(-1, n_columns), y, said


def _lines(text):
    """The rows that are not empty, with the number of each."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the text has {len(text)} characters, at most {MOST_CHARACTERS} can be read")
    rows = text.lstrip("\ufeff").translate(PLAIN).splitlines()
    lines = [(i, row) for i, row in enumerate(rows, start=1) if row.strip(" \t,;")]
    if not lines:
        raise ValueError("there is no table: paste rows of numbers, such as 1.5, 2.0")
    return lines


DECIMAL_COMMA = re.compile(r"\d,\d+ +[-\u2212]?\d")
"""As in "1,5 200", where a space separates."""


def _may_separate(separator, lines):
    """Whether a separator occurs, a comma as more than the decimal one."""
    rows = "\n".join(row for _, row in lines)
    return separator is None or separator in rows and not (separator == "," and DECIMAL_COMMA.search(rows))


class _Table:
    """The rows as one separator cuts them; ``faults`` counts those that cannot be read."""

    def __init__(self, lines, separator, n_columns, has_classes):
        self.numbers, self.names, self.faults, self.complaint = [], [], 0, ""
        rows = [(i, _cut(line, separator)) for i, line in lines]
        if len(rows) > 1 and not any(map(_is_of_numbers, rows[0][1][:n_columns])):
            del rows[0]  # a header
        for i, cells in rows:
            wrong = self._fault(cells, n_columns, has_classes)
            if wrong:
                self.faults += 1
                self.complaint = self.complaint or f"row {i} {wrong} (columns were cut at {SEPARATORS[separator]})"
            else:
                self.numbers.append([_number(cell) for cell in cells[:n_columns]])
                self.names.append(cells[n_columns] if len(cells) > n_columns else "")

    @staticmethod
    def _fault(cells, n_columns, has_classes):
        if not n_columns <= len(cells) <= n_columns + has_classes:
            wanted = "one number" if n_columns == 1 else f"{n_columns} numbers"
            more = " and, if you like, a class" if has_classes else ""
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            return f"has {columns}, it should have {wanted}{more}"
        strange = [cell for cell in cells[:n_columns] if _number(cell) is None]
        return f"has “{strange[0][:30]}” where a number should be" if strange else ""


def _cut(line, separator):
    if separator is None:
        return line.split()
    try:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]
    except csv.Error:  # a field of more characters than it reads
        cells = [cell.strip() for cell in line.split(separator)]
    while cells and not cells[-1]:  # spreadsheets leave empty columns behind the last
        cells.pop()
    return cells


def _is_of_numbers(cell):
    """Whether a cell belongs to a row of numbers, though it may hold one that cannot be used, such as nan or 1e200."""
    try:
        float(cell)
    except ValueError:
        return _number(cell) is not None
    return True


def _number(cell):
    """Return the number in a cell, None if there is none: 1.5, 1,5, 1.234,5, 1,234.5, 1 234.5, −2, 3e-4."""
    cell = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", cell.replace("\u2212", "-"))
    if "," in cell:
        if "." in cell and cell.rindex(".") > cell.rindex(","):
            cell = cell.replace(",", "")
        else:
            cell = cell.replace(".", "").replace(",", ".")
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if np.isfinite(value) and abs(value) < 1e100 and "_" not in cell else None


def _numbered(cells, names):
    """Give each class its number: its own if they are 0, 1, ... or end the names, else in order of appearance."""
    found = list(dict.fromkeys(cells))
    if found == [""]:
        return np.zeros(len(cells), dtype=int), f"All of them have {names[0]}: no further column names one."
    if len(found) > len(names):
        shown = ", ".join(f"“{cell[:20]}”" for cell in found[:6])
        raise ValueError(f"the last column names {len(found)} classes ({shown}), this picture has {len(names)}")
    ends = [name.split()[-1] for name in names]  # -1 of "y = -1"
    for own in ([str(k) for k in range(len(names))], ends, [end.lstrip("+") for end in ends]):
        if set(found) <= set(own):
            return np.array([own.index(cell) for cell in cells], dtype=int), ""
    said = ", ".join(f"{cell} is {name}" for cell, name in zip(found, names))
    return np.array([found.index(cell) for cell in cells], dtype=int), f"{said}."


MARGIN = 0.06
"""So much of the box stays empty on each side of scaled points."""


def fit_into(X, box):
    """Bring points into a box: as they are if they lie there, else each coordinate by a map a + b x.

    Returns
    -------
    X : ndarray of shape (n, d)
    said : str
        The map, where there is one.
    """
    X, said = X.copy(), []
    for j, (letter, (low, high)) in enumerate(zip("xy", box)):
        column = X[:, j] if j < X.shape[1] else np.empty(0)
        if column.size and (column.min() < low or column.max() > high):
            b, a = _map_into(column, low + MARGIN * (high - low), high - MARGIN * (high - low))
            X[:, j] = np.clip(a + b * column, low, high)
            said.append(f"{letter} = {a:.4g} + {b:.4g} · yours")
    return X, f"Scaled into the picture: {', '.join(said)}." if said else ""


def _map_into(column, low, high):
    """The slope and intercept that bring the ends of a column to low and high; a constant goes to the middle."""
    width = np.ptp(column)
    if width == 0:
        return 1.0, (low + high) / 2 - column[0]
    slope = (high - low) / width
    return slope, low - slope * column.min()
