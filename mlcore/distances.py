"""Distances between rows, between series, and between words (距离). Notes B (K近邻方法, 聚类), C 7.5.

The functions of two tables return the matrix of all pairs: entry (i, j) belongs to row i of X and row j of Z. Where Z
is left out, the rows of X are compared with each other. Differences are formed one by one, a block of rows at a time,
so that nearby points far from the origin keep their digits. ``nearest`` never holds that matrix: only a block of it.
"""

from functools import partial

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_array,
    check_choice,
    check_int,
    check_real,
    door,
    flag,
    shown,
    table,
    vector,
    whole,
)
from mlcore.core.nearest_neighbors import block_of_distances, first_in_each_row, k_smallest, whitened
from mlcore.numerics import finite

__all__ = [
    "P", "chebyshev", "check_metric", "edit_distance", "euclidean", "hamming", "mahalanobis", "manhattan", "METRICS",
    "minkowski", "nearest", "neighbors", "pearson_correlation", "root_of_covariance",
]

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "hamming", "mahalanobis")
MANY = 200
"""Among fewer samples the search compares all distances: beyond, the quick way is 3 to 40 times as fast."""
_BLOCK = 2**14  # numbers in one block of differences: 128 kilobytes, which stay in the cache
_SEARCH = 2**19  # numbers in one block of a search: 4 megabytes
_EPS = np.finfo(float).eps


def _check_p(name, p):
    if isinstance(p, float | np.floating) and np.isposinf(p):
        return np.inf
    try:
        return check_real(name, p, low=1)
    except ValueError:
        raise ValueError(f"{name} must be a number in [1, inf], got {shown(p)}") from None


P = anything(
    2, "number >= 1, or inf", "Below 1 the triangle inequality fails.", check=_check_p, bad=(0.5, np.nan, -np.inf, "2")
)
_X = table("Points as rows.", form="array-like of shape (n, d)")
_Z = anything(
    None, "array-like of shape (m, d), optional", "Other points; by default those of X.",
    check=lambda name, Z: None if Z is None else check_array(Z, name=name), bad=([1.0, 2.0], [["a"]], [[np.nan]]),
)


# ---------------------------------------------------------------------------------------------------------------
# Between the rows of two tables
# ---------------------------------------------------------------------------------------------------------------
@door(X=_X, Z=_Z, p=P)
def minkowski(X, Z=None, p=2):
    """Return d(x, z) = (Σ_j |x_j - z_j|^p)^(1/p), for p = ∞ the largest |x_j - z_j|.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        For different widths.
    """
    return _in_blocks(_minkowski_with(p), *_pair(X, Z))


def euclidean(X, Z=None):
    """Return ‖x - z‖₂ of all pairs of rows: ``minkowski`` with p = 2."""
    return minkowski(X, Z, 2)


def manhattan(X, Z=None):
    """Return Σ_j |x_j - z_j| of all pairs of rows: ``minkowski`` with p = 1."""
    return minkowski(X, Z, 1)


def chebyshev(X, Z=None):
    """Return max_j |x_j - z_j| of all pairs of rows: ``minkowski`` with p = ∞."""
    return minkowski(X, Z, np.inf)


@door(
    X=anything(REQUIRED, "array-like of shape (n, d)", "Numbers, or strings in an object array."),
    Z=anything(None, "array-like of shape (m, d), optional", "Other points; by default those of X."),
)
def hamming(X, Z=None):
    """Return the share of the columns in which two rows differ, for all pairs.

    Returns
    -------
    ndarray of shape (n, m), in [0, 1]

    Raises
    ------
    ValueError
        For bad tables, different widths, or NaN, which differs from itself.
    """
    X, Z = _pair(*(None if part is None else check_array(part, name=name, dtype=object)
                   for name, part in (("X", X), ("Z", Z))))  # fmt: skip
    for name, part in (("X", X), ("Z", Z)):
        if (unequal := part != part).any():
            place = tuple(np.argwhere(unequal)[0].tolist())
            raise ValueError(f"{name} holds NaN at {place}, which differs from itself: remove it or give it a name")
    return _in_blocks(_share_of_differences, X, Z)


