"""The landscape of feature sets: larger sets to the right, worse ones higher, letters beside each."""

import itertools

import numpy as np
import pytest

from mlcore.classroom.viz.draw.style import INK
from mlcore.viz import figure, plot_subsets, subset_places

LETTERS = "pqrs"
SETS = [F for size in range(5) for F in itertools.combinations(range(4), size)]
ERRORS = dict(zip(SETS, np.random.default_rng(0).integers(4, 20, len(SETS)) / 40))


def words(ax):
    """Each word and its box in pixels."""
    found = [(word, patch.get_transform().transform(np.reshape(box, (2, 2))))
             for patch in ax.patches for word, box, _ in patch.words]  # fmt: skip
    return dict(found)


@pytest.fixture
def ax():
    return figure(figsize=(7, 4))[1]


def test_each_set_stands_at_its_error_and_to_the_right_of_all_smaller_ones():
    places, middles = subset_places(ERRORS)
    assert {F: y for F, (_, y) in places.items()} == ERRORS
    for size in range(1, 5):
        smaller = [x for F, (x, _) in places.items() if len(F) < size]
        own = [x for F, (x, _) in places.items() if len(F) == size]
        assert max(smaller) < min(own)
        assert middles[size] == pytest.approx((min(own) + max(own)) / 2)


def test_sets_with_nearly_equal_errors_stand_side_by_side():
    places, _ = subset_places(ERRORS, row=0.06)
    for F, G in itertools.combinations(SETS, 2):
        if len(F) == len(G) and places[F][0] == places[G][0]:
            assert abs(ERRORS[F] - ERRORS[G]) >= 0.06 - 1e-12
    for second, same_lane in ((0.3, True), (0.21, False)):
        few, _ = subset_places({(): 0.5, (0,): 0.2, (1,): second, (0, 1): 0.1})
        assert (few[0,][0] == few[1,][0]) == same_lane


def test_every_set_has_its_letters_beside_its_dot(ax):
    places = plot_subsets(ax, ERRORS, LETTERS)
    told = words(ax)
    assert set(told) == {"".join(LETTERS[j] for j in F) or "none" for F in SETS}
    for F in SETS[1:]:
        x, y = ax.transData.transform(places[F])
        (left, bottom), (_, top) = told["".join(LETTERS[j] for j in F)]
        assert 5 < left - x < 14 and bottom < y < top
    x, y = ax.transData.transform(places[()])
    assert told["none"][1][0] < x, "from it lines start to the right"


def test_only_what_is_shown_is_drawn_and_what_is_strong_stands_out(ax):
    shown = {(), (0,), (1,), (0, 1)}
    places = plot_subsets(ax, ERRORS, LETTERS, shown=shown, strong={(1,)})
    assert set(words(ax)) == {"none", "p", "q", "pq"}
    [edges] = [one.get_segments() for one in ax.collections]
    between = {(tuple(start), tuple(end)) for start, end in edges}
    wanted = [((), (0,)), ((), (1,)), ((0,), (0, 1)), ((1,), (0, 1))]
    assert between == {(places[F], places[G]) for F, G in wanted}
    strong = [line for line in ax.lines if line.get_marker() == "o" and line.get_color() == INK]
    assert [tuple(xy) for line in strong for xy in line.get_xydata()] == [places[1,]]
