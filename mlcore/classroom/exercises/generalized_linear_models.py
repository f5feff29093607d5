"""The exercises of chapter 4: exponential families and generalised linear models."""

import math

import numpy as np

from mlcore.classroom.exercises import Unknown, array, call, close, exercise, expect, part


# ---------------------------------------------------------------------------------------------------------------
# 4.1 a family that the chapter does not have
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "4.1",
    hint="Bring the factor λ into the exponent. What multiplies y there, and what is left for A?",
    step="λ e^(-λy) = exp(-λ y + ln λ). What multiplies y is η; write A as a function of η alone, then "
    "differentiate it twice.",
    wrong=[[2, 0.5, 0.25], [2, -0.5, -0.25], [-2, -0.5, 0.25], [-2, 0.5, 0.5], [-2, 0.5, -0.25], [-2, 2, 4],
           [-0.5, 0.5, 0.25], [-2, 0.5]],
    right=[(-2, 0.5, 0.25), np.array([-2.0, 0.5, 0.25])],
)  # fmt: skip
def waiting_times(answer):
    """η = -λ = -2, A = -ln(-η), A' = -1/η = 1/2, A'' = 1/η² = 1/4."""
    eta, mean, variance = array(answer, (3,))
    expect(not close(eta, 2), "η: the factor of y in the exponent is not λ. Mind its sign.")
    swapped = close(eta, 0.5) and close(variance, -2)
    expect(not swapped, "the order asked for is η, the mean, the variance.")
    part(close(eta, -2), "η", "η is what multiplies y in exp(-λ y + ln λ).")
    expect(not close(mean, -math.log(2)), "A': that is A itself; the mean is its derivative in η.")
    expect(mean > 0, "A': waiting times are positive, and so is their mean. A(η) = -ln λ = -ln(-η).")
    expect(not close(mean, 2), "A': that is λ. A faster clock has a shorter mean wait.")
    part(close(mean, 0.5), "the mean", "Differentiate A(η) = -ln(-η) and put in your η.")
    expect(variance > 0, "A'': a variance is not negative. Differentiate A'(η) = -1/η once more.")
    expect(not close(variance, 0.5), "A'': that is the standard deviation; the variance is its square.")
    part(close(variance, 0.25), "the variance", "Differentiate A'(η) = -1/η once more and put in your η.")


# ---------------------------------------------------------------------------------------------------------------
# 4.2 reading a fitted model
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "4.2",
    hint="The model speaks of ln μ. What happens to μ when something is added to its logarithm?",
    step="Undo the logarithm for (a); divide the means at x + 1 and x for (b); put y = 0 into (4.15) for (c).",
    wrong=[[1, math.exp(0.4), 2 * math.e], [math.e, 0.4, 2 * math.e], [math.e, 1.4, 2 * math.e],
           [math.e, math.exp(0.4), math.e], [math.e, math.exp(1.4), 2 * math.e], [math.e, math.exp(0.4), 0],
           [math.e, math.exp(0.4), 2], [math.e, math.exp(0.4)], [math.e, math.exp(0.4) - 1, 2 * math.e],
           [math.e, math.exp(0.4), -2 * math.e]],
    right=[(math.e, math.exp(0.4), 2 * math.e), [2.718, 1.492, 5.437]],
)  # fmt: skip
def reading_a_model(answer):
    """ln μ = 1 + 0.4 x: μ(0) = e, each unit of x multiplies by e^0.4, and y = 0 at μ = e costs 2e."""
    mean, factor, deviance = array(answer, (3,))
    expect(not close(mean, 1, 2e-3), "(a) that is the linear predictor; the mean is its exponential.")
    part(close(mean, math.e, 2e-3), "(a)", "ln μ = 1 at x = 0.")
    expect(not close(factor, 0.4, 2e-3), "(b) that is added to ln μ. What does adding to a logarithm do to the number?")
    expect(not close(factor, 1.4, 2e-3), "(b) e^0.4 is not 1 + 0.4: only a small coefficient is nearly a percentage.")
    expect(not close(factor, math.exp(1.4), 2e-3), "(b) the intercept cancels in μ(x + 1)/μ(x).")
    growth = close(factor, math.expm1(0.4), 5e-3) or close(factor, 100 * math.expm1(0.4), 5e-3)
    expect(not growth, "(b) that is the share that is added; the factor is larger by 1.")
    part(close(factor, math.exp(0.4), 2e-3), "(b)", "Divide e^(1 + 0.4 (x + 1)) by e^(1 + 0.4 x).")
    expect(not close(deviance, math.e, 2e-3), "(c) that is half the deviance.")
    expect(deviance > -1e-9, "(c) the sign: the deviance is *minus* twice a difference of logarithms, never below 0.")
    expect(deviance > 1e-9, "(c) the deviance is 0 only where μ = y; here μ is e and y is 0.")
    expect(not close(deviance, 2, 2e-3), "(c) μ is e at x = 0, not 1.")
    expect(not close(deviance, math.e**2, 2e-3), "(c) that is the squared residual, the deviance of the Gaussian.")
    part(close(deviance, 2 * math.e, 2e-3), "(c)", "With y = 0 only -(y - μ) is left of the bracket in (4.15).")


