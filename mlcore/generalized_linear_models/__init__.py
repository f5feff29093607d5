"""Exponential families and generalised linear models: one recipe for measurements, yes-or-no, counts and classes.

- ``families``: four distributions of one shape, with mean and variance as derivatives of the log-partition.
- ``links``: which function of the mean is linear.
- ``irls``: ``GeneralizedLinearModel``, by iteratively reweighted least squares.
- ``log_linear``: ``LogLinearRegression``, least squares for ln y.
- ``softmax``: from K scores to K probabilities. ``softmax_regression``: ``SoftmaxRegression``, K classes at once.

Notes A 5 (exponential families, logistic and softmax regression derived), D 3.2.3 (link functions, log-linear
regression), B "多分类的逻辑回归"; Nelder and Wedderburn (1972) for the fit.
"""

from mlcore.generalized_linear_models.families import FAMILIES, Bernoulli, Categorical, Gaussian, Poisson
from mlcore.generalized_linear_models.irls import GeneralizedLinearModel
from mlcore.generalized_linear_models.links import LINKS, Link
from mlcore.generalized_linear_models.log_linear import LogLinearRegression
from mlcore.generalized_linear_models.softmax import log_softmax, softmax
from mlcore.generalized_linear_models.softmax_regression import SoftmaxRegression

__all__ = [
    "FAMILIES", "LINKS", "Bernoulli", "Categorical", "Gaussian", "GeneralizedLinearModel", "Link",
    "LogLinearRegression", "Poisson", "SoftmaxRegression", "log_softmax", "softmax",
]
