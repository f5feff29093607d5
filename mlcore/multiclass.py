"""Many classes from two: one against one, one against the rest, codes that correct errors, and a knockout (多分类学习).

Chapter 6. Sources: notes A 4.1, D 3.5 and 3.7. Each strategy trains copies of a classifier for two classes, on labels 0
and 1, and puts their answers together.
"""

import inspect
import math

import numpy as np

from mlcore.base import (
    Classifier,
    check_array,
    check_choice,
    check_classification,
    check_int,
    check_is_fitted,
    check_random_state,
    check_real,
    check_sample_weight,
    check_X,
    clone,
)

__all__ = [
    "DAGClassifier", "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier", "exhaustive_code",
    "hamming_decode", "random_code", "vote_matrix",
]  # fmt: skip

_MOST_CLASSES = 12
_DRAWS = 1000


# ---------------------------------------------------------------------------------------------------------------
# What all strategies do
# ---------------------------------------------------------------------------------------------------------------
class _Reduction(Classifier):
    """Trains copies of ``estimator`` on tasks with two classes."""

    def _checked(self, X, y, sample_weight):
        """Return the rows with a weight, the places of their classes and their weights (None where none were given)."""
        model = self.estimator
        if isinstance(model, type) or not all(hasattr(model, name) for name in ("fit", "predict", "get_params")):
            raise ValueError(f"estimator must be a classifier, got {model!r}")
        X, codes = check_classification(self, X, y, min_classes=2)
        if sample_weight is None:
            return X, codes, None
        if "sample_weight" not in inspect.signature(model.fit).parameters:
            raise ValueError(f"sample_weight was given, but fit of {type(model).__name__} takes none")
        weights = check_sample_weight(sample_weight, len(X))
        kept = weights > 0
        present, codes = np.unique(codes[kept], return_inverse=True)
        if len(present) == 1:
            raise ValueError(f"only class {self.classes_[present[0]]!r} has a weight above 0; two classes are needed")
        self.classes_ = self.classes_[present]
        return X[kept], codes, weights[kept]

    def _train(self, X, bits, weights=None, rng=None):
        """Train a copy on labels 0 and 1; one that would draw without a seed gets one from ``rng``."""
        member = clone(self.estimator)
        if rng is not None and member.get_params(deep=False).get("random_state", 0) is None:
            member.set_params(random_state=int(rng.integers(2**31 - 1)))
        return member.fit(X, bits) if weights is None else member.fit(X, bits, sample_weight=weights)

    def _train_pairs(self, X, codes, weights):
        """Train a copy for every pair of classes i < j: label 1 means class i."""
        K = len(self.classes_)
        self.pairs_ = [(i, j) for i in range(K) for j in range(i + 1, K)]
        self.estimators_ = []
        for i, j in self.pairs_:
            rows = (codes == i) | (codes == j)
            self.estimators_.append(self._train(X[rows], (codes[rows] == i).astype(int), _part(weights, rows)))


def _part(weights, rows):
    return None if weights is None else weights[rows]


