"""The softmax with a door: from K scores to K probabilities."""

import numpy as np

from mlcore import numerics
from mlcore.base import check_int, check_numbers

__all__ = ["log_softmax", "softmax"]


def log_softmax(z, axis=-1):
    """Return z_k - ln Σ_j e^(z_j), the logarithms of the softmax probabilities, without overflow.

    The largest score is subtracted first, which changes nothing: it cancels. Then no exponent is positive and one
    of them is 0, so that the sum lies between 1 and K. That 1 is left out of the sum and brought back by log1p: so
    the logarithm of a probability near 1 keeps its digits too. Notes A (94)-(95).

    Parameters
    ----------
    z : array-like of any shape with at least one dimension
        Scores. -infinity is an impossible class; NaN and +infinity are refused.
    axis : int
        The axis of the classes.

    Returns
    -------
    ndarray of the shape of z, <= 0; -infinity for an impossible class, and where the difference of two scores overflows

    Raises
    ------
    ValueError
        If z is not numeric, empty, holds NaN or +infinity, has no such axis, or every class of a row is impossible.
    """
    return numerics.log_softmax(*_check_scores(z, axis))


def softmax(z, axis=-1):
    """Return e^(z_k) / Σ_j e^(z_j): probabilities from scores (softmax函数), without overflow. Notes A (94)-(95).

    Parameters, errors: see ``log_softmax``.

    Returns
    -------
    ndarray of the shape of z, in [0, 1], with sum 1 along ``axis``
    """
    return numerics.softmax(*_check_scores(z, axis))


def _check_scores(z, axis):
    """Return the scores as floats, and the axis."""
    z = check_numbers(z, "z", allow_infinity=True)
    axis = check_int("axis", axis)
    if z.size == 0 or not -z.ndim <= axis < z.ndim:
        raise ValueError(f"z must hold scores along axis {axis}, but its shape is {z.shape}")
    if not np.isfinite(z.max(axis=axis)).all():
        raise ValueError("z has +infinity, or a row of -infinity alone: such scores give no probabilities")
    return z, axis
