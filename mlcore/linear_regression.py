"""Linear regression (线性回归): fit ŷ = Xw + b so that the squared errors are small.

The same problem is solved in closed form, by gradient descent over all samples or over a few at a time, with a
penalty on the weights (ridge, lasso), and anew around each query point (locally weighted regression).
"""

import itertools
import math

import numpy as np

from mlcore.base import (
    ConvergenceWarning,
    Regressor,
    Transformer,
    check_choice,
    check_consistent_length,
    check_fit_X,
    check_flag,
    check_int,
    check_numbers,
    check_numeric_target,
    check_random_state,
    check_real,
    check_regression,
    check_X,
    run,
    warn_caller,
)
from mlcore.features import one_hot_encode, ordinal_encode
from mlcore.optimize import DivergenceError, gradient_descent, stochastic_gradient_descent

__all__ = [
    "Lasso", "LinearRegression", "LocallyWeightedRegression", "PolynomialFeatures", "Ridge", "one_hot_encode",
    "ordinal_encode", "rms_error", "simple_linear_regression", "soft_threshold",
]


# ---------------------------------------------------------------------------------------------------------------
# One feature
# ---------------------------------------------------------------------------------------------------------------
def simple_linear_regression(x, y):
    """Return the slope w and the intercept b of the line with the least squared error.

    w = Σ y_i (x_i - x̄) / Σ (x_i - x̄)²,   b = ȳ - w x̄

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)

    Returns
    -------
    w, b : float

    Raises
    ------
    ValueError
        If x and y differ in length, are empty or not finite, or all x are equal (every slope would do).

    References
    ----------
    Notes D (3.7), (3.8).
    """
    x, y = check_numeric_target(x, "x"), check_numeric_target(y, "y")
    check_consistent_length(x, y, ("x", "y"))
    _check_squares(x, y)
    x_mean, y_mean = x.mean(), y.mean()
    x_centred = x - x_mean
    spread = x_centred @ x_centred
    if x.min() == x.max() or spread == 0:
        raise ValueError(
            f"all {len(x)} values of x are equal ({x[0]:g}), so no slope is better than another; "
            "two different values are needed"
        )
    # Σ y_i (x_i - x̄) = Σ (y_i - ȳ)(x_i - x̄); the second form keeps more digits where ȳ is large
    w = (y - y_mean) @ x_centred / spread
    b = y_mean - w * x_mean
    _check_overflow(w, b)
    return float(w), float(b)


def rms_error(y_true, y_pred):
    """Return the root of the mean squared error, √(Σ (y_i - ŷ_i)² / n), in the units of y.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If they differ in length, are empty or not finite, or the error itself overflows.

    References
    ----------
    Notes B, "linear regression" (with the factor 2 that is missing there: E is half the sum of squares).
    """
    y_true, y_pred = check_numeric_target(y_true, "y_true"), check_numeric_target(y_pred, "y_pred")
    check_consistent_length(y_true, y_pred, ("y_true", "y_pred"))
    half = 0.5 * y_true - 0.5 * y_pred  # of opposite signs, the difference itself may overflow
    largest = np.abs(half).max()
    if largest == 0:
        return 0.0
    # divided by the largest, no square overflows or vanishes
    half_error = float(largest) * float(np.linalg.norm(half / largest) / math.sqrt(len(half)))
    if not math.isfinite(2.0 * half_error):
        raise ValueError(f"the error, twice {half_error:.4g}, overflows: rescale y_true and y_pred")
    return 2.0 * half_error


# ---------------------------------------------------------------------------------------------------------------
# What the linear models share
# ---------------------------------------------------------------------------------------------------------------
class _LinearModel(Regressor):
    """ŷ = Xw + b, with w in ``coef_`` of shape (n_features,) and b in ``intercept_``."""

    def predict(self, X):
        """Return ŷ = Xw + b, of shape (n_samples,), for X of shape (n_samples, n_features).

        Raises
        ------
        ValueError
            If X is so large that a prediction overflows.
        """
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            predictions = X @ self.coef_ + self.intercept_
        _check_overflow(predictions)
        return predictions

    def _set(self, w, x_mean, y_mean):
        """Store w and the intercept b = ȳ - x̄ᵀw that goes with it."""
        with np.errstate(over="ignore", invalid="ignore"):
            b = float(y_mean - x_mean @ w)
        _check_overflow(w, b)
        self.coef_, self.intercept_ = w, b


