"""Controls: ipywidgets made of short forms, where a sweep moves them, and what they say of themselves."""

import inspect
import math

import ipywidgets as widgets
from ipywidgets.widgets.interaction import interactive

from mlcore.base import check_int, check_real

__all__ = [
    "check_names", "control_of", "log_slider", "move_to", "places_of", "range_of", "step_by", "stops_of",
    "with_default",
]  # fmt: skip


def log_slider(low, high, value=None, per_decade=10, whole=False):
    """Return a slider on a logarithmic scale.

    Parameters
    ----------
    low, high : int
        Exponents: from 10**low to 10**high.
    value : float, optional
        Where to start; by default the middle.
    per_decade : int
        Steps a decade.
    whole : bool
        It says a whole number, to which the drawing function rounds its value.
    """
    check_real("low", low, low=-300)
    check_real("high", high, low=low, high=300, low_open=True)
    check_int("per_decade", per_decade, low=1)
    value = 10 ** ((low + high) / 2) if value is None else value
    digits = ".0f" if whole else f".{max(3, math.floor(high) + 1)}g"  # 1000, and not 1e+03
    return widgets.FloatLogSlider(value=value, base=10, min=low, max=high, step=1 / per_decade, readout_format=digits)


def with_default(draw, name, abbreviation):
    """Start a slider at the default of the drawing function's parameter, where there is one."""
    parameter = inspect.signature(draw).parameters.get(name)
    if parameter is None or parameter.default is inspect.Parameter.empty or isinstance(abbreviation, widgets.Widget):
        return abbreviation
    control = interactive.widget_from_abbrev(abbreviation, parameter.default)
    return abbreviation if control is None else control


def control_of(name, abbreviation, label):
    """Return the ipywidget that a short form stands for, with its label."""
    is_widget = isinstance(abbreviation, widgets.Widget)
    control = abbreviation if is_widget else interactive.widget_from_abbrev(abbreviation)
    if control is None:
        raise ValueError(f"{name}: {abbreviation!r} is no control; use (min, max, step), a list, a bool or a widget")
    control.description = label or name.replace("_", " ")
    control.style.description_width = "initial"
    if isinstance(control, widgets.Checkbox):
        control.indent = False
    if type(control) is widgets.FloatSlider and control.readout_format == ".2f" and 0 < control.step < 0.01:
        control.readout_format = f".{math.ceil(-math.log10(control.step))}f"  # so that neighbours read differently
    return control


def check_names(draw, controls, labels):
    """Raise ValueError unless each parameter of a drawing function has its control, and each control its parameter."""
    parameters = inspect.signature(draw).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    own = [parameter for parameter in list(parameters)[1:] if parameter.kind is not parameter.VAR_KEYWORD]
    missing = [p.name for p in own if p.default is p.empty and p.name not in controls]
    extra = [name for name in controls if not takes_any and name not in {p.name for p in own}]
    stray = [name for name in labels if name not in controls]
    if missing or extra or stray:
        raise ValueError(
            f"controls and drawing function do not match: without a control {missing}, "
            f"unknown to the function {extra}, labels without a control {stray}"
        )


def stops_of(control):
    """The values a sweep visits: minimum, maximum, middle; or up to eight choices, of more the first, last and middle
    one; or both ticks."""
    if isinstance(control, widgets.Checkbox | widgets.ToggleButton):
        return [False, True]
    if hasattr(control, "options"):
        values = [value for _, value in control._options_full]
        between = values[1:-1] if len(values) <= 8 else [values[len(values) // 2]]
        return [values[0], values[-1], *between]
    if isinstance(control, widgets.FloatLogSlider):
        return [control.base**exponent for exponent in (control.min, control.max, (control.min + control.max) / 2)]
    if hasattr(control, "min") and hasattr(control, "max"):
        middle = (control.min + control.max) / 2
        return [control.min, control.max, int(middle) if isinstance(control.min, int) else middle]
    return [control.value, control.value]


def range_of(control):
    """Return where a control stands, and what it can be, as text."""
    if hasattr(control, "options"):
        return f"{control.label} (of {', '.join(label for label, _ in control._options_full)})"
    if isinstance(control, widgets.FloatLogSlider):
        return f"{control.value:.4g} ({control.base:g}^{control.min:g} to {control.base:g}^{control.max:g})"
    if hasattr(control, "min") and hasattr(control, "max"):
        return f"{control.value:.6g} ({control.min:.6g} to {control.max:.6g})"
    return f"{control.value}"


def move_to(control, value):
    """Move a slider or choice to the value next to this one that it can have."""
    places = places_of(control)
    control.value = places[nearest(places, value)]


def step_by(control, steps):
    """Move a slider or choice by so many of its places, as far as they go."""
    places = places_of(control)
    here = nearest(places, control.value)
    control.value = places[min(max(here + steps, 0), len(places) - 1)]


def nearest(places, value):
    """The number of the place next to a value, counted from 0."""
    return min(range(len(places)), key=lambda i: abs(places[i] - value))


def places_of(control):
    """The numbers that a control can have, in their order."""
    if hasattr(control, "options"):
        return [value for _, value in control._options_full]
    count = round((control.max - control.min) / control.step)
    if isinstance(control, widgets.FloatLogSlider):
        return [float(f"{control.base ** (control.min + i * control.step):.12g}") for i in range(count + 1)]
    if isinstance(control.min, int):
        return list(range(control.min, control.max + 1, control.step))
    return [float(f"{control.min + i * control.step:.12g}") for i in range(count + 1)]
