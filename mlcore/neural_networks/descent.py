"""Training: a first guess of the weights, the penalties, and one step of stochastic gradient descent.

Symbols. θ holds all weights and biases of a network in one row, layer by layer; ``parts`` cuts it into W⁽ˡ⁾ and b⁽ˡ⁾,
which are views: what changes θ changes them. ``which`` has 1 where θ holds a weight and 0 where it holds a bias.
"""

import numpy as np

from mlcore.core.neural_networks import decay_slope, elimination_slope, first_weights, in_one_row, momentum_step
from mlcore.numerics import finite
from mlcore.optimize import DivergenceError

__all__ = ["decay_slope", "elimination", "elimination_slope", "first_weights", "in_one_row", "is_weight",
           "momentum_step", "parts", "penalty", "walk"]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Around the core
# ---------------------------------------------------------------------------------------------------------------
FARTHEST_LOSS = 1e20
"""A loss that has grown by more than this has run away, even where bounded units keep the numbers finite."""


def elimination(w):
    """Σ w² / (1 + w²)."""
    return float(np.sum(w * w / (1.0 + w * w)))


def penalty(theta, which, decay, elimination_strength):
    """λ Σ w² + κ Σ w² / (1 + w²), over the weights and not the biases."""
    w = theta[..., which > 0]
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


def walk(theta, slope, n_rows, batch_size, eta, mu, max_iter, rng):
    """Momentum by batches, each epoch all rows once in a new order; yield the number of the epoch after each.

    ``slope(rows)`` returns the gradient of the rows' mean loss at θ, which is changed in place.

    Raises
    ------
    DivergenceError
        As soon as an epoch leaves the range of the numbers.
    """
    velocity = np.zeros_like(theta)
    for epoch in range(1, max_iter + 1):
        with np.errstate(all="ignore"):
            if batch_size >= n_rows:
                momentum_step(theta, velocity, slope(slice(None)), eta, mu)
            else:
                order = rng.permutation(n_rows)
                for first in range(0, n_rows, batch_size):
                    momentum_step(theta, velocity, slope(order[first : first + batch_size]), eta, mu)
            far = not np.isfinite(theta).all() or np.abs(theta).max() > 1e100
        if far:
            raise diverged(epoch, eta)
        yield epoch


def diverged(epoch, eta):
    """The error of a walk that ran away."""
    return DivergenceError(
        f"the weights run away in epoch {epoch}: learning_rate={eta:g} is too large for these data or penalties; make "
        "it smaller, and give X (and the y of a regression) deviations near 1"
    )


def sound(values):
    """Values that are finite, or what to do about them."""
    return finite(values, "an output of the network overflows; rescale X")
