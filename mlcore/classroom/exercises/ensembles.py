"""The exercises of chapter 19: combining, bagging and random forests."""

import numpy as np

from mlcore.classroom.exercises import Case, Wrong, answer, expect, implement
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.ensembles import BaggingClassifier, combine

answer(
    "19.1",
    hint="In which cases is the majority right? Do the cases exclude each other?",
    step="All three are right, or exactly two of them. There are three ways for the latter.",
    right=0.896, digits=3,
    mistakes={
        "as a probability, please, not in percent.": [89.6, lambda value: value > 3],  # sums of overlaps are less
        "that is how often the majority is wrong.": 0.104,
        "a probability lies between 0 and 1: do the cases you add exclude each other?": [
            0.64 + 0.512, lambda value: not 0 <= value <= 1
        ],
        "that is all three right. A majority needs two.": 0.512,
        "that is exactly two right. Three right is a majority too.": 0.384,
        "0.8² is two given doctors right; which two, and what of the third?": 0.64,
        "that is a single doctor. The majority of three is better.": 0.8,
        "that is at least one right. A majority needs two.": 0.992,
    },
)  # fmt: skip


def _over_sum(weights):
    return weights / weights.sum()


def _opinions(rng):
    for n_classifiers, n_classes in ((2, 2), (3, 4), (5, 3), (1000, 3)):
        P = np.maximum(rng.dirichlet(np.ones(n_classes), size=n_classifiers), 1e-6)
        P /= P.sum(axis=1, keepdims=True)
        survives = "with 1000 classifiers the product is 0 in the computer. Add logarithms in its place."
        yield (P,) if n_classifiers < 1000 else Case(P, said=survives)


def _plain_root(P):
    root = np.prod(P, axis=0) ** (1 / len(P))
    return root / root.sum() if root.sum() > 0 else root


implement(
    "19.2",
    hint="What is the logarithm of a geometric mean? Logarithms do not become too small.",
    step="Take the mean of the logarithms over the classifiers, take off the largest, go back with np.exp, and "
    "divide by the sum.",
    right=lambda P: combine(P[:, None], "geometric")[0],
    also_right=[lambda P: _over_sum(np.exp(np.log(P).mean(axis=0) - np.log(P).mean(axis=0).max()))],
    cases=_opinions,
    mistakes={
        "that is the arithmetic rule.": lambda P: P.mean(axis=0),
        "does it add up to 1? Divide by the sum.": lambda P: np.exp(np.log(P).mean(axis=0)),
        "that is the plain product: the exponent 1/L and the sum are missing.": lambda P: np.prod(P, axis=0),
        "without the exponent 1/L every member counts fully.": lambda P: _over_sum(np.prod(P, axis=0)),
    },
    otherwise=lambda value, right, P: f"for {len(P)} classifiers it should be {np.round(right, 4)}.",
    also_wrong=[_plain_root],
)


def _too_few_or_too_many(value):
    expect(value >= 40, f"for T = {value:g} the variance is {0.2 + 0.8 / max(value, 1e-9):.4f}, above 0.22.")
    raise Wrong(f"{value:g} are enough, but not the fewest that are.")


answer(
    "19.3",
    hint="Which part of (19.11) is left for infinitely many trees? And how much is 10 % of that?",
    step="The limit is ρσ² = 0.2, and (1 - ρ)σ²/T comes on top of it. From which T on is that at most a tenth of "
    "the limit?",
    right=40,
    mistakes={
        "0.8 / T <= 0.1 would be 10 % of σ²; it is 10 % of the limit 0.2.": 8,
        "that would be the variance of independent trees, 1 / T = 0.1.": 10,
        "at T = 4 the second part is as large as the limit itself.": 4,
    },
    otherwise=_too_few_or_too_many,
    also_wrong=[39, 41, 80, 400],
)

answer(
    "19.4",
    hint="One BaggingRegressor for each depth, as in section 4; compare its predictions with truth.",
    step="Print np.mean((model.predict(line) - truth) ** 2) for each max_depth from 1 to 10, with n_estimators=200 "
    "and random_state=0.",
    right=3,
    mistakes={
        "the depth is a whole number from 1 to 10.": [0.04, lambda value: value % 1 or not 1 <= value <= 10],
        "the average of stumps is one wide step or two: look at the curve in the explorer.": 1,
        "depth 2 has four leaves; averaged they still cut off the top of the sine.": 2,
        "a smaller depth is enough. Print the error of the average for each depth, from 1 on.": [
            10, 8, lambda value: value > 3
        ],
    },
)  # fmt: skip


def _judged(members, samples, X, seen=False, hard=False):
    """Of each row: the sum of the probabilities of class 1, and how many members judged it."""
    total, count = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(members, samples):
        rows = np.unique(rows) if seen else np.setdiff1d(np.arange(len(X)), rows)
        P = member.predict_proba(X[rows])[:, 1]
        total[rows] += P > 0.5 if hard else P
        count[rows] += 1
    return total, count


def _out_of_bag(members, samples, X, y, **how):
    total, count = _judged(members, samples, X, **how)
    return np.mean((total[count > 0] / count[count > 0] > 0.5) == y[count > 0])


def _row_by_row(members, samples, X, y):
    right = []
    for i in range(len(X)):
        blind = [member for member, rows in zip(members, samples) if i not in rows]
        if blind:
            right.append((np.mean([m.predict_proba(X[i : i + 1])[0, 1] for m in blind]) > 0.5) == y[i])
    return sum(right) / len(right)


def _mean_of_members(members, samples, X, y):
    return np.mean([_out_of_bag([member], [rows], X, y) for member, rows in zip(members, samples)])


def _unseen_counts_as_wrong(members, samples, X, y):
    total, count = _judged(members, samples, X)
    return np.mean(((total / np.maximum(count, 1) > 0.5) == y) & (count > 0))


def _unseen_count_as_class_0(members, samples, X, y):
    total, count = _judged(members, samples, X)
    return np.mean((total / np.maximum(count, 1) > 0.5) == y)


def _bags(rng):
    for n_members, depth in ((40, None), (25, 2), (3, None), (9, 2), (12, 3)):
        X = rng.normal(size=(80, 3))
        y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
        bag = BaggingClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=n_members, random_state=n_members)
        yield bag.fit(X, y).estimators_, bag.estimators_samples_, X, y


implement(
    "19.5",
    hint="Which members may judge a row?",
    step="For each member find the rows that are not in samples[t], and let it judge only these. For each row add "
    "up the probabilities, and count who judged.",
    right=_out_of_bag, also_right=[_row_by_row], cases=_bags,
    mistakes={
        "members judge rows that they were trained on: that is the bug.": lambda members, samples, X, y: np.mean(
            (np.mean([member.predict_proba(X)[:, 1] for member in members], axis=0) > 0.5) == y
        ),
        "these are the rows that the member has seen; take the others.": {"seen": True},
        "average the opinions on each row first, then score.": _mean_of_members,
        "divide by how many have judged the row, not by all members.": lambda members, samples, X, y: np.mean(
            (_judged(members, samples, X)[0] / len(members) > 0.5) == y
        ),
        "leave out the rows that every member has seen.": [_unseen_counts_as_wrong, _unseen_count_as_class_0],
        "average the probabilities of class 1; you count yes and no.": {"hard": True},
        "that is the share of wrong rows; return that of right ones.": lambda *case: 1 - _out_of_bag(*case),
    },
    otherwise=lambda value, right, members, *_: f"with {len(members)} members it should be {right:.4f}, yours gives "
    f"{value:.4f}.",
)  # fmt: skip
