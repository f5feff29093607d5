"""The library's own code, as the notebooks show it."""

import ast
import inspect
import textwrap
from pathlib import Path

from IPython.display import display

__all__ = ["show_source"]

PAGE = 92
"""So many characters of code fit into a line of the page."""


def show_source(obj):
    """Show the code of a function, class or method of the library, highlighted.

    Of each docstring the first paragraph is shown; parameters, results and errors stand in the library.

    Raises
    ------
    TypeError
        If the object has no Python source.
    """
    place, source = place_of(obj), source_of(obj)
    data = {"text/markdown": f"`{place}`\n\n```python\n{source}\n```", "text/plain": f"{place}\n\n{source}"}
    display(data, raw=True)


def source_of(obj, page=PAGE):
    """The code of a function, class or method as it is shown, in lines of ``page`` characters."""
    return as_shown(textwrap.dedent(inspect.getsource(_plain(obj))), page)


def place_of(obj):
    """The file a function, class or method stands in, from the package on: "mlcore/classroom/viz/draw/code.py"."""
    parts = Path(inspect.getsourcefile(_plain(obj))).parts
    # the last folder called mlcore is the package; a checkout may have that name too
    start = max((i for i, part in enumerate(parts) if part == "mlcore"), default=len(parts) - 1)
    return "/".join(parts[start:])


def _plain(obj):
    """The function itself, out of a property or a wrapper."""
    return inspect.unwrap(obj.fget if isinstance(obj, property) else obj)


def as_shown(source, page=PAGE):
    """Cut each docstring of a piece of code to its first paragraph, in lines of at most ``page`` characters."""
    source = source.rstrip()
    lines = source.split("\n")
    documented = (ast.FunctionDef, ast.ClassDef)
    for node in sorted(
        (node for node in ast.walk(ast.parse(source)) if isinstance(node, documented) and ast.get_docstring(node)),
        key=lambda node: -node.lineno,
    ):
        string = node.body[0]
        indent = " " * string.col_offset
        paragraph = ast.get_docstring(node).split("\n\n")[0]
        words = textwrap.fill(" ".join(paragraph.split()), page - len(indent) - 6, break_on_hyphens=False)
        lines[string.lineno - 1 : string.end_lineno] = textwrap.indent(f'"""{words}"""', indent).split("\n")
    return "\n".join(lines)
