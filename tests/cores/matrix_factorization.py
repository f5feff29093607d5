"""Runs that call the core of chapter 26, on ratings as the chapter shows them."""

from mlcore.datasets import make_ratings
from mlcore.matrix_factorization import MatrixFactorization

X, y = make_ratings(60, 40, density=0.3, random_state=0)


def alternating():
    """Fit by ALS, and predict."""
    MatrixFactorization().fit(X, y).predict(X)


def stochastic():
    """Fit by SGD."""
    MatrixFactorization(solver="sgd").fit(X, y)


RUNS = {
    **dict.fromkeys(("products", "penalised_loss", "als_half_step", "main_axes"), alternating),
    **dict.fromkeys(("sgd_step", "sgd_epoch"), stochastic),
}
