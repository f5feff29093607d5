"""Where mlcore finds what makes a control of a short form."""

from ipywidgets import interactive  # noqa: F401
