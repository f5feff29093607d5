"""Chapter 11. Which features are worth having? Filters, searches around a model, and shuffled columns (特征选择).

X holds n samples of d features in shape (n, d). F is a list of features, by number; ``score(F)`` says how good a model
is that sees the features in F alone. P, of shape (n_x, n_y), holds the shares p(x, y) of the samples with value number
x and label number y.
"""

import numpy as np


def covariances(X, Y):
    """(1/n) Σ_i (x_ij - x̄_j)(y_ik - ȳ_k) for each feature j and each column k of Y, of shape (d, K)."""
    return (X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)) / len(X)


def largest(scores, k):
    """The k features with the largest scores, best first; of equal ones the first."""
    return np.argsort(-scores, kind="stable")[:k]


def joint_shares(x, y):
    """P: the share p(x, y) of samples with value number x and label number y, of shape (n_x, n_y)."""
    counts = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(counts, (x, y), 1)
    return counts / len(x)


def mutual_information(P):
    """I(x; y) = Σ p(x, y) ln p(x, y) / (p(x) p(y)), in nats, with 0 ln 0 = 0  (11.1)."""
    independent = np.outer(P.sum(axis=1), P.sum(axis=0))
    there = P > 0
    return np.sum(P[there] * np.log(P[there] / independent[there]))


def best_addition(F, d, score):
    """One round of forward search: the feature j outside F with the largest score(F ∪ {j}), and all those scores."""
    scores = {j: score([*F, j]) for j in range(d) if j not in F}
    return max(scores, key=scores.get), scores


def best_removal(F, score):
    """One round of backward search: the feature j in F with the largest score(F without j), and all those scores."""
    scores = {j: score([i for i in F if i != j]) for j in F}
    return max(scores, key=scores.get), scores


def linear_weights(X, Y):
    """The weights of least squares with intercept, of shape (d, K); of several solutions the shortest."""
    return np.linalg.lstsq(X - X.mean(axis=0), Y - Y.mean(axis=0), rcond=None)[0]


def permutation_importance(score, X, n_repeats, rng):
    """importance(j) = score(X) - score(X with feature j shuffled), the mean over repetitions; shape (d,)."""
    right, falls = score(X), np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        for _ in range(n_repeats):
            falls[j] += (right - score(shuffled(X, j, rng))) / n_repeats
    return falls


def shuffled(X, j, rng):
    """X with its values of feature j in another order, so that they stand in the wrong rows."""
    mixed = X.copy()
    cells = mixed.iloc if hasattr(mixed, "iloc") else mixed  # a DataFrame, an array
    cells[:, j] = np.asarray(cells[:, j])[rng.permutation(len(X))]
    return mixed
