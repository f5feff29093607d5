"""The exercises of chapter 17: support vector machines."""

import functools

import numpy as np

from mlcore.classroom.exercises import Case, answer, expect, implement
from mlcore.datasets import make_moons
from mlcore.kernels import rbf_kernel
from mlcore.support_vector_machines import SVC

answer(
    "17.1",
    hint="Each edge lies where the functional margin is 1; turn that into a distance with (17.1).",
    step="An edge lies at the distance 1 / ‖w‖ from the line, and there is one on either side.",
    right=2 / 5,
    mistakes={
        "that is the distance from the line to one edge; the street has two sides.": 0.2,
        "that is 2 ‖w‖: a longer w makes a narrower street.": 10,
        "that is ‖w‖ itself; a distance is the functional margin divided by it.": 5,
        "you divided by ‖w‖²; the distance has ‖w‖.": 0.08,
        "‖w‖ is the square root of 3² + 4², not 3 + 4.": 2 / 7,
        "2 is by how much wᵀx + b grows from edge to edge; it is no distance yet.": 2,
    },
)


def _squared(x):
    return np.sum(np.square(x))


def _two_points(rng):
    for trial in range(30):
        x1, x2 = rng.normal(size=(2, 1 + trial % 4))
        yield x1, x2, 2 / _squared(x2 - x1) * (10.0 if trial % 2 == 0 else 0.3)
    rises = "for two equal points W(α) = 2α rises all the way: α = C; take care not to divide by zero."
    yield Case(np.ones(2), np.ones(2), 3.0, said=rises)


implement(
    "17.2",
    hint="With α₁ = α₂ = α the dual is a parabola in α; where is its top, and may you go there?",
    step="Write W(α) = 2α - ½ α² ‖x₂ - x₁‖², set its slope to zero, then clip to [0, C].",
    right=lambda x1, x2, C: min(C, 2 / _squared(x2 - x1)), cases=_two_points,
    mistakes={
        "your α leaves the box: it may not exceed C.": lambda x1, x2, C: 2 / _squared(x2 - x1),
        "the price C alone does not decide: the parabola has a top.": lambda x1, x2, C: C,
        "half of the right value: the linear term is Σα = 2α, because both points push.":
            lambda x1, x2, C: min(C, 1 / _squared(x2 - x1)),
        "twice the right value: the dual has a factor ½ before α²‖x₂ - x₁‖².":
            lambda x1, x2, C: min(C, 4 / _squared(x2 - x1)),
        "the curvature is the *squared* distance.": lambda x1, x2, C: min(C, 2 / _squared(x2 - x1) ** 0.5),
        "‖x₂‖ is a distance from the origin, not from x₁.": lambda x1, x2, C: min(C, 2 / _squared(x2)),
    },
    also_wrong=[lambda x1, x2, C: x2 - x1, lambda x1, x2, C: min(C, 2 / max(_squared(x2 - x1), 1.0))],
)  # fmt: skip


def _unclipped(alpha_i, alpha_j, y_i, y_j, C):
    start = alpha_j - alpha_i if y_i != y_j else alpha_i + alpha_j - C
    return start, start + C


def _feasible_pairs(rng):
    for trial in range(60):
        C = rng.uniform(0.5, 3)
        alpha_i, alpha_j = rng.choice([0.0, C, rng.uniform(0, C)], 2)
        y_i, y_j = rng.choice([-1, 1], 2)
        if trial == 0:  # a pair at which no two mistakes look the same
            alpha_i, alpha_j, y_j = C / 4, 2 * C / 3, -y_i
        yield float(alpha_i), float(alpha_j), int(y_i), int(y_j), C


def _outside(ends, right, alpha_i, alpha_j, y_i, y_j, C):
    expect(ends[0] <= ends[1] + 1e-12, "L is larger than H: return the lower end first.")
    expect(min(ends[0], C - ends[1]) >= -1e-12, "an end lies outside [0, C]: α_j has its own box.")
    return (
        f"for α = ({alpha_i:.3g}, {alpha_j:.3g}), labels ({y_i}, {y_j}), C = {C:.3g} α_j runs from {right[0]:.3g} "
        f"to {right[1]:.3g}, yours from {ends[0]:.3g} to {ends[1]:.3g}."
    )


