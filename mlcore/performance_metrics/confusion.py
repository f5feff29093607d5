"""The confusion matrix, and the numbers that are made of it."""

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_consistent_length,
    check_labels,
    check_sample_weight,
    door,
    real,
    shown,
)
from mlcore.core.performance_metrics import averages, confusion_counts, f_measure, one_against_rest, share

__all__ = ["accuracy", "confusion_matrix", "error_rate", "f1", "fbeta", "macro_micro", "precision", "recall"]

MOST_CLASSES = 2000
"""Of a table: 2000 x 2000 counts take 32 MB."""


# ---------------------------------------------------------------------------------------------------------------
# The arguments
# ---------------------------------------------------------------------------------------------------------------
def labels_of(name, y):
    """Return labels, booleans as 0 and 1, whole-number floats as integers where they fit."""
    y = check_labels(y, name)
    fits = {"b": 2, "f": 2**53, "u": 2**63}.get(y.dtype.kind, 0)
    if fits and np.abs(y).max() < fits:
        return y.astype(np.int64)
    return y.astype(np.int64, copy=False) if y.dtype.kind == "i" else y


def some_labels(says, form="array-like of shape (n_samples,)", default=REQUIRED):
    """Declare labels; with the default None they may be left out."""

    def check(name, y):
        return None if y is None and default is None else labels_of(name, y)

    return anything(default, form, says, check=check, bad=([], [0.5, 1.5], ["a", 1], [[0, 1], [1, 0]]))


def order_of_classes(says):
    """Declare a list of classes."""
    return some_labels(says, "array-like of shape (n_classes,), optional", None)


POSITIVE = anything(
    None, "label, optional",
    "Which class is positive; all others count as negative. May be left out where the labels are 0 and 1, -1 and 1,\n"
    "or False and True: then 1 is.",
)  # fmt: skip
WEIGHT = anything(None, "array-like of shape (n_samples,), optional", "How much each row counts.")
PAIR = {"y_true": some_labels("What is right."), "y_pred": some_labels("What was predicted."), "sample_weight": WEIGHT}
BINARY = {**PAIR, "pos_label": POSITIVE}


# ---------------------------------------------------------------------------------------------------------------
# The numbers
# ---------------------------------------------------------------------------------------------------------------
@door(
    **PAIR,
    labels=order_of_classes(
        "The order of the classes; by default all that occur, sorted, so that for 0 and 1 the table is\n"
        "[[TN, FP], [FN, TP]]. The book puts the positive class first: ``labels=[1, 0]``."
    ),
)
def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None):
    """Count the rows of each true class (a row of the table) that are predicted as each class (a column), 混淆矩阵.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Of int, or of float where there are weights.

    References
    ----------
    Notes A 9.2.2, D 2.3.2.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, labels, sample_weight)
    return confusion_counts(true, predicted, len(classes), weights)


@door(**PAIR)
def accuracy(y_true, y_pred, *, sample_weight=None):
    """Return the share of rows predicted right, in [0, 1] (精度); A (249)."""
    weights = check_pair(y_true, y_pred, sample_weight)
    return np.average(y_true == y_pred, weights=weights)


@door(**PAIR)
def error_rate(y_true, y_pred, *, sample_weight=None):
    """Return the share of rows predicted wrong, in [0, 1] (错误率); A (248)."""
    weights = check_pair(y_true, y_pred, sample_weight)
    return np.average(y_true != y_pred, weights=weights)


@door(**BINARY, zero_division=real(0.0, "What to return where no row is predicted positive.", low=0, high=1))
def precision(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return P = TP / (TP + FP): how many of the rows predicted positive are (查准率); A (254)."""
    TP, FP, _ = _binary_counts(y_true, y_pred, pos_label, sample_weight)
    return share(TP, TP + FP, zero_division)


