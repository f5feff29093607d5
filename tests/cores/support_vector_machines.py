"""The runs that call the core of chapter 17."""

import numpy as np

from mlcore.datasets import make_moons
from mlcore.support_vector_machines import (
    SVC,
    LinearSVC,
    functional_margin,
    geometric_margin,
    hard_margin_dual,
    hard_margin_primal,
    loo_bound,
)

rng = np.random.default_rng(0)
y = np.where(np.arange(80) % 2, 1.0, -1.0)
X = rng.normal(size=(80, 2)) + 0.8 * y[:, np.newaxis]
apart = X + 5.0 * y[:, np.newaxis]


def svc():
    return SVC().fit(*make_moons(200, noise=0.35, random_state=1))


def linear():
    return LinearSVC(random_state=0).fit(X, y)


RUNS = {
    "functional_margin": lambda: functional_margin([1.0, 2.0], 0.5, X, y),
    "geometric_margin": lambda: geometric_margin([1.0, 2.0], 0.5, X, y),
    "primal_qp": lambda: hard_margin_primal(apart, y),
    "dual_qp": lambda: hard_margin_dual(apart, y),
    "support_share": lambda: loo_bound(svc()),
    "decision_values": lambda: svc().predict(X),
    **dict.fromkeys(
        ("kinds_of_points", "duality_gap", "up_low_gradients", "select_pair", "move_pair", "smo", "intercept"), svc
    ),
    **dict.fromkeys(("hinge_objective", "hinge_subgradient", "pegasos_step", "best_intercept"), linear),
}
