"""Chapter 6 against scikit-learn, brute force, and the worked number of notes A (79)."""

import itertools
import warnings
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import multiclass as sk
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.linear_model import Perceptron as SkPerceptron
from sklearn.linear_model import Ridge as SkRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as SkTree

from mlcore import multiclass
from mlcore.base import NotFittedError
from mlcore.datasets import load_digits, load_iris, load_wine
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.discriminant_analysis import LinearDiscriminantAnalysis
from mlcore.linear_regression import LinearRegression
from mlcore.logistic_regression import LogisticRegression
from mlcore.multiclass import (
    DAGClassifier,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    _draw_columns,
    confidence,
    exhaustive_code,
    hamming_decode,
    random_code,
    row_distances,
    vote_matrix,
)

rng = np.random.default_rng(6)
CONFORMANCE_INSTANCES = {
    "OneVsOneClassifier": [OneVsOneClassifier(DecisionTreeClassifier()), OneVsOneClassifier(LogisticRegression())],
    "OneVsRestClassifier": [OneVsRestClassifier(DecisionTreeClassifier()), OneVsRestClassifier(LogisticRegression())],
    "OutputCodeClassifier": [OutputCodeClassifier(DecisionTreeClassifier())],
    "DAGClassifier": [DAGClassifier(DecisionTreeClassifier())],
}

iris, wine, digits = load_iris(), load_wine(), load_digits()
NAMES = np.asarray(iris.target_names)[iris.target]
BASES = [SkLogistic(), SkTree(max_depth=3, random_state=0), LinearDiscriminantAnalysis(), DecisionTreeClassifier()]


class ByTable:
    """A "classifier" of pairs whose answers stand in a table: the winner of every duel, wherever it is asked."""

    def __init__(self, says=1):
        self.says = says

    def get_params(self, deep=True):
        return {"says": self.says}

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.says)


def with_duels(model, winners, n_classes):
    """A fitted model of duels with given winners."""
    model.classes_, model.n_features_in_ = np.arange(n_classes), 1
    model.pairs_ = list(itertools.combinations(range(n_classes), 2))
    model.estimators_ = [ByTable(int(winners[pair] == pair[0])) for pair in model.pairs_]
    return model


