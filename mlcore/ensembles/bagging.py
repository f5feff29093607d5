"""Bagging: the same algorithm on many bootstrap samples, and the rows left out as judges.

Notes E (Bagging), C 4.5 and 5.5.
"""

import math
import numbers

import numpy as np

from mlcore.base import (
    Classifier,
    Estimator,
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
    warn_caller,
)
from mlcore.base.members import draw_rows, fresh, kind_of, tags_of_members, take
from mlcore.core.ensembles import add_opinion, left_out, mean_opinion
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.ensembles.combining import class_votes, what_it_says

__all__ = ["BaggingClassifier", "BaggingRegressor", "add_opinion", "left_out", "mean_opinion"]

# n rows. A member says P(k) about each row, K numbers; in a regression the one number that it predicts, so K = 1.
# sums, of shape (n, K), adds up what members say about rows that they have not seen; counts, of shape (n,), how many.


# ---------------------------------------------------------------------------------------------------------------
# What ensembles share
# ---------------------------------------------------------------------------------------------------------------
class _Ensemble(Estimator):
    """Members trained one after the other, each on rows of its own; what they say is averaged.

    A subclass has ``_trained(X, y, weight, rng)``, which yields member after member, each with the numbers of the rows
    that it was trained on, and the doors ``_checked(X, y)`` and ``_table(X)``.
    """

    _n_classes = None  # a classifier has some

    def fit(self, X, y, sample_weight=None):
        """Train ``n_estimators`` members, each on rows drawn anew.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A forest takes numbers and, in an object array, strings (categories); None and NaN are missing values. What
            bagging takes is for its members to say.
        y : array-like of shape (n_samples,)
            Class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            Bagging draws rows in proportion. A forest multiplies a row's count in each sample, and does not draw rows
            of weight 0.

        Raises
        ------
        ValueError, TypeError
            For bad parameters or data.
        """
        run(self.iter_fit(X, y, sample_weight))
        return self

    def iter_fit(self, X, y, sample_weight=None):
        """Train member after member (see ``fit``); yield the ensemble, ready to predict, after each."""
        rng = check_random_state(self.random_state)
        check_int("n_estimators", self.n_estimators, low=1)
        check_flag("bootstrap", self.bootstrap)
        judged = check_flag("oob_score", self.oob_score)
        if judged and not self.bootstrap:
            raise ValueError("oob_score=True needs rows that a member has not seen: draw with bootstrap=True")
        X, y = self._checked(X, y)
        n, weight = len(y), check_sample_weight(sample_weight, len(y))
        sums, counts = np.zeros((n, self._n_classes or 1)), np.zeros(n, dtype=int)
        self.estimators_, self.estimators_samples_, self._n_samples_fitted = [], [], n
        self._out_of_bag = (sums, counts, y, weight) if judged else None
        for member, rows in self._trained(X, y, weight, rng):
            self.estimators_.append(member)
            self.estimators_samples_.append(rows)
            out = left_out(rows, n)
            if judged and out.any():
                add_opinion(sums, counts, out, self._opinion(member, take(X, out)))
            yield self
        if judged and not counts.all():
            warn_caller(
                f"{(counts == 0).sum()} of {n} rows were drawn for every member, so nobody can judge them: oob_score_ "
                "leaves them out. Train more members."
            )

    def _says(self, member, X):
        return what_it_says(member, X, self._n_classes)

    def _opinion(self, member, X):
        return self._says(member, X)

    def _mean(self, X):
        """The mean of what the members say."""
        check_is_fitted(self)
        X = self._table(X)
        return sum(self._opinion(member, X) for member in self.estimators_) / len(self.estimators_)

    def _judged(self):
        check_is_fitted(self)
        if self._out_of_bag is None:
            raise AttributeError("nobody has judged the rows left out: fit with oob_score=True")
        return self._out_of_bag

    def _oob_mean(self):
        sums, counts, _, _ = self._judged()
        with np.errstate(invalid="ignore"):  # 0/0 where all members have seen a row
            return mean_opinion(sums, counts)

    @property
    def oob_counts_(self):
        """(n_samples,) how many members have not seen a row."""
        return self._judged()[1]

    @property
    def oob_score_(self):
        """Accuracy or R² of the opinions out of bag, over the rows that some member has not seen; NaN if none."""
        return self._score_of_sums(*self._judged())

    def _score_of_sums(self, sums, counts, y, weight):
        seen = counts > 0
        if not weight[seen].any():
            return math.nan
        return self._score(mean_opinion(sums[seen], counts[seen]), y[seen], weight[seen])


class _VotingClassifier(_Ensemble, Classifier):
    """Members that vote, or whose probabilities are averaged."""

    @property
    def _n_classes(self):
        return len(self.classes_)

    def _opinion(self, member, X):
        P = self._says(member, X)
        return class_votes(P) if self.rule == "majority" else P

    def _score(self, P, y, weight):
        return float(np.average(P.argmax(axis=1) == y, weights=weight))

    @property
    def oob_decision_function_(self):
        """(n_samples, n_classes) combined opinion of the members that have not seen a row; NaN where all have."""
        return self._oob_mean()

    def predict_proba(self, X):
        """Return the mean of the members' class probabilities, or the shares of their votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), columns in the order of ``classes_``
        """
        return self._mean(X)

    def predict(self, X):
        """Return the class with the largest mean (the first one in ``classes_`` if several tie)."""
        winners = self._mean(X).argmax(axis=1)
        return self.classes_[winners]


