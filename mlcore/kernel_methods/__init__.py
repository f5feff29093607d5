"""Kernel methods (核方法): what the kernel trick does for ridge regression, logistic regression and a tube.

- ``feature_maps``: the features behind the polynomial and the Gaussian kernel, written out.
- ``least_squares``: ``KernelRidge`` and ``LSSVC``, one system of linear equations each.
- ``kernel_logistic``: ``KernelLogisticRegression``, by Newton's method in the coefficients.
- ``svr``: ``SVR``, by the solver of chapter 17.
- ``calibration``: ``PlattScaling``, which turns scores into probabilities.
- ``training``: what they share. Each of them is a sum of kernels on the training points, f(x) = Σ β_i κ(x_i, x) + b.

Notes A 7.6, C 2.1-2.4 and 3, E.
"""

from mlcore.kernel_methods.calibration import PlattScaling
from mlcore.kernel_methods.feature_maps import polynomial_features_map, rbf_features_map
from mlcore.kernel_methods.kernel_logistic import KernelLogisticRegression
from mlcore.kernel_methods.least_squares import LSSVC, KernelRidge
from mlcore.kernel_methods.svr import SVR
from mlcore.losses import epsilon_insensitive, exponential, hinge, logistic, squared, zero_one

__all__ = [
    "SVR", "KernelLogisticRegression", "KernelRidge", "LSSVC", "PlattScaling", "epsilon_insensitive", "exponential",
    "hinge", "logistic", "polynomial_features_map", "rbf_features_map", "squared", "zero_one",
]
