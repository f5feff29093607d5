"""The exercises of chapter 20: AdaBoost and gradient boosting."""

import functools
import math

import numpy as np

from mlcore.boosting import AdaBoostClassifier, GradientBoostingRegressor
from mlcore.classroom.exercises import Wrong, answer, close, expect, implement
from mlcore.datasets import make_moons
from mlcore.decision_trees import DecisionTreeRegressor

answer(
    "20.1",
    hint="(20.5) gives the say of a learner from its weighted error.",
    step="Compute ½ ln((1 - ε)/ε), with the natural logarithm.",
    right=math.log(2), also_right=[0.69], digits=2,
    mistakes={
        "the factor ½ is missing.": math.log(4),
        "the fraction is upside down: a good learner has a positive say.": -math.log(2),
        "that is the logarithm to base 10; the natural one is meant.": math.log10(2),
        "that is (1 - ε)/ε. Take half of its logarithm.": 4,
        "that is e^α, by which the wrong points are multiplied. Take its logarithm.": 2,
    },
    also_wrong=[0.8],
)  # fmt: skip


def _reweighted(w, y, h, wrong_by=lambda e: 1 - e, right_by=lambda e: e):
    """The weights w (which add up to 1) times a factor for the wrong points and one for the right ones."""
    error = w[y != h].sum()
    return w * np.where(y != h, wrong_by(error), right_by(error))


def _over_sum(w):
    return w / w.sum()


def _weighted_votes(rng):
    for total, n in ((1.0, 10), (1.0, 57), (1.5, 30)):  # with more, (1 - ε)/ε of the sum as it is would be negative
        w, y = total * rng.dirichlet(np.ones(n)), rng.choice([-1, 1], n)
        h = np.where(rng.random(n) < 0.3, -y, y)
        h[0], h[1] = -y[0], y[1]
        yield w, y, h


def _off(value, right, w, y, h):
    expect(close(value.sum(), 1.0), f"the new weights add up to {value.sum():.4f}: divide by their sum.")
    return f"the wrong points weigh {value[y != h].sum():.4f} now; it should be ½."


implement(
    "20.2",
    hint="How much heavier do the wrong points become, and how much lighter the right ones? What do they add up to "
    "afterwards?",
    step="Normalise w, add up the weights of the wrong points, take α from (20.5), multiply by e^(-α y h), "
    "normalise again.",
    right=lambda w, y, h: _over_sum(_reweighted(_over_sum(w), y, h)), cases=_weighted_votes,
    mistakes={
        "the wrong points have become lighter: the factors are exchanged.":
            lambda w, y, h: _over_sum(_reweighted(_over_sum(w), y, h, lambda e: e, lambda e: 1 - e)),
        "the weights have not changed at all.": [lambda w, y, h: _over_sum(w), lambda w, y, h: w],
        "the wrong points have grown too much: α has the factor ½ in it.":
            lambda w, y, h: _over_sum(_reweighted(_over_sum(w), y, h, lambda e: (1 - e) ** 2, lambda e: e**2)),
        "here w adds up to 1.5. Divide by its sum first.":
            lambda w, y, h: _over_sum(_reweighted(w, y, h, lambda e: abs(1 - e))),
        "the error is the weight of the wrong points, not their count.": lambda w, y, h: _over_sum(
            _reweighted(w, y, h, lambda e: np.mean(y == h), lambda e: np.mean(y != h))
        ),
    },
    otherwise=_off,
    also_wrong=[
        lambda w, y, h: _reweighted(_over_sum(w), y, h, lambda e: ((1 - e) / e) ** 0.5, lambda e: (e / (1 - e)) ** 0.5)
    ],
)  # fmt: skip


def _bound_there(value):
    bound = (2 * math.sqrt(0.24)) ** value
    expect(bound < 0.01, f"after {value:g} rounds the bound is {bound:.5f}, not below 0.01.")
    raise Wrong(f"after {value:g} rounds it is safe, but it was so before.")


