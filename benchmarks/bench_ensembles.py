"""Random forests and bagging against scikit-learn's, one process each."""

import numpy as np
from sklearn import ensemble
from sklearn.tree import DecisionTreeClassifier as SkTree

from benchmarks.core import Row
from mlcore.datasets import load_digits
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.ensembles import BaggingClassifier, RandomForestClassifier, RandomForestRegressor

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
