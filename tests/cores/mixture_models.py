"""Runs that call the core of chapter 24."""

from functools import partial

from mlcore.datasets import load_iris
from mlcore.mixture_models import GaussianMixture, elbo

X = load_iris().data


def fitted(covariance_type="full"):
    """Three components for the irises."""
    return GaussianMixture(n_components=3, covariance_type=covariance_type, random_state=0).fit(X)


def below():
    """The bound where it touches."""
    model = fitted()
    elbo(model, X, model.predict_proba(X))


RUNS = {
    "draw": lambda: fitted().sample(10),
    "log_joint": fitted,
    "e_step": fitted,
    "m_step": fitted,
    "full": fitted,
    "diagonal": partial(fitted, "diag"),
    "spherical": partial(fitted, "spherical"),
    "bound": below,
}
