"""Points in the learner's hand, as the kernel has them: what may be, what is refused, what a pasted table becomes."""

import numpy as np
import pytest
from matplotlib.markers import MarkerStyle

from mlcore.classroom.viz.ask.pasted import fit_into, read_table
from mlcore.classroom.viz.ask.points import SCALE, marker_outline
from mlcore.viz import draggable, explore, play

ALT = "points of two classes and their mean"
BOX = ((-3.0, 3.0), (-2.0, 2.0))
X = np.array([[-2.0, -1], [-1, 1], [0, 0.5], [1, -0.5]])
Y = np.array([0, 0, 1, 1])


def cloud(ax, X, y, size=5):
    ax.scatter(*X.T, c=y, s=size)
    return f"{len(X)} points, {y.sum()} of class 1"


def explorer(**options):
    return explore(cloud, alt=ALT, points=draggable(X, Y, box=BOX, **options), size=(1, 10))


def send(one, **message):
    """Let the page send a message, and return what it is told."""
    one._heard(None, {"kind": "points", **message})
    assert one.frame["answers"] == message["number"]
    return one.frame["points"]


def caption(one):
    return one.frame["caption"]


# ---------------------------------------------------------------------------------------------------------------
# Moves
# ---------------------------------------------------------------------------------------------------------------
def test_a_move_is_drawn_and_answered_by_its_number():
    one = explorer()
    before = one.frame["picture"]
    moved = [[0.25, 1], [1, 1], [2, 2]]
    state = send(one, number=7, X=moved, y=[1, 1, 1])
    assert (state["X"], state["y"], state["refused"], state["said"]) == (moved, [1, 1, 1], False, "")
    assert one.frame["picture"] != before and caption(one) == "3 points, 3 of class 1"
    np.testing.assert_array_equal(one.values["X"], moved)


def test_two_equal_pictures_are_both_answered():
    one = explorer()
    frames = []
    one.stage.observe(lambda change: frames.append(change.new), "frame")
    for number in (1, 2):
        send(one, number=number, X=X.tolist(), y=Y.tolist())
    assert [frame["answers"] for frame in frames] == [1, 2]
    assert frames[0]["picture"] == frames[1]["picture"] and frames[0]["turn"] < frames[1]["turn"]


def test_a_slider_does_not_answer_the_hand():
    one = explorer()
    send(one, number=1, table="no table")
    one.controls["size"].value = 9
    state = one.frame["points"]
    assert one.frame["answers"] is None and (state["said"], state["refused"]) == ("", False)
    assert state["X"] == X.tolist() and state["y"] == Y.tolist()


GOOD = {"X": X.tolist(), "y": Y.tolist()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "message, why",
    [
        ({**GOOD, "X": [[0, 0], [9, 0], [0, 0], [0, 0]]}, r"within the box \(\(-3.0, 3.0\), \(-2.0, 2.0\)\), got 9"),
        ({**GOOD, "X": [[0, None], *X[1:].tolist()]}, "within the box"),
        ({**GOOD, "X": [[0, "nan"], *X[1:].tolist()]}, "within the box"),
        ({**GOOD, "X": [[0, "a"], *X[1:].tolist()]}, "the points cannot be read as numbers"),
        ({**GOOD, "X": [[0], *X[1:].tolist()]}, "the points cannot be read as numbers"),
        ({**GOOD, "X": {"a": 1}}, "the points cannot be read as numbers"),
        ({**GOOD, "X": [[0, 10**400], *X[1:].tolist()]}, "the points cannot be read as numbers"),
        ({**GOOD, "y": [0, 1, 10**400, 0]}, "the classes cannot be read as numbers"),
        ({"table": f'"{"x" * 150_000}",1\n1,2'}, "row 1 has “"),
        ({"y": Y.tolist()}, "pairs of numbers"),
        ({"X": [1, 2, 3, 4], "y": [0, 0]}, "pairs of numbers"),
        ({"X": [], "y": []}, "there may be 2 to 6 points, got 0"),
        ({"X": [[0, 0]] * 7, "y": [0] * 7}, "there may be 2 to 6 points, got 7"),
        ({**GOOD, "y": [0, 1]}, "each of the 4 points needs a class, got 2"),
        ({**GOOD, "y": [0, 1, 2, 0]}, "classes are 0 to 1"),
        ({**GOOD, "y": [0, 1, 0.5, 0]}, "classes are 0 to 1"),
        ({**GOOD, "y": [0, 1, None, 0]}, "classes are 0 to 1"),
        ({"table": 3}, "pairs of numbers"),
        ({}, "pairs of numbers"),
    ],
)
def test_what_cannot_be_read_changes_nothing_and_is_said(message, why):
    one = explorer(fewest=2, most=6)
    before = one.frame["picture"]
    state = send(one, number=3, **message)
    with pytest.raises(ValueError, match=why):
        raise ValueError(state["said"])
    assert state["refused"] and state["said"].startswith("Nothing was changed")
    assert state["X"] == X.tolist() and state["y"] == Y.tolist()
    assert one.frame["picture"] == before


