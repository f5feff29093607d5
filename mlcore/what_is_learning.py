"""What is learning? The version space of conjunctions, candidate elimination, and the lunch that is not free."""

import itertools
from collections.abc import Hashable
from math import prod

import numpy as np

from mlcore.base import REQUIRED, anything, check_callable, check_int, check_labels, door, of_one_kind, shown, whole
from mlcore.core.what_is_learning import ANY, answers, covers, error_counts, generalised, maximal, specialised, update

__all__ = [
    "ANY", "ConjunctiveSpace", "answers", "candidate_elimination", "covers", "error_counts", "generalised", "maximal",
    "no_free_lunch", "off_training_errors", "specialised", "target_functions", "update",
]

MOST_HYPOTHESES = 1_000_000
"""A space with more hypotheses than this is not enumerated."""

MOST_GENERAL = 2000
"""More candidates for G than this are not compared, each with all others."""

MOST_TARGETS = 2**18
"""More target functions than this are not enumerated: 18 points with two labels."""


class ConjunctiveSpace:
    """The space of conjunctions over discrete attributes: "root = curled and sound = muffled", say.

    A hypothesis is a tuple with one entry for each attribute, a value or ``"*"`` for any; None is the empty hypothesis,
    which calls nothing good. Notes D 1.3; Mitchell, Machine Learning (1997), chapter 2.

    Parameters
    ----------
    attributes : dict of str to sequence
        For each attribute its values, in order: ``{"color": ("green", "black", "white"), "sound": ("dull", "clear")}``.

    Attributes
    ----------
    names : tuple of str
    values : tuple of tuples
    size : int
        How many hypotheses can be written down, ∏(n_i + 1) + 1 for n_i values of attribute i.
    distinct : int
        How many of them differ in what they cover: for an attribute with a single value "*" says the same as the value.

    Raises
    ------
    ValueError
        If there is no attribute, or one has no value, the same value twice, or the value ``"*"``.

    Examples
    --------
    >>> space = ConjunctiveSpace({"color": ("green", "black"), "sound": ("dull", "clear")})
    >>> space.size
    10
    >>> space.boundaries([("green", "dull"), ("black", "clear")], [1, 0])
    ([('green', 'dull')], [('green', '*'), ('*', 'dull')])
    """

    def __init__(self, attributes):
        if not isinstance(attributes, dict) or not attributes:
            raise ValueError(f"attributes must be a dict with the values of at least one attribute, got {attributes!r}")
        self.names = tuple(attributes)
        self.values = tuple(_checked_values(name, values) for name, values in attributes.items())

    @property
    def size(self):
        """∏(n_i + 1) + 1  (1.1)."""
        return prod(len(values) + 1 for values in self.values) + 1

    @property
    def distinct(self):
        """``size`` without those that only repeat another: ∏(n_i + 1) + 1 over the attributes with n_i >= 2."""
        return prod(len(values) + 1 for values in self.values if len(values) > 1) + 1

    def __repr__(self):
        sizes = ", ".join(f"{name}: {len(values)}" for name, values in zip(self.names, self.values))
        return f"ConjunctiveSpace({sizes})"

    def enumerate(self):
        """Yield every hypothesis, from the most general one to the empty one (None).

        Raises
        ------
        ValueError
            If there are more than a million.
        """
        if self.size > MOST_HYPOTHESES:
            raise ValueError(
                f"this space has {self.size} hypotheses, too many to go through; boundaries(X, y) does not need to"
            )
        return itertools.chain(itertools.product(*((ANY, *values) for values in self.values)), [None])

    def version_space(self, X, y):
        """Return the hypotheses that agree with all examples, by trying each.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_attributes)
        y : array-like of shape (n_samples,)
            1 (or True) for what the concept covers, 0 for what it does not.

        Returns
        -------
        list of tuples and None
            In the order of ``enumerate``; empty where no hypothesis agrees with all.

        Raises
        ------
        ValueError
            If an example does not fit the attributes, a label is neither 0 nor 1, or there are over a million
            hypotheses.
        """
        examples = self._checked(X, y)
        return [h for h in self.enumerate() if all(covers(h, x) == positive for x, positive in examples)]

    def boundaries(self, X, y):
        """Return the version space by its two boundaries, found by candidate elimination without enumeration.

        Parameters
        ----------
        X, y
            As for ``version_space``.

        Returns
        -------
        S, G : lists
            The most specific and the most general hypotheses that agree with all examples. The version space is all
            that lies between them. Both are empty where no hypothesis agrees: a wrong label, or a concept that is no
            conjunction. S has one member; G can have exponentially many.

        Raises
        ------
        ValueError
            As for ``version_space``.
        """
        *_, (S, G) = candidate_elimination(self, X, y)
        return S, G

    def between(self, S, G):
        """Return all hypotheses between two boundaries: above a member of S and below a member of G."""
        return [h for h in self.enumerate() if any(covers(h, s) for s in S) and any(covers(g, h) for g in G)]

    def _checked(self, X, y):
        """The examples as pairs (tuple of values, bool)."""
        X, y = np.asarray(X, dtype=object), np.asarray(y)
        if X.ndim == 0 or y.ndim != 1:
            raise ValueError(f"X must be a table and y a list of labels, got arrays of shape {X.shape} and {y.shape}")
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} examples and y has {len(y)} labels")
        if len(X) and (X.ndim != 2 or X.shape[1] != len(self.names)):
            raise ValueError(f"X must have a row for each example and {len(self.names)} columns, got shape {X.shape}")
        strange = [label for label in y.tolist() if label not in (0, 1)]
        if strange:
            raise ValueError(f"labels must be 1 (covered) or 0 (not covered), got {shown(strange[0])}")
        for number, x in enumerate(X):
            for name, value, known in zip(self.names, x, self.values):
                if value not in known:
                    raise ValueError(
                        f"example {number} has {name} = {shown(value)}; known are {', '.join(map(str, known))}"
                    )
        return [(tuple(x), bool(label)) for x, label in zip(X, y)]


