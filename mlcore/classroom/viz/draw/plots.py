"""Plots that many chapters share. Each draws on the axes it is given; none knows a model beyond ``predict``."""

import math

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.patches import Ellipse, PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import Normal, Stroke

from mlcore.classroom.viz.draw.borders import Borders
from mlcore.classroom.viz.draw.readings import linked
from mlcore.classroom.viz.draw.roles import INK, color, light, marker, shades
from mlcore.classroom.viz.draw.style import plain

__all__ = [
    "covariance_ellipse",
    "decision_regions",
    "draw_path",
    "grid_over",
    "loss_contours",
    "probability_map",
    "scatter_classes",
]


RING = 18
"""The area of the smallest points that are seen, in points²."""
_ON_A_LINE = (Stroke(linewidth=5, foreground="paper", joinstyle="round"), Normal())
"""A halo that hides the line below a number: with a narrower one the line fills the gap beside its decimal point."""


def grid_over(xlim, ylim, n=120):
    """Return the points of an n-by-n grid over a rectangle.

    Returns
    -------
    points : ndarray of shape (n * n, 2)
    extent : (left, right, bottom, top)
        For ``imshow``.
    """
    x, y = np.linspace(*xlim, n), np.linspace(*ylim, n)
    grid_x, grid_y = np.meshgrid(x, y)
    return np.column_stack([grid_x.ravel(), grid_y.ravel()]), (*xlim, *ylim)


def _limits(X, margin=0.08):
    low, high = X.min(axis=0), X.max(axis=0)
    pad = margin * np.where(high > low, high - low, 1.0)
    return list(zip(low - pad, high + pad, strict=True))


