"""In place of IPython, in the browser: one notebook that runs, and what its cells show."""

from types import SimpleNamespace

from IPython import display  # noqa: F401  mlcore asks for it by this name

version_info = (9, 0, 0, "")
cell = {"content": {"code": ""}, "metadata": {"cellId": ""}, "header": {"msg_id": ""}}
"""The cell that runs now, and which of its runs this is: by these an explorer stays as long as its cell is not run
again."""
_shell = SimpleNamespace(
    kernel=True, get_parent=lambda: cell, extension_manager=SimpleNamespace(load_extension=lambda name: None)
)


def get_ipython():
    return _shell
