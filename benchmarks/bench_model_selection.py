"""Chapter 8 against scikit-learn: the same folds, the same scores, the same search."""

import numpy as np
from sklearn import model_selection as sk
from sklearn.linear_model import Ridge as SkRidge
from sklearn.linear_model import RidgeCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import resample

from benchmarks.core import Face, Row
from mlcore import model_selection as ms

SIZES = (200, 2000, 20000)


def regression(m, d=5):
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=m)


def labels(m):
    rng = np.random.default_rng(m)
    return rng.normal(size=(m, 3)), rng.choice(4, size=m, p=[0.4, 0.3, 0.2, 0.1])


def same_splits(a, b, *data):
    for (train, test), (their_train, their_test) in zip(a, b, strict=True):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


def close(a, b, *data):
    np.testing.assert_allclose(a, b, rtol=1e-6)


def as_many_left_out(a, b, *data):
    assert len(a) == len(b) == 20
    m = len(data[0])
    for splits in (a, b):
        assert all(len(drawn) == m and len(set(drawn.tolist())) + len(out) == m for drawn, out in splits)
        assert abs(np.mean([len(out) for _, out in splits]) / m - 0.367) < 0.03


def their_bootstrap(X, y):
    rows, splits = np.arange(len(X)), []
    for seed in range(20):
        drawn = resample(rows, random_state=seed)
        splits.append((drawn, np.setdiff1d(rows, drawn)))
    return splits


def within_one(a, b, X, y):
    for part, other in zip(a, b, strict=True):
        assert part.shape == other.shape
    assert np.abs(np.bincount(a[3]) - np.bincount(b[3])).max() <= 1


ALPHAS = np.logspace(-2, 3, 10)
GRID = {"alpha": [0.1, 1.0, 10.0, 100.0]}

ROWS = [
    Row(
        "10 folds scored by ridge", SIZES, regression,
        lambda X, y: ms.cross_val_score(SkRidge(), X, y, cv=10),
        lambda X, y: sk.cross_val_score(SkRidge(), X, y, cv=10), close,
    ),
    Row(
        "10 stratified folds", SIZES, labels,
        lambda X, y: list(ms.StratifiedKFold(10).split(X, y)),
        lambda X, y: list(sk.StratifiedKFold(10).split(X, y)), same_splits,
    ),
    Row(
        "10 folds", SIZES, regression,
        lambda X, y: list(ms.KFold(10).split(X)),
        lambda X, y: list(sk.KFold(10).split(X)), same_splits,
    ),
    Row(
        "Leave-one-out splits", (100, 400, 1600), regression,
        lambda X, y: list(ms.LeaveOneOut().split(X)),
        lambda X, y: list(sk.LeaveOneOut().split(X)), same_splits,
    ),
    Row(
        "Stratified hold-out", SIZES, labels,
        lambda X, y: ms.train_test_split(X, y, stratify=y, random_state=0),
        lambda X, y: sk.train_test_split(X, y, stratify=y, random_state=0), within_one,
    ),
    Row(
        "Bootstrap, 20 resamples", SIZES, regression,
        lambda X, y: list(ms.Bootstrap(20, random_state=0).split(X)), their_bootstrap, as_many_left_out,
    ),
    Row(
        "Leave-one-out residuals, 10 penalties", (200, 1000, 5000), lambda m: regression(m, 20),
        lambda X, y: (ms.leave_one_out_residuals(X, y, alpha=ALPHAS) ** 2).T,
        lambda X, y: RidgeCV(ALPHAS, store_cv_results=True).fit(X, y).cv_results_, close,
    ),
    Row(
        "Grid search, 4 settings, 5 folds", (200, 1000, 5000), regression,
        lambda X, y: ms.GridSearch(SkRidge(), grid=GRID).fit(X, y).cv_results_["mean_test_score"],
        lambda X, y: sk.GridSearchCV(SkRidge(), GRID).fit(X, y).cv_results_["mean_test_score"], close,
    ),
    Row(
        "Learning curve, naive Bayes", (200, 1000, 5000), labels,
        lambda X, y: ms.learning_curve(GaussianNB(), X, y, shuffle=False)[2],
        lambda X, y: sk.learning_curve(GaussianNB(), X, y)[2], close,
    ),
]


def bare_search(X, y):
    """The loop of GridSearch around the core, and the last fit."""
    splits = [(np.flatnonzero(f), np.flatnonzero(~f)) for f in (ms.blocks(len(X), 5) != j for j in range(5))]
    tried = ms.settings(GRID)
    score = ms.SCORINGS["neg_mean_squared_error"]
    means = [
        np.mean([ms.split_scores(
            lambda rows, setting=setting: SkRidge(**setting).fit(X[rows], y[rows]),
            lambda model, rows: score(model, X[rows], y[rows]), split,
        ) for split in splits]) for setting in tried
    ]  # fmt: skip
    return SkRidge(**tried[int(np.argmax(means))]).fit(X, y).coef_


FACES = [
    Face(
        "GridSearch", (400,), regression,
        lambda X, y: ms.GridSearch(
            SkRidge(), grid=GRID, scoring="neg_mean_squared_error"
        ).fit(X, y).best_estimator_.coef_,
        bare_search, close,
    ),
]
