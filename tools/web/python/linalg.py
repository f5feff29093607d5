"""NumPy's linear algebra says no, in the browser too.

NumPy learns from a flag of the processor that a matrix is singular or not positive definite. WebAssembly has no such
flags: there the answer is NaN, and nothing is raised. ``install`` makes it ``LinAlgError`` again.
"""

import functools

import numpy as np

SAID = {
    "cholesky": "Matrix is not positive definite",
    "inv": "Singular matrix",
    "solve": "Singular matrix",
    "eigh": "Eigenvalues did not converge",
    "svd": "SVD did not converge",
}


def install():
    """Let the functions of ``numpy.linalg`` raise where numbers went in and none came out."""
    for name, said in SAID.items():
        setattr(np.linalg, name, _raising(getattr(np.linalg, name), said))


def _raising(function, said):
    @functools.wraps(function)
    def call(*arrays, **options):
        found = function(*arrays, **options)
        parts = found if isinstance(found, tuple) else (found,)
        if any(np.isnan(part).any() for part in parts) and not any(np.isnan(np.sum(one)) for one in arrays):
            raise np.linalg.LinAlgError(said)
        return found

    return call
