"""Linear regression (线性回归): fit ŷ = Xw + b so that the squared errors are small.

The same problem is solved in closed form, by gradient descent over all samples or over a few at a time, with a
penalty on the weights (ridge, lasso), and anew around each query point (locally weighted regression). A class that has
``iter_fit`` alone gets from ``mlcore.base`` a ``fit`` that runs it to its end.
"""

import itertools
import math

import numpy as np

from mlcore.base import (
    FARTHEST,
    REQUIRED,
    ConvergenceWarning,
    Regressor,
    Transformer,
    check_consistent_length,
    check_fit_X,
    check_is_fitted,
    check_regression,
    check_X,
    choice,
    door,
    flag,
    linear_scores,
    names_of_inputs,
    numbers,
    real,
    seed,
    targets,
    warn_caller,
    whole,
)
from mlcore.core import linear_regression as core
from mlcore.core.linear_regression import (
    filtered_weights,
    lasso_sweep,
    local_value,
    mean_gradient,
    nearness,
    normal_equation,
    products,
    ridge_weights,
    shortest_solution,
    slope_and_intercept,
    support_step,
)
from mlcore.features import one_hot_encode, ordinal_encode
from mlcore.numerics import finite, solve
from mlcore.optimize import excess_distance, learning_rate, row_descent, warn_not_arrived

__all__ = [
    "Lasso", "LinearRegression", "LocallyWeightedRegression", "PolynomialFeatures", "Ridge", "one_hot_encode",
    "ordinal_encode", "rms_error", "simple_linear_regression", "soft_threshold",
]


# ---------------------------------------------------------------------------------------------------------------
# One feature
# ---------------------------------------------------------------------------------------------------------------
@door(x=targets("The feature."), y=targets("The numbers to predict."))
def simple_linear_regression(x, y):
    """Return the slope w and the intercept b of the line with the least squared error.

    w = Σ y_i (x_i - x̄) / Σ (x_i - x̄)²,   b = ȳ - w x̄.

    Returns
    -------
    w, b : float

    Raises
    ------
    ValueError
        If x and y differ in length, or all x are equal (every slope would do).

    References
    ----------
    Notes D (3.7), (3.8).
    """
    check_consistent_length(x, y, ("x", "y"))
    if x.min() == x.max():
        raise ValueError(
            f"all {len(x)} values of x are equal ({x[0]:g}), so no slope is better than another; "
            "two different values are needed"
        )
    w, b = slope_and_intercept(x, y)
    return float(w), float(b)


@door(y_true=targets("What is right."), y_pred=targets("What was predicted."))
def rms_error(y_true, y_pred):
    """Return the root of the mean squared error, √(Σ (y_i - ŷ_i)² / n), in the units of y.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If they differ in length.

    References
    ----------
    Notes B, "linear regression" (with the factor 2 that is missing there: E is half the sum of squares).
    """
    check_consistent_length(y_true, y_pred, ("y_true", "y_pred"))
    return np.sqrt(np.mean(np.square(y_true - y_pred)))


# ---------------------------------------------------------------------------------------------------------------
# What the linear models share
# ---------------------------------------------------------------------------------------------------------------
class _LinearModel(Regressor):
    """ŷ = Xw + b, with w in ``coef_`` of shape (n_features,) and b in ``intercept_``."""

    def predict(self, X):
        """Return ŷ = Xw + b, of shape (n_samples,), for X of shape (n_samples, n_features)."""
        return linear_scores(self, X)

    def _set(self, w, x_mean, y_mean):
        """Store w and the intercept b = ȳ - x̄ᵀw that goes with it."""
        self.coef_, self.intercept_ = w, float(y_mean - x_mean @ w)


def _centre(X, y, fit_intercept):
    """Return X - x̄, y - ȳ, x̄ and ȳ; without an intercept nothing is taken off and the means are 0.

    For any w the best intercept is b = ȳ - x̄ᵀw. Put in, it leaves a problem in the centred data alone, with no
    intercept to find (and none to penalise). What is constant becomes exactly 0, or rounding would pass for a feature.
    """
    if not fit_intercept:
        return X, y, np.zeros(X.shape[1]), 0.0
    x_mean, y_mean = np.ones(len(X)) @ X / len(X), y.sum() / len(y)
    X, y = X - x_mean, y - y_mean
    for j in np.flatnonzero(X[0] == X[-1]):
        if (X[:, j] == X[0, j]).all():
            X[:, j] = 0.0
    if y[0] == y[-1] and (y == y[0]).all():
        y = np.zeros(len(y))
    return X, y, x_mean, y_mean


