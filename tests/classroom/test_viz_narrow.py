"""Pictures for a phone's window: legends that fit, panels at given places one below the other, letters and holds."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mlcore.classroom.viz.draw.canvas import Canvas, stacked_places
from mlcore.classroom.viz.draw.finishing import smallest_letters
from mlcore.classroom.viz.draw.marks import glide, marks_of
from mlcore.viz import explore, hold, plot_graph, signs_above
from tests.pictures import geometry

PLACES = [(0.0, 0.0, 0.56, 1.0), (0.6, 0.5, 0.39, 0.4), (0.6, 0.1, 0.3, 0.2)]
NAMES = ["one bell a point", "truth", "their sum f(x)", "data"]


def painted(draw, **options):
    canvas = Canvas(draw, **{"figsize": (7, 4), **options})
    canvas.narrow = True
    canvas.paint()
    return canvas.figure


def faults(figure):
    return list(geometry(figure, 3.5 / figure.get_figwidth()))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["lower center", "lower right"])
@pytest.mark.parametrize("name, title", [("y", ""), ("a name of some words", "and a title")])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_legend_above_a_panel_fits_and_leaves_the_name_of_the_axis_free(n, place, name, title):
    def draw(ax):
        for k in range(n):
            ax.plot([0, 1], [k, k + 1], label=NAMES[k])
        ax.set(ylabel=name, title=title)
        across = 0.5 if place == "lower center" else 1.0
        ax.legend(loc=place, bbox_to_anchor=(across, 1.0), ncols=n, frameon=False)

    figure = painted(draw)
    assert faults(figure) == []
    [ax] = figure.axes
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == NAMES[:n]
    columns = legend._legend_handle_box.get_children()
    items = [item for column in columns for item in column.get_children()]
    assert len(items) == n and (n < 4 or 1 < len(columns) < 4)
    assert legend.get_window_extent().y0 > ax.bbox.y1


def test_a_legend_beside_a_panel_or_across_it_goes_above():
    def draw(ax, inside=False):
        for k, label in enumerate(NAMES):
            ax.plot([0, 1], [k, k + 1], label=label)
        where = {"loc": "upper center", "ncols": 3} if inside else {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
        ax.legend(**where)

    for inside in (False, True):
        figure = painted(lambda ax, inside=inside: draw(ax, inside))
        [ax] = figure.axes
        assert faults(figure) == [] and ax.get_legend().get_window_extent().y0 >= ax.bbox.y1
        assert ax.bbox.width > 0.8 * figure.bbox.width

    def small(ax):
        ax.plot([0, 1], [0, 1], label="line")
        ax.legend(loc="upper left")

    [ax] = painted(small).axes
    assert ax.get_legend().get_window_extent().y1 < ax.bbox.y1


@pytest.mark.parametrize("words, rows", [(("one", "two", "three"), 1), (("one", "two", "three", "four"), 2)])
def test_signs_above_take_as_many_rows_as_they_need(words, rows):
    def draw(ax):
        signs_above(ax, [({"marker": "o", "color": "fit"}, f"{word} of the signs") for word in words])
        ax.plot([0, 1], [0, 1], color="fit")
        ax.set(ylabel="y")

    figure = painted(draw)
    assert faults(figure) == []
    [written] = [patch for patch in figure.axes[0].get_children() if hasattr(patch, "words")]
    assert [word for word, *_ in written.words] == [f"{word} of the signs" for word in words]
    assert len({round(box[1], 3) for _, box, _ in written.words}) == rows


def test_words_above_a_panel_make_room_for_the_name_of_its_axis():
    def draw(ax):
        ax.plot([0, 1], [0, 1], color="fit")
        ax.set(ylabel="a name of very many words")
        ax.text(1, 1.02, "and words at the right above", transform=ax.transAxes, ha="right", va="bottom")

    assert faults(painted(draw)) == []


def test_columns_of_placed_panels_are_stacked_and_keep_their_proportions():
    (width, height), found = stacked_places(PLACES, (10.0, 4.0))
    assert width == pytest.approx(5.6) and height == pytest.approx(4 * (1 + 0.56 / 0.44))
    for before, after in zip(PLACES, found):
        shape = before[2] * 10 / (before[3] * 4)
        assert after[2] * width / (after[3] * height) == pytest.approx(shape)
        assert after[0] >= 0 and after[0] + after[2] <= 1 + 1e-9 and after[1] >= -1e-9
    assert found[0][2] == pytest.approx(1) and found[0][1] + found[0][3] == pytest.approx(1)
    assert found[0][1] >= found[1][1] + found[1][3] and found[1][1] > found[2][1] + found[2][3]
    one_column = [(0.1, 0.43, 0.88, 0.45), (0.1, 0.1, 0.88, 0.165)]
    size, same = stacked_places(one_column, (5.2, 4.9))
    np.testing.assert_allclose([size, *same[0]][1:], one_column[0])
    assert size == pytest.approx((5.2, 4.9))


def test_names_of_stacked_panels_are_within_the_picture_and_holds_stay_where_they_are():
    def draw(axes, t=0.3):
        for k, ax in enumerate(axes):
            ax.plot([0, 1], [0, 1], color="fit")
            ax.set(title=f"panel {k}", xlim=(0, 1), ylim=(0, 1), yticks=(0, 0.5, 1), xticks=(0, 1))
        glide(axes[1].plot(t, t, "o"), "dot")

    knob = hold("both", panel=1, at=lambda t: (t, t), read=lambda x, y: x)
    one = explore(draw, alt="Three panels at given places, one with a dot", subplots=PLACES, figsize=(10, 4),
                  holds={"t": knob}, t=(0.0, 1.0, 0.1))  # fmt: skip
    wide = one.canvas.png()
    one.canvas.narrow = True
    one.redraw()
    figure = one.canvas.figure
    assert {kind for kind, _ in faults(figure)} <= {"small"}
    across, down, left, top, right, bottom = knob.place(figure, 0.3)
    x, y = figure.axes[1].transData.transform((0.3, 0.3))
    assert (across, down) == pytest.approx((x / figure.bbox.width, 1 - y / figure.bbox.height), abs=1e-3)
    assert left < across < right and top < down < bottom
    assert knob.value(figure, across, down) == pytest.approx(0.3, abs=1e-2)
    [mark] = marks_of(figure)
    [dot] = mark["shapes"]
    middle = np.reshape(dot["p"], (-1, 2))
    assert (middle.min(axis=0) + middle.max(axis=0)) / 2 == pytest.approx((x, figure.bbox.height - y), abs=0.6)
    assert one.canvas.png() == wide


def test_a_picture_may_be_taller_there():
    def draw(ax, t=1):
        if ax.figure.narrow:
            ax.figure.set_figheight(6.2)
        ax.plot([0, t], [0, 1])

    one = explore(draw, alt="a line that goes up", t=(1, 3))
    assert tuple(one.canvas.figure.get_size_inches()) == (7.0, 4.4)
    one.canvas.narrow = True
    one.redraw()
    assert tuple(one.canvas.figure.get_size_inches()) == (4.5, 6.2) and one.scene.size() == [450, 620]


def test_letters_of_graphs_are_readable():
    figure = painted(lambda ax: plot_graph(ax, ["a", "b"], [(0, 1)], words=["0.5"]))
    assert smallest_letters(figure) * 100 / 72 * 3.5 / figure.get_figwidth() >= 11 - 1e-6


def test_each_line_of_a_text_that_glides_is_a_line_there():
    figure = Figure()
    ax = figure.subplots()
    places = {}
    for va in ("top", "center", "bottom"):
        text = glide(ax.text(0.5, 0.5, "two\nlines", va=va), va)
        figure.canvas.draw()
        [mark] = marks_of(figure)
        first, second = mark["shapes"]
        assert (first["text"], second["text"]) == ("two", "lines") and first["p"][0] == second["p"][0]
        assert second["p"][1] - first["p"][1] == pytest.approx(1.2 * first["size"], abs=0.2)
        places[va] = first["p"][1]
        text.remove()
    assert places["top"] > places["center"] > places["bottom"]
