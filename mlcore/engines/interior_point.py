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

from typing import NamedTuple

import numpy as np

__all__ = ["QP", "interior_point", "missing", "newton_step", "predictor_corrector", "start", "step_length"]


FAR = 1e6
"""In a problem whose numbers are near 1, where to start does not depend on how far beyond this a wall is."""


class QP(NamedTuple):
    """minimise ½ xᵀQx + pᵀx subject to Ax >= c, Ex = d: n variables, m inequalities, l equations."""

    Q: np.ndarray
    p: np.ndarray
    A: np.ndarray
    c: np.ndarray
    E: np.ndarray
    d: np.ndarray


def missing(qp, x, s, alpha, beta):
    """r_x = Qx + p - Aᵀα - Eᵀβ,  r_s = Ax - s - c,  r_β = Ex - d, of shapes (n,), (m,) and (l,)."""
    r_x = qp.Q @ x + qp.p - qp.A.T @ alpha - qp.E.T @ beta
    return r_x, qp.A @ x - s - qp.c, qp.E @ x - qp.d


def newton_step(r, missed, s, alpha, A, solve):
    """Δx, Δs, Δα, Δβ that make up for all that is missed: r_x, r_s, r_β, and αΔs + sΔα = -r  (16.12)."""
    r_x, r_s, r_beta = missed
    dx, dbeta = solve(-r_x - A.T @ ((r + alpha * r_s) / s), -r_beta)
    ds = A @ dx + r_s
    return dx, ds, -(r + alpha * ds) / s, dbeta


def step_length(s, ds, alpha, dalpha, share):
    """The largest t <= 1 that takes at most this share of any s_i or α_i: s + tΔs >= (1 - share)s, and for α."""
    return share / max(share, (-ds / s).max(), (-dalpha / alpha).max())


def predictor_corrector(s, alpha, newton):
    """Mehrotra's step: try σ = 0; σ = (μ after the trial / μ)³; then aim at σμ, the trial's error ΔsΔα taken off.

    Parameters
    ----------
    s, alpha : ndarrays of shape (m,)
    newton : callable
        ``newton(r)`` returns the step (Δx, Δs, Δα, Δβ) with αΔs + sΔα = -r.
    """
    mu = s @ alpha / len(s)
    _, ds, dalpha, _ = newton(s * alpha)
    t = step_length(s, ds, alpha, dalpha, share=1.0)
    sigma = ((s + t * ds) @ (alpha + t * dalpha) / len(s) / mu) ** 3
    return newton(s * alpha + ds * dalpha - sigma * mu)


def start(qp, solve):
    """x, s, α, β where ½ xᵀQx + pᵀx + ½‖Ax - c‖² is least on Ex = d: there α = -(Ax - c) are the multipliers.

    So Ax - c = s - α; of the s, α > 0 with that difference take those with all products equal to the square of the mean
    of |Ax - c|. ``solve`` is ``factor`` of weights 1.
    """
    x, beta = solve(qp.A.T @ np.maximum(qp.c, -FAR) - qp.p, qp.d)
    room = qp.A @ x - qp.c
    middle = np.sqrt(room**2 / 4 + max(0.1, np.minimum(np.abs(room), FAR).mean()) ** 2)
    return x, middle + room / 2, middle - room / 2, beta


def interior_point(qp, factor, max_iter):
    """Walk to the solution through the inside of the constraints; there must be inequalities, m > 0.

    Parameters
    ----------
    qp : QP
        Its numbers should be near 1.
    factor : callable
    max_iter : int

    Yields
    ------
    tuple (x, s, alpha, beta) of ndarrays
        The start, then one after each step. It ends early where rounding leaves no step (or a singular system).
    """
    at = start(qp, factor(np.ones(len(qp.c))))
    yield at
    for _ in range(max_iter):
        try:
            with np.errstate(all="ignore"):
                move = _step(qp, factor, *at)
                share = step_length(at[1], move[1], at[2], move[2], share=0.99)
                at = tuple(value + share * change for value, change in zip(at, move, strict=True))
        except np.linalg.LinAlgError:
            return
        if not all(np.isfinite(value).all() for value in at):
            return
        yield at


def _step(qp, factor, x, s, alpha, beta):
    missed, solve = missing(qp, x, s, alpha, beta), factor(alpha / s)
    return predictor_corrector(s, alpha, lambda r: newton_step(r, missed, s, alpha, qp.A, solve))
