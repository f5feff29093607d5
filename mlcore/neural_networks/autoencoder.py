"""Autoencoders (自编码器): networks that learn to give back what they are given, through a narrow layer."""

import numpy as np

from mlcore.base import (
    REQUIRED,
    Transformer,
    check_array,
    check_fit_X,
    check_is_fitted,
    check_X,
    declared,
    door,
    flag,
    real,
    table,
    whole,
)
from mlcore.core.neural_networks import encoded, gradient, stage, tied_outputs, tied_slopes
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.neural_networks.descent import Trained, first_row, parts, sound, walk, widths
from mlcore.numerics import finite
from mlcore.optimize import check_epoch, warn_if_worse

__all__ = ["Autoencoder", "encoded", "pretrain", "stage", "tied_outputs", "tied_slopes"]


class Autoencoder(Trained, Transformer):
    """x̂ = g(xW + b)V + c, trained to be x: it minimises the mean of ‖x_i - x̂_i‖² over the rows.

    The outputs are linear; all ``max_iter`` epochs are run.

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

    n_hidden: int = whole(2, "k, the numbers kept of a row.", low=1)
    tied: bool = flag(True, "Decode with V = Wᵀ.")
    noise: float = real(
        0.0,
        "Deviation of the Gaussian noise on what it is *shown*, new in each step; what it should give back stays\n"
        "clean.",
        low=0,
    )
    biases: bool = flag(True, "Whether b and c are learned or stay 0.")

    def iter_fit(self, X, y=None):
        p = self.checked()
        X = check_fit_X(self, X)
        (n, d), k, rng, activation = X.shape, p.n_hidden, p.random_state, ACTIVATIONS[p.activation]
        theta = first_row((d, k, d), rng)
        layers = (W, V), (b, c) = parts(theta, (d, k, d))
        learned = np.repeat([1.0, p.biases, 1.0, p.biases], [d * k, k, k * d, d])
        self.encoder_, self.encoder_bias_ = W, b[0]
        self.decoder_, self.decoder_bias_ = (W.T if p.tied else V), c[0]
        self._n_features_out, self.loss_curve_, self.n_iter_ = k, [], 0

        def batch(rows):
            x = X[rows]
            z = x + p.noise * rng.normal(size=x.shape) if p.noise > 0 else x
            if p.tied:
                H = encoded(z, W, b, activation.g)
                by_W, by_b, by_c = tied_slopes(z, H, x, W, c, activation.slope)
                slope, out = np.concatenate([by_W.ravel(), by_b, np.zeros(V.size), by_c]), tied_outputs(H, W, c)
            else:
                slope, out = gradient(z, x, *layers, activation, LOSSES["squared"])
            return learned * slope, ((out - x) ** 2).sum()

        before = self._error(X)
        for self.n_iter_, loss in walk(theta, batch, n, p, p.learning_rate, rng):
            check_epoch(self.n_iter_, theta, loss, before, p.learning_rate)
            self.loss_curve_.append(loss)
            yield self
        if p.noise == 0:
            warn_if_worse(before, self._error(X), p.learning_rate)

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


OF_EACH = {name: declared(Autoencoder)[name] for name in (
    "activation", "noise", "tied", "learning_rate", "batch_size", "momentum", "random_state"
)}  # fmt: skip


@door(
    X=table("Rows without labels."), hidden_layers=widths(REQUIRED), max_iter=whole(50, "Epochs a layer.", low=1),
    **OF_EACH,
)
def pretrain(X, hidden_layers, *, activation="tanh", noise=0.0, tied=True, learning_rate=0.01, batch_size=32,
             momentum=0.9, max_iter=50, random_state=None):  # fmt: skip
    """Return first weights for a deep network, each layer learned as an autoencoder of the layer before (预训练).

    Returns
    -------
    list of pairs (W, b)
        For ``MLPClassifier(hidden_layers=hidden_layers, activation=activation, initial_layers=...)``.

    Notes C 7.2.
    """
    x, layers = X, []

    def train(x, width):
        model = Autoencoder(
            n_hidden=width, activation=activation, noise=noise, tied=tied, learning_rate=learning_rate,
            batch_size=batch_size, momentum=momentum, max_iter=max_iter, random_state=random_state,
        ).fit(x)  # fmt: skip
        return model.encoder_.copy(), model.encoder_bias_.copy()

    for width in hidden_layers:
        layer, x = stage(x, width, train, ACTIVATIONS[activation].g)
        layers.append(layer)
    return layers
