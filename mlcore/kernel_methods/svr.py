"""Support vector regression: errors inside a tube cost nothing, and the points inside do not matter."""

import numpy as np

from mlcore.base import Regressor, check_regression, real, whole
from mlcore.core.kernel_methods import coefficients, duality_gap, tube_dual
from mlcore.kernels import COEF0, DEGREE, GAMMA, KERNEL
from mlcore.support_vector_machines import DualProblem
from mlcore.support_vector_machines.machine import _SupportVectorModel

__all__ = ["SVR"]


class SVR(_SupportVectorModel, Regressor):
    """Regression with a tube (支持向量回归): errors up to ε are free, beyond they cost C each unit.

    f(x) = Σ_i β_i κ(x_i, x) + b,   β_i = α∧_i - α∨_i

    It minimises ½‖w‖² + C Σ max(0, |y_i - f(x_i)| - ε). The dual (notes C (24), minimised over α, not ξ) is

        min ½ βᵀKβ + Σ ((ε - y_i) α∧_i + (ε + y_i) α∨_i)   subject to  Σβ_i = 0,  0 <= α∧_i, α∨_i <= C

    and is solved by the SMO of chapter 17 in the 2n variables (α∧, -α∨). A point inside the tube has β_i = 0; one on
    its edge 0 <= |β_i| <= C; one outside |β_i| = C. For a kernel that is not positive semidefinite training
    ends at a point that satisfies the KKT conditions, which need not be the best one.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_support,)
        β of the support vectors, the rows with β ≠ 0.
    free_, bound_ : int ndarrays
        Rows with 0 < |β| < C, which lie on the edge of the tube; and with |β| = C, on it or outside.
    dual_objective_, primal_objective_, duality_gap_ : float
        Minus the dual's minimum, the primal's value, and their difference; the optimum lies between the two (if the
        kernel is valid).
    support_, support_vectors_, intercept_, coef_, violation_, last_step_, n_iter_, shape_fit_
        As those of ``SVC``.

    References
    ----------
    Notes C 3.7.
    """

    C: float = real(1.0, "The price of errors beyond the tube.", low=0, low_open=True, high=1e100)
    epsilon: float = real(0.1, "ε, the half-width of the tube, in the units of y.", low=0)
    kernel: object = KERNEL
    degree: int = DEGREE
    gamma: object = GAMMA
    coef0: float = COEF0
    tol: float = real(
        1e-3, "Training ends when no two points disagree about b by more than this, in the units of y.",
        low=0, low_open=True,
    )
    max_iter: int = whole(1_000_000, "The largest number of steps; ``fit`` warns where it was reached.", low=1)

    def _set_up(self, p, X, y):
        """Two variables a point, β∧ = α∧ and β∨ = -α∨, so that the dual has the form of chapter 17."""
        X, y = check_regression(self, X, y)
        return X, DualProblem(self._gram(X, copies=2), *tube_dual(y, p.epsilon, p.C))

    def _coefficients_and_gap(self, p, problem, b):
        """β, and the gap from the errors y - f: v is q - Kβ, with q = y - ε for the first half."""
        above, _ = np.split(problem.gradient, 2)
        return coefficients(problem.beta), duality_gap(problem.beta, above + p.epsilon - b, p.epsilon, p.C)

    def predict(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return self._values(X)
