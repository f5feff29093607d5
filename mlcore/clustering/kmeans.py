"""k-means: k centres, each the mean of the points that are nearest to it."""

import numpy as np

from mlcore.base import (
    Clusterer,
    ConvergenceWarning,
    anything,
    check_array,
    check_choice,
    check_fit_X,
    check_X,
    real,
    seed,
    warn_caller,
    whole,
)
from mlcore.core import clustering as core
from mlcore.core.clustering import assign, draw, lloyd, plus_plus, reseed, squares, update
from mlcore.engines.moving_centers import MovingCenters
from mlcore.numerics import Frame

__all__ = ["KMeans", "assign", "draw", "lloyd", "plus_plus", "reseed", "squares", "update"]

MANY = 20_000
"""From so many points on the engine pays: it is two to six times as fast."""


def _check_init(name, value):
    is_word = isinstance(value, str)
    return check_choice(name, value, ("k-means++", "random")) if is_word else check_array(value, name=name)


class KMeans(Clusterer):
    """k centres that make the sum of the squared distances of the points from the nearest centre small (k均值).

    J = Σ_i min_j ‖x_i - μ_j‖²

    From a start it assigns each point to the nearest centre, moves each centre to the mean of its points, and so on:
    neither half-step ever raises J. It ends where nothing changes: a local minimum, often not the best one; so it
    starts ``n_init`` times and keeps the lowest J. A centre without points moves to the point that is farthest from
    its own centre.

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

    n_clusters: int = whole(8, "k; at most the number of distinct points.", low=1)
    init: object = anything(
        "k-means++", '"k-means++", "random" or array-like of shape (n_clusters, n_features)',
        "How to start: points drawn one after the other with chances in step with their squared distance from those\n"
        "drawn before; k distinct points drawn evenly; or these centres, from which it starts once.",
        check=_check_init, bad=("best", 3, [[np.nan]]),
    )
    n_init: int = whole(10, "Number of starts.", low=1)
    max_iter: int = whole(300, "Most steps from one start.", low=1)
    tol: float = real(
        1e-4,
        "It also ends when the squares of the centres' moves add up to less than tol times the mean variance of the\n"
        "features; 0: only when no label changes.",
        low=0,
    )
    random_state: object = seed("Draws the starts.")

    def iter_fit(self, X, y=None):
        """Yield self after the first assignment and after each step, of one start after the other; then the best."""
        p = self.checked()
        X = check_fit_X(self, X)
        self._frame = Frame(X)
        points = self._frame.into(X)
        check_distinct(points, p.n_clusters)
        tol, best = p.tol * np.vdot(points, points) / points.size, None
        for start in self._starts(p, points):
            half_steps, before = MovingCenters() if len(X) >= MANY else core, None
            for step, state in enumerate(lloyd(points, start, half_steps.assign, half_steps.update)):
                self._remember(*state, step)
                yield self
                arrived = before is not None and _stands_still(*before, *state, tol)
                if arrived or step == p.max_iter:
                    break
                before = state
            J = squares(points, *state).sum()
            if best is None or J < best[0] * (1 - 1e-9):  # lower by more than rounding
                best = J, *state, step, arrived
        J, *state, arrived = best
        self._remember(*state)
        self.inertia_ = float(J * self._frame.unit**2)
        if not arrived:
            warn_caller(
                f"KMeans was still moving after max_iter={p.max_iter} steps: allow more, or a larger tol",
                ConvergenceWarning,
            )
        yield self

    def _starts(self, p, points):
        """The centres to begin with, as often as it shall begin."""
        k, d = p.n_clusters, points.shape[1]
        if not isinstance(p.init, str):
            if p.init.shape != (k, d):
                raise ValueError(f"init must hold {k} centres of {d} features, got an array of shape {p.init.shape}")
            yield self._frame.into(p.init)
            return
        for _ in range(p.n_init):
            if p.init == "k-means++":
                yield points[plus_plus(points, k, p.random_state)]
            else:
                shuffled = p.random_state.permutation(points)
                yield shuffled[first_distinct(shuffled, k)]

    def _remember(self, centers, labels, step):
        self._centers, self.cluster_centers_ = centers, self._frame.back(centers)
        self.labels_, self.n_iter_ = labels, step

    def predict(self, X):
        """Return the number of the nearest centre for each row, shape (n_samples,)."""
        X = check_X(self, X)
        return assign(self._frame.into(X), self._centers)


def _stands_still(old_centers, old_labels, centers, labels, tol):
    """Whether no label changes, or the squares of the centres' moves add up to less than tol."""
    moves = centers - old_centers
    return np.array_equal(labels, old_labels) or np.vdot(moves, moves) < tol


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
