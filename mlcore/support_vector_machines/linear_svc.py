"""The linear support vector classifier from its primal: subgradient steps on the hinge loss."""

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    check_classification,
    check_int,
    check_random_state,
    check_real,
    linear_scores,
    warn_caller,
)
from mlcore.kernels import centred
from mlcore.optimize import stochastic_gradient_descent

__all__ = ["HingeObjective", "LinearSVC", "best_intercept"]

_WINDOW = 10
"""So many passes over the data have to improve the objective by less than ``tol`` before training ends."""


class HingeObjective:
    """What a linear support vector machine minimises, and a subgradient of it, as functions of θ = (w, b).

    J(θ) = ½ λ ‖w‖² + mean of max(0, 1 - y_i (wᵀx_i + b)),   λ = 1 / (nC)

    This is ½‖w‖² + C Σξ_i divided by nC (Notes B, C 3.1). The hinge has a corner and no derivative there; any slope
    between those of its two sides is a subgradient (次梯度), and a step against a subgradient comes closer to the
    minimum, if it is short enough and we are not there already, though J may rise.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        +1 and -1.
    C : float > 0

    Raises
    ------
    ValueError
        If C or the features are so large or small that λ, or a squared length, leaves the range of float64.
    """

    def __init__(self, X, y, C):
        self.signed = y[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])  # rows y_i (x_i, 1)
        with np.errstate(over="ignore", divide="ignore"):
            self.strength = float(1.0 / np.multiply(len(X), C))
            if not (0 < self.strength < np.inf and np.isfinite(self.size)):
                raise ValueError(
                    f"C = {C:g} with {len(X)} rows makes λ = 1/(nC) = {self.strength:g}, and the mean of ‖(x, 1)‖² is "
                    f"{self.size:g}: both must be finite and not 0; scale the features and take a C nearer to 1"
                )
        self.penalised = np.append(np.ones(X.shape[1]), 0.0)  # b costs nothing

    def value(self, theta):
        """Return J(θ), a float."""
        hinge = np.maximum(0.0, 1.0 - self.signed @ theta)
        return float(0.5 * self.strength * self.penalised @ theta**2 + hinge.mean())

    def subgradient(self, theta, rows=slice(None)):
        """Return λ (w, 0) - the mean over the rows of y_i (x_i, 1) where the margin is violated; shape (d + 1,)."""
        signed = self.signed[rows]
        violated = signed @ theta < 1.0
        return self.strength * self.penalised * theta - violated @ signed / len(signed)

    def learning_rate(self, step):
        """1 / (λ t + R²): Pegasos' 1 / (λ t), but never so long that one point's margin jumps by more than about 1."""
        return 1.0 / (self.strength * step + self.size)

    @property
    def size(self):
        """R², the mean of ‖(x_i, 1)‖²."""
        return float(np.einsum("ij,ij->", self.signed, self.signed) / len(self.signed))


def best_intercept(score, y):
    """Return the b that minimises Σ max(0, 1 - y_i (s_i + b)) for given scores s_i = wᵀx_i.

    The sum is convex and made of straight pieces. Far on the left its slope is -P, where P points are of class +1; at
    each corner, b = y_i - s_i, it grows by 1. So it is zero from corner number P to the next one in order: b is the
    middle between the two.

    Parameters
    ----------
    score : ndarray of shape (n,)
    y : ndarray of shape (n,)
        +1 and -1, both present.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a class is missing: then the sum is least far out, for no b in particular.
    """
    corners, positive = np.sort(y - score), int(np.count_nonzero(y > 0))
    if not 0 < positive < len(corners):
        raise ValueError(f"both classes are needed to place b, but {positive} of {len(corners)} labels are +1")
    return float((corners[positive - 1] + corners[positive]) / 2)


class LinearSVC(Classifier):
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

    Parameters
    ----------
    C : float in (0, 1e150]
        The price of a margin violation. λ must not leave the range of float64 either, see ``HingeObjective``.
    batch_size : int >= 1
        Rows a step.
    max_iter : int >= 1
        The largest number of passes over the data; ``fit`` warns where it was reached.
    tol : float >= 0
        Training ends when ten passes have lowered the objective by less than this share, and a w of another length
        would not lower it by ten times this share; 0 uses up ``max_iter``.
    random_state : None, int or Generator
        Order of the rows.

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

    def __init__(self, *, C=1.0, batch_size=10, max_iter=1000, tol=1e-4, random_state=None):
        self.C = C
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y):
        """Learn w and b.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; one class, or more than two.
        """
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
        del self._score, self._signs
        return self

    def iter_fit(self, X, y):
        """Yield the model itself, ready to predict, after each pass over the data, ``max_iter`` times; see ``fit``."""
        C = check_real("C", self.C, low=0, low_open=True, high=1e150)
        batch_size = check_int("batch_size", self.batch_size, low=1)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        check_real("tol", self.tol, low=0)
        rng = check_random_state(self.random_state)
        X, codes = check_classification(self, X, y, n_classes=2)
        signs, (rows, center) = 2.0 * codes - 1.0, centred(X)
        objective = HingeObjective(rows, signs, C)  # centring changes b alone, and lets w and b move freely
        steps = stochastic_gradient_descent(
            objective.subgradient, np.zeros(X.shape[1] + 1), len(X), batch_size, objective.learning_rate,
            max_iter=max_iter, tol=0.0, random_state=rng,
        )
        return self._passes(steps, X, signs, center, -(-len(X) // batch_size))

    def _passes(self, steps, X, signs, center, per_pass):
        average = next(steps)
        for step, theta in enumerate(steps, start=1):
            average += 2.0 / (step + 1) * (theta - average)  # the mean of all iterates, number t with weight t
            if step % per_pass == 0:
                self._read(average[:-1].copy(), X, signs)
                self.n_iter_ = step // per_pass
                yield self

    def _read(self, w, X, signs):
        self._score, self._signs = X @ w, signs
        self.coef_ = w
        self.objective_, self.intercept_ = self._objective_at(1.0)

    def _objective_at(self, length):
        """The objective of w times ``length``, with the best b for it, and that b."""
        score = length * self._score
        b = best_intercept(score, self._signs)
        hinge = np.maximum(0.0, 1.0 - self._signs * (score + b))
        return float(0.5 * length**2 * self.coef_ @ self.coef_ + self.C * hinge.sum()), b

    def _creeps(self):
        """Whether a w of another length, up to 1 % or far away, would lower the objective by over ten times ``tol``."""
        other = min(self._objective_at(length)[0] for length in (0.99, 1.01, 0.0, 0.1, 10.0))
        return self.objective_ - other > 10 * self.tol * self.objective_

    def decision_function(self, X):
        """Return f(x) = wᵀx + b for each row, shape (n_samples,)."""
        return linear_scores(self, X)

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); ``classes_[0]`` on the boundary itself."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _settled(history, tol):
    """Whether the last passes lowered the objective by less than the share ``tol``."""
    return len(history) > _WINDOW and history[-1 - _WINDOW] - min(history[-_WINDOW:]) < tol * history[-1]
