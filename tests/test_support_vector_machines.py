"""Support vector machines against scikit-learn (LIBSVM), quadratic programming and brute force."""

import gc
import warnings
import weakref

import numpy as np
import pytest
import sklearn.svm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_blobs, make_classification, make_moons
from sklearn.metrics import hinge_loss as sklearn_hinge_loss
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mlcore.base import ConvergenceWarning, NotFittedError, run, snapshots
from mlcore.constrained_optimization import kkt_residuals, solve_qp
from mlcore.core.support_vector_machines import (
    duality_gap,
    hinge_objective,
    hinge_subgradient,
    intercept,
    select_pair,
    smo,
)
from mlcore.engines.box_dual import continuation, feasible, interior_point, low_rank
from mlcore.engines.box_dual import gram as gram_module
from mlcore.kernels import kernel_diagonal, kernel_function, rbf_kernel
from mlcore.support_vector_machines import (
    SVC,
    DualProblem,
    Gram,
    LinearSVC,
    best_intercept,
    dual_qp,
    functional_margin,
    geometric_margin,
    hard_margin_dual,
    hard_margin_primal,
    hinge_loss,
    loo_bound,
    primal_qp,
    smo_walk,
    soft_margin_primal,
    solve_dual,
)
from mlcore.support_vector_machines.dual import adopt, continue_to_box, interior_step, settle
from mlcore.verify import numerical_gradient

CONFORMANCE_INSTANCES = {
    "SVC": [SVC(), SVC(kernel="linear", C=100.0), SVC(kernel="sigmoid")],
    "LinearSVC": [LinearSVC(random_state=0)],
}

EFFORT = 1e12
"""More than any of the problems here takes."""

# Lin's toy set: the widest margin is w = (1, -1), b = -1, and the last point carries nothing
TOY_X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]])
TOY_Y = np.array([-1.0, -1.0, 1.0, 1.0])


# ---------------------------------------------------------------------------------------------------------------
# Data and measures
# ---------------------------------------------------------------------------------------------------------------
def moons(n, noise=0.3, seed=0):
    X, y = make_moons(n, noise=noise, random_state=seed)
    return X, 2.0 * y - 1.0


def ten_features(n, seed=0):
    X, y = make_classification(n, 10, n_informative=5, flip_y=0.05, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * y - 1.0


def separable(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(n, 2)) + 3.0 * y[:, np.newaxis], y


def beta_of(model, n):
    """y_i α_i for all points, from ours or scikit-learn's model."""
    beta = np.zeros(n)
    beta[model.support_] = np.ravel(model.dual_coef_)
    return beta


def dual_value(beta, K):
    return np.abs(beta).sum() - 0.5 * beta @ K @ beta


def kkt_violation(model, X, y, C):
    """The worst violation of the three cases of the KKT conditions, computed from predictions alone."""
    alpha, margin = np.abs(beta_of(model, len(y))), y * model.decision_function(X)
    worst = np.where(alpha <= 0, 1 - margin, np.where(alpha >= C, margin - 1, np.abs(margin - 1)))
    return max(worst.max(), 0.0)


def soft_margin_dual_by_qp(K, y, C):
    """The dual in α, with its matrix written out."""
    n = len(y)
    found = solve_qp(y[:, np.newaxis] * K * y, -np.ones(n), np.vstack([np.eye(n), -np.eye(n)]),
                     np.append(np.zeros(n), np.full(n, -C)), E=y[np.newaxis], d=np.zeros(1))
    assert found.status == "optimal"
    return found


# ---------------------------------------------------------------------------------------------------------------
# SVC against LIBSVM
# ---------------------------------------------------------------------------------------------------------------
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "degree": 3, "gamma": 0.5, "coef0": 0.5},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": 2.0},
]


def compare_with_libsvm(X, y, parameters, C, *, tol=1e-6):
    """The same dual objective to 1e-6, the same support set and b where they are unique."""
    ours = SVC(C=C, tol=tol, **parameters).fit(X, y)
    theirs = sklearn.svm.SVC(C=C, tol=tol, **parameters).fit(X, y)
    K = kernel_function(**{"gamma": "scale", **parameters}, X=X)(X)
    left, right = dual_value(beta_of(ours, len(y)), K), dual_value(beta_of(theirs, len(y)), K)
    assert left == pytest.approx(right, rel=1e-6)
    assert ours.dual_objective_ == pytest.approx(left, rel=1e-9)
    assert ours.intercept_ == pytest.approx(float(theirs.intercept_[0]), abs=1e-3)
    expected = theirs.decision_function(X)
    assert np.abs(ours.decision_function(X) - expected).max() < 1e-3 * max(2.0, np.abs(expected).max())
    # a point well off the margin is a support vector in every solution or in none
    decided = np.abs(1 - y * expected) > 1e-2
    chosen, theirs_too = np.isin(np.arange(len(y)), ours.support_), np.isin(np.arange(len(y)), theirs.support_)
    np.testing.assert_array_equal(chosen[decided], theirs_too[decided])
    return ours, theirs


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("parameters", KERNELS, ids=str)
@pytest.mark.parametrize("data", [moons, ten_features])
def test_agrees_with_libsvm(data, parameters, C):
    X, y = data(200)
    ours, _ = compare_with_libsvm(X, y, parameters, C)
    assert kkt_violation(ours, X, y, C) < 1e-5


@pytest.mark.parametrize("C", [0.01, 1.0, *(pytest.param(C, marks=pytest.mark.slow) for C in (1e4, 1e6))])
def test_agrees_with_libsvm_on_3000_points(C):
    X, y = ten_features(3000)
    ours, _ = compare_with_libsvm(X, y, {"kernel": "rbf"}, C, tol=1e-5)
    assert kkt_violation(ours, X, y, C) < 1e-4