def candidate_elimination(space, X, y):
    """Yield the boundaries (S, G) of the version space, before the first example and after each.

    Parameters
    ----------
    space : ConjunctiveSpace
    X : array-like of shape (n_samples, n_attributes)
    y : array-like of shape (n_samples,)

    Yields
    ------
    S, G : lists of hypotheses
        At first S = [None] and G = [("*", ..., "*")]. Once both are empty they stay so.

    Raises
    ------
    ValueError
        As ``ConjunctiveSpace.version_space``, but for any number of hypotheses; if G grows beyond bounds.
    """
    examples = space._checked(X, y)
    S, G = [None], [(ANY,) * len(space.names)]
    yield S, G
    for number, (x, positive) in enumerate(examples):
        if not positive:
            _refuse_crowd(number, S, G, x, space.values)
        S, G = update(S, G, x, positive, space.values)
        yield S, G


def _refuse_crowd(number, S, G, x, values):
    """Refuse a negative example that would leave too many hypotheses to compare; each may double their number."""
    count = len(G) + sum(len(specialised(g, x, s, values)) for g in G if covers(g, x) for s in S)
    if count > MOST_GENERAL:
        raise ValueError(
            f"at example {number} the boundary G has up to {count} hypotheses (at most {MOST_GENERAL} are compared), "
            "and each negative example may double them: put the positive examples first, or take fewer negative ones"
        )


def _checked_values(name, values):
    if not isinstance(values, str) and not hasattr(values, "__iter__"):
        raise ValueError(f"attribute {name!r} needs a list of values, got {shown(values)}")
    values = tuple(values) if not isinstance(values, str) else (values,)
    if not all(isinstance(value, Hashable) for value in values):
        raise ValueError(f"the values of attribute {name!r} must be single words or numbers, got {shown(values)}")
    if not values or len(set(values)) < len(values) or ANY in values:
        raise ValueError(
            f"attribute {name!r} needs at least one value, each once, and none may be '*', got {shown(values)}"
        )
    return values


