"""The strategies for many classes against scikit-learn's, on one learner for two classes: what is timed is the rest.

There is no knockout in scikit-learn: its predictions are timed against one versus one, of which it asks fewer.
"""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn import multiclass as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks.core import Row
from mlcore.multiclass import DAGClassifier, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

BASE = LinearDiscriminantAnalysis()
N_CLASSES, N_BITS = 8, 16


def clouds(n_samples):
    """Gaussian clouds of ten features, eight classes, well apart."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n_samples) % N_CLASSES)
    return rng.normal(size=(n_samples, 10)) + 4 * rng.normal(size=(N_CLASSES, 10))[y], y


def trained(ours, theirs):
    """Data, and both strategies fitted to a thousand of it."""

    def data(n_samples):
        X, y = clouds(n_samples)
        return X, ours(BASE).fit(X[:1000], y[:1000]), theirs(BASE).fit(X[:1000], y[:1000])

    return data


def same_predictions(a, b, X, y):
    """Both fitted models predict the same."""
    assert_array_equal(a.predict(X), b.predict(X))


def same_labels(a, b, *data):
    """Both return the same labels."""
    assert_array_equal(a, b)


def nearly_same_labels(a, b, *data):
    """The same labels wherever one class beats all others: here in 99 of 100 rows and more."""
    assert np.mean(a == b) > 0.99


def fit_code(X, y):
    """Draw scikit-learn's code from its seed, and fit ours with it."""
    book = np.random.RandomState(0).uniform(size=(N_CLASSES, N_BITS)) > 0.5
    return OutputCodeClassifier(BASE, code=2 * book - 1).fit(X, y)


def fit_their_code(X, y):
    """Their output code, sixteen bits from seed 0."""
    return sk.OutputCodeClassifier(BASE, code_size=N_BITS / N_CLASSES, random_state=0).fit(X, y)


def same_code(a, b, X, y):
    """The same code and the same bits (the classes differ a little: theirs compares confidences)."""
    assert_array_equal(a.code_, np.where(b.code_book_ > 0, 1, -1))
    assert_array_equal(a.bits(X) > 0, np.column_stack([member.predict(X) == 1 for member in b.estimators_]))


def predict_both(X, ours, theirs):
    """Predict with ours."""
    return ours.predict(X)


def predict_theirs(X, ours, theirs):
    """Predict with theirs."""
    return theirs.predict(X)


SIZES = (1_000, 4_000, 16_000)
ROWS = [
    Row(
        "one versus one, fit", SIZES, clouds, ours=lambda X, y: OneVsOneClassifier(BASE).fit(X, y),
        theirs=lambda X, y: sk.OneVsOneClassifier(BASE).fit(X, y), same=same_predictions,
    ),
    Row(
        "one versus one, predict", SIZES, trained(OneVsOneClassifier, sk.OneVsOneClassifier),
        ours=predict_both, theirs=predict_theirs, same=same_labels,
    ),
    Row(
        "knockout, predict (theirs: one versus one)", SIZES, trained(DAGClassifier, sk.OneVsOneClassifier),
        ours=predict_both, theirs=predict_theirs, same=nearly_same_labels,
    ),
    Row(
        "one versus rest, fit", SIZES, clouds, ours=lambda X, y: OneVsRestClassifier(BASE).fit(X, y),
        theirs=lambda X, y: sk.OneVsRestClassifier(BASE).fit(X, y), same=same_predictions,
    ),
    Row(
        "one versus rest, predict", SIZES, trained(OneVsRestClassifier, sk.OneVsRestClassifier),
        ours=predict_both, theirs=predict_theirs, same=same_labels,
    ),
    Row("output code of 16 bits, fit", SIZES, clouds, ours=fit_code, theirs=fit_their_code, same=same_code),
]  # fmt: skip
