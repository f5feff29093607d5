"""Chapter 20 against scikit-learn, brute force, and the worked example of notes E."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from sklearn import ensemble as sk
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as SkTree
from sklearn.tree import DecisionTreeRegressor as SkTreeRegressor

from mlcore.boosting import (
    AdaBoostClassifier,
    AdaBoostedTree,
    DecisionStump,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from mlcore.boosting.adaboost import reweighted
from mlcore.datasets import load_adaboost10, load_breast_cancer, load_diabetes, load_iris, make_moons, make_xor
from mlcore.decision_trees import DecisionTreeClassifier

rng = np.random.default_rng(20)
CONFORMANCE_INSTANCES = {
    "AdaBoostClassifier": [AdaBoostClassifier(n_estimators=10)],
    "AdaBoostedTree": [AdaBoostedTree(n_estimators=5)],
    "GradientBoostingRegressor": [GradientBoostingRegressor(n_estimators=10)],
    "GradientBoostingClassifier": [GradientBoostingClassifier(n_estimators=10)],
}

ten = load_adaboost10()
X_moons, y_moons = make_moons(300, noise=0.3, random_state=0)
cancer, diabetes, iris = load_breast_cancer(), load_diabetes(), load_iris()


# ---------------------------------------------------------------------------------------------------------------
# Stumps
# ---------------------------------------------------------------------------------------------------------------
def best_by_brute_force(X, y, weight, n_classes):
    """Every threshold of every feature, every pair of classes: the least weighted error, and its first question."""
    best = (np.inf, None, None)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for t in (values[1:] + values[:-1]) / 2:
            left = X[:, j] <= t
            for a, b in itertools.product(range(n_classes), repeat=2):
                error = weight[np.where(left, a, b) != y].sum()
                if error < best[0] - 1e-9:
                    best = (error, j, t)
    return best


class TestStump:
    @given(st.integers(0, 10**6), st.integers(2, 4))
    @settings(max_examples=60, deadline=None)
    def test_against_all_questions(self, seed, n_classes):
        numbers = np.random.default_rng(seed)
        X = numbers.integers(0, 5, size=(14, 3)).astype(float)
        y = numbers.integers(0, n_classes, size=14)
        y[:n_classes] = np.arange(n_classes)
        weight = numbers.integers(1, 6, size=14).astype(float)
        stump = DecisionStump().fit(X, y, weight)
        error, feature, threshold = best_by_brute_force(X, y, weight, n_classes)
        assert weight[stump.predict(X) != y].sum() == pytest.approx(error)
        assert (stump.feature_, stump.threshold_) == (feature, threshold)

    def test_the_ten_points(self):
        stump = DecisionStump().fit(ten.data, ten.target)
        assert (stump.feature_, stump.threshold_) == (0, 1.5)
        assert np.sum(stump.predict(ten.data) != ten.target) == 3

    def test_weights_of_zero_are_rows_that_are_not_there(self):
        weight = np.r_[np.ones(200), np.zeros(100)]
        one = DecisionStump().fit(X_moons, y_moons, weight)
        other = DecisionStump().fit(X_moons[:200], y_moons[:200])
        assert (one.feature_, one.threshold_) == (other.feature_, other.threshold_)
        np.testing.assert_allclose(one.side_weights_, other.side_weights_)

    def test_constant_columns(self):
        stump = DecisionStump().fit(np.ones((5, 2)), ["a", "b", "b", "b", "a"])
        assert stump.feature_ == -1 and set(stump.predict(np.zeros((3, 2)))) == {"b"}
        np.testing.assert_allclose(stump.predict_proba([[7.0, 7.0]]), [[0.4, 0.6]])

    def test_the_shares_of_a_side(self):
        stump = DecisionStump().fit([[0.0], [1], [2], [3]], [0, 0, 1, 0], [1, 1, 3, 1])
        np.testing.assert_allclose(stump.predict_proba([[0.5], [2.5]]), [[1, 0], [0.25, 0.75]])


# ---------------------------------------------------------------------------------------------------------------
# AdaBoost
# ---------------------------------------------------------------------------------------------------------------
class TestWorkedExample:
    model = AdaBoostClassifier(n_estimators=3).fit(ten.data, ten.target)

    def test_errors_and_steps(self):
        np.testing.assert_allclose(self.model.errors_, [3 / 10, 3 / 14, 3 / 22])
        np.testing.assert_array_equal(self.model.alphas_.round(2), [0.42, 0.65, 0.92])

    def test_the_weights(self):
        """From exact fractions; E's 0.2144, 0.1365 and 0.3644 come from rounded weights."""
        np.testing.assert_allclose(self.model.sample_weights_[0], 0.1)
        second = self.model.sample_weights_[1]
        wrong = self.model.estimators_[0].predict(ten.data) != (ten.target > 0)
        np.testing.assert_allclose(second[wrong], 1 / 6)
        np.testing.assert_allclose(second[~wrong], 1 / 14)

    def test_three_stumps_separate_the_points(self):
        assert self.model.score(ten.data, ten.target) == 1.0
        two = AdaBoostClassifier(n_estimators=2).fit(ten.data, ten.target)
        assert two.score(ten.data, ten.target) < 1.0


