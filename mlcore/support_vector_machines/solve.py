"""The dual solved: SMO, with help where it would take long."""

from mlcore.support_vector_machines.climb import climb
from mlcore.support_vector_machines.interior import leap
from mlcore.support_vector_machines.sequential import smo
from mlcore.support_vector_machines.settle import misplaced, settle

__all__ = ["solve_dual"]

FEW = 30
"""So few misplaced points are put into place one by one."""


def solve_dual(problem, tol, max_iter):
    """Run SMO until no pair disagrees by more than ``tol``, with help on the way; yield after each step.

    After some dozens of steps, if only a few points are misplaced, ``settle`` puts them right; else ``leap`` looks
    whether the kernel matrix has a low rank. After 300 + 3n/5 steps ``climb`` follows. SMO goes on from where they
    lead, and once it is finished, ``settle`` takes one more step: all free variables at once, exactly.

    Parameters
    ----------
    problem : DualProblem
        Changed in place. Afterwards its ``beta``, ``intercept()``, ``objective`` and ``violation`` are the answer.
    tol : float > 0
    max_iter : int
        The largest number of steps; after them ``violation`` may still exceed ``tol``, so look at it.

    Yields
    ------
    DualProblem
        The problem itself, after each step; its ``last`` is None after a step that moved many variables.
    """
    n, step = len(problem.q), 0
    early, late = 100 if n <= 500 else 20, 300 + 3 * n // 5
    for step, _ in enumerate(smo(problem, tol, max_iter), start=1):
        if step == early:
            if misplaced(problem) <= FEW or leap(problem):
                settle(problem)
        elif step == late and problem.gram.fits and climb(problem, tol):
            settle(problem)
        yield problem
    if problem.violation <= tol and step < max_iter and settle(problem):
        yield problem
