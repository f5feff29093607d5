"""Chapter 7 against imbalanced-learn, brute force, and the statements of the notes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imblearn import over_sampling, under_sampling
from imblearn.ensemble import EasyEnsembleClassifier
from imblearn.utils.estimator_checks import estimator_checks_generator
from scipy import stats
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as SkLogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mlcore.boosting import AdaBoostClassifier
from mlcore.class_imbalance import (
    SMOTE,
    BalanceCascade,
    BorderlineSMOTE,
    EasyEnsemble,
    RandomOverSampler,
    RandomUnderSampler,
    ThresholdMoving,
    nearest_others,
    rescale_odds,
)
from mlcore.datasets import load_breast_cancer, make_imbalanced, make_moons

rng = np.random.default_rng(7)
CONFORMANCE_INSTANCES = {
    "EasyEnsemble": [EasyEnsemble(n_subsets=2, n_rounds=3, random_state=0)],
    "BalanceCascade": [BalanceCascade(n_subsets=2, n_rounds=3, random_state=0)],
    "ThresholdMoving": [ThresholdMoving(GaussianNB())],
}

X, y = make_imbalanced(400, ratio=0.1, class_sep=2.5, random_state=3)
MINORITY = np.flatnonzero(y == 1)
SAMPLERS = [
    RandomUnderSampler(random_state=0), RandomOverSampler(random_state=0), SMOTE(random_state=0),
    BorderlineSMOTE(random_state=0), BorderlineSMOTE(kind=2, random_state=0),
]  # fmt: skip


def moons(n_few=40, n_many=300, seed=0):
    """Two moons that overlap, one of them thinned out; labels are words."""
    points, labels = make_moons(2 * n_many, noise=0.3, random_state=seed)
    rows = np.concatenate([np.flatnonzero(labels == 0)[:n_many], np.flatnonzero(labels == 1)[:n_few]])
    return points[rows], np.where(labels[rows] == 1, "rare", "usual")


# ---------------------------------------------------------------------------------------------------------------
# All samplers
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
class TestEverySampler:
    def test_balances_and_repeats(self, sampler):
        X_new, y_new = sampler.fit_resample(X, y)
        counts = np.bincount(y_new)
        assert counts[0] == counts[1] == (36 if isinstance(sampler, RandomUnderSampler) else 364)
        again = sampler.fit_resample(X, y)
        np.testing.assert_array_equal(again[0], X_new)
        assert len(X_new) == len(y_new) and np.isfinite(X_new).all()

    def test_leaves_its_input_alone(self, sampler):
        X_copy, y_copy = X.copy(), y.copy()
        X_new, _ = sampler.fit_resample(X_copy, y_copy)
        X_new[:] = 0
        np.testing.assert_array_equal(X_copy, X)
        np.testing.assert_array_equal(y_copy, y)

    def test_a_ratio_between(self, sampler):
        counts = np.bincount(sampler.set_params(ratio=0.5).fit_resample(X, y)[1])
        sampler.set_params(ratio=1.0)
        assert counts.min() / counts.max() == pytest.approx(0.5)

    def test_three_classes_and_words(self, sampler):
        points = rng.normal(size=(120, 3)) + np.repeat([0, 1, 2], [70, 30, 20])[:, None]
        labels = np.repeat(["a", "b", "c"], [70, 30, 20])
        _, new = sampler.fit_resample(points, labels)
        assert len(set(np.unique(new, return_counts=True)[1].tolist())) == 1
        assert new.dtype == labels.dtype

    def test_balanced_data_stay_as_they_are(self, sampler):
        points, labels = rng.normal(size=(40, 2)), np.arange(40) % 2
        X_new, y_new = sampler.fit_resample(points, labels)
        np.testing.assert_array_equal(X_new, points)
        np.testing.assert_array_equal(y_new, labels)

    @pytest.mark.parametrize(
        ("bad", "words"),
        [
            ((X, np.zeros(len(X), int)), "only one class"),
            ((X[:5], y), "400"),
            ((np.full_like(X, np.nan), y), "NaN"),
            ((X[:, 0], y), "2D"),
            ((X, np.linspace(0, 1, len(X))), "continuous"),
        ],
    )
    def test_bad_data(self, sampler, bad, words):
        if words == "NaN" and isinstance(sampler, RandomUnderSampler | RandomOverSampler):
            assert np.isnan(sampler.fit_resample(*bad)[0]).all()  # what only chooses rows does not look at them
            return
        with pytest.raises(ValueError, match=words):
            sampler.fit_resample(*bad)


def every_sampler():
    """An instance of each class of the package that has ``fit_resample``, and of kind 2."""
    from tests.test_estimators import find_estimators

    classes = [cls for cls in find_estimators().values() if hasattr(cls, "fit_resample")]
    return [cls(random_state=0) for cls in classes] + [BorderlineSMOTE(kind=2, random_state=0)]


OF_IMBALANCED_LEARN_ALONE = {
    "check_samplers_fit": "it looks for sampling_strategy_; ours have a ratio, which needs no such table",
    "check_samplers_multiclass_ova": "it passes labels as a table of indicators, which no model of the course takes",
}


CHECKS = [
    case
    for sampler in every_sampler()
    for case in estimator_checks_generator(sampler, expected_failed_checks=OF_IMBALANCED_LEARN_ALONE, mark="xfail")
]


@pytest.mark.filterwarnings("ignore:A column-vector y:UserWarning")
@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda value: value.func.__name__ if hasattr(value, "func") else repr(value)
)
def test_imbalanced_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
class TestKindsOfTables:
    def test_a_frame_stays_a_frame_with_its_columns_and_types(self, sampler):
        table = pd.DataFrame({"size": X[:, 0].astype(np.float32), "count": np.round(10 * X[:, 1]).astype(int)})
        labels = pd.Series(np.where(y == 1, "rare", "usual"), name="kind", dtype="category")
        new, new_labels = sampler.fit_resample(table, labels)
        assert new.columns.tolist() == ["size", "count"] and (new.dtypes == table.dtypes).all()
        assert new_labels.name == "kind" and new_labels.dtype == labels.dtype
        assert new.index.tolist() == new_labels.index.tolist() == list(range(len(new)))
        assert sampler.get_feature_names_out().tolist() == ["size", "count"]

    def test_lists_and_single_precision(self, sampler):
        new, labels = sampler.fit_resample(X.tolist(), y.tolist())
        assert isinstance(new, list) and isinstance(labels, list) and len(new) == len(labels)
        assert sampler.fit_resample(X.astype(np.float32), y)[0].dtype == np.float32

    def test_fit_checks_and_remembers(self, sampler):
        assert sampler.fit(X, y) is sampler and sampler.n_features_in_ == 2


@pytest.mark.parametrize("sampler", [RandomUnderSampler(random_state=0), RandomOverSampler(random_state=0)], ids=repr)
def test_words_and_missing_values_pass_where_rows_are_only_chosen(sampler):
    table = pd.DataFrame({"colour": np.where(X[:, 0] > 0, "red", "blue"), "size": np.where(X[:, 1] > 2, np.nan, 1.0)})
    new, labels = sampler.fit_resample(table, y)
    pd.testing.assert_frame_equal(new, table.iloc[sampler.sample_indices_].reset_index(drop=True))
    np.testing.assert_array_equal(labels, y[sampler.sample_indices_])
    assert sampler.fit_resample(table.to_numpy(), y)[0].dtype == object


def test_under_sampling_keeps_rows_of_the_data():
    sampler = RandomUnderSampler(random_state=1)
    X_new, y_new = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    assert set(MINORITY) <= set(sampler.sample_indices_.tolist())
    assert len(set(sampler.sample_indices_.tolist())) == len(X_new)
    theirs = under_sampling.RandomUnderSampler(random_state=1).fit_resample(X, y)[1]
    np.testing.assert_array_equal(np.bincount(y_new), np.bincount(theirs))


def test_over_sampling_repeats_rows_of_the_minority():
    sampler = RandomOverSampler(random_state=1)
    X_new, y_new = sampler.fit_resample(X, y)
    np.testing.assert_array_equal(X_new[: len(X)], X)
    assert set(sampler.sample_indices_[len(X) :].tolist()) <= set(MINORITY.tolist())
    theirs = over_sampling.RandomOverSampler(random_state=1).fit_resample(X, y)[1]
    np.testing.assert_array_equal(np.bincount(y_new), np.bincount(theirs))


# ---------------------------------------------------------------------------------------------------------------
# SMOTE
# ---------------------------------------------------------------------------------------------------------------
class TestSMOTE:
    @pytest.mark.parametrize("k", [1, 5, 35])
    def test_new_rows_lie_between_a_row_and_one_of_its_neighbours(self, k):
        sampler = SMOTE(k_neighbors=k, random_state=0)
        X_new, y_new = sampler.fit_resample(X, y)
        new = X_new[len(X) :]
        finder = NearestNeighbors(n_neighbors=k + 1).fit(X[MINORITY])
        near = {i: set(MINORITY[finder.kneighbors(X[i : i + 1])[1][0]]) - {i} for i in MINORITY}
        for row, base, other, gap in zip(new, sampler.base_, sampler.neighbor_, sampler.gap_, strict=True):
            assert base in near and other in near[base] and 0 <= gap <= 1
            np.testing.assert_allclose(row, (1 - gap) * X[base] + gap * X[other])
        assert (y_new[len(X) :] == 1).all()

    def test_every_row_serves_equally_often(self):
        sampler = SMOTE(random_state=0)
        sampler.fit_resample(X, y)
        used = np.bincount(sampler.base_, minlength=len(X))[MINORITY]
        assert used.sum() == 364 - 36 and np.ptp(used) == 1

    def test_the_gap_is_uniform_and_neighbours_equally_likely(self):
        points = np.concatenate([rng.normal(size=(3000, 2)), rng.normal(size=(30, 2))])
        sampler = SMOTE(k_neighbors=3, random_state=0)
        sampler.fit_resample(points, np.repeat([0, 1], [3000, 30]))
        assert stats.kstest(sampler.gap_, "uniform").pvalue > 1e-3
        near = 3000 + nearest_others(points[3000:], np.arange(30), np.arange(30), 3)
        rank = (near[sampler.base_ - 3000] == sampler.neighbor_[:, None]).argmax(axis=1)
        assert stats.chisquare(np.bincount(rank, minlength=3)).pvalue > 1e-3

    def test_stays_within_the_box_of_its_class(self):
        X_new, y_new = SMOTE(random_state=0).fit_resample(X, y)
        few = X_new[y_new == 1]
        assert (few >= X[y == 1].min(axis=0) - 1e-12).all() and (few <= X[y == 1].max(axis=0) + 1e-12).all()

    def test_its_neighbours_are_imbalanced_learns(self):
        """The same candidates; which of them, and how often a row serves, each library draws in its own way."""
        theirs = over_sampling.SMOTE(k_neighbors=4, random_state=0)
        theirs.fit_resample(X, y)
        expected = theirs.nn_k_.kneighbors(X[MINORITY], return_distance=False)[:, 1:]
        ours = nearest_others(X, MINORITY, MINORITY, 4)
        np.testing.assert_array_equal(ours, expected)

    def test_twins(self):
        """Twelve equal rows: each row's neighbours are others, and new rows are the same again."""
        points = np.concatenate([np.zeros((12, 2)), rng.normal(size=(50, 2))])
        labels = np.repeat([1, 0], [12, 50])
        sampler = SMOTE(k_neighbors=3, random_state=0)
        X_new, _ = sampler.fit_resample(points, labels)
        np.testing.assert_array_equal(X_new[62:], 0)
        assert (sampler.base_ != sampler.neighbor_).all()

    @pytest.mark.parametrize("k", [36, 37, 500])
    def test_more_neighbours_than_there_are(self, k):
        with pytest.raises(ValueError, match=f"k_neighbors={k} must be smaller than the 36 rows of class 1"):
            SMOTE(k_neighbors=k).fit_resample(X, y)

    def test_a_large_class_may_be_smaller_than_k(self):
        """Only classes that grow need neighbours."""
        SMOTE(k_neighbors=5, ratio=0.05).fit_resample(X, y)


