"""ID3: ask the attribute of largest information gain, with a branch for each value (Notes A 6.2.1, D 4.2.1)."""

from functools import partial

import numpy as np

from mlcore.base import is_missing, real
from mlcore.core.decision_trees import largest_gain
from mlcore.decision_trees.multiway import _MultiwayClassifier

__all__ = ["ID3Classifier"]


class ID3Classifier(_MultiwayClassifier):
    """ID3 (Iterative Dichotomiser 3): a classification tree for categorical attributes.

    A node asks the attribute a of largest gain, Gain(D, a) = Ent(D) - Σ_v |Dᵛ|/|D| Ent(Dᵛ), among those that no node
    above has asked; there is one branch for each value that a takes anywhere in the training data. Growth stops

    1. where all rows have the same class;
    2. where no attribute is left, or the rows agree in all that are left: the leaf predicts their majority (posterior);
    3. where no row is left (a branch whose value does not occur here): the leaf predicts as its parent (prior);
    4. where the largest gain is below ``min_gain``.

    Equal gains: the first attribute. Each distinct number is a category too: ID3 knows no thresholds. A value that was
    not there in training has no branch: such a row is answered by the node that asks, with the node's class shares.
    Missing values are refused; C4.5 and CART can deal with them.

    Attributes
    ----------
    tree_ : Tree
        Flat arrays (see ``mlcore.engines.trees.Tree``); ``tree_.root`` is the root node.
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of arrays
        The values of each column.
    feature_importances_ : ndarray of shape (n_features,)
    candidates_, split_node_
        While ``iter_fit`` runs: the table of candidates of the node just split, and its number.

    Notes A 6.2.1, D 4.1-4.2.1, B.
    """

    _allows_missing = False
    _numbers_are_categories = True
    _unknown = "stop"

    min_gain: float = real(0.0, "Threshold ε in bits.", low=0)

    def _growth(self, X, y, sample_weight):
        p = self.checked()
        return self._queue(*self._table(X, y, sample_weight), partial(largest_gain, min_gain=p.min_gain))

    def _checked_table(self, X, y):
        X, y = super()._checked_table(X, y)
        _refuse_missing(X)
        return X, y

    def _encoded(self, X):
        encoded = super()._encoded(X)
        if np.isnan(encoded).any():
            _refuse_missing(np.asarray(X))
        return encoded


def _refuse_missing(X):
    missing = is_missing(X)
    if missing.any():
        row, column = np.argwhere(missing)[0].tolist()
        raise ValueError(
            f"Input X contains NaN or None ({int(missing.sum())} in all, the first in row {row}, column {column}), "
            "which ID3 has no rule for: use C45Classifier or DecisionTreeClassifier, or fill them in"
        )
