"""Graders of chapter 3, logistic regression."""

import math

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


# ---------------------------------------------------------------------------------------------------------------
# 3.1 odds
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "3.1",
    hint="Log-odds: what are the odds of an event? (Their logarithm is the score z of the model.)",
    step="The odds are p / (1 - p); take their natural logarithm, np.log.",
    wrong=[4.0, 0.8, 0.60206, -1.386294, 0.25, 2.0, 1.0],
    right=[np.log(4), 1.386, 1.3863],
)
def log_odds(answer):
    """ln(0.8 / 0.2) = ln 4."""
    value = number(answer)
    if close(value, 4.0, 1e-3):
        raise Wrong("those are the odds; the question asks for their logarithm.")
    if close(value, 0.60206, 1e-3):
        raise Wrong("that is the logarithm to base 10; take the natural one.")
    if close(value, 2.0, 1e-3):
        raise Wrong("that is the logarithm to base 2; take the natural one.")
    if close(value, -1.386294, 1e-3):
        raise Wrong("the odds are upside down: the probability *for* stands above.")
    expect(abs(value - 1.3862943611) < 5e-4)


# ---------------------------------------------------------------------------------------------------------------
# 3.2 a gradient by hand
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "3.2",
    hint="The gradient of one sample is miss times input. What does the model predict at w = b = 0?",
    step="The prediction is g(0), which is not 0. Take prediction minus label, times x.",
    wrong=[1.0, -0.5, -2.0, 0.5, 0.0],
    right=[-1, -1.0],
)
def one_gradient(answer):
    """x = 2, y = 1, w = b = 0: the derivative of the loss in w is (0.5 - 1) · 2 = -1."""
    value = number(answer)
    if close(value, 1.0):
        raise Wrong("that is the derivative of the log-likelihood; the loss is its negative.")
    if close(value, -0.5):
        raise Wrong("that is the derivative in b; for w the miss is multiplied by x.")
    if close(value, -2.0):
        raise Wrong("g(0) is one half, not 0.")
    expect(close(value, -1.0))


# ---------------------------------------------------------------------------------------------------------------
# 3.3 a loss that does not overflow
# ---------------------------------------------------------------------------------------------------------------
def _naive(y, z):
    with np.errstate(all="ignore"):
        p = 1 / (1 + np.exp(-z))
        return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def _clipped(y, z):
    with np.errstate(all="ignore"):
        p = np.clip(1 / (1 + np.exp(-z)), 1e-15, 1 - 1e-15)
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def _right(y, z):
    return np.sum(np.logaddexp(0, z) - y * z)


def _by_signs(y, z):
    return np.logaddexp(0, (1 - 2 * y) * z).sum(keepdims=True)


def _row_by_row(y, z):
    return sum(max(z_i, 0.0) - y_i * z_i + math.log1p(math.exp(-abs(z_i))) for y_i, z_i in zip(y, z, strict=True))


def _turned(y, z):
    return -_right(y, z)


def _mean(y, z):
    return np.mean(np.logaddexp(0, z) - y * z)


def _large_above(y, z):
    return np.sum(np.where(y == 1, np.logaddexp(0, -z), np.log1p(np.exp(z))))


def _large_below(y, z):
    return np.sum(np.where(y == 1, np.logaddexp(0, -z), z + np.log1p(np.exp(-z))))


@exercise(
    "3.3",
    hint="Write the loss of one sample with its score z alone, without g(z). Which exponential can overflow?",
    step="The loss of one sample is ln(1 + e^z) - y z; np.logaddexp(0, z) is its first part, for every z.",
    wrong=[_naive, _clipped, _turned, _mean, _large_above, _large_below, lambda y, z: 0.0],
    right=[_right, _by_signs, _row_by_row],
)
def stable_loss(answer):
    """The summed log-loss from scores, right also where a probability rounds to 0 or 1."""
    rng = np.random.default_rng(3)
    small = (rng.integers(0, 2, 8).astype(float), rng.normal(size=8))
    large = (np.array([1.0, 0.0, 1.0, 0.0, 0.0]), np.array([-1e4, 40.0, 1e4, 1e4, -1e4]))
    for y, z in (small, large):
        with np.errstate(all="ignore"):
            result = np.asarray(call(answer, y, z), dtype=float)
        expect(result.size == 1, f"one number is asked for, yours has shape {result.shape}: add up over the samples.")
        expect(
            np.isfinite(result).all(),
            "for a score of 10000 yours is NaN or infinite: an exponential overflowed, or g(z) rounded to 0 or 1.",
        )
        if close(result.reshape(()), _right(y, z)):
            continue
        if close(result.reshape(()), _turned(y, z)):
            raise Wrong("that is the log-likelihood; the loss is its negative, and never below 0.")
        if close(result.reshape(()), _mean(y, z)):
            raise Wrong("that is the mean over the samples; the sum is asked for.")
        if y is large[0]:
            raise Wrong("for large scores it is wrong: clipping the probabilities hides how wrong the model is.")
        raise Unknown(
            f"for eight samples it should be {_right(y, z):.4f}, yours gives {float(result.reshape(())):.4f}."
        )


# ---------------------------------------------------------------------------------------------------------------
# 3.4 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _parts(X, y, theta):
    p = 1 / (1 + np.exp(-X @ theta))
    return X.T @ (p - y), X.T @ ((p * (1 - p))[:, None] * X)


