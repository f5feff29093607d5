"""Graders of chapter 2, linear regression and gradient descent."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number, part
from mlcore.linear_regression import Ridge


# ---------------------------------------------------------------------------------------------------------------
# 2.1 a gradient by hand
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "2.1",
    hint="By the chain rule each point adds its error times an inner derivative. What is the inner one, with "
    "respect to w?",
    step="The error of each point is prediction minus target, here 0 and -1. Multiply it by x and add up over the "
    "two points.",
    wrong=[2.0, -1.0, 0.5, -4.0, 1.0],
    right=[-2, np.array([-2.0]), np.array([[-2.0]])],
)
def slope_gradient(answer):
    """∂J/∂w of J = ½ Σ (w x + b - y)² at w = 1, b = 0 for (1, 1), (2, 3): 0 · 1 + (-1) · 2 = -2."""
    value = number(answer)
    if close(value, 2.0):
        raise Wrong("the sign is turned: the error is prediction minus target, here 2 - 3.")
    if close(value, -1.0):
        raise Wrong("that is the derivative with respect to b, or the mean; each error has to be multiplied by its x.")
    if close(value, 0.5):
        raise Wrong("that is the value of J itself, not its derivative.")
    if close(value, -4.0):
        raise Wrong("the ½ in J takes away the 2 that comes from the square.")
    expect(close(value, -2.0))


# ---------------------------------------------------------------------------------------------------------------
# 2.2 ridge regression
# ---------------------------------------------------------------------------------------------------------------
def _flat(answer, size):
    """An array of so many numbers; a column will do."""
    values = array(answer)
    return array(values.ravel() if values.size == size else values, (size,))


def _number_instead_of_identity(X, y, alpha):
    return np.linalg.lstsq(X.T @ X + alpha, X.T @ y, rcond=None)[0]


def _no_penalty(X, y, alpha):
    return np.linalg.lstsq(X, y, rcond=None)[0]


def _times_n(X, y, alpha):
    return np.linalg.solve(X.T @ X + len(X) * alpha * np.eye(X.shape[1]), X.T @ y)


def _subtracts(X, y, alpha):
    return np.linalg.lstsq(X.T @ X - alpha * np.eye(X.shape[1]), X.T @ y, rcond=None)[0]


@exercise(
    "2.2",
    hint="Set the gradient of the objective to zero. Which matrix stands before w?",
    step="Solve (XᵀX + αI) w = Xᵀy with np.linalg.solve; np.eye(d) is the identity.",
    wrong=[_number_instead_of_identity, _no_penalty, _times_n, _subtracts, lambda X, y, alpha: np.zeros(X.shape[1])],
    right=[
        lambda X, y, alpha: np.linalg.inv(X.T @ X + alpha * np.eye(X.shape[1])) @ X.T @ y,
        lambda X, y, alpha: X.T @ np.linalg.solve(X @ X.T + alpha * np.eye(len(X)), y),
        lambda X, y, alpha: np.linalg.solve(X.T @ X + alpha * np.eye(X.shape[1]), X.T @ y[:, np.newaxis]),
        lambda X, y, alpha: Ridge(alpha=alpha, fit_intercept=False).fit(X, y).coef_.tolist(),
    ],
)
def ridge_weights(answer):
    """Ridge weights without an intercept, for several shapes, more columns than rows included."""
    rng = np.random.default_rng(2)
    for n, d, alpha in ((20, 3, 0.7), (5, 8, 2.0), (12, 1, 10.0), (30, 4, 1e-3)):
        X, y = rng.normal(size=(n, d)), rng.normal(size=n)
        right = Ridge(alpha=alpha, fit_intercept=False).fit(X, y).coef_
        result = _flat(call(answer, X, y, alpha), d)
        if close(result, right, 1e-6, 1e-8):
            continue
        for mistake, hint in (
            (_number_instead_of_identity, "adding a number to a matrix adds it to every entry: αI, not α."),
            (_no_penalty, "this is plain least squares: where is the penalty?"),
            (_times_n, "the loss here is the sum of squares, so α is not multiplied by n."),
            (_subtracts, "the penalty is added to XᵀX."),
        ):
            if close(result, mistake(X, y, alpha), 1e-6, 1e-8):
                raise Wrong(hint)
        raise Unknown(
            f"for n = {n}, d = {d}, alpha = {alpha} the first weight should be {right[0]:.4f}, not {result[0]:.4f}."
        )


# ---------------------------------------------------------------------------------------------------------------
# 2.3 the largest step
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "2.3",
    hint="Which eigenvalue limits the step, and what stands above it?",
    step="In the eigendirection of λ the distance is multiplied by 1 - ηλ in each step. For which η does that lie "
    "between -1 and 1, for both λ?",
    wrong=[0.25, 4.0, 1.0, 2.0, 0.125],
    right=[1 / 2, np.array([0.5])],
)
def largest_learning_rate(answer):
    """Eigenvalues of XᵀX / n are 4 and 0.5: the limit for the mean loss is 2 / 4."""
    value = number(answer)
    if close(value, 0.25):
        raise Wrong("1/λ_max is a good step, but up to twice that still converges.")
    if close(value, 4.0):
        raise Wrong("that is 2 divided by the smallest eigenvalue; the steepest direction sets the limit.")
    expect(not close(value, 2.0), "2 alone would be the limit for λ_max = 1.")
    expect(close(value, 0.5))


# ---------------------------------------------------------------------------------------------------------------
# 2.4 find the bug
# ---------------------------------------------------------------------------------------------------------------
def _right_step(x, y, w, b, rate):
    error = w * x + b - y
    return w - rate * np.mean(error * x), b - rate * np.mean(error)


def _one_after_the_other(x, y, w, b, rate):
    w = w - rate * np.mean((w * x + b - y) * x)
    b = b - rate * np.mean(w * x + b - y)
    return w, b


def _the_other_way_round(x, y, w, b, rate):
    b = b - rate * np.mean(w * x + b - y)
    w = w - rate * np.mean((w * x + b - y) * x)
    return w, b


def _uphill(x, y, w, b, rate):
    error = w * x + b - y
    return w + rate * np.mean(error * x), b + rate * np.mean(error)


def _summed(x, y, w, b, rate):
    error = w * x + b - y
    return w - rate * np.sum(error * x), b - rate * np.sum(error)


def _twice(x, y, w, b, rate):
    error = w * x + b - y
    return w - 2 * rate * np.mean(error * x), b - 2 * rate * np.mean(error)


@exercise(
    "2.4",
    hint="Print w and b after one step from (0, 0), and compute both by hand. Which one differs, and why?",
    step="Which w does the line that moves b use? Compute the errors once, before either of the two moves.",
    wrong=[_one_after_the_other, _the_other_way_round, _uphill, _summed, _twice, lambda x, y, w, b, rate: (w, b)],
    right=[
        lambda x, y, w, b, rate: np.array(_right_step(x, y, w, b, rate)),
        lambda x, y, w, b, rate: np.array(_right_step(x, y, w, b, rate))[:, np.newaxis],
    ],
)
def simultaneous_step(answer):
    """One step of gradient descent on the mean loss: both parameters move from the same point."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        x, y = rng.normal(size=(2, 9))
        w, b, rate = rng.normal(), rng.normal(), rng.uniform(0.1, 0.5)
        right = np.array(_right_step(x, y, w, b, rate))
        result = _flat(call(answer, x, y, w, b, rate), 2)
        if close(result, right):
            continue
        for mistake, hint in (
            (_one_after_the_other, "b is still computed with the new w. Compute the errors once, with the old ones."),
            (_the_other_way_round, "now w is computed with the new b. Compute the errors once, with the old w and b."),
            (_uphill, "this steps uphill: the gradient points to where the loss grows."),
            (_summed, "the loss is the mean over the points, so is its gradient."),
            (_twice, "the ½ in the loss takes away the 2 that comes from the square."),
        ):
            if close(result, np.array(mistake(x, y, w, b, rate))):
                raise Wrong(hint)
        raise Unknown(
            f"one step should lead to ({right[0]:.4f}, {right[1]:.4f}), yours to ({result[0]:.4f}, {result[1]:.4f})."
        )


