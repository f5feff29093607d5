"""Chapter 19 against scikit-learn, SciPy, brute force, and the statements of the notes."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, stats
from sklearn import ensemble as sk
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression as SkLinearRegression
from sklearn.linear_model import LogisticRegression as SkLogisticRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from mlcore.base.members import bootstrap_sample, fold_numbers
from mlcore.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_watermelon2a,
    load_watermelon3a,
    load_wine,
)
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.engines.trees import (
    Columns,
    GiniCriterion,
    Limits,
    SquaredErrorCriterion,
    grow_side_by_side,
    random_order,
)
from mlcore.ensembles import (
    BaggingClassifier,
    BaggingRegressor,
    LinearBlending,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingBlending,
    UniformBlending,
    combine,
    majority_accuracy,
    oob_permutation_importance,
)
from mlcore.ensembles import forest as forest_module
from mlcore.ensembles.forest import random_mixtures

rng = np.random.default_rng(19)

_classifiers = [DecisionTreeClassifier(max_depth=3), GaussianNB()]
_regressors = [DecisionTreeRegressor(max_depth=3), SkLinearRegression()]
_DRAWS = "a repeated row may be drawn once, a row of weight 2 is drawn as one row more often"
_BY_WEIGHT = {
    name: _DRAWS
    for name in ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
}
CONFORMANCE_INSTANCES = {
    "UniformBlending": [UniformBlending(_classifiers, rule="arithmetic"), UniformBlending(_regressors)],
    "LinearBlending": [LinearBlending(_classifiers, cv=2), LinearBlending(_regressors, cv=2)],
    "StackingBlending": [
        StackingBlending(_classifiers, final_estimator=DecisionTreeClassifier(max_depth=2), cv=2),
        StackingBlending(_regressors, final_estimator=DecisionTreeRegressor(max_depth=3), cv=2),
    ],
    "BaggingClassifier": [BaggingClassifier(n_estimators=5), BaggingClassifier(n_estimators=5, rule="majority")],
    "BaggingRegressor": [BaggingRegressor(n_estimators=5)],
    "RandomForestClassifier": [
        RandomForestClassifier(n_estimators=5),
        RandomForestClassifier(n_estimators=5, random_combination=True),
    ],
    "RandomForestRegressor": [
        RandomForestRegressor(n_estimators=5),
        RandomForestRegressor(n_estimators=5, random_combination=True),
    ],
}
NOT_APPLICABLE = {
    name: _BY_WEIGHT
    for name in ("BaggingClassifier", "BaggingRegressor", "RandomForestClassifier", "RandomForestRegressor")
}


def distributions(n_classifiers, n_samples, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=(n_classifiers, n_samples))


def kl(p, q):
    return np.sum(p * np.log(p / q), axis=-1)


# ---------------------------------------------------------------------------------------------------------------
# Combining
# ---------------------------------------------------------------------------------------------------------------
class TestCombine:
    @pytest.mark.parametrize(("rule", "forward"), [("geometric", True), ("arithmetic", False)])
    def test_each_rule_minimises_its_mean_divergence(self, rule, forward):
        """Against a general minimiser over the simplex (softmax coordinates), sample by sample."""
        P = distributions(5, 3, 4)
        found = combine(P, rule)
        for i in range(3):

            def mean_kl(z, i=i):
                p = np.exp(z - z.max())
                p = p / p.sum()
                return np.mean(kl(p, P[:, i])) if forward else np.mean(kl(P[:, i], p))

            best = optimize.minimize(mean_kl, np.zeros(4), tol=1e-14)
            p = np.exp(best.x) / np.exp(best.x).sum()
            np.testing.assert_allclose(found[i], p, atol=1e-5)
            assert mean_kl(np.log(found[i])) <= best.fun + 1e-12

    def test_the_rules_by_their_definitions(self):
        P = distributions(4, 6, 3, seed=1)
        product = np.prod(P, axis=0) ** 0.25
        np.testing.assert_allclose(combine(P, "geometric"), product / product.sum(axis=1, keepdims=True))
        np.testing.assert_allclose(combine(P, "arithmetic"), P.mean(axis=0))
        votes = np.array([[np.mean(P[:, i].argmax(axis=1) == k) for k in range(3)] for i in range(6)])
        np.testing.assert_allclose(combine(P, "majority"), votes)

    def test_a_veto_under_the_geometric_rule_is_the_limit_of_small_probabilities(self):
        P = np.array([[[0.0, 0.3, 0.7], [0.0, 1.0, 0.0]], [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], [[0.2, 0.2, 0.6]] * 2])
        exact = combine(P, "geometric")
        small = np.where(P == 0, 1e-60, P)
        np.testing.assert_allclose(exact, combine(small / small.sum(axis=2, keepdims=True), "geometric"), atol=1e-12)
        assert exact[0].tolist() == [0, 1, 0]
        np.testing.assert_allclose(exact[1], [0.5, 0.5, 0])

    def test_thousands_of_factors_do_not_underflow(self):
        P = np.tile([[[1e-12, 1 - 1e-12]]], (5000, 1, 1))
        np.testing.assert_allclose(combine(P, "geometric"), [[1e-12, 1.0]])

    def test_no_samples(self):
        for rule in ("geometric", "arithmetic", "majority"):
            assert combine(np.empty((3, 0, 2)), rule).shape == (0, 2)

    @pytest.mark.parametrize(
        ("bad", "words"),
        [
            (np.empty((0, 3, 2)), "shape"),
            (np.full((2, 3, 2), 0.4), r"probabilities\[0, 0\] must .* the sum 0.8"),
            (np.array([[[1.5, -0.5]]]), "the least is -0.5"),
            ([[[0.5, 0.5]], [[1.0]]], "ragged"),
        ],
    )
    def test_bad_input(self, bad, words):
        with pytest.raises(ValueError, match=words):
            combine(bad)

    @given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4), st.integers(0, 999))
    @settings(max_examples=40, deadline=None)
    def test_every_rule_gives_distributions_and_does_not_mind_the_order(self, L, n, K, seed):
        P = distributions(L, n, K, seed)
        for rule in ("geometric", "arithmetic", "majority"):
            combined = combine(P, rule)
            np.testing.assert_allclose(combined.sum(axis=1), 1)
            np.testing.assert_allclose(combine(P[::-1], rule), combined, atol=1e-12)


class TestMajorityAccuracy:
    @pytest.mark.parametrize("L", [1, 2, 3, 4, 7, 10])
    def test_against_all_outcomes(self, L):
        """Every one of the 2^L patterns of right and wrong, with its probability."""
        for p in (0.0, 0.2, 0.5, 0.83, 1.0):
            brute = sum(
                math.prod(p if right else 1 - p for right in outcome)
                for outcome in itertools.product([0, 1], repeat=L)
                if sum(outcome) > L / 2
            )
            assert majority_accuracy(L, p) == pytest.approx(brute, abs=1e-14)

    def test_against_the_binomial_distribution(self):
        p = np.linspace(0, 1, 41)
        for L in (25, 100, 1001, 20_000, 1_000_001):
            np.testing.assert_allclose(majority_accuracy(L, p), stats.binom.sf(L // 2, L, p), rtol=1e-10, atol=1e-300)

    def test_the_statements_of_the_notes_hold_for_odd_numbers(self):
        odd = range(1, 60, 2)
        rising = [majority_accuracy(L, 0.6) for L in odd]
        falling = [majority_accuracy(L, 0.4) for L in odd]
        assert (np.diff(rising) > 0).all() and (np.diff(falling) < 0).all()
        np.testing.assert_allclose([majority_accuracy(L, 0.5) for L in odd], 0.5)
        assert majority_accuracy(2001, 0.6) > 1 - 1e-9 and majority_accuracy(2001, 0.4) < 1e-9

    def test_and_not_for_even_ones(self):
        for L in range(2, 40, 2):
            tie = math.comb(L, L // 2) / 2**L
            assert majority_accuracy(L, 0.5) == pytest.approx(0.5 - tie / 2)
            assert majority_accuracy(L, 0.6) < majority_accuracy(L - 1, 0.6)

    def test_shapes(self):
        assert isinstance(majority_accuracy(3, 0.5), float)
        assert majority_accuracy(3, np.full((2, 3), 0.5)).shape == (2, 3)


# ---------------------------------------------------------------------------------------------------------------
# Blending
# ---------------------------------------------------------------------------------------------------------------
iris, wine, cancer, diabetes = load_iris(), load_wine(), load_breast_cancer(), load_diabetes()
SCALED_LOGISTIC = make_pipeline(StandardScaler(), SkLogisticRegression())
CLASSIFIERS = [DecisionTreeClassifier(max_depth=2), GaussianNB(), KNeighborsClassifier(), SCALED_LOGISTIC]
REGRESSORS = [DecisionTreeRegressor(max_depth=3), SkLinearRegression(), KNeighborsRegressor()]


def names(data):
    """The class labels as text, as users give them."""
    return np.asarray(data.target_names)[data.target]


class TestUniformBlending:
    @pytest.mark.parametrize(("rule", "voting"), [("majority", "hard"), ("arithmetic", "soft")])
    def test_against_scikit_learns_voting(self, rule, voting):
        ours = UniformBlending(CLASSIFIERS, rule=rule).fit(wine.data, names(wine))
        theirs = sk.VotingClassifier([(str(i), model) for i, model in enumerate(CLASSIFIERS)], voting=voting)
        theirs.fit(wine.data, names(wine))
        np.testing.assert_array_equal(ours.predict(wine.data), theirs.predict(wine.data))
        if rule == "arithmetic":
            np.testing.assert_allclose(ours.predict_proba(wine.data), theirs.predict_proba(wine.data))

    def test_regression_is_the_mean(self):
        ours = UniformBlending(REGRESSORS).fit(diabetes.data, diabetes.target)
        theirs = sk.VotingRegressor([(str(i), model) for i, model in enumerate(REGRESSORS)])
        theirs.fit(diabetes.data, diabetes.target)
        np.testing.assert_allclose(ours.predict(diabetes.data), theirs.predict(diabetes.data))
        assert not hasattr(ours, "predict_proba")

    def test_the_mean_error_is_the_error_of_the_mean_plus_the_spread(self):
        """Notes C (26), whose left side lacks the avg in the text."""
        ours = UniformBlending(REGRESSORS).fit(diabetes.data[::2], diabetes.target[::2])
        X, f = diabetes.data[1::2], diabetes.target[1::2]
        g = np.array([model.predict(X) for model in ours.estimators_])
        G = ours.predict(X)
        np.testing.assert_allclose(((g - f) ** 2).mean(axis=0), ((g - G) ** 2).mean(axis=0) + (G - f) ** 2)

    def test_a_model_without_probabilities_votes(self):
        ours = UniformBlending([LinearSVC(), GaussianNB(), DecisionTreeClassifier()]).fit(iris.data, names(iris))
        assert ours.score(iris.data, names(iris)) > 0.95

    def test_members_are_copied(self):
        member = DecisionTreeClassifier()
        UniformBlending([member]).fit(iris.data, iris.target)
        assert not hasattr(member, "tree_")


class TestLinearBlending:
    def test_the_weights_solve_the_constrained_least_squares(self):
        """Rebuilt by hand: held-out predictions of scikit-learn, and SciPy's non-negative least squares."""
        X, y = diabetes.data, diabetes.target
        folds = np.arange(len(y)) % 4
        Z = np.empty((len(y), 3))
        for fold in range(4):
            for t, model in enumerate(REGRESSORS):
                Z[folds == fold, t] = model.fit(X[folds != fold], y[folds != fold]).predict(X[folds == fold])
        expected, _ = optimize.nnls(Z, y)
        ours = LinearBlending(REGRESSORS, cv=4).fit(X, y)
        np.testing.assert_allclose(ours.weights_, expected, atol=1e-6)
        full = np.array([model.fit(X, y).predict(X) for model in REGRESSORS])
        np.testing.assert_allclose(ours.predict(X), expected @ full, rtol=1e-6)

    def test_classification(self):
        ours = LinearBlending(CLASSIFIERS).fit(wine.data, names(wine))
        assert (ours.weights_ >= 0).all() and ours.weights_.any()
        np.testing.assert_allclose(ours.predict_proba(wine.data).sum(axis=1), 1)
        assert ours.score(wine.data, names(wine)) > 0.97

    def test_a_member_that_knows_its_training_set_by_heart_gets_no_credit_for_it(self):
        """Mostly noise: a full tree is perfect on its own rows and useless on others."""
        numbers = np.random.default_rng(0)
        X = numbers.normal(size=(300, 3))
        y = 0.3 * X[:, 0] + numbers.normal(size=300)
        ours = LinearBlending([DecisionTreeRegressor(), SkLinearRegression()], cv=5).fit(X, y)
        assert ours.weights_[0] < 0.2

    def test_nothing_helps(self):
        """A target that all members point away from: equal weights rather than none."""

        class Opposite(DecisionTreeRegressor):
            def predict(self, X):
                return -10.0 - 0 * np.asarray(X)[:, 0]

        ours = LinearBlending([Opposite(), Opposite()], cv=2).fit(np.arange(8.0)[:, None], np.arange(8.0) + 1)
        np.testing.assert_array_equal(ours.weights_, [0.5, 0.5])


