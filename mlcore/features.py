"""Features: one-hot and ordinal encoding, tables that mix words and numbers, and a feature spoiled on purpose.

``indicator`` is the inside of one-hot encoding: class numbers become rows with a single 1. Softmax regression and
networks write their sums over classes with it.

``learn_categories`` and ``encode`` turn a table into numbers: real values as they are, categories as codes, missing
values as NaN. A column is *categorical* when any of its values is a string (which takes an object or a string array);
every other column is numeric. None and NaN mean "missing" in both. A category that was not there when the model was
fitted has no code: for the model it is missing too. Trees and Bayes classifiers read their tables so.
"""

from collections.abc import Hashable

import numpy as np

from mlcore.base import check_array, check_classification, check_regression, check_X, is_missing, shown
from mlcore.core.feature_selection import permutation_importance, shuffled
from mlcore.core.generalized_linear_models import indicator

__all__ = [
    "check_table", "check_table_and_labels", "check_table_and_targets", "encode", "permutation_importance", "indicator",
    "learn_categories", "one_hot_encode", "ordinal_encode", "shuffled",
]


def ordinal_encode(values, order):
    """Return numbers for values that have an order (序关系), evenly spaced from 0 to 1.

    Parameters
    ----------
    values : sequence of length n
    order : sequence
        The possible values, lowest first: ("short", "medium", "tall") gives 0, ½, 1. The even spacing is an assumption.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        If a value is missing or not in ``order``, or ``order`` is empty or repeats itself.

    References
    ----------
    Notes D 3.2.
    """
    order = _as_values(order, "order")
    return _positions(values, order, "order") / max(len(order) - 1, 1)


def one_hot_encode(values, categories=None):
    """Return a column of 0 and 1 for each category (独热编码); in each row one entry is 1.

    Parameters
    ----------
    values : sequence of length n
    categories : sequence or None
        The possible values, one a column; None takes the distinct values in sorted order (``np.unique(values)``).
        Pass the categories of the training data to encode new data in the same way.

    Returns
    -------
    ndarray of shape (n, n_categories)
        ``np.unique(values)[encoded.argmax(axis=1)]`` gives the values back.

    Raises
    ------
    ValueError
        If a value is missing or not among the categories, or these repeat themselves or cannot be sorted.

    References
    ----------
    Notes D 3.2.
    """
    values = _as_values(values, "values")
    if categories is None:
        try:
            categories = sorted(set(values))
        except TypeError as error:
            raise ValueError(f"the values cannot be sorted, so pass categories ({error})") from error
    categories = _as_values(categories, "categories")
    return indicator(_positions(values, categories, "categories"), len(categories))


def _as_values(values, name):
    """Return a sequence of values as a list; refuse what is no sequence, empty, nested or has missing entries."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name} must be a sequence of single values, got {shown(values)}")
    if isinstance(values, set | frozenset):
        raise ValueError(f"{name} must be a sequence, got a set, which has no order: list its values, or sort them")
    values = list(values)
    if not values:
        raise ValueError(f"{name} is empty")
    for i, value in enumerate(values):
        if not isinstance(value, Hashable):
            raise ValueError(f"{name} must be a sequence of single values, but holds {shown(value)} at index {i}")
        if value is None or type(value).__name__ == "NAType" or value != value:  # pandas' NA compares with nothing
            raise ValueError(f"{name} has a missing value at index {i}: fill it in, or make it a category of its own")
    return values


def _positions(values, known, name):
    """Return the place of each value in the list ``known``, an int array."""
    place = {value: i for i, value in enumerate(known)}
    if len(place) < len(known):
        raise ValueError(f"{name} names a value twice: {shown(known)}")
    values = _as_values(values, "values")
    unknown = sorted({repr(value) for value in values if value not in place})
    if unknown:
        raise ValueError(f"values holds {', '.join(unknown)}, which is not in {name} ({', '.join(map(repr, known))})")
    return np.array([place[value] for value in values])


# ---------------------------------------------------------------------------------------------------------------
# Tables that mix words and numbers
# ---------------------------------------------------------------------------------------------------------------
def _options(X, allow_missing):
    """Text and mixed tables stay objects; everything else becomes float64."""
    if hasattr(X, "toarray"):
        return {"dtype": float}
    try:
        kind = np.asarray(X).dtype.kind  # of a list with words among its numbers: U
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
                f"column {j} of X mixes text and numbers ({str(column[is_text][0])!r} and {shown(stray[0])}): "
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
            raise ValueError(f"column {j} of X held text such as {shown(known[0])} in fit, but now it holds numbers")
        code = {value: index for index, value in enumerate(known)}
        return np.array([code.get(value, np.nan) if isinstance(value, str) else np.nan for value in column])
    values = _numbers(column, j)
    if len(known) == 0:
        return np.full(len(values), np.nan)
    index = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[index] == values, index, np.nan)
