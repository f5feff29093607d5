"""Kernel methods against scikit-learn, SciPy's optimiser, explicit feature maps and quadratic programs."""

import math
import pickle
import warnings

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn import svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from mlcore import kernel_methods as km
from mlcore.base import Classifier, ConvergenceWarning, NotFittedError, snapshots
from mlcore.base.members import fold_numbers
from mlcore.constrained_optimization import solve_qp
from mlcore.core.kernel_methods import (
    coefficients,
    duality_gap,
    newton_target,
    objective,
    platt_objective,
    platt_step,
    residuals,
    tube_dual,
)
from mlcore.datasets import load_breast_cancer, load_diabetes, make_moons
from mlcore.kernel_methods import (
    LSSVC,
    SVR,
    KernelLogisticRegression,
    KernelRidge,
    PlattScaling,
    epsilon_insensitive,
    exponential,
    hinge,
    logistic,
    polynomial_features_map,
    rbf_features_map,
    squared,
    zero_one,
)
from mlcore.kernels import polynomial_kernel, rbf_kernel, sigmoid_kernel
from mlcore.support_vector_machines import SVC
from mlcore.verify import numerical_gradient, numerical_hessian

CONFORMANCE_INSTANCES = {
    "KernelRidge": [KernelRidge(), KernelRidge(kernel="poly", coef0=1.0)],
    "LSSVC": [LSSVC(), LSSVC(kernel="linear")],
    "KernelLogisticRegression": [
        KernelLogisticRegression(),
        KernelLogisticRegression(kernel="linear", fit_intercept=True),
    ],
    "SVR": [SVR(), SVR(kernel="linear", epsilon=0.0)],
    "PlattScaling": [PlattScaling(), PlattScaling(LSSVC(kernel="linear"), cv=2)],
}

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.4},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0},
]
CLASSIFIERS = [LSSVC, KernelLogisticRegression, PlattScaling]
MODELS = [KernelRidge, SVR, LSSVC, KernelLogisticRegression]


@pytest.fixture
def rng():
    return np.random.default_rng(18)


def regression(rng, n=60, d=2):
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * rng.normal(size=n)


def classes(rng, n=70, flip=0.1):
    X = rng.normal(size=(n, 2))
    return X, np.where((X[:, 0] * X[:, 1] + 0.3 * X[:, 0] > 0) ^ (rng.random(n) < flip), "yes", "no")


# -- feature maps -----------------------------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4), st.integers(1, 5), st.floats(0.05, 3), st.one_of(st.just(0.0), st.floats(0.01, 4)),
    st.integers(0, 2**32 - 1),
)
def test_polynomial_map_reproduces_the_kernel(d, degree, gamma, coef0, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(7, d)), rng.normal(size=(5, d))
    phi, psi = (polynomial_features_map(A, degree, gamma, coef0) for A in (X, Z))
    K = polynomial_kernel(X, Z, degree, gamma, coef0)
    assert_allclose(phi @ psi.T, K, rtol=1e-10, atol=1e-10 * (1 + np.abs(phi).max() * np.abs(psi).max()))
    assert phi.shape[1] == (math.comb(d + degree, degree) if coef0 > 0 else math.comb(d + degree - 1, degree))


def test_polynomial_map_of_the_notes():
    """Notes C 2.2 with ζ = 2, γ = 3, d = 2: ζ, √(2γζ) x_i, γ x_i², and √2 γ x₁x₂, which the notes leave out."""
    x1, x2 = 0.7, -1.1
    expected = [2, math.sqrt(12) * x1, math.sqrt(12) * x2, 3 * x1**2, math.sqrt(2) * 3 * x1 * x2, 3 * x2**2]
    assert_allclose(polynomial_features_map([[x1, x2]], 2, 3.0, 2.0), [expected])


def test_polynomial_map_has_the_kernels_defaults(rng):
    X = rng.normal(size=(9, 3))
    phi = polynomial_features_map(X)
    assert_allclose(phi @ phi.T, polynomial_kernel(X), rtol=1e-12)


@pytest.mark.parametrize("d, n_terms", [(1, 40), (2, 40), (3, 30)])
def test_rbf_map_converges_to_the_kernel(rng, d, n_terms):
    X = 0.7 * rng.normal(size=(12, d))
    phi = rbf_features_map(X, n_terms, 0.5)
    assert phi.shape == (12, math.comb(d + n_terms - 1, d))
    assert_allclose(phi @ phi.T, rbf_kernel(X, gamma=0.5), atol=1e-8)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6), st.integers(1, 12), st.floats(0.1, 2))
def test_rbf_map_is_the_truncated_series(x, n_terms, gamma):
    x = np.array(x)
    phi = rbf_features_map(x, n_terms, gamma)
    product = np.outer(x, x)
    series = sum((2 * gamma * product) ** k / math.factorial(k) for k in range(n_terms))
    envelope = np.exp(-gamma * np.add.outer(x**2, x**2))
    assert_allclose(phi @ phi.T, envelope * series, rtol=1e-9, atol=1e-12)


