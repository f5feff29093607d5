"""All thresholds at once: the ROC curve, the P-R curve, the areas under them.

A row is predicted positive if its score is at least the threshold.
"""

import numpy as np

from mlcore.base import REQUIRED, anything, check_consistent_length, check_numbers, check_sample_weight, door
from mlcore.core.performance_metrics import balance, pair_loss, precision_recall, rates, step_sum, sweep, trapezoids
from mlcore.performance_metrics.confusion import POSITIVE, WEIGHT, positives, some_labels

__all__ = ["auc", "average_precision", "break_even_point", "precision_recall_curve", "rank_loss", "roc_curve"]


def _one_a_row(name, score):
    """Return numbers; a single column becomes a row."""
    score = check_numbers(score, name)
    if score.ndim == 2 and score.shape[1] == 1:
        score = score.ravel()
    if score.ndim != 1:
        raise ValueError(
            f"{name} must hold one number a row, got the shape {score.shape}; of predict_proba take the column "
            "of the positive class"
        )
    return score


SCORED = {
    "y_true": some_labels("Labels of both classes."),
    "score": anything(
        REQUIRED, "array-like of shape (n_samples,)",
        "The larger, the more positive: a probability, a margin, any number. Only its order counts.",
        check=_one_a_row, bad=([0.1, np.nan], ["a", "b"], [[1.0, 1.0], [1.0, 1.0]]),
    ),
    "pos_label": POSITIVE,
}  # fmt: skip
RANKED = {**SCORED, "sample_weight": WEIGHT}


@door(**RANKED)
def roc_curve(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the false and the true positive rate at every threshold.

    Returns
    -------
    fpr, tpr, thresholds : ndarrays of shape (n_thresholds,)
        From (0, 0) at the threshold ∞ to (1, 1) at the smallest score. Rows of one score make one step: diagonal, where
        both classes are among them.

    References
    ----------
    Notes A 9.2.3, D 2.3.3.
    """
    thresholds, TP, FP = swept(y_true, score, pos_label, sample_weight)
    return (*rates(TP, FP), thresholds)


@door(**RANKED)
def auc(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the area under the ROC curve, in [0, 1]: the chance that a positive row scores above a negative one.

    Equal scores count one half, so that a constant score has ½. It is 1 - ``rank_loss``; A (267), (269).
    """
    _, TP, FP = swept(y_true, score, pos_label, sample_weight)
    return trapezoids(*rates(TP, FP))


@door(**SCORED)
def rank_loss(y_true, score, *, pos_label=None):
    """Return the share of pairs, one row of each class, that the score puts in the wrong order; a tie counts one half.

    In [0, 1]; counted pair by pair, without the ROC curve; A (268).
    """
    positive, score, _ = _weighted_rows(y_true, score, pos_label, None)
    _check_both(positive)
    return pair_loss(score[positive], score[~positive])


@door(**RANKED)
def precision_recall_curve(y_true, score, *, pos_label=None, sample_weight=None):
    """Return precision and recall at every threshold, from the largest score to the smallest (P-R 曲线).

    There must be a positive row, but need not be a negative one.

    Returns
    -------
    precision, recall, thresholds : ndarrays of shape (n_thresholds,)
        Recall never falls from one to the next; precision goes up and down. The threshold ∞, where nothing is predicted
        positive and P is 0/0, is left out. (Scikit-learn runs the other way, and adds P = 1 at R = 0.)

    References
    ----------
    Notes A 9.2.2, D 2.3.2.
    """
    thresholds, TP, FP = swept(y_true, score, pos_label, sample_weight, both=False)
    return (*precision_recall(TP, FP), thresholds[1:])


@door(**RANKED)
def average_precision(y_true, score, *, pos_label=None, sample_weight=None):
    """Return AP = Σ (R_k - R_{k-1}) P_k, in (0, 1]: the area under the steps of the P-R curve, without interpolation.

    A constant score has the share of positives.
    """
    _, TP, FP = swept(y_true, score, pos_label, sample_weight, both=False)
    return step_sum(*precision_recall(TP, FP))


@door(**RANKED)
def break_even_point(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the value at which precision and recall are equal, in [0, 1] (平衡点, BEP).

    P = R where as many rows are predicted positive as are positive, m⁺ (or where TP = 0, which is no balance to speak
    of). Where equal scores skip that rank no threshold reaches it: then the tied rows are taken to be cut in
    proportion, the mean over all orders of them.
    """
    _, TP, FP = swept(y_true, score, pos_label, sample_weight, both=False)
    return balance(TP, FP)


def _weighted_rows(y_true, score, pos_label, sample_weight):
    """Return which rows are positive, scores and weights; rows of weight 0 are left out."""
    (positive,) = positives(pos_label, y_true)
    check_consistent_length(positive, score, ("y_true", "score"))
    if sample_weight is None:
        return positive, score, np.ones(len(score))
    weights = check_sample_weight(sample_weight, len(score))
    return positive[weights > 0], score[weights > 0], weights[weights > 0]


def swept(y_true, score, pos_label, sample_weight, both=True):
    """Return thresholds, TP and FP; ``both`` classes are needed, or the positive one alone."""
    positive, score, weights = _weighted_rows(y_true, score, pos_label, sample_weight)
    if both:
        _check_both(positive)
    elif not positive.any():
        raise ValueError("no row is positive: recall is 0/0 at every threshold")
    return sweep(positive, score, weights)


def _check_both(positive):
    if positive.all() or not positive.any():
        kind = "positive" if positive.all() else "negative"
        raise ValueError(f"all {len(positive)} rows are {kind}: both classes are needed to rank one above the other")
