"""The softmax with a door: from K scores to K probabilities."""

import numpy as np

from mlcore import numerics
from mlcore.base import door, numbers, whole

__all__ = ["log_softmax", "softmax"]

SCORES = {
    "z": numbers(
        "Scores, in at least one dimension. -infinity is an impossible class; NaN and +infinity are refused.",
        form="array-like", infinite=True,
    ),
    "axis": whole(-1, "The axis of the classes."),
}


@door(**SCORES)
def log_softmax(z, axis=-1):
    """Return z_k - ln Σ_j e^(z_j), the logarithms of the softmax probabilities, without overflow. Notes A (94)-(95).

    Returns
    -------
    ndarray of the shape of z, <= 0; -infinity for an impossible class, and where the difference of two scores overflows
    """
    _check_scores(z, axis)
    return numerics.log_softmax(z, axis)


@door(**SCORES)
def softmax(z, axis=-1):
    """Return e^(z_k) / Σ_j e^(z_j): probabilities from scores (softmax函数), without overflow. Notes A (94)-(95).

    Returns
    -------
    ndarray of the shape of z, in [0, 1], with sum 1 along ``axis``
    """
    _check_scores(z, axis)
    return numerics.softmax(z, axis)


def _check_scores(z, axis):
    if z.size == 0 or not -z.ndim <= axis < z.ndim:
        raise ValueError(f"z must hold scores along axis {axis}, but its shape is {z.shape}")
    if not np.isfinite(z.max(axis=axis)).all():
        raise ValueError("z has +infinity, or a row of -infinity alone: such scores give no probabilities")
