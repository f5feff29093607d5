"""Learning theory (学习理论): why a small error on the training rows says something about new rows, and how much.

Sources: notes A 8, C 1.3; D 2.5 is a stub (bias and variance are taught here in full).
"""

import functools
import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mlcore.base import (
    REQUIRED,
    anything,
    check_array,
    check_callable,
    check_numbers,
    door,
    labels,
    of_one_kind,
    part,
    real,
    seed,
    shown,
    table,
    whole,
)
from mlcore.base import numbers as many_numbers
from mlcore.base.members import fresh
from mlcore.core import learning_theory as core
from mlcore.core.learning_theory import (
    all_labelings,
    bias_and_variance,
    box_around,
    corrected,
    count_distinct,
    exact_tail,
    exchange,
    full_subsets,
    gap_of,
    least,
    margin_dimension,
    next_exchange,
    ray_from,
    realised,
    rows_for,
    separator,
    tail,
    training_errors,
    uniform_tail,
    vc_gap,
    walk,
    weights_of_proof,
)
from mlcore.numerics import finite

__all__ = [
    "Certificate", "Decomposition", "bias_variance", "deviation_probability", "discs", "empirical_risk_minimizer",
    "generalization_gap", "growth_function", "half_planes", "hoeffding_bound", "intervals", "is_shattered",
    "labelings_of", "margin_vc_bound", "rays", "rectangles", "sample_complexity", "sauer_bound", "separator_steps",
    "shattered_subsets", "two_sided_rays", "union_bound", "vc_bound", "tail", "exchange", "least",
    "next_exchange",
]

MOST_POINTS = 16


# ---------------------------------------------------------------------------------------------------------------
# Bias and variance
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Decomposition:
    """The squared error of a learning algorithm, split into its parts; see ``bias_variance``.

    Attributes
    ----------
    bias2, variance, noise : float
        Means over the places: (F̄ - f)², (1/T) Σ_t (F_t - F̄)², σ².
    error : float
        Measured: the mean square of prediction minus a fresh noisy label, over all models and places.
    corrected : (float, float)
        bias² and variance without what the finite number of training sets adds and takes; the same sum.
    predictions : ndarray of shape (n_sets, n_places)
    truth : ndarray of shape (n_places,)
    """

    bias2: float
    variance: float
    noise: float
    error: float
    corrected: tuple
    predictions: np.ndarray
    truth: np.ndarray

    @property
    def total(self):
        """bias² + variance + noise."""
        return self.bias2 + self.variance + self.noise


def _check_features(name, value):
    return (lambda inputs: inputs) if value is None else check_callable(name, value)


@door(
    estimator=part("A regressor, of this course or of scikit-learn. It is copied, not changed."),
    f=anything(
        REQUIRED, "callable",
        "The truth: takes inputs of shape (n, d), returns shape (n,). Labels are f plus Gaussian noise.",
        check=check_callable, bad=(3,),
    ),
    draw=anything(
        REQUIRED, "callable or array of shape (m, d)",
        "``draw(rng)`` returns the inputs of one training set; an array serves every set (a fixed design).",
    ),
    X=table("The places where predictions are judged.", form="array-like of shape (n, d)"),
    noise=real(0.3, "σ, the standard deviation of a label.", low=0),
    n_sets=whole(100, "T.", low=2),
    features=anything(
        None, "callable, optional",
        "What the estimator sees in place of its inputs: ``features(inputs)``, such as powers of x.",
        check=_check_features, bad=(3,),
    ),
    random_state=seed(),
)
def bias_variance(estimator, f, draw, X, *, noise, n_sets, features, random_state):
    """Fit an estimator to many training sets and split its mean squared error into bias², variance and noise.

    mean over sets and places of (F - f)² = bias² + variance, exactly; a fresh noisy label adds noise = σ² on average.

    Returns
    -------
    Decomposition

    Raises
    ------
    ValueError
        If f returns another shape than (n,) or a number that is not finite.

    References
    ----------
    Notes A 8.1; Geman, Bienenstock and Doursat (1992), "Neural networks and the bias/variance dilemma".
    """
    rng = random_state
    seeds = np.random.default_rng(rng.integers(2**62))  # apart, so that every estimator sees the same sets

    def look(inputs):
        inputs = check_array(inputs, name="the inputs of a training set")
        return features(inputs), _truth(f, inputs)

    fixed = None if callable(draw) else look(draw)
    truth, places = _truth(f, X), features(X)
    F = np.empty((n_sets, len(X)))
    for t in range(n_sets):
        A, right = fixed or look(draw(rng))
        y = right + noise * rng.normal(size=len(right))
        F[t] = fresh(estimator, seeds).fit(A, y).predict(places)
    finite(F, "some prediction is not finite: take a simpler estimator, or features of size about 1")
    bias2, variance = bias_and_variance(F, truth)
    error = np.mean((F - truth - noise * rng.normal(size=F.shape)) ** 2)
    pure = corrected(bias2.mean(), variance.mean(), n_sets)
    return Decomposition(
        float(bias2.mean()), float(variance.mean()), noise**2, float(error), tuple(map(float, pure)), F, truth
    )


