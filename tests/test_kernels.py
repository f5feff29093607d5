"""Kernels against scikit-learn, the double loop over the definition, and what must hold for all data."""

import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from mlcore.kernels import (
    KERNELS,
    centred,
    gaussian,
    is_valid_kernel_matrix,
    kernel_function,
    laplacian,
    laplacian_kernel,
    linear_kernel,
    polynomial,
    polynomial_kernel,
    rbf_kernel,
    resolve_gamma,
    sigmoid,
    sigmoid_kernel,
    squared_distances,
)

ALL = [linear_kernel, polynomial_kernel, rbf_kernel, laplacian_kernel, sigmoid_kernel]
DISTANCE = [rbf_kernel, laplacian_kernel]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


# -- values -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("gamma", [None, 0.3, 5.0])
@pytest.mark.parametrize("other", [False, True])
def test_agrees_with_scikit_learn(rng, gamma, other):
    X, Z = rng.normal(size=(40, 3)), rng.normal(size=(25, 3)) if other else None
    pairs = [
        (linear_kernel(X, Z), pairwise.linear_kernel(X, Z)),
        (polynomial_kernel(X, Z, 4, gamma, 0.5), pairwise.polynomial_kernel(X, Z, 4, gamma, 0.5)),
        (rbf_kernel(X, Z, gamma), pairwise.rbf_kernel(X, Z, gamma)),
        (sigmoid_kernel(X, Z, gamma, -0.2), pairwise.sigmoid_kernel(X, Z, gamma, -0.2)),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_defaults_are_scikit_learns(rng):
    X = rng.normal(size=(20, 4))
    np.testing.assert_allclose(polynomial_kernel(X), pairwise.polynomial_kernel(X), rtol=1e-12)
    np.testing.assert_allclose(sigmoid_kernel(X), pairwise.sigmoid_kernel(X), rtol=1e-12)


def test_laplacian_uses_the_euclidean_norm(rng):
    X, Z = rng.normal(size=(30, 3)), rng.normal(size=(20, 3))
    np.testing.assert_allclose(laplacian_kernel(X, Z, 0.7), np.exp(-0.7 * cdist(X, Z)), rtol=1e-12)
    assert np.abs(laplacian_kernel(X, Z, 0.7) - pairwise.laplacian_kernel(X, Z, 0.7)).max() > 0.01
    one = rng.normal(size=(10, 1))  # in one dimension the two norms are the same
    np.testing.assert_allclose(laplacian_kernel(one, gamma=2.0), pairwise.laplacian_kernel(one, gamma=2.0), rtol=1e-12)


def test_second_order_map_of_notes_c(rng):
    """C 2.1: with γ = 1 and ζ = 1 the features 1, √2 x_j and x_j x_k reproduce the kernel."""
    X = rng.normal(size=(15, 3))
    phi = np.column_stack([np.ones(15), np.sqrt(2) * X, *(X[:, j] * X[:, k] for j in range(3) for k in range(3))])
    np.testing.assert_allclose(polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0), phi @ phi.T, rtol=1e-12)


@pytest.mark.parametrize("degree", [*range(1, 18), 31, 64])
def test_polynomial_by_exact_whole_numbers(degree):
    """Small integers have exact powers in Python; in float64 each product may round once."""
    X = np.array([[1, -2], [3, 1], [0, -1], [0, 0]])
    exact = np.array([[float((int(x @ z) - 1) ** degree) for z in X] for x in X])
    np.testing.assert_allclose(polynomial_kernel(X, degree=degree, gamma=1.0, coef0=-1.0), exact, rtol=1e-14)


def test_polynomial_underflows_to_zero_and_keeps_signs():
    np.testing.assert_array_equal(polynomial_kernel([[1e-50]], degree=9, gamma=1.0, coef0=0.0), [[0.0]])
    np.testing.assert_array_equal(polynomial_kernel([[2.0]], [[-1.0]], degree=3, gamma=1.0, coef0=0.0), [[-8.0]])
    np.testing.assert_array_equal(polynomial_kernel([[2.0]], [[-1.0]], degree=4, gamma=1.0, coef0=0.0), [[16.0]])


