"""A model's parameters, each written once: name, default, bounds and sentence.

    class Ridge(Regressor):
        alpha: float = real(1.0, "Strength of the penalty, in the units of XᵀX.", low=0)
        fit_intercept: bool = flag(True, "Whether b is learned; it is never penalised.")

From such lines follow the signature and ``__init__``, the "Parameters" of the class's documentation, what
``self.checked()`` refuses in ``fit``, and the bad values that the tests try. A subclass inherits them, may declare
more, and may declare one anew, with another default, say.
"""

import inspect
import math
import numbers
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from mlcore.base.messages import shown

__all__ = [
    "Parameter", "anything", "check_callable", "check_choice", "check_flag", "check_int", "check_random_state",
    "check_real", "checked", "choice", "declared", "flag", "learn_parameters", "part", "real", "REQUIRED", "seed",
    "whole", "with_parameters",
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------
# Checks: each returns the value, or says what is wrong with it
# ---------------------------------------------------------------------------------------------------------------
def check_real(name, value, *, low=-np.inf, high=np.inf, low_open=False, high_open=False):
    """Return a parameter as a float, or say what is wrong with it.

    ``low_open`` and ``high_open`` exclude the bound itself. NaN, infinity and booleans are refused.

    Raises
    ------
    ValueError
        With the name, the bounds and the value.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))
    inside = is_number and _is_finite(value) and low <= value <= high
    if inside and not (low_open and value == low) and not (high_open and value == high):
        return float(value)
    opening = "(" if low_open or low == -np.inf else "["
    closing = ")" if high_open or high == np.inf else "]"
    raise ValueError(f"{name} must be a number in {opening}{low:g}, {high:g}{closing}, got {shown(value)}")


def _is_finite(value):
    """Whether a real number of any type, a very long int or a fraction included, has a finite float."""
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_int(name, value, *, low=None, high=None):
    """Return a parameter as an int, or say what is wrong with it (booleans and 3.0 are refused).

    Raises
    ------
    ValueError
        With the name, the bounds and the value.
    """
    is_int = isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
    if is_int and (low is None or value >= low) and (high is None or value <= high):
        return int(value)
    if low is not None and high is not None:
        bounds = f" from {low} to {high}"
    else:
        bounds = f" >= {low}" if low is not None else f" <= {high}" if high is not None else ""
    raise ValueError(f"{name} must be a whole number{bounds}, got {shown(value)}")


def check_choice(name, value, choices):
    """Return a parameter that must be one of a few words, or list the words.

    Raises
    ------
    ValueError
        With the name, the choices and the value.
    """
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {shown(value)}")


def check_flag(name, value):
    """Return a parameter that must be True or False.

    Raises
    ------
    ValueError
        With the name and the value.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {shown(value)}")


def check_callable(name, value):
    """Return a parameter that must be a function (anything that can be called).

    Raises
    ------
    ValueError
        With the name and the value.
    """
    if callable(value):
        return value
    raise ValueError(f"{name} must be a function, got {shown(value)}")


def check_random_state(random_state):
    """Return a ``numpy.random.Generator``.

    Parameters
    ----------
    random_state : None, int, numpy.random.Generator or numpy.random.RandomState
        None draws a fresh seed; an int always gives the same numbers; a Generator is used as it is, so its
        state moves on; a RandomState (which scikit-learn may pass) seeds a Generator.

    Raises
    ------
    ValueError
        For anything else, a negative int included.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None:
        return np.random.default_rng()
    is_int = isinstance(random_state, numbers.Integral) and not isinstance(random_state, (bool, np.bool_))
    if is_int and random_state >= 0:
        return np.random.default_rng(int(random_state))
    raise ValueError(f"random_state must be None, a whole number >= 0 or a numpy Generator, got {shown(random_state)}")


# ---------------------------------------------------------------------------------------------------------------
# Declarations
# ---------------------------------------------------------------------------------------------------------------
REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model, as its class declares it."""

    default: object
    """``REQUIRED`` where there is none."""
    check: object
    """``check(name, value)`` returns what ``fit`` works with, or raises ValueError."""
    form: str
    """What may be given, in a few words: "float >= 0"."""
    says: str
    """A sentence or two: what it does, and how to choose it."""
    bad: tuple = ()
    """Values that the check refuses: the tests try them."""
    positional: bool = False
    """Whether its value may be given without its name, as the first one."""

    def entry(self, name):
        """The lines of the documentation."""
        lines = inspect.cleandoc(self.says).split("\n")
        return "\n".join([f"{name} : {self.form}", *(f"    {line}".rstrip() for line in lines)])


def _or_none(default, check, form, bad, says):
    """A parameter that may be None if that is its default."""
    if default is not None:
        return Parameter(default, check, form, says, bad)
    return Parameter(None, lambda name, value: None if value is None else check(name, value), f"{form}, optional",
                     says, bad)  # fmt: skip


def _bounds(low, high, low_open=False, high_open=False):
    """In words: " >= 0", " in (0, 1]"."""
    if low is None and high is None:
        return ""
    if high is None:
        return f" {'>' if low_open else '>='} {low:g}"
    if low is None:
        return f" {'<' if high_open else '<='} {high:g}"
    return f" in {'(' if low_open else '['}{low:g}, {high:g}{')' if high_open else ']'}"


def real(default, says, *, low=None, high=None, low_open=False, high_open=False, hidden_high=None):
    """Declare a number.

    Parameters
    ----------
    default : float or None
        None makes it optional.
    says : str
    low, high : float, optional
        The bounds, which ``low_open`` and ``high_open`` exclude.
    hidden_high : float, optional
        A bound so far off that the documentation need not name it, such as 1e100.
    """
    top = high if hidden_high is None else hidden_high
    least, most = -math.inf if low is None else low, math.inf if top is None else top

    def check(name, value):
        return check_real(name, value, low=least, high=most, low_open=low_open, high_open=high_open)

    bad = ["many", math.nan, math.inf, True, [1.0]]
    bad += [] if low is None else [low if low_open else low - 1.0]
    bad += [] if top is None else [top if high_open else 2.0 * abs(top) + 1.0]
    return _or_none(default, check, "float" + _bounds(low, high, low_open, high_open), tuple(bad), says)


def whole(default, says, *, low=None, high=None):
    """Declare a whole number; None as the default makes it optional."""

    def check(name, value):
        return check_int(name, value, low=low, high=high)

    bad = ["many", 1.5, math.nan, True] + ([] if low is None else [low - 1]) + ([] if high is None else [high + 1])
    return _or_none(default, check, "int" + _bounds(low, high), tuple(bad), says)


def flag(default, says):
    """Declare True or False."""
    return Parameter(default, check_flag, "bool", says, ("yes", 1, None))


def choice(default, choices, says):
    """Declare one of a few words."""
    form = "{" + ", ".join(f'"{word}"' for word in choices) + "}"
    words = tuple(choices)
    return _or_none(default, lambda name, value: check_choice(name, value, words), form, ("nonsense", 3, True), says)


def seed(says="Seeds what is drawn: an int gives the same numbers each time."):
    """Declare ``random_state``; ``checked`` returns a ``numpy.random.Generator``."""
    return Parameter(None, lambda name, value: check_random_state(value), "None, int or numpy.random.Generator", says,
                     (-1, "seed", 1.5))  # fmt: skip


def part(says, *, default=REQUIRED, form="estimator"):
    """Declare an estimator, or several, that the model is made of: it may be given without its name."""
    return Parameter(default, lambda name, value: value, form, says, positional=True)


def anything(default, form, says, *, check=None, bad=()):
    """Declare a parameter of another kind.

    Parameters
    ----------
    default : object
    form : str
        What may be given: "array-like of shape (n_classes,), optional".
    says : str
    check : callable, optional
        ``check(name, value)`` returns what ``fit`` works with, or raises ValueError. Left out where only ``fit`` can
        tell, once it knows the data.
    bad : tuple
        Values that ``check`` refuses.
    """
    return Parameter(default, check or (lambda name, value: value), form, says, tuple(bad))


# ---------------------------------------------------------------------------------------------------------------
# What follows from the declarations
# ---------------------------------------------------------------------------------------------------------------
def declared(cls):
    """Return {name: Parameter} of a class, the inherited ones first."""
    return getattr(cls, "_parameters", {})


def learn_parameters(cls):
    """Give a class that declares parameters its signature, its ``__init__`` and its documentation."""
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
    inherited = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get("_own_parameters", {})
    parameters = inherited | own
    if not parameters or "__init__" in vars(cls):
        return
    for name in own:
        delattr(cls, name)
    cls._own_parameters, cls._parameters = own, parameters
    cls.__init__ = _init(cls, parameters)
    cls.__doc__ = with_parameters(vars(cls).get("__doc__"), parameters, before=("Attributes",))


def _init(cls, parameters):
    """The ``__init__`` that stores what it is given, unchanged."""
    kinds = inspect.Parameter
    order = sorted(parameters, key=lambda name: not parameters[name].positional)  # the others keep their order
    signature = inspect.Signature([
        kinds("self", kinds.POSITIONAL_OR_KEYWORD),
        *(kinds(name, kinds.POSITIONAL_OR_KEYWORD if parameters[name].positional else kinds.KEYWORD_ONLY,
                default=parameters[name].default) for name in order),
    ])  # fmt: skip

    required = {name for name, parameter in parameters.items() if parameter.default is REQUIRED}

    def __init__(self, *args, **options):
        if args or not required <= options.keys() <= parameters.keys():
            try:
                options = signature.bind(self, *args, **options).arguments
            except TypeError as error:
                raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        for name, parameter in parameters.items():
            setattr(self, name, options.get(name, parameter.default))

    __init__.__signature__ = signature
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__module__ = cls.__module__
    return __init__


def with_parameters(text, parameters, before):
    """Return a documentation with the section "Parameters" before the first of some others, or at its end.

    Parameters
    ----------
    text : str or None
    parameters : dict
        {name: Parameter}, in order.
    before : tuple of str
        Such as ("Attributes",).
    """
    text = inspect.cleandoc(text or "")
    section = "Parameters\n----------\n" + "\n".join(entry.entry(name) for name, entry in parameters.items())
    starts = [text.find(f"\n{title}\n{'-' * len(title)}\n") for title in before]
    cut = min([start for start in starts if start >= 0], default=len(text))
    return "\n\n".join(filter(None, [text[:cut].strip(), section, text[cut:].strip()]))


def checked(model):
    """Return the parameters of a model as its ``fit`` works with them, by name; or say which is wrong, and how.

    Raises
    ------
    ValueError
        With the name, the bounds and the value.
    """
    own = declared(type(model))
    return SimpleNamespace(**{name: entry.check(name, getattr(model, name)) for name, entry in own.items()})
