"""Exponential families, IRLS and softmax regression against SciPy, scikit-learn, differences and scoring equations."""

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

    def test_a_group_of_zero_counts_has_no_maximum(self):
        x, y = np.repeat([0.0, 1.0], 5)[:, np.newaxis], np.array([0, 0, 0, 0, 0, 3, 1, 4, 1, 5])
        with pytest.warns(ConvergenceWarning):
            model = GeneralizedLinearModel(family="poisson").fit(x, y)
        assert model.status_ == "no maximum"
        assert_allclose(model.predict([[1.0]]), 2.8, rtol=1e-6)

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
        for options, message in (
            ({"family": "binomial"}, "family must be one of"),
            ({"family": "categorical"}, "SoftmaxRegression"),
            ({"family": Categorical(3)}, "SoftmaxRegression"),
            ({"link": "probit"}, "link must be one of"),
            ({"alpha": -1}, "alpha"),
            ({"max_iter": 0}, "max_iter"),
            ({"tol": -1e-3}, "tol"),
        ):
            with pytest.raises(ValueError, match=message):
                GeneralizedLinearModel(**options).fit(X, y)
        with pytest.raises(ValueError, match="mean of y is"):
            GeneralizedLinearModel(link="log").fit(X, -np.abs(y))
        with pytest.raises(ValueError, match="offset must have shape"):
            GeneralizedLinearModel().fit(X, y, offset=[1.0])
        with pytest.raises(ValueError, match="no start"):
            GeneralizedLinearModel(family="poisson", link="identity").fit(X, np.abs(y), offset=1e3 * y)

    def test_predictions_that_cannot_be_are_refused(self):
        model = GeneralizedLinearModel(family="poisson", link="identity").fit([[0.0], [1.0], [2.0]], [1, 2, 4])
        with pytest.raises(ValueError, match="must lie in"):
            model.predict([[-10.0]])
        with pytest.raises(ValueError, match="finite mean"):
            GeneralizedLinearModel(family="poisson").fit([[0.0], [1.0], [2.0]], [1, 2, 5]).predict([[1e5]])

    def test_too_few_steps_warn(self):
        X, y = sample("poisson")
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            assert GeneralizedLinearModel(family="poisson", max_iter=1).fit(X, y).status_ == "stopped"


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


class TestLogLinear:
    def test_is_least_squares_on_the_logarithm(self):
        X, y = sample("gaussian")
        oracle = linear_model.LinearRegression().fit(X, y)
        model = LogLinearRegression().fit(X, np.exp(y))
        assert_allclose(model.coef_, oracle.coef_, rtol=1e-9)
        assert_allclose(np.log(model.predict(X)), oracle.predict(X), rtol=1e-9)
        assert_allclose(model.sigma_, np.sqrt(np.mean((y - oracle.predict(X)) ** 2)), rtol=1e-9)

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
                full = SoftmaxRegression().fit(X, y)
            except ConvergenceWarning:
                return
        reference = SoftmaxRegression(parametrization="reference").fit(X, y)
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
        P = SoftmaxRegression().fit(X, y).predict_proba(X)
        assert_allclose(P.sum(axis=0), np.bincount(y), rtol=1e-8)
        assert_allclose(X.T @ P, X.T @ np.eye(4)[y], rtol=1e-7, atol=1e-7)

    def test_two_classes_are_logistic_regression(self):
        X, y = sample("bernoulli")
        labels = np.where(y == 1, "yes", "no")
        model = SoftmaxRegression(parametrization="reference").fit(X, labels)
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
            model = SoftmaxRegression(parametrization=parametrization).fit(x, y)
        assert model.status_ == "no maximum" and np.isfinite(model.predict_proba(1e3 * x)).all()

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
        assert_allclose(
            SoftmaxRegression().fit(wide, y).predict_proba(wide), SoftmaxRegression().fit(X, y).predict_proba(X),
            rtol=1e-5, atol=1e-8,
        )  # fmt: skip

    def test_the_order_of_the_classes_does_not_matter(self):
        X, y = three_classes(7)
        for alpha in (0.0, 3.0):
            model, turned = SoftmaxRegression(alpha=alpha).fit(X, y), SoftmaxRegression(alpha=alpha).fit(X, 2 - y)
            assert_allclose(model.predict_proba(X), turned.predict_proba(X)[:, ::-1], rtol=1e-7, atol=1e-12)

    def test_bad_input(self):
        X, y = three_classes(0)
        with pytest.raises(ValueError, match="one class"):
            SoftmaxRegression().fit(X, np.zeros(len(X)))
        with pytest.raises(ValueError, match="sample_weight is zero for every row of class"):
            SoftmaxRegression().fit(X, y, sample_weight=(y > 0) * 1.0)
        with pytest.raises(ValueError, match="parametrization"):
            SoftmaxRegression(parametrization="half").fit(X, y)
        with pytest.raises(ValueError, match="rescale"):
            SoftmaxRegression().fit(1e200 * X, y)