def test_a_message_that_is_no_message():
    one = explorer()
    before = one.frame
    for odd in ("hello", None, 3, [1], {}, {"kind": "other", **GOOD}, {"kind": ["points"], **GOOD}, {"kind": None}):
        one._heard(None, odd)
        assert one.frame is before
    one._heard(None, {"kind": "points"})
    assert one.frame["points"]["refused"]
    np.testing.assert_array_equal(one.values["X"], X)


def test_a_picture_without_points_hears_of_none():
    one = explore(lambda ax, k=1: f"k = {k}", alt=ALT, k=(0, 5))
    before = one.frame
    one._heard(None, {"kind": "points", "number": 1, **GOOD})
    one._heard(None, {"kind": "guess", "number": 2, "guess": "x"})
    assert one.frame is before and before["points"] is None is before["question"]
    assert one.stage.spec["points"] is None is one.stage.spec["question"]


def test_an_error_in_the_picture_is_shown_and_the_hand_is_answered():
    def draw(ax, X):
        if X[0, 0] > 1:
            raise RuntimeError("too far")

    one = explore(draw, alt=ALT, points=draggable(X, box=BOX))
    state = send(one, number=1, X=[[2, 0], *X[1:].tolist()])
    assert one.frame["error"]["text"] == "too far" and state["X"][0] == [2, 0]
    send(one, number=2, X=X.tolist())
    assert one.error is None is one.frame["error"]


def test_points_that_can_be_moved_only():
    one = explorer(fixed=True)
    assert not send(one, number=1, X=(X + 0.5).tolist(), y=Y.tolist())["refused"]
    assert "can be moved only" in send(one, number=2, X=X[:2].tolist(), y=[0, 1])["said"]
    assert "can be moved only" in send(one, number=3, table="1,2")["said"]


def test_values_on_a_line_have_a_height_of_their_own():
    def draw(ax, X):
        assert X.shape == (len(X),)

    points = draggable([0.5, 1, 2], box=BOX, level=lambda X: X / 2)
    one = explore(draw, alt=ALT, points=points)
    assert one.frame["points"]["X"] == [[0.5, 0.25], [1, 0.5], [2, 1]]
    state = send(one, number=1, X=[[1, 0], [0, 7]])
    assert state["X"] == [[1, 0.5], [0, 0]]
    np.testing.assert_array_equal(one.values["X"], [1, 0])


def test_points_are_set_from_python():
    one = explorer()
    one.set(X=X[:2], y=[1, 1], size=3)
    assert caption(one) == "2 points, 2 of class 1" and one.frame["points"]["X"] == X[:2].tolist()
    one.set(y=[0, 1])
    assert caption(one) == "2 points, 1 of class 1"
    one.set(X=X[:2] + 0.5)
    assert caption(one) == "2 points, 1 of class 1"
    with pytest.raises(ValueError, match="each of the 4 points needs a class, got 2"):
        one.set(X=X)
    with pytest.raises(ValueError, match="there is no control 'Z'; there are: X, y, size"):
        one.set(Z=X)


def test_two_explorers_may_share_what_they_start_from():
    points = draggable(X, Y, box=BOX)
    one, other = (explore(cloud, alt=ALT, points=points, size=(1, 10)) for _ in range(2))
    send(one, number=1, X=X[:1].tolist(), y=[0])
    assert len(one.values["X"]) == 1 and len(other.values["X"]) == len(points.X) == 4


def test_a_drawing_that_leaves_no_axes():
    def draw(fig, X):
        if X[0, 0] > 1:
            raise RuntimeError("no axes")
        fig.subplots().set(xlim=BOX[0], ylim=BOX[1])

    one = explore(draw, alt=ALT, points=draggable(X, box=BOX))
    place = one.frame["points"]["place"]
    state = send(one, number=1, X=[[2, 0], *X[1:].tolist()])
    assert state["place"] == place and isinstance(one.error, RuntimeError)


