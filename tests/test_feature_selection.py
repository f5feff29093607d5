"""Chapter 11: scores against scikit-learn and by hand, searches against trying everything, shuffles in closed form."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import SequentialFeatureSelector, f_classif, mutual_info_classif
from sklearn.inspection import permutation_importance as sk_importance
from sklearn.linear_model import LinearRegression as SkLinearRegression
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline

from mlcore import feature_selection as fs
from mlcore.bayes_classifiers.semi_naive import information_of_counts
from mlcore.datasets import load_watermelon2, load_wine
from mlcore.discriminant_analysis import LinearDiscriminantAnalysis
from mlcore.feature_selection import (
    BackwardElimination,
    ForwardSelection,
    SelectKBest,
    covariance_score,
    linear_weight_score,
    mutual_information_score,
    permutation_importance,
)
from mlcore.linear_regression import LinearRegression
from mlcore.model_selection import KFold, LeaveOneOut, cross_val_score
from mlcore.nearest_neighbors import KNeighborsClassifier

CONFORMANCE_INSTANCES = {
    "ForwardSelection": [ForwardSelection(LinearDiscriminantAnalysis(), n_features=1, cv=2)],
    "BackwardElimination": [BackwardElimination(LinearDiscriminantAnalysis(), n_features=1, cv=2)],
}


def table(n=60, d=5, seed=0):
    """Features of which the first two and the last count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - 2 * X[:, 1] + 0.5 * X[:, -1] + 0.3 * rng.normal(size=n)


