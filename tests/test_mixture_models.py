"""Mixtures of Gaussians against scikit-learn, SciPy, brute force and worked numbers."""

import itertools
import math
import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import kstest, multivariate_normal
from sklearn.mixture import GaussianMixture as SklearnMixture

from mlcore import mixture_models as mm
from mlcore.base import ConvergenceWarning, NotFittedError
from mlcore.clustering import kmeans as km
from mlcore.datasets import load_iris, make_blobs
from mlcore.mixture_models import GaussianMixture, elbo
from mlcore.numerics import inverse_root

TYPES = ("full", "diag", "spherical")
CONFORMANCE_INSTANCES = {
    "GaussianMixture": [
        GaussianMixture(), GaussianMixture(n_components=2, covariance_type="diag", init="random"),
        GaussianMixture(covariance_type="spherical"),
    ]
}  # fmt: skip


def cloud(n=120, d=3, seed=0):
    """Three overlapping clouds."""
    rng = np.random.default_rng(seed)
    return 2.0 * rng.normal(size=(3, d))[rng.integers(3, size=n)] + rng.normal(size=(n, d))


def matrices(model):
    """Covariances as matrices, whatever their type."""
    d = model.n_features_in_
    if model.covariance_type == "full":
        return model.covariances_
    return np.array([np.eye(d) * c for c in model.covariances_])


def scipy_joint(model, X):
    """ln π_k N(x_i; μ_k, Σ_k) by SciPy."""
    each = zip(model.weights_, model.means_, matrices(model), strict=True)
    return np.transpose([np.log(w) + multivariate_normal(m, s).logpdf(X) for w, m, s in each])


def precisions(model):
    return np.linalg.inv(model.covariances_) if model.covariance_type == "full" else 1 / model.covariances_


def theirs_from(ours, max_iter, **options):
    """scikit-learn's mixture, started where ours is."""
    return SklearnMixture(
        len(ours.weights_), covariance_type=ours.covariance_type, weights_init=ours.weights_, means_init=ours.means_,
        precisions_init=precisions(ours), init_params="random", random_state=0, max_iter=max_iter, **options,
    )  # fmt: skip


def climb(X, covariance_type="full", reg_covar=0.0, seed=0, K=3, steps=40):
    """The log-likelihood after each step."""
    model = GaussianMixture(
        n_components=K, covariance_type=covariance_type, reg_covar=reg_covar, init="random", tol=0, max_iter=steps,
        random_state=seed,
    )
    return np.array([model.lower_bound_ * len(X) for _ in model.iter_fit(X)][:-1])


