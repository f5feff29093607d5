"""Random forests: bagging of trees that also draw the features they may ask about (随机森林; Notes E, C 5.4-5.7)."""

import math

import numpy as np

from mlcore.base import check_choice, check_flag, check_int, check_is_fitted
from mlcore.base.members import bootstrap_sample
from mlcore.core.ensembles import random_mixtures
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.decision_trees.cart import n_features_to_draw
from mlcore.engines.trees import (
    Columns,
    EntropyCriterion,
    GiniCriterion,
    Limits,
    SquaredErrorCriterion,
    grow_side_by_side,
)
from mlcore.ensembles.bagging import _AveragingRegressor, _VotingClassifier
from mlcore.features import (
    check_table,
    check_table_and_labels,
    check_table_and_targets,
    encode,
    learn_categories,
)
from mlcore.numerics import standardise

__all__ = ["RandomForestClassifier", "RandomForestRegressor", "random_mixtures"]

ROWS_AT_ONCE = 12_000
"""So many rows of small tables are laid one above the other, for trees that grow side by side."""


# ---------------------------------------------------------------------------------------------------------------
# The estimators
# ---------------------------------------------------------------------------------------------------------------
class _Forest:
    """Planting: all trees share one sorted table, and a bootstrap sample is a count for each row."""

    def _trained(self, X, y, weight, rng):
        """Grow the trees, some at a time; yield each with its rows."""
        limits = Limits(
            max_depth=math.inf if self.max_depth is None else check_int("max_depth", self.max_depth, low=0),
            min_samples_leaf=check_int("min_samples_leaf", self.min_samples_leaf, low=1),
        )
        n, d = X.shape
        there, names = weight > 0, ([f"x{j}" for j in range(d)], self._class_names())
        at_once, columns = min(self.n_estimators, max(1, ROWS_AT_ONCE // n)), None
        if not self.random_combination:
            columns = Columns(X, self.categories_)
            at_once = at_once if columns.is_plain else 1
            columns = columns.copies(at_once) if at_once > 1 else columns
        options = {
            "n_drawn": n_features_to_draw(self.max_features, d), "rng": rng,
            "n_surrogates": int(columns is not None and not columns.complete),
        }  # fmt: skip
        targets, self.projections_ = np.tile(y, at_once), []
        for first in range(0, self.n_estimators, at_once):
            counts = [self._sample(there, rng) * weight for _ in range(first, min(first + at_once, self.n_estimators))]
            if self.random_combination:
                columns = self._mixed(X, there, len(counts), rng)
            trees = grow_side_by_side(
                columns, lambda weight: self._criterion(targets, weight), np.array(counts), limits, names, **options
            )
            for t, tree in enumerate(trees):
                yield self._as_estimator(tree, first + t), counts[t].nonzero()[0]

    def _mixed(self, X, there, n_trees, rng):
        """Draw mixtures for some trees; return their tables, one above the other."""
        _, _, deviation = standardise(X[there], np.full(there.sum(), 1 / there.sum()))
        drawn = [random_mixtures(deviation, rng) for _ in range(n_trees)]
        self.projections_ += drawn
        return Columns(np.concatenate([X @ P for P in drawn]))

    def _sample(self, there, rng):
        """How often each row is drawn; a row of weight 0 is not there."""
        if not self.bootstrap:
            return there.astype(float)
        return np.bincount(bootstrap_sample(there, there.sum(), rng), minlength=len(there))

    def _as_estimator(self, tree, t):
        """A grown tree as an estimator, as if it had been fitted by itself."""
        model = self._new_tree()
        model.tree_, model.n_features_in_ = tree, self.n_features_in_
        model.categories_, model.candidates_ = self.categories_, []
        model.projection_ = self.projections_[t] if self.random_combination else None
        return model

    def _says(self, member, X):
        if member.projection_ is not None:
            X = X @ member.projection_
        return member.tree_.expected_value(X).reshape(len(X), -1)

    def _checked(self, X, y):
        check_flag("random_combination", self.random_combination)
        X, y = self._check(self, X, y)
        self.categories_ = learn_categories(X)
        return self._encoded(X), y

    def _table(self, X):
        return self._encoded(check_table(self, X))

    def _encoded(self, X):
        """The checked table as numbers."""
        X = encode(X, self.categories_)
        if self.random_combination and (np.isnan(X).any() or any(known is not None for known in self.categories_)):
            raise ValueError("random_combination=True adds features up: it needs numbers, no text, no NaN or None")
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self.random_combination
        return tags

    @property
    def feature_importances_(self):
        """(n_features,) mean over the trees of each feature's share in the decrease of impurity.

        It is measured on the training rows and favours features with many values; ``oob_permutation_importance`` does
        not. Not defined for ``random_combination``, where trees ask about mixtures.
        """
        check_is_fitted(self)
        if self.random_combination:
            raise AttributeError("trees of a random-combination forest ask about mixtures of features")
        return np.mean([tree.tree_.feature_importances() for tree in self.estimators_], axis=0)


class RandomForestClassifier(_Forest, _VotingClassifier):
    """A random forest (随机森林): the mean of classification trees that differ by two kinds of chance.

    P(k | x) = 1/T Σ_t P_t(k | x). Each tree is grown on a bootstrap sample, to the end; and each of its nodes may ask
    about ``max_features`` features only, drawn anew. Trees that ask about different things err at different places,
    and the average gains by that.

    Parameters
    ----------
    n_estimators : int >= 1
        Number of trees.
    max_features : "sqrt", "log2", None, int or share in (0, 1]
        How many features each node may choose from; None: all, which is bagging of trees.
    max_depth : int >= 0, optional
    min_samples_leaf : int >= 1
        Least number of different rows in a leaf.
    criterion : {"gini", "entropy"}
    bootstrap : bool
        False: every tree sees all rows.
    random_combination : bool
        Each tree sees mixtures of three features in place of the features themselves, drawn anew for each tree: its
        borders are oblique. See ``random_mixtures``.
    rule : {"arithmetic", "majority"}
        Average the trees' class shares, or count their votes (as in the notes).
    oob_score : bool
        Judge the trees by the rows they have not seen.
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of DecisionTreeClassifier
        Fitted on class numbers 0, 1, ...
    estimators_samples_ : list of int arrays
        The different rows that each tree was grown on.
    projections_ : list of ndarrays of shape (n_features, n_features)
        With ``random_combination``: the mixtures that each tree sees, as columns.
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_, oob_decision_function_, oob_counts_
        See ``BaggingClassifier``.

    Notes E (随机森林), C 5.4-5.7.
    """

    _check = staticmethod(check_table_and_labels)

    def __init__(
        self, *, n_estimators=100, max_features="sqrt", max_depth=None, min_samples_leaf=1, criterion="gini",
        bootstrap=True, random_combination=False, rule="arithmetic", oob_score=False, random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.criterion = criterion
        self.bootstrap = bootstrap
        self.random_combination = random_combination
        self.rule = rule
        self.oob_score = oob_score
        self.random_state = random_state

    def _checked(self, X, y):
        check_choice("rule", self.rule, ("arithmetic", "majority"))
        check_choice("criterion", self.criterion, ("gini", "entropy"))
        return super()._checked(X, y)

    def _criterion(self, codes, weight):
        kind = GiniCriterion if self.criterion == "gini" else EntropyCriterion
        return kind(codes, len(self.classes_), weight)

    def _new_tree(self):
        tree = DecisionTreeClassifier(
            criterion=self.criterion, max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
        )  # fmt: skip
        tree.classes_ = np.arange(len(self.classes_))
        return tree

    def _class_names(self):
        return tuple(str(name) for name in self.classes_.tolist())


class RandomForestRegressor(_Forest, _AveragingRegressor):
    """A random forest of regression trees: f(x) = 1/T Σ_t f_t(x); see ``RandomForestClassifier``.

    Parameters
    ----------
    n_estimators : int >= 1
        Number of trees.
    max_features : share in (0, 1], "sqrt", "log2", None or int
        How many features each node may choose from. A third of them is Breiman's advice for numbers.
    max_depth : int >= 0, optional
    min_samples_leaf : int >= 1
        Least number of different rows in a leaf.
    bootstrap : bool
        False: every tree sees all rows.
    random_combination : bool
        Each tree sees mixtures of three features in place of the features themselves.
    oob_score : bool
        Judge the trees by the rows they have not seen.
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
    estimators_samples_ : list of int arrays
        The different rows that each tree was grown on.
    projections_ : list of ndarrays of shape (n_features, n_features)
        With ``random_combination``: the mixtures that each tree sees, as columns.
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_, oob_prediction_, oob_counts_
        See ``BaggingRegressor``.

    Notes C 5.4-5.7.
    """

    _check = staticmethod(check_table_and_targets)

    def __init__(
        self, *, n_estimators=100, max_features=1 / 3, max_depth=None, min_samples_leaf=1, bootstrap=True,
        random_combination=False, oob_score=False, random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.random_combination = random_combination
        self.oob_score = oob_score
        self.random_state = random_state

    def _criterion(self, targets, weight):
        return SquaredErrorCriterion(targets, weight)

    def _new_tree(self):
        return DecisionTreeRegressor(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, max_features=self.max_features
        )

    def _class_names(self):
        return ()
