"""Chapter 8: splitters, scores, the leave-one-out shortcut and searches, against scikit-learn and brute force."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as sk
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.linear_model import Ridge as SkRidge
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SkTree

from mlcore import model_selection as ms
from mlcore.base import Classifier, Regressor
from mlcore.datasets import load_diabetes, load_iris
from mlcore.discriminant_analysis import LinearDiscriminantAnalysis
from mlcore.generalized_linear_models import GeneralizedLinearModel
from mlcore.linear_regression import LinearRegression, Ridge
from mlcore.model_selection import (
    Bootstrap,
    GridSearch,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    StratifiedKFold,
    cross_val_score,
    learning_curve,
    leave_one_out_residuals,
    train_test_split,
    validation_curve,
)

CONFORMANCE_INSTANCES = {
    "GridSearch": [
        GridSearch(Ridge(), grid={"alpha": [0.1, 10.0]}, cv=2),
        GridSearch(LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1), grid={"shrinkage": [0.1, 0.5]}, cv=2),
    ],
}

iris, diabetes = load_iris(), load_diabetes()
SPECIES = np.asarray(iris.target_names)[iris.target]


def same_splits(ours, theirs):
    ours, theirs = list(ours), list(theirs)
    assert len(ours) == len(theirs)
    for (a, b), (c, d) in zip(ours, theirs):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)


# ---------------------------------------------------------------------------------------------------------------
# Folds
# ---------------------------------------------------------------------------------------------------------------
class TestFolds:
    @given(m=st.integers(2, 60), k=st.integers(2, 12), shuffle=st.booleans(), seed=st.integers(0, 99))
    @settings(max_examples=60, deadline=None)
    def test_are_disjoint_covering_and_even(self, m, k, shuffle, seed):
        k = min(k, m)
        splits = list(KFold(k, shuffle=shuffle, random_state=seed if shuffle else None).split(np.zeros(m)))
        tests = [test for _, test in splits]
        assert sorted(np.concatenate(tests).tolist()) == list(range(m))
        assert np.ptp([len(test) for test in tests]) <= 1
        for train, test in splits:
            assert sorted([*train.tolist(), *test.tolist()]) == list(range(m))
            assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()

    @given(y=st.lists(st.integers(0, 3), min_size=4, max_size=60), k=st.integers(2, 8), seed=st.integers(0, 99))
    @settings(max_examples=60, deadline=None)
    @pytest.mark.filterwarnings("ignore:class")
    def test_stratified_are_even_within_each_class_too(self, y, k, seed):
        y = np.array(y)
        k = min(k, np.bincount(y).max())
        if k < 2:
            return
        for splitter in (StratifiedKFold(k), StratifiedKFold(k, shuffle=True, random_state=seed)):
            tests = [test for _, test in splitter.split(y, y)]
            assert sorted(np.concatenate(tests).tolist()) == list(range(len(y)))
            assert np.ptp([len(test) for test in tests]) <= 1
            counts = np.array([np.bincount(y[test], minlength=4) for test in tests])
            assert (np.ptp(counts, axis=0) <= 1).all()

    @pytest.mark.parametrize("m, k", [(10, 4), (17, 10), (5, 5), (150, 7), (6, 2)])
    def test_without_shuffling_are_scikit_learns(self, m, k):
        same_splits(KFold(k).split(np.zeros(m)), sk.KFold(k).split(np.zeros(m)))

    @pytest.mark.parametrize("seed", range(8))
    def test_stratified_without_shuffling_are_scikit_learns(self, seed):
        rng = np.random.default_rng(seed)
        y = rng.choice(["b", "c", "a"], size=rng.integers(30, 70), p=[0.2, 0.5, 0.3])
        same_splits(StratifiedKFold(4).split(y, y), sk.StratifiedKFold(4).split(y, y))

    def test_ten_rows_in_four_folds(self):
        assert np.bincount(ms.blocks(10, 4)).tolist() == [3, 3, 2, 2]

    def test_the_same_seed_gives_the_same_folds_and_another_one_others(self):
        first, again, other = (list(KFold(3, shuffle=True, random_state=s).split(np.zeros(30))) for s in (1, 1, 2))
        same_splits(first, again)
        assert any((a[1] != b[1]).any() for a, b in zip(first, other))

    def test_a_generator_moves_on(self):
        splitter = KFold(2, shuffle=True, random_state=np.random.default_rng(0))
        a, b = (list(splitter.split(np.zeros(40)))[0][1] for _ in range(2))
        assert (a != b).any()

    def test_repeats_are_different_cuts_that_each_cover_all(self):
        splits = list(RepeatedKFold(3, n_repeats=4, random_state=0).split(np.zeros(11)))
        assert len(splits) == 12 == RepeatedKFold(3, n_repeats=4).get_n_splits()
        cuts = [np.concatenate([test for _, test in splits[3 * r : 3 * r + 3]]) for r in range(4)]
        assert all(sorted(cut.tolist()) == list(range(11)) for cut in cuts)
        assert len({tuple(cut.tolist()) for cut in cuts}) == 4

    def test_leave_one_out_is_as_many_folds_as_rows(self):
        same_splits(LeaveOneOut().split(np.zeros(6)), KFold(6).split(np.zeros(6)))
        assert LeaveOneOut().get_n_splits(np.zeros((6, 2))) == LeaveOneOut().get_n_splits(y=list("abcdef")) == 6

    def test_only_the_number_of_rows_matters(self):
        for X in (pd.DataFrame({"a": range(9)}), list("abcdefghi"), np.zeros((9, 2), order="F"), None):
            same_splits(KFold(3).split(X, np.zeros(9)), KFold(3).split(np.zeros(9)))

    def test_global_state_is_untouched(self):
        np.random.seed(3)
        before = np.random.get_state()[1].copy()
        list(KFold(3, shuffle=True).split(np.zeros(9)))
        list(Bootstrap(3).split(np.zeros(9)))
        train_test_split(np.zeros(9))
        assert (np.random.get_state()[1] == before).all()

    def test_say_what_they_are(self):
        assert repr(KFold(3, shuffle=True, random_state=1)) == "KFold(n_splits=3, shuffle=True, random_state=1)"
        assert repr(LeaveOneOut()) == "LeaveOneOut()"
        assert KFold(7).get_n_splits() == 7 and Bootstrap(9).get_n_splits() == 9

    @pytest.mark.parametrize(
        "make, words",
        [
            (lambda: KFold(1), "n_splits must be a whole number >= 2, got 1"),
            (lambda: KFold(2.0), "n_splits"),
            (lambda: KFold(3, shuffle="yes"), "shuffle must be True or False"),
            (lambda: KFold(3, random_state=1), "no effect while shuffle is False"),
            (lambda: KFold(3, shuffle=True, random_state=-1), "random_state"),
            (lambda: RepeatedKFold(3, n_repeats=0), "n_repeats"),
            (lambda: Bootstrap(0), "n_resamples"),
            (lambda: list(KFold(5).split(np.zeros(4))), "n_splits=5 folds are more than the 4 sample"),
            (lambda: list(KFold(5).split(np.zeros(4), np.zeros(3))), "X has 4 rows, but y has 3"),
            (lambda: list(KFold(5).split(3)), "must be an array"),
            (lambda: list(LeaveOneOut().split([1])), "at least 2 rows"),
            (lambda: LeaveOneOut().get_n_splits(), "as many splits as there are rows"),
            (lambda: list(Bootstrap(2).split([1])), "a single one is always drawn"),
            (lambda: list(StratifiedKFold(2).split(np.zeros(4))), "needs the labels"),
            (lambda: list(StratifiedKFold(2).split(np.zeros(4), [0.5, 1.5, 2.5, 0.5])), "continuous"),
            (lambda: list(StratifiedKFold(3).split(np.zeros(4), list("aabb"))), "'a' has only 2 member"),
            (lambda: list(StratifiedKFold(9).split(np.zeros(4), list("aabb"))), "more than the 4 sample"),
        ],
    )
    def test_bad_requests_are_refused_with_the_numbers(self, make, words):
        with pytest.raises(ValueError, match=words):
            make()

    def test_a_class_with_fewer_rows_than_folds_is_pointed_out(self):
        y = np.repeat([0, 1], [10, 2])
        with pytest.warns(UserWarning, match=r"class 1 has only 2 member\(s\), fewer than n_splits=4"):
            splits = list(StratifiedKFold(4).split(y, y))
        assert sorted(np.sum(y[test] == 1) for _, test in splits) == [0, 0, 1, 1]

    def test_groups_are_not_ignored_in_silence(self):
        with pytest.warns(UserWarning, match="groups are ignored"):
            list(KFold(2).split(np.zeros(4), groups=[0, 0, 1, 1]))


# ---------------------------------------------------------------------------------------------------------------
# Hold-out
# ---------------------------------------------------------------------------------------------------------------
class TestTrainTestSplit:
    @given(
        m=st.integers(2, 50), share=st.floats(0.05, 0.95), seed=st.integers(0, 99), by_number=st.booleans(),
    )
    @settings(max_examples=60, deadline=None)
    def test_parts_are_disjoint_covering_and_of_the_size_asked_for(self, m, share, seed, by_number):
        n_test = int(np.ceil(share * m - 1e-9))
        if n_test == m:
            return
        size = n_test if by_number else share
        train, test = train_test_split(np.arange(m), test_size=size, random_state=seed)
        assert len(test) == n_test and sorted([*train, *test]) == list(range(m))

    @given(sizes=st.lists(st.integers(2, 20), min_size=1, max_size=4), share=st.floats(0.1, 0.9))
    @settings(max_examples=60, deadline=None)
    def test_stratified_parts_are_within_one_of_each_class_share(self, sizes, share):
        y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
        n_test = int(np.ceil(share * len(y) - 1e-9))
        if not len(sizes) <= n_test <= len(y) - len(sizes):
            return
        rows = np.arange(len(y))
        train, test, y_train, y_test = train_test_split(rows, y, test_size=n_test, stratify=y, random_state=1)
        assert sorted([*train, *test]) == rows.tolist() and len(test) == n_test
        np.testing.assert_array_equal(y[test], y_test)
        np.testing.assert_array_equal(y[train], y_train)
        exact = n_test * np.array(sizes) / len(y)
        assert (np.abs(np.bincount(y_test, minlength=len(sizes)) - exact) < 1).all()

    def test_every_row_is_as_likely_to_be_held_out(self):
        y = np.repeat([0, 1], [4, 8])
        times = np.zeros(12)
        for seed in range(2000):
            times[train_test_split(np.arange(12), test_size=3, stratify=y, random_state=seed)[1]] += 1
        assert abs(times / 2000 - 0.25).max() < 0.045  # over four standard deviations

    def test_the_largest_rests_get_what_is_left_over(self):
        assert ms.portions(np.array([5, 40, 55]), 10).tolist() == [1, 4, 5]
        assert ms.portions(np.array([6, 3, 1]), 5).tolist() == [3, 2, 0]  # rests 0, ½, ½: the first one
        assert ms.portions(np.array([7]), 3).tolist() == [3]
        assert ms.portions(np.array([3, 3, 3]), 6).tolist() == [2, 2, 2]

    def test_kinds_of_tables_stay_what_they_are(self):
        frame = pd.DataFrame({"a": range(8), "b": list("abcdefgh")}, index=list("stuvwxyz"))
        train, test, s_train, s_test, l_train, l_test = train_test_split(
            frame, frame["a"], list(range(8)), test_size=3, random_state=0
        )
        assert isinstance(test, pd.DataFrame) and isinstance(s_test, pd.Series) and isinstance(l_test, list)
        assert test["a"].tolist() == s_test.tolist() == l_test and len(train) == len(s_train) == len(l_train) == 5

    def test_read_only_and_fortran_arrays(self):
        X = np.asfortranarray(np.arange(20.0).reshape(10, 2))
        X.setflags(write=False)
        train, test = train_test_split(X, random_state=0)
        assert train.shape == (7, 2) and test.shape == (3, 2)  # a quarter, rounded up

    def test_a_share_that_floats_cannot_hold_is_not_rounded_up(self):
        assert len(train_test_split(np.arange(10), test_size=0.1 + 0.2, random_state=0)[1]) == 3

    @pytest.mark.parametrize(
        "arguments, options, words",
        [
            ((), {}, "at least one array"),
            ((np.zeros(4), np.zeros(5)), {}, r"different numbers of rows: \[4, 5\]"),
            ((np.zeros(4),), {"test_size": 0.0}, "test_size as a share"),
            ((np.zeros(4),), {"test_size": 1.0}, "test_size as a share"),
            ((np.zeros(4),), {"test_size": 4}, "leaves 0 to learn from and 4 to test on"),
            ((np.zeros(4),), {"test_size": 9}, "test_size=9 of 4 rows"),
            ((np.zeros(4),), {"test_size": 0}, "test_size"),
            ((np.zeros(4),), {"test_size": "half"}, "test_size"),
            ((np.zeros(4),), {"test_size": True}, "test_size"),
            ((np.zeros(1),), {}, "leaves 0 to learn from"),
            ((np.zeros(4),), {"stratify": [0, 0, 1]}, "stratify has 3 labels, but there are 4 rows"),
            ((np.zeros(4),), {"stratify": list("aaab"), "test_size": 2}, "class 'b' has 1 member"),
            ((np.zeros(6),), {"stratify": [0, 0, 1, 1, 2, 2], "test_size": 2}, "test part has 2 rows, fewer than"),
            ((np.zeros(6),), {"stratify": [0, 0, 1, 1, 2, 2], "test_size": 4}, "training part has 2 rows"),
            ((np.zeros(4),), {"stratify": [0.1, 0.2, 0.3, 0.4]}, "continuous"),
            ((7,), {}, "must be an array"),
        ],
    )
    def test_bad_requests_are_refused_with_the_numbers(self, arguments, options, words):
        with pytest.raises(ValueError, match=words):
            train_test_split(*arguments, **options)


# ---------------------------------------------------------------------------------------------------------------
# Bootstrap
# ---------------------------------------------------------------------------------------------------------------
class TestBootstrap:
    def test_draws_m_rows_and_leaves_out_the_rest(self):
        for drawn, out in Bootstrap(20, random_state=0).split(np.zeros(15)):
            assert len(drawn) == 15 and len(out) > 0
            assert set(drawn.tolist()) | set(out.tolist()) == set(range(15))
            assert not set(drawn.tolist()) & set(out.tolist())

    @pytest.mark.parametrize("m", [10, 40])
    def test_leaves_a_row_out_with_the_chance_of_the_formula(self, m):
        out = [len(out) / m for _, out in Bootstrap(4000, random_state=1).split(np.zeros(m))]
        p = (1 - 1 / m) ** m
        variance = p / m + (m - 1) / m * (1 - 2 / m) ** m - p**2
        given_some = p / (1 - math.factorial(m) / m**m)
        assert abs(np.mean(out) - given_some) < 4.5 * math.sqrt(variance / 4000)
        assert np.var(out) == pytest.approx(variance, rel=0.12)

    def test_of_three_rows_those_without_anyone_left_out_are_drawn_again(self):
        every = [set(numbers) for numbers in itertools.product(range(3), repeat=3)]
        assert sum(len(drawn) == 3 for drawn in every) / 27 == pytest.approx(math.factorial(3) / 27)
        share = np.mean([0 not in drawn for drawn in every if len(drawn) < 3])
        assert share == pytest.approx(8 / 21)
        found = np.mean([0 in out for _, out in Bootstrap(4000, random_state=2).split(np.zeros(3))])
        assert abs(found - share) < 0.035

    def test_same_seed_same_resamples(self):
        same_splits(Bootstrap(5, random_state=3).split(np.zeros(9)), Bootstrap(5, random_state=3).split(np.zeros(9)))


# ---------------------------------------------------------------------------------------------------------------
# Scores
# ---------------------------------------------------------------------------------------------------------------
class Constant(Regressor):
    """Predicts the mean; it also records what it was taught, on the class."""

    taught = []

    def fit(self, X, y):
        self.mean_ = y.mean()
        Constant.taught.append(np.asarray(X)[:, 0].astype(int).tolist())
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Majority(Classifier):
    """Predicts the most frequent label."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


