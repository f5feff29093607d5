"""Models that are there already, mixed: evenly, with weights, or by another model (Notes C 4.2-4.4)."""

import numpy as np

from mlcore.base import (
    Classifier,
    Estimator,
    Regressor,
    check_choice,
    check_classification,
    check_int,
    check_random_state,
    check_regression,
    check_X,
)
from mlcore.base.members import check_members, fold_numbers, fresh, kind_of, tags_of_members, take
from mlcore.core.ensembles import blending_weights, held_out_opinions
from mlcore.ensembles.combining import RULES, combine, what_it_says
from mlcore.features import indicator
from mlcore.optimize import nonnegative_least_squares

__all__ = ["LinearBlending", "StackingBlending", "UniformBlending", "blending_weights", "held_out_opinions"]

# T members speak about n rows: Z, of shape (T, n, K), holds P_t(k) for K classes, or the one number g_t(x), K = 1.


# ---------------------------------------------------------------------------------------------------------------
# The estimators
# ---------------------------------------------------------------------------------------------------------------
class _Blending(Estimator):
    """Members of one kind; the blend is of the same kind."""

    @property
    def _estimator_type(self):
        """The kind of the members; scikit-learn asks before ``fit`` has checked them."""
        try:
            return check_members(self.estimators)[1]
        except ValueError:
            return None

    @property
    def _is_classifier(self):
        return self._estimator_type == "classifier"

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), *self.estimators)

    def _checked(self, X, y):
        """Return X and the targets: class numbers, or real numbers."""
        check_members(self.estimators)
        return (check_classification if self._is_classifier else check_regression)(self, X, y, dtype=None)

    def _says(self, model, X):
        return what_it_says(model, X, len(self.classes_) if self._is_classifier else None)

    def _opinions(self, X):
        """What the members say, of shape (n_members, n_samples, n_classes or 1)."""
        return np.stack([self._says(model, X) for model in self.estimators_])

    def _fit_members(self, X, y, rng):
        self.estimators_ = [fresh(estimator, rng).fit(X, y) for estimator in self.estimators]

    def _held_out(self, X, y, rng):
        folds = fold_numbers(y, check_int("cv", self.cv, low=2), self._is_classifier)
        K = len(self.classes_) if self._is_classifier else 1
        return held_out_opinions(
            self.estimators, lambda member, rows: fresh(member, rng).fit(take(X, rows), y[rows]),
            lambda g, rows: self._says(g, take(X, rows)), folds, K,
        )  # fmt: skip

    def score(self, X, y, sample_weight=None):
        """Return the share of right predictions of a blend of classifiers, or R² of one of regressors."""
        return (Classifier if self._is_classifier else Regressor).score(self, X, y, sample_weight)

    def predict(self, X):
        """Return the most probable class of each row (the first one in a tie), or the blended number.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        blended = self._blend(check_X(self, X, dtype=None))
        return self.classes_[blended.argmax(axis=1)] if self._is_classifier else blended[:, 0]

    def _probabilities(self, X):
        """Return P(class | x), of shape (n_samples, n_classes)."""
        return self._blend(check_X(self, X, dtype=None))

    @property
    def predict_proba(self):
        """``predict_proba(X)`` returns P(class | x), of shape (n_samples, n_classes); for classifiers only."""
        if not self._is_classifier:
            raise AttributeError("a blend of regressors has no predict_proba")
        return self._probabilities


class UniformBlending(_Blending):
    """One model, one vote: the members' votes, or the mean of their predictions.

    G(x) = argmax_k Σ_t 1{g_t(x) = k}  for classes,    G(x) = 1/T Σ_t g_t(x)  for numbers

    Why the mean of numbers is good: avg (g_t - f)² = avg (g_t - G)² + (G - f)². A member errs more, on average, than
    the mean of all; the difference is their spread (Notes C (26)).

    Parameters
    ----------
    estimators : list of estimators
        All classifiers or all regressors, of mlcore or scikit-learn. They are copied, then fitted.
    rule : {"majority", "arithmetic", "geometric"}
        How classifiers are combined, see ``combine``.
    random_state : None, int or numpy.random.Generator
        Seeds members that draw random numbers.

    Attributes
    ----------
    estimators_ : list of fitted estimators
        Classifiers are fitted on class numbers 0, 1, ...
    classes_ : ndarray
        For classifiers.

    Notes C 4.2.
    """

    def __init__(self, estimators, *, rule="majority", random_state=None):
        self.estimators = estimators
        self.rule = rule
        self.random_state = random_state

    def fit(self, X, y):
        """Fit every member on all of X (n_samples, n_features) and y (n_samples,).

        Raises
        ------
        ValueError, TypeError
            For bad members, parameters or data.
        """
        check_choice("rule", self.rule, RULES)
        rng = check_random_state(self.random_state)
        self._fit_members(*self._checked(X, y), rng)
        return self

    def _blend(self, X):
        Z = self._opinions(X)
        return combine(Z, self.rule) if self._is_classifier else Z.mean(axis=0)


class LinearBlending(_Blending):
    """Votes with weights: G(x) = Σ_t α_t g_t(x), the α_t >= 0 chosen to minimise the squared error (Notes C 4.3).

    The members' outputs are features of a linear model, so the α_t are found by least squares. For classes g_t(x) is
    the vector of probabilities and the target the indicator vector of the class; the probabilities of the blend are
    normalised. The α_t are found on predictions for rows that a member has not seen: a member that knows its training
    set by heart would otherwise get all the weight.

    Without α_t >= 0 a classifier of two classes with a negative weight is its opposite with a positive one, which is
    harmless; for numbers and for more classes there is no such opposite.

    Parameters
    ----------
    estimators : list of estimators
        All classifiers or all regressors, of mlcore or scikit-learn.
    cv : int >= 2
        Number of folds for the predictions of rows not seen. Members are then fitted again, on all rows.
    random_state : None, int or numpy.random.Generator
        Seeds members that draw random numbers.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        α. All equal if no combination is better than 0.
    estimators_ : list of fitted estimators
    classes_ : ndarray
        For classifiers.
    """

    def __init__(self, estimators, *, cv=5, random_state=None):
        self.estimators = estimators
        self.cv = cv
        self.random_state = random_state

    def fit(self, X, y):
        """Find the weights by cross-validation, then fit every member on all of X (n_samples, n_features) and y.

        Raises
        ------
        ValueError, TypeError
            For bad members, parameters or data.
        """
        rng = check_random_state(self.random_state)
        X, y = self._checked(X, y)
        target = indicator(y, len(self.classes_)) if self._is_classifier else y[:, np.newaxis]
        self.weights_ = blending_weights(self._held_out(X, y, rng), target, nonnegative_least_squares)
        self._fit_members(X, y, rng)
        return self

    def _blend(self, X):
        blended = np.tensordot(self.weights_, self._opinions(X), axes=1)
        return blended / blended.sum(axis=1, keepdims=True) if self._is_classifier else blended


class StackingBlending(_Blending):
    """Any model on top: G(x) = g̃(g_1(x), ..., g_T(x)) (any blending, stacking; Notes C 4.4).

    The final model is trained on what copies g⁻ of the members say about rows that they have not seen; then the
    members are trained again on all rows, and predictions pass through these.

    Parameters
    ----------
    estimators : list of estimators
        All classifiers or all regressors, of mlcore or scikit-learn.
    final_estimator : estimator
        Of the same kind. Its features are the members' predictions, or their class probabilities side by side
        (without the first class, which the others determine).
    cv : int >= 2
        Number of folds for the predictions of rows not seen.
    random_state : None, int or numpy.random.Generator
        Seeds members that draw random numbers, and the final model.

    Attributes
    ----------
    estimators_ : list of fitted estimators
    final_estimator_ : fitted estimator
    classes_ : ndarray
        For classifiers.
    """

    def __init__(self, estimators, *, final_estimator, cv=5, random_state=None):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.random_state = random_state

    def fit(self, X, y):
        """Fit the final model on held-out predictions and every member on all of X (n_samples, n_features) and y.

        Raises
        ------
        ValueError, TypeError
            For bad members, parameters or data.
        """
        kind = check_members(self.estimators)[1]
        if kind_of(self.final_estimator) != kind:
            raise ValueError(f"final_estimator must be a {kind} as the members are, got {self.final_estimator!r}")
        rng = check_random_state(self.random_state)
        X, y = self._checked(X, y)
        features = self._features(self._held_out(X, y, rng))
        self.final_estimator_ = fresh(self.final_estimator, rng).fit(features, y)
        self._fit_members(X, y, rng)
        return self

    def _features(self, Z):
        """Put what the members say side by side: (n_samples, n_members * (n_classes - 1 or 1))."""
        return np.concatenate(list(Z[:, :, 1:] if Z.shape[2] > 1 else Z), axis=1)

    def _blend(self, X):
        return self._says(self.final_estimator_, self._features(self._opinions(X)))