implement(
    "17.3",
    hint="When α_i and α_j move together, what stays: their sum or their difference? And where does α_i meet its "
    "walls?",
    step="For different labels α_i - α_j stays, for equal ones α_i + α_j. Put α_i = 0 and α_i = C, and keep α_j in "
    "its own box.",
    right=lambda a_i, a_j, y_i, y_j, C: np.clip(_unclipped(a_i, a_j, y_i, y_j, C), 0, C), cases=_feasible_pairs,
    asked="two numbers are asked for, (L, H)",
    mistakes={
        "the two cases are swapped: with equal labels the *sum* of the two α stays.":
            lambda a_i, a_j, y_i, y_j, C: np.clip(_unclipped(a_i, a_j, y_i, -y_j, C), 0, C),
        "[0, C] is the box of α_j alone; α_i moves along and must stay inside.": lambda a_i, a_j, y_i, y_j, C: (0, C),
        "these are the ends for α_i; the question asks for those of α_j.":
            lambda a_i, a_j, y_i, y_j, C: np.clip(_unclipped(a_j, a_i, y_i, y_j, C), 0, C),
    },
    otherwise=_outside,
    also_wrong=[
        _unclipped, lambda *given: np.clip(_unclipped(*given), 0, given[-1])[::-1], lambda *given: max(given[1], 0.0),
    ],
)  # fmt: skip


def _violation(alpha, margins, C):
    too_small, too_large = np.where(alpha < C, 1 - margins, 0), np.where(alpha > 0, margins - 1, 0)
    return max(too_small.max(), too_large.max(), 0.0)


def _three_points(rng):
    for alpha, margins, C, said in (
        ([0.0, 0.5, 1.0], [2.0, 1.0, 0.2], 1.0, "all three cases hold: with α = C a margin of 0.2 is fine."),
        ([0.0, 0.5, 1.0], [2.0, 1.0, -3.0], 1.0, "a bound vector (α = C) may lie anywhere below 1, even beyond 0."),
        ([0.0, 0.5, 1.0], [0.7, 1.0, 0.2], 1.0, "α = 0 with a margin of 0.7 violates (17.9) by 0.3."),
        ([0.0, 0.5, 1.0], [2.0, 1.4, 0.2], 1.0, "a free vector with margin 1.4 is off the edge by 0.4."),
        ([0.0, 0.5, 1.0], [2.0, 1.0, 1.5], 1.0, "α = C with a margin of 1.5: by (17.9) it should be at most 1."),
        ([0.0, 0.5, 2.0], [-1.0, 0.9, 1.1], 2.0, "the worst point counts: α = 0 with margin -1 violates by 2."),
        ([0.0, 0.0, 2.0], [3.0, 4.0, 0.5], 2.0, "nothing is violated; a violation is never negative."),
        ([0.0, 1.5, 2.0], [2.0, 0.4, 0.5], 2.0, "α = 1.5 is free where C = 2: compare α with C, not with 1."),
        ([0.0, 0.5, 0.2], [2.0, 1.0, -1.0], 0.5, "α = 0.2 is free where C = 0.5, so its margin must be 1."),
        ([0.0, 0.3, 0.5], [2.0, 1.0, -1.0], 0.5, "α = 0.5 is bound where C = 0.5: compare α with C, not with 1."),
        ([0.0, 0.4, 1.2], [2.0, 1.0, 0.3], 3.0, "no α reaches C = 3 here: the largest α is free too, not bound."),
    ):
        yield Case(np.array(alpha), np.array(margins), C, said=said)
    for _ in range(20):
        C = rng.uniform(0.3, 3.0)
        alpha, margins = np.clip(rng.normal(0.5 * C, C, size=9), 0, C), rng.normal(1, 1, size=9)
        yield Case(alpha, margins, C, said="it fails on random α and margins: take all three cases.")


implement(
    "17.4",
    hint="What does each case of (17.9) ask of the margin: at least 1, at most 1, or both?",
    step="Two statements say it all: α < C needs a margin of at least 1, α > 0 one of at most 1. Take the largest "
    "shortfall of all points, or 0.",
    right=_violation,
    also_right=[
        lambda alpha, margins, C: max(
            max(0, 1 - m) if a <= 0 else max(0, m - 1) if a >= C else abs(m - 1) for a, m in zip(alpha, margins)
        ),
    ],
    cases=_three_points,
    also_wrong=[
        lambda alpha, margins, C: max(0, np.where(alpha < C, -margins, 0).max()),
        lambda alpha, margins, C: max(0, (1 - margins).max()),
        lambda alpha, margins, C: np.where(alpha == 0, np.maximum(0, 1 - margins), np.abs(margins - 1)).max(),
        lambda alpha, margins, C: max((1 - margins)[alpha < C].max(), (margins - 1)[alpha > 0].max(initial=-9)),
        lambda alpha, margins, C: _violation(alpha, margins, 1),
        lambda alpha, margins, C: _violation(alpha, margins, alpha.max()),
        lambda alpha, margins, C: 0.0,
        lambda alpha, margins, C: bool(_violation(alpha, margins, C) < 1e-9),
    ],
)


