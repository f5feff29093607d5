"""C4.5: gain ratio, continuous attributes, and missing values in fractions (Notes A 6.2.2, 6.4, 6.5, D 4.2.2)."""

from functools import partial

import numpy as np

from mlcore.base import flag, real, whole
from mlcore.core.decision_trees import (
    Option,
    best_threshold,
    class_table,
    entropy_of_counts,
    known_gain,
    largest_ratio,
)
from mlcore.decision_trees.multiway import _MultiwayClassifier

__all__ = ["C45Classifier"]


class C45Classifier(_MultiwayClassifier):
    """C4.5: a classification tree for categorical and continuous attributes, with missing values.

    *Categorical attribute*: a branch for each value that occurs in the training data, asked once on a path.
    *Continuous attribute*: the question "x <= t?", t the midpoint of largest gain; it may be asked again further down.

    *Missing values.* Let D̃ be the rows of a node that know attribute a, and w the weights. With

        ρ = Σ_D̃ w / Σ_D w,    p̃_k = Σ_{D̃, class k} w / Σ_D̃ w,    r̃_v = Σ_D̃ᵛ w / Σ_D̃ w

    the gain is ρ (H(p̃) - Σ_v r̃_v H(p̃ in D̃ᵛ)). A row that does not know the chosen attribute goes into every branch
    with weight r̃_v · w, in training and in prediction, where the class shares of the leaves it reaches are averaged
    with these weights. A value that was not there in training is treated as missing.

    *Choice.* The gain ratio Gain / IV favours attributes with few branches, the gain those with many. So first all
    attributes with less than average gain are struck out; of the others, the one with the largest gain ratio is asked.
    Equal ratios: the first attribute.

    Growth stops as in ``ID3Classifier``, with the gain ratio for the gain; and where no question would leave at least
    two branches of the weight that ``min_samples_leaf`` asks for. A branch without rows predicts as its parent.

    Attributes
    ----------
    tree_ : Tree
        Flat arrays (see ``mlcore.engines.trees.Tree``); ``tree_.root`` is the root node.
    classes_ : ndarray of shape (n_classes,)
    categories_ : list
        For each column None (numbers) or its categories.
    feature_importances_ : ndarray of shape (n_features,)
    candidates_, split_node_
        While ``iter_fit`` runs: the table of candidates of the node just split, and its number.

    Notes A 6.2.2, 6.4, 6.5 (equations 139 and 140 there count rows where weights p̃, r̃ are meant, and 140 lacks a
    minus sign). Quinlan's program also counts "missing" as a branch in IV and corrects gains of thresholds by
    description length; the notes, and this class, do not.
    """

    _unknown = "share"

    min_gain_ratio: float = real(0.0, "Threshold ε.", low=0)
    above_average: bool = flag(True, "Whether to strike out attributes of less than average gain first.")
    min_samples_leaf: int = whole(
        1, "At least two branches must weigh as much as this many copies of the lightest training row.", low=1
    )
    max_depth: int = whole(None, "Most questions on a path.", low=0)

    def _growth(self, X, y, sample_weight):
        p = self.checked()
        X, y, weight = self._table(X, y, sample_weight)
        least = min(p.min_samples_leaf, 2**53) * weight[weight > 0].min() * (1 - 1e-9)
        max_depth = np.inf if p.max_depth is None else p.max_depth
        ask = partial(
            _ask, least=least, max_depth=max_depth, above_average=p.above_average, min_ratio=p.min_gain_ratio
        )
        return self._queue(X, y, weight, ask)


def _ask(part, X, y, n_values, n_classes, least, max_depth, above_average, min_ratio):
    """The question of a part, or None where C4.5 makes a leaf."""
    if np.count_nonzero(part.counts) < 2 or part.depth >= max_depth:
        return None
    found = []
    for a in part.attributes.tolist():
        t, table = _branches(X[part.rows, a], y[part.rows], part.weight, n_values[a], n_classes, least)
        mass = table.sum(axis=1)
        if np.count_nonzero(mass >= least) > 1:
            found.append((a, float(known_gain(table, part.total)), t, float(entropy_of_counts(mass))))
    if not found:
        return None
    gains, iv = np.array([(gain, iv) for _, gain, _, iv in found]).T
    eligible, best = largest_ratio(gains, gains / iv, above_average)
    part.options = [
        Option(*question, ratio, keep)
        for question, ratio, keep in zip(found, (gains / iv).tolist(), eligible.tolist(), strict=True)
    ]
    return part.options[best] if part.options[best].gain_ratio >= min_ratio else None


def _branches(x, y, weight, n_values, n_classes, least):
    """The threshold (None for words) and the table of the branches, from the rows that know the attribute."""
    known = ~np.isnan(x)
    x, y, weight = x[known], y[known], weight[known]
    if n_values:
        return None, class_table(x.astype(np.intp), y, weight, n_values, n_classes)
    return best_threshold(x, y, weight, n_classes, least)
