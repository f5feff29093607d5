"""The exercises of chapter 24: mixture models and EM."""

import functools
import math

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, number

BORDER = 1.5 + 0.37 / 3 * math.log(0.25)


@exercise(
    "24.1",
    hint="At the border both weighted densities are equal. What cancels in their logarithms?",
    step="ln(0.2/0.8) = (x² - (x - 3)²) / (2·0.37) is to be solved for x; the squares of x cancel.",
    wrong=[1.5, 3 - BORDER, 1.5 + 0.37**2 / 3 * math.log(0.25), 1.5 + 0.37 / 6 * math.log(0.25), 0.6],
    right=[BORDER, 1.33, 1.329, np.array([[1.3290]])],
)
def border(answer):
    """1.5 + (ε/3) ln(0.2/0.8) = 1.329."""
    value = number(answer)
    expect(not close(value, 1.5, rtol=2e-3), "that is half-way between the means: there the weights decide.")
    expect(not close(value, 3 - BORDER, rtol=2e-3), "the sign: the lighter component, at 0, must lose ground.")
    expect(not close(value, 1.5 + 0.37**2 / 3 * math.log(0.25), rtol=2e-3), "0.37 is the variance; you squared it.")
    expect(not close(value, 1.5 + 0.37 / 6 * math.log(0.25), rtol=2e-3), "a factor ½ too much: it is 6x - 9.")
    expect(close(value, BORDER, rtol=1.5e-3))


def _logs(X, weights, means, variances):
    squares = ((X[:, None] - means) ** 2).sum(axis=2)
    return np.log(weights) - X.shape[1] / 2 * np.log(variances) - squares / (2 * variances)


def _softmax(logs):
    parts = np.exp(logs - logs.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def _right_shares(X, weights, means, variances):
    return _softmax(_logs(X, weights, means, variances))


def _naive_shares(X, weights, means, variances):
    with np.errstate(all="ignore"):
        parts = np.exp(_logs(X, weights, means, variances))
        return parts / parts.sum(axis=1, keepdims=True)


def _no_height(X, weights, means, variances):
    return _softmax(_logs(X, weights, means, variances) + X.shape[1] / 2 * np.log(variances))


def _height_in_one_dimension(X, weights, means, variances):
    return _softmax(_logs(X, weights, means, variances) + (X.shape[1] - 1) / 2 * np.log(variances))


def _no_weights(X, weights, means, variances):
    return _softmax(_logs(X, weights, means, variances) - np.log(weights))


def _squared_variances(X, weights, means, variances):
    return _right_shares(X, weights, means, variances**2)


def _columns_sum_to_one(X, weights, means, variances):
    logs = _logs(X, weights, means, variances)
    parts = np.exp(logs - logs.max())
    return parts / parts.sum(axis=0)


def _hard(X, weights, means, variances):
    return np.eye(len(weights))[_logs(X, weights, means, variances).argmax(axis=1)]


def _no_sum(X, weights, means, variances):
    return np.exp(_logs(X, weights, means, variances))


def _by_logaddexp(X, weights, means, variances):
    """Right: each logarithm minus that of the sum."""
    logs = _logs(X, weights, means, variances)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


def _by_loops(X, weights, means, variances):
    """Right: row by row."""
    rows = []
    for x in X:
        logs = [
            math.log(w) - len(x) / 2 * math.log(v) - sum((x - m) ** 2) / (2 * v)
            for w, m, v in zip(weights, means, variances, strict=True)
        ]
        parts = [math.exp(value - max(logs)) for value in logs]
        rows.append([part / sum(parts) for part in parts])
    return rows


@exercise(
    "24.2",
    hint="Take logarithms first, of weight times density, for each point and each component.",
    step="ln π_k - d/2 ln σ²_k - ‖x - μ_k‖²/(2σ²_k); subtract each row's maximum, take exp, divide by the row's sum.",
    wrong=[_naive_shares, _no_height, _height_in_one_dimension, _no_weights, _squared_variances, _columns_sum_to_one,
           _hard, _no_sum, 3.0],
    right=[_right_shares, _by_logaddexp, _by_loops],
)
def responsibilities(answer):
    """γ on random mixtures of one, two and three dimensions; then far away."""
    rng = np.random.default_rng(242)
    for n, K, d in ((30, 3, 2), (40, 2, 3), (20, 4, 1)):
        X, means = rng.normal(size=(n, d)), rng.normal(size=(K, d))
        weights, variances = rng.dirichlet(np.full(K, 3.0)), rng.uniform(0.3, 2.5, size=K)
        mine = array(call(answer, X.copy(), weights.copy(), means.copy(), variances.copy()))
        expect(mine.shape == (n, K), f"{n} points and {K} components need the shape {(n, K)}, yours has {mine.shape}.")
        given = X, weights, means, variances
        for wrong, said in (
            (_columns_sum_to_one, "your columns sum to 1; the shares of one POINT must: each row."),
            (_hard, "these are 0 and 1: k-means' answer. A responsibility is a share."),
            (_no_weights, "the weights π_k are missing."),
            (_no_height, "the factor in front of the exponential depends on the component: a wide bell is low."),
            (_squared_variances, "variances are σ² already; do not square them."),
        ):
            expect(not close(mine, wrong(*given)), said)
        if d > 1:
            expect(not close(mine, _height_in_one_dimension(*given)),
                   "in d dimensions the factor is σ⁻ᵈ, d/2 times ln of the variance.")
        expect(close(mine.sum(axis=1), np.ones(n)), "the shares of a point, its row, must add up to 1.")
        if not close(mine, _right_shares(*given)):
            raise Unknown("the shares are not those of the formula.")
    far = np.array([[80.0, -60.0]]), np.array([0.3, 0.7]), np.array([[0.0, 0], [1, 1]]), np.array([1.0, 1.0])
    mine = np.asarray(call(answer, *far), dtype=float)
    expect(np.isfinite(mine).all(), "far from all components you have 0/0: subtract the largest logarithm of each row.")
    expect(close(mine, _right_shares(*far)), "far from all components the shares are wrong.")


BOUND = -3 - (0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1))


