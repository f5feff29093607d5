"""Runs that call the core of chapter 7."""

from mlcore.class_imbalance import SMOTE, BalanceCascade, BorderlineSMOTE, ThresholdMoving, rescale_odds
from mlcore.datasets import make_imbalanced
from mlcore.logistic_regression import LogisticRegression

X, y = make_imbalanced(2000, ratio=0.05, class_sep=2.5, random_state=0)


def cascade():
    """Stage after stage."""
    BalanceCascade(random_state=0).fit(X, y)


RUNS = {
    "rescale_odds": lambda: rescale_odds(0.3, 1, 9),
    "rescaled_shares": lambda: ThresholdMoving(LogisticRegression()).fit(X, y).predict(X),
    "cascade_rate": cascade,
    "cascade_round": cascade,
    "between": lambda: SMOTE(random_state=0).fit_resample(X, y),
    "kinds": lambda: BorderlineSMOTE(random_state=0).fit_resample(X, y),
}
