"""Mehrotra's interior point method (内点法) for quadratic programs, whatever their matrices are made of.

    minimise ½ xᵀQx + pᵀx   subject to   Ax - s = c,  Ex = d,  s >= 0

    Qx + p - Aᵀα - Eᵀβ = 0,   Ax - s = c,   Ex = d,   s_i α_i = σμ       (μ = sᵀα / m,  0 <= σ <= 1)

The second line is what each step aims at; with σ = 0 these are the KKT conditions. Of Q and A only products are asked
for, so they need not be arrays. What depends on their form is passed in: ``factor(weights)`` returns the function
``solve(top, bottom)`` that solves

    [Q + AᵀDA  Eᵀ; E  0] (u, -v) = (top, bottom),    D = diag(weights),

with the matrix itself (chapter 16) or in the space of few features (chapter 17).

    x of shape (n,)                  the variables, dx their step
    s, alpha of shape (m,)           slacks and multipliers of the inequalities, all > 0; ds, dalpha their steps
    beta of shape (l,)               multipliers of the equations
    r_x, r_s, r_beta                 what the three linear equations still miss;  r = s∘α - σμ for the products
"""


import numpy as np

from mlcore.core.constrained_optimization import (
    QP,
    mehrotra,
    missing,
    newton_step,
    predictor_corrector,
    start,
    step_length,
)

__all__ = [
    "QP", "interior_point", "mehrotra", "missing", "newton_step", "predictor_corrector", "start", "step_length",
]


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