def test_rbf_map_far_from_the_origin():
    """exp(-γx²) is 1e-87 at x = 20 and x^k reaches 1e1300; each feature is made from the one before."""
    x = np.array([20.0, 19.9])
    phi = rbf_features_map(x, 1000, 0.5)
    assert_allclose(phi @ phi.T, rbf_kernel(x[:, np.newaxis], gamma=0.5), atol=1e-8)
    assert np.all(np.isfinite(phi))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: polynomial_features_map(np.ones((10, 100)), 5), "too large a table"),
        (lambda: polynomial_features_map([[1e60]], 6), "overflows"),
        (lambda: polynomial_features_map([[1e200]], 2), "1e.200.*rescale X"),
        (lambda: rbf_features_map(np.ones((10, 20)), 40), "too large a table"),
        (lambda: rbf_features_map([np.inf], 3), "infinity"),
    ],
)
def test_maps_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- losses -----------------------------------------------------------------------------------------------------
def test_losses_by_hand():
    y, s = np.array([1, -1, 1, -1]), np.array([2.0, 2.0, 0.0, -0.5])
    assert_array_equal(zero_one(y, s), [0, 1, 1, 0])
    assert_array_equal(hinge(y, s), [0, 3, 1, 0.5])
    assert_array_equal(squared(y, s), [1, 9, 1, 0.25])
    assert_allclose(exponential(y, s), np.exp([-2, 2, 0, -0.5]))
    assert_allclose(logistic(y, s), np.log1p(np.exp([-2, 2, 0, -0.5])))
    assert_allclose(logistic(y, s, base=2)[2], 1.0)
    assert_allclose(epsilon_insensitive([0.0, 1.0, 5.0], [0.05, 2.0, 4.0], 0.1), [0, 0.9, 0.9])


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_every_convex_loss_lies_above_zero_one(scores, seed):
    y = np.random.default_rng(seed).choice([-1.0, 1.0], len(scores))
    for loss in (hinge(y, scores), squared(y, scores), logistic(y, scores, base=2), exponential(y, scores)):
        assert np.all(loss >= zero_one(y, scores) - 1e-12)


def test_the_logistic_loss_neither_overflows_nor_vanishes():
    assert_allclose(logistic([1, -1], [-1e4, -700.0]), [1e4, np.exp(-700)], rtol=1e-12)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: zero_one([0, 1], [1.0, 1.0]), r"\+1 and -1 only, got 0; code the classes first"),
        (lambda: logistic([1, 1], [1.0]), "inconsistent numbers of samples"),
        (lambda: logistic([1], [1.0], base=1.0), "base must be"),
        (lambda: exponential([1], [-1000.0]), "overflows"),
        (lambda: squared([1.0], [1e200]), "score holds values as large as 1e.200"),
        (lambda: epsilon_insensitive([1.0], [1.0], -0.1), "epsilon must be"),
        (lambda: squared([1.0], [np.nan]), "NaN"),
    ],
)
def test_losses_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- kernel ridge -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", KERNELS + [{"kernel": "rbf", "gamma": 30.0}], ids=str)
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_kernel_ridge_against_scikit_learn(rng, options, alpha):
    X, y = regression(rng)
    ours, theirs = (model(alpha=alpha, **options).fit(X, y) for model in (KernelRidge, SklearnKernelRidge))
    new = rng.normal(size=(30, 2))
    assert_allclose(ours.predict(new), theirs.predict(new), rtol=1e-7, atol=1e-8)
    if options["kernel"] == "rbf":
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-8)


def test_kernel_ridge_is_ridge_in_the_features(rng):
    """Ridge without an intercept on the features of the map, and on x itself for the linear kernel."""
    X, y = regression(rng, d=3)
    for options, phi in (
        ({"kernel": "linear"}, X),
        ({"kernel": "poly", "degree": 3, "gamma": 0.7, "coef0": 0.5}, polynomial_features_map(X, 3, 0.7, 0.5)),
    ):
        ridge = SklearnRidge(alpha=0.3, fit_intercept=False, solver="svd").fit(phi, y)
        assert_allclose(KernelRidge(alpha=0.3, **options).fit(X, y).predict(X), ridge.predict(phi), rtol=1e-8)


@pytest.mark.parametrize("alpha", [1e-4, 1e-8, 1e-12, 1e-15, 1e-99])
def test_a_ridge_is_right_or_refused_never_lost_in_rounding(rng, alpha):
    """Pairs of equal points with different targets: as alpha vanishes, the fit goes to the mean of each pair."""
    X, y = np.repeat(np.linspace(-4, 4, 8), 2)[:, np.newaxis], rng.normal(size=16)
    means = np.repeat(y.reshape(8, 2).mean(axis=1), 2)
    labels = np.arange(16) % 2
    if alpha > 1e-13:
        assert_allclose(KernelRidge(alpha=alpha, gamma=1.0).fit(X, y).predict(X), means, atol=1e-3)
        assert np.abs(LSSVC(C=1 / alpha, gamma=1.0).fit(X, labels).decision_function(X)).max() < 1e-3
    else:
        with pytest.raises(ValueError, match="lost in rounding"):
            KernelRidge(alpha=alpha, gamma=1.0).fit(X, y)
        with pytest.raises(ValueError, match="lost in rounding"):
            LSSVC(C=1 / alpha, gamma=1.0).fit(X, labels)


def test_kernel_ridge_on_real_data():
    data = load_diabetes()
    ours = KernelRidge(alpha=0.1, gamma=5.0).fit(data.data, data.target)
    theirs = SklearnKernelRidge(alpha=0.1, kernel="rbf", gamma=5.0).fit(data.data, data.target)
    assert_allclose(ours.predict(data.data), theirs.predict(data.data), rtol=1e-8)


