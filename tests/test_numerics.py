"""Special functions against SciPy, units, linear systems, and the walk that halves its steps."""

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.base import linear_scores
from mlcore.generalized_linear_models import log_softmax, softmax
from mlcore.linear_regression import LinearRegression
from mlcore.logistic_regression import LogisticRegression, sigmoid
from mlcore.numerics import (
    CholeskyFactor,
    Frame,
    expit,
    finite,
    halve,
    linear_problem,
    newton_fit,
    newton_walk,
    penalty_in_units,
    softplus,
    solve,
    solve_regular,
    standardise,
    weighted_gram,
)
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
        with np.errstate(over="ignore"):
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
        model.coef_ = np.array([1e250, 1.0])
        with pytest.raises(ValueError, match=r"the score w·x \+ b overflows; rescale X"):
            linear_scores(model, [[1e90, 0.0]])

    def test_not_fitted(self):
        with pytest.raises(ValueError, match="not fitted"):
            linear_scores(LinearRegression(), [[1.0]])


def test_a_linear_problem_has_the_same_scores_and_penalty():
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(20, 3)) * [1e-3, 1, 1e3] + 5, rng.uniform(1, 3, size=20)
    w, b = rng.normal(size=3), 0.4
    problem = linear_problem(X, weights, 0.7)
    theta = problem.into(w, b)
    assert_allclose(problem.X @ theta, X @ w + b, rtol=1e-10)
    assert problem.penalties @ theta**2 * weights.sum() == pytest.approx(0.7 * w @ w)
    back = problem.back(np.array([theta, 2 * theta]))
    assert_allclose(back[0], [w, 2 * w])
    assert_allclose(back[1], [b, 2 * b], rtol=1e-9)


def test_a_penalty_in_other_units_is_the_same_penalty():
    w, deviation = np.array([3.0, -2.0, 0.5]), np.array([1e-8, 1.0, 1e8])
    v = deviation * w  # what the weights are for X / deviation
    assert np.sum(penalty_in_units(0.7, deviation) * v**2) == pytest.approx(0.7 * w @ w, rel=1e-12)
    assert np.isfinite(penalty_in_units(1e90, np.array([1e-90]))).all()


class TestSolve:
    @given(seeds)
    @settings(max_examples=30, deadline=None)
    def test_against_numpy_in_any_units(self, seed):
        rng = np.random.default_rng(seed)
        A, units = rng.normal(size=(8, 4)), 10.0 ** rng.uniform(-8, 8, size=4)
        x = rng.normal(size=4)
        H = A.T @ A + np.eye(4)
        assert_allclose(solve(H * units * units[:, None], units * (H @ x)) * units, x, rtol=1e-9, atol=1e-9)
        assert_allclose(solve(H, np.column_stack([H @ x, x])), np.column_stack([x, np.linalg.solve(H, x)]), rtol=1e-9)

    def test_the_shortest_solution_where_it_is_singular(self):
        rng = np.random.default_rng(0)
        A = rng.normal(size=(6, 3))[:, [0, 1, 2, 2]]
        A /= np.linalg.norm(A, axis=0)
        g = A.T @ rng.normal(size=6)
        assert_allclose(solve(A.T @ A, g), np.linalg.pinv(A.T @ A) @ g, rtol=1e-7)
        assert_array_equal(solve(np.zeros((2, 2)), np.array([0.0, 0.0])), 0.0)


    def test_nearly_dependent_columns(self):
        rng = np.random.default_rng(0)
        A = rng.normal(size=(50, 3)) * [1.0, 1e6, 1.0]
        A[:, 2] = A[:, 0] + 1e-5 * A[:, 2]
        truth = np.array([1.0, 2e-6, 3.0])
        assert_allclose(solve(A.T @ A, A.T @ (A @ truth)), truth, rtol=1e-4)

    def test_an_unknown_without_equation_is_zero(self):
        H, g = np.array([[1.0, 100.0, 0.0], [100.0, 1e4, 0.0], [0.0, 0.0, 0.0]]), np.array([1.0, 100.0, 0.0])
        assert_allclose(solve(H, g), [0.5, 0.005, 0.0], rtol=1e-12)  # halves, in the units of the diagonal's roots
        assert_allclose(solve(np.diag([2.0, 0.0]), np.array([4.0, 1.0])), [2.0, 0.0], rtol=1e-14)

    def test_solve_regular_refuses_what_has_lost_half_of_its_digits(self):
        A = np.random.default_rng(0).normal(size=(9, 3))
        H = A.T @ A
        assert_allclose(solve_regular(H, H @ [1.0, -2.0, 3.0]), [1, -2, 3], rtol=1e-10)
        units = np.array([1e-8, 1.0, 1e8])  # the unit of a row is no reason
        in_units = H * np.outer(units, units)
        assert_allclose(solve_regular(in_units, in_units @ (1 / units)), 1 / units, rtol=1e-8)
        twins = np.column_stack([A, A[:, 0] * (1 + 1e-6)])
        for singular in (twins.T @ twins, np.diag([1.0, 0.0]), np.zeros((2, 2))):
            with pytest.raises(np.linalg.LinAlgError):
                solve_regular(singular, np.ones(len(singular)))


