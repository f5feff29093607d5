"""Bagging: the same algorithm on many bootstrap samples, and what the samples left out are good for.

Notes E (Bagging), C 4.5, 5.5 and 5.6.
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
    check_labels,
    check_numeric_target,
    check_random_state,
    check_real,
    check_regression,
    check_sample_weight,
    check_X,
    run,
    warn_caller,
)
from mlcore.decision_trees import DecisionTreeClassifier, DecisionTreeRegressor
from mlcore.ensembles.combining import class_votes
from mlcore.members import class_probabilities, draw_rows, fresh, kind_of

__all__ = ["BaggingClassifier", "BaggingRegressor", "oob_permutation_importance"]


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


class _Ensemble(Estimator):
    """Members trained one after the other, each on rows of its own; their outputs are averaged.

    A subclass says how a member is trained (``_train``) and what it says about rows (``_output``): class shares of
    shape (n, n_classes), or numbers of shape (n,).
    """

    def _members(self, X, y, weight, rng):
        """Train the members; yield after each. Keeps the running sums of what members say about unseen rows."""
        n_members = check_int("n_estimators", self.n_estimators, low=1)
        self._judges = check_flag("oob_score", self.oob_score)
        if self._judges and not self._leaves_rows_out():
            raise ValueError("oob_score=True needs rows that a member has not seen: draw with bootstrap=True")
        self.estimators_, self.estimators_samples_, self._n_samples_fitted = [], [], len(X)
        self._forget_judgements()
        self._before_training(X, y, weight)
        for _ in range(n_members):
            rows, member = self._train(X, y, weight, rng)
            self.estimators_.append(member)
            self.estimators_samples_.append(rows)
            if self._judges:
                self._judge(X, y, weight, member, rows)
            yield self
        if self._judges and not self.oob_counts_.all():
            warn_caller(
                f"{(self.oob_counts_ == 0).sum()} of {len(X)} rows were drawn for every member, so nobody can judge "
                "them: oob_score_ leaves them out. Train more members."
            )

    def _forget_judgements(self):
        for name in ("_oob_sum", "oob_counts_", "oob_score_"):
            vars(self).pop(name, None)

    def _before_training(self, X, y, weight):
        """Prepare what all members share."""

    def _judge(self, X, y, weight, member, rows):
        """Add what a member says about the rows that it has not seen, and score the sums."""
        out = np.ones(len(X), dtype=bool)
        out[rows] = False
        if not hasattr(self, "_oob_sum"):
            self._oob_sum, self.oob_counts_ = np.zeros(self._output_shape(len(X))), np.zeros(len(X), dtype=int)
        if out.any():
            self._oob_sum[out] += self._output(member, X[out])
            self.oob_counts_[out] += 1
        self.oob_score_ = self._score_of_sums(self._oob_sum, self.oob_counts_, y, weight)

    def _score_of_sums(self, sums, counts, y, weight):
        """Accuracy or R² of the averages, over the rows that some member has not seen; NaN if there are none."""
        seen = counts > 0
        if not seen.any() or not weight[seen].any():
            return math.nan
        averages = sums[seen] / counts[seen].reshape(-1, *[1] * (sums.ndim - 1))
        return self._score(averages, y[seen], weight[seen])

    def _oob_average(self):
        """What the members that have not seen a row say on average; NaN where there is no such member."""
        check_is_fitted(self)
        if not hasattr(self, "_oob_sum"):
            raise AttributeError("nobody has judged the rows left out: fit with oob_score=True")
        averages = np.full(self._oob_sum.shape, np.nan)
        seen = self.oob_counts_ > 0
        averages[seen] = self._oob_sum[seen] / self.oob_counts_[seen].reshape(-1, *[1] * (averages.ndim - 1))
        return averages

    def _average(self, X):
        """The mean of the members' outputs."""
        total = np.zeros(self._output_shape(len(X)))
        for member in self.estimators_:
            total += self._output(member, X)
        return total / len(self.estimators_)

    def _table(self, X):
        """Check the X of ``predict``; subclasses that take more than numbers override this."""
        return check_X(self, X)


