"""Tree diagrams: every node is drawn once, inside the axes, without overlap, and says what it should."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb

from mlcore.classroom.viz.draw.lettering import text_width
from mlcore.classroom.viz.draw.trees import _class_color
from mlcore.viz import figure, plot_tree


def node(label, *children, edge="", value=(0.5, 0.5)):
    return SimpleNamespace(label=label, children=list(children), edge=edge, value=np.array(value), n_samples=3)


def drawn(root, figsize=(8, 5), **options):
    """Draw a tree; return its axes, the places by order of drawing, and the boxes in pixels."""
    fig, ax = figure(figsize=figsize)
    places = plot_tree(ax, root, **options)
    fig.canvas.draw()
    [boxes] = [c for c in ax.collections if isinstance(c, PatchCollection)]
    extents = [path.get_extents(ax.transData) for path in boxes.get_paths()]
    return ax, places, extents


@st.composite
def trees(draw, depth=4):
    size = draw(st.integers(0, 3)) if depth else 0
    children = [draw(trees(depth=depth - 1)) for _ in range(size)]
    for child in children:
        child.edge = draw(st.sampled_from(["yes", "no", "slightly curled", ""]))
    return node(draw(st.sampled_from(["a", "density <= 0.3815", "bad"])), *children)


def count(root):
    return 1 + sum(map(count, root.children))


@settings(max_examples=25)
@given(trees())
def test_boxes_lie_inside_and_do_not_overlap(root):
    ax, places, boxes = drawn(root, figsize=(14, 9))
    assert len(places) == len(boxes) <= count(root)
    frame = ax.get_window_extent()
    for i, box in enumerate(boxes):
        assert frame.x0 - 2 <= box.x0 and box.x1 <= frame.x1 + 2
        assert frame.y0 - 2 <= box.y0 and box.y1 <= frame.y1 + 2
        for other in boxes[:i]:
            assert box.x1 <= other.x0 + 1 or other.x1 <= box.x0 + 1 or box.y1 <= other.y0 + 1 or other.y1 <= box.y0 + 1


@settings(max_examples=25)
@given(trees())
def test_parents_stand_above_the_middle_of_their_children(root):
    _, places, _ = drawn(root, figsize=(14, 9))
    order, waiting = [], [root]
    while waiting:  # the order in which plot_tree walks: level by level
        order.append(waiting.pop(0))
        waiting += order[-1].children
    place = {id(n): np.array(places[i]) for i, n in enumerate(order[: len(places)])}
    for n in order[: len(places)]:
        below = [place[id(child)] for child in n.children if id(child) in place]
        if below:
            assert all(child[1] < place[id(n)][1] for child in below)
            assert min(c[0] for c in below) - 1e-6 <= place[id(n)][0] <= max(c[0] for c in below) + 1e-6


def test_the_highlighted_box_alone_has_a_strong_outline():
    root = node("a", node("b", edge="yes"), node("c", edge="no"))
    ax, _, _ = drawn(root, highlight=[1])
    [boxes] = [c for c in ax.collections if isinstance(c, PatchCollection)]
    widths = boxes.get_linewidths()
    assert widths[1] > 2 * widths[0] and widths[0] == widths[2]


def test_colour_follows_the_majority_and_its_purity():
    pure, mixed, other = (np.array(to_rgb(_class_color(np.array(v)))) for v in ([1.0, 0.0], [0.6, 0.4], [0.0, 1.0]))
    assert pure.sum() < mixed.sum()  # darker where purer
    assert np.abs(pure - other).max() > 0.2


def test_a_real_tree_of_each_kind_is_drawn():
    from mlcore.datasets import load_watermelon2, make_sine
    from mlcore.decision_trees import DecisionTreeRegressor, ID3Classifier

    melons = load_watermelon2()
    id3 = ID3Classifier().fit(melons.data, melons.target)
    assert len(drawn(id3)[2]) == id3.tree_.n_nodes
    regression = DecisionTreeRegressor(max_depth=3).fit(*make_sine(50, random_state=0))
    assert len(drawn(regression, title="a title")[2]) == regression.tree_.n_nodes
    assert len(drawn(DecisionTreeRegressor(max_depth=0).fit([[0.0], [1.0]], [1.0, 2.0]))[2]) == 1


@pytest.mark.parametrize("text", ["", " ", "x", "density <= 0.3815"])
def test_the_width_of_writing_grows_with_the_text(text):
    assert text_width(text) >= 0 and text_width(text + "xx") > text_width(text)


def test_a_growing_tree_stands_where_it_will_stand():
    def at(*deeper):
        left = node("b", *deeper, edge="yes")
        return node("a", left, node("good", edge="slightly curled"), node("bad", edge="no"))

    whole = at(node("a very long leaf", edge="yes"), node("another long leaf", edge="no"))
    _, final, _ = drawn(whole)
    _, alone, _ = drawn(at())
    _, growing, boxes = drawn(at(), within=whole)
    assert growing == {number: final[number] for number in range(4)} and len(boxes) == 4
    assert growing != alone


def test_a_tree_that_is_cut_back_stays_where_it_was():
    """Its nodes are numbered anew; what matters is from which answer to which they hang."""
    whole = node("a", node("b", node("c", edge="yes"), node("d", edge="no"), edge="yes"),
                 node("e", node("f", edge="yes"), node("g", edge="no"), edge="no"))  # fmt: skip
    cut = node("a", node("b", edge="yes"), node("e", node("f", edge="yes"), node("g", edge="no"), edge="no"))
    _, before, _ = drawn(whole)
    _, after, _ = drawn(cut, within=whole)
    assert list(after.values()) == [before[i] for i in (0, 1, 2, 5, 6)]


def full(depth, edge=""):
    """A tree in which each node has two children, with questions about long numbers."""
    if not depth:
        return node("good", edge=edge)
    return node(f"density <= 0.{3815 + depth}", full(depth - 1, "yes"), full(depth - 1, "no"), edge=edge)


def words_in(ax):
    [patch] = [patch for patch in ax.patches if hasattr(patch, "words")]
    return [text for text, *_ in patch.words], patch.letters * 100 / 72


def test_the_letters_of_a_tree_can_be_read_however_large_it_is():
    """First the numbers become shorter, then all is said briefly, at last the deepest nodes are left out."""
    said = {}
    for depth, width in ((1, 7), (3, 5.5), (4, 8), (7, 8)):
        ax, places, boxes = drawn(full(depth), figsize=(width, 4.4))
        said[depth], size = words_in(ax)
        assert size >= 11
        assert len(places) == len(boxes) <= count(full(depth))
    assert "density <= 0.3816?" in said[1] and "density <= 0.38?" in said[3]
    assert "density≤0.38" in said[4] and said[4].count("yes") == 1
    assert "..." not in said[4] and "..." in said[7]


def test_the_letters_of_a_tree_are_larger_where_it_is_shown_smaller():
    sizes, shown = [], (1.0, 0.6)
    for part in shown:
        fig, ax = figure(figsize=(7, 4.4))
        fig.shown = part
        plot_tree(ax, full(4))
        sizes.append(words_in(ax)[1] * part)
    assert min(sizes) >= 11 - 1e-6
