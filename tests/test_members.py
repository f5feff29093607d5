"""What models with members share: rows of arrays and of tables, and what X may hold."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.tree import DecisionTreeClassifier as SkTree

from mlcore.base import Classifier, check_array, check_classification, check_X
from mlcore.base.members import class_probabilities, sound, tags_of_members, take
from mlcore.boosting import AdaBoostClassifier
from mlcore.class_imbalance import ThresholdMoving
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.ensembles import BaggingClassifier, BaggingRegressor, LinearBlending, StackingBlending, UniformBlending
from mlcore.logistic_regression import LogisticRegression
from mlcore.multiclass import DAGClassifier, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

TABLE = pd.DataFrame({"size": [1.0, np.nan, 3.0], "colour": ["red", "blue", None]}, index=[7, 8, 9])


@pytest.mark.parametrize("rows", [[2, 0], np.array([True, False, True]), slice(1, None)], ids=str)
@pytest.mark.parametrize("columns", [slice(None), [1]], ids=str)
def test_rows_and_columns_of_an_array_and_of_a_table_are_the_same(rows, columns):
    table = TABLE.fillna({"size": 0.0, "colour": "?"})
    array = table.to_numpy()
    np.testing.assert_array_equal(take(array, rows, columns), array[rows][:, columns])
    pd.testing.assert_frame_equal(take(table, rows, columns), table.iloc[rows].iloc[:, columns])


class TestTheDoorThatLooksAtTheShapeOnly:
    def test_what_passes(self):
        assert check_array(TABLE, dtype=None) is TABLE
        odd = np.array([[np.nan, np.inf], [1e300, -1.0]])
        assert check_array(odd, dtype=None) is odd
        words = check_array([["red", 1], ["blue", 2]], dtype=None)
        assert words.dtype == object and words[0, 1] == 1

    @pytest.mark.parametrize(
        ("bad", "words"),
        [(np.ones(3), "2D"), (np.empty((0, 2)), "0 sample"), ([[1], [1, 2]], "ragged"), (None, "None")],
    )
    def test_what_does_not(self, bad, words):
        with pytest.raises(ValueError, match=words):
            check_array(bad, dtype=None)

    def test_columns_are_remembered_and_compared(self):
        model = Classifier()
        X, codes = check_classification(model, TABLE, ["a", "b", "a"], dtype=None)
        assert X is TABLE and codes.tolist() == [0, 1, 0] and model.n_features_in_ == 2
        assert check_X(model, TABLE, dtype=None) is TABLE
        with pytest.raises(ValueError, match="same order"):
            check_X(model, TABLE[["colour", "size"]], dtype=None)


def test_missing_values_are_allowed_if_all_members_take_them():
    def allowed(*members):
        return tags_of_members(Classifier().__sklearn_tags__(), *members).input_tags.allow_nan

    assert allowed(DecisionTreeClassifier(), SkTree())
    assert not allowed(DecisionTreeClassifier(), LogisticRegression())
    assert not allowed("a tree")


class _Lost:
    """Sound where it was trained; beyond 100 its answers are NaN."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def _answers(self, X, answers):
        return np.where(X[:, 0] > 100, np.nan, answers.T).T


class LostShares(_Lost, ClassifierMixin, BaseEstimator):
    def predict_proba(self, X):
        return self._answers(X, np.full((len(X), len(self.classes_)), 1 / len(self.classes_)))

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class LostLabels(_Lost, ClassifierMixin, BaseEstimator):
    def predict(self, X):
        return self._answers(X, np.arange(len(X)) % 3 % 2)


class LostNumbers(_Lost, RegressorMixin, BaseEstimator):
    def predict(self, X):
        return self._answers(X, np.sin(np.arange(len(X))))


SHARES, LABELS, NUMBERS = LostShares(), LostLabels(), LostNumbers()
TREE, NUMBER_TREE = DecisionTreeClassifier(), DecisionTreeRegressor()


@pytest.mark.parametrize("model", [
    UniformBlending([SHARES]), UniformBlending([SHARES], rule="arithmetic"), UniformBlending([LABELS]),
    UniformBlending([NUMBERS]), LinearBlending([SHARES]), LinearBlending([LABELS]), LinearBlending([NUMBERS]),
    StackingBlending([SHARES], final_estimator=TREE), StackingBlending([LABELS], final_estimator=TREE),
    StackingBlending([NUMBERS], final_estimator=NUMBER_TREE), BaggingClassifier(SHARES, n_estimators=3),
    BaggingClassifier(SHARES, n_estimators=3, rule="majority"), BaggingClassifier(LABELS, n_estimators=3),
    BaggingRegressor(NUMBERS, n_estimators=3), OneVsRestClassifier(SHARES), OneVsRestClassifier(LABELS),
    OneVsOneClassifier(SHARES), OneVsOneClassifier(LABELS), DAGClassifier(LABELS), OutputCodeClassifier(LABELS),
    AdaBoostClassifier(LABELS), ThresholdMoving(SHARES),
], ids=str)  # fmt: skip
def test_a_member_that_answers_no_number_is_refused(model):
    """NaN once counted as a vote for the first class, or as a missing value for a tree on top."""
    X = np.arange(24.0).reshape(12, 2)
    model.fit(X, np.arange(12) % 3 % 2)
    assert len(model.predict(X)) == 12
    X[3, 0] = 200
    for method in filter(partial(hasattr, model), ("predict", "predict_proba", "decision_function")):
        with pytest.raises(ValueError, match="Lost.* answers NaN or infinity for 1 of "):
            getattr(model, method)(X)


def test_a_member_that_answers_no_number_for_rows_held_out_is_refused_in_fit():
    X = np.array([[1.0], [2.0], [3.0], [200.0]])
    for model in (LinearBlending([NUMBERS], cv=2), StackingBlending([NUMBERS], final_estimator=NUMBER_TREE, cv=2)):
        with pytest.raises(ValueError, match="LostNumbers.* answers NaN or infinity for 1 of 2 rows"):
            model.fit(X, X[:, 0])


def test_answers_are_floats_of_the_same_shape():
    for answers in ([1, 0], [[0.25, 0.75]], [[[1.0], [2.0]]], np.array([True]), np.zeros((0, 3))):
        np.testing.assert_array_equal(sound(answers, SHARES), np.asarray(answers, dtype=float))
    for answers, lost in (([1, np.inf, np.nan], "2 of 3"), ([[0, 1], [np.nan, np.nan]], "1 of 2")):
        with pytest.raises(ValueError, match=rf"^LostShares\(\) answers NaN or infinity for {lost} rows: rescale"):
            sound(answers, SHARES)


def test_labels_without_probabilities_are_sure():
    model = LostLabels().fit(np.zeros((3, 1)), [0, 1, 1])
    assert class_probabilities(model, np.zeros((3, 1)), 3).tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
