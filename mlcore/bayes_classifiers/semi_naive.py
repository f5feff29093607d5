"""Semi-naive Bayes: each attribute depends on the class and on one other attribute, its parent (Notes A 10.4)."""

import numpy as np

from mlcore.base import REQUIRED, anything, check_int, check_numbers, door, labels, numbers, shown, whole
from mlcore.bayes_classifiers.counts import learn_codes
from mlcore.bayes_classifiers.naive import OfCategories, check_cells
from mlcore.bayes_classifiers.posterior import ALPHA, log_of, log_prior
from mlcore.core.bayes_classifiers import (
    average,
    child_table,
    contingency,
    heaviest_first,
    information_of_counts,
    kruskal,
    parent_table,
    parents,
    spode_log_joint,
    tree_log_joint,
    value_table,
)

__all__ = [
    "AODE", "SPODE", "TAN", "average", "child_table", "conditional_mutual_information", "heaviest_first",
    "information_of_counts", "kruskal", "maximum_spanning_tree", "parent_table", "parents", "spode_log_joint",
    "tree_log_joint",
]


# ---------------------------------------------------------------------------------------------------------------
# Functions with a door
# ---------------------------------------------------------------------------------------------------------------
def _attribute(says):
    form, bad = "array-like of shape (n_samples,)", (None, [], [[1, 2]], [np.nan])
    return anything(REQUIRED, form, says, check=_column, bad=bad)


def _column(name, values):
    """The codes of one attribute."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"{name} must be a column of values, got shape {array.shape}")
    column = (array.astype(object) if array.dtype.kind in "OU" else check_numbers(array, name))[:, np.newaxis]
    return learn_codes(column)[1][:, 0]


@door(
    a=_attribute("Values of an attribute, strings or numbers."), b=_attribute("Values of another one."),
    y=labels("Class labels."),
)
def conditional_mutual_information(a, b, y):
    """Return I(a; b | y) in nats: how much a tells about b once the class is known (条件互信息).

    I = Σ_c Σ_u Σ_v p(u, v, c) ln [ p(u, v | c) / (p(u | c) p(v | c)) ], with the shares of the data.

    Returns
    -------
    float >= 0
        0 where a and b are independent in each class.

    Raises
    ------
    ValueError
        For missing values, or if the lengths differ.

    References
    ----------
    Notes A (308), which weights by p(u, v | c) and leaves out the sums over u and v.
    """
    if not len(a) == len(b) == len(y):
        raise ValueError(f"a, b and y must have one length, got {len(a)}, {len(b)} and {len(y)}")
    columns = np.unique(y, return_inverse=True)[1], a, b
    sizes = [int(column.max()) + 1 for column in columns]
    check_cells(float(np.prod(sizes, dtype=float)), sizes[1:])
    return max(0.0, float(information_of_counts(contingency(columns, sizes))))


@door(weights=numbers(
    "Symmetric; the diagonal is not looked at. Negative weights are allowed.", form="array-like of shape (d, d)"
))  # fmt: skip
def maximum_spanning_tree(weights):
    """Return the edges of the heaviest tree that joins all nodes (最大带权生成树), by Kruskal's algorithm.

    Returns
    -------
    list of d - 1 pairs (i, j), i < j
        Heaviest first. Of edges that weigh the same (to 12 decimals of the largest weight) the first in the table is
        taken first.

    Raises
    ------
    ValueError
        If the table is not square or not symmetric.
    """
    W = weights
    if W.ndim != 2 or W.shape[0] != W.shape[1] or len(W) == 0:
        raise ValueError(f"weights must be a square table, a row and a column for each node, got shape {W.shape}")
    if (np.abs(W - W.T) > 1e-8 * np.maximum(np.abs(W), np.abs(W.T))).any():
        i, j = (int(place) for place in np.unravel_index(np.abs(W - W.T).argmax(), W.shape))
        raise ValueError(f"weights must be symmetric, but [{i}, {j}] is {W[i, j]:g} and [{j}, {i}] is {W[j, i]:g}")
    heaviest = np.abs(np.triu(W, 1)).max(initial=0.0)
    return [(i, j) for i, j, joins in kruskal(W / (heaviest or 1.0)) if joins]


# ---------------------------------------------------------------------------------------------------------------
# Estimators
# ---------------------------------------------------------------------------------------------------------------
class _OneDependent(OfCategories):
    """A Bayes classifier in which each attribute has one parent."""

    def _position(self, name, value):
        """The number of an attribute that is given by number or by the name of a DataFrame's column."""
        names = list(getattr(self, "feature_names_in_", []))
        if isinstance(value, str):
            if value not in names:
                raise ValueError(f"{name}={shown(value)} is no column of X: {', '.join(names) or 'it has no names'}")
            return names.index(value)
        return check_int(name, value, low=0, high=self.n_features_in_ - 1)