def _centre(X, y, fit_intercept):
    """Return X - x̄, y - ȳ, x̄ and ȳ; without an intercept nothing is taken off and the means are 0.

    For any w the best intercept is b = ȳ - x̄ᵀw. Put in, it leaves a problem in the centred data alone, with no
    intercept to find (and none to penalise).
    """
    x_mean, y_mean = np.zeros(X.shape[1]), 0.0
    _check_squares(X, y)
    if fit_intercept:
        x_mean, y_mean = X.mean(axis=0), float(y.mean())
        X, y = X - x_mean, y - y_mean if (y != y[0]).any() else np.zeros(len(y))
        maybe = np.flatnonzero(X[0] == X[-1])
        X[:, maybe[(X[:, maybe] == X[0, maybe]).all(axis=0)]] = 0.0  # constant: rounding would pass for a feature
    return X, y, x_mean, y_mean


def _check_squares(*arrays):
    """Refuse numbers whose sum of squares overflows."""
    with np.errstate(over="ignore"):
        _check_overflow(*(np.linalg.norm(array) for array in arrays))


def _check_overflow(*values):
    for value in values:
        if not np.isfinite(value).all():
            raise ValueError(
                "the numbers are too large: their squares, or the solution, overflow (X and y should stay below "
                "about 1e150). Rescale X and y"
            )


