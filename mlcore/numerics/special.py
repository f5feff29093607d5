"""The sigmoid, the softmax and their logarithms, written so that no exponent overflows."""

import numpy as np

__all__ = ["expit", "log_shares", "quietly", "shares", "softplus"]

quietly = np.errstate(under="ignore")
"""Decorates a formula in which a number may round to 0, and rightly so: an error to nobody, whatever the caller set."""


@quietly
def expit(z):
    """g(z) = 1 / (1 + e⁻ᶻ), written as eᶻ / (1 + eᶻ) where z < 0: the exponent is never positive  (3.1)."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


@quietly
def softplus(z):
    """ln(1 + eᶻ) = max(z, 0) + ln(1 + e^-|z|): what a class with the score -z loses, -ln g(-z)  (3.4).

    It is what ``np.logaddexp(0, z)`` returns, in a tenth of the time, and keeps its digits where it is near 0.
    """
    return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))


@quietly
def shares(z, axis=-1):
    """e^(z_k) / Σ_j e^(z_j), the softmax: the largest score is subtracted from all, which cancels  (4.24)."""
    odds = np.exp(z - z.max(axis=axis, keepdims=True))
    return odds / odds.sum(axis=axis, keepdims=True)


@quietly
def log_shares(z, axis=-1):
    """z_k - ln Σ_j e^(z_j), the logarithm of the softmax, finite where a share rounds to 0  (4.24).

    The largest score is subtracted first. Its own term in the sum is then 1; it is left out and brought back by log1p,
    so that the logarithm of a share near 1 keeps its digits too.
    """
    z = z - z.max(axis=axis, keepdims=True)
    others = np.exp(z)
    np.put_along_axis(others, np.argmax(z, axis=axis, keepdims=True), 0.0, axis=axis)
    return z - np.log1p(others.sum(axis=axis, keepdims=True))