def _root_line(x, y, n_values, n_classes, alpha):
    """ln p(x_i | c), with a last line of 0, shape (N_i + 1, K)."""
    return np.vstack([log_of(value_table(x, y, n_values, n_classes, alpha)), np.zeros(n_classes)])


def _parent_lines(x, y, n_values, n_classes, alpha, prior):
    """ln p(c, x_j), with ln p(c) as its last line, shape (N_j + 1, K)."""
    return np.vstack([log_of(parent_table(x, y, n_values, n_classes, alpha)), prior])


def _child_lines(X, y, j, i, sizes, n_classes, alpha):
    """ln p(x_i | c, x_j), shape (N_j + 1, N_i + 1, K): last lines ln p(x_i | c), and 0."""
    table = np.zeros((sizes[j] + 1, sizes[i] + 1, n_classes))
    table[:-1, :-1] = log_of(child_table(X[:, j], X[:, i], y, (sizes[j], sizes[i]), n_classes, alpha))
    table[-1] = _root_line(X[:, i], y, sizes[i], n_classes, alpha)
    return table


class SPODE(_OneDependent):
    """Super-parent one-dependent estimator: p(c, x) = p(c, x_j) Π_{i≠j} p(x_i | c, x_j), one parent j for all.

    Each distinct value of a column is a category.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of ndarrays
        The values of each column, sorted.
    super_parent_ : int

    References
    ----------
    Notes A (305)-(307), with the super-parent left out of the product, and |D| + αKN_j below.
    """

    super_parent: object = anything(
        0, "int or str",
        "The number of the attribute on which all others depend (超父), or its name where X is a DataFrame.",
    )
    alpha: float = ALPHA

    def fit(self, X, y):
        """Count each attribute together with the super-parent in each class."""
        p = self.checked()
        X, y, sizes = self._learn(X, y)
        j, K = self._position("super_parent", p.super_parent), len(self.classes_)
        check_cells(K * sizes[j] * sum(sizes), sizes)
        prior = log_prior(y, K, None, p.alpha)
        self._parent = {j: _parent_lines(X[:, j], y, sizes[j], K, p.alpha, prior)}
        self._child = {j: {i: _child_lines(X, y, j, i, sizes, K, p.alpha) for i in range(len(sizes)) if i != j}}
        self.super_parent_ = j
        return self

    def _log_joint(self, X):
        return spode_log_joint(self.super_parent_, self._parent, self._child, self._codes(X))