# ---------------------------------------------------------------------------------------------------------------
# One against one, and the knockout
# ---------------------------------------------------------------------------------------------------------------
class TestOneVsOne:
    @pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
    @pytest.mark.parametrize("data", [iris, wine], ids=["iris", "wine"])
    def test_against_scikit_learn(self, base, data):
        X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
        ours, theirs = OneVsOneClassifier(base).fit(X, data.target), sk.OneVsOneClassifier(base).fit(X, data.target)
        votes = np.sort(ours.votes(X), axis=1)
        clear = votes[:, -1] > votes[:, -2]
        np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
        if hasattr(base, "decision_function"):  # of probabilities theirs subtracts no half: ties favour later classes
            np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
            np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)

    def test_the_vote_matrix_of_the_notes(self):
        """A (79): the rows add up to 2, 1, 3, 0, and the third class wins."""
        winners = {(0, 1): 0, (0, 2): 2, (0, 3): 0, (1, 2): 2, (1, 3): 1, (2, 3): 2}
        model = with_duels(OneVsOneClassifier(ByTable()), winners, 4)
        A = vote_matrix(model, [0.0])
        np.testing.assert_array_equal(A, [[0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0]])
        np.testing.assert_array_equal(A.sum(axis=1), [2, 1, 3, 0])
        np.testing.assert_array_equal(model.votes([[0.0]]), [[2, 1, 3, 0]])
        assert model.predict([[0.0]]) == [2]

    def test_number_of_classifiers_and_rows(self):
        X, y = digits.data, digits.target
        model = OneVsOneClassifier(LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1)).fit(X, y)
        assert len(model.estimators_) == 10 * 9 // 2
        assert model.score(X, y) > 0.98

    def test_a_circle_of_winners_is_decided_by_confidence_then_by_order(self):
        circle = {(0, 1): 0, (1, 2): 1, (0, 2): 2}
        model = with_duels(OneVsOneClassifier(ByTable()), circle, 3)
        assert model.predict([[0.0]]) == [0]
        strong = model.estimators_[2]  # 1 against 2
        strong.decision_function = lambda X: np.full(len(X), 5000.0)
        assert model.predict([[0.0]]) == [1]

    @pytest.mark.parametrize("size", [1e-30, 1.0, 1e30, 1e99])
    def test_equal_votes_are_decided_at_every_scale(self, size):
        """1 beats 2 beats 3 beats 1, with confidences 1, 2.5 and 3: the sums are -2, 1.5 and 0.5."""
        model = with_duels(OneVsOneClassifier(ByTable()), {(0, 1): 0, (1, 2): 1, (0, 2): 2}, 3)
        for member, sure in zip(model.estimators_, (1, -3, 2.5), strict=True):
            member.decision_function = lambda X, sure=sure: np.full(len(X), sure * size)
        assert model.predict([[0.0]]) == [1]

    def test_infinite_confidences_are_large_ones(self):
        model = with_duels(OneVsOneClassifier(ByTable()), {(0, 1): 0, (1, 2): 1, (0, 2): 2}, 3)
        for member, sure in zip(model.estimators_, (np.inf, -np.inf, np.inf), strict=True):
            member.decision_function = lambda X, sure=sure: np.full(len(X), sure)
        assert model.predict([[0.0]]) == [0]  # all sums are 0
        np.testing.assert_array_equal(model.decision_function([[0.0]]), [[1, 1, 1]])

    def test_votes_count_more_than_any_confidence(self):
        """1 and 2 win two duels, barely; 4 wins only one, but with great confidence."""
        winners = {(0, 1): 0, (0, 2): 0, (0, 3): 3, (1, 2): 1, (1, 3): 1, (2, 3): 2}
        model = with_duels(OneVsOneClassifier(ByTable()), winners, 4)
        for (i, j), member in zip(model.pairs_, model.estimators_, strict=True):
            sure = 1e9 if (i, j) == (0, 3) else 0.1
            sign = 1 if winners[i, j] == i else -1
            member.decision_function = lambda X, sure=sign * sure: np.full(len(X), sure)
        np.testing.assert_array_equal(model.votes([[0.0]]), [[2, 2, 1, 1]])
        assert model.predict([[0.0]]) == [1]
        scores = model.decision_function([[0.0]])[0]
        assert scores.argmax() == 1 and (np.abs(scores - [2, 2, 1, 1]) < 1 / 3).all()
        assert abs(scores[2]) < 1.1 and scores[3] > 1.33

    def test_votes_and_matrix_agree(self):
        model = OneVsOneClassifier(LogisticRegression()).fit(iris.data, NAMES)
        for i in (0, 70, 120):
            np.testing.assert_array_equal(vote_matrix(model, iris.data[i]).sum(axis=1), model.votes(iris.data[[i]])[0])

    def test_bad_points(self):
        model = OneVsOneClassifier(LogisticRegression()).fit(iris.data, NAMES)
        with pytest.raises(ValueError, match="one point"):
            vote_matrix(model, iris.data[:2])
        for wrong in (OneVsRestClassifier(LogisticRegression()).fit(iris.data, NAMES), LogisticRegression(), 3, None):
            with pytest.raises(ValueError, match="model of duels"):
                vote_matrix(wrong, iris.data[0])
        with pytest.raises(NotFittedError):
            vote_matrix(OneVsOneClassifier(LogisticRegression()), iris.data[0])

    @pytest.mark.parametrize("strategy", [OneVsOneClassifier, DAGClassifier])
    def test_a_row_of_a_table_is_a_point_with_names(self, strategy):
        table = pd.DataFrame(iris.data, columns=iris.feature_names)
        model = strategy(LogisticRegression()).fit(table, iris.target)
        plain = strategy(LogisticRegression()).fit(iris.data, iris.target)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(vote_matrix(model, table.iloc[70]), vote_matrix(plain, iris.data[70]))
        with pytest.raises(ValueError, match="same order"):
            vote_matrix(model, table.iloc[70, ::-1])