@given(st.integers(0, 10**6), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_nearest_others_by_brute_force(seed, k):
    """Rows drawn from a grid, so that there are many twins and ties: the distances must be the k least."""
    points = np.random.default_rng(seed).integers(0, 3, size=(9, 2)).astype(float)
    rows, among = np.array([0, 3, 5]), np.array([0, 1, 3, 4, 5, 8])
    found = among[nearest_others(points, rows, among, k)]
    for row, near in zip(rows, found, strict=True):
        others = among[among != row]
        assert row not in near and len(set(near.tolist())) == k
        distances = np.sort(np.linalg.norm(points[others] - points[row], axis=1))[:k]
        np.testing.assert_allclose(np.linalg.norm(points[near] - points[row], axis=1), distances)


# ---------------------------------------------------------------------------------------------------------------
# Borderline-SMOTE
# ---------------------------------------------------------------------------------------------------------------
class TestBorderline:
    def test_kinds_by_their_definition(self):
        points, labels = moons()
        sampler = BorderlineSMOTE(m_neighbors=8, random_state=0)
        sampler.fit_resample(points, labels)
        seen = set()
        for i in np.flatnonzero(labels == "rare"):
            distances = np.linalg.norm(points - points[i], axis=1)
            distances[i] = np.inf
            strangers = np.sum(labels[distances.argsort()[:8]] != "rare")
            kind = "noise" if strangers == 8 else "danger" if strangers >= 4 else "safe"
            assert sampler.kinds_[i] == kind
            seen.add(kind)
        assert seen == {"noise", "danger", "safe"} and set(sampler.kinds_[labels == "usual"]) == {""}

    def test_the_danger_set_is_imbalanced_learns(self):
        points, labels = moons(seed=4)
        ours = BorderlineSMOTE(m_neighbors=10, random_state=0)
        ours.fit_resample(points, labels)
        theirs = over_sampling.BorderlineSMOTE(m_neighbors=10, random_state=0)
        theirs.fit_resample(points, labels)
        few = points[labels == "rare"]
        for kind in ("danger", "noise"):
            expected = theirs._in_danger_noise(theirs.nn_m_, few, "rare", labels, kind=kind)
            np.testing.assert_array_equal(ours.kinds_[labels == "rare"] == kind, expected)

    def test_kind_1_grows_from_danger_towards_its_own_class(self):
        points, labels = moons()
        sampler = BorderlineSMOTE(random_state=0)
        sampler.fit_resample(points, labels)
        assert set(sampler.kinds_[sampler.base_]) == {"danger"}
        assert set(labels[sampler.neighbor_]) == {"rare"}

    @pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
    def test_kind_2_goes_half_of_the_way_to_strangers(self, alpha):
        points, labels = moons()
        sampler = BorderlineSMOTE(kind=2, alpha=alpha, random_state=0)
        X_new, y_new = sampler.fit_resample(points, labels)
        outwards = labels[sampler.neighbor_] == "usual"
        assert outwards.sum() == round((1 - alpha) * len(outwards))
        assert (sampler.gap_[outwards] <= 0.5).all() and set(sampler.kinds_[sampler.base_]) == {"danger"}
        usual = np.flatnonzero(labels == "usual")
        for base, other in zip(sampler.base_[outwards], sampler.neighbor_[outwards], strict=True):
            nearer = np.linalg.norm(points[usual] - points[base], axis=1)
            assert np.linalg.norm(points[other] - points[base]) <= np.sort(nearer)[4] + 1e-12
        assert (y_new[len(points) :] == "rare").all() and np.isfinite(X_new).all()

    def test_nobody_in_danger(self):
        apart = np.concatenate([rng.normal(size=(50, 2)), rng.normal(size=(15, 2)) + 50])
        labels = np.repeat([0, 1], [50, 15])
        with pytest.warns(UserWarning, match=r"no row .* in danger \(15 are safe, 0 noise\)"):
            X_new, y_new = BorderlineSMOTE(random_state=0).fit_resample(apart, labels)
        np.testing.assert_array_equal(X_new, apart)
        np.testing.assert_array_equal(y_new, labels)

    def test_seeking_neighbours_in_the_minority_only_would_find_no_stranger(self):
        """The slip of the notes: then m' = 0 for every row, and nothing would ever be in danger."""
        near = nearest_others(X, MINORITY, MINORITY, 10)
        assert (y[MINORITY[near]] != 1).sum() == 0

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"m_neighbors": 400}, "m_neighbors=400 must be smaller than the number of rows, 400"),
            ({"k_neighbors": 36}, "36 rows"),
        ],
    )
    def test_parameters_that_ask_for_more_rows_than_there_are(self, options, words):
        with pytest.raises(ValueError, match=words):
            BorderlineSMOTE(**options).fit_resample(X, y)


