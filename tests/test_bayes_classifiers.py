"""Bayes classifiers against scikit-learn, sums over every possible row, brute force over all trees, and the melons."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import multivariate_normal, norm
from sklearn import naive_bayes as sk
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline

from mlcore.bayes_classifiers import (
    AODE,
    SPODE,
    TAN,
    BagOfWords,
    CategoricalNB,
    GaussianBayes,
    GaussianNB,
    MixedNB,
    MultinomialNB,
    bayes_decision,
    conditional_mutual_information,
    counts,
    gaussian,
    maximum_spanning_tree,
    naive,
    semi_naive,
    text,
)
from mlcore.datasets import load_iris, load_watermelon2, load_watermelon3, load_wine

CONFORMANCE_INSTANCES = {
    "GaussianBayes": [GaussianBayes(shrinkage=0.1)],  # without, it refuses classes of a few rows
}

MELONS, MELONS3 = load_watermelon2(), load_watermelon3()
C, Y = MELONS.data, MELONS.target
COUNTED = [CategoricalNB, MixedNB, SPODE, TAN, AODE]
GAUSSIAN = [GaussianNB, MixedNB]


def table(n=60, sizes=(3, 2, 4), K=2, seed=0):
    """Random codes in which every value and every class occurs."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.append(np.arange(N), rng.integers(N, size=n - N)) for N in sizes])
    return X, np.append(np.arange(K), rng.integers(K, size=n - K))


def every_row(model):
    grid = list(itertools.product(*model.categories_))
    return np.array(grid, dtype=object if isinstance(grid[0][0], str) else float)


def total(model):
    return np.exp(model.predict_joint_log_proba(every_row(model))).sum()


def clouds(n=90, d=3, K=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y]
    return X * (1 + y[:, np.newaxis]), y


# ---------------------------------------------------------------------------------------------------------------
# Decisions
# ---------------------------------------------------------------------------------------------------------------
class TestDecision:
    def test_takes_the_row_of_least_expected_loss(self):
        rng = np.random.default_rng(0)
        P, loss = rng.dirichlet(np.ones(3), size=40), rng.uniform(size=(5, 3))
        slow = [min(range(5), key=lambda i, p=p: sum(loss[i, j] * p[j] for j in range(3))) for p in P]
        assert_array_equal(bayes_decision(P, loss), slow)
        assert bayes_decision(P[0], loss) == slow[0]

    def test_rows_are_decisions(self):
        loss = [[0, 10], [1, 0]]
        assert bayes_decision([0.8, 0.2], loss) == 1
        assert bayes_decision([0.8, 0.2], np.transpose(loss)) == 0

    def test_zero_one_loss_takes_the_most_probable(self):
        P = np.random.default_rng(1).dirichlet(np.ones(4), size=30)
        assert_array_equal(bayes_decision(P, 1 - np.eye(4)), P.argmax(axis=1))

    def test_of_equal_risks_the_first(self):
        assert bayes_decision([0.5, 0.5], [[1, 1], [0, 2], [2, 0]]) == 0

    def test_no_rule_beats_it_on_two_bells(self):
        def density(x, c):
            return norm.pdf(x, 2 * c, 1 + 0.5 * c) * (0.35, 0.65)[c]

        error = quad(lambda x: min(density(x, 0), density(x, 1)), -15, 20, limit=200)[0]
        cuts = np.linspace(-3, 5, 400)
        errors = [0.35 * norm.sf(cut) + 0.65 * norm.cdf(cut, 2, 1.5) for cut in cuts]
        assert error < min(errors)

    @pytest.mark.parametrize(
        "posterior, loss, message",
        [
            ([0.5, 0.6], np.eye(2), "posterior must .* the sum 1.1"),
            ([[0.5, 0.5], [1.5, -0.5]], np.eye(2), r"posterior\[1\] must .* the least is -0.5"),
            ([0.5, 0.5], np.eye(3), "a column for each of 2 classes, got shape \\(3, 3\\)"),
            ([0.5, 0.5], [1, 2], "got shape \\(2,\\)"),
            ([], np.eye(2), "got shape \\(0,\\)"),
        ],
    )
    def test_refuses(self, posterior, loss, message):
        with pytest.raises(ValueError, match=message):
            bayes_decision(posterior, loss)