def _truth(f, X):
    values = check_numbers(f(X), "what f returns")
    if values.shape != (len(X),):
        raise ValueError(f"f must return one number a row, {len(X)} in all, got an array of shape {values.shape}")
    return values


# ---------------------------------------------------------------------------------------------------------------
# Bounds
# ---------------------------------------------------------------------------------------------------------------
def _rows(name, m):
    rows = check_numbers(m, name)
    if not (rows.size and np.all(rows >= 1) and np.all(rows == np.floor(rows))):
        raise ValueError(f"{name}, the number of rows, must be a whole number >= 1, got {shown(m)}")
    return rows


def _distance(**bounds):
    return real(REQUIRED, "The distance γ of the share φ̂ from its chance φ.", low=0, low_open=True, **bounds)


def _between_0_and_1(says):
    return real(REQUIRED, says, low=0, high=1, low_open=True, high_open=True)


@door(
    m=anything(REQUIRED, "int >= 1, or array of them", "Independent rows.", check=_rows, bad=(0, 1.5, [], "5")),
    gamma=_distance(hidden_high=1e100),
)
def hoeffding_bound(m, gamma):
    """Return Hoeffding's bound 2 exp(-2γ²m) on P(|φ̂ - φ| > γ), for one event fixed before the m rows are seen.

    A value of 1 or more says nothing.

    References
    ----------
    Notes A (227); Hoeffding (1963), "Probability inequalities for sums of bounded random variables".
    """
    with np.errstate(under="ignore"):
        return uniform_tail(1, m, gamma)


@door(
    m=whole(REQUIRED, "Independent trials.", low=1, high=10_000_000),
    phi=real(REQUIRED, "The chance φ of a success.", low=0, high=1), gamma=_distance(),
)
def deviation_probability(m, phi, gamma):
    """Return P(|φ̂ - φ| > γ) itself, for the share φ̂ of successes in m independent trials of chance φ."""
    with np.errstate(under="ignore"):
        return 0.0 if phi in (0, 1) else min(float(exact_tail(m, phi, gamma)), 1.0)


@door(probabilities=many_numbers(
    "Of k events. Bounds above 1, which say nothing, are accepted too.", form="array-like of shape (k,), or a number",
    low=0,
))  # fmt: skip
def union_bound(probabilities):
    """Return P(A₁) + ... + P(A_k) >= P(A₁ or ... or A_k), whether the events depend on each other or not.

    1 or more says nothing.

    References
    ----------
    Notes A (226). It follows from the axioms of probability and is none of them.
    """
    return probabilities.sum()


