"""Distances between rows, between series, and between words (距离). Notes B (K近邻方法, 聚类), C 7.5.

The functions of two tables return the matrix of all pairs: entry (i, j) belongs to row i of X and row j of Z. Where Z
is left out, the rows of X are compared with each other. Differences are formed one by one, a block of rows at a time,
so that nearby points far from the origin keep their digits.
"""

import numpy as np

from mlcore.base import check_array, check_flag, check_int, check_real

__all__ = [
    "chebyshev", "edit_distance", "euclidean", "hamming", "mahalanobis", "manhattan", "minkowski", "nearest",
    "pearson_correlation",
]

_BLOCK = 2**16  # numbers in one block of differences: half a megabyte, which stays in the cache


# ---------------------------------------------------------------------------------------------------------------
# Between the rows of two tables
# ---------------------------------------------------------------------------------------------------------------
def minkowski(X, Z=None, p=2):
    """Return d(x, z) = (Σ_j |x_j - z_j|^p)^(1/p), for p = ∞ the largest |x_j - z_j|.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    p : number >= 1, or inf
        Below 1 the triangle inequality fails.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        For bad tables, different widths, or p < 1.
    """
    X, Z = _pair(X, Z)
    if isinstance(p, float | np.floating) and np.isposinf(p):
        return _by_blocks(lambda D: np.abs(D).max(axis=2), X, Z)
    p = check_real("p", p, low=1)
    if p == 1:
        return _by_blocks(lambda D: np.abs(D).sum(axis=2), X, Z)
    return _euclidean(X, Z) if p == 2 else _by_blocks(lambda D: _lengths(D, p), X, Z)


def euclidean(X, Z=None):
    """Return ‖x - z‖₂ of all pairs of rows: ``minkowski`` with p = 2."""
    return minkowski(X, Z, 2)


def manhattan(X, Z=None):
    """Return Σ_j |x_j - z_j| of all pairs of rows: ``minkowski`` with p = 1."""
    return minkowski(X, Z, 1)


def chebyshev(X, Z=None):
    """Return max_j |x_j - z_j| of all pairs of rows: ``minkowski`` with p = ∞."""
    return minkowski(X, Z, np.inf)


def hamming(X, Z=None):
    """Return the share of the columns in which two rows differ, for all pairs.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Numbers, or strings in an object array.
    Z : array-like of shape (m, d), optional

    Returns
    -------
    ndarray of shape (n, m), in [0, 1]

    Raises
    ------
    ValueError
        For bad tables, different widths, or NaN, which differs from itself.
    """
    X, Z = _pair(X, Z, dtype=object)
    for name, table in (("X", X), ("Z", Z)):
        if (unequal := table != table).any():
            place = tuple(np.argwhere(unequal)[0].tolist())
            raise ValueError(f"{name} holds NaN at {place}, which differs from itself: remove it or give it a name")
    return np.array([(row != Z).mean(axis=1) for row in X], dtype=float)


def mahalanobis(X, Z=None, cov=None):
    """Return sqrt((x - z)ᵀ Σ⁻¹ (x - z)) of all pairs of rows: Euclidean distance in coordinates where Σ is round.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (m, d), optional
    cov : array-like of shape (d, d), optional
        Σ, symmetric and positive definite; by default the covariance of X (divided by n - 1).

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If Σ has the wrong shape, is not symmetric, or is singular up to rounding.
    """
    X, Z = _pair(X, Z)
    if cov is None and len(X) < 2:
        raise ValueError("one row has no covariance: give cov")
    factor = _cholesky(np.atleast_2d(np.cov(X.T)) if cov is None else check_array(cov, name="cov"), X.shape[1])
    return euclidean(np.linalg.solve(factor, X.T).T, np.linalg.solve(factor, Z.T).T)


def _cholesky(cov, d):
    """Return L with L Lᵀ = Σ. The square of L_jj over Σ_jj is what the columns before j leave unexplained of it."""
    if cov.shape != (d, d):
        raise ValueError(f"cov must be a symmetric matrix of shape ({d}, {d}), got shape {cov.shape}")
    spread = np.sqrt(np.abs(cov.diagonal()))
    if (np.abs(cov - cov.T) > 1e-8 * np.outer(spread, spread)).any():
        raise ValueError(f"cov must be symmetric, but differs from its transpose by {np.abs(cov - cov.T).max():.3g}")
    try:
        factor = np.linalg.cholesky(cov)
        singular = (factor.diagonal() <= np.sqrt(16 * d * np.finfo(float).eps) * spread).any()
    except np.linalg.LinAlgError:
        singular = True
    if singular:
        raise ValueError("cov is not positive definite: some direction has no spread to measure by")
    return factor


