"""Fits that run the core of chapter 13, on the data that its notebook shows; read by tests/test_core.py."""

from mlcore.bayes_classifiers import (
    AODE,
    SPODE,
    TAN,
    BagOfWords,
    CategoricalNB,
    GaussianBayes,
    MixedNB,
    MultinomialNB,
    bayes_decision,
)
from mlcore.datasets import load_watermelon2, load_watermelon3

words, both = load_watermelon2(), load_watermelon3()
C, y = words.data, words.target
numbers = both.data[:, 6:].astype(float)
notes = ["sweet and crisp", "crisp and juicy", "sour and soft", "soft and flat"]


def learn_and_answer(model, X=C, y=y):
    """A run: fit, and predict the same rows."""
    return lambda: model.fit(X, y).predict(X)


categories, mixed = learn_and_answer(CategoricalNB()), learn_and_answer(MixedNB(), both.data)
texts = learn_and_answer(MultinomialNB(), BagOfWords().fit_transform(notes), [1, 1, 0, 0])
tree = learn_and_answer(TAN())
RUNS = {
    "conditional_risk": lambda: bayes_decision([0.2, 0.8], [[0, 10], [1, 0]]),
    "gaussian_log_joint": learn_and_answer(GaussianBayes(), numbers),
    "contingency": categories,
    "value_table": categories,
    "categorical_log_joint": mixed,
    "independent_log_joint": mixed,
    "independent_log_density": mixed,
    "smoothed": categories,
    "word_shares": texts,
    "multinomial_log_joint": texts,
    "parent_table": learn_and_answer(SPODE()),
    "child_table": learn_and_answer(SPODE()),
    "spode_log_joint": learn_and_answer(AODE()),
    "information_of_counts": tree,
    "tree_log_joint": tree,
    "heaviest_first": tree,
    "parents": tree,
    "kruskal": tree,
    "average": learn_and_answer(AODE()),
}
