"""Networks and autoencoders against scikit-learn's, for the same epochs and batch size, from the same first weights."""

import warnings

import numpy as np
from numpy.testing import assert_allclose
from sklearn import neural_network as sk

from benchmarks.core import Face, Row
from mlcore.neural_networks import Autoencoder, MLPClassifier, MLPRegressor, mlp
from mlcore.neural_networks.activations import ACTIVATIONS, LOSSES
from mlcore.neural_networks.descent import first_weights, in_one_row, momentum_step, parts

N_FEATURES = 20
EPOCHS = 10


def data(n_samples, n_classes=None):
    """Features of deviation 1 and a wavy score of them; as classes of equal size where these are asked for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, N_FEATURES))
    score = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n_samples)
    if n_classes is None:
        return X, score
    return X, np.argsort(np.argsort(score)) * n_classes // n_samples


def theirs(model, widths, batch_size, rate):
    """Scikit-learn's network, by plain momentum."""

    def fit(X, y):
        network = getattr(sk, model)(
            hidden_layer_sizes=widths, activation="tanh", solver="sgd", momentum=0.9,
            nesterovs_momentum=False, learning_rate_init=rate,
            alpha=0.0, batch_size=min(batch_size, len(X)), max_iter=EPOCHS, tol=0.0, n_iter_no_change=10**6,
            random_state=0,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return network.fit(X, y)

    return fit


def ours(model, widths, batch_size, rate):
    """The same with this library."""
    return lambda X, y: model(
        hidden_layers=widths, learning_rate=rate, batch_size=batch_size, max_iter=EPOCHS, tol=0, random_state=0
    ).fit(X, y)


def same_quality(a, b, X, y):
    """Both have learned as much: other orders of the rows, the same loss to a few hundredths of where it began."""
    scores = a.score(X, y), b.score(X, y)
    assert abs(scores[0] - scores[1]) < 0.12, scores


def pair(model, widths, batch_size, rate):
    """Ours and theirs, with the same settings; theirs halves the loss of a regression."""
    factor = 2 if model is MLPRegressor else 1
    return ours(model, widths, batch_size, rate), theirs(model.__name__, widths, batch_size, factor * rate)


def autoencode(X):
    """An untied autoencoder of five hidden units, which is a regression of X on itself."""
    model = Autoencoder(n_hidden=5, tied=False, learning_rate=0.01, batch_size=32, max_iter=EPOCHS, random_state=0)
    return model.fit(X)


def regress_on_itself(X):
    """Scikit-learn's: its loss is a mean over the outputs too, and halved."""
    return theirs("MLPRegressor", (5,), 32, 0.01 * 2)(X, X)


def same_error(a, b, X):
    """Both give the rows back about as well."""
    errors = [np.mean((back - X) ** 2) for back in (a.inverse_transform(a.transform(X)), b.predict(X))]
    assert_allclose(*errors, rtol=0.1)


SIZES = (500, 2_000, 8_000)
ROWS = [
    Row("two classes, 50 units, batches of 32", SIZES, lambda n: data(n, 2),
        *pair(MLPClassifier, (50,), 32, 0.05), same_quality),
    Row("ten classes, 50 units, batches of 200", SIZES, lambda n: data(n, 10),
        *pair(MLPClassifier, (50,), 200, 0.05), same_quality),
    Row("two layers of 100, batches of 100", SIZES, lambda n: data(n, 3),
        *pair(MLPClassifier, (100, 100), 100, 0.05), same_quality),
    Row("network regression, 30 units, batches of 32", SIZES, data,
        *pair(MLPRegressor, (30,), 32, 0.005), same_quality),
    Row("untied autoencoder, 5 units", SIZES, lambda n: data(n)[:1], autoencode, regress_on_itself, same_error),
]  # fmt: skip


def five_features(n_samples):
    """Five features and two classes."""
    X, y = data(n_samples, 2)
    return X[:, :5], y


def fit_network(X, y):
    """A fit of ten epochs."""
    return MLPClassifier(hidden_layers=10, max_iter=EPOCHS, tol=0, random_state=0).fit(X, y)


def bare_network(X, y):
    """The core in a bare loop: the same first weights, the same batches."""
    rng, Y, sizes = np.random.default_rng(0), y[:, np.newaxis].astype(float), (5, 10, 1)
    theta = in_one_row(*zip(*[first_weights(a, b, rng) for a, b in zip(sizes, sizes[1:], strict=False)], strict=True))
    (weights, biases), velocity = parts(theta, sizes), np.zeros_like(theta)
    for _ in range(EPOCHS):
        order = rng.permutation(len(X))
        for first in range(0, len(X), 32):
            rows = order[first : first + 32]
            slope, _ = mlp.gradient(X[rows], Y[rows], weights, biases, ACTIVATIONS["tanh"], LOSSES["log"])
            momentum_step(theta, velocity, slope, 0.05, 0.9)
    return theta


def same_weights(a, b, X, y):
    """The fit ends where the bare loop does."""
    assert_allclose(in_one_row(a.coefs_, [bias[np.newaxis] for bias in a.intercepts_]), b, rtol=1e-9, atol=1e-12)


FACES = [Face("multi-layer perceptron", (400,), five_features, fit_network, bare_network, same_weights)]
