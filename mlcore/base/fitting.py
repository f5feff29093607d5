"""The door of a model: what its ``fit`` is given, and what a fitted one is asked."""

import numpy as np

from mlcore.base.data import check_array, check_consistent_length, check_labels, check_numeric_target
from mlcore.base.messages import NotFittedError, like_sklearn, warn_caller
from mlcore.numerics import finite


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
