"""Chapter 20. Boosting: weak models trained one after the other, each on what the others have left wrong (提升)."""

import numpy as np

from mlcore.core.decision_trees import TIE
from mlcore.core.generalized_linear_models import indicator
from mlcore.core.logistic_regression import expit


# ---------------------------------------------------------------------------------------------------------------
# AdaBoost: rows that were got wrong weigh more in the next round.
#
# n rows have classes y (n,), K of them, and weights w (n,) that add up to 1. A member φ is wrong about the rows that
# wrong (n,) marks; together they weigh ε.
# ---------------------------------------------------------------------------------------------------------------
def reweighted(w, wrong, error, K):
    """w′, on which the member errs like guessing: wrong · (1 - 1/K)/ε, right · (1/K)/(1 - ε)  (20.1), (20.9)."""
    return w * np.where(wrong, (1 - 1 / K) / error, (1 / K) / (1 - error))


def vote_weight(error, K):
    """α = ½ [ln((1 - ε)/ε) + ln(K - 1)], a member's weight in the vote; for two classes ln(K - 1) is 0  (20.5)."""
    return 0.5 * (np.log((1 - error) / error) + np.log(K - 1))


def rounds(train, y, w, K):
    """Train a member φ on the weights, take its error ε, reweight so that its error becomes 1 - 1/K; repeat  (20.1).

    train(w) returns φ and its predictions, of shape (n,). The caller stops at a perfect member, ε = 0.
    """
    while True:
        member, predicted = train(w)
        wrong = predicted != y
        error = w[wrong].sum()
        yield member, error, w
        w = reweighted(w, wrong, error, K)


# ---------------------------------------------------------------------------------------------------------------
# Decision stumps (决策树桩): the best single question, by running sums along columns that are sorted once.
#
# order (d, n) holds the rows in order of each of the d columns. The question "x_j <= t?" cuts column j behind a place
# p; cuts (d, n) marks the places behind which a greater value comes.
# ---------------------------------------------------------------------------------------------------------------
def left_weights(w, y, order, K):
    """W_k(left) = Σ_left w_i 1{y_i = k} of every question, as running sums; of shape (K, d, n)."""
    of_class = w * indicator(y, K).T  # (K, n)
    return of_class.take(order, axis=1).cumsum(axis=2)


def weight_correct(left):
    """max_k W_k(left) + max_k W_k(right), the weight that each question gets right; of shape (d, n)."""
    right = left[:, :, -1:] - left
    return left.max(axis=0) + right.max(axis=0)


def best_question(w, y, order, cuts, K):
    """The column j and the place p with the least Σ w_i 1{y_i ≠ φ(x_i)}: the first column, then the lowest place."""
    correct = np.where(cuts, weight_correct(left_weights(w, y, order, K)), -np.inf)
    first = (correct >= correct.max() - TIE).argmax()
    return np.unravel_index(first, cuts.shape)


# ---------------------------------------------------------------------------------------------------------------
# Gradient boosting (梯度提升): descent with a loss of your choice, each step a small regression tree.
#
# n rows have targets y, scores s (the sum of the trees so far) and weights w, all of shape (n,). r = -∂loss/∂s
# is the residual of each row, h = ∂²loss/∂s² its curvature. leaf has the number of the leaf in which a row ends.
# ---------------------------------------------------------------------------------------------------------------
def descent_squared(y, s):
    """r = y - s and h = 1, of the loss ½ (y - s)²  (20.10)."""
    return y - s, np.ones(len(s))


def descent_logistic(y, s):
    """r = y - p and h = p (1 - p), p = 1 / (1 + e⁻ˢ), of the loss ln(1 + eˢ) - y s with y = 0 or 1  (20.14)."""
    p = expit(s)
    return y - p, p * (1 - p)


def leaf_steps(r, h, w, leaf, n_nodes):
    """c_l = Σ w r / Σ w h over the rows of leaf l, Newton's step; 0 where nothing curves  (20.15).

    For h = 1 it is the mean of the residuals. Other nodes than leaves get 0 as well. Shape (n_nodes,).
    """
    residual = np.bincount(leaf, weights=w * r, minlength=n_nodes)
    curvature = np.bincount(leaf, weights=w * h, minlength=n_nodes)
    return np.divide(residual, curvature, out=np.zeros(n_nodes), where=curvature > 1e-150)


def boosting_round(y, s, w, descent, grow, rate):
    """s ← s + ν c_leaf: a tree is grown on the residuals, each of its leaves makes a step of its own  (20.13), (20.15).

    descent(y, s) returns r and h; grow(r, w) returns a regression tree and the leaf of each row.
    """
    r, h = descent(y, s)
    tree, leaf = grow(r, w)
    steps = rate * leaf_steps(r, h, w, leaf, tree.n_nodes)
    return tree, steps, s + steps[leaf]
