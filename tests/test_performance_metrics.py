"""Performance metrics against scikit-learn, SciPy, brute force over pairs and thresholds, and worked numbers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import ConvexHull
from sklearn import metrics

from mlcore import numerics
from mlcore import performance_metrics as pm
from mlcore.performance_metrics import comparison, confusion, costs, ranking


def ranked(seed, n=60, levels=None, weights=False):
    """Labels of both classes and scores, with ties where there are few levels."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(2, size=n - 2)])
    score = rng.normal(size=n) + y
    if levels:
        score = np.floor(score * levels) / levels
    return (y, score, rng.uniform(0.1, 3, size=n)) if weights else (y, score)


def several(seed, n=80, K=4):
    """True and predicted labels of K classes, right in about half of the rows."""
    rng = np.random.default_rng(seed)
    true, guess = rng.integers(K, size=(2, n))
    return true, np.where(rng.random(n) < 0.4, true, guess), rng.uniform(0.1, 3, size=n)


SCORED = st.lists(
    st.tuples(st.booleans(), st.integers(-4, 4), st.integers(1, 3)), min_size=2, max_size=25
).filter(lambda rows: 0 < sum(row[0] for row in rows) < len(rows))


# ---------------------------------------------------------------------------------------------------------------
# Counts
# ---------------------------------------------------------------------------------------------------------------
class TestConfusion:
    @pytest.mark.parametrize("seed", range(5))
    def test_as_scikit_learn(self, seed):
        true, predicted, weights = several(seed)
        for options in ({}, {"sample_weight": weights}, {"labels": [2, 0, 3, 1]}):
            assert_allclose(
                pm.confusion_matrix(true, predicted, **options), metrics.confusion_matrix(true, predicted, **options)
            )
        assert pm.confusion_matrix(true, predicted).dtype.kind == "i"
        for options in ({}, {"sample_weight": weights}):
            right = metrics.accuracy_score(true, predicted, **options)
            assert pm.accuracy(true, predicted, **options) == pytest.approx(right)
            assert pm.error_rate(true, predicted, **options) == pytest.approx(1 - right)

    @pytest.mark.parametrize("positive", range(4))
    def test_of_one_class_as_scikit_learn(self, positive):
        true, predicted, weights = several(10 + positive)
        for w in (None, weights):
            theirs = metrics.precision_recall_fscore_support(true, predicted, sample_weight=w)
            ours = [f(true, predicted, pos_label=positive, sample_weight=w) for f in (pm.precision, pm.recall, pm.f1)]
            assert_allclose(ours, [theirs[i][positive] for i in range(3)])
            for beta in (0.3, 2.0):
                right = metrics.fbeta_score(true, predicted, beta=beta, average=None, sample_weight=w)[positive]
                ours = pm.fbeta(true, predicted, beta=beta, pos_label=positive, sample_weight=w)
                assert ours == pytest.approx(right)

    @pytest.mark.parametrize("seed", range(5))
    def test_averages_as_scikit_learn(self, seed):
        true, predicted, weights = several(seed, K=5)
        for w in (None, weights):
            ours = pm.macro_micro(true, predicted, sample_weight=w)
            for name in ("macro", "micro"):
                P, R, F, _ = metrics.precision_recall_fscore_support(true, predicted, average=name, sample_weight=w)
                assert ours[f"{name}_precision"] == pytest.approx(P)
                assert ours[f"{name}_recall"] == pytest.approx(R)
                assert ours["mean_f1" if name == "macro" else "micro_f1"] == pytest.approx(F)
            P, R = ours["macro_precision"], ours["macro_recall"]
            assert ours["macro_f1"] == pytest.approx(2 * P * R / (P + R))
            assert ours["micro_f1"] == pytest.approx(pm.accuracy(true, predicted, sample_weight=w))

    def test_averages_over_some_classes_as_scikit_learn(self):
        true, predicted, _ = several(3, K=5)
        ours = pm.macro_micro(true, predicted, labels=[1, 3, 77])
        for name in ("macro", "micro"):
            P, R, F, _ = metrics.precision_recall_fscore_support(
                true, predicted, labels=[1, 3, 77], average=name, zero_division=0
            )
            assert [ours[f"{name}_precision"], ours[f"{name}_recall"]] == pytest.approx([P, R])
            assert ours["mean_f1" if name == "macro" else "micro_f1"] == pytest.approx(F)
        assert ours["micro_f1"] != pytest.approx(pm.accuracy(true, predicted))
        with pytest.raises(ValueError, match="none of the labels 77"):
            pm.macro_micro(true, predicted, labels=[77])

    def test_the_two_macro_f1s_are_not_the_same(self):
        # P = (1, .01), R = (.01, 1): each class has a poor F1, and yet the F1 of the averages is one half
        TP, FP, FN = np.array([1, 1]), np.array([0, 99]), np.array([99, 0])
        macro, _ = confusion.averages(TP, FP, FN)
        assert macro == pytest.approx((0.505, 0.505, 0.505, 0.0198), abs=1e-4)

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
    def test_identities(self, pairs):
        true, predicted = map(np.array, zip(*pairs))
        averaged = pm.macro_micro(true, predicted)
        assert averaged["macro_f1"] >= averaged["mean_f1"] - 1e-12
        assert averaged["micro_precision"] == averaged["micro_recall"] == pytest.approx(pm.accuracy(true, predicted))
        C = pm.confusion_matrix(true, predicted, labels=range(4))
        assert_array_equal(C.sum(axis=1), np.bincount(true, minlength=4))
        assert_array_equal(C.T, pm.confusion_matrix(predicted, true, labels=range(4)))
        m, TP = len(true), C[1, 1]
        TN = m - C[1].sum() - C[:, 1].sum() + TP
        if m + TP - TN:
            assert pm.f1(true, predicted, pos_label=1) == pytest.approx(2 * TP / (m + TP - TN)) if TP else True

    def test_a_weight_counts_as_so_many_rows(self):
        true, predicted, _ = several(1)
        times = np.random.default_rng(0).integers(0, 4, size=len(true))
        again = np.repeat(true, times), np.repeat(predicted, times)
        weighted, repeated = pm.macro_micro(true, predicted, sample_weight=times), pm.macro_micro(*again)
        assert weighted == pytest.approx(repeated)

    def test_nothing_positive_nothing_predicted(self):
        zeros, ones, mixed = [0, 0, 0], [1, 1, 1], [0, 1, 0]
        cases = {  # true, predicted: P, R, F1
            "no positives": (zeros, mixed, 0, 0, 0),
            "no predicted positives": (mixed, zeros, 0, 0, 0),
            "neither": (zeros, zeros, 0, 0, 0),
            "one class": (ones, ones, 1, 1, 1),
        }
        for true, predicted, *right in cases.values():
            assert [f(true, predicted) for f in (pm.precision, pm.recall, pm.f1)] == right
            theirs = metrics.precision_recall_fscore_support(
                true, predicted, average="binary", zero_division=0
            )
            assert list(theirs[:3]) == right
        assert pm.precision(mixed, zeros, zero_division=1) == 1 and pm.recall(mixed, zeros, zero_division=1) == 0
        assert pm.recall(zeros, mixed, zero_division=0.5) == 0.5
        assert pm.f1(zeros, zeros, zero_division=1) == 1 and pm.f1(mixed, zeros, zero_division=1) == 0
        assert pm.accuracy(ones, ones) == 1 and pm.error_rate([3], [3]) == 0
        assert pm.confusion_matrix(ones, ones).tolist() == [[3]]

    def test_labels_of_every_kind(self):
        true, predicted = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 1, 1])
        right = pm.precision(true, predicted), pm.recall(true, predicted), pm.f1(true, predicted)
        words = np.array(["ham", "spam"])
        for kind in (
            lambda y: y == 1, lambda y: 2 * y - 1, lambda y: y.astype(float), lambda y: y.astype(np.uint8), list,
            lambda y: pd.Series(y, index=[5, 3, 2, 9, 1]), lambda y: y.astype(object),
        ):  # fmt: skip
            args = kind(true), kind(predicted)
            assert (pm.precision(*args), pm.recall(*args), pm.f1(*args)) == right
            assert_array_equal(pm.confusion_matrix(*args), [[1, 1], [1, 2]])
        for kind in (lambda y: words[y], lambda y: words[y].astype(object), lambda y: words[y].tolist()):
            args = kind(true), kind(predicted)
            assert (pm.precision(*args, pos_label="spam"), pm.recall(*args, pos_label="spam")) == right[:2]
            assert pm.precision(*args, pos_label="ham") == pytest.approx(
                metrics.precision_score(*args, pos_label="ham")
            )
            assert_array_equal(pm.confusion_matrix(*args, labels=["spam", "ham"]), [[2, 1], [1, 1]])
        large = np.array([0, 10**9])
        assert_array_equal(pm.confusion_matrix(large[true], large[predicted]), [[1, 1], [1, 2]])

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: pm.precision(["a", "b"], ["a", "a"]), "pos_label which of them is positive"),
            (lambda: pm.precision([0, 1, 2], [0, 1, 1]), "the labels 0, 1, 2"),
            (lambda: pm.f1(["a", "b"], ["a", "a"], pos_label="A"), "'A' occurs nowhere; the labels are 'a', 'b'"),
            (lambda: pm.f1(["a", "b"], ["a", "a"], pos_label=1), "pos_label is 1, but y_true holds labels such as 'a'"),
            (lambda: pm.f1([0, 1], [0, 1], pos_label="1"), "pos_label is '1'"),
            (lambda: pm.f1([0, 1], ["0", "1"]), "text and numbers"),
            (lambda: pm.recall([0, 1], [0]), r"inconsistent numbers of samples: \[2, 1\]"),
            (lambda: pm.accuracy([0, None], [0, 1]), "NaN or None"),
            (lambda: pm.precision([0, 1], [0, 1], sample_weight=[1, -1]), "negative"),
            (lambda: pm.precision([0, 1], [0, 1], sample_weight=[1]), "1 entries"),
            (lambda: pm.confusion_matrix([0, 1], [0, 2], labels=[0, 1]), "label 2 occurs, but labels has only 0, 1"),
            (lambda: pm.confusion_matrix(["1"], ["1"], labels=["0"]), "the label '1' occurs, but labels has only 0"),
            (lambda: pm.confusion_matrix(np.array([1, 2]), np.array(["a", "b"])), "such as 1, y_pred such as 'a'"),
            (lambda: pm.f1(np.array([0, 1]), np.array([1, 1]), pos_label=np.int64(7)), "pos_label=7 occurs nowhere"),
            (lambda: pm.confusion_matrix([0, 1], [0, 1], labels=[0, 1, 1]), "twice"),
            (lambda: pm.confusion_matrix(np.arange(5000) * 7, np.arange(5000)), "different labels"),
        ],
    )
    def test_bad_input(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_accuracy_of_many_labels(self):
        many = np.arange(100_000)
        assert pm.accuracy(many, many[::-1]) == 0

    def test_inputs_stay_as_they_are(self):
        true, predicted = np.array([0, 1, 1]), np.array([1, 1, 0])
        for y in (true, predicted):
            y.setflags(write=False)
        pm.macro_micro(true, predicted)
        pm.f1(true, predicted)
        assert true.tolist() == [0, 1, 1]


# ---------------------------------------------------------------------------------------------------------------
# Ranking
# ---------------------------------------------------------------------------------------------------------------
def thresholds_by_hand(y, score):
    """(TP, FP) at ∞ and at each score, counted one threshold at a time."""
    cuts = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    return np.array([(np.sum((score >= t) & (y == 1)), np.sum((score >= t) & (y == 0))) for t in cuts]).T


class TestRanking:
    @pytest.mark.parametrize("levels", [None, 3, 1])
    @pytest.mark.parametrize("seed", range(4))
    def test_curves_as_scikit_learn(self, seed, levels):
        y, score, weights = ranked(seed, levels=levels, weights=True)
        for w in (None, weights):
            theirs = metrics.roc_curve(y, score, drop_intermediate=False, sample_weight=w)
            for ours, right in zip(pm.roc_curve(y, score, sample_weight=w), theirs, strict=True):
                assert_allclose(ours, right, atol=1e-12)
            assert pm.auc(y, score, sample_weight=w) == pytest.approx(metrics.roc_auc_score(y, score, sample_weight=w))
            P, R, t = pm.precision_recall_curve(y, score, sample_weight=w)
            their_P, their_R, their_t = metrics.precision_recall_curve(y, score, sample_weight=w)
            assert_allclose(P, their_P[:-1][::-1], atol=1e-12)
            assert_allclose(R, their_R[:-1][::-1], atol=1e-12)
            assert_allclose(t, their_t[::-1])
            right = metrics.average_precision_score(y, score, sample_weight=w)
            assert pm.average_precision(y, score, sample_weight=w) == pytest.approx(right)

    @settings(max_examples=60)
    @given(SCORED)
    @example([(True, 0, 1), (False, 0, 1)])
    def test_by_brute_force(self, rows):
        y, score = np.array([row[0] for row in rows]).astype(int), np.array([row[1] for row in rows], dtype=float)
        TP, FP = thresholds_by_hand(y, score)
        fpr, tpr, thresholds = pm.roc_curve(y, score)
        assert_allclose(fpr, FP / FP[-1])
        assert_allclose(tpr, TP / TP[-1])
        assert thresholds[0] == np.inf and (np.diff(thresholds) < 0).all()
        pairs = [(a > b) + (a == b) / 2 for a in score[y == 1] for b in score[y == 0]]
        assert pm.auc(y, score) == pytest.approx(np.mean(pairs))
        assert pm.rank_loss(y, score) == pytest.approx(1 - np.mean(pairs), abs=1e-12)
        U = scipy.stats.mannwhitneyu(score[y == 1], score[y == 0]).statistic
        assert pm.auc(y, score) == pytest.approx(U / len(pairs))

    @settings(max_examples=60)
    @given(SCORED)
    def test_what_leaves_them_alone(self, rows):
        y = np.array([row[0] for row in rows])
        score, times = np.array([row[1] for row in rows], dtype=float), np.array([row[2] for row in rows])
        area = pm.auc(y, score)
        assert pm.auc(y, np.exp(score)) == pytest.approx(area)  # any monotone change of the scores
        assert pm.auc(y, -score) == pytest.approx(1 - area)
        assert pm.auc(~y, score) == pytest.approx(1 - area)
        assert pm.auc(y, np.full(len(y), 0.1)) == 0.5
        order = np.random.default_rng(0).permutation(len(y))
        assert pm.average_precision(y[order], score[order]) == pytest.approx(pm.average_precision(y, score))
        again = np.repeat(y, times), np.repeat(score, times)
        for f in (pm.auc, pm.average_precision, pm.break_even_point, pm.expected_total_cost):
            assert f(y, score, sample_weight=times) == pytest.approx(f(*again), abs=1e-12)
        assert pm.auc(y, score, sample_weight=np.where(y, 7.0, 0.3)) == pytest.approx(area)  # class ratio

    def test_ties_are_the_mean_of_both_staircases(self):
        y, score = ranked(5, levels=1)
        nudge = 1e-6 * (2 * y - 1)
        first, last = pm.auc(y, score + nudge), pm.auc(y, score - nudge)
        assert first > last + 0.1
        assert pm.auc(y, score) == pytest.approx((first + last) / 2)

    def test_average_precision_is_a_step_sum(self):
        y = np.repeat([1, 0], (3, 7))
        assert pm.average_precision(y, np.zeros(10)) == pytest.approx(0.3)
        R, P = np.array([0, 1]), np.array([1, 0.3])
        assert np.trapezoid(P, R) == pytest.approx(0.65)  # what the trapezoid rule would make of it
        assert pm.average_precision(y, np.arange(10)[::-1]) == 1

    def test_break_even_point(self):
        for seed in range(20):
            y, score = ranked(seed, n=40)
            P, R, _ = pm.precision_recall_curve(y, score)
            at = np.flatnonzero((P == R) & (P > 0))
            assert len(at) <= 1
            assert pm.break_even_point(y, score) == (P[at[0]] if len(at) else 0)
            assert pm.break_even_point(y, score) == np.mean(y[np.argsort(-score)][: y.sum()])
        # a tie over rank m⁺: the mean over all orders of the tied rows
        y, score = np.array([1, 0, 1, 1, 0, 0]), np.array([3.0, 2, 2, 2, 2, 1])
        orders = [np.mean([1, *order][:3]) for order in itertools.permutations([0, 1, 1, 0])]
        assert pm.break_even_point(y, score) == pytest.approx(np.mean(orders))
        assert pm.break_even_point([0, 0, 1], [3, 2, 1]) == 0
        assert pm.break_even_point([1, 1], [3, 2]) == 1

    def test_recall_is_monotone_and_precision_is_not(self):
        y, score = ranked(1)
        P, R, _ = pm.precision_recall_curve(y, score)
        assert (np.diff(R) >= 0).all()
        assert (np.diff(P) > 0).any() and (np.diff(P) < 0).any()

    def test_one_class(self):
        for f in (pm.roc_curve, pm.auc, pm.rank_loss, pm.cost_curve, pm.expected_total_cost):
            with pytest.raises(ValueError, match="all 3 rows are negative: both classes"):
                f([0, 0, 0], [1, 2, 3])
            with pytest.raises(ValueError, match="all 3 rows are positive: both classes"):
                f([1, 1, 1], [1, 2, 3])
        for f in (pm.precision_recall_curve, pm.average_precision, pm.break_even_point):
            with pytest.raises(ValueError, match="no row is positive"):
                f([0, 0, 0], [1, 2, 3])
            f([1, 1, 1], [1, 2, 3])
        assert pm.average_precision([1, 1, 1], [1, 2, 2]) == 1
        # weights that leave one class only
        with pytest.raises(ValueError, match="all 2 rows are positive"):
            pm.auc([0, 1, 1], [1, 2, 3], sample_weight=[0, 1, 1])

    def test_all_ties(self):
        fpr, tpr, thresholds = pm.roc_curve([0, 1, 1], [2, 2, 2])
        assert fpr.tolist() == tpr.tolist() == [0, 1] and thresholds.tolist() == [np.inf, 2]
        assert pm.auc([0, 1, 1], [2, 2, 2]) == 0.5 == pm.rank_loss([0, 1, 1], [2, 2, 2])

    def test_words_as_labels_and_kinds_of_scores(self):
        y, score = ranked(2)
        area = pm.auc(y, score)
        words = np.array(["no", "yes"])[y]
        assert pm.auc(words, score, pos_label="yes") == area
        assert pm.auc(words, score, pos_label="no") == pytest.approx(1 - area)
        with pytest.raises(ValueError, match="pos_label"):
            pm.auc(words, score)
        for kind in (list, pd.Series, lambda s: s[:, np.newaxis], lambda s: np.repeat(s, 2)[::2]):
            assert pm.auc(y, kind(score)) == area
        assert pm.auc(y, score.astype(np.float32)) == pytest.approx(area, abs=1e-3)
        for scale in (1e-8, 1e8, 1e-200):
            assert pm.auc(y, score * scale) == pytest.approx(area)
        order = np.random.default_rng(0).integers(-5, 5, size=len(y)).astype(np.int8)
        assert pm.auc(y, order) == pytest.approx(metrics.roc_auc_score(y, order))
        assert pm.auc(y, score > 0) == pytest.approx(metrics.roc_auc_score(y, score > 0))

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: pm.auc([0, 1], [0.1, np.inf]), "infin"),
            (lambda: pm.auc([0, 1], [0.1, 0.2, 0.3]), r"\[2, 3\]"),
            (lambda: pm.auc([0, 1], np.ones((2, 2))), "column of the positive class"),
            (lambda: pm.roc_curve([0, 1, 2], [1, 2, 3]), "pos_label"),
            (lambda: pm.average_precision([0, 1], [1, 2], sample_weight=[0, 0]), "zero"),
        ],
    )
    def test_bad_input(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


# ---------------------------------------------------------------------------------------------------------------
# Costs
# ---------------------------------------------------------------------------------------------------------------
class TestCosts:
    def test_of_a_table(self):
        true, predicted, weights = several(4, K=3)
        cost = np.random.default_rng(0).uniform(size=(3, 3))
        paid = cost[true, predicted]
        assert pm.cost_sensitive_error(true, predicted, cost) == pytest.approx(paid.mean())
        ours = pm.cost_sensitive_error(true, predicted, cost, sample_weight=weights)
        assert ours == pytest.approx(np.average(paid, weights=weights))
        equal = 1 - np.eye(3)
        assert pm.cost_sensitive_error(true, predicted, equal) == pytest.approx(pm.error_rate(true, predicted))
        # a missed positive at 10, a false alarm at 1: rows of the table are true classes
        assert pm.cost_sensitive_error([1, 0, 0, 0], [0, 1, 0, 0], [[0, 1], [10, 0]]) == 11 / 4
        assert pm.cost_sensitive_error([0, 0], [0, 0], [[0, 1], [10, 0]], labels=[0, 1]) == 0
        with pytest.raises(ValueError, match=r"shape \(2, 2\), but there are 1 classes \(0\); name the classes"):
            pm.cost_sensitive_error([0, 0], [0, 0], [[0, 1], [10, 0]])
        with pytest.raises(ValueError, match="NaN"):
            pm.cost_sensitive_error([0, 1], [0, 1], [[0, np.nan], [1, 0]])

    def test_corners_on_one_line_stay_in_order(self):
        """Two steps of the ROC curve with one slope, 2/14 : 2/11 and 7/14 : 7/11, meet at one q but for rounding."""
        y = np.repeat([0, 0, 0, 1, 1, 1], [2, 7, 5, 2, 7, 2])
        score = np.repeat([1.0, 0, -1, 1, 0, -1], [2, 7, 5, 2, 7, 2])
        q = pm.cost_curve(y, score).q
        assert (np.diff(q) >= 0).all() and q[1] == pytest.approx(11 / 25)

    @settings(max_examples=60)
    @given(SCORED)
    def test_envelope_by_brute_force(self, rows):
        y, score = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=float)
        curve = pm.cost_curve(y, score)
        q = np.linspace(0, 1, 101)
        lowest = np.min(np.outer(curve.fnr, q) + np.outer(curve.fpr, 1 - q), axis=0)
        assert_allclose(np.interp(q, curve.q, curve.cost), lowest, atol=1e-12)
        assert (np.diff(curve.q) >= 0).all() and curve.q[0] == 0 and curve.q[-1] == 1
        assert (curve.cost <= np.minimum(curve.q, 1 - curve.q) + 1e-12).all()
        assert 0 <= pm.expected_total_cost(y, score) <= 0.25 + 1e-12

    @pytest.mark.parametrize("n, levels", [(50, None), (3000, None), (3000, 5), (20_000, None)])
    def test_envelope_is_that_of_the_hull(self, n, levels):
        y, score = ranked(n, n=n, levels=levels)
        fpr, tpr, _ = pm.roc_curve(y, score)
        corners = ConvexHull(np.column_stack([np.append(fpr, 1), np.append(tpr, 0)])).vertices
        x, up = np.append(fpr, 1)[corners], np.append(tpr, 0)[corners]
        q = np.linspace(0, 1, 301)
        lowest = np.min(np.outer(1 - up, q) + np.outer(x, 1 - q), axis=0)
        curve = pm.cost_curve(y, score)
        assert_allclose(np.interp(q, curve.q, curve.cost), lowest, atol=1e-9)

    def test_hull_of_a_curve_that_folds_up_point_by_point(self):
        # good at first, then one great tie: the last point throws out nearly all others, one after the other
        y = np.concatenate([np.repeat([1, 0], 2000), np.tile([1, 0], 3000)])
        score = np.concatenate([np.sort(np.random.default_rng(0).normal(size=4000))[::-1], np.full(6000, -9.0)])
        curve = pm.cost_curve(y, score)
        q = np.linspace(0, 1, 101)
        lowest = np.min(np.outer(curve.fnr, q) + np.outer(curve.fpr, 1 - q), axis=0)
        assert_allclose(np.interp(q, curve.q, curve.cost), lowest, atol=1e-12)

    def test_same_auc_other_costs(self):
        # ROC through (0, ½) and through (¼, ¾): one area, two costs
        assert pm.expected_total_cost([1, 1, 0, 0], [4, 4, 4, 4]) == 0.25
        assert pm.expected_total_cost([1, 1, 0, 0], [1, 2, 3, 4]) == 0.25  # reversed: best not used
        one = [1, 1, 0, 0], [3, 2, 2, 2]
        two = [1, 1, 1, 1, 0, 0, 0, 0], [3, 3, 3, 2, 3, 2, 2, 2]
        assert pm.auc(*one) == pm.auc(*two) == 0.75
        assert pm.expected_total_cost(*one) == pytest.approx(1 / 6)
        assert pm.expected_total_cost(*two) == pytest.approx(3 / 16)
        assert pm.expected_total_cost([0, 1], [1, 2]) == 0

    def test_normalised_cost_is_the_cost_of_a_row(self):
        y, score = ranked(8, n=200)
        curve, p, miss, alarm = pm.cost_curve(y, score), 0.2, 7.0, 2.0
        for k in (0, 20, 60):
            predicted = (score >= curve.thresholds[k]).astype(int)
            weights = np.where(y == 1, p / y.sum(), (1 - p) / np.sum(1 - y))  # a world with the share p
            paid = pm.cost_sensitive_error(y, predicted, [[0, alarm], [miss, 0]], labels=[0, 1], sample_weight=weights)
            worst = p * miss + (1 - p) * alarm
            q = p * miss / worst
            assert costs.normalised_cost(q, curve.fpr[k], curve.fnr[k]) == pytest.approx(paid / worst)


