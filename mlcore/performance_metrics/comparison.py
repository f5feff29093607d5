"""Comparison tests (比较检验): is what was measured, or the difference between two models, more than chance?

Each test has a statistic, which grows with the evidence, and a p-value: how probable a statistic at least that extreme
would be if the hypothesis were true.
"""

import bisect
import math
from typing import NamedTuple

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_array,
    check_int,
    check_numbers,
    choice,
    door,
    flag,
    numbers,
    real,
    whole,
)
from mlcore.core.performance_metrics import (
    critical_difference,
    f_statistic,
    five_by_two_statistic,
    friedman_statistic,
    mcnemar_statistic,
    range_tail,
    ranks,
    t_statistic,
)
from mlcore.numerics import binomial_share, binomial_tail, chi2_tail, f_tail, t_tail
from mlcore.performance_metrics.confusion import check_pair, some_labels

__all__ = [
    "Comparison", "average_ranks", "binomial_test", "disagreements", "five_by_two_cv_t_test", "friedman_test",
    "mcnemar_test", "nemenyi_critical_difference", "paired_t_test", "t_test",
]  # fmt: skip

_EPS = np.finfo(float).eps
MOST_ROWS = 10_000_000
"""Of a test set: the tests that add up binomial probabilities take a number for each row."""


class Comparison(NamedTuple):
    """What a test returns: a tuple (statistic, p_value)."""

    statistic: float
    p_value: float


def _several_rates(name, values):
    values = check_numbers(values, name)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"{name} must hold at least two error rates in one row, got the shape {values.shape}")
    return values


def _rates(says):
    """Declare at least two error rates."""
    return anything(
        REQUIRED, "array-like of shape (k,)", says, check=_several_rates, bad=([0.1], [0.1, np.nan], [[0.1, 0.2]])
    )


SIDES = ("two-sided", "greater", "less")
SCORES = anything(
    REQUIRED, "array-like of shape (n_datasets, n_models)", "Error rates or accuracies, at least two of each.",
    check=lambda name, value: check_array(value, name=name, min_samples=2, min_features=2),
    bad=([[1, 2, 3]], [[1], [2]], [[1, 2], [2, np.nan]]),
)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# One model
# ---------------------------------------------------------------------------------------------------------------
@door(
    errors=anything(REQUIRED, "int from 0 to n", "How many of the rows are predicted wrong."),
    n=whole(REQUIRED, "Rows in the test set.", low=1, high=MOST_ROWS),
    error_rate=real(REQUIRED, "ε₀.", low=0, high=1),
    alternative=choice(
        "greater", SIDES,
        "What a small p-value speaks for: the true rate is greater than ε₀ (the book's test), less, or different.\n"
        "Two-sided adds up all numbers of errors that are at most as probable as this one.",
    ),
)  # fmt: skip
def binomial_test(errors, n, error_rate, *, alternative="greater"):
    """Test on one test set whether the true error rate is at most ``error_rate`` (二项检验).

    If it were ε₀, the number of errors would be binomial: P(X >= errors) = Σ_{i >= errors} C(n, i) ε₀ⁱ (1 - ε₀)ⁿ⁻ⁱ.

    Returns
    -------
    Comparison
        (errors / n, p-value).

    References
    ----------
    《机器学习》 2.4.1; D 2.4 is a stub.
    """
    errors = check_int("errors", errors, low=0, high=n)
    if alternative == "greater":
        p = binomial_tail(errors, n, error_rate)
    elif alternative == "less":
        p = binomial_tail(n - errors, n, 1 - error_rate, error_rate)
    else:
        p = _as_improbable(errors, n, error_rate)
    return Comparison(errors / n, float(min(p, 1.0)))


@door(
    errors=_rates("At least two."),
    error_rate=real(REQUIRED, "ε₀.", hidden_high=1e100),
    alternative=choice("two-sided", SIDES, "What a small p-value speaks for: their mean is greater than ε₀, say."),
)
def t_test(errors, error_rate, *, alternative="two-sided"):
    """Test whether several measured error rates have the mean ``error_rate`` (t 检验).

    t = √k (μ - ε₀) / s has Student's distribution with k - 1 degrees of freedom if the rates are independent and normal
    with the mean ε₀. Those of cross-validation are not independent: their training sets overlap.

    Returns
    -------
    Comparison
        (t, p-value). Where all rates are equal s is 0: t is ±∞ and p is 0, or t = 0 and p = 1 if they equal ε₀ (for one
        side, ½).

    References
    ----------
    《机器学习》 2.4.1.
    """
    return _t_of(errors, error_rate, alternative, size=max(np.abs(errors).max(), abs(error_rate)))


