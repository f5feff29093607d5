"""Runs that call the core of chapter 25."""

import numpy as np

from mlcore.datasets import load_iris
from mlcore.dimensionality_reduction import PCA, leading_axes, low_rank, matrix_norm, svd_from_eig, vector_norm

X = load_iris().data
A = np.array([[1.0, -2, 3], [4, 0, -6]])


def tall():
    """Learn from many rows, and there and back."""
    pca = PCA(n_components=2, whiten=True).fit(X)
    pca.inverse_transform(pca.transform(X))


NAME = "dimensionality_reduction."
RUNS = {
    **{NAME + part: tall for part in ("covariance", "most_variance", "pointing", "encode", "decode", "whitened")},
    NAME + "least_error": lambda: PCA().fit(X[:8]),
    NAME + "power_step": lambda: leading_axes(X, 2, random_state=0),
    NAME + "deflated": lambda: leading_axes(X, 2, random_state=0),
    NAME + "svd_by_eigenvectors": lambda: svd_from_eig(A),
    NAME + "rank_k": lambda: low_rank(X, 2),
    NAME + "p_norm": lambda: vector_norm([3, 4]),
    NAME + "column_sum_norm": lambda: matrix_norm(A, 1),
    NAME + "row_sum_norm": lambda: matrix_norm(A, np.inf),
    NAME + "spectral_norm": lambda: matrix_norm(A, 2),
    NAME + "frobenius_norm": lambda: matrix_norm(A, "fro"),
    NAME + "nuclear_norm": lambda: matrix_norm(A, "nuc"),
}
