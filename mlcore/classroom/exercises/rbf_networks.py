"""The exercises of chapter 22: RBF networks."""

import numpy as np

from mlcore.classroom.exercises import Case, answer, expect, implement

answer(
    "22.1",
    hint="Each bump reaches to the other point. How high is it there?",
    step="A bump with γ = ln 2 is ½ at the distance 1. Write down f(0) = 1 and f(1) = 0, and solve for the two "
    "weights.",
    right=np.array([4 / 3, -2 / 3]), also_right=[[1.33, -0.67]], digits=2, asked="two weights, please",
    mistakes={
        "these are the heights. But the first bump still has ½ at the second point.": (1, 0),
        "that is the first row of Z, not the solution of Zβ = y.": (1, 0.5),
        "now f(1) = 0, but the second bump has pulled f(0) down to ¾.": (1, -0.5),
        "the sign of the second: it must take away what the first brings to 1.": (4 / 3, 2 / 3),
        "that is the solution for y = (0, 1).": (-2 / 3, 4 / 3),
    },
    otherwise=lambda beta: f"with these weights f(0) = {beta[0] + beta[1] / 2:.3f} and f(1) = "
    f"{beta[0] / 2 + beta[1]:.3f}; it should be 1 and 0.",
    also_wrong=[[2 / 3, -4 / 3], [0.8, -0.4]],
)  # fmt: skip

answer(
    "22.2",
    hint="(22.7) has a filter for either of the two. Which number do both contain?",
    step="λ / (λ + 0.3) = ½ gives λ. Then compute λ² / (λ² + α), the filter of the network.",
    right=0.09 / 0.39, also_right=[0.23, 0.2308], digits=2,
    mistakes={
        "that is the share of kernel ridge regression itself.": 0.5,
        "that is the eigenvalue λ. Now put it into the network's filter.": 0.3,
        "the network's filter is not the square of the other: α is not squared.": 0.25,
        "that is λ²; divide by λ² + α.": 0.09,
        "that is the share which the network takes away.": 10 / 13,
    },
    also_wrong=[1.0],
)  # fmt: skip


def _squares(X, centers):
    return ((X[:, np.newaxis] - centers) ** 2).sum(axis=2)


def _heights(X, centers, gamma, power=1, least=lambda D: 0):
    D = _squares(X, centers) ** power
    return np.exp(-gamma * (D - least(D)))


def _solved(Z, y, alpha):
    """The weights of the columns of Z, with the matrix alpha of the prices."""
    return np.linalg.solve(Z.T @ Z + alpha, Z.T @ y)


def _network(X, y, centers, gamma, alpha, power=1, price=np.eye):
    Z = _heights(X, centers, gamma, power)
    beta = _solved(Z - Z.mean(axis=0), y - y.mean(), alpha * price(len(centers)))
    return beta, y.mean() - Z.mean(axis=0) @ beta


def _by_rows(X, y, centers, gamma, alpha):
    """Right: least squares with extra rows."""
    M = len(centers)
    A = np.vstack([_heights(X, centers, gamma), np.sqrt(alpha) * np.eye(M)])
    A = np.column_stack([A, np.append(np.ones(len(X)), np.zeros(M))])
    solution = np.linalg.lstsq(A, np.append(y, np.zeros(M)), rcond=None)[0]
    return solution[:M], solution[M]


def _without_bias(X, y, centers, gamma, alpha):
    return _solved(_heights(X, centers, gamma), y, alpha * np.eye(len(centers))), 0.0


def _priced_bias(X, y, centers, gamma, alpha):
    Z = np.column_stack([_heights(X, centers, gamma), np.ones(len(X))])
    theta = _solved(Z, y, alpha * np.eye(len(centers) + 1))
    return theta[:-1], theta[-1]


def _kernel_ridge(X, y, centers, gamma, alpha):
    if len(X) != len(centers):
        return _network(X, y, centers, gamma, alpha)
    return np.linalg.solve(_heights(X, centers, gamma) + alpha * np.eye(len(X)), y), 0.0


def _samples_and_centers(rng):
    for n, d, M, gamma, alpha in ((12, 2, 4, 0.8, 0.3), (9, 1, 9, 2.0, 0.05), (20, 3, 6, 0.3, 2.0)):
        X, y = rng.normal(size=(n, d)), rng.normal(size=n) + 2
        yield X, y, X.copy() if M == n else rng.normal(size=(M, d)), gamma, alpha