@door(
    X=_X, Z=_Z,
    cov=anything(
        None, "array-like of shape (d, d), optional",
        "Σ, symmetric and positive definite; by default the covariance of X (divided by n - 1).",
    ),
)
def mahalanobis(X, Z=None, cov=None):
    """Return sqrt((x - z)ᵀ Σ⁻¹ (x - z)) of all pairs of rows: Euclidean distance in coordinates where Σ is round.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If Σ has the wrong shape, is not symmetric, or is singular up to rounding.
    """
    X, Z = _pair(X, Z)
    L, center = root_of_covariance(X, cov), X.mean(axis=0)
    return euclidean(whitened(X - center, L), whitened(Z - center, L))


def root_of_covariance(X, cov=None):
    """Return L, lower triangular, with L Lᵀ = Σ: the covariance of the rows of X, or the one that is given.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    cov : array-like of shape (d, d), optional

    Returns
    -------
    ndarray of shape (d, d)

    Raises
    ------
    ValueError
        If there is a single row and no ``cov``; if Σ has the wrong shape, is not symmetric, or is singular.
    """
    if cov is None and len(X) < 2:
        raise ValueError(f"one row has no covariance (n_samples = {len(X)}): give cov")
    return _cholesky(np.atleast_2d(np.cov(X.T)) if cov is None else check_array(cov, name="cov"), X.shape[1])


def _cholesky(cov, d):
    """Return L with L Lᵀ = Σ. The square of L_jj over Σ_jj is what the columns before j leave unexplained of it."""
    if cov.shape != (d, d):
        raise ValueError(f"cov must be a symmetric matrix of shape ({d}, {d}), got shape {cov.shape}")
    spread = np.sqrt(np.abs(cov.diagonal()))
    if (np.abs(cov - cov.T) > 1e-8 * np.outer(spread, spread)).any():
        raise ValueError(f"cov must be symmetric, but differs from its transpose by {np.abs(cov - cov.T).max():.3g}")
    try:
        factor = np.linalg.cholesky(cov)
        singular = (factor.diagonal() <= np.sqrt(16 * d * _EPS) * spread).any()
    except np.linalg.LinAlgError:
        singular = True
    if singular:
        raise ValueError(
            "cov is not positive definite: some direction has no spread to measure by. Leave out columns that others "
            "determine, or give a cov with something added to its diagonal"
        )
    return factor


@door(
    X=_X,
    Z=table("Among these.", form="array-like of shape (m, d)"),
    k=whole(REQUIRED, "At most m; m - 1 where ``itself``.", low=1),
    itself=flag(False, "X is Z, and no row is its own neighbour."),
)
def nearest(X, Z, k, *, itself=False):
    """Return the k rows of Z nearest to each row of X (Euclidean), the nearest first; equal distances: the first row.

    Returns
    -------
    int ndarray of shape (n, k)

    Raises
    ------
    ValueError
        For different widths, or ``itself`` with tables of different lengths.
    """
    X, Z = _pair(X, Z)
    if itself and len(X) != len(Z):
        raise ValueError(f"itself=True needs Z to be X, but X has {len(X)} rows and Z has {len(Z)}")
    if len(Z) == itself:
        raise ValueError("a single row has no neighbour but itself")
    return neighbors(X, Z, check_int("k", k, low=1, high=len(Z) - itself), itself=itself)[1]


def check_metric(metric, p=2):
    """Return the function of two checked tables that measures all pairs; None for Euclid's distance.

    Parameters
    ----------
    metric : one of METRICS, or callable
        A function of two tables, of shapes (n, d) and (m, d), that returns the distances of all pairs, shape (n, m).
        "mahalanobis" is Euclid's distance between tables that are ``whitened`` already.
    p : number >= 1, or inf
        For "minkowski".

    Raises
    ------
    ValueError
        For an unknown metric or p < 1.
    """
    p = _check_p("p", p)
    if callable(metric):
        return partial(_by_own_metric, metric=metric)
    check_choice("metric", metric, METRICS)
    if metric == "hamming":
        return _share_of_differences
    p = {"manhattan": 1, "chebyshev": np.inf, "minkowski": p}.get(metric, 2)
    return None if p == 2 else _minkowski_with(p)


