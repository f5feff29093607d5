"""Multi-layer perceptrons (多层感知机): networks that classify or regress, trained by stochastic gradient descent."""

import numpy as np

from mlcore.base import (
    Classifier,
    ConvergenceWarning,
    Regressor,
    check_array,
    check_choice,
    check_classification,
    check_flag,
    check_int,
    check_numbers,
    check_random_state,
    check_real,
    check_regression,
    check_X,
    run,
    shown,
    warn_caller,
)
from mlcore.core.neural_networks import gradient
from mlcore.features import indicator
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.neural_networks.descent import (
    FARTHEST_LOSS,
    decay_slope,
    diverged,
    elimination_slope,
    first_weights,
    in_one_row,
    is_weight,
    parts,
    penalty,
    sound,
    walk,
)
from mlcore.neural_networks.propagation import layer_outputs
from mlcore.numerics import expit, softmax

__all__ = ["MLPClassifier", "MLPRegressor", "Patience", "checked_walk", "gradient", "held_out", "mean_loss",
           "objective"]  # fmt: skip

WALK = ("batch_size", "learning_rate", "momentum", "max_iter")


def checked_walk(model, learning_rate):
    """The parameters of ``walk`` by name, checked: those that networks and autoencoders share."""
    return {
        "batch_size": np.inf if model.batch_size is None else check_int("batch_size", model.batch_size, low=1),
        "learning_rate": check_real("learning_rate", learning_rate, low=0, low_open=True),
        "momentum": check_real("momentum", model.momentum, low=0, high=1, high_open=True),
        "max_iter": check_int("max_iter", model.max_iter, low=1),
    }


def mean_loss(X, Y, weights, biases, activation, loss):
    """J without penalties: the mean loss of some rows; infinite or NaN where the outputs overflow."""
    with np.errstate(all="ignore"):
        return float(loss.of(Y, layer_outputs(X, weights, biases, activation.g)[-1]).mean())


def objective(theta, sizes, X, Y, activation, loss, decay, elimination):
    """Return slope(rows), the gradient of J over a batch with its penalties, and the list of its summed losses."""
    weights, biases = parts(theta, sizes)
    which, seen = is_weight(sizes), []

    def slope(rows):
        x, y = X[rows], Y[rows]
        step, S = gradient(x, y, weights, biases, activation, loss)
        seen.append(loss.of(y, S).sum())
        if decay > 0:
            step += which * decay_slope(theta, decay)
        if elimination > 0:
            step += which * elimination_slope(theta, elimination)
        return step

    return slope, seen


def held_out(y, fraction, rng):
    """Rows to train on and rows to watch, each value of y in both in equal shares as far as they go round."""
    n_watched = min(max(1, round(fraction * len(y))), len(y) - 1)
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    watched = order[((np.arange(n_watched) + 0.5) * len(y) / n_watched).astype(int)]
    return np.setdiff1d(np.arange(len(y)), watched), watched


class Patience:
    """The best loss so far, and the epochs since it last fell by more than tol."""

    def __init__(self, tol):
        self.tol, self.best, self.since = tol, np.inf, 0

    def fell(self, value):
        """Take in the loss of one more epoch, and say whether it fell."""
        fell = value < self.best - self.tol
        self.best, self.since = (value, 0) if fell else (self.best, self.since + 1)
        return fell