# ---------------------------------------------------------------------------------------------------------------
# The worked numbers
# ---------------------------------------------------------------------------------------------------------------
class TestMelons:
    @pytest.mark.parametrize(
        "alpha, ddof, good, bad",
        [(0, 1, 0.0524, 6.86e-5), (1, 1, 0.0256, 7.72e-5), (0, 0, 0.0446, 4.37e-5), (1, 0, 0.0218, 4.92e-5)],
    )
    def test_melon_1(self, alpha, ddof, good, bad):
        model = MixedNB(alpha=alpha, ddof=ddof, var_smoothing=0).fit(MELONS3.data, MELONS3.target)
        joint = np.exp(model.predict_joint_log_proba(MELONS3.data[:1]))[0]
        assert_allclose(joint, [bad, good], rtol=2e-3)

    def test_weights_of_the_tree(self):
        tan = TAN().fit(C, Y)
        names = MELONS.feature_names
        found = {frozenset((names[i], names[j])): tan.weights_[i, j] for i, j in tan.edges_}
        expected = {
            ("root", "umbilicus"): 0.598, ("texture", "umbilicus"): 0.382, ("root", "sound"): 0.353,
            ("texture", "touch"): 0.320, ("color", "texture"): 0.280,
        }
        assert found.keys() == set(map(frozenset, expected))
        for edge, weight in expected.items():
            assert found[frozenset(edge)] == pytest.approx(weight, abs=6e-4)

    def test_the_root_matters_only_where_counts_are_smoothed(self):
        by_root = [
            [np.exp(TAN(root=r, alpha=alpha).fit(C, Y).predict_joint_log_proba(C[:1]))[0, 1] for r in range(6)]
            for alpha in (0, 1)
        ]
        assert_allclose(by_root[0], 0.0648, atol=6e-5)
        assert_allclose([min(by_root[1]), max(by_root[1])], [0.0201, 0.0241], atol=6e-5)

    def test_left_out(self):
        def right(make):
            parts = [(np.delete(C, i, 0), np.delete(Y, i)) for i in range(17)]
            return sum(make().fit(*part).predict(C[i : i + 1])[0] == Y[i] for i, part in enumerate(parts))

        assert right(CategoricalNB) == 12 and right(AODE) == 13 and right(TAN) == 14
        assert right(SPODE) == 6 and (SPODE().fit(C, Y).predict(C) == Y).sum() == 15

    def test_printed_formulas_do_not_add_up(self):
        joint = np.exp(SPODE().fit(C, Y).predict_joint_log_proba(every_row(CategoricalNB().fit(C, Y))))
        assert joint.sum() == pytest.approx(1)
        assert joint.sum() * (17 + 2 * 3) / (17 + 3) == pytest.approx(1.15)

    def test_chinese_names_give_the_same(self):
        zh = load_watermelon3(language="zh")
        ours = [MixedNB().fit(m.data, m.target).predict_proba(m.data) for m in (MELONS3, zh)]
        assert_allclose(*ours)


# ---------------------------------------------------------------------------------------------------------------
# Against scikit-learn
# ---------------------------------------------------------------------------------------------------------------
class TestCategoricalNB:
    @pytest.mark.parametrize("alpha", [0.3, 1.0, 5.0])
    def test_scikit_learn(self, alpha):
        X, y = table(K=3, seed=2)
        ours = CategoricalNB(alpha=alpha).fit(X, y)
        prior = (np.bincount(y) + alpha) / (len(y) + 3 * alpha)
        assert_allclose(np.exp(ours.class_log_prior_), prior)
        theirs = sk.CategoricalNB(alpha=alpha, class_prior=prior).fit(X, y)
        assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X))
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))

    def test_plain_shares_by_pandas(self):
        frame = pd.DataFrame(C, columns=MELONS.feature_names)
        model = CategoricalNB(alpha=0).fit(frame, Y)
        for j, name in enumerate(frame):
            shares = pd.crosstab(frame[name], Y, normalize="columns").to_numpy()
            assert_allclose(np.exp(model.feature_log_prob_[j]), shares)

    def test_an_unseen_value_is_left_out(self):
        row = C[:1].copy()
        row[0, 2] = "unheard of"
        rest = [0, 1, 3, 4, 5]
        assert_allclose(
            CategoricalNB().fit(C, Y).predict_proba(row), CategoricalNB().fit(C[:, rest], Y).predict_proba(row[:, rest])
        )

    @pytest.mark.parametrize("values", [[0, 1, 5, 9], [-3, -1, 0, 2], [0.5, 1.5, 2.5, 7.25], [1e6, 2e6, 3e6, 4e6]])
    def test_numbers_are_categories_whatever_they_are(self, values):
        X, y = table(sizes=(4, 4))
        model = CategoricalNB().fit(np.array(values)[X], y)
        assert_allclose(model.predict_proba(np.array(values)[X]), CategoricalNB().fit(X, y).predict_proba(X))
        unseen = model.predict_proba([[v, v] for v in (0.25, -7.0, 12345.0, 1e99)])
        assert_allclose(unseen, np.tile(np.exp(model.class_log_prior_), (4, 1)))

    def test_a_veto_and_its_mending(self):
        row = np.array([["green", "slightly curled", "crisp", "clear", "hollow", "hard"]], dtype=object)
        assert CategoricalNB(alpha=0).fit(C, Y).predict(row)[0] == 0
        assert CategoricalNB(alpha=1).fit(C, Y).predict(row)[0] == 1

    def test_a_row_that_no_class_allows(self):
        model = CategoricalNB(alpha=0).fit([["a", "x"], ["b", "y"]], [0, 1])
        for ask in (model.predict, model.predict_proba, model.predict_log_proba):
            with pytest.raises(ValueError, match="row 1 of X has probability 0 under every class .*alpha > 0"):
                ask([["a", "x"], ["a", "y"]])
        assert_array_equal(model.predict_joint_log_proba([["a", "y"]]), [[-np.inf, -np.inf]])

    def test_given_priors(self):
        model = CategoricalNB(priors=[0.9, 0.1]).fit(C, Y)
        assert_allclose(np.exp(model.class_log_prior_), [0.9, 0.1])


