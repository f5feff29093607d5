"""Permutation importance (置换重要性): how much worse an ensemble does when one feature is shuffled (Notes C 5.6)."""

import numpy as np

from mlcore.base import (
    Classifier,
    check_int,
    check_is_fitted,
    check_labels,
    check_numeric_target,
    check_random_state,
    shown,
)
from mlcore.base.members import take
from mlcore.ensembles.bagging import _Ensemble, add_opinion, left_out
from mlcore.features import permutation_importance

__all__ = ["oob_permutation_importance"]


def oob_permutation_importance(model, X, y, *, n_repeats=5, random_state=None):
    """Return how much the out-of-bag score falls when the values of one feature are shuffled.

    importance(j) = E_oob with feature j shuffled - E_oob,    E the error rate, or 1 - R²

    Each row is judged by the members that have not seen it, so nothing is trained again. One shuffle serves all
    members: with a shuffle for each, a row's wrong values would differ from member to member, and the vote would
    average part of the damage away. (Breiman shuffles for each tree, and scores tree by tree: nothing is averaged away
    there either.) Features that stand in for each other share their importance: shuffling one costs little.

    Parameters
    ----------
    model : fitted BaggingClassifier, BaggingRegressor, RandomForestClassifier or RandomForestRegressor
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The data that the model was fitted on, in the same order.
    n_repeats : int >= 1
        How often to shuffle; the mean is returned.
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_features,)
        About 0 for a feature without influence; below 0 by chance only.

    Raises
    ------
    ValueError
        If the model is no fitted ensemble of this chapter, X has another number of rows than it was fitted on, y a
        label of its own, or no member has left a row out.
    """
    if not isinstance(model, _Ensemble):
        raise ValueError(f"oob_permutation_importance needs an ensemble that draws its rows, got {model!r}")
    check_is_fitted(model)
    check_int("n_repeats", n_repeats, low=1)
    rng = check_random_state(random_state)
    table, target = model._table(X), _targets(model, y)
    n = model._n_samples_fitted
    if not len(table) == len(target) == n:
        raise ValueError(f"the model was fitted on {n} rows, but X has {len(table)} and y {len(target)}")
    missed = [left_out(rows, n) for rows in model.estimators_samples_]
    if not np.any(missed):
        raise ValueError("no member has left a row out: fit with bootstrap=True")

    def score(table):
        sums, counts = np.zeros((n, model._n_classes or 1)), np.zeros(n, dtype=int)
        for member, out in zip(model.estimators_, missed, strict=True):
            if out.any():
                add_opinion(sums, counts, out, model._opinion(member, take(table, out)))
        return model._score_of_sums(sums, counts, target, np.ones(n))

    return permutation_importance(score, table, n_repeats, rng)


def _targets(model, y):
    """The numbers, or class numbers; a label that was not there in ``fit`` is refused."""
    if not isinstance(model, Classifier):
        return check_numeric_target(y)
    number = {label: k for k, label in enumerate(model.classes_.tolist())}
    labels = check_labels(y).tolist()
    unknown = [label for label in labels if label not in number]
    if unknown:
        raise ValueError(f"y holds the label {shown(unknown[0])}, which the model has not been fitted on")
    return np.array([number[label] for label in labels])