class _Network:
    """What classifier and regressor share: parameters, training, and the outputs."""

    _learning_rate = 0.05

    def __init__(
        self, *, hidden_layers=30, activation="tanh", learning_rate=None, batch_size=32, max_iter=200,
        weight_decay=0.0, weight_elimination=0.0, early_stopping=False, validation_fraction=0.1, n_iter_no_change=10,
        momentum=0.9, tol=1e-4, initial_layers=None, random_state=None,
    ):  # fmt: skip
        self.hidden_layers = hidden_layers
        self.activation = activation
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.weight_decay = weight_decay
        self.weight_elimination = weight_elimination
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.momentum = momentum
        self.tol = tol
        self.initial_layers = initial_layers
        self.random_state = random_state

    def fit(self, X, y):
        """Train, and return self.

        Raises
        ------
        ValueError
            For bad data or parameters. A ``DivergenceError`` names the learning rate if the weights run away.

        Warns
        -----
        ConvergenceWarning
            If the loss still fell after ``max_iter`` epochs, or ends above where it began.
        """
        run(self.iter_fit(X, y))
        return self

    def _train(self, X, Y, y, loss, check):
        """Train on rows X and targets Y; y, one number a row, says how to share out the rows that are watched."""
        sizes, rng = (X.shape[1], *check["widths"], Y.shape[1]), check_random_state(self.random_state)
        theta = self._start(sizes, rng)
        X, Y, watched = self._shared_out(X, Y, y, rng)
        yield from self._descend(theta, sizes, X, Y, watched, loss, check, rng)

    def _shared_out(self, X, Y, y, rng):
        """The rows to train on, and those to watch: (X, Y), empty without early stopping."""
        if not self.early_stopping:
            return X, Y, ()
        if len(X) < 2:
            raise ValueError("early stopping holds out a row to watch: at least 2 samples are needed, got 1 sample")
        train, watched = held_out(y, self.validation_fraction, rng)
        return X[train], Y[train], (X[watched], Y[watched])

    def _descend(self, theta, sizes, X, Y, watched, loss, check, rng):
        """Epoch by epoch, until the loss falls no more; then back to the best θ, if rows are watched."""
        activation, penalties = ACTIVATIONS[self.activation], (self.weight_decay, self.weight_elimination)
        layers, which = self._publish(theta, sizes), is_weight(sizes)
        slope, seen = objective(theta, sizes, X, Y, activation, loss, *penalties)
        before = mean_loss(X, Y, *layers, activation, loss) + penalty(theta, which, *penalties)
        patience, kept = Patience(check["tol"]), theta
        for self.n_iter_ in walk(theta, slope, len(X), *(check[name] for name in WALK), rng):
            value = float(np.sum(seen)) / len(X) + penalty(theta, which, *penalties)
            seen.clear()
            if not value <= FARTHEST_LOSS * (1 + before):
                raise diverged(self.n_iter_, check["learning_rate"])
            self.loss_curve_.append(value)
            if watched:
                value = mean_loss(*watched, *layers, activation, loss)
                self.validation_losses_.append(value)
            if patience.fell(value) and watched:
                kept, self.best_epoch_ = theta.copy(), self.n_iter_
            yield self
            if patience.since >= check["n_iter_no_change"] and (watched or check["tol"] > 0):
                break
        else:
            self._say_if_unfinished(check)
        theta[:] = kept
        after = mean_loss(X, Y, *layers, activation, loss) + penalty(theta, which, *penalties)
        self._say_if_worse(before, after, check)

    def _say_if_unfinished(self, check):
        if check["tol"] > 0:
            warn_caller(
                f"the loss was still falling after max_iter={check['max_iter']} epochs; raise max_iter, or say tol=0 "
                "to run so many and no more",
                ConvergenceWarning,
            )

    def _say_if_worse(self, before, after, check):
        if after > 1.01 * before:
            warn_caller(
                f"the training loss rose from {before:.3g} to {after:.3g}: learning_rate={check['learning_rate']:g} is "
                "too large for these data or penalties; make it smaller, or bring X and y to deviations near 1",
                ConvergenceWarning,
            )

    def _checked_parameters(self):
        """Check all parameters; return those that have a value of their own inside."""
        check_choice("activation", self.activation, tuple(ACTIVATIONS))
        check_random_state(self.random_state)
        check_flag("early_stopping", self.early_stopping)
        check_real("validation_fraction", self.validation_fraction, low=0, high=1, low_open=True, high_open=True)
        check_real("weight_decay", self.weight_decay, low=0)
        check_real("weight_elimination", self.weight_elimination, low=0)
        return {
            "widths": layer_widths(self.hidden_layers),
            **checked_walk(self, self._learning_rate if self.learning_rate is None else self.learning_rate),
            "n_iter_no_change": check_int("n_iter_no_change", self.n_iter_no_change, low=1),
            "tol": check_real("tol", self.tol, low=0),
        }

    def _start(self, sizes, rng):
        """The first θ: drawn, with the layers that were given in their places."""
        layers = [first_weights(n_in, n_out, rng) for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True)]
        given = [] if self.initial_layers is None else self.initial_layers
        if not isinstance(given, (list, tuple)) or not all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given
        ):
            raise ValueError("initial_layers must be a list of pairs (W, b)")
        if len(given) > len(layers):
            raise ValueError(f"initial_layers holds {len(given)} layers, but the network has {len(layers)}")
        for number, pair in enumerate(given, start=1):
            W, b = check_array(pair[0], name=f"W of initial layer {number}"), check_numbers(pair[1], "b").reshape(1, -1)
            if W.shape != layers[number - 1][0].shape or b.shape[1] != W.shape[1]:
                raise ValueError(
                    f"initial layer {number} has W of shape {W.shape} and {b.shape[1]} biases; layer {number} of the "
                    f"network goes from {sizes[number - 1]} to {sizes[number]} units"
                )
            layers[number - 1] = W, b
        return in_one_row(*zip(*layers, strict=True))

    def _publish(self, theta, sizes):
        """Write what is learned into attributes, as views of θ, which change with it; return weights and biases."""
        weights, biases = parts(theta, sizes)
        self.coefs_, self.intercepts_ = weights, [b[0] for b in biases]
        self.n_layers_ = len(sizes)
        self.loss_curve_, self.validation_losses_, self.n_iter_, self.best_epoch_ = [], [], 0, 0
        return weights, biases

    def hidden_outputs(self, X):
        """Return what each hidden layer puts out, a list of arrays of shape (n_samples, width)."""
        return self._layers(X)[1:-1]

    def _layers(self, X):
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            xs = layer_outputs(X, self.coefs_, self.intercepts_, ACTIVATIONS[self.activation].g)
        sound(xs[-1])
        return xs


