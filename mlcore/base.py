"""What every estimator shares: parameters, input checks, errors, and snapshots of a running fit.

An estimator is a plain object. ``__init__`` stores its parameters unchanged; ``fit`` checks them and the data,
learns, and writes what it learned into attributes that end in ``_``. The names and messages follow
scikit-learn's conventions, so an estimator of this course works inside a scikit-learn ``Pipeline`` or
``GridSearchCV``; scikit-learn itself is never imported unless the caller already uses it.
"""

import copy
import functools
import inspect
import numbers
import sys
import warnings
from collections import deque

import numpy as np

from mlcore.numerics import finite

__all__ = [
    "BinaryClassifier", "check_array", "check_callable", "check_choice", "check_classification",
    "check_consistent_length", "check_fit_X", "check_flag", "check_int", "check_is_fitted", "check_labels",
    "check_numeric_target", "check_priors", "check_random_state", "check_real", "check_regression",
    "check_sample_weight", "check_scored_target", "check_shares", "check_two_classes", "check_X", "Classifier", "clone",
    "Clusterer", "ConvergenceWarning", "DataConversionWarning", "Estimator", "is_missing", "like_sklearn",
    "linear_scores", "names_of_inputs", "NotFittedError", "Regressor", "run", "say", "shown", "snapshots",
    "Transformer", "warn_caller",
]


# ---------------------------------------------------------------------------------------------------------------
# Errors
# ---------------------------------------------------------------------------------------------------------------
class NotFittedError(ValueError, AttributeError):
    """A model was asked to predict before it was fitted."""


class ConvergenceWarning(UserWarning):
    """An iterative fit stopped before it reached its tolerance; the message says what to do."""


class DataConversionWarning(UserWarning):
    """Input was accepted after a conversion that the caller may not have meant."""


@functools.cache
def _combined(own, foreign):
    return type(own.__name__, (own, foreign), {})


def like_sklearn(own):
    """Our class of errors or warnings; one that is scikit-learn's too where the caller has scikit-learn loaded."""
    foreign = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, None)
    return own if foreign is None else _combined(own, foreign)


PLAIN_SIGNS = str.maketrans({"✓": "+", "✗": "x", "○": "o"})


def say(line):
    """Print a line; where the output cannot show its signs (a console that is not UTF-8), plain ones stand for them."""
    text, encoding = str(line), getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(PLAIN_SIGNS).encode(encoding, "backslashreplace").decode(encoding)
    print(text)


def shown(value):
    """repr(value), with NumPy's numbers and words as Python's: 0.1 and 'yes' for np.float64(0.1) and np.str_('yes')."""
    with np.printoptions(legacy="1.25"):
        return repr(value)


