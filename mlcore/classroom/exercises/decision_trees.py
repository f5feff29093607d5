"""Graders of chapter 15, decision trees."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, choice, close, exercise, expect, number
from mlcore.decision_trees import information_gain


# ---------------------------------------------------------------------------------------------------------------
# 15.1 a number by hand
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "15.1",
    hint="What does a class of share p add to the entropy?",
    step="The shares are 3/4 and 1/4; add -p log2(p) over both classes.",
    wrong=[0.5623351446188083, 0.375, 0.25, 2.0, -0.8112781244591328, 0.4056390622295664, 0.8],
    right=[0.811, 0.8113, np.array(0.81128)],
)
def entropy_by_hand(answer):
    """Entropy of three good melons and one bad one: 2 - (3/4) log2 3."""
    value = number(answer)
    if close(value, 0.5623351446188083, 1e-2):
        raise Wrong("that is the entropy in nats: use the logarithm to base 2.")
    if close(value, 0.375, 1e-2):
        raise Wrong("that is the Gini impurity of the node; the entropy uses logarithms.")
    if close(value, 0.25, 1e-2):
        raise Wrong("that is the share of the rarer class, the error of a majority vote.")
    expect(value >= 0, "an entropy is never negative: the logarithms are, so a minus sign stands in front.")
    expect(value <= 1, "with two classes the entropy is at most 1 bit.")
    if close(value, 0.4056390622295664, 1e-2):
        raise Wrong("that is half of it: add the two terms, do not average them.")
    if round(value, 2) == 0.81 or value == 0.8:
        expect(abs(value - 0.8112781244591328) < 5e-4, "nearly: give three decimals.")
    expect(abs(value - 0.8112781244591328) < 5e-4)


# ---------------------------------------------------------------------------------------------------------------
# 15.2 information gain
# ---------------------------------------------------------------------------------------------------------------
def _entropy(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return -np.sum(shares * np.log2(shares))


def _gain_of(values, labels, weigh, start=True):
    children = [labels[values == value] for value in np.unique(values)]
    after = sum(weigh(child, children, labels) * _entropy(child) for child in children)
    return _entropy(labels) - after if start else after


def _unweighted(values, labels):
    return _gain_of(values, labels, lambda child, children, labels: 1 / len(children))


def _summed(values, labels):
    return _gain_of(values, labels, lambda child, children, labels: 1.0)


def _only_after(values, labels):
    return _gain_of(values, labels, lambda child, children, labels: len(child) / len(labels), start=False)


def _in_nats(values, labels):
    return np.log(2) * information_gain(values, labels)


def _in_base_10(values, labels):
    return np.log10(2) * information_gain(values, labels)


def _gini_decrease(values, labels):
    children = [labels[values == value] for value in np.unique(values)]
    return _gini(labels) - sum(len(child) / len(labels) * _gini(child) for child in children)


def _turned(values, labels):
    return _gain_of(labels, values, lambda child, children, labels: len(child) / len(labels)) + 1e-3


@exercise(
    "15.2",
    hint="The entropy before the split, minus what is left after it. With which weights do the branches count?",
    step="For each value take its labels, weigh their entropy (np.log2) by their share of the rows, and add up. "
    "Subtract that from the entropy of all labels.",
    wrong=[
        _unweighted, _summed, _only_after, _in_nats, _in_base_10, _gini_decrease, _turned, lambda values, labels: 0.381,
        lambda values, labels: round(information_gain(values, labels), 1),
    ],
    right=[
        lambda values, labels: round(information_gain(values, labels), 4),
        lambda values, labels: max(0.0, information_gain(labels, values)),
    ],
)  # fmt: skip
def gain_function(answer):
    """Information gain of an attribute, for any number of values and classes."""
    rng = np.random.default_rng(15)
    tables = [
        (np.array(["a", "a", "b", "b", "b"]), np.array([1, 0, 1, 1, 1])),
        (np.array(["x", "x", "x"]), np.array([0, 1, 1])),
        (rng.integers(0, 4, size=40), rng.integers(0, 3, size=40)),
        (np.array(["p", "q"]), np.array(["yes", "no"])),
    ]
    for values, labels in tables:
        result = array(call(answer, values, labels), ())
        right = information_gain(values, labels)
        for mistake, hint in (
            (_unweighted, "the branches count equally in yours; weigh each by its share of the rows."),
            (_summed, "the entropies of the branches are added without weights; weigh each by its share of the rows."),
            (_only_after, "that is the entropy after the split; the gain is the entropy before, minus that."),
            (_in_nats, "that is the gain in nats, from np.log; for bits use np.log2, or divide by ln 2."),
            (_in_base_10, "that is the gain with logarithms to base 10; for bits use np.log2."),
            (_gini_decrease, "that is the fall of the Gini impurity; the information gain is the fall of the entropy."),
        ):
            if close(result, mistake(values, labels)) and not close(result, right):
                raise Wrong(hint)
        if abs(float(result) - right) < 5.1e-5:  # right, and rounded to four digits or more
            continue
        if not close(result, right):
            raise Unknown(
                f"for values {values[:5].tolist()} and labels {labels[:5].tolist()} (the first of {len(labels)}) it "
                f"should be {right:.4f}, yours gives {float(result):.4f}."
            )


# ---------------------------------------------------------------------------------------------------------------
# 15.3 the number that names every row
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "15.3",
    hint="A gain ratio is a fraction. What stands above and what below, if every branch holds a single row?",
    step="No branch is mixed, so the gain is the whole entropy of 8 against 8, in bits; the intrinsic value is "
    "log2(16).",
    wrong=[1.0, 4.0, 0.0, 1 / 16],
)
def ratio_of_an_identifier(answer):
    """Gain ratio of an attribute with 16 different values on 16 rows, 8 of each class: 1 bit / 4 bits."""
    value = number(answer)
    if close(value, 1.0):
        raise Wrong("that is the information gain, the whole entropy of the node; divide it by the intrinsic value.")
    if close(value, 4.0):
        raise Wrong("that is the intrinsic value log2(16); it goes under the fraction bar.")
    if close(value, 0.0):
        raise Wrong("every branch is pure, so the gain is not 0 but all of the node's entropy.")
    expect(close(value, 0.25, 1e-4))


# ---------------------------------------------------------------------------------------------------------------
# 15.4 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _gini(labels):
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return 1 - np.sum(shares**2)


def _threshold_by(x, y, score, candidates):
    best, where = np.inf, None
    for t in candidates(x):
        left, right = y[x <= t], y[x > t]
        if len(left) and len(right) and score(left, right) < best - 1e-12:
            best, where = score(left, right), t
    return where


def _midpoints(x):
    values = np.unique(x)
    return (values[1:] + values[:-1]) / 2


def _weighted_gini(left, right):
    return (len(left) * _gini(left) + len(right) * _gini(right)) / (len(left) + len(right))


def _mean_gini(left, right):
    return (_gini(left) + _gini(right)) / 2


def _buggy(x, y):
    return _threshold_by(x, y, _mean_gini, _midpoints)


def _at_values(x, y):
    return _threshold_by(x, y, _weighted_gini, np.unique)


def _in_given_order(x, y):
    return _threshold_by(x, y, _weighted_gini, lambda x: (x[1:] + x[:-1]) / 2)


def _highest_in_tie(x, y):
    return _threshold_by(-x, y, _weighted_gini, _midpoints) * -1.0


@exercise(
    "15.4",
    hint="Try x = 1..6 with labels 0 1 0 1 0 0 by hand: which split leaves the fewest mixed rows?",
    step="The score adds both sides as if they were equally large. By what should each be multiplied?",
    wrong=[_buggy, _at_values, lambda x, y: float(np.median(x)), _in_given_order, _highest_in_tie],
)
def best_threshold(answer):
    """The midpoint with the least weighted Gini index; the lowest one in a tie."""
    rng = np.random.default_rng(4)
    trials = [(np.arange(1.0, 7.0), np.array([0, 1, 0, 1, 0, 0])), (np.arange(1.0, 5.0), np.array([0, 1, 1, 0]))]
    trials += [(rng.permutation(n).astype(float), rng.integers(0, 3, size=n)) for n in (7, 12, 20, 31, 15)]
    trials += [(np.array([1.0, 1.0, 2.0, 2.0, 5.0]), np.array([0, 1, 1, 1, 1]))]
    results = [array(call(answer, x, y), ()) for x, y in trials]
    for mistake, hint in (
        (_buggy, "the two sides still count equally, so a tiny pure side wins. Weigh each by its number of rows."),
        (_at_values, "right gap, but put the threshold in its middle: new values may fall between the two."),
        (_highest_in_tie, "of equally good thresholds the lowest is asked for."),
    ):
        if all(close(result, mistake(x, y)) for result, (x, y) in zip(results, trials, strict=True)):
            raise Wrong(hint)
    for result, (x, y) in zip(results, trials, strict=True):
        right = _threshold_by(x, y, _weighted_gini, _midpoints)
        if not close(result, right):
            raise Unknown(
                f"for x = {x[:6].tolist()} and y = {y[:6].tolist()} (the first of {len(x)}) the best threshold is "
                f"{right:g}, yours is {float(result):g}."
            )


# ---------------------------------------------------------------------------------------------------------------
# 15.5 an experiment
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "15.5",
    hint="Look at the gain of each first question about XOR, and at what two questions in a row would reach.",
    step="Every first question gains nearly nothing, and yet two together decide everything. By what does the tree "
    "choose its first one?",
    wrong=["the impurity is wrong", "the tree is too shallow", "depth", 3],
    right=[" Greedy "],
)
def why_xor_is_hard(answer):
    """On XOR the first question has nearly no gain, though two questions together decide everything."""
    word = choice(answer, ("greedy", "overfitting", "noise", "diagonal"))
    if word == "overfitting":
        raise Wrong("a tree of depth 2 with the right two questions makes no error at all, on new data neither.")
    if word == "noise":
        raise Wrong("the labels of this data set have no noise.")
    if word == "diagonal":
        raise Wrong("the true boundaries are parallel to the axes, just what a tree can draw.")


# ---------------------------------------------------------------------------------------------------------------
# 15.6 the price of a leaf
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "15.6",
    hint="C(t) is the number of errors if t becomes a leaf, C(T_t) the errors of its leaves together.",
    step="The price is (C(t) - C(T_t)) / (number of leaves - 1). Count the rarer class in the node, and in each of "
    "the leaves.",
    wrong=[3.0, 1.0, 6.0, 1.5, 0.5, 4 / 3, 4.0],
    right=[2, np.array([2.0])],
)
def price_of_a_subtree(answer):
    """Node with 9 good and 6 bad; leaves (8, 1), (1, 1), (0, 4): (6 - 2) / (3 - 1) = 2 errors a leaf."""
    value = number(answer)
    if close(value, 6.0):
        raise Wrong("that is C(t), the errors of the collapsed node.")
    if close(value, 1.0, 1e-3):
        raise Wrong("count again: the errors of the leaves are 1 + 1 + 0.")
    if close(value, 4 / 3, 1e-2):
        raise Wrong("collapsing three leaves into one saves two leaves, not three.")
    if close(value, 4.0):
        raise Wrong("that is the difference in errors; divide it by the number of leaves that are saved.")
    expect(close(value, 2.0, 1e-4))
