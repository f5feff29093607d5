"""Logistic regression and the perceptron: a line between two classes, with a probability on either side.

Chapter 3. Sources: notes A 2 (gradient and Newton's method), notes B "逻辑回归" (posterior, MAP, cross-entropy),
notes D 3.3 (log-odds), notes C 3.8 (PLA and pocket).
"""

import numpy as np

from mlcore.base import (
    REQUIRED,
    BinaryClassifier,
    ConvergenceWarning,
    check_numbers,
    check_sample_weight,
    check_two_classes,
    choice,
    door,
    flag,
    linear_scores,
    numbers,
    real,
    run,
    seed,
    warn_caller,
    whole,
)
from mlcore.core.logistic_regression import gradient, hessian, newton_step, perceptron_update, row_losses, tangent_step
from mlcore.losses import cross_entropy, kl_divergence, log_loss, zeros_and_ones
from mlcore.numerics import expit, linear_problem, newton_fit, softplus, solve
from mlcore.numerics.special import ignore_underflow
from mlcore.optimize import excess_distance, function, learning_rate, row_descent, warn_not_arrived

__all__ = [
    "LogisticRegression", "Perceptron", "SeparationWarning", "cross_entropy", "kl_divergence", "log_loss",
    "logistic_loss", "newton_root", "sigmoid",
]


class SeparationWarning(ConvergenceWarning):
    """The classes can be separated, so the likelihood rises for ever and has no maximum."""


@door(z=numbers("Infinity may pass.", infinite=True))
def sigmoid(z):
    """Return g(z) = 1 / (1 + e⁻ᶻ), the logistic function (对数几率函数), for any real z without overflow.

    g'(z) = g(z) g(-z) keeps its digits even where g rounds to 1. Notes A (42)-(43), D (3.17).

    Returns
    -------
    float or ndarray of the shape of z, in [0, 1]
    """
    return expit(z)


@door(y=zeros_and_ones("The classes."), z=numbers("The scores, of the shape of y.", infinite=True))
def logistic_loss(y, z):
    """Return ln(1 + e⁻ˢᶻ) with s = 2y - 1: what each row loses when its class y gets the score z (the log-odds).

    It equals -[y ln g(z) + (1 - y) ln(1 - g(z))], but never takes the logarithm of a probability that was rounded
    to 0: for |z| = 10000 it is right to the last digit. Notes A (49), D (3.27).

    Returns
    -------
    ndarray of the shape of y, >= 0
    """
    if y.shape != z.shape:
        raise ValueError(f"y and z must have one shape, a score for each label; got {y.shape} and {z.shape}")
    return ignore_underflow(row_losses)(z, y)


@door(
    f=function("The function, float -> float."), df=function("Its derivative."), x0=real(REQUIRED, "Where to start."),
    max_iter=whole(100, "Most steps to take.", low=0),
    tol=real(1e-12, "Stop after a step of at most tol · max(1, |x|).", low=0),
)
def newton_root(f, df, x0, *, max_iter=100, tol=1e-12):
    """Walk to a root of f: follow the tangent at x to where it meets the axis, x ← x - f(x) / f'(x).

    Notes A (54). Near a simple root the number of right digits doubles with each step; far from it the walk may
    circle or run away, so look at what is yielded.

    Yields
    ------
    float
        x0, then the point after each step.

    Raises
    ------
    ValueError
        If f or df returns no number, the derivative is 0 (the tangent never meets the axis), or a value is not finite.
    """
    x = x0
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
        x, previous = tangent_step(x, value, slope), x
        yield x
        if abs(x - previous) <= tol * max(1.0, abs(x)):
            return


def _single_number(value, name):
    value = check_numbers(value, name, allow_infinity=True)
    if value.size != 1:
        raise ValueError(f"{name} must be a single number, got an array of shape {value.shape}")
    return float(value.reshape(()))


MAX_ITER = {"newton": 100, "gd": 10_000, "sgd": 1000}
TOL = {"newton": 1e-6, "gd": 1e-6, "sgd": 1e-3}


