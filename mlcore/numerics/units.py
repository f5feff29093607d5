"""Change of units, before a formula: features in 1e-8 beside features in 1e8 cost no digits."""

from typing import NamedTuple

import numpy as np

__all__ = ["Frame", "LinearProblem", "linear_problem", "penalty_in_units", "standardise"]


def standardise(X, weights):
    """Return (X - mean) / deviation, the means and the deviations of the columns.

    An unpenalised fit with an intercept does not depend on the units of the features; this keeps its digits where
    they differ much. A constant column becomes 0, its deviation counts as 1; so does one whose deviation is below
    1e-100, since its square underflows, or below 1e-14 of its mean, which is rounding.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
        Not negative, with sum 1.

    Returns
    -------
    ndarrays of shape (n_samples, n_features), (n_features,) and (n_features,)
    """
    mean = weights @ X
    Z = X - mean
    deviation = np.sqrt(weights @ np.square(Z))
    constant = deviation <= 1e-14 * np.abs(mean) + 1e-100
    deviation[constant] = np.inf  # so that the column becomes 0
    Z /= deviation
    deviation[constant] = 1.0
    return Z, mean, deviation


def penalty_in_units(alpha, deviation):
    """Return the α_j of ½ Σ α_j v_j² = ½ α ‖w‖², where v = deviation·w are the weights of standardised features.

    None exceeds 1e200, which holds a weight at 0 as well.

    Parameters
    ----------
    alpha : float >= 0
    deviation : ndarray of shape (n_features,)

    Returns
    -------
    ndarray of shape (n_features,)
    """
    with np.errstate(over="ignore"):
        return np.minimum(alpha / deviation / deviation, 1e200)


class Frame:
    """Points seen from their mean, in a power of two as unit, so that no coordinate is much above 1.

    Products lose the digits that tell near points apart where these lie far from the origin, and squares underflow.
    Numbers below 1e-100 become 0, so that the squares of what is left do not.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    """

    def __init__(self, X):
        self.origin = np.full(len(X), 1 / len(X)) @ X
        farthest = max((X.max(axis=0) - self.origin).max(), (self.origin - X.min(axis=0)).max())
        self.unit = 2.0 ** max(np.frexp(farthest)[1], -1000)

    def into(self, X):
        """Return (X - origin) / unit."""
        Z = X - self.origin
        Z *= 1 / self.unit
        Z[np.abs(Z) < 1e-100] = 0.0
        return Z

    def back(self, Z):
        """Return Z · unit + origin."""
        return Z * self.unit + self.origin


class LinearProblem(NamedTuple):
    """A penalised fit of a linear predictor in units in which each feature has deviation 1."""

    X: np.ndarray
    """Of shape (n, d + 1): the standardised features, and a column of ones."""
    weights: np.ndarray
    """Of shape (n,), with sum 1."""
    total: float
    """The sum that the weights had."""
    penalties: np.ndarray
    """Of shape (d + 1,): α_j of the mean loss, 0 for the intercept."""
    center: np.ndarray
    scale: np.ndarray

    def back(self, theta):
        """Return w and b in the units of the features as they were given, for θ of shape (d + 1,) or (K, d + 1)."""
        w = theta[..., :-1] / self.scale
        return w, theta[..., -1] - w @ self.center

    def into(self, w, b):
        """Return the θ of w and b."""
        return np.append(w * self.scale, b + w @ self.center)


def linear_problem(X, weights, alpha):
    """Bring a fit with the penalty ½ α ‖w‖² on the summed loss into units; the loss becomes a mean."""
    total = float(weights.sum())
    weights = weights / total
    Z, center, scale = standardise(X, weights)
    penalties = np.append(penalty_in_units(alpha / total, scale), 0.0)
    return LinearProblem(np.column_stack([Z, np.ones(len(Z))]), weights, total, penalties, center, scale)