# -- LSSVC ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_lssvc_solves_its_bordered_system(rng, options, C):
    X, y = classes(rng)
    signs = np.where(y == "yes", 1.0, -1.0)
    model = LSSVC(C=C, **options).fit(X, y)
    K, n = model._kernel(X), len(X)
    system = np.block([[K + np.eye(n) / C, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    *beta, b = np.linalg.solve(system, np.append(signs, 0.0))
    assert_allclose(model.decision_function(X), K @ beta + b, rtol=1e-7, atol=1e-9)
    assert_allclose(model.dual_coef_, C * (signs - model.decision_function(X)), rtol=1e-5, atol=1e-7)
    assert abs(model.dual_coef_.sum()) < 1e-9 * np.abs(model.dual_coef_).sum()


def test_lssvc_is_ridge_with_an_intercept_on_the_labels(rng):
    X, y = classes(rng)
    phi = polynomial_features_map(X, 2, 0.5, 1.0)
    ridge = SklearnRidge(alpha=1 / 3.0, solver="svd").fit(phi, np.where(y == "yes", 1.0, -1.0))
    model = LSSVC(C=3.0, **KERNELS[2]).fit(X, y)
    assert_allclose(model.decision_function(X), ridge.predict(phi), rtol=1e-7)
    assert_array_equal(model.predict(X), np.where(ridge.predict(phi) > 0, "yes", "no"))


# -- kernel logistic regression ---------------------------------------------------------------------------------
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0])
def test_klr_is_logistic_regression_in_the_features(rng, fit_intercept, alpha):
    X, y = classes(rng)
    phi = polynomial_features_map(X, 2, 0.5, 1.0)
    theirs = SklearnLogistic(C=1 / alpha, fit_intercept=fit_intercept, solver="newton-cholesky", tol=1e-10)
    theirs.fit(phi, y)
    ours = KernelLogisticRegression(alpha=alpha, fit_intercept=fit_intercept, tol=1e-9, **KERNELS[2]).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(phi), rtol=1e-5, atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(phi), atol=1e-6)
    assert_array_equal(ours.predict(X), theirs.predict(phi))


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_klr_against_a_general_optimiser(rng, fit_intercept):
    X, y = classes(rng, n=30)
    signs = np.where(y == "yes", 1.0, -1.0)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=1.0))
    phi = vectors * np.sqrt(np.maximum(values, 0))  # features with φφᵀ = K: weights are better scaled than β

    def objective(theta):
        f = phi @ theta[:-1] + fit_intercept * theta[-1]
        return 0.25 * theta[:-1] @ theta[:-1] + np.logaddexp(0, -signs * f).sum()

    found = minimize(objective, np.zeros(31), method="BFGS", options={"gtol": 1e-7, "maxiter": 2000})
    ours = KernelLogisticRegression(alpha=0.5, gamma=1.0, fit_intercept=fit_intercept).fit(X, y)
    assert_allclose(ours.objective_, found.fun, rtol=1e-8)
    f = phi @ found.x[:-1] + fit_intercept * found.x[-1]
    assert_allclose(ours.decision_function(X), f, atol=1e-5)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 20.0])
def test_klr_is_the_mode_of_a_gaussian_process(rng, alpha):
    """scikit-learn's classifier by Laplace's method stops at the same function: prior covariance κ / α."""
    X, y = classes(rng)
    prior = ConstantKernel(1 / alpha, "fixed") * RBF(1.0, "fixed")
    process = GaussianProcessClassifier(prior, optimizer=None).fit(X, y).base_estimator_
    ours = KernelLogisticRegression(alpha=alpha, gamma=0.5).fit(X, y)
    assert_allclose(alpha * ours.dual_coef_, process.y_train_ - process.pi_, atol=1e-5)


@pytest.mark.parametrize("alpha", [1e-8, 1e-4, 1.0, 1e6])
def test_klr_each_step_lowers_the_objective_to_the_stationary_point(rng, alpha):
    X, y = classes(rng)
    model = KernelLogisticRegression(alpha=alpha, gamma=3.0, fit_intercept=True)
    values = [state.objective_ for state in model.iter_fit(X, y)]
    assert np.all(np.diff([len(X) * math.log(2), *values]) <= 1e-9 * values[0])
    assert model.violation_ <= 1e-6
    t = (y == "yes").astype(float)
    assert_allclose(alpha * model.dual_coef_, t - model.predict_proba(X)[:, 1], atol=1e-6)


@pytest.mark.parametrize("with_intercept", [False, True])
def test_klr_step_solves_its_equations(rng, with_intercept):
    """(WK + αI) β⁺ + b⁺W1 = Wf + t - p as they stand, against the core's way through a symmetric system."""
    K, f = rbf_kernel(rng.normal(size=(12, 2)), gamma=1.0), 3 * rng.normal(size=12)
    y, alpha = rng.choice([-1.0, 1.0], 12), 0.3
    p, t = 1 / (1 + np.exp(-f)), (y + 1) / 2
    assert_allclose(residuals(f, y), t - p, rtol=1e-12)
    beta, b = newton_target(f, residuals(f, y), K, alpha, with_intercept)
    w = p * (1 - p)
    assert_allclose(np.diag(w) @ K @ beta + alpha * beta + b * w, w * f + t - p, atol=1e-12)
    assert abs(beta.sum()) < 1e-12 if with_intercept else b == 0
    gradient = numerical_gradient(lambda beta: objective(beta, K @ beta, y, alpha), beta)
    assert_allclose(K @ (alpha * beta - residuals(K @ beta, y)), gradient, atol=1e-7)


def test_klr_alpha_of_the_notes(rng):
    """λ‖w‖² + Σ log₂(1 + e^(-yf)) has the minimiser of alpha = 2 λ ln 2."""
    X, y = classes(rng, n=25)
    K, signs, lam = rbf_kernel(X, gamma=1.0), np.where(y == "yes", 1.0, -1.0), 0.4
    model = KernelLogisticRegression(alpha=2 * lam * math.log(2), gamma=1.0).fit(X, y)

    def notes(beta):
        return lam * beta @ K @ beta + logistic(signs, K @ beta, base=2).sum()

    best = notes(model.dual_coef_)
    for _ in range(50):
        assert notes(model.dual_coef_ + 1e-2 * rng.normal(size=25)) > best


def test_klr_warns_when_it_runs_out_of_steps(rng):
    X, y = classes(rng)
    with pytest.warns(ConvergenceWarning, match="after 1 steps"):
        KernelLogisticRegression(max_iter=1, alpha=1e-3).fit(X, y)


