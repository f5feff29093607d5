"""The warm-up exercises of chapter 0: how answering works."""

import numpy as np

from mlcore.classroom.exercises import Unknown, Wrong, array, call, close, exercise, expect, number


@exercise(
    "0.1",
    hint="Move the slope slider until the number under the picture is as small as it gets.",
    step="Set the intercept to 0.4. Then click the slope slider and take single steps with the arrow keys, until "
    "the total grows on either side.",
    wrong=[0.0, 1.0, -0.8],
    right=[0.793, np.array([0.8]), 43.6 / 55],
)
def best_slope_by_eye(answer):
    """The best slope is 43.6 / 55 = 0.793; on the slider, whose steps are 0.05, it is 0.8."""
    value = number(answer)
    if close(value, -0.8):
        raise Wrong("the points rise to the right, so the slope is positive.")
    expect(value > 0.5, "too flat: the line passes under the points on the right. Try a larger slope.")
    expect(value < 1.1, "too steep. Watch the total squared error while you make the slope smaller.")
    expect(abs(value - 0.8) < 0.02, "close, but the total can still get smaller. Use the arrow keys for small steps.")


def _without_root(values):
    return np.mean(np.asarray(values) ** 2)


def _forgets_to_divide(values):
    return np.sqrt(np.sum(np.asarray(values) ** 2))


@exercise(
    "0.2",
    hint="Read the formula from the inside out: what happens to each value, then to all of them, then to the one "
    "number that is left?",
    step="Square the values, take their mean, then the square root: np.mean, np.sqrt.",
    wrong=[_without_root, _forgets_to_divide, np.mean, 3.0],
    right=[
        lambda values: np.sqrt(np.mean(values**2, keepdims=True)),
        lambda values: float(np.sqrt(values @ values / len(values))),
    ],
)
def root_mean_square(answer):
    """Root mean square of an array: sqrt(mean(x²))."""
    rng = np.random.default_rng(1)
    for values in (np.array([3.0, 4.0]), rng.normal(size=7), np.array([-2.0])):
        result = array(number(call(answer, values)))
        expect(
            not close(result, _without_root(values)) or close(_without_root(values), 1), "the square root is missing."
        )
        if len(values) > 1:
            expect(
                not close(result, _forgets_to_divide(values)),
                "that is the length of the vector: take the mean, not the sum.",
            )
        if not close(result, np.sqrt(np.mean(values**2))):
            raise Unknown(
                f"for {np.round(values, 2).tolist()} it should be {np.sqrt(np.mean(values**2)):.4f}, "
                f"yours gives {float(result):.4f}."
            )