class _VotingClassifier(_Ensemble, Classifier):
    """Members that vote, or whose probabilities are averaged."""

    def _output_shape(self, n):
        return n, len(self.classes_)

    def _output(self, member, X):
        P = self._member_probabilities(member, X)
        return class_votes(P) if self.rule == "majority" else P

    def _member_probabilities(self, member, X):
        return class_probabilities(member, X, len(self.classes_))

    def _score(self, averages, y, weight):
        return float(np.average(averages.argmax(axis=1) == y, weights=weight))

    def _targets(self, y):
        """Class numbers; a label that was not there in ``fit`` is refused."""
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        labels = check_labels(y).tolist()
        unknown = [label for label in labels if label not in number]
        if unknown:
            raise ValueError(f"y holds the label {unknown[0]!r}, which the model has not been fitted on")
        return np.array([number[label] for label in labels])

    @property
    def oob_decision_function_(self):
        """(n_samples, n_classes) combined opinion of the members that have not seen a row; NaN where all have."""
        return self._oob_average()

    def predict_proba(self, X):
        """Return the mean of the members' class probabilities, or the shares of their votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), columns in the order of ``classes_``
        """
        check_is_fitted(self)
        return self._average(self._table(X))

    def predict(self, X):
        """Return the class with the largest mean (the first one in ``classes_`` if several tie)."""
        winners = self.predict_proba(X).argmax(axis=1)
        return self.classes_[winners]


