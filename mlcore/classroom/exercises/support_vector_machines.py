"""Graders of the exercises of chapter 17, support vector machines."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, call, close, exercise, expect, number
from mlcore.datasets import make_moons
from mlcore.kernels import rbf_kernel
from mlcore.support_vector_machines import SVC


# ---------------------------------------------------------------------------------------------------------------
# 17.1 the width of a street
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "17.1",
    hint="Each edge lies where the functional margin is 1; turn that into a distance with (17.1).",
    step="An edge lies at the distance 1 / ‖w‖ from the line, and there is one on either side.",
    wrong=[0.2, 10, 5, 0.08, 2 / 7, 2],
    right=[0.4, 2 / 5, np.float32(0.4), np.array([0.4])],
)
def street_width(answer):
    """2 / ‖w‖ = 2 / 5."""
    value = number(answer)
    for mistake, hint in (
        (0.2, "that is the distance from the line to one edge; the street has two sides."),
        (10.0, "that is 2 ‖w‖: a longer w makes a narrower street."),
        (5.0, "that is ‖w‖ itself; a distance is the functional margin divided by it."),
        (0.08, "you divided by ‖w‖²; the distance has ‖w‖."),
        (2 / 7, "‖w‖ is the square root of 3² + 4², not 3 + 4."),
        (2.0, "2 is the difference of the functional margins; it is no distance yet."),
    ):
        if close(value, mistake, 1e-3):
            raise Wrong(hint)
    expect(abs(value - 0.4) < 1e-6)


# ---------------------------------------------------------------------------------------------------------------
# 17.2 two points
# ---------------------------------------------------------------------------------------------------------------
def _no_box(x1, x2, C):
    return 2.0 / np.sum((x2 - x1) ** 2)


def _one_for_two(x1, x2, C):
    return min(C, 1.0 / np.sum((x2 - x1) ** 2))


def _distance_not_squared(x1, x2, C):
    return min(C, 2.0 / np.sqrt(np.sum((x2 - x1) ** 2)))


def _no_half(x1, x2, C):
    return min(C, 4.0 / np.sum((x2 - x1) ** 2))


def _from_the_origin(x1, x2, C):
    return min(C, 2.0 / np.sum(x2**2))


def _by_a_ratio(x1, x2, C):
    difference = np.asarray(x1) - x2
    with np.errstate(divide="ignore"):
        return np.minimum(2.0 / (difference @ difference), C)


@exercise(
    "17.2",
    hint="With α₁ = α₂ = α the dual is a parabola in α; where is its top, and may you go there?",
    step="Write W(α) = 2α - ½ α² ‖x₂ - x₁‖², set its slope to zero, then clip to [0, C].",
    wrong=[
        _no_box, _one_for_two, _distance_not_squared, _no_half, _from_the_origin, lambda x1, x2, C: C,
        lambda x1, x2, C: x2 - x1, lambda x1, x2, C: min(C, 2.0 / max(np.sum((x2 - x1) ** 2), 1.0)),
    ],
    right=[_by_a_ratio, lambda x1, x2, C: np.array([_by_a_ratio(x1, x2, C)])],
)
def alpha_of_two(answer):
    """min(C, 2 / ‖x₂ - x₁‖²)."""
    rng = np.random.default_rng(0)
    for trial in range(30):
        x1, x2 = rng.normal(size=(2, 1 + trial % 4))
        squared = float(np.sum((x2 - x1) ** 2))
        C = (2.0 / squared) * (10.0 if trial % 2 == 0 else 0.3)
        value, right = number(call(answer, x1, x2, C)), min(C, 2.0 / squared)
        if close(value, right):
            continue
        inside = trial % 2 == 0
        expect(inside or not close(value, 2.0 / squared), "your α leaves the box: it may not exceed C.")
        expect(not (inside and close(value, C)), "the price C alone does not decide: the parabola has a top.")
        expect(
            not close(value, 1.0 / squared),
            "half of the right value: the linear term is Σα = 2α, because both points push.",
        )
        expect(not close(value, 4.0 / squared), "twice the right value: the dual has a factor ½ before α²‖x₂ - x₁‖².")
        expect(not close(value, 2.0 / np.sqrt(squared)), "the curvature is the *squared* distance.")
        expect(not close(value, _from_the_origin(x1, x2, C)), "‖x₂‖ is a distance from the origin, not from x₁.")
        raise Unknown()
    same = np.ones(2)
    value = number(call(answer, same, same, 3.0))
    expect(
        np.isfinite(value) and close(value, 3.0),
        "for two equal points W(α) = 2α rises all the way: α = C; take care not to divide by zero.",
    )


# ---------------------------------------------------------------------------------------------------------------
# 17.3 the ends of the piece
# ---------------------------------------------------------------------------------------------------------------
def _ends(alpha_i, alpha_j, y_i, y_j, C):
    if y_i != y_j:
        return max(0.0, alpha_j - alpha_i), min(C, C + alpha_j - alpha_i)
    return max(0.0, alpha_i + alpha_j - C), min(C, alpha_i + alpha_j)


def _swapped_cases(alpha_i, alpha_j, y_i, y_j, C):
    return _ends(alpha_i, alpha_j, y_i, -y_j, C)


def _whole_box(alpha_i, alpha_j, y_i, y_j, C):
    return 0.0, C


def _swapped_points(alpha_i, alpha_j, y_i, y_j, C):
    return _ends(alpha_j, alpha_i, y_i, y_j, C)


def _unclipped_ends(alpha_i, alpha_j, y_i, y_j, C):
    if y_i != y_j:
        return alpha_j - alpha_i, C + alpha_j - alpha_i
    return alpha_i + alpha_j - C, alpha_i + alpha_j


def _turned(alpha_i, alpha_j, y_i, y_j, C):
    return _ends(alpha_i, alpha_j, y_i, y_j, C)[::-1]


@exercise(
    "17.3",
    hint="When α_i and α_j move together, what stays: their sum or their difference? And where does α_i meet its "
    "walls?",
    step="For different labels α_i - α_j stays, for equal ones α_i + α_j. Put α_i = 0 and α_i = C, and keep α_j in "
    "its own box.",
    wrong=[
        _swapped_cases, _whole_box, _swapped_points, _unclipped_ends, _turned,
        lambda *args: _ends(*args)[0],
    ],
    right=[lambda *args: np.array(_ends(*args)), lambda *args: list(_ends(*args))],
)
def ends_of_the_piece(answer):
    """The interval of α_j by scanning, at random feasible pairs."""
    rng = np.random.default_rng(1)
    for trial in range(60):
        C = float(rng.uniform(0.5, 3))
        alpha_i, alpha_j = rng.choice([0.0, C, float(rng.uniform(0, C))], 2)
        y_i, y_j = rng.choice([-1, 1], 2)
        if trial == 0:  # a pair at which no two mistakes look the same
            alpha_i, alpha_j, y_j = C / 4, 2 * C / 3, -y_i
        given = call(answer, float(alpha_i), float(alpha_j), int(y_i), int(y_j), C)
        expect(np.shape(given) == (2,), f"two numbers are asked for, (L, H); got shape {np.shape(given)}.")
        low, high = (number(end) for end in given)
        right = _ends(alpha_i, alpha_j, y_i, y_j, C)
        if close([low, high], right):
            continue
        expect(low <= high + 1e-12, "L is larger than H: return the lower end first.")
        expect(min(low, C - high) >= -1e-12, "an end lies outside [0, C]: α_j has its own box.")
        expect(
            not close([low, high], _ends(alpha_i, alpha_j, y_i, -y_j, C)),
            "the two cases are swapped: with equal labels the *sum* of the two α stays.",
        )
        expect(
            not (close([low, high], (0.0, C))), "[0, C] is the box of α_j alone; α_i moves along and must stay inside."
        )
        expect(
            not close([low, high], _swapped_points(alpha_i, alpha_j, y_i, y_j, C)),
            "these are the ends for α_i; the question asks for those of α_j.",
        )
        raise Unknown(
            f"for α = ({alpha_i:.3g}, {alpha_j:.3g}), labels ({y_i}, {y_j}), C = {C:.3g} α_j runs from {right[0]:.3g} "
            f"to {right[1]:.3g}, yours from {low:.3g} to {high:.3g}."
        )


# ---------------------------------------------------------------------------------------------------------------
# 17.4 is it optimal?
# ---------------------------------------------------------------------------------------------------------------
def _violation(alpha, margins, C):
    too_small = np.where(alpha < C, 1.0 - margins, 0.0)
    too_large = np.where(alpha > 0, margins - 1.0, 0.0)
    return float(max(too_small.max(), too_large.max(), 0.0))


def _only_misclassified(alpha, margins, C):
    return max(0.0, float(np.where(alpha < C, -margins, 0.0).max()))


def _all_must_have_one(alpha, margins, C):
    return max(0.0, float((1.0 - margins).max()))


def _bound_on_the_edge(alpha, margins, C):
    case = np.where(alpha == 0, np.maximum(0.0, 1.0 - margins), np.abs(margins - 1.0))
    return float(case.max())


def _negative(alpha, margins, C):
    return float(max(np.where(alpha < C, 1.0 - margins, -9.0).max(), np.where(alpha > 0, margins - 1.0, -9.0).max()))


def _one_for_c(alpha, margins, C):
    return _violation(np.where(alpha < 1, alpha, C), margins, C)


def _largest_for_c(alpha, margins, C):
    return _violation(np.where(alpha < alpha.max(), alpha, C), margins, C)


def _by_cases(alpha, margins, C):
    worst = [max(0, 1 - m) if a <= 0 else max(0, m - 1) if a >= C else abs(m - 1) for a, m in zip(alpha, margins)]
    return max(worst)


@exercise(
    "17.4",
    hint="What does each case of (17.9) ask of the margin: at least 1, at most 1, or both?",
    step="Two statements say it all: α < C needs a margin of at least 1, α > 0 one of at most 1. Take the largest "
    "shortfall of all points, or 0.",
    wrong=[
        _only_misclassified, _all_must_have_one, _bound_on_the_edge, _negative, _one_for_c, _largest_for_c,
        lambda alpha, margins, C: 0.0, lambda alpha, margins, C: bool(_violation(alpha, margins, C) < 1e-9),
    ],
    right=[_by_cases, lambda *args: np.array([_by_cases(*args)])],
)
def optimality(answer):
    """The largest violation of the three cases."""
    cases = [
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
    ]
    for alpha, margins, C, hint in cases:
        alpha, margins = np.array(alpha), np.array(margins)
        value = number(call(answer, alpha, margins, C))
        expect(close(value, _violation(alpha, margins, C)), hint)
    rng = np.random.default_rng(2)
    for _ in range(20):
        C = rng.uniform(0.3, 3.0)
        alpha, margins = np.clip(rng.normal(0.5 * C, C, size=9), 0, C), rng.normal(1, 1, size=9)
        value = number(call(answer, alpha, margins, C))
        expect(close(value, _violation(alpha, margins, C)), "it fails on random α and margins: take all three cases.")


# ---------------------------------------------------------------------------------------------------------------
# 17.5 an experiment
# ---------------------------------------------------------------------------------------------------------------
def _counts():
    """Support vectors of the moons of section 5, for C = 1 and C = 1000."""
    X, y = make_moons(80, noise=0.2, random_state=0)
    return [len(SVC(C=C, gamma=1.0).fit(X, y).support_) for C in (1.0, 1000.0)]


@exercise(
    "17.5",
    hint="Read the number of support vectors under the picture at both settings.",
    step="Set the data to moons, the kernel to rbf and γ to 1; then move C alone, and subtract the two counts.",
    wrong=[0, -23, 11, 34, 999],
    right=[23, np.int64(23), np.array([23])],
)
def fewer_vectors(answer):
    """The difference of the two counts."""
    value, (many, few) = number(answer), _counts()
    expect(not close(value, few - many), "the number falls; the question asks by how many, a positive number.")
    expect(not close(value, few) and not close(value, many), "that is the number at one of the two settings.")
    expect(value != 0, "it does change: set γ to 1 and the kernel to rbf first.")
    expect(value <= 80, "there are only 80 points.")
    expect(abs(value - (many - few)) <= 1)


# ---------------------------------------------------------------------------------------------------------------
# 17.6 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _buggy(alpha, y, K, C):
    votes = y - K @ (alpha * y)
    return votes[alpha > 0].mean()


def _not_needed_ones(alpha, y, K, C):
    votes = y - K @ (alpha * y)
    return votes[alpha < C].mean()


def _bound_ones(alpha, y, K, C):
    votes = y - K @ (alpha * y)
    return votes[alpha == C].mean()


def _without_y(alpha, y, K, C):
    votes = y - K @ alpha
    return votes[(alpha > 0) & (alpha < C)].mean()


def _wrong_sign(alpha, y, K, C):
    votes = K @ (alpha * y) - y
    return votes[(alpha > 0) & (alpha < C)].mean()


def _nearest_of_each_class(alpha, y, K, C):
    scores = K @ (alpha * y)
    return -(scores[y < 0].max() + scores[y > 0].min()) / 2


def _sum_over_the_free(alpha, y, K, C):
    free = (alpha > 0) & (alpha < C)
    return (y - K @ (free * alpha * y))[free].mean()


def _one_for_the_label(alpha, y, K, C):
    return (1.0 - K @ (alpha * y))[(alpha > 0) & (alpha < C)].mean()


def _added_up(alpha, y, K, C):
    return (y - K @ (alpha * y))[(alpha > 0) & (alpha < C)].sum()


def _by_mask(alpha, y, K, C):
    votes = (y[:, np.newaxis] - K @ (alpha * y)[:, np.newaxis])[:, 0]
    return np.median(votes[(alpha > 1e-6 * C) & (alpha < C - 1e-6 * C)])


@exercise(
    "17.6",
    hint="Which of the three kinds of points lie on the edge for certain?",
    step="Bound vectors may lie anywhere inside the street. Let only those vote that have 0 < α < C, and take the "
    "mean of their votes.",
    wrong=[
        _buggy, _not_needed_ones, _bound_ones, _without_y, _wrong_sign, _nearest_of_each_class, _sum_over_the_free,
        _one_for_the_label, _added_up,
    ],
    right=[_by_mask],
)
def intercept_of_the_free(answer):
    """The mean vote of the free vectors."""
    rng = np.random.default_rng(3)
    for trial in range(6):
        n = 40
        y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
        X = rng.normal(size=(n, 2)) + 0.6 * y[:, np.newaxis]
        C, K = (0.5, 2.0, 20.0)[trial % 3], rbf_kernel(X, gamma=0.5)
        model = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K, y)
        alpha = np.zeros(n)
        alpha[model.support_] = np.abs(model.dual_coef_)
        value, b = number(call(answer, alpha, y, K, C)), model.intercept_
        if abs(value - b) < 1e-5:
            continue
        expect(not close(value, _buggy(alpha, y, K, C)), "bound vectors still vote, and they are not on the edge.")
        expect(
            not close(value, _not_needed_ones(alpha, y, K, C)), "points with α = 0 vote; they lie beyond the edge."
        )
        expect(not close(value, _bound_ones(alpha, y, K, C)), "you kept the bound ones: it is the others that count.")
        expect(
            not close(value, (y - K @ (alpha * y)).mean()),
            "points with α = 0 and bound ones vote too; only the free ones lie on the edge for certain.",
        )
        expect(abs(value + b) > 1e-5, "the sign is turned: b = y_s - Σ α_i y_i K_is.")
        expect(
            not close(value, _nearest_of_each_class(alpha, y, K, C)),
            "the nearest points of the two classes give b only if the classes are separated.",
        )
        expect(not close(value, _without_y(alpha, y, K, C)), "f(x) sums α_i y_i κ(x_i, x): your sum has no y_i.")
        expect(
            not close(value, _sum_over_the_free(alpha, y, K, C)),
            "the free ones vote, but the sum in each vote runs over all support vectors, the bound ones too.",
        )
        expect(
            not close(value, _one_for_the_label(alpha, y, K, C)),
            "b = y_s - Σ α_i y_i K_is: the label stands there, which is 1 only in one of the classes.",
        )
        expect(not close(value, _added_up(alpha, y, K, C)), "that is the sum of the votes; take their mean.")
        raise Unknown(f"b should be {b:.4f} on a random problem, yours is {value:.4f}: f(x) sums α_i y_i κ(x_i, x).")
