"""Exponential families and generalised linear models: one recipe for measurements, yes-or-no, counts and classes.

Chapter 4. Sources: notes A 5 (exponential families, logistic and softmax regression derived), notes D 3.2.3 (link
functions, log-linear regression), notes B "多分类的逻辑回归"; Nelder and Wedderburn (1972) for the fit.
"""

import math
from dataclasses import dataclass

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    Regressor,
    check_choice,
    check_classification,
    check_consistent_length,
    check_int,
    check_numbers,
    check_numeric_target,
    check_real,
    check_regression,
    check_sample_weight,
    check_X,
    run,
    warn_caller,
)

__all__ = [
    "FAMILIES", "LINKS", "Bernoulli", "Categorical", "Gaussian", "GeneralizedLinearModel", "Link",
    "LogLinearRegression", "Poisson", "SoftmaxRegression", "log_softmax", "softmax",
]


# ---------------------------------------------------------------------------------------------------------------
# Softmax
# ---------------------------------------------------------------------------------------------------------------
def log_softmax(z, axis=-1):
    """Return z_k - ln Σ_j e^(z_j), the logarithms of the softmax probabilities, without overflow.

    The largest score is subtracted first, which changes nothing: it cancels. Then no exponent is positive and one
    of them is 0, so that the sum lies between 1 and K. Notes A (94)-(95).

    Parameters
    ----------
    z : array-like of any shape with at least one dimension
        Scores. -infinity is an impossible class; NaN and +infinity are refused.
    axis : int
        The axis of the classes.

    Returns
    -------
    ndarray of the shape of z, <= 0

    Raises
    ------
    ValueError
        If z is not numeric, empty, holds NaN or +infinity, has no such axis, or every class of a row is impossible.
    """
    z = check_numbers(z, "z", allow_infinity=True)
    axis = check_int("axis", axis)
    if z.size == 0 or not -z.ndim <= axis < z.ndim:
        raise ValueError(f"z must hold scores along axis {axis}, but its shape is {z.shape}")
    largest = z.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("z has +infinity, or a row of -infinity alone: such scores give no probabilities")
    z = z - largest
    return z - np.log(np.sum(np.exp(z), axis=axis, keepdims=True))


def softmax(z, axis=-1):
    """Return e^(z_k) / Σ_j e^(z_j): probabilities from scores (softmax函数), without overflow. Notes A (94)-(95).

    Parameters, errors: see ``log_softmax``.

    Returns
    -------
    ndarray of the shape of z, in [0, 1], with sum 1 along ``axis``
    """
    return np.exp(log_softmax(z, axis))


def _sigmoid(z):
    """1 / (1 + e⁻ᶻ) for floats, right to the last digits in both tails."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


# ---------------------------------------------------------------------------------------------------------------
# Families
# ---------------------------------------------------------------------------------------------------------------
class _Family:
    """p(y | η) = h(y) exp(η·y - A(η)): the exponential family (指数族) whose sufficient statistic is y itself.

    Notes A (84) with g(η) = exp(-A(η)) and u(y) = y. Everything follows from the log-partition A: the mean is A'(η),
    the variance A''(η). The link that makes the natural parameter η linear is the canonical one: g(μ) = η.
    """

    name, link = "", ""

    def log_prob(self, y, eta):
        """Return ln p(y | η) = ln h(y) + η y - A(η); y and eta are broadcast against each other.

        Raises
        ------
        ValueError
            If y holds a value that the family cannot give.
        """
        y, eta = self.check_targets(y), check_numbers(eta, "eta")
        return self._log_base(y) + eta * y - self.log_partition(eta)

    def check_targets(self, y):
        """Return y as floats, or say which value this family cannot give."""
        return check_numbers(y, "y")

    def residual(self, y, eta):
        """Return A'(η) - y, the derivative of -ln p in η."""
        return self.mean(eta) - y

    def __repr__(self):
        return f"{type(self).__name__}()"


class Gaussian(_Family):
    """A measurement: p(y | η) = (2π)^-½ e^(-y²/2) exp(ηy - η²/2), a Gaussian of mean η and variance 1 (高斯分布).

    A(η) = η²/2, A'(η) = η, A''(η) = 1; the canonical link is the identity. Another variance σ² multiplies A'' and
    changes no estimate of the mean: it scales the whole log-likelihood.
    """

    name, link = "gaussian", "identity"

    def log_partition(self, eta):
        """A(η) = η² / 2."""
        return 0.5 * np.square(check_numbers(eta, "eta"))

    def mean(self, eta):
        """A'(η) = η."""
        return check_numbers(eta, "eta") * 1.0

    def variance(self, eta):
        """A''(η) = 1."""
        return np.ones_like(check_numbers(eta, "eta"))

    def natural_parameter(self, mean):
        """η = μ."""
        return check_numbers(mean, "mean") * 1.0

    def half_deviance(self, y, eta):
        """(y - η)² / 2: the log-likelihood that is missing to a perfect fit."""
        return 0.5 * np.square(y - eta)

    def _log_base(self, y):
        return -0.5 * np.square(y) - 0.5 * math.log(2 * math.pi)


