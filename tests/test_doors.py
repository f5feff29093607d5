"""Functions with a door: arguments are declared once; refusals, documentation and signature follow."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import mlcore
from mlcore.base import REQUIRED, choice, door, labels, numbers, real, table, targets, vector, whole
from mlcore.base.doors import DOORS

for module in pkgutil.walk_packages(mlcore.__path__, "mlcore."):
    if not module.name.startswith(("mlcore.classroom.viz", "mlcore.classroom.exercises")):
        importlib.import_module(module.name)
BAD = [
    (name, key, value)
    for name, function in sorted(DOORS.items()) if name.startswith("mlcore.")
    for key, entry in function.declared.items()
    for value in entry.bad
]  # fmt: skip


@door(
    x=numbers("Some numbers.", low=0, high=1), power=real(2.0, "How often.", low=0, low_open=True),
    how=choice("whole", ("whole", "half"), "How much."),
)
def raised(x, power=None, *, how=None):
    """x^p.

    Returns
    -------
    float or ndarray of the shape of x
    """
    return x**power if how == "whole" else x**power / 2


def test_what_a_door_gives():
    assert str(inspect.signature(raised)) == "(x, power=2.0, *, how='whole')"
    assert raised(0.5) == 0.25 and type(raised(0.5)) is float
    assert raised([0.5, 1], 1, how="half").tolist() == [0.25, 0.5]
    assert inspect.getdoc(raised) == (
        "x^p.\n\nParameters\n----------\nx : float or array-like of any shape\n    Some numbers.\n"
        'power : float > 0\n    How often.\nhow : {"whole", "half"}\n    How much.\n\n'
        "Returns\n-------\nfloat or ndarray of the shape of x"
    )


@pytest.mark.parametrize("arguments, options, said", [
    ((1.5,), {}, r"x must lie in \[0, 1\], got 1.5"),
    (("a",), {}, "x must be numeric"),
    ((0.5, 0), {}, r"power must be a number in \(0, inf\), got 0"),
    ((0.5,), {"how": "all"}, "how must be one of 'whole', 'half'"),
])  # fmt: skip
def test_what_a_door_refuses(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        raised(*arguments, **options)


def test_a_call_with_other_arguments_is_a_type_error():
    for arguments, options in (((), {}), ((1,), {"y": 2}), ((1, 2, 3), {})):
        with pytest.raises(TypeError, match=r"raised\(\) "):
            raised(*arguments, **options)


@pytest.mark.parametrize("entry", [
    numbers("", low=0, high=9), vector("", low=0), table(""), labels(""), targets(""),
    whole(REQUIRED, "", low=1, high=3),
], ids=lambda entry: entry.form)  # fmt: skip
def test_what_is_declared_as_bad_is_refused(entry):
    for value in entry.bad:
        with pytest.raises((ValueError, TypeError)):
            entry.check("value", value)


@pytest.mark.parametrize("entry, value, right", [
    (numbers(""), [1, 2], [1.0, 2.0]), (vector(""), (1, 2), [1.0, 2.0]), (table(""), [[1, 2]], [[1.0, 2.0]]),
    (labels(""), ["a", "b"], ["a", "b"]), (targets(""), [1, 2], [1.0, 2.0]),
])  # fmt: skip
def test_what_is_declared_as_good_becomes_an_array(entry, value, right):
    assert np.array_equal(entry.check("value", value), right)


@pytest.mark.parametrize("name, key, value", BAD, ids=[f"{name}-{key}={value!r}" for name, key, value in BAD])
def test_a_bad_argument_is_refused_by_name(name, key, value):
    with pytest.raises((ValueError, TypeError), match=rf"\b{key}\b|y was passed"):
        DOORS[name].declared[key].check(key, value)
