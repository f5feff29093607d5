"""The exercises of chapter 10: learning theory."""

import math

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number, part


@exercise(
    "10.1",
    hint="Subtract (10.10) for k = 1000 from (10.10) for k = 1,000,000: what is left of the logarithm?",
    step="m is ln(2k/δ) / (2γ²). The difference of two logarithms is the logarithm of the ratio: 2/δ drops out.",
    wrong=[2442, 3823, 691, 2763, 600, 1_000_000, 2764],
    right=[1381, 1382, 1381.55, np.array([1382])],
)
def rows_for_more_hypotheses(answer):
    """ln(1000) / (2 · 0.05²) = 1381.6."""
    value, right = number(answer), math.log(1000) / (2 * 0.05**2)
    expect(abs(value - 3823) > 2, "that is how many rows k = 10⁶ asks for. How many more than k = 10³?")
    expect(abs(value - 2442) > 2, "that is how many rows k = 10³ asks for. How many more does k = 10⁶?")
    expect(abs(value - right / 2) > 2, "half of it: the denominator is 2γ², not 4γ².")
    expect(abs(value - 2 * right) > 2, "twice as many: do not forget the 2 in 2γ².")
    expect(abs(value - math.log10(1000) / 0.005) > 2, "the logarithm is the natural one, not that to base 10.")
    expect(abs(value - right) <= 1)


def _right_split(F, f):
    return ((F.mean(axis=0) - f) ** 2).mean(), ((F - F.mean(axis=0)) ** 2).mean()


def _as_array(F, f):
    return np.array(_right_split(F, f))


def _by_subtraction(F, f):
    """Right: (10.1) read backwards."""
    bias2 = np.mean((np.mean(F, axis=0) - f) ** 2)
    return bias2, np.mean((F - f) ** 2) - bias2


def _unbiased_variance(F, f):
    return _right_split(F, f)[0], F.var(axis=0, ddof=1).mean()


def _bias_not_squared(F, f):
    return np.abs(F.mean(axis=0) - f).mean(), F.var(axis=0).mean()


def _square_of_mean_bias(F, f):
    return (F.mean() - f.mean()) ** 2, F.var(axis=0).mean()


def _whole_error_as_bias(F, f):
    return ((F - f) ** 2).mean(), F.var(axis=0).mean()


def _variance_along_places(F, f):
    return _right_split(F, f)[0], F.var(axis=1).mean()


def _summed_over_places(F, f):
    return np.array(_right_split(F, f)) * len(f)


def _turned_about(F, f):
    return _right_split(F, f)[::-1]


def _deviation(F, f):
    return _right_split(F, f)[0], F.std(axis=0).mean()


@exercise(
    "10.2",
    hint="Two means are taken: over the training sets, at each place, and over the places. Which comes first?",
    step="The mean over the training sets is F.mean(axis=0). Compare it with f, then each row with it; square; then "
    "average over the places.",
    wrong=[
        _unbiased_variance, _bias_not_squared, _square_of_mean_bias, _whole_error_as_bias, _variance_along_places,
        _summed_over_places, _turned_about, _deviation, lambda F, f: 0.0, 1.0,
    ],
    right=[_right_split, _as_array, _by_subtraction],
)
def splitting_an_error(answer):
    """mean (F̄ - f)², mean (F - F̄)²."""
    rng = np.random.default_rng(102)
    for T, n in ((3, 4), (7, 2), (2, 9), (5, 1)):
        F, f = rng.normal(size=(T, n)) * 2 + rng.normal(size=n), rng.normal(size=n)
        got, right = array(call(answer, F.copy(), f.copy())), np.array(_right_split(F, f))
        expect(got.size == 2, f"two numbers are asked for, bias² and variance; got {got.size}.")
        got = got.ravel()
        expect(not close(got, right[::-1]), "bias² comes first, then the variance.")
        expect(not close(got[1], _unbiased_variance(F, f)[1]), "with T - 1 the parts do not add up: divide by T.")
        expect(not close(got[1], _deviation(F, f)[1]), "that is a standard deviation; the variance is its square.")
        if n > 1:
            expect(not close(got, _summed_over_places(F, f)), "you added up over the places: average over them.")
            expect(
                not close(got[1], _variance_along_places(F, f)[1]),
                "you compare the places of one model with each other; compare the models at one place (axis=0).",
            )
        expect(not close(got[0], _whole_error_as_bias(F, f)[0]), "that is the whole error: average the models first.")
        expect(not close(got[0], _bias_not_squared(F, f)[0]), "the bias is to be squared.")
        if n > 1:
            expect(
                not close(got[0], _square_of_mean_bias(F, f)[0]),
                "biases of different places cancel in your average: square at each place, then average.",
            )
        if not close(got, right):
            raise Unknown(f"for {T} models at {n} places bias² or variance is not as in (10.1).")


