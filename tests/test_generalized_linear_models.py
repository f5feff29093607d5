"""Exponential families, IRLS and softmax regression against SciPy, scikit-learn, differences and scoring equations."""

import math
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import linear_model

from mlcore.base import ConvergenceWarning, snapshots
from mlcore.datasets import load_iris, load_wine
from mlcore.generalized_linear_models import (
    Bernoulli,
    Categorical,
    Gaussian,
    GeneralizedLinearModel,
    LogLinearRegression,
    Poisson,
    SoftmaxRegression,
    irls,
    log_softmax,
    softmax,
    softmax_regression,
)
from mlcore.verify import numerical_gradient, numerical_hessian

CONFORMANCE_INSTANCES = {
    "GeneralizedLinearModel": [GeneralizedLinearModel(), GeneralizedLinearModel(family="poisson", alpha=0.1)],
    "SoftmaxRegression": [SoftmaxRegression(alpha=1.0), SoftmaxRegression(alpha=1.0, parametrization="reference")],
}

FAMILIES = [Gaussian(), Bernoulli(), Poisson()]
seeds = st.integers(0, 10**6)


def sample(family, seed=0, n=120, d=3):
    """Data that really follow the model, with correlated features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    eta = X @ rng.normal(size=d)
    eta = 0.8 * (eta - eta.mean()) / eta.std() + 0.3
    if family == "gaussian":
        return X, eta + rng.normal(size=n)
    if family == "poisson":
        return X, rng.poisson(np.exp(eta)).astype(float)
    y = (rng.random(n) < scipy.special.expit(eta)).astype(float)
    y[:2] = 0, 1
    return X, y


def deviance(family, y, mean):
    """Σ d(y, μ) from the textbook."""
    if family == "gaussian":
        return np.sum((y - mean) ** 2)
    if family == "poisson":
        return 2 * np.sum(scipy.special.xlogy(y, y / mean) - (y - mean))
    return -2 * np.sum(scipy.special.xlogy(y, mean) + scipy.special.xlogy(1 - y, 1 - mean))


def quiet_fit(model, *data):
    """A fit that may end with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data)


def weighted_deviance(family, y, mean, weights):
    """Σ ω d(y, μ)."""
    return sum(w * deviance(family, y[i], mean[i]) for i, w in enumerate(weights))


def half_deviance(family, y, eta):
    return family.half_deviance(y, eta, family.log_partition(eta))


INVERSE = {"identity": lambda z: z, "log": np.exp, "logit": scipy.special.expit}


