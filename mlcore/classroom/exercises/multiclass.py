"""The exercises of chapter 6: multi-class learning."""

import numpy as np

from mlcore.classroom.exercises import Malformed, Unknown, array, call, close, exercise, expect, number, part


@exercise(
    "6.1",
    hint="Count the tasks first. Which rows does one task read?",
    step="A duel reads the rows of its two classes; one versus rest reads all rows each time; (6.5) counts the "
    "divisions; each duel of the DAG strikes out one class.",
    wrong=[[10, 5000, 5, 2500, 15, 4], [20, 4000, 5, 2500, 15, 4], [10, 2000, 5, 500, 15, 4],
           [10, 2000, 5, 2500, 32, 4], [10, 2000, 5, 2500, 16, 4], [10, 2000, 5, 2500, 15, 10],
           [10, 2000, 5, 2500, 15, 5], [10, 2000, 5, 2500, 15]],
    right=[(10, 2000, 5, 2500, 15, 4), np.array([10, 2000, 5, 2500, 15, 4.0])],
)  # fmt: skip
def counting(answer):
    """10 pairs of 200 rows; 5 tasks of 500 rows; 2⁴ - 1 divisions; 4 duels."""
    pairs, pair_rows, rests, rest_rows, divisions, asked = array(answer, (6,))
    expect(not close(pairs, 20), "(a) 1 against 2 and 2 against 1 are one task.")
    part(close(pairs, 10), "(a)", "How many pairs do five classes form?")
    expect(not close(pair_rows, 5000), "(b) a duel sees the rows of its two classes only, not all 500.")
    part(close(pair_rows, 2000), "(b)", "Ten duels; how many rows has each?")
    part(close(rests, 5), "(c)", "One classifier for each class.")
    expect(not close(rest_rows, 500), "(d) each of the five reads all the rows.")
    part(close(rest_rows, 2500), "(d)", "Five classifiers; how many rows does each read?")
    expect(not close(divisions, 32), "(e) that counts each division twice, and the two that divide nothing.")
    expect(not close(divisions, 16), "(e) one of these has all classes on one side: no task at all.")
    part(close(divisions, 15), "(e)", "2^(K-1) - 1 divisions of K classes.")
    expect(not close(asked, 10), "(f) ten are trained; but every duel strikes out a class.")
    expect(not close(asked, 5), "(f) five classes; the last one left has nobody to fight.")
    part(close(asked, 4), "(f)", "How many classes must be struck out?")


@exercise(
    "6.2",
    hint="Write two rows below each other. In how many places do they differ? And which columns are copies?",
    step="⌊(d - 1)/2⌋ wrong answers are always corrected. For (c) strike out the copies among the columns, and "
    "begin again.",
    wrong=[[6, 2, 0], [2, 0, 0], [4, 2, 0], [4, 1, 1], [4, 1.5, 0], [4, 1, 3]],
    right=[(4, 1, 0), np.array([4, 1, 0])],
)
def distance_of_a_code(answer):
    """d = 4, one answer; three different tasks with d = 2, so no classifier."""
    distance, answers, classifiers = array(answer, (3,))
    expect(not close(distance, 2), "(a) count places, not pairs of columns.")
    part(close(distance, 4), "(a)", "Write two rows below each other and count the places that differ.")
    expect(not close(answers, 2), "(b) two wrong answers of four leave both words at distance 2: a tie.")
    expect(not close(answers, 1.5), "(b) round down.")
    part(close(answers, 1), "(b)", "⌊(d - 1)/2⌋ wrong answers are always corrected.")
    expect(not close(classifiers, 1), "(c) the two columns of a pair are wrong together: that is two answers.")
    part(close(classifiers, 0), "(c)", "Strike out the copies: which distance have words of three bits?")


def _distances(bits, code):
    return ((1 - code * bits) / 2).sum(axis=1)


def _at_the_least(values):
    return np.flatnonzero(values == values.min()).tolist()


def _nearest(bits, code):
    return _at_the_least(_distances(bits, code))


def _first_only(bits, code):
    return [int(_distances(bits, code).argmin())]


def _farthest(bits, code):
    return _at_the_least(-_distances(bits, code))


def _zeros_cost_one(bits, code):
    return _at_the_least((code != bits).sum(axis=1))


def _zeros_are_free(bits, code):
    return _at_the_least(((code != bits) & (code != 0)).sum(axis=1))


def _squared_differences(bits, code):
    return _at_the_least(((code - bits) ** 2).sum(axis=1))


def _by_sizes_of_differences(bits, code):
    """Right: |b - c| is 2, 0 or 1."""
    return np.flatnonzero((d := np.abs(code - bits).sum(axis=1)) == d.min())


