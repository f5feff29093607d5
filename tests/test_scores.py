"""Scores, the sigmoid and the softmax against SciPy; what standardised features keep."""

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.linear_regression import LinearRegression
from mlcore.logistic_regression import LogisticRegression
from mlcore.scores import check_squares, linear_scores, log_softmax, sigmoid, softmax, softplus, standardise
from mlcore.verify import numerical_gradient

seeds = st.integers(0, 10**6)


def test_sigmoid_is_scipys_expit_and_never_overflows():
    z = np.concatenate([np.linspace(-1e4, 1e4, 4001), np.linspace(-40, 40, 4001), [np.inf, -np.inf]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        np.testing.assert_allclose(sigmoid(z), scipy.special.expit(z), rtol=1e-15, atol=1e-300)


def test_sigmoid_of_scalars_integers_and_lists():
    assert sigmoid(0) == 0.5
    assert sigmoid([0, 0]).tolist() == [0.5, 0.5]
    assert sigmoid(np.zeros((2, 3), dtype=int)).shape == (2, 3)
    assert float(sigmoid(math.log(3))) == pytest.approx(0.75, rel=1e-15)


@given(st.floats(-700, 700))
def test_sigmoid_is_symmetric(z):
    assert sigmoid(z) + sigmoid(-z) == pytest.approx(1, abs=5e-16)
    assert 0 < sigmoid(z) <= 1


@given(st.floats(-15, 15))
def test_derivative_of_the_sigmoid(z):
    assert numerical_gradient(sigmoid, z) == pytest.approx(float(sigmoid(z) * sigmoid(-z)), rel=1e-7, abs=1e-12)


def test_softplus_is_scipys_log1p_of_exp_and_never_overflows():
    z = np.concatenate([np.linspace(-1e4, 1e4, 4001), np.linspace(-40, 40, 4001), [1e308, -1e308]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert_allclose(softplus(z), -scipy.special.log_expit(-z), rtol=1e-15, atol=1e-300)


class TestSoftmax:
    @given(seeds)
    @settings(max_examples=30, deadline=None)
    def test_against_scipy(self, seed):
        z = np.random.default_rng(seed).normal(scale=50, size=(4, 5))
        for axis in (0, 1, -1):
            assert_allclose(softmax(z, axis), scipy.special.softmax(z, axis), rtol=1e-12)
            assert_allclose(log_softmax(z, axis), scipy.special.log_softmax(z, axis), rtol=1e-12, atol=1e-15)

    def test_stable_at_scores_of_ten_thousand(self):
        with np.errstate(all="raise", under="ignore"):
            assert_allclose(softmax([1e4, 0.0, -1e4]), [1, 0, 0])
            assert_allclose(softmax([1e4, 1e4]), [0.5, 0.5])
            assert_allclose(log_softmax([1e4, 0.0, -1e4]), [0, -1e4, -2e4])

    @pytest.mark.parametrize("axis", [0, 1])
    def test_the_logarithm_of_a_probability_near_1_keeps_its_digits(self, axis):
        z = np.array([[0.0, -40.0], [-60.0, 0.0], [-60.0, -1.0], [5.0, 5.0]])
        two = np.column_stack([scipy.special.log_expit(z[:, 0] - z[:, 1]), scipy.special.log_expit(z[:, 1] - z[:, 0])])
        assert two[0, 0] > -1e-17
        logs = log_softmax(z if axis == 1 else z.T, axis)
        assert_allclose(logs if axis == 1 else logs.T, two, rtol=1e-14)

    def test_scores_whose_difference_overflows(self):
        with np.errstate(all="raise", under="ignore"):
            assert_allclose(softmax([1e308, -1e308]), [1, 0])
            assert_array_equal(log_softmax([1e308, -1e308]), [0, -np.inf])

    def test_an_impossible_class_has_probability_zero(self):
        assert_allclose(softmax([0.0, -np.inf, 0.0]), [0.5, 0, 0.5])

    @pytest.mark.parametrize("z", [[np.nan, 1], [np.inf, 1], [-np.inf, -np.inf], [], 3.0, ["a"], None])
    def test_bad_scores(self, z):
        with pytest.raises(ValueError):
            softmax(z)

    def test_bad_axis(self):
        with pytest.raises(ValueError, match="must hold scores along axis 2"):
            softmax([[1.0, 2.0]], axis=2)

    def test_the_scores_are_not_changed(self):
        z = np.array([[1.0, 2.0], [3.0, 4.0]])
        z.setflags(write=False)
        softmax(z), log_softmax(z)


class TestStandardise:
    @given(seeds)
    @settings(max_examples=30, deadline=None)
    def test_mean_0_and_variance_1_under_the_weights(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20, 3)) * 10.0 ** rng.uniform(-8, 8, size=3) + rng.normal(size=3)
        weights = rng.dirichlet(np.ones(20))
        Z, mean, deviation = standardise(X, weights)
        assert_allclose(np.average(Z, axis=0, weights=weights), 0, atol=1e-7)
        assert_allclose(np.average(Z**2, axis=0, weights=weights), 1, rtol=1e-7)
        assert_allclose(Z * deviation + mean, X, rtol=1e-12, atol=1e-12 * np.abs(X).max())

    def test_a_row_twice_is_a_row_of_twice_the_weight(self):
        X = np.array([[1.0, 5.0], [2.0, -1.0], [4.0, 0.5]])
        heavy, once = standardise(X, np.array([0.25, 0.25, 0.5])), standardise(X[[0, 1, 2, 2]], np.full(4, 0.25))
        assert_allclose(heavy[0], once[0][:3], rtol=1e-14)
        assert_allclose(heavy[2], once[2], rtol=1e-14)

    def test_a_constant_column_becomes_zero(self):
        X = np.column_stack([np.full(5, 0.1), np.arange(5.0), np.full(5, 1e9 / 3)])
        Z, mean, deviation = standardise(X, np.array([0.1, 0.2, 0.3, 0.2, 0.2]))
        assert_array_equal(Z[:, [0, 2]], 0.0)
        assert_array_equal(deviation[[0, 2]], 1.0)
        assert_allclose(mean, [0.1, 2.2, 1e9 / 3])

    def test_a_column_whose_squares_underflow_counts_as_constant(self):
        Z, _, deviation = standardise(np.array([[1e-120, 1e-90], [3e-120, 3e-90]]), np.array([0.5, 0.5]))
        assert_allclose(Z, [[0, -1], [0, 1]], rtol=1e-14)
        assert_allclose(deviation, [1, 1e-90])

    @pytest.mark.parametrize("size", [1.1e100, -1e200])
    def test_squares_that_overflow(self, size):
        for function in (check_squares, lambda X: standardise(X, np.array([0.5, 0.5]))):
            with pytest.raises(ValueError, match="squares overflow"):
                function(np.array([[1.0], [size]]))
        check_squares(np.array([[1e100, -1e100]]))


class TestLinearScores:
    def test_one_score_a_row_or_one_for_each_class(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
        model = LogisticRegression(alpha=1.0).fit(X, y)
        assert_allclose(linear_scores(model, X), [w @ model.coef_ + model.intercept_ for w in X])
        model.coef_, model.intercept_ = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 3.0]]), np.array([0.0, 1.0, 2.0])
        assert_allclose(linear_scores(model, [[1.0, -1.0]]), [[-1.0, 0.0, 2.0]])

    def test_an_overflow_is_named(self):
        rng = np.random.default_rng(0)
        model = LogisticRegression(alpha=1.0).fit(rng.normal(size=(30, 2)), rng.integers(0, 2, 30))
        model.coef_ = np.array([1e10, 1.0])
        with pytest.raises(ValueError, match=r"overflows for values of X as large as 1e\+300"):
            linear_scores(model, [[1e300, 0.0]])

    def test_not_fitted(self):
        with pytest.raises(ValueError, match="not fitted"):
            linear_scores(LinearRegression(), [[1.0]])