class TestFamilies:
    @pytest.mark.parametrize("family", FAMILIES, ids=repr)
    def test_mean_and_variance_are_the_derivatives_of_the_log_partition(self, family):
        for eta in (-3.0, -0.4, 0.0, 1.3, 2.5):
            assert_allclose(family.mean(eta), numerical_gradient(family.log_partition, eta), rtol=1e-8, atol=1e-10)
            assert_allclose(family.variance(eta), numerical_gradient(family.mean, eta), rtol=1e-8, atol=1e-10)

    @pytest.mark.parametrize("family", FAMILIES, ids=repr)
    def test_natural_parameter_inverts_the_mean(self, family):
        eta = np.linspace(-5, 5, 21)
        assert_allclose(family.natural_parameter(family.mean(eta)), eta, rtol=1e-10, atol=1e-12)

    def test_log_prob_against_scipy(self):
        eta = np.array([-1.5, 0.2, 1.7])
        for y in (0.0, 1.0):
            assert_allclose(Gaussian().log_prob(y, eta), scipy.stats.norm.logpdf(y, eta))
            assert_allclose(Bernoulli().log_prob(y, eta), scipy.stats.bernoulli.logpmf(y, scipy.special.expit(eta)))
        for y in (0, 1, 7, 40):
            assert_allclose(Poisson().log_prob(y, eta), scipy.stats.poisson.logpmf(y, np.exp(eta)))

    def test_log_prob_of_large_values_keeps_its_digits(self):
        # the exact values: a perfect fit has -½ ln 2π and, by Stirling, -½ ln 2πy - 1/12y; half a unit off costs 1/8
        assert_allclose(Gaussian().log_prob(1e10 + 0.5, 1e10), -0.125 - 0.5 * np.log(2 * np.pi), rtol=1e-14)
        for y in (21.0, 1e3, 1e6, 1e9):
            exact = -0.5 * np.log(2 * np.pi * y) - 1 / (12 * y) + 1 / (360 * y**3)
            assert_allclose(Poisson().log_prob(y, np.log(y)), exact, rtol=1e-9, atol=1e-14 * y)

    def test_log_prob_of_counts_against_sums_of_logarithms(self):
        for y in (0, 1, 2, 19, 20, 21, 22, 50, 170):
            factorial = math.fsum(math.log(k) for k in range(2, y + 1))
            assert_allclose(Poisson().log_prob(y, 2.0), 2.0 * y - math.exp(2.0) - factorial, rtol=1e-13)

    @pytest.mark.parametrize("family", FAMILIES, ids=repr)
    def test_log_prob_broadcasts_or_says_what_does_not_fit(self, family):
        table = family.log_prob([[0], [1]], [0.3, -1.0, 2.0])
        assert_allclose(table, [[family.log_prob(y, eta) for eta in (0.3, -1.0, 2.0)] for y in (0, 1)], rtol=1e-14)
        with pytest.raises(ValueError, match=r"\(2,\).*\(3,\).*do not fit"):
            family.log_prob([0, 1], [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="do not fit"):
            Categorical(3).log_prob([0, 1, 2], [[0.0, 0.0], [1.0, 1.0]])

    @pytest.mark.parametrize("family", FAMILIES, ids=repr)
    def test_half_the_deviance_is_what_the_likelihood_lacks(self, family):
        ys, eta = np.array([0.0, 1.0]), np.linspace(-3, 3, 7)
        best = [max(family.log_prob(y, np.linspace(-40, 40, 8001))) for y in ys]
        for y, most in zip(ys, best, strict=True):
            assert_allclose(half_deviance(family, y, eta), most - family.log_prob(y, eta), rtol=1e-9, atol=1e-12)

    def test_half_deviance_of_counts_near_and_far(self):
        y, mean = np.array([[1e7], [7.0], [1e-3], [0.0]]), np.array([1e7 + 3e3, 1e12, 7.001, 40.0, 1e-200])
        textbook = scipy.special.kl_div(y, mean)  # y ln(y/μ) - y + μ
        assert_allclose(half_deviance(Poisson(), y, np.log(mean)), textbook, rtol=1e-6, atol=1e-12)
        assert_allclose(half_deviance(Poisson(), 1e9, np.log(1e9) + 3e-5), 0.45, rtol=1e-4)

    def test_overflows_are_named(self):
        for call in (Poisson().log_partition, Poisson().mean, Poisson().variance):
            with pytest.raises(ValueError, match="must be finite"):
                call([0.0, 1e50])
        with pytest.raises(ValueError, match="1 of 2.*709.79"):
            Poisson().mean([709.7, 709.79])
        for family in FAMILIES:
            with pytest.raises(ValueError, match="eta holds values as large as 1e\\+200.*rescale eta"):
                family.mean(1e200)

    def test_far_points_raise_no_floating_point_error(self):
        far = np.array([-1e4, -800.0, 800.0])
        X, y = sample("poisson")
        labels = np.minimum(y, 2)
        model, classes = GeneralizedLinearModel(family="poisson").fit(X, y), SoftmaxRegression(alpha=1.0).fit(X, labels)
        away = -1e4 * np.outer([1.0, 2.0], np.sign(model.coef_))
        with np.errstate(all="raise"):
            assert_allclose(Bernoulli().mean(far), [0, 0, 1])
            assert_allclose(Poisson().mean(far[:2]), 0)
            assert_allclose(Bernoulli().log_prob(1, far), [-1e4, -800, 0])
            assert_allclose(Gaussian().log_prob(0, far), -(far**2) / 2, rtol=1e-3)
            assert Poisson().log_prob(1, 1e4) == -np.inf and Poisson().log_prob(1, -800.0) == -800
            assert_allclose(Categorical(2).mean(far[:, np.newaxis])[:, 0], [0, 0, 1])
            assert_allclose(softmax([[0.0, -800.0], [1e4, 0.0]]), [[1, 0], [1, 0]])
            assert_allclose(log_softmax([0.0, -800.0]), [0, -800])
            assert_allclose(model.predict(away), 0)
            assert np.isfinite(model.score(away, [0, 1])) and np.isfinite(classes.predict_log_proba(away)).all()

    def test_categorical_gradient_and_hessian_of_the_log_partition(self):
        family, eta = Categorical(4), np.array([0.3, -1.2, 0.8])
        assert_allclose(family.mean(eta), numerical_gradient(family.log_partition, eta), rtol=1e-8)
        assert_allclose(family.variance(eta), numerical_hessian(family.log_partition, eta), rtol=1e-5, atol=1e-8)
        assert_allclose(family.natural_parameter(family.mean(eta)), eta, rtol=1e-12)
        assert_allclose(family.probabilities(eta), scipy.special.softmax(np.append(eta, 0)), rtol=1e-12)
        assert_allclose(np.exp(family.log_prob([0, 1, 2, 3], eta)), family.probabilities(eta), rtol=1e-12)

    def test_two_categories_are_bernoulli(self):
        eta = np.linspace(-30, 30, 7)
        assert_allclose(Categorical(2).mean(eta[:, np.newaxis])[:, 0], Bernoulli().mean(eta), rtol=1e-12)

    def test_impossible_values(self):
        with pytest.raises(ValueError, match=r"y in \{0, 1\}.*2"):
            Bernoulli().log_prob([0, 1, 2], 0.0)
        with pytest.raises(ValueError, match="y >= 0.*-1"):
            Poisson().log_prob([3, -1], 0.0)
        with pytest.raises(ValueError, match="whole counts"):
            Poisson().log_prob(1.5, 0.0)
        with pytest.raises(ValueError, match="numbered 0 to 2"):
            Categorical(3).log_prob(3, [0.0, 0.0])
        with pytest.raises(ValueError, match=r"\(\.\.\., 2\)"):
            Categorical(3).mean([0.0, 0.0, 0.0])
        with pytest.raises(ValueError, match="nothing is left"):
            Categorical(3).natural_parameter([0.5, 0.5])
        for bad in (0.0, 1.0, -0.1):
            with pytest.raises(ValueError, match="mean must lie"):
                Bernoulli().natural_parameter(bad)


class TestIRLS:
    @pytest.mark.parametrize("seed", range(3))
    def test_gaussian_is_least_squares_in_one_step(self, seed):
        X, y = sample("gaussian", seed)
        model = GeneralizedLinearModel().fit(X, y)
        oracle = linear_model.LinearRegression().fit(X, y)
        assert_allclose(np.append(model.coef_, model.intercept_), np.append(oracle.coef_, oracle.intercept_), rtol=1e-9)
        assert model.n_iter_ == 1 and model.status_ == "converged"
        assert_allclose(model.score(X, y), oracle.score(X, y), rtol=1e-12)

    def test_gaussian_with_a_penalty_is_ridge(self):
        X, y = sample("gaussian")
        model, oracle = GeneralizedLinearModel(alpha=7.0).fit(X, y + 1e3), linear_model.Ridge(7.0).fit(X, y + 1e3)
        assert_allclose(model.coef_, oracle.coef_, rtol=1e-7)
        assert_allclose(model.intercept_, oracle.intercept_, rtol=1e-10)

    @pytest.mark.parametrize("alpha", [0.0, 2.0])
    def test_poisson_against_scikit_learn(self, alpha):
        X, y = sample("poisson")
        oracle = linear_model.PoissonRegressor(alpha=alpha / len(y), solver="newton-cholesky", tol=1e-12).fit(X, y)
        model = GeneralizedLinearModel(family="poisson", alpha=alpha).fit(X, y)
        assert_allclose(model.coef_, oracle.coef_, rtol=1e-7)
        assert_allclose(model.intercept_, oracle.intercept_, rtol=1e-7)
        assert_allclose(model.score(X, y), oracle.score(X, y), rtol=1e-9)
        null = np.full(len(y), y.mean())
        assert_allclose(model.deviance_, deviance("poisson", y, oracle.predict(X)), rtol=1e-7)
        assert_allclose(model.null_deviance_, deviance("poisson", y, null), rtol=1e-12)

    @pytest.mark.parametrize("alpha", [0.5, 2.0])
    def test_bernoulli_against_scikit_learn(self, alpha):
        X, y = sample("bernoulli")
        oracle = linear_model.LogisticRegression(C=1 / alpha, solver="newton-cholesky", tol=1e-12).fit(X, y)
        model = GeneralizedLinearModel(family=Bernoulli(), alpha=alpha).fit(X, y)
        assert_allclose(model.coef_, oracle.coef_[0], rtol=1e-6)
        assert_allclose(model.intercept_, oracle.intercept_[0], rtol=1e-6)
        assert_allclose(model.predict(X), oracle.predict_proba(X)[:, 1], rtol=1e-6)

    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    @given(seed=seeds)
    @settings(max_examples=15, deadline=None)
    def test_scoring_equations_of_the_canonical_link(self, family, seed):
        """At the maximum the means and y have the same sums against the columns and against 1."""
        X, y = sample(family, seed)
        miss = y - GeneralizedLinearModel(family=family).fit(X, y).predict(X)
        scale = np.abs(X).sum(axis=0).max() * max(1.0, np.abs(y).max())
        assert np.abs(X.T @ miss).max() <= 1e-9 * scale and abs(miss.sum()) <= 1e-9 * scale

    @pytest.mark.parametrize(
        "family, link", [("gaussian", "log"), ("gaussian", "logit"), ("poisson", "identity"), ("bernoulli", "log"),
                         ("bernoulli", "identity"), ("poisson", "logit")],
    )  # fmt: skip
    def test_other_links_reach_a_minimum_of_the_deviance(self, family, link):
        rng = np.random.default_rng(4)
        X = rng.uniform(-1, 1, size=(200, 2))
        eta = {"identity": 0.5 + X @ [0.2, -0.1], "log": -0.7 + X @ [0.2, -0.1], "logit": X @ [0.7, -0.5]}[link]
        mean = INVERSE[link](eta)
        draw = {"gaussian": lambda: mean + 0.1 * rng.normal(size=200), "poisson": lambda: rng.poisson(mean) * 0.4,
                "bernoulli": lambda: (rng.random(200) < mean) * 1.0}[family]  # fmt: skip
        y = draw()
        model = GeneralizedLinearModel(family=family, link=link).fit(X, y)

        def loss(theta):
            with np.errstate(all="ignore"):
                value = deviance(family, y, INVERSE[link](X @ theta[:-1] + theta[-1]))
            return value if np.isfinite(value) else 1e10

        theta = np.append(model.coef_, model.intercept_)
        fine = {"xatol": 1e-8, "fatol": 1e-10}
        best = scipy.optimize.minimize(loss, theta + 0.01, method="Nelder-Mead", options=fine)
        assert model.status_ == "converged"
        assert_allclose(loss(theta), model.deviance_, rtol=1e-9)
        assert model.deviance_ <= best.fun + 1e-7
        assert_allclose(theta, best.x, atol=1e-3)

    def test_large_counts_need_the_halving_and_get_it(self):
        rng = np.random.default_rng(0)
        x = np.linspace(0, 1, 60)[:, np.newaxis]
        y = rng.poisson(np.exp(14 * x[:, 0])).astype(float)
        steps = snapshots(GeneralizedLinearModel(family="poisson").iter_fit(x, y))
        deviances = [model.deviance_ for model in steps]
        assert (np.diff(deviances) < 0).all() and steps[-1].status_ in ("running", "converged")
        assert_allclose(steps[-1].coef_, 14, rtol=1e-3)
        oracle = linear_model.PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(x, y)
        assert_allclose(steps[-1].predict(x), oracle.predict(x), rtol=1e-5)

    def test_one_huge_count_among_zeros(self):
        y = np.zeros(40)
        y[-1] = 1e6
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = GeneralizedLinearModel(family="poisson").fit(np.arange(40.0)[:, np.newaxis], y)
        assert np.isfinite(model.coef_).all() and abs(model.predict(np.arange(40.0)[:, np.newaxis]).sum() - 1e6) < 1

    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_weights_count_rows(self, family):
        X, y = sample(family)
        times = np.random.default_rng(1).integers(0, 4, size=len(y))
        model = GeneralizedLinearModel(family=family, alpha=0.3).fit(X, y, sample_weight=times)
        repeated = GeneralizedLinearModel(family=family, alpha=0.3)
        repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert_allclose(model.coef_, repeated.coef_, rtol=1e-8)
        assert_allclose([model.deviance_, model.null_deviance_], [repeated.deviance_, repeated.null_deviance_])

    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_an_offset_is_a_column_with_the_weight_one(self, family):
        X, y = sample(family)
        free = GeneralizedLinearModel(family=family).fit(X, y)
        tied = GeneralizedLinearModel(family=family).fit(X[:, 1:], y, offset=free.coef_[0] * X[:, 0])
        assert_allclose(tied.coef_, free.coef_[1:], rtol=1e-6)
        assert_allclose(tied.predict(X[:, 1:], offset=free.coef_[0] * X[:, 0]), free.predict(X), rtol=1e-6)

    @pytest.mark.parametrize("link", [None, "log", "logit"])
    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_the_null_deviance_is_of_the_best_constant_beside_the_offset(self, family, link):
        rng = np.random.default_rng(3)
        X, offset, weights = rng.normal(size=(60, 2)), rng.normal(size=60) - 2.0, rng.uniform(0.2, 3.0, 60)
        y = {"gaussian": rng.uniform(0.1, 0.4, 60), "bernoulli": (rng.random(60) < 0.2) * 1.0,
             "poisson": rng.poisson(1.0, 60) * 0.2}[family]  # fmt: skip
        offset = offset if link != "log" or family != "bernoulli" else offset - 1.0
        model = quiet_fit(GeneralizedLinearModel(family=family, link=link), X, y, weights, offset)
        inverse = INVERSE[link or {"gaussian": "identity", "bernoulli": "logit", "poisson": "log"}[family]]
        best = scipy.optimize.minimize_scalar(
            lambda b: weighted_deviance(family, y, inverse(b + offset), weights), bounds=(-2.5, 2.5), method="bounded",
            options={"xatol": 1e-10},
        )  # fmt: skip
        assert_allclose(model.null_deviance_, best.fun, rtol=1e-7)
        shares = np.append(weights / 3, 2 * weights / 3)
        twice = GeneralizedLinearModel(family=family, link=link)
        quiet_fit(twice, np.vstack([X, X]), np.append(y, y), shares, np.append(offset, offset))
        assert_allclose([twice.deviance_, twice.null_deviance_], [model.deviance_, model.null_deviance_], rtol=1e-7)

    @pytest.mark.parametrize("link", [None, "log", "logit", "identity"])
    def test_a_constant_offset_moves_the_intercept_alone(self, link):
        rng = np.random.default_rng(0)
        X, y = rng.uniform(-1, 1, size=(50, 2)), rng.poisson(0.4, 50) * 1.0
        plain = quiet_fit(GeneralizedLinearModel(family="poisson", link=link, alpha=3.0), X, y)
        moved = quiet_fit(GeneralizedLinearModel(family="poisson", link=link, alpha=3.0), X, y, None, np.full(50, 5.0))
        assert_allclose([moved.null_deviance_, moved.deviance_], [plain.null_deviance_, plain.deviance_], rtol=1e-7)
        assert_allclose(moved.intercept_, plain.intercept_ - 5.0, rtol=1e-6)

    def test_a_wide_offset_finds_a_start(self):
        """No mean of y less mean of the offset would do: the least offset is -9, and these are 6 apart."""
        rng = np.random.default_rng(0)
        x, offset = np.linspace(1, 0, 60), np.linspace(-9, 30, 60)
        y = rng.poisson(offset + 12 * x)
        assert np.mean(y) - np.mean(offset) < 8
        model = GeneralizedLinearModel(family="poisson", link="identity").fit(x[:, np.newaxis], y, offset=offset)
        assert model.status_ == "converged"
        mean = model.predict(x[:, np.newaxis], offset)
        assert_allclose([np.sum((y - mean) / mean), np.sum(x * (y - mean) / mean)], 0, atol=1e-6)

    @pytest.mark.parametrize("family", ["bernoulli", "poisson"])
    @pytest.mark.parametrize("spread", [30.0, 100.0])
    def test_offsets_at_which_most_variances_round_to_zero(self, family, spread):
        """A row that is far from its y pulls, though its weight in the least squares has vanished."""
        rng = np.random.default_rng(0)
        X, y, offset = rng.normal(size=(40, 2)), rng.poisson(1.0, 40), spread * rng.normal(size=40)
        y = np.minimum(y, 1) if family == "bernoulli" else y
        model = GeneralizedLinearModel(family=family).fit(X, y, offset=offset)
        miss = y - model.predict(X, offset)
        assert model.status_ == "converged" and model.deviance_ < 0.95 * model.null_deviance_
        assert_allclose([miss.sum(), *(X.T @ miss)], 0, atol=1e-9)
        if family == "poisson":
            constant = np.log(y.sum()) - scipy.special.logsumexp(offset)
            null = np.sum(scipy.special.xlogy(y, y) - y * (constant + offset))  # the means have y's sum
            assert_allclose(model.null_deviance_, 2 * null, rtol=1e-9)

    def test_rows_without_weight_are_not_looked_at(self):
        X, y = sample("poisson")
        model = GeneralizedLinearModel(family="poisson").fit(
            np.vstack([X, [1e90, 0, 0]]), np.append(y, 1e90), np.append(np.ones(len(y)), 0.0), np.append(0 * y, 1e90)
        )
        assert_allclose(model.coef_, GeneralizedLinearModel(family="poisson").fit(X, y).coef_, rtol=1e-12)

    def test_log_exposure_as_offset_is_a_rate_with_weights(self):
        X, y = sample("poisson")
        exposure = np.random.default_rng(2).uniform(0.1, 900, size=len(y))
        model = GeneralizedLinearModel(family="poisson").fit(X, y, offset=np.log(exposure))
        rate = linear_model.PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-12)
        rate.fit(X, y / exposure, sample_weight=exposure)
        assert_allclose(model.coef_, rate.coef_, rtol=1e-6)

    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_repeated_and_constant_columns_change_no_prediction(self, family):
        X, y = sample(family)
        wide = np.column_stack([X, X[:, 0], np.full(len(X), 3.0), X @ [1, 2, 3]])
        model = GeneralizedLinearModel(family=family).fit(wide, y)
        assert model.status_ == "converged" and model.coef_[4] == 0
        assert_allclose(model.predict(wide), GeneralizedLinearModel(family=family).fit(X, y).predict(X), rtol=1e-6)

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_units_change_no_prediction(self, family, scale):
        X, y = sample(family)
        plain = GeneralizedLinearModel(family=family).fit(X, y).predict(X)
        units = X * [1.0, scale, 1.0]
        assert_allclose(GeneralizedLinearModel(family=family).fit(units, y).predict(units), plain, rtol=1e-7)

    @pytest.mark.parametrize("quasi", [False, True])
    def test_separable_classes_have_no_maximum(self, quasi):
        x = np.array([-3, -2, -1, 0, 0, 1, 2, 3.0]) if quasi else np.array([-3, -2, -1, -0.5, 0.5, 1, 2, 3.0])
        y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
        model = GeneralizedLinearModel(family="bernoulli")
        with pytest.warns(ConvergenceWarning, match="alpha > 0"):
            model.fit(x[:, np.newaxis], y)
        assert model.status_ == "no maximum" and np.isfinite(model.coef_).all()
        penalised = GeneralizedLinearModel(family="bernoulli", alpha=1e-3).fit(x[:, np.newaxis], y)
        assert penalised.status_ == "converged"

    def test_no_maximum_is_what_a_linear_program_finds(self):
        """A direction along which no row loses and some row gains exists, or it does not."""
        found = []
        for seed in range(40):
            rng = np.random.default_rng(seed)
            n, d = int(rng.choice([5, 10, 30])), int(rng.choice([1, 2, 4]))
            X = rng.normal(size=(n, d)).round(1) * 10.0 ** rng.uniform(-4, 4, size=d)
            y = (rng.random(n) < scipy.special.expit(X @ rng.normal(size=d) * 3)) * 1.0
            y[:2] = 0, 1
            rows = (2 * y - 1)[:, np.newaxis] * np.column_stack([X / np.abs(X).max(axis=0), np.ones(n)])
            plan = scipy.optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(n), bounds=[(-1, 1)] * (d + 1))
            found.append(-plan.fun > 1e-7)
            for model in (GeneralizedLinearModel(family="bernoulli"), SoftmaxRegression(alpha=0)):
                assert quiet_fit(model, X, y).status_ == ("no maximum" if found[-1] else "converged"), seed
        assert 10 <= sum(found) <= 30

    def test_a_group_of_zero_counts_has_no_maximum(self):
        x, y = np.repeat([0.0, 1.0], 5)[:, np.newaxis], np.array([0, 0, 0, 0, 0, 3, 1, 4, 1, 5])
        with pytest.warns(ConvergenceWarning):
            model = GeneralizedLinearModel(family="poisson").fit(x, y)
        assert model.status_ == "no maximum"
        assert_allclose(model.predict([[1.0]]), 2.8, rtol=1e-6)

    @pytest.mark.parametrize("alpha", [1e-12, 1e-9, 1e-6])
    def test_a_tiny_penalty_still_decides_where_separable_weights_end(self, alpha):
        x = np.linspace(-1, 1, 20)
        model = GeneralizedLinearModel(family="bernoulli", alpha=alpha).fit(x[:, np.newaxis], x > 0)
        # the slope of Σ ln(1 + e^-w|x|) + ½ α w², divided by α
        pull = np.abs(x)
        slope = scipy.optimize.brentq(lambda w: pull @ scipy.special.expit(-w * pull) / alpha - w, 0, 1e5)
        assert model.status_ == "converged"
        assert_allclose(model.coef_, slope, rtol=1e-6)

    def test_a_penalty_that_cannot_be_felt_warns(self):
        with pytest.warns(ConvergenceWarning, match="larger"):
            GeneralizedLinearModel(family="bernoulli", alpha=1e-200).fit([[0.0], [1.0]], [0, 1])

    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_a_loose_tolerance_is_no_missing_maximum(self, family):
        X, y = sample(family)
        for tol in (1.0, 0.3, 0.01):
            model = GeneralizedLinearModel(family=family, tol=tol).fit(X, y)
            assert model.status_ == "converged" and model.deviance_ <= model.null_deviance_
        assert GeneralizedLinearModel(family=family, tol=0.0).fit(X, y).status_ == "converged"

    @pytest.mark.parametrize("unit", [1e-17, 1e-9, 1e9, 1e17])
    @pytest.mark.parametrize("family", ["gaussian", "poisson"])
    def test_the_unit_of_y_is_a_factor_or_a_shift(self, family, unit):
        X, y = sample(family)
        plain = GeneralizedLinearModel(family=family).fit(X, y + 0.5)
        model = GeneralizedLinearModel(family=family).fit(X, (y + 0.5) * unit)
        assert model.status_ == "converged"
        assert_allclose(model.coef_, plain.coef_ * (unit if family == "gaussian" else 1.0), rtol=1e-6)
        shifted = plain.intercept_ * unit if family == "gaussian" else plain.intercept_ + np.log(unit)
        assert_allclose(model.intercept_, shifted, rtol=1e-6)
        assert_allclose(model.deviance_, plain.deviance_ * (unit**2 if family == "gaussian" else unit), rtol=1e-6)

    def test_units_too_far_from_one(self):
        X = np.arange(3.0)[:, np.newaxis]
        for family, y in (("gaussian", [0, 1, 1e200]), ("poisson", [1, 2, 1e101])):
            with pytest.raises(ValueError, match="rescale y"):
                GeneralizedLinearModel(family=family).fit(X, y)
        with pytest.raises(ValueError, match="rescale offset"):
            GeneralizedLinearModel(family="bernoulli").fit(X, [0, 1, 0], offset=[1e308, -1e308, 0])

    @pytest.mark.parametrize("model", [GeneralizedLinearModel(alpha=1e300), SoftmaxRegression(alpha=1e300)], ids=repr)
    def test_a_penalty_that_overflows_holds_the_weights_at_zero(self, model):
        X, y = sample("bernoulli")
        with np.errstate(all="raise", under="ignore"):
            model.fit(1e-8 * X, y, sample_weight=np.full(len(y), 1e-3))
        assert model.status_ == "converged"
        assert_allclose(model.coef_, 0, atol=1e-150)
        chance = model.predict(X) if isinstance(model, GeneralizedLinearModel) else model.predict_proba(X)[:, 1]
        assert_allclose(chance, y.mean(), rtol=1e-12)

    def test_the_intercept_is_not_penalised(self):
        X, y = sample("poisson")
        model = GeneralizedLinearModel(family="poisson", alpha=1e12).fit(X, 50 * y + 1)
        assert_allclose(model.predict(X), (50 * y + 1).mean(), rtol=1e-6)

    @pytest.mark.parametrize("family, value", [("gaussian", 0.1), ("gaussian", 0.0), ("poisson", 4.0)])
    def test_constant_targets(self, family, value):
        X, _ = sample("gaussian")
        model = GeneralizedLinearModel(family=family).fit(X, np.full(len(X), value))
        assert model.status_ == "converged"
        assert_allclose(model.predict(X), value, rtol=1e-12)
        assert_allclose(model.coef_, 0, atol=1e-12)

    def test_one_row(self):
        assert_allclose(GeneralizedLinearModel(family="poisson").fit([[1.0, 2.0]], [3]).predict([[5.0, 5.0]]), 3)

    def test_impossible_targets(self):
        X = [[0.0], [1.0], [2.0]]
        for family, y, message in (
            ("poisson", [1, -2, 3], "y >= 0.*1 of 3.*-2"),
            ("bernoulli", [0, 1, 2], r"y in \{0, 1\}.*2"),
            ("bernoulli", [0, 1, 0.5], r"y in \{0, 1\}.*0.5"),
            ("bernoulli", [1, 1, 1], "one class"),
            ("bernoulli", [0, 0, 0], "one class"),
            ("poisson", [0, 0, 0], "every y is 0"),
        ):
            with pytest.raises(ValueError, match=message):
                GeneralizedLinearModel(family=family).fit(X, y)

    def test_bad_parameters(self):
        X, y = sample("gaussian")
        for family in ("categorical", Categorical(3)):
            with pytest.raises(ValueError, match="SoftmaxRegression"):
                GeneralizedLinearModel(family=family).fit(X, y)
        with pytest.raises(ValueError, match="mean of y is"):
            GeneralizedLinearModel(link="log").fit(X, -np.abs(y))
        with pytest.raises(ValueError, match="offset must have shape"):
            GeneralizedLinearModel().fit(X, y, offset=[1.0])
        with pytest.raises(ValueError, match="no start"):
            GeneralizedLinearModel(family="bernoulli", link="identity").fit(X, y > 0, offset=1e3 * y)

    def test_predictions_that_cannot_be_are_refused(self):
        model = GeneralizedLinearModel(family="poisson", link="identity").fit([[0.0], [1.0], [2.0]], [1, 2, 4])
        with pytest.raises(ValueError, match="must lie in"):
            model.predict([[-10.0]])
        with pytest.raises(ValueError, match="finite mean"):
            GeneralizedLinearModel(family="poisson").fit([[0.0], [1.0], [2.0]], [1, 2, 5]).predict([[1e5]])

    def test_too_few_steps_warn(self):
        X, y = sample("poisson")
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            model = GeneralizedLinearModel(family="poisson", max_iter=1).fit(X, y)
        assert model.status_ == "stopped" and model.n_iter_ == 1
        enough = GeneralizedLinearModel(family="poisson").fit(X, y)
        model = GeneralizedLinearModel(family="poisson", max_iter=enough.n_iter_).fit(X, y)
        assert model.status_ == "converged" and model.n_iter_ == enough.n_iter_
        assert_allclose(model.coef_, enough.coef_, rtol=1e-14)


