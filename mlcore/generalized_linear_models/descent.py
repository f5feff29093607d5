"""The descent that the fits of this chapter share: Newton-like steps, each halved until the objective falls."""

import numpy as np

from mlcore.base import ConvergenceWarning, warn_caller

__all__ = ["descend", "solve", "warn_unless_converged"]


def descend(problem, theta, max_iter, tol):
    """Walk to the minimum of J by steps that are halved until J really falls. Yields (θ, status).

    ``problem.value`` is J, infinite where θ is not allowed; ``problem.step`` gives a step downhill and what it
    promises, -∇J·step. The status is "running" after a step. The last pair has another one: "converged"; "no maximum"
    if J still falls along a long step (then the likelihood has no maximum); "stopped" after max_iter steps.
    """
    value = first = problem.value(theta)
    for _ in range(max_iter):
        move, promised = problem.step(theta)
        if promised <= tol**2 * first + problem.noise:
            yield _finish(problem, theta, move, value)
            return
        share, lower = _halve(problem, theta, move, promised, value)
        if share == 0:  # too small a gain to be seen in J, or a border of what is allowed
            done = promised <= 1e-9 * first
            yield _finish(problem, theta, move, value) if done else (theta, "stopped")
            return
        theta, value = theta + share * move, lower
        yield theta, "running"
    move, promised = problem.step(theta)
    near = promised <= tol**2 * first + problem.noise
    yield _finish(problem, theta, move, value) if near else (theta, "stopped")


def _halve(problem, theta, move, promised, value):
    """The first of the shares 1, ½, ¼, ... of a step that keeps 10⁻⁴ of its promise, and J there; (0, J) if none."""
    for halvings in range(50):
        share = 0.5**halvings
        lower = problem.value(theta + share * move)
        if lower < value - 1e-4 * share * promised:
            return share, lower
    return 0.0, value


def _finish(problem, theta, move, value):
    """Take a last, tiny step, unless the step is long, so that J falls for ever along it."""
    if problem.reach(move) > 0.1 and not problem.penalised:
        return theta, "no maximum"
    end = theta + move
    return (end if problem.value(end) <= value + 1e-9 * abs(value) else theta), "converged"


def solve(hessian, gradient, root=None, target=None):
    """Return the step -H⁻¹∇J; for a singular H the shortest one in the units of its diagonal.

    A Cholesky factor shows whether H is safely invertible. If not, the same step is found without squaring the
    condition number: as the least-squares solution of ``root``·step = -``target``, where H = rootᵀroot and
    ∇J = rootᵀtarget; or, if these are not given, from the eigenvalues of H.
    """
    scale = np.sqrt(np.diag(hessian))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = hessian / scale[:, np.newaxis] / scale
    try:
        if np.diag(np.linalg.cholesky(scaled)).min() > 1e-4:
            return np.linalg.solve(scaled, -gradient / scale) / scale
    except np.linalg.LinAlgError:
        pass
    if root is not None:
        root, target = root(), target()
        return np.linalg.lstsq(root / scale, -target, rcond=1e-11)[0] / scale
    spread, axes = np.linalg.eigh(scaled)
    kept = spread > 1e-14 * spread[-1]
    return axes[:, kept] @ (axes[:, kept].T @ (-gradient / scale) / spread[kept]) / scale


def warn_unless_converged(model):
    """One warning for a fit that ended without a maximum."""
    if model.status_ == "no maximum":
        warn_caller(
            f"the likelihood rises for ever: after {model.n_iter_} steps it gains nothing more, but the weights still "
            "grow (classes that can be separated, or a group of counts that are all 0); set alpha > 0",
            ConvergenceWarning,
        )
    elif model.status_ == "stopped":
        warn_caller(
            f"the fit stopped after {model.n_iter_} steps before it reached the maximum: raise max_iter; if it stays, "
            "the best mean may lie on a border that the link allows and the family does not: use the canonical link",
            ConvergenceWarning,
        )
