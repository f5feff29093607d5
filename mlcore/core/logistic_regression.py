"""Chapter 3. Logistic regression and the perceptron: a line between two classes, with a probability on either side.

X has a last column of ones, shape (n, d + 1), so that θ = (w, b). The classes y, of 0 and 1, the scores z = Xθ, the
probabilities g = expit(z) and the weights ω of the rows have shape (n,). The penalties α, one for each entry of θ and
0 for b, have shape (d + 1,).
"""

import numpy as np

from mlcore.core.arithmetic import solve, weighted_gram


def expit(z):
    """g(z) = 1 / (1 + e⁻ᶻ), written as eᶻ / (1 + eᶻ) where z < 0: the exponent is never positive  (3.1)."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


def softplus(z):
    """ln(1 + eᶻ) = max(z, 0) + ln(1 + e^-|z|): what a class with the score -z loses, -ln g(-z)  (3.4)."""
    return np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))


def row_losses(z, y):
    """ln(1 + e⁻ˢᶻ) with s = 2y - 1 = ±1: minus the log-likelihood of each row, of shape (n,)  (3.4)."""
    return softplus((1 - 2 * y) * z)


def gradient(theta, g, X, y, weights, alpha):
    """∇J(θ) = Xᵀ ω(g - y) + αθ, of shape (d + 1,)  (3.5), (3.12)."""
    return X.T @ (weights * (g - y)) + alpha * theta


def hessian(g, X, weights, alpha):
    """∇²J(θ) = XᵀRX + diag(α), R = diag(ω g (1 - g)), of shape (d + 1, d + 1)  (3.6)."""
    return weighted_gram(X, weights * g * (1 - g)) + np.diag(alpha)


def surprise(p, q):
    """H(p, q) = -Σ p ln q, with 0 ln 0 = 0, for distributions along the last axis; H(p, p) is the entropy."""
    return -np.sum(p * np.log(np.where(p > 0, q, 1.0)), axis=-1)


def tangent_step(x, f, df):
    """x - f / f': from x to where the tangent meets the axis; f and df are the values at x, all numbers."""
    return x - f / df


def newton_step(slope, g, X, weights, alpha):
    """Δ = -(∇²J)⁻¹ ∇J, from θ to the minimum of the parabola that fits J there; slope is ∇J(θ)  (3.11)."""
    return -solve(hessian(g, X, weights, alpha), slope)


def perceptron_update(theta, x, s):
    """θ + s x, for a row x of shape (d + 1,) of the class s = ±1: raises its margin s θᵀx by ‖x‖²  (3.15)."""
    return theta + s * x
