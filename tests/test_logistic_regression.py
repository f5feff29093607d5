"""Logistic regression and the perceptron against scikit-learn, SciPy, loops over the definitions, and invariants."""

import contextlib
import itertools
import math
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression

from mlcore import logistic_regression
from mlcore.base import ConvergenceWarning, run, snapshots
from mlcore.datasets import load_breast_cancer
from mlcore.logistic_regression import (
    LogisticRegression,
    Perceptron,
    SeparationWarning,
    cross_entropy,
    gradient,
    hessian,
    kl_divergence,
    log_loss,
    logistic_loss,
    newton_root,
    newton_step,
    row_losses,
    sigmoid,
)
from mlcore.numerics import LinearProblem
from mlcore.optimize import DivergenceError, newton
from mlcore.verify import numerical_gradient, numerical_hessian

CONFORMANCE_INSTANCES = {
    "LogisticRegression": [
        LogisticRegression(),
        LogisticRegression(alpha=0),
        LogisticRegression(solver="gd"),
        LogisticRegression(solver="gd", alpha=0, max_iter=500),
        LogisticRegression(solver="sgd", max_iter=30),
        LogisticRegression(solver="sgd", alpha=0, max_iter=30),
    ],
    "Perceptron": [Perceptron(), Perceptron(pocket=True)],
}

_STEPS_ARE_NOT_ROWS = (
    "a row of weight 2 makes one step of twice the length, a repeated row two steps in random order: equal in the mean"
)
NOT_APPLICABLE = {
    **{
        repr(LogisticRegression(solver="sgd", alpha=alpha, max_iter=30)): {
            "check_sample_weight_equivalence_on_dense_data": _STEPS_ARE_NOT_ROWS
        }
        for alpha in (0, 1.0)
    },
}

seeds = st.integers(0, 10**6)


def overlapping(seed, n=80, d=3):
    """Two classes whose labels really follow a logistic model, so that they overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    z = X @ rng.normal(size=d)
    y = (rng.random(n) < sigmoid((z - z.mean()) / z.std())).astype(int)
    y[:2] = 0, 1
    return X, y


def separable(seed, n=40, d=2, gap=0.1):
    """Rows at a distance of at least ``gap`` from a line, and the unit θ of that line."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=d + 1)
    theta /= np.linalg.norm(theta)
    X = rng.normal(size=(20 * n, d))
    z = X @ theta[:-1] + theta[-1]
    X, z = X[np.abs(z) >= gap][:n], z[np.abs(z) >= gap][:n]
    X[0], X[1] = 3 * theta[:-1] / np.sum(theta[:-1] ** 2), -3 * theta[:-1] / np.sum(theta[:-1] ** 2)
    return X, (X @ theta[:-1] + theta[-1] > 0).astype(int), theta


def scikit_learn(X, y, alpha, **options):
    C = 1 / alpha if alpha else np.inf
    return SklearnLogisticRegression(C=C, tol=1e-12, max_iter=100_000, **options)


def quiet_fit(model, X, y, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, *args)


# -- losses -----------------------------------------------------------------------------------------------------
@given(seeds, st.booleans(), st.booleans())
def test_log_loss_is_scikit_learns(seed, weighted, normalize):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, size=30), rng.uniform(0.001, 0.999, size=30)
    weights = rng.random(30) if weighted else None
    ours = log_loss(y, p, sample_weight=weights, normalize=normalize)
    theirs = sklearn.metrics.log_loss(y, p, labels=[0, 1], sample_weight=weights, normalize=normalize)
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_log_loss_of_certainties():
    assert log_loss([0, 1], [0.0, 1.0]) == 0
    assert log_loss([0, 1], [0.5, 0.0]) == np.inf
    assert log_loss([0], [1.0]) == np.inf
    assert log_loss([1, 0], [0.0, 0.5], sample_weight=[0, 1]) == pytest.approx(math.log(2))
    assert log_loss([0], [1e-300]) == pytest.approx(1e-300, rel=1e-12, abs=0)
    assert log_loss([True, False], [0.5, 0.5], normalize=False) == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        ([0, 2], [0.5, 0.5], "0 and 1 only, got 2"),
        ([-1, 1], [0.5, 0.5], "0 and 1 only, got -1"),
        ([0, 1], [0.5, 1.5], "got 1.5"),
        ([0, 1], [0.5, -0.1], "got -0.1"),
        ([0, 1], [0.5, np.inf], "got inf"),
        ([0, 1], [0.5], r"\(2,\) and \(1,\)"),
        ([], [], "not empty"),
        ([[0, 1]], [[0.5, 0.5]], "1-D"),
    ],
)
def test_log_loss_refuses(y, p, message):
    with pytest.raises(ValueError, match=message):
        log_loss(y, p)


@pytest.mark.parametrize(("y", "z"), [([0, 1], [0.0]), ([[0], [1]], [0.0, 1.0]), ([0, 1], 0.5), (1, [0.0, 1.0])])
def test_logistic_loss_does_not_stretch_one_argument_over_the_other(y, z):
    with pytest.raises(ValueError, match="must have one shape"):
        logistic_loss(y, z)


@given(st.floats(-30, 30), st.integers(0, 1))
def test_logistic_loss_is_the_log_loss_of_the_sigmoid(z, y):
    assert logistic_loss([y], [z])[0] == pytest.approx(log_loss([y], [sigmoid(z)]), rel=1e-3, abs=1e-15)


def test_logistic_loss_of_extreme_scores():
    z = np.array([1e4, -1e4, 50.0, 0.0])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert logistic_loss(np.ones(4), z).tolist() == [0.0, 1e4, math.log1p(math.exp(-50)), math.log(2)]
        assert logistic_loss(np.zeros(4), z).tolist() == [1e4, 0.0, 50.0, math.log(2)]
    with pytest.raises(ValueError, match="0 and 1 only, got -1"):
        logistic_loss([-1.0, 1.0], [0.0, 0.0])


