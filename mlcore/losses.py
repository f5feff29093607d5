"""Losses: what a score or a probability costs where the truth is known. Each returns one number a point, shape (n,).

In classification by a score s, y is +1 or -1 and the product ys, the margin, says how right the score is; in regression
y is any number; where a probability is judged, y is 1 or 0. All raise ValueError if the lengths differ, a number is not
finite, a label is another one, or a loss overflows.
"""

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_consistent_length,
    check_numbers,
    check_numeric_target,
    check_real,
    check_sample_weight,
    check_shares,
    door,
    flag,
    numbers,
)
from mlcore.core.logistic_regression import surprise
from mlcore.numerics import finite, softplus

__all__ = [
    "cross_entropy", "epsilon_insensitive", "exponential", "hinge", "kl_divergence", "log_loss", "logistic", "squared",
    "surprise", "zero_one", "zeros_and_ones",
]


# ---------------------------------------------------------------------------------------------------------------
# Of a score
# ---------------------------------------------------------------------------------------------------------------
def zero_one(y, score):
    """1 where ys <= 0 (a wrong or undecided sign), else 0. Notes C 3.2."""
    return (_margins(y, score) <= 0).astype(float)


def logistic(y, score, base=np.e):
    """log(1 + e^(-ys)): the natural logarithm by default. With ``base=2``, as in notes C 3.2, it is 1 at s = 0.

    Dividing by ln 2 changes no minimiser, but it does change what a given penalty λ means.
    """
    base = check_real("base", base, low=1, low_open=True)
    return softplus(-_margins(y, score)) / np.log(base)


def exponential(y, score):
    """e^(-ys), the loss of AdaBoost."""
    with np.errstate(over="ignore", under="ignore"):
        return finite(np.exp(-_margins(y, score)), "the loss overflows: a score is too far off; scale the scores")


def squared(y, score):
    """(y - s)² for any y; for y = ±1 this is (1 - ys)². Notes C 3.5."""
    y, score = _numbers(y, score)
    return (y - score) ** 2


def epsilon_insensitive(y, score, epsilon=0.1):
    """max(0, |s - y| - ε): free inside a tube of half-width ε >= 0, then linear. Notes C 3.7."""
    y, score = _numbers(y, score)
    epsilon = check_real("epsilon", epsilon, low=0)
    return np.maximum(0.0, np.abs(score - y) - epsilon)


def hinge(y, score):
    """Return max(0, 1 - y s) for each point (合页损失): 0 beyond the margin, 1 on the boundary, growing from there.

    It is never below the 0-1 loss. Notes B, C 3.2.
    """
    return np.maximum(0.0, 1.0 - _margins(y, score))


def _numbers(y, score):
    y, score = check_numeric_target(y), check_numeric_target(score, "score")
    check_consistent_length(score, y, names=("score", "y"))
    return y, score


def _margins(y, score):
    """ys for labels +1 and -1."""
    y, score = _numbers(y, score)
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(f"y must hold +1 and -1 only, got {y[~np.isin(y, (-1.0, 1.0))][0]:g}; code the classes first")
    return y * score


# ---------------------------------------------------------------------------------------------------------------
# Of a probability
# ---------------------------------------------------------------------------------------------------------------
def zeros_and_ones(says):
    """Declare labels that are 0 and 1."""

    def check(name, values):
        y = check_numbers(values, name)
        other = ~((y == 0) | (y == 1))
        if other.any():
            raise ValueError(f"{name} must hold 0 and 1 only, got {y[other][0]:g}; encode the classes as 0 and 1 first")
        return y

    return anything(REQUIRED, "array-like of 0 and 1", says, check=check, bad=([0, 2], ["a", "b"], None))


@door(
    y=zeros_and_ones("The classes, shape (n_samples,)."),
    p=numbers("Predicted probability of class 1.", form="array-like of shape (n_samples,)", infinite=True),
    sample_weight=anything(None, "array-like of shape (n_samples,), optional", "How much each row counts."),
    normalize=flag(True, "Mean if true, sum otherwise (the sum is minus the log-likelihood, notes A (49))."),
)
def log_loss(y, p, *, sample_weight=None, normalize=True):
    """Return the log-loss (对数损失) -[y ln p + (1 - y) ln(1 - p)], averaged over the rows or summed.

    Returns
    -------
    float
        In [0, inf]; infinite where something was called impossible (p = 0 or 1) and happened.
    """
    if y.ndim != 1 or y.shape != p.shape or len(y) == 0:
        raise ValueError(f"y and p must be 1-D, of one length, and not empty; their shapes are {y.shape} and {p.shape}")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p must hold probabilities in [0, 1], got {float(p[~((p >= 0) & (p <= 1))][0])!r}")
    with np.errstate(divide="ignore"):
        losses = -np.where(y == 1, np.log(p), np.log1p(-p))
    weights = check_sample_weight(sample_weight, len(y))
    counted = weights > 0  # a row without weight counts nothing, even if its loss is infinite
    total = float(weights[counted] @ losses[counted])
    return total / float(weights.sum()) if normalize else total


DISTRIBUTIONS = {
    name: numbers("Distributions along the last axis: >= 0, sum 1.", form="array-like of shape (..., n_outcomes)")
    for name in ("p", "q")
}


@door(**DISTRIBUTIONS)
def cross_entropy(p, q):
    """Return H(p, q) = -Σ p ln q, in nats: the mean surprise of one who believes q where p is true (交叉熵).

    Conventions: 0 · ln q = 0, also for q = 0; the result is infinite where q = 0 < p. It is least, and equal to
    the entropy H(p), for q = p. Notes B "损失函数", D 3.3.
    """
    p, q = _check_distributions(p, q)
    with np.errstate(divide="ignore", under="ignore"):
        return surprise(p, q) + 0.0  # no -0.0


@door(**DISTRIBUTIONS)
def kl_divergence(p, q):
    """Return KL(p‖q) = Σ p ln(p / q) >= 0, in nats: the surprise that believing q costs beyond H(p) (相对熵).

    KL(p‖q) = H(p, q) - H(p); it is 0 only for q = p, infinite where q = 0 < p, and not symmetric. Notes B "损失函数".
    """
    p, q = _check_distributions(p, q)
    with np.errstate(divide="ignore", under="ignore"):
        # Gibbs' inequality says >= 0; rounding may say -1e-17
        return np.maximum(surprise(p, q) - surprise(p, p), 0.0)


def _check_distributions(p, q):
    if p.shape != q.shape or p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError(f"p and q must have one shape (..., n_outcomes), got {p.shape} and {q.shape}")
    return check_shares(p, "p"), check_shares(q, "q")
