"""Bayes classifiers against scikit-learn's and SciPy's: learning and answering, words, and the weights of a tree."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn import naive_bayes as sk
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import mutual_info_score

from benchmarks.core import Face, Row
from mlcore.bayes_classifiers import (
    TAN,
    BagOfWords,
    CategoricalNB,
    GaussianBayes,
    GaussianNB,
    MultinomialNB,
    conditional_mutual_information,
    maximum_spanning_tree,
)
from mlcore.bayes_classifiers.counts import contingency, smoothed
from mlcore.bayes_classifiers.gaussian import independent_log_joint
from mlcore.bayes_classifiers.naive import value_table
from mlcore.bayes_classifiers.semi_naive import child_table, information_of_counts, kruskal, parents, tree_log_joint
from mlcore.features import indicator

K = 5


def clouds(n, d=20):
    """Gaussian clouds of five classes, each of its own shape."""
    rng = np.random.default_rng(0)
    y = np.append(np.arange(K), rng.integers(K, size=n - K))
    return rng.normal(size=(n, d)) * rng.uniform(0.5, 2, size=(K, d))[y] + rng.normal(size=(K, d))[y], y


def categories(n, d=20, n_values=4):
    """Codes that depend on the class; the classes are balanced, so that both libraries have the same prior."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % K
    X = np.minimum(rng.geometric(rng.uniform(0.2, 0.8, size=(K, d))[y]), n_values) - 1
    X[:n_values] = np.arange(n_values)[:, np.newaxis]
    return X, y


def documents(n, n_words=100):
    """Counts of a hundred words in balanced classes."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % K
    return rng.poisson(rng.gamma(0.5, 1.0, size=(K, n_words))[y]).astype(float), y


def texts(n):
    """Texts of about thirty words from a vocabulary of 2,000."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(2000)])
    return ([" ".join(words[rng.zipf(1.3, size=30) % 2000]) for _ in range(n)],)


def attributes(n, d=12):
    """Codes of which each depends on the one before."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.integers(3, size=(n, d))
    for j in range(1, d):
        X[:, j] = np.where(rng.uniform(size=n) < 0.1 * j / 2, X[:, j - 1], X[:, j])
    return X, y


def answers(model):
    """A function that fits a model and returns the probabilities of the training rows."""
    return lambda X, y: model().fit(X, y).predict_proba(X)


def same(a, b, *_):
    """The same probabilities."""
    assert_allclose(a, b, atol=1e-6)


def unbiased_or_not(X, y):
    """Our Gaussian classes, with covariances divided as this version of scikit-learn divides them."""
    return GaussianBayes(ddof=DDOF).fit(X, y).predict_proba(X)


def _ddof():
    X, y = clouds(60, 2)
    theirs = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y).covariance_[0]
    return 0 if np.allclose(theirs, np.cov(X[y == 0].T, bias=True)) else 1


DDOF = _ddof()


def their_weights(X, y):
    """I(x_i; x_j | y) of each pair, class by class."""
    d, share = X.shape[1], np.bincount(y) / len(y)
    parts = [X[y == c] for c in range(len(share))]
    return np.array([
        sum(p * mutual_info_score(part[:, i], part[:, j]) for p, part in zip(share, parts))
        for i in range(d) for j in range(i)
    ])  # fmt: skip


def our_weights(X, y):
    """The same, from the public function."""
    d = X.shape[1]
    return np.array([conditional_mutual_information(X[:, i], X[:, j], y) for i in range(d) for j in range(i)])


def weights(d):
    """A table of weights of the edges between d nodes."""
    W = np.random.default_rng(0).uniform(1, 2, size=(d, d))
    return ((W + W.T) / 2,)


def their_tree(W):
    """The edges of the lightest tree of what is left to 10."""
    return {tuple(sorted(map(int, edge))) for edge in np.argwhere(minimum_spanning_tree(np.triu(10 - W, 1)).toarray())}


def same_tree(a, b, *_):
    """The same edges."""
    assert set(a) == b


def counted(model):
    """A function that learns a vocabulary and counts, as a dense table."""
    def count(texts):
        table = model().fit_transform(texts)
        return table if isinstance(table, np.ndarray) else table.toarray()

    return count


SIZES = (1_000, 10_000, 100_000)
ROWS = [
    Row("Gaussian naive Bayes", SIZES, clouds, ours=answers(lambda: GaussianNB(var_smoothing=0)),
        theirs=answers(lambda: sk.GaussianNB(var_smoothing=0)), same=same),
    Row("Gaussian classes (QDA)", SIZES, clouds, ours=unbiased_or_not,
        theirs=answers(QuadraticDiscriminantAnalysis), same=same),
    Row("categorical naive Bayes", SIZES, categories, ours=answers(CategoricalNB),
        theirs=answers(sk.CategoricalNB), same=same),
    Row("multinomial naive Bayes", SIZES, documents, ours=answers(MultinomialNB),
        theirs=answers(sk.MultinomialNB), same=same),
    Row("bag of words", (100, 500, 2_000), texts, ours=counted(BagOfWords),
        theirs=counted(lambda: CountVectorizer(token_pattern=r"(?u)\w+")), same=same),
    Row("conditional mutual information, 66 pairs", SIZES, attributes, ours=our_weights, theirs=their_weights,
        same=same),
    Row("maximum spanning tree (size: nodes; SciPy)", (10, 30, 100), weights, ours=maximum_spanning_tree,
        theirs=their_tree, same=same_tree),
]  # fmt: skip


def bare_gaussian(X, y):
    """Priors, means and variances of the classes, and the log joint of the training rows."""
    member = indicator(y, K)
    sizes = member.sum(axis=0)[:, np.newaxis]
    mean = member.T @ X / sizes
    variance = member.T @ np.square(X - mean[y]) / sizes
    return independent_log_joint(np.log(sizes.ravel() / len(y)), mean, variance, X)


def bare_tree(X, y):
    """The weights of all pairs, the tree, its tables, and the log joint of the training rows; from codes 0, 1, 2."""
    d = X.shape[1]
    W = np.zeros((d, d))
    for i, j in zip(*np.triu_indices(d, 1)):
        W[i, j] = W[j, i] = information_of_counts(contingency((y, X[:, i], X[:, j]), (2, 3, 3)))
    parent = parents([(i, j) for i, j, joins in kruskal(W) if joins], 0, d)
    child = {i: np.log(child_table(X[:, j], X[:, i], y, (3, 3), 2, 1.0)) for i, j in enumerate(parent) if i}
    prior = np.log(smoothed(np.bincount(y).astype(float), 1.0))
    return tree_log_joint(prior, parent, np.log(value_table(X[:, 0], y, 3, 2, 1.0)), child, X)


FACES = [
    Face("Gaussian NB over its core", (400,), lambda n: clouds(n, 5),
         ours=lambda X, y: GaussianNB(var_smoothing=0).fit(X, y).predict_joint_log_proba(X), theirs=bare_gaussian,
         same=same),
    Face("TAN over its core", (400,), lambda n: attributes(n, 5),
         ours=lambda X, y: TAN().fit(X, y).predict_joint_log_proba(X),
         theirs=bare_tree, same=same),
]  # fmt: skip
