"""Bayes classifiers (贝叶斯分类器): from probabilities to decisions, and from counts to probabilities.

- ``decision``: the choice of least expected loss.
- ``counts``: categories as codes, whole numbers that can be counted.
- ``posterior``: what the classifiers share: from ln p(c, x) to P(c | x).
- ``gaussian``: Gaussian classes with a full covariance, and naive ones.
- ``naive``: naive Bayes on categories, and on tables that mix words and numbers.
- ``text``: bags of words and multinomial naive Bayes.
- ``semi_naive``: one parent for each attribute: SPODE, TAN and AODE.

Notes A 10, B 贝叶斯分类器.
"""

from mlcore.bayes_classifiers.decision import bayes_decision
from mlcore.bayes_classifiers.gaussian import GaussianBayes, GaussianNB
from mlcore.bayes_classifiers.naive import CategoricalNB, MixedNB
from mlcore.bayes_classifiers.semi_naive import (
    AODE,
    SPODE,
    TAN,
    conditional_mutual_information,
    maximum_spanning_tree,
)
from mlcore.bayes_classifiers.text import BagOfWords, MultinomialNB

__all__ = [
    "AODE", "BagOfWords", "CategoricalNB", "GaussianBayes", "GaussianNB", "MixedNB", "MultinomialNB", "SPODE", "TAN",
    "bayes_decision", "conditional_mutual_information", "maximum_spanning_tree",
]
