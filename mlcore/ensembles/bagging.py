"""Bagging: the same algorithm on many bootstrap samples; the rows left out give its error.

Notes E (Bagging), C 4.5 and 5.5.
"""

import math
import numbers

import numpy as np

from mlcore.base import (
    Classifier,
    Estimator,
    Regressor,
    anything,
    check_classification,
    check_int,
    check_is_fitted,
    check_real,
    check_regression,
    check_sample_weight,
    check_X,
    choice,
    flag,
    part,
    seed,
    warn_caller,
    whole,
)
from mlcore.base.estimator import r_squared
from mlcore.base.members import draw_rows, fresh, kind_of, tags_of_members, take
from mlcore.core.ensembles import add_oob_prediction, class_votes, left_out, mean_oob_prediction
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.ensembles.combining import predictions_of

__all__ = ["BaggingClassifier", "BaggingRegressor", "add_oob_prediction", "left_out", "mean_oob_prediction"]


# ---------------------------------------------------------------------------------------------------------------
# What ensembles share
# ---------------------------------------------------------------------------------------------------------------
class _Ensemble(Estimator):
    """Members trained one after the other, each on rows of its own; their predictions are averaged.

    A subclass has ``_trained(X, y, weight, p)``, which yields member after member, each with the numbers of the rows
    that it was trained on, and the doors ``_data(X, y)`` and ``_table(X)``.
    """

    n_estimators: int = whole(10, "Number of members.", low=1)
    bootstrap: bool = flag(True, "Whether rows are drawn with replacement.")
    oob_score: bool = flag(False, "Whether the members are scored on the rows that they have not seen.")
    random_state: object = seed()
    _n_classes = None  # a classifier has some

    def iter_fit(self, X, y, sample_weight=None):
        p = self.checked()
        if p.oob_score and not p.bootstrap:
            raise ValueError("oob_score=True needs rows that a member has not seen: draw with bootstrap=True")
        X, y = self._data(X, y)
        n, weight = len(y), check_sample_weight(sample_weight, len(y))
        sums, counts = np.zeros((n, self._n_classes or 1)), np.zeros(n, dtype=int)
        self.estimators_, self.estimators_samples_, self._n_samples_fitted = [], [], n
        self._out_of_bag = (sums, counts, y, weight) if p.oob_score else None
        for member, rows in self._trained(X, y, weight, p):
            self.estimators_.append(member)
            self.estimators_samples_.append(rows)
            out = left_out(rows, n)
            if p.oob_score and out.any():
                add_oob_prediction(sums, counts, out, self._predictions(member, take(X, out)))
            yield self
        if p.oob_score and not counts.all():
            warn_caller(
                f"{(counts == 0).sum()} of {n} rows were drawn for every member, so nobody can judge them: oob_score_ "
                "leaves them out. Train more members."
            )

    def _member_output(self, member, X):
        return predictions_of(member, X, self._n_classes)

    def _predictions(self, member, X):
        return self._member_output(member, X)

    def _mean(self, X):
        """The mean of the members' predictions."""
        check_is_fitted(self)
        X = self._table(X)
        return sum(self._predictions(member, X) for member in self.estimators_) / len(self.estimators_)

    def _oob(self):
        """Sums, counts, targets and weights."""
        check_is_fitted(self)
        if self._out_of_bag is None:
            raise AttributeError("nobody has judged the rows left out: fit with oob_score=True")
        return self._out_of_bag

    def _oob_mean(self):
        sums, counts, _, _ = self._oob()
        with np.errstate(invalid="ignore"):  # 0/0 where all members have seen a row
            return mean_oob_prediction(sums, counts)

    @property
    def oob_counts_(self):
        """(n_samples,) how many members have not seen a row."""
        return self._oob()[1]

    @property
    def oob_score_(self):
        """Accuracy or R² out of bag, over the rows that some member has not seen; NaN if there is none."""
        return self._score_of_sums(*self._oob())

    def _score_of_sums(self, sums, counts, y, weight):
        seen = counts > 0
        if not weight[seen].any():
            return math.nan
        return self._score(mean_oob_prediction(sums[seen], counts[seen]), y[seen], weight[seen])


class _VotingClassifier(_Ensemble, Classifier):
    """Members that vote, or whose probabilities are averaged."""

    rule: str = choice(
        "arithmetic", ("arithmetic", "majority"),
        "Average the members' probabilities, or count their votes (as in notes E).",
    )  # fmt: skip

    @property
    def _n_classes(self):
        return len(self.classes_)

    def _predictions(self, member, X):
        P = self._member_output(member, X)
        return class_votes(P) if self.rule == "majority" else P

    def _score(self, P, y, weight):
        return float(np.average(P.argmax(axis=1) == y, weights=weight))

    @property
    def oob_decision_function_(self):
        """(n_samples, n_classes) mean prediction of the members that have not seen a row; NaN where all have."""
        return self._oob_mean()

    def predict_proba(self, X):
        """Return the mean of the members' class probabilities, or the shares of their votes: (n_samples, n_classes)."""
        return self._mean(X)

    def predict(self, X):
        """Return the class with the largest mean (the first one in ``classes_`` if several tie)."""
        winners = self._mean(X).argmax(axis=1)
        return self.classes_[winners]


