"""The table a tree looks at, as numbers: real values as they are, categories as codes, missing values as NaN.

A column is *categorical* when any of its values is a string (which takes an object or a string array); every other
column is numeric. None and NaN mean "missing" in both. A category that was not there when the tree was fitted has no
code: for the tree it is missing too.
"""

import numpy as np

from mlcore.base import check_array, check_classification, check_regression, check_X, is_missing

__all__ = [
    "check_table", "check_table_and_labels", "check_table_and_targets", "encode", "is_missing", "learn_categories",
]


def _options(X, allow_missing):
    """Text and mixed tables stay objects; everything else becomes float64."""
    if hasattr(X, "toarray"):
        return {"dtype": float}
    try:
        kind = np.asarray(X).dtype.kind
    except ValueError:
        kind = "f"  # ragged: check_array says so
    return {"dtype": object} if kind in "OU" else {"dtype": float, "allow_nan": allow_missing}


def check_table_and_labels(estimator, X, y, *, allow_missing=True):
    """Check X and y for a classifier (see ``mlcore.base.check_classification``); X may hold strings and None."""
    return check_classification(estimator, X, y, **_options(X, allow_missing))


def check_table_and_targets(estimator, X, y):
    """Check X and y for a regressor (see ``mlcore.base.check_regression``); X may hold strings and None."""
    return check_regression(estimator, X, y, **_options(X, True))


def check_table(estimator, X, *, allow_missing=True):
    """Check the X of ``predict`` (see ``mlcore.base.check_X``); X may hold strings and None."""
    return check_X(estimator, X, **_options(X, allow_missing))


def learn_categories(X, *, numbers_too=False):
    """Return what each column may hold: None for numbers, the sorted categories for text.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Floats, or objects.
    numbers_too : bool
        Treat each distinct number as a category as well (ID3).

    Returns
    -------
    list of length n_features
        None, or an array: of strings, or of floats where ``numbers_too``.

    Raises
    ------
    ValueError
        If a column mixes text and numbers.
    """
    return [_categories_of(X[:, j], j, numbers_too) for j in range(X.shape[1])]


def _categories_of(column, j, numbers_too):
    is_text = np.array([isinstance(value, str) for value in column]) if column.dtype.kind == "O" else np.zeros(1, bool)
    if is_text.any():
        stray = column[~is_text & ~is_missing(column)]
        if len(stray):
            raise ValueError(
                f"column {j} of X mixes text and numbers ({str(column[is_text][0])!r} and {stray[0]!r}): "
                "turn its numbers into strings, or its strings into numbers"
            )
        return np.array(sorted(set(column[is_text])), dtype=object)
    if not numbers_too:
        return None
    values = _numbers(column, j)
    return np.unique(values[~np.isnan(values)])


def _numbers(column, j):
    return check_array(column[:, None], name=f"column {j} of X", allow_nan=True)[:, 0]


def encode(X, categories):
    """Return X as floats: numbers as they are, categories as their index, missing and unknown values as NaN.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    categories : list
        As ``learn_categories`` returned it.

    Returns
    -------
    float ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If a column of text now holds numbers, or the other way round.
    """
    if X.dtype.kind == "f" and all(known is None for known in categories):
        return X
    return np.column_stack([_codes(X[:, j], known, j) for j, known in enumerate(categories)])


def _codes(column, known, j):
    if known is None:
        return _numbers(column, j)
    if known.dtype.kind == "O":
        if column.dtype.kind == "f" and not np.isnan(column).all():
            raise ValueError(f"column {j} of X held text such as {known[0]!r} in fit, but now it holds numbers")
        code = {value: index for index, value in enumerate(known)}
        return np.array([code.get(value, np.nan) if isinstance(value, str) else np.nan for value in column])
    values = _numbers(column, j)
    if len(known) == 0:
        return np.full(len(values), np.nan)
    index = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[index] == values, index, np.nan)