class TestCrossValScore:
    @pytest.mark.parametrize("cv", [None, 3, KFold(4), sk.KFold(4, shuffle=True, random_state=0)])
    def test_is_scikit_learns_for_a_regressor_of_either_library(self, cv):
        X, y = diabetes.data, diabetes.target
        expected = sk.cross_val_score(SkRidge(alpha=0.5), X, y, cv=cv)
        np.testing.assert_allclose(cross_val_score(Ridge(alpha=0.5), X, y, cv=cv), expected, rtol=1e-8)
        np.testing.assert_allclose(cross_val_score(SkRidge(alpha=0.5), X, y, cv=cv), expected, rtol=1e-8)

    @pytest.mark.parametrize("y", [iris.target, SPECIES, iris.target.astype(float)], ids=["int", "text", "float"])
    def test_is_scikit_learns_for_a_classifier(self, y):
        expected = sk.cross_val_score(KNeighborsClassifier(3), iris.data, y, cv=4)
        np.testing.assert_array_equal(cross_val_score(KNeighborsClassifier(3), iris.data, y, cv=4), expected)

    @pytest.mark.parametrize("splitter", [KFold(3, shuffle=True, random_state=1), StratifiedKFold(3), LeaveOneOut(),
                                          RepeatedKFold(2, n_repeats=2, random_state=0), Bootstrap(3, random_state=0)])
    def test_scikit_learn_takes_our_splitters(self, splitter):
        X, y = iris.data[::3], iris.target[::3]
        ours = cross_val_score(KNeighborsClassifier(1), X, y, cv=splitter)
        np.testing.assert_array_equal(sk.cross_val_score(KNeighborsClassifier(1), X, y, cv=splitter), ours)
        assert len(ours) == splitter.get_n_splits(X, y)
        search = sk.GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=splitter).fit(X, y)
        assert search.n_splits_ == len(ours)

    @pytest.mark.parametrize(
        "name", ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
    )
    def test_named_scores_of_regressors(self, name):
        X, y = diabetes.data, diabetes.target
        expected = sk.cross_val_score(SkRidge(), X, y, scoring=name)
        np.testing.assert_allclose(cross_val_score(Ridge(), X, y, scoring=name), expected, rtol=1e-8)

    def test_accuracy_by_name_and_a_score_of_ones_own(self):
        model = KNeighborsClassifier(1)
        own = cross_val_score(model, iris.data, SPECIES)
        np.testing.assert_array_equal(cross_val_score(model, iris.data, SPECIES, scoring="accuracy"), own)
        right = cross_val_score(model, iris.data, SPECIES, scoring=lambda m, X, y: np.sum(m.predict(X) == y))
        np.testing.assert_allclose(right / 30, own)

    def test_learns_from_the_training_rows_alone_and_leaves_the_estimator_as_it_was(self):
        X, y = np.arange(10.0)[:, None], np.arange(10.0)
        Constant.taught, model = [], Constant()
        scores = cross_val_score(model, X, y, cv=KFold(5), scoring="neg_mean_squared_error")
        assert [sorted({*range(10)} - {*rows}) for rows in Constant.taught] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
        assert not hasattr(model, "mean_")
        assert scores[0] == pytest.approx(-np.mean((np.array([0, 1]) - 5.5) ** 2))

    def test_mean_of_folds_is_not_the_mean_of_rows(self):
        X, y = np.zeros((10, 1)), np.arange(10.0) ** 2
        folds = -cross_val_score(Constant(), X, y, cv=KFold(4), scoring="neg_mean_squared_error")
        rows = leave_out_squares(y, ms.blocks(10, 4))
        assert np.average(folds, weights=[3, 3, 2, 2]) == pytest.approx(rows.mean())
        assert abs(folds.mean() - rows.mean()) > 10

    def test_leave_one_out_fails_for_a_majority_of_balanced_labels(self):
        X, y = np.zeros((20, 1)), np.tile([0, 1], 10)
        assert cross_val_score(Majority(), X, y, cv=LeaveOneOut()).max() == 0
        assert cross_val_score(Majority(), X, y, cv=5).tolist() == [0.5] * 5

    def test_pipelines_frames_and_text_inside_them(self):
        frame = pd.DataFrame(iris.data, columns=list("abcd"))
        model = make_pipeline(StandardScaler(), SkLogistic())
        np.testing.assert_allclose(
            cross_val_score(model, frame, pd.Series(SPECIES)), sk.cross_val_score(model, frame, SPECIES)
        )

    def test_splits_given_one_by_one(self):
        splits = [([0, 1, 2, 50, 51, 52, 100, 101], [3, 53, 103]), (range(149), [149, 148])]
        scores = cross_val_score(KNeighborsClassifier(1), iris.data, iris.target, cv=splits)
        assert scores.shape == (2,)

    def test_without_targets(self):
        class Spread:
            def get_params(self, deep=True):
                return {}

            def fit(self, X, y=None):
                self.mean_ = X.mean()
                return self

            def score(self, X, y=None):
                return -np.mean((X - self.mean_) ** 2)

        assert cross_val_score(Spread(), np.arange(8.0)[:, None], cv=4).shape == (4,)

    def test_without_scoring_a_regressors_own_score_counts_also_on_a_single_row(self):
        class Honest(Ridge):
            def score(self, X, y):
                return -float(np.mean((self.predict(X) - y) ** 2))

        X, y = np.arange(12.0).reshape(6, 2) ** 1.5, np.array([1.0, 0, 2, 5, 3, 4])
        asked = cross_val_score(Ridge(), X, y, cv=LeaveOneOut(), scoring="neg_mean_squared_error")
        np.testing.assert_allclose(cross_val_score(Honest(), X, y, cv=LeaveOneOut()), asked)
        for scale in (StandardScaler(), None):  # inside a pipeline or a search too
            members = [Honest(alpha=a) for a in (0.1, 1.0)]
            pipelines = [make_pipeline(scale, member) if scale else member for member in members]
            scores = [cross_val_score(model, X, y, cv=LeaveOneOut()).mean() for model in pipelines]
            grid = {"honest__alpha" if scale else "alpha": [0.1, 1.0]}
            search = GridSearch(pipelines[0], grid=grid, cv=LeaveOneOut()).fit(X, y)
            assert search.best_score_ == pytest.approx(max(scores))

    @pytest.mark.parametrize(
        "call, words",
        [
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=LeaveOneOut()), "R² of a single row"),
            (lambda X, y: cross_val_score(make_pipeline(Ridge()), X, y, cv=LeaveOneOut()), "R² of a single row"),
            (lambda X, y: cross_val_score(GeneralizedLinearModel(), X, y, cv=LeaveOneOut()), "D² of a single row"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=10), "R² of a single row"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=10, scoring="r2"), "R² of a single row"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=11), "more than the 10 sample"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=1), "cv must be a whole number >= 2"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=True), "cv must be a number of folds"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv="five"), "cv must be a number of folds"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=2.5), "cv must be a number of folds"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=[]), "cv holds no split"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=[([0, 1], [])]), "split 0 has 2 rows to learn from and 0"),
            (lambda X, y: cross_val_score(Ridge(), X, y, scoring="mse"), "scoring must be None, one of 'accuracy'"),
            (lambda X, y: cross_val_score(Ridge(), X, y, scoring=3), "scoring must be"),
            (lambda X, y: cross_val_score(Ridge(), X, y, cv=2, scoring=lambda *a: np.nan), "the score of split 0 is"),
            (lambda X, y: cross_val_score(Ridge, X, y), "an object with fit"),
            (lambda X, y: cross_val_score(3, X, y), "an object with fit"),
            (lambda X, y: cross_val_score(Ridge(), X, y[:9]), "X has 10 rows, but y has 9"),
            (lambda X, y: cross_val_score(Ridge(), X, list("abcdefghij")), "numeric"),
            (lambda X, y: cross_val_score(Ridge(), X, y * np.nan), "NaN"),
            (lambda X, y: cross_val_score(Ridge(), X[:, 0], y), "Expected 2D array"),
            (lambda X, y: cross_val_score(Ridge(), X[:0], y[:0]), "0 sample"),
            (lambda X, y: cross_val_score(Ridge(), np.where(X > 3, np.nan, X), y), "NaN"),
            (lambda X, y: cross_val_score(KNeighborsClassifier(1), X, y + 0.5), "continuous"),
        ],
    )
    def test_bad_requests_are_refused_with_the_numbers(self, call, words):
        with pytest.raises(ValueError, match=words):
            call(np.arange(10.0)[:, None], np.arange(10.0))