class TestGaussianNB:
    @pytest.mark.parametrize("load", [load_iris, load_wine])
    def test_scikit_learn(self, load):
        data = load()
        ours = GaussianNB(var_smoothing=0).fit(data.data, data.target)
        theirs = sk.GaussianNB(var_smoothing=0).fit(data.data, data.target)
        assert_allclose(ours.theta_, theirs.theta_)
        assert_allclose(ours.var_, theirs.var_)
        assert_allclose(ours.predict_proba(data.data), theirs.predict_proba(data.data), atol=1e-9)

    def test_scikit_learns_smoothing_where_variances_are_equal(self):
        X, y = clouds()
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        ours, theirs = (model(var_smoothing=0.05).fit(X, y) for model in (GaussianNB, sk.GaussianNB))
        assert_allclose(ours.var_, theirs.var_)

    def test_ddof(self):
        X, y = clouds()
        model = GaussianNB(ddof=1, var_smoothing=0).fit(X, y)
        assert_allclose(model.var_, [X[y == c].var(axis=0, ddof=1) for c in range(3)])

    def test_units_cost_no_digits(self):
        X, y = clouds(d=2)
        scaled = GaussianNB().fit(X * [1e-8, 1e8] + [0, 1e8], y)
        P = scaled.predict_proba(X * [1e-8, 1e8] + [0, 1e8])
        assert_allclose(P, GaussianNB().fit(X, y).predict_proba(X), atol=1e-6)

    @pytest.mark.parametrize("model", GAUSSIAN)
    def test_a_feature_that_is_constant_everywhere_is_ignored(self, model):
        X, y = clouds()
        constant = np.column_stack([X, np.full(len(X), 0.1)])
        new = np.column_stack([X, np.full(len(X), 77.0)])
        assert_allclose(model().fit(constant, y).predict_proba(new), model().fit(X, y).predict_proba(X), atol=1e-12)

    @pytest.mark.parametrize("model", GAUSSIAN)
    def test_a_feature_that_is_constant_in_a_class(self, model):
        X, y = [[1.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
        assert model().fit(X, y).predict([[1.0], [1.01]]).tolist() == ["a", "b"]
        with pytest.raises(ValueError, match="feature 0 does not vary within class 'a'.*var_smoothing"):
            model(var_smoothing=0).fit(X, y)

    def test_linear_where_variances_agree_across_classes(self):
        line = np.linspace(-3, 4, 7)[:, np.newaxis] * [1.0, -0.3] + [0.2, 0.1]
        mean = np.array([[0.0, 1.0], [2.0, 0.0]])

        def bend(variance):
            joint = gaussian.independent_log_joint(np.zeros(2), mean, np.array(variance), line)
            return np.abs(np.diff(joint[:, 1] - joint[:, 0], 2)).max()

        assert bend([[0.5, 3.0], [0.5, 3.0]]) < 1e-10
        assert bend([[0.5, 0.5], [3.0, 3.0]]) > 1


class TestGaussianBayes:
    def test_scikit_learn_by_its_own_covariances(self):
        X, y = clouds()
        theirs = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
        ours = [GaussianBayes(ddof=ddof).fit(X, y) for ddof in (0, 1)]  # theirs depends on its version
        same = [np.allclose(model.covariances_, theirs.covariance_) for model in ours]
        assert any(same)
        assert_allclose(ours[same.index(True)].predict_proba(X), theirs.predict_proba(X), atol=1e-8)

    def test_scipy(self):
        X, y = clouds(seed=3)
        model = GaussianBayes(priors=[0.2, 0.3, 0.5]).fit(X, y)
        joint = [
            multivariate_normal(X[y == c].mean(axis=0), np.cov(X[y == c].T, bias=True)).logpdf(X) + np.log(p)
            for c, p in enumerate([0.2, 0.3, 0.5])
        ]
        assert_allclose(model.predict_joint_log_proba(X), np.transpose(joint))

    def test_shrunk_all_the_way_it_is_naive(self):
        X, y = clouds()
        models = GaussianBayes(shrinkage=1), GaussianNB()
        full, simple = (model.fit(X, y).predict_joint_log_proba(X) for model in models)
        assert_allclose(full, simple)

    def test_shrinks_to_the_diagonal(self):
        X, y = clouds()
        S = np.cov(X[y == 1].T, bias=True)
        model = GaussianBayes(shrinkage=0.3).fit(X, y)
        assert_allclose(model.covariances_[1], 0.7 * S + 0.3 * np.diag(np.diag(S)), rtol=1e-6)

    def test_units_cost_no_digits(self):
        X, y = clouds(d=2)
        P = GaussianBayes().fit(X * [1e-8, 1e8], y).predict_proba(X * [1e-8, 1e8])
        assert_allclose(P, GaussianBayes().fit(X, y).predict_proba(X), atol=1e-7)

    def test_few_rows(self):
        X, y = np.random.default_rng(0).normal(size=(6, 4)), [0, 0, 0, 1, 1, 1]
        with pytest.raises(ValueError, match="the 3 rows of class 0 vary in only 2 of 4 directions.*shrinkage"):
            GaussianBayes().fit(X, y)
        assert np.isfinite(GaussianBayes(shrinkage=0.1).fit(X, y).predict_proba(X)).all()

    def test_a_copied_column(self):
        X, y = clouds(d=2)
        with pytest.raises(ValueError, match="2 of 3 directions"):
            GaussianBayes().fit(X[:, [0, 1, 1]], y)


class TestMixedNB:
    def test_is_the_product_of_its_parts(self):
        X, y = MELONS3.data, MELONS3.target
        both = MixedNB(alpha=0.5).fit(X, y).predict_joint_log_proba(X)
        prior = np.log((np.bincount(y) + 0.5) / 18)
        words = CategoricalNB(alpha=0.5).fit(X[:, :6], y).predict_joint_log_proba(X[:, :6])
        numbers = GaussianNB().fit(X[:, 6:].astype(float), y)
        numbers = numbers.predict_joint_log_proba(X[:, 6:].astype(float)) - numbers.class_log_prior_
        assert_allclose(both, words + numbers)
        assert_allclose(MixedNB(alpha=0.5).fit(X, y).class_log_prior_, prior)

    @pytest.mark.parametrize("which", [None, [0, 1, 2, 3, 4, 5], np.arange(8) < 6, [-8, 1, 2, 3, 4, 5]])
    def test_columns_by_number_by_mask_or_by_what_they_hold(self, which):
        X, y = MELONS3.data, MELONS3.target
        model = MixedNB(categorical_features=which).fit(X, y)
        assert_array_equal(model.categorical_, np.arange(8) < 6)
        assert_allclose(model.predict_proba(X), MixedNB().fit(X, y).predict_proba(X))

    def test_numbers_may_be_categories(self):
        X, y = table()
        model = MixedNB(categorical_features=[0, 1, 2]).fit(X, y)
        assert_allclose(model.predict_proba(X), CategoricalNB().fit(X, y).predict_proba(X))

    def test_a_data_frame(self):
        frame = pd.DataFrame(MELONS3.data, columns=MELONS3.feature_names).astype({"density": float, "sugar": float})
        P = MixedNB().fit(MELONS3.data, MELONS3.target).predict_proba(MELONS3.data)
        assert_allclose(MixedNB().fit(frame, MELONS3.target).predict_proba(frame), P)

    @pytest.mark.parametrize("which", [[9], "color", [0.5], [[0]], [True], [-9], [[0], [1, 2]]])
    def test_bad_columns(self, which):
        with pytest.raises(ValueError, match="categorical_features must be numbers of columns from 0 to 7"):
            MixedNB(categorical_features=which).fit(MELONS3.data, MELONS3.target)

    def test_text_where_a_number_is_expected(self):
        with pytest.raises(ValueError, match="categorical_features"):
            MixedNB(categorical_features=[0]).fit(MELONS3.data, MELONS3.target)
        model = MixedNB().fit(MELONS3.data, MELONS3.target)
        row = MELONS3.data[:1].copy()
        row[0, 7] = "sweet"
        with pytest.raises(ValueError, match="numeric"):
            model.predict(row)


class TestText:
    TEXTS = ["sweet, crisp and Juicy", "a melon; a MELON 2", "not sweet", "2 2 2 crisp"]

    def test_scikit_learn(self):
        theirs = CountVectorizer(token_pattern=r"(?u)\w+")
        bag = BagOfWords().fit(self.TEXTS)
        assert_array_equal(bag.transform(self.TEXTS), theirs.fit_transform(self.TEXTS).toarray())
        assert_array_equal(bag.get_feature_names_out(), theirs.get_feature_names_out())
        new = ["sweet melon of 2017", "", "unheard of"]
        assert_array_equal(bag.transform(new), theirs.transform(new).toarray())

    def test_options(self):
        assert BagOfWords(min_count=2).fit(self.TEXTS).vocabulary_ == {"2": 0, "crisp": 1, "sweet": 2}
        assert BagOfWords(binary=True).fit_transform(self.TEXTS).max() == 1
        assert BagOfWords(tokenize=list).fit(["好瓜", "坏瓜"]).transform(["瓜瓜好"]).sum() == 3

    @pytest.mark.parametrize("given", [self_ for self_ in (pd.Series(TEXTS), np.array(TEXTS), tuple(TEXTS))], ids=type)
    def test_any_sequence_of_texts(self, given):
        assert_array_equal(BagOfWords().fit_transform(given), BagOfWords().fit_transform(self.TEXTS))

    @pytest.mark.parametrize(
        "texts, message",
        [
            ("a text", "a sequence of texts is needed, got str"), ([], "empty"), (["a", 3], "number 1 is 3"),
            (["", "  "], "none of 0 words"), (np.array([["a"]]), "a sequence of texts"), (None, "NoneType"),
        ],
    )  # fmt: skip
    def test_refuses(self, texts, message):
        with pytest.raises(ValueError, match=message):
            BagOfWords().fit(texts)

    @pytest.mark.parametrize("alpha", [0.2, 1.0, 3.0])
    def test_multinomial_against_scikit_learn(self, alpha):
        X, y = np.random.default_rng(0).poisson(1.2, size=(40, 9)), np.arange(40) % 3
        ours = MultinomialNB(alpha=alpha).fit(X, y)
        theirs = sk.MultinomialNB(alpha=alpha, class_prior=np.exp(ours.class_log_prior_)).fit(X, y)
        assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_)
        assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X))
        assert_allclose(np.exp(ours.class_log_prior_), (np.bincount(y) + alpha) / (40 + 3 * alpha))

    def test_shares_of_words_add_up_to_one(self):
        shares = text.word_shares(np.array([[3.0, 1, 0], [4, 2, 1], [0, 1, 1]]), np.array([0, 0, 1]), 2, 1.0)
        assert_allclose(shares, [[8 / 14, 4 / 14, 2 / 14], [1 / 5, 2 / 5, 2 / 5]])

    def test_multinomial_refuses_negative_counts_and_alpha_0(self):
        with pytest.raises(ValueError, match=r"X\[1, 0\] is -2"):
            MultinomialNB().fit([[1, 0], [-2, 1]], [0, 1])
        with pytest.raises(ValueError, match=r"alpha must be a number in \[1e-100, 1e\+100\], got 0"):
            MultinomialNB(alpha=0).fit([[1, 0], [2, 1]], [0, 1])

    def test_in_a_pipeline(self):
        labels = ["good", "good", "bad", "bad"]
        pipeline = make_pipeline(BagOfWords(), MultinomialNB()).fit(self.TEXTS, labels)
        assert pipeline.predict(["not"])[0] == "bad"


