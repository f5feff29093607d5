"""Learning theory (学习理论): why a small error on the training rows says something about new rows, and how much.

Chapter 10. Sources: notes A 8, C 1.3; D 2.5 is a stub (bias and variance are taught here in full).

m rows were seen. ε(h) is the chance that hypothesis h is wrong on a new row, ε̂(h) its share of wrong answers on the
m rows. γ is a distance between the two, δ the chance that we allow such a promise to fail, k a number of hypotheses
and Π(m) the most labelings that a class of hypotheses gives to m points. T models were fitted to T training sets.
"""

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mlcore.base import (
    check_array,
    check_callable,
    check_int,
    check_labels,
    check_numbers,
    check_random_state,
    check_real,
    shown,
)
from mlcore.base.members import fresh
from mlcore.core.learning_theory import (
    all_labelings,
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
    sauer,
    separator,
    split,
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


def bias_variance(estimator, f, draw, X, *, noise=0.3, n_sets=100, features=None, random_state=None):
    """Fit an estimator to many training sets and split its mean squared error into bias², variance and noise.

    mean over sets and places of (F - f)² = bias² + variance, exactly; a fresh noisy label adds noise = σ² on average.

    Parameters
    ----------
    estimator : object with ``fit``, ``predict`` and ``get_params``
        A regressor, of this course or of scikit-learn. It is copied, not changed.
    f : callable
        The truth: takes inputs of shape (n, d), returns shape (n,). Labels are f plus Gaussian noise.
    draw : callable or array of shape (m, d)
        ``draw(rng)`` returns the inputs of one training set; an array serves every set (a fixed design).
    X : array of shape (n, d)
        The places where predictions are judged.
    noise : float >= 0
        σ, the standard deviation of a label.
    n_sets : int >= 2
        T.
    features : callable, optional
        What the estimator sees in place of its inputs: ``features(inputs)``, such as powers of x.
    random_state : int, Generator or None

    Returns
    -------
    Decomposition

    Raises
    ------
    ValueError
        For bad parameters; if f returns another shape than (n,) or a number that is not finite.

    References
    ----------
    Notes A 8.1; Geman, Bienenstock and Doursat (1992), "Neural networks and the bias/variance dilemma".
    """
    check_callable("f", f)
    noise, n_sets = check_real("noise", noise, low=0), check_int("n_sets", n_sets, low=2)
    rng, X = check_random_state(random_state), check_array(X)
    seeds = np.random.default_rng(rng.integers(2**62))  # apart, so that every estimator sees the same sets
    seen = check_callable("features", features) if features is not None else lambda inputs: inputs

    def look(inputs):
        inputs = check_array(inputs, name="the inputs of a training set")
        return seen(inputs), _truth(f, inputs)

    fixed = None if callable(draw) else look(draw)
    truth, places = _truth(f, X), seen(X)
    F = np.empty((n_sets, len(X)))
    for t in range(n_sets):
        A, right = fixed or look(draw(rng))
        y = right + noise * rng.normal(size=len(right))
        F[t] = fresh(estimator, seeds).fit(A, y).predict(places)
    finite(F, "some prediction is not finite: take a simpler estimator, or features of size about 1")
    bias2, variance = split(F, truth)
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
def hoeffding_bound(m, gamma):
    """Return Hoeffding's bound 2 exp(-2γ²m) on P(|φ̂ - φ| > γ), for one event fixed before the m rows are seen.

    Parameters
    ----------
    m : int >= 1, or array of them
        Independent rows.
    gamma : float > 0
        The distance γ of the share φ̂ from its chance φ.

    Returns
    -------
    float or ndarray
        Greater than 0 (or so small that it rounds to it). A value of 1 or more says nothing.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Notes A (227); Hoeffding (1963), "Probability inequalities for sums of bounded random variables".
    """
    rows, gamma = _rows(m), check_real("gamma", gamma, low=0, low_open=True, high=1e100)
    with np.errstate(under="ignore"):
        bound = uniform_tail(1, rows, gamma)
    return bound if rows.ndim else float(bound)


def _rows(m):
    rows = check_numbers(m, "m")
    if not (rows.size and np.all(rows >= 1) and np.all(rows == np.floor(rows))):
        raise ValueError(f"m, the number of rows, must be a whole number >= 1, got {shown(m)}")
    return rows


def deviation_probability(m, phi, gamma):
    """Return P(|φ̂ - φ| > γ) itself, for the share φ̂ of successes in m independent trials of chance φ.

    Parameters
    ----------
    m : int from 1 to 10,000,000
    phi : float in [0, 1]
    gamma : float > 0

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    m = check_int("m", m, low=1, high=10_000_000)
    phi, gamma = check_real("phi", phi, low=0, high=1), check_real("gamma", gamma, low=0, low_open=True)
    with np.errstate(under="ignore"):
        return 0.0 if phi in (0, 1) else min(float(exact_tail(m, phi, gamma)), 1.0)


def union_bound(probabilities):
    """Return P(A₁) + ... + P(A_k) >= P(A₁ or ... or A_k), whether the events depend on each other or not.

    Parameters
    ----------
    probabilities : array-like of shape (k,), or a number
        Each in [0, 1]. Bounds above 1, which say nothing, are accepted too.

    Returns
    -------
    float >= 0
        1 or more says nothing; 0 for no event at all.

    Raises
    ------
    ValueError
        For a negative probability, or none at all in a nested list.

    References
    ----------
    Notes A (226). It follows from the axioms of probability and is none of them.
    """
    values = check_numbers(probabilities, "probabilities")
    if np.any(values < 0):
        raise ValueError(f"a probability is never negative, got {values.min():g}")
    return float(values.sum())


def empirical_risk_minimizer(predictions, y):
    """Return which hypothesis makes the fewest errors on the rows at hand, and the training errors of all.

    Parameters
    ----------
    predictions : array-like of shape (k, m)
        The answers of k hypotheses on m rows.
    y : array-like of shape (m,)
        The labels.

    Returns
    -------
    best : int
        The first of those with the least training error.
    errors : ndarray of shape (k,), in [0, 1]

    Raises
    ------
    ValueError
        If there is nothing to compare, or the lengths differ.

    References
    ----------
    Notes A (228), (231).
    """
    y = check_labels(y)
    H = np.asarray(predictions)
    if H.ndim != 2 or H.shape[0] < 1 or H.shape[1] != len(y):
        raise ValueError(f"predictions must have a row for each hypothesis and {len(y)} columns, got shape {H.shape}")
    errors = training_errors(H, y)
    return int(np.argmin(errors)), errors


def sample_complexity(k, gamma, delta):
    """Return the m from which on, with probability 1 - δ, all k training errors are within γ of the truth.

    m = ⌈ln(2k/δ) / (2γ²)⌉. So many rows suffice; fewer may do too.

    Parameters
    ----------
    k : int >= 1
        How many hypotheses there are, of any size: 2**640 is fine.
    gamma : float in [1e-100, 1)
    delta : float in [1e-100, 1)

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Notes A (236), (240).
    """
    log_k = math.log(check_int("k", k, low=1))
    gamma, delta = (check_real(name, value, low=1e-100, high=1, high_open=True) for name, value in
                    (("gamma", gamma), ("delta", delta)))  # fmt: skip
    return max(math.ceil(rows_for(log_k, gamma, delta)), 1)


def generalization_gap(m, k, delta):
    """Return γ = √(ln(2k/δ) / 2m): with probability 1 - δ all k training errors of m rows are within γ of the truth.

    So the hypothesis with the least training error is at most 2γ worse than the best of the k.

    Parameters
    ----------
    m : int >= 1
        Rows.
    k : int >= 1
        Hypotheses, fixed before the rows are seen.
    delta : float in (0, 1)

    Returns
    -------
    float > 0
        1 or more says nothing.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Notes A (237), (239).
    """
    m, k = check_int("m", m, low=1), check_int("k", k, low=1)
    return gap_of(math.log(k), m, _inside("delta", delta))


def sauer_bound(m, d):
    """Return C(m, 0) + ... + C(m, d), the most labelings that a class of VC dimension d gives to m points.

    Parameters
    ----------
    m : int >= 0
        Points.
    d : int from 0 to 2000

    Returns
    -------
    int
        2**m where m <= d.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Sauer (1972), Shelah (1972); Vapnik and Chervonenkis (1971).
    """
    m, d = check_int("m", m, low=0, high=10_000_000), check_int("d", d, low=0, high=2000)
    return sauer(m, min(m, d))


def vc_bound(m, d, delta, *, growth=None):
    """Return ε = √(8/m · ln(4Π(2m)/δ)): with probability 1 - δ no h of the class has |ε̂(h) - ε(h)| > ε.

    Parameters
    ----------
    m : int >= 1
        Rows.
    d : int >= 0
        The VC dimension of the class. Π(2m) is then at most Sauer's sum; beyond d = 100 its bound (2em/d)ᵈ is taken
        where 2m >= d, and 2²ᵐ where not.
    delta : float in (0, 1)
    growth : int >= 1, optional
        Π(2m), or a bound on it, where more is known than d.

    Returns
    -------
    float > 0
        1 or more says nothing.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Notes A (243), solved for ε; Vapnik and Chervonenkis (1971).
    """
    m, d, delta = check_int("m", m, low=1), check_int("d", d, low=0), _inside("delta", delta)
    if growth is not None:
        log_growth = math.log(check_int("growth", growth, low=1))
    elif 2 * m <= d:
        log_growth = 2 * m * math.log(2)
    elif d <= 100:
        log_growth = math.log(sauer(2 * m, d))
    else:
        log_growth = min(d * math.log(2 * math.e * m / d), 2 * m * math.log(2))
    return vc_gap(log_growth, m, delta)


def margin_vc_bound(R, rho, d=None):
    """Return min(d, ⌈R²/ρ²⌉) + 1: no more points in a ball of radius R are shattered with margin ρ.

    A labeling counts only if some hyperplane realises it with every point at least ρ away. R and ρ must be fixed
    before the data are seen.

    Parameters
    ----------
    R : float > 0
        Radius of a ball that holds all points.
    rho : float > 0
        The least distance of a point from the hyperplane.
    d : int >= 1, optional
        The number of features; by default there may be infinitely many.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Notes C 1.3; Vapnik (1995), "The Nature of Statistical Learning Theory".
    """
    R, rho = check_real("R", R, low=0, low_open=True), check_real("rho", rho, low=0, low_open=True)
    d = math.inf if d is None else check_int("d", d, low=1)
    ratio = (R / rho) ** 2 if R / rho < 1e150 else math.inf
    if math.isinf(ratio) and math.isinf(d):
        raise ValueError(f"R/rho = {R / rho:.3g} is too large for a number: give d, the number of features")
    return int(d) + 1 if ratio >= d else margin_dimension(ratio, d)


def _inside(name, value):
    return check_real(name, value, low=0, high=1, low_open=True, high_open=True)


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


def intervals(X, y):
    """Learn a closed interval: 1 for x in [a, b], else 0 (区间). Exact; the interval may hold no point.

    Parameters
    ----------
    X : array-like of shape (m,) or (m, 1)
    y : array-like of 0 and 1, of shape (m,)

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        For bad points, or labels other than 0 and 1.
    """
    return _box(*_line(X, y))


def rays(X, y):
    """Learn a ray to the right: 1 for x >= a, else 0. Exact. Parameters and errors as in ``intervals``."""
    X, y = _line(X, y)
    if not np.any(y == 1):
        return Certificate((), None)
    low, inside = ray_from(X[:, 0], y)
    return Certificate(None, np.flatnonzero(inside)) if inside.any() else Certificate((low, np.inf), None)


def two_sided_rays(X, y):
    """Learn a ray to the right or to the left. Exact. Parameters and errors as in ``intervals``."""
    X, y = _line(X, y)
    right = rays(X, y)
    if right:
        return right
    left = rays(-X, y)
    return Certificate((-np.inf, -left.hypothesis[0]), None) if left else left


def rectangles(X, y):
    """Learn a box with sides along the axes: 1 inside or on the border, else 0 (轴平行矩形). Exact, in any dimension.

    Parameters
    ----------
    X : array-like of shape (m, d)
    y : array-like of 0 and 1, of shape (m,)

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        For bad points, or labels other than 0 and 1.
    """
    return _box(*_points(X, y))


def half_planes(X, y):
    """Learn a half-plane: 1 for wᵀx + b > 0, else 0, no point on the line (半平面). Exact, in any dimension.

    The points become fractions, without loss, and no step rounds. Either (w, b) is returned, or weights λ >= 0 with
    Σ_i λ_i y_i (x_i, 1) = 0, where y_i is now 1 or -1: they make a line impossible.

    Parameters
    ----------
    X : array-like of shape (m, d)
        Numbers, or ``fractions.Fraction``.
    y : array-like of 0 and 1, of shape (m,)

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        For bad points, or labels other than 0 and 1.
    """
    X, y = _fractions(*_points(X, y, exact=True))
    w, weights = _decide(_signed(X, y))
    if weights is not None:
        return Certificate(None, weights / weights[y == 1].sum())
    return Certificate((w[:-1], w[-1]), None)


def discs(X, y):
    """Learn a disc: 1 for |x - c|² < r², else 0, no point on the circle (圆盘). Exact, in any dimension.

    |x - c|² < r² is linear in (|x|², x): a half-space of the points lifted onto a bowl, whose factor of |x|² must be
    negative. That is one condition more, and the last weight of a proof belongs to it.

    Parameters
    ----------
    X : array-like of shape (m, d)
        Numbers, or ``fractions.Fraction``.
    y : array-like of 0 and 1, of shape (m,)

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        For bad points, or labels other than 0 and 1.
    """
    X, y = _fractions(*_points(X, y, exact=True))
    lifted = np.column_stack([X, -np.sum(X**2, axis=1)])
    bowl = [Fraction(0)] * X.shape[1] + [Fraction(1), Fraction(0)]  # the factor a of -|x|² is positive
    w, weights = _decide(np.vstack([_signed(lifted, y), np.array([bowl], dtype=object)]))
    if weights is not None:
        return Certificate(None, weights / weights[:-1][y == 1].sum())
    a, center = w[-2], w[:-2] / (2 * w[-2])
    return Certificate((center, np.sum(center**2) + w[-1] / a), None)


def separator_steps(X, y):
    """Return the tables that ``half_planes`` walks through, for a player.

    Returns
    -------
    list of (T, rows, columns)
        Numbers below m in ``rows`` and ``columns`` stand for the slacks s_i of the points, m and above for w and b.
    """
    return list(_walk_while_short(_signed(*_fractions(*_points(X, y, exact=True)))))


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


def _box(X, y):
    if not np.any(y == 1):
        return Certificate((), None)
    low, high, inside = box_around(X, y)
    if inside.any():
        return Certificate(None, np.flatnonzero(inside))
    return Certificate((low, high), None)


def _line(X, y):
    values = check_numbers(X, "X")
    return _points(values[:, np.newaxis] if values.ndim == 1 else values, y)


def _points(X, y, exact=False):
    array = check_array(X)
    if exact:
        given = np.asarray(X)
        array = given if given.dtype.kind in "iuO" else array
    labels = np.asarray(y)
    if labels.shape != (len(array),):
        raise ValueError(f"y must have one label for each of the {len(array)} points, got shape {labels.shape}")
    if not np.isin(labels, (0, 1)).all():
        raise ValueError(f"labels must be 0 and 1, got {sorted(set(labels.tolist()))[:5]}")
    return array, labels.astype(int)


def _fractions(X, y):
    if X.shape[0] * (X.shape[1] + 2) > MOST_NUMBERS:
        raise ValueError(
            f"{X.shape[0]} points of {X.shape[1]} features are too many for fractions (at most {MOST_NUMBERS:,} "
            "numbers in all): take fewer points, or fit a Perceptron or a LinearSVC, which do not prove their answer"
        )
    rows = [[_fraction(value) for value in row] for row in X.tolist()]
    return np.array(rows, dtype=object).reshape(X.shape), y


def _fraction(value):
    """A fraction of Python's whole numbers, which are as long as they must be: NumPy's would overflow inside it."""
    return Fraction(int(value)) if isinstance(value, numbers.Integral) else Fraction(*value.as_integer_ratio())


# ---------------------------------------------------------------------------------------------------------------
# Counting labelings
# ---------------------------------------------------------------------------------------------------------------
def labelings_of(points, learner):
    """Return the labelings of the points that an exact learner realises.

    Parameters
    ----------
    points : array-like of shape (m, d) or (m,)
        At most 16.
    learner : callable
        ``learner(points, y)`` is true if the class has a hypothesis with the labels y, for each y of 0s and 1s:
        ``half_planes``, say. It must be exact: an iterative method that gives up counts too few.

    Returns
    -------
    ndarray of shape (n_labelings, m), of 0 and 1

    Raises
    ------
    ValueError
        For no point, more than 16, or a learner that is none.
    """
    points = _some_points(points)
    return realised(points, check_callable("learner", learner)).reshape(-1, len(points))


def _some_points(points):
    array = np.asarray(points)
    if array.dtype.kind != "O":
        array = check_numbers(points, "points")
    if array.ndim not in (1, 2) or not 1 <= len(array) <= MOST_POINTS:
        raise ValueError(
            f"from 1 to {MOST_POINTS} points are needed, in rows, got shape {array.shape}: "
            f"{MOST_POINTS} points have {2**MOST_POINTS:,} labelings already"
        )
    return array


def shattered_subsets(labelings):
    """Return the subsets of the points that a table of labelings shatters, the empty one included.

    There are at least as many as there are different labelings (Pajor's form of Sauer's lemma).

    Parameters
    ----------
    labelings : array-like of shape (k, m), of 0 and 1
        A row for each hypothesis, a column for each of at most 16 points.

    Returns
    -------
    list of tuples of column numbers

    Raises
    ------
    ValueError
        For an empty table, entries other than 0 and 1, or more than 16 columns.
    """
    table = check_array(labelings, name="labelings")
    if table.shape[1] > MOST_POINTS or not np.isin(table, (0, 1)).all():
        raise ValueError(f"labelings must be 0 or 1 for at most {MOST_POINTS} points, got shape {table.shape}")
    return full_subsets(table)


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

    Raises
    ------
    ValueError
        If there is no hypothesis or no point, or answers and points do not match.
    """
    if callable(hypotheses):
        return len(labelings_of(points, hypotheses))
    points = np.asarray(points)
    if points.ndim not in (1, 2) or len(points) == 0:
        raise ValueError(f"points must be in rows, at least one, got shape {points.shape}")
    if not isinstance(hypotheses, Iterable):
        raise ValueError(f"hypotheses must be functions, a table or a learner, got {shown(hypotheses)}")
    answers = [_plain(np.asarray(h(points) if callable(h) else h)) for h in hypotheses]
    wrong = [answer.shape for answer in answers if answer.shape != (len(points),)]
    if not answers or wrong:
        what = f"an answer of shape {wrong[0]}" if wrong else "no hypothesis"
        raise ValueError(f"each hypothesis must give {len(points)} labels, one for each point, got {what}")
    return count_distinct(np.array(answers))


def _plain(labels):
    """Labels in an array of objects, as pandas has them, in one of words or of numbers, which NumPy can sort."""
    return np.array(labels.tolist()) if labels.dtype.kind == "O" and labels.size else labels


def is_shattered(points, learner):
    """Return whether an exact learner realises all 2**m labelings of m points (打散).

    Parameters
    ----------
    points : array-like of shape (m, d) or (m,)
        At most 16. The answer is about these points: a class has VC dimension >= m if *some* m points are shattered.
    learner : callable
        As in ``labelings_of``.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        As in ``labelings_of``.
    """
    points = _some_points(points)
    check_callable("learner", learner)
    return all(learner(points, y) for y in all_labelings(len(points)))