def test_the_formulas_one_pair_at_a_time(rng):
    """The core, vectorised, against the definition with a loop."""
    X, Z = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    G, D = X @ Z.T, squared_distances(X, Z)
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            inner, distance = sum(x * z), sum((x - z) ** 2)
            assert D[i, j] == pytest.approx(distance, rel=1e-12)
            assert polynomial(G, 0.7, -0.3, 5)[i, j] == pytest.approx((0.7 * inner - 0.3) ** 5, rel=1e-9, abs=0)
            assert gaussian(D, 0.7)[i, j] == pytest.approx(np.exp(-0.7 * distance), rel=1e-12, abs=0)
            assert laplacian(D, 0.7)[i, j] == pytest.approx(np.exp(-0.7 * distance**0.5), rel=1e-12, abs=0)
            assert sigmoid(G, 0.7, -0.3)[i, j] == pytest.approx(np.tanh(0.7 * inner - 0.3), rel=1e-9, abs=0)


@pytest.mark.parametrize("degree", [10, 16, 17, 10**6])
def test_polynomial_overflow_at_any_step(degree):
    """The last square overflows, or a product of squares that did not; a needless last square must not be refused."""
    with pytest.raises(ValueError, match="overflows"):
        polynomial_kernel([[1e20]], degree=degree, gamma=1.0)
    assert polynomial_kernel([[1e50]], degree=3, gamma=1.0, coef0=0.0) == pytest.approx(1e300)


# -- accuracy ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel", DISTANCE)
def test_far_from_the_origin(rng, kernel):
    X, Z = rng.normal(size=(30, 2)), rng.normal(size=(20, 2))
    shift = 2.0**24  # exact in floating point for coordinates rounded to 2^-20
    X, Z = np.round(X * 2**20) / 2**20, np.round(Z * 2**20) / 2**20
    np.testing.assert_allclose(kernel(X + shift, Z + shift, 1.0), kernel(X, Z, 1.0), rtol=1e-9)


@pytest.mark.parametrize("exponent", [-8, -4, 0, 4, 8])
def test_scale(rng, exponent):
    X = rng.normal(size=(30, 2))
    scaled = 10.0**exponent * X
    np.testing.assert_allclose(rbf_kernel(scaled, gamma=10.0 ** (-2 * exponent)), rbf_kernel(X, gamma=1.0), rtol=1e-10)
    np.testing.assert_allclose(
        laplacian_kernel(scaled, gamma=10.0**-exponent), laplacian_kernel(X, gamma=1.0), rtol=1e-10
    )


def test_close_pairs_among_distant_ones():
    """Two tight groups far apart: ‖x‖² + ‖z‖² - 2xᵀz alone would lose every digit of the small distances."""
    group = np.array([[0.0, 0.0], [3e-7, 4e-7], [0.0, 1e-6]])
    X = np.vstack([group, group + 1000.0])
    expected = np.exp(-1e6 * cdist(X, X))
    np.testing.assert_allclose(laplacian_kernel(X, gamma=1e6), expected, rtol=1e-6, atol=1e-300)
    assert laplacian_kernel(X, gamma=1e6)[0, 1] == pytest.approx(np.exp(-0.5), rel=1e-9)


def test_many_close_pairs_take_several_rounds():
    X = np.linspace(0, 1e-4, 150)[:, None] + np.repeat([0.0, 1.0], 75)[:, None]
    np.testing.assert_allclose(laplacian_kernel(X, gamma=3.0), np.exp(-3.0 * cdist(X, X)), rtol=1e-12)


@pytest.mark.parametrize("kernel", DISTANCE)
def test_equal_rows_give_exactly_one(rng, kernel):
    X = rng.normal(size=(50, 5)) * 1e3
    assert (np.diag(kernel(X, gamma=1e4)) == 1).all()
    assert (kernel(X, X.copy(), gamma=1e4)[np.arange(50), np.arange(50)] == 1).all()


@pytest.mark.parametrize(("n", "m"), [(900, None), (700, 600), (3, 250_000)])
def test_large_matrices_are_filled_in_parts(rng, n, m):
    X, Z = rng.normal(size=(n, 2)), None if m is None else rng.normal(size=(m, 2))
    for kernel in DISTANCE:
        K = kernel(X, Z, 0.5)
        distance = cdist(X, X if Z is None else Z)
        np.testing.assert_allclose(K, np.exp(-0.5 * (distance**2 if kernel is rbf_kernel else distance)), rtol=1e-10)
        assert Z is not None or (K == K.T).all()