def test_what_is_drawn_cannot_change_the_points():
    def draw(ax, X, y):
        X += 100
        y += 1

    one = explore(draw, alt=ALT, points=draggable(X, Y, box=BOX))
    assert one.frame["points"]["X"] == X.tolist() and one.frame["points"]["y"] == Y.tolist()


# ---------------------------------------------------------------------------------------------------------------
# What an author asks for
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "arguments, why",
    [
        ({"X": 10 * X}, "within the box"),
        ({"X": X.reshape(-1, 1)}, r"shape \(n, 2\) or \(n,\), got \(8, 1\)"),
        ({"y": Y - 1}, "classes are whole numbers from 0 to 7"),
        ({"y": Y + 0.5}, "classes are whole numbers"),
        ({"y": Y + 10**9}, "classes are whole numbers"),  # a shape for each would take the memory of the machine
        ({"y": ["a", "b", "a", "b"]}, "cannot be read as numbers"),
        ({"X": "ab"}, "cannot be read as numbers"),
        ({"box": None}, "box must be"),
        ({"box": (("a", 1), (0, 1))}, "box must be"),
        ({"fixed": "no"}, "fixed"),
        ({"panel": -1}, "panel"),
        ({"y": Y[:2]}, "each of the 4 points needs a class"),
        ({"box": ((0, 0), (1, 2))}, "box must be"),
        ({"box": ((0, 1), (1, np.inf))}, "box must be"),
        ({"along": "z"}, "along"),
        ({"fewest": -1}, "fewest"),
        ({"fewest": 5}, "there may be 5 to 300 points, got 4"),
        ({"most": 3}, "there may be 1 to 3 points, got 4"),
        ({"names": ("one",)}, "each of the 2 classes needs a name"),
        ({"names": "no"}, "each of the 2 classes needs a name"),
        ({"names": 2}, "each of the 2 classes needs a name"),
        ({"names": ("one", " ")}, "each of the 2 classes needs a name"),
    ],
)
def test_wrong_requests(arguments, why):
    with pytest.raises(ValueError, match=why):
        draggable(**{"X": X, "y": Y, "box": BOX, **arguments})


@pytest.mark.parametrize(
    "name, given", [("points", np.zeros((2, 2))), ("guess", "Which?"), ("goals", "a"), ("goals", 5)]
)
def test_what_an_author_forgot_to_wrap(name, given):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        explore(lambda ax, x=0: None, alt="A picture with nothing in it.", x=(0, 5, 1), **{name: given})


def test_the_axes_have_the_limits_of_the_box_before_draw():
    seen = []

    def draw(axes, X):
        seen.append((axes[1].get_xlim(), axes[1].get_ylim()))
        axes[1].plot(*(20 * X.T))

    one = explore(draw, alt=ALT, points=draggable(X, box=BOX, panel=1), subplots=(1, 2))
    assert seen[0] == seen[-1] == BOX
    left, bottom, right, top = one.frame["points"]["place"]
    assert 0.5 < left < right < 1 and 0 < top < bottom < 1


def test_a_panel_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="the points lie in panel 2, but the picture has 1, counted from 0"):
        explorer(panel=2)


def test_draw_may_not_change_the_limits():
    def draw(ax, X):
        ax.set(xlim=(0, 1))

    with pytest.raises(ValueError, match="must leave the limits"):
        explore(draw, alt=ALT, points=draggable(X, box=BOX))


def test_the_page_knows_where_the_box_lies():
    """Corners of the box as the axes transform them, in parts of the picture from its upper left corner."""
    one = explorer()
    ax = one.canvas.axes[0, 0]
    (x0, y0), (x1, y1) = ax.transData.transform([(-3, -2), (3, 2)])
    width, height = 700, 440
    expected = [x0 / width, 1 - y0 / height, x1 / width, 1 - y1 / height]
    np.testing.assert_allclose(one.frame["points"]["place"], expected, atol=1e-5)


def test_classes_are_called_as_in_the_legend():
    assert explorer().stage.spec["points"]["names"] == ["class 0", "class 1"]
    assert explorer(names=("y = -1", "y = +1")).stage.spec["points"]["names"] == ["y = -1", "y = +1"]


def test_in_words():
    assert "points: 4 points of 2 classes to move, add and delete (1 to 300)" in explorer().describe()
    assert "points: 4 points of 2 classes to move" in explorer(fixed=True).describe()
    one = explore(lambda ax, X: None, alt=ALT, points=draggable(X, box=BOX))
    assert one.describe().endswith("points: 4 points to move, add and delete (1 to 300)")
    one.set(X=X[:2])
    assert "4 points" in one.describe(), "the text of a saved notebook does not depend on what was moved"