# ---------------------------------------------------------------------------------------------------------------
# Against scikit-learn and SciPy
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("covariance_type", TYPES)
class TestAgainstOthers:
    @pytest.mark.parametrize("init", ["kmeans", "random"])
    @pytest.mark.parametrize("steps", [1, 2, 25])
    def test_the_same_steps_as_scikit_learn(self, covariance_type, init, steps):
        X = cloud()
        options = {"n_components": 3, "covariance_type": covariance_type, "init": init, "tol": 0, "random_state": 1}
        begun = next(GaussianMixture(**options, max_iter=steps).iter_fit(X))
        theirs = theirs_from(begun, steps, tol=0).fit(X)
        ours = GaussianMixture(**options, max_iter=steps).fit(X)
        assert ours.n_iter_ == theirs.n_iter_ == steps
        assert_allclose(ours.weights_, theirs.weights_, rtol=1e-7)
        assert_allclose(ours.means_, theirs.means_, rtol=1e-6, atol=1e-9)
        assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-6, atol=1e-9)
        assert ours.covariances_.shape == theirs.covariances_.shape
        assert ours.score(X) == pytest.approx(theirs.score(X))
        assert ours.bic(X) == pytest.approx(theirs.bic(X))
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert_allclose(ours.score_samples(X), theirs.score_samples(X))

    def test_densities_by_scipy(self, covariance_type):
        X = cloud()
        model = GaussianMixture(n_components=4, covariance_type=covariance_type, random_state=0).fit(X)
        joint = scipy_joint(model, X)
        assert_allclose(model.score_samples(X), logsumexp(joint, axis=1))
        assert_allclose(model.predict_proba(X), np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), atol=1e-10)
        model.set_params(covariance_type="diag" if covariance_type == "full" else "full")  # for the next fit only
        assert_allclose(model.score_samples(X), logsumexp(joint, axis=1))
        assert model.lower_bound_ == pytest.approx(model.score(X))

    def test_a_general_optimiser_finds_nothing_higher_nearby(self, covariance_type):
        X = cloud(60, 2)
        model = GaussianMixture(n_components=2, covariance_type=covariance_type, reg_covar=0, tol=1e-12,
                                max_iter=5000, random_state=0).fit(X)  # fmt: skip
        roots = np.array([inverse_root(s) for s in matrices(model)])

        def loss(v):
            w = np.exp([v[0], 0.0])
            if covariance_type == "full":
                R = np.triu(v[5:].reshape(2, 2, 2))
                R[:, [0, 1], [0, 1]] = np.exp(R[:, [0, 1], [0, 1]])
            else:
                R = np.array([np.diag(r) for r in np.exp(v[5:].reshape(2, -1) * np.ones((2, 2)))])
            return -mm.e_step(mm.log_joint(X, w / w.sum(), v[1:5].reshape(2, 2), R))[1].sum()

        if covariance_type == "full":
            tail = roots.copy()
            tail[:, [0, 1], [0, 1]] = np.log(tail[:, [0, 1], [0, 1]])
        else:
            tail = -0.5 * np.log(model.covariances_)
        start = np.concatenate([[np.log(model.weights_[0] / model.weights_[1])], model.means_.ravel(), tail.ravel()])
        assert loss(start) == pytest.approx(-60 * model.score(X))
        assert loss(start) - minimize(loss, start, method="BFGS").fun < 1e-5

    def test_one_component_is_the_gaussian_of_all_points(self, covariance_type):
        X = cloud()
        model = GaussianMixture(covariance_type=covariance_type, reg_covar=0).fit(X)
        variances = X.var(axis=0)
        expected = {"full": np.cov(X.T, bias=True), "diag": variances, "spherical": variances.mean()}[covariance_type]
        assert_allclose(model.covariances_[0], expected, atol=1e-12)
        assert_allclose(model.means_[0], X.mean(axis=0))
        assert model.weights_.tolist() == [1]


