"""Naive Bayes on categories, and on tables that mix words and numbers (Notes A 10.3).

X holds the code of each value, n rows of d attributes with N_i values each. The table ln p(x_i | c) of attribute i has
shape (N_i + 1, K): its last line, to which the code -1 leads, is 0: a value never seen says nothing about the class.
``log_prior`` holds ln p(c), of shape (K,), or that and what else is to be added, of shape (n, K).
"""

import numpy as np

from mlcore.base import check_array, check_int, check_real, shown
from mlcore.bayes_classifiers.counts import MOST_CELLS, codes_of, learn_codes, refuse_missing
from mlcore.bayes_classifiers.gaussian import check_variances, independent_log_joint, learn_gaussians
from mlcore.bayes_classifiers.posterior import BayesClassifier, log_of, log_prior
from mlcore.core.bayes_classifiers import categorical_log_joint, value_table
from mlcore.features import check_table, check_table_and_labels

__all__ = ["CategoricalNB", "MixedNB", "categorical_log_joint", "check_cells", "value_table"]


def check_cells(cells, sizes):
    """Refuse tables that do not fit into memory: a column of measurements has a value for each row."""
    if cells > MOST_CELLS:
        j = int(np.argmax(sizes))
        raise ValueError(
            f"the tables of counts would have {cells:.2g} cells, more than {MOST_CELLS:.2g}: column {j} of X has "
            f"{int(sizes[j])} distinct values. Cut measurements into a few intervals, or use MixedNB or GaussianNB"
        )


def log_tables(X, codes, categories, n_classes, alpha):
    """ln p(x_i | c) of each column, with a last line of 0."""
    tables = []
    for x, known in zip(X.T, categories):
        table = log_of(value_table(x, codes, len(known), n_classes, alpha))
        tables.append(np.vstack([table, np.zeros(n_classes)]))
    return tables


class CategoricalNB(BayesClassifier):
    """Naive Bayes on categories: p(c, x) = p(c) Π_i p(x_i | c), each a share of counts with α added.

    p(c) = (|D_c| + α) / (|D| + αK) and p(x_i | c) = (|D_{c,x_i}| + α) / (|D_c| + αN_i). (scikit-learn does not smooth
    the prior.) Each distinct value of a column, string or number, is a category; N_i counts those seen in training. A
    value first seen in ``predict`` is left out of the product.

    Parameters
    ----------
    alpha : float >= 0
        What is added to each count: 1 is the Laplacian correction (拉普拉斯修正), 0 leaves the shares as they are.
    priors : None or array-like of shape (n_classes,)
        p(c) > 0 with sum 1, in the order of ``classes_``; None takes the smoothed shares of the classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of ndarrays
        The values of each column, sorted.
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_log_prob_ : list of ndarrays of shape (n_values, n_classes)
        ln p(x_i | c).

    References
    ----------
    Notes A (296)-(301).
    """

    def __init__(self, *, alpha=1.0, priors=None):
        self.alpha = alpha
        self.priors = priors

    def fit(self, X, y):
        """Count the values of each column in each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Strings or numbers, each a category; nothing missing.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; a missing value; a column that mixes text and numbers; too many distinct values.
        """
        alpha = check_real("alpha", self.alpha, low=0, high=1e100)
        X, codes = check_table_and_labels(self, X, y, allow_missing=False)
        K = len(self.classes_)
        self.categories_, X = learn_codes(X)
        sizes = list(map(len, self.categories_))
        check_cells(K * sum(sizes), sizes)
        self.class_log_prior_ = log_prior(codes, K, self.priors, alpha)
        self._tables = log_tables(X, codes, self.categories_, K, alpha)
        self.feature_log_prob_ = [table[:-1] for table in self._tables]
        return self

    def _log_joint(self, X):
        X = check_table(self, X, allow_missing=False)
        refuse_missing(X)
        return categorical_log_joint(self.class_log_prior_, self._tables, codes_of(X, self.categories_))