class _AveragingRegressor(_Ensemble, Regressor):
    """Members whose numbers are averaged."""

    def _score(self, predicted, y, weight):
        return r_squared(y, predicted[:, 0], weight)

    @property
    def oob_prediction_(self):
        """(n_samples,) mean prediction of the members that have not seen a row; NaN where all have."""
        return self._oob_mean()[:, 0]

    def predict(self, X):
        """Return the mean of the members' predictions, of shape (n_samples,)."""
        return self._mean(X)[:, 0]


# ---------------------------------------------------------------------------------------------------------------
# Bagging of any estimator
# ---------------------------------------------------------------------------------------------------------------
def _rows_or_share(name, value):
    """A whole number of rows, or a share of them."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return check_int(name, value, low=1)
    return check_real(name, value, low=0, high=1, low_open=True)


class _Bagging(_Ensemble):
    """Draw rows, train a copy of the estimator on them."""

    max_samples: object = anything(
        1.0, "share in (0, 1] or int >= 1", "How many rows to draw.",
        check=_rows_or_share, bad=(0.0, 1.5, True, 0, "all"),
    )  # fmt: skip

    def _data(self, X, y):
        base = self._base
        if base is None or isinstance(base, type) or not hasattr(base, "fit"):
            raise ValueError(f"estimator must be an estimator, got {base!r}")
        if kind_of(base) != kind_of(self):
            raise ValueError(f"estimator must be a {kind_of(self)}, got {base!r}")
        check = check_classification if isinstance(self, Classifier) else check_regression
        return check(self, X, y, dtype=None)

    def _table(self, X):
        return check_X(self, X, dtype=None)

    def _trained(self, X, y, weight, p):
        n_drawn = p.max_samples if isinstance(p.max_samples, int) else max(1, round(p.max_samples * len(y)))
        if not p.bootstrap and n_drawn > np.count_nonzero(weight):
            raise ValueError(
                f"max_samples={self.max_samples} asks for {n_drawn} rows, but only {np.count_nonzero(weight)} of "
                f"{len(y)} can be drawn without repeating any"
            )
        several, rng = self._n_classes is not None, p.random_state
        for _ in range(p.n_estimators):
            rows = draw_rows(y, n_drawn, weight, rng, replace=p.bootstrap, several=several)
            yield fresh(self._base, rng).fit(take(X, rows), y[rows]), rows

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), self._base)


class BaggingClassifier(_Bagging, _VotingClassifier):
    """Bootstrap aggregation of a classifier (Bagging): copies trained on n rows drawn with replacement, then combined.

    A row is left out of a sample with probability (1 - 1/n)^n, about 1/e = 37 %. The members that have not seen a row
    predict it: that gives the out-of-bag (包外) score without any further data. With weights, rows are drawn in
    proportion to them. What X may hold is for the members to judge.

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
        Mean prediction out of bag; NaN for a row that every member has seen.
    oob_counts_ : int ndarray of shape (n_samples,)
        How many members have not seen a row.

    References
    ----------
    Notes E (Bagging), C 4.5 and 5.5.
    """

    estimator: object = part(
        "Of mlcore or scikit-learn. By default a ``DecisionTreeClassifier``.",
        default=None, form="classifier, optional",
    )  # fmt: skip

    @property
    def _base(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator


class BaggingRegressor(_Bagging, _AveragingRegressor):
    """Bootstrap aggregation of a regressor: the mean of copies trained on n rows drawn with replacement.

    Averaging leaves the bias of a member as it is and lowers its variance: with T members of variance σ² and
    correlation ρ the mean has the variance ρσ² + (1 - ρ)σ²/T. Weights and X: as ``BaggingClassifier``.

    Attributes
    ----------
    estimators_ : list of fitted regressors
    estimators_samples_, oob_counts_
        See ``BaggingClassifier``.
    oob_score_ : float
        R² out of bag.
    oob_prediction_ : ndarray of shape (n_samples,)
        Mean prediction out of bag; NaN for a row that every member has seen.

    References
    ----------
    Notes C 4.2, 4.5 and 5.5.
    """

    estimator: object = part(
        "Of mlcore or scikit-learn. By default a ``DecisionTreeRegressor``.", default=None, form="regressor, optional"
    )

    @property
    def _base(self):
        return DecisionTreeRegressor() if self.estimator is None else self.estimator