# ---------------------------------------------------------------------------------------------------------------
# The bound
# ---------------------------------------------------------------------------------------------------------------
class TestTheBound:
    @pytest.mark.parametrize("covariance_type", TYPES)
    @given(
        X=hnp.arrays(float, st.tuples(st.integers(12, 30), st.integers(1, 3)), elements=st.integers(-30, 30)),
        seed=st.integers(0, 99), K=st.integers(1, 3),
    )
    @settings(max_examples=25, deadline=None)
    def test_the_likelihood_never_falls(self, covariance_type, X, seed, K):
        X = X + np.random.default_rng(seed).normal(size=X.shape)  # no duplicates
        try:
            path = climb(X, covariance_type, seed=seed, K=K, steps=15)
        except ValueError as error:
            assert "has collapsed" in str(error)
            return
        assert np.diff(path).min(initial=0) > -1e-7 * np.abs(path).max()

    def test_a_fixed_term_breaks_that(self):
        X, _ = make_blobs(80, centers=3, random_state=3)
        top = GaussianMixture(n_components=3, reg_covar=0, tol=1e-12, max_iter=2000, random_state=0).fit(X)
        roots = np.array([inverse_root(s) for s in top.covariances_])
        gamma, log_p = mm.e_step(mm.log_joint(X, top.weights_, top.means_, roots))
        weights, means, sigma = mm.m_step(X, gamma, mm.full)
        roots = np.array([inverse_root(s) for s in mm.regularised(sigma, 0.05)])
        assert mm.e_step(mm.log_joint(X, weights, means, roots))[1].sum() < log_p.sum() - 1e-3

    def test_ln_p_is_the_bound_and_the_divergence_at_every_step(self):
        X, rng = cloud(), np.random.default_rng(0)
        for model in GaussianMixture(n_components=3, init="random", max_iter=15, tol=0, random_state=0).iter_fit(X):
            gamma, q = model.predict_proba(X), rng.dirichlet(np.ones(3), size=len(X))
            total = len(X) * model.score(X)
            divergence = np.sum(q * np.log(q / gamma))
            assert elbo(model, X, q) + divergence == pytest.approx(total, abs=1e-8)
            assert elbo(model, X, gamma) == pytest.approx(total)

    def test_what_one_step_gains(self):
        X = cloud()
        states = mm.climb(X, mm._around(X, X[[0, 1, 2]], mm.full), "full", 0.0, 0.0)
        (old, old_roots, gamma, before), (new, new_roots, after_gamma, after) = itertools.islice(states, 2)
        joints = [mm.log_joint(X, *theta[:2], roots) for theta, roots in ((old, old_roots), (new, new_roots))]
        gain = np.sum(gamma * (joints[1] - joints[0])) + np.sum(gamma * np.log(gamma / after_gamma))
        assert after.sum() - before.sum() == pytest.approx(gain)
        assert gain > 1

    def test_shares_of_zero(self):
        joint = np.array([[-1.0, -700.0], [-2.0, -3.0]])
        assert mm.bound(np.array([[1.0, 0.0], [0.5, 0.5]]), joint) == pytest.approx(-1 - 2.5 + math.log(2))

    def test_elbo_refuses_what_are_no_shares(self):
        X = cloud()
        model = GaussianMixture(n_components=2, random_state=0).fit(X)
        q = model.predict_proba(X)
        with pytest.raises(ValueError, match=r"\(120, 2\), got \(119, 2\)"):
            elbo(model, X, q[:-1])
        with pytest.raises(ValueError, match=r"q\[0\] must .* sum 1.5"):
            elbo(model, X, q * 1.5)
        with pytest.raises(ValueError, match="the least is -0.5"):
            elbo(model, X, np.tile([1.5, -0.5], (120, 1)))
        with pytest.raises(ValueError, match="NaN"):
            elbo(model, X, q * np.nan)
        with pytest.raises(NotFittedError):
            elbo(GaussianMixture(), X, q)


