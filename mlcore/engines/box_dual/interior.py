"""The interior point method (内点法) in the space of a few features, for kernel matrices of low rank.

A linear kernel in d features has a matrix of rank d; one of degree 3 in two features has rank 10, and a Gaussian kernel
in a few features comes close to a matrix of rank 100. Then K is GᵀG with an (r, n) matrix G (``low_rank``): the points
have r features, and a step of the interior point method costs n r² operations instead of n³. Some twenty steps lead
next to the optimum, whatever the box is. There one sees which variables are at which bound.

Williams and Seeger, "Using the Nyström method to speed up kernel machines" (2001); Fine and Scheinberg, "Efficient SVM
training using low-rank kernel representations" (2001).
"""

import numpy as np

from mlcore.core.constrained_optimization import QP, missing
from mlcore.engines import interior_point as walk
from mlcore.engines.box_dual.active_set import feasible

__all__ = ["interior_point", "low_rank"]

MISSED = 1e-3
"""The share of the trace of K that GᵀG may miss. What it misses, the active set and SMO repair."""


def low_rank(gram, size):
    """Return G with GᵀG close to K, or None where G would need too many rows.

    Let M hold the rows of a sample of points, and S = V diag(λ) Vᵀ be its columns of the sample: then K is near
    Mᵀ S⁻¹ M, which is GᵀG with  G = diag(λ)^(-1/2) Vᵀ M. It is K itself where the rank of S is that of K.

    Parameters
    ----------
    gram : Gram
    size : int
        Points in the sample, which is drawn once and for all.

    Returns
    -------
    ndarray of shape (r, n) or None
    """
    points = np.random.default_rng(0).permutation(gram.n_points)[:size]
    values, vectors = np.linalg.eigh(gram.block(points))
    kept = values > 1e-10 * values[-1]
    high = values[: len(points) // 2].sum() > 10 * MISSED * values.sum()
    if high or 2 * np.count_nonzero(kept) > gram.n_points or values[0] < -1e-8 * values[-1]:
        return None
    G = (vectors[:, kept] / np.sqrt(values[kept])).T @ gram.rows(points)
    lost = gram.diagonal() - np.einsum("ij,ij->j", G, G)
    return G if lost.mean() <= MISSED * gram.diagonal().mean() else None


def interior_point(G, q, lower, upper, max_iter=60):
    """Maximise qᵀβ - ½‖w‖² subject to w = Gβ, Σβ_i = 0 and lower <= β <= upper; the variables are x = (β, w).

    Parameters
    ----------
    G : ndarray of shape (r, n)
    q, lower, upper : ndarrays of shape (n,)
    max_iter : int

    Returns
    -------
    ndarray of shape (n,)
        β, feasible, and at a bound wherever the multiplier says so.
    """
    (r, n), q = G.shape, q - q.mean()  # b makes up for it
    width, size = (upper - lower).max(), np.abs(q).max() or 1.0  # units in which the box and q are near 1
    F = np.vstack([np.sqrt(width / size) * G, np.ones(n)])
    E = np.hstack([F, np.vstack([-np.eye(r), np.zeros(r)])])  # Gβ - w = 0 and Σβ_i = 0; multipliers w and b
    ridge = np.diag(np.append(np.ones(r), 0.0))  # b costs nothing

    def factor(weights):
        """[AᵀDA + Q  Eᵀ; E  0]⁻¹ through r + 1 equations: β follows from w and b one by one."""
        D = weights[:n] + weights[n:]
        inverse = np.linalg.inv((F / D) @ F.T + ridge)

        def solve(top, bottom):
            v = inverse @ (bottom + np.append(top[n:], 0.0) - F @ (top[:n] / D))
            return np.concatenate([(top[:n] + v @ F) / D, top[n:] - v[:r]]), v

        return solve

    p, c = np.append(-q / size, np.zeros(r)), np.concatenate([lower, -upper]) / width
    qp = QP(_Lengths(n), p, _Bounds(n, r), c, E, np.zeros(r + 1))
    for x, s, alpha, v in walk.interior_point(qp, factor, max_iter):
        small = 1e-7 * abs(p @ x)
        if s @ alpha <= small:
            slope, _, total = missing(qp, x, s, alpha, v)
            if max(abs(slope @ x), abs(v @ total)) <= small:
                break
    low, high = (alpha[:n] > s[:n]) & (s[:n] < s[n:]), (alpha[n:] > s[n:]) & (s[n:] < s[:n])
    return feasible(np.where(low, lower, np.where(high, upper, width * x[:n])), lower, upper)


class _Lengths:
    """Q of ½‖w‖² in x = (β, w)."""

    def __init__(self, n):
        self.n = n

    def __matmul__(self, x):
        return np.append(np.zeros(self.n), x[self.n :])


class _Bounds:
    """A of the bounds β >= lower and -β >= -upper in x = (β, w); or its transpose."""

    def __init__(self, n, r, turned=False):
        self.n, self.r, self.turned = n, r, turned

    def __matmul__(self, values):
        if self.turned:
            return np.append(values[: self.n] - values[self.n :], np.zeros(self.r))
        return np.concatenate([values[: self.n], -values[: self.n]])

    @property
    def T(self):
        return _Bounds(self.n, self.r, not self.turned)
