"""Random forests: bagging of trees that also draw the features they may ask about (随机森林; Notes E, C 5.4-5.7)."""

import math

import numpy as np

from mlcore.base import (
    check_choice,
    check_flag,
    check_int,
    check_is_fitted,
    check_random_state,
    check_sample_weight,
    run,
)
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.decision_trees.cart import n_features_to_draw
from mlcore.decision_trees.columns import (
    check_table,
    check_table_and_labels,
    check_table_and_targets,
    encode,
    learn_categories,
)
from mlcore.engines.trees import Columns, EntropyCriterion, GiniCriterion, Growth, Limits, SquaredErrorCriterion
from mlcore.ensembles.bagging import _AveragingRegressor, _VotingClassifier
from mlcore.ensembles.combining import class_votes

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]

_FEATURES_IN_A_MIXTURE = 3


class _Forest:
    """Planting: all trees share one sorted table, and a bootstrap sample is a count for each row."""

    def _leaves_rows_out(self):
        return bool(self.bootstrap)

    def _before_training(self, X, y, weight):
        check_flag("bootstrap", self.bootstrap)
        self._mixes = check_flag("random_combination", self.random_combination)
        self._limits = Limits(
            max_depth=math.inf if self.max_depth is None else check_int("max_depth", self.max_depth, low=0),
            min_samples_leaf=check_int("min_samples_leaf", self.min_samples_leaf, low=1),
        )
        self._n_drawn = n_features_to_draw(self.max_features, X.shape[1])
        self._check_mixable(X)
        self._columns = None if self._mixes else Columns(X, self.categories_)
        self.projections_ = []

    def _train(self, X, y, weight, rng):
        there = weight.nonzero()[0]  # a row of weight 0 counts as one that is not there
        drawn = there[rng.integers(len(there), size=len(there))] if self.bootstrap else there
        counts = np.bincount(drawn, minlength=len(X)) * weight
        rows = counts.nonzero()[0]
        columns = self._columns
        if self._mixes:
            projection = random_mixtures(X, rng)
            columns = Columns(X @ projection)
            self.projections_.append(projection)
        growth = Growth(
            columns, self._criterion(y, None if (counts == 1).all() else counts), self._limits, rows=rows, rng=rng,
            n_drawn=self._n_drawn, n_surrogates=0 if columns.complete else 1,
        )  # fmt: skip
        run(growth.run())
        return rows, self._tree(growth)

    def _tree(self, growth):
        """Put a grown tree into an estimator, as if it had been fitted by itself."""
        tree = self._new_tree()
        tree.n_features_in_ = self.n_features_in_
        tree.categories_ = self.categories_
        tree.candidates_ = []
        tree.tree_ = growth.tree([f"x{j}" for j in range(self.n_features_in_)], self._class_names())
        tree.projection_ = self.projections_[-1] if self._mixes else None
        return tree

    def _values(self, member, X):
        """What a tree says about checked and encoded rows."""
        return member.tree_.expected_value(X if member.projection_ is None else X @ member.projection_)

    def _check_mixable(self, X):
        if self._mixes and (np.isnan(X).any() or any(known is not None for known in self.categories_)):
            raise ValueError("random_combination=True adds features up: it needs numbers, no text, no NaN or None")

    def _table(self, X):
        X = encode(check_table(self, X), self.categories_)
        self._check_mixable(X)
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
        if self._mixes:
            raise AttributeError("trees of a random-combination forest ask about mixtures of features")
        return np.mean([tree.tree_.feature_importances() for tree in self.estimators_], axis=0)

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; in an object array also strings (categories). None and NaN are missing values.
        y : array-like of shape (n_samples,)
            Class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies a row's count in each bootstrap sample. A row of weight 0 is not drawn.

        Raises
        ------
        ValueError, TypeError
            For bad parameters or data.
        """
        run(self.iter_fit(X, y, sample_weight))
        return self

    def _encoded(self, X):
        """Learn the categories of a checked table and return it as numbers."""
        self.categories_ = learn_categories(X)
        return encode(X, self.categories_)


def random_mixtures(X, rng):
    """Return a matrix P whose columns each mix a few features: z = Pᵀx, one new feature a column (Notes C 5.4).

    Three features, drawn at random, with coefficients uniform in [-1, 1] and divided by the features' standard
    deviations, so that the units do not matter (Breiman's Forest-RC, which draws them anew for each node).

    Returns
    -------
    ndarray of shape (n_features, n_features)

    Raises
    ------
    ValueError
        If a feature is beyond 1e300 or spreads over less than 1e-300.
    """
    d = X.shape[1]
    chosen = rng.random((d, d)).argsort(axis=0) < min(_FEATURES_IN_A_MIXTURE, d)
    return chosen * rng.uniform(-1, 1, (d, d)) / _spread(X)[:, None]


def _spread(X):
    """The standard deviation of each feature; 1 for a constant one.

    Raises
    ------
    ValueError
        If one is so large or so small that mixtures would leave the range of float64.
    """
    size = np.abs(X).max(axis=0)
    size[size == 0] = 1.0
    spread = size * (X / size).std(axis=0)
    spread[(X == X[0]).all(axis=0)] = 1.0
    if not ((spread > 1e-300) & (size < 1e300)).all():
        raise ValueError(
            f"features spread over {spread.min():.3g} to {spread.max():.3g} (the largest entry is {size.max():.3g}), "
            "which random_combination=True cannot add up: rescale them to about 1"
        )
    return spread


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

    def iter_fit(self, X, y, sample_weight=None):
        """Grow tree after tree (see ``fit``); yield the forest, ready to predict, after each."""
        rng = check_random_state(self.random_state)
        check_choice("rule", self.rule, ("arithmetic", "majority"))
        check_choice("criterion", self.criterion, ("gini", "entropy"))
        X, y = check_table_and_labels(self, X, y)
        yield from self._members(self._encoded(X), y, check_sample_weight(sample_weight, len(X)), rng)

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

    def _output(self, member, X):
        shares = self._values(member, X)
        return class_votes(shares) if self.rule == "majority" else shares


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

    def iter_fit(self, X, y, sample_weight=None):
        """Grow tree after tree (see ``fit``); yield the forest, ready to predict, after each."""
        rng = check_random_state(self.random_state)
        X, y = check_table_and_targets(self, X, y)
        yield from self._members(self._encoded(X), y, check_sample_weight(sample_weight, len(X)), rng)

    def _criterion(self, targets, weight):
        return SquaredErrorCriterion(targets, weight)

    def _new_tree(self):
        return DecisionTreeRegressor(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, max_features=self.max_features
        )

    def _class_names(self):
        return ()

    def _output(self, member, X):
        return self._values(member, X)
