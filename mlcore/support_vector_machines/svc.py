"""The support vector classifier: a soft margin, any kernel, trained by SMO."""

from mlcore.base import BinaryClassifier, check_classification, real, whole
from mlcore.core.support_vector_machines import duality_gap
from mlcore.kernels import COEF0, DEGREE, GAMMA, KERNEL
from mlcore.support_vector_machines.dual import DualProblem
from mlcore.support_vector_machines.machine import _SupportVectorModel

__all__ = ["SVC"]


class SVC(_SupportVectorModel, BinaryClassifier):
    """Two classes with a wide margin between them, in the feature space of a kernel (支持向量机).

    f(x) = Σ_i α_i y_i κ(x_i, x) + b,   class ``classes_[1]`` (y = +1) where f(x) > 0, else ``classes_[0]`` (y = -1)

    α maximises Σα_i - ½ Σ_ij α_i α_j y_i y_j κ(x_i, x_j) subject to 0 <= α_i <= C and Σ α_i y_i = 0: the dual of
    min ½‖w‖² + C Σ max(0, 1 - y_i f(x_i)) (Notes A (203), (209); B; C 2.5; E). Only the support vectors, α_i > 0,
    remain in the sum. For a kernel that is not positive semidefinite, such as "sigmoid", the dual may have several
    local maxima; SMO still raises W with each step and ends at a point that satisfies the KKT conditions, which need
    not be the best one.

    Training is SMO (``smo``), one pair of variables a step, and at the end one more step moves all free variables at
    once, so that α and b are the optimum to about ten digits, whatever ``tol`` is (unless there are so many free ones
    that this step would take longer than all the others). Where SMO would take long, other methods help
    (``solve_dual``). Memory: 8 n² bytes for the kernel matrix (72 MB for 3,000 points), less where its rank is low;
    beyond 5,000 points at most 200 MB of rows are kept.

    Attributes
    ----------
    support_ : int ndarray of shape (n_support,)
        Rows with α > 0.
    support_vectors_ : ndarray of shape (n_support, d)
        Those rows; of shape (0, 0) for a precomputed kernel.
    free_, bound_ : int ndarrays
        Rows with 0 < α < C, which lie on the margin; and with α = C, which lie on it or violate it. (C here is the
        smaller one of the warning where C times the kernel's values is beyond 4.5e11, and rounding would hide b.)
    dual_coef_ : ndarray of shape (n_support,)
        y_i α_i of the support vectors.
    intercept_ : float
        b: what the free support vectors agree on; the middle of the possible interval where there are none.
    coef_ : ndarray of shape (d,)
        w = Σ α_i y_i x_i; for the linear kernel alone.
    dual_objective_, primal_objective_, duality_gap_ : float
        W(α), ½‖w‖² + C Σ hinge, and their difference. The optimum lies between the two (if the kernel is valid).
    violation_ : float
        By how much the most violating pair of points disagrees about b: at most ``tol`` after a complete fit.
    last_step_ : PairStep or None
        The pair of the latest step, for the player; β_i = y_i α_i. None after a step that moved all free variables.
    n_iter_ : int
        Steps made.
    classes_ : ndarray of shape (2,)
    shape_fit_ : (int, int)
        The shape of the training X.
    """

    C: float = real(
        1.0, "The price of a margin violation: large fits the training data, small makes a wide margin.",
        low=0, low_open=True, high=1e150,
    )
    kernel: object = KERNEL
    degree: int = DEGREE
    gamma: object = GAMMA
    coef0: float = COEF0
    tol: float = real(
        1e-3,
        "SMO ends when no two points disagree about b by more than this, as in LIBSVM; the last step then makes them\n"
        "agree. ``fit`` warns where rounding alone may be larger.",
        low=0, low_open=True,
    )
    max_iter: int = whole(
        1_000_000,
        "The largest number of steps, below 100 (300 + 3n/5) in any case; ``fit`` warns where it was reached.", low=1,
    )

    def _set_up(self, p, X, y):
        X, codes = check_classification(self, X, y, n_classes=2)
        signs = 2.0 * codes - 1.0
        return X, DualProblem.from_signs(self._gram(X, copies=1), -1.0, signs, p.C)

    def _coefficients_and_gap(self, p, problem, b):
        """y_i α_i, and the gap from the margins y_i f(x_i), where f(x_i) = y_i - v_i + b."""
        beta, y = problem.beta, problem.q
        return beta, duality_gap(y * beta, 1.0 - y * (problem.gradient - b), p.C)

    def decision_function(self, X):
        """Return f(x) for each row, shape (n_samples,): +1 and -1 on the margins, 0 on the boundary."""
        return self._values(X)
