"""Exponential families: distributions of one shape, whose mean and variance are derivatives of one function.

Notes A 5.1 (84)-(94).
"""

import math

import numpy as np

from mlcore.base import check_choice, check_int, check_numbers
from mlcore.core import generalized_linear_models as core
from mlcore.core.generalized_linear_models import gaussian
from mlcore.generalized_linear_models.links import LINKS
from mlcore.numerics import log_softmax, softmax
from mlcore.numerics.special import ignore_underflow

__all__ = [
    "FAMILIES", "Bernoulli", "Categorical", "Gaussian", "Poisson", "as_family", "bernoulli", "categorical", "gaussian",
    "poisson", "refuse",
]

bernoulli, categorical, poisson = map(ignore_underflow, (core.bernoulli, core.categorical, core.poisson))


class _Family:
    """p(y | η) = h(y) exp(η·y - A(η)): the exponential family (指数族) whose sufficient statistic is y itself.

    Notes A (84) with g(η) = exp(-A(η)) and u(y) = y. Everything follows from the log-partition A: the mean is A'(η),
    the variance A''(η). The link that makes the natural parameter η linear is the canonical one: g(μ) = η.
    """

    name, link = "", ""
    low, high = -np.inf, np.inf  # the means it can have lie between them

    def log_partition(self, eta):
        """A(η); an error where it overflows, as for its derivatives."""
        return self._derivative(0, eta)

    def mean(self, eta):
        """A'(η)."""
        return self._derivative(1, eta)

    def variance(self, eta):
        """A''(η)."""
        return self._derivative(2, eta)

    def _derivative(self, order, eta):
        eta = check_numbers(eta, "eta")
        with np.errstate(all="ignore"):
            value = self.derivatives(eta)[order]
        refuse(eta, np.isfinite(value), "A(η) must be finite", "a mean so large is no count: rescale")
        return value

    def natural_parameter(self, mean):
        """η, the canonical link of the mean μ; ValueError where no such mean is possible."""
        mean = check_numbers(mean, "mean")
        inside = (mean > self.low) & (mean < self.high)
        refuse(mean, inside, f"mean must lie in ({self.low:g}, {self.high:g})", "mind the ends")
        return LINKS[self.link].forward(mean)

    def log_prob(self, y, eta):
        """Return ln p(y | η) = ln h(y) + η y - A(η); y and eta are broadcast against each other.

        It is computed as the largest value that this can have for any η, less half the deviance: there large terms
        have cancelled on paper, not in the computer.
        """
        y, eta = self.check_targets(y), check_numbers(eta, "eta")
        _check_shapes(y.shape, eta.shape)
        with np.errstate(all="ignore"):
            return self._best_log_prob(y) - self.half_deviance(y, eta, self.derivatives(eta)[0])

    def check_targets(self, y):
        """Return y as floats, or say which value this family cannot give."""
        return check_numbers(y, "y")

    def __repr__(self):
        return f"{type(self).__name__}()"


class Gaussian(_Family):
    """A measurement: p(y | η) = (2π)^-½ e^(-y²/2) exp(ηy - η²/2), a Gaussian of mean η and variance 1 (高斯分布).

    A(η) = η²/2, A'(η) = η, A''(η) = 1; the canonical link is the identity. With another variance σ² the deviance is
    divided by σ² and the variance is σ² A''(η): without a penalty the estimate of the mean is the same.
    """

    name, link = "gaussian", "identity"
    derivatives = staticmethod(gaussian)

    @staticmethod
    def half_deviance(y, eta, A):
        """(y - η)² / 2, which is A(η) - ηy + y²/2  (4.15)."""
        return (y - eta) ** 2 / 2

    def _best_log_prob(self, y):
        return np.full_like(y, -0.5 * math.log(2 * math.pi))


class Bernoulli(_Family):
    """Yes or no: p(y | η) = exp(ηy - ln(1 + e^η)) for y in {0, 1}, with η = ln μ/(1 - μ) (伯努利分布).

    A(η) = ln(1 + e^η), A'(η) = 1 / (1 + e^-η), the sigmoid, A''(η) = μ(1 - μ); the canonical link is the logit. Notes A
    (85)-(88); there g(η) should read 1 - μ = 1 / (1 + e^η), and the left side of (86) should be η.
    """

    name, link = "bernoulli", "logit"
    low, high = 0.0, 1.0
    derivatives = staticmethod(bernoulli)

    def check_targets(self, y):
        """Return y as floats; ValueError unless each is 0 or 1."""
        y = check_numbers(y, "y")
        refuse(y, (y == 0) | (y == 1), "family 'bernoulli' needs y in {0, 1}", "encode the two classes as 0 and 1")
        return y

    @staticmethod
    def half_deviance(y, eta, A):
        """A(η) - ηy, the log-loss  (4.15)."""
        return A - eta * y

    def _best_log_prob(self, y):
        return np.zeros_like(y)


