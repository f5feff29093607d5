"""Estimates and posteriors against SciPy, scikit-learn, brute-force integration and numeric maximisation."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import dblquad, quad
from scipy.optimize import minimize, minimize_scalar
from sklearn.linear_model import BayesianRidge
from sklearn.linear_model import LogisticRegression as SklearnLogistic

from mlcore import numerics
from mlcore import parameter_estimation as pe
from mlcore.linear_regression import LinearRegression, Ridge
from mlcore.logistic_regression import LogisticRegression
from mlcore.numerics import expit
from mlcore.parameter_estimation import (
    BayesianLinearRegression,
    BetaBernoulli,
    DirichletCategorical,
    GaussianMean,
    GaussianMLE,
    bayesian_logistic_laplace,
    categorical_mle,
)
from mlcore.verify import numerical_hessian

CONFORMANCE_INSTANCES = {
    "BayesianLinearRegression": [BayesianLinearRegression(), BayesianLinearRegression(fit_intercept=False)]
}

NOT_APPLICABLE = {
    "GaussianMLE": {
        "check_array_api_input": "its data repeat features, so the covariance is singular and has no density",
    }
}

SHAPES = [(0.5, 0.5), (1, 1), (2.5, 4), (0.3, 7), (40, 3), (1, 6)]
positive = st.floats(0.05, 50)
small_count = st.integers(0, 40)


def line(n=12, d=3, seed=0, noise=0.6):
    """Rows, and a linear function of them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 2.0 + noise * rng.normal(size=n)