class TestStacking:
    def test_against_scikit_learn_on_the_same_folds(self):
        X, y = diabetes.data, diabetes.target
        split = PredefinedSplit(np.arange(len(y)) % 5)
        theirs = sk.StackingRegressor(
            [(str(i), model) for i, model in enumerate(REGRESSORS)], SkLinearRegression(), cv=split
        ).fit(X, y)
        ours = StackingBlending(REGRESSORS, final_estimator=SkLinearRegression(), cv=5).fit(X, y)
        np.testing.assert_allclose(ours.final_estimator_.coef_, theirs.final_estimator_.coef_)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X))

    def test_classification_against_scikit_learn(self):
        X, y = cancer.data[::3], cancer.target[::3]
        final = SkLogisticRegression(max_iter=5000)
        split = PredefinedSplit(fold_numbers(y, 3, True))
        members = [DecisionTreeClassifier(max_depth=2), GaussianNB()]
        theirs = sk.StackingClassifier([("a", members[0]), ("b", members[1])], final, cv=split).fit(X, y)
        ours = StackingBlending(members, final_estimator=final, cv=3).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)

    def test_three_classes(self):
        ours = StackingBlending(CLASSIFIERS, final_estimator=DecisionTreeClassifier(max_depth=4))
        assert ours.fit(wine.data, names(wine)).score(wine.data, names(wine)) > 0.97
        assert ours.final_estimator_.n_features_in_ == 4 * 2

    def test_a_final_model_of_the_other_kind_is_refused(self):
        with pytest.raises(ValueError, match="final_estimator must be a classifier"):
            StackingBlending(CLASSIFIERS, final_estimator=SkLinearRegression()).fit(wine.data, wine.target)


