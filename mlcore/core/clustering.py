"""Chapter 23. Clustering: k-means, and groups within groups."""

import numpy as np


# ---------------------------------------------------------------------------------------------------------------
# k-means. X has a point x_i in each of n rows, with d columns; the centres μ_1, ..., μ_k are the rows of an array of
# shape (k, d). labels, of shape (n,), has for each point the number, 0 to k - 1, of its group. J is the sum of the
# squared distances of all points from the centres of their groups.
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
    """Give each empty group the point that is farthest from its own centre; J falls by the square of that distance.

    A point that is alone in its group stays there. Centres and labels are new arrays.
    """
    sizes, gaps = np.bincount(labels, minlength=len(centers)), squares(X, centers, labels)
    centers, labels = centers.copy(), labels.copy()
    for empty in np.flatnonzero(sizes == 0):
        i = np.where(sizes[labels] > 1, gaps, -1).argmax()
        sizes[labels[i]] -= 1
        sizes[empty] = 1
        centers[empty], labels[i] = X[i], empty
        gaps = np.minimum(gaps, np.sum((X - X[i]) ** 2, axis=1))
    return centers, labels


def lloyd(X, centers, assign, update):
    """Assign, update, assign, ... without end: yield centres and labels, no group empty, after each assignment.

    assign and update are those above, or faster ones. ``reseed`` fills an empty group, and all points are assigned
    anew; if that empties a group again and does not lower J, the labels of ``reseed`` are kept.
    """
    def J_and_empty_groups(labels):
        sizes = np.bincount(labels, minlength=len(centers))
        return squares(X, centers, labels).sum(), np.sum(sizes == 0)

    while True:
        labels = assign(X, centers)
        while np.bincount(labels, minlength=len(centers)).min() == 0:
            centers, filled = reseed(X, centers, labels)
            labels = min(assign(X, centers), filled, key=J_and_empty_groups)
        yield centers, labels
        centers = update(X, labels, len(centers))


def draw(gaps, u):
    """The number of a point, drawn with chances gap_i / Σ_j gap_j by a uniform u from [0, 1)  (23.7).

    gaps, of shape (n,), has the squared distance of each point from the nearest of the centres drawn so far.
    """
    heights = np.cumsum(gaps)
    return np.searchsorted(heights, u * heights[-1], side="right")


def plus_plus(X, k, rng):
    """k-means++: the numbers of k points, the first drawn evenly, each other one in proportion to its gap  (23.7)."""
    places, gaps = [rng.integers(len(X))], np.inf
    while len(places) < k:
        gaps = np.minimum(gaps, np.sum((X - X[places[-1]]) ** 2, axis=1))
        places.append(draw(gaps, rng.random()))
    return places


# ---------------------------------------------------------------------------------------------------------------
# How many clusters? How well each point lies in its own.
# ---------------------------------------------------------------------------------------------------------------
def silhouette_widths(sums, sizes, labels):
    """s = (b - a) / max(a, b), of shape (n,); 0 for a point that is alone, or where a = b = 0  (23.9).

    sums[i, j] adds up the distances of point i from all points of cluster j. a is a point's mean
    distance from the n_j - 1 others of its own cluster, b from the nearest other cluster.
    """
    rows, means = np.arange(len(labels)), sums / sizes
    a = sums[rows, labels] / np.maximum(sizes[labels] - 1, 1)
    means[rows, labels] = np.inf
    b = means.min(axis=1)
    s = (b - a) / np.maximum(np.maximum(a, b), 1e-300)
    return np.where(sizes[labels] == 1, 0.0, s)


