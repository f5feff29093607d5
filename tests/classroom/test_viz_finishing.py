"""The last touch: level names, few ticks, true minus signs, readable letters; names and signs at the edges."""

import io

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from PIL import Image

from mlcore.classroom import viz
from mlcore.classroom.viz.draw import pixels
from mlcore.classroom.viz.draw.canvas import Canvas
from mlcore.classroom.viz.draw.finishing import LEAST, finish, smallest_letters
from mlcore.classroom.viz.draw.lettering import text_width

rng = np.random.default_rng(0)


def finished(draw, **options):
    """The axes of a picture that a function has drawn."""
    canvas = Canvas(draw, **options)
    canvas.paint()
    return canvas.figure.axes


def boxes(texts, figure):
    renderer = figure.canvas.get_renderer()
    return [text.get_window_extent(renderer) for text in texts]


@pytest.mark.parametrize("title", ["", "A title"])
@pytest.mark.parametrize("twin", [False, True], ids=["one", "twin"])
def test_the_name_of_the_vertical_axis_stands_level_above_it(title, twin):
    def draw(ax):
        ax.plot([0, 1])
        ax.set(ylabel="error", title=title)
        if twin:
            ax.twinx().set(ylabel="size")

    axes = finished(draw)
    labels = [ax.yaxis.label for ax in axes]
    drawn = boxes(labels, axes[0].figure)
    frame = axes[0].get_window_extent()
    assert [ax.get_ylabel() for ax in axes] == ["error", "size"][: len(axes)]
    for label, box in zip(labels, drawn):
        assert label.get_rotation() == 0 and frame.y1 < box.y0 and box.y1 <= axes[0].figure.bbox.y1
    assert drawn[0].x0 == pytest.approx(frame.x0, abs=2)
    if twin:
        assert drawn[1].x1 == pytest.approx(frame.x1, abs=2)
    if title:
        (box,) = boxes([axes[0]._left_title], axes[0].figure)
        assert drawn[0].y1 <= box.y0 and box.y1 <= axes[0].figure.bbox.y1


def test_a_name_without_room_stays_where_it_was():
    def draw(axes):
        for ax in axes:
            ax.set(ylabel="a name that is much longer than these narrow axes are wide")

    assert {ax.yaxis.label.get_rotation() for ax in finished(draw, subplots=(1, 4), figsize=(6, 3))} == {90}

    def on_top(ax):
        ax.matshow(np.eye(3))
        ax.set(ylabel="y")

    assert finished(on_top)[0].yaxis.label.get_rotation() == 90


def test_few_ticks_unless_a_drawing_chose_them():
    def draw(axes):
        axes[0].set(xlim=(0, 10), ylim=(0, 1))
        axes[1].set(xticks=range(10), xlim=(0, 10))

    free, chosen = finished(draw, subplots=(1, 2), figsize=(14, 8))
    assert 3 <= len(free.get_xticks()) <= 6 and 3 <= len(free.get_yticks()) <= 6
    assert len(chosen.get_xticks()) == 10


def test_minus_signs_are_true_ones():
    def draw(ax):
        ax.text(0, 0, "-0.5 and 3-5, x-axis, e-3, (-2, -.5), y = -1, -0.00 or -0.05 or -0")
        ax.set(xlabel="from -1 to 1", title="$-x$")
        ax.plot([0], [0], label="-1")
        ax.legend()

    (ax,) = finished(draw)
    assert ax.texts[0].get_text() == "−0.5 and 3-5, x-axis, e-3, (−2, −.5), y = −1, 0.00 or −0.05 or 0"
    assert (ax.get_xlabel(), ax.get_title("left")) == ("from −1 to 1", "$-x$")
    assert ax.get_legend().get_texts()[0].get_text() == "−1"


@pytest.mark.parametrize(
    ("written", "printed"),
    [("2e-07", "2·10⁻⁷"), ("p = 1.24e-198;", "p = 1.24·10⁻¹⁹⁸;"), ("-4e+09", "−4·10⁹"), ("1e-06 or 0e+00", "10⁻⁶ or 0"),
     ("48.5% of 3 %", "48.5\N{NO-BREAK SPACE}% of 3\N{NO-BREAK SPACE}%"),
     ("a % b, 0x1e-05, e-03", "a % b, 0x1e-05, e-03"), ("x <= 3", "x ≤ 3")],
)  # fmt: skip
def test_numbers_are_written_as_in_print(written, printed):
    def draw(ax):
        ax.text(0, 0, written)

    (ax,) = finished(draw)
    assert ax.texts[0].get_text() == printed