def test_klr_snapshots_end_at_the_fit(rng):
    X, y = classes(rng)
    states = snapshots(KernelLogisticRegression().iter_fit(X, y))
    assert len(states) == states[-1].n_iter_ > 2
    assert_allclose(states[-1].dual_coef_, KernelLogisticRegression().fit(X, y).dual_coef_, rtol=1e-12)
    assert states[0].score(X, y) > 0.5


# -- SVR --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_svr_against_scikit_learn(rng, options, C, epsilon):
    X, y = regression(rng)
    ours = SVR(C=C, epsilon=epsilon, tol=1e-7, **options).fit(X, y)
    theirs = svm.SVR(C=C, epsilon=epsilon, tol=1e-7, **options).fit(X, y)
    assert_allclose(ours.dual_objective_, dual_objective(theirs, ours._kernel(X), y), rtol=1e-6)
    assert -1e-10 <= ours.duality_gap_ <= 1e-5 * max(1.0, abs(ours.dual_objective_))
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)
    clear = np.abs(np.abs(y - theirs.predict(X)) - epsilon) > 1e-4  # off the edge it is certain who supports
    supports, supports_theirs = (np.isin(np.arange(len(X)), model.support_) for model in (ours, theirs))
    assert_array_equal(supports[clear], supports_theirs[clear])
    assert abs(ours.intercept_ - theirs.intercept_[0]) < 1e-3
    if epsilon > 0:
        assert_array_equal(ours.support_, np.sort(theirs.support_))


def dual_objective(theirs, K, y):
    beta = np.zeros(len(y))
    beta[theirs.support_] = theirs.dual_coef_[0]
    return y @ beta - theirs.epsilon * np.abs(beta).sum() - 0.5 * beta @ K @ beta


def test_svr_from_its_primal(rng):
    """Notes C (23) as a quadratic program in (w, b, ξ∨, ξ∧)."""
    X, y = regression(rng, n=20)
    C, epsilon, n = 2.0, 0.2, 20
    Q = np.diag(np.r_[np.ones(2), np.zeros(1 + 2 * n)])
    f, none = np.column_stack([X, np.ones(n)]), np.zeros((n, n))
    A = np.block([[-f, none, np.eye(n)], [f, np.eye(n), none], [np.zeros((2 * n, 3)), np.eye(2 * n)]])
    c = np.r_[-y - epsilon, y - epsilon, np.zeros(2 * n)]
    found = solve_qp(Q, np.r_[np.zeros(3), np.full(2 * n, C)], A, c)
    assert found.status == "optimal"
    model = SVR(C=C, epsilon=epsilon, kernel="linear", tol=1e-8).fit(X, y)
    assert_allclose(model.primal_objective_, found.objective, rtol=1e-6)
    assert_allclose(model.coef_, found.x[:2], atol=1e-5)


def test_svr_dual_is_the_quadratic_program_of_the_notes(rng):
    """Notes C (24) in (α∧, α∨), given to a general solver, against what the core hands to chapter 17."""
    X, y = regression(rng, n=15)
    K, C, epsilon = rbf_kernel(X, gamma=0.5), 2.0, 0.1
    q, lower, upper = tube_dual(y, epsilon, C)
    one = np.ones(15)
    found = solve_qp(
        np.block([[K, -K], [-K, K]]), np.append(epsilon - y, epsilon + y),
        np.vstack([np.eye(30), -np.eye(30)]), np.append(np.zeros(30), np.full(30, -C)),
        E=np.append(one, -one)[np.newaxis], d=[0.0],
    )
    both = np.append(found.x[:15], -found.x[15:])
    assert np.all((lower - 1e-9 <= both) & (both <= upper + 1e-9))
    beta = coefficients(both)
    assert_allclose(q @ both - 0.5 * beta @ K @ beta, -found.objective, rtol=1e-10)
    model = SVR(C=C, epsilon=epsilon, gamma=0.5, tol=1e-9).fit(X, y)
    assert_allclose(model.dual_objective_, -found.objective, rtol=1e-6)
    for point in (both, 0.3 * both):  # the optimum, and a point that is none
        beta = coefficients(point)
        error = y - K @ beta - model.intercept_
        primal = 0.5 * beta @ K @ beta + C * epsilon_insensitive(y, y - error, epsilon).sum()
        dual = q @ point - 0.5 * beta @ K @ beta
        assert_allclose(duality_gap(point, error, epsilon, C), primal - dual, rtol=1e-9, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.floats(0.0, 1.0), st.floats(0.01, 50), st.integers(0, 2**32 - 1))
def test_svr_satisfies_its_kkt_conditions(n, epsilon, C, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(n, 2)).astype(float), rng.normal(size=n)  # with duplicates
    model = SVR(C=C, epsilon=epsilon, gamma=0.5, tol=1e-6).fit(X, y)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_
    error = y - model.predict(X)
    assert abs(beta.sum()) <= 1e-9 * C * n
    assert np.all(np.abs(beta) <= C)
    inside, outside = np.abs(error) < epsilon - 1e-5, np.abs(error) > epsilon + 1e-5
    assert np.all(beta[inside] == 0)
    assert_allclose(beta[outside], C * np.sign(error[outside]))
    assert np.all(beta * error >= -1e-5 * C)


def test_svr_in_a_wide_tube_needs_no_points(rng):
    X, y = regression(rng)
    model = SVR(epsilon=10.0).fit(X, y)
    assert len(model.support_) == 0
    assert_allclose(model.predict(X[:4]), (y.max() + y.min()) / 2)  # b may lie anywhere between: the middle