# ---------------------------------------------------------------------------------------------------------------
# Agglomerative clustering: each point begins as a group of its own, and the two nearest groups become one.
#
# D, of shape (n, n), holds the distances between the groups that are left (squared ones for centroid and Ward), ∞ on
# its diagonal and in the rows and columns of groups that are gone. sizes, of shape (n,), counts their points. d_a and
# d_b are rows of D. Z, of shape (n - 1, 4), has a row for each merge: two numbers of groups, the height at which they
# met, and the points in both; points are groups 0 to n - 1, and row t makes group n + t.
# ---------------------------------------------------------------------------------------------------------------
def nearest_pair(D):
    """The numbers i, j of the two groups at the least distance."""
    return np.unravel_index(D.argmin(), D.shape)


def merge(D, sizes, i, j, rule):
    """Group i joins group j: new distances in row and column j, ∞ in those of i; D and sizes change."""
    distances = rule(D[i], D[j], D[i, j], sizes[i], sizes[j], sizes)
    distances[i] = distances[j] = np.inf
    D[j] = D[:, j] = distances
    D[i] = D[:, i] = np.inf
    sizes[j] += sizes[i]


def single(d_a, d_b, d_ab, n_a, n_b, n_k):
    """d(a ∪ b, k) = min(d_ak, d_bk): the nearest two points  (23.11)."""
    return np.minimum(d_a, d_b)


def complete(d_a, d_b, d_ab, n_a, n_b, n_k):
    """d(a ∪ b, k) = max(d_ak, d_bk): the farthest two points  (23.11)."""
    return np.maximum(d_a, d_b)


def average(d_a, d_b, d_ab, n_a, n_b, n_k):
    """d(a ∪ b, k) = (n_a d_ak + n_b d_bk) / (n_a + n_b): the mean over all pairs of points  (23.11)."""
    return (n_a * d_a + n_b * d_b) / (n_a + n_b)


def centroid(d_a, d_b, d_ab, n_a, n_b, n_k):
    """d² = (n_a d²_ak + n_b d²_bk) / (n_a + n_b) - n_a n_b d²_ab / (n_a + n_b)²: between the means  (23.12)."""
    return (n_a * d_a + n_b * d_b) / (n_a + n_b) - n_a * n_b / (n_a + n_b) ** 2 * d_ab


def ward(d_a, d_b, d_ab, n_a, n_b, n_k):
    """d² = ((n_a + n_k) d²_ak + (n_b + n_k) d²_bk - n_k d²_ab) / (n_a + n_b + n_k): twice the rise of J  (23.14)."""
    return ((n_a + n_k) * d_a + (n_b + n_k) * d_b - n_k * d_ab) / (n_a + n_b + n_k)


def groups_after(Z, n_merges):
    """For each of the n points the number, 0, 1, ..., of its group after the first merges, by their first points."""
    n = len(Z) + 1
    groups = np.arange(n)
    for t in range(n_merges):
        a, b = Z[t, :2]
        groups[(groups == a) | (groups == b)] = n + t
    number = {group: g for g, group in enumerate(dict.fromkeys(groups.tolist()))}
    return np.array([number[group] for group in groups.tolist()])


def leaf_order(Z):
    """The points from left to right in a tree whose branches do not cross: below each merge, its first group first."""
    n, halves, order = len(Z) + 1, Z[:, :2].astype(int).tolist(), []
    stack = [2 * n - 2]
    while stack:
        g = stack.pop()
        if g < n:
            order.append(g)
        else:
            a, b = halves[g - n]
            stack += [b, a]
    return np.array(order)


# ---------------------------------------------------------------------------------------------------------------
# Divisive clustering: all points begin in one group, and the widest group is divided in two.
#
# D, of shape (n, n), holds the distances of all points; members are the numbers of the points of one group.
# ---------------------------------------------------------------------------------------------------------------
def farthest_pair(D, members):
    """The two points of a group that are farthest apart, and their distance: the group's diameter."""
    inside = D[np.ix_(members, members)]
    a, b = np.unravel_index(inside.argmax(), inside.shape)
    return members[a], members[b], inside[a, b]


def divide(D, members, i, j):
    """The members nearer to point i than to point j, or as near; and the others."""
    to_i = D[members, i] <= D[members, j]
    return members[to_i], members[~to_i]
