"""Chapter 19. Many models in place of one: combining, blending, bagging, random forests (集成学习).

n rows, K classes. P of shape (L, n, K) holds what L classifiers predict: P_j(k) for each row. Z of shape (T, n, K) is
the same for T members of a blend; a member of a regression predicts one number, K = 1.
"""

import numpy as np

from mlcore.core.generalized_linear_models import softmax
from mlcore.core.performance_metrics import binomial_tail


# ---------------------------------------------------------------------------------------------------------------
# Combining
# ---------------------------------------------------------------------------------------------------------------
def majority_accuracy(L, p):
    """P_c(L) = Σ_{m > L/2} (L choose m) pᵐ (1 - p)ᴸ⁻ᵐ: how often most of L independent classifiers are right  (19.1).

    Each of them is right with probability p. Equal votes count as wrong, so an even L is worse than L - 1. Along odd L
    it rises to 1 for p > ½, falls to 0 for p < ½ and stays at ½ between. Along even L it has the same limits.
    """
    return binomial_tail(L // 2 + 1, L, p)


def geometric_rule(P):
    """P(k) = (Π_j P_j(k))^(1/L) / C, by logarithms  (19.7).

    A class with more vetoes, P_j(k) = 0, than another gets 0.
    """
    vetoes = (P == 0).sum(axis=0)
    logs = np.log(np.where(P == 0, 1, P)).mean(axis=0)
    logs[vetoes > vetoes.min(axis=1, keepdims=True)] = -np.inf
    return softmax(logs)  # e^log, divided by their sum C


def arithmetic_rule(P):
    """P(k) = Σ_j P_j(k) / L  (19.9)."""
    return P.mean(axis=0)


def majority_rule(P):
    """P(k) = the share of the L classifiers whose most probable class is k."""
    return class_votes(P).mean(axis=0)


def class_votes(P):
    """1 for the most probable class (the first one in a tie) and 0 for the others, along the last axis."""
    return np.eye(P.shape[-1])[P.argmax(axis=-1)]


# ---------------------------------------------------------------------------------------------------------------
# Blending
# ---------------------------------------------------------------------------------------------------------------
def held_out_predictions(members, trained, predict, folds, K):
    """Z: what a copy g⁻ of each member predicts for the rows of a fold when it was trained on the other folds.

    folds, of shape (n,), numbers the fold of each row. trained(member, rows) is a copy that learned from some rows;
    predict(g, rows) is what it predicts for others, of shape (rows, K).
    """
    Z = np.empty((len(members), len(folds), K))
    for fold in range(folds.max() + 1):
        out = folds == fold
        for t, member in enumerate(members):
            g = trained(member, ~out)
            Z[t, out] = predict(g, out)
    return Z


def blending_weights(Z, target, least_squares):
    """The α_t >= 0 that minimise ‖Σ_t α_t Z_t - target‖², target of shape (n, K); equal ones if none beats 0.

    least_squares(A, b) is the x >= 0 that minimises ‖Ax - b‖².
    """
    alpha = least_squares(Z.reshape(len(Z), -1).T, target.ravel())
    return alpha if alpha.any() else np.full(len(Z), 1 / len(Z))


def nonnegative_coordinate(H, g, x, j):
    """max(0, x_j - (Hx - g)_j / H_jj): where ½‖Ax - b‖² is least over x_j >= 0, with H = AᵀA and g = Aᵀb."""
    return max(0.0, x[j] - (H[j] @ x - g[j]) / H[j, j]) if H[j, j] > 0 else 0.0


# ---------------------------------------------------------------------------------------------------------------
# Bagging and random forests
# ---------------------------------------------------------------------------------------------------------------
def left_out(rows, n):
    """Marks the rows 0, ..., n - 1 that a sample has missed, about 1/e of them; shape (n,)  (19.12)."""
    out = np.ones(n, dtype=bool)
    out[rows] = False
    return out


def add_oob_prediction(sums, counts, out, prediction):
    """Add what a member predicts for the rows that it has not seen to their sums, and count it for them."""
    sums[out] += prediction
    counts[out] += 1


def mean_oob_prediction(sums, counts):
    """The mean prediction of the members that have not seen a row, of shape (n, K)."""
    return sums / counts[:, np.newaxis]


def random_order(n_features, n_nodes, rng):
    """The features in an order drawn anew for each node, of shape (n_features, n_nodes).

    A node of a random forest chooses among the first m; among the next m only if none of these splits it.
    """
    return rng.random((n_features, n_nodes)).argsort(axis=0)


def random_mixtures(deviation, rng):
    """P of shape (d, d), whose columns mix three of d features: z = Pᵀx has d new features.

    Coefficients are uniform in [-1, 1] and divided by the features' deviations, so that units do not matter.
    """
    d = len(deviation)
    mixed = rng.random((d, d)).argsort(axis=0) < 3
    return mixed * rng.uniform(-1, 1, (d, d)) / deviation[:, np.newaxis]