def nearest(X, Z, k, *, itself=False):
    """Return the k rows of Z nearest to each row of X (Euclidean), the nearest first; equal distances: the first row.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    Z : ndarray of shape (m, d)
    k : int
        From 1 to m; to m - 1 where ``itself``.
    itself : bool
        X is Z, and no row is its own neighbour.

    Returns
    -------
    int ndarray of shape (n, k)

    Raises
    ------
    ValueError, TypeError
        For bad tables or k, or ``itself`` with tables of different lengths.
    """
    D = euclidean(X, Z)
    if check_flag("itself", itself) and len(D) != D.shape[1]:
        raise ValueError(f"itself=True needs Z to be X, but X has {len(D)} rows and Z has {D.shape[1]}")
    if D.shape[1] == itself:
        raise ValueError("a single row has no neighbour but itself")
    k = check_int("k", k, low=1, high=D.shape[1] - itself)
    if itself:
        np.fill_diagonal(D, np.inf)
    places = np.sort(D.argpartition(k - 1, axis=1)[:, :k], axis=1)
    near = np.take_along_axis(D, places, axis=1)
    # where more rows than k are as near as the farthest of them, the partition may have taken any
    tied = np.flatnonzero(np.count_nonzero(D <= near.max(axis=1, keepdims=True), axis=1) > k)
    places = np.take_along_axis(places, near.argsort(axis=1, kind="stable"), axis=1)
    places[tied] = D[tied].argsort(axis=1, kind="stable")[:, :k]
    return places


def _pair(X, Z, dtype=float):
    X = check_array(X, dtype=dtype)
    Z = X if Z is None else check_array(Z, name="Z", dtype=dtype)
    if X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns and Z has {Z.shape[1]}: they must be the same features")
    return X, Z


def _euclidean(X, Z):
    """Euclidean distances, feature by feature, a block of rows at a time."""
    squares, columns = np.zeros((len(X), len(Z))), np.ascontiguousarray(Z.T)
    n_rows = max(1, _BLOCK // len(Z))
    for i in range(0, len(X), n_rows):
        for x, z in zip(X[i : i + n_rows].T, columns, strict=True):
            difference = np.subtract.outer(x, z)
            difference *= difference
            squares[i : i + n_rows] += difference
    return np.sqrt(squares)


def _lengths(D, p):
    """The p-norm along the last axis, with the largest entry as unit: its power neither overflows nor underflows."""
    D = np.abs(D)
    unit = D.max(axis=2)
    D /= np.where(unit > 0, unit, 1.0)[:, :, np.newaxis]
    return unit * (D**p).sum(axis=2) ** (1 / p)


def _by_blocks(measure, X, Z):
    """Apply ``measure`` to the differences of all pairs, of shape (rows, m, d), for a block of rows at a time."""
    n_rows = max(1, _BLOCK // Z.size)
    return np.concatenate([measure(X[i : i + n_rows, np.newaxis] - Z) for i in range(0, len(X), n_rows)])


# ---------------------------------------------------------------------------------------------------------------
# Between two series, between two words
# ---------------------------------------------------------------------------------------------------------------
def pearson_correlation(x, y):
    """Return Σ (x_i - x̄)(y_i - ȳ) / sqrt(Σ (x_i - x̄)² Σ (y_i - ȳ)²), the cosine of the centred series.

    Parameters
    ----------
    x, y : array-likes of shape (n,)

    Returns
    -------
    float in [-1, 1]

    Raises
    ------
    ValueError
        For series of different lengths, or a constant one: it goes up and down with nothing.
    """
    x, y = (check_array(np.reshape(series, (-1, 1)), name=name)[:, 0] for name, series in (("x", x), ("y", y)))
    if len(x) != len(y):
        raise ValueError(f"x has {len(x)} entries and y has {len(y)}")
    units = []
    for name, series in (("x", x), ("y", y)):
        centred = series - series.mean()
        if np.abs(centred).max() <= 4 * np.finfo(float).eps * np.abs(series).max():
            raise ValueError(f"{name} is constant: its correlation with anything is 0/0")
        units.append(centred / np.linalg.norm(centred))
    return float(np.clip(units[0] @ units[1], -1.0, 1.0))


def edit_distance(a, b):
    """Return the least number of insertions, deletions and replacements that turn a into b (Levenshtein).

    D(i, j) = min(D(i-1, j) + 1, D(i, j-1) + 1, D(i-1, j-1) + [a_i ≠ b_j]), row by row.

    Parameters
    ----------
    a, b : str, or sequences of things that can be compared

    Returns
    -------
    int
    """
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        current = [i]
        for j, right in enumerate(b, start=1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (left != right)))
        previous = current
    return previous[-1]