# -- entropies --------------------------------------------------------------------------------------------------
def distributions(seed, zeros=False):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(5), size=(2, 7))
    if zeros:
        p[:, :2] = 0
        p /= p.sum(axis=-1, keepdims=True)
    return p, q


@given(seeds, st.booleans())
def test_entropies_against_scipy(seed, zeros):
    p, q = distributions(seed, zeros)
    np.testing.assert_allclose(kl_divergence(p, q), scipy.special.rel_entr(p, q).sum(axis=-1), rtol=1e-9, atol=1e-14)
    cross = scipy.stats.entropy(p, axis=-1) + scipy.special.rel_entr(p, q).sum(axis=-1)
    np.testing.assert_allclose(cross_entropy(p, q), cross, rtol=1e-9, atol=1e-14)


@given(seeds)
def test_kl_is_cross_entropy_minus_entropy_and_not_negative(seed):
    p, q = distributions(seed)
    np.testing.assert_allclose(kl_divergence(p, q), cross_entropy(p, q) - cross_entropy(p, p), atol=1e-13)
    assert (kl_divergence(p, q) >= 0).all()
    assert (kl_divergence(p, p) == 0).all()
    assert (kl_divergence(p, q) != kl_divergence(q, p)).all()


def test_entropies_with_zeros():
    assert cross_entropy([1, 0], [1, 0]) == 0 and math.copysign(1, cross_entropy([1, 0], [1, 0])) == 1
    assert kl_divergence([0.5, 0.5, 0], [0.5, 0.5, 0]) == 0
    assert kl_divergence([0, 1], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert cross_entropy([0.5, 0.5], [0, 1]) == np.inf
    assert kl_divergence([0.5, 0.5], [0, 1]) == np.inf
    assert kl_divergence([0.5, 0.5], [1e-320, 1]) == pytest.approx(-0.5 * math.log(1e-320) - math.log(2), rel=1e-6)
    assert isinstance(cross_entropy([0.5, 0.5], [0.5, 0.5]), float)
    assert kl_divergence([[1, 0], [0, 1]], [[1, 0], [1, 0]]).tolist() == [0, np.inf]


def test_cross_entropy_of_labels_is_the_log_loss():
    y, p = np.array([0, 1, 1]), np.array([0.2, 0.9, 0.4])
    each = cross_entropy(np.column_stack([1 - y, y]), np.column_stack([1 - p, p]))
    assert each.mean() == pytest.approx(log_loss(y, p), rel=1e-14)


@pytest.mark.parametrize("function", [cross_entropy, kl_divergence])
@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.6], [0.5, 0.5], "p must .* sum to 1 .* the sum 1.1"),
        ([0.5, 0.5], [0.5, 0.4], "q must .* sum to 1 .* the sum 0.9"),
        ([1.5, -0.5], [0.5, 0.5], "p must hold shares >= 0 .* the least is -0.5"),
        ([0.5, 0.5], [1.0], r"\(2,\) and \(1,\)"),
        ([], [], "n_outcomes"),
        (1.0, 1.0, "n_outcomes"),
    ],
)
def test_entropies_refuse(function, p, q, message):
    with pytest.raises(ValueError, match=message):
        function(p, q)


# -- Newton's method for a root ---------------------------------------------------------------------------------
def test_newton_root_doubles_its_digits():
    walk = list(newton_root(lambda x: x**2 - 2, lambda x: 2 * x, 1.0))
    assert walk[:3] == [1.0, 1.5, pytest.approx(17 / 12, rel=1e-15)]
    errors = np.abs(np.array(walk[:5]) - math.sqrt(2))
    np.testing.assert_allclose(errors[1:] / errors[:-1] ** 2, 1 / (2 * np.array(walk[:4])), rtol=1e-3)
    assert walk[-1] == pytest.approx(math.sqrt(2), rel=1e-15)


@given(st.floats(-3, 3), st.floats(0.5, 2))
def test_newton_root_is_scipys(root, stretch):
    f, df = (lambda x: math.sinh(stretch * (x - root))), (lambda x: stretch * math.cosh(stretch * (x - root)))
    *_, ours = newton_root(f, df, root + 0.5)
    assert ours == pytest.approx(scipy.optimize.newton(f, root + 0.5, df, tol=1e-14), abs=1e-10)


def test_newton_root_that_circles_ends_after_max_iter():
    walk = list(newton_root(lambda x: x**3 - 2 * x + 2, lambda x: 3 * x**2 - 2, 0.0, max_iter=7))
    assert walk == [0, 1, 0, 1, 0, 1, 0, 1]


def test_newton_root_at_the_root_and_on_flat_ground():
    assert list(newton_root(lambda x: x, lambda x: 1.0, 0.0)) == [0.0]
    assert list(newton_root(lambda x: x - 1, lambda x: 1.0, 0.0, max_iter=0)) == [0.0]
    with pytest.raises(ValueError, match="x = 0 has height 1 and slope 0"):
        list(newton_root(lambda x: x**2 + 1, lambda x: 2 * x, 0.0))
    with pytest.raises(ValueError, match="meets the axis nowhere"):
        list(newton_root(math.atan, lambda x: 1 / (1 + x * x), 2.0))  # runs away, faster and faster


@pytest.mark.parametrize(
    ("f", "df", "message"),
    [
        (lambda x: None, math.cos, r"got None for f\(2\)"),
        (math.cos, lambda x: "steep", r"df\(2\) must be numeric"),
        (lambda x: [x, x], math.cos, r"f\(2\) must be a single number"),
        (lambda x: math.nan, math.cos, r"f\(2\) contains NaN"),
    ],
)
def test_newton_root_refuses(f, df, message):
    with pytest.raises(ValueError, match=message):
        list(newton_root(f, df, 2.0))


