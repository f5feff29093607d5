"""Logistic regression and the perceptron: a line between two classes, with a probability on either side.

Chapter 3. Sources: notes A 2 (gradient and Newton's method), notes B "逻辑回归" (posterior, MAP, cross-entropy),
notes D 3.3 (log-odds), notes C 3.8 (PLA and pocket).
"""

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    check_array,
    check_callable,
    check_choice,
    check_classification,
    check_consistent_length,
    check_flag,
    check_int,
    check_numbers,
    check_random_state,
    check_real,
    check_sample_weight,
    linear_scores,
    run,
    warn_caller,
)
from mlcore.losses import check_zeros_and_ones, cross_entropy, kl_divergence, log_loss, logistic_loss
from mlcore.numerics import expit, softplus, standardise
from mlcore.optimize import gradient_descent, newton, stochastic_gradient_descent

__all__ = [
    "LogisticObjective", "LogisticRegression", "Perceptron", "SeparationWarning", "cross_entropy", "kl_divergence",
    "log_loss", "logistic_loss", "newton_root", "sigmoid",
]


class SeparationWarning(ConvergenceWarning):
    """The classes can be separated, so the likelihood rises for ever and has no maximum."""


def sigmoid(z):
    """Return g(z) = 1 / (1 + e⁻ᶻ), the logistic function (对数几率函数), for any real z without overflow.

    g'(z) = g(z) g(-z) keeps its digits even where g rounds to 1. Notes A (42)-(43), D (3.17).

    Parameters
    ----------
    z : float or array of any shape

    Returns
    -------
    float or ndarray of the shape of z, in [0, 1]

    Raises
    ------
    ValueError
        If z is not numeric, or holds NaN (infinity may pass).
    """
    return expit(check_numbers(z, "z", allow_infinity=True))


# ---------------------------------------------------------------------------------------------------------------
# Newton's method in one dimension
# ---------------------------------------------------------------------------------------------------------------
def newton_root(f, df, x0, *, max_iter=100, tol=1e-12):
    """Walk to a root of f: follow the tangent at x to where it meets the axis, x ← x - f(x) / f'(x).

    Notes A (54). Near a simple root the number of right digits doubles with each step; far from it the walk may
    circle or run away, so look at what is yielded.

    Parameters
    ----------
    f, df : callables
        The function and its derivative, float -> float.
    x0 : float
        Start.
    max_iter : int
        Most steps to take.
    tol : float
        Stop after a step of at most tol · max(1, |x|).

    Yields
    ------
    float
        x0, then the point after each step.

    Raises
    ------
    ValueError
        If f or df is no function or returns no number, the derivative is 0 (the tangent never meets the axis), or a
        value is not finite.
    """
    check_callable("f", f)
    check_callable("df", df)
    check_int("max_iter", max_iter, low=0)
    check_real("tol", tol, low=0)
    x = check_real("x0", x0)
    yield x
    for _ in range(max_iter):
        value, slope = _single_number(f(x), f"f({x:g})"), _single_number(df(x), f"df({x:g})")
        if value == 0:
            return
        if slope == 0 or not np.isfinite([value, slope, value / slope]).all():
            raise ValueError(
                f"the tangent at x = {x:g} has height {value:g} and slope {slope:g} and meets the axis nowhere; "
                "start closer to the root"
            )
        x, previous = x - value / slope, x
        yield x
        if abs(x - previous) <= tol * max(1.0, abs(x)):
            return


def _single_number(value, name):
    value = check_numbers(value, name, allow_infinity=True)
    if value.size != 1:
        raise ValueError(f"{name} must be a single number, got an array of shape {value.shape}")
    return float(value.reshape(()))


