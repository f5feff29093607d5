"""Hulls, trees of groups, and the colours of groups that merge."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.path import Path
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.marks import gliding
from mlcore.viz import draw_hull, group_colors, merges_below, plot_dendrogram

CHAIN = np.array([[0.0, 0], [1, 0], [2.1, 0], [3.3, 0], [0, 9], [1.5, 9]])


def painted(draw):
    """The axes that a drawing function has drawn on."""
    canvas = Canvas(lambda ax: draw(ax), figsize=(5, 4))
    canvas.paint()
    return canvas.axes[0, 0]


def tree(X=CHAIN):
    Z = linkage(X, "single")
    return Z, leaves_list(Z)


@pytest.mark.parametrize("seed", range(3))
def test_a_hull_lies_so_many_pixels_around_its_points(seed):
    points = np.random.default_rng(seed).normal(size=(12, 2))
    found = {}

    def draw(ax):
        ax.set(xlim=(-4, 4), ylim=(-9, 9))
        found["hull"] = draw_hull(ax, points, margin=13)

    ax = painted(draw)
    outline, seen = ax.transData.transform(found["hull"].get_xy()), ax.transData.transform(points)
    apart = np.linalg.norm(outline[:, np.newaxis] - seen, axis=2).min(axis=1)
    assert_allclose(apart, 13)  # every corner is so far from the nearest point
    assert Path(outline).contains_points(seen).all()


def test_all_hulls_have_as_many_corners():
    sizes = set()
    painted(lambda ax: sizes.update(len(draw_hull(ax, CHAIN[:n]).get_xy()) for n in (1, 2, 6)))
    assert len(sizes) == 1


def test_merges_are_made_up_to_the_first_that_is_too_high():
    Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 1.5, 4]])
    assert [merges_below(Z, height) for height in (0.5, 1, 1.7, 2, 9)] == [0, 1, 1, 3, 3]
    assert merges_below(np.empty((0, 4)), 1.0) == 0


@pytest.mark.parametrize("kind", ["single", "complete", "ward"])
def test_groups_are_told_apart_by_colour_and_keep_it(kind):
    X = np.random.default_rng(1).normal(size=(15, 2))
    Z = linkage(X, kind)
    before = np.full(15, -1)
    for made in range(15):
        height = 0.0 if made == 0 else Z[made - 1, 2]
        colors, groups = group_colors(Z, made), fcluster(Z, height, "distance")
        sizes = np.bincount(groups)[groups]
        assert_array_equal(colors < 0, sizes == 1)
        together, alike = groups[:, None] == groups, colors[:, None] == colors
        assert_array_equal(together[sizes > 1][:, sizes > 1], alike[sizes > 1][:, sizes > 1])
        changed = (before >= 0) & (before != colors)  # only those of the smaller of two groups
        assert changed.sum() <= sizes.max() / 2
        before = colors


def test_the_tree_has_grown_up_to_the_cut():
    Z, leaves = tree()
    cut = 1.3
    groups = fcluster(Z, cut, "distance")
    ax = painted(lambda ax: plot_dendrogram(ax, Z, leaves, cut=cut, colors=group_colors(Z, 3)))
    ghost, stems, bars = ax.collections
    ends = np.array([stem[1, 1] for stem in stems.get_segments()])
    seen = stems.get_colors()[:, 3] > 0
    assert np.sum(np.isclose(ends, cut) & seen) == len(set(groups))  # so many branches cross the line
    assert not (ends[seen] > cut + 1e-12).any()
    heights = [bar[0, 1] for bar, look in zip(bars.get_segments(), bars.get_colors()) if look[3] > 0]
    assert_allclose(heights, Z[Z[:, 2] <= cut, 2])
    assert_allclose([bracket[1, 1] for bracket in ghost.get_segments()], Z[:, 2])
    assert {to_hex(look) for look in bars.get_colors() if look[3] > 0} == {to_hex("class0")}
    assert len(gliding(ax.figure)) == 3


def test_an_inversion_is_not_drawn_before_its_merge():
    Z = np.array([[0, 1, 1.0, 2], [2, 3, 0.9, 3]])
    ax = painted(lambda ax: plot_dendrogram(ax, Z, [2, 0, 1], cut=0.95))
    stems, bars = ax.collections[1:]
    assert not (bars.get_colors()[:, 3] > 0).any()
    assert_allclose([stem[1, 1] for stem in stems.get_segments()[:3]], 0.95)


def test_it_says_where_each_branch_begins():
    Z, leaves = tree()
    found = {}
    painted(lambda ax: found.update(at=plot_dendrogram(ax, Z, leaves)))
    assert_array_equal(found["at"][leaves, 0], np.arange(6))
    assert_allclose(found["at"][6:, 1], Z[:, 2])
    for g, (a, b) in enumerate(Z[:, :2].astype(int), start=6):
        assert found["at"][g, 0] == pytest.approx(found["at"][[a, b], 0].mean())
