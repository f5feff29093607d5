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
    linear_scores,
    run,
)
from mlcore.generalized_linear_models.descent import (
    descend,
    solve,
    standardised_penalty,
    warn_unless_converged,
    weighted_gram,
)
from mlcore.generalized_linear_models.families import Poisson, as_family, refuse
from mlcore.generalized_linear_models.links import LINKS
from mlcore.numerics import standardise

__all__ = ["GeneralizedLinearModel"]


class _Problem:
    """J(θ) = Σ ω_i [half deviance of y_i at η_i] + ½ Σ α_j θ_j², for linear predictors η = Xθ + offset.

    The natural parameter is a function ϑ(η) of the linear predictor, η itself for the canonical link, with the
    derivative ϑ' = μ'/V(μ). So ∇J = Xᵀ ω ϑ' (μ - y) + α θ, and the Hessian is Xᵀ diag(ω μ'²/V) X + diag(α) in the
    mean over y: for the canonical link that is the Hessian itself, and the fit is Newton's method.
    """

    def __init__(self, family, link, X, y, weights, offset, penalty):
        self.family, self.link, self.X, self.y = family, link, X, y
        self.weights, self.offset, self.penalty = weights, offset, penalty
        self.penalised = bool(penalty.any())
        size = {"gaussian": 10 * float(weights @ np.square(y)), "poisson": float(weights @ y), "bernoulli": 1.0}
        self.noise = 1e-30 * size[family.name]
        self._last = None, None

    def linear_predictor(self, theta):
        """η = Xθ + offset, remembered: a step asks for that of the value before it."""
        if self._last[0] is None or not np.array_equal(self._last[0], theta):
            self._last = theta.copy(), self.X @ theta + self.offset
        return self._last[1]

    def value(self, theta):
        """J(θ), infinite where a mean is impossible."""
        with np.errstate(over="ignore", invalid="ignore"):
            eta = self.linear_predictor(theta)
            natural = _natural_parameter(self.family, self.link, eta) if np.isfinite(eta).all() else None
            if natural is None:
                return np.inf
            loss = self.weights @ self.family.half_deviance(self.y, natural[0])
            loss += 0.5 * self.penalty @ np.square(theta)
        return float(loss) if np.isfinite(loss) else np.inf

    def step(self, theta):
        """The step of iteratively reweighted least squares, and what it promises.

        The working response is z = η + (y - μ)/μ', the working weights are W = ω μ'²/V. Least squares for z, with the
        penalty on θ + s, gives the step s: (Xᵀ diag(W) X + diag(α)) s = Xᵀ W (z - η) - α θ, which is -∇J.
        """
        natural, turn = _natural_parameter(self.family, self.link, self.linear_predictor(theta))
        working_weights = self.weights * turn**2 * self.family.variance(natural)  # V ϑ'² = μ'²/V
        pull = -self.weights * turn * self.family.residual(self.y, natural)  # W (z - η), without dividing by μ'
        downhill = self.X.T @ pull - self.penalty * theta
        if self.link.name != "identity":  # where W rounds to 0 a row still pulls: as if its z - η were 10¹⁰ at most
            working_weights = np.maximum(working_weights, 1e-10 * np.abs(pull))

        def rows():
            """The same least-squares problem as a tall system: √W x·s = √W (z - η), and √α s = -√α θ."""
            root, grain = np.sqrt(working_weights), np.sqrt(self.penalty)
            target = np.divide(pull, root, out=np.zeros_like(root), where=root > 0)
            return np.vstack([self.X * root[:, np.newaxis], np.diag(grain)]), np.append(target, -grain * theta)

        move = solve(weighted_gram(self.X, working_weights) + np.diag(self.penalty), downhill, rows)
        return move, float(downhill @ move)

    def reach(self, move):
        """The largest change of a linear predictor; 0 for the identity, along which no likelihood rises for ever."""
        return 0.0 if self.link.name == "identity" else float(np.abs(self.X @ move).max())


def _natural_parameter(family, link, eta):
    """ϑ(η) and its derivative μ'(η)/V(μ), η and 1 for the canonical link; None where a mean leaves the range."""
    if link.name == family.link:
        return eta, 1.0
    mean, tiny = link.inverse(eta), 1e-150  # from a border, so that 1/V² is finite
    if not (np.isfinite(mean) & (mean > family.low + tiny) & (mean < family.high)).all():
        return None
    natural = family.natural_parameter(mean)
    return natural, link.slope(eta) / family.variance(natural)


