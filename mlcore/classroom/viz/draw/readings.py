"""What can be read off a drawn picture: where its axes lie, their numbers, and the points that have a name."""

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D

__all__ = ["PHOTO", "axes_of", "dots_of", "linked"]

MOST_DOTS = 600
PHOTO = "photo"
"""The ``gid`` of images whose colours are their own, and the same in both themes."""


def linked(artist, rows):
    """Say what a scatter's points are, such as "rows": the page highlights the same one in every panel. Returns it.

    Points that are only rings around others, and not to be read off, have the name None.
    """
    artist.rows_shown = rows
    return artist


def axes_of(figure):
    """For each panel that has numbers on its axes: its edges in parts of the picture, and its limits and scales."""
    width, height = figure.bbox.size
    panels = []
    for number, ax in enumerate(figure.axes):
        scales = ax.get_xscale(), ax.get_yscale()
        if not ax.axison or not ax.get_visible() or not set(scales) <= {"linear", "log"}:
            continue
        left, bottom, right, top = ax.bbox.extents
        edges = [left / width, 1 - top / height, right / width, 1 - bottom / height]
        panels.append({
            "panel": number, "edges": [round(float(edge), 4) for edge in edges],
            "x": [*map(float, ax.get_xlim()), scales[0]], "y": [*map(float, ax.get_ylim()), scales[1]],
            "names": [_plain(ax.get_xlabel()), _plain(ax.get_ylabel() or ax.get_title("left"))],
            **({"photo": True} if any(image.get_gid() == PHOTO for image in ax.get_images()) else {}),
        })  # fmt: skip
    return panels


def dots_of(figure):
    """The points of all scatters, and of lines with markers: their places in parts of the picture and their names."""
    artists = ((panel, artist) for panel, ax in enumerate(figure.axes) for artist in ax.get_children())
    shown = ((panel, artist) for panel, artist in artists if artist.get_visible() and _is_read(artist))
    groups = [_group(panel, artist, figure.bbox.size) for panel, artist in shown]
    return [group for group in groups if group and 0 < len(group["xy"]) <= MOST_DOTS]


def _is_read(artist):
    return getattr(artist, "rows_shown", "") is not None


def _group(panel, artist, size):
    """The points of one artist; None where it has none."""
    if isinstance(artist, PathCollection):
        points, transform = np.asarray(artist.get_offsets(), dtype=float), artist.get_offset_transform()
    elif isinstance(artist, Line2D) and artist.get_marker() not in ("None", "none", None, "", " "):
        points, transform = np.asarray(artist.get_xydata(), dtype=float), artist.get_transform()
    else:
        return None
    across, up = (transform.transform(points) / size).T
    places = np.round(np.column_stack([across, 1 - up]), 4)
    places[~np.isfinite(places).all(axis=1)] = -1.0  # outside
    label = str(artist.get_label())
    return {
        "panel": panel, "xy": places.tolist(), "at": [[f"{x:.4g}", f"{y:.4g}"] for x, y in points],
        "name": "" if label.startswith("_") else _plain(label),
        "link": getattr(artist, "rows_shown", ""),
    }  # fmt: skip


def _plain(text):
    return text.replace("$", "").replace("\\", "")
