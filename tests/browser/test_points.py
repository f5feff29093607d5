"""Points in the learner's hand, on a notebook made for it: mouse, keyboard, touch, tables, themes, a lost kernel."""

import pytest

HAND = """
import numpy as np
from mlcore.viz import draggable, explore
X = np.array([[-2.0, -1], [-1, 1], [0, 0.5], [1, -0.5], [2, 1]])
y = np.array([0, 0, 1, 1, 1])
def cloud(ax, X, y, size=8):
    for k in (0, 1):
        ax.plot(*X[y == k].T, ls="none", marker="os"[k], markersize=size)
    if len(X):
        ax.axvline(X[:, 0].mean())
    return " ".join(f"({a:.3f}, {b:.3f}, {k})" for (a, b), k in zip(X, y, strict=True))
explorer = explore(cloud, alt="points of two classes and their mean", size=(2, 20),
                   points=draggable(X, y, box=((-3, 3), (-2, 2)), fewest=2, most=60))
explorer
"""


@pytest.fixture(scope="module")
def hand(open_notebook):
    notebook = open_notebook("points.ipynb", [HAND])
    notebook.run_all()
    assert notebook.problems() == []
    return notebook, notebook.explorers()[0]


@pytest.fixture
def points(hand):
    """The points as at the start."""
    _, explorer = hand
    points = explorer.points()
    points.tool("Reset").click()
    points.settled()
    return points


def caption(points):
    """The points as the picture was drawn for them: (x, y, class) each."""
    points.notebook.settle()
    text = points.explorer.root.locator(".mlcore-caption").inner_text()
    return [tuple(float(part) for part in one.split(",")) for one in text.strip(" ()\n").split(") (")]


START = [(-2.0, -1.0, 0), (-1.0, 1.0, 0), (0.0, 0.5, 1), (1.0, -0.5, 1), (2.0, 1.0, 1)]


def test_a_point_is_dragged(points, chrome):
    before = points.explorer.picture()
    place = points.places()[0]
    points.drag(0, (60, -40))
    (x, y, _), *others = caption(points)
    after = points.places()[0]
    assert (after[0] - place[0], after[1] - place[1]) == pytest.approx((60, -40), abs=1)
    assert x > -2 and y > -1 and others == START[1:]
    assert points.explorer.picture() != before
    points.tool("Undo").click()
    assert caption(points) == START
    assert points.explorer.picture() == before


def test_points_are_added_deleted_and_relabelled_by_mouse(points, chrome):
    x, y, width, height = (points.layer.bounding_box()[key] for key in ("x", "y", "width", "height"))
    points.page.mouse.dblclick(x + width / 2, y + 0.75 * height)
    added = caption(points)
    assert added[:5] == START and len(added) == 6
    points.tool("Class").click()
    assert caption(points)[5][2] != added[5][2]
    points.tool("Delete").click()
    assert caption(points) == START
    for _ in range(3):
        points.tool("Undo").click()
    assert caption(points) == START
    for _ in range(2):
        points.tool("Redo").click()
    assert len(caption(points)) == 6


def test_two_drags_of_a_point_add_none(points, chrome):
    points.drag(0, (10, 0), moves=2)
    points.drag(0, (-8, 0), moves=2)
    assert len(caption(points)) == 5


def test_everything_works_from_the_keyboard(points, chrome):
    points.press(1, "ArrowRight", "Shift+ArrowUp", "ArrowUp", "c")
    moved = caption(points)
    assert moved[1] == pytest.approx((-1 + 0.06, 1 + 0.4 + 0.04, 1))
    assert points.labels()[1] == "point 2 of 5, class 1, x -0.94, y 1.44"
    assert "point 2 of 5, class 1" in points.said.text_content()
    points.page.keyboard.press("PageDown")
    points.page.keyboard.press("Delete")
    assert caption(points) == [*moved[:2], *START[3:]]
    points.page.keyboard.press("n")
    assert len(caption(points)) == 5
    points.page.keyboard.press("0")
    assert caption(points)[-1][2] == 0
    for _ in range(5):
        points.page.keyboard.press("Control+z")
    assert caption(points) == START
    points.page.keyboard.press("Control+y")
    assert caption(points) != START
    assert points.notebook.page.locator(".jp-Cell").count() == 1, "JupyterLab took a key for itself"


def test_no_fewer_points_than_there_have_to_be(points, chrome):
    points.press(0, *["Delete"] * 6)
    assert len(caption(points)) == 2
    assert "at least 2" in points.said.inner_text() and not points.can("Delete")


def test_a_fast_drag_leaves_no_stale_picture(points, chrome):
    points.drag(4, (-150, 100), moves=80)
    drawn = caption(points)
    dragged = points.explorer.picture()
    slider = points.explorer.controls()[0]
    for key in ("ArrowRight", "ArrowLeft"):
        slider.move(key)
    assert points.explorer.picture() == dragged and caption(points) == drawn
    label = f"x {drawn[4][0]:.2f}, y {drawn[4][1]:.2f}"
    assert points.labels()[4].endswith(label)
