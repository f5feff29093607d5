"""What chapters count with: linear systems and special functions.
"""

import math

import numpy as np

BLOCK = 64
"""So many unknowns of a triangular system are eliminated at once."""


def weighted_gram(X, weights):
    """Return Xᵀ diag(weights) X, summed over blocks of rows that fit into the processor's cache."""
    n_samples, n_features = X.shape
    total, size = np.zeros((n_features, n_features)), 1 + 2**15 // n_features
    for start in range(0, n_samples, size):
        rows = X[start : start + size]
        total += (rows * weights[start : start + size, np.newaxis]).T @ rows
    return total


def unit_diagonal(H):
    """Return H in units in which its diagonal is 1, and the units; a row whose diagonal is 0 becomes 0."""
    scale = np.sqrt(np.maximum(H.diagonal(), 0.0))
    scale[scale == 0] = np.inf
    return H / scale / scale[:, np.newaxis], scale


def solve_regular(H, g):
    """Return H⁻¹g for a symmetric, positive definite H, to half of the digits or better.

    H is brought to units in which its diagonal is 1. A Cholesky factor then shows whether it is safely invertible.

    Parameters
    ----------
    H : ndarray of shape (d, d)
    g : ndarray of shape (d,) or (d, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If over half of the digits would be lost.
    """
    scaled, scale = unit_diagonal(H)
    if not np.linalg.cholesky(scaled).diagonal().min() > 1e-4:
        raise np.linalg.LinAlgError("singular to half of the digits")
    return (np.linalg.solve(scaled, (g.T / scale).T).T / scale).T


def solve(H, g):
    """Return H⁻¹g for a symmetric H without negative eigenvalues; where H is singular, the shortest solution.

    Where ``solve_regular`` gives up, eigenvalues below 1e-14 of the largest count as 0 (in units in which the diagonal
    of H is 1), and so does the part of g along their axes.

    Parameters
    ----------
    H : ndarray of shape (d, d)
    g : ndarray of shape (d,) or (d, k)
    """
    try:
        return solve_regular(H, g)
    except np.linalg.LinAlgError:
        scaled, scale = unit_diagonal(H)
    spread, axes = np.linalg.eigh(scaled)
    axes, spread = axes[:, spread > 1e-14 * spread[-1]], spread[spread > 1e-14 * spread[-1]]
    return ((axes @ ((axes.T @ (g.T / scale).T).T / spread).T).T / scale).T


class CholeskyFactor:
    """A symmetric positive definite matrix A = LLᵀ, ready to solve equations with.

    LLᵀx = y falls into Lz = y and Lᵀx = z. A triangular system is solved from its tip, some unknowns at a time: each
    block needs only those before it. That takes n² multiplications, little beside the n³/3 for finding L.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric; only its lower half is read.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is not positive definite.
    """

    def __init__(self, A):
        self.L = np.linalg.cholesky(A)

    def solve(self, Y):
        """Return A⁻¹Y for Y of shape (n,) or (n, k)."""
        L, X = self.L, np.array(Y, dtype=float)
        starts = range(0, len(L), BLOCK)
        for first in starts:
            rows = slice(first, first + BLOCK)
            X[rows] = np.linalg.solve(L[rows, rows], X[rows] - L[rows, :first] @ X[:first])
        for first in reversed(starts):
            rows, rest = slice(first, first + BLOCK), slice(first + BLOCK, None)
            X[rows] = np.linalg.solve(L[rows, rows].T, X[rows] - L[rest, rows].T @ X[rest])
        return X


_log_gamma = np.vectorize(math.lgamma, otypes=[float])


_erfc = np.vectorize(math.erfc, otypes=[float])


def stirling_error(a):
    """ln Γ(a) - [(a - ½) ln a - a + ½ ln 2π], what Stirling's formula leaves: 1/12a - 1/360a³ + ... for a >= 10.

    Where Γ stands in a quotient of large numbers, the large parts cancel on paper and only this is left to compute.
    """
    low, q = np.minimum(a, 10.0), np.maximum(a, 10.0) ** -2.0
    series = np.sqrt(q) * (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q / 522)))))
    exact = _log_gamma(low) - ((low - 0.5) * np.log(low) - low + 0.5 * math.log(2 * math.pi))
    return np.where(a >= 10, series, exact)[()]


def _log_near_one(ratio, gap):
    """ln(ratio), where gap = ratio - 1 is known with more digits than the subtraction leaves."""
    return np.where(ratio < 0.5, np.log(ratio), np.log1p(np.maximum(gap, -0.75)))


