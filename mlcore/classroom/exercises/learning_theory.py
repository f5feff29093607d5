"""The exercises of chapter 10: learning theory."""

import math
from statistics import NormalDist

import numpy as np

from mlcore.classroom.exercises import Wrong, answer, array, close, exercise, expect, implement

_MORE = math.log(1000) / (2 * 0.05**2)

answer(
    "10.1",
    hint="Subtract (10.10) for k = 1000 from (10.10) for k = 1,000,000: what is left of the logarithm?",
    step="m is ln(2k/δ) / (2γ²). The difference of two logarithms is the logarithm of the ratio: 2/δ drops out.",
    right=_MORE, atol=1,
    mistakes={
        "that is how many rows k = 10⁶ asks for. How many more than k = 10³?": 3823,
        "that is how many rows k = 10³ asks for. How many more does k = 10⁶?": 2442,
        "half of it: the denominator is 2γ², not 4γ².": _MORE / 2,
        "twice as many: do not forget the 2 in 2γ².": 2 * _MORE,
        "the logarithm is the natural one, not that to base 10.": math.log10(1000) / (2 * 0.05**2),
    },
    also_right=[1381, 1382], also_wrong=[691, 2763, 1_000_000, 2764],
)  # fmt: skip


def _split(F, f, bias=lambda F, f: (F.mean(axis=0) - f) ** 2, spread=lambda F: F.var(axis=0)):
    return np.mean(bias(F, f)), np.mean(spread(F))


def _by_subtraction(F, f):
    bias2 = np.mean((np.mean(F, axis=0) - f) ** 2)
    return np.array([bias2, np.mean((F - f) ** 2) - bias2])  # (10.1) read backwards


def _fits(rng):
    for T, n in ((3, 4), (7, 2), (2, 9), (5, 1)):
        yield rng.normal(size=(T, n)) * 2 + rng.normal(size=n), rng.normal(size=n)


implement(
    "10.2",
    hint="Two means are taken: over the training sets, at each place, and over the places. Which comes first?",
    step="The mean over the training sets is F.mean(axis=0). Compare it with f, then each row with it; square; then "
    "average over the places.",
    right=_split, asked="two numbers are asked for, bias² and variance", cases=_fits,
    mistakes={
        "average over the places: one number for bias², one for the variance.": [
            lambda F, f: ((F.mean(axis=0) - f) ** 2, F.var(axis=0)), lambda F, f: (_split(F, f)[0], F.var(axis=0)),
            lambda F, f: ((F.mean(axis=0) - f) ** 2, _split(F, f)[1]),
        ],
        "average the models, not the places of one model: the mean comes first over the rows of F (axis=0).":
            lambda F, f: ((F.mean(axis=1) - f.mean()) ** 2, F.var(axis=1)),
        "bias² comes first, then the variance.": lambda F, f: _split(F, f)[::-1],
        "with T - 1 the parts do not add up: divide by T.": {"spread": lambda F: F.var(axis=0, ddof=1)},
        "that is a standard deviation; the variance is its square.": {"spread": lambda F: F.std(axis=0)},
        "you added up over the places: average over them.": lambda F, f: np.array(_split(F, f)) * len(f),
        "you compare the places of one model with each other; compare the models at one place (axis=0).":
            {"spread": lambda F: F.var(axis=1)},
        "that is the whole error: average the models first.": {"bias": lambda F, f: (F - f) ** 2},
        "the bias is to be squared.": {"bias": lambda F, f: np.abs(F.mean(axis=0) - f)},
        "biases of different places cancel in your average: square at each place, then average.":
            {"bias": lambda F, f: (F.mean() - f.mean()) ** 2},
    },
    otherwise=lambda got, wanted, F, f: (
        f"for {len(F)} models at {len(f)} places bias² or variance is not as in (10.1)."
    ),
    also_right=[_by_subtraction], also_wrong=[lambda F, f: 0.0, 1.0],
)  # fmt: skip

