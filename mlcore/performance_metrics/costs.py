"""Mistakes that cost differently: the cost of a table, the cost plane and the lower envelope of its lines.

Class 1 is positive. cost₁₀ is the price of a positive row that is missed, cost₀₁ that of a false alarm, and p the share
of positives among the rows to come. Only one number counts: q = p cost₁₀ / (p cost₁₀ + (1 - p) cost₀₁), P(+)cost.
"""

from typing import NamedTuple

import numpy as np

from mlcore.base import door, table
from mlcore.core.performance_metrics import (
    confusion_counts,
    envelope_corners,
    mean_cost,
    normalised_cost,
    rates,
    trapezoids,
    upper_hull,
)
from mlcore.performance_metrics.confusion import PAIR, coded, order_of_classes
from mlcore.performance_metrics.ranking import RANKED, swept

__all__ = ["CostCurve", "cost_curve", "cost_sensitive_error", "expected_total_cost", "normalised_cost"]


@door(
    **PAIR,
    cost_matrix=table(
        "cost[i, j] is the price of predicting a row of class i as class j; usually 0 where i = j, and with 1\n"
        "everywhere else the result is the error rate.",
        form="array-like of shape (n_classes, n_classes)",
    ),
    labels=order_of_classes(
        "The order of the classes in ``cost_matrix``; by default all that occur, sorted. Give it where a class may be\n"
        "missing from the sample."
    ),
)
def cost_sensitive_error(y_true, y_pred, cost_matrix, *, labels=None, sample_weight=None):
    """Return what a row costs on average when mistakes have different prices.

    References
    ----------
    Notes A 9.2.4, D 2.3.4; D has the two prices the wrong way round.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, labels, sample_weight)
    K = len(classes)
    if cost_matrix.shape != (K, K):
        shown = ", ".join(map(str, classes[:6].tolist())) + (", ..." if K > 6 else "")
        advice = "" if labels is not None else "; name the classes with labels where one may be missing"
        raise ValueError(f"cost_matrix has the shape {cost_matrix.shape}, but there are {K} classes ({shown}){advice}")
    return mean_cost(confusion_counts(true, predicted, K, weights), cost_matrix)


class CostCurve(NamedTuple):
    """The lines of a cost plane and their lower envelope; see ``cost_curve``."""

    fpr: np.ndarray
    """Cost of each line at P(+)cost = 0."""
    fnr: np.ndarray
    """Cost of each line at P(+)cost = 1."""
    thresholds: np.ndarray
    """The threshold of each line."""
    q: np.ndarray
    """P(+)cost at the corners of the envelope, from 0 to 1."""
    cost: np.ndarray
    """Normalised cost at these corners."""


@door(**RANKED)
def cost_curve(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the cost lines of all thresholds and their lower envelope (代价曲线).

    The normalised cost of a threshold is FNR · q + FPR · (1 - q), where q = P(+)cost; it is 1 if every row is wrong.
    The envelope is the cost of the best threshold for each q: the thresholds on it are those on the convex hull of the
    ROC curve.

    Returns
    -------
    CostCurve
        A tuple (fpr, fnr, thresholds, q, cost): the lines' ends, one for each point of the ROC curve, and the corners
        of the envelope; between two corners it is straight.

    References
    ----------
    Notes D 2.3.4. Drummond and Holte (2006), "Cost curves: an improved method for visualizing classifier performance".
    """
    thresholds, TP, FP = swept(y_true, score, pos_label, sample_weight)
    fpr, tpr = rates(TP, FP)
    x, y = _near_hull(fpr, tpr)
    kept = upper_hull(x.tolist(), y.tolist())
    q, cost = envelope_corners(x[kept], y[kept])
    return CostCurve(fpr, 1 - tpr, thresholds, np.maximum.accumulate(q), cost)  # equal corners may be rounded apart


@door(**RANKED)
def expected_total_cost(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the area under the lower envelope of the cost lines, in [0, ¼] (期望总体代价); D 2.3.4.

    It is the mean normalised cost if every q in [0, 1] is equally likely and the threshold is the best one for each q,
    chosen on these very rows. A constant score has ¼. So has a score that is always wrong: it is best not used.
    """
    curve = cost_curve(y_true, score, pos_label=pos_label, sample_weight=sample_weight)
    return trapezoids(curve.q, curve.cost)


def _near_hull(x, y):
    """Leave out points on or below the chord of their neighbours, all at once, as long as that drops a good part."""
    while len(x) > 64:
        inner = np.diff(y)[:-1] * (x[2:] - x[:-2]) > np.diff(x)[:-1] * (y[2:] - y[:-2])
        keep = np.concatenate([[True], inner, [True]])
        x, y, before = x[keep], y[keep], len(x)
        if len(x) > 0.9 * before:
            break
    return x, y