@pytest.mark.parametrize("shown", [1.0, 0.7])
def test_no_letter_is_too_small(shown):
    def draw(ax):
        ax.text(0, 0, "small", fontsize=5)
        ax.text(0, 1, "large", fontsize=20)
        ax.set_xticks([0, 1], ["a", "b"], fontsize=4)
        ax.tick_params(axis="y", labelsize=3)
        ax.set_xlabel("x", fontsize=2)
        ax.plot([0, 1], label="line")
        ax.legend(fontsize=3)
        ax.figure.suptitle("above", fontsize=1)

    canvas = Canvas(draw)
    canvas.shown = shown
    canvas.paint()
    (ax,) = canvas.figure.axes
    texts = [*ax.texts, ax.xaxis.label, *ax.get_legend().get_texts(), *ax.get_xticklabels(), *ax.get_yticklabels()]
    sizes = [text.get_fontsize() * 100 / 72 * shown for text in [*texts, *canvas.figure.texts]]
    assert min(sizes) == pytest.approx(LEAST) and ax.texts[1].get_fontsize() == 20


def test_words_in_the_colour_of_a_role_can_be_read():
    def draw(ax):
        ax.text(0, 0, "orange", color=viz.color(1))
        ax.text(0, 1, "any", color="purple")

    (ax,) = finished(draw)
    assert [text.get_color() for text in ax.texts] == ["class1-text", "purple"]


def test_words_have_a_halo_of_paper():
    def draw(ax, halo=True):
        ax.set_facecolor("ink")
        ax.text(0.5, 0.5, "word", color="ink", bbox=None if halo else {"alpha": 0})
        ax.set_axis_on()

    with_halo, without = (Canvas(lambda ax, halo=halo: draw(ax, halo)) for halo in (True, False))
    with_halo.paint()
    without.paint()
    middles = [canvas.pixels()[150:300, 200:500].astype(int) for canvas in (with_halo, without)]
    white = [(middle.min(axis=2) > 215).sum() for middle in middles]
    assert white[0] > 100 and white[1] == 0


def test_to_finish_twice_is_to_finish_once():
    fig, axes = viz.figure(1, 2)
    for ax in axes:
        ax.plot([0, 1], label="-1")
        ax.legend()
        ax.set(ylabel="y", title="title", xlabel="-1")
        ax.text(0, 0, "-3", fontsize=3)
    finish(fig)
    fig.canvas.draw()
    once = np.asarray(fig.canvas.buffer_rgba()).copy()
    finish(fig)
    fig.canvas.draw()
    np.testing.assert_array_equal(np.asarray(fig.canvas.buffer_rgba()), once)


# ---------------------------------------------------------------------------------------------------------------
# Names at the ends of lines, signs for what lies outside
# ---------------------------------------------------------------------------------------------------------------
def test_names_on_an_axis_that_points_down_keep_their_order():
    def draw(ax):
        for k, end in enumerate([0.5, 0.51, 0.52]):
            [line] = ax.plot([0, 1], [0, end])
            viz.at_the_end(ax, line, f"line {k}")
        ax.set(ylim=(1, 0))

    (ax,) = finished(draw)
    middles = [(box.y0 + box.y1) / 2 for box in boxes(ax.texts, ax.figure)]
    assert middles[0] > middles[1] > middles[2]


def test_names_at_the_ends_do_not_touch():
    ends = [0.5, 0.51, 0.52, 0.9, np.nan]

    def draw(ax):
        for k, end in enumerate(ends):
            [line] = ax.plot([0, 1, 2], [0, 0.1, end], color=viz.color(k))
            viz.at_the_end(ax, line, f"line {k}")
        ax.set(ylim=(0, 1))

    (ax,) = finished(draw)
    names = ax.texts
    assert [name.get_color() for name in names] == [f"class{k}-text" for k in range(5)]
    drawn = boxes(names, ax.figure)
    assert all(box.x0 >= ax.get_window_extent().x0 and box.x1 <= ax.figure.bbox.x1 for box in drawn)
    ordered = sorted(drawn, key=lambda box: box.y0)
    assert all(above.y0 >= below.y1 - 1 for below, above in zip(ordered, ordered[1:]) if above.x0 == below.x0)
    middles = [(box.y0 + box.y1) / 2 for box in drawn]
    assert middles[0] < middles[1] < middles[2] < middles[3]
    assert middles[3] == pytest.approx(ax.transData.transform((2, 0.9))[1], abs=3), "a name moved without need"
    assert drawn[4].x0 < drawn[3].x0, "a line that ends early has its name there"


