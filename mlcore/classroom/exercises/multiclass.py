"""The exercises of chapter 6: multi-class learning."""

import functools

import numpy as np

from mlcore.classroom.exercises import answer, expect, implement
from mlcore.logistic_regression import LogisticRegression
from mlcore.multiclass import OneVsRestClassifier

answer(
    "6.1",
    hint="Count the tasks first. Which rows does one task read?",
    step="A duel reads the rows of its two classes; one versus rest reads all rows each time; (6.5) counts the "
    "divisions; each duel of the DAG strikes out one class.",
    right=[10, 10 * 200, 5, 5 * 500, 2**4 - 1, 4],
    parts=[
        ("(a)", "How many pairs do five classes form?"),
        ("(b)", "Ten duels; how many rows has each?"),
        ("(c)", "One classifier for each class."),
        ("(d)", "Five classifiers; how many rows does each read?"),
        ("(e)", "2^(K-1) - 1 divisions of K classes."),
        ("(f)", "How many classes must be struck out?"),
    ],
    mistakes={
        "(a) 1 against 2 and 2 against 1 are one task.": (20, None, None, None, None, None),
        "(b) a duel sees the rows of its two classes only, not all 500.": (None, 5000, None, None, None, None),
        "(d) each of the five reads all the rows.": (None, None, None, 500, None, None),
        "(e) that counts each division twice, and the two that divide nothing.": (None, None, None, None, 32, None),
        "(e) one of these has all classes on one side: no task at all.": (None, None, None, None, 16, None),
        "(f) ten are trained; but every duel strikes out a class.": (None, None, None, None, None, 10),
        "(f) five classes; the last one left has nobody to fight.": (None, None, None, None, None, 5),
    },
    also_wrong=[[20, 4000, 5, 2500, 15, 4], [10, 2000, 5, 2500, 15]],
)  # fmt: skip

answer(
    "6.2",
    hint="Write two rows below each other. In how many places do they differ? And which columns are copies?",
    step="⌊(d - 1)/2⌋ wrong answers are always corrected. For (c) strike out the copies among the columns, and "
    "begin again.",
    right=[4, 1, 0],  # d = 4, one answer; three different tasks with d = 2, so no classifier
    parts=[
        ("(a)", "Write two rows below each other and count the places that differ."),
        ("(b)", "⌊(d - 1)/2⌋ wrong answers are always corrected."),
        ("(c)", "Strike out the copies: which distance have words of three bits?"),
    ],
    mistakes={
        "(a) count places, not pairs of columns.": (2, None, None),
        "(b) two wrong answers of four leave both words at distance 2: a tie.": (None, 2, None),
        "(b) round down.": (None, 1.5, None),
        "(c) the two columns of a pair are wrong together: that is two answers.": (None, None, 1),
    },
    also_wrong=[[6, 2, 0], [2, 0, 0], [4, 1, 3]],
)  # fmt: skip


def _nearest(bits, code, cost=lambda bits, code: (1 - code * bits) / 2):
    total = cost(bits, code).sum(axis=1)
    return np.flatnonzero(total == total.min()).tolist()


def _by_loops(bits, code):
    costs = [sum(0.5 if c == 0 else float(b != c) for b, c in zip(bits, word)) for word in code]
    return tuple(k for k, cost in enumerate(costs) if cost == min(costs))


def _codes(rng):
    for number_of_case in range(60):
        K, L = rng.integers(2, 7), rng.integers(1, 10)
        with_zeros = number_of_case % 2
        code = rng.integers(-1, 2, size=(K, L)) if with_zeros else 2 * rng.integers(0, 2, size=(K, L)) - 1
        yield 2 * rng.integers(0, 2, size=L) - 1, code


implement(
    "6.3",
    hint="What does a place cost where answer and code agree, where they differ, and where the code is 0?",
    step="(1 - b c)/2 is 0, 1 or ½. Sum over the places; then return all rows that have the smallest sum.",
    right=_nearest, cases=_codes, any_length=True,
    mistakes={
        "the right rows; give them in increasing order.": lambda bits, code: _nearest(bits, code)[::-1],
        "several rows may be equally near; you return only the first of them.":
            lambda bits, code: _nearest(bits, code)[:1],
        "your 0 costs 1, whatever the answer. It costs ½.":
            {"cost": lambda bits, code: code != bits},
        "your 0 costs nothing: then words with many zeros win. It costs ½.":
            {"cost": lambda bits, code: (code != bits) & (code != 0)},
        "a squared difference is 4 for a wrong place and 1 for a 0: a quarter of it, not half.":
            {"cost": lambda bits, code: (code - bits) ** 2},
        "these words are the farthest.": {"cost": lambda bits, code: code * bits},
    },
    otherwise=lambda value, wanted, bits, code: (
        f"for bits {bits.tolist()} and code {code.tolist()} it is {wanted}, "
        f"yours gives {np.ravel(value).astype(int).tolist()}."
    ),
    also_right=[lambda bits, code: np.array(_nearest(bits, code, lambda bits, code: np.abs(code - bits))), _by_loops],
    also_wrong=[lambda bits, code: _nearest(bits, code)[0], 2],
)  # fmt: skip


