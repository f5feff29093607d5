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
    "relu": numbers,
    "tanh_slope": two,
    "logistic_slope": three,
    "relu_slope": numbers,
    "squared_error": numbers,
    "squared_error_delta": numbers,
    "log_loss": two,
    "log_loss_delta": two,
    "cross_entropy": three,
    "cross_entropy_delta": three,
    "layer_outputs": two,
    "deltas": two,
    "mean_slopes": two,
    "gradient": two,
    "first_weights": two,
    "momentum_step": two,
    "decay_slope": two,
    "elimination_slope": three,
    "encoded": tied,
    "tied_outputs": tied,
    "tied_slopes": tied,
    "stage": lambda: pretrain(X, 2, max_iter=2, random_state=0),
}
