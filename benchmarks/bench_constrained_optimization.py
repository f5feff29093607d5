"""Quadratic programs against SciPy's general solver, kernels against scikit-learn's.

Solvers made for one kind of program (LIBSVM for the dual of a support vector machine, HiGHS for linear programs)
do another task and are not compared.
"""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.metrics import pairwise

from benchmarks.core import Face, Row
from mlcore import kernels
from mlcore.constrained_optimization import solve_qp
from mlcore.constrained_optimization.interior_point import factor
from mlcore.core.constrained_optimization import QP, active_set_step, kkt_residual, mehrotra


def general(n):
    """A strictly convex program in n variables with 2n inequalities and n / 5 equations."""
    rng = np.random.default_rng(0)
    B, A, E, x = rng.normal(size=(n, n)), rng.normal(size=(2 * n, n)), rng.normal(size=(n // 5, n)), rng.normal(size=n)
    return B @ B.T / n + 0.1 * np.eye(n), rng.normal(size=n), A, A @ x - rng.exponential(size=2 * n), E, E @ x


def solve(Q, p, A, c, E, d):
    """Our solver."""
    return solve_qp(Q, p, A, c, E=E, d=d).x


def slsqp(Q, p, A, c, E, d):
    """SciPy's sequential least squares."""
    constraints = [
        {"type": "ineq", "fun": lambda x: A @ x - c, "jac": lambda x: A},
        {"type": "eq", "fun": lambda x: E @ x - d, "jac": lambda x: E},
    ]
    found = minimize(
        lambda x: x @ Q @ x / 2 + p @ x, np.zeros(len(p)), jac=lambda x: Q @ x + p, method="SLSQP",
        constraints=constraints, options={"ftol": 1e-12, "maxiter": 500},
    )
    return found.x


def points(n):
    """n points with ten features."""
    return (np.random.default_rng(0).normal(size=(n, 10)),)


def rows_of_five(m):
    """A strictly convex program in five variables with m inequalities."""
    rng = np.random.default_rng(0)
    B, A = rng.normal(size=(5, 5)), rng.normal(size=(m, 5))
    Q, p, c = B @ B.T + 0.1 * np.eye(5), 3 * rng.normal(size=5), -rng.exponential(size=m)
    return QP(Q, p, A, c, np.zeros((0, 5)), np.zeros(0))


def bare_interior_point(*program):
    """Steps until the KKT conditions nearly hold, then the constraints that push as equations."""
    qp = QP(*program)
    for x, s, alpha, beta in mehrotra(qp, factor(qp), 100):  # noqa: B007
        if max(np.abs(part).max(initial=0.0) for part in kkt_residual(*qp, x, alpha, beta)) < 1e-6:
            break
    active = alpha > s
    w = alpha[active]
    for _ in range(2):
        dx, dw = active_set_step(qp.Q, qp.p, qp.A[active], qp.c[active], x, w)
        x, w = x + dx, w + dw
    return x


def close(tolerance):
    """Both results agree to a tolerance."""
    return lambda ours, theirs, *data: assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


ROWS = [
    Row("QP, general (SLSQP)", (20, 60, 180), general, ours=solve, theirs=slsqp, same=close(1e-4)),
    Row(
        "kernel, rbf", (200, 800, 3200), points,
        ours=kernels.rbf_kernel, theirs=pairwise.rbf_kernel, same=close(1e-10),
    ),
    Row(
        "kernel, polynomial", (200, 800, 3200), points,
        ours=kernels.polynomial_kernel, theirs=pairwise.polynomial_kernel, same=close(1e-10),
    ),
]

FACES = [
    Face(
        "QP, 400 inequalities", (400,), rows_of_five,
        ours=lambda Q, p, A, c, E, d: solve_qp(Q, p, A, c).x, theirs=bare_interior_point, same=close(1e-8),
    ),
]