def _newton_right(X, y, theta):
    gradient, hessian = _parts(X, y, theta)
    return theta - np.linalg.solve(hessian, gradient)


def _reweighted(X, y, theta):
    p = 1 / (1 + np.exp(-X @ theta))
    root = np.sqrt(p * (1 - p))
    return np.linalg.lstsq(root[:, None] * X, root * (X @ theta - (p - y) / root**2), rcond=None)[0]


def _newton_buggy(X, y, theta):
    gradient, hessian = _parts(X, y, theta)
    return theta + np.linalg.solve(hessian, gradient)


def _gradient_only(X, y, theta):
    return theta - _parts(X, y, theta)[0]


def _no_weights(X, y, theta):
    return theta - np.linalg.solve(X.T @ X, _parts(X, y, theta)[0])


@exercise(
    "3.4",
    hint="Take one step from θ = 0 and compare the loss before and after. Of which function is the gradient?",
    step="Here both the gradient and the Hessian are those of the loss. Which way does the loss fall?",
    wrong=[_newton_buggy, _gradient_only, _no_weights, lambda X, y, theta: theta],
    right=[_newton_right, _reweighted],
)
def newton_step(answer):
    """One Newton step for the loss: minus the inverse of its (positive) Hessian times its gradient."""
    rng = np.random.default_rng(4)
    for n, d in ((12, 2), (30, 4), (9, 1)):
        X, theta = rng.normal(size=(n, d)), 0.3 * rng.normal(size=d)
        y = (rng.random(n) < 0.5).astype(float)
        right = _newton_right(X, y, theta)
        result = array(call(answer, X, y, theta), (d,))
        if close(result, right, 1e-6):
            continue
        for mistake, hint in (
            (_newton_buggy, "it still steps uphill: gradient and Hessian must belong to the same function."),
            (_gradient_only, "that is a step of gradient descent; divide by the curvature: solve with the Hessian."),
            (_no_weights, "the Hessian is XᵀRX with R = diag(p (1 - p)), not XᵀX."),
        ):
            if close(result, mistake(X, y, theta), 1e-6):
                raise Wrong(hint)
        raise Unknown(f"the first entry should be {right[0]:.4f}, yours is {result[0]:.4f}.")


# ---------------------------------------------------------------------------------------------------------------
# 3.5 an experiment
# ---------------------------------------------------------------------------------------------------------------
_GROWTH = 1.256522, 1.274397  # of the length of w, from α = 1e-5 to 1e-6 and on to 1e-7


@exercise(
    "3.5",
    hint="Three fits give three lengths of w. By how much is each longer than the one before?",
    step="np.linalg.norm(lg.LogisticRegression(alpha=a).fit(X_35, y_35).coef_) is one length, without the "
    "intercept. Subtract from each the one before.",
    wrong=[
        (0.0, 0.0), (6.624943, 7.881465), (7.881465, 9.155862), (1.189666, 1.161698), (1.274397, 1.256522),
        (-1.256522, -1.274397), (1.230166, 1.256522), (1.0, 1.0), 1.256522,
    ],
    right=[_GROWTH, [1.26, 1.27], np.array([1.257, 1.274])],
)
def growth_without_penalty(answer):
    """On separable data each factor of ten in the penalty adds nearly the same length to w, for ever."""
    value = array(answer, (2,))

    def is_near(pair):
        return bool(np.all(np.abs(value - np.array(pair)) < 6e-3))

    if np.abs(value).max() < 1e-6:
        raise Wrong("that would mean that w stands still; print the three lengths.")
    if (value < 0).all():
        raise Wrong("the length grows as the penalty falls: take the later length minus the earlier one.")
    for mistake, hint in (
        ((6.624943, 7.881465), "those are lengths; the question asks by how much they grow."),
        ((7.881465, 9.155862), "those are lengths; the question asks by how much they grow."),
        ((1.189666, 1.161698), "those are ratios of lengths; take differences."),
        (_GROWTH[::-1], "the order is turned: first from 1e-5 to 1e-6, then from 1e-6 to 1e-7."),
        ((1.230166, 1.256522), "that is one step too early: begin with the fit at 1e-5."),
    ):
        if is_near(mistake) and not is_near(_GROWTH):
            raise Wrong(hint)
    expect(is_near(_GROWTH))


# ---------------------------------------------------------------------------------------------------------------
# 3.6 the price of a wrong belief
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "3.6",
    hint="The divergence is an average of logarithms. Over which of the two distributions?",
    step="Add p ln(p / q) over both outcomes; the first one gives 0.5 ln(0.5 / 0.9).",
    wrong=[0.368064, 1.203973, 0.736966, -0.510826, 0.693147, 0.0],
    right=[0.510826, 0.511, 0.5108],
)
def coin_divergence(answer):
    """KL((0.5, 0.5) ‖ (0.9, 0.1)) = 0.5 ln(0.5/0.9) + 0.5 ln(0.5/0.1)."""
    value = number(answer)
    for mistake, hint in (
        (0.368064, "that is KL(q‖p): the roles are exchanged."),
        (1.203973, "that is the cross-entropy; take off the entropy of p."),
        (0.736966, "that is in bits; take the natural logarithm."),
        (0.693147, "that is the entropy of p."),
    ):
        if abs(value - mistake) < 5e-4:
            raise Wrong(hint)
    expect(value >= 0, "a divergence is never negative: p stands above q in the logarithm.")
    expect(abs(value - 0.5108256) < 5e-4)
