"""Many classes from two: one against one, one against the rest, codes that correct errors, and a knockout (多分类学习).

Chapter 6. Sources: notes A 4.1, D 3.5 and 3.7. Each strategy trains copies of a classifier for two classes, on labels 0
and 1, and puts their answers together.
"""

import inspect
import math

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    anything,
    check_array,
    check_choice,
    check_classification,
    check_random_state,
    check_sample_weight,
    check_X,
    clone,
    door,
    part,
    real,
    seed,
    shown,
    whole,
)
from mlcore.base.members import class_probabilities, fresh, kind_of, sound, tags_of_members, take
from mlcore.core.multiclass import decode, divisions, hamming_distances, knockout, most_votes, surest, tally

__all__ = [
    "DAGClassifier", "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier", "confidence",
    "exhaustive_code", "hamming_decode", "random_code", "row_distances", "vote_matrix",
]  # fmt: skip

_MOST_CLASSES = 12
_MOST_DRAWS = 1000
_SUREST = 1e100
_CERTAIN = 1000.0


# ---------------------------------------------------------------------------------------------------------------
# What all strategies do
# ---------------------------------------------------------------------------------------------------------------
class _Reduction(Classifier):
    """Trains copies of ``estimator`` on the tasks of a code, of shape (n_classes, n_tasks).

    An entry is the side on which a class takes part in a task: +1, -1, or 0 for not at all.
    """

    estimator: object = part("Of mlcore or scikit-learn.", form="classifier for two classes")

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), self.estimator)

    def _weighted_rows(self, X, y, sample_weight):
        """Return the rows with a weight, the places of their classes and their weights (None where none were given)."""
        _check_learner(self.estimator, weighted=sample_weight is not None)
        X, codes = check_classification(self, X, y, min_classes=2, dtype=None)
        if sample_weight is None:
            return X, codes, None
        weights = check_sample_weight(sample_weight, len(X))
        kept = weights > 0
        present, codes = np.unique(codes[kept], return_inverse=True)
        if len(present) == 1:
            only = self.classes_.tolist()[present[0]]
            raise ValueError(f"only class {shown(only)} has a weight above 0; two classes are needed")
        self.classes_ = self.classes_[present]
        return take(X, kept), codes, weights[kept]

    def fit(self, X, y, sample_weight=None):
        """Train a classifier for each task, on the rows of the classes that take part in it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What it may hold is for the estimator to judge.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to the estimators. Rows of weight 0 are left out, and so are classes that have no others.
        """
        p = self.checked()
        X, codes, weights = self._weighted_rows(X, y, sample_weight)
        self.estimators_ = []
        for column in self._tasks(len(self.classes_), p).T:
            side = column[codes]
            rows = np.flatnonzero(side)
            weight = {} if weights is None else {"sample_weight": weights[rows]}
            self.estimators_.append(self._copy(p).fit(take(X, rows), (side[rows] > 0).astype(int), **weight))
        return self

    def _copy(self, p):
        return clone(self.estimator)

    def _answers(self, X, ask):
        """Return ``ask(member, X)``, of shape (n_samples,), of each member: a column a task."""
        X = check_X(self, X, dtype=None)
        return np.column_stack([ask(member, X) for member in self.estimators_])


class _Duels(_Reduction):
    """A task for each pair of classes i < j: label 1 means class i, label 0 class j."""

    def _tasks(self, K, p):
        self.pairs_ = [(i, j) for i in range(K) for j in range(i + 1, K)]
        code = np.zeros((K, len(self.pairs_)), dtype=int)
        for task, (i, j) in enumerate(self.pairs_):
            code[i, task], code[j, task] = 1, -1
        return code


