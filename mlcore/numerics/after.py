"""After a formula: is its result a number?"""

import numpy as np

__all__ = ["finite"]


def finite(values, advice):
    """Return a result that is finite; otherwise say what to do.

    Parameters
    ----------
    values : float or ndarray of any shape
    advice : str
        What is wrong and what to do, such as "the score w·x + b overflows; rescale X".

    Raises
    ------
    ValueError
        With the advice, if a value is NaN or infinite.
    """
    if not np.isfinite(values).all():
        raise ValueError(advice)
    return values