# ---------------------------------------------------------------------------------------------------------------
# Two models
# ---------------------------------------------------------------------------------------------------------------
@door(
    errors_a=_rates("Of the first model on k test sets, at least two."),
    errors_b=_rates("Of the second model on the same test sets."),
    alternative=choice("two-sided", SIDES, '"greater": the first model\'s error is greater.'),
)
def paired_t_test(errors_a, errors_b, *, alternative="two-sided"):
    """Test whether two models have the same error, from k pairs of error rates (成对 t 检验).

    It is the ``t_test`` of the differences errors_a - errors_b against 0. Pairs from k-fold cross-validation share
    training rows, so that it rejects too often; see ``five_by_two_cv_t_test``.

    Returns
    -------
    Comparison
        (t, p-value).

    References
    ----------
    《机器学习》 2.4.2.
    """
    a, b = errors_a, errors_b
    if len(a) != len(b):
        raise ValueError(f"errors_a has {len(a)} entries and errors_b {len(b)}: they must come in pairs")
    return _t_of(a - b, 0.0, alternative, size=max(np.abs(a).max(), np.abs(b).max()))


@door(
    errors_a=numbers("Of the first model in two folds of each of five shuffles.", form="array-like of shape (5, 2)"),
    errors_b=numbers("Of the second model in the same folds.", form="array-like of shape (5, 2)"),
    numerator=choice(
        "first", ("first", "mean"),
        "Dietterich (1998) divides the first of the ten differences; the book divides the mean of the first two. Both\n"
        "are taken for Student's t with 5 degrees of freedom, and both are cautious. For ten independent normal\n"
        "differences the book's is t₅ / √2, so that at 5 % it rejects in 1.5 % of the cases; Dietterich's, whose\n"
        "numerator occurs in the denominator too, in 2.8 %.",
    ),
)  # fmt: skip
def five_by_two_cv_t_test(errors_a, errors_b, *, numerator="first"):
    """Test whether two models have the same error, from five times two-fold cross-validation (5×2 交叉验证 t 检验).

    Returns
    -------
    Comparison
        (t, two-sided p-value from 5 degrees of freedom). Where all five variances are 0: as in ``t_test``.

    References
    ----------
    《机器学习》 2.4.2. Dietterich (1998), "Approximate statistical tests for comparing supervised classification
    learning algorithms".
    """
    a, b = errors_a, errors_b
    if a.shape != (5, 2) or b.shape != (5, 2):
        raise ValueError(f"errors_a and errors_b must have the shape (5, 2), got {a.shape} and {b.shape}")
    D = a - b
    above, noise = D[0, 0] if numerator == "first" else D[0].mean(), 8 * _EPS * max(np.abs(a).max(), np.abs(b).max())
    if np.abs(D[:, 0] - D[:, 1]).max() <= noise:
        t = _without_spread(above, noise)
    else:
        t = float(five_by_two_statistic(D, above))
    return Comparison(t, _beyond(t, 5, "two-sided"))


@door(
    y_true=some_labels("What is right."),
    pred_a=some_labels("What the first model predicts."),
    pred_b=some_labels("What the second predicts."),
)
def disagreements(y_true, pred_a, pred_b):
    """Return how many rows only the first, and how many only the second model gets wrong: see ``mcnemar_test``."""
    check_pair(y_true, pred_a, None)
    check_pair(y_true, pred_b, None)
    wrong_a, wrong_b = pred_a != y_true, pred_b != y_true
    return int(np.sum(wrong_a & ~wrong_b)), int(np.sum(~wrong_a & wrong_b))


@door(
    only_a=whole(REQUIRED, "Rows that only the first model gets wrong; see ``disagreements``.", low=0, high=MOST_ROWS),
    only_b=whole(REQUIRED, "Rows that only the second gets wrong.", low=0, high=MOST_ROWS),
    exact=flag(False, "Whether the counts are compared by the binomial distribution; use it for b + c < 25."),
)
def mcnemar_test(only_a, only_b, *, exact=False):
    """Test whether two models have the same error, from the rows of one test set on which they disagree (McNemar 检验).

    χ² = max(|b - c| - 1, 0)² / (b + c), with continuity correction (连续性校正), against χ² with 1 degree of freedom.
    Exact: if the models are equally good each disagreement is a fair coin, so p = 2 P(X >= max(b, c)), at most 1.

    Returns
    -------
    Comparison
        (χ², p-value); with ``exact`` the statistic is the smaller count. Without any disagreement (0, 1).

    References
    ----------
    《机器学习》 2.4.3. McNemar (1947); Edwards (1948) for the correction.
    """
    b, c = only_a, only_b
    if b + c == 0:
        return Comparison(0.0, 1.0)
    if exact:
        return Comparison(float(min(b, c)), float(min(2 * binomial_tail(max(b, c), b + c, 0.5), 1.0)))
    statistic = mcnemar_statistic(b, c)
    return Comparison(statistic, float(chi2_tail(statistic, 1)))


# ---------------------------------------------------------------------------------------------------------------
# Several models
# ---------------------------------------------------------------------------------------------------------------
@door(scores=SCORES, higher_is_better=flag(False, "True for accuracies."))
def average_ranks(scores, *, higher_is_better=False):
    """Return the mean rank of each model over all data sets, (n_models,): 1 is best, and ties share their ranks."""
    return ranks(-scores if higher_is_better else scores).mean(axis=0)