class TestAdaBoost:
    @pytest.mark.parametrize("rounds", [1, 5, 40])
    def test_against_scikit_learn(self, rounds):
        """The same stumps are best by Gini and by error here or not: theirs is given our stumps as its estimator."""

        class Stump(SkTree):
            """scikit-learn's interface around our stump."""

            def fit(self, X, y, sample_weight=None, check_input=True):
                self.inner_ = DecisionStump().fit(X, y, sample_weight)
                self.classes_, self.n_classes_ = self.inner_.classes_, len(self.inner_.classes_)
                return self

            def predict(self, X, check_input=True):
                return self.inner_.predict(X)

        ours = AdaBoostClassifier(n_estimators=rounds).fit(X_moons, y_moons)
        theirs = sk.AdaBoostClassifier(Stump(), n_estimators=rounds).fit(X_moons, y_moons)
        np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_[: len(ours.errors_)], atol=1e-9)
        np.testing.assert_allclose(2 * ours.alphas_, theirs.estimator_weights_[: len(ours.alphas_)], rtol=1e-7)
        np.testing.assert_array_equal(ours.predict(X_moons), theirs.predict(X_moons))

    def test_multi_class_against_scikit_learn(self):
        ours = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=30).fit(iris.data, iris.target)
        theirs = sk.AdaBoostClassifier(SkTree(max_depth=1, random_state=0), n_estimators=30).fit(iris.data, iris.target)
        assert abs(ours.score(iris.data, iris.target) - theirs.score(iris.data, iris.target)) < 0.03
        np.testing.assert_allclose(2 * ours.alphas_[:2], theirs.estimator_weights_[:2])
        np.testing.assert_allclose(ours.predict_proba(iris.data).sum(axis=1), 1)

    def test_the_last_member_is_useless_on_the_new_weights(self):
        model = AdaBoostClassifier(n_estimators=20).fit(X_moons, y_moons)
        for t in range(19):
            wrong = model.estimators_[t].predict(X_moons) != y_moons
            assert model.sample_weights_[t + 1][wrong].sum() == pytest.approx(0.5)
        three = AdaBoostClassifier(n_estimators=5).fit(iris.data, iris.target)
        wrong = three.estimators_[0].predict(iris.data) != iris.target
        assert three.sample_weights_[1][wrong].sum() == pytest.approx(2 / 3)

    def test_alpha_by_line_search(self):
        model = AdaBoostClassifier(n_estimators=8).fit(X_moons, y_moons)
        sign = 2 * y_moons - 1
        F = np.zeros(300)
        for member, alpha in zip(model.estimators_, model.alphas_, strict=True):
            h = 2 * member.predict(X_moons) - 1
            found = optimize.minimize_scalar(lambda a, F=F, h=h: np.exp(-sign * (F + a * h)).sum(), bounds=(0, 5))
            assert found.x == pytest.approx(alpha, abs=1e-4)
            F = F + alpha * h

    def test_three_ways_to_change_the_weights_are_one(self):
        weight = rng.dirichlet(np.ones(30))
        wrong = rng.random(30) < 0.3
        error = weight[wrong].sum()
        alpha = 0.5 * math.log((1 - error) / error)
        ways = (
            weight * np.exp(np.where(wrong, alpha, -alpha)),
            weight * np.where(wrong, (1 - error) / error, 1),
            weight * np.where(wrong, 1, error / (1 - error)),
        )
        for way in ways:
            np.testing.assert_allclose(reweighted(weight, wrong, error, 2), way / way.sum())

    def test_training_error_stays_below_its_bound(self):
        model = AdaBoostClassifier(n_estimators=60).fit(X_moons, y_moons)
        bound = np.cumprod(2 * np.sqrt(model.errors_ * (1 - model.errors_)))
        sign = 2 * y_moons - 1
        for t, F in enumerate(model.staged_decision_function(X_moons)):
            assert np.exp(-sign * F).mean() == pytest.approx(bound[t])
            assert np.mean(sign * F <= 0) <= bound[t] + 1e-12

    def test_a_perfect_stump_ends_the_rounds(self):
        X = np.arange(10.0)[:, None]
        model = AdaBoostClassifier(n_estimators=20).fit(X, X[:, 0] > 4)
        assert len(model.estimators_) == 1 and model.errors_[0] == 0 and model.alphas_.tolist() == [1.0]
        assert model.score(X, X[:, 0] > 4) == 1 and np.isfinite(model.predict_proba(X)).all()

    def test_a_perfect_member_that_comes_late_decides_alone(self):
        class Late(DecisionTreeClassifier):
            count = 0

            def fit(self, X, y, sample_weight=None):
                Late.count += 1
                self.max_depth = 1 if Late.count == 1 else None
                return super().fit(X, y, sample_weight)

        model = AdaBoostClassifier(Late(), n_estimators=5).fit(X_moons, y_moons)
        assert model.alphas_.tolist() == [0.0, 1.0] and model.score(X_moons, y_moons) == 1

    def test_a_useless_stump(self):
        X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
        model = AdaBoostClassifier(n_estimators=20).fit(X, [0, 1, 1, 0])
        assert len(model.estimators_) == 1 and model.errors_[0] == pytest.approx(0.5)
        assert np.isfinite(model.decision_function(X)).all() and np.isfinite(model.predict_proba(X)).all()
        X, y = make_xor(200, random_state=0)
        assert np.isfinite(AdaBoostClassifier().fit(X, y).alphas_).all()

    def test_one_class(self):
        model = AdaBoostClassifier().fit(X_moons, np.full(300, "only"))
        assert set(model.predict(X_moons)) == {"only"} and (model.predict_proba(X_moons) == 1).all()

    def test_an_estimator_without_weights_draws_rows(self):
        model = AdaBoostClassifier(KNeighborsClassifier(5), n_estimators=10, random_state=0).fit(X_moons, y_moons)
        again = AdaBoostClassifier(KNeighborsClassifier(5), n_estimators=10, random_state=0).fit(X_moons, y_moons)
        np.testing.assert_array_equal(model.decision_function(X_moons), again.decision_function(X_moons))
        assert model.score(X_moons, y_moons) > 0.85 and (model.errors_ < 0.5).all()

    def test_staged_scores_end_in_the_score(self):
        for model, X, y in (
            (AdaBoostClassifier(n_estimators=7), X_moons, y_moons),
            (AdaBoostClassifier(n_estimators=7), iris.data, iris.target),
        ):
            stages = list(model.fit(X, y).staged_decision_function(X))
            assert len(stages) == 7
            np.testing.assert_array_equal(stages[-1], model.decision_function(X))

    def test_iter_fit(self):
        model = AdaBoostClassifier(n_estimators=6)
        scores = [m.score(X_moons, y_moons) for m in model.iter_fit(X_moons, y_moons)]
        assert len(scores) == 6 and scores[-1] == AdaBoostClassifier(n_estimators=6).fit(X_moons, y_moons).score(
            X_moons, y_moons
        )

    def test_starting_weights(self):
        weight = rng.integers(0, 4, 300).astype(float)
        repeated = np.repeat(np.arange(300), weight.astype(int))
        one = AdaBoostClassifier(n_estimators=10).fit(X_moons, y_moons, weight)
        other = AdaBoostClassifier(n_estimators=10).fit(X_moons[repeated], y_moons[repeated])
        np.testing.assert_allclose(one.decision_function(X_moons), other.decision_function(X_moons))

    @pytest.mark.parametrize("estimator", [3, DecisionStump])
    def test_what_is_no_classifier(self, estimator):
        with pytest.raises(ValueError, match="estimator must"):
            AdaBoostClassifier(estimator).fit(X_moons, y_moons)


