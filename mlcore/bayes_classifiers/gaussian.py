"""Gaussian classes: each its own covariance, or, naively, no covariance at all (Notes A 10.2, B 连续情况).

X holds n rows of d numbers; class c has the mean μ_c, a row of ``mean`` of shape (K, d). ``log_prior`` holds ln p(c),
of shape (K,), or that and what else is to be added, of shape (n, K).
"""

import numpy as np

from mlcore.base import check_classification, check_int, check_real, check_X
from mlcore.bayes_classifiers.posterior import BayesClassifier, log_prior
from mlcore.core.bayes_classifiers import gaussian_log_joint, independent_log_joint
from mlcore.features import indicator
from mlcore.numerics import regular_inverse_root, standardise

__all__ = ["GaussianBayes", "GaussianNB", "class_moments", "gaussian_log_joint", "independent_log_joint"]


# ---------------------------------------------------------------------------------------------------------------
# The core
# ---------------------------------------------------------------------------------------------------------------
def class_moments(X, y, n_classes):
    """|D_c|, μ_c, the deviations x_i - μ_c of the rows from the mean of their class, and the sums of their squares."""
    sizes, member = np.bincount(y, minlength=n_classes), indicator(y, n_classes)
    mean = member.T @ X / sizes[:, np.newaxis]
    D = X - mean[y]
    return sizes, mean, D, member.T @ np.square(D)


# ---------------------------------------------------------------------------------------------------------------
# Estimates in units, so that a feature in 1e-8 beside one in 1e8 costs no digits
# ---------------------------------------------------------------------------------------------------------------
def learn_gaussians(X, codes, n_classes, ddof, smoothing):
    """Return sizes, means, variances (n_classes, n_features), and the deviations in units of each feature, and these.

    A feature that is constant in all of X has variance 1: it then says the same under every class. A class in which a
    feature does not vary gets ``smoothing`` times the feature's variance in all of X, as every class does.
    """
    Z, center, unit = standardise(X, np.full(len(X), 1 / len(X)))
    sizes, mean, D, squares = class_moments(Z, codes, n_classes)
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


class GaussianNB(BayesClassifier):
    """Gaussian naive Bayes: p(c, x) = p(c) Π_i N(x_i; μ_ci, σ²_ci).

    Given the class, the features are independent, each with a mean and a variance for each class. The border between
    two classes is quadratic; it is linear where the variances are equal *across the classes*.

    Parameters
    ----------
    priors : None or array-like of shape (n_classes,)
        p(c) > 0 with sum 1, in the order of ``classes_``; None takes the shares |D_c| / |D|.
    ddof : 0 or 1
        Variances are divided by |D_c| - ddof (at least by 1): 0 is maximum likelihood, 1 is unbiased.
    var_smoothing : float >= 0
        This share of each feature's variance in all of X is added to its variance in each class, so that none is 0.
        (scikit-learn adds a share of the *largest* variance to all, which swamps features in small units.)

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

    def __init__(self, *, priors=None, ddof=0, var_smoothing=1e-9):
        self.priors = priors
        self.ddof = ddof
        self.var_smoothing = var_smoothing

    def fit(self, X, y):
        """Learn the means and variances of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; or if ``var_smoothing`` is 0 and a feature does not vary within a class.
        """
        ddof = check_int("ddof", self.ddof, low=0, high=1)
        smoothing = check_real("var_smoothing", self.var_smoothing, low=0)
        X, codes = check_classification(self, X, y)
        K = len(self.classes_)
        _, self.theta_, variance, _, unit = learn_gaussians(X, codes, K, ddof, smoothing)
        check_variances(variance, self.classes_, "set var_smoothing above 0")
        self.var_ = variance * unit**2
        self.class_log_prior_ = log_prior(codes, K, self.priors, 0)
        return self

    def _log_joint(self, X):
        return independent_log_joint(self.class_log_prior_, self.theta_, self.var_, check_X(self, X))


class GaussianBayes(BayesClassifier):
    """The Bayes classifier for Gaussian classes: p(c, x) = p(c) N(x; μ_c, Σ_c), with a full covariance for each class.

    Also called quadratic discriminant analysis (二次判别分析).

    Parameters
    ----------
    shrinkage : float in [0, 1]
        s replaces Σ_c by (1 - s) Σ_c + s diag(Σ_c): 0 is the full covariance, 1 is Gaussian naive Bayes. More than 0
        makes it invertible where a class has no more rows than features.
    priors : None or array-like of shape (n_classes,)
        p(c) > 0 with sum 1, in the order of ``classes_``; None takes the shares |D_c| / |D|.
    ddof : 0 or 1
        Covariances are divided by |D_c| - ddof (at least by 1): 0 is maximum likelihood, 1 is unbiased.

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

    def __init__(self, *, shrinkage=0.0, priors=None, ddof=0):
        self.shrinkage = shrinkage
        self.priors = priors
        self.ddof = ddof

    def fit(self, X, y):
        """Learn the mean and the covariance of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; or if ``shrinkage`` is 0 and the covariance of a class is singular.
        """
        ddof = check_int("ddof", self.ddof, low=0, high=1)
        s = check_real("shrinkage", self.shrinkage, low=0, high=1)
        X, codes = check_classification(self, X, y)
        K = len(self.classes_)
        sizes, self.means_, variance, D, unit = learn_gaussians(X, codes, K, ddof, 1e-9 if s > 0 else 0.0)
        check_variances(variance, self.classes_, "set shrinkage above 0, or leave the feature out")
        self.covariances_, self.roots_ = np.empty((2, K, X.shape[1], X.shape[1]))
        for c in range(K):
            rows, deviation = D[codes == c], np.sqrt(variance[c])
            R = rows.T @ rows / max(sizes[c] - ddof, 1.0) / deviation / deviation[:, np.newaxis]
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
        self.class_log_prior_ = log_prior(codes, K, self.priors, 0)
        return self

    def _log_joint(self, X):
        return gaussian_log_joint(self.class_log_prior_, self.means_, self.roots_, check_X(self, X))
