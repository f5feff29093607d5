"""ID3: ask the attribute of largest information gain, with a branch for each value (Notes A 6.2.1, D 4.2.1)."""

from functools import partial

import numpy as np

from mlcore.base import check_real, check_sample_weight
from mlcore.decision_trees.columns import check_table_and_labels, encode, is_missing, learn_categories
from mlcore.decision_trees.measures import entropy_of_counts
from mlcore.decision_trees.multiway import MultiwayGrowth, Option, _MultiwayClassifier, branch_counts, first_best

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

    Parameters
    ----------
    min_gain : float >= 0
        Threshold ε in bits.

    Attributes
    ----------
    tree_ : Tree
        Flat arrays (see ``structure.Tree``); ``tree_.root`` is the root node.
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of arrays
        The values of each column.
    feature_importances_ : ndarray of shape (n_features,)
    candidates_, split_node_
        While ``iter_fit`` runs: the table of candidates of the node just split, and its number.

    Notes A 6.2.1, D 4.1-4.2.1, B.
    """

    _allows_missing = False
    _unknown = "stop"

    def __init__(self, *, min_gain=0.0):
        self.min_gain = min_gain

    def _grow(self, X, y, sample_weight):
        min_gain = check_real("min_gain", self.min_gain, low=0)
        X, codes = check_table_and_labels(self, X, y, allow_missing=False)
        weight = check_sample_weight(sample_weight, len(X))
        _refuse_missing(X)
        self.categories_ = learn_categories(X, numbers_too=True)
        X, n_classes = encode(X, self.categories_), len(self.classes_)
        choose = partial(_choose, X, codes, n_classes, [len(known) for known in self.categories_], min_gain)
        return MultiwayGrowth(X, codes, weight, n_classes, self.categories_, choose)

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


def _choose(X, codes, n_classes, n_values, min_gain, rows, weight, available):
    """Return the attributes that could be asked at a node, with their gains, and the index of the best."""
    options = []
    for a in available.tolist():
        counts = branch_counts(X[rows, a].astype(np.intp), codes[rows], weight, n_values[a], n_classes)
        share = counts.sum(axis=1) / weight.sum()
        if np.count_nonzero(share) > 1:
            gain = entropy_of_counts(counts.sum(axis=0)) - share @ entropy_of_counts(counts)
            options.append(Option(a, float(gain)))
    if not options:
        return options, None
    best = first_best([option.gain for option in options])
    return options, best if options[best].gain >= min_gain else None
