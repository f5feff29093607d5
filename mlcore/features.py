"""Features from values that are no numbers, one-hot and ordinal encoding; and a feature spoiled on purpose.

``indicator`` is the inside of one-hot encoding: class numbers become rows with a single 1. Softmax regression, naive
Bayes and networks write their sums over classes with it.
"""

from collections.abc import Hashable

import numpy as np

__all__ = ["falls_of_score", "indicator", "one_hot_encode", "ordinal_encode", "shuffled"]


def indicator(codes, n_values):
    """1{c_i = k}: a row for each whole number c_i, with a 1 in column c_i and 0 elsewhere; shape (n, n_values)."""
    return (codes[:, np.newaxis] == np.arange(n_values)).astype(float)


def falls_of_score(score, X, n_repeats, rng):
    """importance(j) = score(X) - score(X with feature j shuffled), the mean over repetitions; shape (d,)."""
    right, falls = score(X), np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        for _ in range(n_repeats):
            falls[j] += (right - score(shuffled(X, j, rng))) / n_repeats
    return falls


def shuffled(X, j, rng):
    """X with its values of feature j in another order, so that they stand in the wrong rows."""
    mixed = X.copy()
    cells = mixed.iloc if hasattr(mixed, "iloc") else mixed  # a DataFrame, an array
    cells[:, j] = np.asarray(cells[:, j])[rng.permutation(len(X))]
    return mixed


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
        raise ValueError(f"{name} must be a sequence of single values, got {values!r}")
    values = list(values)
    if not values:
        raise ValueError(f"{name} is empty")
    for i, value in enumerate(values):
        if not isinstance(value, Hashable):
            raise ValueError(f"{name} must be a sequence of single values, but holds {value!r} at index {i}")
        if value is None or value != value:
            raise ValueError(f"{name} has a missing value at index {i}: fill it in, or make it a category of its own")
    return values


def _positions(values, known, name):
    """Return the place of each value in the list ``known``, an int array."""
    place = {value: i for i, value in enumerate(known)}
    if len(place) < len(known):
        raise ValueError(f"{name} names a value twice: {known!r}")
    values = _as_values(values, "values")
    unknown = sorted({repr(value) for value in values if value not in place})
    if unknown:
        raise ValueError(f"values holds {', '.join(unknown)}, which is not in {name} ({', '.join(map(repr, known))})")
    return np.array([place[value] for value in values])
