"""Chapter 8. How good is a model, and which one to take: parts held out, folds, resamples, and searches.

There are m rows, numbered 0, ..., m - 1. A *split* is a pair of arrays of row numbers: those to learn from, and those
held out. f, of shape (m,), holds for each row the number 0, ..., k - 1 of its fold.
"""

import itertools

import numpy as np


def split_scores(learn, score, split, parts=(1,)):
    """A fresh model learns from part 0 of the split alone; its score on part 1, the rows held out (or other parts).

    A part holds row numbers. learn(rows) trains an unfitted copy on them; score(model, rows) judges it on others.
    """
    train = split[0]
    model = learn(train)
    return [score(model, split[p]) for p in parts]


def portions(sizes, n):
    """n_c, how many of n places a class of m_c rows gets: ⌊n m_c / m⌋; what is left over goes to the largest rests."""
    places, rests = np.divmod(n * sizes, sizes.sum())
    places[np.argsort(-rests, kind="stable")[: n - places.sum()]] += 1
    return places


def blocks(m, k):
    """f: the numbers i mod k, in order. Fold j gets ⌊m / k⌋ rows, and one more if j < m mod k."""
    return np.sort(np.arange(m) % k)


def stratified_folds(codes, k):
    """f: class by class the numbers 0, 1, ..., k - 1, 0, 1, ..., sorted within the class; the next class goes on."""
    f, first = np.empty_like(codes), 0
    for c in range(codes.max() + 1):
        rows = np.flatnonzero(codes == c)
        f[rows] = np.sort(np.arange(first, first + len(rows)) % k)
        first += len(rows)
    return f


def leverages(U, phi):
    """h_i = 1/m + Σ_j φ_j u_ij², of shape (m,); X - x̄ = U diag(s) Vᵀ, and φ_j = s_j² / (s_j² + α)  (8.4)."""
    return 1 / len(U) + U**2 @ phi


def left_out_residuals(U, phi, h, y):
    """(y_i - ŷ_i) / (1 - h_i), of shape (m,); y is centred, and ŷ = U diag(φ) Uᵀ y is its fit  (8.5)."""
    return (y - U @ (phi * (U.T @ y))) / (1 - h)


def bootstrap_sample(weight, n_drawn, rng, replace=True):
    """The numbers of n_drawn rows, drawn with replacement or without: row i with the chance w_i / Σ w at each draw."""
    rows = np.arange(len(weight))
    return rng.choice(rows, n_drawn, replace=replace, p=weight / weight.sum())


def settings(grid):
    """Every way to choose one value for each name in the grid, as a list of dicts."""
    names = sorted(grid)
    choices = itertools.product(*(grid[name] for name in names))
    return [dict(zip(names, values)) for values in choices]