def _cup(beats, wins=lambda beats, i, j: beats[i, j] > 0):
    first, last = 0, len(beats) - 1
    while first < last:
        first, last = (first, last - 1) if wins(beats, first, last) else (first + 1, last)
    return first


def _one_after_another(beats):
    return functools.reduce(lambda champion, k: champion if beats[champion, k] else k, range(len(beats)))


def _with_a_list(beats):
    left = list(range(len(beats)))
    while len(left) > 1:
        left.remove(left[-1] if beats[left[0]][left[-1]] == 1 else left[0])
    return np.float64(left[0])


def _games(rng):
    yield (np.zeros((1, 1), dtype=int),)
    for K in rng.integers(2, 8, size=79):
        upper = np.triu(rng.integers(0, 2, size=(K, K)), 1)
        yield (upper + np.tril(1 - upper.T, -1),)


implement(
    "6.4",
    hint="Two classes fight at a time. Which two, and who leaves the list?",
    step="Keep two numbers, the first and the last class still in the list. Who loses moves inwards, until both are "
    "the same.",
    right=_cup, cases=_games,
    mistakes={
        "classes are numbered from 0.": lambda beats: _cup(beats) + 1,
        "the loser goes, not the winner.": {"wins": lambda beats, i, j: beats[j, i] > 0},
        "that counts votes; in a cup the order of the duels matters.": lambda beats: np.argmax(beats.sum(axis=1)),
        "that counts lost duels; in a cup the order of the duels matters.": lambda beats: np.argmax(beats.sum(axis=0)),
        "the *first and last* of those who are left fight.": _one_after_another,
    },
    otherwise=lambda value, wanted, beats: (
        f"follow the duels by hand: for beats = {beats.tolist()} {wanted} is left, yours gives {value:g}."
    ),
    also_right=[_with_a_list], also_wrong=[0],
)  # fmt: skip


@functools.cache
def _largest_masked():
    for m in range(100, 1, -1):
        sizes = (100, m, 100)
        X = np.concatenate([3 * k + np.linspace(-1, 1, size) for k, size in enumerate(sizes)])[:, None]
        y = np.repeat([0, 1, 2], sizes)
        if not (OneVsRestClassifier(LogisticRegression()).fit(X, y).predict(X)[y == 1] == 1).any():
            return m
    return 1


answer(
    "6.5",
    hint="Fit for several m and count how many rows of the middle class are predicted as such.",
    step="Loop over m = 2, 3, ..., with np.sum(model.predict(X_row)[y_row == 1] == 1), and keep the last m where "
    "that is 0.",
    right=_largest_masked,
    mistakes={
        "with two rows the class is lost already; the largest such m is asked for.": lambda m: m <= 1,
        'with 100 rows the slider under "The class in the middle" shows that the class is found.': lambda m: m >= 100,
        "with one row more the class is still lost. Go on.": lambda m: m < _largest_masked(),
        "with so many some rows are found already: predict the rows of class 1 and look.": lambda m: True,
    },
    also_wrong=[2, 100, 50, 0, 20, 8, 11, 13],
)  # fmt: skip


class _Line:
    """A helper with the log-odds w·x + b."""

    def __init__(self, w, b):
        self.w, self.b = w, b

    def decision_function(self, X):
        return np.asarray(X) @ self.w + self.b

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def _surest(models, classes, X, said=lambda confidences: confidences):
    return classes[said(np.column_stack([model.decision_function(X) for model in models])).argmax(axis=1)]


def _lines(rng):
    for K in (3, 2, 5, 4):
        models = [_Line(rng.normal(size=2), 0.5 * rng.normal() - 0.5) for _ in range(K)]
        yield models, np.arange(10, 10 + 3 * K, 3), 2 * rng.normal(size=(80, 2))


def _what_the_labels_miss(labels, wanted, models, classes, X):
    expect(np.isin(labels, classes).all(), f"the labels are {classes.tolist()}: numbers of models are not labels.")
    return f"{int(np.sum(labels != wanted))} of 80 labels are wrong."


implement(
    "6.6",
    hint="Look at a point where nobody says yes. What is the argmax of three zeros?",
    step="Yes and no are not enough. Which method of a model says how sure it is?",
    right=_surest, asked="one label for each of the points is asked for", cases=_lines,
    mistakes={
        "that is the bug: yes and no are not enough.": {"said": lambda confidences: confidences > 0},
        "now the last class wins every tie instead.":
            lambda models, classes, X: _surest(models[::-1], classes[::-1], X, lambda confidences: confidences > 0),
        "a very sure no is not a yes.": {"said": np.abs},
    },
    otherwise=_what_the_labels_miss,
    also_right=[lambda *case: _surest(*case)[:, np.newaxis], lambda *case: list(_surest(*case))],
    also_wrong=[
        lambda models, classes, X: _surest(models, np.arange(len(models)), X), {"said": np.transpose}, "argmax",
    ],
)  # fmt: skip