class TestAdaBoostedTree:
    def test_depth_one_is_boosting_of_gini_stumps(self):
        ours = AdaBoostedTree(max_depth=1, n_estimators=10).fit(X_moons, y_moons)
        theirs = sk.AdaBoostClassifier(SkTree(max_depth=1, random_state=0), n_estimators=10).fit(X_moons, y_moons)
        np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_)

    def test_a_full_tree_leaves_nothing_to_boost(self):
        model = AdaBoostedTree(max_depth=50).fit(X_moons, y_moons)
        assert len(model.estimators_) == 1 and model.errors_[0] == 0

    def test_weights_by_drawing(self):
        model = AdaBoostedTree(max_depth=2, n_estimators=15, resample=True, random_state=0).fit(X_moons, y_moons)
        assert model.score(X_moons, y_moons) > 0.9


# ---------------------------------------------------------------------------------------------------------------
# Gradient boosting
# ---------------------------------------------------------------------------------------------------------------
class TestRegressor:
    @pytest.mark.parametrize("depth", [1, 3])
    @pytest.mark.parametrize("rate", [0.1, 1.0])
    def test_against_scikit_learn(self, depth, rate):
        X = rng.normal(size=(400, 5))  # continuous: no ties
        y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=400)
        options = {"n_estimators": 30, "max_depth": depth, "learning_rate": rate, "min_samples_leaf": 5}
        ours = GradientBoostingRegressor(**options).fit(X, y)
        theirs = sk.GradientBoostingRegressor(**options, random_state=0).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
        np.testing.assert_allclose(2 * np.array(ours.train_loss_), theirs.train_score_, rtol=1e-6)

    def test_each_tree_is_a_regression_of_the_residuals(self):
        """Rebuilt with scikit-learn's trees, and the notes' own line search, which gives 1."""
        X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
        model = GradientBoostingRegressor(n_estimators=5, learning_rate=0.5, max_depth=2, init="zero").fit(X, y)
        scores = np.zeros(200)
        for stage in model.staged_predict(X):
            residuals = y - scores
            g = SkTreeRegressor(max_depth=2, random_state=0).fit(X, residuals).predict(X)
            assert (g @ residuals) / (g @ g) == pytest.approx(1)
            scores = scores + 0.5 * g
            np.testing.assert_allclose(stage, scores, atol=1e-9)

    def test_the_training_loss_never_rises(self):
        for rate in (0.1, 1.0, 1.9):
            model = GradientBoostingRegressor(learning_rate=rate).fit(diabetes.data, diabetes.target)
            assert (np.diff(model.train_loss_) <= 1e-9).all()

    def test_starting_points(self):
        model = GradientBoostingRegressor(n_estimators=1).fit(diabetes.data, diabetes.target)
        assert model.initial_score_ == pytest.approx(diabetes.target.mean())
        assert (
            GradientBoostingRegressor(n_estimators=1, init="zero").fit(diabetes.data, diabetes.target).initial_score_
            == 0
        )

    def test_subsamples(self):
        options = {"n_estimators": 60, "subsample": 0.5}
        X, y = diabetes.data, diabetes.target
        one, two = (GradientBoostingRegressor(random_state=1, **options).fit(X[::2], y[::2]) for _ in range(2))
        np.testing.assert_array_equal(one.predict(X), two.predict(X))
        theirs = sk.GradientBoostingRegressor(random_state=1, **options).fit(X[::2], y[::2])
        assert abs(one.score(X[1::2], y[1::2]) - theirs.score(X[1::2], y[1::2])) < 0.06
        assert not np.allclose(
            one.predict(X), GradientBoostingRegressor(n_estimators=60).fit(X[::2], y[::2]).predict(X)
        )