# ---------------------------------------------------------------------------------------------------------------
# One parent each
# ---------------------------------------------------------------------------------------------------------------
class TestSemiNaive:
    @pytest.mark.parametrize("make", [CategoricalNB, SPODE, TAN, lambda **a: AODE(min_count=0, **a)])
    @pytest.mark.parametrize("alpha", [0.3, 1.0, 7.0])
    def test_the_probabilities_of_all_rows_add_up_to_one(self, make, alpha):
        X, y = table(K=3)
        assert total(make(alpha=alpha).fit(X, y)) == pytest.approx(1)
        assert total(make(alpha=alpha).fit(C, Y)) == pytest.approx(1)

    @given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3))
    @settings(max_examples=15, deadline=None)
    def test_so_they_do_for_any_table(self, seed, d, K):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, size=(8, d)), rng.integers(0, K, size=8)
        for model in (SPODE(super_parent=d - 1), TAN(root=d - 1), AODE(min_count=0)):
            assert total(model.fit(X, y)) == pytest.approx(1)

    def test_spode_by_hand(self):
        X, y = table(sizes=(3, 2, 2), seed=4)
        model, a, j = SPODE(super_parent=1, alpha=0.5).fit(X, y), 0.5, 1
        for x in X[:8]:
            for c in (0, 1):
                p = (np.sum((y == c) & (X[:, j] == x[j])) + a) / (len(y) + a * 2 * 2)
                for i, N in ((0, 3), (2, 2)):
                    with_parent = (y == c) & (X[:, j] == x[j])
                    p *= (np.sum(with_parent & (X[:, i] == x[i])) + a) / (np.sum(with_parent) + a * N)
                assert model.predict_joint_log_proba([x])[0, c] == pytest.approx(math.log(p))

    def test_tan_by_hand(self):
        X, y = table(sizes=(3, 2, 2), seed=5)
        model, a, sizes = TAN(root=2, alpha=0.5).fit(X, y), 0.5, (3, 2, 2)
        for x in X[:8]:
            for c in (0, 1):
                p = (np.sum(y == c) + a) / (len(y) + 2 * a)
                for i, j in enumerate(model.parents_):
                    known = (y == c) & ((X[:, j] == x[j]) if j >= 0 else True)
                    p *= (np.sum(known & (X[:, i] == x[i])) + a) / (np.sum(known) + a * sizes[i])
                assert model.predict_joint_log_proba([x])[0, c] == pytest.approx(math.log(p))

    def test_aode_is_the_mean_of_those_with_enough_rows(self):
        X, y = table(seed=6)
        P = np.array([np.exp(SPODE(super_parent=j).fit(X, y).predict_joint_log_proba(X)) for j in range(3)])
        support = np.array([[np.sum(X[:, j] == v) for v in X[:, j]] for j in range(3)])
        for least in (0, 1, 15, 25):
            counted = (support >= least)[:, :, np.newaxis]
            some = counted.any(axis=0)[:, 0]
            model = AODE(min_count=least).fit(X, y)
            mean = (P * counted).sum(axis=0)[some] / counted.sum(axis=0)[some]
            assert_allclose(np.exp(model.predict_joint_log_proba(X))[some], mean)
        alone = AODE(min_count=10**6).fit(X, y)
        assert_allclose(alone.predict_joint_log_proba(X), CategoricalNB().fit(X, y).predict_joint_log_proba(X))

    def test_the_tree_is_the_most_likely_of_all(self):
        X, y = table(n=40, sizes=(3, 2, 3, 2), seed=7)
        tan = TAN(alpha=0).fit(X, y)
        rows = np.arange(len(y))

        def likelihood(edges):
            parent = semi_naive.parents(edges, 0, 4)
            child = {i: semi_naive._child_lines(X, y, j, i, (3, 2, 3, 2), 2, 0) for i, j in enumerate(parent) if j >= 0}
            root = semi_naive._root_line(X[:, 0], y, 3, 2, 0)
            return semi_naive.tree_log_joint(np.zeros(2), parent, root, child, X)[rows, y].sum()

        every = [likelihood(tree) for tree in all_trees(4)]
        assert likelihood(tan.edges_) == pytest.approx(max(every))
        naive_one = CategoricalNB(alpha=0).fit(X, y)
        gain = tan.predict_joint_log_proba(X)[rows, y].sum() - naive_one.predict_joint_log_proba(X)[rows, y].sum()
        assert gain == pytest.approx(len(y) * sum(tan.weights_[edge] for edge in tan.edges_))

    def test_joint_weights_find_the_chain(self):
        """Class 0 (one in ten): A = B in .98; class 1: a chain A - C - B that agrees in .8."""
        rows, y = [], []
        for a, b, c in itertools.product((0, 1), repeat=3):
            counts_0 = round(1000 * (0.98 if a == b else 0.02) / 4)
            counts_1 = round(9000 * (0.8 if a == c else 0.2) * (0.8 if b == c else 0.2) / 2)
            rows += [(a, b, c)] * (counts_0 + counts_1)
            y += [0] * counts_0 + [1] * counts_1
        tan = TAN().fit(rows, y)
        assert set(tan.edges_) == {(0, 2), (1, 2)}
        assert_allclose([tan.weights_[0, 1], tan.weights_[0, 2]], [0.119, 0.173], atol=6e-4)
        X, y = np.array(rows), np.array(y)
        by_class = sum(mutual_info_score(X[y == c, 0], X[y == c, 1]) for c in (0, 1))
        assert by_class == pytest.approx(0.661, abs=6e-4)

    def test_copies_reverse_a_decision(self):
        tables = [np.log([[0.2, 0.5], [0.8, 0.5]]), np.log([[0.65, 0.35], [0.35, 0.65]])]
        once = np.exp(naive.categorical_log_joint(np.log([0.5, 0.5]), tables, np.array([[0, 0]])))[0]
        twice = np.exp(naive.categorical_log_joint(np.log([0.5, 0.5]), [*tables, tables[1]], np.array([[0, 0, 0]])))[0]
        assert_allclose(once, [0.065, 0.0875])
        assert_allclose(twice, [0.04225, 0.030625])

    def test_unseen_parent_and_child(self):
        X, y = table(sizes=(3, 3), n=30, seed=8)
        nb, spode, tan = (model.fit(X, y) for model in (CategoricalNB(), SPODE(), TAN()))
        unseen_parent = [[99, 1]]
        expected = nb.class_log_prior_ + nb.feature_log_prob_[1][1]
        for model in (spode, tan, AODE(min_count=10**6).fit(X, y)):
            assert_allclose(model.predict_joint_log_proba(unseen_parent)[0], expected)
        assert_allclose(spode.predict_joint_log_proba([[2, 99]])[0], semi_naive.log_of(
            semi_naive.parent_table(X[:, 0], y, 3, 2, 1))[2])

    def test_parent_by_name(self):
        frame = pd.DataFrame(C, columns=MELONS.feature_names)
        for name, j in (("root", 1), ("touch", 5)):
            assert SPODE(super_parent=name).fit(frame, Y).super_parent_ == j
            assert TAN(root=name).fit(frame, Y).parents_[j] == -1
        with pytest.raises(ValueError, match="super_parent='weight' is no column of X: color, root"):
            SPODE(super_parent="weight").fit(frame, Y)
        with pytest.raises(ValueError, match="it has no names"):
            TAN(root="root").fit(C, Y)
        with pytest.raises(ValueError, match="root must be a whole number from 0 to 5, got 6"):
            TAN(root=6).fit(C, Y)

    def test_alpha_0_never_gives_nan(self):
        X, y = table(n=12, sizes=(4, 4, 3), seed=9)
        for model in (SPODE(alpha=0), TAN(alpha=0), AODE(alpha=0)):
            joint = model.fit(X, y).predict_joint_log_proba(list(itertools.product(range(4), range(4), range(3))))
            assert not np.isnan(joint).any()

    def test_a_single_column_is_naive(self):
        for model in (SPODE(), TAN(), AODE()):
            assert_allclose(model.fit(C[:, :1], Y).predict_proba(C[:, :1]).sum(axis=1), 1)
        tan, simple = (model.fit(C[:, :1], Y) for model in (TAN(), CategoricalNB()))
        assert tan.edges_ == []
        assert_allclose(tan.predict_proba(C[:, :1]), simple.predict_proba(C[:, :1]))


