"""What runs the core of chapter 16."""

import numpy as np

from mlcore.constrained_optimization import (
    coordinate_ascent,
    kkt_residuals,
    lagrangian_dual,
    maximize_in_box,
    solve_qp,
)
from mlcore.optimize import last

rng = np.random.default_rng(0)
A = rng.normal(size=(8, 3))
PROBLEM = np.eye(3), rng.normal(size=3), A, A @ rng.normal(size=3) - 0.1


def solved():
    return solve_qp(*PROBLEM)


def endless():
    return solve_qp([[0.0]], [-1.0], [[1.0]], [0.0])


RUNS = {
    "kkt_residual": lambda: kkt_residuals(*PROBLEM, np.zeros(3), np.zeros(8)),
    "dual_value": lambda: lagrangian_dual(*PROBLEM)(np.ones(8)),
    "dual_program": lambda: lagrangian_dual(*PROBLEM).maximize(),
    "newton_step": solved,
    "step_length": solved,
    "predictor_corrector": solved,
    "mehrotra": solved,
    "active_set_step": solved,
    "least_violation": endless,
    "falling_ray": endless,
    "best_coordinate": lambda: last(
        coordinate_ascent(maximize_in_box(np.eye(3), np.ones(3)), np.zeros(3))
    ),
}