class TestMembers:
    @pytest.mark.parametrize(
        ("members", "words"),
        [
            ([], "at least one"),
            (None, "at least one"),
            (GaussianNB(), "list"),
            ([GaussianNB(), SkLinearRegression()], "all classifiers or all regressors"),
            ([3], "classifier or a regressor"),
        ],
    )
    def test_bad_members(self, members, words):
        for blend in (UniformBlending(members), LinearBlending(members)):
            with pytest.raises(ValueError, match=words):
                blend.fit(iris.data, iris.target)

    def test_more_folds_than_samples(self):
        with pytest.raises(ValueError, match="cv=9 folds are more than the 8 samples"):
            LinearBlending([DecisionTreeRegressor()], cv=9).fit(np.arange(8.0)[:, None], np.arange(8.0))

    def test_folds_are_dealt_out_class_by_class(self):
        y = rng.permutation(np.repeat([0, 1, 2], [30, 12, 5]))
        folds = fold_numbers(y, 4, True)
        for k in range(3):
            assert np.ptp(np.bincount(folds[y == k], minlength=4)) <= 1
        assert np.ptp(np.bincount(folds)) <= 1
        np.testing.assert_array_equal(fold_numbers(np.zeros(5), 2, False), [0, 1, 0, 1, 0])

    def test_a_class_too_rare_for_every_fold_gets_probability_zero_there(self):
        y = np.array([0] * 10 + [1] * 10 + [2])
        X = rng.normal(size=(21, 2)) + 3 * y[:, None]
        ours = LinearBlending([GaussianNB(), DecisionTreeClassifier()], cv=3).fit(X, y)
        assert np.isfinite(ours.predict_proba(X)).all() and ours.predict_proba(X).shape == (21, 3)


