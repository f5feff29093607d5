"""Activations g of a hidden unit and losses of a network's outputs, each with its slope.

Symbols. s is what reaches a unit, x = g(s) what leaves it; arrays of any shape. Of the outputs, S has shape (n, k), a
row each; Y are the targets of that shape (for classes: 1 in the column of the row's class, 0 elsewhere). A loss
returns one number a row; delta is its slope by S.
"""

from typing import NamedTuple

import numpy as np

from mlcore.numerics import expit, log_shares, shares, softplus

__all__ = ["ACTIVATIONS", "LOSSES", "Activation", "Loss", "cross_entropy", "cross_entropy_delta", "identity",
           "identity_slope", "log_loss", "log_loss_delta", "logistic_slope", "relu", "relu_slope", "squared_error",
           "squared_error_delta", "tanh_slope"]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Activations. The slope g'(s) is written with x = g(s), which is at hand.
# ---------------------------------------------------------------------------------------------------------------
def tanh_slope(x):
    """g'(s) = 1 - x² for x = g(s) = tanh s  (21.8)."""
    return 1.0 - x * x


def logistic_slope(x):
    """g'(s) = x(1 - x) for x = g(s) = 1 / (1 + e⁻ˢ)  (21.8)."""
    return x * (1.0 - x)


def relu(s):
    """g(s) = max(0, s)."""
    return np.maximum(s, 0.0)


def relu_slope(x):
    """g'(s) = 1 where s > 0, which is where x > 0; else 0, at the corner too  (21.8)."""
    return (x > 0).astype(float)


def identity(s):
    """g(s) = s: a layer without a fold."""
    return s


def identity_slope(x):
    """g'(s) = 1."""
    return np.ones_like(x)


class Activation(NamedTuple):
    """A function g and its slope, the latter as a function of x = g(s)."""

    g: object
    slope: object


ACTIVATIONS = {
    "tanh": Activation(np.tanh, tanh_slope),
    "logistic": Activation(expit, logistic_slope),
    "relu": Activation(relu, relu_slope),
    "identity": Activation(identity, identity_slope),
}


# ---------------------------------------------------------------------------------------------------------------
# Losses
# ---------------------------------------------------------------------------------------------------------------
def squared_error(Y, S):
    """e = Σ_k (y_k - s_k)² for each row."""
    return ((S - Y) ** 2).sum(axis=-1)


def squared_error_delta(Y, S):
    """δ_k = ∂e/∂s_k = 2(s_k - y_k)  (21.4)."""
    return 2.0 * (S - Y)


def log_loss(Y, S):
    """e = ln(1 + eˢ) - ys for each row, from one output s: the log-loss of p = 1 / (1 + e⁻ˢ)."""
    return (softplus(S) - Y * S).sum(axis=-1)


def log_loss_delta(Y, S):
    """δ = ∂e/∂s = p - y, p = 1 / (1 + e⁻ˢ)  (21.5)."""
    return expit(S) - Y


def cross_entropy(Y, S):
    """e = -Σ_k y_k ln p_k for each row, p = softmax(s)."""
    return -(Y * log_shares(S)).sum(axis=-1)


def cross_entropy_delta(Y, S):
    """δ_k = ∂e/∂s_k = p_k - y_k, p = softmax(s)  (21.5)."""
    return shares(S) - Y


class Loss(NamedTuple):
    """A loss of a row and its slope by the outputs."""

    of: object
    delta: object


LOSSES = {
    "squared": Loss(squared_error, squared_error_delta),
    "log": Loss(log_loss, log_loss_delta),
    "cross-entropy": Loss(cross_entropy, cross_entropy_delta),
}
