"""Graders of chapter 12."""

import math

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number, part


@exercise(
    "12.1",
    hint="The posterior first: add the tosses to a and b. Then the share of heads, the peak, the mean.",
    step="The posterior is Beta(3 + 5, 2 + 1): its peak is (12.5), its mean (12.4). The MLE does not look at the "
    "prior.",
    wrong=[[5 / 6, 8 / 11, 7 / 9], [5 / 6, 7 / 10, 8 / 11], [5 / 6, 2 / 3, 3 / 5], [5 / 6, 7 / 9, 6 / 8], [8 / 11] * 3,
           [5 / 6, 7 / 9], [5 / 6, 7 / 9, 7 / 9]],
    right=[(0.833, 0.778, 0.727), np.array([[5 / 6], [7 / 9], [8 / 11]])],
)
def three_answers(answer):
    """Beta(3, 2) and 5 heads, 1 tail: Beta(8, 3), so 5/6, 7/9 and 8/11."""
    values = array(answer)
    expect(values.size == 3, f"three numbers are asked for, got {values.size}.")
    mle, peak, mean = values.ravel()

    def is_near(value, target):
        return close(value, target, rtol=2e-3)

    part(is_near(mle, 5 / 6), "the MLE", "The MLE knows nothing of the prior: heads over tosses.")
    expect(not is_near(peak, 2 / 3), "your second is the peak of the prior; the tosses come on top of it.")
    expect(not is_near(peak, 8 / 11), "your second is the mean of the posterior; the MAP is its peak.")
    expect(not is_near(peak, 7 / 10), "a and b lose 1 *each* in (12.5), so the denominator loses 2.")
    part(is_near(peak, 7 / 9), "the MAP", "The MAP is the peak of Beta(8, 3), by (12.5).")
    expect(not is_near(mean, 6 / 8), "your third is (h + 1)/(n + 2), the mean under Beta(1, 1), not Beta(3, 2).")
    expect(not is_near(mean, 7 / 9), "your third is the peak again; the mean is a/(a + b) of the posterior.")
    part(is_near(mean, 8 / 11), "the mean of the posterior", "The mean of Beta(8, 3) is (12.4).")


@exercise(
    "12.2",
    hint="(12.18) has precisions, the inverse of variances, and a variance is the square of a deviation.",
    step="λ = (variance of the noise) / (variance of the prior): square both deviations.",
    wrong=[0.25, 16.0, 4.0, 4.0 * 0.25, 0.5],
    right=[0.0625, 1 / 16, np.array([0.0625]), 0.063],
)
def penalty_of_a_belief(answer):
    """λ = α/β = σ²/τ² = 0.25/4."""
    value = number(answer)
    expect(not close(value, 0.25), "that is σ/τ (or σ² alone). λ is a ratio of variances: square the deviations.")
    expect(not close(value, 16.0), "upside down: a wider prior must give a *smaller* penalty.")
    expect(not close(value, 4.0), "that is τ/σ or τ²; the variance of the noise stands on top.")
    expect(not close(value, 1.0), "that is the product of the variances; λ is their ratio.")
    expect(close(value, 0.0625, rtol=1e-2))


def _parts(X, y, alpha, beta):
    return np.linalg.inv(alpha * np.eye(X.shape[1]) + beta * X.T @ X), X.T @ y


def _right_prediction(X, y, x, alpha, beta):
    S, c = _parts(X, y, alpha, beta)
    return beta * x @ S @ c, np.sqrt(1 / beta + x @ S @ x)


def _by_ridge(X, y, x, alpha, beta):
    """Right, by other steps, and as a list."""
    G = X.T @ X + alpha / beta * np.eye(X.shape[1])
    return [x @ np.linalg.solve(G, X.T @ y), math.sqrt((1 + x @ np.linalg.solve(G, x)) / beta)]


def _without_beta(X, y, x, alpha, beta):
    S, c = _parts(X, y, alpha, beta)
    return x @ S @ c, np.sqrt(1 / beta + x @ S @ x)


def _without_noise(X, y, x, alpha, beta):
    S, c = _parts(X, y, alpha, beta)
    return beta * x @ S @ c, np.sqrt(x @ S @ x)


def _without_doubt(X, y, x, alpha, beta):
    return _right_prediction(X, y, x, alpha, beta)[0], np.sqrt(1 / beta)


def _variance(X, y, x, alpha, beta):
    mean, sd = _right_prediction(X, y, x, alpha, beta)
    return mean, sd**2


