"""A learner's guesses and sliders stand where they were when a cell is run again; nobody else's do."""

import base64
import json
import os
from pathlib import Path

import ipywidgets as widgets
import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from mlcore.classroom import memory
from mlcore.viz import draggable, explore, guess, log_slider, play

ROOT = Path(__file__).resolve().parents[2]
ALT = "a line that rises to the height k"
CHOICES = {"flatter": "No: the last point pulls it up.", "steeper": "Right, by its distance."}
TOLD = {"low": "It is more.", "near": "Just so.", "high": "It is less."}
WHICH = guess("Is the line flatter or steeper?", CHOICES, "steeper")
HOW_MUCH = guess("How high is it?", (0, 5, 0.5), 2, near=0.5, feedback=TOLD)


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch):
    """Each test begins without guesses and places; a place is written when the test says so."""
    monkeypatch.setattr(memory, "_SESSION", {field: {} for field in memory.FIELDS})
    monkeypatch.setattr(memory, "_UNSAVED", {})
    monkeypatch.setattr(memory, "_AT_REST", {"thread": "sleeps", "due": 0.0})
    monkeypatch.delenv("JUPYTERHUB_USER", raising=False)


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """A learner's folder, in which a notebook runs."""
    (tmp_path / memory.COPIES).write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": None}))
    return tmp_path


def restart():
    """What a new kernel knows: the file alone."""
    memory._save()
    for known in (*memory._SESSION.values(), memory._UNSAVED):
        known.clear()


def rising(ax, k=1.0, kind="a", steep=False, C=1.0):
    ax.plot([0, 1], [0, k])
    ax.set(ylim=(0, 6))
    return f"k = {k:g}, {kind}, {steep}, C = {C:g}"


CONTROLS = {"k": (0.0, 5.0), "kind": ["a", "b"], "steep": False, "C": (0.1, 10.0)}
MOVED = {"k": 3.0, "kind": "b", "steep": True, "C": 5.0}


def explorer(draw=rising, alt=ALT, **options):
    return explore(draw, alt=alt, **{**CONTROLS, **options})


def commit(one, made):
    """Let the page send a guess, and return what it is told."""
    one._heard(None, {"kind": "guess", "guess": made, "number": 1})
    return one.frame["question"]


def is_asking(one):
    return one.frame["question"]["made"] is None and "mlcore-asking" in one.widget._dom_classes


def move(one, **values):
    """Move controls as a learner does."""
    for name, value in values.items():
        one.controls[name].value = value


def file(folder):
    path = folder / memory.FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


# ---------------------------------------------------------------------------------------------------------------
# Sliders
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("new_kernel", [False, True])
def test_sliders_stand_where_they_were(learner, new_kernel):
    first = explorer()
    assert first.place.button is None and first.values == {"k": 1.0, "kind": "a", "steep": False, "C": 1.0}
    move(first, **MOVED)
    if new_kernel:
        restart()
    again = explorer()
    assert again.values == MOVED and again.frame["caption"] == first.frame["caption"]
    assert again.frame["picture"] == first.frame["picture"], "the first picture is not that of the place"
    assert again.place.button in again.panel.children


def test_the_way_back(learner):
    move(explorer(), **MOVED)
    restart()
    again = explorer()
    drawn, told = [], []
    paint = again.canvas.paint
    again.canvas.paint = lambda **values: drawn.append(1) or paint(**values)
    again.stage.observe(told.append, "frame")
    again.place.button.click()
    assert again.values == explorer(alt=ALT + " elsewhere").values and "k = 1" in again.frame["caption"]
    assert drawn == [1] and len(told) == 1, "not drawn once, or the page waits for ever"
    restart()
    assert file(learner)["places"] == {}
    assert explorer().place.button is None


def test_back_at_the_start_by_hand_is_no_place(learner):
    one = explorer()
    move(one, k=3.0)
    move(one, k=1.0)
    restart()
    assert file(learner) is None
    assert explorer().place.button is None


