"""Performance metrics and comparison tests: how good is a model, and is the difference between two more than chance?

Chapter 9. Sources: notes A 9.2, D 2.3; D 2.4 is a stub, so the tests are taught here in full.

- ``confusion``: counts of true against predicted class, and what is made of them (``precision``, ``recall``, ``f1``).
- ``ranking``: all thresholds at once (``roc_curve``, ``precision_recall_curve``, ``auc``, ``rank_loss``).
- ``costs``: mistakes that cost differently (``cost_sensitive_error``, ``cost_curve``, ``expected_total_cost``).
- ``comparison``: the tests (``mcnemar_test``, ``five_by_two_cv_t_test``, ``friedman_test`` ...).

A label is positive or negative: ``pos_label`` names the positive one. Without it 1 is positive, where the labels are 0
and 1, -1 and 1, or False and True; other labels need it.
"""

from mlcore.performance_metrics.comparison import (
    Comparison,
    average_ranks,
    binomial_test,
    disagreements,
    five_by_two_cv_t_test,
    friedman_test,
    mcnemar_test,
    nemenyi_critical_difference,
    paired_t_test,
    t_test,
)
from mlcore.performance_metrics.confusion import (
    accuracy,
    confusion_matrix,
    error_rate,
    f1,
    fbeta,
    macro_micro,
    precision,
    recall,
)
from mlcore.performance_metrics.costs import CostCurve, cost_curve, cost_sensitive_error, expected_total_cost
from mlcore.performance_metrics.ranking import (
    auc,
    average_precision,
    break_even_point,
    precision_recall_curve,
    rank_loss,
    roc_curve,
)

__all__ = [
    "Comparison", "CostCurve", "accuracy", "auc", "average_precision", "average_ranks", "binomial_test",
    "break_even_point", "confusion_matrix", "cost_curve", "cost_sensitive_error", "disagreements", "error_rate",
    "expected_total_cost", "f1", "fbeta", "five_by_two_cv_t_test", "friedman_test", "macro_micro", "mcnemar_test",
    "nemenyi_critical_difference", "paired_t_test", "precision", "precision_recall_curve", "rank_loss", "recall",
    "roc_curve", "t_test",
]  # fmt: skip