class TestInformation:
    def test_scikit_learn_class_by_class(self):
        X, y = table(n=80, K=3, seed=10)
        expected = sum(np.mean(y == c) * mutual_info_score(X[y == c, 0], X[y == c, 2]) for c in range(3))
        assert conditional_mutual_information(X[:, 0], X[:, 2], y) == pytest.approx(expected)
        assert conditional_mutual_information(X[:, 2], X[:, 0], y) == pytest.approx(expected)

    def test_of_words(self):
        value = conditional_mutual_information(C[:, 1], C[:, 4], Y)
        assert value == pytest.approx(0.598, abs=5e-4)

    def test_zero_for_the_independent_and_entropy_for_a_copy(self):
        a, b = np.array(list(itertools.product((0, 1, 2), repeat=2))).T
        assert conditional_mutual_information(a, b, np.zeros(9, dtype=int)) == pytest.approx(0, abs=1e-12)
        assert conditional_mutual_information(a, a, np.zeros(9, dtype=int)) == pytest.approx(math.log(3))
        assert conditional_mutual_information(a, a, a) == 0  # the class says it all

    @pytest.mark.parametrize(
        "a, b, y, message",
        [
            ([1, 2], [1, 2, 3], [0, 1], "got 2, 3 and 2"),
            (["x", None], ["x", "y"], [0, 1], "NaN or None"), (["x", 3], ["x", "y"], [0, 1], "mixes text and numbers"),
        ],
    )  # fmt: skip
    def test_refuses(self, a, b, y, message):
        with pytest.raises(ValueError, match=message):
            conditional_mutual_information(np.array(a, dtype=object) if None in a or "x" in a else a, b, y)


