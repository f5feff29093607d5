"""Codes for categories: whole numbers from 0 on for each column, -1 for a value never seen in training."""

import numpy as np

from mlcore.base import is_missing
from mlcore.core.bayes_classifiers import contingency, smoothed
from mlcore.features import encode, learn_categories

__all__ = ["MOST_CELLS", "codes_of", "contingency", "learn_codes", "refuse_missing", "smoothed"]

MOST_CELLS = 30_000_000
"""Of all tables of a model together: beyond, its columns hold measurements and no categories."""
MOST_IN_TABLE = 10_000
"""Whole numbers below this are turned into codes by a table."""


def refuse_missing(X):
    """Refuse None and NaN."""
    missing = is_missing(X)
    if missing.any():
        i, j = (int(place) for place in np.argwhere(missing)[0])
        raise ValueError(
            f"Input X contains NaN or None (first in row {i}, column {j}, {int(missing.sum())} in all): fill them in, "
            'or make "missing" a category of its own'
        )


def learn_codes(X):
    """Return the distinct values of each column, sorted, strings or numbers; and X as codes, each column in one piece.

    Raises
    ------
    ValueError
        If a value is missing, or a column mixes text and numbers.
    """
    refuse_missing(X)
    if X.dtype.kind != "f":
        categories = learn_categories(X, numbers_too=True)
        return categories, codes_of(X, categories)
    known, codes = [], np.empty((X.shape[1], len(X)), dtype=np.intp)
    for column, row in zip(np.ascontiguousarray(X.T), codes):
        if _are_small(column):
            whole = column.astype(np.intp)
            there = np.bincount(whole) > 0
            known.append(np.flatnonzero(there).astype(float))
            row[:] = (np.cumsum(there) - 1)[whole]
        else:
            values, row[:] = np.unique(column, return_inverse=True)
            known.append(values)
    return known, codes.T


def codes_of(X, categories):
    """Return X as codes, ints, each column in one piece; -1 for a value that is not among the categories."""
    codes = np.empty((X.shape[1], len(X)), dtype=np.intp)
    for column, known, row in zip(np.ascontiguousarray(X.T), categories, codes):
        if column.dtype.kind == known.dtype.kind == "f" and _are_small(known):
            table = np.full(int(known[-1]) + 2, -1)
            table[known.astype(np.intp)] = np.arange(len(known))
            place = np.clip(column, -1, len(table) - 1).astype(np.intp)  # the last line holds -1
            row[:] = np.where(place == column, table[place], -1)
        else:
            found = encode(column[:, np.newaxis], [known])[:, 0]
            row[:] = np.where(np.isnan(found), -1, found)
    return codes.T


def _are_small(values):
    """Whether they are whole numbers that can be looked up in a table and need not be searched for."""
    return bool(values.min() >= 0 and values.max() < MOST_IN_TABLE and (values == np.floor(values)).all())