# ---------------------------------------------------------------------------------------------------------------
# Bagging
# ---------------------------------------------------------------------------------------------------------------
class TestBagging:
    def test_members_are_what_training_on_their_rows_gives(self):
        ours = BaggingClassifier(GaussianNB(), n_estimators=6, random_state=3).fit(wine.data, names(wine))
        P = [
            GaussianNB().fit(wine.data[rows], names(wine)[rows]).predict_proba(wine.data)
            for rows in ours.estimators_samples_
        ]
        np.testing.assert_allclose(ours.predict_proba(wine.data), np.mean(P, axis=0))
        assert all(len(rows) == len(wine.data) for rows in ours.estimators_samples_)

    def test_a_third_of_the_rows_is_left_out(self):
        """(1 - 1/n)^n: for one row, over many draws; tested against the binomial distribution."""
        n, draws = 50, 400
        ours = BaggingRegressor(SkLinearRegression(), n_estimators=draws, random_state=0)
        ours.fit(rng.normal(size=(n, 1)), rng.normal(size=n))
        missed = sum(0 not in rows for rows in ours.estimators_samples_)
        assert stats.binomtest(missed, draws, (1 - 1 / n) ** n).pvalue > 1e-3

    @pytest.mark.parametrize("rule", ["arithmetic", "majority"])
    def test_the_out_of_bag_score_by_hand(self, rule):
        model = BaggingClassifier(
            DecisionTreeClassifier(max_depth=3), n_estimators=25, rule=rule, oob_score=True, random_state=1
        ).fit(wine.data, names(wine))
        right = []
        for i in range(len(wine.data)):
            blind = [m for m, rows in zip(model.estimators_, model.estimators_samples_, strict=True) if i not in rows]
            assert model.oob_counts_[i] == len(blind)
            P = np.array([m.predict_proba(wine.data[i : i + 1])[0] for m in blind])
            P = np.eye(3)[P.argmax(axis=1)] if rule == "majority" else P
            np.testing.assert_allclose(model.oob_decision_function_[i], P.mean(axis=0))
            right.append(P.mean(axis=0).argmax() == wine.target[i])
        assert model.oob_score_ == pytest.approx(np.mean(right))

    def test_the_out_of_bag_score_of_numbers_by_hand(self):
        X, y = diabetes.data[:80], diabetes.target[:80]
        model = BaggingRegressor(n_estimators=30, oob_score=True, random_state=2).fit(X, y)
        members = list(zip(model.estimators_, model.estimators_samples_, strict=True))
        mean = np.array(
            [np.mean([m.predict(x[None])[0] for m, rows in members if i not in rows]) for i, x in enumerate(X)]
        )
        np.testing.assert_allclose(model.oob_prediction_, mean)
        assert model.oob_score_ == pytest.approx(1 - np.sum((y - mean) ** 2) / np.sum((y - y.mean()) ** 2))

    def test_a_row_that_everybody_has_seen_is_reported(self):
        with pytest.warns(UserWarning, match="rows were drawn for every member"):
            model = BaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(iris.data, iris.target)
        seen = model.oob_counts_ == 0
        assert seen.any() and np.isnan(model.oob_decision_function_[seen]).all()
        assert np.isfinite(model.oob_decision_function_[~seen]).all() and 0 <= model.oob_score_ <= 1

    def test_sample_weights_are_chances(self):
        X, y = rng.normal(size=(40, 1)), np.arange(40) % 2
        weight = np.where(np.arange(40) < 10, 3.0, 1.0)
        weight[39] = 0
        model = BaggingClassifier(n_estimators=200, random_state=0).fit(X, y, sample_weight=weight)
        drawn = np.bincount(np.concatenate(model.estimators_samples_), minlength=40)
        assert drawn[39] == 0
        assert stats.binomtest(int(drawn[:10].sum()), 8000, 30 / 59).pvalue > 1e-3

    def test_max_samples_and_no_bootstrap(self):
        model = BaggingRegressor(max_samples=0.5, bootstrap=False, n_estimators=3, random_state=0)
        model.fit(diabetes.data, diabetes.target)
        assert all(len(set(rows.tolist())) == len(rows) == 221 for rows in model.estimators_samples_)
        assert len(BaggingRegressor(max_samples=7).fit(diabetes.data, diabetes.target).estimators_samples_[0]) == 7

    def test_iter_fit_adds_member_after_member(self):
        model = BaggingClassifier(n_estimators=4, oob_score=True, random_state=5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = [
                (len(m.estimators_), m.predict(iris.data)[0], m.oob_score_)
                for m in model.iter_fit(iris.data, iris.target)
            ]
            whole = BaggingClassifier(n_estimators=4, oob_score=True, random_state=5).fit(iris.data, iris.target)
        assert [count for count, _, _ in seen] == [1, 2, 3, 4]
        assert seen[-1][2] == whole.oob_score_
        np.testing.assert_array_equal(model.predict_proba(iris.data), whole.predict_proba(iris.data))

    def test_a_sample_of_one_class_is_drawn_again(self):
        """Ten rows, one of the second class: scikit-learn's logistic regression refuses a single class."""
        X, y = np.arange(10.0)[:, None], np.array([0] * 9 + [1])
        model = BaggingClassifier(SkLogisticRegression(), n_estimators=8, random_state=0).fit(X, y)
        assert all(9 in rows for rows in model.estimators_samples_)
        with pytest.raises(ValueError, match="all held a single class"):
            BaggingClassifier(max_samples=1).fit(X, y)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"bootstrap": False, "oob_score": True}, "oob_score=True needs"),
            ({"bootstrap": False, "max_samples": 200}, "asks for 200 rows"),
            ({"estimator": DecisionTreeRegressor()}, "must be a classifier"),
            ({"estimator": DecisionTreeClassifier}, "must be an estimator"),
        ],
    )
    def test_bad_parameters(self, options, words):
        with pytest.raises(ValueError, match=words):
            BaggingClassifier(**options).fit(iris.data, iris.target)