def all_trees(d):
    """Every set of d - 1 edges that joins d nodes."""
    for edges in itertools.combinations(itertools.combinations(range(d), 2), d - 1):
        reached = {0}
        for _ in range(d):
            reached |= {j for edge in edges if set(edge) & reached for j in edge}
        if len(reached) == d:
            yield list(edges)


class TestSpanningTree:
    @pytest.mark.parametrize("d", [2, 3, 4, 5])
    def test_brute_force(self, d):
        rng = np.random.default_rng(d)
        assert sum(1 for _ in all_trees(d)) == d ** (d - 2)
        for _ in range(6):
            W = rng.normal(size=(d, d))
            W = W + W.T
            best = max(sum(W[edge] for edge in tree) for tree in all_trees(d))
            found = maximum_spanning_tree(W)
            assert sum(W[edge] for edge in found) == pytest.approx(best)
            assert [W[edge] for edge in found] == sorted((W[edge] for edge in found), reverse=True)

    def test_scipy(self):
        W = np.random.default_rng(0).uniform(1, 2, size=(12, 12))
        W = W + W.T
        theirs = minimum_spanning_tree(np.triu(10 - W, 1)).toarray() > 0
        assert {tuple(map(int, edge)) for edge in np.argwhere(theirs)} == set(maximum_spanning_tree(W))

    def test_of_equal_edges_the_first_in_the_table(self):
        W = np.ones((4, 4)) + 1e-14 * np.arange(16).reshape(4, 4)
        assert maximum_spanning_tree((W + W.T) / 2) == [(0, 1), (0, 2), (0, 3)]

    def test_a_single_node(self):
        assert maximum_spanning_tree([[7.0]]) == []

    @pytest.mark.parametrize(
        "W, message",
        [
            (np.ones((2, 3)), "got shape \\(2, 3\\)"), ([[0, 1], [2, 0]], "\\[0, 1\\] is 1 and \\[1, 0\\] is 2"),
            (np.empty((0, 0)), "got shape \\(0, 0\\)"),
        ],
    )  # fmt: skip
    def test_refuses(self, W, message):
        with pytest.raises(ValueError, match=message):
            maximum_spanning_tree(W)