class Bernoulli(_Family):
    """Yes or no: p(y | η) = exp(ηy - ln(1 + e^η)) for y in {0, 1}, with η = ln μ/(1 - μ) (伯努利分布).

    A(η) = ln(1 + e^η), A'(η) = 1 / (1 + e^-η), the sigmoid, A''(η) = μ(1 - μ); the canonical link is the logit. Notes A
    (85)-(88); there g(η) should read 1 - μ = 1 / (1 + e^η), and the left side of (86) should be η.
    """

    name, link = "bernoulli", "logit"

    def log_partition(self, eta):
        """A(η) = ln(1 + e^η)."""
        return np.logaddexp(0.0, check_numbers(eta, "eta"))

    def mean(self, eta):
        """A'(η) = 1 / (1 + e^-η)."""
        return _sigmoid(check_numbers(eta, "eta"))

    def variance(self, eta):
        """A''(η) = μ (1 - μ), with 1 - μ as the sigmoid of -η, so that its digits stay."""
        eta = check_numbers(eta, "eta")
        return _sigmoid(eta) * _sigmoid(-eta)

    def natural_parameter(self, mean):
        """η = ln μ/(1 - μ); ValueError unless 0 < μ < 1."""
        mean = _inside("mean", mean, 0, 1)
        return np.log(mean) - np.log1p(-mean)

    def check_targets(self, y):
        """Return y as floats; ValueError unless each is 0 or 1."""
        y = check_numbers(y, "y")
        _refuse(y, (y == 0) | (y == 1), "family 'bernoulli' needs y in {0, 1}", "encode the two classes as 0 and 1")
        return y

    def residual(self, y, eta):
        """A'(η) - y, which for y = 1 is minus the sigmoid of -η: no digits cancel."""
        sign = 1.0 - 2.0 * y
        return sign * _sigmoid(sign * eta)

    def half_deviance(self, y, eta):
        """ln(1 + e^∓η) for y = 1, 0: the log-loss."""
        return np.logaddexp(0.0, (1.0 - 2.0 * y) * eta)

    def _log_base(self, y):
        return np.zeros_like(y)


class Poisson(_Family):
    """A count: p(y | η) = (1/y!) exp(ηy - e^η) for y = 0, 1, 2, ..., with η = ln μ (泊松分布).

    A(η) = A'(η) = A''(η) = e^η: the variance equals the mean. The canonical link is the logarithm.
    """

    name, link = "poisson", "log"

    def log_partition(self, eta):
        """A(η) = e^η."""
        return np.exp(check_numbers(eta, "eta"))

    mean = log_partition
    variance = log_partition

    def natural_parameter(self, mean):
        """η = ln μ; ValueError unless μ > 0."""
        return np.log(_inside("mean", mean, 0, np.inf))

    def check_targets(self, y):
        """Return y as floats; ValueError if one is negative. Fractions are let through: rates, weighted counts."""
        y = check_numbers(y, "y")
        _refuse(y, y >= 0, "family 'poisson' needs counts y >= 0", "use family='gaussian' for values of either sign")
        return y

    def half_deviance(self, y, eta):
        """y (e^δ - 1 - δ) with δ = η - ln y, and e^η for y = 0."""
        some = y > 0
        delta = eta - np.log(np.where(some, y, 1.0))
        return np.where(some, y * (np.expm1(delta) - delta), np.exp(eta))

    def _log_base(self, y):
        _refuse(y, y == np.floor(y), "a Poisson probability needs whole counts", "round y")
        return -np.array([math.lgamma(value + 1) for value in y.ravel()]).reshape(y.shape)


