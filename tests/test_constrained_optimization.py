"""Quadratic programs against SciPy, linear programming and the KKT conditions; duality; coordinate ascent."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear, minimize, nnls
from sklearn.svm import SVC

from mlcore.base import snapshots
from mlcore.constrained_optimization import (
    central_path,
    coordinate_ascent,
    kkt_residuals,
    lagrangian_dual,
    maximize_in_box,
    solve_qp,
)
from mlcore.constrained_optimization.certificates import farkas
from mlcore.constrained_optimization.interior_point import factor
from mlcore.constrained_optimization.kkt import relative_error
from mlcore.core.constrained_optimization import QP, missing, newton_step, step_length
from mlcore.engines.interior_point import interior_point
from mlcore.optimize import last


def solvable(seed, *, integer=False, semidefinite=True, pairs=False):
    """A random problem with a known minimiser x, degenerate in many ways; the KKT conditions are built in."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.integers(-2, 3, size=shape).astype(float) if integer else rng.normal(size=shape)

    n, m = int(rng.integers(1, 10)), int(rng.integers(0, 16))
    l = int(rng.integers(0, n // 2 + 1))
    B = draw(n, int(rng.integers(0, n + 1)) if semidefinite else n)
    Q = B @ B.T + (0 if semidefinite else 0.1 * np.eye(n))
    A, E, x = draw(m, n), draw(l, n), draw(n)
    slack = rng.choice([0.0, 0.0, 1.0, 2.0], size=m)
    alpha = np.where(slack == 0, rng.choice([0.0, 1.0, 2.0], size=m), 0.0)  # active with α = 0 happens
    p = A.T @ alpha + E.T @ draw(l) - Q @ x
    c, d = A @ x - slack, E @ x
    if pairs:  # each equality as two inequalities, and each inequality twice: no inside, multipliers not unique
        return {"Q": Q, "p": p, "A": np.vstack([A, A, E, -E]), "c": np.concatenate([c, c, d, -d])}, x
    return {"Q": Q, "p": p, "A": A, "c": c, "E": E, "d": d}, x


def unconstructed(seed):
    """A random problem that may have a solution, be infeasible or be unbounded."""
    rng = np.random.default_rng(seed)
    n, m, l = int(rng.integers(1, 8)), int(rng.integers(0, 12)), int(rng.integers(0, 3))
    B = rng.normal(size=(n, int(rng.integers(0, n + 1))))
    return {
        "Q": B @ B.T, "p": rng.normal(size=n), "A": rng.normal(size=(m, n)), "c": rng.normal(size=m),
        "E": rng.normal(size=(l, n)), "d": rng.normal(size=l),
    }


def residuals(problem, found):
    return kkt_residuals(
        problem["Q"], problem["p"], problem.get("A"), problem.get("c"), found.x, found.multipliers,
        E=problem.get("E"), d=problem.get("d"), equality_multipliers=found.equality_multipliers,
    )


def value(problem, x):
    return x @ np.asarray(problem["Q"]) @ x / 2 + np.asarray(problem["p"]) @ x


def linear(objective, problem, equalities, zero):
    """Minimise a linear objective by SciPy under the problem's constraints (or, with ``zero``, their directions)."""
    A, c = problem["A"], problem["c"] * (0 if zero else 1)
    rows, sides = equalities
    return linprog(
        objective, A_ub=-A if len(A) else None, b_ub=-c if len(A) else None, A_eq=rows if len(rows) else None,
        b_eq=sides if len(rows) else None, bounds=(-1, 1) if zero else (None, None),
    )


def true_status(problem):
    """What SciPy's linear programming says: is any point feasible, is there a ray along which the objective falls?"""
    if linear(0 * problem["p"], problem, (problem["E"], problem["d"]), zero=False).status == 2:
        return "infeasible"
    rows = np.vstack([problem["Q"], problem["E"]])
    ray = linear(problem["p"], problem, (rows, np.zeros(len(rows))), zero=True)
    return "unbounded" if ray.fun < -1e-7 else "optimal"


def svm_dual(n, C, seed=0, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + shift * y[:, None]
    Z = y[:, None] * X
    problem = {
        "Q": Z @ Z.T, "p": -np.ones(n), "A": np.vstack([np.eye(n), -np.eye(n)]),
        "c": np.concatenate([np.zeros(n), np.full(n, -C)]), "E": y[None], "d": [0.0],
    }
    return problem, X, y


# -- solved problems --------------------------------------------------------------------------------------------------
@given(
    seed=st.integers(0, 10**9), integer=st.booleans(), semidefinite=st.booleans(), pairs=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_kkt_residuals_of_random_problems(seed, integer, semidefinite, pairs):
    problem, x = solvable(seed, integer=integer, semidefinite=semidefinite, pairs=pairs)
    found = solve_qp(**problem)
    assert found.status == "optimal", found.message
    assert residuals(problem, found).worst <= 1e-8
    assert found.objective == pytest.approx(value(problem, x), rel=1e-8, abs=1e-8)
    if not semidefinite:
        np.testing.assert_allclose(found.x, x, rtol=1e-7, atol=1e-7)


HARD = [  # active constraints with multiplier zero, no inside, nearly dependent rows: Newton's method alone stops short
    (281, False, False, False), (1390, False, False, False), (1492, False, False, False), (462, True, False, False),
    (644, False, False, True), (991, False, False, True), (1492, False, False, True), (1883, True, False, True),
    (304, False, True, True), (764, False, True, True), (1245, False, True, True), (130, False, True, True),
    (234, True, True, True), (25, True, True, True), (376, True, True, True), (1282, True, True, True),
]


@pytest.mark.parametrize(("seed", "integer", "semidefinite", "pairs"), HARD)
def test_kkt_residuals_of_hard_problems(seed, integer, semidefinite, pairs):
    problem, x = solvable(seed, integer=integer, semidefinite=semidefinite, pairs=pairs)
    found = solve_qp(**problem)
    assert found.status == "optimal", found.message
    assert residuals(problem, found).worst <= 1e-8
    assert found.objective == pytest.approx(value(problem, x), rel=1e-9, abs=1e-8)
    if not semidefinite:
        np.testing.assert_allclose(found.x, x, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("seed", range(15))
def test_agrees_with_scipy_slsqp(seed):
    problem, _ = solvable(seed, semidefinite=False)
    Q, p, A, c, E, d = problem.values()
    constraints = []
    if len(A):
        constraints.append({"type": "ineq", "fun": lambda x: A @ x - c, "jac": lambda x: A})
    if len(E):
        constraints.append({"type": "eq", "fun": lambda x: E @ x - d, "jac": lambda x: E})
    theirs = minimize(
        lambda x: value(problem, x), np.zeros(len(p)), jac=lambda x: Q @ x + p, method="SLSQP", constraints=constraints,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    np.testing.assert_allclose(solve_qp(**problem).x, theirs.x, atol=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_scipy_bounded_least_squares(seed):
    rng = np.random.default_rng(seed)
    M, b = rng.normal(size=(20, 8)), rng.normal(size=20)
    low, high = -rng.uniform(0, 0.3, size=8), rng.uniform(0, 0.3, size=8)
    A, c = np.vstack([np.eye(8), -np.eye(8)]), np.concatenate([low, -high])
    found = solve_qp(M.T @ M, -M.T @ b, A, c)
    np.testing.assert_allclose(found.x, lsq_linear(M, b, (low, high), tol=1e-14).x, atol=1e-7)
    assert ((found.x == low) | (found.x == high)).sum() == (found.multipliers > 0).sum() > 0  # exactly on the bound
    np.testing.assert_allclose(solve_qp(M.T @ M, -M.T @ b, np.eye(8), np.zeros(8)).x, nnls(M, b)[0], atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_linear_programs_agree_with_scipy(seed):
    problem, _ = solvable(seed)
    rng = np.random.default_rng(seed)
    alpha, beta = rng.uniform(size=len(problem["c"])), rng.normal(size=len(problem["d"]))
    problem |= {"Q": 0 * problem["Q"], "p": problem["A"].T @ alpha + problem["E"].T @ beta}  # so it is bounded
    found, theirs = solve_qp(**problem), linear(problem["p"], problem, (problem["E"], problem["d"]), zero=False)
    assert found.status == "optimal" and theirs.status == 0
    assert residuals(problem, found).worst <= 1e-8
    assert found.objective == pytest.approx(theirs.fun, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(25))
def test_brute_force_over_active_sets(seed):
    """The minimiser is the best feasible point among those where some of the constraints hold as equations."""
    problem, _ = solvable(seed, semidefinite=False)
    Q, p, A, c, E, d = problem.values()
    A, c = A[:7], c[:7]
    best = np.inf
    for size in range(min(len(c), len(p)) + 1):
        for rows in itertools.combinations(range(len(c)), size):
            R, r = np.vstack([A[list(rows)], E]), np.concatenate([c[list(rows)], d])
            K = np.block([[Q, R.T], [R, np.zeros((len(r), len(r)))]])
            x = np.linalg.lstsq(K, np.concatenate([-p, r]), rcond=None)[0][: len(p)]
            if (A @ x >= c - 1e-9).all() and np.allclose(E @ x, d, atol=1e-9):
                best = min(best, value(problem, x))
    assert solve_qp(Q, p, A, c, E=E, d=d).objective == pytest.approx(best, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("shift", [0.3, 1.0, 4.0])
def test_svm_duals(C, shift):
    """Rank 2, one equality, two bounds a variable; separable data for the large shift."""
    problem, X, y = svm_dual(60, C, shift=shift)
    found = solve_qp(**problem)
    assert found.status == "optimal"
    assert residuals(problem, found).worst <= 1e-8 * max(1.0, found.x.max())
    if C <= 1e3:
        theirs = SVC(C=C, kernel="linear", tol=1e-8).fit(X, y)
        alpha = np.zeros(60)
        alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
        assert found.objective == pytest.approx(value(problem, alpha), rel=1e-6)
        bound = found.x == C  # exactly, not nearly
        assert (theirs.decision_function(X)[bound] * y[bound] <= 1 + 1e-5).all()
    w = (found.x * y) @ X
    b = found.equality_multipliers[0]  # the multiplier of yᵀα = 0 is -b of the primal, up to the sign convention
    free = (found.x > 0) & (found.x < C)
    np.testing.assert_allclose(y[free] * (X[free] @ w - b), 1, atol=1e-6)


def test_equality_as_two_inequalities_is_notes_c_17():
    problem, _, y = svm_dual(40, 1.0)
    A, c = np.vstack([y, -y, problem["A"]]), np.concatenate([[0, 0], problem["c"]])
    split = solve_qp(problem["Q"], problem["p"], A, c)
    assert split.status == "optimal"
    assert split.objective == pytest.approx(solve_qp(**problem).objective, rel=1e-10)


def test_large_svm_dual():
    problem, _, _ = svm_dual(200, 1.0)
    found = solve_qp(**problem)
    assert residuals(problem, found).worst <= 1e-12
    assert found.n_iter < 20
    assert len(snapshots(central_path(**problem))) < 17  # 13; 19 without the second-order correction
    assert 0 < (found.x > 0).sum() < 100


# -- degenerate problems ----------------------------------------------------------------------------------------------
def test_active_constraint_with_multiplier_zero():
    """min x², x >= 0: the constraint is active, yet it costs nothing. "Active => μ > 0" of the notes fails."""
    found = solve_qp([[2.0]], [0.0], [[1.0]], [0.0])
    assert (found.status, found.x[0], found.multipliers[0]) == ("optimal", 0.0, 0.0)


def test_redundant_constraints_through_a_vertex():
    A = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [1, 0]]
    found = solve_qp(np.eye(2), [1.0, 1.0], A, np.zeros(6))
    np.testing.assert_array_equal(np.abs(found.x) < 1e-12, True)
    assert (found.multipliers >= 0).all()
    np.testing.assert_allclose(np.array(A).T @ found.multipliers, [1, 1], atol=1e-12)


def test_many_minimisers():
    """An objective that is flat along a face, and one that is flat everywhere."""
    found = solve_qp(np.zeros((2, 2)), [1.0, 0.0], [[1, 0], [0, 1], [0, -1]], [0, -1, -1])
    assert found.status == "optimal" and found.x[0] == 0 and -1 <= found.x[1] <= 1
    found = solve_qp(np.zeros((3, 3)), np.zeros(3))
    np.testing.assert_array_equal(found.x, np.zeros(3))
    assert found.objective == 0


def test_single_feasible_point():
    found = solve_qp(np.eye(2), [5.0, -3.0], [[1, 0], [-1, 0], [0, 1], [0, -1]], [2, -2, 3, -3])
    assert found.status == "optimal"
    np.testing.assert_array_equal(found.x, [2, 3])


def test_rows_of_zeros():
    assert solve_qp(np.eye(2), [1.0, 0.0], [[0.0, 0.0]], [0.0]).status == "optimal"
    assert solve_qp(np.eye(2), [1.0, 0.0], [[0.0, 0.0]], [-1.0]).multipliers == 0
    assert solve_qp(np.eye(2), [1.0, 0.0], [[0.0, 0.0]], [1e-3]).status == "infeasible"
    assert solve_qp(np.eye(2), [1.0, 0.0], E=[[0.0, 0.0]], d=[0.0]).status == "optimal"
    assert solve_qp(np.eye(2), [1.0, 0.0], E=[[0.0, 0.0]], d=[1.0]).status == "infeasible"
    for side in (1e-90, 1e-20, 1e20, 1e90):  # a contradiction in any units
        problem = {"Q": np.eye(1), "p": np.ones(1), "A": [[1.0], [0.0]], "c": [1.0, side], "E": [[0.0]], "d": [0.0]}
        found = solve_qp(**problem)
        assert "satisfies row 1 of A: " in found.message
        check_farkas({key: np.asarray(part) for key, part in problem.items()}, found)
        problem |= {"c": [1.0, 0.0], "d": [-side]}
        found = solve_qp(**problem)
        assert "satisfies row 0 of E: " in found.message
        check_farkas({key: np.asarray(part) for key, part in problem.items()}, found)


def test_dependent_equalities():
    found = solve_qp(np.eye(2), [0.0, 0.0], E=[[1, 1], [2, 2], [3, 3]], d=[1, 2, 3])
    np.testing.assert_allclose(found.x, [0.5, 0.5], rtol=1e-12)
    np.testing.assert_allclose([1, 2, 3] @ found.equality_multipliers, 0.5, rtol=1e-12)
    assert solve_qp(np.eye(2), [0.0, 0.0], E=[[1, 1], [2, 2]], d=[1, 2.001]).status == "infeasible"


def test_no_constraints():
    found = solve_qp([[2.0, 0.0], [0.0, 4.0]], [-2.0, 4.0])
    np.testing.assert_allclose(found.x, [1, -1], rtol=1e-15)
    assert (found.multipliers.shape, found.equality_multipliers.shape) == ((0,), (0,))
    np.testing.assert_array_equal(solve_qp(np.eye(2), [1, 1], np.zeros((0, 2)), []).x, [-1, -1])


def test_rows_without_a_bound():
    found = solve_qp(np.eye(2), [-3.0, -3.0], -np.eye(2), [-1.0, -np.inf])
    np.testing.assert_array_equal(found.x, [1, 3])
    np.testing.assert_allclose(found.multipliers, [2, 0], rtol=1e-14)
    assert residuals({"Q": np.eye(2), "p": [-3.0, -3.0], "A": -np.eye(2), "c": [-1, -np.inf]}, found).worst <= 1e-14


@pytest.mark.parametrize("huge", [1e6, 1e8, 1e10, 1e14, 1e20, 1e100])
def test_huge_numbers_in_place_of_infinity(huge):
    for seed in range(10):
        problem, _ = solvable(seed, semidefinite=False)
        n, plain = len(problem["p"]), solve_qp(**problem)
        A, c = np.vstack([-np.eye(n), problem["A"]]), np.append(np.full(n, -huge), problem["c"])
        found = solve_qp(**{**problem, "A": A, "c": c})
        np.testing.assert_allclose(found.x, plain.x, rtol=1e-9, atol=1e-9)
        # a wall far away does not push: what the path through the inside leaves of its multiplier is below rounding
        assert found.multipliers[:n].max() <= 1e-16 * found.multipliers.max()
    if huge == 1e8:  # and where it is met after all: without it x would be (2e9, -2e9)
        flat = np.array([[1.0, 1 - 1e-9, 0], [1 - 1e-9, 1.0, 0], [0, 0, 1.0]])
        near = -np.ones(5)
        met = solve_qp(flat, [-2, 2, 0], [[-1, 0, 0], *[[0, 0, -1]] * 5], [-huge, *near])
        np.testing.assert_allclose(met.x, [huge, -2 - (1 - 1e-9) * huge, 0], rtol=1e-9, atol=1e-9)
    reached = solve_qp([[0.0]], [-1.0], [[-1.0]], [-huge])  # and where it is the only wall
    if huge < 1e20:
        assert (reached.status, reached.x[0], reached.multipliers[0]) == ("optimal", huge, 1)
    else:  # from there on it means no constraint
        assert reached.status == "unbounded"


@pytest.mark.parametrize("exponent", [-90, -20, -8, -3, 3, 8, 20, 90])
def test_scale(exponent):
    k = 10.0**exponent
    A, c = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([4.0, 1.0])
    Q, p = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -2.0])
    plain = solve_qp(Q, p, A, c)
    for scaled, x, alpha in (
        (solve_qp(k * Q, k * p, A, c), plain.x, k * plain.multipliers),
        (solve_qp(Q, p, k * A, k * c), plain.x, plain.multipliers / k),
        (solve_qp(Q, k * p, A, k * c), k * plain.x, k * plain.multipliers),
    ):
        assert scaled.status == "optimal"
        np.testing.assert_allclose(scaled.x, x, rtol=1e-9)
        np.testing.assert_allclose(scaled.multipliers, alpha, rtol=1e-9)


@pytest.mark.parametrize("k", [1e-20, 1e-9, 1e-8, 1e-4, 1e4, 1e8, 1e9])
def test_numbers_of_very_different_sizes(k):
    """min ½ q‖x‖² + pᵀx: one of the five is out of all proportion to the others; the answers are known by hand."""
    eye, p, c, one = np.eye(2), np.array([1.0, 2.0]), np.array([1.0, -1.0]), np.ones((1, 2))
    below = np.array([-1.0, -2.0])  # the bottom without constraints, where q = 1

    def is_(found, x, alpha=None):
        assert found.status == "optimal", found.message
        np.testing.assert_allclose(found.x, x, rtol=1e-9, atol=1e-9 * np.abs(x).max())
        if alpha is not None:
            np.testing.assert_allclose(found.multipliers, alpha, rtol=1e-9, atol=1e-9 * np.abs(alpha).max())

    is_(solve_qp(k * eye, p, eye, c), [1, max(-1, -2 / k)], [k + 1, 2 - k if k < 2 else 0])
    is_(solve_qp(eye, k * p, eye, c), [1, max(-1, -2 * k)], [1 + k, 2 * k - 1 if k > 0.5 else 0])
    is_(solve_qp(eye, p, eye, k * c), [k, max(-k, -2)], [1 + k, 2 - k if k < 2 else 0])
    is_(solve_qp(eye, p, E=one, d=[k]), [(k + 1) / 2, (k - 1) / 2])
    is_(solve_qp(eye, p, k * eye, c), [1 / k, max(-1 / k, -2)])
    is_(solve_qp(eye, p, E=k * one, d=[1.0]), [(1 / k + 1) / 2, (1 / k - 1) / 2])
    is_(solve_qp(eye, p, [[k, 0], [0, 1 / k]], [k, 1 / k]), [1, 1])  # x >= 1, in two units
    is_(solve_qp(eye, p, eye, [-1e100, -1e100]), below)  # no constraint in all but name


def test_numbers_beyond_the_door():
    eye = np.eye(2)
    for arguments in (
        (eye, [1e200, 0]), (1e200 * eye, [1, 0]), (eye, [1, 2], 1e200 * eye, [1, -1]), (eye, [1, 2], eye, [1e300, 1])
    ):
        for function in (solve_qp, lagrangian_dual, central_path):
            with pytest.raises(ValueError, match="beyond 1e100 are refused.*rescale"):
                function(*arguments)
    with pytest.raises(ValueError, match="beyond 1e100"):
        lagrangian_dual(eye, [1.0, 2.0], eye, [1.0, 1.0])([1e200, 1e200])
    with pytest.raises(ValueError, match="beyond 1e100"):
        kkt_residuals(eye, [1.0, 2.0], None, None, [1e300, 1.0], None)
    assert kkt_residuals(eye, [0, 0], eye, [-np.inf, 0], [0, 0], [1, 0]).complementarity == np.inf  # a wall nowhere


def in_other_units(problem, seed, most=20, kinds="pcdh"):
    """The problem with x = unit · x̂, rows and objective in units of their own, powers of two from 1e-6 to 1e6."""
    rng = np.random.default_rng(seed)
    unit, row, equality, height = (
        2.0 ** (rng.integers(-most, most + 1, size=len(problem.get(name, "1"))) * (name in kinds)) for name in "pcdh"
    )
    height = height[0]
    Q, p, A, c, E, d = (problem[name] for name in "QpAcEd")
    changed = {
        "Q": height * Q / unit[:, None] / unit, "p": height * p / unit, "A": row[:, None] * A / unit, "c": row * c,
        "E": equality[:, None] * E / unit, "d": equality * d,
    }
    return changed, unit, row, equality, height


@pytest.mark.parametrize("seed", range(60))
def test_units_of_variables_rows_and_objective(seed):
    """All units at once, from 1e-6 to 1e6, or one kind of them from 1e-8 to 1e8; judged in the good units."""
    problem, x = solvable(seed, semidefinite=seed % 2 == 0, integer=seed % 3 == 0)
    most, kinds = ((20, "pcdh"), (27, "p"), (27, "c"), (27, "d"), (27, "h"))[seed % 5]
    changed, unit, row, equality, height = in_other_units(problem, seed, most, kinds)
    found = solve_qp(**changed)
    assert found.status == "optimal", found.message
    back = replace(
        found, x=found.x / unit, multipliers=found.multipliers * row / height,
        equality_multipliers=found.equality_multipliers * equality / height,
    )
    assert residuals(problem, back).worst <= 1e-8
    assert found.objective / height == pytest.approx(value(problem, x), rel=1e-8, abs=1e-8)


def test_units_that_only_the_sides_tell():
    """Linear programs in a box: any unit of a variable fits its bounds and the zeros of Q; c and p decide."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 30))
        unit = 2.0 ** rng.integers(-9, 10, size=n)
        low = unit * rng.integers(-3, 3, size=n)
        high, p = low + unit * rng.integers(0, 3, size=n), rng.choice([-2.0, -1.0, 1.0, 2.0], size=n) / unit
        found = solve_qp(np.zeros((n, n)), p, np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([low, -high]))
        assert found.status == "optimal", found.message
        np.testing.assert_array_equal(found.x, np.where(p > 0, low, high))
        np.testing.assert_allclose(found.multipliers[:n] - found.multipliers[n:], p, rtol=1e-12)
        p[::2] = 0.0  # along these the objective is level: any place in the box is right, but it must be in the box
        x = solve_qp(np.zeros((n, n)), p, np.vstack([np.eye(n), -np.eye(n)]), np.concatenate([low, -high])).x
        assert (x >= low - 1e-9 * unit).all() and (x <= high + 1e-9 * unit).all()


@pytest.mark.parametrize("seed", range(40))
def test_units_of_problems_without_solution(seed):
    problem = unconstructed(seed)
    changed, unit, row, equality, height = in_other_units(problem, seed)
    found = solve_qp(**changed)
    assert found.status == true_status(problem)
    if found.status == "infeasible":
        y, v = found.certificate
        check_farkas(problem, replace(found, certificate=(y * row, v * equality)))
    if found.status == "unbounded":
        ray = found.certificate / unit
        check_ray(problem, replace(found, x=found.x / unit, certificate=ray / np.abs(ray).max()))


def test_small_whole_numbers():
    """Corners, dependent rows, rays: all that is rare among random numbers is frequent among small whole ones."""
    seen = set()
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, m, l = (int(k) for k in rng.integers((1, 0, 0), (5, 7, 3)))
        B = rng.integers(-2, 3, size=(n, int(rng.integers(0, n + 1)))).astype(float)
        problem = {
            "Q": B @ B.T, "p": rng.integers(-2, 3, size=n), "A": rng.integers(-2, 3, size=(m, n)),
            "c": rng.integers(-2, 3, size=m), "E": rng.integers(-2, 3, size=(l, n)), "d": rng.integers(-2, 3, size=l),
        }
        found = solve_qp(**problem)
        assert found.status == true_status(problem)
        seen.add(found.status)
        if found.status == "optimal":
            assert residuals(problem, found).worst <= 1e-8
        else:
            {"infeasible": check_farkas, "unbounded": check_ray}[found.status](problem, found)
    assert seen == {"optimal", "infeasible", "unbounded"}


def test_rounding_in_place_of_zero():
    """Entries of 1e-17 say nothing about units; rounding in a semidefinite Q is no curvature."""
    for seed in range(40):
        problem, x = solvable(seed, integer=True, semidefinite=False)
        noise = 1e-17 * np.random.default_rng(seed).normal(size=problem["A"].shape)
        noisy = {**problem, "A": problem["A"] + np.where(problem["A"].any(axis=1, keepdims=True), noise, 0.0)}
        np.testing.assert_allclose(solve_qp(**noisy).x, x, rtol=1e-7, atol=1e-7)
    for curvature in (0.0, -1e-17, -1e-12, -5e-10):
        found = solve_qp(np.diag([1.0, curvature]), [0.0, 1.0])
        assert found.status == "unbounded"
        np.testing.assert_array_equal(found.certificate, [0, -1])
    turn = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
    found = solve_qp(turn @ np.diag([1.0, -1e-12]) @ turn.T, turn @ [0.0, 1.0])
    assert found.status == "unbounded"
    np.testing.assert_allclose(found.certificate / np.abs(found.certificate).max(), [-1, -1], rtol=1e-9)


def test_badly_scaled_variables():
    """The primal of a hard margin where one feature is a million times the other, and its data in better units."""
    units = np.array([1.0, 1e4, 1e-2])
    X = np.array([[1.0, 0.2], [3, 2], [-1, -0.5], [-2, 3]])
    y = np.array([1.0, 1, -1, -1])
    A = y[:, None] * np.column_stack([np.ones(4), X])
    found = solve_qp(np.diag([0.0, 1, 1]), np.zeros(3), A * units, np.ones(4))
    plain = solve_qp(np.diag([0.0, 1e-8, 1e4]), np.zeros(3), A, np.ones(4))
    assert found.status == plain.status == "optimal"
    np.testing.assert_allclose(found.x * units, plain.x, rtol=1e-9, atol=1e-12)
    assert found.objective == pytest.approx(plain.objective, rel=1e-9, abs=0)


def test_input_is_taken_in_any_form_and_left_alone():
    problem, _ = solvable(3, integer=True)
    plain = solve_qp(**problem)
    for cast in (lambda a: a.astype(np.float32), np.asfortranarray, lambda a: a.tolist(), lambda a: a.astype(int)):
        np.testing.assert_allclose(solve_qp(**{key: cast(a) for key, a in problem.items()}).objective, plain.objective)
    for array in problem.values():
        array.flags.writeable = False
    np.testing.assert_array_equal(solve_qp(**problem).x, plain.x)


# -- problems without a solution --------------------------------------------------------------------------------------
def check_farkas(problem, found):
    y, v = found.certificate
    assert found.x is None and found.objective == np.inf and "contradict" in found.message
    assert (y >= 0).all() and y.shape == np.shape(problem["c"]) and v.shape == np.shape(problem["d"])
    assert y @ problem["c"] + v @ problem["d"] == pytest.approx(1, rel=1e-9)
    assert np.abs(problem["A"].T @ y + problem["E"].T @ v).max() <= 1e-8


def check_ray(problem, found):
    ray, x = found.certificate, found.x
    assert found.objective == -np.inf and "falls for ever" in found.message
    scale = 1e-8 * np.abs(ray).max()
    assert np.abs(problem["Q"] @ ray).max() <= scale and np.abs(problem["E"] @ ray).max(initial=0) <= scale
    assert (problem["A"] @ ray).min(initial=0) >= -scale and problem["p"] @ ray < -1e-7
    assert (problem["A"] @ x - problem["c"]).min(initial=0) >= -1e-7
    assert np.abs(problem["E"] @ x - problem["d"]).max(initial=0) <= 1e-7


@pytest.mark.parametrize("seed", range(120))
def test_status_agrees_with_linear_programming_and_is_proved(seed):
    problem = unconstructed(seed)
    found = solve_qp(**problem)
    assert found.status == true_status(problem)
    if found.status == "optimal":
        assert residuals(problem, found).worst <= 1e-8
    else:
        {"infeasible": check_farkas, "unbounded": check_ray}[found.status](problem, found)


def test_all_three_outcomes_occur():
    assert {true_status(unconstructed(seed)) for seed in range(30)} == {"optimal", "infeasible", "unbounded"}


@pytest.mark.parametrize("gap", [1e-7, 1e-6, 1e-3, 1.0, 1e6])
def test_infeasible_by_a_given_gap(gap):
    problem = {"Q": np.eye(1), "p": np.ones(1), "A": np.array([[1.0], [-1.0]]), "c": np.array([gap, 0.0])}
    found = solve_qp(**problem)
    assert found.status == "infeasible"
    check_farkas({**problem, "E": np.zeros((0, 1)), "d": np.zeros(0)}, found)
    np.testing.assert_allclose(found.certificate[0] * gap, [1, 1], rtol=1e-9)


@pytest.mark.parametrize("seed", [117, 119])
def test_nearly_feasible(seed):
    """A corner in which many walls meet, one of them moved inwards by 1e-5: all others are nearly active as well."""
    problem, _ = solvable(seed, semidefinite=False)
    for i in range(len(problem["c"])):
        moved = {**problem, "c": problem["c"] + 1e-5 * (np.arange(len(problem["c"])) == i)}
        found = solve_qp(**moved)
        assert found.status == true_status(moved)
        if found.status == "infeasible":
            check_farkas(moved, found)


def test_infeasible_wins_over_a_falling_direction():
    """Along x₂ the objective falls, but no point satisfies the constraints on x₁: there is nowhere to start."""
    assert solve_qp(np.zeros((2, 2)), [0.0, -1.0], [[1, 0], [-1, 0]], [1, 0]).status == "infeasible"


def test_unbounded_only_beyond_the_constraints():
    Q, p = np.diag([1.0, 0.0]), np.array([0.0, -1.0])
    assert solve_qp(Q, p, [[0.0, 1.0]], [3.0]).status == "unbounded"
    stopped = solve_qp(Q, p, [[0.0, -1.0]], [-3.0])
    assert stopped.status == "optimal" and stopped.x[1] == 3
    assert solve_qp(np.zeros((1, 1)), [-2.0]).certificate[0] == 1
    assert "lowers it by 2" in solve_qp(np.zeros((1, 1)), [-2.0]).message


def test_max_iter_is_said():
    problem, _, _ = svm_dual(30, 1.0)
    found = solve_qp(**problem, max_iter=1, tol=1e-12)
    assert found.status == "max_iter" and "raise max_iter" in found.message and found.n_iter == 1
    level = {  # with one more variable, x₃₁ >= 0: a ray along which nothing falls
        "Q": np.pad(problem["Q"], (0, 1)), "p": np.append(problem["p"], 0.0), "A": np.pad(problem["A"], (0, 1)),
        "c": np.append(problem["c"], 0.0), "E": np.pad(problem["E"], ((0, 0), (0, 1))), "d": problem["d"],
    }
    level["A"][-1, -1] = 1.0
    assert solve_qp(**level, max_iter=1, tol=1e-12).status == "max_iter"
    assert solve_qp(**level).status == "optimal"


def test_a_wrong_certificate_is_none():
    """Weights that do not cancel the rows prove nothing."""
    qp = QP(np.eye(1), np.ones(1), np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]), np.zeros((0, 1)), np.zeros(0))
    y, v = farkas(qp, np.array([0.5, 0.25]), np.zeros(0))  # brought to the nearest that do
    np.testing.assert_allclose(y, [1, 1], rtol=1e-12)
    assert farkas(qp, np.array([0.5, 0.0]), np.zeros(0)) is None
    assert farkas(qp._replace(c=np.array([-1.0, 0.0])), np.array([0.5, 0.5]), np.zeros(0)) is None


@pytest.mark.parametrize("seed", range(3))
def test_many_contradicting_constraints(seed):
    """The walk's own multipliers are the proof: no linear program is needed (issue: 13 s for 500 x 2000)."""
    rng = np.random.default_rng(seed)
    n, m = 60, 240
    B, A, c = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=m)
    if seed:  # only three rows contradict one another
        c = A @ rng.normal(size=n) - rng.exponential(size=m)
        A[-1], c[-1] = -A[0] - A[1], 0.01 - c[0] - c[1]
    problem = {"Q": B @ B.T / n, "p": rng.normal(size=n), "A": A, "c": c, "E": np.zeros((0, n)), "d": np.zeros(0)}
    found = solve_qp(**problem)
    assert found.status == "infeasible" and found.n_iter < 30
    check_farkas(problem, found)


# -- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 0.0], [0.0, -2.0]], [0, 0]), "negative eigenvalue -2.*not convex"),
        (([[0.0, 1.0], [1.0, 0.0]], [0, 0]), "negative eigenvalue -1"),
        (([[-1e-200]], [0]), "not convex"),
        (([[1.0, 1.0], [0.0, 1.0]], [0, 0]), "symmetric"),
        ((np.eye(2), [0, 0, 0]), r"Q must have shape \(3, 3\).*got \(2, 2\)"),
        ((np.eye(2), [0, np.nan]), "p contains NaN"), (([[np.inf]], [0]), "Q contains infinity"),
        ((np.eye(2), [0, 0], np.eye(2)), "A and c belong together"),
        ((np.eye(2), [0, 0], None, [1]), "belong together"),
        ((np.eye(2), [0, 0], [[1, 1]], [1, 2]), r"shapes \(1, 2\) and \(2,\)"),
        ((np.eye(2), [0, 0], [[1, 1, 1]], [1]), "2 columns, one for each variable"),
        ((np.eye(2), [0, 0], [[1, 1]], [np.nan]), "c contains NaN"),
        ((np.eye(2), [0, 0], [[1, 1]], [np.inf]), "nothing is >= inf"),
        ((np.eye(2), [0, 0], [1, 1], [1]), "Expected 2D array"),
        ((np.eye(2), [0, 0], [[1, np.nan]], [1]), "A contains NaN"),
        ((np.eye(2), [0, 0], np.zeros((0, 5)), []), "A"), ((np.eye(2), [0, 0], [], [1]), "Expected 2D array"),
        (([[1.0, 0.0], [0.0, -1e-8]], [0, 0]), "negative eigenvalue -1e-08"),
        ((np.eye(2), [[0], [0]]), r"p must be 1-D.*shape \(2, 1\)"), ((np.eye(2), 3.0), r"p must be 1-D.*shape \(\)"),
        ((np.eye(2), ["1", "2"]), "p must be numeric.*text"), ((np.eye(2), [1j, 0]), "Complex"),
        ((np.eye(2), [0, 0], np.eye(2), ["a", "b"]), "c must be numeric"), (([["a"]], [0]), "Q must be numeric"),
        ((np.eye(2), [0, 0], np.eye(2), [1j, 0]), "Complex data not supported: c"), ((None, [0]), "None for Q"),
        ((np.zeros((0, 0)), []), "Q"), ((np.eye(2), [0, None]), "p contains NaN"), ((np.eye(2), None), "None for p"),
    ],
)
def test_bad_problems(arguments, message):
    for function in (solve_qp, lagrangian_dual, central_path):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


def test_bad_equalities_and_multipliers():
    with pytest.raises(ValueError, match="E and d belong together"):
        solve_qp(np.eye(2), [0, 0], E=[[1, 1]])
    with pytest.raises(ValueError, match="d finite"):
        solve_qp(np.eye(2), [0, 0], E=[[1, 1]], d=[-np.inf])
    with pytest.raises(ValueError, match=r"multipliers must have shape \(1,\), got \(2,\)"):
        kkt_residuals(np.eye(2), [0, 0], [[1, 1]], [1], [0, 0], [0, 0])
    with pytest.raises(ValueError, match=r"x must have shape \(2,\)"):
        kkt_residuals(np.eye(2), [0, 0], None, None, [0], None)
    with pytest.raises(ValueError, match=r"equality_multipliers must have shape \(0,\), got \(1,\)"):
        kkt_residuals(np.eye(2), [0, 0], None, None, [0, 0], None, equality_multipliers=[1])
    for bad, message in (([np.nan, 0], "x contains NaN"), (["a", "b"], "x must be numeric")):
        with pytest.raises(ValueError, match=message):
            kkt_residuals(np.eye(2), [0, 0], None, None, bad, None)


def test_semidefinite_up_to_rounding_is_accepted():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(50, 2))
    Q = Z @ Z.T
    assert np.linalg.eigvalsh(Q)[0] < 0  # by rounding
    assert solve_qp(Q, -np.ones(50), np.eye(50), np.zeros(50)).status == "unbounded"
    assert solve_qp(Q, np.ones(50), np.eye(50), np.zeros(50)).status == "optimal"


# -- residuals --------------------------------------------------------------------------------------------------------
def test_residuals_see_each_violation():
    problem = (np.eye(2), [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [1.0, -5.0])
    right = kkt_residuals(*problem, [1.0, 0.0], [1.0, 0.0])
    assert right.worst == 0
    for x, multipliers, name, size in (
        ([1.0, 0.0], [0.75, 0.0], "stationarity", 0.25), ([0.5, 0.0], [0.5, 0.0], "primal", 0.5),
        ([1.0, -5.0], [1.0, -5.0], "dual", 5.0), ([2.0, 0.0], [2.0, 0.0], "complementarity", 2.0),
    ):
        found = kkt_residuals(*problem, x, multipliers)
        assert (getattr(found, name), found.worst) == (size, size)
    equality = kkt_residuals(np.eye(1), [0.0], None, None, [3.0], None, E=[[1.0]], d=[1.0], equality_multipliers=[3.0])
    assert (equality.primal, equality.stationarity, equality.worst) == (2.0, 0.0, 2.0)


def test_sums_of_huge_terms_prove_nothing():
    """1 - 1e29 + 1e29 is 0 in floating point, so multipliers of that size would "solve" min x, which has no minimum."""
    qp = QP(np.zeros((1, 1)), np.ones(1), np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.zeros(1))
    x = np.zeros(1)
    assert relative_error(qp, x, np.array([1e29]), np.array([-1e29])) == np.inf
    assert relative_error(qp, x, np.array([3.0]), np.array([-2.0])) == 0
    assert relative_error(qp, np.array([np.nan]), np.zeros(1), np.zeros(1)) == np.inf


# -- what multipliers mean --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_multipliers_are_prices(seed):
    """∂p*/∂c = α and ∂p*/∂d = β, by finite differences (skipped components: where the active set changes)."""
    problem, _ = solvable(seed + 100, semidefinite=False)
    found, h = solve_qp(**problem), 1e-5
    for name, multipliers in (("c", found.multipliers), ("d", found.equality_multipliers)):
        for i, price in enumerate(multipliers):
            moved = []
            for sign in (1, -1):
                side = problem[name].copy()
                side[i] += sign * h
                moved.append(solve_qp(**{**problem, name: side}).objective - found.objective)
            if np.isfinite(moved).all():  # convex in c: the price lies between the slopes on the two sides
                assert -moved[1] / h - 1e-4 <= price <= moved[0] / h + 1e-4


# -- duality ----------------------------------------------------------------------------------------------------------
@given(seed=st.integers(0, 10**9), semidefinite=st.booleans())
@settings(max_examples=60, deadline=None)
def test_weak_and_strong_duality(seed, semidefinite):
    problem, x = solvable(seed, semidefinite=semidefinite)
    if not len(problem["c"]) + len(problem["d"]):
        return
    dual, least, rng = lagrangian_dual(**problem), value(problem, x), np.random.default_rng(seed)
    for _ in range(20):
        alpha, beta = rng.exponential(size=len(problem["c"])), rng.normal(size=len(problem["d"]))
        assert dual(alpha, beta) <= least + 1e-8
    best, alpha, beta = dual.maximize()
    assert best == pytest.approx(least, rel=1e-8, abs=1e-8)
    assert dual(alpha, beta) == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_dual_function_is_the_minimum_of_the_lagrangian(seed):
    problem, _ = solvable(seed, semidefinite=False)
    Q, p, A, c, E, d = problem.values()
    if not len(c) + len(d):
        return
    rng = np.random.default_rng(seed)
    alpha, beta, dual = rng.normal(size=len(c)), rng.normal(size=len(d)), lagrangian_dual(**problem)

    def lagrangian(x):
        return value(problem, x) + alpha @ (c - A @ x) + beta @ (d - E @ x)

    theirs = minimize(lagrangian, np.zeros(len(p)), method="BFGS", options={"gtol": 1e-9})
    assert dual(alpha, beta) == pytest.approx(theirs.fun, rel=1e-6, abs=1e-6)
    assert lagrangian(dual.minimizer(alpha, beta)) == pytest.approx(dual(alpha, beta), rel=1e-9, abs=1e-9)
    w = np.concatenate([alpha, beta])
    assert dual(alpha, beta) == pytest.approx(dual.constant - value(dual.qp, w), rel=1e-9, abs=1e-9)


def test_dual_of_a_linear_program():
    """min x₁ + 2x₂, x₁ + x₂ >= 1, x >= 0: θ is finite only where Aᵀα = p."""
    dual = lagrangian_dual(np.zeros((2, 2)), [1.0, 2.0], [[1, 1], [1, 0], [0, 1]], [1, 0, 0])
    assert dual([0.5, 0.5, 1.5]) == 0.5
    assert dual([0.5, 0.5, 1.4]) == -np.inf and dual.minimizer([0.5, 0.5, 1.4]) is None
    best, alpha, _ = dual.maximize()
    assert best == pytest.approx(1)
    np.testing.assert_allclose(alpha, [1, 0, 1], atol=1e-12)


def test_dual_without_a_maximum():
    contradiction = lagrangian_dual(np.eye(1), [0.0], [[1.0], [-1.0]], [1.0, 0.0])
    assert contradiction.maximize() == (np.inf, None, None)  # infeasible primal
    endless = lagrangian_dual(np.zeros((1, 1)), [-1.0], [[1.0]], [0.0])
    assert endless.maximize() == (-np.inf, None, None)  # unbounded primal
    assert endless([5.0]) == -np.inf


def test_dual_where_large_terms_would_cancel():
    """min ½ q‖x‖² + (1, 2)x, x >= 1: for small q both pᵀQ⁻¹p / 2 and the dual's own objective are about 1 / q."""
    for q in (1.0, 1e-4, 1e-8):
        best, alpha, _ = lagrangian_dual(q * np.eye(2), [1.0, 2.0], np.eye(2), [1.0, 1.0]).maximize()
        assert best == pytest.approx(3 + q, rel=1e-9)
        np.testing.assert_allclose(alpha, [1 + q, 2 + q], rtol=1e-9)


def test_dual_of_the_hard_margin():
    """The dual of the primal of Notes C (6) is their (16): α >= 0, yᵀα = 0."""
    rng = np.random.default_rng(5)
    y = np.repeat([1.0, -1.0], 6)
    X = rng.normal(size=(12, 2)) + 3 * y[:, None]
    A = y[:, None] * np.column_stack([np.ones(12), X])
    dual = lagrangian_dual(np.diag([0.0, 1.0, 1.0]), np.zeros(3), A, np.ones(12))
    Z = y[:, None] * X
    np.testing.assert_allclose(dual.qp["Q"], Z @ Z.T, atol=1e-12)
    np.testing.assert_allclose(np.abs(dual.qp["E"]), [np.abs(y)], atol=1e-12)
    primal = solve_qp(np.diag([0.0, 1.0, 1.0]), np.zeros(3), A, np.ones(12))
    assert dual.maximize()[0] == pytest.approx(primal.objective, rel=1e-9)


def test_dual_refuses():
    with pytest.raises(ValueError, match="no multipliers"):
        lagrangian_dual(np.eye(1), [0.0])
    with pytest.raises(ValueError, match="c holds -inf"):
        lagrangian_dual(np.eye(1), [0.0], [[1.0]], [-np.inf])
    dual = lagrangian_dual(np.eye(1), [0.0], [[1.0]], [1.0])
    for bad, message in (
        ([1.0, 2.0], r"multipliers must have shape \(1,\), got \(2,\)"), ([np.nan], "multipliers contains NaN"),
        (None, r"multipliers must have shape \(1,\), got \(0,\)"), (["a"], "multipliers must be num"),
    ):
        with pytest.raises(ValueError, match=message):
            dual(bad)


# -- the path ---------------------------------------------------------------------------------------------------------
def test_central_path_stays_inside_and_arrives():
    problem, _ = solvable(11, semidefinite=False)
    path = snapshots(central_path(**problem, tol=1e-13))
    assert all((it.slack > 0).all() and (it.multipliers > 0).all() for it in path)
    np.testing.assert_allclose(path[-1].x, solve_qp(**problem).x, atol=1e-6)
    end = path[-1]
    np.testing.assert_allclose(end.slack, problem["A"] @ end.x - problem["c"], atol=1e-6)
    assert len(path) > 4


def test_central_path_starts_in_the_middle():
    problem, _ = solvable(11, semidefinite=False)
    products = [it.slack * it.multipliers for it in central_path(**problem)]
    np.testing.assert_allclose(products[0], products[0][0], rtol=1e-9)
    assert max(products[-1]) < 1e-8 * max(products[0])


def test_newton_step_solves_all_four_linearised_equations():
    """By the small system of (16.12) and by the full one in Δx, Δs, Δα, Δβ."""
    rng = np.random.default_rng(0)
    n, m, l = 4, 6, 2
    B, A, E = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=(l, n))
    qp = QP(B @ B.T, rng.normal(size=n), A, rng.normal(size=m), E, rng.normal(size=l))
    s, alpha = rng.exponential(size=(2, m))
    x, beta, r = rng.normal(size=n), rng.normal(size=l), rng.normal(size=m)
    missed = missing(qp, x, s, alpha, beta)
    zero = np.zeros
    full = np.block([
        [qp.Q, zero((n, m)), -A.T, -E.T], [A, -np.eye(m), zero((m, m + l))], [E, zero((l, 2 * m + l))],
        [zero((m, n)), np.diag(alpha), np.diag(s), zero((m, l))],
    ])
    direct = np.linalg.solve(full, -np.concatenate([*missed, r]))
    step = newton_step(r, missed, s, alpha, A, factor(qp)(alpha / s))
    np.testing.assert_allclose(np.concatenate(step), direct, rtol=1e-6, atol=1e-8)


def test_step_length_stops_at_the_first_wall():
    s, alpha = np.array([1.0, 2.0]), np.array([1.0, 4.0])
    assert step_length(s, np.array([1.0, -1.0]), alpha, np.array([2.0, -8.0]), 1.0) == 0.5
    assert step_length(s, np.array([1.0, -1.0]), alpha, np.array([2.0, -8.0]), 0.5) == 0.25
    assert step_length(s, np.array([1.0, -1.0]), alpha, np.array([2.0, 0.0]), 1.0) == 1


def test_program_given_by_products_alone():
    """A Q of low rank and a box, as chapter 17 has them, are never written out; the walk is the same."""
    problem, X, y = svm_dual(40, 1.0)
    Z = y[:, None] * X
    dense = QP(*(np.asarray(problem[key]) for key in "QpAcEd"))

    class LowRank:
        def __matmul__(self, x):
            return Z @ (Z.T @ x)

    class Box:
        T = property(lambda self: BoxTransposed())

        def __matmul__(self, x):
            return np.concatenate([x, -x])

    class BoxTransposed:
        def __matmul__(self, z):
            return z[:40] - z[40:]

    def few_features(weights):
        D, F = weights[:40] + weights[40:], np.vstack([Z.T, y])
        system = (F / D) @ F.T + np.diag([1.0, 1.0, 0.0])

        def solve(top, bottom):
            theta = np.linalg.solve(system, F @ (top / D) - np.append([0.0, 0.0], bottom))
            return (top - theta @ F) / D, -theta[-1:]

        return solve

    low = dense._replace(Q=LowRank(), A=Box())
    for one, other in zip(interior_point(dense, factor(dense), 8), interior_point(low, few_features, 8), strict=True):
        np.testing.assert_allclose(one[0], other[0], rtol=1e-6, atol=1e-8)


def test_central_path_refuses_at_once():
    with pytest.raises(ValueError, match="leave those rows out"):
        central_path(np.eye(1), [0.0], [[1.0]], [-np.inf])
    with pytest.raises(ValueError, match="no inside"):
        central_path(np.eye(1), [0.0])


# -- coordinate ascent ------------------------------------------------------------------------------------------------
def test_coordinate_ascent_from_the_notes_start():
    """Notes A 7.8.1: from (-2, 2) on a quadratic, each step parallel to an axis, W never falling."""
    Q, p = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 1.0])
    path = np.array(list(coordinate_ascent(maximize_in_box(Q, p), [-2.0, 2.0])))
    np.testing.assert_array_equal(path[0], [-2, 2])
    moves = np.diff(path, axis=0)
    assert ((moves != 0).sum(axis=1) <= 1).all()
    heights = path @ p - np.einsum("ij,jk,ik->i", path, Q, path) / 2
    assert (np.diff(heights) >= -1e-15).all()
    np.testing.assert_allclose(path[-1], np.linalg.solve(Q, p), atol=1e-7)
    assert path[1, 0] == (1 - 2) / 2 and path[1, 1] == 2


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_coordinate_ascent_in_a_box_is_the_qp(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    B = rng.normal(size=(d, d))
    Q, p, low, high = B @ B.T + 0.3 * np.eye(d), rng.normal(size=d), -rng.uniform(size=d), rng.uniform(size=d)
    found = last(coordinate_ascent(maximize_in_box(Q, p, low, high), np.zeros(d), max_iter=20_000, tol=1e-13))
    qp = solve_qp(Q, -p, np.vstack([np.eye(d), -np.eye(d)]), np.concatenate([low, -high]))
    np.testing.assert_allclose(found, qp.x, atol=1e-8)


def test_coordinate_without_curvature():
    assert maximize_in_box(np.zeros((1, 1)), [1.0], upper=3.0)(np.zeros(1), 0) == 3
    assert maximize_in_box(np.zeros((1, 1)), [0.0])(np.array([0.7]), 0) == 0.7
    with pytest.raises(ValueError, match="no minimum along it|no maximum"):
        last(coordinate_ascent(maximize_in_box(np.zeros((1, 1)), [1.0]), [0.0]))


def test_coordinate_ascent_refuses():
    with pytest.raises(ValueError, match="at most its upper bound"):
        maximize_in_box(np.eye(1), [1.0], 1.0, 0.0)
    with pytest.raises(ValueError, match="not convex"):
        maximize_in_box(-np.eye(1), [1.0])
    with pytest.raises(ValueError, match=r"lower must be one number or 2, got shape \(3,\)"):
        maximize_in_box(np.eye(2), [1.0, 1.0], [0, 0, 0])
    for bad, message in ((np.nan, "upper contains NaN"), ("a", "upper must be numeric")):
        with pytest.raises(ValueError, match=message):
            maximize_in_box(np.eye(1), [1.0], upper=bad)
    with pytest.raises(ValueError, match="beyond 1e100"):
        maximize_in_box(1e-300 * np.eye(1), [1e300])
    with pytest.raises(ValueError, match=r"each of the 1 of p, got shape \(2,\)"):
        last(coordinate_ascent(maximize_in_box(np.eye(1), [1.0]), [0.0, 0.0]))
    with pytest.raises(ValueError, match="1-D array"):
        coordinate_ascent(maximize_in_box(np.eye(1), [1.0]), [[0.0]])