def two_classes(n=20, d=2, seed=0):
    """Two overlapping classes of 0 and 1, of different sizes."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    return rng.normal(size=(n, d)) + 1.2 * y[:, np.newaxis], y


def with_ones(X):
    """X with a first column of ones."""
    return np.column_stack([np.ones(len(X)), X])


# ---------------------------------------------------------------------------------------------------------------
# Coins
# ---------------------------------------------------------------------------------------------------------------
class TestCoin:
    @pytest.mark.parametrize("a, b", SHAPES)
    def test_density_mean_and_variance_as_scipy(self, a, b):
        ours, theirs = BetaBernoulli(a, b), scipy.stats.beta(a, b)
        p = np.linspace(0.001, 0.999, 57)
        assert_allclose(ours.pdf(p), theirs.pdf(p), rtol=1e-9)
        assert_allclose(ours.log_pdf(p), theirs.logpdf(p), rtol=1e-9, atol=1e-12)
        assert_allclose([ours.mean, ours.variance], [theirs.mean(), theirs.var()], rtol=1e-12)

    @pytest.mark.parametrize("a, b", SHAPES)
    def test_the_ends_of_the_density(self, a, b):
        assert_allclose(BetaBernoulli(a, b).pdf([0, 1]), scipy.stats.beta(a, b).pdf([0, 1]), rtol=1e-9)

    def test_a_density_of_many_tosses_keeps_its_digits(self):
        for a, b in ((3e4, 7e4), (1e6, 2.0), (4e8, 6e8)):
            ours, theirs = BetaBernoulli(a, b), scipy.stats.beta(a, b)
            assert_allclose(ours.pdf(theirs.mean()), theirs.pdf(theirs.mean()), rtol=1e-5)

    @pytest.mark.parametrize("a, b", [(2.5, 4), (0.7, 1.2), (1, 1)])
    @pytest.mark.parametrize("h, t", [(3, 6), (0, 0), (4, 0), (1, 9)])
    def test_the_posterior_by_integration(self, a, b, h, t):
        prior = BetaBernoulli(a, b)

        def product(p):
            return p**h * (1 - p) ** t * prior.pdf(p)

        total = quad(product, 0, 1)[0]
        posterior = prior.update(h, t)
        for p in (0.1, 0.45, 0.83):
            assert math.isclose(posterior.pdf(p), product(p) / total, rel_tol=1e-6)
        assert math.isclose(posterior.mean, quad(lambda p: p * product(p), 0, 1)[0] / total, rel_tol=1e-6)

    @given(positive, positive, st.lists(st.tuples(small_count, small_count), max_size=5))
    @settings(max_examples=50, deadline=None)
    def test_one_by_one_or_all_at_once(self, a, b, days):
        belief = BetaBernoulli(a, b)
        for day in days:
            belief = belief.update(*day)
        heads, tails = (sum(day[k] for day in days) for k in (0, 1))
        assert_allclose([belief.a, belief.b], [a + heads, b + tails], rtol=1e-12)

    @given(st.floats(1.01, 30), st.floats(1.01, 30))
    @settings(max_examples=30, deadline=None)
    def test_the_mode_by_numeric_maximisation(self, a, b):
        belief = BetaBernoulli(a, b)
        found = minimize_scalar(lambda p: -belief.log_pdf(p), bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
        assert abs(belief.mode - found.x) < 1e-5

    @pytest.mark.parametrize(
        "a, b, mode", [(0.5, 4, 0), (4, 0.5, 1), (1, 3, 0), (3, 1, 1), (0.5, 1, 0), (1, 0.5, 1), (2, 2, 0.5)]
    )
    def test_the_mode_where_the_formula_leaves_the_interval_or_meets_its_end(self, a, b, mode):
        assert BetaBernoulli(a, b).mode == mode

    @pytest.mark.parametrize("a, b, word", [(1, 1, "flat"), (0.5, 0.5, "infinite"), (0.9, 0.2, "infinite")])
    def test_no_single_mode(self, a, b, word):
        """(½, ½): the formula gives ½, which is the minimum."""
        with pytest.raises(ValueError, match=word):
            BetaBernoulli(a, b).mode  # noqa: B018

    def test_map_depends_on_the_unit(self):
        """Traps: a = 2.5, b = 4, h = 3, t = 6: 0.333 in p, 0.355 in log-odds, which is the mean."""
        belief = BetaBernoulli(2.5, 4).update(3, 6)

        def in_log_odds(z):
            q = expit(z)
            return -(belief.log_pdf(q) + math.log(q * (1 - q)))

        found = float(expit(minimize_scalar(in_log_odds, bounds=(-5, 5), method="bounded").x))
        assert round(belief.mode, 3) == 0.333 and round(found, 3) == round(belief.mean, 3) == 0.355

    def test_rule_of_succession_two_ways(self):
        assert BetaBernoulli(1, 1).update(3, 6).mean == pytest.approx(4 / 11) == BetaBernoulli(2, 2).update(3, 6).mode

    @pytest.mark.parametrize("wrong", [0, 0.0, -1, np.nan, np.inf, "2", None, True, 1e11])
    def test_bad_parameters(self, wrong):
        for make in (lambda: BetaBernoulli(wrong, 1), lambda: BetaBernoulli(1, wrong)):
            with pytest.raises(ValueError):
                make()

    def test_strength_zero_is_explained(self):
        with pytest.raises(ValueError, match="improper"):
            BetaBernoulli(0, 1)
        with pytest.raises(ValueError, match=r"alpha\[1\].*improper"):
            DirichletCategorical([1, 0, 2])

    def test_bad_data(self):
        belief = BetaBernoulli(1, 2)
        for heads, tails in ((-1, 0), (0, np.nan), ("3", 0), (1e11, 0)):
            with pytest.raises(ValueError):
                belief.update(heads, tails)
        for p in (-0.1, 1.1, np.nan, "x"):
            with pytest.raises(ValueError):
                belief.pdf(p)

    def test_a_belief_does_not_change(self):
        belief = BetaBernoulli(1, 2)
        belief.update(5, 5)
        assert (belief.a, belief.b) == (1, 2)
        with pytest.raises(AttributeError):
            belief.a = 3


# ---------------------------------------------------------------------------------------------------------------
# Dice
# ---------------------------------------------------------------------------------------------------------------
class TestDie:
    def test_as_scipy(self):
        ours, theirs = DirichletCategorical([0.7, 2, 3.5]), scipy.stats.dirichlet([0.7, 2, 3.5])
        P = np.random.default_rng(0).dirichlet([1, 1, 1], size=9)
        assert_allclose(ours.log_pdf(P), [theirs.logpdf(p) for p in P], rtol=1e-10)
        assert_allclose(ours.mean, theirs.mean())
        assert_allclose(ours.variance, theirs.var())

    def test_a_corner_without_a_limit(self):
        assert DirichletCategorical([0.5, 2, 2]).log_pdf([0, 0, 1]) == np.inf
        assert DirichletCategorical([0.5, 2, 2]).log_pdf([0.5, 0, 0.5]) == -np.inf

    def test_two_faces_are_a_coin(self):
        die, coin = DirichletCategorical([2.5, 0.5]), BetaBernoulli(2.5, 0.5)
        p = np.linspace(0, 1, 11)
        assert_allclose(die.log_pdf(np.column_stack([p, 1 - p])), coin.log_pdf(p))
        assert_array_equal(die.mode, [1, 0])
        assert die.mean[0] == coin.mean

    def test_the_posterior_by_integration(self):
        prior, counts = DirichletCategorical([1.5, 2, 2.5]), np.array([4, 0, 3])

        def product(q, p):
            rest = max(1 - p - q, 0.0)
            return p**4 * rest**3 * float(np.exp(prior.log_pdf([p, q, rest])))

        total = dblquad(product, 0, 1, 0, lambda p: 1 - p, epsabs=1e-10)[0]
        posterior = prior.update(counts)
        for p in ([0.5, 0.2, 0.3], [0.2, 0.1, 0.7]):
            assert math.isclose(np.exp(posterior.log_pdf(p)), product(p[1], p[0]) / total, rel_tol=1e-5)

    def test_the_mode_by_numeric_maximisation(self):
        belief = DirichletCategorical([1.4, 5, 2, 3])

        def height(z):
            p = np.exp(z - z.max())
            return -belief.log_pdf(p / p.sum())

        z = minimize(height, np.zeros(4), tol=1e-12).x
        assert_allclose(np.exp(z) / np.exp(z).sum(), belief.mode, atol=1e-5)

    def test_an_unseen_face(self):
        throws = [2, 1, 3, 2, 2, 0]
        assert categorical_mle(throws)[5] == 0 == DirichletCategorical([1] * 6).update(throws).mode[5]
        assert DirichletCategorical([2] * 6).update(throws).mode[5] == pytest.approx(1 / 16)
        assert DirichletCategorical([1] * 6).update(throws).mean[5] == pytest.approx(1 / 16)
        with pytest.raises(ValueError, match="no single mode"):
            DirichletCategorical([0.5] * 6).update(throws).mode  # noqa: B018

    def test_the_edges_of_the_mode(self):
        assert_array_equal(DirichletCategorical([2, 1, 1]).mode, [1, 0, 0])
        for alpha in ([1, 1, 1], [0.5, 2, 2], [0.5, 0.5]):
            with pytest.raises(ValueError, match="no single mode"):
                DirichletCategorical(alpha).mode  # noqa: B018

    @given(st.lists(positive, min_size=2, max_size=6), st.data())
    @settings(max_examples=50, deadline=None)
    def test_means_add_up_and_lie_between_prior_and_data(self, alpha, data):
        counts = np.array(data.draw(st.lists(small_count, min_size=len(alpha), max_size=len(alpha))))
        prior = DirichletCategorical(alpha)
        mean = prior.update(counts).mean
        assert math.isclose(mean.sum(), 1.0)
        if counts.any():
            shares = categorical_mle(counts)
            assert (mean >= np.minimum(prior.mean, shares) - 1e-12).all()
            assert (mean <= np.maximum(prior.mean, shares) + 1e-12).all()

    def test_the_mle_by_numeric_maximisation(self):
        counts = np.array([3, 9, 1, 5])
        z = minimize(lambda z: -(counts @ z - counts.sum() * np.log(np.exp(z).sum())), np.zeros(4), tol=1e-12).x
        assert_allclose(categorical_mle(counts), np.exp(z) / np.exp(z).sum(), atol=1e-6)

    @pytest.mark.parametrize("wrong", [[], [1], [1, -1], [1, np.nan], [[1, 2]], 3, "ab", None, [1, 0]])
    def test_bad_alpha(self, wrong):
        with pytest.raises(ValueError):
            DirichletCategorical(wrong)

    def test_bad_counts(self):
        belief = DirichletCategorical([1, 2])
        for wrong in ([1, 2, 3], [-1, 0], [np.nan, 1], "ab", [[1, 2]]):
            with pytest.raises(ValueError):
                belief.update(wrong)
        with pytest.raises(ValueError, match="flat"):
            categorical_mle([0, 0])
        for wrong in ([0.5, 0.4], [0.5], 0.5, [1.5, -0.5]):
            with pytest.raises(ValueError):
                belief.log_pdf(wrong)

    def test_alpha_cannot_be_changed_from_outside(self):
        alpha = np.array([1.0, 2.0])
        belief = DirichletCategorical(alpha)
        alpha[0] = 7
        assert belief.alpha[0] == 1
        with pytest.raises(ValueError):
            belief.alpha[0] = 3


# ---------------------------------------------------------------------------------------------------------------
# Bells
# ---------------------------------------------------------------------------------------------------------------
class TestGaussian:
    def test_against_scipy(self):
        X = np.random.default_rng(0).normal(size=(30, 4)) @ np.random.default_rng(1).normal(size=(4, 4)) + 5
        ours = GaussianMLE().fit(X)
        mean, covariance = scipy.stats.multivariate_normal.fit(X)
        assert_allclose(ours.mean_, mean)
        assert_allclose(ours.covariance_, covariance)
        theirs = scipy.stats.multivariate_normal(mean, covariance).logpdf(X)
        assert_allclose(ours.score_samples(X), theirs, rtol=1e-9)
        assert math.isclose(ours.score(X), theirs.mean())

    def test_by_numeric_maximisation(self):
        x = np.array([2.4, 5.0, 6.4, 7.0])
        found = minimize(
            lambda q: -scipy.stats.norm(q[0], math.exp(q[1])).logpdf(x).sum(), [3.0, 1.0], tol=1e-12
        ).x
        bell = GaussianMLE().fit(x[:, np.newaxis])
        assert_allclose([bell.mean_[0], bell.covariance_[0, 0]], [found[0], math.exp(2 * found[1])], rtol=1e-5)

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_it_is_too_narrow_by_a_known_share(self, n):
        """All samples of n values of a die of three unequal faces."""
        values = np.array([0.0, 1.0, 5.0])
        samples = values[np.indices((3,) * n).reshape(n, -1).T]
        spread = [GaussianMLE().fit(sample[:, np.newaxis]).covariance_[0, 0] for sample in samples]
        assert math.isclose(np.mean(spread), (n - 1) / n * values.var(), rel_tol=1e-9)

    def test_units_far_apart(self):
        X = np.random.default_rng(0).normal(size=(30, 3))
        units = np.array([1e-8, 1.0, 1e8])
        near, far = GaussianMLE().fit(X), GaussianMLE().fit(X * units)
        assert_allclose(far.score_samples(X * units), near.score_samples(X) - np.log(units).sum(), rtol=1e-9)

    def test_a_far_origin(self):
        X = np.random.default_rng(0).normal(size=(30, 2)).round(4)
        far = GaussianMLE().fit(X + 1e6)
        assert_allclose(far.covariance_, GaussianMLE().fit(X).covariance_, rtol=1e-6)

    @pytest.mark.parametrize(
        "X, word",
        [
            (np.random.default_rng(0).normal(size=(4, 6)), "4 samples cannot span 6"),
            (np.random.default_rng(0).normal(size=(6, 6)), "6 samples cannot span 6"),
            (np.column_stack([np.arange(9.0), np.full(9, 0.1)]), "feature 1 is constant"),
            (np.column_stack([np.arange(9.0), 3 * np.arange(9.0)]), "linear function"),
            (np.full((5, 1), 1e6 + 0.1), "constant"),
            (np.ones((1, 1)), "1 samples"),
        ],
    )
    def test_a_singular_covariance_is_refused(self, X, word):
        bell = GaussianMLE().fit(X)
        with pytest.raises(ValueError, match=word):
            bell.score_samples(X)

    @pytest.mark.parametrize("model", [GaussianMLE(), BayesianLinearRegression()])
    def test_kinds_of_arrays(self, model):
        X, y = line()
        frozen = X.copy()
        frozen.setflags(write=False)
        expected = model.fit(X, y).covariance_
        for other in (frozen, np.asfortranarray(X), X.tolist(), pd.DataFrame(X, columns=["u", "v", "w"])):
            assert_allclose(model.fit(other, y).covariance_, expected, rtol=1e-9)
        assert_allclose(model.fit(X.astype(np.float32), y).covariance_, expected, rtol=1e-4)

    def test_one_value_far_beyond_overflows_with_a_sentence(self):
        bell = GaussianMLE().fit(1e-90 * np.random.default_rng(0).normal(size=(9, 1)))
        with pytest.raises(ValueError, match="rescale"):
            bell.score_samples([[1e100]])

    def test_the_shared_room(self):
        A = np.random.default_rng(0).normal(size=(4, 4))
        A = A @ A.T + 0.1 * np.eye(4)
        R = numerics.inverse_root(A)
        assert_allclose(R @ R.T, np.linalg.inv(A), rtol=1e-9)
        assert_allclose(np.tril(R, -1), 0, atol=1e-15)
        units = np.array([1e-9, 1, 1e9, 5])
        far = numerics.regular_inverse_root(A * units * units[:, np.newaxis])
        assert_allclose(far * units[:, np.newaxis], numerics.regular_inverse_root(A), rtol=1e-9, atol=1e-12)
        for singular in (np.ones((2, 2)), np.zeros((2, 2)), np.diag([1.0, 0.0])):
            with pytest.raises(np.linalg.LinAlgError):
                numerics.regular_inverse_root(singular)


class TestMean:
    def test_by_integration(self):
        x = np.array([1.7, 0.4, 2.9])
        belief = GaussianMean(mean=-0.5, precision=0.6, beta=2.5).update(x)
        mu = np.linspace(-8, 8, 20_001)
        density = np.exp(-0.3 * (mu + 0.5) ** 2 - 1.25 * ((x[:, np.newaxis] - mu) ** 2).sum(axis=0))
        density /= np.trapezoid(density, mu)
        mean = np.trapezoid(mu * density, mu)
        variance = np.trapezoid((mu - mean) ** 2 * density, mu)
        assert_allclose([belief.mean, belief.variance], [mean, variance], rtol=1e-9)
        assert belief.predictive_variance == pytest.approx(1 / 2.5 + variance)

    def test_the_order_and_the_portions_do_not_matter(self):
        x = np.random.default_rng(0).normal(size=10)
        all_at_once = GaussianMean().update(x)
        one_by_one = GaussianMean()
        for value in x[::-1]:
            one_by_one = one_by_one.update(value)
        assert_allclose([one_by_one.mean, one_by_one.precision], [all_at_once.mean, all_at_once.precision])
        assert GaussianMean().update([]) == GaussianMean()

    def test_it_is_a_line_without_features(self):
        x = np.array([1.0, 4.0, 2.0])
        ours = GaussianMean(mean=0, precision=0.7, beta=2.5).update(x)
        line = BayesianLinearRegression(alpha=0.7, beta=2.5, fit_intercept=False).fit(np.ones((3, 1)), x)
        assert_allclose([ours.mean, ours.variance], [line.coef_[0], line.covariance_[0, 0]])

    def test_bad_input(self):
        for wrong in ({"precision": 0}, {"precision": -1}, {"beta": 0}, {"mean": np.nan}):
            with pytest.raises(ValueError):
                GaussianMean(**wrong)
        with pytest.raises(ValueError, match="improper"):
            GaussianMean(precision=0)
        with pytest.raises(ValueError):
            GaussianMean().update([1.0, np.nan])


# ---------------------------------------------------------------------------------------------------------------
# Lines
# ---------------------------------------------------------------------------------------------------------------
class TestLine:
    @pytest.mark.parametrize("alpha, beta", [(0.7, 2.5), (1e-6, 1.0), (30.0, 0.01)])
    @pytest.mark.parametrize("n, d", [(12, 3), (40, 1), (3, 6), (1, 2)])
    def test_the_mean_is_ridge(self, alpha, beta, n, d):
        X, y = line(n, d)
        for intercept in (True, False):
            ours = BayesianLinearRegression(alpha=alpha, beta=beta, fit_intercept=intercept).fit(X, y)
            ridge = Ridge(alpha=alpha / beta, fit_intercept=intercept).fit(X, y)
            assert_allclose(ours.coef_, ridge.coef_, rtol=1e-6, atol=1e-9)
            assert_allclose(ours.intercept_, ridge.intercept_, rtol=1e-6, atol=1e-9)

    def test_the_band_by_conditioning_the_joint_gaussian(self):
        """Sharp: α = 0.7, β = 2.5, without weights."""
        X, y = line(7, 3)
        X, y = with_ones(X), y
        new = np.random.default_rng(3).normal(size=(5, 4))
        K = X @ X.T / 0.7 + np.eye(7) / 2.5
        k = new @ X.T / 0.7
        model = BayesianLinearRegression(alpha=0.7, beta=2.5, fit_intercept=False).fit(X, y)
        mean, sd = model.predict(new, return_std=True)
        assert_allclose(mean, k @ np.linalg.solve(K, y), rtol=1e-9)
        variance = np.sum(new**2, axis=1) / 0.7 + 1 / 2.5 - np.sum(k * np.linalg.solve(K, k.T).T, axis=1)
        assert_allclose(sd**2, variance, rtol=1e-9)

    def test_the_posterior_by_integration(self):
        x, y = np.array([0.5, 1.5, -1.0]), np.array([1.0, 0.2, -1.3])
        w = np.linspace(-8, 8, 20_001)
        density = np.exp(-0.35 * w**2 - 1.25 * ((y[:, np.newaxis] - np.outer(x, w)) ** 2).sum(axis=0))
        density /= np.trapezoid(density, w)
        mean = np.trapezoid(w * density, w)
        model = BayesianLinearRegression(alpha=0.7, beta=2.5, fit_intercept=False).fit(x[:, np.newaxis], y)
        assert_allclose(model.coef_[0], mean, rtol=1e-9)
        assert_allclose(model.covariance_[0, 0], np.trapezoid((w - mean) ** 2 * density, w), rtol=1e-9)

    @pytest.mark.parametrize("n, d", [(12, 3), (3, 5)])
    def test_a_free_intercept_is_the_limit_of_a_wide_prior(self, n, d):
        X, y = line(n, d)
        model = BayesianLinearRegression(alpha=0.7, beta=2.5).fit(X, y)
        Phi = with_ones(X)
        P = np.diag([0.0] + [0.7] * d) + 2.5 * Phi.T @ Phi
        m = np.linalg.solve(P, 2.5 * Phi.T @ y)
        assert_allclose([model.intercept_, *model.coef_], m, rtol=1e-8)
        assert_allclose(model.covariance_, np.linalg.inv(P)[1:, 1:], rtol=1e-8, atol=1e-12)
        new = with_ones(np.random.default_rng(1).normal(size=(4, d)))
        _, sd = model.predict(new[:, 1:], return_std=True)
        assert_allclose(sd**2, 1 / 2.5 + np.sum(new @ np.linalg.inv(P) * new, axis=1), rtol=1e-8)

    def test_against_scikit_learn_with_its_names_the_other_way_round(self):
        X, y = line(40, 3)
        theirs = BayesianRidge().fit(X, y)
        ours = BayesianLinearRegression(alpha=float(theirs.lambda_), beta=float(theirs.alpha_)).fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)
        assert_allclose(ours.covariance_, theirs.sigma_, rtol=1e-7, atol=1e-12)
        mean, sd = ours.predict(X, return_std=True)
        their_mean, their_sd = theirs.predict(X, return_std=True)
        assert_allclose(mean, their_mean, rtol=1e-7)
        assert_allclose(sd**2 - 1 / theirs.alpha_ / 40, their_sd**2, rtol=1e-7)  # they forget the intercept's doubt

    def test_no_y_in_the_width(self):
        X, y = line()
        far = y.copy()
        far[3] += 100
        a, b = (BayesianLinearRegression().fit(X, target).predict(X, return_std=True)[1] for target in (y, far))
        assert_array_equal(a, b)

    def test_where_four_points_are_best_put(self):
        """Explorers: α = 0.01, σ = 1: two at each end 0.707, evenly 0.84."""
        worst = {}
        for name, x in (("ends", [0, 0, 8, 8]), ("evenly", [0, 8 / 3, 16 / 3, 8])):
            model = BayesianLinearRegression(alpha=0.01, beta=1.0).fit(np.reshape(x, (-1, 1)), np.zeros(4))
            _, sd = model.predict(np.linspace(0, 8, 81)[:, np.newaxis], return_std=True)
            worst[name] = math.sqrt(sd.max() ** 2 - 1)
        assert round(worst["ends"], 3) == 0.707 and round(worst["evenly"], 2) == 0.84

    def test_more_rows_never_widen_the_band(self):
        X, y = line(20, 3)
        new = np.random.default_rng(1).normal(size=(6, 3))
        widths = [BayesianLinearRegression().fit(X[:n], y[:n]).predict(new, return_std=True)[1] for n in range(1, 21)]
        assert (np.diff(widths, axis=0) <= 1e-12).all()

    @given(st.floats(0.01, 100), st.floats(0.01, 100), st.integers(0, 1000))
    @settings(max_examples=25, deadline=None)
    def test_the_units_of_y(self, alpha, beta, seed):
        """y in other units: the same belief, with both precisions divided by the square."""
        X, y = line(seed=seed)
        a = BayesianLinearRegression(alpha=alpha, beta=beta).fit(X, y)
        b = BayesianLinearRegression(alpha=alpha / 9, beta=beta / 9).fit(X, 3 * y)
        assert_allclose(3 * a.coef_, b.coef_, rtol=1e-7, atol=1e-9)
        assert_allclose(9 * a.covariance_, b.covariance_, rtol=1e-7, atol=1e-12)

    def test_shifts_of_x_and_y_do_not_matter(self):
        X, y = line()
        a = BayesianLinearRegression().fit(X, y)
        b = BayesianLinearRegression().fit(X + 1e4, y - 50)
        assert_allclose(a.coef_, b.coef_, rtol=1e-6)
        for left, right in zip(a.predict(X, return_std=True), b.predict(X + 1e4, return_std=True), strict=True):
            assert_allclose(left - right, (left - right).mean(), atol=1e-6)

    def test_bad_units(self):
        """1e-8 beside 1e8: with a next to flat prior, the fit in good units."""
        X, y = line(30, 3)
        units = np.array([1e-8, 1.0, 1e8])
        near, far = (BayesianLinearRegression(alpha=1e-30).fit(Z, y) for Z in (X, X * units))
        assert_allclose(far.coef_ * units, near.coef_, rtol=1e-8)
        assert_allclose(far.predict(X * units, return_std=True)[1], near.predict(X, return_std=True)[1], rtol=1e-8)

    def test_a_penalty_in_bad_units_by_long_arithmetic(self):
        """Two features in 1e-8 and 1e8, each with the prior's precision 1: with a fraction arithmetic solve."""
        from fractions import Fraction

        X, y = np.array([[1e-8, 2e8], [3e-8, -1e8], [-2e-8, 1e8]]), np.array([1.0, 2.0, -0.5])
        rows = [[Fraction(v) for v in row] for row in X]
        P = [[sum(r[i] * r[j] for r in rows) + (i == j) for j in (0, 1)] for i in (0, 1)]
        c = [sum(r[i] * Fraction(t) for r, t in zip(rows, y, strict=True)) for i in (0, 1)]
        det = P[0][0] * P[1][1] - P[0][1] * P[1][0]
        m = [(P[1][1] * c[0] - P[0][1] * c[1]) / det, (P[0][0] * c[1] - P[1][0] * c[0]) / det]
        ours = BayesianLinearRegression(fit_intercept=False).fit(X, y)
        assert_allclose(ours.coef_, [float(v) for v in m], rtol=1e-9)
        assert_allclose(ours.covariance_.diagonal(), [float(P[1][1] / det), float(P[0][0] / det)], rtol=1e-9)

    @pytest.mark.parametrize("beta", [1e6, 1e12])
    def test_fewer_rows_than_features_and_hardly_any_noise(self, beta):
        """Where no row looks, the prior is left as it was; through the rows the line goes."""
        X, y = line(3, 6)
        model = BayesianLinearRegression(alpha=2.0, beta=beta, fit_intercept=False).fit(X, y)
        mean, sd = model.predict(X, return_std=True)
        assert_allclose(mean, y, atol=1e-4)
        assert_allclose(sd, np.sqrt(2 / beta), rtol=0.3)
        blind = np.linalg.svd(X)[2][-1:]
        assert_allclose(model.predict(blind, return_std=True)[1] ** 2, 1 / 2.0 + 1 / beta, rtol=1e-6)

    def test_duplicate_columns(self):
        X, y = line(12, 2)
        X = np.column_stack([X, X[:, 0]])
        model = BayesianLinearRegression(alpha=1e-8, beta=4.0).fit(X, y)
        assert_allclose(model.coef_[0], model.coef_[2], rtol=1e-6)
        difference = np.array([1.0, 0, -1])
        assert_allclose(difference @ model.covariance_ @ difference, 2e8, rtol=1e-5)  # as the prior left it
        assert np.isfinite(model.predict(X, return_std=True)[1]).all()

    def test_a_constant_column_keeps_its_prior(self):
        X, y = line(12, 2)
        model = BayesianLinearRegression(alpha=0.5).fit(np.column_stack([X, np.full(12, 0.1)]), y)
        assert model.coef_[2] == 0 and model.covariance_[2, 2] == pytest.approx(2.0)

    def test_a_column_of_zeros_keeps_its_prior(self):
        X, y = line(12, 2)
        model = BayesianLinearRegression(alpha=0.5, fit_intercept=False).fit(np.column_stack([X, np.zeros(12)]), y)
        assert model.coef_[2] == 0 and model.covariance_[2, 2] == pytest.approx(2.0)

    def test_a_prior_lost_in_rounding_is_said(self):
        X, y = line(3, 6)
        with pytest.raises(ValueError, match="alpha is too small beside beta"):
            BayesianLinearRegression(alpha=1e-30, beta=1e10).fit(X, y)

    def test_a_wide_prior_gives_least_squares(self):
        X, y = line(30, 3)
        ours, theirs = BayesianLinearRegression(alpha=1e-10).fit(X, y), LinearRegression().fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7)

    def test_both_ways_to_the_posterior_agree(self, monkeypatch):
        """The core, and singular values where it would lose digits."""
        X, y = line(15, 4)
        model = BayesianLinearRegression(alpha=0.3, beta=2.0)
        direct = model.fit(X, y).covariance_, model.coef_

        def refuse(*_):
            raise np.linalg.LinAlgError

        monkeypatch.setattr(pe, "weight_posterior", refuse)
        other = model.fit(X, y).covariance_, model.coef_
        for a, b in zip(direct, other, strict=True):
            assert a is not b
            assert_allclose(a, b, rtol=1e-9, atol=1e-13)

    def test_drawn_lines_have_the_posteriors_moments(self):
        X, y = line(8, 2)
        model = BayesianLinearRegression(alpha=0.7, beta=2.5).fit(X, y)
        coefs, intercepts = model.sample_weights(40_000, random_state=0)
        assert_allclose(coefs.mean(axis=0), model.coef_, atol=0.02)
        assert_allclose(np.cov(coefs.T), model.covariance_, atol=0.02)
        new = np.array([[3.0, -4.0]])
        mean, sd = model.predict(new, return_std=True)
        heights = coefs @ new[0] + intercepts
        assert_allclose(heights.mean(), mean[0], atol=0.05)
        assert_allclose(heights.var(), sd[0] ** 2 - 1 / 2.5, rtol=0.03)
        at_the_mean = coefs @ X.mean(axis=0) + intercepts  # there only the level is in doubt
        assert_allclose(at_the_mean.var(), 1 / (8 * 2.5), rtol=0.03)
        again = model.sample_weights(3, random_state=7)[0]
        assert_array_equal(again, model.sample_weights(3, random_state=7)[0])

    def test_strength_zero_is_explained(self):
        with pytest.raises(ValueError, match="improper.*LinearRegression"):
            BayesianLinearRegression(alpha=0).fit(*line())

    def test_bad_calls(self):
        model = BayesianLinearRegression()
        with pytest.raises(ValueError, match="not fitted"):
            model.sample_weights(3)
        model.fit(*line())
        for wrong in (0, -1, 2.5):
            with pytest.raises(ValueError):
                model.sample_weights(wrong)
        with pytest.raises(ValueError):
            model.predict(line()[0], return_std="yes")
        with pytest.raises(ValueError, match="variance overflows"):
            BayesianLinearRegression(alpha=1e-300).fit([[0.0]], [1.0]).predict([[1e100]], return_std=True)


