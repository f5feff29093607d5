"""The graders of every chapter: they refuse wrong answers, survive any answer, and say something useful."""

import ast
import contextlib
import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from mlcore.classroom import exercises
from mlcore.classroom.exercises import grading
from mlcore.course import CHAPTERS
from mlcore.exercises import (
    Unknown,
    Wrong,
    call,
    check_answer,
    close,
    exercise,
    expect,
    grade,
    hint,
    number,
)

ALL = [entry for chapter in CHAPTERS for entry in exercises.exercises_of(chapter.number)]
GARBAGE = [
    None,
    0,
    -1,
    1e300,
    float("nan"),
    float("inf"),
    True,
    "",
    "word",
    b"x",
    [],
    {},
    (),
    [None],
    np.array([]),
    np.array(["a"]),
    np.full((2, 3), np.nan),
    object(),
    int,
    {"a": 1},
    range(3),
    1j,
    lambda *a, **k: None,
    lambda *a, **k: "word",
    lambda *a, **k: np.nan,
    lambda *a, **k: a[0] if a else 0,
    lambda *a, **k: 1 / 0,
    lambda: 0,
]


@pytest.fixture
def sample():
    """A grader for a chapter that has none of its own."""

    @exercise("0.99", hint="Try small numbers.", step="Divide it by 2, 3 and 5.", wrong=[3, 5])
    def seven(answer):
        value = number(answer)
        if close(value, 5):
            raise Wrong("that is the prime before.")
        if close(value, 8):
            raise Unknown("8 is even.")
        if close(value, 9):
            raise Unknown("the last digit is not right.", "Nine is three threes.")
        expect(close(value, 7))

    yield
    del grading._REGISTRY["0.99"]
    grading._VERDICTS.pop("0.99", None)
    del grading._STAGES["0.99"]


def test_verdicts(sample, capsys):
    assert str(check_answer("0.99", 7)) == "✓ 0.99 is correct."
    assert str(check_answer("0.99", 5)) == "✗ 0.99 is wrong: that is the prime before."
    assert str(check_answer("0.99", ...)) == "○ 0.99 is not attempted yet."
    assert check_answer("0.99", (..., ...)).status == "not attempted"
    assert check_answer("0.99", "seven").status == "wrong"
    grade("0.99", 7)
    assert capsys.readouterr().out == "✓ 0.99 is correct.\n"


def test_help_comes_in_two_stages(sample, capsys):
    """A mistake that is known is named; one that is not gets the direction; from the second one on the next step."""

    def said(answer):
        grade("0.99", answer)
        return capsys.readouterr().out.removeprefix("✗ 0.99 is wrong").strip()

    assert said(...) == "○ 0.99 is not attempted yet."
    assert said("seven") == ": a number is asked for, got 'seven'."
    assert said(4) == ". Hint: Try small numbers."
    assert said("seven") == ": a number is asked for, got 'seven'."
    assert said(4) == ". Next step: Divide it by 2, 3 and 5."
    assert said(5) == ": that is the prime before. Next step: Divide it by 2, 3 and 5."
    assert said(8) == ": 8 is even. Next step: Divide it by 2, 3 and 5."
    assert said(9) == ": the last digit is not right. Next step: Nine is three threes."
    assert said(...) == "○ 0.99 is not attempted yet."
    assert exercises.last_verdicts()["0.99"].status == "not attempted"


def test_a_known_mistake_is_an_attempt_and_a_fact_comes_before_the_direction(sample, capsys):
    grade("0.99", 8)
    grade("0.99", 4)
    first, second = capsys.readouterr().out.splitlines()
    assert first == "✗ 0.99 is wrong: 8 is even. Hint: Try small numbers."
    assert second.endswith("Next step: Divide it by 2, 3 and 5.")


def test_help_can_be_asked_for(sample, capsys):
    hint("0.99")
    hint("0.99")
    grade("0.99", 4)
    assert capsys.readouterr().out.splitlines() == [
        "0.99: Try small numbers.",
        "0.99: Try small numbers. Next step: Divide it by 2, 3 and 5.",
        "✗ 0.99 is wrong. Next step: Divide it by 2, 3 and 5.",
    ]
    with pytest.raises(ValueError, match="chapter 0 has: .*0.99"):
        hint("0.98")