# ---------------------------------------------------------------------------------------------------------------
# Ensembles
# ---------------------------------------------------------------------------------------------------------------
def balanced_accuracy(model, X, y):
    return np.mean([np.mean(model.predict(X[y == k]) == k) for k in np.unique(y)])


class TestEasyEnsemble:
    def test_it_is_the_sum_of_boosted_models(self):
        model = EasyEnsemble(n_subsets=4, n_rounds=5, random_state=0).fit(X, y)
        total = sum(member.decision_function(X) for member in model.estimators_)
        np.testing.assert_allclose(model.decision_function(X), total)
        np.testing.assert_array_equal(model.predict(X), (total > 0).astype(int))
        assert all(len(member.estimators_) <= 5 for member in model.estimators_)

    def test_against_imbalanced_learn(self):
        """Theirs averages probabilities, and boosts with other weights: the two are compared by what they achieve."""
        points, labels = make_imbalanced(3000, ratio=0.05, class_sep=2.0, random_state=0)
        new, new_labels = make_imbalanced(6000, ratio=0.05, class_sep=2.0, random_state=1)
        ours = EasyEnsemble(n_subsets=10, n_rounds=10, random_state=0).fit(points, labels)
        theirs = EasyEnsembleClassifier(n_estimators=5, random_state=0).fit(points, labels)
        plain = AdaBoostClassifier(n_estimators=100).fit(points, labels)
        scores = [balanced_accuracy(model, new, new_labels) for model in (ours, theirs, plain)]
        assert abs(scores[0] - scores[1]) < 0.04 and scores[0] > scores[2] + 0.1

    def test_the_minority_may_be_either_class(self):
        model = EasyEnsemble(n_subsets=3, n_rounds=5, random_state=0).fit(X, y)
        turned = EasyEnsemble(n_subsets=3, n_rounds=5, random_state=0).fit(X, 1 - y)
        assert model.minority_class_ == 1 and turned.minority_class_ == 0
        np.testing.assert_allclose(turned.decision_function(X), -model.decision_function(X))
        words = EasyEnsemble(n_subsets=3, n_rounds=5, random_state=0).fit(X, np.where(y == 1, "bad", "good"))
        assert words.minority_class_ == "bad"
        np.testing.assert_array_equal(words.predict(X) == "bad", model.predict(X) == 1)

    def test_iter_fit(self):
        seen = [len(m.estimators_) for m in EasyEnsemble(n_subsets=3, n_rounds=2).iter_fit(X, y)]
        assert seen == [1, 2, 3]