@door(
    predictions=anything(REQUIRED, "array-like of shape (k, m)", "The answers of k hypotheses on m rows."),
    y=labels("The labels.", form="array-like of shape (m,)"),
)
def empirical_risk_minimizer(predictions, y):
    """Return which hypothesis makes the fewest errors on the rows at hand, and the training errors of all.

    Returns
    -------
    best : int
        The first of those with the least training error.
    errors : ndarray of shape (k,), in [0, 1]

    References
    ----------
    Notes A (228), (231).
    """
    H = np.asarray(predictions)
    if H.ndim != 2 or H.shape[0] < 1 or H.shape[1] != len(y):
        raise ValueError(f"predictions must have a row for each hypothesis and {len(y)} columns, got shape {H.shape}")
    errors = training_errors(H, y)
    return int(np.argmin(errors)), errors


@door(
    k=whole(REQUIRED, "How many hypotheses there are, of any size: 2**640 is fine.", low=1),
    gamma=real(REQUIRED, "γ.", low=1e-100, high=1, high_open=True),
    delta=real(REQUIRED, "δ.", low=1e-100, high=1, high_open=True),
)
def sample_complexity(k, gamma, delta):
    """Return the m from which on, with probability 1 - δ, all k training errors are within γ of the truth.

    m = ⌈ln(2k/δ) / (2γ²)⌉. So many rows suffice; fewer may do too.

    References
    ----------
    Notes A (236), (240).
    """
    return max(math.ceil(rows_for(math.log(k), gamma, delta)), 1)


@door(
    m=whole(REQUIRED, "Rows.", low=1), k=whole(REQUIRED, "Hypotheses, fixed before the rows are seen.", low=1),
    delta=_between_0_and_1("δ."),
)
def generalization_gap(m, k, delta):
    """Return γ = √(ln(2k/δ) / 2m): with probability 1 - δ all k training errors of m rows are within γ of the truth.

    So the hypothesis with the least training error is at most 2γ worse than the best of the k. A γ of 1 or more says
    nothing.

    References
    ----------
    Notes A (237), (239).
    """
    return gap_of(math.log(k), m, delta)


sauer_bound = door(
    m=whole(REQUIRED, "Points.", low=0, high=10_000_000), d=whole(REQUIRED, "VC dimension.", low=0, high=2000)
)(core.sauer_bound)


@door(
    m=whole(REQUIRED, "Rows.", low=1),
    d=whole(
        REQUIRED,
        "The VC dimension of the class. Π(2m) is then at most Sauer's sum; beyond d = 100 its bound (2em/d)ᵈ is\n"
        "taken where 2m >= d, and 2²ᵐ where not.",
        low=0,
    ),
    delta=_between_0_and_1("δ."),
    growth=whole(None, "Π(2m), or a bound on it, where more is known than d.", low=1),
)
def vc_bound(m, d, delta, *, growth):
    """Return γ = √(8/m · ln(4Π(2m)/δ)): with probability 1 - δ no h of the class has |ε̂(h) - ε(h)| > γ.

    A γ of 1 or more says nothing.

    References
    ----------
    Notes A (243), solved for its ε; Vapnik and Chervonenkis (1971).
    """
    if growth is not None:
        log_growth = math.log(growth)
    elif 2 * m <= d:
        log_growth = 2 * m * math.log(2)
    elif d <= 100:
        log_growth = math.log(core.sauer_bound(2 * m, d))
    else:
        log_growth = min(d * math.log(2 * math.e * m / d), 2 * m * math.log(2))
    return vc_gap(log_growth, m, delta)


@door(
    R=real(REQUIRED, "Radius of a ball that holds all points.", low=0, low_open=True),
    rho=real(REQUIRED, "The least distance of a point from the hyperplane.", low=0, low_open=True),
    d=whole(None, "The number of features; by default there may be infinitely many.", low=1),
)
def margin_vc_bound(R, rho, d):
    """Return min(d, ⌈R²/ρ²⌉) + 1: no more points in a ball of radius R are shattered with margin ρ.

    A labeling counts only if some hyperplane realises it with every point at least ρ away. R and ρ must be fixed
    before the data are seen.

    References
    ----------
    Notes C 1.3; Vapnik (1995), "The Nature of Statistical Learning Theory".
    """
    d = math.inf if d is None else d
    ratio = (R / rho) ** 2 if R / rho < 1e150 else math.inf
    if math.isinf(ratio) and math.isinf(d):
        raise ValueError(f"R/rho = {R / rho:.3g} is too large for a number: give d, the number of features")
    return int(d) + 1 if ratio >= d else margin_dimension(ratio, d)