class _AveragingRegressor(_Ensemble, Regressor):
    """Members whose numbers are averaged."""

    def _score(self, predicted, y, weight):
        total = weight @ (y - np.average(y, weights=weight)) ** 2
        residual = weight @ (y - predicted[:, 0]) ** 2
        return float(1 - residual / total) if total > 0 else float(residual == 0)

    @property
    def oob_prediction_(self):
        """(n_samples,) mean prediction of the members that have not seen a row; NaN where all have."""
        return self._oob_mean()[:, 0]

    def predict(self, X):
        """Return the mean of the members' predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._mean(X)[:, 0]


# ---------------------------------------------------------------------------------------------------------------
# Bagging of any estimator
# ---------------------------------------------------------------------------------------------------------------
class _Bagging(_Ensemble):
    """Draw rows, train a copy of the estimator on them."""

    def _checked(self, X, y):
        base = self._base
        if base is None or isinstance(base, type) or not hasattr(base, "fit"):
            raise ValueError(f"estimator must be an estimator, got {base!r}")
        if kind_of(base) != kind_of(self):
            raise ValueError(f"estimator must be a {kind_of(self)}, got {base!r}")
        check = check_classification if isinstance(self, Classifier) else check_regression
        return check(self, X, y, dtype=None)

    def _table(self, X):
        return check_X(self, X, dtype=None)

    def _trained(self, X, y, weight, rng):
        n_drawn, there = n_rows_to_draw(self.max_samples, len(y)), np.count_nonzero(weight)
        if not self.bootstrap and n_drawn > there:
            raise ValueError(
                f"max_samples={self.max_samples} asks for {n_drawn} rows, but only {there} of {len(y)} "
                "can be drawn without repeating any"
            )
        several = self._n_classes is not None
        for _ in range(self.n_estimators):
            rows = draw_rows(y, n_drawn, weight, rng, replace=self.bootstrap, several=several)
            yield fresh(self._base, rng).fit(take(X, rows), y[rows]), rows

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), self._base)


def n_rows_to_draw(max_samples, n_samples):
    """Return how many rows ``max_samples`` means.

    Raises
    ------
    ValueError
        If it is neither a whole number >= 1 nor a share in (0, 1].
    """
    if isinstance(max_samples, numbers.Integral) and not isinstance(max_samples, bool):
        return check_int("max_samples", max_samples, low=1)
    return max(1, round(check_real("max_samples", max_samples, low=0, high=1, low_open=True) * n_samples))


class BaggingClassifier(_Bagging, _VotingClassifier):
    """Bootstrap aggregation of a classifier (Bagging): copies trained on n rows drawn with replacement, then combined.

    A row is left out of a sample with probability (1 - 1/n)^n, about 1/e = 37 %. The members that have not seen a row
    can judge it: that gives the out-of-bag (包外) score without any further data.

    Parameters
    ----------
    estimator : classifier, optional
        Of mlcore or scikit-learn. By default a ``DecisionTreeClassifier``.
    n_estimators : int >= 1
    max_samples : share in (0, 1] or int >= 1
        How many rows to draw.
    bootstrap : bool
        Draw with replacement.
    rule : {"arithmetic", "majority"}
        Average the members' probabilities, or count their votes (as in notes E).
    oob_score : bool
        Judge the members by the rows they have not seen.
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of fitted classifiers
        Fitted on class numbers 0, 1, ...
    estimators_samples_ : list of int arrays
        The rows that each member was trained on.
    oob_score_ : float
        Accuracy out of bag.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Mean opinion out of bag; NaN for a row that every member has seen.
    oob_counts_ : int ndarray of shape (n_samples,)
        How many members have not seen a row.

    Notes E (Bagging), C 4.5 and 5.5.
    """

    def __init__(
        self, estimator=None, *, n_estimators=10, max_samples=1.0, bootstrap=True, rule="arithmetic", oob_score=False,
        random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.rule = rule
        self.oob_score = oob_score
        self.random_state = random_state

    @property
    def _base(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _checked(self, X, y):
        check_choice("rule", self.rule, ("arithmetic", "majority"))
        return super()._checked(X, y)


class BaggingRegressor(_Bagging, _AveragingRegressor):
    """Bootstrap aggregation of a regressor: the mean of copies trained on n rows drawn with replacement.

    Averaging leaves the bias of a member as it is and lowers its variance: with T members of variance σ² and
    correlation ρ the mean has the variance ρσ² + (1 - ρ)σ²/T.

    Parameters
    ----------
    estimator : regressor, optional
        Of mlcore or scikit-learn. By default a ``DecisionTreeRegressor``.
    n_estimators : int >= 1
    max_samples : share in (0, 1] or int >= 1
        How many rows to draw.
    bootstrap : bool
        Draw with replacement.
    oob_score : bool
        Judge the members by the rows they have not seen.
    random_state : None, int or numpy.random.Generator

    Attributes
    ----------
    estimators_ : list of fitted regressors
    estimators_samples_ : list of int arrays
        The rows that each member was trained on.
    oob_score_ : float
        R² out of bag.
    oob_prediction_ : ndarray of shape (n_samples,)
        Mean prediction out of bag; NaN for a row that every member has seen.
    oob_counts_ : int ndarray of shape (n_samples,)
        How many members have not seen a row.

    Notes C 4.2, 4.5 and 5.5.
    """

    def __init__(
        self, estimator=None, *, n_estimators=10, max_samples=1.0, bootstrap=True, oob_score=False, random_state=None
    ):  # fmt: skip
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.random_state = random_state

    @property
    def _base(self):
        return DecisionTreeRegressor() if self.estimator is None else self.estimator