class TestScore:
    """D² = 1 - deviance / deviance of the mean, from the textbook."""

    @pytest.mark.parametrize("link", [None, "log", "logit"])
    @pytest.mark.parametrize("family", ["gaussian", "bernoulli", "poisson"])
    def test_against_the_textbook_with_weights_and_offset(self, family, link):
        rng = np.random.default_rng(1)
        X, offset, weights = rng.normal(size=(50, 1)), 0.3 * rng.normal(size=50) - 1.5, rng.integers(0, 3, 50) * 1.0
        y = (rng.random(50) < 0.3) * (0.7 if family != "bernoulli" else 1.0)
        if link is not None and family == "gaussian":
            y = y + 0.1
        model = GeneralizedLinearModel(family=family, link=link, alpha=1.0).fit(X, y, weights, offset)
        mean = model.predict(X, offset)
        null = weighted_deviance(family, y, np.full(50, np.average(y, weights=weights)), weights)
        expected = 1 - weighted_deviance(family, y, mean, weights) / null
        assert_allclose(model.score(X, y, weights, offset), expected, rtol=1e-9)
        assert_allclose(model.score(X, y, 1e90 * weights / 50, offset), expected, rtol=1e-9)

    @pytest.mark.parametrize("family", ["bernoulli", "poisson"])
    def test_a_mean_that_rounds_to_the_border_is_not_impossible(self, family):
        model = GeneralizedLinearModel(family=family).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
        low = (-1e5 - model.intercept_) / model.coef_[0]  # there η = -100000, which is what a 1 costs
        X = [[0.0], [low]]
        with np.errstate(all="raise", under="ignore"):
            null = {"bernoulli": 2 * np.log(2), "poisson": np.log(2)}[family]
            assert_allclose(model.score(X, [0, 1]), 1 - 1e5 / null, rtol=1e-4)
            assert model.score(X, [0, 1], sample_weight=[1, 0]) == 0.0

    def test_on_the_border_of_the_range(self):
        model = GeneralizedLinearModel(family="poisson", link="identity").fit([[0.0], [1.0], [2.0]], [0, 0, 5])
        model.intercept_, model.coef_ = 0.0, np.array([5 / 3])
        X = [[0.0], [1.0], [2.0]]  # the means 0, 5/3, 10/3 lack 0 + 5/3 + (5 ln 1.5 - 5/3), three times 5/3 lack 5 ln 3
        assert_allclose(model.score(X, [0, 0, 5]), 1 - np.log(1.5) / np.log(3), rtol=1e-12)
        assert model.score(X, [1, 0, 5]) == -np.inf
        assert np.isfinite(model.score(X, [1, 0, 5], sample_weight=[0, 1, 1]))
        model.intercept_ = -1e-13  # rounding
        assert model.predict([[0.0]]) == 0.0
        model.intercept_ = -1e-9
        with pytest.raises(ValueError, match="must lie in"):
            model.predict([[0.0]])

    def test_constant_targets(self):
        X = np.arange(5.0)[:, np.newaxis]
        model = GeneralizedLinearModel(family="poisson").fit(X, np.full(5, 2.0))
        assert model.score(X, np.full(5, 3.0)) == 0.0
        exact = GeneralizedLinearModel(family="gaussian").fit(X, np.full(5, 2.0))
        assert exact.score(X, np.full(5, 2.0)) == 1.0


