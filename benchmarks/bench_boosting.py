"""AdaBoost and gradient boosting against scikit-learn's."""

import numpy as np
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier as SkTree

from benchmarks.core import Row
from mlcore.boosting import AdaBoostClassifier, AdaBoostedTree, GradientBoostingClassifier, GradientBoostingRegressor

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