# -- the core: losses, gradient, Hessian, Newton's step ----------------------------------------------------------
class Objective:
    """J of the summed loss as a function of θ alone, put together from the core's formulas."""

    def __init__(self, X, y, alpha=0.0, weights=None):
        self.X, self.y = np.column_stack([X, np.ones(len(X))]), np.asarray(y, dtype=float)
        self.weights = np.ones(len(y)) if weights is None else weights
        self.alpha = np.append(np.full(self.X.shape[1] - 1, float(alpha)), 0.0)

    def value(self, theta):
        return self.weights @ row_losses(self.X @ theta, self.y) + 0.5 * self.alpha @ np.square(theta)

    def gradient(self, theta):
        return gradient(theta, sigmoid(self.X @ theta), self.X, self.y, self.weights, self.alpha)

    def hessian(self, theta):
        return hessian(sigmoid(self.X @ theta), self.X, self.weights, self.alpha)

    def step(self, theta):
        g = sigmoid(self.X @ theta)
        return newton_step(self.gradient(theta), g, self.X, self.weights, self.alpha)


@given(seeds, st.sampled_from([0.0, 0.7]))
@settings(max_examples=25)
def test_objective_gradient_and_hessian(seed, alpha):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, n=15, d=2)
    weights = rng.integers(0, 3, size=15).astype(float)
    weights[0] = 1
    objective, theta = Objective(X, y, alpha, weights), rng.normal(size=3)
    p = scipy.special.expit(X @ theta[:2] + theta[2])
    by_hand = alpha / 2 * np.sum(theta[:2] ** 2) - sum(
        weight * math.log(p_i if y_i else 1 - p_i) for weight, y_i, p_i in zip(weights, y, p)
    )
    assert objective.value(theta) == pytest.approx(by_hand, rel=1e-9)
    np.testing.assert_allclose(
        objective.gradient(theta), numerical_gradient(objective.value, theta), rtol=1e-6, atol=1e-6
    )
    H = objective.hessian(theta)
    np.testing.assert_allclose(H, numerical_hessian(objective.value, theta), rtol=1e-4, atol=1e-4)
    assert np.linalg.eigvalsh(H).min() > -1e-12
    np.testing.assert_allclose(H @ objective.step(theta), -objective.gradient(theta), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n", [5, 1024, 1025, 5000])
def test_hessian_does_not_depend_on_its_blocks(n):
    X, y = overlapping(1, n=n)
    theta = np.array([0.3, -0.2, 0.5, 0.1])
    X1 = np.column_stack([X, np.ones(n)])
    p = scipy.special.expit(X1 @ theta)
    expected = (X1.T * (p * (1 - p))) @ X1
    np.testing.assert_allclose(Objective(X, y).hessian(theta), expected, rtol=1e-11)


def test_losses_and_slopes_at_scores_of_ten_thousand():
    objective = Objective(np.array([[1e4], [-1e4], [1e4]]), [1, 0, 0])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert objective.value(np.array([1.0, 0.0])) == 1e4
        assert objective.gradient(np.array([1.0, 0.0])).tolist() == [1e4, 1.0]
        assert np.isfinite(objective.hessian(np.array([1.0, 0.0]))).all()


def test_far_points_raise_no_floating_point_error():
    X, y = overlapping(0)
    model = LogisticRegression().fit(X, y)
    with np.errstate(all="raise"):
        assert sigmoid([-1e4, 1e4]).tolist() == [0, 1]
        assert logistic_loss([0, 1], [-800.0, 800.0]).tolist() == [0, 0]
        assert model.predict_proba(1e6 * X).sum(axis=1) == pytest.approx(1)
        assert np.isfinite(model.predict_log_proba(1e6 * X)).all()


# -- LogisticRegression: the right answer -----------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_newton_is_scikit_learn_to_six_digits(alpha, seed):
    X, y = overlapping(seed, n=200, d=4)
    ours, theirs = LogisticRegression(alpha=alpha).fit(X, y), scikit_learn(X, y, alpha).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], rtol=1e-6, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert ours.status_ == "converged" and ours.n_iter_ < 15


def test_real_data_in_raw_units():
    cancer = load_breast_cancer()
    X, y = cancer.data, cancer.target
    ours = LogisticRegression(alpha=1.0).fit(X, y)
    theirs = scikit_learn(X, y, 1.0, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], rtol=1e-6, atol=1e-6)
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_weighted_rows_are_scikit_learns(alpha):
    X, y = overlapping(5, n=150)
    weights = np.random.default_rng(5).uniform(0.1, 4, size=150)
    ours, theirs = LogisticRegression(alpha=alpha).fit(X, y, weights), scikit_learn(X, y, alpha).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], rtol=1e-6, atol=1e-6)


