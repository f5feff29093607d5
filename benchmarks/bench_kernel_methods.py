"""Kernel methods against scikit-learn: ridge, logistic regression, regression with a tube, Platt scaling.

scikit-learn has no kernel logistic regression, but its Gaussian process classifier without tuning looks for the same
function: the most probable one under a Gaussian process minimises ½‖w‖² plus the logistic loss.
"""

import numpy as np
from numpy.testing import assert_allclose
from sklearn import svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge as SklearnKernelRidge

from benchmarks.core import Face, Row
from mlcore.base import BinaryClassifier
from mlcore.base.members import fold_numbers
from mlcore.core.kernel_methods import (
    lssvm_coefficients,
    newton_target,
    platt_step,
    residuals,
    ridge_coefficients,
    soft_targets,
)
from mlcore.kernel_methods import LSSVC, SVR, KernelLogisticRegression, KernelRidge, PlattScaling
from mlcore.kernels import gaussian, squared_distances
from mlcore.support_vector_machines import SVC

GAMMA = 0.1


def waves(n_samples, n_features=5):
    """A smooth function of five features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=n_samples)


def signs(n_samples):
    """Its sign: two classes that overlap a little."""
    X, y = waves(n_samples)
    return X, (y > 0).astype(int)


def fitter(model, **options):
    """A function that fits a model of this class to X and y and returns it."""
    return lambda X, y: model(**options).fit(X, y)


def same_values(ours, theirs, X, y):
    """Both predict the same numbers."""
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-8)


def same_tube(ours, theirs, X, y):
    """Both reach the same value of the dual, and predict the same numbers to the tolerance of training."""
    values = []
    for model in (ours, theirs):
        beta = np.zeros(len(y))
        beta[model.support_] = np.ravel(model.dual_coef_)
        values.append(y @ beta - model.epsilon * np.abs(beta).sum() - 0.5 * beta @ ours._kernel(X) @ beta)
    assert_allclose(*values, rtol=1e-5)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=0.02)


def same_coefficients(ours, theirs, X, y):
    """β = t - p at the minimum."""
    machine = theirs.base_estimator_
    assert_allclose(ours.dual_coef_, machine.y_train_ - machine.pi_, atol=1e-5)


def same_probabilities(ours, theirs, X, y):
    """Both give each row the same probability."""
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=5e-3)


def their_platt(X, y):
    """scikit-learn's calibration, on the same folds."""
    fold = fold_numbers(y, 5, is_classification=True)
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    return CalibratedClassifierCV(svm.SVC(gamma=GAMMA), method="sigmoid", ensemble=False, cv=splits).fit(X, y)


def fitted(n_samples):
    """Points, and a kernel ridge regression of either library."""
    X, y = waves(n_samples)
    options = {"alpha": 0.1, "kernel": "rbf", "gamma": GAMMA}
    return X, KernelRidge(**options).fit(X, y), SklearnKernelRidge(**options).fit(X, y)


ROWS = [
    Row(
        "kernel ridge, rbf", (500, 1_000, 2_000), waves,
        ours=fitter(KernelRidge, alpha=0.1, gamma=GAMMA),
        theirs=fitter(SklearnKernelRidge, alpha=0.1, kernel="rbf", gamma=GAMMA), same=same_values,
    ),
    Row(
        "kernel ridge, poly", (500, 1_000, 2_000), waves,
        ours=fitter(KernelRidge, alpha=1.0, kernel="poly", gamma=GAMMA, coef0=1.0),
        theirs=fitter(SklearnKernelRidge, alpha=1.0, kernel="poly", gamma=GAMMA, coef0=1.0), same=same_values,
    ),
    Row(
        "kernel ridge, predict", (500, 1_000, 2_000), fitted,
        ours=lambda X, ours, theirs: ours.predict(X), theirs=lambda X, ours, theirs: theirs.predict(X),
        same=lambda a, b, *data: assert_allclose(a, b, atol=1e-6),
    ),
    Row(
        "kernel logistic regression", (200, 400, 800), signs,
        ours=fitter(KernelLogisticRegression, gamma=GAMMA),
        theirs=fitter(GaussianProcessClassifier, kernel=RBF((2 * GAMMA) ** -0.5, "fixed"), optimizer=None),
        same=same_coefficients,
    ),
    Row(
        "SVR, rbf", (300, 1_000, 3_000), waves,
        ours=fitter(SVR, gamma=GAMMA, epsilon=0.2), theirs=fitter(svm.SVR, gamma=GAMMA, epsilon=0.2), same=same_tube,
    ),
    Row(
        "SVR, rbf, C = 100", (300, 600, 1_200), waves,
        ours=fitter(SVR, gamma=GAMMA, epsilon=0.2, C=100.0),
        theirs=fitter(svm.SVR, gamma=GAMMA, epsilon=0.2, C=100.0), same=same_tube,
    ),
    Row(
        "Platt scaling of an SVC, 5 folds", (200, 500, 1_000), signs,
        ours=lambda X, y: PlattScaling(SVC(gamma=GAMMA), cv=5).fit(X, y), theirs=their_platt, same=same_probabilities,
    ),
]


def bare_ridge(X, y):
    """K and one system of equations."""
    return ridge_coefficients(gaussian(squared_distances(X, X), GAMMA), y, 0.1)


def bare_lssvm(X, y):
    """K and one system of equations with a border."""
    return lssvm_coefficients(gaussian(squared_distances(X, X), GAMMA), 2.0 * y - 1, 1.0)[0]


def bare_logistic(X, y):
    """K and Newton's steps, the full ones, until the equations hold."""
    K, y = gaussian(squared_distances(X, X), GAMMA), 2.0 * y - 1
    beta = np.zeros(len(y))
    while np.abs(beta - residuals(K @ beta, y)).max() > 1e-6:
        f = K @ beta
        beta, _ = newton_target(f, residuals(f, y), K, 1.0, False)
    return beta


def first_feature():
    """A classifier whose score is the first feature, so that Platt scaling is all there is to time."""

    class Score(BinaryClassifier):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def decision_function(self, X):
            return X[:, 0]

    return PlattScaling(Score())


def bare_platt(X, y):
    """Newton's steps in A and B, the full ones, until the slope is small."""
    S, t = np.column_stack([X[:, 0], np.ones(len(y))]), soft_targets(y == 1)
    theta, slope = np.zeros(2), np.inf
    while np.abs(slope).max() > 1e-8:
        move, slope = platt_step(theta, S, t)
        theta = theta + move
    return theta


def same_as_bare(ours, theirs, X, y):
    """The estimator found what the bare loop found."""
    assert_allclose(ours.dual_coef_, theirs, rtol=1e-6, atol=1e-7)


FACES = [
    Face("face: kernel ridge", (400,), waves, fitter(KernelRidge, alpha=0.1, gamma=GAMMA), bare_ridge, same_as_bare),
    Face("face: LSSVC", (400,), signs, fitter(LSSVC, gamma=GAMMA), bare_lssvm, same_as_bare),
    Face(
        "face: kernel logistic regression", (400,), signs, fitter(KernelLogisticRegression, gamma=GAMMA), bare_logistic,
        same_as_bare,
    ),
    Face(
        "face: Platt scaling", (400,), signs, lambda X, y: first_feature().fit(X, y), bare_platt,
        lambda ours, theirs, X, y: assert_allclose([ours.A_, ours.B_], theirs, rtol=1e-6, atol=1e-9),
    ),
]
