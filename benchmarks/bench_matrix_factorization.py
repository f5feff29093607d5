"""Matrix factorisation: scikit-learn has none with holes, so against plain NumPy, and its NMF on a complete table."""

import warnings

import numpy as np
from numpy.testing import assert_allclose
from sklearn.decomposition import NMF

from benchmarks.core import Face, Row
from mlcore.base import ConvergenceWarning
from mlcore.datasets import make_ratings
from mlcore.engines.rating_blocks import block_numbers
from mlcore.matrix_factorization import (
    START,
    MatrixFactorization,
    als_half_step,
    main_axes,
    penalised_loss,
)

EPOCHS = 5


def ratings(m):
    """About m ratings by m / 20 users of m / 40 items, or of 20 at least."""
    n_users, n_items = max(m // 20, 20), max(m // 40, 20)
    return make_ratings(n_users, n_items, density=m / n_users / n_items, random_state=0)


def complete(n):
    """All cells of an n x n table of three tastes, as pairs and as a table."""
    X, y = make_ratings(n, n, density=1, noise=0.1, random_state=0)
    return X, y, y[np.lexsort(X.T[::-1])].reshape(n, n)


def holes(n):
    """An n x n/2 table of which 30 % are known, as pairs, and with NaN in the holes."""
    X, y = make_ratings(n, n // 2, density=0.3, random_state=0)
    table = np.full((n, n // 2), np.nan)
    table[tuple(X.T)] = y
    return X, y, table


def start(X, y, k):
    """What fit begins with: ratings in units of their deviation, the generator and the factors."""
    rng, deviation = np.random.default_rng(0), y.std()
    V, W = (START * rng.normal(size=(n, k)) for n in X.max(axis=0) + 1)
    return (y - y.mean()) / deviation, 1 / deviation, rng, V, W


def loop_over_rows(W, own, other, r, n, alpha):
    """A half-step as one writes it first: one user after the other."""
    k = W.shape[1]
    V, order = np.zeros((n, k)), np.argsort(own, kind="stable")
    other, r, last = other[order], r[order], np.cumsum(np.bincount(own, minlength=n)).tolist()
    for u in range(n):
        mine = slice(last[u - 1] if u else 0, last[u])
        W_u = W[other[mine]]
        V[u] = np.linalg.solve(W_u.T @ W_u + alpha * np.eye(k), W_u.T @ r[mine])
    return V


def plain_als(X, y, k=10, sweeps=3):
    """ALS by loops over users and items."""
    r, alpha, _, V, W = start(X, y, k)
    for _ in range(sweeps):
        V = loop_over_rows(W, X[:, 0], X[:, 1], r, len(V), alpha)
        V, W = main_axes(V, loop_over_rows(V, X[:, 1], X[:, 0], r, len(W), alpha))
    return y.mean() + y.std() * np.vecdot(V[X[:, 0]], W[X[:, 1]])


def plain_sgd(X, y, k=10, eta=0.02):
    """SGD, one rating after the other, in the order in which fit takes them."""
    r, alpha, rng, V, W = start(X, y, k)
    a, b = (alpha / np.bincount(column) for column in X.T)
    order = rng.permutation(len(r))
    numbers = block_numbers(*X[order].T, len(V), len(W))
    blocks = [order[numbers == j] for j in range(numbers.max() + 1)]
    for _ in range(EPOCHS):
        for block in rng.permutation(len(blocks)):
            for j in blocks[block].tolist():
                u, i = X[j]
                v, w = V[u], W[i]
                e = r[j] - v @ w
                V[u], W[i] = v + eta * (e * w - a[u] * v), w + eta * (e * v - b[i] * w)
    return y.mean() + y.std() * np.vecdot(V[X[:, 0]], W[X[:, 1]])


def fitted(X, y, **parameters):
    """Our predictions of the ratings after a fixed number of rounds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MatrixFactorization(n_factors=10, tol=0, random_state=0, **parameters).fit(X, y)
    return model.predict(X)


def same_fit(ours, theirs, X, y, table):
    """Both leave the noise: a table of three tastes is a product of three factors, positive ones too."""
    nmf, rows = theirs
    left = np.std(ours.predict(X) - y), np.std(rows @ nmf.components_ - table)
    assert_allclose(*left, rtol=0.05)


def nmf_of(X, y, table):
    """Scikit-learn's factorisation of a complete table, by turns as well."""
    nmf = NMF(3, tol=1e-4, max_iter=1000, random_state=0)
    return nmf, nmf.fit_transform(table)


ALPHA = 3.0


def refilled(X, y, table, k=12):
    """The same minimum by SVDs: fill the holes by the last prediction, lower the singular values by α, and again."""
    mean = y.mean()
    known, P = ~np.isnan(table), np.zeros(table.shape)
    for _ in range(1000):
        before, filled = P, np.where(known, table - mean, P)
        U, s, Vt = np.linalg.svd(filled, full_matrices=False)
        P = (U[:, :k] * np.maximum(s[:k] - ALPHA, 0)) @ Vt[:k]
        if np.abs(P - before).max() < 1e-4:
            break
    return mean + P


def filled_in(X, y, table):
    """The whole table as our model predicts it."""
    model = MatrixFactorization(n_factors=12, alpha=ALPHA, tol=1e-6, max_iter=2000, random_state=0).fit(X, y)
    return model.mean_ + model.user_factors_ @ model.item_factors_.T


ROWS = [
    Row(
        "ALS against a loop over users, 10 factors", (2_000, 8_000, 32_000), ratings,
        ours=lambda X, y: fitted(X, y, max_iter=3), theirs=plain_als,
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-6),
    ),
    Row(
        "SGD against a loop over ratings, 10 factors", (500, 2_000, 8_000), ratings,
        ours=lambda X, y: fitted(X, y, solver="sgd", max_iter=EPOCHS), theirs=plain_sgd,
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-8),
    ),
    Row(
        "ALS against refilled SVDs, 30 % known", (80, 120, 200), holes, ours=filled_in, theirs=refilled,
        same=lambda a, b, *data: assert_allclose(np.sqrt(np.mean((a - b) ** 2)), 0, atol=0.01),
    ),
    Row(
        "ALS against NMF, complete, 3 factors", (50, 100, 200), complete,
        ours=lambda X, y, table: MatrixFactorization(n_factors=3, alpha=0.1, random_state=0).fit(X, y),
        theirs=nmf_of, same=same_fit,
    ),
]


def four_hundred(m):
    """400 ratings."""
    return make_ratings(40, 30, density=m / 1200, random_state=0)


def lists_of(own, other, r, n, nobody):
    """Lists of equal length."""
    counts = np.bincount(own, minlength=n)
    order = np.argsort(own, kind="stable")
    row, place = own[order], np.arange(len(r)) - np.repeat(np.cumsum(counts) - counts, counts)
    others, values = np.full((n, counts.max()), nobody), np.zeros((n, counts.max()))
    others[row, place], values[row, place] = other[order], r[order]
    return others, values


def bare(X, y):
    """The core alone: eight sweeps, with the loss after each half-step, ending on main axes."""
    r, alpha, _, V, W = start(X, y, 5)
    of_users = lists_of(X[:, 0], X[:, 1], r, len(V), len(W))
    of_items = lists_of(X[:, 1], X[:, 0], r, len(W), len(V))
    for _ in range(8):
        V = als_half_step(np.vstack([W, np.zeros(5)]), *of_users, alpha)
        penalised_loss(V, W, *X.T, r, alpha)
        V, W = main_axes(V, als_half_step(np.vstack([V, np.zeros(5)]), *of_items, alpha))
        penalised_loss(V, W, *X.T, r, alpha)
    return y.mean() + y.std() * np.vecdot(V[X[:, 0]], W[X[:, 1]])


def eight_sweeps(X, y):
    """The same by fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MatrixFactorization(n_factors=5, max_iter=8, tol=0, random_state=0).fit(X, y)


FACES = [
    Face(
        "MatrixFactorization", (400,), four_hundred, ours=eight_sweeps, theirs=bare,
        same=lambda a, b, X, y: assert_allclose(a.predict(X), b, atol=1e-8),
    )
]
