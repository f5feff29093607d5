"""Permutation importance (置换重要性): how much worse an ensemble does when one feature is shuffled (Notes C 5.6)."""

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    anything,
    check_is_fitted,
    check_labels,
    check_numeric_target,
    door,
    seed,
    shown,
    whole,
)
from mlcore.base.members import take
from mlcore.core.ensembles import add_oob_prediction, left_out
from mlcore.core.feature_selection import permutation_importance
from mlcore.ensembles.bagging import _Ensemble

__all__ = ["oob_permutation_importance"]


@door(
    model=anything(
        REQUIRED, "BaggingClassifier, BaggingRegressor, RandomForestClassifier or RandomForestRegressor", "Fitted."
    ),
    X=anything(REQUIRED, "array-like of shape (n_samples, n_features)", "What the model was fitted on."),
    y=anything(REQUIRED, "array-like of shape (n_samples,)", "The targets, in the same order as in ``fit``."),
    n_repeats=whole(5, "How often to shuffle; the mean is returned.", low=1),
    random_state=seed(),
)
def oob_permutation_importance(model, X, y, *, n_repeats=5, random_state=None):
    """Return how much the out-of-bag score falls when the values of one feature are shuffled.

    importance(j) = E_oob with feature j shuffled - E_oob,    E the error rate, or 1 - R²

    Each row is predicted by the members that have not seen it, so nothing is trained again. One shuffle serves all
    members: with a shuffle for each, a row's wrong values would differ from member to member, and averaging would take
    part of the damage away. (Breiman shuffles for each tree, and scores tree by tree: there nothing is averaged.)
    Features that stand in for each other share their importance: shuffling one costs little.

    Returns
    -------
    ndarray of shape (n_features,)
        About 0 for a feature without influence; below 0 by chance only.
    """
    if not isinstance(model, _Ensemble):
        raise ValueError(f"oob_permutation_importance needs an ensemble that draws its rows, got {model!r}")
    check_is_fitted(model)
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
                add_oob_prediction(sums, counts, out, model._predictions(member, take(table, out)))
        return model._score_of_sums(sums, counts, target, np.ones(n))

    return permutation_importance(score, table, n_repeats, random_state)


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