@door(**BINARY, zero_division=real(0.0, "What to return where no row is positive.", low=0, high=1))
def recall(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return R = TP / (TP + FN): how many of the positive rows are found (查全率); A (255)."""
    TP, _, FN = _binary_counts(y_true, y_pred, pos_label, sample_weight)
    return share(TP, TP + FN, zero_division)


NEITHER = real(0.0, "What to return where nothing is positive and nothing is predicted so.", low=0, high=1)


@door(
    **BINARY, zero_division=NEITHER,
    beta=real(REQUIRED, "Above 1 recall weighs more, below 1 precision.", low=0, low_open=True, hidden_high=1e6),
)  # fmt: skip
def fbeta(y_true, y_pred, *, beta, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return F_β = (1 + β²) P R / (β² P + R); A (258).

    It is computed from the counts and is 0 where TP = 0, whatever P and R are made of.
    """
    return f_measure(*_binary_counts(y_true, y_pred, pos_label, sample_weight), beta, zero_division)


@door(**BINARY, zero_division=NEITHER)
def f1(y_true, y_pred, *, pos_label=None, zero_division=0.0, sample_weight=None):
    """Return F1 = 2 P R / (P + R) = 2 TP / (m + TP - TN), the harmonic mean of both; A (257)."""
    return f_measure(*_binary_counts(y_true, y_pred, pos_label, sample_weight), 1.0, zero_division)


@door(
    **PAIR,
    labels=order_of_classes(
        "The classes to average over, by default all that occur. Rows of other classes still count as mistakes."
    ),
)
def macro_micro(y_true, y_pred, *, labels=None, sample_weight=None):
    """Return precision, recall and F1 averaged over the classes, in both ways (宏, 微).

    Returns
    -------
    dict of float in [0, 1]
        "macro_precision", "macro_recall": the mean over the classes. "macro_f1": the notes' definition, the F1 of these
        two means. "mean_f1": the mean of the F1s, which scikit-learn calls macro; it is never larger.
        "micro_precision", "micro_recall", "micro_f1": from counts added over the classes. Where every row has one label
        and all classes count, these three are the accuracy. A class without a prediction has precision 0, one without a
        row recall 0, as in scikit-learn.

    References
    ----------
    Notes A (259)-(264), D 2.3.2.
    """
    true, predicted, classes, weights = coded(y_true, y_pred, None, sample_weight)
    counts = np.array(one_against_rest(confusion_counts(true, predicted, len(classes), weights)))
    if labels is not None:
        counts = _of_these(counts, classes, labels)
    macro, micro = averages(*counts)
    names = "macro_precision", "macro_recall", "macro_f1", "mean_f1", "micro_precision", "micro_recall", "micro_f1"
    return dict(zip(names, map(float, (*macro, *micro)), strict=True))


# ---------------------------------------------------------------------------------------------------------------
# Checks across arguments
# ---------------------------------------------------------------------------------------------------------------
def check_pair(true, predicted, sample_weight):
    """Refuse labels of two kinds or two lengths; return weights or None."""
    check_consistent_length(true, predicted, ("y_true", "y_pred"))
    if (true.dtype.kind in "OUS") != (predicted.dtype.kind in "OUS"):
        raise ValueError(
            f"y_true holds labels such as {shown(true[0])}, y_pred such as {shown(predicted[0])}: text and numbers"
        )
    return None if sample_weight is None else check_sample_weight(sample_weight, len(true))


def coded(true, predicted, labels, sample_weight):
    """Return both label arrays as places among the sorted (or given) classes, the classes, and weights or None."""
    weights, both = check_pair(true, predicted, sample_weight), np.concatenate([true, predicted])
    low, high = (int(both.min()), int(both.max())) if both.dtype.kind == "i" else (0, MOST_CLASSES)
    if high - low < MOST_CLASSES:  # whole numbers close together: counting is faster than sorting
        places = (both - low).astype(np.intp)
        there = np.bincount(places) > 0
        classes, codes = np.flatnonzero(there) + low, (np.cumsum(there) - 1)[places]
    else:
        classes, codes = np.unique(both, return_inverse=True)
    if len(classes) > MOST_CLASSES:
        raise ValueError(f"there are {len(classes)} different labels: too many for a table")
    if labels is not None:
        codes, classes = _in_order(codes, classes, labels)
    return codes[: len(true)], codes[len(true) :], classes, weights


def _in_order(codes, found, labels):
    """Return the codes for classes in the given order; each that occurs must be among them, once."""
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
    wanted = [places.get(label) for label in labels.tolist()]
    if all(place is None for place in wanted):
        raise ValueError(f"none of the labels {', '.join(map(str, labels))} occurs in y_true or y_pred")
    return np.stack([np.zeros(3) if place is None else counts[:, place] for place in wanted], axis=1)


def positives(pos_label, *arrays):
    """Return which rows are positive, an array of bool for each array of labels.

    Without ``pos_label`` it is 1, if all the labels together are 0 and 1, or -1 and 1; a class that occurs nowhere is
    refused, unless it is one of these.
    """
    plain = all(y.dtype.kind == "i" for y in arrays) and (
        all(((y == 0) | (y == 1)).all() for y in arrays) or all((np.abs(y) == 1).all() for y in arrays)
    )
    if pos_label is None and not plain:
        raise ValueError(
            f"y_true holds the labels {_listed(arrays)}: say with pos_label which of them is positive "
            "(for the average over all classes there is macro_micro)"
        )
    wanted = 1 if pos_label is None else labels_of("pos_label", [pos_label]).tolist()[0]
    if any((y.dtype.kind in "OUS") != isinstance(wanted, str) for y in arrays):
        raise ValueError(f"pos_label is {shown(pos_label)}, but y_true holds labels such as {arrays[0].tolist()[0]!r}")
    if not any((y == wanted).any() for y in arrays) and not (plain and wanted in (-1, 0, 1)):
        raise ValueError(f"pos_label={shown(pos_label)} occurs nowhere; the labels are {_listed(arrays)}")
    return [y == wanted for y in arrays]


def _listed(arrays, most=6):
    """The labels that occur, the first few of them, for a message."""
    found = np.unique(np.concatenate(arrays)).tolist()
    return ", ".join(map(repr, found[:most])) + (", ..." if len(found) > most else "")


def _binary_counts(y_true, y_pred, pos_label, sample_weight):
    """TP, FP and FN of the positive class."""
    weights = check_pair(y_true, y_pred, sample_weight)
    true, predicted = positives(pos_label, y_true, y_pred)
    TP, FP, FN = one_against_rest(confusion_counts(true.astype(int), predicted, 2, weights))
    return TP[1], FP[1], FN[1]