class TestBorder:
    """A link that is not canonical allows means that the family does not: the best one may lie on the border."""

    def test_the_best_mean_is_zero(self):
        # a + bx = 0 at x = 0; then 3b - 5 ln 2b is least at b = 5/3, and the slope in a there, 3 - 5/2b, is positive
        model = GeneralizedLinearModel(family="poisson", link="identity").fit([[0.0], [1.0], [2.0]], [0, 0, 5])
        assert_allclose([model.intercept_, *model.coef_], [0, 5 / 3], atol=1e-6)
        assert model.status_ == "converged" and (model.predict([[0.0], [1.0], [2.0]]) >= 0).all()

    @pytest.mark.parametrize("family, link", [("poisson", "identity"), ("bernoulli", "identity"), ("bernoulli", "log")])
    def test_a_fit_that_says_converged_is_the_optimum_of_slsqp(self, family, link):
        reached = 0
        for seed in range(25):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(8, 1)).round(2)
            y = np.append([0, 1], rng.poisson(1.0, 6) if family == "poisson" else rng.integers(0, 2, 6))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = GeneralizedLinearModel(family=family, link=link).fit(X, y)
            if model.status_ == "converged":
                reached += 1
                least = constrained_deviance(family, link, X, y, np.append(model.coef_, model.intercept_))
                assert model.deviance_ <= least + 1e-5 * (1 + least), seed
        assert reached >= 12  # the others ended with a warning


