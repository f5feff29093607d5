"""RBF networks against scikit-learn, SciPy, least squares with extra rows and exact arithmetic."""

import warnings
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import RBFInterpolator
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf
from sklearn.model_selection import GridSearchCV

from mlcore import rbf_networks as rbf
from mlcore.base import NotFittedError
from mlcore.datasets import load_iris, make_moons
from mlcore.kernel_methods import KernelRidge
from mlcore.nearest_neighbors import KNeighborsClassifier
from mlcore.rbf_networks import RBFNetwork, RBFNetworkClassifier, normalized_vote

CONFORMANCE_INSTANCES = {
    "RBFNetwork": [RBFNetwork(), RBFNetwork(n_centers=3, alpha=0.1), RBFNetwork(alpha=1e-3, fit_intercept=False)],
    "RBFNetworkClassifier": [RBFNetworkClassifier(), RBFNetworkClassifier(n_centers=3, alpha=0.01)],
}

MODELS = [RBFNetwork, RBFNetworkClassifier]


@pytest.fixture
def rng():
    return np.random.default_rng(22)


def regression(rng, n=40, d=2):
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] + 0.1 * rng.normal(size=n)


def heights(X, centers, gamma):
    """One by one."""
    return np.array([[np.exp(-gamma * np.sum((x - mu) ** 2)) for mu in centers] for x in X])


def by_rows(Z, y, alpha):
    """The same minimum by ordinary least squares with extra rows, the bias in a column of its own."""
    M = Z.shape[1]
    A = np.block([[Z, np.ones((len(Z), 1))], [np.sqrt(alpha) * np.eye(M), np.zeros((M, 1))]])
    return np.linalg.lstsq(A, np.append(y, np.zeros(M)), rcond=None)[0]