def test_gradient_descent_finds_the_same():
    X, y = overlapping(2, n=150)
    exact = LogisticRegression().fit(X, y)
    walked = LogisticRegression(solver="gd", tol=1e-9, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(walked.coef_, exact.coef_, rtol=1e-6, atol=1e-6)
    assert walked.intercept_ == pytest.approx(exact.intercept_, rel=1e-6, abs=1e-6)
    assert walked.status_ == "converged" and walked.n_iter_ > 3 * exact.n_iter_


def test_the_tolerance_of_gradient_descent_is_relative_to_the_start():
    """Features a hundred times as large make all gradients so too; the walk takes as many steps."""
    X, y = overlapping(2, n=60)
    X, y = np.vstack([X, -X]), np.append(y, 1 - y)  # the intercept stays 0: it alone has no unit
    small, large = (LogisticRegression(solver="gd", alpha=0).fit(unit * X, y) for unit in (100.0, 10_000.0))
    assert small.n_iter_ == large.n_iter_ > 10 and small.status_ == large.status_ == "converged"
    np.testing.assert_allclose(small.coef_, 100 * large.coef_, rtol=1e-8)


def test_gradient_descent_with_a_repeated_feature_shares_the_weight():
    X, y = overlapping(4, n=60, d=2)
    alone = LogisticRegression(solver="gd", alpha=0, tol=1e-9, max_iter=100_000).fit(X, y)
    twice = LogisticRegression(solver="gd", alpha=0, tol=1e-9, max_iter=100_000).fit(X[:, [0, 0, 1]], y)
    assert twice.status_ == "converged"
    np.testing.assert_allclose(twice.coef_, alone.coef_[[0, 0, 1]] / [2, 2, 1], rtol=1e-5)


def test_stochastic_gradient_descent_comes_near():
    X, y = overlapping(2, n=150)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    exact = LogisticRegression().fit(X, y)
    walked = LogisticRegression(solver="sgd", random_state=0).fit(X, y)
    np.testing.assert_allclose(walked.predict_proba(X), exact.predict_proba(X), atol=0.02)
    assert walked.status_ == "converged"


@given(seeds, st.floats(0.3, 3))
@settings(max_examples=10)
def test_it_is_the_mode_of_the_posterior_under_a_gaussian_prior(seed, sigma):
    X, y = overlapping(seed, n=40, d=2)

    def minus_log_posterior(theta):
        likelihood = scipy.stats.bernoulli.logpmf(y, scipy.special.expit(X @ theta[:2] + theta[2])).sum()
        return -likelihood - scipy.stats.norm.logpdf(theta[:2], scale=sigma).sum()

    model = LogisticRegression(alpha=1 / sigma**2).fit(X, y)
    mode = scipy.optimize.minimize(minus_log_posterior, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose([*model.coef_, model.intercept_], mode, rtol=1e-3, atol=1e-4)


def test_first_newton_step_is_a_least_squares_fit_and_the_next_a_weighted_one():
    X, y = overlapping(7, n=60, d=2)
    X1 = np.column_stack([X, np.ones(60)])
    first, second = snapshots(LogisticRegression(alpha=0).iter_fit(X, y))[:2]
    theta = np.linalg.lstsq(X1, 4 * (y - 0.5), rcond=None)[0]  # at θ = 0 every weight is ¼
    np.testing.assert_allclose([*first.coef_, first.intercept_], theta, rtol=1e-7)
    p = scipy.special.expit(X1 @ theta)
    root = np.sqrt(p * (1 - p))
    response = X1 @ theta + (y - p) / (p * (1 - p))
    theta = np.linalg.lstsq(X1 * root[:, None], response * root, rcond=None)[0]
    np.testing.assert_allclose([*second.coef_, second.intercept_], theta, rtol=1e-7)


@given(seeds)
@settings(max_examples=25)
def test_predicted_and_observed_totals_agree_without_a_penalty_on_the_intercept(seed):
    X, y = overlapping(seed)
    model = LogisticRegression(alpha=2.0).fit(X, y)
    residual = y - model.predict_proba(X)[:, 1]
    assert residual.sum() == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(X.T @ residual, 2.0 * model.coef_, atol=1e-5)


def test_two_by_two_table_has_the_log_odds_ratio_as_its_weight():
    # x = 0: 3 of 10 positive; x = 1: 8 of 10 positive
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    y = np.array([1] * 3 + [0] * 7 + [1] * 8 + [0] * 2)
    model = LogisticRegression(alpha=0).fit(X, y)
    assert model.intercept_ == pytest.approx(math.log(3 / 7), rel=1e-9)
    assert model.coef_[0] == pytest.approx(math.log((8 / 2) / (3 / 7)), rel=1e-9)


# -- LogisticRegression: invariants -----------------------------------------------------------------------------
@given(seeds, st.sampled_from([0.0, 0.5]), st.sampled_from(["newton", "gd"]))
@settings(max_examples=40)
def test_no_step_raises_the_loss(seed, alpha, solver):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 40), rng.integers(1, 6)
    X = rng.standard_t(1, size=(n, d)) if solver == "newton" else rng.normal(size=(n, d))
    y = rng.integers(0, 2, size=n)
    y[:2] = 0, 1
    objective = Objective(X, y, alpha)
    values = [n * math.log(2)] + [
        objective.value(np.append(model.coef_, model.intercept_))
        for model in LogisticRegression(solver=solver, alpha=alpha, max_iter=100).iter_fit(X, y)
    ]
    assert np.diff(values).max() <= 1e-9 * n


def test_damping_saves_newton_where_full_steps_diverge():
    rng = np.random.default_rng((5, 40, 195))
    X = np.round(rng.standard_t(1, size=(40, 5)), 1)
    u = rng.random(40)
    y = (u < sigmoid(np.clip(X @ rng.normal(size=5) * rng.choice([0.3, 1, 3]), -8, 8) - rng.choice([0, 2]))).astype(int)
    objective = Objective(X, y)
    values = []
    with contextlib.suppress(ValueError):  # it may run into a place where the Hessian vanishes
        for theta in newton(objective.gradient, objective.hessian, np.zeros(6), max_iter=100):
            values.append(objective.value(theta))
    assert max(values) > 2 * values[0]
    model = LogisticRegression(alpha=0).fit(X, y)
    assert model.status_ == "converged"
    gradient = objective.gradient(np.append(model.coef_, model.intercept_))
    np.testing.assert_allclose(gradient / np.abs(objective.X).sum(axis=0), 0, atol=1e-7)


@given(seeds, st.sampled_from([0.0, 1.0]))
@settings(max_examples=15)
def test_exchanging_the_classes_turns_the_sign(seed, alpha):
    X, y = overlapping(seed)
    one, other = (LogisticRegression(alpha=alpha).fit(X, target) for target in (y, 1 - y))
    np.testing.assert_allclose(one.coef_, -other.coef_, rtol=1e-7, atol=1e-9)
    assert one.intercept_ == pytest.approx(-other.intercept_, rel=1e-7, abs=1e-9)


@given(seeds)
@settings(max_examples=15)
def test_row_order_does_not_matter(seed):
    X, y = overlapping(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = LogisticRegression().fit(X, y), LogisticRegression().fit(X[order], y[order])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6, atol=1e-7)


@given(seeds, st.sampled_from([0.0, 1.0]))
@settings(max_examples=15)
def test_weights_are_repetitions(seed, alpha):
    X, y = overlapping(seed)
    times = np.random.default_rng(seed).integers(0, 4, size=len(X))
    times[:2] = 1
    one = quiet_fit(LogisticRegression(alpha=alpha), X, y, times)
    other = quiet_fit(LogisticRegression(alpha=alpha), np.repeat(X, times, axis=0), np.repeat(y, times))
    assert one.status_ == other.status_
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


@given(seeds)
@settings(max_examples=15)
def test_units_and_origin_of_the_features(seed):
    X, y = overlapping(seed)
    units = 10.0 ** np.random.default_rng(seed).integers(-8, 9, size=3)
    plain, scaled = LogisticRegression(alpha=0).fit(X, y), LogisticRegression(alpha=0).fit(X * units, y)
    np.testing.assert_allclose(scaled.coef_ * units, plain.coef_, rtol=1e-6, atol=1e-9)
    moved = LogisticRegression(alpha=3.0).fit(X + [10.0, -200.0, 3000.0], y)
    np.testing.assert_allclose(moved.coef_, LogisticRegression(alpha=3.0).fit(X, y).coef_, rtol=1e-6, atol=1e-8)


def test_more_penalty_means_smaller_weights():
    X, y = overlapping(4)
    norms = [np.linalg.norm(LogisticRegression(alpha=alpha).fit(X, y).coef_) for alpha in (0, 0.1, 1, 10, 100, 1e6)]
    assert np.all(np.diff(norms) < 0)
    assert norms[-1] < 1e-3


# -- LogisticRegression: classes that can be separated ----------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_complete_separation_is_named_and_ends(seed):
    X, y, _ = separable(seed)
    with pytest.warns(SeparationWarning, match="rises for ever.*set alpha > 0") as caught:
        model = LogisticRegression(alpha=0).fit(X, y)
    assert caught[0].filename == __file__
    assert model.status_ == "separable" and model.score(X, y) == 1
    assert np.isfinite(model.coef_).all() and model.n_iter_ < 60
    p = model.predict_proba(X)
    assert np.isfinite(p).all() and np.abs(p[:, 1] - y).max() < 1e-6
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_a_faint_penalty_is_not_taken_for_none():
    """Features of 1e10 leave of alpha = 1 no more than 1e-20 for a standardised weight."""
    X, y, _ = separable(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeparationWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(alpha=1.0).fit(1e10 * X, y)
    assert model.status_ != "separable" and model.score(1e10 * X, y) == 1


def test_the_norm_grows_with_every_step_on_separable_data():
    X, y, _ = separable(1)
    norms = [np.linalg.norm(model.coef_) for model in LogisticRegression(alpha=0).iter_fit(X, y)]
    assert np.all(np.diff(norms) > 0) and norms[-1] > 5 * norms[3]


def test_quasi_complete_separation():
    # touching at 0, where both classes occur; and a feature that only the positive class has
    touching = np.array([[-2.0], [-1.0], [0.0], [0.0], [1.0], [2.0]]), np.array([0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(0)
    flag = np.column_stack([rng.normal(size=100), np.arange(100) < 10])
    flagged = flag, np.where(flag[:, 1] == 1, 1, rng.integers(0, 2, size=100))
    for X, y in (touching, flagged):
        with pytest.warns(SeparationWarning):
            model = LogisticRegression(alpha=0).fit(X, y)
        assert model.status_ == "separable" and model.n_iter_ < 40
        assert np.isfinite(model.predict_proba(X)).all()
    assert model.predict_proba(flag[:10])[:, 1].min() > 1 - 1e-6
    # the other rows are fitted as if they were alone
    alone = LogisticRegression(alpha=0).fit(flag[10:, :1], flagged[1][10:])
    np.testing.assert_allclose(model.predict_proba(flag[10:]), alone.predict_proba(flag[10:, :1]), atol=1e-6)


def test_overlap_by_a_hair_is_not_separation():
    x = np.concatenate([np.linspace(-1, -0.01, 10), [-0.001], np.linspace(0.01, 1, 10), [0.001]])
    y = np.array([0] * 10 + [1] + [1] * 10 + [0])
    model = LogisticRegression(alpha=0).fit(x[:, None], y)
    assert model.status_ == "converged"
    theta = np.append(model.coef_, model.intercept_)
    np.testing.assert_allclose(Objective(x[:, None], y).gradient(theta), 0, atol=1e-6)


@given(seeds)
@settings(max_examples=30)
def test_separation_is_reported_exactly_when_linear_programming_finds_it(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(12, 2)).astype(float), rng.integers(0, 2, size=12)
    y[:2] = 0, 1
    rows = (2 * y - 1)[:, None] * np.column_stack([X, np.ones(12)])
    # the largest total margin of a θ in the unit box that gives no row a negative one: positive means separable
    best = scipy.optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(12), bounds=[(-1, 1)] * 3)
    model = quiet_fit(LogisticRegression(alpha=0), X, y)
    assert (model.status_ == "separable") == (-best.fun > 1e-9)


def test_separable_for_gradient_descent_and_with_zero_weights():
    X, y, _ = separable(2)
    assert quiet_fit(LogisticRegression(alpha=0, solver="gd"), X, y).status_ == "separable"
    X, y = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])
    assert LogisticRegression(alpha=0).fit(X, y).status_ == "converged"
    assert quiet_fit(LogisticRegression(alpha=0), X, y, np.append(np.ones(40), 0)).status_ == "separable"


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1.0])
def test_any_penalty_makes_the_answer_finite_and_right(alpha):
    X, y, _ = separable(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(alpha=alpha).fit(X, y)
    theirs = scikit_learn(X, y, alpha, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_[0], rtol=1e-4)


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.arange(20) % 2
    ours, theirs = LogisticRegression(alpha=0.5).fit(X, y), scikit_learn(X, y, 0.5).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], atol=1e-6)
    assert quiet_fit(LogisticRegression(alpha=0), X, y).status_ == "separable"