def test_a_name_may_stand_beside_another_place_of_its_line():
    _, ax = viz.figure()
    [line] = ax.plot([0, 1, 2, 3], [0, 5, 6, 7])
    assert viz.at_the_end(ax, line, "here", x=0.9).xy == (1, 5)
    [empty] = ax.plot([], [])
    assert viz.at_the_end(ax, empty, "nothing").get_text() == ""


def test_what_lies_outside_is_marked_at_the_edge():
    x, y = [0.5, 0.5, -3, 7, 0.2, 0.1, 0.3], [9, -4, 0.5, 0.5, 0.5, np.nan, np.inf]

    def draw(ax):
        ax.set(xlim=(0, 1), ylim=(0, 1))
        outside = viz.off_scale(ax, x, y, [f"≥ {k}" for k in range(7)], color="fit")
        assert outside.tolist() == [True, True, True, True, False, False, True]

    (ax,) = finished(draw)
    assert ax.get_xlim() == (0, 1) and ax.get_ylim() == (0, 1)
    signs = {line.get_marker(): line.get_xydata().tolist() for line in ax.lines}
    assert signs == {"^": [[0.5, 1], [0.3, 1]], "v": [[0.5, 0]], "<": [[0, 0.5]], ">": [[1, 0.5]]}
    assert sorted(text.get_text() for text in ax.texts) == ["≥ 0", "≥ 1", "≥ 2", "≥ 3", "≥ 6"]
    frame = ax.get_window_extent()
    for box in boxes(ax.texts, ax.figure):
        assert frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 and frame.y0 - 3 <= box.y0 and box.y1 <= frame.y1 + 3


def test_signs_for_what_lies_outside_do_not_move_the_axes():
    def draw(ax, far=1.0):
        ax.set(xlim=(0, 1), ylim=(0, 1))
        viz.off_scale(ax, 0.5, far, "≥ 1")

    canvas, plain = Canvas(draw), Canvas(lambda ax: ax.set(xlim=(0, 1), ylim=(0, 1)))
    canvas.paint(far=1e6)
    plain.paint()
    assert canvas.axes[0, 0].get_position().bounds == plain.axes[0, 0].get_position().bounds


# ---------------------------------------------------------------------------------------------------------------
# The same picture, sharper, in another theme, with few colours
# ---------------------------------------------------------------------------------------------------------------
X, Y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)


def busy(axes, k=1):
    viz.decision_regions(axes[0], lambda p: (p[:, 0] > p[:, 1]).astype(int), X, Y, xlim=(-3, 3), ylim=(-3, 3))
    viz.margin_map(axes[1], lambda p: p[:, 0] - k * p[:, 1], X, Y, xlim=(-3, 3), ylim=(-3, 3), free=[0, 1])
    axes[0].set(xlabel="$x_1$", ylabel="$x_2$")
    axes[0].text(0, 0, f"k = {k}")
    return f"k = {k}"


def decoded(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.25, 1.5, 2.0, 3.0])
def test_a_sharper_picture_is_the_same_picture(ratio):
    """Averaged to the size of the plain one it looks like it; shifted by one pixel it would not."""
    drawn = []
    canvas = Canvas(lambda axes, k=1: drawn.append(k) or busy(axes, k), figsize=(8, 4), subplots=(1, 2))
    canvas.paint(k=2)
    count, plain = len(drawn), canvas.pixels().astype(int)
    data, kind = canvas.picture(ratio)
    assert len(drawn) == count, "the drawing function was called again"
    assert kind == "image/jpeg" and decoded(data).shape == (400 * ratio, 800 * ratio, 3)
    small = np.asarray(Image.fromarray(decoded(data).astype(np.uint8)).resize((800, 400), Image.Resampling.BOX))
    off = {(dx, dy): np.abs(np.roll(small.astype(int), (dy, dx), (0, 1)) - plain).mean()
           for dx in (-1, 0, 1) for dy in (-1, 0, 1)}  # fmt: skip
    assert min(off, key=off.get) == (0, 0) and off[0, 0] < 3
    np.testing.assert_array_equal(canvas.pixels(), plain, "the picture on the move is lost")
    assert canvas.picture(1.0) == (canvas.jpeg(), "image/jpeg")