def leave_out_squares(y, f):
    """Squared error of each row, predicted by the mean of the rows outside its fold."""
    return np.array([(y[i] - y[f != f[i]].mean()) ** 2 for i in range(len(y))])


class TestCurves:
    def test_validation_curve_is_scikit_learns(self):
        X, y, alphas = diabetes.data, diabetes.target, [0.01, 0.1, 1.0]
        ours = validation_curve(Ridge(), X, y, param_name="alpha", param_range=alphas, cv=4)
        theirs = sk.validation_curve(SkRidge(), X, y, param_name="alpha", param_range=alphas, cv=4)
        for a, b in zip(ours, theirs):
            assert a.shape == (3, 4)
            np.testing.assert_allclose(a, b, rtol=1e-8)

    @pytest.mark.parametrize("sizes", [np.linspace(0.1, 1, 5), [100, 30], [0.5], np.array([1.0, 0.2])])
    def test_learning_curve_is_scikit_learns(self, sizes):
        X, y = diabetes.data, diabetes.target
        ours = learning_curve(Ridge(), X, y, train_sizes=sizes, cv=3)
        theirs = sk.learning_curve(SkRidge(), X, y, train_sizes=sizes, cv=3)
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(a, b, rtol=1e-8)
        assert ours[1].shape == ours[2].shape == (len(ours[0]), 3)

    def test_inside_a_pipeline(self):
        train, test = validation_curve(
            make_pipeline(StandardScaler(), Ridge()), diabetes.data, diabetes.target, param_name="ridge__alpha",
            param_range=[1.0, 1e6], cv=3,
        )
        assert (train[0] > train[1]).all() and test.shape == (2, 3)

    def test_sorted_rows_need_the_shuffle(self):
        options = {"train_sizes": [20], "cv": 3}
        with pytest.raises(ValueError):
            learning_curve(LinearDiscriminantAnalysis(), iris.data, iris.target, **options)
        one, same, other = (
            learning_curve(
                LinearDiscriminantAnalysis(), iris.data, iris.target, shuffle=True, random_state=seed, **options
            )
            for seed in (0, 0, 1)
        )
        np.testing.assert_array_equal(one[2], same[2])
        assert one[2].mean() > 0.9 and not np.array_equal(one[1:], other[1:])

    def test_unequal_parts_limit_the_sizes(self):
        X, y = diabetes.data[:10], diabetes.target[:10]
        sizes, _, _ = learning_curve(Ridge(), X, y, train_sizes=[2, 6], cv=3, scoring="neg_mean_squared_error")
        assert sizes.tolist() == [2, 6]
        with pytest.raises(ValueError, match="1 to 6, got 2 to 7"):
            learning_curve(Ridge(), X, y, train_sizes=[2, 7], cv=3)

    @pytest.mark.parametrize("sizes", [[], [0.0, 0.5], [0.5, 1.5], [0], [1000], "all", [np.nan], [[1, 2]], [True]])
    def test_bad_sizes(self, sizes):
        with pytest.raises(ValueError, match="train_sizes"):
            learning_curve(Ridge(), diabetes.data, diabetes.target, train_sizes=sizes)

    def test_bad_parameters(self):
        with pytest.raises(ValueError, match="Invalid parameter 'lambda'"):
            validation_curve(Ridge(), diabetes.data, diabetes.target, param_name="lambda", param_range=[1])
        with pytest.raises(ValueError, match="no value"):
            validation_curve(Ridge(), diabetes.data, diabetes.target, param_name="alpha", param_range=[])
        with pytest.raises(ValueError, match="shuffle"):
            learning_curve(Ridge(), diabetes.data, diabetes.target, shuffle=1)


