"""Graders of chapter 16, constrained optimisation."""

import numpy as np

from mlcore.classroom.exercises import Malformed, Unknown, Wrong, array, call, close, exercise, expect, number


# ---------------------------------------------------------------------------------------------------------------
# 16.1 a price
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "16.1",
    hint="At the solution the gradient of the function is a multiple of that of the constraint. Of which size?",
    step="(2x₁, 2x₂) = β (3, 4). Put that into 3x₁ + 4x₂ = 75, and solve for β.",
    wrong=[-6.0, 225.0, 3.0, 9.0, 12.0, 18.0, 24.0, 0.08, 6.04],
    right=[6, np.float64(6.0), np.array([6.0])],
)
def price_of_a_level(answer):
    """min x₁² + x₂², 3x₁ + 4x₂ = d: x = (3d/25, 4d/25), f* = d²/25, f*' = 2d/25 = 6."""
    value = number(answer)
    if close(value, 6.0):
        return
    for mistakes, hint in (
        ((-6.0,), "the size is right, the sign is not: does the least value rise or fall when 75 becomes 76?"),
        ((225.0,), "that is the least value itself; the question asks how fast it changes."),
        ((3.0,), "half of it: was the 2 of the derivative of x² forgotten?"),
        ((9.0, 12.0), "that is a coordinate of the solution; what is asked is the rate at which f* changes."),
        ((18.0, 24.0), "that is a derivative of f at the solution; divide it by its coefficient in the constraint."),
        ((0.08,), "that is the curvature 2/25 of f*(d) = d²/25; take its slope at d = 75."),
    ):
        if any(close(value, mistake) for mistake in mistakes):
            raise Wrong(hint)
    expect(abs(value - 6) > 0.1, "nearly: f* curves, so take its slope at 75 itself, not the rise over a whole step.")
    raise Unknown()


# ---------------------------------------------------------------------------------------------------------------
# 16.2 projection on a half-space
# ---------------------------------------------------------------------------------------------------------------
def _project(z, a, c):
    return z + max(0.0, (c - a @ z) / (a @ a)) * a


def _always(z, a, c):
    return z + (c - a @ z) / (a @ a) * a


def _without_square(z, a, c):
    return z + max(0.0, (c - a @ z) / np.sqrt(a @ a)) * a


def _wrong_way(z, a, c):
    return z - max(0.0, (c - a @ z) / (a @ a)) * a


def _other_side(z, a, c):
    return z - max(0.0, (a @ z - c) / (a @ a)) * a


def _from_origin(z, a, c):
    return z if a @ z >= c else c / (a @ a) * a


def _without_normal(z, a, c):
    return z + max(0.0, (c - a @ z) / (a @ a))


def _in_place(z, a, c):
    z += max(0.0, (c - a @ z) / (a @ a)) * a
    return z


@exercise(
    "16.2",
    hint="Write the KKT conditions of ½‖x - z‖² under the constraint. In which direction may x differ from z?",
    step="Stationarity says x = z + α a. α is 0 where z is inside; otherwise x lies on the border: aᵀ(z + α a) = c.",
    wrong=[
        _always, _without_square, _wrong_way, _other_side, _from_origin, _without_normal, _in_place, lambda z, a, c: z,
    ],
    right=[
        lambda z, a, c: z if a @ z >= c else z - (a @ z - c) / np.linalg.norm(a) ** 2 * a,
        lambda z, a, c: list(z + np.maximum(0, c - z @ a) * a / np.sum(a**2)),
    ],
)
def projection(answer):
    """x = z + α a with α = max(0, (c - aᵀz) / aᵀa)."""
    rng = np.random.default_rng(2)
    cases = [(np.array([3.0, 1.0]), np.array([1.0, 2.0]), 1.0, True), (np.zeros(2), np.array([3.0, 4.0]), 10.0, False)]
    for d in (5, 2, 1):
        z, a = rng.normal(size=d), 2 * rng.normal(size=d)
        cases += [(z, a, float(a @ z + shift), shift <= 0) for shift in (-1.0, 0.0, 2.0)]
    for z, a, c, inside in cases:
        result, right = array(call(answer, z, a, c), z.shape), _project(z, a, c)
        if close(result, right):
            continue
        if inside:
            raise Wrong("where z is in the half-space already, the nearest point is z itself: the multiplier is 0.")
        for mistake, hint in (
            (lambda z, a, c: z, "z breaks the constraint here, so it cannot be the answer."),
            (_without_square, "the length of a enters squared: aᵀ(z + α a) = aᵀz + α aᵀa."),
            (_wrong_way, "you step away from the half-space: it lies in the direction of +a."),
            (_other_side, "that is the projection on aᵀx <= c."),
            (_from_origin, "that boundary point is the nearest to the origin; asked for is the nearest to z."),
            (_without_normal, "α is a number; the step is α a, a vector along a."),
        ):
            if close(result, mistake(z, a, c)):
                raise Wrong(hint)
        if not close(a @ result, c):
            raise Unknown(f"the nearest point lies on the boundary, aᵀx = {c:.4f}; yours: {a @ result:.4f}.")
        raise Unknown("your x lies on the boundary, but x - z must be parallel to a; there are nearer points.")