class Categorical:
    """One of K classes: p(y | η) = exp(η·u(y) - ln(1 + Σ_j e^(η_j))), u(y) the first K - 1 of K indicators (多项分布).

    η_k = ln μ_k/μ_K for k < K: the last class is the reference. The gradient of A is the softmax, its Hessian the
    covariance diag(μ) - μμᵀ of the indicators. Notes A (91)-(94); (92) lacks the logarithm.

    Parameters
    ----------
    n_classes : int >= 2
        K.
    """

    name, link = "categorical", "logit"

    def __init__(self, n_classes):
        self.n_classes = check_int("n_classes", n_classes, low=2)

    def log_partition(self, eta):
        """A(η) = ln(1 + Σ e^(η_j)); eta has shape (..., K - 1), the result (...)."""
        return -log_softmax(self._with_reference(eta))[..., -1]

    def probabilities(self, eta):
        """Return all K probabilities, shape (..., K)."""
        return softmax(self._with_reference(eta))

    def mean(self, eta):
        """∇A(η) = e^(η_k) / (1 + Σ e^(η_j)), the probabilities of the first K - 1 classes, shape (..., K - 1)."""
        return self.probabilities(eta)[..., :-1]

    def variance(self, eta):
        """∇²A(η) = diag(μ) - μμᵀ, shape (..., K - 1, K - 1)."""
        mean = self.mean(eta)
        return mean[..., np.newaxis] * (np.eye(self.n_classes - 1) - mean[..., np.newaxis, :])

    def natural_parameter(self, mean):
        """η_k = ln μ_k / (1 - Σ μ_j); mean has shape (..., K - 1), all > 0 and with a sum < 1."""
        mean = self._check_shape(_inside("mean", mean, 0, 1), "mean")
        rest = 1.0 - mean.sum(axis=-1, keepdims=True)
        if not (rest > 0).all():
            raise ValueError(f"the {self.n_classes - 1} probabilities sum to {1 - rest.min():g}: nothing is left for "
                             "the last class")
        return np.log(mean / rest)

    def log_prob(self, y, eta):
        """Return ln p(y | η) for class numbers y in 0, ..., K - 1 of shape (...) and eta of shape (..., K - 1)."""
        y = check_numbers(y, "y")
        _refuse(y, np.isin(y, np.arange(self.n_classes)), f"classes are numbered 0 to {self.n_classes - 1}", "recode y")
        logs = log_softmax(self._with_reference(eta))
        y, logs = np.broadcast_arrays(y.astype(int)[..., np.newaxis], logs)
        return np.take_along_axis(logs, y[..., :1], axis=-1)[..., 0]

    def _with_reference(self, eta):
        eta = self._check_shape(check_numbers(eta, "eta"), "eta")
        return np.concatenate([eta, np.zeros_like(eta[..., :1])], axis=-1)

    def _check_shape(self, values, name):
        if values.ndim == 0 or values.shape[-1] != self.n_classes - 1:
            raise ValueError(f"{name} must have shape (..., {self.n_classes - 1}), got {values.shape}")
        return values

    def __repr__(self):
        return f"Categorical({self.n_classes})"


def _inside(name, values, low, high):
    values = check_numbers(values, name)
    _refuse(values, (values > low) & (values < high), f"{name} must lie in ({low:g}, {high:g})", "mind the ends")
    return values


def _refuse(values, allowed, rule, advice):
    """ValueError with the first value that is not allowed and how many there are."""
    if not np.all(allowed):
        wrong = values[~allowed]
        raise ValueError(f"{rule}, but {wrong.size} of {values.size} are not, such as {wrong.flat[0]:g}; {advice}")


# ---------------------------------------------------------------------------------------------------------------
# Links
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Link:
    """A link function (联系函数) η = g(μ), with its inverse μ(η) and the slope μ'(η). Notes D (3.15).

    ``low`` and ``high`` bound the means that the inverse can give.
    """

    name: str
    forward: object
    inverse: object
    slope: object
    low: float
    high: float


LINKS = {
    link.name: link
    for link in (
        Link("identity", lambda mean: mean * 1.0, lambda eta: eta * 1.0, np.ones_like, -np.inf, np.inf),
        Link("log", np.log, np.exp, np.exp, 0.0, np.inf),
        Link("logit", lambda mean: np.log(mean) - np.log1p(-mean), _sigmoid, lambda eta: _sigmoid(eta) * _sigmoid(-eta),
             0.0, 1.0),
    )
}
FAMILIES = {family.name: family for family in (Gaussian, Bernoulli, Poisson)}
_RANGE = {"gaussian": (-np.inf, np.inf), "bernoulli": (0.0, 1.0), "poisson": (0.0, np.inf)}


def _as_family(family):
    """An object of a family, from such an object or its lower-case name."""
    if isinstance(family, tuple(FAMILIES.values())):
        return family
    if isinstance(family, Categorical) or family == "categorical":
        raise ValueError("family 'categorical' has K - 1 linear predictors: use SoftmaxRegression")
    return FAMILIES[check_choice("family", family, tuple(FAMILIES))]()


