"""Graders of chapter 20, AdaBoost and gradient boosting."""

import math

import numpy as np

from mlcore.boosting import AdaBoostClassifier, GradientBoostingRegressor
from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number
from mlcore.datasets import make_moons


@exercise(
    "20.1",
    hint="(20.5) gives the say of a learner from its weighted error.",
    step="Compute ½ ln((1 - ε)/ε), with the natural logarithm.",
    wrong=[math.log(4), 0.5 * math.log(0.25), 4, 2, 0.301, 0.8],
    right=[math.log(2), 0.69, 0.6931],
)  # fmt: skip
def say_of_a_stump(answer):
    """½ ln(0.8 / 0.2) = ln 2."""
    value = number(answer)
    expect(not close(value, math.log(4), rtol=1e-2), "the factor ½ is missing.")
    expect(not close(value, -math.log(2), rtol=1e-2), "the fraction is upside down: a good learner has a positive say.")
    expect(not close(value, 0.30103, rtol=1e-2), "that is the logarithm to base 10; the natural one is meant.")
    expect(not close(value, 4), "that is (1 - ε)/ε. Take half of its logarithm.")
    expect(not close(value, 2), "that is e^α, by which the wrong points are multiplied. Take its logarithm.")
    expect(abs(value - math.log(2)) < 6e-3)


def _factor(w, y, h, wrong_by, right_by):
    w = w / w.sum()
    error = w[y != h].sum()
    return w * np.where(y != h, wrong_by(error), right_by(error))


def _right(w, y, h):
    return _factor(w, y, h, lambda e: 0.5 / e, lambda e: 0.5 / (1 - e))


def _not_normalised(w, y, h):
    return _factor(w, y, h, lambda e: np.sqrt((1 - e) / e), lambda e: np.sqrt(e / (1 - e)))


def _turned(w, y, h):
    new = _factor(w, y, h, lambda e: 0.5 / (1 - e), lambda e: 0.5 / e)
    return new / new.sum()


def _without_half(w, y, h):
    new = _factor(w, y, h, lambda e: (1 - e) / e, lambda e: e / (1 - e))
    return new / new.sum()


def _unchanged(w, y, h):
    return w / w.sum()


def _count_of_errors(w, y, h):
    error = np.mean(y != h)
    new = w * np.where(y != h, (1 - error) / error, 1.0)
    return new / new.sum()


def _assumes_sum_one(w, y, h):
    error = w[y != h].sum()
    new = w * np.where(y != h, abs(1 - error) / error, 1.0)
    return new / new.sum()


@exercise(
    "20.2",
    hint="How much heavier do the wrong points become, and how much lighter the right ones? What do they add up to "
    "afterwards?",
    step="Normalise w, add up the weights of the wrong points, take α from (20.5), multiply by e^(-α y h), "
    "normalise again.",
    wrong=[_not_normalised, _turned, _without_half, _unchanged, _count_of_errors, _assumes_sum_one, 0.5],
)
def weights_of_the_next_round(answer):
    """w_i e^(-α y_i h_i), normalised: half of the weight on the wrong points."""
    rng = np.random.default_rng(202)
    for total, n in ((1.0, 10), (1.0, 57), (7.5, 30)):
        w, y = total * rng.dirichlet(np.ones(n)), rng.choice([-1, 1], n)
        h = np.where(rng.random(n) < 0.3, -y, y)
        h[0], h[1] = -y[0], y[1]
        value = array(call(answer, w, y, h), (n,))
        expect(not close(value, _turned(w, y, h)), "the wrong points have become lighter: the factors are exchanged.")
        expect(not close(value, w / w.sum()), "the weights have not changed at all.")
        expect(
            not close(value, _without_half(w, y, h)), "the wrong points have grown too much: α has the factor ½ in it."
        )
        if total != 1.0:
            expect(not close(value, _assumes_sum_one(w, y, h)), "here w adds up to 7.5. Divide by its sum first.")
        expect(
            not close(value, _count_of_errors(w, y, h)), "the error is the weight of the wrong points, not their count."
        )
        expect(close(value.sum(), 1.0), f"the new weights add up to {value.sum():.4f}: divide by their sum.")
        if not close(value, _right(w, y, h)):
            raise Unknown(f"the wrong points weigh {value[y != h].sum():.4f} now; it should be ½.")


