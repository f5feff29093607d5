"""Estimating parameters: maximum likelihood, maximum a posteriori, and the whole posterior (参数估计).

Sources: notes A 9.4 (Bayesian statistics and regularisation), A 10.2 (maximum likelihood, Gaussians), notes B "概率论"
(MLE, MAP, conjugate priors) and "逻辑回归" (MAP).
"""

import math
from dataclasses import dataclass

import numpy as np

from mlcore.base import (
    Estimator,
    Regressor,
    anything,
    check_array,
    check_fit_X,
    check_flag,
    check_int,
    check_is_fitted,
    check_numbers,
    check_random_state,
    check_real,
    check_regression,
    check_shares,
    check_X,
    door,
    flag,
    linear_scores,
    real,
    vector,
)
from mlcore.core.logistic_regression import hessian
from mlcore.core.parameter_estimation import (
    beta_mean,
    beta_mode,
    beta_update,
    dirichlet_mean,
    dirichlet_mode,
    dirichlet_update,
    frequencies,
    mean_update,
    moderated,
    predictive_variance,
    weight_posterior,
    weight_update,
)
from mlcore.logistic_regression import LogisticRegression
from mlcore.numerics import (
    expit,
    finite,
    gaussian_log_density,
    gaussian_mle,
    penalty_in_units,
    regular_inverse_root,
    standardise,
)

__all__ = [
    "BayesianLinearRegression", "BetaBernoulli", "DirichletCategorical", "GaussianMLE", "GaussianMean",
    "LogisticPosterior", "bayesian_logistic_laplace", "categorical_mle",
]


# ---------------------------------------------------------------------------------------------------------------
# Coins and dice
# ---------------------------------------------------------------------------------------------------------------
MOST = 1e10
"""The greatest number of tosses or throws, real or imagined: beyond, ln Γ leaves less than four digits of a density."""


@door(counts=vector("How often each value was seen; for a coin two counts.", form="array-like of shape (K,)", low=0))
def categorical_mle(counts):
    """Return the probabilities, of shape (K,), under which these counts are most probable: their shares (极大似然).

    Raises
    ------
    ValueError
        If all counts are 0: every p explains no data equally well.
    """
    if not counts.any():
        raise ValueError("nothing was counted: without data the likelihood is flat and has no maximum. Use a prior")
    return frequencies(counts)


@dataclass(frozen=True)
class BetaBernoulli:
    """What is believed of a coin's probability p of heads: p ~ Beta(a, b), density ∝ p^(a-1) (1-p)^(b-1) on (0, 1).

    a and b act like heads and tails seen before; a + b is the strength (强度) of the belief.

    Parameters
    ----------
    a, b : float in (0, 1e10]

    Raises
    ------
    ValueError
        If a or b is not in this range. With 0 the density has no finite integral: the prior is improper.

    References
    ----------
    Notes B "最大后验", "比较MLE与MAP".
    """

    a: float
    b: float

    def __post_init__(self):
        for name in ("a", "b"):
            object.__setattr__(self, name, _check_strength(name, getattr(self, name)))

    def update(self, heads, tails):
        """Return the belief after so many heads and tails, numbers >= 0: another ``BetaBernoulli``."""
        heads, tails = (check_real(name, n, low=0) for name, n in (("heads", heads), ("tails", tails)))
        return BetaBernoulli(*beta_update(self.a, self.b, heads, tails))

    @property
    def mean(self):
        """E[p], the probability that the next toss is heads."""
        return beta_mean(self.a, self.b)

    @property
    def variance(self):
        """Var[p] = m (1 - m) / (a + b + 1), where m is the mean."""
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    @property
    def mode(self):
        """Return the p of greatest density: the MAP estimate.

        The formula (a - 1)/(a + b - 2) holds for a, b > 1. Below, the density falls from one end, where p is then.

        Raises
        ------
        ValueError
            If there is no single such p: Beta(1, 1) is flat, and with a, b < 1 the density is infinite at both ends.
        """
        end = _end(np.array([self.a, self.b]), f"Beta({self.a:g}, {self.b:g})")
        return beta_mode(self.a, self.b) if end is None else float(end[0])

    def log_pdf(self, p):
        """Return the logarithm of the density at p, an array of any shape in [0, 1]; ±infinity at an end."""
        p = _check_probabilities(p)
        return _dirichlet_log_pdf(np.array([self.a, self.b]), np.stack([p, 1 - p], axis=-1))

    def pdf(self, p):
        """Return the density at p."""
        with np.errstate(under="ignore"):
            return np.exp(self.log_pdf(p))


