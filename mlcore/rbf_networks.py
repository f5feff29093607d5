"""RBF networks (径向基函数网络): a weighted sum of Gaussian basis functions, each around its centre.

Notes C 7.4, 7.5. Broomhead and Lowe (1988), "Multivariable functional interpolation and adaptive networks"; Moody and
Darken (1989), "Fast learning in networks of locally-tuned processing units", for the centres of k-means.
"""

from dataclasses import replace

import numpy as np

from mlcore.base import (
    FARTHEST,
    REQUIRED,
    Classifier,
    Estimator,
    Regressor,
    anything,
    check_array,
    check_classification,
    check_regression,
    check_X,
    door,
    flag,
    real,
    seed,
    table,
    warn_caller,
    whole,
)
from mlcore.clustering import KMeans
from mlcore.clustering.kmeans import first_distinct
from mlcore.core.kernel_methods import squared_distances
from mlcore.core.rbf_networks import design, filtered_weights, free_bias, interpolating_weights, output_weights, vote
from mlcore.distances import euclidean
from mlcore.features import indicator
from mlcore.kernels import GAMMA, resolve_gamma
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
"""Numbers in one block of Z: 2 megabytes."""


class _Network(Estimator):
    """What the two networks share: the centres, the weights and the output."""

    n_centers: int = whole(None, "M, at most the number of distinct rows; None: a centre on each row.", low=1)
    gamma: object = replace(
        GAMMA,
        says="γ, the same for all basis functions, of which each falls to 1/e at the distance 1/√γ; 1 / (d · Var X)\n"
        'for "scale", 1 / d for "auto".',
    )
    alpha: float = real(
        1.0,
        "α, the price of ‖β‖²; b is free. Below 1e-10 of Σ Z² the solution comes from a singular value decomposition,\n"
        "which takes ten times as long.",
        low=0, hidden_high=FARTHEST,
    )
    fit_intercept: bool = flag(True, "False: there is no b.")
    random_state: object = seed("For k-means.")

    def _learn(self, X, Y, p):
        """Centres, then weights."""
        full, gamma = p.n_centers is None, resolve_gamma(p.gamma, X)
        centers = X.copy() if full else _find_centers(X, p)
        Z = design(X, X if full else centers, gamma)
        weights, bias = solve_output(Z, Y, p.alpha, p.fit_intercept, full)
        if not warn_of_cancellation(weights, Y) and full and p.alpha == 0:
            warn_of_missed_points(X, Y, Y - Z @ weights - bias)
        self.centers_, self.gamma_, self.weights_, self.intercept_ = centers, gamma, weights, bias

    def _output(self, X):
        """Zβ + b, of shape (n,) or (n, k), some rows at a time."""
        X = check_X(self, X)
        rows = max(1, BLOCK // len(self.centers_))
        parts = [design(X[i : i + rows], self.centers_, self.gamma_) @ self.weights_ for i in range(0, len(X), rows)]
        return np.concatenate(parts) + self.intercept_


def _find_centers(X, p):
    n_distinct = len(first_distinct(X, p.n_centers))
    if p.n_centers > n_distinct:
        raise ValueError(
            f"n_centers = {p.n_centers} centres need as many distinct rows, but n_samples = {len(X)}, "
            f"{n_distinct} of them distinct: ask for at most {n_distinct}, or for None, a centre on each row"
        )
    return KMeans(n_clusters=p.n_centers, n_init=STARTS, random_state=p.random_state).fit(X).cluster_centers_


class RBFNetwork(_Network, Regressor):
    """A curve, or a surface, as a sum of Gaussian basis functions: an RBF network for regression (径向基函数网络).

    f(x) = Σ_m β_m e^(-γ ‖x - μ_m‖²) + b

    The centres μ_m are found first, without a look at y: all training rows (a *full* network), or the centres of
    k-means. Then β and b minimise Σ_i (y_i - f(x_i))² + α‖β‖², a ridge regression on the values Z of the basis
    functions. α = 0 is the limit of small α: of all weights that fit best the shortest. A full network with α = 0
    passes through every point, if no two rows are equal and the basis functions are not so wide that they cannot be
    told apart. Far from all centres the output is b.

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
    weights_ : ndarray of shape (n_centers,)
        β.
    intercept_ : float
        b.
    gamma_ : float
    """

    @property
    def _poor_score(self):
        """A few basis functions cannot follow a plane in ten dimensions."""
        return self.n_centers is not None

    def fit(self, X, y):
        p = self.checked()
        X, y = check_regression(self, X, y)
        self._learn(X, y, p)
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

    Attributes
    ----------
    centers_ : ndarray of shape (n_centers, n_features)
    weights_ : ndarray of shape (n_centers,) for two classes, else (n_centers, n_classes)
    intercept_ : float, or ndarray of shape (n_classes,)
    gamma_ : float
    classes_ : ndarray of shape (n_classes,)
    """

    def fit(self, X, y):
        p = self.checked()
        X, codes = check_classification(self, X, y, min_classes=2)
        two = len(self.classes_) == 2
        self._learn(X, 2.0 * codes - 1 if two else indicator(codes, len(self.classes_)), p)
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


@door(
    X=table("The rows that get an answer.", form="array-like of shape (n, d)"),
    samples=table("The rows that vote.", form="array-like of shape (m, d)"),
    values=anything(
        REQUIRED, "array-like of shape (m,) or (m, k)", "Numbers; for classes ±1, or a column of 0 and 1 for each."
    ),
    gamma=real(1.0, "γ: large where only near samples should count.", low=0, low_open=True, hidden_high=FARTHEST),
)
def normalized_vote(X, samples, values, gamma=1.0):
    """Return Σ_m κ(x, x_m) y_m / Σ_m κ(x, x_m) for each row x, κ = e^(-γ‖x - x_m‖²) (Nadaraya-Watson).

    Every sample votes, with a weight that falls with its distance; nothing is solved for. As γ → ∞ the nearest sample
    decides alone. Nadaraya (1964), Watson (1964).

    Returns
    -------
    ndarray of shape (n,) or (n, k)
        Between the least and the greatest value.
    """
    flat = np.ndim(values) == 1
    Y = check_array(np.reshape(values, (-1, 1)) if flat else values, name="values")
    if len(Y) != len(samples):
        raise ValueError(f"each of the {len(samples)} samples needs a value, got {len(Y)}")
    if X.shape[1] != samples.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns, samples has {samples.shape[1]}: both need the same features")
    middle, rows = samples.mean(axis=0), max(1, BLOCK // len(samples))
    X, samples = X - middle, samples - middle
    reach = max(np.abs(X).max(), np.abs(samples).max()) ** 2 * X.shape[1]
    precise = gamma * reach >= QUICK  # then ‖x - z‖² comes from the differences
    with np.errstate(over="ignore", under="ignore"):
        parts = [
            vote(euclidean(part, samples) ** 2 if precise else squared_distances(part, samples), Y, gamma)
            for part in (X[i : i + rows] for i in range(0, len(X), rows))
        ]
    result = np.concatenate(parts)
    return result[:, 0] if flat else result


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
    """Warn where weights are so large that rounding shows in the output (no entry of Z exceeds 1); say whether."""
    size, scale = np.abs(weights).sum(axis=0).max(), np.abs(Y).max()
    noise = np.finfo(float).eps * size
    if shows := noise > 1e-6 * scale > 0:
        digits = max(0, int(-np.log10(noise / scale)))
        warn_caller(
            f"the weights add up to {size:.1g} in size and cancel to outputs of about {scale:.1g}, so rounding leaves "
            f"only about {digits} digits: take alpha > 0, or a larger gamma (narrower basis functions)"
        )
    return shows


def warn_of_missed_points(X, Y, errors):
    """Warn where a full network with α = 0 does not pass through the points, though no two of them are equal."""
    worst, scale = np.abs(errors).max(), np.abs(Y).max()
    if worst > 1e-6 * scale and len(first_distinct(X, len(X))) == len(X):
        warn_caller(
            "the basis functions are so wide that float64 cannot tell them apart: the output misses a target by "
            f"{worst:.1g}, where the largest is {scale:.1g}. Take a larger gamma (narrower basis functions)"
        )
