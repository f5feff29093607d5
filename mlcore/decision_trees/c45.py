"""C4.5: gain ratio, continuous attributes, and missing values in fractions (Notes A 6.2.2, 6.4, 6.5, D 4.2.2)."""

from dataclasses import replace
from functools import partial

import numpy as np

from mlcore.base import check_flag, check_int, check_real, check_sample_weight
from mlcore.decision_trees.columns import check_table_and_labels, encode, learn_categories
from mlcore.decision_trees.measures import entropy_of_counts, gains_of_prefixes, midpoints
from mlcore.decision_trees.multiway import TIE, MultiwayGrowth, Option, _MultiwayClassifier, branch_counts, first_best

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

    Parameters
    ----------
    min_gain_ratio : float >= 0
        Threshold ε.
    above_average : bool
        Whether to strike out attributes of less than average gain first.
    min_samples_leaf : int >= 1
        At least two branches must weigh as much as this many copies of the lightest training row.
    max_depth : int >= 0, optional
        Most questions on a path.

    Attributes
    ----------
    tree_ : Tree
        Flat arrays (see ``structure.Tree``); ``tree_.root`` is the root node.
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

    def __init__(self, *, min_gain_ratio=0.0, above_average=True, min_samples_leaf=1, max_depth=None):
        self.min_gain_ratio = min_gain_ratio
        self.above_average = above_average
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth

    def _grow(self, X, y, sample_weight):
        min_ratio = check_real("min_gain_ratio", self.min_gain_ratio, low=0)
        min_leaf = check_int("min_samples_leaf", self.min_samples_leaf, low=1)
        max_depth = np.inf if self.max_depth is None else check_int("max_depth", self.max_depth, low=0)
        check_flag("above_average", self.above_average)
        X, codes = check_table_and_labels(self, X, y)
        weight = check_sample_weight(sample_weight, len(X))
        self.categories_ = learn_categories(X)
        X, n_classes = encode(X, self.categories_), len(self.classes_)
        least = min(min_leaf, 2**53) * weight[weight > 0].min() * (1 - 1e-9)
        survey = partial(_options, X, codes, n_classes, self.categories_, least)
        choose = partial(_choose, survey, self.above_average, min_ratio)
        return MultiwayGrowth(X, codes, weight, n_classes, self.categories_, choose, max_depth)


def _options(X, codes, n_classes, categories, least, rows, weight, available):
    """Return the questions that leave at least two branches of weight ``least``."""
    options = []
    for a in available.tolist():
        known = ~np.isnan(X[rows, a])
        if not known.any():
            continue
        x, labels, w = X[rows[known], a], codes[rows[known]], weight[known]
        rho = w.sum() / weight.sum()
        ask = _ask_number if categories[a] is None else partial(_ask_category, len(categories[a]))
        option = ask(x, labels, w, n_classes, least)
        if option is not None:
            ratio = rho * option.gain / option.intrinsic_value
            options.append(replace(option, feature=a, gain=rho * option.gain, gain_ratio=ratio))
    return options


def _ask_category(n_values, x, labels, weight, n_classes, least):
    counts = branch_counts(x.astype(np.intp), labels, weight, n_values, n_classes)
    mass = counts.sum(axis=1)
    if np.count_nonzero(mass >= least) < 2:
        return None
    gain = entropy_of_counts(counts.sum(axis=0)) - mass / mass.sum() @ entropy_of_counts(counts)
    return Option(-1, float(gain), intrinsic_value=float(entropy_of_counts(mass)))


def _ask_number(x, labels, weight, n_classes, least):
    values, place = np.unique(x, return_inverse=True)
    counts = branch_counts(place, labels, weight, len(values), n_classes)
    left = counts.sum(axis=1).cumsum()[:-1]
    heavy = np.flatnonzero((left >= least) & (weight.sum() - left >= least))
    if not len(heavy):
        return None
    gains = gains_of_prefixes(counts)
    best = heavy[first_best(gains[heavy])]
    sides = np.array([left[best], weight.sum() - left[best]])
    threshold = float(midpoints(values[best], values[best + 1]))
    return Option(-1, float(gains[best]), threshold=threshold, intrinsic_value=float(entropy_of_counts(sides)))


def _choose(survey, above_average, min_ratio, rows, weight, available):
    """Return the options of a node, and the index of the best eligible one."""
    options = survey(rows, weight, available)
    if not options:
        return options, None
    if above_average:
        average = np.mean([option.gain for option in options])
        options = [replace(option, eligible=bool(option.gain >= average - TIE)) for option in options]
    best = first_best([option.gain_ratio if option.eligible else -np.inf for option in options])
    return options, best if options[best].gain_ratio >= min_ratio else None
