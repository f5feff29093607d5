"""Squares on gaps, and their stacks: the same area on the screen; and pies, whose slices are the shares."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from mlcore.viz import draw_pies, draw_squares, largest_gap, stack_squares

X = np.array([1.0, 2.0, 4.0])
Y = np.array([1.5, 4.0, 2.0])
FITTED = np.array([1.0, 2.0, 4.0])


@pytest.fixture
def panels():
    plane, column = Figure(figsize=(8, 4)).subplots(1, 2)
    plane.set(xlim=(-2, 9), ylim=(0, 6))
    return plane, column


def areas(collection):
    """The areas of polygons on the screen, by the shoelace formula."""
    corners = np.array([
        collection.get_transform().transform(path.vertices[:4]) for path in collection.get_paths()
    ])  # fmt: skip
    x, y = corners.transpose(2, 0, 1)
    return np.abs(np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1)) / 2


def test_squares_have_equal_sides_on_the_screen_and_stand_on_the_gaps(panels):
    squares = draw_squares(panels[0], X, Y, FITTED)
    for path, x, y, fitted in zip(squares.get_paths(), X, Y, FITTED):
        width, height = np.ptp(panels[0].transData.transform(path.vertices), axis=0)
        assert width == pytest.approx(height)
        assert {*path.vertices[:, 1]} == {y, fitted} and x in path.vertices[:, 0]


def test_squares_lean_away_from_the_line_and_stay_inside_where_there_is_room(panels):
    above, below = (draw_squares(panels[0], X, FITTED + sign, FITTED).get_paths() for sign in (1, -1))
    assert all(path.vertices[:, 0].max() == x for path, x in zip(above, X))
    assert all(path.vertices[:, 0].min() == x for path, x in zip(below, X))
    panels[0].set(xlim=(1, 9))
    [at_the_edge, *_] = draw_squares(panels[0], X, FITTED + 1, FITTED).get_paths()
    assert at_the_edge.vertices[:, 0].min() == 1.0


def test_a_stack_has_the_area_of_the_squares_and_the_strong_one_lies_lowest(panels):
    plane, column = panels
    squares = draw_squares(plane, X, Y, FITTED, strong=1)
    totals = stack_squares(column, {"one": Y - FITTED, "none": []}, like=plane, strong=1)
    np.testing.assert_allclose(totals, [0.25 + 4 + 4, 0])
    [stack] = [c for c in column.collections if isinstance(c, PolyCollection)]
    np.testing.assert_allclose(areas(stack), areas(squares))
    lowest = [path.vertices[:, 1].min() for path in stack.get_paths()]
    assert np.argmin(lowest) == 1 and lowest[1] == 0


def test_a_stack_that_is_too_high_is_cut_and_marked(panels):
    plane, column = panels
    stack_squares(column, {"large": [50.0, 1.0]}, like=plane)
    [stack] = [c for c in column.collections if isinstance(c, PolyCollection)]
    assert max(path.vertices[:, 1].max() for path in stack.get_paths()) < column.get_ylim()[1]
    assert "^" in [line.get_marker() for line in column.lines]
    assert "2501" in [text.get_text() for text in column.texts]


def test_the_largest_gap_may_be_below_and_there_may_be_none():
    assert largest_gap([1.0, -3.0, 2.0]) == 1
    assert largest_gap([0.0, 0.0]) is None and largest_gap([]) is None


def test_slices_of_pies_have_the_areas_of_the_shares_and_stand_on_their_points(panels):
    shares = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    slices = draw_pies(panels[0], [[1, 2], [3, 4]], shares, size=400)
    np.testing.assert_array_equal(slices.get_offsets(), np.repeat([[1, 2], [3, 4]], 3, axis=0))
    outlines = [path.vertices for path in slices.get_paths()]
    found = [abs(np.sum(v[:, 0] * np.roll(v[:, 1], -1) - v[:, 1] * np.roll(v[:, 0], -1))) / 2 for v in outlines]
    np.testing.assert_allclose(np.reshape(found, (2, 3)) * 4 / np.pi, shares, atol=0.012)
    assert np.allclose(outlines[0][1], [0, 0.5])  # from the top,
    assert outlines[0][12, 0] > 0  # clockwise
    width = slices.get_transforms()[0][0, 0]
    assert width == pytest.approx(20 * panels[0].figure.dpi / 72)
