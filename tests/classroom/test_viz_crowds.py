"""A crowd cut by a threshold: one dot a person, where its score is; and the four cells, which hold the same people."""

import numpy as np
import pytest

from mlcore.classroom.viz.draw.marks import marks_of
from mlcore.classroom.viz.draw.roles import color
from mlcore.viz import draw_cells, draw_crowd, figure, sort_by_call

SCORES = np.concatenate([np.linspace(-2.8, 1.1, 60), np.linspace(-0.9, 2.7, 25)])
POSITIVE = np.repeat([0, 1], [60, 25])


@pytest.fixture
def panels():
    crowd, cells = figure(1, 2, figsize=(9, 4))[1]
    crowd.set_xlim(-3, 3)
    return crowd, cells


def dots(ax, *colors):
    """Where dots of these colours stand, on the screen."""
    lines = [line for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() in colors]
    return np.concatenate([ax.transData.transform(line.get_xydata()) for line in lines])


def all_dots(ax):
    return dots(ax, *{line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"})


def test_everybody_falls_into_one_of_the_four_cells():
    by_hand = [sum((s >= 0.5) == called and p == positive for s, p in zip(SCORES, POSITIVE))
               for called, positive in ((True, 1), (True, 0), (False, 1), (False, 0))]  # fmt: skip
    assert list(sort_by_call(SCORES, POSITIVE, 0.5)) == by_hand
    assert sort_by_call([1.0, 2.0], [0, 1], 2.0) == (1, 0, 0, 1), "a score at the threshold is called"


@pytest.mark.parametrize("threshold", [-3.0, 0.5, 3.0])
def test_a_crowd_has_a_dot_for_each_at_its_score_and_on_its_side(panels, threshold):
    ax = panels[0]
    counts = draw_crowd(ax, SCORES, POSITIVE, threshold, across=60)
    assert counts == sort_by_call(SCORES, POSITIVE, threshold)
    places = all_dots(ax)
    assert len(places) == len(SCORES)
    pitch = ax.bbox.width / 60
    gaps = np.linalg.norm(places[:, np.newaxis] - places, axis=2) + 10 * pitch * np.eye(len(places))
    assert gaps.min() >= pitch - 1e-6, "no dot lies on another one"
    middle = ax.transData.transform((0, 0))[1]
    for side, own in ((1, POSITIVE == 1), (-1, POSITIVE == 0)):
        x = np.sort(places[np.sign(places[:, 1] - middle) == side, 0])
        wanted = np.sort(ax.transData.transform(np.column_stack([SCORES[own], SCORES[own] * 0]))[:, 0])
        np.testing.assert_allclose(x, wanted, atol=pitch / 2 + 1e-6)
    called = dots(ax, color(0), color(1))
    assert len(called) == counts[0] + counts[1]
    line = ax.transData.transform((threshold, 0))[0]
    assert (called[:, 0] >= line - pitch / 2).all()


def test_counts_stand_on_their_side_of_the_threshold_where_there_is_room(panels):
    ax = panels[0]
    TP, FP, FN, TN = draw_crowd(ax, SCORES, POSITIVE, 0.5, counts=True)
    at = {text.get_text(): (text.get_ha(), text.xy[1] > 0) for text in ax.texts}
    assert at[f"{TP} found"] == ("left", True) and at[f"{FN} missed"] == ("right", True)
    assert at[f"{FP} false alarms"] == ("left", False) and at[f"{TN} left alone"] == ("right", False)
    assert at["called positive →"] == ("left", True)
    ax.clear()
    ax.set_xlim(-3, 3)
    draw_crowd(ax, SCORES, POSITIVE, 3.0, counts=True)
    assert [text.get_text() for text in ax.texts if text.get_ha() == "left" and text.xy[0] == 3.0] == ["", "", ""]


def test_dots_are_as_wide_as_their_places(panels):
    draw_crowd(panels[0], SCORES, POSITIVE, 0.5, across=60)
    [size] = {line.get_markersize() for line in panels[0].lines if line.get_marker() == "o"}
    assert 0.8 < size * 100 / 72 / (panels[0].bbox.width / 60) <= 1


@pytest.mark.parametrize("threshold", [-3.0, 0.5, 3.0])
def test_the_cells_hold_the_same_people(panels, threshold):
    crowd, cells = panels
    draw_crowd(crowd, SCORES, POSITIVE, threshold, across=60)
    TP, FP, FN, TN = draw_cells(cells, SCORES, POSITIVE, threshold, like=crowd)
    marks = {mark["key"]: mark for mark in marks_of(cells.figure)}
    left, _, width, _ = marks["all 0"]["clip"]
    middle = cells.figure.bbox.height - cells.transData.transform((0, 0))[1]
    for k, in_left, in_right, side in ((0, TN, FP, 1), (1, FN, TP, -1)):
        x, down = np.reshape(marks[f"all {k}"]["shapes"][0]["p"], (-1, 2))[::2].T
        assert (np.sign(down - middle) == side).all()
        assert (np.sum(x < left + width / 2), np.sum(x > left + width / 2)) == (in_left, in_right)
        assert len({*zip(x, down)}) == len(x), "no dot lies on another one"
        shown = np.reshape(marks[f"called {k}"]["shapes"][0]["p"], (-1, 2))[::2, 0] > left
        assert shown.sum() == in_right, "who is not called has the full colour out of sight"
    names = " ".join(text.get_text() for text in cells.texts)
    assert all(f"{name} {count} " in names for name, count in (("TP", TP), ("FP", FP), ("FN", FN), ("TN", TN)))


def test_only_those_who_pass_the_threshold_change_their_place(panels):
    crowd, cells = panels
    seen = []
    for threshold in (0.5, 0.25):
        cells.clear()
        draw_crowd(crowd, SCORES, POSITIVE, threshold)
        draw_cells(cells, SCORES, POSITIVE, threshold, like=crowd)
        lines = [line for line in cells.lines if (line.get_gid() or "").startswith("glide all")]
        seen.append(np.concatenate([line.get_xydata() for line in lines]))
    right = [places[:, 0] > np.mean(cells.get_xlim()) for places in seen]
    assert 0 < np.sum(right[0] != right[1]) < 10
    stay = right[0] & right[1]
    np.testing.assert_array_equal(seen[0][stay], seen[1][stay])