# ---------------------------------------------------------------------------------------------------------------
# Forests
# ---------------------------------------------------------------------------------------------------------------
class TestForest:
    def test_a_forest_of_one_tree_on_all_rows_is_that_tree(self):
        options = {"n_estimators": 1, "bootstrap": False, "max_features": None}
        forest = RandomForestClassifier(**options).fit(wine.data, names(wine))
        tree = DecisionTreeClassifier().fit(wine.data, names(wine))
        np.testing.assert_array_equal(forest.estimators_[0].tree_.threshold, tree.tree_.threshold)
        forest = RandomForestRegressor(**options, max_depth=4).fit(diabetes.data, diabetes.target)
        tree = DecisionTreeRegressor(max_depth=4).fit(diabetes.data, diabetes.target)
        np.testing.assert_allclose(forest.predict(diabetes.data), tree.predict(diabetes.data))

    def test_a_tree_of_a_forest_is_the_tree_of_its_weighted_sample(self):
        """Without random features: the tree that an estimator grows with the counts as weights."""
        forest = RandomForestClassifier(n_estimators=3, max_features=None, random_state=7).fit(wine.data, wine.target)
        numbers = np.random.default_rng(7)
        for grown in forest.estimators_:
            counts = np.bincount(bootstrap_sample(np.ones(178), 178, numbers), minlength=178)
            tree = DecisionTreeClassifier().fit(wine.data, wine.target, sample_weight=counts)
            np.testing.assert_array_equal(grown.tree_.threshold, tree.tree_.threshold)

    @pytest.mark.parametrize("seed", range(3))
    def test_out_of_bag_accuracy_agrees_with_scikit_learn(self, seed):
        """Two forests differ by chance alone: a paired test over the rows, and both near the test accuracy."""
        X, y = cancer.data, cancer.target
        ours = RandomForestClassifier(n_estimators=150, oob_score=True, random_state=seed).fit(X, y)
        theirs = sk.RandomForestClassifier(n_estimators=150, oob_score=True, random_state=seed).fit(X, y)
        wrong = [m.oob_decision_function_.argmax(axis=1) != y for m in (ours, theirs)]
        only_ours, only_theirs = int((wrong[0] & ~wrong[1]).sum()), int((wrong[1] & ~wrong[0]).sum())
        assert stats.binomtest(only_ours, max(only_ours + only_theirs, 1)).pvalue > 1e-3
        assert abs(ours.oob_score_ - theirs.oob_score_) < 0.02

    def test_out_of_bag_r2_agrees_with_scikit_learn(self):
        X, y = diabetes.data, diabetes.target
        ours = RandomForestRegressor(n_estimators=200, oob_score=True, random_state=0).fit(X, y)
        theirs = sk.RandomForestRegressor(200, max_features=1 / 3, oob_score=True, random_state=0).fit(X, y)
        assert abs(ours.oob_score_ - theirs.oob_score_) < 0.03
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.03)

    def test_max_features_limits_what_a_node_may_ask(self):
        """With a single candidate a useless feature is asked as often as a useful one; with all of them, hardly."""
        X = rng.normal(size=(400, 4))
        y = (X[:, 0] > 0).astype(int)
        few = RandomForestClassifier(n_estimators=40, max_features=1, max_depth=1, random_state=0).fit(X, y)
        root = [tree.tree_.feature[0] for tree in few.estimators_]
        assert stats.binomtest(root.count(0), 40, 0.25).pvalue > 1e-3
        every = RandomForestClassifier(n_estimators=10, max_features=None, max_depth=1, random_state=0).fit(X, y)
        assert {tree.tree_.feature[0] for tree in every.estimators_} == {0}

    def test_votes_and_means(self):
        forest = RandomForestClassifier(n_estimators=9, max_depth=2, rule="majority", random_state=0)
        P = forest.fit(wine.data, wine.target).predict_proba(wine.data)
        np.testing.assert_allclose(P * 9, np.round(P * 9))

    def test_strings_and_missing_values(self):
        melons = load_watermelon2a()
        forest = RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0).fit(melons.data, melons.target)
        assert forest.score(melons.data, melons.target) > 0.9

    def test_random_combinations_mix_three_features_in_units_of_their_own(self):
        X = rng.normal(size=(500, 6)) * [1, 10, 100, 1e3, 1e4, 1e5]
        P = random_mixtures(X.std(axis=0), np.random.default_rng(0))
        assert (np.count_nonzero(P, axis=0) == 3).all()
        scaled = P * X.std(axis=0)[:, None]
        assert np.abs(scaled).max() <= 1 and np.abs(scaled).max(axis=1).min() > 0.05

    def test_random_combinations_see_what_single_features_do_not(self):
        """A border along x1 + x2 = 0: oblique questions need fewer of them."""
        X = rng.normal(size=(600, 2))
        y = (X.sum(axis=1) > 0).astype(int)
        options = {"n_estimators": 60, "max_depth": 3, "oob_score": True, "random_state": 0}
        plain = RandomForestClassifier(**options).fit(X, y)
        mixed = RandomForestClassifier(random_combination=True, **options).fit(X, y)
        assert mixed.oob_score_ > plain.oob_score_ + 0.02
        assert len(mixed.projections_) == 60
        with pytest.raises(AttributeError, match="mixtures"):
            _ = mixed.feature_importances_

    def test_random_combinations_need_numbers(self):
        melons = load_watermelon2a()
        with pytest.raises(ValueError, match="it needs numbers"):
            RandomForestClassifier(random_combination=True).fit(melons.data, melons.target)

    def test_the_melons_of_the_notes(self):
        """E's table, with 3, 5 and 11 trees: more trees do not do worse on the training melons by much."""
        melons = load_watermelon3a()

        def mean_score(n_trees):
            forests = [RandomForestClassifier(n_estimators=n_trees, random_state=seed) for seed in range(30)]
            return np.mean(
                [forest.fit(melons.data, melons.target).score(melons.data, melons.target) for forest in forests]
            )

        scores = [mean_score(n_trees) for n_trees in (3, 5, 11)]
        assert scores[0] < scores[1] < scores[2] and scores[2] > 0.93

    @pytest.mark.parametrize("max_features", [0, 99, "all"])
    def test_bad_max_features(self, max_features):
        with pytest.raises(ValueError, match="max_features"):
            RandomForestClassifier(max_features=max_features).fit(iris.data, iris.target)


