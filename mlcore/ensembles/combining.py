"""Many predictions combined into one: the geometric, the arithmetic and the majority rule (结合策略; Notes E)."""

import numpy as np

from mlcore.base import REQUIRED, anything, check_numbers, check_shares, choice, door, numbers, whole
from mlcore.base.members import class_probabilities, sound
from mlcore.core import ensembles as core
from mlcore.core.ensembles import arithmetic_rule, class_votes, geometric_rule, majority_rule

__all__ = [
    "RULES", "arithmetic_rule", "class_votes", "combine", "geometric_rule", "majority_accuracy", "majority_rule",
    "predictions_of",
]  # fmt: skip

RULES = {"geometric": geometric_rule, "arithmetic": arithmetic_rule, "majority": majority_rule}

majority_accuracy = door(
    L=whole(REQUIRED, "How many classifiers.", low=1, high=10_000_000),
    p=numbers("The probability with which each of them is right.", low=0, high=1),
)(core.majority_accuracy)


def predictions_of(member, X, n_classes):
    """Return P(k) by a classifier, of shape (n_samples, n_classes); of a regressor, n_classes None, (n_samples, 1)."""
    if n_classes is None:
        return sound(member.predict(X), member).reshape(len(X), 1)
    return class_probabilities(member, X, n_classes)


def _check_distributions(name, probabilities):
    P = check_numbers(probabilities, name)
    if P.ndim != 3 or P.shape[0] == 0:
        raise ValueError(
            f"{name} must have the shape (n_classifiers, n_samples, n_classes), got an array of shape {P.shape}"
        )
    return check_shares(P, name)


@door(
    probabilities=anything(
        REQUIRED, "array-like of shape (n_classifiers, n_samples, n_classes)",
        "P_j(k | x), not negative, with sum 1 over the classes.",
        check=_check_distributions, bad=([[0.5, 0.5]], [[["a", "b"]]], [[[np.nan, 1.0]]], [[[0.4, 0.4]]]),
    ),
    rule=choice(
        "arithmetic", tuple(RULES), "majority: each votes for its most probable class, the first one in a tie."
    ),
)  # fmt: skip
def combine(probabilities, rule="arithmetic"):
    """Combine what L classifiers predict for the same samples into one distribution over the classes.

    geometric    P(k) = (Π_j P_j(k))^(1/L) / C       minimises the mean of KL(P ‖ P_j)
    arithmetic   P(k) = Σ_j P_j(k) / L               minimises the mean of KL(P_j ‖ P)
    majority     P(k) = share of the classifiers whose most probable class is k

    C makes the sum 1; notes E's short form of the geometric rule lacks it and the exponent 1/L, and that of the
    arithmetic rule lacks the 1/L. (The most probable class is the same without them.)

    Geometric rule: a class to which one classifier gives probability 0 is vetoed. Where every class is vetoed by
    somebody the formula is 0/0. Then its limit counts, for zeros replaced by an ε that goes to 0: the classes with the
    fewest vetoes share the probability, by their other factors.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    return RULES[rule](probabilities)
