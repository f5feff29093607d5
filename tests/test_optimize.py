"""The minimisers: their iterates against formulas, their minima against linear algebra and SciPy, and bad input."""

import inspect
import types

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from mlcore.base import ConvergenceWarning
from mlcore.optimize import (
    DivergenceError,
    coordinate_descent,
    gradient_descent,
    last,
    newton,
    nonnegative_coordinate,
    nonnegative_least_squares,
    stochastic_gradient_descent,
)


def bowl(seed=0, d=3):
    """A random strictly convex parabola ½xᵀQx - cᵀx: its matrix, its vector and its minimum."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(d + 3, d))
    Q, c = A.T @ A, rng.normal(size=d)
    return Q, c, np.linalg.solve(Q, c)


def rosenbrock_newton(**options):
    return newton(scipy.optimize.rosen_der, scipy.optimize.rosen_hess, [-1.2, 1.0], **options)


EVERY_METHOD = {
    "gradient_descent": lambda x0, **k: gradient_descent(lambda x: x, x0, **k),
    "stochastic": lambda x0, **k: stochastic_gradient_descent(lambda x, rows: x, x0, 4, random_state=0, **k),
    "newton": lambda x0, **k: newton(lambda x: x, lambda x: np.eye(len(x)), x0, **k),
    "coordinate_descent": lambda x0, **k: coordinate_descent(lambda x, j: 0.0, x0, **k),
}


@pytest.mark.parametrize("method", EVERY_METHOD.values(), ids=EVERY_METHOD)
class TestWhatAllShare:
    def test_is_a_generator_that_starts_at_a_float_copy_of_x0(self, method):
        x0 = np.array([3, -2])
        steps = method(x0)
        assert isinstance(steps, types.GeneratorType)
        first = next(steps)
        assert first.dtype == float and first.tolist() == [3.0, -2.0]
        assert not np.shares_memory(first, x0)

    def test_every_iterate_is_a_copy_that_may_be_changed(self, method):
        kept = list(method([3.0, -2.0], max_iter=3))
        spoiled = []
        for x in method([3.0, -2.0], max_iter=3):
            spoiled.append(x.copy())
            x[:] = 1e6
        np.testing.assert_array_equal(kept, spoiled)
        assert not any(np.shares_memory(a, b) for a, b in zip(kept, kept[1:], strict=False))

    def test_x0_is_left_alone(self, method):
        x0 = np.array([3.0, -2.0])
        last(method(x0))
        assert x0.tolist() == [3.0, -2.0]

    def test_no_step_is_taken_with_max_iter_0(self, method):
        assert [x.tolist() for x in method([3.0, -2.0], max_iter=0)] == [[3.0, -2.0]]

    def test_a_start_at_the_minimum_ends_there(self, method):
        np.testing.assert_array_equal(last(method([0.0, 0.0])), [0.0, 0.0])

    @pytest.mark.parametrize(
        "x0, options", [([], {}), ([1.0, 2.0], {"max_iter": -1}), ([1.0, 2.0], {"tol": np.nan})], ids=str
    )
    def test_bad_arguments_are_refused_before_the_first_step(self, method, x0, options):
        with pytest.raises(ValueError, match=next(iter(options), "x0")):
            method(x0, **options)


class TestGradientDescent:
    def test_iterates_of_a_parabola(self):
        """x ← x - η·2x multiplies by 1 - 2η."""
        path = list(gradient_descent(lambda x: 2 * x, [4.0], learning_rate=0.25, max_iter=3, tol=0))
        assert [x.item() for x in path] == [4.0, 2.0, 1.0, 0.5]

    @given(seed=st.integers(0, 1000))
    def test_closed_form_of_the_iterates(self, seed):
        """x_t = x* + (I - ηQ)^t (x_0 - x*)."""
        Q, c, best = bowl(seed)
        rate, x0 = 0.7 / np.linalg.eigvalsh(Q)[-1], np.array([1.0, -2.0, 3.0])
        path = list(gradient_descent(lambda x: Q @ x - c, x0, rate, 5, 0))
        factor = np.linalg.matrix_power(np.eye(3) - rate * Q, 5)
        np.testing.assert_allclose(path[-1], best + factor @ (x0 - best), rtol=1e-9, atol=1e-9)

    @given(seed=st.integers(0, 1000), share=st.floats(0.1, 0.95))
    def test_below_2_over_the_largest_eigenvalue_it_converges(self, seed, share):
        Q, c, best = bowl(seed)
        values = np.linalg.eigvalsh(Q)
        slowest = np.abs(1 - share * 2 / values[-1] * values).max()
        steps = int(np.log(1e-9) / np.log(slowest)) + 10
        path = gradient_descent(lambda x: Q @ x - c, np.ones(3), share * 2 / values[-1], steps, 0)
        np.testing.assert_allclose(last(path), best, atol=1e-6 * max(1, np.abs(best).max()))

    def test_just_above_2_over_the_largest_eigenvalue_it_grows_but_stays_finite(self):
        Q, c, best = bowl()
        rate = 1.01 * 2 / np.linalg.eigvalsh(Q)[-1]
        distance = [np.linalg.norm(x - best) for x in gradient_descent(lambda x: Q @ x - c, np.ones(3), rate, 400, 0)]
        assert len(distance) == 401 and np.isfinite(distance).all()
        assert np.all(np.diff(distance[100:]) > 0) and distance[-1] > 100 * distance[100]

    def test_overflow_is_an_error_that_names_the_learning_rate_and_the_step(self):
        steps = gradient_descent(lambda x: 2 * x, [1.0], learning_rate=5.0, max_iter=10_000)
        seen = []
        with pytest.raises(DivergenceError, match=r"learning_rate=5 is too large.*smaller") as error:
            for x in steps:
                seen.append(x.item())
        assert np.isfinite(seen).all() and abs(seen[-1]) > 1e300
        assert f"step {len(seen)} " in str(error.value)

    def test_overflow_inside_the_gradient_is_reported_too(self):
        with pytest.raises(DivergenceError, match="learning_rate"):
            last(gradient_descent(lambda x: x**3, [10.0], learning_rate=1.0))

    def test_a_gradient_that_is_nan_at_an_ordinary_point_is_not_blamed_on_the_learning_rate(self):
        with pytest.raises(ValueError, match="gradient is NaN or infinite in step 1") as error:
            last(gradient_descent(lambda x: np.log(x), [-1.0]))
        assert not isinstance(error.value, DivergenceError)

    def test_it_stops_when_the_gradient_is_within_tol(self):
        path = list(gradient_descent(lambda x: x, [1.0], learning_rate=0.5, tol=0.1))
        assert [x.item() for x in path] == [1.0, 0.5, 0.25, 0.125, 0.0625]

    def test_the_learning_rate_may_be_a_function_of_the_step(self):
        asked = []
        path = list(gradient_descent(lambda x: x, [1.0], lambda step: asked.append(step) or 0.5 / (step + 1), 3, 0))
        assert asked == [0, 1, 2]
        np.testing.assert_allclose([x.item() for x in path], [1, 0.5, 0.5 * 0.75, 0.5 * 0.75 * (1 - 0.5 / 3)])

    def test_a_gradient_of_exactly_tol_is_small_enough(self):
        assert len(list(gradient_descent(lambda x: x, [1.0], learning_rate=0.5, tol=0.25))) == 3
        assert len(list(gradient_descent(lambda x: x, [0.0], tol=0))) == 1

    def test_any_shape(self):
        target = np.arange(6.0).reshape(2, 3)
        found = last(gradient_descent(lambda W: W - target, np.zeros((2, 3)), 0.5))
        np.testing.assert_allclose(found, target, atol=1e-5)
        np.testing.assert_allclose(last(gradient_descent(lambda x: x - 3, 0.0, 0.5)), 3, atol=1e-5)

    def test_a_bad_rate_from_the_schedule_names_its_step(self):
        with pytest.raises(ValueError, match=r"learning_rate\(2\)"):
            last(gradient_descent(lambda x: x, [1.0], lambda step: 0.1 - 0.05 * step, tol=0))

    def test_a_gradient_of_the_wrong_shape(self):
        with pytest.raises(ValueError, match=r"gradient must have shape \(2,\).*got \(1, 2\)"):
            last(gradient_descent(lambda x: x[None], [1.0, 2.0]))


class TestStochasticGradientDescent:
    @staticmethod
    def recorded(n_samples, batch_size, epochs, seed=0):
        batches = []

        def gradient(x, rows):
            batches.append(rows.tolist())
            return np.ones(1)

        path = list(stochastic_gradient_descent(gradient, [0.0], n_samples, batch_size, 0.5, epochs, 0, seed))
        return batches, path

    @given(n=st.integers(1, 30), size=st.integers(1, 40), epochs=st.integers(1, 4))
    def test_each_epoch_visits_every_sample_once(self, n, size, epochs):
        batches, path = self.recorded(n, size, epochs)
        per_epoch = -(-n // size)
        assert len(batches) == per_epoch * epochs and len(path) == len(batches) + 1
        for e in range(epochs):
            own = batches[e * per_epoch : (e + 1) * per_epoch]
            assert sorted(sum(own, [])) == list(range(n))
            assert all(len(batch) == min(size, n) for batch in own[:-1])

    def test_epochs_differ_and_the_seed_decides(self):
        first, _ = self.recorded(20, 4, 2, seed=1)
        again, _ = self.recorded(20, 4, 2, seed=1)
        other, _ = self.recorded(20, 4, 2, seed=2)
        assert first == again != other and first[:5] != first[5:]

    def test_the_global_random_state_is_untouched(self):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        self.recorded(20, 4, 2)
        np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002

    def test_a_batch_of_all_samples_is_gradient_descent(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(12, 3)), rng.normal(size=12)

        def gradient(w, rows=slice(None)):
            return X[rows].T @ (X[rows] @ w - y[rows]) / len(X[rows])

        batch = list(gradient_descent(gradient, np.zeros(3), 0.1, 20, 0))
        stochastic = list(stochastic_gradient_descent(gradient, np.zeros(3), 12, 12, 0.1, 20, 0, 5))
        np.testing.assert_allclose(batch, stochastic, rtol=1e-10)

    def test_a_falling_rate_settles_where_a_constant_one_keeps_jumping(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50, 2))
        y = X @ [1.0, -2.0] + rng.normal(size=50)
        best = np.linalg.lstsq(X, y, rcond=None)[0]

        def errors(rate):
            steps = stochastic_gradient_descent(
                lambda w, rows: X[rows].T @ (X[rows] @ w - y[rows]) / len(rows), np.zeros(2), 50, 1, rate, 100, 0, 0
            )
            return [np.linalg.norm(w - best) for w in steps]

        constant, falling = errors(0.1), errors(lambda step: 0.1 / (1 + 0.02 * step))
        assert max(constant[-200:]) > 0.1
        assert max(falling[-200:]) < max(constant[-200:]) / 20

    def test_without_noise_a_constant_rate_finds_the_exact_solution_and_stops(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30, 2))
        y = X @ [1.0, -2.0]
        path = list(
            stochastic_gradient_descent(
                lambda w, rows: X[rows].T @ (X[rows] @ w - y[rows]) / len(rows), np.zeros(2), 30, 1, 0.1, 500, 1e-10, 0
            )
        )
        np.testing.assert_allclose(path[-1], [1, -2], rtol=1e-8)
        assert (len(path) - 1) % 30 == 0 and len(path) < 30 * 100

    def test_it_stops_after_an_epoch_that_hardly_moved(self):
        """x ← x/2 on each of 2 samples: an epoch moves x by 3 times what is left."""
        def steps(tol):
            return len(list(stochastic_gradient_descent(lambda x, r: x, [1.0], 2, 1, 0.5, 10, tol, 0))) - 1

        assert steps(2.9) == 20 and steps(3.1) == 2

    def test_divergence_names_the_rate(self):
        with pytest.raises(DivergenceError, match="learning_rate=9"):
            last(stochastic_gradient_descent(lambda x, rows: x, [1.0], 3, learning_rate=9.0, max_iter=1000))


class TestNewton:
    @given(seed=st.integers(0, 1000))
    def test_a_parabola_takes_one_step(self, seed):
        Q, c, best = bowl(seed)
        path = list(newton(lambda x: Q @ x - c, lambda x: Q, np.full(3, 5.0), tol=1e-6 * np.abs(Q).max()))
        assert len(path) == 2
        np.testing.assert_allclose(path[1], best, rtol=1e-6, atol=1e-8)

    def test_rosenbrock_against_scipy(self):
        ours = last(rosenbrock_newton(tol=1e-12))
        theirs = scipy.optimize.minimize(
            scipy.optimize.rosen, [-1.2, 1.0], method="trust-exact", jac=scipy.optimize.rosen_der,
            hess=scipy.optimize.rosen_hess, options={"gtol": 1e-10},
        ).x
        np.testing.assert_allclose(ours, [1, 1], rtol=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)

    def test_with_the_objective_no_step_goes_up(self):
        free = [scipy.optimize.rosen(x) for x in rosenbrock_newton()]
        damped = [scipy.optimize.rosen(x) for x in rosenbrock_newton(objective=scipy.optimize.rosen)]
        assert max(np.diff(free)) > 100  # the full step overshoots on this function
        assert np.all(np.diff(damped) < 0) and damped[-1] < 1e-20

    def test_digits_double(self):
        """√(1 + x²) from x = 0.5: the Newton step is x ← -x³, exactly."""
        path = newton(lambda x: x / np.sqrt(1 + x**2), lambda x: np.diag((1 + x**2) ** -1.5), [0.5], max_iter=3, tol=0)
        np.testing.assert_allclose([abs(x.item()) for x in path], [0.5, 0.5**3, 0.5**9, 0.5**27], rtol=1e-9)

    def test_a_start_too_far_is_refused_with_advice_and_the_objective_saves_it(self):
        """x ← -x³ runs away from 1.5, to where the curve has no curvature left."""
        def gradient(x):
            return x / np.sqrt(1 + x**2)

        def hessian(x):
            return np.diag((1 + x**2) ** -1.5)

        with pytest.raises(ValueError, match="no curvature along the gradient.*start nearer"):
            last(newton(gradient, hessian, [1.5]))
        saved = last(newton(gradient, hessian, [1.5], objective=lambda x: float(np.sqrt(1 + x @ x))))
        np.testing.assert_allclose(saved, [0.0], atol=1e-8)

    def test_overflow_is_an_error_with_advice(self):
        """The third root of x has Newton's step x ← -2x."""
        seen = []
        with pytest.raises(DivergenceError, match="overshoots.*objective"):
            for x in newton(np.cbrt, lambda x: np.diag(np.cbrt(x) ** -2 / 3), [1.0], max_iter=5000):
                seen.append(x.item())
        assert np.isfinite(seen).all()
        np.testing.assert_allclose(seen[:4], [1, -2, 4, -8])

    def test_an_infinite_objective_is_walked_around(self):
        """-ln(1 - x) - ln(1 + x) + 3x is infinite outside (-1, 1)."""
        def objective(x):
            return float(-np.log(1 - x[0]) - np.log(1 + x[0]) + 3 * x[0]) if abs(x[0]) < 1 else np.inf

        path = list(
            newton(
                lambda x: 1 / (1 - x) - 1 / (1 + x) + 3,
                lambda x: np.diag(1 / (1 - x) ** 2 + 1 / (1 + x) ** 2),
                [0.9], objective=objective,
            )
        )
        best = scipy.optimize.minimize_scalar(lambda t: objective([t]), bounds=(-0.999, 0.999), method="bounded").x
        assert np.abs(path).max() < 1
        np.testing.assert_allclose(path[-1], [best], rtol=1e-4)

    @pytest.mark.parametrize("A", [np.ones((4, 2)), [[1.0, 2.0], [1.0, 2.0 + 1e-12]]], ids=["singular", "nearly"])
    def test_a_singular_hessian_takes_the_shortest_step(self, A):
        A = np.asarray(A)
        b = np.arange(1.0, len(A) + 1)
        ours = last(newton(lambda x: A.T @ (A @ x - b), lambda x: A.T @ A, np.zeros(2)))
        np.testing.assert_allclose(ours, np.linalg.lstsq(A, b, rcond=1e-6)[0], rtol=1e-6)

    def test_wrong_shapes_and_nan(self):
        with pytest.raises(ValueError, match=r"Hessian must have shape \(2, 2\)"):
            last(newton(lambda x: x, lambda x: np.eye(3), [1.0, 2.0]))
        with pytest.raises(ValueError, match="NaN or infinity"):
            last(newton(lambda x: x, lambda x: np.full((2, 2), np.nan), [1.0, 2.0]))
        with pytest.raises(ValueError, match=r"1-D.*\(1, 2\)"):
            newton(lambda x: x, lambda x: np.eye(2), [[1.0, 2.0]])


