"""Class imbalance (类别不平衡): fewer rows of many, more rows of few, or another threshold.

Chapter 7. Sources: notes A 4.2, D 3.6. Three ways out, all of them about the same thing, the ratio of the classes:

- throw away rows of the majority (欠采样): ``RandomUnderSampler``; again and again, so that less is lost:
  ``EasyEnsemble``, ``BalanceCascade``;
- make more rows of the minority (过采样): ``RandomOverSampler``, ``SMOTE``, ``BorderlineSMOTE``;
- leave the rows alone and move the threshold (阈值移动): ``rescale_odds``, ``ThresholdMoving``.
"""

import sys

import numpy as np

from mlcore.base import (
    REQUIRED,
    BinaryClassifier,
    Classifier,
    Estimator,
    check_classification,
    check_consistent_length,
    check_fit_X,
    check_labels,
    check_X,
    clone,
    door,
    names_of_inputs,
    numbers,
    part,
    real,
    seed,
    shown,
    warn_caller,
    whole,
)
from mlcore.base.members import sound, tags_of_members, take
from mlcore.boosting import AdaBoostClassifier
from mlcore.core import class_imbalance as core
from mlcore.core.class_imbalance import between, cascade_rate, cascade_round, kinds, rescaled_shares
from mlcore.distances import nearest

