"""Naive Bayes on texts: bags of words and the multinomial model (Notes B 词袋模型)."""

import re
from collections import Counter

import numpy as np

from mlcore.base import (
    Transformer,
    anything,
    check_classification,
    check_is_fitted,
    check_X,
    flag,
    real,
    whole,
)
from mlcore.bayes_classifiers.posterior import PRIORS, BayesClassifier, log_prior
from mlcore.core.bayes_classifiers import multinomial_log_joint, word_shares

__all__ = ["BagOfWords", "MultinomialNB", "multinomial_log_joint", "word_shares"]

WORD = re.compile(r"\w+")


def words_of(text):
    """The words of a text: runs of letters, digits and underscores, in small letters."""
    return WORD.findall(text.lower())


def _check_tokenize(name, value):
    if value is None or callable(value):
        return value
    raise ValueError(f"{name} must be a function from a text to its words, or None, got {value!r}")


class BagOfWords(Transformer):
    """Turns texts into counts of words (词袋): a column for each word of the training texts, in sorted order.

    Words that are not in the vocabulary are left out.

    Attributes
    ----------
    vocabulary_ : dict of str -> int
        The column of each word.
    """

    tokenize: object = anything(
        None, "callable, optional",
        "From a text to its words; None takes runs of letters and digits in small letters. Chinese has no spaces\n"
        "between words: ``tokenize=list`` takes its characters.",
        check=_check_tokenize, bad=("words", 3),
    )
    min_count: int = whole(1, "Words that occur in fewer training texts are left out.", low=1)
    binary: bool = flag(False, "1 where a word occurs at all, instead of how often.")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.requires_fit = True
        return tags

    def fit(self, X, y=None):
        """Learn the vocabulary.

        Parameters
        ----------
        X : sequence of str
            Texts.
        y : ignored

        Raises
        ------
        ValueError
            If X is no sequence of texts, or no word is left.
        """
        least = self.checked().min_count
        occurs = Counter()
        for words in self._words(X):
            occurs.update(set(words))
        kept = sorted(word for word, count in occurs.items() if count >= least)
        if not kept:
            raise ValueError(f"none of {len(occurs)} words is left with min_count={least}: the texts say nothing")
        self.vocabulary_ = {word: j for j, word in enumerate(kept)}
        self._n_features_out = len(kept)
        return self

    def _words(self, X):
        """The words of each text."""
        if isinstance(X, str | set | frozenset) or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) != 1:
            raise ValueError(f"a sequence of texts is needed, got {type(X).__name__}")
        texts = list(X)
        if not texts:
            raise ValueError("there is no text: the sequence is empty")
        strange = [i for i, text in enumerate(texts) if not isinstance(text, str)]
        if strange:
            raise ValueError(f"every text must be a string, but number {strange[0]} is {texts[strange[0]]!r}")
        return map(self.tokenize or words_of, texts)

    def transform(self, X):
        """Return how often each word of the vocabulary occurs in each text, a float array (n_texts, n_words)."""
        check_is_fitted(self)
        texts = [[place for place in map(self.vocabulary_.get, words) if place is not None] for words in self._words(X)]
        counts = np.zeros((len(texts), len(self.vocabulary_)))
        for row, places in zip(counts, texts):
            np.add.at(row, places, 1.0)
        return np.minimum(counts, 1.0) if self.binary else counts

    def get_feature_names_out(self, input_features=None):
        """Return the words, in the order of the columns."""
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)


class MultinomialNB(BayesClassifier):
    """Multinomial naive Bayes: each word of a document is drawn from the same shares p(w | c), whatever its place.

    ln p(c, x) = ln p(c) + Σ_w x_w ln p(w | c), but for a term that is the same for all classes: in how many orders the
    words can stand.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_log_prior_ : ndarray of shape (n_classes,)
    feature_log_prob_ : ndarray of shape (n_classes, n_words)
        ln p(w | c).

    References
    ----------
    Notes B 应用:文本分类.
    """

    alpha: float = real(
        1.0,
        "What is added to the count of each word in each class, and to the number of documents of each class.\n"
        "(scikit-learn does not smooth the prior.)",
        low=1e-100, high=1e100,
    )
    priors: object = PRIORS

    _poor_score = True  # points are no counts of words

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def fit(self, X, y):
        """Learn how frequent each word is in each class.

        Raises
        ------
        ValueError
            If a count is negative.
        """
        p = self.checked()
        X, codes = check_classification(self, X, y)
        refuse_negative(X)
        K = len(self.classes_)
        self.feature_log_prob_ = np.log(word_shares(X, codes, K, p.alpha))
        self.class_log_prior_ = log_prior(codes, K, p.priors, p.alpha)
        return self

    def _log_joint(self, X):
        X = check_X(self, X)
        refuse_negative(X)
        return multinomial_log_joint(self.class_log_prior_, self.feature_log_prob_, X)


def refuse_negative(X):
    """Counts are not negative."""
    if X.min() < 0:
        i, j = (int(place) for place in np.argwhere(X < 0)[0])
        raise ValueError(
            f"Negative values in data passed to MultinomialNB: X[{i}, {j}] is {X[i, j]:g}, but counts are not negative"
        )