# ---------------------------------------------------------------------------------------------------------------
# Least squares
# ---------------------------------------------------------------------------------------------------------------
class LinearRegression(_LinearModel):
    """Least squares: minimise J(w, b) = ½ Σ (xᵢᵀw + b - y_i)².

    The data are centred first, so that only w is left to find; then b = ȳ - x̄ᵀw.

    - ``"lstsq"``: always works. By the singular value decomposition wherever a quicker way would lose digits; if X
      has not full rank, so that many w are equally good, it returns the shortest.
    - ``"normal"``: solves the normal equation (正规方程) XᵀX w = Xᵀy. Fast for many rows, but squares the
      condition number.
    - ``"gd"``: gradient descent (梯度下降) on the *mean* loss J/n, whose gradient is Xᵀ(Xw - y)/n. From any start
      in general position it converges if and only if 0 < η < 2/λ_max, with λ_max of XᵀX/n (X centred).
    - ``"sgd"``: the same with the gradient of one sample a step (the LMS rule w ← w + η (y_i - xᵢᵀw) xᵢ);
      ``"minibatch"``: with the mean gradient of ``batch_size`` samples.

    Parameters
    ----------
    solver : "lstsq", "normal", "gd", "sgd" or "minibatch"
    learning_rate : None, float > 0 or callable
        The step size η, or a function of the step number; None chooses it. For "gd" that is 1/λ_max; for "sgd" and
        "minibatch" it falls with the steps, see ``_falling_rate``.
    batch_size : int >= 1
        Samples a step, for "minibatch" only.
    max_iter : int >= 1
        The largest number of steps ("gd") or epochs, that is passes over the data ("sgd", "minibatch").
    tol : float >= 0
        "gd" stops when the largest entry of the gradient has fallen to ``tol`` times its size at the start w = 0;
        "sgd" and "minibatch" when an epoch moved w by no more than ``tol`` times its length.
    fit_intercept : bool
    random_state : None, int or Generator
        Draws the order of the samples, for "sgd" and "minibatch" only.

    Whatever ended the walk of "gd", "sgd" or "minibatch", its last w is compared with the answer of "lstsq"; where a
    weight is still far from it, ``fit`` warns. Features in very different units are the usual reason: they make
    directions so flat that the walk seems to stand still.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Steps ("gd") or epochs begun; 1 for the closed forms.

    References
    ----------
    Notes A 1.2 to 1.6; Notes D 3.2.2.
    """

    def __init__(
        self, *, solver="lstsq", learning_rate=None, batch_size=32, max_iter=1000, tol=1e-4, fit_intercept=True,
        random_state=None,
    ):
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to X of shape (n_samples, n_features) and y of shape (n_samples,); return self.

        Raises
        ------
        ValueError
            For bad parameters or data; if XᵀX is singular and the solver is "normal"; if the learning rate is so
            large that the steps diverge.

        Warns
        -----
        ConvergenceWarning
            If ``max_iter`` was reached first, or the walk ended with a weight that is off by over 1 % of the largest
            (in units of 1 / the spread of the feature), or of itself and more than noise explains.
        """
        run(self.iter_fit(X, y))
        return self

    def iter_fit(self, X, y):
        """Yield the model after each step (the closed forms take one); see ``fit``."""
        check_choice("solver", self.solver, ("lstsq", "normal", "gd", "sgd", "minibatch"))
        check_int("max_iter", self.max_iter, low=1)
        check_int("batch_size", self.batch_size, low=1)
        check_real("tol", self.tol, low=0)
        if self.learning_rate is not None and not callable(self.learning_rate):
            check_real("learning_rate", self.learning_rate, low=0, low_open=True)
        check_flag("fit_intercept", self.fit_intercept)
        if self.solver not in ("sgd", "minibatch"):
            check_random_state(self.random_state)  # where it is used, the walk checks it
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, self.fit_intercept)
        for steps, w in self._weights(X, y):
            try:
                self._set(w, x_mean, y_mean)
            except ValueError as error:
                if self.solver in ("lstsq", "normal"):
                    raise
                raise DivergenceError(f"the iterates diverge: make the learning rate smaller ({error})") from error
            self.n_iter_ = steps
            if steps > 0:
                yield self
        if steps == 0:  # the start is the minimum: there was no step to take
            yield self
        if self.solver not in ("lstsq", "normal"):
            self._warn_if_unfinished(X, y, w, steps)

    def _warn_if_unfinished(self, X, y, w, steps):
        """Warn if the walk ran out of steps, or stands still although a weight is far from the answer."""
        used, behind = f"{steps} {'steps' if self.solver == 'gd' else 'epochs'}", _weight_left_behind(X, y, w)
        gap = "" if behind is None else " (weight {} is {:.4g}, but {:.4g} at the minimum)".format(*behind)
        if steps == self.max_iter:
            warn_caller(
                f"{self} used all {used} before tol was met{gap}: raise max_iter{'' if behind else ' or tol'}, "
                "standardise the features, or change the learning rate",
                ConvergenceWarning,
            )
        elif behind is not None:
            warn_caller(
                f"{self} met tol after {used}, but has not arrived{gap}: standardise the features, lower tol and raise "
                "max_iter, change the learning rate (smaller, or falling for sgd), or use solver='lstsq'",
                ConvergenceWarning,
            )

    def _weights(self, X, y):
        """Yield (step or epoch, w) for centred data, by the chosen solver."""
        if self.solver == "lstsq":
            yield 1, _shortest_least_squares(X, y)
        elif self.solver == "normal":
            yield 1, _solve_normal_equation(X, y)
        elif self.solver == "gd":
            yield from enumerate(self._descend(X, y))
        else:
            size = 1 if self.solver == "sgd" else min(self.batch_size, len(X))
            yield from self._descend_by_batches(X, y, size)

    def _descend(self, X, y):
        """Yield the iterates of gradient descent on the mean loss, the start w = 0 included."""
        n_samples, n_features = X.shape

        def gradient(w):
            return X.T @ (X @ w - y) / n_samples

        start = np.zeros(n_features)
        steepest = _eigenvalues(X)[-1]
        rate = self.learning_rate if self.learning_rate is not None else 1 / steepest
        tol = self.tol * np.abs(gradient(start)).max()
        try:
            yield from gradient_descent(gradient, start, rate, self.max_iter, tol)
        except DivergenceError as error:
            raise DivergenceError(
                f"{error}. For these data it must be below 2/λ_max = {2 / steepest:.4g} (λ_max of XᵀX/n, centred)"
            ) from error

    def _descend_by_batches(self, X, y, size):
        """Yield (epoch, w) for the iterates of stochastic gradient descent, the start w = 0 included."""
        n_samples, n_features = X.shape
        steps_per_epoch = -(-n_samples // size)

        def gradient(w, rows):
            batch = X[rows]
            return batch.T @ (batch @ w - y[rows]) / len(rows)

        rate = self.learning_rate if self.learning_rate is not None else _falling_rate(X, size)
        steps = stochastic_gradient_descent(
            gradient, np.zeros(n_features), n_samples, size, rate, self.max_iter, self.tol, self.random_state
        )
        for step, w in enumerate(steps):
            yield -(-step // steps_per_epoch), w


def _weight_left_behind(X, y, w):
    """Return (number, value, value at the minimum) of the weight that a walk left farthest behind, or None.

    J is quadratic, so what is missing is the least-squares fit to what the walk has left over, y - Xw. Weights are
    compared in units of 1 / the spread of their feature. Near enough is: within 1 % of the largest weight, and also
    within 1 % of the weight itself, or a tenth of its standard error σ/(spread·√n).
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        left_over = y - X @ w
        if not np.abs(left_over).max() < 1e150:
            return 0, w[0], math.nan  # the walk has run away
        missing = _shortest_least_squares(X, left_over)
        answer, noise = w + missing, rms_error(left_over, X @ missing) / math.sqrt(len(y))
        largest_entry = np.abs(X).max(axis=0)
        scaled = X / np.where(largest_entry > 0, largest_entry, 1.0)  # its squares neither overflow nor vanish
        spread = largest_entry * np.sqrt(np.einsum("ij,ij->j", scaled, scaled) / len(X))
        sizes = np.abs(answer * spread)
        allowed = np.minimum(0.01 * sizes.max(), 0.01 * sizes + 0.1 * noise + 1e-8 * sizes.max())
        excess = np.abs(missing * spread) - allowed
    worst = int(np.argmax(excess))
    return None if excess[worst] <= 0 else (worst, w[worst], answer[worst])


