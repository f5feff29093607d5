"""Runs that call the core of chapter 26."""

from mlcore.datasets import make_ratings
from mlcore.matrix_factorization import MatrixFactorization

X, y = make_ratings(12, 9, density=0.6, random_state=0)


def alternating():
    """Fit by ALS, and predict."""
    MatrixFactorization(random_state=0).fit(X, y).predict(X)


def stochastic():
    """Fit by SGD."""
    MatrixFactorization(solver="sgd", random_state=0).fit(X, y)


NAME = "matrix_factorization."
RUNS = {
    **{NAME + part: alternating for part in ("products", "penalised_loss", "als_half_step", "main_axes")},
    **{NAME + part: stochastic for part in ("sgd_step", "block_numbers", "sgd_epoch")},
}
