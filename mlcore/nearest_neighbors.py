"""Nearest neighbours: predict from the samples around a point, and estimate a density from how many there are."""

from dataclasses import replace

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    Estimator,
    Regressor,
    anything,
    check_classification,
    check_fit_X,
    check_int,
    check_is_fitted,
    check_regression,
    check_X,
    choice,
    door,
    real,
    table,
    whole,
)
from mlcore.core.nearest_neighbors import (
    log_ball_volume,
    log_bump_density,
    log_count_density,
    log_knn_density,
    mean_of_neighbors,
    neighbor_weights,
    vote,
    whitened,
)
from mlcore.distances import METRICS, P, check_metric, euclidean, neighbors, root_of_covariance

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "KernelDensity", "knn_density", "log_ball_volume"]

_BLOCK = 2**18  # numbers in one block of distances from all samples: 2 megabytes


# ---------------------------------------------------------------------------------------------------------------
# Neighbours that vote, and neighbours that are averaged
# ---------------------------------------------------------------------------------------------------------------
def _check_metric(name, metric):
    check_metric(metric)
    return metric


class _Neighbors(Estimator):
    """What the classifier and the regressor share: the metric, the samples, and the search among them."""

    n_neighbors: int = whole(5, "K, at most the number of samples.", low=1)
    metric: object = anything(
        "euclidean", f"one of {', '.join(map(repr, METRICS))}, or callable",
        "A function of two tables returns the distances of all pairs of their rows, such as ``distances.manhattan``.\n"
        '"hamming" is the share of features that differ.',
        check=_check_metric, bad=("euclid", None, 2),
    )
    weights: str = choice("uniform", ("uniform", "distance"), "Whether nearer samples count more.")
    p: float = replace(P, says='For "minkowski".')
    cov: object = anything(
        None, "array-like of shape (n_features, n_features), optional",
        'Σ for "mahalanobis"; by default the covariance of the samples, all classes together (divided by N - 1).',
    )

    def _check_parameters(self):
        self.checked()
        if self.cov is not None and self.metric != "mahalanobis":
            raise ValueError(f"cov is for metric='mahalanobis', but metric is {self.metric!r}")

    def _keep(self, X):
        """Remember the samples, in coordinates in which the metric measures."""
        if self.n_neighbors > len(X):
            raise ValueError(
                f"n_neighbors = {self.n_neighbors} neighbours are asked for, but n_samples = {len(X)}: take fewer"
            )
        self._measure = check_metric(self.metric, self.p)
        self._root = root_of_covariance(X, self.cov) if self.metric == "mahalanobis" else None
        self._center = X.mean(axis=0)  # far from the origin whitening would cost digits
        self._samples = self._in_coordinates(X).copy()
        self.n_samples_fit_ = len(X)

    def _in_coordinates(self, X):
        return X if self._root is None else whitened(X - self._center, self._root)

    def kneighbors(self, X=None, n_neighbors=None):
        """Return the distances and the places of the nearest samples, the nearest first.

        Of samples at equal distances the one that came first in ``fit`` comes first.

        Parameters
        ----------
        X : array-like of shape (n, n_features), optional
            By default the samples themselves, none of which then is its own neighbour.
        n_neighbors : int, optional
            By default the parameter.

        Returns
        -------
        distances : ndarray of shape (n, n_neighbors)
            In the metric's unit.
        places : int ndarray of shape (n, n_neighbors)
            Row numbers of the X of ``fit``.
        """
        check_is_fitted(self)
        itself = X is None
        high = self.n_samples_fit_ - itself
        if high == 0:
            raise ValueError("a single sample (n_samples = 1) has no neighbour but itself")
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = check_int("n_neighbors", k, low=1, high=high)
        points = self._samples if itself else self._in_coordinates(check_X(self, X))
        return tuple(neighbors(points, self._samples, k, self._measure, itself=itself))

    def _weigh(self, X):
        """The places and the weights of the neighbours of each row."""
        distances, places = self.kneighbors(X)
        return places, np.ones(places.shape) if self.weights == "uniform" else neighbor_weights(distances)