class TestCoordinateDescent:
    @staticmethod
    def on(Q, c, x0, **options):
        """Minimise ½xᵀQx - cᵀx: coordinate j goes to (c_j - Σ_{k≠j} Q_jk x_k) / Q_jj."""
        return coordinate_descent(lambda x, j: x[j] + (c[j] - Q[j] @ x) / Q[j, j], x0, **options)

    @given(seed=st.integers(0, 1000))
    def test_it_finds_the_minimum_and_never_goes_up(self, seed):
        Q, c, best = bowl(seed)
        path = np.array(list(self.on(Q, c, np.ones(3), max_iter=100_000, tol=1e-10)))
        values = np.einsum("ti,ij,tj->t", path, Q, path) / 2 - path @ c
        assert np.all(np.diff(values) <= 1e-9 * np.abs(values).max())
        np.testing.assert_allclose(path[-1], best, atol=1e-5 * max(1, np.abs(best).max()))

    def test_each_iterate_changes_one_coordinate_in_turn(self):
        Q, c, _ = bowl(1)
        path = np.array(list(self.on(Q, c, np.ones(3), max_iter=2, tol=0)))
        assert [np.flatnonzero(step).tolist() for step in np.diff(path, axis=0)] == [[0], [1], [2], [0], [1], [2]]

    def test_the_notes_start(self):
        """From (-2, 2) on x² + y² + xy: the first coordinate goes to -y/2 = -1."""
        path = list(self.on(np.array([[2.0, 1.0], [1.0, 2.0]]), np.zeros(2), [-2, 2], max_iter=1, tol=0))
        assert [x.tolist() for x in path] == [[-2, 2], [-1, 2], [-1, 0.5]]

    def test_no_minimum_along_a_coordinate(self):
        with pytest.raises(DivergenceError, match="coordinate 1 became inf in sweep 1"):
            last(coordinate_descent(lambda x, j: 0.0 if j == 0 else np.inf, [1.0, 1.0]))

    def test_a_matrix_is_refused(self):
        with pytest.raises(ValueError, match=r"1-D.*\(1, 2\)"):
            coordinate_descent(lambda x, j: 0.0, [[1.0, 2.0]])


