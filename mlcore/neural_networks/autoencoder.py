"""Autoencoders (自编码器): networks that learn to give back what they are given, through a narrow layer; pre-training.

Symbols. X has a row for each example, d features; W of shape (d, k) and b of shape (1, k) encode: H = g(XW + b).
V of shape (k, d) and c of shape (1, d) decode: HV + c. Tied weights are V = Wᵀ. Z is what the autoencoder is shown: X,
or X with noise; X is what it should give back.
"""

import numpy as np

from mlcore.base import (
    ConvergenceWarning,
    Transformer,
    check_array,
    check_choice,
    check_fit_X,
    check_flag,
    check_int,
    check_is_fitted,
    check_random_state,
    check_real,
    check_X,
    run,
    warn_caller,
)
from mlcore.core.neural_networks import encoded, stage, tied_outputs, tied_slopes
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.neural_networks.descent import (
    FARTHEST_LOSS,
    diverged,
    first_weights,
    in_one_row,
    parts,
    sound,
    walk,
)
from mlcore.neural_networks.mlp import WALK, checked_walk, gradient, layer_widths
from mlcore.numerics import finite

__all__ = ["Autoencoder", "encoded", "pretrain", "stage", "tied_outputs", "tied_slopes"]


def objective(layers, X, tied, noise, activation, rng):
    """Return slope(rows), all slopes of a batch's mean error in one row, and the list of its summed errors."""
    (W, V), (b, c) = layers
    seen = []

    def slope(rows):
        x = X[rows]
        z = x + noise * rng.normal(size=x.shape) if noise > 0 else x
        if tied:
            H = encoded(z, W, b, activation.g)
            by_W, by_b, by_c = tied_slopes(z, H, x, W, c, activation.slope)
            step, out = np.concatenate([by_W.ravel(), by_b, np.zeros(V.size), by_c]), tied_outputs(H, W, c)
        else:
            step, out = gradient(z, x, *layers, activation, LOSSES["squared"])
        seen.append(((out - x) ** 2).sum())
        return step

    return slope, seen


