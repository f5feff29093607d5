"""Runs that call the core of chapter 13."""

import numpy as np

from mlcore.bayes_classifiers import (
    AODE,
    SPODE,
    TAN,
    CategoricalNB,
    GaussianBayes,
    GaussianNB,
    MultinomialNB,
    bayes_decision,
    conditional_mutual_information,
    maximum_spanning_tree,
)
from mlcore.datasets import load_iris, load_watermelon2

iris, melons = load_iris(), load_watermelon2()
X, Y = iris.data, iris.target
C, y = melons.data, melons.target


def learn_and_answer(model, X=C, y=y):
    """A run: fit, and predict the same rows."""
    return lambda: model.fit(X, y).predict(X)


RUNS = {
    "bayes_classifiers.decision.conditional_risk": lambda: bayes_decision([0.2, 0.8], np.eye(2)),
    "bayes_classifiers.gaussian.gaussian_log_joint": learn_and_answer(GaussianBayes(), X, Y),
    "bayes_classifiers.counts.contingency": learn_and_answer(CategoricalNB()),
    "bayes_classifiers.naive.value_table": learn_and_answer(CategoricalNB()),
    "bayes_classifiers.naive.categorical_log_joint": learn_and_answer(CategoricalNB()),
    "bayes_classifiers.gaussian.independent_log_joint": learn_and_answer(GaussianNB(), X, Y),
    "bayes_classifiers.counts.smoothed": learn_and_answer(CategoricalNB()),
    "bayes_classifiers.text.word_shares": learn_and_answer(MultinomialNB(), X, Y),
    "bayes_classifiers.text.multinomial_log_joint": learn_and_answer(MultinomialNB(), X, Y),
    "bayes_classifiers.semi_naive.parent_table": learn_and_answer(SPODE()),
    "bayes_classifiers.semi_naive.child_table": learn_and_answer(SPODE()),
    "bayes_classifiers.semi_naive.spode_log_joint": learn_and_answer(AODE()),
    "bayes_classifiers.semi_naive.information_of_counts": lambda: conditional_mutual_information(C[:, 0], C[:, 1], y),
    "bayes_classifiers.semi_naive.tree_log_joint": learn_and_answer(TAN()),
    "bayes_classifiers.semi_naive.heaviest_first": lambda: maximum_spanning_tree(np.ones((3, 3))),
    "bayes_classifiers.semi_naive.parents": learn_and_answer(TAN()),
    "bayes_classifiers.semi_naive.kruskal": learn_and_answer(TAN()),
    "bayes_classifiers.semi_naive.average": learn_and_answer(AODE()),
}
