"""How mixed is a set of labels, and how much does knowing an attribute unmix it? (Notes A 6.1, B, D 4.2)

Every measure takes attribute values, then labels, then optional sample weights; logarithms have base 2. A missing
attribute value (None or NaN) cannot be sorted into a branch: its row is left out, and the information gain is
multiplied by ρ, the share of the weight that is left (Notes A 6.5).

The functions ending in ``_of_counts`` do the arithmetic on a table of class weights, one node a row.
"""

import numpy as np

from mlcore.base import check_consistent_length, check_sample_weight
from mlcore.decision_trees.columns import is_missing
from mlcore.engines.trees import midpoints

__all__ = [
    "conditional_entropy", "entropy", "entropy_of_counts", "gain_ratio", "gini", "gini_index", "gini_of_counts",
    "information_gain", "intrinsic_value", "joint_counts", "threshold_gains",
]


# ---------------------------------------------------------------------------------------------------------------
# Arithmetic on counts
# ---------------------------------------------------------------------------------------------------------------
def _shares(counts):
    total = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(total > 0, total, 1.0)


def entropy_of_counts(counts):
    """H = -Σ_k p_k log₂ p_k with p_k = counts_k / Σ counts, along the last axis; 0 log 0 is 0, and no counts give 0.

    Parameters
    ----------
    counts : array of shape (..., n_classes), not negative

    Returns
    -------
    array of shape (...), each in [0, log₂ n_classes]
    """
    p = _shares(np.asarray(counts, dtype=float))
    return np.sum(p * -np.log2(np.where(p > 0, p, 1.0)), axis=-1) + 0.0


def gini_of_counts(counts):
    """Gini = 1 - Σ_k p_k² with p_k = counts_k / Σ counts, along the last axis; no counts give 0.

    Written as Σ_k p_k (1 - p_k), which is exactly 0 for a pure node.
    """
    p = _shares(np.asarray(counts, dtype=float))
    return np.sum(p * (1 - p), axis=-1)


# ---------------------------------------------------------------------------------------------------------------
# Counting
# ---------------------------------------------------------------------------------------------------------------
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


def _label_weights(labels, sample_weight):
    codes, distinct = _codes(labels, "labels")
    if (codes < 0).any():
        raise ValueError(f"labels hold {int((codes < 0).sum())} missing values: every sample needs a label")
    weight = check_sample_weight(sample_weight, len(codes))
    return np.bincount(codes, weights=weight, minlength=len(distinct))


def joint_counts(values, labels, sample_weight=None):
    """Count (or weigh) how often each attribute value meets each label.

    Returns
    -------
    counts : ndarray of shape (n_values, n_classes)
        Numbers in ascending order, strings in order of appearance; the rows whose value is missing are left out.
    distinct : ndarray of shape (n_values,)
    rho : float in [0, 1]
        The share of the weight that is not missing.

    Raises
    ------
    ValueError
        If the lengths differ, either is empty, or a label is missing.
    """
    codes, distinct = _codes(values, "values")
    label_codes, classes = _codes(labels, "labels")
    check_consistent_length(codes, label_codes, names=("values", "labels"))
    if (label_codes < 0).any():
        raise ValueError(f"labels hold {int((label_codes < 0).sum())} missing values: every sample needs a label")
    weight = check_sample_weight(sample_weight, len(codes))
    known = codes >= 0
    counts = np.zeros((len(distinct), len(classes)))
    np.add.at(counts, (codes[known], label_codes[known]), weight[known])
    return counts, distinct, float(weight[known].sum() / weight.sum())


# ---------------------------------------------------------------------------------------------------------------
# The measures
# ---------------------------------------------------------------------------------------------------------------
def entropy(labels, sample_weight=None):
    """Entropy (信息熵) in bits: Ent(D) = -Σ_k p_k log₂ p_k (D 4.1).

    0 when all labels agree, log₂ K when K labels are equally frequent.

    Parameters
    ----------
    labels : sequence of length n_samples
    sample_weight : sequence of length n_samples, optional

    Raises
    ------
    ValueError
        If there are no labels, one is missing, or the weights do not fit.
    """
    return float(entropy_of_counts(_label_weights(labels, sample_weight)))


