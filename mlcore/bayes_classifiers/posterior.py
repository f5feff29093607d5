"""What Bayes classifiers share: they know ln p(c, x); the rest follows (Notes A 10.1)."""

import numpy as np

from mlcore.base import Classifier, anything, check_is_fitted, check_priors, real, whole
from mlcore.core.bayes_classifiers import smoothed
from mlcore.numerics import log_softmax, softmax

__all__ = ["ALPHA", "BayesClassifier", "DDOF", "PRIORS", "log_of", "log_prior"]

ALPHA = real(
    1.0,
    "What is added to each count: 1 is the Laplacian correction (拉普拉斯修正), 0 leaves the shares as they are.",
    low=0, hidden_high=1e100,
)
PRIORS = anything(
    None, "array-like of shape (n_classes,), optional",
    "p(c) > 0 with sum 1, in the order of ``classes_``; None takes the shares of the classes, smoothed as all shares.",
)
DDOF = whole(
    0, "Variances are divided by |D_c| - ddof (at least by 1): 0 is maximum likelihood, 1 is unbiased.", low=0, high=1
)


def log_of(shares):
    """Return the logarithm of shares; of 0 it is minus infinity, and rightly so."""
    with np.errstate(divide="ignore"):
        return np.log(shares)


def log_prior(codes, n_classes, priors, alpha):
    """Return ln p(c), shape (n_classes,): of the given priors, or of the smoothed shares of the classes."""
    if priors is None:
        return np.log(smoothed(np.bincount(codes, minlength=n_classes).astype(float), alpha))
    return np.log(check_priors(priors, n_classes))


class BayesClassifier(Classifier):
    """A model of p(c, x); a subclass has ``_log_joint(X)``, and checks X there."""

    def predict_joint_log_proba(self, X):
        """Return ln p(c, x) for each of ``classes_``, shape (n_samples, n_classes); minus infinity where it is 0."""
        check_is_fitted(self)
        with np.errstate(over="ignore", under="ignore"):  # far out a density is 0, its logarithm minus infinity
            return self._log_joint(X)

    def _scores(self, X):
        """ln p(c, x), where some class is possible in each row."""
        joint = self.predict_joint_log_proba(X)
        impossible = [] if np.isfinite(joint).all() else np.flatnonzero(~(joint.max(axis=1) > -np.inf))
        if len(impossible):
            raise ValueError(
                f"row {impossible[0]} of X has probability 0 under every class ({len(impossible)} such rows): nothing "
                "tells the classes apart there. Smooth the counts (alpha > 0), or bring X nearer to the training data"
            )
        return joint

    def predict(self, X):
        """Return the most probable class of each row, shape (n_samples,); the first of those that tie.

        Raises
        ------
        ValueError
            If a row has probability 0 under every class.
        """
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, X):
        """Return ln P(c | x), shape (n_samples, n_classes); minus infinity where a class is impossible."""
        return log_softmax(self._scores(X))

    def predict_proba(self, X):
        """Return P(c | x) for each of ``classes_``, shape (n_samples, n_classes); each row sums to 1."""
        return softmax(self._scores(X))
