"""The door for data: what is no table, list or label of the right kind is refused, and the message says what to do."""

import numbers

import numpy as np

from mlcore.base.messages import DataConversionWarning, like_sklearn, warn_caller


def _as_ndarray(values, name):
    """Turn array-likes into an ndarray; refuse sparse, ragged and missing input with a clear message."""
    if values is None:
        raise ValueError(f"Expected array-like (array or non-string sequence), got None for {name}")
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense array."
        )
    if np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array with masked values: fill them in with .filled(), or leave them out")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} is ragged: its rows have different lengths or depths, so it is no array ({error})"
        ) from error
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):  # NumPy makes words of the numbers in a list of both
        given = np.asarray(values, dtype=object)
        if not all(isinstance(value, str | bytes) for value in given.ravel()):
            return given
    return array


def _to_float(array, name):
    """Convert to float64, naming what cannot be converted."""
    if np.iscomplexobj(array):
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    if array.dtype.kind in "mMV":
        raise ValueError(f"{name} must be numeric, got dtype {array.dtype}")
    if array.dtype.kind == "O":
        array = np.where(is_missing(array), np.nan, array)
    try:
        return array.astype(np.float64)
    except TypeError as error:
        if "complex" in str(error):
            raise ValueError(f"Complex data not supported: {name} holds complex numbers") from error
        raise TypeError(f"{name}: argument must be a string or a real number ({error})") from error
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be numeric, but a value could not be converted: {error}") from error


def is_missing(values):
    """Mark None, NaN and pandas' NA in an array of any type; returns a boolean array of the same shape."""
    values = np.asarray(values)
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    return np.array([_means_missing(value) for value in values.ravel()], dtype=bool).reshape(values.shape)


def _means_missing(value):
    if isinstance(value, str):
        return False
    is_nan = isinstance(value, numbers.Real) and value != value
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


FARTHEST = 1e100
"""Numbers beyond ±1e100 are refused at the door: so nothing inside needs a guard against squares that overflow."""


def _check_finite(array, name):
    """Refuse NaN and infinity, and numbers whose squares would overflow."""
    if np.vdot(array, array) <= FARTHEST**2:  # the sum of all squares, in one pass: then no number is farther out
        return
    size = max(array.max(), -array.min())
    if size <= FARTHEST:  # false for NaN
        return
    if np.isfinite(size):
        raise ValueError(
            f"{name} holds values as large as {size:.3g}. Numbers beyond 1e100 are refused, since their squares "
            f"overflow: rescale {name}, for instance to a standard deviation of 1"
        )
    if np.isnan(array).any():
        where = tuple(int(i) for i in np.argwhere(np.isnan(array))[0])
        raise ValueError(
            f"Input {name} contains NaN (first at index {where}, {int(np.isnan(array).sum())} in all). "
            "Remove or fill in the missing values before fitting."
        )
    where = tuple(int(i) for i in np.argwhere(np.isinf(array))[0])
    raise ValueError(
        f"Input {name} contains infinity or a value too large for dtype('float64') (first at index {where})."
    )


def check_array(values, *, name="X", dtype=float, allow_nan=False, min_samples=1, min_features=1):
    """Check a table of numbers (or, with ``dtype=object``, of any values) and return it as a 2-D array.

    Parameters
    ----------
    values : array-like of shape (n_samples, n_features)
    name : str
        What to call it in messages.
    dtype : float, object or None
        ``float`` converts to float64; ``object`` keeps strings and None as they are. ``None`` looks at the shape only,
        and a DataFrame stays one: for models that hand X on to others, which judge what it holds.
    allow_nan : bool
        Whether NaN (a missing value) may stay in. Infinity never may. Object arrays are not looked through.
    min_samples, min_features : int
        The least number of rows and columns.

    Returns
    -------
    ndarray (or DataFrame) of shape (n_samples, n_features)
        The input itself where it already fits: do not write to it.

    Raises
    ------
    ValueError, TypeError
        Naming what is wrong: sparse, ragged, complex, not 2-D, empty, not numeric, NaN, infinite, beyond ±1e100.
    """
    array = _as_ndarray(values, name)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array instead for {name} "
            f"(shape {array.shape}). Reshape your data: array.reshape(-1, 1) if it has a single feature, "
            "array.reshape(1, -1) if it is a single sample."
        )
    for count, least, what in ((array.shape[0], min_samples, "sample"), (array.shape[1], min_features, "feature")):
        if count < least:
            raise ValueError(
                f"Found array with {count} {what}(s) (shape={array.shape}) while a minimum of {least} is required"
                f" for {name}."
            )
    if dtype is None:
        if hasattr(values, "iloc"):
            return values
        return np.asarray(values, dtype=object) if array.dtype.kind in "US" else array
    if dtype is object:
        return array.astype(object) if array.dtype.kind != "O" else array
    if array.dtype != np.float64:
        array = _to_float(array, name)
    _check_finite(np.where(np.isnan(array), 0.0, array) if allow_nan else array, name)
    return array


def check_numbers(values, name, *, allow_infinity=False):
    """Return a number, or an array of numbers of any shape, as a float array.

    Parameters
    ----------
    values : number or array-like of numbers or booleans
    name : str
        What to call it in messages.
    allow_infinity : bool
        Whether ±infinity may pass, and with it numbers beyond ±1e100. NaN never may.

    Returns
    -------
    ndarray of the shape of ``values``
        The input itself where it already fits: do not write to it.

    Raises
    ------
    ValueError
        Naming what is wrong: None, text, complex, ragged, not numeric, NaN, infinite, beyond ±1e100.
    """
    array = _as_ndarray(values, name)
    if array.dtype.kind in "USO" and any(isinstance(value, (str, bytes)) for value in array.ravel().tolist()):
        raise ValueError(f"{name} must be numeric, but it holds text such as {str(array.ravel()[0])!r}")
    if array.dtype != np.float64:
        try:
            array = _to_float(array, name)
        except TypeError as error:
            raise ValueError(f"{name} must be numeric ({error})") from error
    if not (allow_infinity and not np.isnan(array).any()):
        _check_finite(array, name)
    return array