# -- LogisticRegression: edges ----------------------------------------------------------------------------------
@pytest.mark.parametrize("model", [LogisticRegression(), Perceptron(), LogisticRegression(solver="gd")], ids=repr)
def test_one_class_and_three_classes(model):
    with pytest.raises(ValueError, match=r"at least 2 classes, but y holds only one class: .*7"):
        model.fit([[1.0], [2.0]], [7, 7])
    with pytest.raises(ValueError, match=r"Only binary.*got 3 classes.*SoftmaxRegression \(chapter 4\)"):
        model.fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    with pytest.raises(ValueError, match="as large as 1e\\+200.*rescale X"):
        model.fit([[1e200], [2.0]], [0, 1])


def test_all_weight_on_one_class():
    with pytest.raises(ValueError, match="zero for every row of one class"):
        LogisticRegression().fit([[1.0], [2.0], [3.0]], [0, 1, 1], [0, 1, 1])


@pytest.mark.parametrize("solver", ["newton", "gd"])
def test_constant_and_repeated_columns(solver):
    X, y = overlapping(8, n=60, d=2)
    plain = LogisticRegression(alpha=0, solver=solver, tol=1e-9, max_iter=100_000).fit(X, y)
    wide = np.column_stack([X, np.full(60, 0.1), X[:, 0]])
    model = LogisticRegression(alpha=0, solver=solver, tol=1e-9, max_iter=100_000).fit(wide, y)
    np.testing.assert_allclose(model.predict_proba(wide), plain.predict_proba(X), atol=1e-6)
    assert model.coef_[0] == pytest.approx(model.coef_[3], abs=1e-5)


