"""Guesses to commit to, goals that tick themselves off, and the line of code that runs."""

import re

import pytest

from mlcore.classroom import memory, viz
from mlcore.classroom.viz.ask.guesses import without_praise
from mlcore.classroom.viz.stage.explorer import ROW
from mlcore.optimize import descend, descend_by_coordinates
from mlcore.viz import explore, goal, guess, play

ALT = "a line that rises to the height k"
CHOICES = {"flatter": "No: the last point pulls it up.", "steeper": "Right, by its distance."}
TOLD = {"low": "It is more.", "near": "Just so.", "high": "It is less."}


@pytest.fixture(autouse=True)
def nothing_done(monkeypatch):
    """Each test begins without guesses made or goals reached."""
    monkeypatch.setattr(memory, "_SESSION", {field: {} for field in memory.FIELDS})


def is_asking(one):
    """Whether the controls wait for an answer."""
    return "mlcore-asking" in one.widget._dom_classes


def commit(one, made):
    """Let the page send a guess, and return what it is told."""
    one._heard(None, {"kind": "guess", "guess": made, "number": 0.5})
    assert one.frame["answers"] == 0.5
    return one.frame["question"]


def rising(ax, k=1):
    ax.plot([0, 1], [0, k])
    ax.set(ylim=(0, 6))
    return f"up to {k}", {"total": k}


def explorer(**options):
    return explore(rising, alt=ALT, k=(0, 5), **options)


# ---------------------------------------------------------------------------------------------------------------
# Guesses
# ---------------------------------------------------------------------------------------------------------------
def test_the_question_stands_where_the_controls_come():
    one = explorer(guess=guess("Is the line flatter or steeper?", CHOICES, "steeper"))
    assert one.stage.spec["question"] == {
        "text": "Is the line flatter or steeper?", "choices": ["flatter", "steeper"], "range": None,
        "key": memory.key_of("Is the line flatter or steeper?"),
    }  # fmt: skip
    assert is_asking(one) and one.frame["question"] == {"made": None, "sign": "", "answer": "", "again": ""}
    answer = "Your guess: flatter. No: the last point pulls it up."
    assert commit(one, "flatter") == {"made": "flatter", "sign": "✗", "answer": answer, "again": ""}
    assert not is_asking(one)


def test_a_number_is_asked_for_in_its_range():
    one = explorer(guess=guess("How much?", (0, 1, 0.05), 0.6, TOLD, near=0.11))
    assert one.stage.spec["question"] == {
        "text": "How much?", "choices": [], "range": [0, 1, 0.05], "key": memory.key_of("How much?"),
    }  # fmt: skip
    for odd in ("flatter", 2, True, [0.5], {}, float("nan")):
        assert commit(one, odd)["made"] is None and is_asking(one)
    assert commit(one, 0.5)["sign"] == "✓" and not is_asking(one)


@pytest.mark.parametrize("made, sign, said", [
    ("steeper", "✓", "Your guess: steeper. Right, by its distance."),
    ("flatter", "✗", "Your guess: flatter. No: the last point pulls it up."),
    ("", "", "The answer: steeper. By its distance."),
])  # fmt: skip
def test_what_is_said_depends_on_the_choice(made, sign, said):
    assert guess("Which one?", CHOICES, "steeper").answer(made) == (sign, said)


@pytest.mark.parametrize("made, sign, said", [
    (0.2, "✗", "Your guess: 0.2; it is 0.6. It is more."),
    (0.5, "✓", "Your guess: 0.5; it is 0.6. Just so."),
    (0.65, "✓", "Your guess: 0.65; it is 0.6. Just so."),
    (1, "✗", "Your guess: 1; it is 0.6. It is less."),
    ("", "", "The answer: 0.6. Just so."),
])  # fmt: skip
def test_what_is_said_depends_on_the_number(made, sign, said):
    assert guess("How much?", (0, 1, 0.05), 0.6, TOLD, near=0.11).answer(made) == (sign, said)


def test_without_praise_a_sentence_begins_with_a_large_letter_and_a_symbol_stays():
    assert without_praise("Yes, both.") == "Both." and without_praise("Right: δ is a slope.") == "δ is a slope."


