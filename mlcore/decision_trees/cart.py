"""CART: binary trees for classification and regression (Notes A 6.2.3, D 4.2.3, C 5.1; Breiman et al. 1984).

A node holds m rows: X (m, d) are their values, w (m,) their weights. The *terms* T (m, K) of the rows are what each
adds to the sums of its side: the weight of its class, or w and w (y - ȳ) for a number.

``best_split`` and the recursion of ``growing`` grow trees of up to ``LARGEST`` rows with complete columns of numbers.
For larger tables, and for words, missing values and features drawn at random, ``mlcore.engines.trees`` takes over: it
splits all nodes of a level at once.
"""

import math
import numbers
from functools import partial

import numpy as np

from mlcore.base import (
    Regressor,
    check_choice,
    check_int,
    check_is_fitted,
    check_random_state,
    check_real,
    check_sample_weight,
    run,
)
from mlcore.core.decision_trees import TIE, best_split, error_fall, mean_and_error, two_sides
from mlcore.decision_trees.estimator import Candidate, _TreeClassifier, _TreeEstimator, feature_names_of
from mlcore.decision_trees.growing import LARGEST, Part, build_tree, grow
from mlcore.decision_trees.measures import entropy_of_counts, gini_of_counts, impurity_fall, shares
from mlcore.decision_trees.pruning import cut_at_price
from mlcore.engines.trees import (
    Columns,
    EntropyCriterion,
    GiniCriterion,
    Growth,
    Limits,
    SquaredErrorCriterion,
)
from mlcore.engines.trees.structure import question_text
from mlcore.features import check_table_and_labels, check_table_and_targets, encode, indicator, learn_categories

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "n_features_to_draw"]

DEFAULT_SURROGATES = 3


def n_features_to_draw(max_features, n_features):
    """Return how many features ``max_features`` means.

    Raises
    ------
    ValueError
        If it is none of: None, "sqrt", "log2", a whole number from 1 to n_features, a share in (0, 1].
    """
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        check_choice("max_features", max_features, ("sqrt", "log2"))
        return max(1, int(math.sqrt(n_features) if max_features == "sqrt" else math.log2(n_features)))
    if isinstance(max_features, numbers.Integral):
        return check_int("max_features", max_features, low=1, high=n_features)
    return max(1, int(check_real("max_features", max_features, low=0, high=1, low_open=True) * n_features))


