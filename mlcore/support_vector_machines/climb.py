"""Help for stubborn problems: guess which points are free, solve for all of them at once, and climb to a large C.

With a large C and classes that overlap, SMO needs millions of tiny steps: the bound points lie far away, and the free
ones depend on each other. Both difficulties vanish once one knows which points are at which bound, because the rest is
one system of linear equations. For a small C the guess is easy, and for a C four times as large it changes little.

Two ideas make it safe. A small ridge ρ on the diagonal of K makes every system solvable; in the primal it rounds the
corner of the hinge, so that Newton's method with a line search finds the way where guessing fails. And whatever comes
out, SMO goes on from the better of the two points, until its own stopping rule holds.

Júdice and Pires, "A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
problems" (1994); Chapelle, "Training a support vector machine in the primal" (2007).
"""

import numpy as np

from mlcore.support_vector_machines.sequential import DualProblem, smo
from mlcore.support_vector_machines.settle import adopt

__all__ = ["climb"]

RUNG = 4.0
"""The box grows by about this factor from one rung to the next."""

START = 2.0
"""The first box, in steps of SMO from one bound to the other, about."""

WIDTH = 0.1
"""How far, in margins, the hinge is rounded on the way up."""


def climb(problem, tol):
    """Bring a stubborn problem near its optimum; leave it as it is if that fails.

    Parameters
    ----------
    problem : DualProblem
        Changed in place, and only if W rises. Its kernel matrix must fit into memory.
    tol : float
        The disagreement of two votes to aim at.

    Returns
    -------
    bool
        Whether W rose.
    """
    box = (problem.upper - problem.lower).max()
    lowest = _lowest_rung(problem, box)
    climber, scale = _Climber(problem, lowest, tol), lowest
    for scale, ridge in _schedule(lowest, box, tol):
        try:
            climber.stage(scale, ridge)
        except np.linalg.LinAlgError:  # equations without a solution
            break
    return scale == 1.0 and adopt(problem, climber.beta)


def _lowest_rung(problem, box):
    """The share of the box in which SMO is quick, because a few steps lead from one bound to the other."""
    K = problem.gram.matrix()
    spread = 2.0 * (K.diagonal().mean() - K.mean())  # the mean squared distance in feature space
    return min(START / (spread * box), 1.0 / RUNG) if spread > 0 else 1.0 / RUNG


def _schedule(lowest, box, tol):
    """Pairs (scale of the box, ridge): up the rungs with a wide corner, then the whole box with ever sharper ones."""
    rungs = int(np.ceil(np.log(1.0 / lowest) / np.log(RUNG)))
    scales = np.geomspace(lowest, 1.0, rungs + 1)
    widths = np.geomspace(WIDTH, min(tol, WIDTH) / 50, 6)
    scales = np.append(scales, np.ones(len(widths) - 1))
    widths = np.append(np.full(rungs, WIDTH), widths)
    return list(zip(scales, 2.0 * widths / (scales * box)))


class _Climber:
    """The optimum of the dual with a ridge, for a given box:  maximise qᵀβ - ½ βᵀ(K + ρI)β.

    ``side`` holds the guess: +1 at the upper bound, -1 at the lower, 0 free. A free point has β_i = (q_i - f_i) / ρ
    with f = Kβ + b; the guess is right where this ratio z lies beyond the bound for every point that is at a bound.
    """

    def __init__(self, problem, scale, tol):
        self.K, self.q = problem.gram.matrix(), problem.q
        self.lower, self.upper = problem.lower, problem.upper
        problem = DualProblem(problem.gram, self.q, scale * self.lower, scale * self.upper)
        for _ in smo(problem, tol, len(self.q)):
            pass
        self.beta, self.b = problem.beta, problem.intercept()
        self.f = self.q - problem.votes + self.b
        self.side = (self.beta >= problem.upper).astype(int) - (self.beta <= problem.lower)
        self._bound = np.zeros(len(self.q))  # β of the points at a bound, in the whole box, and its product with K
        self._product = np.zeros(len(self.q))

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