def _shortest_least_squares(X, y):
    """Return the w that minimises ‖y - Xw‖²; of several, the shortest.

    By the normal equation where that is accurate, else by the SVD. The unit of a column must not decide whether it
    counts as zero, so the columns are brought to length 1 before their rank is judged; if they are independent, w is
    unique and is found so. Otherwise "shortest" refers to X as it is given.
    """
    n_samples, n_features = X.shape
    if n_features <= n_samples:
        w = _ridge_by_equations(X, y, 0.0)
        if w is not None:
            return w
        lengths = np.sqrt(np.einsum("ij,ij->j", X, X))
        if (lengths > 0).all():
            w, _, rank, _ = np.linalg.lstsq(X / lengths, y, rcond=None)
            if rank == n_features:
                return w / lengths
    return np.linalg.lstsq(X, y, rcond=None)[0]


def _solve_normal_equation(X, y):
    """Solve XᵀX w = Xᵀy, with the columns of X brought to length 1 first, or say that XᵀX is singular."""
    n_samples, n_features = X.shape
    lengths = np.sqrt(np.einsum("ij,ij->j", X, X))
    X = X / np.where(lengths > 0, lengths, 1.0)
    gram = X.T @ X
    eigenvalues = np.linalg.eigvalsh(gram)
    rank = int((eigenvalues > n_features * np.finfo(float).eps * eigenvalues[-1]).sum())
    if rank < n_features:
        raise ValueError(
            f"XᵀX is singular to working precision: rank {rank} with {n_features} features (n_samples={n_samples}), so "
            "the normal equation has many solutions. Use solver='lstsq' for the shortest one, or Ridge"
        )
    return np.linalg.solve(gram, X.T @ y) / lengths


def _eigenvalues(X):
    """Return the positive eigenvalues of XᵀX / n, ascending, from the smaller of XᵀX and XXᵀ; [1] if there is none."""
    gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
    values = np.linalg.eigvalsh(gram) / len(X)
    positive = values[values > len(gram) * np.finfo(float).eps * values[-1]]
    return positive if len(positive) else np.ones(1)


def _falling_rate(X, size):
    """Return the step size 1/(L + μt/2) at step t, for batches of ``size`` samples.

    L is the curvature that a batch must be expected to show: max‖xᵢ‖² for single samples, λ_max of XᵀX/n for all of
    them, a weighted mean in between (R. M. Gower et al., "SGD: general analysis and improved rates", 2019). μ is the
    curvature of the flattest direction, the least positive eigenvalue of XᵀX/n: if the rate fell faster than about
    1/(μt), the walk along that direction would come to rest before it arrives.
    """
    n_samples, values = len(X), _eigenvalues(X)
    single = np.einsum("ij,ij->i", X, X).max() or 1.0
    share = (n_samples - size) / (size * (n_samples - 1)) if n_samples > 1 else 0.0
    steepest, flattest = share * single + (1 - share) * values[-1], values[0]
    return lambda step: 1 / (steepest + 0.5 * flattest * step)


