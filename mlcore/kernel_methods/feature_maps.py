"""The features behind two kernels, written out: φ(x) with φ(x)ᵀφ(z) = κ(x, z)."""

import itertools
import math

import numpy as np

from mlcore.base import check_array, check_int, check_real
from mlcore.core.kernel_methods import gaussian_features, polynomial_features, products
from mlcore.kernels import resolve_gamma
from mlcore.numerics import finite

__all__ = ["gaussian_features", "polynomial_features", "polynomial_features_map", "products", "rbf_features_map"]

MOST_ENTRIES = 50_000_000
"""The largest table of features that is made (400 MB)."""


# X has shape (n, d), x is one of its columns. Row a of ``powers``, of shape (m, d), stands for the product
# x₁^a₁ ⋯ x_d^a_d, and |a| = a₁ + ... + a_d for its number of factors.
def polynomial_features_map(X, degree=3, gamma=None, coef0=1.0):
    """Return φ(x) with φ(x)ᵀφ(z) = (γ xᵀz + c)^degree, one column for each different product of features.

    There are C(d + Q, Q) of them; for c = 0 only the C(d + Q - 1, Q) with |a| = Q are left. Notes A (197) and (199)
    list x₁x₂ and x₂x₁ as two columns; one column times √2 has the same inner product.

    Parameters
    ----------
    X : array-like of shape (n, d)
    degree : int >= 1
        Q.
    gamma : float > 0, optional
        By default 1 / d.
    coef0 : float >= 0
        c; for c < 0 some coefficients would be roots of negative numbers.

    Returns
    -------
    ndarray of shape (n, number of products)
        In order of |a|; within it x₁ before x₂.

    Raises
    ------
    ValueError
        For bad parameters or data, a table of over 50 million entries, or if a power overflows.

    References
    ----------
    Notes A 7.6; Notes C 2.2.
    """
    X, Q = check_array(X), check_int("degree", degree, low=1)
    gamma, c = resolve_gamma(gamma, X), check_real("coef0", coef0, low=0)
    powers = _exponents(X, range(0 if c > 0 else Q, Q + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        features = polynomial_features(X, powers, gamma, c, Q)
    return finite(features, "a feature overflows: scale the features, or take a smaller degree, gamma or coef0")


def rbf_features_map(x, n_terms, gamma=None):
    """Return the first features of the Gaussian kernel: φ(x)ᵀφ(z) → exp(-γ ‖x - z‖²) as ``n_terms`` grows.

    In d dimensions the kernel is a product over the features, and φ_a(x) = Π_j φ_{a_j}(x_j) for all a with
    |a| < n_terms. No finite number of terms gives the kernel: its matrix has full rank for any number of different
    points.

    Parameters
    ----------
    x : array-like of shape (n,) or (n, d)
    n_terms : int from 1 to 1000
        How many terms of the series of exp(2γ xᵀz) are kept.
    gamma : float > 0, optional
        By default 1 / d.

    Returns
    -------
    ndarray of shape (n, C(d + n_terms - 1, d))
        For d = 1 that is (n, n_terms).

    Raises
    ------
    ValueError
        For bad parameters or data, or a table of over 50 million entries.

    References
    ----------
    Notes C (18), which lacks the powers of x.
    """
    X = check_array(np.reshape(x, (-1, 1)) if np.ndim(x) == 1 else x, name="x")
    n_terms, gamma = check_int("n_terms", n_terms, low=1, high=1000), resolve_gamma(gamma, X)
    powers = _exponents(X, range(n_terms))
    with np.errstate(under="ignore"):
        return math.prod(gaussian_features(x, n_terms, gamma)[:, a] for x, a in zip(X.T, powers.T, strict=True))


def _exponents(X, totals):
    """All exponents a with |a| in ``totals``, shape (number of products, d)."""
    n, d = X.shape
    # Σ_{t<=Q} C(d+t-1, t) = C(d+Q, Q)
    count = math.comb(d + totals.stop - 1, d) - (math.comb(d + totals.start - 1, d) if totals.start else 0)
    if count * max(n, d) > MOST_ENTRIES:
        raise ValueError(
            f"the map has {count:,} features, which for {n} rows is too large a table (over {MOST_ENTRIES:,} "
            "entries): take a smaller degree or fewer terms, or use the kernel, which needs no features"
        )
    chosen = (itertools.combinations_with_replacement(range(d), total) for total in totals)
    return np.array([np.bincount(np.array(a, dtype=int), minlength=d) for a in itertools.chain.from_iterable(chosen)])
