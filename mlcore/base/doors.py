"""Functions with a door: each argument is declared once, and checked under its name before the function runs.

    @door(
        m=whole(REQUIRED, "Number of rows.", low=0),
        d=whole(REQUIRED, "VC dimension.", low=0),
    )
    def sauer_bound(m, d):
        \"""Σ_{i<=d} C(m, i): the most labelings that a class of VC dimension d has on m points.\"""
        return sauer(m, min(m, d))

Defaults, "Parameters" of the documentation, refusals, and the bad values that the tests try follow from the
declarations, which are those of models (``mlcore.base.parameters``) and the ones below, for data. A formula of the core
that needs nothing but a door is ``public = door(x=numbers("..."))(formula)``.
"""

import functools
import inspect

import numpy as np

from mlcore.base.data import check_array, check_labels, check_numbers, check_numeric_target
from mlcore.base.parameters import REQUIRED, Parameter, with_parameters

__all__ = ["DOORS", "door", "labels", "numbers", "table", "targets", "vector"]

DOORS = {}
"""{"module.name": function}: every function with a door; the tests try the bad values of each."""


def door(**declarations):
    """Decorate a function with the declarations of its arguments: those it has, in any order."""

    def build(function):
        signature = inspect.signature(function)
        parameters = [
            one.replace(default=declarations[name].default) if name in declarations else one
            for name, one in signature.parameters.items()
        ]
        signature = signature.replace(parameters=parameters)

        @functools.wraps(function)
        def checked(*args, **options):
            try:
                given = signature.bind(*args, **options)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            given.apply_defaults()
            for name, entry in declarations.items():
                given.arguments[name] = entry.check(name, given.arguments[name])
            return _plain(function(*given.args, **given.kwargs))

        checked.__signature__ = signature
        checked.declared = declarations
        entries = {name: declarations[name] for name in signature.parameters if name in declarations}
        checked.__doc__ = with_parameters(function.__doc__, entries, before=("Returns", "Yields", "Raises", "Notes"))
        DOORS[f"{function.__module__}.{function.__name__}"] = checked
        return checked

    return build


def _plain(value):
    """A number where the function returns an array without axes."""
    return value.item() if isinstance(value, np.generic) or isinstance(value, np.ndarray) and value.ndim == 0 else value


# ---------------------------------------------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------------------------------------------
def numbers(says, *, form="float or array-like of any shape", low=None, high=None, infinite=False):
    """Declare a number or an array of numbers; with bounds that hold for each."""

    def check(name, value):
        array = check_numbers(value, name, allow_infinity=infinite)
        outside = (array < (-np.inf if low is None else low)) | (array > (np.inf if high is None else high))
        if outside.any():
            least, most = "-inf" if low is None else f"{low:g}", "inf" if high is None else f"{high:g}"
            raise ValueError(f"{name} must lie in [{least}, {most}], got {array[outside].flat[0]:g}")
        return array

    bad = [None, "text", [[1.0], [2.0, 3.0]], np.nan]
    bad += [bound + step for bound, step in ((low, -1), (high, 1)) if bound is not None]
    return Parameter(REQUIRED, check, form, says, tuple(bad))


def vector(says, *, form="array-like of shape (n,)", low=None):
    """Declare a list of at least one number."""
    inner = numbers(says, low=low)

    def check(name, value):
        array = inner.check(name, value)
        if array.ndim != 1 or len(array) == 0:
            raise ValueError(f"{name} must be a list of at least one number, got the shape {array.shape}")
        return array

    return Parameter(REQUIRED, check, form, says, (*inner.bad, [], [[1.0, 2.0]]))


def table(says, *, form="array-like of shape (n_samples, n_features)"):
    """Declare a table of numbers, with a row for each sample."""
    return Parameter(REQUIRED, lambda name, value: check_array(value, name=name), form, says,
                     (None, [1.0, 2.0], [["a"]], [[np.nan]], []))  # fmt: skip


def labels(says, *, form="array-like of shape (n_samples,)"):
    """Declare class labels."""
    return Parameter(REQUIRED, lambda name, value: check_labels(value, name), form, says,
                     (None, [], [0.5, 1.5], ["a", 1], [[0, 1], [1, 0]]))  # fmt: skip


def targets(says, *, form="array-like of shape (n_samples,)"):
    """Declare the numbers that a regression predicts."""
    return Parameter(REQUIRED, lambda name, value: check_numeric_target(value, name), form, says,
                     (None, [], ["a"], [np.inf], [[0, 1], [1, 0]]))  # fmt: skip
