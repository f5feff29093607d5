"""The confusion matrix, and the numbers that are made of it.

TP positive rows are predicted positive and FN are missed; FP negative rows are predicted positive by mistake and TN are
not; m = TP + FN + FP + TN. With several classes each has its own TP, FN and FP: it is positive and all others negative.
"""

import numpy as np

from mlcore.base import check_consistent_length, check_labels, check_real, check_sample_weight, shown
from mlcore.core.performance_metrics import averages, confusion_counts, f_measure, one_against_rest, share

__all__ = ["accuracy", "confusion_matrix", "error_rate", "f1", "fbeta", "macro_micro", "precision", "recall"]

MOST_CLASSES = 2000
"""Of a table: 2000 x 2000 counts take 32 MB."""


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None):
    """Count the rows of each true class (a row of the table) that are predicted as each class (a column), 混淆矩阵.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels.
    labels : array-like of shape (n_classes,), optional
        The order of the classes; by default all that occur, sorted, so that for 0 and 1 the table is
        [[TN, FP], [FN, TP]]. The book puts the positive class first: ``labels=[1, 0]``.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Of int, or of float where there are weights.

    Raises
    ------
    ValueError
        For bad labels or weights, different lengths, or a label that ``labels`` does not hold.

    References
    ----------
    Notes A 9.2.2, D 2.3.2.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, labels, sample_weight)
    return confusion_counts(true, predicted, len(classes), weights)


def accuracy(y_true, y_pred, *, sample_weight=None):
    """Return the share of rows predicted right, in [0, 1] (精度); A (249). Raises as ``confusion_matrix`` does."""
    return 1.0 - error_rate(y_true, y_pred, sample_weight=sample_weight)


def error_rate(y_true, y_pred, *, sample_weight=None):
    """Return the share of rows predicted wrong, in [0, 1] (错误率); A (248). Raises as ``confusion_matrix`` does."""
    true, predicted, weights = pair_of_labels(y_true, y_pred, sample_weight)
    return float(np.average(true != predicted, weights=weights))


def precision(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return P = TP / (TP + FP): how many of the rows predicted positive are (查准率); A (254).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    pos_label : label, optional
        Which class is positive; all others count as negative. May be left out where the labels are 0 and 1, -1 and 1,
        or False and True: then 1 is.
    zero_division : float in [0, 1]
        What to return where no row is predicted positive.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        For bad labels or weights, different lengths, or if it is not clear which class is positive.
    """
    TP, FP, _ = _binary_counts(y_true, y_pred, pos_label, sample_weight)
    return float(share(TP, TP + FP, _check_empty(zero_division)))