class MixedNB(BayesClassifier):
    """Naive Bayes on a table of words and numbers: p(c, x) = p(c) Π_i p(x_i | c), categories counted, numbers Gaussian.

    Parameters
    ----------
    categorical_features : None or sequence of int or bool
        The numbers of the categorical columns, or a mask; None takes the columns that hold text.
    alpha : float >= 0
        What is added to each count, also of the classes; see ``CategoricalNB``.
    priors, ddof, var_smoothing
        See ``GaussianNB``; without ``priors`` the shares of the classes are smoothed by ``alpha``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    categorical_ : bool ndarray of shape (n_features,)
    categories_ : list of ndarrays
        The values of each categorical column.
    feature_log_prob_ : list of ndarrays of shape (n_values, n_classes)
    theta_, var_ : ndarrays of shape (n_classes, n_numeric)
        Means and variances of the other columns.

    References
    ----------
    Notes A 10.3. The worked example of Zhou (2016), section 7.3, has ddof=1.
    """

    def __init__(self, *, categorical_features=None, alpha=1.0, priors=None, ddof=0, var_smoothing=1e-9):
        self.categorical_features = categorical_features
        self.alpha = alpha
        self.priors = priors
        self.ddof = ddof
        self.var_smoothing = var_smoothing

    def fit(self, X, y):
        """Count the categories, and learn means and variances of the numbers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Strings or numbers; nothing missing.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; a missing value; a column that mixes text and numbers, or holds text where a
            number is expected.
        """
        alpha, ddof = check_real("alpha", self.alpha, low=0, high=1e100), check_int("ddof", self.ddof, low=0, high=1)
        smoothing = check_real("var_smoothing", self.var_smoothing, low=0)
        X, codes = check_table_and_labels(self, X, y, allow_missing=False)
        refuse_missing(X)
        K, self.categorical_ = len(self.classes_), self._which(X)
        words, numbers = self._split(X)
        self.categories_, words = learn_codes(words)
        sizes = list(map(len, self.categories_))
        check_cells(K * sum(sizes), sizes)
        self._tables = log_tables(words, codes, self.categories_, K, alpha)
        self.feature_log_prob_ = [table[:-1] for table in self._tables]
        if numbers.shape[1]:
            _, self.theta_, variance, _, unit = learn_gaussians(numbers, codes, K, ddof, smoothing)
            check_variances(variance, self.classes_, "set var_smoothing above 0")
            self.var_ = variance * unit**2
        else:
            self.theta_, self.var_ = np.empty((2, K, 0))
        self.class_log_prior_ = log_prior(codes, K, self.priors, alpha)
        return self

    def _which(self, X):
        """A mask of the categorical columns."""
        d = X.shape[1]
        if self.categorical_features is None:
            return np.array([any(isinstance(value, str) for value in column) for column in X.T]) & (X.dtype.kind == "O")
        try:
            chosen = np.asarray(self.categorical_features)
        except ValueError:
            chosen = np.array(None)
        if chosen.dtype == bool and chosen.shape == (d,):
            return chosen
        if chosen.ndim == 1 and (chosen.size == 0 or chosen.dtype.kind in "iu") and (np.abs(chosen + 0.5) < d).all():
            mask = np.zeros(d, dtype=bool)
            mask[chosen.astype(int)] = True
            return mask
        raise ValueError(
            f"categorical_features must be numbers of columns from 0 to {d - 1}, or a mask of {d} truth values, "
            f"got {shown(self.categorical_features)}"
        )

    def _split(self, X):
        """The categorical columns as they are, the others as floats."""
        numbers = X[:, ~self.categorical_]
        try:
            numbers = check_array(numbers, name="a numeric column of X", min_features=0)
        except ValueError as error:
            raise ValueError(f"{error}. Columns of categories are named in categorical_features") from None
        return X[:, self.categorical_], numbers

    def _log_joint(self, X):
        X = check_table(self, X, allow_missing=False)
        refuse_missing(X)
        words, numbers = self._split(X)
        counted = categorical_log_joint(self.class_log_prior_, self._tables, codes_of(words, self.categories_))
        return independent_log_joint(counted, self.theta_, self.var_, numbers)
