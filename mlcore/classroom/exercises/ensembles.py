"""Graders of chapter 19, combining, bagging and random forests."""

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.ensembles import BaggingClassifier, combine


@exercise(
    "19.1",
    hint="In which cases is the majority right? Do the cases exclude each other?",
    step="All three are right, or exactly two of them. There are three ways for the latter.",
    wrong=[0.512, 0.64, 0.8, 0.384, 0.992, 0.64 + 0.512],
    right=[0.896, [0.896]],
)  # fmt: skip
def three_doctors(answer):
    """p³ + 3 p² (1 - p) = 0.896."""
    value = number(answer)
    expect(0 <= value <= 1, "a probability lies between 0 and 1: do the cases you add exclude each other?")
    expect(not close(value, 0.512), "that is all three right. A majority needs two.")
    expect(not close(value, 0.384), "that is exactly two right. Three right is a majority too.")
    expect(not close(value, 0.64), "0.8² is two given doctors right; which two, and what of the third?")
    expect(not close(value, 0.8), "that is a single doctor. The majority of three is better.")
    expect(not close(value, 0.992), "that is at least one right. A majority needs two.")
    expect(abs(value - 0.896) < 6e-4)


def _product(P):
    return np.prod(P, axis=0)


def _arithmetic(P):
    return P.mean(axis=0)


def _normalised_product(P):
    product = np.prod(P, axis=0)
    return product / product.sum()


def _plain_root(P):
    root = np.prod(P, axis=0) ** (1 / len(P))
    return root / root.sum() if root.sum() > 0 else root


def _not_normalised(P):
    return np.exp(np.log(P).mean(axis=0))


def _as_a_list(P):
    weights = np.exp(np.log(P).mean(axis=0) - np.log(P).mean(axis=0).max())
    return (weights / weights.sum()).tolist()


@exercise(
    "19.2",
    hint="What is the logarithm of a geometric mean? Logarithms do not become too small.",
    step="Take the mean of the logarithms over the classifiers, take off the largest, go back with np.exp, and "
    "divide by the sum.",
    wrong=[_product, _arithmetic, _normalised_product, _plain_root, _not_normalised, 0.5],
    right=[_as_a_list],
)  # fmt: skip
def geometric_rule(answer):
    """exp of the mean logarithm, normalised."""
    rng = np.random.default_rng(192)
    for n_classifiers, n_classes in ((2, 2), (3, 4), (5, 3), (1000, 3)):
        P = np.maximum(rng.dirichlet(np.ones(n_classes), size=n_classifiers), 1e-6)
        P /= P.sum(axis=1, keepdims=True)
        right = combine(P[:, None], "geometric")[0]
        with np.errstate(all="ignore"):
            found = call(answer, P)
            value = np.asarray(found, dtype=float) if np.shape(found) == (n_classes,) else array(found, (n_classes,))
        if n_classifiers == 1000:
            survives = np.isfinite(value).all() and value.sum() > 0.5
            expect(survives, "with 1000 classifiers the product is 0 in the computer. Add logarithms in its place.")
        expect(not close(value, _arithmetic(P)), "that is the arithmetic rule.")
        expect(not close(value, _not_normalised(P)), "does it add up to 1? Divide by the sum.")
        if n_classifiers < 1000:
            expect(
                not close(value, _product(P)), "that is the plain product: the exponent 1/L and the sum are missing."
            )
            expect(not close(value, _normalised_product(P)), "without the exponent 1/L every member counts fully.")
        if not close(value, right):
            raise Unknown(f"for {n_classifiers} classifiers it should be {np.round(right, 4)}.")


@exercise(
    "19.3",
    hint="Which part of (19.11) is left for infinitely many trees? And how much is 10 % of that?",
    step="The limit is ρσ² = 0.2, and (1 - ρ)σ²/T comes on top of it. From which T on is that at most a tenth of "
    "the limit?",
    wrong=[8, 4, 10, 39, 41, 80, 400],
)
def enough_trees(answer):
    """0.8 / T <= 0.02."""
    value = number(answer)
    expect(not close(value, 8), "0.8 / T <= 0.1 would be 10 % of σ²; it is 10 % of the limit 0.2.")
    expect(not close(value, 10), "that would be the variance of independent trees, 1 / T = 0.1.")
    expect(not close(value, 4), "at T = 4 the second part is as large as the limit itself.")
    expect(value >= 40, f"for T = {value:g} the variance is {0.2 + 0.8 / max(value, 1e-9):.4f}, above 0.22.")
    expect(close(value, 40), f"{value:g} are enough, but not the fewest that are.")


