"""Graders of chapter 9."""

import functools

import numpy as np

from mlcore.classroom.exercises import Unknown, call, close, exercise, expect, number
from mlcore.datasets import load_breast_cancer
from mlcore.logistic_regression import LogisticRegression


@exercise(
    "9.1",
    hint="Of 10,000 people 100 are sick. How many of them are alarmed, and how many of the others?",
    step="In 10,000 people 90 of the sick are alarmed, and 5 % of the 9,900 healthy ones. Which share of these two "
    "together is sick?",
    wrong=[0.9, 0.95, 0.009, 0.947, 0.0585, 0.9 / (0.9 + 0.05), 0.01, 15.4],
    right=[0.154, 0.1538, 2 / 13, 0.15],
)
def share_of_the_sick(answer):
    """P = 0.9 / (0.9 + 99 · 0.05)."""
    value = number(answer)
    expect(not close(value, 0.9, rtol=1e-3), "that is the share of the sick who are alarmed, not the other way round.")
    expect(not close(value, 0.95, rtol=1e-3), "that is the share of the healthy who are not alarmed.")
    expect(not close(value, 0.01, rtol=1e-3), "so many are sick before the test; an alarm raises the chance.")
    expect(not close(value, 0.009, rtol=1e-3), "so many are sick *and* alarmed, of all. Divide by all who are alarmed.")
    expect(not close(value, 0.0585, rtol=1e-2), "so many are alarmed. How many of these are sick?")
    expect(not close(value, 0.947, rtol=1e-3), "that would be right if as many were sick as healthy. Use 1 to 99.")
    expect(value <= 1, "give a share between 0 and 1, not per cent.")
    expect(close(value, 2 / 13, rtol=0.03))


def _tables(seed, sizes, tied):
    rng = np.random.default_rng(seed)
    for n in sizes:
        y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
        score = rng.normal(size=n) + y
        yield y, np.round(score) if tied else score


def _cases():
    """Labels and scores, without ties and with them, and both orders of a constant score."""
    yield from _tables(92, (9, 40), tied=False)
    yield from _tables(93, (9, 40), tied=True)
    constant = np.repeat([1, 0], (3, 7))
    yield constant, np.zeros(10)
    yield constant[::-1], np.zeros(10)


def _right_ap(y, score):
    return np.mean([np.mean(y[score >= threshold]) for threshold in score[y == 1]])


def _ap_in_order(y, score):
    """Wrong where scores are equal: the order of the rows decides."""
    hits = y[np.argsort(-score, kind="stable")]
    return np.mean((hits.cumsum() / np.arange(1, len(y) + 1))[hits == 1])


def _points(y, score):
    cuts = np.unique(score)[::-1]
    P = np.array([np.mean(y[score >= t]) for t in cuts])
    return P, np.array([np.sum(y[score >= t]) for t in cuts]) / np.sum(y)


def _ap_by_steps(y, score):
    P, R = _points(y, score)
    return np.sum(np.diff(R, prepend=0) * P)


def _ap_by_trapezoids(y, score):
    P, R = (np.append(first, values) for first, values in zip((1, 0), _points(y, score)))
    return np.sum(np.diff(R) * (P[1:] + P[:-1])) / 2


def _mean_precision(y, score):
    return np.mean(_points(y, score)[0])


def _strictly_above(y, score):
    return np.mean([np.mean(y[score > t]) if (score > t).any() else 0 for t in score[y == 1]])


def _from_below(y, score):
    return _right_ap(y, -score)


@exercise(
    "9.2",
    hint="Average precision is a mean over the positive rows. Of which precision?",
    step="For each positive row: which rows have at least its score, and what share of these is positive?",
    wrong=[_ap_in_order, _ap_by_trapezoids, _mean_precision, _strictly_above, _from_below, 0.3],
    right=[_right_ap, _ap_by_steps, lambda y, score: np.array([_right_ap(y, score)])],
)
def average_precision(answer):
    """The mean over the positives of the precision at their own score."""
    for y, score in _cases():
        value, right = number(call(answer, y.copy(), score.copy())), _right_ap(y, score)
        if close(value, right):
            continue
        for mistake, hint in (
            (_ap_by_trapezoids, "that joins the points by straight lines. Between two thresholds there is nothing."),
            (_mean_precision, "that averages over thresholds. Weigh each by the recall that it adds."),
            (_strictly_above, "the row itself counts too: its score has to be at least the threshold, not above it."),
            (_from_below, "the ranking is upside down: large scores come first."),
            (_ap_in_order, "within equal scores your answer depends on the order of the rows."),
        ):
            expect(not close(value, mistake(y, score)), hint)
        raise Unknown(f"for {len(y)} rows with {len(np.unique(score))} scores: {right:.4f}, yours gives {value:.4f}.")


@exercise(
    "9.3",
    hint="Of the 60 errors of A, how many are on rows where B is right?",
    step="b = 60 - 45 rows are wrong in A alone, c = 50 - 45 in B alone. Then (|b - c| - 1)² / (b + c).",
    wrong=[5.0, 0.7364, 0.909, 0.05, 20, 10],
    right=[4.05, 81 / 20, np.float64(4.05)],
)
def mcnemar_by_hand(answer):
    """b = 15, c = 5: 9² / 20."""
    value = number(answer)
    expect(not close(value, 5.0), "that is the statistic without the correction: take 1 off the difference first.")
    expect(not close(value, 81 / 110, rtol=1e-3), "rows that both get wrong tell nothing: only disagreements count.")
    expect(not close(value, 100 / 110, rtol=1e-3), "only disagreements count, and the correction is missing.")
    expect(not close(value, 20), "that is the number of disagreements, b + c.")
    expect(not close(value, 10), "that is the difference b - c; take 1 off, square, and divide by b + c.")
    expect(close(value, 4.05, rtol=2e-3))


