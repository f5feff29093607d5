"""Chapter 2 against numpy.linalg.lstsq, scikit-learn, worked numbers of the notes, and what must hold for any data."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
import sklearn.preprocessing
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.estimator_checks import parametrize_with_checks

from mlcore.base import ConvergenceWarning, NotFittedError, snapshots
from mlcore.datasets import load_diabetes, make_sine
from mlcore.linear_regression import (
    Lasso,
    LinearRegression,
    LocallyWeightedRegression,
    PolynomialFeatures,
    Ridge,
    _falling_rate,
    _weight_left_behind,
    filtered_weights,
    lasso_sweep,
    local_value,
    mean_gradient,
    nearness,
    normal_equation,
    one_hot_encode,
    ordinal_encode,
    products,
    ridge_weights,
    rms_error,
    shortest_solution,
    simple_linear_regression,
    slope_and_intercept,
    soft_threshold,
    support_step,
)
from mlcore.optimize import DivergenceError

SOLVERS = ("lstsq", "normal", "gd", "sgd", "minibatch")

# read by tests/test_estimators.py; "normal" refuses singular data and has its own run below
CONFORMANCE_INSTANCES = {
    "LinearRegression": [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        LinearRegression(solver="gd"),
        LinearRegression(solver="sgd", max_iter=20),
        LinearRegression(solver="minibatch", max_iter=100),
    ],
    "Ridge": [Ridge(), Ridge(alpha=0.0)],
    "Lasso": [Lasso(), Lasso(alpha=0.01), Lasso(alpha=0.0)],
}


@parametrize_with_checks(
    [LinearRegression(solver="normal")],
    expected_failed_checks=lambda estimator: {
        "check_array_api_input": "its data has rank 8 with 10 features, which this solver refuses by design"
    },
)
def test_conformance_of_the_normal_equation(estimator, check):
    check(estimator)


def data(n=60, d=4, noise=0.5, seed=0):
    """A linear relation with noise; columns of different scale and place."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d) + rng.uniform(-3, 3, d)
    return X, X @ rng.normal(size=d) + 1.5 + noise * rng.normal(size=n)


def wide(n=30, d=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :5] @ [3.0, -2.0, 1.5, 1.0, -1.0] + 0.1 * rng.normal(size=n)


def lstsq(X, y):
    """The oracle: least squares by NumPy on [X 1]."""
    solution = np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y, rcond=None)[0]
    return solution[:-1], solution[-1]


def assert_same_fit(model, coef, intercept, rtol=1e-8):
    scale = max(np.abs(coef).max(), abs(intercept), 1e-300)
    np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=0, atol=rtol * scale)


# columns of well-behaved numbers, for properties that must hold whatever the data
tables = st.integers(0, 2**31).map(lambda seed: np.random.default_rng(seed)).map(
    lambda rng: (rng.normal(size=(20, 3)) * rng.uniform(0.1, 10, 3) + rng.normal(size=3), rng.normal(size=20) * 3)
)


# ---------------------------------------------------------------------------------------------------------------
# The formulas, each against a brute-force answer
# ---------------------------------------------------------------------------------------------------------------
class TestCore:
    X, y = np.random.default_rng(1).normal(size=(12, 3)), np.random.default_rng(2).normal(size=12)
    G, c = X.T @ X / 12, X.T @ y / 12

    def test_slope_and_intercept(self):
        x = self.X[:, 0]
        np.testing.assert_allclose(slope_and_intercept(x, self.y), np.polyfit(x, self.y, 1), rtol=1e-10)

    def test_mean_gradient(self):
        w = np.array([0.3, -1.0, 2.0])
        one_by_one = [(x @ w - target) * x for x, target in zip(self.X, self.y, strict=True)]
        np.testing.assert_allclose(mean_gradient(w, self.X, self.y), np.mean(one_by_one, axis=0), rtol=1e-10)

    def test_closed_forms(self):
        inverse = np.linalg.inv(self.X.T @ self.X) @ self.X.T @ self.y
        np.testing.assert_allclose(normal_equation(self.X, self.y), inverse, rtol=1e-10)
        np.testing.assert_allclose(shortest_solution(self.X, self.y), inverse, rtol=1e-10)
        np.testing.assert_allclose(shortest_solution(self.X[:2], self.y[:2]), np.linalg.pinv(self.X[:2]) @ self.y[:2])
        assert shortest_solution(np.zeros((4, 2)), np.ones(4)).tolist() == [0, 0]

    @pytest.mark.parametrize("rows", [2, 3, 12])
    @pytest.mark.parametrize("alpha", [1e-3, 0.7, 50.0])
    def test_ridge_three_ways(self, rows, alpha):
        X, y = self.X[:rows], self.y[:rows]
        inverse = np.linalg.inv(X.T @ X + alpha * np.eye(3)) @ X.T @ y
        np.testing.assert_allclose(ridge_weights(X, y, alpha), inverse, rtol=1e-8)
        np.testing.assert_allclose(filtered_weights(X, y, alpha), inverse, rtol=1e-8)

    def test_an_equation_that_has_lost_half_of_its_digits_is_not_solved(self):
        twins = np.column_stack([self.X, self.X[:, 0] + 1e-7 * self.y])
        for solve in (normal_equation, lambda X, y: ridge_weights(X, y, 1e-14)):
            with pytest.raises(np.linalg.LinAlgError):
                solve(twins, self.y)

    def test_shrink(self):
        grid = np.linspace(-4, 4, 80001)
        for z in (-2.0, -0.8, 0.0, 0.3, 1.7):
            best = grid[np.argmin(0.5 * (grid - z) ** 2 + 0.8 * np.abs(grid))]
            assert soft_threshold(z, 0.8) == pytest.approx(best, abs=2e-4)
        assert str(soft_threshold(np.array([-0.5, 0.5]), 0.8).tolist()) == "[0.0, 0.0]"  # no -0.0

    def lasso(self, w, alpha):
        return np.mean((self.y - self.X @ w) ** 2) / 2 + alpha * np.abs(w).sum()

    def test_a_sweep_minimises_over_each_weight_in_turn(self):
        w, alpha, grid = np.array([0.3, -1.0, 2.0]), 0.1, np.linspace(-3, 3, 6001)
        by_search = w.copy()
        for j in range(3):
            tried = np.where(np.arange(3) == j, grid[:, np.newaxis], by_search)
            by_search[j] = grid[np.argmin([self.lasso(v, alpha) for v in tried])]
        np.testing.assert_allclose(lasso_sweep(w, self.G, self.c, alpha), by_search, atol=2e-3)
        assert w.tolist() == [0.3, -1.0, 2.0]

    def test_a_support_step_solves_the_optimality_conditions_or_stops_at_the_first_zero(self):
        signs = np.sign(np.linalg.solve(self.G, self.c))
        there = support_step(signs, self.G, self.c, 0.001)
        np.testing.assert_allclose(self.c - self.G @ there, 0.001 * signs, rtol=1e-6)
        wrong = support_step(-signs, self.G, self.c, 0.001)
        assert np.count_nonzero(wrong) == 2 and self.lasso(wrong, 0.001) < self.lasso(-signs, 0.001)
        assert support_step(np.zeros(3), self.G, self.c, 0.001).tolist() == [0, 0, 0]

    def test_the_local_value_is_weighted_least_squares(self):
        q = np.array([0.2, -0.1, 0.4])
        u = nearness(q, self.X, 0.9)
        assert u.max() == 1
        far = np.exp(-np.sum((self.X - q) ** 2, axis=1) / (2 * 0.81))
        np.testing.assert_allclose(u / u.sum(), far / far.sum(), rtol=1e-10)
        theirs = sklearn.linear_model.LinearRegression().fit(self.X, self.y, sample_weight=u)
        assert local_value(q, self.X, self.y, u) == pytest.approx(theirs.predict([q])[0], rel=1e-9)

    def test_products(self):
        factors = [(), (0,), (2,), (0, 2), (2, 2), (2, 2, 2)]
        expected = [np.prod(self.X[:, list(indices)], axis=1) for indices in factors]
        np.testing.assert_allclose(products(self.X, factors), np.transpose(expected), rtol=1e-12)