@pytest.mark.parametrize("shape", [(70_000, 2), (20_000, 3), (1, 1), (40_001, 1)])
def test_weighted_gram_over_many_blocks(shape):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=shape), rng.uniform(size=shape[0])
    assert_allclose(weighted_gram(X, weights), (X.T * weights) @ X, rtol=1e-9, atol=1e-9)


def test_cholesky_factor_of_several_blocks():
    rng = np.random.default_rng(0)
    B, Y = rng.normal(size=(200, 200)), rng.normal(size=(200, 2))
    A = B @ B.T + np.eye(200)
    assert_allclose(CholeskyFactor(A).solve(Y), np.linalg.solve(A, Y), rtol=1e-8, atol=1e-10)


class TestNewtonWalk:
    def test_a_parabola_takes_one_step(self):
        H, target = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, -2.0])

        def look(theta):
            slope = H @ (theta - target)
            return 0.5 * slope @ (theta - target), slope

        places = list(newton_walk(np.zeros(2), look, lambda theta, slope: (-np.linalg.solve(H, slope), slope), 10))
        assert_allclose(places[1].theta, target, atol=1e-12)
        assert places[0].promised == pytest.approx(2 * places[0].value)  # half of it is lost on a parabola
        assert len(places) <= 3

    def test_steps_that_overshoot_are_halved_and_the_value_never_rises(self):
        def look(x):  # √(1 + x²): from |x| > 1 a full Newton step goes farther away
            return float(np.sqrt(1 + x @ x)), None

        def step(x, _):
            root = np.sqrt(1 + x @ x)
            return -x * root**2, x / root

        places = list(newton_walk(np.array([30.0]), look, step, 100))
        assert (np.diff([place.value for place in places]) < 0).all()
        assert abs(places[-1].theta[0]) < 1e-6

    def test_where_a_step_leaves_what_is_allowed_it_is_halved(self):
        def look(x):  # x - ln x, defined for x > 0
            return float(x[0] - np.log(x[0])), None

        places = list(newton_walk(np.array([5.0]), look, lambda x, _: (-(1 - 1 / x) * x**2, 1 - 1 / x), 50))
        assert places[-1].theta[0] == pytest.approx(1)
        assert all(place.theta[0] > 0 for place in places)

    def test_without_a_value_every_step_is_whole(self):
        """x - x³ = 0 from 0.4: Newton's step is x ← -2x³ / (1 - 3x²)."""
        places = newton_walk(
            np.array([0.4]), lambda x: (None, None), lambda x, _: (-(x - x**3) / (1 - 3 * x**2), x - x**3), 3
        )
        x, expected = 0.4, []
        for _ in range(4):
            expected.append(x)
            x = -2 * x**3 / (1 - 3 * x**2)
        found = list(places)
        assert_allclose([place.theta.item() for place in found], expected, rtol=1e-9)
        assert_allclose([place.slope.item() for place in found], np.array(expected) - np.power(expected, 3), rtol=1e-9)

    def test_max_iter_counts_steps(self):
        walk = newton_walk(np.array([9.0]), lambda x: (float(x @ x), None), lambda x, _: (-0.25 * x, 2 * x), 3)
        assert [float(place.theta[0]) for place in walk] == [9.0, 6.75, 5.0625, 3.796875]

    def test_a_step_that_promises_a_rise_must_still_fall(self):
        assert halve(lambda share: (1.0 + 1e-5 * share, None), 1.0, promised=-1.0) == (0.0, None)

    def test_no_share_is_good_enough_uphill(self):
        assert halve(lambda share: (1.0 + share, None), 1.0, 1.0) == (0.0, None)
        assert halve(lambda share: (np.nan if share > 0.2 else 1 - share, "seen"), 1.0, 1.0) == (0.125, (0.875, "seen"))