@dataclass(frozen=True, eq=False)
class DirichletCategorical:
    """What is believed of the probabilities p_1, ..., p_K of a die: p ~ Dirichlet(α), density ∝ Π_k p_k^(α_k - 1).

    It lives where all p_k >= 0 and Σ p_k = 1. α_k acts like counts of face k seen before.

    Parameters
    ----------
    alpha : array-like of shape (K,), K >= 2
        Each in (0, 1e10].

    Raises
    ------
    ValueError
        If α has another shape or range.

    References
    ----------
    Notes B "比较MLE与MAP".
    """

    alpha: np.ndarray

    def __post_init__(self):
        alpha = np.array(check_numbers(self.alpha, "alpha"), dtype=float)
        if alpha.ndim != 1 or len(alpha) < 2:
            raise ValueError(f"alpha must be one number for each of at least 2 values, got the shape {alpha.shape}")
        for k in (alpha.argmin(), alpha.argmax()):
            _check_strength(f"alpha[{k}]", float(alpha[k]))
        alpha.setflags(write=False)
        object.__setattr__(self, "alpha", alpha)

    def update(self, counts):
        """Return the belief after these counts, of shape (K,) and >= 0: another ``DirichletCategorical``."""
        counts = check_numbers(counts, "counts")
        if counts.shape != self.alpha.shape:
            raise ValueError(f"counts must have the shape {self.alpha.shape}, as alpha; got {counts.shape}")
        if (counts < 0).any():
            raise ValueError(f"counts must not be negative, got {counts.min():g}")
        return DirichletCategorical(dirichlet_update(self.alpha, counts))

    @property
    def mean(self):
        """E[p], of shape (K,): the probabilities of the next throw."""
        return dirichlet_mean(self.alpha)

    @property
    def variance(self):
        """Var[p_k] = m_k (1 - m_k) / (Σα + 1), of shape (K,), where m is the mean."""
        return self.mean * (1 - self.mean) / (self.alpha.sum() + 1)

    @property
    def mode(self):
        """Return the p of greatest density, of shape (K,): the MAP estimate.

        Raises
        ------
        ValueError
            If there is no single such p: all α_k are 1 (flat), or one is below 1 (the density is infinite where its
            p_k is 0; with K = 2 that is one point, the mode, unless both are below 1).
        """
        end = _end(self.alpha, f"Dirichlet({', '.join(f'{a:g}' for a in self.alpha)})")
        return dirichlet_mode(self.alpha) if end is None else end

    def log_pdf(self, p):
        """Return the logarithm of the density at p, an array of shape (..., K) whose last axis sums to 1."""
        p = check_shares(p, "p")
        if p.shape[-1] != len(self.alpha):
            raise ValueError(f"p must hold {len(self.alpha)} probabilities along its last axis, got {p.shape[-1]}")
        return _dirichlet_log_pdf(self.alpha, p)


def _check_proper(name, value, high, what, instead):
    """A number of which 0 would make a prior improper."""
    if isinstance(value, (int, float, np.number)) and value == 0:
        raise ValueError(
            f"{name} must be greater than 0, got 0: a prior {what} is improper, no density integrates to 1. "
            f"Use a small number, or {instead}"
        )
    return check_real(name, value, low=0, low_open=True, high=high)


def _check_strength(name, value):
    return _check_proper(name, value, MOST, "of strength 0", "the maximum-likelihood estimate (counts / their sum)")


def _check_precision(name, value):
    return _check_proper(
        name, value, 1e100, "without precision", "an estimate without a prior (LinearRegression for a line)"
    )


def _check_probabilities(p):
    p = check_numbers(p, "p")
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise ValueError(f"p must be in [0, 1], got values from {p.min():g} to {p.max():g}")
    return p


def _end(alpha, name):
    """The end of a coin's range where the mode is; None where the formula holds; or say why there is no single mode."""
    low = alpha < 1
    if not low.any() and (alpha > 1).any():
        return None
    if len(alpha) == 2 and low.sum() == 1:
        return np.where(low, 0.0, 1.0)
    why = "is flat: every p is as probable" if not low.any() else "is infinite wherever a p_k with α_k < 1 is 0"
    raise ValueError(f"{name} has no single mode: its density {why}. Use the mean")


