"""Forward and backward through a network: what each layer puts out, and what each weight does to the loss."""

from typing import NamedTuple

import numpy as np

from mlcore.base import REQUIRED, anything, check_array, check_consistent_length, check_numbers, choice, door, table
from mlcore.core.neural_networks import deltas, layer_outputs, mean_slopes
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.numerics import finite

__all__ = ["Slopes", "backward", "deltas", "forward", "layer_outputs", "mean_slopes"]

NETWORK = {
    "X": table("The rows that go in.", form="array-like of shape (n, d0)"),
    "weights": anything(REQUIRED, "sequence of L array-likes", "The l-th: (d of the layer before, d of layer l)."),
    "biases": anything(REQUIRED, "sequence of L array-likes", "The l-th: (d of layer l,)."),
    "activation": choice("tanh", ACTIVATIONS, "Of the hidden layers."),
}


class Slopes(NamedTuple):
    """What ``backward`` found: δ of each layer, and the slopes of the mean loss by weights and biases; lists of L."""

    deltas: list
    weights: list
    biases: list


@door(**NETWORK)
def forward(X, weights, biases, activation="tanh"):
    """Return what each layer of a network puts out: X first, the outputs s⁽ᴸ⁾ last. Notes C 6.6.

    Returns
    -------
    list of L + 1 ndarrays, of n rows each

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, or an output overflows.
    """
    return _outputs(X, *_layers(X.shape[1], weights, biases), ACTIVATIONS[activation].g)


@door(
    **NETWORK,
    Y=anything(
        REQUIRED, "array-like of shape (n, k), or (n,) for one output",
        'Targets; for "cross-entropy" each row is a distribution, such as a one-hot code, and for "log" 0 or 1.',
    ),
    loss=choice(
        "squared", LOSSES, "(y - s)², or the log-loss of the logistic function or of the softmax of the outputs."
    ),
)
def backward(X, Y, weights, biases, activation="tanh", loss="squared"):
    """Return every δ and the slope of the mean loss by every weight and bias. Notes C 6.7.

    Returns
    -------
    Slopes
        ``deltas``, ``weights``, ``biases``: L arrays each. δ is that of a row's own loss, of shape (n, d of layer l);
        the slopes are those of the mean over the rows.

    Raises
    ------
    ValueError
        As ``forward``; or Y does not fit the outputs or the loss, or a slope overflows.
    """
    Y = check_numbers(Y, "Y")
    Y = Y.reshape(-1, 1) if Y.ndim == 1 else check_array(Y, name="Y")
    weights, biases = _layers(X.shape[1], weights, biases)
    activation = ACTIVATIONS[activation]
    xs = _outputs(X, weights, biases, activation.g)
    check_consistent_length(X, Y, names=("X", "Y"))
    if Y.shape != xs[-1].shape:
        raise ValueError(f"Y has shape {Y.shape}, but the outputs have shape {xs[-1].shape}")
    if loss != "squared" and (Y.min() < 0 or Y.max() > 1):
        raise ValueError(f"for the loss {loss!r} Y must lie in [0, 1], but it goes from {Y.min():g} to {Y.max():g}")
    if loss == "cross-entropy" and not np.allclose(Y.sum(axis=1), 1):
        raise ValueError("for the loss 'cross-entropy' each row of Y must add up to 1, such as a one-hot code")
    with np.errstate(over="ignore", invalid="ignore"):
        found = deltas(LOSSES[loss].delta(Y, xs[-1]), xs, weights, activation.slope)
        by_weights, by_biases = mean_slopes(found, xs)
    for slopes in by_weights:
        finite(slopes, "a slope of the loss overflows; rescale X or the weights")
    return Slopes(found, by_weights, [slope[0] for slope in by_biases])


def _outputs(X, weights, biases, g):
    with np.errstate(over="ignore", invalid="ignore"):
        xs = layer_outputs(X, weights, biases, g)
    finite(xs[-1], "an output of the network overflows; rescale X or the weights")
    return xs


def _layers(width, weights, biases):
    """Return weights and biases as float arrays whose shapes fit, biases as rows; ``width`` numbers go in."""
    weights, biases = list(weights), list(biases)
    if not weights or len(weights) != len(biases):
        raise ValueError(f"as many weights as biases are needed, one a layer, got {len(weights)} and {len(biases)}")
    for number, (W, b) in enumerate(zip(weights, biases, strict=True), start=1):
        W, b = check_array(W, name=f"W of layer {number}"), check_numbers(b, f"b of layer {number}").reshape(1, -1)
        if W.shape[0] != width or b.shape[1] != W.shape[1]:
            raise ValueError(
                f"layer {number}: {width} numbers come in, W has shape {W.shape} and b has {b.shape[1]} entries; "
                f"W must have {width} rows, and b one entry for each column of W"
            )
        weights[number - 1], biases[number - 1], width = W, b, W.shape[1]
    return weights, biases
