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
    "conditional_risk": lambda: bayes_decision([0.2, 0.8], np.eye(2)),
    "gaussian_log_joint": learn_and_answer(GaussianBayes(), X, Y),
    "contingency": learn_and_answer(CategoricalNB()),
    "value_table": learn_and_answer(CategoricalNB()),
    "categorical_log_joint": learn_and_answer(CategoricalNB()),
    "independent_log_joint": learn_and_answer(GaussianNB(), X, Y),
    "smoothed": learn_and_answer(CategoricalNB()),
    "word_shares": learn_and_answer(MultinomialNB(), X, Y),
    "multinomial_log_joint": learn_and_answer(MultinomialNB(), X, Y),
    "parent_table": learn_and_answer(SPODE()),
    "child_table": learn_and_answer(SPODE()),
    "spode_log_joint": learn_and_answer(AODE()),
    "information_of_counts": lambda: conditional_mutual_information(C[:, 0], C[:, 1], y),
    "tree_log_joint": learn_and_answer(TAN()),
    "heaviest_first": lambda: maximum_spanning_tree(np.ones((3, 3))),
    "parents": learn_and_answer(TAN()),
    "kruskal": learn_and_answer(TAN()),
    "average": learn_and_answer(AODE()),
}