# ---------------------------------------------------------------------------------------------------------------
# The core
# ---------------------------------------------------------------------------------------------------------------
class TestCore:
    def test_a_diagonal_by_either_density(self):
        X, r, means = cloud(), np.array([[2.0, 0.5, 1.0], [1.0, 3.0, 0.1]]), np.zeros((2, 3))
        matrices = np.array([np.diag(row) for row in r])
        theirs = mm.log_joint(X, np.full(2, 0.5), means, matrices)
        assert_allclose(mm.log_joint(X, np.full(2, 0.5), means, r, mm.independent_log_density), theirs)

    def test_the_border_of_two_components(self):
        x, eps = 1.5 + 0.37 / 3 * math.log(0.25), 0.37
        roots = np.full((2, 1, 1), eps**-0.5)
        joint = mm.log_joint(np.array([[x]]), np.array([0.2, 0.8]), np.array([[0.0], [3]]), roots)
        assert_allclose(mm.e_step(joint)[0], 0.5)

    def test_variances_in_three_dimensions(self):
        X, shares = cloud(50, 3), np.random.default_rng(1).dirichlet(np.ones(50))
        D = X - shares @ X
        sigma = np.cov(X.T, aweights=shares, bias=True)
        assert_allclose(mm.full(D, shares), sigma)
        assert_allclose(mm.diagonal(D, shares), np.diag(sigma))
        assert mm.spherical(D, shares) == pytest.approx(np.trace(sigma) / 3)

    def test_m_step_is_numpys_weighted_covariance(self):
        X, gamma = cloud(), np.random.default_rng(1).dirichlet(np.ones(4), size=120)
        weights, means, sigma = mm.m_step(X, gamma, mm.full)
        assert_allclose(weights, gamma.mean(axis=0))
        for k in range(4):
            assert_allclose(means[k], np.average(X, axis=0, weights=gamma[:, k]))
            assert_allclose(sigma[k], np.cov(X.T, aweights=gamma[:, k], bias=True), atol=1e-12)

    @pytest.mark.parametrize("spread", [mm.full, mm.diagonal, mm.spherical])
    @pytest.mark.parametrize("n", [5, 1000, 4097])
    def test_blocks_give_the_same(self, spread, n, monkeypatch):
        monkeypatch.setattr(mm, "ROWS", 400 if n == 1000 else 4096)
        X, gamma = cloud(n), np.random.default_rng(1).dirichlet(np.ones(4), size=n)
        for ours, core in zip(mm.m_step(X, gamma, mm.by_blocks(spread)), mm.m_step(X, gamma, spread), strict=True):
            assert_allclose(ours, core, rtol=1e-9, atol=1e-12)
        start = np.full(2, 0.5), X[:2], np.ones((2, 3)), mm.independent_log_density
        for ours, core in zip(mm.e_step_by_blocks(X, *start), mm.e_step(mm.log_joint(X, *start)), strict=True):
            assert_array_equal(ours.shape, core.shape)
            assert_allclose(ours, core, rtol=1e-12)

    def test_far_away_nothing_is_zero_over_zero(self):
        joint = mm.log_joint(np.array([[1e8]]), np.array([0.3, 0.7]), np.array([[0.0], [1]]), np.ones((2, 1, 1)))
        gamma, log_p = mm.e_step(joint)
        assert_allclose(gamma, [[0, 1]], atol=1e-9)
        assert log_p[0] == pytest.approx(-0.5 * (1e8 - 1) ** 2)

    def test_the_limit_is_k_means(self):
        X, weights = cloud(200, 2), np.array([0.1, 0.6, 0.3])
        means = X[:3]
        for _ in range(5):
            with np.errstate(under="ignore"):
                joint = mm.log_joint(X, weights, means, np.full((3, 2), 1e6), mm.independent_log_density)
                gamma = mm.e_step(joint)[0]
            labels = km.assign(X, means)
            assert_allclose(gamma, np.eye(3)[labels], atol=1e-9)
            J = km.squares(X, means, labels).sum()
            assert 1e-12 * mm.bound(gamma, joint) == pytest.approx(-J / 2, rel=1e-6)
            means = mm.m_step(X, gamma, mm.spherical)[1]
            assert_allclose(means, km.update(X, labels, 3))

    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_a_spike_gains_d_for_each_unit_of_ln_sigma(self, d):
        X = cloud(40, d, seed=d)
        wide = inverse_root(np.cov(X.T, bias=True).reshape(d, d))

        def height(sigma):
            roots = np.array([wide, np.eye(d) / sigma])
            joint = mm.log_joint(X, np.full(2, 0.5), np.array([X.mean(axis=0), X[7]]), roots)
            return mm.e_step(joint)[1].sum()

        assert (height(1e-6) - height(1e-5)) / math.log(10) == pytest.approx(d, rel=1e-4)

    def test_drawn_points_follow_the_mixture(self):
        weights, means = np.array([0.3, 0.7]), np.array([[0.0, 0], [4, 1]])
        A = np.array([[[1.0, 0], [0.8, 0.5]], [[0.4, 0], [0, 2.0]]])
        X, z = mm.draw(20_000, weights, means, A, np.random.default_rng(0))
        assert abs(np.mean(z == 1) - 0.7) < 0.015
        for k in range(2):
            assert_allclose(np.cov(X[z == k].T), A[k] @ A[k].T, atol=0.12)
            T = np.linalg.solve(A[k], (X[z == k] - means[k]).T)
            assert min(kstest(row, "norm").pvalue for row in T) > 1e-3


