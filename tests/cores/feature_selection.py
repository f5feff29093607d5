"""Runs that call the core of chapter 11, on the wines of the chapter."""

from mlcore import feature_selection as fs
from mlcore.datasets import load_wine
from mlcore.nearest_neighbors import KNeighborsClassifier

X, y = load_wine().data, load_wine().target


def best():
    """The feature with the largest covariance."""
    fs.SelectKBest().fit(X, y)


def informing():
    """What each column, in four parts, says of the cultivar."""
    fs.mutual_information_score(X, y, bins=4)


def importance():
    """Shuffle each column."""
    fs.permutation_importance(KNeighborsClassifier().fit(X, y), X, y)


RUNS = {
    "covariances": best,
    "largest": best,
    "joint_shares": informing,
    "mutual_information": informing,
    "best_addition": lambda: fs.ForwardSelection(KNeighborsClassifier(), n_features=2).fit(X, y),
    "best_removal": lambda: fs.BackwardElimination(KNeighborsClassifier(), n_features=12).fit(X, y),
    "linear_weights": lambda: fs.linear_weight_score(X, y),
    "permutation_importance": importance,
    "shuffled": importance,
}