def confidence(model, X):
    """Return how sure a classifier for the labels 0 and 1 is of label 1: above 0 where it predicts 1.

    Its ``decision_function``; else ``predict_proba`` minus ½; else +1 and -1 by ``predict``.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=float).ravel()
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=float)[:, 1] - 0.5
    return 2.0 * np.asarray(model.predict(X), dtype=float) - 1.0


# ---------------------------------------------------------------------------------------------------------------
# One against one
# ---------------------------------------------------------------------------------------------------------------
class OneVsOneClassifier(_Reduction):
    """One against one (一对一, OvO): K(K-1)/2 classifiers, one for each pair of classes; each has one vote.

    Predicts the class with the most votes. Equal votes: the class with the larger sum of confidences in its duels; if
    these are equal too, the first one.

    Parameters
    ----------
    estimator : classifier for two classes
        Of mlcore or scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pairs_ : list of (i, j)
        Places in ``classes_``, i < j.
    estimators_ : list of fitted classifiers, one for each pair
        Label 1 means class i, label 0 class j.

    Notes A 4.1.1.
    """

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Train a classifier for each pair, on the rows of these two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to the estimators. Rows of weight 0 are left out, and so are classes that have no others.

        Raises
        ------
        ValueError, TypeError
            For bad data, a single class, an estimator that is none, or weights that it cannot take.
        """
        self._train_pairs(*self._checked(X, y, sample_weight))
        return self

    def votes(self, X):
        """Return how many duels each class wins: int array of shape (n_samples, n_classes)."""
        X = check_X(self, X)
        return self._tally(X)[0]

    def _tally(self, X):
        """Votes and summed confidences, both of shape (n_samples, n_classes)."""
        votes, sums = np.zeros((len(X), len(self.classes_)), dtype=int), np.zeros((len(X), len(self.classes_)))
        for (i, j), member in zip(self.pairs_, self.estimators_, strict=True):
            first = np.asarray(member.predict(X), dtype=int) == 1
            votes[:, i] += first
            votes[:, j] += ~first
            sure = confidence(member, X)
            sums[:, i] += sure
            sums[:, j] -= sure
        return votes, sums

    def _scores(self, X):
        """Votes, and between equal ones the confidence, squeezed to less than a third of a vote either way."""
        votes, sums = self._tally(X)
        return votes + sums / (3 * (np.abs(sums) + 1))

    def decision_function(self, X):
        """Return the votes plus a share below ½ that grows with the summed confidence and decides between equals.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            For two classes of shape (n_samples,): above 0 for ``classes_[1]``.
        """
        scores = self._scores(check_X(self, X))
        return (scores[:, 1] - scores[:, 0]) / 2 if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the class with the most votes."""
        winners = self._scores(check_X(self, X)).argmax(axis=1)
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

    Raises
    ------
    ValueError
        If the model does not consist of duels, or x is no single point.
    """
    check_is_fitted(model)
    if not hasattr(model, "pairs_"):
        raise ValueError(f"vote_matrix needs a model of duels (OneVsOneClassifier, DAGClassifier), got {model!r}")
    if np.ndim(x) != 1:
        raise ValueError(f"x must be one point of shape (n_features,), got shape {np.shape(x)}")
    X = check_X(model, np.reshape(x, (1, -1)))
    A = np.zeros((len(model.classes_),) * 2, dtype=int)
    for (i, j), member in zip(model.pairs_, model.estimators_, strict=True):
        winner, loser = (i, j) if member.predict(X)[0] == 1 else (j, i)
        A[winner, loser] = 1
    return A


