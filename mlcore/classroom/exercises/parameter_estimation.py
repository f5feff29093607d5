"""Graders of chapter 12."""

import math

import numpy as np

from mlcore.classroom.exercises import Unknown, answer, close, implement

answer(
    "12.1",
    hint="The posterior first: add the tosses to a and b. Then the share of heads, the peak, the mean.",
    step="The posterior is Beta(3 + 5, 2 + 1): its peak is (12.5), its mean (12.4). The MLE does not look at the "
    "prior.",
    right=[5 / 6, 7 / 9, 8 / 11],  # Beta(3, 2) and 5 heads, 1 tail: Beta(8, 3)
    digits=3,
    parts=[
        ("the MLE", "The MLE knows nothing of the prior: heads over tosses."),
        ("the MAP", "The MAP is the peak of Beta(8, 3), by (12.5)."),
        ("the mean of the posterior", "The mean of Beta(8, 3) is (12.4)."),
    ],
    mistakes={
        "your second is the peak of the prior; the tosses come on top of it.": (None, 2 / 3, None),
        "your second is the mean of the posterior; the MAP is its peak.": (None, 8 / 11, None),
        "a and b lose 1 *each* in (12.5), so the denominator loses 2.": (None, 7 / 10, None),
        "your third is (h + 1)/(n + 2), the mean under Beta(1, 1), not Beta(3, 2).": (None, None, 6 / 8),
        "your third is the peak again; the mean is a/(a + b) of the posterior.": (None, None, 7 / 9),
    },
    also_right=[(0.833, 0.778, 0.727)],
    also_wrong=[[5 / 6, 2 / 3, 3 / 5], [8 / 11] * 3, [5 / 6, 7 / 9], [0.83, 0.778, 0.727]],
)  # fmt: skip

answer(
    "12.2",
    hint="(12.18) has precisions, the inverse of variances, and a variance is the square of a deviation.",
    step="λ = (variance of the noise) / (variance of the prior): square both deviations.",
    right=0.25 / 4,  # α/β = σ²/τ²
    mistakes={
        "that is σ/τ (or σ² alone). λ is a ratio of variances: square the deviations.": 0.25,
        "upside down: a wider prior must give a *smaller* penalty.": 16.0,
        "that is τ/σ or τ²; the variance of the noise stands on top.": 4.0,
        "that is a product, of the variances or of the deviations; λ is a ratio.": 4.0 * 0.25,
        "rounded too far: the exact answer is asked for.": [0.063, 0.06],
    },
    also_wrong=[0.5],
)  # fmt: skip


def _predicted(X, y, x, alpha, beta, times=lambda beta: beta, noise=lambda beta: 1 / beta, doubt=lambda S: S, root=0.5):
    S = np.linalg.inv(alpha * np.eye(X.shape[1]) + beta * X.T @ X)
    return times(beta) * x @ S @ X.T @ y, (noise(beta) + x @ doubt(S) @ x) ** root


def _by_ridge(X, y, x, alpha, beta, penalty=lambda alpha, beta: alpha / beta):
    G = X.T @ X + penalty(alpha, beta) * np.eye(X.shape[1])
    return [x @ np.linalg.solve(G, X.T @ y), math.sqrt((1 + x @ np.linalg.solve(G, x)) / beta)]


def _samples(rng):
    for n, d, alpha, beta in ((8, 3, 0.7, 2.5), (3, 5, 0.2, 4.0), (30, 2, 3.0, 0.6)):
        X, x = rng.normal(size=(n, d)), rng.normal(size=d)
        yield X, X @ rng.normal(size=d) + rng.normal(size=n), x, alpha, beta


def _what_the_prediction_misses(got, wanted, X, *rest):
    for name, value, right in zip(("mean", "deviation"), got, wanted):
        if not close(value, right):
            raise Unknown(f"for n = {len(X)}, d = {X.shape[1]} the {name} should be {right:.5f}, yours is {value:.5f}.")


implement(
    "12.3",
    hint="Two doubts add up: that about the weights, and the noise of a new value. Which matrix holds the first?",
    step="S = (αI + βXᵀX)⁻¹, m = βSXᵀy; then x·m, and the root of 1/β + xᵀSx.",
    right=_predicted, asked="return two numbers, the mean and the deviation", cases=_samples,
    mistakes={
        "α and β have changed places: α is the prior's precision, β the noise's.":
            lambda X, y, x, alpha, beta: _predicted(X, y, x, beta, alpha),
        "that is ridge with the penalty α; by (12.18) it is α/β.": [
            lambda *case: _by_ridge(*case, penalty=lambda alpha, beta: alpha),
            lambda *case: (_by_ridge(*case, penalty=lambda alpha, beta: alpha)[0], _predicted(*case)[1]),
            lambda X, y, x, alpha, beta: (
                _predicted(X, y, x, alpha, 1)[0], (1 / beta - 1 + _predicted(X, y, x, alpha, 1)[1] ** 2) ** 0.5
            ),
            lambda X, y, x, alpha, beta: (_predicted(X, y, x, alpha, 1)[0], _predicted(X, y, x, alpha, beta)[1]),
        ],
        "the mean comes first, then the deviation.": lambda *case: _predicted(*case)[::-1],
        "the mean is right; the second number is the variance. Take its root.": {"root": 1},
        "the mean lacks a factor β: m = βSXᵀy.": {"times": lambda beta: 1},
        "that is the doubt about the line alone; a new y has noise as well, 1/β.": {"noise": lambda beta: 0},
        "that is the noise alone; where is the doubt xᵀSx?": {"doubt": lambda S: 0 * S},
        "β is a precision: the variance of the noise is 1/β.": {"noise": lambda beta: beta},
        "that takes the precision P for the covariance: S = P⁻¹ stands between the x.": {"doubt": np.linalg.inv},
    },
    otherwise=_what_the_prediction_misses,
    also_right=[_by_ridge, lambda *case: np.array(_predicted(*case))[:, np.newaxis]], also_wrong=[1.0],
)  # fmt: skip