class TestClassifier:
    def test_against_scikit_learn(self):
        X = rng.normal(size=(500, 5))
        y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=500) > 0).astype(int)
        options = {"n_estimators": 30, "max_depth": 3, "min_samples_leaf": 5}
        ours = GradientBoostingClassifier(**options).fit(X, y)
        theirs = sk.GradientBoostingClassifier(**options, random_state=0).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)

    def test_real_data(self):
        X, y = cancer.data, cancer.target
        ours = GradientBoostingClassifier().fit(X[::2], y[::2])
        theirs = sk.GradientBoostingClassifier(random_state=0).fit(X[::2], y[::2])
        assert abs(ours.score(X[1::2], y[1::2]) - theirs.score(X[1::2], y[1::2])) < 0.03

    def test_a_step_is_newtons(self):
        """In each leaf of the first tree: one step of Newton's method on the summed loss, by finite differences."""
        model = GradientBoostingClassifier(n_estimators=1, learning_rate=1.0, max_depth=2).fit(X_moons, y_moons)
        leaf, start = model.estimators_[0].apply(X_moons), model.initial_score_

        def loss(step, rows):
            return np.sum(np.logaddexp(0, start + step) - y_moons[rows] * (start + step))

        for node in np.unique(leaf):
            rows = leaf == node
            h = 1e-4
            slope = (loss(h, rows) - loss(-h, rows)) / (2 * h)
            curvature = (loss(h, rows) - 2 * loss(0, rows) + loss(-h, rows)) / h**2
            assert model.leaf_values_[0][node] == pytest.approx(-slope / curvature, rel=1e-3)

    def test_labels_and_probabilities(self):
        words = np.where(y_moons == 1, "up", "down")
        model = GradientBoostingClassifier(n_estimators=20).fit(X_moons, words)
        P = model.predict_proba(X_moons)
        np.testing.assert_allclose(P.sum(axis=1), 1)
        np.testing.assert_array_equal(model.predict(X_moons), np.where(P[:, 1] > 0.5, "up", "down"))

    def test_separable_data_stay_finite(self):
        X = np.r_[np.zeros(20), np.ones(20)][:, None]
        model = GradientBoostingClassifier(n_estimators=500, learning_rate=1.9).fit(X, X[:, 0] > 0.5)
        assert np.isfinite(model.decision_function(X)).all() and model.score(X, X[:, 0] > 0.5) == 1

    def test_three_classes_are_refused(self):
        with pytest.raises(ValueError, match="binary"):
            GradientBoostingClassifier().fit(iris.data, iris.target)


