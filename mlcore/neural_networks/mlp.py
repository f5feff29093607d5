"""Multi-layer perceptrons (多层感知机): networks that classify or regress, trained by stochastic gradient descent."""

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    Regressor,
    anything,
    check_array,
    check_classification,
    check_numbers,
    check_regression,
    check_X,
    flag,
    real,
    warn_caller,
    whole,
)
from mlcore.core.neural_networks import decay_slope, elimination_slope, gradient, layer_outputs
from mlcore.features import indicator
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.neural_networks.descent import Trained, first_row, is_weight, parts, penalty, sound, walk, widths
from mlcore.numerics import expit, softmax
from mlcore.optimize import check_epoch, warn_if_worse

__all__ = ["BestLoss", "MLPClassifier", "MLPRegressor", "gradient", "held_out"]


def held_out(y, fraction, rng):
    """Rows to train on and rows held out, each value of y in both in equal shares as far as they go round."""
    if len(y) < 2:
        raise ValueError("early stopping holds out a row to watch: at least 2 samples are needed, got 1 sample")
    n_held_out = min(max(1, round(fraction * len(y))), len(y) - 1)
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    rows = order[((np.arange(n_held_out) + 0.5) * len(y) / n_held_out).astype(int)]
    return np.setdiff1d(np.arange(len(y)), rows), rows


class BestLoss:
    """The least loss so far, and the epochs since a loss was below it by more than tol."""

    def __init__(self, tol):
        self.tol, self.value, self.epochs_since = tol, np.inf, 0

    def improved_by(self, loss):
        """Take in the loss of one more epoch, and say whether it is the least."""
        improved = loss < self.value - self.tol
        self.value, self.epochs_since = (loss, 0) if improved else (self.value, self.epochs_since + 1)
        return improved


def _check_pairs(name, layers):
    layers = [] if layers is None else layers
    if not isinstance(layers, (list, tuple)) or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in layers):
        raise ValueError(f"{name} must be a list of pairs (W, b)")
    return layers


class _Network(Trained):
    """What classifier and regressor share: parameters, training, and the outputs."""

    _learning_rate = 0.05

    hidden_layers: object = widths(30)
    learning_rate: float = real(
        None, "η of each step; None is 0.05 for a classifier, 0.01 for a regressor.", low=0, low_open=True
    )
    max_iter: int = whole(
        200, "Epochs: passes over all rows, each in a new order; a warning says if the loss still falls at the end.",
        low=1,
    )
    weight_decay: float = real(0.0, "λ.", low=0)
    weight_elimination: float = real(0.0, "κ.", low=0)
    early_stopping: bool = flag(
        False,
        "Hold out a part of the rows, stop when their loss falls no more, and return to where it was least, to within\n"
        "``tol``.",
    )
    validation_fraction: float = real(0.1, "The part held out.", low=0, high=1, low_open=True, high_open=True)
    n_iter_no_change: int = whole(
        10,
        "Stop after so many epochs in which the loss (of the rows held out, or else of training) did not fall by\n"
        "``tol``.",
        low=1,
    )
    tol: float = real(
        1e-4, "0 runs all ``max_iter`` epochs, unless ``early_stopping``; then any fall counts.", low=0
    )
    initial_layers: object = anything(
        None, "sequence of pairs (W, b), optional",
        "The first layers to begin with, as ``pretrain`` returns them; the others are drawn.",
        check=_check_pairs, bad=(5, [1.0], "pairs"),
    )

    def _train(self, X, Y, y, loss, p):
        """Train on rows X and targets Y; y, one number a row, says how to share out the rows that are held out.

        Epoch by epoch, until the loss falls no more; then back to the best θ, if rows are held out.
        """
        sizes, activation = (X.shape[1], *p.hidden_layers, Y.shape[1]), ACTIVATIONS[p.activation]
        rng, eta, which = p.random_state, p.learning_rate or self._learning_rate, is_weight(sizes)
        theta = first_row(sizes, rng, _checked_layers(p.initial_layers, sizes))
        check = ()
        if p.early_stopping:
            train, rows = held_out(y, p.validation_fraction, rng)
            X, Y, check = X[train], Y[train], (X[rows], Y[rows])
        layers = weights, biases = parts(theta, sizes)  # views of θ, which change with it
        self.coefs_, self.intercepts_, self.n_layers_ = weights, [b[0] for b in biases], len(sizes)
        self.loss_curve_, self.validation_losses_, self.n_iter_, self.best_epoch_ = [], [], 0, 0

        def mean_loss(X, Y):
            with np.errstate(all="ignore"):
                return float(loss.of(Y, layer_outputs(X, *layers, activation.g)[-1]).mean())

        def price():
            return penalty(theta, which, p.weight_decay, p.weight_elimination)

        def batch(rows):
            y = Y[rows]
            slope, S = gradient(X[rows], y, *layers, activation, loss)
            if p.weight_decay > 0:
                slope += which * decay_slope(theta, p.weight_decay)
            if p.weight_elimination > 0:
                slope += which * elimination_slope(theta, p.weight_elimination)
            return slope, loss.of(y, S).sum()

        before, best, kept = mean_loss(X, Y) + price(), BestLoss(p.tol), theta
        for self.n_iter_, value in walk(theta, batch, len(X), p, eta, rng):
            value += price()
            check_epoch(self.n_iter_, theta, value, before, eta)
            self.loss_curve_.append(value)
            if check:
                value = mean_loss(*check)
                self.validation_losses_.append(value)
            if best.improved_by(value) and check:
                kept, self.best_epoch_ = theta.copy(), self.n_iter_
            yield self
            if best.epochs_since >= p.n_iter_no_change and (check or p.tol > 0):
                break
        else:
            if p.tol > 0:
                warn_caller(
                    f"the loss was still falling after max_iter={p.max_iter} epochs; raise max_iter, or say tol=0 "
                    "to run so many and no more",
                    ConvergenceWarning,
                )
        theta[:] = kept
        warn_if_worse(before, mean_loss(X, Y) + price(), eta)

    def hidden_outputs(self, X):
        """Return what each hidden layer puts out, a list of arrays of shape (n_samples, width)."""
        return self._layers(X)[1:-1]

    def _layers(self, X):
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            xs = layer_outputs(X, self.coefs_, self.intercepts_, ACTIVATIONS[self.activation].g)
        sound(xs[-1])
        return xs