# ---------------------------------------------------------------------------------------------------------------
# The estimator
# ---------------------------------------------------------------------------------------------------------------
class TestEstimator:
    def test_several_starts_keep_the_best(self):
        corners = np.array([[-2.5, -1.2], [2.2, -1.4], [0.6, 1.9]])
        X, _ = make_blobs(60, centers=corners, cluster_std=0.8, random_state=4)
        options = {"n_components": 3, "init": "random", "reg_covar": 0.01, "tol": 1e-5, "max_iter": 500}
        single = [GaussianMixture(random_state=s, **options).fit(X).lower_bound_ for s in range(15)]
        many = GaussianMixture(random_state=0, n_init=15, **options).fit(X)
        assert max(single) - min(single) > 0.05
        assert many.lower_bound_ == pytest.approx(max(single), abs=1e-4)
        assert many.lower_bound_ == pytest.approx(many.score(X))

    def test_a_start_that_collapses_is_left_out(self):
        X = load_iris().data[:14]
        options = {"n_components": 5, "init": "random", "reg_covar": 0, "max_iter": 2000, "covariance_type": "diag"}

        def collapses(seed):
            try:
                GaussianMixture(random_state=seed, **options).fit(X)
            except ValueError as error:
                assert "reg_covar (it is 0" in str(error)
                return True
            return False

        rng = np.random.default_rng(0)
        X = np.vstack([X, X[:5] + rng.normal(size=(5, 4)), rng.normal(size=(12, 4))])
        fates = [collapses(s) for s in range(12)]
        assert 0 < sum(fates) < 12
        model = GaussianMixture(random_state=fates.index(True), n_init=12, **options).fit(X)
        assert np.isfinite(model.lower_bound_)

    def test_equal_components_stay_equal(self):
        X = cloud()
        model = GaussianMixture(n_components=3, init=np.ones((3, 3)), reg_covar=0).fit(X)
        assert_allclose(model.means_, np.tile(X.mean(axis=0), (3, 1)), atol=1e-10)
        assert model.score(X) == pytest.approx(GaussianMixture(reg_covar=0).fit(X).score(X))

    def test_iter_fit_yields_the_model_ready_to_predict(self):
        X = cloud()
        seen = []
        for model in GaussianMixture(n_components=2, max_iter=5, tol=0, random_state=0).iter_fit(X):
            seen.append(model.score(X))
            assert model.lower_bound_ == pytest.approx(seen[-1])
            assert model.predict(X).shape == (120,)
        assert len(seen) == 7 and seen[-1] == seen[-2]  # the start, five steps, the best

    def test_it_ends_where_a_step_changes_less_than_tol(self):
        X = cloud()
        path = climb(X, "full", 1e-6, steps=60) / len(X)
        model = GaussianMixture(n_components=3, init="random", tol=1e-3, random_state=0).fit(X)
        assert model.converged_
        assert model.n_iter_ == np.flatnonzero(np.diff(path) < 1e-3)[0] + 1

    def test_says_that_it_was_still_climbing(self):
        with pytest.warns(ConvergenceWarning, match="max_iter=2"):
            model = GaussianMixture(n_components=3, max_iter=2, tol=1e-9, random_state=0).fit(cloud())
        assert not model.converged_ and model.n_iter_ == 2
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            GaussianMixture(n_components=3, max_iter=2, tol=0, random_state=0).fit(cloud())

    def test_sample(self):
        X = cloud()
        for covariance_type in TYPES:
            model = GaussianMixture(n_components=2, covariance_type=covariance_type, random_state=0).fit(X)
            T, z = model.sample(20_000)
            assert T.shape == (20_000, 3) and set(z.tolist()) == {0, 1}
            for k in range(2):
                assert_allclose(np.cov(T[z == k].T), matrices(model)[k], atol=0.25)
                assert_allclose(T[z == k].mean(axis=0), model.means_[k], atol=0.15)
            assert_array_equal(model.sample(3)[0], model.sample(3)[0])
        with pytest.raises(ValueError, match="n_samples"):
            model.sample(0)

    def test_fit_predict_finds_the_clouds(self):
        X, y = make_blobs(150, centers=np.array([[-8.0, 0], [8, 0], [0, 9]]), random_state=0)
        labels = GaussianMixture(n_components=3, random_state=0).fit_predict(X)
        assert len(set(zip(labels.tolist(), y.tolist(), strict=True))) == 3

    @pytest.mark.parametrize("covariance_type", TYPES)
    def test_a_shift_and_the_order_of_rows_do_not_matter(self, covariance_type):
        X = cloud()
        options = {"n_components": 3, "covariance_type": covariance_type, "max_iter": 8, "tol": 0}
        base = GaussianMixture(init=X[:3], **options).fit(X)
        moved = GaussianMixture(init=X[:3] + 1e6, **options).fit(X + 1e6)
        assert_allclose(moved.covariances_, base.covariances_, rtol=1e-5, atol=1e-7)
        assert_allclose(moved.means_ - 1e6, base.means_, atol=1e-6)
        shuffled = GaussianMixture(init=X[:3], **options).fit(X[::-1])
        assert_allclose(shuffled.means_, base.means_, atol=1e-8)
        renamed = GaussianMixture(init=X[[2, 0, 1]], **options).fit(X)
        assert_allclose(renamed.means_, base.means_[[2, 0, 1]], atol=1e-8)

    @pytest.mark.parametrize("scale", [1e-8, 1e8])
    def test_units(self, scale):
        X = cloud()
        options = {"n_components": 3, "reg_covar": 0, "max_iter": 8, "tol": 0}
        base = GaussianMixture(init=X[:3], **options).fit(X)
        units = np.array([scale, 1.0, 1.0])
        other = GaussianMixture(init=X[:3] * units, **options).fit(X * units)
        assert_allclose(other.means_ / units, base.means_, rtol=1e-6, atol=1e-8)
        assert_allclose(other.predict_proba(X * units), base.predict_proba(X), atol=1e-7)
        assert other.score(X * units) == pytest.approx(base.score(X) - math.log(scale))