def test_an_explorer_with_points_fits_the_window():
    one = explore(cloud, alt=ALT, points=draggable(X, Y, box=BOX), size=(1, 10), figsize=(7, 7))
    assert one.stage.spec["shown"] + 50 + 34 + 44 <= 560


def test_markers_have_outlines():
    assert marker_outline("s") == "M-7.50 7.50L7.50 7.50L7.50 -7.50L-7.50 -7.50Z".replace("7.50", f"{SCALE / 2:.2f}")
    for marker in "o^DvPX*":
        outline = marker_outline(marker)
        assert outline.startswith("M") and outline.endswith("Z")
        assert MarkerStyle(marker).get_path().codes is None or outline.count("Z") == 1


# ---------------------------------------------------------------------------------------------------------------
# Sweeps
# ---------------------------------------------------------------------------------------------------------------
def swept(**options):
    one = explorer(**options)
    start = one.values
    visited = [values for values, _ in one.sweep()]
    for name, value in start.items():
        np.testing.assert_array_equal(one.values[name], value)
    return visited


def test_a_sweep_visits_every_odd_set_of_points():
    visited = swept(fewest=2, most=12)
    sets, classes = [v["X"] for v in visited], [set(v["y"]) for v in visited]
    assert {0} in classes and {1} in classes
    assert {len(points) for points in sets} == {2, 4, 12}
    assert any(set(map(tuple, points)) == {(-3, -2), (-3, 2), (3, -2), (3, 2)} for points in sets)
    assert any(len(np.unique(points, axis=0)) == 1 and len(points) == 4 for points in sets)
    assert any(len(np.unique(points, axis=0)) == 3 for points in sets)
    assert any(np.ptp(points[:, 0]) == 0 and np.ptp(points[:, 1]) > 1 for points in sets)
    ranks = [np.linalg.matrix_rank(points - points.mean(axis=0), tol=1e-9) for points in sets if np.ptp(points[:, 0])]
    assert 1 in ranks, "no sloping line"


def test_a_sweep_keeps_to_what_can_be_done():
    for values in swept(fixed=True, along="x"):
        np.testing.assert_array_equal(values["X"][:, 1], X[:, 1])
        np.testing.assert_array_equal(values["y"], Y)
    one = explore(lambda ax, X: None, alt=ALT, points=draggable([1.0, 2], box=BOX, fewest=0))
    assert {values["X"].shape for values, _ in one.sweep()} == {(2,), (0,), (12,)}


@pytest.mark.parametrize("bad", ["two equal", "none", "one class"])
def test_a_sweep_finds_what_a_drawing_cannot_answer(bad):
    def draw(ax, X, y):
        wrong = {
            "two equal": len(np.unique(X, axis=0)) < len(X), "none": len(X) == 0, "one class": len(set(y)) == 1,
        }
        if wrong[bad]:
            raise ZeroDivisionError(bad)

    with pytest.raises(ZeroDivisionError, match=bad):
        explore(draw, alt=ALT, points=draggable(X, Y, box=BOX, fewest=0)).sweep()


# ---------------------------------------------------------------------------------------------------------------
# Players
# ---------------------------------------------------------------------------------------------------------------
def test_a_player_plays_anew_when_points_move():
    def states(X):
        return [X[:k].sum(axis=0) for k in range(1, len(X) + 1)]

    def draw(ax, state, X):
        return f"{state[0]:g} of {X[:, 0].sum():g}"

    player = play(states, draw, alt=ALT, points=draggable(X, box=BOX), start=3)
    assert caption(player) == "−2 of −2" and player.player.max == 3
    send(player, number=1, X=[[1, 0], [2, 0]])
    assert caption(player) == "3 of 3" and player.controls["step"].value == player.player.max == 1
    send(player, number=2, X=[[1, 0], [2, 0], [3, 0]])
    assert caption(player) == "3 of 6" and player.player.max == 2
    assert len(player.sweep()) > 8


def test_a_player_of_points_needs_a_function_of_them():
    for states, points in [([1, 2], draggable(X, box=BOX)), (lambda: [1], None)]:
        with pytest.raises(ValueError, match="states must be a function of the points"):
            play(states, lambda ax, state: None, alt=ALT, points=points)


