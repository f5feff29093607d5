"""A leap for kernel matrices of low rank: an interior point method, in the space of a few features.

A linear kernel in d features has a matrix of rank d; one of degree 3 in two features has rank 10, and a Gaussian kernel
in a few features comes close to a matrix of rank 100. Then K is GᵀG with an (r, n) matrix G (``low_rank``): the points
have r features, and everything that an interior point method needs costs n r² operations instead of n³. Some twenty
steps lead next to the optimum, whatever C is (``interior_point``). There one sees which points are at which bound;
``settle`` computes the rest exactly.

Williams and Seeger, "Using the Nyström method to speed up kernel machines" (2001); Fine and Scheinberg, "Efficient SVM
training using low-rank kernel representations" (2001); Mehrotra (1992), as in chapter 16.
"""

import numpy as np

from mlcore.support_vector_machines.settle import adopt

__all__ = ["interior_point", "leap", "low_rank"]

SAMPLE = 50, 100
"""So many points, at least and at most, stand for the others: one in 16. They are drawn once and for all."""

WHOLE = 400
"""Of so many points, at most, all may be the sample, if a smaller one does not help."""

MISSED = 1e-3
"""The share of the trace of K that GᵀG may miss. What it misses, ``settle`` and SMO repair."""


def leap(problem, whole=False):
    """Take a problem whose kernel matrix has a low rank next to its optimum; leave any other as it is.

    Parameters
    ----------
    problem : DualProblem
        Changed in place, and only if W rises.
    whole : bool
        Take all points as the sample, whatever the rank is; only up to ``WHOLE`` points.

    Returns
    -------
    bool
        Whether W rose.
    """
    if whole and problem.gram.n_points > WHOLE:
        return False
    G = low_rank(problem.gram, whole=whole)
    if G is None:
        return False
    try:
        beta = interior_point(G, problem.q, problem.lower, problem.upper)
    except np.linalg.LinAlgError:  # equations without a solution
        return False
    return adopt(problem, beta)