class Poisson(_Family):
    """A count: p(y | η) = (1/y!) exp(ηy - e^η) for y = 0, 1, 2, ..., with η = ln μ (泊松分布).

    A(η) = A'(η) = A''(η) = e^η: the variance equals the mean. The canonical link is the logarithm.
    """

    name, link = "poisson", "log"
    low, high = 0.0, np.inf
    derivatives = staticmethod(poisson)

    def check_targets(self, y):
        """Return y as floats; ValueError if one is negative. Fractions are let through: rates, weighted counts."""
        y = check_numbers(y, "y")
        refuse(y, y >= 0, "family 'poisson' needs counts y >= 0", "use family='gaussian' for values of either sign")
        return y

    @staticmethod
    def half_deviance(y, eta, A):
        """y ln(y/μ) - (y - μ) = A(η) - y - y (η - ln y), with 0 ln 0 = 0  (4.15)."""
        return A - y - y * (eta - np.log(np.maximum(y, 1e-300)))

    def _best_log_prob(self, y):
        """ln p(y) for μ = y, which is y ln y - y - ln y!."""
        refuse(y, y == np.floor(y), "a Poisson probability needs whole counts", "round y")
        factorials = np.array([math.lgamma(count + 1) for count in y.ravel()]).reshape(y.shape)
        return y * np.log(np.maximum(y, 1.0)) - y - factorials


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
        return categorical(self._check_shape(eta, "eta"))[0]

    def mean(self, eta):
        """∇A(η) = e^(η_k) / (1 + Σ e^(η_j)), the probabilities of the first K - 1 classes, shape (..., K - 1)."""
        return categorical(self._check_shape(eta, "eta"))[1]

    def variance(self, eta):
        """∇²A(η) = diag(μ) - μμᵀ, shape (..., K - 1, K - 1)."""
        return categorical(self._check_shape(eta, "eta"))[2]

    def probabilities(self, eta):
        """Return all K probabilities, shape (..., K)."""
        return softmax(self._scores(eta))

    def natural_parameter(self, mean):
        """η_k = ln μ_k / (1 - Σ μ_j); mean has shape (..., K - 1), all > 0 and with a sum < 1."""
        mean = self._check_shape(mean, "mean")
        refuse(mean, (mean > 0) & (mean < 1), "mean must lie in (0, 1)", "mind the ends")
        rest = 1.0 - mean.sum(axis=-1, keepdims=True)
        if not (rest > 0).all():
            raise ValueError(f"the {self.n_classes - 1} probabilities sum to {1 - rest.min():g}: nothing is left for "
                             "the last class")
        return np.log(mean / rest)

    def log_prob(self, y, eta):
        """Return ln p(y | η) for class numbers y in 0, ..., K - 1 of shape (...) and eta of shape (..., K - 1)."""
        y = check_numbers(y, "y")
        refuse(y, np.isin(y, np.arange(self.n_classes)), f"classes are numbered 0 to {self.n_classes - 1}", "recode y")
        logs = log_softmax(self._scores(eta))
        _check_shapes(y.shape, logs.shape[:-1])
        y, logs = np.broadcast_arrays(y.astype(int)[..., np.newaxis], logs)
        return np.take_along_axis(logs, y[..., :1], axis=-1)[..., 0]

    def _scores(self, eta):
        """The scores of all K classes, that of the last being 0."""
        eta = self._check_shape(eta, "eta")
        return np.concatenate([eta, np.zeros_like(eta[..., :1])], axis=-1)

    def _check_shape(self, values, name):
        values = check_numbers(values, name)
        if values.ndim == 0 or values.shape[-1] != self.n_classes - 1:
            raise ValueError(f"{name} must have shape (..., {self.n_classes - 1}), got {values.shape}")
        return values

    def __repr__(self):
        return f"Categorical({self.n_classes})"


def _check_shapes(y, eta):
    try:
        np.broadcast_shapes(y, eta)
    except ValueError as error:
        raise ValueError(f"y of shape {y} and eta, for {eta} values of y, do not fit together") from error


def refuse(values, allowed, rule, advice):
    """ValueError with the first value that is not allowed and how many there are."""
    if not np.all(allowed):
        wrong = values[~allowed]
        raise ValueError(f"{rule}, but {wrong.size} of {values.size} are not, such as {wrong.flat[0]:g}; {advice}")


FAMILIES = {family.name: family for family in (Gaussian, Bernoulli, Poisson)}


def as_family(family):
    """Return an object of a family with one linear predictor, from such an object or its lower-case name."""
    if isinstance(family, tuple(FAMILIES.values())):
        return family
    if isinstance(family, Categorical) or family == "categorical":
        raise ValueError("family 'categorical' has K - 1 linear predictors: use SoftmaxRegression")
    return FAMILIES[check_choice("family", family, tuple(FAMILIES))]()
