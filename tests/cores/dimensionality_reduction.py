"""Runs that call the core of chapter 25."""

import numpy as np

from mlcore.datasets import load_digits, load_iris
from mlcore.dimensionality_reduction import PCA, leading_axes, low_rank, matrix_norm, svd_from_eig, vector_norm

X = load_iris().data
A = np.array([[1.0, -2, 3], [4, 0, -6]])


def tall():
    """Learn, and there and back."""
    pca = PCA(whiten=True).fit(X)
    pca.inverse_transform(pca.transform(X))


RUNS = {
    **{part: tall for part in ("covariance", "most_variance", "pointing", "encode", "decode", "whitened")},
    "least_error": lambda: PCA().fit(load_digits().data),
    "power_step": lambda: leading_axes(X, 2),
    "deflated": lambda: leading_axes(X, 2),
    "svd_by_eigenvectors": lambda: svd_from_eig(A),
    "rank_k": lambda: low_rank(X, 2),
    "p_norm": lambda: vector_norm([3, 4]),
    "column_sum_norm": lambda: matrix_norm(A, 1),
    "row_sum_norm": lambda: matrix_norm(A, np.inf),
    "spectral_norm": lambda: matrix_norm(A, 2),
    "frobenius_norm": lambda: matrix_norm(A, "fro"),
    "nuclear_norm": lambda: matrix_norm(A, "nuc"),
}
