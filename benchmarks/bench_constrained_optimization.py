"""Quadratic programs against SciPy's general solver, kernels against scikit-learn's.

Solvers made for one kind of program (LIBSVM for the dual of a support vector machine, HiGHS for linear programs)
do another task and are not compared.
"""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.metrics import pairwise

from benchmarks.core import Row
from mlcore import kernels
from mlcore.constrained_optimization import solve_qp


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
