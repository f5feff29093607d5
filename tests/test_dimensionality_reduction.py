"""PCA, SVD and norms against scikit-learn, NumPy, SciPy, and brute force."""

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.decomposition import TruncatedSVD

from mlcore import datasets
from mlcore import dimensionality_reduction as core
from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.dimensionality_reduction import (
    PCA,
    leading_axes,
    low_rank,
    matrix_norm,
    svd_from_eig,
    truncated_svd,
    vector_norm,
)

CONFORMANCE_INSTANCES = {"PCA": [PCA(), PCA(n_components=1), PCA(n_components=0.9), PCA(n_components=1, whiten=True)]}

LOADERS = [datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer, datasets.load_digits]
SHARP = np.array([[1.0, -2, 3], [4, 0, -6]])
NORMS = (1, 2, np.inf, "fro", "nuc")


def cloud(n=40, d=4, seed=0, scale=1.0):
    """A stretched Gaussian cloud away from the origin."""
    rng = np.random.default_rng(seed)
    return scale * (rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.normal(size=d))


def orthonormal(rng, d, k):
    return np.linalg.qr(rng.normal(size=(d, k)))[0]


def of_values(sigma, m, n, seed=0):
    """A matrix of shape (m, n) with these singular values."""
    rng = np.random.default_rng(seed)
    return orthonormal(rng, m, len(sigma)) * sigma @ orthonormal(rng, n, len(sigma)).T


# ---------------------------------------------------------------------------------------------------------------
# PCA
# ---------------------------------------------------------------------------------------------------------------
class TestAgainstScikitLearn:
    @pytest.mark.parametrize("load", LOADERS)
    @pytest.mark.parametrize("n_components", [1, 2, None, 0.8, 0.99])
    def test_real_data(self, load, n_components):
        X = load().data
        ours, theirs = PCA(n_components=n_components).fit(X), SklearnPCA(n_components, svd_solver="full").fit(X)
        assert ours.n_components_ == theirs.n_components_
        for name in ("mean_", "singular_values_", "explained_variance_", "explained_variance_ratio_"):
            assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10 * X.var())
        k = min(ours.n_components_, 10)  # the last ones of the digits have no variance and no direction
        assert_allclose(ours.components_[:k], theirs.components_[:k], atol=1e-6)  # signs too
        assert_allclose(ours.transform(X)[:, :k], theirs.transform(X)[:, :k], atol=1e-5 * X.std())
        assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)),
                        atol=1e-7 * np.abs(X).max())

    @pytest.mark.parametrize("shape", [(5, 3), (30, 3), (300, 3), (3, 5), (2, 2), (2, 1), (100, 10), (99, 10)])
    @pytest.mark.parametrize("whiten", [False, True])
    def test_shapes(self, shape, whiten):
        X = cloud(*shape, seed=1)
        k = min(shape[0] - 1, shape[1])
        ours = PCA(n_components=k, whiten=whiten).fit(X)
        theirs = SklearnPCA(k, whiten=whiten, svd_solver="full").fit(X)
        assert_allclose(ours.components_, theirs.components_, atol=1e-8)
        assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)
        new = cloud(6, shape[1], seed=2)
        assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-6, atol=1e-6)

    def test_names_of_the_new_features(self):
        X = pd.DataFrame(cloud(20, 3), columns=list("abc"))
        ours, theirs = PCA(n_components=2).fit(X), SklearnPCA(2).fit(X)
        assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
        frame = PCA(n_components=2).set_output(transform="pandas").fit_transform(X)
        assert list(frame.columns) == ["pca0", "pca1"]