# ---------------------------------------------------------------------------------------------------------------
# Tests
# ---------------------------------------------------------------------------------------------------------------
class TestTails:
    """The tails of mlcore.numerics against SciPy's, and exactly where these lose digits."""

    rng = np.random.default_rng(0)
    df, df2 = rng.integers(1, 400, size=(2, 800))

    @pytest.mark.parametrize("name", ["normal", "chi2", "t", "f", "binomial"])
    def test_as_scipy_also_far_out(self, name):
        rng, df, df2 = np.random.default_rng(1), self.df, self.df2
        n, p = rng.integers(1, 2000, size=800), rng.uniform(size=800)
        z, t = rng.uniform(-8, 37, size=800), rng.normal(size=800) * 10.0 ** rng.uniform(-3, 3, size=800)
        x, f = df * 10.0 ** rng.uniform(-3, 1, size=800), 10.0 ** rng.uniform(-3, 1, size=800)
        k = np.clip(np.round(n * p + rng.normal(size=800) * 8 * np.sqrt(n * p * (1 - p))), 0, n)
        ours, theirs = {
            "normal": lambda: (numerics.normal_tail(z), scipy.stats.norm.sf(z)),
            "chi2": lambda: (numerics.chi2_tail(x, df), scipy.stats.chi2.sf(x, df)),
            "t": lambda: (numerics.t_tail(t, df), scipy.stats.t.sf(t, df)),
            "f": lambda: (numerics.f_tail(f, df, df2), scipy.stats.f.sf(f, df, df2)),
            "binomial": lambda: (numerics.binomial_tail(k, n, p), scipy.stats.binom.sf(k - 1, n, p)),
        }[name]()
        seen = theirs > 1e-100  # SciPy's own digits fail further out
        assert_allclose(ours[seen], theirs[seen], rtol=1e-10)
        assert seen.sum() > 500 and (theirs[seen] < 1e-12).any()

    def test_t_and_f_keep_their_digits_for_very_many_degrees_of_freedom(self):
        rng = np.random.default_rng(3)
        many, t = 10.0 ** rng.uniform(4, 10, size=300), 3 * rng.normal(size=300)
        assert_allclose(numerics.t_tail(t, many), scipy.stats.t.sf(t, many), rtol=1e-12)
        assert_allclose(numerics.f_tail(t**2, 1, many), 2 * scipy.stats.t.sf(abs(t), many), rtol=1e-12)
        for df, f in ((1, 0.7), (3, 2.0), (5, 1.3)):  # F times its first degrees is χ² in the end
            assert numerics.f_tail(f, df, 1e12) == pytest.approx(scipy.stats.chi2.sf(f * df, df), rel=1e-9)

    @pytest.mark.parametrize("k, n, p", [(776, 806, 0.375), (5, 10, 0.3), (1, 1, 0.25), (300, 1000, 0.0625)])
    def test_binomial_exactly(self, k, n, p):
        P = Fraction(p)
        exact = sum(math.comb(n, i) * P**i * (1 - P) ** (n - i) for i in range(k, n + 1))
        assert float(Fraction(float(numerics.binomial_tail(k, n, p))) / exact) == pytest.approx(1, rel=1e-11)

    def test_incomplete_functions(self):
        rng = np.random.default_rng(2)
        a, b, s = 10.0 ** rng.uniform(-2, 5, size=(3, 800))
        x, v = rng.uniform(size=800), s * 10.0 ** rng.uniform(-1, 0.5, size=800)
        assert_allclose(numerics.incomplete_beta(a, b, x), scipy.special.betainc(a, b, x), rtol=1e-10, atol=1e-290)
        assert_allclose(numerics.incomplete_gamma(s, v), scipy.special.gammaincc(s, v), rtol=1e-10, atol=1e-290)

    def test_ends(self):
        assert numerics.binomial_tail(0, 5, 0.3) == 1 and numerics.binomial_tail(6, 5, 0.3) == 0
        assert numerics.binomial_tail(5, 5, 0.0) == 0 and numerics.binomial_tail(5, 5, 1.0) == 1
        assert numerics.chi2_tail(0, 3) == numerics.f_tail(0, 3, 4) == 1
        assert numerics.normal_tail(0) == pytest.approx(0.5) and numerics.t_tail(0.0, 7) == pytest.approx(0.5)
        assert isinstance(float(numerics.t_tail(1, 2)), float) and numerics.t_tail([1, 2], 2).shape == (2,)


