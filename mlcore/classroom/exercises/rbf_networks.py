"""The exercises of chapter 22: RBF networks."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "22.1",
    hint="Each bump reaches to the other point. How high is it there?",
    step="A bump with γ = ln 2 is ½ at the distance 1. Write down f(0) = 1 and f(1) = 0, and solve for the two "
    "weights.",
    wrong=[[1, 0], [4 / 3, 2 / 3], [2 / 3, -4 / 3], [1, 0.5], [1, -0.5], [-2 / 3, 4 / 3], [0.8, -0.4]],
    right=[(4 / 3, -2 / 3), [1.33, -0.67], np.array([[4 / 3], [-2 / 3]])],
)
def weights_of_two_bumps(answer):
    """Z = [[1, ½], [½, 1]], so β = (4/3, -2/3)."""
    values = array(answer, None).ravel()
    expect(values.size == 2, f"two weights, please; yours are {values.size} numbers.")
    expect(not close(values, [1, 0]), "these are the heights. But the first bump still has ½ at the second point.")
    expect(not close(values, [1, 0.5]), "that is the first row of Z, not the solution of Zβ = y.")
    expect(not close(values, [1, -0.5]), "now f(1) = 0, but the second bump has pulled f(0) down to ¾.")
    expect(not close(values, [4 / 3, 2 / 3]), "the sign of the second: it must take away what the first brings to 1.")
    expect(not close(values, [-2 / 3, 4 / 3]), "that is the solution for y = (0, 1).")
    f = np.array([[1, 0.5], [0.5, 1]]) @ values
    if not close(values, [4 / 3, -2 / 3], rtol=6e-3):
        raise Unknown(f"with these weights f(0) = {f[0]:.3f} and f(1) = {f[1]:.3f}; it should be 1 and 0.")


@exercise(
    "22.2",
    hint="(22.7) has a filter for either of the two. Which number do both contain?",
    step="λ / (λ + 0.3) = ½ gives λ. Then compute λ² / (λ² + α), the filter of the network.",
    wrong=[0.5, 0.3, 0.25, 0.7692, 0.09, 1.0],
    right=[3 / 13, 0.23, 0.231],
)
def share_of_the_network(answer):
    """λ = 0.3, so the share is 0.09 / 0.39."""
    value = number(answer)
    expect(not close(value, 0.5), "that is the share of kernel ridge regression itself.")
    expect(not close(value, 0.3), "that is the eigenvalue λ. Now put it into the network's filter.")
    expect(not close(value, 0.25), "the network's filter is not the square of the other: α is not squared.")
    expect(not close(value, 0.09), "that is λ²; divide by λ² + α.")
    expect(not close(value, 10 / 13, rtol=6e-3), "that is the share which the network takes away.")
    expect(close(value, 3 / 13, rtol=6e-3))


def _heights(X, centers, gamma, power=2):
    return np.exp(-gamma * np.sqrt(((X[:, np.newaxis] - centers) ** 2).sum(axis=2)) ** power)


def _solved(Z, y, alpha, center=True):
    middle, mean = (Z.mean(axis=0), y.mean()) if center else (np.zeros(Z.shape[1]), 0.0)
    C = Z - middle
    beta = np.linalg.solve(C.T @ C + alpha * np.eye(Z.shape[1]), C.T @ (y - mean))
    return beta, mean - middle @ beta


def _right_fit(X, y, centers, gamma, alpha):
    return _solved(_heights(X, centers, gamma), y, alpha)


def _by_rows(X, y, centers, gamma, alpha):
    """Right: least squares with extra rows."""
    M = len(centers)
    A = np.vstack([_heights(X, centers, gamma), np.sqrt(alpha) * np.eye(M)])
    A = np.column_stack([A, np.append(np.ones(len(X)), np.zeros(M))])
    solution = np.linalg.lstsq(A, np.append(y, np.zeros(M)), rcond=None)[0]
    return solution[:M, np.newaxis], solution[M]


def _as_a_list(X, y, centers, gamma, alpha):
    beta, b = _right_fit(X, y, centers, gamma, alpha)
    return [list(beta), np.array([b])]


def _plain_distance(X, y, centers, gamma, alpha):
    return _solved(_heights(X, centers, gamma, power=1), y, alpha)


def _without_bias(X, y, centers, gamma, alpha):
    return _solved(_heights(X, centers, gamma), y, alpha, center=False)


def _mean_as_bias(X, y, centers, gamma, alpha):
    return _right_fit(X, y, centers, gamma, alpha)[0], y.mean()


def _penalised_bias(X, y, centers, gamma, alpha):
    Z = np.column_stack([_heights(X, centers, gamma), np.ones(len(X))])
    theta = _solved(Z, y, alpha, center=False)[0]
    return theta[:-1], theta[-1]


def _kernel_ridge(X, y, centers, gamma, alpha):
    Z = _heights(X, centers, gamma)
    if Z.shape[0] != Z.shape[1]:
        return _right_fit(X, y, centers, gamma, alpha)
    return np.linalg.solve(Z + alpha * np.eye(len(Z)), y), 0.0


def _without_price(X, y, centers, gamma, alpha):
    return _right_fit(X, y, centers, gamma, 1e-9)


def _mean_loss(X, y, centers, gamma, alpha):
    return _right_fit(X, y, centers, gamma, len(X) * alpha)


def _price_on_every_entry(X, y, centers, gamma, alpha):
    Z = _heights(X, centers, gamma)
    C = Z - Z.mean(axis=0)
    beta = np.linalg.solve(C.T @ C + alpha, C.T @ (y - y.mean()))
    return beta, y.mean() - Z.mean(axis=0) @ beta


def _bias_first(X, y, centers, gamma, alpha):
    return _right_fit(X, y, centers, gamma, alpha)[::-1]


def _only_weights(X, y, centers, gamma, alpha):
    return _right_fit(X, y, centers, gamma, alpha)[0]


MISTAKES = (
    (_plain_distance, "a bump is exp(-γ‖x - μ‖²): yours takes the distance without the square."),
    (_without_bias, "that is the network without a bias. Centre the columns of Z and y first; then b."),
    (_mean_as_bias, "the weights are right, but b is the mean of y - Zβ, not of y."),
    (_penalised_bias, "a column of ones inside the penalty prices the bias too. It is free."),
    (_kernel_ridge, "that is kernel ridge regression: (Z + αI)⁻¹y. The network solves with ZᵀZ."),
    (_without_price, "where is α? Add it to the diagonal of CᵀC."),
    (_price_on_every_entry, "α belongs on the diagonal alone: alpha * np.eye(M). Yours is added to every entry."),
    (_mean_loss, "the loss is the sum of the squares, not their mean: α, not nα."),
)


@exercise(
    "22.3",
    hint="If the columns of Z and y are centred, the free bias drops out of the system.",
    step="Z from squared distances; C = Z minus its column means; solve (CᵀC + αI)β = Cᵀ(y - ȳ); then b is ȳ minus "
    "the column means of Z times β.",
    wrong=[wrong for wrong, _ in MISTAKES] + [_bias_first, _only_weights, 3.0],
    right=[_right_fit, _by_rows, _as_a_list],
)
def rbf_by_hand(answer):
    """(22.1)."""
    rng = np.random.default_rng(223)
    for n, d, M, gamma, alpha in ((12, 2, 4, 0.8, 0.3), (9, 1, 9, 2.0, 0.05), (20, 3, 6, 0.3, 2.0)):
        X, y = rng.normal(size=(n, d)), rng.normal(size=n) + 2
        centers = X.copy() if M == n else rng.normal(size=(M, d))
        given = X, y, centers, gamma, alpha
        result = call(answer, *given)
        expect(isinstance(result, tuple | list) and len(result) == 2, "return two things: beta and b.")
        expect(np.size(result[1]) == 1, "return beta first and b, one number, second.")
        beta, b = array(result[0], None).ravel(), number(result[1])
        expect(beta.size == M, f"there are {M} centres, so {M} weights; yours are {beta.size}.")
        found, right = np.append(beta, b), np.append(*_right_fit(*given))
        if close(found, right, rtol=1e-6):
            continue
        for mistake, said in MISTAKES:
            if (M == n or mistake is not _kernel_ridge) and close(found, np.append(*mistake(*given)), rtol=1e-6):
                raise Wrong(said)
        raise Unknown(f"for n = {n}, M = {M}: b should be {right[-1]:.4f}, yours is {b:.4f}; compare with (22.1).")


@exercise(
    "22.4",
    hint="A loop over the five values. The score is the share that is right: take the largest.",
    step="RBFNetworkClassifier(n_centers=60, gamma=g, alpha=0.01, random_state=0).fit(X_moons, "
    "y_moons).score(X_new, y_new), for each g.",
    wrong=[0.01, 0.1, 100, 1000, 10],
    right=[1.0, np.int64(1)],
)
def best_width(answer):
    """γ = 1: bumps about as wide as a moon is thick."""
    value = number(answer)
    expect(any(close(value, g) for g in (0.01, 0.1, 1, 100, 1000)), "one of the five values of γ, please.")
    expect(not close(value, 1000), "with needles nearly all of the plane is the bias. Was that the *training* score?")
    expect(not close(value, 100), "that learns the sixty by heart. Count the errors on X_new.")
    expect(not close(value, 0.1), "too wide: with α = 0.01 bumps of that width cannot follow the moons.")
    expect(close(value, 1), "bumps that wide are all alike: the border is nearly a straight line.")


def _right_vote(X, samples, values, gamma):
    D = ((X[:, np.newaxis] - samples) ** 2).sum(axis=2)
    heights = np.exp(-gamma * (D - D.min(axis=1, keepdims=True)))
    return heights @ values / heights.sum(axis=1)


def _buggy(X, samples, values, gamma):
    heights = _heights(X, samples, gamma)
    return heights @ values / (heights.sum(axis=1) + 1e-12)


def _divided_by_zero(X, samples, values, gamma):
    heights = _heights(X, samples, gamma)
    with np.errstate(invalid="ignore"):
        return heights @ values / heights.sum(axis=1)


def _one_minimum_for_all(X, samples, values, gamma):
    D = ((X[:, np.newaxis] - samples) ** 2).sum(axis=2)
    heights = np.exp(-gamma * (D - D.min()))
    return heights @ values / (heights.sum(axis=1) + 1e-300)


def _without_square(X, samples, values, gamma):
    D = np.sqrt(((X[:, np.newaxis] - samples) ** 2).sum(axis=2))
    heights = np.exp(-gamma * (D - D.min(axis=1, keepdims=True)))
    return heights @ values / heights.sum(axis=1)


def _nearest(X, samples, values, gamma):
    return values[((X[:, np.newaxis] - samples) ** 2).sum(axis=2).argmin(axis=1)]


def _not_normalised(X, samples, values, gamma):
    D = ((X[:, np.newaxis] - samples) ** 2).sum(axis=2)
    return np.exp(-gamma * (D - D.min(axis=1, keepdims=True))) @ values


def _as_a_column(X, samples, values, gamma):
    return _right_vote(X, samples, values, gamma)[:, np.newaxis]


def _by_logarithms(X, samples, values, gamma):
    """Right: the logarithm of each share first."""
    z = -gamma * ((X[:, np.newaxis] - samples) ** 2).sum(axis=2)
    return np.exp(z - np.logaddexp.reduce(z, axis=1, keepdims=True)) @ values


@exercise(
    "22.5",
    hint="Which factor may be taken out of both sums, so that the largest height in each row is 1?",
    step="Take the least squared distance of each row off all of that row, before the exponential: the factor cancels.",
    wrong=[_buggy, _divided_by_zero, _one_minimum_for_all, _without_square, _nearest, _not_normalised, 5.0],
    right=[_right_vote, _as_a_column, _by_logarithms],
)
def vote_without_underflow(answer):
    """The least distance is subtracted row by row."""
    rng = np.random.default_rng(225)
    for n, d, gamma, away in ((7, 1, 0.5, 0.0), (9, 2, 1.0, 60.0), (5, 3, 4.0, 500.0)):
        samples, values = rng.normal(size=(n, d)), rng.normal(size=n) + 3
        X = np.vstack([rng.normal(size=(4, d)), samples[:2] + away])
        found = array(call(answer, X, samples, values, gamma), None)
        expect(found.size == len(X), f"one number for each of the {len(X)} rows; the shape is {found.shape}.")
        found, right = found.ravel(), _right_vote(X, samples, values, gamma)
        if np.allclose(found, right, rtol=1e-6):
            continue
        near = np.allclose(found[:4], right[:4], rtol=1e-6)
        expect(not near, "right near the samples; far away every height still rounds to 0. Take each row by itself.")
        expect(not np.allclose(found, _without_square(X, samples, values, gamma)), "distances are squared in a bump.")
        expect(not np.allclose(found, _nearest(X, samples, values, gamma)), "every sample votes, not only the nearest.")
        expect(
            not np.allclose(found, _not_normalised(X, samples, values, gamma)),
            "divide by the sum of the heights: a weighted mean lies between the values.",
        )
        raise Unknown(
            f"a weighted mean of the values would be {right[0]:.4f} at the first row; yours is {found[0]:.4f}."
        )