CHANGED = {
    "one more": {"depth": (1, 3)},
    "another range": {"k": (0.0, 2.0)},
    "another kind": {"k": (0, 5)},
    "other choices": {"kind": ["a", "c"]},
    "no longer a tick": {"steep": (0, 1)},
    "a choice of numbers": {"k": [1.0, 3.0]},
    "a log slider": {"k": log_slider(-3, 0)},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_controls_that_have_changed_stand_at_their_start(learner, change):
    move(explorer(), **MOVED)
    restart()

    def draw(ax, k=1.0, kind="a", steep=False, C=1.0, depth=1):
        return ""

    start = explore(draw, alt=ALT + " elsewhere", **{**CONTROLS, **change}).values
    one = explore(draw, alt=ALT, **{**CONTROLS, **change})
    assert one.values == start and one.place.button is None


@pytest.mark.slow
@pytest.mark.parametrize("left", [3, "x", [], {}, None, {"k": None}, {"k": "3"}, {"k": [3.0]}, {"k": 9.0}, {"k": True}])
def test_places_that_are_none_are_left_alone(learner, left):
    if isinstance(left, dict) and left:
        left = {"kind": "b", "steep": True, "C": 5.0} | left
    (learner / memory.FILE).write_text(json.dumps({"places": {memory.key_of(ALT): left}}))
    one = explorer()
    assert one.values["k"] == 1.0 and one.values["kind"] == "a" and one.place.button is None


def test_a_drawing_that_fails_at_a_place_begins_at_the_start(learner):
    """The chapter has changed since; a picture that fails at its start too raises, as ever."""
    move(explorer(), **MOVED)

    def fails(ax, k=1.0, kind="a", steep=False, C=1.0):
        if k != 1:
            raise ZeroDivisionError
        return "fine"

    restart()
    one = explorer(fails)
    assert one.error is None and one.values["k"] == 1.0 and "fine" in one.frame["caption"]
    restart()
    assert file(learner)["places"] == {}

    def always(ax, k=1.0, kind="a", steep=False, C=1.0):
        raise ZeroDivisionError

    move(explorer(), **MOVED)
    with pytest.raises(ZeroDivisionError):
        explorer(always)


def test_what_cannot_be_told_is_not_remembered(learner):
    def draw(ax, words=("a",), k=1):
        return ""

    controls = {"words": widgets.SelectMultiple(options=["a", "b"], value=["a"]), "k": (0, 5)}
    one = explore(draw, alt=ALT, **controls)
    move(one, k=3)
    assert one.place.key is None and memory._UNSAVED == {}


def test_values_that_are_no_texts_are_told_by_their_label(learner):
    def draw(ax, kind=min, C=1.0):
        return kind.__name__

    def controls():
        return {"kind": {"least": min, "most": max}, "C": log_slider(-3, 3)}

    one = explore(draw, alt=ALT, **controls())
    move(one, kind=max, C=10.0**-3)
    restart()
    assert file(learner)["places"] == {memory.key_of(ALT): {"kind": "most", "C": 0.001}}
    assert explore(draw, alt=ALT, **controls()).values == {"kind": max, "C": 0.001}


def test_room_for_the_way_back(learner):
    """It is in the explorer's height from the beginning, so nothing moves, and the whole still fits into a window."""
    move(first := explorer(), k=3.0)
    again = explorer()
    above, above_again = (one.stage.spec["heights"]["asking"] for one in (first, again))
    assert above_again in (above, above + 50)
    assert again._height_of_rest + again._size_shown["height"] <= 560


def test_steps_and_points_are_not_remembered(learner):
    player = play([1, 2, 3], lambda ax, state: "", alt="a line that is drawn in three steps")
    player.controls["step"].value = 2
    one = explore(lambda ax, X: "", alt=ALT, points=draggable([[0, 0], [1, 1]], box=((-3, 3), (-3, 3))))
    one.set(X=[[1, 1], [2, 2]])
    assert memory._UNSAVED == {}


# ---------------------------------------------------------------------------------------------------------------
# Guesses
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "asked, made", [(WHICH, "flatter"), (WHICH, ""), (HOW_MUCH, 0.5), (HOW_MUCH, 5), (HOW_MUCH, "")]
)
def test_a_guess_is_not_asked_again(learner, asked, made):
    first = explorer(guess=asked)
    told = commit(first, made)
    restart()
    again = explorer(guess=asked)
    assert "mlcore-asking" not in again.widget._dom_classes and not told["again"]
    assert again.frame["question"] == told | {"again": "ask me again"} and told["made"] == made


def test_who_asks_to_be_asked_again_sees_the_first_picture(learner):
    """Without the place that could give the answer away; the next run asks too."""
    first = explorer(guess=WHICH)
    commit(first, "flatter")
    move(first, **MOVED)
    restart()
    again = explorer(guess=WHICH)
    assert again.values == MOVED
    told = commit(again, None)
    assert is_asking(again) and told["answer"] == told["sign"] == ""
    assert again.values["k"] == 1.0 and "k = 1" in again.frame["caption"]
    restart()
    assert file(learner)["guesses"] == {} and is_asking(explorer(guess=WHICH))