# ---------------------------------------------------------------------------------------------------------------
# Leave-one-out at the price of one fit
# ---------------------------------------------------------------------------------------------------------------
def brute_force(model, X, y):
    return np.array([
        y[test][0] - model.fit(X[train], y[train]).predict(X[test])[0] for train, test in LeaveOneOut().split(X)
    ])


class TestLeaveOneOutResiduals:
    @given(
        m=st.integers(4, 14), d=st.integers(1, 6), alpha=st.sampled_from([1e-3, 0.7, 2.5, 40.0]),
        seed=st.integers(0, 999), offset=st.sampled_from([0.0, 30.0]),
    )
    @settings(max_examples=40, deadline=None)
    def test_is_a_loop_over_ridge_fits_also_with_fewer_rows_than_features(self, m, d, alpha, seed, offset):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(m, d)) * rng.uniform(0.2, 3, d) + offset, rng.normal(size=m) + 5
        ours = leave_one_out_residuals(X, y, alpha=alpha)
        np.testing.assert_allclose(ours, brute_force(Ridge(alpha=alpha), X, y), rtol=1e-5, atol=1e-7)

    def test_least_squares_also_of_dependent_columns(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20, 3))
        y = X @ [1.0, 2.0, -1.0] + rng.normal(size=20)
        expected = brute_force(LinearRegression(), X, y)
        np.testing.assert_allclose(leave_one_out_residuals(X, y), expected, rtol=1e-8)
        doubled = np.column_stack([X, X[:, 0], np.ones(20)])
        np.testing.assert_allclose(leave_one_out_residuals(doubled, y), expected, rtol=1e-7)

    def test_units_do_not_matter_without_a_penalty(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
        scaled = leave_one_out_residuals(X * [1e-8, 1e8], y * 1e8)
        np.testing.assert_allclose(scaled, 1e8 * leave_one_out_residuals(X, y), rtol=1e-7)

    def test_many_penalties_at_once_and_scikit_learns_ridge_cv(self):
        X, y, alphas = diabetes.data, diabetes.target, [0.0, 0.1, 1.0, 10.0]
        table = leave_one_out_residuals(X, y, alpha=alphas)
        assert table.shape == (4, len(y))
        for row, alpha in zip(table, alphas):
            np.testing.assert_allclose(row, leave_one_out_residuals(X, y, alpha=alpha))
        theirs = RidgeCV(alphas=alphas[1:], store_cv_results=True).fit(X, y).cv_results_
        np.testing.assert_allclose((table[1:] ** 2).T, theirs, rtol=1e-6)

    @pytest.mark.parametrize("convert", [np.asfortranarray, np.float32, pd.DataFrame], ids=["F", "float32", "frame"])
    def test_kinds_of_tables(self, convert):
        X, y = np.round(diabetes.data[:30, :3], 3).astype(np.float32).astype(float), diabetes.target[:30]
        table = X.astype(np.float32) if convert is np.float32 else convert(X)
        np.testing.assert_allclose(leave_one_out_residuals(table, y), leave_one_out_residuals(X, y), rtol=1e-8)

    def test_a_constant_feature_leaves_the_mean(self):
        y = np.array([1.0, 2.0, 6.0])
        np.testing.assert_allclose(leave_one_out_residuals(np.ones((3, 1)), y), [1 - 4, 2 - 3.5, 6 - 1.5])

    def test_leverages_lie_between_1_over_m_and_1_and_sum_to_the_rank(self):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(25, 4))
        U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        h = ms.leverages(U, np.ones(4))
        assert h.sum() == pytest.approx(5) and h.min() >= 1 / 25 and h.max() < 1
        assert (ms.leverages(U, s**2 / (s**2 + 3.0)) < h).all()

    def test_a_row_alone_in_its_direction_is_refused(self):
        X = np.column_stack([np.arange(6.0), [0, 0, 0, 0, 1, 0]])
        with pytest.raises(ValueError, match="row 4 has leverage 1"):
            leave_one_out_residuals(X, np.arange(6.0))
        assert np.isfinite(leave_one_out_residuals(X, np.arange(6.0), alpha=0.1)).all()

    @pytest.mark.parametrize(
        "X, y, alpha, words",
        [
            (np.zeros((1, 1)), [1.0], 0.0, "1 sample"),
            (np.zeros((3, 1)), [1.0, 2.0], 0.0, "X has 3 rows, but y has 2"),
            (np.zeros((3, 1)), [1.0, 2.0, 3.0], -1.0, "alpha must be a number"),
            (np.zeros((3, 1)), [1.0, 2.0, 3.0], [1.0, np.nan], "alpha must be a number"),
            (np.zeros((3, 1)), [1.0, 2.0, 3.0], [], "alpha is an empty list"),
        ],
    )
    def test_bad_input(self, X, y, alpha, words):
        with pytest.raises(ValueError, match=words):
            leave_one_out_residuals(X, y, alpha=alpha)