implement(
    "22.3",
    hint="If the columns of Z and y are centred, the free bias drops out of the system.",
    step="Z from squared distances; C = Z minus its column means; solve (CᵀC + αI)β = Cᵀ(y - ȳ); then b is ȳ minus "
    "the column means of Z times β.",
    right=_network, also_right=[_by_rows], cases=_samples_and_centers, asked="return two things: beta and b",
    mistakes={
        "return beta first and b, one number, second.": lambda *given: _network(*given)[::-1],
        "a bump is exp(-γ‖x - μ‖²): yours takes the distance without the square.": {"power": 0.5},
        "that is the network without a bias. Centre the columns of Z and y first; then b.": _without_bias,
        "the weights are right, but b is the mean of y - Zβ, not of y.":
            lambda X, y, *rest: (_network(X, y, *rest)[0], y.mean()),
        "a column of ones inside the penalty prices the bias too. It is free.": _priced_bias,
        "that is kernel ridge regression: (Z + αI)⁻¹y. The network solves with ZᵀZ.": _kernel_ridge,
        "where is α? Add it to the diagonal of CᵀC.":
            lambda X, y, centers, gamma, alpha: _network(X, y, centers, gamma, 1e-9),
        "α belongs on the diagonal alone: alpha * np.eye(M). Yours is added to every entry.":
            {"price": lambda M: np.ones((M, M))},
        "the loss is the sum of the squares, not their mean: α, not nα.":
            lambda X, y, centers, gamma, alpha: _network(X, y, centers, gamma, len(X) * alpha),
    },
    otherwise=lambda value, right, X, y, centers, *_: f"for n = {len(X)}, M = {len(centers)}: b should be "
    f"{right[1]:.4f}, yours is {value[1]:.4f}; compare with (22.1).",
    also_wrong=[lambda *given: _network(*given)[0]],
)  # fmt: skip

answer(
    "22.4",
    hint="A loop over the five values. The score is the share that is right: take the largest.",
    step="RBFNetworkClassifier(n_centers=60, gamma=g, alpha=0.01, random_state=0).fit(X_moons, "
    "y_moons).score(X_new, y_new), for each g.",
    right=1,
    mistakes={
        "one of the five values of γ, please.": [10, lambda value: value not in (0.01, 0.1, 1, 100, 1000)],
        "with needles nearly all of the plane is the bias. Was that the *training* score?": 1000,
        "that learns the sixty by heart. Count the errors on X_new.": 100,
        "too wide: with α = 0.01 bumps of that width cannot follow the moons.": 0.1,
        "bumps that wide are all alike: the border is nearly a straight line.": 0.01,
    },
)


def _least_of_each_row(D):
    return D.min(axis=1, keepdims=True)


def _vote(X, samples, values, gamma, power=1, least=_least_of_each_row, grain=0.0):
    heights = _heights(X, samples, gamma, power, least)
    return heights @ values / (heights.sum(axis=1) + grain)


def _no_vote(value, right):
    if np.isfinite(value).all():
        return "far away the weighted mean is wrong: every height rounds to 0 there. Take each row by itself."
    return "far away every height rounds to 0, and 0/0 is no answer. Take each row by itself."


def _near_and_far(rng):
    for n, d, gamma, away in ((7, 1, 0.5, 0.0), (9, 2, 1.0, 60.0), (5, 3, 4.0, 500.0)):
        samples, values = rng.normal(size=(n, d)), rng.normal(size=n) + 3
        given = np.vstack([rng.normal(size=(4, d)), samples[:2] + away]), samples, values, gamma
        yield Case(*given, said=_no_vote) if away else given
    # the last row is nearly as far from the second sample as from the first
    far = np.array([[0.1, 0.2], [2.0, 1.0], [-90.0, 0.0], [-90.0, 0.1]])
    yield far, np.array([[0.0, 1.0], [0.0, -1.0], [3.0, 0.0]]), np.array([2.0, 6.0, 9.0]), 1.5


def _nearest_where_nothing(X, samples, values, gamma):
    """The naive vote, and the value of the nearest sample where all heights round to 0."""
    naive, nearest = _vote(X, samples, values, gamma, least=lambda D: 0), _squares(X, samples).argmin(axis=1)
    return np.where(np.isfinite(naive), naive, values[nearest])


def _far_away(value, right, X, samples, values, gamma):
    near = np.allclose(value[:2], right[:2], rtol=1e-6)
    expect(not near, "right near the samples; far away every height still rounds to 0. Take each row by itself.")
    return f"a weighted mean of the values would be {right[0]:.4f} at the first row; yours is {value[0]:.4f}."


implement(
    "22.5",
    hint="Which factor may be taken out of both sums, so that the largest height in each row is 1?",
    step="Take the least squared distance of each row off all of that row, before the exponential: the factor cancels.",
    right=_vote,
    also_right=[
        lambda X, samples, values, gamma: np.exp(
            -gamma * _squares(X, samples) - np.logaddexp.reduce(-gamma * _squares(X, samples), axis=1, keepdims=True)
        ) @ values
    ],
    cases=_near_and_far, asked="one number for each of the rows",
    mistakes={
        "distances are squared in a bump.": {"power": 0.5},
        "far away a sample that is (nearly) as near as the nearest has a vote, too.": _nearest_where_nothing,
        "every sample votes, not only the nearest.":
            lambda X, samples, values, gamma: values[_squares(X, samples).argmin(axis=1)],
        "divide by the sum of the heights: a weighted mean lies between the values.":
            lambda X, samples, values, gamma: _heights(X, samples, gamma, least=_least_of_each_row) @ values,
    },
    otherwise=_far_away,
    also_wrong=[{"least": lambda D: 0, "grain": 1e-12}, {"least": lambda D: 0}, {"least": np.min, "grain": 1e-300}],
)  # fmt: skip
