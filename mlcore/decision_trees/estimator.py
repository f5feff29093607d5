"""What the tree estimators share: growing, predicting, and describing what was learned."""

from dataclasses import dataclass

import numpy as np

from mlcore.base import Classifier, Estimator, check_is_fitted, check_sample_weight, names_of_inputs, run
from mlcore.engines.trees.structure import question_text
from mlcore.features import check_table, check_table_and_labels, encode, learn_categories

__all__ = ["Candidate"]


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


def _candidate(tree, option, chosen):
    """A line of the table of the node that asked the feature ``chosen``."""
    label = question_text(tree, option.feature, option.threshold, getattr(option, "branches", None))
    return Candidate(
        option.feature, tree.feature_names[option.feature], label, option.gain, option.threshold,
        option.intrinsic_value, option.gain_ratio, option.eligible, bool(option.feature == chosen),
    )  # fmt: skip


class _TreeEstimator(Estimator):
    """A fitted tree in ``tree_``, and the categories of its columns in ``categories_``.

    ``_growth(X, y, sample_weight)`` of a subclass checks everything and returns the tree, ready to grow.
    """

    _allows_missing = True
    _numbers_are_categories = False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        return tags

    def _table(self, X, y, sample_weight):
        """Check the data; return them as numbers: a table, the targets, the weights."""
        X, y = self._checked_table(X, y)
        weight = check_sample_weight(sample_weight, len(X))
        self.categories_ = learn_categories(X, numbers_too=self._numbers_are_categories)
        return encode(X, self.categories_), y, weight

    def _encoded(self, X):
        return encode(check_table(self, X, allow_missing=self._allows_missing), self.categories_)

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; in an object array also strings (categories). None and NaN are missing values.
        y : array-like of shape (n_samples,)
            Class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            A whole-number weight means the same as repeating the row, except for the limits that count rows.
        """
        growth = self._growth(X, y, sample_weight)
        run(growth.steps())
        self._show(growth)
        self._prune()
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Grow the tree split by split, breadth first; yield the model, ready to predict, after each.

        The first yield is the root alone. After each split ``candidates_`` holds the table of candidates of the node
        that was just split, and ``split_node_`` its number. A tree that is pruned is yielded once more after that.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        """
        growth = self._growth(X, y, sample_weight)
        self._show(growth)
        yield self
        for node in growth.steps():
            self._show(growth, node)
            yield self
        if self._prune():
            yield self

    def _prune(self):
        """Prune the grown tree, if that is wanted; return whether it is."""
        return False

    def _show(self, growth, node=None):
        """Write down the tree as it stands; or as it stood after the split of a node, which is the latest."""
        tree, self.candidates_ = growth.tree(names_of_inputs(self), self._class_names()), []
        if node is not None:
            tree = tree.grown_to(tree.first_child[node] + tree.n_children[node])
            self.candidates_ = [_candidate(tree, option, tree.feature[node]) for option in growth.options]
        self.tree_, self.split_node_ = tree, node

    def apply(self, X):
        """Return the number of the node where each row ends: an int array of shape (n_samples,).

        A leaf; or, in a tree of ID3, the node whose question the row cannot answer. A row that C4.5 shares out among
        several leaves is given to the heaviest branch at each question it cannot answer.
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

    def _checked_table(self, X, y):
        return check_table_and_labels(self, X, y, allow_missing=self._allows_missing)

    def predict_proba(self, X):
        """Return the class shares in the leaf of each row, of shape (n_samples, n_classes)."""
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