# ---------------------------------------------------------------------------------------------------------------
# Logistic regression
# ---------------------------------------------------------------------------------------------------------------
class LogisticObjective:
    """What logistic regression minimises, with its gradient and Hessian, as functions of θ = (w, b).

    J(θ)  = Σ ω ln(1 + e⁻ˢᶻ) + ½ α ‖w‖²         z = Xw + b, s = 2y - 1 = ±1, ω the weight of a row
    ∇J(θ) = X̂ᵀ [ω (g(z) - y)] + α (w, 0)         X̂ = (X, 1), g the sigmoid
    ∇²J(θ) = X̂ᵀ R X̂ + α diag(1, ..., 1, 0)       R = diag(ω g(z) (1 - g(z)))

    J is minus the log-likelihood (notes A (49), D (3.27)) minus the logarithm of a Gaussian prior of variance 1/α on
    each weight (notes B "最大后验"). It is convex. The intercept b has no prior.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of 0 and 1, shape (n_samples,)
    alpha : float, or ndarray of shape (n_features,)
        Strength of the penalty, >= 0; an array gives each feature its own.
    sample_weight : ndarray of shape (n_samples,), optional
        ω, all ones by default.

    Raises
    ------
    ValueError
        If X is no table of finite numbers, the lengths differ, y holds anything but 0 and 1, or alpha is negative or of
        another shape; later, if θ is.
    """

    def __init__(self, X, y, alpha=0.0, sample_weight=None):
        X, y, alpha = check_array(X), check_zeros_and_ones(y), check_numbers(alpha, "alpha")
        if y.ndim != 1:
            raise ValueError(f"y must be 1-D, got shape {y.shape}")
        check_consistent_length(X, y)
        if alpha.shape not in ((), (X.shape[1],)) or (alpha < 0).any():
            raise ValueError(
                f"alpha must be a number >= 0, or one for each of the {X.shape[1]} features; got shape {alpha.shape} "
                f"and least value {alpha.min(initial=np.inf):g}"
            )
        self.X = np.column_stack([X, np.ones(len(X))])
        self.signs = 2.0 * y - 1.0
        self.weights = check_sample_weight(sample_weight, len(self.X))
        self.penalty = np.append(np.broadcast_to(alpha, X.shape[1]), 0.0)
        self._last = None, None, None

    def _at(self, theta):
        """The sum of the losses, and each row's probability g(-s z) of its wrong class; the last are remembered."""
        if self._last[0] is None or not np.array_equal(theta, self._last[0]):
            theta = check_numbers(theta, "theta")
            if theta.shape != self.penalty.shape:
                raise ValueError(f"theta must have shape {self.penalty.shape}, with b last; got {theta.shape}")
            margins = self.signs * (self.X @ theta)
            # as in sigmoid and logistic_loss, with one exponential for both
            e = np.exp(-np.abs(margins))
            losses = np.log1p(e) - np.minimum(margins, 0.0)
            wrong = np.where(margins >= 0, e, 1.0) / (1.0 + e)
            self._last = np.array(theta), float(self.weights @ losses), wrong
        return self._last[1:]

    def value(self, theta):
        """Return J(θ), a float."""
        total, _ = self._at(theta)
        return total + 0.5 * float(self.penalty @ np.square(theta))

    def gradient(self, theta):
        """Return ∇J(θ), shape (n_features + 1,)."""
        _, wrong = self._at(theta)
        residual = -self.signs * wrong  # g(z) - y, but no digits cancel
        return (self.weights * residual) @ self.X + self.penalty * theta

    def gradient_of_rows(self, theta, rows):
        """Return an estimate of ∇J(θ) from a few rows, shape (n_features + 1,); unbiased if they are drawn evenly."""
        X, signs = self.X[rows], self.signs[rows]
        residual = -signs * expit(-signs * (X @ theta))
        return len(self.X) / len(X) * (self.weights[rows] * residual) @ X + self.penalty * theta

    def hessian(self, theta):
        """Return ∇²J(θ), shape (n_features + 1, n_features + 1), positive semi-definite."""
        _, wrong = self._at(theta)
        root = np.sqrt(self.weights * wrong * (1.0 - wrong))[:, np.newaxis]
        H = np.diag(self.penalty)
        for block in range(0, len(root), 1024):  # blocks that fit into the cache
            half = root[block : block + 1024] * self.X[block : block + 1024]
            H += half.T @ half
        return H

    def curvature_bound(self):
        """Return L, above every eigenvalue of every ∇²J because R <= ω/4: gradient steps of 1/L never overshoot."""
        root = self.X * np.sqrt(self.weights / 4.0)[:, np.newaxis]
        return float(np.linalg.eigvalsh(root.T @ root + np.diag(self.penalty))[-1])

    def row_curvature_bound(self):
        """Return the same bound for the estimates of J from single rows."""
        return float(len(self.X) / 4.0 * (self.weights * np.sum(self.X**2, axis=1)).max() + self.penalty.max())

    def falls_forever(self, direction):
        """Say whether J has no penalty and falls for ever along a direction, which then separates the classes.

        No row's margin s·x̂·direction may be negative, and some must be positive: all in complete separation, some
        in quasi-complete separation (the others stay on the boundary). Either way J has no minimum.
        """
        margins = self.signs * (self.X @ direction)
        return bool(not self.penalty.any() and margins.max() > 0 and margins.min() >= -1e-7 * margins.max())