def _dirichlet_log_pdf(alpha, p):
    constant = math.lgamma(alpha.sum()) - sum(map(math.lgamma, alpha))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(alpha == 1, 0.0, (alpha - 1) * np.log(p))  # p⁰ = 1 at p = 0 as well
        total = constant + terms.sum(axis=-1)
    return np.where(np.isnan(total), np.inf, total)  # ∞ - ∞ at a corner, where there is no limit


# ---------------------------------------------------------------------------------------------------------------
# Bells
# ---------------------------------------------------------------------------------------------------------------
class GaussianMLE(Estimator):
    """A Gaussian density, fitted by maximum likelihood (极大似然).

    μ̂ = Σ x_i / n        Σ̂ = Σ (x_i - μ̂)(x_i - μ̂)ᵀ / n

    Σ̂ has the expectation (n - 1)/n · Σ. Where it is singular, as it is for n <= d, the likelihood has no maximum: it
    rises for ever as a Gaussian closes in on the plane in which the samples lie. ``fit`` still computes the two
    formulas, but the density is refused.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
    covariance_ : ndarray of shape (n_features, n_features)
        With 1/n.
    n_samples_ : int

    References
    ----------
    Notes A (292)-(294).
    """

    def __init__(self):
        """Take no parameters."""

    def fit(self, X, y=None):
        X = check_fit_X(self, X)
        self.mean_, self.covariance_ = gaussian_mle(X)
        self.n_samples_ = len(X)
        for j in np.flatnonzero(X[0] == X[-1]):
            if (X[:, j] == X[0, j]).all():  # what rounding left of a mean is no variance
                self.covariance_[j] = self.covariance_[:, j] = 0.0
        return self

    def score_samples(self, X):
        """Return ln N(x; μ̂, Σ̂) of each row, shape (n_samples,).

        Raises
        ------
        ValueError
            If Σ̂ is singular.
        """
        X = check_X(self, X)
        try:
            R = regular_inverse_root(self.covariance_)
        except np.linalg.LinAlgError:
            raise ValueError(self._why_singular()) from None
        with np.errstate(over="ignore"):
            return finite(gaussian_log_density(X, self.mean_, R), "a log-density overflows; rescale X")

    def score(self, X, y=None):
        """Return the mean of ``score_samples``: the log-likelihood of X, by row."""
        return float(np.mean(self.score_samples(X)))

    def _why_singular(self):
        n, d = self.n_samples_, len(self.mean_)
        constant = np.flatnonzero(self.covariance_.diagonal() == 0)
        if n <= d:
            why, advice = f"{n} samples cannot span {d} features", f"use more than {d} samples, or fewer features"
        elif len(constant):
            why, advice = f"feature {constant[0]} is constant", "drop it"
        else:
            why, advice = "a feature is, nearly, a linear function of the others", "drop it"
        return (
            f"the covariance is singular ({why}): no density exists and the likelihood has no maximum; {advice}, or "
            "shrink the covariance"
        )