# ---------------------------------------------------------------------------------------------------------------
# 16.3 a dual function
# ---------------------------------------------------------------------------------------------------------------
def _theta(alpha, a, c):
    return alpha * c - alpha**2 * (a @ a) / 2


def _theta_unit(alpha, a, c):
    return alpha * c - alpha**2 / 2


def _theta_plus(alpha, a, c):
    return alpha * c + alpha**2 * (a @ a) / 2


def _theta_no_half(alpha, a, c):
    return alpha * c - alpha**2 * (a @ a)


def _theta_no_level(alpha, a, c):
    return -(alpha**2) * (a @ a) / 2


def _theta_length(alpha, a, c):
    return alpha * c - alpha**2 * np.sqrt(a @ a) / 2


def _theta_of_a(alpha, a, c):
    return (a @ a) / 2 + alpha * (c - a @ a)


def _theta_best(alpha, a, c):
    return c**2 / (2 * (a @ a))


def _theta_at_zero(alpha, a, c):
    return alpha * c


def _theta_negative(alpha, a, c):
    return -_theta(alpha, a, c)


@exercise(
    "16.3",
    hint="Which x makes the gradient of L zero? Put it back into L.",
    step="The gradient of L in x is x - α a. Where it is zero, put that x back into L: two of the terms have aᵀa.",
    wrong=[
        _theta_unit, _theta_plus, _theta_no_half, _theta_no_level, _theta_length, _theta_of_a, _theta_best,
        _theta_at_zero, _theta_negative, lambda alpha, a, c: alpha * a, lambda alpha, a, c: c**2 / 2,
    ],
    right=[
        lambda alpha, a, c: 0.5 * np.sum((alpha * a) ** 2) + alpha * (c - a @ (alpha * a)),
        lambda alpha, a, c: np.array([alpha * (c - alpha * np.linalg.norm(a) ** 2 / 2)]),
    ],
)
def dual_function(answer):
    """x = α a, so θ(α) = α c - ½ α² aᵀa."""
    rng = np.random.default_rng(3)
    for d in (4, 2, 1):
        alpha, a, c = float(rng.exponential() + 0.5), rng.normal(size=d) * 1.5, float(rng.normal() + 2)
        value, right = number(call(answer, alpha, a, c)), _theta(alpha, a, c)
        if close(value, right):
            continue
        for mistake, hint in (
            (_theta_unit, "a need not have length 1: ‖α a‖² = α² aᵀa."),
            (_theta_plus, "the sign of the square: ½‖x‖² gives +½, and -α aᵀx gives -1 of it."),
            (_theta_no_half, "½‖x‖² - α aᵀx at x = α a is ½ - 1, not -1, times α² aᵀa."),
            (_theta_no_level, "the term α c does not depend on x, but it belongs to L."),
            (_theta_length, "‖α a‖² is α² aᵀa: the length of a enters squared."),
            (_theta_of_a, "you put in x = a; L is least at x = α a."),
            (_theta_best, "that is the largest θ of all; keep α as it is given."),
            (_theta_at_zero, "that is L at x = 0; put the x in that makes L least, x = α a."),
            (_theta_negative, "that is -θ; the dual is maximised, so keep its sign."),
        ):
            if close(value, mistake(alpha, a, c)):
                raise Wrong(hint)
        raise Unknown(f"for α = {alpha:.3f}, aᵀa = {a @ a:.3f}, c = {c:.3f} θ is {right:.4f}, yours is {value:.4f}.")


# ---------------------------------------------------------------------------------------------------------------
# 16.4 an experiment
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "16.4",
    hint="Compare the dots of the right picture for k = 1 and k = 2, or use (16.17).",
    step="A sweep moves both coordinates, one after the other. By (16.17), which factor does each of them give?",
    wrong=[0.9, 0.95, 0.1, 0.19, -0.81, 1 / 0.81, 0.64, 81],
    right=[0.81, 0.813, 0.9**2],
)
def sweep_factor(answer):
    """ρ² = 0.81."""
    value = number(answer)
    for mistake, hint in (
        (0.9, "that is the factor of half a sweep: both coordinates move in a sweep, and each gives one ρ."),
        (0.19, "that is the share of the error that is removed; the question asks what is left."),
        (-0.81, "ρ is squared, so the factor is not negative."),
        (1 / 0.81, "that is the error before divided by the error after; turn the fraction round."),
        (0.64, "that is the factor for a correlation of 0.8: set the slider to 0.9."),
        (81.0, "as a fraction, please, not in percent."),
    ):
        if abs(value - mistake) < 0.002:
            raise Wrong(hint)
    expect(abs(value - 0.81) < 0.005)