def constrained_deviance(family, link, X, y, near):
    """The least deviance with means inside the range, by SciPy, from a constant model and from near an answer."""
    A = np.column_stack([X, np.ones(len(X))])
    top = {"poisson": np.inf, "bernoulli": 1.0}[family]

    def loss(theta):
        mean = INVERSE[link](A @ theta)
        return deviance(family, y, np.clip(mean, 1e-15, top - 1e-15 if np.isfinite(top) else None))

    room = [{"type": "ineq", "fun": lambda theta: INVERSE[link](A @ theta)}]
    if np.isfinite(top):
        room.append({"type": "ineq", "fun": lambda theta: 1.0 - INVERSE[link](A @ theta)})
    constant = np.append(np.zeros(X.shape[1]), np.mean(y) if link == "identity" else np.log(np.mean(y)))
    ends = [
        scipy.optimize.minimize(loss, start, constraints=room, method="SLSQP", options={"ftol": 1e-13})
        for start in (constant, 0.9 * near + 0.1 * constant)
    ]
    return min(end.fun for end in ends)


class TestSteps:
    """The step of IRLS is weighted least squares for the working response, by the textbook's own words."""

    @pytest.mark.parametrize("family, link", [
        ("gaussian", "identity"), ("gaussian", "log"), ("gaussian", "logit"), ("bernoulli", "logit"),
        ("bernoulli", "log"), ("bernoulli", "identity"), ("poisson", "log"), ("poisson", "identity"),
        ("poisson", "logit"),
    ])  # fmt: skip
    @pytest.mark.parametrize("dependent, alpha", [(False, 0.7), (True, 0.0), (True, 1e-6)])
    def test_against_a_regression_on_the_working_response(self, family, link, dependent, alpha):
        rng = np.random.default_rng(2)
        X = np.column_stack([rng.uniform(-0.3, 0.3, size=(40, 2)), np.ones(40)])
        X = np.column_stack([X[:, :2], X[:, 0] + X[:, 1], X[:, 2]]) if dependent else X
        weights = rng.uniform(0.5, 2.0, 40)
        theta = np.append(rng.uniform(-0.2, 0.2, X.shape[1] - 1), {"identity": 0.5, "log": -1.0, "logit": 0.3}[link])
        penalty = np.append(np.full(X.shape[1] - 1, alpha), 0.0)
        y = rng.integers(0, 2, 40).astype(float)

        eta = X @ theta
        mean, slope = INVERSE[link](eta), np.array([numerical_gradient(INVERSE[link], point) for point in eta])
        variance = {"gaussian": np.ones(40), "bernoulli": mean * (1 - mean), "poisson": mean}[family]
        gradient = irls.gradient(theta, mean, slope / variance, X, y, weights, penalty)
        move = irls.irls_step(gradient, variance, slope / variance, X, weights, penalty)

        response, root = eta + (y - mean) / slope, np.sqrt(weights * slope**2 / variance)
        tall = np.vstack([X * root[:, np.newaxis], np.diag(np.sqrt(penalty))])
        refit = np.linalg.lstsq(tall, np.append(response * root, np.zeros(X.shape[1])), rcond=1e-10)[0]
        assert_allclose(X @ (theta + move), X @ refit, rtol=1e-6, atol=1e-8)
        if alpha > 0:  # then only one θ is the best
            assert_allclose(theta + move, refit, rtol=1e-4, atol=1e-5)

        def loss(theta):
            half = [0.5 * deviance(family, y[i], m) for i, m in enumerate(INVERSE[link](X @ theta))]
            return weights @ half + 0.5 * penalty @ theta**2

        assert_allclose(gradient, numerical_gradient(loss, theta), rtol=1e-6, atol=1e-8)


