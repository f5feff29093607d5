"""Distances against SciPy, and the axioms of a metric."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance as scipy_distance

from mlcore import distances
from mlcore.distances import (
    chebyshev,
    edit_distance,
    euclidean,
    hamming,
    mahalanobis,
    manhattan,
    minkowski,
    nearest,
    pearson_correlation,
)

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(20, 4)), rng.normal(size=(13, 4))


@pytest.mark.parametrize(
    ("ours", "name", "options"),
    [
        (euclidean, "euclidean", {}),
        (manhattan, "cityblock", {}),
        (chebyshev, "chebyshev", {}),
        (lambda X, Z: minkowski(X, Z, 1.5), "minkowski", {"p": 1.5}),
        (lambda X, Z: minkowski(X, Z, 7), "minkowski", {"p": 7}),
    ],
)
def test_against_scipy(ours, name, options):
    np.testing.assert_allclose(ours(X, Z), scipy_distance.cdist(X, Z, name, **options), rtol=1e-12)
    np.testing.assert_allclose(ours(X, None), scipy_distance.cdist(X, X, name, **options), rtol=1e-12, atol=1e-15)


def test_blocks_make_no_difference(monkeypatch):
    whole = minkowski(X, Z, 3)
    monkeypatch.setattr(distances, "_BLOCK", 60)
    np.testing.assert_array_equal(minkowski(X, Z, 3), whole)


@pytest.mark.parametrize("p", [1, 1.5, 2, np.inf])
@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e99])
def test_great_and_small(p, scale):
    np.testing.assert_allclose(minkowski(scale * X[:3], scale * Z[:3], p) / scale, minkowski(X[:3], Z[:3], p))


def test_rows_that_are_nearly_equal_are_not_equal():
    assert euclidean([[1.0, 0.0]], [[1.0, 1e-100]])[0, 0] == pytest.approx(1e-100, rel=1e-12, abs=0)


def test_neighbours_far_from_the_origin_keep_their_distance():
    near = np.array([[1e8, 1e8], [1e8 + 3, 1e8 + 4]])
    assert euclidean(near)[0, 1] == 5


@given(st.integers(0, 10**6), st.sampled_from([1, 1.3, 2, 5, np.inf]))
@settings(max_examples=40, deadline=None)
def test_a_metric(seed, p):
    D = minkowski(np.random.default_rng(seed).normal(size=(6, 3)), p=p)
    np.testing.assert_allclose(D, D.T)
    assert (np.diag(D) == 0).all() and (D + np.eye(6) > 0).all()
    through_another = (D[:, :, None] + D).min(axis=1)  # over j, of d(i, j) + d(j, k)
    assert (through_another >= D - 1e-12).all()


def test_hamming_of_numbers_and_words():
    A, B = rng.integers(0, 3, (8, 5)), rng.integers(0, 3, (6, 5))
    np.testing.assert_allclose(hamming(A, B), scipy_distance.cdist(A, B, "hamming"))
    words = np.array([["green", "curled"], ["black", "curled"]], dtype=object)
    np.testing.assert_array_equal(hamming(words), [[0, 0.5], [0.5, 0]])


def test_mahalanobis_against_scipy():
    cov = np.cov(rng.normal(size=(4, 30)))
    np.testing.assert_allclose(
        mahalanobis(X, Z, cov), scipy_distance.cdist(X, Z, "mahalanobis", VI=np.linalg.inv(cov)), rtol=1e-9
    )
    np.testing.assert_allclose(mahalanobis(X), mahalanobis(X, X, np.cov(X.T)), atol=1e-12)
    np.testing.assert_allclose(mahalanobis(X, Z, np.eye(4)), euclidean(X, Z))


def test_correlation_against_scipy():
    x, y = rng.normal(size=(2, 50))
    assert pearson_correlation(x, x + y) == pytest.approx(stats.pearsonr(x, x + y).statistic)
    assert pearson_correlation(x, 3 * x - 2) == pytest.approx(1) and pearson_correlation(x, -x) == pytest.approx(-1)
    for scale in (1e-100, 1e-8, 1e8, 1e99):
        assert pearson_correlation(scale * x, y) == pytest.approx(stats.pearsonr(x, y).statistic)


def test_edit_distance_by_its_definition():
    @cache
    def recursive(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(recursive(a[1:], b) + 1, recursive(a, b[1:]) + 1, recursive(a[1:], b[1:]) + (a[0] != b[0]))

    words = ["", "a", "kitten", "sitting", "sunday", "saturday", "西瓜", "南瓜子"]
    for a in words:
        for b in words:
            assert edit_distance(a, b) == recursive(a, b)
    assert edit_distance([1, 2, 3], (1, 3)) == 1


def test_nearest_rows():
    found = nearest(X, Z, 3)
    for i in range(len(X)):
        expected = sorted(range(len(Z)), key=lambda j, i=i: np.linalg.norm(X[i] - Z[j]))[:3]
        assert found[i].tolist() == expected
    twins = np.array([[0.0], [0.0], [1.0]])
    np.testing.assert_array_equal(nearest(twins, twins, 2, itself=True), [[1, 2], [0, 2], [0, 1]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: minkowski(X, Z[:, :2]), "4 columns and Z has 2"),
        (lambda: euclidean([[1e101]], [[0.0]]), "beyond 1e100 are refused.*rescale X"),
        (lambda: euclidean([[0.0]], [[-1e101]]), "beyond 1e100 are refused.*rescale Z"),
        (lambda: pearson_correlation([1e101, 0], [1, 2]), "rescale x"),
        (lambda: mahalanobis(X, Z, np.eye(3)), r"shape \(4, 4\)"),
        (lambda: mahalanobis(X, Z, np.diag([1, 1, 1, 0.0])), "positive definite"),
        (lambda: mahalanobis(X[:1]), "one row"),
        (lambda: mahalanobis(X, Z, np.triu(np.ones((4, 4)))), "symmetric"),
        (lambda: pearson_correlation([1, 2], [1, 2, 3]), "2 entries and y has 3"),
        (lambda: pearson_correlation([1, 2], [5, 5]), "y is constant"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ---------------------------------------------------------------------------------------------------------------
# Units, dependence, counts
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("unit", [1e-100, 1e-8, 1e8, 1e99])
def test_mahalanobis_has_no_unit(unit):
    X = np.random.default_rng(0).normal(size=(12, 2))
    np.testing.assert_allclose(distances.mahalanobis(X * unit), distances.mahalanobis(X), rtol=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_a_column_made_of_others_has_no_mahalanobis_distance(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    with pytest.raises(ValueError, match="not positive definite"):
        distances.mahalanobis(np.column_stack([X, X @ rng.normal(size=3)]))


def test_a_small_covariance_must_be_symmetric_too():
    with pytest.raises(ValueError, match="symmetric"):
        distances.mahalanobis(np.eye(2), cov=[[1e-12, 1e-9], [0.0, 1.0]])


@pytest.mark.parametrize(("k", "itself"), [(0, False), (-1, False), (4, False), (3, True), (1.5, False)])
def test_nearest_wants_a_number_of_rows_that_exist(k, itself):
    X = np.arange(3.0)[:, None]
    with pytest.raises((ValueError, TypeError), match="k must be"):
        distances.nearest(X, X, k, itself=itself)


def test_nearest_itself_needs_one_table_of_two_rows():
    with pytest.raises(ValueError, match="2 rows and Z has 3"):
        distances.nearest(np.zeros((2, 1)), np.zeros((3, 1)), 1, itself=True)
    with pytest.raises(ValueError, match="single row"):
        distances.nearest(np.zeros((1, 1)), np.zeros((1, 1)), 1, itself=True)


def test_hamming_refuses_nan():
    with pytest.raises(ValueError, match=r"NaN at \(1, 0\)"):
        distances.hamming(np.array([["a", 1], [np.nan, 1]], dtype=object))