@exercise(
    "24.3",
    hint="ln p = L + KL(q ‖ γ): the bound lies as far below ln p as q is from γ.",
    step="KL = ½ ln(0.5/0.9) + ½ ln(0.5/0.1); take it off ln p.",
    wrong=[-3 - 0.3681, 2 * -3 - BOUND, -3.0, BOUND + 3, -3 - BOUND, -3 - 0.6931],
    right=[BOUND, -3.51, -3.511, np.array([-3.5108])],
)
def bound_there(answer):
    """-3 - [½ ln(0.5/0.9) + ½ ln(0.5/0.1)] = -3.511."""
    value = number(answer)
    expect(not close(value, -3, rtol=2e-3), "the bound touches only for q = γ; here KL is not 0.")
    expect(not close(value, -3.3681, rtol=1e-3), "that is KL(γ ‖ q), the other way round: it is not symmetric.")
    expect(not close(value, -6 - BOUND, rtol=2e-3), "you added KL; a bound lies below ln p.")
    expect(not close(abs(value), -3 - BOUND, rtol=5e-3), "that is KL alone; the bound is ln p - KL, and ln p = -3.")
    expect(close(value, BOUND, rtol=1.5e-3))


@functools.cache
def _best_number():
    from mlcore.datasets import load_iris
    from mlcore.mixture_models import GaussianMixture

    X = load_iris().data
    bic = [GaussianMixture(n_components=K, n_init=10, random_state=0).fit(X).bic(X) for K in range(1, 6)]
    return int(np.argmin(bic)) + 1


@exercise(
    "24.4",
    hint="Five fits, five values of BIC. Is a low one good, or a high one?",
    step="GaussianMixture(n_components=K, n_init=10, random_state=0).fit(X).bic(X) for K = 1, ..., 5. The lowest "
    "wins; argmin counts from 0, K from 1.",
    wrong=[3, 5, 1, 0],
    right=[2, 2.0, np.int64(2)],
)
def components_of_irises(answer):
    """Two: versicolor and virginica overlap."""
    value = number(answer)
    expect(not close(value, 3), "that is the number of species; BIC has not been told.")
    expect(not close(value, 5), "that has the highest likelihood; BIC charges for the parameters.")
    expect(close(value, _best_number()))


