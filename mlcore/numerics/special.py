"""The sigmoid, the softmax and their logarithms, written so that no exponent overflows; and the tails of distributions.

A tail is the probability beyond a value: the p-value of a test, a binomial sum. All of them are an incomplete beta
(binomial, t, F) or gamma function (χ², Poisson), which take arrays and keep about twelve digits, also where the
tail is as small as 1e-300.
"""

import numpy as np

from mlcore.core import generalized_linear_models, logistic_regression
from mlcore.core.arithmetic import beta_head, incomplete_beta, incomplete_gamma, normal_tail
from mlcore.core.performance_metrics import binomial_tail, t_tail

__all__ = [
    "binomial_share", "binomial_tail", "chi2_tail", "expit", "f_tail", "ignore_underflow", "incomplete_beta",
    "incomplete_gamma", "log_softmax", "normal_tail", "softmax", "softplus", "t_tail",
]  # fmt: skip

ignore_underflow = np.errstate(under="ignore")
"""Around a formula in which a number may round to 0, and rightly so: an error to nobody, whatever the caller set."""
expit, softplus = map(ignore_underflow, (logistic_regression.expit, logistic_regression.softplus))
softmax, log_softmax = map(ignore_underflow, (generalized_linear_models.softmax, generalized_linear_models.log_softmax))


# ---------------------------------------------------------------------------------------------------------------
# Incomplete beta and gamma functions, and the tails that they are
# ---------------------------------------------------------------------------------------------------------------
def chi2_tail(x, df):
    """P(X > x) for X ~ χ² with df degrees of freedom and x >= 0: Q(df/2, x/2)."""
    return incomplete_gamma(np.asarray(df) / 2, np.asarray(x) / 2)


def f_tail(f, df1, df2):
    """P(F > f) for F with df1 and df2 degrees of freedom and f >= 0: I_x(df2/2, df1/2), x = df2 / (df2 + df1 f)."""
    ratio, df1, df2 = (np.asarray(value, dtype=float) for value in (df1 * np.asarray(f), df1, df2))
    return incomplete_beta(df2 / 2, df1 / 2, df2 / (df2 + ratio), ratio / (df2 + ratio))


def binomial_share(k, n, p, q):
    """P(X = k) = C(n, k) pᵏ qⁿ⁻ᵏ for 0 < p < 1, q = 1 - p: what is large in its factorials has cancelled on paper."""
    return beta_head(k + 1, n - k + 1, p, q) / ((n + 1) * p * q)