# ---------------------------------------------------------------------------------------------------------------
# 16.5 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _buggy(Q, p, A, c, x, alpha, tol=1e-8):
    stationary = np.abs(Q @ x + p - A.T @ alpha).max() <= tol
    return stationary and np.abs(alpha * (A @ x - c)).max() <= tol


def _only_primal(Q, p, A, c, x, alpha, tol=1e-8):
    return _buggy(Q, p, A, c, x, alpha, tol) and (A @ x - c).min() >= -tol


def _only_dual(Q, p, A, c, x, alpha, tol=1e-8):
    return _buggy(Q, p, A, c, x, alpha, tol) and alpha.min() >= -tol


def _strict(Q, p, A, c, x, alpha, tol=1e-8):
    active = np.abs(A @ x - c) <= tol
    return _only_primal(Q, p, A, c, x, alpha, tol) and (alpha[active] > 0).all() and alpha.min() >= 0


def _no_stationarity(Q, p, A, c, x, alpha, tol=1e-8):
    slack = A @ x - c
    return np.abs(alpha * slack).max() <= tol and slack.min() >= -tol and alpha.min() >= -tol


def _signed(Q, p, A, c, x, alpha, tol=1e-8):
    slack = A @ x - c
    return (
        (Q @ x + p - A.T @ alpha).max() <= tol and (alpha * slack).max() <= tol
        and slack.min() >= -tol and alpha.min() >= -tol
    )


def _sum_of_slopes(Q, p, A, c, x, alpha, tol=1e-8):
    slack = A @ x - c
    return (
        abs((Q @ x + p - A.T @ alpha).sum()) <= tol and np.abs(alpha * slack).max() <= tol
        and slack.min() >= -tol and alpha.min() >= -tol
    )


def _sum_of_multipliers(Q, p, A, c, x, alpha, tol=1e-8):
    return _only_primal(Q, p, A, c, x, alpha, tol) and alpha.sum() >= -tol


def _sum_of_slacks(Q, p, A, c, x, alpha, tol=1e-8):
    return _only_dual(Q, p, A, c, x, alpha, tol) and (A @ x - c).sum() >= -tol


def _norms(Q, p, A, c, x, alpha, tol=1e-8):
    """Right: with α >= 0 and slacks >= 0 the products have one sign, so their sum will do."""
    slack = A @ x - c
    return (
        np.linalg.norm(Q @ x + p - A.T @ alpha) <= tol and bool(np.all(slack >= -tol)) and bool(np.all(alpha >= -tol))
        and abs(alpha @ slack) <= tol
    )


def _by_allclose(Q, p, A, c, x, alpha, tol=1e-8):
    slack = A @ x - c
    return np.allclose(Q @ x + p, A.T @ alpha, atol=tol) and np.allclose(alpha * slack, 0, atol=tol) and np.all(
        np.minimum(slack, alpha) >= -tol
    )


def _lax(Q, p, A, c, x, alpha, tol=1e-8):
    return _buggy(Q, p, A, c, x, alpha, 0.01) and (A @ x - c).min() >= -0.01 and alpha.min() >= -0.01


def _kkt_cases():
    """(problem, x, α, is it a solution, hint for a wrong verdict)."""
    Q, p, A, c = np.eye(2), np.array([-5.0, 0.0]), np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([-3.0, -1.0])
    return [
        ((Q, p, A, c), [3.0, 0.0], [2.0, 0.0], True, "the solution of min ½‖x - (5, 0)‖², x₁ <= 3, should pass."),
        ((Q, p, A, c), [5.0, 0.0], [0.0, 0.0], False, "x₁ = 5 breaks x₁ <= 3, and passes: feasibility is missing."),
        (
            (Q, np.zeros(2), A, c), [3.0, 0.0], [-3.0, 0.0], False,
            "a wall that pulls (α = -3) passes: dual feasibility is missing.",
        ),
        (
            (Q, np.zeros(2), A, np.array([0.0, -1.0])), [0.0, 0.0], [0.0, 0.0], True,
            "an active constraint may have multiplier 0; you refuse that.",
        ),
        ((Q, p, A, c), [3.0, 0.5], [2.0, 0.0], False, "x₂ = 0.5 is not stationary, and passes."),
        ((Q, p, A, c), [3.0, -0.5], [2.0, 0.0], False, "x₂ = -0.5 is not stationary, and passes: a slope has a size."),
        ((Q, p, A, c), [2.0, 0.0], [3.0, 0.0], False, "a wall that is not touched pushes, and passes."),
        (
            (Q, p, A, c), [3.0, 1.0], [1.0, 0.0], False,
            "the slopes -1 and 1 pass, because they add up to 0: each of them must be 0.",
        ),
        (
            (Q, np.array([-2.0, 3.0]), A, c), [3.0, -1.0], [-1.0, 2.0], False,
            "a wall that pulls (α₁ = -1) passes, because another pushes harder: test each multiplier.",
        ),
        (
            (Q, np.array([-4.0, -1.0]), A, c), [4.0, 1.0], [0.0, 0.0], False,
            "x₁ = 4 breaks x₁ <= 3 and passes, because there is room at another wall: test each constraint.",
        ),
        ((Q, p, A, c), [3.001, 0.0], [1.999, 0.0], False, "x₁ = 3.001 breaks x₁ <= 3 by more than tol, and passes."),
    ]


