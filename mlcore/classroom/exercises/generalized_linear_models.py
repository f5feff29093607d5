"""The exercises of chapter 4: exponential families and generalised linear models."""

import functools
import math

import numpy as np

from mlcore.classroom.exercises import Case, answer, close, expect, implement

answer(
    "4.1",
    hint="Bring the factor λ into the exponent. What multiplies y there, and what is left for A?",
    step="λ e^(-λy) = exp(-λ y + ln λ). What multiplies y is η; write A as a function of η alone, then "
    "differentiate it twice.",
    right=[-2, 1 / 2, 1 / 4],  # η = -λ, A = -ln(-η), A' = -1/η, A'' = 1/η²
    parts=[
        ("η", "η is what multiplies y in exp(-λ y + ln λ)."),
        ("the mean", "Differentiate A(η) = -ln(-η) and put in your η."),
        ("the variance", "Differentiate A'(η) = -1/η once more and put in your η."),
    ],
    mistakes={
        "η: the factor of y in the exponent is not λ. Mind its sign.": (2, None, None),
        "the order asked for is η, the mean, the variance.": lambda v: close(v[[0, 2]], [0.5, -2]),
        "A': that is A itself; the mean is its derivative in η.": (None, -math.log(2), None),
        "A': waiting times are positive, and so is their mean. A(η) = -ln λ = -ln(-η).": lambda v: v[1] <= 0,
        "A': that is λ. A faster clock has a shorter mean wait.": (None, 2, None),
        "A'': a variance is not negative. Differentiate A'(η) = -1/η once more.": lambda v: v[2] <= 0,
        "A'': that is the standard deviation; the variance is its square.": (None, None, 0.5),
    },
    also_wrong=[[2, -0.5, -0.25], [-2, -0.5, 0.25], [-2, 0.5, -0.25], [-2, 2, 4], [-0.5, 0.5, 0.25], [-2, 0.5]],
)  # fmt: skip

_E, _FACTOR = math.e, math.exp(0.4)

answer(
    "4.2",
    hint="The model speaks of ln μ. What happens to μ when something is added to its logarithm?",
    step="Undo the logarithm for (a); divide the means at x + 1 and x for (b); put y = 0 into (4.15) for (c).",
    right=[_E, _FACTOR, 2 * _E], digits=2,
    parts=[
        ("(a)", "ln μ = 1 at x = 0."),
        ("(b)", "Divide e^(1 + 0.4 (x + 1)) by e^(1 + 0.4 x)."),
        ("(c)", "With y = 0 only -(y - μ) is left of the bracket in (4.15)."),
    ],
    mistakes={
        "(a) that is the linear predictor; the mean is its exponential.": (1, None, None),
        "(b) that is added to ln μ. What does adding to a logarithm do to the number?": (None, 0.4, None),
        "(b) e^0.4 is not 1 + 0.4: only a small coefficient is nearly a percentage.": (None, 1.4, None),
        "(b) the intercept cancels in μ(x + 1)/μ(x).": (None, math.exp(1.4), None),
        "(b) that is the share that is added; the factor is larger by 1.":
            [(None, _FACTOR - 1, None), (None, 100 * _FACTOR - 100, None)],
        "(c) that is half the deviance.": (None, None, _E),
        "(c) the sign: the deviance is *minus* twice a difference of logarithms, never below 0.": lambda v: v[2] < 0,
        "(c) the deviance is 0 only where μ = y; here μ is e and y is 0.": (None, None, 0),
        "(c) μ is e at x = 0, not 1.": (None, None, 2),
        "(c) that is the squared residual, the deviance of the Gaussian.": (None, None, _E**2),
    },
    also_right=[[2.718, 1.492, 5.437], [2.72, 1.49, 5.44]],
    also_wrong=[[_E, _FACTOR], [2.7, 1.5, 5.4], [_E, _FACTOR, -2 * _E]],
)  # fmt: skip


def _step(X, y, theta, rows=0.5, responses=0.5, response=lambda eta, y, mean: eta + (y - mean) / mean, four=False):
    """Least squares; the rows and the responses are multiplied by powers of their weights."""
    mean = np.exp(X @ theta)
    right_side = mean**responses * response(X @ theta, y, mean)
    found = np.linalg.lstsq(mean[:, np.newaxis] ** rows * X, right_side, rcond=None)
    return found if four else found[0]


