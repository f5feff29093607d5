"""What every estimator shares: parameters, input checks, errors, and snapshots of a running fit.

- ``parameters``: a model's parameters, each declared once. ``doors``: the same for the arguments of a function.
- ``data``: the door for tables, labels and weights. ``fitting``: the door of ``fit`` and ``predict``.
- ``estimator``: what an estimator is; ``sklearn_face``: what scikit-learn asks of it.
- ``members``: estimators inside estimators. ``running``: ``fit`` from ``iter_fit``, and its states for a player.
- ``messages``: errors, warnings, and lines on the screen.

The names and messages follow scikit-learn's conventions, so an estimator of this course works inside a scikit-learn
``Pipeline`` or ``GridSearchCV``; scikit-learn itself is never imported unless the caller already uses it.
"""

from mlcore.base.data import (
    FARTHEST,
    check_array,
    check_consistent_length,
    check_labels,
    check_numbers,
    check_numeric_target,
    check_priors,
    check_sample_weight,
    check_scored_target,
    check_shares,
    is_missing,
    of_one_kind,
)
from mlcore.base.doors import door, labels, numbers, table, targets, vector
from mlcore.base.estimator import BinaryClassifier, Classifier, Clusterer, Estimator, Regressor, Transformer, clone
from mlcore.base.fitting import (
    check_classification,
    check_fit_X,
    check_is_fitted,
    check_regression,
    check_two_classes,
    check_X,
    linear_scores,
    names_of_inputs,
)
from mlcore.base.messages import (
    ConvergenceWarning,
    DataConversionWarning,
    NotFittedError,
    say,
    shown,
    warn_caller,
)
from mlcore.base.parameters import (
    REQUIRED,
    anything,
    check_callable,
    check_choice,
    check_flag,
    check_int,
    check_random_state,
    check_real,
    choice,
    declared,
    flag,
    part,
    real,
    seed,
    whole,
)
from mlcore.base.running import run, snapshots

__all__ = [
    "anything", "BinaryClassifier", "check_array", "check_callable", "check_choice", "check_classification",
    "check_consistent_length", "check_fit_X", "check_flag", "check_int", "check_is_fitted", "check_labels",
    "check_numbers", "check_numeric_target", "check_priors", "check_random_state", "check_real", "check_regression",
    "check_sample_weight", "check_scored_target", "check_shares", "check_two_classes", "check_X", "choice",
    "Classifier", "clone", "Clusterer", "ConvergenceWarning", "DataConversionWarning", "declared", "door",
    "Estimator", "FARTHEST", "flag", "is_missing", "labels", "linear_scores", "names_of_inputs",
    "NotFittedError", "numbers", "of_one_kind", "part", "real", "Regressor", "REQUIRED", "run", "say", "seed", "shown",
    "snapshots", "table", "targets", "Transformer", "vector", "warn_caller", "whole",
]