def _random_kkt_points(rng):
    """(Q, p, A, c, x, α) that satisfy all conditions, in random sizes: p and c are made to fit x and α."""
    for n, m in ((3, 5), (4, 2), (1, 3)):
        B, A, x = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=n)
        active = np.arange(m) % 2 == 0
        alpha, slack = rng.exponential(size=m) * active, rng.exponential(size=m) * ~active
        yield B @ B.T, A.T @ alpha - B @ B.T @ x, A, A @ x - slack, x, alpha


@exercise(
    "16.5",
    hint="There are four conditions in (16.6); count those that are tested.",
    step="Stationarity and complementary slackness are there. The two others ask for a sign: of what?",
    wrong=[
        _buggy, _only_primal, _only_dual, _strict, _no_stationarity, _signed, _lax, _sum_of_slopes, _sum_of_multipliers,
        _sum_of_slacks, lambda *args: True, lambda *args: False, lambda Q, p, A, c, x, alpha: Q @ x + p,
    ],
    right=[_norms, _by_allclose],
)
def kkt_test(answer):
    """All four: stationarity, primal and dual feasibility, complementary slackness."""
    for problem, x, alpha, solves, hint in _kkt_cases():
        verdict = call(answer, *problem, np.array(x), np.array(alpha))
        if np.ndim(verdict) != 0 or not isinstance(verdict, (bool, np.bool_)):
            raise Malformed(f"a bool is asked for, yours returned {type(verdict).__name__}.")
        expect(bool(verdict) == solves, hint)
    slightly = np.array([3.0 + 1e-11, 0.0])
    problem = _kkt_cases()[0][0]
    passes = bool(call(answer, *problem, slightly, np.array([2.0, 0.0])))
    expect(passes, "allow for rounding: a violation of 1e-11 is none.")
    for *given, x, alpha in _random_kkt_points(np.random.default_rng(5)):
        size = f"{len(alpha)} constraints on {len(x)} variables"
        expect(bool(call(answer, *given, x, alpha)), f"you refuse the solution of a random problem with {size}.")
        expect(not call(answer, *given, x + 0.1, alpha), f"a point beside the solution passes, with {size}.")


# ---------------------------------------------------------------------------------------------------------------
# 16.6 a certificate
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "16.6",
    hint="Multiply the inequalities with weights >= 0 and add them, such that all x cancel.",
    step="Give the first a weight. x₁ then has to cancel with the third, and x₂ with the second: that fixes the two "
    "other weights.",
    wrong=[[1.0, 1.0, 1.0], [-1.0, -1.0, -0.5], [0.0, 0.0, 0.0], [1.0, 1.0], [1.0, 0.0, 0.5]],
    right=[[2, 2, 1], (4.0, 4.0, 2.0), np.array([[1.0], [1.0], [0.5]]), np.array([[0.5, 0.5, 0.25]])],
)
def certificate(answer):
    """Weights y >= 0 with Aᵀy = 0 and cᵀy > 0: all multiples of (1, 1, ½)."""
    y = array(np.ravel(answer) if np.shape(answer) in ((3, 1), (1, 3)) else answer, (3,))
    A, c = np.array([[1.0, -1, 0], [0, 1, -1], [-2, 0, 2]]), np.array([1.0, 1.0, -3.0])
    expect(np.abs(y).max() > 0, "with all weights zero the sum says 0 >= 0, which is true.")
    expect(y.min() >= 0, "an inequality may only be multiplied by a weight >= 0; a negative one turns it round.")
    left = A.T @ y
    expect(
        np.abs(left).max() <= 1e-9 * np.abs(y).max(),
        f"the x do not cancel: their coefficients in the sum are {[float(f'{value:.4g}') for value in left]}.",
    )
    expect(c @ y > 0, "the right sides must add up to something positive.")
