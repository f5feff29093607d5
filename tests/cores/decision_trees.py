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
    "decision_trees.measures.entropy_of_counts": id3,
    "decision_trees.measures.gini_of_counts": classes,
    "decision_trees.measures.remaining": id3,
    "decision_trees.measures.gain_of_table": id3,
    "decision_trees.measures.gain_ratio_of_table": lambda: dt.gain_ratio(MELONS.data[:, 0], MELONS.target),
    "decision_trees.measures.impurity_fall": classes,
    "decision_trees.measures.prefix_gains": c45_of_numbers,
    "decision_trees.growing.grow": id3,
    "decision_trees.growing.class_table": id3,
    "decision_trees.id3.largest_gain": id3,
    "decision_trees.multiway.divide": id3,
    "decision_trees.multiway.class_part": id3,
    "decision_trees.multiway.share_out": c45,
    "decision_trees.c45.best_threshold": c45_of_numbers,
    "decision_trees.c45.known_gain": c45,
    "decision_trees.c45.largest_ratio": c45,
    "decision_trees.cart.best_split": classes,
    "decision_trees.cart.mean_and_error": numbers,
    "decision_trees.cart.error_fall": numbers,
    "decision_trees.cart.two_sides": numbers,
    "decision_trees.pruning.bottom_up": lambda: dt.DecisionTreeClassifier(ccp_alpha=0.01).fit(X, Y),
    "decision_trees.pruning.top_down": lambda: dt.prepruned(dt.DecisionTreeClassifier().fit(X, Y), X, 1 - Y),
    "decision_trees.pruning.node_errors": lambda: dt.reduced_error_prune(
        dt.DecisionTreeRegressor().fit(X, NUMBERS), X, np.ones(24)
    ),
    "decision_trees.pruning.link_prices": lambda: dt.cost_complexity_path(dt.DecisionTreeClassifier().fit(X, Y)),
    "decision_trees.pruning.cut_weakest_links": lambda: dt.cost_complexity_path(
        dt.DecisionTreeClassifier().fit(X, Y)
    ),
}