# ---------------------------------------------------------------------------------------------------------------
# Penalties on the weights
# ---------------------------------------------------------------------------------------------------------------
class Ridge(_LinearModel):
    """Ridge regression (岭回归): minimise Σ (xᵢᵀw + b - y_i)² + α‖w‖².

    w = (XᵀX + αI)⁻¹ Xᵀy for centred X and y; the intercept is not penalised. Equal to the notes' ½Σ + ½λ‖w‖² with
    λ = α. With α = 0 it is least squares, and of several solutions the shortest, to which w also tends as α → 0.

    Parameters
    ----------
    alpha : float >= 0
        Strength of the penalty, in the units of XᵀX.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float

    References
    ----------
    Notes B, "under-fitting and over-fitting".
    """

    def __init__(self, *, alpha=1.0, fit_intercept=True):
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def fit(self, X, y):
        """Fit to X of shape (n_samples, n_features) and y of shape (n_samples,); return self.

        Raises
        ------
        ValueError
            For a negative alpha or bad data.
        """
        alpha = check_real("alpha", self.alpha, low=0)
        check_flag("fit_intercept", self.fit_intercept)
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, self.fit_intercept)
        self._set(_ridge_weights(X, y, alpha), x_mean, y_mean)
        return self


def _ridge_weights(X, y, alpha):
    """Return (XᵀX + αI)⁻¹ Xᵀy: by linear equations where they are accurate, else by the SVD X = USVᵀ.

    The SVD shows what ridge does: along the i-th direction the least-squares answer is multiplied by s²/(s² + α).
    """
    if alpha == 0:
        return _shortest_least_squares(X, y)
    w = _ridge_by_equations(X, y, alpha)
    if w is None:
        U, s, Vt = np.linalg.svd(X, full_matrices=False)
        w = Vt.T @ (s / (s**2 + alpha) * (U.T @ y))
    return w


def _ridge_by_equations(X, y, alpha):
    """Solve (XᵀX + αI) w = Xᵀy, or for n < d the smaller (XXᵀ + αI) v = y with w = Xᵀv; None if inaccurate.

    The matrix is scaled to a diagonal of ones. Forming XᵀX squares the condition number. One step of iterative
    refinement, with the residual taken from X itself, wins the lost digits back; a large correction means that too
    many were lost.
    """
    tall = X.shape[0] >= X.shape[1]
    matrix = X.T @ X if tall else X @ X.T
    matrix.flat[:: len(matrix) + 1] += alpha
    scale = np.sqrt(matrix.diagonal())
    if not scale.all():
        return None
    matrix /= np.outer(scale, scale)
    try:
        v = np.linalg.solve(matrix, (X.T @ y if tall else y) / scale)
        u = v / scale
        residual = X.T @ (y - X @ u) - alpha * u if tall else y - X @ (X.T @ u) - alpha * u
        correction = np.linalg.solve(matrix, residual / scale)
    except np.linalg.LinAlgError:
        return None
    if not np.linalg.norm(correction) <= 1e-6 * np.linalg.norm(v):
        return None
    u += correction / scale
    return u if tall else X.T @ u


def soft_threshold(z, threshold):
    """Return sign(z)·max(|z| - t, 0): the u that minimises ½(u - z)² + t|u|.

    Everything between -t and t becomes exactly 0; the rest moves towards 0 by t.

    Parameters
    ----------
    z : float or array
    threshold : float >= 0

    Returns
    -------
    float or ndarray of the shape of z

    Raises
    ------
    ValueError
        If z is not numeric or holds NaN, or the threshold is not a single number >= 0.
    """
    z, threshold = check_numbers(z, "z", allow_infinity=True), check_real("threshold", threshold, low=0)
    return np.sign(z) * np.maximum(np.abs(z) - threshold, 0.0)


