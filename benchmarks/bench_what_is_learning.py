"""Version spaces and the sum over all targets: no library has them, so they stand against going through everything."""

import itertools

import numpy as np

from benchmarks.core import Row
from mlcore.what_is_learning import ConjunctiveSpace, no_free_lunch


def lesson(n_attributes):
    """A space with three values an attribute, and eight examples of a conjunction with two conditions."""
    rng = np.random.default_rng(0)
    space = ConjunctiveSpace({f"a{i}": (0, 1, 2) for i in range(n_attributes)})
    X = rng.integers(3, size=(8, n_attributes))
    X[:3, :2] = 1
    return space, X, np.all(X[:, :2] == 1, axis=1).astype(int)


def by_boundaries(space, X, y):
    """S and G by candidate elimination."""
    return tuple(map(set, space.boundaries(X, y)))


def by_listing(space, X, y):
    """The version space, every hypothesis tried."""
    return space.version_space(X, y)


def same_space(boundaries, left, space, X, y):
    """The boundaries are the extreme members of the list."""
    assert set(space.between(*boundaries)) == set(left)


def majority(X, y, Z):
    return np.full(len(Z), int(2 * y.sum() > len(y)))


def points(n):
    """So many points, half of them known."""
    return n, n // 2


def by_loops(n, m):
    """The mean of (1.7), one target after the other."""
    X, wrong = np.arange(float(n))[:, np.newaxis], 0
    for f in itertools.product((0, 1), repeat=n):
        f = np.array(f)
        wrong += np.sum(majority(X[:m], f[:m], X[m:]) != f[m:])
    return wrong / (2**n * (n - m))


def same_mean(ours, theirs, n, m):
    assert ours == theirs == 0.5


ROWS = [
    Row("version space: boundaries against listing", (4, 6, 8), lesson, by_boundaries, by_listing, same_space),
    Row("no free lunch: all targets, majority", (6, 8, 10), points,
        lambda n, m: no_free_lunch(majority, n, m), by_loops, same_mean),
]  # fmt: skip