# ---------------------------------------------------------------------------------------------------------------
# Searching
# ---------------------------------------------------------------------------------------------------------------
class TestGridSearch:
    @pytest.mark.parametrize("ours, theirs", [(Ridge, SkRidge), (SkRidge, SkRidge)])
    def test_is_scikit_learns(self, ours, theirs):
        X, y, grid = diabetes.data, diabetes.target, {"alpha": [10.0, 0.05, 0.3], "fit_intercept": [False, True]}
        a, b = GridSearch(ours(), grid=grid, cv=4).fit(X, y), sk.GridSearchCV(theirs(), grid, cv=4).fit(X, y)
        assert a.best_params_ == b.best_params_ and a.best_index_ == b.best_index_
        assert a.best_score_ == pytest.approx(b.best_score_)
        assert a.cv_results_["params"] == b.cv_results_["params"]
        for name in ("mean_test_score", "std_test_score", "rank_test_score"):
            np.testing.assert_allclose(a.cv_results_[name], b.cv_results_[name], rtol=1e-7)
        np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-7)
        assert a.score(X, y) == pytest.approx(b.score(X, y))

    def test_classifiers_keep_their_labels_and_methods(self):
        search = GridSearch(SkTree(random_state=0), grid={"max_depth": [1, 3]}).fit(iris.data, SPECIES)
        assert search.best_params_ == {"max_depth": 3} and search.classes_.tolist() == sorted(set(SPECIES))
        assert set(search.predict(iris.data)) <= set(SPECIES)
        assert search.predict_proba(iris.data).shape == (150, 3)
        assert not hasattr(search, "decision_function")
        assert search.score(iris.data, SPECIES) > 0.95

    def test_of_equal_settings_the_first_wins(self):
        search = GridSearch(Majority(), grid={}, cv=2)
        with pytest.raises(ValueError, match="grid must be a dict"):
            search.fit(iris.data, iris.target)
        depths = GridSearch(SkTree(random_state=0), grid={"max_depth": [9, 8, 7]}, cv=3).fit(iris.data, iris.target)
        assert depths.best_index_ == 0 and depths.cv_results_["rank_test_score"].tolist() == [1, 1, 1]

    def test_nested_and_inside_scikit_learn(self):
        X, y = diabetes.data[:120], diabetes.target[:120]
        search = GridSearch(make_pipeline(StandardScaler(), Ridge()), grid={"ridge__alpha": [0.1, 1e5]}, cv=3)
        nested = cross_val_score(search, X, y, cv=KFold(4))
        np.testing.assert_allclose(sk.cross_val_score(search, X, y, cv=4), nested)
        outer = sk.GridSearchCV(search, {"cv": [2, 3]}, cv=2).fit(X, y)
        assert outer.best_estimator_.best_params_ == {"ridge__alpha": 0.1}

    def test_a_frame_stays_one_and_a_missing_value_is_the_pipelines_business(self):
        from sklearn.impute import SimpleImputer

        frame = pd.DataFrame(diabetes.data[:80], columns=[f"c{i}" for i in range(diabetes.data.shape[1])])
        frame.iloc[3, 2] = np.nan
        model = make_pipeline(SimpleImputer().set_output(transform="default"), Ridge())
        search = GridSearch(model, grid={"simpleimputer__strategy": ["mean", "median"]})
        search.fit(frame, diabetes.target[:80])
        assert search.feature_names_in_.tolist() == frame.columns.tolist()
        assert search.predict(frame).shape == (80,)

    def test_scoring_decides_and_is_what_score_returns(self):
        X, y = diabetes.data, diabetes.target
        search = GridSearch(Ridge(), grid={"alpha": [0.1, 1.0]}, scoring="neg_mean_absolute_error").fit(X, y)
        assert search.best_score_ < 0
        assert search.score(X, y) == pytest.approx(-np.mean(np.abs(search.predict(X) - y)))
        with pytest.raises(ValueError, match="sample_weight"):
            search.score(X, y, sample_weight=np.ones(len(y)))
        plain = GridSearch(Ridge(), grid={"alpha": [0.1]}).fit(X, y)
        weight = np.arange(len(y), dtype=float)
        assert plain.score(X, y, weight) == pytest.approx(plain.best_estimator_.score(X, y, weight))

    def test_the_winner_is_fitted_to_all_rows(self):
        X, y = diabetes.data, diabetes.target
        search = GridSearch(Ridge(), grid={"alpha": [0.05, 5.0]}).fit(X, y)
        np.testing.assert_allclose(search.predict(X), Ridge(**search.best_params_).fit(X, y).predict(X))
        assert search.estimator.alpha == 1.0 and not hasattr(search.estimator, "coef_")

    @pytest.mark.parametrize("grid", [None, [], "alpha", {"alpha": 3}, {"alpha": []}, {"alpha": "abc"}, {"beta": [1]}])
    def test_bad_grids(self, grid):
        with pytest.raises(ValueError):
            GridSearch(Ridge(), grid=grid).fit(diabetes.data, diabetes.target)

    def test_not_fitted_and_no_estimator(self):
        with pytest.raises(NotFittedError):
            GridSearch(Ridge(), grid={"alpha": [1]}).predict(diabetes.data)
        with pytest.raises(ValueError):
            GridSearch(StandardScaler(), grid={"with_mean": [True]}).fit(diabetes.data, diabetes.target)
        with pytest.raises(ValueError, match="an estimator .* is needed"):
            GridSearch(Ridge, grid={"alpha": [1]}).fit(diabetes.data, diabetes.target)

    def test_metadata_routing_finds_our_splitters(self):
        import sklearn

        with sklearn.config_context(enable_metadata_routing=True):
            search = sk.GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=KFold(3)).fit(diabetes.data, diabetes.target)
            assert search.best_params_ == {"alpha": 0.1}


