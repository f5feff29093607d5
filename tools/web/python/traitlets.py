"""In place of traitlets, in the browser: a trait is its default, as far as mlcore's widgets name traits."""


class Trait:
    """A value of a widget."""

    default = None

    def __init__(self, default=None, **_):
        self.default = self.default if default is None else default

    def tag(self, **_):
        return self

    def make(self):
        """A value to begin with, of the widget's own."""
        return self.default.copy() if isinstance(self.default, dict) else self.default


class Unicode(Trait):
    default = ""


class Dict(Trait):
    default = {}