def layer_widths(hidden_layers):
    """The widths of the hidden layers, from a number or a sequence of numbers.

    Raises
    ------
    ValueError
        If one is no whole number of 1 or more.
    """
    widths = (hidden_layers,) if np.ndim(hidden_layers) == 0 else tuple(hidden_layers)
    for number, width in enumerate(widths, start=1):
        name = f"the width of hidden layer {number} (hidden_layers={shown(hidden_layers)})"
        check_int(name, width, low=1)
    return widths


class MLPClassifier(_Network, Classifier):
    """A network whose outputs are scores of classes: P(k | x) = softmax(s⁽ᴸ⁾)_k; of two classes one, P = 1/(1 + e⁻ˢ).

    It minimises the mean of -ln P(y_i | x_i) over the rows, plus λ Σ w² + κ Σ w²/(1 + w²) over all weights; the biases
    are free. (scikit-learn's ``alpha`` is 2λ times the size of the batch.)

    Parameters
    ----------
    hidden_layers : int or sequence of int
        How many units each hidden layer has; () is logistic regression.
    activation : {"tanh", "logistic", "relu", "identity"}
        Of the hidden units.
    learning_rate : float > 0 or None
        η of each step; None is 0.05.
    batch_size : int or None
        Rows a step; None takes all, which is gradient descent.
    max_iter : int
        Epochs: passes over all rows, each in a new order.
    weight_decay, weight_elimination : float >= 0
        λ and κ.
    early_stopping : bool
        Hold out a part of the rows, stop when their loss falls no more, and return to where it was least, to within
        ``tol``.
    validation_fraction : float in (0, 1)
        The part held out.
    n_iter_no_change : int
        Stop after so many epochs in which the loss (of the rows held out, or else of training) did not fall by ``tol``.
    momentum : float in [0, 1)
        μ of v ← μv - η∇J, θ ← θ + v; 0 is plain gradient descent.
    tol : float >= 0
        0 runs all ``max_iter`` epochs, unless ``early_stopping``; then any fall counts.
    initial_layers : sequence of pairs (W, b) or None
        The first layers to begin with, as ``pretrain`` returns them; the others are drawn.
    random_state : int, Generator or None

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
        """Train epoch by epoch (see ``fit``); yield the model, ready to predict, after each."""
        check = self._checked_parameters()
        X, codes = check_classification(self, X, y, min_classes=2)
        if len(self.classes_) == 2:
            yield from self._train(X, codes[:, np.newaxis].astype(float), codes, LOSSES["log"], check)
        else:
            Y = indicator(codes, len(self.classes_))
            yield from self._train(X, Y, codes, LOSSES["cross-entropy"], check)

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
    learning rate is twice ours, its ``alpha`` λ times the size of the batch.) Bring y to a deviation near 1.

    Parameters
    ----------
    hidden_layers, activation, batch_size, max_iter, weight_decay, weight_elimination, early_stopping, \
validation_fraction, n_iter_no_change, momentum, tol, initial_layers, random_state
        As of ``MLPClassifier``; () as ``hidden_layers`` is linear regression.
    learning_rate : float > 0 or None
        η of each step; None is 0.01.

    Attributes
    ----------
    coefs_, intercepts_, loss_curve_, validation_losses_, n_iter_, best_epoch_
        As of ``MLPClassifier``.

    Notes C 6.6-6.8.
    """

    _learning_rate = 0.01

    def iter_fit(self, X, y):
        """Train epoch by epoch (see ``fit``); yield the model, ready to predict, after each."""
        check = self._checked_parameters()
        X, y = check_regression(self, X, y)
        yield from self._train(X, y[:, np.newaxis], y, LOSSES["squared"], check)

    def predict(self, X):
        """Return the output of each row, shape (n_samples,)."""
        return self._layers(X)[-1][:, 0]
