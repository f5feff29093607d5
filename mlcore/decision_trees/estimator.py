"""What the tree estimators share: predicting, and describing what was learned."""

from dataclasses import dataclass

import numpy as np

from mlcore.base import Classifier, Estimator, check_is_fitted
from mlcore.features import check_table, encode

__all__ = ["Candidate", "feature_names_of"]


@dataclass(frozen=True)
class Candidate:
    """One line of the table of candidate splits of a node: what asking this feature would bring.

    ``gain`` is the decrease of impurity (with entropy: the information gain in bits), multiplied by ρ where values are
    missing. Only C4.5 fills in ``intrinsic_value`` and ``gain_ratio``.
    """

    feature: int
    name: str
    label: str
    """The question: "texture", "density <= 0.3815" or "color in {green, black}"."""
    gain: float
    threshold: float | None = None
    intrinsic_value: float | None = None
    gain_ratio: float | None = None
    eligible: bool = True
    """False where C4.5 has struck the feature out because its gain is below the average."""
    chosen: bool = False


def feature_names_of(estimator):
    """Names of the columns at fit: those of a DataFrame, else x0, x1, ..."""
    given = getattr(estimator, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(estimator.n_features_in_)) if given is None else tuple(given)


class _TreeEstimator(Estimator):
    """A fitted tree in ``tree_``, and the categories of its columns in ``categories_``."""

    _allows_missing = True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags

    def _encoded(self, X):
        return encode(check_table(self, X, allow_missing=self._allows_missing), self.categories_)

    def apply(self, X):
        """Return the number of the node where each row ends.

        A leaf; or, in a tree of ID3, the node whose question the row cannot answer. A row that C4.5 shares out among
        several leaves is given to the heaviest branch at each question it cannot answer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        int array of shape (n_samples,)
        """
        return self.tree_.apply(self._encoded(X)) if hasattr(self, "tree_") else check_is_fitted(self)

    def decision_path(self, X):
        """Return which nodes each row passes: a boolean array of shape (n_samples, n_nodes)."""
        check_is_fitted(self)
        X = self._encoded(X)
        passed = np.zeros((len(X), self.tree_.n_nodes), dtype=bool)
        for rows, nodes, _ in self.tree_.visits(X):
            passed[rows, nodes] = True
        return passed

    def get_depth(self):
        """Return the number of questions on the longest path; 0 for a single leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """(n_features,) share of each feature in the total decrease of impurity; adds up to 1, or 0 without splits."""
        check_is_fitted(self)
        return self.tree_.feature_importances()

    @property
    def root_(self):
        """The root node, from where the tree can be walked (see ``Node``)."""
        check_is_fitted(self)
        return self.tree_.root


class _TreeClassifier(_TreeEstimator, Classifier):
    """Predicts the class shares of the leaf."""

    def predict_proba(self, X):
        """Return the class shares in the leaf of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        return self.tree_.expected_value(self._encoded(X))

    def predict(self, X):
        """Return the most frequent class in the leaf of each row (the first one in ``classes_`` if several tie)."""
        check_is_fitted(self)
        X = self._encoded(X)
        if self.tree_.unknown == "share":
            return self.classes_[self.tree_.expected_value(X).argmax(axis=1)]
        return self.classes_[self.tree_.value.argmax(axis=1)].take(self.tree_.apply(X))

    def _class_names(self):
        return tuple(str(name) for name in self.classes_.tolist())
