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
    "feature_selection.covariances": best,
    "feature_selection.joint_shares": lambda: fs.mutual_information_score(X, WORDS, bins=3),
    "feature_selection.mutual_information": lambda: fs.mutual_information_score(X, WORDS, bins=3),
    "feature_selection.largest": best,
    "feature_selection.best_addition": forward,
    "feature_selection.best_removal": backward,
    "feature_selection.linear_weights": lambda: fs.linear_weight_score(X, Y),
    "features.falls_of_score": importance,
    "features.shuffled": importance,
}
