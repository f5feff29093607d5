"""The exercises of chapter 15: decision trees."""

import numpy as np

from mlcore.classroom.exercises import answer, implement
from mlcore.decision_trees import information_gain

answer(
    "15.1",
    hint="What does a class of share p add to the entropy?",
    step="The shares are 3/4 and 1/4; add -p log2(p) over both classes.",
    right=2 - 0.75 * np.log2(3), digits=3,
    mistakes={
        "that is the entropy in nats: use the logarithm to base 2.": 0.5623351446188083,
        "that is the Gini impurity of the node; the entropy uses logarithms.": 0.375,
        "that is the share of the rarer class, the error of a majority vote.": 0.25,
        "an entropy is never negative: the logarithms are, so a minus sign stands in front.": lambda value: value < 0,
        "with two classes the entropy is at most 1 bit.": lambda value: value > 1,
        "that is half of it: add the two terms, do not average them.": 0.4056390622295664,
    },
    also_wrong=[2.0, -0.8112781244591328, 0.8, 0.81],
)  # fmt: skip


def _children(values, labels):
    return [labels[values == value] for value in np.unique(values)]


def _shares(labels):
    return np.unique(labels, return_counts=True)[1] / len(labels)


def _entropy(labels):
    return -np.sum(_shares(labels) * np.log2(_shares(labels)))


def _gini(labels):
    return 1 - np.sum(_shares(labels) ** 2)


implement(
    "15.2",
    hint="The entropy before the split, minus what is left after it. With which weights do the branches count?",
    step="For each value take its labels, weigh their entropy (np.log2) by their share of the rows, and add up. "
    "Subtract that from the entropy of all labels.",
    right=information_gain, also_right=[lambda v, labels: [max(0.0, information_gain(labels, v))]],
    cases=lambda rng: [
        (np.array(["a", "a", "b", "b", "b"]), np.array([1, 0, 1, 1, 1])),
        (np.array(["x", "x", "x"]), np.array([0, 1, 1])),
        (rng.integers(0, 4, size=40), rng.integers(0, 3, size=40)),
        (np.array(["p", "q"]), np.array(["yes", "no"])),
    ],
    mistakes={
        "the branches count equally in yours; weigh each by its share of the rows.":
            lambda v, labels: _entropy(labels) - np.mean([_entropy(child) for child in _children(v, labels)]),
        "the entropies of the branches are added without weights; weigh each by its share of the rows.":
            lambda v, labels: _entropy(labels) - sum(_entropy(child) for child in _children(v, labels)),
        "that is the entropy after the split; the gain is the entropy before, minus that.":
            lambda v, labels: _entropy(labels) - information_gain(v, labels),
        "the sign is turned: the entropy before, minus what is left after; and an entropy is never negative.":
            lambda v, labels: -information_gain(v, labels),
        "that is the gain in nats, from np.log; for bits use np.log2, or divide by ln 2.":
            lambda v, labels: np.log(2) * information_gain(v, labels),
        "that is the gain with logarithms to base 10; for bits use np.log2.":
            lambda v, labels: np.log10(2) * information_gain(v, labels),
        "that is the fall of the Gini impurity; the information gain is the fall of the entropy.":
            lambda v, labels: _gini(labels) - sum(len(c) / len(v) * _gini(c) for c in _children(v, labels)),
    },
    otherwise=lambda value, right, values, labels: f"for values {values[:5].tolist()} and labels "
    f"{labels[:5].tolist()} (the first of {len(labels)}) it should be {right:.4f}, yours gives {value:.4f}.",
    also_wrong=[
        lambda v, labels: information_gain(v, labels) + 1e-3, lambda v, labels: 0.381,
        *(lambda v, labels, n=n: round(information_gain(v, labels), n) for n in (1, 4)),
    ],
)  # fmt: skip