def _checked_layers(given, sizes):
    """The layers (W, b) that were given to begin with, as arrays, if they fit into a network of these sizes."""
    if len(given) >= len(sizes):
        raise ValueError(f"initial_layers holds {len(given)} layers, but the network has {len(sizes) - 1}")
    layers = []
    for number, (n_in, n_out, (W, b)) in enumerate(zip(sizes, sizes[1:], given, strict=False), start=1):
        W, b = check_array(W, name=f"W of initial layer {number}"), check_numbers(b, "b").reshape(1, -1)
        if W.shape != (n_in, n_out) or b.shape[1] != n_out:
            raise ValueError(
                f"initial layer {number} has W of shape {W.shape} and {b.shape[1]} biases; layer {number} of the "
                f"network goes from {n_in} to {n_out} units"
            )
        layers.append((W, b))
    return layers


class MLPClassifier(_Network, Classifier):
    """A network whose outputs are scores of classes: P(k | x) = softmax(s⁽ᴸ⁾)_k; of two classes one, P = 1/(1 + e⁻ˢ).

    It minimises the mean of -ln P(y_i | x_i) over the rows, plus λ Σ w² + κ Σ w²/(1 + w²) over all weights; the biases
    are free. (scikit-learn's ``alpha`` is 2λ times the size of the batch.) Without hidden layers it is logistic
    regression.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coefs_, intercepts_ : lists of ndarrays
        W⁽ˡ⁾ of shape (d⁽ˡ⁻¹⁾, d⁽ˡ⁾) and b⁽ˡ⁾ of shape (d⁽ˡ⁾,), layer by layer.
    loss_curve_ : list of float
        The mean loss of the rows as each was met in an epoch, plus the penalty at its end.
    validation_losses_ : list of float
        With ``early_stopping``: the mean loss of the rows held out, after each epoch.
    n_iter_, best_epoch_ : int
        Epochs that were run; the one whose weights were kept (0 without ``early_stopping``).

    Notes C 6.6-6.8.
    """

    def iter_fit(self, X, y):
        p = self.checked()
        X, codes = check_classification(self, X, y, min_classes=2)
        if len(self.classes_) == 2:
            yield from self._train(X, codes[:, np.newaxis].astype(float), codes, LOSSES["log"], p)
        else:
            yield from self._train(X, indicator(codes, len(self.classes_)), codes, LOSSES["cross-entropy"], p)

    def decision_function(self, X):
        """Return the outputs s⁽ᴸ⁾: (n_samples, n_classes), or for two classes the score of the second, (n_samples,)."""
        S = self._layers(X)[-1]
        return S[:, 0] if len(self.classes_) == 2 else S

    def predict_proba(self, X):
        """Return P(k | x), of shape (n_samples, n_classes)."""
        S = self.decision_function(X)
        if S.ndim == 2:
            return softmax(S)
        p = expit(S)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,)."""
        S = self.decision_function(X)
        return self.classes_[np.argmax(S, axis=1) if S.ndim == 2 else (S > 0).astype(int)]


class MLPRegressor(_Network, Regressor):
    """A network with one output, s⁽ᴸ⁾, trained to be y: the mean of (y_i - s_i)² is minimised.

    To it are added λ Σ w² + κ Σ w²/(1 + w²) over all weights; the biases are free. (scikit-learn halves the loss: its
    learning rate is twice ours, its ``alpha`` λ times the size of the batch.) Bring y to a deviation near 1. Without
    hidden layers it is linear regression.

    Attributes
    ----------
    coefs_, intercepts_, loss_curve_, validation_losses_, n_iter_, best_epoch_
        As of ``MLPClassifier``.

    Notes C 6.6-6.8.
    """

    _learning_rate = 0.01

    def iter_fit(self, X, y):
        p = self.checked()
        X, y = check_regression(self, X, y)
        yield from self._train(X, y[:, np.newaxis], y, LOSSES["squared"], p)

    def predict(self, X):
        """Return the output of each row, shape (n_samples,)."""
        return self._layers(X)[-1][:, 0]
