"""Sequential minimal optimisation (序列最小优化, SMO): the dual of the support vector machine, two variables at a time.

The dual is written in β_i = y_i α_i, which makes every formula shorter:

    maximise W(β) = qᵀβ - ½ βᵀKβ   subject to   Σβ_i = 0,   lower_i <= β_i <= upper_i

For classification q = y, and a point of class +1 has 0 <= β <= C, one of class -1 has -C <= β <= 0. Any problem of the
form of LIBSVM, with a linear term p and signs y, becomes one of these: ``DualProblem.from_signs``. Notes A 7.8.2;
Fan, Chen and Lin, "Working set selection using second order information for training support vector machines" (2005).
"""

import functools
from typing import NamedTuple

import numpy as np

from mlcore.kernels import kernel_diagonal

__all__ = ["DualProblem", "Gram", "PairStep", "smo"]

TAU = 1e-12
"""Stands in for a squared distance that is zero (equal points) or negative (a matrix that is no kernel matrix)."""

NEARLY = 1.0 - 1e-12
"""A step through this share of the room ends at the bound: what is left would be rounding, not a free vector."""

FINEST = 1e-4
"""Rounding may move a vote by this share of the largest |q_i|; ``limit_box`` sees to it."""

MATRIX_BYTES = 200_000_000
"""The whole kernel matrix may take so much memory (5,000 points); of a larger one, so many bytes of rows are kept."""


