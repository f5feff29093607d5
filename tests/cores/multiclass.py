"""Runs that call the core of chapter 6: each strategy learns three classes and predicts."""

from mlcore.datasets import load_iris
from mlcore.logistic_regression import LogisticRegression
from mlcore.multiclass import DAGClassifier, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

iris = load_iris()


def learn(strategy):
    """A run of a strategy."""
    return lambda: strategy(LogisticRegression()).fit(iris.data, iris.target).predict(iris.data)


RUNS = {
    "surest": learn(OneVsRestClassifier),
    "tally": learn(OneVsOneClassifier),
    "most_votes": learn(OneVsOneClassifier),
    "knockout": learn(DAGClassifier),
    "divisions": learn(OutputCodeClassifier),
    "distances": learn(OutputCodeClassifier),
    "decode": learn(OutputCodeClassifier),
}
