"""Fits that run each core function of chapter 21, on the data of its notebook."""

from mlcore.datasets import load_digits, load_iris, make_moons
from mlcore.neural_networks import Autoencoder, MLPClassifier, MLPRegressor, pretrain

MOONS = make_moons(60, noise=0.35, random_state=3)
IRIS = load_iris()
DIGITS = load_digits()
FEW = {"max_iter": 5, "tol": 0, "random_state": 0}


def two():
    """Two classes, tanh units, weight decay."""
    MLPClassifier(weight_decay=1e-3, **FEW).fit(*MOONS)


def ten():
    """Ten classes, logistic units, weight elimination."""
    MLPClassifier(activation="logistic", weight_elimination=1e-3, **FEW).fit(DIGITS.data / 16, DIGITS.target)


def numbers():
    """A regression with rectifiers."""
    MLPRegressor(activation="relu", **FEW).fit(*MOONS)


def tied():
    """A tied autoencoder."""
    Autoencoder(random_state=0).fit(IRIS.data)


RUNS = {
    "layer_outputs": two,
    "relu": numbers,
    "squared_error": numbers,
    "squared_error_delta": numbers,
    "log_loss": two,
    "log_loss_delta": two,
    "cross_entropy": ten,
    "cross_entropy_delta": ten,
    "deltas": two,
    "mean_slopes": two,
    "tanh_slope": two,
    "logistic_slope": ten,
    "relu_slope": numbers,
    "gradient": two,
    "in_one_row": two,
    "momentum_step": two,
    "first_weights": two,
    "decay_slope": two,
    "elimination_slope": ten,
    "encoded": tied,
    "tied_outputs": tied,
    "tied_slopes": tied,
    "stage": lambda: pretrain(IRIS.data, 2, random_state=0),
}
