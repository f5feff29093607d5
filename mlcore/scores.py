"""From features to scores, and from scores to probabilities: what the linear models of several chapters share.

A linear model scores a row, w·x + b. The sigmoid turns a score into the probability of one of two classes, the softmax
K scores into the probabilities of K classes.
"""

import numpy as np

from mlcore.base import check_int, check_numbers, check_X

__all__ = ["check_squares", "expit", "linear_scores", "log_softmax", "sigmoid", "softmax", "softplus", "standardise"]


def sigmoid(z):
    """Return g(z) = 1 / (1 + e⁻ᶻ), the logistic function (对数几率函数), for any real z without overflow.

    For z < 0 the same number is computed as eᶻ / (1 + eᶻ): the exponent is never positive. Then g'(z) = g(z) g(-z)
    keeps its digits even where g rounds to 1. Notes A (42)-(43), D (3.17).

    Parameters
    ----------
    z : float or array of any shape

    Returns
    -------
    float or ndarray of the shape of z, in [0, 1]

    Raises
    ------
    ValueError
        If z is not numeric, or holds NaN (infinity may pass).
    """
    return expit(check_numbers(z, "z", allow_infinity=True))


def expit(z):
    """The sigmoid of an array of floats, unchecked: for the inside of a loop."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


def softplus(z):
    """ln(1 + eᶻ) = -ln g(-z) of an array of floats, unchecked: the log-loss of a class with the score -z.

    Written as max(z, 0) + ln(1 + e^-|z|) it never overflows, and keeps its digits where it is near 0. It is what
    ``np.logaddexp(0, z)`` returns, in a tenth of the time.
    """
    return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))


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
    z = _below_the_best(z, axis)
    others = np.exp(z)
    np.put_along_axis(others, np.argmax(z, axis=axis, keepdims=True), 0.0, axis=axis)
    return z - np.log1p(np.sum(others, axis=axis, keepdims=True))


def softmax(z, axis=-1):
    """Return e^(z_k) / Σ_j e^(z_j): probabilities from scores (softmax函数), without overflow. Notes A (94)-(95).

    Parameters, errors: see ``log_softmax``.

    Returns
    -------
    ndarray of the shape of z, in [0, 1], with sum 1 along ``axis``
    """
    odds = np.exp(_below_the_best(z, axis))
    return odds / np.sum(odds, axis=axis, keepdims=True)


def _below_the_best(z, axis):
    """Check scores, and subtract the largest along ``axis`` from each."""
    z = check_numbers(z, "z", allow_infinity=True)
    axis = check_int("axis", axis)
    if z.size == 0 or not -z.ndim <= axis < z.ndim:
        raise ValueError(f"z must hold scores along axis {axis}, but its shape is {z.shape}")
    largest = z.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("z has +infinity, or a row of -infinity alone: such scores give no probabilities")
    with np.errstate(over="ignore"):
        return z - largest


def linear_scores(estimator, X):
    """Return X wᵀ + b for an estimator with ``coef_`` and ``intercept_``: one score a row, or one a row and class.

    Parameters
    ----------
    estimator : object
        Fitted; ``coef_`` has shape (n_features,) or (n_classes, n_features).
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)

    Raises
    ------
    ValueError
        If X is bad, or a score overflows.
    """
    X = check_X(estimator, X)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ estimator.coef_.T + estimator.intercept_
    if not np.isfinite(scores).all():
        raise ValueError(f"the score w·x + b overflows for values of X as large as {np.abs(X).max():g}; rescale X")
    return scores


def check_squares(X):
    """Refuse features so large that sums of their squares may overflow.

    Raises
    ------
    ValueError
        If an entry of X exceeds 1e100 in size.
    """
    largest = max(X.max(), -X.min())
    if largest > 1e100:
        raise ValueError(f"X holds values of size {largest:g}, whose squares overflow; rescale the features")


def standardise(X, weights):
    """Return (X - mean) / deviation, the means and the deviations of the columns.

    An unpenalised fit with an intercept does not depend on the units of the features; this keeps its digits where
    they differ much. A constant column becomes 0, its deviation counts as 1; so does one whose deviation is below
    1e-100, since its square underflows, or below 1e-14 of its mean, which is rounding.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
        Not negative, with sum 1.

    Returns
    -------
    ndarrays of shape (n_samples, n_features), (n_features,) and (n_features,)

    Raises
    ------
    ValueError
        If an entry exceeds 1e100, so that its square may overflow.
    """
    check_squares(X)
    mean = weights @ X
    Z = X - mean
    deviation = np.sqrt(weights @ np.square(Z))
    constant = deviation <= 1e-14 * np.abs(mean) + 1e-100
    Z[:, constant] = 0.0
    deviation = np.where(constant, 1.0, deviation)
    Z /= deviation
    return Z, mean, deviation