def test_a_place_does_not_answer_a_question_that_is_open(learner):
    """The question is another one since the last update of the chapter."""
    first = explorer(guess=WHICH)
    commit(first, "flatter")
    move(first, **MOVED)
    restart()
    assert explorer(guess=HOW_MUCH).values["k"] == 1.0


def test_a_player_that_asks_again_is_at_its_start(learner):
    def player():
        return play([1, 2, 3], lambda ax, state: f"at {state}", alt="a line drawn in steps", start=1, guess=WHICH)

    commit(player(), "steeper")
    again = player()
    again.controls["step"].value = 2
    commit(again, None)
    assert again.controls["step"].value == 1 and "at 2" in again.frame["caption"]


@pytest.mark.slow
@pytest.mark.parametrize("asked", [WHICH, HOW_MUCH])
@pytest.mark.parametrize("held", ["none of these", 7.5, True, None, [], {}, float("nan")])
def test_a_guess_that_is_none_is_asked_again(learner, asked, held):
    (learner / memory.FILE).write_text(json.dumps({"guesses": {memory.key_of(asked.question): held}}))
    assert is_asking(explorer(guess=asked))


def test_no_two_pictures_of_the_course_share_a_place_or_a_guess():
    """What is to be seen, and what is asked, are the names under which they are remembered."""
    lines = [
        line
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", ())
        for line in "".join(output.get("data", {}).get("text/plain", "")).split("\n")
    ]
    for head in ("[explorer] ", "  Guess first: "):
        found = [line for line in lines if line.startswith(head)]
        assert len(found) > 26 and len(found) == len(set(found))


# ---------------------------------------------------------------------------------------------------------------
# Elsewhere
# ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("where", ["no copies", "no notebook"])
def test_elsewhere_a_picture_begins_at_its_start(learner, monkeypatch, where):
    if where == "no copies":
        (learner / memory.COPIES).unlink()
    else:
        monkeypatch.setattr("IPython.get_ipython", lambda: None)
    first = explorer(guess=WHICH)
    commit(first, "flatter")
    move(first, **MOVED)
    again = explorer(guess=WHICH)
    assert again.values["k"] == 1.0 and again.place.button is None and again._png == explorer(guess=WHICH)._png
    assert not is_asking(again) and again.frame["question"]["again"] == "", "in one session a cell does not ask twice"
    memory._save()
    assert sorted(path.name for path in learner.iterdir()) == [memory.COPIES] * (where == "no notebook")


CELLS = [
    "from mlcore.viz import explore, guess\n"
    "def rising(ax, k=1.0):\n    ax.plot([0, 1], [0, k])\n    return f'k = {k:g}'",
    f"one = explore(rising, k=(0.0, 5.0), alt={ALT!r}, guess=guess({WHICH.question!r}, {CHOICES!r}, 'steeper'))\none",
    "{}",
    "print(one.values, one.frame['question']['answer'][:19])",
]


GUESS = "one._heard(None, {'kind': 'guess', 'guess': 'flatter', 'number': 1}); "


def run_in(folder, act):
    """Run an explorer in a kernel of its own; return what is printed and the picture that is saved."""
    nb = new_notebook(cells=[new_code_cell(cell.replace("{}", act) if cell == "{}" else cell) for cell in CELLS])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    nbclient.NotebookClient(nb, timeout=120, resources={"metadata": {"path": str(folder)}}).execute(env=environment)
    return nb.cells[-1].outputs[0].text.strip(), base64.b64decode(nb.cells[1].outputs[0].data["image/png"])


@pytest.mark.slow
def test_in_a_kernel_that_is_shut_down_before_the_place_rests(tmp_path):
    (tmp_path / memory.COPIES).write_text("{}")
    act = GUESS + "one.controls['k'].value = 3.0"
    said, picture = run_in(tmp_path, act)
    assert said == "{'k': 3.0} Your guess: flatter"
    assert file(tmp_path)["places"] == {memory.key_of(ALT): {"k": 3.0}}
    said_again, picture_again = run_in(tmp_path, "pass")
    assert said_again == said and picture_again != picture


@pytest.mark.slow
def test_what_is_saved_of_the_courses_own_notebooks_stays(tmp_path):
    """As the build and nbval run them, also after somebody has moved a slider and guessed."""
    act = GUESS + "one.controls['k'].value = 3.0"
    _, picture = run_in(tmp_path, act)
    said, picture_again = run_in(tmp_path, "pass")
    assert said == "{'k': 1.0}" and picture_again == picture and list(tmp_path.iterdir()) == []