class LogisticRegression(BinaryClassifier):
    """Two classes, and a probability that is the sigmoid of a linear score (对数几率回归).

    P(y = 1 | x) = g(w·x + b) = 1 / (1 + e^-(w·x + b))

    w and b minimise Σ ln(1 + e^-s(w·x + b)) + ½ α ‖w‖² with s = ±1 for y = 1, 0: minus the log-likelihood, and minus
    the logarithm of a Gaussian prior on w. Notes A 2, B "逻辑回归", D 3.3.

    - ``"newton"``: Newton's method with step halving, the same as iteratively reweighted least squares.
    - ``"gd"``: gradient descent. ``"sgd"``: stochastic gradient descent, one row a step.

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

    solver: str = choice("newton", ("newton", "gd", "sgd"), "How the minimum is found.")
    alpha: float = real(
        1.0,
        "Strength of the penalty: scikit-learn's 1/C. The intercept is not penalised. With alpha=0 and classes that\n"
        "can be separated there is no solution: the likelihood rises for ever as w grows. Newton's method then stops\n"
        "when a long step gains next to nothing, ``status_`` is 'separable' and ``fit`` warns; the weights are finite\n"
        "and mean little, the probabilities are near 0 or 1.",
        low=0,
    )
    learning_rate: object = learning_rate(
        None,
        "Step on the mean loss, or a function of the step number (Newton needs none). None takes 1/L for gd, where L\n"
        "bounds the curvature of the loss, so that no step overshoots; for sgd, 1/L of the steepest row, divided by\n"
        "the number of the pass.",
    )
    max_iter: int = whole(
        None,
        "The largest number of steps (None: 100 for newton, 10000 for gd) or of passes over the data (1000 for sgd).",
        low=1,
    )
    tol: float = real(
        None,
        "newton stops when a step is short and promises to lower the objective by no more than tol² of its first\n"
        "value (None: 1e-6); gd when the gradient has shrunk to this share of what it was at the start (1e-6); sgd\n"
        "after a pass that moved θ by no more than this share of its length (1e-3).",
        low=0,
    )
    random_state: object = seed("Order of the rows in sgd.")

    def fit(self, X, y, sample_weight=None):
        """Learn w and b from two classes; return self.

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
            what = f"solver={self.solver!r} stopped at n_iter_ = {self.n_iter_} before it reached the minimum"
            warn_not_arrived(what, "newton")
        return self

    def iter_fit(self, X, y, sample_weight=None):
        p = self.checked()
        max_iter, tol = p.max_iter or MAX_ITER[p.solver], TOL[p.solver] if p.tol is None else p.tol
        X, y, weights = self._check(X, y, sample_weight)
        problem = linear_problem(X, weights, p.alpha)
        if p.solver == "newton":  # the units do not change Newton's steps, only how they round
            yield from self._newton(problem, y, max_iter, tol)
        else:
            yield from self._walk(p, X, y, problem.weights, p.alpha / problem.total, max_iter, tol)
            there = problem.into(self.coef_, self.intercept_)
            if p.alpha == 0 and _separates(there, problem.X, y):
                self.status_ = "separable"
            else:
                arrived = self.n_iter_ < max_iter and _arrived(there, problem, y)
                self.status_ = "converged" if arrived else "stopped"
        if self.n_iter_ == 0:  # the start is the minimum: there was no step to take
            yield self

    def _check(self, X, y, sample_weight):
        """Check the data, and leave out the rows of weight 0."""
        X, y = check_two_classes(self, X, y)
        weights = check_sample_weight(sample_weight, len(X))
        counted = weights > 0
        if len(np.unique(y[counted])) < 2:
            raise ValueError("sample_weight is zero for every row of one class; two classes are needed")
        return (X, y, weights) if counted.all() else (X[counted], y[counted], weights[counted])

    def _newton(self, problem, y, max_iter, tol):
        """Newton's walk on standardised features."""
        self.n_iter_ = 0
        for theta, _, status in _newton_fit(problem.X, y, problem.weights, problem.penalties, max_iter, tol):
            self._remember(*problem.back(theta))
            without_maximum = "stopped" if self.alpha else "separable"  # with a penalty, too faint for J to show it
            self.status_ = without_maximum if status == "no maximum" else status
            if status == "running":
                self.n_iter_ += 1
                yield self

    def _walk(self, p, X, y, weights, alpha, max_iter, tol):
        """Gradient descent, batch or stochastic, on the features as they were given."""
        (n_rows, n_features), stochastic = X.shape, p.solver == "sgd"
        X, alpha = np.column_stack([X, np.ones(n_rows)]), np.append(np.full(n_features, alpha), 0.0)
        times = n_rows if stochastic else 1  # one row stands for all
        if stochastic:
            steepest = n_rows / 4 * np.max(weights * np.sum(X**2, axis=1)) + alpha.max()
        else:  # g (1 - g) is largest at g = ½: no curvature exceeds that of the Hessian there
            steepest = np.linalg.eigvalsh(hessian(0.5, X, weights, alpha))[-1]

        def slope(theta, rows):
            return gradient(theta, expit(X[rows] @ theta), X[rows], y[rows], times * weights[rows], alpha)

        def rate(step):
            return 1 / steepest / (1 + step // n_rows if stochastic else 1)

        walk = row_descent(
            slope, np.zeros(X.shape[1]), n_rows, 1 if stochastic else None, p.learning_rate or rate, max_iter, tol,
            p.random_state,
        )
        for step, (self.n_iter_, theta) in enumerate(walk):
            self._remember(theta[:-1], theta[-1])
            self.status_ = "running"
            if step > 0:
                yield self

    def _remember(self, w, b):
        self.coef_, self.intercept_ = w, float(b)

    def decision_function(self, X):
        """Return the score w·x + b of each row, the log-odds ln P(1)/P(0), shape (n_samples,)."""
        return linear_scores(self, X)

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, shape (n_samples, 2); each row sums to 1."""
        score = self.decision_function(X)
        return np.column_stack([expit(-score), expit(score)])

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, shape (n_samples, 2), finite where they round to 0."""
        score = self.decision_function(X)
        return -np.column_stack([softplus(score), softplus(-score)])


def _newton_fit(X, y, weights, alpha, max_iter, tol):
    """Newton's walk from θ = 0: yields (θ, J(θ), status)."""

    def look(theta):
        z = X @ theta
        return weights @ row_losses(z, y) + 0.5 * alpha @ theta**2, expit(z)

    def step(theta, g):
        slope = gradient(theta, g, X, y, weights, alpha)
        return newton_step(slope, g, X, weights, alpha), slope

    def reach(move):
        return np.abs(X @ move).max()

    return newton_fit(np.zeros(X.shape[1]), look, step, reach, max_iter, tol, penalised=alpha.any())


def _separates(theta, X, y):
    """Whether no row lies on the wrong side of θ and some lie on the right one: then J falls for ever along θ."""
    margins = (2 * y - 1) * (X @ theta)
    return margins.max() > 0 and margins.min() >= -1e-7 * margins.max()


def _arrived(theta, problem, y):
    """Whether the Newton step from θ is short.

    The standard error of a weight is 1/√(n H_jj), as if the others were known (H belongs to the mean loss).
    """
    X, weights, n_samples, alpha = problem[:4]
    g = expit(X @ theta)
    H = hessian(g, X, weights, alpha)
    if H[-1, -1] == 0:
        return False  # every probability has rounded to 0 or 1: far out, where the loss is straight
    move = solve(H, gradient(theta, g, X, y, weights, alpha))
    errors = 1 / np.sqrt(n_samples * np.maximum(H.diagonal(), 1e-300))
    return bool((excess_distance(theta - move, move, errors, least=0.01) <= 0).all())


class Perceptron(BinaryClassifier):
    """A line between two classes, found by correcting one mistake at a time (感知机, PLA).

    Predict class 1 where w·x + b > 0. Row i is a mistake while s(w·x + b) <= 0, with s = ±1 for y = 1, 0; then
    w ← w + s x, b ← b + s, which raises its margin by ‖x‖² + 1.

    If a line separates the classes, at most (R/γ)² corrections are made, where R is the length of the longest row
    (x, 1) and γ its margin for the best separating θ of length 1. If none does, the corrections never end; the
    pocket (口袋算法) then keeps the best line seen. Notes C 3.8; Novikoff (1962), Gallant (1990).

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

    pocket: bool = flag(False, "Keep, of the lines after each correction, the first with the fewest wrong rows.")
    max_iter: int = whole(100, "The largest number of passes over the data, each in a new random order.", low=1)
    random_state: object = seed("For the order of the rows.")

    def fit(self, X, y):
        run(self.iter_fit(X, y))
        if self.status_ == "stopped" and not self.pocket:
            warn_caller(
                f"the perceptron still made mistakes in pass {self.n_iter_}: if no line separates the classes it never "
                "ends; use pocket=True to keep the best line seen, or raise max_iter",
                ConvergenceWarning,
            )
        return self

    def iter_fit(self, X, y):
        """Learn step by step; yield the model, ready to predict, after each correction."""
        p = self.checked()
        X, y = check_two_classes(self, X, y)
        X, signs = np.column_stack([X, np.ones(len(X))]), 2.0 * y - 1.0
        theta, self.n_updates_, self.status_ = np.zeros(X.shape[1]), 0, "running"
        for n_pass in range(1, p.max_iter + 1):
            self.n_iter_, before = n_pass, self.n_updates_
            order = p.random_state.permutation(len(X))
            for corrected in _corrections(X[order], signs[order], theta):
                theta = corrected
                self.n_updates_ += 1
                self._keep(theta, X, y)
                yield self
            if self.n_updates_ == before:
                self.status_ = "converged"
                return
        self.status_ = "stopped"

    def _keep(self, theta, X, y):
        """Take over a corrected line: always, or with ``pocket`` only if it gets fewer rows wrong."""
        if self.pocket:
            errors = int(np.sum((X @ theta > 0) != y))
            if self.n_updates_ > 1 and errors >= self.n_errors_:
                return
            self.n_errors_ = errors
        self.coef_, self.intercept_ = theta[:-1].copy(), float(theta[-1])

    def decision_function(self, X):
        """Return w·x + b of each row, shape (n_samples,): its sign is the side, its size no probability."""
        return linear_scores(self, X)


def _corrections(X, signs, theta):
    """One pass over the rows, in order: yields θ after each correction."""
    i = _next_mistake(X, signs, theta, 0)
    while i is not None:
        theta = perceptron_update(theta, X[i], signs[i])
        yield theta
        i = _next_mistake(X, signs, theta, i + 1)


def _next_mistake(X, signs, theta, start):
    """The first row from ``start`` on with s θᵀx <= 0, or None. Blocks that grow let it stop soon after it."""
    size = 32
    while start < len(X):
        block = slice(start, start + size)
        wrong = np.flatnonzero(signs[block] * (X[block] @ theta) <= 0)
        if len(wrong):
            return start + int(wrong[0])
        start, size = start + size, 2 * size
    return None
