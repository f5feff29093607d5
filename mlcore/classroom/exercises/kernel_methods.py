"""The exercises of chapter 18: kernel methods."""

import functools

import numpy as np

from mlcore.classroom.exercises import Malformed, answer, array, exercise, expect, implement
from mlcore.kernel_methods import SVR
from mlcore.kernels import rbf_kernel

answer(
    "18.1",
    hint="Which products of features are there when (x₁z₁ + ... + x₁₀z₁₀ + 1)³ is multiplied out?",
    step="Count the products x₁^a₁ ⋯ x₁₀^a₁₀ with a₁ + ... + a₁₀ at most 3, each once. With an eleventh factor 1 "
    "they are the multisets of 3 among 11.",
    right=286,
    mistakes={
        "those are the products of three features with x₁x₂x₃ and x₃x₂x₁ counted apart.": 1000,
        "x₁x₂ and x₂x₁ are one feature: count each product once.": [1111, 1331],
        "those are the products of exactly three; with c > 0 the shorter ones are there too.": 220,
        "powers alone are not enough: x₁x₂ is a feature as well.": [30, 31],
        "the constant is a feature too: the product of none.": 285,
        "a feature may come more than once in a product: x₁²x₂ and x₁³ are features as well.": [120, 165, 175, 176],
    },
)


@exercise(
    "18.2",
    hint="Write down the 2 x 2 matrix of two different points. What is on its diagonal?",
    step="The diagonal is 0, so vᵀKv is 2 v₁v₂ (x₁ - x₂)². Which signs make that negative?",
    wrong=[
        ([1.0, 2.0], [1.0, 1.0]), ([1.0, 1.0], [1.0, -1.0]), ([1.0], [1.0]), ([1.0, 2.0], [0.0, 0.0]), 3.0,
        ([1.0, 2.0], [1.0, -1.0, 0.0]), ([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0]),
    ],
    right=[([5.0, -2.0], [-3.0, 3.0]), ([[0.0], [1.0]], [[1.0, -1.0]]), ([0.0, 1.0, 3.0], [1.0, 1.0, -2.0])],
)
def witness_against_a_distance(given):
    """Two points and v = (1, -1): vᵀKv = -2 (x - z)² < 0."""
    try:
        points, v = given
    except (TypeError, ValueError):
        raise Malformed("give a pair: a list of points, and a list with one weight for each.") from None
    points, v = (one.ravel() if one.size in one.shape else one for one in map(array, (points, v)))
    expect(points.ndim == 1, "the points are numbers here: give a flat list of them.")
    expect(points.shape == v.shape, f"give as many weights as points; you gave {v.size} for {points.size}.")
    expect(len(points) > 1, "with one point K = (0): its vᵀKv is 0. Take two.")
    expect(np.any(v != 0), "a vector of zeros proves nothing.")
    expect(np.ptp(points) > 0, "equal points have distance 0, so K is 0: take different ones.")
    value = v @ ((points[:, np.newaxis] - points) ** 2) @ v
    expect(value < 0, f"here vᵀKv = {value:g}, which is not negative. Which sign must the two weights have?")


def _training_and_new(rng):
    for n, m, alpha in ((12, 5, 0.3), (30, 7, 2.0), (4, 9, 0.05)):
        X, new, y = rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), rng.normal(size=n)
        yield rbf_kernel(X, gamma=1.0), y, rbf_kernel(new, X, gamma=1.0), alpha


def _beta(K, y, alpha):
    return np.linalg.solve(K + alpha * np.eye(len(y)), y)


implement(
    "18.3",
    hint="One system of equations for β, then one product with K_new.",
    step="Solve (K + alpha·I) β = y, then return K_new @ β.",
    right=lambda K, y, K_new, alpha: K_new @ _beta(K, y, alpha),
    also_right=[lambda K, y, K_new, alpha: K_new @ np.linalg.inv(K + alpha * np.eye(len(y))) @ y],
    cases=_training_and_new, asked="one prediction for each of the rows of K_new is asked for",
    mistakes={
        "those are the β; the predictions are K_new @ β.": lambda K, y, K_new, alpha: _beta(K, y, alpha),
        "where is alpha? This is (K)⁻¹y: it interpolates.": lambda K, y, K_new, alpha: K_new @ _beta(K, y, 0),
        "you penalise βᵀβ; the norm of w is βᵀKβ. Yours is a ridge on an RBF network.":
            lambda K, y, K_new, alpha: K_new @ _beta(K @ K, K @ y, alpha),
        "K + alpha adds it to every entry; add it to the diagonal.":
            lambda K, y, K_new, alpha: K_new @ np.linalg.solve(K + alpha, y),
        "alpha is not multiplied by the number of points here.":
            lambda K, y, K_new, alpha: K_new @ _beta(K, y, alpha * len(y)),
    },
)  # fmt: skip


def _two_classes(rng):
    for n, C in ((9, 0.5), (25, 10.0), (40, 2.0)):
        X = rng.normal(size=(n, 2))
        yield rbf_kernel(X, gamma=1.0), np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.4, 1.0, -1.0), C


def _bordered(K, y, C):
    border = np.append(np.ones(len(y)), 0)
    system = np.vstack([np.column_stack([K + np.eye(len(y)) / C, border[:-1]]), border])
    return np.linalg.solve(system, np.append(y, 0.0))


