"""Generalised linear models (广义线性模型) by iteratively reweighted least squares. Notes A 5, D 3.2.3."""

import math

import numpy as np

from mlcore.base import (
    ConvergenceWarning,
    Regressor,
    anything,
    check_consistent_length,
    check_numbers,
    check_regression,
    check_sample_weight,
    check_scored_target,
    choice,
    linear_scores,
    real,
    run,
    warn_caller,
    whole,
)
from mlcore.core.generalized_linear_models import gradient, information, irls_step
from mlcore.generalized_linear_models.families import Poisson, as_family, refuse
from mlcore.generalized_linear_models.links import LINKS
from mlcore.numerics import linear_problem, newton_fit

__all__ = ["GeneralizedLinearModel", "information", "warn_unless_converged"]


class GeneralizedLinearModel(Regressor):
    """A function of the mean is linear in the features (广义线性模型).

    g(E[y | x]) = w·x + b, y from an exponential family.

    w and b minimise ½ Σ ω_i d(y_i, μ_i) + ½ α ‖w‖², half the deviance plus a penalty. Half the deviance is minus the
    log-likelihood (of variance 1 for the Gaussian) but for a constant; for the canonical link it is convex. The fit is
    iteratively reweighted least squares (IRLS, 迭代重加权最小二乘): each step solves a least-squares problem with
    weights ω μ'²/V(μ) for the working response z = η + (y - μ)/μ', and is halved until the objective falls. Notes A 5,
    D 3.2.3; Nelder and Wedderburn (1972).

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

    family: object = anything(
        "gaussian", '"gaussian", "bernoulli", "poisson" or an object of these classes', "How y varies around its mean.",
        check=lambda name, value: as_family(value), bad=("nonsense", 3, None),
    )
    link: str = choice(
        None, LINKS, "The function g of the mean that is linear. None takes the canonical link: identity, logit, log."
    )
    alpha: float = real(
        0.0, "Strength of the penalty on w; the intercept is not penalised. For the Gaussian it is ``Ridge``'s.", low=0
    )
    max_iter: int = whole(100, "The largest number of steps.", low=1)
    tol: float = real(
        1e-8, "Stop when a step promises to lower the objective by no more than tol² of its first value, and is short.",
        low=0, high=1,
    )

    def fit(self, X, y, sample_weight=None, offset=None):
        """Learn w and b; return self.

        y is what the family can give: 0 and 1 for "bernoulli", nothing negative for "poisson". ``offset``, of shape
        (n_samples,), is a known part of the linear predictor, such as the logarithm of the exposure of a count. The
        model does not keep it: ``predict`` and ``score`` take that of their rows.
        """
        run(self.iter_fit(X, y, sample_weight, offset))
        warn_unless_converged(self)
        return self

    def iter_fit(self, X, y, sample_weight=None, offset=None):
        p, (family, link) = self.checked(), self._family_and_link()
        X, y, weights, offset = self._check(family, X, y, sample_weight, offset)
        frame = linear_problem(X, weights, p.alpha)
        problem = _Problem(family, link, y, frame.weights, offset)
        intercept, loss = _start(problem)
        start, self.n_iter_ = np.append(np.zeros(X.shape[1]), intercept), 0
        self.null_deviance_ = 2 * frame.total * _null_loss(problem, intercept, loss)
        for theta, value, self.status_ in problem.walk(frame.X, frame.penalties, start, p.max_iter, p.tol):
            self.coef_, intercept = frame.back(theta)
            self.intercept_ = float(intercept)
            self.deviance_ = 2 * frame.total * max(0.0, float(value - 0.5 * frame.penalties @ theta**2))
            self.n_iter_ += self.status_ == "running"
            if self.status_ == "running" or self.n_iter_ == 0:
                yield self

    def _check(self, family, X, y, sample_weight, offset):
        """Check the data, and leave out the rows of weight 0."""
        X, y = check_regression(self, X, y)
        y, weights = family.check_targets(y), check_sample_weight(sample_weight, len(y))
        offset, counted = _check_offset(offset, len(y)), weights > 0
        return (X, y, weights, offset) if counted.all() else (X[counted], y[counted], weights[counted], offset[counted])

    def _family_and_link(self):
        p = self.checked()
        return p.family, LINKS[p.link or p.family.link]

    def linear_predictor(self, X, offset=None):
        """Return η = w·x + b + offset, shape (n_samples,)."""
        scores = linear_scores(self, X)
        return scores + _check_offset(offset, len(scores))

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
        family, link = self._family_and_link()
        with np.errstate(all="ignore"):
            mean = link.inverse(eta)
        low, high = family.low, family.high
        refuse(eta, np.isfinite(mean), "a linear predictor must have a finite mean", "rescale X")
        rule = f"a mean of family {family.name!r} must lie in [{low:g}, {high:g}]"
        slack = 1e-12 * max(1.0, np.abs(mean).max())  # the best mean may lie on the border, give or take its rounding
        refuse(mean, (mean >= low - slack) & (mean <= high + slack), rule, f"use link={family.link!r}")
        return np.clip(mean, low, high)

    def score(self, X, y, sample_weight=None, offset=None):
        """Return D² = 1 - deviance / deviance of the mean of y; for the Gaussian that is R².

        For a constant y it is 1 for a perfect fit and 0 otherwise; a single row is refused. It is -infinity if what
        happened is impossible for the model, by a mean on the border of the family's range.
        """
        (family, link), eta = self._family_and_link(), self.linear_predictor(X, offset)
        mean, y = self._mean(eta), family.check_targets(check_scored_target(y, "D²"))
        check_consistent_length(mean, y)
        weights = check_sample_weight(sample_weight, len(y))
        counted, weights = weights > 0, weights / weights.sum()
        if link.name == family.link:  # then η says more than a mean that was rounded to a border
            with np.errstate(all="ignore"):
                loss = family.half_deviance(y, eta, family.derivatives(eta)[0])
        else:
            loss = _half_deviance(family, y, mean)
        null_loss = _half_deviance(family, y, np.full(len(y), weights @ y))
        own, null = (float(weights[counted] @ each[counted]) for each in (loss, null_loss))
        if np.ptp(y[counted]) == 0:
            return 1.0 if own <= 1e-14 * (weights @ np.abs(y)) else 0.0
        return 1.0 - own / null

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.family == "poisson" or isinstance(self.family, Poisson)
        return tags


class _Problem:
    """J(θ) = Σ ω_i [half the deviance of y_i] + ½ Σ α_j θ_j², for linear predictors Xθ + offset."""

    def __init__(self, family, link, y, weights, offset):
        self.family, self.link, self.y, self.weights, self.offset = family, link, y, weights, offset

    def look(self, eta):
        """The sum of the half deviances, infinite where a mean is impossible; means, variances and ϑ'."""
        family, natural, rate = self.family, eta, 1.0
        if self.link.name != family.link:
            mean = self.link.inverse(eta)
            if not ((mean > family.low) & (mean < family.high - 1e-10)).all():  # nearer to 1, 1 - μ has no digits
                return np.inf, None
            natural = LINKS[family.link].forward(mean)
            rate = self.link.slope(eta) / family.derivatives(natural)[2]
        A, mean, variance = family.derivatives(natural)
        return self.weights @ family.half_deviance(self.y, natural, A), (mean, variance, rate)

    def walk(self, X, alpha, start, max_iter, tol):
        """The steps of IRLS: yields (θ, J(θ), status)."""
        y, weights = self.y, self.weights

        def look(theta):
            value, seen = self.look(X @ theta + self.offset)
            return value + 0.5 * alpha @ theta**2, seen

        def step(theta, seen):
            mean, variance, rate = seen
            slope = gradient(theta, mean, rate, X, y, weights, alpha)
            return irls_step(slope, variance, rate, X, weights, alpha), slope

        def reach(move):  # along the identity no likelihood rises for ever
            return 0.0 if self.link.name == "identity" else np.abs(X @ move).max()

        noise = 1e-30 * float(weights @ y**2)
        return newton_fit(start, look, step, reach, max_iter, tol, penalised=alpha.any(), noise=noise)