class TestLogLinear:
    def test_is_least_squares_on_the_logarithm(self):
        X, y = sample("gaussian")
        oracle = linear_model.LinearRegression().fit(X, y)
        model = LogLinearRegression().fit(X, np.exp(y))
        assert_allclose(model.coef_, oracle.coef_, rtol=1e-9)
        assert_allclose(np.log(model.predict(X)), oracle.predict(X), rtol=1e-9)
        assert_allclose(model.sigma_, np.sqrt(np.mean((y - oracle.predict(X)) ** 2)), rtol=1e-9)

    def test_dependent_columns_and_units_change_no_prediction(self):
        X, y = sample("gaussian")
        plain = LogLinearRegression().fit(X, np.exp(y))
        wide = np.column_stack([X * [1e-8, 1.0, 1e8], X[:, 0], np.full(len(X), 3.0)])
        model = LogLinearRegression().fit(wide, np.exp(y))
        assert_allclose(model.predict(wide), plain.predict(X), rtol=1e-9)
        assert_allclose([model.sigma_, model.coef_[4]], [plain.sigma_, 0], rtol=1e-9)
        deviations = wide.std(axis=0)  # the shortest solution for standardised columns shares a repeated one in half
        assert_allclose(model.coef_[0] * deviations[0], model.coef_[3] * deviations[3], rtol=1e-7)

    def test_a_prediction_that_overflows_is_refused(self):
        model = LogLinearRegression().fit([[0.0], [1.0]], [1.0, 2.0])
        assert_allclose(model.predict([[10.0], [-1e5]]), [1024, 0])
        with pytest.raises(ValueError, match="finite exponential"):
            model.predict([[2e3]])

    def test_needs_positive_targets(self):
        with pytest.raises(ValueError, match="y > 0.*1 of 2.*0"):
            LogLinearRegression().fit([[1.0], [2.0]], [0.0, 1.0])

    def test_predicts_less_than_the_mean_of_the_log_link(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(4000, 1))
        y = np.exp(x[:, 0] + rng.normal(size=4000))
        median, mean = LogLinearRegression().fit(x, y), GeneralizedLinearModel(family="poisson").fit(x, y)
        assert_allclose(mean.predict([[0.0]]) / median.predict([[0.0]]), np.exp(0.5), rtol=0.1)