# ---------------------------------------------------------------------------------------------------------------
# Exact learners: a hypothesis of the class with these labels, or a proof that it has none
# ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Certificate:
    """The answer of an exact learner: true if some hypothesis of the class gives the points their labels.

    Attributes
    ----------
    hypothesis : tuple or None
        One that does: (low, high) of a box, (w, b) of a half-plane, (centre, radius²) of a disc. ``()`` where no point
        has label 1, and the class has hypotheses that answer 0 everywhere near.
    proof : ndarray or None
        Why there is none. For boxes the numbers of the points of label 0 that lie inside every box around those of
        label 1. For half-planes weights λ >= 0, exact fractions: the mean of the points of label 1 with these weights
        is the mean of those of label 0. For discs the same, with one weight more: see ``discs``.
    """

    hypothesis: tuple | None
    proof: np.ndarray | None

    def __bool__(self):
        return self.hypothesis is not None


def _check_line(name, X):
    values = check_numbers(X, name)
    return check_array(values[:, np.newaxis] if values.ndim == 1 else values, name=name)


def _check_exact(name, X):
    """The points as fractions, without loss."""
    array, given = check_array(X, name=name), np.asarray(X)
    n, d = array.shape
    if n * (d + 2) > MOST_NUMBERS:
        raise ValueError(
            f"{n} points of {d} features are too many for fractions (at most {MOST_NUMBERS:,} numbers in all): take "
            "fewer points, or fit a Perceptron or a LinearSVC, which do not prove their answer"
        )
    rows = (given if given.dtype.kind in "iuO" else array).tolist()
    return np.array([[_fraction(value) for value in row] for row in rows], dtype=object).reshape(n, d)


def _fraction(value):
    """A fraction of Python's whole numbers, which are as long as they must be: NumPy's would overflow inside it."""
    return Fraction(int(value)) if isinstance(value, numbers.Integral) else Fraction(*value.as_integer_ratio())


def _check_zeros_and_ones(name, y):
    given = np.asarray(y)
    if not np.isin(given, (0, 1)).all():
        raise ValueError(f"labels must be 0 and 1, got {sorted(set(given.ravel().tolist()))[:5]}")
    return given.astype(int)


LINE = anything(
    REQUIRED, "array-like of shape (m,) or (m, 1)", "Numbers.", check=_check_line, bad=([], ["a"], [np.nan])
)
POINTS = table("Points.", form="array-like of shape (m, d)")
EXACT = anything(
    REQUIRED, "array-like of shape (m, d)", "Points: numbers, or ``fractions.Fraction``.",
    check=_check_exact, bad=([], [[np.nan]], [["a"]], [1.0]),
)


def _learner(points):
    """A door for points, and a label 0 or 1 for each."""
    labels = anything(REQUIRED, "array-like of 0 and 1, of shape (m,)", "Labels.", check=_check_zeros_and_ones)

    def build(learn):
        @functools.wraps(learn)
        def matched(X, y):
            if y.shape != (len(X),):
                raise ValueError(f"y must have one label for each of the {len(X)} points, got shape {y.shape}")
            return learn(X, y)

        return door(X=points, y=labels)(matched)

    return build


@_learner(LINE)
def intervals(X, y):
    """Learn a closed interval: 1 for x in [a, b], else 0 (区间). Exact; the interval may hold no point.

    Returns
    -------
    Certificate
    """
    return _box(X, y)


@_learner(LINE)
def rays(X, y):
    """Learn a ray to the right: 1 for x >= a, else 0. Exact.

    Returns
    -------
    Certificate
    """
    return _ray(X[:, 0], y)