# ---------------------------------------------------------------------------------------------------------------
# One feature
# ---------------------------------------------------------------------------------------------------------------
class TestSimpleLinearRegression:
    def test_worked_by_hand(self):
        """x̄ = 2, ȳ = 3: w = (2·(-1) + 2·0 + 5·1) / 2 = 3/2 and b = 3 - 3/2·2 = 0."""
        assert simple_linear_regression([1, 2, 3], [2, 2, 5]) == (1.5, 0.0)

    def test_the_notes_form_of_the_denominator(self):
        """D (3.7): Σx² - (Σx)²/m equals Σ(x - x̄)²."""
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(2, 25))
        w = np.sum(y * (x - x.mean())) / (np.sum(x**2) - np.sum(x) ** 2 / 25)
        b = np.mean(y - w * x)
        np.testing.assert_allclose(simple_linear_regression(x, y), (w, b), rtol=1e-12)

    @given(arrays(float, 12, elements=st.floats(-100, 100)), arrays(float, 12, elements=st.floats(-100, 100)))
    def test_against_polyfit(self, x, y):
        assume(np.ptp(x) > 1e-3)
        np.testing.assert_allclose(simple_linear_regression(x, y), np.polyfit(x, y, 1), rtol=1e-6, atol=1e-6)

    def test_far_from_zero_no_digits_are_lost(self):
        """Years: Σx² - (Σx)²/m would cancel; the centred form does not."""
        x = 2e8 + np.arange(10.0)
        w, b = simple_linear_regression(x, 3 * (x - 2e8) + 1)
        assert w == pytest.approx(3, rel=1e-14) and b == pytest.approx(1 - 6e8, rel=1e-14)

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_scales(self, scale):
        x, y = np.random.default_rng(0).normal(size=(2, 20))
        w, b = simple_linear_regression(x, y)
        np.testing.assert_allclose(simple_linear_regression(scale * x, y), (w / scale, b), rtol=1e-12)

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"all 3 values of x are equal \(2\)"):
            simple_linear_regression([2, 2, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="all 1 values"):
            simple_linear_regression([2], [1])
        with pytest.raises(ValueError, match=r"\[3, 2\] \(x and y\)"):
            simple_linear_regression([1, 2, 3], [1, 2])
        with pytest.raises(ValueError, match="x contains NaN"):
            simple_linear_regression([1, np.nan], [1, 2])
        with pytest.raises(ValueError, match="y should be a 1d array"):
            simple_linear_regression([1, 2], [[1, 2], [3, 4]])
        with pytest.raises(ValueError, match="x holds values as large as 1e\\+300.*rescale x"):
            simple_linear_regression([-1e300, 1e300], [0, 1])


class TestRmsError:
    def test_worked_by_hand(self):
        assert rms_error([1, 2, 3], [1, 2, 3]) == 0
        assert rms_error([0, 0], [3, 4]) == pytest.approx(np.sqrt(12.5))

    def test_it_is_the_root_of_twice_the_notes_e_over_n(self):
        y, p = np.random.default_rng(0).normal(size=(2, 9))
        E = 0.5 * np.sum((y - p) ** 2)
        assert rms_error(y, p) == pytest.approx(np.sqrt(2 * E / 9)) != pytest.approx(np.sqrt(E / 9))

    @pytest.mark.parametrize("size", [1e-100, 1e-8, 1e8, 1e100])
    def test_it_has_the_unit_of_y(self, size):
        assert rms_error([0.0, size], [size, size]) == pytest.approx(size / np.sqrt(2), rel=1e-12, abs=0)

    def test_numbers_whose_squares_overflow_are_refused(self):
        with pytest.raises(ValueError, match="Numbers beyond 1e100 are refused.*rescale y_true"):
            rms_error([1e200], [0.0])

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"\[2, 3\] \(y_true and y_pred\)"):
            rms_error([1, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="y_pred contains NaN"):
            rms_error([1.0], [np.nan])


# ---------------------------------------------------------------------------------------------------------------
# Least squares
# ---------------------------------------------------------------------------------------------------------------
class TestLinearRegression:
    @pytest.mark.parametrize("solver", ["lstsq", "normal"])
    @pytest.mark.parametrize("shape", [(60, 4), (5, 4), (200, 1), (300, 40)])
    def test_closed_forms_against_numpy(self, solver, shape):
        X, y = data(*shape)
        assert_same_fit(LinearRegression(solver=solver).fit(X, y), *lstsq(X, y))

    def test_against_scikit_learn_on_real_data(self):
        X, y = load_diabetes().data, load_diabetes().target
        theirs = sklearn.linear_model.LinearRegression().fit(X, y)
        for solver in ("lstsq", "normal"):
            ours = LinearRegression(solver=solver).fit(X, y)
            assert_same_fit(ours, theirs.coef_, theirs.intercept_)
            assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-10)
            np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_without_intercept(self, solver):
        X, y = data()
        ours = LinearRegression(solver=solver, fit_intercept=False, tol=1e-6, max_iter=3000, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            ours.fit(X, y)
        assert ours.intercept_ == 0
        exact = np.linalg.lstsq(X, y, rcond=None)[0]
        np.testing.assert_allclose(ours.coef_, exact, atol=1e-8 if solver in ("lstsq", "normal") else 0.02)

    def test_gradient_descent_reaches_the_closed_form(self):
        X, y = data()
        ours = LinearRegression(solver="gd", tol=1e-12, max_iter=100_000).fit(X, y)
        assert_same_fit(ours, *lstsq(X, y))
        assert 1 < ours.n_iter_ < 100_000

    @pytest.mark.parametrize("solver", ["sgd", "minibatch"])
    def test_stochastic_descent_comes_close_without_any_setting(self, solver):
        X, y = data(200)
        coef, intercept = lstsq(X, y)
        ours = LinearRegression(solver=solver, random_state=0).fit(X, y)
        assert np.linalg.norm(ours.coef_ - coef) < 0.01 * np.linalg.norm(coef)
        assert abs(ours.intercept_ - intercept) < 0.01 * np.linalg.norm(coef) * np.linalg.norm(X.mean(axis=0))

    def test_a_batch_of_everything_is_gradient_descent(self):
        X, y = data()
        batch = LinearRegression(solver="minibatch", batch_size=1000, learning_rate=0.1, max_iter=7, tol=0)
        full = LinearRegression(solver="gd", learning_rate=0.1, max_iter=7, tol=0)
        with pytest.warns(ConvergenceWarning):
            np.testing.assert_allclose(batch.fit(X, y).coef_, full.fit(X, y).coef_, rtol=1e-10)

    def test_one_lms_step_by_hand(self):
        """From w = 0 a step on (x, y) gives η y x (no intercept, one sample)."""
        model = LinearRegression(solver="sgd", learning_rate=0.1, max_iter=1, tol=0, fit_intercept=False)
        assert next(model.iter_fit([[2.0, 3.0]], [4.0])).coef_ == pytest.approx([0.8, 1.2])

    def test_the_largest_rate_is_2_over_lambda_max_of_the_mean_gram_matrix(self):
        X, y = data()
        centred = X - X.mean(axis=0)
        limit = 2 / np.linalg.eigvalsh(centred.T @ centred / len(X))[-1]
        below = LinearRegression(solver="gd", learning_rate=0.99 * limit, max_iter=100_000, tol=1e-10).fit(X, y)
        assert_same_fit(below, *lstsq(X, y), rtol=1e-6)
        with pytest.raises(DivergenceError, match=f"below 2/λ_max = {limit:.4g}"):
            LinearRegression(solver="gd", learning_rate=1.01 * limit, max_iter=100_000).fit(X, y)

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_iter_fit_yields_the_model_ready_to_predict_and_ends_where_fit_ends(self, solver):
        X, y = data()
        model = LinearRegression(solver=solver, random_state=0, max_iter=5, tol=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            states = snapshots(model.iter_fit(X, y))
            fitted = LinearRegression(solver=solver, random_state=0, max_iter=5, tol=0).fit(X, y)
        steps = {"lstsq": 1, "normal": 1, "gd": 5, "sgd": 5 * 60, "minibatch": 5 * 2}[solver]
        assert len(states) == steps and all(len(s.predict(X)) == 60 for s in states)
        np.testing.assert_array_equal(states[-1].coef_, fitted.coef_)
        assert states[-1].n_iter_ == fitted.n_iter_ == (1 if steps == 1 else 5)

    @pytest.mark.parametrize("unit", [1e-90, 1e-6, 1e-3, 1.0, 1e3, 1e6])
    @pytest.mark.parametrize("rate", [None, 0.05, lambda step: 1 / (1 + step)], ids=["chosen", "constant", "falling"])
    @pytest.mark.parametrize("solver", ["gd", "sgd", "minibatch"])
    @pytest.mark.parametrize("weight", ["in the unit", 1.0])
    def test_a_walk_reaches_the_answer_or_says_that_it_did_not(self, solver, rate, unit, weight):
        """One feature in another unit than the rest: without a warning every weight is that of lstsq, to 2 %."""
        rng = np.random.default_rng(3)
        X = rng.normal(size=(80, 3)) * [unit, 1.0, 1.0]
        y = X @ [1.0 / unit if weight == "in the unit" else weight, -2.0, 0.5] + 0.3 * rng.normal(size=80)
        exact = LinearRegression().fit(X, y)
        model = LinearRegression(solver=solver, learning_rate=rate, max_iter=60, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model.fit(X, y)
            except DivergenceError as error:
                assert "too large" in str(error) or "smaller" in str(error)
                return
        if not caught:
            noise = 0.3 / np.sqrt(80) / np.abs(X).max(axis=0)
            assert np.all(np.abs(model.coef_ - exact.coef_) <= 0.02 * np.abs(exact.coef_) + 0.5 * noise)
        assert [w.category for w in caught] in ([], [ConvergenceWarning])
        assert all("standardise the features" in str(w.message) for w in caught)

    @pytest.mark.parametrize("solver", ["gd", "sgd", "minibatch"])
    def test_the_walk_that_stands_still_says_how_far_it_is_from_the_answer(self, solver):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(80, 2)) * [1e6, 1.0]
        y = X @ [1.0, 1.0]
        with pytest.warns(ConvergenceWarning, match=r"met tol after .*weight 1 is .*, but 1 at the minimum"):
            LinearRegression(solver=solver, random_state=0).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Z = X / X.std(axis=0)
            LinearRegression(solver=solver, random_state=0).fit(Z, Z @ [1.0, 1.0])

    @pytest.mark.parametrize("unit", [1e-90, 1.0, 1e9])
    @pytest.mark.parametrize(
        ("moved", "by", "noise", "near"),
        [
            (1, 0.0004, 0.0, True),
            (0, 0.05, 10.0, False),  # noise explains it, but it is over 1 % of the largest weight
            (1, 0.02, 0.0, False),  # below 1 % of the largest weight, but over 1 % of its own
            (1, 0.02, 10.0, True),  # the same, but noise explains it
            (0, 0.02, 0.0, True),  # within 1 % of itself
        ],
    )
    def test_what_counts_as_left_behind(self, moved, by, noise, near, unit):
        """Orthonormal columns, times a unit: the weights are 3 and 0.05, and the noise is perpendicular to both."""
        Q = np.linalg.qr(np.random.default_rng(0).normal(size=(400, 3)))[0] * 20  # root mean square 1
        X, y = Q[:, :2] * unit, Q @ [3.0, 0.05, noise]
        w = np.array([3.0, 0.05])
        w[moved] += by
        behind = _weight_left_behind(X, y, w / unit)
        assert (behind is None) == near
        if not near:
            assert behind[0] == moved
            assert np.array(behind[1:]) * unit == pytest.approx([w[moved], [3.0, 0.05][moved]], rel=1e-9)

    @pytest.mark.parametrize("solver", ["gd", "sgd", "minibatch"])
    @pytest.mark.parametrize("level", [0.0, 0.1, 7.0])
    def test_a_constant_target_is_no_reason_to_warn(self, solver, level):
        X, _ = data()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LinearRegression(solver=solver, random_state=0).fit(X, np.full(60, level))
        assert np.abs(model.coef_).max() == 0 and model.intercept_ == pytest.approx(level)

    def test_epochs_are_counted_while_they_run(self):
        X, y = data(6)
        states = LinearRegression(solver="minibatch", batch_size=4, max_iter=2, tol=0, random_state=0).iter_fit(X, y)
        with pytest.warns(ConvergenceWarning, match="all 2 epochs"):
            assert [s.n_iter_ for s in states] == [1, 1, 2, 2]

    def test_gradient_descent_lowers_the_loss_at_every_step(self):
        X, y = data()
        losses = [rms_error(y, s.predict(X)) for s in LinearRegression(solver="gd").iter_fit(X, y)]
        assert len(losses) > 5 and np.all(np.diff(losses) < 0)

    def test_the_rate_chosen_for_batches_starts_at_their_curvature_and_falls(self):
        """One sample: 1/max‖xᵢ‖²; all of them: 1/λ_max; in between: in between; after t steps: 1/(L + μt/2)."""
        X = data()[0]
        values = np.linalg.eigvalsh(X.T @ X / 60)
        single, full = np.max(np.sum(X**2, axis=1)), values[-1]
        assert 1 / _falling_rate(X, 1)(0) == pytest.approx(single)
        assert 1 / _falling_rate(X, 60)(0) == pytest.approx(full)
        assert full < 1 / _falling_rate(X, 30)(0) < 1 / _falling_rate(X, 5)(0) < single
        assert 1 / _falling_rate(X, 1)(1000) == pytest.approx(single + 500 * values[0])

    def test_a_constant_target_needs_no_step(self):
        X, _ = data()
        for solver in SOLVERS:
            model = LinearRegression(solver=solver, random_state=0).fit(X, np.full(60, 7.0))
            np.testing.assert_allclose(model.coef_, 0, atol=1e-15)
            assert model.intercept_ == pytest.approx(7)

    def test_rank_deficient_data_give_the_shortest_solution(self):
        """Columns x, 2x: of all w with w₁ + 2w₂ = 5 the shortest is (1, 2)."""
        x = np.array([1.0, 2.0, 4.0])
        for model in (LinearRegression(), Ridge(alpha=0.0), Lasso(alpha=0.0)):
            model.fit(np.column_stack([x, 2 * x]), 5 * x + 3)
            np.testing.assert_allclose(model.coef_, [1, 2], rtol=1e-12)
            assert model.intercept_ == pytest.approx(3)

    def test_more_features_than_samples(self):
        X, y = wide()
        ours, theirs = LinearRegression().fit(X, y), sklearn.linear_model.LinearRegression().fit(X, y)
        assert_same_fit(ours, theirs.coef_, theirs.intercept_)
        np.testing.assert_allclose(ours.predict(X), y, rtol=1e-10)
        centred = X - X.mean(axis=0)
        np.testing.assert_allclose(ours.coef_, np.linalg.pinv(centred) @ (y - y.mean()), atol=1e-10)

    def test_gradient_descent_from_zero_finds_the_shortest_solution_too(self):
        """The iterates never leave the row space of X."""
        X, y = wide()
        descended = LinearRegression(solver="gd", tol=1e-12, max_iter=100_000).fit(X, y)
        shortest = LinearRegression().fit(X, y)
        assert_same_fit(descended, shortest.coef_, shortest.intercept_, rtol=1e-6)

    def test_the_normal_equation_refuses_singular_data_with_the_rank(self):
        X, y = wide()
        with pytest.raises(ValueError, match=r"singular.*rank 29 with 80 features \(n_samples=30\).*solver='lstsq'"):
            LinearRegression(solver="normal").fit(X, y)
        with pytest.raises(ValueError, match="rank 2 with 3 features"):  # the dummy-variable trap
            LinearRegression(solver="normal").fit(one_hot_encode(list("abcab")), [1, 2, 3, 4, 5])

    def test_the_normal_equation_squares_the_condition_number(self):
        """A Vandermonde matrix of degree 9: both solve it, the normal equation with half the digits."""
        x = np.linspace(0, 1, 30)[:, None]
        X = PolynomialFeatures(degree=9, include_bias=False).fit_transform(x)
        true = np.arange(1.0, 10)
        errors = {
            s: np.abs(LinearRegression(solver=s).fit(X, X @ true).coef_ - true).max() for s in ("lstsq", "normal")
        }
        assert errors["lstsq"] < 1e-8 < 1e-6 < errors["normal"] < 0.1

    def test_units_do_not_matter(self):
        """Columns of 1e±8 are no sign of rank deficiency: the same line in other units."""
        X, y = data()
        units = np.array([1e-8, 1e8, 1.0, 1e5])
        coef, intercept = lstsq(X, y)
        for solver in ("lstsq", "normal"):
            model = LinearRegression(solver=solver).fit(X * units, y)
            np.testing.assert_allclose(model.coef_ * units, coef, rtol=1e-8)
            assert model.intercept_ == pytest.approx(intercept, rel=1e-8)

    def test_a_constant_column_gets_weight_zero(self):
        X, y = data()
        X = np.column_stack([X, np.full(60, 0.1)])  # 0.1 minus its mean is not exactly 0 in floating point
        for model in (LinearRegression(), LinearRegression(solver="gd"), Ridge(alpha=1e-6), Lasso(alpha=1e-6)):
            assert model.fit(X, y).coef_[-1] == 0

    def test_a_duplicate_column_shares_its_weight(self):
        X, y = data()
        alone = LinearRegression().fit(X, y)
        twice = LinearRegression().fit(np.column_stack([X, X[:, 0]]), y)
        np.testing.assert_allclose(twice.coef_[[0, -1]], alone.coef_[0] / 2, rtol=1e-8)
        np.testing.assert_allclose(twice.predict(np.column_stack([X, X[:, 0]])), alone.predict(X), rtol=1e-10)

    def test_one_row(self):
        model = LinearRegression().fit([[1.0, 2.0]], [3.0])
        assert model.coef_.tolist() == [0, 0] and model.intercept_ == 3

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_the_input_is_left_alone(self, solver):
        X, y = data()
        X_before, y_before = X.copy(), y.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            LinearRegression(solver=solver, fit_intercept=False, random_state=0, max_iter=3).fit(X, y).predict(X)
        np.testing.assert_array_equal(X, X_before)
        np.testing.assert_array_equal(y, y_before)

    def test_the_seed_decides(self):
        X, y = data()

        def fit(seed):
            with pytest.warns(ConvergenceWarning):
                return LinearRegression(solver="sgd", random_state=seed, max_iter=2, tol=0).fit(X, y).coef_

        np.testing.assert_array_equal(fit(1), fit(1))
        assert not np.array_equal(fit(1), fit(2))

    def test_running_out_of_steps_is_said(self):
        X, y = data()
        with pytest.warns(ConvergenceWarning, match="used all 3 steps.*raise max_iter"):
            LinearRegression(solver="gd", max_iter=3).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LinearRegression(solver="gd", max_iter=10_000).fit(X, y)

    @given(tables)
    def test_residuals_are_orthogonal_to_every_column(self, table):
        X, y = table
        residual = y - LinearRegression().fit(X, y).predict(X)
        columns = np.column_stack([X, np.ones(len(X))])
        assert np.abs(columns.T @ residual).max() < 1e-9 * np.linalg.norm(columns) * np.linalg.norm(y)

    @given(tables, st.integers(0, 2**31))
    def test_no_other_line_has_a_smaller_loss(self, table, seed):
        X, y = table
        model = LinearRegression().fit(X, y)
        move = np.random.default_rng(seed).normal(size=4)
        other = X @ (model.coef_ + move[:3]) + model.intercept_ + move[3]
        assert rms_error(y, model.predict(X)) < rms_error(y, other)

    @given(tables, st.floats(0.01, 100), st.floats(-50, 50))
    def test_equivariance(self, table, scale, shift):
        """Scaling and shifting y scales and shifts the predictions; so for X with the weights changed to match."""
        X, y = table
        model = LinearRegression().fit(X, y)
        y_moved = LinearRegression().fit(X, scale * y + shift)
        np.testing.assert_allclose(y_moved.predict(X), scale * model.predict(X) + shift, rtol=1e-8, atol=1e-8 * scale)
        X_moved = LinearRegression().fit(scale * X + shift, y)
        np.testing.assert_allclose(X_moved.coef_, model.coef_ / scale, rtol=1e-6, atol=1e-8 / scale)
        np.testing.assert_allclose(X_moved.predict(scale * X + shift), model.predict(X), rtol=1e-6, atol=1e-7)

    @given(tables, st.randoms(use_true_random=False))
    def test_the_order_of_rows_does_not_matter_and_doubling_them_neither(self, table, random):
        X, y = table
        order = list(range(len(X)))
        random.shuffle(order)
        model = LinearRegression().fit(X, y)
        for rows in (order, order * 2):
            again = LinearRegression().fit(X[rows], y[rows])
            np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-8, atol=1e-10)

    @given(tables, st.integers(0, 2**31))
    def test_any_basis_of_the_columns_gives_the_same_predictions(self, table, seed):
        X, y = table
        mix = np.random.default_rng(seed).normal(size=(3, 3))
        assume(np.linalg.cond(mix) < 100)
        predicted = LinearRegression().fit(X @ mix, y).predict(X @ mix)
        np.testing.assert_allclose(predicted, LinearRegression().fit(X, y).predict(X), rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# The sine curve of the notes
# ---------------------------------------------------------------------------------------------------------------
class TestSine:
    """Notes B: degrees 0, 1, 3, 9 on ten noisy points of sin 2πx; ridge on degree 9."""

    X, y = make_sine(10, noise=0.3, random_state=2)
    X_test, y_test = make_sine(1000, noise=0.3, random_state=99)

    def errors(self, degree, model=None):
        powers = PolynomialFeatures(degree=degree, include_bias=degree == 0)
        model = (model or LinearRegression()).fit(powers.fit_transform(self.X), self.y)
        return (
            rms_error(self.y, model.predict(powers.transform(self.X))),
            rms_error(self.y_test, model.predict(powers.transform(self.X_test))),
            model,
        )

    @pytest.mark.parametrize("degree", range(10))
    def test_polynomials_against_polyfit(self, degree):
        train, test, _ = self.errors(degree)
        theirs = np.polynomial.Polynomial.fit(self.X[:, 0], self.y, degree)
        assert train == pytest.approx(rms_error(self.y, theirs(self.X[:, 0])), abs=1e-8)
        assert test == pytest.approx(rms_error(self.y_test, theirs(self.X_test[:, 0])), rel=1e-6)

    def test_under_and_overfitting(self):
        train = [self.errors(degree)[0] for degree in range(10)]
        test = [self.errors(degree)[1] for degree in range(10)]
        assert np.all(np.diff(train) <= 1e-12)  # a larger family never fits worse
        assert train[9] < 1e-6  # ten points, ten parameters: the curve goes through all of them
        assert test[3] < min(test[0], test[1]) and test[9] > 2 * test[3]

    def test_weights_grow_with_the_degree_and_ridge_holds_them(self):
        largest = {degree: np.abs(self.errors(degree)[2].coef_).max() for degree in (1, 3, 9)}
        assert largest[1] < 10 < largest[3] < 100 < 1e4 < largest[9]
        _, test, model = self.errors(9, Ridge(alpha=1e-3))
        assert np.abs(model.coef_).max() < 20 and test < 0.5 * self.errors(9)[1]

    @pytest.mark.parametrize("alpha", [1e-8, 1e-3, 1.0])
    def test_ridge_on_degree_9_against_scikit_learn(self, alpha):
        X = PolynomialFeatures(degree=9, include_bias=False).fit_transform(self.X)
        theirs = sklearn.linear_model.Ridge(alpha=alpha, solver="svd").fit(X, self.y)
        assert_same_fit(Ridge(alpha=alpha).fit(X, self.y), theirs.coef_, theirs.intercept_, rtol=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# Ridge
# ---------------------------------------------------------------------------------------------------------------
class TestRidge:
    @pytest.mark.parametrize("alpha", [1e-10, 1e-3, 1.0, 100.0, 1e8])
    @pytest.mark.parametrize(
        "table", [data(), data(300, 40), wide(), data(5, 4)], ids=["tall", "larger", "wide", "few"]
    )
    def test_against_scikit_learn(self, alpha, table):
        X, y = table
        theirs = sklearn.linear_model.Ridge(alpha=alpha, solver="svd").fit(X, y)
        assert_same_fit(Ridge(alpha=alpha).fit(X, y), theirs.coef_, theirs.intercept_, rtol=1e-8)
        bare = sklearn.linear_model.Ridge(alpha=alpha, solver="svd", fit_intercept=False).fit(X, y)
        assert_same_fit(Ridge(alpha=alpha, fit_intercept=False).fit(X, y), bare.coef_, 0.0, rtol=1e-8)

    def test_the_formula_of_the_notes_with_its_identity_matrix(self):
        """B: w = (XᵀX + λI)⁻¹Xᵀt; adding λ to every entry, as B prints it, is something else."""
        X, y = data()
        w = np.linalg.inv(X.T @ X + 2.0 * np.eye(4)) @ X.T @ y
        np.testing.assert_allclose(Ridge(alpha=2.0, fit_intercept=False).fit(X, y).coef_, w, rtol=1e-9)
        printed = np.linalg.inv(X.T @ X + 2.0) @ X.T @ y
        assert np.abs(printed - w).max() > 1e-3

    def test_ridge_is_least_squares_on_data_with_extra_rows(self):
        """Σ(y - Xw)² + α‖w‖² is the loss with √α·I below X and zeros below y."""
        X, y = data()
        longer = LinearRegression(fit_intercept=False).fit(
            np.vstack([X, np.sqrt(3.0) * np.eye(4)]), np.append(y, np.zeros(4))
        )
        np.testing.assert_allclose(Ridge(alpha=3.0, fit_intercept=False).fit(X, y).coef_, longer.coef_, rtol=1e-9)

    def test_the_intercept_is_not_penalised(self):
        X, y = data()
        flat = Ridge(alpha=1e12).fit(X, y)
        assert np.abs(flat.coef_).max() < 1e-8 and flat.intercept_ == pytest.approx(y.mean())
        a, b = Ridge(alpha=5.0).fit(X, y), Ridge(alpha=5.0).fit(X, y + 1000)
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
        assert b.intercept_ - a.intercept_ == pytest.approx(1000)

    def test_alpha_0_is_least_squares_and_small_alpha_tends_to_the_shortest(self):
        X, y = data()
        assert_same_fit(Ridge(alpha=0.0).fit(X, y), *lstsq(X, y))
        X, y = wide()
        np.testing.assert_allclose(Ridge(alpha=1e-9).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, atol=1e-8)

    def test_badly_conditioned_data_keep_their_digits(self):
        """Singular values from 1 to 1e-7: XᵀX alone would lose them; checked against the filter s/(s² + α)."""
        rng = np.random.default_rng(0)
        U, _ = np.linalg.qr(rng.normal(size=(50, 8)))
        V, _ = np.linalg.qr(rng.normal(size=(8, 8)))
        s = np.logspace(0, -7, 8)
        X, y = U * s @ V.T, rng.normal(size=50)
        for alpha in (1e-20, 1e-14, 1e-12, 1e-6):
            exact = V @ (s / (s**2 + alpha) * (U.T @ y))
            ours = Ridge(alpha=alpha, fit_intercept=False).fit(X, y).coef_
            assert np.linalg.norm(ours - exact) < 1e-6 * np.linalg.norm(exact)

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_scales(self, scale):
        """Measured in other units, X·s with α·s² is the same problem."""
        X, y = data()
        ours = Ridge(alpha=2.0 * scale**2).fit(scale * X, y)
        np.testing.assert_allclose(scale * ours.coef_, Ridge(alpha=2.0).fit(X, y).coef_, rtol=1e-9)

    @given(tables, st.floats(-3, 3), st.floats(0.1, 3))
    def test_shrinkage_is_monotone_in_alpha(self, table, exponent, more):
        X, y = table
        little, much = Ridge(alpha=10**exponent).fit(X, y), Ridge(alpha=10 ** (exponent + more)).fit(X, y)
        assert np.linalg.norm(much.coef_) < np.linalg.norm(little.coef_) < np.linalg.norm(lstsq(X, y)[0])
        assert rms_error(y, lstsq(X, y)[1] + X @ lstsq(X, y)[0]) < rms_error(y, little.predict(X))
        assert rms_error(y, little.predict(X)) < rms_error(y, much.predict(X))

    @given(tables, st.floats(-3, 3))
    def test_the_gradient_of_the_penalised_loss_is_zero(self, table, exponent):
        X, y = table
        alpha = 10**exponent
        model = Ridge(alpha=alpha).fit(X, y)
        residual = y - model.predict(X)
        size = np.linalg.norm(X) * np.linalg.norm(y)
        np.testing.assert_allclose(X.T @ residual, alpha * model.coef_, atol=1e-8 * size)
        assert abs(residual.sum()) < 1e-10 * np.abs(y).sum() * len(y)


# ---------------------------------------------------------------------------------------------------------------
# Lasso
# ---------------------------------------------------------------------------------------------------------------
def lasso_objective(model, X, y):
    return np.sum((y - model.predict(X)) ** 2) / (2 * len(y)) + model.alpha * np.abs(model.coef_).sum()


def hard_lasso_data():
    """Columns that are sums of one another: strongly correlated, which slows coordinate descent down."""
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(100, 30)), axis=1) / np.sqrt(np.arange(1, 31))
    return X, X @ np.where(rng.random(30) < 0.3, rng.normal(size=30), 0) + rng.normal(size=100)


class TestLasso:
    @pytest.mark.parametrize("share", [0.9, 0.3, 0.05, 0.005])
    @pytest.mark.parametrize(
        "table", [data(), data(300, 40), wide(), hard_lasso_data()], ids=["tall", "larger", "wide", "correlated"]
    )
    def test_against_scikit_learn(self, table, share):
        X, y = table
        alpha = share * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
        ours = Lasso(alpha=alpha, tol=1e-12).fit(X, y)
        theirs = sklearn.linear_model.Lasso(alpha=alpha, tol=1e-12, max_iter=1_000_000).fit(X, y)
        assert_same_fit(ours, theirs.coef_, theirs.intercept_, rtol=1e-6)
        np.testing.assert_array_equal(ours.coef_ != 0, theirs.coef_ != 0)
        assert ours.dual_gap_ < 1e-11 * np.mean((y - y.mean()) ** 2)

    def test_on_real_data_in_many_strengths(self):
        X, y = load_diabetes().data, load_diabetes().target
        for alpha in (2.0, 0.5, 0.1, 0.01):
            ours = Lasso(alpha=alpha, tol=1e-10).fit(X, y)
            theirs = sklearn.linear_model.Lasso(alpha=alpha, tol=1e-10, max_iter=100_000).fit(X, y)
            assert_same_fit(ours, theirs.coef_, theirs.intercept_, rtol=1e-6)

    def test_orthonormal_columns_are_soft_thresholded(self):
        """With XᵀX = nI the solution is soft_threshold(Xᵀy/n, α), entry by entry."""
        rng = np.random.default_rng(0)
        Q, _ = np.linalg.qr(rng.normal(size=(40, 6)))
        X, y = np.sqrt(40) * Q, 2 * rng.normal(size=40)
        ours = Lasso(alpha=0.2, fit_intercept=False, tol=1e-14).fit(X, y).coef_
        np.testing.assert_allclose(ours, soft_threshold(X.T @ y / 40, 0.2), atol=1e-12)
        assert 0 < np.sum(ours == 0) < 6

    def test_soft_threshold(self):
        assert soft_threshold(np.array([-3.0, -1.0, 0.5, 2.0]), 1.0).tolist() == [-2, 0, 0, 1]
        assert soft_threshold(2.5, 0.5) == 2
        grid = np.linspace(-4, 4, 80001)
        for z in (-2.0, 0.3, 1.7):  # against a search over a grid
            best = grid[np.argmin(0.5 * (grid - z) ** 2 + 0.8 * np.abs(grid))]
            assert soft_threshold(z, 0.8) == pytest.approx(best, abs=2e-4)
        with pytest.raises(ValueError, match="threshold"):
            soft_threshold(1.0, -1)

    def test_from_the_largest_correlation_on_all_weights_are_exactly_zero(self):
        X, y = data()
        edge = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
        assert np.all(Lasso(alpha=edge * 1.0001).fit(X, y).coef_ == 0)
        assert np.sum(Lasso(alpha=edge * 0.999, tol=1e-10).fit(X, y).coef_ != 0) == 1
        assert Lasso(alpha=1e30).fit(X, y).intercept_ == pytest.approx(y.mean())

    def test_alpha_0_is_least_squares(self):
        X, y = data()
        assert_same_fit(Lasso(alpha=0.0).fit(X, y), *lstsq(X, y))

    @given(tables, st.floats(0.01, 0.99), st.booleans())
    def test_optimality_conditions(self, table, share, with_intercept):
        """KKT: |x_jᵀr|/n <= α everywhere, and = α·sign(w_j) where w_j is not 0."""
        X, y = table
        centre = X.mean(axis=0) if with_intercept else 0
        alpha = share * np.abs((X - centre).T @ (y - (y.mean() if with_intercept else 0))).max() / len(y)
        model = Lasso(alpha=alpha, tol=1e-14, fit_intercept=with_intercept).fit(X, y)
        pull = X.T @ (y - model.predict(X)) / len(y)
        active = model.coef_ != 0
        scale = np.linalg.norm(X, axis=0).max() * np.linalg.norm(y) / len(y)
        assert active.any()
        np.testing.assert_allclose(pull[active], alpha * np.sign(model.coef_[active]), atol=1e-6 * scale)
        assert np.all(np.abs(pull[~active]) <= alpha + 1e-6 * scale)

    @given(tables, st.floats(0.01, 0.9))
    def test_the_duality_gap_bounds_the_distance_to_the_minimum_at_every_sweep(self, table, share):
        X, y = table
        alpha = share * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
        best = lasso_objective(Lasso(alpha=alpha, tol=1e-14).fit(X, y), X, y)
        for sweeps in (1, 2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                early = Lasso(alpha=alpha, max_iter=sweeps, tol=0).fit(X, y)
            assert -1e-12 <= lasso_objective(early, X, y) - best <= early.dual_gap_ + 1e-12

    def test_the_duality_gap_against_the_dual_objective(self):
        """The best multiple of the residual that satisfies |Xᵀθ| <= nα, found here by trying many."""
        X, y = hard_lasso_data()
        X, y = X - X.mean(axis=0), y - y.mean()
        with pytest.warns(ConvergenceWarning):
            early = Lasso(alpha=0.02, max_iter=1, tol=0, fit_intercept=False).fit(X, y)
        residual = y - early.predict(X)
        s = np.linspace(0, 1, 1_000_001)
        theta = s[s * np.abs(X.T @ residual).max() <= 100 * 0.02].max() * residual
        dual = (y @ y - np.sum((y - theta) ** 2)) / 200
        assert np.linalg.norm(theta) < 0.9 * np.linalg.norm(residual)  # the residual itself is not allowed
        assert early.dual_gap_ == pytest.approx(lasso_objective(early, X, y) - dual, rel=1e-4)

    def test_tol_0_goes_on_until_rounding_stops_it(self):
        X, y = hard_lasso_data()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = Lasso(alpha=0.005, tol=0).fit(X, y)
        assert 1 < model.n_iter_ < model.max_iter
        pull = X.T @ (y - model.predict(X)) / len(y)
        active = model.coef_ != 0
        np.testing.assert_allclose(pull[active], 0.005 * np.sign(model.coef_[active]), rtol=1e-9)

    def test_solving_for_the_support_saves_most_of_the_sweeps(self):
        X, y = hard_lasso_data()
        theirs = sklearn.linear_model.Lasso(alpha=0.005, tol=1e-10, max_iter=1_000_000).fit(X, y)
        assert Lasso(alpha=0.005, tol=1e-10).fit(X, y).n_iter_ < theirs.n_iter_ / 10

    def test_every_sweep_lowers_the_objective(self):
        X, y = hard_lasso_data()
        states = snapshots(Lasso(alpha=0.001, tol=1e-12).iter_fit(X, y))
        values = [lasso_objective(s, X, y) for s in states]
        assert len(values) > 2 and np.all(np.diff(values) <= 1e-14)
        assert [s.n_iter_ for s in states] == list(range(1, len(states) + 1))

    def test_duplicate_and_constant_columns(self):
        X, y = data()
        table = np.column_stack([X, X[:, 0], np.ones(60)])
        model = Lasso(alpha=0.05, tol=1e-12).fit(table, y)
        alone = Lasso(alpha=0.05, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(model.predict(table), alone.predict(X), atol=1e-5)
        assert lasso_objective(model, table, y) == pytest.approx(lasso_objective(alone, X, y), rel=1e-10)
        assert model.coef_[-1] == 0

    def test_many_more_features_than_samples_and_a_small_penalty(self):
        """Nearly interpolating: the working set outgrows the samples and Gram matrices are singular."""
        X, y = wide(40, 400)
        ours = Lasso(alpha=1e-3, tol=1e-10).fit(X, y)
        theirs = sklearn.linear_model.Lasso(alpha=1e-3, tol=1e-10, max_iter=1_000_000).fit(X, y)
        assert lasso_objective(ours, X, y) == pytest.approx(lasso_objective(theirs, X, y), rel=1e-6)
        assert np.sum(ours.coef_ != 0) <= 40

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_scales(self, scale):
        X, y = data()
        ours = Lasso(alpha=0.1 * scale, tol=1e-10).fit(scale * X, y)
        np.testing.assert_allclose(scale * ours.coef_, Lasso(alpha=0.1, tol=1e-10).fit(X, y).coef_, rtol=1e-6)

    def test_running_out_of_sweeps_is_said_with_the_gap(self):
        X, y = hard_lasso_data()
        with pytest.warns(ConvergenceWarning, match="all 1 sweeps and the duality gap is still"):
            Lasso(alpha=0.001, max_iter=1, tol=1e-12).fit(X, y)


# ---------------------------------------------------------------------------------------------------------------
# Locally weighted regression
# ---------------------------------------------------------------------------------------------------------------
class TestLocallyWeightedRegression:
    @pytest.mark.parametrize("d", [1, 3])
    @pytest.mark.parametrize("tau", [0.3, 1.0, 5.0])
    def test_against_weighted_least_squares_for_each_query(self, d, tau):
        X, y = data(40, d)
        queries = np.random.default_rng(1).normal(size=(15, d)) + X.mean(axis=0)
        predicted = LocallyWeightedRegression(tau=tau).fit(X, y).predict(queries)
        for query, value in zip(queries, predicted):
            weights = np.exp(-np.sum((X - query) ** 2, axis=1) / (2 * tau**2))
            theirs = sklearn.linear_model.LinearRegression().fit(X, y, sample_weight=weights)
            if np.sum(weights > 1e-6 * weights.max()) > 2 * d:  # else scikit-learn drops directions that we keep
                assert value == pytest.approx(theirs.predict([query])[0], rel=1e-6, abs=1e-6)

    def test_a_wide_window_is_ordinary_least_squares(self):
        X, y = data()
        for tau in (1e6, 1e300):
            predicted = LocallyWeightedRegression(tau=tau).fit(X, y).predict(X)
            np.testing.assert_allclose(predicted, LinearRegression().fit(X, y).predict(X), rtol=1e-6)

    def test_a_narrow_window_joins_the_dots(self):
        """With τ far below the spacing only the two nearest samples count: the line through them."""
        x, y = np.arange(6.0), np.array([0.0, 2.0, -1.0, 3.0, 3.0, 1.0])
        queries = np.array([0.4, 1.5, 2.25, 4.0])
        predicted = LocallyWeightedRegression(tau=0.12).fit(x[:, None], y).predict(queries[:, None])
        np.testing.assert_allclose(predicted, np.interp(queries, x, y), atol=1e-6)

    @given(st.floats(1e-300, 1e300), st.floats(-1e6, 1e6))
    def test_never_nan_however_narrow_or_far(self, tau, query):
        x, y = np.arange(6.0)[:, None], np.array([0.0, 2.0, -1.0, 3.0, 3.0, 1.0])
        value = LocallyWeightedRegression(tau=tau).fit(x, y).predict([[query]])
        assert np.isfinite(value).all()

    @pytest.mark.parametrize("tau", [0.1, 0.3, 1.0])
    @pytest.mark.parametrize("d", [1, 3])
    def test_a_slope_that_hangs_on_rounding_is_0(self, tau, d):
        """Two samples on one place, with different targets: what is far away, with a weight of 1e-60, has no say."""
        rng = np.random.default_rng(0)
        X = np.vstack([np.zeros((2, d)), 20 + rng.normal(size=(4, d))])
        model = LocallyWeightedRegression(tau=tau).fit(X, [0.0, 1.0, 100.0, -50.0, 70.0, 80.0])
        np.testing.assert_allclose(model.predict(np.full((3, d), [[0.01], [0.0], [-0.02]])), 0.5, atol=1e-6)

    def test_a_line_is_reproduced_whatever_the_width(self):
        x = np.random.default_rng(0).uniform(-3, 3, size=(25, 2))
        y = x @ [2.0, -1.0] + 4
        for tau in (0.3, 1.0, 10.0):
            np.testing.assert_allclose(LocallyWeightedRegression(tau=tau).fit(x, y).predict(x), y, atol=1e-8)

    def test_blocks_of_queries_give_the_same_as_all_at_once(self):
        X, y = data(3000, 2)
        model = LocallyWeightedRegression(tau=0.5).fit(X, y)
        queries = X[:400]  # 400 * 6000 numbers: three blocks
        one_by_one = np.concatenate([model.predict(query[None]) for query in queries[::40]])
        np.testing.assert_allclose(model.predict(queries)[::40], one_by_one, rtol=1e-10)

    def test_the_data_are_copied(self):
        X, y = data()
        model = LocallyWeightedRegression(tau=0.5).fit(X, y)
        before = model.predict(X)
        queries = X.copy()
        X[:], y[:] = 0, 0
        np.testing.assert_array_equal(model.predict(queries), before)

    @given(tables, st.floats(-5, 5), st.floats(0.1, 10))
    def test_translation_and_scale(self, table, shift, scale):
        X, y = table
        ours = LocallyWeightedRegression(tau=3.0).fit(X, y).predict(X[:5])
        moved = LocallyWeightedRegression(tau=3.0 * scale).fit(scale * X + shift, y).predict(scale * X[:5] + shift)
        np.testing.assert_allclose(moved, ours, rtol=1e-4, atol=1e-5)

    def test_one_sample_and_duplicates(self):
        assert LocallyWeightedRegression().fit([[1.0]], [5.0]).predict([[9.0]]) == pytest.approx([5])
        twice = LocallyWeightedRegression().fit([[1.0], [1.0]], [4.0, 6.0])
        assert twice.predict([[1.0], [3.0]]) == pytest.approx([5, 5])

    @pytest.mark.parametrize("tau", [0, -1.0, np.nan, "wide", None])
    def test_bad_tau(self, tau):
        with pytest.raises(ValueError, match="tau"):
            LocallyWeightedRegression(tau=tau).fit([[1.0]], [1.0])


# ---------------------------------------------------------------------------------------------------------------
# Features
# ---------------------------------------------------------------------------------------------------------------
class TestPolynomialFeatures:
    @pytest.mark.parametrize("degree", range(5))
    @pytest.mark.parametrize("d", [1, 2, 4])
    @pytest.mark.parametrize("bias", [True, False])
    def test_against_scikit_learn(self, degree, d, bias):
        if degree == 0 and not bias:
            pytest.raises(ValueError, PolynomialFeatures(degree=0, include_bias=False).fit, [[1.0]])
            return
        X = np.random.default_rng(0).normal(size=(7, d))
        ours = PolynomialFeatures(degree=degree, include_bias=bias)
        theirs = sklearn.preprocessing.PolynomialFeatures(degree, include_bias=bias)
        np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=1e-12)
        np.testing.assert_array_equal(ours.powers_, theirs.powers_)

    def test_names_of_the_columns(self):
        table = pd.DataFrame(np.arange(6.0).reshape(2, 3), columns=["a", "b", "c"])
        for X in (table, table.to_numpy()):
            ours = PolynomialFeatures(degree=3).fit(X)
            theirs = sklearn.preprocessing.PolynomialFeatures(3).fit(X)
            assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
            frame = ours.set_output(transform="pandas").transform(X)
            assert list(frame.columns) == theirs.get_feature_names_out().tolist() and frame.shape == (2, 20)

    def test_one_feature_is_the_vandermonde_matrix(self):
        x = np.linspace(-2, 2, 9)
        ours = PolynomialFeatures(degree=6).fit_transform(x[:, None])
        np.testing.assert_allclose(ours, np.vander(x, 7, increasing=True), rtol=1e-12)

    def test_overflow_is_an_error(self):
        with pytest.raises(ValueError, match="degree 9 overflows"):
            PolynomialFeatures(degree=9).fit_transform([[1e40]])

    @pytest.mark.parametrize("degree", [-1, 2.0, "two", None, True])
    def test_bad_degree(self, degree):
        with pytest.raises(ValueError, match="degree"):
            PolynomialFeatures(degree=degree).fit([[1.0]])


class TestEncoders:
    def test_the_examples_of_the_notes(self):
        """D 3.2: tall, medium, short become 1, ½, 0; three kinds of melon become unit vectors."""
        assert ordinal_encode(["高", "中等", "矮"], ["矮", "中等", "高"]).tolist() == [1, 0.5, 0]
        kinds = ["西瓜", "南瓜", "黄瓜"]
        np.testing.assert_array_equal(one_hot_encode(kinds, kinds), np.eye(3))

    @given(st.lists(st.sampled_from(["red", "green", "blue", "x"]), min_size=1))
    def test_one_hot_can_be_undone(self, values):
        encoded = one_hot_encode(values)
        assert np.all(encoded.sum(axis=1) == 1) and set(np.unique(encoded)) <= {0, 1}
        assert np.unique(values)[encoded.argmax(axis=1)].tolist() == values

    @given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
    def test_one_hot_against_scikit_learn(self, values):
        theirs = sklearn.preprocessing.OneHotEncoder(sparse_output=False).fit_transform(np.array(values)[:, None])
        np.testing.assert_array_equal(one_hot_encode(values), theirs)

    @given(st.permutations(["a", "b", "c", "d"]), st.lists(st.sampled_from("abcd"), min_size=1))
    def test_ordinal_keeps_the_order_and_can_be_undone(self, order, values):
        codes = ordinal_encode(values, order)
        assert [order[int(round(3 * code))] for code in codes] == values
        assert codes.min() >= 0 and codes.max() <= 1

    def test_arrays_series_and_object_columns(self):
        for values in (np.array(["b", "a"]), pd.Series(["b", "a"]), np.array(["b", "a"], dtype=object), ("b", "a")):
            assert one_hot_encode(values).tolist() == [[0, 1], [1, 0]]
            assert ordinal_encode(values, ["a", "b"]).tolist() == [1, 0]

    def test_a_single_category(self):
        assert one_hot_encode(["a", "a"]).tolist() == [[1], [1]]
        assert ordinal_encode(["a", "a"], ["a"]).tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("values", "order", "message"),
        [
            (["a", "z"], ["a", "b"], r"'z', which is not in order \('a', 'b'\)"),
            (["a"], ["a", "a"], "names a value twice"),
            (["a"], [], "order is empty"),
            ([], ["a"], "values is empty"),
            (["a", None], ["a"], "missing value at index 1"),
            (["a", float("nan")], ["a"], "missing value at index 1"),
            ("abc", ["a"], "sequence of single values"),
            (np.array([["a"]]), ["a"], "sequence of single values"),
            (5, ["a"], "sequence of single values"),
            ([["a"]], ["a"], "single values"),
        ],
    )
    def test_bad_values(self, values, order, message):
        with pytest.raises(ValueError, match=message):
            ordinal_encode(values, order)
        with pytest.raises(ValueError, match=message.replace("order", "categories")):
            one_hot_encode(values, order)

    def test_values_that_cannot_be_sorted(self):
        with pytest.raises(ValueError, match="cannot be sorted.*pass categories"):
            one_hot_encode(["a", 1])
        assert one_hot_encode(["a", 1], [1, "a"]).tolist() == [[0, 1], [1, 0]]


# ---------------------------------------------------------------------------------------------------------------
# Bad input to any of the models
# ---------------------------------------------------------------------------------------------------------------
MODELS = [
    *(LinearRegression(solver=solver) for solver in SOLVERS), Ridge(), Lasso(alpha=0.1), LocallyWeightedRegression(),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
class TestBadInput:
    GOOD_X, GOOD_Y = [[1.0, 2.0], [3.0, 5.0], [5.0, 1.0], [0.0, 1.0]], [1.0, 2.0, 3.0, 4.0]

    @pytest.mark.parametrize(
        ("X", "y", "message"),
        [
            ([[1.0, np.nan], [3.0, 4.0]], [1.0, 2.0], r"X contains NaN \(first at index \(0, 1\), 1 in all\)"),
            ([[1.0, np.inf], [3.0, 4.0]], [1.0, 2.0], "X contains infinity"),
            (GOOD_X, [1.0, np.nan, 2.0, 3.0], "y contains NaN"),
            (GOOD_X, [1.0, -np.inf, 2.0, 3.0], "y contains infinity"),
            (np.empty((0, 2)), [], r"0 sample\(s\)"),
            (np.empty((3, 0)), [1.0, 2.0, 3.0], r"0 feature\(s\)"),
            ([[1.0, 2.0], [3.0]], [1.0, 2.0], "X is ragged"),
            ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "Expected 2D array, got 1D"),
            (GOOD_X, [1.0, 2.0], r"\[4, 2\]"),
            (GOOD_X, None, "requires y to be passed"),
            ([["a", "b"], ["c", "d"]], [1.0, 2.0], "X must be numeric"),
            (GOOD_X, ["a", "b", "c", "d"], "y must be numeric.*'a'"),
            (GOOD_X, [[1.0, 2.0]] * 4, "y should be a 1d array"),
            ([[1 + 2j, 2.0]], [1.0], "Complex data not supported"),
            ([[1e200, 1.0], [-1e200, 2.0], [3.0, 3.0]], [1.0, 2.0, 3.0], "X holds values .* 1e.200.*rescale X"),
        ],
    )
    def test_fit(self, model, X, y, message):
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)

    def test_predict(self, model):
        fresh = type(model)(**model.get_params())
        with pytest.raises(NotFittedError, match="not fitted"):
            fresh.predict(self.GOOD_X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fresh.fit(self.GOOD_X, self.GOOD_Y)
        with pytest.raises(ValueError, match="X has 3 features.*expecting 2"):
            fresh.predict([[1.0, 2.0, 3.0]])
        with pytest.raises(ValueError, match="NaN"):
            fresh.predict([[1.0, np.nan]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearRegression(solver="magic"), "solver must be one of 'lstsq', 'normal', .*, got 'magic'"),
        (LinearRegression(learning_rate=-1), "learning_rate"),
        (LinearRegression(solver="gd", learning_rate=0.0), "learning_rate"),
        (LinearRegression(max_iter=0), "max_iter"),
        (LinearRegression(tol=-1e-3), "tol"),
        (LinearRegression(batch_size=0), "batch_size"),
        (LinearRegression(solver="sgd", random_state="seed"), "random_state"),
        (LinearRegression(random_state="seed"), "random_state"),
        (LinearRegression(solver="gd", random_state=-1), "random_state"),
        (LinearRegression(solver="normal", random_state=0.5), "random_state"),
        (Ridge(alpha=-1), r"alpha must be a number in \[0, inf\), got -1"),
        (Ridge(alpha=np.inf), "alpha"),
        (Ridge(alpha="much"), "alpha"),
        (Lasso(alpha=-0.1), "alpha"),
        (Lasso(max_iter=2.5), "max_iter"),
        (Lasso(tol=None), "tol"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "model",
    [*(LinearRegression(solver=solver, random_state=0) for solver in SOLVERS), Ridge(), Lasso(alpha=0.1)],
    ids=repr,
)
def test_far_away_it_still_predicts_and_beyond_1e100_it_refuses(model):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model.fit(X, X @ [10.0, -10.0])
    np.testing.assert_allclose(model.predict([[1e99, -1e99]]), 2e100, rtol=0.1)
    with pytest.raises(ValueError, match="Numbers beyond 1e100 are refused.*rescale X"):
        model.predict([[1e101, 0.0]])


def test_floating_point_errors_may_be_set_to_raise():
    """What underflows or overflows on the way to a right answer is nobody's business."""
    X, y = data(40, 2)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for model in MODELS:
            for unit in (np.array([1e-8, 1e8]), 1e-80, 1e80):
                assert np.isfinite(model.fit(X * unit, y).predict(X * unit)).all()
        for tau in (1e-120, 0.01):
            assert np.isfinite(LocallyWeightedRegression(tau=tau).fit(X, y).predict(X * 1e6)).all()
        assert np.isfinite(PolynomialFeatures(degree=5).fit_transform(X * 1e-70)).all()


@pytest.mark.parametrize(
    ("z", "threshold", "message"),
    [
        ("a", 1.0, "z must be numeric, but it holds text"),
        (None, 1.0, "got None for z"),
        ([1.0, np.nan], 1.0, "z contains NaN"),
        ([1.0, 1j], 1.0, "Complex"),
        (1.0, "a", "threshold must be a number"),
        ([1.0, 2.0], [1.0, 2.0], "threshold must be a number"),
        (1.0, -0.5, "threshold must be a number"),
        (1.0, np.nan, "threshold must be a number"),
    ],
)
def test_soft_threshold_refuses(z, threshold, message):
    with pytest.raises(ValueError, match=message):
        soft_threshold(z, threshold)


def test_polynomials_with_millions_of_columns_are_refused_before_they_fill_the_memory():
    with pytest.raises(ValueError, match="degree=50 with 100 features makes 2.*e\\+40 columns; a million is the most"):
        PolynomialFeatures(degree=50).fit(np.zeros((2, 100)))


def test_a_rate_that_overflows_names_itself_whatever_the_batch():
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in ("gd", "sgd", "minibatch"):
            with pytest.raises(DivergenceError, match="learning_rate=50"):
                LinearRegression(solver=solver, learning_rate=50, max_iter=10_000, random_state=0).fit(X, y)


def test_encoding_takes_no_set_and_no_missing_value_of_pandas():
    with pytest.raises(ValueError, match="no order"):
        ordinal_encode(["short", "tall"], {"short", "medium", "tall"})
    with pytest.raises(ValueError, match="missing value at index 1"):
        one_hot_encode(pd.Series(["a", pd.NA], dtype="string"))
    assert ordinal_encode(["b", "a"], {"a": 1, "b": 2}.keys()).tolist() == [1, 0]