def _check_learner(estimator, weighted):
    """Refuse what is no classifier, or takes no weights although some are given."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params") or kind_of(estimator) != "classifier":
        raise ValueError(f"estimator must be a classifier, got {estimator!r}")
    if weighted and "sample_weight" not in inspect.signature(estimator.fit).parameters:
        raise ValueError(f"sample_weight was given, but fit of {type(estimator).__name__} takes none")


def _says_one(model, X):
    """Whether a classifier for the labels 0 and 1 predicts 1: bool array of shape (n_samples,)."""
    return sound(model.predict(X), model) == 1


def confidence(model, X):
    """Return how sure a classifier for the labels 0 and 1 is of label 1, (n_samples,): above 0 where it predicts 1.

    Its ``decision_function``, where values beyond ±1e100 count as that; else its log-odds ln P(1) - ln P(0).
    Probabilities of 0 and 1, and models that only say yes or no, count as ±1000, more than other floats reach.
    """
    if hasattr(model, "decision_function"):
        sure = np.clip(np.asarray(model.decision_function(X), dtype=float).ravel(), -_SUREST, _SUREST)
    else:
        with np.errstate(divide="ignore"):
            no, yes = np.log(class_probabilities(model, X, 2)).T
        sure = np.clip(yes - no, -_CERTAIN, _CERTAIN)
    return sound(sure, model)


def _two_as_one(scores):
    """Scores of two classes as one number, above 0 for the second, as scikit-learn has it; more classes as they are."""
    return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores


def _one_point(model, x):
    """A single point as a table of one row."""
    if np.ndim(x) != 1:
        raise ValueError(f"x must be one point of shape (n_features,), got shape {np.shape(x)}")
    return check_X(model, x.to_frame().T if hasattr(x, "to_frame") else np.reshape(x, (1, -1)), dtype=None)


# ---------------------------------------------------------------------------------------------------------------
# One against one
# ---------------------------------------------------------------------------------------------------------------
class OneVsOneClassifier(_Duels):
    """One against one (一对一, OvO): K(K-1)/2 classifiers, one for each pair of classes; each has one vote.

    Predicts the class with the most votes. Equal votes: the class with the larger sum of confidences in its duels; if
    these are equal too, the first one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pairs_ : list of (i, j)
        Places in ``classes_``, i < j.
    estimators_ : list of fitted classifiers, one for each pair
        Label 1 means class i, label 0 class j.

    References
    ----------
    Notes A 4.1.1.
    """

    def _tally(self, X):
        X = check_X(self, X, dtype=None)
        wins, sure = (np.column_stack([f(m, X) for m in self.estimators_]) for f in (_says_one, confidence))
        return tally(wins, sure, self.pairs_, len(self.classes_))

    def votes(self, X):
        """Return how many duels each class wins: int array of shape (n_samples, n_classes)."""
        return self._tally(X)[0]

    def decision_function(self, X):
        """Return the votes plus a share of less than ⅓ that grows with the summed confidence s: s / (3(|s| + 1)).

        Of shape (n_samples, n_classes); of two classes (n_samples,), above 0 for ``classes_[1]``.
        """
        votes, sums = self._tally(X)
        return _two_as_one(votes + sums / (3 * (np.abs(sums) + 1)))

    def predict(self, X):
        """Return the class with the most votes; of equal ones that with the largest sum."""
        winners = most_votes(*self._tally(X))
        return self.classes_[winners]


def vote_matrix(model, x):
    """Return the matrix of duels of one point: A_ij = 1 if class i beats class j, 0 if not (A 79).

    Its row sums are the votes.

    Parameters
    ----------
    model : fitted OneVsOneClassifier or DAGClassifier
    x : array-like of shape (n_features,)

    Returns
    -------
    int ndarray of shape (n_classes, n_classes)
    """
    if not isinstance(model, _Duels):
        raise ValueError(f"vote_matrix needs a model of duels (OneVsOneClassifier, DAGClassifier), got {model!r}")
    X = _one_point(model, x)
    A = np.zeros((len(model.classes_),) * 2, dtype=int)
    for (i, j), member in zip(model.pairs_, model.estimators_, strict=True):
        winner, loser = (i, j) if _says_one(member, X)[0] else (j, i)
        A[winner, loser] = 1
    return A


class DAGClassifier(_Duels):
    """A knockout (有向无环图, DAG): the classifiers of one against one, but only K - 1 of them are asked.

    Keep a list of all classes. Let the first and the last fight; strike out the loser; until one is left. A class that
    wins all its duels always wins; otherwise the order of the classes matters.

    Attributes
    ----------
    classes_, pairs_, estimators_
        See ``OneVsOneClassifier``.

    References
    ----------
    Notes D 3.7; Platt, Cristianini and Shawe-Taylor 2000.
    """

    def _knockout(self, X):
        """Yield, duel by duel, the first and the last class that each row has left."""
        members = dict(zip(self.pairs_, self.estimators_, strict=True))

        def beats(first, last):
            wins = np.empty(len(first), dtype=bool)
            for i in np.flatnonzero(np.bincount(first)):  # last - first is the same for all rows
                rows = np.flatnonzero(first == i)
                wins[rows] = _says_one(members[i, last[rows[0]]], take(X, rows))
            return wins

        return knockout(beats, len(X), len(self.classes_))

    def duels(self, x):
        """Return the duels of one point in order: a list of (i, j, winner), places in ``classes_``."""
        ranges = [(int(first[0]), int(last[0])) for first, last in self._knockout(_one_point(self, x))]
        return [(i, j, i if after == (i, j - 1) else j) for (i, j), after in zip(ranges[:-1], ranges[1:], strict=True)]

    def predict(self, X):
        """Return the class that is left over."""
        *_, (left, _) = self._knockout(check_X(self, X, dtype=None))
        return self.classes_[left]


# ---------------------------------------------------------------------------------------------------------------
# One against the rest
# ---------------------------------------------------------------------------------------------------------------
class OneVsRestClassifier(_Reduction):
    """One against the rest (一对其余, OvR): K classifiers, each tells one class from all others.

    Predicts the class whose classifier is surest, whether none, one or several say yes; of equal ones the first.
    Confidences must be comparable: a classifier without ``decision_function`` and ``predict_proba`` leaves many ties.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of fitted classifiers, one for each class
        Label 1 means this class.

    References
    ----------
    Notes A 4.1.2.
    """

    def _tasks(self, K, p):
        return 2 * np.eye(K, dtype=int) - 1

    def fired(self, X):
        """Return which classifiers say yes: bool array of shape (n_samples, n_classes)."""
        return self._answers(X, _says_one)

    def decision_function(self, X):
        """Return the confidences: (n_samples, n_classes); for two classes their difference, of shape (n_samples,)."""
        return _two_as_one(self._answers(X, confidence))

    def predict(self, X):
        """Return the class whose classifier is surest."""
        winners = surest(self._answers(X, confidence))
        return self.classes_[winners]


# ---------------------------------------------------------------------------------------------------------------
# Codes that correct errors
# ---------------------------------------------------------------------------------------------------------------
@door(n_classes=whole(REQUIRED, "K, from 2 to 12: for more there would be thousands of classifiers.", low=2))
def exhaustive_code(n_classes):
    """Return all ways to divide K classes in two: a matrix of +1 and -1 of shape (K, 2^(K-1) - 1).

    The first class is always on the side of +1, since a division and its opposite are one task. Any two rows differ in
    2^(K-2) places, so ⌊(2^(K-2) - 1)/2⌋ wrong answers are corrected.
    """
    if n_classes > _MOST_CLASSES:
        raise ValueError(
            f"an exhaustive code of {n_classes} classes has 2^{n_classes - 1} - 1 columns, and a classifier for each; "
            f"it is made for 2 to {_MOST_CLASSES} classes: use code='random'"
        )
    return divisions(np.arange(_n_divisions(n_classes)), n_classes)


def _n_divisions(n_classes):
    """2^(K-1) - 1: the first class has +1, each other class +1 or -1, but not all +1."""
    return 2 ** (n_classes - 1) - 1


@door(
    n_classes=whole(REQUIRED, "K.", low=2),
    n_bits=whole(REQUIRED, "L, at least log2(K) and at most the 2^(K-1) - 1 ways to divide K classes.", low=1),
    rng=anything(REQUIRED, "None, int or numpy.random.Generator", "Seeds the draws.",
                 check=lambda name, value: check_random_state(value)),
)  # fmt: skip
def random_code(n_classes, n_bits, rng):
    """Return the best of many random codes: the one whose closest two rows differ most.

    Returns
    -------
    int ndarray of shape (n_classes, n_bits)
        +1 and -1, the first row all +1; no two rows equal, no column constant, no two columns equal or opposite.
    """
    K, L = n_classes, n_bits
    if 2**L < K:
        raise ValueError(f"{L} bits cannot tell {K} classes apart: make code_size larger")
    if L > _n_divisions(K):
        raise ValueError(f"there are {_n_divisions(K)} ways to divide {K} classes, so a code cannot have {L} bits")
    best, distance, pairs = None, 0, np.triu_indices(K, 1)
    for _ in range(max(1, min(_MOST_DRAWS, 10**9 // (K * K * L)))):
        code = _draw_columns(K, L, rng)
        closest = row_distances(code)[pairs].min()
        if closest > distance:
            best, distance = code, closest
    if best is None:
        raise ValueError(f"no code of {L} bits for {K} classes was found: make code_size larger")
    return best


def _draw_columns(n_classes, n_bits, rng):
    """Draw divisions, none twice. They are numbered up to 60 classes; that of more is drawn, and the rest at random."""
    numbered = min(n_classes, 60)
    numbers = rng.choice(_n_divisions(numbered), n_bits, replace=False)
    rest = 2 * rng.integers(0, 2, size=(n_classes - numbered, n_bits)) - 1
    return np.vstack([divisions(numbers, numbered), rest])


def _signs(says, form, or_zero=True):
    """Declare a table of +1 and -1 (and 0)."""
    allowed = (1, -1, 0) if or_zero else (1, -1)

    def check(name, values):
        table = check_array(values, name=name)
        others = table[~np.isin(table, allowed)]
        if len(others):
            raise ValueError(f"{name} must hold {'+1, -1 and 0' if or_zero else '+1 and -1'} only, got {others[0]:g}")
        return table

    return anything(REQUIRED, form, says, check=check, bad=([[2, 1]], [1, -1]) + (() if or_zero else ([[1, 0]],)))


_CODE = _signs("+1, -1 and 0.", "array-like of shape (n_classes, n_bits)")


@door(code=_CODE)
def row_distances(code):
    """Return the Hamming distances of the rows of a code, a 0 costing ½: shape (n_classes, n_classes)."""
    return hamming_distances(code, code)


@door(bits=_signs("+1 and -1.", "array-like of shape (n_samples, n_bits)", or_zero=False), code=_CODE)
def hamming_decode(bits, code):
    """Return the row of the code that is nearest to each row of answers (海明距离解码); of equal ones the first.

    d(b, c) = Σ_l (1 - b_l c_l) / 2: 1 for a place that differs, 0 for one that agrees,
    ½ where the code has a 0 (the class took no part in that task).

    Returns
    -------
    int ndarray of shape (n_samples,)
        Row numbers of the code.
    """
    if bits.shape[1] != code.shape[1]:
        raise ValueError(f"bits have {bits.shape[1]} places and the code has {code.shape[1]}")
    return decode(bits, code)


def _word_or_matrix(name, code):
    """Return one of two words, or a matrix of +1, -1 and 0."""
    if isinstance(code, str):
        return check_choice(name, code, ("exhaustive", "random"))
    return _CODE.check(name, code).astype(int)


class OutputCodeClassifier(_Reduction):
    """Error-correcting output codes (纠错输出码, ECOC): each class is a word of bits, each bit a classifier.

    Bit l divides the classes: those with +1 in column l against those with -1; classes with 0 take no part. A new point
    gets the word of all answers, and the class whose word is nearest (``hamming_decode``). If any two words differ in d
    places and none has a 0, ⌊(d - 1)/2⌋ wrong answers do no harm.

    One against one is the code with a column for each pair and 0 elsewhere; one against the rest is the code with +1
    on the diagonal and -1 elsewhere.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    code_ : int ndarray of shape (n_classes, n_bits)
    estimators_ : list of fitted classifiers, one for each bit
        Label 1 means +1.

    References
    ----------
    Notes A 4.1 (MvM), D 3.5 and 3.7; Dietterich and Bakiri 1995.
    """

    code: object = anything(
        "exhaustive",
        '"exhaustive", "random" or array of shape (n_classes, n_bits)',
        "All divisions; some of them, drawn at random; or a given matrix of +1, -1 and 0, rows in the order of\n"
        "``classes_``. Columns may repeat or be each other's opposite: d grows, but a task learned twice corrects\n"
        "nothing more, since an estimator that draws nothing gives both answers right or both wrong (up to ties).",
        check=_word_or_matrix,
        bad=("gray", [1, -1, 1], [[1, 2], [-1, 1], [1, -1]]),
    )
    code_size: float = real(
        3.0,
        "Bits of a random code for each class; at least log2(K) bits and at most all 2^(K-1) - 1 divisions are taken.",
        low=0, high=1000, low_open=True,
    )  # fmt: skip
    random_state: object = seed(
        "For a random code, and for estimators that draw and have no ``random_state`` of their own (in a pipeline: a\n"
        "step that has none)."
    )

    def _copy(self, p):
        """What would draw without a seed gets one."""
        return fresh(self.estimator, p.random_state, keep_seeds=True)

    def _tasks(self, K, p):
        if not isinstance(p.code, str):
            self.code_ = _check_rows(p.code, K)
        elif p.code == "exhaustive":
            self.code_ = exhaustive_code(K)
        else:
            n_bits = min(max(math.ceil(math.log2(K)), round(p.code_size * K)), _n_divisions(K))
            self.code_ = random_code(K, n_bits, p.random_state)
        return self.code_

    def bits(self, X):
        """Return the answers of all classifiers: +1 and -1, shape (n_samples, n_bits)."""
        return 2 * self._answers(X, _says_one).astype(int) - 1

    def predict(self, X):
        """Return the class whose word is nearest to the answers; equal distances: the first."""
        bits = self.bits(X)
        return self.classes_[decode(bits, self.code_)]


def _check_rows(matrix, n_classes):
    """Return a given code if it has a row for each class, no equal rows, and both +1 and -1 in each column."""
    if len(matrix) != n_classes:
        raise ValueError(f"code has {len(matrix)} rows, but there are {n_classes} classes")
    flat = np.flatnonzero((matrix.max(axis=0) < 1) | (matrix.min(axis=0) > -1))
    if len(flat):
        raise ValueError(
            f"column {flat[0]} of code does not hold both +1 and -1: it divides no classes (0 means: takes no part)"
        )
    _, first, place = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    later = np.flatnonzero(first[place] < np.arange(n_classes))
    if len(later):
        i, j = first[place[later[0]]], later[0]
        raise ValueError(f"rows {i} and {j} of code are equal: these classes could not be told apart")
    return matrix