def _least_squares(X, y):
    """The normal equation where its digits suffice, else the singular values.

    The unit of a column must not decide whether it counts as zero, so the columns are brought to length 1 before their
    rank is judged; if they are independent, w is unique and is found so. Otherwise "shortest" refers to X as it is.
    """
    n_samples, n_features = X.shape
    if n_features <= n_samples:
        try:
            return normal_equation(X, y)
        except np.linalg.LinAlgError:
            lengths = _lengths(X)
            if np.linalg.matrix_rank(X / lengths) == n_features:
                return shortest_solution(X / lengths, y) / lengths
    return shortest_solution(X, y)


def _lengths(X):
    """The length of each column; 1 for a column of zeros."""
    lengths = np.linalg.norm(X, axis=0)
    return np.where(lengths > 0, lengths, 1.0)


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

    solver: str = choice("lstsq", ("lstsq", "normal", "gd", "sgd", "minibatch"), "How the minimum is found.")
    learning_rate: object = learning_rate(
        None,
        'The step size η, or a function of the step number. None chooses it: for "gd" 1/λ_max; for "sgd" and\n'
        '"minibatch" it falls with the steps, see ``_falling_rate``.',
    )
    batch_size: int = whole(32, 'Samples a step, for "minibatch" only.', low=1)
    max_iter: int = whole(
        1000, 'The largest number of steps ("gd") or epochs, that is passes over the data ("sgd", "minibatch").', low=1
    )
    tol: float = real(
        1e-4,
        '"gd" stops when the largest entry of the gradient has fallen to ``tol`` times its size at the start w = 0;\n'
        '"sgd" and "minibatch" when an epoch moved w by no more than ``tol`` times its length.',
        low=0,
    )
    fit_intercept: bool = flag(True, "Whether b is learned; otherwise it is 0.")
    random_state: object = seed('Draws the order of the samples, for "sgd" and "minibatch" only.')

    def iter_fit(self, X, y):
        """Learn step by step (the closed forms take one step); yield the model after each.

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
        p = self.checked()
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, p.fit_intercept)
        if p.solver in ("lstsq", "normal"):
            solve_once = _least_squares if p.solver == "lstsq" else _by_normal_equation
            self._set(solve_once(X, y), x_mean, y_mean)
            self.n_iter_ = 1
            yield self
            return
        limit = 2 / _eigenvalues(X)[-1]
        size = {"gd": None, "sgd": 1, "minibatch": p.batch_size}[p.solver]
        rate = p.learning_rate or (_falling_rate(X, size) if size else lambda step: 0.5 * limit)
        advice = (
            f". For these data gradient descent needs a rate below 2/λ_max = {limit:.4g} (λ_max of XᵀX/n, centred), "
            "and single samples a smaller one"
        )
        walk = row_descent(  # the core's descend or descend_by_batches, watched for overflow
            lambda w, B: mean_gradient(w, X[B], y[B]), np.zeros(X.shape[1]), len(X), size, rate, p.max_iter, p.tol,
            p.random_state, advice,
        )
        for self.n_iter_, w in walk:
            with np.errstate(over="ignore", invalid="ignore"):
                self._set(w, x_mean, y_mean)
            if self.n_iter_ > 0:
                yield self
        if self.n_iter_ == 0:  # the start is the minimum: there was no step to take
            yield self
        self._warn_if_not_arrived(X, y, p.max_iter, "steps" if size is None else "epochs")

    def _warn_if_not_arrived(self, X, y, max_iter, steps):
        behind = _weight_left_behind(X, y, self.coef_)
        gap = "" if behind is None else " (weight {} is {:.4g}, but {:.4g} at the minimum)".format(*behind)
        if self.n_iter_ == max_iter:
            warn_not_arrived(f"{self} used all {self.n_iter_} {steps} before tol was met{gap}", "lstsq")
        elif behind is not None:
            warn_not_arrived(f"{self} met tol after {self.n_iter_} {steps}, but has not arrived{gap}", "lstsq")


def _weight_left_behind(X, y, w):
    """Return (number, value, value at the minimum) of the weight that a walk left farthest behind, or None.

    J is quadratic, so the remaining correction is the least-squares fit to the residual y - Xw. Weights are
    compared in units of 1 / the spread of their feature; their standard errors are then σ/√n.
    """
    with np.errstate(all="ignore"):
        left_over = y - X @ w
    if not np.abs(left_over).max() < FARTHEST:
        return 0, w[0], math.nan  # the walk has run away
    missing = _least_squares(X, left_over)
    answer, noise = w + missing, rms_error(left_over, X @ missing) / math.sqrt(len(y))
    spread = np.linalg.norm(X, axis=0) / math.sqrt(len(y))
    excess = excess_distance(answer * spread, missing * spread, noise)
    worst = int(np.argmax(excess))
    return None if excess[worst] <= 0 else (worst, w[worst], answer[worst])


def _by_normal_equation(X, y):
    """Solve XᵀX w = Xᵀy with what digits there are, or say that XᵀX is singular."""
    try:
        return normal_equation(X, y)
    except np.linalg.LinAlgError:
        (n_samples, n_features), Z = X.shape, X / _lengths(X)
        rank = np.linalg.matrix_rank(Z.T @ Z, hermitian=True)
        if rank == n_features:
            return solve(X.T @ X, X.T @ y)
    raise ValueError(
        f"XᵀX is singular to working precision: rank {rank} with {n_features} features (n_samples={n_samples}), so "
        "the normal equation has many solutions. Use solver='lstsq' for the shortest one, or Ridge"
    )


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
    n_samples, size, values = len(X), min(size, len(X)), _eigenvalues(X)
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

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float

    References
    ----------
    Notes B, "under-fitting and over-fitting".
    """

    alpha: float = real(1.0, "Strength of the penalty, in the units of XᵀX.", low=0)
    fit_intercept: bool = flag(True, "Whether b is learned; it is never penalised.")

    def fit(self, X, y):
        p = self.checked()
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, p.fit_intercept)
        self._set(_ridge(X, y, p.alpha), x_mean, y_mean)
        return self


