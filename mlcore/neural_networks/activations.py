"""Activations g of a hidden unit and losses of a network's outputs, by name, each with its slope."""

from typing import NamedTuple

import numpy as np

from mlcore.core.neural_networks import (
    cross_entropy,
    cross_entropy_delta,
    log_loss,
    log_loss_delta,
    logistic_slope,
    relu,
    relu_slope,
    squared_error,
    squared_error_delta,
    tanh_slope,
)
from mlcore.numerics import expit

__all__ = ["ACTIVATIONS", "LOSSES", "Activation", "Loss", "cross_entropy", "cross_entropy_delta", "identity",
           "identity_slope", "log_loss", "log_loss_delta", "logistic_slope", "relu", "relu_slope", "squared_error",
           "squared_error_delta", "tanh_slope"]  # fmt: skip


def identity(s):
    """g(s) = s: a linear unit."""
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


class Loss(NamedTuple):
    """A loss of a row and its slope by the outputs."""

    of: object
    delta: object


LOSSES = {
    "squared": Loss(squared_error, squared_error_delta),
    "log": Loss(log_loss, log_loss_delta),
    "cross-entropy": Loss(cross_entropy, cross_entropy_delta),
}