def low_rank(gram, missed=MISSED, whole=False):
    """Return G with GᵀG close to K, or None where G would need too many rows.

    Let M hold the rows of a sample of points, and S = V diag(λ) Vᵀ be its columns of the sample: then K is near
    Mᵀ S⁻¹ M, which is GᵀG with  G = diag(λ)^(-1/2) Vᵀ M. It is K itself where the rank of S is that of K.

    Parameters
    ----------
    gram : Gram
    missed : float
        The largest share of the trace of K that may be missing.
    whole : bool
        Let the sample be all points; then only a K that is not positive semidefinite has no G.

    Returns
    -------
    ndarray of shape (r, n) or None
    """
    n, (least, most) = gram.n_points, SAMPLE
    if n < 4:
        return None
    points = np.random.default_rng(0).permutation(n)[: min(max(least, n // 16), most, n // 2)]
    points = np.arange(n) if whole else points
    values, vectors = np.linalg.eigh(gram.block(points))
    high = not whole and values[: len(points) // 2].sum() > 10 * missed * values.sum()
    if high or values[0] < -1e-8 * values[-1]:
        return None
    kept = values > 1e-12 * values[-1]
    if not whole and np.count_nonzero(kept) > 40:  # the last of many are not worth their time
        kept = values > 1e-8 * values[-1]
    G = (vectors[:, kept] / np.sqrt(values[kept])).T @ gram.rows(points)
    lost = gram.diagonal - np.einsum("ij,ij->j", G, G)
    return G if lost.mean() <= missed * gram.diagonal.mean() else None


def interior_point(G, q, lower, upper, max_iter=60):
    """Maximise qᵀβ - ½‖Gβ‖² subject to Σβ_i = 0 and lower <= β <= upper.

    With multipliers s, t >= 0 of the two bounds and of the sum b, the optimum has

        w = Gβ,   Σβ_i = 0,   q - Gᵀw - b = t - s,   s_i (β_i - lower_i) = 0,   t_i (upper_i - β_i) = 0

    A step is Newton's for these equations with a small μ instead of the two last zeros, so that s, t and the distances
    to the bounds stay positive; Mehrotra's predictor finds out how small μ may be.

    Parameters
    ----------
    G : ndarray of shape (r, n)
    q, lower, upper : ndarrays of shape (n,)
    max_iter : int

    Returns
    -------
    ndarray of shape (n,)
        β, at a bound wherever the multiplier says so; the sum is only nearly 0.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the equations of a step have no solution.
    """
    path = _CentralPath(G, q, lower, upper)
    for _ in range(max_iter):
        if path.arrived:
            break
        path.step()
    return path.at_bounds()


class _CentralPath:
    """The iterate: β, its distances ``below`` and ``above`` to the bounds, their multipliers s, t, and θ = (w, b)."""

    def __init__(self, G, q, lower, upper):
        self.features = np.vstack([G, np.ones(len(q))])  # (w, b) has the scores θᵀ features
        self.penalised = np.append(np.ones(len(G)), 0.0)  # b costs nothing
        q = q - q.mean()  # b makes up for it
        self.q, self.lower, self.upper, self.size = q, lower, upper, np.abs(q).max() or 1.0
        self.theta = np.zeros(len(G) + 1)
        self.beta = (lower + upper) / 2
        self.below = self.above = (upper - lower) / 2
        self.t = np.maximum(q, 0.0) + self.size / 2
        self.s = self.t - q
        self._look()

    def _look(self):
        """By how much the equations fail, μ, and whether all this is small against W."""
        self.fails_theta = self.features @ self.beta - self.penalised * self.theta
        self.fails_q = self.q - self.theta @ self.features - self.t + self.s
        gap = self.s @ self.below + self.t @ self.above
        self.mu = gap / (2 * len(self.q))
        small = 1e-6 * (abs(self.q @ self.beta) + 0.5 * self.theta[:-1] @ self.theta[:-1])
        fails = abs(self.theta @ self.fails_theta), abs(self.fails_q @ self.beta)
        self.arrived = max(gap, *fails) <= small

    def step(self):
        """Predict with μ = 0; correct with a μ that is the smaller, the further the prediction could go."""
        curvature = 1.0 / (self.s / self.below + self.t / self.above)
        weighted = self.features * np.sqrt(curvature)
        system = weighted @ weighted.T
        system.flat[:: len(system) + 1] += self.penalised
        inverse, s_below, t_above = np.linalg.inv(system), self.s * self.below, self.t * self.above
        move, _, s, t = self._direction(inverse, curvature, -s_below, -t_above)
        share = self._reach(move, s, t)
        left = (self.s + share * s) @ (self.below + share * move) + (self.t + share * t) @ (self.above - share * move)
        target = (left / (2 * len(self.q)) / self.mu) ** 3 * self.mu
        direction = self._direction(inverse, curvature, target - s_below - s * move, target - t_above + t * move)
        self._go(0.995 * self._reach(direction[0], *direction[2:]), *direction)

    def _direction(self, inverse, curvature, s_below, t_above):
        """Newton's step (β, θ, s, t) that changes s·below and t·above by the given amounts, to first order."""
        pull = self.fails_q + s_below / self.below - t_above / self.above
        theta = inverse @ (self.fails_theta + self.features @ (curvature * pull))
        move = curvature * (pull - theta @ self.features)
        return move, theta, (s_below - self.s * move) / self.below, (t_above + self.t * move) / self.above

    def _reach(self, move, s, t):
        """The share of a step, at most 1, after which the first distance or multiplier is 0."""
        ratios = ((move / self.below).min(), (-move / self.above).min(), (s / self.s).min(), (t / self.t).min())
        return 1.0 / max(1.0, -min(ratios))

    def _go(self, share, move, theta, s, t):
        self.beta = self.beta + share * move
        self.below, self.above = self.below + share * move, self.above - share * move
        self.theta = self.theta + share * theta
        self.s, self.t = self.s + share * s, self.t + share * t
        self._look()

    def at_bounds(self):
        """β with every point at the bound whose multiplier is large and whose distance is small."""
        size = np.abs(self.beta).max()
        low = (self.s / self.size > self.below / size) & (self.below < self.above)
        high = (self.t / self.size > self.above / size) & (self.above < self.below)
        return np.where(low, self.lower, np.where(high, self.upper, self.beta))