# ---------------------------------------------------------------------------------------------------------------
# Numbers of the chapter
# ---------------------------------------------------------------------------------------------------------------
def test_k_folds_are_right_on_average_for_a_smaller_sample():
    """σ²(1 + k/((k-1)m)): by the exact quadratic form of the estimate, not by simulation."""
    m, k, sigma = 10, 5, 1.5
    f = ms.blocks(m, k)
    total = 0.0
    for i in range(m):
        weights = (f != f[i]) / -np.sum(f != f[i])
        weights[i] += 1
        total += sigma**2 * np.sum(weights**2) / m
    assert total == pytest.approx(sigma**2 * (1 + k / ((k - 1) * m))) == pytest.approx(2.53125)
    assert abs(total - sigma**2 * (1 + 1 / m)) > 0.05


def test_out_of_bag_error_of_the_mean_is_that_of_two_folds():
    """σ²(1 + 2/m), from every resample of 4 rows that misses row 0."""
    m = 4
    spread = [
        np.sum(np.bincount(drawn, minlength=m) ** 2) / m**2
        for drawn in itertools.product(range(m), repeat=m)
        if 0 not in drawn
    ]
    assert np.mean(spread) == pytest.approx(2 / m)


def test_share_left_out_of_four_rows():
    """Mean and variance over all 256 resamples."""
    m = 4
    share = [1 - len(set(drawn)) / m for drawn in itertools.product(range(m), repeat=m)]
    p = (1 - 1 / m) ** m
    assert np.mean(share) == pytest.approx(p)
    assert np.var(share) == pytest.approx(p / m + (m - 1) / m * (1 - 2 / m) ** m - p**2)


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("cv", [
    [([0, 1, 2], [100])], [([0.0, 1.0], [2.0])], [(1, 2, 3)], [(1, 2)], [(None, None)], {5}, {"a": 1},
    [([[0, 1]], [[2]])], [(np.arange(20) < 10, np.arange(20) >= 10)], [("ab", "cd")],
])  # fmt: skip
def test_splits_that_are_none(cv):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match="split 0"):
        cross_val_score(Ridge(), X, X[:, 0], cv=cv)