class TestPCA:
    def test_both_ways_agree(self):
        for seed in range(5):
            X = cloud(60, 4, seed)
            Z = X - X.mean(axis=0)
            (U, a), (V, b) = core.most_variance(core.covariance(Z)), core.least_error(Z)
            assert_allclose(a, b, rtol=1e-9)
            assert_allclose(core.pointing(U), core.pointing(V), atol=1e-7)

    @pytest.mark.parametrize("n", [7, 8, 50])
    def test_error_is_the_sum_of_the_discarded_with_divisor_n(self, n):
        X = cloud(n, 4)
        lam = np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1]
        for k in (1, 2, 3):
            pca = PCA(n_components=k).fit(X)
            J = np.mean(np.sum((X - pca.inverse_transform(pca.transform(X))) ** 2, axis=1))
            assert J == pytest.approx(lam[k:].sum(), rel=1e-9)
            assert pca.explained_variance_.sum() * (n - 1) / n + J == pytest.approx(lam.sum())

    def test_whitening_is_the_identity_under_n_minus_1(self):
        X = cloud(7, 3)
        pca = PCA(whiten=True).fit(X)
        T = pca.transform(X)
        assert_allclose(np.cov(T.T, ddof=1), np.eye(3), atol=1e-9)
        assert abs(np.cov(T.T, ddof=0)[0, 0] - 1) > 0.1
        assert_allclose(pca.inverse_transform(T), X, atol=1e-9)

    def test_no_plane_keeps_more(self):
        X, rng = cloud(30, 5), np.random.default_rng(3)
        S = np.cov(X.T)
        for k in (1, 2, 4):
            best = PCA(n_components=k).fit(X).explained_variance_.sum()
            assert max(np.trace(Q.T @ S @ Q) for Q in (orthonormal(rng, 5, k) for _ in range(200))) < best

    def test_raw_wine_is_proline(self):
        wine = datasets.load_wine()
        pca = PCA().fit(wine.data)
        assert wine.feature_names[np.argmax(pca.components_[0])] == "proline"
        assert round(pca.explained_variance_ratio_[0], 3) == 0.998

    def test_equal_variances_span_the_right_space(self):
        X = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 0.1], [0, 0, -0.1]])
        pca = PCA(n_components=2).fit(X)
        assert_allclose(pca.components_.T @ pca.components_, np.diag([1, 1, 0]), atol=1e-12)

    @pytest.mark.parametrize("scale", [1e-8, 1e8, 1e-50, 1e50, 1e-149])
    def test_scale(self, scale):
        X = cloud(50, 3)
        a, b = PCA().fit(X), PCA().fit(scale * X)
        assert_allclose(b.components_, a.components_, atol=1e-9)
        assert_allclose(b.explained_variance_ / scale**2, a.explained_variance_, rtol=1e-9)

    @pytest.mark.parametrize("scale", [1e-155, 1e-160, 1e-300])
    def test_variances_too_small_for_a_float_are_refused(self, scale):
        with pytest.raises(ValueError, match="rescale X"):
            PCA().fit(scale * cloud(50, 3))

    def test_small_variances_survive_many_rows(self):
        # by the covariance, 1e-16 of the largest variance would be rounding
        sigma = np.array([1, 1e-4, 1e-8])
        rng = np.random.default_rng(0)
        T = orthonormal(rng, 200, 4)
        T = np.linalg.qr(np.column_stack([np.ones(200), T]))[0][:, 1:4]  # centred
        X = T * sigma @ orthonormal(rng, 3, 3).T
        assert_allclose(PCA().fit(X).singular_values_, sigma, rtol=1e-6)

    def test_a_small_cloud_far_away(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 2)) * [1, 0.1] * 1e-3
        assert_allclose(np.abs(PCA().fit(X + 1e6).components_), np.abs(PCA().fit(X).components_), atol=1e-4)

    @pytest.mark.parametrize("make", [
        lambda X: X.astype(np.float32).astype(float), np.asfortranarray, lambda X: X.tolist(), pd.DataFrame,
        lambda X: X[:, ::-1][:, ::-1],
    ])
    def test_kinds_of_tables(self, make):
        X = cloud(20, 3).astype(np.float32).astype(float)
        assert_allclose(PCA().fit(make(X)).components_, PCA().fit(X).components_, atol=1e-10)

    def test_float32_is_computed_in_float64(self):
        X = cloud(20, 3).astype(np.float32)
        assert_array_equal(PCA().fit(X).components_, PCA().fit(X.astype(float)).components_)

    def test_input_is_not_changed(self):
        X = cloud(20, 3)
        X.flags.writeable = False
        pca = PCA(whiten=True).fit(X)
        T = pca.transform(X)
        T.flags.writeable = False
        assert_allclose(pca.inverse_transform(T), X)

    def test_constant_and_duplicate_columns(self):
        X = cloud(30, 2)
        wide = np.column_stack([X, np.full(30, 7.0), X[:, 0]])
        pca = PCA().fit(wide)
        assert_allclose(pca.explained_variance_[2:], 0, atol=1e-12)
        assert_allclose(pca.inverse_transform(pca.transform(wide)), wide)
        assert np.all(pca.explained_variance_ >= 0) and np.all(np.isfinite(pca.components_))

    def test_rotation_turns_the_axes_with_it(self):
        X, R = cloud(50, 3), orthonormal(np.random.default_rng(5), 3, 3)
        P = PCA(n_components=2).fit(X).components_
        Q = PCA(n_components=2).fit(X @ R.T).components_
        assert_allclose(Q.T @ Q, R @ P.T @ P @ R.T, atol=1e-9)

    @settings(max_examples=40, deadline=None)
    @given(X=arrays(float, st.tuples(st.integers(2, 8), st.integers(1, 5)), elements=st.integers(-5, 5)))
    def test_whatever_the_data(self, X):
        if np.all(X == X[0]):
            with pytest.raises(ValueError, match="no direction has any variance"):
                PCA().fit(X)
            return
        pca = PCA().fit(X)
        P = pca.components_
        assert_allclose(P @ P.T, np.eye(len(P)), atol=1e-9)
        assert_allclose(pca.explained_variance_ratio_.sum(), 1)
        assert np.all(np.diff(pca.explained_variance_) <= 1e-9)
        assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-8)

    def test_more_axes_than_rows(self):
        with pytest.raises(ValueError, match=r"n_components=5 is more than min\(n_samples, n_features\)=4"):
            PCA(n_components=5).fit(cloud(4, 6))

    def test_bad_data(self):
        for X, words in (
            (np.ones((5, 2)), "all 5 rows"),
            (np.full((5, 2), 0.1), "all 5 rows"),
            ([[1.0, 2.0]], "1 sample"),
        ):
            with pytest.raises(ValueError, match=words):
                PCA().fit(X)

    def test_whitening_refuses_what_has_no_variance(self):
        with pytest.raises(ValueError, match="vary along 3 axes only.*n_components <= 3"):
            PCA(whiten=True).fit(cloud(4, 6))
        X = cloud(300, 2)
        with pytest.raises(ValueError, match="vary along 2 axes only"):
            PCA(whiten=True).fit(np.column_stack([X, X[:, 0] - X[:, 1]]))
        assert PCA(n_components=3, whiten=True).fit_transform(cloud(4, 6)).shape == (4, 3)

    def test_wrong_width_and_unfitted(self):
        with pytest.raises(NotFittedError):
            PCA().inverse_transform([[1.0]])
        pca = PCA(n_components=2).fit(cloud(10, 3))
        with pytest.raises(ValueError, match="3 coordinates a row, but 2 axes"):
            pca.inverse_transform(np.ones((1, 3)))
        with pytest.raises(ValueError, match="features"):
            pca.transform(np.ones((1, 2)))

    def test_share_is_exceeded_by_the_fewest_axes(self):
        X = np.repeat(np.diag([3.0, 2, 1, 1]), 2, axis=0) * np.tile([1, -1], 4)[:, None]
        assert [PCA(n_components=p).fit(X).n_components_ for p in (0.5, 0.61, 0.85, 0.88, 0.99)] == [1, 2, 2, 3, 4]