@functools.cache
def _counts():
    """Support vectors of the moons of section 5, for C = 1 and C = 1000."""
    X, y = make_moons(80, noise=0.2, random_state=0)
    return [len(SVC(C=C, gamma=1.0).fit(X, y).support_) for C in (1.0, 1000.0)]


answer(
    "17.5",
    hint="Read the number of support vectors under the picture at both settings.",
    step="Set the data to moons, the kernel to rbf and γ to 1; then move C alone, and subtract the two counts.",
    right=lambda: _counts()[0] - _counts()[1], also_right=[23], atol=1,
    mistakes={
        "the number falls; the question asks by how many, a positive number.": -23,
        "that is the number at one of the two settings.": lambda value: value in _counts(),
        "it does change: set γ to 1 and the kernel to rbf first.": lambda value: value == 0,
        "there are only 80 points.": lambda value: value > 80,
    },
    also_wrong=[0, 11, 34, 999],
)  # fmt: skip


def _b_of_each(alpha, y, K, C):
    return y - K @ (alpha * y)


def _free(alpha, C):
    return (alpha > 0) & (alpha < C)


def _intercept(alpha, y, K, C, who=_free, of=np.mean):
    return of(_b_of_each(alpha, y, K, C)[who(alpha, C)])


def _fitted_machines(rng):
    for C in (20.0, 0.5, 2.0) * 2:
        y = rng.permutation(np.where(np.arange(40) % 3 == 0, 1.0, -1.0))
        K = rbf_kernel(rng.normal(size=(40, 2)) + 0.6 * y[:, np.newaxis], gamma=0.5)
        model = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K, y)
        alpha = np.zeros(40)
        alpha[model.support_] = np.abs(model.dual_coef_)
        yield alpha, y, K, C


implement(
    "17.6",
    hint="Which of the three kinds of points lie on the edge for certain?",
    step="Bound vectors may lie anywhere inside the street. Each point s has its own b = y_s - Σ α_i y_i K_is; take "
    "the mean over those alone that have 0 < α < C.",
    right=_intercept, also_right=[lambda *given: _intercept(*given, of=np.median)], atol=1e-5,
    cases=_fitted_machines,
    mistakes={
        "bound vectors are still in the mean, and they are not on the edge.": {"who": lambda alpha, C: alpha > 0},
        "points with α = 0 are in the mean; they lie beyond the edge.": {"who": lambda alpha, C: alpha < C},
        "you kept the bound ones: it is the others that count.": {"who": lambda alpha, C: alpha == C},
        "points with α = 0 and bound ones are in the mean too; only the free ones lie on the edge for certain.":
            {"who": lambda alpha, C: alpha >= 0},
        "the sign is turned: b = y_s - Σ α_i y_i K_is.": lambda *given: -_intercept(*given),
        "the nearest points of the two classes give b only if the classes are separated.":
            lambda alpha, y, K, C: -((K @ (alpha * y))[y < 0].max() + (K @ (alpha * y))[y > 0].min()) / 2,
        "f(x) sums α_i y_i κ(x_i, x): your sum has no y_i.":
            lambda alpha, y, K, C: (y - K @ alpha)[_free(alpha, C)].mean(),
        "it is the mean over the right points, but in each b the sum runs over all support vectors, bound ones too.":
            lambda alpha, y, K, C: _b_of_each(_free(alpha, C) * alpha, y, K, C)[_free(alpha, C)].mean(),
        "b = y_s - Σ α_i y_i K_is: the label stands there, which is 1 only in one of the classes.":
            lambda alpha, y, K, C: (1 - K @ (alpha * y))[_free(alpha, C)].mean(),
        "that is the sum over the free ones; take the mean.": {"of": np.sum},
    },
    otherwise=lambda value, b, *given: f"b should be {b:.4f} on a random problem, yours is {value:.4f}: f(x) sums "
    "α_i y_i κ(x_i, x).",
)  # fmt: skip
