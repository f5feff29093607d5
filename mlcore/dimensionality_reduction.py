"""Principal component analysis, the singular value decomposition, and norms."""

import numpy as np

from mlcore.base import (
    REQUIRED,
    ConvergenceWarning,
    Transformer,
    anything,
    check_array,
    check_fit_X,
    check_int,
    check_is_fitted,
    check_real,
    check_X,
    door,
    flag,
    numbers,
    real,
    seed,
    shown,
    table,
    warn_caller,
    whole,
)
from mlcore.core.dimensionality_reduction import (
    column_sum_norm,
    covariance,
    decode,
    deflated,
    encode,
    frobenius_norm,
    least_error,
    most_variance,
    nuclear_norm,
    p_norm,
    pointing,
    power_step,
    rank_k,
    row_sum_norm,
    spectral_norm,
    svd_by_eigenvectors,
    whitened,
)
from mlcore.distances import P

__all__ = ["PCA", "leading_axes", "low_rank", "matrix_norm", "svd_from_eig", "truncated_svd", "vector_norm"]

_EPS = np.finfo(float).eps
_LEAST_VARIANCE = 1e-300  # numbers below 2e-308 lose their digits, and the smaller variances are below the largest


def _check_components(name, value):
    if value is None:
        return None
    if isinstance(value, float | np.floating):
        return check_real(name, value, low=0, high=1, low_open=True, high_open=True)
    return check_int(name, value, low=1)


