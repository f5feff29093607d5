"""Performance metrics and tests against scikit-learn's and SciPy's."""

import numpy as np
import scipy.stats
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull
from sklearn import metrics

from benchmarks.core import Face, Row
from mlcore import performance_metrics as pm
from mlcore.performance_metrics.ranking import rates, sweep, trapezoids

SIZES = (1_000, 10_000, 100_000)


def ranked(n):
    """Labels, and scores with some ties."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    return y, np.round(rng.normal(size=n) + y, 3)


def labelled(n):
    """True and predicted labels of ten classes."""
    rng = np.random.default_rng(0)
    true, guess = rng.integers(10, size=(2, n))
    return true, np.where(rng.random(n) < 0.5, true, guess)


def their_total_cost(y, score):
    """Area under the lower envelope by scikit-learn's ROC curve and SciPy's hull."""
    fpr, tpr, _ = metrics.roc_curve(y, score, drop_intermediate=False)
    points = np.column_stack([np.append(fpr, 1), np.append(tpr, 0)])
    corners = points[np.setdiff1d(ConvexHull(points).vertices, [len(fpr)])]
    x, up = corners[np.argsort(corners.sum(axis=1))].T
    q = np.diff(x) / (np.diff(x) + np.diff(up))
    cost = q * (1 - up[1:]) + (1 - q) * x[1:]
    return np.trapezoid(np.concatenate([[0], cost, [0]]), np.concatenate([[0], q, [1]]))


def scored(n):
    """Error rates of eight models on n data sets."""
    return (np.random.default_rng(0).normal(size=(n, 8)),)


def paired(n):
    """Two columns of error rates."""
    return tuple(np.random.default_rng(0).normal(size=(2, n)))


def same(a, b, *data):
    """The same numbers."""
    assert_allclose(np.ravel(a), np.ravel(b), rtol=1e-8, atol=1e-12)


def their_averages(true, predicted):
    """What ``macro_micro`` returns, by scikit-learn."""
    macro, micro = (
        metrics.precision_recall_fscore_support(true, predicted, average=way)[:3] for way in ("macro", "micro")
    )
    P, R, F = macro
    return [P, R, 2 * P * R / (P + R), F, *micro]


def their_friedman(table):
    """The ranks' test by SciPy."""
    result = scipy.stats.friedmanchisquare(*table.T)
    return result.statistic, result.pvalue


ROWS = [
    Row("confusion matrix, 10 classes", SIZES, labelled, pm.confusion_matrix, metrics.confusion_matrix, same),
    Row(
        "macro and micro averages", SIZES, labelled,
        ours=lambda true, predicted: list(pm.macro_micro(true, predicted).values()), theirs=their_averages, same=same,
    ),
    Row(
        "F1", SIZES, lambda n: tuple((labels > 4).astype(int) for labels in labelled(n)),
        ours=pm.f1, theirs=metrics.f1_score, same=same,
    ),
    Row("AUC", SIZES, ranked, pm.auc, metrics.roc_auc_score, same),
    Row(
        "ROC curve", SIZES, ranked, pm.roc_curve,
        lambda y, score: metrics.roc_curve(y, score, drop_intermediate=False),
        lambda a, b, *data: [assert_allclose(ours, theirs, atol=1e-12) for ours, theirs in zip(a, b)],
    ),
    Row("average precision", SIZES, ranked, pm.average_precision, metrics.average_precision_score, same),
    Row(
        "rank loss (theirs: Mann and Whitney's U)", SIZES, ranked, pm.rank_loss,
        lambda y, score: 1 - scipy.stats.mannwhitneyu(score[y == 1], score[y == 0]).statistic
        / (np.sum(y == 1) * np.sum(y == 0)),
        same,
    ),
    Row("expected total cost", SIZES, ranked, pm.expected_total_cost, their_total_cost, same),
    Row("paired t-test", (10, 1_000, 100_000), paired, pm.paired_t_test, scipy.stats.ttest_rel, same),
    Row(
        "binomial test", (10, 100, 1_000), lambda n: (n // 3, n, 0.3),
        ours=lambda errors, n, rate: pm.binomial_test(errors, n, rate).p_value,
        theirs=lambda errors, n, rate: scipy.stats.binomtest(errors, n, rate, alternative="greater").pvalue, same=same,
    ),
    Row(
        "Friedman test", (10, 100, 1_000), scored,
        ours=lambda table: pm.friedman_test(table, form="chi2", correct_ties=True), theirs=their_friedman, same=same,
    ),
    Row(
        "Nemenyi's critical difference (size: models)", (3, 10, 100), lambda k: (k,),
        ours=lambda k: pm.nemenyi_critical_difference(k, 30),
        theirs=lambda k: scipy.stats.studentized_range.isf(0.05, k, np.inf) * np.sqrt(k * (k + 1) / (12 * 30)),
        same=lambda a, b, *data: assert_allclose(a, b, rtol=1e-6),
    ),
]


FACES = [
    Face(
        "AUC over its core", (400,), ranked, pm.auc,
        lambda y, score: trapezoids(*rates(*sweep(y == 1, score, np.ones(len(y)))[1:])), same,
    )
]
