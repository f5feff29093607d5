"""Naive Bayes on categories, and on tables that mix words and numbers (Notes A 10.3)."""

import numpy as np

from mlcore.base import anything, check_array, shown
from mlcore.bayes_classifiers.counts import MOST_CELLS, codes_of, learn_codes, refuse_missing
from mlcore.bayes_classifiers.gaussian import VAR_SMOOTHING, normals
from mlcore.bayes_classifiers.posterior import ALPHA, DDOF, PRIORS, BayesClassifier, log_of, log_prior
from mlcore.core.bayes_classifiers import categorical_log_joint, independent_log_joint, value_table
from mlcore.features import check_table, check_table_and_labels

__all__ = ["CategoricalNB", "MixedNB", "OfCategories", "categorical_log_joint", "check_cells", "value_table"]


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


class OfCategories(BayesClassifier):
    """A Bayes classifier whose columns, strings or numbers, all hold categories."""

    def _learn(self, X, y):
        """Return X as codes, y as codes, and how many values each column has; remember the categories."""
        X, codes = check_table_and_labels(self, X, y, allow_missing=False)
        self.categories_, X = learn_codes(X)
        return X, codes, list(map(len, self.categories_))

    def _codes(self, X):
        X = check_table(self, X, allow_missing=False)
        refuse_missing(X)
        return codes_of(X, self.categories_)


class CategoricalNB(OfCategories):
    """Naive Bayes on categories: p(c, x) = p(c) Π_i p(x_i | c), each a share of counts with α added.

    p(c) = (|D_c| + α) / (|D| + αK) and p(x_i | c) = (|D_{c,x_i}| + α) / (|D_c| + αN_i). (scikit-learn does not smooth
    the prior.) Each distinct value of a column, string or number, is a category; N_i counts those seen in training. A
    value first seen in ``predict`` is left out of the product.

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

    alpha: float = ALPHA
    priors: object = PRIORS

    def fit(self, X, y):
        """Count the values of each column in each class.

        Raises
        ------
        ValueError
            If a value is missing, a column mixes text and numbers, or there are too many distinct values.
        """
        p = self.checked()
        X, codes, sizes = self._learn(X, y)
        K = len(self.classes_)
        check_cells(K * sum(sizes), sizes)
        self.class_log_prior_ = log_prior(codes, K, p.priors, p.alpha)
        self._tables = log_tables(X, codes, self.categories_, K, p.alpha)
        self.feature_log_prob_ = [table[:-1] for table in self._tables]
        return self

    def _log_joint(self, X):
        return categorical_log_joint(self.class_log_prior_, self._tables, self._codes(X))


class MixedNB(BayesClassifier):
    """Naive Bayes on a table of words and numbers: p(c, x) = p(c) Π_i p(x_i | c), categories counted, numbers Gaussian.

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

    categorical_features: object = anything(
        None, "sequence of int or bool, optional",
        "The numbers of the categorical columns, or a mask; None takes the columns that hold text.",
    )
    alpha: float = ALPHA
    priors: object = PRIORS
    ddof: int = DDOF
    var_smoothing: float = VAR_SMOOTHING

    def fit(self, X, y):
        """Count the categories, and learn means and variances of the numbers.

        Raises
        ------
        ValueError
            If a value is missing, or a column mixes text and numbers, or holds text where a number is expected.
        """
        p = self.checked()
        X, codes = check_table_and_labels(self, X, y, allow_missing=False)
        refuse_missing(X)
        K, self.categorical_ = len(self.classes_), self._which(X)
        words, numbers = self._split(X)
        self.categories_, words = learn_codes(words)
        sizes = list(map(len, self.categories_))
        check_cells(K * sum(sizes), sizes)
        self._tables = log_tables(words, codes, self.categories_, K, p.alpha)
        self.feature_log_prob_ = [table[:-1] for table in self._tables]
        self.theta_, self.var_ = np.empty((2, K, 0))
        if numbers.shape[1]:
            self.theta_, self.var_ = normals(numbers, codes, self.classes_, p)
        self.class_log_prior_ = log_prior(codes, K, p.priors, p.alpha)
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