_MAX_ITER = {"newton": 100, "gd": 10_000, "sgd": 1000}
_TOL = {"newton": 1e-8, "gd": 1e-6, "sgd": 1e-3}


class LogisticRegression(Classifier):
    """Two classes, and a probability that is the sigmoid of a linear score (对数几率回归).

    P(y = 1 | x) = g(w·x + b) = 1 / (1 + e^-(w·x + b))

    w and b minimise Σ ln(1 + e^-s(w·x + b)) + ½ α ‖w‖² with s = ±1 for y = 1, 0: minus the log-likelihood, and minus
    the logarithm of a Gaussian prior on w. Notes A 2, B "逻辑回归", D 3.3.

    Parameters
    ----------
    solver : "newton", "gd" or "sgd"
        Newton's method with step halving (the same as iteratively reweighted least squares), gradient descent, or
        stochastic gradient descent, one row a step.
    alpha : float
        Strength of the penalty, >= 0: scikit-learn's 1/C. The intercept is not penalised. With alpha=0 and classes
        that can be separated there is no solution, because the likelihood rises for ever as w grows. Newton's
        method then stops when a further step gains nothing in eight digits, ``status_`` is "separable" and ``fit``
        warns (``SeparationWarning``); the weights are finite and mean little, the probabilities are near 0 or 1.
    learning_rate : float, callable or None
        Step on the mean loss, see ``mlcore.optimize`` (Newton needs none). None takes 1/L for gd, where L bounds the
        curvature of the loss, so that no step overshoots; for sgd, 1/L of the steepest row, divided by the number of
        the pass.
    max_iter : int or None
        The largest number of steps (None: 100 for newton, 10000 for gd) or of passes over the data (1000 for sgd).
    tol : float or None
        newton stops when no entry of the gradient of the mean loss exceeds it, the features being standardised (None:
        1e-8); gd when the gradient has shrunk to this share of what it was at the start (1e-6); sgd after a pass that
        moved θ by no more than this share of its length (1e-3).
    random_state : None, int or Generator
        Order of the rows in sgd.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    classes_ : ndarray of shape (2,)
        The labels; ``classes_[1]`` is the class y = 1 of the formula.
    n_iter_ : int
        Steps (newton, gd) or passes (sgd) made.
    status_ : str
        "converged", "separable" or "stopped"; "running" inside ``iter_fit``. gd and sgd have "stopped" also where
        ``tol`` was met but a Newton step would still move a weight by over 1 % of the largest (the features being
        standardised), or of itself and a tenth of its standard error. Features in very different units are the
        usual reason.
    """

    def __init__(
        self, *, solver="newton", alpha=1.0, learning_rate=None, max_iter=None, tol=None, random_state=None
    ):
        self.solver = solver
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn w and b.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of exactly two classes.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 counts as two rows, one of weight 0 as none.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; if there is only one class, or more than two.
        DivergenceError
            If the learning rate is so large that the numbers overflow.

        Warns
        -----
        SeparationWarning
            If the classes can be separated and alpha is 0: there is no solution.
        ConvergenceWarning
            If the walk ended before it reached the minimum, see ``status_``.
        """
        run(self.iter_fit(X, y, sample_weight))
        if self.status_ == "separable":
            warn_caller(
                "the classes can be separated: with alpha=0 the likelihood rises for ever and has no maximum. Stopped "
                f"at ‖w‖ = {np.linalg.norm(self.coef_):.3g}, n_iter_ = {self.n_iter_}; set alpha > 0",
                SeparationWarning,
            )
        elif self.status_ == "stopped":
            warn_caller(
                f"solver={self.solver!r} stopped at n_iter_ = {self.n_iter_} before it reached the minimum: "
                "standardise the features, raise max_iter and lower tol, change the learning_rate (smaller, or falling "
                "for sgd), or use solver='newton'",
                ConvergenceWarning,
            )
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Yield the model itself, ready to predict, after each step; see ``fit``."""
        X, y, weights = self._check(X, y, sample_weight)
        # the units of the features do not change Newton's steps, only how they round: standardise
        standardised = standardise(X, weights / weights.sum())
        X, center, scale = standardised if self.solver == "newton" else (X, 0.0, 1.0)
        objective = self._objective(X, y, scale, weights)
        theta = move = np.zeros(X.shape[1] + 1)
        for step, new in enumerate(self._steps(objective, theta)):
            theta, move = new, new - theta
            self._remember(theta, center, scale, -(-step // len(X)) if self.solver == "sgd" else step)
            if step > 0:
                yield self
        self.status_ = self._ending(objective, theta, move)
        if self.status_ == "converged" and self.solver != "newton":
            Z, center, scale = standardised
            there = np.append(self.coef_ * scale, self.intercept_ + self.coef_ @ center)
            arrived = _arrived(self._objective(Z, y, scale, weights), there, weights.sum())
            self.status_ = "converged" if arrived else "stopped"
        if step == 0:  # the start is the minimum: there was no step to take
            yield self

    def _objective(self, X, y, scale, weights):
        """The mean loss and its share of the penalty, for features that were divided by ``scale``."""
        total = weights.sum()
        return LogisticObjective(X, y, np.broadcast_to(self.alpha / total / scale**2, X.shape[1]), weights / total)

    def _check(self, X, y, sample_weight):
        """Check parameters and data; leave out the rows of weight 0."""
        check_choice("solver", self.solver, ("newton", "gd", "sgd"))
        check_real("alpha", self.alpha, low=0)
        if self.solver != "sgd":
            check_random_state(self.random_state)  # where it is used, the walk checks it
        if self.learning_rate is not None and not callable(self.learning_rate):
            check_real("learning_rate", self.learning_rate, low=0, low_open=True)
        X, y = _check_two_classes(self, X, y)
        weights = check_sample_weight(sample_weight, len(X))
        counted = weights > 0
        if counted.all():
            return X, y, weights
        if len(np.unique(y[counted])) < 2:
            raise ValueError("sample_weight is zero for every row of one class; two classes are needed")
        return X[counted], y[counted], weights[counted]

    def _limits(self):
        """The largest number of steps or passes, and the tolerance."""
        max_iter = _MAX_ITER[self.solver] if self.max_iter is None else self.max_iter
        tol = _TOL[self.solver] if self.tol is None else self.tol
        return check_int("max_iter", max_iter, low=1), check_real("tol", tol, low=0)

    def _steps(self, objective, start):
        """The walk of the solver down the objective: a generator of θ that first yields the start."""
        rate, (max_iter, tol) = self.learning_rate, self._limits()
        if self.solver == "newton":
            return _newton_steps(objective, start, max_iter, tol)
        if self.solver == "gd":
            tol = tol * np.abs(objective.gradient(start)).max()
            return gradient_descent(objective.gradient, start, rate or 1 / objective.curvature_bound(), max_iter, tol)
        n_rows, steepest = len(objective.X), objective.row_curvature_bound()
        return stochastic_gradient_descent(
            objective.gradient_of_rows, start, n_rows, 1, rate or (lambda step: 1 / steepest / (1 + step // n_rows)),
            max_iter, tol, self.random_state,
        )

    def _remember(self, theta, center, scale, n_iter):
        """Write θ into ``coef_`` and ``intercept_``, in the units of the features as they were given."""
        self.coef_ = theta[:-1] / scale
        self.intercept_ = float(theta[-1] - np.sum(self.coef_ * center))
        self.n_iter_ = n_iter
        self.status_ = "running"

    def _ending(self, objective, theta, move):
        """Say how the walk ended; ``theta`` is its last point and ``move`` its last step."""
        if objective.falls_forever(theta) or self.solver == "newton" and _runs_away(objective, move):
            return "separable"
        return "stopped" if self.n_iter_ == self._limits()[0] else "converged"

    def decision_function(self, X):
        """Return the score w·x + b of each row, the log-odds ln P(1)/P(0), shape (n_samples,)."""
        return linear_scores(self, X)

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, shape (n_samples, 2); each row sums to 1."""
        score = self.decision_function(X)
        return np.column_stack([sigmoid(-score), sigmoid(score)])

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, shape (n_samples, 2), finite where they round to 0."""
        score = self.decision_function(X)
        return -np.column_stack([softplus(score), softplus(-score)])

    def predict(self, X):
        """Return the more probable class of each row, shape (n_samples,); ``classes_[0]`` where both have ½."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        return _binary_only(super().__sklearn_tags__())


def _check_two_classes(estimator, X, y):
    """Check X and y; name the chapters that go further where there are more than two classes."""
    try:
        X, codes = check_classification(estimator, X, y, n_classes=2)
    except ValueError as error:
        if "multiclass" not in str(error):
            raise
        raise ValueError(
            f"{error}. Use SoftmaxRegression (chapter 4) or OneVsRestClassifier (chapter 6)"
        ) from None
    return X, codes


def _newton_steps(objective, start, max_iter, tol):
    """Newton's walk, until the gradient is within ``tol`` and the steps are short, or it runs away to infinity."""

    def hessian(theta):
        return _damped_hessian(objective, theta)

    theta = start
    for new in newton(objective.gradient, hessian, start, max_iter, 0.0, objective.value):
        theta, move = new, new - theta
        yield theta
        if np.abs(objective.gradient(theta)).max() <= tol:
            # a flat place is no minimum while the scores still move: near separation the bottom lies far out
            settled = _reach(objective, move) <= 1e-4 * max(1.0, _reach(objective, theta))
            if settled or objective.falls_forever(theta) or _runs_away(objective, move):
                return


def _damped_hessian(objective, theta):
    """The Hessian with a grain on its diagonal, invertible with repeated features and where every p is 0 or 1 too.

    The grain's size is that of the coordinate itself, or a heavy penalty on one weight would hold the others fast.
    """
    H = objective.hessian(theta)
    return H + 1e-10 * np.diag(H.diagonal() + H[-1, -1])


def _arrived(objective, theta, n_samples):
    """Whether the Newton step from θ is short; the features are standardised.

    Short is: for each weight within 1 % of the largest, and also within 1 % of itself or a tenth of its standard error
    1/√(n H_jj) (H belongs to the mean loss; the standard error as if the other weights were known).
    """
    H = _damped_hessian(objective, theta)
    if H[-1, -1] < 1e-100:
        return False  # every probability has rounded to 0 or 1: far out, where the loss is straight
    move = np.linalg.solve(H, objective.gradient(theta))
    sizes = np.abs(theta - move)
    error = 1.0 / np.sqrt(n_samples * np.maximum(H.diagonal(), 1e-300))
    allowed = np.minimum(0.01 * max(0.01, sizes.max()), 0.01 * sizes + 0.1 * error)
    return bool((np.abs(move) <= allowed).all())


def _reach(objective, move):
    """The largest score in absolute value; of a step, the largest change of a score."""
    return np.abs(objective.X @ move).max()


def _runs_away(objective, move):
    """Whether a Newton step is long and lowers the loss for ever; a walk that converges ends in short steps."""
    return _reach(objective, move) > 0.1 and objective.falls_forever(move)


def _binary_only(tags):
    """Tell scikit-learn that there may be two classes and no more."""
    tags.classifier_tags.multi_class = False
    return tags


# ---------------------------------------------------------------------------------------------------------------
# The perceptron
# ---------------------------------------------------------------------------------------------------------------
class Perceptron(Classifier):
    """A line between two classes, found by correcting one mistake at a time (感知机, PLA).

    Predict class 1 where w·x + b > 0. Row i is a mistake while s(w·x + b) <= 0, with s = ±1 for y = 1, 0; then
    w ← w + s x, b ← b + s, which raises its margin by ‖x‖² + 1.

    If a line separates the classes, at most (R/γ)² corrections are made, where R is the length of the longest row
    (x, 1) and γ its margin for the best separating θ of length 1. If none does, the corrections never end; the
    pocket (口袋算法) then keeps the best line seen. Notes C 3.8; Novikoff (1962), Gallant (1990).

    Parameters
    ----------
    pocket : bool
        Keep, of the lines after each correction, the first with the fewest wrong rows.
    max_iter : int
        The largest number of passes over the data, each in a new random order.
    random_state : None, int or Generator
        For the order of the rows.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    classes_ : ndarray of shape (2,)
        The labels; ``classes_[1]`` lies on the positive side.
    n_iter_ : int
        Passes made.
    n_updates_ : int
        Corrections made.
    n_errors_ : int
        Rows of the training data that the kept line gets wrong (only with ``pocket``).
    status_ : str
        "converged" (a whole pass without a mistake) or "stopped" (by max_iter); "running" inside ``iter_fit``.
    """

    def __init__(self, *, pocket=False, max_iter=100, random_state=None):
        self.pocket = pocket
        self.max_iter = max_iter
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
            For bad parameters or data; if there is only one class, or more than two.
        """
        run(self.iter_fit(X, y))
        if self.status_ == "stopped" and not self.pocket:
            warn_caller(
                f"the perceptron still made mistakes in pass {self.n_iter_}: if no line separates the classes it never "
                "ends; use pocket=True to keep the best line seen, or raise max_iter",
                ConvergenceWarning,
            )
        return self

    def iter_fit(self, X, y):
        """Learn step by step: yields the model itself, ready to predict, after each correction. See ``fit``."""
        check_flag("pocket", self.pocket)
        check_int("max_iter", self.max_iter, low=1)
        rng = check_random_state(self.random_state)
        X, y = _check_two_classes(self, X, y)
        # with the label as sign of the row (x, 1), a mistake is row·θ <= 0 and a correction adds the row to θ
        rows = (2.0 * y - 1.0)[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])
        theta, self.n_updates_, self.status_ = np.zeros(rows.shape[1]), 0, "running"
        for n_pass in range(1, self.max_iter + 1):
            self.n_iter_, before = n_pass, self.n_updates_
            for corrected in _corrections(rows[rng.permutation(len(rows))], theta):
                theta = corrected
                self.n_updates_ += 1
                self._keep(theta, rows, y)
                yield self
            if self.n_updates_ == before:
                self.status_ = "converged"
                return
        self.status_ = "stopped"

    def _keep(self, theta, rows, y):
        """Take over a corrected line: always, or with ``pocket`` only if it gets fewer rows wrong."""
        if self.pocket:
            margins = rows @ theta
            errors = int(np.sum((margins < 0) | ((margins == 0) & (y == 1))))
            if self.n_updates_ > 1 and errors >= self.n_errors_:
                return
            self.n_errors_ = errors
        self.coef_, self.intercept_ = theta[:-1].copy(), float(theta[-1])

    def decision_function(self, X):
        """Return w·x + b of each row, shape (n_samples,): its sign is the side, its size no probability."""
        return linear_scores(self, X)

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); ``classes_[0]`` on the line itself."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        return _binary_only(super().__sklearn_tags__())


def _corrections(rows, theta):
    """One pass over the rows, in order: yields θ after each correction θ ← θ + row of a row with row·θ <= 0."""
    i = _next_mistake(rows, theta, 0)
    while i is not None:
        theta = theta + rows[i]
        yield theta
        i = _next_mistake(rows, theta, i + 1)


def _next_mistake(rows, theta, start):
    """The first row from ``start`` on with row·θ <= 0, or None. Blocks that grow let it stop soon after it."""
    size = 32
    while start < len(rows):
        wrong = np.flatnonzero(rows[start : start + size] @ theta <= 0)
        if len(wrong):
            return start + int(wrong[0])
        start, size = start + size, 2 * size
    return None
