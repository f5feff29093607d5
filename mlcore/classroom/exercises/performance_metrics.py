"""Graders of chapter 9."""

import functools

import numpy as np

from mlcore.classroom.exercises import answer, implement
from mlcore.datasets import load_breast_cancer
from mlcore.logistic_regression import LogisticRegression

answer(
    "9.1",
    hint="Of 10,000 people 100 are sick. How many of them are alarmed, and how many of the others?",
    step="In 10,000 people 90 of the sick are alarmed, and 5 % of the 9,900 healthy ones. Which share of these two "
    "together is sick?",
    right=90 / (90 + 495), digits=3,
    mistakes={
        "that is the share of the sick who are alarmed, not the other way round.": 0.9,
        "that is the share of the healthy who are not alarmed.": 0.95,
        "so many are sick before the test; an alarm raises the chance.": 0.01,
        "so many are sick *and* alarmed, of all. Divide by all who are alarmed.": 0.009,
        "so many are alarmed. How many of these are sick?": 0.0585,
        "that would be right if as many were sick as healthy. Use 1 to 99.": [0.9 / (0.9 + 0.05), 0.947],
        "give a share between 0 and 1, not per cent.": lambda share: share > 1,
    },
    also_right=[0.154, 0.1538], also_wrong=[15.4, 0.15, 0.1525, 0.158],
)  # fmt: skip


def _ranked(_):
    """Labels and scores, without ties and with them, and both orders of a constant score."""
    for seed, tied in ((92, False), (93, True)):
        rng = np.random.default_rng(seed)
        for n in (9, 40):
            y = rng.permutation(np.arange(n) % 3 == 0).astype(int)
            score = rng.normal(size=n) + y
            yield y, np.round(score) if tied else score
    constant = np.repeat([1, 0], (3, 7))
    yield constant, np.zeros(10)
    yield constant[::-1], np.zeros(10)


def _of_ranking(value, wanted, y, score):
    return f"for {len(y)} rows with {len(np.unique(score))} scores: {wanted:.4f}, yours gives {value:.4f}."


def _mean_at_positives(y, score):
    return np.mean([np.mean(y[score >= threshold]) for threshold in score[y == 1]])


def _above(y, score, none=np.nan):
    """Wrong: for each positive row the precision of those with a larger score, of which there may be none."""
    return [np.mean(y[score > t]) if (score > t).any() else none for t in score[y == 1]]


_ORDERS = [
    lambda score: np.argsort(-score, kind="stable"), lambda score: np.argsort(-score),
    lambda score: np.argsort(score)[::-1], lambda score: np.argsort(score, kind="stable")[::-1],
]  # fmt: skip
"""Ways to sort by score, the surest first, as learners write them: they differ within ties only."""


def _in_order(y, score, order=_ORDERS[0]):
    hits = y[order(score)]
    return np.mean((hits.cumsum() / np.arange(1, len(y) + 1))[hits == 1])


def _points(y, score):
    above = score >= np.unique(score)[::-1, np.newaxis]
    return (above @ y) / above.sum(axis=1), (above @ y) / np.sum(y)


def _by_trapezoids(y, score):
    P, R = (np.append(first, values) for first, values in zip((1, 0), _points(y, score)))
    return np.sum(np.diff(R) * (P[1:] + P[:-1])) / 2


implement(
    "9.2",
    hint="Average precision is a mean over the positive rows. Of which precision?",
    step="For each positive row: which rows have at least its score, and what share of these is positive?",
    right=_mean_at_positives, cases=_ranked,
    mistakes={
        "that joins the points by straight lines. Between two thresholds there is nothing.": _by_trapezoids,
        "that averages over thresholds. Weigh each by the recall that it adds.":
            lambda y, score: np.mean(_points(y, score)[0]),
        "the row itself counts too: its score has to be at least the threshold, not above it.": [
            lambda y, score: np.mean(_above(y, score, 0.0)), lambda y, score: np.mean(_above(y, score, 1.0)),
            lambda y, score: np.mean(_above(y, score)),
            lambda y, score: np.mean([one for one in _above(y, score) if one == one] or [np.nan]),
        ],
        "those are the precisions at the positive rows: return their mean.": [
            lambda y, score: [np.mean(y[score >= t]) for t in score[y == 1]],
            lambda y, score: [np.mean(y[score >= t]) for t in np.sort(score[y == 1])[::-1]],
        ],
        "that is the sum over the positive rows: divide by their number.":
            lambda y, score: _mean_at_positives(y, score) * np.sum(y),
        "average over the positive rows only.": lambda y, score: np.mean([np.mean(y[score >= t]) for t in score]),
        "the ranking is upside down: large scores come first.": [
            lambda y, score: _mean_at_positives(y, -score),
            *(lambda y, score, order=order: _in_order(y, -score, order) for order in _ORDERS),
        ],
        "within equal scores yours takes one class first; they pass the threshold together.": [
            lambda y, score: _in_order(y, score, lambda score: np.lexsort((-y, -score))),
            lambda y, score: _in_order(y, score, lambda score: np.lexsort((y, -score))),
        ],
        "within equal scores your answer depends on the order of the rows.":
            [functools.partial(_in_order, order=order) for order in _ORDERS],
    },
    otherwise=_of_ranking,
    also_right=[lambda y, score: np.sum(np.diff(_points(y, score)[1], prepend=0) * _points(y, score)[0])],
    also_wrong=[0.3],
)  # fmt: skip