def warn_caller(message, category=UserWarning):
    """Warn in the name of the line outside this package that led here, which is the one to change."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("mlcore."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


# ---------------------------------------------------------------------------------------------------------------
# Estimators
# ---------------------------------------------------------------------------------------------------------------
class Estimator:
    """Parameters by name: everything ``__init__`` takes can be read, set and printed."""

    _estimator_type = None
    _poor_score = False
    """True tells scikit-learn's suite to ask for no accuracy on clouds of points: the model is not made for them."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if hasattr(cls, "fit") and not hasattr(cls.fit, "__wrapped__"):
            cls.fit = _all_or_nothing(cls.fit)

    @classmethod
    @functools.cache
    def _parameter_names(cls):
        if cls.__init__ is object.__init__:
            return ()
        return tuple(sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self"))

    def get_params(self, deep=True):
        """Return the parameters as a dict; with ``deep`` also those of estimators inside, as ``outer__inner``."""
        params = {name: getattr(self, name) for name in self._parameter_names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def set_params(self, **params):
        """Set parameters by name (``outer__inner`` reaches into an estimator inside) and return self.

        Raises
        ------
        ValueError
            If there is no parameter of that name; then nothing is changed.
        """
        known = self._parameter_names()
        unknown = sorted({key.partition("__")[0] for key in params} - set(known))
        if unknown:
            raise ValueError(
                f"Invalid parameter {unknown[0]!r} for estimator {self}. Valid parameters are: {list(known)!r}."
            )
        # outer parameters first, so that outer__inner reaches the estimator that is being set in the same call
        for key in sorted(params, key=lambda key: key.count("__")):
            name, _, inner = key.partition("__")
            if inner:
                getattr(self, name).set_params(**{inner: params[key]})
            else:
                setattr(self, name, params[key])
        return self

    def __repr__(self):
        defaults = inspect.signature(type(self).__init__).parameters
        changed = (
            f"{name}={shown(getattr(self, name))}"
            for name in defaults
            if name in self._parameter_names() and not _same(getattr(self, name, None), defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self):
        """Describe the estimator to scikit-learn, which alone calls this."""
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

        kind = self._estimator_type
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=kind in ("classifier", "regressor")),
            transformer_tags=TransformerTags() if hasattr(self, "transform") else None,
            classifier_tags=ClassifierTags(poor_score=self._poor_score) if kind == "classifier" else None,
            regressor_tags=RegressorTags(poor_score=self._poor_score) if kind == "regressor" else None,
            input_tags=InputTags(),
        )


    def get_metadata_routing(self):
        """Tell scikit-learn, which alone calls this, what ``fit`` and the others take beside X and y, as sample_weight.

        Nothing is asked for until ``set_fit_request`` or ``set_score_request`` says so.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "predict", "score", "transform"):
            parameters = inspect.signature(getattr(self, method)).parameters if hasattr(self, method) else ()
            for name in set(parameters) - {"X", "y"}:
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **wanted):
        """Say what scikit-learn's pipelines and searches should pass on to ``fit``: ``sample_weight=True``."""
        return self._set_request("fit", wanted)

    def set_score_request(self, **wanted):
        """Say what scikit-learn's pipelines and searches should pass on to ``score``."""
        return self._set_request("score", wanted)

    def _set_request(self, method, wanted):
        request = self.get_metadata_routing()
        for name, alias in wanted.items():
            if name not in getattr(request, method).requests:
                raise TypeError(f"{method} of {type(self).__name__} takes no {name!r}")
            getattr(request, method).add_request(param=name, alias=alias)
        self._metadata_request = request
        return self


def _all_or_nothing(fit):
    """Let a method ``fit`` that raises leave the estimator as it was, fitted or not."""
    @functools.wraps(fit)
    def wrapped(self, *args, **options):
        before = vars(self).copy()
        try:
            return fit(self, *args, **options)
        except Exception:
            vars(self).clear()
            vars(self).update(before)
            raise

    return wrapped


def _same(a, b):
    """Whether a parameter still has its default value (arrays count as changed)."""
    return a is b or (type(a) is type(b) and isinstance(a, (numbers.Number, str)) and a == b)


class Classifier(Estimator):
    """An estimator whose ``predict`` returns one of ``classes_``."""

    _estimator_type = "classifier"

    def score(self, X, y, sample_weight=None):
        """Return the share of rows predicted correctly (accuracy, 精度), in [0, 1]."""
        y = check_labels(y, name="y")
        predicted = self.predict(X)
        check_consistent_length(predicted, y)
        return float(np.average(predicted == y, weights=check_sample_weight(sample_weight, len(y))))


class BinaryClassifier(Classifier):
    """A classifier of two classes, whose ``decision_function`` is above 0 on the side of ``classes_[1]``."""

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); ``classes_[0]`` where the decision function is 0."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class Regressor(Estimator):
    """An estimator whose ``predict`` returns real numbers."""

    _estimator_type = "regressor"

    def score(self, X, y, sample_weight=None):
        """Return R² = 1 - Σ(y - ŷ)² / Σ(y - ȳ)²: 1 is perfect, 0 as good as always predicting the mean.

        For a constant y the ratio is undefined: the score is then 1 for exact predictions and 0 otherwise. A single row
        is refused: it is its own mean.
        """
        y = check_scored_target(y, "R²")
        predicted = self.predict(X)
        check_consistent_length(predicted, y)
        weights = check_sample_weight(sample_weight, len(y))
        residual = np.sum(weights * (y - predicted) ** 2)
        total = np.sum(weights * (y - np.average(y, weights=weights)) ** 2)
        if total == 0:
            return 1.0 if residual == 0 else 0.0
        return float(1 - residual / total)


