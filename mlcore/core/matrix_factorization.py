"""Chapter 26. Matrix factorisation: a table of ratings, most of them missing, as the product of two thin tables.

There are m ratings r_ui, of user u for item i, in three arrays of shape (m,): users, items, r; users and items are
numbers counted from 0. n_u and n_i are how many ratings a user and an item have. V, of shape (n_users, k), has the
factors v_u as rows, and W, of shape (n_items, k), the w_i. α is the penalty, η the learning rate. The mean of the
ratings is 0.
"""

import numpy as np


def products(V, W, users, items):
    """r̂_ui = v_uᵀw_i for each of these pairs, of shape (m,)  (26.2)."""
    return np.vecdot(V.take(users, axis=0), W.take(items, axis=0))


def penalised_loss(V, W, users, items, r, alpha):
    """J = Σ (r_ui - v_uᵀw_i)² + α (Σ_u ‖v_u‖² + Σ_i ‖w_i‖²), the first sum over the known ratings."""
    errors = r - products(V, W, users, items)
    return errors @ errors + alpha * (np.sum(V**2) + np.sum(W**2))


def als_half_step(W, items, r, alpha):
    """v_u = (W_uᵀW_u + αI)⁻¹ W_uᵀ r_u: a ridge regression for each user, on the items rated  (26.4).

    Row u of items and of r holds user u's list. Lists are made equally long with an item of factors 0, rated 0.
    """
    W_u = W[items]  # of shape (users, longest list, k)
    transposed = np.swapaxes(W_u, 1, 2)
    gram = transposed @ W_u + alpha * np.eye(W.shape[1])
    return np.linalg.solve(gram, transposed @ r[:, :, np.newaxis])[:, :, 0]


def main_axes(V, W):
    """G√Σ and H√Σ, where VWᵀ = GΣHᵀ is the singular value decomposition: the same products  (26.6)."""
    (Q_v, R_v), (Q_w, R_w) = np.linalg.qr(V), np.linalg.qr(W)
    G, sigma, Ht = np.linalg.svd(R_v @ R_w.T)  # k x k: VWᵀ itself is never formed
    return Q_v @ G * np.sqrt(sigma), Q_w @ Ht.T * np.sqrt(sigma)


def sgd_step(v, w, r, eta, a, b):
    """v + η(e w - a v) and w + η(e v - b w), with e = r - vᵀw, a = α/n_u and b = α/n_i  (26.9).

    v and w have shape (k,); or a row for each of several ratings, no two of which share a user or an item.
    """
    e = np.expand_dims(r - np.vecdot(v, w), -1)
    return v + eta * (e * w - a * v), w + eta * (e * v - b * w)


def sgd_epoch(V, W, ratings, eta):
    """Every rating once: u, i, r, α/n_u and α/n_i, for one of them or for several as in ``sgd_step``  (26.9)."""
    V, W = V.copy(), W.copy()
    for u, i, r, a, b in ratings:
        V[u], W[i] = sgd_step(V[u], W[i], r, eta, a, b)
    return V, W
