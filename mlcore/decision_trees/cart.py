"""CART: binary trees for classification and regression (Notes A 6.2.3, D 4.2.3, C 5.1; Breiman et al. 1984)."""

import math
import numbers

from mlcore.base import (
    Regressor,
    anything,
    check_choice,
    check_int,
    check_is_fitted,
    check_real,
    choice,
    real,
    seed,
    whole,
)
from mlcore.core.decision_trees import best_split, error_fall, mean_and_error, two_sides
from mlcore.decision_trees.estimator import _TreeClassifier, _TreeEstimator
from mlcore.decision_trees.growing import LARGEST, BinaryQueue
from mlcore.decision_trees.pruning import cut_at_price
from mlcore.engines.trees import (
    Columns,
    EntropyCriterion,
    GiniCriterion,
    Growth,
    Limits,
    SquaredErrorCriterion,
)
from mlcore.features import check_table_and_targets

__all__ = [
    "DecisionTreeClassifier", "DecisionTreeRegressor", "best_split", "error_fall", "mean_and_error",
    "n_features_to_draw", "two_sides",
]  # fmt: skip

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

    criterion: str = choice(
        "squared_error", ("squared_error",), "Impurity of a node: the mean squared distance from its mean."
    )
    max_depth: int = whole(None, "Most questions on a path.", low=0)
    min_samples_split: int = whole(2, "A node with fewer rows is a leaf.", low=2)
    min_samples_leaf: int = whole(1, "A split must leave at least this many rows on both sides.", low=1)
    min_impurity: float = real(0.0, "A node (not its best split) whose impurity is not above this is a leaf.", low=0)
    max_features: object = anything(
        None, 'None, "sqrt", "log2", int or share in (0, 1]',
        "How many features to draw for each node; if none of them splits it, the next ones are tried.",
    )  # fmt: skip
    ccp_alpha: float = real(
        0.0,
        "Price of a leaf in cost-complexity pruning on scikit-learn's scale: impurities weighted by N_t / N. See\n"
        "``cost_complexity_prune`` for the notes' scale, on which the price is N times as large.",
        low=0,
    )
    n_surrogates: int = whole(
        None, "Surrogate splits to keep in a node; None means 3 if X has missing values and 0 if not.", low=0
    )
    random_state: object = seed("For ``max_features``.")

    def _growth(self, X, y, sample_weight):
        """The tree, ready to grow: by the core, to which ``criterion`` gives its terms, or if large by the engine."""
        p = self.checked()
        X, y, weight = self._table(X, y, sample_weight)
        columns, rows = Columns(X, self.categories_), weight.nonzero()[0]
        n_drawn = n_features_to_draw(p.max_features, columns.n_features)
        n_surrogates = p.n_surrogates
        if n_surrogates is None:
            n_surrogates = 0 if columns.complete else DEFAULT_SURROGATES
        max_depth = math.inf if p.max_depth is None else p.max_depth
        limits = Limits(max_depth, p.min_samples_split, p.min_samples_leaf, p.min_impurity)
        criterion = self._criterion(p.criterion, y, None if (weight[rows] == 1.0).all() else weight)  # None: all 1
        plain = columns.is_plain and not n_surrogates and p.max_features is None and criterion.is_steady(rows)
        if plain and len(rows) * columns.n_features <= LARGEST:
            return BinaryQueue(columns, criterion, limits, rows)
        return Growth(
            columns, criterion, limits, rows=rows, n_drawn=n_drawn, rng=p.random_state, n_surrogates=n_surrogates
        )

    def _prune(self):
        if self.ccp_alpha > 0:
            self.tree_, self.candidates_ = cut_at_price(self.tree_, self.ccp_alpha), []
        return self.ccp_alpha > 0


class DecisionTreeClassifier(_CART, _TreeClassifier):
    """A binary classification tree (分类树) grown by CART.

    Every inner node asks "x_j <= t?" of a number or "x_j in A?" of a category, the question for which the impurity
    falls most: I(node) - N_left/N I(left) - N_right/N I(right). A leaf predicts the class shares of its training rows.
    Equal questions: the first feature (with ``max_features`` the one drawn first), then the lowest threshold.

    Missing values: a feature is judged by the rows that know it, and the fall of impurity is multiplied by their share
    of the weight. A row that does not know the chosen feature asks the surrogate splits in order of merit, then goes
    where most of the weight went. A category that was absent from the node counts as missing. A column without any
    value, or with a single one, is never asked.

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

    Notes A 6.2.3, D 4.2.3. A stops on the impurity of the best split, which would refuse a perfect one; here the node's
    own impurity counts.
    """

    criterion: str = choice("gini", ("gini", "entropy"), "Gini value 1 - Σ p_k², or entropy -Σ p_k log₂ p_k.")

    def _criterion(self, name, codes, weight):
        return (GiniCriterion if name == "gini" else EntropyCriterion)(codes, len(self.classes_), weight)


class DecisionTreeRegressor(_CART, Regressor):
    """A binary regression tree (回归树) grown by CART: f(x) = Σ_m c_m 1(x in D_m), c_m the mean of y in region D_m.

    Every inner node asks the question after which the squared error around the means of the two sides is least
    (A 115). Missing values, categories and ties are treated as in ``DecisionTreeClassifier``.

    Attributes
    ----------
    tree_, categories_, feature_importances_, candidates_, split_node_
        As in ``DecisionTreeClassifier``.

    Notes A 6.2.3.
    """

    def _checked_table(self, X, y):
        return check_table_and_targets(self, X, y)

    def _criterion(self, _, targets, weight):
        return SquaredErrorCriterion(targets, weight)

    def _class_names(self):
        return ()

    def predict(self, X):
        """Return the mean of y in the leaf of each row, of shape (n_samples,)."""
        check_is_fitted(self)
        return self.tree_.expected_value(self._encoded(X))