# ---------------------------------------------------------------------------------------------------------------
# What all of them stand
# ---------------------------------------------------------------------------------------------------------------
class TestEdges:
    @pytest.mark.parametrize("model", [*COUNTED, GaussianNB, MultinomialNB])
    def test_one_class_and_one_row(self, model):
        X = [[1, 2], [2, 1], [1, 1]]
        assert model().fit(X, ["only"] * 3).predict([[5, 5]]).tolist() == ["only"]
        assert_allclose(model().fit(X[:1], [3]).predict_proba(X), 1)

    @pytest.mark.parametrize("model", [*COUNTED, GaussianNB])
    def test_a_class_that_is_absent_is_never_predicted(self, model):
        X, y = table(K=3)
        known = model().fit(X[y < 2], y[y < 2])
        assert set(known.predict(X)) <= {0, 1} and known.predict_proba(X).shape == (60, 2)

    @pytest.mark.parametrize("model", COUNTED)
    def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(self, model):
        X, y = table(seed=11)
        order, words = np.random.default_rng(0).permutation(len(y)), np.array(["no", "yes"])
        one, other = model().fit(X, y), model().fit(X[order], words[y][order])
        assert_allclose(one.predict_proba(X), other.predict_proba(X))
        assert_array_equal(words[one.predict(X)], other.predict(X))

    @pytest.mark.parametrize("model", COUNTED)
    def test_forms_of_the_same_table(self, model):
        X, y = table(seed=12)
        right = model().fit(X, y).predict_proba(X)
        frozen = X.astype(float)
        frozen.flags.writeable = False
        for form in (X.astype(np.float32), np.asfortranarray(X), frozen, X.tolist(), X.astype(object), pd.DataFrame(X)):
            assert_allclose(model().fit(form, y).predict_proba(form), right)

    @pytest.mark.parametrize("model", COUNTED)
    def test_missing_and_mixed_values(self, model):
        holes, mixed = C.copy(), C.copy()
        holes[2, 3], mixed[2, 3] = None, 1.5
        with pytest.raises(ValueError, match="NaN or None \\(first in row 2, column 3, 1 in all\\)"):
            model().fit(holes, Y)
        with pytest.raises(ValueError, match="mixes text and numbers"):
            model().fit(mixed, Y)
        with pytest.raises(ValueError, match="row 2, column 3"):
            model().fit(C, Y).predict(holes)

    @pytest.mark.parametrize("model", COUNTED)
    def test_text_in_fit_and_numbers_in_predict(self, model):
        with pytest.raises(ValueError, match="held text .* now it holds numbers"):
            model().fit(C, Y).predict(np.zeros((2, 6)))

    @pytest.mark.parametrize("model", [SPODE, TAN, AODE])
    def test_measurements_do_not_fill_the_memory(self, model):
        X = np.random.default_rng(0).normal(size=(3000, 3))
        with pytest.raises(ValueError, match="column 0 of X has 3000 distinct values.*intervals"):
            model().fit(X, np.arange(3000) % 2)

    @pytest.mark.parametrize("model", [CategoricalNB, MixedNB, GaussianNB, MultinomialNB])
    @pytest.mark.parametrize("priors", [[0.5, 0.6], [1.0], [1.0, 0.0], [0.2, 0.3, 0.5]])
    def test_bad_priors(self, model, priors):
        with pytest.raises(ValueError, match="priors must (be 2 positive numbers|hold .* sum to 1 .* the sum 1.1)"):
            model(priors=priors).fit([[1, 2], [2, 1], [3, 3]], [0, 1, 1])

    def test_many_attributes_do_not_underflow(self):
        X, y = table(n=40, sizes=(9,) * 600)
        for model in (CategoricalNB(), SPODE()):
            P = model.fit(X, y).predict_proba(X)
            assert np.isfinite(P).all() and model.predict_joint_log_proba(X).max() < -800

    @given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.floats(0.01, 20))
    def test_smoothed_shares_add_up_to_one(self, found, alpha):
        shares = counts.smoothed(np.array(found, dtype=float), alpha)
        assert shares.sum() == pytest.approx(1) and (shares > 0).all()
        even = np.full(len(found), 1 / len(found))
        plain = np.array(found) / max(sum(found), 1)
        weight = alpha * len(found) / (alpha * len(found) + sum(found))
        assert_allclose(shares, weight * even + (1 - weight) * plain)

    def test_nothing_counted(self):
        assert_array_equal(counts.smoothed(np.array([[0.0, 0.0], [1.0, 3.0]]), 0), [[0, 0], [0.25, 0.75]])


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
def test_a_list_of_words_and_numbers_is_a_mixed_table():
    X = [["a", 1.5], ["b", 2.5], ["a", 1.6], ["b", 2.7]]
    model = MixedNB().fit(X, [0, 1, 0, 1])
    assert model.categorical_.tolist() == [True, False] and model.theta_.shape == (2, 1)
    with pytest.raises(ValueError, match="NaN or None"):
        CategoricalNB().fit([["a", np.nan], ["b", "c"]], [0, 1])


