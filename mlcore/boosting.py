"""Boosting: weak models trained one after the other, each on what the others have left wrong.

Chapter 20. Sources: notes E (Boosting: AdaBoost), C 4.6 and 6.1-6.4, A 4.2.1.

- ``DecisionStump``: a tree with one question, the weak learner of the notes.
- ``AdaBoostClassifier``, ``AdaBoostedTree``: rows that were got wrong weigh more in the next round.
- ``GradientBoostingRegressor``, ``GradientBoostingClassifier``: each tree fits the residuals of the sum so far.
"""

import inspect
import math

import numpy as np

from mlcore.base import (
    Classifier,
    Regressor,
    check_choice,
    check_classification,
    check_flag,
    check_int,
    check_is_fitted,
    check_random_state,
    check_real,
    check_regression,
    check_sample_weight,
    check_X,
    run,
)
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.engines.trees import Columns, Growth, Limits, SquaredErrorCriterion, midpoints
from mlcore.members import draw_rows, fresh
from mlcore.numerics import expit, softplus

__all__ = [
    "AdaBoostClassifier", "AdaBoostedTree", "DecisionStump", "GradientBoostingClassifier", "GradientBoostingRegressor",
]  # fmt: skip

TIE = 1e-12


# ---------------------------------------------------------------------------------------------------------------
# Stumps
# ---------------------------------------------------------------------------------------------------------------
class SortedColumns:
    """Every column sorted once, so that each round of boosting finds its best stump in one pass over the table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Attributes
    ----------
    order : int ndarray of shape (n_features, n_samples)
        The rows in order of each column.
    feature, place : int ndarrays of shape (n_thresholds,)
        A threshold of column ``feature`` lies between the sorted places ``place`` and ``place + 1``. In order of
        feature, then of size.
    """

    def __init__(self, X):
        self.X = X
        self.order = X.argsort(axis=0, kind="stable").T
        ordered = np.take_along_axis(X, self.order.T, axis=0).T
        self.feature, self.place = np.nonzero(ordered[:, 1:] > ordered[:, :-1])
        self.low, self.high = ordered[self.feature, self.place], ordered[self.feature, self.place + 1]
        self._at = self.feature * len(X) + self.place

    def best_question(self, codes, weight, n_classes):
        """Return the question with the least weighted error, and the weights of the classes on both sides.

        With the weights W_k of class k on the left and on the right, and the most heavy class predicted on each side,
        the error is 1 - max_k W_k(left) - max_k W_k(right) (weights that add up to 1).

        Returns
        -------
        feature : int, or -1 if all columns are constant
        threshold : float
        sides : ndarray of shape (2, n_classes)
        """
        total = np.bincount(codes, weights=weight, minlength=n_classes)
        if not len(self.feature):
            return -1, math.inf, np.array([total, np.zeros(n_classes)])
        correct = self._correct(codes, weight, total)
        best = (correct >= correct.max() - TIE * total.sum()).argmax()  # the first feature, the lowest threshold
        threshold = midpoints(self.low[best : best + 1], self.high[best : best + 1])[0]
        rows = self.order[self.feature[best], : self.place[best] + 1]
        left = np.bincount(codes[rows], weights=weight[rows], minlength=n_classes)
        return int(self.feature[best]), float(threshold), np.array([left, np.maximum(total - left, 0.0)])

    def _correct(self, codes, weight, total):
        """Return the weight that each question gets right: max_k W_k(left) + max_k W_k(right).

        For two classes one running sum is enough. With S = Σ_left ±w_i and T = Σ ±w_i (+ for class 1) the heavier
        class of the left side weighs ½ (W(left) + |S|), that of the right side ½ (W(right) + |T - S|).
        """
        if len(total) == 2:
            signed = self._left_sums(np.where(codes == 1, weight, -weight))
            return 0.5 * (total.sum() + np.abs(signed) + np.abs(total[1] - total[0] - signed))
        left = np.array([self._left_sums(weight * (codes == k)) for k in range(len(total))])
        return left.max(axis=0) + (total[:, None] - left).max(axis=0)

    def _left_sums(self, quantity):
        """Return the sum of a quantity of the rows over the rows left of each threshold: (n_thresholds,)."""
        return quantity[self.order].cumsum(axis=1).ravel().take(self._at)


