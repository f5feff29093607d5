"""Losses: what a score s costs where the truth is y. Each returns one number a point, shape (n,).

In classification y is +1 or -1 and the product ys, the margin, says how right the score is; in regression y is any
number. All raise ValueError if the lengths differ, a number is not finite, a label is not +1 or -1, or a loss
overflows.
"""

import numpy as np

from mlcore.base import check_consistent_length, check_numeric_target, check_real
from mlcore.scores import softplus
from mlcore.support_vector_machines import hinge_loss as hinge

__all__ = ["epsilon_insensitive", "exponential", "hinge", "logistic", "squared", "zero_one"]


def zero_one(y, score):
    """1 where ys <= 0 (a wrong or undecided sign), else 0. Notes C 3.2."""
    return (_margins(y, score) <= 0).astype(float)


def logistic(y, score, base=np.e):
    """log(1 + e^(-ys)): the natural logarithm by default. With ``base=2``, as in notes C 3.2, it is 1 at s = 0.

    Dividing by ln 2 changes no minimiser, but it does change what a given penalty λ means.
    """
    base = check_real("base", base, low=1, low_open=True)
    with np.errstate(over="ignore"):
        return _finite(softplus(-_margins(y, score)) / np.log(base))


def exponential(y, score):
    """e^(-ys), the loss of AdaBoost."""
    with np.errstate(over="ignore", under="ignore"):
        return _finite(np.exp(-_margins(y, score)))


def squared(y, score):
    """(y - s)² for any y; for y = ±1 this is (1 - ys)². Notes C 3.5."""
    y, score = _numbers(y, score)
    with np.errstate(over="ignore", under="ignore"):
        return _finite((y - score) ** 2)


def epsilon_insensitive(y, score, epsilon=0.1):
    """max(0, |s - y| - ε): free inside a tube of half-width ε >= 0, then linear. Notes C 3.7."""
    y, score = _numbers(y, score)
    epsilon = check_real("epsilon", epsilon, low=0)
    with np.errstate(over="ignore"):
        return _finite(np.maximum(0.0, np.abs(score - y) - epsilon))


def _numbers(y, score):
    y, score = check_numeric_target(y), check_numeric_target(score, "score")
    check_consistent_length(score, y, names=("score", "y"))
    return y, score


def _margins(y, score):
    """ys for labels +1 and -1."""
    y, score = _numbers(y, score)
    if not np.isin(y, (-1.0, 1.0)).all():
        raise ValueError(f"y must hold +1 and -1 only, got {y[~np.isin(y, (-1.0, 1.0))][0]:g}")
    return y * score


def _finite(values):
    if not np.isfinite(values).all():
        raise ValueError("the loss overflows: a score is too far off; scale the scores")
    return values