def _ridge(X, y, alpha):
    """Ridge's formula where its digits suffice, else by the singular values; with α = 0 least squares."""
    if alpha == 0:
        return _least_squares(X, y)
    try:
        return ridge_weights(X, y, alpha)
    except np.linalg.LinAlgError:
        return filtered_weights(X, y, alpha)


soft_threshold = door(
    z=numbers("Where the parabola ½(u - z)² has its bottom.", infinite=True),
    threshold=real(REQUIRED, "The price t of |u|.", low=0),
)(core.soft_threshold)


class Lasso(_LinearModel):
    """Lasso: minimise Σ (xᵢᵀw + b - y_i)² / (2n) + α‖w‖₁, which sets weights to exactly 0.

    Coordinate descent (坐标下降): with all other weights fixed, the best w_j is soft_threshold(z, α) / G_jj, where
    G = XᵀX/n (X and y centred) and z = x_jᵀ(y - Σ_{k≠j} x_k w_k)/n. After each sweep the weights that are not 0 are
    solved for exactly, as far as no sign changes. G is formed whole: d² numbers for d features.

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

    alpha: float = real(
        1.0, "Strength of the penalty; from max_j |x_jᵀy|/n on, all weights are 0. With 0 it is least squares.", low=0
    )
    max_iter: int = whole(1000, "The largest number of sweeps.", low=1)
    tol: float = real(
        1e-4,
        "Stops when the duality gap (对偶间隙), an upper bound on how far the objective is above its minimum, is\n"
        "below tol·‖y‖²/n (y centred). With 0 it goes on until rounding stops all movement.",
        low=0,
    )
    fit_intercept: bool = flag(True, "Whether b is learned; it is never penalised.")

    def iter_fit(self, X, y):
        """Learn sweep by sweep; yield the model after each.

        Warns
        -----
        ConvergenceWarning
            If ``max_iter`` sweeps did not bring the duality gap down to ``tol``.
        """
        p = self.checked()
        X, y = check_regression(self, X, y)
        X, y, x_mean, y_mean = _centre(X, y, p.fit_intercept)
        if p.alpha == 0:
            self._set(_least_squares(X, y), x_mean, y_mean)
            self.n_iter_, self.dual_gap_ = 1, 0.0
            yield self
            return
        G, c, yy = X.T @ X / len(y), X.T @ y / len(y), y @ y / len(y)
        w = np.zeros(X.shape[1])
        for self.n_iter_ in range(1, p.max_iter + 1):
            before, w = w, _settled(lasso_sweep(w, G, c, p.alpha), G, c, p.alpha)
            self._set(w, x_mean, y_mean)
            self.dual_gap_ = _duality_gap(w, G, c, yy, p.alpha)
            yield self
            if self.dual_gap_ < p.tol * yy or np.abs(w - before).max() <= 1e-14 * np.abs(w).max():
                return
        warn_caller(
            f"{self} used all {p.max_iter} sweeps and the duality gap is still {self.dual_gap_:.3g}: "
            "raise max_iter, tol or alpha",
            ConvergenceWarning,
        )


def _settled(w, G, c, alpha):
    """Take steps over all the weights that are not 0 together, as long as each makes one of them 0; at most 20."""
    with np.errstate(all="ignore"):
        for _ in range(20):
            before, w = w, support_step(w, G, c, alpha)
            if np.count_nonzero(w) == np.count_nonzero(before):
                break
    return w


def _duality_gap(w, G, c, yy, alpha):
    """Return the objective minus the dual objective: an upper bound on how far w is from the minimum.

    The dual is to maximise (‖y‖² - ‖y - θ‖²)/(2n) subject to |Xᵀθ|/n <= α. A multiple θ = s r of the residual
    satisfies it. Its value never exceeds the minimum of the lasso, so the gap bounds the distance to it.
    """
    pull = c - G @ w
    rr, yr = yy - w @ (c + pull), yy - c @ w  # ‖r‖²/n and yᵀr/n
    s = alpha / max(alpha, np.abs(pull).max())
    return max(float(0.5 * (1 + s * s) * rr + alpha * np.abs(w).sum() - s * yr), 0.0)


# ---------------------------------------------------------------------------------------------------------------
# A line for every query
# ---------------------------------------------------------------------------------------------------------------
class LocallyWeightedRegression(Regressor):
    """Locally weighted linear regression (局部加权线性回归): a new weighted line for every query point.

    The prediction at x is that of the line which minimises Σ u_i (wᵀxᵢ + b - y_i)² with u_i = exp(-‖xᵢ - x‖²/(2τ²)).
    Fitting only stores the data; the work is done in ``predict``. Where the samples near x do not determine the
    slope in some direction, the slope there is 0.

    Attributes
    ----------
    X_ : ndarray of shape (n_samples, n_features)
    y_ : ndarray of shape (n_samples,)

    References
    ----------
    Notes A 1.8 (40), (41).
    """

    tau: float = real(
        1.0,
        "Width of the neighbourhood (带宽), in the units of X. Large: one line for all, as least squares. Small: only\n"
        "the nearest samples count.",
        low=0, low_open=True,
    )

    def fit(self, X, y):
        """Store the data; return self."""
        self.checked()
        X, y = check_regression(self, X, y)
        self.X_, self.y_ = X.copy(), y.copy()
        return self

    def predict(self, X):
        """Return the predictions, of shape (n_queries,), for X of shape (n_queries, n_features)."""
        X = check_X(self, X)
        tau = self.checked().tau
        with np.errstate(all="ignore"):
            return np.array([self._predict_one(q, nearness(q, self.X_, tau)) for q in X])

    def _predict_one(self, q, u):
        """The local line's value at q, with the nearest sample as origin: there its own distances are exactly 0."""
        x, y = self.X_[u.argmax()], self.y_[u.argmax()]
        return y + local_value(q - x, self.X_ - x, self.y_ - y, u)


