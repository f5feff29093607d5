"""Random forests and bagging against scikit-learn's, one process each."""

import numpy as np
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier as SkTree

from benchmarks.core import Face, Row
from mlcore.base.members import bootstrap_sample
from mlcore.datasets import load_digits
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.engines.trees import Columns, GiniCriterion, Limits, grow_side_by_side
from mlcore.ensembles import BaggingClassifier, LinearBlending, RandomForestClassifier, RandomForestRegressor
from mlcore.ensembles.bagging import add_oob_prediction, left_out, mean_oob_prediction
from mlcore.ensembles.blending import blending_weights, held_out_predictions
from mlcore.optimize import nonnegative_least_squares

N_FEATURES = 20
INFORMATIVE = [18, 9, 4]  # not the first ones, which our trees prefer where questions are equally good


def features(n_samples):
    """Continuous features without ties, and a generator for what follows."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, N_FEATURES)), rng


def classes(n_samples):
    """Two classes with a curved border and some noise."""
    X, rng = features(n_samples)
    a, b, c = X[:, INFORMATIVE].T
    return X, (a + b * c + 0.5 * rng.normal(size=n_samples) > 0).astype(int)


def numbers(n_samples):
    """A curved function of three features, with noise."""
    X, rng = features(n_samples)
    a, b, c = X[:, INFORMATIVE].T
    return X, np.sin(2 * a) + b * c + 0.3 * rng.normal(size=n_samples)


def digits(n_samples):
    """Images of 64 pixels with 17 grey values, ten classes."""
    data = load_digits()
    rows = np.random.default_rng(0).permutation(len(data.target))[:n_samples]
    return data.data[rows], data.target[rows]


def as_good(ours, theirs, X, y):
    """Two forests differ by chance; out of bag they must do equally well, within four standard errors or so."""
    assert abs(ours.oob_score_ - theirs.oob_score_) < 4 * np.sqrt(0.25 / len(y))


def fitter(model, **options):
    """A function that fits a model of this class to X and y, judges it out of bag and returns it."""
    return lambda X, y: model(random_state=0, oob_score=True, **options).fit(X, y)


ROWS = [
    Row(
        "forest of 100 trees, classes", (200, 1_000, 5_000), classes,
        ours=fitter(RandomForestClassifier), theirs=fitter(ensemble.RandomForestClassifier), same=as_good,
    ),
    Row(
        "forest of 100 trees, numbers", (200, 1_000, 5_000), numbers,
        ours=fitter(RandomForestRegressor, max_features=1 / 3),
        theirs=fitter(ensemble.RandomForestRegressor, max_features=1 / 3), same=as_good,
    ),
    Row(
        "forest of 100 trees, digits", (450, 900, 1_797), digits,
        ours=fitter(RandomForestClassifier), theirs=fitter(ensemble.RandomForestClassifier), same=as_good,
    ),
    Row(
        "bagging of 40 trees", (200, 1_000, 5_000), classes,
        ours=fitter(BaggingClassifier, estimator=DecisionTreeClassifier(max_depth=6), n_estimators=40),
        theirs=fitter(ensemble.BaggingClassifier, estimator=SkTree(max_depth=6), n_estimators=40), same=as_good,
    ),
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Fits against the bare loop around their core
# ---------------------------------------------------------------------------------------------------------------
TREE = DecisionTreeClassifier(max_depth=6)


def five(n_samples):
    """Five features, all signal among them."""
    X, y = classes(n_samples)
    return np.ascontiguousarray(X[:, [*INFORMATIVE, 0, 1]]), y


def bare_forest(X, y):
    """The out-of-bag predictions of 100 trees, 30 of which grow side by side."""
    rng, n = np.random.default_rng(0), len(y)
    columns, targets = Columns(X).copies(30), np.tile(y, 30)
    sums, counts = np.zeros((n, 2)), np.zeros(n)
    for size in (30, 30, 30, 10):
        drawn = np.array([np.bincount(bootstrap_sample(np.ones(n), n, rng), minlength=n) for _ in range(size)])
        trees = grow_side_by_side(
            columns, lambda weight: GiniCriterion(targets, 2, weight), drawn, Limits(), (["x"] * 5, ()), n_drawn=2,
            rng=rng,
        )  # fmt: skip
        for tree, rows in zip(trees, drawn, strict=True):
            out = left_out(rows.nonzero()[0], n)
            add_oob_prediction(sums, counts, out, tree.expected_value(X[out]))
    return mean_oob_prediction(sums, counts)


def bare_bagging(X, y):
    """The out-of-bag predictions of 20 trees."""
    rng, n = np.random.default_rng(0), len(y)
    sums, counts = np.zeros((n, 2)), np.zeros(n)
    for _ in range(20):
        rows = bootstrap_sample(np.ones(n), n, rng)
        rng.integers(2**31 - 1)  # the seed that the estimator gives each of its trees
        tree, out = DecisionTreeClassifier(max_depth=6).fit(X[rows], y[rows]), left_out(rows, n)
        add_oob_prediction(sums, counts, out, tree.predict_proba(X[out]))
    return mean_oob_prediction(sums, counts)


def bare_blending(X, y):
    """The weights of two trees."""
    folds = np.empty(len(y), dtype=int)
    folds[y.argsort(kind="stable")] = np.arange(len(y)) % 5
    depths = [2, 6]
    Z = held_out_predictions(
        depths, lambda depth, rows: DecisionTreeClassifier(max_depth=depth).fit(X[rows], y[rows]),
        lambda g, rows: g.predict_proba(X[rows]), folds, 2,
    )
    for depth in depths:
        DecisionTreeClassifier(max_depth=depth).fit(X, y)
    return blending_weights(Z, np.eye(2)[y], nonnegative_least_squares)


def blend(X, y):
    """The same by the estimator."""
    return LinearBlending([DecisionTreeClassifier(max_depth=2), DecisionTreeClassifier(max_depth=6)]).fit(X, y)


def same_predictions(model, predictions, X, y):
    np.testing.assert_allclose(model.oob_decision_function_, predictions)


FACES = [
    Face(
        "random forest: fit over its core", (400,), five, ours=fitter(RandomForestClassifier), theirs=bare_forest,
        same=same_predictions,
    ),
    Face(
        "bagging: fit over its core", (400,), five, ours=fitter(BaggingClassifier, estimator=TREE, n_estimators=20),
        theirs=bare_bagging, same=same_predictions,
    ),
    Face(
        "linear blending: fit over its core", (400,), five, ours=blend, theirs=bare_blending,
        same=lambda model, weights, X, y: np.testing.assert_allclose(model.weights_, weights),
    ),
]  # fmt: skip