class TestBalanceCascade:
    @pytest.mark.parametrize("T", [2, 3, 6])
    def test_the_majority_shrinks_by_the_rate_until_it_is_as_small_as_the_minority(self, T):
        model = BalanceCascade(n_subsets=T, n_rounds=5, random_state=0).fit(X, y)
        assert model.rate_ == pytest.approx((36 / 364) ** (1 / (T - 1)))
        np.testing.assert_allclose(model.majority_left_, 364 * model.rate_ ** np.arange(T), atol=0.51)
        assert model.majority_left_[-1] == 36

    def test_the_exponent_of_the_notes_would_leave_nothing(self):
        """A (82) prints T - 1 for 1 / (T - 1)."""
        assert 364 * (36 / 364) ** (6 - 1) < 1

    def test_each_threshold_reaches_the_rate(self):
        """Among the rows that a stage chose from, the share f is scored at or above θ (up to equal scores)."""
        points, labels = make_imbalanced(1500, ratio=0.05, class_sep=1.5, random_state=5)
        model = BalanceCascade(n_subsets=4, n_rounds=30, random_state=0).fit(points, labels)
        majority = np.flatnonzero(labels == 0)
        scores = model.estimators_[0].decision_function(points[majority])
        above, at_least = np.mean(scores > model.thresholds_[0]), np.mean(scores >= model.thresholds_[0])
        assert above <= model.rate_ + 1e-3 and at_least >= model.rate_ - 1e-3

    def test_the_sum_of_what_lies_above_the_thresholds(self):
        model = BalanceCascade(n_subsets=3, n_rounds=5, random_state=0).fit(X, y)
        expected = sum(m.decision_function(X) - t for m, t in zip(model.estimators_, model.thresholds_, strict=True))
        np.testing.assert_allclose(model.decision_function(X), expected)

    def test_it_finds_the_minority(self):
        points, labels = make_imbalanced(3000, ratio=0.05, class_sep=2.5, random_state=0)
        new, new_labels = make_imbalanced(4000, ratio=0.05, class_sep=2.5, random_state=1)
        model = BalanceCascade(n_subsets=8, n_rounds=15, random_state=0).fit(points, labels)
        assert balanced_accuracy(model, new, new_labels) > 0.8

    @pytest.mark.parametrize("names", [("a common", "b rare"), ("b common", "a rare")])
    def test_exactly_at_the_threshold_it_is_the_majority_whatever_the_classes_are_called(self, names):
        table, rare = np.repeat([[0.0], [1.0]], [24, 12], axis=0), np.isin(np.arange(36), [0, 1, 24, 25, 26])
        model = BalanceCascade(n_subsets=2, n_rounds=1, random_state=0).fit(table, np.where(rare, names[1], names[0]))
        assert (model.decision_function(table) == 0).all()
        assert (model.predict(table) == names[0]).all()


