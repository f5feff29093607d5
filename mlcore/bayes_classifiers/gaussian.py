"""Gaussian classes: each with its own covariance, or naively with variances alone (Notes A 10.2, B 连续情况)."""

import numpy as np

from mlcore.base import check_classification, check_X, real
from mlcore.bayes_classifiers.posterior import DDOF, PRIORS, BayesClassifier, log_prior
from mlcore.core.bayes_classifiers import gaussian_log_joint, independent_log_density, independent_log_joint
from mlcore.features import indicator
from mlcore.numerics import regular_inverse_root, standardise

__all__ = ["GaussianBayes", "GaussianNB", "gaussian_log_joint", "independent_log_density", "independent_log_joint"]


def learn_gaussians(X, codes, n_classes, ddof, smoothing):
    """Return sizes, means, variances (n_classes, n_features), and the deviations in units of each feature, and these.

    In units, a feature in 1e-8 beside one in 1e8 costs no digits. A feature that is constant in all of X has variance
    1: it then says the same under every class. To the variance of a feature in each class ``smoothing`` times its
    variance in all of X is added.
    """
    Z, center, unit = standardise(X, np.full(len(X), 1 / len(X)))
    sizes, member = np.bincount(codes, minlength=n_classes), indicator(codes, n_classes)
    mean = member.T @ Z / sizes[:, np.newaxis]
    D = Z - mean[codes]
    squares = member.T @ np.square(D)
    varies = (squares + np.abs(mean)).any(axis=0)  # within the classes or from class to class
    variance = squares / np.maximum(sizes - ddof, 1.0)[:, np.newaxis]
    variance = np.where(variance > 1e-26, variance, 0.0) + smoothing * varies
    variance[:, ~varies] = 1.0
    return sizes, mean * unit + center, variance, D, unit


def check_variances(variance, classes, hint):
    """Refuse a class in which a feature does not vary."""
    if (variance > 0).all():
        return
    c, j = (int(place) for place in np.argwhere(variance <= 0)[0])
    raise ValueError(f"feature {j} does not vary within class {classes.tolist()[c]!r}, so it has no density: {hint}")


def normals(X, codes, classes, p):
    """Return the means and variances of each class, both of shape (n_classes, n_features)."""
    _, mean, variance, _, unit = learn_gaussians(X, codes, len(classes), p.ddof, p.var_smoothing)
    check_variances(variance, classes, "set var_smoothing above 0")
    return mean, variance * unit**2


VAR_SMOOTHING = real(
    1e-9,
    "This share of each feature's variance in all of X is added to its variance in each class, so that none is 0.\n"
    "(scikit-learn adds a share of the *largest* variance to all, which swamps features in small units.)",
    low=0,
)


class GaussianNB(BayesClassifier):
    """Gaussian naive Bayes: p(c, x) = p(c) Π_i N(x_i; μ_ci, σ²_ci).

    Given the class, the features are independent, each with a mean and a variance for each class. The border between
    two classes is quadratic; it is linear where the variances are equal *across the classes*.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    theta_, var_ : ndarrays of shape (n_classes, n_features)
        Means and variances.

    References
    ----------
    Notes A (299), where p(x_i, c) should be p(x_i | c); Notes B 连续情况.
    """

    priors: object = PRIORS
    ddof: int = DDOF
    var_smoothing: float = VAR_SMOOTHING

    def fit(self, X, y):
        """Learn the means and variances of each class.

        Raises
        ------
        ValueError
            If ``var_smoothing`` is 0 and a feature does not vary within a class.
        """
        p = self.checked()
        X, codes = check_classification(self, X, y)
        self.theta_, self.var_ = normals(X, codes, self.classes_, p)
        self.class_log_prior_ = log_prior(codes, len(self.classes_), p.priors, 0)
        return self

    def _log_joint(self, X):
        return independent_log_joint(self.class_log_prior_, self.theta_, self.var_, check_X(self, X))


class GaussianBayes(BayesClassifier):
    """The Bayes classifier for Gaussian classes: p(c, x) = p(c) N(x; μ_c, Σ_c), with a full covariance for each class.

    Also called quadratic discriminant analysis (二次判别分析).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    covariances_ : ndarray of shape (n_classes, n_features, n_features)
        After shrinking.
    roots_ : ndarray of shape (n_classes, n_features, n_features)
        R_c, with R_c R_cᵀ = Σ_c⁻¹.

    References
    ----------
    Notes A (292)-(294), where (293) has the transpose in the wrong place.
    """

    shrinkage: float = real(
        0.0,
        "s replaces Σ_c by (1 - s) Σ_c + s diag(Σ_c): 0 is the full covariance, 1 is Gaussian naive Bayes. More than\n"
        "0 makes it invertible where a class has no more rows than features.",
        low=0, high=1,
    )
    priors: object = PRIORS
    ddof: int = DDOF

    def fit(self, X, y):
        """Learn the mean and the covariance of each class.

        Raises
        ------
        ValueError
            If ``shrinkage`` is 0 and the covariance of a class is singular.
        """
        p = self.checked()
        s = p.shrinkage
        X, codes = check_classification(self, X, y)
        K = len(self.classes_)
        sizes, self.means_, variance, D, unit = learn_gaussians(X, codes, K, p.ddof, 1e-9 if s > 0 else 0.0)
        check_variances(variance, self.classes_, "set shrinkage above 0, or leave the feature out")
        self.covariances_, self.roots_ = np.empty((2, K, X.shape[1], X.shape[1]))
        for c in range(K):
            rows, deviation = D[codes == c], np.sqrt(variance[c])
            R = rows.T @ rows / max(sizes[c] - p.ddof, 1.0) / deviation / deviation[:, np.newaxis]
            R *= 1 - s
            np.fill_diagonal(R, 1.0)
            scale = deviation * unit
            try:
                self.roots_[c] = regular_inverse_root(R) / scale[:, np.newaxis]
            except np.linalg.LinAlgError:
                raise ValueError(
                    f"the {int(sizes[c])} rows of class {self.classes_.tolist()[c]!r} vary in only "
                    f"{np.linalg.matrix_rank(R, tol=1e-10)} of {len(R)} directions, so their covariance is singular: "
                    "set shrinkage above 0, say to 0.1, or use GaussianNB"
                ) from None
            self.covariances_[c] = R * scale * scale[:, np.newaxis]
        self.class_log_prior_ = log_prior(codes, K, p.priors, 0)
        return self

    def _log_joint(self, X):
        return gaussian_log_joint(self.class_log_prior_, self.means_, self.roots_, check_X(self, X))
