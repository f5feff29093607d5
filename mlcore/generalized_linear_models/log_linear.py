"""Least squares for the logarithm of y. Notes D 3.2.3 (3.14)."""

import numpy as np

from mlcore.base import Regressor, check_regression, linear_scores
from mlcore.core.generalized_linear_models import log_fit
from mlcore.generalized_linear_models.families import refuse
from mlcore.numerics import linear_problem

__all__ = ["LogLinearRegression"]


class LogLinearRegression(Regressor):
    """Least squares for the logarithm of y (对数线性回归): ln y = w·x + b. Notes D (3.14).

    It is linear regression after a change of y, and no generalised linear model: it models the mean of ln y, while
    the log link models the logarithm of the mean. ``predict`` returns e^(w·x + b), which is the median of y if ln y is
    Gaussian; the mean is larger by the factor e^(σ²/2).

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w; where the columns depend on each other, of all solutions the one that is shortest for standardised columns.
    intercept_ : float
        b.
    sigma_ : float
        Root mean square of the residuals of ln y.
    """

    def __init__(self):
        """There is nothing to choose."""

    def fit(self, X, y):
        """Learn w and b from y > 0; return self."""
        X, y = check_regression(self, X, y)
        refuse(y, y > 0, "ln y needs y > 0", "use GeneralizedLinearModel(family='poisson') where zeros occur")
        problem = linear_problem(X, np.ones(len(y)), 0.0)
        theta = np.append(*log_fit(problem.X[:, :-1], y))
        self.coef_, intercept = problem.back(theta)
        self.intercept_ = float(intercept)
        self.sigma_ = float(np.sqrt(np.mean((np.log(y) - problem.X @ theta) ** 2)))
        return self

    def predict(self, X):
        """Return e^(w·x + b), shape (n_samples,); ValueError where it overflows."""
        score = linear_scores(self, X)
        with np.errstate(all="ignore"):
            value = np.exp(score)
        refuse(score, np.isfinite(value), "w·x + b must have a finite exponential", "rescale X")
        return value

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