__all__ = [
    "SMOTE", "BalanceCascade", "BorderlineSMOTE", "EasyEnsemble", "RandomOverSampler", "RandomUnderSampler",
    "ThresholdMoving", "rescale_odds",
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Samplers
# ---------------------------------------------------------------------------------------------------------------
class _Sampler(Estimator):
    """A table and its labels go in; others come out, of the kind that went in: arrays, lists, DataFrames."""

    ratio: float = real(1.0, "Size that every class gets, over the size of the largest.", low=0, high=1, low_open=True)
    random_state: object = seed()
    _numbers_only = True

    def fit(self, X, y):
        """Check parameters and data as ``fit_resample`` does, and remember the columns of X; return self."""
        self._checked(X, y)
        return self

    def _checked(self, X, y):
        """Return the parameters, X, the labels, the code of each row and the number of rows of each class."""
        p = self.checked()
        table, labels = check_fit_X(self, X, dtype=float if self._numbers_only else None), check_labels(y)
        check_consistent_length(table, labels)
        classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            raise ValueError(f"y holds only one class, {classes.tolist()[0]!r}: there is nothing to balance")
        return p, table, labels, codes, counts

    def get_feature_names_out(self, input_features=None):
        """Return the names of the features, which are those of the table that was given."""
        return names_of_inputs(self, input_features)

    def __sklearn_tags__(self):
        tags, anything = super().__sklearn_tags__(), not self._numbers_only
        tags.target_tags.required = True
        tags.input_tags.allow_nan = tags.input_tags.string = anything
        theirs = sys.modules.get("imblearn.utils._tags")
        if theirs is None:  # the caller does not use imbalanced-learn, which has tags of its own
            return tags
        inputs = theirs.InputTags(allow_nan=anything, string=anything, dataframe=True)
        return theirs.Tags("sampler", tags.target_tags, input_tags=inputs, sampler_tags=theirs.SamplerTags(anything))


def _shortfall(counts, ratio):
    """How many rows each class lacks of ``ratio`` times the largest class."""
    return np.maximum(np.floor(ratio * counts.max() + 1e-9).astype(int) - counts, 0)


def _in_kind(given, values):
    """Return values as the kind of thing that was given: a list, a DataFrame or Series, or an array of its floats."""
    if isinstance(given, list):
        return values.tolist()
    if hasattr(values, "iloc"):
        return values.reset_index(drop=True)
    if hasattr(given, "iloc"):
        names = {"columns": given.columns} if hasattr(given, "columns") else {"name": given.name}
        return type(given)(values, **names).astype(given.dtypes)
    kept = getattr(given, "dtype", None)
    return values.astype(kept, copy=False) if kept is not None and kept.kind == "f" else values


class _RowSampler(_Sampler):
    """A sampler that only chooses rows; so what these hold, missing values and words, is no concern of it."""

    _numbers_only = False

    def fit_resample(self, X, y):
        """Return the chosen rows, (n_chosen, n_features), and their labels, (n_chosen,), in the kind that was given."""
        p, table, labels, codes, counts = self._checked(X, y)
        self.sample_indices_ = self._choose(codes, counts, p.ratio, p.random_state)
        return _in_kind(X, take(table, self.sample_indices_)), _in_kind(y, labels[self.sample_indices_])


class RandomUnderSampler(_RowSampler):
    """Keep all rows of the smallest class and as many others as it allows, drawn without replacement (欠采样).

    What is thrown away is lost; ``EasyEnsemble`` and ``BalanceCascade`` draw again and again instead.

    Attributes
    ----------
    sample_indices_ : int ndarray
        The rows that were kept, in their order.

    References
    ----------
    Notes A 4.2.1.
    """

    ratio: float = real(
        1.0, "Size of the smallest class over the size that any other may keep. 1: all classes equally large.",
        low=0, high=1, low_open=True,
    )  # fmt: skip

    def _choose(self, codes, counts, ratio, rng):
        most = int(counts.min() / ratio + 1e-9)
        kept = [_draw(np.flatnonzero(codes == k), most, rng) for k in range(len(counts))]
        return np.sort(np.concatenate(kept))


def _draw(rows, most, rng):
    """Return the rows, or ``most`` of them."""
    return rows if len(rows) <= most else rng.choice(rows, most, replace=False)


class RandomOverSampler(_RowSampler):
    """Repeat rows of the smaller classes, drawn with replacement (过采样).

    Nothing new is said: a model that can remember rows will remember these the more.

    Attributes
    ----------
    sample_indices_ : int ndarray
        All rows in their order, then those that are repeated.

    References
    ----------
    Notes A 4.2.2.
    """

    def _choose(self, codes, counts, ratio, rng):
        more = [rng.choice(np.flatnonzero(codes == k), n) for k, n in enumerate(_shortfall(counts, ratio)) if n]
        return np.concatenate([np.arange(len(codes)), *more])


class SMOTE(_Sampler):
    """Make new rows of the smaller classes, each between a row and one of its neighbours (Chawla et al. 2002).

    x_new = x + u (x̂ - x),    u uniform in [0, 1], x̂ one of the k nearest neighbours of x within its class (A 83)

    Every row x of a class serves equally often, up to one; scikit-learn's companion imbalanced-learn draws x at random.

    Attributes
    ----------
    base_, neighbor_ : int ndarrays of shape (n_new,)
        The rows x and x̂ of each new row, as numbers of rows of X.
    gap_ : ndarray of shape (n_new,)
        u.

    References
    ----------
    Notes A 4.2.2.
    """

    k_neighbors: int = whole(5, "Smaller than the number of rows of each class that is to grow.", low=1)

    def fit_resample(self, X, y):
        """Return all rows, (n_samples + n_new, n_features), the new ones last, and their labels, in the kind given.

        The columns of a DataFrame keep their types; in one of whole numbers the new ones are cut off.

        Raises
        ------
        ValueError, TypeError
            For bad data or parameters, a single class, or a class with too few rows for ``k_neighbors``.
        """
        p, table, labels, codes, counts = self._checked(X, y)
        shortfall = _shortfall(counts, p.ratio)
        for k in np.flatnonzero(shortfall):
            if self.k_neighbors >= counts[k]:
                name = labels[codes == k].tolist()[0]
                raise ValueError(
                    f"k_neighbors={self.k_neighbors} must be smaller than the {counts[k]} rows of class {shown(name)}: "
                    f"a row has at most {counts[k] - 1} neighbours of its class"
                )
        self._look_around(table, codes, counts, shortfall)
        ways = [self._ways(table, codes, k, n_new, p.random_state) for k, n_new in enumerate(shortfall)]
        self.base_, self.neighbor_, self.gap_ = (np.concatenate(parts) for parts in zip(*ways, strict=True))
        new = between(table, self.base_, self.neighbor_, self.gap_)
        table, labels = np.concatenate([table, new]), np.concatenate([labels, labels[self.base_]])
        return _in_kind(X, table), _in_kind(y, labels)

    def _look_around(self, X, codes, counts, shortfall):
        """Find out what the choice of rows depends on; plain SMOTE takes all."""

    def _bases(self, codes, k):
        """The rows of class k that may serve as x."""
        return np.flatnonzero(codes == k)

    def _ways(self, X, codes, k, n_new, rng):
        """Choose x, x̂ and u for ``n_new`` rows of class k."""
        bases = self._bases(codes, k)
        if not n_new or not len(bases):
            return np.empty(0, dtype=int), np.empty(0, dtype=int), np.empty(0)
        own = np.flatnonzero(codes == k)
        neighbors = own[nearest_others(X, bases, own, self.k_neighbors)]
        which = _evenly(len(bases), n_new, rng)
        chosen = neighbors[which, rng.integers(self.k_neighbors, size=n_new)]
        return bases[which], chosen, rng.random(n_new)


def _evenly(n, n_draws, rng):
    """Return ``n_draws`` numbers below n, each as often as the others up to one; who gets one more is drawn."""
    return np.concatenate([np.tile(np.arange(n), n_draws // n), rng.permutation(n)[: n_draws % n]])


def nearest_others(X, rows, among, k):
    """Return for each of ``rows`` the k nearest of the rows ``among``, itself excepted, as places in ``among``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    rows, among : int arrays, numbers of rows of X
        ``among`` increasing.
    k : int
        At most the number of rows ``among``, less one for a row that is one of them.

    Returns
    -------
    int ndarray of shape (len(rows), k)
    """
    places = nearest(X[rows], X[among], min(k + 1, len(among)))
    is_self = among[places] == rows[:, None]
    # twins: the k+1 nearest may all lie at distance 0 without the row itself among them; then the last one goes
    is_self[~is_self.any(axis=1), -1] = places.shape[1] > k
    return places[~is_self].reshape(len(rows), -1)[:, :k]


class BorderlineSMOTE(SMOTE):
    """SMOTE from the rows at the border only.

    Of the ``m_neighbors`` nearest rows of a minority row, m' belong to other classes. The row is

    noise (噪声)     if m' = m;
    danger (危险)    if m/2 <= m' < m: only these serve as x;
    safe (安全)      if m' < m/2.

    The notes' ranges overlap at m/2 and at m. Neighbours are sought among *all* rows: within the minority, as the
    notes have it, m' would be 0 for every row.

    Where no row is in danger, a class stays as it is, with a warning.

    Attributes
    ----------
    kinds_ : ndarray of str of shape (n_samples,)
        "safe", "danger" or "noise" for the rows of classes that are to grow, "" for all others.
    base_, neighbor_, gap_
        See ``SMOTE``.

    References
    ----------
    Notes A 4.2.2; H. Han, W.-Y. Wang and B.-H. Mao, "Borderline-SMOTE", 2005.
    """

    kind: int = whole(
        1,
        "1: towards neighbours of the same class. 2: for a share of 1 - ``alpha`` of the new rows towards neighbours\n"
        "of other classes, and then at most half of the way (as Han et al.; the notes go all the way).",
        low=1, high=2,
    )  # fmt: skip
    m_neighbors: int = whole(10, "Smaller than the number of all rows.", low=1)
    alpha: float = real(
        0.5,
        "With kind 2: share of the new rows that lie towards rows of the same class. (imbalanced-learn goes towards\n"
        "one of the nearest of all rows, whatever its class.)",
        low=0, high=1,
    )  # fmt: skip

    def _look_around(self, X, codes, counts, shortfall):
        if self.m_neighbors >= len(X):
            raise ValueError(f"m_neighbors={self.m_neighbors} must be smaller than the number of rows, {len(X)}")
        growing = np.flatnonzero((shortfall > 0)[codes])
        self.kinds_ = np.full(len(X), "", dtype="<U6")
        if not len(growing):
            return
        around = nearest_others(X, growing, np.arange(len(X)), self.m_neighbors)
        strangers = (codes[around] != codes[growing, None]).sum(axis=1)
        self.kinds_[growing] = kinds(strangers, self.m_neighbors)
        for k in np.flatnonzero(shortfall):
            if not (self.kinds_[codes == k] == "danger").any():
                warn_caller(
                    f"no row of a class of {counts[k]} is in danger ({(self.kinds_[codes == k] == 'safe').sum()} are "
                    f"safe, {(self.kinds_[codes == k] == 'noise').sum()} noise): the class stays as it is. "
                    "Use SMOTE, or another m_neighbors."
                )

    def _bases(self, codes, k):
        return np.flatnonzero((codes == k) & (self.kinds_ == "danger"))

    def _ways(self, X, codes, k, n_new, rng):
        base, neighbor, gap = super()._ways(X, codes, k, n_new, rng)
        n_outwards = 0 if self.kind == 1 else round((1 - self.alpha) * len(base))
        if not n_outwards:
            return base, neighbor, gap
        strangers, outwards = np.flatnonzero(codes != k), rng.permutation(len(base))[:n_outwards]
        near = strangers[nearest_others(X, base[outwards], strangers, min(self.k_neighbors, len(strangers)))]
        neighbor[outwards] = near[np.arange(n_outwards), rng.integers(near.shape[1], size=n_outwards)]
        gap[outwards] /= 2
        return base, neighbor, gap


# ---------------------------------------------------------------------------------------------------------------
# Ensembles on balanced subsets
# ---------------------------------------------------------------------------------------------------------------
class _BalancedEnsemble(BinaryClassifier):
    """AdaBoost on the minority and as many rows of the majority, several times; the sums add up."""

    n_rounds: int = whole(10, "Rounds of AdaBoost on each subset.", low=1)
    random_state: object = seed()

    def _start(self, X, y):
        """Return the checked parameters and X, and the rows of the minority and of the majority."""
        p = self.checked()
        X, codes = check_classification(self, X, y, n_classes=2)
        rare = int(2 * codes.sum() <= len(codes))
        self.minority_class_ = self.classes_[rare]
        self.estimators_, self.thresholds_ = [], np.empty(0)
        return p, X, np.flatnonzero(codes == rare), np.flatnonzero(codes != rare)

    def _add(self, model, threshold):
        self.estimators_.append(model)
        self.thresholds_ = np.append(self.thresholds_, threshold)

    def decision_function(self, X):
        """Return Σ_i (Σ_j α_ij h_ij(x) - θ_i), signed so that above 0 means ``classes_[1]``: shape (n_samples,)."""
        X = check_X(self, X)
        total = sum(model.decision_function(X) - t for model, t in zip(self.estimators_, self.thresholds_, strict=True))
        return total if self.minority_class_ == self.classes_[1] else -total

    def predict(self, X):
        """Return the class of each row, shape (n_samples,); exactly at the threshold it is the majority."""
        score, rare = self.decision_function(X), int(self.minority_class_ == self.classes_[1])
        return self.classes_[np.where(score == 0, 1 - rare, score > 0)]


def _boost(X, minority, majority, n_rounds, rng):
    """Train AdaBoost on the minority (class 1) and an equal number of rows of the majority (class 0)."""
    rows = np.concatenate([minority, _draw(majority, len(minority), rng)])
    model = AdaBoostClassifier(n_estimators=n_rounds, random_state=int(rng.integers(2**31 - 1)))
    return model.fit(X[rows], (np.arange(len(rows)) < len(minority)).astype(int))


class EasyEnsemble(_BalancedEnsemble):
    """Under-sampling that loses less: AdaBoost on many balanced subsets (Liu et al. 2009).

    H(x) = sign Σ_i (Σ_j α_ij h_ij(x) - θ_i),    θ_i = 0

    Each subset holds the minority and as many rows of the majority, drawn anew. The sums are added, not the signs, as
    in the paper; the notes add signs in one place.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    minority_class_
        The rarer class; the second one if both are equally large.
    estimators_ : list of AdaBoostClassifier
        Their class 1 is the minority.
    thresholds_ : ndarray of shape (n_subsets,)
        θ.

    References
    ----------
    Notes A 4.2.1. X.-Y. Liu, J. Wu and Z.-H. Zhou, "Exploratory undersampling for class-imbalance learning", 2009.
    """

    n_subsets: int = whole(10, "How many subsets are drawn.", low=1)

    def iter_fit(self, X, y):
        p, X, minority, majority = self._start(X, y)
        for _ in range(p.n_subsets):
            self._add(_boost(X, minority, majority, p.n_rounds, p.random_state), 0.0)
            yield self


class BalanceCascade(_BalancedEnsemble):
    """Under-sampling that looks where it is hard: what one stage recognises, the next need not see (Liu et al. 2009).

    Stage i draws as many rows of the majority as the minority has, trains AdaBoost, and sets its threshold θ_i so that
    the share f of the majority that is left lies above it (is taken for the minority). The others, which it recognises,
    are removed. With T stages and

    f = (|P| / |N|)^(1/(T-1))

    the majority has shrunk to |N| f^(T-1) = |P| rows when the last stage begins.

    H(x) = sign Σ_i (Σ_j α_ij h_ij(x) - θ_i)

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    minority_class_
        The rarer class; the second one if both are equally large.
    rate_ : float
        f.
    majority_left_ : list of int
        Rows of the majority that each stage had to choose from.
    estimators_ : list of AdaBoostClassifier
        Their class 1 is the minority.
    thresholds_ : ndarray of shape (n_subsets,)
        θ.

    References
    ----------
    Notes A 4.2.1; Liu et al., see ``EasyEnsemble``.
    """

    n_subsets: int = whole(10, "T, the number of stages. For a single one the rate is not defined.", low=2)
    _poor_score = True  # of balanced classes it throws away what it needs

    def iter_fit(self, X, y):
        p, X, minority, left = self._start(X, y)
        n_majority, self.majority_left_ = len(left), []
        self.rate_ = cascade_rate(len(minority), n_majority, p.n_subsets)
        for i in range(1, p.n_subsets + 1):
            self.majority_left_.append(len(left))
            model = _boost(X, minority, left, p.n_rounds, p.random_state)
            n_kept = max(1, min(round(n_majority * self.rate_**i), len(left)))
            lots = p.random_state.random(len(left))
            hardest, threshold = cascade_round(model.decision_function(X[left]), n_kept, lots)
            self._add(model, threshold)
            left = np.sort(left[hardest])
            yield self


# ---------------------------------------------------------------------------------------------------------------
# Moving the threshold
# ---------------------------------------------------------------------------------------------------------------
rescale_odds = door(
    p=numbers("Probability of the positive class, by a model trained on unbalanced data.", low=0, high=1),
    n_pos=real(REQUIRED, "How many rows of the positive class it was trained on.", low=0, low_open=True),
    n_neg=real(REQUIRED, "How many of the other class.", low=0, low_open=True),
)(core.rescale_odds)


class ThresholdMoving(Classifier):
    """Any classifier with probabilities, its odds divided by those of the training sample (阈值移动).

    p'_k ∝ p_k / n_k;    for two classes p'/(1-p') = p/(1-p) · n_neg/n_pos (D 3.48)

    Nothing is thrown away and nothing invented. It needs probabilities that can be trusted, and it is right if
    mistakes of both kinds *within* a class, not over all rows, should weigh the same.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_counts_ : int ndarray of shape (n_classes,)
    estimator_ : fitted classifier

    References
    ----------
    Notes D 3.6; A 4.2.3 has only the title, which should read 阈值移动.
    """

    estimator: object = part("Of mlcore or scikit-learn.", form="classifier with ``predict_proba``")

    def __sklearn_tags__(self):
        return tags_of_members(super().__sklearn_tags__(), self.estimator)

    def fit(self, X, y):
        if not hasattr(self.estimator, "predict_proba") or isinstance(self.estimator, type):
            raise ValueError(f"estimator must be a classifier with predict_proba, got {self.estimator!r}")
        X, codes = check_classification(self, X, y, dtype=None)
        self.class_counts_ = np.bincount(codes)
        self.estimator_ = clone(self.estimator).fit(X, self.classes_[codes])
        return self

    def predict_proba(self, X):
        """Return p', of shape (n_samples, n_classes)."""
        X = check_X(self, X, dtype=None)
        shares = sound(self.estimator_.predict_proba(X), self.estimator_)
        return rescaled_shares(shares, self.class_counts_)

    def predict(self, X):
        """Return the class with the largest p' (the first one in a tie)."""
        winners = self.predict_proba(X).argmax(axis=1)
        return self.classes_[winners]