@pytest.mark.parametrize("model", [EasyEnsemble, BalanceCascade])
def test_two_classes_are_needed(model):
    with pytest.raises(ValueError, match="one class"):
        model().fit(X, np.zeros(len(X), int))
    with pytest.raises(ValueError, match="binary"):
        model().fit(X, np.arange(len(X)) % 3)


# ---------------------------------------------------------------------------------------------------------------
# Thresholds
# ---------------------------------------------------------------------------------------------------------------
class TestThresholds:
    def test_rescaled_odds_are_divided_by_the_odds_of_the_sample(self):
        p = np.linspace(0.001, 0.999, 50)
        q = rescale_odds(p, 2, 998)
        np.testing.assert_allclose(q / (1 - q), p / (1 - p) * 998 / 2)
        np.testing.assert_array_equal(q > 0.5, p / (1 - p) > 2 / 998)

    def test_certainty_stays_certain(self):
        assert rescale_odds(0.0, 1, 9) == 0 and rescale_odds(1.0, 1, 9) == 1
        assert rescale_odds(0.3, 5, 5) == pytest.approx(0.3)
        assert rescale_odds(np.full((2, 2), 0.5), 1, 3).shape == (2, 2)

    def test_threshold_moving_is_rescaling(self):
        model = ThresholdMoving(SkLogisticRegression()).fit(X, y)
        p = SkLogisticRegression().fit(X, y).predict_proba(X)[:, 1]
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], rescale_odds(p, 36, 364))
        np.testing.assert_array_equal(model.predict(X), (p / (1 - p) > 36 / 364).astype(int))

    def test_the_member_decides_what_x_may_hold(self):
        holes = X.copy()
        holes[::9, 0] = np.nan
        model = ThresholdMoving(make_pipeline(SimpleImputer(), SkLogisticRegression())).fit(holes, y)
        assert balanced_accuracy(model, holes, y) > 0.7
        with pytest.raises(ValueError, match="NaN"):
            ThresholdMoving(SkLogisticRegression()).fit(holes, y)

    def test_it_is_bayes_rule_with_equal_priors(self):
        """For Gaussian classes of one shape the moved boundary is where the two densities are equal."""
        points, labels = make_imbalanced(20_000, ratio=0.03, class_sep=2.0, random_state=0)
        model = ThresholdMoving(SkLogisticRegression()).fit(points, labels)
        agree = np.mean(model.predict(points) == (points.sum(axis=1) > 0))
        assert agree > 0.97
        plain = SkLogisticRegression().fit(points, labels)
        assert balanced_accuracy(model, points, labels) > balanced_accuracy(plain, points, labels) + 0.15

    def test_three_classes(self):
        data = load_breast_cancer()
        labels = np.where(data.target == 1, np.arange(len(data.target)) % 2, 2)
        model = ThresholdMoving(GaussianNB()).fit(data.data, labels)
        p = GaussianNB().fit(data.data, labels).predict_proba(data.data) / np.bincount(labels)
        np.testing.assert_allclose(model.predict_proba(data.data), p / p.sum(axis=1, keepdims=True))

    @pytest.mark.parametrize("estimator", [LinearSVC(), None, GaussianNB, 3])
    def test_probabilities_are_needed(self, estimator):
        with pytest.raises(ValueError, match="predict_proba"):
            ThresholdMoving(estimator).fit(X, y)