def test_in_a_notebook_a_verdict_has_sign_and_colour(sample, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": None}))
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    grade("0.99", 5)
    grade("0.99", ...)
    assert shown[0]["text/plain"] == "✗ 0.99 is wrong: that is the prime before."
    assert "✗ 0.99" in shown[0]["text/html"] and "color:#7a1408" in shown[0]["text/html"]
    assert "Try" not in shown[1]["text/html"] and "Divide" not in shown[1]["text/html"]
    assert "&lt;b&gt;" in exercises.Verdict("0.99", "wrong", "<b>")._repr_html_()


def test_an_unknown_exercise_is_named_with_those_there_are(sample):
    with pytest.raises(ValueError, match="chapter 0 has: .*0.99"):
        grade("0.98", 1)
    for odd in ("seven", "0", "0.", "99.1", 2.1, None):
        with pytest.raises(ValueError):
            grade(odd, 1)


def test_what_a_learners_function_prints_is_seen(capsys):
    assert call(lambda u: print("u is", u) or u, 3) == 3
    assert capsys.readouterr().out == "u is 3\n"


def test_call_protects_the_data_and_reports_what_went_wrong():
    x = np.arange(3.0)
    assert call(lambda u: u.sum(), x) == 3

    def spoils(u):
        u[0] = 9
        return u

    def breaks(u):
        raise ZeroDivisionError("by zero")

    def complains(u):
        raise Wrong("shuffle both alike.")

    with pytest.raises(Wrong, match="in place"):
        call(spoils, x)
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(Wrong, match="ZeroDivisionError"):
        call(breaks, x)
    with pytest.raises(Wrong, match="^shuffle"):
        call(complains, x)
    with pytest.raises(Wrong, match="return"):
        call(lambda u: None, x)
    with pytest.raises(Wrong, match="function"):
        call(3, x)


def answers_of(entry):
    """What answers an exercise: of a word or a number its forms, of several numbers all of them together."""
    notebook = Path(__file__).parents[2] / "notebooks" / "source" / CHAPTERS[int(entry.id.split(".")[0])].notebook
    name = f"solution_{entry.id.replace('.', '_')}"
    values = [value for value in entry.right if not callable(value)]
    for node in assignments(notebook.with_suffix(".md")):
        if getattr(node.targets[0], "id", "") == name:
            with contextlib.suppress(NameError, AttributeError):  # computed from what the notebook has: not known here
                values.append(eval(ast.unparse(node.value), {"np": np, "math": math, "e": math.e}))
    return {said for value in values for said in forms(value)}


@functools.cache
def assignments(source):
    """Every assignment in the code of a notebook."""
    code = re.compile(r"^```\{code-cell\}\n(?::tags: [^\n]*\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)
    text = "\n".join(code.findall(source.read_text(encoding="utf-8")))
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assign)]


def forms(value):
    """The texts, or the tuples of texts, in which a value may stand in a hint."""
    if isinstance(value, str):
        return {value.strip()}
    try:
        numbers = np.ravel(np.asarray(value, dtype=float))
    except ValueError:
        return set()
    written = [tuple(f"{number:.{digits}g}" for number in numbers) for digits in (2, 3, 4, 6)]
    return {one[0] if len(one) == 1 else one for one in written}


def holds(text, said):
    """Whether a text says an answer: a number or word that stands alone, or all numbers of several."""
    if isinstance(said, tuple):
        return all(holds(text, one) for one in said)
    return re.search(rf"(?<![\w.,/]){re.escape(said)}(?![\w/]|[.,]\d)", text, re.IGNORECASE) is not None


