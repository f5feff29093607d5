"""The features behind two kernels, written out: φ(x) with φ(x)ᵀφ(z) = κ(x, z)."""

import itertools
import math

import numpy as np

from mlcore.base import check_array, check_int, check_real
from mlcore.kernels import resolve_gamma

__all__ = ["polynomial_features_map", "rbf_features_map"]

MOST_ENTRIES = 50_000_000
"""The largest table of features that is made (400 MB)."""


def polynomial_features_map(X, degree=3, gamma=None, coef0=1.0):
    """Return φ(x) with φ(x)ᵀφ(z) = (γ xᵀz + c)^degree, one column for each different product of features.

    By the multinomial theorem the product x₁^a₁ ⋯ x_d^a_d, with |a| = a₁ + ... + a_d <= Q, has the coefficient

        φ_a(x) = √( Q! / ((Q - |a|)! a₁! ⋯ a_d!) · c^(Q - |a|) γ^|a| ) · x₁^a₁ ⋯ x_d^a_d

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
    X, degree = check_array(X), check_int("degree", degree, low=1)
    gamma, coef0 = resolve_gamma(gamma, X), check_real("coef0", coef0, low=0)
    powers = _exponents(len(X), X.shape[1], range(0 if coef0 > 0 else degree, degree + 1))
    totals, log_factorial = powers.sum(axis=1), _log_factorials(degree)
    log_ways = log_factorial[degree] - log_factorial[degree - totals] - log_factorial[powers].sum(axis=1)
    with np.errstate(over="ignore"):
        squared = np.round(np.exp(log_ways)) * coef0 ** (degree - totals) * gamma**totals
    return _products(X, powers) * _finite(np.sqrt(squared))


def rbf_features_map(x, n_terms, gamma=None):
    """Return the first features of the Gaussian kernel: φ(x)ᵀφ(z) → exp(-γ ‖x - z‖²) as ``n_terms`` grows.

    In one dimension exp(-γ(x - z)²) = exp(-γx²) exp(2γxz) exp(-γz²), and the series of the middle factor gives

        φ_k(x) = exp(-γx²) √((2γ)^k / k!) x^k,   k = 0, 1, 2, ...

    In d dimensions the kernel is a product over the features, and φ_a(x) = Π_j φ_{a_j}(x_j) for all a with
    |a| < n_terms. No finite number of terms gives the kernel: its matrix has full rank for any number of different
    points.

    Parameters
    ----------
    x : array-like of shape (n,) or (n, d)
    n_terms : int >= 1
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
    n_terms, gamma = check_int("n_terms", n_terms, low=1), resolve_gamma(gamma, X)
    powers = _exponents(len(X), X.shape[1], range(n_terms))
    k = np.arange(n_terms)
    with np.errstate(divide="ignore", over="ignore"):
        length = np.log(np.abs(X))[:, :, np.newaxis] + (math.log(2) + math.log(gamma)) / 2  # ln |x| √(2γ)
        log_size = np.where(k == 0, 0.0, np.where(k == 0, 1, k) * length) - _log_factorials(n_terms - 1) / 2
        sizes = np.exp(log_size - (gamma * X**2)[:, :, np.newaxis])
    single = sizes * np.where(k % 2, np.sign(X)[:, :, np.newaxis], 1.0)  # φ_k(x_j), shape (n, d, n_terms)
    columns = (single[:, j, powers[:, j]] for j in range(X.shape[1]))
    return _finite(math.prod(columns, start=np.ones((len(X), len(powers)))))


def _exponents(n_rows, n_features, totals):
    """All exponents a with |a| in ``totals``, shape (number of products, d)."""
    # Σ_{t<=Q} C(d+t-1, t) = C(d+Q, Q)
    count = math.comb(n_features + totals.stop - 1, n_features)
    count -= math.comb(n_features + totals.start - 1, n_features) if totals.start else 0
    if count * max(n_rows, n_features) > MOST_ENTRIES:
        raise ValueError(
            f"the map has {count:,} features, which for {n_rows} rows is too large a table (over {MOST_ENTRIES:,} "
            "entries): take a smaller degree or fewer terms, or use the kernel, which needs no features"
        )
    chosen = itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(n_features), total) for total in totals
    )
    return np.array([np.bincount(features, minlength=n_features) for features in map(_indices, chosen)])


def _indices(features):
    return np.array(features, dtype=int)


def _log_factorials(most):
    """ln k! for k = 0, ..., most."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def _products(X, powers):
    """x₁^a₁ ⋯ x_d^a_d for each row of X and each row a of ``powers``."""
    with np.errstate(over="ignore"):
        columns = (X[:, j, np.newaxis] ** powers[:, j] for j in range(X.shape[1]))
        return _finite(math.prod(columns, start=np.ones((len(X), len(powers)))))


def _finite(values):
    if not np.isfinite(values).all():
        raise ValueError("a feature overflows: scale the features, or take a smaller degree, gamma or coef0")
    return values