class Transformer(Estimator):
    """An estimator whose ``transform`` returns new features, as an array or, after ``set_output``, as a DataFrame."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "transform" in vars(cls):
            cls.transform = _in_wanted_container(cls.transform)

    def fit_transform(self, X, y=None):
        """Fit and return the transformed X."""
        return self.fit(X, y).transform(X)

    def set_output(self, *, transform=None):
        """Choose what ``transform`` returns: "default" (an array), "pandas" or "polars"; None changes nothing."""
        if transform is not None:
            check_choice("transform", transform, ("default", "pandas", "polars"))
            self._sklearn_output_config = {"transform": transform}  # the name under which scikit-learn's clone finds it
        return self

    def get_feature_names_out(self, input_features=None):
        """Return the names of the new features: the class's name in small letters, and a number."""
        check_is_fitted(self)
        names_of_inputs(self, input_features)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=object)


def names_of_inputs(estimator, input_features=None):
    """Return the names of the features that a fitted estimator has seen: of a DataFrame's columns, or x0, x1, ...

    Raises
    ------
    ValueError
        If other names, or another number of names, are given.
    """
    seen = getattr(estimator, "feature_names_in_", None)
    if input_features is None:
        return seen if seen is not None else np.array([f"x{i}" for i in range(estimator.n_features_in_)], dtype=object)
    given = np.asarray(input_features, dtype=object)
    if seen is not None and not np.array_equal(seen, given):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(given) != estimator.n_features_in_:
        raise ValueError(
            f"input_features should have length equal to number of features ({estimator.n_features_in_}), "
            f"got {len(given)}"
        )
    return given


def _in_wanted_container(transform):
    """Let a method ``transform`` return what ``set_output``, or scikit-learn's own setting, asks for."""
    @functools.wraps(transform)
    def wrapped(self, X, *args, **kwargs):
        values = transform(self, X, *args, **kwargs)
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None and "sklearn" in sys.modules:
            wanted = sys.modules["sklearn"].get_config()["transform_output"]
        if wanted == "pandas":
            from pandas import DataFrame

            return DataFrame(values, columns=self.get_feature_names_out(), index=getattr(X, "index", None))
        if wanted == "polars":
            from polars import DataFrame

            return DataFrame(values, schema=list(self.get_feature_names_out()))
        return values

    return wrapped


class Clusterer(Estimator):
    """An estimator that writes a group number for each row into ``labels_``."""

    _estimator_type = "clusterer"

    def fit_predict(self, X, y=None):
        """Fit and return ``labels_``."""
        return self.fit(X).labels_


def clone(estimator):
    """Return an unfitted copy of an estimator, with copies of its parameters (any object with ``get_params``).

    Raises
    ------
    ValueError
        If the object has no ``get_params``.
    """
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise ValueError(f"an estimator (an object with get_params) is needed, got {estimator!r}")
    params = estimator.get_params(deep=False)
    return type(estimator)(
        **{
            name: clone(value) if hasattr(value, "get_params") and not isinstance(value, type) else copy.deepcopy(value)
            for name, value in params.items()
        }
    )


# ---------------------------------------------------------------------------------------------------------------
# Running an iterative fit
# ---------------------------------------------------------------------------------------------------------------
def run(steps):
    """Run a generator to its end and keep nothing: how ``fit`` uses ``iter_fit``."""
    deque(steps, maxlen=0)


def snapshots(steps, every=1):
    """Collect copies of the states that a generator yields, one in ``every`` steps and always the last.

    Iterative estimators yield themselves after each step, so a copy is what keeps the states apart.

    Parameters
    ----------
    steps : iterable
        ``model.iter_fit(X, y)``, or one of the generators of ``mlcore.optimize``.
    every : int
        Keep step 0, every, 2·every, ...

    Returns
    -------
    list
        Independent copies, in order.
    """
    check_int("every", every, low=1)
    kept, last, number = [], None, -1
    for number, last in enumerate(steps):
        if number % every == 0:
            kept.append(copy.deepcopy(last))
    if number >= 0 and number % every != 0:
        kept.append(copy.deepcopy(last))
    return kept