def neighbors(X, Z, k, measure=None, itself=False):
    """Find the k rows of Z nearest to each row of X, without checks and without the matrix of all distances.

    Rows of X are taken a block at a time: about 2¹⁹ distances, 4 megabytes, and a few arrays smaller than that, beside
    copies of the tables. Where all distances are equal a block takes 40 megabytes; more is never held, however long the
    tables. (20,000 x 20,000 distances at once would be 3.2 gigabytes.)

    Parameters
    ----------
    X, Z : float ndarrays of shapes (n, d) and (m, d)
    k : int
        From 1 to m, to m - 1 where ``itself``.
    measure : callable, optional
        From ``check_metric``; None is Euclid's distance.
    itself : bool
        X is Z, and no row is its own neighbour.

    Returns
    -------
    distances, places : ndarrays of shape (n, k)
        The nearest first; of equal distances the first row.
    """
    found = [np.empty((len(X), k)), np.empty((len(X), k), dtype=int)]
    groups, rows_at_once = _groups(len(Z), k), min(max(1, _SEARCH // len(Z)), len(X))
    quick = groups > 0
    guide = _Guide(X, Z) if quick and measure is None else None
    measure, room = measure or _minkowski_with(2), np.empty((rows_at_once, len(Z)))
    for i in range(0, len(X), rows_at_once):
        block = slice(i, i + rows_at_once)
        D = room[: len(X) - i]
        if guide:
            guide.values(block, D)
        else:
            _in_blocks(measure, X[block], Z, out=D)
        if itself:
            D[np.arange(len(D)), np.arange(i, i + len(D))] = np.inf
        if quick:
            rows, columns = _few_that_may_be_nearest(D, k, groups, guide.doubt(block) if guide else None)
            values = guide.distances(block, rows, columns) if guide else D[rows, columns]
            places = first_in_each_row(rows, columns, values, len(D), k)
            found[0][block], found[1][block] = values[places], columns[places]
        else:
            found[1][block] = k_smallest(D, k)
            found[0][block] = np.take_along_axis(D, found[1][block], axis=1)
    return found


def _groups(m, k):
    """Into how many groups of columns the quick way divides m samples; 0: there are so few that it is none."""
    size = 8 if m < 2000 else 16
    return m // size if m >= MANY and m // size >= 4 * k else 0


class _Guide:
    """Squared distances less ‖x‖² by one product of matrices, -2 xᵀz + ‖z‖²: fast, and wrong by rounding.

    Both tables are moved by the mean of Z. Rounding changes the value by less than u (‖x‖² + ‖z‖²), u = 8 (d + 2) ε. A
    z at the squared distance D from x has ‖z‖² <= 2 ‖x‖² + 2 D, so no far row of Z puts the near ones in doubt.
    """

    def __init__(self, X, Z):
        self.X, self.Z = X, Z
        center, self.unit = Z.mean(axis=0), 8 * (Z.shape[1] + 2) * _EPS
        moved, self.moved = Z - center, X - center
        self.table = np.vstack([-2 * moved.T, np.einsum("ij,ij->i", moved, moved)])
        self.squares = np.einsum("ij,ij->i", self.moved, self.moved)

    def values(self, block, D):
        np.matmul(np.column_stack([self.moved[block], np.ones(len(D))]), self.table, out=D)

    def doubt(self, block):
        """How far above t, the k-th smallest value, one of the k nearest may be: D = t + ‖x‖², and both may be wrong.

        Twice u (3 ‖x‖² + 2 D), with something to spare.
        """
        squares = self.squares[block]
        return lambda t: self.unit * (8 * squares + 4 * np.maximum(t + squares, 0))

    def distances(self, block, rows, columns):
        """The distances themselves, of the few pairs that are left."""
        X, total = self.X[block], np.zeros(len(rows))
        for j in range(X.shape[1]):
            total += (X[rows, j] - self.Z[columns, j]) ** 2
        return np.sqrt(total)


def _few_that_may_be_nearest(D, k, groups, doubt):
    """Return rows and columns of few entries of D, among them the k smallest of each row.

    The columns fall into groups, q, q + G, q + 2G, ...: the k-th smallest of the groups' least entries is not below the
    k-th smallest of all. So only the groups that begin below it are opened.
    """
    n, m = D.shape
    whole, rest = D[:, : m - m % groups].reshape(n, -1, groups), D[:, m - m % groups :]
    least = whole.min(axis=1)
    np.minimum(least[:, : rest.shape[1]], rest, out=least[:, : rest.shape[1]])
    limit = np.partition(least, k - 1, axis=1)[:, k - 1]
    if doubt is not None:
        limit = limit + doubt(limit)
    rows, group = np.nonzero(least <= limit[:, np.newaxis])
    columns = group[:, np.newaxis] + groups * np.arange(whole.shape[1] + 1)
    hit = (D[rows[:, np.newaxis], np.minimum(columns, m - 1)] <= limit[rows, np.newaxis]) & (columns < m)
    opened, _ = np.nonzero(hit)
    return rows[opened], columns[hit]


def _by_own_metric(X, Z, metric):
    """Distances by a metric of the learner's own, with a look at what it returns."""
    D = np.asarray(metric(X, Z), dtype=float)
    if D.shape != (len(X), len(Z)):
        raise ValueError(
            f"metric must return the distances of all pairs, shape {(len(X), len(Z))}, but returned {D.shape}"
        )
    finite(D, "metric returned NaN or infinity: a distance is a finite number")
    if (D < 0).any():
        raise ValueError(f"metric returned {D.min():.3g}: a distance is not negative")
    return D


def _pair(X, Z):
    Z = X if Z is None else Z
    if X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns and Z has {Z.shape[1]}: they must be the same features")
    return X, Z


def _minkowski_with(p):
    """The Minkowski distance of this p between two tables; for p as 3 or 1.5 without powers that overflow."""
    return partial(block_of_distances if p in (1, 2, np.inf) else _by_largest_gap, p=p)


def _by_largest_gap(X, Z, p):
    """``block_of_distances`` with the largest gap of each pair as unit: no power overflows or underflows."""
    return _in_blocks(partial(_lengths, p=p), X, Z, Z.shape[1])


def _lengths(X, Z, p):
    D = np.abs(X[:, np.newaxis] - Z)
    unit = D.max(axis=2)
    D /= np.where(unit > 0, unit, 1.0)[:, :, np.newaxis]
    return unit * (D**p).sum(axis=2) ** (1 / p)


def _share_of_differences(X, Z):
    """The share of the columns in which two rows differ, feature by feature."""
    return sum(np.not_equal.outer(x, z).astype(float) for x, z in zip(X.T, Z.T, strict=True)) / X.shape[1]


def _in_blocks(measure, X, Z, width=1, out=None):
    """``measure(X, Z)`` for a block of rows of X at a time, of about ``_BLOCK`` numbers; ``width`` numbers a pair."""
    D = np.empty((len(X), len(Z))) if out is None else out
    n_rows = max(1, _BLOCK // (len(Z) * width))
    for i in range(0, len(X), n_rows):
        D[i : i + n_rows] = measure(X[i : i + n_rows], Z)
    return D


# ---------------------------------------------------------------------------------------------------------------
# Between two series, between two words
# ---------------------------------------------------------------------------------------------------------------
@door(x=vector("A series."), y=vector("Another one."))
def pearson_correlation(x, y):
    """Return Σ (x_i - x̄)(y_i - ȳ) / sqrt(Σ (x_i - x̄)² Σ (y_i - ȳ)²), the cosine of the centred series.

    Returns
    -------
    float in [-1, 1]

    Raises
    ------
    ValueError
        For series of different lengths, or a constant one: it goes up and down with nothing.
    """
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