answer(
    "15.3",
    hint="A gain ratio is a fraction. What stands above and what below, if every branch holds a single row?",
    step="No branch is mixed, so the gain is the whole entropy of 8 against 8, in bits; the intrinsic value is "
    "log2(16).",
    right=1 / 4,
    mistakes={
        "that is the information gain, the whole entropy of the node; divide it by the intrinsic value.": 1.0,
        "that is the intrinsic value log2(16); it goes under the fraction bar.": 4.0,
        "gain and intrinsic value want the same logarithm, to base 2 in both.": [
            1 / np.log(16), np.log(2) / 4, 1 / np.log10(16), np.log10(2) / 4
        ],
        "every branch is pure, so the gain is not 0 but all of the node's entropy.": 0.0,
    },
    also_wrong=[1 / 16],
)  # fmt: skip


def _midpoints(x):
    values = np.unique(x)
    return (values[1:] + values[:-1]) / 2


def _threshold(x, y, candidates=_midpoints, weigh=len, impurity=_gini):
    """The lowest candidate with the least impurity of its two sides."""
    best, where = np.inf, None
    for t in candidates(x):
        sides = [side for side in (y[x <= t], y[x > t]) if len(side)]
        score = sum(weigh(side) * impurity(side) for side in sides) / sum(weigh(side) for side in sides)
        if len(sides) == 2 and score < best - 1e-12:
            best, where = score, t
    return where


def _columns_of_a_table(rng):
    yield np.arange(1.0, 7.0), np.array([0, 1, 0, 1, 0, 0])
    yield np.arange(1.0, 5.0), np.array([0, 1, 1, 0])
    for n in (7, 12, 20, 31, 15):
        yield rng.permutation(n).astype(float), rng.integers(0, 3, size=n)
    yield np.array([1.0, 1.0, 2.0, 2.0, 5.0]), np.array([0, 1, 1, 1, 1])


implement(
    "15.4",
    hint="Try x = 1..6 with labels 0 1 0 1 0 0 by hand: which split leaves the fewest mixed rows?",
    step="The score adds both sides as if they were equally large. By what should each be multiplied?",
    right=_threshold, cases=_columns_of_a_table,
    mistakes={
        "the two sides still count equally, so a tiny pure side wins. Weigh each by its number of rows.":
            {"weigh": lambda side: 1},
        "right gap, but put the threshold in its middle: new values may fall between the two.":
            {"candidates": np.unique},
        "that is the threshold of least entropy; the Gini index is asked for.": {"impurity": _entropy},
        "of equally good thresholds the lowest is asked for.": lambda x, y: -1.0 * _threshold(-x, y),
    },
    otherwise=lambda value, right, x, y: f"for x = {x[:6].tolist()} and y = {y[:6].tolist()} (the first of {len(x)}) "
    f"the best threshold is {right:g}, yours is {value:g}.",
    also_wrong=[lambda x, y: np.median(x), {"candidates": lambda x: (x[1:] + x[:-1]) / 2}],
)  # fmt: skip

answer(
    "15.5",
    hint="Look at the gain of each first question about XOR, and at what two questions in a row would reach.",
    step="Every first question gains nearly nothing, and yet two together decide everything. By what does the tree "
    "choose its first one?",
    right="greedy", words=("greedy", "overfitting", "noise", "diagonal"),
    mistakes={
        "a tree of depth 2 with the right two questions makes no error at all, on new data neither.": "overfitting",
        "the labels of this data set have no noise.": "noise",
        "the true boundaries are parallel to the axes, just what a tree can draw.": "diagonal",
    },
    also_wrong=["depth"],
)  # fmt: skip

answer(
    "15.6",
    hint="C(t) is the number of errors if t becomes a leaf, C(T_t) the errors of its leaves together.",
    step="The price is (C(t) - C(T_t)) / (number of leaves - 1). Count the rarer class in the node, and in each of "
    "the leaves.",
    right=(6 - 2) / (3 - 1),
    mistakes={
        "that is C(t), the errors of the collapsed node.": 6.0,
        "count again: the errors of the leaves are 1 + 1 + 0.": 1.0,
        "collapsing three leaves into one saves two leaves, not three.": 4 / 3,
        "that is the difference in errors; divide it by the number of leaves that are saved.": 4.0,
    },
    also_wrong=[3.0, 1.5, 0.5],
)  # fmt: skip
