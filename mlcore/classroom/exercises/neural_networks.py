"""The exercises of chapter 21: neural networks and autoencoders."""

import math

import numpy as np

from mlcore.classroom.exercises import Wrong, answer, expect, implement

_X = math.tanh(1.0)
_SLOPE = 2 * (-3 * _X - 1) * -3 * (1 - _X**2) * 2

answer(
    "21.1",
    hint="Forward first: what leaves the hidden unit, and what is s? Then back: which factors stand between e and w?",
    step="Forward: x = tanh(1), s = -3x. Back: δ of the output, 2(s - y), times v, times g', times the input.",
    right=_SLOPE, also_right=[round(_SLOPE, 2)], digits=2,
    mistakes={
        "the sign is turned: δ of the output is 2(s - y), not 2(y - s).": -_SLOPE,
        "half of it: is the 2 of the square there, and the input x = 2 by which the unit's δ is multiplied?":
            _SLOPE / 2,
        "both 2s are missing: that of the square, and the input x = 2.": _SLOPE / 4,
        "g' = 1 - tanh² of the hidden unit is missing.": _SLOPE / (1 - _X**2),
        "on its way back δ is multiplied by the weight v = -3.": _SLOPE / -3,
        "nearly: keep more digits on the way, and give two decimals.":
            [16.54, 16.63, lambda value: abs(value - _SLOPE) < 0.12],
    },
    also_wrong=[0.0],
)  # fmt: skip


def _back(delta, W, x, x_before, slope=lambda x: x * (1 - x), rows=len):
    own = (delta @ W.T) * slope(x)
    return own, x_before.T @ own / rows(x)


def _one_layer(rng):
    for n, a, b, c in ((6, 3, 4, 2), (1, 2, 5, 1), (9, 4, 3, 3)):
        delta, W = rng.normal(size=(n, c)), rng.normal(size=(b, c))
        yield delta, W, rng.uniform(0.05, 0.95, size=(n, b)), rng.normal(size=(n, a))


implement(
    "21.2",
    hint="(21.7) takes the δ one layer back, (21.6) makes slopes of them.",
    step="(21.7) with the slope x(1 - x) of a logistic unit; then (21.6) with x_before, and a mean over the rows.",
    right=_back, cases=_one_layer, asked="return two arrays: the δ, the slope by weights",
    parts=[
        ("the δ", "(δ of the next layer times Wᵀ) times x(1 - x), entry by entry."),
        ("the slope by the weights", "x_beforeᵀ times the δ, divided by n."),
    ],
    mistakes={
        "1 - x² is the slope of tanh; these are logistic.": {"slope": lambda x: 1 - x**2},
        "the slope g' of the units is missing: x(1 - x).": {"slope": np.ones_like},
        "x has left the unit already: its slope is x(1 - x), not σ(x)(1 - σ(x)).":
            {"slope": lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2},
        "that is the slope by the weights of layer l + 1, given to you.":
            lambda delta, W, x, x_before: (_back(delta, W, x, x_before)[0], x.T @ delta / len(x)),
        "the slope by the weights must have their shape: a row for each number that comes in.":
            lambda *given: (_back(*given)[0], _back(*given)[1].T),
        "that is the sum over the rows; divide by their number.": {"rows": lambda x: 1},
        "each row has a δ of its own: the mean over the rows is taken in the slope alone.":
            lambda delta, *rest: (_back(delta, *rest)[0] / len(delta), _back(delta, *rest)[1]),
    },
)  # fmt: skip


def _pulled(w, g, eta, kappa, pull=lambda w: 2 * w / (1 + w**2) ** 2):
    return w - eta * (g + kappa * pull(w))


