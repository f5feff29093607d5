"""Runs that call the core of chapter 10."""

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
    "learning_theory.split": decompose,
    "learning_theory.corrected": decompose,
    "learning_theory.tail": lambda: lt.hoeffding_bound(10, 0.1),
    "learning_theory.exact_tail": lambda: lt.deviation_probability(10, 0.3, 0.1),
    "learning_theory.training_errors": lambda: lt.empirical_risk_minimizer([[0, 1]], [0, 0]),
    "learning_theory.uniform_tail": lambda: lt.hoeffding_bound(10, 0.1),
    "learning_theory.rows_for": lambda: lt.sample_complexity(10, 0.1, 0.1),
    "learning_theory.gap_of": lambda: lt.generalization_gap(10, 10, 0.1),
    "learning_theory.all_labelings": counted,
    "learning_theory.realised": counted,
    "learning_theory.count_distinct": lambda: lt.growth_function([lambda x: x > 1], LINE),
    "learning_theory.ray_from": counted,
    "learning_theory.box_around": lambda: lt.growth_function(lt.intervals, LINE),
    "learning_theory.exchange": separate,
    "learning_theory.least": lambda: lt.half_planes(PLANE, XOR),
    "learning_theory.next_exchange": separate,
    "learning_theory.walk": separate,
    "learning_theory.separator": separate,
    "learning_theory.weights_of_proof": lambda: lt.half_planes(PLANE, XOR),
    "learning_theory.full_subsets": lambda: lt.shattered_subsets([[0, 1]]),
    "learning_theory.sauer": lambda: lt.sauer_bound(5, 2),
    "learning_theory.vc_gap": lambda: lt.vc_bound(100, 3, 0.1),
    "learning_theory.margin_dimension": lambda: lt.margin_vc_bound(1.0, 0.5),
}