# ---------------------------------------------------------------------------------------------------------------
# Features
# ---------------------------------------------------------------------------------------------------------------
class PolynomialFeatures(Transformer):
    """All products of the features up to a total degree: 1, x₁, x₂, x₁², x₁x₂, x₂², ...

    For one feature this is the Vandermonde matrix (范德蒙矩阵) 1, x, ..., x^M. A model that is linear in these columns
    is a polynomial in x.

    Attributes
    ----------
    powers_ : int ndarray of shape (n_columns, n_features)
        The exponent of each feature in each column.

    References
    ----------
    Notes B, "linear regression".
    """

    degree: int = whole(2, "The largest total degree of a product.", low=0)
    include_bias: bool = flag(True, "Whether the first column is the constant 1.")

    def fit(self, X, y=None):
        """Remember the number of features of X, of shape (n_samples, n_features); return self.

        Raises
        ------
        ValueError
            For a bad degree, or if no column would be left, or more than a million.
        """
        degree = self.checked().degree
        if degree == 0 and not self.include_bias:
            raise ValueError("degree=0 with include_bias=False leaves no column: raise degree or include the bias")
        n_features = check_fit_X(self, X).shape[1]
        n_columns = math.comb(n_features + degree, degree)
        if n_columns > 1_000_000:
            raise ValueError(
                f"degree={degree} with {n_features} features makes {n_columns:.3g} columns; a million is the most. "
                "Lower the degree or choose fewer features"
            )
        self._factors = [
            indices
            for total in range(0 if self.include_bias else 1, degree + 1)
            for indices in itertools.combinations_with_replacement(range(n_features), total)
        ]
        self.powers_ = np.array([[indices.count(i) for i in range(n_features)] for indices in self._factors])
        return self

    def transform(self, X):
        """Return the products, of shape (n_samples, n_columns), for X of shape (n_samples, n_features).

        Raises
        ------
        ValueError
            If a product overflows.
        """
        X = np.asfortranarray(check_X(self, X))
        with np.errstate(all="ignore"):
            columns = products(X, self._factors)
        return finite(columns, f"a product of degree {self.degree} overflows: scale the features, say to [-1, 1]")

    def get_feature_names_out(self, input_features=None):
        """Return the names of the columns, such as "1", "x0", "x0^2" and "x0 x1"."""
        check_is_fitted(self)
        names = names_of_inputs(self, input_features)
        written = [
            " ".join(f"{names[i]}^{power}" if power > 1 else names[i] for i, power in enumerate(powers) if power)
            for powers in self.powers_.tolist()
        ]
        return np.array([name or "1" for name in written], dtype=object)