# ---------------------------------------------------------------------------------------------------------------
# A table of one's own
# ---------------------------------------------------------------------------------------------------------------
def read(text, n_columns=2, names=("class 0", "class 1"), fewest=1, most=20):
    return read_table(text, n_columns, names, fewest, most)


TABLE = [[1.5, -2.0], [3.0, 0.25]]


@pytest.mark.parametrize(
    "text",
    [
        "1.5\t-2\n3\t0.25",
        "1,5\t-2\n3\t0,25\n",
        "1.5,-2\n3,0.25",
        "1.5, -2\r\n3, 0.25\r\n\r\n",
        "1,5;-2\n3;0,25",
        "1.5 -2\n3 0.25",
        "1,5   -2\n  3   0,25",
        "\ufeffx,y\n1.5,-2\n3,0.25",
        "\n\nheight (cm)\tweight\n1.5\t\u22122\n3\t.25",
        '"1.5","-2"\n"3","2.5e-1"',
        "1.5\t-2\t\t\n3\t0.25\t\n\t\t\t",
        "1.5,-2,\n3,0.25,",
        "1.5\u00a0;-2\n3;0.25",
        "1.5 \t -2 \r3 \t 0.25",
        "1,5 -2,0\n3,0 0,25",
        "１.5，-2\n3，0.25",
        "体重；身高\n1.5；-2\n3；0.25",
    ],
)
def test_tables_as_they_come(text):
    numbers, classes, said = read(text)
    np.testing.assert_array_equal(numbers, TABLE)
    assert classes.tolist() == [0, 0] and "no further column names one" in said


@pytest.mark.parametrize(
    "cell, value",
    [("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1 234,5", 1234.5), ("1\u202f234", 1234), ("+3", 3), ("3e-4", 3e-4)],
)
def test_numbers_as_they_are_written(cell, value):
    np.testing.assert_array_equal(read(f"{cell}\t0\n1\t2")[0], [[value, 0], [1, 2]])


@pytest.mark.parametrize(
    "names, classes, said",
    [
        (["setosa", "virginica", "setosa"], [0, 1, 0], "setosa is class 0, virginica is class 1."),
        (["1", "0", "1"], [1, 0, 1], ""),
        (["1", "1", "1"], [1, 1, 1], ""),
        (["1", "2", "1"], [0, 1, 0], "1 is class 0, 2 is class 1."),
        (["no", "好", "no"], [0, 1, 0], "no is class 0, 好 is class 1."),
    ],
)
def test_the_last_column_may_name_a_class(names, classes, said):
    table = "\n".join(f"{i}\t{i}\t{name}" for i, name in enumerate(names))
    for text in (table, "a\tb\tkind\n" + table):
        _, y, told = read(text)
        assert y.tolist() == classes and told == said


def test_the_last_column_may_name_a_class_as_the_picture_does():
    signs = {"names": ("y = -1", "y = +1")}
    for labels in (["1", "-1"], ["+1", "-1"], ["1", "0"]):
        _, y, said = read("\n".join(f"0 0 {label}" for label in labels), **signs)
        assert y.tolist() == [1, 0] and said == ""
    assert read("0 0 no\n0 0 yes", **signs)[2] == "no is y = -1, yes is y = +1."
    assert "All of them have y = -1" in read("0 0\n1 1", **signs)[2]


def test_numbers_with_a_decimal_comma_between_spaces():
    np.testing.assert_array_equal(read("1,5 2,5\n3,5 1,25")[0], [[1.5, 2.5], [3.5, 1.25]])
    np.testing.assert_array_equal(read("1,75 170,5\n1,8 200")[0], [[1.75, 170.5], [1.8, 200]])


