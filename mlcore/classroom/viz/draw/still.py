"""Pictures that do not move, and tables."""

import base64

from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mlcore.classroom.viz.draw import pixels
from mlcore.classroom.viz.draw.canvas import KEPT, rgba_of
from mlcore.classroom.viz.draw.finishing import finish
from mlcore.classroom.viz.draw.lettering import checked_alt
from mlcore.classroom.viz.draw.style import course_style, styled

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
    alt = checked_alt(alt)
    with course_style():
        finish(fig)
        fig.draw_without_rendering()  # finds the layout, on which the places of names at the ends of lines depend
        finish(fig)
        dots = rgba_of(fig, KEPT)[..., :3]
    data = {"image/png": base64.b64encode(pixels.png(dots)).decode(), "text/plain": f"[figure] {alt}"}
    height, width = (round(side / KEPT) for side in dots.shape[:2])
    display(data, metadata={"image/png": {"alt": alt, "width": width, "height": height}}, raw=True)


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
