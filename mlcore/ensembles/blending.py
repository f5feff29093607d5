"""Models that are there already, mixed: evenly, with weights, or by another model (Notes C 4.2-4.4)."""

import numpy as np

from mlcore.base import (
    REQUIRED,
    Classifier,
    Estimator,
    Regressor,
    anything,
    check_classification,
    check_regression,
    check_X,
    choice,
    part,
    seed,
    whole,
)
from mlcore.base.members import check_members, fold_numbers, fresh, kind_of, tags_of_members, take
from mlcore.core.ensembles import blending_weights, held_out_predictions
from mlcore.ensembles.combining import combine, predictions_of
from mlcore.features import indicator
from mlcore.optimize import nonnegative_least_squares

__all__ = ["LinearBlending", "StackingBlending", "UniformBlending", "blending_weights", "held_out_predictions"]


class _Blending(Estimator):
    """Members of one kind; the blend is of the same kind."""

    estimators: list = part(
        "All classifiers or all regressors, of mlcore or scikit-learn. They are copied, then fitted.",
        form="list of estimators",
    )
    random_state: object = seed("Seeds members that draw random numbers.")

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

    def fit(self, X, y):
        """Find out how to blend; then train each member on all rows. Return self."""
        p = self.checked()
        check_members(self.estimators)
        X, y = (check_classification if self._is_classifier else check_regression)(self, X, y, dtype=None)
        self._learn_to_blend(X, y, p)
        self.estimators_ = [fresh(estimator, p.random_state).fit(X, y) for estimator in self.estimators]
        return self

    def _learn_to_blend(self, X, y, p):
        """What is learned before the members are trained on all rows."""

    def _predictions(self, model, X):
        return predictions_of(model, X, len(self.classes_) if self._is_classifier else None)

    def _all_predictions(self, X):
        """Z of shape (n_members, n_samples, n_classes or 1)."""
        return np.stack([self._predictions(model, X) for model in self.estimators_])

    def _held_out(self, X, y, p):
        """Z for rows that the members have not seen."""
        return held_out_predictions(
            self.estimators, lambda member, rows: fresh(member, p.random_state).fit(take(X, rows), y[rows]),
            lambda g, rows: self._predictions(g, take(X, rows)), fold_numbers(y, p.cv, self._is_classifier),
            len(self.classes_) if self._is_classifier else 1,
        )  # fmt: skip

    def score(self, X, y, sample_weight=None):
        """Return the share of right predictions of a blend of classifiers, or R² of one of regressors."""
        return (Classifier if self._is_classifier else Regressor).score(self, X, y, sample_weight)

    def predict(self, X):
        """Return the most probable class of each row (the first one in a tie), or the blended number."""
        blended = self._probabilities(X)
        return self.classes_[blended.argmax(axis=1)] if self._is_classifier else blended[:, 0]

    def _probabilities(self, X):
        return self._blend(check_X(self, X, dtype=None))

    @property
    def predict_proba(self):
        """``predict_proba(X)`` returns P(class | x), of shape (n_samples, n_classes); for classifiers only."""
        if not self._is_classifier:
            raise AttributeError("a blend of regressors has no predict_proba")
        return self._probabilities


class UniformBlending(_Blending):
    """The majority of the members' votes, or the mean of their predictions (uniform blending).

    G(x) = argmax_k Σ_t 1{g_t(x) = k}  for classes,    G(x) = 1/T Σ_t g_t(x)  for numbers

    Why the mean of numbers is good: avg (g_t - f)² = avg (g_t - G)² + (G - f)². A member errs more, on average, than
    the mean of all; the difference is their spread (Notes C (26)).

    Attributes
    ----------
    estimators_ : list of fitted estimators
        Classifiers are fitted on class numbers 0, 1, ...
    classes_ : ndarray
        For classifiers.

    References
    ----------
    Notes C 4.2.
    """

    rule: str = choice(
        "majority", ("geometric", "arithmetic", "majority"), "How classifiers are combined, see ``combine``."
    )

    def _blend(self, X):
        Z = self._all_predictions(X)
        return combine(Z, self.rule) if self._is_classifier else Z.mean(axis=0)


class LinearBlending(_Blending):
    """A weighted sum: G(x) = Σ_t α_t g_t(x), the α_t >= 0 chosen to minimise the squared error (linear blending).

    The members' outputs are features of a linear model, so the α_t are found by least squares. For classes g_t(x) is
    the vector of probabilities and the target the indicator vector of the class; the probabilities of the blend are
    normalised. The α_t are found on predictions for rows that a member has not seen: a member that knows its training
    set by heart would otherwise get all the weight.

    Without α_t >= 0 a classifier of two classes with a negative weight is its opposite with a positive one, which is
    harmless; for numbers and for more classes there is no such opposite.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        α. All equal if no combination is better than 0.
    estimators_, classes_
        See ``UniformBlending``.

    References
    ----------
    Notes C 4.3.
    """

    cv: int = whole(5, "Number of folds for the predictions of rows not seen.", low=2)

    def _learn_to_blend(self, X, y, p):
        target = indicator(y, len(self.classes_)) if self._is_classifier else y[:, np.newaxis]
        self.weights_ = blending_weights(self._held_out(X, y, p), target, nonnegative_least_squares)

    def _blend(self, X):
        blended = np.tensordot(self.weights_, self._all_predictions(X), axes=1)
        return blended / blended.sum(axis=1, keepdims=True) if self._is_classifier else blended


class StackingBlending(_Blending):
    """Any model on top: G(x) = g̃(g_1(x), ..., g_T(x)) (any blending, stacking).

    The final model is trained on the predictions of copies g⁻ of the members for rows that they have not seen; then
    the members are trained again on all rows, and predictions pass through these.

    Attributes
    ----------
    final_estimator_ : fitted estimator
    estimators_, classes_
        See ``UniformBlending``.

    References
    ----------
    Notes C 4.4.
    """

    final_estimator: object = anything(
        REQUIRED, "estimator",
        "Of the same kind. Its features are the members' predictions, or their class probabilities side by side\n"
        "(without the first class, which the others determine).",
    )  # fmt: skip
    cv: int = whole(5, "Number of folds for the predictions of rows not seen.", low=2)
    random_state: object = seed("Seeds members that draw random numbers, and the final model.")

    def _learn_to_blend(self, X, y, p):
        if kind_of(self.final_estimator) != self._estimator_type:
            raise ValueError(
                f"final_estimator must be a {self._estimator_type} as the members are, got {self.final_estimator!r}"
            )
        features = self._features(self._held_out(X, y, p))
        self.final_estimator_ = fresh(self.final_estimator, p.random_state).fit(features, y)

    def _features(self, Z):
        """The predictions side by side: (n_samples, n_members * (n_classes - 1 or 1))."""
        return np.concatenate(list(Z[:, :, 1:] if Z.shape[2] > 1 else Z), axis=1)

    def _blend(self, X):
        return self._predictions(self.final_estimator_, self._features(self._all_predictions(X)))
