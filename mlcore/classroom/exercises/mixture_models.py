"""The exercises of chapter 24: mixture models and EM."""

import functools
import math

import numpy as np

from mlcore.classroom.exercises import Case, answer, close, expect, implement

BORDER = 1.5 + 0.37 / 3 * math.log(0.25)

answer(
    "24.1",
    hint="At the border both weighted densities are equal. What cancels in their logarithms?",
    step="ln(0.2/0.8) = (x² - (x - 3)²) / (2·0.37) is to be solved for x; the squares of x cancel.",
    right=BORDER, also_right=[1.33, 1.329], digits=2,
    mistakes={
        "that is half-way between the means: there the weights decide.": 1.5,
        "the sign: the lighter component, at 0, must lose ground.": 3 - BORDER,
        "0.37 is the variance; you squared it.": 1.5 + 0.37**2 / 3 * math.log(0.25),
        "a factor ½ too much: it is 6x - 9.": 1.5 + 0.37 / 6 * math.log(0.25),
    },
    also_wrong=[0.6],
)  # fmt: skip


def _logs(X, weights, means, variances, d=None):
    squares = ((X[:, None] - means) ** 2).sum(axis=2)
    return np.log(weights) - (X.shape[1] if d is None else d) / 2 * np.log(variances) - squares / (2 * variances)


def _shares(X, weights, means, variances, d=None, axis=1):
    logs = _logs(X, weights, means, variances, d)
    parts = np.exp(logs - logs.max(axis=axis, keepdims=True))
    return parts / parts.sum(axis=axis, keepdims=True)


def _taken_off(*given, what):
    parts = np.exp(_logs(*given) - what(_logs(*given)))
    return parts / parts.sum(axis=1, keepdims=True)


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


def _far_off(value, right):
    if np.isfinite(value).all():
        return "far from all components the shares are wrong."
    return "far from all components you have 0/0: subtract the largest logarithm of each row."


def _mixtures(rng):
    for n, K, d in ((30, 3, 2), (40, 2, 3), (20, 4, 1)):
        X, means = rng.normal(size=(n, d)), rng.normal(size=(K, d))
        yield X, rng.dirichlet(np.full(K, 3.0)), means, rng.uniform(0.3, 2.5, size=K)
    X, means = np.array([[80.0, -60.0], [0.5, 0.2], [800.0, 600.0]]), np.array([[0.0, 0.0], [1.0, 1.0]])
    yield Case(X, np.array([0.3, 0.7]), means, np.ones(2), said=_far_off)


def _sum_of_rows(value, right, *given):
    expect(close(value.sum(axis=1), np.ones(len(value))), "the shares of a point, its row, must add up to 1.")
    return "the shares are not those of the formula."


implement(
    "24.2",
    hint="Take logarithms first, of weight times density, for each point and each component.",
    step="ln π_k - d/2 ln σ²_k - ‖x - μ_k‖²/(2σ²_k); subtract each row's maximum, take exp, divide by the row's sum.",
    right=_shares,
    also_right=[lambda *g: np.exp(_logs(*g) - np.logaddexp.reduce(_logs(*g), axis=1, keepdims=True)), _by_loops],
    cases=_mixtures, asked="a row for each point and a column for each component",
    mistakes={
        "your columns sum to 1; the shares of one POINT must: each row.": {"axis": 0},
        "these are 0 and 1: k-means' answer. A responsibility is a share.":
            lambda X, weights, *rest: np.eye(len(weights))[_logs(X, weights, *rest).argmax(axis=1)],
        "the weights π_k are missing.": lambda X, weights, *rest: _shares(X, np.ones(len(weights)), *rest),
        "the factor in front of the exponential depends on the component: a wide bell is low.": {"d": 0},
        "variances are σ² already; do not square them.":
            lambda X, weights, means, variances: _shares(X, weights, means, variances**2),
        "in d dimensions the factor is σ⁻ᵈ, d/2 times ln of the variance.": {"d": 1},
    },
    otherwise=_sum_of_rows,
    also_wrong=[
        lambda *given: np.exp(_logs(*given)) / np.exp(_logs(*given)).sum(axis=1, keepdims=True),
        lambda *given: np.exp(_logs(*given)), *(functools.partial(_taken_off, what=what) for what in (
            lambda logs: logs.max(), lambda logs: logs.min(axis=1, keepdims=True),
        )),
    ],
)  # fmt: skip

