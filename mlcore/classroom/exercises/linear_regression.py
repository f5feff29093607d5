"""Graders of chapter 2, linear regression and gradient descent."""

import numpy as np

from mlcore.classroom.exercises import answer, expect, implement
from mlcore.linear_regression import Ridge

answer(
    "2.1",
    hint="By the chain rule each point adds its error times an inner derivative. What is the inner one, with "
    "respect to w?",
    step="The error of each point is prediction minus target, here 0 and -1. Multiply it by x and add up over the "
    "two points.",
    right=0 * 1 + (-1) * 2,
    mistakes={
        "the sign is turned: the error is prediction minus target, here 2 - 3.": 2.0,
        "that is the derivative with respect to b, or the mean; each error has to be multiplied by its x.": -1.0,
        "that is the value of J itself, not its derivative.": 0.5,
        "the ½ in J takes away the 2 that comes from the square.": -4.0,
    },
    also_wrong=[1.0],
)  # fmt: skip


def _ridge(X, y, alpha, penalty=lambda alpha, n, d: alpha * np.eye(d)):
    return np.linalg.lstsq(X.T @ X + penalty(alpha, *X.shape), X.T @ y, rcond=None)[0]


def _tables(_):
    """Of several shapes, more columns than rows included."""
    rng = np.random.default_rng(2)
    for n, d, alpha in ((20, 3, 0.7), (7, 8, 2.0), (12, 1, 10.0), (30, 4, 1e-3)):
        yield rng.normal(size=(n, d)), rng.normal(size=n), alpha


def _other_weights(w, wanted, X, y, alpha):
    plain = "this is plain least squares: where is the penalty?"  # by an inverse, which the wide table does not have
    expect(not np.allclose(w, _ridge(X, y, 0), rtol=1e-6, atol=1e-8), plain)
    return (
        f"for n = {len(X)}, d = {X.shape[1]}, alpha = {alpha} the first weight should be {wanted[0]:.4f}, "
        f"not {w[0]:.4f}."
    )


implement(
    "2.2",
    hint="Set the gradient of the objective to zero. Which matrix stands before w?",
    step="Solve (XᵀX + αI) w = Xᵀy with np.linalg.solve; np.eye(d) is the identity.",
    right=_ridge, atol=1e-8, cases=_tables,
    mistakes={
        "adding a number to a matrix adds it to every entry: αI, not α.": {"penalty": lambda alpha, n, d: alpha},
        "this is plain least squares: where is the penalty?": {"penalty": lambda alpha, n, d: 0},
        "the loss here is the sum of squares, so α is not multiplied by n.":
            {"penalty": lambda alpha, n, d: n * alpha * np.eye(d)},
        "the penalty is added to XᵀX.": {"penalty": lambda alpha, n, d: -alpha * np.eye(d)},
    },
    otherwise=_other_weights,
    also_right=[
        lambda X, y, alpha: Ridge(alpha=alpha, fit_intercept=False).fit(X, y).coef_,
        lambda X, y, alpha: X.T @ np.linalg.solve(X @ X.T + alpha * np.eye(len(X)), y),
    ],
    also_wrong=[lambda X, y, alpha: np.zeros(X.shape[1])],
)  # fmt: skip

answer(
    "2.3",
    hint="Which eigenvalue limits the step, and what stands above it?",
    step="In the eigendirection of λ the distance is multiplied by 1 - ηλ in each step. For which η does that lie "
    "between -1 and 1, for both λ?",
    right=2 / 4,  # the eigenvalues of XᵀX / n are 4 and 0.5
    mistakes={
        "1/λ_max is a good step, but up to twice that still converges.": 0.25,
        "that is 2 divided by the smallest eigenvalue; the steepest direction sets the limit.": 4.0,
        "2 alone would be the limit for λ_max = 1.": 2.0,
    },
    also_wrong=[1.0, 0.125],
)  # fmt: skip


def _moved(x, y, w, b, rate, factor=1, over=np.mean):
    error = w * x + b - y
    return w - factor * rate * over(error * x), b - factor * rate * over(error)


def _lines(_):
    rng = np.random.default_rng(3)
    for _ in range(5):
        yield *rng.normal(size=(2, 9)), rng.normal(), rng.normal(), rng.uniform(0.1, 0.5)


implement(
    "2.4",
    hint="Print w and b after one step from (0, 0), and compute both by hand. Which one differs, and why?",
    step="Which w does the line that moves b use? Compute the errors once, before either of the two moves.",
    right=_moved, cases=_lines,
    mistakes={
        "b is still computed with the new w. Compute the errors once, with the old ones.":
            lambda x, y, w, b, rate: ((new := _moved(x, y, w, b, rate)[0]), _moved(x, y, new, b, rate)[1]),
        "now w is computed with the new b. Compute the errors once, with the old w and b.":
            lambda x, y, w, b, rate: (_moved(x, y, w, (new := _moved(x, y, w, b, rate)[1]), rate)[0], new),
        "this steps uphill: the gradient points to where the loss grows.": {"factor": -1},
        "the loss is the mean over the points, so is its gradient.": {"over": np.sum},
        "the ½ in the loss takes away the 2 that comes from the square.": {"factor": 2},
    },
    otherwise=lambda got, wanted, *case: (
        f"one step should lead to ({wanted[0]:.4f}, {wanted[1]:.4f}), yours to ({got[0]:.4f}, {got[1]:.4f})."
    ),
    also_wrong=[lambda x, y, w, b, rate: (w, b)],
)  # fmt: skip

answer(
    "2.5",
    hint="Set n = 10 and the smallest penalty in the explorer, and step through the degrees from 0 to 9.",
    step="Note the error on new points, not that on the ten, for each degree: it falls, then it rises.",
    right=3,
    mistakes={
        "degree 9 has no training error at all; look at the error on new points.": 9,
        "a degree from 0 to 9 is asked for.": lambda degree: degree not in range(10),
        "a curve of that degree cannot bend twice as the sine does; try the next ones.": [0, 1, 2],
        "the error on new points is smaller for a lower degree.": [4, 5, 6, 7, 8],
    },
    also_wrong=[2.5],
)  # fmt: skip

answer(
    "2.6",
    hint="Sketch ½(w - z)² + α|w| for each z, with α = 1, or use the soft threshold of section 8.",
    step="For w > 0 the derivative is w - z + 1, for w < 0 it is w - z - 1. Is either of them zero on its own side? "
    "If not, the corner has the least value.",
    right=[0, -2],
    parts=[
        ("the first", "With z = 0.7, which sign has the derivative just left and just right of the corner?"),
        ("the second", "Shrink towards zero by α and keep the sign."),
    ],
    mistakes={
        "that is what the squared penalty does: it divides by 1 + α and never reaches 0.": (0.35, -1.5),
        "those are the minimisers without a penalty.": (0.7, -3.0),
        "a value beyond the threshold is shrunk too, by α.": (None, -3.0),
    },
    also_wrong=[(-0.3, -4.0), (0.0, 2.0)],
)  # fmt: skip
