"""Chapter 7. Class imbalance (类别不平衡): fewer rows of many, more rows of few, or another threshold.

There are n₊ rows of the rare class, the positive one, and n₋ of the other; n_k where there are more classes.
"""

import numpy as np


def rescale_odds(p, n_pos, n_neg):
    """p' = p n₋ / (p n₋ + (1 - p) n₊): what a world with equally many of both classes would give  (7.3).

    So p'/(1 - p') = p/(1 - p) · n₋/n₊, and p' > ½ where p/(1 - p) > n₊/n₋: the row is more likely positive than rows
    are on average.
    """
    return p * n_neg / (p * n_neg + (1 - p) * n_pos)


def rescaled_shares(P, counts):
    """p'_k = (p_k / n_k) / Σ_j (p_j / n_j), of shape (n, K): the same for any number of classes  (7.3)."""
    Q = P / counts
    return Q / Q.sum(axis=1, keepdims=True)


def cascade_rate(n_pos, n_neg, T):
    """f = (n₊ / n₋)^(1 / (T - 1)): the share of the negatives that each of T - 1 removals keeps  (7.6)."""
    return (n_pos / n_neg) ** (1 / (T - 1))


def cascade_round(scores, n_kept, lots):
    """The n_kept negatives with the highest scores stay; θ lies midway between the last of them and the next one.

    Returns their places and θ. Equal scores are ordered by ``lots``, a random number for each.
    """
    order = np.lexsort((lots, -scores))
    last_kept, first_removed = order[n_kept - 1], order[min(n_kept, len(order) - 1)]
    return order[:n_kept], (scores[last_kept] + scores[first_removed]) / 2


def between(X, base, neighbor, u):
    """x_new = x + u (x̂ - x), of shape (n_new, d): base and neighbor are the numbers of the rows x and x̂ of X."""
    return X[base] + u[:, np.newaxis] * (X[neighbor] - X[base])


def kinds(strangers, m):
    """safe if m' < m/2, danger if m/2 <= m' < m, noise if m' = m: so many of m neighbours are of other classes."""
    return np.select([2 * strangers < m, strangers < m], ["safe", "danger"], "noise")
