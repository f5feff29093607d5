"""In place of ipywidgets, in the browser: the controls that mlcore names, as values that can be observed.

The page draws its own controls; here is what they can be set to, and by the same names as in ipywidgets, so that the
same code makes an explorer here and there.
"""

from traitlets import Trait

_MISSING = object()


class Layout:
    """Looks, which are a matter of the page."""

    def __init__(self, **looks):
        self.__dict__.update(looks)


class Widget:
    """Named values; whoever observes one is called when it changes."""

    defaults = {}

    def __init__(self, **values):
        own = self.__dict__
        own["_observers"] = []
        for cls in reversed(type(self).__mro__):
            own.update(vars(cls).get("defaults", {}))
            own.update({name: trait.make() for name, trait in vars(cls).items() if isinstance(trait, Trait)})
        own.setdefault("layout", Layout())
        own.setdefault("style", Layout())
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        old = self.__dict__.get(name, _MISSING)
        self.__dict__[name] = value
        if old is not _MISSING and not same(old, value):
            for function, observed in self.__dict__.get("_observers", ()):
                if observed == name:
                    function({"name": name, "old": old, "new": value, "owner": self})

    def observe(self, function, names):
        self._observers.append((function, names))

    def add_class(self, name):
        pass

    def remove_class(self, name):
        pass

    def on_msg(self, function):
        pass

    def on_click(self, function):
        pass

    def close(self):
        pass

    def _repr_mimebundle_(self, **_):
        return {}


def same(one, other):
    """Whether two values are equal and of one kind; arrays, which are neither equal nor not, are not."""
    try:
        return type(one) is type(other) and bool(one == other)
    except ValueError:
        return False


class Box(Widget):
    def __init__(self, children=(), **values):
        super().__init__(**values)
        self.children = tuple(children)


class VBox(Box):
    pass


class Button(Widget):
    pass


class Play(Widget):
    defaults = {"playing": False, "interval": 100}


class Slider(Widget):
    defaults = {"description": "", "disabled": False}


class IntSlider(Slider):
    defaults = {"min": 0, "max": 100, "step": 1, "value": 0, "readout_format": "d"}


class FloatSlider(Slider):
    defaults = {"min": 0.0, "max": 10.0, "step": 0.1, "value": 0.0, "readout_format": ".2f"}


class FloatLogSlider(Slider):
    defaults = {"min": 0.0, "max": 4.0, "base": 10.0, "step": 0.1, "value": 1.0, "readout_format": ".3g"}


class Checkbox(Widget):
    defaults = {"value": False, "description": "", "indent": True}


class ToggleButton(Checkbox):
    pass


class Choice(Widget):
    """One of some options: texts, pairs of text and value, or a dict of them."""

    defaults = {"description": ""}

    def __init__(self, options=(), value=_MISSING, **values):
        pairs = options.items() if isinstance(options, dict) else options
        pairs = tuple(one if isinstance(one, tuple) and len(one) == 2 else (str(one), one) for one in pairs)
        super().__init__(options=tuple(options), _options_full=pairs, **values)
        self.value = pairs[0][1] if value is _MISSING else value

    @property
    def label(self):
        return next((label for label, value in self._options_full if same(value, self.value)), "")


class Dropdown(Choice):
    pass


class ToggleButtons(Choice):
    pass


class RadioButtons(Choice):
    pass


def jslink(one, other):
    pass


class interactive:  # noqa: N801  ipywidgets calls it so
    """What makes a control of a short form."""

    @staticmethod
    def widget_from_abbrev(short, default=_MISSING):
        """The control that a short form stands for: see ``mlcore.viz.explore``; None if it is none."""
        if isinstance(short, Widget):
            return short
        if isinstance(short, bool):
            return Checkbox(value=short)
        numbers = isinstance(short, tuple) and all(isinstance(part, int | float) for part in short)
        if numbers and len(short) in (2, 3):
            return _slider(short, default)
        if isinstance(short, list | dict | tuple):
            control = Dropdown(short)
            if any(same(default, value) for _, value in control._options_full):
                control.value = default
            return control
        return None


def _slider(short, default):
    whole = all(isinstance(part, int) for part in short)
    low, high, step = short if len(short) == 3 else (*short, 1 if whole else 0.1)
    middle = low + (high - low) // 2 if whole else low + (high - low) / 2
    value = middle if default is _MISSING else default
    return (IntSlider if whole else FloatSlider)(min=low, max=high, step=step, value=value)
