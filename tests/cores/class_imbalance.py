"""Runs that call the core of chapter 7."""

from mlcore.class_imbalance import SMOTE, BalanceCascade, BorderlineSMOTE, ThresholdMoving, rescale_odds
from mlcore.datasets import make_imbalanced
from mlcore.logistic_regression import LogisticRegression

X, y = make_imbalanced(200, ratio=0.2, class_sep=1.5, random_state=0)


def cascade():
    """Two stages of the cascade."""
    BalanceCascade(n_subsets=2, n_rounds=2, random_state=0).fit(X, y)


RUNS = {
    "class_imbalance.rescaled": lambda: rescale_odds(0.3, 1, 9),
    "class_imbalance.rescaled_shares": lambda: ThresholdMoving(LogisticRegression()).fit(X, y).predict(X),
    "class_imbalance.cascade_rate": cascade,
    "class_imbalance.cascade_round": cascade,
    "class_imbalance.between": lambda: SMOTE(random_state=0).fit_resample(X, y),
    "class_imbalance.kinds": lambda: BorderlineSMOTE(random_state=0).fit_resample(X, y),
}