# ---------------------------------------------------------------------------------------------------------------
# The descent that all fits share
# ---------------------------------------------------------------------------------------------------------------
def _descend(problem, theta, max_iter, tol):
    """Walk to the minimum of J by steps that are halved until J really falls. Yields (θ, status).

    ``problem.value`` is J, infinite where θ is not allowed; ``problem.step`` gives a step downhill and what it
    promises, -∇J·step. The status is "running" after a step. The last pair has another one: "converged"; "no maximum"
    if J still falls along a long step (then the likelihood has no maximum); "stopped" after max_iter steps.
    """
    value = first = problem.value(theta)
    for _ in range(max_iter):
        move, promised = problem.step(theta)
        if promised <= tol**2 * first + problem.noise:
            yield _finish(problem, theta, move, value)
            return
        share, lower = _halve(problem, theta, move, promised, value)
        if share == 0:  # too small a gain to be seen in J, or a border of what is allowed
            done = promised <= 1e-9 * first
            yield _finish(problem, theta, move, value) if done else (theta, "stopped")
            return
        theta, value = theta + share * move, lower
        yield theta, "running"
    move, promised = problem.step(theta)
    near = promised <= tol**2 * first + problem.noise
    yield _finish(problem, theta, move, value) if near else (theta, "stopped")


def _halve(problem, theta, move, promised, value):
    """The first of the shares 1, ½, ¼, ... of a step that keeps 10⁻⁴ of its promise, and J there; (0, J) if none."""
    for halvings in range(50):
        share = 0.5**halvings
        lower = problem.value(theta + share * move)
        if lower < value - 1e-4 * share * promised:
            return share, lower
    return 0.0, value


def _finish(problem, theta, move, value):
    """Take a last, tiny step, unless the step is long, so that J falls for ever along it."""
    if problem.reach(move) > 0.1 and not problem.penalised:
        return theta, "no maximum"
    end = theta + move
    return (end if problem.value(end) <= value + 1e-9 * abs(value) else theta), "converged"


def _solve(hessian, gradient, root=None, target=None):
    """Return the step -H⁻¹∇J; for a singular H the shortest one in the units of its diagonal.

    A Cholesky factor shows whether H is safely invertible. If not, the same step is found without squaring the
    condition number: as the least-squares solution of ``root``·step = -``target``, where H = rootᵀroot and
    ∇J = rootᵀtarget; or, if these are not given, from the eigenvalues of H.
    """
    scale = np.sqrt(np.diag(hessian))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = hessian / scale[:, np.newaxis] / scale
    try:
        if np.diag(np.linalg.cholesky(scaled)).min() > 1e-4:
            return np.linalg.solve(scaled, -gradient / scale) / scale
    except np.linalg.LinAlgError:
        pass
    if root is not None:
        root, target = root(), target()
        return np.linalg.lstsq(root / scale, -target, rcond=1e-11)[0] / scale
    spread, axes = np.linalg.eigh(scaled)
    kept = spread > 1e-14 * spread[-1]
    return axes[:, kept] @ (axes[:, kept].T @ (-gradient / scale) / spread[kept]) / scale


def _standardise(X, weights):
    """Return (X - mean) / deviation with a last column of ones, the means and the deviations (1 for a constant).

    It changes no fit; it only keeps digits when the columns have very different units.
    """
    largest = np.abs(X).max()
    if largest > 1e100:
        raise ValueError(f"X holds values of size {largest:g}, whose squares overflow; rescale the features")
    mean = weights @ X
    Z = X - mean
    deviation = np.sqrt(weights @ np.square(Z))
    constant = deviation <= 1e-14 * np.abs(mean) + 1e-100
    Z[:, constant] = 0.0
    deviation = np.where(constant, 1.0, deviation)
    return np.column_stack([Z / deviation, np.ones(len(X))]), mean, deviation


def _check_scores(scores, X):
    if not np.isfinite(scores).all():
        raise ValueError(f"the score w·x + b overflows for values of X as large as {np.abs(X).max():g}; rescale X")
    return scores


def _warn_unless_converged(model):
    """One warning for a fit that ended without a maximum."""
    if model.status_ == "no maximum":
        warn_caller(
            f"the likelihood rises for ever: after {model.n_iter_} steps it gains nothing more, but the weights still "
            "grow (classes that can be separated, or a group of counts that are all 0); set alpha > 0",
            ConvergenceWarning,
        )
    elif model.status_ == "stopped":
        warn_caller(
            f"the fit stopped after {model.n_iter_} steps before it reached the maximum: raise max_iter; if it stays, "
            "the best mean may lie on a border that the link allows and the family does not: use the canonical link",
            ConvergenceWarning,
        )


