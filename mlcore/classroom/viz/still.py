"""Pictures that do not move, and tables."""

import base64
import io

from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.classroom.viz.explorer import _checked_alt
from mlcore.classroom.viz.style import course_style, make_readable, styled

__all__ = ["figure", "show", "show_table"]


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