def test_svr_constant_target_one_sample_and_scales(rng):
    assert_allclose(SVR().fit(rng.normal(size=(9, 2)), np.full(9, 3.0)).predict([[0.0, 0.0]]), 3.0)
    assert_allclose(SVR().fit([[1.0]], [2.0]).predict([[5.0]]), 2.0)
    X, y = regression(rng)
    small = SVR(C=3e-8, epsilon=1e-9, tol=1e-13).fit(X * 1e-8, y * 1e-8).predict(X * 1e-8)
    large = SVR(C=3e8, epsilon=1e7, tol=1e3).fit(X * 1e8, y * 1e8).predict(X * 1e8)
    plain = SVR(C=3.0, epsilon=0.1, tol=1e-5).fit(X, y).predict(X)
    assert_allclose(small * 1e8, plain, atol=1e-3)
    assert_allclose(large * 1e-8, plain, atol=1e-3)


def test_svr_bound_and_free_vectors(rng):
    X, y = regression(rng)
    model = SVR(C=0.5, epsilon=0.1, tol=1e-8).fit(X, y)
    error = np.abs(y - model.predict(X))
    assert_array_equal(np.sort(np.r_[model.free_, model.bound_]), model.support_)
    assert_allclose(error[model.free_], 0.1, atol=1e-6)
    assert np.all(error[model.bound_] >= 0.1 - 1e-6)


def test_svr_snapshots_climb(rng):
    X, y = regression(rng)
    values = [state.dual_objective_ for state in snapshots(SVR().iter_fit(X, y))]
    assert len(values) == SVR().fit(X, y).n_iter_
    assert np.all(np.diff(values) >= -1e-12)


def test_svr_warns_when_it_runs_out_of_steps(rng):
    with pytest.warns(ConvergenceWarning, match="SVR stopped after 3 steps"):
        SVR(max_iter=3).fit(*regression(rng))


# -- Platt scaling ----------------------------------------------------------------------------------------------
def test_platt_in_sample_against_scikit_learn(rng):
    X, y = classes(rng, n=150)
    base = SVC(C=2.0, gamma=1.0).fit(X, y)
    theirs = CalibratedClassifierCV(FrozenEstimator(base), method="sigmoid", ensemble=False).fit(X, y)
    ours = PlattScaling(base).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    calibrator = theirs.calibrated_classifiers_[0].calibrators[0]
    assert_allclose([ours.A_, ours.B_], [-calibrator.a_, -calibrator.b_], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("cv", [2, 5])
def test_platt_cross_validated_against_scikit_learn(rng, cv):
    X, y = classes(rng, n=150)
    fold = fold_numbers((y == "yes").astype(int), cv, is_classification=True)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(cv)]
    theirs = CalibratedClassifierCV(svm.SVC(C=2.0, gamma=1.0, tol=1e-6), method="sigmoid", ensemble=False, cv=splits)
    ours = PlattScaling(SVC(C=2.0, gamma=1.0, tol=1e-6), cv=cv).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X), atol=1e-3)
    assert not np.allclose(ours.scores_, ours.estimator_.decision_function(X), atol=0.05)


def test_platt_with_plain_targets_is_logistic_regression(rng):
    X, y = classes(rng, n=150, flip=0.2)
    ours = PlattScaling(LSSVC(gamma=1.0), smooth_targets=False).fit(X, y)
    theirs = SklearnLogistic(C=1e12, solver="newton-cholesky", tol=1e-10).fit(ours.scores_[:, np.newaxis], y)
    assert_allclose([ours.A_, ours.B_], [theirs.coef_[0, 0], theirs.intercept_[0]], rtol=1e-4)


def test_platt_folds_hold_each_class_in_its_share():
    codes = np.r_[np.zeros(23, int), np.ones(12, int)]
    fold = fold_numbers(codes, 5, is_classification=True)
    for code, least in ((0, 4), (1, 2)):
        counts = np.bincount(fold[codes == code], minlength=5)
        assert set(counts) <= {least, least + 1}
    assert_array_equal(np.bincount(fold), [7] * 5)


def test_platt_on_separated_scores():
    X, y = np.r_[np.linspace(-3, -1, 20), np.linspace(1, 3, 20)][:, np.newaxis], np.repeat([0, 1], 20)
    model = PlattScaling(SVC(kernel="linear")).fit(X, y)
    assert 0.9 < model.predict_proba(X)[-1, 1] < 1 and model.score(X, y) == 1
    with pytest.raises(ValueError, match="separate the classes"):
        PlattScaling(SVC(kernel="linear"), smooth_targets=False).fit(X, y)


class Scores(Classifier):
    """A classifier whose scores are a multiple of the first feature plus a shift."""

    def __init__(self, *, slope=1.0, shift=0.0):
        self.slope = slope
        self.shift = shift

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def decision_function(self, X):
        return self.slope * X[:, 0] + self.shift


def test_platt_scores_of_any_scale_and_scores_that_say_nothing(rng):
    X, y = classes(rng, n=100)
    plain = PlattScaling(Scores()).fit(X, y)
    for slope, shift in ((1e8, 0.0), (-1e-8, 0.0), (1.0, 50.0), (-3.0, 1e3)):
        moved = PlattScaling(Scores(slope=slope, shift=shift)).fit(X, y)
        assert_allclose(moved.predict_proba(X), plain.predict_proba(X), atol=1e-7)
    silent = PlattScaling(Scores(slope=0.0, shift=2.0)).fit(X, y)
    positive, negative = (y == "yes").sum(), (y == "no").sum()
    share = np.mean(np.where(y == "yes", (positive + 1) / (positive + 2), 1 / (negative + 2)))
    assert_allclose(silent.predict_proba(X)[:, 1], share)
    assert silent.A_ == 0


