"""RBF networks (径向基函数网络): a weighted sum of bumps, each of which looks only at the distance from its centre.

X has a point x_i in each of n rows, with d columns; the centres μ_1, ..., μ_M are the rows of an array of shape (M, d).
Z, of shape (n, M), holds the height of each bump at each point: a row of features for each point. Y holds the targets,
of shape (n,) or (n, k) for k outputs; the weights β then have shape (M,) or (M, k), and the bias b is a number or has
shape (k,). α is the price of the squared weights, γ says how narrow the bumps are.
"""

import numpy as np

from mlcore.base import (
    FARTHEST,
    Classifier,
    Estimator,
    Regressor,
    check_array,
    check_classification,
    check_flag,
    check_int,
    check_real,
    check_regression,
    check_X,
    warn_caller,
)
from mlcore.clustering import KMeans
from mlcore.clustering.kmeans import first_distinct
from mlcore.core.rbf_networks import design, filtered_weights, free_bias, interpolating_weights, output_weights, vote
from mlcore.distances import euclidean
from mlcore.features import indicator
from mlcore.kernels import resolve_gamma, squared_distances
from mlcore.numerics import CholeskyFactor

__all__ = ["RBFNetwork", "RBFNetworkClassifier", "normalized_vote"]

SAFE = 1e-10
"""A penalty above this part of Σ Z² keeps ZᵀZ + αI so regular that six digits of the weights are safe."""
REGULAR = 1e-4
"""A pivot of a Cholesky factor of Z (whose diagonal is 1) below this: over half of the digits would be lost."""
STARTS = 3
"""Of k-means: so many, and the best of them is taken."""
QUICK = 1e6
"""Up to this γ‖x‖² the rounding of ‖x‖² + ‖z‖² - 2 xᵀz changes a vote by less than 1e-8."""
FAINT = 1e-100
"""Heights and differences of heights below this count as 0: their squares would underflow."""
BLOCK = 2**18
"""Numbers in one block of heights of bumps: 2 megabytes."""