class Gram:
    """The kernel matrix K of the training points, computed as far as it is needed.

    Up to 400 points K is computed at once. With more, its rows are computed when they are asked for, and after a few
    dozens of them all the rest, because whole blocks are quicker; K takes 8 n² bytes (72 MB for 3,000 points). Beyond
    5,000 points K stays in rows, of which the most recent 200 MB are kept. Besides, the distances from each point that
    SMO has picked are kept: 8 n bytes each, at most 200 MB.

    Parameters
    ----------
    kernel : callable
        From (X, Z) to the matrix of shape (len(X), len(Z)).
    X : ndarray of shape (n, d)
    matrix : ndarray of shape (n, n), optional
        K, where it is known.
    copies : int
        So many variables belong to each point: variable number i belongs to point i mod n, and below n stands for
        n · copies. Support vector regression has two.

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
        K_ii.
    """

    def __init__(self, kernel, X, matrix=None, copies=1):
        self._kernel, self._X, self._copies, self._asked = kernel, X, copies, 0
        self._wide = None if matrix is None else np.tile(matrix, (1, copies))  # a row for each point, not each variable
        self._kept = max(2, MATRIX_BYTES // (8 * copies * len(X)))
        self._singly = 0 if len(X) <= 400 else len(X) // 50 + 30  # so many rows are computed one by one
        self._row = functools.lru_cache(self._kept)(self._compute_row)
        self.closeness = functools.lru_cache(self._kept)(self._compute_closeness)
        if self._singly == 0 and copies * len(X) <= self._kept:
            self._filled()
        self.diagonal = np.tile(self._own_diagonal(), copies)

    @property
    def fits(self):
        """Whether all of K may be kept in memory."""
        return len(self.diagonal) <= self._kept

    def matrix(self):
        """All of K, shape (n, n); only where it ``fits``."""
        return self._filled() if self._copies == 1 else np.tile(self._filled(), (self._copies, 1))

    def row(self, i):
        """K_it for all t, shape (n,)."""
        point = i % len(self._X)
        return self._row(point) if self._wide is None else self._wide[point]

    @property
    def n_points(self):
        """How many points there are; n is ``copies`` times that."""
        return len(self._X)

    def rows(self, variables):
        """K_it for these i and all t, shape (len(variables), n)."""
        points = np.asarray(variables) % len(self._X)
        if self._wide is not None:
            return self._wide[points]
        return np.tile(self._kernel(self._X[points], self._X), (1, self._copies))

    def block(self, points):
        """κ between these points alone, shape (len(points), len(points))."""
        if self._wide is not None:
            return self._wide[np.ix_(points, points)]
        return self._kernel(self._X[points], self._X[points])

    def times(self, beta):
        """K β, from the rows with β ≠ 0 alone; shape (n,)."""
        by_point = beta.reshape(self._copies, -1).sum(axis=0)
        product, support = np.zeros(len(beta)), np.flatnonzero(by_point)
        height = max(1, 200_000 // len(beta))  # so many rows stay in the cache
        for block in range(0, len(support), height):
            chosen = support[block : block + height]
            product += by_point[chosen] @ self.rows(chosen)
        return product

    def _own_diagonal(self):
        return kernel_diagonal(self._kernel, self._X) if self._wide is None else self._wide.diagonal()

    def _filled(self):
        """A row of K for each point: the upper half in blocks of rows that fit into the cache, mirrored."""
        if self._wide is None:
            n = len(self._X)
            wide = np.empty((n, self._copies, n))
            for top in range(0, n, 64):
                block = self._kernel(self._X[top : top + 64], self._X[top:])
                wide[top : top + 64, :, top:] = block[:, np.newaxis]
                wide[top:, :, top : top + 64] = block.T[:, np.newaxis]
            self._wide = wide.reshape(n, -1)
            self._row.cache_clear()
        return self._wide

    def _compute_row(self, point):
        self._asked += 1
        if self.fits and self._asked > self._singly:
            return self._filled()[point]
        return np.tile(self._kernel(self._X[point : point + 1], self._X)[0], self._copies)

    def _compute_closeness(self, i):
        """1 / ‖φ(x_i) - φ(x_t)‖ for all t, from ‖φ(x_i) - φ(x_t)‖² = K_ii + K_tt - 2 K_it; shape (n,)."""
        squared = -2.0 * self.row(i)
        squared += self.diagonal
        squared += self.diagonal[i]
        np.maximum(squared, TAU, out=squared)
        np.sqrt(squared, out=squared)
        return np.divide(1.0, squared, out=squared)


class PairStep(NamedTuple):
    """What one step of SMO did: β_i rose and β_j fell by ``step``; without the box it would have been ``unclipped``."""

    i: int
    j: int
    beta_i: float
    beta_j: float
    unclipped: float
    step: float


class DualProblem:
    """The dual and the point β that SMO has reached.

    The heart of it are the *votes* v = q - Kβ. In classification v_i = y_i - Σ_t β_t κ(x_t, x_i) is the intercept that
    would put point i exactly onto its margin. A point may *rise* if β_i < upper_i, and *fall* if β_i > lower_i. By the
    KKT conditions β is optimal if and only if one b serves all:  v_i <= b where i may rise,  v_i >= b where i may fall.

    Parameters
    ----------
    gram : Gram
    q, lower, upper : ndarrays of shape (n,)

    Attributes
    ----------
    last : PairStep or None
        The latest step.
    """

    def __init__(self, gram, q, lower, upper):
        self.gram, self.q, self.lower, self.upper = gram, q, lower, upper
        self._whole_box = lower, upper
        self._lowest, self._highest = lower.tolist(), upper.tolist()
        self._gap, self._work = np.empty(len(q)), np.empty(len(q))
        self.set_beta(np.zeros(len(q)))

    @classmethod
    def from_signs(cls, gram, p, y, C):
        """Set up  min ½ αᵀQα + pᵀα  subject to  yᵀα = 0,  0 <= α_i <= C,  where Q_ij = y_i y_j K_ij.

        With β_i = y_i α_i this is the problem above with q_i = -y_i p_i. Classification has p = -1, so q = y.
        Regression with a tube of half-width ε has two variables a point: y = (1, ..., 1, -1, ..., -1) and
        p = (ε - t, ε + t) for targets t, with ``Gram(kernel, X, copies=2)``; its f has the coefficients
        β_i + β_{n+i} and the ``intercept()`` b. The objective that is minimised is -W.

        Parameters
        ----------
        gram : Gram
        p, y : ndarrays of shape (n,)
            y holds +1 and -1.
        C : float > 0, or ndarray of shape (n,)
            One bound for all, or one for each.

        Returns
        -------
        DualProblem
            At α = 0.
        """
        bound = np.broadcast_to(np.asarray(C, dtype=float), y.shape)
        return cls(gram, -y * p, np.where(y > 0, 0.0, -bound), np.where(y > 0, bound, 0.0))

    def limit_box(self):
        """Make the box so small that rounding cannot hide the votes: |β_i| max|K_tt| ε_machine <= ``FINEST`` max|q_t|.

        A β of that size has 16 digits, and so has Kβ, of which the votes must be left over. Where the classes can be
        separated, the optimum is in the small box. Where it is not, ``limited`` says so, and the point that is found
        is the optimum for the largest C that can be told from larger ones.
        """
        with np.errstate(divide="ignore"):
            largest = FINEST * (np.abs(self.q).max() or 1.0) / np.finfo(float).eps / np.abs(self.gram.diagonal).max()
        if largest < max(self.upper.max(), -self.lower.min()):
            self.lower, self.upper = np.maximum(self.lower, -largest), np.minimum(self.upper, largest)
            self._lowest, self._highest = self.lower.tolist(), self.upper.tolist()
            self.set_beta(np.clip(self._beta, self.lower, self.upper))

    @property
    def limited(self):
        """Whether a variable is at a bound that ``limit_box`` has moved."""
        lower, upper = self._whole_box
        beta = self._beta
        return bool(((beta >= self.upper) & (beta < upper) | (beta <= self.lower) & (beta > lower)).any())

    def set_beta(self, beta, votes=None):
        """Move to a feasible β and compute its votes afresh, free of the rounding of many small steps."""
        self._beta = beta.copy()
        votes = self.q - self.gram.times(beta) if votes is None else votes
        self._rising = np.where(beta < self.upper, votes, -np.inf)  # the votes of those that may rise
        self._falling = np.where(beta > self.lower, votes, np.inf)  # the votes of those that may fall
        self.last, self.stalled = None, False

    @property
    def beta(self):
        """β, shape (n,)."""
        return self._beta.copy()

    @property
    def free(self):
        """The indices with lower_i < β_i < upper_i, an int ndarray."""
        beta = self.beta
        return np.flatnonzero((beta > self.lower) & (beta < self.upper))

    @property
    def votes(self):
        """v = q - Kβ, shape (n,)."""
        return np.where(np.isfinite(self._rising), self._rising, self._falling)

    @property
    def disagreement(self):
        """The highest vote that may rise minus the lowest that may fall: at most 0 at the optimum."""
        return float(self._rising.max() - self._falling.min())

    @property
    def violation(self):
        """The disagreement in the box as it was given, also where ``limit_box`` has made it smaller."""
        if not self.limited:
            return self.disagreement
        (lower, upper), beta, votes = self._whole_box, self._beta, self.votes
        return float(votes[beta < upper].max() - votes[beta > lower].min())

    @property
    def objective(self):
        """W(β) = ½ (q + v)ᵀβ, because Kβ = q - v."""
        return float(0.5 * (self.q + self.votes) @ self.beta)

    @property
    def rounding(self):
        """How far a vote may be off because products of β and K are rounded: ε_machine · max K_ii · max |β|."""
        return float(np.finfo(float).eps * np.abs(self.gram.diagonal).max() * np.abs(self.beta).max())

    @property
    def slack(self):
        """Votes that differ by less than this are equal: ten digits, or what rounding leaves of them."""
        return float(16 * self.rounding + 1e-10 * np.abs(self.q).max())

    def intercept(self):
        """b: the mean vote of the free points; with none, the middle of the interval in which b may lie."""
        free = self.free
        if len(free):
            return float(self.votes[free].mean())
        return float((self._rising.max() + self._falling.min()) / 2)

    def select_pair(self, tol):
        """Choose the two variables of the next step; None if no pair disagrees by more than ``tol``.

        i has the highest vote among those that may rise. Moving β_i up and β_j down as far as pays raises W by
        ½ (v_i - v_j)² / ‖φ(x_i) - φ(x_j)‖²; j is where this is largest.
        """
        i = int(self._rising.argmax())
        np.subtract(self._rising[i], self._falling, out=self._gap)
        np.multiply(self._gap, self.gram.closeness(i), out=self._work)
        j = int(self._work.argmax())
        if self._gap.item(j) <= tol and self._gap.max() <= tol:
            return None
        return i, j

    def move_pair(self, i, j):
        """Take the best step along β_i + t, β_j - t, cut off where one of them meets its bound.

        Along it W changes by t (v_i - v_j) - ½ t² ‖φ(x_i) - φ(x_j)‖², which is largest at
        t = (v_i - v_j) / ‖φ(x_i) - φ(x_j)‖². The sum of β stays. Each vote changes by -t (K_it - K_jt).
        """
        beta_i, beta_j = self._beta.item(i), self._beta.item(j)
        vote_i, vote_j = self._rising.item(i), self._falling.item(j)
        unclipped = (vote_i - vote_j) * self.gram.closeness(i).item(j) ** 2
        room_i, room_j = self._highest[i] - beta_i, beta_j - self._lowest[j]
        step = min(unclipped, room_i, room_j)
        self._beta[i] = self._highest[i] if step >= NEARLY * room_i else beta_i + step
        self._beta[j] = self._lowest[j] if step >= NEARLY * room_j else beta_j - step
        self._falling[i], self._rising[j] = vote_i, vote_j  # whoever rose may fall, and the other way round
        np.subtract(self.gram.row(i), self.gram.row(j), out=self._work)
        self._work *= step
        self._rising -= self._work
        self._falling -= self._work
        if self._beta[i] >= self._highest[i]:
            self._rising[i] = -np.inf
        if self._beta[j] <= self._lowest[j]:
            self._falling[j] = np.inf
        self.stalled = self._beta[i] == beta_i and self._beta[j] == beta_j
        self.last = PairStep(i, j, beta_i, beta_j, unclipped, step)


def smo(problem, tol, max_iter):
    """Improve two variables at a time until no pair disagrees by more than ``tol``.

    Parameters
    ----------
    problem : DualProblem
        Changed in place.
    tol : float > 0
        In units of the votes, as in LIBSVM; raised to what rounding allows.
    max_iter : int
        The largest number of steps. The walk also ends where a step is smaller than the rounding of β.

    Yields
    ------
    DualProblem
        The problem itself, after each step.
    """
    refreshed = 0
    for step in range(max_iter):
        if step % 1000 == 0:
            tol = max(tol, problem.slack)  # votes cannot agree better
        pair = problem.select_pair(tol)
        if pair is None and problem.last is None:  # the votes are fresh
            return
        if pair is None:
            problem.set_beta(problem.beta)
            refreshed += 1
            pair = problem.select_pair(tol)
            if pair is None or refreshed > 10:
                return
        problem.move_pair(*pair)
        if problem.stalled:
            return
        yield problem