@exercise(
    "20.3",
    hint="Each round multiplies the bound by the same factor. Below which number must it fall?",
    step="The factor is 2 √(0.4 · 0.6), and the bound must come below 1/100. Take logarithms, and round up.",
    wrong=[225, 227, 226 * 2, 10, 5, 0.9798],
)
def rounds_to_be_safe(answer):
    """(2 √0.24)^M < 0.01 for M >= 226."""
    value, factor = number(answer), 2 * math.sqrt(0.24)
    expect(value == math.floor(value), "a whole number of rounds is asked for.")
    expect(value > 0, "the number of rounds is positive.")
    expect(factor**value < 0.01, f"after {value:g} rounds the bound is {factor**value:.5f}, not below 0.01.")
    expect(value == 226, f"after {value:g} rounds it is safe, but it was so before.")


@exercise(
    "20.4",
    hint="Go through iter_fit and look at state.score(X, y) after each round.",
    step="Run enumerate(AdaBoostClassifier(n_estimators=200).iter_fit(X, y), start=1), and print the number of each "
    "round with state.score(X, y).",
    wrong=[0, 1, 3, 200, 1.5],
)
def first_faultless_vote(answer):
    """Found by running it."""
    value = number(answer)
    expect(value == math.floor(value) and value >= 1, "a whole number of rounds, from 1 on, is asked for.")
    expect(value <= 200, "it takes fewer than 200 rounds.")
    X, y = make_moons(80, noise=0.2, random_state=0)
    scores = [state.score(X, y) for state in AdaBoostClassifier(n_estimators=int(value)).iter_fit(X, y)]
    expect(scores[-1] == 1, f"after {value:g} rounds {round((1 - scores[-1]) * 80)} of 80 points are still wrong.")
    expect(max(scores[:-1], default=0) < 1, f"after {value:g} rounds it is 0, but it was so before.")


def _same_residual(X, y, n_trees, rate):
    model = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_depth=2).fit(X, y)
    return y.mean() + n_trees * rate * (model.predict(X) - y.mean())


def _full_steps(X, y, n_trees, rate):
    return GradientBoostingRegressor(n_estimators=n_trees, learning_rate=1.0, max_depth=2).fit(X, y).predict(X)


def _from_zero(X, y, n_trees, rate):
    model = GradientBoostingRegressor(n_estimators=n_trees, learning_rate=rate, max_depth=2, init="zero")
    return model.fit(X, y).predict(X)


def _one_too_many(X, y, n_trees, rate):
    return GradientBoostingRegressor(n_estimators=n_trees + 1, learning_rate=rate, max_depth=2).fit(X, y).predict(X)


def _only_the_mean(X, y, n_trees, rate):
    return np.full(len(y), y.mean())


@exercise(
    "20.5",
    hint="What is still missing changes with every tree: where must the residual be computed?",
    step="Fit y - score in every round, and add rate times the tree's predictions.",
    wrong=[_same_residual, _full_steps, _from_zero, _one_too_many, _only_the_mean, 1.0],
)
def boosting_by_residuals(answer):
    """The residual belongs into the loop."""
    rng = np.random.default_rng(205)
    for n, n_trees, rate in ((40, 5, 0.2), (60, 12, 0.5), (30, 1, 0.3)):
        X = rng.normal(size=(n, 2))
        y = 2.0 + np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
        value = array(call(answer, X, y, n_trees, rate), (n,))
        right = GradientBoostingRegressor(n_estimators=n_trees, learning_rate=rate, max_depth=2).fit(X, y).predict(X)
        if n_trees > 1:
            expect(
                not close(value, _same_residual(X, y, n_trees, rate)), "every tree is fitted to the first residuals."
            )
        expect(not close(value, _full_steps(X, y, n_trees, rate)), "the learning rate is not used.")
        expect(not close(value, _from_zero(X, y, n_trees, rate)), "start from the mean of y, not from 0.")
        expect(not close(value, _one_too_many(X, y, n_trees, rate)), "that is one tree too many.")
        expect(not close(value, _only_the_mean(X, y, n_trees, rate)), "that is the mean alone: no tree was added.")
        expect(close(value, right))
