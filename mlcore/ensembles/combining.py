"""One opinion out of many: the geometric, the arithmetic and the majority rule (结合策略; Notes E)."""

import numpy as np

from mlcore.base import check_choice, check_int, check_numbers, check_shares, shown
from mlcore.base.members import class_probabilities
from mlcore.core.ensembles import arithmetic_rule, class_votes, geometric_rule, majority_probability, majority_rule

__all__ = [
    "RULES", "arithmetic_rule", "class_votes", "combine", "geometric_rule", "majority_accuracy", "majority_probability",
    "majority_rule", "what_it_says",
]  # fmt: skip

# L classifiers say P_j(k) about n samples and K classes: P has shape (L, n, K). A rule returns P(k), of shape (n, K).


RULES = {"geometric": geometric_rule, "arithmetic": arithmetic_rule, "majority": majority_rule}


# ---------------------------------------------------------------------------------------------------------------
# With a door
# ---------------------------------------------------------------------------------------------------------------
def what_it_says(member, X, n_classes):
    """Return P(k) by a classifier, of shape (n_samples, n_classes); of a regressor, n_classes None, (n_samples, 1)."""
    if n_classes is None:
        return np.asarray(member.predict(X), dtype=float).reshape(len(X), 1)
    return class_probabilities(member, X, n_classes)


def combine(probabilities, rule="arithmetic"):
    """Combine what L classifiers say about the same samples into one distribution over the classes.

    geometric    P(k) = (Π_j P_j(k))^(1/L) / C       minimises the mean of KL(P ‖ P_j)
    arithmetic   P(k) = Σ_j P_j(k) / L               minimises the mean of KL(P_j ‖ P)
    majority     P(k) = share of the classifiers whose most probable class is k

    C makes the sum 1; notes E's short form of the geometric rule lacks it and the exponent 1/L, and that of the
    arithmetic rule lacks the 1/L. (The most probable class is the same without them.)

    Geometric rule: a class to which one classifier gives probability 0 is vetoed. Where every class is vetoed by
    somebody the formula is 0/0. Then its limit counts, for zeros replaced by an ε that goes to 0: the classes with the
    fewest vetoes share the probability, by their other factors.

    Parameters
    ----------
    probabilities : array-like of shape (n_classifiers, n_samples, n_classes)
        P_j(k | x), not negative, with sum 1 over the classes.
    rule : {"geometric", "arithmetic", "majority"}
        With "majority" a classifier votes for its most probable class, the first one in a tie.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Raises
    ------
    ValueError
        For an unknown rule, another number of dimensions, no classifier or no class, or rows that are no
        distributions.
    """
    check_choice("rule", rule, RULES)
    P = _check_distributions(probabilities)
    return RULES[rule](P)


def _check_distributions(probabilities):
    P = check_numbers(probabilities, "probabilities")
    if P.ndim != 3 or P.shape[0] == 0:
        raise ValueError(
            f"probabilities must have the shape (n_classifiers, n_samples, n_classes), got an array of shape {P.shape}"
        )
    return check_shares(P, "probabilities")


def majority_accuracy(L, p):
    """Return how often the majority of L independent classifiers is right, each of them right with probability p.

    P_c(L) = Σ_{m = l_c}^{L} (L choose m) p^m (1-p)^(L-m),    l_c = (L+1)/2 for odd L, L/2 + 1 for even L

    With even L an equal vote counts as wrong, as in the notes; so an even L is worse than L - 1. Along odd L it rises
    to 1 for p > 0.5, falls to 0 for p < 0.5 and stays at 0.5 between. Along even L it has the same limits (0.5 is
    reached from below), and rises for p >= 0.5.

    Parameters
    ----------
    L : int from 1 to 10 million
    p : float or array-like in [0, 1]

    Returns
    -------
    float, or ndarray of the shape of p

    Raises
    ------
    ValueError
        If L is no whole number in that range or p is no probability.

    Source: Notes E, Majority Voting Rule.
    """
    L, p = check_int("L", L, low=1, high=10_000_000), _check_probability(p)
    inside = (p > 0) & (p < 1)
    share = np.where(inside, np.minimum(majority_probability(L, np.where(inside, p, 0.5)), 1.0), p)
    return float(share) if share.ndim == 0 else share


def _check_probability(p):
    try:
        p = np.asarray(p, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"p must be a probability or an array of them, got {shown(p)}") from error
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p must lie in [0, 1], got {p[~((p >= 0) & (p <= 1))].flat[0] if p.ndim else float(p)!r}")
    return p
