"""The dual and the point that has been reached; SMO around it; and the engine where SMO would take long."""

import itertools
from typing import NamedTuple

import numpy as np

from mlcore.base import ConvergenceWarning, warn_caller
from mlcore.core.support_vector_machines import intercept, smo, up_low_gradients
from mlcore.engines.box_dual import active_set, continuation, feasible, interior_point, low_rank

__all__ = ["DualProblem", "PairStep", "smo_walk", "solve_dual", "warn_if_unsolved"]

FINEST = 1e-4
"""Rounding may change v by this share of the largest |q_i|; ``limit_box`` sees to it."""

LARGE = 500
"""With more variables than this, the engine looks for a low rank after 20 steps; with fewer, SMO goes on for longer."""

FEW = 30
"""So few misplaced points are put into place one by one."""

MANY = 500
"""With more free points than this, the last step is made exact only if that takes no longer than all steps before."""

MOST_TIMES = 100
"""What is not solved after so many times the usual number of steps will not be."""


class PairStep(NamedTuple):
    """What one step of SMO did: β_i rose and β_j fell by ``step``; the top of the parabola was at ``unclipped``."""

    i: int
    j: int
    unclipped: float
    step: float


class DualProblem:
    """The dual  max qᵀβ - ½ βᵀKβ,  Σβ_i = 0,  lower <= β <= upper,  and the point β that has been reached.

    Parameters
    ----------
    gram : Gram
    q, lower, upper : ndarrays of shape (n,)

    Attributes
    ----------
    last : PairStep or None
        The latest step of SMO.
    """

    def __init__(self, gram, q, lower, upper):
        self.gram, self.q, self.lower, self.upper = gram, q, lower, upper
        self._whole_box = lower, upper
        self._beta, self._v, self.last = np.zeros(len(q)), q.copy(), None

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
        return cls(gram, -y * p, np.minimum(C * y, 0.0), np.maximum(C * y, 0.0))

    def limit_box(self):
        """Make the box so small that rounding cannot hide v: |β_i| max|K_tt| ε_machine <= ``FINEST`` max|q_t|.

        A β of that size has 16 digits, and so has Kβ, of which v = q - Kβ must be left over. Where the classes can be
        separated, the optimum is in the small box. Where it is not, ``limited`` says so, and the point that is found
        is the optimum for the largest C that can be told from larger ones.
        """
        size, box = float(np.abs(self.gram.diagonal()).max()), float(max(self.upper.max(), -self.lower.min()))
        most = FINEST * float(np.abs(self.q).max() or 1.0) / np.finfo(float).eps
        if size * box > most:
            self.lower, self.upper = np.maximum(self.lower, -most / size), np.minimum(self.upper, most / size)
            self.set_beta(np.clip(self._beta, self.lower, self.upper))

    @property
    def limited(self):
        """Whether a variable is at a bound that ``limit_box`` has moved."""
        (lower, upper), beta = self._whole_box, self._beta
        return bool(((beta >= self.upper) & (beta < upper) | (beta <= self.lower) & (beta > lower)).any())

    def set_beta(self, beta, v=None):
        """Move to a feasible β and compute v afresh, free of the rounding of many small steps."""
        tiny = 4 * np.finfo(float).eps * np.abs(beta).max()  # what rounding leaves of a step to the bound
        beta = np.where(beta - self.lower <= tiny, self.lower, np.where(self.upper - beta <= tiny, self.upper, beta))
        self._beta[:], self.last = beta, None
        self._v[:] = self.q - self.gram.times(beta) if v is None else v

    @property
    def beta(self):
        """β, shape (n,)."""
        return self._beta.copy()

    @property
    def gradient(self):
        """v = q - Kβ, shape (n,)."""
        return self._v.copy()

    @property
    def free(self):
        """The indices with lower_i < β_i < upper_i, an int ndarray."""
        return np.flatnonzero((self._beta > self.lower) & (self._beta < self.upper))

    def _violation(self, lower, upper):
        up, low = up_low_gradients(self._beta, self._v, lower, upper)
        return float(up.max() - low.min())

    @property
    def remaining(self):
        """The largest v_i that may rise minus the least that may fall: at most 0 at the optimum."""
        return self._violation(self.lower, self.upper)

    @property
    def violation(self):
        """The same in the box as it was given, also where ``limit_box`` has made it smaller."""
        return self._violation(*self._whole_box) if self.limited else self.remaining

    @property
    def objective(self):
        """W(β) = ½ (q + v)ᵀβ, because Kβ = q - v."""
        return float(0.5 * (self.q + self._v) @ self._beta)

    @property
    def rounding(self):
        """How far v may be off because products of β and K are rounded: ε_machine · max K_ii · max |β|."""
        return float(np.finfo(float).eps * np.abs(self.gram.diagonal()).max() * np.abs(self._beta).max())

    @property
    def slack(self):
        """Entries of v that differ by less than this are equal: ten digits, or what rounding leaves of them."""
        return float(16 * self.rounding + 1e-10 * np.abs(self.q).max())

    def intercept(self):
        """b: the mean v of the free points, or the middle of what is possible."""
        return float(intercept(self._beta, self._v, self.lower, self.upper))