def test_a_cell_that_is_run_again_does_not_ask_again():
    asked = guess("Which one?", CHOICES, "steeper")
    first = explorer(guess=asked)
    told = commit(first, "flatter")
    again = explorer(guess=asked)
    assert not is_asking(again) and again.frame["question"]["answer"] == told["answer"] != ""
    other = explorer(guess=guess("Which other one?", CHOICES, "steeper"))
    assert is_asking(other)


def test_sweeps_and_set_do_not_wait_for_a_guess():
    one = explorer(guess=guess("Which one?", CHOICES, "steeper"))
    one.sweep()
    one.set(k=4)
    assert one.values == {"k": 4} and is_asking(one) and one.frame["question"]["made"] is None


def test_text_and_saved_page_tell_the_question_and_not_the_answer(monkeypatch):
    shown = []
    monkeypatch.setattr("mlcore.classroom.viz.stage.explorer.display", lambda data, **_: shown.append(data))
    goals = [goal("2.A", "up <high>", lambda k: k > 4, by={"k": 5})]
    one = explorer(guess=guess("Which one?", CHOICES, "steeper"), goals=goals)
    before = one.describe()
    assert "Guess first: Which one? (flatter / steeper)" in before and "Right, by" not in before
    assert "Goal: Up <high>" in before
    commit(one, "steeper")
    one.controls["k"].value = 5
    one.controls["k"].value = 1
    assert one.describe() == before, "the text changes with what the learner does"
    one._ipython_display_()
    assert "Guess first: Which one?" in shown[1]["text/html"] and "&lt;high&gt;" in shown[1]["text/html"]
    number = explorer(guess=guess("How much?", (0, 1, 0.05), 0.6, TOLD, near=0.1))
    assert "Guess first: How much? (0 to 1)" in number.describe() and "0.6" not in number.describe()


@pytest.mark.parametrize("question, answers, right, options, said", [
    ("no question", CHOICES, "steeper", {}, "question mark"),
    (None, CHOICES, "steeper", {}, "question mark"),
    ("Which?", CHOICES, "level", {}, "'level' is none of the choices: flatter, steeper"),
    ("Which?", {"one": "only"}, "one", {}, "two choices"),
    ("Which?", {"one": "", "two": "b"}, "two", {}, "two choices"),
    ("Which?", {1: "a", 2: "b"}, 1, {}, "two choices"),
    ("Which?", CHOICES, "steeper", {"feedback": TOLD}, "for numbers"),
    ("Which?", CHOICES, "steeper", {"near": 0.1}, "for numbers"),
    ("Which?", ["a", "b"], "a", {}, "dict of choices or"),
    ("How?", (0, 1), 0.5, {"feedback": TOLD, "near": 0.1}, "low, high, step"),
    ("How?", (0, 1, 0.1), 1.5, {"feedback": TOLD, "near": 0.1}, "right"),
    ("How?", (1, 0, 0.1), 0.5, {"feedback": TOLD, "near": 0.1}, "high"),
    ("How?", ("a", 1, 0.1), 0.5, {"feedback": TOLD, "near": 0.1}, "low must be a number"),
    ("Which?", CHOICES, ["steeper"], {}, "none of the choices"),
    ("How?", (0, 1, 0), 0.5, {"feedback": TOLD, "near": 0.1}, "step"),
    ("How?", (0, 1, 0.1), 0.5, {"near": 0.1}, 'feedback with "low", "near" and "high"'),
    ("How?", (0, 1, 0.1), 0.5, {"feedback": {"low": "a", "high": "b"}, "near": 0.1}, "feedback with"),
    ("How?", (0, 1, 0.1), 0.5, {"feedback": TOLD}, "how far off"),
    ("How?", (0, 1, 0.1), 0.5, {"feedback": TOLD, "near": -1}, "near"),
])  # fmt: skip
def test_a_malformed_guess_is_refused(question, answers, right, options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        guess(question, answers, right, **options)


def test_a_picture_with_a_question_and_goals_fits_the_window():
    long = "a text that goes on and on until it takes two lines of the page " * 2
    one = explorer(
        guess=guess(long + "?", {"one": long, "two": long}, "one"), figsize=(7.0, 6.0),
        goals=[goal("2.A", long, lambda k: k > 4, by={"k": 5})],
    )
    picture = one.stage.spec["shown"] * 6 / 7
    asking, answered = one.scene.question.heights(700)
    heights = one.stage.spec["heights"]
    above = max(asking, answered + ROW)
    assert heights == {"asking": above, "answered": above - ROW}
    assert round(picture) + one.stage.spec["rest"] <= 560
    assert one.stage.spec["rest"] >= heights["asking"] + 44 + 2 * 20, "no room for the goal of two lines"


# ---------------------------------------------------------------------------------------------------------------
# Goals
# ---------------------------------------------------------------------------------------------------------------
def high(**options):
    return goal("2.A", "rise to four", lambda total: total >= 4, by={"k": 4}, **options)


def test_a_goal_ticks_itself_off_and_stays_so():
    one = explorer(goals=[high()])
    assert one.stage.spec["goals"] == [["2.A", "Rise to four"]] and one.frame["reached"] == []
    one.controls["k"].value = 5
    assert one.frame["reached"] == ["2.A"]
    one.controls["k"].value = 0
    assert one.frame["reached"] == ["2.A"]
    assert explorer(goals=[high()]).frame["reached"] == ["2.A"], "forgotten when the cell is run again"
    assert memory.remembered("goals") == {"2.A"}


def test_a_sweep_reaches_no_goal():
    one = explorer(goals=[high()])
    one.sweep()
    one.set(k=5)
    assert one.frame["reached"] == [] and memory.remembered("goals") == set()
    assert one.goals[0].holds(one.numbers)


def test_a_goal_takes_controls_and_numbers_by_name():
    one = explorer(goals=[goal("2.B", "both", lambda k, total: k == total == 3, by={"k": 3})])
    assert one.numbers == {"k": 1, "total": 1}
    assert not one.goals[0].holds(one.numbers) and one.goals[0].holds({"k": 3, "total": 3, "more": 1})


def test_a_goal_that_asks_for_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match="goal 2.A asks for 'errors', but the picture has: k, total"):
        explorer(goals=[goal("2.A", "none", lambda errors: errors == 0, by={"k": 1})])