class PCA(Transformer):
    """Principal component analysis (主成分分析): the k directions in which the data spread most.

    x̃ = x̄ + Σ_{j <= k} t_j u_j,        t_j = u_jᵀ(x - x̄),        S u_j = λ_j u_j

    The u_j are eigenvectors of the covariance S with the largest eigenvalues λ_j. Of all k-dimensional planes, theirs
    keeps most variance, and the rows rebuilt from it have the least mean squared error: the sum of the other λ.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        u₁, u₂, ... as rows of length 1; the entry of largest size is positive in each. Where eigenvalues are equal, the
        axes may be any orthogonal ones of the same plane.
    explained_variance_ : ndarray of shape (n_components_,)
        The variance along each axis with the divisor n - 1: n / (n - 1) times the λ of notes B, which divide by n.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Its share of the total variance.
    singular_values_ : ndarray of shape (n_components_,)
        σ_j of the centred data.
    mean_ : ndarray of shape (n_features,)
        x̄.
    n_components_ : int

    References
    ----------
    Notes B (主成分分析). Pearson (1901), "On lines and planes of closest fit to systems of points in space"; Hotelling
    (1933), "Analysis of a complex of statistical variables into principal components".
    """

    n_components: object = anything(
        None, "int or float, optional",
        "How many axes to keep, from 1 to min(n_samples, n_features); None keeps all of these. A float between 0 and\n"
        "1 keeps the fewest axes whose share of the variance is larger than that.",
        check=_check_components, bad=(0, -1, 1.0, 0.0, np.nan, "two", True),
    )
    whiten: bool = flag(False, "Divide each coordinate by its standard deviation (白化).")

    def fit(self, X, y=None):
        """Find the axes; return self.

        Raises
        ------
        ValueError
            For bad parameters or data; if n_components exceeds min(n_samples, n_features), all rows are equal, or an
            axis to be whitened has no variance.
        """
        p = self.checked()
        X = check_fit_X(self, X, min_samples=2)
        n, d = X.shape
        self.mean_ = np.ones(n) @ X / n  # an eighth of the time of X.mean(axis=0)
        axes, variances = _principal_axes(X - self.mean_)
        if np.array_equal(X[0], X[-1]) and np.all(X == X[0]):
            raise ValueError(f"all {n} rows of X are equal: no direction has any variance")
        if not variances[0] > _LEAST_VARIANCE:
            raise ValueError(
                f"the rows of X differ by so little that the squares of the differences are lost (the largest variance "
                f"is {variances[0]:.3g}); rescale X"
            )
        shares = variances / variances.sum()
        k = _count(p.n_components, shares, n, d)
        if p.whiten:
            _check_variation(variances[:k], n, d)
        self.n_components_ = self._n_features_out = k
        self.components_ = np.ascontiguousarray(pointing(axes[:, :k]).T)
        self.explained_variance_ = variances[:k] * (n / (n - 1))
        self.explained_variance_ratio_ = shares[:k]
        self.singular_values_ = np.sqrt(n * variances[:k])
        return self

    def transform(self, X):
        """Return the coordinates of each row on the axes, shape (n_samples, n_components_)."""
        T = encode(check_X(self, X), self.mean_, self.components_.T)
        return whitened(T, self.explained_variance_) if self.whiten else T

    def inverse_transform(self, T):
        """Return the rows that belong to these coordinates: the nearest that the kept axes can make.

        Parameters
        ----------
        T : array-like of shape (n_samples, n_components_)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        T = check_array(T, name="T")
        if T.shape[1] != self.n_components_:
            raise ValueError(f"T has {T.shape[1]} coordinates a row, but {self.n_components_} axes were kept")
        if self.whiten:
            T = T * np.sqrt(self.explained_variance_)
        return decode(T, self.mean_, self.components_.T)


def _count(wanted, shares, n, d):
    """Return how many axes are wanted."""
    if wanted is None:
        return len(shares)
    if isinstance(wanted, float):
        return min(int(np.searchsorted(np.cumsum(shares), wanted, side="right")) + 1, len(shares))
    if wanted > len(shares):
        raise ValueError(
            f"n_components={wanted} is more than min(n_samples, n_features)={len(shares)} "
            f"for X of shape ({n}, {d}): choose at most that many"
        )
    return wanted


def _principal_axes(Z):
    """Return the axes and variances: by the covariance where that is fast and loses no digits, else by the SVD."""
    n, d = Z.shape
    if n >= 10 * d:
        axes, variances = most_variance(covariance(Z))
        if variances[-1] > 1e-10 * variances[0]:  # forming S squares the condition
            return axes, variances
    return least_error(Z)


def _check_variation(variances, n, d):
    """Refuse to divide by the deviation along an axis along which nothing varies."""
    real = np.count_nonzero(np.sqrt(variances) > max(n, d) * _EPS * np.sqrt(variances[0]))
    if real < len(variances):
        raise ValueError(
            f"whiten=True divides by the deviation along each axis, but the {n} rows of X vary along {real} axes only: "
            f"choose n_components <= {real}, or whiten=False"
        )


@door(
    X=table("At least two rows."),
    k=whole(1, "How many axes.", low=1),
    tol=real(1e-10, "An axis is found when a step moves it by no more than this.", low=0, low_open=True),
    max_iter=whole(10_000, "The most steps for each axis.", low=1),
    random_state=seed("Draws the directions to start from."),
)
def leading_axes(X, k=1, *, tol=1e-10, max_iter=10_000, random_state=None):
    """Return the first k principal axes, one after the other, by power iteration (幂迭代) and deflation (收缩法).

    Returns
    -------
    axes : ndarray of shape (k, n_features)
        As rows, the entry of largest size positive.
    variances : ndarray of shape (k,)
        λ, with the divisor n.

    Raises
    ------
    ValueError
        If the rows vary along fewer than k axes.
    """
    check_array(X, min_samples=2)
    Z = X - X.mean(axis=0)
    scale = _scale(Z)
    Z /= scale
    S = covariance(Z)
    total, axes = np.trace(S), []
    for j in range(k):
        if not np.trace(S) > 1e-12 * total:
            raise ValueError(f"k={k} axes are wanted, but the rows of X vary along {j} only")
        axes.append(_one_axis(S, random_state.normal(size=len(S)), tol, max_iter))
        S = deflated(S, axes[-1])
    axes = pointing(np.array(axes).T)
    return axes.T, scale**2 * np.mean((Z @ axes) ** 2, axis=0)


def _one_axis(S, u, tol, max_iter):
    u = power_step(S, u)
    for _ in range(max_iter):
        before, u = u, power_step(S, u)
        if np.linalg.norm(u - before) <= tol:
            return u
    warn_caller(
        f"after {max_iter} steps an axis still moves by more than tol={tol:g}: two variances are nearly equal; "
        "raise max_iter or tol", ConvergenceWarning,
    )
    return u


# ---------------------------------------------------------------------------------------------------------------
# Singular values
# ---------------------------------------------------------------------------------------------------------------
_A = table("Of any rank.", form="array-like of shape (m, n)")
_K = whole(REQUIRED, "From 1 to min(m, n).", low=1)


@door(A=_A)
def svd_from_eig(A):
    """Return U, s, Vᵀ with A = U diag(s) Vᵀ (奇异值分解), from the eigenvectors of AᵀA (or AAᵀ, if that is smaller).

    What ``numpy.linalg.svd(A, full_matrices=False)`` returns, up to signs, and to rotations where singular values are
    equal. It is here to be read: AᵀA squares the condition, so singular values below about 1e-8 of the largest mix with
    each other. Use ``truncated_svd`` for work.

    Where a singular value is 0, U is completed to orthonormal columns.

    Returns
    -------
    U : ndarray of shape (m, min(m, n)), with orthonormal columns
    s : ndarray of shape (min(m, n),), largest first
    Vt : ndarray of shape (min(m, n), n), with orthonormal rows

    References
    ----------
    Notes A (313)-(316), whose U has only the columns with σ > 0.
    """
    scale = _scale(A)
    if len(A) >= A.shape[1]:
        U, sigma, Vt = svd_by_eigenvectors(A / scale)
    else:
        V, sigma, Ut = svd_by_eigenvectors(A.T / scale)
        U, Vt = Ut.T, V.T
    return U, scale * sigma, Vt


@door(A=_A, k=_K)
def truncated_svd(A, k):
    """Return the k largest singular values with their vectors (部分奇异值分解): A ≈ U diag(s) Vᵀ.

    No matrix of rank k is nearer to A, in the Frobenius or the spectral norm. It is the only nearest one in the
    Frobenius norm if σ_k > σ_{k+1}.

    Returns
    -------
    U, s, Vt : ndarrays of shape (m, k), (k,) and (k, n)

    References
    ----------
    Notes A (317). Eckart and Young (1936), "The approximation of one matrix by another of lower rank".
    """
    k = check_int("k", k, low=1, high=min(A.shape))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return U[:, :k], s[:k], Vt[:k]


@door(A=_A, k=_K)
def low_rank(A, k):
    """Return the matrix of rank k (or less) that is nearest to A, its truncated SVD multiplied out.

    Returns
    -------
    ndarray of shape (m, n)

    References
    ----------
    Notes A (317).
    """
    return rank_k(*truncated_svd(A, k), k)


# ---------------------------------------------------------------------------------------------------------------
# Norms
# ---------------------------------------------------------------------------------------------------------------
@door(x=numbers("A vector.", form="array-like of shape (n,)"), p=P)
def vector_norm(x, p=2):
    """Return ‖x‖_p = (Σ_i |x_i|^p)^(1/p) (范数), for p = ∞ the largest |x_i|.

    Returns
    -------
    float

    References
    ----------
    Notes A 11.2.1.
    """
    if x.ndim != 1 or len(x) == 0:
        raise ValueError(f"x must be a vector of shape (n,), got the shape {x.shape}; for matrices see matrix_norm")
    scale = _scale(x)
    return float(scale * p_norm(x / scale, p))


MATRIX_NORMS = {
    1: column_sum_norm, 2: spectral_norm, np.inf: row_sum_norm, "fro": frobenius_norm, "nuc": nuclear_norm,
}


def _check_norm(name, p):
    if isinstance(p, bool) or not np.isscalar(p) or p not in MATRIX_NORMS:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, MATRIX_NORMS))}, got {shown(p)}")
    return p


@door(
    A=_A,
    p=anything(
        2, '{1, 2, inf, "fro", "nuc"}',
        "1: largest column sum; inf: largest row sum; 2: largest singular value (谱范数); these three are the most\n"
        'that A lengthens a vector, measured in the p-norm. "fro": the length of all entries (Frobenius); "nuc": the\n'
        "sum of the singular values (核范数).",
        check=_check_norm, bad=(3, "inf", None, np.nan, True, [1], -2),
    ),
)
def matrix_norm(A, p=2):
    """Return a norm of a matrix (矩阵范数).

    Returns
    -------
    float

    References
    ----------
    Notes A 11.2.2.
    """
    scale = _scale(A)
    return float(scale * MATRIX_NORMS[p](A / scale))


def _scale(A):
    """The largest size of an entry, to divide by: then no square is lost; 1 for zero."""
    return np.abs(A).max() or 1.0
