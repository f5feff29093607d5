"""Bayes decision theory: the choice of least expected loss (Notes A 10.1).

P, of shape (n, K), holds the posteriors P(c_j | x) of n rows; loss[i, j] = λ_ij is what it costs to decide i where the
truth is j.
"""

import numpy as np

from mlcore.base import check_numbers, check_shares
from mlcore.core.bayes_classifiers import conditional_risk

__all__ = ["bayes_decision", "conditional_risk"]


def bayes_decision(posterior, loss):
    """Return the number of the decision that costs least on average: argmin_i Σ_j λ_ij P(c_j | x).

    Parameters
    ----------
    posterior : array-like of shape (n_samples, n_classes), or (n_classes,) for one sample
        Probabilities of the classes; each row sums to 1.
    loss : array-like of shape (n_decisions, n_classes)
        ``loss[i, j]`` is the cost of decision i where the truth is class j: a row for each *decision*. There may be
        more decisions than classes ("ask a human"). Mind the order: cost matrices often have the truth first.

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
    P, loss = check_numbers(posterior, "posterior"), check_numbers(loss, "loss")
    if P.ndim not in (1, 2) or P.size == 0:
        raise ValueError(f"posterior must be a row of probabilities or a table of them, got shape {P.shape}")
    if loss.ndim != 2 or loss.shape[1] != P.shape[-1] or len(loss) == 0:
        raise ValueError(
            f"loss needs a row for each decision and a column for each of {P.shape[-1]} classes, got shape {loss.shape}"
        )
    best = conditional_risk(np.atleast_2d(check_shares(P, "posterior")), loss).argmin(axis=1)
    return int(best[0]) if P.ndim == 1 else best