def _mended(X, gamma, old_means):
    N = gamma.sum(axis=0)
    means = gamma.T @ X / N[:, None]
    D = X[:, None] - means
    return N / len(X), means, np.einsum("ik,ikj,ikl->kjl", gamma, D, D) / N[:, None, None]


def _sigma(weighted, new):
    def step(X, gamma, old_means):
        weights, means, _ = _mended(X, gamma, old_means)
        D = X[:, None] - (means if new else old_means)
        shares = gamma if weighted else np.ones_like(gamma)
        return weights, means, np.einsum("ik,ikj,ikl->kjl", shares, D, D) / gamma.sum(axis=0)[:, None, None]

    return step


def _unbiased(X, gamma, old_means):
    weights, means, sigma = _mended(X, gamma, old_means)
    N = gamma.sum(axis=0)[:, None, None]
    return weights, means, sigma * N / (N - 1)


def _divided_by_n(X, gamma, old_means):
    weights, means, sigma = _mended(X, gamma, old_means)
    return weights, means, sigma * weights[:, None, None]


def _squared_shares(X, gamma, old_means):
    weights, means, _ = _mended(X, gamma, old_means)
    parts = [gamma[:, [k]] * (X - means[k]) for k in range(len(means))]
    return weights, means, np.array([p.T @ p / n for p, n in zip(parts, gamma.sum(axis=0), strict=True)])


def _by_second_moments(X, gamma, old_means):
    """Right: E xxᵀ - μμᵀ."""
    N = gamma.sum(axis=0)
    means = gamma.T @ X / N[:, None]
    second = np.einsum("ik,ij,il->kjl", gamma, X, X) / N[:, None, None]
    return N / len(X), means, second - means[:, :, None] * means[:, None, :]


@exercise(
    "24.5",
    hint="Compare with (24.5): what multiplies each square, and from which mean are the deviations taken?",
    step="Each square (x - μ)(x - μ)ᵀ is weighted by its γ, and μ is the mean of this very M step.",
    wrong=[_sigma(False, False), _sigma(True, False), _sigma(False, True), _unbiased, _divided_by_n, _squared_shares,
           lambda X, gamma, old_means: _mended(X, gamma, old_means)[:2], 3.0],
    right=[_mended, _by_second_moments, lambda *data: list(_mended(*data))],
)
def mended_m_step(answer):
    """(24.4) to (24.6) on random shares."""
    rng = np.random.default_rng(245)
    for n, K, d in ((30, 2, 2), (50, 3, 3)):
        X, gamma = rng.normal(size=(n, d)) + 2.0, rng.dirichlet(np.ones(K), size=n)
        given = X, gamma, rng.normal(size=(K, d)) + 1.5
        result = call(answer, *(part.copy() for part in given))
        expect(isinstance(result, tuple | list) and len(result) == 3, "return weights, means and covariances.")
        weights, means, sigma = (array(part) for part in result)
        right = _mended(*given)
        expect(close(weights, right[0]), "the weights were right before: N / n.")
        expect(close(means, right[1]), "the means were right before.")
        expect(sigma.shape == (K, d, d), f"the covariances have the shape {(K, d, d)}, yours {sigma.shape}.")
        for wrong, said in (
            (_sigma(False, False), "both mistakes are still there: γ is missing, and the mean is the old one."),
            (_sigma(True, False), "the deviations are still taken from the OLD mean."),
            (_sigma(False, True), "the responsibilities are still missing in the sum of squares."),
            (_unbiased, "maximum likelihood divides by N_k, not by N_k - 1."),
            (_divided_by_n, "each component has N_k points, not n."),
            (_squared_shares, "γ stands on both sides of the product, so it is squared."),
        ):
            expect(not close(sigma, wrong(*given)[2]), said)
        if not close(sigma, right[2]):
            raise Unknown("the covariances are not those of (24.5).")