def beta_head(a, b, x, y):
    """xᵃ yᵇ Γ(a + b) / Γ(a) Γ(b), y = 1 - x; it is largest near x = a / (a + b), and measured from there."""
    n, gap = a + b, b * x - a * y
    exponent = a * _log_near_one(n * x / a, gap / a) + b * _log_near_one(n * y / b, -gap / b)
    of_n, of_a, of_b = stirling_error(np.array([n, a, b]))
    return np.sqrt(a * b / (2 * math.pi * n)) * np.exp(exponent + of_n - of_a - of_b)


def _beta_fraction(a, b, x, y):
    """1 / (1 + d₁/(1 + d₂/(1 + ...))), worked out from the inside; for x < (a + 1)/(a + b + 2) the depth suffices.

    d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)) and d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)). The second
    may be near -1, so 1 + d_2m+1 is written with y = 1 - x, and 1 + d/(1 + e) as (1 + d + e)/(1 + e).
    """
    if np.ndim(x) == 0:  # Python's own numbers are faster
        a, b, x, y = float(a), float(b), float(x), float(y)
    f, depth, gap = 1.0, int(40 + math.sqrt(np.max(np.maximum(a, b)))), a * y - b * x
    for m in range(depth, 0, -1):
        e = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / f
        rest = (a + m - 1) * (2 * m - 1 + gap + (m - 1) * y) + m * (m - 1)
        f = (e + rest / ((a + 2 * m - 2) * (a + 2 * m - 1))) / (1 + e)
    return 1 / f


@np.errstate(under="ignore", divide="ignore")  # the logarithm of 0 is -∞, and its power 0
def incomplete_beta(a, b, x, y=None):
    """I_x(a, b) = ∫₀ˣ tᵃ⁻¹ (1 - t)ᵇ⁻¹ dt / B(a, b) for a, b > 0 and 0 <= x <= 1, a number or an array.

    By its continued fraction (DLMF 8.17.22), which is short left of the bulk; right of it, by 1 - I_y(b, a).
    Give y = 1 - x where you have it with more digits.
    """
    a, b, x = (np.asarray(value, dtype=float) for value in (a, b, x))
    y = 1 - x if y is None else np.asarray(y, dtype=float)
    right = x > (a + 1) / (a + b + 2)
    a, b, x, y = (np.where(right, second, first)[()] for first, second in ((a, b), (b, a), (x, y), (y, x)))
    area = beta_head(a, b, x, y) * _beta_fraction(a, b, x, y) / a
    return np.where(right, 1 - area, area)[()]


def _gamma_fraction(s, x, depth):
    """1 / (x + 1 - s - 1(1 - s)/(x + 3 - s - 2(2 - s)/(x + 5 - s - ...))), worked out from the inside."""
    f = x + 2 * depth + 1 - s
    for m in range(depth, 0, -1):
        f = x + 2 * m - 1 - s - m * (m - s) / f
    return 1 / f


def _gamma_series(s, x, depth):
    """1/s + x/s(s + 1) + x²/s(s + 1)(s + 2) + ..., worked out from the inside."""
    f = 1.0
    for m in range(depth, 0, -1):
        f = 1 + x / (s + m) * f
    return f / s


@np.errstate(under="ignore", divide="ignore")
def incomplete_gamma(s, x):
    """Q(s, x) = ∫ₓ^∞ tˢ⁻¹ e⁻ᵗ dt / Γ(s) for s > 0 and x >= 0, a number or an array.

    Beyond s + 1 by its continued fraction (DLMF 8.9.2), before it as 1 - P(s, x) by the power series of P (DLMF 8.7.1).
    """
    s, x = np.asarray(s, dtype=float)[()], np.asarray(x, dtype=float)[()]
    depth, beyond = int(80 + 8 * math.sqrt(np.max(s))), x > s + 1
    gap = (x - s) / s
    exponent = s * (_log_near_one(x / s, gap) - gap) - stirling_error(s)
    head = np.sqrt(s / (2 * math.pi)) * np.exp(exponent)
    tail = head * _gamma_fraction(s, np.maximum(x, s + 1), depth)
    return np.where(beyond, tail, 1 - head * _gamma_series(s, np.minimum(x, s + 1), depth))[()]


def normal_tail(z):
    """P(Z > z) for a standard normal Z: ½ erfc(z / √2)."""
    return _erfc(np.asarray(z) / math.sqrt(2))[()] / 2