@_learner(LINE)
def two_sided_rays(X, y):
    """Learn a ray to the right or to the left. Exact.

    Returns
    -------
    Certificate
    """
    if right := _ray(X[:, 0], y):
        return right
    left = _ray(-X[:, 0], y)
    return Certificate((-np.inf, -left.hypothesis[0]), None) if left else left


def _ray(x, y):
    if not np.any(y == 1):
        return Certificate((), None)
    low, inside = ray_from(x, y)
    return Certificate(None, np.flatnonzero(inside)) if inside.any() else Certificate((low, np.inf), None)


@_learner(POINTS)
def rectangles(X, y):
    """Learn a box with sides along the axes: 1 inside or on the border, else 0 (轴平行矩形). Exact, in any dimension.

    Returns
    -------
    Certificate
    """
    return _box(X, y)


def _box(X, y):
    if not np.any(y == 1):
        return Certificate((), None)
    low, high, inside = box_around(X, y)
    return Certificate(None, np.flatnonzero(inside)) if inside.any() else Certificate((low, high), None)


@_learner(EXACT)
def half_planes(X, y):
    """Learn a half-plane: 1 for wᵀx + b > 0, else 0, no point on the line (半平面). Exact, in any dimension.

    The points become fractions, without loss, and no step rounds. Either (w, b) is returned, or weights λ >= 0 with
    Σ_i λ_i y_i (x_i, 1) = 0, where y_i is now 1 or -1: they make a line impossible.

    Returns
    -------
    Certificate
    """
    w, weights = _decide(_signed(X, y))
    if weights is not None:
        return Certificate(None, weights / weights[y == 1].sum())
    return Certificate((w[:-1], w[-1]), None)


@_learner(EXACT)
def discs(X, y):
    """Learn a disc: 1 for |x - c|² < r², else 0, no point on the circle (圆盘). Exact, in any dimension.

    |x - c|² < r² is linear in (|x|², x): a half-space of the points lifted onto a bowl, whose factor of |x|² must be
    negative. That is one condition more, and the last weight of a proof belongs to it.

    Returns
    -------
    Certificate
    """
    lifted = np.column_stack([X, -np.sum(X**2, axis=1)])
    bowl = [Fraction(0)] * X.shape[1] + [Fraction(1), Fraction(0)]  # the factor a of -|x|² is positive
    w, weights = _decide(np.vstack([_signed(lifted, y), np.array([bowl], dtype=object)]))
    if weights is not None:
        return Certificate(None, weights / weights[:-1][y == 1].sum())
    a, center = w[-2], w[:-2] / (2 * w[-2])
    return Certificate((center, np.sum(center**2) + w[-1] / a), None)


@_learner(EXACT)
def separator_steps(X, y):
    """Return the tables that ``half_planes`` walks through, for a player.

    Returns
    -------
    list of (T, rows, columns)
        Numbers below m in ``rows`` and ``columns`` stand for the slacks s_i of the points, m and above for w and b.
    """
    return list(_walk_while_short(_signed(X, y)))


MOST_NUMBERS = 20_000
"""In a table of fractions."""
MOST_WORK = 1_500_000
"""Fractions computed, times the number of variables, with which they grow longer: ten to twenty seconds."""


def _walk_while_short(Z):
    """``walk``, given up where it takes too long."""
    for step, (T, rows, columns) in enumerate(walk(Z)):
        if step * T.size * Z.shape[1] > MOST_WORK:
            raise ValueError(
                f"no answer after {step} exchanges in a table of {T.shape[0]} x {T.shape[1]} fractions, which take "
                "ever longer: take fewer points or features, or fit a Perceptron or a LinearSVC"
            )
        yield T, rows, columns


def _decide(Z):
    """Return (w, None) with Zw >= 1, or (None, λ) with λ >= 0, Zᵀλ = 0 and λ ≠ 0."""
    m, p = Z.shape
    *_, (T, rows, columns) = _walk_while_short(Z)
    if np.any(T[rows < m, 0] < 0):
        return None, weights_of_proof(T, rows, columns, m)
    return separator(T, rows, m, p), None