def check_shares(values, name):
    """Return shares of a whole, such as the probabilities of the classes, along the last axis.

    Parameters
    ----------
    values : array-like of shape (..., n)
        Not negative, with sum 1 to five digits: shares that were rounded, or computed in float32, are good enough.
    name : str
        What to call them in messages.

    Returns
    -------
    float ndarray of the same shape
        Divided by their sum.

    Raises
    ------
    ValueError
        With the first of them that are no shares.
    """
    shares = check_numbers(values, name)
    if shares.ndim == 0 or shares.shape[-1] == 0:
        raise ValueError(f"{name} must hold at least one share, got an array of shape {shares.shape}")
    sums = shares.sum(axis=-1)
    wrong = np.argwhere((shares < 0).any(axis=-1) | (np.abs(sums - 1) > 1e-5)).tolist()
    if wrong:
        where = tuple(wrong[0])
        raise ValueError(
            f"{name}{list(where) or ''} must hold shares >= 0 that sum to 1 (divide by the sum), but the least is "
            f"{shares[where].min():g} and the sum {sums[where]:g}"
        )
    return shares / sums[..., np.newaxis]


def check_priors(priors, n_classes):
    """Return the given probabilities of the classes: positive, one for each class; see ``check_shares``.

    Raises
    ------
    ValueError
        If they are anything else.
    """
    given = check_numbers(priors, "priors")
    if given.shape != (n_classes,) or not (given > 0).all():
        raise ValueError(
            f"priors must be {n_classes} positive numbers that sum to 1, one for each class, got {given.tolist()}"
        )
    return check_shares(given, "priors")


def check_consistent_length(first, second, names=("X", "y")):
    """Refuse two arrays with different numbers of rows.

    Raises
    ------
    ValueError
        With both numbers.
    """
    if len(first) != len(second):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{len(first)}, {len(second)}] "
            f"({names[0]} and {names[1]})"
        )


def _column(values, name):
    """Return a target as a 1-D array; an (n, 1) column is flattened with a warning."""
    array = _as_ndarray(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_caller(
            "A column-vector y was passed when a 1d array was expected. Use y.ravel() to flatten it.",
            like_sklearn(DataConversionWarning),
        )
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.")
    if len(array) == 0:
        raise ValueError(f"{name} is empty: at least one sample is needed")
    return array


def check_numeric_target(y, name="y"):
    """Return the targets of a regression as a finite float array of shape (n_samples,).

    Raises
    ------
    ValueError
        If y is None, empty, not 1-D, not numeric, NaN, infinite or beyond ±1e100.
    """
    array = _column(y, name)
    if array.dtype != np.float64:
        if array.dtype.kind in "US":
            raise ValueError(f"{name} must be numeric for a regression, but it holds text such as {str(array[0])!r}")
        array = _to_float(array, name)
    _check_finite(array, name)
    return array


def check_scored_target(y, score):
    """Return targets that a score compares with their mean; a single one, which is its own mean, is refused.

    Raises
    ------
    ValueError
        As ``check_numeric_target``; or for a single row.
    """
    y = check_numeric_target(y)
    if len(y) < 2:
        raise ValueError(
            f"{score} of a single row is not defined: hold out more rows, or (in cross-validation) pass "
            "scoring='neg_mean_squared_error'"
        )
    return y


def check_labels(y, name="y"):
    """Return class labels as an array of shape (n_samples,): ints, booleans, strings or whole-number floats.

    Raises
    ------
    ValueError
        If y is None, empty, not 1-D, holds missing values, mixes text and numbers, or looks continuous.
    """
    array = _column(y, name)
    if np.iscomplexobj(array):
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    if array.dtype.kind == "O":
        if is_missing(array).any():
            raise ValueError(f"Input {name} contains NaN or None: every sample needs a label")
        is_text = [isinstance(value, str) for value in array]
        if any(is_text) and not all(is_text):
            raise ValueError(f"{name} mixes text and numbers as labels; use one or the other")
        if not any(is_text):
            array = _to_float(array, name)
    if array.dtype.kind == "f":
        _check_finite(array, name)
        fractional = array[array != np.floor(array)]
        if len(fractional):
            raise ValueError(
                f"Unknown label type: continuous. {name} holds {float(fractional[0])!r}, which is no class label; "
                "maybe you want a regression?"
            )
    return array


def of_one_kind(labels):
    """Labels in an array of objects, as pandas has them, in one of words or of numbers, which NumPy can sort."""
    return np.array(labels.tolist()) if labels.dtype.kind == "O" and labels.size else labels


def check_sample_weight(sample_weight, n_samples):
    """Return sample weights as a float array of shape (n_samples,); None means all ones.

    Raises
    ------
    ValueError
        If a weight is negative, NaN, infinite or beyond 1e100, the length is wrong, or all are zero.
    """
    if sample_weight is None:
        return np.ones(n_samples)
    weights = _as_ndarray(sample_weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n_samples, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got an array of shape {weights.shape}")
    if len(weights) != n_samples:
        raise ValueError(f"sample_weight has {len(weights)} entries, but there are {n_samples} samples")
    weights = _to_float(weights, "sample_weight")
    _check_finite(weights, "sample_weight")
    if (weights < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weights.min():g}")
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every sample: nothing to learn from")
    return weights
