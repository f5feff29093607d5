"""Graders of chapter 21, neural networks and autoencoders."""

import math

import numpy as np

from mlcore.classroom.exercises import array, call, close, exercise, expect, number, part

_X = math.tanh(1.0)
_SLOPE = 2 * (-3 * _X - 1) * -3 * (1 - _X**2) * 2


@exercise(
    "21.1",
    hint="Forward first: what leaves the hidden unit, and what is s? Then back: which factors stand between e and w?",
    step="Forward: x = tanh(1), s = -3x. Back: δ of the output, 2(s - y), times v, times g', times the input.",
    wrong=[_SLOPE / 2, -_SLOPE, _SLOPE / 4, _SLOPE / (1 - _X**2), _SLOPE / -3, 0.0],
    right=[_SLOPE, round(_SLOPE, 2), round(_SLOPE, 1)],
)  # fmt: skip
def one_weight(answer):
    """2(s - y) v g' x."""
    value = number(answer)
    expect(not close(value, -_SLOPE, rtol=2e-3), "the sign is turned: δ of the output is 2(s - y), not 2(y - s).")
    expect(
        not close(value, _SLOPE / 2, rtol=2e-3),
        "half of it: is the 2 of the square there, and the input x = 2 by which the unit's δ is multiplied?",
    )
    expect(not close(value, _SLOPE / 4, rtol=2e-3), "both 2s are missing: that of the square, and the input x = 2.")
    expect(not close(value, _SLOPE / (1 - _X**2), rtol=2e-3), "g' = 1 - tanh² of the hidden unit is missing.")
    expect(not close(value, _SLOPE / -3, rtol=2e-3), "on its way back δ is multiplied by the weight v = -3.")
    expect(abs(value - _SLOPE) < 0.06)


def _back(delta, W, x, x_before, slope=lambda x: x * (1 - x), mean=True):
    own = (delta @ W.T) * slope(x)
    return own, x_before.T @ own / (len(x) if mean else 1)


def _tanh_slope(delta, W, x, x_before):
    return _back(delta, W, x, x_before, slope=lambda x: 1 - x**2)


def _no_slope(delta, W, x, x_before):
    return _back(delta, W, x, x_before, slope=np.ones_like)


def _bent_twice(delta, W, x, x_before):
    return _back(delta, W, x, x_before, slope=lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2)


def _summed(delta, W, x, x_before):
    return _back(delta, W, x, x_before, mean=False)


def _next_slope(delta, W, x, x_before):
    return _back(delta, W, x, x_before)[0], x.T @ delta / len(x)


def _turned(delta, W, x, x_before):
    own, slope = _back(delta, W, x, x_before)
    return own, slope.T


@exercise(
    "21.2",
    hint="(21.7) takes the δ one layer back, (21.6) makes slopes of them.",
    step="(21.7) with the slope x(1 - x) of a logistic unit; then (21.6) with x_before, and a mean over the rows.",
    wrong=[_tanh_slope, _no_slope, _bent_twice, _summed, _next_slope, _turned, 0.5],
)
def one_layer_backward(answer):
    """(δWᵀ) x(1 - x), and x_beforeᵀδ / n."""
    rng = np.random.default_rng(212)
    for n, a, b, c in ((6, 3, 4, 2), (1, 2, 5, 1), (9, 4, 3, 3)):
        delta, W = rng.normal(size=(n, c)), rng.normal(size=(b, c))
        x, x_before = rng.uniform(0.05, 0.95, size=(n, b)), rng.normal(size=(n, a))
        given = call(answer, delta, W, x, x_before)
        expect(isinstance(given, tuple | list) and len(given) == 2, "return two arrays: the δ, the slope by weights.")
        own, slope = array(given[0], (n, b)), np.asarray(given[1], dtype=float)
        right, right_slope = _back(delta, W, x, x_before)
        expect(
            not close(own, _tanh_slope(delta, W, x, x_before)[0]), "1 - x² is the slope of tanh; these are logistic."
        )
        expect(not close(own, _no_slope(delta, W, x, x_before)[0]), "the slope g' of the units is missing: x(1 - x).")
        expect(
            not close(own, _bent_twice(delta, W, x, x_before)[0]),
            "x has left the unit already: its slope is x(1 - x), not σ(x)(1 - σ(x)).",
        )
        part(close(own, right), "the δ", "(δ of the next layer times Wᵀ) times x(1 - x), entry by entry.")
        if slope.shape == (b, c):
            expect(not close(slope, x.T @ delta / n), "that is the slope by the weights of layer l + 1, given to you.")
        expect(
            slope.shape == (a, b),
            f"the slope by the weights must have their shape, {(a, b)}: a row for each number that comes in; "
            f"yours has {slope.shape}.",
        )
        expect(n == 1 or not close(slope, n * right_slope), "that is the sum over the rows; divide by their number.")
        part(close(slope, right_slope), "the slope by the weights", "x_beforeᵀ times the δ, divided by n.")