def test_a_split_may_be_two_masks():
    X = np.random.default_rng(0).normal(size=(30, 2))
    first = np.arange(30) < 20
    by_mask = cross_val_score(Ridge(), X, X[:, 0], cv=[(first, ~first)])
    assert by_mask == cross_val_score(Ridge(), X, X[:, 0], cv=[(range(20), range(20, 30))])


@pytest.mark.parametrize("returned", [np.ones(2), "good", [1.0]])
def test_a_score_that_is_no_number(returned):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match="scoring must return a number"):
        cross_val_score(Ridge(), X, X[:, 0], scoring=lambda model, X, y: returned)


def test_values_that_are_no_list():
    X = np.random.default_rng(0).normal(size=(30, 2))
    train, test = validation_curve(Ridge(), X, X[:, 0], param_name="alpha", param_range=(a for a in (1.0, 2.0)))
    assert train.shape == test.shape == (2, 5)
    with pytest.raises(ValueError, match="param_range must be a list"):
        validation_curve(Ridge(), X, X[:, 0], param_name="alpha", param_range=0.5)
    for grid in ({"alpha": np.array(1.0)}, {1: [1.0], "alpha": [1.0]}):
        with pytest.raises(ValueError, match="grid"):
            GridSearch(Ridge(), grid=grid).fit(X, X[:, 0])