class DAGClassifier(_Reduction):
    """A knockout (有向无环图, DAG): the classifiers of one against one, but only K - 1 of them are asked.

    Keep a list of all classes. Let the first and the last fight; strike out the loser; until one is left. A class that
    wins all its duels always wins; otherwise the order of the classes matters.

    Parameters
    ----------
    estimator : classifier for two classes
        Of mlcore or scikit-learn.

    Attributes
    ----------
    classes_, pairs_, estimators_
        See ``OneVsOneClassifier``.

    Notes D 3.7; Platt, Cristianini and Shawe-Taylor 2000.
    """

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Train a classifier for each pair (see ``OneVsOneClassifier.fit``)."""
        self._train_pairs(*self._checked(X, y, sample_weight))
        return self

    def _knockout(self, X):
        """Yield, duel by duel, the first and the last class that each row has left: arrays low and high."""
        K = len(self.classes_)
        number = {pair: k for k, pair in enumerate(self.pairs_)}
        low = np.zeros(len(X), dtype=int)
        yield low, low + K - 1
        for struck in range(K - 1):
            wins = np.zeros(len(X), dtype=bool)
            for i in range(struck + 1):
                rows = np.flatnonzero(low == i)
                if len(rows):
                    member = self.estimators_[number[i, i + K - 1 - struck]]
                    wins[rows] = np.asarray(member.predict(X[rows]), dtype=int) == 1
            low = low + ~wins
            yield low, low + K - 2 - struck

    def duels(self, x):
        """Return the duels of one point in order: a list of (i, j, winner), places in ``classes_``.

        Raises
        ------
        ValueError
            If x is no single point.
        """
        if np.ndim(x) != 1:
            raise ValueError(f"x must be one point of shape (n_features,), got shape {np.shape(x)}")
        ranges = [(int(low[0]), int(high[0])) for low, high in self._knockout(check_X(self, np.reshape(x, (1, -1))))]
        return [(i, j, i if after == (i, j - 1) else j) for (i, j), after in zip(ranges[:-1], ranges[1:], strict=True)]

    def predict(self, X):
        """Return the class that is left over."""
        *_, (low, _) = self._knockout(check_X(self, X))
        return self.classes_[low]


# ---------------------------------------------------------------------------------------------------------------
# One against the rest
# ---------------------------------------------------------------------------------------------------------------
class OneVsRestClassifier(_Reduction):
    """One against the rest (一对其余, OvR): K classifiers, each tells one class from all others.

    Predicts the class whose classifier is surest, whether none, one or several say yes (A 4.1.2). Equal: the first.

    Parameters
    ----------
    estimator : classifier for two classes
        Of mlcore or scikit-learn. Confidences must be comparable: one without ``decision_function`` and
        ``predict_proba`` leaves many ties.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of fitted classifiers, one for each class
        Label 1 means this class.

    Notes A 4.1.2.
    """

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Train a classifier for each class, on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to the estimators. Rows of weight 0 are left out, and so are classes that have no others.

        Raises
        ------
        ValueError, TypeError
            For bad data, a single class, an estimator that is none, or weights that it cannot take.
        """
        X, codes, weights = self._checked(X, y, sample_weight)
        self.estimators_ = [self._train(X, (codes == k).astype(int), weights) for k in range(len(self.classes_))]
        return self

    def fired(self, X):
        """Return which classifiers say yes: bool array of shape (n_samples, n_classes)."""
        X = check_X(self, X)
        return np.column_stack([np.asarray(member.predict(X), dtype=int) == 1 for member in self.estimators_])

    def _confidences(self, X):
        return np.column_stack([confidence(member, X) for member in self.estimators_])

    def decision_function(self, X):
        """Return the confidences: (n_samples, n_classes); for two classes their difference, of shape (n_samples,)."""
        scores = self._confidences(check_X(self, X))
        return (scores[:, 1] - scores[:, 0]) / 2 if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the class whose classifier is surest."""
        winners = self._confidences(check_X(self, X)).argmax(axis=1)
        return self.classes_[winners]


# ---------------------------------------------------------------------------------------------------------------
# Codes that correct errors
# ---------------------------------------------------------------------------------------------------------------
def exhaustive_code(n_classes):
    """Return all ways to divide K classes in two: a matrix of +1 and -1 of shape (K, 2^(K-1) - 1).

    The first class is always on the side of +1, since a division and its opposite are one task. Any two rows differ in
    2^(K-2) places, so ⌊(2^(K-2) - 1)/2⌋ wrong answers are corrected.

    Raises
    ------
    ValueError
        If K is below 2 or above 12 (then there would be thousands of classifiers).
    """
    if check_int("n_classes", n_classes, low=2) > _MOST_CLASSES:
        raise ValueError(
            f"an exhaustive code of {n_classes} classes has {2 ** (n_classes - 1) - 1} columns; "
            f"it is made for 2 to {_MOST_CLASSES} classes: use code='random'"
        )
    numbers = np.arange(2 ** (n_classes - 1) - 1)
    rest = (numbers >> np.arange(n_classes - 1)[::-1, None]) & 1
    return np.vstack([np.ones(len(numbers), dtype=int), 2 * rest - 1])


def random_code(n_classes, n_bits, rng):
    """Return the best of many random codes: the one whose closest two rows differ most.

    Parameters
    ----------
    n_classes, n_bits : int
    rng : numpy.random.Generator

    Returns
    -------
    int ndarray of shape (n_classes, n_bits)
        +1 and -1; no two rows equal, no column constant.

    Raises
    ------
    ValueError
        If there are fewer than 2 classes, or so few bits that they cannot tell so many classes apart.
    """
    check_int("n_classes", n_classes, low=2), check_int("n_bits", n_bits, low=1)
    if 2**n_bits < n_classes:
        raise ValueError(f"{n_bits} bits cannot tell {n_classes} classes apart: make code_size larger")
    best, distance = None, 0
    for _ in range(max(10, min(_DRAWS, 10**7 // (n_classes * n_bits)))):
        code = _draw_columns(n_classes, n_bits, rng)
        closest = row_distances(code)[np.triu_indices(n_classes, 1)].min()
        if closest > distance:
            best, distance = code, closest
    if best is None:
        raise ValueError(f"no code of {n_bits} bits for {n_classes} classes was found: make code_size larger")
    return best


def _draw_columns(n_classes, n_bits, rng):
    """Draw columns of +1 and -1; one that is constant is drawn again."""
    code = np.ones((n_classes, n_bits), dtype=int)
    while (flat := np.abs(code.sum(axis=0)) == n_classes).any():
        code[:, flat] = 2 * rng.integers(0, 2, size=(n_classes, flat.sum())) - 1
    return code


def row_distances(code):
    """Return the Hamming distances of the rows of a code, a 0 costing ½: shape (n_classes, n_classes)."""
    code = np.asarray(code)
    return (code.shape[1] - code @ code.T) / 2


def hamming_decode(bits, code):
    """Return the class whose row of the code is nearest to each row of answers (海明距离解码).

    d(b, c) = Σ_l (1 - b_l c_l) / 2: 1 for a place that differs, 0 for one that agrees, ½ where the code has a 0 (the
    class took no part in that task). Equal distances: the first class.

    Parameters
    ----------
    bits : array-like of shape (n_samples, n_bits)
        +1 and -1.
    code : array-like of shape (n_classes, n_bits)
        +1, -1 and 0.

    Returns
    -------
    int ndarray of shape (n_samples,)
        Row numbers of the code.

    Raises
    ------
    ValueError
        For other numbers, or different widths.
    """
    bits, code = check_array(bits, name="bits"), check_array(code, name="code")
    if not np.isin(bits, (-1, 1)).all() or not np.isin(code, (-1, 0, 1)).all():
        raise ValueError("bits must be +1 and -1, and a code +1, -1 and 0")
    if bits.shape[1] != code.shape[1]:
        raise ValueError(f"bits have {bits.shape[1]} places and the code has {code.shape[1]}")
    return ((bits.shape[1] - bits @ code.T) / 2).argmin(axis=1)


class OutputCodeClassifier(_Reduction):
    """Error-correcting output codes (纠错输出码, ECOC): each class is a word of bits, each bit a classifier.

    Bit l divides the classes: those with +1 in column l against those with -1; classes with 0 take no part. A new point
    gets the word of all answers, and the class whose word is nearest (``hamming_decode``). If any two words differ in d
    places, ⌊(d - 1)/2⌋ wrong answers do no harm.

    One against one is the code with a column for each pair and 0 elsewhere; one against the rest is the code with +1
    on the diagonal and -1 elsewhere.

    Parameters
    ----------
    estimator : classifier for two classes
        Of mlcore or scikit-learn.
    code : "exhaustive", "random" or array of shape (n_classes, n_bits)
        All divisions; random ones; or a given matrix of +1, -1 and 0, rows in the order of ``classes_``. Columns may
        repeat or be each other's opposite. Such a task is learned twice: d grows, but an estimator that draws nothing
        gives both answers right or both wrong (where it breaks ties by label, up to ties), and corrects no more.
    code_size : float > 0
        Bits of a random code for each class.
    random_state : None, int or numpy.random.Generator
        For a random code, and for estimators that draw and have no ``random_state`` of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    code_ : int ndarray of shape (n_classes, n_bits)
    estimators_ : list of fitted classifiers, one for each bit
        Label 1 means +1.

    Notes A 4.1 (MvM), D 3.5 and 3.7; Dietterich and Bakiri 1995.
    """

    def __init__(self, estimator, *, code="exhaustive", code_size=3.0, random_state=None):
        self.estimator = estimator
        self.code = code
        self.code_size = code_size
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Make the code and train a classifier for each bit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Passed on to the estimators. Rows of weight 0 are left out, and so are classes that have no others.

        Raises
        ------
        ValueError, TypeError
            For bad data, a single class, or a code with equal rows or a column that does not divide the classes.
        """
        rng = check_random_state(self.random_state)
        X, codes, weights = self._checked(X, y, sample_weight)
        self.code_ = self._make_code(len(self.classes_), rng)
        self.estimators_ = []
        for column in self.code_.T:
            rows = column[codes] != 0
            bits = (column[codes[rows]] > 0).astype(int)
            self.estimators_.append(self._train(X[rows], bits, _part(weights, rows), rng))
        return self

    def _make_code(self, K, rng):
        if not isinstance(self.code, str):
            return checked_code(self.code, K)
        if check_choice("code", self.code, ("exhaustive", "random")) == "exhaustive":
            return exhaustive_code(K)
        size = check_real("code_size", self.code_size, low=0, low_open=True)
        return random_code(K, max(math.ceil(math.log2(K)), round(size * K)), rng)

    def bits(self, X):
        """Return the answers of all classifiers: +1 and -1, shape (n_samples, n_bits)."""
        X = check_X(self, X)
        answers = [2 * np.asarray(member.predict(X), dtype=int) - 1 for member in self.estimators_]
        return np.column_stack(answers)

    def predict(self, X):
        """Return the class whose word is nearest to the answers; equal distances: the first."""
        words = self.bits(X)
        return self.classes_[hamming_decode(words, self.code_)]


def checked_code(code, n_classes):
    """Return a given code as whole numbers.

    Raises
    ------
    ValueError
        If it has another number of rows than there are classes, other numbers than +1, -1 and 0, equal rows, or a
        column without both +1 and -1.
    """
    matrix = check_array(code, name="code")
    if len(matrix) != n_classes:
        raise ValueError(f"code has {len(matrix)} rows, but there are {n_classes} classes")
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise ValueError("code must hold +1, -1 and 0 only")
    flat = np.flatnonzero(((matrix == 1).sum(axis=0) == 0) | ((matrix == -1).sum(axis=0) == 0))
    if len(flat):
        raise ValueError(f"column {flat[0]} of code does not hold both +1 and -1: it divides no classes")
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            if (matrix[i] == matrix[j]).all():
                raise ValueError(f"rows {i} and {j} of code are equal: these classes could not be told apart")
    return matrix.astype(int)