class GeneralizedLinearModel(Regressor):
    """A function of the mean is linear in the features (广义线性模型).

    g(E[y | x]) = w·x + b, y from an exponential family.

    w and b minimise ½ Σ ω_i d(y_i, μ_i) + ½ α ‖w‖², half the deviance plus a penalty. Half the deviance is minus the
    log-likelihood (of variance 1 for the Gaussian) but for a constant; for the canonical link it is convex. The fit is
    iteratively reweighted least squares (IRLS, 迭代重加权最小二乘): each step solves a least-squares problem with
    weights ω μ'²/V(μ) for the working response z = η + (y - μ)/μ', and is halved until the objective falls. Notes A 5,
    D 3.2.3; Nelder and Wedderburn (1972).

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
        In [0, 1]: stop when a step promises to lower the objective by no more than tol² of its first value, and is
        short.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    deviance_, null_deviance_ : float
        Σ ω_i d(y_i, μ_i) of the fit, and of the best model without features: an intercept, and the offset if any.
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
            A known part of the linear predictor, such as the logarithm of the exposure of a count. The model does not
            keep it: ``predict`` and ``score`` take that of their rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; if y is impossible for the family, or there is no maximum because all y are 0
            (or, for "bernoulli", all 1); if the link cannot give the mean of y, or the offset allows no start.
        """
        run(self.iter_fit(X, y, sample_weight, offset))
        warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None, offset=None):
        """Yield the model itself, ready to predict, after each step of IRLS; see ``fit``."""
        family, link = as_family(self.family), self._link()
        alpha, tol = check_real("alpha", self.alpha, low=0), check_real("tol", self.tol, low=0, high=1)
        max_iter = check_int("max_iter", self.max_iter, low=1)
        X, y, weights, offset = self._check(family, X, y, sample_weight, offset)
        total = float(weights.sum())
        weights = weights / total
        Z, center, scale = standardise(X, weights)
        Z = np.column_stack([Z, np.ones(len(Z))])
        problem = _Problem(family, link, Z, y, weights, offset, standardised_penalty(alpha, total, scale))
        intercept = _start(problem)
        null_deviance = 2 * total * _null_loss(problem, intercept)
        if np.isinf(null_deviance):
            raise ValueError("the deviance overflows: divide sample_weight by its largest, or take a smaller offset")
        self.null_deviance_, self.n_iter_ = null_deviance, 0
        for theta, value, self.status_ in descend(problem, np.append(0.0 * center, intercept), max_iter, tol):
            self.coef_ = theta[:-1] / scale
            self.intercept_ = float(theta[-1] - self.coef_ @ center)
            self.deviance_ = 2 * total * max(0.0, value - 0.5 * float(problem.penalty @ np.square(theta)))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _check(self, family, X, y, sample_weight, offset):
        """Check the data, and leave out the rows of weight 0."""
        X, y = check_regression(self, X, y)
        y, weights = family.check_targets(y), check_sample_weight(sample_weight, len(y))
        offset, counted = _check_offset(offset, len(y)), weights > 0
        if not counted.all():
            X, y, weights, offset = X[counted], y[counted], weights[counted], offset[counted]
        size = np.abs(y).max()
        if size > 1e100 or family.name == "poisson" and 0 < size < 1e-100:
            raise ValueError(f"y reaches {size:g}, too far from 1 for its deviance: rescale y")
        return X, y, weights, offset

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
        return self._mean(self.linear_predictor(X, offset))

    def _mean(self, eta):
        """The means at linear predictors; see ``predict``."""
        family = as_family(self.family)
        with np.errstate(over="ignore"):
            mean = self._link().inverse(eta)
        low, high = family.low, family.high
        refuse(eta, np.isfinite(mean), "a linear predictor must have a finite mean", "rescale X")
        rule = f"a mean of family {family.name!r} must lie in [{low:g}, {high:g}]"
        slack = 1e-12 * max(1.0, np.abs(mean).max())  # the best mean may lie on the border, give or take its rounding
        refuse(mean, (mean >= low - slack) & (mean <= high + slack), rule, f"use link={family.link!r}")
        return np.clip(mean, low, high)

    def score(self, X, y, sample_weight=None, offset=None):
        """Return D² = 1 - deviance / deviance of the mean of y; for the Gaussian that is R².

        For a constant y it is 1 for a perfect fit and 0 otherwise; it is -infinity if something happened that the model
        calls impossible, by a mean on the border of the family's range.
        """
        family, eta = as_family(self.family), self.linear_predictor(X, offset)
        mean, y = self._mean(eta), family.check_targets(check_numeric_target(y))
        check_consistent_length(mean, y)
        weights = check_sample_weight(sample_weight, len(y))
        counted, weights = weights > 0, weights / weights.sum()
        canonical = self._link().name == family.link  # then η says more than a mean that was rounded to a border
        loss = family.half_deviance(y, eta) if canonical else _half_deviance(family, y, mean)
        null_loss = _half_deviance(family, y, np.full(len(y), weights @ y))
        own, null = (float(weights[counted] @ each[counted]) for each in (loss, null_loss))
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
    if not family.low < mean < family.high:
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
    least, most = problem.offset.min(), problem.offset.max()
    for middle in (_middle(problem), most, least, 0.5 * least + 0.5 * most):
        intercept = float(link.forward(mean)) - middle
        if np.isfinite(problem.value(np.append(np.zeros(problem.X.shape[1] - 1), intercept))):
            return intercept
    raise ValueError(
        f"with this offset (from {least:g} to {most:g}) no start with a finite likelihood was found; use "
        f"link={family.link!r} or a smaller offset"
    )


def _middle(problem):
    """The mean of the offset; for the log link the logarithm of the mean of e^offset: then the means sum to y's sum."""
    largest = problem.offset.max()
    if problem.link.name != "log":
        return float(problem.weights @ problem.offset)
    with np.errstate(over="ignore"):
        return largest + math.log(problem.weights @ np.exp(problem.offset - largest))


def _null_loss(problem, intercept):
    """The least J of models without features. Where the offset is one number, the start has it: every mean is y's."""
    if (problem.offset == problem.offset[0]).all():
        return problem.value(np.append(np.zeros(problem.X.shape[1] - 1), intercept))
    column = np.ones((len(problem.y), 1))
    alone = _Problem(
        problem.family, problem.link, column, problem.y, problem.weights, problem.offset, np.zeros(1)
    )
    return min(value for _, value, _ in descend(alone, np.array([intercept]), max_iter=100, tol=1e-8))
