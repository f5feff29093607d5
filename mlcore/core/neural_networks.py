"""Chapter 21. Neural networks (神经网络): back-propagation, multi-layer perceptrons, autoencoders, pre-training.

s is what reaches a unit, x = g(s) what leaves it. Layer l has the weights W⁽ˡ⁾ of shape (d⁽ˡ⁻¹⁾, d⁽ˡ⁾) and the biases
b⁽ˡ⁾, a row of shape (1, d⁽ˡ⁾): s⁽ˡ⁾ = x⁽ˡ⁻¹⁾W⁽ˡ⁾ + b⁽ˡ⁾. X holds a row for each of n examples; the s of the last layer,
S of shape (n, k), are the outputs, and Y the targets (for classes: 1 in the column of the row's class, 0 elsewhere).
δ⁽ˡ⁾ is the slope of a row's loss by its s⁽ˡ⁾. All functions also take stacks: many networks of one shape at once, along
the first axis of W and b.
"""

import numpy as np

from mlcore.core.generalized_linear_models import log_softmax, softmax
from mlcore.core.logistic_regression import expit, softplus


def layer_outputs(X, weights, biases, g):
    """x⁽⁰⁾ = x; then x⁽ˡ⁾ = g(x⁽ˡ⁻¹⁾W⁽ˡ⁾ + b⁽ˡ⁾) for l = 1, ..., L - 1, and last s⁽ᴸ⁾ = x⁽ᴸ⁻¹⁾W⁽ᴸ⁾ + b⁽ᴸ⁾."""
    xs = [X]
    for W, b in zip(weights[:-1], biases[:-1], strict=True):
        xs.append(g(xs[-1] @ W + b))
    return [*xs, xs[-1] @ weights[-1] + biases[-1]]


def relu(s):
    """g(s) = max(0, s)."""
    return np.maximum(s, 0.0)


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
    return -(Y * log_softmax(S)).sum(axis=-1)


def cross_entropy_delta(Y, S):
    """δ_k = ∂e/∂s_k = p_k - y_k, p = softmax(s)  (21.5)."""
    return softmax(S) - Y


def deltas(last, xs, weights, slope):
    """δ⁽ˡ⁾ = δ⁽ˡ⁺¹⁾W⁽ˡ⁺¹⁾ᵀ ∘ g'(s⁽ˡ⁾), from the last, δ⁽ᴸ⁾, down to δ⁽¹⁾; ∘ multiplies entries  (21.7)."""
    found = [last]
    for layer in range(len(weights) - 1, 0, -1):
        found.insert(0, (found[0] @ weights[layer].mT) * slope(xs[layer]))
    return found


def mean_slopes(found, xs):
    """∂J/∂W⁽ˡ⁾ = x⁽ˡ⁻¹⁾ᵀδ⁽ˡ⁾ / n and ∂J/∂b⁽ˡ⁾ = Σ δ⁽ˡ⁾ / n: means over the n rows  (21.6), (21.9)."""
    n = xs[0].shape[-2]
    by_weights = [x.mT @ delta / n for x, delta in zip(xs[:-1], found, strict=True)]
    by_biases = [delta.sum(axis=-2, keepdims=True) / n for delta in found]
    return by_weights, by_biases


def tanh_slope(x):
    """g'(s) = 1 - x² for x = g(s) = tanh s  (21.8)."""
    return 1.0 - x * x


def logistic_slope(x):
    """g'(s) = x(1 - x) for x = g(s) = 1 / (1 + e⁻ˢ)  (21.8)."""
    return x * (1.0 - x)


def relu_slope(x):
    """g'(s) = 1 where s > 0, which is where x > 0; else 0, at the corner too  (21.8)."""
    return (x > 0).astype(float)


def gradient(X, Y, weights, biases, activation, loss):
    """All slopes of the mean loss in one row, and the outputs: forward, δ⁽ᴸ⁾, backward, the slopes."""
    xs = layer_outputs(X, weights, biases, activation.g)
    found = deltas(loss.delta(Y, xs[-1]), xs, weights, activation.slope)
    return in_one_row(*mean_slopes(found, xs)), xs[-1]


def in_one_row(weights, biases):
    """θ: the numbers of W⁽¹⁾, b⁽¹⁾, W⁽²⁾, ... in one row; of a stack of networks, a row for each."""
    parts = []
    for W, b in zip(weights, biases, strict=True):
        parts += [W.reshape(*W.shape[:-2], -1), b.reshape(*b.shape[:-2], -1)]
    return np.concatenate(parts, axis=-1)


def momentum_step(theta, velocity, gradient, eta, mu):
    """v ← μv - η∇J and θ ← θ + v, in place; μ = 0 is plain gradient descent  (21.10)."""
    velocity *= mu
    velocity -= eta * gradient
    theta += velocity


def first_weights(n_in, n_out, rng):
    """W uniform in ±√(6 / (n_in + n_out)), of variance 2 / (n_in + n_out); b = 0  (21.11)."""
    reach = np.sqrt(6.0 / (n_in + n_out))
    return rng.uniform(-reach, reach, size=(n_in, n_out)), np.zeros((1, n_out))


def decay_slope(w, strength):
    """∂/∂w of λ Σ w²: 2λw  (21.13)."""
    return 2.0 * strength * w


def elimination_slope(w, strength):
    """∂/∂w of κ Σ w² / (1 + w²): 2κw / (1 + w²)²  (21.14)."""
    return 2.0 * strength * w / (1.0 + w * w) ** 2


def encoded(X, W, b, g):
    """H = g(XW + b): k numbers for each row of X, which has d; W of shape (d, k), b of shape (1, k)."""
    return g(X @ W + b)


def tied_outputs(H, W, c):
    """HWᵀ + c: each row given back by the same weights that encoded it; c of shape (1, d)."""
    return H @ W.T + c


def tied_slopes(Z, H, X, W, c, slope):
    """∂J/∂W = (ZᵀΔ₁ + Δ₂ᵀH) / n, with Δ₂ = 2(HWᵀ + c - X) and Δ₁ = Δ₂W ∘ g'; by b and c their mean rows  (21.16).

    Z is what the autoencoder is shown, X or X with noise; X is what it should give back.
    """
    D2 = 2.0 * (tied_outputs(H, W, c) - X)
    D1 = (D2 @ W) * slope(H)
    return (Z.T @ D1 + D2.T @ H) / len(X), D1.mean(axis=0), D2.mean(axis=0)


def stage(x, width, train, g):
    """One stage of pre-training: an autoencoder learns x; its encoder is the layer, g(xW + b) the next stage's x."""
    W, b = train(x, width)
    return (W, b), encoded(x, W, b, g)