class DecisionStump(Classifier):
    """A tree with a single question (决策树桩): "x_j <= t?", and the heavier class on either side.

    Of all questions the one with the least weighted error Σ_i w_i 1{y_i ≠ h(x_i)}; equal ones: the first feature, then
    the lowest threshold. Thresholds lie midway between neighbouring values. A side with two classes of equal weight
    takes the first.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_ : int
        j; -1 if all columns are constant. Then the heaviest class is predicted everywhere.
    threshold_ : float
        t.
    side_weights_ : ndarray of shape (2, n_classes)
        Shares of the classes in the weight on the left (x_j <= t) and on the right.

    Notes C 6.1, E (AdaBoost).
    """

    def __init__(self):
        """Take no parameters: the data say it all."""

    def fit(self, X, y, sample_weight=None):
        """Find the best question.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Raises
        ------
        ValueError, TypeError
            For bad data.
        """
        X, codes = check_classification(self, X, y)
        weight = check_sample_weight(sample_weight, len(X))
        rows = weight > 0
        return self._learn(SortedColumns(X[rows]), codes[rows], weight[rows])

    def _learn(self, columns, codes, weight):
        n_classes = len(self.classes_)
        self.feature_, self.threshold_, sides = columns.best_question(codes, weight, n_classes)
        self.side_weights_ = sides / np.maximum(sides.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        # of equal weights, up to rounding, the first class
        heaviest = sides >= sides.max(axis=1, keepdims=True) - TIE * sides.sum()
        self._winners = heaviest.argmax(axis=1)
        return self

    def _side(self, X):
        """0 for rows on the left, 1 on the right."""
        return (X[:, self.feature_] > self.threshold_).astype(np.intp)

    def predict(self, X):
        """Return the heavier class of the side of each row: shape (n_samples,)."""
        X = check_X(self, X)
        return self.classes_[self._winners[self._side(X)]]

    def predict_proba(self, X):
        """Return the shares of the classes on the side of each row: shape (n_samples, n_classes)."""
        X = check_X(self, X)
        return self.side_weights_[self._side(X)]


# ---------------------------------------------------------------------------------------------------------------
# AdaBoost
# ---------------------------------------------------------------------------------------------------------------
class AdaBoostClassifier(Classifier):
    """AdaBoost (Freund and Schapire 1997): each round weighs the rows by how wrong the sum so far is about them.

    F(x) = Σ_t α_t h_t(x),  h_t(x) in {-1, +1};  class +1 where F(x) > 0

    Round t trains h_t on the weights w, takes its weighted error ε_t = Σ w_i 1{h_t(x_i) ≠ y_i} and the step
    α_t = ½ ln((1 - ε_t)/ε_t), multiplies the weights by exp(-α_t y_i h_t(x_i)) and makes them add up to 1. Then h_t has
    the error ½ on the new weights. This descends on the exponential loss Σ exp(-y_i F(x_i)).

    *More than two classes* (SAMME, Zhu et al. 2009): α_t = ½ (ln((1 - ε_t)/ε_t) + ln(K - 1)), each class has a score
    Σ_t α_t 1{h_t(x) = k}, and "useless" below means ε >= 1 - 1/K.

    *A perfect member* (ε = 0) would get the weight ∞: the rounds end, and it alone decides (its α is 1, that of the
    others becomes 0). *A useless one* (ε >= ½) is not taken in, and the rounds end. If the first one is useless, it
    alone decides, for want of a better one.

    *Estimators without sample weights* are trained on n rows drawn in proportion to the weights (notes C 6.1).

    Parameters
    ----------
    estimator : classifier, optional
        Of mlcore or scikit-learn; by default a ``DecisionStump``, for which the columns are sorted only once.
    n_estimators : int >= 1
        Most rounds.
    resample : bool
        Draw rows also for an estimator that takes weights.
    random_state : None, int or numpy.random.Generator
        For drawing, and for estimators that draw.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of fitted classifiers
        Trained on class numbers 0, 1, ...
    alphas_ : ndarray of shape (n_rounds,)
    errors_ : ndarray of shape (n_rounds,)
        ε.
    sample_weights_ : ndarray of shape (n_rounds, n_samples)
        The weights w that each round was trained on.
    n_features_in_ : int

    Notes E (AdaBoost), C 4.6 and 6.2.
    """

    def __init__(self, estimator=None, *, n_estimators=50, resample=False, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.resample = resample
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Run all rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weights of the first round, in proportion.

        Raises
        ------
        ValueError, TypeError
            For bad parameters or data.
        """
        run(self.iter_fit(X, y, sample_weight))
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Run round after round (see ``fit``); yield the model, ready to predict, after each."""
        n_rounds = check_int("n_estimators", self.n_estimators, low=1)
        rng, learner = check_random_state(self.random_state), self._learner()
        draws = check_flag("resample", self.resample) or not _takes_weights(learner)
        X, codes = check_classification(self, X, y)
        weight = check_sample_weight(sample_weight, len(X))
        weight = weight / weight.max()
        weight = weight / weight.sum()
        chance = 1 - 1 / max(len(self.classes_), 2)
        train = self._trainer(learner, X, codes, weight > 0, draws, rng)
        self.estimators_, self.alphas_, self.errors_ = [], np.empty(0), np.empty(0)
        self._weights = []
        for _ in range(n_rounds):
            member = train(weight)
            wrong = self._codes(member, X) != codes
            error = float(weight[wrong].sum())
            if error >= chance - TIE and self.estimators_:
                return
            self._add(member, error, weight, chance)
            yield self
            if error <= TIE or error >= chance - TIE:
                return
            weight = reweighted(weight, wrong, error, chance)

    def _learner(self):
        if self.estimator is None:
            return DecisionStump()
        if isinstance(self.estimator, type) or not all(hasattr(self.estimator, name) for name in ("fit", "predict")):
            raise ValueError(f"estimator must be a classifier, got {self.estimator!r}")
        return self.estimator

    def _trainer(self, learner, X, codes, used, draws, rng):
        """Return the function that trains a member on given weights, which are 0 for all rows not ``used``."""
        if type(learner) is DecisionStump and not draws:
            return self._stump_trainer(X, codes, used)

        def train(weight):
            member = fresh(learner, rng)
            if not draws:
                return member.fit(X, codes, sample_weight=weight * len(X))
            rows = draw_rows(codes, len(codes), weight, rng)
            return member.fit(X[rows], codes[rows])

        return train

    def _stump_trainer(self, X, codes, used):
        """The same for stumps, whose columns are sorted once. Rows without weight never get any: they are left out."""
        columns = SortedColumns(X[used])

        def train(weight):
            stump = DecisionStump()
            stump.classes_, stump.n_features_in_ = np.arange(len(self.classes_)), X.shape[1]
            return stump._learn(columns, codes[used], weight[used])

        return train

    def _add(self, member, error, weight, chance):
        """Keep a member with its step α."""
        if error <= TIE or error >= chance - TIE:
            self.alphas_, alpha = np.zeros(len(self.alphas_)), 1.0
        else:
            alpha = 0.5 * (math.log((1 - error) / error) + math.log(chance / (1 - chance)))
        self.estimators_.append(member)
        self.alphas_ = np.append(self.alphas_, alpha)
        self.errors_ = np.append(self.errors_, error)
        self._weights.append(weight)

    @property
    def sample_weights_(self):
        """(n_rounds, n_samples) the weights that each round was trained on."""
        check_is_fitted(self)
        return np.array(self._weights)

    def _codes(self, member, X):
        """The class numbers that a member predicts for checked rows."""
        if type(member) is DecisionStump:
            return member._winners[member._side(X)]
        predicted = np.asarray(member.predict(X))
        codes = predicted.astype(np.intp)
        if (codes != predicted).any():
            odd = predicted[codes != predicted][0]
            raise ValueError(f"{member!r} predicts {odd}, which is no class: not a classifier")
        return codes

    def staged_decision_function(self, X):
        """Yield ``decision_function(X)`` after 1, 2, ... rounds."""
        X = check_X(self, X)
        binary = len(self.classes_) <= 2
        scores = np.zeros(len(X)) if binary else np.zeros((len(X), len(self.classes_)))
        for alpha, member in zip(self.alphas_, self.estimators_, strict=True):
            codes = self._codes(member, X)
            if binary:
                scores = scores + alpha * (2 * codes - 1)
            else:
                scores = scores + alpha * (codes[:, None] == np.arange(len(self.classes_)))
            yield scores

    def decision_function(self, X):
        """Return F(x) = Σ_t α_t h_t(x).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Above 0 for ``classes_[1]``; of shape (n_samples, n_classes), a score a class, for more than two classes.
        """
        check_is_fitted(self)
        scores = None
        for scores in self.staged_decision_function(X):  # noqa: B007
            pass
        return scores

    def predict(self, X):
        """Return the class with the higher score; where F(x) = 0 the first."""
        scores = self.decision_function(X)
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[np.minimum(winners, len(self.classes_) - 1)]

    def predict_proba(self, X):
        """Return P(k | x), of shape (n_samples, n_classes).

        For two classes 1 / (1 + exp(-2 F(x))): the F that minimises the expected exponential loss is half the log-odds
        (Friedman et al. 2000). For K classes exp(2 score_k / (K - 1)), normalised.
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores]) / 2
        exponents = 2 * scores / (scores.shape[1] - 1)
        likely = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True)


def reweighted(weight, wrong, error, chance=0.5):
    """Return the weights of the next round, on which a member with this weighted error is as bad as chance.

    Wrong rows are multiplied by ½/ε and right ones by ½/(1-ε). Up to the normalisation that is exp(-α y h(x)), or
    (1-ε)/ε for the wrong rows only, or ε/(1-ε) for the right rows only: notes E have all three.

    Parameters
    ----------
    weight : ndarray of shape (n_samples,)
        Adds up to 1.
    wrong : bool ndarray of shape (n_samples,)
    error : float in (0, 1)
    chance : float in (0, 1)
        The error of guessing: ½ for two classes, 1 - 1/K for K.

    Returns
    -------
    ndarray of shape (n_samples,)
        Adds up to 1; the wrong rows have the weight ``chance``.
    """
    new = weight * np.where(wrong, chance / error, (1 - chance) / (1 - error))
    return new / new.sum()


def _takes_weights(estimator):
    return "sample_weight" in inspect.signature(estimator.fit).parameters


class AdaBoostedTree(AdaBoostClassifier):
    """AdaBoost with small trees (AdaBoosted Decision Tree, notes C 6.1).

    A full-grown tree is right about every training row, whatever the weights (but for equal rows with different
    labels): ε = 0, and there is nothing to boost. So
    the trees must be weak: their depth is limited. With ``resample`` each tree is grown on rows drawn in proportion to
    the weights, as in the notes, which want the tree as a black box; without it the tree takes the weights themselves.

    Parameters
    ----------
    max_depth : int >= 1
        1 gives stumps (by Gini value, not by error as ``DecisionStump``).
    n_estimators : int >= 1
        Most rounds.
    resample : bool
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    classes_, estimators_, alphas_, errors_, sample_weights_
        See ``AdaBoostClassifier``.
    """

    def __init__(self, *, max_depth=2, n_estimators=50, resample=False, random_state=None):
        self.max_depth = max_depth
        self.n_estimators = n_estimators
        self.resample = resample
        self.random_state = random_state

    def _learner(self):
        return DecisionTreeClassifier(max_depth=check_int("max_depth", self.max_depth, low=1))


# ---------------------------------------------------------------------------------------------------------------
# Gradient boosting
# ---------------------------------------------------------------------------------------------------------------
class _GradientBoosting:
    """A sum of small regression trees, each fitted to the residuals: minus the gradient of the loss in the scores."""

    def fit(self, X, y, sample_weight=None):
        """Grow all trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Raises
        ------
        ValueError, TypeError
            For bad parameters or data.
        """
        run(self.iter_fit(X, y, sample_weight))
        return self

    def _grow(self, X, y, weight):
        """Grow tree after tree; yield after each."""
        n_trees, rate, limits, share, rng = self._check_parameters()
        kept = weight > 0
        X, y, weight = X[kept], y[kept], weight[kept]
        columns, rows = Columns(X), np.arange(len(X))
        self.initial_score_ = self._constant(y, weight) if self.init == "constant" else 0.0
        scores = np.full(len(X), self.initial_score_)
        self.estimators_, self.leaf_values_, self.train_loss_ = [], [], []
        for _ in range(n_trees):
            if share < 1:
                rows = np.sort(rng.permutation(len(X))[: max(1, int(share * len(X)))])
            residuals = self._residuals(y, scores)
            growth = Growth(columns, SquaredErrorCriterion(residuals, weight), limits, rows=rows)
            run(growth.run())
            tree = growth.tree([f"x{j}" for j in range(X.shape[1])])
            leaf = growth.leaf if share == 1 else tree.apply(X)
            steps = self._steps(residuals[rows], y[rows], scores[rows], weight[rows], leaf[rows], tree.n_nodes)
            scores = scores + rate * steps[leaf]
            self.estimators_.append(tree)
            self.leaf_values_.append(rate * steps)
            self.train_loss_.append(float(np.average(self._loss(y, scores), weights=weight)))
            yield self

    def _check_parameters(self):
        check_choice("init", self.init, ("constant", "zero"))
        return (
            check_int("n_estimators", self.n_estimators, low=1),
            check_real("learning_rate", self.learning_rate, low=0, high=2, low_open=True, high_open=True),
            Limits(
                max_depth=check_int("max_depth", self.max_depth, low=1),
                min_samples_leaf=check_int("min_samples_leaf", self.min_samples_leaf, low=1),
            ),
            check_real("subsample", self.subsample, low=0, high=1, low_open=True),
            check_random_state(self.random_state),
        )

    def _staged_scores(self, X):
        scores = np.full(len(X), self.initial_score_)
        for tree, values in zip(self.estimators_, self.leaf_values_, strict=True):
            scores = scores + values[tree.apply(X)]
            yield scores

    def _scores(self, X):
        scores = None
        for scores in self._staged_scores(X):  # noqa: B007
            pass
        return scores

    @property
    def feature_importances_(self):
        """(n_features,) mean over the trees of each feature's share in the decrease of squared error."""
        check_is_fitted(self)
        return np.mean([tree.feature_importances() for tree in self.estimators_], axis=0)


def _mean_of_leaves(values, weight, leaf, n_nodes):
    """The weighted mean of the values in each leaf; 0 for other nodes."""
    total = np.bincount(leaf, weights=weight, minlength=n_nodes)
    return np.bincount(leaf, weights=weight * values, minlength=n_nodes) / np.where(total > 0, total, 1.0)


class GradientBoostingRegressor(_GradientBoosting, Regressor):
    """Gradient boosted regression trees (GBDT) for the squared error.

    s_0 = mean of y;   s_t(x) = s_{t-1}(x) + η g_t(x),   g_t a regression tree fitted to the residuals y - s_{t-1}(x)

    The residual is minus the gradient of ½ (y - s)² in s. The notes then fit α_t = Σ g r / Σ g², a regression of the
    residuals r on g; as the leaves of g are means of r, that gives α_t = 1 for every tree fitted to all rows. The
    learning rate η < 1 takes a part of it: more trees, and a better sum.

    Parameters
    ----------
    n_estimators : int >= 1
    learning_rate : float in (0, 2)
        η. With all rows the residuals of a leaf shrink by the factor 1 - η; from 2 on they would not shrink at all.
    max_depth : int >= 1
        Depth of the trees: how many features can act together.
    min_samples_leaf : int >= 1
    subsample : float in (0, 1]
        Share of the rows that each tree is fitted to, drawn without replacement (stochastic gradient boosting).
    init : {"constant", "zero"}
        Start from the best constant, or from 0 as the notes do.
    random_state : None, int or numpy.random.Generator
        For ``subsample``.

    Attributes
    ----------
    estimators_ : list of Tree
    leaf_values_ : list of ndarrays of shape (n_nodes,)
        What each tree adds to the score in each of its leaves, η included.
    initial_score_ : float
    train_loss_ : list of float
        Mean of ½ (y - s)² after each tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes C 6.3-6.4.
    """

    def __init__(
        self, *, n_estimators=100, learning_rate=0.1, max_depth=3, min_samples_leaf=1, subsample=1.0, init="constant",
        random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.subsample = subsample
        self.init = init
        self.random_state = random_state

    def iter_fit(self, X, y, sample_weight=None):
        """Grow tree after tree (see ``fit``); yield the model, ready to predict, after each."""
        X, y = check_regression(self, X, y)
        largest = np.abs(y).max()
        if largest > 1e150:
            raise ValueError(f"y reaches {largest:.3g}, whose square is no float64: rescale y to about 1")
        yield from self._grow(X, y, check_sample_weight(sample_weight, len(X)))

    def _constant(self, y, weight):
        return float(np.average(y, weights=weight))

    def _residuals(self, y, scores):
        return y - scores

    def _loss(self, y, scores):
        return (y - scores) ** 2 / 2

    def _steps(self, residuals, y, scores, weight, leaf, n_nodes):
        return _mean_of_leaves(residuals, weight, leaf, n_nodes)

    def staged_predict(self, X):
        """Yield ``predict(X)`` after 1, 2, ... trees."""
        yield from self._staged_scores(check_X(self, X))

    def predict(self, X):
        """Return the sum of the trees: shape (n_samples,)."""
        return self._scores(check_X(self, X))


class GradientBoostingClassifier(_GradientBoosting, Classifier):
    """Gradient boosted trees (GBDT) for two classes and the logistic loss.

    P(1 | x) = 1 / (1 + exp(-s(x)));   s_t = s_{t-1} + η g_t

    The residuals are y - p, minus the gradient of the loss ln(1 + exp(s)) - y s. A tree fitted to them says which rows
    belong together. The step in each leaf is one step of Newton's method, Σ (y - p) / Σ p (1 - p): the exact minimum
    has no closed form.

    Parameters
    ----------
    n_estimators : int >= 1
    learning_rate : float in (0, 2)
        η.
    max_depth : int >= 1
    min_samples_leaf : int >= 1
    subsample : float in (0, 1]
        Share of the rows that each tree is fitted to, drawn without replacement.
    init : {"constant", "zero"}
        Start from the log-odds of the classes, or from 0 as the notes do.
    random_state : None, int or numpy.random.Generator
        For ``subsample``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    estimators_ : list of Tree
    leaf_values_ : list of ndarrays of shape (n_nodes,)
        What each tree adds to the score in each of its leaves, η included.
    initial_score_ : float
    train_loss_ : list of float
        Mean logistic loss after each tree.
    feature_importances_ : ndarray of shape (n_features,)

    Notes C 6.3-6.4, with the logistic in place of the squared error.
    """

    def __init__(
        self, *, n_estimators=100, learning_rate=0.1, max_depth=3, min_samples_leaf=1, subsample=1.0, init="constant",
        random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.subsample = subsample
        self.init = init
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def iter_fit(self, X, y, sample_weight=None):
        """Grow tree after tree (see ``fit``); yield the model, ready to predict, after each."""
        X, y = check_classification(self, X, y, n_classes=2)
        weight = check_sample_weight(sample_weight, len(X))
        if len(np.unique(y[weight > 0])) < 2:
            raise ValueError("all rows with a positive weight are of one class: there is nothing to tell apart")
        yield from self._grow(X, y.astype(float), weight)

    def _constant(self, y, weight):
        ones, zeros = weight[y == 1].sum(), weight[y == 0].sum()
        return math.log(ones) - math.log(zeros)  # their ratio may leave the range of floats

    def _residuals(self, y, scores):
        return y - expit(scores)

    def _loss(self, y, scores):
        return softplus(scores) - y * scores

    def _steps(self, residuals, y, scores, weight, leaf, n_nodes):
        p = expit(scores)
        slope = np.bincount(leaf, weights=weight * residuals, minlength=n_nodes)
        curvature = np.bincount(leaf, weights=weight * p * (1 - p), minlength=n_nodes)
        flat = curvature <= 1e-150  # all rows of the leaf are as sure as numbers can be
        return np.where(flat, 0.0, slope / np.where(flat, 1.0, curvature))

    def staged_decision_function(self, X):
        """Yield ``decision_function(X)`` after 1, 2, ... trees."""
        yield from self._staged_scores(check_X(self, X))

    def decision_function(self, X):
        """Return s(x), the log-odds of ``classes_[1]``: shape (n_samples,)."""
        return self._scores(check_X(self, X))

    def predict_proba(self, X):
        """Return P(k | x), of shape (n_samples, 2)."""
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        """Return the more probable class; the first one where both are equally probable."""
        winners = (self.decision_function(X) > 0).astype(np.intp)
        return self.classes_[winners]