class _AveragingRegressor(_Ensemble, Regressor):
    """Members whose numbers are averaged."""

    def _output_shape(self, n):
        return (n,)

    def _output(self, member, X):
        return np.asarray(member.predict(X), dtype=float).ravel()

    def _score(self, averages, y, weight):
        total = np.sum(weight * (y - np.average(y, weights=weight)) ** 2)
        residual = np.sum(weight * (y - averages) ** 2)
        with np.errstate(over="ignore"):  # weights may leave a total near 0
            return float(1 - residual / total) if total > 0 else float(residual == 0)

    def _targets(self, y):
        return check_numeric_target(y)

    @property
    def oob_prediction_(self):
        """(n_samples,) mean prediction of the members that have not seen a row; NaN where all have."""
        return self._oob_average()

    def predict(self, X):
        """Return the mean of the members' predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._average(self._table(X))


# ---------------------------------------------------------------------------------------------------------------
# Bagging of any estimator
# ---------------------------------------------------------------------------------------------------------------
class _Bagging(_Ensemble):
    """Draw rows, train a copy of the estimator on them."""

    def _leaves_rows_out(self):
        return bool(self.bootstrap)

    def _train(self, X, y, weight, rng):
        several = kind_of(self) == "classifier"
        rows = draw_rows(y, self._n_drawn, weight, rng, replace=self.bootstrap, several=several)
        return rows, fresh(self._base, rng).fit(X[rows], y[rows])

    def _before_training(self, X, y, weight):
        if self._base is None or isinstance(self._base, type) or not hasattr(self._base, "fit"):
            raise ValueError(f"estimator must be an estimator, got {self._base!r}")
        if kind_of(self._base) != kind_of(self):
            raise ValueError(f"estimator must be a {kind_of(self)}, got {self._base!r}")
        check_flag("bootstrap", self.bootstrap)
        self._n_drawn = n_rows_to_draw(self.max_samples, len(X))
        there = np.count_nonzero(weight)
        if not self.bootstrap and self._n_drawn > there:
            raise ValueError(
                f"max_samples={self.max_samples} asks for {self._n_drawn} rows, but only {there} of {len(X)} "
                "can be drawn without repeating any"
            )

    def fit(self, X, y, sample_weight=None):
        """Train ``n_estimators`` copies, each on rows drawn anew.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            How likely a row is to be drawn, in proportion.

        Raises
        ------
        ValueError, TypeError
            For bad parameters or data.
        """
        run(self.iter_fit(X, y, sample_weight))
        return self


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

    def iter_fit(self, X, y, sample_weight=None):
        """Train member after member (see ``fit``); yield the ensemble, ready to predict, after each."""
        rng = check_random_state(self.random_state)
        check_choice("rule", self.rule, ("arithmetic", "majority"))
        X, y = check_classification(self, X, y)
        yield from self._members(X, y, check_sample_weight(sample_weight, len(X)), rng)


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

    def iter_fit(self, X, y, sample_weight=None):
        """Train member after member (see ``fit``); yield the ensemble, ready to predict, after each."""
        rng = check_random_state(self.random_state)
        X, y = check_regression(self, X, y)
        yield from self._members(X, y, check_sample_weight(sample_weight, len(X)), rng)


# ---------------------------------------------------------------------------------------------------------------
# Which features matter
# ---------------------------------------------------------------------------------------------------------------
def oob_permutation_importance(model, X, y, *, n_repeats=5, random_state=None):
    """Return how much the out-of-bag score falls when the values of one feature are shuffled (Notes C 5.6).

    importance(j) = E_oob with feature j shuffled - E_oob,    E the error rate, or 1 - R²

    Each row is judged by the members that have not seen it, so nothing is trained again. One shuffle serves all
    members: with a shuffle for each, a row's wrong values would differ from member to member, and the vote would
    average the damage away. Features that stand in for each other share their importance: shuffling one costs little.

    Parameters
    ----------
    model : fitted BaggingClassifier, BaggingRegressor, RandomForestClassifier or RandomForestRegressor
    X, y : array-likes of shape (n_samples, n_features) and (n_samples,)
        The data that the model was fitted on, in the same order.
    n_repeats : int >= 1
        How often to shuffle; the mean is returned.
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_features,)
        About 0 for a feature without influence; below 0 by chance only.

    Raises
    ------
    ValueError
        If the model is no fitted ensemble of this chapter, X has another number of rows than it was fitted on, y a
        label of its own, or no member has left a row out.
    """
    if not isinstance(model, _Ensemble):
        raise ValueError(f"oob_permutation_importance needs an ensemble that draws its rows, got {model!r}")
    check_is_fitted(model)
    check_int("n_repeats", n_repeats, low=1)
    rng = check_random_state(random_state)
    table, target = model._table(X), model._targets(y)
    held_out = _rows_left_out(model, len(table), len(target))
    right = _score_out_of_bag(model, table, target, held_out)
    falls = np.zeros(table.shape[1])
    for j in range(len(falls)):
        for _ in range(n_repeats):
            shuffled = table.copy()
            shuffled[:, j] = rng.permutation(table[:, j])
            falls[j] += right - _score_out_of_bag(model, shuffled, target, held_out)
    return falls / n_repeats


def _rows_left_out(model, n_rows, n_targets):
    """The rows that each member has not seen."""
    n_fitted = model._n_samples_fitted
    if not n_rows == n_targets == n_fitted:
        raise ValueError(f"the model was fitted on {n_fitted} rows, but X has {n_rows} and y {n_targets}")
    held_out = [np.setdiff1d(np.arange(n_rows), rows) for rows in model.estimators_samples_]
    if not any(len(rows) for rows in held_out):
        raise ValueError("no member has left a row out: fit with bootstrap=True")
    return held_out


def _score_out_of_bag(model, X, y, held_out):
    """The score of the members, each on the rows that it has not seen."""
    sums, counts = np.zeros(model._output_shape(len(X))), np.zeros(len(X), dtype=int)
    for member, rows in zip(model.estimators_, held_out, strict=True):
        if len(rows):
            sums[rows] += model._output(member, X[rows])
            counts[rows] += 1
    return model._score_of_sums(sums, counts, y, np.ones(len(X)))
