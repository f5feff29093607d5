"""What every estimator is: parameters by name, and a score.

An estimator is a plain object. ``__init__`` stores its parameters unchanged; ``fit`` checks them and the data,
learns, and writes what it learned into attributes that end in ``_``.
"""

import copy
import functools
import inspect
import numbers
from typing import dataclass_transform

import numpy as np

from mlcore.base.data import check_consistent_length, check_labels, check_sample_weight, check_scored_target
from mlcore.base.fitting import check_is_fitted, names_of_inputs
from mlcore.base.messages import shown
from mlcore.base.parameters import (
    anything,
    checked,
    choice,
    declared,
    flag,
    learn_parameters,
    part,
    real,
    seed,
    whole,
)
from mlcore.base.running import run
from mlcore.base.sklearn_face import OutputContainer, SklearnFace


@dataclass_transform(kw_only_default=True, field_specifiers=(anything, choice, flag, part, real, seed, whole))
class Estimator(SklearnFace):
    """Parameters by name: everything that is declared (see ``mlcore.base.parameters``) can be read, set and printed."""

    _estimator_type = None
    _poor_score = False
    """True tells scikit-learn's suite to ask for no accuracy on clouds of points: the model is not made for them."""

    def __init_subclass__(cls, **options):
        learn_parameters(cls)
        super().__init_subclass__(**options)
        if "iter_fit" in vars(cls) and "fit" not in vars(cls):
            cls.fit = _fit_of_steps(cls.iter_fit)
        for name in {"fit", "iter_fit"} & vars(cls).keys():
            vars(cls)[name].__doc__ = _documented(vars(cls)[name], cls._estimator_type)
        if hasattr(cls, "fit") and not hasattr(cls.fit, "__wrapped__"):
            cls.fit = _all_or_nothing(cls.fit)

    checked = checked

    @classmethod
    @functools.cache
    def _parameter_names(cls):
        if declared(cls):
            return sorted(declared(cls))
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


def _fit_of_steps(iter_fit):
    """The ``fit`` of a model that is trained step by step."""

    def fit(self, *args, **options):
        run(iter_fit(self, *args, **options))
        return self

    fit.__signature__, fit.__module__ = inspect.signature(iter_fit), iter_fit.__module__
    fit.__qualname__ = iter_fit.__qualname__.replace("iter_fit", "fit")
    return fit


TARGETS = {"classifier": "Class labels.", "regressor": "The numbers to predict."}
EITHER = "Class labels, or the numbers to predict."
ARGUMENTS = {
    "X": "X : array-like of shape (n_samples, n_features)",
    "sample_weight": "sample_weight : array-like of shape (n_samples,), optional\n"
    "    How much each row counts: a whole number means the same as repeating the row (on average, if rows are drawn).",
}


def _documented(method, kind):
    """The documentation of ``fit`` or ``iter_fit``: what a class says of its own, and what holds for all of them."""
    own = inspect.cleandoc(method.__doc__ or "")
    first = "Learn from data; return self." if method.__name__ == "fit" else (
        "Learn step by step; yield the model, ready to predict, after each step."
    )
    arguments = inspect.signature(method).parameters
    says_y = "Not used." if "y" in arguments and arguments["y"].default is None else TARGETS.get(kind, EITHER)
    entries = {**ARGUMENTS, "y": f"y : array-like of shape (n_samples,)\n    {says_y}"}
    given = [entries[name] for name in arguments if name in entries]
    sections = {
        "Parameters": "\n".join(given),
        "Raises": "ValueError, TypeError\n    For a bad parameter or bad data; then the model stays as it was.",
    }
    missing = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if f"{title}\n---" not in own]
    return "\n\n".join([own or first, *missing])


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
        return r_squared(y, predicted, check_sample_weight(sample_weight, len(y)))


def r_squared(y, predicted, weights):
    """1 - Σ w (y - ŷ)² / Σ w (y - ȳ)²; for a constant y 1 if all is exact, else 0."""
    residual = np.sum(weights * (y - predicted) ** 2)
    total = np.sum(weights * (y - np.average(y, weights=weights)) ** 2)
    if total == 0:
        return 1.0 if residual == 0 else 0.0
    return float(1 - residual / total)


class Transformer(OutputContainer, Estimator):
    """An estimator whose ``transform`` returns new features, as an array or, after ``set_output``, as a DataFrame."""

    def fit_transform(self, X, y=None):
        """Fit and return the transformed X."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the new features: the class's name in small letters, and a number."""
        check_is_fitted(self)
        names_of_inputs(self, input_features)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(self._n_features_out)], dtype=object)


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