# ---------------------------------------------------------------------------------------------------------------
# Generalised linear models
# ---------------------------------------------------------------------------------------------------------------
class _Problem:
    """J(θ) = Σ ω_i [half deviance of y_i at θ] + ½ Σ α_j θ_j², for linear predictors η = Xθ + offset.

    With natural parameter ϑ(η) and ϑ' = μ'(η)/V(μ), which is 1 for the canonical link:
    ∇J = Xᵀ ω (μ - y) ϑ' + α θ, and the expected Hessian is Xᵀ diag(ω V ϑ'²) X + diag(α).
    """

    def __init__(self, family, link, X, y, weights, offset, penalty):
        self.family, self.link, self.X, self.y = family, link, X, y
        self.weights, self.offset, self.penalty = weights, offset, penalty
        self.penalised = bool(penalty.any())
        self.canonical = link.name == family.link
        self.low, self.high = _RANGE[family.name]
        self.noise = 1e-29 * float(weights @ np.square(y)) if family.name == "gaussian" else 1e-30

    def natural(self, eta):
        """ϑ(η) and its derivative; None where a mean leaves the range of the family."""
        if self.canonical:
            return eta, 1.0
        mean = self.link.inverse(eta)
        if not (np.isfinite(mean) & (mean > self.low) & (mean < self.high)).all():
            return None
        natural = self.family.natural_parameter(mean)
        return natural, self.link.slope(eta) / self.family.variance(natural)

    def value(self, theta):
        """J(θ), infinite where a mean is impossible."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            eta = self.X @ theta + self.offset
            natural = self.natural(eta) if np.isfinite(eta).all() else None
            if natural is None:
                return np.inf
            loss = self.weights @ self.family.half_deviance(self.y, natural[0])
            loss += 0.5 * self.penalty @ np.square(theta)
        return float(loss) if np.isfinite(loss) else np.inf

    def step(self, theta):
        """The step of iteratively reweighted least squares, and what it promises."""
        natural, turn = self.natural(self.X @ theta + self.offset)
        slope = self.family.residual(self.y, natural) * turn
        curvature = self.family.variance(natural) * turn**2 * np.ones(len(self.y))
        half = np.sqrt(self.weights * curvature)
        root = self.X * half[:, np.newaxis]
        gradient = self.X.T @ (self.weights * slope) + self.penalty * theta
        grain = np.sqrt(self.penalty)

        def target():
            residual = np.divide(self.weights * slope, half, out=np.zeros_like(half), where=half > 0)
            return np.append(residual, grain * theta)

        move = _solve(
            root.T @ root + np.diag(self.penalty), gradient, lambda: np.vstack([root, np.diag(grain)]), target
        )
        return move, float(-gradient @ move)

    def reach(self, move):
        """The largest change of a linear predictor."""
        return float(np.abs(self.X @ move).max())


class GeneralizedLinearModel(Regressor):
    """A function of the mean is linear in the features (广义线性模型).

    g(E[y | x]) = w·x + b, y from an exponential family.

    w and b minimise ½ Σ ω_i d(y_i, μ_i) + ½ α ‖w‖², half the deviance plus a penalty. For the canonical link that is
    minus the log-likelihood but for a constant, and convex. The fit is iteratively reweighted least squares (IRLS,
    迭代重加权最小二乘): each step solves a least-squares problem with weights μ'²/V(μ) for the working response
    z = η + (y - μ)/μ', and is halved until the objective falls. Notes A 5, D 3.2.3; Nelder and Wedderburn (1972).

    Parameters
    ----------
    family : "gaussian", "bernoulli", "poisson" or an object of these classes
        How y varies around its mean.
    link : None, "identity", "log" or "logit"
        The function g of the mean that is linear. None takes the canonical link: identity, logit, log.
    alpha : float
        Strength of the penalty on w, >= 0; the intercept is not penalised. For the Gaussian it is ``Ridge``'s.
    max_iter : int
        The largest number of steps.
    tol : float
        Stop when a step promises to lower the objective by no more than tol² of its first value.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    deviance_, null_deviance_ : float
        Σ ω_i d(y_i, μ_i) of the fit, and of the model it started from: w = 0 and one constant for all rows.
    n_iter_ : int
        Steps made.
    status_ : str
        "converged"; "no maximum" (the likelihood rises for ever, ``fit`` warns); "stopped" (likewise); inside
        ``iter_fit`` "running".
    """

    def __init__(self, *, family="gaussian", link=None, alpha=0.0, max_iter=100, tol=1e-8):
        self.family = family
        self.link = link
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None, offset=None):
        """Learn w and b.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            What the family can give: 0 and 1 for "bernoulli", nothing negative for "poisson".
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.
        offset : array-like of shape (n_samples,), optional
            A known part of the linear predictor, such as the logarithm of the exposure of a count.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; if y is impossible for the family, or there is no maximum because all y are 0
            (or, for "bernoulli", all 1); if the link cannot give the mean of y.
        """
        run(self.iter_fit(X, y, sample_weight, offset))
        _warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None, offset=None):
        """Yield the model itself, ready to predict, after each step of IRLS; see ``fit``."""
        family, link = _as_family(self.family), self._link()
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        X, y = check_regression(self, X, y)
        y, weights = family.check_targets(y), check_sample_weight(sample_weight, len(y))
        offset = _check_offset(offset, len(y))
        counted, total = weights > 0, weights.sum()
        X, y, weights, offset = X[counted], y[counted], weights[counted] / total, offset[counted]
        Z, center, scale = _standardise(X, weights)
        problem = _Problem(family, link, Z, y, weights, offset, np.append(alpha / total / scale**2, 0.0))
        start = np.append(np.zeros(X.shape[1]), _start(problem))
        self.null_deviance_ = 2 * total * problem.value(start)
        self.n_iter_ = 0
        for theta, self.status_ in _descend(problem, start, max_iter, tol):
            self.coef_ = theta[:-1] / scale
            self.intercept_ = float(theta[-1] - self.coef_ @ center)
            loss = problem.value(theta) - 0.5 * problem.penalty @ np.square(theta)
            self.deviance_ = max(0.0, 2 * float(total * loss))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _link(self):
        if self.link is None:
            return LINKS[_as_family(self.family).link]
        return LINKS[check_choice("link", self.link, tuple(LINKS))]

    def linear_predictor(self, X, offset=None):
        """Return η = w·x + b + offset, shape (n_samples,)."""
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            eta = X @ self.coef_ + self.intercept_ + _check_offset(offset, len(X))
        return _check_scores(eta, X)

    def predict(self, X, offset=None):
        """Return the mean of y at each row, shape (n_samples,): for "bernoulli" the probability of a 1.

        Raises
        ------
        ValueError
            If a mean overflows, or is impossible for the family (which a link that is not canonical allows).
        """
        eta, family = self.linear_predictor(X, offset), _as_family(self.family)
        with np.errstate(over="ignore"):
            mean = self._link().inverse(eta)
        low, high = _RANGE[family.name]
        _refuse(eta, np.isfinite(mean), "a linear predictor must have a finite mean", "rescale X")
        rule = f"a mean of family {family.name!r} must lie in [{low:g}, {high:g}]"
        _refuse(mean, (mean >= low) & (mean <= high), rule, f"use link={family.link!r}")
        return mean

    def score(self, X, y, sample_weight=None):
        """Return D² = 1 - deviance / deviance of the mean of y; for the Gaussian that is R².

        For a constant y it is 1 for a perfect fit and 0 otherwise.
        """
        family, predicted = _as_family(self.family), self.predict(X)
        y = family.check_targets(check_numeric_target(y))
        check_consistent_length(predicted, y)
        weights = check_sample_weight(sample_weight, len(y))
        least = np.full(len(y), np.average(y, weights=weights))
        own, null = (float(weights @ _half_deviance(family, y, mean)) for mean in (predicted, least))
        if null <= 0:
            return 1.0 if own <= 0 else 0.0
        return 1.0 - own / null

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family == "poisson" or isinstance(self.family, Poisson)
        return tags


def _half_deviance(family, y, mean):
    """Half the deviance from means; at a border of the range it is 0 where y lies there too, and infinite elsewhere."""
    low, high = _RANGE[family.name]
    edge = (mean <= low) | (mean >= high)
    natural = family.natural_parameter(np.where(edge, 0.5, mean))
    return np.where(edge, np.where(y == mean, 0.0, np.inf), family.half_deviance(y, natural))


def _check_offset(offset, n_samples):
    if offset is None:
        return np.zeros(n_samples)
    offset = check_numbers(offset, "offset")
    if offset.shape != (n_samples,):
        raise ValueError(f"offset must have shape ({n_samples},), one for each row, got {offset.shape}")
    return offset


def _start(problem):
    """The intercept to start from: the link of the mean of y, less the offset. ValueError where there is none."""
    family, link, mean = problem.family, problem.link, float(problem.weights @ problem.y)
    if not problem.low < mean < problem.high:
        raise ValueError(
            f"every y is {mean:g}, one class only: the {family.name} likelihood rises for ever as the mean goes there, "
            "so it has no maximum; both classes are needed" if family.name == "bernoulli" else
            f"every y is {mean:g}: the {family.name} likelihood has no maximum; a count above 0 is needed"
        )
    if not link.low < mean < link.high:
        raise ValueError(
            f"link={link.name!r} gives means in ({link.low:g}, {link.high:g}), but the mean of y is {mean:g}; "
            f"use link={family.link!r}"
        )
    middle = problem.offset.mean()
    if link.name == "log":  # then the constant model is exact: the means sum to the sum of y
        largest = problem.offset.max()
        middle = largest + math.log(problem.weights @ np.exp(problem.offset - largest))
    intercept = float(link.forward(mean)) - middle
    start = np.append(np.zeros(problem.X.shape[1] - 1), intercept)
    if not np.isfinite(problem.value(start)):
        raise ValueError(
            f"with this offset (from {problem.offset.min():g} to {problem.offset.max():g}) no start has a finite "
            f"likelihood; use link={family.link!r} or a smaller offset"
        )
    return intercept


# ---------------------------------------------------------------------------------------------------------------
# Log-linear regression
# ---------------------------------------------------------------------------------------------------------------
class LogLinearRegression(Regressor):
    """Least squares for the logarithm of y (对数线性回归): ln y = w·x + b. Notes D (3.14).

    It is linear regression after a change of y, and no generalised linear model: it models the mean of ln y, while
    the log link models the logarithm of the mean. ``predict`` returns e^(w·x + b), which is the median of y if ln y is
    Gaussian; the mean is larger by the factor e^(σ²/2).

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, the shortest of the solutions where the columns depend on each other.
    intercept_ : float
        b.
    sigma_ : float
        Root mean square of the residuals of ln y.
    """

    def __init__(self):
        """There is nothing to choose."""

    def fit(self, X, y):
        """Learn w and b from X of shape (n_samples, n_features) and positive y of shape (n_samples,).

        Raises
        ------
        ValueError
            For bad data, or if some y is not positive and so has no logarithm.
        """
        X, y = check_regression(self, X, y)
        _refuse(y, y > 0, "ln y needs y > 0", "use GeneralizedLinearModel(family='poisson') where zeros occur")
        logs, weights = np.log(y), np.full(len(y), 1 / len(y))
        Z, center, scale = _standardise(X, weights)
        w = np.linalg.lstsq(Z[:, :-1], logs - logs.mean(), rcond=None)[0]
        self.coef_ = w / scale
        self.intercept_ = float(logs.mean() - self.coef_ @ center)
        self.sigma_ = float(np.sqrt(np.mean((logs - X @ self.coef_ - self.intercept_) ** 2)))
        return self

    def predict(self, X):
        """Return e^(w·x + b), shape (n_samples,); ValueError where it overflows."""
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            score = _check_scores(X @ self.coef_ + self.intercept_, X)
            value = np.exp(score)
        _refuse(score, np.isfinite(value), "w·x + b must have a finite exponential", "rescale X")
        return value

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


# ---------------------------------------------------------------------------------------------------------------
# Softmax regression
# ---------------------------------------------------------------------------------------------------------------
class _SoftmaxProblem:
    """J(V) = -Σ ω_i ln p(y_i) + ½ Σ α ‖V‖², with scores Z = X Vᵀ Cᵀ and p the softmax of a row of Z.

    ∇J = Cᵀ(ω (P - Y))ᵀ X + α V, and ∇²J sums (Cᵀ [diag(p) - ppᵀ] C) ⊗ ω x xᵀ over the rows. C (K, K - 1) turns K - 1
    free weight vectors into K: see ``_free_directions``.
    """

    def __init__(self, X, codes, n_classes, weights, penalty, directions):
        self.X, self.weights, self.C = X, weights, directions
        self.codes, self.rows = codes, np.arange(len(X))
        self.shape = n_classes - 1, X.shape[1]
        self.penalty = np.tile(penalty, n_classes - 1)
        self.penalised, self.noise = bool(penalty.any()), 1e-30
        self._last = None, None

    def _logs(self, theta):
        """The log-probabilities at θ, remembered: a step asks for those of the value before it."""
        if self._last[0] is None or not np.array_equal(self._last[0], theta):
            scores = self.X @ theta.reshape(self.shape).T @ self.C.T
            self._last = theta.copy(), log_softmax(scores) if np.isfinite(scores).all() else None
        return self._last[1]

    def value(self, theta):
        """J, infinite where the scores overflow."""
        logs = self._logs(theta)
        if logs is None:
            return np.inf
        return float(-self.weights @ logs[self.rows, self.codes] + 0.5 * self.penalty @ np.square(theta))

    def step(self, theta):
        """Newton's step, and what it promises."""
        P = np.exp(self._logs(theta))
        miss = P.copy()
        miss[self.rows, self.codes] = 0.0
        miss[self.rows, self.codes] = -miss.sum(axis=1)  # P - Y, but 1 - p keeps its digits
        gradient = ((self.weights[:, np.newaxis] * miss @ self.C).T @ self.X).ravel() + self.penalty * theta
        move = _solve(self._hessian(P), gradient)
        return move, float(-gradient @ move)

    def _hessian(self, P):
        """∇²J by blocks: Σ_k C_ka C_kb Xᵀ diag(ωp_k) X, less the products of the rows (Cᵀp) ⊗ x."""
        k, d = self.shape
        each = np.array([(self.X * (self.weights * p)[:, np.newaxis]).T @ self.X for p in P.T])
        H = np.einsum("ka,kb,kij->aibj", self.C, self.C, each, optimize=True).reshape(k * d, k * d)
        for block in range(0, len(P), 2048):
            rows = slice(block, block + 2048)
            mean = np.sqrt(self.weights[rows, np.newaxis]) * (P[rows] @ self.C)
            products = (mean[:, :, np.newaxis] * self.X[rows, np.newaxis, :]).reshape(len(mean), k * d)
            H -= products.T @ products
        return H + np.diag(self.penalty)

    def reach(self, move):
        """The largest change of a difference of two scores."""
        change = self.X @ move.reshape(self.shape).T @ self.C.T
        return float(np.ptp(change, axis=1).max())