class Lasso(_LinearModel):
    """Lasso: minimise Σ (xᵢᵀw + b - y_i)² / (2n) + α‖w‖₁, which sets weights to exactly 0.

    Coordinate descent (坐标下降): with all other weights fixed, the best w_j is soft_threshold(z, α) / G_jj, where
    G = XᵀX/n (X and y centred) and z = x_jᵀ(y - Σ_{k≠j} x_k w_k)/n. The sweeps run over a working set of features,
    which grows by those that break the optimality condition |x_jᵀ(y - Xw)|/n <= α; after each sweep the weights
    that are not 0 are solved for exactly, as far as no sign changes.

    Parameters
    ----------
    alpha : float >= 0
        Strength of the penalty; from max_j |x_jᵀy|/n on, all weights are 0. With 0 it is least squares.
    max_iter : int >= 1
        The largest number of sweeps.
    tol : float >= 0
        Stops when the duality gap (对偶间隙), an upper bound on how far the objective is above its minimum, is at
        most tol·‖y‖²/n (y centred). With 0 it goes on until rounding stops all movement.
    fit_intercept : bool

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        Not penalised.
    n_iter_ : int
        Sweeps done.
    dual_gap_ : float
        The duality gap at the end.

    References
    ----------
    Notes B, "under-fitting and over-fitting" (the 1-norm). R. Tibshirani, "Regression shrinkage and selection via the
    lasso", 1996; J. Friedman, T. Hastie and R. Tibshirani, "Regularization paths for generalized linear models via
    coordinate descent", 2010.
    """

    def __init__(self, *, alpha=1.0, max_iter=1000, tol=1e-4, fit_intercept=True):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def fit(self, X, y):
        """Fit to X of shape (n_samples, n_features) and y of shape (n_samples,); return self.

        Raises
        ------
        ValueError
            For bad parameters or data.

        Warns
        -----
        ConvergenceWarning
            If ``max_iter`` sweeps did not bring the duality gap down to ``tol``.
        """
        run(self.iter_fit(X, y))
        return self

    def iter_fit(self, X, y):
        """Yield the model after each sweep; see ``fit``."""
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        check_flag("fit_intercept", self.fit_intercept)
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, self.fit_intercept)
        sweeps = _lasso_sweeps(X, y, alpha, tol) if alpha > 0 else iter([_shortest_least_squares(X, y)])
        for self.n_iter_, w in enumerate(itertools.islice(sweeps, max_iter), start=1):
            self._set(w, x_mean, y_mean)
            yield self
        self.dual_gap_ = _lasso_state(X, y, w, alpha)[1] if alpha > 0 else 0.0
        if self.n_iter_ == max_iter and self.dual_gap_ > tol * (y @ y) / len(y):
            warn_caller(
                f"{self} used all {max_iter} sweeps and the duality gap is still {self.dual_gap_:.3g}: "
                "raise max_iter, tol or alpha",
                ConvergenceWarning,
            )


def _lasso_sweeps(X, y, alpha, tol):
    """Yield w after each sweep, over a working set of features that grows until the duality gap is small."""
    w, enough = np.zeros(X.shape[1]), tol * (y @ y) / len(y)
    pull, gap = _lasso_state(X, y, w, alpha)
    working = _enlarged(np.empty(0, dtype=int), pull, alpha)
    while True:
        part = _LassoOnFew(X[:, working], y, alpha, w[working])
        while True:
            settled = part.sweep(0.1 * enough)
            w[working] = part.w
            if settled:
                break
            yield w.copy()
        yield w.copy()
        pull, gap = _lasso_state(X, y, w, alpha)
        larger = _enlarged(working, pull, alpha)
        if gap <= enough or len(larger) == len(working):
            return
        working = larger


def _lasso_state(X, y, w, alpha):
    """Return Xᵀ(y - Xw)/n, which pulls at each weight, and the duality gap."""
    n_samples, support = len(y), np.flatnonzero(w)
    residual = y - X[:, support] @ w[support]
    pull = X.T @ residual / n_samples
    return pull, _duality_gap(residual @ residual / n_samples, y @ residual / n_samples, w, pull, alpha)


def _duality_gap(rr, yr, w, pull, alpha):
    """Return objective minus dual objective, with rr = ‖r‖²/n, yr = yᵀr/n, r = y - Xw and pull = Xᵀr/n.

    The dual is to maximise (‖y‖² - ‖y - θ‖²)/(2n) subject to |Xᵀθ|/n <= α; θ = s·r with s = min(1, α/max|pull|)
    satisfies it. Its value never exceeds the minimum of the lasso, so the gap bounds the distance to it.
    """
    largest = np.abs(pull).max()
    s = alpha / largest if largest > alpha else 1.0
    return float(0.5 * (1 + s * s) * rr + alpha * np.abs(w).sum() - s * yr)


def _enlarged(working, pull, alpha):
    """Add to the working set the features that break |pull| <= α most, at most doubling it (from 32 on)."""
    excess = np.abs(pull) - alpha
    excess[working] = -np.inf
    worst_first = np.argsort(-excess, kind="stable")[: max(32, len(working))]
    added = worst_first[excess[worst_first] > 0]
    return np.concatenate([working, added if len(added) or len(working) else worst_first[:1]])