class _CART(_TreeEstimator):
    """Growing and pruning, alike for both kinds of target."""

    def _prepared(self, X, y, sample_weight):
        """Check the parameters and the data; return the encoded table, the targets, the rows, their weights, limits."""
        X, y = self._checked(X, y)
        limits = Limits(
            max_depth=math.inf if self.max_depth is None else check_int("max_depth", self.max_depth, low=0),
            min_samples_split=check_int("min_samples_split", self.min_samples_split, low=2),
            min_samples_leaf=check_int("min_samples_leaf", self.min_samples_leaf, low=1),
            min_impurity=check_real("min_impurity", self.min_impurity, low=0),
        )
        check_real("ccp_alpha", self.ccp_alpha, low=0)
        check_random_state(self.random_state)
        if self.n_surrogates is not None:
            check_int("n_surrogates", self.n_surrogates, low=0)
        rows, weight = np.arange(len(X)), None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, len(X))
            rows = weight.nonzero()[0]
            weight = None if (weight[rows] == 1.0).all() else weight
        self.categories_ = learn_categories(X)
        return encode(X, self.categories_), y, rows, weight, limits

    def _engine(self, X, y, rows, weight, limits):
        """The tree, ready to grow level by level."""
        columns, rng = Columns(X, self.categories_), check_random_state(self.random_state)
        n_surrogates = self.n_surrogates
        if n_surrogates is None:
            n_surrogates = 0 if columns.complete else DEFAULT_SURROGATES
        return Growth(
            columns, self._criterion(y, weight), limits, rows=rows, rng=rng,
            n_drawn=n_features_to_draw(self.max_features, X.shape[1]), n_surrogates=n_surrogates,
        )  # fmt: skip

    def _is_small(self, X, rows, weight):
        """Whether the recursion grows this tree."""
        if len(rows) > LARGEST or self.n_surrogates or self.max_features is not None:
            return False
        if any(known is not None for known in self.categories_) or np.isnan(X).any():
            return False
        return weight is None or weight[rows].max() < 1e8 * weight[rows].min()

    def _recursion(self, X, y, rows, weight, limits):
        """The tree, grown by recursion."""
        describe, terms, fall = self._sums(y, np.ones(len(X)) if weight is None else weight)
        fewest = max(limits.min_samples_split, 2 * limits.min_samples_leaf)

        def ask(part):
            may = len(part.rows) >= fewest and part.impurity > limits.min_impurity and part.depth < limits.max_depth
            if not may:
                return None
            return best_split(X[part.rows], terms(part), fall, limits.min_samples_leaf, TIE * part.impurity)

        root = describe(rows)
        grow(root, ask, partial(two_sides, X=X, describe=describe))
        return build_tree(
            root, unknown="surrogate", categories=self.categories_, feature_names=feature_names_of(self),
            class_names=self._class_names(),
        )  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Grow the tree (and prune it, if ``ccp_alpha`` is positive).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; in an object array also strings (categories). None and NaN are missing values.
        y : array-like of shape (n_samples,)
            Class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            A whole-number weight means the same as repeating the row, except for the limits that count rows.

        Raises
        ------
        ValueError, TypeError
            If a parameter, X, y or the weights are not valid.
        """
        X, y, rows, weight, limits = self._prepared(X, y, sample_weight)
        if self._is_small(X, rows, weight):
            tree = self._recursion(X, y, rows, weight, limits)
        else:
            growth = self._engine(X, y, rows, weight, limits)
            run(growth.run())
            tree = growth.tree(feature_names_of(self), self._class_names())
        self._finish(tree)
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Grow the tree split by split, breadth first; yield the model, ready to predict, after each.

        The first yield is the root alone. After each split ``candidates_`` holds the table of candidates of the node
        that was just split, and ``split_node_`` its number. If ``ccp_alpha`` is positive, the last yield is the pruned
        tree.
        """
        growth = self._engine(*self._prepared(X, y, sample_weight))
        self.candidates_, self.split_node_ = [], None
        self.tree_ = growth.tree(feature_names_of(self), self._class_names())
        yield self
        for splits, nodes in growth.run():
            tree = growth.tree(feature_names_of(self), self._class_names())
            for j, node in nodes:
                self.tree_ = tree.grown_to(tree.first_child[node] + 2)
                self.candidates_, self.split_node_ = _candidates(splits, j, tree), node
                yield self
        if self.ccp_alpha > 0:
            self._finish(self.tree_)
            yield self

    def _finish(self, tree):
        self.candidates_ = []
        self.tree_ = cut_at_price(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree


def _candidates(splits, j, tree):
    """The table of candidates of node j of a level."""
    chosen = splits.feature[j]
    return [
        Candidate(
            feature, tree.feature_names[feature], question_text(tree, feature, threshold, table), gain,
            threshold=None if table is not None else threshold, chosen=bool(feature == chosen),
        )
        for feature, gain, threshold, table in splits.candidates(j)
    ]  # fmt: skip


class DecisionTreeClassifier(_CART, _TreeClassifier):
    """A binary classification tree (分类树) grown by CART.

    Every inner node asks "x_j <= t?" of a number or "x_j in A?" of a category, the question for which the impurity
    falls most: I(node) - N_left/N I(left) - N_right/N I(right). A leaf predicts the class shares of its training rows.
    Equal questions: the first feature (with ``max_features`` the one drawn first), then the lowest threshold.

    Missing values: a feature is judged by the rows that know it, and the fall of impurity is multiplied by their share
    of the weight. A row that does not know the chosen feature asks the surrogate splits in order of merit, then goes
    where most of the weight went. A category that was absent from the node counts as missing. A column without any
    value, or with a single one, is never asked.

    Parameters
    ----------
    criterion : {"gini", "entropy"}
        Gini value 1 - Σ p_k², or entropy -Σ p_k log₂ p_k.
    max_depth : int >= 0, optional
        Most questions on a path.
    min_samples_split : int >= 2
        A node with fewer rows is a leaf.
    min_samples_leaf : int >= 1
        A split must leave at least this many rows on both sides.
    min_impurity : float >= 0
        A node (not its best split) whose impurity is not above this is a leaf.
    max_features : None, "sqrt", "log2", int or share in (0, 1]
        How many features to draw for each node; if none of them splits it, the next ones are tried.
    ccp_alpha : float >= 0
        Price of a leaf in cost-complexity pruning on scikit-learn's scale: impurities weighted by N_t / N. See
        ``cost_complexity_prune`` for the notes' scale, on which the price is N times as large.
    n_surrogates : int >= 0, optional
        Surrogate splits to keep in a node; None means 3 if X has missing values and 0 if not.
    random_state : None, int or numpy.random.Generator
        For ``max_features``.

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

    Notes A 6.2.3, D 4.2.3. A stops on the impurity of the best split, which would refuse a perfect one; here the node's
    own impurity counts.
    """

    def __init__(
        self, *, criterion="gini", max_depth=None, min_samples_split=2, min_samples_leaf=1, min_impurity=0.0,
        max_features=None, ccp_alpha=0.0, n_surrogates=None, random_state=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha
        self.n_surrogates = n_surrogates
        self.random_state = random_state

    def _checked(self, X, y):
        check_choice("criterion", self.criterion, ("gini", "entropy"))
        return check_table_and_labels(self, X, y)

    def _criterion(self, codes, weight):
        kind = GiniCriterion if self.criterion == "gini" else EntropyCriterion
        return kind(codes, len(self.classes_), weight)

    def _sums(self, codes, weight):
        """What is in a part, its terms, and how far the impurity falls."""
        impurity = gini_of_counts if self.criterion == "gini" else entropy_of_counts
        T = weight[:, None] * indicator(codes, len(self.classes_))

        def describe(rows):
            counts = T[rows].sum(axis=0)
            return Part(rows, weight[rows], shares(counts), counts, float(impurity(counts)), counts.sum())

        return describe, lambda part: T[part.rows], partial(impurity_fall, impurity)


class DecisionTreeRegressor(_CART, Regressor):
    """A binary regression tree (回归树) grown by CART: f(x) = Σ_m c_m 1(x in D_m), c_m the mean of y in region D_m.

    Every inner node asks the question after which the squared error around the means of the two sides is least
    (A 115). Missing values, categories, ties and the parameters are treated as in ``DecisionTreeClassifier``.

    Parameters
    ----------
    criterion : {"squared_error"}
        Impurity of a node: the mean squared distance from its mean.
    max_depth : int >= 0, optional
        Most questions on a path.
    min_samples_split : int >= 2
        A node with fewer rows is a leaf.
    min_samples_leaf : int >= 1
        A split must leave at least this many rows on both sides.
    min_impurity : float >= 0
        A node whose mean squared error is not above this is a leaf.
    max_features : None, "sqrt", "log2", int or share in (0, 1]
        How many features to draw for each node; if none of them splits it, the next ones are tried.
    ccp_alpha : float >= 0
        Price of a leaf in cost-complexity pruning, on scikit-learn's scale.
    n_surrogates : int >= 0, optional
        Surrogate splits to keep in a node; None means 3 if X has missing values and 0 if not.
    random_state : None, int or numpy.random.Generator
        For ``max_features``.

    Attributes
    ----------
    tree_ : Tree
    categories_ : list
    feature_importances_ : ndarray of shape (n_features,)
    candidates_, split_node_
        While ``iter_fit`` runs.

    Notes A 6.2.3.
    """

    def __init__(
        self, *, criterion="squared_error", max_depth=None, min_samples_split=2, min_samples_leaf=1, min_impurity=0.0,
        max_features=None, ccp_alpha=0.0, n_surrogates=None, random_state=None,
    ):  # fmt: skip
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity = min_impurity
        self.max_features = max_features
        self.ccp_alpha = ccp_alpha
        self.n_surrogates = n_surrogates
        self.random_state = random_state

    def _checked(self, X, y):
        check_choice("criterion", self.criterion, ("squared_error",))
        return check_table_and_targets(self, X, y)

    def _criterion(self, targets, weight):
        return SquaredErrorCriterion(targets, weight)

    def _sums(self, y, weight):
        """What is in a part, its terms, and how far the error falls."""

        def describe(rows):
            w = weight[rows]
            mean, error = mean_and_error(y[rows], w)
            return Part(rows, w, mean, None, error, w.sum())

        def terms(part):
            return np.column_stack([part.weight, part.weight * (y[part.rows] - part.value)])

        return describe, terms, error_fall

    def _class_names(self):
        return ()

    def predict(self, X):
        """Return the mean of y in the leaf of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.tree_.expected_value(self._encoded(X))
