"""Continuation (延拓法): the dual for a small box, then for larger and larger ones, each from the one before.

With a large box and classes that overlap, SMO needs millions of tiny steps: the bounds lie far away, and the free
variables depend on each other. Both difficulties vanish once one knows which variables are at which bound, because the
rest is one system of linear equations. For a small box the guess is easy, and for one four times as large it changes
little.

A small ridge ρ on the diagonal of K makes every system solvable; in the primal it rounds the corner of the hinge, so
that Newton's method with a line search finds the way where guessing fails.

Júdice and Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
problems" (1994); Chapelle, "Training a support vector machine in the primal" (2007).
"""

import numpy as np

__all__ = ["continuation"]

GROWTH = 4.0
"""The box grows by about this factor from one stage to the next."""

START = 2.0
"""The first box, in steps of SMO from one bound to the other, about."""

WIDTH = 0.1
"""How far, in margins, the hinge is rounded on the way."""


def continuation(K, q, lower, upper, tol):
    """Maximise qᵀβ - ½ βᵀKβ subject to Σβ_i = 0 and lower <= β <= upper, nearly.

    Parameters
    ----------
    K : ndarray of shape (n, n)
    q, lower, upper : ndarrays of shape (n,)
    tol : float
        The disagreement of two votes to aim at.

    Returns
    -------
    ndarray of shape (n,)
        β; the sum is only nearly 0.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the equations of a stage have no solution.
    """
    box = (upper - lower).max()
    spread = 2.0 * (K.diagonal().mean() - K.mean())  # the mean squared distance in feature space
    lowest = min(START / (spread * box), 1.0 / GROWTH) if spread > 0 else 1.0 / GROWTH
    path = _Path(K, q, lower, upper)
    for scale, ridge in _stages(lowest, box, tol):
        path.stage(scale, ridge)
    return path.beta


def _stages(lowest, box, tol):
    """Pairs (scale of the box, ridge): larger boxes with a wide corner, then the whole one with ever sharper ones."""
    count = int(np.ceil(np.log(1.0 / lowest) / np.log(GROWTH)))
    scales = np.geomspace(lowest, 1.0, count + 1)
    widths = np.geomspace(WIDTH, min(tol, WIDTH) / 50, 6)
    scales = np.append(scales, np.ones(len(widths) - 1))
    widths = np.append(np.full(count, WIDTH), widths)
    return list(zip(scales, 2.0 * widths / (scales * box)))


class _Path:
    """The optimum of the dual with a ridge, for a given box:  maximise qᵀβ - ½ βᵀ(K + ρI)β.

    ``side`` holds the guess: +1 at the upper bound, -1 at the lower, 0 free. A free variable has β_i = (q_i - f_i) / ρ
    with f = Kβ + b; the guess is right where this ratio z lies beyond the bound for all that are at a bound.
    """

    def __init__(self, K, q, lower, upper):
        self.K, self.q, self.lower, self.upper = K, q, lower, upper
        self.beta, self.b, self.f = np.zeros(len(q)), 0.0, np.zeros(len(q))
        self.side = np.where(upper > -lower, 1, -1)
        self._bound = np.zeros(len(q))  # β of those at a bound, in the whole box, and its product with K
        self._product = np.zeros(len(q))

    def stage(self, scale, ridge):
        """Move to the optimum for the box times ``scale``: by guessing, or else by Newton's method."""
        if not self._guess(scale, ridge):
            self._newton(scale, ridge)

    def _guess(self, scale, ridge, patience=4):
        """Swap all misplaced points at once, while that makes them fewer; return whether none is left."""
        side, fewest, left = self.side, len(self.q), patience
        while left and not side.all():
            beta, b, f, z = self._solve(side, scale, ridge)
            wanted = self._side_of(z, scale)
            better = np.where(side == 0, wanted, np.where(wanted == side, side, 0))  # from a bound, first to free
            wrong = np.count_nonzero(better != side)
            if wrong == 0:
                self.beta, self.b, self.f, self.side = beta, b, f, side
                return True
            if wrong > 2 * fewest:  # the guess has come apart
                return False
            left = patience if wrong < fewest else left - 1
            side, fewest = better, min(wrong, fewest)
        return False

    def _newton(self, scale, ridge, max_iter=60):
        """Newton's method with a line search on the primal, whose hinge has a rounded corner: each step lowers it."""
        for _ in range(max_iter):
            if self.side.all():
                self._balance(scale, ridge)
            beta, b, f, z = self._solve(self.side, scale, ridge)
            done = np.array_equal(self._side_of(z, scale), self.side)
            step = 1.0 if done else self._line_search(beta - self.beta, f - self.f, b - self.b, scale, ridge)
            self.beta = self.beta + step * (beta - self.beta)
            self.b += step * (b - self.b)
            self.f = self.f + step * (f - self.f)
            if done:
                return
            self.side = self._side_of((self.q - self.f) / ridge, scale)

    def _balance(self, scale, ridge):
        """Move b alone to where the primal is lowest, where no free point determines it."""
        lower, upper, residual = scale * self.lower, scale * self.upper, self.q - self.f

        def surplus(shift):
            return -np.clip((residual - shift) / ridge, lower, upper).sum()

        ends = residual.min() - ridge * upper.max(), residual.max() - ridge * lower.min()
        shift = _root(surplus, *ends)
        self.b += shift
        self.f = self.f + shift
        self.side = self._side_of((residual - shift) / ridge, scale)

    def _solve(self, side, scale, ridge):
        """β, b, f and z if the guess is right: one system of equations for the free β and b.

        K_FF β_F + ρ β_F + b = q_F - K_FB β_B   and   Σβ_F = -Σβ_B
        """
        bound = np.where(side > 0, self.upper, np.where(side < 0, self.lower, 0.0))
        changed, free = np.flatnonzero(bound != self._bound), np.flatnonzero(side == 0)
        self._product = self._product + (bound - self._bound)[changed] @ self.K[changed]
        self._bound = bound
        beta, f = scale * bound, scale * self._product
        rows, size = self.K[free], len(free)
        system = np.ones((size + 1, size + 1))
        system[:size, :size] = rows[:, free]
        system.flat[: size * (size + 1) : size + 2] += ridge
        system[size, size] = 0.0
        right = np.append(self.q[free] - f[free], -beta.sum())
        *own, b = np.linalg.solve(system, right) if size else [self.b]
        beta[free] = own
        f = f + np.asarray(own) @ rows + b
        z = (self.q - f) / ridge
        z[free] = own
        return beta, b, f, z

    def _side_of(self, z, scale):
        slack = 1e-9 * scale * (self.upper - self.lower)
        return (z > scale * self.upper + slack).astype(int) - (z < scale * self.lower - slack)

    def _line_search(self, move, move_f, move_b, scale, ridge):
        """The share of the step at which the primal is lowest: where its slope, which only grows, is zero."""
        start, curvature = self.beta @ (move_f - move_b), move @ (move_f - move_b)
        lower, upper, residual = scale * self.lower, scale * self.upper, self.q - self.f

        def slope(t):
            return start + t * curvature - np.clip((residual - t * move_f) / ridge, lower, upper) @ move_f

        return 1.0 if slope(1.0) <= 0 else _root(slope, 0.0, 1.0)


def _root(function, left, right):
    """Where an increasing function is zero, by bisection."""
    for _ in range(40):
        middle = (left + right) / 2
        left, right = (left, middle) if function(middle) > 0 else (middle, right)
    return right