# ---------------------------------------------------------------------------------------------------------------
# Parameters
# ---------------------------------------------------------------------------------------------------------------
def check_real(name, value, *, low=-np.inf, high=np.inf, low_open=False, high_open=False):
    """Return a parameter as a float, or say what is wrong with it.

    ``low_open`` and ``high_open`` exclude the bound itself. NaN, infinity and booleans are refused.

    Raises
    ------
    ValueError
        With the name, the bounds and the value.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    inside = is_number and _is_finite(value) and low <= value <= high
    if inside and not (low_open and value == low) and not (high_open and value == high):
        return float(value)
    opening = "(" if low_open or low == -np.inf else "["
    closing = ")" if high_open or high == np.inf else "]"
    raise ValueError(f"{name} must be a number in {opening}{low:g}, {high:g}{closing}, got {shown(value)}")


def _is_finite(value):
    """Whether a real number of any type, a very long int or a fraction included, has a finite float."""
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_int(name, value, *, low=None, high=None):
    """Return a parameter as an int, or say what is wrong with it (booleans and 3.0 are refused).

    Raises
    ------
    ValueError
        With the name, the bounds and the value.
    """
    is_int = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if is_int and (low is None or value >= low) and (high is None or value <= high):
        return int(value)
    if low is not None and high is not None:
        bounds = f" from {low} to {high}"
    else:
        bounds = f" >= {low}" if low is not None else f" <= {high}" if high is not None else ""
    raise ValueError(f"{name} must be a whole number{bounds}, got {shown(value)}")


def check_choice(name, value, choices):
    """Return a parameter that must be one of a few words, or list the words.

    Raises
    ------
    ValueError
        With the name, the choices and the value.
    """
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {shown(value)}")


def check_flag(name, value):
    """Return a parameter that must be True or False.

    Raises
    ------
    ValueError
        With the name and the value.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {shown(value)}")


def check_callable(name, value):
    """Return a parameter that must be a function (anything that can be called).

    Raises
    ------
    ValueError
        With the name and the value.
    """
    if callable(value):
        return value
    raise ValueError(f"{name} must be a function, got {shown(value)}")


