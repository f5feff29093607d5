"""What the models that keep all training points share: the sum of kernels, a valid kernel matrix, and its ridge."""

import numpy as np

from mlcore.base import check_X
from mlcore.kernels import KernelModel, is_valid_kernel_matrix

__all__ = ["SumOfKernels", "check_ridge"]


class SumOfKernels(KernelModel):
    """A model f(x) = Σ_i β_i κ(x_i, x) + b, with β = ``dual_coef_``, b = ``intercept_`` and the rows ``X_fit_``."""

    def _values(self, X):
        """f(x) for each row of X, shape (n_samples,)."""
        X = check_X(self, X)
        return self._kernel(X, self.X_fit_) @ self.dual_coef_ + self.intercept_

    def _valid_matrix(self, X):
        """K of the training rows; refused if it is not positive semidefinite, because the penalty is βᵀKβ.

        Along an eigenvector whose eigenvalue λ is negative the penalty is negative, and the objective may fall for
        ever. For kernel ridge regression it does where -α < λ < 0, although the equations (K + αI) β = y have a
        solution. Only kernels that may be invalid are looked at, because finding eigenvalues takes longer than the fit.
        """
        self._learn_kernel(X)
        K = self._training_matrix(X)
        safe = self._is("linear", "rbf", "laplacian") or (self._is("poly") and self.coef0 >= 0)
        if not safe and not is_valid_kernel_matrix(K):
            values = np.linalg.eigvalsh(K)
            raise ValueError(
                f"the kernel matrix is not positive semidefinite (its eigenvalues go from {values[0]:.3g} to "
                f"{values[-1]:.3g}), so the penalty can be negative and there need not be a minimum: take a valid "
                "kernel, such as rbf, or poly with coef0 >= 0"
            )
        return K


def check_ridge(K, ridge):
    """Refuse a ridge that drowns in the rounding of K, where K + ridge·I is nearly singular without it.

    No pivot L_ii² of a valid kernel's matrix is below the ridge. One as small as the rounding of the largest entry is
    noise, and so would be the solution. At the limit drawn here Kβ still had two correct digits, compared with exact
    fractions; a ridge ten times as large gives one more.
    """
    largest = K.diagonal().max() + ridge
    noise = 10 * len(K) * np.finfo(float).eps * largest
    if ridge > noise:
        return
    try:
        lost = np.linalg.cholesky(K + ridge * np.eye(len(K))).diagonal().min() ** 2 <= noise
    except np.linalg.LinAlgError:
        lost = True
    if lost:
        raise ValueError(
            f"a ridge (alpha, 1/C) of {ridge:.3g} is lost in rounding beside kernel values of up to {largest:.3g}, and "
            "without it the kernel matrix is nearly singular: make the ridge larger or the features smaller"
        )