@pytest.mark.parametrize("name, text, reached, by", [
    ("A", "text", lambda k: True, {"k": 1}),
    ("2.1", "text", lambda k: True, {"k": 1}),
    ("2.A", "", lambda k: True, {"k": 1}),
    ("2.A", "text", None, {"k": 1}),
    ("2.A", "text", lambda k: True, None),
    ("2.A", "text", lambda k: True, {}),
])  # fmt: skip
def test_a_malformed_goal_is_refused(name, text, reached, by):
    with pytest.raises(ValueError):
        goal(name, text, reached, by=by)


def test_texts_of_goals_are_plain():
    one = explorer(goals=[goal("2.A", "<b>up</b>", lambda k: k > 4, by={"k": 5})])
    assert one.stage.spec["goals"] == [["2.A", "<b>up</b>"]]


def test_several_goals_are_ticked_one_by_one():
    one = explorer(goals=[goal("2.B", "to the top", lambda k: k == 5, by={"k": 5}), high()])
    one.controls["k"].value = 4
    assert one.frame["reached"] == ["2.A"]
    one.controls["k"].value = 5
    assert one.frame["reached"] == ["2.B", "2.A"]


@pytest.mark.parametrize(("numbers", "error"), [({"total": None}, "TypeError"), ({}, "ValueError")])
def test_what_a_goal_raises_is_shown_and_the_page_is_answered(numbers, error):
    """As what a drawing raises: no picture of an earlier setting stays, and a sweep finds it."""

    def draw(ax, k=1):
        return "", numbers if k == 5 else {"total": k}

    one = explore(draw, alt=ALT, k=(0, 5), goals=[high()])
    one.controls["k"].value = 5
    assert one.frame["error"]["name"] == error and one.frame["picture"] == b"" and one.frame["reached"] == []
    one.controls["k"].value = 4
    assert one.frame["error"] is None and one.frame["reached"] == ["2.A"]
    with pytest.raises((TypeError, ValueError)):
        one.sweep()


def test_an_error_reaches_no_goal():
    def fails(ax, k=1):
        if k == 5:
            raise ValueError("five")
        return "", {"total": k}

    one = explore(fails, alt=ALT, k=(0, 5), goals=[goal("2.A", "more", lambda k: k > 4, by={"k": 5})])
    one.controls["k"].value = 5
    assert one.error is not None and one.frame["reached"] == []


# ---------------------------------------------------------------------------------------------------------------
# The line that runs
# ---------------------------------------------------------------------------------------------------------------
def show(ax, state):
    ax.plot([0, state])
    return f"state {state}"


