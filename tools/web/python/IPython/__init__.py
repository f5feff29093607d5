"""In place of IPython, in the browser: one notebook that runs, and what its cells show."""

from types import SimpleNamespace

from IPython import display  # noqa: F401  mlcore asks for it by this name

version_info = (9, 0, 0, "")
cell = {"content": {"code": ""}, "metadata": {}}
"""The cell that runs now."""
_shell = SimpleNamespace(
    kernel=True, get_parent=lambda: cell, extension_manager=SimpleNamespace(load_extension=lambda name: None)
)


def get_ipython():
    return _shell