class TestSideBySide:
    """Trees that grow together are the trees that grow alone, on columns of many and of few values."""

    @pytest.mark.parametrize("values", [2, 6, 10**9])
    @pytest.mark.parametrize("kind", ["classes", "numbers"])
    def test_against_one_tree_after_the_other(self, kind, values):
        numbers = np.random.default_rng(values)
        X = numbers.integers(values, size=(60, 4)).astype(float)
        y = numbers.integers(3, size=60) if kind == "classes" else numbers.normal(size=60)
        counts = np.array([np.bincount(numbers.integers(60, size=60), minlength=60) for _ in range(7)])
        counts = counts * numbers.choice([1.0, 0.5], 60)
        targets, limits = np.tile(y, 7), Limits(max_depth=5, min_samples_leaf=2)

        def criterion(weight):
            return GiniCriterion(targets, 3, weight) if kind == "classes" else SquaredErrorCriterion(targets, weight)

        together = grow_side_by_side(Columns(X).copies(7), criterion, counts, limits, (["a", "b", "c", "d"], ()))
        model = DecisionTreeClassifier if kind == "classes" else DecisionTreeRegressor
        for weight, tree in zip(counts, together, strict=True):
            alone = model(max_depth=5, min_samples_leaf=2).fit(X, y, sample_weight=weight).tree_
            for name in ("parent", "depth", "first_child", "n_children", "feature", "threshold", "n_samples"):
                assert_array_equal(getattr(tree, name), getattr(alone, name))
            for name in ("value", "impurity", "weight", "share"):
                assert_allclose(getattr(tree, name), getattr(alone, name), atol=1e-12)
            assert_array_equal(tree.apply(X), alone.apply(X))

    def test_the_order_of_features_is_drawn_anew_for_each_node(self):
        order = random_order(3, 6000, np.random.default_rng(0))
        assert_array_equal(np.sort(order, axis=0), np.repeat([[0], [1], [2]], 6000, axis=1))
        patterns = np.unique(order, axis=1, return_counts=True)[1]
        assert len(patterns) == 6 and stats.chisquare(patterns).pvalue > 1e-3

    def test_a_forest_is_the_same_however_many_trees_grow_at_once(self, monkeypatch):
        """All features at every node: then no random number is drawn while trees grow."""
        model = RandomForestClassifier(n_estimators=9, max_features=None, random_state=0)
        together = model.fit(wine.data, wine.target).predict_proba(wine.data)
        monkeypatch.setattr(forest_module, "ROWS_AT_ONCE", 1)
        assert_array_equal(model.fit(wine.data, wine.target).predict_proba(wine.data), together)