def _beta_for_variance(X, y, x, alpha, beta):
    S, c = _parts(X, y, alpha, beta)
    return beta * x @ S @ c, np.sqrt(beta + x @ S @ x)


def _precision_for_covariance(X, y, x, alpha, beta):
    S, c = _parts(X, y, alpha, beta)
    return beta * x @ S @ c, np.sqrt(1 / beta + x @ np.linalg.inv(S) @ x)


def _roles_swapped(X, y, x, alpha, beta):
    return _right_prediction(X, y, x, beta, alpha)


@exercise(
    "12.3",
    hint="Two doubts add up: that about the weights, and the noise of a new value. Which matrix holds the first?",
    step="S = (αI + βXᵀX)⁻¹, m = βSXᵀy; then x·m, and the root of 1/β + xᵀSx.",
    wrong=[_without_beta, _without_noise, _without_doubt, _variance, _beta_for_variance, _precision_for_covariance,
           _roles_swapped, 1.0],
    right=[_right_prediction, _by_ridge, lambda *given: np.array(_right_prediction(*given))[:, np.newaxis]],
)
def prediction_with_doubt(answer):
    """The mean and the deviation of a new y at x."""
    rng = np.random.default_rng(123)
    for n, d, alpha, beta in ((8, 3, 0.7, 2.5), (3, 5, 0.2, 4.0), (30, 2, 3.0, 0.6)):
        X, x = rng.normal(size=(n, d)), rng.normal(size=d)
        y = X @ rng.normal(size=d) + rng.normal(size=n)
        given = X, y, x, alpha, beta
        values = array(call(answer, *given))
        expect(values.size == 2, f"return two numbers, the mean and the deviation; got the shape {values.shape}.")
        mean, sd = values.ravel()

        def same_as(mistake, given=given, values=values):
            return close(values.ravel(), mistake(*given))

        expect(not same_as(_roles_swapped), "α and β have changed places: α is the prior's precision, β the noise's.")
        expect(not same_as(_variance), "the mean is right; the second number is the variance. Take its root.")
        right = _right_prediction(*given)
        expect(not close(mean, _without_beta(*given)[0]), "the mean lacks a factor β: m = βSXᵀy.")
        if not close(mean, right[0]):
            raise Unknown(f"for n = {n}, d = {d} the mean should be {right[0]:.5f}, yours is {mean:.5f}.")
        expect(not close(sd, _without_noise(*given)[1]),
               "that is the doubt about the line alone; a new y has noise as well, 1/β.")
        expect(not close(sd, _without_doubt(*given)[1]), "that is the noise alone; where is the doubt xᵀSx?")
        expect(not close(sd, _beta_for_variance(*given)[1]), "β is a precision: the variance of the noise is 1/β.")
        expect(not close(sd, _precision_for_covariance(*given)[1]),
               "that takes the precision P for the covariance: S = P⁻¹ stands between the x.")
        if not close(sd, right[1]):
            raise Unknown(f"for n = {n}, d = {d} the deviation should be {right[1]:.5f}, yours is {sd:.5f}.")


def _right_gamma(a, b, counts):
    return a + counts.sum(), b + len(counts)


def _one_count(a, b, counts):
    return a + counts.sum(), b + 1


def _like_a_coin(a, b, counts):
    return a + counts.sum(), b + len(counts) - counts.sum()


def _events_and_total(a, b, counts):
    return a + len(counts), b + counts.sum()


def _mean_count(a, b, counts):
    return a + counts.mean(), b + len(counts)


def _zeros_left_out(a, b, counts):
    return a + counts.sum(), b + np.count_nonzero(counts)


def _scale(a, b, counts):
    return a + counts.sum(), b / (1 + b * len(counts))