@dataclass(frozen=True)
class GaussianMean:
    """What is believed of a mean μ that is measured with noise of known precision: μ ~ N(mean, 1/precision).

    Each measurement is N(μ, 1/β).

    Parameters
    ----------
    mean : float
    precision : float > 0
        Inverse variance of the belief.
    beta : float > 0
        Inverse variance of the noise.

    Raises
    ------
    ValueError
        For other values; precision 0 would be an improper prior.
    """

    mean: float = 0.0
    precision: float = 1.0
    beta: float = 1.0

    def __post_init__(self):
        checked = {
            "mean": check_real("mean", self.mean, low=-1e100, high=1e100),
            "precision": _check_precision("precision", self.precision),
            "beta": check_real("beta", self.beta, low=0, low_open=True, high=1e100),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def update(self, x):
        """Return the belief after these values, a number or an array: another ``GaussianMean``."""
        x = np.ravel(check_numbers(x, "x"))
        P, r = mean_update(self.precision, self.precision * self.mean, x, self.beta)
        return GaussianMean(float(r / P), float(P), self.beta)

    @property
    def variance(self):
        """Of the belief in μ."""
        return 1 / self.precision

    @property
    def predictive_variance(self):
        """Of the next measurement: 1/β + 1/precision, noise and doubt."""
        return 1 / self.beta + 1 / self.precision


# ---------------------------------------------------------------------------------------------------------------
# Lines
# ---------------------------------------------------------------------------------------------------------------
class BayesianLinearRegression(Regressor):
    """Linear regression that knows how little it knows (贝叶斯线性回归).

    y = xᵀw + b + ε,   ε ~ N(0, 1/β),   w ~ N(0, I/α),   and b is free (its prior is flat)

    After the data w ~ N(m, S) with S⁻¹ = αI + βXᵀX and m = βSXᵀy for centred X and y. m is ridge regression with the
    penalty α/β. A new y at x has the mean m·x + b and the variance 1/β + 1/(nβ) + (x - x̄)ᵀS(x - x̄): noise, doubt about
    the level, doubt about the weights.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        m.
    intercept_ : float
        The mean of b.
    covariance_ : ndarray of shape (n_features, n_features)
        S.

    References
    ----------
    Notes A 9.4, notes B "最大后验"; Bishop, "Pattern Recognition and Machine Learning" (2006), section 3.3.
    """

    alpha: float = anything(
        1.0, "float > 0",
        "Precision (inverse variance) of the prior on each weight. It has units: rescale X, and it means something\n"
        "else.",
        check=_check_precision, bad=(0, -1.0, np.nan, "1", None),
    )
    beta: float = real(
        1.0,
        "Precision of the noise, taken as known. scikit-learn's ``BayesianRidge`` has the names the other way round\n"
        "(its alpha is the noise's, its lambda the prior's) and estimates both.",
        low=0, low_open=True, hidden_high=1e100,
    )
    fit_intercept: bool = flag(
        True, "Without it b = 0. For an intercept with a prior, set it to False and give X a column of ones."
    )

    def fit(self, X, y):
        """Learn the posterior.

        Raises
        ------
        ValueError
            If alpha is so small beside beta that rounding swallows it.
        """
        p = self.checked()
        X, y = check_regression(self, X, y)
        if p.fit_intercept:
            Z, self._center, scale = standardise(X, np.full(len(X), 1 / len(X)))
            level, doubt = float(y.sum() / len(y)), 1 / math.sqrt(len(y) * p.beta)
        else:
            scale = np.sqrt(np.sum(np.square(X), axis=0) / len(X))
            scale[scale < 1e-100] = 1.0
            Z, self._center, level, doubt = X / scale, np.zeros(X.shape[1]), 0.0, 0.0
        m, R = _posterior(Z, y - level, penalty_in_units(p.alpha, scale), p.beta)
        self.coef_, root = m / scale, R / scale[:, np.newaxis]
        self.intercept_ = float(level - self.coef_ @ self._center)
        self._root, self._doubt, self._beta = root, doubt, p.beta
        self.covariance_ = root @ root.T
        return self

    def predict(self, X, return_std=False):
        """Return the mean of y at each row of X, shape (n_samples,).

        With ``return_std`` also the standard deviations of a new y, noise included.
        """
        mean = linear_scores(self, X)
        if not check_flag("return_std", return_std):
            return mean
        rows = check_array(X) - self._center
        with np.errstate(over="ignore"):
            variance = predictive_variance(rows, self._root, self._beta) + self._doubt**2
        return mean, np.sqrt(finite(variance, "a variance overflows; rescale X"))

    def sample_weights(self, n_draws, random_state=None):
        """Draw lines from the posterior; return their w, of shape (n_draws, n_features), and b, of shape (n_draws,)."""
        check_is_fitted(self)
        rng = check_random_state(random_state)
        z = rng.normal(size=(check_int("n_draws", n_draws, low=1), len(self.coef_) + 1))
        coefs = self.coef_ + z[:, 1:] @ self._root.T
        level = self.intercept_ + self.coef_ @ self._center + self._doubt * z[:, 0]
        return coefs, level - coefs @ self._center


def _posterior(Z, y, penalties, beta):
    """The mean of the weights and a root of their covariance: by the core, in units in which P has a unit diagonal.

    Where that would lose over half of the digits, P = AᵀA is never formed: A, of shape (n + d, d), has the rows of √β Z
    and of diag(√α), and A = U diag(s) Vᵀ gives R = V / s.
    """
    P, r = weight_update(np.diag(penalties), 0.0, Z, y, beta)
    unit = np.sqrt(P.diagonal())
    P = P / unit / unit[:, np.newaxis]
    try:
        m, R = weight_posterior(P, r / unit)
        regular = R.diagonal().max() < 1e4
    except np.linalg.LinAlgError:
        regular = False
    if not regular:
        A = np.vstack([math.sqrt(beta) * Z, np.diag(np.sqrt(penalties))]) / unit
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        if not s[-1] > 1e-10 * s[0]:
            raise ValueError(
                f"alpha is too small beside beta = {beta:g}: the data leave some weights open, and the prior that "
                "should hold these is lost in rounding. Raise alpha, lower beta, or drop features that others repeat"
            )
        R = Vt.T / s
        m = R @ (U[: len(Z)].T @ (math.sqrt(beta) * y))
    return m / unit, R / unit[:, np.newaxis]


# ---------------------------------------------------------------------------------------------------------------
# Classes
# ---------------------------------------------------------------------------------------------------------------
class LogisticPosterior:
    """What is believed of the weights of a logistic regression, as a Gaussian; ``bayesian_logistic_laplace`` makes it.

    P(y = 1 | x, θ) = 1 / (1 + e^-z),  z = w·x + b,   θ = (w, b) ~ N(mean, covariance)

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    mean : ndarray of shape (n_features + 1,)
        θ at the peak of the posterior (MAP), b last.
    covariance : ndarray of shape (n_features + 1, n_features + 1)
        Inverse of the Hessian of minus the log-posterior there.
    """

    def __init__(self, model, root, center, scale):
        self.classes_ = model.classes_
        self.mean = np.append(model.coef_, model.intercept_)
        self._model, self._root, self._center, self._scale = model, root, center, scale
        to_given = np.diag(np.append(1 / scale, 1.0))  # from the weights of standardised features to (w, b)
        to_given[-1, :-1] = -center / scale
        given = to_given @ root
        self.covariance = given @ given.T

    def score_moments(self, X):
        """Return the mean and the variance of z = w·x + b of each row of X, two arrays of shape (n_samples,)."""
        mean, X = linear_scores(self._model, X), check_array(X)
        rows = np.column_stack([(X - self._center) / self._scale, np.ones(len(X))])
        with np.errstate(over="ignore"):
            variance = np.sum((rows @ self._root) ** 2, axis=1)
        return mean, finite(variance, "the variance of a score overflows; rescale X")

    def decision_function(self, X):
        """Return the log-odds of the averaged probability, shape (n_samples,): the score, pulled to 0 by its doubt."""
        return moderated(*self.score_moments(X))

    def predict_proba(self, X):
        """Return the probabilities of ``classes_``, averaged over the weights (MacKay's approximation): (n_samples, 2).

        For scores from N(m, s²) it returns the sigmoid of m/√(1 + πs²/8), within 0.018 of the average.
        """
        score = self.decision_function(X)
        return np.column_stack([expit(-score), expit(score)])

    def predict(self, X):
        """Return the class of each row, shape (n_samples,): the same as without averaging."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def bayesian_logistic_laplace(X, y, *, alpha=1.0, max_iter=100, tol=1e-6):
    """Return a Gaussian that stands for the posterior of a logistic regression: Laplace's approximation (拉普拉斯近似).

    The prior is w ~ N(0, I/α), and flat for the intercept b, as in ``LogisticRegression(alpha=alpha)``, whose weights
    are the mean. The covariance is the inverse Hessian of minus the log-posterior there.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    alpha : float > 0
        Precision of the prior on each weight.
    max_iter, tol
        Of Newton's method, see ``LogisticRegression``.

    Returns
    -------
    LogisticPosterior

    Raises
    ------
    ValueError
        If alpha is so small that every probability rounds to 0 or 1.

    References
    ----------
    MacKay (1992), "The evidence framework applied to classification networks"; Bishop (2006), sections 4.4 and 4.5.
    """
    alpha = _check_precision("alpha", alpha)
    model = LogisticRegression(alpha=alpha, max_iter=max_iter, tol=tol).fit(X, y)
    g, X = expit(model.decision_function(X)), check_array(X)
    Z, center, scale = standardise(X, np.full(len(X), 1 / len(X)))
    rows, penalties = np.column_stack([Z, np.ones(len(X))]), np.append(penalty_in_units(alpha, scale), 0.0)
    H = hessian(g, rows, np.ones(len(X)), penalties)
    try:
        root = regular_inverse_root(H, least=1e-7)
    except np.linalg.LinAlgError:
        raise ValueError(
            f"alpha = {alpha:g} is too small for these data: the posterior is nearly flat in some direction and no "
            "Gaussian stands for it. Raise alpha"
        ) from None
    return LogisticPosterior(model, root, center, scale)