@pytest.mark.parametrize(("slope", "shift"), [(1e-162, 0.0), (1e-300, 0.0), (1e98, 0.0), (1.0, 1e12)])
def test_platt_scores_of_extreme_scales(rng, slope, shift):
    """The scores 1e-162·x, or with a spread of 1 around 1e12, say as much as those near 1."""
    X, y = classes(rng, n=100)
    plain, moved = (PlattScaling(Scores(slope=a, shift=b)).fit(X, y) for a, b in ((1.0, 0.0), (slope, shift)))
    assert_allclose(moved.predict_proba(X), plain.predict_proba(X), atol=1e-7 if shift == 0 else 1e-3)
    assert np.ptp(moved.predict_proba(X)[:, 1]) > 0.01


def test_platt_scores_beyond_the_door(rng):
    X, y = classes(rng, n=100)
    with pytest.raises(ValueError, match="the estimator's decision_function holds values as large as .*rescale"):
        PlattScaling(Scores(slope=1e153)).fit(X, y)


def test_platt_step_is_newtons(rng):
    """Against finite differences of the objective, on scores and targets of any kind."""
    S, t = np.column_stack([rng.normal(size=30), np.ones(30)]), rng.random(30)
    theta = np.array([0.7, -0.3])
    move, slope = platt_step(theta, S, t)

    def of(theta):
        return platt_objective(theta, S, t)

    assert_allclose(slope, numerical_gradient(of, theta), rtol=1e-7)
    assert_allclose(numerical_hessian(of, theta) @ move, -slope, rtol=1e-5)


def test_platt_refuses(rng):
    X, y = classes(rng)
    with pytest.raises(ValueError, match="decision_function"):
        PlattScaling(KernelRidge()).fit(X, y)
    with pytest.raises(ValueError, match="one class has 3"):
        PlattScaling(cv=4).fit(X[:23], np.r_[np.zeros(20), np.ones(3)])


@pytest.mark.parametrize("cv", [None, 3])
def test_platt_lets_the_classifier_judge_x(rng, cv):
    """A pipeline that fills in missing values and encodes words gets them, in an array or a DataFrame."""
    X, y = classes(rng)
    holes = X.copy()
    holes[::7, 0] = np.nan
    filled = make_pipeline(SimpleImputer(), LSSVC(gamma=1.0))
    assert PlattScaling(filled, cv=cv).fit(holes, y).score(holes, y) > 0.7
    with pytest.raises(ValueError, match="NaN"):
        PlattScaling(LSSVC(), cv=cv).fit(holes, y)
    table = pandas.DataFrame({"a": X[:, 0], "word": np.where(X[:, 1] > 0, "up", "down")})
    columns = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
    assert PlattScaling(make_pipeline(columns, LSSVC()), cv=cv).fit(table, y).score(table, y) > 0.7


def test_platt_leaves_the_given_estimator_alone(rng):
    base = SVC(gamma=1.0)
    PlattScaling(base, cv=3).fit(*classes(rng))
    assert not hasattr(base, "support_")


def test_platt_on_held_out_scores_is_less_sure(rng):
    """The notes' scores on the training points are too sure: a steeper curve, and a worse log-loss on new points."""
    X, y = make_moons(400, noise=0.35, random_state=3)
    new, truth = make_moons(2000, noise=0.35, random_state=4)

    def loss(model):
        return -np.mean(np.log(model.fit(X, y).predict_proba(new)[np.arange(2000), truth]))

    assert loss(PlattScaling(SVC(C=100.0, gamma=20.0), cv=5)) < loss(PlattScaling(SVC(C=100.0, gamma=20.0))) - 0.05


# -- all of them ------------------------------------------------------------------------------------------------
def data_for(model, rng):
    return regression(rng) if issubclass(model, (KernelRidge, SVR)) else classes(rng)


def precise(model):
    """Options with which two ways of fitting end at the same place."""
    return {"tol": 1e-9} if model is SVR else {}


def scores_of(model, X):
    return getattr(model, "decision_function", model.predict)(X)


@pytest.mark.parametrize("model", MODELS)
def test_precomputed_and_callable_kernels(rng, model):
    X, y = data_for(model, rng)
    new = rng.normal(size=(15, 2))
    named = model(kernel="rbf", gamma=0.4, **precise(model)).fit(X, y)
    K = rbf_kernel(X, gamma=0.4)
    kept = K.copy()
    given_matrix = model(kernel="precomputed", **precise(model)).fit(K, y)
    given_function = model(kernel=lambda A, B: rbf_kernel(A, B, 0.4), **precise(model)).fit(X, y)
    assert_allclose(scores_of(given_matrix, rbf_kernel(new, X, 0.4)), scores_of(named, new), atol=1e-8)
    assert_allclose(scores_of(given_function, new), scores_of(named, new), atol=1e-8)
    assert_array_equal(K, kept)


def test_platt_with_a_precomputed_kernel(rng):
    X, y = classes(rng)
    K = rbf_kernel(X, gamma=0.4)
    matrix = PlattScaling(SVC(kernel="precomputed", tol=1e-9), cv=3).fit(K, y)
    named = PlattScaling(SVC(gamma=0.4, tol=1e-9), cv=3).fit(X, y)
    assert_allclose(matrix.predict_proba(K), named.predict_proba(X), atol=1e-6)


def test_a_precomputed_matrix_is_split_by_rows_and_columns(rng):
    X, y = regression(rng)
    scores = [
        cross_val_score(KernelRidge(kernel="precomputed"), rbf_kernel(X, gamma=0.4), y, cv=4),
        cross_val_score(KernelRidge(kernel="rbf", gamma=0.4), X, y, cv=4),
    ]
    assert_allclose(*scores)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "options, message",
    [
        ({"kernel": "precomputed"}, r"one column for each of the \d+ training rows"),
        ({"kernel": lambda A, B: np.ones((2, 2))}, "must return a matrix of shape"),
    ],
)
def test_bad_kernels(rng, model, options, message):
    X, y = data_for(model, rng)
    estimator = model(**options)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)
    assert not hasattr(estimator, "dual_coef_")