class _LassoOnFew:
    """The lasso on a few features, by G = XᵀX/n and c = Xᵀy/n alone: a step costs no pass over the samples."""

    def __init__(self, X, y, alpha, w):
        self.gram, self.c, self.yy = X.T @ X / len(y), X.T @ y / len(y), y @ y / len(y)
        self.curvatures = self.gram.diagonal().tolist()
        self.alpha, self.w = alpha, w
        self.pull = self.c - self.gram @ w

    def sweep(self, enough):
        """Minimise over each weight in turn, then over those that are not 0 together; return whether it settled."""
        before = self.w.copy()
        self._each_in_turn()
        for _ in range(20):
            if not self._support_together():
                break
        moved = np.abs(self.w - before).max()
        return moved <= 1e-14 * np.abs(self.w).max() or self._gap() <= enough

    def _each_in_turn(self):
        """w_j ← soft_threshold(pull_j + G_jj w_j, α) / G_jj; then pull changes by -G_j times the change of w_j."""
        w, pull, alpha = self.w, self.pull, self.alpha
        for j, curvature in enumerate(self.curvatures):
            if curvature == 0.0:
                continue
            old = w.item(j)
            z = pull.item(j) + curvature * old
            new = (z - alpha if z > alpha else z + alpha if z < -alpha else 0.0) / curvature
            if new != old:
                pull -= (new - old) * self.gram[j]
                w[j] = new

    def _support_together(self):
        """Solve G_SS w_S = c_S - α sign(w_S), S the weights that are not 0, for all of them at once.

        Where no sign changes, this is the minimum over S. A weight that would change its sign becomes 0 instead. The
        whole way is gone if that lowers the objective; else 64, 16, 4 times the way to the first change of sign, or
        only so far: up to there it cannot rise. Return whether a weight became 0, so that another such step may help.
        """
        support = np.flatnonzero(self.w)
        w, signs = self.w[support], np.sign(self.w[support])
        gram, c = self.gram[np.ix_(support, support)], self.c[support] - self.alpha * signs
        nudge = 1e-10 * self.gram.trace() / len(self.w) * np.eye(len(w))  # G_SS may be singular
        way = np.linalg.solve(gram + nudge, c - gram @ w)
        here = 0.5 * w @ gram @ w - c @ w
        for share in _shares(w, way):
            there = np.where((w + share * way) * signs > 0, w + share * way, 0.0)
            if 0.5 * there @ gram @ there - c @ there <= here:
                self.w[support] = there
                self.pull = self.c - self.gram[:, support] @ there
                return bool((there == 0).any())
        return False

    def _gap(self):
        yr = self.yy - self.c @ self.w
        return _duality_gap(yr - self.pull @ self.w, yr, self.w, self.pull, self.alpha)


def _shares(w, way):
    """Return the shares of the way to try, 1 first; a change of sign is passed by a hair, so that it is one."""
    turns = w * (w + way) < 0
    if not turns.any():
        return [1.0]
    first = (w[turns] / -way[turns]).min() * (1 + 1e-12)
    return [1.0] + [times * first for times in (64, 16, 4, 1) if times * first < 1]


