"""What the machines for classes (``SVC``) and for numbers (chapter 18's ``SVR``) share: the dual in a box."""

import numpy as np

from mlcore.base import check_X, linear_scores
from mlcore.core.support_vector_machines import decision_values, kinds_of_points
from mlcore.engines.box_dual import Gram
from mlcore.kernels import KernelModel, centred
from mlcore.support_vector_machines.dual import solve_dual, warn_if_unsolved

__all__ = ["_SupportVectorModel"]


class _SupportVectorModel(KernelModel):
    """f(x) = Σ_i β_i κ(x_i, x) + b, where β solves a dual in a box, and is 0 for all but the support vectors.

    A subclass has ``_set_up(p, X, y)``, which checks the data and returns X and the ``DualProblem`` at β = 0, and
    ``_coefficients_and_gap(p, problem, b)``.
    """

    def fit(self, X, y):
        """Find the support vectors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            For a precomputed kernel, the symmetric matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Labels of two classes, or the numbers to predict.
        """
        p = self.checked()
        X, problem = self._set_up(p, X, y)
        steps = sum(1 for _ in solve_dual(problem, p.tol, p.max_iter))
        self._read(p, X, problem, steps)
        warn_if_unsolved(type(self).__name__, problem, p.C, p.tol, steps)
        return self

    def iter_fit(self, X, y):
        """Yield the model, ready to predict, after each pair of variables, and after the last step of all.

        Parameters
        ----------
        X, y
            As for ``fit``.
        """
        p = self.checked()
        X, problem = self._set_up(p, X, y)
        self._read(p, X, problem, 0)
        for steps, _ in enumerate(solve_dual(problem, p.tol, p.max_iter), start=1):
            self._read(p, X, problem, steps)
            yield self

    def _gram(self, X, copies):
        """K, as far as it is needed; for the linear kernel with the origin in the middle of the data."""
        self._learn_kernel(X)
        if callable(self.kernel):
            self._training_matrix(X[:1000])
        rows, self._center = centred(X) if self._is("linear") else (X, None)
        return Gram(self._kernel, rows, self._training_matrix(X) if self._is("precomputed") else None, copies)

    def _read(self, p, X, problem, steps):
        """Write what the dual's point means into the attributes."""
        vars(self).pop("coef_", None)  # of an earlier fit with another kernel
        b = problem.intercept()
        beta, gap = self._coefficients_and_gap(p, problem, b)
        self.support_, self.free_, self.bound_ = kinds_of_points(np.abs(beta), problem.upper.max())
        self.dual_coef_, self.intercept_ = beta[self.support_], b
        self.support_vectors_ = np.empty((0, 0)) if self._is("precomputed") else X[self.support_]
        if self._is("linear"):
            self.coef_ = self.dual_coef_ @ (self.support_vectors_ - self._center)
            self.intercept_ = b - float(self.coef_ @ self._center)
        self.dual_objective_, self.duality_gap_ = problem.objective, float(gap)
        self.primal_objective_ = self.dual_objective_ + self.duality_gap_
        self.violation_, self.last_step_ = problem.violation, problem.last
        self.n_iter_, self.shape_fit_ = steps, X.shape

    def _values(self, X):
        """f(x) for each row of X, shape (n_samples,)."""
        if self._is("linear"):
            return linear_scores(self, X)
        X = check_X(self, X)
        if len(self.support_) == 0:
            return np.full(len(X), self.intercept_)
        K = X[:, self.support_] if self._is("precomputed") else self._kernel(X, self.support_vectors_)
        return decision_values(K, self.dual_coef_, self.intercept_)