@exercise(
    "10.3",
    hint="For each class: place points so that all labelings occur; then find one that never does with one more.",
    step="One point more is the test. Can an interval hold the outer two of three points only? Can two intervals "
    "hold every other one of five? Can a line through the origin give three points all labelings?",
    wrong=[
        [1, 4, 11, 2], [2, 3, 11, 2], [2, 4, 10, 2], [2, 4, 11, 3], [2, 5, 11, 2], [3, 4, 11, 2], [2, 4, 11, 1],
        [2, 4, 11],
    ],
    right=[(2, 4, 11, 2), np.array([2.0, 4, 11, 2])],
)
def four_dimensions(answer):
    """2, 4, 11, 2."""
    a, b, c, d = array(answer, (4,))
    expect(a != 1, "(a): [a, a + 1] slides. The points 0 and 0.5: can it hold either alone, both, and none?")
    part(a == 2, "(a)", "Of three points, can an interval hold the outer two without the middle one?")
    expect(b > 3, "(b): two intervals shatter more: which labeling of four points is the hardest?")
    part(b == 4, "(b)", "Five points in a row: can two intervals hold the first, the third and the fifth only?")
    part(c == 11, "(c)", "The border has an offset b as well as its directions.")
    expect(d != 3, "(d): three is for lines that may lie anywhere; this border turns about the origin only.")
    part(d == 2, "(d)", "Two points in different directions: can the turning line give all four labelings? And three?")


@exercise(
    "10.4",
    hint="The weighted mean of the three points must be (1, 2). Which of them alone brings up the second coordinate?",
    step="Only (0, 4) has a second coordinate, which fixes its weight; only (4, 0) has a first one. What is left of "
    "the weights goes to (0, 0).",
    wrong=[
        [1, 1, 1, 3], [0.25, 0.25, 0.5, -1], [0, 0, 0, 0], [0.25, 0.5, 0.25, 1], [0.25, 0.25, 0.5, 0.5],
        [0.5, 0.25, 0.25],
    ],
    right=[[0.25, 0.25, 0.5, 1], (1, 1, 2, 4), np.array([2.0, 2.0, 4.0, 8.0])],
)
def proof_in_numbers(answer):
    """Any positive multiple of (1, 1, 2, 4)."""
    weights = array(answer, (4,))
    expect(weights.min() >= 0, "a weight is negative: then the means prove nothing.")
    expect(weights[:3].sum() > 0, "all weights are 0: that is no proof.")
    expect(
        close(weights[:3].sum(), weights[3]),
        f"the weights of label 1 add up to {weights[:3].sum():g}, that of label 0 is {weights[3]:g}.",
    )
    mean = weights[:3] @ np.array([[0.0, 0], [4, 0], [0, 4]]) / weights[3]
    expect(close(mean, [1, 2], rtol=1e-3), f"your mean of label 1 is ({mean[0]:g}, {mean[1]:g}), it should be (1, 2).")


def _chance_of_the_good_one(m=50, k=100, low=0.3):
    """P(the good one wins), ties by lot: sum over its count of the chances that the others have more, or as many."""
    j = np.arange(m + 1)
    choose = np.array([math.comb(m, i) for i in j], dtype=float)
    good, other = choose * low**j * (1 - low) ** (m - j), choose * 0.5**m
    more, share = 1 - np.cumsum(other), 0.0
    for t in range(k):  # t of the others tie with it
        share = share + math.comb(k - 1, t) * other**t * np.clip(more, 0, 1) ** (k - 1 - t) / (t + 1)
    return float(good @ share)


