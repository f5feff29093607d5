"""What models with members share: rows of arrays and of tables, and what X may hold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier as SkTree

from mlcore.base import Classifier, check_array, check_classification, check_X
from mlcore.base.members import tags_of_members, take
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.logistic_regression import LogisticRegression

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
