"""Pies: what shares of a point belong to whom."""

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform

from mlcore.classroom.viz.draw.roles import color

__all__ = ["draw_pies"]

_ARC = 24
"""So many straight pieces has the arc of every slice: alike ones can glide into each other."""


def draw_pies(ax, X, shares, *, size=60, edge="quiet", zorder=3):
    """Draw a pie for each point, clockwise from the top: slice k has the colour of class k.

    Parameters
    ----------
    X : array of shape (n, 2)
        Where the pies stand.
    shares : array of shape (n, K)
        Each row adds up to 1.
    size : float
        Of the square around a pie, in points²; as in ``scatter``.
    edge : color
        Of the ring around each pie.

    Returns
    -------
    PathCollection
        The slices, pie by pie; they may glide.
    """
    X, shares = np.asarray(X, dtype=float).reshape(-1, 2), np.atleast_2d(np.asarray(shares, dtype=float))
    n_points, n_parts = shares.shape
    ends = np.concatenate([np.zeros((n_points, 1)), shares.cumsum(axis=1)], axis=1)
    turns = np.linspace(ends[:, :-1], ends[:, 1:], _ARC + 1, axis=-1) * 2 * np.pi
    outlines = np.zeros((n_points, n_parts, _ARC + 3, 2))  # begins and ends in the middle
    outlines[:, :, 1:-1] = np.stack([np.sin(turns), np.cos(turns)], axis=-1) / 2
    codes = np.full(_ARC + 3, Path.LINETO, dtype=Path.code_type)
    codes[[0, -1]] = Path.MOVETO, Path.CLOSEPOLY
    slices = PathCollection(
        [Path(outline, codes) for outline in outlines.reshape(-1, _ARC + 3, 2)], sizes=[size],
        offsets=np.repeat(X, n_parts, axis=0), offset_transform=ax.transData, transform=IdentityTransform(),
        linewidths=0, facecolors=[color(k) for k in range(n_parts)] * n_points, zorder=zorder,
    )  # fmt: skip
    slices.set_sizes([size], ax.figure.dpi)  # the page draws what glides: matplotlib would set it late
    ax.add_collection(slices, autolim=True)
    ax.plot(*X.T, "o", ms=size**0.5, mfc="none", mec=edge, mew=0.6, zorder=zorder)
    return slices