@pytest.mark.parametrize("model", MODELS)
def test_kernel_matrices_of_the_wrong_shape_or_not_symmetric(rng, model):
    X, y = data_for(model, rng)
    K = rbf_kernel(X, gamma=0.4)
    fitted = model(kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict(K[:, :-1])
    K[2, 5] += 0.5
    with pytest.raises(ValueError, match=r"symmetric, but K\[2, 5\]"):
        model(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_classifiers_need_two_classes(rng, model):
    X = rng.normal(size=(9, 2))
    with pytest.raises(ValueError, match="holds only one class: 1"):
        model().fit(X, np.ones(9, int))
    with pytest.raises(ValueError, match="multiclass"):
        model().fit(X, np.arange(9) % 3)


@pytest.mark.parametrize("model", [*MODELS, PlattScaling])
def test_any_container_gives_the_same(rng, model):
    X, y = data_for(model, rng)
    options = precise(model)
    plain = scores_of(model(**options).fit(X, y), X)
    locked = X.copy()
    locked.flags.writeable = False
    for other in (np.asfortranarray(X), locked, pandas.DataFrame(X, columns=["a", "b"])):
        assert_allclose(scores_of(model(**options).fit(other, y), other), plain, atol=1e-7)
    assert_allclose(scores_of(model().fit(X.astype(np.float32), y), X), plain, atol=2e-3)


@pytest.mark.parametrize("model", [*MODELS, PlattScaling])
def test_row_order_does_not_matter(rng, model):
    X, y = data_for(model, rng)
    order = rng.permutation(len(X))
    a, b = (scores_of(model(**precise(model)).fit(*given), X) for given in ((X, y), (X[order], y[order])))
    assert_allclose(a, b, atol=2e-3 if model is PlattScaling else 1e-5)


@pytest.mark.parametrize("model", [*MODELS, PlattScaling])
def test_duplicates_with_different_labels_and_constant_columns(model):
    X = np.array([[1.0, 7.0]] * 4 + [[2.0, 7.0]] * 4)
    y = np.array([0, 1, 0, 1, 0, 0, 1, 0])
    assert np.all(np.isfinite(scores_of(model().fit(X, y), X)))
    assert np.all(np.isfinite(scores_of(model().fit(np.ones((8, 2)), y), X)))


@pytest.mark.parametrize("model", [*MODELS, PlattScaling])
def test_not_fitted_and_pickled(rng, model):
    X, y = data_for(model, rng)
    with pytest.raises(NotFittedError):
        model().predict(X)
    fitted = model().fit(X, y)
    assert_array_equal(scores_of(pickle.loads(pickle.dumps(fitted)), X), scores_of(fitted, X))


@pytest.mark.parametrize("model", [KernelRidge, LSSVC, KernelLogisticRegression])
def test_an_invalid_kernel_is_refused_where_no_minimum_exists(rng, model):
    X, y = data_for(model, rng)
    for strength in (1e-4, 1.0, 1e4):
        options = {"C": 1 / strength} if model is LSSVC else {"alpha": strength}
        for kernel in (
            {"kernel": "sigmoid", "gamma": 2.0, "coef0": -3.0},
            {"kernel": "poly", "degree": 3, "coef0": -1.0},
            {"kernel": lambda A, B: -rbf_kernel(A, B, 1.0)},
        ):
            with pytest.raises(ValueError, match="not positive semidefinite"):
                model(**kernel, **options).fit(X, y)
    assert model(kernel="poly", degree=3, coef0=0.0).fit(X, y) is not None


def test_why_it_is_refused(rng):
    """With -α < λ < 0 the ridge equations have a solution, but the objective falls for ever along the eigenvector."""
    X, y = regression(rng)
    K = sigmoid_kernel(X, gamma=2.0, coef0=-3.0)
    values, vectors = np.linalg.eigh(K)
    alpha, u = -2 * values[0], vectors[:, 0]
    heights = [alpha * t**2 * u @ K @ u + np.sum((y - t * K @ u) ** 2) for t in (0.0, 1e2, 1e4)]
    assert np.all(np.diff(heights) < 0) and heights[-1] < -1e8
    np.linalg.cholesky(K + alpha * np.eye(len(X)))  # no error: the equations alone do not tell
    with pytest.raises(ValueError, match="not positive semidefinite"):
        KernelRidge(alpha=alpha, kernel="sigmoid", gamma=2.0, coef0=-3.0).fit(X, y)


def test_svr_with_an_invalid_kernel_still_ends(rng):
    X, y = regression(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVR(kernel="sigmoid", gamma=2.0, coef0=-1.0, max_iter=20_000).fit(X, y)
    assert np.all(np.isfinite(model.predict(X)))


def test_many_features_and_few_rows(rng):
    X = rng.normal(size=(6, 200))
    for model in MODELS:
        y = rng.normal(size=6) if model in (KernelRidge, SVR) else np.arange(6) % 2
        assert np.all(np.isfinite(scores_of(model().fit(X, y), X)))


def test_grid_search_over_a_kernel(rng):
    X, y = make_moons(120, noise=0.2, random_state=0)
    search = GridSearchCV(LSSVC(kernel="rbf"), {"gamma": [1e-4, 1.0], "kernel": ["rbf"]}, cv=3).fit(X, y)
    assert search.best_params_["gamma"] == 1.0


def test_real_data_is_classified_well():
    data = load_breast_cancer()
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    train, test = np.arange(len(X)) % 3 > 0, np.arange(len(X)) % 3 == 0
    for model in (LSSVC(C=1.0), KernelLogisticRegression(alpha=0.1), PlattScaling(SVC(), cv=3)):
        assert model.fit(X[train], data.target[train]).score(X[test], data.target[test]) > 0.95


# -- the representer theorem ------------------------------------------------------------------------------------
def test_representer_theorem(rng):
    """Minimised over all weights w of a wide feature space, the best w is a sum of the points' features."""
    X, y = regression(rng, n=8, d=3)
    phi = polynomial_features_map(X, 3, 1.0, 1.0)  # 20 features, 8 points

    def objective(w):
        return 0.3 * w @ w + np.logaddexp(0, -np.sign(y) * (phi @ w)).sum()

    w = minimize(objective, rng.normal(size=20), method="BFGS", options={"gtol": 1e-9}).x
    beta = np.linalg.lstsq(phi.T, w, rcond=None)[0]
    assert np.linalg.norm(phi.T @ beta - w) < 1e-5 * np.linalg.norm(w)
    model = KernelLogisticRegression(alpha=0.6, kernel="poly", degree=3, gamma=1.0, coef0=1.0).fit(X, np.sign(y))
    assert_allclose(model.dual_coef_, beta, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, y: km.polynomial_features_map(X, degree=10**9), "too large a table"),
        (lambda X, y: km.logistic([-1.0], [1e300], 1 + 1e-15), "score holds values as large as 1e.300"),
    ],
)
def test_extreme_parameters_are_named(call, words):
    """At once, and without a warning of NumPy's on the way."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=words):
        call(X, (X[:, 0] > 0).astype(int))


def test_an_extremely_narrow_kernel_has_a_finite_map():
    features = km.rbf_features_map([0.0, 1.0, -2.0], 5, 1e100)
    np.testing.assert_array_equal(features, [[1, 0, 0, 0, 0], [0] * 5, [0] * 5])


def test_svr_with_a_linear_kernel_far_from_zero():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40, 3)) * 2**10) / 2**10  # X + 1e8 is exact
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=40)
    near, far = (SVR(kernel="linear", tol=1e-9).fit(X + offset, y) for offset in (0.0, 1e8))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    np.testing.assert_allclose(far.predict(X + 1e8), near.predict(X), atol=1e-5)
    far.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(far, "coef_")
    with pytest.raises(ValueError, match="must be symmetric"):
        SVR(kernel=lambda A, B: A @ B.T + A[:, :1]).fit(X, y)


def test_svr_is_exact_where_tol_is_larger_than_y():
    """SMO has nothing to do then, but the last step, from two points at bounds on, finds the optimum all the same."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(60, 2)), 1e-4 * rng.normal(size=60)
    model = SVR(kernel="linear", epsilon=0.0, tol=1e-3).fit(X, t)
    other = svm.SVR(kernel="linear", epsilon=0.0, tol=1e-12).fit(X, t)
    assert abs(model.duality_gap_) <= 1e-10 * model.primal_objective_
    assert_allclose(model.predict(X), other.predict(X), atol=3e-7)  # LIBSVM keeps K in single precision


@pytest.mark.parametrize("seed", [0, 1])
def test_svr_with_a_kernel_matrix_of_middle_rank_and_a_large_C(seed):
    """Too high a rank for a sample of the points, and a box in which climbing loses its way: all of K shows it."""
    rng = np.random.default_rng(seed)
    A, t = 100 * rng.normal(size=(200, 35)), rng.normal(size=200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVR(C=1e5, epsilon=0.0, kernel="precomputed").fit(A @ A.T, t)
    # a point that disagrees with the others about b by v is missing at most 2Cv: with v = 0, or within tol and one more
    # free point, the walk ends, as rounding has it
    missing = 2 * model.C * len(t) * max(model.violation_, 0.0)
    assert model.violation_ <= model.tol
    assert -1e-8 * model.primal_objective_ <= model.duality_gap_ <= 1e-8 * model.primal_objective_ + missing
    assert model.n_iter_ < 2000


def test_svr_says_where_its_box_is_smaller():
    """Then the points at the smaller bound are bound, as in SVC, and the warning names it."""
    rng = np.random.default_rng(0)
    X, t = 1e6 * rng.normal(size=(60, 2)), rng.normal(size=60)
    with pytest.warns(ConvergenceWarning, match="SVR made α at most .* not C = .*scale the features"):
        model = SVR(C=1e6, kernel="linear").fit(X, t)
    size = np.zeros(60)
    size[model.support_] = np.abs(model.dual_coef_)
    assert_array_equal(model.bound_, np.flatnonzero(size == size.max()))
    assert len(model.bound_) > 10
    assert_array_equal(np.sort(np.concatenate([model.free_, model.bound_])), model.support_)


@pytest.mark.parametrize(("seed", "gamma"), [(6, 26.0), (31, 20.0), (36, 20.0)])
def test_svr_with_a_last_step_of_almost_nothing(seed, gamma):
    """A component of the last step may be as small as 1e-310: the bound is then infinitely many steps away."""
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(19, 30)), rng.normal(size=19)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = SVR(C=1e6, epsilon=0.01, gamma=gamma, tol=1e-6).fit(X, t)
    assert model.violation_ <= 1e-6


def test_a_prediction_of_the_linear_tube_too_far_away_is_refused():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = SVR(kernel="linear", C=100.0).fit(X, X @ [5.0, 3.0])
    with pytest.raises(ValueError, match="rescale X"):
        model.predict([[1.7e308, 1.7e308]])


@pytest.mark.parametrize("model", [*MODELS, PlattScaling])
def test_far_points_raise_no_floating_point_error(rng, model):
    """A kernel that underflows to 0 is right, whatever the caller's error state."""
    X, y = data_for(model, rng)
    with np.errstate(all="raise"):
        fitted = model().fit(X, y)
        assert np.all(np.isfinite(scores_of(fitted, 1e60 * X)))
