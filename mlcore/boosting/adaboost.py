"""AdaBoost: rows that were got wrong weigh more in the next round.

Notes E (AdaBoost), C 4.6, 6.1 and 6.2; Freund and Schapire 1997; Zhu et al. 2009 for more than two classes.
"""

import inspect
from itertools import islice

import numpy as np

from mlcore.base import (
    Classifier,
    check_classification,
    check_is_fitted,
    check_sample_weight,
    check_X,
    flag,
    part,
    seed,
    whole,
)
from mlcore.base.members import draw_rows, fresh, sound, tags_of_members, take
from mlcore.boosting.stumps import TIE, DecisionStump, sort_columns
from mlcore.core.boosting import reweighted, rounds, vote_weight
from mlcore.decision_trees import DecisionTreeClassifier
from mlcore.features import indicator
from mlcore.numerics import expit, softmax
from mlcore.optimize import last

__all__ = ["AdaBoostClassifier", "AdaBoostedTree", "reweighted", "rounds", "vote_weight"]


class _AdaBoost(Classifier):
    """The rounds; a subclass has a ``_learner()``, unfitted."""

    n_estimators: int = whole(50, "Most rounds.", low=1)
    resample: bool = flag(False, "Draw rows also for an estimator that takes weights.")
    random_state: object = seed("For drawing, and for estimators that draw.")

    def iter_fit(self, X, y, sample_weight=None):
        """Run round after round; yield the model, ready to predict, after each.

        The first round trains on the ``sample_weight``.
        """
        p, learner = self.checked(), self._learner()
        draws = p.resample or not _takes_weights(learner)
        X, y = check_classification(self, X, y, **_options(learner))
        weight = check_sample_weight(sample_weight, len(y))
        K = max(len(self.classes_), 2)
        train = self._trainer(learner, X, y, weight > 0, draws, p.random_state)
        self.estimators_, self.alphas_, self.errors_, self._weights = [], np.empty(0), np.empty(0), []
        for member, error, w in islice(rounds(train, y, weight / weight.sum(), K), p.n_estimators):
            perfect, useless = error <= TIE, error >= 1 - 1 / K - TIE
            if useless and self.estimators_:
                return
            self.estimators_.append(member)
            self.errors_ = np.append(self.errors_, error)
            self._weights.append(w)
            if perfect or useless:  # it alone decides
                self.alphas_ = np.append(np.zeros(len(self.alphas_)), 1.0)
                yield self
                return
            self.alphas_ = np.append(self.alphas_, vote_weight(error, K))
            yield self

    def _trainer(self, learner, X, y, there, draws, rng):
        """Return ``train(w)``: a member trained on the weights w, 0 for rows that are not ``there``, and its codes."""
        stumps = type(learner) is DecisionStump and not draws
        columns = sort_columns(X[there]) if stumps else None  # once, for all rounds

        def train(w):
            if stumps:
                member = DecisionStump()
                member.classes_, member.n_features_in_ = np.arange(len(self.classes_)), X.shape[1]
                member.learn(X[there], y[there], w[there], *columns)
            elif draws:
                rows = draw_rows(y, len(y), w, rng)
                member = fresh(learner, rng).fit(take(X, rows), y[rows])
            else:
                member = fresh(learner, rng).fit(X, y, sample_weight=w * len(y))
            return member, self._codes(member, X)

        return train

    @property
    def sample_weights_(self):
        """(n_rounds, n_samples) the weights that each round was trained on."""
        check_is_fitted(self)
        return np.array(self._weights)

    def _codes(self, member, X):
        """The class numbers that a member predicts for checked rows."""
        if type(member) is DecisionStump:
            return member.codes(X)
        predicted = sound(member.predict(X), member)
        codes = predicted.astype(np.intp)
        if (codes != predicted).any():
            odd = predicted[codes != predicted][0]
            raise ValueError(f"{member!r} predicts {odd}, which is no class: not a classifier")
        return codes

    def staged_decision_function(self, X):
        """Yield ``decision_function(X)`` after 1, 2, ... rounds."""
        X = check_X(self, X, **_options(self._learner()))
        binary = len(self.classes_) <= 2
        scores = np.zeros(len(X)) if binary else np.zeros((len(X), len(self.classes_)))
        for alpha, member in zip(self.alphas_, self.estimators_, strict=True):
            codes = self._codes(member, X)
            scores = scores + alpha * (2 * codes - 1 if binary else indicator(codes, len(self.classes_)))
            yield scores

    def decision_function(self, X):
        """Return F(x) = Σ_t α_t h_t(x), of shape (n_samples,): above 0 for ``classes_[1]``.

        For more than two classes a score a class, of shape (n_samples, n_classes).
        """
        return last(self.staged_decision_function(X))

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
        scores, K = self.decision_function(X), len(self.classes_)
        if K == 1:
            return np.ones((len(scores), 1))
        if K == 2:
            p = expit(2 * scores)
            return np.column_stack([1 - p, p])
        return softmax(2 * scores / (K - 1))

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), self._learner())


def _options(learner):
    """How X is checked: stumps look at it themselves, every other learner judges it."""
    return {} if type(learner) is DecisionStump else {"dtype": None}


def _takes_weights(estimator):
    return "sample_weight" in inspect.signature(estimator.fit).parameters


class AdaBoostClassifier(_AdaBoost):
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

    estimator: object = part(
        "Of mlcore or scikit-learn; by default a ``DecisionStump``, for which the columns are sorted only once.",
        default=None, form="classifier, optional",
    )  # fmt: skip

    def _learner(self):
        if self.estimator is None:
            return DecisionStump()
        if isinstance(self.estimator, type) or not all(hasattr(self.estimator, name) for name in ("fit", "predict")):
            raise ValueError(f"estimator must be a classifier, got {self.estimator!r}")
        return self.estimator


class AdaBoostedTree(_AdaBoost):
    """AdaBoost with small trees (AdaBoosted Decision Tree, notes C 6.1).

    A full-grown tree is right about every training row, whatever the weights (but for equal rows with different
    labels): ε = 0, and there is nothing to boost. So the trees must be weak: their depth is limited. With ``resample``
    each tree is grown on rows drawn in proportion to the weights, as in the notes, which want the tree as a black box;
    without it the tree takes the weights themselves.

    Attributes
    ----------
    classes_, estimators_, alphas_, errors_, sample_weights_
        See ``AdaBoostClassifier``.
    """

    max_depth: int = whole(
        2, "Most questions on a path; 1 gives stumps (by Gini value, not by error as ``DecisionStump``).", low=1
    )

    def _learner(self):
        return DecisionTreeClassifier(max_depth=self.max_depth)