def test_last():
    assert last(iter([1, 2, 3])) == 3
    with pytest.raises(ValueError, match="yielded nothing"):
        last(iter([]))


def test_the_curriculum_s_signatures():
    """Other chapters call these by position."""
    names = {f.__name__: list(inspect.signature(f).parameters) for f in (gradient_descent, newton)}
    assert names["gradient_descent"] == ["gradient", "x0", "learning_rate", "max_iter", "tol"]
    assert names["newton"][:5] == ["gradient", "hessian", "x0", "max_iter", "tol"]
    assert "batch_size" in inspect.signature(stochastic_gradient_descent).parameters


# ---------------------------------------------------------------------------------------------------------------
# What callers pass in
# ---------------------------------------------------------------------------------------------------------------
def double(x, rows=None):
    return 2 * x


def curvature(x):
    return 2 * np.eye(len(x))


CALLS = {  # each function that can be passed in: how to run with another in its place
    "gradient of gradient_descent": lambda f: gradient_descent(f, [1.0, 2.0]),
    "gradient of stochastic": lambda f: stochastic_gradient_descent(f, [1.0, 2.0], 4, random_state=0),
    "gradient of newton": lambda f: newton(f, curvature, [1.0, 2.0]),
    "hessian of newton": lambda f: newton(double, f, [1.0, 2.0]),
    "objective of newton": lambda f: newton(double, curvature, [1.0, 2.0], objective=f),
    "minimize_coordinate": lambda f: coordinate_descent(f, [1.0, 2.0]),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "None .does a function lack its return"),
        ("1", "dtype <U1"),
        (1j, "dtype complex128"),
        (np.array([1.0, 2.0 + 0j]), "dtype complex128"),
        ([[1.0], [1.0, 2.0]], "real numbers"),
        ([object()], "real numbers"),
        (10**400, "too large"),
        ({}, "real numbers"),
    ],
    ids=lambda value: str(value).partition(" at 0x")[0],  # an address would differ from worker to worker
)
def test_a_function_that_returns_no_real_numbers(name, value, message):
    with pytest.raises(ValueError, match=message) as error:
        last(CALLS[name](lambda *_: value))
    assert name.split()[0].replace("minimize_coordinate", "new coordinate").lower() in str(error.value).lower()