class TestLeadingAxes:
    def test_finds_the_axes(self):
        for seed in range(4):
            X = cloud(60, 5, seed)
            axes, variances = leading_axes(X, 3, random_state=seed)
            pca = PCA(n_components=3).fit(X)
            assert_allclose(variances, pca.explained_variance_ * 59 / 60, rtol=1e-6)
            assert_allclose(axes, pca.components_, atol=1e-4)

    def test_one_step_and_deflation(self):
        S = np.diag([4.0, 2, 1])
        u = core.power_step(S, np.array([1.0, 1, 1]))
        assert_allclose(u, np.array([4, 2, 1]) / np.sqrt(21))
        assert_allclose(core.deflated(S, np.array([1.0, 0, 0])), np.diag([0, 2, 1]))

    @pytest.mark.parametrize("scale", [1e-150, 1e90, 1e100])
    def test_unit_does_not_matter(self, scale):
        X = cloud(60, 4, 1)
        X /= np.abs(X).max()
        axes, variances = leading_axes(X, 2, random_state=0)
        other, theirs = leading_axes(X * scale, 2, random_state=0)
        assert_allclose(other, axes, atol=1e-6)
        assert_allclose(theirs / scale**2, variances, rtol=1e-6)

    def test_what_cannot_be_found(self):
        X = np.outer(np.arange(5.0), [1, 2])
        with pytest.raises(ValueError, match="along 1 only"):
            leading_axes(X, 2, random_state=0)
        with pytest.raises(ValueError, match="along 0 only"):
            leading_axes(np.ones((3, 2)), random_state=0)

    def test_says_when_it_has_not_arrived(self):
        X = np.array([[1, 0], [-1, 0], [0, 0.999], [0, -0.999]])
        with pytest.warns(ConvergenceWarning, match="nearly equal"):
            leading_axes(X, max_iter=5, random_state=0)


