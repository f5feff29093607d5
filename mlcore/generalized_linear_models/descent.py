"""The descent that the fits of this chapter share: Newton-like steps, each halved until the objective falls."""

import numpy as np

from mlcore.base import ConvergenceWarning, warn_caller

__all__ = ["descend", "solve", "standardised_penalty", "warn_unless_converged", "weighted_gram"]


_SHORT, _LONG = 0.01, 0.1  # steps that change every score by less, and some score by more


def descend(problem, theta, max_iter, tol):
    """Walk to the minimum of J by steps that are halved until J really falls. Yields (θ, J(θ), status).

    ``problem.value`` is J, infinite where θ is not allowed. ``problem.step`` gives a step downhill and what it
    promises, -∇J·step: twice what J would lose if it were a parabola. ``problem.reach`` says how far a step moves the
    scores, ``problem.noise`` which promise is none. The status is "running" after a step. The last triple has another
    one: "converged" if a step is short and promises no more than tol² of the first J; "no maximum" if it promises
    next to nothing but is long: so J falls for ever along it, and the likelihood has no maximum; "stopped" after
    max_iter steps, or where no step lowers J although one promises to.
    """
    value = first = problem.value(theta)
    for left in range(max_iter, -1, -1):
        move, promised = problem.step(theta)
        if _nothing_left(problem, move, promised, tol, first):
            yield _finish(problem, theta, value, move)
            return
        lower, new = _halve(problem, theta, value, move, promised) if left else (value, None)
        if new is None:
            break
        theta, value = new, lower
        yield theta, value, "running"
    if left and promised <= 1e-9 * first:  # the gain is too small to be seen in J
        yield _finish(problem, theta, value, move)
    else:  # no step left, or a border of what is allowed
        yield theta, value, "stopped"


def _nothing_left(problem, move, promised, tol, first):
    """Whether a step promises too little; one that is not short is given up later, with a penalty where it is noise."""
    if promised > tol * tol * first + problem.noise:
        return False
    least = 0.0 if problem.penalised else min(tol * tol, 1e-12) * first
    return promised <= least + problem.noise or problem.reach(move) <= _SHORT


def _halve(problem, theta, value, move, promised):
    """Take the first of the shares 1, ½, ¼, ... of a step that keeps 10⁻⁴ of its promise: (J, θ); θ is None if none."""
    for halvings in range(50):
        share = 0.5**halvings
        new = theta + share * move
        lower = problem.value(new)
        if lower < value - 1e-4 * share * promised:
            return lower, new
    return value, None


def _finish(problem, theta, value, move):
    """Take a last, tiny step, unless it is long."""
    if problem.reach(move) > _LONG:
        return theta, value, "no maximum"
    end = problem.value(theta + move)
    return (theta + move, end, "converged") if end <= value * (1 + 1e-9) else (theta, value, "converged")


def weighted_gram(X, weights):
    """Return Xᵀ diag(weights) X, summed over blocks of rows that fit into the processor's cache."""
    n_samples, n_features = X.shape
    total, size = np.zeros((n_features, n_features)), 1 + 2**15 // n_features
    for start in range(0, n_samples, size):
        rows = X[start : start + size]
        total += (rows * weights[start : start + size, np.newaxis]).T @ rows
    return total


def solve(hessian, downhill, rows=None):
    """Return the step H⁻¹(-∇J), from H and -∇J; for a singular H the shortest one in the units of its diagonal.

    A Cholesky factor shows whether H is safely invertible. If not, the same step is found without squaring the
    condition number: as the least-squares solution of A·step = r, where ``rows()`` returns A and r with H = AᵀA and
    -∇J = Aᵀr; or, if it is not given, from the eigenvalues of H.
    """
    scale = np.sqrt(np.maximum(np.diag(hessian), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    scaled = hessian / scale[:, np.newaxis] / scale
    try:
        if np.diag(np.linalg.cholesky(scaled)).min() > 1e-4:
            return np.linalg.solve(scaled, downhill / scale) / scale
    except np.linalg.LinAlgError:
        pass
    if rows is not None:
        A, r = rows()
        return np.linalg.lstsq(A / scale, r, rcond=1e-11)[0] / scale
    spread, axes = np.linalg.eigh(scaled)
    kept = spread > 1e-14 * spread[-1]
    return axes[:, kept] @ (axes[:, kept].T @ (downhill / scale) / spread[kept]) / scale


def standardised_penalty(alpha, total, scale):
    """Return the α_j of ½ Σ α_j θ_j² = ½ α ‖w‖² / total, where θ = scale·w are the weights of standardised features.

    The last α_j is the intercept's, 0. None exceeds 1e200, which holds a weight at 0 as well.
    """
    with np.errstate(over="ignore"):
        return np.append(np.minimum(alpha / scale / scale / total, 1e200), 0.0)


def warn_unless_converged(model):
    """One warning for a fit that ended without a maximum."""
    if model.status_ == "no maximum":
        warn_caller(
            f"the likelihood rises for ever: after {model.n_iter_} steps it gains nothing more, but the weights still "
            "grow (classes that can be separated, or a group of counts that are all 0); set alpha > 0, or a larger one",
            ConvergenceWarning,
        )
    elif model.status_ == "stopped":
        warn_caller(
            f"the fit stopped after {model.n_iter_} steps before it reached the maximum: raise max_iter; if it stays, "
            "the best mean may lie on a border that the link allows and the family does not: use the canonical link",
            ConvergenceWarning,
        )