class KNeighborsClassifier(_Neighbors, Classifier):
    """The classes of the nearest samples vote (K近邻分类器).

    P(c | x) = K_c / K,        K_c of the K nearest samples are of class c

    With ``weights="distance"`` a sample at the distance r has 1/r votes; where samples lie at x itself, only they vote.

    Ties: of samples at equal distances, the one that came first in ``fit`` is nearer. Of classes with equally many
    votes, ``predict`` takes the first in ``classes_``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_samples_fit_ : int
        N.

    References
    ----------
    Notes B, K近邻分类器. Cover and Hart (1967), "Nearest neighbor pattern classification".
    """

    def fit(self, X, y):
        """Remember the samples; return self.

        Raises
        ------
        ValueError
            For bad parameters or data; fewer samples than ``n_neighbors``; a singular covariance.
        """
        self._check_parameters()
        X, self._codes = check_classification(self, X, y)
        self._keep(X)
        return self

    def predict_proba(self, X):
        """Return the share of the votes that each class has, shape (n, n_classes); each row sums to 1."""
        places, weights = self._weigh(_given(X))
        return vote(self._codes[places], weights, len(self.classes_))

    def predict(self, X):
        """Return the class with most votes; of equally many, the first in ``classes_``."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]


class KNeighborsRegressor(_Neighbors, Regressor):
    """The mean of the targets of the nearest samples (K近邻回归).

    f(x) = Σ_j w_j y_j / Σ_j w_j over the K nearest samples

    with w = 1, or w = 1/r at the distance r; where samples lie at x itself, they alone count.

    Ties: of samples at equal distances, the one that came first in ``fit`` is nearer.

    Attributes
    ----------
    n_samples_fit_ : int

    References
    ----------
    Notes B, K近邻方法, carried over to regression.
    """

    def fit(self, X, y):
        """Remember the samples and their targets; return self."""
        self._check_parameters()
        X, y = check_regression(self, X, y)
        self._keep(X)
        self._targets = y.copy()
        return self

    def predict(self, X):
        """Return the mean of the neighbours' targets, shape (n,)."""
        places, weights = self._weigh(_given(X))
        return mean_of_neighbors(self._targets[places], weights)


def _given(X):
    """X of ``predict``; None, with which ``kneighbors`` means the samples themselves, becomes what a door refuses."""
    return np.array(None) if X is None else X


# ---------------------------------------------------------------------------------------------------------------
# Densities
# ---------------------------------------------------------------------------------------------------------------
class KernelDensity(Estimator):
    """A bump on every sample, averaged: a density that is never negative and has area 1 (核密度估计, Parzen窗).

    p(x) = (1/N) Σ_i κ_h(x - x_i)

    - kernel "gaussian": κ_h is the density of N(0, h²I); h is the standard deviation of a bump.
    - kernel "uniform": κ_h is 1/V inside the ball of radius h and 0 outside: p(x) = K / (N V).

    Attributes
    ----------
    n_samples_fit_ : int
        N.

    References
    ----------
    Notes B, 核密度估计. Rosenblatt (1956), "Remarks on some nonparametric estimates of a density function"; Parzen
    (1962), "On estimation of a probability density function and mode".
    """

    bandwidth: float = real(1.0, "h, in the unit of the features.", low=1e-100, high=1e100)
    kernel: str = choice("gaussian", ("gaussian", "uniform"), "The form of a bump.")

    def fit(self, X, y=None):
        """Remember the samples; return self."""
        self.checked()
        self._samples = check_fit_X(self, X).copy()
        self.n_samples_fit_ = len(self._samples)
        return self

    def score_samples(self, X):
        """Return ln p(x) for each row, shape (n,): -inf where p is 0, far from all samples of a uniform kernel.

        Beyond 1e150 bandwidths from all samples, where no number holds the exponent, it falls no further.
        """
        X = check_X(self, X)
        log_density = log_bump_density if self.kernel == "gaussian" else log_count_density
        result, n_rows, h = np.empty(len(X)), max(1, _BLOCK // self.n_samples_fit_), float(self.bandwidth)
        with np.errstate(divide="ignore", under="ignore"):
            for i in range(0, len(X), n_rows):
                D = np.minimum(euclidean(X[i : i + n_rows], self._samples), 1e150 * h)
                result[i : i + n_rows] = log_density(D, h, X.shape[1])
        return result

    def score(self, X, y=None):
        """Return the log-likelihood of all rows together, Σ ln p(x)."""
        return float(self.score_samples(X).sum())


@door(
    X_train=table("The samples.", form="array-like of shape (N, d)"),
    X=table("Where the density is wanted.", form="array-like of shape (n, d)"),
    n_neighbors=whole(REQUIRED, "K, at most N.", low=1),
)
def knn_density(X_train, X, n_neighbors):
    """Return p(x) = K / (N V), where V is the ball around x that just reaches the K-th nearest sample.

    It is never negative, but its integral over the space is infinite: it is no density (notes B).

    Returns
    -------
    ndarray of shape (n,)
        Infinite where K samples lie at x itself.

    Raises
    ------
    ValueError
        For different widths, or a K above N.

    References
    ----------
    Notes B, K近邻. Loftsgaarden and Quesenberry (1965), "A nonparametric estimate of a multivariate density function".
    """
    if X.shape[1] != X_train.shape[1]:
        raise ValueError(f"X_train has {X_train.shape[1]} columns and X has {X.shape[1]}")
    N, d = X_train.shape
    K = check_int("n_neighbors", n_neighbors, low=1, high=N)
    distances, _ = neighbors(X, X_train, K)
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return np.exp(log_knn_density(distances[:, -1], K, N, d))