# ---------------------------------------------------------------------------------------------------------------
# A line for every query
# ---------------------------------------------------------------------------------------------------------------
class LocallyWeightedRegression(Regressor):
    """Locally weighted linear regression (局部加权线性回归): a new weighted line for every query point.

    The prediction at x is that of the line which minimises Σ u_i (wᵀxᵢ + b - y_i)² with u_i = exp(-‖xᵢ - x‖²/(2τ²)).
    Fitting only stores the data; the work is done in ``predict``. Where the samples near x do not determine the
    slope in some direction, the slope there is 0.

    Parameters
    ----------
    tau : float > 0
        Width of the neighbourhood (带宽), in the units of X. Large: one line for all, as least squares. Small: only
        the nearest samples count.

    Attributes
    ----------
    X_ : ndarray of shape (n_samples, n_features)
    y_ : ndarray of shape (n_samples,)

    References
    ----------
    Notes A 1.8 (40), (41).
    """

    def __init__(self, *, tau=1.0):
        self.tau = tau

    def fit(self, X, y):
        """Store X of shape (n_samples, n_features) and y of shape (n_samples,); return self.

        Raises
        ------
        ValueError
            For tau <= 0 or bad data.
        """
        check_real("tau", self.tau, low=0, low_open=True)
        X, y = check_regression(self, X, y)
        _check_squares(X, y)
        self.X_, self.y_ = X.copy(), y.copy()
        return self

    def predict(self, X):
        """Return the predictions, of shape (n_queries,), for X of shape (n_queries, n_features)."""
        X = check_X(self, X)
        _check_squares(X)
        tau = check_real("tau", self.tau, low=0, low_open=True)
        at_once = max(1, 1_000_000 // self.X_.size)  # queries in one block: bounds the memory
        blocks = (X[first : first + at_once] for first in range(0, len(X), at_once))
        return np.concatenate([_local_lines(block, self.X_, self.y_, tau) for block in blocks])


def _local_lines(queries, X, y, tau):
    """Return the value at each query of the line that is fitted around it.

    Shapes: queries (q, d), X (n, d), y (n,). Seen from its query, each line is centred at the weighted means, so that
    only its slope is left to find: by the SVD of the matrix with rows √u_i (xᵢ - x̄).
    """
    offsets = X - queries[:, None, :]
    weights = _gaussian_weights(np.einsum("qnd,qnd->qn", offsets, offsets), tau)
    x_mean, y_mean = np.einsum("qn,qnd->qd", weights, offsets), weights @ y
    root = np.sqrt(weights)
    A = root[:, :, None] * (offsets - x_mean[:, None, :])
    t = root * (y - y_mean[:, None])
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    size = np.sqrt(np.einsum("qn,qnd,qnd->q", weights, offsets, offsets))
    known = s > len(y) * np.finfo(float).eps * size[:, None]
    slopes = np.where(known, np.einsum("qnk,qn->qk", U, t), 0.0) / np.where(known, s, 1.0)
    return y_mean - np.einsum("qk,qkd,qd->q", slopes, Vt, x_mean)


def _gaussian_weights(squared_distances, tau):
    """Return exp(-D²/(2τ²)) scaled to sum 1 in each row; the nearest sample never underflows to 0."""
    beyond = squared_distances - squared_distances.min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        weights = np.exp(-0.5 * (beyond / tau / tau))
    return weights / weights.sum(axis=1, keepdims=True)


# ---------------------------------------------------------------------------------------------------------------
# Features
# ---------------------------------------------------------------------------------------------------------------
class PolynomialFeatures(Transformer):
    """All products of the features up to a total degree: 1, x₁, x₂, x₁², x₁x₂, x₂², ...

    For one feature this is the Vandermonde matrix (范德蒙矩阵) 1, x, ..., x^M. A model that is linear in these columns
    is a polynomial in x.

    Parameters
    ----------
    degree : int >= 0
    include_bias : bool
        Whether the first column is the constant 1.

    Attributes
    ----------
    powers_ : int ndarray of shape (n_columns, n_features)
        The exponent of each feature in each column.

    References
    ----------
    Notes B, "linear regression".
    """

    def __init__(self, *, degree=2, include_bias=True):
        self.degree = degree
        self.include_bias = include_bias

    def fit(self, X, y=None):
        """Remember the number of features of X, of shape (n_samples, n_features); return self.

        Raises
        ------
        ValueError
            For a bad degree, or if no column would be left, or more than a million.
        """
        degree = check_int("degree", self.degree, low=0)
        if degree == 0 and not self.include_bias:
            raise ValueError("degree=0 with include_bias=False leaves no column: raise degree or include the bias")
        n_features = check_fit_X(self, X).shape[1]
        n_columns = math.comb(n_features + degree, degree)
        if n_columns > 1_000_000:
            raise ValueError(
                f"degree={degree} with {n_features} features makes {n_columns:.3g} columns; a million is the most. "
                "Lower the degree or choose fewer features"
            )
        self.powers_ = np.array(
            [
                np.bincount(factors, minlength=n_features)
                for total in range(0 if self.include_bias else 1, degree + 1)
                for factors in map(list, itertools.combinations_with_replacement(range(n_features), total))
            ],
            dtype=int,
        )
        return self

    def transform(self, X):
        """Return the products, of shape (n_samples, n_columns), for X of shape (n_samples, n_features).

        The products of degree k are built from those of degree k - 1: feature i times all whose first factor is i or
        later. These stand together at the end of the list, from ``first[i]`` on.

        Raises
        ------
        ValueError
            If a product overflows.
        """
        features = np.ascontiguousarray(check_X(self, X).T)
        columns = np.empty((len(self.powers_), features.shape[1]))
        columns[: self.include_bias] = 1.0
        products, first, filled = np.ones((1, features.shape[1])), [0] * len(features), int(self.include_bias)
        for _ in range(self.degree):
            begin = filled
            for i, feature in enumerate(features):
                factors, first[i] = products[first[i] :], filled - begin
                with np.errstate(over="ignore"):
                    np.multiply(feature, factors, out=columns[filled : filled + len(factors)])
                filled += len(factors)
            products = columns[begin:filled]
        columns = columns.T
        if not np.isfinite(columns).all():
            raise ValueError(f"a product of degree {self.degree} overflows: scale the features, say to [-1, 1]")
        return columns
