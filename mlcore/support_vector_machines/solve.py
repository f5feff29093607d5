"""The dual solved: SMO, with help where it would take long."""

import numpy as np

from mlcore.base import ConvergenceWarning, warn_caller
from mlcore.support_vector_machines.climb import climb
from mlcore.support_vector_machines.interior import leap
from mlcore.support_vector_machines.sequential import smo
from mlcore.support_vector_machines.settle import misplaced, settle

__all__ = ["solve_dual", "warn_if_unsolved"]

FEW = 30
"""So few misplaced points are put into place one by one."""

PATIENCE = 100
"""What is not solved after so many times the steps before ``climb`` will not be."""


def solve_dual(problem, tol, max_iter):
    """Run SMO until no pair disagrees by more than ``tol``, with help on the way; yield after each step.

    Once a few dozens of steps are made, ``leap`` looks whether the kernel matrix has a low rank; after 300 + 3n/5
    steps ``climb`` follows, and, for a few hundred points, ``leap`` with all of K. Besides, whenever the number of
    steps has doubled, ``settle`` may put misplaced points right: few of them at first, any number later. SMO goes on
    from where they lead, and once it is finished, ``settle`` takes the last step: all free variables at once, exactly.

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
    n, step = len(problem.q), 0
    early, late = 100 if n <= 500 else 20, 300 + 3 * n // 5
    most = min(max_iter, PATIENCE * late)
    for step, _ in enumerate(smo(problem, tol, most), start=1):
        if step >= early and _is_power_of_two(step / early) and (step > late or misplaced(problem) <= FEW):
            settle(problem, max_rounds=2 * FEW if step < late else n)
        if step == early and problem.disagreement > tol:
            leap(problem)
        if step == late and problem.disagreement > tol and problem.gram.fits:
            climb(problem, tol)
        if step == late and problem.disagreement > tol:
            leap(problem, whole=True)
        yield problem
    if step < most and settle(problem, max_rounds=500 if n <= 1000 else 100):
        yield problem


def warn_if_unsolved(name, problem, C, tol, steps):
    """Give a ConvergenceWarning if the box was made smaller, the votes still disagree, or rounding exceeds ``tol``.

    Parameters
    ----------
    name : str
        Of the estimator.
    problem : DualProblem
        After ``solve_dual``.
    C, tol : float
        As the user gave them.
    steps : int
        Steps made.
    """
    advice = "scale the features, make C smaller, or raise"
    if problem.limited:
        message = (
            f"made α at most {problem.upper.max():.3g}, not C = {C:g}: with kernel values up to "
            f"{np.abs(problem.gram.diagonal).max():.3g} larger ones hide b in rounding; scale the features or make "
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


def _is_power_of_two(number):
    return number == int(number) and int(number) & (int(number) - 1) == 0
