"""The exercises of chapter 18: kernel methods."""

import numpy as np

from mlcore.classroom.exercises import Malformed, Unknown, array, call, close, exercise, expect, function, number
from mlcore.kernel_methods import SVR
from mlcore.kernels import rbf_kernel


@exercise(
    "18.1",
    hint="Which products of features are there when (x₁z₁ + ... + x₁₀z₁₀ + 1)³ is multiplied out?",
    step="Count the products x₁^a₁ ⋯ x₁₀^a₁₀ with a₁ + ... + a₁₀ at most 3, each once. With an eleventh factor 1 "
    "they are the multisets of 3 among 11.",
    wrong=[1000, 1111, 220, 31, 30, 285],
    right=[286, 286.0],
)
def columns_of_the_cubic_map(answer):
    """C(10 + 3, 3) = 286."""
    value = number(answer)
    expect(not close(value, 1000), "those are the products of three features with x₁x₂x₃ and x₃x₂x₁ counted apart.")
    expect(not close(value, 1111), "x₁x₂ and x₂x₁ are one feature: count each product once.")
    expect(not close(value, 220), "those are the products of exactly three; with c > 0 the shorter ones are there too.")
    expect(not (close(value, 30) or close(value, 31)), "powers alone are not enough: x₁x₂ is a feature as well.")
    expect(not close(value, 285), "the constant is a feature too: the product of none.")
    expect(close(value, 286))


@exercise(
    "18.2",
    hint="Write down the 2 x 2 matrix of two different points. What is on its diagonal?",
    step="The diagonal is 0, so vᵀKv is 2 v₁v₂ (x₁ - x₂)². Which signs make that negative?",
    wrong=[
        ([1.0, 2.0], [1.0, 1.0]), ([1.0, 1.0], [1.0, -1.0]), ([1.0], [1.0]), ([1.0, 2.0], [0.0, 0.0]), 3.0,
        ([1.0, 2.0], [1.0, -1.0, 0.0]), ([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0]),
    ],
    right=[
        ([5.0, -2.0], [-3.0, 3.0]), ([[0.0], [1.0]], [[1.0], [-1.0]]), ([[0.0, 1.0]], [1.0, -1.0]),
        ([0.0, 1.0, 3.0], [1.0, 1.0, -2.0]),
    ],
)
def witness_against_a_distance(answer):
    """Two points and v = (1, -1): vᵀKv = -2 (x - z)² < 0."""
    try:
        points, v = answer
    except (TypeError, ValueError):
        raise Malformed("give a pair: a list of points, and a list with one weight for each.") from None
    points, v = _flat(array(points)), _flat(array(v))
    expect(points.ndim == 1, "the points are numbers here: give a flat list of them.")
    expect(points.shape == v.shape, f"give as many weights as points; you gave {v.size} for {points.size}.")
    expect(len(points) > 1, "with one point K = (0): its vᵀKv is 0. Take two.")
    expect(np.any(v != 0), "a vector of zeros proves nothing.")
    expect(np.ptp(points) > 0, "equal points have distance 0, so K is 0: take different ones.")
    value = v @ ((points[:, np.newaxis] - points) ** 2) @ v
    expect(value < 0, f"here vᵀKv = {value:g}, which is not negative. Which sign must the two weights have?")


def _flat(values):
    """A row or a column as a flat array; anything else as it is."""
    return values.ravel() if values.size in values.shape else values


def _ridge(K, y, K_new, alpha):
    return K_new @ np.linalg.solve(K + alpha * np.eye(len(y)), y)


def _without_ridge(K, y, K_new, alpha):
    return K_new @ np.linalg.solve(K, y)


def _ridge_on_beta(K, y, K_new, alpha):
    return K_new @ np.linalg.solve(K @ K + alpha * np.eye(len(y)), K @ y)


def _ridge_as_a_column(K, y, K_new, alpha):
    return K_new @ np.linalg.inv(K + alpha * np.eye(len(y))) @ y[:, np.newaxis]


def _coefficients(K, y, K_new, alpha):
    return np.linalg.solve(K + alpha * np.eye(len(y)), y)


def _alpha_per_point(K, y, K_new, alpha):
    return K_new @ np.linalg.solve(K + alpha * len(y) * np.eye(len(y)), y)


def _alpha_everywhere(K, y, K_new, alpha):
    return K_new @ np.linalg.solve(K + alpha, y)


