"""The picture of a street: lines where the score says, bands between them, and marks on the right points."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import PathPatch

from mlcore.viz import figure, margin_map

X = np.array([[-2.0, 0.0], [0.5, 1.0], [1.5, -1.0], [2.5, 0.5]])
Y = np.array([-1, -1, 1, 1])
FRAME = {"xlim": (-3.0, 3.0), "ylim": (-2.0, 2.0)}


def first_coordinate(points):
    return points[:, 0]


def drawn(score, **options):
    fig, ax = figure()
    margin_map(ax, score, X, Y, **{**FRAME, **options})
    fig.canvas.draw()
    return ax


def test_lines_lie_at_minus_one_zero_and_one():
    ax = drawn(first_coordinate)
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(lines) == 3
    for line, level in zip(lines, (-1, 0, 1)):
        [path] = line.get_paths()
        np.testing.assert_allclose(path.vertices[:, 0], level, atol=1e-12)
        assert np.ptp(path.vertices[:, 1]) == pytest.approx(4.0)
    assert lines[1].get_linewidth()[0] > lines[0].get_linewidth()[0]


def test_bands_fill_the_frame_and_the_street_is_paler():
    ax = drawn(first_coordinate)
    bands = [c for c in ax.collections if isinstance(c, PathCollection)]
    extents = [c.get_paths()[0].get_extents() for c in bands]
    np.testing.assert_allclose([(e.x0, e.x1) for e in extents], [(-3, -1), (-1, 0), (0, 1), (1, 3)], atol=1e-12)
    light = [np.sum(c.get_facecolor()[0][:3]) for c in bands]
    assert light[1] > light[0] and light[2] > light[3]


def test_marks_circle_the_free_and_box_the_bound():
    ax = drawn(first_coordinate, free=[1, 2], bound=[3], legend=False)
    circles, boxes = ax.lines[-2:]
    np.testing.assert_array_equal(np.transpose(circles.get_data()), X[[1, 2]])
    np.testing.assert_array_equal(np.transpose(boxes.get_data()), X[[3]])
    assert circles.get_marker() != boxes.get_marker()


def test_signs_stand_in_a_row_above_the_axes_and_inside_the_picture():
    ax = drawn(first_coordinate, free=[0])
    top, right = ax.get_window_extent().y1, ax.figure.bbox.x1
    [words] = [patch for patch in ax.patches if isinstance(patch, PathPatch)] or [
        child for child in ax.get_children() if isinstance(child, PathPatch)
    ]
    extent = words.get_window_extent()
    assert top < extent.y0 and extent.y1 < ax.figure.bbox.y1 and extent.x1 < right
    signs = [line for line in ax.lines if line.get_transform() == words.get_transform() or not line.get_clip_on()]
    assert len(signs) == 4
    middles = [sign.get_window_extent().x0 for sign in signs]
    assert middles == sorted(middles) and middles[-1] < extent.x1
    assert ax.get_xlim() == FRAME["xlim"] and ax.get_ylim() == FRAME["ylim"]


@pytest.mark.parametrize("constant", [-5.0, 0.0, 1.0, 5.0])
def test_a_constant_score_draws_without_lines(constant):
    ax = drawn(lambda points: np.full(len(points), constant))
    assert ax.get_xlim() == FRAME["xlim"] and ax.get_ylim() == FRAME["ylim"]


def test_a_model_is_asked_for_its_decision_function():
    class Model:
        def decision_function(self, points):
            return first_coordinate(points)

    assert len([c for c in drawn(Model()).collections if isinstance(c, LineCollection)]) == 3