def fit_of(J, move, promised, start, max_iter, tol, penalised=False):
    """The triples of ``newton_fit`` in one dimension, where J, the step and what it promises are given."""
    return list(newton_fit(
        start, lambda theta: (J(theta), None), lambda theta, _: (move(theta), -promised(theta) / move(theta)), abs,
        max_iter, tol, penalised=penalised,
    ))  # fmt: skip


class TestNewtonFit:
    def test_a_step_that_gains_nothing_is_not_taken(self):
        assert fit_of(lambda t: 1.0, lambda t: 1.0, lambda t: 0.5, 0.0, 10, 1e-8) == [(0.0, 1.0, "stopped")]

    def test_steps_are_halved_until_they_gain(self):
        steps = fit_of(abs, lambda t: -8 * t or 1e-300, lambda t: 8 * abs(t), 3.0, 10, 1e-8)  # an eighth lands
        assert steps[0] == (0.0, 0.0, "running")
        assert steps[-1][1:] == (pytest.approx(0, abs=1e-299), "converged") and len(steps) == 2

    def test_a_gain_must_keep_a_part_of_its_promise(self):
        assert fit_of(lambda t: 1 - 1e-5 * t, lambda t: 1.0, lambda t: 1.0, 0.0, 3, 1e-8) == [(0.0, 1.0, "stopped")]

    def test_the_number_of_steps_and_a_slope_without_end(self):
        slope = (lambda t: 2.0**-t, lambda t: 1.0, lambda t: 2.0**-t, 0.0)
        assert fit_of(*slope, 3, 1e-8) == [
            (1.0, 0.5, "running"), (2.0, 0.25, "running"), (3.0, 0.125, "running"), (3.0, 0.125, "stopped"),
        ]  # fmt: skip
        for tol in (1e-8, 0.5):  # a long step is not given up for a loose tolerance
            *_, (theta, _, status) = fit_of(*slope, 100, tol)
            assert status == "no maximum" and 2.0**-theta <= 1e-10 < 2.0 ** (1 - theta)

    def test_a_penalty_walks_on_until_the_steps_are_short(self):
        far = (lambda t: 2.0**-t, lambda t: 1.0 if t < 70 else 0.005, lambda t: 2.0**-t, 0.0)
        *_, (theta, value, status) = fit_of(*far, 200, 1e-8, penalised=True)
        assert status == "converged" and theta == 70.005 and value == 2.0**-theta

    def test_out_of_steps_is_stopped_however_little_is_promised(self):
        gentle = fit_of(lambda t: 1 - 1e-7 * t, lambda t: 0.001, lambda t: 1e-10, 0.0, 2, 0.0)
        assert [status for _, _, status in gentle] == ["running", "running", "stopped"]

    def test_a_gain_too_small_to_be_seen(self):
        deep = fit_of(lambda t: 1.0, lambda t: 0.001, lambda t: 1e-12, 0.0, 10, 0.0)
        assert deep == [(0.001, 1.0, "converged")]
        assert fit_of(lambda t: 1.0, lambda t: 5.0, lambda t: 1e-12, 0.0, 10, 0.0) == [(0.0, 1.0, "no maximum")]
        border = fit_of(lambda t: 1.0 if t == 0 else np.inf, lambda t: 0.001, lambda t: 1e-12, 0.0, 10, 0.0)
        assert border == [(0.0, 1.0, "converged")]


def test_finite_returns_what_it_got_or_says_what_to_do():
    values = np.array([1.0, -2.0])
    assert finite(values, "rescale") is values
    for bad in (np.nan, np.inf, np.array([0.0, -np.inf])):
        with pytest.raises(ValueError, match="^rescale X$"):
            finite(bad, "rescale X")


def test_expit_is_the_sigmoid_without_its_door():
    z = np.linspace(-800, 800, 41)
    assert_array_equal(expit(z), sigmoid(z))


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1.0, 1e90])
def test_a_frame_and_back(scale):
    X = (np.random.default_rng(0).normal(size=(20, 3)) + 5) * scale
    frame = Frame(X)
    Z = frame.into(X)
    assert 0.25 <= np.abs(Z).max() <= 1.1 and np.abs(Z.mean(axis=0)).max() < 1e-14
    np.testing.assert_allclose(frame.back(Z), X, rtol=1e-14)
    assert np.log2(frame.unit) % 1 == 0 and Frame(np.ones((3, 2))).unit == 1
    assert frame.into(frame.origin + 1e-101 * frame.unit).tolist() == [0, 0, 0]  # its square would underflow
