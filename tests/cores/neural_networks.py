"""Fits that run the core functions of chapter 21; see tests/test_core.py."""

import numpy as np

from mlcore.neural_networks import Autoencoder, MLPClassifier, MLPRegressor, pretrain

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3))
QUICK = {"hidden_layers": 4, "max_iter": 2, "tol": 0, "random_state": 0}


def two():
    """Two classes, tanh units, weight decay."""
    MLPClassifier(weight_decay=1e-3, **QUICK).fit(X, np.arange(12) % 2)


def three():
    """Three classes, logistic units, weight elimination."""
    MLPClassifier(activation="logistic", weight_elimination=1e-3, **QUICK).fit(X, np.arange(12) % 3)


def numbers():
    """A regression with rectifiers."""
    MLPRegressor(activation="relu", **QUICK).fit(X, X[:, 0])


def tied():
    """A tied autoencoder."""
    Autoencoder(max_iter=2, random_state=0).fit(X)


RUNS = {
    "neural_networks.activations.relu": numbers,
    "neural_networks.activations.tanh_slope": two,
    "neural_networks.activations.logistic_slope": three,
    "neural_networks.activations.relu_slope": numbers,
    "neural_networks.activations.squared_error": numbers,
    "neural_networks.activations.squared_error_delta": numbers,
    "neural_networks.activations.log_loss": two,
    "neural_networks.activations.log_loss_delta": two,
    "neural_networks.activations.cross_entropy": three,
    "neural_networks.activations.cross_entropy_delta": three,
    "neural_networks.propagation.layer_outputs": two,
    "neural_networks.propagation.deltas": two,
    "neural_networks.propagation.mean_slopes": two,
    "neural_networks.mlp.gradient": two,
    "neural_networks.descent.first_weights": two,
    "neural_networks.descent.momentum_step": two,
    "neural_networks.descent.decay_slope": two,
    "neural_networks.descent.elimination_slope": three,
    "neural_networks.autoencoder.encoded": tied,
    "neural_networks.autoencoder.tied_outputs": tied,
    "neural_networks.autoencoder.tied_slopes": tied,
    "neural_networks.autoencoder.stage": lambda: pretrain(X, 2, max_iter=2, random_state=0),
}