class TestDAG:
    @given(st.integers(3, 6), st.integers(0, 10**6))
    @settings(max_examples=60, deadline=None)
    def test_the_knockout_by_its_definition(self, K, seed):
        numbers = np.random.default_rng(seed)
        winners = {pair: pair[numbers.integers(2)] for pair in itertools.combinations(range(K), 2)}
        model = with_duels(DAGClassifier(ByTable()), winners, K)
        left, duels = list(range(K)), []
        while len(left) > 1:
            pair = left[0], left[-1]
            duels.append((*pair, winners[pair]))
            left.remove(pair[0] if winners[pair] == pair[1] else pair[1])
        assert model.predict([[0.0]]) == left
        assert model.duels([0.0]) == duels and len(duels) == K - 1

    def test_duels_of_one_point_only(self):
        model = DAGClassifier(LogisticRegression()).fit(iris.data, NAMES)
        with pytest.raises(ValueError, match="one point"):
            model.duels(iris.data[:1])

    def test_many_rows_at_once_and_one_by_one(self):
        model = DAGClassifier(SkTree(max_depth=2, random_state=0)).fit(digits.data, digits.target)
        alone = [model.duels(x)[-1][2] for x in digits.data[:60]]
        np.testing.assert_array_equal(model.predict(digits.data[:60]), alone)

    @pytest.mark.parametrize("data", [iris, wine], ids=["iris", "wine"])
    def test_whoever_beats_all_others_wins(self, data):
        dag = DAGClassifier(SkTree(random_state=0)).fit(data.data, data.target)
        ovo = OneVsOneClassifier(SkTree(random_state=0)).fit(data.data, data.target)
        clear = ovo.votes(data.data).max(axis=1) == len(dag.classes_) - 1
        assert clear.mean() > 0.9
        np.testing.assert_array_equal(dag.predict(data.data)[clear], ovo.predict(data.data)[clear])


# ---------------------------------------------------------------------------------------------------------------
# One against the rest
# ---------------------------------------------------------------------------------------------------------------
class TestOneVsRest:
    @pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
    def test_against_scikit_learn(self, base):
        X = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
        ours, theirs = OneVsRestClassifier(base).fit(X, wine.target), sk.OneVsRestClassifier(base).fit(X, wine.target)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    @pytest.mark.parametrize(
        ("p", "sure"),
        [(0.2, -np.log(4)), (0.5, 0.0), (0.75, np.log(3)), (1e-300, -300 * np.log(10)), (0, -1000), (1, 1000)],
    )
    def test_confidence_from_a_probability(self, p, sure):
        model = ByTable()
        model.classes_ = np.array([0, 1])
        model.predict_proba = lambda X: np.tile([1 - p, p], (len(X), 1))
        np.testing.assert_allclose(confidence(model, np.zeros((2, 1))), [sure, sure], rtol=1e-12)

    def test_confidence_from_yes_and_no(self):
        assert [confidence(ByTable(says), np.zeros((1, 1)))[0] for says in (0, 1)] == [-1000, 1000]

    def test_no_confidence_is_no_answer(self):
        model = ByTable()
        model.decision_function = lambda X: np.array([1.0, np.nan])
        with pytest.raises(ValueError, match="NaN or infinity for 1 of 2 rows"):
            confidence(model, np.zeros((2, 1)))

    def test_probabilities_near_one_are_told_apart(self):
        """Both say yes, with P(no) = 1e-20 and 1e-30: as floats, both P(yes) are 1."""
        model = OneVsRestClassifier(LogisticRegression()).fit(iris.data, iris.target)
        for member, no in zip(model.estimators_, (1e-20, 1e-30, 0.5), strict=True):
            model.estimators_[model.estimators_.index(member)] = stub = ByTable()
            stub.classes_ = np.array([0, 1])
            stub.predict_proba = lambda X, no=no: np.tile([no, 1 - no], (len(X), 1))
        assert model.predict(iris.data[:1]) == [1]

    def test_naive_bayes_with_saturated_probabilities(self):
        ours = OneVsRestClassifier(GaussianNB()).fit(digits.data[::2], digits.target[::2])
        theirs = sk.OneVsRestClassifier(GaussianNB()).fit(digits.data[::2], digits.target[::2])
        new = digits.data[1::2], digits.target[1::2]
        assert ours.score(*new) > theirs.score(*new) + 0.05

    def test_who_fires(self):
        model = OneVsRestClassifier(LogisticRegression()).fit(iris.data, NAMES)
        fired = model.fired(iris.data)
        for k, member in enumerate(model.estimators_):
            np.testing.assert_array_equal(fired[:, k], member.decision_function(iris.data) > 0)
        one = fired.sum(axis=1) == 1
        np.testing.assert_array_equal(model.predict(iris.data)[one], model.classes_[fired[one].argmax(axis=1)])
        assert (~one).any()  # versicolor lies between the others: nobody is sure of some

    def test_two_classes(self):
        two = iris.target < 2
        for strategy in (OneVsRestClassifier, OneVsOneClassifier):
            model = strategy(LogisticRegression()).fit(iris.data[two], NAMES[two])
            scores = model.decision_function(iris.data[two])
            assert scores.shape == (100,)
            np.testing.assert_array_equal(scores > 0, model.predict(iris.data[two]) == model.classes_[1])

    def test_confidence(self):
        y = (iris.target == 2).astype(int)
        for base in (SkLogistic(), SkTree(max_depth=2), LinearSVC(), SkPerceptron()):
            model = base.fit(iris.data, y)
            np.testing.assert_array_equal(confidence(model, iris.data) > 0, model.predict(iris.data) == 1)


