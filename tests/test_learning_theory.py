"""Learning theory: bounds against exact tails and SciPy, learners against linear programs and brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.tree import DecisionTreeRegressor

from mlcore import learning_theory as lt
from mlcore.base import Regressor
from mlcore.linear_regression import LinearRegression, PolynomialFeatures, Ridge

LEARNERS = (lt.rays, lt.two_sided_rays, lt.intervals)
PLANE = (lt.half_planes, lt.rectangles, lt.discs)


def signed(X, y):
    """The rows ±(x, 1), as exact fractions."""
    rows = [[Fraction(v) for v in row] + [Fraction(1)] for row in np.asarray(X, dtype=float).tolist()]
    return np.where(np.asarray(y) == 1, 1, -1).astype(object)[:, np.newaxis] * np.array(rows, dtype=object)


# ---------------------------------------------------------------------------------------------------------------
# Bias and variance
# ---------------------------------------------------------------------------------------------------------------
class TestBiasVariance:
    @given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 10**6))
    @settings(max_examples=40, deadline=None)
    def test_the_split_is_exact(self, T, n, seed):
        rng = np.random.default_rng(seed)
        F, f = rng.normal(size=(T, n)) * 10 ** rng.uniform(-8, 8), rng.normal(size=n)
        bias2, variance = lt.bias_and_variance(F, f)
        np.testing.assert_allclose(bias2 + variance, np.mean((F - f) ** 2, axis=0), rtol=1e-9)

    def test_correcting_keeps_the_sum_and_is_right_on_average(self):
        rng = np.random.default_rng(0)
        F = 0.5 * rng.normal(3.0, 2.0, size=(4, 60_000))  # bias -1.5, variance 1
        bias2, variance = lt.bias_and_variance(F, 3.0)
        pure, s2 = lt.corrected(bias2, variance, 4)
        np.testing.assert_allclose(pure + s2, bias2 + variance)
        assert abs(pure.mean() - 2.25) < 0.05 and abs(s2.mean() - 1) < 0.02
        assert bias2.mean() - 2.25 > 0.2 and variance.mean() < 0.8  # the raw ones are not

    def test_least_squares_of_a_fixed_design(self):
        x = np.linspace(-1, 1, 15)[:, np.newaxis]
        parts = lt.bias_variance(
            LinearRegression(), lambda X: np.exp(X[:, 0]), x, x, noise=0.5, n_sets=2000,
            features=lambda X: PolynomialFeatures(degree=3, include_bias=False).fit_transform(X), random_state=0,
        )
        assert parts.corrected[1] == pytest.approx(0.25 * 4 / 15, rel=0.06)
        assert parts.total == pytest.approx(parts.error, rel=0.05)
        assert parts.bias2 + parts.variance == pytest.approx(np.mean((parts.predictions - parts.truth) ** 2))

    @pytest.mark.parametrize("theirs", [SklearnRidge(alpha=0.5), DecisionTreeRegressor(max_depth=2)])
    def test_takes_estimators_of_scikit_learn(self, theirs):
        x = np.linspace(0, 1, 20)[:, np.newaxis]
        before = theirs.get_params()
        parts = lt.bias_variance(theirs, lambda X: X[:, 0] ** 2, x, x, noise=0.1, n_sets=20, random_state=3)
        assert theirs.get_params() == before and not hasattr(theirs, "n_features_in_")
        assert parts.predictions.shape == (20, 20) and parts.noise == pytest.approx(0.01)
        if isinstance(theirs, SklearnRidge):
            ridge = Ridge(alpha=0.5)
            ours = lt.bias_variance(ridge, lambda X: X[:, 0] ** 2, x, x, noise=0.1, n_sets=20, random_state=3)
            np.testing.assert_allclose(ours.predictions, parts.predictions, rtol=1e-8)

    def test_random_inputs_and_reproducible(self):
        def run(seed):
            return lt.bias_variance(
                Ridge(), lambda X: X.sum(axis=1), lambda rng: rng.normal(size=(12, 2)), np.zeros((3, 2)), n_sets=5,
                random_state=seed,
            )

        assert np.array_equal(run(1).predictions, run(1).predictions)
        assert not np.array_equal(run(1).predictions, run(2).predictions)
        state = np.random.get_state()[1].copy()
        run(None)
        assert np.array_equal(state, np.random.get_state()[1])

    @pytest.mark.parametrize("change", [
        {"f": lambda X: np.zeros(2)}, {"f": lambda X: X[:, 0] * np.nan}, {"draw": np.zeros(5)}, {"estimator": Ridge},
    ])  # fmt: skip
    def test_bad_input(self, change):
        x = np.linspace(0, 1, 5)[:, np.newaxis]
        arguments = {"estimator": Ridge(), "f": lambda X: X[:, 0], "draw": x, "X": x, "noise": 0.1, "n_sets": 3}
        with pytest.raises(ValueError):
            lt.bias_variance(**{**arguments, **change})

    def test_predictions_that_are_not_finite(self):
        class Broken(Regressor):
            def fit(self, X, y):
                return self

            def predict(self, X):
                return np.full(len(X), np.nan)

        with pytest.raises(ValueError, match="not finite"):
            lt.bias_variance(Broken(), lambda X: X[:, 0], np.zeros((3, 1)), np.zeros((3, 1)), n_sets=2)


# ---------------------------------------------------------------------------------------------------------------
# Bounds
# ---------------------------------------------------------------------------------------------------------------
class TestHoeffding:
    @given(st.integers(1, 3000), st.floats(0.001, 0.999), st.floats(0.001, 0.9))
    @settings(max_examples=150, deadline=None)
    def test_never_crossed_by_the_exact_tail(self, m, phi, gamma):
        assert lt.deviation_probability(m, phi, gamma) <= lt.hoeffding_bound(m, gamma) * (1 + 1e-9)

    @pytest.mark.parametrize("m, phi, gamma", [
        (1, 0.3, 0.2), (17, 0.3, 0.15), (400, 0.5, 0.15), (5000, 0.02, 0.01), (10, 0.7, 0.1), (10, 0.8, 0.1),
    ])  # fmt: skip
    def test_exact_tail_against_scipy(self, m, phi, gamma):
        j = np.arange(m + 1)
        right = binom.pmf(j, m, phi)[np.abs(j - m * phi) > m * gamma + 1e-9].sum()
        assert lt.deviation_probability(m, phi, gamma) == pytest.approx(right, rel=1e-9, abs=0)

    def test_exact_tail_of_many_rows(self):
        for m in (10**6, 10**7):
            gamma = 1.0 / math.sqrt(m)
            far = math.floor(m * (0.3 + gamma)), math.ceil(m * (0.3 - gamma)) - 1
            right = binom.sf(far[0], m, 0.3) + binom.cdf(far[1], m, 0.3)
            assert lt.deviation_probability(m, 0.3, gamma) == pytest.approx(right, rel=1e-10)

    def test_worked_numbers(self):
        assert lt.deviation_probability(400, 0.5, 0.15) == pytest.approx(1.08464e-9, rel=1e-5, abs=0)
        assert lt.hoeffding_bound(400, 0.15) == pytest.approx(3.0460e-8, rel=1e-4, abs=0)
        assert 2 * math.exp(-2.5 * 0.15**2 * 400) < lt.deviation_probability(400, 0.5, 0.15)
        assert lt.deviation_probability(1, 0.5, 0.49) == pytest.approx(1) and lt.hoeffding_bound(1, 0.49) > 1.2
        p = lt.deviation_probability(100, 0.5, 0.2)
        assert 1 - (1 - p) ** 100 == pytest.approx(0.00321, abs=5e-6)
        assert lt.union_bound([lt.hoeffding_bound(100, 0.2)] * 100) == pytest.approx(0.0671, abs=5e-5)

    def test_ends(self):
        assert lt.deviation_probability(10, 0, 0.1) == lt.deviation_probability(10, 1, 0.1) == 0
        assert lt.deviation_probability(10, 0.5, 5.0) == 0
        assert lt.hoeffding_bound(10**9, 0.5) == 0
        np.testing.assert_allclose(lt.hoeffding_bound([1, 10], 0.1), [2 * math.exp(-0.02), 2 * math.exp(-0.2)])


class TestManyHypotheses:
    def test_worked_numbers(self):
        assert lt.sample_complexity(1000, 0.05, 0.01) == 2442
        assert lt.sample_complexity(1000, 0.1, 0.05) == 530
        assert lt.sample_complexity(1, 0.05, 0.05) == 738
        assert lt.sample_complexity(1, 0.99, 0.99) == 1

    @given(st.integers(1, 10**9), st.floats(0.001, 0.9), st.floats(0.001, 0.9))
    @settings(max_examples=60, deadline=None)
    def test_it_is_the_least(self, k, gamma, delta):
        m = lt.sample_complexity(k, gamma, delta)
        assert k * lt.hoeffding_bound(m, gamma) <= delta * (1 + 1e-9)
        assert m == 1 or k * lt.hoeffding_bound(m - 1, gamma) > delta * (1 - 1e-9)
        assert lt.generalization_gap(m, k, delta) <= gamma * (1 + 1e-9)

    def test_a_class_of_640_bits(self):
        assert lt.sample_complexity(2**640, 0.05, 0.01) == math.ceil((math.log(200) + 640 * math.log(2)) / 0.005)
        gap = math.sqrt((math.log(200) + 443.614) / 200)
        assert lt.generalization_gap(100, 2**640, 0.01) == pytest.approx(gap, rel=1e-6)

    def test_promise_against_simulation(self):
        rng = np.random.default_rng(0)
        true = rng.uniform(0.1, 0.5, size=30)
        off = np.abs(rng.binomial(200, true, size=(4000, 30)) / 200 - true).max(axis=1)
        assert np.mean(off > lt.generalization_gap(200, 30, 0.1)) <= 0.1
        assert np.mean(off > lt.generalization_gap(200, 1, 0.9)) > 0.9  # a promise for one holds not for thirty

    def test_erm(self):
        best, errors = lt.empirical_risk_minimizer([[1, 1, 0], [1, 0, 1], [1, 0, 0]], [1, 0, 1])
        assert best == 1 and isinstance(best, int)
        np.testing.assert_allclose(errors, [2 / 3, 0, 1 / 3])
        words = np.array([["a", "b"], ["b", "b"]])
        assert lt.empirical_risk_minimizer(words, ["b", "b"])[0] == 1
        assert lt.empirical_risk_minimizer([[0, 1], [1, 0]], [1, 1])[0] == 0  # a tie: the first

    def test_twice_gamma_is_attained(self):
        answers = np.array([[1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]])
        true = np.array([0.5, 0.3])
        best, errors = lt.empirical_risk_minimizer(answers, np.zeros(10, dtype=int))
        assert true[best] - true.min() == pytest.approx(2 * np.abs(errors - true).max()) == pytest.approx(0.2)

    @pytest.mark.parametrize("call", [
        lambda: lt.empirical_risk_minimizer([0, 1], [0, 1]),
        lambda: lt.empirical_risk_minimizer([[0, 1, 1]], [0, 1]),
        lambda: lt.empirical_risk_minimizer(np.zeros((0, 2)), [0, 1]),
    ])  # fmt: skip
    def test_bad_input(self, call):
        with pytest.raises(ValueError):
            call()


class TestInfinitelyMany:
    def test_sauer(self):
        assert [lt.sauer_bound(m, 3) for m in (2, 3, 4, 5)] == [4, 8, 15, 26]
        assert lt.sauer_bound(0, 5) == 1 and lt.sauer_bound(7, 0) == 1 and lt.sauer_bound(60, 60) == 2**60
        for m, d in itertools.product((3, 9, 40), (1, 2, 3)):
            assert lt.sauer_bound(m, d) <= (math.e * m / d) ** d

    def test_vc_bound_is_the_notes_formula_solved(self):
        for m in (500, 29_300):
            growth = (2 * m) ** 3 + 1
            epsilon = lt.vc_bound(m, 3, 0.1, growth=growth)
            assert 4 * growth * math.exp(-m * epsilon**2 / 8) == pytest.approx(0.1, rel=1e-9)
        assert lt.vc_bound(29_300, 3, 0.1, growth=growth) <= 0.1
        assert lt.vc_bound(29_299, 3, 0.1, growth=(2 * 29_299) ** 3 + 1) > 0.1

    @pytest.mark.parametrize("m, d, right", [
        (50, 3, math.log(lt.sauer_bound(100, 3))), (4, 9, 8 * math.log(2)), (1000, 500, 500 * math.log(2 * math.e * 2)),
        (10, 0, 0.0), (60, 119, 120 * math.log(2)),
    ])  # fmt: skip
    def test_growth_from_the_dimension(self, m, d, right):
        assert lt.vc_bound(m, d, 0.1) == pytest.approx(math.sqrt(8 / m * (math.log(40) + right)))

    def test_monotone_and_quick_for_large_numbers(self):
        values = [lt.vc_bound(10**6, d, 0.05) for d in (1, 10, 100, 101, 1000, 10**6, 10**7, 10**12)]
        assert values == sorted(values) and math.isfinite(values[-1])
        assert lt.vc_bound(10**9, 5, 0.05) < lt.vc_bound(10**6, 5, 0.05) < lt.vc_bound(10**3, 5, 0.05)

    @pytest.mark.parametrize("N", range(3, 12))
    def test_margin_bound_is_reached_by_the_simplex(self, N):
        rho2 = 1 / (N - 1) if N % 2 == 0 else N**2 / ((N - 1) ** 2 * (N + 1))
        for scale in (1e-8, 1.0, 1e8):
            assert lt.margin_vc_bound(scale, scale * math.sqrt(rho2)) == N
            assert lt.margin_vc_bound(scale, scale * math.sqrt(rho2), N - 1) == N
        assert lt.margin_vc_bound(1.0, math.sqrt(rho2) * 0.99) >= N

    def test_margin_bound_by_dimension(self):
        assert lt.margin_vc_bound(1.0, 0.75) == 3
        assert lt.margin_vc_bound(1.0, 1e-3, 7) == 8 and lt.margin_vc_bound(1e90, 1e-90, 7) == 8
        assert lt.margin_vc_bound(1.0, 2.0, 7) == 2

    def test_a_ratio_beyond_floats_needs_the_number_of_features(self):
        with pytest.raises(ValueError, match="give d"):
            lt.margin_vc_bound(1e90, 1e-90)


# ---------------------------------------------------------------------------------------------------------------
# Learners
# ---------------------------------------------------------------------------------------------------------------
def holds_proof(X, y, answer):
    """Whether the answer of half_planes proves itself, in exact arithmetic."""
    Z = signed(X, y)
    if answer:
        w, b = answer.hypothesis
        return all(type(value) is Fraction for value in [*w, b]) and all(Z @ np.append(w, b) > 0)
    lam = answer.proof
    y = np.asarray(y)
    return min(lam) >= 0 and sum(lam[y == 1]) == sum(lam[y == 0]) == 1 and not (Z.T @ lam).any()


class TestHalfPlanes:
    @given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 4), st.sampled_from([1, 3, 50]))
    @settings(max_examples=150, deadline=None)
    def test_either_answer_proves_itself_and_agrees_with_a_linear_program(self, seed, m, d, size):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-size, size + 1, size=(m, d)), rng.integers(2, size=m)  # many duplicates, many on a line
        answer = lt.half_planes(X, y)
        assert holds_proof(X, y, answer)
        Z = signed(X, y).astype(float)
        theirs = linprog(np.zeros(d + 1), A_ub=-Z, b_ub=-np.ones(m), bounds=[(None, None)] * (d + 1))
        assert bool(answer) == (theirs.status == 0)

    @pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
    def test_scale_order_and_type_do_not_matter(self, scale):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(6, 2)) * scale, np.array([0, 1, 0, 1, 1, 0])
        for variant, labels in ((np.asfortranarray(X), y), (X.tolist(), y.tolist()), (X[::-1], y[::-1]), (X, y == 1)):
            assert bool(lt.half_planes(variant, labels)) == bool(lt.half_planes(X, y))
        X.flags.writeable = False
        assert holds_proof(X, y, lt.half_planes(X, y))
        assert holds_proof(X.astype(np.float32), y, lt.half_planes(X.astype(np.float32), y))

    def test_what_rounding_would_decide_wrongly(self):
        # the middle point is off the line by 2⁻⁵², or on it
        on, off = [[0, 0], [2, 2], [1, 1]], [[0, 0], [2, 2], [1, 1 + 2.0**-52]]
        assert not lt.half_planes(on, [1, 1, 0]) and lt.half_planes(off, [1, 1, 0])
        third = [[0, Fraction(0)], [1, Fraction(1, 3)], [3, 1]]
        assert not lt.half_planes(np.array(third, dtype=object), [1, 0, 1])
        assert lt.half_planes(np.array(third, dtype=float), [1, 0, 1])  # in binary 1/3 is another number, off the line
        big = 2**62
        assert not lt.half_planes([[big, big], [big - 1, big - 1], [big - 2, big - 2]], [1, 0, 1])

    def test_few_points(self):
        assert lt.half_planes([[3.0]], [0]) and lt.half_planes([[3.0]], [1])
        assert lt.half_planes([[1, 2], [1, 2]], [1, 1])
        assert not lt.half_planes([[1, 2], [1, 2]], [1, 0])
        assert lt.half_planes([[1, 2], [1, 2]], [1, 0]).proof.tolist() == [1, 1]

    @pytest.mark.parametrize("d", [1, 2, 3, 5])
    def test_dimension_is_d_plus_1(self, d):
        assert lt.is_shattered(np.vstack([np.zeros(d), np.eye(d)]), lt.half_planes)
        X = np.random.default_rng(d).integers(-5, 6, size=(d + 2, d))
        assert not lt.is_shattered(X, lt.half_planes)

    def test_radon(self):
        for seed in range(5):
            X = np.random.default_rng(seed).normal(size=(4, 2))
            a = np.linalg.svd(np.column_stack([X, np.ones(4)]).T)[2][-1]
            y = (a > 0).astype(int)
            weights = lt.half_planes(X, y).proof.astype(float)
            np.testing.assert_allclose(weights, np.abs(a) / a[y == 1].sum(), rtol=1e-9)
            assert not lt.half_planes(X, 1 - y)

    @pytest.mark.parametrize("seed", range(3))
    def test_two_hundred_points(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 2))
        y = (X @ [1, 2] > 0.3).astype(int)
        assert holds_proof(X, y, lt.half_planes(X, y))
        y[np.argmax(X @ [1, 2])] = 0
        answer = lt.half_planes(X, y)
        assert not answer and holds_proof(X, y, answer)
        assert np.count_nonzero(answer.proof) <= 4

    def test_the_tables_stay_true(self):
        X, y = np.array([[2, 2], [4, 7], [7, 3], [5, 1], [8, 8]]), np.array([0, 1, 1, 0, 1])
        w = np.array([Fraction(3, 7), Fraction(-2), Fraction(5)], dtype=object)
        values = np.concatenate([signed(X, y) @ w - 1, w])
        steps = lt.separator_steps(X, y)
        assert len(steps) > 3
        for T, rows, columns in steps:
            assert all(type(entry) is Fraction for entry in T.ravel())
            assert all(T[:, 0] + T[:, 1:] @ values[columns[1:]] == values[rows])

    def test_too_many(self):
        with pytest.raises(ValueError, match="too many for fractions"):
            lt.half_planes(np.zeros((10_000, 3)), np.zeros(10_000))


class TestOtherLearners:
    def test_on_a_line_against_brute_force(self):
        rng = np.random.default_rng(0)
        for m in range(1, 7):
            x = rng.integers(0, 6, size=m)  # with duplicates
            cuts = np.arange(-1, 8) - 0.5
            right = {tuple((x >= a).astype(int)) for a in cuts}
            two = right | {tuple((x <= a).astype(int)) for a in cuts}
            between = {tuple(((x >= a) & (x <= b)).astype(int)) for a in cuts for b in cuts}
            for learner, all_of in zip(LEARNERS, (right, two, between)):
                assert {tuple(row) for row in lt.labelings_of(x, learner)} == all_of
                assert lt.growth_function(learner, x) == len(all_of)

    def test_rectangles_against_brute_force(self):
        rng = np.random.default_rng(1)
        X = rng.integers(0, 4, size=(5, 2))
        cuts = np.arange(-1, 5) + 0.5
        boxes = itertools.product(cuts, cuts, cuts, cuts)
        all_of = {tuple(((X > (a, c)) & (X < (b, d))).all(axis=1).astype(int)) for a, b, c, d in boxes}
        assert {tuple(row) for row in lt.labelings_of(X, lt.rectangles)} == all_of

    @given(st.integers(0, 10**6), st.integers(1, 7), st.sampled_from([2, 40]))
    @settings(max_examples=60, deadline=None)
    def test_discs_prove_themselves(self, seed, m, size):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, size, size=(m, 2)), rng.integers(2, size=m)
        answer, exact = lt.discs(X, y), np.array([[Fraction(int(v)) for v in row] for row in X], dtype=object)
        if answer:
            center, r2 = answer.hypothesis
            inside = np.sum((exact - center) ** 2, axis=1) < r2
            assert np.array_equal(inside, y == 1)
            assert not np.any(np.sum((exact - center) ** 2, axis=1) == r2)
            return
        lam = answer.proof[:-1]  # Σ λ y (x, 1) = 0, and the ones are on average at least as far from 0 as the zeros
        signs = np.where(y == 1, 1, -1)
        assert min(answer.proof) >= 0 and sum(lam * signs) == 0 and sum(lam[y == 1]) == 1
        assert not ((lam * signs) @ exact).any()
        assert (lam * signs) @ np.sum(exact**2, axis=1) == answer.proof[-1] >= 0

    def test_what_a_hypothesis_says(self):
        x, y = np.array([3.0, 1.0, 2.0, 5.0]), [1, 0, 1, 0]
        low, high = lt.intervals(x, y).hypothesis
        assert (low, high) == (2.0, 3.0)
        assert lt.rays(x, [1, 0, 1, 1]).hypothesis == (2.0, np.inf)
        assert lt.two_sided_rays(x, [0, 1, 1, 0]).hypothesis == (-np.inf, 2.0)
        assert lt.rays(x, y).proof.tolist() == [3] and lt.rays(x, [0] * 4).hypothesis == ()

    @pytest.mark.parametrize("learner", [*LEARNERS, *PLANE])
    def test_one_point_one_class_and_copies(self, learner):
        point = [[1.0]] if learner in LEARNERS else [[1.0, 2.0]]
        assert learner(point, [0]) and learner(point, [1])
        assert learner(point * 3, [1, 1, 1]) and learner(point * 3, [0, 0, 0])
        assert not learner(point * 2, [1, 0])

    @pytest.mark.parametrize("learner", [*LEARNERS, *PLANE])
    @pytest.mark.parametrize("X, y", [
        ([[0.0], [1.0]], [0, 2]), ([[0.0], [1.0]], [0]), ([[0.0], [1.0]], ["no", "yes"]), ([[0.0], [1e200]], [0, 1]),
    ])  # fmt: skip
    def test_bad_input(self, learner, X, y):
        with pytest.raises(ValueError, match="y must have one label|labels must be 0 and 1|rescale X"):
            learner(X, y)

    def test_data_frames(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})
        assert not lt.half_planes(frame, [0, 1, 1, 0]) and lt.half_planes(frame, pd.Series([0, 1, 0, 1]))
        assert lt.growth_function(lt.rectangles, frame) == 10


# ---------------------------------------------------------------------------------------------------------------
# Counting
# ---------------------------------------------------------------------------------------------------------------
class TestCounting:
    def test_worked_counts(self):
        rng = np.random.default_rng(0)
        for m in range(1, 7):
            x, X = rng.normal(size=m), rng.normal(size=(m, 2))
            assert [lt.growth_function(learner, x) for learner in LEARNERS] == [m + 1, 2 * m, m * (m + 1) // 2 + 1]
            assert lt.growth_function(lt.half_planes, X) == m * m - m + 2
            assert lt.growth_function(lt.discs, X) == lt.sauer_bound(m, 3)
        assert lt.growth_function(lt.half_planes, [[0, 0], [1, 1], [2, 2], [0, 1]]) == 12
        assert lt.growth_function(lt.half_planes, [[0, 0], [1, 1], [2, 2], [3, 3]]) == 8
        assert lt.growth_function(lt.rectangles, [[0, 0], [0, 1], [1, 0], [1, 1]]) == 10
        assert lt.growth_function(lt.rectangles, [[0, 1], [1, 0], [2, 1], [1, 2]]) == 16
        assert lt.growth_function(lt.discs, [[0, 0], [0, 1], [1, 0], [1, 1]]) == 14  # on one circle

    def test_dimensions(self):
        line, three = [0.0, 1.0, 2.0], [[0, 0], [1, 0], [0, 1]]
        assert lt.is_shattered(line[:1], lt.rays) and not lt.is_shattered(line[:2], lt.rays)
        assert lt.is_shattered(line[:2], lt.two_sided_rays) and not lt.is_shattered(line, lt.two_sided_rays)
        assert lt.is_shattered(line[:2], lt.intervals) and not lt.is_shattered(line, lt.intervals)
        assert lt.is_shattered(three, lt.half_planes) and lt.is_shattered(three, lt.discs)
        assert not lt.is_shattered([[0, 0], [1, 1], [2, 2]], lt.half_planes)
        diamond = [[0, 1], [1, 0], [2, 1], [1, 2]]
        assert lt.is_shattered(diamond, lt.rectangles)
        for seed in range(5):
            X = np.random.default_rng(seed).normal(size=(5, 2))
            assert not any(lt.is_shattered(X, learner) for learner in PLANE)
            assert not lt.is_shattered(X[:4], lt.discs) and not lt.is_shattered(X[:4], lt.half_planes)

    @given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 40))
    @settings(max_examples=60, deadline=None)
    def test_as_many_shattered_subsets_as_rows_and_sauer(self, seed, m, k):
        table = np.unique(np.random.default_rng(seed).integers(2, size=(k, m)), axis=0)
        subsets = lt.shattered_subsets(table)
        assert len(subsets) >= len(table) and () in subsets
        assert len(table) <= lt.sauer_bound(m, max(map(len, subsets)))
        for subset in subsets:
            assert len({tuple(row) for row in table[:, subset].tolist()}) == 2 ** len(subset)

    def test_hypotheses_as_functions_and_as_a_table(self):
        x = np.array([0.5, 1.5, 2.5])
        functions = [lambda x, a=a: x >= a for a in range(5)]
        assert lt.growth_function(functions, x) == 4
        assert lt.growth_function([f(x) for f in functions], x) == 4
        assert lt.growth_function(np.array([["a", "b"], ["a", "b"], ["b", "b"]]), [1, 2]) == 2

    def test_a_sine_has_one_parameter_and_shatters(self):
        x = 10.0 ** -np.arange(1, 6)
        sines = [math.pi * (1 + ((1 - y) * 10 ** np.arange(1, 6)).sum()) for y in lt.all_labelings(5)]
        assert lt.growth_function([lambda x, w=w: np.sin(w * x) >= 0 for w in sines], x) == 32

    def test_stops_at_the_first_that_fails(self):
        seen = []

        def learner(X, y):
            seen.append(tuple(y))
            return not y.any()

        assert not lt.is_shattered(np.zeros((16, 2)), learner) and len(seen) == 2

    @pytest.mark.parametrize("call", [
        lambda: lt.labelings_of(np.zeros((2, 2, 2)), lt.discs),
        lambda: lt.growth_function([], [1, 2]), lambda: lt.growth_function([lambda x: x[:1]], [1, 2]),
        lambda: lt.growth_function(3, [1, 2]), lambda: lt.growth_function([[0, 1]], []),
        lambda: lt.growth_function([[0, 1, 1]], [1, 2]), lambda: lt.shattered_subsets([[0, 2]]),
        lambda: lt.shattered_subsets(np.zeros((1, 17))), lambda: lt.shattered_subsets(np.zeros((0, 3))),
    ])  # fmt: skip
    def test_bad_input(self, call):
        with pytest.raises(ValueError):
            call()


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
def test_numbers_beyond_floats_are_refused():
    for gamma, delta in ((1e-200, 0.1), (0.1, 1e-320)):
        with pytest.raises(ValueError, match="must be"):
            lt.sample_complexity(10, gamma, delta)


def test_a_tail_may_round_to_nothing():
    with np.errstate(all="raise"):
        assert lt.hoeffding_bound(10_000, 0.9) == 0
        assert lt.deviation_probability(10_000, 0.3, 0.3) < 1e-300


def test_fractions_of_numpys_whole_numbers_do_not_overflow():
    big = [[3 * 10**9, 10**9], [7 * 10**9, 1], [1, 5 * 10**9 + 1], [10**9, 2]]
    wrapped = np.array([[np.int64(x) for x in row] for row in big], dtype=object)
    found, right = lt.half_planes(wrapped, [0, 1, 1, 0]), lt.half_planes(big, [0, 1, 1, 0])
    assert found.hypothesis[1] == right.hypothesis[1] and found.hypothesis[0].tolist() == right.hypothesis[0].tolist()
    assert lt.half_planes(np.array([[np.float32(0.5)], [np.float32(0.25)]], dtype=object), [0, 1])


def test_a_walk_of_fractions_that_takes_too_long_is_given_up():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no answer after"):
        lt.half_planes(rng.normal(size=(80, 80)), rng.integers(0, 2, 80))


def test_answers_in_an_array_of_objects_are_counted():
    answers = [np.array(["a", "b"], dtype=object), np.array(["a", "b"]), np.array(["b", "b"], dtype=object)]
    assert lt.growth_function(answers, [[1], [2]]) == 2


def test_a_certificate_can_be_kept_in_a_set():
    answer = lt.intervals([1, 2], [0, 1])
    assert answer in {answer} and answer == answer
