"""The network drawn as maps and wires: where its units lie, what their maps show, and how thick the wires are."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.image import PcolorImage

from mlcore.classroom.viz.draw.lettering import text_width
from mlcore.viz import explore, nearest_unit, plot_borders, plot_network, unit_places

PANEL = (360.0, 288.0)


def drawn(maps, weights, **options):
    figure = Figure(figsize=(5, 4), dpi=72)
    ax = figure.add_axes((0, 0, 1, 1))
    return ax, plot_network(ax, maps, weights, **options)


@pytest.mark.parametrize("sizes", [(2,), (2, 1), (2, 4), (2, 16, 16, 16)])
def test_units_lie_apart_within_the_panel_and_are_found_again(sizes):
    places, (width, height) = unit_places(sizes, PANEL)
    assert [len(column) for column in places] == list(sizes)
    everyone, number = np.concatenate(places), 0
    low, high = everyone - (width / 2, height / 2), everyone + (width / 2, height / 2)
    assert low.min() > 0 and (high < PANEL).all() and width == pytest.approx(1.4 * height)
    for i in range(len(everyone)):
        for j in range(i):
            assert (low[i] >= high[j]).any() or (low[j] >= high[i]).any()
    for column in places[1:]:
        assert (np.diff(column[:, 1]) < 0).all(), "the first unit lies on top"
        for x, y in column:
            number += 1
            assert nearest_unit(places, x + 0.4 * width, y - 0.4 * height) == number
    assert number or nearest_unit(places, 10, 10) is None


def test_each_map_shows_what_its_unit_says():
    rng = np.random.default_rng(0)
    maps = [rng.uniform(-1, 1, (n, 5, 7)) for n in (2, 3, 3)]
    maps[1][0], maps[2][2] = 1.0, -1.0
    maps[1][1, :2] = 0.0
    ax, _ = drawn(maps, [np.ones((2, 3)), np.ones((3, 3)), np.ones((3, 1))])
    hidden = [image for image in ax.images if isinstance(image, PcolorImage)][1]
    colours, x, y = np.asarray(hidden.get_array()), hidden._Ax, hidden._Ay
    places, (width, height) = unit_places((2, 3, 3), PANEL, 7 / 5)

    def seen(column, unit, across=0.0, up=0.0):
        place = places[column][unit] + np.array([across * width, up * height])
        return colours[np.searchsorted(y, place[1]) - 1, np.searchsorted(x, place[0]) - 1] / 255

    for column, unit, k in ((1, 0, 1), (2, 2, 0)):
        wanted = np.array(to_rgba(f"class{k}-light"))
        strong = seen(column, unit)
        assert np.argmax(strong[:3]) == np.argmax(wanted[:3]) and strong[3] == 1
        assert np.ptp(strong[:3]) > 3 * np.ptp(wanted[:3]), "not as strong as a colour can be"
    assert seen(1, 1, up=-0.3) == pytest.approx(np.ones(4), abs=0.01), "0 is paper, and low rows lie low"
    assert seen(1, 1, up=0.3, across=0.4) != pytest.approx(np.ones(4), abs=0.01)
    assert seen(1, 1, up=0.57)[3] == 0 and seen(1, 1, up=-0.57)[3] == 0, "the gaps can be seen through"


def test_wires_are_as_thick_as_weights_and_those_of_the_marked_unit_lie_in_front():
    W = np.array([[0.0, 4.0, -4.0], [1.0, -2.0, 0.001]])
    maps = [np.zeros((n, 4, 6)) for n in (2, 3)]
    ax, frame = drawn(maps, [W, np.array([[1.0], [2.0], [3.0]])], marked=(1, 2), names=("a", "b"), heads=("in", "one"))
    wires = next(one for one in ax.collections if isinstance(one, LineCollection) and len(one.get_segments()[0]) > 5)
    widths, colours = np.array(wires.get_linewidths()), wires.get_colors()
    assert len(widths) == 7, "wires without weight are left out"
    places, (width, height) = unit_places((2, 3), PANEL, 1.5)
    looks = {}
    for line, thick, colour in zip(wires.get_segments(), widths, colours):
        i = np.argmin(np.abs(places[0][:, 1] - line[0, 1]))
        j = np.argmin(np.abs(places[1][:, 1] - line[-1, 1]))
        if line[0, 0] < places[1][0, 0] - width:
            looks[i, j] = thick, colour
    assert looks[0, 1][0] == pytest.approx(looks[0, 2][0]) and looks[0, 1][0] > looks[1, 1][0] > looks[1, 0][0]
    assert tuple(looks[0, 1][1][:3]) == to_rgba("class1")[:3] and tuple(looks[0, 2][1][:3]) == to_rgba("class0")[:3]
    assert looks[0, 2][1][3] > 2 * looks[0, 1][1][3], "what does not touch the marked unit steps back"
    assert colours[-1, 3] == colours[:, 3].max() and widths[-1] == widths[colours[:, 3] > 0.5].max()
    middle = np.array(frame.get_xy()) + (frame.get_width() / 2, frame.get_height() / 2)
    assert middle == pytest.approx(places[1][2])


def test_a_legend_shows_wires_as_they_are_drawn(monkeypatch):
    written = []
    monkeypatch.setattr("mlcore.classroom.viz.draw.networks.write_words", lambda ax, words: written.extend(words))
    W = np.array([[3.0], [-1.0]])
    ax, _ = drawn([np.zeros((2, 4, 6))], [W], legend=(5, 8))
    wires, samples = [one for one in ax.collections if isinstance(one, LineCollection)][:2]
    (thin, blue), (thick, orange) = zip(wires.get_linewidths(), wires.get_colors())
    seen = {}
    for line, width, colour in zip(samples.get_segments(), samples.get_linewidths(), samples.get_colors()):
        [text] = [text for text, _, x, y, _ in written if y == line[0, 1] and 0 < x - line[1, 0] < 20]
        seen[text] = width, tuple(colour[:3])
    assert set(seen) == {"+3", "+1", "−3", "−1"}
    assert seen["+3"] == (thick, tuple(orange[:3])) and seen["−1"] == (thin, tuple(blue[:3]))
    for text, _, x, y, size in written:
        half = size * text_width(text) / 2
        assert 5 <= x - half and x + half <= 5 + 78 and 8 <= y - size / 2 and y + size / 2 <= 8 + 45


def test_a_border_lies_where_a_score_is_0():
    ax = Figure().add_subplot()
    x, y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(0, 4, 31))
    plot_borders(ax, np.stack([x - 0.25, y - 2 * x - 1, 1 + x**2]), (-1, 1), (0, 4), colors="ink", linewidths=1.0)
    [lines] = ax.collections
    upright, slope = lines.get_segments()
    assert upright[:, 0] == pytest.approx(0.25) and slope[:, 1] == pytest.approx(2 * slope[:, 0] + 1)


def test_a_picture_may_have_panels_at_given_places():
    places = [(0.1, 0.1, 0.3, 0.8), (0.5, 0.2, 0.4, 0.5)]

    def draw(axes, k=1):
        for ax in axes:
            ax.plot([0, k], [0, 1])

    explorer = explore(draw, alt="two panels with a line each", subplots=places, k=(1, 3))
    for k in (1, 3):
        explorer.set(k=k)
        for ax, place in zip(explorer.canvas.figure.axes, places, strict=True):
            assert ax.get_position().bounds == pytest.approx(place)
