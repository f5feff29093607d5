"""The exercises of chapter 16: constrained optimisation."""

import numpy as np

from mlcore.classroom.exercises import Case, answer, close, expect, implement

answer(
    "16.1",
    hint="At the solution the gradient of the function is a multiple of that of the constraint. Of which size?",
    step="(2x₁, 2x₂) = β (3, 4). Put that into 3x₁ + 4x₂ = 75, and solve for β.",
    right=6,
    mistakes={
        "the size is right, the sign is not: does the least value rise or fall when 75 becomes 76?": -6.0,
        "that is the least value itself; the question asks how fast it changes.": 225.0,
        "half of it: was the 2 of the derivative of x² forgotten?": 3.0,
        "that is a coordinate of the solution; what is asked is the rate at which f* changes.": [9.0, 12.0],
        "that is a derivative of f at the solution; divide it by its coefficient in the constraint.": [18.0, 24.0],
        "that is the curvature 2/25 of f*(d) = d²/25; take its slope at d = 75.": 0.08,
        "nearly: f* curves, so take its slope at 75 itself, not the rise over a whole step.":
            [6.04, lambda value: abs(value - 6) <= 0.1],
    },
)  # fmt: skip


def _half_spaces(rng):
    inside = "where z is in the half-space already, the nearest point is z itself: the multiplier is 0."
    yield Case(np.array([3.0, 1.0]), np.array([1.0, 2.0]), 1.0, said=inside)
    yield np.zeros(2), np.array([3.0, 4.0]), 10.0
    for d in (5, 2, 1):
        z, a = rng.normal(size=d), 2 * rng.normal(size=d)
        yield Case(z, a, a @ z - 1, said=inside)
        yield Case(z, a, a @ z, said=inside)
        yield z, a, a @ z + 2


def _not_nearest(x, nearest, z, a, c):
    if close(a @ x, c):
        return "your x lies on the boundary, but x - z must be parallel to a; there are nearer points."
    return f"the nearest point lies on the boundary, aᵀx = {c:.4f}; yours: {a @ x:.4f}."


def _in_place(z, a, c):
    z += max(0.0, (c - a @ z) / (a @ a)) * a
    return z


implement(
    "16.2",
    hint="Write the KKT conditions of ½‖x - z‖² under the constraint. In which direction may x differ from z?",
    step="Stationarity says x = z + α a. α is 0 where z is inside; otherwise x lies on the border: aᵀ(z + α a) = c.",
    right=lambda z, a, c: z + max(0.0, (c - a @ z) / (a @ a)) * a,
    also_right=[lambda z, a, c: z if a @ z >= c else z - (a @ z - c) / np.linalg.norm(a) ** 2 * a],
    cases=_half_spaces,
    mistakes={
        "z breaks the constraint here, so it cannot be the answer.": lambda z, a, c: z,
        "the length of a enters squared: aᵀ(z + α a) = aᵀz + α aᵀa.":
            lambda z, a, c: z + max(0.0, (c - a @ z) / np.sqrt(a @ a)) * a,
        "you step away from the half-space: it lies in the direction of +a.":
            lambda z, a, c: z - max(0.0, (c - a @ z) / (a @ a)) * a,
        "that is the projection on aᵀx <= c.": lambda z, a, c: z - max(0.0, (a @ z - c) / (a @ a)) * a,
        "that boundary point is the nearest to the origin; asked for is the nearest to z.":
            lambda z, a, c: z if a @ z >= c else c / (a @ a) * a,
        "α is a number; the step is α a, a vector along a.": lambda z, a, c: z + max(0.0, (c - a @ z) / (a @ a)),
    },
    otherwise=_not_nearest,
    also_wrong=[lambda z, a, c: z + (c - a @ z) / (a @ a) * a, _in_place],
)  # fmt: skip

