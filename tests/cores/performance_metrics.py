"""Runs that call the core of chapter 9."""

import numpy as np

from mlcore import performance_metrics as pm

y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
score = np.array([0.9, 0.8, 0.8, 0.6, 0.5, 0.5, 0.3, 0.1])
predicted = (score >= 0.6).astype(int)
errors = np.array([[0.1, 0.2], [0.3, 0.2], [0.2, 0.2], [0.1, 0.3], [0.2, 0.1]])
table = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3]])


def f1():
    """One class against the other."""
    pm.f1(y, predicted)


def auc():
    """One pass down the ranking."""
    pm.auc(y, score)


def average_precision():
    """The steps of the P-R curve."""
    pm.average_precision(y, score)


def expected_total_cost():
    """The lower envelope."""
    pm.expected_total_cost(y, score)


def friedman():
    """Ranks, and the test of their means."""
    pm.friedman_test(table)


def nemenyi():
    """The range of normals."""
    pm.nemenyi_critical_difference(3, 4)


RUNS = {
    "confusion_counts": f1,
    "one_against_rest": f1,
    "share": f1,
    "f_measure": f1,
    "averages": lambda: pm.macro_micro(y, predicted),
    "sweep": auc,
    "rates": auc,
    "trapezoids": auc,
    "pair_loss": lambda: pm.rank_loss(y, score),
    "precision_recall": average_precision,
    "balance": lambda: pm.break_even_point(y, score),
    "step_sum": average_precision,
    "mean_cost": lambda: pm.cost_sensitive_error(y, predicted, [[0, 1], [5, 0]]),
    "normalised_cost": expected_total_cost,
    "upper_hull": expected_total_cost,
    "envelope_corners": expected_total_cost,
    "binomial_tail": lambda: pm.binomial_test(5, 10, 0.3),
    "t_tail": lambda: pm.t_test([0.1, 0.2, 0.4], 0.2),
    "t_statistic": lambda: pm.t_test([0.1, 0.2, 0.4], 0.2),
    "mcnemar_statistic": lambda: pm.mcnemar_test(3, 9),
    "five_by_two_statistic": lambda: pm.five_by_two_cv_t_test(errors, errors[::-1]),
    "ranks": friedman,
    "friedman_statistic": friedman,
    "f_statistic": friedman,
    "range_tail": nemenyi,
    "critical_difference": nemenyi,
}