def test_equal_rows_with_different_labels():
    X, y = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [2.0]]), np.array([0, 0, 1, 1, 1, 0])
    model = LogisticRegression(alpha=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1.0], [2.0]])[:, 1], [1 / 3, 2 / 3], rtol=1e-8)


def test_nothing_to_learn_gives_one_half_at_once():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    for solver in ("newton", "gd"):
        assert len(list(LogisticRegression(solver=solver).iter_fit(X, y))) == 1
        model = LogisticRegression(solver=solver).fit(X, y)
        assert model.n_iter_ == 0 and model.status_ == "converged"
        assert (model.predict_proba(X) == 0.5).all()
        assert model.predict(X).tolist() == [0, 0, 0, 0]  # a tie goes to classes_[0]


@pytest.mark.parametrize("model", [LogisticRegression(), Perceptron(max_iter=20, random_state=0)], ids=repr)
def test_kinds_of_labels(model):
    X, y, _ = separable(6)
    expected = quiet_fit(model, X, y).predict(X)
    words = np.array(["no", "yes"])
    assert (quiet_fit(model, X, words[y]).predict(X) == words[expected]).all()
    assert (quiet_fit(model, X, y.astype(bool)).predict(X) == expected.astype(bool)).all()
    assert (quiet_fit(model, X, 2.0 * y - 1).predict(X) == 2 * expected - 1).all()


def test_probabilities_of_extreme_rows():
    model = LogisticRegression().fit([[-1.0], [1.0]], [0, 1])
    far = np.array([[1e4], [-1e4]]) / model.coef_[0]
    assert model.decision_function(far).tolist() == [1e4, -1e4]
    assert model.predict_proba(far).tolist() == [[0, 1], [1, 0]]
    assert model.predict_log_proba(far).tolist() == [[-1e4, 0], [0, -1e4]]
    near = np.linspace(-5, 5, 11)[:, None]
    p = model.predict_proba(near)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_allclose(np.log(p), model.predict_log_proba(near), atol=1e-12)
    np.testing.assert_allclose(scipy.special.logit(p[:, 1]), model.decision_function(near), rtol=1e-10, atol=1e-12)


# -- LogisticRegression: step by step ---------------------------------------------------------------------------
@pytest.mark.parametrize("solver", ["newton", "gd", "sgd"])
def test_iter_fit_yields_the_model_ready_to_predict(solver):
    X, y = overlapping(1, n=20)
    model, count = LogisticRegression(solver=solver, max_iter=4, tol=0, random_state=0), 0
    for state in model.iter_fit(X, y):
        count += 1
        assert state is model and state.status_ == "running"
        assert np.isfinite(state.predict_proba(X)).all()
        assert state.n_iter_ == (count if solver != "sgd" else math.ceil(count / 20))
    assert count == (80 if solver == "sgd" else 4) and model.status_ == "stopped"
    again = quiet_fit(LogisticRegression(solver=solver, max_iter=4, tol=0, random_state=0), X, y)
    assert (again.coef_ == model.coef_).all() and again.intercept_ == model.intercept_


def test_gradient_step_by_hand():
    X, y = overlapping(1, n=20, d=2)
    model = LogisticRegression(solver="gd", alpha=0.6, learning_rate=0.3, max_iter=2)
    theta = np.zeros(3)
    X1 = np.column_stack([X, np.ones(20)])
    for state in model.iter_fit(X, y):
        gradient = X1.T @ (scipy.special.expit(X1 @ theta) - y) + 0.6 * np.append(theta[:2], 0)
        theta = theta - 0.3 * gradient / 20
        np.testing.assert_allclose([*state.coef_, state.intercept_], theta, rtol=1e-12)


def test_a_fit_that_stops_early_says_so():
    X, y = overlapping(1)
    with pytest.warns(ConvergenceWarning, match=r"'gd' stopped at n_iter_ = 3 .* use solver='newton'") as caught:
        LogisticRegression(solver="gd", max_iter=3).fit(X, y)
    assert caught[0].filename == __file__
    # a feature in tiny units hardly moves; to call that converged would be wrong
    tiny = X * [1e-8, 1, 1]
    assert quiet_fit(LogisticRegression(solver="gd", alpha=0), tiny, y).status_ == "stopped"


def test_a_learning_rate_that_is_too_large():
    X, y = overlapping(1)
    with pytest.raises(DivergenceError, match="learning_rate=1e\\+10 is too large"):
        LogisticRegression(solver="gd", alpha=1.0, learning_rate=1e10).fit(X, y)


def test_randomness_comes_from_random_state_alone():
    X, y = overlapping(1, n=30)

    def coefficients(seed):
        return quiet_fit(LogisticRegression(solver="sgd", max_iter=3, random_state=seed), X, y).coef_

    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert (coefficients(3) == coefficients(3)).all()
    assert (coefficients(3) == coefficients(np.random.default_rng(3))).all()
    assert (coefficients(3) != coefficients(4)).any()
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


