"""How the core functions of chapter 22 are run."""

import numpy as np

from mlcore.rbf_networks import RBFNetwork, normalized_vote

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
y = np.sin(X[:, 0]) + X[:, 1]


def fit(**options):
    """A function that fits a network of narrow bumps."""
    return lambda: RBFNetwork(gamma=5.0, random_state=0, **options).fit(X, y)


RUNS = {
    "design": fit(),
    "output_weights": fit(),
    "free_bias": fit(n_centers=5),
    "filtered_weights": fit(n_centers=5, alpha=0.0),
    "interpolating_weights": fit(alpha=0.0),
    "vote": lambda: normalized_vote(X, X, y, gamma=5.0),
}