def _step(w, g, eta, kappa, pull=lambda w: 2 * w / (1 + w**2) ** 2):
    return w - eta * (g + kappa * pull(w))


def _decay(w, g, eta, kappa):
    return _step(w, g, eta, kappa, lambda w: 2 * w)


def _not_squared(w, g, eta, kappa):
    return _step(w, g, eta, kappa, lambda w: 2 * w / (1 + w**2))


def _no_two(w, g, eta, kappa):
    return _step(w, g, eta, kappa, lambda w: w / (1 + w**2) ** 2)


def _value(w, g, eta, kappa):
    return _step(w, g, eta, kappa, lambda w: w**2 / (1 + w**2))


def _uphill(w, g, eta, kappa):
    return w + eta * (g + kappa * 2 * w / (1 + w**2) ** 2)


def _no_kappa(w, g, eta, kappa):
    return _step(w, g, eta, 1.0)


def _no_loss(w, g, eta, kappa):
    return _step(w, 0.0 * g, eta, kappa)


def _no_penalty(w, g, eta, kappa):
    return _step(w, g, eta, 0.0)


def _without_eta(w, g, eta, kappa):
    return w - eta * g - kappa * 2 * w / (1 + w**2) ** 2


@exercise(
    "21.3",
    hint="The penalty has a slope of its own. What is the derivative of w²/(1 + w²)?",
    step="The slope of w²/(1 + w²) is 2w/(1 + w²)². Times kappa it is added to g, and the step goes against the sum.",
    wrong=[_decay, _not_squared, _no_two, _value, _uphill, _without_eta, _no_kappa, _no_loss, _no_penalty, 1.0],
)
def step_with_elimination(answer):
    """w - η(g + 2κw/(1 + w²)²)."""
    rng = np.random.default_rng(213)
    for n, eta, kappa in ((5, 0.1, 0.3), (8, 0.03, 2.0), (3, 0.2, 0.0)):
        w, g = 2 * rng.normal(size=n), rng.normal(size=n)
        value = array(call(answer, w.copy(), g.copy(), eta, kappa), (n,))
        if kappa > 0:
            expect(not close(value, _decay(w, g, eta, kappa)), "2w is the slope of weight decay, w².")
            expect(
                not close(value, _not_squared(w, g, eta, kappa)), "the denominator 1 + w² is squared: quotient rule."
            )
            expect(not close(value, _no_two(w, g, eta, kappa)), "the factor 2 is missing in the slope of Ω.")
            expect(not close(value, _value(w, g, eta, kappa)), "that adds Ω itself; its slope is needed.")
            expect(
                not close(value, _without_eta(w, g, eta, kappa)), "the learning rate is for the penalty's slope too."
            )
            expect(not close(value, _no_kappa(w, g, eta, kappa)), "the strength kappa is missing.")
            expect(
                not close(value, _no_penalty(w, g, eta, kappa)), "that is a step on J alone; add the penalty's slope."
            )
        expect(not close(value, _no_loss(w, g, eta, kappa)), "that is a step on the penalty alone; add it to g.")
        expect(not close(value, _uphill(w, g, eta, kappa)), "this goes uphill: subtract.")
        expect(close(value, _step(w, g, eta, kappa)))


