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
    "constrained_optimization.kkt.kkt_residual": lambda: kkt_residuals(*PROBLEM, np.zeros(3), np.zeros(8)),
    "constrained_optimization.duality.dual_value": lambda: lagrangian_dual(*PROBLEM)(np.ones(8)),
    "constrained_optimization.duality.dual_program": lambda: lagrangian_dual(*PROBLEM).maximize(),
    "engines.interior_point.newton_step": solved,
    "engines.interior_point.step_length": solved,
    "engines.interior_point.predictor_corrector": solved,
    "constrained_optimization.active_set.active_set_step": solved,
    "constrained_optimization.certificates.least_violation": endless,
    "constrained_optimization.certificates.falling_ray": endless,
    "constrained_optimization.coordinates.best_coordinate": lambda: last(
        coordinate_ascent(maximize_in_box(np.eye(3), np.ones(3)), np.zeros(3))
    ),
}