@pytest.mark.slow
def test_an_answer_in_a_hint_would_be_seen():
    assert holds("So it is 0.75.", "0.75") and holds("the Greedy one", "greedy")
    assert holds("first 2, then 3.", ("2", "3"))
    assert not any(holds(text, "0.75") for text in ("it is 10.75", "see 0.755", "0.75/2"))
    assert not holds("the greediest", "greedy") and not holds("first 2", ("2", "3"))
    assert forms(0.123456) == {"0.12", "0.123", "0.1235", "0.123456"} and forms((1, 2)) == {("1", "2")}
    known = [entry for entry in ALL if answers_of(entry)]
    assert len(known) > len(ALL) / 2
    assert {entry.id: answers_of(entry) for entry in ALL}["16.1"] == {"6"}


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
class TestEveryExercise:
    def test_untouched_shows_no_hint(self, entry):
        verdict = check_answer(entry.id, ..., stage=5)
        assert str(verdict) == f"○ {entry.id} is not attempted yet."
        assert entry.hint not in verdict._repr_html_() and entry.step not in verdict._repr_html_()

    @pytest.mark.slow
    def test_help_is_a_direction_then_a_next_step(self, entry):
        assert entry.hint != entry.step
        for text in (entry.hint, entry.step):
            assert len(text.split()) >= 4 and text[-1] in ".?)" and "  " not in text, text
        for answer in entry.wrong:
            first, second = (check_answer(entry.id, answer, stage) for stage in (0, 1))
            assert first.message == second.message
            assert first.help in ("", f"Hint: {entry.hint}") and (first.message or first.help)
            assert second.help.startswith("Next step: ") == second.attempt

    @pytest.mark.slow
    def test_no_help_holds_the_answer(self, entry):
        texts = {entry.hint, entry.step, *(check_answer(entry.id, wrong, 1).help for wrong in entry.wrong)}
        held = {(said, text) for said in answers_of(entry) for text in texts if holds(text, said)}
        assert not held

    @pytest.mark.slow
    def test_garbage_is_wrong_and_never_raises(self, entry):
        for answer in GARBAGE:
            if any(answer is w or (type(answer) is type(w) and repr(answer) == repr(w)) for w in entry.wrong):
                continue
            verdict = check_answer(entry.id, answer)
            assert verdict.status != "correct" or _plausible(answer), f"{entry.id} accepts {answer!r}"
            assert verdict.message or verdict.help or verdict.status == "correct"

    def test_typical_mistakes_are_refused_with_hints_of_their_own(self, entry):
        assert len(entry.wrong) >= 2, f"{entry.id}: list at least two typical wrong answers"
        verdicts = [check_answer(entry.id, answer) for answer in entry.wrong]
        assert all(verdict.status == "wrong" for verdict in verdicts), [str(v) for v in verdicts]
        assert len({verdict.message for verdict in verdicts}) >= 2, f"{entry.id}: every mistake is told the same"
        assert not any("Checking your answer raised" in verdict.message for verdict in verdicts)
        told = [(verdict.message, said) for verdict, said in zip(verdicts, entry.said) if said is not None]
        assert not [pair for pair in told if pair[0] != pair[1]]

    def test_right_answers_in_other_forms_are_accepted(self, entry):
        verdicts = [check_answer(entry.id, answer) for answer in entry.right]
        assert all(verdict.status == "correct" for verdict in verdicts), [str(v) for v in verdicts]


def _plausible(answer):
    """Simple constants may happen to be right answers; everything else in the garbage never is."""
    return isinstance(answer, (bool, int, float)) and np.isfinite(answer)


def test_every_chapter_with_a_notebook_has_four_to_six_exercises():
    source = Path(__file__).parents[2] / "notebooks" / "source"
    for chapter in CHAPTERS[1:]:
        if (source / chapter.notebook).with_suffix(".md").exists():
            assert 4 <= len(exercises.exercises_of(chapter.number)) <= 6, chapter.name


@pytest.mark.parametrize(
    "id, answer, words",
    [
        ("2.2", lambda X, y, alpha: np.linalg.inv(X.T @ X) @ X.T @ y, "this is plain least squares"),
        ("11.3", lambda score, d, k: list(range(d - k + 1, d + 1)), "numbered from 0 to 3"),
        ("11.3", lambda score, d, k: [j + 0.5 for j in range(k)], "numbered from 0 to 3"),
        ("11.3", lambda score, d, k: [0] * k, "each feature once"),
        ("13.5", lambda W: [(i, i + 1) for i in range(1, len(W))], "numbered from 0 to d - 1"),
        ("14.4", lambda x, samples, h: np.log(
            np.mean(np.exp(np.maximum(-0.5 * ((x - samples) / h) ** 2, -700))) / (h * np.sqrt(2 * np.pi))
        ), "a clip, only hides the underflow"),
    ],
)  # fmt: skip
def test_mistakes_that_no_table_holds_are_named(id, answer, words):
    assert words in check_answer(id, answer).message