class Autoencoder(Transformer):
    """x̂ = g(xW + b)V + c, trained to be x: it minimises the mean of ‖x_i - x̂_i‖² over the rows.

    Parameters
    ----------
    n_hidden : int
        k, the numbers kept of a row.
    tied : bool
        Decode with V = Wᵀ.
    noise : float >= 0
        Deviation of the Gaussian noise on what it is *shown*, new in each step; what it should give back stays clean.
    activation : {"tanh", "logistic", "relu", "identity"}
        g of the hidden layer; the outputs are linear.
    biases : bool
        Whether b and c are learned or stay 0.
    learning_rate : float > 0
    batch_size : int or None
        Rows a step; None takes all.
    momentum : float in [0, 1)
    max_iter : int
        Epochs; all are run.
    random_state : int, Generator or None

    Attributes
    ----------
    encoder_, decoder_ : ndarrays of shape (n_features, n_hidden) and (n_hidden, n_features)
        W and V.
    encoder_bias_, decoder_bias_ : ndarrays of shape (n_hidden,) and (n_features,)
    loss_curve_ : list of float
        The mean error of the rows (with the noise) as each was met, one an epoch.
    n_iter_ : int

    Notes C 7.2-7.3. The hidden units are not units of measurement: give all features deviations of one size.
    """

    def __init__(
        self, *, n_hidden=2, tied=True, noise=0.0, activation="tanh", biases=True, learning_rate=0.01, batch_size=32,
        momentum=0.9, max_iter=200, random_state=None,
    ):  # fmt: skip
        self.n_hidden = n_hidden
        self.tied = tied
        self.noise = noise
        self.activation = activation
        self.biases = biases
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.momentum = momentum
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Train, and return self; y is ignored.

        Raises
        ------
        ValueError
            For bad data or parameters. A ``DivergenceError`` names the learning rate if the weights run away.

        Warns
        -----
        ConvergenceWarning
            If it gives the rows back worse at the end than at the beginning.
        """
        run(self.iter_fit(X))
        return self

    def iter_fit(self, X, y=None):
        """Train epoch by epoch (see ``fit``); yield the model, ready to transform, after each."""
        check = self._checked_parameters()
        X = check_fit_X(self, X)
        yield from self._descend(X, check, check_random_state(self.random_state))

    def _checked_parameters(self):
        """Check all parameters; return those of the walk."""
        check_int("n_hidden", self.n_hidden, low=1)
        check_flag("tied", self.tied)
        check_flag("biases", self.biases)
        check_real("noise", self.noise, low=0)
        check_choice("activation", self.activation, tuple(ACTIVATIONS))
        check_random_state(self.random_state)
        return checked_walk(self, self.learning_rate)

    def _descend(self, X, check, rng):
        """Epoch by epoch; at the end say whether the error rose."""
        (n, d), k, eta = X.shape, self.n_hidden, check["learning_rate"]
        theta = in_one_row(*zip(*[first_weights(a, b, rng) for a, b in ((d, k), (k, d))], strict=True))
        layers = (W, V), (b, c) = parts(theta, (d, k, d))
        bare_slope, seen = objective(layers, X, self.tied, self.noise, ACTIVATIONS[self.activation], rng)
        learned = np.repeat([1.0, self.biases, 1.0, self.biases], [d * k, k, k * d, d])

        def slope(rows):
            return learned * bare_slope(rows)

        self.encoder_, self.encoder_bias_ = W, b[0]
        self.decoder_, self.decoder_bias_ = (W.T if self.tied else V), c[0]
        self._n_features_out, self.loss_curve_, self.n_iter_ = k, [], 0
        before = self._error(X)
        for self.n_iter_ in walk(theta, slope, n, *(check[name] for name in WALK), rng):
            self.loss_curve_.append(float(np.sum(seen)) / n)
            seen.clear()
            if not self.loss_curve_[-1] <= FARTHEST_LOSS * (1 + before):
                raise diverged(self.n_iter_, eta)
            yield self
        after = self._error(X)
        if after > 1.01 * before and self.noise == 0:
            warn_caller(
                f"the error rose from {before:.3g} to {after:.3g}: learning_rate={eta:g} is too large for these data; "
                "make it smaller, or bring X to deviations near 1",
                ConvergenceWarning,
            )

    def _error(self, X):
        with np.errstate(all="ignore"):
            H = encoded(X, self.encoder_, self.encoder_bias_, ACTIVATIONS[self.activation].g)
            return float(((H @ self.decoder_ + self.decoder_bias_ - X) ** 2).sum() / len(X))

    def transform(self, X):
        """Return the hidden numbers H = g(XW + b), of shape (n_samples, n_hidden)."""
        X = check_X(self, X)
        with np.errstate(over="ignore", invalid="ignore"):
            return sound(encoded(X, self.encoder_, self.encoder_bias_, ACTIVATIONS[self.activation].g))

    def inverse_transform(self, H):
        """Return the rows HV + c that belong to hidden numbers, of shape (n_samples, n_features).

        Raises
        ------
        ValueError
            If H has another number of columns than ``n_hidden``.
        """
        check_is_fitted(self)
        H = check_array(H, name="H")
        if H.shape[1] != len(self.decoder_):
            raise ValueError(f"H has {H.shape[1]} columns, but the autoencoder has {len(self.decoder_)} hidden units")
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(H @ self.decoder_ + self.decoder_bias_, "a row given back overflows; rescale H")


def pretrain(X, hidden_layers, *, activation="tanh", noise=0.0, tied=True, learning_rate=0.01, batch_size=32,
             momentum=0.9, max_iter=50, random_state=None):  # fmt: skip
    """Return first weights for a deep network, each layer learned as an autoencoder of the layer before (预训练).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows without labels.
    hidden_layers : int or sequence of int
        The widths of the hidden layers, first to last.
    activation, noise, tied, learning_rate, batch_size, momentum, max_iter, random_state
        Of each ``Autoencoder``; max_iter epochs a layer.

    Returns
    -------
    list of pairs (W, b)
        For ``MLPClassifier(hidden_layers=hidden_layers, activation=activation, initial_layers=...)``.

    Raises
    ------
    ValueError
        As ``Autoencoder``; or a width is no whole number of 1 or more.

    Notes C 7.2.
    """
    x, widths = check_array(X), layer_widths(hidden_layers)
    check_choice("activation", activation, tuple(ACTIVATIONS))
    rng, layers = check_random_state(random_state), []

    def train(x, width):
        model = Autoencoder(
            n_hidden=width, activation=activation, noise=noise, tied=tied, learning_rate=learning_rate,
            batch_size=batch_size, momentum=momentum, max_iter=max_iter, random_state=rng,
        ).fit(x)  # fmt: skip
        return model.encoder_.copy(), model.encoder_bias_.copy()

    for width in widths:
        layer, x = stage(x, width, train, ACTIVATIONS[activation].g)
        layers.append(layer)
    return layers