def check_random_state(random_state):
    """Return a ``numpy.random.Generator``.

    Parameters
    ----------
    random_state : None, int, numpy.random.Generator or numpy.random.RandomState
        None draws a fresh seed; an int always gives the same numbers; a Generator is used as it is, so its
        state moves on; a RandomState (which scikit-learn may pass) seeds a Generator.

    Raises
    ------
    ValueError
        For anything else, a negative int included.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None:
        return np.random.default_rng()
    is_int = isinstance(random_state, numbers.Integral) and not isinstance(random_state, (bool, np.bool_))
    if is_int and random_state >= 0:
        return np.random.default_rng(int(random_state))
    raise ValueError(f"random_state must be None, a whole number >= 0 or a numpy Generator, got {shown(random_state)}")


# ---------------------------------------------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------------------------------------------
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


def _feature_names(X):
    """Names of a DataFrame's columns where all are strings; None otherwise.

    Raises
    ------
    TypeError
        If only some of the names are strings.
    """
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = np.asarray(columns, dtype=object)
    text = [isinstance(name, str) for name in names]
    if not any(text):
        return None
    if not all(text):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has a mix of "
            "string and other names. Convert them all, for instance with X.columns = X.columns.astype(str)."
        )
    return names


def _remember_features(estimator, X, array):
    names = _feature_names(X)
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    estimator.n_features_in_ = array.shape[1]


def _compare_feature_names(estimator, X):
    fitted, given = getattr(estimator, "feature_names_in_", None), _feature_names(X)
    name = type(estimator).__name__
    if fitted is None and given is not None:
        warn_caller(f"X has feature names, but {name} was fitted without feature names")
    elif fitted is not None and given is None:
        warn_caller(f"X does not have valid feature names, but {name} was fitted with feature names")
    elif fitted is not None and not np.array_equal(fitted, given):
        message = "The feature names should match those that were passed during fit.\n"
        unexpected, missing = sorted(set(given) - set(fitted)), sorted(set(fitted) - set(given))
        if unexpected:
            message += "Feature names unseen at fit time:\n" + "".join(f"- {item}\n" for item in unexpected)
        if missing:
            message += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {item}\n" for item in missing)
        if not unexpected and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)


def check_fit_X(estimator, X, **options):
    """Check the X of a ``fit`` without targets and remember its width and column names (see ``check_array``)."""
    array = check_array(X, **options)
    _remember_features(estimator, X, array)
    return array


def check_regression(estimator, X, y, **options):
    """Check the X and y of a regression's ``fit`` and remember the width and column names of X.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : float ndarray of shape (n_samples,)

    Raises
    ------
    ValueError, TypeError
        See ``check_array`` and ``check_numeric_target``; then the estimator is unchanged.
    """
    _require_target(estimator, y)
    array, target = check_array(X, **options), check_numeric_target(y)
    check_consistent_length(array, target)
    _remember_features(estimator, X, array)
    return array, target


def check_classification(estimator, X, y, *, n_classes=None, min_classes=1, **options):
    """Check the X and y of a classifier's ``fit``; remember ``classes_`` and the width and column names of X.

    Parameters
    ----------
    n_classes : None or 2
        2 for a model that can only tell two classes apart.
    min_classes : int
        2 for a model that cannot be fitted to a single class.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    codes : int ndarray of shape (n_samples,)
        ``estimator.classes_[codes]`` are the labels.

    Raises
    ------
    ValueError, TypeError
        See ``check_array`` and ``check_labels``; or the number of classes is wrong. Then the estimator is unchanged.
    """
    _require_target(estimator, y)
    array, labels = check_array(X, **options), check_labels(y)
    check_consistent_length(array, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    name = type(estimator).__name__
    if n_classes == 2 and len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{name} got {len(classes)} classes"
        )
    if len(classes) < max(min_classes, n_classes or 1):
        raise ValueError(
            f"{name} needs samples of at least {max(min_classes, n_classes or 1)} classes, "
            f"but y holds only one class: {classes.tolist()[0]!r}"
        )
    _remember_features(estimator, X, array)
    estimator.classes_ = classes
    return array, codes


def check_two_classes(estimator, X, y, **options):
    """Check the X and y of a fit that tells two classes apart; see ``check_classification``.

    Raises
    ------
    ValueError, TypeError
        As ``check_classification``; where there are more classes, with the chapters that go further.
    """
    try:
        return check_classification(estimator, X, y, n_classes=2, **options)
    except ValueError as error:
        if "multiclass" not in str(error):
            raise
        raise ValueError(f"{error}. Use SoftmaxRegression (chapter 4) or OneVsRestClassifier (chapter 6)") from None


def _require_target(estimator, y):
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
            "Expected array-like (array or non-string sequence), got None"
        )


def check_is_fitted(estimator):
    """Refuse an estimator that has learned nothing yet.

    Raises
    ------
    NotFittedError
        If it has no attribute that ends in ``_``.
    """
    if not any(name.endswith("_") and not name.startswith("_") for name in vars(estimator)):
        raise like_sklearn(NotFittedError)(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
            "before using this estimator."
        )


def check_X(estimator, X, **options):
    """Check the X of ``predict`` or ``transform`` against what the estimator was fitted on.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    NotFittedError
        Before ``fit``.
    ValueError, TypeError
        See ``check_array``; or the number or the names of the columns differ from those of ``fit``.
    """
    check_is_fitted(estimator)
    _compare_feature_names(estimator, X)
    array = check_array(X, **options)
    if array.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {array.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    return array


def linear_scores(estimator, X):
    """Return X wᵀ + b for an estimator with ``coef_`` and ``intercept_``: one score a row, or one a row and class.

    Parameters
    ----------
    estimator : object
        Fitted; ``coef_`` has shape (n_features,) or (n_classes, n_features).
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)

    Raises
    ------
    ValueError
        If X is bad, or a score overflows.
    """
    X = check_X(estimator, X)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ estimator.coef_.T + estimator.intercept_
    return finite(scores, "the score w·x + b overflows; rescale X")


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
