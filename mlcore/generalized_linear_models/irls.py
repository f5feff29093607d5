"""Generalised linear models (广义线性模型) by iteratively reweighted least squares. Notes A 5, D 3.2.3."""

import math

import numpy as np

from mlcore.base import (
    Regressor,
    check_choice,
    check_consistent_length,
    check_int,
    check_numbers,
    check_numeric_target,
    check_real,
    check_regression,
    check_sample_weight,
    run,
)
from mlcore.generalized_linear_models.descent import descend, solve, warn_unless_converged
from mlcore.generalized_linear_models.families import Poisson, as_family, refuse
from mlcore.generalized_linear_models.links import LINKS
from mlcore.scores import linear_scores, standardise

__all__ = ["GeneralizedLinearModel"]


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
        self.low, self.high = family.low, family.high
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

        move = solve(
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
        warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None, offset=None):
        """Yield the model itself, ready to predict, after each step of IRLS; see ``fit``."""
        family, link = as_family(self.family), self._link()
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        X, y = check_regression(self, X, y)
        y, weights = family.check_targets(y), check_sample_weight(sample_weight, len(y))
        offset = _check_offset(offset, len(y))
        counted, total = weights > 0, weights.sum()
        X, y, weights, offset = X[counted], y[counted], weights[counted] / total, offset[counted]
        Z, center, scale = standardise(X, weights)
        Z = np.column_stack([Z, np.ones(len(Z))])
        problem = _Problem(family, link, Z, y, weights, offset, np.append(alpha / total / scale**2, 0.0))
        start = np.append(np.zeros(X.shape[1]), _start(problem))
        self.null_deviance_ = 2 * total * problem.value(start)
        self.n_iter_ = 0
        for theta, self.status_ in descend(problem, start, max_iter, tol):
            self.coef_ = theta[:-1] / scale
            self.intercept_ = float(theta[-1] - self.coef_ @ center)
            loss = problem.value(theta) - 0.5 * problem.penalty @ np.square(theta)
            self.deviance_ = max(0.0, 2 * float(total * loss))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _link(self):
        if self.link is None:
            return LINKS[as_family(self.family).link]
        return LINKS[check_choice("link", self.link, tuple(LINKS))]

    def linear_predictor(self, X, offset=None):
        """Return η = w·x + b + offset, shape (n_samples,)."""
        scores = linear_scores(self, X)
        with np.errstate(over="ignore"):
            eta = scores + _check_offset(offset, len(scores))
        refuse(eta, np.isfinite(eta), "w·x + b + offset must be finite", "take a smaller offset")
        return eta

    def predict(self, X, offset=None):
        """Return the mean of y at each row, shape (n_samples,): for "bernoulli" the probability of a 1.

        Raises
        ------
        ValueError
            If a mean overflows, or is impossible for the family (which a link that is not canonical allows).
        """
        eta, family = self.linear_predictor(X, offset), as_family(self.family)
        with np.errstate(over="ignore"):
            mean = self._link().inverse(eta)
        low, high = family.low, family.high
        refuse(eta, np.isfinite(mean), "a linear predictor must have a finite mean", "rescale X")
        rule = f"a mean of family {family.name!r} must lie in [{low:g}, {high:g}]"
        slack = 1e-12 * max(1.0, np.abs(mean).max())  # the best mean may lie on the border, give or take its rounding
        refuse(mean, (mean >= low - slack) & (mean <= high + slack), rule, f"use link={family.link!r}")
        return np.clip(mean, low, high)

    def score(self, X, y, sample_weight=None):
        """Return D² = 1 - deviance / deviance of the mean of y; for the Gaussian that is R².

        For a constant y it is 1 for a perfect fit and 0 otherwise.
        """
        family, predicted = as_family(self.family), self.predict(X)
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
    low, high = family.low, family.high
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