@pytest.mark.parametrize("parameters", [{"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0}], ids=str)
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_agrees_with_libsvm_on_3000_points_with_other_kernels(parameters, C):
    X, y = moons(3000)
    compare_with_libsvm(X, y, parameters, C, tol=1e-5)


@pytest.mark.parametrize("parameters", KERNELS, ids=str)
def test_separable_classes_with_c_of_a_million(parameters):
    X, y = separable(300)
    ours, _ = compare_with_libsvm(X, y, parameters, 1e6)
    assert len(ours.bound_) == 0 and ours.score(X, y) == 1.0


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("data", [moons, ten_features])
def test_overlapping_classes_with_c_of_a_million_are_solved(data, kernel):
    # LIBSVM needs tens of millions of steps here; a small duality gap proves the optimum without it
    X, y = data(400)
    model = SVC(C=1e6, kernel=kernel, coef0=1.0).fit(X, y)
    assert model.violation_ <= 1e-3
    assert kkt_violation(model, X, y, 1e6) < 2e-3
    K = model._kernel(X)
    beta = beta_of(model, len(y))
    assert abs(beta.sum()) < 1e-6 * np.abs(beta).sum()
    # C times the slacks amplifies what tol leaves open; against the objective it is small
    assert 0 <= model.duality_gap_ < 1e-2 * model.dual_objective_
    assert model.dual_objective_ == pytest.approx(dual_value(beta, K), rel=1e-6)
    stopped = sklearn.svm.SVC(C=1e6, kernel=kernel, coef0=1.0, max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped.fit(X, y)
    assert model.dual_objective_ > dual_value(beta_of(stopped, len(y)), K) * (1 - 1e-6)


@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("parameters", [{"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0}, {"kernel": "rbf"}],
                         ids=str)
def test_a_large_c_on_3000_overlapping_points_is_proved_optimal_by_the_gap(parameters, C):
    # LIBSVM does not finish here within millions of steps; primal and dual, both recomputed, enclose the optimum
    X, y = moons(3000)
    model = SVC(C=C, **parameters).fit(X, y)
    K, beta = model._kernel(X), beta_of(model, 3000)
    assert (y * beta >= 0).all() and (y * beta <= C).all() and abs(beta.sum()) < 1e-9 * C * 3000
    room = 1 - y * (K @ beta + model.intercept_)  # primal - dual = Σ C max(0, room) - α room, where Σβ = 0
    assert (C * np.maximum(0, room) - y * beta * room).sum() <= 2e-6 * dual_value(beta, K)


def test_intercept_is_the_middle_of_its_interval_where_no_vector_is_free():
    X, y = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([-1, -1, 1, 1])
    model = SVC(C=0.01, kernel="linear", tol=1e-9).fit(X, y)
    assert len(model.free_) == 0 and len(model.bound_) == 4
    votes = y - 0.1 * X[:, 0]  # w = 0.01 (5 + 6 - 0 - 1) = 0.1
    assert model.coef_ == pytest.approx([0.1])
    assert model.intercept_ == pytest.approx((votes[y < 0].max() + votes[y > 0].min()) / 2)
    theirs = sklearn.svm.SVC(C=0.01, kernel="linear", tol=1e-9).fit(X, y)
    assert model.intercept_ == pytest.approx(float(theirs.intercept_[0]), abs=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# The optimum
# ---------------------------------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(2, 40), exponent=st.floats(-2, 4),
    kernel=st.sampled_from(["linear", "rbf", "poly", "laplacian"]),
)
def test_kkt_conditions_hold_on_random_problems(seed, n, exponent, kernel):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), rng.choice([-1.0, 1.0], n)
    y[:2] = 1.0, -1.0
    C = 10.0**exponent
    model = SVC(C=C, kernel=kernel, coef0=1.0, tol=1e-4).fit(X, y)
    assert kkt_violation(model, X, y, C) < 2e-4
    beta = beta_of(model, n)
    assert abs(beta.sum()) <= 1e-9 * max(1.0, np.abs(beta).sum())
    assert (y * beta >= 0).all() and (y * beta <= C).all()
    assert sorted([*model.free_, *model.bound_]) == list(model.support_)
    assert model.duality_gap_ >= -1e-8 * model.primal_objective_
    hinge = np.maximum(0, 1 - y * model.decision_function(X)).sum()
    K = model._kernel(X)
    assert model.primal_objective_ == pytest.approx(0.5 * beta @ K @ beta + C * hinge, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_quadratic_programming_finds_the_same_soft_margin(seed, C):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 2)), np.where(np.arange(25) % 2, 1.0, -1.0)
    X += 0.7 * y[:, np.newaxis]
    plane, model = soft_margin_primal(X, y, C), SVC(C=C, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, plane.w, rtol=1e-5, atol=1e-7)
    assert model.dual_objective_ == pytest.approx(plane.solution.objective, rel=1e-7)
    np.testing.assert_allclose(plane.solution.x[3:], hinge_loss(y, X @ plane.w + plane.b), atol=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_stubborn_problem_agrees_with_quadratic_programming(kernel):
    X, y = moons(60, noise=0.4, seed=3)
    model = SVC(C=1e4, kernel=kernel, tol=1e-6).fit(X, y)
    K = model._kernel(X)
    found = soft_margin_dual_by_qp(K, y, 1e4)
    assert model.dual_objective_ == pytest.approx(-found.objective, rel=1e-7)


def test_row_order_names_of_classes_and_swapped_classes_do_not_matter():
    X, y = moons(150)
    base = SVC(C=10.0, tol=1e-6).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = SVC(C=10.0, tol=1e-6).fit(X[order], y[order])
    named = SVC(C=10.0, tol=1e-6).fit(X, np.where(y > 0, "yes", "no"))
    swapped = SVC(C=10.0, tol=1e-6).fit(X, -y)
    for other, sign in ((shuffled, 1), (named, 1), (swapped, -1)):
        np.testing.assert_allclose(sign * other.decision_function(X), base.decision_function(X), atol=1e-4)
    assert list(named.classes_) == ["no", "yes"]
    assert set(named.predict(X)) == {"no", "yes"}


@settings(max_examples=20, deadline=None)
@given(exponent=st.integers(-6, 6), shift=st.floats(-100, 100))
def test_linear_kernel_follows_the_units(exponent, shift):
    X, y = separable(40, seed=1)
    scale = 10.0**exponent
    base = SVC(C=1.0, kernel="linear", tol=1e-7).fit(X, y)
    moved = SVC(C=1.0 / scale**2, kernel="linear", tol=1e-7).fit(scale * (X + shift), y)
    np.testing.assert_allclose(moved.coef_ * scale, base.coef_, rtol=1e-4, atol=1e-6)


def test_a_point_that_is_no_support_vector_can_be_left_out():
    X, y = moons(80)
    model = SVC(C=5.0, tol=1e-8).fit(X, y)
    without = np.setdiff1d(np.arange(80), model.support_)[0]
    kept = np.delete(np.arange(80), without)
    again = SVC(C=5.0, tol=1e-8, gamma=1.0 / (2 * X.var())).fit(X[kept], y[kept])
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), atol=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# SMO, pair by pair
# ---------------------------------------------------------------------------------------------------------------
def dual_problem(X, y, C, kernel="rbf"):
    gram = Gram(kernel_function(kernel, gamma="scale", X=X), X)
    return DualProblem.from_signs(gram, -np.ones(len(y)), y, C)


@pytest.mark.parametrize("C", [0.3, 3.0, 300.0])
def test_each_step_is_the_best_on_its_segment(C):
    X, y = moons(40)
    problem = dual_problem(X, y, C)
    K = problem.gram.matrix()
    before = problem.beta
    clipped = 0
    for step, _ in zip(range(60), smo_walk(problem, 1e-9, 10**6)):
        last, after = problem.last, problem.beta
        direction = np.zeros(40)
        direction[last.i], direction[last.j] = 1.0, -1.0
        room = min(problem.upper[last.i] - before[last.i], before[last.j] - problem.lower[last.j])
        along = np.linspace(0, room, 2001)
        points = before + along[:, np.newaxis] * direction
        values = points @ y - 0.5 * np.einsum("ij,ij->i", points @ K, points)
        best = along[int(np.argmax(values))]
        assert last.step == pytest.approx(best, abs=room / 1999), step
        np.testing.assert_allclose(after, before + last.step * direction, atol=1e-12)
        clipped += last.step < last.unclipped
        before = after
    assert clipped > 0 or C > 100


def test_the_second_order_pair_gains_most_among_all_partners():
    X, y = moons(50)
    problem = dual_problem(X, y, 2.0)
    K = problem.gram.matrix()
    for _ in zip(range(15), smo_walk(problem, 1e-9, 10**6)):
        i, j, violation = select_pair(problem.beta, problem.gradient, K, problem.lower, problem.upper)
        votes, beta = problem.q - K @ problem.beta, problem.beta
        may_rise, may_fall = beta < problem.upper, beta > problem.lower
        assert i == np.flatnonzero(may_rise)[votes[may_rise].argmax()]
        gains = [(votes[i] - votes[t]) ** 2 / max(K[i, i] + K[t, t] - 2 * K[i, t], 1e-12)
                 if may_fall[t] and votes[t] < votes[i] else -1 for t in range(50)]
        assert gains[j] == pytest.approx(max(gains))
        assert violation == pytest.approx(votes[may_rise].max() - votes[may_fall].min())


def test_the_dual_rises_with_every_step_and_the_last_model_is_the_fitted_one():
    X, y = moons(100)
    model = SVC(C=10.0)
    states = snapshots(model.iter_fit(X, y))
    values = [state.dual_objective_ for state in states]
    assert (np.diff(values) > 0).all()
    fitted = SVC(C=10.0).fit(X, y)
    assert len(states) == fitted.n_iter_ == states[-1].n_iter_
    np.testing.assert_array_equal(states[-1].dual_coef_, fitted.dual_coef_)
    assert states[0].n_iter_ == 1 and len(states[0].support_) == 2
    assert states[0].predict(X).shape == (100,)


# ---------------------------------------------------------------------------------------------------------------
# The core on plain arrays, and the engine beside it
# ---------------------------------------------------------------------------------------------------------------
def random_problem(seed, n, C, kernel):
    """K, q and a box of its own for each variable."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.where(np.arange(n) % 2, 1.0, -1.0)
    K = kernel_function(kernel, gamma=0.5, coef0=1.0, X=X)(X)
    bound = C * rng.uniform(0.5, 1.5, size=n)
    return K, y + 0.3 * rng.normal(size=n), np.where(y > 0, 0.0, -bound), np.where(y > 0, bound, 0.0)


def by_core(K, q, lower, upper, tol=1e-10):
    """β from the core's loop alone."""
    beta = np.zeros(len(q))
    run(smo(beta, q.copy(), K, lower, upper, tol))
    return beta


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("seed", range(4))
def test_the_core_agrees_with_quadratic_programming_on_plain_arrays(seed, kernel):
    K, q, lower, upper = random_problem(seed, 16, 0.5, kernel)
    beta = by_core(K, q, lower, upper)
    found = solve_qp(K, -q, np.vstack([np.eye(16), -np.eye(16)]), np.append(lower, -upper), E=np.ones((1, 16)), d=[0.0])
    assert q @ beta - 0.5 * beta @ K @ beta == pytest.approx(-found.objective, rel=1e-8)
    assert (beta >= lower).all() and (beta <= upper).all() and abs(beta.sum()) < 1e-12
    votes, b = q - K @ beta, intercept(beta, q - K @ beta, lower, upper)
    assert votes[beta < upper].max() - 1e-9 <= b <= votes[beta > lower].min() + 1e-9


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("n, C", [(60, 0.1), (60, 3.0), (200, 1.0)])
@pytest.mark.parametrize("seed", range(3))
def test_core_and_engine_find_the_same_optimum(seed, n, C, kernel):
    """The three ways of the engine, each from where it is called, against pairs alone."""
    K, q, lower, upper = random_problem(seed, n, C, kernel)
    by_pairs = by_core(K, q, lower, upper)
    values = [q @ by_pairs - 0.5 * by_pairs @ K @ by_pairs]
    gram = Gram(None, np.zeros((n, 1)), matrix=K)

    def finished(beta):
        problem = DualProblem(gram, q, lower, upper)
        problem.set_beta(feasible(beta, lower, upper))
        settle(problem, EFFORT)
        return problem.objective

    few = DualProblem(gram, q, lower, upper)
    run(zip(range(n // 4), smo_walk(few, 1e-10, 10**6)))
    values.append(finished(few.beta))
    values.append(finished(continuation(K, q, lower, upper, 1e-3)))
    root = np.linalg.cholesky(K + 1e-9 * K.diagonal().max() * np.eye(n)).T
    values.append(finished(interior_point(root, q, lower, upper)))
    np.testing.assert_allclose(values, values[0], rtol=1e-9)


@pytest.mark.parametrize("n", [450, 700])
@pytest.mark.parametrize("parameters", KERNELS, ids=str)
def test_svc_with_help_is_the_core_alone(n, parameters):
    """On either side of the number of points from which the engine is asked after 20 steps."""
    X, y = moons(n)
    model, alone = SVC(C=2.0, **parameters).fit(X, y), by_smo_alone(X, y, 2.0, parameters, tol=1e-8)
    assert model.dual_objective_ == pytest.approx(alone.objective, rel=1e-9)
    assert alone.objective <= model.dual_objective_ * (1 + 1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_many_free_points_and_a_high_rank_are_left_to_smo(seed):
    """Over 1,000 free points: continuation would take a hundred times as long as SMO, which the pace shows."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(1200, 30)), rng.integers(0, 2, 1200)
    model = SVC(C=1.0).fit(X, y)
    assert len(model.support_) > 1000 and model.violation_ <= 1e-3
    assert 0 <= model.duality_gap_ < 1e-3 * model.primal_objective_
    theirs = sklearn.svm.SVC().fit(X, y)
    assert model.n_iter_ < 2 * theirs.n_iter_[0]


def test_the_gap_is_a_sum_without_negative_terms():
    X, y = moons(60)
    K, rng = rbf_kernel(X, gamma=1.0), np.random.default_rng(0)
    for _ in range(20):
        alpha = rng.uniform(0, 3.0, 60)
        least = min(alpha[y > 0].sum(), alpha[y < 0].sum())
        for sign in (1, -1):
            alpha[y == sign] *= least / alpha[y == sign].sum()
        score, b = K @ (alpha * y), rng.normal()
        primal = 0.5 * (alpha * y) @ score + 3.0 * np.maximum(0, 1 - y * (score + b)).sum()
        assert duality_gap(alpha, y * (score + b), 3.0) == pytest.approx(primal - dual_value(alpha * y, K), rel=1e-9)
    assert duality_gap(np.array([0.0, 1.0, 3.0]), np.array([1.5, 1.0, -2.0]), 3.0) == 0


def test_votes_stay_exact_over_many_steps():
    X, y = moons(120, noise=0.5)
    problem = dual_problem(X, y, 100.0)
    for _ in smo_walk(problem, 1e-6, 3000):
        pass
    K = problem.gram.matrix()
    np.testing.assert_allclose(problem.gradient, y - K @ problem.beta, atol=1e-8)
    assert problem.objective == pytest.approx(y @ problem.beta - 0.5 * problem.beta @ K @ problem.beta, rel=1e-10)


def test_rows_on_demand_give_the_same_model(monkeypatch):
    X, y = moons(300)
    whole = SVC(C=1.0, tol=1e-6).fit(X, y)
    monkeypatch.setattr(gram_module, "MATRIX_BYTES", 8 * 300 * 40)  # 40 of 300 rows
    gram = Gram(kernel_function("rbf", gamma=1.0), X)
    np.testing.assert_allclose(gram.diagonal(), 1.0)
    np.testing.assert_allclose(gram[7], rbf_kernel(X, X, 1.0)[7], atol=1e-12)
    rows = SVC(C=1.0, tol=1e-6).fit(X, y)
    assert rows.dual_objective_ == pytest.approx(whole.dual_objective_, rel=1e-9)
    np.testing.assert_allclose(rows.decision_function(X), whole.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("n, copies", [(300, 1), (300, 2), (700, 1)])
def test_kernel_matrix_is_freed_at_once(n, copies):
    """No circle of references may keep 8 n² bytes until the garbage collector comes."""
    X, _ = moons(n)
    gram = Gram(kernel_function("rbf", gamma=1.0), X, copies=copies)
    K = np.tile(rbf_kernel(X, gamma=1.0), copies)
    for i in range(0, copies * n, 7):
        np.testing.assert_allclose(gram[i], K[i % n], atol=1e-12)
    forgotten = weakref.ref(gram)
    gc.disable()
    try:
        del gram
        assert forgotten() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("kernel, C", [("linear", 100.0), ("linear", 1e6), ("rbf", 1e3), ("rbf", 1e6)])
def test_climbing_reaches_what_creeping_does_not(kernel, C):
    X, y = moons(300)
    problem = dual_problem(X, y, C, kernel)
    for _ in smo_walk(problem, 1e-3, 500):
        pass
    low, far = problem.objective, problem.violation
    assert far > 0.1
    assert continue_to_box(problem, 1e-3)
    assert problem.objective > low
    assert problem.violation < 0.05 * far
    assert (problem.beta >= problem.lower).all() and (problem.beta <= problem.upper).all()
    assert abs(problem.beta.sum()) < 1e-9 * np.abs(problem.beta).sum()


def test_climbing_leaves_an_optimum_alone():
    X, y = separable(50)
    problem = dual_problem(X, y, 10.0)
    for _ in smo_walk(problem, 1e-10, 10**5):
        pass
    beta, value = problem.beta, problem.objective
    continue_to_box(problem, 1e-3)
    assert problem.objective >= value
    np.testing.assert_allclose(problem.beta, beta, atol=1e-6)


# ---------------------------------------------------------------------------------------------------------------
# The core, for other chapters
# ---------------------------------------------------------------------------------------------------------------
def regression(X, t, kernel, C, epsilon, tol):
    """ε-insensitive regression: two variables a point, Fan, Chen and Lin (2005)."""
    n = len(t)
    gram = Gram(kernel, X, copies=2)
    signs, p = np.repeat([1.0, -1.0], n), np.concatenate([epsilon - t, epsilon + t])
    problem = DualProblem.from_signs(gram, p, signs, C)
    run(solve_dual(problem, tol, 10**6))
    return problem, problem.beta[:n] + problem.beta[n:]


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("kept", [200_000_000, 8 * 160 * 20])
def test_support_vector_regression_runs_through_the_same_core(kernel, C, kept, monkeypatch):
    monkeypatch.setattr(gram_module, "MATRIX_BYTES", kept)
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(80, 1))
    t = np.sin(X[:, 0]) + 0.1 * rng.normal(size=80)
    function = kernel_function(kernel, gamma=1.0, X=X)
    problem, beta = regression(X, t, function, C, 0.1, 1e-6)
    assert problem.violation <= 1e-6
    theirs = sklearn.svm.SVR(C=C, epsilon=0.1, kernel=kernel, gamma=1.0, tol=1e-6).fit(X, t)
    f = function(X) @ beta + problem.intercept()
    np.testing.assert_allclose(f, theirs.predict(X), atol=1e-5)
    own, other = (0.1 * np.abs(c).sum() - t @ c + 0.5 * c @ function(X) @ c
                  for c in (beta, beta_of(theirs, 80)))
    assert own == pytest.approx(other, rel=1e-6)
    assert -problem.objective == pytest.approx(own, rel=1e-6)
    assert (np.minimum(problem.beta[:80], -problem.beta[80:]) == 0).all()  # above the tube or below it, not both


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_regression_with_a_large_C_needs_the_climb_and_agrees_with_quadratic_programming(kernel):
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, size=(40, 1))
    t = np.sin(X[:, 0]) + 0.3 * rng.normal(size=40)
    problem, _ = regression(X, t, kernel_function(kernel, gamma=0.1, X=X), 1e4, 0.1, 1e-4)
    assert problem.violation <= 1e-4
    signs, p = np.repeat([1.0, -1.0], 40), np.concatenate([0.1 - t, 0.1 + t])
    K = np.tile(kernel_function(kernel, gamma=0.1, X=X)(X), (2, 2))
    found = solve_qp(signs[:, np.newaxis] * K * signs, p, np.vstack([np.eye(80), -np.eye(80)]),
                     np.append(np.zeros(80), np.full(80, -1e4)), E=signs[np.newaxis], d=[0.0])
    assert found.status == "optimal"
    assert -problem.objective == pytest.approx(found.objective, rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12))
def test_the_core_solves_any_problem_with_signs_and_a_linear_term(seed, n):
    rng = np.random.default_rng(seed)
    X, y, p = rng.normal(size=(n, 3)), rng.choice([-1.0, 1.0], n), rng.normal(size=n)
    C = rng.uniform(0.1, 5.0, size=n)
    problem = DualProblem.from_signs(Gram(rbf_kernel, X), p, y, C)
    run(solve_dual(problem, 1e-9, 10**5))
    alpha = y * problem.beta
    assert (alpha >= 0).all() and (alpha <= C).all() and abs(y @ alpha) < 1e-9
    Q = y[:, np.newaxis] * rbf_kernel(X) * y
    found = solve_qp(Q, p, np.vstack([np.eye(n), -np.eye(n)]), np.append(np.zeros(n), -C), E=y[np.newaxis], d=[0.0])
    assert -problem.objective == pytest.approx(found.objective, rel=1e-6, abs=1e-8)
    assert 0.5 * alpha @ Q @ alpha + p @ alpha == pytest.approx(found.objective, rel=1e-6, abs=1e-8)


# ---------------------------------------------------------------------------------------------------------------
# Edge cases of SVC
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("C", [0.1, 1.0, 1e6])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_equal_points_with_different_labels(kernel, C):
    X, y = separable(30)
    X, y = np.vstack([X, X[:6]]), np.append(y, -y[:6])
    model = SVC(C=C, kernel=kernel, tol=1e-5).fit(X, y)
    assert model.violation_ <= 1e-5
    twins = np.append(np.arange(6), np.arange(30, 36))
    assert kkt_violation(model, X, y, C) < 1e-3
    assert set(model.bound_) & set(twins)  # no plane can satisfy both of a pair
    # LIBSVM does not finish for the linear kernel and C = 1e6; quadratic programming does
    found = soft_margin_dual_by_qp(model._kernel(X), y, C)
    assert model.dual_objective_ == pytest.approx(-found.objective, rel=1e-6)


def test_all_points_equal():
    X, y = np.ones((6, 2)), np.array([0, 0, 0, 0, 1, 1])
    model = SVC(C=1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert len(np.unique(model.predict(X))) == 1


def test_two_points_have_the_closed_form():
    X, y = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([-1, 1])
    model = SVC(C=1e6, kernel="linear").fit(X, y)
    np.testing.assert_allclose(model.coef_, 2 * X[1] / 25)
    assert model.intercept_ == pytest.approx(-1.0)
    assert np.abs(model.dual_coef_) == pytest.approx([2 / 25, 2 / 25])
    assert model.n_iter_ == 1


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("coef0", [-1.0, 0.0, 1.0])
def test_sigmoid_kernel_ends_at_a_kkt_point(coef0, C):
    X, y = moons(150)
    model = SVC(C=C, kernel="sigmoid", gamma=2.0, coef0=coef0)
    values = [state.dual_objective_ for state in model.iter_fit(X, y)]
    assert (np.diff(values) > -1e-9 * np.abs(values[1:])).all()
    assert model.violation_ <= 1e-3
    assert kkt_violation(model, X, y, C) < 3e-3
    assert np.linalg.eigvalsh(model._kernel(X))[0] < -1e-3  # it is no kernel matrix indeed


def test_precomputed_kernel_is_the_kernel():
    X, y = moons(120)
    train, test = np.arange(80), np.arange(80, 120)
    K = rbf_kernel(X, X, 0.7)
    direct = SVC(gamma=0.7, tol=1e-9).fit(X[train], y[train])
    given_matrix = SVC(kernel="precomputed", tol=1e-9).fit(K[np.ix_(train, train)], y[train])
    np.testing.assert_allclose(
        given_matrix.decision_function(K[np.ix_(test, train)]), direct.decision_function(X[test]), atol=1e-7
    )
    assert given_matrix.support_vectors_.shape == (0, 0)
    assert given_matrix.__sklearn_tags__().input_tags.pairwise
    called = SVC(kernel=lambda A, B: rbf_kernel(A, B, 0.7), tol=1e-9).fit(X[train], y[train])
    np.testing.assert_allclose(called.decision_function(X[test]), direct.decision_function(X[test]), atol=1e-7)


def test_bad_data_is_named():
    X, y = separable(10)
    with pytest.raises(ValueError, match="only one class: 1.0"):
        SVC().fit(X, np.ones(10))
    with pytest.raises(ValueError, match="Only binary classification is supported.*3 classes"):
        SVC().fit(X, np.arange(10) % 3)
    with pytest.raises(ValueError, match="one column for each of the 10 training rows, got shape"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError, match=r"symmetric, but K\[0, 9\] = 9"):
        SVC(kernel="precomputed").fit(np.eye(10) + 9 * np.eye(10, k=9), y)
    model = SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="7 features.*expecting 10"):
        model.predict(np.ones((3, 7)))
    with pytest.raises(ValueError, match="overflows"):
        SVC(kernel="poly", degree=9, gamma=1.0).fit(1e50 * X, y)


def test_too_few_steps_warn_and_still_predict():
    X, y = moons(200)
    with pytest.warns(ConvergenceWarning, match="stopped after 5 steps.*raise max_iter or tol"):
        model = SVC(C=10.0, max_iter=5).fit(X, y)
    assert model.n_iter_ == 5 and model.score(X, y) > 0.5


def test_extreme_units_end_without_hanging():
    X, y = moons(100)
    for scale in (1e-8, 1e8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = SVC(kernel="linear", max_iter=20_000).fit(scale * X, y)
        assert np.isfinite(model.decision_function(scale * X)).all()
        assert SVC().fit(scale * X, y).score(scale * X, y) > 0.85  # gamma="scale" takes the units out


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_linear_features_far_from_zero(offset):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(40, 3)) * 2**10) / 2**10  # X + offset is exact
    y = np.where(X[:, 0] > 0, 1, -1)
    near = SVC(kernel="linear", tol=1e-9).fit(X, y)
    far = SVC(kernel="linear", tol=1e-9).fit(X + offset, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    np.testing.assert_allclose(far.decision_function(X + offset), near.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(far.support_vectors_, X[far.support_] + offset)
    assert far.duality_gap_ == pytest.approx(near.duality_gap_, abs=1e-6)


def test_rounding_above_tol_warns():
    with pytest.warns(ConvergenceWarning, match="rounding"):
        SVC(kernel="linear", tol=1e-17).fit([[0.0], [2.0]], [-1, 1])


def test_a_refit_with_another_kernel_drops_the_weights():
    X, y = moons(40)
    model = SVC(kernel="linear").fit(X, y)
    assert model.coef_.shape == (2,)
    model.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")


def test_an_asymmetric_kernel_function_is_refused():
    X, y = moons(40)
    with pytest.raises(ValueError, match="must be symmetric"):
        SVC(kernel=lambda A, B: A @ B.T + A[:, :1]).fit(X, y)


# ---------------------------------------------------------------------------------------------------------------
# Margins and the hard margin
# ---------------------------------------------------------------------------------------------------------------
def test_toy_set_of_the_notes():
    Q, p, A, c = dual_qp(TOY_X, TOY_Y)
    np.testing.assert_array_equal(Q, [[0, 0, 0, 0], [0, 8, -4, -6], [0, -4, 4, 6], [0, -6, 6, 9]])
    np.testing.assert_array_equal(A[:2], [[-1, -1, 1, 1], [1, 1, -1, -1]])
    np.testing.assert_array_equal(A[2:], np.eye(4))
    np.testing.assert_array_equal(p, -np.ones(4))
    np.testing.assert_array_equal(c, np.zeros(6))
    for plane in (hard_margin_primal(TOY_X, TOY_Y), hard_margin_dual(TOY_X, TOY_Y)):
        np.testing.assert_allclose(plane.w, [1, -1], atol=1e-7)
        assert plane.b == pytest.approx(-1)
        np.testing.assert_allclose(plane.alpha, [0.5, 0.5, 1, 0], atol=1e-6)
        assert plane.margin == pytest.approx(1 / np.sqrt(2))
    # the form of Notes C (17), with two inequalities for the equality, has the same solution
    found = solve_qp(Q, p, A, c)
    np.testing.assert_allclose(found.x, [0.5, 0.5, 1, 0], atol=1e-5)
    assert kkt_residuals(Q, p, A, c, np.array([0.5, 0.5, 1, 0]), np.array([1.0, 0, 0, 0, 0, 1])).stationarity < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_primal_dual_and_smo_find_one_hyperplane(seed):
    X, y = separable(40, seed)
    primal, dual = hard_margin_primal(X, y), hard_margin_dual(X, y)
    model = SVC(C=1e9, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(dual.w, primal.w, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.coef_, primal.w, rtol=1e-5, atol=1e-7)
    assert dual.b == pytest.approx(primal.b, abs=1e-6)
    assert model.intercept_ == pytest.approx(primal.b, abs=1e-5)
    assert -dual.solution.objective == pytest.approx(primal.solution.objective, rel=1e-7)
    assert model.dual_objective_ == pytest.approx(primal.solution.objective, rel=1e-6)
    assert geometric_margin(primal.w, primal.b, X, y).min() == pytest.approx(primal.margin, rel=1e-6)


def test_no_direction_has_a_wider_margin():
    X, y = separable(30)
    plane = hard_margin_primal(X, y)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    scores = X @ np.array([np.cos(angles), np.sin(angles)])
    widths = (scores[y > 0].min(axis=0) - scores[y < 0].max(axis=0)) / 2
    assert widths.max() <= plane.margin + 1e-9
    assert widths.max() == pytest.approx(plane.margin, abs=1e-4)


def test_hard_margin_needs_a_separating_plane():
    X, y = moons(40)
    for solve in (hard_margin_primal, hard_margin_dual):
        with pytest.raises(ValueError, match="no hyperplane separates.*use SVC"):
            solve(X, y)
        with pytest.raises(ValueError, match="only one class: 1.0"):
            solve(X, np.ones(40))
        with pytest.raises(ValueError, match="must hold .1 and -1 only, got 0.0"):
            solve(X, np.arange(40) % 2)


def test_margins_by_hand():
    X, y = np.array([[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]), np.array([1, 1, -1])
    np.testing.assert_allclose(functional_margin([3, 4], -5, X, y), [20, -5, -45])
    np.testing.assert_allclose(geometric_margin([3, 4], -5, X, y), [4, -1, -9])
    np.testing.assert_allclose(geometric_margin([30, 40], -50, X, y), [4, -1, -9])
    with pytest.raises(ValueError, match="w is zero"):
        geometric_margin([0, 0], 1, X, y)
    with pytest.raises(ValueError, match="one entry for each of the 2 features, got 3"):
        functional_margin([1, 2, 3], 0, X, y)
    with pytest.raises(ValueError, match="got 2.0"):
        functional_margin([1, 2], 0, X, [1, 2, 1])


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_geometric_margin_is_the_distance_to_the_foot(seed):
    rng = np.random.default_rng(seed)
    w, b, X, y = rng.normal(size=3), rng.normal(), rng.normal(size=(5, 3)), rng.choice([-1.0, 1.0], 5)
    # the nearest point of the plane by constrained least squares, not by the formula
    for x, sign, margin in zip(X, y, geometric_margin(w, b, X, y)):
        kkt = np.block([[np.eye(3), w[:, np.newaxis]], [w[np.newaxis], np.zeros((1, 1))]])
        foot = np.linalg.solve(kkt, np.append(x, -b))[:3]
        assert abs(margin) == pytest.approx(np.linalg.norm(x - foot), abs=1e-9)
        assert np.sign(margin) == sign * np.sign(w @ x + b)


def test_hinge_loss():
    y, score = np.array([1, 1, 1, -1, -1]), np.array([2.0, 1.0, -0.5, 0.0, -3.0])
    np.testing.assert_allclose(hinge_loss(y, score), [0, 0, 1.5, 1, 0])
    assert hinge_loss(y, score).mean() == pytest.approx(sklearn_hinge_loss(y, score))
    with pytest.raises(ValueError, match="inconsistent"):
        hinge_loss(y, score[:3])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C, kernel", [(0.1, "linear"), (10.0, "linear"), (1.0, "rbf"), (1e4, "rbf")])
def test_leave_one_out_error_is_below_its_bound(seed, C, kernel):
    X, y = moons(40, seed=seed)
    model = SVC(C=C, kernel=kernel, gamma=1.0)
    error = np.mean(cross_val_predict(model, X, y, cv=LeaveOneOut()) != y)
    assert error <= loo_bound(model.fit(X, y)) + 1e-12


def test_loo_bound_needs_a_fitted_model():
    with pytest.raises(NotFittedError):
        loo_bound(SVC())
    assert loo_bound(SVC(C=1e6, kernel="linear").fit(TOY_X, TOY_Y)) == 3 / 4


def test_an_outlier_turns_the_hard_margin_and_hardly_the_soft_one():
    X = np.array([[0, 0], [0, 1], [0, 2], [0, 3], [4, 0], [4, 1], [4, 2], [4, 3]], dtype=float)
    y = np.array([-1, -1, -1, -1, 1, 1, 1, 1])
    outlier, label = np.array([[3.0, 4.0]]), np.array([-1])
    before, after = hard_margin_primal(X, y), hard_margin_primal(np.vstack([X, outlier]), np.append(y, label))
    assert before.margin == pytest.approx(2.0)
    assert after.margin < 0.5 * before.margin
    turned = np.degrees(np.arccos(before.w @ after.w * before.margin * after.margin))
    assert turned > 20
    soft = SVC(C=0.05, kernel="linear").fit(np.vstack([X, outlier]), np.append(y, label))
    assert np.degrees(np.arctan2(abs(soft.coef_[1]), soft.coef_[0])) < 12


def test_primal_qp_of_the_notes():
    Q, p, A, c = primal_qp(TOY_X, TOY_Y)
    np.testing.assert_array_equal(Q, np.diag([0, 1, 1]))
    np.testing.assert_array_equal(A, [[-1, 0, 0], [-1, -2, -2], [1, 2, 0], [1, 3, 0]])
    assert (p == 0).all() and (c == 1).all() and np.linalg.matrix_rank(Q) == 2


# ---------------------------------------------------------------------------------------------------------------
# LinearSVC
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("data", [moons, ten_features])
def test_linear_svc_comes_within_a_per_cent_of_the_optimum(data, C):
    X, y = data(500)
    X = 3.0 * X + 50.0
    exact = SVC(C=C, kernel="linear").fit(X, y)
    model = LinearSVC(C=C, random_state=0).fit(X, y)
    assert model.objective_ == pytest.approx(0.5 * model.coef_ @ model.coef_ + C * hinge_loss(
        y, model.decision_function(X)).sum())
    assert exact.dual_objective_ <= model.objective_ <= 1.01 * exact.dual_objective_
    assert np.mean(model.predict(X) == exact.predict(X)) > 0.97


def test_linear_svc_on_the_breast_cancer_data():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LinearSVC(C=0.01, random_state=0).fit(X, y)
    theirs = sklearn.svm.SVC(C=0.01, kernel="linear").fit(X, y)
    assert np.mean(model.predict(X) == theirs.predict(X)) > 0.99


def test_linear_svc_warns_where_it_creeps_and_is_reproducible():
    X, y = make_blobs(100, 2, centers=[[-3, 0], [3, 0]], random_state=0)
    with pytest.warns(ConvergenceWarning, match="objective still falls"):
        LinearSVC(C=1e6, max_iter=20, random_state=0).fit(X, y)
    first, second = (LinearSVC(random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


@pytest.mark.parametrize("C", [1e4, 1e6])
def test_linear_svc_warns_where_it_stands_still_above_the_minimum(C):
    # all points are beyond the street, nothing pulls but λ, and no pass lowers the objective
    X, y = separable(300)
    with pytest.warns(ConvergenceWarning, match="creeps.*use SVC"):
        model = LinearSVC(C=C, random_state=0, max_iter=300).fit(X, y)
    best = SVC(C=C, kernel="linear").fit(X, y).dual_objective_
    assert model.objective_ > 1.02 * best and model.score(X, y) == 1.0


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_subgradient_is_the_gradient_away_from_corners_and_always_supports(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], 12)
    rows, lam = np.column_stack([X, np.ones(12)]), np.array([1.0, 1.0, 0.0]) / (12 * 0.7)
    theta, other = rng.normal(size=3), rng.normal(size=3)
    slope = hinge_subgradient(theta, rows, y, lam)
    tangent = hinge_objective(theta, rows, y, lam) + slope @ (other - theta)
    assert hinge_objective(other, rows, y, lam) >= tangent - 1e-12
    if np.abs(1 - y * (rows @ theta)).min() > 1e-2:
        numerical = numerical_gradient(lambda u: hinge_objective(u, rows, y, lam), theta, h=1e-4)
        np.testing.assert_allclose(slope, numerical, atol=1e-8)
    parts = np.mean([hinge_subgradient(theta, rows[[i]], y[[i]], lam) for i in range(12)], axis=0)
    np.testing.assert_allclose(parts, slope, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30))
def test_best_intercept_is_best(seed, n):
    rng = np.random.default_rng(seed)
    score, y = rng.normal(size=n).round(1), rng.choice([-1.0, 1.0], n)
    y[:2] = 1.0, -1.0

    def loss(b):
        return np.maximum(0, 1 - y * (score + b)).sum()

    best = loss(best_intercept(score, y))
    assert best <= min(loss(b) for b in np.append(np.linspace(-6, 6, 1201), y - score)) + 1e-9


# ---------------------------------------------------------------------------------------------------------------
# Extreme units
# ---------------------------------------------------------------------------------------------------------------
def forty_points():
    X = np.random.default_rng(0).normal(size=(40, 3))
    return X, np.where(X[:, 0] > 0, 1.0, -1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solve", [hard_margin_primal, hard_margin_dual])
@pytest.mark.parametrize("scale", [1e-90, 1e-8, 1e8, 1e90])
def test_the_hard_margin_follows_the_units(solve, scale):
    X, y = forty_points()
    base, plane = solve(X, y), solve(scale * X, y)
    assert plane.margin == pytest.approx(scale * base.margin, rel=1e-9, abs=0)
    np.testing.assert_allclose(plane.w, base.w / scale, rtol=1e-8)
    assert functional_margin(plane.w, plane.b, scale * X, y).min() == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize("solve", [hard_margin_primal, hard_margin_dual])
def test_the_hard_margin_far_from_zero_and_beyond_float64(solve):
    X, y = forty_points()
    assert solve(X + 1e6, y).margin == pytest.approx(solve(X, y).margin, rel=1e-7)
    with pytest.raises(ValueError, match="multiplier leaves the range"):
        solve(1e-300 * X, y)


def test_the_solution_of_a_hard_margin_is_in_the_units_of_the_data():
    X, y = forty_points()
    plane = hard_margin_primal(100 * X + 7, y)
    residuals = kkt_residuals(*primal_qp(100 * X + 7, y), plane.solution.x, plane.solution.multipliers)
    assert residuals.worst < 1e-6
    assert plane.solution.objective == pytest.approx(0.5 * plane.w @ plane.w, rel=1e-8)


@pytest.mark.parametrize("scale", [1e4, 1e8, 1e90])
def test_the_soft_margin_of_separated_classes_in_large_units_is_the_hard_one(scale):
    X, y = forty_points()
    plane = soft_margin_primal(scale * X, y, 1.0)
    assert plane.margin / scale == pytest.approx(hard_margin_primal(X, y).margin, rel=1e-6)
    assert plane.solution.x.shape == (44,)
    np.testing.assert_allclose(plane.solution.x[4:], 0.0, atol=1e-6)


def test_the_soft_margin_in_small_units_is_that_of_a_small_price():
    X, y = forty_points()
    small, base = soft_margin_primal(1e-3 * X + 5, y, 1e4), soft_margin_primal(X, y, 1e-2)
    np.testing.assert_allclose(small.w * 1e-3, base.w, rtol=1e-6)
    assert small.solution.objective * 1e-6 == pytest.approx(base.solution.objective, rel=1e-6)


@pytest.mark.filterwarnings("error")
def test_geometric_margins_of_long_normals_and_large_units():
    X, y = forty_points()
    base = geometric_margin(np.ones(3), 0.5, X, y)
    np.testing.assert_allclose(geometric_margin(np.full(3, 1e99), 0.5e99, X, y), base, rtol=1e-12)
    large = geometric_margin(np.full(3, 1e99), 0.0, 1e99 * X, y)
    np.testing.assert_allclose(large / 1e99, geometric_margin(np.ones(3), 0.0, X, y), rtol=1e-12)
    for beyond in (lambda: geometric_margin(np.full(3, 1e300), 0.0, X, y), lambda: dual_qp(1e160 * X, y),
                   lambda: hard_margin_primal(1e300 * X, y), lambda: LinearSVC().fit(1e155 * X, y)):
        with pytest.raises(ValueError, match="beyond 1e100 are refused.*rescale"):
            beyond()


def test_what_has_no_support_vectors_is_refused():
    X, y = forty_points()
    for model in ("x", LinearSVC(random_state=0).fit(X, y)):
        with pytest.raises(ValueError, match="is needed"):
            loo_bound(model)


# ---------------------------------------------------------------------------------------------------------------
# Help for SMO: kernel matrices of low rank, the last steps at once, boxes too large for float64
# ---------------------------------------------------------------------------------------------------------------
def by_smo_alone(X, y, C, parameters, tol=1e-12):
    """The dual after SMO until rounding stops it, with no help."""
    rows = X - X.mean(axis=0) if parameters["kernel"] == "linear" else X
    gram = Gram(kernel_function(**{"gamma": "scale", **parameters}, X=X), rows)
    problem = DualProblem.from_signs(gram, -np.ones(len(y)), y, C)
    run(smo_walk(problem, tol, 10**6))
    return problem


@pytest.mark.parametrize("n", [80, 700])
@pytest.mark.parametrize("parameters", KERNELS, ids=str)
def test_the_last_step_makes_alpha_and_b_exact_whatever_tol_is(n, parameters):
    X, y = moons(n)
    exact = by_smo_alone(X, y, 1.0, parameters)
    model = SVC(tol=1e-2, **parameters).fit(X, y)
    np.testing.assert_array_equal(model.support_, np.flatnonzero(exact.beta))
    np.testing.assert_array_equal(model.free_, exact.free)
    np.testing.assert_array_equal(model.bound_, np.flatnonzero(np.abs(exact.beta) == 1.0))
    assert len(model.free_) > 0 and len(model.bound_) > 0
    center = X.mean(axis=0) if parameters["kernel"] == "linear" else None
    b = model.intercept_ if center is None else model.intercept_ + model.coef_ @ center
    assert b == pytest.approx(exact.intercept(), abs=1e-8)
    np.testing.assert_allclose(beta_of(model, n), exact.beta, atol=1e-7)
    assert kkt_violation(model, X, y, 1.0) < 1e-8


def test_the_player_sees_pairs_and_then_one_step_of_all():
    X, y = moons(40)
    states = snapshots(SVC(C=3.0).iter_fit(X, y))
    assert all(state.last_step_ is not None for state in states[:-1])
    assert states[-1].last_step_ is None
    assert 0 < states[-2].violation_ <= 1e-3
    assert states[-1].violation_ < 1e-9


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(4, 60), exponent=st.floats(-2, 6), steps=st.integers(1, 60),
    kernel=st.sampled_from(["linear", "poly", "rbf", "sigmoid"]),
)
@example(seed=3043, n=18, exponent=0.6453164696509721, steps=6, kernel="sigmoid")  # variables came and went for ever
def test_settling_never_lowers_w_and_stays_feasible(seed, n, exponent, steps, kernel):
    rng = np.random.default_rng(seed)
    X, y = np.round(rng.normal(size=(n, 2)), 1), rng.choice([-1.0, 1.0], n)  # rounded: equal points occur
    y[:2] = 1.0, -1.0
    problem = dual_problem(X, y, 10.0**exponent, kernel)
    for _ in zip(range(steps), smo_walk(problem, 1e-3, 10**6)):
        pass
    before, K = problem.objective, problem.gram.matrix()
    settle(problem, EFFORT)
    beta = problem.beta
    assert problem.objective >= before - 1e-9 * abs(before)
    assert (beta >= problem.lower).all() and (beta <= problem.upper).all()
    assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    np.testing.assert_allclose(problem.gradient, y - K @ beta, atol=1e-9 * max(1, np.abs(beta).sum() * np.abs(K).max()))
    assert settle(problem, EFFORT) is False or problem.objective >= before


def test_settling_ends_at_the_optimum_where_few_points_are_misplaced():
    X, y = moons(200)
    problem = dual_problem(X, y, 100.0)
    for _ in zip(range(250), smo_walk(problem, 1e-3, 10**6)):
        pass
    assert problem.remaining > 0.01
    assert settle(problem, EFFORT)
    assert problem.remaining < 1e-8
    found = soft_margin_dual_by_qp(problem.gram.matrix(), y, 100.0)
    assert -problem.objective == pytest.approx(found.objective, rel=1e-9)


@pytest.mark.parametrize("kernel, rank", [("linear", 8), ("poly", 45)])  # two of the ten features depend on others
@pytest.mark.parametrize("copies", [1, 2])
def test_the_factor_of_a_kernel_matrix_of_low_rank_reproduces_it(kernel, rank, copies):
    X, _ = ten_features(1200)
    gram = Gram(kernel_function(kernel, gamma="scale", degree=2, coef0=1.0, X=X), X, copies=copies)
    G = low_rank(gram, 75)
    assert G.shape[1] == 1200 * copies and G.shape[0] == rank
    np.testing.assert_allclose(G.T @ G, gram.matrix(), rtol=0, atol=1e-8 * gram.diagonal().max())


def test_what_has_no_low_rank_is_left_alone():
    X, y = ten_features(300)
    problem = dual_problem(X, y, 1.0)
    assert low_rank(problem.gram, 100) is None
    assert interior_step(problem, 100) is False and not problem.beta.any()
    X, _ = moons(300)
    indefinite = Gram(kernel_function("sigmoid", gamma=2.0, coef0=-1.0, X=X), X)
    assert np.linalg.eigvalsh(indefinite.matrix())[0] < -1
    assert low_rank(indefinite, 100) is None


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("width", [1.0, 1e6])
def test_the_interior_point_method_ends_next_to_the_optimum_of_quadratic_programming(seed, width):
    rng = np.random.default_rng(seed)
    n, G = 40, rng.normal(size=(3, 40))
    q, lower, upper = rng.normal(size=n), -width * rng.random(n), width * rng.random(n)
    beta = interior_point(G, q, lower, upper)
    found = solve_qp(G.T @ G, -q, np.vstack([np.eye(n), -np.eye(n)]), np.append(lower, -upper), E=np.ones((1, n)),
                     d=[0.0])
    assert found.status == "optimal"
    assert q @ beta - 0.5 * np.sum((G @ beta) ** 2) == pytest.approx(-found.objective, rel=1e-4)
    assert (beta >= lower).all() and (beta <= upper).all()
    assert abs(beta.sum()) < 1e-4 * np.abs(beta).sum()
    at_bound = np.minimum(found.x - lower, upper - found.x) < 1e-9 * width
    np.testing.assert_array_equal((beta == lower) | (beta == upper), at_bound)


@pytest.mark.parametrize("kernel, C", [
    ("linear", 0.01), ("linear", 1.0), ("linear", 1e6), ("poly", 0.01), ("poly", 1e6), ("rbf", 1.0), ("rbf", 1e3),
])
def test_kernel_matrices_of_low_rank_are_leapt_over_in_a_few_steps(kernel, C):
    X, y = moons(1000)
    model = SVC(kernel=kernel, coef0=1.0, C=C).fit(X, y)
    assert model.n_iter_ <= 40  # without help, at least half as many steps as support vectors
    assert len(model.support_) > 200 and kkt_violation(model, X, y, C) < 1e-4


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30))
def test_a_guess_is_made_feasible_and_kept_only_if_w_rises(seed, n):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.choice([-1.0, 1.0], n)
    y[:2] = 1.0, -1.0
    problem = dual_problem(X, y, 2.0)
    for _ in zip(range(int(rng.integers(0, 5))), smo_walk(problem, 1e-3, 100)):
        pass
    value, guess = problem.objective, rng.normal(scale=3.0, size=n)
    rose = adopt(problem, guess)
    beta = problem.beta
    assert (beta >= problem.lower).all() and (beta <= problem.upper).all() and abs(beta.sum()) < 1e-12
    assert problem.objective > value if rose else problem.objective == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(problem.gradient, y - problem.gram.matrix() @ beta, atol=1e-12)


@pytest.mark.parametrize("kernel", [
    "linear", "poly", "rbf", "laplacian", "sigmoid", lambda A, B: (A @ B.T) ** 2,
], ids=["linear", "poly", "rbf", "laplacian", "sigmoid", "a function"])
def test_the_diagonal_of_a_kernel_matrix(kernel):
    X, _ = ten_features(150)
    function = kernel_function(kernel, gamma="scale", coef0=0.5, X=X)
    np.testing.assert_allclose(kernel_diagonal(function, X), function(X).diagonal(), rtol=1e-12)


def overlapping_in_units(scale):
    X, y = moons(150)
    return scale * X, y


@pytest.mark.parametrize("kernel, scale, C", [
    ("linear", 1e6, 1.0), ("linear", 1e8, 1.0), ("linear", 1e12, 1.0), ("linear", 1.0, 1e14), ("linear", 1.0, 1e100),
    ("poly", 1.0, 1e13), ("poly", 1.0, 1e100),
])
def test_a_box_beyond_float64_is_made_smaller_and_warns(kernel, scale, C):
    X, y = overlapping_in_units(scale)
    with pytest.warns(ConvergenceWarning, match="SVC made α at most .* not C = .*scale the features"):
        model = SVC(kernel=kernel, C=C, coef0=1.0).fit(X, y)
    assert model.n_iter_ < 1000  # no walk of a million steps
    assert model.violation_ > 1e-3  # in the whole box it is no optimum
    assert len(model.bound_) > 0 and len(model.free_) > 0
    # yet w and b hardly differ from those of a price at which the street has long stopped to change
    near = SVC(kernel=kernel, C=1e6, coef0=1.0).fit(X / scale, y)
    np.testing.assert_allclose(model.decision_function(X), near.decision_function(X / scale), atol=2e-2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kernel, scale, C", [
    ("linear", 1e6, 1.0), ("linear", 1e8, 1.0), ("linear", 1e98, 1.0), ("linear", 1.0, 1e100), ("rbf", 1.0, 1e150),
    ("poly", 1.0, 1e100),
])
def test_separable_classes_are_solved_in_any_units_and_any_box(kernel, scale, C):
    X, y = separable(150)
    model = SVC(kernel=kernel, C=C, coef0=1.0).fit(scale * X, y)
    base = SVC(kernel=kernel, C=1e6, coef0=1.0).fit(X, y)
    assert model.n_iter_ < 1000 and len(model.bound_) == 0
    np.testing.assert_allclose(model.decision_function(scale * X), base.decision_function(X), atol=1e-6)


def test_a_tol_below_the_rounding_ends_early_and_warns():
    X, y = moons(150)
    for kernel in ("linear", "rbf"):
        with pytest.warns(ConvergenceWarning, match="rounding"):
            model = SVC(kernel=kernel, C=1e10, tol=1e-9).fit(X, y)
        assert model.n_iter_ < 3000


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e6])
def test_an_offset_of_the_targets_does_not_keep_regression_from_leaping(shift):
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(1000, 2))
    t = np.sin(X[:, 0]) + 0.3 * rng.normal(size=1000)
    function = kernel_function("rbf", gamma="scale", X=X)
    base, beta = regression(X, t, function, 1.0, 0.1, 1e-3)
    gram, signs = Gram(function, X, copies=2), np.repeat([1.0, -1.0], 1000)
    problem = DualProblem.from_signs(gram, np.concatenate([0.1 - t - shift, 0.1 + t + shift]), signs, 1.0)
    assert sum(1 for _ in solve_dual(problem, 1e-3, 10**6)) <= 40
    assert problem.intercept() - shift == pytest.approx(base.intercept(), abs=1e-6)
    np.testing.assert_allclose(problem.beta[:1000] + problem.beta[1000:], beta, atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_a_regression_beyond_float64_says_so(seed):
    rng = np.random.default_rng(seed)
    X, t = 1e8 * rng.normal(size=(60, 2)), rng.normal(size=60)
    gram, signs = Gram(kernel_function("linear", X=X), X, copies=2), np.repeat([1.0, -1.0], 60)
    problem = DualProblem.from_signs(gram, np.concatenate([0.1 - t, 0.1 + t]), signs, 1.0)
    steps = sum(1 for _ in solve_dual(problem, 1e-3, 10**6))
    assert problem.limited and problem.violation > 1e-3 >= problem.remaining and steps < 5000


@pytest.mark.parametrize("C", [1e-4, 2e-4, 5e-4, 1e-3])
def test_last_step_starts_without_a_free_point(C):
    """With a small C all points may be at bounds when their votes agree to within tol, some at the wrong one."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=30) > 0).astype(int)
    model = SVC(C=C, gamma=0.3).fit(X, y)
    assert abs(model.duality_gap_) <= 1e-10 * model.primal_objective_
    assert model.violation_ <= 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_last_step_beside_an_outlier(seed):
    """An outlier with K_ii = 1e8 times the others' must not drown them in the ridge of the equations."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    X[0] *= 1e4 / np.abs(X[0]).max()
    model = SVC(C=1e3, kernel="linear", tol=1e-3).fit(X, y)
    assert model.duality_gap_ <= 1e-10 * model.primal_objective_


def test_linear_svc_says_that_it_creeps_where_a_far_shorter_w_would_be_better():
    """One of six points is positive, C is large: after some jumps w is far too long, and hardly shrinks."""
    X = [
        [-1.4, 0.5, 1.2], [-0.4, 1.6, 0.6], [-2.0, -0.8, -0.8], [-0.1, -1.8, -1.1], [0.5, -0.3, -1.9], [-0.6, -0.2, 1.2]
    ]
    y = [1, 0, 0, 0, 0, 0]
    exact = SVC(C=2325, kernel="linear").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="its objective still falls, or creeps"):
        model = LinearSVC(C=2325, max_iter=300, random_state=0).fit(X, y)
    assert model.objective_ > 10 * exact.primal_objective_  # 1,500 times, and no warning, with 1 % as the only length


@pytest.mark.parametrize("model", [SVC(kernel="linear"), LinearSVC(random_state=0)], ids=["SVC", "LinearSVC"])
def test_points_beyond_the_door_are_refused(model):
    X, y = ten_features(100)
    with pytest.raises(ValueError, match="beyond 1e100 are refused.*rescale"):
        model.fit(X, y).decision_function(np.sign(model.coef_)[np.newaxis] * 1.7e308)