# ---------------------------------------------------------------------------------------------------------------
# Against others
# ---------------------------------------------------------------------------------------------------------------
class TestOracles:
    @pytest.mark.parametrize("alpha", [1e-6, 0.03, 2.0, 500.0])
    @pytest.mark.parametrize("n_centers", [None, 7])
    @pytest.mark.parametrize("fit_intercept", [True, False])
    def test_is_ridge_on_the_heights(self, rng, alpha, n_centers, fit_intercept):
        X, y = regression(rng)
        model = RBFNetwork(n_centers=n_centers, gamma=3.0, alpha=alpha, fit_intercept=fit_intercept, random_state=0)
        model.fit(X, y)
        Z = sklearn_rbf(X, model.centers_, gamma=3.0)
        other = SklearnRidge(alpha=alpha, fit_intercept=fit_intercept, solver="svd").fit(Z, y)
        assert_allclose(model.weights_, other.coef_, rtol=1e-6, atol=1e-8)
        assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-7, abs=1e-9)
        new = rng.normal(size=(9, 2))
        assert_allclose(model.predict(new), other.predict(sklearn_rbf(new, model.centers_, gamma=3.0)), rtol=1e-6)
        if fit_intercept:
            assert_allclose(np.append(model.weights_, model.intercept_), by_rows(Z, y, alpha), rtol=1e-6, atol=1e-8)

    @pytest.mark.parametrize("d", [1, 3])
    def test_interpolates_as_scipy_does(self, rng, d):
        X = rng.permutation(25)[:, np.newaxis] + rng.uniform(-0.2, 0.2, size=(25, d))
        y = rng.normal(size=25)
        model = RBFNetwork(gamma=4.0, alpha=0.0, fit_intercept=False).fit(X, y)
        other = RBFInterpolator(X, y, kernel="gaussian", epsilon=2.0, degree=-1)
        new = rng.uniform(0, 24, size=(30, 1)) + rng.uniform(-0.2, 0.2, size=(30, d))
        assert_allclose(model.predict(new), other(new), rtol=1e-8, atol=1e-9)

    def test_two_classes_are_told_as_by_ridge_classification(self, rng):
        X, y = make_moons(80, noise=0.2, random_state=1)
        model = RBFNetworkClassifier(gamma=2.0, alpha=0.1).fit(X, y)
        Z = sklearn_rbf(X, X, gamma=2.0)
        other = RidgeClassifier(alpha=0.1).fit(Z, y)
        assert_allclose(model.weights_, np.ravel(other.coef_), rtol=1e-6, atol=1e-9)
        assert_array_equal(model.predict(X), other.predict(Z))
        assert_allclose(model.decision_function(X), other.decision_function(Z), rtol=1e-6, atol=1e-9)

    def test_three_classes_are_told_as_by_ridge_classification(self):
        iris = load_iris()
        model = RBFNetworkClassifier(n_centers=12, gamma=0.5, alpha=0.05, random_state=0).fit(iris.data, iris.target)
        Z = sklearn_rbf(iris.data, model.centers_, gamma=0.5)
        other = RidgeClassifier(alpha=0.05).fit(Z, iris.target)
        assert_allclose(2 * model.weights_, other.coef_.T, rtol=1e-6, atol=1e-8)
        assert_allclose(2 * model.intercept_ - 1, other.intercept_, rtol=1e-6)
        assert_array_equal(model.predict(iris.data), other.predict(Z))
        assert model.decision_function(iris.data).shape == (150, 3)

    def test_the_bias_free_network_is_a_kernel_ridge_regression(self, rng):
        X, y = regression(rng, 30)
        network = RBFNetwork(n_centers=6, gamma=0.9, alpha=0.2, fit_intercept=False, random_state=1).fit(X, y)

        def kappa(A, B):
            return heights(A, network.centers_, 0.9) @ heights(B, network.centers_, 0.9).T

        ridge = KernelRidge(kernel=kappa, alpha=0.2).fit(X, y)
        new = 2 * rng.normal(size=(12, 2))
        assert_allclose(network.predict(new), ridge.predict(new), rtol=1e-6, atol=1e-8)
        assert np.abs(network.predict(X) - KernelRidge(gamma=0.9, alpha=0.2).fit(X, y).predict(X)).max() > 0.05

    @pytest.mark.parametrize("n_centers, alpha", [(None, 0.01), (9, 0.01), (9, 0.0), (9, 3.0)])
    def test_the_ways_to_the_weights_agree(self, rng, monkeypatch, n_centers, alpha):
        X, y = regression(rng)
        options = {"n_centers": n_centers, "gamma": 2.0, "alpha": alpha, "random_state": 0}
        one = RBFNetwork(**options).fit(X, y)
        monkeypatch.setattr(rbf, "SAFE", np.inf)
        other = RBFNetwork(**options).fit(X, y)
        assert_allclose(one.weights_, other.weights_, rtol=1e-6, atol=1e-8)

    def test_blocks_do_not_show(self, rng, monkeypatch):
        X, y = regression(rng)
        model = RBFNetwork(gamma=2.0).fit(X, y)
        whole, votes = model.predict(X), normalized_vote(X, X, y, gamma=2.0)
        monkeypatch.setattr(rbf, "BLOCK", 100)
        assert_allclose(model.predict(X), whole, rtol=1e-12)
        assert_allclose(normalized_vote(X, X, y, gamma=2.0), votes, rtol=1e-12)