def gini(labels, sample_weight=None):
    """Gini value (基尼值): Gini(D) = 1 - Σ_k p_k², the probability that two draws (with replacement) differ (D 4.5)."""
    return float(gini_of_counts(_label_weights(labels, sample_weight)))


def _mean_over_values(impurity, counts):
    """Σ_v |Dᵛ|/|D| · impurity(Dᵛ) for a table of shape (n_values, n_classes)."""
    return float(_shares(counts.sum(axis=1)) @ impurity(counts)) if len(counts) else 0.0


def conditional_entropy(values, labels, sample_weight=None):
    """What is still unknown about the label once the attribute is known: H(D|a) = Σ_v |Dᵛ|/|D| Ent(Dᵛ) (A 105)."""
    return _mean_over_values(entropy_of_counts, joint_counts(values, labels, sample_weight)[0])


def information_gain(values, labels, sample_weight=None):
    """Information gain (信息增益): Gain(D, a) = ρ (Ent(D̃) - Ent(D̃|a)) (D 4.2, A 138).

    D̃ are the rows whose value is known and ρ their share of the weight; with nothing missing, ρ = 1. Never negative,
    up to rounding: it is the mutual information of attribute and label.

    Parameters
    ----------
    values : sequence of length n_samples
        Strings, numbers, None. Each distinct value is a branch; for a continuous attribute see ``threshold_gains``.
    labels : sequence of length n_samples
    sample_weight : sequence of length n_samples, optional
    """
    counts, _, rho = joint_counts(values, labels, sample_weight)
    return rho * float(entropy_of_counts(counts.sum(axis=0)) - _mean_over_values(entropy_of_counts, counts))


def intrinsic_value(values, sample_weight=None):
    """Intrinsic value (固有值): IV(a) = -Σ_v |Dᵛ|/|D| log₂ |Dᵛ|/|D|, the entropy of the attribute itself (D 4.4).

    Raises
    ------
    ValueError
        If every value is missing.
    """
    codes, _ = _codes(values, "values")
    known = codes >= 0
    if not known.any():
        raise ValueError("every value is missing: there is nothing to measure")
    return entropy(codes[known], check_sample_weight(sample_weight, len(codes))[known])


def gain_ratio(values, labels, sample_weight=None):
    """Gain ratio (增益率): Gain(D, a) / IV(a) (D 4.3); 0 for an attribute with a single value, where IV is 0."""
    counts, _, _ = joint_counts(values, labels, sample_weight)
    split_information = float(entropy_of_counts(counts.sum(axis=1)))
    return information_gain(values, labels, sample_weight) / split_information if split_information > 0 else 0.0


def gini_index(values, labels, sample_weight=None):
    """Gini index (基尼指数) of an attribute: Σ_v |Dᵛ|/|D| Gini(Dᵛ) (D 4.6); the smaller, the better."""
    return _mean_over_values(gini_of_counts, joint_counts(values, labels, sample_weight)[0])


def threshold_gains(values, labels, sample_weight=None):
    """Information gain of the question "value <= t" for every midpoint t between neighbouring values (A 134).

    Parameters
    ----------
    values : sequence of n_samples numbers
        None and NaN are missing.
    labels, sample_weight
        As in ``information_gain``.

    Returns
    -------
    thresholds : ndarray of shape (n_distinct - 1,)
    gains : ndarray of shape (n_distinct - 1,)

    Raises
    ------
    ValueError
        If a value is no finite number.
    """
    missing = is_missing(values)
    try:
        numeric = np.where(missing, np.nan, np.asarray(values, dtype=object)).astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"thresholds need numbers, but a value could not be converted: {error}") from error
    if np.isinf(numeric).any():
        raise ValueError("thresholds need finite numbers, but a value is infinite: there is no midpoint beside it")
    counts, distinct, rho = joint_counts(numeric, labels, sample_weight)
    return midpoints(distinct[:-1], distinct[1:]), rho * gains_of_prefixes(counts)


def gains_of_prefixes(counts):
    """Information gain of splitting a table of shape (n_values, n_classes) after its 1st, 2nd, ... row."""
    left = np.cumsum(counts, axis=0)[:-1]
    total = counts.sum(axis=0)
    right = total - left
    both = left.sum(axis=1) * entropy_of_counts(left) + right.sum(axis=1) * entropy_of_counts(right)
    return entropy_of_counts(total) - both / max(total.sum(), np.finfo(float).tiny)
