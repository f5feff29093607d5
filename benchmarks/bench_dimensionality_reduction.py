"""PCA against scikit-learn's, and singular values against SciPy's."""

import numpy as np
import scipy.linalg
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import TruncatedSVD

from benchmarks.core import Face, Row
from mlcore.dimensionality_reduction import (
    PCA,
    covariance,
    most_variance,
    pointing,
    svd_from_eig,
    truncated_svd,
)


def cloud(n, d=10):
    """A stretched Gaussian cloud of n rows."""
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3,)


def wide(d):
    """A hundred rows, with more features than rows."""
    return cloud(100, d)


def tall(m):
    """A matrix of m rows and 20 columns."""
    return cloud(m, 20)


def square(n):
    """A square matrix."""
    return cloud(n, n)


def same_axes(ours, theirs, X):
    """The same axes with the same signs, and the same variances."""
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-7, atol=1e-12)
    assert_allclose(ours.components_[:5], theirs.components_[:5], atol=1e-6)


def same_product(ours, theirs, A):
    """The same singular values, and the same product."""
    (U, s, Vt), (P, t, Qt) = ours, theirs
    assert_allclose(s, t[: len(s)], rtol=1e-6)
    assert_allclose(U * s @ Vt, P[:, : len(s)] * t[: len(s)] @ Qt[: len(s)], atol=1e-8 * t[0])


def fitted(n):
    """Data, and a model of either library that was fitted to it."""
    [X] = cloud(n)
    return X, PCA(n_components=5, whiten=True).fit(X), SklearnPCA(5, whiten=True).fit(X)


ROWS = [
    Row(
        "PCA, 10 features", (1_000, 10_000, 100_000), cloud,
        ours=lambda X: PCA().fit(X), theirs=lambda X: SklearnPCA().fit(X), same=same_axes,
    ),
    Row(
        "PCA, 50 features, two axes", (1_000, 5_000, 25_000), lambda n: cloud(n, 50),
        ours=lambda X: PCA(n_components=2).fit(X), theirs=lambda X: SklearnPCA(2).fit(X), same=same_axes,
    ),
    Row(
        "PCA, n < d (size: features)", (125, 250, 500), wide,
        ours=lambda X: PCA(n_components=99).fit(X), theirs=lambda X: SklearnPCA(99).fit(X), same=same_axes,
    ),
    Row(
        "PCA, whiten and rebuild", (1_000, 10_000, 100_000), fitted,
        ours=lambda X, ours, theirs: ours.inverse_transform(ours.transform(X)),
        theirs=lambda X, ours, theirs: theirs.inverse_transform(theirs.transform(X)),
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-6),
    ),
    Row(
        "SVD from eigenvectors, 20 columns", (200, 2_000, 20_000), tall,
        ours=svd_from_eig, theirs=lambda A: scipy.linalg.svd(A, full_matrices=False), same=same_product,
    ),
    Row(
        "truncated SVD, five of square", (50, 100, 200), square,
        ours=lambda A: truncated_svd(A, 5), theirs=lambda A: TruncatedSVD(5, algorithm="arpack", random_state=0).fit(A),
        same=lambda a, b, A: assert_allclose(a[1], b.singular_values_, rtol=1e-7),
    ),
]


def bare(X):
    """The core alone: the mean, the covariance, its axes and their signs."""
    mean = X.mean(axis=0)
    axes, variances = most_variance(covariance(X - mean))
    return pointing(axes), variances


def same_as_bare(ours, bare, X):
    """The same axes and variances."""
    assert_allclose(ours.components_.T, bare[0], atol=1e-10)
    assert_allclose(ours.explained_variance_ * (1 - 1 / len(X)), bare[1])


FACES = [
    Face(
        "PCA", (400,), lambda n: cloud(n, 5), ours=lambda X: PCA().fit(X), theirs=bare, same=same_as_bare,
    )
]