class TestImportance:
    def test_by_hand(self):
        """The definition, row by row, with the same shuffles."""
        X, y = wine.data, wine.target
        forest = RandomForestClassifier(n_estimators=12, oob_score=True, random_state=0).fit(X, y)
        found = oob_permutation_importance(forest, X, y, n_repeats=2, random_state=4)
        numbers = np.random.default_rng(4)
        for j in range(X.shape[1]):
            fall = 0.0
            for _ in range(2):
                heard, mixed = [[] for _ in y], X.copy()
                mixed[:, j] = numbers.permutation(X[:, j])
                for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
                    out = [i for i in range(len(y)) if i not in rows]
                    for i, p in zip(out, tree.predict_proba(mixed[out]), strict=True):
                        heard[i].append(p)
                judged = [i for i, each in enumerate(heard) if each]
                fall += forest.oob_score_ - np.mean([np.mean(heard[i], axis=0).argmax() == y[i] for i in judged])
            assert found[j] == pytest.approx(fall / 2, abs=1e-12)

    def test_it_finds_the_features_that_matter(self):
        X = rng.normal(size=(400, 6))
        y = 3 * X[:, 1] + 2 * X[:, 4] ** 2 + 0.1 * rng.normal(size=400)
        for model in (
            RandomForestRegressor(n_estimators=60, random_state=0),
            BaggingRegressor(n_estimators=40, random_state=0),
        ):
            falls = oob_permutation_importance(model.fit(X, y), X, y, random_state=0)
            assert set(falls.argsort()[-2:]) == {1, 4}
            assert np.abs(falls[[0, 2, 3, 5]]).max() < 0.05 < falls[[1, 4]].min()

    def test_agrees_with_scikit_learns_on_data_left_out(self):
        from sklearn.inspection import permutation_importance

        X, y = cancer.data[:, 20:], cancer.target  # the "worst" features, the telling ones among them
        forest = RandomForestClassifier(n_estimators=60, max_features=None, random_state=0).fit(X[::2], y[::2])
        ours = oob_permutation_importance(forest, X[::2], y[::2], random_state=0)
        theirs = permutation_importance(forest, X[1::2], y[1::2], n_repeats=5, random_state=0).importances_mean
        assert set(ours.argsort()[-2:]) == set(theirs.argsort()[-2:])
        np.testing.assert_allclose(ours, theirs, atol=0.05)

    def test_it_needs_the_data_of_the_fit(self):
        forest = RandomForestClassifier(n_estimators=3).fit(iris.data, iris.target)
        with pytest.raises(ValueError, match="fitted on 150 rows, but X has 10"):
            oob_permutation_importance(forest, iris.data[:10], iris.target[:10])
        with pytest.raises(ValueError, match="no member has left a row out"):
            oob_permutation_importance(
                RandomForestClassifier(n_estimators=3, bootstrap=False).fit(iris.data, iris.target),
                iris.data,
                iris.target,
            )
        with pytest.raises(ValueError, match="ensemble"):
            oob_permutation_importance(GaussianNB().fit(iris.data, iris.target), iris.data, iris.target)
        with pytest.raises(ValueError, match="not fitted"):
            oob_permutation_importance(RandomForestClassifier(), iris.data, iris.target)

    def test_the_data_is_left_alone(self):
        X = iris.data.copy()
        forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, iris.target)
        oob_permutation_importance(forest, X, iris.target, random_state=0)
        np.testing.assert_array_equal(X, iris.data)


def test_a_forest_does_not_prefer_the_first_columns():
    """Where questions are equally good, as in nodes of two rows, the feature drawn first is asked."""
    X = np.repeat(rng.normal(size=(300, 1)), 6, axis=1)  # six equal columns
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    for options in ({"max_features": 2}, {"max_features": 5}):
        forest = RandomForestClassifier(n_estimators=30, random_state=0, **options).fit(X, y)
        asked = np.concatenate([tree.tree_.feature[tree.tree_.feature >= 0] for tree in forest.estimators_])
        assert stats.chisquare(np.bincount(asked, minlength=6)).pvalue > 1e-3


