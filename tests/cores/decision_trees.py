"""What runs the core of chapter 15: fits, and the functions that a user calls."""

import numpy as np

from mlcore import decision_trees as dt
from mlcore.datasets import load_watermelon2, load_watermelon2a, make_moons

MELONS, GAPS = load_watermelon2(), load_watermelon2a()
X, Y = make_moons(24, noise=0.3, random_state=0)
NUMBERS = X[:, 0] ** 2 + X[:, 1]


def id3():
    dt.ID3Classifier().fit(MELONS.data, MELONS.target)


def c45():
    dt.C45Classifier().fit(GAPS.data, GAPS.target)


def c45_of_numbers():
    dt.C45Classifier().fit(X, Y)


def classes():
    dt.DecisionTreeClassifier().fit(X, Y)


def numbers():
    dt.DecisionTreeRegressor().fit(X, NUMBERS)


RUNS = {
    "entropy_of_counts": id3,
    "gini_of_counts": classes,
    "remaining": id3,
    "gain_of_table": id3,
    "gain_ratio_of_table": lambda: dt.gain_ratio(MELONS.data[:, 0], MELONS.target),
    "impurity_fall": classes,
    "prefix_gains": c45_of_numbers,
    "grow": id3,
    "class_table": id3,
    "largest_gain": id3,
    "divide": id3,
    "class_part": id3,
    "share_out": c45,
    "best_threshold": c45_of_numbers,
    "known_gain": c45,
    "largest_ratio": c45,
    "best_split": classes,
    "mean_and_error": numbers,
    "error_fall": numbers,
    "two_sides": numbers,
    "bottom_up": lambda: dt.DecisionTreeClassifier(ccp_alpha=0.01).fit(X, Y),
    "top_down": lambda: dt.prepruned(dt.DecisionTreeClassifier().fit(X, Y), X, 1 - Y),
    "node_errors": lambda: dt.reduced_error_prune(
        dt.DecisionTreeRegressor().fit(X, NUMBERS), X, np.ones(24)
    ),
    "link_prices": lambda: dt.cost_complexity_path(dt.DecisionTreeClassifier().fit(X, Y)),
    "cut_weakest_links": lambda: dt.cost_complexity_path(
        dt.DecisionTreeClassifier().fit(X, Y)
    ),
}