UNITS = [1e-200, 1e-6, 1e-3, 1.0, 1e3, 1e6]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("rate", [None, 0.05, lambda step: 1 / (1 + step)], ids=["chosen", "constant", "falling"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_a_walk_reaches_the_minimum_or_says_that_it_did_not(solver, alpha, rate, unit):
    """One feature in another unit than the rest: "converged" must mean the weights of Newton's method, to 2 %."""
    X, y = overlapping(1, n=100)
    X = X * [unit, 1.0, 1.0]
    spread = np.maximum(np.abs(X - X.mean(axis=0)).max(axis=0), 1e-300)
    exact = LogisticRegression(alpha=alpha).fit(X, y)
    model = LogisticRegression(solver=solver, alpha=alpha, learning_rate=rate, max_iter=60, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except DivergenceError as error:
            assert "too large" in str(error)
            return
    if model.status_ == "converged":
        assert not caught
        off = np.abs(model.coef_ - exact.coef_) * spread
        assert off.max() <= 0.02 * np.abs(exact.coef_ * spread).max()
    else:
        assert [w.category for w in caught] == [ConvergenceWarning]
        assert "standardise the features" in str(caught[0].message) and "learning_rate" in str(caught[0].message)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_walks_on_features_of_one_size_do_converge(alpha):
    """The check of the end must not cry wolf; nor does a constant column, which has no curvature, disturb it."""
    for seed in range(5):
        y = overlapping(seed, n=150)[1]
        X = np.random.default_rng(seed).normal(size=(150, 3)) + 0.3 * (2 * y - 1)[:, np.newaxis]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert LogisticRegression(solver="sgd", alpha=alpha, random_state=0).fit(X, y).status_ == "converged"
            X = np.column_stack([X, np.ones(150)])
            assert LogisticRegression(solver="gd", alpha=alpha).fit(X, y).status_ == "converged"


@pytest.mark.parametrize(
    ("moved", "by", "n_samples", "near"),
    [
        (1, 0.002, 100, True),
        (0, 0.05, 10, False),  # below a tenth of its standard error, but over 1 % of the largest weight
        (1, 0.015, 10**8, False),  # below 1 % of the largest weight, but over 1 % of its own and of noise
        (1, 0.015, 100, True),  # the same, but noise explains it
        (0, 0.015, 10**8, True),  # within 1 % of itself
    ],
)
def test_what_counts_as_arrived(moved, by, n_samples, near):
    """Weights 3 and 0.05 exactly at the minimum: the labels come as shares, two rows for each x."""
    x = np.random.default_rng(0).normal(size=(500, 2))
    p = scipy.special.expit(x @ [3.0, 0.05])
    objective = Objective(np.vstack([x, x]), np.repeat([1, 0], 500), 0.0, np.concatenate([p, 1 - p]) / 500)
    theta = np.array([3.0, 0.05, 0.0])
    assert np.abs(objective.gradient(theta)).max() < 1e-12
    errors = 1 / np.sqrt(n_samples * np.diag(objective.hessian(theta)))
    theta[moved] += by
    allowed = min(0.03, 0.01 * [3.0, 0.05][moved] + 0.1 * errors[moved])
    assert (by < allowed) == near  # not on the brink: the table above says what it means to say
    problem = LinearProblem(objective.X, objective.weights, n_samples, objective.alpha, np.zeros(2), np.ones(2))
    assert logistic_regression._arrived(theta, problem, objective.y) == near


def test_a_walk_far_out_where_the_loss_is_straight_has_not_converged():
    """A first step so large that every probability rounds to 0 or 1: no slope is seen any more, but J is not least."""
    X, y = overlapping(3)
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(solver="sgd", alpha=0, learning_rate=1e6, tol=10, random_state=0).fit(X, y)
    assert model.status_ == "stopped" and model.n_iter_ == 1
    assert np.abs(model.decision_function(X)).min() > 1000


@pytest.mark.parametrize("model", [LogisticRegression(), Perceptron()], ids=repr)
def test_a_row_too_far_away_is_refused(model):
    model.fit([[-2.0, 1.0], [-1.0, 2.0], [1.0, -3.0], [2.0, -1.0]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="Numbers beyond 1e100 are refused"):
        model.predict([[1.7e308, 1.7e308]])


# -- the perceptron ---------------------------------------------------------------------------------------------
def perceptron_by_hand(X, y, max_iter, seed):
    """The loop over rows that the definition describes; returns every θ on its way."""
    rng, theta, path = np.random.default_rng(seed), np.zeros(X.shape[1] + 1), []
    for _ in range(max_iter):
        mistakes = 0
        for i in rng.permutation(len(X)):
            x, s = np.append(X[i], 1.0), 1 if y[i] == 1 else -1
            if s * (theta @ x) <= 0:
                theta = theta + s * x
                path.append(theta)
                mistakes += 1
        if mistakes == 0:
            break
    return path


@given(seeds, st.booleans())
@settings(max_examples=25)
def test_perceptron_is_the_loop_of_its_definition(seed, can_be_separated):
    X, y = separable(seed, n=90)[:2] if can_be_separated else overlapping(seed, n=90)
    path = perceptron_by_hand(X, y, 6, seed)
    states = snapshots(Perceptron(max_iter=6, random_state=seed).iter_fit(X, y))
    assert len(states) == len(path) == states[-1].n_updates_
    for state, theta in zip(states, path):
        np.testing.assert_allclose([*state.coef_, state.intercept_], theta, rtol=1e-9, atol=1e-12)


def test_perceptron_worked_example():
    # (x, 1)·s are (1, 1), (2, 1), (1, -1): in this order θ = (1, 1) fails at the third row, (2, 0) is right everywhere
    rows = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0])
    for order_seed in range(6):
        model = Perceptron(random_state=order_seed).fit(*rows)
        assert model.status_ == "converged" and model.score(*rows) == 1
        assert (model.coef_[0], model.intercept_) in {(1.0, -1.0), (2.0, 0.0), (3.0, 0.0), (1.0, 1.0), (2.0, 1.0)}
        assert 1 <= model.n_updates_ <= 3


@given(seeds, st.floats(0.05, 0.5))
@settings(max_examples=30)
def test_mistake_bound(seed, gap):
    X, y, theta = separable(seed, gap=gap)
    X1 = np.column_stack([X, np.ones(len(X))])
    margin = ((2 * y - 1) * (X1 @ theta)).min()
    assert margin >= gap * 0.999
    model = Perceptron(max_iter=100_000, random_state=seed).fit(X, y)
    assert model.n_updates_ <= (np.linalg.norm(X1, axis=1).max() / margin) ** 2
    assert model.status_ == "converged" and model.score(X, y) == 1


def test_perceptron_without_a_separating_line():
    X, y = overlapping(0)
    with pytest.warns(ConvergenceWarning, match="mistakes in pass 12.*pocket=True") as caught:
        model = Perceptron(max_iter=12, random_state=0).fit(X, y)
    assert caught[0].filename == __file__
    assert model.status_ == "stopped" and model.n_iter_ == 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Perceptron(pocket=True, max_iter=12, random_state=0).fit(X, y).status_ == "stopped"


@given(seeds)
@settings(max_examples=20)
def test_pocket_keeps_the_best_line_the_perceptron_saw(seed):
    X, y = overlapping(seed, n=40)
    seen = [model.score(X, y) for model in Perceptron(max_iter=5, random_state=seed).iter_fit(X, y)]
    kept = [model.score(X, y) for model in Perceptron(max_iter=5, pocket=True, random_state=seed).iter_fit(X, y)]
    np.testing.assert_allclose(kept, np.maximum.accumulate(seen))
    model = Perceptron(max_iter=5, pocket=True, random_state=seed).fit(X, y)
    assert model.score(X, y) == max(seen)
    assert model.n_errors_ == round((1 - model.score(X, y)) * 40)


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
def test_pocket_keeps_the_first_of_equally_good_lines(seed):
    X, y = overlapping(seed, n=40)
    path = perceptron_by_hand(X, y, 8, seed)
    errors = [int(np.sum((X @ theta[:-1] + theta[-1] > 0) != y)) for theta in path]
    assert errors.count(min(errors)) > 1
    model = Perceptron(max_iter=8, pocket=True, random_state=seed).fit(X, y)
    np.testing.assert_allclose([*model.coef_, model.intercept_], path[int(np.argmin(errors))], rtol=1e-9)


@pytest.mark.parametrize("place", [0, 1, 31, 32, 95, 96, 97, 299])
def test_the_search_for_mistakes_leaves_no_row_out(place):
    """One row that alone says something, at each place in turn: blocks of 32, 64, ... must join without a gap."""
    X, y = np.zeros((300, 2)), np.zeros(300, dtype=int)
    X[:, 0], X[place], y[place] = -1.0, [0.0, 3.0], 1
    for seed in range(3):
        path = perceptron_by_hand(X, y, 50, seed)
        model = Perceptron(max_iter=50, random_state=seed).fit(X, y)
        assert model.status_ == "converged" and model.n_updates_ == len(path)
        np.testing.assert_allclose([*model.coef_, model.intercept_], path[-1], rtol=1e-12)


def test_pocket_on_small_whole_numbers_where_rows_lie_on_the_line():
    X = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=2)))
    y = np.array([0, 0, 1, 0, 1, 0, 1, 1, 1])
    seen = [model.score(X, y) for model in Perceptron(max_iter=30, random_state=1).iter_fit(X, y)]
    model = Perceptron(max_iter=30, pocket=True, random_state=1).fit(X, y)
    assert model.score(X, y) == max(seen) == pytest.approx(1 - model.n_errors_ / 9)


