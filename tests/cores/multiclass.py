"""Runs that call the core of chapter 6: each strategy learns the ten digits and predicts."""

from mlcore.datasets import load_digits
from mlcore.discriminant_analysis import LinearDiscriminantAnalysis
from mlcore.multiclass import DAGClassifier, OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

digits = load_digits()
X, y = digits.data[::2], digits.target[::2]


def learn(strategy, **options):
    """A run of a strategy."""
    return lambda: strategy(LinearDiscriminantAnalysis(), **options).fit(X, y).predict(X)


one_against_one = learn(OneVsOneClassifier)
code = learn(OutputCodeClassifier, code="random")  # the exhaustive one has 511 classifiers
RUNS = {
    "surest": learn(OneVsRestClassifier),
    "tally": one_against_one,
    "most_votes": one_against_one,
    "knockout": learn(DAGClassifier),
    "divisions": code,
    "hamming_distances": code,
    "decode": code,
}
