"""Runs that call the core of chapter 7."""

from mlcore.class_imbalance import SMOTE, BalanceCascade, BorderlineSMOTE, ThresholdMoving, rescale_odds
from mlcore.datasets import make_imbalanced
from mlcore.logistic_regression import LogisticRegression

X, y = make_imbalanced(200, ratio=0.2, class_sep=1.5, random_state=0)


def cascade():
    """Two stages of the cascade."""
    BalanceCascade(n_subsets=2, n_rounds=2, random_state=0).fit(X, y)


RUNS = {
    "rescaled": lambda: rescale_odds(0.3, 1, 9),
    "rescaled_shares": lambda: ThresholdMoving(LogisticRegression()).fit(X, y).predict(X),
    "cascade_rate": cascade,
    "cascade_round": cascade,
    "between": lambda: SMOTE(random_state=0).fit_resample(X, y),
    "kinds": lambda: BorderlineSMOTE(random_state=0).fit_resample(X, y),
}