implement(
    "16.3",
    hint="Which x makes the gradient of L zero? Put it back into L.",
    step="The gradient of L in x is x - α a. Where it is zero, put that x back into L: two of the terms have aᵀa.",
    right=lambda alpha, a, c: alpha * c - alpha**2 * (a @ a) / 2,
    also_right=[lambda alpha, a, c: 0.5 * np.sum((alpha * a) ** 2) + alpha * (c - a @ (alpha * a))],
    cases=lambda rng: [(rng.exponential() + 0.5, rng.normal(size=d) * 1.5, rng.normal() + 2) for d in (4, 2, 1)],
    mistakes={
        "a need not have length 1: ‖α a‖² = α² aᵀa.": lambda alpha, a, c: alpha * c - alpha**2 / 2,
        "the sign of the square: ½‖x‖² gives +½, and -α aᵀx gives -1 of it.":
            lambda alpha, a, c: alpha * c + alpha**2 * (a @ a) / 2,
        "½‖x‖² - α aᵀx at x = α a is ½ - 1, not -1, times α² aᵀa.": lambda alpha, a, c: alpha * c - alpha**2 * (a @ a),
        "the term α c does not depend on x, but it belongs to L.": lambda alpha, a, c: -(alpha**2) * (a @ a) / 2,
        "‖α a‖² is α² aᵀa: the length of a enters squared.":
            lambda alpha, a, c: alpha * c - alpha**2 * np.sqrt(a @ a) / 2,
        "you put in x = a; L is least at x = α a.": lambda alpha, a, c: (a @ a) / 2 + alpha * (c - a @ a),
        "that is the largest θ of all; keep α as it is given.": lambda alpha, a, c: c**2 / (2 * (a @ a)),
        "that is L at x = 0; put the x in that makes L least, x = α a.": lambda alpha, a, c: alpha * c,
        "that is -θ; the dual is maximised, so keep its sign.": lambda alpha, a, c: alpha**2 * (a @ a) / 2 - alpha * c,
    },
    otherwise=lambda value, right, alpha, a, c: f"for α = {alpha:.3f}, aᵀa = {a @ a:.3f}, c = {c:.3f} θ is "
    f"{right:.4f}, yours is {value:.4f}.",
    also_wrong=[lambda alpha, a, c: alpha * a, lambda alpha, a, c: c**2 / 2],
)  # fmt: skip

answer(
    "16.4",
    hint="Below the picture stands the error of α₂. Divide that after two sweeps by that after one, or use (16.17).",
    step="A sweep moves both coordinates, one after the other. By (16.17), which factor does each of them give?",
    right=0.9**2, also_right=[0.813], digits=2,
    mistakes={
        "that is the factor of half a sweep: both coordinates move in a sweep, and each gives one ρ.": 0.9,
        "that is the share of the error that is removed; the question asks what is left.": 0.19,
        "ρ is squared, so the factor is not negative.": -0.81,
        "that is the error before divided by the error after; turn the fraction round.": 1 / 0.81,
        "that is what two sweeps leave: divide it by what one leaves.": 0.9**4,
        "that is the factor for a correlation of 0.8: set the slider to 0.9.": 0.64,
        "as a fraction, please, not in percent.": 81.0,
    },
    also_wrong=[0.95, 0.1],
)  # fmt: skip


def _kkt(Q, p, A, c, x, alpha, tol=1e-8, stationary=True, primal=True, dual=True):
    slack = A @ x - c
    return bool(
        (not stationary or np.abs(Q @ x + p - A.T @ alpha).max() <= tol) and np.abs(alpha * slack).max() <= tol
        and (not primal or slack.min() >= -tol) and (not dual or alpha.min() >= -tol)
    )  # fmt: skip


def _by_products(Q, p, A, c, x, alpha, tol=1e-8):
    """Right: with α >= 0 and slacks >= 0 the products have one sign, so their sum will do."""
    slack = A @ x - c
    return (
        np.allclose(Q @ x + p, A.T @ alpha, atol=tol) and np.all(np.minimum(slack, alpha) >= -tol)
        and abs(alpha @ slack) <= tol
    )  # fmt: skip