KL = 0.5 * math.log(0.5 / 0.9) + 0.5 * math.log(0.5 / 0.1)

answer(
    "24.3",
    hint="ln p = L + KL(q ‖ γ): the bound lies as far below ln p as q is from γ.",
    step="KL = ½ ln(0.5/0.9) + ½ ln(0.5/0.1); take it off ln p.",
    right=-3 - KL, also_right=[-3.51, -3.511], digits=2,
    mistakes={
        "the bound touches only for q = γ; here KL is not 0.": -3.0,
        "that is KL(γ ‖ q), the other way round: it is not symmetric.": -3.3681,
        "you added KL; a bound lies below ln p.": -3 + KL,
        "that is KL alone; the bound is ln p - KL, and ln p = -3.": [KL, -KL],
    },
    also_wrong=[-3 - 0.6931],
)  # fmt: skip


@functools.cache
def _best_number():
    from mlcore.datasets import load_iris
    from mlcore.mixture_models import GaussianMixture

    X = load_iris().data
    bic = [GaussianMixture(n_components=K, n_init=10, random_state=0).fit(X).bic(X) for K in range(1, 6)]
    return int(np.argmin(bic)) + 1


answer(
    "24.4",
    hint="Five fits, five values of BIC. Is a low one good, or a high one?",
    step="GaussianMixture(n_components=K, n_init=10, random_state=0).fit(X).bic(X) for K = 1, ..., 5. The lowest "
    "wins; argmin counts from 0, K from 1.",
    right=_best_number, also_right=[2],
    mistakes={
        "that is the number of species; BIC has not been told.": 3,
        "that has the highest likelihood; BIC charges for the parameters.": 5,
    },
    also_wrong=[1, 0],
)  # fmt: skip


def _m_step(X, gamma, old_means, weigh=lambda gamma: gamma, old=False, divide=lambda N: N):
    N = gamma.sum(axis=0)
    means = gamma.T @ X / N[:, None]
    D = X[:, None] - (old_means if old else means)
    return N / len(X), means, np.einsum("ik,ikj,ikl->kjl", weigh(gamma), D, D) / divide(N)[:, None, None]


def _by_second_moments(X, gamma, old_means):
    """Right: E xxᵀ - μμᵀ."""
    weights, means, _ = _m_step(X, gamma, old_means)
    second = np.einsum("ik,ij,il->kjl", gamma, X, X) / gamma.sum(axis=0)[:, None, None]
    return weights, means, second - means[:, :, None] * means[:, None, :]


def _points_and_shares(rng):
    for n, K, d in ((30, 2, 2), (50, 3, 3)):
        yield rng.normal(size=(n, d)) + 2.0, rng.dirichlet(np.ones(K), size=n), rng.normal(size=(K, d)) + 1.5


def _which_is_wrong(value, right, *given):
    expect(close(value[0], right[0]), "the weights were right before: N / n.")
    expect(close(value[1], right[1]), "the means were right before.")
    return "the covariances are not those of (24.5)."


implement(
    "24.5",
    hint="Compare with (24.5): what multiplies each square, and from which mean are the deviations taken?",
    step="Each square (x - μ)(x - μ)ᵀ is weighted by its γ, and μ is the mean of this very M step.",
    right=_m_step, also_right=[_by_second_moments], cases=_points_and_shares,
    asked="return weights, means and covariances",
    mistakes={
        "both mistakes are still there: γ is missing, and the mean is the old one.":
            {"weigh": np.ones_like, "old": True},
        "the deviations are still taken from the OLD mean.": {"old": True},
        "the responsibilities are still missing in the sum of squares.": {"weigh": np.ones_like},
        "maximum likelihood divides by N_k, not by N_k - 1.": {"divide": lambda N: N - 1},
        "each component has N_k points, not n.": {"divide": lambda N: 0 * N + N.sum()},
        "γ stands on both sides of the product, so it is squared.": {"weigh": np.square},
    },
    otherwise=_which_is_wrong,
    also_wrong=[lambda *given: _m_step(*given)[:2]],
)  # fmt: skip
