"""Support vector machines against scikit-learn's, which are LIBSVM's: training with three kernels, and predicting.

Both stop when no two points disagree about b by more than 1e-3, and ours then takes its last step, to the optimum; the
duals agree to about 1e-6. With a large C and classes that overlap LIBSVM does not finish (it stops after ``max_iter``
steps), so the row with C = 1e6 is a task that both finish: classes with room between them.
"""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.svm import SVC as SklearnSVC

from benchmarks.core import Face, Row
from mlcore.base import run
from mlcore.core import support_vector_machines as core
from mlcore.kernels import kernel_function, rbf_kernel
from mlcore.support_vector_machines import SVC, LinearSVC

SIZES = (200, 1_000, 3_000)


def overlapping(n_samples, n_features=5):
    """Two Gaussian clouds of labels -1 and +1, which share about a tenth of their points."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], n_samples)
    return rng.normal(size=(n_samples, n_features)) + 0.6 * y[:, np.newaxis], y


def apart(n_samples, n_features=5):
    """Two clouds with room between them."""
    X, y = overlapping(n_samples, n_features)
    return X + 4.0 * y[:, np.newaxis], y


def crescents(n_samples):
    """Two noisy half circles."""
    rng = np.random.default_rng(1)
    angle, y = np.pi * rng.random(n_samples), rng.choice([-1.0, 1.0], n_samples)
    X = np.column_stack([y * np.cos(angle) + 0.5 * (y < 0), y * np.sin(angle) + 0.25 * (y < 0)])
    return X + 0.3 * rng.normal(size=X.shape), y


def fitter(model, **options):
    """A function that fits a model of this class to X and y and returns it."""
    return lambda X, y: model(**options).fit(X, y)


def dual_value(model, X, y):
    """W of a fitted model, from its coefficients and its own kernel."""
    options = {name: getattr(model, name) for name in ("gamma", "degree", "coef0")}
    vectors, beta = X[model.support_], np.ravel(model.dual_coef_)
    return np.abs(beta).sum() - 0.5 * beta @ kernel_function(model.kernel, X=X, **options)(vectors) @ beta


def same_machine(ours, theirs, X, y):
    """Both reach the same dual objective, ours no lower one, and predict the same classes."""
    own, other = dual_value(ours, X, y), dual_value(theirs, X, y)
    assert_allclose(own, other, rtol=1e-5)
    assert own >= (1 - 1e-9) * other
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.995


def fitted(n_samples):
    """Data, and a model of either library that was fitted to it."""
    X, y = crescents(n_samples)
    return X, SVC(tol=1e-6).fit(X, y), SklearnSVC(tol=1e-6).fit(X, y)


def training(name, data, **options):
    """The row of one task of training."""
    return Row(name, SIZES, data, ours=fitter(SVC, **options), theirs=fitter(SklearnSVC, **options), same=same_machine)


ROWS = [
    training("SVC, linear", overlapping, kernel="linear"),
    training("SVC, linear, C = 1e6, separable", apart, kernel="linear", C=1e6),
    training("SVC, polynomial of degree 3", crescents, kernel="poly", coef0=1.0),
    training("SVC, polynomial of degree 3, C = 100", crescents, kernel="poly", coef0=1.0, C=100.0),
    training("SVC, Gaussian", crescents, kernel="rbf"),
    training("SVC, Gaussian, C = 0.01", overlapping, kernel="rbf", C=0.01),
    training("SVC, Gaussian, C = 100", crescents, kernel="rbf", C=100.0),
    Row(
        "SVC, decision_function, Gaussian", SIZES, fitted,
        ours=lambda X, ours, theirs: ours.decision_function(X),
        theirs=lambda X, ours, theirs: theirs.decision_function(X),
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-4),
    ),
]


def bare_smo(X, y):
    """β of SVC(): the kernel matrix, the core's loop on it, and b."""
    K = rbf_kernel(X, X, gamma=1.0 / (X.shape[1] * X.var()))
    beta, lower, upper = np.zeros(len(y)), np.minimum(y, 0.0), np.maximum(y, 0.0)
    run(core.smo(beta, y.copy(), K, lower, upper, 1e-3))
    return beta, core.intercept(beta, y - K @ beta, lower, upper)


def bare_pegasos(X, y, passes=20):
    """θ of LinearSVC: the core's step on ten rows at a time, and the weighted mean of the path."""
    rows, lam = np.column_stack([X - X.mean(axis=0), np.ones(len(X))]), np.append(np.full(X.shape[1], 1 / len(X)), 0)
    theta, average, t, rng = np.zeros(len(lam)), np.zeros(len(lam)), 0, np.random.default_rng(0)
    R2 = np.square(rows).sum() / len(X)
    for _ in range(passes):
        order = rng.permutation(len(X))
        for first in range(0, len(X), 10):
            batch = order[first : first + 10]
            theta = core.pegasos_step(theta, t, rows[batch], y[batch], lam, R2)
            t += 1
            average += 2.0 / (t + 1) * (theta - average)
    return average


def same_beta(model, bare, X, y):
    """The same dual coefficients and intercept to what SMO's tol leaves open."""
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_
    assert_allclose(beta, bare[0], atol=2e-2)
    assert_allclose(model.intercept_, bare[1], atol=2e-3)


FACES = [
    Face("SVC, Gaussian, a bare SMO loop", (400,), overlapping, ours=fitter(SVC), theirs=bare_smo, same=same_beta),
    Face(
        "LinearSVC, 20 passes, a bare loop of steps", (400,), overlapping,
        ours=lambda X, y: [model for _, model in zip(range(20), LinearSVC(random_state=0).iter_fit(X, y))][-1],
        theirs=bare_pegasos, same=lambda model, theta, X, y: assert_allclose(model.coef_, theta[:-1], rtol=1e-9),
    ),
]