def test_sample_weights_are_repetitions():
    weight = rng.integers(0, 3, 300)
    repeated = np.repeat(np.arange(300), weight)
    for model in (GradientBoostingRegressor(n_estimators=10), GradientBoostingClassifier(n_estimators=10)):
        one = model.fit(X_moons, y_moons, weight).predict(X_moons)
        two = model.fit(X_moons[repeated], y_moons[repeated]).predict(X_moons)
        np.testing.assert_allclose(one.astype(float), two.astype(float), atol=1e-9)


@pytest.mark.parametrize("weights", [(1.0, 1e20), (1e-100, 1e100), (1e100, 1e-100)])
def test_gradient_boosting_starts_from_the_log_odds_of_any_weights(weights):
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    model = GradientBoostingClassifier(n_estimators=3).fit(X, y, sample_weight=np.take(weights, y))
    assert model.initial_score_ == pytest.approx(np.log(weights[1]) - np.log(weights[0]))
    assert np.isfinite(model.train_loss_).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_adaboost_refuses_a_regressor():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 1, 1, 0, 1, 1])
    with pytest.raises(ValueError, match="no class"):
        AdaBoostClassifier(GradientBoostingRegressor(n_estimators=2)).fit(X, y)


def test_adaboost_leaves_it_to_its_members_what_x_may_hold():
    X = np.where(rng.random((80, 3)) < 0.2, np.nan, rng.normal(size=(80, 3)))
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int)
    for learner in (make_pipeline(SimpleImputer(), DecisionTreeClassifier(max_depth=2)), DecisionTreeClassifier()):
        model = AdaBoostClassifier(learner, n_estimators=5, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.8
    assert AdaBoostedTree(n_estimators=5).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostClassifier().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(X, y)