def three_classes(seed, n=150, d=2, k=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    scores = X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k))
    y = scores.argmax(axis=1)
    y[: 2 * k] = np.tile(np.arange(k), 2)
    return X, y


class TestSoftmaxRegression:
    @pytest.mark.parametrize("load", [load_iris, load_wine])
    @pytest.mark.parametrize("alpha", [0.1, 1.0])
    def test_against_scikit_learn(self, load, alpha):
        data = load()
        X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
        oracle = linear_model.LogisticRegression(C=1 / alpha, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
        oracle.fit(X, data.target)
        model = SoftmaxRegression(alpha=alpha).fit(X, data.target)
        assert_allclose(model.coef_, oracle.coef_, rtol=1e-5, atol=1e-7)
        assert_allclose(model.predict_proba(X), oracle.predict_proba(X), rtol=1e-5, atol=1e-9)

    @given(seeds)
    @settings(max_examples=15, deadline=None)
    def test_both_parametrisations_give_the_same_probabilities(self, seed):
        X, y = three_classes(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            try:
                full = SoftmaxRegression(alpha=0).fit(X, y)
            except ConvergenceWarning:
                return
        reference = SoftmaxRegression(alpha=0, parametrization="reference").fit(X, y)
        assert_allclose(full.predict_proba(X), reference.predict_proba(X), rtol=1e-7, atol=1e-12)
        assert_allclose(full.coef_.sum(axis=0), 0, atol=1e-9 * np.abs(full.coef_).max())
        assert not reference.coef_[-1].any() and reference.intercept_[-1] == 0
        assert_allclose(full.coef_ - full.coef_[-1], reference.coef_, rtol=1e-6, atol=1e-8)

    def test_a_penalty_tells_the_parametrisations_apart(self):
        X, y = three_classes(0)
        full, reference = (SoftmaxRegression(alpha=5.0, parametrization=p).fit(X, y) for p in ("full", "reference"))
        assert np.abs(full.predict_proba(X) - reference.predict_proba(X)).max() > 1e-3

    def test_the_sum_of_the_probabilities_of_a_class_is_its_count(self):
        X, y = three_classes(3, k=4)
        P = SoftmaxRegression(alpha=0).fit(X, y).predict_proba(X)
        assert_allclose(P.sum(axis=0), np.bincount(y), rtol=1e-8)
        assert_allclose(X.T @ P, X.T @ np.eye(4)[y], rtol=1e-7, atol=1e-7)

    def test_two_classes_are_logistic_regression(self):
        X, y = sample("bernoulli")
        labels = np.where(y == 1, "yes", "no")
        model = SoftmaxRegression(alpha=0, parametrization="reference").fit(X, labels)
        glm = GeneralizedLinearModel(family="bernoulli").fit(X, y)
        assert_allclose(model.predict_proba(X)[:, 1], glm.predict(X), rtol=1e-7)
        assert_allclose(model.decision_function(X), glm.linear_predictor(X), rtol=1e-6, atol=1e-8)

    @pytest.mark.parametrize("parametrization", ["full", "reference"])
    @pytest.mark.parametrize("quasi", [False, True])
    def test_separable_classes_have_no_maximum(self, parametrization, quasi):
        x = np.array([-3, -2, -1.0, 0, 0.5, 1, 2, 3, 4])[:, np.newaxis]
        y = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
        if quasi:
            x, y = np.append(x, [[0.2], [1.0], [1.7]], axis=0), np.append(y, [1, 2, 1])
        with pytest.warns(ConvergenceWarning, match="alpha > 0"):
            model = SoftmaxRegression(alpha=0, parametrization=parametrization).fit(x, y)
        assert model.status_ == "no maximum" and np.isfinite(model.predict_proba(1e3 * x)).all()

    @pytest.mark.parametrize("parametrization", ["full", "reference"])
    @pytest.mark.parametrize("gap, alpha", [(1.0, 1e-11), (1e3, 1e-5), (1e6, 10.0)])
    def test_a_tiny_penalty_on_separable_classes(self, parametrization, gap, alpha):
        X, y = np.arange(6.0)[:, np.newaxis] * gap, np.repeat([0, 1, 2], 2)
        with np.errstate(all="raise", under="ignore"):
            model = SoftmaxRegression(alpha=alpha, parametrization=parametrization).fit(X, y)
        assert model.status_ == "converged"
        P = model.predict_proba(X)
        own = P[np.arange(6), y].copy()
        P[np.arange(6), y] = 0.0
        P[np.arange(6), y] = -P.sum(axis=1)  # P - Y with its digits
        pull, hold = P.T @ X, alpha * model.coef_
        free = slice(None) if parametrization == "full" else slice(-1)
        assert own.min() > 0.99
        assert_allclose((pull + hold)[free], 0, atol=1e-4 * np.abs(hold).max())

    def test_a_loose_tolerance_is_no_missing_maximum(self):
        X, y = three_classes(0)
        for tol in (1.0, 0.1, 0.0):
            assert SoftmaxRegression(alpha=0, tol=tol).fit(X, y).status_ == "converged"

    @pytest.mark.parametrize("parametrization", ["full", "reference"])
    def test_hessian_against_sums_over_rows(self, parametrization):
        rng = np.random.default_rng(0)
        n, k = 5000, 3
        X, weights = np.column_stack([rng.normal(size=n), np.ones(n)]), rng.dirichlet(np.full(n, 0.5))
        C = softmax_regression.free_directions(k) if parametrization == "full" else np.eye(k)[:, :-1]
        P = scipy.special.softmax(X @ rng.normal(size=(2, 2)).T @ C.T, axis=1)
        spread = np.einsum("nk,kl->nkl", P, np.eye(k)) - np.einsum("nk,nl->nkl", P, P)
        exact = np.einsum("n,nkl,ka,lb,ni,nj->aibj", weights, spread, C, C, X, X, optimize=True).reshape(4, 4)
        assert_allclose(softmax_regression.softmax_hessian(P, C, X, weights, np.zeros(2)), exact, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("k", [2, 3, 7])
    def test_free_directions_are_orthonormal_and_sum_to_zero(self, k):
        C = softmax_regression.free_directions(k)
        assert_allclose(C.T @ C, np.eye(k - 1), atol=1e-14)
        assert_allclose(C.sum(axis=0), 0, atol=1e-14)

    def test_the_walk_starts_at_the_shares_of_the_classes(self):
        X, y = np.zeros((10, 1)), np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
        model = SoftmaxRegression(alpha=0).fit(X, y)
        assert model.n_iter_ == 0
        assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.3, 0.2]], rtol=1e-12)

    def test_the_loss_is_without_the_penalty_and_with_the_weights(self):
        X, y = three_classes(1)
        weights = np.random.default_rng(0).integers(0, 3, len(y)) * 1.5
        model = SoftmaxRegression(alpha=2.0).fit(X, y, weights)
        assert_allclose(model.loss_, -weights @ model.predict_log_proba(X)[np.arange(len(y)), y], rtol=1e-10)

    def test_rows_without_weight_are_not_looked_at(self):
        X, y = three_classes(1)
        without = np.append(np.ones(len(y)), 0.0)
        model = SoftmaxRegression(alpha=0).fit(np.vstack([X, [1e90, 0]]), np.append(y, 1), without)
        assert_allclose(model.coef_, SoftmaxRegression(alpha=0).fit(X, y).coef_, rtol=1e-12)

    @pytest.mark.parametrize("parametrization", ["full", "reference"])
    def test_step_against_numerical_derivatives(self, parametrization):
        rng = np.random.default_rng(0)
        X, y = np.column_stack([rng.normal(size=(30, 2)), np.ones(30)]), rng.integers(0, 4, 30)
        weights, penalty = rng.dirichlet(np.ones(30)), np.array([0.3, 0.1, 0.0])
        C = softmax_regression.free_directions(4) if parametrization == "full" else np.eye(4)[:, :-1]

        def loss(theta):
            V = theta.reshape(3, 3)
            logs = scipy.special.log_softmax(X @ V.T @ C.T, axis=1)
            return -weights @ logs[np.arange(30), y] + 0.5 * np.sum(penalty * V**2)

        theta = rng.normal(size=9)
        V = theta.reshape(3, 3)
        P = scipy.special.softmax(X @ V.T @ C.T, axis=1)
        gradient = softmax_regression.softmax_gradient(V, P, np.eye(4)[y], C, X, weights, penalty)
        hessian = softmax_regression.softmax_hessian(P, C, X, weights, penalty)
        assert_allclose(gradient.ravel(), numerical_gradient(loss, theta), rtol=1e-6, atol=1e-8)
        assert_allclose(hessian, numerical_hessian(loss, theta), rtol=1e-4, atol=1e-6)
        move = softmax_regression.softmax_newton_step(gradient, P, C, X, weights, penalty)
        assert_allclose(hessian @ move.ravel(), -gradient.ravel(), rtol=1e-6, atol=1e-10)

    def test_no_maximum_is_what_a_linear_program_finds(self):
        found = []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            n, d, k = int(rng.choice([8, 15, 60])), int(rng.choice([1, 2, 4])), int(rng.choice([3, 5]))
            X = rng.normal(size=(n, d)).round(1)
            y = np.argmax(4 * X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k)), axis=1)
            y[:k] = np.arange(k)
            rows = np.einsum("ik,ij->ikj", np.eye(k)[y], np.column_stack([X, np.ones(n)]))
            rows = np.concatenate([(rows - np.roll(rows, shift, axis=1)) for shift in range(1, k)])
            rows = rows.reshape(len(rows), -1)
            plan = scipy.optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
            found.append(-plan.fun > 1e-7)
            for parametrization in ("full", "reference"):
                model = quiet_fit(SoftmaxRegression(alpha=0, parametrization=parametrization), X, y)
                assert model.status_ == ("no maximum" if found[-1] else "converged"), seed
        assert 5 <= sum(found) <= 25

    def test_weights_count_rows(self):
        X, y = three_classes(5)
        times = np.random.default_rng(1).integers(0, 4, size=len(y))
        model = SoftmaxRegression(alpha=0.5).fit(X, y, sample_weight=times)
        repeated = SoftmaxRegression(alpha=0.5).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        assert_allclose(model.coef_, repeated.coef_, rtol=1e-8)
        assert_allclose(model.loss_, repeated.loss_, rtol=1e-9)

    def test_repeated_and_constant_columns_change_no_probability(self):
        X, y = three_classes(2)
        wide = np.column_stack([X, X[:, 0], np.full(len(X), 2.0), X.sum(axis=1)])
        given, more = (SoftmaxRegression(alpha=0).fit(table, y).predict_proba(table) for table in (X, wide))
        assert_allclose(more, given, rtol=1e-5, atol=1e-8)

    def test_the_order_of_the_classes_does_not_matter(self):
        X, y = three_classes(7)
        for alpha in (0.0, 3.0):
            model, turned = SoftmaxRegression(alpha=alpha).fit(X, y), SoftmaxRegression(alpha=alpha).fit(X, 2 - y)
            assert_allclose(model.predict_proba(X), turned.predict_proba(X)[:, ::-1], rtol=1e-7, atol=1e-12)

    def test_bad_input(self):
        X, y = three_classes(0)
        with pytest.raises(ValueError, match="one class"):
            SoftmaxRegression(alpha=0).fit(X, np.zeros(len(X)))
        with pytest.raises(ValueError, match="sample_weight is zero for every row of class"):
            SoftmaxRegression(alpha=0).fit(X, y, sample_weight=(y > 0) * 1.0)
