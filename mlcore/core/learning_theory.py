"""Chapter 10. Learning theory (学习理论): why a small error on the training rows says something about new rows, and how
much.

m rows were seen. ε(h) is the chance that hypothesis h is wrong on a new row, ε̂(h) its share of wrong answers on the
m rows. γ is a distance between the two, δ the chance that we allow such a promise to fail, k a number of hypotheses
and Π(m) the most labelings that a class of hypotheses gives to m points. T models were fitted to T training sets.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

from mlcore.core.performance_metrics import binomial_tail


# ---------------------------------------------------------------------------------------------------------------
# Two ways to be wrong. F, of shape (T, n), holds the predictions of T models at n places, f the truth there.
# ---------------------------------------------------------------------------------------------------------------
def bias_and_variance(F, f):
    """bias² = (F̄ - f)² and variance = (1/T) Σ_t (F_t - F̄)², with F̄ = (1/T) Σ_t F_t, each of shape (n,)  (10.1)."""
    mean = F.mean(axis=0)
    return (mean - f) ** 2, np.mean((F - mean) ** 2, axis=0)


def corrected(bias2, variance, T):
    """s² = T/(T - 1) variance and bias² - s²/T: right on average, and with the same sum  (10.3)."""
    s2 = T / (T - 1) * variance
    return bias2 - s2 / T, s2


# ---------------------------------------------------------------------------------------------------------------
# How far a share of m rows may be from its chance
# ---------------------------------------------------------------------------------------------------------------
def tail(m, gamma):
    """2 exp(-2γ²m) >= P(|φ̂ - φ| > γ), for a share φ̂ of m independent rows and its chance φ  (10.7)."""
    return 2 * np.exp(-2 * gamma**2 * m)


def exact_tail(m, phi, gamma):
    """P(|φ̂ - φ| > γ): the counts above m(φ + γ) and those below m(φ - γ), two binomial tails  (9.13).

    1e-9 keeps a count of just m(φ ± γ) out where rounding blurs it.
    """
    above = np.floor(m * (phi + gamma) + 1e-9) + 1
    below = np.ceil(m * (phi - gamma) - 1e-9) - 1
    return binomial_tail(above, m, phi, 1 - phi) + binomial_tail(m - below, m, 1 - phi, phi)


# ---------------------------------------------------------------------------------------------------------------
# k hypotheses. H, of shape (k, m), holds their answers on the m rows, y the labels.
# ---------------------------------------------------------------------------------------------------------------
def training_errors(H, y):
    """ε̂(h) = (1/m) Σ_i 1{h(x_i) ≠ y_i}, for each row h of H: of shape (k,)."""
    return np.mean(H != y, axis=1)


def uniform_tail(k, m, gamma):
    """2k exp(-2γ²m) >= P(|ε̂(h) - ε(h)| > γ for some of the k hypotheses)  (10.9)."""
    return k * tail(m, gamma)


def rows_for(log_k, gamma, delta):
    """m = ln(2k/δ) / (2γ²), where the bound 2k exp(-2γ²m) is δ; ln k is given, since k may be 2⁶⁴⁰  (10.10)."""
    return (math.log(2 / delta) + log_k) / (2 * gamma**2)


def gap_of(log_k, m, delta):
    """γ = √(ln(2k/δ) / 2m), where the bound 2k exp(-2γ²m) is δ  (10.11)."""
    return math.sqrt((math.log(2 / delta) + log_k) / (2 * m))


# ---------------------------------------------------------------------------------------------------------------
# Infinitely many hypotheses. A labeling is a row of 0s and 1s, one for each point; X has m points as rows.
# ---------------------------------------------------------------------------------------------------------------
def all_labelings(m):
    """The 2ᵐ rows of m zeros and ones, counted up in binary."""
    return np.array(list(itertools.product((0, 1), repeat=m)))


def realised(X, learner):
    """Those labelings y of the points X for which the learner finds a hypothesis, as rows."""
    return np.array([y for y in all_labelings(len(X)) if learner(X, y)])


def count_distinct(labelings):
    """How many different rows there are."""
    return len(np.unique(labelings, axis=0))


# ---------------------------------------------------------------------------------------------------------------
# Exact learners. Boxes need comparisons only; half-planes need fractions. In the table T the variables of the rows
# are written as a number (column 0) plus multiples of the variables of the other columns.
# ---------------------------------------------------------------------------------------------------------------
def ray_from(x, y):
    """The least point a of label 1, and the points of label 0 at a or above: each ray with all the 1s has them."""
    low = x[y == 1].min()
    return low, (y == 0) & (x >= low)


def box_around(X, y):
    """The smallest box [low, high] around the points of label 1, and which points of label 0 lie in it."""
    low, high = X[y == 1].min(axis=0), X[y == 1].max(axis=0)
    return low, high, (y == 0) & np.all((low <= X) & (X <= high), axis=1)


def exchange(T, i, j):
    """Row i says v = T_i0 + ... + T_ij u + ...: solve it for u, and put that into the other rows  (10.15)."""
    row = -T[i] / T[i, j]
    row[j] = 1 / T[i, j]
    new = T + np.outer(T[:, j], row)
    new[:, j] = T[:, j] * row[j]
    new[i] = row
    return new


def least(which, numbers):
    """The place of the smallest number, of those that ``which`` marks."""
    return np.flatnonzero(which)[np.argmin(numbers[which])]


def next_exchange(T, rows, columns, m):
    """Which row and column change places: first the w leave the columns, then the least numbers; None at the end."""
    for j in np.flatnonzero(columns >= m):
        usable = np.flatnonzero((rows < m) & (T[:, j] != 0))
        if len(usable):
            return usable[0], j
    short = (rows < m) & (T[:, 0] < 0)
    if short.any():
        i = least(short, rows)
        helps = (0 <= columns) & (columns < m) & (T[i] > 0)
        if helps.any():
            return i, least(helps, columns)
    return None


def walk(Z):
    """Exchange until no slack s = Zw - 1 is negative, or one has to be; yield (T, rows, columns) at each step."""
    m, p = Z.shape
    T = np.column_stack([np.full(m, Fraction(-1)), Z])
    rows, columns = np.arange(m), np.concatenate([[-1], np.arange(m, m + p)])
    yield T, rows, columns
    while (place := next_exchange(T, rows, columns, m)) is not None:
        i, j = place
        T, rows, columns = exchange(T, i, j), rows.copy(), columns.copy()
        rows[i], columns[j] = columns[j], rows[i]
        yield T, rows, columns


def separator(T, rows, m, p):
    """w with Zw >= 1, read from the last table: a w still in a column is 0."""
    w = np.array([Fraction(0)] * p, dtype=object)
    w[rows[rows >= m] - m] = T[rows >= m, 0]
    return w


def weights_of_proof(T, rows, columns, m):
    """λ >= 0 with Zᵀλ = 0: the row s_i = T_i0 - Σ_j λ_j s_j, T_i0 < 0, all λ_j >= 0; and λ_i = 1  (10.16)."""
    i = least((rows < m) & (T[:, 0] < 0), rows)
    held = (0 <= columns) & (columns < m)
    weights = np.array([Fraction(0)] * m, dtype=object)
    weights[rows[i]], weights[columns[held]] = Fraction(1), -T[i, held]
    return weights


# ---------------------------------------------------------------------------------------------------------------
# The VC dimension d: the most points of which all labelings are realised. It bounds Π(m), and so the gap.
# ---------------------------------------------------------------------------------------------------------------
def full_subsets(labelings):
    """The subsets (tuples of column numbers) in whose columns all 2^|S| patterns occur  (10.18)."""
    m, found = labelings.shape[1], []
    for inside in all_labelings(m).astype(bool):
        if count_distinct(labelings[:, inside]) == 2 ** inside.sum():
            found.append(tuple(np.flatnonzero(inside)))
    return found


def sauer_bound(m, d):
    """C(m, 0) + C(m, 1) + ... + C(m, d): the most labelings that a class of VC dimension d gives to m points  (10.19).

    2ᵐ if m <= d.
    """
    return sum(math.comb(m, i) for i in range(d + 1))


def vc_gap(log_growth, m, delta):
    """γ = √(8/m · ln(4Π(2m)/δ)), where 4Π(2m) exp(-mγ²/8) is δ; ln Π(2m) is given  (10.22)."""
    return math.sqrt(8 / m * (math.log(4 / delta) + log_growth))


def margin_dimension(ratio, d):
    """min(d, ⌈R²/ρ²⌉) + 1  (10.23); the 1e-12 keeps a whole R²/ρ² from being rounded up."""
    return min(d, math.ceil(ratio * (1 - 1e-12))) + 1