def test_shares_of_splits_that_differ_in_size():
    X = np.random.default_rng(0).normal(size=(30, 2))
    cv = [(range(25), range(25, 30)), (range(20), range(20, 30))]
    sizes, *_ = learning_curve(Ridge(), X, X[:, 0], cv=cv, train_sizes=[0.3, 1.0])
    assert sizes.tolist() == [6, 20]


def test_a_share_is_not_rounded_down_by_rounding():
    X = np.random.default_rng(0).normal(size=(125, 2))
    sizes, *_ = learning_curve(Ridge(), X, X[:, 0], train_sizes=[0.29, 0.57])
    assert sizes.tolist() == [29, 57]


@pytest.mark.parametrize("m", [3, 6, 7, 10, 11])
@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1e-8])
def test_a_constant_column_changes_no_residual(m, value):
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, 1)), rng.normal(size=m)
    with_constant = leave_one_out_residuals(np.column_stack([np.full(m, value), x]), y)
    np.testing.assert_allclose(with_constant, leave_one_out_residuals(x, y))


@pytest.mark.parametrize("table", [{1: 2, 3: 4}, {1, 2, 3, 4}])
def test_a_table_without_rows_is_not_split(table):
    with pytest.raises(ValueError, match="with rows"):
        train_test_split(table)