class AODE(_OneDependent):
    """Averaged one-dependent estimators: the mean of the SPODEs of all attributes whose value is well supported.

    p(c, x) = Σ_j p(c, x_j) Π_{i≠j} p(x_i | c, x_j) / (number of j), over the attributes j whose value x_j occurs in at
    least ``min_count`` training rows. Where there is none, naive Bayes answers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of ndarrays
        The values of each column, sorted.

    References
    ----------
    Notes A (309)-(312). Webb, Boughton and Wang (2005), "Not so naive Bayes: aggregating one-dependence estimators".
    """

    min_count: int = whole(
        1,
        "m', the least number of rows behind a super-parent's value. With 0 all take part, and p(c, x) adds up to 1.",
        low=0,
    )
    alpha: float = ALPHA

    def fit(self, X, y):
        """Count each pair of attributes in each class."""
        p = self.checked()
        X, y, sizes = self._learn(X, y)
        K, every = len(self.classes_), range(len(sizes))
        check_cells(K * sum(sizes) ** 2, sizes)
        self._prior = log_prior(y, K, None, p.alpha)
        self._least = p.min_count
        self._parent = [_parent_lines(X[:, j], y, sizes[j], K, p.alpha, self._prior) for j in every]
        self._child = [
            [_child_lines(X, y, j, i, sizes, K, p.alpha) if i != j else None for i in every] for j in every
        ]
        self._tables = [_root_line(X[:, i], y, sizes[i], K, p.alpha) for i in every]
        self._support = [np.append(np.bincount(X[:, j], minlength=sizes[j]), 0) for j in every]
        return self

    def _log_joint(self, X):
        X = self._codes(X)
        counted = np.array([support[x] for support, x in zip(self._support, X.T)]) >= self._least
        joints = np.array([spode_log_joint(j, self._parent, self._child, X) for j in range(X.shape[1])])
        with np.errstate(divide="ignore", invalid="ignore"):
            joint = average(joints, counted)
        alone = ~counted.any(axis=0)
        if alone.any():
            joint[alone] = self._prior + sum(table[x] for table, x in zip(self._tables, X[alone].T))
        return joint


class TAN(_OneDependent):
    """Tree-augmented naive Bayes: p(c, x) = p(c) p(x_r | c) Π_{i≠r} p(x_i | c, x_pa(i)), where the parents form a tree.

    The tree is the heaviest one whose edges are weighted by the conditional mutual information I(x_i; x_j | y): of all
    trees it gives the training data the largest likelihood.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    categories_ : list of ndarrays
        The values of each column, sorted.
    weights_ : ndarray of shape (n_features, n_features)
        I(x_i; x_j | y) in nats; 0 on the diagonal.
    edges_ : list of pairs (i, j)
        Of the tree, heaviest first.
    parents_ : int ndarray of shape (n_features,)
        pa(i); -1 for the root.

    References
    ----------
    Notes A 10.4.2. Friedman, Geiger and Goldszmidt (1997), "Bayesian network classifiers"; the tree is that of Chow and
    Liu (1968), "Approximating discrete probability distributions with dependence trees", within each class.
    """

    root: object = anything(
        0, "int or str",
        "The attribute from which the edges lead outwards: its number, or its name where X is a DataFrame. Without\n"
        "smoothing it makes no difference.",
    )
    alpha: float = ALPHA

    def fit(self, X, y):
        """Weigh each pair of attributes, take the heaviest tree, and count each child with its parent."""
        p = self.checked()
        X, y, sizes = self._learn(X, y)
        K, d, root = len(self.classes_), len(sizes), self._position("root", p.root)
        check_cells(K * d * max(sizes) ** 2, sizes)
        self.weights_ = np.zeros((d, d))
        for j, i in zip(*np.triu_indices(d, 1)):
            counts = contingency((y, X[:, j], X[:, i]), (K, sizes[j], sizes[i]))
            self.weights_[i, j] = self.weights_[j, i] = information_of_counts(counts)
        self.edges_ = [(i, j) for i, j, joins in kruskal(self.weights_) if joins]
        self.parents_ = parents(self.edges_, root, d)
        self._prior = log_prior(y, K, None, p.alpha)
        self._root_table = _root_line(X[:, root], y, sizes[root], K, p.alpha)
        self._child = {
            i: _child_lines(X, y, j, i, sizes, K, p.alpha) for i, j in enumerate(self.parents_.tolist()) if i != root
        }
        return self

    def _log_joint(self, X):
        return tree_log_joint(self._prior, self.parents_, self._root_table, self._child, self._codes(X))