@door(
    scores=SCORES,
    form=choice(
        "f", ("f", "chi2"),
        "chi2: the original statistic against χ² with k - 1 degrees of freedom, which is too cautious. f: Iman and\n"
        "Davenport's (N - 1) χ² / (N(k - 1) - χ²) against F with k - 1 and (k - 1)(N - 1).",
    ),
    correct_ties=flag(
        False, "Divide χ² by what ties leave of the variance of the ranks, as SciPy does and the book does not."
    ),
)  # fmt: skip
def friedman_test(scores, *, form="f", correct_ties=False):
    """Test whether several models have the same error, by their ranks on several data sets (Friedman 检验).

    Only the order of the scores within a data set counts.

    Returns
    -------
    Comparison
        (statistic, p-value). If all data sets rank the models alike and without ties, F is ∞ and its p-value 0, which
        flatters: by chance this happens with probability 1 / k!ᴺ⁻¹. If all models tie everywhere, (0, 1).

    References
    ----------
    《机器学习》 2.4.4. Demšar (2006), "Statistical comparisons of classifiers over multiple data sets".
    """
    R = ranks(scores)
    N, k = R.shape
    chi2 = friedman_statistic(R)
    if correct_ties and chi2 > 0:
        chi2 = chi2 * (k**3 - k) / (12 * np.mean(np.sum((R - (k + 1) / 2) ** 2, axis=1)))
    if form == "chi2":
        return Comparison(float(chi2), float(chi2_tail(chi2, k - 1)))
    if N * (k - 1) - chi2 <= 1e-12 * N * k:  # every data set ranks the models alike: nothing is left within the rows
        return Comparison(math.inf, 0.0)
    F = f_statistic(chi2, N, k)
    return Comparison(float(F), float(f_tail(F, k - 1, (k - 1) * (N - 1))))


@door(
    n_models=whole(REQUIRED, "k.", low=2, high=1000),
    n_datasets=whole(REQUIRED, "N.", low=2),
    alpha=real(0.05, "The chance that any pair of equally good models is called different.", low=1e-6, high=0.5),
)
def nemenyi_critical_difference(n_models, n_datasets, *, alpha=0.05):
    """Return how far apart two mean ranks must lie to be called different (Nemenyi 后续检验).

    CD = q_α √(k(k + 1) / 6N), where √2 q_α is exceeded with probability α by the range of k independent standard
    normals. For α = 0.05 and k = 2 … 10: 1.960 2.344 2.569 2.728 2.850 2.948 3.031 3.102 3.164.

    References
    ----------
    《机器学习》 2.4.4. Nemenyi (1963); Demšar (2006).
    """
    low, high = 0.0, 20.0
    for _ in range(36):  # halve the interval that holds q
        q = (low + high) / 2
        low, high = (q, high) if range_tail(q, n_models) > alpha else (low, q)
    return critical_difference(q, n_models, n_datasets)


# ---------------------------------------------------------------------------------------------------------------
# What stands around the statistics
# ---------------------------------------------------------------------------------------------------------------
def _t_of(d, mean, alternative, size):
    """The t test of numbers d against a mean; what differs by rounding of numbers of this size does not differ."""
    noise = 8 * _EPS * size
    t = _without_spread(d[0] - mean, noise) if np.ptp(d) <= noise else float(t_statistic(d, mean))
    return Comparison(t, _beyond(t, len(d) - 1, alternative))


def _without_spread(gap, noise):
    """What a t statistic tends to when its deviation goes to 0: 0 for no gap, else infinite."""
    return 0.0 if abs(gap) <= noise else math.copysign(math.inf, gap)


def _beyond(t, df, alternative):
    """The share of Student's distribution beyond t on the side of the alternative, or on both."""
    if alternative == "two-sided":
        return 2 * _beyond(abs(t), df, "greater")
    t = -t if alternative == "less" else t
    return float(t_tail(t, df)) if abs(t) < 1e150 else float(t < 0)


def _as_improbable(errors, n, rate):
    """Σ of the probabilities of all numbers of errors that are at most as probable as this one: a tail on each side."""
    if rate in (0.0, 1.0):
        return 1.0 if errors == n * rate else 0.0
    p, q, most = rate, 1 - rate, int((n + 1) * rate)  # the probabilities rise up to this number, and then fall
    if errors < most:
        errors, p, q, most = n - errors, q, p, n - most
    bound = (1 + 1e-7) * binomial_share(errors, n, p, q)  # what differs by rounding is as probable
    others = bisect.bisect_right(range(min(most + 1, errors)), bound, key=lambda i: binomial_share(i, n, p, q))
    return binomial_tail(errors, n, p, q) + binomial_tail(n - others + 1, n, q, p)