@exercise(
    "12.4",
    hint="Multiply the prior by the likelihood of n counts and collect the powers of λ and the exponents of e.",
    step="λ^(a-1) e^(-bλ) meets n factors λ^k e^(-λ). What is the new exponent of λ, and what multiplies -λ?",
    wrong=[_one_count, _like_a_coin, _events_and_total, _mean_count, _zeros_left_out, _scale, 3.0],
    right=[_right_gamma, lambda a, b, counts: np.array([[a + sum(counts)], [b + np.size(counts)]])],
)
def rate_of_events(answer):
    """Gamma(a + Σx, b + n)."""
    for a, b, counts in ((2.0, 1.0, [3, 0, 4]), (0.5, 2.5, [0, 0, 1, 7, 2]), (3.0, 4.0, [0, 0]), (1.5, 0.2, [])):
        counts = np.array(counts, dtype=int)
        given = a, b, counts
        values = array(call(answer, *given))
        expect(values.size == 2, f"return two numbers, the new a and the new b; got the shape {values.shape}.")
        values, said = values.ravel(), f"a = {a}, b = {b}, counts = {counts.tolist()}"
        if close(values, _right_gamma(*given)):
            continue
        expect(not close(values, _one_count(*given)), "each count brings a factor e⁻λ: n of them, not one.")
        expect(not close(values, _like_a_coin(*given)), "that is the coin's rule. Here b counts intervals, n of them.")
        expect(not close(values, _events_and_total(*given)), "the two are swapped: the powers of λ add up to Σx.")
        expect(len(counts) == 0 or not close(values, _mean_count(*given)), "it is the sum of the counts, not the mean.")
        expect(not close(values, _zeros_left_out(*given)), "an interval without an event says something too: count it.")
        expect(not close(values, _scale(*given)), "that is the update of the scale 1/b; the prior here is e^(-bλ).")
        right, yours = (tuple(map(float, pair)) for pair in (_right_gamma(*given), values))
        raise Unknown(f"for {said} the answer is {right}, yours is {yours}.")


@exercise(
    "12.5",
    hint="Draw many samples of 5 values and one more for each, and count how often the one more falls inside.",
    step="np.random.default_rng(0).normal(size=(100_000, 6)): the first five columns give the mean and the std "
    "(which divides by n), the sixth is the fresh value.",
    wrong=[0.95, 0.8519, 0.8455, 0.6827],
    right=[0.8152, 0.81, 0.82, 81.5],
)
def coverage_of_a_plugged_in_bell(answer):
    """P(|T| <= 1.96 √((n-1)/(n+1))) for Student's T with n - 1 = 4 degrees of freedom: 0.815."""
    value = number(answer)
    value = value / 100 if value > 1.5 else value
    expect(not close(value, 0.95, atol=6e-3), "95 % is what the analyst believes. Count what really happens.")
    expect(not close(value, 0.8519, atol=3e-3), "that is with 1/(n - 1) in σ̂²; the MLE divides by n.")
    expect(not close(value, 0.8455, atol=3e-3), "that is how often x̄ ± 1.96 σ̂/√n holds μ. Ask for a sixth value.")
    expect(close(value, 0.8152, atol=7e-3))


def _again_and_again(a, b, days):
    heads = tails = 0
    for day_heads, day_tails in days:
        heads, tails = heads + day_heads, tails + day_tails
        a, b = a + heads, b + tails
    return a, b


def _right_days(a, b, days):
    days = np.reshape(days, (-1, 2))
    return a + days[:, 0].sum(), b + days[:, 1].sum()


def _last_day(a, b, days):
    return a + days[-1][0], b + days[-1][1]


def _without_prior(a, b, days):
    return _right_days(0, 0, days)


def _changed_places(a, b, days):
    heads, tails = _right_days(0, 0, days)
    return a + tails, b + heads


@exercise(
    "12.6",
    hint="After two days of one head each, how many heads has the code added?",
    step="`heads` and `tails` add up all days so far, and then a and b add that up again. Either of the two is enough.",
    wrong=[_again_and_again, _last_day, _without_prior, _changed_places, "double"],
    right=[_right_days, lambda a, b, days: np.array([_right_days(a, b, days)])],
)
def each_toss_once(answer):
    """The posterior of yesterday is the prior of today: each toss counts once."""
    for a, b, days in (
        (1.0, 1.0, [(1, 0), (1, 0)]), (2.0, 3.0, [(4, 1), (0, 2), (3, 3)]), (0.5, 0.5, [(7, 2)]),
        (5.0, 1.0, [(0, 1)] * 6),
    ):
        values = array(call(answer, a, b, days))
        expect(values.size == 2, f"return two numbers, the new a and the new b; got the shape {values.shape}.")
        values = values.ravel()
        if close(values, _right_days(a, b, days)):
            continue
        expect(not close(values, _again_and_again(a, b, days)), "the tosses of the first day are still counted twice.")
        expect(not close(values, _last_day(a, b, days)), "only the last day is left: each belief starts from the last.")
        expect(not close(values, _without_prior(a, b, days)), "the prior is lost: start from a and b.")
        expect(not close(values, _changed_places(a, b, days)), "heads go to a, tails to b.")
        raise Unknown(f"after {days} Beta({a:g}, {b:g}) becomes {tuple(map(float, _right_days(a, b, days)))}.")