def test_two_positives_in_a_thousand():
    """D 3.6: saying no to everybody is right in 99.8 % of the cases, and finds nobody."""
    labels = np.array([0] * 998 + [1] * 2)
    says_no = np.zeros(1000, int)
    assert np.mean(says_no == labels) == 0.998 and np.mean(says_no[labels == 1] == 1) == 0


@pytest.mark.parametrize(("p", "n_pos", "n_neg", "expected"), [
    (1.0, 1e20, 1, 1.0), (1.0, 1e300, 1e-300, 1.0), (0.0, 1e-300, 1e300, 0.0), (0.5, 1e308, 1e308, 0.5),
    (0.25, 1e308, 1e308, 0.25), (0.5, 1e20, 1, 1e-20),
])  # fmt: skip
def test_rescaled_odds_with_extreme_numbers_of_rows(p, n_pos, n_neg, expected):
    assert rescale_odds(p, n_pos, n_neg) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.filterwarnings("ignore:divide by zero|invalid value:RuntimeWarning")
def test_moving_a_threshold_refuses_probabilities_that_are_no_numbers():
    """As those of scikit-learn's Gaussians without any width: nan once said class 0."""
    model = ThresholdMoving(GaussianNB()).fit(np.ones((4, 2)), [0, 1, 0, 1])
    for method in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="answers NaN or infinity for 1 of 1 rows"):
            method(np.ones((1, 2)))