answer(
    "9.3",
    hint="Of the 60 errors of A, how many are on rows where B is right?",
    step="b = 60 - 45 rows are wrong in A alone, c = 50 - 45 in B alone. Then (|b - c| - 1)² / (b + c).",
    right=(15 - 5 - 1) ** 2 / (15 + 5),
    mistakes={
        "that is the statistic without the correction: take 1 off the difference first.": 5.0,
        "rows that both get wrong tell nothing: only disagreements count.": 81 / 110,
        "only disagreements count, and the correction is missing.": 100 / 110,
        "the correction takes 1 off |b - c|; the half step is one of b.": 9.5**2 / 20,
        "that is the number of disagreements, b + c.": 20,
        "that is the difference b - c; take 1 off, square, and divide by b + c.": 10,
    },
    also_wrong=[0.05, 4.055],
)  # fmt: skip


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


def _cost(share=0.02, miss=400, alarm=10, cuts=None):
    """Of the cheapest threshold."""
    y, score = _doctor()
    cuts = np.append(np.inf, np.unique(score)) if cuts is None else cuts
    TPR, FPR = (np.array([np.mean(score[y == k] >= t) for t in cuts]) for k in (1, 0))
    return np.min(share * (1 - TPR) * miss + (1 - share) * FPR * alarm)


answer(
    "9.4",
    hint="Each threshold has its price: misses and false alarms, each as often as they happen in the village.",
    step="At one threshold a woman costs p · FNR · 400 + (1 - p) · FPR · 10 on average, with p = 0.02. "
    "pm.roc_curve(y, score) has the rates of all thresholds; take the smallest.",
    right=_cost(), digits=2,
    mistakes={
        "that is the cost at the threshold ½. Try all thresholds.": _cost(cuts=[0.5]),
        "a better threshold lies between two of your steps of 0.01: try every score that occurs.":
            _cost(cuts=np.linspace(0, 1, 101)),
        "that is for the share of ill women in the test set; take 2 %.": _cost(np.mean(_doctor()[0])),
        "the prices are mixed up: the miss costs 400, the false alarm 10.": _cost(miss=10, alarm=400),
        "that is what it costs to call nobody ill. Some threshold is cheaper.": 0.02 * 400,
        "that is what it costs to call everybody ill. Some threshold is cheaper.": 0.98 * 10,
    },
    also_right=[round(_cost(), 2)], also_wrong=[0.3],
)  # fmt: skip


def _area(y, score, tie=0.5):
    gaps = score[y == 1][:, np.newaxis] - score[y == 0]
    return np.mean((gaps > 0) + tie * (gaps == 0))


def _steps(y, score, order=_ORDERS[0]):
    hits = y[order(score)]
    return np.sum(hits.cumsum()[hits == 0]) / np.sum(hits) / np.sum(1 - hits)


def _by_ranks(y, score):
    """Right: Mann and Whitney's sum of ranks, ties sharing theirs."""
    ranks = np.array([np.sum(score < s) + (np.sum(score == s) + 1) / 2 for s in score])
    n_pos = np.sum(y)
    return (ranks[y == 1].sum() - n_pos * (n_pos + 1) / 2) / n_pos / (len(y) - n_pos)


implement(
    "9.5",
    hint="What should the AUC of a constant score be, in whatever order the rows come?",
    step="Compare each positive row with each negative one: the pair counts 1 where the positive has the larger "
    "score. How much where both scores are equal?",
    right=_area, cases=_ranked,
    mistakes={
        "that is the rank loss, one minus the area.": lambda y, score: 1 - _area(y, score),
        "a tied pair counts nothing in yours; it should count one half.": {"tie": 0},
        "a tied pair counts fully in yours; it should count one half.": {"tie": 1},
        "within equal scores the order of the rows still decides.":
            [functools.partial(_steps, order=order) for order in _ORDERS],
    },
    otherwise=_of_ranking, also_right=[_by_ranks], also_wrong=[lambda y, score: 0.5, "ties"],
)  # fmt: skip