def _eliminated(K, y, C):
    """Right: b first."""
    A = np.linalg.inv(K + np.eye(len(y)) / C)
    b = np.sum(A @ y) / np.sum(A)
    return np.append(A @ (y - b), b)


def _last_row(given, right, K, y, C):
    expect(abs(given[:-1].sum()) < 1e-6, "Σβ must be 0: that is the last row of the system.")
    return "Σβ is 0, but (K + I/C) β + b = y does not hold."


implement(
    "18.4",
    hint="The unknowns are β and b. Which n + 1 equations do they satisfy?",
    step="Border K + I/C with a row and a column of ones, and a zero in the corner; the right side is y, and a 0.",
    right=_bordered, also_right=[_eliminated], rtol=1e-5, cases=_two_classes,
    mistakes={
        "that is kernel ridge regression: there is no b, and Σβ ≠ 0.": lambda K, y, C: np.append(_beta(K, y, 1 / C), 0),
        "the best b is the mean of y only for centred features; here it is an unknown of the system.":
            lambda K, y, C: np.append(_beta(K, y - y.mean(), 1 / C), y.mean()),
        "the ridge is 1/C: a large C means small errors.": lambda K, y, C: _bordered(K, y, 1 / C),
        "return β first and b as the last entry.": lambda K, y, C: np.roll(_bordered(K, y, C), 1),
        "you gave the kernel a constant feature, whose weight is penalised; b costs nothing here.":
            lambda K, y, C: np.append(_beta(K + 1, y, 1 / C), _beta(K + 1, y, 1 / C).sum()),
        "those are α_i = β_i y_i; here the β are asked for.": lambda K, y, C: _bordered(K, y, C) * np.append(y, 1),
    },
    otherwise=_last_row,
)  # fmt: skip


@functools.cache
def _share():
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(0, 2 * np.pi, 400))
    y = np.sin(x) + 0.2 * rng.normal(size=400)
    return len(SVR(C=10.0, gamma=0.5, epsilon=0.2).fit(x[:, np.newaxis], y).support_) / 400


answer(
    "18.5",
    hint="Which points become support vectors, those inside the tube or the others? How wide is it, in deviations "
    "of the noise?",
    step="Fit km.SVR(C=10.0, gamma=0.5, epsilon=0.2) to x_sine[:, np.newaxis] and y_sine; then len(model.support_) "
    "/ 400.",
    right=_share, also_right=[0.32, 0.31], digits=2,
    mistakes={
        "a share is asked for, between 0 and 1: divide by the number of points.": lambda value: value > 1,
        "those are the points inside the tube; the others carry β ≠ 0.": [
            0.68, lambda value: abs(value - (1 - _share())) <= 0.05
        ],
        "that is one side only: points below the tube carry a coefficient as well as those above it.": 0.16,
        "that is the share inside a tube of two standard deviations; here ε is one, and the others carry β ≠ 0.": 0.95,
        "not all of them: points inside the tube have β = 0.": 1.0,
        "a tube as wide as one standard deviation of the noise does not hold all points.": lambda value: value <= 0,
        "that would be a tube of two standard deviations: ε = 0.4.": [0.05, lambda value: value <= 0.1],
    },
    also_wrong=[0.0, 130, 0.34],
)  # fmt: skip


def _bell(X, Z, sigma, gamma=lambda sigma: 1 / (2 * sigma**2), power=1):
    return np.exp(-gamma(sigma) * ((X[:, np.newaxis] - Z) ** 2).sum(axis=2) ** power)


implement(
    "18.6",
    hint="In what order does Python compute a / 2 * b?",
    step="a / 2 * b is (a / 2) · b. Which brackets are missing?",
    right=_bell, also_right=[lambda X, Z, sigma: rbf_kernel(X, Z, gamma=1 / (2 * sigma**2))],
    cases=lambda rng: [  # at σ = 2 some mistakes are alike: 2σ = σ²
        (rng.normal(size=(n, 3)), rng.normal(size=(m, 3)), sigma)
        for n, m, sigma in ((4, 3, 3.0), (6, 8, 0.5), (5, 2, 1.0))
    ],
    mistakes={
        "rows belong to X and columns to Z; yours are swapped.": lambda X, Z, sigma: _bell(Z, X, sigma),
        "still the bug: a / 2 * b is (a / 2) · b, so a wider σ makes a narrower bell.":
            {"gamma": lambda sigma: sigma**2 / 2},
        "the squared distance belongs into the exponent.": {"power": 0.5},
        "σ must be squared.": {"gamma": lambda sigma: 1 / (2 * sigma)},
        "the 2 of 2σ² is missing.": {"gamma": lambda sigma: 1 / sigma**2},
        "2σ² is 2 · σ², not (2σ)²: only σ is squared.": {"gamma": lambda sigma: 1 / (2 * sigma) ** 2},
        "it grows with the distance: the minus is missing.": {"gamma": lambda sigma: -1 / (2 * sigma**2)},
    },
    otherwise=lambda value, right, X, Z, sigma: f"compare with exp(-‖x - z‖² / (2σ²)) for σ = {sigma:g}.",
)  # fmt: skip