# ---------------------------------------------------------------------------------------------------------------
# The models
# ---------------------------------------------------------------------------------------------------------------
class _Network(Estimator):
    """What the two networks share: the centres, the weights and the output."""

    def __init__(self, *, n_centers=None, gamma="scale", alpha=1.0, fit_intercept=True, random_state=None):
        self.n_centers = n_centers
        self.gamma = gamma
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _check_parameters(self):
        if self.n_centers is not None:
            check_int("n_centers", self.n_centers, low=1)
        check_flag("fit_intercept", self.fit_intercept)
        check_real("alpha", self.alpha, low=0, high=FARTHEST)

    def _learn(self, X, Y):
        """Centres, then weights."""
        full, gamma = self.n_centers is None, resolve_gamma(self.gamma, X)
        centers = X.copy() if full else self._find_centers(X)
        Z = design(X, X if full else centers, gamma)
        weights, bias = solve_output(Z, Y, self.alpha, self.fit_intercept, full)
        if not warn_of_cancellation(weights, Y) and full and self.alpha == 0:
            warn_of_missed_points(X, Y, Y - Z @ weights - bias)
        self.centers_, self.gamma_, self.weights_, self.intercept_ = centers, gamma, weights, bias

    def _find_centers(self, X):
        if self.n_centers > (n_distinct := len(first_distinct(X, self.n_centers))):
            raise ValueError(
                f"n_centers = {self.n_centers} centres need as many distinct rows, but n_samples = {len(X)}, "
                f"{n_distinct} of them distinct: ask for at most {n_distinct}, or for None, a bump on each row"
            )
        means = KMeans(n_clusters=self.n_centers, n_init=STARTS, random_state=self.random_state)
        return means.fit(X).cluster_centers_

    def _output(self, X):
        """Zβ + b, of shape (n,) or (n, k), some rows at a time."""
        X = check_X(self, X)
        rows = max(1, BLOCK // len(self.centers_))
        parts = [design(X[i : i + rows], self.centers_, self.gamma_) @ self.weights_ for i in range(0, len(X), rows)]
        return np.concatenate(parts) + self.intercept_


class RBFNetwork(_Network, Regressor):
    """A curve, or a surface, made of bumps: an RBF network for regression (径向基函数网络).

    f(x) = Σ_m β_m e^(-γ ‖x - μ_m‖²) + b

    The centres μ_m are found first, without a look at y: all training rows (a *full* network), or the centres of
    k-means. Then β and b minimise Σ_i (y_i - f(x_i))² + α‖β‖², a ridge regression on the heights of the bumps. α = 0 is
    the limit of small α: of all weights that fit best the shortest. A full network with α = 0 passes through every
    point, if no two rows are equal and the bumps are not so wide that they cannot be told apart.

    Far from all centres every bump is 0, and the output is b.

    Parameters
    ----------
    n_centers : int >= 1 or None
        M, at most the number of distinct rows; None: a bump on each row.
    gamma : float > 0, "scale" or "auto"
        γ, the same for all bumps, of which each falls to 1/e at the distance 1/√γ; 1 / (d · Var X) for "scale", 1 / d
        for "auto".
    alpha : float >= 0
        α, the price of ‖β‖²; b is free. Below 1e-10 of Σ Z² the solution comes from a singular value decomposition,
        which takes ten times as long.
    fit_intercept : bool
        False: there is no b.
    random_state : None, int or numpy.random.Generator
        For k-means.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
    weights_ : ndarray of shape (n_centers,)
        β.
    intercept_ : float
        b.
    gamma_ : float

    References
    ----------
    Notes C 7.4, 7.5. Broomhead and Lowe (1988), "Multivariable functional interpolation and adaptive networks"; Moody
    and Darken (1989), "Fast learning in networks of locally-tuned processing units", for the centres of k-means.
    """

    @property
    def _poor_score(self):
        """A few bumps cannot follow a plane in ten dimensions."""
        return self.n_centers is not None

    def fit(self, X, y):
        """Find the centres, then solve for the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data, or if there are more centres than distinct rows.
        """
        self._check_parameters()
        X, y = check_regression(self, X, y)
        self._learn(X, y)
        self.intercept_ = float(self.intercept_)
        return self

    def predict(self, X):
        """Return f(x) for each row, shape (n_samples,)."""
        return self._output(X)


class RBFNetworkClassifier(_Network, Classifier):
    """An RBF network that tells classes apart: it is fitted to codes of the classes as if they were numbers.

    f_k(x) = Σ_m β_mk e^(-γ ‖x - μ_m‖²) + b_k,   class argmax_k f_k(x)

    The target of f_k is 1 for rows of class k and 0 for others. Two classes need one function only, with the targets
    +1 for ``classes_[1]`` and -1 for ``classes_[0]``, and its sign. Outputs are no probabilities. Centres, weights and
    α are as in ``RBFNetwork``.

    Parameters
    ----------
    n_centers, gamma, alpha, fit_intercept, random_state
        As in ``RBFNetwork``.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
    weights_ : ndarray of shape (n_centers,) for two classes, else (n_centers, n_classes)
    intercept_ : float, or ndarray of shape (n_classes,)
    gamma_ : float
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    Notes C 7.4, 7.5.
    """

    def fit(self, X, y):
        """Find the centres, then solve for the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two classes or more.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data, a single class, or if there are more centres than distinct rows.
        """
        self._check_parameters()
        X, codes = check_classification(self, X, y, min_classes=2)
        two = len(self.classes_) == 2
        self._learn(X, 2.0 * codes - 1 if two else indicator(codes, len(self.classes_)))
        if two:
            self.intercept_ = float(self.intercept_)
        return self

    def decision_function(self, X):
        """Return f(x) for each row: shape (n_samples,) for two classes, else (n_samples, n_classes)."""
        return self._output(X)

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); of equals the first in ``classes_``."""
        f = self._output(X)
        return self.classes_[(f > 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)]


def normalized_vote(X, samples, values, gamma=1.0):
    """Return Σ_m κ(x, x_m) y_m / Σ_m κ(x, x_m) for each row x: every sample votes with its bump (Nadaraya-Watson).

    As γ → ∞ the nearest sample decides alone. Nothing is solved for.

    Parameters
    ----------
    X : array-like of shape (n, d)
    samples : array-like of shape (m, d)
    values : array-like of shape (m,) or (m, k)
        Numbers; for classes ±1, or a column of 0 and 1 for each.
    gamma : float > 0

    Returns
    -------
    ndarray of shape (n,) or (n, k)
        Between the least and the greatest value.

    Raises
    ------
    ValueError
        For bad tables, widths or lengths that differ, or gamma <= 0.

    References
    ----------
    Notes C 7.5; Nadaraya (1964), Watson (1964).
    """
    gamma = check_real("gamma", gamma, low=0, low_open=True, high=FARTHEST)
    X, samples = check_array(X), check_array(samples, name="samples")
    flat = np.ndim(values) == 1
    Y = check_array(np.reshape(values, (-1, 1)) if flat else values, name="values")
    if len(Y) != len(samples):
        raise ValueError(f"each of the {len(samples)} samples needs a value, got {len(Y)}")
    if X.shape[1] != samples.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, samples has {samples.shape[1]}: both need the same features")
    middle, rows = samples.mean(axis=0), max(1, BLOCK // len(samples))
    X, samples = X - middle, samples - middle
    reach = max(np.abs(X).max(), np.abs(samples).max()) ** 2 * X.shape[1]
    measure = squared_distances if gamma * reach < QUICK else exact_squares
    with np.errstate(over="ignore", under="ignore"):
        result = np.concatenate([vote(measure(X[i : i + rows], samples), Y, gamma) for i in range(0, len(X), rows)])
    return result[:, 0] if flat else result


# ---------------------------------------------------------------------------------------------------------------
# Around the core
# ---------------------------------------------------------------------------------------------------------------
def exact_squares(X, Z):
    """‖x - z‖² from the differences: slower than ‖x‖² + ‖z‖² - 2 xᵀz, but near points keep their digits."""
    return euclidean(X, Z) ** 2


def solve_output(Z, Y, alpha, with_bias=True, full=False):
    """Return β and b, by the quickest of the three ways that is safe.

    Parameters
    ----------
    Z : ndarray of shape (n, M)
    Y : ndarray of shape (n,) or (n, k)
    alpha : float >= 0
    with_bias : bool
    full : bool
        Z is the symmetric matrix of a full network.
    """
    if alpha == 0 and full and (factor := regular_factor(Z)) is not None:
        return interpolating_weights(factor, Y) if with_bias else (factor.solve(Y), np.zeros(Y.shape[1:]))
    middle, mean = (Z.mean(axis=0), Y.mean(axis=0)) if with_bias else (0.0, 0.0)
    C = Z - middle
    C[np.abs(C) < FAINT] = 0.0
    way = output_weights if alpha > SAFE * np.vdot(C, C) else filtered_weights
    beta = way(C, Y - mean, alpha)
    return beta, free_bias(Z, Y, beta) if with_bias else np.zeros(Y.shape[1:])


def regular_factor(Z):
    """Return the Cholesky factor of Z, or None where Z is singular to half of the digits."""
    try:
        factor = CholeskyFactor(Z)
    except np.linalg.LinAlgError:
        return None
    return factor if factor.L.diagonal().min() > REGULAR else None


def warn_of_cancellation(weights, Y):
    """Warn where weights are so large that rounding shows in the output (no bump is higher than 1); say whether."""
    size, scale = np.abs(weights).sum(axis=0).max(), np.abs(Y).max()
    noise = np.finfo(float).eps * size
    if shows := noise > 1e-6 * scale > 0:
        digits = max(0, int(-np.log10(noise / scale)))
        warn_caller(
            f"the weights add up to {size:.1g} in size and cancel to outputs of about {scale:.1g}, so rounding leaves "
            f"only about {digits} digits: take alpha > 0, or a larger gamma (narrower bumps)"
        )
    return shows


def warn_of_missed_points(X, Y, errors):
    """Warn where a full network with α = 0 does not pass through the points, though no two of them are equal."""
    worst, scale = np.abs(errors).max(), np.abs(Y).max()
    if worst > 1e-6 * scale and len(first_distinct(X, len(X))) == len(X):
        warn_caller(
            f"the bumps are so wide that float64 cannot tell them apart: the output misses a target by {worst:.1g}, "
            f"where the largest is {scale:.1g}. Take a larger gamma (narrower bumps)"
        )
