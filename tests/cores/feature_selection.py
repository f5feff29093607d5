"""What runs the core of chapter 11: the three scores, the two searches, and the shuffles."""

import numpy as np

from mlcore import feature_selection as fs
from mlcore.linear_regression import LinearRegression

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=30)
WORDS = np.where(Y > 0, "yes", "no")


def forward():
    fs.ForwardSelection(LinearRegression(), n_features=2).fit(X, Y)


def backward():
    fs.BackwardElimination(LinearRegression(), n_features=2).fit(X, Y)


def best():
    fs.SelectKBest(k=2).fit(X, Y)


def importance():
    fs.permutation_importance(LinearRegression().fit(X, Y), X, Y, random_state=0)


RUNS = {
    "covariances": best,
    "joint_shares": lambda: fs.mutual_information_score(X, WORDS, bins=3),
    "mutual_information": lambda: fs.mutual_information_score(X, WORDS, bins=3),
    "largest": best,
    "best_addition": forward,
    "best_removal": backward,
    "linear_weights": lambda: fs.linear_weight_score(X, Y),
    "permutation_importance": importance,
    "shuffled": importance,
}
