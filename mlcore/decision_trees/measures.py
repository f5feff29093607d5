"""How mixed is a set of labels, and how much does knowing an attribute unmix it? (Notes A 6.1, B, D 4.2)

The measures take attribute values (strings, numbers, None), then labels, then optional sample weights. They raise a
ValueError if these differ in length or are empty, or a label is missing. A missing attribute value (None or NaN) cannot
be sorted into a branch: its row is left out, and the information gain is multiplied by ρ, the share of the weight that
is left (Notes A 6.5).
"""

import numpy as np

from mlcore.base import check_consistent_length, check_sample_weight, is_missing
from mlcore.core.decision_trees import (
    entropy_of_counts,
    gain_of_table,
    gain_ratio_of_table,
    gini_of_counts,
    impurity_fall,
    midpoints,
    prefix_gains,
    remaining,
    shares,
)

__all__ = [
    "conditional_entropy", "entropy", "entropy_of_counts", "gain_of_table", "gain_ratio", "gain_ratio_of_table", "gini",
    "gini_index", "gini_of_counts", "impurity_fall", "information_gain", "intrinsic_value", "joint_counts",
    "prefix_gains", "remaining", "shares", "threshold_gains",
]


def _codes(values, name):
    """Number the distinct values: codes of shape (n,), the distinct values; missing ones get -1."""
    values = np.asarray(values)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must be a sequence of at least one value, got shape {values.shape}")
    missing = is_missing(values)
    codes = np.full(len(values), -1)
    present = values[~missing]
    if present.dtype.kind == "O" and any(isinstance(value, str) for value in present):
        seen = {}
        codes[~missing] = [seen.setdefault(value, len(seen)) for value in present]
        return codes, np.array(list(seen), dtype=object)
    try:
        distinct, codes[~missing] = np.unique(present, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"{name} must be all numbers or all strings: what is there has no order ({error})") from error
    return codes, distinct


def _label_codes(labels):
    codes, classes = _codes(labels, "labels")
    if (codes < 0).any():
        raise ValueError(f"labels hold {int((codes < 0).sum())} missing values: every sample needs a label")
    return codes, len(classes)


def _label_counts(labels, sample_weight):
    codes, n_classes = _label_codes(labels)
    return np.bincount(codes, weights=check_sample_weight(sample_weight, len(codes)), minlength=n_classes)


def joint_counts(values, labels, sample_weight=None):
    """Count (or weigh) how often each attribute value meets each label.

    Returns
    -------
    table : ndarray of shape (n_values, n_classes)
        Numbers in ascending order, strings in order of appearance; the rows whose value is missing are left out.
    distinct : ndarray of shape (n_values,)
    rho : float in [0, 1]
        The share of the weight that is not missing.
    """
    codes, distinct = _codes(values, "values")
    label_codes, n_classes = _label_codes(labels)
    check_consistent_length(codes, label_codes, names=("values", "labels"))
    weight = check_sample_weight(sample_weight, len(codes))
    known = codes >= 0
    table = np.zeros((len(distinct), n_classes))
    np.add.at(table, (codes[known], label_codes[known]), weight[known])
    return table, distinct, float(weight[known].sum() / weight.sum())


def entropy(labels, sample_weight=None):
    """Entropy (信息熵) in bits: Ent(D) = -Σ_k p_k log₂ p_k (D 4.1).

    0 when all labels agree, log₂ K when K labels are equally frequent.
    """
    return float(entropy_of_counts(_label_counts(labels, sample_weight)))


def gini(labels, sample_weight=None):
    """Gini value (基尼值): Gini(D) = 1 - Σ_k p_k², the probability that two draws (with replacement) differ (D 4.5)."""
    return float(gini_of_counts(_label_counts(labels, sample_weight)))


def conditional_entropy(values, labels, sample_weight=None):
    """What is still unknown about the label once the attribute is known: H(D|a) = Σ_v |Dᵛ|/|D| Ent(Dᵛ) (A 105)."""
    return float(remaining(entropy_of_counts, joint_counts(values, labels, sample_weight)[0]))


def information_gain(values, labels, sample_weight=None):
    """Information gain (信息增益): Gain(D, a) = ρ (Ent(D̃) - Ent(D̃|a)) (D 4.2, A 138).

    D̃ are the rows whose value is known and ρ their share of the weight; with nothing missing, ρ = 1. Never negative,
    up to rounding: it is the mutual information of attribute and label. Each distinct value is a branch; for a
    continuous attribute see ``threshold_gains``.
    """
    table, _, rho = joint_counts(values, labels, sample_weight)
    return float(rho * gain_of_table(table))


def intrinsic_value(values, sample_weight=None):
    """Intrinsic value (固有值): IV(a) = -Σ_v |Dᵛ|/|D| log₂ |Dᵛ|/|D|, the entropy of the attribute itself (D 4.4)."""
    codes, _ = _codes(values, "values")
    known = codes >= 0
    if not known.any():
        raise ValueError("every value is missing: there is nothing to measure")
    return entropy(codes[known], check_sample_weight(sample_weight, len(codes))[known])


def gain_ratio(values, labels, sample_weight=None):
    """Gain ratio (增益率): Gain(D, a) / IV(a) (D 4.3); 0 for an attribute with a single value, where IV is 0."""
    table, _, rho = joint_counts(values, labels, sample_weight)
    return float(rho * gain_ratio_of_table(table)) if np.count_nonzero(table.sum(axis=1)) > 1 else 0.0


def gini_index(values, labels, sample_weight=None):
    """Gini index (基尼指数) of an attribute: Σ_v |Dᵛ|/|D| Gini(Dᵛ) (D 4.6); the smaller, the better."""
    return float(remaining(gini_of_counts, joint_counts(values, labels, sample_weight)[0]))


def threshold_gains(values, labels, sample_weight=None):
    """Information gain of the question "value <= t" for every midpoint t between neighbouring values (A 134).

    Returns
    -------
    thresholds : ndarray of shape (n_distinct - 1,)
    gains : ndarray of shape (n_distinct - 1,)

    Raises
    ------
    ValueError
        If a value is neither a finite number nor missing (None, NaN).
    """
    missing = is_missing(values)
    try:
        numeric = np.where(missing, np.nan, np.asarray(values, dtype=object)).astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"thresholds need numbers, but a value could not be converted: {error}") from error
    if np.isinf(numeric).any():
        raise ValueError("thresholds need finite numbers, but a value is infinite: there is no midpoint beside it")
    table, distinct, rho = joint_counts(numeric, labels, sample_weight)
    return midpoints(distinct[:-1], distinct[1:]), rho * prefix_gains(table)