@pytest.mark.parametrize("name", ["objective of newton", "minimize_coordinate"])
def test_a_function_that_returns_several_numbers_where_one_is_needed(name):
    with pytest.raises(ValueError, match=r"must be a number, got an array of shape \(2,\)"):
        last(CALLS[name](lambda *_: [1.0, 2.0]))


def test_functions_may_spoil_what_they_are_given():
    """A gradient that works in place must not move the walk."""

    def spoil(f):
        def spoiling(x, *rest):
            value = f(x.copy(), *rest)
            x[:] = 1e9
            return value

        return spoiling

    def square(x):
        return x @ x

    def halve(x, j):
        return x[j] / 2

    for steps in (
        lambda wrap: gradient_descent(wrap(double), [1.0, 2.0], max_iter=5),
        lambda wrap: stochastic_gradient_descent(wrap(double), [1.0, 2.0], 4, max_iter=2, random_state=0),
        lambda wrap: newton(wrap(double), wrap(curvature), [1.0, 2.0], max_iter=2, objective=wrap(square)),
        lambda wrap: coordinate_descent(wrap(halve), [1.0, 2.0], max_iter=2),
    ):
        np.testing.assert_array_equal(list(steps(spoil)), list(steps(lambda f: f)))

    def in_place(x):
        x *= 2
        return x

    np.testing.assert_array_equal(last(gradient_descent(in_place, [4.0], 0.25, 3, 0)), [0.5])


