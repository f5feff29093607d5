"""What runs the core of chapter 15: fits on the tables that the chapter shows."""

import numpy as np

from mlcore import datasets
from mlcore import decision_trees as dt

IRIS, MELONS, MIXED = datasets.load_iris(), datasets.load_watermelon2(), datasets.load_watermelon3()
GAPS, DENSITY = datasets.load_watermelon2a(), datasets.load_watermelon3a()
MOONS, SQUARE = datasets.make_moons(200, noise=0.3, random_state=25), datasets.make_xor(400, noise=0.0, random_state=0)
SINE = datasets.make_sine(60, noise=0.2, random_state=3)
TURNED = np.random.default_rng(5).uniform(-1, 1, size=(300, 2)) @ np.array([[0.8, 0.6], [-0.6, 0.8]])


def id3():
    """The words."""
    dt.ID3Classifier().fit(MELONS.data, MELONS.target)


def c45():
    """Words with gaps."""
    dt.C45Classifier().fit(GAPS.data, GAPS.target)


def c45_of_numbers():
    """Words and numbers; numbers alone."""
    for data in (MIXED, DENSITY):
        dt.C45Classifier().fit(data.data, data.target)


def cart():
    """All tables of numbers."""
    for X, y in ((IRIS.data, IRIS.target), MOONS, SQUARE, (TURNED, TURNED[:, 0] > 0), (DENSITY.data, DENSITY.target)):
        dt.DecisionTreeClassifier().fit(X, y)


def numbers():
    """The noisy sine."""
    dt.DecisionTreeRegressor().fit(*SINE)


def path():
    """The prices of the leaves of the tree of the moons."""
    dt.cost_complexity_path(dt.DecisionTreeClassifier(criterion="entropy").fit(*MOONS))


def judged(prune):
    """Pruning by the second half of the moons."""
    X, y = MOONS
    return lambda: prune(dt.DecisionTreeClassifier(max_depth=5).fit(X[:100], y[:100]), X[100:], y[100:])


RUNS = {
    "shares": id3,
    "entropy_of_counts": id3,
    "gini_of_counts": cart,
    "remaining": id3,
    "gain_of_table": id3,
    "gain_ratio_of_table": lambda: dt.gain_ratio(MELONS.data[:, 0], MELONS.target),
    "impurity_fall": cart,
    "prefix_gains": c45_of_numbers,
    "first_best": id3,
    "grow": cart,
    "class_table": id3,
    "largest_gain": id3,
    "branch_of": id3,
    "divide": id3,
    "class_part": cart,
    "share_out": c45,
    "midpoints": c45_of_numbers,
    "best_threshold": c45_of_numbers,
    "known_gain": c45,
    "largest_ratio": c45,
    "best_split": cart,
    "mean_and_error": numbers,
    "error_fall": numbers,
    "two_sides": cart,
    "bottom_up": judged(dt.reduced_error_prune),
    "top_down": judged(dt.prepruned),
    "node_errors": judged(dt.prepruned),
    "link_prices": path,
    "cut_weakest_links": path,
}