def _by_loops(bits, code):
    """Right, place by place, and a tuple."""
    costs = [sum(0.5 if c == 0 else float(b != c) for b, c in zip(bits, word)) for word in code]
    return tuple(k for k, cost in enumerate(costs) if cost == min(costs))


def _one_number(bits, code):
    return int(_distances(bits, code).argmin())


def _decreasing(bits, code):
    return _nearest(bits, code)[::-1]


def _row_numbers(answer):
    """A list of whole numbers."""
    if not isinstance(answer, (list, tuple, np.ndarray)) or np.ndim(answer) != 1:
        raise Malformed("return a list of row numbers, even if there is only one.")
    return array(answer).tolist()


@exercise(
    "6.3",
    hint="What does a place cost where answer and code agree, where they differ, and where the code is 0?",
    step="(1 - b c)/2 is 0, 1 or ½. Sum over the places; then return all rows that have the smallest sum.",
    wrong=[_first_only, _farthest, _zeros_cost_one, _zeros_are_free, _squared_differences, _one_number, _decreasing, 2],
    right=[_nearest, _by_sizes_of_differences, _by_loops],
)
def nearest_words(answer):
    """All rows of the code at the smallest distance, a 0 costing ½."""
    rng, cases = np.random.default_rng(63), []
    for number_of_case in range(60):
        K, L = rng.integers(2, 7), rng.integers(1, 10)
        with_zeros = number_of_case % 2
        code = rng.integers(-1, 2, size=(K, L)) if with_zeros else 2 * rng.integers(0, 2, size=(K, L)) - 1
        cases.append((2 * rng.integers(0, 2, size=L) - 1, code))
    found = [_row_numbers(call(answer, bits, code)) for bits, code in cases]
    right = [_nearest(bits, code) for bits, code in cases]
    if found == right:
        return
    for mistake, hint in (
        (_decreasing, "the right rows; give them in increasing order."),
        (_first_only, "several rows may be equally near; you return only the first of them."),
        (_zeros_cost_one, "your 0 costs 1, whatever the answer. It costs ½."),
        (_zeros_are_free, "your 0 costs nothing: then words with many zeros win. It costs ½."),
        (_squared_differences, "a squared difference is 4 for a wrong place and 1 for a 0: a quarter of it, not half."),
        (_farthest, "these words are the farthest."),
    ):
        expect(found != [mistake(bits, code) for bits, code in cases], hint)
    (bits, code), rows, yours = next(case for case in zip(cases, right, found) if case[1] != case[2])
    raise Unknown(f"for bits {bits.tolist()} and code {code.tolist()} it is {rows}, yours gives {yours}.")


def _cup(beats, wins=lambda beats, i, j: beats[i, j] > 0):
    first, last = 0, len(beats) - 1
    while first < last:
        first, last = (first, last - 1) if wins(beats, first, last) else (first + 1, last)
    return first


def _loser_stays(beats):
    return _cup(beats, lambda beats, i, j: beats[j, i] > 0)


def _most_votes(beats):
    return int(np.argmax(beats.sum(axis=1)))


def _one_after_another(beats):
    champion = 0
    for k in range(1, len(beats)):
        champion = champion if beats[champion, k] else k
    return champion


def _by_columns(beats):
    return int(np.argmax(beats.sum(axis=0)))


def _with_a_list(beats):
    """Right, with a list of those who are left; a NumPy number."""
    left = list(range(len(beats)))
    while len(left) > 1:
        left.remove(left[-1] if beats[left[0]][left[-1]] == 1 else left[0])
    return np.float64(left[0])


def _counted_from_one(beats):
    return _cup(beats) + 1


@exercise(
    "6.4",
    hint="Two classes fight at a time. Which two, and who leaves the list?",
    step="Keep two numbers, the first and the last class still in the list. Who loses moves inwards, until both are "
    "the same.",
    wrong=[_loser_stays, _most_votes, _one_after_another, _by_columns, _counted_from_one, 0],
    right=[_cup, _with_a_list],
)
def winner_of_the_cup(answer):
    """The first and the last of the list fight, the loser goes, until one is left."""
    rng, games = np.random.default_rng(64), [np.zeros((1, 1), dtype=int)]
    for K in rng.integers(2, 8, size=79):
        upper = np.triu(rng.integers(0, 2, size=(K, K)), 1)
        games.append(upper + np.tril(1 - upper.T, -1))
    found = [number(call(answer, beats)) for beats in games]
    right = [_cup(beats) for beats in games]
    if found == right:
        return
    for mistake, hint in (
        (_counted_from_one, "classes are numbered from 0."),
        (_loser_stays, "the loser goes, not the winner."),
        (_most_votes, "that counts votes; in a cup the order of the duels matters."),
        (_by_columns, "that counts lost duels; in a cup the order of the duels matters."),
        (_one_after_another, "the *first and last* of those who are left fight."),
    ):
        expect(found != [mistake(beats) for beats in games], hint)
    beats, left, yours = next(case for case in zip(games, right, found) if case[1] != case[2])
    raise Unknown(f"follow the duels by hand: for beats = {beats.tolist()} {left} is left, yours gives {yours:g}.")