def test_values_on_a_line_from_one_column():
    numbers, y, said = read("1,5\n2\n\n3", n_columns=1, names=())
    np.testing.assert_array_equal(numbers, [[1.5], [2], [3]])
    assert y is None and said == ""


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "there is no table"),
        (" \n\t\n;;", "there is no table"),
        ("hello", "row 1 has 1 column, it should have 2 numbers and, if you like, a class"),
        ("1,2\n3,x", "row 2 has “x” where a number should be .columns were cut at commas"),
        ("a,b\n1,2\n\n3,", "row 4 has 1 column,"),
        ("a,1,2\nb,2,3", "row 1 has “a” where a number should be .columns were cut at commas"),
        ("1\t2\t0\t5\n1\t2\t0\t5", "row 1 has 4 columns"),
        ("1,nan\n2,3", "row 1 has “nan”"),
        ("1,inf\n2,3", "row 1 has “inf”"),
        ("nan,nan\n2,3", "row 1 has “nan”"),  # no header
        ("1e200,-1e200\n2,3", "row 1 has “1e200”"),
        ("1,1e200\n2,3", "row 1 has “1e200”"),
        ("1,1_0\n2,3", "row 1 has “1_0”"),
        ("\n".join(["1,2"] * 21), "21 rows of numbers, 1 to 20 are possible"),
        ("x,y", "row 1 has “x”"),
        ("1,2,a\n1,2,b\n1,2,c", "names 3 classes .“a”, “b”, “c”., this picture has 2"),
        ("1,2\n" * 60_000, "at most 200000 can be read"),
        ("<b>1</b>\t2", "row 1 has “<b>1</b>”"),
        ("\x00\t2", "row 1 has"),
        ('"1,2\n3,4', "row"),
    ],
)
def test_what_cannot_be_read_is_named(text, why):
    with pytest.raises(ValueError, match=why):
        read(text)


def test_without_classes_there_is_no_column_for_them():
    with pytest.raises(ValueError, match="row 1 has 3 columns, it should have 2 numbers .columns"):
        read("1,2,a", names=())


def test_points_that_fit_stay_and_others_are_scaled():
    same, said = fit_into(X, BOX)
    np.testing.assert_array_equal(same, X)
    assert said == ""
    far = X * [100, 1] + [1000, 0]
    moved, said = fit_into(far, BOX)
    np.testing.assert_array_equal(moved[:, 1], X[:, 1])
    assert moved[:, 0].min() == pytest.approx(-3 + 0.06 * 6) and moved[:, 0].max() == pytest.approx(3 - 0.06 * 6)
    np.testing.assert_allclose(moved[:, 0], np.polyval(np.polyfit(far[:, 0], moved[:, 0], 1), far[:, 0]))
    slope, intercept = np.polyfit(far[:, 0], moved[:, 0], 1)
    assert said == f"Scaled into the picture: x = {intercept:.4g} + {slope:.4g} · yours."
    constant, said = fit_into(np.full((3, 2), 50.0), BOX)
    np.testing.assert_array_equal(constant, np.zeros((3, 2)))
    assert said == "Scaled into the picture: x = -50 + 1 · yours, y = -50 + 1 · yours."


def test_a_pasted_table_becomes_the_points():
    one = explorer()
    state = send(one, number=5, table="x\ty\tkind\n100\t1\tno\n300\t-1,5\tyes\n200\t0\tno")
    assert not state["refused"] and state["y"] == [0, 1, 0]
    assert state["said"] == (
        "3 points. no is class 0, yes is class 1. Scaled into the picture: x = -5.28 + 0.0264 · yours."
    )
    assert caption(one) == "3 points, 1 of class 1"
    state = send(one, number=6, table="1 2\nx 3")
    assert state["refused"] and state["said"].startswith("Nothing was changed: row 2 has “x”")
    assert caption(one) == "3 points, 1 of class 1"


class TestEveryClass:
    WIDE = ((0.0, 5.0), (0.0, 5.0))

    def points(self, **options):
        return draggable([[1, 1], [2, 2], [3, 3]], [0, 0, 1], box=self.WIDE, every_class=True, **options)

    def test_the_last_point_of_a_class_stays(self):
        points = self.points()
        points.read({"X": [[2, 2], [3, 3]], "y": [0, 1]})
        assert len(points.X) == 2
        for X, y in ([[[2, 2], [3, 3]], [0, 0]], [[[2, 2]], [0]], [[[2, 2], [3, 3], [4, 4]], [1, 1, 1]]):
            with pytest.raises(ValueError, match="each class keeps a point; class [01] would have none|2 to 300"):
                points.read({"X": X, "y": y})
        assert points.y.tolist() == [0, 1] and len(points.X) == 2
        with pytest.raises(ValueError, match="class 1 would have none"):
            points.read({"table": "1 2 0\n2 3 0\n3 4 0"})

    def test_a_sweep_visits_no_picture_without_a_class(self):
        assert all(set(stop["y"]) == {0, 1} for stop in self.points().stops())
        assert any(set(stop["y"]) == {0} for stop in draggable([[1, 1], [2, 2]], [0, 1], box=self.WIDE).stops())

    def test_at_the_start_no_class_is_empty(self):
        with pytest.raises(ValueError, match="class 0 would have none"):
            draggable([[1, 1], [2, 2]], [1, 1], box=self.WIDE, every_class=True)
