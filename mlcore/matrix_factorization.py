"""Matrix factorisation: a table of ratings, most of them missing, as the product of two thin tables."""

import numpy as np

from mlcore.base import (
    ConvergenceWarning,
    Regressor,
    anything,
    check_int,
    check_is_fitted,
    check_regression,
    check_X,
    choice,
    real,
    seed,
    shown,
    warn_caller,
    whole,
)
from mlcore.core.matrix_factorization import als_half_step, main_axes, penalised_loss, products, sgd_epoch, sgd_step
from mlcore.engines.rating_blocks import block_numbers
from mlcore.optimize import DivergenceError, schedule

__all__ = ["MatrixFactorization", "sgd_step"]

START = 0.3
"""Standard deviation of the factors at the start, for ratings of deviation 1."""

MOST = 10**7
"""The largest number of a user or an item."""

ROOM = 2**16
"""So many ratings, holes included, go into one call of the core: what fits into the processor's cache is fastest."""


def _check_shape(name, value):
    if value is None:
        return None
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name} must be None or (n_users, n_items), got {shown(value)}")
    return tuple(check_int(f"{part} of {name}", n, low=1, high=MOST + 1)
                 for part, n in zip(("n_users", "n_items"), value))  # fmt: skip


class MatrixFactorization(Regressor):
    """Matrix factorisation (矩阵分解): each user and each item has k factors, and their product is the rating.

    r̂_ui = μ + v_uᵀ w_i,        J = Σ_known (r_ui - r̂_ui)² + α (Σ_u ‖v_u‖² + Σ_i ‖w_i‖²)

    μ is the mean of all ratings, so that the penalty pulls predictions to the mean, and not to 0. X holds pairs of
    numbers (user, item), counted from 0: names, not features.

    Attributes
    ----------
    mean_ : float
        μ.
    user_factors_ : ndarray of shape (n_users, n_factors)
        The v_u; 0 for a user without ratings.
    item_factors_ : ndarray of shape (n_items, n_factors)
        The w_i. After ``fit`` both are turned to the main axes of their products, the largest first, so that
        VᵀV = WᵀW is diagonal; in each axis the w_i of largest size is positive.
    user_means_, item_means_ : ndarray of shape (n_users,) and (n_items,)
        Mean ratings; μ where there are none.
    user_counts_, item_counts_ : int ndarray
        n_u and n_i.
    loss_ : float
        J, in the units of the ratings.
    n_iter_ : int
        Sweeps or epochs.

    Notes
    -----
    A user without ratings is predicted the item's mean, an item without ratings the user's mean, both together μ.

    References
    ----------
    Notes C 8. Koren, Bell and Volinsky (2009), "Matrix factorization techniques for recommender systems".
    """

    n_factors: int = whole(2, "k, at most min(n_users, n_items).", low=1)
    solver: str = choice(
        "als", ("als", "sgd"),
        "Alternating least squares, or stochastic gradient descent. Both walk down the same J.",
    )
    alpha: float = real(
        1.0,
        "α of J. With 0 the shortest factors are taken where they are not unique; J may then have no minimum.",
        low=0,
    )
    learning_rate: object = anything(
        0.02, "float > 0 or callable",
        'η of "sgd", for ratings in units of their standard deviation; or a function of the epoch 0, 1, 2, ...',
        check=lambda name, value: schedule(value), bad=(0, -1.0, "fast", None),
    )
    max_iter: int = whole(
        200, 'The most sweeps over users and items ("als"), or epochs over the ratings ("sgd").', low=1
    )
    tol: float = real(
        1e-4,
        "Stop when a sweep or an epoch changes J by no more than this share of it. (A tiny learning rate changes J\n"
        "little, too: then make tol smaller.)",
        low=0,
    )
    random_state: object = seed("Draws the factors to start from and the order of the ratings. J has several minima.")
    shape: object = anything(
        None, "(int, int), optional", "n_users and n_items. None takes the largest numbers in X, and one more.",
        check=_check_shape, bad=(3, (3, 2.5), (0, 1), (10**12, 2)),
    )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # pairs of numbers that name, no features
        return tags

    def iter_fit(self, X, y):
        """Yield the model after each half-step of "als" (users, items, users, ...) or each epoch of "sgd".

        The factors are turned to their main axes after each items' half-step of "als", and at the end of "sgd".

        Parameters
        ----------
        X : array-like of shape (n_ratings, 2)
            Pairs (user, item) of whole numbers >= 0. A pair may come twice: then both ratings count.
        y : array-like of shape (n_ratings,)
            Ratings.

        Raises
        ------
        ValueError
            For bad parameters or data; if n_factors > min(n_users, n_items), or a number lies outside ``shape``.
        DivergenceError
            A ValueError: if "sgd" leaves the range of the numbers, since its learning rate is too large.
        """
        p = self.checked()
        X, y = check_regression(self, X, y)
        users, items = self._read_pairs(X, p.shape)
        n_users, n_items = self._remember_table(users, items, y, p.shape)
        k = p.n_factors
        if k > min(n_users, n_items):
            raise ValueError(
                f"n_factors={k} is more than min(n_users, n_items)={min(n_users, n_items)} for a table of "
                f"{n_users} users and {n_items} items: choose at most that many"
            )
        self.mean_ = y.mean() if np.ptp(y) else y[0]  # the mean of equal numbers is rounded
        deviation = np.std(y - self.mean_) or 1.0
        start = [START * p.random_state.normal(size=(len(counts), k)) * (counts > 0)[:, np.newaxis]
                 for counts in (self.user_counts_, self.item_counts_)]
        known, alpha = (users, items, (y - self.mean_) / deviation), p.alpha / deviation  # of J / deviation²
        before = penalised_loss(*start, *known, alpha)
        walk = self._alternate if p.solver == "als" else self._descend
        for self.n_iter_, round_ends, V, W in walk(p, *start, known, alpha):
            loss = self._checked_loss(V, W, known, alpha)
            self.user_factors_, self.item_factors_ = np.sqrt(deviation) * V, np.sqrt(deviation) * W
            self.loss_ = float(deviation**2 * loss)
            yield self
            if round_ends and abs(before - loss) <= p.tol * max(before, 1e-6 * len(y)):
                break
            before = loss if round_ends else before
        else:
            warn_caller(
                f"the loss still changed by more than tol={self.tol:g} of it after max_iter={self.max_iter} rounds: "
                "raise max_iter or alpha" + (", or let learning_rate fall" if self.solver == "sgd" else ""),
                ConvergenceWarning,
            )
        V, W = main_axes(self.user_factors_, self.item_factors_)
        signs = np.where(W[np.abs(W).argmax(axis=0), np.arange(k)] < 0, -1.0, 1.0)
        self.user_factors_, self.item_factors_ = V * signs, W * signs
        self.loss_ = float(penalised_loss(V, W, users, items, y - self.mean_, p.alpha))

    def _checked_loss(self, V, W, known, alpha):
        """J, or an error where it is no number."""
        with np.errstate(over="ignore", invalid="ignore"):
            loss = penalised_loss(V, W, *known, alpha)
        if not np.isfinite(loss):
            raise DivergenceError(
                f"the factors left the range of the numbers in epoch {self.n_iter_}: make learning_rate "
                f"({shown(self.learning_rate)}) smaller"
            )
        return loss

    def _read_pairs(self, X, shape):
        """Return users and items as whole numbers inside the table."""
        if X.shape[1] != 2:
            raise ValueError(f"X must have two columns, user and item, got {X.shape[1]}")
        if not np.array_equal(X, np.floor(X)) or X.min() < 0:
            wrong = X[(X != np.floor(X)) | (X < 0)][0]
            raise ValueError(
                f"X must hold whole numbers >= 0 that name users and items, got {wrong:g}: number names by "
                "np.unique(names, return_inverse=True)"
            )
        for column, name in enumerate(("user", "item")):
            if shape is not None and X[:, column].max() >= shape[column]:
                raise ValueError(
                    f"{name} {X[:, column].max():.0f} lies outside the table of {shape[column]} {name}s, which are "
                    f"numbered 0 to {shape[column] - 1}; give shape=(n_users, n_items) before fit to make room"
                )
        if X.max() > MOST:
            raise ValueError(
                f"a table with a row or column {X.max():.0f} is too large: number users and items without gaps, by "
                "np.unique(names, return_inverse=True)"
            )
        return X.astype(np.intp).T

    def _remember_table(self, users, items, y, shape):
        """Counts, means, and who rated what."""
        n_users, n_items = shape or (int(users.max()) + 1, int(items.max()) + 1)
        self.user_counts_ = np.bincount(users, minlength=n_users)
        self.item_counts_ = np.bincount(items, minlength=n_items)
        self.user_means_, self.item_means_ = _means(users, y, n_users), _means(items, y, n_items)
        self._rated, self._first = items[_order(users)], np.append(0, np.cumsum(self.user_counts_))
        return n_users, n_items

    def _alternate(self, p, V, W, known, alpha):
        """ALS: yield sweep, whether it ends here, V and W after each half-step; each sweep ends on main axes."""
        users, items, r = known
        of_users, of_items = _lists(users, items, r, len(W)), _lists(items, users, r, len(V))
        for sweep in range(1, p.max_iter + 1):
            V = _half_step(V, W, of_users, alpha)
            yield sweep, False, V, W
            V, W = main_axes(V, _half_step(W, V, of_items, alpha))  # J is no larger there
            yield sweep, True, V, W

    def _descend(self, p, V, W, known, alpha):
        """SGD: yield epoch, True, V and W after each epoch; the blocks come in a new random order each time."""
        a, b = (alpha / np.maximum(counts, 1) for counts in (self.user_counts_, self.item_counts_))
        blocks = _blocks(*known, a, b, p.random_state)
        for epoch in range(p.max_iter):
            with np.errstate(over="ignore", invalid="ignore"):
                order = p.random_state.permutation(len(blocks))
                V, W = sgd_epoch(V, W, [blocks[j] for j in order], p.learning_rate(epoch))
            yield epoch + 1, True, V, W

    def predict(self, X):
        """Return the predicted rating of each pair (user, item) of X, shape (n_pairs,).

        They are not cut off at the ends of the scale. Where a user or an item has no ratings: see Notes.

        Raises
        ------
        ValueError
            For bad data, or numbers outside the table of ``fit``.
        """
        return self._predicted(*self._read_pairs(check_X(self, X), (len(self.user_counts_), len(self.item_counts_))))

    def _predicted(self, users, items):
        known = self.mean_ + products(self.user_factors_, self.item_factors_, users, items)
        with_item = np.where(self.item_counts_[items] > 0, known, self.user_means_[users])
        return np.where(self.user_counts_[users] > 0, with_item, self.item_means_[items])

    def recommend(self, user, n=10):
        """Return the items that a user has not rated and would rate highest, as predicted.

        Parameters
        ----------
        user : int
            For a user without ratings, those with the highest means.
        n : int >= 1

        Returns
        -------
        int ndarray of shape (at most n,)
            The best first; of equal ones the smaller number. Items that nobody has rated are left out.

        Raises
        ------
        ValueError
            For a user outside the table, a bad n, or before ``fit``.
        """
        check_is_fitted(self)
        user = check_int("user", user, low=0, high=len(self.user_counts_) - 1)
        n, unseen = check_int("n", n, low=1), self.item_counts_ > 0
        unseen[self._rated[self._first[user] : self._first[user + 1]]] = False
        items = np.flatnonzero(unseen)
        best_first = np.argsort(-self._predicted(np.full(len(items), user), items), kind="stable")
        return items[best_first[:n]]