# ---------------------------------------------------------------------------------------------------------------
# Codes
# ---------------------------------------------------------------------------------------------------------------
class TestCodes:
    @pytest.mark.parametrize("K", [2, 3, 5, 8])
    def test_exhaustive(self, K):
        code = exhaustive_code(K)
        assert code.shape == (K, 2 ** (K - 1) - 1)
        divisions = {tuple(column * column[0]) for column in code.T}
        every = {(1, *rest) for rest in itertools.product([-1, 1], repeat=K - 1)} - {(1,) * K}
        assert divisions == every
        distances = row_distances(code)[np.triu_indices(K, 1)]
        assert (distances == 2 ** (K - 2)).all()

    @pytest.mark.parametrize("K", [3, 4, 5, 6])
    def test_as_many_wrong_bits_are_corrected_as_promised(self, K):
        """Every pattern of that many wrong answers, or 2000 of them; and one more is too many for some."""
        code = exhaustive_code(K)
        capacity = (2 ** (K - 2) - 1) // 2
        for wrong in (capacity, capacity + 1):
            patterns = list(itertools.islice(itertools.combinations(range(code.shape[1]), wrong), 2000))
            failures = 0
            for flipped in patterns:
                words = code.copy()
                words[:, list(flipped)] *= -1
                failures += int((hamming_decode(words, code) != np.arange(K)).any())
            assert (failures == 0) == (wrong == capacity)

    @pytest.mark.parametrize(("K", "L"), [(2, 1), (3, 2), (5, 15), (6, 18), (10, 30), (12, 30), (100, 40)])
    def test_random(self, K, L):
        code = random_code(K, L, np.random.default_rng(0))
        assert code.shape == (K, L) and set(np.unique(code)) == {-1, 1}
        assert row_distances(code)[np.triu_indices(K, 1)].min() >= max(1, L // 4)
        assert (np.abs(code.sum(axis=0)) < K).all()
        assert (np.abs(code.T @ code - K * np.eye(L)) < K).all()  # no two columns equal or opposite

    @pytest.mark.parametrize(
        ("K", "L", "words"),
        [
            (5, 2, "2 bits cannot tell 5"),
            (32, 5, "make code_size larger"),
            (3, 4, "3 ways to divide 3 classes"),
        ],
    )
    def test_no_random_code(self, K, L, words):
        with pytest.raises(ValueError, match=words):
            random_code(K, L, np.random.default_rng(0))

    def test_the_best_of_many(self):
        """A single draw of the same columns is worse."""
        one = [
            row_distances(_draw_columns(10, 20, np.random.default_rng(k)))[np.triu_indices(10, 1)] for k in range(30)
        ]
        best = row_distances(random_code(10, 20, 0))[np.triu_indices(10, 1)].min()
        assert best > np.mean([distances.min() for distances in one]) + 2

    def test_large_codes_are_drawn_once(self, monkeypatch):
        """A draw costs K² L operations: a thousand of them for small codes, a single one for large ones."""
        for K, L, draws in ((5, 8, 1000), (200, 500, 50), (700, 2000, 1)):
            count = Mock(side_effect=_draw_columns)
            monkeypatch.setattr(multiclass, "_draw_columns", count)
            code = random_code(K, L, 0)
            assert count.call_count == draws
            assert len(np.unique(code, axis=0)) == K and set(np.unique(code[-1])) == {-1, 1}

    def test_seeds_of_random_codes(self):
        same = [random_code(6, 9, seed) for seed in (5, np.random.default_rng(5))]
        np.testing.assert_array_equal(*same)
        with pytest.raises(ValueError, match="random_state"):
            random_code(6, 9, "five")

    @pytest.mark.parametrize("K", [13, 10**6])
    def test_no_exhaustive_code(self, K):
        with pytest.raises(ValueError, match="12 classes"):
            exhaustive_code(K)

    def test_distances_by_counting(self):
        code = rng.integers(-1, 2, size=(6, 11))
        for i, j in itertools.product(range(6), repeat=2):
            pairs = zip(code[i], code[j], strict=True)
            assert row_distances(code)[i, j] == sum(0.5 if a * b == 0 else float(a != b) for a, b in pairs)

    def test_decoding_by_counting(self):
        code = rng.integers(-1, 2, size=(5, 9))
        bits = 2 * rng.integers(0, 2, size=(40, 9)) - 1
        for word, found in zip(bits, hamming_decode(bits, code), strict=True):
            costs = [sum(0.5 if c == 0 else float(b != c) for b, c in zip(word, row, strict=True)) for row in code]
            assert found == int(np.argmin(costs))

    def test_equal_distances_go_to_the_first_class(self):
        np.testing.assert_array_equal(hamming_decode([[1, -1], [-1, 1]], [[-1, -1], [1, 1]]), [0, 0])

    def test_one_against_one_is_a_ternary_code(self):
        """The same classifiers, and Hamming distance with ½ for a 0: the votes, turned round."""
        K = 3
        pairs = list(itertools.combinations(range(K), 2))
        code = np.zeros((K, len(pairs)), dtype=int)
        for column, (i, j) in enumerate(pairs):
            code[i, column], code[j, column] = 1, -1
        ecoc = OutputCodeClassifier(LogisticRegression(), code=code).fit(iris.data, iris.target)
        ovo = OneVsOneClassifier(LogisticRegression()).fit(iris.data, iris.target)
        distances = (len(pairs) - ecoc.bits(iris.data) @ code.T) / 2
        np.testing.assert_allclose(distances, (K - 1) - ovo.votes(iris.data) + (len(pairs) - K + 1) / 2)

    def test_one_against_the_rest_is_a_code_where_one_fires(self):
        code = 2 * np.eye(3, dtype=int) - 1
        ecoc = OutputCodeClassifier(LogisticRegression(), code=code).fit(iris.data, iris.target)
        ovr = OneVsRestClassifier(LogisticRegression()).fit(iris.data, iris.target)
        one = ovr.fired(iris.data).sum(axis=1) == 1
        np.testing.assert_array_equal(ecoc.predict(iris.data)[one], ovr.predict(iris.data)[one])


class TestOutputCode:
    @pytest.mark.parametrize("code", ["exhaustive", "random"])
    def test_words_as_labels(self, code):
        model = OutputCodeClassifier(DecisionTreeClassifier(max_depth=4), code=code, random_state=0)
        assert model.fit(iris.data, NAMES).score(iris.data, NAMES) > 0.97

    def test_against_scikit_learn_with_the_same_code(self):
        """Theirs draws its own code and compares real confidences; given its code and hard answers, all agrees."""
        few = digits.data[::3], digits.target[::3]
        theirs = sk.OutputCodeClassifier(SkTree(random_state=0), code_size=2, random_state=1).fit(*few)
        code = np.where(theirs.code_book_ > 0, 1, -1)
        ours = OutputCodeClassifier(SkTree(random_state=0), code=code).fit(*few)
        np.testing.assert_array_equal(ours.predict(digits.data), theirs.predict(digits.data))

    def test_a_longer_code_is_more_accurate(self):
        X, y = digits.data[::3], digits.target[::3]
        scores = [
            OutputCodeClassifier(SkTree(random_state=0), code="random", code_size=size, random_state=0)
            .fit(X, y).score(digits.data[1::2], digits.target[1::2])
            for size in (1, 5)
        ]  # fmt: skip
        assert scores[1] > scores[0] + 0.05

    def test_opposite_columns_are_learned_twice_and_correct_nothing_more(self):
        code = exhaustive_code(4)
        doubled = np.hstack([code, -code])
        X, y = digits.data[digits.target < 4], digits.target[digits.target < 4]
        once, twice = (OutputCodeClassifier(LogisticRegression(), code=c).fit(X[::2], y[::2]) for c in (code, doubled))
        np.testing.assert_array_equal(twice.bits(X)[:, 7:], -twice.bits(X)[:, :7])
        np.testing.assert_array_equal(once.predict(X), twice.predict(X))

    def test_reproducible(self):
        one, two = (
            OutputCodeClassifier(SkTree(), code="random", random_state=3).fit(wine.data, wine.target) for _ in range(2)
        )
        np.testing.assert_array_equal(one.code_, two.code_)
        np.testing.assert_array_equal(one.predict(wine.data), two.predict(wine.data))

    def test_a_seed_of_the_estimator_is_kept_and_a_missing_one_is_drawn(self):
        seeds = {}
        for own in (None, 7):
            model = OutputCodeClassifier(SkTree(random_state=own), random_state=0).fit(wine.data, wine.target)
            seeds[own] = [member.random_state for member in model.estimators_]
        assert seeds[7] == [7, 7, 7] and len({*seeds[None]}) == 3 and None not in seeds[None]

    def test_seeds_inside_a_pipeline(self):
        """A step without a seed gets one: the same fit twice is the same model."""
        pipe = make_pipeline(StandardScaler(), SkTree(max_features=2))
        one, two, other = (OutputCodeClassifier(pipe, random_state=k).fit(wine.data, wine.target) for k in (3, 3, 4))
        seeds = [[member[-1].random_state for member in model.estimators_] for model in (one, two, other)]
        assert seeds[0] == seeds[1] != seeds[2] and None not in seeds[0]
        np.testing.assert_array_equal(one.bits(wine.data), two.bits(wine.data))

    @pytest.mark.parametrize(("K", "size", "L"), [(2, 3, 1), (3, 3, 3), (4, 1.5, 6), (8, 1e-9, 3), (10, 3, 30)])
    def test_how_long_a_random_code_is(self, K, size, L):
        """size · K bits, but enough to tell K classes apart, and no more than there are divisions."""
        X, y = np.repeat(np.eye(K), 2, axis=0), np.repeat(np.arange(K), 2)
        model = OutputCodeClassifier(SkTree(), code="random", code_size=size, random_state=0).fit(X, y)
        assert model.code_.shape == (K, L)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"code": np.ones((2, 3))}, "2 rows, but there are 3 classes"),
            ({"code": [[1, 1], [1, 1], [-1, -1]]}, "rows 0 and 1 of code are equal"),
            ({"code": [[1, 1], [1, -1], [1, 1]]}, "column 0"),
            ({"code": [[1, 0], [-1, 1], [1, 1]]}, "column 1"),
            ({"code": [[1, 0], [0, 1], [1, 1]]}, "takes no part"),
            ({"code": [[1, 1], [-1, 1], [1, 1], [1, -1]]}, "4 rows, but there are 3 classes"),
            ({"code": [[1, 1, -1], [-1, -1, 1], [-1, -1, 1]]}, "rows 1 and 2 of code are equal"),
        ],
    )
    def test_codes_that_tell_no_classes_apart(self, options, words):
        with pytest.raises(ValueError, match=words):
            OutputCodeClassifier(SkTree(), **options).fit(iris.data, iris.target)

    def test_too_many_classes_for_all_divisions(self):
        y = np.arange(130) % 13
        with pytest.raises(ValueError, match=r"2\^12 - 1 columns"):
            OutputCodeClassifier(SkTree()).fit(rng.normal(size=(130, 2)), y)