def rates(seed, shape=(10,)):
    """Error rates of two models, in twentieths."""
    rng = np.random.default_rng(seed)
    return rng.integers(1, 10, size=(2, *shape)) / 20


class TestComparison:
    @pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
    @pytest.mark.parametrize(
        "errors, n, rate", [(5, 10, 0.3), (6, 10, 0.3), (0, 20, 0.1), (20, 20, 0.9), (37, 400, 0.06)]
    )
    def test_binomial_as_scipy(self, errors, n, rate, alternative):
        ours, theirs = pm.binomial_test(errors, n, rate, alternative=alternative), scipy.stats.binomtest
        right = theirs(errors, n, rate, alternative=alternative).pvalue
        assert ours.p_value == pytest.approx(right, rel=1e-9, abs=0) and ours.statistic == errors / n

    @given(st.integers(1, 3000), st.data())
    @settings(max_examples=200, deadline=None)
    def test_binomial_two_sided_as_scipy(self, n, data):
        rate = data.draw(st.sampled_from([0.5, 0.25, 0.1, 1e-3, 1 / 3, 0.9]))
        errors = int(np.clip(round(n * rate) + data.draw(st.integers(-60, 60)), 0, n))
        right = scipy.stats.binomtest(errors, n, rate).pvalue
        ours = pm.binomial_test(errors, n, rate, alternative="two-sided").p_value
        assert ours == pytest.approx(right, rel=1e-9, abs=1e-250)

    def test_binomial_of_many_rows(self):
        for n in (10**6, 10**7):
            assert pm.binomial_test(n // 2, n, 0.5, alternative="two-sided").p_value == pytest.approx(1, abs=1e-14)
            errors = n // 2 + 3 * math.isqrt(n) // 2  # three deviations
            for alternative in ("two-sided", "greater", "less"):
                ours = pm.binomial_test(errors, n, 0.5, alternative=alternative).p_value
                right = scipy.stats.binomtest(errors, n, 0.5, alternative=alternative).pvalue
                assert ours == pytest.approx(right, rel=1e-11)
        rate, n = 3.4083989070746314e-07, 4905065  # of no error at all: (1 - rate)ⁿ
        none = pm.binomial_test(0, n, rate, alternative="less").p_value
        assert none == pytest.approx(math.exp(n * math.log1p(-rate)), rel=1e-13)

    def test_binomial_of_the_book(self):
        assert pm.binomial_test(5, 10, 0.3).p_value == pytest.approx(0.1503, abs=5e-5)
        assert pm.binomial_test(6, 10, 0.3).p_value == pytest.approx(0.0473, abs=5e-5)
        assert pm.binomial_test(0, 10, 0.3).p_value == 1
        assert pm.binomial_test(1, 10, 0.0).p_value == 0 and pm.binomial_test(10, 10, 1.0).p_value == 1
        assert pm.binomial_test(1, 10, 0.0, alternative="two-sided").p_value == 0
        assert pm.binomial_test(10**6 // 2, 10**6, 0.5).p_value == pytest.approx(0.5004, abs=1e-4)

    @pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
    @pytest.mark.parametrize("seed", range(4))
    def test_t_as_scipy(self, seed, alternative):
        a, b = rates(seed)
        for ours, theirs in (
            (pm.t_test(a, 0.2, alternative=alternative), scipy.stats.ttest_1samp(a, 0.2, alternative=alternative)),
            (pm.paired_t_test(a, b, alternative=alternative), scipy.stats.ttest_rel(a, b, alternative=alternative)),
        ):
            assert ours == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=0)

    def test_t_far_out(self):
        a = 0.5 + 1e-4 * np.random.default_rng(0).normal(size=40)
        ours, theirs = pm.t_test(a, 0.2), scipy.stats.ttest_1samp(a, 0.2)
        assert theirs.pvalue < 1e-100
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=0)

    def test_t_without_spread(self):
        equal = np.full(3, 0.1)
        assert equal.std(ddof=1) > 0  # rounding: the mean of three tenths is not a tenth
        assert pm.t_test(equal, 0.1) == (0, 1) and pm.t_test(equal, 0.2) == (-math.inf, 0)
        assert pm.t_test(equal, 0.2, alternative="greater") == (-math.inf, 1)
        assert pm.t_test(equal, 0.2, alternative="less") == (-math.inf, 0)
        assert pm.t_test(equal, 0.1, alternative="less") == (0, pytest.approx(0.5))
        assert pm.paired_t_test([0.3, 0.4, 0.5], [0.2, 0.3, 0.4]) == (math.inf, 0)
        assert pm.paired_t_test([0.3, 0.4, 0.5], [0.3, 0.4, 0.5]) == (0, 1)

    @pytest.mark.parametrize("seed", range(4))
    def test_five_by_two_by_hand(self, seed):
        a, b = rates(seed, (5, 2))
        variances = [np.var(d, ddof=1) for d in a - b]
        for numerator, above in (("first", a[0, 0] - b[0, 0]), ("mean", np.mean(a[0] - b[0]))):
            t, p = pm.five_by_two_cv_t_test(a, b, numerator=numerator)
            assert t == pytest.approx(above / np.sqrt(np.mean(variances)))
            assert p == pytest.approx(2 * scipy.stats.t.sf(abs(t), 5))

    def test_five_by_two_of_both_authors(self):
        # ten independent normal differences: neither keeps the level of 5 %; the book's mean times √2 would
        D = np.random.default_rng(3).normal(size=(20_000, 5, 2))
        beyond = scipy.stats.t.isf(0.025, 5)
        below = np.sqrt(np.mean((D[:, :, 0] - D[:, :, 1]) ** 2 / 2, axis=1))
        first, mean = D[:, 0, 0] / below, D[:, 0].mean(axis=1) / below
        ours = [pm.five_by_two_cv_t_test(d, np.zeros((5, 2)), numerator="mean").statistic for d in D[:50]]
        assert_allclose(ours, mean[:50])
        sizes = [np.mean(np.abs(t) > beyond) for t in (first, mean, math.sqrt(2) * mean)]
        assert sizes == pytest.approx([0.028, 0.015, 0.05], abs=0.005)
        # of t₅/√2 the share beyond t₅'s 5 % point
        assert 2 * scipy.stats.t.sf(math.sqrt(2) * scipy.stats.t.isf(0.025, 5), 5) == pytest.approx(0.0150, abs=5e-4)

    def test_five_by_two_without_spread(self):
        a = np.full((5, 2), 0.3)
        assert pm.five_by_two_cv_t_test(a, a) == (0, 1)
        assert pm.five_by_two_cv_t_test(a, a - 0.1) == (math.inf, 0)

    @pytest.mark.parametrize("b, c", [(0, 1), (3, 9), (12, 30), (100, 40), (1000, 0)])
    def test_mcnemar(self, b, c):
        statistic, p = pm.mcnemar_test(b, c)
        assert statistic == pytest.approx((abs(b - c) - 1) ** 2 / (b + c))
        assert p == pytest.approx(scipy.stats.chi2.sf(statistic, 1), rel=1e-6, abs=0)
        assert pm.mcnemar_test(c, b) == (statistic, p)
        exact = scipy.stats.binomtest(min(b, c), b + c, 0.5).pvalue
        assert pm.mcnemar_test(b, c, exact=True) == (min(b, c), pytest.approx(exact, rel=1e-9, abs=0))

    def test_mcnemar_at_and_near_balance(self):
        for b, c in ((5, 5), (5, 6)):
            assert pm.mcnemar_test(b, c) == (0, 1)
            assert pm.mcnemar_test(b, c, exact=True).p_value == pytest.approx(1)
        # without the maximum a perfect balance would count as evidence: (0 - 1)² / 10
        assert scipy.stats.chi2.sf((abs(5 - 5) - 1) ** 2 / 10, 1) == pytest.approx(0.75, abs=0.01)
        assert pm.mcnemar_test(0, 0) == pm.mcnemar_test(0, 0, exact=True) == (0, 1)

    def test_disagreements(self):
        true, a, b = [1, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 1, 0, 1]
        assert pm.disagreements(true, a, b) == (2, 1)
        words = np.array(["no", "yes"])
        assert pm.disagreements(words[true], words[a], words[b]) == (2, 1)
        with pytest.raises(ValueError, match="inconsistent"):
            pm.disagreements(true, a, b[:3])

    @pytest.mark.parametrize("seed", range(6))
    def test_friedman_as_scipy(self, seed):
        rng = np.random.default_rng(seed)
        table = rng.integers(0, 6, size=(rng.integers(4, 20), rng.integers(3, 7))) / 6
        ranks = scipy.stats.rankdata(table, axis=1)
        assert_allclose(pm.average_ranks(table), ranks.mean(axis=0))
        best_last = scipy.stats.rankdata(-table, axis=1).mean(axis=0)
        assert_allclose(pm.average_ranks(table, higher_is_better=True), best_last)
        theirs = scipy.stats.friedmanchisquare(*table.T)
        ours = pm.friedman_test(table, form="chi2", correct_ties=True)
        assert ours == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=0)
        chi2, _ = pm.friedman_test(table, form="chi2")
        assert chi2 < ours.statistic
        N, k = table.shape
        for corrected, statistic in ((True, theirs.statistic), (False, chi2)):
            F = (N - 1) * statistic / (N * (k - 1) - statistic)
            right = scipy.stats.f.sf(F, k - 1, (k - 1) * (N - 1))
            ours = pm.friedman_test(table, correct_ties=corrected)
            assert ours == pytest.approx((F, right), rel=1e-9, abs=0)

    def test_friedman_without_ties_as_scipy(self):
        table = np.random.default_rng(9).normal(size=(8, 4))
        theirs = scipy.stats.friedmanchisquare(*table.T)
        for correct_ties in (False, True):
            ours = pm.friedman_test(table, form="chi2", correct_ties=correct_ties)
            assert ours == pytest.approx((theirs.statistic, theirs.pvalue))
        assert pm.friedman_test(np.exp(table)) == pm.friedman_test(-table) == pm.friedman_test(table)

    def test_friedman_of_the_book(self):
        ranks = [[1, 2, 3], [1, 2.5, 2.5], [1, 2, 3], [1, 2, 3]]  # table 2.5 of the book
        assert pm.average_ranks(ranks).tolist() == [1, 2.125, 2.875]
        assert pm.friedman_test(ranks, form="chi2").statistic == pytest.approx(7.125)
        assert pm.friedman_test(ranks, form="chi2", correct_ties=True).statistic == pytest.approx(7.6)
        assert pm.friedman_test(ranks).statistic == pytest.approx(24.43, abs=0.005)
        assert pm.nemenyi_critical_difference(3, 4) == pytest.approx(1.657, abs=5e-4)

    def test_friedman_at_its_ends(self):
        alike = np.tile([1.0, 2, 3], (4, 1))
        assert pm.friedman_test(alike) == (math.inf, 0)
        assert pm.friedman_test(alike, form="chi2").statistic == pytest.approx(8)
        tied = np.ones((4, 3))
        for form, correct_ties in itertools.product(("f", "chi2"), (False, True)):
            assert pm.friedman_test(tied, form=form, correct_ties=correct_ties) == (0, 1)
        assert pm.friedman_test([[1, 2], [2, 1]]) == (0, 1)

    def test_nemenyi_as_the_table_and_scipy(self):
        table = [1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164]
        for k, q in zip(range(2, 11), table, strict=True):
            unit = math.sqrt(k * (k + 1) / (6 * 30))
            assert pm.nemenyi_critical_difference(k, 30) / unit == pytest.approx(q, abs=6e-4)
        for k, alpha in ((2, 0.1), (5, 0.01), (40, 1e-4), (1000, 0.05)):
            right = scipy.stats.studentized_range.isf(alpha, k, np.inf) / math.sqrt(2)
            unit = math.sqrt(k * (k + 1) / (6 * 30))
            assert pm.nemenyi_critical_difference(k, 30, alpha=alpha) / unit == pytest.approx(right, rel=1e-7)
        assert comparison.range_tail(0.0, 4) == pytest.approx(1)
        # two models: the difference of two normals, √2 z
        assert comparison.range_tail(1.5, 2) == pytest.approx(2 * scipy.stats.norm.sf(1.5 / math.sqrt(2)))

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: pm.binomial_test(11, 10, 0.3), "errors must be a whole number from 0 to 10"),
            (lambda: pm.binomial_test(2.0, 10, 0.3), "whole number"),
            (lambda: pm.paired_t_test([0.1, 0.2], [0.1, 0.2, 0.3]), "2 entries and errors_b 3"),
            (lambda: pm.five_by_two_cv_t_test(np.ones((2, 5)), np.ones((2, 5))), r"\(5, 2\)"),
        ],
    )
    def test_bad_input(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


def test_core_functions_know_no_door():
    """The core takes arrays as they are: a hull of lists and of arrays is the same."""
    y, score = ranked(7)
    _, TP, FP = ranking.sweep(y == 1, score, np.ones(len(y)))
    x, up = ranking.rates(TP, FP)
    assert_array_equal(costs.upper_hull(x, up), costs.upper_hull(x.tolist(), up.tolist()))


# ---------------------------------------------------------------------------------------------------------------
# Odd input
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("test", [
    lambda: pm.binomial_test(5 * 10**17, 10**18, 0.5),
    lambda: pm.binomial_test(5, 10**400, 0.5),
    lambda: pm.binomial_test(10**8, 10**9, 0.1, alternative="two-sided"),
    lambda: pm.mcnemar_test(10**18, 10**18, exact=True),
    lambda: pm.mcnemar_test(10**400, 0),
])  # fmt: skip
def test_counts_beyond_any_test_set_are_refused(test):
    with pytest.raises(ValueError, match="10000000"):
        test()


def test_labels_of_64_bits_with_and_without_a_sign_stay_apart():
    true, predicted = np.array([2**60, 2**60 + 1], dtype=np.uint64), np.array([2**60, 2**60])
    assert pm.confusion_matrix(true, predicted).tolist() == [[1, 0], [1, 0]]