def test_an_objective_that_is_no_number_at_an_iterate():
    for value in (np.nan, -np.inf):
        with pytest.raises(ValueError, match=r"objective is (nan|-inf) at the point \[1. 2.\]"):
            last(newton(double, curvature, [1.0, 2.0], objective=lambda x, value=value: value))


@pytest.mark.parametrize("outside", [np.nan, np.inf])
def test_newton_stays_where_the_objective_is_a_number(outside):
    """f(x) = x - log x from 2.5: the full step of Newton's method leads to x < 0, where f is not defined."""

    def f(x):
        return (x - np.log(x)).item() if x[0] > 0 else outside

    path = list(newton(lambda x: 1 - 1 / x, lambda x: np.diag(1 / x**2), [2.5], objective=f))
    assert all(x[0] > 0 for x in path) and path[-1] == pytest.approx([1.0])


def test_last_of_what_is_no_generator():
    for wrong in (3, None, np.array(3), gradient_descent):
        with pytest.raises(ValueError, match="a generator of iterates is needed"):
            last(wrong)


# -- non-negative least squares ---------------------------------------------------------------------------------------
@given(st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_nonnegative_least_squares_against_scipy(d, seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, d)), rng.normal(size=12)
    x = nonnegative_least_squares(A, b)
    np.testing.assert_allclose(x, scipy.optimize.nnls(A, b)[0], atol=1e-7)
    slope = A.T @ (A @ x - b)  # the KKT conditions
    assert slope.min() >= -1e-7 and np.abs(slope * x).max() <= 1e-7


