"""The strategies for many classes against scikit-learn's, on one learner for two classes: what is timed is the rest.

There is no knockout in scikit-learn: its predictions are timed against one versus one, of which it asks fewer.
"""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn import multiclass as sk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks.core import Face, Row
from mlcore.logistic_regression import LogisticRegression
from mlcore.multiclass import (
    DAGClassifier,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    decode,
    divisions,
    knockout,
    most_votes,
    surest,
    tally,
)

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


# ---------------------------------------------------------------------------------------------------------------
# Against the bare core: fitting and predicting, four classes in five features
# ---------------------------------------------------------------------------------------------------------------
LEARNER, N_FEW = LogisticRegression(alpha=1.0), 4


def few(n_samples):
    """Four clouds of five features."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % N_FEW
    return rng.normal(size=(n_samples, 5)) + 2 * rng.normal(size=(N_FEW, 5))[y], y


def face(strategy):
    """Fit and predict with the estimator."""
    return lambda X, y: strategy(LEARNER).fit(X, y).predict(X)


def members(X, y, code):
    """The bare training: a learner for each column of a code."""
    sides = [column[y] for column in code.T]
    return [LogisticRegression(alpha=1.0).fit(X[side != 0], (side[side != 0] > 0) + 0) for side in sides]


PAIRS = [(i, j) for i in range(N_FEW) for j in range(i + 1, N_FEW)]
DUELS = np.array([[(k == i) * 1 - (k == j) * 1 for i, j in PAIRS] for k in range(N_FEW)])


def bare_votes(X, y):
    """One versus one."""
    sure = np.column_stack([model.decision_function(X) for model in members(X, y, DUELS)])
    return most_votes(*tally(sure > 0, sure, PAIRS, N_FEW))


def bare_rest(X, y):
    """One versus the rest."""
    models = members(X, y, 2 * np.eye(N_FEW, dtype=int) - 1)
    return surest(np.column_stack([model.decision_function(X) for model in models]))


def bare_knockout(X, y):
    """The knockout, every duel fought."""
    wins = np.zeros((N_FEW, N_FEW, len(X)), dtype=bool)
    for (i, j), model in zip(PAIRS, members(X, y, DUELS), strict=True):
        wins[i, j] = model.decision_function(X) > 0
    *_, (left, _) = knockout(lambda i, j: wins[i, j, np.arange(len(X))], len(X), N_FEW)
    return left


def bare_code(X, y):
    """All divisions, and the nearest word."""
    code = divisions(np.arange(2 ** (N_FEW - 1) - 1), N_FEW)
    bits = np.column_stack([2 * (model.decision_function(X) > 0) - 1 for model in members(X, y, code)])
    return decode(bits, code)


FACES = [
    Face("one versus one", (400,), few, ours=face(OneVsOneClassifier), theirs=bare_votes, same=same_labels),
    Face("one versus rest", (400,), few, ours=face(OneVsRestClassifier), theirs=bare_rest, same=same_labels),
    Face("knockout", (400,), few, ours=face(DAGClassifier), theirs=bare_knockout, same=same_labels),
    Face("output code", (400,), few, ours=face(OutputCodeClassifier), theirs=bare_code, same=same_labels),
]