answer(
    "20.3",
    hint="Each round multiplies the bound by the same factor. Below which number must it fall?",
    step="The factor is 2 √(0.4 · 0.6), and the bound must come below 1/100. Take logarithms, and round up.",
    right=226,
    mistakes={
        "a whole number of rounds is asked for.": [0.9798, lambda value: value % 1],
        "the number of rounds is positive.": lambda value: value <= 0,
        "that is by e^(-2γ²), which is looser than (20.7): take the factor itself.": 231,
    },
    otherwise=_bound_there,
    also_wrong=[225, 227, 226 * 2, 10, 5],
)


@functools.cache
def _scores():
    X, y = make_moons(80, noise=0.2, random_state=0)
    return [state.score(X, y) for state in AdaBoostClassifier(n_estimators=200).iter_fit(X, y)]


def _errors_there(value):
    score = _scores()[int(value) - 1]
    expect(score == 1, f"after {value:g} rounds {round((1 - score) * 80)} of 80 points are still wrong.")
    raise Wrong(f"after {value:g} rounds it is 0, but it was so before.")


answer(
    "20.4",
    hint="Go through iter_fit and look at state.score(X, y) after each round.",
    step="Run enumerate(AdaBoostClassifier(n_estimators=200).iter_fit(X, y), start=1), and print the number of each "
    "round with state.score(X, y).",
    right=lambda: _scores().index(1) + 1,
    mistakes={
        "a whole number of rounds, from 1 on, is asked for.": [0, 1.5, lambda value: value % 1 or value < 1],
        "it takes fewer than 200 rounds.": lambda value: value > 200,
    },
    otherwise=_errors_there,
    also_wrong=[1, 3, 200],
)


def _boosted(X, y, n_trees, rate, **more):
    return GradientBoostingRegressor(n_estimators=n_trees, learning_rate=rate, max_depth=2, **more).fit(X, y).predict(X)


def _fitted_to(target, start=np.mean):
    """Wrong: trees fitted to target(y, score, the sum of the whole trees)."""

    def boost(X, y, n_trees, rate):
        score = whole = np.full(len(y), start(y))
        for _ in range(n_trees):
            step = DecisionTreeRegressor(max_depth=2).fit(X, target(y, score, whole)).predict(X)
            score, whole = score + rate * step, whole + step
        return score

    return boost


def _one_tree_less(X, y, n_trees, rate):
    return _fitted_to(lambda y, score, whole: y - score)(X, y, n_trees - 1, rate)


def _noisy_tables(rng):
    for n, n_trees, rate in ((40, 5, 0.2), (60, 12, 0.5), (30, 1, 0.3)):
        X = rng.normal(size=(n, 2))
        yield X, 2.0 + np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n), n_trees, rate


implement(
    "20.5",
    hint="What is still missing changes with every tree: where must the residual be computed?",
    step="Fit y - score in every round, and add rate times the tree's predictions.",
    right=_boosted, cases=_noisy_tables,
    mistakes={
        "every tree is fitted to the first residuals.":
            lambda X, y, n_trees, rate: y.mean() + n_trees * rate * (_boosted(X, y, 1, 1.0) - y.mean()),
        "the learning rate is not used.": lambda X, y, n_trees, rate: _boosted(X, y, n_trees, 1.0),
        "start from the mean of y, not from 0.": {"init": "zero"},
        "every tree is fitted to y itself, not to what is still missing.":
            [_fitted_to(lambda y, score, whole: y), _fitted_to(lambda y, score, whole: y, start=lambda y: 0.0)],
        "the sign is turned: what is missing is y - score, and rate times the tree is added to the score.":
            _fitted_to(lambda y, score, whole: score - y),
        "the residual lost the whole tree, but the score took only rate times the tree.":
            _fitted_to(lambda y, score, whole: y - whole),
        "that is one tree too few.": _one_tree_less,
        "that is one tree too many.": lambda X, y, n_trees, rate: _boosted(X, y, n_trees + 1, rate),
        "that is the mean alone: no tree was added.": lambda X, y, n_trees, rate: np.full(len(y), y.mean()),
        "that is the sum of the trees; the score begins with the mean of y.": lambda X, y, *more:
            _boosted(X, y, *more) - y.mean(),
        "that is what is still missing; return the score.": lambda X, y, *more: y - _boosted(X, y, *more),
    },
)  # fmt: skip
