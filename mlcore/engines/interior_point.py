"""The interior point method of chapter 16, as long as rounding leaves a step.

Of Q and A only products are asked for, so they need not be arrays; ``factor(weights)`` solves the equations of a step
with the matrix itself (chapter 16) or in the space of few features (chapter 17).
"""

import numpy as np

from mlcore.core.constrained_optimization import mehrotra

__all__ = ["interior_point"]


def interior_point(qp, factor, max_iter):
    """Walk as ``mehrotra`` does, as long as rounding leaves a step; there must be inequalities, m > 0.

    Parameters
    ----------
    qp : QP
        Its numbers should be near 1.
    factor : callable
    max_iter : int

    Yields
    ------
    tuple (x, s, alpha, beta) of ndarrays
        The start, then one after each step.
    """
    walk = mehrotra(qp, factor, max_iter)
    while True:
        with np.errstate(all="ignore"):
            try:
                at = next(walk)
            except (StopIteration, np.linalg.LinAlgError):
                return
        if not all(np.isfinite(value).all() for value in at):
            return
        yield at