def test_a_word_that_never_occurs_keeps_a_probability():
    with pytest.raises(ValueError, match="alpha must be"):  # its share of 1e6 words would round to 0
        MultinomialNB(alpha=5e-324).fit([[1e6, 0.0], [0.0, 1e6]], [0, 1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", [GaussianNB, GaussianBayes])
def test_a_density_too_far_out_is_refused_without_a_warning(model):
    X = np.random.default_rng(0).normal(size=(20, 2)) * 1e-90
    with pytest.raises(ValueError, match="bring X nearer"):
        model().fit(X, [0, 1] * 10).predict([[1e99, 0.0]])


@pytest.mark.parametrize("unit", [1e-14, 1e-100, 1.0, 1e100])
def test_the_spanning_tree_does_not_depend_on_the_unit(unit):
    W = np.array([[0, 0.1, 0.2], [0.1, 0, 0.3], [0.2, 0.3, 0]]) * unit
    assert maximum_spanning_tree(W) == [(1, 2), (0, 2)]
    W[1, 0] *= 1.5
    with pytest.raises(ValueError, match="symmetric"):
        maximum_spanning_tree(W)


def test_a_set_of_texts_has_no_order():
    with pytest.raises(ValueError, match="sequence of texts"):
        BagOfWords().fit({"a b", "c"})