def scatter_classes(
    ax, X, y, *, classes=None, sizes=30, names=None, legend=True, alpha=None, edge=None, zorder=3, rows=""
):
    """Draw points of two features, one colour and one marker for each class.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
    classes : sequence, optional
        The order of the classes, so that colours stay the same when one of them is absent.
    sizes : float or array of shape (n_samples,)
        Marker areas in points². Points that are too small to be seen have a ring around them.
    names : sequence of str, optional
        Legend entries; by default "class k".
    edge : color, optional
        Of the thin line around each point; by default a darker shade of its class.
    rows : str
        A name for panels that show the same rows: see ``linked``.

    Returns
    -------
    list of artists, one for each class
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    classes = np.unique(y) if classes is None else np.asarray(classes)
    drawn = []
    for k, label in enumerate(classes):
        own = y == label
        name = plain(f"class {label}" if names is None else names[k])
        look = {"color": color(k), "marker": marker(k), "label": name, "alpha": alpha, "zorder": zorder}
        rim = edge or f"{color(k)}-edge"
        if np.ndim(sizes) == 0:  # a line of markers is drawn in a third of the time of a scatter
            size = {"markersize": sizes**0.5, "markeredgecolor": rim, "markeredgewidth": 0.8}
            drawn += ax.plot(*X[own].T, ls="none", **size, **look)
        else:
            drawn.append(ax.scatter(*X[own].T, s=np.asarray(sizes)[own], edgecolors=rim, linewidths=0.8, **look))
            specks = X[own & (np.asarray(sizes) < RING)]
            ring = {"markersize": RING**0.5, "markeredgecolor": rim, "markeredgewidth": 0.8, "mfc": "none"}
            rings = ax.plot(*specks.T, ls="none", marker=marker(k), alpha=alpha, zorder=zorder, **ring)
            linked(*rings, None)
        linked(drawn[-1], f"{rows} {label}" if rows else "")
    if legend:
        ax.legend(loc="upper right")
    return drawn


def _places(labels, classes):
    """Return for each label its place among the classes, in whatever order they are."""
    order = np.argsort(classes)
    places = order[np.searchsorted(classes, labels, sorter=order).clip(max=len(classes) - 1)]
    if not np.array_equal(classes[places], labels):
        strange = labels[classes[places] != labels][0]
        raise ValueError(f"the label {strange} is predicted, but the classes are {', '.join(map(str, classes))}")
    return places


def _fill_plane(ax, values, xlim, ylim, palette, norm):
    """Give each pixel the colour of the grid point nearest to it.

    ``imshow`` looks up a colour for every pixel, ``pcolorfast`` for every grid point: a quarter of the time.
    """
    edges = []
    for low, high, n in ((*xlim, values.shape[1]), (*ylim, values.shape[0])):
        points = np.linspace(low, high, n)
        edges.append(np.concatenate([[low], (points[1:] + points[:-1]) / 2, [high]]))
    ax.pcolorfast(*edges, values, cmap=palette, norm=norm, zorder=0)


def decision_regions(
    ax, predict, X=None, y=None, *, xlim=None, ylim=None, n=120, classes=None, colors=None, border=INK, **scatter
):
    """Colour the plane by predicted class, with a line where the prediction changes.

    Parameters
    ----------
    predict : a model, or a function from (n, 2) points to n labels
    X, y : arrays, optional
        Points to draw on top.
    xlim, ylim : (low, high), optional
        By default a little more than the points take.
    n : int
        The grid has n-by-n points; the borders are found between them: see ``borders.py``.
    colors : sequence of colors, optional
        Of the areas, one for each class; by default a light shade of its colour.
    border : color
        "none" for none.
    """
    model, predict = predict, getattr(predict, "predict", predict)
    xlim, ylim = _given_or_around(X, xlim, ylim)
    points, _ = grid_over(xlim, ylim, n)
    labels = np.asarray(predict(points))
    if classes is None:
        classes = np.unique(labels if y is None else np.concatenate([labels, np.asarray(y)]))
    classes = np.asarray(classes)
    codes = _places(labels, classes).reshape(n, n)
    shown = [light(k) for k in range(len(classes))] if colors is None else colors
    _fill_plane(ax, codes, xlim, ylim, ListedColormap(shown), Normalize(-0.5, len(shown) - 0.5))
    scores = _smooth_scores(model, points, len(classes))
    if scores is None:
        found = Borders(codes, points[:n, 0], points[::n, 1], lambda at: _places(np.asarray(predict(at)), classes))
        lines, areas = found.lines, found.areas
    else:
        generator = contour_generator(points[:n, 0], points[::n, 1], scores, fill_type="OuterCode")
        lines, areas = generator.lines(0.0), _areas(generator, scores)
    for k, area in areas.items():
        patch = ax.add_artist(PathPatch(area, fc=shown[k], ec="none", lw=0, zorder=0.1, snap=False))
        patch.set_in_layout(False)
    if border != "none":
        ax.add_collection(LineCollection(lines, colors=border, linewidths=1.2, joinstyle="miter"), autolim=False)
    if X is not None:
        scatter_classes(ax, X, y, classes=classes, **scatter)
    ax.set(xlim=xlim, ylim=ylim)


def _smooth_scores(model, points, n_classes):
    """The score of a model of two classes at each point; None where it has none, or one that changes in steps."""
    if n_classes != 2 or not hasattr(model, "decision_function"):
        return None
    scores = np.asarray(model.decision_function(points), dtype=float)
    scores = scores.reshape(math.isqrt(len(points)), -1)
    return scores if _is_smooth(scores) else None


def _is_smooth(surface):
    """Whether a function on a grid does not go up and down in steps: few of its changes stand between equal values."""
    lonely = changes = 0
    for rows in (surface, surface.T):
        moves = np.diff(rows, axis=1) != 0
        still = ~np.pad(moves, ((0, 0), (1, 1)))
        lonely += np.sum(moves & still[:, :-2] & still[:, 2:])
        changes += np.sum(moves)
    return 50 * lonely <= changes


def _areas(generator, scores):
    """Where scores are negative, and where they are positive."""
    areas = {}
    for k, low, high in ((0, scores.min() - 1, 0.0), (1, 0.0, scores.max() + 1)):
        if scores.min() < 0 < scores.max():
            outlines, codes = generator.filled(low, high)
            areas[k] = Path.make_compound_path(*(Path(*part) for part in zip(outlines, codes, strict=True)))
    return areas


def probability_map(
    ax, probability, X=None, y=None, *, xlim=None, ylim=None, n=120, levels=(0.1, 0.5, 0.9), label_levels=True,
    **scatter,
):  # fmt: skip
    """Shade the plane by the probability of the second of two classes, with labelled contours.

    Parameters
    ----------
    probability : a model with ``predict_proba``, or a function from (n, 2) points to n probabilities
    levels : sequence of float
        Contours; 0.5 is drawn solid, the others dashed.
    label_levels : bool
        Write its level on each contour.
    """
    if hasattr(probability, "predict_proba"):
        model = probability

        def probability(points):
            return model.predict_proba(points)[:, 1]

    xlim, ylim = _given_or_around(X, xlim, ylim)
    ax.set(xlim=xlim, ylim=ylim)
    points, _ = grid_over(xlim, ylim, n)
    surface = np.asarray(probability(points), dtype=float).reshape(n, n)
    smooth, labels = _is_smooth(surface), []
    palette = shades(light(0, 0.68), "paper", light(1, 0.68))
    _fill_plane(ax, _finer(surface) if smooth else surface, xlim, ylim, palette, Normalize(0, 1))
    for level in (level for level in levels if surface.min() < level < surface.max()):
        width, style = (2.0, "solid") if level == 0.5 else (1.0, "dashed")
        lines = _level_lines(surface, points[:n, 0], points[::n, 1], level, smooth)
        ax.add_collection(LineCollection(lines, colors=INK, linewidths=width, linestyles=style), autolim=False)
        if label_levels:
            labels.append(_write_level(ax, max(lines, key=len), level, X, labels))
    if X is not None:
        scatter_classes(ax, X, y, **scatter)
    ax.set(xlim=xlim, ylim=ylim)


def _finer(surface, times=4):
    """A smooth surface on a finer grid, by straight lines: no steps are seen."""
    for _ in range(2):
        rows = np.arange(times * (len(surface) - 1) + 1) / times
        below = rows.astype(int).clip(max=len(surface) - 2)
        part = (rows - below)[:, np.newaxis]
        surface = ((1 - part) * surface[below] + part * surface[below + 1]).T
    return surface


def _level_lines(surface, x, y, level, smooth):
    """Where a surface has this height; of one with steps, the edges of the steps."""
    if smooth:
        return contour_generator(x, y, surface).lines(level)
    return Borders((surface > level).astype(int), x, y, None).lines


def _write_level(ax, line, level, X, others):
    """Write its level on a line, where the points and other levels are far; return the place in pixels."""
    way = ax.transData.transform(line)
    along = np.append(0, np.cumsum(np.hypot(*np.diff(way, axis=0).T)))
    at = np.linspace(0, along[-1], 60)
    places = np.column_stack([np.interp(at, along, way[:, k]) for k in (0, 1)])
    (left, bottom), (right, top) = ax.bbox.get_points() + ((18, 14), (-18, -14))
    within = (places > (left, bottom)).all(axis=1) & (places < (right, top)).all(axis=1)
    filled = np.concatenate([np.empty((0, 2)) if X is None else ax.transData.transform(X), *others]).reshape(-1, 2)
    free = np.hypot(*(places[:, np.newaxis] - filled).T).min(axis=0, initial=30.0)
    best = np.argmax(free + 100 * within - 10 * np.abs(at / max(along[-1], 1e-9) - 0.5))
    at = ax.transData.inverted().transform(places[best])
    ax.text(*at, f"{level:g}", ha="center", va="center", fontsize=10, path_effects=_ON_A_LINE)
    return places[[best]]


def _given_or_around(X, xlim, ylim):
    if X is None and (xlim is None or ylim is None):
        raise ValueError("without points, both xlim and ylim are needed")
    around = _limits(np.asarray(X, dtype=float)) if X is not None else (None, None)
    return xlim or around[0], ylim or around[1]


def loss_contours(ax, loss, xlim, ylim, *, n=80, levels=12):
    """Draw contours of a function of two parameters.

    They are spread over the logarithm of the height above the lowest value: then the valley shows too.

    Parameters
    ----------
    loss : callable
        From points of shape (n, 2) to n values.
    levels : int
        How many lines.
    """
    points, _ = grid_over(xlim, ylim, n)
    surface = np.asarray(loss(points), dtype=float).reshape(n, n)
    heights = surface - surface.min()
    least = 1e-3 * heights.max() + 1e-300
    # of heights, not of their logarithms, whose contours have corners where the valley is narrow
    lines = np.geomspace(least, heights.max() + least, levels + 1)[1:] - least
    looks = shades("ink", "guide", "hair")(np.linspace(0, 1, levels))
    bowl = _bowl(points, surface.ravel())
    if bowl:
        rings = [_ring(*bowl, surface.min() + line) for line in lines]
        ax.add_collection(LineCollection(rings, colors=looks, linewidths=1.0), autolim=False)
    else:
        _draw_valley(ax, loss, points[:n, 0], points[::n, 1], surface, surface.min() + lines, looks)
    ax.set(xlim=xlim, ylim=ylim)


def _draw_valley(ax, loss, x, y, surface, levels, looks):
    """Contours of any surface; those around few points of the grid are drawn on a grid of their own."""
    drawn, shades_of = [], []
    for last in (False, False, False, True):
        inside = [np.nonzero(surface <= level) for level in levels]
        wide = [max((np.ptp(own) for own in rows_columns if len(own)), default=0) for rows_columns in inside]
        small = 0 if last else np.searchsorted(np.maximum.accumulate(wide), len(x) / 3)
        generator = contour_generator(x, y, surface)
        for level, look in zip(levels[small:], looks[small:], strict=True):
            lines = generator.lines(level)
            drawn, shades_of = drawn + lines, shades_of + [look] * len(lines)
        if not small:
            break
        levels, looks = levels[:small], looks[:small]
        rows, columns = inside[small - 1] if wide[small - 1] else np.unravel_index([surface.argmin()], surface.shape)
        x, y = (np.linspace(at[max(own.min() - 2, 0)], at[min(own.max() + 2, len(at) - 1)], 40)
                for at, own in ((x, columns), (y, rows)))  # fmt: skip
        surface = np.asarray(loss(grid_over(x[[0, -1]], y[[0, -1]], 40)[0]), dtype=float).reshape(40, 40)
    ax.add_collection(LineCollection(drawn, colors=shades_of or "hair", linewidths=1.0), autolim=False)


def _bowl(points, values):
    """Lowest point, its height and the axes of the level curves of a quadratic function; None if it is no such bowl."""
    middle, scale = points.mean(axis=0), np.ptp(points, axis=0)
    x, y = ((points - middle) / scale).T
    terms = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    weights = np.linalg.lstsq(terms, values, rcond=None)[0]
    if not np.abs(terms @ weights - values).max() <= 1e-6 * np.ptp(values):
        return None
    curvature = np.array([[2 * weights[3], weights[4]], [weights[4], 2 * weights[5]]])
    size, turn = np.linalg.eigh(curvature)
    if size[0] <= 1e-9 * size[1]:
        return None
    place = np.linalg.solve(curvature, -weights[1:3])
    axes = turn / np.sqrt(size / 2) * scale[:, None]  # of the level curve one above the lowest point
    return middle + scale * place, weights[0] + weights[1:3] @ place / 2, axes


def _ring(center, lowest, axes, level):
    """The ellipse on which a bowl has this height."""
    turn = np.linspace(0, 2 * np.pi, 181)
    return center + np.sqrt(max(level - lowest, 0.0)) * np.column_stack([np.cos(turn), np.sin(turn)]) @ axes.T


def draw_path(ax, points, *, k=0, label=None):
    """Draw the iterates of an algorithm in two parameters: a line with a dot for each, a ring around the last.

    Parameters
    ----------
    points : array of shape (n_iterates, 2)
    k : int
        Which colour and marker.

    Returns
    -------
    Line2D
        The ring, which may glide.
    """
    points = np.asarray(points, dtype=float).reshape(-1, 2)
    ax.plot(*points.T, color=color(k), lw=1.3, zorder=4, label=label, marker=marker(k), markersize=3.5)
    return ax.plot(*points[-1], marker="o", markersize=10, mfc="none", mec=color(k), mew=1.8, zorder=5, ls="none")[0]


def covariance_ellipse(ax, mean, covariance, *, n_std=2.0, k=0, **style):
    """Draw the ellipse where a Gaussian's Mahalanobis distance from its mean is ``n_std``.

    Parameters
    ----------
    mean : array of shape (2,)
    covariance : array of shape (2, 2)

    Returns
    -------
    Ellipse
        It may glide.
    """
    variances, axes = np.linalg.eigh(np.asarray(covariance, dtype=float))
    width, height = 2 * n_std * np.sqrt(np.maximum(variances, 0))
    angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
    options = {"edgecolor": color(k), "facecolor": "none", "lw": 1.8, **style}
    return ax.add_patch(Ellipse(mean, width, height, angle=angle, **options))
