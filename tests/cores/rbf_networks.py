"""Fits that run each core function of chapter 22, on the data of its notebook."""

import numpy as np

from mlcore.datasets import load_iris, make_moons
from mlcore.rbf_networks import RBFNetwork, RBFNetworkClassifier, normalized_vote

MOONS = make_moons(60, noise=0.25, random_state=0)
IRIS = load_iris()
NINE = np.random.default_rng(0).uniform(-2, 2, size=(9, 3))


def classifier():
    """A centre on each row."""
    RBFNetworkClassifier().fit(IRIS.data, IRIS.target)


RUNS = {
    "design": classifier,
    "output_weights": classifier,
    "free_bias": classifier,
    "filtered_weights": lambda: RBFNetwork(n_centers=5, alpha=0.0, random_state=0).fit(*MOONS),
    "interpolating_weights": lambda: RBFNetwork(gamma=1.5, alpha=0.0).fit(NINE[:, :2], NINE[:, 2]),
    "vote": lambda: normalized_vote(MOONS[0], *MOONS),
}
