"""Filters, searches and shuffles against scikit-learn's."""

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_classif
from sklearn.inspection import permutation_importance as sk_importance
from sklearn.linear_model import LinearRegression as SkLinearRegression
from sklearn.model_selection import KFold as SkKFold

from benchmarks.core import Row
from mlcore.feature_selection import (
    BackwardElimination,
    ForwardSelection,
    mutual_information_score,
    permutation_importance,
)
from mlcore.linear_regression import LinearRegression


def words(n):
    """Ten columns of eight values each, two classes."""
    rng = np.random.default_rng(0)
    X = rng.integers(8, size=(n, 10))
    return X, (X[:, 0] + rng.integers(4, size=n) > 5).astype(int)


def numbers(n):
    """Eight features, of which three count."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    return X, X[:, 0] - 2 * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=n)


def same_scores(ours, theirs, *_):
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


def same_choice(ours, theirs, *_):
    assert ours.support_.tolist() == theirs.get_support().tolist()


def theirs_search(direction):
    """scikit-learn's search, for three features, with the same folds."""
    return lambda X, y: SequentialFeatureSelector(
        SkLinearRegression(), n_features_to_select=3, direction=direction, cv=SkKFold(5)
    ).fit(X, y)


def fitted(n):
    X, y = numbers(n)
    return LinearRegression().fit(X, y), X, y


def close(ours, theirs, *_):
    assert np.abs(ours - theirs).max() < 0.2


ROWS = [
    Row("mutual information, 10 columns", (300, 3000, 30000), words, mutual_information_score,
        lambda X, y: mutual_info_classif(X, y, discrete_features=True), same_scores),
    Row("forward selection, 3 of 8, least squares", (100, 1000, 10000), numbers,
        lambda X, y: ForwardSelection(LinearRegression(), n_features=3, cv=5).fit(X, y), theirs_search("forward"),
        same_choice),
    Row("backward elimination, 3 of 8, least squares", (100, 1000, 10000), numbers,
        lambda X, y: BackwardElimination(LinearRegression(), n_features=3, cv=5).fit(X, y), theirs_search("backward"),
        same_choice),
    Row("permutation importance, 8 features, 5 times", (100, 1000, 10000), fitted,
        lambda model, X, y: permutation_importance(model, X, y, random_state=0),
        lambda model, X, y: sk_importance(model, X, y, random_state=0).importances_mean, close),
]  # fmt: skip