def _free_directions(n_classes, parametrization):
    """C of shape (K, K - 1): how K weight vectors come from K - 1 free ones.

    "reference": the last one is 0. "full": orthonormal columns that are orthogonal to (1, ..., 1), so the K weight
    vectors sum to 0 and their squares have the sum of the free ones' squares. Of all K weight vectors that give the
    same probabilities these are the shortest, so a penalty on all K picks them.
    """
    if parametrization == "reference":
        return np.eye(n_classes)[:, :-1]
    helmert = np.zeros((n_classes, n_classes - 1))
    for j in range(n_classes - 1):
        helmert[: j + 1, j] = 1.0
        helmert[j + 1, j] = -(j + 1.0)
    return helmert / np.linalg.norm(helmert, axis=0)


class SoftmaxRegression(Classifier):
    """K classes, whose probabilities are the softmax of K linear scores (softmax 回归, 多项逻辑回归).

    P(k | x) = e^(w_k·x + b_k) / Σ_j e^(w_j·x + b_j)

    The weights minimise -Σ ω ln P(y | x) + ½ α ‖W‖² by Newton's method with step halving. One vector can be added to
    all w_k without any effect, so there are only K - 1 free ones. Notes A 5.2 (95)-(97), B "多分类的逻辑回归".

    Parameters
    ----------
    alpha : float
        Strength of the penalty, >= 0: scikit-learn's 1/C. The intercepts are not penalised.
    parametrization : "full" or "reference"
        K weight vectors that sum to 0, or K - 1 and a last one that is 0. For alpha=0 both give the same probabilities;
        for alpha>0 they do not: "reference" then treats the last class unlike the others.
    max_iter : int
        The largest number of steps.
    tol : float
        Stop when a step promises to lower the objective by no more than tol² of its first value.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features)
        The w_k, also for two classes.
    intercept_ : ndarray of shape (n_classes,)
        The b_k.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    loss_ : float
        -Σ ω ln P(y | x) of the training data, without the penalty.
    n_iter_ : int
        Steps made.
    status_ : str
        "converged"; "no maximum" (the classes can be separated, ``fit`` warns); "stopped" (likewise); inside
        ``iter_fit`` "running".
    """

    def __init__(self, *, alpha=0.0, parametrization="full", max_iter=100, tol=1e-6):
        self.alpha = alpha
        self.parametrization = parametrization
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Learn the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; if there is only one class, or all rows of one have weight 0.
        """
        run(self.iter_fit(X, y, sample_weight))
        _warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Yield the model itself, ready to predict, after each Newton step; see ``fit``."""
        check_choice("parametrization", self.parametrization, ("full", "reference"))
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        X, codes = check_classification(self, X, y, min_classes=2)
        weights = check_sample_weight(sample_weight, len(X))
        n_classes, counted, total = len(self.classes_), weights > 0, weights.sum()
        shares = np.bincount(codes, weights, minlength=n_classes) / total
        if not (shares > 0).all():
            raise ValueError(f"sample_weight is zero for every row of class {self.classes_[np.argmin(shares)]!r}")
        X, codes, weights = X[counted], codes[counted], weights[counted] / total
        Z, center, scale = _standardise(X, weights)
        C = _free_directions(n_classes, self.parametrization)
        problem = _SoftmaxProblem(Z, codes, n_classes, weights, np.append(alpha / total / scale**2, 0.0), C)
        V = np.zeros(problem.shape)
        # the classes' shares as intercepts; what cannot be written as C times something is the same for all
        V[:, -1] = np.linalg.lstsq(C - C[-1], np.log(shares / shares[-1]), rcond=None)[0]
        self.n_iter_ = 0
        for theta, self.status_ in _descend(problem, V.ravel(), max_iter, tol):
            W = C @ theta.reshape(problem.shape)
            self.coef_ = W[:, :-1] / scale
            self.intercept_ = W[:, -1] - self.coef_ @ center
            self.loss_ = total * (problem.value(theta) - 0.5 * float(problem.penalty @ np.square(theta)))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _scores(self, X):
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            return _check_scores(X @ self.coef_.T + self.intercept_, X)

    def decision_function(self, X):
        """Return the scores, shape (n_samples, n_classes); for two classes their difference, shape (n_samples,)."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, shape (n_samples, n_classes); each row sums to 1."""
        return softmax(self._scores(X))

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, finite where they round to 0."""
        return log_softmax(self._scores(X))

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,)."""
        best = np.argmax(self._scores(X), axis=1)
        return self.classes_[best]