# ---------------------------------------------------------------------------------------------------------------
# 2.5 an experiment
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "2.5",
    hint="Set n = 10 and the smallest penalty in the explorer, and step through the degrees from 0 to 9.",
    step="Note the error on new points, not that on the ten, for each degree: it falls, then it rises.",
    wrong=[9, 0, 1, 2.5],
    right=[3.0, np.int64(3), np.array([3])],
)
def best_degree(answer):
    """Of the degrees 0 to 9 without a penalty, 3 has the least test error on the ten points."""
    value = number(answer)
    expect(value == int(value) and 0 <= value <= 9, "a degree from 0 to 9 is asked for.")
    if value == 9:
        raise Wrong("degree 9 has no training error at all; look at the error on new points.")
    expect(value >= 3, "a curve of that degree cannot bend twice as the sine does; try the next ones.")
    expect(value == 3, "the error on new points is smaller for a lower degree.")


# ---------------------------------------------------------------------------------------------------------------
# 2.6 soft threshold
# ---------------------------------------------------------------------------------------------------------------
@exercise(
    "2.6",
    hint="Sketch ½(w - z)² + α|w| for each z, with α = 1, or use the soft threshold of section 8.",
    step="For w > 0 the derivative is w - z + 1, for w < 0 it is w - z - 1. Is either of them zero on its own side? "
    "If not, the corner has the least value.",
    wrong=[(0.7, -3.0), (-0.3, -4.0), (0.35, -1.5), (0.0, -3.0), (0.0, 2.0)],
    right=[[0, -2], np.array([[0.0], [-2.0]]), (-0.0, -2.0)],
)
def shrunk(answer):
    """argmin ½(w - z)² + |w| for z = 0.7 and z = -3 is (0, -2)."""
    first, second = _flat(answer, 2)
    if close([first, second], [0.35, -1.5]):
        raise Wrong("that is what the squared penalty does: it divides by 1 + α and never reaches 0.")
    if close([first, second], [0.7, -3.0]):
        raise Wrong("those are the minimisers without a penalty.")
    part(
        close(first, 0.0),
        "the first",
        "With z = 0.7, which sign has the derivative just left and just right of the corner?",
    )
    expect(not close(second, -3.0), "a value beyond the threshold is shrunk too, by α.")
    part(close(second, -2.0), "the second", "Shrink towards zero by α and keep the sign.")