implement(
    "21.3",
    hint="The penalty has a slope of its own. What is the derivative of w²/(1 + w²)?",
    step="The slope of w²/(1 + w²) is 2w/(1 + w²)². Times kappa it is added to g, and the step goes against the sum.",
    right=_pulled,
    cases=lambda rng: [
        (2 * rng.normal(size=n), rng.normal(size=n), eta, kappa)
        for n, eta, kappa in ((5, 0.1, 0.3), (8, 0.03, 2.0), (3, 0.2, 0.0))
    ],
    mistakes={
        "2w is the slope of weight decay, w².": {"pull": lambda w: 2 * w},
        "the denominator 1 + w² is squared: quotient rule.": {"pull": lambda w: 2 * w / (1 + w**2)},
        "the factor 2 is missing in the slope of Ω.": {"pull": lambda w: w / (1 + w**2) ** 2},
        "that adds Ω itself; its slope is needed.": {"pull": lambda w: w**2 / (1 + w**2)},
        "the learning rate is for the penalty's slope too.": lambda w, g, eta, kappa: _pulled(w, g, eta, kappa / eta),
        "the strength kappa is missing.": lambda w, g, eta, kappa: _pulled(w, g, eta, 1),
        "that is a step on J alone; add the penalty's slope.": lambda w, g, eta, kappa: _pulled(w, g, eta, 0),
        "that is a step on the penalty alone; add it to g.": lambda w, g, eta, kappa: _pulled(w, 0 * g, eta, kappa),
        "this goes uphill: subtract.": lambda w, g, eta, kappa: _pulled(w, g, -eta, kappa),
    },
)  # fmt: skip


def _too_narrow_or_too_wide(value):
    expect(value >= 8, f"{value:g} hidden units still lose more than 1.3 of the 13.")
    raise Wrong(f"{value:g} is enough, but not the smallest number that is.")


answer(
    "21.4",
    hint="Train for n_hidden from 6 on and look at loss_curve_[-1].",
    step="Autoencoder(n_hidden=k, ...) with all settings of the text and random_state=0, fitted to the standardised "
    "wines: which is the first k with loss_curve_[-1] <= 1.3?",
    right=8,
    mistakes={
        "a whole number from 1 to 13 is asked for.": [7.5, lambda value: value % 1 or not 1 <= value <= 13],
    },
    otherwise=_too_narrow_or_too_wide,
    also_wrong=[7, 9, 2, 13],
)


def _step(X, Y, W1, W2, eta, W2_back=None):
    """One step, δ of the hidden layer taken back over ``W2_back``."""
    hidden = np.tanh(X @ W1)
    delta_2 = 2 * (hidden @ W2 - Y)
    delta_1 = (delta_2 @ (W2 if W2_back is None else W2_back).T) * (1 - hidden**2)
    return W1 - eta * X.T @ delta_1 / len(X), W2 - eta * hidden.T @ delta_2 / len(X)


def _networks(rng):
    for n, d, k, m, eta in ((7, 3, 4, 2, 0.3), (5, 2, 3, 1, 0.5)):
        X, Y = rng.normal(size=(n, d)), rng.normal(size=(n, m))
        yield X, Y, rng.normal(size=(d, k)), rng.normal(size=(k, m)), eta


implement(
    "21.5",
    hint="Which W2 did the forward pass use, and which W2 does δ of the hidden layer use?",
    step="Compute both slopes before either of the two weights moves.",
    right=_step, cases=_networks, asked="return both: W1, W2",
    parts=[
        ("W1", "It moves by -eta times Xᵀδ₁ / n, with δ₁ = (δ₂W2ᵀ)(1 - hidden²)."),
        ("W2", "It moves by -eta times hiddenᵀδ₂ / n."),
    ],
    mistakes={
        "δ of the hidden layer still goes back over the *new* W2.": lambda *given: _step(*given, _step(*given)[1]),
        "W2's slope is taken after W1 has moved: compute both slopes first.":
            lambda X, Y, W1, W2, eta: (
                _step(X, Y, W1, W2, eta)[0], _step(X, Y, _step(X, Y, W1, W2, eta)[0], W2, eta)[1]
            ),
        "the steps are half as long: is the 2 of the square there, and the mean one over rows, not entries?":
            lambda X, Y, W1, W2, eta: _step(X, Y, W1, W2, eta / 2),
        "these are sums over the rows; divide by their number.":
            lambda X, Y, W1, W2, eta: _step(X, Y, W1, W2, eta * len(X)),
        "W1 has not moved.": lambda X, Y, W1, *rest: (W1, _step(X, Y, W1, *rest)[1]),
    },
)  # fmt: skip
