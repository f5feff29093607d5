"""Random forests: bagging of trees that also draw the features they may ask about (随机森林; Notes E, C 5.4-5.7)."""

import math

import numpy as np

from mlcore.base import anything, check_is_fitted, choice, flag, whole
from mlcore.core.ensembles import random_mixtures
from mlcore.core.model_selection import bootstrap_sample
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
from mlcore.ensembles.bagging import _AveragingRegressor, _Ensemble, _VotingClassifier
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


class _Forest(_Ensemble):
    """All trees share one sorted table, and a bootstrap sample is a count for each row."""

    n_estimators: int = whole(100, "Number of trees.", low=1)
    max_depth: int = whole(None, "The deepest level of a leaf.", low=0)
    min_samples_leaf: int = whole(1, "Least number of different rows in a leaf.", low=1)
    random_combination: bool = flag(
        False,
        "Each tree sees mixtures of three features in place of the features themselves, drawn anew for each tree: its\n"
        "borders are oblique. See ``random_mixtures``.",
    )

    def _trained(self, X, y, weight, p):
        """Grow the trees, some at a time; yield each with its rows."""
        limits = Limits(
            max_depth=math.inf if p.max_depth is None else p.max_depth, min_samples_leaf=p.min_samples_leaf
        )
        (n, d), rng = X.shape, p.random_state
        there, names = weight > 0, ([f"x{j}" for j in range(d)], self._class_names())
        at_once, columns = min(p.n_estimators, max(1, ROWS_AT_ONCE // n)), None
        if not self.random_combination:
            columns = Columns(X, self.categories_)
            at_once = at_once if columns.is_plain else 1
            columns = columns.copies(at_once) if at_once > 1 else columns
        options = {
            "n_drawn": n_features_to_draw(self.max_features, d), "rng": rng,
            "n_surrogates": int(columns is not None and not columns.complete),
        }  # fmt: skip
        targets, self.projections_ = np.tile(y, at_once), []
        for first in range(0, p.n_estimators, at_once):
            counts = [self._sample(there, rng) * weight for _ in range(first, min(first + at_once, p.n_estimators))]
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

    def _member_output(self, member, X):
        if member.projection_ is not None:
            X = X @ member.projection_
        return member.tree_.expected_value(X).reshape(len(X), -1)

    def _data(self, X, y):
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

    It takes numbers and, in an object array, strings (categories); None and NaN are missing values. A row's weight
    multiplies its count in each sample; rows of weight 0 are not drawn.

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

    References
    ----------
    Notes E (随机森林), C 5.4-5.7.
    """

    max_features: object = anything(
        "sqrt", '"sqrt", "log2", None, int or share in (0, 1]',
        "How many features each node may choose from; None: all, which is bagging of trees.",
    )  # fmt: skip
    criterion: str = choice("gini", ("gini", "entropy"), "The impurity that a split lowers.")
    _check = staticmethod(check_table_and_labels)

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

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
    estimators_samples_, projections_, feature_importances_
        See ``RandomForestClassifier``.
    oob_score_, oob_prediction_, oob_counts_
        See ``BaggingRegressor``.

    References
    ----------
    Notes C 5.4-5.7.
    """

    max_features: object = anything(
        1 / 3, 'share in (0, 1], "sqrt", "log2", None or int',
        "How many features each node may choose from. A third of them is Breiman's advice for numbers.",
    )  # fmt: skip
    _check = staticmethod(check_table_and_targets)

    def _criterion(self, targets, weight):
        return SquaredErrorCriterion(targets, weight)

    def _new_tree(self):
        return DecisionTreeRegressor(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, max_features=self.max_features
        )

    def _class_names(self):
        return ()
