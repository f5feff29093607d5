"""Bayes decision theory: the choice of least expected loss (Notes A 10.1)."""

import numpy as np

from mlcore.base import check_shares, door, numbers
from mlcore.core.bayes_classifiers import conditional_risk

__all__ = ["bayes_decision", "conditional_risk"]


@door(
    posterior=numbers(
        "Probabilities of the classes; each row sums to 1.",
        form="array-like of shape (n_samples, n_classes), or (n_classes,) for one sample",
    ),
    loss=numbers(
        "``loss[i, j]`` is the cost of decision i where the truth is class j: a row for each *decision*. There may be\n"
        'more decisions than classes ("ask a human"). Mind the order: cost matrices often have the truth first.',
        form="array-like of shape (n_decisions, n_classes)",
    ),
)
def bayes_decision(posterior, loss):
    """Return the number of the decision that costs least on average: argmin_i Σ_j λ_ij P(c_j | x).

    Returns
    -------
    int ndarray of shape (n_samples,), or int
        The first of those that tie.

    Raises
    ------
    ValueError
        If a row of ``posterior`` is no distribution, or the number of columns of the two differ.

    References
    ----------
    Notes A (278), (280).
    """
    if posterior.ndim not in (1, 2) or posterior.size == 0:
        raise ValueError(f"posterior must be a row of probabilities or a table of them, got shape {posterior.shape}")
    n_classes = posterior.shape[-1]
    if loss.ndim != 2 or loss.shape[1] != n_classes or len(loss) == 0:
        raise ValueError(
            f"loss needs a row for each decision and a column for each of {n_classes} classes, got shape {loss.shape}"
        )
    best = conditional_risk(np.atleast_2d(check_shares(posterior, "posterior")), loss).argmin(axis=1)
    return best[0] if posterior.ndim == 1 else best
