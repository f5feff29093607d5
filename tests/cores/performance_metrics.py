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
    "performance_metrics.confusion.confusion_counts": f1,
    "performance_metrics.confusion.one_against_rest": f1,
    "performance_metrics.confusion.share": f1,
    "performance_metrics.confusion.f_measure": f1,
    "performance_metrics.confusion.averages": lambda: pm.macro_micro(y, predicted),
    "performance_metrics.ranking.sweep": auc,
    "performance_metrics.ranking.rates": auc,
    "performance_metrics.ranking.trapezoids": auc,
    "performance_metrics.ranking.pair_loss": lambda: pm.rank_loss(y, score),
    "performance_metrics.ranking.precision_recall": average_precision,
    "performance_metrics.ranking.balance": lambda: pm.break_even_point(y, score),
    "performance_metrics.ranking.step_sum": average_precision,
    "performance_metrics.costs.mean_cost": lambda: pm.cost_sensitive_error(y, predicted, [[0, 1], [5, 0]]),
    "performance_metrics.costs.normalised_cost": expected_total_cost,
    "performance_metrics.costs.upper_hull": expected_total_cost,
    "performance_metrics.costs.envelope_corners": expected_total_cost,
    "numerics.special.binomial_tail": lambda: pm.binomial_test(5, 10, 0.3),
    "numerics.special.t_tail": lambda: pm.t_test([0.1, 0.2, 0.4], 0.2),
    "performance_metrics.comparison.t_statistic": lambda: pm.t_test([0.1, 0.2, 0.4], 0.2),
    "performance_metrics.comparison.mcnemar_statistic": lambda: pm.mcnemar_test(3, 9),
    "performance_metrics.comparison.five_by_two_statistic": lambda: pm.five_by_two_cv_t_test(errors, errors[::-1]),
    "performance_metrics.comparison.ranks": friedman,
    "performance_metrics.comparison.friedman_statistic": friedman,
    "performance_metrics.comparison.f_statistic": friedman,
    "performance_metrics.comparison.range_tail": nemenyi,
    "performance_metrics.comparison.critical_difference": nemenyi,
}
