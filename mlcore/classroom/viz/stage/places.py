"""Where a learner left the controls of a picture: they stand there again when its cell is run again.

Only where there is a memory (``mlcore.classroom.memory``): nowhere else does a picture begin anywhere but at its start.
"""

import ipywidgets as widgets

from mlcore.classroom import memory

__all__ = ["Place"]


class Place:
    """The controls of a picture, as they were at the start and as they were left.

    Parameters
    ----------
    alt : str or None
        What is to be seen in the picture; None for one whose controls are not remembered.
    controls : dict of ipywidgets

    Attributes
    ----------
    button : ipywidgets.Button or None
        For the way back to the start; there is one only where the controls were left elsewhere.
    """

    def __init__(self, alt, controls):
        self.controls, self.start, self.button = controls, _all_told(controls), None
        self.key = memory.key_of(alt) if alt and None not in self.start.values() and memory.is_there() else None

    def take_up(self):
        """Set the controls as they were left, if they still can stand there."""
        left = memory.recall("places", self.key) if self.key else None
        if not isinstance(left, dict) or left.keys() != self.controls.keys() or left == self.start:
            return
        if all(_takes(control, left[name]) for name, control in self.controls.items()):
            self._put(left)
            self.button = widgets.Button(
                description="Reset controls", tooltip="as at the start", layout=widgets.Layout(width="max-content")
            )
            self.button.add_class("mlcore-reset")

    def note(self):
        """Keep where the controls are now."""
        if self.key:
            told = _all_told(self.controls)
            memory.remember_at_rest(self.key, None if told == self.start else told)

    def go_back(self):
        """Set the controls as they were at the start."""
        self._put(self.start)

    def _put(self, told):
        for name, control in self.controls.items():
            if told[name] is not None:
                setattr(control, "label" if hasattr(control, "options") else "value", told[name])


def _all_told(controls):
    """The value of each control as JSON has it, of a choice its label; None where it is neither."""
    told = {}
    for name, control in controls.items():
        value = control.label if hasattr(control, "options") else control.value
        told[name] = value if isinstance(value, bool | int | float | str) else None
    return told


def _takes(control, told):
    """Whether a control can have this value: it may have changed since."""
    if hasattr(control, "options"):
        return told in [label for label, _ in control._options_full]
    if isinstance(control, widgets.FloatLogSlider):
        return type(told) is float and control.base**control.min <= told <= control.base**control.max
    if hasattr(control, "min") and hasattr(control, "max"):
        return type(told) is type(control.value) and control.min <= told <= control.max
    return type(told) is type(control.value)