@exercise(
    "6.5",
    hint="Fit for several m and count how many rows of the middle class are predicted as such.",
    step="Loop over m = 2, 3, ..., with np.sum(model.predict(X_row)[y_row == 1] == 1), and keep the last m where "
    "that is 0.",
    wrong=[2, 100, 50, 0, 20, 8, 11, 13],
)
def rows_until_the_class_is_seen(answer):
    """Measured with the data of "The class in the middle"."""
    value = number(answer)
    expect(value > 1, "with two rows the class is lost already; the largest such m is asked for.")
    expect(value < 100, 'with 100 rows the slider under "The class in the middle" shows that the class is found.')
    largest = _largest_masked()
    expect(value >= largest, "with one row more the class is still lost. Go on.")
    expect(value == largest, "with so many some rows are found already: predict the rows of class 1 and look.")


def _largest_masked():
    from mlcore.logistic_regression import LogisticRegression
    from mlcore.multiclass import OneVsRestClassifier

    for m in range(100, 1, -1):
        sizes = (100, m, 100)
        X = np.concatenate([3 * k + np.linspace(-1, 1, size) for k, size in enumerate(sizes)])[:, None]
        y = np.repeat([0, 1, 2], sizes)
        if not (OneVsRestClassifier(LogisticRegression()).fit(X, y).predict(X)[y == 1] == 1).any():
            return m
    return 1


class _Line:
    """A helper with the log-odds w·x + b."""

    def __init__(self, w, b):
        self.w, self.b = w, b

    def decision_function(self, X):
        return np.asarray(X) @ self.w + self.b

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


def _confidences(models, X_new):
    return np.column_stack([model.decision_function(X_new) for model in models])


def _right_rest(models, classes, X_new):
    return classes[_confidences(models, X_new).argmax(axis=1)]


def _buggy(models, classes, X_new):
    return classes[np.column_stack([model.predict(X_new) for model in models]).argmax(axis=1)]


def _numbers_for_labels(models, classes, X_new):
    return _confidences(models, X_new).argmax(axis=1)


def _largest_size(models, classes, X_new):
    return classes[np.abs(_confidences(models, X_new)).argmax(axis=1)]


def _wrong_axis(models, classes, X_new):
    return classes[_confidences(models, X_new).argmax(axis=0)]


def _as_a_column(models, classes, X_new):
    return _right_rest(models, classes, X_new)[:, np.newaxis]


def _as_a_list(models, classes, X_new):
    return [classes[max(range(len(models)), key=lambda k: models[k].decision_function([x])[0])] for x in X_new]


def _last_yes(models, classes, X_new):
    yes = np.column_stack([model.predict(X_new) for model in models])
    return classes[len(models) - 1 - yes[:, ::-1].argmax(axis=1)]


@exercise(
    "6.6",
    hint="Look at a point where nobody says yes. What is the argmax of three zeros?",
    step="Yes and no are not enough. Which method of a model says how sure it is?",
    wrong=[_buggy, _numbers_for_labels, _largest_size, _wrong_axis, _last_yes, "argmax"],
    right=[_right_rest, _as_a_column, _as_a_list],
)
def one_versus_rest_by_confidence(answer):
    """The class whose helper is surest."""
    rng = np.random.default_rng(66)
    for K in (3, 2, 5, 4):
        models = [_Line(rng.normal(size=2), 0.5 * rng.normal() - 0.5) for _ in range(K)]
        classes, X = np.arange(10, 10 + 3 * K, 3), 2 * rng.normal(size=(80, 2))
        labels, right = array(call(answer, models, classes, X)), _right_rest(models, classes, X)
        expect(labels.size == 80, f"one label for each of 80 points is asked for, the shape is {labels.shape}.")
        labels = labels.ravel()
        if np.array_equal(labels, right):
            continue
        expect(np.isin(labels, classes).all(), f"the labels are {classes.tolist()}: numbers of models are not labels.")
        expect(not np.array_equal(labels, _buggy(models, classes, X)), "that is the bug: yes and no are not enough.")
        expect(not np.array_equal(labels, _last_yes(models, classes, X)), "now the last class wins every tie instead.")
        expect(not np.array_equal(labels, _largest_size(models, classes, X)), "a very sure no is not a yes.")
        raise Unknown(f"{int(np.sum(labels != right))} of 80 labels are wrong.")
