"""Support vector machines (支持向量机): the widest margin, its dual, and how to find it two variables at a time.

- ``margins``: functional and geometric margin, and the two quadratic programs of the hard margin.
- ``dual``: the dual and the point that SMO has reached; where SMO would take long, the engine (``box_dual``) helps.
- ``machine``: what ``SVC`` and the ``SVR`` of chapter 18 share.
- ``svc``: the classifier; ``linear_svc``: the same objective by subgradient steps.

For other chapters: the models ``SVC`` and ``LinearSVC`` (``decision_function`` gives the scores that Platt scaling
needs), ``hinge_loss``, and the solver of the dual. Any problem  min ½ αᵀQα + pᵀα  subject to  yᵀα = 0 and 0 <= α <= C,
with  Q_ij = y_i y_j κ(x_i, x_j),  is set up by ``DualProblem.from_signs(Gram(kernel, X), p, y, C)`` and solved by
``run(solve_dual(problem, tol, max_iter))``; support vector regression is one, with ``Gram(kernel, X, copies=2)``.

Notes A 7, B, C 1-2, E.
"""

from mlcore.core.support_vector_machines import best_intercept
from mlcore.engines.box_dual import Gram
from mlcore.losses import hinge as hinge_loss
from mlcore.support_vector_machines.dual import DualProblem, PairStep, smo_walk, solve_dual
from mlcore.support_vector_machines.linear_svc import LinearSVC
from mlcore.support_vector_machines.margins import (
    Hyperplane,
    dual_qp,
    functional_margin,
    geometric_margin,
    hard_margin_dual,
    hard_margin_primal,
    loo_bound,
    primal_qp,
    soft_margin_primal,
)
from mlcore.support_vector_machines.svc import SVC

__all__ = [
    "SVC", "DualProblem", "Gram", "Hyperplane", "LinearSVC", "PairStep", "best_intercept", "dual_qp",
    "functional_margin", "geometric_margin", "hard_margin_dual", "hard_margin_primal", "hinge_loss", "loo_bound",
    "primal_qp", "smo_walk", "soft_margin_primal", "solve_dual",
]