def _triples(rng):
    five = (-5, 0)
    for x, alpha, p, said in (
        ((3, 0), (2, 0), five, "the solution of min ½‖x - (5, 0)‖², x₁ <= 3, should pass."),
        ((5, 0), (0, 0), five, "x₁ = 5 breaks x₁ <= 3, and passes: feasibility is missing."),
        ((3, 0), (-3, 0), (0, 0), "a wall that pulls (α = -3) passes: dual feasibility is missing."),
        ((3, 0), (0, 0), (-3, 0), "an active constraint may have multiplier 0; you refuse that."),
        ((3, 0.5), (2, 0), five, "x₂ = 0.5 is not stationary, and passes."),
        ((3, -0.5), (2, 0), five, "x₂ = -0.5 is not stationary, and passes: a slope has a size."),
        ((2, 0), (3, 0), five, "a wall that is not touched pushes, and passes."),
        ((3, 1), (1, 0), five, "the slopes -1 and 1 pass, because they add up to 0: each of them must be 0."),
        ((3, -1), (-1, 2), (-2, 3),
         "a wall that pulls (α₁ = -1) passes, because another pushes harder: test each multiplier."),
        ((4, 1), (0, 0), (-4, -1),
         "x₁ = 4 breaks x₁ <= 3 and passes, because there is room at another wall: test each constraint."),
        ((3.001, 0), (1.999, 0), five, "x₁ = 3.001 breaks x₁ <= 3 by more than tol, and passes."),
        ((3 + 1e-11, 0), (2, 0), five, "allow for rounding: a violation of 1e-11 is none."),
    ):  # fmt: skip
        x, alpha, p = (np.array(one, dtype=float) for one in (x, alpha, p))
        yield Case(np.eye(2), p, np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([-3.0, -1.0]), x, alpha, said=said)
    for n, m in ((3, 5), (4, 2), (1, 3)):  # p and c are made to fit x and α
        B, A, x = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=n)
        active = np.arange(m) % 2 == 0
        alpha, slack = rng.exponential(size=m) * active, rng.exponential(size=m) * ~active
        given, size = (B @ B.T, A.T @ alpha - B @ B.T @ x, A, A @ x - slack), f"{m} constraints on {n} variables"
        yield Case(*given, x, alpha, said=f"you refuse the solution of a random problem with {size}.")
        yield Case(*given, x + 0.1, alpha, said=f"a point beside the solution passes, with {size}.")


implement(
    "16.5",
    hint="There are four conditions in (16.6); count those that are tested.",
    step="Stationarity and complementary slackness are there. The two others ask for a sign: of what?",
    right=_kkt, also_right=[_by_products], cases=_triples,
    also_wrong=[
        {"primal": False, "dual": False}, {"dual": False}, {"primal": False}, {"stationary": False}, {"tol": 0.01},
        lambda Q, p, A, c, x, alpha: _kkt(Q, p, A, c, x, alpha) and (alpha[np.abs(A @ x - c) <= 1e-8] > 0).all(),
        lambda Q, p, A, c, x, alpha: (Q @ x + p - A.T @ alpha).max() <= 1e-8
        and _kkt(Q, p, A, c, x, alpha, stationary=False),
        lambda Q, p, A, c, x, alpha: abs((Q @ x + p - A.T @ alpha).sum()) <= 1e-8
        and _kkt(Q, p, A, c, x, alpha, stationary=False),
        lambda *given: _kkt(*given, dual=False) and given[-1].sum() >= -1e-8,
        lambda *given: _kkt(*given, primal=False) and (given[2] @ given[4] - given[3]).sum() >= -1e-8,
        lambda *given: True, lambda *given: False, lambda Q, p, A, c, x, alpha: Q @ x + p,
    ],
)  # fmt: skip


def _sum_of_inequalities(y):
    left = np.array([[1.0, 0, -2], [-1, 1, 0], [0, -1, 2]]) @ y
    expect(
        np.abs(left).max() <= 1e-9 * np.abs(y).max(),
        f"the x do not cancel: their coefficients in the sum are {[float(f'{value:.4g}') for value in left]}.",
    )


answer(
    "16.6",
    hint="Multiply the inequalities with weights >= 0 and add them, such that all x cancel.",
    step="Give the first a weight. x₁ then has to cancel with the third, and x₂ with the second: that fixes the two "
    "other weights.",
    right=np.array([1, 1, 0.5]), also_right=[(4, 4, 2), (0.5, 0.5, 0.25)], key=lambda y: y / np.abs(y).max(),
    mistakes={
        "with all weights zero the sum says 0 >= 0, which is true.": lambda y: not y.any(),
        "an inequality may only be multiplied by a weight >= 0; a negative one turns it round.": lambda y: y.min() < 0,
    },
    otherwise=_sum_of_inequalities,
    also_wrong=[[1.0, 1.0, 1.0], [-1.0, -1.0, -0.5], [0.0, 0.0, 0.0], [1.0, 1.0], [1.0, 0.0, 0.5]],
)  # fmt: skip
