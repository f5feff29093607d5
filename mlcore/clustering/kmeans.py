"""k-means: k centres, each the mean of the points that are nearest to it.

X has a point x_i in each of n rows, with d columns; the centres μ_1, ..., μ_k are the rows of an array of shape (k, d).
labels, of shape (n,), has for each point the number, 0 to k - 1, of its group. J is the sum of the squared distances
of all points from the centres of their groups. gaps, of shape (n,), has the squared distance of each point from the
nearest of the centres that were drawn so far.
"""

from functools import partial

import numpy as np

from mlcore.base import (
    Clusterer,
    ConvergenceWarning,
    check_array,
    check_choice,
    check_fit_X,
    check_int,
    check_random_state,
    check_real,
    check_X,
    run,
    warn_caller,
)
from mlcore.engines.moving_centers import MovingCenters, blocks, nearest_center, shifted, squared_distances

__all__ = ["KMeans"]

MANY = 2000
"""From so many points on the engine pays."""


# ---------------------------------------------------------------------------------------------------------------
# The core
# ---------------------------------------------------------------------------------------------------------------
def assign(X, centers):
    """argmin_j ‖x_i - μ_j‖² = argmax_j (x_iᵀμ_j - ½‖μ_j‖²), the first among equals, of shape (n,)  (23.1)."""
    closeness = X @ centers.T
    closeness -= 0.5 * np.sum(centers**2, axis=1)
    return closeness.argmax(axis=1)


def update(X, labels, k):
    """μ_j = Σ_i [r_i = j] x_i / n_j, of shape (k, d): the means of the groups, none of which is empty  (23.2)."""
    members = (labels == np.arange(k)[:, np.newaxis]).astype(float)
    return members @ X / members.sum(axis=1, keepdims=True)


def squares(X, centers, labels):
    """‖x_i - μ_j‖², j the group of x_i, of shape (n,): they add up to J."""
    differences = X - centers.take(labels, axis=0)
    return np.vecdot(differences, differences)


def reseed(X, centers, labels):
    """Give each empty group the point that is farthest from its centre; J falls by the square of that distance.

    A point that is alone in its group stays there. Centres and labels are new arrays.
    """
    sizes, gaps = np.bincount(labels, minlength=len(centers)), squares(X, centers, labels)
    centers, labels = centers.copy(), labels.copy()
    for empty in np.flatnonzero(sizes == 0):
        i = np.where(sizes[labels] > 1, gaps, -1).argmax()
        sizes[[labels[i], empty]] += [-1, 1]
        centers[empty], labels[i], gaps[i] = X[i], empty, 0
    return centers, labels


def draw(gaps, u):
    """The number of a point, drawn with chances gap_i / Σ_j gap_j by a uniform u from [0, 1)  (23.7)."""
    heights = np.cumsum(gaps)
    return np.searchsorted(heights, u * heights[-1], side="right")


def plus_plus(X, k, rng):
    """k-means++: the numbers of k points, the first drawn evenly, each other one in proportion to its gap  (23.7)."""
    places, gaps = [rng.integers(len(X))], np.inf
    while len(places) < k:
        gaps = np.minimum(gaps, squared_distances(X, X[places[-1]]))
        places.append(draw(gaps, rng.random()))
    return places