answer(
    "10.3",
    hint="For each class: place points so that all labelings occur; then find one that never does with one more.",
    step="One point more is the test. Can an interval hold the outer two of three points only? Can two intervals "
    "hold every other one of five? Can a line through the origin give three points all labelings?",
    right=[2, 4, 11, 2],
    parts=[
        ("(a)", "Of three points, can an interval hold the outer two without the middle one?"),
        ("(b)", "Five points in a row: can two intervals hold the first, the third and the fifth only?"),
        ("(c)", "The border has an offset b as well as its directions."),
        ("(d)", "Two points in different directions: can the turning line give all four labelings? And three?"),
    ],
    mistakes={
        "(a): [a, a + 1] slides. The points 0 and 0.5: can it hold either alone, both, and none?":
            (1, None, None, None),
        "(b): two intervals shatter more: which labeling of four points is the hardest?":
            lambda v: v[0] == 2 and v[1] <= 3,
        "(d): three is for lines that may lie anywhere; this border turns about the origin only.":
            (None, None, None, 3),
    },
    also_wrong=[[2, 3, 11, 2], [2, 4, 10, 2], [2, 5, 11, 2], [3, 4, 11, 2], [2, 4, 11, 1], [2, 4, 11]],
)  # fmt: skip


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
)  # fmt: skip
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


answer(
    "10.5",
    hint="Draw the errors of all hundred hypotheses, many times. In which runs does the good one win?",
    step="rng.binomial(50, [0.3] + [0.5] * 99, size=(20_000, 100)) counts the errors. Compare column 0 with the "
    "smallest of its row, and share a tie among all that have it.",
    right=_chance_of_the_good_one(),  # 0.636
    atol=0.02,  # six standard errors of 20,000 runs
    mistakes={
        "a share between 0 and 1 is asked for.": lambda share: not 0 <= share <= 1,
        "that is against one other; there are ninety-nine.": _chance_of_the_good_one(k=2),
        "the good one wins every tie there: np.argmin takes the first of several. Settle ties by lot.": 0.695,
        "the good one loses every tie there. Settle ties by lot.": 0.5925,
        "the good one wins far more often than by lot: look at column 0 of each row's smallest.":
            lambda share: share <= 0.1,
    },
    also_right=[0.64, _chance_of_the_good_one() + 0.015, _chance_of_the_good_one() - 0.015],
    also_wrong=[1.0, 0.0, 0.01, 0.998, 0.98, 0.5, 0.59],
)  # fmt: skip


def _report(wrong, delta, best=np.argmin, k=len, m=lambda wrong: wrong.shape[1], factor=2):
    best, gamma = best(wrong.mean(axis=1)), math.sqrt(math.log(2 * k(wrong) / delta) / (factor * m(wrong)))
    return best, wrong[best].mean() - gamma, wrong[best].mean() + gamma


def _cut_off(wrong, delta):
    best, low, high = _report(wrong, delta)
    return best, max(low, 0.0), min(high, 1.0)


def _of_a_bell(wrong, delta):
    """Another interval: of a normal distribution, with the union bound."""
    best = np.argmin(wrong.mean(axis=1))
    error, gamma = wrong[best].mean(), NormalDist().inv_cdf(1 - delta / len(wrong) / 2) * wrong[best].std()
    return best, error - gamma / math.sqrt(wrong.shape[1]), error + gamma / math.sqrt(wrong.shape[1])


def _of_many_models(rng):
    for k, m, delta in ((20, 300, 0.1), (50, 1000, 0.05), (3, 200, 0.01), (1, 400, 0.05)):
        yield rng.random((k, m)) < rng.uniform(0.35, 0.65, size=(k, 1)), delta


def _what_the_report_misses(got, wanted, wrong, delta):
    k, m = wrong.shape
    width, right = got[2] - got[1], wanted[2] - wanted[1]
    expect(got[0] == wanted[0], "the best model is the one with the smallest share of errors, on its row.")
    expect(close(width, right), f"by (10.11) it is {right:.4f} wide for {k} models and {m} rows, yours {width:.4f}.")
    raise Wrong("the middle should be the best model's share of errors.")


implement(
    "10.6",
    hint="The interval has to hold for every model at once, since any of them may be chosen. Which k is that?",
    step="The union bound puts the number of models into the logarithm.",
    right=_report, asked="three things are asked for: which model is best, and both ends of its interval",
    cases=_of_many_models,
    mistakes={
        "the width is still that for one model fixed beforehand.": {"k": lambda wrong: 1},
        "a factor √2 too wide: the denominator is 2m.": {"factor": 1},
        "the standard error of a bell is narrower, and holds only nearly: (10.11) holds for any m.": _of_a_bell,
    },
    otherwise=_what_the_report_misses, also_right=[_cut_off],
    also_wrong=[
        {"k": lambda wrong: len(wrong) / 2}, {"k": lambda wrong: len(wrong) ** 2}, {"best": np.argmax},
        {"k": lambda wrong: wrong.shape[1], "m": len}, lambda wrong, delta: 0.3, 2.0,
    ],
)  # fmt: skip