@pytest.mark.parametrize("strategy", [OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier, DAGClassifier])
class TestEveryStrategy:
    def test_one_class(self, strategy):
        with pytest.raises(ValueError, match="one class"):
            strategy(LogisticRegression()).fit(iris.data, np.zeros(150, int))

    @pytest.mark.parametrize(
        "estimator",
        [None, 3, LogisticRegression, SkTree, "tree", LinearRegression(), make_pipeline(StandardScaler(), SkRidge())],
    )
    def test_bad_estimator(self, strategy, estimator):
        with pytest.raises(ValueError, match="estimator must be a classifier"):
            strategy(estimator).fit(iris.data, iris.target)

    def test_groups_are_no_classes(self, strategy):
        with pytest.raises(ValueError, match="a classifier .* is needed, got KMeans"):
            strategy(KMeans(2)).fit(iris.data, iris.target)

    @pytest.mark.parametrize("labels", [NAMES, NAMES.astype(object), iris.target * 2.0, iris.target == 1])
    def test_labels_of_all_kinds(self, strategy, labels):
        model = strategy(LinearDiscriminantAnalysis()).fit(iris.data, labels)
        predicted = model.predict(iris.data)
        assert predicted.dtype == model.classes_.dtype and (predicted == labels).mean() > 0.7

    def test_a_class_with_one_row_and_constant_columns(self, strategy):
        X, y = np.c_[np.arange(12.0), np.ones(12)], np.repeat([0, 1, 2], [6, 5, 1])
        np.testing.assert_array_equal(strategy(SkTree()).fit(X, y).predict(X), y)

    def test_a_pipeline(self, strategy):
        """The scaler belongs to the member: the rows of a task are scaled by themselves."""
        model = strategy(make_pipeline(StandardScaler(), SkLogistic())).fit(wine.data, wine.target)
        assert model.score(wine.data, wine.target) > 0.95
        means = [member[0].mean_[0] for member in model.estimators_]
        assert np.ptp(means) == 0 if strategy in (OneVsRestClassifier, OutputCodeClassifier) else np.ptp(means) > 0.1

    def test_the_estimator_is_copied(self, strategy):
        base = DecisionTreeClassifier()
        strategy(base).fit(iris.data, iris.target)
        assert not hasattr(base, "tree_")

    @pytest.mark.parametrize("base", [SkPerceptron(random_state=0), LinearSVC(), DecisionTreeClassifier(max_depth=3)])
    def test_any_classifier(self, strategy, base):
        X = (iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0)
        # three bits of the exhaustive code correct nothing, and no line tells the middle species from the others
        least = 0.7 if strategy is OutputCodeClassifier else 0.85
        assert strategy(base).fit(X, NAMES).score(X, NAMES) > least

    @pytest.mark.parametrize("base", [LogisticRegression(alpha=0.1), DecisionTreeClassifier(max_depth=4)])
    def test_a_whole_weight_is_a_row_repeated(self, strategy, base):
        """Weights 0, 1, 2, 3 against rows left out and repeated."""
        counts = np.random.default_rng(0).integers(0, 4, size=150)
        weighted = strategy(base).fit(iris.data, NAMES, sample_weight=counts)
        repeated = strategy(base).fit(np.repeat(iris.data, counts, axis=0), np.repeat(NAMES, counts))
        np.testing.assert_array_equal(weighted.predict(iris.data), repeated.predict(iris.data))
        without = strategy(base).fit(iris.data, NAMES, sample_weight=(NAMES != "setosa").astype(float))
        assert without.classes_.tolist() == ["versicolor", "virginica"]
        even = strategy(base).fit(iris.data, NAMES)
        assert (weighted.predict(iris.data) != even.predict(iris.data)).any()

    def test_weights_that_cannot_be_used(self, strategy):
        with pytest.raises(ValueError, match="fit of KNeighborsClassifier takes none"):
            strategy(KNeighborsClassifier()).fit(iris.data, NAMES, sample_weight=np.ones(150))
        with pytest.raises(ValueError, match="only class .*virginica.* has a weight"):
            strategy(LogisticRegression()).fit(iris.data, NAMES, sample_weight=(NAMES == "virginica").astype(float))
        with pytest.raises(ValueError, match="has 3 entries, but there are 150"):
            strategy(LogisticRegression()).fit(iris.data, NAMES, sample_weight=[1, 2, 3])

    def test_a_bag_without_a_class(self, strategy):
        """Some bags of eight rows lack one of five classes (they pass weights of 0); together they are right."""
        X = np.repeat(np.eye(5) * 10, 4, axis=0)
        y = np.repeat(["a", "b", "c", "d", "e"], 4)
        bags = BaggingClassifier(strategy(SkTree()), n_estimators=30, max_samples=8, random_state=0).fit(X, y)
        seen = {len(bag.classes_) for bag in bags.estimators_}
        assert min(seen) < 5
        assert bags.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("bits", "code", "words"),
    [
        ([[1, 0]], [[1, 1]], r"\+1 and -1 only, got 0"),
        ([[1, 1]], [[1, 1, 1]], "2 places and the code has 3"),
        ([[1, 1]], [[2, 1]], r"\+1, -1 and 0"),
    ],
)
def test_bad_words(bits, code, words):
    with pytest.raises(ValueError, match=words):
        hamming_decode(bits, code)