# -- what always holds ------------------------------------------------------------------------------------------
@given(
    seed=st.integers(0, 10**6), n=st.integers(1, 12), d=st.integers(1, 5),
    scale=st.sampled_from([1e-8, 1e-3, 1.0, 1e3]),
)
@settings(max_examples=40, deadline=None)
def test_properties(seed, n, d, scale):
    X = scale * np.random.default_rng(seed).normal(size=(n, d))
    X.flags.writeable = False
    for kernel in ALL:
        K = kernel(X)
        assert K.shape == (n, n) and np.isfinite(K).all()
        assert (K == K.T).all()
        np.testing.assert_allclose(kernel(X, X[: n // 2 + 1]), K[:, : n // 2 + 1], rtol=1e-9, atol=1e-12)
        if kernel is not sigmoid_kernel:
            assert is_valid_kernel_matrix(K)
    for kernel in DISTANCE:
        assert kernel(X).min() >= 0 and kernel(X).max() <= 1


@pytest.mark.parametrize("kernel", ALL)
def test_forms_of_input(rng, kernel):
    X = rng.integers(-3, 4, size=(12, 3))
    K = kernel(X.astype(float))
    for same in (X, X.tolist(), X.astype(np.float32), np.asfortranarray(X.astype(float)), pandas.DataFrame(X)):
        np.testing.assert_allclose(kernel(same), K, rtol=1e-13, atol=1e-15)
    before = X.astype(float)
    kernel(before, before)
    np.testing.assert_array_equal(before, X)


def test_linear_kernel_does_not_return_its_input():
    X = np.eye(3)
    K = linear_kernel(X)
    K += 1
    np.testing.assert_array_equal(X, np.eye(3))


# -- validity ---------------------------------------------------------------------------------------------------
def test_sigmoid_is_no_mercer_kernel(rng):
    X = rng.normal(size=(30, 2))
    K = sigmoid_kernel(X, gamma=2.0, coef0=-1.0)
    assert np.linalg.eigvalsh(K)[0] < -0.1
    assert not is_valid_kernel_matrix(K)


@pytest.mark.parametrize(
    ("K", "valid"),
    [
        ([[1.0]], True), ([[-1.0]], False), ([[0.0]], True), ([[0.0, 0.0], [0.0, 0.0]], True),
        ([[1.0, 2.0], [2.0, 1.0]], False), ([[1.0, 0.5], [0.4, 1.0]], False), ([[1.0, 1.0], [1.0, 1.0]], True),
        ([[1e-200, 2e-200], [2e-200, 1e-200]], False), ([[1e99, 0.0], [0.0, 1e99]], True),
    ],
)
def test_is_valid_kernel_matrix(K, valid):
    assert is_valid_kernel_matrix(K) is valid


def test_validity_tolerance():
    K = np.diag([1.0, -1e-6])
    assert not is_valid_kernel_matrix(K)
    assert is_valid_kernel_matrix(K, tol=1e-5)


# -- kernel_function --------------------------------------------------------------------------------------------
def test_kernel_function_matches_the_functions(rng):
    X, Z = rng.normal(size=(20, 3)), rng.normal(size=(9, 3))
    options = {"gamma": 0.4, "degree": 2, "coef0": 0.3}
    expected = {
        "linear": linear_kernel(X, Z), "poly": polynomial_kernel(X, Z, 2, 0.4, 0.3), "rbf": rbf_kernel(X, Z, 0.4),
        "laplacian": laplacian_kernel(X, Z, 0.4), "sigmoid": sigmoid_kernel(X, Z, 0.4, 0.3),
    }
    assert set(expected) | {"precomputed"} == set(KERNELS)
    for name, K in expected.items():
        np.testing.assert_array_equal(kernel_function(name, **options)(X, Z), K)
        np.testing.assert_array_equal(kernel_function(name, **options)(X), kernel_function(name, **options)(X, X))


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_gamma_words_are_scikit_learns_and_stay_fixed(rng, gamma):
    X, Z = 3 * rng.normal(size=(40, 4)), rng.normal(size=(7, 4))
    fitted = SVC(gamma=gamma).fit(X, np.arange(40) % 2)
    assert resolve_gamma(gamma, X) == pytest.approx(fitted._gamma, rel=1e-12)
    kernel = kernel_function("rbf", gamma=gamma, X=X)
    np.testing.assert_allclose(kernel(Z, X), pairwise.rbf_kernel(Z, X, fitted._gamma), rtol=1e-10)


def test_gamma_scale_of_constant_data():
    assert resolve_gamma("scale", np.full((5, 2), 3.0)) == 1.0


def test_precomputed(rng):
    X, Z = rng.normal(size=(10, 2)), rng.normal(size=(4, 2))
    kernel = kernel_function("precomputed")
    K = rbf_kernel(X)
    np.testing.assert_array_equal(kernel(K), K)
    np.testing.assert_array_equal(kernel(rbf_kernel(Z, X), K), rbf_kernel(Z, X))
    with pytest.raises(ValueError, match=r"10 training rows, got shape \(10, 2\)"):
        kernel(X)
    with pytest.raises(ValueError, match=r"10 training rows, got shape \(4, 4\)"):
        kernel(rbf_kernel(Z), K)


def test_callable(rng):
    X, Z = rng.normal(size=(10, 2)), rng.normal(size=(4, 2))
    kernel = kernel_function(lambda X, Z: X @ Z.T)
    np.testing.assert_allclose(kernel(X, Z), linear_kernel(X, Z))
    np.testing.assert_allclose(kernel(X), linear_kernel(X))
    with pytest.raises(ValueError, match=r"shape \(4, 10\), got \(10, 4\)"):
        kernel_function(lambda X, Z: Z @ X.T)(Z, X)
    with pytest.raises(ValueError, match="NaN"):
        kernel_function(lambda X, Z: np.full((len(X), len(Z)), np.nan))(Z, X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gauss"}, "kernel must be one of 'linear', 'poly', 'rbf'.*got 'gauss'"),
        ({"gamma": 0}, r"gamma must be a number in \(0, 1e\+100\], got 0"),
        ({"gamma": "wide"}, "gamma must be one of 'scale', 'auto', got 'wide'"), ({"gamma": "scale"}, "pass them as X"),
    ],
)
def test_bad_parameters(options, message):
    """Every kernel refuses them, not only the one that uses them."""
    for kernel in ("linear", "poly"):
        with pytest.raises(ValueError, match=message):
            kernel_function(**{"kernel": kernel, **options})


# -- bad data ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel", ALL)
@pytest.mark.parametrize(
    ("X", "Z", "message"),
    [
        ([[1.0, np.nan]], None, "NaN"), ([[1.0, np.inf]], None, "infinity"), ([1.0, 2.0], None, "Expected 2D array"),
        (np.empty((0, 2)), None, "0 sample"), ([[1.0, 2.0]], [[1.0]], "2 features and Z has 1"),
        ([[1.0]], [[np.nan]], "Input Z contains NaN"), ([["a"]], None, "numeric"),
        ([[1e200], [-1e200]], None, "as large as 1e.200.*rescale X"),
    ],
)
def test_bad_data(kernel, X, Z, message):
    with pytest.raises(ValueError, match=message):
        kernel(X, Z)


@pytest.mark.parametrize("kernel", DISTANCE)
def test_huge_gamma_underflows_to_zero(kernel):
    np.testing.assert_array_equal(kernel([[0.0], [1.0]], gamma=1e100), np.eye(2))


@pytest.mark.parametrize("K", [[[1.0, 2.0]], [[np.nan]], [1.0]])
def test_is_valid_kernel_matrix_refuses(K):
    with pytest.raises(ValueError):
        is_valid_kernel_matrix(K)


@pytest.mark.parametrize("scale", [1e-170, 1e-155, 1e-51])
def test_a_gamma_out_of_range_names_the_scale_and_matters_only_where_there_is_one(scale):
    X = scale * np.random.default_rng(0).normal(size=(20, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="largest entry of X is"):
            kernel_function("rbf", gamma="scale", X=X)
        for kernel in ("linear", "precomputed", lambda A, B: A @ B.T):
            kernel_function(kernel, gamma="scale", X=X)
    with pytest.raises(ValueError, match="gamma must be"):
        kernel_function("linear", gamma="wide", X=X)


def test_centred_leaves_the_mean_behind():
    X = np.random.default_rng(0).normal(size=(20, 3)) + 5.0
    rows, center = centred(X)
    np.testing.assert_allclose(center, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(rows + center, X, rtol=1e-14)
