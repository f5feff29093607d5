"""The support vector classifier: a soft margin, any kernel, trained by SMO."""

import numpy as np

from mlcore.base import BinaryClassifier, check_classification, check_int, check_real, check_X, linear_scores
from mlcore.core.support_vector_machines import decision_values, duality_gap, kinds_of_points
from mlcore.engines.box_dual import Gram
from mlcore.kernels import centred, check_symmetric, kernel_function
from mlcore.support_vector_machines.dual import DualProblem, solve_dual, warn_if_unsolved

__all__ = ["SVC", "decision_values", "duality_gap", "kinds_of_points"]


# α, y of ±1 and m_i = y_i f(x_i), the margins, have shape (n,); beta = yα, support holds the rows where it is not 0.
class SVC(BinaryClassifier):
    """Two classes with a wide margin between them, in the feature space of a kernel (支持向量机).

    f(x) = Σ_i α_i y_i κ(x_i, x) + b,   class ``classes_[1]`` (y = +1) where f(x) > 0, else ``classes_[0]`` (y = -1)

    α maximises Σα_i - ½ Σ_ij α_i α_j y_i y_j κ(x_i, x_j) subject to 0 <= α_i <= C and Σ α_i y_i = 0: the dual of
    min ½‖w‖² + C Σ max(0, 1 - y_i f(x_i)) (Notes A (203), (209); B; C 2.5; E). Only the support vectors, α_i > 0,
    remain in the sum.

    Training is SMO (``smo``), one pair of variables a step, and at the end one more step moves all free variables at
    once, so that α and b are the optimum to about ten digits, whatever ``tol`` is (unless there are so many free ones
    that this step would take longer than all the others). Where SMO would take long, other methods help
    (``solve_dual``). Memory: 8 n² bytes for the kernel matrix and, at most, as much again for distances (144 MB for
    3,000 points), less where its rank is low; beyond 5,000 points at most 400 MB of rows are kept.

    Parameters
    ----------
    C : float in (0, 1e150]
        The price of a margin violation: large fits the training data, small makes a wide margin.
    kernel : str or callable
        "linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed" (X is then the matrix of κ between the rows to
        learn from or to predict and the training rows), or a function of (X, Z); see ``mlcore.kernels``. For a kernel
        that is not positive semidefinite, such as "sigmoid", the dual may have several local maxima; SMO still raises W
        with each step and ends at a point that satisfies the KKT conditions, which need not be the best one.
    degree : int >= 1
        Of "poly".
    gamma : float > 0, "scale" or "auto"
        γ of the kernels that have one; 1 / (d · Var X) for "scale", 1 / d for "auto".
    coef0 : float
        c of "poly" and "sigmoid".
    tol : float > 0
        SMO ends when no two points disagree about b by more than this, as in LIBSVM; the last step then makes them
        agree. ``fit`` warns where rounding alone may be larger.
    max_iter : int >= 1
        The largest number of steps, below 100 (300 + 3n/5) in any case; ``fit`` warns where it was reached.

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
        By how much the votes for b still disagree: at most ``tol`` after a complete fit.
    last_step_ : PairStep or None
        The pair of the latest step, for the player; β_i = y_i α_i. None after a step that moved all free variables.
    n_iter_ : int
        Steps made.
    classes_ : ndarray of shape (2,)
    shape_fit_ : (int, int)
        The shape of the training X.
    """

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, max_iter=1_000_000):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y):
        """Find the support vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            For a precomputed kernel, the symmetric matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of exactly two classes; for more see chapter 6.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; one class, or more than two.
        """
        X, problem = self._start(X, y)
        steps = sum(1 for _ in solve_dual(problem, self.tol, self.max_iter))
        self._read(X, problem, steps)
        warn_if_unsolved("SVC", problem, self.C, self.tol, steps)
        return self

    def iter_fit(self, X, y):
        """Yield the model itself, ready to predict, after each pair of variables, and after the last step of all."""
        X, problem = self._start(X, y)
        self._read(X, problem, 0)
        for steps, _ in enumerate(solve_dual(problem, self.tol, self.max_iter), start=1):
            self._read(X, problem, steps)
            yield self

    def _start(self, X, y):
        """Check everything and set up the dual with α = 0."""
        C = check_real("C", self.C, low=0, low_open=True, high=1e150)
        check_real("tol", self.tol, low=0, low_open=True)
        check_int("max_iter", self.max_iter, low=1)
        kernel_function(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=np.eye(1))
        X, codes = check_classification(self, X, y, n_classes=2)
        self._kernel = kernel_function(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, X=X)
        signs = 2.0 * codes - 1.0
        if callable(self.kernel):
            check_symmetric(self._kernel(X[:1000]))
        rows, self._center = centred(X) if self._linear() else (X, None)
        gram = Gram(self._kernel, rows, matrix=check_symmetric(self._kernel(X)) if self._precomputed() else None)
        return X, DualProblem.from_signs(gram, -np.ones(len(signs)), signs, C)

    def _read(self, X, problem, steps):
        """Write what the dual's point β means for the classifier into the attributes."""
        vars(self).pop("coef_", None)  # of an earlier fit with another kernel
        beta, y, b = problem.beta, problem.q, problem.intercept()
        alpha, C = y * beta, problem.upper.max()
        self.support_, self.free_, self.bound_ = kinds_of_points(alpha, C)
        self.dual_coef_, self.intercept_ = beta[self.support_], b
        self.support_vectors_ = np.empty((0, 0)) if self._precomputed() else X[self.support_]
        if self._linear():  # learnt with the origin in the middle of the data
            self.coef_ = self.dual_coef_ @ (self.support_vectors_ - self._center)
            self.intercept_ = b - float(self.coef_ @ self._center)
        margins = 1.0 - y * (problem.votes - b)  # because f(x_i) = y_i - v_i + b
        self.dual_objective_ = problem.objective
        self.duality_gap_ = float(duality_gap(alpha, margins, self.C))
        self.primal_objective_ = self.dual_objective_ + self.duality_gap_
        self.violation_, self.last_step_ = problem.violation, problem.last
        self.n_iter_, self.shape_fit_ = steps, X.shape

    def decision_function(self, X):
        """Return f(x) for each row, shape (n_samples,): +1 and -1 on the margins, 0 on the boundary."""
        if self._linear():
            return linear_scores(self, X)
        X = check_X(self, X)
        K = X[:, self.support_] if self._precomputed() else self._kernel(X, self.support_vectors_)
        return decision_values(K, self.dual_coef_, self.intercept_)

    def _linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags
