"""Runs that call the core of chapter 10; read by tests/test_core.py."""

import numpy as np

from mlcore import learning_theory as lt
from mlcore.linear_regression import LinearRegression

LINE, PLANE = np.arange(3.0), np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
XOR, SPLIT = [0, 1, 1, 0], [0, 1, 0, 1]


def decompose():
    """Split the error of a line."""
    x = np.linspace(0, 1, 5)[:, np.newaxis]
    lt.bias_variance(LinearRegression(), lambda X: X[:, 0], x, x, n_sets=3, random_state=0)


def counted():
    """Count labelings by rays."""
    lt.growth_function(lt.rays, LINE)


def separate():
    """Find a line."""
    lt.half_planes(PLANE, SPLIT)


RUNS = {
    "bias_and_variance": decompose,
    "corrected": decompose,
    "tail": lambda: lt.hoeffding_bound(10, 0.1),
    "exact_tail": lambda: lt.deviation_probability(10, 0.3, 0.1),
    "training_errors": lambda: lt.empirical_risk_minimizer([[0, 1]], [0, 0]),
    "uniform_tail": lambda: lt.hoeffding_bound(10, 0.1),
    "rows_for": lambda: lt.sample_complexity(10, 0.1, 0.1),
    "gap_of": lambda: lt.generalization_gap(10, 10, 0.1),
    "all_labelings": counted,
    "realised": counted,
    "count_distinct": lambda: lt.growth_function([lambda x: x > 1], LINE),
    "ray_from": counted,
    "box_around": lambda: lt.growth_function(lt.intervals, LINE),
    "exchange": separate,
    "least": lambda: lt.half_planes(PLANE, XOR),
    "next_exchange": separate,
    "walk": separate,
    "separator": separate,
    "weights_of_proof": lambda: lt.half_planes(PLANE, XOR),
    "full_subsets": lambda: lt.shattered_subsets([[0, 1]]),
    "sauer_bound": lambda: lt.sauer_bound(5, 2),
    "vc_gap": lambda: lt.vc_bound(100, 3, 0.1),
    "margin_dimension": lambda: lt.margin_vc_bound(1.0, 0.5),
}