@functools.cache
def _doctor():
    """The labels and scores of section 1."""
    cells = load_breast_cancer()
    ill = (cells.target == list(cells.target_names).index("malignant")).astype(int)
    two = cells.data[:, [list(cells.feature_names).index(f"mean {f}") for f in ("texture", "smoothness")]]
    order = np.random.default_rng(0).permutation(len(ill))
    train, test = order[:284], order[284:]
    center, width = two[train].mean(axis=0), two[train].std(axis=0)
    model = LogisticRegression().fit((two[train] - center) / width, ill[train])
    return ill[test], model.predict_proba((two[test] - center) / width)[:, 1]


def _cheapest(share, miss, alarm):
    y, score = _doctor()
    cuts = np.append(np.inf, np.unique(score))
    TPR, FPR = (np.array([np.mean(score[y == k] >= t) for t in cuts]) for k in (1, 0))
    return np.min(share * (1 - TPR) * miss + (1 - share) * FPR * alarm)


def _at_half():
    y, score = _doctor()
    return 0.02 * np.mean(score[y == 1] < 0.5) * 400 + 0.98 * np.mean(score[y == 0] >= 0.5) * 10


@exercise(
    "9.4",
    hint="Each threshold has its price: misses and false alarms, each as often as they happen in the village.",
    step="At one threshold a woman costs p · FNR · 400 + (1 - p) · FPR · 10 on average, with p = 0.02. "
    "pm.roc_curve(y, score) has the rates of all thresholds; take the smallest.",
    wrong=[_at_half(), _cheapest(np.mean(_doctor()[0]), 400, 10), _cheapest(0.02, 10, 400), 8.0, 9.8, 0.3],
    right=[_cheapest(0.02, 400, 10), round(_cheapest(0.02, 400, 10), 2)],
)
def what_the_doctor_costs(answer):
    """The smallest of p FNR 400 + (1 - p) FPR 10 over all thresholds."""
    value, right = number(answer), _cheapest(0.02, 400, 10)
    expect(not close(value, _at_half(), rtol=5e-3), "that is the cost at the threshold ½. Try all thresholds.")
    in_test = _cheapest(np.mean(_doctor()[0]), 400, 10)
    expect(not close(value, in_test, rtol=5e-3), "that is for the share of ill women in the test set; take 2 %.")
    turned = _cheapest(0.02, 10, 400)
    expect(not close(value, turned, rtol=5e-3), "the prices are mixed up: the miss costs 400, the false alarm 10.")
    expect(not close(value, 8.0, rtol=2e-3), "that is what it costs to call nobody ill. Some threshold is cheaper.")
    expect(not close(value, 9.8, rtol=2e-3), "that is what it costs to call everybody ill. Some threshold is cheaper.")
    expect(abs(value - right) < 0.006)


def _right_auc(y, score):
    gaps = score[y == 1][:, np.newaxis] - score[y == 0]
    return np.mean((gaps > 0) + 0.5 * (gaps == 0))


def _buggy_auc(y, score):
    hits = y[np.argsort(-score, kind="stable")]
    return np.sum(hits.cumsum()[hits == 0]) / np.sum(hits) / np.sum(1 - hits)


def _ties_lost(y, score):
    return np.mean(score[y == 1][:, np.newaxis] > score[y == 0])


def _ties_won(y, score):
    return np.mean(score[y == 1][:, np.newaxis] >= score[y == 0])


def _loss(y, score):
    return 1 - _right_auc(y, score)


def _by_ranks(y, score):
    """Right: Mann and Whitney's sum of ranks, ties sharing theirs."""
    ranks = np.array([np.sum(score < s) + (np.sum(score == s) + 1) / 2 for s in score])
    n_pos = np.sum(y)
    return (ranks[y == 1].sum() - n_pos * (n_pos + 1) / 2) / n_pos / (len(y) - n_pos)


@exercise(
    "9.5",
    hint="What should the AUC of a constant score be, in whatever order the rows come?",
    step="Compare each positive row with each negative one: the pair counts 1 where the positive has the larger "
    "score. How much where both scores are equal?",
    wrong=[_buggy_auc, _ties_lost, _ties_won, _loss, lambda y, score: 0.5, "ties"],
    right=[_right_auc, _by_ranks, lambda y, score: float(_right_auc(y, score))],
)
def area_with_ties(answer):
    """Pairs in the right order, ties for half."""
    for y, score in _cases():
        value, right = number(call(answer, y.copy(), score.copy())), _right_auc(y, score)
        if close(value, right):
            continue
        for mistake, hint in (
            (_loss, "that is the rank loss, one minus the area."),
            (_ties_lost, "a tied pair counts nothing in yours; it should count one half."),
            (_ties_won, "a tied pair counts fully in yours; it should count one half."),
            (_buggy_auc, "within equal scores the order of the rows still decides."),
        ):
            expect(not close(value, mistake(y, score)), hint)
        raise Unknown(f"for {len(y)} rows with {len(np.unique(score))} scores: {right:.4f}, yours gives {value:.4f}.")
