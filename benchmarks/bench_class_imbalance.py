"""Samplers and balanced ensembles against imbalanced-learn's."""

import numpy as np
from imblearn import over_sampling, under_sampling
from imblearn.ensemble import EasyEnsembleClassifier
from sklearn.ensemble import AdaBoostClassifier as SkAdaBoost

from benchmarks.core import Row
from mlcore.class_imbalance import SMOTE, BorderlineSMOTE, EasyEnsemble, RandomUnderSampler
from mlcore.datasets import make_imbalanced

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
