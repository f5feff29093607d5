"""Pictures that do not move, and the library's own code."""

import ast
import base64
import inspect
import io
import textwrap
from pathlib import Path

from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.viz.explorer import _checked_alt
from mlcore.viz.style import course_style, make_readable, styled

__all__ = ["figure", "show", "show_source", "show_table"]


StyledFigure, StyledAxes = styled(Figure), styled(Axes)


def figure(rows=1, columns=1, figsize=(7.0, 4.0), **options):
    """Return a new figure and its axes in the course's style: ``fig, ax = figure()``.

    Parameters
    ----------
    rows, columns : int
    figsize : (width, height) in inches, at 100 pixels each.
    **options
        Passed on to ``Figure.subplots`` (``sharex``, ``width_ratios``, ...).
    """
    with course_style():
        fig = StyledFigure(figsize=figsize, layout="constrained")
        FigureCanvasAgg(fig)
        options["subplot_kw"] = {"axes_class": StyledAxes, **options.get("subplot_kw", {})}
        return fig, fig.subplots(rows, columns, **options)


def show(fig, alt):
    """Show a figure with its description.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
    alt : str
        What is to be seen, for those who cannot see it.

    Raises
    ------
    ValueError
        If the description is missing.
    """
    alt = _checked_alt(alt)
    buffer = io.BytesIO()
    with course_style():
        make_readable(fig)
        fig.savefig(buffer, format="png", metadata={"Software": None}, pil_kwargs={"optimize": True})
    data = {"image/png": base64.b64encode(buffer.getvalue()).decode(), "text/plain": f"[figure] {alt}"}
    display(data, metadata={"image/png": {"alt": alt}}, raw=True)


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
    obj = inspect.unwrap(obj.fget if isinstance(obj, property) else obj)
    source = as_shown(textwrap.dedent(inspect.getsource(obj)))
    parts = Path(inspect.getsourcefile(obj)).parts
    # the last folder called mlcore is the package; a checkout may have that name too
    start = max((i for i, part in enumerate(parts) if part == "mlcore"), default=len(parts) - 1)
    place = "/".join(parts[start:])
    data = {"text/markdown": f"`{place}`\n\n```python\n{source}\n```", "text/plain": f"{place}\n\n{source}"}
    display(data, raw=True)


def as_shown(source):
    """Cut each docstring of a piece of code to its first paragraph, in lines that fit the page."""
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
        words = textwrap.fill(" ".join(paragraph.split()), PAGE - len(indent) - 6, break_on_hyphens=False)
        lines[string.lineno - 1 : string.end_lineno] = textwrap.indent(f'"""{words}"""', indent).split("\n")
    return "\n".join(lines)


def show_table(header, rows):
    """Show a table; its cells may hold Markdown, such as links.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequences, as long as the header
    """
    cells = [list(map(str, header)), ["---"] * len(header), *(list(map(str, row)) for row in rows)]
    if len({len(row) for row in cells}) != 1:
        raise ValueError(f"every row needs {len(header)} cells, like the header")
    table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)
    display({"text/markdown": table, "text/plain": table}, raw=True)
