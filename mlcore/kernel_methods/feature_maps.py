"""The features behind two kernels, written out: φ(x) with φ(x)ᵀφ(z) = κ(x, z)."""

import itertools
import math

import numpy as np

from mlcore.base import REQUIRED, anything, check_array, door, real, table, whole
from mlcore.core.kernel_methods import gaussian_features, polynomial_features
from mlcore.kernels import OPTIONAL_GAMMA, resolve_gamma
from mlcore.numerics import finite

__all__ = ["polynomial_features_map", "rbf_features_map"]

MOST_ENTRIES = 50_000_000
"""The largest table of features that is made (400 MB)."""


@door(
    X=table("The points x.", form="array-like of shape (n, d)"), degree=whole(3, "Q.", low=1), gamma=OPTIONAL_GAMMA,
    coef0=real(1.0, "c; for c < 0 some coefficients would be roots of negative numbers.", low=0),
)
def polynomial_features_map(X, degree=3, gamma=None, coef0=1.0):
    """Return φ(x) with φ(x)ᵀφ(z) = (γ xᵀz + c)^degree, one column for each different product of features.

    There are C(d + Q, Q) of them; for c = 0 only the C(d + Q - 1, Q) with |a| = Q are left. Notes A (197) and (199)
    list x₁x₂ and x₂x₁ as two columns; one column times √2 has the same inner product. Notes A 7.6; Notes C 2.2.

    Returns
    -------
    ndarray of shape (n, number of products)
        In order of |a|; within it x₁ before x₂.

    Raises
    ------
    ValueError
        For a table of over 50 million entries, or if a power overflows.
    """
    powers = _exponents(X, range(0 if coef0 > 0 else degree, degree + 1))
    with np.errstate(over="ignore", invalid="ignore"):
        features = polynomial_features(X, powers, resolve_gamma(gamma, X), coef0, degree)
    return finite(features, "a feature overflows: scale the features, or take a smaller degree, gamma or coef0")


def _column_or_table(name, x):
    return check_array(np.reshape(x, (-1, 1)) if np.ndim(x) == 1 else x, name=name)


@door(
    x=anything(REQUIRED, "array-like of shape (n,) or (n, d)", "The points.", check=_column_or_table,
               bad=(None, ["a"])),
    n_terms=whole(REQUIRED, "How many terms of the series of exp(2γ xᵀz) are kept.", low=1, high=1000),
    gamma=OPTIONAL_GAMMA,
)
def rbf_features_map(x, n_terms, gamma=None):
    """Return the first features of the Gaussian kernel: φ(x)ᵀφ(z) → exp(-γ ‖x - z‖²) as ``n_terms`` grows.

    In d dimensions the kernel is a product over the features, and φ_a(x) = Π_j φ_{a_j}(x_j) for all a with
    |a| < n_terms. No finite number of terms gives the kernel: its matrix has full rank for any number of different
    points. Notes C (18), which lacks the powers of x.

    Returns
    -------
    ndarray of shape (n, C(d + n_terms - 1, d))
        For d = 1 that is (n, n_terms).

    Raises
    ------
    ValueError
        For a table of over 50 million entries.
    """
    powers, gamma = _exponents(x, range(n_terms)), resolve_gamma(gamma, x)
    with np.errstate(under="ignore"):
        return math.prod(gaussian_features(column, n_terms, gamma)[:, a] for column, a in zip(x.T, powers.T))


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