@exercise(
    "18.3",
    hint="One system of equations for β, then one product with K_new.",
    step="Solve (K + alpha·I) β = y, then return K_new @ β.",
    wrong=[_without_ridge, _ridge_on_beta, _coefficients, _alpha_per_point, _alpha_everywhere],
    right=[_ridge, _ridge_as_a_column],
)
def kernel_ridge_in_two_lines(answer):
    """K_new (K + αI)⁻¹ y."""
    rng = np.random.default_rng(3)
    for n, m, alpha in ((12, 5, 0.3), (30, 7, 2.0), (4, 9, 0.05)):
        X, new, y = rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), rng.normal(size=n)
        K, K_new = rbf_kernel(X, gamma=1.0), rbf_kernel(new, X, gamma=1.0)
        given = _flat(array(call(answer, K, y, K_new, alpha)))
        known = (K, y, K_new, alpha)
        expect(not close(given, _coefficients(*known)), "those are the β; the predictions are K_new @ β.")
        expect(given.shape == (m,), f"one prediction for each of the {m} rows of K_new is asked for.")
        expect(not close(given, _without_ridge(*known), rtol=1e-4), "where is alpha? This is (K)⁻¹y: it interpolates.")
        expect(
            not close(given, _ridge_on_beta(*known)),
            "you penalise βᵀβ; the norm of w is βᵀKβ. Yours is a ridge on an RBF network.",
        )
        expect(not close(given, _alpha_everywhere(*known)), "K + alpha adds it to every entry; add it to the diagonal.")
        expect(not close(given, _alpha_per_point(*known)), "alpha is not multiplied by the number of points here.")
        expect(close(given, _ridge(*known)))


def _bordered(K, y, C):
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[:n, n], system[n, :n] = K + np.eye(n) / C, 1.0, 1.0
    return np.linalg.solve(system, np.append(y, 0.0))


def _bordered_as_a_column(K, y, C):
    A = np.linalg.inv(K + np.eye(len(y)) / C)
    b = np.sum(A @ y) / np.sum(A)
    return np.append(A @ (y - b), b)[:, np.newaxis]


def _no_intercept(K, y, C):
    return np.append(np.linalg.solve(K + np.eye(len(y)) / C, y), 0.0)


def _intercept_as_the_mean(K, y, C):
    return np.append(np.linalg.solve(K + np.eye(len(y)) / C, y - y.mean()), y.mean())


def _C_for_its_inverse(K, y, C):
    return _bordered(K, y, 1 / C)


def _intercept_first(K, y, C):
    return np.roll(_bordered(K, y, C), 1)


def _intercept_penalised(K, y, C):
    beta = np.linalg.solve(K + 1 + np.eye(len(y)) / C, y)
    return np.append(beta, beta.sum())


def _signed_by_the_labels(K, y, C):
    return _bordered(K, y, C) * np.append(y, 1.0)


@exercise(
    "18.4",
    hint="The unknowns are β and b. Which n + 1 equations do they satisfy?",
    step="Border K + I/C with a row and a column of ones, and a zero in the corner; the right side is y, and a 0.",
    wrong=[
        _no_intercept, _intercept_as_the_mean, _C_for_its_inverse, _intercept_first, _intercept_penalised,
        _signed_by_the_labels,
    ],
    right=[_bordered, _bordered_as_a_column],
)
def least_squares_svm(answer):
    """The bordered system."""
    rng = np.random.default_rng(4)
    for n, C in ((9, 0.5), (25, 10.0), (40, 2.0)):
        X = rng.normal(size=(n, 2))
        y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.4, 1.0, -1.0)
        known = (rbf_kernel(X, gamma=1.0), y, C)
        given = array(_flat(array(call(answer, *known))), (n + 1,))
        expect(not close(given, _no_intercept(*known)), "that is kernel ridge regression: there is no b, and Σβ ≠ 0.")
        expect(
            not close(given, _intercept_as_the_mean(*known)),
            "the best b is the mean of y only for centred features; here it is an unknown of the system.",
        )
        expect(not close(given, _C_for_its_inverse(*known)), "the ridge is 1/C: a large C means small errors.")
        expect(not close(given, _intercept_first(*known)), "return β first and b as the last entry.")
        expect(
            not close(given, _intercept_penalised(*known)),
            "you gave the kernel a constant feature, whose weight is penalised; b costs nothing here.",
        )
        expect(not close(given, _signed_by_the_labels(*known)), "those are α_i = β_i y_i; here the β are asked for.")
        expect(abs(given[:-1].sum()) < 1e-6, "Σβ must be 0: that is the last row of the system.")
        if not close(given, _bordered(*known), rtol=1e-5):
            raise Unknown("Σβ is 0, but (K + I/C) β + b = y does not hold.")


