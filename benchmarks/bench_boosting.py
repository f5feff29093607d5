"""AdaBoost and gradient boosting against scikit-learn's."""

from itertools import islice

import numpy as np
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier as SkTree

from benchmarks.core import Face, Row
from mlcore.base import run
from mlcore.boosting import AdaBoostClassifier, AdaBoostedTree, GradientBoostingClassifier, GradientBoostingRegressor
from mlcore.boosting.adaboost import rounds, vote_weight
from mlcore.boosting.gradient_boosting import boosting_round, descent_logistic, descent_squared
from mlcore.boosting.stumps import best_question, sort_columns
from mlcore.engines.trees import Columns, Growth, Limits, SquaredErrorCriterion

N_FEATURES = 20
SIZES = (200, 1_000, 5_000)


def features(n_samples):
    """Continuous features without ties, in the float32 that scikit-learn's trees work in, and a generator."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, N_FEATURES)).astype(np.float32).astype(float), rng


def classes(n_samples):
    """Two classes with a curved border and some noise."""
    X, rng = features(n_samples)
    return X, (X[:, 3] + X[:, 8] ** 2 + 0.5 * rng.normal(size=n_samples) > 0.7).astype(int)


def numbers(n_samples):
    """A curved function of three features, with noise."""
    X, rng = features(n_samples)
    return X, np.sin(2 * X[:, 3]) + X[:, 8] * X[:, 12] + 0.3 * rng.normal(size=n_samples)


def as_good(ours, theirs, X, y):
    """Stumps: ours by weighted error, theirs by Gini value. They are compared by what they achieve on training rows."""
    assert ours.score(X, y) > theirs.score(X, y) - 0.03


def same_rounds(ours, theirs, X, y):
    """The same trees in the first rounds; later a tie within a tree may be broken otherwise."""
    np.testing.assert_allclose(ours.errors_[:5], theirs.estimator_errors_[:5], rtol=1e-8)
    as_good(ours, theirs, X, y)


def same_sum(ours, theirs, X, y):
    """The same trees, the same sums: squared loss."""
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-8)


def same_log_odds(ours, theirs, X, y):
    """The same trees, the same sums: logistic loss."""
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)


def fitter(make, **options):
    """A function that fits a new model to X and y."""
    return lambda X, y: make(**options).fit(X, y)


ROWS = [
    Row(
        "AdaBoost, 100 stumps", SIZES, classes, ours=fitter(AdaBoostClassifier, n_estimators=100),
        theirs=fitter(ensemble.AdaBoostClassifier, n_estimators=100), same=as_good,
    ),
    Row(
        "AdaBoost, 20 trees of depth 2", SIZES, classes,
        ours=fitter(AdaBoostedTree, n_estimators=20, max_depth=2, resample=False),
        theirs=fitter(ensemble.AdaBoostClassifier, estimator=SkTree(max_depth=2), n_estimators=20), same=same_rounds,
    ),
    Row(
        "gradient boosting, squared loss, 50 trees", SIZES, numbers,
        ours=fitter(GradientBoostingRegressor, n_estimators=50),
        theirs=fitter(ensemble.GradientBoostingRegressor, n_estimators=50, criterion="squared_error"), same=same_sum,
    ),
    Row(
        "gradient boosting, logistic loss, 50 trees", SIZES, classes,
        ours=fitter(GradientBoostingClassifier, n_estimators=50),
        theirs=fitter(ensemble.GradientBoostingClassifier, n_estimators=50, criterion="squared_error"),
        same=same_log_odds,
    ),
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Fits against the bare loop around their core
# ---------------------------------------------------------------------------------------------------------------
def five(make):
    """The first five features of a task whose signal is in them."""

    def data(n_samples):
        X, y = make(n_samples)
        return np.ascontiguousarray(X[:, [3, 8, 12, 0, 1]]), y

    return data


def bare_adaboost(X, y):
    """The vote weights of 50 stumps."""
    order, cuts = sort_columns(X)

    def train(w):
        j, p = best_question(w, y, order, cuts, 2)
        left = X[:, j] <= X[order[j, p : p + 2], j].mean()
        sides = np.bincount(2 * left + y, weights=w, minlength=4)
        return (j, p), np.where(left, sides[3] > sides[2], sides[1] > sides[0])

    found = islice(rounds(train, y, np.full(len(y), 1 / len(y)), 2), 50)
    return [vote_weight(error, 2) for _, error, _ in found]


def bare_boosting(X, y, descent, start):
    """The scores after 50 trees."""
    columns, limits, w, s = Columns(X), Limits(max_depth=3), np.ones(len(y)), np.full(len(y), start)

    def grow(r, w):
        growth = Growth(columns, SquaredErrorCriterion(r), limits)
        run(growth.steps())
        return growth.tree(["x"] * X.shape[1]), growth.leaf

    for _ in range(50):
        _, _, s = boosting_round(y, s, w, descent, grow, 0.1)
    return s


FACES = [
    Face(
        "AdaBoost: fit over its core", (400,), five(classes), ours=fitter(AdaBoostClassifier), theirs=bare_adaboost,
        same=lambda model, alphas, X, y: np.testing.assert_allclose(model.alphas_, alphas),
    ),
    Face(
        "gradient boosting, squared loss: fit over its core", (400,), five(numbers),
        ours=fitter(GradientBoostingRegressor, n_estimators=50),
        theirs=lambda X, y: bare_boosting(X, y, descent_squared, y.mean()),
        same=lambda model, scores, X, y: np.testing.assert_allclose(model.predict(X), scores),
    ),
    Face(
        "gradient boosting, logistic loss: fit over its core", (400,), five(classes),
        ours=fitter(GradientBoostingClassifier, n_estimators=50),
        theirs=lambda X, y: bare_boosting(X, y, descent_logistic, np.log(y.mean() / (1 - y.mean()))),
        same=lambda model, scores, X, y: np.testing.assert_allclose(model.decision_function(X), scores),
    ),
]  # fmt: skip