@exercise(
    "21.4",
    hint="Train for n_hidden from 6 on and look at loss_curve_[-1].",
    step="Autoencoder(n_hidden=k, ...) with all settings of the text and random_state=0, fitted to the standardised "
    "wines: which is the first k with loss_curve_[-1] <= 1.3?",
    wrong=[7, 9, 2, 13, 7.5],
    right=[8],
)
def narrowest_autoencoder(answer):
    """PCA of the standardised wines keeps 89.3 % with 7 axes and 92.0 % with 8."""
    value = number(answer)
    expect(value == math.floor(value) and 1 <= value <= 13, "a whole number from 1 to 13 is asked for.")
    expect(value >= 8, f"{value:g} hidden units still lose more than 1.3 of the 13.")
    expect(value <= 8, f"{value:g} is enough, but not the smallest number that is.")


def _right_step(X, Y, W1, W2, eta):
    hidden = np.tanh(X @ W1)
    delta_2 = 2 * (hidden @ W2 - Y)
    delta_1 = (delta_2 @ W2.T) * (1 - hidden**2)
    return W1 - eta * X.T @ delta_1 / len(X), W2 - eta * hidden.T @ delta_2 / len(X)


def _new_weights_backward(X, Y, W1, W2, eta):
    hidden = np.tanh(X @ W1)
    delta_2 = 2 * (hidden @ W2 - Y)
    W2 = W2 - eta * hidden.T @ delta_2 / len(X)
    delta_1 = (delta_2 @ W2.T) * (1 - hidden**2)
    return W1 - eta * X.T @ delta_1 / len(X), W2


def _new_hidden(X, Y, W1, W2, eta):
    W1 = _right_step(X, Y, W1, W2, eta)[0]
    return W1, _right_step(X, Y, W1, W2, eta)[1]


def _half_loss(X, Y, W1, W2, eta):
    return _right_step(X, Y, W1, W2, eta / 2)


def _sum_of_rows(X, Y, W1, W2, eta):
    return _right_step(X, Y, W1, W2, eta * len(X))


def _only_second(X, Y, W1, W2, eta):
    return W1, _right_step(X, Y, W1, W2, eta)[1]


@exercise(
    "21.5",
    hint="Which W2 did the forward pass use, and which W2 does δ of the hidden layer use?",
    step="Compute both slopes before either of the two weights moves.",
    wrong=[_new_weights_backward, _new_hidden, _half_loss, _sum_of_rows, _only_second, 1.0],
)
def step_by_the_weights_of_the_pass(answer):
    """Both slopes belong to the weights of the forward pass."""
    rng = np.random.default_rng(215)
    for n, d, k, m, eta in ((7, 3, 4, 2, 0.3), (5, 2, 3, 1, 0.5)):
        X, Y = rng.normal(size=(n, d)), rng.normal(size=(n, m))
        W1, W2 = rng.normal(size=(d, k)), rng.normal(size=(k, m))
        given = call(answer, X.copy(), Y.copy(), W1.copy(), W2.copy(), eta)
        expect(isinstance(given, tuple | list) and len(given) == 2, "return both: W1, W2.")
        new = array(given[0], (d, k)), array(given[1], (k, m))
        checks = (
            (_new_weights_backward, "δ of the hidden layer still goes back over the *new* W2."),
            (_new_hidden, "W2's slope is taken after W1 has moved: compute both slopes first."),
            (
                _half_loss,
                "the steps are half as long: is the 2 of the square there, and the mean one over rows, not entries?",
            ),
            (_sum_of_rows, "these are sums over the rows; divide by their number."),
            (_only_second, "W1 has not moved."),
        )
        for wrong, hint in checks:
            expect(not all(close(a, b) for a, b in zip(new, wrong(X, Y, W1, W2, eta), strict=True)), hint)
        right = _right_step(X, Y, W1, W2, eta)
        part(close(new[1], right[1]), "W2", "It moves by -eta times hiddenᵀδ₂ / n.")
        part(close(new[0], right[0]), "W1", "It moves by -eta times Xᵀδ₁ / n, with δ₁ = (δ₂W2ᵀ)(1 - hidden²).")