def _start(problem):
    """An intercept to start from, the link of the mean of y less the offset, and J there; ValueError if none works."""
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
    offset = problem.offset
    least, most, middle = offset.min(), offset.max(), problem.weights @ offset
    with np.errstate(all="ignore"):
        if link.name == "log":  # the logarithm of the mean of e^offset: then the means sum to y's sum
            middle = most + math.log(problem.weights @ np.exp(offset - most))
        for less in (middle, most, least, 0.5 * (least + most)):
            intercept = float(link.forward(mean)) - less
            loss = float(problem.look(intercept + offset)[0])
            if np.isfinite(loss):
                return intercept, loss
    raise ValueError(
        f"with this offset (from {least:g} to {most:g}) no start with a finite likelihood was found; use "
        f"link={family.link!r} or a smaller offset"
    )


def _null_loss(problem, intercept, loss):
    """The least J of models without features. Where the offset is one number, the start has it: every mean is y's."""
    if (problem.offset == problem.offset[0]).all():
        return loss
    walk = problem.walk(np.ones((len(problem.y), 1)), np.zeros(1), np.array([intercept]), max_iter=100, tol=1e-8)
    return min(float(value) for _, value, _ in walk)


def _half_deviance(family, y, mean):
    """Half the deviance from means; at a border of the range it is 0 where y lies there too, and infinite elsewhere."""
    edge = (mean <= family.low) | (mean >= family.high)
    natural = family.natural_parameter(np.where(edge, 0.5, mean))
    inside = family.half_deviance(y, natural, family.derivatives(natural)[0])
    return np.where(edge, np.where(y == mean, 0.0, np.inf), inside)


def _check_offset(offset, n_samples):
    if offset is None:
        return np.zeros(n_samples)
    offset = check_numbers(offset, "offset")
    if offset.shape != (n_samples,):
        raise ValueError(f"offset must have shape ({n_samples},), one for each row, got {offset.shape}")
    return offset


def warn_unless_converged(model):
    """One warning for a fit that ended without a maximum."""
    if model.status_ == "no maximum":
        warn_caller(
            f"the likelihood rises for ever{', and alpha is too small to show' if model.alpha else ''}: after "
            f"{model.n_iter_} steps it gains nothing more, but the weights still grow (classes that can be separated, "
            "or a group of counts that are all 0); set alpha > 0, or a larger one",
            ConvergenceWarning,
        )
    elif model.status_ == "stopped":
        warn_caller(
            f"the fit stopped after {model.n_iter_} steps before it reached the maximum: raise max_iter; if it stays, "
            "the best mean may lie on a border that the link allows and the family does not: use the canonical link",
            ConvergenceWarning,
        )