def _bernoulli(X, y, theta, mean=np.exp):
    mean = mean(X @ theta)
    return theta + np.linalg.solve((X.T * (mean * (1 - mean))) @ X, X.T @ (y - mean))


def _counts(rng):
    for n, d in ((30, 2), (12, 3), (8, 1), (20, 4)):
        X = np.column_stack([rng.normal(size=(n, d - 1)), np.ones(n)])
        theta = 0.4 * rng.normal(size=d)
        yield X, rng.poisson(np.exp(X @ theta + 0.5)).astype(float), theta


implement(
    "4.3",
    hint="A weighted least-squares fit: what are the weights, and what is the working response, for the Poisson "
    "with log link?",
    step="With μ = e^η the weights are μ and the working response is η + (y - μ)/μ. The root of a weight multiplies "
    "its row of X and its response.",
    right=_step, cases=_counts,
    mistakes={
        "np.linalg.lstsq returns four things; take the first, [0].": {"four": True},
        "that is the change of θ; the new θ is asked for.": lambda X, y, theta: _step(X, y, theta) - theta,
        "you left out the weights μ: a plain fit to the working response is another method.":
            {"rows": 0, "responses": 0},
        "the weights are upside down: a row with a large mean tells *more* about ln μ.":
            {"rows": -0.5, "responses": -0.5},
        "the working response is η + (y - μ)/μ': a miss of y is a smaller miss on the scale of ln μ.":
            {"response": lambda eta, y, mean: eta + y - mean},
        "ln y is not the working response; ln 0 would not exist. Use the tangent: η + (y - μ)/μ.":
            {"response": lambda eta, y, mean: np.log(y + 1)},
        "least squares squares the rows, and so their factors: multiply by the *root* of μ.":
            {"rows": 1, "responses": 1},
        "the sign of the step is turned: your step makes the misses y - μ larger.":
            lambda X, y, theta: 2 * theta - _step(X, y, theta),
        "that is the end of the whole walk; a single step is asked for.":
            lambda X, y, theta: functools.reduce(lambda theta, _: _step(X, y, theta), range(50), theta),
        "μ(1 - μ) is the variance of the Bernoulli; for the Poisson it is μ.": _bernoulli,
        "that mean is the sigmoid, of the Bernoulli; the inverse of the log link is e^η.":
            lambda X, y, theta: _bernoulli(X, y, theta, lambda eta: 1 / (1 + np.exp(-eta))),
        "√weight must multiply the rows of X *and* the working response.": {"responses": 0},
    },
    otherwise=lambda got, wanted, *case: f"the first entry should be {wanted[0]:.4f}, yours is {got[0]:.4f}.",
    also_wrong=[3],
)  # fmt: skip

_COUNTS = np.array([1, 4, 2, 9, 3, 16, 8, 40, 12, 60.0])
_MISSED = 1 - np.exp(np.polyval(np.polyfit(np.arange(10.0), np.log(_COUNTS), 1), np.arange(10.0))).sum() / _COUNTS.sum()

answer(
    "4.4",
    hint="Compare the sum of the predictions with the sum of the counts, once for each model.",
    step="1 - model.predict(X_44).sum() / y_44.sum(), with LogLinearRegression() and with "
    'GeneralizedLinearModel(family="poisson"), each fitted to X_44 and y_44.',
    right=[_MISSED, 0], digits=2,
    parts=[
        ("the first share",
         "Add up the predictions of LogLinearRegression for X_44, and compare with the sum of y_44."),
        ("the second share", "With the log link the means add up to the counts, see (4.16)."),
    ],
    mistakes={
        "log-linear comes first, Poisson second.": (0, _MISSED),
        "that share is predicted; the missing one is asked for.": (1 - _MISSED, None),
        "shares are asked for, numbers below 1: what is missing over the sum of y_44.": lambda v: abs(v[0]) >= 1,
        "you divided by the sum of the predictions; divide by that of y_44.": (_MISSED / (1 - _MISSED), None),
        "the sign: the predictions are too small, so 1 - sum/sum is positive.": (-_MISSED, None),
    },
    also_right=[(0.1677, 1e-12), [0.168, 0], [0.17, -1e-9]],
    also_wrong=[(0.8323, 1.0), (0.0, 0.0), (0.1677, 0.1677), (26.0, 0.0), (16.77, 0.0), 0.1677],
)  # fmt: skip


def _picked(logs, y):
    return -np.sum(logs[np.arange(len(y)), y.astype(int)])


