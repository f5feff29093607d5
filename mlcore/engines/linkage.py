"""The merges of many points: chapter 23 runs these engines from a few hundred points on."""

import numpy as np

from mlcore.core.clustering import merge


def quick_merges(D, rule):
    """Merge the two nearest groups, again and again: O(n²) in all, in practice. D is written over.

    Each row remembers its partner, the nearest other group, and its gap, the distance from there. When a third of the
    groups is gone, D shrinks to what is left.

    Yields
    ------
    i, j, distance : ints and float
        Group i joined group j, which then stands for both.
    """
    n = len(D)
    numbers, sizes, partner = np.arange(n), np.ones(n), D.argmin(axis=1)
    gaps = D[np.arange(n), partner]
    for n_left in range(n, 1, -1):
        if 3 * n_left <= 2 * len(D):
            left = np.flatnonzero(gaps < np.inf)
            D, numbers, sizes, partner, gaps = _shrunk(left, D, numbers, sizes, partner, gaps)
        i, j = _nearest_pair(D, partner, gaps)
        height = D[i, j]
        merge(D, sizes, i, j, rule)
        distances = D[j]
        gaps[i] = np.inf
        np.putmask(partner, distances < gaps, j)
        np.minimum(gaps, distances, out=gaps)
        partner[j] = distances.argmin()
        gaps[j] = distances[partner[j]]
        yield numbers[i], numbers[j], height


def _nearest_pair(D, partner, gaps):
    """The numbers i, j of the two groups at the least distance.

    gaps[i], the distance from i to partner[i], may be out of date, but then it is too small. So row i is searched
    again only when its gap is the least of all and no longer true.
    """
    i = gaps.argmin()
    while D[i, partner[i]] > gaps[i]:
        partner[i] = D[i].argmin()
        gaps[i] = D[i, partner[i]]
        i = gaps.argmin()
    return i, partner[i]


def _shrunk(left, D, numbers, sizes, partner, gaps):
    """The same without the groups that are gone; who had one of these as partner is its own, and so searched again."""
    places = np.full(len(D), -1)
    places[left] = np.arange(len(left))
    found = places[partner[left]]
    partner = np.where(found < 0, np.arange(len(left)), found)
    return D.take(left, axis=0).take(left, axis=1), numbers[left], sizes[left], partner, gaps[left]


def single_merges(X):
    """The merges of single linkage: the edges of the shortest tree that spans the points, the shortest first.

    Two groups that merge at the height h are joined by a step of length h, and nothing shorter leaves either: so the
    steps that count are the edges of a minimum spanning tree. O(n²d) time, O(nd) memory.

    Yields
    ------
    i, j, distance : ints and float
        Group i joined group j, which then stands for both.
    """
    ends, lengths = spanning_tree(X)
    order, joined = lengths.argsort(kind="stable"), list(range(len(X)))
    for (a, b), length in zip(ends[order].tolist(), lengths[order].tolist(), strict=True):
        i, j = _group(joined, a), _group(joined, b)
        joined[i] = j
        yield i, j, length


def spanning_tree(X):
    """Grow a tree from the first row: again and again the point nearest to it joins (Prim 1957).

    Returns
    -------
    ends : int ndarray of shape (n - 1, 2)
        For each edge the point that was in the tree, and the one that joined it.
    lengths : ndarray of shape (n - 1,)
    """
    n, outside, numbers, new = len(X), np.array(X.T, order="C"), np.arange(len(X)), 0
    gaps, nearest = np.full(n, np.inf), np.zeros(n, dtype=np.intp)  # from the tree, and from which of its points
    ends, squares = np.empty((n - 1, 2), dtype=np.intp), np.empty(n - 1)
    for t in range(n - 1):
        if 3 * (n - t) <= 2 * len(numbers):  # a third is inside: go on with the others
            left = np.flatnonzero(outside[0] < np.inf)
            outside, numbers, gaps, nearest = outside[:, left], numbers[left], gaps[left], nearest[left]
            new = np.searchsorted(left, new)
        differences = outside - outside[:, new, np.newaxis]
        distances = np.einsum("ji,ji->i", differences, differences)
        outside[:, new] = distances[new] = gaps[new] = np.inf  # it is inside: from now on at no distance
        np.putmask(nearest, distances < gaps, numbers[new])
        np.minimum(gaps, distances, out=gaps)
        new = gaps.argmin()
        ends[t], squares[t] = (nearest[new], numbers[new]), gaps[new]
    return ends, np.sqrt(squares)


def _group(joined, i):
    """The group in which point i has ended up; the way there is half as long the next time."""
    while joined[i] != i:
        joined[i] = i = joined[joined[i]]
    return i