class TestUglyInput:
    """Input that once led to NaN, to a bare error or to a silently wrong answer."""

    X, y = np.random.default_rng(5).normal(size=(40, 3)), np.arange(40) % 2

    @pytest.mark.parametrize("combination", [False, True])
    @pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
    def test_a_row_of_weight_zero_is_not_there(self, kind, combination):
        """Wherever it stands, and whatever it holds: the units of mixtures are those of the other rows alone."""
        there = np.random.default_rng(1).random(40) < 0.4
        X = np.where(there[:, None], self.X, 1e6 * self.X)
        settings = {"n_estimators": 5, "random_state": 0, "random_combination": combination}
        some = kind(**settings).fit(X, self.y, there.astype(float))
        assert all(there[rows].all() for rows in some.estimators_samples_)
        without = kind(**settings).fit(X[there], self.y[there])
        output = "predict" if kind is RandomForestRegressor else "predict_proba"
        assert_array_equal(getattr(some, output)(self.X), getattr(without, output)(self.X))

    @pytest.mark.parametrize(
        "kind", [RandomForestClassifier, RandomForestRegressor, BaggingClassifier, BaggingRegressor]
    )
    def test_a_single_row_with_weight_is_learnt_by_heart(self, kind):
        weight = np.zeros(40)
        weight[7] = 1e-3
        with np.errstate(all="raise"):
            model = kind(n_estimators=20, random_state=0).fit(self.X, self.y, weight)
            assert_allclose(model.predict(self.X), self.y[7])

    @pytest.mark.parametrize("kind", [RandomForestRegressor, BaggingRegressor])
    def test_targets_whose_squares_are_no_numbers(self, kind):
        with np.errstate(all="raise"), pytest.raises(ValueError, match="y holds values .* beyond 1e100"):
            kind(n_estimators=2).fit(self.X, 1e155 * (self.y - 0.5))

    def test_mixtures_of_any_units(self):
        kept = {"n_estimators": 5, "random_state": 0, "random_combination": True}
        plain = RandomForestClassifier(**kept).fit(self.X, self.y).predict(self.X)
        for scale in (1e-90, 1e-8, 1e8, 1e90, np.array([1e-8, 1.0, 1e8])):
            with np.errstate(over="raise", invalid="raise"):
                scaled = RandomForestClassifier(**kept).fit(scale * self.X, self.y).predict(scale * self.X)
            assert_array_equal(scaled, plain)

    def test_a_constant_column_does_not_drown_the_mixtures(self):
        constant = np.full((40, 1), 0.1)  # its standard deviation is no exact 0 in the computer
        forest = RandomForestClassifier(n_estimators=5, random_combination=True, random_state=0)
        forest.fit(np.hstack([self.X, constant]), self.y)
        assert np.abs(forest.projections_).max() < 10

    def test_unknown_labels_are_no_reason_to_guess(self):
        model = BaggingClassifier(n_estimators=5, random_state=0).fit(self.X, 2 * self.y)
        for wrong in (np.ones(40, dtype=int), self.y + 7, np.full(40, "a")):
            with pytest.raises(ValueError, match="has not been fitted on"):
                oob_permutation_importance(model, self.X, wrong)

    def test_seeds_reach_the_final_model_and_what_is_inside_a_pipeline(self):
        random_tree = DecisionTreeClassifier(max_features=1)
        inner = make_pipeline(StandardScaler(), random_tree)
        y = (self.X[:, 0] + self.X[:, 1] * self.X[:, 2] > 0).astype(int)
        grid = np.random.default_rng(7).normal(size=(300, 3))
        for model in (
            StackingBlending([DecisionTreeClassifier(max_depth=2)] * 3, final_estimator=random_tree, random_state=3),
            UniformBlending([inner], random_state=3),
            BaggingClassifier(inner, n_estimators=3, random_state=3),
        ):
            runs = [model.fit(self.X, y).predict(grid) for _ in range(4)]
            assert all(np.array_equal(runs[0], run) for run in runs)


# ---------------------------------------------------------------------------------------------------------------
# What X may hold is for the members to judge
# ---------------------------------------------------------------------------------------------------------------
class TestMembersJudgeX:
    numbers = np.random.default_rng(190)
    X = np.where(numbers.random((80, 3)) < 0.2, np.nan, numbers.normal(size=(80, 3)))
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    FILLED = make_pipeline(SimpleImputer(), DecisionTreeClassifier(max_depth=3))

    @pytest.mark.parametrize(
        "model",
        [
            BaggingClassifier(FILLED, n_estimators=5, oob_score=True, random_state=0),
            UniformBlending([FILLED, DecisionTreeClassifier()]),
            LinearBlending([FILLED, DecisionTreeClassifier()], cv=2),
            StackingBlending([FILLED, DecisionTreeClassifier()], final_estimator=GaussianNB(), cv=2),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")
    def test_missing_values(self, model):
        assert model.fit(self.X, self.y).score(self.X, self.y) > 0.8

    def test_members_that_take_no_missing_values_say_so_themselves(self):
        for model in (BaggingClassifier(GaussianNB()), UniformBlending([GaussianNB()])):
            with pytest.raises(ValueError, match="NaN"):
                model.fit(self.X, self.y)

    def test_regression_with_missing_values(self):
        member = make_pipeline(SimpleImputer(), SkLinearRegression())
        y = np.nan_to_num(self.X[:, 0])
        for model in (BaggingRegressor(member, random_state=0), UniformBlending([member])):
            assert model.fit(self.X, y).score(self.X, y) > 0.9

    def test_text_in_a_data_frame(self):
        pandas = pytest.importorskip("pandas")
        numbers = np.random.default_rng(191)
        words = np.where(numbers.random(60) < 0.5, "green", "black")
        table = pandas.DataFrame({"colour": words, "size": numbers.normal(size=60)})
        encoded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough")
        member = make_pipeline(encoded, DecisionTreeClassifier())
        bag = BaggingClassifier(member, n_estimators=8, oob_score=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            bag.fit(table, words)
        assert (bag.predict(table) == words).all() and bag.oob_score_ == 1
        colour, size = oob_permutation_importance(bag, table, words, random_state=0)
        assert colour > 0.3 and size == 0
        assert (UniformBlending([member]).fit(table, words).predict(table) == words).all()
