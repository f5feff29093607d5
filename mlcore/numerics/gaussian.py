"""Gaussians of several dimensions, by a root of the inverse matrix: no determinant and no inverse is formed."""

import numpy as np

from mlcore.core.arithmetic import unit_diagonal
from mlcore.core.parameter_estimation import gaussian_log_density, gaussian_mle, inverse_root

__all__ = ["gaussian_log_density", "gaussian_mle", "inverse_root", "regular_inverse_root"]


def regular_inverse_root(A, least=1e-6):
    """Return ``inverse_root(A)``, found in units in which the diagonal of A is 1.

    Parameters
    ----------
    A : ndarray of shape (d, d)
        Symmetric, without negative eigenvalues.
    least : float
        A is refused where less than this of an entry of its unit diagonal (as a deviation) is left when the entries
        before it are known: 1e-6 is a correlation of 1 - 5e-13.

    Raises
    ------
    numpy.linalg.LinAlgError
        If A is singular, or nearly.
    """
    scaled, scale = unit_diagonal(A)
    if np.isinf(scale).any():
        raise np.linalg.LinAlgError("a variance is 0")
    R = inverse_root(scaled)
    if not R.diagonal().max() * least < 1:
        raise np.linalg.LinAlgError("singular")
    return R / scale[:, np.newaxis]