class TestScores:
    def test_covariance_is_numpys(self):
        X, y = table()
        expected = [abs(np.cov(x, y, bias=True)[0, 1]) for x in X.T]
        np.testing.assert_allclose(covariance_score(X, y), expected, rtol=1e-12)

    @pytest.mark.parametrize("score", [covariance_score, linear_weight_score])
    def test_two_classes_as_text_are_the_numbers_0_and_1(self, score):
        X, y = table()
        np.testing.assert_allclose(score(X, np.where(y > 0, "yes", "no")), score(X, (y > 0).astype(int)), rtol=1e-10)

    def test_three_classes_as_text_do_not_depend_on_their_names(self):
        wine = load_wine()
        first = covariance_score(wine.data, np.array(["a", "b", "c"])[wine.target])
        np.testing.assert_allclose(first, covariance_score(wine.data, np.array(["z", "q", "b"])[wine.target]))

    def test_units(self):
        X, y = table()
        mm = X * [1000, 1, 1, 1, 1]
        assert covariance_score(mm, y)[0] == pytest.approx(1000 * covariance_score(X, y)[0])
        assert linear_weight_score(mm, y)[0] == pytest.approx(linear_weight_score(X, y)[0] / 1000)

    def test_linear_weights_are_scikit_learns(self):
        X, y = table()
        np.testing.assert_allclose(linear_weight_score(X, y), np.abs(SkLinearRegression().fit(X, y).coef_), rtol=1e-9)

    def test_linear_weights_in_very_different_units(self):
        X, y = table()
        unit = np.array([1e-8, 1e8, 1, 1e-8, 1e8])
        np.testing.assert_allclose(linear_weight_score(X * unit, y) * unit, linear_weight_score(X, y), rtol=1e-6)

    def test_copies_share_a_weight(self):
        x = table()[0][:, :1]
        np.testing.assert_allclose(linear_weight_score(np.hstack([x, x]), 2 * x[:, 0]), [1, 1], rtol=1e-9)

    @given(st.integers(0, 10_000))
    @settings(max_examples=40)
    def test_information_is_scikit_learns_symmetric_and_not_negative(self, seed):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(rng.integers(1, 6), size=30), rng.integers(rng.integers(1, 4), size=30)
        value = mutual_information_score(x[:, np.newaxis], y)[0]
        assert value == pytest.approx(mutual_info_score(x, y), abs=1e-12) and value >= 0
        assert value == pytest.approx(mutual_information_score(y[:, np.newaxis], x)[0], abs=1e-12)
        renamed = mutual_information_score(np.array(list("fbdaec"))[x][:, np.newaxis], np.array(["z", "a", "k"])[y])
        assert renamed[0] == pytest.approx(value, abs=1e-12)

    def test_information_of_the_melons_is_the_information_gain_of_chapter_15(self):
        from mlcore.decision_trees import information_gain

        melons = load_watermelon2()
        gains = [information_gain(column, melons.target) for column in melons.data.T]
        found = mutual_information_score(melons.data, melons.target)
        np.testing.assert_allclose(found / math.log(2), gains, rtol=1e-12)

    def test_information_given_the_class_of_chapter_13_is_the_mean_over_the_classes(self):
        counts = np.random.default_rng(5).integers(0, 6, (2, 3, 4)).astype(float)
        in_class = [fs.mutual_information(table / table.sum()) for table in counts]
        expected = np.average(in_class, weights=counts.sum(axis=(1, 2)))
        assert information_of_counts(counts) == pytest.approx(expected, rel=1e-12)

    def test_information_against_scikit_learns_of_a_table(self):
        wine = load_wine()
        X = wine.data.round(0).astype(int)
        expected = mutual_info_classif(X, wine.target, discrete_features=True)
        np.testing.assert_allclose(mutual_information_score(X, wine.target), expected, atol=1e-12)

    def test_a_known_table_and_the_extremes(self):
        x, y = np.repeat([0, 0, 1, 1], [3, 1, 1, 3]), np.repeat([0, 1, 0, 1], [3, 1, 1, 3])
        assert mutual_information_score(x[:, None], y)[0] == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
        serial = np.arange(8)[:, np.newaxis]
        assert mutual_information_score(serial, y)[0] == pytest.approx(math.log(2))
        assert mutual_information_score(np.ones((8, 1)), y)[0] == 0

    def test_bins_cut_at_quantiles(self):
        x = np.random.default_rng(0).permutation(40).astype(float)
        y = (x >= 20).astype(int)
        assert mutual_information_score(x[:, None], y, bins=2)[0] == pytest.approx(math.log(2))
        assert mutual_information_score(np.exp(x)[:, None], y, bins=2)[0] == pytest.approx(math.log(2))

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    @pytest.mark.parametrize("bins", [2, 3, 4, 7])
    def test_many_equal_numbers_do_not_swallow_their_neighbours(self, sign, bins):
        y = np.repeat([0, 1], [20, 80])
        expected = -0.2 * math.log(0.2) - 0.8 * math.log(0.8)  # H(0.2) = 0.5004: x tells y
        assert mutual_information_score(sign * y[:, np.newaxis], y, bins=bins)[0] == pytest.approx(expected)

    @given(st.lists(st.integers(-3, 3), min_size=2, max_size=30), st.integers(2, 40))
    def test_bins_erase_no_column_that_varies(self, numbers, bins):
        x = np.array(numbers, dtype=float)
        informs = mutual_information_score(x[:, np.newaxis], np.unique(x, return_inverse=True)[1], bins=bins)[0]
        assert (informs > 1e-6) == (np.ptp(x) > 0)

    @pytest.mark.parametrize("bins", [2, 3, 5, 8])
    def test_different_numbers_make_parts_of_equal_size(self, bins):
        x = np.random.default_rng(1).permutation(120.0 + np.arange(120))[:, np.newaxis]
        assert mutual_information_score(x, np.arange(120), bins=bins)[0] == pytest.approx(math.log(bins))

    @pytest.mark.parametrize("call, message", [
        (lambda: mutual_information_score([["a"], ["b"]], [0, 1], bins=2), "bins=2 cuts numbers"),
        (lambda: mutual_information_score(np.array([["a"], [None]], dtype=object), [0, 1]), "missing"),
        (lambda: mutual_information_score([[1.0], [2.0]], [0]), "inconsistent|2"),
        (lambda: covariance_score([[1.0], [2.0]], [0, np.inf]), "inf"),
        (lambda: linear_weight_score([[1.0], [2.0]], [0, 1, 2]), "inconsistent|2"),
    ])  # fmt: skip
    def test_bad_input(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


class TestSelectKBest:
    def test_keeps_the_largest_in_their_order(self):
        X, y = table(n=1000)
        select = SelectKBest(k=2).fit(X, y)
        assert np.flatnonzero(select.support_).tolist() == [0, 1]
        np.testing.assert_array_equal(select.transform(X), X[:, :2])
        assert select.get_feature_names_out().tolist() == ["x0", "x1"]

    def test_of_equal_scores_the_first(self):
        X = np.arange(12.0).reshape(4, 3) % 3
        assert SelectKBest(score_func=lambda X, y: np.ones(3), k=2).fit(X, [0, 1, 0, 1]).support_.tolist() == [1, 1, 0]

    def test_takes_scikit_learns_scores_and_stands_in_its_pipeline(self):
        wine = load_wine()
        pipeline = make_pipeline(SelectKBest(score_func=f_classif, k=3), KNeighborsClassifier())
        assert 0.7 < pipeline.fit(wine.data, wine.target).score(wine.data, wine.target) < 1
        assert pipeline[0].scores_.shape == (13,)

    def test_a_frame_with_words_stays_one(self):
        pandas = pytest.importorskip("pandas")
        melons = load_watermelon2()
        frame = pandas.DataFrame(melons.data, columns=melons.feature_names)
        select = SelectKBest(score_func=mutual_information_score, k=1).fit(frame, melons.target)
        assert list(select.transform(frame).columns) == ["texture"] == select.get_feature_names_out().tolist()

    @pytest.mark.parametrize("options, message", [
        ({"k": 6}, "k must"),
        ({"score_func": lambda X, y: np.ones(2)}, "each of the 5 features"),
        ({"score_func": lambda X, y: np.full(5, np.nan)}, "each of the 5 features"),
    ])  # fmt: skip
    def test_bad_parameters(self, options, message):
        with pytest.raises(ValueError, match=message):
            SelectKBest(**options).fit(*table())


class TestSearches:
    @pytest.mark.parametrize("k", [1, 3, 5])
    def test_forward_is_scikit_learns(self, k):
        X, y = table(seed=3)
        if k < 5:
            theirs = SequentialFeatureSelector(SkLinearRegression(), n_features_to_select=k, cv=KFold(4)).fit(X, y)
            ours = ForwardSelection(LinearRegression(), n_features=k, cv=KFold(4)).fit(X, y)
            assert ours.support_.tolist() == theirs.get_support().tolist()
        else:
            assert ForwardSelection(LinearRegression(), n_features=5, cv=4).fit(X, y).support_.all()

    @pytest.mark.parametrize("k", [1, 2, 4])
    def test_backward_is_scikit_learns(self, k):
        X, y = table(seed=4)
        theirs = SequentialFeatureSelector(
            SkLinearRegression(), n_features_to_select=k, cv=KFold(4), direction="backward"
        ).fit(X, y)
        ours = BackwardElimination(LinearRegression(), n_features=k, cv=KFold(4)).fit(X, y)
        assert ours.support_.tolist() == theirs.get_support().tolist()

    @pytest.mark.parametrize("d, k", [(7, 3), (5, 5), (4, 1)])
    def test_forward_counts_its_sets(self, d, k):
        X, y = table(d=d)
        search = ForwardSelection(LinearRegression(), n_features=k, cv=5).fit(X, y)
        assert search.n_evaluations_ == k * d - k * (k - 1) // 2

    def test_each_round_takes_the_best_of_all_candidates(self):
        X, y = table()
        search = ForwardSelection(LinearRegression(), n_features=5, cv=3).fit(X, y)
        F = []
        for (j, score), scores in zip(search.path_, search.rounds_):
            for i, value in scores.items():
                expected = cross_val_score(LinearRegression(), X[:, sorted([*F, i])], y, cv=KFold(3)).mean()
                assert value == pytest.approx(expected, rel=1e-12)
            assert score == max(scores.values()) == scores[j] and set(scores) == set(range(5)) - set(F)
            F.append(j)

    def test_without_a_number_forward_stops_where_nothing_helps(self):
        X, y = table()
        full = ForwardSelection(LinearRegression(), n_features=5, cv=3).fit(X, y)
        search = ForwardSelection(LinearRegression(), cv=3).fit(X, y)
        scores = [score for _, score in full.path_]
        k = next(i for i in range(1, 6) if i == 5 or scores[i] <= scores[i - 1])
        assert search.support_.sum() == k and search.score_ == scores[k - 1]

    def test_without_a_number_backward_stops_where_it_hurts(self):
        X, y = table()
        search = BackwardElimination(LinearRegression(), cv=3).fit(X, y)
        assert search.support_[[0, 1, 4]].all()
        assert all(score <= search.score_ for score in fs.best_removal(
            np.flatnonzero(search.support_).tolist(),
            lambda F: cross_val_score(LinearRegression(), X[:, F], y, cv=KFold(3)).mean(),
        )[1].values())  # fmt: skip

    def test_a_pair_that_decides_together(self):
        rng = np.random.default_rng(0)
        a, b, noise = rng.uniform(-1, 1, (3, 80))
        y = ((a > 0) ^ (b > 0)).astype(int)
        X = np.column_stack([a, b, y + rng.normal(0, 0.9, 80), noise])
        model = KNeighborsClassifier(n_neighbors=5)
        assert BackwardElimination(model, n_features=2, cv=LeaveOneOut()).fit(X, y).support_.tolist() == [1, 1, 0, 0]
        assert ForwardSelection(model, n_features=1, cv=LeaveOneOut()).fit(X, y).support_.tolist() == [0, 0, 1, 0]

    def test_iter_fit_yields_after_each_round_and_can_transform(self):
        X, y = table()
        sizes = [m.transform(X).shape[1] for m in ForwardSelection(LinearRegression(), n_features=3).iter_fit(X, y)]
        assert sizes == [1, 2, 3]
        sizes = [m.transform(X).shape[1] for m in BackwardElimination(LinearRegression(), n_features=3).iter_fit(X, y)]
        assert sizes == [5, 4, 3]

    def test_a_shuffling_splitter_deals_once(self):
        X, y = table()
        search = ForwardSelection(LinearRegression(), n_features=2, cv=KFold(3, shuffle=True)).fit(X, y)
        assert search.score_ == max(search.rounds_[-1].values())
        assert search.rounds_[1] and search.n_evaluations_ == 9

    def test_classes_as_text_and_a_scoring_by_name(self):
        wine = load_wine()
        names = np.array(["a", "b", "c"])[wine.target]
        search = ForwardSelection(LinearDiscriminantAnalysis(), n_features=2, scoring="accuracy").fit(wine.data, names)
        assert search.score_ > 0.85

    @pytest.mark.parametrize("options, message", [
        ({"n_features": 6}, "n_features"), ({"cv": 1}, "cv"), ({"cv": 100}, "100"), ({"scoring": "gini"}, "scoring"),
    ])  # fmt: skip
    @pytest.mark.parametrize("kind", [ForwardSelection, BackwardElimination])
    def test_bad_parameters(self, kind, options, message):
        with pytest.raises(ValueError, match=message):
            kind(LinearRegression(), **options).fit(*table())

    def test_what_is_no_model(self):
        with pytest.raises(ValueError, match="classifier or a regressor"):
            ForwardSelection(SelectKBest()).fit(*table())


class TestPermutation:
    def test_all_shuffles_of_least_squares_rise_by_twice_the_variance(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(6, 2)) @ [[1, 0.7], [0, 0.5]]
        y = rng.normal(size=6)
        model = LinearRegression().fit(X, y)
        base = np.mean((y - model.predict(X)) ** 2)
        for j in (0, 1):
            rises = []
            for order in itertools.permutations(range(6)):
                mixed = X.copy()
                mixed[:, j] = X[list(order), j]
                rises.append(np.mean((y - model.predict(mixed)) ** 2) - base)
            assert np.mean(rises) == pytest.approx(2 * model.coef_[j] ** 2 * X[:, j].var())

    def test_beside_scikit_learns(self):
        X, y = table(n=400)
        model = LinearRegression().fit(X[:200], y[:200])
        ours = permutation_importance(model, X[200:], y[200:], n_repeats=30, random_state=0)
        theirs = sk_importance(model, X[200:], y[200:], n_repeats=30, random_state=0).importances_mean
        np.testing.assert_allclose(ours, theirs, atol=0.1)
        assert ours.argmax() == 1

    def test_a_feature_that_is_not_used_scores_exactly_nothing(self):
        class First:
            def score(self, X, y):
                return float(np.mean(X[:, 0] == y))

        X = np.random.default_rng(0).integers(2, size=(50, 3)).astype(float)
        falls = permutation_importance(First(), X, X[:, 0], random_state=0)
        assert falls[0] > 0.3 and falls[1:].tolist() == [0, 0]

    def test_the_same_seed_the_same_numbers_and_X_is_left_alone(self):
        X, y = table()
        kept, model = X.copy(), LinearRegression().fit(X, y)
        first = permutation_importance(model, X, y, random_state=3)
        assert np.array_equal(first, permutation_importance(model, X, y, random_state=3))
        assert np.array_equal(X, kept)

    @pytest.mark.parametrize("call, message", [
        (lambda X, y, m: permutation_importance(object(), X, y), "score"),
        (lambda X, y, m: permutation_importance(m, X, y[:-1]), "60|59"),
        (lambda X, y, m: permutation_importance(m, X[:, :2], y), "features"),
    ])  # fmt: skip
    def test_bad_input(self, call, message):
        X, y = table()
        with pytest.raises(ValueError, match=message):
            call(X, y, LinearRegression().fit(X, y))


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("search", [ForwardSelection, BackwardElimination])
def test_splits_that_can_be_read_once(search):
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = X @ [1.0, 2.0, 0.0]
    splits = [(np.arange(20), np.arange(20, 30)), (np.arange(10, 30), np.arange(10))]
    once = search(LinearRegression(), n_features=2, cv=iter(splits)).fit(X, y)
    assert once.path_ == search(LinearRegression(), n_features=2, cv=splits).fit(X, y).path_


@pytest.mark.parametrize("score", [covariance_score, linear_weight_score])
def test_numbers_in_an_array_of_objects_are_numbers(score):
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (3 * X[:, 1]).round()
    np.testing.assert_array_equal(score(X, y.astype(object)), score(X, y))


@pytest.mark.parametrize("n", [3, 6, 7, 10, 11, 20])
@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1e-3, 1234.567])
def test_a_constant_column_has_no_weight(n, value):
    rng = np.random.default_rng(n)
    scores = linear_weight_score(np.column_stack([np.full(n, value), rng.normal(size=n)]), rng.normal(size=n))
    assert scores[0] == 0 < scores[1]


def test_scores_of_any_size_keep_their_order():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = X @ [3.0, 1.0, 2.0]
    for unit in (1e-90, 1e90):
        np.testing.assert_allclose(covariance_score(X * unit, y * unit) / unit, covariance_score(X, y) * unit)
        np.testing.assert_allclose(linear_weight_score(X * unit, y / unit) * unit, linear_weight_score(X, y) / unit)


@pytest.mark.parametrize("ask, words", [
    (lambda: mutual_information_score(np.arange(60_000).reshape(-1, 1), np.arange(60_000)), "too many"),
    (lambda: mutual_information_score(np.array([[[1]], [[2]], 3], dtype=object)[:2].reshape(2, 1), [0, 1]), "lists"),
    (lambda: permutation_importance(LinearRegression().fit([[1.0], [2.0]], [0, 1]), [[1.0], [2.0]], None), "y must"),
])  # fmt: skip
def test_refusals_of_odd_input(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_a_value_that_is_missing_only_now_is_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    search = ForwardSelection(LinearRegression(), n_features=2).fit(X, X[:, 0])
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity"):
        search.transform(X)