# ---------------------------------------------------------------------------------------------------------------
# 4.3 one step of IRLS
# ---------------------------------------------------------------------------------------------------------------
def _step(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.solve((X.T * mean) @ X, (X.T * mean) @ (X @ theta + (y - mean) / mean))


def _newton_move(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.inv(X.T @ np.diag(mean) @ X) @ X.T @ (y - mean)


def _without_weights(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.lstsq(X, X @ theta + (y - mean) / mean, rcond=None)[0]


def _weights_upside_down(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.solve((X.T / mean) @ X, (X.T / mean) @ (X @ theta + (y - mean) / mean))


def _change_only(X, y, theta):
    return _step(X, y, theta) - theta


def _undivided(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.solve((X.T * mean) @ X, (X.T * mean) @ (X @ theta + (y - mean)))


def _log_of_y(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.solve((X.T * mean) @ X, (X.T * mean) @ np.log(y + 1))


def _root_once(X, y, theta):
    mean = np.exp(X @ theta)
    root = np.sqrt(mean)
    return np.linalg.lstsq(root[:, None] * X, X @ theta + (y - mean) / mean, rcond=None)[0]


def _weights_squared(X, y, theta):
    mean = np.exp(X @ theta)
    return np.linalg.lstsq(mean[:, None] * X, mean * (X @ theta + (y - mean) / mean), rcond=None)[0]


def _uphill(X, y, theta):
    return 2 * theta - _step(X, y, theta)


def _to_the_end(X, y, theta):
    for _ in range(50):
        theta = _step(X, y, theta)
    return theta


def _bernoulli_weights(X, y, theta):
    mean = np.exp(X @ theta)
    return theta + np.linalg.solve((X.T * (mean * (1 - mean))) @ X, X.T @ (y - mean))


def _bernoulli_means(X, y, theta):
    mean = 1 / (1 + np.exp(-X @ theta))
    return theta + np.linalg.solve((X.T * (mean * (1 - mean))) @ X, X.T @ (y - mean))


@exercise(
    "4.3",
    hint="A weighted least-squares fit: what are the weights, and what is the working response, for the Poisson "
    "with log link?",
    step="With μ = e^η the weights are μ and the working response is η + (y - μ)/μ. The root of a weight multiplies "
    "its row of X and its response.",
    wrong=[_without_weights, _weights_upside_down, _change_only, _undivided, _log_of_y, _root_once, _weights_squared,
           _uphill, _to_the_end, _bernoulli_weights, _bernoulli_means, 3],
    right=[_step, lambda X, y, theta: theta + _newton_move(X, y, theta)],
)
def irls_step(answer):
    """θ = (XᵀWX)⁻¹XᵀWz with W = diag(μ) and z = η + (y - μ)/μ."""
    rng = np.random.default_rng(43)
    for n, d in ((30, 2), (12, 3), (8, 1), (20, 4)):
        X = np.column_stack([rng.normal(size=(n, d - 1)), np.ones(n)])
        theta = 0.4 * rng.normal(size=d)
        y = rng.poisson(np.exp(X @ theta + 0.5)).astype(float)
        found, right = call(answer, X, y, theta), _step(X, y, theta)
        four = isinstance(found, tuple) and len(found) == 4 != d
        expect(not four, "np.linalg.lstsq returns four things; take the first, [0].")
        found = array(found, (d,))
        if close(found, right, 1e-6):
            continue
        for mistake, hint in (
            (_change_only, "that is the change of θ; the new θ is asked for."),
            (_without_weights, "you left out the weights μ: a plain fit to the working response is another method."),
            (_weights_upside_down, "the weights are upside down: a row with a large mean tells *more* about ln μ."),
            (_undivided, "the working response is η + (y - μ)/μ': a miss of y is a smaller miss on the scale of ln μ."),
            (_log_of_y, "ln y is not the working response; ln 0 would not exist. Use the tangent: η + (y - μ)/μ."),
            (_weights_squared, "least squares squares the rows, and so their factors: multiply by the *root* of μ."),
            (_uphill, "the sign of the step is turned: your step makes the misses y - μ larger."),
            (_to_the_end, "that is the end of the whole walk; a single step is asked for."),
            (_bernoulli_weights, "μ(1 - μ) is the variance of the Bernoulli; for the Poisson it is μ."),
            (_bernoulli_means, "that mean is the sigmoid, of the Bernoulli; the inverse of the log link is e^η."),
            (_root_once, "√weight must multiply the rows of X *and* the working response."),
        ):
            expect(not close(found, mistake(X, y, theta), 1e-6), hint)
        raise Unknown(f"the first entry should be {right[0]:.4f}, yours is {found[0]:.4f}.")


# ---------------------------------------------------------------------------------------------------------------
# 4.4 an experiment: who predicts the right total?
# ---------------------------------------------------------------------------------------------------------------
_COUNTS = np.array([1, 4, 2, 9, 3, 16, 8, 40, 12, 60.0])


def _missed():
    x = np.arange(10.0)
    slope, intercept = np.polyfit(x, np.log(_COUNTS), 1)
    return 1 - np.exp(slope * x + intercept).sum() / _COUNTS.sum()


@exercise(
    "4.4",
    hint="Compare the sum of the predictions with the sum of the counts, once for each model.",
    step="1 - model.predict(X_44).sum() / y_44.sum(), with LogLinearRegression() and with "
    'GeneralizedLinearModel(family="poisson"), each fitted to X_44 and y_44.',
    wrong=[(0.0, 0.1677), (0.8323, 1.0), (0.0, 0.0), (-0.1677, 0.0), (0.1677, 0.1677), (26.0, 0.0), (16.77, 0.0),
           (0.2015, 0.0), 0.1677],
    right=[(0.1677, 1e-12), [0.168, 0], np.array([0.17, -1e-9])],
)
def who_predicts_the_total(answer):
    """Least squares on ln y misses a sixth of the total, the log link nothing."""
    log_linear, poisson = array(answer, (2,))
    missed = _missed()
    expect(not (abs(log_linear) < 5e-3 and abs(poisson - missed) < 5e-3), "log-linear comes first, Poisson second.")
    expect(not (abs(log_linear - (1 - missed)) < 5e-3), "that share is predicted; the missing one is asked for.")
    expect(abs(log_linear) < 1, "shares are asked for, numbers below 1: what is missing over the sum of y_44.")
    of_predicted = abs(log_linear - missed / (1 - missed)) < 5e-3
    expect(not of_predicted, "you divided by the sum of the predictions; divide by that of y_44.")
    expect(abs(log_linear + missed) > 5e-3, "the sign: the predictions are too small, so 1 - sum/sum is positive.")
    part(
        abs(log_linear - missed) < 5e-3,
        "the first share",
        "Add up the predictions of LogLinearRegression for X_44, and compare with the sum of y_44.",
    )
    part(abs(poisson) < 5e-3, "the second share", "With the log link the means add up to the counts, see (4.16).")


# ---------------------------------------------------------------------------------------------------------------
# 4.5 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _picked(logs, y):
    return -np.sum(logs[np.arange(len(y)), y.astype(int)])


def _cross_entropy(Z, y):
    Z = Z - Z.max(axis=1, keepdims=True)
    return _picked(Z - np.log(np.exp(Z).sum(axis=1, keepdims=True)), y)


def _naive(Z, y):
    return _picked(np.log(np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)), y)


def _one_maximum(Z, y):
    Z = Z - Z.max()
    return _picked(Z - np.log(np.exp(Z).sum(axis=1, keepdims=True)), y)


def _rounded(Z, y):
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return _picked(np.log(P / P.sum(axis=1, keepdims=True)), y)


def _with_a_grain(Z, y):
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return _picked(np.log(P / P.sum(axis=1, keepdims=True) + 1e-15), y)


def _clipped(Z, y):
    return _cross_entropy(np.clip(Z, -500, 500), y)


def _all_classes(Z, y):
    return -np.sum(Z - np.log(np.exp(Z).sum(axis=1, keepdims=True)))


def _all_pairs(Z, y):
    return -np.sum((Z - np.log(np.exp(Z).sum(axis=1, keepdims=True)))[:, y.astype(int)])


def _zero_times_infinity(Z, y):
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return -np.sum(np.eye(Z.shape[1])[y] * np.log(P / P.sum(axis=1, keepdims=True)))


def _likelihood(Z, y):
    return -_cross_entropy(Z, y)


def _mean_loss(Z, y):
    return _cross_entropy(Z, y) / len(y)


@exercise(
    "4.5",
    hint="Write -ln p_k without the division. Which number may you take off all scores of a row?",
    step="-ln p_k is ln Σ e^(z_j) - z_k. Take the maximum of its own row off every score first: it cancels.",
    wrong=[_naive, _one_maximum, _rounded, _with_a_grain, _clipped, _likelihood, _mean_loss, _all_classes,
           _all_pairs, _zero_times_infinity, 3],
    right=[_cross_entropy, lambda Z, y: np.sum(np.logaddexp.reduce(Z, axis=1) - Z[np.arange(len(y)), y])],
)
def stable_cross_entropy(answer):
    """ln Σ e^(z_j) - z_y, with the maximum of each row taken off before the exponential."""
    rng = np.random.default_rng(45)
    cases = (
        (2 * rng.normal(size=(6, 4)), rng.integers(0, 4, size=6)),
        (np.array([[1e4, 1e4 - 1, 9990]]), np.array([1])),
        (np.array([[1e4, 1e4 - 1, 0.0]]), np.array([1])),
        (np.array([[1e4, 1e4 - 1, 0], [0.0, 1, 2], [-1e4, 2 - 1e4, -1e4]]), np.array([0, 1, 2])),
        (np.array([[1e4, 0.0, 5.0], [0.0, 1, 2]]), np.array([1, 1])),
    )
    for case, (Z, y) in enumerate(cases):
        with np.errstate(all="ignore"):
            found = np.asarray(call(answer, Z, y))
        expect(found.dtype.kind in "biuf" and found.size == 1, "one number is asked for: the sum over the samples.")
        found, right = float(found.reshape(())), _cross_entropy(Z, y)
        if close(found, right):
            continue
        expect(not close(found, -right), "that is the log-likelihood; the loss is its negative, and never below 0.")
        expect(len(y) == 1 or not close(found, right / len(y)), "that is the mean; the sum is asked for.")
        finite = np.isfinite(found)
        expect(finite or case != 1, "for a score of 10000 the exponential overflows, and the loss is NaN or infinite.")
        expect(finite or case != 2, "0·ln 0 is NaN where a probability rounds to 0. Take the logarithm by hand first.")
        expect(finite or case != 3, "rows of 10000, of 2 and of -10000 together: each row needs its own maximum.")
        expect(finite or case != 4, "a probability was rounded to 0, and ln 0 is -∞. Take the logarithm by hand first.")
        expect(case == 0, f"it is {right:.4f}, yours gives {found:.4f}: clipping hides how wrong a score is.")
        everything = close(found, _all_classes(Z, y)) or close(found, _all_pairs(Z, y))
        expect(not everything, "each row gives one number, the one of its own class: logs[np.arange(len(y)), y].")
        raise Unknown(f"for six samples with small scores it should be {right:.4f}, yours gives {found:.4f}.")


# ---------------------------------------------------------------------------------------------------------------
# 4.6 the shortest of many equals
# ---------------------------------------------------------------------------------------------------------------
def _reference(W):
    return W - W[-1]


def _over_features(W):
    return W - W.mean(axis=1, keepdims=True)


def _over_all(W):
    return W - W.mean()


def _unit_length(W):
    return W / np.linalg.norm(W)


@exercise(
    "4.6",
    hint="Adding one vector c to all rows changes no probability. For which c is the sum of the squares smallest?",
    step="Take one column. Which number, taken off all its K entries, leaves the smallest sum of squares?",
    wrong=[_reference, _over_features, _over_all, _unit_length, lambda W: 0 * W, lambda W: W, 0],
    right=[lambda W: W - W.mean(axis=0), lambda W: (np.eye(len(W)) - 1 / len(W)) @ W],
)
def shortest_weights(answer):
    """W minus the mean of its rows."""
    rng = np.random.default_rng(46)
    for K, d in ((3, 2), (5, 4), (2, 1), (4, 3)):
        W = rng.normal(size=(K, d)) + 2
        found, right = array(call(answer, W), (K, d)), W - W.mean(axis=0)
        if close(found, right):
            continue
        change = found - W
        same = close(change, np.broadcast_to(change[0], (K, d)), atol=1e-8)
        is_reference = close(found, _reference(W))
        expect(not is_reference, "those are the reference weights: the same probabilities, but not the shortest.")
        sideways = close(found, _over_features(W))
        expect(not sideways, "that takes a number off each *class*, which changes the probabilities.")
        expect(same, "the differences of your rows are not those of W, so the probabilities change.")
        expect(not close(found, W), "that is W itself; there is a shorter one.")
        lengths = np.sum(found**2), np.sum(right**2)
        raise Unknown(f"same probabilities, but its squares sum to {lengths[0]:.3f}; {lengths[1]:.3f} is possible.")