@pytest.mark.parametrize("strategy", [OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier, DAGClassifier])
class TestTheMemberDecides:
    """What X may hold is the member's business: the strategy looks at its shape only."""

    def test_missing_values(self, strategy):
        X = iris.data.copy()
        X[::7, 0] = np.nan
        filled = SimpleImputer().fit_transform(X)
        pipe = make_pipeline(SimpleImputer(), DecisionTreeClassifier(max_depth=3))
        assert strategy(pipe).fit(X, NAMES).score(X, NAMES) > 0.9
        with pytest.raises(ValueError, match="NaN"):
            strategy(LogisticRegression()).fit(X, NAMES)
        plain = strategy(LogisticRegression()).fit(filled, NAMES)
        piped = strategy(make_pipeline(SimpleImputer(), LogisticRegression())).fit(filled, NAMES)
        np.testing.assert_array_equal(piped.predict(filled), plain.predict(filled))

    def test_words_by_the_names_of_their_columns(self, strategy):
        table = pd.DataFrame({"size": iris.data[:, 0], "colour": np.array(["red", "green", "blue"])[iris.target]})
        encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = strategy(make_pipeline(encode, SkTree(max_depth=4))).fit(table, NAMES)
            assert model.score(table, NAMES) == 1.0

    def test_words_in_a_list(self, strategy):
        rows = [["red", 1.5], ["green", 0.5], ["blue", -1.0]] * 10
        encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0]), remainder="passthrough")
        assert strategy(make_pipeline(encode, SkTree())).fit(rows, [0, 1, 2] * 10).score(rows, [0, 1, 2] * 10) == 1.0