# ---------------------------------------------------------------------------------------------------------------
# Interpolation, and the limit α → 0
# ---------------------------------------------------------------------------------------------------------------
class TestInterpolation:
    def test_the_limit_is_approached(self, rng):
        X, y = regression(rng, 12)
        limit = RBFNetwork(gamma=5.0, alpha=0.0).fit(X, y)
        gaps = [
            np.abs(RBFNetwork(gamma=5.0, alpha=alpha).fit(X, y).weights_ - limit.weights_).max()
            for alpha in (1e-2, 1e-4, 1e-6)
        ]
        assert gaps[0] > 50 * gaps[1] > 50 * 50 * gaps[2]
        assert gaps[2] < 1e-4
        assert_allclose(limit.predict(X), y, atol=1e-10)

    def test_the_bias_makes_the_weights_shortest(self, rng):
        X, y = regression(rng, 12)
        model = RBFNetwork(gamma=5.0, alpha=0.0).fit(X, y)
        Z = heights(X, X, 5.0)
        lengths = [np.linalg.norm(np.linalg.solve(Z, y - b)) for b in model.intercept_ + np.array([-0.01, 0, 0.01])]
        assert lengths[1] < min(lengths[0], lengths[2])
        assert_allclose(model.weights_, np.linalg.solve(Z, y - model.intercept_), rtol=1e-8)
        inverse = np.linalg.inv(Z @ Z)
        assert model.intercept_ == pytest.approx(inverse.sum(axis=0) @ y / inverse.sum(), rel=1e-8)
        with_ones = np.linalg.lstsq(np.column_stack([Z, np.ones(12)]), y, rcond=None)[0]
        assert abs(with_ones[-1] - model.intercept_) > 1e-3  # which prices the bias

    def test_both_ways_at_zero_agree_where_the_matrix_is_regular(self, rng):
        X, y = regression(rng, 15)
        Z = heights(X, X, 4.0)
        quick = rbf.solve_output(Z, y, 0.0, True, True)
        slow = rbf.solve_output(Z, y, 0.0, True, False)  # by singular values
        assert_allclose(quick[0], slow[0], rtol=1e-7, atol=1e-9)
        assert quick[1] == pytest.approx(slow[1], rel=1e-7)

    def test_few_centres_at_zero_are_least_squares(self, rng):
        X, y = regression(rng)
        model = RBFNetwork(n_centers=6, gamma=1.0, alpha=0.0, random_state=0).fit(X, y)
        A = np.column_stack([heights(X, model.centers_, 1.0), np.ones(40)])
        assert_allclose(np.append(model.weights_, model.intercept_), np.linalg.lstsq(A, y, rcond=None)[0], rtol=1e-8)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 10_000))
    def test_passes_through_distinct_points(self, n, d, seed):
        rng = np.random.default_rng(seed)
        X = rng.permutation(20)[:n, np.newaxis] + rng.uniform(-0.2, 0.2, size=(n, d))
        y = rng.normal(size=n)
        for bias in (True, False):
            model = RBFNetwork(gamma=2.0, alpha=0.0, fit_intercept=bias).fit(X, y)
            assert_allclose(model.predict(X), y, atol=1e-9)

    def test_equal_rows_get_the_mean_of_their_targets(self):
        model = RBFNetwork(gamma=1.0, alpha=0.0).fit([[0.0], [1.0], [1.0], [2.0]], [0.0, 1.0, 3.0, 5.0])
        assert_allclose(model.predict([[0.0], [1.0], [2.0]]), [0, 2, 5], atol=1e-9)

    def test_condition_numbers(self):
        """By 60 digits: at γ = 0.1 twelve points in [0, 5] have 2.7e14, and at γ = 0.03 1.8e20."""
        getcontext().prec = 60
        for gamma, expected in (("1", 1.1864e4), ("0.1", 2.7149e14), ("0.03", 1.7866e20)):
            x = [Decimal(5) * i / 11 for i in range(12)]
            A = [[(-Decimal(gamma) * (a - b) ** 2).exp() for b in x] for a in x]
            assert _top(A) * _top(_inverse(A)) == pytest.approx(expected, rel=1e-3)

    def test_a_hat_can_be_singular(self):
        x = np.arange(5.0)
        hat = (np.abs(np.subtract.outer(x, x)) <= 1.2) * 1.0
        assert np.abs(hat @ [1, -1, 0, 1, -1]).max() == 0
        assert np.linalg.eigvalsh(np.exp(-0.5 * np.subtract.outer(x, x) ** 2))[0] > 0.01

    def test_weights_that_cancel_are_warned_of(self):
        x = np.linspace(0, 5, 12)[:, np.newaxis]
        with pytest.warns(UserWarning, match=r"weights add up to .* cancel .* digits: take alpha > 0"):
            model = RBFNetwork(gamma=0.03, alpha=0.0).fit(x, np.sin(3 * x[:, 0]))
        assert np.isfinite(model.predict(x)).all()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            RBFNetwork(gamma=0.03, alpha=1e-4).fit(x, np.sin(3 * x[:, 0]))

    def test_missed_points_are_warned_of(self):
        """Small weights in the directions that are left, and yet the fit goes past the points."""
        x, zigzag = np.linspace(0, 5, 12)[:, np.newaxis], (-1.0) ** np.arange(12)
        with pytest.warns(UserWarning, match=r"cannot tell them apart: the output misses a target by"):
            model = RBFNetwork(gamma=0.03, alpha=0.0, fit_intercept=False).fit(x, 1e4 + zigzag)
        assert np.abs(model.predict(x) - 1e4 - zigzag).max() > 0.1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            RBFNetwork(gamma=3.0, alpha=0.0, fit_intercept=False).fit(x, 1e4 + zigzag)
            RBFNetwork(gamma=3.0, alpha=0.0).fit([[0.0], [1.0], [1.0]], [1.0, 2.0, 3.0])  # no curve passes through all

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("gamma", [1e3, 4e3, 1e4])
    def test_basis_functions_that_reach_no_point(self, bias, gamma):
        """The centre of two points is between them, and the heights there are about 1e-53, 1e-213 and 0."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("error", RuntimeWarning)
            model = RBFNetwork(n_centers=2, gamma=gamma, alpha=0.0, fit_intercept=bias, random_state=0)
            model.fit([[0.0], [0.7], [9.0], [9.71]], [1.0, 2.0, 4.0, 5.0])
        assert np.isfinite(model.predict([[0.0], [0.35], [9.0]])).all()


def _inverse(A):
    n = len(A)
    M = [row[:] + [Decimal(int(i == j)) for j in range(n)] for i, row in enumerate(A)]
    for k in range(n):
        M[k] = [value / M[k][k] for value in M[k]]
        for i in range(n):
            if i != k:
                factor = M[i][k]
                M[i] = [u - factor * v for u, v in zip(M[i], M[k], strict=True)]
    return [row[n:] for row in M]


def _top(A):
    """The largest eigenvalue of a symmetric matrix with positive ones, by the power method."""
    v = [Decimal((i % 3 + 1) * (-1) ** i) for i in range(len(A))]
    for _ in range(150):
        v = [sum(a * b for a, b in zip(row, v, strict=True)) for row in A]
        size = max(abs(value) for value in v)
        v = [value / size for value in v]
    return float(size)


# ---------------------------------------------------------------------------------------------------------------
# Worked numbers
# ---------------------------------------------------------------------------------------------------------------
class TestNumbers:
    def test_two_centres(self):
        model = RBFNetwork(gamma=np.log(2), alpha=0.0, fit_intercept=False).fit([[0.0], [1.0]], [1.0, 0.0])
        assert_allclose(model.weights_, [4 / 3, -2 / 3])
        assert model.intercept_ == 0

    def test_filters_at_a_small_gamma(self):
        """γ = 0.7, λ = 0.3: μ²/(μ² + λ) is not μ/(μ + λ)."""
        x = np.linspace(0, 3, 16)[:, np.newaxis]
        y = np.sin(2 * x[:, 0])
        values, U = np.linalg.eigh(heights(x, x, 0.7))
        fit = RBFNetwork(gamma=0.7, alpha=0.3, fit_intercept=False).fit(x, y).predict(x)
        assert_allclose(fit, U @ (values**2 / (values**2 + 0.3) * (U.T @ y)), rtol=1e-8, atol=1e-10)
        assert np.abs(fit - U @ (values / (values + 0.3) * (U.T @ y))).max() > 0.05

    def test_far_from_all_centres_the_bias_is_left(self, rng):
        X, y = regression(rng)
        model = RBFNetwork(gamma=1.0).fit(X, y)
        assert_array_equal(model.predict([[1e3, 0], [0, -1e6]]), [model.intercept_] * 2)

    def test_a_large_gamma_leaves_the_mean(self, rng):
        X, y = regression(rng)
        for alpha in (0.0, 0.5):
            model = RBFNetwork(gamma=1e9, alpha=alpha).fit(X, y)
            assert model.intercept_ == pytest.approx(y.mean(), rel=1e-9)
            assert_allclose(model.weights_, (y - y.mean()) / (1 + alpha), rtol=1e-9)

    def test_without_a_bias_the_sign_becomes_that_of_the_nearest(self):
        X, y = make_moons(30, noise=0.3, random_state=0)
        model = RBFNetworkClassifier(gamma=100.0, alpha=0.1, fit_intercept=False).fit(X, y)
        new = X[:-1] + 0.3 * np.diff(X, axis=0)
        new = new[model.decision_function(new) != 0]  # beyond γd² = 745 κ is 0
        nearest = KNeighborsClassifier(n_neighbors=1).fit(X, y).predict(new)
        assert np.mean(model.predict(new) == nearest) > 0.95

    def test_gamma_by_name(self, rng):
        X, y = regression(rng)
        assert RBFNetwork(gamma="scale").fit(X, y).gamma_ == pytest.approx(1 / (2 * X.var()))
        assert RBFNetwork(gamma="auto").fit(X, y).gamma_ == 0.5


# ---------------------------------------------------------------------------------------------------------------
# The vote
# ---------------------------------------------------------------------------------------------------------------
class TestVote:
    def test_is_the_weighted_mean(self, rng):
        X, samples, values = rng.normal(size=(9, 2)), rng.normal(size=(7, 2)), rng.normal(size=7)
        K = heights(X, samples, 0.6)
        assert_allclose(normalized_vote(X, samples, values, gamma=0.6), K @ values / K.sum(axis=1), rtol=1e-12)

    def test_has_an_answer_far_away(self):
        found = normalized_vote([[60.0], [-1e6], [0.5]], [[0.0], [1.0]], [5.0, 7.0], gamma=4.0)
        assert_allclose(found, [7, 5, 6])

    @pytest.mark.parametrize("gamma", [1e-300, 1.0, 1e5, 1e12, 1e100])
    @pytest.mark.parametrize("away", [0.0, 1e3, 1e90])
    def test_is_between_the_values_whatever_happens(self, rng, gamma, away):
        X, samples, values = rng.normal(size=(9, 2)) + away, rng.normal(size=(7, 2)), rng.normal(size=7)
        found = normalized_vote(X, samples, values, gamma=gamma)
        assert (found >= values.min() - 1e-12).all() and (found <= values.max() + 1e-12).all()

    def test_becomes_the_nearest_neighbour(self, rng):
        X, samples, y = rng.normal(size=(200, 2)), rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
        nearest = KNeighborsClassifier(n_neighbors=1).fit(samples, y).predict(X)
        shares = normalized_vote(X, samples, np.eye(2)[y], gamma=1e12)
        assert shares.shape == (200, 2)
        assert_allclose(shares.sum(axis=1), 1)
        assert_array_equal(shares.argmax(axis=1), nearest)

    def test_near_samples_keep_their_digits(self):
        found = normalized_vote([[1e4]], [[1e4], [1e4 + 1e-6]], [0.0, 1.0], gamma=1e12)
        assert found[0] == pytest.approx(np.exp(-1) / (1 + np.exp(-1)), rel=1e-3)

    def test_equal_distances_share_the_vote(self):
        assert normalized_vote([[0.0]], [[-1.0], [1.0], [3.0]], [2.0, 4.0, 100.0], gamma=1e6)[0] == 3

    @pytest.mark.parametrize("bad, said", [
        ({"values": [1.0]}, "each of the 2 samples needs a value, got 1"),
        ({"values": [1.0, np.nan]}, "NaN"),
        ({"X": [[1.0, 2.0]]}, "columns|features|widths"),
    ])  # fmt: skip
    def test_bad_input(self, bad, said):
        given = {"X": [[0.0]], "samples": [[0.0], [1.0]], "values": [1.0, 2.0], "gamma": 1.0, **bad}
        with pytest.raises(ValueError, match=said):
            normalized_vote(**given)


# ---------------------------------------------------------------------------------------------------------------
# Invariants
# ---------------------------------------------------------------------------------------------------------------
class TestInvariants:
    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 1000), st.sampled_from([1e-8, 0.37, 1e8]), st.sampled_from([None, 4]))
    def test_units_of_x_and_gamma_belong_together(self, seed, unit, n_centers):
        rng = np.random.default_rng(seed)
        X, y = regression(rng, 20)
        new = rng.normal(size=(5, 2))
        options = {"n_centers": n_centers, "alpha": 0.1, "random_state": 0}
        one = RBFNetwork(gamma=0.8, **options).fit(X, y).predict(new)
        other = RBFNetwork(gamma=0.8 / unit / unit, **options).fit(unit * X, y).predict(unit * new)
        assert_allclose(one, other, rtol=1e-5, atol=1e-6)
        by_scale = RBFNetwork(**options).fit(X, y).predict(new)
        assert_allclose(by_scale, RBFNetwork(**options).fit(unit * X, y).predict(unit * new), rtol=1e-5, atol=1e-6)

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 1000), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
    def test_follows_shifts_and_units_of_y(self, seed, shift, unit):
        rng = np.random.default_rng(seed)
        X, y = regression(rng, 20)
        one = RBFNetwork(gamma=0.8, alpha=0.1).fit(X, y).predict(X)
        other = RBFNetwork(gamma=0.8, alpha=0.1).fit(X, unit * y + shift).predict(X)
        assert_allclose(other, unit * one + shift, rtol=1e-8, atol=1e-9 * (unit + abs(shift)))

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 1000))
    def test_order_of_rows_and_place_do_not_matter(self, seed):
        rng = np.random.default_rng(seed)
        X, y = regression(rng, 20)
        order, new = rng.permutation(20), rng.normal(size=(5, 2))
        one = RBFNetwork(gamma=2.0, alpha=0.1).fit(X, y).predict(new)
        mixed = RBFNetwork(gamma=2.0, alpha=0.1).fit(X[order], y[order]).predict(new)
        assert_allclose(mixed, one, rtol=1e-8, atol=1e-9)
        moved = RBFNetwork(gamma=2.0, alpha=0.1).fit(X + 1e4, y).predict(new + 1e4)
        assert_allclose(moved, one, rtol=1e-6, atol=1e-6)

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 1000), st.sampled_from([0.0, 1e-12, 1e-3, 1.0]), st.sampled_from([None, 5]))
    def test_nothing_near_is_better(self, seed, alpha, n_centers):
        rng = np.random.default_rng(seed)
        X, y = regression(rng, 15)
        model = RBFNetwork(n_centers=n_centers, gamma=3.0, alpha=alpha, random_state=0).fit(X, y)
        Z = heights(X, model.centers_, 3.0)

        def objective(beta, b):
            return np.sum((y - Z @ beta - b) ** 2) + alpha * beta @ beta

        least = objective(model.weights_, model.intercept_)
        for _ in range(10):
            step = 1e-2 * rng.normal(size=len(model.weights_) + 1)
            assert objective(model.weights_ + step[:-1], model.intercept_ + step[-1]) >= least - 1e-9

    def test_names_of_classes_do_not_matter(self):
        X, y = make_moons(60, noise=0.2, random_state=0)
        plain = RBFNetworkClassifier(n_centers=8, random_state=0).fit(X, y)
        named = RBFNetworkClassifier(n_centers=8, random_state=0).fit(X, np.array(["no", "yes"])[y])
        assert_array_equal(named.predict(X), np.array(["no", "yes"])[plain.predict(X)])
        turned = RBFNetworkClassifier(n_centers=8, random_state=0).fit(X, 1 - y)
        assert_allclose(turned.decision_function(X), -plain.decision_function(X), rtol=1e-8, atol=1e-10)

    def test_as_many_centres_as_rows_is_the_full_network(self, rng):
        X, y = regression(rng, 15)
        one = RBFNetwork(gamma=1.0, alpha=0.1).fit(X, y)
        other = RBFNetwork(n_centers=15, gamma=1.0, alpha=0.1, random_state=0).fit(X, y)
        assert_allclose(one.predict(X), other.predict(X), rtol=1e-7, atol=1e-8)


# ---------------------------------------------------------------------------------------------------------------
# Edges
# ---------------------------------------------------------------------------------------------------------------
class TestEdges:
    @pytest.mark.parametrize("alpha", [0.0, 1.0])
    @pytest.mark.parametrize("n_centers", [None, 1])
    def test_one_row(self, alpha, n_centers):
        model = RBFNetwork(n_centers=n_centers, alpha=alpha).fit([[3.0, 4.0]], [2.5])
        assert_allclose(model.predict([[3.0, 4.0], [0.0, 0.0]]), 2.5)
        assert_array_equal(model.weights_, [0.0])

    @pytest.mark.parametrize("alpha", [0.0, 1e-3])
    def test_constant_rows(self, alpha):
        model = RBFNetwork(alpha=alpha).fit(np.ones((5, 2)), np.arange(5.0))
        assert_allclose(model.predict(np.ones((1, 2))), 2.0)

    @pytest.mark.parametrize("alpha", [0.0, 1e-15, 1.0])
    def test_constant_target(self, rng, alpha):
        model = RBFNetwork(alpha=alpha, gamma=1.0).fit(rng.normal(size=(8, 2)), np.full(8, 7.0))
        assert_allclose(model.predict(rng.normal(size=(4, 2))), 7.0, rtol=1e-6)

    def test_a_zero_target(self, rng):
        assert_array_equal(RBFNetwork(alpha=0.0).fit(rng.normal(size=(8, 2)), np.zeros(8)).weights_, np.zeros(8))

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("gamma", [1e-300, 1e-12, 1e12, 1e100])
    @pytest.mark.parametrize("alpha", [0.0, 1e-100, 1.0, 1e100])
    def test_finite_whatever_the_parameters(self, rng, model, gamma, alpha):
        X, y = regression(rng, 12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            for n_centers in (None, 3):
                fitted = model(n_centers=n_centers, gamma=gamma, alpha=alpha, random_state=0).fit(X, y > 0)
                assert np.isfinite(fitted.predict(X)).all() and np.isfinite(fitted.weights_).all()

    @pytest.mark.parametrize("unit", [1e-90, 1e-8, 1e8, 1e90])
    def test_targets_of_any_size(self, rng, unit):
        X, y = regression(rng, 20)
        model = RBFNetwork(gamma=3.0, alpha=0.0).fit(X, unit * y)
        assert_allclose(model.predict(X) / unit, y, atol=1e-8)

    def test_far_from_the_origin(self, rng):
        X, y = regression(rng, 20)
        far = X + 1e6
        assert_allclose(RBFNetwork(gamma=3.0, alpha=0.0).fit(far, y).predict(far), y, atol=1e-6)

    def test_keeps_nothing_of_the_learners_table(self, rng):
        X, y = regression(rng, 20)
        model = RBFNetwork(gamma=1.0).fit(X, y)
        before = model.predict(X[:3])
        asked = X[:3].copy()
        X[:] = 0
        assert_array_equal(model.predict(asked), before)

    def test_can_be_searched_by_scikit_learn(self):
        X, y = make_moons(80, noise=0.2, random_state=0)
        grid = {"n_centers": [2, 10], "gamma": [0.1, 2.0], "alpha": [0.01]}
        search = GridSearchCV(RBFNetworkClassifier(random_state=0), grid, cv=3).fit(X, y)
        assert search.best_params_["n_centers"] == 10


class TestBadInput:
    @pytest.mark.parametrize("model", MODELS)
    def test_more_centres_than_distinct_rows(self, model):
        said = "n_centers = 4 centres need as many distinct rows, but n_samples = 5, 3 of them distinct"
        with pytest.raises(ValueError, match=said):
            model(n_centers=4).fit([[0.0], [1.0], [0.0], [2.0], [2.0]], [0, 1, 1, 0, 1])
        with pytest.raises(ValueError, match="n_samples = 2, 1 of them distinct"):
            model(n_centers=2).fit([[0.0], [0.0]], [0, 1])
        with pytest.raises(NotFittedError):
            model().predict([[0.0]])

    def test_one_class(self):
        with pytest.raises(ValueError, match="only one class"):
            RBFNetworkClassifier().fit([[0.0], [1.0]], ["a", "a"])