def player(line, values=None, code=descend, states=(0, 1, 2)):
    return play(states, show, alt=ALT, figsize=(5.2, 4.0), code=code, line=line, values=values)


PIECES = [None, "slope = gradient(x)", "x = x - rate(step)"]


def test_the_line_at_work_follows_the_step():
    one = player(lambda state: PIECES[state], lambda state: {"step": state, "η": f"{state / 10:.2f}"})
    assert one.frame["line"] == -1 and one.frame["values"] == [["step", "0"], ["η", "0.00"]]
    one.controls["step"].value = 2
    assert "rate" in one.stage.spec["lines"][one.frame["line"]] and one.frame["values"][1] == ["η", "0.20"]
    assert "rate(step) * slope" in one.running.texts[one.frame["line"]]
    one.controls["step"].value = 0
    assert one.frame["line"] == -1


def test_several_functions_are_shown_and_told_apart():
    lines = [("descend", "yield x"), ("descend_by_coordinates", "x = x.copy()"), "for j in range"]
    with pytest.raises(ValueError, match=r"must be found in one line of descend, it is in 2: yield x \| yield x"):
        player(lambda state: lines[state], code=[descend, descend_by_coordinates])
    lines[0] = ("descend", "for step in")
    one = player(lambda state: lines[state], code=[descend, descend_by_coordinates])
    for step, owner in enumerate(["descend", "descend_by_coordinates", "descend_by_coordinates"]):
        one.controls["step"].value = step
        assert one.running.owners[one.frame["line"]] == owner
    heads = [line for line in one.stage.spec["lines"] if "mlcore/" in line]
    assert len(heads) == 2
    assert "mlcore/core/linear_regression.py" in heads[0] and "mlcore/optimize.py" in heads[1]


def test_a_piece_in_no_line_or_in_several_is_an_error_in_any_state():
    with pytest.raises(ValueError, match="'y = 1' must be found in one line of descend, it is in 0"):
        player(lambda state: "y = 1")
    one = player(lambda state: "y = 1" if state == 1 else None)
    with pytest.raises(ValueError, match="'y = 1'"):
        one.sweep()
    one.controls["step"].value = 1
    assert "must be found" in one.frame["error"]["text"]
    one.controls["step"].value = 0
    assert one.frame["error"] is None


def test_the_code_is_that_of_show_source_and_escaped():
    def compare(a, b):
        """Whether a is less than b & more.

        Parameters are not shown.
        """
        return a < b

    one = player(lambda state: "return", code=compare)
    text = re.sub("<[^>]*>", "", "\n".join(one.stage.spec["lines"]))
    assert "a &lt; b" in text and "b &amp; more" in text and "Parameters" not in text
    assert len(one.stage.spec["lines"]) == len(one.running.texts)
    with pytest.raises(ValueError, match="in 0"):
        player(lambda state: "less than", code=compare)  # a docstring never runs


def test_the_text_of_a_player_tells_the_line_and_values_at_the_start():
    one = player(lambda state: PIECES[state + 1], lambda state: {"η": state}, states=(0, 1))
    told = one.describe()
    assert told.endswith("  code: descend\n  ▸ slope = gradient(x)\n  η: 0")
    one.controls["step"].value = 1
    assert one.describe().split("\n")[2:] == told.split("\n")[2:]


def test_code_line_and_values_belong_together():
    for options in ({"code": descend}, {"line": lambda state: None}, {"values": lambda state: {}}):
        with pytest.raises(ValueError, match="belong together"):
            play([1, 2], show, alt=ALT, **options)


def test_a_players_goal_and_guess_stand_with_the_code():
    one = play(
        [1, 2], lambda ax, state: ("", {"state": state}), alt=ALT, code=descend, line=lambda state: None,
        guess=guess("Which one?", CHOICES, "steeper"),
        goals=[goal("2.A", "the end", lambda state: state == 2, by={"step": 1})],
    )
    assert is_asking(one)
    one.controls["step"].value = 1
    assert one.frame["reached"] == ["2.A"]
    assert one.stage in one.widget.children and "mlcore-with-code" in one.widget._dom_classes


def test_a_closed_explorer_closes_its_stage():
    asked = guess("Which one?", CHOICES, "steeper")
    one = play([1, 2], show, alt=ALT, code=descend, line=lambda state: None, guess=asked)
    one.close()
    assert one.stage.comm is None and one.widget.comm is None
    assert one not in viz.explorers()
