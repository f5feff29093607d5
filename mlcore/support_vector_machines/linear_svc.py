"""The linear support vector classifier from its primal: subgradient steps on the hinge loss."""

import numpy as np

from mlcore.base import (
    BinaryClassifier,
    ConvergenceWarning,
    check_classification,
    linear_scores,
    real,
    seed,
    warn_caller,
    whole,
)
from mlcore.core.support_vector_machines import best_intercept, hinge_objective, pegasos_step
from mlcore.kernels import centred
from mlcore.numerics import finite

__all__ = ["LinearSVC"]

_WINDOW = 10
"""So many passes over the data have to improve the objective by less than ``tol`` before training ends."""


class LinearSVC(BinaryClassifier):
    """A soft-margin hyperplane, learnt by subgradient steps on the hinge loss (线性支持向量机).

    f(x) = wᵀx + b,   class ``classes_[1]`` where f(x) > 0;   w, b minimise ½‖w‖² + C Σ max(0, 1 - y_i f(x_i))

    The steps are those of Pegasos (Shalev-Shwartz et al. 2007) on a few rows at a time; the steps' average, in which
    late ones count more, is the model, with the best b for its w. Time and memory grow with n · d, not with n², so
    this is for many rows and a moderate C. Notes B "线性支持向量机与正则化", C 3.1.

    Where it creeps: the pull of ½‖w‖² is λ = 1/(nC) against the pull of the points. With a large C, or classes that are
    (nearly) separated, so that few points pull, a pass changes w by next to nothing, and the objective may stay some
    per cent above its minimum although no pass lowers it any more; beside an outlier 10^4 times as far away as the
    rest, or with a few rows and a C of thousands, many times its minimum was seen. So training goes on where a w 1 % or
    ten times longer or shorter, or 0, would be better, and ``fit`` warns where that is still so after ``max_iter``
    passes. This finds most such cases, but proves nothing: ``SVC(kernel="linear")`` is quicker there, and exact.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        w.
    intercept_ : float
        b.
    objective_ : float
        ½‖w‖² + C Σ hinge.
    n_iter_ : int
        Passes made.
    classes_ : ndarray of shape (2,)
    """

    C: float = real(1.0, "The price of a margin violation.", low=0, low_open=True, high=1e150)
    batch_size: int = whole(10, "Rows a step.", low=1)
    max_iter: int = whole(
        1000, "The largest number of passes over the data; ``fit`` warns where it was reached.", low=1
    )
    tol: float = real(
        1e-4,
        "Training ends when ten passes have lowered the objective by less than this share, and a w of another length\n"
        "would not lower it by ten times this share; 0 uses up ``max_iter``.",
        low=0,
    )
    random_state: object = seed("Order of the rows.")

    def fit(self, X, y):
        history = []
        for _ in self.iter_fit(X, y):
            history.append(self.objective_)
            if _settled(history, self.tol) and not self._creeps():
                break
        else:
            warn_caller(
                f"LinearSVC made max_iter = {self.max_iter} passes and its objective still falls, or creeps (C = "
                f"{self.C:g}); make C smaller, scale the features, raise tol or max_iter, or use SVC(kernel='linear')",
                ConvergenceWarning,
            )
        del self._problem
        return self

    def iter_fit(self, X, y):
        """Yield the model itself, ready to predict, after each pass over the data, ``max_iter`` times; see ``fit``."""
        p = self.checked()
        X, codes = check_classification(self, X, y, n_classes=2)
        y, n = 2.0 * codes - 1.0, len(X)
        Z, self._center = centred(X)  # centring changes b alone, and lets w and b move freely
        rows, lam = np.column_stack([Z, np.ones(n)]), np.append(np.full(X.shape[1], 1.0 / n / p.C), 0.0)
        self._problem = rows, y, lam
        R2, t, theta, average = np.square(rows).sum() / n, 0, np.zeros(len(lam)), np.zeros(len(lam))
        for self.n_iter_ in range(1, p.max_iter + 1):
            order = p.random_state.permutation(n)
            for first in range(0, n, p.batch_size):
                batch = order[first : first + p.batch_size]
                theta = pegasos_step(theta, t, rows[batch], y[batch], lam, R2)
                t += 1
                average += 2.0 / (t + 1) * (theta - average)  # the mean of all iterates, number t with weight t
            finite(average, "the steps of LinearSVC overflow: scale the features and take a C nearer to 1")
            self._read(average[:-1].copy())
            yield self

    def _read(self, w):
        self.coef_ = w
        self.objective_, b = self._objective_at(1.0)
        self.intercept_ = b - float(w @ self._center)

    def _objective_at(self, length):
        """The objective, nC J, of w times ``length`` with the best b for it, and that b."""
        rows, y, lam = self._problem
        w = length * self.coef_
        b = best_intercept(rows[:, :-1] @ w, y)
        return float(len(y) * self.C * hinge_objective(np.append(w, b), rows, y, lam)), b

    def _creeps(self):
        """Whether a w of another length, up to 1 % or far away, would lower the objective by over ten times ``tol``."""
        other = min(self._objective_at(length)[0] for length in (0.99, 1.01, 0.0, 0.1, 10.0))
        return self.objective_ - other > 10 * self.tol * self.objective_

    def decision_function(self, X):
        """Return f(x) = wᵀx + b for each row, shape (n_samples,)."""
        return linear_scores(self, X)


def _settled(history, tol):
    """Whether the last passes lowered the objective by less than the share ``tol``."""
    return len(history) > _WINDOW and history[-1 - _WINDOW] - min(history[-_WINDOW:]) < tol * history[-1]