def test_the_picture_can_still_be_had_when_the_next_figure_is_ready():
    canvas = Canvas(busy, subplots=(1, 2))
    canvas.paint(k=2)
    before = canvas.picture(2.0), canvas.jpeg()
    canvas.get_ready()
    assert (canvas.picture(2.0), canvas.jpeg()) == before


def test_another_theme_draws_anew_in_the_same_places():
    canvas = Canvas(busy, subplots=(1, 2))
    canvas.paint(k=2)
    places = [ax.get_position().bounds for ax in canvas.figure.axes]
    kept, light = canvas.png(), canvas.pixels().astype(int)
    canvas.get_ready()  # in the light theme: of no use now
    canvas.theme = "dark"
    assert canvas.paint(k=2) == "k = 2"
    dark = canvas.pixels().astype(int)
    assert [ax.get_position().bounds for ax in canvas.figure.axes] == places
    assert to_hex(dark[0, 0] / 255) == viz.palette("dark")["paper"] != to_hex(light[0, 0] / 255)
    assert decoded(canvas.picture(2.0)[0]).mean() < 0.6 * light.mean()
    assert canvas.png() == kept, "what a notebook keeps is light"
    np.testing.assert_array_equal(canvas.pixels(), dark)
    canvas.theme = "light"
    canvas.paint(k=2)
    np.testing.assert_array_equal(canvas.pixels(), light)


@pytest.mark.slow
def test_a_kept_picture_has_few_colours_and_keeps_areas_as_they_are():
    canvas = Canvas(busy, subplots=(1, 2))
    canvas.paint(k=2)
    exact = canvas.rgba(2.0)[..., :3]
    image = Image.open(io.BytesIO(pixels.png(exact)))
    assert image.mode == "P" and len(image.getcolors()) <= 256
    off = np.abs(np.asarray(image.convert("RGB")).astype(int) - exact)
    assert off.max() <= 16 and off.mean() < 0.3
    found, counts = np.unique(exact.reshape(-1, 3), axis=0, return_counts=True)
    shown = {tuple(color) for _, color in image.convert("RGB").getcolors()}
    assert {tuple(color) for color in found[np.argsort(counts)[-5:]].tolist()} <= shown
    assert len(pixels.png(exact)) < 0.6 * len(true_png(exact))


def true_png(picture):
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("n_colors", [1, 2, 3, 16, 17, 256, 257, 5000])
def test_pictures_of_any_number_of_colours(n_colors):
    colors = rng.permutation(1 << 15)[:n_colors]
    picture = np.stack([colors >> 10 & 31, colors >> 5 & 31, colors & 31], axis=1).astype(np.uint8) * 8
    picture = np.resize(picture, (73, 91, 3))
    back = decoded(pixels.png(picture))
    if n_colors <= 256:
        np.testing.assert_array_equal(back, picture)
    else:
        exact = picture.reshape(-1, 3).astype(float)
        chosen = np.unique(back.reshape(-1, 3), axis=0).astype(float)
        nearest = ((exact[:, None] - chosen) ** 2).sum(axis=2).min(axis=1)
        np.testing.assert_allclose(((back.reshape(-1, 3) - exact) ** 2).sum(axis=1), nearest)
    assert pixels.png(picture) == pixels.png(picture.copy())


def test_titles_of_a_row_stand_at_one_height_above_the_names():
    def draw(axes):
        axes[0].set(title="A", ylabel="error")
        axes[1].set(title="B")

    axes = finished(draw, subplots=(1, 2))
    (name,) = boxes([axes[0].yaxis.label], axes[0].figure)
    titles = boxes([ax._left_title for ax in axes], axes[0].figure)
    assert titles[0].y0 == titles[1].y0 >= name.y1
    assert titles[0].y1 <= axes[0].figure.bbox.y1


