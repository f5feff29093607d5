"""The warm-up exercises of chapter 0: how answering works."""

import numpy as np

from mlcore.classroom.exercises import answer, implement

answer(
    "0.1",
    hint="Move the slope slider until the number under the picture is as small as it gets.",
    step="Set the intercept to 0.4. Then click the slope slider and take single steps with the arrow keys, until "
    "the total grows on either side.",
    right=0.8,  # the best slope is 43.6 / 55 = 0.793; the steps of the slider are 0.05
    atol=0.02, also_right=[0.793, np.array([0.8])],
    mistakes={
        "the points rise to the right, so the slope is positive.": -0.8,
        "too flat: the line passes under the points on the right. Try a larger slope.": lambda slope: slope <= 0.5,
        "too steep. Watch the total squared error while you make the slope smaller.": lambda slope: slope >= 1.1,
        "close, but the total can still get smaller. Use the arrow keys for small steps.": lambda slope: True,
    },
    also_wrong=[0.0, 1.0],
)  # fmt: skip

implement(
    "0.2",
    hint="Read the formula from the inside out: what happens to each value, then to all of them, then to the one "
    "number that is left?",
    step="Square the values, take their mean, then the square root: np.mean, np.sqrt.",
    right=lambda values: np.sqrt(np.mean(values**2)),
    also_right=[lambda values: np.sqrt(np.mean(values**2, keepdims=True))],
    cases=lambda rng: [(np.array([3.0, 4.0]),), (rng.normal(size=7),), (np.array([-2.0]),)],
    mistakes={
        "the square root is missing.": lambda values: np.mean(np.asarray(values) ** 2),
        "that is the length of the vector: take the mean, not the sum.": np.linalg.norm,
    },
    otherwise=lambda value, wanted, values: (
        f"for {np.round(values, 2).tolist()} it should be {wanted:.4f}, yours gives {value:.4f}."
    ),
    also_wrong=[np.mean, 3.0],
)  # fmt: skip