@exercise(
    "10.5",
    hint="Draw the errors of all hundred hypotheses, many times. In which runs does the good one win?",
    step="rng.binomial(50, [0.3] + [0.5] * 99, size=(4000, 100)) counts the errors. Compare column 0 with the "
    "smallest of its row, and share a tie among all that have it.",
    wrong=[1.0, 0.0, 0.01, 0.998, round(_chance_of_the_good_one(k=2), 2), 0.98, 0.5, 0.695, 0.59],
    right=[round(_chance_of_the_good_one(), 2), _chance_of_the_good_one() + 0.02, _chance_of_the_good_one() - 0.02],
)
def chance_of_the_good_one(answer):
    """Exactly 0.636, computed above."""
    value, right = number(answer), _chance_of_the_good_one()
    expect(0 <= value <= 1, "a share between 0 and 1 is asked for.")
    expect(abs(value - _chance_of_the_good_one(k=2)) > 0.03, "that is against one other; there are ninety-nine.")
    expect(
        abs(value - 0.695) > 0.015,
        "the good one wins every tie there: np.argmin takes the first of several. Settle ties by lot.",
    )
    expect(abs(value - 0.5925) > 0.013, "the good one loses every tie there. Settle ties by lot.")
    expect(value > 0.1, "the good one wins far more often than by lot: look at column 0 of each row's smallest.")
    expect(abs(value - right) <= 0.03)


def _interval(k_of, factor=2.0):
    def report(wrong, delta):
        k, m = wrong.shape
        best = int(np.argmin(wrong.mean(axis=1)))
        gamma = math.sqrt(math.log(2 * k_of(k) / delta) / (factor * m))
        return best, wrong[best].mean() - gamma, wrong[best].mean() + gamma

    return report


def _cut_off(wrong, delta):
    best, low, high = _right_report(wrong, delta)
    return best, max(low, 0.0), min(high, 1.0)


def _by_number_of_rows(wrong, delta):
    k, m = wrong.shape
    best = int(np.argmin(wrong.mean(axis=1)))
    gamma = math.sqrt(math.log(2 * m / delta) / (2 * k))
    return best, wrong[best].mean() - gamma, wrong[best].mean() + gamma


def _worst(wrong, delta):
    best = int(np.argmax(wrong.mean(axis=1)))
    _, low, high = _right_report(wrong, delta)
    return best, low, high


_right_report = _interval(lambda k: k)


@exercise(
    "10.6",
    hint="The interval has to hold for every model at once, since any of them may be chosen. Which k is that?",
    step="See (10.11): the union bound puts the number of models into the logarithm.",
    wrong=[
        _interval(lambda k: 1), _interval(lambda k: k, factor=1.0), _interval(lambda k: k / 2), _by_number_of_rows,
        _worst, _interval(lambda k: k * k), lambda wrong, delta: 0.3, 2.0,
    ],
    right=[_right_report, _cut_off, lambda wrong, delta: list(_right_report(wrong, delta))],
)
def report_on_the_best(answer):
    """ε̂ ± √(ln(2k/δ) / 2m)."""
    rng = np.random.default_rng(106)
    for k, m, delta in ((20, 300, 0.1), (50, 1000, 0.05), (3, 200, 0.01), (1, 400, 0.05)):
        wrong = rng.random((k, m)) < rng.uniform(0.35, 0.65, size=(k, 1))
        got = array(call(answer, wrong.copy(), delta))
        expect(got.size == 3, "three things are asked for: which model is best, and both ends of its interval.")
        best, low, high = got.ravel()
        right = np.array(_right_report(wrong, delta))
        expect(best == right[0], "the best model is the one with the smallest share of errors, on its row.")
        width, wanted = high - low, right[2] - right[1]
        if k > 1:
            single = np.ptp(_interval(lambda k: 1)(wrong, delta)[1:])
            expect(not close(width, single), "the width is still that for one model fixed beforehand.")
        expect(not close(width, wanted * math.sqrt(2)), "a factor √2 too wide: the denominator is 2m.")
        expect(width > wanted * (1 - 1e-9), f"too narrow for {k} models and {m} rows: see (10.11).")
        expect(close(width, wanted), f"wider than (10.11) asks for with {k} models and {m} rows.")
        expect(close([low, high], right[1:]), "the middle should be the best model's share of errors.")