def recall(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return R = TP / (TP + FN): how many of the positive rows are found (查全率); A (255).

    See ``precision``; ``zero_division`` is returned where there is no positive row.
    """
    TP, _, FN = _binary_counts(y_true, y_pred, pos_label, sample_weight)
    return float(share(TP, TP + FN, _check_empty(zero_division)))


def fbeta(y_true, y_pred, *, beta, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return F_β = (1 + β²) P R / (β² P + R); A (258). With β > 1 recall weighs more, with β < 1 precision.

    It is computed from the counts and is 0 where TP = 0, whatever P and R are made of.

    Parameters
    ----------
    beta : float > 0
    y_true, y_pred, pos_label, sample_weight
        See ``precision``.
    zero_division : float in [0, 1]
        What to return where nothing is positive and nothing is predicted so.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        As ``precision``; if beta is not positive.
    """
    beta = check_real("beta", beta, low=0, high=1e6, low_open=True)
    counts = _binary_counts(y_true, y_pred, pos_label, sample_weight)
    return float(f_measure(*counts, beta, _check_empty(zero_division)))


def f1(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return F1 = 2 P R / (P + R) = 2 TP / (m + TP - TN), the harmonic mean of both; A (257). See ``fbeta``."""
    return fbeta(
        y_true, y_pred, beta=1, pos_label=pos_label, zero_division=zero_division, sample_weight=sample_weight
    )


def macro_micro(y_true, y_pred, *, labels=None, sample_weight=None):
    """Return precision, recall and F1 averaged over the classes, in both ways (宏, 微).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
    labels : array-like, optional
        The classes to average over, by default all that occur. Rows of other classes still count as mistakes.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    dict of float in [0, 1]
        "macro_precision", "macro_recall": the mean over the classes. "macro_f1": the notes' definition, the F1 of these
        two means. "mean_f1": the mean of the F1s, which scikit-learn calls macro; it is never larger.
        "micro_precision", "micro_recall", "micro_f1": from counts added over the classes. Where every row has one label
        and all classes count, these three are the accuracy. A class without a prediction has precision 0, one without a
        row recall 0, as in scikit-learn.

    Raises
    ------
    ValueError
        As ``confusion_matrix``; if ``labels`` holds no class that occurs.

    References
    ----------
    Notes A (259)-(264), D 2.3.2.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, None, sample_weight)
    counts = np.array(one_against_rest(confusion_counts(true, predicted, len(classes), weights)))
    if labels is not None:
        counts = _of_these(counts, classes, check_labels(labels, "labels"))
    macro, micro = averages(*counts)
    names = [
        *("macro_precision", "macro_recall", "macro_f1", "mean_f1"), "micro_precision", "micro_recall", "micro_f1",
    ]  # fmt: skip
    return dict(zip(names, map(float, (*macro, *micro)), strict=True))


# ---------------------------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------------------------
def coded(y_true, y_pred, labels=None, sample_weight=None):
    """Return both label arrays as places among the sorted (or given) classes, the classes, and weights or None."""
    true, predicted, weights = pair_of_labels(y_true, y_pred, sample_weight)
    both = np.concatenate([true, predicted])
    low, high = (int(both.min()), int(both.max())) if both.dtype.kind == "i" else (0, MOST_CLASSES)
    if high - low < MOST_CLASSES:  # whole numbers close together: counting is faster than sorting
        there = np.bincount(both - low) > 0
        classes, codes = np.flatnonzero(there) + low, (np.cumsum(there) - 1)[both - low]
    else:
        classes, codes = np.unique(both, return_inverse=True)
    if len(classes) > MOST_CLASSES:
        raise ValueError(f"there are {len(classes)} different labels: too many for a table")
    if labels is not None:
        codes, classes = _in_order(codes, classes, check_labels(labels, "labels"))
    return codes[: len(true)], codes[len(true) :], classes, weights


def pair_of_labels(y_true, y_pred, sample_weight):
    """Return both label arrays, of one kind and one length, and weights or None."""
    true, predicted = labels_of(y_true, "y_true"), labels_of(y_pred, "y_pred")
    check_consistent_length(true, predicted, ("y_true", "y_pred"))
    if (true.dtype.kind in "OUS") != (predicted.dtype.kind in "OUS"):
        raise ValueError(
            f"y_true holds labels such as {shown(true[0])}, y_pred such as {shown(predicted[0])}: text and numbers"
        )
    return true, predicted, None if sample_weight is None else check_sample_weight(sample_weight, len(true))


def labels_of(y, name):
    """Return labels, booleans as 0 and 1, whole-number floats as integers where they fit."""
    y = check_labels(y, name)
    fits = {"b": 2, "f": 2**53, "u": 2**63}.get(y.dtype.kind, 0)
    if fits and np.abs(y).max() < fits:
        return y.astype(np.int64)
    return y.astype(np.int64, copy=False) if y.dtype.kind == "i" else y


def _in_order(codes, found, labels):
    """Return the codes for classes in the given order; each that occurs must be among them, once."""
    labels = labels_of(labels, "labels")
    if len(np.unique(labels)) != len(labels):
        raise ValueError(f"labels holds a class twice: {', '.join(map(str, labels))}")
    places = {label: place for place, label in enumerate(labels.tolist())}
    missing = [label for label in found.tolist() if label not in places]
    if missing:
        raise ValueError(f"the label {shown(missing[0])} occurs, but labels has only {', '.join(map(str, labels))}")
    return np.array([places[label] for label in found.tolist()])[codes], labels


def _of_these(counts, classes, labels):
    """Return the counts of the given classes alone; one that does not occur counts nothing."""
    places = {label: place for place, label in enumerate(classes.tolist())}
    wanted = [places.get(label) for label in labels_of(labels, "labels").tolist()]
    if all(place is None for place in wanted):
        raise ValueError(f"none of the labels {', '.join(map(str, labels))} occurs in y_true or y_pred")
    return np.stack([np.zeros(3) if place is None else counts[:, place] for place in wanted], axis=1)


def positives(pos_label, name, *arrays):
    """Return which rows are positive, an array of bool for each array of labels (``labels_of``).

    Without ``pos_label`` it is 1, if all the labels together are 0 and 1, or -1 and 1; a class that occurs nowhere is
    refused, unless it is one of these.
    """
    plain = all(y.dtype.kind == "i" for y in arrays) and (
        all(((y == 0) | (y == 1)).all() for y in arrays) or all((np.abs(y) == 1).all() for y in arrays)
    )
    if pos_label is None and not plain:
        raise ValueError(
            f"{name} holds the labels {_listed(arrays)}: say with pos_label which of them is positive "
            "(for the average over all classes there is macro_micro)"
        )
    wanted = 1 if pos_label is None else labels_of([pos_label], "pos_label").tolist()[0]
    if any((y.dtype.kind in "OUS") != isinstance(wanted, str) for y in arrays):
        raise ValueError(f"pos_label is {shown(pos_label)}, but {name} holds labels such as {arrays[0].tolist()[0]!r}")
    if not any((y == wanted).any() for y in arrays) and not (plain and wanted in (-1, 0, 1)):
        raise ValueError(f"pos_label={shown(pos_label)} occurs nowhere; the labels are {_listed(arrays)}")
    return [y == wanted for y in arrays]


def _listed(arrays, most=6):
    """The labels that occur, the first few of them, for a message."""
    found = np.unique(np.concatenate(arrays)).tolist()
    return ", ".join(map(repr, found[:most])) + (", ..." if len(found) > most else "")


def _binary_counts(y_true, y_pred, pos_label, sample_weight):
    """TP, FP and FN of the positive class."""
    true, predicted, weights = pair_of_labels(y_true, y_pred, sample_weight)
    true, predicted = positives(pos_label, "y_true", true, predicted)
    TP, FP, FN = one_against_rest(confusion_counts(true.astype(int), predicted, 2, weights))
    return TP[1], FP[1], FN[1]


def _check_empty(value):
    return check_real("zero_division", value, low=0, high=1)