def _log_shares(Z, off=None):
    Z = Z - (Z.max(axis=1, keepdims=True) if off is None else off)
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def _cross_entropy(Z, y):
    return _picked(_log_shares(Z), y)


def _shares(Z):
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def _scores(rng):
    yield 2 * rng.normal(size=(6, 4)), rng.integers(0, 4, size=6)
    for Z, y, said in (
        ([[1e4, 1e4 - 1, 9990]], [1],
         "for a score of 10000 the exponential overflows, and the loss is NaN or infinite."),
        ([[1e4, 1e4 - 1, 0]], [1], "0·ln 0 is NaN where a probability rounds to 0. Take the logarithm by hand first."),
        ([[1e4, 1e4 - 1, 0], [0, 1, 2], [-1e4, 2 - 1e4, -1e4]], [0, 1, 2],
         "rows of 10000, of 2 and of -10000 together: each row needs its own maximum."),
        ([[1e4, 0, 5], [0, 1, 2]], [1, 1],
         "a probability was rounded to 0, and ln 0 is -∞. Take the logarithm by hand first."),
    ):  # fmt: skip
        yield Case(np.array(Z, dtype=float), np.array(y), said=lambda value, wanted, said=said: (
            f"it is {wanted:.4f}, yours gives {value:.4f}: clipping hides how wrong a score is."
            if np.isfinite(value) else said
        ))  # fmt: skip


implement(
    "4.5",
    hint="Write -ln p_k without the division. Which number may you take off all scores of a row?",
    step="-ln p_k is ln Σ e^(z_j) - z_k. Take the maximum of its own row off every score first: it cancels.",
    right=_cross_entropy, cases=_scores,
    mistakes={
        "that is the log-likelihood; the loss is its negative, and never below 0.": lambda Z, y: -_cross_entropy(Z, y),
        "that is the mean; the sum is asked for.": lambda Z, y: _cross_entropy(Z, y) / len(y),
        "each row gives one number, the one of its own class: logs[np.arange(len(y)), y].": [
            lambda Z, y: -np.sum(_log_shares(Z, off=0)), lambda Z, y: -np.sum(_log_shares(Z, off=0)[:, y.astype(int)]),
        ],
    },
    otherwise=lambda value, wanted, Z, y: (
        f"for six samples with small scores it should be {wanted:.4f}, yours gives {value:.4f}."
    ),
    also_right=[lambda Z, y: np.sum(np.logaddexp.reduce(Z, axis=1) - Z[np.arange(len(y)), y])],
    also_wrong=[
        lambda Z, y: _picked(np.log(np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)), y),
        lambda Z, y: _picked(_log_shares(Z, off=Z.max()), y), lambda Z, y: _picked(np.log(_shares(Z)), y),
        lambda Z, y: _picked(np.log(_shares(Z) + 1e-15), y), lambda Z, y: _cross_entropy(np.clip(Z, -500, 500), y),
        lambda Z, y: -np.sum(np.eye(Z.shape[1])[y] * np.log(_shares(Z))), 3,
    ],
)  # fmt: skip


def _what_the_rows_miss(found, wanted, W):
    change = found - W
    same = close(change, np.broadcast_to(change[0], W.shape), atol=1e-8)
    expect(same, "the differences of your rows are not those of W, so the probabilities change.")
    return f"same probabilities, but its squares sum to {np.sum(found**2):.3f}; {np.sum(wanted**2):.3f} is possible."


implement(
    "4.6",
    hint="Adding one vector c to all rows changes no probability. For which c is the sum of the squares smallest?",
    step="Take one column. Which number, taken off all its K entries, leaves the smallest sum of squares?",
    right=lambda W: W - W.mean(axis=0),
    cases=lambda rng: [(rng.normal(size=size) + 2,) for size in ((3, 2), (5, 4), (2, 1), (4, 3))],
    mistakes={
        "those are the reference weights: the same probabilities, but not the shortest.": lambda W: W - W[-1],
        "that takes a number off each *class*, which changes the probabilities.":
            lambda W: W - W.mean(axis=1, keepdims=True),
        "that is W itself; there is a shorter one.": lambda W: W,
    },
    otherwise=_what_the_rows_miss, also_right=[lambda W: (np.eye(len(W)) - 1 / len(W)) @ W],
    also_wrong=[lambda W: W - W.mean(), lambda W: W / np.linalg.norm(W), lambda W: 0 * W, 0],
)  # fmt: skip