class TestEdges:
    @pytest.mark.parametrize("covariance_type", TYPES)
    def test_one_row_one_column_constants_and_duplicates(self, covariance_type):
        one = GaussianMixture(covariance_type=covariance_type).fit([[3.0, 4.0]])
        assert_allclose(one.means_, [[3, 4]])
        assert_allclose(one.covariances_[0], 1e-6 * np.eye(2) if covariance_type == "full" else 1e-6)
        column = GaussianMixture(n_components=2, covariance_type=covariance_type, random_state=0).fit(cloud(30, 1))
        assert np.isfinite(column.score(cloud(30, 1)))
        constant = np.column_stack([cloud(30, 1), np.full(30, 0.1)])
        assert np.isfinite(GaussianMixture(covariance_type=covariance_type).fit(constant).lower_bound_)
        twice = GaussianMixture(n_components=2, covariance_type=covariance_type).fit([[0.0], [0], [1], [1]])
        assert_allclose(np.sort(twice.means_.ravel()), [0, 1], atol=1e-12)
        assert_allclose(twice.weights_, 0.5)

    def test_a_constant_or_dependent_feature_needs_reg_covar(self):
        X = cloud(30, 2)
        for bad in (np.column_stack([X, np.full(30, 0.1)]), np.column_stack([X, X[:, 0]])):
            with pytest.raises(ValueError, match="component 0 has collapsed.*reg_covar"):
                GaussianMixture(reg_covar=0).fit(bad)
        assert np.isfinite(GaussianMixture(reg_covar=0, covariance_type="diag").fit(bad).lower_bound_)

    def test_a_spike_is_found_and_named(self):
        X = np.vstack([cloud(40, 2), [[30.0, 30.0]]])
        for covariance_type in TYPES:
            with pytest.raises(ValueError, match=r"component \d has collapsed.*reg_covar \(it is 0"):
                GaussianMixture(n_components=2, covariance_type=covariance_type, reg_covar=0, random_state=0).fit(X)
            model = GaussianMixture(n_components=2, covariance_type=covariance_type, reg_covar=0.01, random_state=0)
            assert min(np.linalg.eigvalsh(s).min() for s in matrices(model.fit(X))) >= 0.01 * (1 - 1e-9)

    def test_three_points_lie_on_a_plane(self):
        """Rounding leaves 1e-16 where the smallest eigenvalue is 0, and pivots of 1e-12."""
        X = np.array([
            [-28, 0, -28], [-1, -28, -28], [-28, -28, -28], [-28, -28, -28], [-28, -28, 0], [-28, -4, 0], [-28, -28, 0],
            [-28, -28, 1], [0, 0, 0], [-28, -28, -28], [-28, -28, -28], [-28, -28, -28], [0, -28, -28], [-28, 24, -28],
            [-28, 24, 0],
        ]) + np.random.default_rng(22).normal(size=(15, 3))  # fmt: skip
        with pytest.raises(ValueError, match="component 2 has collapsed: its covariance is singular"):
            climb(X, seed=22)

    def test_reg_covar_holds_a_tight_component_in_wide_data(self):
        X = np.array([[0.0], [0.0], [0.0], [1e6], [1e6], [1e6]])
        model = GaussianMixture(n_components=2, random_state=0).fit(X)
        assert model.covariances_.min() == pytest.approx(1e-6, abs=0)

    def test_a_component_without_points(self):
        with pytest.raises(ValueError, match="component 1 is responsible for no point"):
            GaussianMixture(n_components=2, init=[[0.0, 0.0], [1e6, 0.0]]).fit(cloud(40, 2))

    def test_too_many_components(self):
        with pytest.raises(ValueError, match="n_components=3 needs.* 4 rows of which 2 differ: ask for at most 2"):
            GaussianMixture(n_components=3).fit([[1.0], [1], [2], [2]])
        with pytest.raises(ValueError, match="1 row of which 1 differs"):
            GaussianMixture(n_components=2).fit([[1.0]])

    def test_means_of_another_shape(self):
        with pytest.raises(ValueError, match=r"init must hold 1 means of 3 features, got an array of shape \(1, 2\)"):
            GaussianMixture(init=[[0.0, 0.0]]).fit(cloud())

    def test_kinds_of_tables(self):
        X = cloud().round(3)
        base = GaussianMixture(n_components=2, random_state=0).fit(X)
        X.flags.writeable = False
        for table in (np.asfortranarray(X), X, pd.DataFrame(X, columns=list("abc")), X.tolist()):
            assert_allclose(GaussianMixture(n_components=2, random_state=0).fit(table).means_, base.means_, atol=1e-9)
        single = GaussianMixture(n_components=2, random_state=0).fit(X.astype(np.float32))
        assert_allclose(single.means_, base.means_, atol=1e-3)

    def test_does_not_depend_on_what_the_caller_makes_of_underflow(self):
        X = np.vstack([cloud(40, 2), cloud(40, 2) + 300])
        with np.errstate(all="raise"):
            model = GaussianMixture(n_components=2, random_state=0).fit(X)
            model.predict_proba(X)
            model.score(X)
            model.sample(5)
        assert_allclose(np.sort(model.weights_), 0.5)
