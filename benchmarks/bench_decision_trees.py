"""CART trees for classes and numbers against scikit-learn's."""

from functools import partial

import numpy as np
from sklearn import tree

from benchmarks.core import Face, Row
from mlcore.core.decision_trees import (
    Part,
    best_split,
    class_part,
    divide,
    error_fall,
    gini_of_counts,
    grow,
    impurity_fall,
    largest_gain,
    mean_and_error,
    two_sides,
)
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier
from mlcore.features import indicator

N_FEATURES = 10


def features(n_samples):
    """Continuous features without ties, and a generator for what follows."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_samples, N_FEATURES)), rng


def classes(n_samples):
    """Three classes with curved borders and some noise."""
    X, rng = features(n_samples)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_samples)
    return X, np.digitize(score, [-0.7, 0.7])


def classes_of_few_values(n_samples):
    """The same, with every feature rounded to one of a dozen values."""
    X, y = classes(n_samples)
    return np.round(2 * X).clip(-6, 6), y


def numbers(n_samples):
    """A curved function of three features, with noise."""
    X, rng = features(n_samples)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n_samples)


def fitter(model, **options):
    """A function that fits a model of this class to X and y and returns it."""
    return lambda X, y: model(**options).fit(X, y)


def same_tree(ours, theirs, X, y):
    """Both trees predict the same on the training rows and on new ones, but for equally good splits.

    Where two features split a node equally well, each library has its own rule, and the branches below may differ.
    """
    new = np.random.default_rng(1).normal(size=(2_000, X.shape[1]))
    for table in (X, new):
        assert np.mean(np.isclose(ours.predict(table), theirs.predict(table))) > 0.9
    assert abs(ours.get_n_leaves() - theirs.get_n_leaves()) <= 0.02 * theirs.get_n_leaves() + 1


def same_full_tree(ours, theirs, X, y):
    """Both fit the training rows exactly, with as many leaves, and first ask the same question.

    In a node of two rows every feature splits equally well, so predictions for new rows depend on how ties are broken.
    """
    assert np.array_equal(ours.predict(X), y) and np.array_equal(theirs.predict(X), y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    assert np.isclose(ours.tree_.threshold[0], theirs.tree_.threshold[0])


SIZES = (200, 2_000, 20_000)
ROWS = [
    Row(
        "tree, classes, depth 6", SIZES, classes,
        ours=fitter(DecisionTreeClassifier, max_depth=6), theirs=fitter(tree.DecisionTreeClassifier, max_depth=6),
        same=same_tree,
    ),
    Row(
        "tree, classes, full", SIZES, classes,
        ours=fitter(DecisionTreeClassifier), theirs=fitter(tree.DecisionTreeClassifier, random_state=0), same=same_tree,
    ),
    Row(
        "tree, classes, few values", SIZES, classes_of_few_values,
        ours=fitter(DecisionTreeClassifier, max_depth=6), theirs=fitter(tree.DecisionTreeClassifier, max_depth=6),
        same=same_tree,
    ),
    Row(
        "tree, numbers, depth 6", SIZES, numbers,
        ours=fitter(DecisionTreeRegressor, max_depth=6), theirs=fitter(tree.DecisionTreeRegressor, max_depth=6),
        same=same_tree,
    ),
    Row(
        "tree, numbers, full", SIZES, numbers,
        ours=fitter(DecisionTreeRegressor), theirs=fitter(tree.DecisionTreeRegressor, random_state=0),
        same=same_full_tree,
    ),
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Fits against the bare queue around their core
# ---------------------------------------------------------------------------------------------------------------
def five(make):
    """The first five features of a task."""
    return lambda n_samples: (lambda X, y: (X[:, :5], y))(*make(n_samples))


def count_leaves(root, ask, divide):
    """The number of leaves of a tree that is grown by the core alone."""
    return 1 + sum(len(part.children) - 1 for _, part in grow(root, ask, divide))


def bare_cart(X, describe, terms, fall):
    def ask(part):
        if part.n_samples > 1 and part.impurity > 0:
            return best_split(part, X[part.rows], terms(part), fall, 1)

    return count_leaves(describe(np.arange(len(X))), ask, partial(two_sides, X=X, describe=describe))


def bare_classes(X, y):
    T, w = indicator(y, 3), np.ones(len(y))

    def describe(rows):
        return class_part(rows, w[rows], y, 3, impurity=gini_of_counts)

    return bare_cart(X, describe, lambda part: T[part.rows], partial(impurity_fall, gini_of_counts))


def bare_numbers(X, y):
    w = np.ones(len(y))

    def describe(rows):
        mean, error = mean_and_error(y[rows], w[rows])
        return Part(rows, w[rows], mean, None, error, len(rows))

    def terms(part):
        return np.column_stack([part.weight, y[part.rows] - part.value])

    return bare_cart(X, describe, terms, error_fall)


def categories(n_samples):
    """Five attributes of four values each, numbered from 0."""
    X, y = classes(n_samples)
    return np.digitize(X[:, :5], [-0.7, 0.0, 0.7]).astype(float), y


def bare_id3(X, y):
    table = {"X": X, "y": y, "n_values": [4] * 5, "n_classes": 3}
    root = class_part(np.arange(len(X)), np.ones(len(X)), y, 3, attributes=np.arange(5))
    return count_leaves(root, partial(largest_gain, min_gain=0.0, **table), partial(divide, **table))


def as_many_leaves(model, leaves, X, y):
    assert model.get_n_leaves() == leaves


FACES = [
    Face(
        "CART, classes: fit over its core", (160,), five(classes), ours=fitter(DecisionTreeClassifier),
        theirs=bare_classes, same=as_many_leaves,
    ),
    Face(
        "CART, numbers: fit over its core", (160,), five(numbers), ours=fitter(DecisionTreeRegressor),
        theirs=bare_numbers, same=as_many_leaves,
    ),
    Face(
        "ID3: fit over its core", (400,), categories, ours=fitter(ID3Classifier), theirs=bare_id3, same=as_many_leaves,
    ),
]  # fmt: skip