def _means(numbers, y, n):
    """The mean of y for each number below n; the mean of all where there is none."""
    counts = np.bincount(numbers, minlength=n)
    return np.where(counts > 0, np.bincount(numbers, y, minlength=n) / np.maximum(counts, 1), y.mean())


def _order(numbers):
    """The places of whole numbers from small to large, equal ones as they came; short integers take linear time."""
    return np.argsort(numbers.astype(np.min_scalar_type(numbers.max())), kind="stable")


def _lists(own, other, r, nobody):
    """Return (who, others, r): users with lists of nearly the same length, and their lists, filled up with nobody."""
    order, counts = _order(own), np.bincount(own)
    other, r, who, first = other[order], r[order], np.flatnonzero(counts), np.cumsum(counts) - counts
    counts, first = counts[who], first[who]
    lists, doubles = [], np.ceil(np.log2(counts))
    for double in np.unique(doubles):
        alike = np.flatnonzero(doubles == double)
        for some in np.array_split(alike, min(1 + len(alike) * int(2**double) // ROOM, len(alike))):
            steps = np.arange(counts[some].max())
            there = steps < counts[some, np.newaxis]
            places = np.where(there, first[some, np.newaxis] + steps, 0)
            lists.append((who[some], np.where(there, other[places], nobody), np.where(there, r[places], 0.0)))
    return lists


def _half_step(V, W, lists, alpha):
    """New factors of all who have ratings; alpha at least a grain, so that every system has one solution."""
    V, with_nobody = np.zeros_like(V), np.vstack([W, np.zeros(W.shape[1])])
    grain = 1e-12 * np.sum(W**2)
    for who, others, r in lists:
        V[who] = als_half_step(with_nobody, others, r, max(alpha, grain, 1e-100))
    return V


def _blocks(users, items, r, a, b, rng):
    """The ratings in blocks within which no user and no item comes twice."""
    order = rng.permutation(len(r))
    users, items, r = users[order], items[order], r[order]
    numbers = block_numbers(users, items, len(a), len(b))
    parts = np.split(_order(numbers), np.cumsum(np.bincount(numbers))[:-1])
    a, b = a[:, np.newaxis], b[:, np.newaxis]
    return [(users[p], items[p], r[p], a[users[p]], b[items[p]]) for p in parts]
