"""Samplers and balanced ensembles against imbalanced-learn's."""

import numpy as np
from imblearn import over_sampling, under_sampling
from imblearn.ensemble import EasyEnsembleClassifier
from sklearn.ensemble import AdaBoostClassifier as SkAdaBoost

from benchmarks.core import Face, Row
from mlcore.boosting import AdaBoostClassifier
from mlcore.class_imbalance import (
    SMOTE,
    BalanceCascade,
    BorderlineSMOTE,
    EasyEnsemble,
    RandomUnderSampler,
    ThresholdMoving,
    between,
    cascade_rate,
    cascade_round,
    kinds,
    rescaled_shares,
)
from mlcore.datasets import make_imbalanced
from mlcore.distances import nearest
from mlcore.logistic_regression import LogisticRegression

N_FEATURES = 10


def rare(n_samples):
    """One positive to ten negatives, in ten features."""
    return make_imbalanced(n_samples, ratio=0.1, n_features=N_FEATURES, class_sep=2.0, random_state=0)


def resampler(model, **options):
    """A function that resamples X and y."""
    return lambda X, y: model(random_state=0, **options).fit_resample(X, y)


def as_many(ours, theirs, X, y):
    """Both give as many rows of each class, and new rows in the same region; which they are is chance."""
    assert np.array_equal(np.bincount(ours[1]), np.bincount(theirs[1]))
    few = [X_new[y_new == 1] for X_new, y_new in (ours, theirs)]
    assert np.abs(few[0].mean(axis=0) - few[1].mean(axis=0)).max() < 0.5


def as_good(ours, theirs, X, y):
    """Both find about as many rows of both classes."""
    balanced = [np.mean([np.mean(model.predict(X[y == k]) == k) for k in (0, 1)]) for model in (ours, theirs)]
    assert abs(balanced[0] - balanced[1]) < 0.06


def fitter(model, **options):
    """A function that fits a model to X and y and returns it."""
    return lambda X, y: model(random_state=0, **options).fit(X, y)


SIZES = (500, 2_000, 8_000)
ROWS = [
    Row("drop negatives", SIZES, rare, ours=resampler(RandomUnderSampler),
        theirs=resampler(under_sampling.RandomUnderSampler), same=as_many),
    Row("SMOTE", SIZES, rare, ours=resampler(SMOTE), theirs=resampler(over_sampling.SMOTE), same=as_many),
    Row("Borderline-SMOTE", SIZES, rare, ours=resampler(BorderlineSMOTE),
        theirs=resampler(over_sampling.BorderlineSMOTE), same=as_many),
    Row("EasyEnsemble", SIZES, rare, ours=fitter(EasyEnsemble, n_subsets=10, n_rounds=10),
        theirs=fitter(EasyEnsembleClassifier, n_estimators=10, estimator=SkAdaBoost(n_estimators=10)), same=as_good),
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Against the bare core, at 400 rows of 5 features
# ---------------------------------------------------------------------------------------------------------------
def few(n_samples):
    """One positive to ten negatives, in five features."""
    return make_imbalanced(n_samples, ratio=0.1, n_features=5, class_sep=2.0, random_state=0)


def bare_smote(X, y):
    """SMOTE: nearest neighbours among the positives, and points between."""
    rng, rows = np.random.default_rng(0), np.flatnonzero(y == 1)
    n_new = len(y) - 2 * len(rows)
    near = rows[nearest(X[rows], X[rows], 5, itself=True)]
    base = np.tile(np.arange(len(rows)), n_new // len(rows) + 1)[:n_new]
    new = between(X, rows[base], near[base, rng.integers(5, size=n_new)], rng.random(n_new))
    return np.concatenate([X, new]), np.concatenate([y, np.ones(n_new, dtype=y.dtype)])


def bare_borderline(X, y):
    """Which positives are safe, in danger or noise, and SMOTE from those in danger."""
    rng, rows = np.random.default_rng(0), np.flatnonzero(y == 1)
    n_new = len(y) - 2 * len(rows)
    around = nearest(X[rows], X, 11)[:, 1:]
    danger = np.flatnonzero(kinds((y[around] == 0).sum(axis=1), 10) == "danger")
    near = rows[nearest(X[rows[danger]], X[rows], 6)[:, 1:]]
    base = np.tile(np.arange(len(danger)), n_new // len(danger) + 1)[:n_new]
    new = between(X, rows[danger][base], near[base, rng.integers(5, size=n_new)], rng.random(n_new))
    return np.concatenate([X, new]), np.concatenate([y, np.ones(n_new, dtype=y.dtype)])


def bare_cascade(X, y):
    """Four rounds: AdaBoost on balanced rows, and the hardest negatives stay."""
    rng, few, left = np.random.default_rng(0), np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_majority, rate, models = len(left), cascade_rate(len(few), (y == 0).sum(), 4), []
    for i in range(1, 5):
        rows = np.concatenate([few, rng.choice(left, len(few), replace=False)])
        models.append(AdaBoostClassifier(n_estimators=10).fit(X[rows], y[rows]))
        n_kept = max(1, round(n_majority * rate**i))
        left = left[cascade_round(models[-1].decision_function(X[left]), n_kept, rng.random(len(left)))[0]]
    return models


def bare_threshold(X, y):
    """Logistic regression, and its odds divided by those of the sample."""
    return rescaled_shares(LogisticRegression(alpha=1.0).fit(X, y).predict_proba(X), np.bincount(y))


def as_many_rows(ours, theirs, X, y):
    """Both make as many rows; which they are is chance."""
    assert np.array_equal(np.bincount(ours[1]), np.bincount(theirs[1])) and ours[0].shape == theirs[0].shape


FACES = [
    Face("SMOTE beside its core", (400,), few, ours=resampler(SMOTE), theirs=bare_smote, same=as_many_rows),
    Face("Borderline-SMOTE beside its core", (400,), few, ours=resampler(BorderlineSMOTE), theirs=bare_borderline,
         same=as_many_rows),
    Face("BalanceCascade", (400,), few, ours=fitter(BalanceCascade, n_subsets=4, n_rounds=10), theirs=bare_cascade,
         same=lambda a, b, *data: np.testing.assert_equal(len(a.estimators_), len(b))),
    Face("threshold moving", (400,), few, theirs=bare_threshold,
         same=lambda a, b, *data: np.testing.assert_allclose(a, b),
         ours=lambda X, y: ThresholdMoving(LogisticRegression(alpha=1.0)).fit(X, y).predict_proba(X)),
]  # fmt: skip
