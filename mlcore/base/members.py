"""Estimators inside estimators, of whatever library: what the chapters that train several of them share.

What X may hold is for the members to judge: one that fills in missing values, or encodes words, gets them. So a model
with members checks X with ``dtype=None`` (``check_classification(self, X, y, dtype=None)``, ``check_X(self, X,
dtype=None)``), which lets everything of the right shape through, takes its rows with ``take`` and says so with
``tags_of_members``.
"""

import numpy as np

from mlcore.base.estimator import clone
from mlcore.core.model_selection import bootstrap_sample

__all__ = [
    "bootstrap_sample", "check_members", "class_probabilities", "draw_rows", "fold_numbers", "fresh", "kind_of",
    "sound", "tags_of_members", "take",
]  # fmt: skip

_MOST_DRAWS = 1000


def kind_of(estimator):
    """Return "classifier" or "regressor"; scikit-learn's estimators are asked in scikit-learn's way.

    Raises
    ------
    ValueError
        If the object is neither.
    """
    kind = getattr(estimator, "_estimator_type", None)
    if kind is None and hasattr(estimator, "__sklearn_tags__"):
        kind = estimator.__sklearn_tags__().estimator_type
    if kind not in ("classifier", "regressor"):
        raise ValueError(f"a classifier or a regressor is needed, got {estimator!r}")
    return kind


def check_members(estimators):
    """Return a list of estimators of one kind, and the kind.

    Raises
    ------
    ValueError
        If it is empty, no list, or holds classifiers and regressors together.
    """
    if not isinstance(estimators, list | tuple) or not estimators:
        raise ValueError(f"estimators must be a list of at least one estimator, got {estimators!r}")
    kinds = sorted({kind_of(estimator) for estimator in estimators})
    if len(kinds) > 1:
        raise ValueError("estimators must be all classifiers or all regressors, got some of both")
    return list(estimators), kinds[0]


def fresh(estimator, rng, *, keep_seeds=False):
    """Return an unfitted copy; where it draws random numbers, with a seed of its own.

    An estimator without a ``random_state``, such as a pipeline, has those of the estimators inside it set. With
    ``keep_seeds`` only those that are None are set.
    """
    copy = clone(estimator)
    names, params = ["random_state"], copy.get_params(deep=True)
    if "random_state" not in copy.get_params(deep=False):
        names = sorted(name for name in params if name.endswith("__random_state"))
    if keep_seeds:
        names = [name for name in names if params[name] is None]
    copy.set_params(**{name: int(rng.integers(2**31 - 1)) for name in names})
    return copy


def take(X, rows, columns=slice(None)):
    """Return some rows (and columns, by number) of an array, or of a DataFrame, which stays one."""
    return X.iloc[rows, columns] if hasattr(X, "iloc") else X[rows][:, columns]


def tags_of_members(tags, *members):
    """Tell scikit-learn, which alone asks, that X may hold what all members take; return the tags."""
    inputs = [member.__sklearn_tags__().input_tags for member in members if hasattr(member, "__sklearn_tags__")]
    tags.input_tags.allow_nan = len(inputs) == len(members) and all(tag.allow_nan for tag in inputs)
    return tags


def sound(answers, model):
    """Return the numbers that a fitted model answers, of shape (n_samples, ...), as floats.

    NaN has to be refused before anything is done with it: ``nan > 0`` is False and the argmax of NaN the first class,
    so whoever counts votes takes it for a class, and a tree for a missing value.

    Raises
    ------
    ValueError
        If some are NaN or infinite.
    """
    answers = np.asarray(answers, dtype=float)
    lost = ~np.isfinite(answers).all(axis=tuple(range(1, answers.ndim)))
    if lost.any():
        raise ValueError(
            f"{model!r} answers NaN or infinity for {lost.sum()} of {len(lost)} rows: rescale the features, or "
            "leave out those that do not vary"
        )
    return answers


def class_probabilities(model, X, n_classes):
    """Return P(class | x) by a classifier that was fitted on the class numbers 0..n_classes-1 or some of them.

    A class it has never seen gets 0. A model without ``predict_proba`` is sure of what it predicts.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Raises
    ------
    ValueError
        If a probability is no number.
    """
    P = np.zeros((len(X), n_classes))
    if hasattr(model, "predict_proba"):
        P[:, np.asarray(model.classes_, dtype=int)] = sound(model.predict_proba(X), model)
    else:
        P[np.arange(len(X)), sound(model.predict(X), model).astype(int)] = 1.0
    return P


def draw_rows(y, n_drawn, weight, rng, *, replace=True, several=True):
    """Draw row numbers, a row in proportion to its weight; again while a classifier would see a single class.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    n_drawn : int
    weight : ndarray of shape (n_samples,)
        Not negative, not all 0.
    rng : numpy.random.Generator
    replace : bool
    several : bool
        Whether y holds classes, of which a sample must show more than one if there are more with a weight.

    Returns
    -------
    int ndarray of shape (n_drawn,)

    Raises
    ------
    ValueError
        If a thousand samples all held a single class.
    """
    several = several and (y[weight > 0] != y[weight.argmax()]).any()
    for _ in range(_MOST_DRAWS):
        rows = bootstrap_sample(weight, n_drawn, rng, replace)
        if not several or (y[rows] != y[rows[0]]).any():
            return rows
    raise ValueError(
        f"{_MOST_DRAWS} samples of {n_drawn} rows all held a single class: draw more rows (max_samples), or take "
        "weights that differ less"
    )


def fold_numbers(y, n_folds, is_classification):
    """Give rows the folds 0, 1, ..., one after the other; class by class, so that each fold has its share.

    Returns
    -------
    int ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If there are more folds than rows.
    """
    if n_folds > len(y):
        raise ValueError(f"cv={n_folds} folds are more than the {len(y)} samples there are")
    order = np.argsort(y, kind="stable") if is_classification else np.arange(len(y))
    folds = np.empty(len(y), dtype=int)
    folds[order] = np.arange(len(y)) % n_folds
    return folds