def _signed(X, y):
    """z_i = ±(x_i, 1): a half-plane with these labels is a w with z_iᵀw > 0 for all i."""
    return np.where(y == 1, 1, -1).astype(object)[:, np.newaxis] * np.column_stack([X, np.full(len(X), Fraction(1))])


# ---------------------------------------------------------------------------------------------------------------
# Counting labelings
# ---------------------------------------------------------------------------------------------------------------
def _check_some_points(name, points):
    array = np.asarray(points)
    if array.dtype.kind != "O":
        array = check_numbers(points, name)
    if array.ndim not in (1, 2) or not 1 <= len(array) <= MOST_POINTS:
        raise ValueError(
            f"from 1 to {MOST_POINTS} {name} are needed, in rows, got shape {array.shape}: "
            f"{MOST_POINTS} points have {2**MOST_POINTS:,} labelings already"
        )
    return array


FEW = anything(
    REQUIRED, "array-like of shape (m, d) or (m,)", f"At most {MOST_POINTS}.", check=_check_some_points,
    bad=([], [np.nan], np.zeros(17)),
)
LEARNER = anything(
    REQUIRED, "callable",
    "``learner(points, y)`` is true if the class has a hypothesis with the labels y, for each y of 0s and 1s:\n"
    "``half_planes``, say. It must be exact: an iterative method that gives up counts too few.",
    check=check_callable, bad=(3,),
)


@door(points=FEW, learner=LEARNER)
def labelings_of(points, learner):
    """Return the labelings of the points that an exact learner realises, a row of 0s and 1s for each."""
    return realised(points, learner).reshape(-1, len(points))


@door(labelings=table(
    "Of 0 and 1: a row for each hypothesis, a column for each of at most 16 points.", form="array-like of shape (k, m)"
))  # fmt: skip
def shattered_subsets(labelings):
    """Return the subsets of the points that a table of labelings shatters, the empty one included.

    There are at least as many as there are different labelings (Pajor's form of Sauer's lemma).

    Returns
    -------
    list of tuples of column numbers
    """
    if labelings.shape[1] > MOST_POINTS or not np.isin(labelings, (0, 1)).all():
        raise ValueError(f"labelings must be 0 or 1 for at most {MOST_POINTS} points, got shape {labelings.shape}")
    return full_subsets(labelings)


def growth_function(hypotheses, points):
    """Return how many labelings the hypotheses give to these points.

    The growth function Π(m) of a class (增长函数) is the greatest such number over all sets of m points.

    Parameters
    ----------
    hypotheses : sequence of callables, table, or exact learner
        Functions ``h(points)`` that return a label for each point; or their answers, a table of shape (k, m); or one
        function ``learner(points, y)`` as in ``labelings_of``, for a class that is not finite.
    points : array-like of shape (m, d) or (m,)
        For a learner at most 16.

    Returns
    -------
    int
        At most 2**m.
    """
    if callable(hypotheses):
        return len(labelings_of(points, hypotheses))
    points = np.asarray(points)
    if points.ndim not in (1, 2) or len(points) == 0:
        raise ValueError(f"points must be in rows, at least one, got shape {points.shape}")
    if not isinstance(hypotheses, Iterable):
        raise ValueError(f"hypotheses must be functions, a table or a learner, got {shown(hypotheses)}")
    answers = [of_one_kind(np.asarray(h(points) if callable(h) else h)) for h in hypotheses]
    wrong = [answer.shape for answer in answers if answer.shape != (len(points),)]
    if not answers or wrong:
        what = f"an answer of shape {wrong[0]}" if wrong else "no hypothesis"
        raise ValueError(f"each hypothesis must give {len(points)} labels, one for each point, got {what}")
    return count_distinct(np.array(answers))


@door(points=FEW, learner=LEARNER)
def is_shattered(points, learner):
    """Return whether an exact learner realises all 2**m labelings of m points (打散).

    The answer is about these points: a class has VC dimension >= m if *some* m points are shattered.
    """
    return all(learner(points, y) for y in all_labelings(len(points)))