# ---------------------------------------------------------------------------------------------------------------
# The model
# ---------------------------------------------------------------------------------------------------------------
class KMeans(Clusterer):
    """k centres that make the sum of the squared distances of the points from the nearest centre small (k均值).

    J = Σ_i min_j ‖x_i - μ_j‖²

    From a start it assigns each point to the nearest centre, moves each centre to the mean of its points, and so on:
    neither half-step ever raises J. It ends where nothing changes: a local minimum, often not the best one; so it
    starts ``n_init`` times and keeps the lowest J. A centre without points moves to the point that is farthest from
    its own centre.

    Parameters
    ----------
    n_clusters : int >= 1
        k; at most the number of distinct points.
    init : "k-means++", "random" or array-like of shape (n_clusters, n_features)
        How to start: points drawn one after the other with chances in step with their squared distance from those
        drawn before; k distinct points drawn evenly; or these centres, from which it starts once.
    n_init : int >= 1
        Number of starts.
    max_iter : int >= 1
        Most steps from one start.
    tol : float >= 0
        It also ends when the squares of the centres' moves add up to less than tol times the mean variance of the
        features; 0: only when no label changes.
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : int ndarray of shape (n_samples,)
        The nearest centre of each point.
    inertia_ : float
        J.
    n_iter_ : int
        Steps of the best start.

    References
    ----------
    Notes B (KMeans); C 7.5. Lloyd (1982), "Least squares quantization in PCM"; Arthur and Vassilvitskii (2007),
    "k-means++: the advantages of careful seeding".
    """

    def __init__(self, *, n_clusters=8, init="k-means++", n_init=10, max_iter=300, tol=1e-4, random_state=None):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data, or if there are more clusters than distinct points.
        """
        run(self.iter_fit(X, y))
        return self

    def iter_fit(self, X, y=None):
        """As ``fit``, yielding self after the first assignment and after each step, of one start after the other.

        Yields
        ------
        self
            With ``cluster_centers_`` and ``labels_`` as they are; in the end those of the best start.
        """
        k, max_iter, tol, rng = self._check_parameters()
        X = check_fit_X(self, X)
        points = self._in_units(X)
        check_distinct(points, k)
        if isinstance(self.init, str):
            starts = (self._draw(points, k, rng) for _ in range(self.n_init))
        else:
            starts = [self._given(k)]
        tol, best = tol * np.vdot(points, points) / points.size, None
        for start in starts:
            self.n_iter_ = -1
            for centers, labels, arrived in lloyd(points, start, max_iter, tol, self._rounded):  # noqa: B007
                self.cluster_centers_, self.labels_ = centers * self._unit + self._origin, labels
                self.n_iter_ += 1
                yield self
            J = sum(squares(points[rows], centers, labels[rows]).sum() for rows in blocks(len(points), size=1024))
            if best is None or J < best[0] * (1 - 1e-9):  # lower by more than rounding
                best = J, self.cluster_centers_, labels, self.n_iter_, arrived
        J, self.cluster_centers_, self.labels_, self.n_iter_, arrived = best
        self.inertia_ = float(J * self._unit**2)
        if not arrived:
            warn_caller(
                f"KMeans was still moving after max_iter={max_iter} steps: allow more, or a larger tol",
                ConvergenceWarning,
            )
        yield self

    def predict(self, X):
        """Return the number of the nearest centre for each row, shape (n_samples,)."""
        X = check_X(self, X)
        centers = (self.cluster_centers_ - self._origin) / self._unit
        if len(X) >= MANY:
            return nearest_center(X, centers, self._origin, self._unit)
        return assign((X - self._origin) / self._unit, centers)

    def _check_parameters(self):
        check_int("n_init", self.n_init, low=1)
        if isinstance(self.init, str):
            check_choice("init", self.init, ("k-means++", "random"))
        return (
            check_int("n_clusters", self.n_clusters, low=1),
            check_int("max_iter", self.max_iter, low=1),
            check_real("tol", self.tol, low=0),
            check_random_state(self.random_state) if isinstance(self.init, str) else None,  # nothing is drawn
        )

    def _in_units(self, X):
        """The points from their mean, in units (a power of two) in which the largest number is about 1.

        Far from the origin the products in ``assign`` would lose the digits that tell near centres apart.
        """
        self._origin = np.full(len(X), 1 / len(X)) @ X
        Z = shifted(X, self._origin)
        self._unit = 2.0 ** max(np.frexp(max(Z.max(), -Z.min()))[1], -1000)
        for block in blocks(len(Z)):
            rows = Z[block]
            rows *= 1 / self._unit
            rows[np.abs(rows) < 1e-100] = 0.0  # so that the squares of what is left do not underflow
        return Z

    def _rounded(self, centers):
        """The centres as ``predict`` has them from ``cluster_centers_``: so it gives ``labels_``, ties included."""
        return (centers * self._unit + self._origin - self._origin) / self._unit

    def _draw(self, points, k, rng):
        if self.init == "k-means++":
            return points[plus_plus(points, k, rng)]
        shuffled = rng.permutation(points)
        return shuffled[first_distinct(shuffled, k)]

    def _given(self, k):
        centers = check_array(self.init, name="init")
        if centers.shape != (k, self.n_features_in_):
            raise ValueError(
                f"init must hold {k} centres of {self.n_features_in_} features, got an array of shape {centers.shape}"
            )
        return (centers - self._origin) / self._unit


def lloyd(X, centers, max_iter, tol, rounded=np.asarray):
    """Assign; then update and assign until no label changes, or the squares of the centres' moves add up to tol.

    Runs the core; from 2,000 points on its engine, which gives the same labels. ``rounded`` is done to all new centres.
    Labels are the nearest centres. A step begins with ``reseed`` where they leave a group empty, and the last one ends
    with it too.

    Yields
    ------
    centers, labels, arrived : ndarrays of shape (k, d) and (n,), bool
    """
    step = MovingCenters(X) if len(X) >= MANY else _Core(X)
    centers = rounded(centers)
    labels = step.assign(centers)
    filled = _without_empty(X, centers, labels)
    for _ in range(max_iter):
        yield centers, labels, False
        before = filled
        centers = rounded(step.update(filled[1], len(centers)))
        labels = step.assign(centers)
        filled = _without_empty(X, centers, labels)
        moves = filled[0] - before[0]
        arrived = np.array_equal(filled[1], before[1]) or np.vdot(moves, moves) < tol
        if arrived:
            break
    if filled[0] is not centers:  # a centre has just moved to a point, and may be the nearest for others too
        centers = rounded(filled[0])
        labels = min(step.assign(centers), filled[1], key=lambda labels: squares(X, centers, labels).sum())
    yield centers, labels, arrived


def _without_empty(X, centers, labels):
    """The same, or after ``reseed`` where a group is empty."""
    for some in (labels[:MANY], labels):  # the first points mostly suffice to see that no group is empty
        if np.count_nonzero(np.bincount(some, minlength=len(centers))) == len(centers):
            return centers, labels
    return reseed(X, centers, labels)


class _Core:
    """The core, by the names of its engine."""

    def __init__(self, X):
        self.assign = partial(assign, X)
        self.update = partial(update, X)


def unit_of(X):
    """A power of two in which no column of X spreads over more than 1, and the widest over half of it at least."""
    return 2.0 ** np.frexp(np.ptp(X, axis=0).max())[1]


def first_distinct(X, k):
    """Return the places of the first k rows of X that differ from all rows before them; fewer, if there are no more."""
    places = {}
    for i, row in enumerate(X):
        places.setdefault(tuple(row.tolist()), i)
        if len(places) == k:
            break
    return np.array(list(places.values()))


def check_distinct(X, k, name="n_clusters"):
    """Refuse more clusters (or what else ``name`` counts) than there are distinct rows in X.

    Raises
    ------
    ValueError
        With both numbers.
    """
    n_distinct = len(first_distinct(X, k))
    if n_distinct < k:
        raise ValueError(
            f"{name}={k} needs as many distinct points, but X has {len(X)} row{'s' * (len(X) > 1)} of which "
            f"{n_distinct} differ{'s' * (n_distinct == 1)}: ask for at most {n_distinct}"
        )
