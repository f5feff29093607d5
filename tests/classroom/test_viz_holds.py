"""What can be taken hold of in a picture: its place, and the way back, in plain arithmetic."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mlcore.viz import explore, hold


def panel(xlim=(0, 10), ylim=(0, 4), scale="linear"):
    """A figure whose one panel takes the middle half of it, in both directions."""
    figure = Figure(figsize=(4, 2))
    figure.add_axes((0.25, 0.25, 0.5, 0.5)).set(xlim=xlim, ylim=ylim, xscale=scale)
    return figure


@pytest.mark.parametrize(
    ("one", "value", "where"),
    [
        (hold("x"), 2.5, (0.25 + 0.5 * 0.25, 0.5)),
        (hold("y"), 1.0, (0.5, 0.75 - 0.5 * 0.25)),
        (hold("x", at=lambda v: 10 * v, read=lambda x: x / 10), 0.5, (0.5, 0.5)),
        (hold("x", at=lambda *v, **how: 10 * v[0], read=lambda *x, **how: x[0] / 10), 0.5, (0.5, 0.5)),  # as NumPy's
        (hold("both", at=lambda v: (v, v), read=lambda x, y: (x + y) / 2), 3.0, (0.4, 0.375)),
    ],
)
def test_a_hold_is_where_its_value_is_seen_and_reads_it_there(one, value, where):
    place = one.place(panel(), value)
    assert place[:2] == pytest.approx(where, abs=1e-4) and place[2:] == [0.25, 0.25, 0.75, 0.75]
    assert one.value(panel(), *where) == pytest.approx(value, abs=1e-9)


def test_what_lies_outside_the_panel_cannot_be_held():
    assert hold("x").place(panel(), 10.5) is None and hold("y").place(panel(), -0.1) is None
    assert hold("x").place(panel(xlim=(1, 100), scale="log"), 10) == [0.5, 0.5, 0.25, 0.25, 0.75, 0.75]
    assert hold("x").place(panel(xlim=(1, 100), scale="log"), 0) is None
    nowhere = hold("both", at=lambda v: (np.nan, np.nan), read=lambda x, y: x)
    assert nowhere.place(panel(), 1.0) is None


def test_a_line_may_go_through_a_part_of_its_panel_only():
    assert hold("x", between=(-9, 1)).place(panel(), 2.5) == [0.375, 0.6875, 0.25, 0.625, 0.75, 0.75]
    assert hold("y", between=(5, 10)).place(panel(), 1.0) == [0.625, 0.625, 0.5, 0.25, 0.75, 0.75]
    for wrong in (dict(between=(0, 1, 2)), dict(along="both", at=lambda v: (v, v), read=max, between=(0, 1))):
        with pytest.raises(ValueError, match="two ends"):
            hold(**wrong)


def test_other_controls_and_numbers_of_the_picture_are_given_by_name():
    slope = hold("both", at=lambda slope, b: (5, 5 * slope + b), read=lambda x, y, b, k=1: k * (y - b) / x)
    seen = slope.place(panel(), 0.5, {"b": 1.0, "other": 7})
    assert seen[:2] == pytest.approx([0.5, 0.75 - 0.5 * 3.5 / 4], abs=1e-4)
    assert slope.value(panel(), *seen[:2], {"b": 1.0}) == pytest.approx(0.5, abs=1e-3)

    def draw(ax, slope=0.5, b=1):
        ax.plot([0, 5], [b, 5 * slope + b])
        ax.set(xlim=(0, 10), ylim=(0, 10))

    explorer = explore(draw, alt="a line over two axes", slope=(0.0, 2.0, 0.1), b=(0, 4), holds={"slope": slope})
    across, down, _, top, _, bottom = explorer.frame["holds"]["slope"]
    assert (bottom - down) / (bottom - top) == pytest.approx(0.35, abs=1e-3)
    explorer._heard(None, {"kind": "hold", "name": "slope", "at": [across, bottom - 0.6 * (bottom - top)]})
    assert explorer.values == {"slope": 1.0, "b": 1}


def test_a_hold_without_a_way_back_is_refused():
    for wrong in (dict(at=float), dict(read=float), dict(along="both"), dict(along="both", at=lambda v: (v, v))):
        with pytest.raises(ValueError, match="belong together"):
            hold(**wrong)


def test_the_page_is_told_whether_a_press_anywhere_moves_it():
    def draw(ax, x=1.0, y=1.0):
        ax.plot(x, y, "o")

    holds = {"x": hold("x"), "y": hold("both", at=lambda y: (y, y), read=lambda x, y: y, anywhere=True)}
    explorer = explore(draw, alt="a point in its box", x=(0.0, 2.0), y=(0.0, 2.0), holds=holds)
    told = explorer.stage.spec["holds"]
    assert told == {
        "x": {"along": "x", "panel": 0, "anywhere": False}, "y": {"along": "both", "panel": 0, "anywhere": True},
    }  # fmt: skip


def test_a_place_that_cannot_be_found_is_an_error_of_the_picture():
    def draw(ax, x=1):
        ax.plot(x, 1, "o")

    def explorer(one):
        return explore(draw, alt="a point in its box", x=(0, 3), holds={"x": one})

    with pytest.raises(ValueError, match="x is held in panel 4, but the picture has 1, counted from 0"):
        explorer(hold("x", panel=4))
    with pytest.raises(ZeroDivisionError):
        explorer(hold("x", at=lambda x: 1 / (x - 1), read=lambda across: across))
    one = explorer(hold("x", at=lambda x: 1 / (x - 3), read=lambda across: across))
    one.controls["x"].value = 3
    assert one.frame["error"]["name"] == "ZeroDivisionError" and one.frame["picture"] == b""
    one.controls["x"].value = 2
    assert one.frame["error"] is None and one.frame["picture"] != b""
    with pytest.raises(ZeroDivisionError):
        one.sweep()