def _noisy_sine():
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(0, 2 * np.pi, 400))
    return x[:, np.newaxis], np.sin(x) + 0.2 * rng.normal(size=400)


def _share(epsilon):
    X, y = _noisy_sine()
    return len(SVR(C=10.0, gamma=0.5, epsilon=epsilon).fit(X, y).support_) / len(X)


@exercise(
    "18.5",
    hint="Which points become support vectors, those inside the tube or the others? How wide is it, in deviations "
    "of the noise?",
    step="Fit km.SVR(C=10.0, gamma=0.5, epsilon=0.2) to x_sine[:, np.newaxis] and y_sine; then len(model.support_) "
    "/ 400.",
    wrong=[0.68, 1.0, 0.05, 0.0, 130],
    right=[0.32, 0.3275],
)
def share_of_support_vectors(answer):
    """About P(|noise| > σ) = 32 %."""
    value, right = number(answer), _share(0.2)
    expect(value <= 1, "a share is asked for, between 0 and 1: divide by the number of points.")
    expect(abs(value - (1 - right)) > 0.05, "those are the points inside the tube; the others carry β ≠ 0.")
    expect(value < 1, "not all of them: points inside the tube have β = 0.")
    expect(value > 0, "a tube as wide as one standard deviation of the noise does not hold all points.")
    expect(value > 0.1, "that would be a tube of two standard deviations: ε = 0.4.")
    expect(abs(value - right) < 0.03)


def _gaussian(X, Z, sigma):
    return rbf_kernel(X, Z, gamma=1 / (2 * sigma**2))


def _wrong_precedence(X, Z, sigma):
    return rbf_kernel(X, Z, gamma=sigma**2 / 2)


def _without_square(X, Z, sigma):
    return np.exp(-np.sqrt(np.maximum(0, -np.log(_gaussian(X, Z, sigma)) * 2 * sigma**2)) / (2 * sigma**2))


def _sigma_not_squared(X, Z, sigma):
    return rbf_kernel(X, Z, gamma=1 / (2 * sigma))


def _all_squared(X, Z, sigma):
    return rbf_kernel(X, Z, gamma=1 / (2 * sigma) ** 2)


def _without_minus(X, Z, sigma):
    return 1 / _gaussian(X, Z, sigma)


def _transposed(X, Z, sigma):
    return _gaussian(Z, X, sigma)


def _without_two(X, Z, sigma):
    return rbf_kernel(X, Z, gamma=1 / sigma**2)


@exercise(
    "18.6",
    hint="In what order does Python compute a / 2 * b?",
    step="a / 2 * b is (a / 2) · b. Which brackets are missing?",
    wrong=[
        _wrong_precedence, _without_square, _sigma_not_squared, _transposed, _without_two, _all_squared, _without_minus,
    ],
    right=[_gaussian],
)
def gaussian_kernel_without_the_bug(answer):
    """exp(-‖x - z‖² / (2σ²))."""
    function(answer)
    rng = np.random.default_rng(6)
    for n, m, sigma in ((4, 3, 3.0), (6, 8, 0.5), (5, 2, 1.0)):  # at σ = 2 some mistakes are alike: 2σ = σ²
        X, Z = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
        given = array(call(answer, X, Z, sigma))
        expect(given.shape != (m, n) or m == n, "rows belong to X and columns to Z; yours are swapped.")
        expect(given.shape == (n, m), f"the matrix should have shape {(n, m)}, yours has {given.shape}.")
        expect(
            not close(given, _wrong_precedence(X, Z, sigma)) or sigma == 1,
            "still the bug: a / 2 * b is (a / 2) · b, so a wider σ makes a narrower bell.",
        )
        expect(not close(given, _without_square(X, Z, sigma)), "the squared distance belongs into the exponent.")
        expect(not close(given, _sigma_not_squared(X, Z, sigma)) or sigma == 1, "σ must be squared.")
        expect(not close(given, _without_two(X, Z, sigma)), "the 2 of 2σ² is missing.")
        expect(not close(given, _all_squared(X, Z, sigma)), "2σ² is 2 · σ², not (2σ)²: only σ is squared.")
        expect(not close(given, _without_minus(X, Z, sigma)), "it grows with the distance: the minus is missing.")
        if not close(given, _gaussian(X, Z, sigma)):
            raise Unknown(f"compare with exp(-‖x - z‖² / (2σ²)) for σ = {sigma:g}.")
