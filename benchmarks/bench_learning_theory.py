"""Learning theory: exact labelings against SciPy's linear programs, exact tails, and repeated fits."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from scipy.stats import binom
from sklearn.base import clone as sklearn_clone
from sklearn.linear_model import Ridge as SklearnRidge

from benchmarks.core import Face, Row
from mlcore.base import clone
from mlcore.learning_theory import (
    all_labelings,
    bias_and_variance,
    bias_variance,
    deviation_probability,
    discs,
    growth_function,
    half_planes,
)
from mlcore.linear_regression import Ridge

N_SETS = 100


def points(m):
    """Points in the plane, in general position."""
    return (np.random.default_rng(m).normal(size=(m, 2)),)


def one_labeling(m):
    """Points, and labels of a line."""
    X = np.random.default_rng(m).normal(size=(m, 2))
    return X, (X @ [1.0, 2.0] > 0.3).astype(int)


def separable(X, y):
    """Whether SciPy's linear program finds a line."""
    Z = np.where(y == 1, 1.0, -1.0)[:, np.newaxis] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(3), A_ub=-Z, b_ub=-np.ones(len(X)), bounds=[(None, None)] * 3).status == 0


def in_a_disc(X, y):
    """Whether SciPy's linear program finds a disc."""
    lifted = np.column_stack([X, -np.sum(X**2, axis=1), np.ones(len(X))])
    Z = np.where(y == 1, 1.0, -1.0)[:, np.newaxis] * lifted
    Z = np.vstack([Z, [0, 0, 1, 0]])
    return linprog(np.zeros(4), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=[(None, None)] * 4).status == 0


def same_number(a, b, *_):
    """The same count, or the same probability."""
    assert_allclose(a, b, rtol=1e-8)


def summed(m):
    """P(|share - 0.3| > 0.05) by SciPy."""
    j = np.arange(m + 1)
    return binom.pmf(j, m, 0.3)[np.abs(j - m * 0.3) > m * 0.05 + 1e-9].sum()


def curve(X):
    """The truth."""
    return np.sin(X[:, 0]) + X[:, -1]


def inputs(n, d=5):
    """Inputs of a fixed design, and places to predict."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=(100, d))


def decomposed(X, places):
    """bias² and variance of ridge regression."""
    parts = bias_variance(Ridge(alpha=1.0), curve, X, places, n_sets=N_SETS, random_state=0)
    return parts.bias2, parts.variance


def loop(X, places, estimator, copy):
    """The same in a bare loop over the same training sets."""
    rng = np.random.default_rng(0)
    rng.integers(2**62)
    F = np.empty((N_SETS, len(places)))
    truth = curve(X)
    for t in range(N_SETS):
        F[t] = copy(estimator).fit(X, truth + 0.3 * rng.normal(size=len(X))).predict(places)
    bias2, variance = bias_and_variance(F, curve(places))
    return bias2.mean(), variance.mean()


def refitted(X, places):
    """scikit-learn's ridge in a loop."""
    return loop(X, places, SklearnRidge(alpha=1.0), sklearn_clone)


def bare(X, places):
    """Our ridge in a loop."""
    return loop(X, places, Ridge(alpha=1.0), clone)


ROWS = [
    Row(
        "all labelings by half-planes", (3, 5, 7), points, ours=lambda X: growth_function(half_planes, X),
        theirs=lambda X: sum(separable(X, y) for y in all_labelings(len(X))), same=same_number,
    ),
    Row(
        "all labelings by discs", (3, 5, 7), points, ours=lambda X: growth_function(discs, X),
        theirs=lambda X: sum(in_a_disc(X, y) for y in all_labelings(len(X))), same=same_number,
    ),
    Row(
        "one half-plane, exactly", (5, 10, 20), one_labeling, ours=lambda X, y: bool(half_planes(X, y)),
        theirs=separable, same=same_number,
    ),
    Row(
        "binomial tail", (100, 10_000, 1_000_000), lambda m: (m,),
        ours=lambda m: deviation_probability(m, 0.3, 0.05), theirs=summed, same=same_number,
    ),
    Row("bias and variance of ridge", (50, 500, 5000), inputs, ours=decomposed, theirs=refitted, same=same_number),
]

FACES = [Face("bias and variance", (400,), inputs, ours=decomposed, theirs=bare, same=same_number)]
