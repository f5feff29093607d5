"""Mistakes that cost differently: the cost of a table, the cost plane and the lower envelope of its lines.

Class 1 is positive. cost₁₀ is the price of a positive row that is missed, cost₀₁ that of a false alarm, and p the share
of positives among the rows to come. Only one number counts: q = p cost₁₀ / (p cost₁₀ + (1 - p) cost₀₁), P(+)cost.
"""

from typing import NamedTuple

import numpy as np

from mlcore.base import check_array
from mlcore.core.performance_metrics import envelope_corners, mean_cost, normalised_cost, upper_hull
from mlcore.performance_metrics.confusion import coded, confusion_counts
from mlcore.performance_metrics.ranking import roc_curve, trapezoids

__all__ = ["CostCurve", "cost_curve", "cost_sensitive_error", "expected_total_cost", "normalised_cost"]


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
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


def cost_sensitive_error(y_true, y_pred, cost_matrix, *, labels=None, sample_weight=None):
    """Return what a row costs on average when mistakes have different prices.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    cost_matrix : array-like of shape (n_classes, n_classes)
        cost[i, j] is the price of predicting a row of class i as class j; usually 0 where i = j, and with 1 everywhere
        else the result is the error rate.
    labels : array-like of shape (n_classes,), optional
        The order of the classes in ``cost_matrix``; by default all that occur, sorted. Give it where a class may be
        missing from the sample.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As ``confusion_matrix``; if the prices are no numbers or not one for each pair of classes.

    References
    ----------
    Notes A 9.2.4, D 2.3.4; D has the two prices the wrong way round.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, labels, sample_weight)
    cost, K = check_array(cost_matrix, name="cost_matrix"), len(classes)
    if cost.shape != (K, K):
        shown = ", ".join(map(str, classes[:6].tolist())) + (", ..." if K > 6 else "")
        advice = "" if labels is not None else "; name the classes with labels where one may be missing"
        raise ValueError(f"cost_matrix has the shape {cost.shape}, but there are {K} classes ({shown}){advice}")
    return float(mean_cost(confusion_counts(true, predicted, K, weights), cost))


def cost_curve(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the cost lines of all thresholds and their lower envelope (代价曲线).

    The normalised cost of a threshold is FNR · q + FPR · (1 - q), where q = P(+)cost; it is 1 if every row is wrong.
    The envelope is the cost of the best threshold for each q: the thresholds on it are those on the convex hull of the
    ROC curve.

    Parameters
    ----------
    y_true, score, pos_label, sample_weight
        As for ``roc_curve``.

    Returns
    -------
    CostCurve
        A tuple (fpr, fnr, thresholds, q, cost): the lines' ends, one for each point of the ROC curve, and the corners
        of the envelope; between two corners it is straight.

    Raises
    ------
    ValueError
        As ``roc_curve``.

    References
    ----------
    Notes D 2.3.4. Drummond and Holte (2006), "Cost curves: an improved method for visualizing classifier performance".
    """
    fpr, tpr, thresholds = roc_curve(y_true, score, pos_label=pos_label, sample_weight=sample_weight)
    x, y = _near_hull(fpr, tpr)
    kept = upper_hull(x.tolist(), y.tolist())
    q, cost = envelope_corners(x[kept], y[kept])
    return CostCurve(fpr, 1 - tpr, thresholds, np.maximum.accumulate(q), cost)  # equal corners may be rounded apart


def expected_total_cost(y_true, score, *, pos_label=None, sample_weight=None):
    """Return the area under the lower envelope of the cost lines, in [0, ¼] (期望总体代价).

    It is the mean normalised cost if every q in [0, 1] is equally likely and the threshold is the best one for each q,
    chosen on these very rows. A constant score has ¼. So has a score that is always wrong: it is best not used.
    Parameters and errors are those of ``roc_curve``; D 2.3.4.
    """
    curve = cost_curve(y_true, score, pos_label=pos_label, sample_weight=sample_weight)
    return float(trapezoids(curve.q, curve.cost))


def _near_hull(x, y):
    """Leave out points on or below the chord of their neighbours, all at once, as long as that drops a good part."""
    while len(x) > 64:
        inner = np.diff(y)[:-1] * (x[2:] - x[:-2]) > np.diff(x)[:-1] * (y[2:] - y[:-2])
        keep = np.concatenate([[True], inner, [True]])
        x, y, before = x[keep], y[keep], len(x)
        if len(x) > 0.9 * before:
            break
    return x, y