_COUNTS = (2.0, 1.0, [3, 0, 4]), (0.5, 2.5, [0, 0, 1, 7, 2]), (3.0, 4.0, [0, 0]), (1.5, 0.2, [])


def _rates(a, b, counts, events=np.sum, time=len):
    return a + events(counts), b + time(counts)


implement(
    "12.4",
    hint="Multiply the prior by the likelihood of n counts and collect the powers of λ and the exponents of e.",
    step="λ^(a-1) e^(-bλ) meets n factors λ^k e^(-λ). What is the new exponent of λ, and what multiplies -λ?",
    right=_rates, asked="return two numbers, the new a and the new b",
    cases=[(a, b, np.array(counts, dtype=int)) for a, b, counts in _COUNTS],
    mistakes={
        "each count brings a factor e⁻λ: n of them, not one.": {"time": lambda counts: 1},
        "that is the coin's rule. Here b counts intervals, n of them.":
            {"time": lambda counts: len(counts) - counts.sum()},
        "the two are swapped: the powers of λ add up to Σx.": {"events": len, "time": np.sum},
        "it is the sum of the counts, not the mean.": {"events": np.mean},
        "an interval without an event says something too: count it.": {"time": np.count_nonzero},
        "that is the update of the scale 1/b; the prior here is e^(-bλ).":
            lambda a, b, counts: (a + counts.sum(), b / (1 + b * len(counts))),
    },
    otherwise=lambda got, wanted, a, b, counts: (
        f"for a = {a}, b = {b}, counts = {counts.tolist()} the answer is {tuple(map(float, wanted))}, yours is {got}."
    ),
    also_right=[lambda a, b, counts: np.array([[a + sum(counts)], [b + np.size(counts)]])], also_wrong=[3.0],
)  # fmt: skip

answer(
    "12.5",
    hint="Draw many samples of 5 values and one more for each, and count how often the one more falls inside.",
    step="np.random.default_rng(0).normal(size=(100_000, 6)): the first five columns give the mean and the std "
    "(which divides by n), the sixth is the fresh value.",
    right=0.8152,  # P(|T| <= 1.96 √((n-1)/(n+1))) for Student's T with n - 1 = 4 degrees of freedom
    atol=7e-3,
    mistakes={
        "a share between 0 and 1 is asked for.": [81.5, lambda share: not 0 <= share <= 1],
        "95 % is what the analyst believes. Count what really happens.": 0.95,
        "0.85 comes out in two ways: from σ̂² divided by n - 1 (the MLE divides by n), and from asking how often "
        "x̄ ± 1.96 σ̂/√n holds μ (ask for a sixth value).": [0.8519, 0.8455],
    },
    also_right=[0.81, 0.82], also_wrong=[0.6827, 1.6, 82],
)  # fmt: skip


def _days(a, b, days):
    return a + sum(heads for heads, _ in days), b + sum(tails for _, tails in days)


def _again_and_again(a, b, days):
    for day in range(len(days)):
        a, b = _days(a, b, days[: day + 1])
    return a, b


implement(
    "12.6",
    hint="After two days of one head each, how many heads has the code added?",
    step="`heads` and `tails` add up all days so far, and then a and b add that up again. Either of the two is enough.",
    right=_days, asked="return two numbers, the new a and the new b",
    cases=[
        (1.0, 1.0, [(1, 0), (1, 0)]), (2.0, 3.0, [(4, 1), (0, 2), (3, 3)]), (0.5, 0.5, [(7, 2)]),
        (5.0, 1.0, [(0, 1)] * 6),
    ],
    mistakes={
        "the tosses of the first day are still counted twice.": _again_and_again,
        "only the last day is left: each belief starts from the last.": lambda a, b, days: _days(a, b, days[-1:]),
        "that is the mean of the days: each toss counts, so add them up.":
            lambda a, b, days: (a + np.mean([heads for heads, _ in days]), b + np.mean([tails for _, tails in days])),
        "the prior is lost: start from a and b.": lambda a, b, days: _days(0, 0, days),
        "heads go to a, tails to b.": lambda a, b, days: _days(a, b, [day[::-1] for day in days]),
    },
    otherwise=lambda got, wanted, a, b, days: (
        f"after {days} Beta({a:g}, {b:g}) becomes {tuple(map(float, wanted))}."
    ),
    also_wrong=["double"],
)  # fmt: skip