# ---------------------------------------------------------------------------------------------------------------
# Singular values
# ---------------------------------------------------------------------------------------------------------------
class TestSVD:
    @pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (1, 4), (4, 1), (1, 1), (30, 7)])
    @pytest.mark.parametrize("rank", [1, 2, 3])
    def test_any_rank(self, shape, rank):
        rng = np.random.default_rng(rank)
        A = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
        U, s, Vt = svd_from_eig(A)
        few = min(shape)
        assert (U.shape, s.shape, Vt.shape) == ((shape[0], few), (few,), (few, shape[1]))
        assert_allclose(U.T @ U, np.eye(few), atol=1e-10)
        assert_allclose(Vt @ Vt.T, np.eye(few), atol=1e-10)
        assert_allclose(U * s @ Vt, A, atol=1e-10)
        assert_allclose(s, np.linalg.svd(A, compute_uv=False), atol=1e-7 * s[0])
        assert np.all(np.diff(s) <= 0)

    def test_zero_and_identity(self):
        for A in (np.zeros((4, 2)), np.zeros((2, 4)), np.eye(3), -np.eye(3), np.ones((3, 5))):
            U, s, Vt = svd_from_eig(A)
            assert_allclose(U * s @ Vt, A, atol=1e-12)
            assert_allclose(s, np.linalg.svd(A, compute_uv=False), atol=1e-12)
            assert_allclose(U.T @ U, np.eye(len(s)), atol=1e-12)

    def test_one_tiny_value_is_saved(self):
        true = np.array([1, 0.5, 1e-5, 1e-9])
        for seed in range(20):
            A = of_values(true, 6, 4, seed)
            assert_allclose(svd_from_eig(A)[1], true, rtol=1e-4)

    def test_two_tiny_values_never_become_nan(self):
        U, s, Vt = svd_from_eig(of_values([1, 1e-9, 1e-10, 0], 6, 4))
        assert np.all(np.isfinite(s)) and np.all(s[1:] < 1e-7)
        assert_allclose(U.T @ U, np.eye(4), atol=1e-10)

    @pytest.mark.parametrize("scale", [1e-90, 1e-8, 1e8, 1e90])
    def test_scale(self, scale):
        assert_allclose(svd_from_eig(scale * SHARP)[1], scale * svd_from_eig(SHARP)[1], rtol=1e-9)

    @pytest.mark.parametrize("k", [1, 2, 5])
    def test_truncated(self, k):
        A = np.random.default_rng(0).normal(size=(9, 6))
        U, s, Vt = truncated_svd(A, k)
        theirs = TruncatedSVD(k, algorithm="arpack").fit(A)
        assert_allclose(s, theirs.singular_values_, rtol=1e-8)
        assert_allclose(low_rank(A, k), A @ theirs.components_.T @ theirs.components_, atol=1e-8)
        assert_allclose(U * s @ Vt, low_rank(A, k))

    def test_nothing_of_rank_k_is_nearer(self):
        rng = np.random.default_rng(1)
        A = rng.normal(size=(6, 5))
        s = np.linalg.svd(A, compute_uv=False)
        for k in (1, 2, 4):
            near = low_rank(A, k)
            assert np.linalg.matrix_rank(near) == k
            assert matrix_norm(A - near, "fro") == pytest.approx(np.sqrt(np.sum(s[k:] ** 2)))
            assert matrix_norm(A - near) == pytest.approx(s[k])
            for noise in (0.01, 0.1, 1.0):
                rival = low_rank(A + noise * rng.normal(size=A.shape), k)
                assert matrix_norm(A - rival, "fro") > matrix_norm(A - near, "fro")
                assert matrix_norm(A - rival) >= s[k] - 1e-12

    def test_the_spectral_minimiser_is_not_the_only_one(self):
        A = np.random.default_rng(2).normal(size=(6, 5))
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        lowered = core.rank_k(U, s - s[2] / 2, Vt, 2)
        assert matrix_norm(A - lowered) == pytest.approx(s[2])
        assert matrix_norm(A - lowered, "fro") > matrix_norm(A - low_rank(A, 2), "fro") * 1.01

    @pytest.mark.parametrize("k", [0, 4])
    def test_bad_rank(self, k):
        with pytest.raises(ValueError, match="k must be a whole number"):
            truncated_svd(np.eye(3), k)

    def test_share_of_the_digits(self):
        X = datasets.load_digits().data
        found = []
        for A in (X, X - X.mean(axis=0)):
            s = np.linalg.svd(A, compute_uv=False)
            found.append((round(s[:6].sum() / s.sum(), 2), round((s[:6] ** 2).sum() / (s**2).sum(), 2)))
            assert np.sum(np.cumsum(s) / s.sum() < 0.99) + 1 == 50
        assert found == [(0.45, 0.87), (0.33, 0.59)]