@exercise(
    "19.4",
    hint="One BaggingRegressor for each depth, as in section 4; compare its predictions with truth.",
    step="Print np.mean((model.predict(line) - truth) ** 2) for each max_depth from 1 to 10, with n_estimators=200 "
    "and random_state=0.",
    wrong=[1, 2, 10, 8, 0.04],
)  # fmt: skip
def deep_enough(answer):
    """Depth 3 with the given seeds."""
    value = number(answer)
    expect(value == int(value) and 1 <= value <= 10, "the depth is a whole number from 1 to 10.")
    expect(value > 1, "the average of stumps is one wide step or two: look at the curve in the explorer.")
    expect(value > 2, "depth 2 has four leaves; averaged they still cut off the top of the sine.")
    expect(value == 3, "a smaller depth is enough. Print the error of the average for each depth, from 1 on.")


def _all_members(members, samples, X, y):
    P = np.mean([member.predict_proba(X)[:, 1] for member in members], axis=0)
    return np.mean((P > 0.5) == y)


def _in_bag(members, samples, X, y):
    total, count = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(members, samples):
        seen = np.unique(rows)
        total[seen] += member.predict_proba(X[seen])[:, 1]
        count[seen] += 1
    judged = count > 0
    return np.mean((total[judged] / count[judged] > 0.5) == y[judged])


def _mean_of_members(members, samples, X, y):
    scores = []
    for member, rows in zip(members, samples):
        out = np.setdiff1d(np.arange(len(X)), rows)
        scores.append(np.mean((member.predict_proba(X[out])[:, 1] > 0.5) == y[out]))
    return np.mean(scores)


def _right_oob(members, samples, X, y):
    total, count = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(members, samples):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += member.predict_proba(X[out])[:, 1]
        count[out] += 1
    judged = count > 0
    return np.mean((total[judged] / count[judged] > 0.5) == y[judged])


def _hard_votes(members, samples, X, y):
    votes, count = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(members, samples):
        out = np.setdiff1d(np.arange(len(X)), rows)
        votes[out] += member.predict_proba(X[out])[:, 1] > 0.5
        count[out] += 1
    judged = count > 0
    return np.mean((votes[judged] / count[judged] > 0.5) == y[judged])


def _row_by_row(members, samples, X, y):
    right = []
    for i in range(len(X)):
        blind = [member for member, rows in zip(members, samples) if i not in rows]
        if blind:
            right.append((np.mean([m.predict_proba(X[i : i + 1])[0, 1] for m in blind]) > 0.5) == y[i])
    return sum(right) / len(right)


def _divided_by_all(members, samples, X, y):
    total = np.zeros(len(X))
    for member, rows in zip(members, samples):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += member.predict_proba(X[out])[:, 1]
    return np.mean((total / len(members) > 0.5) == y)


def _nobody_counts_as_wrong(members, samples, X, y):
    total, count = np.zeros(len(X)), np.zeros(len(X))
    for member, rows in zip(members, samples):
        out = np.setdiff1d(np.arange(len(X)), rows)
        total[out] += member.predict_proba(X[out])[:, 1]
        count[out] += 1
    decided = total / np.maximum(count, 1) > 0.5
    return np.mean((decided == y) & (count > 0))


@exercise(
    "19.5",
    hint="Which members may judge a row?",
    step="For each member find the rows that are not in samples[t], and let it judge only these. For each row add "
    "up the probabilities, and count who judged.",
    wrong=[_all_members, _in_bag, _mean_of_members, _divided_by_all, _nobody_counts_as_wrong, _hard_votes, 0.5],
    right=[_row_by_row],
)  # fmt: skip
def out_of_bag(answer):
    """Only members that have not seen a row judge it."""
    rng = np.random.default_rng(195)
    for n_members, depth in ((40, None), (25, 2), (3, None), (9, 2), (12, 3)):
        X = rng.normal(size=(80, 3))
        y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
        bag = BaggingClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=n_members, random_state=1)
        bag.fit(X, y)
        given = bag.estimators_, bag.estimators_samples_, X, y
        value = number(call(answer, *given))
        if close(value, _right_oob(*given)):
            continue
        expect(not close(value, _all_members(*given)), "members judge rows that they were trained on: that is the bug.")
        expect(not close(value, _in_bag(*given)), "these are the rows that the member has seen; take the others.")
        expect(not close(value, _mean_of_members(*given)), "average the opinions on each row first, then score.")
        expect(not close(value, _divided_by_all(*given)), "divide by how many have judged the row, not by all members.")
        expect(not close(value, _nobody_counts_as_wrong(*given)), "leave out the rows that every member has seen.")
        expect(not close(value, _hard_votes(*given)), "average the probabilities of class 1; you count yes and no.")
        raise Unknown(f"with {n_members} members it should be {_right_oob(*given):.4f}, yours gives {value:.4f}.")
