"""Newton's method on the KKT conditions, through the inside of the constraints."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Iterate", "WeightedGram", "kkt_matrix", "newton_steps", "solve_kkt"]


@dataclass(frozen=True)
class Iterate:
    """A point on the way to the solution, strictly inside in s and α.

    Attributes
    ----------
    x : ndarray of shape (n,)
    slack : ndarray of shape (m,)
        s > 0, which becomes Ax - c.
    multipliers : ndarray of shape (m,)
        α > 0.
    equality_multipliers : ndarray of shape (l,)
    """

    x: np.ndarray
    slack: np.ndarray
    multipliers: np.ndarray
    equality_multipliers: np.ndarray


def newton_steps(qp, back, max_iter):
    """Mehrotra's predictor-corrector method: Newton's method, with s, α > 0 kept positive, on the equations

        Qx + p - Aᵀα - Eᵀβ = 0,   Ax - s = c,   Ex = d,   s_i α_i = σμ      (μ = sᵀα / m,  0 <= σ <= 1).

    With σ = 0 they are the KKT conditions, but a Newton step towards those soon runs into s_i = 0 or α_i = 0. So a
    trial step with σ = 0 is measured first. If it could go far, σ is chosen small; if not, σ is near 1, which leads
    back to the middle, where all the products s_i α_i are equal. The trial also shows the error Δs_i Δα_i that
    linearising makes, and the second step corrects it. Both steps are solved with the same matrix.
    """
    weighted_gram = WeightedGram(qp.A)
    x, s, z, y = _start(qp, weighted_gram)
    for _ in range(max_iter):
        yield Iterate(x, s, z, back @ y)
        if len(s) == 0 or not 1e-100 < min(s.min(), z.min()) or max(s.max(), z.max()) > 1e14:
            return
        mu = s @ z / len(s)
        try:
            newton = _linearised(qp, weighted_gram, x, s, z, y)
            dx, ds, dz, dy = newton(s * z)
            trial = min(1.0, _reach(s, ds, z, dz))
            sigma = ((s + trial * ds) @ (z + trial * dz) / len(s) / mu) ** 3
            dx, ds, dz, dy = newton(s * z + ds * dz - sigma * mu)
        except np.linalg.LinAlgError:
            return
        share = min(1.0, 0.99 * _reach(s, ds, z, dz))
        x, s, z, y = x + share * dx, s + share * ds, z + share * dz, y + share * dy
    yield Iterate(x, s, z, back @ y)


def _start(qp, weighted_gram):
    """Start where ½ xᵀQx + pᵀx + ½ ‖Ax - c‖² is least on Ex = d: there α = -(Ax - c) would be the multipliers.

    Of Ax - c = s - α, s > 0 and α > 0 take those whose products s_i α_i are all equal, t² for t the mean of |Ax - c|.
    """
    ones = np.ones(len(qp.c))
    x, y = solve_kkt(kkt_matrix(qp.Q + weighted_gram(ones), qp.E), qp.A.T @ qp.c - qp.p, qp.d)
    difference = qp.A @ x - qp.c
    t = max(0.1, np.abs(difference).sum() / max(len(ones), 1))
    middle = np.sqrt(difference**2 / 4 + t**2)
    return x, middle + difference / 2, middle - difference / 2, y


def _linearised(qp, weighted_gram, x, s, z, y):
    """Return the function that solves the linearised equations for (Δx, Δs, Δα, Δβ) with αΔs + sΔα = -products.

    Δs = AΔx + (Ax - s - c) and Δα = -(products + αΔs) / s go into the first equation, which leaves
    [Q + AᵀDA  Eᵀ; E  0] (Δx, -Δβ) on the left, with D = diag(α / s).
    """
    slope = qp.Q @ x + qp.p - qp.A.T @ z - qp.E.T @ y
    slack, equality = qp.A @ x - s - qp.c, qp.E @ x - qp.d
    matrix = kkt_matrix(qp.Q + weighted_gram(z / s), qp.E)

    def newton(products):
        dx, dy = solve_kkt(matrix, -slope - qp.A.T @ ((products + z * slack) / s), -equality)
        ds = qp.A @ dx + slack
        return dx, ds, -(products + z * ds) / s, dy

    return newton


def kkt_matrix(H, R, delta=0.0):
    """[H + δI  Rᵀ; R  -δI]."""
    n, size = len(H), len(H) + len(R)
    matrix = np.zeros((size, size))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = H, R.T, R
    matrix.flat[: n * size : size + 1] += delta
    matrix.flat[n * size + n :: size + 1] -= delta
    return matrix


def solve_kkt(matrix, top, bottom):
    """Solve [H Eᵀ; E 0] (x, -y) = (top, bottom)."""
    right = np.concatenate([top, bottom])
    try:
        solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:  # singular to the last digit
        solution = np.linalg.lstsq(matrix, right)[0]
    return solution[: len(top)], -solution[len(top) :]


def _reach(s, ds, z, dz):
    """The largest t with s + t Δs >= 0 and z + t Δz >= 0."""
    fall = max(np.max(-ds / s), np.max(-dz / z))
    return 1.0 / fall if fall > 0 else np.inf


class WeightedGram:
    """AᵀDA for a diagonal D. Rows with a single entry (bounds on one variable) add to the diagonal only."""

    def __init__(self, A):
        self.single = np.count_nonzero(A, axis=1) == 1
        self.rows = A[~self.single]
        self.columns = np.abs(A[self.single]).argmax(axis=1)
        self.squares = A[self.single].sum(axis=1) ** 2

    def __call__(self, weights):
        """AᵀDA for the diagonal ``weights`` of D."""
        gram = (self.rows.T * weights[~self.single]) @ self.rows
        n = len(gram)
        gram.flat[:: n + 1] += np.bincount(self.columns, self.squares * weights[self.single], minlength=n)
        return gram