@door(
    n_points=whole(REQUIRED, "At most 18 with two labels.", low=1),
    labels=anything((0, 1), "sequence", "At least two different ones."),
)
def target_functions(n_points, labels=(0, 1)):
    """Return every way to label so many points: an array of shape (n_labels^n_points, n_points).

    Raises
    ------
    ValueError
        If fewer than two labels are given, or there are more than 2^18 functions.
    """
    labels = np.unique(of_one_kind(check_labels(labels, name="labels")))
    if len(labels) < 2:
        raise ValueError(f"labels must hold at least two different labels, got {labels.tolist()}")
    if n_points * np.log(len(labels)) > np.log(MOST_TARGETS) + 1e-9:
        raise ValueError(
            f"{len(labels)} labels on {n_points} points make more than {MOST_TARGETS} functions: take fewer points"
        )
    return labels[np.indices((len(labels),) * n_points).reshape(n_points, -1).T]


_LEARNER = anything(
    REQUIRED, "callable",
    "``learner(X_train, y_train, X_test)`` returns a label for each row of ``X_test``. It must be deterministic. The\n"
    "points are the numbers 0, 1, 2, ..., as columns of shape (n, 1).",
    check=check_callable, bad=(None, "learn"),
)
_N_TRAIN = whole(REQUIRED, "The first so many points are the training set; at least one point is left over.", low=0)


@door(
    learner=_LEARNER,
    targets=anything(
        REQUIRED, "array of shape (n_targets, n_points)",
        "A function in each row, such as ``target_functions(n_points)``.",
    ),
    n_train=_N_TRAIN,
)
def off_training_errors(learner, targets, n_train):
    """For each target function: of how many points outside the training set is the learner wrong?

    Returns
    -------
    ndarray of int of shape (n_targets,)

    Raises
    ------
    ValueError
        If no point is left over, or the learner's answers are not one known label for each point, the same each time.
    """
    targets = of_one_kind(np.asarray(targets))
    if targets.ndim != 2 or not targets.size:
        raise ValueError(f"targets must be an array of shape (n_targets, n_points), got shape {targets.shape}")
    n_points = targets.shape[1]
    check_int("n_train", n_train, low=0, high=n_points - 1)
    X = np.arange(n_points, dtype=float)[:, np.newaxis]
    said = answers(_checked_learner(learner, np.unique(targets)), X, targets, n_train)
    return error_counts(targets, said)


@door(
    learner=_LEARNER,
    n_points=whole(REQUIRED, "At most 18 with two labels.", low=1),
    n_train=_N_TRAIN,
    labels=anything((0, 1), "sequence", "The labels that a target function may give."),
)
def no_free_lunch(learner, n_points, n_train, *, labels=(0, 1)):
    """Return a learner's error outside its training set, averaged over all target functions, exactly.

    The mean over f of (1/(n - m)) Σ_{i>m} 1{h(x_i) ≠ f(x_i)}, for n points of which the first m are known. For K labels
    it is 1 - 1/K, whatever the learner. Notes D 1.4; Wolpert (1996).

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the numbers do not fit together, or the learner's answers are not one known label for each point, the same
        each time.
    """
    check_int("n_train", n_train, low=0, high=n_points - 1)
    errors = off_training_errors(learner, target_functions(n_points, labels), n_train)
    return int(errors.sum()) / (errors.size * (n_points - n_train))


def _checked_learner(learner, labels):
    """The learner, asked twice, with its answers checked."""

    def ask(X, y, Z):
        said = np.asarray(learner(X.copy(), y.copy(), Z.copy()))
        if said.shape != (len(Z),) or not np.isin(said, labels).all():
            raise ValueError(
                f"the learner must answer with one of the labels {labels.tolist()} for each of the {len(Z)} points, "
                f"got {shown(said.tolist())}"
            )
        if not np.array_equal(said, learner(X.copy(), y.copy(), Z.copy())):
            raise ValueError("the learner must be deterministic: asked twice, it gave two answers")
        return said

    return ask