def smo_walk(problem, tol, max_iter):
    """Run SMO on a problem until no pair is violated by more than ``tol``; yield the problem after each step.

    ``tol`` is raised to what rounding allows. At the end v, which has changed in many small steps, is computed afresh,
    and SMO goes on if a violating pair is left then.

    Parameters
    ----------
    problem : DualProblem
        Changed in place.
    tol : float > 0
        In units of v, as in LIBSVM.
    max_iter : int
        The largest number of steps.
    """
    made = 0
    for _ in range(10):
        before = made
        for step in _in_parts(problem, tol):
            problem.last = PairStep(*step)
            made += 1
            yield problem
            if made == max_iter:
                return
        if made == before or problem.last is None:  # v is fresh
            return
        problem.set_beta(problem.beta)


def _in_parts(problem, tol, length=1000):
    """The steps of ``smo``; after each thousand of them ``tol`` is raised to what rounding then allows."""
    state, made = (problem._beta, problem._v, problem.gram.fastest(), problem.lower, problem.upper), length
    while made == length:
        made = 0
        for step in itertools.islice(smo(*state, max(tol, problem.slack)), length):
            made += 1
            yield step


def solve_dual(problem, tol, max_iter):
    """Run SMO until no pair is violated by more than ``tol``, with the engine's help; yield after each step.

    Small problems are SMO from the first step to the last but one; then the equations of the free points are solved
    exactly. Once a few dozens of steps are made, the engine looks whether the kernel matrix has a low rank, which is
    when its interior point method is quicker. Whenever the number of steps has doubled, it puts misplaced points right
    if they are few, and where SMO creeps, so that at its pace it would take longer than continuation, that follows.

    Parameters
    ----------
    problem : DualProblem
        Changed in place. Afterwards its ``beta``, ``intercept()``, ``objective`` and ``violation`` are the answer, for
        a smaller box if it is ``limited``.
    tol : float > 0
    max_iter : int
        The largest number of steps, but not more than 100 (300 + 3n/5) are made: what rounding has not let all that
        help solve, more steps do not solve either. ``violation`` may still exceed ``tol`` then, so look at it.

    Yields
    ------
    DualProblem
        The problem itself, after each step; its ``last`` is None after a step that moved many variables.
    """
    problem.limit_box()
    n, points, step, crept, before = len(problem.q), problem.gram.n_points, 0, False, problem.remaining
    first, late = 100 if n <= LARGE else 20, 300 + 3 * n // 5
    check, most = first, min(max_iter, MOST_TIMES * late)
    for step, _ in enumerate(smo_walk(problem, tol, most), start=1):
        if step == check:
            if step >= late or _misplaced(problem) <= FEW:
                settle(problem, effort=max(1_000_000, _effort(n, step) // 2))
            if step == first and problem.remaining > tol:
                interior_step(problem, size=min(max(50, points // 16), 100, points // 2))
            if step >= late and not crept and _creeps(problem, step, before, tol):
                crept = True
                if not interior_step(problem, size=400) or problem.remaining > tol:
                    continue_to_box(problem, tol)
            check, before = 2 * check, problem.remaining
        yield problem
    if step < most and settle(problem, max(_effort(n, step), _granted(problem))):
        yield problem


# ---------------------------------------------------------------------------------------------------------------
# Help of the engine
# ---------------------------------------------------------------------------------------------------------------
def _misplaced(problem):
    """How many points are at a bound at which the present b does not want them, an int."""
    b, beta, v = problem.intercept(), problem._beta, problem._v
    return int(np.count_nonzero((beta <= problem.lower) & (v > b) | (beta >= problem.upper) & (v < b)))


def _effort(n, steps):
    """What so many steps of SMO take, in units of 5 ns."""
    return steps * (2 * n + 2500)


def _creeps(problem, step, before, tol):
    """Whether SMO, at the pace of the latest half of its steps, would take longer than continuation.

    A stage of continuation has f³ multiplications for the f free points, and works on all of K.
    """
    n, free = len(problem.q), len(problem.free)
    if problem.remaining <= tol or not problem.gram.fits:
        return False
    pace = np.log(before / problem.remaining) / (step / 2) if before > problem.remaining else 1e-10
    return _effort(n, np.log(problem.remaining / tol) / pace) > 6 * n**2 + 0.3 * free**3


def _granted(problem):
    """The effort for the last step, in units of 5 ns, that is granted however few steps there were before."""
    return 100_000_000 if len(problem.free) <= MANY else 0


def settle(problem, effort):
    """Make β exact by the active-set method, as far as an effort in units of 5 ns goes; return whether it moved.

    A round for f free points takes about f³/150 + nf/4 + 10,000 of them.
    """
    n, free = len(problem.q), len(problem.free)
    rounds = int(effort / (free**3 / 150 + n * free / 4 + 10_000))
    if rounds == 0 or problem.remaining <= 1e-10 * np.abs(problem.q).max():
        return False
    found = active_set(problem.gram, problem.lower, problem.upper, problem._beta, problem._v, problem.slack, rounds)
    if found is not None:
        problem.set_beta(*found)
    return found is not None


def adopt(problem, beta):
    """Move to a guess of the optimum, made feasible, and to the exact one close by; return whether W has risen.

    If it has not, the problem is left as it was.
    """
    before, v, value = problem.beta, problem.gradient, problem.objective
    problem.set_beta(feasible(beta, problem.lower, problem.upper))
    settle(problem, _granted(problem))
    if problem.objective > value:
        return True
    problem.set_beta(before, v)
    return False


def interior_step(problem, size):
    """Take a problem whose kernel matrix has a low rank next to its optimum; return whether W has risen.

    The rank is seen from a sample of ``size`` points.
    """
    G = low_rank(problem.gram, size)
    return G is not None and adopt(problem, interior_point(G, problem.q, problem.lower, problem.upper))


def continue_to_box(problem, tol):
    """Take a problem near its optimum by continuation; return whether W has risen."""
    try:
        beta = continuation(problem.gram.matrix(), problem.q, problem.lower, problem.upper, tol)
    except np.linalg.LinAlgError:  # equations without a solution
        return False
    return adopt(problem, beta)


# ---------------------------------------------------------------------------------------------------------------
# Did it arrive?
# ---------------------------------------------------------------------------------------------------------------
def warn_if_unsolved(name, problem, C, tol, steps):
    """Give a ConvergenceWarning if the box was made smaller, a violating pair is left, or rounding exceeds ``tol``.

    ``name`` is the estimator's, ``C`` and ``tol`` are as the user gave them, ``steps`` were made.
    """
    advice = "scale the features, make C smaller, or raise"
    if problem.limited:
        message = (
            f"made α at most {problem.upper.max():.3g}, not C = {C:g}: with kernel values up to "
            f"{np.abs(problem.gram.diagonal()).max():.3g} larger ones hide b in rounding; scale the features or make "
            "C smaller"
        )
    elif problem.violation > max(tol, problem.slack):
        message = (
            f"stopped after {steps} steps, where the points still disagree about b by {problem.violation:.3g} "
            f"(tol = {tol:g}); {advice} max_iter or tol"
        )
    elif problem.rounding > tol:
        message = (
            f"knows b only to about {problem.rounding:.3g}, the rounding of its kernel values, and tol = {tol:g} asks "
            f"for more; {advice} tol"
        )
    else:
        return
    warn_caller(f"{name} {message}", ConvergenceWarning)