# ---------------------------------------------------------------------------------------------------------------
# Classes
# ---------------------------------------------------------------------------------------------------------------
def minus_log_posterior(theta, X, y, alpha):
    z = X @ theta[:-1] + theta[-1]
    return np.logaddexp(0, (1 - 2 * y) * z).sum() + 0.5 * alpha * theta[:-1] @ theta[:-1]


class TestLaplace:
    @pytest.mark.parametrize("alpha", [0.05, 0.8, 20.0])
    def test_peak_and_curvature(self, alpha):
        X, y = two_classes()
        belief = bayesian_logistic_laplace(X, y, alpha=alpha)
        theta = SklearnLogistic(C=1 / alpha, tol=1e-10).fit(X, y)
        assert_allclose(belief.mean, [*theta.coef_[0], *theta.intercept_], atol=1e-4)
        H = numerical_hessian(lambda t: minus_log_posterior(t, X, y, alpha), belief.mean)
        assert_allclose(belief.covariance, np.linalg.inv(H), rtol=1e-5, atol=1e-8)

    def test_the_average_by_integration_over_the_weights(self):
        """One feature: the true posterior on a grid, against the bell with MacKay's formula."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 1))
        y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
        belief = bayesian_logistic_laplace(X, y, alpha=0.5)
        w, b = np.meshgrid(np.linspace(-2, 8, 301), np.linspace(-4, 4, 301))
        J = sum(np.logaddexp(0, (1 - 2 * t) * (w * x + b)) for x, t in zip(X[:, 0], y, strict=True)) + 0.25 * w**2
        weight = np.exp(J.min() - J)
        for x in (-2.0, 0.3, 1.5):
            exact = np.sum(weight * expit(w * x + b)) / weight.sum()
            assert abs(belief.predict_proba([[x]])[0, 1] - exact) < 0.02

    def test_mackays_number(self):
        exact = quad(lambda z: expit(z) * scipy.stats.norm(1, 1).pdf(z), -12, 14)[0]
        assert f"{float(expit(pe.moderated(1.0, 1.0))):.4f} {exact:.4f}" == "0.7000 0.6967"

    def test_never_off_by_more_than_it_says(self):
        z, weight = np.polynomial.hermite_e.hermegauss(120)
        for m in (0, 0.5, 1, 2, 4, 8):
            for s in (0.2, 1, 2, 3):
                exact = weight @ expit(m + s * z) / weight.sum()
                assert abs(expit(pe.moderated(m, s**2)) - exact) < 0.018

    def test_the_variance_of_a_score(self):
        X, y = two_classes(d=3)
        belief = bayesian_logistic_laplace(X, y, alpha=0.8)
        mean, variance = belief.score_moments(X)
        rows = np.column_stack([X, np.ones(len(X))])
        assert_allclose(mean, rows @ belief.mean, rtol=1e-9)
        assert_allclose(variance, np.sum(rows @ belief.covariance * rows, axis=1), rtol=1e-8)

    def test_it_is_less_sure_and_on_the_same_side(self):
        X, y = two_classes()
        belief, plugged = bayesian_logistic_laplace(X, y), LogisticRegression().fit(X, y)
        far = 10 * np.random.default_rng(0).normal(size=(50, 2))
        assert_array_equal(belief.predict(far), plugged.predict(far))
        ours, theirs = belief.predict_proba(far), plugged.predict_proba(far)
        assert (np.abs(ours - 0.5) < np.abs(theirs - 0.5)).all()
        assert_allclose(ours.sum(axis=1), 1.0)

    def test_far_out_the_probability_has_a_limit(self):
        belief = bayesian_logistic_laplace(*two_classes())
        way = belief.mean[:2]
        a, b = belief.predict_proba([1e5 * way, 1e6 * way])[:, 1]
        assert 0.5 < a < 0.99 and abs(a - b) < 1e-4

    def test_separable_classes_have_a_posterior(self):
        X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
        belief = bayesian_logistic_laplace(X, y, alpha=0.01)
        assert_array_equal(belief.predict(X), y)
        assert belief.predict_proba(X)[3, 1] < 0.99

    def test_bad_units_and_far_origins(self):
        X, y = two_classes(40, 3)
        units = np.array([1e-8, 1.0, 1e8])
        near, far = (bayesian_logistic_laplace(Z, y, alpha=1e-30) for Z in (X, X * units))
        assert_allclose(far.predict_proba(X * units), near.predict_proba(X), rtol=1e-6)
        moved = bayesian_logistic_laplace(X + 1e6, y, alpha=0.5)
        assert_allclose(
            moved.predict_proba(X + 1e6), bayesian_logistic_laplace(X, y, alpha=0.5).predict_proba(X), rtol=1e-5
        )

    def test_fewer_rows_than_features(self):
        X, y = two_classes(6, 20)
        belief = bayesian_logistic_laplace(X, y, alpha=0.1)
        assert np.isfinite(belief.predict_proba(X)).all()
        blind = np.linalg.svd(X - X.mean(axis=0))[2][-1]
        assert blind @ belief.covariance[:-1, :-1] @ blind == pytest.approx(10.0, rel=1e-6)

    def test_bad_input(self):
        X, y = two_classes()
        with pytest.raises(ValueError, match="improper"):
            bayesian_logistic_laplace(X, y, alpha=0)
        for A, labels in ((X, np.zeros(20)), (X[:, 0], y), (X, y[:5]), (X * np.nan, y), (X, np.arange(20))):
            with pytest.raises(ValueError):
                bayesian_logistic_laplace(A, labels)
        belief = bayesian_logistic_laplace(X, y)
        with pytest.raises(ValueError):
            belief.predict_proba(np.ones((2, 3)))

    def test_no_bell_stands_for_a_flat_posterior(self):
        X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match="too small"):
                bayesian_logistic_laplace(X, y, alpha=1e-80)

    def test_data_frames(self):
        X, y = two_classes()
        frame = pd.DataFrame(X, columns=["u", "v"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            belief = bayesian_logistic_laplace(frame, y)
            belief.predict_proba(frame)
        assert_allclose(belief.predict_proba(frame), bayesian_logistic_laplace(X, y).predict_proba(X))


# ---------------------------------------------------------------------------------------------------------------
# What the chapter says beside its formulas
# ---------------------------------------------------------------------------------------------------------------
class TestSaid:
    def test_the_likeliest_interval_is_the_longest_wait(self):
        x = np.array([3.0, 7.5, 1.2])
        grid = np.linspace(0.1, 20, 1000)
        likelihood = np.where(grid >= x.max(), grid**-3.0, 0.0)
        assert 7.5 <= grid[likelihood.argmax()] < 7.53

    def test_ridge_is_shorter_but_a_weight_may_flip(self):
        G = np.array([[1.0, 0.9], [0.9, 1.0]])
        mle = np.array([2.0, -0.1])
        ridge = np.linalg.solve(G + np.eye(2), G @ mle)
        assert np.linalg.norm(ridge) < np.linalg.norm(mle) and ridge[1] > 0.5

    def test_three_values_lose_a_third(self):
        draws = np.random.default_rng(0).normal(size=(100_000, 3)).var(axis=1)
        assert round(draws.mean(), 2) == 0.67


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
def test_small_whole_numbers_of_numpy_do_not_overflow():
    small = GaussianMean(np.int8(100), np.int8(100), np.int8(2)).update([1.0])
    assert small == GaussianMean(100.0, 100.0, 2.0).update([1.0])


def test_the_noise_of_the_fit_is_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = BayesianLinearRegression(beta=3).fit(X, y)
    before = model.predict(X, return_std=True)[1]
    assert_array_equal(model.set_params(beta=300).predict(X, return_std=True)[1], before)


def test_a_density_may_round_to_nothing():
    with np.errstate(all="raise"):
        assert BetaBernoulli(1e6, 1e6).pdf(0.1) == 0