def test_nonnegative_coordinate_is_the_best_place_on_its_axis():
    rng = np.random.default_rng(1)
    A, b, x = rng.normal(size=(6, 3)), rng.normal(size=6), np.abs(rng.normal(size=3))
    places = np.linspace(0, 5, 100_001)
    for j in range(3):
        errors = np.sum((A @ x - b + A[:, j] * (places[:, np.newaxis] - x[j])) ** 2, axis=1)
        best = nonnegative_coordinate(A.T @ A, A.T @ b, x, j)
        assert best == pytest.approx(places[np.argmin(errors)], abs=1e-4)


def test_nonnegative_twins_and_empty_columns():
    A = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    x = nonnegative_least_squares(A, np.array([3.0, 6.0]))
    assert x[2] == 0
    np.testing.assert_allclose(A @ x, [3, 6])


def test_nonnegative_least_squares_says_when_it_stops_early():
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-5]])
    with pytest.warns(ConvergenceWarning, match="nearly the same"):
        nonnegative_least_squares(A, np.array([1.0, 1.00001]), max_iter=3)


def test_nonnegative_least_squares_in_any_units():
    A = np.random.default_rng(6).normal(size=(12, 3))
    x = np.array([1.0, 0.0, 3.0])
    for a, b in ((1e-90, 1.0), (1e90, 1.0), (1.0, 1e90), (1e-90, 1e-90)):
        found = nonnegative_least_squares(A * a, A @ x * b)
        np.testing.assert_allclose(found / b * a, x, atol=1e-9)
    units = np.array([1e-8, 1.0, 1e8])
    np.testing.assert_allclose(nonnegative_least_squares(A * units, A @ x) * units, x, atol=1e-9)
    np.testing.assert_allclose(nonnegative_least_squares(A.tolist(), (A @ x).tolist()), x, atol=1e-9)


def test_nonnegative_least_squares_refuses():
    A, b = np.eye(3), np.ones(3)
    for bad in ((A, np.ones(5)), (A[:, :0], b), (1e200 * A, b)):
        with pytest.raises(ValueError):
            nonnegative_least_squares(*bad)