# ---------------------------------------------------------------------------------------------------------------
# Norms
# ---------------------------------------------------------------------------------------------------------------
finite = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
vectors = arrays(float, st.integers(1, 8), elements=finite)


class TestNorms:
    def test_worked_example(self):
        assert [round(matrix_norm(SHARP, p), 4) for p in NORMS[:4]] == [9, 7.5234, 10, 8.1240]

    @pytest.mark.parametrize("p", NORMS)
    @pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (1, 3), (3, 1)])
    def test_matrices_against_numpy(self, p, shape):
        A = np.random.default_rng(0).normal(size=shape)
        assert matrix_norm(A, p) == pytest.approx(np.linalg.norm(A, p), rel=1e-10)
        assert matrix_norm(A) == pytest.approx(scipy.linalg.norm(A, 2))

    @pytest.mark.parametrize("p", [1, 1.5, 2, 3, 50, np.inf])
    def test_vectors_against_numpy(self, p):
        x = np.random.default_rng(0).normal(size=6)
        assert vector_norm(x, p) == pytest.approx(np.linalg.norm(x, p), rel=1e-12)

    @pytest.mark.parametrize("p", [1, 2, np.inf])
    def test_no_vector_is_lengthened_more(self, p):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3, 20_000))
        X = np.column_stack([X, np.sign(X), np.eye(3), np.linalg.svd(SHARP)[2].T])
        most = np.max(np.linalg.norm(SHARP @ X, p, axis=0) / np.linalg.norm(X, p, axis=0))
        assert most == pytest.approx(matrix_norm(SHARP, p), rel=1e-9)

    def test_huge_powers_and_sizes(self):
        assert vector_norm([1e90, 1e90], 1000) == pytest.approx(1e90 * 2**0.001)
        assert vector_norm([3e-200, 4e-200]) == pytest.approx(5e-200, rel=1e-12, abs=0)
        assert matrix_norm(1e-200 * SHARP, "fro") == pytest.approx(8.1240384e-200, rel=1e-7, abs=0)
        assert all(vector_norm(np.zeros(3), p) == 0 for p in (1, 2, np.inf))
        assert all(matrix_norm(np.zeros((2, 3)), p) == 0 for p in NORMS)

    @settings(max_examples=60, deadline=None)
    @given(x=vectors, p=st.sampled_from([1, 1.3, 2, 7, np.inf]))
    def test_chain_and_triangle(self, x, p):
        n, (inf, two, one) = len(x), (vector_norm(x, p) for p in (np.inf, 2, 1))
        chain = np.array([inf, two, one, np.sqrt(n) * two, n * inf])
        assert np.all(np.diff(chain) >= -1e-9 * chain[-1])
        y = x[::-1].copy()
        assert vector_norm(x + y, p) <= (vector_norm(x, p) + vector_norm(y, p)) * (1 + 1e-12)
        assert vector_norm(-2 * x, p) == pytest.approx(2 * vector_norm(x, p))

    @settings(max_examples=60, deadline=None)
    @given(A=arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.integers(-4, 4)))
    def test_inequalities(self, A):
        one, two, inf, fro, nuc = (matrix_norm(A, p) for p in NORMS)
        r = np.linalg.matrix_rank(A)
        assert two**2 <= one * inf + 1e-9
        chain = np.array([two, fro, nuc, np.sqrt(r) * fro, r * two])
        assert np.all(np.diff(chain) >= -1e-9)
        for p in NORMS:
            assert matrix_norm(A @ A.T, p) <= matrix_norm(A, p) * matrix_norm(A.T, p) + 1e-9

    def test_equality_for_ones(self):
        A = np.ones((3, 5))
        assert matrix_norm(A) ** 2 == pytest.approx(matrix_norm(A, 1) * matrix_norm(A, np.inf))

    def test_eigenvalues_do_not_bound_it(self):
        A = np.array([[0.0, 2], [0, 0]])
        assert matrix_norm(A) == 2 and np.abs(np.linalg.eigvals(A)).max() == 0

    @pytest.mark.parametrize("p", [0.5, 0, -1, np.nan, "2", None, True, np.ones(2), np.ones((0, 2))])
    def test_bad_exponents(self, p):
        with pytest.raises(ValueError, match=r"p must be a number in \[1, inf\], got"):  # inf is accepted
            vector_norm([1, 2], p)

    @pytest.mark.parametrize("p", [3, "inf", None, np.nan, True, [1], -2, np.ones(2)])
    def test_bad_names(self, p):
        with pytest.raises(ValueError, match="p must be one of 1, 2, inf, 'fro', 'nuc'"):
            matrix_norm(np.eye(2), p)

    @pytest.mark.parametrize("x", [[], [[1, 2]], 3])
    def test_bad_vectors(self, x):
        with pytest.raises(ValueError):
            vector_norm(x)
