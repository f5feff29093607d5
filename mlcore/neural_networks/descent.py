"""Training: parameters and first weights of networks, penalties, and epochs of stochastic gradient descent.

θ holds all weights and biases of a network in one row, layer by layer; ``parts`` cuts it into W⁽ˡ⁾ and b⁽ˡ⁾, which are
views: what changes θ changes them. ``which`` has 1 where θ holds a weight and 0 where it holds a bias.
"""

import numpy as np

from mlcore.base import Estimator, anything, check_int, choice, real, seed, shown, whole
from mlcore.core.neural_networks import decay_slope, elimination_slope, first_weights, in_one_row, momentum_step
from mlcore.neural_networks.activations import ACTIVATIONS
from mlcore.numerics import finite

__all__ = ["Trained", "decay_slope", "elimination", "elimination_slope", "first_row", "first_weights",
           "in_one_row", "is_weight", "momentum_step", "parts", "penalty", "sound", "walk", "widths"]  # fmt: skip


def _check_widths(name, hidden_layers):
    widths = (hidden_layers,) if np.ndim(hidden_layers) == 0 else tuple(hidden_layers)
    for number, width in enumerate(widths, start=1):
        check_int(f"the width of hidden layer {number} ({name}={shown(hidden_layers)})", width, low=1)
    return widths


def widths(default):
    """Declare the widths of hidden layers."""
    says = "How many units each hidden layer has, first to last; with () there is none."
    return anything(default, "int or sequence of int", says, check=_check_widths, bad=(0, 2.5, (10, 0)))


class Trained(Estimator):
    """What networks and autoencoders share: how they are trained."""

    activation: str = choice("tanh", ACTIVATIONS, "g of the hidden units.")
    learning_rate: float = real(0.01, "η of each step.", low=0, low_open=True)
    batch_size: object = anything(
        32, "int >= 1 or None", "Rows a step; None takes all, which is gradient descent.", bad=(0, 1.5, "many", True),
        check=lambda name, value: value if value is None else check_int(name, value, low=1),
    )
    momentum: float = real(
        0.9, "μ of v ← μv - η∇J, θ ← θ + v; 0 is plain gradient descent.", low=0, high=1, high_open=True
    )
    max_iter: int = whole(200, "Epochs: passes over all rows, each in a new order.", low=1)
    random_state: object = seed("For the first weights and the order of the rows.")


def elimination(w):
    """Σ w² / (1 + w²)."""
    return float(np.sum(w * w / (1.0 + w * w)))


def penalty(theta, which, decay, elimination_strength):
    """λ Σ w² + κ Σ w² / (1 + w²), over the weights and not the biases."""
    w = theta[..., which > 0]
    with np.errstate(all="ignore"):
        return decay * float(np.sum(w * w)) + elimination_strength * elimination(w)


def parts(theta, sizes):
    """Cut a row (or a stack of rows) into the weights and the biases of layers of these sizes: views, not copies."""
    weights, biases, start = [], [], 0
    for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
        end = start + n_in * n_out
        weights.append(theta[..., start:end].reshape(*theta.shape[:-1], n_in, n_out))
        biases.append(theta[..., end : end + n_out].reshape(*theta.shape[:-1], 1, n_out))
        start = end + n_out
    return weights, biases


def is_weight(sizes):
    """1 where ``in_one_row`` puts a weight, 0 where it puts a bias."""
    pairs = zip(sizes[:-1], sizes[1:], strict=True)
    return np.concatenate([np.repeat([1.0, 0.0], [n_in * n_out, n_out]) for n_in, n_out in pairs])


def first_row(sizes, rng, given=()):
    """The first θ: drawn, with the layers (W, b) that are given in their places."""
    layers = [first_weights(n_in, n_out, rng) for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True)]
    layers[: len(given)] = given
    return in_one_row(*zip(*layers, strict=True))


def walk(theta, batch, n_rows, p, eta, rng):
    """Momentum by batches, each epoch all rows once in a new order: yield its number and the mean loss of its rows.

    Parameters
    ----------
    theta : ndarray
        Changed in place.
    batch : callable
        ``batch(rows)`` returns the gradient of the rows' mean loss at θ, and their summed loss.
    n_rows : int
    p : object
        With ``batch_size``, ``momentum`` and ``max_iter``.
    eta : float
    rng : numpy.random.Generator
    """
    velocity = np.zeros_like(theta)
    for epoch in range(1, p.max_iter + 1):
        batches = [slice(None)]
        if p.batch_size is not None and p.batch_size < n_rows:
            order = rng.permutation(n_rows)
            batches = [order[first : first + p.batch_size] for first in range(0, n_rows, p.batch_size)]
        total = 0.0
        with np.errstate(all="ignore"):
            for rows in batches:
                slope, loss = batch(rows)
                total += loss
                momentum_step(theta, velocity, slope, eta, p.momentum)
        yield epoch, float(total) / n_rows


def sound(values):
    """Values that are finite, or what to do about them."""
    return finite(values, "an output of the network overflows; rescale X")