@pytest.mark.parametrize("shown", [1.0, 0.6])
def test_a_row_of_signs_stands_above_the_name_and_can_be_read(shown):
    def draw(ax, named):
        ax.set(ylabel="error" if named else "", xlim=(0, 1), ylim=(0, 1))
        viz.signs_above(ax, [({"marker": "o"}, "points"), ({"ls": "-"}, "line")])

    canvas = Canvas(draw)
    canvas.shown = shown
    for named in (True, False):
        canvas.paint(named=named)
        (ax,) = canvas.figure.axes
        lowest = ax.get_window_extent().y1
        if named:
            (name,) = boxes([ax.yaxis.label], canvas.figure)
            lowest = name.y1
        words = ax.patches[-1].get_window_extent()
        assert lowest - 1 <= words.y0 and words.y1 <= canvas.figure.bbox.y1
        assert smallest_letters(canvas.figure) * 100 / 72 * shown >= LEAST - 1e-6


def test_the_smallest_letters_are_found_wherever_they_are():
    sizes = []
    for where in ("text", "tick", "tree", "sign"):
        _, ax = viz.figure()
        if where == "text":
            ax.text(0, 0, "x", fontsize=3)
        if where == "tick":
            ax.set_xticks([0], ["x"], fontsize=3)
        if where == "tree":
            viz.plot_graph(ax, ["a", "b"], [(0, 1)], fontsize=3)
        if where == "sign":
            viz.signs_above(ax, [({"marker": "o"}, "x")], size=3)
        sizes.append(smallest_letters(ax.figure))
    assert sizes == [3, 3, 3, 3]


def test_words_on_the_edges_of_a_graph_do_not_meet(monkeypatch):
    """Eight edges through one middle, and words that would all stand there."""
    placed = []
    monkeypatch.setattr("mlcore.classroom.viz.draw.graphs.write_words", lambda ax, words: placed.extend(words))
    edges = [(i, i + 4) for i in range(4)] + [(i, (i + 3) % 8) for i in range(4)]
    _, ax = viz.figure(figsize=(6, 6))
    viz.plot_graph(ax, [str(i) for i in range(8)], edges, words=["0.123"] * 8)
    centers = np.array([(x, y) for _, _, x, y, _ in placed])
    halves = np.array([[text_width(text) / 2, 0.5] for text, *_ in placed]) * [[size] for *_, size in placed]
    for i in range(len(placed)):
        for j in range(i):
            assert not (np.abs(centers[i] - centers[j]) < halves[i] + halves[j]).all(), (placed[i], placed[j])


def test_words_on_the_edges_of_a_graph_hide_no_crossing_and_no_head_of_an_arrow(monkeypatch):
    """Three long edges cross in the middle of a hexagon; of two edges only one is an arrow."""
    placed = []
    monkeypatch.setattr("mlcore.classroom.viz.draw.graphs.write_words", lambda ax, words: placed.extend(words))
    edges = [(0, 3), (1, 4), (2, 5)]
    _, ax = viz.figure(figsize=(6, 6))
    viz.plot_graph(ax, list("abcdef"), edges, words=["0.123"] * 3, arrows=[True, False, False])
    places = {text: np.array([x, y]) for text, _, x, y, _ in placed if text != "0.123"}
    middle = (places["a"] + places["d"]) / 2
    for text, _, x, y, size in placed:
        assert (np.abs(middle - (x, y)) > np.array([text_width(text) / 2, 0.5]) * size).any(), "on the crossing"
    [heads] = [one for one in ax.collections if isinstance(one, PolyCollection)]
    [head] = heads.get_paths()
    assert np.linalg.norm(head.vertices[0] - places["d"]) < 20
    viz.plot_graph(ax, ["a", "b"], [], arrows=True)  # nothing to point at


def test_words_written_at_once_lie_where_they_should_in_their_colour_and_know_their_size():
    """In an axes whose unit is 20 points: the size that is asked for, half a unit, is 10 points."""
    def draw(ax):
        ax.set(xlim=(0, 0.05 * ax.bbox.width * 0.72), ylim=(0, 0.05 * ax.bbox.height * 0.72))
        viz.write_words(ax, [("wide", False, 5.0, 3.0, 0.5), ("", False, 1.0, 1.0, 0.5)], color="fit", unit=20.0)
        viz.write_words(ax, [], unit=20.0)

    (ax,) = finished(draw)
    words = ax.patches[0]
    box = words.get_window_extent()
    assert smallest_letters(ax.figure) == pytest.approx(10) and to_hex(words.get_facecolor()) == viz.palette()["fit"]
    assert box.width == pytest.approx(10 * text_width("wide") / 0.72, rel=0.1)
    assert (box.x0 + box.x1) / 2 == pytest.approx(ax.transData.transform((5.0, 3.0))[0], abs=1.5)