def test_pocket_solves_xor_as_well_as_a_line_can():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    model = Perceptron(pocket=True, random_state=0).fit(X, y)
    assert model.n_errors_ == 1 and model.score(X, y) == 0.75


def test_perceptron_and_contradictions():
    X, y = [[1.0], [1.0], [1.0]], [0, 1, 1]
    assert quiet_fit(Perceptron(random_state=0, max_iter=5), X, y).status_ == "stopped"
    assert Perceptron(pocket=True, random_state=0, max_iter=5).fit(X, y).n_errors_ == 1


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_perceptron_in_other_units(scale):
    X, y, _ = separable(2, n=20, gap=0.3)
    model = quiet_fit(Perceptron(pocket=True, max_iter=20, random_state=0), X * scale, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.decision_function(X * scale)).all()


def test_perceptron_is_repeatable_and_stops_after_a_clean_pass():
    X, y, _ = separable(9)
    one, two = Perceptron(random_state=5).fit(X, y), Perceptron(random_state=5).fit(X, y)
    assert (one.coef_ == two.coef_).all() and one.n_updates_ == two.n_updates_
    steps = Perceptron(random_state=5).iter_fit(X, y)
    run(steps)
    assert one.n_iter_ >= 2  # the last pass found no mistake


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-8, 1e-20])
def test_a_penalty_heavy_on_tiny_features_does_not_hold_the_intercept(scale):
    """As the features shrink, w must go to 0 and b to the log-odds of the labels."""
    rng = np.random.default_rng(0)
    X, y = scale * rng.normal(size=(200, 2)), (rng.random(200) < 0.935).astype(int)
    model = LogisticRegression().fit(X, y)
    assert model.status_ == "converged"
    assert model.intercept_ == pytest.approx(np.log(y.mean() / (1 - y.mean())), rel=1e-5)


def test_a_tiny_feature_does_not_disturb_the_others():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=200), (rng.random(200) < 0.8).astype(int)
    alone = LogisticRegression().fit(x[:, np.newaxis], y)
    both = LogisticRegression().fit(np.column_stack([x, 1e-7 * rng.normal(size=200)]), y)
    assert both.status_ == "converged"
    assert both.intercept_ == pytest.approx(alone.intercept_, rel=1e-6)
    assert both.coef_[0] == pytest.approx(alone.coef_[0], rel=1e-6)
